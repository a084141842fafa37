//! What the block knows of a connection beside its engines.

use super::timing::Timing;
use crate::nic::{Nic, Setting};

/// How a connection delivers, and who answers: the register `command_mode`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Mode {
    /// Packets must come in order (ROD).
    pub is_ordered: bool,
    /// The host answers new packets and those that come again.
    pub host_answers: bool,
}

impl Mode {
    pub const fn of(register: u32) -> Mode {
        Mode { is_ordered: register & 1 != 0, host_answers: register & 2 != 0 }
    }
}

/// A connection.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Flow {
    /// The number by which the peer knows it, once that is known; never 0.
    pub peer: Option<u16>,
    /// Open for sending: whether in order.
    pub sends: Option<bool>,
    /// Open for receiving.
    pub receives: Option<Mode>,
    /// The EV of a connection that sends in order.
    pub ev: u16,
    pub timing: Timing,
}

impl Flow {
    /// What is sent goes in order.
    pub fn sends_in_order(&self) -> bool {
        self.sends == Some(true)
    }

    /// A connection whose number the peer is known by is not that of another one.
    pub fn is_of(&self, source_pdc: u16) -> bool {
        self.peer == Some(source_pdc)
    }
}

impl Nic {
    /// The connection is opened in a direction: its peer is that of the register, or what it was if the other direction is open.
    pub(super) fn open_flow(&mut self, conn: u16) {
        let peer = self.settings.get(Setting::CommandPeer) as u16;
        let flow = self.flow_mut(conn);
        if peer != 0 {
            flow.peer = Some(peer);
        } else if flow.sends.is_none() && flow.receives.is_none() {
            flow.peer = None;
        }
    }

    /// A direction is closed: behind the last one nothing is known of the peer.
    pub(super) fn close_flow(&mut self, conn: u16) {
        let flow = self.flow_mut(conn);
        if flow.sends.is_none() && flow.receives.is_none() {
            *flow = Flow::default();
        }
    }
}
