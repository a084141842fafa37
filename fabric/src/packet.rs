//! Packets on their way. They are small, and move by value from queue to wire to queue: so the memory that a run goes through lies in
//! order, whatever the number of hosts.

/// What a packet is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Kind {
    #[default]
    Data,
    /// The header of a data packet that a queue had no room for.
    Trimmed,
    Ack,
    Nack,
}

impl Kind {
    /// Whether it goes before data and is neither marked nor trimmed.
    #[inline]
    pub fn is_control(self) -> bool {
        self != Kind::Data
    }

    /// Whether it goes from the sender to the receiver.
    #[inline]
    pub fn is_forward(self) -> bool {
        matches!(self, Kind::Data | Kind::Trimmed)
    }
}

/// One packet.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Packet {
    pub connection: u32,
    /// Of data; of an ACK or a NACK: that of its data packet.
    pub psn: u32,
    /// The EV, if it is known; else the ticket with which the engine was asked for it. An ACK or a NACK goes by the EV of its data.
    pub ev_or_ticket: u32,
    /// Of an ACK: every packet below this PSN has come.
    pub cumulative: u32,
    /// Of an ACK: bit `i` says whether the packet has come that is `i` behind [`crate::connection::first_of_bitmap`].
    pub bitmap: u64,
    /// Of an ACK: bytes on the wire of all packets that have come, modulo 2^32.
    pub received: u32,
    /// Bytes on the wire.
    pub bytes: u16,
    pub kind: Kind,
    pub marks: Marks,
}

/// What is said of a packet by a bit each.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Marks(u8);

impl Marks {
    /// Of data: a queue marked it. Of an ACK: its data packet was marked.
    pub const CONGESTION: Marks = Marks(1);
    /// Of data: it filled its window, so that the sender waits for its ACK.
    pub const ASKS_FOR_ACK: Marks = Marks(2);
    /// Its EV is known.
    pub const EV_KNOWN: Marks = Marks(4);
    /// Its EV is known to be drawn anew, not one that feedback named or that was used before.
    pub const EV_DRAWN: Marks = Marks(8);
    /// Of data: it was sent before.
    pub const REPEATED: Marks = Marks(16);

    #[inline]
    pub fn has(self, mark: Marks) -> bool {
        self.0 & mark.0 != 0
    }

    #[inline]
    pub fn set(&mut self, mark: Marks) {
        self.0 |= mark.0;
    }
}

impl Packet {
    /// Its EV.
    #[inline]
    pub fn ev(&self) -> Option<u16> {
        self.marks.has(Marks::EV_KNOWN).then_some(self.ev_or_ticket as u16)
    }

    pub fn is_marked(&self) -> bool {
        self.marks.has(Marks::CONGESTION)
    }
}
