//! `flowcut`, whole and with a guard removed.

use rand::rngs::Xoshiro256PlusPlus;
use rand::{RngExt, SeedableRng};
use respray_golden::flowcut::{Engine, Op, OpKind, Outcome, Params, Route, Settings, Variant};
use respray_golden::order::nic::Network;
use respray_golden::order::{Fabric, Report, SenderEnd, Traffic};

use super::{rough, traffic};

fn engine(variant: Variant) -> Engine {
    Engine::new(Params { connections: 32, variant, time_bits: 16, ev_base: 0, ev_bits: 16, seed: 9 })
}

fn network(packets: u64) -> Network {
    Network { traffic: traffic(packets), fabric: rough(), ..Network::default() }
}

fn assert_in_order(report: &Report) {
    assert_eq!(report.out_of_order, 0, "{report:#?}");
    assert_eq!(report.in_flight, 0, "{report:#?}");
    assert_eq!(report.contradictions, 0, "{report:#?}");
    assert_eq!(report.drains, report.drains_done + report.drains_given_up, "{report:#?}");
}

#[test]
fn a_million_packets_arrive_in_order_though_data_and_acks_are_lost() {
    for variant in [Variant::Paper, Variant::Sticky] {
        let report = network(1_000_000).run(&mut engine(variant), 1);
        println!("{variant:?}: {report:#?}");
        assert_in_order(&report);
        assert_eq!((report.sent, report.order_risks, report.excused), (1_000_000, 0, 0));
        assert!(report.lost > 15_000 && report.acks_lost > 100_000, "{report:#?}");
        assert!(report.drains > 1000 && report.flowcuts > 500, "{report:#?}");
        assert!(report.waits > 1000 && report.refused > 10_000, "{report:#?}");
    }
}

#[test]
fn many_small_networks_are_in_order_whatever_their_knobs() {
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(5);
    for seed in 0..100 {
        let net = Network {
            traffic: Traffic {
                flows: rng.random_range(1..=32),
                packets: 10_000,
                bytes: (1, rng.random_range(1..1 << 14)),
                burst: rng.random_range(0..100),
                gap: rng.random_range(0..200),
                pause: rng.random_range(0..4000),
            },
            fabric: Fabric {
                paths: rng.random_range(1..20),
                base: rng.random_range(1..500),
                spread: rng.random_range(0..300),
                turn_ppm: rng.random_range(0..500_000),
                congested_ppm: rng.random_range(0..1_000_000),
                congested: rng.random_range(0..3000),
                data_loss_ppm: rng.random_range(0..100_000),
                ack_loss_ppm: rng.random_range(0..500_000),
                ack_overtakes: rng.random(),
                ack_spread: rng.random_range(0..2000),
                ack_late_ppm: rng.random_range(0..100_000),
                ack_late: rng.random_range(0..10_000),
            },
            settings: Settings { ratio: rng.random_range(2..12), hold: rng.random(), ..Settings::default() },
            ..network(0)
        };
        assert_in_order(&net.run(&mut engine(Variant::Paper), seed));
        assert_in_order(&net.run(&mut engine(Variant::Sticky), seed));
    }
}

#[test]
fn a_timeout_that_reroutes_overtakes_only_where_it_said_so() {
    let settings = Settings { timeout_reroutes: true, ..Settings::default() };
    let report = Network { settings, ..network(300_000) }.run(&mut engine(Variant::Paper), 2);
    println!("{report:#?}");
    assert_in_order(&report);
    assert!(report.order_risks > 100, "{report:#?}");

    let impatient = Network { settings, timeout: 250, ..network(300_000) };
    let report = impatient.run(&mut engine(Variant::Paper), 2);
    println!("impatient: {report:#?}");
    assert_in_order(&report);
    assert!(report.excused > 0, "{report:#?}");
}

/// Packets so large, and so many on their way, that only half the circle of counts holds them back.
fn wide(packets: u64) -> Network {
    Network {
        traffic: Traffic { flows: 1, packets, bytes: (16_000, 16_383), burst: 0, gap: 0, pause: 0 },
        fabric: Fabric { base: 2000, ack_loss_ppm: 200_000, ..Fabric::default() },
        window: u32::MAX,
        timeout: 20_000,
        settings: Settings { ratio: 63, ..Settings::default() },
    }
}

#[test]
fn a_flow_waits_where_half_the_circle_is_on_its_way() {
    let report = wide(300_000).run(&mut engine(Variant::Paper), 3);
    assert_in_order(&report);
    assert!(report.waits > 1000, "{report:#?}");
}

#[test]
fn one_seed_gives_one_run() {
    let run = |seed| network(20_000).run(&mut engine(Variant::Paper), seed);
    assert_eq!(run(4), run(4));
    assert_ne!(run(4), run(5));
}

/// The engine with something wrong about it.
struct Broken<F>(Engine, F);

impl<F: FnMut(&mut Engine, &Op) -> Outcome> SenderEnd for Broken<F> {
    fn apply(&mut self, op: &Op) -> Outcome {
        (self.1)(&mut self.0, op)
    }
}

fn broken(fault: impl FnMut(&mut Engine, &Op) -> Outcome) -> Report {
    network(200_000).run(&mut Broken(engine(Variant::Paper), fault), 6)
}

fn assert_out_of_order(report: &Report) {
    println!("{} of {} out of order", report.out_of_order, report.sent);
    assert!(report.out_of_order > 0 && report.contradictions > 0, "{report:#?}");
}

#[test]
fn a_new_ev_with_bytes_on_their_way_is_out_of_order() {
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(1);
    assert_out_of_order(&broken(|engine, op| {
        let mut outcome = engine.apply(op);
        if let (Some((route @ Route::Same(_), _)), 0) = (&mut outcome.sent, rng.random_range(0..64_u32)) {
            *route = Route::New(rng.random());
        }
        outcome
    }));
}

#[test]
fn an_ev_for_each_packet_is_out_of_order() {
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(2);
    let report = broken(|_, op| match op.kind {
        OpKind::Send => Outcome { sent: Some((Route::New(rng.random()), false)), ..Outcome::default() },
        _ => Outcome::default(),
    });
    assert_out_of_order(&report);
    assert!(report.out_of_order * 10 > report.sent, "{report:#?}");
}

#[test]
fn a_hot_flow_that_moves_without_a_drain_is_out_of_order() {
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(3);
    let mut moved = [None; 32];
    assert_out_of_order(&broken(|engine, op| {
        let settings = Settings { hold: false, ..op.settings };
        let mut outcome = engine.apply(&Op { settings, ..*op });
        let ev = &mut moved[usize::from(op.conn)];
        if outcome.drain_started {
            *ev = Some(rng.random());
        }
        match (&mut outcome.sent, *ev) {
            (Some((Route::New(_), _)), _) => *ev = None,
            (Some((Route::Same(of_drained), _)), Some(new)) => *of_drained = new,
            _ => {}
        }
        outcome
    }));
}

/// The rules of Flowcut with counts of so many bits, which nothing keeps from going round.
struct Unguarded {
    mask: u32,
    flows: Vec<(u32, u32, u16)>,
    rng: Xoshiro256PlusPlus,
}

impl Unguarded {
    fn new(bits: u32) -> Self {
        Unguarded {
            mask: (1 << bits) - 1,
            flows: vec![(0, 0, 0); 32],
            rng: Xoshiro256PlusPlus::seed_from_u64(4),
        }
    }
}

impl SenderEnd for Unguarded {
    fn apply(&mut self, op: &Op) -> Outcome {
        let (sent, recvd, ev) = &mut self.flows[usize::from(op.conn)];
        let in_flight = sent.wrapping_sub(*recvd) & self.mask;
        match op.kind {
            OpKind::Send if op.is_retransmission => {
                Outcome { sent: Some((Route::Same(*ev), false)), ..Outcome::default() }
            }
            OpKind::Send => {
                *sent += op.bytes;
                let route = if in_flight == 0 {
                    *ev = self.rng.random();
                    Route::New(*ev)
                } else {
                    Route::Same(*ev)
                };
                Outcome { sent: Some((route, false)), ..Outcome::default() }
            }
            OpKind::Ack => {
                let bytes = op.recvd.wrapping_sub(*recvd) & self.mask;
                let ack_refused = bytes == 0 || bytes > in_flight;
                if !ack_refused {
                    *recvd = op.recvd;
                }
                Outcome { ack_refused, ..Outcome::default() }
            }
            _ => Outcome::default(),
        }
    }
}

#[test]
fn counts_that_go_round_unguarded_are_out_of_order_and_wide_ones_are_not() {
    let net = Network {
        traffic: Traffic { bytes: (1024, 1024), ..traffic(200_000) },
        window: 1 << 20,
        ..network(0)
    };
    assert_eq!(net.run(&mut Unguarded::new(24), 7).out_of_order, 0);
    assert_out_of_order(&net.run(&mut Unguarded::new(13), 7));
    // and at full width, with as much on its way
    let mut end = Unguarded::new(24);
    let traffic = Traffic { bytes: (1 << 13, 1 << 13), ..wide(300_000).traffic };
    assert_out_of_order(&Network { traffic, ..wide(300_000) }.run(&mut end, 7));
}
