//! `flowcut_switch`, whole and with a guard removed.

use rand::rngs::Xoshiro256PlusPlus;
use rand::{RngExt, SeedableRng};
use respray_golden::flowcut_switch::{Engine, Op, OpKind, Outcome, Params, Pick, Route, Settings};
use respray_golden::order::switch::Network;
use respray_golden::order::{Fabric, Report, SwitchEnd, Traffic};

use super::{rough, traffic};

fn engine(net: &Network, pick: Pick) -> Engine {
    Engine::new(Params { buckets: net.buckets(), uplinks: net.uplinks, pick, seed: 9 })
}

/// ACKs come up to 1600 ticks late, beyond `entry_timeout` of 1024 ticks, but within 16 flowcuts of 200 ticks at least.
fn network(packets: u64) -> Network {
    Network {
        traffic: traffic(packets),
        fabric: Fabric { ack_late_ppm: 20_000, ack_late: 1600, ..rough() },
        ..Network::default()
    }
}

fn assert_in_order(report: &Report) {
    assert_eq!(report.out_of_order, 0, "{report:#?}");
    assert_eq!(report.in_flight, 0, "{report:#?}");
    assert_eq!(report.contradictions, 0, "{report:#?}");
}

#[test]
fn a_million_packets_arrive_in_order_though_data_and_acks_are_lost() {
    for pick in [Pick::All, Pick::Two] {
        let net = network(1_000_000);
        let report = net.run(&mut engine(&net, pick), 1);
        println!("{pick:?}: {report:#?}");
        assert_in_order(&report);
        assert_eq!((report.sent, report.order_risks), (1_000_000, 0));
        assert!(report.lost > 15_000 && report.acks_lost > 100_000, "{report:#?}");
        assert!(report.drains > 1000 && report.flowcuts > 1000, "{report:#?}");
        assert!(report.cleared > 1000 && report.refused > 500, "{report:#?}");
    }
}

#[test]
fn where_little_is_lost_drains_end_with_their_last_ack() {
    let fabric = Fabric { data_loss_ppm: 1000, ack_loss_ppm: 1000, ..Fabric::default() };
    let net = Network { fabric, hold_ack_ppm: 300_000, ..network(1_000_000) };
    let report = net.run(&mut engine(&net, Pick::All), 2);
    println!("{report:#?}");
    assert_in_order(&report);
    assert!(report.drains_done > 1000 && report.drains_done * 10 > report.drains, "{report:#?}");
}

#[test]
fn many_small_networks_are_in_order_whatever_their_knobs() {
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(5);
    for seed in 0..100 {
        let net = Network {
            traffic: Traffic {
                flows: rng.random_range(1..=64),
                packets: 10_000,
                bytes: (1, rng.random_range(1..1 << 14)),
                burst: rng.random_range(0..100),
                gap: rng.random_range(0..200),
                pause: rng.random_range(0..4000),
            },
            fabric: Fabric {
                paths: rng.random_range(1..20),
                spread: rng.random_range(0..100),
                turn_ppm: rng.random_range(0..500_000),
                congested_ppm: rng.random_range(0..1_000_000),
                data_loss_ppm: rng.random_range(0..100_000),
                ack_loss_ppm: rng.random_range(0..500_000),
                ack_overtakes: rng.random(),
                ack_spread: rng.random_range(0..1000),
                ack_late: rng.random_range(0..500),
                ..network(0).fabric
            },
            hosts: rng.random_range(1..5),
            hash_bits: rng.random_range(0..6),
            deaf_ppm: rng.random_range(0..1_000_000),
            hold_ack_ppm: rng.random_range(0..1_000_000),
            flap_ppm: if rng.random() { rng.random_range(0..10_000) } else { 0 },
            settings: Settings { ratio: rng.random_range(2..12), ..Settings::default() },
            ..network(0)
        };
        let report = net.run(&mut engine(&net, Pick::All), seed);
        assert_in_order(&report);
        assert!(report.order_risks > 0 || report.excused == 0, "{report:#?}");
    }
}

#[test]
fn ports_that_die_overtake_only_where_it_was_said() {
    let net = Network { flap_ppm: 1000, ..network(300_000) };
    let report = net.run(&mut engine(&net, Pick::All), 2);
    println!("{report:#?}");
    assert_in_order(&report);
    assert!(report.forced > 100 && report.excused > 100, "{report:#?}");
    assert_eq!(report.forced, report.order_risks);
}

#[test]
fn hosts_that_ignore_xoff_are_served_in_order() {
    let net = Network { deaf_ppm: 1_000_000, ..network(300_000) };
    let report = net.run(&mut engine(&net, Pick::All), 3);
    println!("{report:#?}");
    assert_in_order(&report);
    assert_eq!(report.waits, 0);
    assert!(report.unheeded > 1000, "{report:#?}");
}

/// Flows that never pause, and a thousandth of the data lost.
fn steady(drain_after: u8) -> (Network, Report) {
    let net = Network {
        traffic: Traffic { flows: 8, packets: 300_000, burst: 0, ..Traffic::default() },
        fabric: Fabric { data_loss_ppm: 1000, congested_ppm: 0, ..Fabric::default() },
        settings: Settings { drain_after, ..Settings::default() },
        ..Network::default()
    };
    (net, net.run(&mut engine(&net, Pick::All), 4))
}

#[test]
fn a_steady_flow_that_loses_packets_gets_new_flowcuts_by_its_age_alone() {
    let (net, aged) = steady(8);
    println!("drain_after 8: {aged:#?}");
    assert_in_order(&aged);
    // one in 8 ages of 16 ticks of `clock`, one age more, and a silence of `entry_timeout`
    let most = (9 * 16 + u64::from(net.settings.entry_timeout) + 32) << net.clock_shift;
    assert!(aged.flowcuts * most > aged.ticks * 4, "{aged:#?}");
    let (_, ageless) = steady(0);
    println!("drain_after 0: {ageless:#?}");
    assert_in_order(&ageless);
    assert!(ageless.flowcuts < 100 && ageless.flowcuts * 10 < aged.flowcuts, "{ageless:#?}");
    assert_eq!(ageless.drains, 0);
}

#[test]
fn flows_of_a_host_share_buckets_as_chance_has_it() {
    for (hash_bits, percent) in [(7, 38.0), (8, 21.0)] {
        let (mut with_company, mut flows) = (0, 0);
        for seed in 0..50 {
            let net = Network {
                traffic: Traffic { flows: 61 * 4, packets: 0, ..Traffic::default() },
                hash_bits,
                ..Network::default()
            };
            let report = net.run(&mut engine(&net, Pick::All), seed);
            with_company += report.flows_with_company;
            flows += report.flows;
        }
        let measured = 100.0 * f64::from(with_company) / f64::from(flows);
        println!("{hash_bits} bits: {measured:.1} % have company");
        assert!((measured - percent).abs() < 2.0, "{measured}");
    }
}

#[test]
fn one_seed_gives_one_run() {
    let net = network(20_000);
    let run = |seed| net.run(&mut engine(&net, Pick::All), seed);
    assert_eq!(run(4), run(4));
    assert_ne!(run(4), run(5));
}

/// The engine with something wrong about it.
struct Broken<F>(Engine, F);

impl<F: FnMut(&mut Engine, &Op) -> Outcome> SwitchEnd for Broken<F> {
    fn apply(&mut self, op: &Op) -> Outcome {
        (self.1)(&mut self.0, op)
    }

    fn visit(&mut self, op: &Op) -> (u16, Outcome) {
        (op.bucket, (self.1)(&mut self.0, op))
    }
}

/// On many late ACKs, an `entry_timeout` that just outlasts the data, and packets of one size: a count that is wrong by one of them
/// still comes to 0.
fn broken(fault: impl FnMut(&mut Engine, &Op) -> Outcome) -> Report {
    let traffic = Traffic { bytes: (1024, 1024), burst: 8, gap: 250, pause: 1500, ..traffic(300_000) };
    let fabric = Fabric {
        turn_ppm: 100_000,
        congested_ppm: 500_000,
        congested: 300,
        ack_late_ppm: 200_000,
        ack_late: 1600,
        ..Fabric::default()
    };
    let settings = Settings { entry_timeout: 30, ..Settings::default() };
    let net = Network { traffic, fabric, settings, ..network(0) };
    assert_in_order(&net.run(&mut engine(&net, Pick::All), 6));
    let report = net.run(&mut Broken(engine(&net, Pick::All), fault), 6);
    println!("{} of {} out of order", report.out_of_order, report.sent);
    assert!(report.out_of_order > 0 && report.contradictions > 0, "{report:#?}");
    report
}

#[test]
fn without_epochs_a_late_ack_puts_packets_out_of_order() {
    broken(|engine, op| {
        let epoch = if op.kind == OpKind::Ack { engine.bucket(op.bucket).epoch } else { op.epoch };
        engine.apply(&Op { epoch, ..*op })
    });
}

#[test]
fn a_new_uplink_with_bytes_on_their_way_is_out_of_order() {
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(1);
    broken(|engine, op| {
        let mut outcome = engine.apply(op);
        if let (Some(route @ Route::Same(_)), 0) = (&mut outcome.sent, rng.random_range(0..64_u32)) {
            *route = Route::New(rng.random_range(0..8));
        }
        outcome
    });
}

#[test]
fn an_uplink_for_each_packet_is_out_of_order() {
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(2);
    let report = broken(|_, op| match op.kind {
        OpKind::Data => {
            Outcome { sent: Some(Route::New(rng.random_range(0..8))), epoch: 1, ..Outcome::default() }
        }
        _ => Outcome::default(),
    });
    assert!(report.out_of_order * 10 > report.sent, "{report:#?}");
}

#[test]
fn a_hot_bucket_that_moves_without_a_drain_is_out_of_order() {
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(3);
    let mut moved = [None; 64];
    broken(|engine, op| {
        let mut outcome = engine.apply(op);
        let port = &mut moved[usize::from(op.bucket)];
        if std::mem::take(&mut outcome.xoff) {
            *port = Some(rng.random_range(0..8));
        }
        outcome.xon = false;
        match (&mut outcome.sent, *port) {
            (Some(Route::New(_)), _) => *port = None,
            (Some(Route::Same(of_drained)), Some(new)) => *of_drained = new,
            _ => {}
        }
        outcome
    });
}
