//! Long runs: blocks of rows, two threads, and devices that stop.

use std::time::Duration;

use respray_cosim::ahead::BLOCKS_IN_TURN;
use respray_cosim::cores::reps::RepsCore;
use respray_cosim::cores::selector::{Knobs, RandomOps, SelectorCore};
use respray_cosim::lockstep::compare::{Against, Difference};
use respray_cosim::lockstep::op_core::{OpCore, Taken};
use respray_cosim::lockstep::rows::Device;
use respray_cosim::lockstep::run::{
    BLOCK_CYCLES, Given, Limit, Listeners, PROGRESS_CYCLES, Run, SeenRow, run_heard, run_in_turn_first,
};
use respray_cosim::report::Differing;
use respray_cosim::traffic::random::Knobs as _;
use respray_cosim::traffic::stimulus::{Entries, Entry, Event, Expectation};
use respray_golden::reps::Reps;
use respray_hdl::config::Config;
use respray_hdl::cores::selector::SelectorOp;

use crate::device::selector::{Fault, device, manifest};
use crate::device::{Flip, place};

/// The first blocks that are made in turn with their run: all, none, some, and as many as a run makes so.
const IN_TURN: [usize; 4] = [usize::MAX, 0, 3, BLOCKS_IN_TURN];

fn config() -> Config {
    Config::load(None, &["connections=16".to_string(), "reps.depth=4".to_string()]).unwrap()
}

fn random(seed: u64) -> RandomOps {
    RandomOps::new(
        seed,
        &Knobs { ops_per_reset: 2000, ..Knobs::new(16) },
        RepsCore::CONTRACT,
        None,
        &config(),
    )
}

/// All that a run came to: cycles, entries, counts, difference.
type Came = (u64, u64, Vec<(&'static str, u64)>, Taken, Option<Difference>);

fn came(in_turn: usize, mut device: impl Device, given: Given<'_, SelectorOp>, cycles: u64) -> Came {
    let run = run_in_turn_first::<SelectorCore<Reps>, _>(
        &manifest(&config()),
        &mut device,
        given,
        cycles,
        in_turn,
        &mut |_| {},
    );
    (run.cycles, run.entries, run.core.counts(&run.taken), run.taken, run.difference)
}

fn given<'a>(entries: impl Iterator<Item = Entry<SelectorOp>> + Clone + Send + 'a) -> Given<'a, SelectorOp> {
    Given { entries: Entries::new(entries), expectations: &[], seed: 7 }
}

#[test]
fn a_run_on_two_threads_comes_to_what_one_in_turn_does() {
    for fault in [Fault::None, Fault::FourSends { from: 200_000 }, Fault::KeepsSeed] {
        let [first, others @ ..] =
            IN_TURN.map(|in_turn| came(in_turn, device(&config(), fault), given(random(1)), 600_000));
        others.iter().for_each(|other| assert_eq!(*other, first, "{fault:?}"));
        let (cycles, _, _, _, difference) = first;
        assert_eq!(difference.is_some(), fault != Fault::None, "{fault:?}");
        if let Fault::FourSends { from } = fault {
            assert!(cycles > from, "{fault:?} is found by the second thread, not at {cycles}");
        }
    }
}

#[test]
fn a_stimulus_ends_in_the_same_cycle_on_two_threads() {
    for entries in [0, 1, 5, 300, 512, 40_000, 150_001] {
        let entries = random(2).take(entries);
        let [first, others @ ..] = IN_TURN
            .map(|in_turn| came(in_turn, device(&config(), Fault::None), given(entries.clone()), u64::MAX));
        others.iter().for_each(|other| assert_eq!(*other, first));
        assert_eq!(first.4, None);
        assert_eq!(first.1, entries.count() as u64);
    }
}

#[test]
fn a_run_takes_the_cycles_that_it_is_given_and_hears_of_them() {
    for cycles in [0, 1, 511, 512, 513, 16_384, 16_385, PROGRESS_CYCLES, 2 * PROGRESS_CYCLES + 77] {
        for in_turn in IN_TURN {
            let mut heard = Vec::new();
            let run = run_in_turn_first::<RepsCore, _>(
                &manifest(&config()),
                &mut device(&config(), Fault::None),
                given(random(3)),
                cycles,
                in_turn,
                &mut |cycles| heard.push(cycles),
            );
            assert_eq!((run.cycles, run.difference), (cycles, None));
            let mut wanted: Vec<u64> = (1..=cycles / PROGRESS_CYCLES).map(|n| n * PROGRESS_CYCLES).collect();
            wanted.extend((cycles % PROGRESS_CYCLES > 0).then_some(cycles));
            assert_eq!(heard, wanted, "{cycles} cycles, {in_turn} in turn");
        }
    }
}

#[test]
fn a_device_that_stops_ends_the_run_with_its_last_cycle() {
    let block = BLOCK_CYCLES as u64;
    for cycles in [0, 1, block - 1, block, block + 1, 1000, 20_000, 200_123] {
        // what was counted is that of a run of just so many cycles
        let wanted = came(usize::MAX, device(&config(), Fault::None), given(random(4)), cycles);
        for in_turn in IN_TURN {
            let stopping = device(&config(), Fault::None).stopping_after(cycles);
            assert_eq!(came(in_turn, stopping, given(random(4)), 600_000), wanted, "{cycles}, {in_turn}");
        }
    }
}

#[test]
fn a_difference_before_a_device_stops_is_found_and_one_behind_it_is_not() {
    let flip = Flip { cycle: 30_100, place: place(RepsCore::CONTRACT, "res_valid"), bit: 0 };
    for in_turn in IN_TURN {
        for (stop, is_found) in [(30_100, false), (30_101, true), (30_200, true)] {
            let stopping = device(&config(), Fault::Bit(flip)).stopping_after(stop);
            let (cycles, _, _, _, difference) = came(in_turn, stopping, given(random(4)), 600_000);
            assert_eq!(difference.map(|found| found.cycle), is_found.then_some(30_100));
            assert_eq!(cycles, 30_100);
        }
    }
}

/// A random stream whose first send behind `from` entries expects a kind that no send has.
fn unmet(from: usize) -> (Vec<Entry<SelectorOp>>, Vec<Expectation>, u64) {
    let mut entries: Vec<_> = random(5).take(from + 100_000).collect();
    let is_send = |entry: &Entry<SelectorOp>| matches!(entry.event, Event::Op(op) if op.kind == 0);
    let at = from + entries[from..].iter().position(is_send).unwrap();
    let kind = place(RepsCore::CONTRACT, "res_kind") - 1;
    // and one behind it, which nobody gets to
    for entry in entries[at..].iter_mut().filter(|entry| is_send(entry)).take(2) {
        entry.expect = 1;
    }
    (entries, vec![Expectation { word: None, values: vec![(kind, 3)] }], at as u64)
}

#[test]
fn what_a_trace_expects_in_vain_late_in_a_run_is_found_on_two_threads() {
    for from in [5, 3_000, 100_000] {
        let (entries, expectations, at) = unmet(from);
        let given =
            || Given { entries: Entries::new(entries.iter().copied()), expectations: &expectations, seed: 7 };
        let run = |in_turn, fault| came(in_turn, device(&config(), fault), given(), u64::MAX);
        let [first, others @ ..] = IN_TURN.map(|in_turn| run(in_turn, Fault::None));
        others.iter().for_each(|other| assert_eq!(*other, first, "from {from}"));
        let found = first.4.expect("no send has that kind");
        assert_eq!((found.against, found.entry, found.cycle), (Against::Trace, Some(at), first.0));
        assert_eq!((found.port.as_str(), found.expected.as_str()), ("expect", "res_kind 3"));
        // the core is held against the golden model first: before that cycle and in it, and not behind it
        let wrong = |cycle| Fault::Bit(Flip { cycle, place: place(RepsCore::CONTRACT, "res_valid"), bit: 0 });
        for in_turn in IN_TURN {
            for (cycle, against) in [
                (found.cycle - 1, Against::Golden),
                (found.cycle, Against::Golden),
                (found.cycle + 1, Against::Trace),
            ] {
                let difference = run(in_turn, wrong(cycle)).4.unwrap();
                let wanted = (against, cycle.min(found.cycle));
                assert_eq!((difference.against, difference.cycle), wanted, "from {from}");
            }
        }
    }
}

/// A run that goes on behind its first difference.
fn kept_going(
    in_turn: usize,
    mut device: impl Device,
    given: Given<'_, SelectorOp>,
    limit: impl Into<Limit>,
) -> (Run<SelectorCore<Reps>>, u64) {
    let mut rows = 0;
    let mut hear = |row: &SeenRow<'_>| {
        assert_eq!(row.cycle, rows);
        rows += 1;
    };
    let mut listeners = Listeners { progress: &mut |_| {}, row: Some(&mut hear), keeps_going: true };
    let run = run_heard(&manifest(&config()), &mut device, given, limit, in_turn, &mut listeners);
    (run, rows)
}

#[test]
fn a_run_that_keeps_going_counts_what_differs_up_to_its_end() {
    let flip = Flip { cycle: 30_100, place: place(RepsCore::CONTRACT, "res_valid"), bit: 0 };
    let faulty = || device(&config(), Fault::Bit(flip));
    let stopped = came(usize::MAX, faulty(), given(random(4)), 60_000);
    let passed = came(usize::MAX, device(&config(), Fault::None), given(random(4)), 60_000);
    for in_turn in IN_TURN {
        let (run, rows) = kept_going(in_turn, faulty(), given(random(4)), 60_000);
        assert_eq!((run.cycles, rows, run.differing.cycles), (60_000, 60_000, 1));
        assert_eq!(run.differing.ports, [("res_valid".to_string(), 1)].into());
        // the first difference is that of a run which stops there, and the counts are those of the whole run
        assert_eq!((run.entries, &run.difference), (stopped.1, &stopped.4));
        assert_eq!(run.core.counts(&run.taken), passed.2);
        let (run, _) = kept_going(in_turn, device(&config(), Fault::None), given(random(4)), 60_000);
        assert_eq!((run.entries, run.difference, run.differing), (passed.1, None, Differing::default()));
    }
}

#[test]
fn a_run_that_keeps_going_counts_what_a_trace_expects_in_vain() {
    let (entries, expectations, at) = unmet(3_000);
    let given =
        || Given { entries: Entries::new(entries.iter().copied()), expectations: &expectations, seed: 7 };
    for in_turn in IN_TURN {
        let (run, rows) = kept_going(in_turn, device(&config(), Fault::None), given(), u64::MAX);
        assert_eq!(run.differing.ports, [("expect".to_string(), 2)].into());
        assert_eq!((run.differing.cycles, rows), (2, run.cycles));
        let first = run.difference.expect("both are differences");
        assert_eq!((first.against, first.entry), (Against::Trace, Some(at)));
        assert!(run.cycles > first.cycle + 50_000);
    }
}

#[test]
fn a_limit_of_time_ends_a_run_with_a_block_which_its_cycles_repeat() {
    let limit = |time| Limit { cycles: 600_000, time };
    for (time, cycles) in
        [(Some(Duration::ZERO), BLOCK_CYCLES as u64), (Some(Duration::MAX), 600_000), (None, 600_000)]
    {
        for in_turn in IN_TURN {
            let mut listeners = Listeners { progress: &mut |_| {}, row: None, keeps_going: false };
            let (manifest, mut right) = (manifest(&config()), device(&config(), Fault::None));
            let run: Run<SelectorCore<Reps>> =
                run_heard(&manifest, &mut right, given(random(3)), limit(time), in_turn, &mut listeners);
            assert_eq!((run.cycles, run.difference), (cycles, None));
            let same = came(in_turn, device(&config(), Fault::None), given(random(3)), cycles);
            assert_eq!(
                (run.entries, run.core.counts(&run.taken)),
                (same.1, same.2),
                "it is repeated by cycles"
            );
        }
    }
}
