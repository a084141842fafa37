//! The event stream to the host.

use std::collections::VecDeque;

use super::engines::Loss;
use crate::sack_tx::Rule;

/// What happened; the discriminants are the codes in the record, and the bits of the register `event_enable`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Kind {
    /// A SACK was taken. `psn`: everything below it is acknowledged (EPSN). `detail`: PSNs newly acknowledged, those
    /// beyond EPSN included. `value`: bytes in flight.
    Acknowledged = 0,
    /// Loss was inferred. `detail`: the rule of 004, 1 out-of-order count, 2 probe, 3 timeout. `psn`: EPSN of the
    /// SACK, 0 for rule 3.
    Loss = 1,
    /// `psn` is to be sent again, at once. Never lost: a PSN waits for a place in the queue. Of Ultra Ethernet `detail` is 1 where a NACK asks for
    /// it; that one may be lost.
    Retransmit = 2,
    /// All of the range held for lost is acknowledged. `psn`: EPSN.
    RecoveryLeft = 3,
    /// An RTT sample, of an ACK that was taken or is merely old. `detail`: ticks of the wire.
    Rtt = 4,
    /// The selector entered freezing.
    FreezeEntered = 5,
    /// The selector left freezing.
    FreezeLeft = 6,
    /// A packet arrived again. `psn`: its PSN.
    Duplicate = 7,
    /// A packet of the host was not sent. `psn`: its PSN. `detail`: status of `sent`, 2 gap, 3 window full, 7 not open; 4: the connection
    /// drains before it is closed.
    Refused = 8,
    /// An ACK that cannot be true, or of a connection that is not open. `psn`: its EPSN. `detail`: status of `sack`,
    /// 2 to 7, of which 6 is that of an ACK from another address than the peer's.
    BadAck = 9,
    /// A packet that was not taken in. `psn`: its PSN. `detail`: status of `packet`, 2 outside the window, 7 not open, or
    /// 6 from another address than the peer's.
    Stray = 10,
    /// A frame from the network is malformed. `detail`: as `meta_error` of `rewrite_rx`. `conn` is 0.
    Malformed = 11,
    /// An ACK gave the connection another window, in whole packets. `detail`: these. `value`: the window in 2^-16 packets.
    Window = 12,
    /// XOFF of the connection: it drains, and its packets wait.
    Xoff = 13,
    /// XON: the drain has ended.
    Xon = 14,
    /// One way of a connection is closed, where the host hears of that. `detail`: 1 sending, 2 receiving. Of sending `psn` is the next PSN that
    /// would have been sent for the first time, `value` the lowest one that is not acknowledged.
    Closed = 15,
    /// Of Ultra Ethernet, as all that follow: an ACK brought the peer's PDC. `psn`: the PSN that it answers. `detail`: the PDC.
    Bound = 16,
    /// A NACK of an outstanding PSN. `psn`: that. `detail`: its code. `value`: its payload.
    Nack = 17,
    /// An ACK asks for a clear. `psn`: the PSN that it answers.
    ClearRequest = 18,
    /// An ACK asks for a close. `psn`: the PSN that it answers.
    CloseRequest = 19,
    /// All arrived that left long enough ago, and the cumulative PSN stands still: the peer is to be asked for `psn`.
    AckRequest = 20,
    /// Too many timeouts in a row.
    Dead = 21,
}

impl Kind {
    /// In the order of their codes.
    pub const ALL: [Kind; 16] = [
        Kind::Acknowledged,
        Kind::Loss,
        Kind::Retransmit,
        Kind::RecoveryLeft,
        Kind::Rtt,
        Kind::FreezeEntered,
        Kind::FreezeLeft,
        Kind::Duplicate,
        Kind::Refused,
        Kind::BadAck,
        Kind::Stray,
        Kind::Malformed,
        Kind::Window,
        Kind::Xoff,
        Kind::Xon,
        Kind::Closed,
    ];

    /// Bits of the register `event_enable`, for the kinds with the lowest codes. The last kind has none: it answers a command.
    pub const ENABLE_BITS: usize = 15;
    /// The same of a block of Ultra Ethernet.
    pub const BITS_OF_UET: usize = 22;

    /// Those that a block of Ultra Ethernet has, too.
    pub const OF_UET: [Kind; 6] =
        [Kind::Bound, Kind::Nack, Kind::ClearRequest, Kind::CloseRequest, Kind::AckRequest, Kind::Dead];

    pub const fn code(self) -> u8 {
        self as u8
    }

    fn of_code(code: u8) -> Option<Kind> {
        Kind::ALL.into_iter().chain(Kind::OF_UET).find(|kind| kind.code() == code)
    }

    /// Who tells of it.
    pub const fn source(self) -> Source {
        match self {
            Kind::FreezeEntered | Kind::FreezeLeft | Kind::Xoff | Kind::Xon => Source::Selector,
            Kind::Duplicate | Kind::Stray | Kind::Malformed => Source::Receiver,
            Kind::Window => Source::Window,
            _ => Source::Scoreboard,
        }
    }
}

/// Who tells of an event.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Source {
    /// Ops and visits of `sack_tx`.
    Scoreboard,
    /// Frames from the network, and `sack_rx`.
    Receiver,
    Selector,
    /// The congestion control.
    Window,
    /// Connections that were closed for receiving, when all that was taken in before has gone to the host.
    Closing,
}

/// One record of the event stream, 128 bits. What its kind does not name is 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Event {
    pub kind: Kind,
    /// Events were lost between the one before and this one.
    pub after_loss: bool,
    /// 24 bits.
    pub conn: u32,
    pub psn: u32,
    pub detail: u16,
    /// Packets of the connection in flight, of `Acknowledged`, `Loss` by rules 1 and 2, `Retransmit`, `RecoveryLeft` and
    /// `Closed`.
    pub in_flight: u16,
    pub value: u32,
}

impl Event {
    pub(super) const fn new(kind: Kind, conn: u32, psn: u32) -> Self {
        Event { kind, after_loss: false, conn, psn, detail: 0, in_flight: 0, value: 0 }
    }

    /// The record, from bit 0: kind 4, after_loss 1, kind above 15 1, reserved 2, conn 24, psn 32, detail 16, in_flight 16, value 32.
    pub const fn to_bits(&self) -> u128 {
        (self.kind as u128 & 0xf)
            | (self.after_loss as u128) << 4
            | (self.kind as u128 >> 4) << 5
            | (self.conn as u128) << 8
            | (self.psn as u128) << 32
            | (self.detail as u128) << 64
            | (self.in_flight as u128) << 80
            | (self.value as u128) << 96
    }

    /// `None` if the kind is not known.
    pub fn from_bits(bits: u128) -> Option<Self> {
        Some(Event {
            kind: Kind::of_code(bits as u8 & 0xf | (bits as u8 >> 5 & 1) << 4)?,
            after_loss: bits >> 4 & 1 == 1,
            conn: bits as u32 >> 8,
            psn: (bits >> 32) as u32,
            detail: (bits >> 64) as u16,
            in_flight: (bits >> 80) as u16,
            value: (bits >> 96) as u32,
        })
    }
}

/// `detail` of [`Kind::Loss`].
pub const fn rule_code(rule: Rule) -> u16 {
    match rule {
        Rule::Ooo => Loss::Ooo.code(),
        Rule::Probe => Loss::Probe.code(),
        Rule::Timeout => Loss::Timeout.code(),
    }
}

impl Loss {
    /// `detail` of [`Kind::Loss`].
    pub const fn code(self) -> u16 {
        match self {
            Loss::Ooo => 1,
            Loss::Probe => 2,
            Loss::Timeout => 3,
            Loss::Nack => 4,
        }
    }
}

/// Events that wait for the host.
#[derive(Clone, Debug)]
pub(super) struct Queue {
    waiting: VecDeque<Event>,
    most: usize,
    /// Events were lost since the last one that was taken in.
    lost: bool,
}

impl Queue {
    pub fn new(most: usize) -> Self {
        Queue { waiting: VecDeque::new(), most, lost: false }
    }

    pub fn len(&self) -> usize {
        self.waiting.len()
    }

    pub fn has_room(&self) -> bool {
        self.waiting.len() < self.most
    }

    /// Takes an event in; false if it is lost. A PSN to send again is only asked for where there is room, so it finds a place.
    pub fn push(&mut self, event: Event) -> bool {
        let has_kept_place = event.kind == Kind::Retransmit && event.detail == 0;
        if !self.has_room() && !has_kept_place {
            self.lost = true;
            return false;
        }
        self.waiting.push_back(Event { after_loss: self.lost, ..event });
        self.lost = false;
        true
    }

    pub fn pop(&mut self) -> Option<Event> {
        self.waiting.pop_front()
    }

    pub fn clear(&mut self) {
        self.waiting.clear();
        self.lost = false;
    }
}
