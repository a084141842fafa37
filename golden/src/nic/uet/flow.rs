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
    /// Open for sending.
    pub sends: bool,
    /// Open for receiving.
    pub receives: Option<Mode>,
    /// The EV of a connection that sends in order, from when it is drawn on.
    pub ordered_ev: Option<u16>,
    pub timing: Timing,
}

impl Flow {
    /// A connection whose number the peer is known by is not that of another one.
    pub fn is_of(&self, source_pdc: u16) -> bool {
        self.peer == Some(source_pdc)
    }
}

/// What a command, or the first ACK, says of a connection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FlowChange {
    /// It is opened for sending. `peer`: 0 leaves what is known.
    OpenTx {
        conn: u16,
        peer: u16,
    },
    CloseTx {
        conn: u16,
    },
    OpenRx {
        conn: u16,
        peer: u16,
        mode: Mode,
    },
    CloseRx {
        conn: u16,
    },
}

impl Flow {
    /// It is opened in a direction: its peer is the one that is named, or what it was if the other direction is open.
    fn open(&mut self, peer: u16) {
        if peer != 0 {
            self.peer = Some(peer);
        } else if !self.sends && self.receives.is_none() {
            self.peer = None;
        }
    }

    /// A direction was closed: behind the last one nothing is known of the peer.
    fn close(&mut self) {
        if !self.sends && self.receives.is_none() {
            *self = Flow { timing: self.timing, ordered_ev: self.ordered_ev, ..Flow::default() };
        }
    }
}

impl Nic {
    /// What the registers say of the connection that a command opens.
    pub(in crate::nic) fn opened_as(&self) -> (u16, Mode) {
        let peer = self.settings.get(Setting::CommandPeer) as u16;
        (peer, Mode::of(self.settings.get(Setting::CommandMode)))
    }

    /// A command changes what is known of a connection.
    pub(super) fn change_flow(&mut self, change: FlowChange) {
        match &mut self.owed {
            Some(owed) => owed.flow_changes.push_back(change),
            None => self.apply_change(change),
        }
    }

    fn apply_change(&mut self, change: FlowChange) {
        match change {
            FlowChange::OpenTx { conn, peer } => {
                let flow = self.flow_mut(conn);
                flow.open(peer);
                flow.sends = true;
            }
            FlowChange::CloseTx { conn } => {
                let flow = self.flow_mut(conn);
                flow.sends = false;
                flow.close();
            }
            FlowChange::OpenRx { conn, peer, mode } => {
                let flow = self.flow_mut(conn);
                flow.open(peer);
                flow.receives = Some(mode);
            }
            FlowChange::CloseRx { conn } => {
                let flow = self.flow_mut(conn);
                flow.receives = None;
                flow.close();
            }
        }
    }

    /// The first ACK says who the peer is.
    pub(super) fn bind(&mut self, conn: u16, peer: u16) {
        match &mut self.owed {
            Some(owed) => owed.binds.push_back((conn, peer)),
            None => self.apply_bind(conn, peer),
        }
    }

    fn apply_bind(&mut self, conn: u16, peer: u16) {
        let flow = self.flow_mut(conn);
        if flow.sends || flow.receives.is_some() {
            flow.peer.get_or_insert(peer);
        }
    }

    /// What commands and first ACKs say of connections, and is not known yet.
    pub fn owed_flows(&self) -> [usize; 2] {
        self.owed.as_ref().map_or([0; 2], |owed| [owed.flow_changes.len(), owed.binds.len()])
    }

    /// What the first command says whose change is not known yet.
    pub fn take_flow_change(&mut self) -> Option<()> {
        let change = self.owed.as_mut()?.flow_changes.pop_front()?;
        self.apply_change(change);
        Some(())
    }

    /// The same of the first ACK that says who a peer is.
    pub fn take_bind(&mut self) -> Option<()> {
        let (conn, peer) = self.owed.as_mut()?.binds.pop_front()?;
        self.apply_bind(conn, peer);
        Some(())
    }
}
