//! What a network asks of the engines at its two ends, and the golden models as such engines.

use std::convert::Infallible;

use crate::sack_rx::{self, Sack, SackRx};
use crate::sack_tx::{self, Inputs, OpKind, Rule, SackTx};

/// What a scoreboard shows outside: the result of an op, or what a visit of the walker came upon.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TxOutput {
    pub conn: u16,
    /// Code of the result's status; `None`: a visit.
    pub status: Option<u8>,
    /// With a `next_rtx` of status 0, and with `probe_due`.
    pub psn: u32,
    /// With a result of `sack`.
    pub acked: u16,
    /// With every result, as the two below.
    pub in_flight: u16,
    pub bytes_in_flight: u32,
    pub in_recovery: bool,
    pub loss: Option<Rule>,
    pub probe_due: bool,
    pub recovery_left: bool,
}

/// The senders' scoreboard: one engine for all connections, whose walker goes round by itself.
pub trait Scoreboard {
    /// Why it cannot go on.
    type Error;

    /// Takes ops one after the other, and appends what it shows, in order: a result for each but `init`, and before,
    /// between and behind them what visits came upon. None of the ops is a visit.
    fn ops(&mut self, ops: &[sack_tx::Op], shown: &mut Vec<TxOutput>) -> Result<(), Self::Error>;

    /// A tick of time goes by without an op, in which the walker makes some way.
    fn rest(&mut self, inputs: &Inputs, shown: &mut Vec<TxOutput>) -> Result<(), Self::Error>;

    /// Ticks within which the walker comes to every connection, at the latest, and what it shows has come out.
    fn round_ticks(&self) -> u64;

    /// Ticks by which what a visit shows may come out later than the visit began.
    fn late_ticks(&self) -> u64;
}

/// Result of a packet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RxOutput {
    pub conn: u16,
    /// Code of its status.
    pub status: u8,
    pub sack: Option<Sack>,
}

/// The receivers' bitmaps: one engine for all connections.
pub trait Receiver {
    /// Why it cannot go on.
    type Error;

    /// Takes ops one after the other, and appends a result for each but `init`, in order.
    fn ops(&mut self, ops: &[sack_rx::Op], shown: &mut Vec<RxOutput>) -> Result<(), Self::Error>;
}

impl Scoreboard for SackTx {
    type Error = Infallible;

    fn ops(&mut self, ops: &[sack_tx::Op], shown: &mut Vec<TxOutput>) -> Result<(), Infallible> {
        let results = ops.iter().map(|op| output(self, op)).filter(|output| output.status.is_some());
        shown.extend(results);
        Ok(())
    }

    fn rest(&mut self, inputs: &Inputs, shown: &mut Vec<TxOutput>) -> Result<(), Infallible> {
        let connections = self.params().connections as u16;
        let visits = (0..connections)
            .map(|conn| output(self, &sack_tx::Op { kind: OpKind::Visit, conn, inputs: *inputs }));
        shown.extend(visits.filter(|visit| visit.loss.is_some() || visit.probe_due));
        Ok(())
    }

    fn round_ticks(&self) -> u64 {
        1
    }

    fn late_ticks(&self) -> u64 {
        0
    }
}

fn output(tx: &mut SackTx, op: &sack_tx::Op) -> TxOutput {
    let outcome = tx.apply(op);
    TxOutput {
        conn: op.conn,
        status: outcome.status.map(sack_tx::Status::code),
        psn: outcome.psn.unwrap_or(0),
        acked: outcome.acked,
        in_flight: outcome.in_flight,
        bytes_in_flight: outcome.in_flight_bytes,
        in_recovery: outcome.in_recovery,
        loss: outcome.loss,
        probe_due: outcome.probe_due,
        recovery_left: outcome.recovery_left,
    }
}

impl Receiver for SackRx {
    type Error = Infallible;

    fn ops(&mut self, ops: &[sack_rx::Op], shown: &mut Vec<RxOutput>) -> Result<(), Infallible> {
        for op in ops {
            let outcome = self.apply(op);
            if let Some(status) = outcome.status {
                shown.push(RxOutput { conn: op.conn, status: status as u8, sack: outcome.sack });
            }
        }
        Ok(())
    }
}
