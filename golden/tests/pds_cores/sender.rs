//! The host behind an initiator: its messages in packets, what is sent again, and which responses the target may forget.

use std::collections::BTreeMap;

use respray_golden::hosts::pds::AckRequests;
use respray_golden::hosts::pds::headers::{
    Action, Control, Ctl, Destination, Header, Mode, Nack, Request, next,
};
use respray_golden::hosts::pds::ses::{Piece, Response};

use super::{A, Case, Found, Slip};

/// Until a packet is sent again that a receiver cannot take.
const NACK_RETX: u64 = 20_000;
/// A NACK of a packet that was asked for, and not received: scoreboard and block leave it to the host.
const NOT_RECEIVED: u8 = 0x12;

#[derive(Default)]
pub(super) struct Packet {
    /// Behind the header of a request; `None`: a Close.
    pub bytes: Option<Vec<u8>>,
    pub message: usize,
    is_last: bool,
    wants_response: bool,
    /// Its response came.
    is_answered: bool,
}

pub(super) struct Sender {
    case: Case,
    pub packets: Vec<Packet>,
    /// Packets that were sent.
    pub sent: usize,
    pub peer: Option<u16>,
    /// Single packets to be sent again, each with its time.
    pub again: BTreeMap<usize, u64>,
    /// Packets whose responses the target may forget, and when it is told so.
    cleared: usize,
    clear_at: Option<u64>,
    pub responded: Vec<(usize, u8)>,
    /// NACKs that came, by their codes.
    pub nacks: BTreeMap<u8, u64>,
    pub clears_asked: u64,
}

impl Sender {
    pub fn new(case: &Case) -> Self {
        let packet = |(message, piece, bytes): (usize, Piece, Vec<u8>)| Packet {
            bytes: Some(bytes),
            message,
            is_last: piece.is_last,
            wants_response: piece.wants_response,
            is_answered: false,
        };
        Sender {
            packets: case.packets().into_iter().map(packet).collect(),
            sent: 0,
            peer: None,
            again: BTreeMap::new(),
            cleared: 0,
            clear_at: None,
            responded: Vec::new(),
            nacks: BTreeMap::new(),
            clears_asked: 0,
            case: case.clone(),
        }
    }

    pub fn psn(&self, at: usize) -> u32 {
        self.case.start.wrapping_add(at as u32)
    }

    /// The packet with this PSN, if it was sent.
    pub fn at(&self, psn: u32) -> Option<usize> {
        Some(psn.wrapping_sub(self.case.start) as usize).filter(|at| *at < self.sent)
    }

    /// Packets from the first on whose responses came, or that the cumulative PSN covers.
    fn answered(&self, una: usize) -> usize {
        if self.case.has(Slip::UnansweredCleared) {
            return self.sent;
        }
        una + self.packets[una..].iter().take_while(|packet| packet.is_answered).count()
    }

    /// Packets whose responses the target may forget: by the responses that came, or by the cumulative PSN.
    pub fn forgets(&self, una: usize) -> usize {
        self.cleared.max(una)
    }

    /// The PSN up to which the target may forget the responses, if that is to be said: a new packet says it as well.
    pub fn clear(&mut self, una: usize, is_due: bool) -> Option<u32> {
        self.cleared = self.cleared.max(self.answered(una));
        (self.cleared > 0 && is_due).then(|| self.psn(self.cleared - 1))
    }

    /// It is time for a clear that was asked for.
    pub fn clears(&mut self, now: u64) -> bool {
        self.clear_at.take_if(|at| *at <= now).is_some()
    }

    pub fn asked_to_clear(&mut self, una: usize, now: u64) {
        self.clears_asked += 1;
        if self.answered(una) > una {
            self.clear_at = self.clear_at.or(Some(now + self.case.clear_delay));
        }
    }

    /// All is acknowledged: a Close follows. Whether it is new.
    pub fn close_behind(&mut self, una: usize) -> bool {
        let is_new = una == self.packets.len() && !self.has_close();
        if is_new {
            self.packets.push(Packet { is_last: true, ..Packet::default() });
        }
        is_new
    }

    fn has_close(&self) -> bool {
        self.packets.last().is_some_and(|last| last.bytes.is_none())
    }

    /// The Close is acknowledged.
    pub fn is_done(&self, una: usize) -> bool {
        self.has_close() && una == self.packets.len()
    }

    /// Whether a new packet asks for an ACK. `is_full`: no other follows it at once.
    pub fn asks(&self, at: usize, is_full: bool) -> bool {
        match self.case.ack_requests {
            AckRequests::Every => true,
            AckRequests::Never => false,
            AckRequests::Sparse => at == 0 || self.packets[at].is_last || is_full,
        }
    }

    /// A packet that it is time to send again; what is acknowledged is forgotten.
    pub fn due(&mut self, una: usize, now: u64) -> Option<usize> {
        while let Some(at) = self.again.iter().find(|(_, when)| **when <= now).map(|(at, _)| *at) {
            self.again.remove(&at);
            if at >= una {
                return Some(at);
            }
        }
        None
    }

    /// What a packet says: a request, or a Close. `forgets`: packets whose responses the target may forget.
    pub fn header(&self, at: usize, is_again: bool, asks: bool, forgets: usize) -> Header {
        let psn = self.psn(at);
        let destination = match self.peer {
            Some(peer) => Destination::Pdc(peer),
            None => Destination::Syn { pdc_info: 0, psn_offset: at as u16 },
        };
        if self.packets[at].bytes.is_none() {
            return Header::Control(Control {
                ctl: Ctl::Close,
                mode: Mode::Rud,
                is_retransmission: is_again,
                ack_request: true,
                opaque: 0,
                psn,
                source: A,
                destination,
                payload: 0,
            });
        }
        Header::Request(Request {
            mode: self.case.mode,
            next_header: next::STANDARD_REQUEST,
            is_retransmission: is_again,
            ack_request: asks || is_again,
            clear_offset: self.psn(forgets).wrapping_sub(1).wrapping_sub(psn) as i16,
            psn,
            source: A,
            destination,
            credit: None,
        })
    }

    /// A control packet without a PSN of its own, once the peer is known.
    pub fn control(&self, ctl: Ctl, psn: u32, opaque: u16, payload: u32) -> Option<Header> {
        let destination = Destination::Pdc(self.peer?);
        Some(Header::Control(Control {
            ctl,
            mode: Mode::Rud,
            is_retransmission: false,
            ack_request: ctl == Ctl::Probe,
            opaque,
            psn,
            source: A,
            destination,
            payload,
        }))
    }

    /// A packet is answered, with or without a response.
    pub fn answer(&mut self, at: usize, response: Option<Response>) -> Found {
        let packet = &mut self.packets[at];
        if (response.is_none() && packet.wants_response) || packet.is_answered {
            return Ok(());
        }
        packet.is_answered = true;
        if let (true, Some(response)) = (packet.wants_response, response) {
            let message = packet.message;
            self.responded.push((message, response.opcode));
            if usize::from(response.message) != message {
                return Err(format!("the response to message {message} is {response:?}"));
            }
        }
        Ok(())
    }

    /// What is left to the host of a NACK of an outstanding packet.
    pub fn nack(&mut self, at: usize, code: u8, now: u64) -> Found {
        match (Nack { code, ..Nack::default() }).action() {
            // of scoreboard and block
            Action::ResendNow if code != NOT_RECEIVED => {}
            Action::GoBack => {}
            Action::ResendNow => _ = self.again.insert(at, now),
            Action::ResendLater => _ = self.again.entry(at).or_insert(now + NACK_RETX),
            action => return Err(format!("NACK {code:02x} asks to {action:?}")),
        }
        Ok(())
    }

    pub fn wake_at(&self) -> Option<u64> {
        [self.again.values().min().copied(), self.clear_at].into_iter().flatten().min()
    }
}
