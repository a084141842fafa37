//! The two SACK engines in lockstep as the ends of a network. The network acts on what the Verilog shows.

use respray_golden::network::{Receiver, RxOutput, Scoreboard, TxOutput};
use respray_golden::sack_rx::{self, Sack};
use respray_golden::sack_tx::{self, Inputs, OpKind, Rule};
use respray_hdl::manifest::Manifest;

use super::pair::{Differs, Pair};
use crate::lockstep::core::Device;
use crate::lockstep::sack_rx::{SackRxCore, SackRxOp, SackRxOutputs};
use crate::lockstep::sack_tx::{SackTxCore, SackTxOp, SackTxOutputs};

/// Visits that the walker makes in a tick, at least.
const VISITS_PER_TICK: u32 = 4;

/// The scoreboard.
pub struct Sender<D> {
    pub pair: Pair<SackTxCore, D>,
    /// Edges without an op in a tick.
    rest_cycles: u32,
    connections: u32,
}

/// The bitmaps.
pub struct Arrivals<D> {
    pub pair: Pair<SackRxCore, D>,
}

impl<D: Device<SackTxCore>> Sender<D> {
    /// # Panics
    /// On a manifest that does not state the cycles of a visit.
    pub fn new(manifest: &Manifest, device: D) -> Self {
        let visit = manifest.initiation_interval_cycles["visit"].fixed().expect("a visit takes a fixed time");
        Sender {
            pair: Pair::new(SackTxCore::new(manifest), device),
            // the first and the last of them may be cut off
            rest_cycles: (VISITS_PER_TICK + 1) * visit,
            connections: manifest.config.connections,
        }
    }
}

fn op(op: &sack_tx::Op) -> SackTxOp {
    let plain = SackTxOp { conn: op.conn, settings: op.inputs, ..SackTxOp::default() };
    let kind = op.kind.code().expect("the network gives no visits");
    match op.kind {
        OpKind::Sent { psn, bytes } => SackTxOp { kind, psn, bytes, ..plain },
        OpKind::Sack(sack) => SackTxOp { kind, sack, ..plain },
        OpKind::Init { psn } => SackTxOp { kind, psn, ..plain },
        OpKind::NextRtx | OpKind::Visit => SackTxOp { kind, ..plain },
    }
}

/// Appends what the outputs of a cycle say, if they say something.
fn hear(word: &[u64; 2], shown: &mut Vec<TxOutput>) {
    let seen = SackTxOutputs::unpack(word);
    let loss = match (seen.loss_ooo, seen.loss_probe, seen.loss_timeout) {
        (true, _, _) => Some(Rule::Ooo),
        (_, true, _) => Some(Rule::Probe),
        (_, _, true) => Some(Rule::Timeout),
        _ => None,
    };
    if seen.res_valid || loss.is_some() || seen.probe_due || seen.recovery_left {
        shown.push(TxOutput {
            conn: seen.res_conn,
            status: seen.res_valid.then_some(seen.res_status),
            psn: seen.res_psn,
            acked: seen.res_acked,
            in_flight: seen.res_in_flight,
            bytes_in_flight: seen.res_bytes_in_flight,
            in_recovery: seen.res_in_recovery,
            loss,
            probe_due: seen.probe_due,
            recovery_left: seen.recovery_left,
        });
    }
}

impl<D: Device<SackTxCore>> Scoreboard for Sender<D> {
    type Error = Differs;

    fn ops(&mut self, ops: &[sack_tx::Op], shown: &mut Vec<TxOutput>) -> Result<(), Differs> {
        let mut missing = ops.iter().filter(|op| !matches!(op.kind, OpKind::Init { .. })).count();
        let mut listen = |word: &[u64; 2]| {
            let before = shown.len();
            hear(word, shown);
            missing -= shown[before..].iter().filter(|output| output.status.is_some()).count().min(missing);
            missing == 0
        };
        for next in ops {
            self.pair.op(op(next), &mut |word| {
                listen(word);
            })?;
        }
        let last = ops.last().map(op).unwrap_or_default();
        let mut is_done = ops.iter().all(|op| matches!(op.kind, OpKind::Init { .. }));
        while !is_done {
            self.pair.idle(&last, &mut |word| is_done = listen(word))?;
        }
        Ok(())
    }

    fn rest(&mut self, inputs: &Inputs, shown: &mut Vec<TxOutput>) -> Result<(), Differs> {
        let op = SackTxOp { settings: *inputs, ..SackTxOp::default() };
        for _ in 0..self.rest_cycles {
            self.pair.idle(&op, &mut |word| hear(word, shown))?;
        }
        Ok(())
    }

    fn round_ticks(&self) -> u64 {
        u64::from(self.connections / VISITS_PER_TICK) + 3
    }

    fn late_ticks(&self) -> u64 {
        1
    }
}

impl<D: Device<SackRxCore>> Arrivals<D> {
    pub fn new(manifest: &Manifest, device: D) -> Self {
        Arrivals { pair: Pair::new(SackRxCore::new(manifest), device) }
    }
}

impl<D: Device<SackRxCore>> Receiver for Arrivals<D> {
    type Error = Differs;

    fn ops(&mut self, ops: &[sack_rx::Op], shown: &mut Vec<RxOutput>) -> Result<(), Differs> {
        let packets = ops.iter().filter(|op| op.kind == sack_rx::OpKind::Packet).count();
        let before = shown.len();
        let mut listen = |word: &[u64; 4]| {
            let seen = SackRxOutputs::unpack(word);
            if seen.res_valid {
                let sack = seen.sack_valid.then_some(Sack {
                    psn: seen.sack_psn,
                    epsn: seen.sack_epsn,
                    base: seen.sack_base,
                    bitmap: seen.sack_bitmap,
                    ooo: seen.sack_ooo,
                    bytes_recvd: seen.sack_bytes_recvd,
                    ecn: seen.sack_ecn,
                    ev: seen.sack_ev,
                    timestamp: seen.sack_timestamp,
                    probe: seen.sack_probe,
                });
                shown.push(RxOutput { conn: seen.res_conn, status: seen.res_status, sack });
            }
            shown.len() - before
        };
        let mut results = 0;
        for op in ops {
            let op = SackRxOp {
                kind: op.kind as u8,
                ecn: op.ecn,
                ack_request: op.ack_request,
                probe: op.probe,
                conn: op.conn,
                bytes: op.bytes,
                ev: op.ev,
                timestamp: op.timestamp,
                sack_threshold: op.sack_threshold,
                psn: op.psn,
                expect: None,
            };
            self.pair.op(op, &mut |word| results = listen(word))?;
        }
        while results < packets {
            self.pair.idle(&SackRxOp::default(), &mut |word| results = listen(word))?;
        }
        Ok(())
    }
}
