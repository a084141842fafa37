//! What comes out of runs beside their records: flows, reordering, watched ports.

use respray_fabric::connection::{Arrival, Receiver};
use respray_fabric::metrics::{DEPTHS, FlowRow, Reordering};
use respray_fabric::request::Request;
use respray_fabric::results::{Finished, distributions_csv, flows_csv, groups, means, means_csv, series_csv};
use respray_fabric::time::microseconds;

use crate::small;

/// Runs all of it.
fn finished(request: &Request) -> Vec<Finished> {
    let folder = tempfile::tempdir().unwrap();
    let units = request.plan().expect("the request is right");
    respray_files::parallel::map(&units, |unit| {
        let (record, _, outcome) = unit.run(folder.path(), &mut |_, _| {}).expect("it runs");
        Finished::of(&record, &outcome)
    })
}

/// A link at half its rate, and packets that are lost and sent again.
fn uneven() -> Request {
    Request {
        bytes: Some(1 << 21),
        fail: vec!["tor0.up0=rate=0.5".into(), "tor0.up3=p=0.01".into()],
        selectors: ["reps", "ops", "ecmp"].map(String::from).to_vec(),
        seeds: 3,
        ..small()
    }
}

fn rows(csv: &str) -> Vec<std::collections::HashMap<String, String>> {
    csv::Reader::from_reader(csv.as_bytes()).deserialize().map(|row| row.expect("it is CSV")).collect()
}

#[test]
fn the_depth_of_a_packet_is_its_distance_from_the_highest_that_came_before() {
    let mut receiver = Receiver::default();
    let mut depth = |psn| match receiver.take(psn, 100) {
        Arrival::New { depth } => Some(depth),
        Arrival::Duplicate => None,
    };
    let come = [0, 3, 1, 3, 2, 9, 4, 5, 10].map(&mut depth);
    assert_eq!(come, [Some(0), Some(0), Some(2), None, Some(1), Some(0), Some(5), Some(4), Some(0)]);
    // of six packets at 0, one each at 1 and at 2, of which the last is the 99th of a hundred
    let reordering = Reordering::of(&[6, 1, 1], 2);
    assert_eq!(reordering.reordering_depth_mean, 3.0 / 8.0);
    assert_eq!((reordering.reordering_depth_p99, reordering.reordering_depth_max), (2, 2));
    assert_eq!(Reordering::of(&[99, 0, 1], 2).reordering_depth_p99, 0);
    assert_eq!(Reordering::of(&[], 0), Reordering::default());
}

#[test]
fn flows_add_up_to_the_record() {
    let runs = finished(&uneven());
    assert_eq!(runs.len(), 9);
    for run in &runs {
        let (record, flows) = (&run.record, &run.flows);
        assert_eq!(flows.len(), 8);
        let sum = |of: fn(&FlowRow) -> u32| flows.iter().map(|flow| u64::from(of(flow))).sum::<u64>();
        assert_eq!(sum(|flow| flow.counts.retransmitted), record.counters.retransmitted);
        assert_eq!(sum(|flow| flow.counts.out_of_order), record.counters.out_of_order);
        let times: Vec<f64> = flows.iter().filter_map(FlowRow::time).map(microseconds).collect();
        let mean = times.iter().sum::<f64>() / 8.0;
        assert!((mean - record.times.mean_fct_us).abs() < 1e-9, "{mean}");
        assert_eq!(times.iter().copied().fold(0.0, f64::max), record.times.max_fct_us);
        // each packet has a depth when it comes first, and one that is late has one above 0
        let come: u64 = run.depths.iter().sum();
        assert_eq!(come, record.counters.delivered - record.counters.duplicates);
        assert_eq!(come - run.depths[0], record.counters.out_of_order);
        let deepest = flows.iter().map(|flow| flow.counts.deepest).max().unwrap();
        assert_eq!(u64::from(deepest), record.reordering.reordering_depth_max);
        assert_eq!(run.depths.len(), (deepest as usize).min(DEPTHS - 1) + 1);
        assert!(record.counters.retransmitted > 0 || record.selector == "ecmp");
        assert!(record.selector == "ecmp" || deepest > 1, "{} {deepest}", record.selector);
    }
    let lines = rows(&flows_csv(&runs));
    assert_eq!(lines.len(), 9 * 8);
    assert_eq!((lines[0]["selector"].as_str(), lines[0]["flow"].as_str()), ("reps", "0"));
    let goodput: f64 = lines[0]["goodput_gbps"].parse().unwrap();
    let time: f64 = lines[0]["fct_us"].parse().unwrap();
    assert!((goodput - f64::from(8 << 21) / 1000.0 / time).abs() < 1e-9, "{goodput} {time}");
}

#[test]
fn order_that_is_kept_has_no_depth() {
    // so little that no queue trims
    let selectors = ["ecmp", "ops"].map(String::from).to_vec();
    let runs = finished(&Request { selectors, bytes: Some(40_000), ..small() });
    assert!(runs.iter().all(|run| run.record.counters.retransmitted == 0));
    let [by_one_path, by_many] = [0, 1].map(|place: usize| &runs[place]);
    assert_eq!(by_one_path.depths, [by_one_path.record.counters.delivered]);
    assert_eq!(by_one_path.record.reordering, Reordering::default());
    assert!(by_many.depths.len() > 1, "packets of one flow overtake each other: {:?}", by_many.depths);
}

#[test]
fn means_and_distributions_are_over_the_seeds() {
    let runs = finished(&uneven());
    let groups = groups(&runs);
    let names: Vec<(&str, Vec<u64>)> = groups.iter().map(|group| (group.selector, group.seeds())).collect();
    assert_eq!(names, ["reps", "ops", "ecmp"].map(|selector| (selector, vec![1, 2, 3])));
    let all = means(&runs);
    let longest = all.iter().find(|mean| mean.selector == "ops" && mean.quantity == "max_fct_us").unwrap();
    let values: Vec<f64> = groups[1].records().map(|record| record.times.max_fct_us).collect();
    assert_eq!(longest.mean, values.iter().sum::<f64>() / 3.0);
    assert!(longest.ci95_low.unwrap() < longest.least && longest.greatest < longest.ci95_high.unwrap());
    assert_eq!(rows(&means_csv(&runs)).len(), all.len());
    let lines = rows(&distributions_csv(&runs));
    for group in &groups {
        let last = group.times().pop().unwrap();
        assert_eq!((last.share, last.band), (1.0, Some([1.0, 1.0])), "all flows ended");
        let of = |quantity: &str| {
            lines
                .iter()
                .filter(|line| line["selector"] == group.selector && line["quantity"] == quantity)
                .count()
        };
        assert_eq!((of("fct_us"), of("reordering_depth")), (group.times().len(), group.depths().len()));
    }
}

#[test]
fn a_port_may_be_offered_more_than_its_rate_and_carries_no_more() {
    let watch = ["tor0", "t1_0.down8", "host3.nic", "tor0.up0"].map(String::from).to_vec();
    let request = Request { selectors: vec!["ops".into()], watch, seeds: 1, ..uneven() };
    let runs = finished(&request);
    let series = runs[0].series.as_ref().unwrap();
    let names: Vec<&str> = series.ports().map(|(port, _)| port.name.as_str()).collect();
    let up: Vec<String> = (0..8).map(|port| format!("tor0.up{port}")).collect();
    assert_eq!(names, [up, vec!["t1_0.down8".into(), "host3.nic".into()]].concat());
    let packet_gbps = 4150.0 * 8000.0 / series.bin() as f64;
    let (mut offered_most, mut carried) = (0.0f64, std::collections::HashMap::new());
    for (port, bins) in series.ports() {
        let rate = if port.name == "tor0.up0" { port.gbps / 2.0 } else { port.gbps };
        for bin in bins {
            let carries = series.carried_gbps(bin);
            assert!(carries <= rate + packet_gbps, "{} carries {carries} Gb/s of {rate}", port.name);
            if port.name == "tor0.up0" {
                offered_most = offered_most.max(series.offered_gbps(bin));
            }
        }
        let sum = |of: fn(&respray_fabric::metrics::Bin) -> u64| bins.iter().map(of).sum::<u64>();
        carried.insert(
            port.name.as_str(),
            (sum(|bin| bin.carried_bytes), sum(|bin| bin.bytes), sum(|bin| bin.packets)),
        );
    }
    assert!(offered_most > 220.0, "the port at half its rate is offered {offered_most} Gb/s");
    let (carried_by_half, offered, _) = carried["tor0.up0"];
    assert!(carried_by_half < offered, "what was trimmed is not carried");
    // a NIC sends each packet that it is offered: those of its flow, with what is sent again
    let (carried_by_nic, offered, packets) = carried["host3.nic"];
    assert_eq!(carried_by_nic, offered);
    let flow = &runs[0].flows[3];
    assert_eq!(flow.source, 3);
    assert_eq!(packets, flow.bytes.div_ceil(4086) + u64::from(flow.counts.retransmitted));
    let csv = series_csv(&runs);
    assert!(
        csv.starts_with("name,selector,seed,port,bin_start_us,offered_packets,offered_gbps,carried_gbps,")
    );
    assert!(csv.lines().any(|line| line.starts_with("run,ops,1,host3.nic,0.0,")), "{csv}");
}
