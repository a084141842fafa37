//! Wire profiles: each one table of fields, and parsing and building of its headers on bytes.
//!
//! A header starts with the first byte of the UDP payload. Offsets count bits from there, bit 0 being the most
//! significant bit of the first byte, and fields are big-endian numbers, as header diagrams are read. The EV is
//! the UDP source port, and the packet's own ECN mark is the IP header's: neither is part of these tables.

pub mod strack;
pub mod uet;

use std::ops::Range;

/// A field of a header.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Field {
    pub name: &'static str,
    /// Bits from the start of the UDP payload.
    pub offset: usize,
    /// Bits, 1..=64.
    pub width: usize,
}

impl Field {
    const fn new(name: &'static str, offset: usize, width: usize) -> Self {
        Field { name, offset, width }
    }

    /// The field's value in a header. Panics if `header` ends before the field does.
    #[inline]
    pub fn get(&self, header: &[u8]) -> u64 {
        let (bytes, behind) = self.place();
        let word = header[bytes].iter().fold(0u128, |word, byte| word << 8 | u128::from(*byte));
        (word >> behind) as u64 & self.ones()
    }

    /// Writes the low `width` bits of `value`. Panics if `header` ends before the field does.
    #[inline]
    pub fn put(&self, header: &mut [u8], value: u64) {
        let (bytes, behind) = self.place();
        let mut word = u128::from(value & self.ones()) << behind;
        let mut ones = u128::from(self.ones()) << behind;
        for byte in header[bytes].iter_mut().rev() {
            *byte = *byte & !(ones as u8) | word as u8;
            (word, ones) = (word >> 8, ones >> 8);
        }
    }

    /// The bytes in which it stands, at most 9, and the bits of the last one that are behind it.
    #[inline]
    fn place(&self) -> (Range<usize>, usize) {
        let end = self.offset + self.width;
        (self.offset / 8..end.div_ceil(8), end.next_multiple_of(8) - end)
    }

    #[inline]
    fn ones(&self) -> u64 {
        u64::MAX >> (64 - self.width)
    }
}

/// A header: its fields in wire order, without gaps.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Header {
    pub name: &'static str,
    pub fields: &'static [Field],
}

impl Header {
    /// Length in bytes.
    pub const fn bytes(&self) -> usize {
        let last = self.fields[self.fields.len() - 1];
        (last.offset + last.width) / 8
    }

    fn check(&self, profile: Profile, payload: &[u8]) -> Result<(), WireError> {
        if payload.len() < self.bytes() {
            return Err(WireError::TooShort {
                profile: profile.name(),
                header: self.name,
                need: self.bytes(),
                got: payload.len(),
            });
        }
        Ok(())
    }
}

/// Why a UDP payload is not a packet of the profile.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum WireError {
    #[error("{profile} {header} header needs {need} bytes, but the UDP payload has {got}")]
    TooShort { profile: &'static str, header: &'static str, need: usize, got: usize },
    #[error("{profile} opcode or type {found:#04x} is not known: allowed are {allowed}")]
    UnknownKind { profile: &'static str, found: u8, allowed: &'static str },
}

/// Header profile, the configuration's `wire`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Profile {
    Strack,
    Uet,
}

impl Profile {
    /// All of them, in the order of their codes in the register `profile`.
    pub const ALL: [Profile; 2] = [Profile::Strack, Profile::Uet];

    /// As in the configuration.
    pub const fn name(self) -> &'static str {
        match self {
            Profile::Strack => "strack",
            Profile::Uet => "uet",
        }
    }

    /// UDP destination port.
    pub const fn udp_port(self) -> u16 {
        match self {
            Profile::Strack => 4791,
            Profile::Uet => 4793,
        }
    }

    /// PSNs are modulo 2 to the power of this.
    pub const fn psn_bits(self) -> u32 {
        match self {
            Profile::Strack => strack::PSN_BITS,
            Profile::Uet => u32::BITS,
        }
    }

    /// Bits that a count of received bytes has on the wire.
    pub const fn count_bits(self) -> u32 {
        match self {
            Profile::Strack => u32::BITS,
            Profile::Uet => uet::COUNT_BITS,
        }
    }

    /// Data brings a timestamp, which its ACK echoes.
    pub fn has_timestamps(self) -> bool {
        self.data().fields.iter().any(|field| field.name == "timestamp")
    }

    /// The header of data, which no header that is told apart is shorter than.
    pub const fn data(self) -> Header {
        match self {
            Profile::Strack => strack::DATA,
            Profile::Uet => uet::REQUEST,
        }
    }

    /// The profile's table: every header that it has.
    pub const fn headers(self) -> &'static [Header] {
        match self {
            Profile::Strack => &[strack::DATA, strack::ACK],
            Profile::Uet => {
                &[uet::REQUEST, uet::REQUEST_CC, uet::ACK, uet::ACK_CC, uet::ACK_CCX, uet::NACK, uet::CONTROL]
            }
        }
    }

    /// Reads the header at the start of a UDP payload; what follows it is not looked at.
    pub fn parse(self, payload: &[u8]) -> Result<Packet, WireError> {
        match self {
            Profile::Strack => strack::parse(payload),
            Profile::Uet => uet::parse(payload),
        }
    }
}

/// A header of any profile.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Packet {
    StrackData(strack::Data),
    StrackAck(strack::Ack),
    UetRequest(uet::Request),
    UetAck(uet::Ack),
    UetNack(uet::Nack),
    UetControl(uet::Control),
}

/// What a packet is for, in any profile.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Role {
    Data,
    Ack,
    Nack,
    /// What the ends of a connection tell each other beside data.
    Control,
}

impl Packet {
    pub const fn role(&self) -> Role {
        match self {
            Packet::StrackData(_) | Packet::UetRequest(_) => Role::Data,
            Packet::StrackAck(_) | Packet::UetAck(_) => Role::Ack,
            Packet::UetNack(_) => Role::Nack,
            Packet::UetControl(_) => Role::Control,
        }
    }

    pub const fn profile(&self) -> Profile {
        match self {
            Packet::StrackData(_) | Packet::StrackAck(_) => Profile::Strack,
            Packet::UetRequest(_) | Packet::UetAck(_) | Packet::UetNack(_) | Packet::UetControl(_) => {
                Profile::Uet
            }
        }
    }

    /// The number by which the data's sender knows the connection.
    pub const fn sender_connection(&self) -> u32 {
        match self {
            Packet::StrackData(p) => p.connection,
            Packet::StrackAck(p) => p.connection,
            Packet::UetRequest(p) => p.source_pdc as u32,
            Packet::UetAck(p) => p.destination_pdc as u32,
            Packet::UetNack(p) => p.destination_pdc as u32,
            Packet::UetControl(p) => p.source_pdc as u32,
        }
    }

    /// The number by which the data's receiver knows the connection.
    pub const fn receiver_connection(&self) -> u32 {
        match self {
            Packet::StrackData(p) => p.connection,
            Packet::StrackAck(p) => p.connection,
            Packet::UetRequest(p) => p.destination_pdc as u32,
            Packet::UetAck(p) => p.source_pdc as u32,
            Packet::UetNack(p) => p.source_pdc as u32,
            Packet::UetControl(p) => p.destination_pdc as u32,
        }
    }

    /// Of data or a control packet: its PSN; of an ACK or NACK: the PSN of the packet that it answers. 24 bits in
    /// `strack`, 32 in `uet`.
    pub const fn psn(&self) -> u32 {
        match self {
            Packet::StrackData(p) => p.psn,
            Packet::StrackAck(p) => p.psn,
            Packet::UetRequest(p) => p.psn,
            Packet::UetAck(p) => p.ack_psn(),
            Packet::UetNack(p) => p.psn,
            Packet::UetControl(p) => p.psn,
        }
    }

    /// Of an ACK or NACK: the echoed ECN mark of the packet that it answers; false for data.
    pub const fn ecn_echo(&self) -> bool {
        match self {
            Packet::StrackAck(p) => p.ecn_echo,
            Packet::UetAck(p) => p.ecn_echo,
            Packet::UetNack(p) => p.ecn_echo,
            Packet::StrackData(_) | Packet::UetRequest(_) | Packet::UetControl(_) => false,
        }
    }

    /// A probe, or the ACK that answers one.
    pub const fn is_probe(&self) -> bool {
        match self {
            Packet::StrackData(p) => p.probe,
            Packet::StrackAck(p) => p.probe_echo,
            Packet::UetAck(p) => p.probe,
            Packet::UetControl(p) => p.ctl == uet::CTL_PROBE,
            Packet::UetRequest(_) | Packet::UetNack(_) => false,
        }
    }

    /// The header's bytes.
    pub fn to_bytes(&self) -> Vec<u8> {
        match self {
            Packet::StrackData(p) => p.to_bytes().to_vec(),
            Packet::StrackAck(p) => p.to_bytes().to_vec(),
            Packet::UetRequest(p) => p.to_bytes(),
            Packet::UetAck(p) => p.to_bytes(),
            Packet::UetNack(p) => p.to_bytes().to_vec(),
            Packet::UetControl(p) => p.to_bytes(),
        }
    }
}
