//! Selectors against op traces recorded from public implementations of others: every result and every EV is compared.

use crate::faults::bitmap::{of_bitmap, of_mixed};
use crate::faults::feedback::{of_flowlet_ack, of_flowlet_send, of_mprdma, of_plb, of_subflows};
use crate::faults::{Fault, of_ecmp, of_permuted, of_random};
use crate::trace::{Row, rows};
use respray_golden::bitmap::{self, Bitmap, TimeoutRule};
use respray_golden::ecmp::Ecmp;
use respray_golden::flowlet::{self, Flowlet, Since};
use respray_golden::mixed::{self, Mixed};
use respray_golden::mprdma::Mprdma;
use respray_golden::ops::{self, Ops, Order};
use respray_golden::plb::Plb;
use respray_golden::selector::{Op, Params, Selector, SendKind};
use respray_golden::subflows::Subflows;

#[derive(Debug, Default, PartialEq, Eq)]
struct Tally {
    explored: u32,
    recycled: u32,
    replayed: u32,
    /// Ops whose result is not the trace's.
    wrong: u32,
}

/// Runs a trace through a selector without settings, made wrong by `fault`.
fn run<S: Selector>(rows: &[Row], params: Params<S::Keys>, fault: &Fault<S>) -> Tally {
    run_with(rows, params, [0; 4], fault)
}

/// The same with settings. The traces know nothing of events and classes.
fn run_with<S: Selector>(
    rows: &[Row],
    params: Params<S::Keys>,
    settings: [u32; 4],
    fault: &Fault<S>,
) -> Tally {
    let mut engine = fault.engine(params);
    let mut tally = Tally::default();
    for row in rows {
        let mut op = Op { settings, ..row.op };
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

/// What no trace shows: they have no reserved kinds and no events, and nobody draws between two rounds of a
/// connection.
const OUT_OF_REACH: [&str; 4] = [
    "reserved kind taken for a send",
    "an event pulses",
    "an event is lost",
    "x drawn with a round's first send, not with the last of the round before",
];

fn assert_every_fault_is_seen<S: Selector>(rows: &[Row], params: Params<S::Keys>, faults: &[Fault<S>]) {
    assert_every_fault_is_seen_with(rows, params, [0; 4], faults);
}

fn assert_every_fault_is_seen_with<S: Selector>(
    rows: &[Row],
    params: Params<S::Keys>,
    settings: [u32; 4],
    faults: &[Fault<S>],
) {
    for fault in faults {
        let wrong = run_with(rows, params, settings, fault).wrong;
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

/// Of every selector: what a timeout shows.
const IS_NEW: &str = "a timeout starts the connection anew and sends";

const SINCE_SEND: flowlet::Keys = flowlet::Keys { since: Since::Send };
const SINCE_ACK: flowlet::Keys = flowlet::Keys { since: Since::Ack };

/// The trace agrees, its results are those of `tally`, and no fault goes unseen.
fn agrees<S: Selector>(
    name: &str,
    params: Params<S::Keys>,
    settings: [u32; 4],
    tally: Tally,
    faults: &[Fault<S>],
) {
    let Some(rows) = rows(name) else { return };
    let none = Fault::<S>::NONE;
    assert_eq!((rows.len(), run_with(&rows, params, settings, &none)), (20_000, tally), "{name}");
    assert_every_fault_is_seen_with(&rows, params, settings, faults);
}

#[test]
fn subflows_agrees_with_its_trace() {
    let tally = Tally { explored: 10_442, ..Tally::default() };
    agrees::<Subflows>("subflows_81.csv.gz", params(81, 6, ()), [8, 0, 0, 0], tally, &of_subflows());
}

#[test]
fn mprdma_agrees_with_its_trace() {
    let tally = Tally { explored: 4576, recycled: 5919, ..Tally::default() };
    agrees::<Mprdma>("mprdma_71.csv.gz", params(71, 15, ()), [0; 4], tally, &of_mprdma());
}

#[test]
fn flowlet_agrees_with_its_traces() {
    let tally = Tally { explored: 5757, replayed: 4692, ..Tally::default() };
    let name = "flowlet_send_52.csv.gz";
    agrees::<Flowlet>(name, params(52, 3, SINCE_SEND), [5, 0, 0, 0], tally, &of_flowlet_send());
    let tally = Tally { explored: 1825, replayed: 8497, ..Tally::default() };
    let name = "flowlet_ack_51.csv.gz";
    agrees::<Flowlet>(name, params(51, 15, SINCE_ACK), [4000, 20_000, 0, 0], tally, &of_flowlet_ack());
}

#[test]
fn plb_agrees_with_its_trace() {
    let tally = Tally { explored: 184, replayed: 10_052, ..Tally::default() };
    let settings = [30_000, 70_000, 0, 1];
    let mut faults = of_plb();
    // the trace has no timeouts
    faults.retain(|fault| !["the RTO that is just over counts as past", IS_NEW].contains(&fault.name));
    agrees::<Plb>("plb_61.csv.gz", params(61, 15, ()), settings, tally, &faults);
}

/// What only the words of a search, its class or an event of feedback shows.
const UNTRACED: [&str; 4] = [
    "no first word is counted",
    "a word is counted for each round",
    "a counter at its highest pulses, too",
    "a recycle has the class of a search",
];

/// The trace agrees, its results are those of `tally`, and no fault goes unseen but those of `UNTRACED` and `unseen`, which it cannot show.
fn agrees_but<S: Selector>(
    name: &str,
    params: Params<S::Keys>,
    tally: Tally,
    mut faults: Vec<Fault<S>>,
    unseen: &[&str],
) {
    faults.retain(|fault| !UNTRACED.contains(&fault.name) && !unseen.contains(&fault.name));
    agrees::<S>(name, params, [0; 4], tally, &faults);
}

#[test]
fn bitmap_agrees_with_its_traces() {
    let tally = Tally { explored: 10_363, ..Tally::default() };
    let keys = bitmap::Keys { paths: 16, timeout: TimeoutRule::Ignore };
    // the trace has no timeouts
    let of_timeouts =
        [IS_NEW, "a timeout is not heard", "a timeout is taken for a NACK", "the EV of a timeout is 0"];
    agrees_but::<Bitmap>("bitmap_31.csv.gz", params(31, 16, keys), tally, of_bitmap(), &of_timeouts);
    let tally = Tally { explored: 10_505, ..Tally::default() };
    let keys = bitmap::Keys { paths: 32, timeout: TimeoutRule::Ev };
    let unseen = ["a counter of five bits"];
    agrees_but::<Bitmap>("bitmap_33.csv.gz", params(33, 16, keys), tally, of_bitmap(), &unseen);
}

#[test]
fn mixed_agrees_with_its_trace() {
    let tally = Tally { explored: 4110, recycled: 6057, ..Tally::default() };
    let keys = mixed::Keys { paths: 64, depth: 32, timeout: TimeoutRule::Ignore };
    // the trace has no timeouts, its list is never longer than 32 EVs, and nothing is heard before a first send
    let unseen = [IS_NEW, "a full list takes no EV", "a first send draws, though it recycles"];
    agrees_but::<Mixed>("mixed_41.csv.gz", params(41, 16, keys), tally, of_mixed(), &unseen);
}
