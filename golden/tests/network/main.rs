//! The sender's scoreboard and the receiver's bitmap at the two ends of a network that drops, duplicates, delays and
//! reorders. Everything is checked against what the network knows: what was dropped, what arrived, which SACK said so.

mod sim;

use proptest::prelude::*;
use respray_golden::psn::MODULUS;
use sim::{Network, run};

/// Nothing is lost, nothing overtakes.
fn ideal(seed: u64) -> Network {
    Network {
        seed,
        packets: 2000,
        window: 256,
        first_psn: MODULUS - 700,
        cwnd: 32,
        sack_threshold: 0,
        delay: 20,
        jitter: 0,
        probe_timeout: 130,
        rto: 1000,
        ..Network::default()
    }
}

#[test]
fn without_loss_nothing_is_sent_twice() {
    for window in [64, 128, 256, 512] {
        let report = run(&Network { window, ..ideal(1) });
        assert_eq!((report.transmissions, report.retransmissions, report.recoveries), (2000, 0, [0, 0, 0]));
        assert_eq!(report.probes, 0);
    }
}

#[test]
fn reordering_below_the_threshold_is_not_taken_for_loss() {
    for seed in 0..20 {
        // a packet is overtaken by at most 30 others, and 32 is the threshold
        let report = run(&Network { jitter: 30, ..ideal(seed) });
        assert_eq!((report.retransmissions, report.recoveries), (0, [0, 0, 0]), "seed {seed}");
        assert!(report.reordered > 500, "seed {seed}: only {} overtaken", report.reordered);
    }
}

#[test]
fn reordering_above_the_threshold_is_taken_for_loss_and_does_no_harm() {
    let report = run(&Network { straggle: vec![500, 1000, 1001], ..ideal(3) });
    assert_eq!((report.recoveries, report.retransmissions), ([2, 0, 0], 3));
    assert_eq!(report.found_by, [0, 0, 0], "nothing was lost");
}

#[test]
fn loss_amid_traffic_is_found_by_the_out_of_order_count() {
    let drop_first = vec![100, 101, 102, 400, 404, 900, 1500];
    let report = run(&Network { drop_first: drop_first.clone(), ..ideal(4) });
    assert_eq!(report.found_by, [7, 0, 0]);
    assert_eq!((report.retransmissions, report.probes), (7, 0));
}

#[test]
fn a_lost_tail_is_found_by_a_probe() {
    for tail in 1..20 {
        let drop_first = (2000 - tail..2000).collect();
        let report = run(&Network { drop_first, ..ideal(5) });
        assert_eq!(report.found_by, [0, tail, 0], "tail of {tail}");
        assert_eq!(report.retransmissions, tail);
    }
}

#[test]
fn a_retransmission_lost_again_is_found_by_a_probe() {
    let report = run(&Network { drop_first: vec![300], drop_second: vec![300], ..ideal(6) });
    assert_eq!(report.recoveries[0], 1, "{report:?}");
    assert_eq!(report.found_by, [1, 1, 0]);
}

#[test]
fn a_lost_tail_without_probes_is_found_by_the_timeout() {
    let report = run(&Network { drop_first: vec![1998, 1999], probe_loss: 1.0, ..ideal(7) });
    assert_eq!(report.found_by, [0, 0, 2]);
    assert!(report.probes > 5, "probes are asked for again and again: {report:?}");
}

#[test]
fn a_slow_probe_proves_nothing() {
    let report = run(&Network { drop_first: vec![1999], probe_rtt: 39, ..ideal(8) });
    assert_eq!(report.found_by, [0, 0, 1]);
}

#[test]
fn when_every_sack_is_lost_for_a_while_nothing_is_lost_but_time() {
    let report = run(&Network { sack_blackout: Some((300, 900)), ..ideal(9) });
    assert_eq!(report.found_by, [0, 0, 0], "no packet was lost");
    assert!(report.probes > 0 && report.lost_sacks > 0);
}

#[test]
fn many_losses_are_each_found_by_some_rule() {
    let mut total = [0; 3];
    for seed in 0..20 {
        for loss in [0.01, 0.05, 0.2] {
            let network = Network {
                loss,
                sack_loss: loss,
                probe_loss: loss,
                duplicate: 0.02,
                jitter: 25,
                ..ideal(seed)
            };
            let report = run(&network);
            assert!(report.lost > 10, "seed {seed}");
            for (total, found) in total.iter_mut().zip(report.found_by) {
                *total += found;
            }
        }
    }
    assert!(total.iter().all(|&n| n > 20), "every rule has its part: {total:?}");
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 96, failure_persistence: None, ..ProptestConfig::default() })]

    /// `run` holds all the properties; here it meets any network.
    #[test]
    fn any_network_delivers_every_byte_once(
        seed: u64, window in 0usize..4, first_psn in prop_oneof![0..MODULUS, MODULUS - 2000..MODULUS],
        cwnd in 1u16..200, rates in (0.0..0.2, 0.0..0.2, 0.0..0.2, 0.0..0.1), jitter in 0u64..256, delay in 1u64..60,
        sack_threshold in prop_oneof![Just(0u16), 0u16..20_000],
    ) {
        let (loss, sack_loss, probe_loss, duplicate) = rates;
        let report = run(&Network {
            window: [64, 128, 256, 512][window], first_psn, cwnd, loss, sack_loss, probe_loss, duplicate, jitter, delay,
            sack_threshold, probe_timeout: 6 * delay as u16 + 100, rto: 2000, packets: 1500, ..ideal(seed)
        });
        prop_assert!(report.transmissions >= 1500);
    }
}

#[test]
#[should_panic(expected = "was reported to the sender")]
fn the_check_sees_a_scoreboard_that_forgets() {
    run(&Network { forget_bitmaps: true, drop_first: vec![100, 120], ..ideal(10) });
}

#[test]
#[should_panic(expected = "delivered twice")]
fn the_check_sees_a_receiver_that_restarts() {
    run(&Network { receiver_restarts_at: Some(500), duplicate: 1.0, ..ideal(11) });
}

/// The campaign in full: `cargo test --release -p respray-golden --test network -- --ignored`.
#[test]
#[ignore = "about a minute"]
fn a_thousand_networks_of_ten_thousand_packets() {
    let mut found = [0; 3];
    for seed in 0..1000u32 {
        let rate = |step: u32, most: f64| most * f64::from(seed * step % 1000) / 1000.0;
        let delay = u64::from(seed % 59 + 1);
        let report = run(&Network {
            packets: 10_000,
            window: [64, 128, 256, 512][seed as usize % 4],
            first_psn: MODULUS - 5000,
            cwnd: (seed * 7 % 200 + 1) as u16,
            loss: rate(1, 0.2),
            sack_loss: rate(3, 0.2),
            probe_loss: rate(7, 0.2),
            duplicate: rate(11, 0.1),
            jitter: u64::from(seed * 13 % 257),
            delay,
            probe_timeout: 6 * delay as u16 + 100,
            rto: 2000,
            ..ideal(seed.into())
        });
        for (found, more) in found.iter_mut().zip(report.found_by) {
            *found += more;
        }
    }
    println!("losses found by the out-of-order count, a probe, the timeout: {found:?}");
    assert!(found.iter().all(|&n| n > 10_000), "{found:?}");
}
