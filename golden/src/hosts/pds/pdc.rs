//! A connection, called PDC: both halves of it, and how it is opened, cleared and closed.

use super::config::{Config, Fault};
use super::frame::Address;
use super::headers::{Ctl, Destination, Mode};
use super::receiver::Receiver;
use super::sender::{Content, Sender};
use super::ses::{Assembly, Piece};

/// Which end of a connection an endpoint is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// It opened it.
    Initiator,
    Target,
}

/// Whether a connection is being closed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Life {
    Open,
    /// Of an initiator: it is closed as soon as nothing is outstanding.
    Ending,
    /// Of an initiator: a Close is on its way.
    Closing,
    /// Of a target: it was closed by the packet with this PSN, and answers until a time.
    Lingering {
        close_psn: u32,
        until: u64,
    },
}

/// A connection of an endpoint.
#[derive(Clone, Debug)]
pub struct Pdc {
    pub(super) id: u16,
    pub(super) role: Role,
    pub(super) mode: Mode,
    pub(super) peer_address: Address,
    /// PDCID of the peer, once it is known.
    pub(super) peer: Option<u16>,
    pub(super) life: Life,
    pub(super) sender: Sender,
    pub(super) receiver: Receiver,
    pub(super) assembly: Assembly,
    /// ID of the next message.
    next_message: u16,
    /// Packets whose responses the target may forget.
    cleared: u64,
    /// When they are told, since that was asked for.
    pub(super) clear_at: Option<u64>,
    /// Of a target: when it asks for a clear.
    pub(super) clear_request_at: Option<u64>,
    /// The EV of a connection of ROD.
    pub(super) ev: u16,
}

impl Pdc {
    pub(super) fn new(id: u16, role: Role, mode: Mode, peer_address: Address, start: u32, ev: u16) -> Self {
        Pdc {
            id,
            role,
            mode,
            peer_address,
            peer: None,
            life: Life::Open,
            sender: Sender::new(mode, start),
            receiver: Receiver::new(mode, start),
            assembly: Assembly::default(),
            next_message: 0,
            cleared: 0,
            clear_at: None,
            clear_request_at: None,
            ev,
        }
    }

    pub fn sender(&self) -> &Sender {
        &self.sender
    }

    pub fn receiver(&self) -> &Receiver {
        &self.receiver
    }

    /// PDCID of the peer, once an ACK or a SYN has brought it.
    pub fn peer(&self) -> Option<u16> {
        self.peer
    }

    pub fn role(&self) -> Role {
        self.role
    }

    pub fn life(&self) -> Life {
        self.life
    }

    /// Cuts a message into packets.
    pub(super) fn submit(&mut self, message: u64, bytes: &[u8], wants_response: bool, config: &Config) {
        let id = self.next_message;
        self.next_message = id.wrapping_add(1);
        let packets = bytes.len().div_ceil(config.payload).max(1);
        for at in 0..packets {
            let offset = at * config.payload;
            let data = &bytes[offset..bytes.len().min(offset + config.payload)];
            let is_last = at + 1 == packets;
            let piece = Piece {
                message: id,
                is_first: at == 0,
                is_last,
                wants_response: wants_response && is_last,
                offset: offset as u32,
                length: bytes.len() as u32,
            };
            self.sender.submit(Content::Request {
                bytes: [&piece.to_bytes(), data].concat(),
                message,
                is_last,
                wants_response: piece.wants_response,
            });
        }
    }

    /// Both directions begin at one Start_PSN, and it is another one now.
    pub(super) fn restart_receiver(&mut self, start: u32) {
        self.receiver = Receiver::new(self.mode, start);
    }

    /// Whom a packet goes to: without the PDCID of the peer it is a SYN.
    pub(super) fn destination(&self, number: u64) -> Destination {
        match self.peer {
            Some(peer) => Destination::Pdc(peer),
            None => Destination::Syn { pdc_info: 0, psn_offset: number as u16 },
        }
    }

    /// CLEAR_PSN: the target may forget all responses up to it.
    pub(super) fn clear_psn(&self) -> u32 {
        let packets = self.cleared.max(self.sender.done);
        self.sender.start.wrapping_add(packets as u32).wrapping_sub(1)
    }

    /// Responses have come that the target is not told to forget.
    pub(super) fn has_to_clear(&self) -> bool {
        self.sender.answered() > self.cleared.max(self.sender.done)
    }

    /// Responses have come, and no CACK says that the target has forgotten them.
    pub(super) fn is_answered(&self) -> bool {
        self.sender.answered() > self.sender.done
    }

    /// From now on CLEAR_PSN is the last one of the responses that have come.
    pub(super) fn clear(&mut self, config: &Config) {
        self.cleared = self.sender.answered();
        if config.has(Fault::UnansweredCleared) {
            self.cleared = self.sender.done + self.sender.slots.len() as u64;
        }
    }

    /// What ends it is sent once nothing else is to be.
    pub(super) fn is_to_close(&self) -> bool {
        self.life == Life::Ending && self.sender.is_idle() && self.peer.is_some()
    }

    pub(super) fn close(&mut self) {
        self.life = Life::Closing;
        self.sender.submit(Content::Control(Ctl::Close));
    }
}
