//! Selectors against op traces recorded from public implementations of others: every result and every EV is compared.

use crate::faults::{Fault, of_ecmp, of_permuted, of_random};
use crate::trace::{Row, rows};
use respray_golden::ecmp::Ecmp;
use respray_golden::ops::{self, Ops, Order};
use respray_golden::selector::{Params, Selector, SendKind};

#[derive(Debug, Default, PartialEq, Eq)]
struct Tally {
    explored: u32,
    recycled: u32,
    replayed: u32,
    /// Ops whose result is not the trace's.
    wrong: u32,
}

/// Runs a trace through the selector, made wrong by `fault`. No selector here has events or classes to differ in.
fn run<S: Selector>(rows: &[Row], params: Params<S::Keys>, fault: &Fault<S>) -> Tally {
    let mut engine = fault.engine(params);
    let mut tally = Tally::default();
    for row in rows {
        let mut op = row.op;
        (fault.before)(&mut op);
        let result = engine.apply(&op).result;
        let (name, ev) = match result.map(|sent| (sent.kind, sent.ev)) {
            None => ("", None),
            Some((SendKind::Explore, ev)) => ("explore", Some(ev)),
            Some((SendKind::Recycle, ev)) => ("recycle", Some(ev)),
            Some((SendKind::Replay, ev)) => ("replay", Some(ev)),
        };
        tally.explored += u32::from(name == "explore");
        tally.recycled += u32::from(name == "recycle");
        tally.replayed += u32::from(name == "replay");
        tally.wrong += u32::from((name, ev) != (row.expect.as_str(), row.expect_ev));
    }
    tally
}

/// The traces' settings.
fn params<Keys>(seed: u16, ev_bits: u8, keys: Keys) -> Params<Keys> {
    Params { connections: 16, ev_base: 0, ev_bits, time_bits: 32, seed, keys }
}

const RANDOM: ops::Keys = ops::Keys { order: Order::Random, paths: 256 };
const PERMUTED: ops::Keys = ops::Keys { order: Order::Permuted, paths: 256 };

#[test]
fn ecmp_agrees_with_its_trace() {
    let Some(rows) = rows("ecmp_15.csv.gz") else { return };
    let tally = run(&rows, params(15, 15, ()), &Fault::<Ecmp>::NONE);
    assert_eq!((rows.len(), tally), (20_000, Tally { explored: 209, replayed: 11_072, ..Tally::default() }));
}

#[test]
fn ops_random_agrees_with_its_trace() {
    let Some(rows) = rows("ops_random_11.csv.gz") else { return };
    let tally = run(&rows, params(11, 15, RANDOM), &Fault::<Ops>::NONE);
    assert_eq!((rows.len(), tally), (20_000, Tally { explored: 10_384, ..Tally::default() }));
}

#[test]
fn ops_permuted_agrees_with_its_trace() {
    let Some(rows) = rows("ops_permuted_21.csv.gz") else { return };
    let tally = run(&rows, params(21, 16, PERMUTED), &Fault::<Ops>::NONE);
    assert_eq!((rows.len(), tally), (20_000, Tally { explored: 10_202, ..Tally::default() }));
}

/// What no trace shows: they have no reserved kinds and no events, and nobody draws between two rounds of a connection.
const OUT_OF_REACH: [&str; 3] = [
    "reserved kind taken for a send",
    "an event pulses",
    "x drawn with a round's first send, not with the last of the round before",
];

fn assert_every_fault_is_seen<S: Selector>(rows: &[Row], params: Params<S::Keys>, faults: &[Fault<S>]) {
    for fault in faults {
        let wrong = run(rows, params, fault).wrong;
        assert_eq!(wrong == 0, OUT_OF_REACH.contains(&fault.name), "{} {}: {wrong}", S::NAME, fault.name);
    }
}

#[test]
fn comparison_sees_every_fault_of_ecmp() {
    let Some(rows) = rows("ecmp_15.csv.gz") else { return };
    assert_every_fault_is_seen(&rows, params(15, 15, ()), &of_ecmp());
}

#[test]
fn comparison_sees_every_fault_of_ops_random() {
    let Some(rows) = rows("ops_random_11.csv.gz") else { return };
    assert_every_fault_is_seen(&rows, params(11, 15, RANDOM), &of_random());
}

#[test]
fn comparison_sees_every_fault_of_ops_permuted() {
    let Some(rows) = rows("ops_permuted_21.csv.gz") else { return };
    assert_every_fault_is_seen(&rows, params(21, 16, PERMUTED), &of_permuted());
}

#[test]
fn the_traces_tell_seeds_orders_and_rounds_apart() {
    let Some(rows) = rows("ops_permuted_21.csv.gz") else { return };
    let none = Fault::<Ops>::NONE;
    assert!(run(&rows, params(20, 16, PERMUTED), &none).wrong > 10_000);
    assert!(run(&rows, params(21, 16, RANDOM), &none).wrong > 10_000);
    for paths in [128, 512] {
        assert!(run(&rows, params(21, 16, ops::Keys { paths, ..PERMUTED }), &none).wrong > 5_000);
    }
}
