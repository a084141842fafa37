//! A device of `reps` with faults: what is found, and how small it becomes.

use std::convert::Infallible;

use respray_cosim::cores::reps::RepsCore;
use respray_cosim::cores::selector::{Knobs, RandomOps};
use respray_cosim::lockstep::compare::{Against, Difference};
use respray_cosim::lockstep::op_core::OpCore;
use respray_cosim::lockstep::reproduce::{Reproducer, reproduce};
use respray_cosim::lockstep::run::{Given, RESET_EDGES, Run, run};
use respray_cosim::traffic::optrace::{OpTrace, Ops, Settings};
use respray_cosim::traffic::random::Knobs as _;
use respray_cosim::traffic::stimulus::{Entries, Entry, Event, Expectation, Line};
use respray_hdl::config::Config;
use respray_hdl::cores::selector::SelectorOp;

use crate::device::selector::{CLEARING, Fault, LATENCY, device, manifest};
use crate::device::{Flip, outputs, place};

fn config(sets: &[&str]) -> Config {
    let sets: Vec<String> = sets.iter().map(|set| set.to_string()).collect();
    Config::load(None, &sets).unwrap()
}

fn small() -> Config {
    config(&["connections=16", "reps.depth=4"])
}

fn stream(seed: u64, knobs: &Knobs, config: &Config) -> RandomOps {
    RandomOps::new(seed, knobs, RepsCore::CONTRACT, None, config)
}

fn random(config: &Config, seed: u64) -> RandomOps {
    stream(seed, &Knobs { ops_per_reset: 2000, ..Knobs::new(config.connections) }, config)
}

fn given<'a>(entries: impl Iterator<Item = Entry<SelectorOp>> + Clone + Send + 'a) -> Given<'a, SelectorOp> {
    Given { entries: Entries::new(entries), expectations: &[], seed: 7 }
}

fn given_trace(ops: &Ops<SelectorOp>) -> Given<'_, SelectorOp> {
    Given { entries: Entries::new(ops.entries.iter().copied()), expectations: &ops.expectations, seed: 7 }
}

fn run_given(config: &Config, fault: Fault, given: Given<'_, SelectorOp>, cycles: u64) -> Run<RepsCore> {
    run(&manifest(config), &mut device(config, fault), given, cycles, &mut |_| {})
}

fn run_fake(
    config: &Config,
    fault: Fault,
    stimulus: impl Iterator<Item = Entry<SelectorOp>> + Clone + Send,
    cycles: u64,
) -> Run<RepsCore> {
    run_given(config, fault, given(stimulus), cycles)
}

fn difference(fault: Fault) -> Difference {
    run_fake(&small(), fault, random(&small(), 1), 2_000_000).difference.expect("the fault is found")
}

/// What is made of a failed run of a device with this fault.
fn reproduced(
    config: &Config,
    fault: Fault,
    failed: &Run<RepsCore>,
    given: Given<'_, SelectorOp>,
) -> Reproducer<SelectorOp> {
    reproduce(&manifest(config), failed, given, || Ok::<_, Infallible>(device(config, fault))).unwrap()
}

/// The trace that the shrinker makes of a fault, which still fails when it is run by itself.
fn shrunken(config: &Config, fault: Fault, stimulus: RandomOps) -> (Run<RepsCore>, Vec<Entry<SelectorOp>>) {
    let failed = run_fake(config, fault, stimulus.clone(), 20_000_000);
    assert!(failed.difference.is_some(), "{fault:?} was not found");
    let reproducer = reproduced(config, fault, &failed, given(stimulus));
    let entries = reproducer.shrunken.expect("an end of the run fails from reset");
    let again = run_fake(config, fault, entries.iter().copied(), u64::MAX);
    assert_eq!(again.difference.expect("fails again").against, Against::Golden);
    let fixed = run_fake(config, Fault::None, entries.iter().copied(), u64::MAX);
    assert_eq!(fixed.difference, None, "without the fault, it passes");
    (failed, entries)
}

/// The output `port` is wrong in bit `bit` at this cycle.
fn wrong(port: &str, bit: u32, cycle: u64) -> Fault {
    let place = if port == "op_ready" { 0 } else { place(RepsCore::CONTRACT, port) };
    Fault::Bit(Flip { cycle, place, bit })
}

#[test]
fn a_right_device_passes_and_every_behaviour_is_reached() {
    for sets in [
        &["connections=16", "reps.depth=4"][..],
        &["connections=1024", "reps.depth=16", "reps.ev_base=49152", "reps.ev_bits=14"],
        &["connections=64", "reps.variant=uet", "reps.time_bits=16"],
    ] {
        let config = config(sets);
        let mut heard = Vec::new();
        let mut device = device(&config, Fault::None);
        let mut progress = |cycles| heard.push(cycles);
        let run: Run<RepsCore> =
            run(&manifest(&config), &mut device, given(random(&config, 3)), 600_000, &mut progress);
        assert_eq!(run.difference, None, "{sets:?}");
        assert_eq!(run.cycles, 600_000);
        assert_eq!(heard, [1 << 18, 1 << 19, 600_000]);
        let counts = run.core.counts(&run.taken);
        let count = |name: &str| counts.iter().find(|(known, _)| *known == name).expect("a count").1;
        assert_eq!(count("sends"), count("explore") + count("recycle") + count("replay"));
        assert!(count("ops") > 300_000 && count("reset_edges") > 100, "{counts:?}");
        for name in ["explore", "recycle", "replay", "evs_cached", "evs_dropped"] {
            assert!(count(name) > 1000, "{sets:?}: {counts:?}");
        }
        assert!(count("freezes_entered") > 100 && count("freezes_left") > 50, "{sets:?}: {counts:?}");
    }
}

#[test]
fn a_wrong_bit_is_found_in_every_output_and_only_where_it_is_promised() {
    let config = small();
    let send = |conn| Entry::op(SelectorOp { conn, ..SelectorOp::default() });
    let ack = |conn, ev| Entry::op(SelectorOp { kind: 1, conn, ev, ..SelectorOp::default() });
    let trace = [ack(5, 0x1234), send(5), Entry::op(SelectorOp { kind: 6, ..SelectorOp::default() })];
    let first = RESET_EDGES + u64::from(CLEARING) + u64::from(LATENCY);
    let run = |fault| run_fake(&config, fault, trace.into_iter(), u64::MAX).difference;
    let mut bits = 0;
    for (port, width) in outputs(RepsCore::CONTRACT, &config) {
        for bit in 0..width {
            bits += 1;
            // before the first reset nothing is promised
            assert_eq!(run(wrong(port, bit, 0)), None);
            let conn = port == "res_conn";
            let with_send = conn || ["res_kind", "res_ev"].contains(&port);
            for (cycle, promised) in [
                (1, !with_send),
                (first - 1, !with_send),
                (first, conn || !with_send),
                (first + 1, true),
                (first + 2, !with_send),
                (first + 10, !with_send),
            ] {
                let found = run(wrong(port, bit, cycle));
                assert_eq!(found.is_some(), promised, "{port} at {cycle}");
                if let Some(found) = found {
                    assert_eq!((found.cycle, found.port.as_str()), (cycle, port));
                    assert_eq!((found.against, found.also), (Against::Golden, vec![]));
                    assert_ne!(found.expected, found.seen);
                }
            }
        }
    }
    assert_eq!(bits, 1 + 1 + 4 + 2 + 16 + 4, "every output bit of 4-bit connections was tried");
}

#[test]
fn a_difference_says_where_and_what() {
    let config = small();
    let ack = Entry::op(SelectorOp { kind: 1, conn: 5, ev: 0x1234, ..SelectorOp::default() });
    let send = Entry { idle: 3, ..Entry::op(SelectorOp { conn: 5, ..SelectorOp::default() }) };
    let cycle = RESET_EDGES + u64::from(CLEARING) + 1 + 3 + u64::from(LATENCY);
    let run = run_fake(&config, wrong("res_ev", 4, cycle), [ack, send].into_iter(), u64::MAX);
    let found = run.difference.unwrap();
    assert_eq!(
        found,
        Difference {
            cycle,
            against: Against::Golden,
            expects_of: "a send",
            port: "res_ev".into(),
            expected: "16'h1234".into(),
            seen: "16'h1224".into(),
            also: vec![],
            connection: Some(5),
            entry: Some(1),
        }
    );
    assert_eq!((run.cycles, run.entries), (cycle, 2));
}

#[test]
fn ready_and_results_a_cycle_early_or_late_are_found_at_once() {
    let ready = RESET_EDGES + u64::from(CLEARING);
    for (fault, cycle, port) in [
        (Fault::ReadyLate(1), Some(ready), "op_ready"),
        (Fault::ReadyLate(-1), Some(ready - 1), "op_ready"),
        (Fault::Late(1), None, "res_valid"),
        (Fault::Late(-1), None, "res_valid"),
    ] {
        let ops = [0, 0, 0].map(|conn| Entry::op(SelectorOp { conn, ..SelectorOp::default() }));
        let found = run_fake(&small(), fault, ops.into_iter(), u64::MAX).difference.unwrap();
        assert_eq!(found.port, port, "{fault:?}");
        let result = ready + u64::from(LATENCY) - u64::from(fault == Fault::Late(-1));
        assert_eq!(found.cycle, cycle.unwrap_or(result), "{fault:?}");
    }
}

#[test]
fn what_a_reset_must_do_is_tested_by_random_runs() {
    for fault in [Fault::KeepsPipeline, Fault::KeepsConnections, Fault::KeepsSeed] {
        let found = difference(fault);
        assert!(
            found.cycle > 1000,
            "{fault:?} shows at the first reset within the run, not at {}",
            found.cycle
        );
        let (_, entries) = shrunken(&small(), fault, random(&small(), 1));
        assert!(entries.iter().any(|entry| matches!(entry.event, Event::Reset { .. })), "{fault:?}");
        assert!(entries.len() <= 8, "{fault:?}: {entries:?}");
    }
}

#[test]
fn simple_faults_shrink_to_a_few_ops() {
    for (fault, most) in [
        (Fault::IgnoresValid, 2),
        (Fault::IgnoresEcn, 1),
        (Fault::IgnoresInit, 3),
        (Fault::IgnoresNow, 8),
        (Fault::Alias(8), 2),
        (Fault::FourSends { from: 0 }, 4),
    ] {
        let (_, entries) = shrunken(&small(), fault, random(&small(), 2));
        assert!(entries.len() <= most, "{fault:?}: {} entries, {entries:#?}", entries.len());
    }
}

#[test]
fn a_fault_between_connections_shrinks_from_the_ops_of_all() {
    let config = small();
    // connection 15 is the fake's own
    let knobs = Knobs { connections: 15, ops_per_reset: 0, ..Knobs::new(16) };
    let (_, entries) = shrunken(&config, Fault::StepsAlways, stream(4, &knobs, &config));
    assert!(entries.len() <= 3, "{entries:#?}");
}

#[test]
fn a_failure_after_many_ops_shrinks_from_the_last_ones() {
    let config = config(&[]);
    let stimulus = stream(5, &Knobs { ops_per_reset: 0, ..Knobs::new(256) }, &config);
    // the device that the shrinker gets counts its ops anew
    let failed = run_fake(&config, Fault::FourSends { from: 3_000_000 }, stimulus.clone(), 20_000_000);
    assert!(failed.entries > 3_000_000);
    let fault = Fault::FourSends { from: 0 };
    let reproducer = reproduced(&config, fault, &failed, given(stimulus.clone()));
    assert_eq!(reproducer.shrunken.map(|entries| entries.len()), Some(4));
    let connection = failed.difference.as_ref().unwrap().connection;
    assert!(reproducer.last_ops.len() == 16);
    assert!(reproducer.last_ops.iter().all(|entry| match entry.event {
        Event::Op(op) => Some(u32::from(op.conn)) == connection,
        Event::Reset { .. } => true,
    }));
    // and where no end within reach fails from reset, the search says so instead of going on
    let reproducer = reproduced(&config, Fault::None, &failed, given(stimulus));
    assert_eq!(reproducer.shrunken, None);
}

#[test]
fn a_failure_at_the_first_ops_or_before_any_shrinks_too() {
    let ready = RESET_EDGES + u64::from(CLEARING);
    for (fault, entries, lines) in [
        // a trace has one op at least, whatever the failure needs
        (wrong("res_valid", 0, 1), 0, 1),
        (wrong("op_ready", 0, ready), 1, 1),
        (wrong("res_ev", 0, ready + u64::from(LATENCY)), 6, 1),
    ] {
        let ops = || std::iter::repeat_n(Entry::op(SelectorOp::default()), 100);
        let failed = run_fake(&small(), fault, ops(), u64::MAX);
        assert_eq!(failed.entries, entries, "{fault:?}");
        let reproducer = reproduced(&small(), fault, &failed, given(ops()));
        assert_eq!(reproducer.shrunken.map(|entries| entries.len()), Some(lines), "{fault:?}");
    }
}

#[test]
fn an_error_while_shrinking_is_handed_on() {
    let failed = run_fake(&small(), Fault::IgnoresEcn, random(&small(), 2), 1_000_000);
    let broken = || if failed.cycles == 0 { Ok(device(&small(), Fault::None)) } else { Err("no device") };
    let error = reproduce(&manifest(&small()), &failed, given(random(&small(), 2)), broken);
    assert_eq!(error.unwrap_err(), "no device");
}

const SEND: u8 = 0;
const ACK: u8 = 1;
const INIT: u8 = 4;

/// What a line expects: a word, and for `cached` the EV.
type Expect = (&'static str, &'static [(&'static str, u64)]);

const EXPLORE: Expect = ("explore", &[]);

/// A trace: ops of connection 3 with what they want.
fn trace(lines: &[(u8, u16, Option<Expect>)]) -> Ops<SelectorOp> {
    let line = |(kind, ev, expect): &(u8, u16, Option<Expect>)| {
        let expect = expect.map(|(word, values)| Box::new(Expectation::of(RepsCore::CONTRACT, word, values)));
        let op = SelectorOp { kind: *kind, conn: 3, ev: *ev, ..SelectorOp::default() };
        Line { expect, ..Line::op(0, op) }
    };
    let trace = OpTrace { lines: lines.iter().map(line).collect(), ..OpTrace::default() };
    trace.ops(RepsCore::CONTRACT, &Settings::default(), &small())
}

#[test]
fn what_a_trace_expects_is_held_against_the_results() {
    let right = trace(&[
        (SEND, 0, Some(EXPLORE)),
        (ACK, 77, None),
        (SEND, 0, Some(("cached", &[("res_ev", 77)]))),
        (SEND, 0, Some(EXPLORE)),
    ]);
    assert_eq!(run_given(&small(), Fault::None, given_trace(&right), u64::MAX).difference, None);
    let wanted: [(Expect, &str, &str); 6] = [
        (("cached", &[("res_ev", 78)]), "cached 78", "recycle 77"),
        (EXPLORE, "explore", "recycle 77"),
        (("replay", &[("res_ev", 77)]), "replay 77", "recycle 77"),
        (("recycle", &[("res_ev", 76)]), "recycle 76", "recycle 77"),
        (
            ("recycle", &[("res_ev", 77), ("ev_cached", 1)]),
            "recycle ev 77, ev_cached 1",
            "recycle ev 77, ev_cached 0",
        ),
        (("explore", &[("freeze_left", 1)]), "explore freeze_left 1", "recycle freeze_left 0, ev 77"),
    ];
    for (wanted, expected, seen) in wanted {
        let wrong = trace(&[
            (ACK, 5, None),
            (INIT, 0, None),
            (SEND, 0, Some(EXPLORE)),
            (ACK, 77, None),
            (SEND, 0, Some(wanted)),
            (SEND, 0, None),
        ]);
        let failed = run_given(&small(), Fault::None, given_trace(&wrong), u64::MAX);
        let found = failed.difference.clone().unwrap();
        assert_eq!((found.against, found.port.as_str()), (Against::Trace, "expect"));
        assert_eq!((found.expected.as_str(), found.seen.as_str()), (expected, seen));
        assert_eq!((found.connection, found.entry), (Some(3), Some(4)));
        let kept = reproduced(&small(), Fault::None, &failed, given_trace(&wrong)).shrunken.unwrap();
        assert_eq!(kept.len(), 5, "the connection's ops up to the send");
        let kept = Ops { entries: kept, ..wrong };
        let again = run_given(&small(), Fault::None, given_trace(&kept), u64::MAX).difference.unwrap();
        assert_eq!((again.against, again.entry), (Against::Trace, Some(4)));
    }
}

#[test]
fn a_core_that_is_wrong_is_reported_against_golden_before_the_trace() {
    let unmet = trace(&[(SEND, 0, Some(("cached", &[("res_ev", 1)])))]);
    let cycle = RESET_EDGES + u64::from(CLEARING) + u64::from(LATENCY);
    let run = run_given(&small(), wrong("res_ev", 0, cycle), given_trace(&unmet), u64::MAX);
    assert_eq!(run.difference.unwrap().against, Against::Golden);
    let run = run_given(&small(), Fault::None, given_trace(&unmet), u64::MAX);
    assert_eq!(run.difference.map(|found| (found.against, found.cycle)), Some((Against::Trace, cycle)));
}

#[test]
fn a_trace_of_entries_is_read_back_as_the_same_entries() {
    for sets in [&["connections=16"][..], &["connections=64", "reps.time_bits=16"]] {
        let config = config(sets);
        let mut entries: Vec<_> = random(&config, 6).take(20_000).collect();
        let mut expectations = Vec::new();
        for entry in entries.iter_mut().step_by(7) {
            if let Event::Op(op) = &mut entry.event
                && op.kind == SEND
            {
                let cached = [("res_ev", u64::from(op.ev))];
                let (word, values) = if op.ecn { ("explore", &[][..]) } else { ("cached", &cached[..]) };
                expectations.push(Expectation::of(RepsCore::CONTRACT, word, values));
                entry.expect = expectations.len() as u32;
            }
        }
        let trace = OpTrace::of_entries(RepsCore::CONTRACT, &entries, &expectations);
        let mut text = Vec::new();
        trace.format(RepsCore::CONTRACT, &mut text).unwrap();
        let read = OpTrace::<SelectorOp>::parse(&text[..], "t.csv", RepsCore::CONTRACT, &config).unwrap();
        let again = read.ops(RepsCore::CONTRACT, &read.settings, &config);
        assert_eq!(again.entries, entries);
        assert_eq!(again.expectations, expectations);
        let resets = entries.iter().filter(|entry| matches!(entry.event, Event::Reset { .. })).count();
        assert!(resets > 10 && expectations.len() > 500);
    }
}
