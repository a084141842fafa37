//! Flowcut in the loop: no packet overtakes another.

use respray_fabric::engine::Kind;
use respray_fabric::record::Record;
use respray_fabric::request::Request;

use crate::{mean, records, small};

/// Figures 1 and 3 of 001 with so many seeds, and a permutation, whose slowest flow differs more from seed to seed, with three.
fn scenarios(seeds: u64) -> [Request; 3] {
    let tornado = Request { workload: "tornado".into(), bytes: Some(8 << 20), seeds, ..small() };
    let asymmetric = Request { fail: vec!["tor0.up0=rate=0.5".into()], ..tornado.clone() };
    let permutation =
        Request { workload: "permutation".into(), bytes: Some(2 << 20), seeds: 3, ..tornado.clone() };
    [tornado, asymmetric, permutation]
}

fn of<'a>(all: &'a [Record], selector: &str) -> Vec<&'a Record> {
    all.iter().filter(|record| record.selector == selector).collect()
}

#[test]
fn no_packet_is_overtaken_and_flows_are_faster_than_by_one_ev_each() {
    nothing_is_overtaken(1);
}

#[test]
#[ignore = "three seeds of each, with the long tests"]
fn no_packet_is_overtaken_with_other_seeds() {
    nothing_is_overtaken(3);
}

fn nothing_is_overtaken(seeds: u64) {
    for request in scenarios(seeds) {
        let selectors = ["flowcut", "ecmp", "reps"].map(String::from).to_vec();
        let all = records(&Request { selectors, ..request.clone() });
        assert!(all.iter().all(|record| record.times.unfinished == 0));
        let sum = |selector: &str, figure: &dyn Fn(&Record) -> u64| {
            of(&all, selector).into_iter().map(figure).sum::<u64>()
        };
        let [flowcut, ecmp, reps] = ["flowcut", "ecmp", "reps"].map(|selector| {
            let records: Vec<Record> = of(&all, selector).into_iter().cloned().collect();
            mean(&records, |record| record.times.max_fct_us)
        });
        let overtaken = |selector: &str| sum(selector, &|record| record.counters.overtaken);
        let drains = sum("flowcut", &|record| record.engine_events["drain_started"]);
        println!(
            "{} {:?}: slowest flow {flowcut:.0} us by flowcut, {ecmp:.0} by ecmp, {reps:.0} by reps; overtaken {}, {}, {}; {drains} drains",
            request.workload,
            request.fail,
            overtaken("flowcut"),
            overtaken("ecmp"),
            overtaken("reps"),
        );
        assert_eq!(overtaken("flowcut"), 0);
        assert!(overtaken("reps") > 10_000);
        assert!(drains > 100 && sum("flowcut", &|record| record.wait) > 0);
        assert_eq!(sum("flowcut", &|record| record.engine_events["order_risk"]), 0);
        assert!(reps < flowcut && flowcut < ecmp, "{reps} {flowcut} {ecmp}");
    }
}

#[test]
fn the_verilog_answers_as_its_golden_model_does() {
    let selectors = vec!["flowcut".to_string()];
    let bytes = Some(2 << 20);
    let request = Request { selectors, engine: Kind::Both, workload: "permutation".into(), bytes, ..small() };
    let [record] = &records(&request)[..] else { panic!("one run") };
    let done = record.engine_events["drain_done"];
    assert!(record.wait > 10 && done > 10, "{} waits, {done} drains done", record.wait);
    assert_eq!(record.counters.overtaken, 0);
}
