//! The scoreboard's model on sane and on absurd op streams, against an observer with absolute PSNs, and against the
//! incremental form of its counts that hardware keeps.

mod observer;
mod uet;

use std::collections::BTreeSet;

use observer::Checker;
use proptest::prelude::*;
use rand::rngs::SmallRng;
use rand::{RngExt, SeedableRng};
use respray_golden::psn::{PsnSpace, segment_base};
use respray_golden::sack_tx::{
    Class, Connection, Inputs, Op, OpKind, Outcome, Params, Rule, SackFields, SackTx, Status,
};

const WIDTHS: [PsnSpace; 2] = [PsnSpace::new(24), PsnSpace::new(32)];

/// The bitmap with this base that shows this PSN alone; none if it lies elsewhere.
fn shown(psns: PsnSpace, base: u32, psn: u32) -> u64 {
    1u64.checked_shl(psns.distance(base, psn)).unwrap_or(0)
}

/// A random op near where its connection is; one in four SACKs is absurd. Half of the time hardly any SACK comes, so
/// that windows fill.
fn random_op(rng: &mut SmallRng, params: Params, now: &mut u16, state: &[Connection]) -> Op {
    let Params { window, psns, .. } = params;
    let conn = rng.random_range(0..3u16);
    let c = &state[usize::from(conn)];
    let outstanding = psns.distance(c.snd_una, c.snd_nxt);
    *now = now.wrapping_add(rng.random_range(0..6));
    let anything = rng.random_range(0..=psns.last());
    let filling = *now >= 1 << 15;
    let kind = match rng.random_range(0..100u8) {
        51..70 if filling => OpKind::Sent { psn: c.snd_nxt, bytes: rng.random() },
        0 if !c.initialised || rng.random_ratio(1, 8) => {
            OpKind::Init { psn: if rng.random() { anything } else { psns.last() - anything % 600 } }
        }
        0..50 => {
            let psn = match rng.random_range(0..16u8) {
                0 => anything,
                1 => psns.add(c.snd_nxt, 1),
                2 => psns.add(c.snd_una, rng.random_range(0..=outstanding)),
                _ => c.snd_nxt,
            };
            OpKind::Sent { psn, bytes: rng.random() }
        }
        50..70 => {
            let progress = if rng.random_ratio(1, 2) { 0 } else { rng.random_range(0..=outstanding.min(40)) };
            let epsn = psns.add(c.snd_una, progress);
            let base = segment_base(psns.add(epsn, rng.random_range(0..=(outstanding - progress).max(1))));
            let sent = (0..64)
                .filter(|&i| psns.is_below(psns.add(base, i), c.snd_nxt))
                .fold(0, |m, i| m | 1u64 << i);
            let received = c.bytes_sent.wrapping_sub(rng.random_range(0..=c.bytes_flight));
            let mut sack = SackFields {
                epsn,
                base,
                bitmap: sent & !shown(psns, base, epsn) & (rng.random::<u64>() | rng.random::<u64>()),
                ooo: if rng.random() { 0 } else { rng.random_range(0..20) },
                bytes_recvd: if rng.random_ratio(1, 8) { rng.random() } else { received },
                timestamp: now.wrapping_sub(rng.random_range(0..100)),
                probe: rng.random_ratio(1, 3),
            };
            match rng.random_range(0..24u8) {
                0 => sack.epsn = anything,
                1 => sack.epsn = psns.sub(c.snd_una, 1),
                2 => sack.base = anything,
                3 => {
                    sack.base = psns.add(segment_base(c.snd_una), (window / 64 + rng.random_range(0..3)) * 64)
                }
                4 => sack.bitmap = rng.random(),
                5 => sack.epsn = psns.add(c.snd_nxt, 1),
                6 => sack.bitmap |= sent & shown(psns, base, epsn),
                _ => (),
            }
            OpKind::Sack(sack)
        }
        70..86 => OpKind::NextRtx,
        86..90 => OpKind::Read,
        90 if rng.random_ratio(1, 16) => OpKind::Close,
        _ => OpKind::Visit,
    };
    let inputs = Inputs {
        now: *now,
        cwnd_packets: rng.random_range(0..12),
        probe_timeout: 60,
        probe_rtt: 50,
        rto: 200,
        rto_backoff_max: rng.random_range(0..8),
    };
    Op { kind, conn, inputs }
}

type Fault = fn(&Op, &mut Outcome, &Connection, &mut Connection);

#[derive(Debug, Default)]
struct Reached {
    timeouts_in_a_row: u32,
    statuses: BTreeSet<(u8, u8)>,
    losses: [u32; 3],
    probes: u32,
    left: u32,
    handed_out: u32,
}

fn run(window: u32, psns: PsnSpace, seed: u64, ops: usize, fault: Fault) -> Result<Reached, String> {
    let params = Params { connections: 3, window, psns };
    let mut rng = SmallRng::seed_from_u64(seed);
    let mut model = SackTx::new(params);
    let mut checker = Checker::new(3, window, psns);
    let mut reached = Reached::default();
    // times wrap soon
    let mut now = u16::MAX - 1000;
    for i in 0..ops {
        let state = [0, 1, 2].map(|conn| *model.connection(conn));
        let op = random_op(&mut rng, params, &mut now, &state);
        let before = state[usize::from(op.conn)];
        let mut outcome = model.apply(&op);
        let mut after = *model.connection(op.conn);
        fault(&op, &mut outcome, &before, &mut after);
        let verdict = checker.check(&op, &outcome, &before, &after);
        verdict.map_err(|rule| format!("op {i} {op:?} on {before:?} gives {outcome:?}: {rule}"))?;
        if let (Some(kind), Some(status)) = (op.kind.code(), outcome.status) {
            reached.statuses.insert((kind, status.code()));
        }
        if let Some(rule) = outcome.loss {
            reached.losses[rule as usize] += 1;
            reached.timeouts_in_a_row += u32::from(rule == Rule::Timeout && before.timeouts > 0);
        }
        reached.probes += u32::from(outcome.probe_due);
        reached.left += u32::from(outcome.recovery_left);
        reached.handed_out += u32::from(op.kind == OpKind::NextRtx && outcome.psn.is_some());
    }
    Ok(reached)
}

#[test]
fn every_rule_holds_at_every_window() {
    for (window, psns) in
        [(64, WIDTHS[0]), (128, WIDTHS[1]), (256, WIDTHS[0]), (512, WIDTHS[0]), (512, WIDTHS[1])]
    {
        let reached = run(window, psns, window.into(), 30_000, |_, _, _, _| ())
            .unwrap_or_else(|e| panic!("{window}, {psns:?}: {e}"));
        let expected: BTreeSet<(u8, u8)> = [
            (0, &[0, 1, 2, 3, 7][..]),   // sent
            (1, &[0, 1, 2, 3, 4, 5, 7]), // sack
            (2, &[0, 1, 7]),             // next_rtx
            (4, &[0, 7]),                // read
            (5, &[0, 7]),                // close
        ]
        .into_iter()
        .flat_map(|(kind, codes)| codes.iter().map(move |&code| (kind, code)))
        .collect();
        let missed: Vec<_> = expected.difference(&reached.statuses).collect();
        assert!(missed.is_empty(), "{window}: {missed:?} not reached");
        assert!(reached.losses.iter().all(|&n| n > 20), "{window}: {reached:?}");
        assert!(reached.timeouts_in_a_row > 20, "{window}: {reached:?}");
        assert!(
            reached.probes > 20 && reached.left > 20 && reached.handed_out > 100,
            "{window}: {reached:?}"
        );
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn every_rule_holds(seed: u64, window in 0usize..4, width in 0usize..2) {
        prop_assert_eq!(run([64, 128, 256, 512][window], WIDTHS[width], seed, 1000, |_, _, _, _| ()).err(), None);
    }
}

/// After any garbage, `init` gives a connection that behaves as a fresh one does.
#[test]
fn init_recovers_from_anything() {
    for seed in 0..20 {
        let mut rng = SmallRng::seed_from_u64(seed);
        let params = Params { connections: 3, window: 128, psns: WIDTHS[seed as usize % 2] };
        let mut model = SackTx::new(params);
        let mut now = 0;
        for _ in 0..2000 {
            let state = [0, 1, 2].map(|conn| *model.connection(conn));
            model.apply(&random_op(&mut rng, params, &mut now, &state));
        }
        let mut fresh = SackTx::new(params);
        let inputs = Inputs { now, ..Inputs::default() };
        for conn in 0..3 {
            let init = Op { kind: OpKind::Init { psn: 0xff_fff0 }, conn, inputs };
            model.apply(&init);
            fresh.apply(&init);
            assert_eq!(model.connection(conn), fresh.connection(conn));
        }
    }
}

/// Whatever a connection was, closed it is as one that was never initialised, and no op, no visit and no other connection shows a trace of it.
#[test]
fn a_connection_that_is_closed_leaves_no_trace() {
    for seed in 0..20 {
        let mut rng = SmallRng::seed_from_u64(seed);
        let params = Params { connections: 3, window: 64, psns: WIDTHS[seed as usize % 2] };
        let (mut closes, mut never) = (SackTx::new(params), SackTx::new(params));
        let mut now = 0;
        for _ in 0..2000 {
            let state = [0, 1, 2].map(|conn| *closes.connection(conn));
            let op = random_op(&mut rng, params, &mut now, &state);
            closes.apply(&op);
            if op.conn != 1 {
                never.apply(&op);
            }
        }
        closes.apply(&Op { kind: OpKind::Close, conn: 1, inputs: Inputs { now, ..Inputs::default() } });
        for _ in 0..2000 {
            let state = [0, 1, 2].map(|conn| *closes.connection(conn));
            let op = random_op(&mut rng, params, &mut now, &state);
            assert_eq!(closes.apply(&op), never.apply(&op), "{op:?}");
        }
    }
}

#[test]
fn search_for_a_retransmission_counts_the_segments_it_reads() {
    let mut tx = SackTx::new(Params { connections: 1, window: 256, psns: WIDTHS[0] });
    let mut op = |kind| tx.apply(&Op { kind, conn: 0, inputs: Inputs { rto: 0, ..Inputs::default() } });
    op(OpKind::Init { psn: 60 });
    for psn in 60..260 {
        op(OpKind::Sent { psn, bytes: 1 });
    }
    op(OpKind::Visit);
    let search = |outcome: Outcome| (outcome.psn, outcome.class);
    let segments = |search_segments| Class::NextRtx { search_segments };
    assert_eq!(search(op(OpKind::NextRtx)), (Some(60), segments(0)));
    let sack = |epsn, base, bitmap| OpKind::Sack(SackFields { epsn, base, bitmap, ..SackFields::default() });
    op(sack(60, 64, u64::MAX));
    op(sack(60, 128, u64::MAX));
    op(OpKind::NextRtx);
    op(OpKind::NextRtx);
    assert_eq!(search(op(OpKind::NextRtx)), (Some(63), segments(0)));
    assert_eq!(search(op(OpKind::NextRtx)), (Some(192), segments(2)), "from 64, past two full segments");
    op(sack(60, 192, u64::MAX));
    op(sack(60, 256, 0xf));
    assert_eq!(search(op(OpKind::NextRtx)), (None, segments(1)), "from 193 to 259, the last of the range");
}

#[test]
fn every_fault_breaks_a_rule() {
    let faults: [(&str, Fault); 21] = [
        ("retransmission counted as sent", |op, o, b, _| {
            let again = o.status == Some(Status::Again) && matches!(op.kind, OpKind::Sent { .. });
            o.in_flight_bytes += u32::from(again && b.initialised);
        }),
        ("window one too large", |_, o, _, _| {
            if o.status == Some(Status::WindowFull) {
                o.status = Some(Status::Ok);
            }
        }),
        ("old SACK taken", |_, o, _, _| {
            if o.status == Some(Status::Old) {
                o.status = Some(Status::Ok);
            }
        }),
        ("SACK that shows its EPSN taken", |_, o, _, _| {
            if o.status == Some(Status::Contradicts) {
                o.status = Some(Status::Ok);
            }
        }),
        ("refused SACK resets a timer", |op, o, _, a| {
            if o.status == Some(Status::Beyond) {
                a.heard = op.inputs.now ^ 1;
            }
        }),
        ("claim forgotten", |_, o, _, _| {
            if o.loss == Some(Rule::Timeout) {
                o.in_flight += 1;
            }
        }),
        ("acknowledged counted from the bitmap alone", |op, o, _, _| {
            if let OpKind::Sack(sack) = op.kind {
                o.acked = sack.bitmap.count_ones() as u16;
            }
        }),
        ("newly acknowledged bytes do not stop at 20 bits", |_, o, b, a| {
            o.acked_bytes = o.acked_bytes.map(|_| b.bytes_flight - a.bytes_flight);
        }),
        ("handed out twice", |op, o, b, _| {
            if op.kind == OpKind::NextRtx && o.psn.is_some() && b.rtx != b.snd_una {
                o.psn = Some(WIDTHS[0].sub(b.rtx, 1));
            }
        }),
        ("rule 1 at the threshold", |op, o, _, _| {
            if let OpKind::Sack(sack) = op.kind {
                let at = sack.ooo == op.inputs.cwnd_packets.max(5) && o.status == Some(Status::Ok);
                o.loss = if at && !o.in_recovery { Some(Rule::Ooo) } else { o.loss };
            }
        }),
        ("rule 2 without its probe", |op, o, b, _| {
            if let OpKind::Sack(sack) = op.kind {
                let forged = sack.probe && !b.probe_out && o.status == Some(Status::Ok);
                o.loss = if forged { Some(Rule::Probe) } else { o.loss };
            }
        }),
        ("timeout of an idle connection", |op, o, b, _| {
            if op.kind == OpKind::Visit && b.initialised && b.snd_una == b.snd_nxt {
                o.loss = Some(Rule::Timeout);
            }
        }),
        ("no timeout after one timeout", |_, o, b, _| {
            o.loss = o.loss.filter(|&rule| rule != Rule::Timeout || b.timeouts == 0);
        }),
        ("read beyond a packet that was not sent", |_, o, _, _| {
            o.snd_nxt = o.snd_nxt.map(|psn| WIDTHS[0].add(psn, 1))
        }),
        ("read counts as a packet", |op, _, _, a| {
            if op.kind == OpKind::Read && a.initialised {
                a.snd_nxt = WIDTHS[0].add(a.snd_nxt, 1);
            }
        }),
        ("close leaves the connection as it was", |op, _, b, a| {
            if op.kind == OpKind::Close {
                *a = *b;
            }
        }),
        ("close does not say where the connection stood", |op, o, _, _| {
            o.psn = o.psn.filter(|_| op.kind != OpKind::Close);
        }),
        ("round-trip time of a refused SACK", |op, o, _, _| {
            if let OpKind::Sack(sack) = op.kind {
                o.rtt = Some(op.inputs.now.wrapping_sub(sack.timestamp));
            }
        }),
        ("round-trip time without the wrap", |op, o, _, _| {
            if let OpKind::Sack(sack) = op.kind {
                o.rtt = o.rtt.map(|_| op.inputs.now.saturating_sub(sack.timestamp));
            }
        }),
        ("recovery never left", |_, o, _, _| o.recovery_left = false),
        ("high from the last SACK alone", |op, _, _, a| {
            if let OpKind::Sack(sack) = op.kind {
                a.high = WIDTHS[0].add(sack.base, 64 - sack.bitmap.leading_zeros());
            }
        }),
    ];
    for (name, fault) in faults {
        assert!(run(64, WIDTHS[0], 1, 20_000, fault).is_err(), "{name} was not seen");
    }
}
