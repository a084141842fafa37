//! How the EVs of the engines spread.

use respray_golden::ops::{Keys, Ops, Order, Params};
use respray_golden::selector::{Engine, Op, OpKind};

use super::{APPENDIX_B, load_imbalance};

/// Load imbalance over 32 uplinks of flows whose EVs are taken from so many connections in turn.
fn imbalance(ev_bits: u32, connections: u16, keys: Keys) -> f64 {
    let params = Params {
        connections: connections.into(),
        ev_base: 0,
        ev_bits: ev_bits as u8,
        time_bits: 32,
        seed: 4,
        keys,
    };
    let mut engine = Engine::<Ops>::new(params);
    let mut conn = 0;
    load_imbalance(ev_bits, || {
        conn = (conn + 1) % connections;
        let outcome = engine.apply(&Op { kind: OpKind::Send, conn, ..Op::default() });
        outcome.result.expect("a send has a result").ev
    })
}

#[test]
fn load_imbalance_over_32_uplinks_is_that_of_appendix_b() {
    for (ev_bits, range) in APPENDIX_B {
        let seen = imbalance(ev_bits, 32, Keys { order: Order::Random, paths: 0 });
        assert!(range.contains(&seen), "{ev_bits} bits: {seen}");
    }
}

#[test]
fn load_imbalance_shows_evs_that_are_never_used() {
    // one connection sends onto 256 paths of the 65536 EVs
    let (ev_bits, range) = APPENDIX_B[3].clone();
    let seen = imbalance(ev_bits, 1, Keys { order: Order::Permuted, paths: 256 });
    assert!(seen > 2.0 * range.end, "{seen}");
}
