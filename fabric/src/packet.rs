//! Packets on their way. They are small, and move by value from queue to wire to queue: so the memory that a run goes through lies in
//! order, whatever the number of hosts.

use respray_golden::psn::{SEGMENT, segment_base};
use respray_golden::sack_rx::Sack;
use respray_golden::sack_tx::SackFields;

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
    /// Of data; of an ACK or a NACK: that of its data packet. Of a SACK of the NIC: see [`Packet::carry`].
    pub psn: u32,
    /// The EV, if it is known; else the ticket with which the engine was asked for it. An ACK or a NACK goes by the EV of its data.
    /// Above an EV stands the timestamp that the NIC wrote into its data, and that its SACK echoes.
    pub ev_or_ticket: u32,
    /// Of an ACK: every packet below this PSN has come.
    pub cumulative: u32,
    /// Of an ACK: bit `i` says whether the packet has come that is `i` behind [`crate::connection::first_of_bitmap`].
    pub bitmap: u64,
    /// Of an ACK: bytes on the wire of all packets that have come, modulo 2^32; of a SACK of the NIC bytes of payload. Of data whose EV
    /// is not known: the timestamp of the NIC.
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
    /// It is a probe of the NIC, or the SACK that answers one. A probe is data without payload.
    pub const PROBE: Marks = Marks(32);
    /// It is a frame of a whole block, whose number stands in the place of its EV or ticket.
    pub const FRAME: Marks = Marks(64);

    #[inline]
    pub fn has(self, mark: Marks) -> bool {
        self.0 & mark.0 != 0
    }

    #[inline]
    pub fn set(&mut self, mark: Marks) {
        self.0 |= mark.0;
    }
}

/// Where the segment of a SACK's bitmap stands above the number of packets out of order, in [`Packet::psn`].
const SEGMENT_AT: u32 = 16;

impl Packet {
    /// A SACK of the NIC in the fields of an ACK: EPSN in `cumulative`; in `psn` the packets out of order, and above them
    /// by how many segments of 64 the bitmap lies above that of EPSN. `epsn` is the one of `sack` without the modulo.
    pub fn carry(self, sack: &Sack, epsn: u32) -> Packet {
        let segments = sack.base.wrapping_sub(segment_base(sack.epsn)) % (1 << 24) / SEGMENT;
        Packet {
            psn: u32::from(sack.ooo) | segments << SEGMENT_AT,
            cumulative: epsn,
            bitmap: sack.bitmap,
            received: sack.bytes_recvd,
            ..self
        }
    }

    /// What a SACK says, without its timestamp, with PSNs without the modulo.
    pub fn carried(&self) -> SackFields {
        SackFields {
            epsn: self.cumulative,
            base: segment_base(self.cumulative) + (self.psn >> SEGMENT_AT) * SEGMENT,
            bitmap: self.bitmap,
            ooo: self.psn as u16,
            bytes_recvd: self.received,
            timestamp: 0,
            probe: self.marks.has(Marks::PROBE),
        }
    }

    /// The timestamp of the NIC, of a packet whose EV is known.
    pub fn timestamp(&self) -> u16 {
        (self.ev_or_ticket >> 16) as u16
    }

    /// Its EV.
    #[inline]
    pub fn ev(&self) -> Option<u16> {
        self.marks.has(Marks::EV_KNOWN).then_some(self.ev_or_ticket as u16)
    }

    pub fn is_marked(&self) -> bool {
        self.marks.has(Marks::CONGESTION)
    }
}
