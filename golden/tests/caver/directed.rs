//! Each kind of result by itself, ages, the scale of congestion, and which of two paths is the better one.

use super::{engine, is_from_host};
use respray_golden::caver::{AckShim, DataShim, Engine, Kind, Op, OpKind, Outcome, Params, Settings};
use respray_golden::dre::{Dre, SUM_MAX};

const HOST: u8 = 0;
const UPLINK: u8 = 8;
const OTHER: u8 = 9;
const DST: u16 = 5;

fn settings() -> Settings {
    Settings { path_age: 50, flow_timeout: 80, is_host: 0xf, up: 0xffff, dre_alpha: 2 }
}

fn data(now: u8) -> Op {
    Op {
        dst: DST,
        in_port: HOST,
        hash: 0xabcd_0007,
        bytes: 1000,
        fib_port: 12,
        now,
        settings: settings(),
        ..Op::default()
    }
}

/// From another switch, with a route.
fn routed(hop: u8, path: u32) -> Op {
    Op { in_port: UPLINK, enable: true, hop, path, ..data(0) }
}

fn ack(in_port: u8, ce: u8, now: u8) -> Op {
    Op {
        kind: OpKind::Ack,
        dst: DST,
        in_port,
        ce,
        len: 1,
        path: 0xff_ff00 | (u32::from(in_port) + 0x20),
        to_local: true,
        now,
        settings: settings(),
        ..Op::default()
    }
}

fn visit(index: u16, now: u8) -> Op {
    Op { kind: OpKind::Visit, dst: index, now, settings: settings(), ..Op::default() }
}

/// The route that `ack` of this port makes.
fn route_by(port: u8) -> u32 {
    0xffff_0000 | (u32::from(port) + 0x20) << 8 | u32::from(port)
}

fn by_route(kind: Kind, port: u8) -> Outcome {
    Outcome::Data { kind, port, shim: Some(DataShim { hop: 0, path: route_by(port) }) }
}

fn by_fib(kind: Kind) -> Outcome {
    Outcome::Data { kind, port: 12, shim: None }
}

fn kind_of(outcome: Outcome) -> Kind {
    match outcome {
        Outcome::Data { kind, .. } | Outcome::Ack { kind, .. } => kind,
        Outcome::Nothing => panic!("no result"),
    }
}

/// Loads a port so that it shows this congestion.
fn load(engine: &mut Engine, port: u8, congestion: u32) {
    let mut bytes = congestion << 13;
    while bytes != 0 {
        let part = bytes.min(8192);
        engine.apply(&Op { is_local: true, fib_port: port, bytes: part as u16, ..data(0) });
        bytes -= part;
    }
}

#[test]
fn a_flow_takes_the_best_path_and_stays_with_it() {
    let mut engine = engine();
    assert_eq!(kind_of(engine.apply(&ack(UPLINK, 7, 0))), Kind::Took);
    assert_eq!(engine.apply(&data(1)), by_route(Kind::New, UPLINK));
    assert_eq!(kind_of(engine.apply(&ack(OTHER, 3, 2))), Kind::Took);
    assert_eq!(engine.apply(&data(3)), by_route(Kind::Same, UPLINK));
    let another = Op { hash: 0x1111_0008, ..data(3) };
    assert_eq!(engine.apply(&another), by_route(Kind::New, OTHER));
}

#[test]
fn without_a_path_a_flow_goes_by_ecmp_and_stays_with_it() {
    let mut engine = engine();
    assert_eq!(engine.apply(&data(0)), by_fib(Kind::Ecmp));
    engine.apply(&ack(UPLINK, 0, 1));
    assert_eq!(engine.apply(&data(2)), by_fib(Kind::Same));
    let elsewhere = Op { fib_port: 11, ..data(3) };
    assert_eq!(engine.apply(&elsewhere), Outcome::Data { kind: Kind::Same, port: 11, shim: None });
}

#[test]
fn another_flow_of_the_same_entry_goes_by_ecmp_until_the_entry_dies() {
    let mut engine = engine();
    engine.apply(&ack(UPLINK, 7, 0));
    engine.apply(&data(0));
    let other_tag = |now| Op { hash: 0x1234_0007, ..data(now) };
    let other_dst = |now| Op { dst: DST + 1, ..data(now) };
    assert_eq!(engine.apply(&other_tag(1)), by_fib(Kind::Collided));
    assert_eq!(engine.apply(&other_dst(1)), by_fib(Kind::Collided));
    // what collides does not keep the entry alive
    assert_eq!(engine.apply(&other_tag(80)), by_fib(Kind::Collided));
    assert_eq!(engine.apply(&other_tag(81)), by_fib(Kind::Ecmp), "the path is dead by now");
    assert_eq!(engine.apply(&data(81)), by_fib(Kind::Collided));
}

#[test]
fn local_data_is_delivered_whatever_its_shim_and_its_port_say() {
    let mut engine = engine();
    engine.apply(&ack(UPLINK, 7, 0));
    for op in [data(0), routed(0, 0x0908_0706), Op { in_port: OTHER, ..data(0) }] {
        let before = engine.dre(2);
        let outcome = engine.apply(&Op { is_local: true, fib_port: 2, ..op });
        assert_eq!(outcome, Outcome::Data { kind: Kind::Deliver, port: 2, shim: None });
        assert_eq!(engine.dre(2), before + 1000);
        assert!(!engine.flow(7).valid);
    }
}

#[test]
fn a_route_is_followed_hop_by_hop_and_a_bad_one_is_left() {
    let mut engine = engine();
    let path = 0x0f_0a_09_08;
    for (hop, port) in [(0, 9), (1, 10), (2, 15)] {
        let shim = Some(DataShim { hop: hop + 1, path });
        assert_eq!(
            engine.apply(&routed(hop, path)),
            Outcome::Data { kind: Kind::Routed, port, shim },
            "hop {hop}"
        );
    }
    assert_eq!(engine.apply(&routed(3, path)), by_fib(Kind::BadRoute), "the route is over");
    assert_eq!(engine.apply(&routed(0, 0x0f0a_1008)), by_fib(Kind::BadRoute), "no such port");
    assert_eq!(engine.apply(&routed(0, 0x0f0a_ff08)), by_fib(Kind::BadRoute), "no port");
    assert_eq!(engine.apply(&routed(0, 0x0f0a_0308)), by_fib(Kind::BadRoute), "a host's port");
    assert_eq!(engine.apply(&Op { enable: false, ..routed(0, path) }), by_fib(Kind::Ecmp));
    let is_any = (0..1024).any(|place| engine.flow(place).valid);
    assert!(!is_any, "none of them has a flow entry");
}

#[test]
fn a_shim_from_a_host_is_not_believed() {
    let mut engine = engine();
    let op = Op { enable: true, path: 0x0908_0706, ..data(0) };
    assert!(is_from_host(&op));
    assert_eq!(engine.apply(&op), by_fib(Kind::Ecmp));
}

#[test]
fn acks_of_hosts_begin_the_path_with_the_hosts_own_link() {
    let mut engine = engine();
    load(&mut engine, HOST, 3);
    let from_host = Op { to_local: false, ..ack(HOST, 99, 0) };
    let shim = Some(AckShim { ce: 3, len: 0, path: u32::MAX, dst: DST });
    assert_eq!(engine.apply(&from_host), Outcome::Ack { kind: Kind::Advertised, shim });
    assert_eq!(engine.apply(&ack(HOST, 99, 0)), Outcome::Ack { kind: Kind::Pass, shim: None });
    assert!(!engine.path(DST).valid);
}

#[test]
fn an_ack_is_passed_on_with_the_better_path() {
    let mut engine = engine();
    load(&mut engine, OTHER, 5);
    let on = |in_port, ce, len| Op { to_local: false, len, ..ack(in_port, ce, 0) };
    let out = |kind, port, ce, len| Outcome::Ack {
        kind,
        shim: Some(AckShim { ce, len, path: route_by(port), dst: DST }),
    };
    assert_eq!(engine.apply(&on(UPLINK, 6, 0)), out(Kind::Took, UPLINK, 6, 1));
    assert_eq!(engine.apply(&on(OTHER, 2, 1)), out(Kind::Took, OTHER, 5, 2), "the link's own counts");
    assert_eq!(engine.path(DST).ce, 2, "what is behind the port is stored");
    assert_eq!(engine.apply(&on(UPLINK, 6, 0)), out(Kind::Kept, OTHER, 5, 2));
    load(&mut engine, OTHER, 4);
    assert_eq!(engine.apply(&on(UPLINK, 9, 0)), out(Kind::Took, UPLINK, 9, 1), "5 and 4 are 9");
}

#[test]
fn of_equal_paths_the_newer_one_is_taken() {
    let mut engine = engine();
    engine.apply(&ack(UPLINK, 4, 0));
    assert_eq!(kind_of(engine.apply(&ack(OTHER, 5, 0))), Kind::Kept);
    assert_eq!(kind_of(engine.apply(&ack(OTHER, 4, 0))), Kind::Took);
    assert_eq!(engine.path(DST).port, OTHER);
}

#[test]
fn a_worse_report_of_the_stored_port_is_believed() {
    let mut engine = engine();
    engine.apply(&ack(UPLINK, 4, 0));
    assert_eq!(kind_of(engine.apply(&ack(UPLINK, 200, 1))), Kind::Took);
    assert_eq!((engine.path(DST).ce, engine.path(DST).t), (200, 1));
    assert_eq!(kind_of(engine.apply(&ack(OTHER, 199, 1))), Kind::Took);
}

#[test]
fn a_full_path_is_passed_on_as_it_is() {
    let mut engine = engine();
    let refused = Outcome::Ack { kind: Kind::Refused, shim: None };
    let full = Op { len: 3, ..ack(UPLINK, 1, 0) };
    assert_eq!(engine.apply(&Op { to_local: false, ..full }), refused);
    assert!(!engine.path(DST).valid);
    // a ToR takes it: that is the whole route
    assert_eq!(engine.apply(&full), Outcome::Ack { kind: Kind::Took, shim: None });
    let stored = *engine.path(DST);
    assert_eq!(engine.apply(&Op { to_local: false, ..ack(OTHER, 2, 0) }), refused);
    assert_eq!(*engine.path(DST), stored);
    assert_eq!(engine.apply(&ack(OTHER, 2, 0)), Outcome::Ack { kind: Kind::Kept, shim: None });
    let better = engine.apply(&Op { to_local: false, ..ack(OTHER, 0, 0) });
    assert_eq!(kind_of(better), Kind::Took);
}

#[test]
fn a_path_dies_after_path_age_and_any_report_takes_its_place() {
    for (age, kind) in [(50, Kind::New), (51, Kind::Ecmp)] {
        let mut engine = engine();
        engine.apply(&ack(UPLINK, 0, 230));
        let outcome = engine.apply(&data(230_u8.wrapping_add(age)));
        assert_eq!(kind_of(outcome), kind, "age {age}");
    }
    for (age, kind) in [(50, Kind::Kept), (51, Kind::Took)] {
        let mut engine = engine();
        engine.apply(&ack(UPLINK, 0, 230));
        let outcome = engine.apply(&ack(OTHER, 90, 230_u8.wrapping_add(age)));
        assert_eq!(kind_of(outcome), kind, "age {age}");
    }
}

#[test]
fn a_flow_dies_after_flow_timeout_without_a_packet() {
    let mut engine = engine();
    engine.apply(&ack(UPLINK, 0, 0));
    engine.apply(&data(0));
    assert_eq!(kind_of(engine.apply(&data(80))), Kind::Same);
    assert_eq!(kind_of(engine.apply(&data(160))), Kind::Same, "each packet begins the time anew");
    assert_eq!(kind_of(engine.apply(&data(241))), Kind::Ecmp);
}

#[test]
fn times_wrap_and_the_walker_comes_before_that() {
    let late = |is_walked: bool| {
        let mut engine = engine();
        engine.apply(&ack(UPLINK, 0, 10));
        engine.apply(&data(10));
        if is_walked {
            for index in 0..1024 {
                engine.apply(&visit(index, 100));
            }
        }
        // 256 ticks later the time is the same
        (kind_of(engine.apply(&data(10))), engine.path(DST).valid)
    };
    assert_eq!(late(false), (Kind::Same, true), "without the walker the dead look alive");
    assert_eq!(late(true), (Kind::Ecmp, false));
}

#[test]
fn the_walker_leaves_what_lives_and_comes_round_in_the_smaller_table() {
    let mut engine = engine();
    engine.apply(&ack(UPLINK, 0, 0));
    engine.apply(&data(0));
    engine.apply(&visit(7, 80));
    assert!(engine.flow(7).valid && engine.path(DST).valid, "path 7 is not path 5");
    engine.apply(&visit(DST, 50));
    assert!(engine.path(DST).valid);
    engine.apply(&visit(64 + DST, 51));
    assert!(!engine.path(DST).valid && engine.flow(7).valid);
    engine.apply(&visit(7, 81));
    assert!(!engine.flow(7).valid);
}

#[test]
fn a_port_that_is_not_up_kills_what_leads_through_it() {
    let down = |op: Op| Op { settings: Settings { up: !(1 << UPLINK), ..settings() }, ..op };
    let mut engine = engine();
    engine.apply(&ack(UPLINK, 0, 0));
    engine.apply(&data(0));
    assert_eq!(engine.apply(&down(data(1))), by_fib(Kind::Ecmp), "neither the flow nor the path");
    assert_eq!(engine.apply(&data(2)), by_fib(Kind::Same), "a flow by ECMP has no port of its own");
    assert_eq!(kind_of(engine.apply(&down(ack(OTHER, 90, 2)))), Kind::Took);
    let another = Op { hash: 1, ..data(2) };
    assert_eq!(engine.apply(&down(another)), by_route(Kind::New, OTHER));
    // what the walker forgot does not come back with the port
    engine.apply(&ack(UPLINK, 0, 3));
    engine.apply(&down(visit(DST, 3)));
    assert!(!engine.path(DST).valid);
}

#[test]
fn a_sum_saturates_and_decays_to_below_two_to_the_alpha() {
    let mut dre = Dre::default();
    for _ in 0..5000 {
        dre.count((1 << 14) - 1);
    }
    assert_eq!((dre.sum(), dre.congestion()), (SUM_MAX, 255));
    for alpha in 0..8 {
        let mut dre = dre;
        let mut periods = 0;
        while dre.sum() >= 1 << alpha {
            let before = dre.sum();
            dre.decay(alpha);
            assert!(dre.sum() < before);
            periods += 1;
        }
        assert!(periods < 20 << alpha, "alpha {alpha}: {periods}");
        let rest = dre.sum();
        dre.decay(alpha);
        assert_eq!(dre.sum(), if alpha == 0 { 0 } else { rest });
    }
}

#[test]
fn a_full_link_of_100_gb_s_comes_to_rest_at_the_end_of_the_scale() {
    // 41.9 us at 12.5 bytes a ns are 2^19 bytes, and `a` is 1/4
    let (mut dre, period) = (Dre::default(), 1 << 19);
    let mut half = Dre::default();
    for _ in 0..60 {
        (0..period / 8192).for_each(|_| dre.count(8192));
        (0..period / 8192).for_each(|_| half.count(4096));
        if dre.sum() < SUM_MAX {
            assert!(dre.congestion() >= half.congestion());
        }
        let peak = dre.sum();
        dre.decay(2);
        half.decay(2);
        assert!(peak <= 1 << 21);
    }
    assert!((1.49e6..1.58e6).contains(&f64::from(dre.sum())), "{}", dre.sum());
    (0..period / 8192).for_each(|_| dre.count(8192));
    assert!(dre.congestion() >= 254, "{}", dre.congestion());
    assert!((90..=128).contains(&half.congestion()), "{}", half.congestion());
}

#[test]
fn a_port_has_a_scale_of_its_own() {
    let mut engine = engine();
    load(&mut engine, UPLINK, 8);
    load(&mut engine, OTHER, 8);
    let set = Op { kind: OpKind::SetShift, port: OTHER, shift: 15, ..data(0) };
    assert_eq!(engine.apply(&set), Outcome::Nothing);
    assert_eq!((engine.congestion(UPLINK), engine.congestion(OTHER)), (8, 2));
    engine.apply(&Op { kind: OpKind::Decay, port: OTHER, ..data(0) });
    assert_eq!((engine.dre(UPLINK), engine.dre(OTHER)), (8 << 13, 6 << 13));
    load(&mut engine, UPLINK, 300);
    assert_eq!(engine.congestion(UPLINK), 255);
    engine.reset();
    load(&mut engine, OTHER, 8);
    assert_eq!((engine.dre(UPLINK), engine.congestion(OTHER)), (0, 8));
}

#[test]
fn reset_forgets_all_and_a_reserved_op_nothing() {
    let mut engine = engine();
    engine.apply(&ack(UPLINK, 0, 0));
    engine.apply(&data(0));
    assert_eq!(engine.apply(&Op { kind: OpKind::from_code(2), ..data(0) }), Outcome::Nothing);
    assert!(engine.flow(7).valid && engine.path(DST).valid && engine.dre(UPLINK) == 1000);
    engine.reset();
    assert!(!engine.flow(7).valid && !engine.path(DST).valid && engine.dre(UPLINK) == 0);
}

#[test]
fn codes_are_those_of_the_ports() {
    let kinds = [0, 1, 3].map(OpKind::from_code);
    assert_eq!(kinds, [OpKind::Data, OpKind::Ack, OpKind::SetShift]);
    let data = [Kind::Deliver, Kind::Same, Kind::Collided, Kind::New, Kind::Ecmp, Kind::Routed];
    assert_eq!(data.map(Kind::code), [0, 1, 2, 3, 4, 5]);
    assert_eq!(Kind::BadRoute.code(), 6);
    let acks = [Kind::Pass, Kind::Advertised, Kind::Refused, Kind::Took, Kind::Kept];
    assert_eq!(acks.map(Kind::code), [8, 9, 10, 11, 12]);
}

#[test]
#[should_panic(expected = "flows must be a power of two")]
fn a_flow_table_is_a_power_of_two() {
    Engine::new(Params { destinations: 64, ports: 16, flows: 1500, ..Params::default() });
}
