//! Frames of which nothing is known.

use proptest::prelude::*;
use rand::rngs::SmallRng;
use rand::{Rng, RngExt, SeedableRng};
use respray_golden::nic::{Config, Counter};
use respray_golden::wire::{Profile, strack, uet};

use super::sending::{shapes, strack_ack, uet_ack};
use super::{config, opened};

/// A frame of some shape, of which some bytes behind the link header are others and the end may be missing.
fn damaged(profile: Profile, rng: &mut SmallRng) -> Vec<u8> {
    let shapes = shapes(profile);
    let mut frame = match rng.random_range(0..4u8) {
        0 if profile == Profile::Strack => {
            strack_ack(strack::Ack { expected_psn: 101, ..Default::default() })
        }
        0 => uet_ack(uet::Ack { cack_psn: 100, cc: Some(uet::AckCc::default()), ..Default::default() }),
        _ => shapes[rng.random_range(0..shapes.len())].frame(),
    };
    for _ in 0..rng.random_range(0..4u8) {
        let at = rng.random_range(0..frame.len());
        frame[at] = rng.random();
    }
    if rng.random_ratio(1, 4) {
        frame.truncate(rng.random_range(1..=frame.len()));
    }
    if rng.random_ratio(1, 8) {
        rng.fill_bytes(&mut frame);
    }
    frame
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 32, failure_persistence: None, ..ProptestConfig::default() })]

    /// Whatever comes, every frame of the host is sent or refused, and every frame of the network is counted once.
    #[test]
    fn no_frame_is_forgotten(seed: u64, is_uet: bool) {
        let profile = if is_uet { Profile::Uet } else { Profile::Strack };
        let mut rng = SmallRng::seed_from_u64(seed);
        let mut nic = opened(Config { window: 64, ..config(profile) }, 100);
        let frames = 200;
        for _ in 0..frames {
            nic.advance(nic.cycles() + rng.random_range(0..20_000));
            nic.offer(damaged(profile, &mut rng)).expect("tx_in has room");
            nic.receive(damaged(profile, &mut rng), rng.random_ratio(1, 16));
            while nic.transmit().is_some() {}
            while nic.deliver().is_some() {}
            while nic.event().is_some() {}
        }
        let sum = |counters: &[Counter]| counters.iter().map(|counter| nic.counter(*counter)).sum::<u64>();
        let sent = sum(&[Counter::TxData, Counter::TxAgain, Counter::TxOther, Counter::TxRefused]);
        let draws = sum(&[Counter::Explore, Counter::Recycle, Counter::Replay]);
        let stamped = sum(&[Counter::TxData, Counter::TxAgain, Counter::TxProbes]);
        prop_assert_eq!(draws, stamped, "an EV for each data packet and probe");
        prop_assert!(sent <= frames && sent + nic.counter(Counter::TxProbes) >= frames);
        let received = sum(&[
            Counter::RxNew, Counter::RxDuplicate, Counter::RxOutside, Counter::RxNotOpen, Counter::RxProbes,
            Counter::RxAcks, Counter::RxAcksOld, Counter::RxAcksBad, Counter::RxOther, Counter::RxMalformed,
            Counter::RxBad,
        ]);
        prop_assert_eq!(received, frames);
    }
}
