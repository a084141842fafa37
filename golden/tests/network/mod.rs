//! The golden models of scoreboard and bitmap at the two ends of a network that drops, duplicates, delays and reorders.

use std::convert::Infallible;

use proptest::prelude::*;
use respray_golden::network::{self, Limits, Network, Report, Scoreboard, Stop, TxOutput};
use respray_golden::psn::PsnSpace;
use respray_golden::sack_rx::{Params, SackRx};
use respray_golden::sack_tx::{Inputs, Op, Rule, SackTx};

/// The network between the models; a property that does not hold is a failure.
fn run(network: &Network) -> Report {
    let mut tx = SackTx::new(params(network));
    with(network, &mut tx)
}

fn params(network: &Network) -> Params {
    Params { connections: network.connections, window: network.window, psns: network.psns }
}

fn with(network: &Network, tx: &mut impl Scoreboard<Error = Infallible>) -> Report {
    let mut rx = SackRx::new(params(network));
    match network::run(network, tx, &mut rx, &mut |_| {}) {
        Ok(report) => report,
        Err(Stop::Broken(broken)) => panic!("{broken}; {network:?}"),
    }
}

/// Nothing is lost, nothing overtakes.
fn ideal(seed: u64) -> Network {
    Network {
        seed,
        packets: 2000,
        first_psn: PsnSpace::new(24).last() - 699,
        cwnd: 32,
        delay: 20,
        probe_timeout: 130,
        rto: 1000,
        ..Network::default()
    }
}

#[test]
fn without_loss_nothing_is_sent_twice() {
    for (window, bits) in [(64, 24), (128, 32), (256, 24), (512, 32)] {
        let psns = PsnSpace::new(bits);
        let report = run(&Network { window, psns, first_psn: psns.last() - 699, ..ideal(1) });
        assert_eq!((report.transmissions, report.retransmissions, report.recoveries), (2000, 0, [0, 0, 0]));
        assert_eq!(report.probes, 0);
    }
}

#[test]
fn connections_share_the_engines_and_nothing_else() {
    let one = run(&ideal(1));
    let many = run(&Network { connections: 5, ..ideal(1) });
    assert_eq!((many.transmissions, many.retransmissions), (5 * one.transmissions, 0));
    assert_eq!(many.ticks, one.ticks);
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
                connections: 1 + seed as u32 % 3,
                loss,
                sack_loss: loss,
                probe_loss: loss,
                duplicate: 0.02,
                jitter: 25,
                ..ideal(seed)
            };
            let report = run(&network);
            assert!(report.lost > 10 && report.duplicates > 10, "seed {seed}");
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
        seed: u64, window in 0usize..4, width in 0usize..2, connections in 1u32..4,
    ) {
        let sizes = ([64, 128, 256, 512][window], PsnSpace::new([24, 32][width]));
        let report = run(&Network::random(seed, connections, 1500 / connections, sizes, &Limits::default()));
        prop_assert!(report.transmissions >= 1500 / connections * connections);
    }
}

#[test]
fn one_seed_gives_one_run() {
    let network = |seed| Network::random(seed, 2, 500, (128, PsnSpace::new(32)), &Limits::default());
    assert_eq!(run(&network(7)), run(&network(7)));
    assert_ne!(run(&network(7)), run(&network(8)));
}

#[test]
#[should_panic(expected = "are newly acknowledged, not")]
fn the_check_sees_a_scoreboard_that_forgets() {
    run(&Network { forget_bitmaps: true, drop_first: vec![100, 120], ..ideal(10) });
}

#[test]
#[should_panic(expected = "is delivered twice")]
fn the_check_sees_a_receiver_that_restarts() {
    run(&Network { receiver_restarts_at: Some(500), duplicate: 1.0, jitter: 30, ..ideal(11) });
}

/// Makes an output wrong; false: leaves it out.
type Spoil = fn(&mut TxOutput) -> bool;

/// A scoreboard whose outputs are not what its model shows.
struct Spoilt {
    tx: SackTx,
    spoil: Spoil,
}

impl Spoilt {
    fn spoil(&self, shown: &mut Vec<TxOutput>) {
        shown.retain_mut(|output| (self.spoil)(output));
    }
}

impl Scoreboard for Spoilt {
    type Error = Infallible;

    fn ops(&mut self, ops: &[Op], shown: &mut Vec<TxOutput>) -> Result<(), Infallible> {
        self.tx.ops(ops, shown)?;
        self.spoil(shown);
        Ok(())
    }

    fn rest(&mut self, inputs: &Inputs, shown: &mut Vec<TxOutput>) -> Result<(), Infallible> {
        self.tx.rest(inputs, shown)?;
        self.spoil(shown);
        Ok(())
    }

    fn round_ticks(&self) -> u64 {
        self.tx.round_ticks()
    }

    fn late_ticks(&self) -> u64 {
        self.tx.late_ticks()
    }
}

#[test]
fn every_output_that_is_wrong_breaks_a_property() {
    let faults: [(&str, Spoil); 11] = [
        ("packets are in flight, not", |o| {
            o.in_flight = o.in_flight.saturating_sub(1);
            true
        }),
        ("bytes are in flight, not", |o| {
            o.bytes_in_flight |= 1;
            true
        }),
        ("in recovery is true, not false", |o| {
            o.in_recovery = false;
            true
        }),
        ("are newly acknowledged, not", |o| {
            o.acked += 1;
            true
        }),
        ("loss by Some(Ooo), not by None", |o| {
            o.loss = o.loss.filter(|rule| *rule != Rule::Ooo);
            true
        }),
        ("loss by Some(Probe), not by Some(Ooo)", |o| {
            o.loss = o.loss.map(|rule| if rule == Rule::Probe { Rule::Ooo } else { rule });
            true
        }),
        ("recovery left: true, not false", |o| {
            o.recovery_left = false;
            true
        }),
        ("retransmitted", |o| {
            if o.psn != 0 && o.status.is_some() {
                o.psn ^= 1;
            }
            true
        }),
        ("is asked for", |o| {
            o.psn ^= u32::from(o.probe_due);
            true
        }),
        ("and no probe", |o| !o.probe_due),
        ("and no timeout", |o| o.status.is_some() || o.loss.is_none()),
    ];
    for (what, spoil) in faults {
        let network = Network { loss: 0.1, probe_loss: 0.3, sack_loss: 0.1, jitter: 10, ..ideal(3) };
        let mut tx = Spoilt { tx: SackTx::new(params(&network)), spoil };
        let mut rx = SackRx::new(params(&network));
        let stop = network::run(&network, &mut tx, &mut rx, &mut |_| {}).expect_err(what);
        let Stop::Broken(broken) = stop;
        assert!(broken.to_string().contains(what), "`{broken}` is to say `{what}`");
    }
}

/// The campaign in full: `cargo test --release -p respray-golden-tests network -- --ignored`.
#[test]
#[ignore = "about a minute"]
fn a_thousand_networks_of_ten_thousand_packets() {
    let mut found = [0; 3];
    for seed in 0..1000_u64 {
        let connections = [1, 4, 16][seed as usize % 3];
        let window = [64, 128, 256, 512][seed as usize % 4];
        let sizes = (window, PsnSpace::new([24, 32][seed as usize % 2]));
        let network = Network::random(seed, connections, 10_000 / connections, sizes, &Limits::default());
        for (found, more) in found.iter_mut().zip(run(&network).found_by) {
            *found += more;
        }
    }
    println!("losses found by the out-of-order count, a probe, the timeout: {found:?}");
    assert!(found.iter().all(|&n| n > 10_000), "{found:?}");
}
