//! Rules that hold after any ops.

use proptest::prelude::*;
use rand::rngs::SmallRng;
use rand::{RngExt, SeedableRng};
use respray_golden::sack_tx::uet::{
    AckFields, INFERRED, Inputs, OUT_OF_ORDER, OpKind, Status, TRIMMED, TRIMMED_LAST_HOP,
};

use super::{Bench, PSNS, QUIET};

/// An ACK whose bitmap has this base shows what its bits say one by one.
fn ack_one_by_one(bench: &mut Bench, fields: AckFields) {
    for bit in (0..64).filter(|bit| fields.bitmap >> bit & 1 == 1) {
        bench.apply(OpKind::Ack(AckFields { bitmap: 1 << bit, ..fields }));
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    /// Any base, from far below `snd_una` to far above, across words and the wrap of PSNs.
    #[test]
    fn a_bitmap_of_any_base_marks_its_psns_one_by_one(
        first in prop_oneof![any::<u32>(), (0..300_u32).prop_map(|below| 0_u32.wrapping_sub(below))],
        count in 1..=256_u32,
        moves in 0..40_u32,
        offset in prop_oneof![-32768..32768_i32, -80..330_i32],
        bitmap in any::<u64>(),
        sparse in any::<u64>(),
    ) {
        let mut bench = Bench::sent(first..first.wrapping_add(count), false, 100);
        let cack = first.wrapping_add(moves.min(count)).wrapping_sub(1);
        let base = first.wrapping_add_signed(offset);
        let limit = i64::from(count) - i64::from(offset);
        let sent = if limit >= 64 { u64::MAX } else if limit <= 0 { 0 } else { (1 << limit) - 1 };
        let fields = AckFields { cum_next: cack.wrapping_add(1), psn: cack, has_sack: true, base, bitmap: bitmap & sparse & sent, ..AckFields::default() };
        let mut other = Bench { engine: bench.engine.clone(), inputs: QUIET };
        let outcome = bench.apply(OpKind::Ack(fields));
        prop_assert_eq!(outcome.status, Some(Status::Ok));
        other.apply(OpKind::Ack(AckFields { bitmap: 0, ..fields }));
        ack_one_by_one(&mut other, fields);
        prop_assert_eq!(bench.connection(), other.connection());
        let shown = |psn: u32| {
            let bit = i64::from(psn.wrapping_sub(first)) - i64::from(offset);
            (0..64).contains(&bit) && fields.bitmap >> bit & 1 == 1
        };
        let c = bench.connection();
        let expected: Vec<u32> = (0..PSNS.distance(c.snd_una, c.snd_nxt)).map(|n| PSNS.add(c.snd_una, n)).filter(|psn| shown(*psn)).collect();
        prop_assert_eq!(bench.marks(), expected);
        // a bit of what was never sent
        if (-63..64).contains(&(limit - 1)) && limit < 64 {
            let bad = AckFields { bitmap: fields.bitmap | 1 << limit.max(0), ..fields };
            let before = *bench.connection();
            prop_assert_eq!(bench.apply(OpKind::Ack(bad)).status, Some(Status::Beyond));
            prop_assert_eq!(*bench.connection(), before);
        }
    }

    /// What `next_rtx` and NACKs hand out was never named; what was named stays so; counts are never below what they count.
    #[test]
    fn nothing_that_was_named_is_sent_again(seed in any::<u64>(), is_ordered in any::<bool>()) {
        let mut rng = SmallRng::seed_from_u64(seed);
        let first = 0_u32.wrapping_sub(rng.random_range(0..400));
        let mut bench = Bench::sent(first..first, is_ordered, 100);
        bench.inputs = Inputs { rto: 40, probe_timeout: 25, probe_rtt: 20, rules: rng.random_range(0..4), ..QUIET };
        let mut named = std::collections::HashSet::new();
        for _ in 0..600 {
            let c = *bench.connection();
            let outstanding = PSNS.distance(c.snd_una, c.snd_nxt);
            let any = |rng: &mut SmallRng| PSNS.add(c.snd_una, rng.random_range(0..outstanding.max(1)));
            bench.inputs.now = bench.inputs.now.wrapping_add(rng.random_range(0..4));
            let kind = match rng.random_range(0..16) {
                0..8 => OpKind::Sent { psn: c.snd_nxt, bytes: 100 },
                8..10 if outstanding > 0 => {
                    let mut fields = AckFields {
                        cum_next: PSNS.add(c.snd_una, rng.random_range(0..outstanding.min(6))),
                        psn: any(&mut rng),
                        has_sack: rng.random(),
                        mpr: rng.random_range(0..4),
                        base: any(&mut rng),
                        bitmap: rng.random::<u64>() & rng.random::<u64>() & rng.random::<u64>(),
                        has_state: rng.random(),
                        rcvd: rng.random_range(0..1 << 24),
                        ooo: rng.random_range(0..20),
                        timestamp: bench.inputs.now.wrapping_sub(10),
                        probe: rng.random_ratio(1, 4),
                    };
                    let room = PSNS.distance(fields.base, c.snd_nxt);
                    fields.bitmap &= if room >= 64 { u64::MAX } else { (1 << room) - 1 };
                    for bit in (0..64).filter(|bit| fields.has_sack && fields.bitmap >> bit & 1 == 1) {
                        named.insert(PSNS.add(fields.base, bit));
                    }
                    if !fields.probe {
                        named.insert(fields.psn);
                    }
                    let mut psn = c.snd_una;
                    while psn != fields.cum_next {
                        named.insert(psn);
                        psn = PSNS.add(psn, 1);
                    }
                    OpKind::Ack(fields)
                }
                10..12 if outstanding > 0 => OpKind::Nack {
                    psn: any(&mut rng),
                    code: [TRIMMED, TRIMMED_LAST_HOP, OUT_OF_ORDER, INFERRED, 4][rng.random_range(0..5)],
                },
                12 => OpKind::NextRtx,
                _ => OpKind::Visit,
            };
            let outcome = bench.apply(kind);
            if matches!(kind, OpKind::Ack(_)) {
                prop_assert_eq!(outcome.status, Some(Status::Ok));
            }
            let is_handed_out = outcome.retransmit || kind == OpKind::NextRtx;
            if let Some(psn) = outcome.psn.filter(|_| is_handed_out) {
                prop_assert!(!named.contains(&psn), "{} {:?}", psn, kind);
                prop_assert!(kind != OpKind::NextRtx || PSNS.distance(c.snd_una, psn) < c.limit(256));
            }
            let c = bench.connection();
            let lacks = (0..PSNS.distance(c.snd_una, c.snd_nxt)).filter(|n| !named.contains(&PSNS.add(c.snd_una, *n)));
            prop_assert_eq!(usize::from(outcome.in_flight + c.claimed(*bench.engine.params())), lacks.count());
        }
    }
}
