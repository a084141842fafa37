//! Invariants of the REPS model on random op streams, and proof that the checks can fail.
//!
//! The checker keeps per connection only what an observer outside can know: the EVs cached, in order, which of them
//! were handed out since, and when freezing began and ended. It shares no code with the model.

use std::collections::VecDeque;

use proptest::prelude::*;
use respray_golden::reps::{
    Connection, EV_CACHED, EV_DROPPED, FREEZE_ENTERED, FREEZE_LEFT, Keys, Params, Reps, Variant,
};
use respray_golden::selector::{Engine, Op, OpKind, Outcome, Selector, SendKind, SendResult};

/// What an observer knows of one connection.
#[derive(Clone, Debug, Default)]
struct Observed {
    /// The ring's EVs, the one to be overwritten next first if the ring is full; at most `depth`.
    ring: VecDeque<u16>,
    /// EVs written since the ring was last empty.
    written: usize,
    /// How many of the ring's newest EVs were not handed out since.
    fresh: usize,
    /// Slot whose turn it is to be replayed.
    turn: usize,
    freezing: bool,
    frozen_until: u32,
    to_explore: u8,
}

struct Checker {
    params: Params,
    observed: Vec<Observed>,
}

type Verdict = Result<(), String>;

fn ensure(condition: bool, rule: &str) -> Verdict {
    if condition { Ok(()) } else { Err(rule.to_owned()) }
}

impl Checker {
    fn new(params: Params) -> Self {
        Checker { params, observed: vec![Observed::default(); params.connections as usize] }
    }

    fn check(&mut self, op: &Op, outcome: &Outcome, state: &Connection) -> Verdict {
        self.check_state(state)?;
        self.check_freezing(op, outcome)?;
        self.check_caching(op, outcome)?;
        self.check_sending(op, outcome)?;
        let seen = &self.observed[usize::from(op.conn)];
        ensure(usize::from(state.num_valid) == seen.fresh, "num_valid counts the fresh EVs")?;
        ensure(usize::from(state.num_cached) == seen.ring.len(), "num_cached counts the slots written")?;
        ensure(state.is_freezing == seen.freezing, "freezing changes with its events alone")?;
        ensure(state.explore_counter == seen.to_explore, "explore_counter counts explored packets alone")
    }

    fn check_state(&self, c: &Connection) -> Verdict {
        let depth = self.params.keys.depth;
        ensure(c.head < depth && c.num_valid <= c.num_cached && c.num_cached <= depth, "counts in range")?;
        for slot in 0..depth {
            let age = (c.head + depth - 1 - slot) % depth;
            let valid = c.is_valid[usize::from(slot)];
            ensure(valid == (age < c.num_valid), "valid entries are [head - num_valid, head)")?;
        }
        ensure(c.num_cached == depth || c.head == c.num_cached, "head is the count until the ring is full")?;
        ensure(c.replay == 0 || c.replay < c.num_cached, "the replay pointer names a slot written")?;
        ensure(!c.is_freezing || c.explore_counter == 0, "freezing only with explore_counter 0")?;
        ensure(c.cached_ev[usize::from(depth)..].iter().all(|&ev| ev == 0), "slots beyond depth are unused")
    }

    fn check_freezing(&mut self, op: &Op, outcome: &Outcome) -> Verdict {
        let seen = &mut self.observed[usize::from(op.conn)];
        let enters = op.kind == OpKind::Timeout && !seen.freezing && seen.to_explore == 0;
        ensure(outcome.has(FREEZE_ENTERED) == enters, "a timeout freezes unless freezing or exploring")?;
        if enters {
            seen.freezing = true;
            seen.frozen_until = op.now.wrapping_add(op.settings[0]);
        }
        let wrap = 1u64 << self.params.time_bits;
        let ahead = u64::from(op.now.wrapping_sub(seen.frozen_until)) % wrap;
        let feedback = match self.params.keys.variant {
            Variant::Paper => op.kind == OpKind::Ack && !op.ecn,
            Variant::Uet => matches!(op.kind, OpKind::Ack | OpKind::Nack | OpKind::Timeout),
        };
        let leaves = seen.freezing && feedback && (1..wrap / 2).contains(&ahead);
        ensure(outcome.has(FREEZE_LEFT) == leaves, "a freeze ends with the first feedback past its time")?;
        if leaves {
            seen.freezing = false;
            seen.to_explore = op.settings[1] as u8;
            if self.params.keys.variant == Variant::Uet {
                *seen = Observed { to_explore: op.settings[1] as u8, ..Observed::default() };
            }
        }
        if op.kind == OpKind::Init {
            *seen = Observed::default();
        }
        Ok(())
    }

    fn check_caching(&mut self, op: &Op, outcome: &Outcome) -> Verdict {
        let seen = &mut self.observed[usize::from(op.conn)];
        let depth = usize::from(self.params.keys.depth);
        let is_ack = op.kind == OpKind::Ack;
        ensure(
            outcome.has(EV_CACHED) == (is_ack && !op.ecn),
            "an ACK without ECN is cached, nothing else is",
        )?;
        ensure(outcome.has(EV_DROPPED) == (is_ack && op.ecn), "an ACK with ECN is dropped")?;
        if is_ack && !op.ecn {
            seen.ring.push_back(op.ev);
            if seen.ring.len() > depth {
                seen.ring.pop_front();
            }
            seen.fresh = (seen.fresh + 1).min(depth);
            seen.written += 1;
        }
        Ok(())
    }

    fn check_sending(&mut self, op: &Op, outcome: &Outcome) -> Verdict {
        let Params { ev_base, ev_bits, keys: Keys { depth, variant }, .. } = self.params;
        let seen = &mut self.observed[usize::from(op.conn)];
        ensure(outcome.result.is_some() == (op.kind == OpKind::Send), "sends alone have a result")?;
        let Some(SendResult { kind, ev }) = outcome.result else { return Ok(()) };
        let paper = variant == Variant::Paper;
        match kind {
            SendKind::Explore => {
                ensure(ev & !((1u32 << ev_bits) - 1) as u16 == ev_base, "a random EV is of the EV set")?;
                let nothing = if seen.freezing { seen.ring.is_empty() } else { seen.fresh == 0 };
                ensure(seen.to_explore > 0 || nothing, "no exploring with an EV to use")?;
                seen.to_explore = seen.to_explore.saturating_sub(1);
            }
            SendKind::Recycle => {
                ensure(seen.to_explore == 0, "exploring comes first")?;
                ensure(seen.fresh > 0, "each EV is recycled at most once per caching")?;
                ensure(paper || !seen.freezing, "uet never recycles while freezing")?;
                let oldest = seen.ring[seen.ring.len() - seen.fresh];
                ensure(ev == oldest, "recycled EVs come out oldest first")?;
                seen.fresh -= 1;
            }
            SendKind::Replay => {
                ensure(seen.freezing && seen.to_explore == 0, "replay while freezing alone")?;
                ensure(!paper || seen.fresh == 0, "the paper replays when nothing is fresh")?;
                let held = seen.ring.len();
                ensure(held > 0, "a slot never written is never replayed")?;
                if paper && held == usize::from(depth) {
                    let oldest = seen.ring[0];
                    seen.ring.rotate_left(1);
                    ensure(ev == oldest, "with the ring full, head is replayed and moves")?;
                } else {
                    // the i-th EV of the ring was the (written - held + i)-th since the ring was empty
                    let turn =
                        (0..held).find(|i| (seen.written - held + i) % usize::from(depth) == seen.turn);
                    ensure(turn.map(|i| seen.ring[i]) == Some(ev), "replay takes the slots in turn")?;
                    seen.turn = (seen.turn + 1) % held;
                }
            }
        }
        Ok(())
    }
}

/// A model that may be made wrong: `before` changes the op it executes, `after` what it shows.
#[derive(Clone, Copy)]
struct Fault {
    name: &'static str,
    before: fn(&mut Op, &Connection),
    after: fn(&Op, &Connection, &mut Outcome, &mut Connection),
}

const NONE: Fault = Fault { name: "none", before: |_, _| (), after: |_, _, _, _| () };

/// Turns raw numbers into ops: four connections, mostly sends and ACKs, unique EVs, times that wrap.
struct Ops {
    now: u32,
    next_ev: u16,
}

impl Ops {
    fn next(&mut self, raw: [u16; 3]) -> Op {
        let kind = match raw[0] % 64 {
            0..26 => OpKind::Send,
            26..50 => OpKind::Ack,
            50..53 => OpKind::Nack,
            53..60 => OpKind::Timeout,
            60 => OpKind::Init,
            61 => OpKind::Reserved,
            _ => OpKind::Send,
        };
        // mostly small steps; now and then most of half a turn of a 16-bit clock
        let step = if raw[1].is_multiple_of(101) { 30_000 } else { u32::from(raw[1] % 7) };
        self.now = self.now.wrapping_add(step);
        self.next_ev = self.next_ev.wrapping_add(1);
        // now and then so far ahead that it is past at once
        let freeze_timeout = if raw[2] >> 4 == 77 { 0xffff_9000 } else { u32::from(raw[2] >> 4) % 64 };
        let bdp_packets = u32::from(raw[2] >> 10) % 8;
        Op {
            kind,
            conn: raw[0] >> 14,
            ev: self.next_ev,
            ecn: raw[2].is_multiple_of(8),
            now: self.now,
            settings: [freeze_timeout, bdp_packets, 0, 0],
            more: 0,
        }
    }
}

/// Runs the model beside the checker; the number of ops of each send kind, or the first broken rule.
fn run(params: Params, raw: impl IntoIterator<Item = [u16; 3]>, fault: Fault) -> Result<[u32; 3], String> {
    let mut model = Engine::<Reps>::new(params);
    let mut checker = Checker::new(params);
    let mut ops = Ops { now: u32::MAX - 50, next_ev: 0 };
    let mut kinds = [0; 3];
    for (i, raw) in raw.into_iter().enumerate() {
        let op = ops.next(raw);
        let before = *model.connection(op.conn);
        let mut executed = op;
        (fault.before)(&mut executed, &before);
        let mut outcome = model.apply(&executed);
        let mut state = *model.connection(op.conn);
        (fault.after)(&op, &before, &mut outcome, &mut state);
        checker.check(&op, &outcome, &state).map_err(|rule| format!("op {i} {op:?}: {rule}"))?;
        if let Some(sent) = outcome.result {
            kinds[usize::from(sent.kind.code())] += 1;
        }
    }
    Ok(kinds)
}

fn params(variant: Variant, depth: u8, time_bits: u8) -> Params {
    Params { connections: 4, ev_base: 49152, ev_bits: 14, time_bits, seed: 7, keys: Keys { depth, variant } }
}

fn raw_ops(seed: u16, count: usize) -> impl Iterator<Item = [u16; 3]> {
    let mut rng = respray_golden::rng::Rng::seeded(seed, 64);
    (0..count).map(move |_| [rng.step(), rng.step(), rng.step()])
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 200, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn invariants_hold(
        raw in proptest::collection::vec(any::<[u16; 3]>(), 0..1500), uet: bool, depth in 0usize..4, short_time: bool,
    ) {
        let variant = if uet { Variant::Uet } else { Variant::Paper };
        let params = params(variant, [4, 8, 16, 32][depth], if short_time { 16 } else { 32 });
        prop_assert_eq!(run(params, raw, NONE).err(), None);
    }
}

#[test]
fn long_runs_hold_and_reach_every_kind_of_send() {
    for variant in [Variant::Paper, Variant::Uet] {
        for depth in [4, 8, 16, 32] {
            for time_bits in [16, 32] {
                let kinds = run(params(variant, depth, time_bits), raw_ops(depth.into(), 100_000), NONE);
                let kinds = kinds.unwrap_or_else(|e| panic!("{variant:?} depth {depth}: {e}"));
                assert!(kinds.iter().all(|&n| n > 1000), "{variant:?} depth {depth}: {kinds:?}");
            }
        }
    }
}

#[test]
fn each_event_stands_at_its_bit() {
    let events = [
        (EV_CACHED, "ev_cached"),
        (EV_DROPPED, "ev_dropped"),
        (FREEZE_ENTERED, "freeze_entered"),
        (FREEZE_LEFT, "freeze_left"),
    ];
    assert_eq!(Reps::EVENTS.len(), events.len());
    for (i, (bit, name)) in events.into_iter().enumerate() {
        assert_eq!((bit, name), (1 << i, Reps::EVENTS[i]));
    }
}

/// Each makes the model wrong in one way that a broken RTL could be.
const FAULTS: [Fault; 16] = [
    Fault { name: "ECN ignored", before: |op, _| op.ecn = false, ..NONE },
    Fault { name: "ECN inverted", before: |op, _| op.ecn ^= true, ..NONE },
    Fault { name: "one packet more to explore", before: |op, _| op.settings[1] += 1, ..NONE },
    Fault { name: "freeze a tick off", before: |op, _| op.settings[0] ^= 1, ..NONE },
    Fault { name: "wrong connection", before: |op, _| op.conn ^= op.ev % 2, ..NONE },
    Fault { name: "time without its top bit", before: |op, _| op.now &= 0x7fff, ..NONE },
    Fault {
        name: "timeout taken for a NACK while freezing",
        before: |op, c| {
            if op.kind == OpKind::Timeout && c.num_cached > 2 {
                op.kind = OpKind::Nack;
            }
        },
        ..NONE
    },
    Fault {
        name: "NACK taken for a timeout",
        before: |op, _| {
            if op.kind == OpKind::Nack {
                op.kind = OpKind::Timeout;
            }
        },
        ..NONE
    },
    Fault {
        name: "init of a freezing connection lost",
        before: |op, c| {
            if op.kind == OpKind::Init && c.is_freezing {
                op.kind = OpKind::Reserved;
            }
        },
        ..NONE
    },
    Fault {
        name: "EV off by one when the ring wraps",
        before: |op, c| op.ev ^= u16::from(op.kind == OpKind::Ack && c.head == 3),
        ..NONE
    },
    Fault {
        name: "newest EV recycled",
        after: |_, before, outcome, _| {
            let newest = before.cached_ev[usize::from(before.head.wrapping_sub(1) % 4)];
            if let Some(sent) = outcome.result.as_mut().filter(|s| s.kind == SendKind::Recycle) {
                sent.ev = newest;
            }
        },
        ..NONE
    },
    Fault {
        name: "replay repeats slot 0",
        after: |_, before, outcome, _| {
            if let Some(sent) = outcome.result.as_mut().filter(|s| s.kind == SendKind::Replay) {
                sent.ev = before.cached_ev[0];
            }
        },
        ..NONE
    },
    Fault {
        name: "replay called a recycle",
        after: |_, _, outcome, _| {
            if let Some(sent) = outcome.result.as_mut().filter(|s| s.kind == SendKind::Replay) {
                sent.kind = SendKind::Recycle;
            }
        },
        ..NONE
    },
    Fault {
        name: "random EV outside the EV set",
        after: |_, _, outcome, _| {
            if let Some(sent) = outcome.result.as_mut().filter(|s| s.kind == SendKind::Explore) {
                sent.ev &= 0x3fff;
            }
        },
        ..NONE
    },
    Fault {
        name: "valid bit not reset",
        after: |_, before, outcome, state| {
            if outcome.result.is_some_and(|s| s.kind == SendKind::Recycle) {
                state.is_valid = before.is_valid;
            }
        },
        ..NONE
    },
    Fault {
        name: "num_valid beyond depth",
        after: |op, before, _, state| {
            if op.kind == OpKind::Ack && !op.ecn && before.num_valid == 4 {
                state.num_valid = 5;
            }
        },
        ..NONE
    },
];

#[test]
fn every_fault_breaks_a_rule() {
    for variant in [Variant::Paper, Variant::Uet] {
        for fault in FAULTS {
            let verdict = run(params(variant, 4, 16), raw_ops(1, 20_000), fault);
            assert!(verdict.is_err(), "{variant:?}: {} was not seen", fault.name);
        }
    }
}
