//! An entry for each uplink, and a list of hosts of which ACKs speak in turn.

use rand::SeedableRng;
use rand::rngs::Xoshiro256PlusPlus;
use respray_golden::caver::{
    Advertise, Engine, Kind, Op, OpKind, Outcome, Params, Path, Settings, Table, UPLINKS,
};

use super::{HOT_DESTINATIONS, op};

const HOSTS: u64 = 0b11;

fn params(ports: u32) -> Params {
    Params { destinations: 64, ports, flows: 1024, table: Table::PerPort, ..Params::default() }
}

fn of_host(engine: &mut Engine, hash: u32, up: u64) -> (Kind, u8) {
    let settings = Settings { is_host: HOSTS, up, ..Settings::default() };
    match engine.apply(&Op { dst: 3, hash, fib_port: 2, settings, ..Op::default() }) {
        Outcome::Data { kind, port, .. } => (kind, port),
        other => panic!("{other:?}"),
    }
}

/// Of what is passed on: how it came about, its first port, its congestion.
fn report(engine: &mut Engine, port: u8, ce: u8) -> (Kind, Option<(u8, u8)>) {
    let settings = Settings { is_host: HOSTS, ..Settings::default() };
    let op = Op { kind: OpKind::Ack, dst: 3, in_port: port, ce, len: 1, path: 7, settings, ..Op::default() };
    match engine.apply(&op) {
        Outcome::Ack { kind, shim } => (kind, shim.map(|shim| (shim.path as u8, shim.ce))),
        other => panic!("{other:?}"),
    }
}

/// Slots of the core's own.
fn turns(engine: &mut Engine, count: u32) {
    (0..count).for_each(|_| _ = engine.apply(&Op { kind: OpKind::Visit, ..Op::default() }));
}

#[test]
fn a_path_that_becomes_worse_leaves_the_other_one_known() {
    let mut engine = Engine::new(params(16));
    assert_eq!(report(&mut engine, 4, 20), (Kind::Took, Some((4, 20))));
    assert_eq!(report(&mut engine, 5, 30), (Kind::Kept, Some((4, 20))));
    assert_eq!(report(&mut engine, 4, 40), (Kind::Kept, Some((5, 30))));
    assert_eq!(of_host(&mut engine, 1, u64::MAX), (Kind::New, 5));
    assert_eq!(of_host(&mut engine, 2, !(1 << 5)), (Kind::New, 4));
    assert_eq!(of_host(&mut engine, 3, 0), (Kind::Ecmp, 2));
    let uplinks = engine.uplinks().unwrap();
    assert_eq!((uplinks.path(3, 4).ce, uplinks.path(3, 5).ce), (40, 30));
    engine.reset();
    assert_eq!(of_host(&mut engine, 1, u64::MAX), (Kind::Ecmp, 2));
}

#[test]
fn choices_see_the_load_of_an_uplink_after_its_turn_and_the_next_one() {
    let mut engine = Engine::new(params(16));
    report(&mut engine, 4, 20);
    report(&mut engine, 5, 30);
    (0..50).for_each(|_| {
        let op = Op { is_local: true, fib_port: 4, bytes: 16_000, ..Op::default() };
        engine.apply(&op);
    });
    // 800,000 bytes show as 97, in the ACK at once
    assert_eq!(report(&mut engine, 6, 200), (Kind::Kept, Some((4, 97))));
    turns(&mut engine, 5);
    assert_eq!(report(&mut engine, 6, 200), (Kind::Kept, Some((4, 97))));
    turns(&mut engine, 1);
    assert_eq!(report(&mut engine, 6, 200), (Kind::Kept, Some((5, 30))));
}

#[test]
fn of_equal_paths_each_is_taken_about_as_often() {
    let mut engine = Engine::new(params(16));
    [4, 9, 12].into_iter().for_each(|port| _ = report(&mut engine, port, 20));
    let mut taken = [0; 16];
    (0..1024).for_each(|hash| taken[usize::from(of_host(&mut engine, hash, u64::MAX).1)] += 1);
    // the places before each of them: 8, 5 and 3 of 16
    for (port, share) in [(4, 8), (9, 5), (12, 3)] {
        let due = 64 * share;
        assert!((due - 60..due + 60).contains(&taken[port]), "{taken:?}");
    }
}

#[test]
fn of_more_ports_than_sixteen_the_last_are_uplinks() {
    let mut engine = Engine::new(params(64));
    assert_eq!(report(&mut engine, 63 - UPLINKS, 1), (Kind::Refused, None));
    assert_eq!(report(&mut engine, 64 - UPLINKS, 1), (Kind::Took, Some((48, 1))));
}

/// C8, with an entry for each uplink: an ACK changes that of its own uplink at most, data none, and the walker makes none.
#[test]
fn c8_an_ack_changes_one_slot_at_most() {
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(8);
    let mut engine = Engine::new(params(16));
    let slots = |engine: &Engine| -> Vec<Path> {
        let uplinks = engine.uplinks().expect("each uplink has an entry");
        (0..HOT_DESTINATIONS)
            .flat_map(|dst| (0..UPLINKS).map(move |uplink| *uplinks.path(dst, uplink)))
            .collect()
    };
    let (mut was, mut changed, mut cleared) = (slots(&engine), 0, 0);
    for number in 0..60_000_u32 {
        let now = (number / 32) as u8;
        let op = op(&mut rng, 0xdfff, now.into());
        let outcome = engine.apply(&op);
        let is = slots(&engine);
        for (place, (was, is)) in was.iter().zip(&is).enumerate().filter(|(_, (was, is))| was != is) {
            let (dst, uplink) = (place as u16 / u16::from(UPLINKS), place as u8 % UPLINKS);
            assert_eq!(dst, op.dst, "{op:?}");
            match op.kind {
                OpKind::Ack => {
                    assert_eq!(uplink, op.in_port, "{op:?}");
                    assert_eq!((is.valid, is.port, is.ce, is.t), (true, op.in_port, op.ce, now), "{op:?}");
                    // C7: what is refused for its own length stores nothing
                    assert!(op.to_local || op.len < 3, "{op:?}: {outcome:?}");
                    changed += 1;
                }
                OpKind::Visit => {
                    assert_eq!(Path { valid: false, ..*was }, *is, "{op:?}");
                    cleared += 1;
                }
                _ => panic!("{op:?} changes a slot"),
            }
        }
        was = is;
    }
    assert!(changed > 10_000 && cleared > 300, "{changed}, {cleared}");
}

#[test]
fn acks_speak_of_the_hosts_of_a_list_in_turn() {
    let mut engine = Engine::new(Params { advertise: Advertise::RoundRobin, ..params(16) });
    let settings = Settings { is_host: HOSTS, ..Settings::default() };
    let speaks = |engine: &mut Engine| {
        let ack = Op { kind: OpKind::Ack, dst: 9, settings, ..Op::default() };
        match engine.apply(&ack) {
            Outcome::Ack { kind: Kind::Advertised, shim: Some(shim) } => (shim.dst, shim.ce),
            other => panic!("{other:?}"),
        }
    };
    assert_eq!(speaks(&mut engine), (9, 0));
    engine.apply(&Op { is_local: true, fib_port: 1, bytes: 8192, ..Op::default() });
    for (dst, port) in [(20, 1), (21, 0)] {
        engine.apply(&Op { kind: OpKind::Host, dst, port, ..Op::default() });
    }
    assert_eq!([(); 3].map(|()| speaks(&mut engine)), [(20, 1), (21, 0), (20, 1)]);
    (0..40).for_each(|dst| _ = engine.apply(&Op { kind: OpKind::Host, dst, ..Op::default() }));
    let turn: Vec<u16> = (0..32).map(|_| speaks(&mut engine).0).collect();
    assert_eq!(turn[..16], turn[16..]);
    assert_eq!((turn[0], turn[1], turn[14], turn[15]), (21, 0, 13, 20));
}
