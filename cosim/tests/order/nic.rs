//! `flowcut` as Verilog, its golden model beside it, and `reps` in the same place as the counter-example.

use std::collections::HashMap;

use respray_cosim::cores::flowcut::params;
use respray_cosim::lockstep::single::Single;
use respray_golden::flowcut::{self, Engine, OpKind, Outcome, Route};
use respray_golden::order::nic::Network;
use respray_golden::order::{Fabric, Report, SenderEnd, Traffic};
use respray_hdl::config::Config;
use respray_hdl::cores::flowcut::contract::{CONTRACT, Op};
use respray_hdl::cores::selector::{self, SelectorOp};
use respray_hdl::cores::{generate, reps};
use respray_hdl::manifest::Generated;

const SEED: u16 = 5;
const FLOWS: u32 = 16;

fn config(sets: &[&str]) -> Config {
    let sets: Vec<String> = [&["connections=16"], sets].concat().iter().map(|set| set.to_string()).collect();
    Config::load(None, &sets).unwrap()
}

/// The Verilog in the place of the model.
struct Verilog(Single);

impl Verilog {
    fn new(core: &Generated) -> Verilog {
        Verilog(Single::new(core, &CONTRACT, SEED, true).unwrap())
    }
}

/// The Verilog, whose every outcome is that of the model.
struct Both {
    verilog: Verilog,
    golden: Engine,
}

impl Both {
    fn new(variant: &str) -> Both {
        let config = config(&[&format!("flowcut.variant={variant}")]);
        let core = generate("flowcut", &config).unwrap();
        Both { verilog: Verilog::new(&core), golden: Engine::new(params(&config, SEED)) }
    }
}

/// An op as it stands at the ports.
fn at_ports(op: &flowcut::Op) -> Op {
    let flowcut::Settings { rtt_floor, ratio, alpha, hold, timeout_reroutes } = op.settings;
    Op {
        kind: op.kind as u8,
        conn: op.conn,
        bytes: op.bytes as u16,
        rtx: op.is_retransmission,
        recvd: op.recvd,
        timestamp: op.timestamp,
        class: op.class,
        serial: op.serial,
        now: op.now,
        rtt_floor,
        ratio,
        alpha,
        hold,
        timeout_reroutes,
    }
}

impl SenderEnd for Verilog {
    fn apply(&mut self, op: &flowcut::Op) -> Outcome {
        self.0.execute(&at_ports(op));
        let flag = |port: &str| self.0.shown(port) != 0;
        let ev = self.0.shown("res_ev") as u16;
        let route = match self.0.shown("res_kind") {
            0 => Route::New(ev),
            2 => Route::Same(ev),
            _ => Route::Wait,
        };
        Outcome {
            sent: flag("res_valid").then(|| (route, flag("res_draining"))),
            drain_started: flag("drain_started"),
            drain_done: flag("drain_done"),
            drain_given_up: flag("drain_given_up"),
            order_risk: flag("order_risk"),
            ack_refused: flag("ack_refused"),
        }
    }
}

impl SenderEnd for Both {
    fn apply(&mut self, op: &flowcut::Op) -> Outcome {
        let outcome = self.verilog.apply(op);
        assert_eq!(outcome, self.golden.apply(op), "{op:?}");
        outcome
    }
}

/// Eight paths whose delays change, of which some are congested; every fiftieth packet and every fifth ACK is lost.
fn network(packets: u64) -> Network {
    Network {
        traffic: Traffic { flows: FLOWS, packets, ..Traffic::default() },
        fabric: Fabric { paths: 8, data_loss_ppm: 20_000, ack_loss_ppm: 200_000, ..Fabric::default() },
        ..Network::default()
    }
}

fn assert_in_order(report: &Report, packets: u64) {
    assert_eq!((report.sent, report.out_of_order, report.order_risks), (packets, 0, 0), "{report:#?}");
    assert_eq!((report.in_flight, report.contradictions), (0, 0), "{report:#?}");
    assert!(report.lost > packets / 100 && report.acks_lost > packets / 20, "{report:#?}");
    assert!(report.drains > packets / 10_000 && report.waits > 0, "{report:#?}");
}

#[test]
fn packets_arrive_in_order_with_verilog_at_the_sender() {
    for variant in ["paper", "sticky"] {
        let mut both = Both::new(variant);
        assert_in_order(&network(50_000).run(&mut both, 1), 50_000);
    }
}

#[test]
#[ignore = "minutes: ten million packets, each of some ops that wait for their results"]
fn ten_million_packets_arrive_in_order_with_verilog_at_the_sender() {
    for variant in ["paper", "sticky"] {
        let mut both = Both::new(variant);
        let report = network(10_000_000).run(&mut both, 2);
        println!("{variant}: {report:#?}");
        assert_in_order(&report, 10_000_000);
    }
}

/// The Verilog without a guard: with other text in place of what is generated.
fn unguarded(edits: &[(&str, &str)]) -> Report {
    let Generated { mut verilog, manifest } = generate("flowcut", &config(&[])).unwrap();
    for (text, without) in edits {
        assert_eq!(verilog.matches(text).count(), 1, "`{text}` is generated differently: write it anew");
        verilog = verilog.replace(text, without);
    }
    network(100_000).run(&mut Verilog::new(&Generated { verilog, manifest }), 3)
}

#[test]
fn without_the_guard_of_a_new_ev_packets_overtake() {
    let report = unguarded(&[("(!occupied & !op_uncounted))", "!op_uncounted)")]);
    assert!(report.out_of_order + report.excused > 1000, "{report:#?}");
}

#[test]
fn a_drain_that_takes_a_new_ev_at_once_lets_packets_overtake() {
    let report = unguarded(&[
        ("op_send & (!flags_placed |", "op_send & (!flags_placed | flags_draining |"),
        ("is_first & !(op_hold & drains_if_cool);", "is_first;"),
        ("is_first & !(op_hold & drains_if_hot);", "is_first;"),
    ]);
    assert!(report.out_of_order + report.excused > 100, "{report:#?}");
}

/// `reps` in the place of `flowcut`; an ACK is of the packet of its connection that was sent at the time that it echoes.
struct Reps {
    verilog: Single,
    evs: HashMap<(u16, u32), u16>,
}

impl SenderEnd for Reps {
    fn apply(&mut self, op: &flowcut::Op) -> Outcome {
        let kind = match op.kind {
            OpKind::Send => selector::SEND,
            OpKind::Ack => selector::ACK,
            _ => return Outcome::default(),
        };
        let ev = self.evs.get(&(op.conn, op.timestamp)).copied().unwrap_or_default();
        self.verilog.execute(&SelectorOp { kind, conn: op.conn, ev, ..SelectorOp::default() });
        if kind == selector::ACK {
            return Outcome::default();
        }
        let ev = self.verilog.shown("res_ev") as u16;
        self.evs.insert((op.conn, op.now), ev);
        Outcome { sent: Some((Route::New(ev), false)), ..Outcome::default() }
    }
}

#[test]
fn with_reps_in_its_place_packets_overtake() {
    let core = generate("reps", &config(&[])).unwrap();
    let verilog = Single::new(&core, &reps::contract::CONTRACT, SEED, true).unwrap();
    let report = network(50_000).run(&mut Reps { verilog, evs: HashMap::new() }, 1);
    assert!(report.out_of_order > 1000, "{report:#?}");
}
