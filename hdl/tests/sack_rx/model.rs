//! What a receiver is to do, and random ops with what it makes of them.

use std::collections::BTreeSet;

use rand::rngs::StdRng;
use rand::{RngExt, SeedableRng};

use super::bench::{Op, Outcome, PSNS, Sack};

/// The receiver from the contract, with the bitmap as a set.
#[derive(Clone, Default)]
pub struct Model {
    initialised: bool,
    epsn: u32,
    held: BTreeSet<u32>,
    bytes_recvd: u32,
    since: u32,
    lowest: Option<u32>,
}

fn after(psn: u32, epsn: u32) -> u32 {
    psn.wrapping_sub(epsn) % PSNS
}

impl Model {
    pub fn packet(&mut self, op: &Op, window: u32) -> Outcome {
        let outcome = |status, sack| Outcome { conn: op.conn, status, sack };
        let ahead = after(op.psn, self.epsn);
        let segment = |psn: u32| after(psn & !63, self.epsn & !63) / 64;
        if !self.initialised {
            return outcome(7, None);
        }
        if op.probe {
            let segment = if ahead < window { segment(op.psn) } else { 0 };
            return outcome(3, Some(self.sack(op, segment, window)));
        }
        let below = ahead >= PSNS / 2;
        let duplicate = below || self.held.contains(&op.psn);
        if !duplicate && ahead >= window {
            return outcome(2, None);
        }
        let own = if below { 0 } else { segment(op.psn) };
        let lowest = self.lowest.map_or(own, |lowest| lowest.min(own));
        if !duplicate {
            self.held.insert(op.psn);
            self.bytes_recvd = self.bytes_recvd.wrapping_add(op.bytes);
            self.since += op.bytes;
            while self.held.remove(&self.epsn) {
                self.epsn = (self.epsn + 1) % PSNS;
            }
        }
        if duplicate || ahead == 0 || op.ack_request || self.since >= op.threshold {
            self.since = 0;
            self.lowest = None;
            let segment = if !duplicate && ahead == 0 { 0 } else { lowest };
            return outcome(u8::from(duplicate), Some(self.sack(op, segment, window)));
        }
        self.lowest = Some(lowest);
        outcome(0, None)
    }

    pub fn sack(&self, op: &Op, segment: u32, window: u32) -> Sack {
        let base = ((self.epsn & !63) + 64 * segment) % PSNS;
        let bit = |n: u32| {
            let psn = (base + n) % PSNS;
            let ahead = after(psn, self.epsn);
            ahead >= PSNS / 2 || (ahead < window && self.held.contains(&psn))
        };
        Sack {
            psn: op.psn,
            epsn: self.epsn,
            base,
            bitmap: (0..64).filter(|n| bit(*n)).fold(0, |bits, n| bits | 1 << n),
            ooo: self.held.len() as u32,
            bytes_recvd: self.bytes_recvd,
            mark: op.mark,
            probe: op.probe,
        }
    }
}

/// Random packets on 2 connections and sometimes another, most of them near `epsn`, with runs that grow over the whole
/// window; and what the model makes of those that are no `init`.
pub fn random_ops(window: u32, seed: u64) -> (Vec<Op>, Vec<Outcome>) {
    let mut random = StdRng::seed_from_u64(seed);
    let mut models: [Model; 16] = Default::default();
    let mut ops = vec![];
    let mut expected = vec![];
    let phase = 100 + 3 * window as usize;
    for n in 0..7 * phase {
        let conn =
            if random.random_bool(0.9) { random.random_range(0..2) } else { random.random_range(0..16) };
        let model = &mut models[conn];
        let fills = (n / phase + conn) % 2 == 0;
        let gap = (1..window).map(|ahead| (model.epsn + ahead) % PSNS).find(|psn| !model.held.contains(psn));
        let psn = match random.random_range(0..10) {
            0 => model.epsn.wrapping_add(random.random_range(0..2 * window)),
            1 => model.epsn.wrapping_sub(random.random_range(0..80)),
            2 if n % 7 == 0 => random.random_range(0..PSNS),
            3..6 if !fills => model.epsn,
            6 if random.random_bool(0.02) => model.epsn,
            _ if fills => gap.unwrap_or(model.epsn),
            _ => model.epsn.wrapping_add(random.random_range(1..window)),
        } % PSNS;
        let op = Op {
            init: random.random_bool(0.002) || (!model.initialised && random.random_bool(0.5)),
            conn: conn as u64,
            psn,
            bytes: random.random_range(0..4096),
            ack_request: random.random_bool(0.1),
            probe: random.random_bool(0.1),
            threshold: [0, 9000, 30_000, 0xFFFF][random.random_range(0..4)],
            mark: random.random_range(0..0x1_0000),
        };
        if op.init {
            *model = Model { initialised: true, epsn: psn, ..Model::default() };
        } else {
            expected.push(model.packet(&op, window));
        }
        ops.push(op);
    }
    let farthest = expected.iter().filter_map(|outcome| outcome.sack).map(|sack| sack.ooo).max();
    assert!(farthest > Some(window * 9 / 10), "the window was never full: {farthest:?}");
    (ops, expected)
}
