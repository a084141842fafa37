//! The SACK engines of a block, whichever they are: the receiver, the scoreboard, and what the block asks of every one of them.
//!
//! What only one kind of them has, ACKs and the answers to packets, is in the modules of that kind.

use super::uet::Uet;
use super::{Config, Nic, PSNS, Setting};
use crate::sack_rx::{self, SackRx};
use crate::sack_tx::{self, SackTx, Status, uet};

/// Said of an op of the engines of 004 where there are none.
pub(super) const NOT_STRACK: &str = "the engines are those of Ultra Ethernet";

/// The engines of a block.
#[derive(Clone, Debug)]
pub(super) enum Engines {
    /// Those of 004.
    Strack { receiver: SackRx, scoreboard: SackTx },
    /// Those of Ultra Ethernet.
    Uet(Box<Uet>),
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
    /// A NACK makes a connection in order go back.
    Nack,
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
    /// All arrived, and the peer is to be asked for its cumulative PSN.
    pub ack_request: bool,
    /// Too many timeouts in a row.
    pub dead: bool,
    pub recovery_left: bool,
}

impl Engines {
    /// Those of a configuration, without a connection.
    pub fn new(config: &Config) -> Engines {
        if config.uet.is_some() {
            return Engines::Uet(Box::new(Uet::new(config)));
        }
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
            Engines::Uet(uet) => uet.reset(),
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
            ack_request: false,
            dead: false,
            recovery_left: outcome.recovery_left,
        }
    }
}

impl From<uet::Rule> for Loss {
    fn from(rule: uet::Rule) -> Loss {
        match rule {
            uet::Rule::Ooo => Loss::Ooo,
            uet::Rule::Probe => Loss::Probe,
            uet::Rule::Timeout => Loss::Timeout,
            uet::Rule::Nack => Loss::Nack,
        }
    }
}

impl From<uet::Status> for Status {
    /// What the other scoreboard says of the same: an ACK that was overtaken is an old one there.
    fn from(status: uet::Status) -> Status {
        match status {
            uet::Status::Ok => Status::Ok,
            uet::Status::Again => Status::Again,
            uet::Status::Gap => Status::Gap,
            uet::Status::WindowFull => Status::WindowFull,
            uet::Status::Overtaken | uet::Status::NotOutstanding => Status::Old,
            uet::Status::NeverSent => Status::NeverSent,
            uet::Status::Beyond => Status::Beyond,
            uet::Status::Nothing => Status::Nothing,
            uet::Status::Uninitialised => Status::Uninitialised,
        }
    }
}

impl From<uet::Outcome> for Outcome {
    fn from(outcome: uet::Outcome) -> Outcome {
        Outcome {
            status: outcome.status.map(Status::from),
            psn: outcome.psn,
            snd_nxt: outcome.snd_nxt,
            acked: outcome.acked,
            in_flight: outcome.in_flight,
            in_flight_bytes: outcome.in_flight_bytes,
            acked_bytes: outcome.acked_bytes,
            in_recovery: outcome.in_recovery,
            loss: outcome.loss.map(Loss::from),
            probe_due: outcome.probe_due,
            ack_request: outcome.ack_request,
            dead: outcome.dead,
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
    /// The block of Ultra Ethernet as it is after `rst`, with all its parts unless the configuration names others.
    ///
    /// # Panics
    /// On a parameter outside its range, on another profile than `uet`, with `peer_table`, as what is received says who the peer is, and with
    /// `graceful_close`: control packets say that a connection ends.
    pub fn of_uet(config: Config) -> Self {
        Nic::new(Config { uet: Some(config.parts()), ..config })
    }

    /// The engines of Ultra Ethernet, where they are.
    pub(super) fn uet(&self) -> Option<&Uet> {
        match &self.engines {
            Engines::Uet(uet) => Some(uet),
            Engines::Strack { .. } => None,
        }
    }

    pub(super) fn uet_mut(&mut self) -> Option<&mut Uet> {
        match &mut self.engines {
            Engines::Uet(uet) => Some(uet),
            Engines::Strack { .. } => None,
        }
    }

    /// The scoreboard executes an op.
    pub(super) fn apply_scoreboard(&mut self, conn: u16, op: Op) -> Outcome {
        if self.uet().is_none() {
            return self.apply_sack_tx(conn, op.into());
        }
        let kind = match op {
            Op::Sent { psn, bytes } => uet::OpKind::Sent { psn, bytes },
            Op::NextRtx => uet::OpKind::NextRtx,
            Op::Init { psn } => {
                let mpr = self.settings.get(Setting::DefaultMpr) as u8;
                let is_ordered = self.opened_as().1.is_ordered;
                uet::OpKind::Init { psn, is_ordered, mpr }
            }
            Op::Read => uet::OpKind::Read,
            Op::Close => uet::OpKind::Close,
            Op::Visit => uet::OpKind::Visit,
        };
        self.apply_uet_tx(conn, kind).into()
    }

    /// The scoreboard of Ultra Ethernet executes an op.
    pub(super) fn apply_uet_tx(&mut self, conn: u16, kind: uet::OpKind) -> uet::Outcome {
        let inputs = self.settings.uet_tx(self.clock.sack(&self.settings), self.cwnd_packets(conn));
        let uet = self.uet_mut().expect("the block is of Ultra Ethernet");
        uet.scoreboard.apply(&uet::Op { kind, conn, inputs })
    }

    /// The scoreboard of 004 executes an op.
    pub(super) fn apply_sack_tx(&mut self, conn: u16, kind: sack_tx::OpKind) -> Outcome {
        let inputs = self.settings.sack_tx(self.clock.sack(&self.settings), self.cwnd_packets(conn));
        let Engines::Strack { scoreboard, .. } = &mut self.engines else { unreachable!("{NOT_STRACK}") };
        scoreboard.apply(&sack_tx::Op { kind, conn, inputs }).into()
    }

    /// The receiver of 004 executes an op.
    pub(super) fn apply_sack_rx(&mut self, op: &sack_rx::Op) -> sack_rx::Outcome {
        let Engines::Strack { receiver, .. } = &mut self.engines else { unreachable!("{NOT_STRACK}") };
        receiver.apply(op)
    }

    /// The setting of the receiver of 004.
    pub(super) fn sack_threshold(&self) -> u16 {
        self.settings.get(Setting::SackThreshold) as u16
    }
}
