//! The Verilog in the loop: the same events and the same bytes as with its golden model.

use respray_fabric::engine::{Kind, Maker};
use respray_fabric::record::Record;
use respray_fabric::request::{Engines, Request};

use crate::{mean, records, small, unit};

/// Records but for the name of the engine and the hash of its Verilog.
fn alike(request: &Request, engine: Kind) -> Vec<Record> {
    let records = records(&Request { engine, ..request.clone() });
    let alike = |record| Record { engine: Kind::Golden, verilog_hash: None, ..record };
    records.into_iter().map(alike).collect()
}

/// Both give the same events in the same order.
fn assert_alike(request: &Request) {
    let golden = alike(request, Kind::Golden);
    assert_eq!(golden, alike(request, Kind::Rtl), "{request:?}");
    assert!(golden.iter().all(|record| record.ops > 1000 && record.times.unfinished == 0));
}

fn failing() -> Request {
    let fail = vec!["tor0.up1=down@10us..60us:data".into(), "tor0.up3=rate=0.5".into()];
    Request {
        fail,
        selectors: ["reps:paper", "reps:uet", "ops", "ecmp"].map(String::from).to_vec(),
        ..small()
    }
}

#[test]
fn the_verilog_gives_the_same_events_and_files_as_its_golden_model() {
    assert_alike(&Request { selectors: ["reps", "ops", "ecmp"].map(String::from).to_vec(), ..failing() });
    let permutation = Request { workload: "permutation".into(), bytes: Some(1 << 16), ..small() };
    assert_alike(&permutation);
}

#[test]
#[ignore = "a model of each selector is built, with the long tests"]
fn every_selector_gives_the_same_events_as_its_golden_model() {
    let selectors = respray_fabric::engine::selectors().iter().map(|name| name.to_string()).collect();
    assert_alike(&Request { selectors, ..failing() });
    assert_alike(&failing());
}

#[test]
#[ignore = "runs of figures at their size, with the long tests"]
fn figures_give_the_same_events_with_the_verilog_and_with_its_golden_model() {
    for number in [1, 3, 6] {
        let figure = respray_fabric::figure::figure(number).unwrap();
        for case in figure.cases {
            assert_alike(&case.request(Kind::Golden, 1, 1, None));
        }
    }
}

#[test]
fn both_together_agree_and_a_difference_stops_with_the_ops() {
    assert_eq!(alike(&failing_reps(), Kind::Both), alike(&failing_reps(), Kind::Golden));
    // Verilog that names another EV than the one that it has cached
    let mut unit = unit(&Request { engine: Kind::Both, ..failing_reps() });
    let right = "random_ev : cached_ev;";
    assert!(unit.maker.generated.verilog.contains(right));
    unit.maker.generated.verilog =
        unit.maker.generated.verilog.replace(right, "random_ev : cached_ev ^ 16'd1;");
    let folder = tempfile::tempdir().unwrap();
    let (_, ran, _) = unit.run(folder.path(), &mut |_, _| {}).unwrap();
    assert_eq!(ran.mismatches, 1);
    let said = ran.difference.unwrap();
    assert!(said.contains("from the Verilog and") && said.contains("reps_failure.csv"), "{said}");
    let ops = std::fs::read_to_string(folder.path().join("reps_failure.csv")).unwrap();
    assert!(ops.lines().count() > 2, "all ops up to there: {ops}");
}

fn failing_reps() -> Request {
    Request { selectors: vec!["reps".into()], ..failing() }
}

#[test]
fn hosts_with_an_engine_each_are_like_hosts_that_share_one() {
    let request = |engines| Request {
        bytes: Some(1 << 21),
        selectors: vec!["reps".into(), "ops".into()],
        seeds: 10,
        engines,
        ..small()
    };
    let (shared, host) = (records(&request(Engines::Shared)), records(&request(Engines::Host)));
    for selector in ["reps", "ops"] {
        let of = |records: &[Record]| {
            let of: Vec<Record> =
                records.iter().filter(|record| record.selector == selector).cloned().collect();
            mean(&of, |record| record.times.mean_fct_us)
        };
        let (shared, host) = (of(&shared), of(&host));
        assert!((shared / host - 1.0).abs() < 0.02, "{selector}: {shared} us and {host} us");
    }
    // engines of one seed would draw the same EVs for all hosts
    assert_ne!(shared[0].event_hash, host[0].event_hash);
}

#[test]
fn each_host_of_a_run_may_have_its_verilog() {
    assert_alike(&Request { engines: Engines::Host, ..failing_reps() });
}

#[test]
fn numbers_of_connections_come_from_the_menu() {
    assert_eq!(Maker::connections_for(1).unwrap(), 16);
    assert_eq!(Maker::connections_for(17).unwrap(), 64);
    assert_eq!(Maker::connections_for(16_384).unwrap(), 16_384);
    assert!(Maker::connections_for(16_385).is_err());
}
