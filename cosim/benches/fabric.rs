//! Speed of the simulated fabric: what the Verilog in the loop adds to a packet, and what a packet costs among a thousand hosts.
//!
//! `cargo bench -p respray-cosim-benches --bench fabric` alternates runs and prints the median of their ratios, which the noise of a shared
//! machine moves little, and beside it packets a second.

use std::path::Path;
use std::time::Instant;

use respray_fabric::engine::Kind;
use respray_fabric::figure::figure;
use respray_fabric::request::{Request, Unit};

/// Pairs of runs.
const ROUNDS: usize = 9;

/// A run's only unit.
fn unit(request: &Request) -> Unit {
    request.plan().expect("the request is right").into_iter().next().expect("it has a run")
}

/// Seconds a packet.
fn a_packet(unit: &Unit) -> f64 {
    let begun = Instant::now();
    let (record, ..) = unit.run(Path::new("."), &mut |_, _| {}).expect("it runs");
    let packets = record.counters.new_packets + record.counters.retransmitted;
    begun.elapsed().as_secs_f64() / packets as f64
}

fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    values[values.len() / 2]
}

/// Both in turn, and what they say.
fn compare(what: &str, first: (&str, &Unit), second: (&str, &Unit), rounds: usize) {
    let pairs: Vec<(f64, f64)> = (0..rounds).map(|_| (a_packet(first.1), a_packet(second.1))).collect();
    let ratio = median(pairs.iter().map(|(a, b)| b / a).collect());
    let added = median(pairs.iter().map(|(a, b)| b - a).collect());
    let speed = |of: fn(&(f64, f64)) -> f64| 1e-6 / median(pairs.iter().map(of).collect());
    println!(
        "{what}: {} {:.2} M packets/s, {} {:.2} M packets/s; a packet takes {ratio:.2} times as long, {:.2} us more",
        first.0,
        speed(|pair| pair.0),
        second.0,
        speed(|pair| pair.1),
        1e6 * added
    );
}

fn main() {
    // figure 3, watched by nobody
    let of = |engine, selector: &str| {
        let mut request = figure(3).expect("there is figure 3").cases[0].request(engine, 1, 1, None);
        request.selectors = vec![selector.into()];
        request.watch.clear();
        unit(&request)
    };
    for selector in ["reps:paper", "ops"] {
        let (golden, rtl) = (of(Kind::Golden, selector), of(Kind::Rtl, selector));
        rtl.maker.prepare(rtl.scenario.about_ops()).expect("the model builds");
        compare(&format!("figure 3, {selector}"), ("golden", &golden), ("Verilog", &rtl), ROUNDS);
    }
    let permutation = |topology: &str| {
        unit(&Request {
            topology: topology.into(),
            workload: "permutation".into(),
            bytes: Some(8 << 20),
            selectors: vec!["reps".into()],
            engine: Kind::Golden,
            ..Request::default()
        })
    };
    let (small, large) = (permutation("t128x2"), permutation("t1024x2"));
    compare("permutation", ("128 hosts", &small), ("1024 hosts", &large), 3);
}
