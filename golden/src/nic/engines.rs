//! The SACK engines of a block, whichever they are: the receiver, the scoreboard, and what the block asks of every one of them.
//!
//! What only one kind of them has, ACKs and the answers to packets, is in the modules of that kind.

use super::{Config, Nic, PSNS, Setting};
use crate::sack_rx::{self, SackRx};
use crate::sack_tx::{self, SackTx, Status};

/// The engines of a block.
#[derive(Clone, Debug)]
pub(super) enum Engines {
    /// Those of 004.
    Strack { receiver: SackRx, scoreboard: SackTx },
}

/// An op that every scoreboard has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Op {
    /// A packet is sent.
    Sent {
        psn: u32,
        bytes: u16,
    },
    /// Which PSN is to be sent again next?
    NextRtx,
    /// The connection starts anew with this PSN.
    Init {
        psn: u32,
    },
    Read,
    Close,
    /// The walker visits the connection.
    Visit,
}

/// How loss was inferred.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Loss {
    /// Too many packets out of order.
    Ooo,
    /// A probe came back, and nothing else.
    Probe,
    /// No progress for too long.
    Timeout,
}

/// What an op shows, of whichever scoreboard. What an engine has not got is what it would be where nothing happened.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Outcome {
    /// Of all ops but init and visit.
    pub status: Option<Status>,
    pub psn: Option<u32>,
    pub snd_nxt: Option<u32>,
    /// PSNs newly acknowledged.
    pub acked: u16,
    pub in_flight: u16,
    pub in_flight_bytes: u32,
    /// Bytes newly acknowledged, of an ACK that was taken.
    pub acked_bytes: Option<u32>,
    pub in_recovery: bool,
    pub loss: Option<Loss>,
    pub probe_due: bool,
    pub recovery_left: bool,
}

impl Engines {
    /// Those of 004, without a connection.
    pub fn strack(config: &Config) -> Engines {
        let params = sack_rx::Params { connections: config.connections, window: config.window, psns: PSNS };
        Engines::Strack { receiver: SackRx::new(params), scoreboard: SackTx::new(params) }
    }

    /// As after `rst`.
    pub fn reset(&mut self) {
        match self {
            Engines::Strack { receiver, scoreboard } => {
                receiver.reset();
                scoreboard.reset();
            }
        }
    }
}

impl From<sack_tx::Rule> for Loss {
    fn from(rule: sack_tx::Rule) -> Loss {
        match rule {
            sack_tx::Rule::Ooo => Loss::Ooo,
            sack_tx::Rule::Probe => Loss::Probe,
            sack_tx::Rule::Timeout => Loss::Timeout,
        }
    }
}

impl From<sack_tx::Outcome> for Outcome {
    fn from(outcome: sack_tx::Outcome) -> Outcome {
        Outcome {
            status: outcome.status,
            psn: outcome.psn,
            snd_nxt: outcome.snd_nxt,
            acked: outcome.acked,
            in_flight: outcome.in_flight,
            in_flight_bytes: outcome.in_flight_bytes,
            acked_bytes: outcome.acked_bytes,
            in_recovery: outcome.in_recovery,
            loss: outcome.loss.map(Loss::from),
            probe_due: outcome.probe_due,
            recovery_left: outcome.recovery_left,
        }
    }
}

impl From<Op> for sack_tx::OpKind {
    fn from(op: Op) -> sack_tx::OpKind {
        match op {
            Op::Sent { psn, bytes } => sack_tx::OpKind::Sent { psn, bytes },
            Op::NextRtx => sack_tx::OpKind::NextRtx,
            Op::Init { psn } => sack_tx::OpKind::Init { psn },
            Op::Read => sack_tx::OpKind::Read,
            Op::Close => sack_tx::OpKind::Close,
            Op::Visit => sack_tx::OpKind::Visit,
        }
    }
}

impl Nic {
    /// The scoreboard executes an op.
    pub(super) fn apply_scoreboard(&mut self, conn: u16, op: Op) -> Outcome {
        match self.engines {
            Engines::Strack { .. } => self.apply_sack_tx(conn, op.into()),
        }
    }

    /// The scoreboard of 004 executes an op.
    pub(super) fn apply_sack_tx(&mut self, conn: u16, kind: sack_tx::OpKind) -> Outcome {
        let inputs = self.settings.sack_tx(self.clock.sack(&self.settings), self.cwnd_packets(conn));
        let Engines::Strack { scoreboard, .. } = &mut self.engines;
        scoreboard.apply(&sack_tx::Op { kind, conn, inputs }).into()
    }

    /// The receiver of 004 executes an op.
    pub(super) fn apply_sack_rx(&mut self, op: &sack_rx::Op) -> sack_rx::Outcome {
        let Engines::Strack { receiver, .. } = &mut self.engines;
        receiver.apply(op)
    }

    /// The setting of the receiver of 004.
    pub(super) fn sack_threshold(&self) -> u16 {
        self.settings.get(Setting::SackThreshold) as u16
    }
}
