//! The selectors that take turns or hear feedback, beside observers that know what each connection did since its `Init`, and decide
//! from that history alone; and proof that each check can fail.

use crate::faults::Fault;
use crate::faults::feedback::{
    of_flowlet_ack, of_flowlet_send, of_mprdma, of_plb_with_timeouts, of_subflows,
};
use respray_golden::flowlet::{self, Since};
use respray_golden::mprdma::Mprdma;
use respray_golden::plb::{self, Plb};
use respray_golden::rng::Rng;
use respray_golden::selector::{Engine, Op, OpKind, Outcome, Params, Selector, SendKind};
use respray_golden::subflows::Subflows;

const CONNECTIONS: u16 = 4;

/// An op of the connection since its `Init`, what it showed, and the EV that it drew.
type Past = (Op, Outcome, Option<u16>);

/// What an op must show. `draw` gives the next EV of the generator.
type Rule<Keys> = fn(&Params<Keys>, past: &[Past], &Op, draw: &mut dyn FnMut() -> u16) -> Outcome;

fn explored(ev: u16, events: u8) -> Outcome {
    Outcome { events, ..Outcome::sent(SendKind::Explore, ev) }
}

fn sends(past: &[Past]) -> impl DoubleEndedIterator<Item = &Past> {
    past.iter().filter(|(op, ..)| op.kind == OpKind::Send)
}

fn feedback(past: &[Past]) -> impl DoubleEndedIterator<Item = &Past> {
    past.iter().filter(|(op, ..)| matches!(op.kind, OpKind::Ack | OpKind::Nack))
}

fn ev(past: Option<&Past>) -> u16 {
    past.and_then(|(_, outcome, _)| outcome.result).expect("it was a send").ev
}

fn ticks<Keys>(params: &Params<Keys>, then: &Op, now: &Op) -> u64 {
    let lap = 1_u64 << params.time_bits;
    (lap + u64::from(now.now) - u64::from(then.now)) % lap
}

/// The settings do not change: the k-th send has the EV that lies k, modulo the subflows, behind that of the first.
fn subflows_rule(params: &Params<()>, past: &[Past], op: &Op, draw: &mut dyn FnMut() -> u16) -> Outcome {
    if op.kind != OpKind::Send {
        return Outcome::default();
    }
    let place = sends(past).count() as u32 % op.settings[0];
    let base = if sends(past).count() == 0 { draw() } else { ev(sends(past).next()) };
    let of_set = (u32::from(base - params.ev_base) + place) % (1 << params.ev_bits);
    explored(params.ev_base + of_set as u16, 0)
}

/// While the latest ACK found room, the EV of the latest feedback; else a draw.
fn mprdma_rule(_: &Params<()>, past: &[Past], op: &Op, draw: &mut dyn FnMut() -> u16) -> Outcome {
    if op.kind != OpKind::Send {
        return Outcome::default();
    }
    let ack = past.iter().rfind(|(op, ..)| op.kind == OpKind::Ack);
    match feedback(past).next_back() {
        Some((latest, ..)) if ack.is_some_and(|(ack, ..)| ack.more == 1) => {
            Outcome::sent(SendKind::Recycle, latest.ev)
        }
        _ => explored(draw(), 0),
    }
}

fn flowlet_rule(
    params: &Params<flowlet::Keys>,
    past: &[Past],
    op: &Op,
    draw: &mut dyn FnMut() -> u16,
) -> Outcome {
    if op.kind != OpKind::Send {
        return Outcome::default();
    }
    let Some((latest, ..)) = sends(past).next_back() else { return explored(draw(), 0) };
    let [gap, hold, ..] = op.settings.map(u64::from);
    let is_over = match params.keys.since {
        Since::Send => ticks(params, latest, op) > gap,
        Since::Ack => {
            let heard = feedback(past).next_back();
            let of_path = sends(past)
                .rfind(|(_, outcome, _)| outcome.result.is_some_and(|sent| sent.kind == SendKind::Explore));
            let (drew, ..) = of_path.expect("the first send explores");
            heard.is_none_or(|(heard, ..)| ticks(params, heard, op) > gap) && ticks(params, drew, op) > hold
        }
    };
    if is_over {
        explored(draw(), flowlet::PATH_MOVED)
    } else {
        Outcome::sent(SendKind::Replay, ev(sends(past).next_back()))
    }
}

/// The settings do not change: a round is congested if more than `mark_threshold` of 256 of its packets are marked.
fn plb_rule(params: &Params<()>, past: &[Past], op: &Op, draw: &mut dyn FnMut() -> u16) -> Outcome {
    let [round_ticks, rto, mark_threshold, congested_rounds] = op.settings.map(u64::from);
    // what became of the connection: the EV, rounds in a row, feedback of the round and how much of it was marked
    let (mut ev, mut rounds, mut all, mut marked) = (None, 0, 0, 0);
    let (mut round, mut timeout): (Option<&Op>, Option<&Op>) = (None, None);
    let ops = past.iter().map(|(op, _, drawn)| (op, Some(*drawn))).chain([(op, None)]);
    for (op, drawn) in ops {
        let mut expected = Outcome::default();
        let mut draws = false;
        match op.kind {
            OpKind::Ack | OpKind::Nack => {
                all += 1;
                marked += u64::from(op.ecn || op.kind == OpKind::Nack);
                if round.is_none_or(|round| ticks(params, round, op) > round_ticks) {
                    let is_congested = 256 * marked > mark_threshold * all;
                    rounds = if is_congested { rounds + 1 } else { 0 };
                    expected.events = if is_congested { plb::ROUND_CONGESTED } else { 0 };
                    (all, marked, round) = (0, 0, Some(op));
                }
            }
            OpKind::Send => draws = ev.is_none() || rounds > congested_rounds,
            OpKind::Timeout => {
                draws = timeout.is_none_or(|timeout| ticks(params, timeout, op) > rto);
                timeout = if draws { Some(op) } else { timeout };
            }
            OpKind::Init | OpKind::Reserved => (),
        }
        if draws {
            rounds = 0;
            expected.events |= if ev.is_some() { plb::PATH_MOVED } else { 0 };
        }
        let Some(drawn) = drawn else {
            if draws {
                ev = Some(draw());
            }
            if op.kind == OpKind::Send {
                let kind = if draws { SendKind::Explore } else { SendKind::Replay };
                expected.result = Outcome::sent(kind, ev.expect("it was drawn")).result;
            }
            return expected;
        };
        ev = drawn.or(ev);
    }
    unreachable!("the op itself is the last one")
}

/// Random ops on few connections, whose times are close together and pass a multiple of 2^16 now and then. The last connection
/// hears nothing.
fn op(words: &mut Rng, now: &mut u32, params: &Params<impl Copy>, settings: [u32; 4]) -> Op {
    let [kind, step, ev, more] = [(); 4].map(|()| words.step());
    *now = now.wrapping_add(u32::from(if step % 512 == 0 { 20_000 } else { step % 8 }));
    *now &= u32::MAX >> (32 - params.time_bits);
    Op {
        kind: match kind % 64 {
            0..28 => OpKind::Send,
            28..56 if kind >> 14 == CONNECTIONS - 1 => OpKind::Send,
            28..52 => OpKind::Ack,
            52..56 => OpKind::Nack,
            56..60 => OpKind::Timeout,
            60 if step % 16 == 1 => OpKind::Init,
            60 => OpKind::Send,
            code => OpKind::from_code((code - 56) as u8), // 5 to 7
        },
        conn: kind >> 14,
        ev,
        ecn: more % 4 == 1,
        now: *now,
        settings,
        more: u32::from(more >> 8 & 1),
    }
}

/// Runs the selector beside its observer; how many sends explored, recycled and replayed, or the first op that showed something else.
fn run<S: Selector>(
    params: Params<S::Keys>,
    settings: [u32; 4],
    rule: Rule<S::Keys>,
    count: usize,
    fault: &Fault<S>,
) -> Result<[u32; 3], String> {
    let mut engine: Engine<_> = fault.engine(params);
    let mut drawn = Rng::seeded(params.seed, params.connections);
    let (mut words, mut now) = (Rng::seeded(3, 64), 60_000);
    let mut pasts = vec![Vec::<Past>::new(); CONNECTIONS.into()];
    let mut kinds = [0; 3];
    for i in 0..count {
        let op = op(&mut words, &mut now, &params, settings);
        let past = &mut pasts[usize::from(op.conn)];
        let mut executed = op;
        (fault.before)(&mut executed);
        let outcome = engine.apply(&executed);
        let mut taken = None;
        let mut draw = || {
            let ev = params.ev_base + (u32::from(drawn.step()) % (1 << params.ev_bits)) as u16;
            taken = Some(ev);
            ev
        };
        let expected = rule(&params, past, &op, &mut draw);
        if outcome != expected {
            return Err(format!("op {i} {op:?}: {outcome:?}, not {expected:?}"));
        }
        if let Some(sent) = outcome.result {
            kinds[usize::from(sent.kind.code())] += 1;
        }
        past.push((op, outcome, taken));
        if op.kind == OpKind::Init {
            past.clear();
        }
    }
    Ok(kinds)
}

fn params<Keys>(ev_bits: u8, time_bits: u8, keys: Keys) -> Params<Keys> {
    let ev_base = if ev_bits < 16 { 0xc000 >> ev_bits << ev_bits } else { 0 };
    Params { connections: CONNECTIONS.into(), ev_base, ev_bits, time_bits, seed: 7, keys }
}

/// The observer agrees with the selector, every kind of send that there is comes often, and the observer sees every fault.
fn holds<S: Selector>(
    params: Params<S::Keys>,
    settings: [u32; 4],
    rule: Rule<S::Keys>,
    least: [u32; 3],
    faults: &[Fault<S>],
) {
    let kinds =
        run(params, settings, rule, 60_000, &Fault::<S>::NONE).unwrap_or_else(|said| panic!("{said}"));
    assert!(kinds.iter().zip(least).all(|(kind, least)| *kind >= least), "{}: {kinds:?}", S::NAME);
    for fault in faults {
        let verdict = run(params, settings, rule, 20_000, fault);
        assert!(verdict.is_err(), "{}: {} was not seen", S::NAME, fault.name);
    }
}

const SINCE_SEND: flowlet::Keys = flowlet::Keys { since: Since::Send };
const SINCE_ACK: flowlet::Keys = flowlet::Keys { since: Since::Ack };

#[test]
fn subflows_takes_turns() {
    for (ev_bits, subflows) in [(1, 3), (4, 16), (12, 8), (16, 5)] {
        holds::<Subflows>(params(ev_bits, 32, ()), [subflows, 0, 0, 0], subflows_rule, [20_000, 0, 0], &[]);
    }
    holds::<Subflows>(params(3, 32, ()), [5, 0, 0, 0], subflows_rule, [20_000, 0, 0], &of_subflows());
}

#[test]
fn mprdma_takes_the_ev_of_the_latest_feedback() {
    holds::<Mprdma>(params(12, 32, ()), [0; 4], mprdma_rule, [5_000, 5_000, 0], &of_mprdma());
}

#[test]
fn flowlet_moves_after_a_gap() {
    for time_bits in [16, 32] {
        let params = params(12, time_bits, SINCE_SEND);
        holds(params, [20, 0, 0, 0], flowlet_rule, [2_000, 0, 2_000], &of_flowlet_send());
    }
    for time_bits in [16, 32] {
        let params = params(12, time_bits, SINCE_ACK);
        holds(params, [20, 90, 0, 0], flowlet_rule, [1_000, 0, 5_000], &of_flowlet_ack());
    }
}

#[test]
fn plb_moves_after_congested_rounds_and_timeouts() {
    for (time_bits, threshold) in [(16, 40), (32, 64), (32, 0)] {
        let params = params(12, time_bits, ());
        let settings = [60, 400, threshold, 1];
        holds(params, settings, plb_rule, [1_000, 0, 5_000], &of_plb_with_timeouts());
    }
}

/// The results of these ops on connection 0.
fn shown<S: Selector>(params: Params<S::Keys>, ops: impl IntoIterator<Item = Op>) -> Vec<Outcome> {
    let mut engine = Engine::<S>::new(params);
    ops.into_iter().map(|op| engine.apply(&op)).collect()
}

#[test]
fn a_setting_of_subflows_may_change_and_be_out_of_range() {
    let counts = [4, 4, 4, 2, 2, 2, 0, 0, 31, 31, 31];
    let ops = counts.map(|count| Op { settings: [count, 0, 0, 0], ..Op::default() });
    let shown = shown::<Subflows>(params(16, 32, ()), ops);
    let evs: Vec<u16> = shown.iter().filter_map(|outcome| Some(outcome.result?.ev)).collect();
    let places = [0, 1, 2, 3, 0, 1, 0, 0, 0, 1, 2];
    assert_eq!(evs, places.map(|place| evs[0].wrapping_add(place)));
    let many = vec![Op { settings: [31, 0, 0, 0], ..Op::default() }; 17];
    let shown = self::shown::<Subflows>(params(16, 32, ()), many);
    assert_eq!(shown[16], shown[0], "no connection has more than sixteen");
}

#[test]
fn excess_marks_and_congested_rounds_of_plb_saturate() {
    let settings = [100, 100, 0, 15];
    let ack = |now, ecn, threshold| {
        let settings = [settings[0], settings[1], threshold, settings[3]];
        Op { kind: OpKind::Ack, ecn, now, settings, ..Op::default() }
    };
    // 300 marked packets are more than the sum holds: 257 unmarked ones at 255 of 256 make up for 65535, not for 76800
    let round = |marked: usize, unmarked: usize| {
        let mut ops = vec![ack(0, false, 0)];
        ops.extend(vec![ack(50, true, 0); marked]);
        ops.extend(vec![ack(50, false, 255); unmarked]);
        ops.push(ack(101, false, 0));
        shown::<Plb>(params(16, 32, ()), ops).last().expect("the closing ACK").events
    };
    assert_eq!([round(255, 256), round(300, 256)], [0, plb::ROUND_CONGESTED]);
    assert_eq!([round(256, 257), round(300, 257)], [0, 0]);
    // and the other way: 300 unmarked ones at 255 are less than it holds
    let low = |marked: usize| {
        let mut ops = vec![ack(0, false, 0)];
        ops.extend(vec![ack(50, false, 255); 300]);
        ops.extend(vec![ack(50, true, 0); marked]);
        ops.push(ack(101, false, 0));
        shown::<Plb>(params(16, 32, ()), ops).last().expect("the closing ACK").events
    };
    assert_eq!([low(256), low(257)], [0, plb::ROUND_CONGESTED]);
    // no send draws after 15 rounds, as there are never more
    let mut ops = vec![Op { settings, ..Op::default() }];
    ops.extend((0..40).map(|round| ack(200 * round, true, 0)));
    for (congested_rounds, moves) in [(14, true), (15, false)] {
        let send = Op { settings: [100, 100, 0, congested_rounds], ..Op::default() };
        let shown = shown::<Plb>(params(16, 32, ()), ops.iter().copied().chain([send]));
        assert_eq!(shown.last().is_some_and(|outcome| outcome.has(plb::PATH_MOVED)), moves);
    }
}
