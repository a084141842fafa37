//! The engines at the level of clock edges, and ops for them.

use std::collections::VecDeque;

use respray_hdl::cores::sack_rx::fast::Fast;
use respray_hdl::cores::sack_rx::small::Small;
use rust_hdl::prelude::*;

pub const PSNS: u32 = 1 << 24;

#[derive(Clone, Copy, Debug, Default)]
pub struct Op {
    pub init: bool,
    pub conn: u64,
    pub psn: u32,
    pub bytes: u32,
    pub ack_request: bool,
    pub probe: bool,
    pub threshold: u32,
    /// Echoed: ECN, EV and timestamp are made of it.
    pub mark: u32,
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Sack {
    pub psn: u32,
    pub epsn: u32,
    pub base: u32,
    pub bitmap: u64,
    pub ooo: u32,
    pub bytes_recvd: u32,
    pub mark: u32,
    pub probe: bool,
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Outcome {
    pub conn: u64,
    pub status: u8,
    pub sack: Option<Sack>,
}

pub fn init(psn: u32) -> Op {
    Op { init: true, psn, ..Op::default() }
}

/// A packet of 10 bytes that gets no SACK unless one is due for another reason.
pub fn packet(psn: u32) -> Op {
    Op { psn, bytes: 10, threshold: 0xFFFF, ..Op::default() }
}

/// An engine at the level of clock edges.
pub trait Engine {
    /// One clock cycle: the result before the edge, and whether an op can be taken at it.
    fn cycle(&mut self, op: Option<&Op>, rst: bool) -> (Option<Outcome>, bool);
}

macro_rules! engine {
    ($engine:ty) => {
        impl Engine for $engine {
            fn cycle(&mut self, op: Option<&Op>, rst: bool) -> (Option<Outcome>, bool) {
                self.clk.next = Clock { clk: false };
                self.rst.next = rst;
                self.op_valid.next = op.is_some();
                if let Some(op) = op {
                    self.op_kind.next = op.init;
                    self.op_conn.next = op.conn.into();
                    self.op_psn.next = u64::from(op.psn).into();
                    self.op_bytes.next = u64::from(op.bytes).into();
                    self.op_ack_request.next = op.ack_request;
                    self.op_probe.next = op.probe;
                    self.sack_threshold.next = u64::from(op.threshold).into();
                    self.op_ecn.next = op.mark & 1 == 1;
                    self.op_ev.next = u64::from(op.mark).into();
                    self.op_timestamp.next = u64::from(!op.mark & 0xFFFF).into();
                }
                assert!(simulate(self, 50));
                let sack = self.sack_valid.val().then(|| {
                    let mark = self.sack_ev.val().to_u32();
                    assert_eq!(self.sack_timestamp.val().to_u32(), !mark & 0xFFFF);
                    assert_eq!(self.sack_ecn.val(), mark & 1 == 1);
                    Sack {
                        psn: self.sack_psn.val().to_u32(),
                        epsn: self.sack_epsn.val().to_u32(),
                        base: self.sack_base.val().to_u32(),
                        bitmap: self.sack_bitmap.val().to_u64(),
                        ooo: self.sack_ooo.val().to_u32(),
                        bytes_recvd: self.sack_bytes_recvd.val().to_u32(),
                        mark,
                        probe: self.sack_probe.val(),
                    }
                });
                assert!(self.res_valid.val() || sack.is_none());
                let outcome = self.res_valid.val().then(|| Outcome {
                    conn: self.res_conn.val().to_u64(),
                    status: self.res_status.val().to_u8(),
                    sack,
                });
                let ready = self.op_ready.val();
                self.clk.next = Clock { clk: true };
                assert!(simulate(self, 50));
                (outcome, ready)
            }
        }
    };
}

engine!(Small<4, 4, 10, 6, 7, 1>);
engine!(Small<4, 5, 11, 7, 8, 2>);
engine!(Fast<4, 4, 10, 6, 7, 1, 1>);
engine!(Fast<4, 5, 11, 7, 8, 2, 1>);
engine!(Fast<4, 6, 12, 8, 9, 3, 3>);
engine!(Fast<4, 7, 13, 9, 10, 4, 7>);

pub fn small_64() -> Box<dyn Engine> {
    Box::new(Small::<4, 4, 10, 6, 7, 1>::new())
}

pub fn small_128() -> Box<dyn Engine> {
    Box::new(Small::<4, 5, 11, 7, 8, 2>::new())
}

pub fn fast_64() -> Box<dyn Engine> {
    Box::new(Fast::<4, 4, 10, 6, 7, 1, 1>::new())
}

pub fn fast_128() -> Box<dyn Engine> {
    Box::new(Fast::<4, 5, 11, 7, 8, 2, 1>::new())
}

pub fn fast_256() -> Box<dyn Engine> {
    Box::new(Fast::<4, 6, 12, 8, 9, 3, 3>::new())
}

pub fn fast_512() -> Box<dyn Engine> {
    Box::new(Fast::<4, 7, 13, 9, 10, 4, 7>::new())
}

/// Resets, runs the ops as fast as they are taken, and gives the results with their cycles after the op was taken.
pub fn run(engine: &mut dyn Engine, ops: &[Op]) -> Vec<(Outcome, u32)> {
    engine.cycle(None, true);
    engine.cycle(None, true);
    let mut waiting = VecDeque::new();
    let mut outcomes = vec![];
    let mut next = 0;
    let mut idle = 0;
    for cycle in 0u32.. {
        let (outcome, ready) = engine.cycle(ops.get(next), false);
        let taken = ready && next < ops.len();
        if let Some(outcome) = outcome {
            outcomes.push((outcome, cycle - waiting.pop_front().expect("a result of no packet")));
        }
        if taken {
            if !ops[next].init {
                waiting.push_back(cycle);
            }
            next += 1;
        }
        idle = if taken { 0 } else { idle + 1 };
        assert!(idle < 600, "op {next} is not taken");
        if next == ops.len() && waiting.is_empty() {
            break;
        }
    }
    outcomes
}

pub fn statuses(engine: Box<dyn Engine>, ops: &[Op]) -> Vec<u8> {
    let mut engine = engine;
    run(engine.as_mut(), ops).iter().map(|(outcome, _)| outcome.status).collect()
}

pub fn sacks(engine: Box<dyn Engine>, ops: &[Op]) -> Vec<Option<Sack>> {
    let mut engine = engine;
    run(engine.as_mut(), ops).iter().map(|(outcome, _)| outcome.sack).collect()
}
