use std::convert::Infallible;

use respray_hdl::config::Config;

use super::compare::{Against, Difference};
use super::core::{Core, Entry, Event, VerilatedCore};
use super::fake::{CLEARING, Fake, Fault, LATENCY, sides};
use super::reproduce::{Reproducer, reproduce};
use super::reps::{RepsCore, RepsCounts, RepsOp};
use super::run::{RESET_EDGES, Run, run};
use crate::traffic::optrace::reps::{Expect, Row, RowOp, Settings, Trace};
use crate::traffic::random::Knobs as _;
use crate::traffic::random::reps::{Knobs, RandomOps};

fn config(sets: &[&str]) -> Config {
    let sets: Vec<String> = sets.iter().map(|set| set.to_string()).collect();
    Config::load(None, &sets).unwrap()
}

fn small() -> Config {
    config(&["connections=16", "reps.depth=4"])
}

fn random(config: &Config, seed: u64) -> RandomOps {
    let knobs = Knobs { ops_per_reset: 2000, ..Knobs::new(config.connections) };
    RandomOps::new(seed, &knobs, config.selector.time_bits)
}

fn run_fake(
    config: &Config,
    fault: Fault,
    stimulus: impl Iterator<Item = Entry<RepsOp>>,
    cycles: u64,
) -> Run<RepsCounts> {
    let (mut core, mut device) = sides(config, fault);
    run(&mut core, &mut device, stimulus, 7, cycles, &mut |_| {})
}

fn difference(fault: Fault) -> Difference {
    run_fake(&small(), fault, random(&small(), 1), 2_000_000).difference.expect("the fault is found")
}

/// The trace that the shrinker makes of a fault, which still fails when it is run by itself.
fn shrunken(config: &Config, fault: Fault, stimulus: RandomOps) -> (Run<RepsCounts>, Vec<Entry<RepsOp>>) {
    let failed = run_fake(config, fault, stimulus.clone(), 20_000_000);
    assert!(failed.difference.is_some(), "{fault:?} was not found");
    let fresh = || Ok::<_, Infallible>(sides(config, fault));
    let reproducer = reproduce::<_, Fake, _>(&failed, stimulus, 7, fresh).unwrap();
    let entries = reproducer.shrunken.expect("an end of the run fails from reset");
    let again = run_fake(config, fault, entries.iter().copied(), u64::MAX);
    assert_eq!(again.difference.expect("fails again").against, Against::Golden);
    let fixed = run_fake(config, Fault::None, entries.iter().copied(), u64::MAX);
    assert_eq!(fixed.difference, None, "without the fault, it passes");
    (failed, entries)
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
        let (mut core, mut device) = sides(&config, Fault::None);
        let run =
            run(&mut core, &mut device, random(&config, 3), 7, 600_000, &mut |cycles| heard.push(cycles));
        assert_eq!(run.difference, None, "{sets:?}");
        assert_eq!(run.cycles, 600_000);
        assert_eq!(heard, [1 << 18, 1 << 19, 600_000]);
        let counts = run.counts;
        assert_eq!(counts.sends, counts.explore + counts.recycle + counts.replay);
        assert!(counts.ops > 300_000 && counts.reset_edges > 100, "{counts:?}");
        for count in [counts.explore, counts.recycle, counts.replay, counts.evs_cached, counts.evs_dropped] {
            assert!(count > 1000, "{sets:?}: {counts:?}");
        }
        assert!(counts.freezes_entered > 100 && counts.freezes_left > 50, "{sets:?}: {counts:?}");
    }
}

#[test]
fn a_wrong_bit_is_found_in_every_output_and_only_where_it_is_promised() {
    let config = small();
    let send = |conn| Entry::op(RepsOp { conn, ..RepsOp::default() });
    let ack = |conn, ev| Entry::op(RepsOp { kind: 1, conn, ev, ..RepsOp::default() });
    let trace = [ack(5, 0x1234), send(5), Entry::op(RepsOp { kind: 6, ..RepsOp::default() })];
    let first = RESET_EDGES + u64::from(CLEARING) + u64::from(LATENCY);
    let (core, _) = sides(&config, Fault::None);
    let layout = core.layout().to_vec();
    let port = |bit: u32| {
        layout.iter().find(|field| (field.offset..field.offset + field.width).contains(&bit)).unwrap().port
    };
    let run =
        |cycle, bit| run_fake(&config, Fault::Bit { cycle, bit }, trace.into_iter(), u64::MAX).difference;
    let mut bits = 0;
    for field in &layout {
        for bit in field.offset..field.offset + field.width {
            bits += 1;
            // before the first reset nothing is promised
            assert_eq!(run(0, bit), None);
            let conn = field.port == "res_conn";
            let with_send = conn || ["res_kind", "res_ev"].contains(&field.port);
            for (cycle, promised) in [
                (1, !with_send),
                (first - 1, !with_send),
                (first, conn || !with_send),
                (first + 1, true),
                (first + 2, !with_send),
                (first + 10, !with_send),
            ] {
                let found = run(cycle, bit);
                assert_eq!(found.is_some(), promised, "{} at {cycle}", field.port);
                if let Some(found) = found {
                    assert_eq!((found.cycle, found.port.as_str()), (cycle, port(bit)));
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
    let ack = Entry::op(RepsOp { kind: 1, conn: 5, ev: 0x1234, ..RepsOp::default() });
    let send = Entry { idle: 3, ..Entry::op(RepsOp { conn: 5, ..RepsOp::default() }) };
    let cycle = RESET_EDGES + u64::from(CLEARING) + 1 + 3 + u64::from(LATENCY);
    let run = run_fake(&config, Fault::Bit { cycle, bit: 12 }, [ack, send].into_iter(), u64::MAX);
    let found = run.difference.unwrap();
    assert_eq!(
        found,
        Difference {
            cycle,
            against: Against::Golden,
            wished: "a send",
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
        let ops = [0, 0, 0].map(|conn| Entry::op(RepsOp { conn, ..RepsOp::default() }));
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
    let (_, entries) = shrunken(&config, Fault::StepsAlways, RandomOps::new(4, &knobs, 32));
    assert!(entries.len() <= 3, "{entries:#?}");
}

#[test]
fn a_failure_after_many_ops_shrinks_from_the_last_ones() {
    let config = config(&[]);
    let stimulus = RandomOps::new(5, &Knobs { ops_per_reset: 0, ..Knobs::new(256) }, 32);
    // the device that the shrinker gets counts its ops anew
    let failed = run_fake(&config, Fault::FourSends { from: 3_000_000 }, stimulus.clone(), 20_000_000);
    assert!(failed.entries > 3_000_000);
    let fresh = || Ok::<_, Infallible>(sides(&config, Fault::FourSends { from: 0 }));
    let reproducer = reproduce::<_, Fake, _>(&failed, stimulus.clone(), 7, fresh).unwrap();
    assert_eq!(reproducer.shrunken.map(|entries| entries.len()), Some(4));
    let connection = failed.difference.as_ref().unwrap().connection;
    assert!(reproducer.last_ops.len() == 16);
    assert!(reproducer.last_ops.iter().all(|entry| match entry.event {
        Event::Op(op) => Some(u32::from(op.conn)) == connection,
        Event::Reset { .. } => true,
    }));
    // and where no end within reach fails from reset, the search says so instead of going on
    let never = || Ok::<_, Infallible>(sides(&config, Fault::None));
    let reproducer = reproduce::<_, Fake, _>(&failed, stimulus, 7, never).unwrap();
    assert_eq!(reproducer.shrunken, None);
}

#[test]
fn a_failure_at_the_first_ops_or_before_any_shrinks_too() {
    let ready = RESET_EDGES + u64::from(CLEARING);
    for (cycle, bit, entries, lines) in
        [(1, 1, 0, 0), (ready, 0, 1, 0), (ready + u64::from(LATENCY), 8, 6, 1)]
    {
        let fault = Fault::Bit { cycle, bit };
        let ops = || std::iter::repeat_n(Entry::op(RepsOp::default()), 100);
        let failed = run_fake(&small(), fault, ops(), u64::MAX);
        assert_eq!(failed.entries, entries, "{fault:?}");
        let fresh = || Ok::<_, Infallible>(sides(&small(), fault));
        let reproducer = reproduce::<_, Fake, _>(&failed, ops(), 7, fresh).unwrap();
        assert_eq!(reproducer.shrunken.map(|entries| entries.len()), Some(lines), "{fault:?}");
    }
}

#[test]
fn an_error_while_shrinking_is_handed_on() {
    let failed = run_fake(&small(), Fault::IgnoresEcn, random(&small(), 2), 1_000_000);
    let broken = || Err::<(RepsCore, Fake), _>("no device");
    let error: Result<Reproducer<RepsOp>, _> = reproduce(&failed, random(&small(), 2), 7, broken);
    assert_eq!(error.unwrap_err(), "no device");
}

/// A trace: ops of connection 3 with what they want.
fn trace(rows: &[(RowOp, u16, Option<Expect>)]) -> Vec<Entry<RepsOp>> {
    let row = |(op, ev, expect): &(RowOp, u16, Option<Expect>)| Row {
        op: *op,
        conn: 3,
        ev: Some(*ev),
        expect: *expect,
        ..Row::default()
    };
    let rows: Vec<Row> = rows.iter().map(row).collect();
    RepsCore::entries(&rows, &Settings::default(), &small())
}

#[test]
fn what_a_trace_expects_is_held_against_the_results() {
    use Expect::{Cached, Explore};
    use RowOp::{Ack, Init, Send};
    let right = trace(&[
        (Send, 0, Some(Explore)),
        (Ack, 77, None),
        (Send, 0, Some(Cached(77))),
        (Send, 0, Some(Explore)),
    ]);
    assert_eq!(run_fake(&small(), Fault::None, right.into_iter(), u64::MAX).difference, None);
    for (wanted, expected, seen) in
        [(Cached(78), "cached 78", "recycle 77"), (Explore, "explore", "recycle 77")]
    {
        let wrong = trace(&[
            (Ack, 5, None),
            (Init, 0, None),
            (Send, 0, Some(Explore)),
            (Ack, 77, None),
            (Send, 0, Some(wanted)),
            (Send, 0, None),
        ]);
        let failed = run_fake(&small(), Fault::None, wrong.iter().copied(), u64::MAX);
        let found = failed.difference.clone().unwrap();
        assert_eq!((found.against, found.port.as_str()), (Against::Trace, "expect"));
        assert_eq!((found.expected.as_str(), found.seen.as_str()), (expected, seen));
        assert_eq!((found.connection, found.entry), (Some(3), Some(4)));
        let fresh = || Ok::<_, Infallible>(sides(&small(), Fault::None));
        let kept = reproduce::<_, Fake, _>(&failed, wrong.into_iter(), 7, fresh).unwrap().shrunken.unwrap();
        assert_eq!(kept.len(), 5, "the connection's ops up to the send");
        let again = run_fake(&small(), Fault::None, kept.into_iter(), u64::MAX).difference.unwrap();
        assert_eq!((again.against, again.entry), (Against::Trace, Some(4)));
    }
}

#[test]
fn a_core_that_is_wrong_is_reported_against_golden_before_the_trace() {
    let wrong = trace(&[(RowOp::Send, 0, Some(Expect::Cached(1)))]);
    let cycle = RESET_EDGES + u64::from(CLEARING) + u64::from(LATENCY);
    let run = run_fake(&small(), Fault::Bit { cycle, bit: 8 }, wrong.into_iter(), u64::MAX);
    assert_eq!(run.difference.unwrap().against, Against::Golden);
}

#[test]
fn a_trace_of_entries_is_read_back_as_the_same_entries() {
    for sets in [&["connections=16"][..], &["connections=64", "reps.time_bits=16"]] {
        let config = config(sets);
        let mut entries: Vec<_> = random(&config, 6).take(20_000).collect();
        for entry in entries.iter_mut().step_by(7) {
            if let Event::Op(op) = &mut entry.event
                && op.kind == 0
            {
                op.expect = if op.ecn { Some(Expect::Explore) } else { Some(Expect::Cached(op.ev)) };
            }
        }
        let trace = RepsCore::trace(&entries);
        let mut text = Vec::new();
        trace.format(&mut text).unwrap();
        let read = Trace::parse(&text[..], "t.csv", &RepsCore::limits(&config)).unwrap();
        let again = RepsCore::entries(&read.rows, &read.settings, &config);
        assert_eq!(again, entries);
        let resets = entries.iter().filter(|entry| matches!(entry.event, Event::Reset { .. })).count();
        assert!(resets > 10);
    }
}
