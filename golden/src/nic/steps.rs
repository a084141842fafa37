//! What waits between one op and the next.
//!
//! The block executes ops one after the other, and other ops come between: a packet of the host is `sent`, later its EV is drawn,
//! later it is written. By itself the model does what follows at once. Whoever knows in which order and at which time another
//! `nic` executed its ops has this one take the same steps: `tick` sets the clock, `arrive`, `sent`, `grant`, `hear`,
//! `sack`, `packet`, `visit`, `look`, `next_rtx`, `start_probe` and `spray` are the ops, `transmit_...`, `deliver` and `event`
//! what comes out.

use super::{Nic, Setting};
use crate::selector::{self, SendKind};

/// An op that waits for the selector.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Asked {
    pub conn: u16,
    pub kind: selector::OpKind,
    pub ev: u16,
    pub ecn: bool,
}

/// A probe of the block's own in work.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct OwnProbe {
    pub conn: u16,
    pub psn: u32,
    /// EV, where it came from, and the time at which it was drawn in ticks of the wire.
    pub drawn: Option<(u16, SendKind, u16)>,
}

/// Whose op the selector executes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Asker {
    /// What follows from ops of `sack_tx`, in their order.
    Scoreboard,
    /// The command `nack`.
    Command,
    /// The probe in work.
    Probe,
}

impl Nic {
    /// Sets the clock, and lets nothing happen by itself.
    pub fn tick(&mut self, cycles: u64) {
        self.clock.cycles = cycles;
    }

    /// The selector executes the next op of one who asks.
    ///
    /// # Panics
    /// If that one asks for nothing.
    pub fn spray(&mut self, asker: Asker) {
        match asker {
            Asker::Scoreboard => {
                let Asked { conn, kind, ev, ecn } = self.sprays.pop_front().expect("an op waits");
                let outcome = self.apply_selector(conn, kind, ev, ecn);
                if let Some(result) = outcome.result {
                    self.count_send(result.kind);
                    self.drawn(result.ev, result.kind);
                }
            }
            Asker::Command => {
                let (conn, ev) =
                    (self.settings.get(Setting::CommandConn), self.settings.get(Setting::CommandEv));
                self.apply_selector(conn as u16, selector::OpKind::Nack, ev as u16, false);
            }
            Asker::Probe => {
                let conn = self.own_probe.expect("a probe is in work").conn;
                let outcome = self.apply_selector(conn, selector::OpKind::Send, 0, false);
                let result = outcome.result.expect("a send has a result");
                self.count_send(result.kind);
                self.drawn_for_probe(result.ev, result.kind);
            }
        }
    }

    /// Everything that waits for the selector, at once.
    pub(super) fn spray_all(&mut self) {
        while !self.sprays.is_empty() {
            self.spray(Asker::Scoreboard);
        }
        if self.own_probe.is_some_and(|probe| probe.drawn.is_none()) {
            self.spray(Asker::Probe);
        }
    }
}
