//! The two SACK engines in lockstep as the ends of a network. The network acts on what the Verilog shows.

use respray_golden::network::{Receiver, RxOutput, Scoreboard, TxOutput};
use respray_golden::sack_rx::{self, Sack};
use respray_golden::sack_tx::{self, Inputs, OpKind, Rule};
use respray_hdl::cores::sack_rx::contract as rx;
use respray_hdl::cores::sack_tx::contract as tx;
use respray_hdl::manifest::Manifest;

use super::pair::{Differs, Pair};
use crate::cores::sack_rx::SackRxCore;
use crate::cores::sack_tx::{SackTxCore, set_inputs, set_sack};
use crate::lockstep::rows::Device;

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

impl<D: Device> Sender<D> {
    /// # Panics
    /// On a manifest that does not state the cycles of a visit.
    pub fn new(manifest: &Manifest, device: D) -> Self {
        let visit = manifest.initiation_interval_cycles["visit"].fixed().expect("a visit takes a fixed time");
        Sender {
            pair: Pair::new(manifest, device),
            // the first and the last of them may be cut off
            rest_cycles: (VISITS_PER_TICK + 1) * visit,
            connections: manifest.config.connections,
        }
    }
}

fn op(op: &sack_tx::Op) -> tx::Op {
    let kind = op.kind.code().expect("the network gives no visits");
    let mut port = tx::Op { kind, conn: op.conn, ..tx::Op::default() };
    set_inputs(&mut port, &op.inputs);
    match op.kind {
        OpKind::Sent { psn, bytes } => port = tx::Op { psn, bytes, ..port },
        OpKind::Sack(sack) => set_sack(&mut port, &sack),
        OpKind::Init { psn } => port.psn = psn,
        OpKind::NextRtx | OpKind::Read | OpKind::Close | OpKind::Visit => {}
    }
    port
}

/// Appends what the outputs of a cycle say, if they say something.
fn hear(seen: &tx::Shown, shown: &mut Vec<TxOutput>) {
    let loss = match (seen.loss_ooo, seen.loss_probe, seen.loss_timeout) {
        (true, _, _) => Some(Rule::Ooo),
        (_, true, _) => Some(Rule::Probe),
        (_, _, true) => Some(Rule::Timeout),
        _ => None,
    };
    if seen.res_valid || loss.is_some() || seen.probe_due || seen.recovery_left {
        shown.push(TxOutput {
            conn: seen.res_conn.unwrap_or_default(),
            status: seen.res_status.filter(|_| seen.res_valid),
            psn: seen.res_psn.unwrap_or_default(),
            acked: seen.res_acked.unwrap_or_default(),
            in_flight: seen.res_in_flight.unwrap_or_default(),
            bytes_in_flight: seen.res_bytes_in_flight.unwrap_or_default(),
            in_recovery: seen.res_in_recovery.unwrap_or_default(),
            loss,
            probe_due: seen.probe_due,
            recovery_left: seen.recovery_left,
        });
    }
}

impl<D: Device> Scoreboard for Sender<D> {
    type Error = Differs;

    fn ops(&mut self, ops: &[sack_tx::Op], shown: &mut Vec<TxOutput>) -> Result<(), Differs> {
        let mut missing = ops.iter().filter(|op| !matches!(op.kind, OpKind::Init { .. })).count();
        let mut listen = |seen: &tx::Shown| {
            let before = shown.len();
            hear(seen, shown);
            missing -= shown[before..].iter().filter(|output| output.status.is_some()).count().min(missing);
            missing == 0
        };
        for next in ops {
            self.pair.op(op(next), &mut |seen| {
                listen(seen);
            })?;
        }
        let last = ops.last().map(op).unwrap_or_default();
        let mut is_done = ops.iter().all(|op| matches!(op.kind, OpKind::Init { .. }));
        while !is_done {
            self.pair.idle(&last, &mut |seen| is_done = listen(seen))?;
        }
        Ok(())
    }

    fn rest(&mut self, inputs: &Inputs, shown: &mut Vec<TxOutput>) -> Result<(), Differs> {
        let mut op = tx::Op::default();
        set_inputs(&mut op, inputs);
        for _ in 0..self.rest_cycles {
            self.pair.idle(&op, &mut |seen| hear(seen, shown))?;
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

impl<D: Device> Arrivals<D> {
    pub fn new(manifest: &Manifest, device: D) -> Self {
        Arrivals { pair: Pair::new(manifest, device) }
    }
}

impl<D: Device> Receiver for Arrivals<D> {
    type Error = Differs;

    fn ops(&mut self, ops: &[sack_rx::Op], shown: &mut Vec<RxOutput>) -> Result<(), Differs> {
        let packets = ops.iter().filter(|op| op.kind == sack_rx::OpKind::Packet).count();
        let before = shown.len();
        let mut listen = |seen: &rx::Shown| {
            if seen.res_valid {
                shown.push(RxOutput {
                    conn: seen.res_conn.unwrap_or_default(),
                    status: seen.res_status.unwrap_or_default(),
                    sack: seen.sack_valid.then(|| sack(seen)),
                });
            }
            shown.len() - before
        };
        let mut results = 0;
        for op in ops {
            let op = rx::Op {
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
            };
            self.pair.op(op, &mut |seen| results = listen(seen))?;
        }
        while results < packets {
            self.pair.idle(&rx::Op::default(), &mut |seen| results = listen(seen))?;
        }
        Ok(())
    }
}

/// The SACK that the outputs show.
fn sack(seen: &rx::Shown) -> Sack {
    Sack {
        psn: seen.sack_psn.unwrap_or_default(),
        epsn: seen.sack_epsn.unwrap_or_default(),
        base: seen.sack_base.unwrap_or_default(),
        bitmap: seen.sack_bitmap.unwrap_or_default(),
        ooo: seen.sack_ooo.unwrap_or_default(),
        bytes_recvd: seen.sack_bytes_recvd.unwrap_or_default(),
        ecn: seen.sack_ecn.unwrap_or_default(),
        ev: seen.sack_ev.unwrap_or_default(),
        timestamp: seen.sack_timestamp.unwrap_or_default(),
        probe: seen.sack_probe.unwrap_or_default(),
    }
}
