//! Wire profiles: for each header one table of fields, from which the RTL takes its positions.
//!
//! A header starts with the first byte of the UDP payload, and fields are big-endian. Bit 0 is the most significant bit of the
//! first byte, as header diagrams are read. A table gives names and widths in the order of the wire; offsets follow from them.

pub mod shim;

use crate::config::Wire;

/// A field of a header.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Field {
    pub name: &'static str,
    /// Bits from the start of the header.
    pub offset: usize,
    /// Bits, 1 to 64.
    pub width: usize,
}

/// A header: the same first fields for all of a profile, then its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Header {
    pub name: &'static str,
    /// Names and widths, in bits.
    layout: [&'static [(&'static str, usize)]; 2],
}

impl Header {
    /// Its fields in the order of the wire, without gaps.
    pub fn fields(&self) -> impl Iterator<Item = Field> {
        let layout = self.layout.into_iter().flatten();
        layout.scan(0, |end, &(name, width)| {
            *end += width;
            Some(Field { name, offset: *end - width, width })
        })
    }

    /// The field called `name`.
    ///
    /// # Panics
    /// If there is none.
    pub fn field(&self, name: &str) -> Field {
        let found = self.fields().find(|field| field.name == name);
        found.unwrap_or_else(|| panic!("header {} has no field {name}", self.name))
    }

    /// Length in bytes.
    pub fn bytes(&self) -> usize {
        self.layout.into_iter().flatten().map(|(_, width)| width).sum::<usize>() / 8
    }
}

/// The base transport header of RoCEv2 (InfiniBand 1.4, 9.2), 12 bytes.
const BASE_TRANSPORT: &[(&str, usize)] = &[
    ("opcode", 8),
    ("solicited", 1),
    ("migration", 1),
    ("pad_count", 2),
    ("version", 4),
    ("partition", 16),
    ("reserved_bth", 8),
    ("dest_qp", 24),
    ("ack_request", 1),
    ("reserved_ack_request", 7),
    ("psn", 24),
];

const STRACK: &[Header] = &[
    Header { name: "data", layout: [BASE_TRANSPORT, &[("timestamp", 16), ("flags", 8), ("hops", 8)]] },
    // 004 Figure 7. Of its four reserved bits the first is the echoed ECN mark, the second says that the SACK answers a
    // probe (004 section 3.3.2, "a dedicated bit").
    Header {
        name: "ack",
        layout: [
            BASE_TRANSPORT,
            &[
                ("echo_entropy", 16),
                ("echo_timestamp", 16),
                ("recv_bytes", 32),
                ("expected_psn", 24),
                ("ooo_low", 8),
                ("ooo_high", 4),
                ("ecn_echo", 1),
                ("probe_echo", 1),
                ("reserved_ack", 2),
                ("sack_base", 24),
                ("sack_bitmap", 64),
            ],
        ],
    },
];

/// What every header of `uet` begins with.
const PROLOGUE: &[(&str, usize)] = &[("type", 5), ("next_header", 4), ("flags", 7)];

/// Ultra Ethernet 1.0, packet delivery sublayer.
const UET: &[Header] = &[
    Header {
        name: "request",
        layout: [
            PROLOGUE,
            &[("clear_psn_offset", 16), ("psn", 32), ("source_pdc", 16), ("destination_pdc", 16)],
        ],
    },
    Header {
        name: "ack",
        layout: [
            PROLOGUE,
            &[("ack_psn_offset", 16), ("cack_psn", 32), ("source_pdc", 16), ("destination_pdc", 16)],
        ],
    },
    Header {
        name: "ack_cc",
        layout: [
            PROLOGUE,
            &[
                ("ack_psn_offset", 16),
                ("cack_psn", 32),
                ("source_pdc", 16),
                ("destination_pdc", 16),
                ("cc_type", 4),
                ("cc_flags", 4),
                ("mpr", 8),
                ("sack_psn_offset", 16),
                ("sack_bitmap", 64),
                // the state of NSCC
                ("service_time", 16),
                ("restore_cwnd", 1),
                ("rcv_cwnd_pend", 7),
                ("rcvd_bytes", 24),
                ("ooo_count", 16),
            ],
        ],
    },
    Header {
        name: "nack",
        layout: [
            PROLOGUE,
            &[
                ("nack_code", 8),
                ("vendor_code", 8),
                ("nack_psn", 32),
                ("source_pdc", 16),
                ("destination_pdc", 16),
                ("nack_payload", 32),
            ],
        ],
    },
];

/// The headers of a profile.
pub fn headers(wire: Wire) -> &'static [Header] {
    match wire {
        Wire::Strack => STRACK,
        Wire::Uet => UET,
    }
}

/// The header called `name`.
///
/// # Panics
/// If the profile has none.
pub fn header(wire: Wire, name: &str) -> Header {
    let found = headers(wire).iter().find(|header| header.name == name);
    *found.unwrap_or_else(|| panic!("profile {wire:?} has no header {name}"))
}

/// Bytes of UDP's header.
pub const UDP_BYTES: usize = 8;

/// A kind of packet that a profile has, and how its header is told.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Kind {
    pub header: &'static str,
    /// Feedback; else data.
    pub is_ack: bool,
    /// Values of the field that tells the kinds.
    pub codes: &'static [u64],
}

/// The kinds of a profile: what the rewriters need to know of its headers beside the places of fields.
#[derive(Clone, Copy, Debug)]
pub struct Kinds {
    wire: Wire,
    /// The field that tells them, of the first 16 bits of every header.
    field: &'static str,
    kinds: &'static [Kind],
    /// Header and field into which a sender writes its timestamp.
    stamp: Option<(&'static str, &'static str)>,
}

impl Kinds {
    fn bytes(&self) -> impl Iterator<Item = usize> {
        self.kinds.iter().map(|kind| header(self.wire, kind.header).bytes())
    }

    /// Bytes that every header of a kind has.
    pub fn shortest(&self) -> usize {
        self.bytes().min().expect("a profile has kinds")
    }

    /// Bytes of the longest header, which is that of a SACK.
    pub fn longest(&self) -> usize {
        self.bytes().max().expect("a profile has kinds")
    }

    /// The header of data.
    pub fn data(&self) -> Header {
        let data = self.kinds.iter().find(|kind| !kind.is_ack).expect("a profile has data");
        header(self.wire, data.header)
    }

    /// Bits behind the field within the first 16, and the bits of the field there.
    fn place(&self) -> (usize, u64) {
        let field = header(self.wire, self.kinds[0].header).field(self.field);
        let end = field.offset + field.width;
        assert!(end <= 16, "{} tells the kinds of {:?} by the first 16 bits", self.field, self.wire);
        (16 - end, ((1 << field.width) - 1) << (16 - end))
    }

    /// Of a header's first 16 bits those that tell the kind.
    pub fn mask(&self) -> u64 {
        self.place().1
    }

    /// The codes of `kinds` as they stand in the first 16 bits; a single one twice.
    fn two_codes<'a>(&self, kinds: impl Iterator<Item = &'a Kind>) -> [u64; 2] {
        let behind = self.place().0;
        let codes: Vec<u64> = kinds.flat_map(|kind| kind.codes).map(|code| code << behind).collect();
        match codes[..] {
            [code] => [code, code],
            [first, second] => [first, second],
            _ => panic!("{:?} has one or two codes of data, and of ACKs: {codes:?}", self.wire),
        }
    }

    /// The codes of data, under [`Self::mask`].
    pub fn data_codes(&self) -> [u64; 2] {
        self.two_codes(self.kinds.iter().filter(|kind| !kind.is_ack))
    }

    /// The codes of ACKs, under [`Self::mask`].
    pub fn ack_codes(&self) -> [u64; 2] {
        self.two_codes(self.kinds.iter().filter(|kind| kind.is_ack))
    }

    /// The code of the only kind with the longest header, under [`Self::mask`].
    pub fn long_code(&self) -> u64 {
        let is_long = |kind: &&Kind| header(self.wire, kind.header).bytes() == self.longest();
        let [code, again] = self.two_codes(self.kinds.iter().filter(is_long));
        assert_eq!(code, again, "one kind of {:?} has the longest header", self.wire);
        code
    }

    /// Steps of 32 bits from UDP's first to the one whose even half ends what every header has.
    pub fn settled_steps(&self) -> u64 {
        ((UDP_BYTES + self.shortest()) / 4) as u64
    }

    /// Steps of 32 bits from UDP's first to the one in whose odd half a sender writes its timestamp.
    pub fn stamp_steps(&self) -> Option<usize> {
        let (name, field) = self.stamp?;
        let field = header(self.wire, name).field(field);
        assert!(field.width == 16 && field.offset.is_multiple_of(32), "{} is an odd half", field.name);
        let steps = (8 * UDP_BYTES + field.offset) / 32;
        assert!(steps % 2 == 1, "EV and timestamp stand in steps of other parity");
        Some(steps)
    }
}

const STRACK_KINDS: Kinds = Kinds {
    wire: Wire::Strack,
    field: "opcode",
    kinds: &[
        Kind { header: "data", is_ack: false, codes: &[0xC0] },
        Kind { header: "ack", is_ack: true, codes: &[0xC1] },
    ],
    stamp: Some(("data", "timestamp")),
};

const UET_KINDS: Kinds = Kinds {
    wire: Wire::Uet,
    field: "type",
    kinds: &[
        Kind { header: "request", is_ack: false, codes: &[2, 3] },
        Kind { header: "ack", is_ack: true, codes: &[7] },
        Kind { header: "ack_cc", is_ack: true, codes: &[8] },
    ],
    stamp: None,
};

/// The kinds of a profile's packets.
pub fn kinds(wire: Wire) -> Kinds {
    match wire {
        Wire::Strack => STRACK_KINDS,
        Wire::Uet => UET_KINDS,
    }
}

/// Bits of a header field that `rewrite_rx` reads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Source {
    /// What it is read for: the metadata port, and behind a `/` which part of it where it can have several.
    pub part: &'static str,
    pub header: &'static str,
    pub field: &'static str,
    /// Lowest of the bits, counted within the field from its least significant.
    pub low: usize,
    /// Bits.
    pub width: usize,
}

impl Source {
    /// Bits from the start of the header to the first of these.
    pub fn offset(&self, wire: Wire) -> usize {
        let field = header(wire, self.header).field(self.field);
        assert!(self.low + self.width <= field.width, "{} is in no {}", self.part, self.field);
        field.offset + field.width - self.low - self.width
    }
}

const fn source(
    part: &'static str,
    header: &'static str,
    field: &'static str,
    low: usize,
    width: usize,
) -> Source {
    Source { part, header, field, low, width }
}

const STRACK_SOURCES: &[Source] = &[
    source("meta_kind/family", "data", "opcode", 5, 3),
    source("meta_kind/opcode", "data", "opcode", 0, 5),
    source("meta_kind/probe", "data", "flags", 7, 1),
    source("meta_conn", "data", "dest_qp", 0, 24),
    source("meta_psn", "data", "psn", 0, 24),
    source("meta_timestamp", "data", "timestamp", 0, 16),
    source("meta_ack_request", "data", "ack_request", 0, 1),
    source("ack_ecn", "ack", "ecn_echo", 0, 1),
    source("ack_probe", "ack", "probe_echo", 0, 1),
    source("ack_ev", "ack", "echo_entropy", 0, 16),
    source("ack_timestamp", "ack", "echo_timestamp", 0, 16),
    source("ack_bytes/low", "ack", "recv_bytes", 0, 32),
    source("ack_epsn", "ack", "expected_psn", 0, 24),
    source("ack_ooo/high", "ack", "ooo_high", 0, 4),
    source("ack_ooo/low", "ack", "ooo_low", 0, 8),
    source("ack_base", "ack", "sack_base", 0, 24),
    source("ack_bitmap/high", "ack", "sack_bitmap", 32, 32),
    source("ack_bitmap/low", "ack", "sack_bitmap", 0, 32),
];

const UET_SOURCES: &[Source] = &[
    source("meta_kind/type", "request", "type", 0, 5),
    source("meta_kind/ack_cc", "ack_cc", "type", 3, 1),
    source("meta_kind/ack", "ack", "type", 2, 1),
    source("meta_conn", "request", "destination_pdc", 0, 16),
    source("meta_psn", "request", "psn", 0, 32),
    source("meta_ack_request", "request", "flags", 3, 1),
    source("meta_source_pdc", "request", "source_pdc", 0, 16),
    source("meta_retransmit", "request", "flags", 4, 1),
    source("ack_ecn", "ack", "flags", 5, 1),
    source("ack_probe", "ack", "flags", 3, 1),
    source("ack_flags", "ack", "flags", 3, 2),
    source("ack_timestamp", "ack_cc", "service_time", 0, 16),
    source("ack_bytes/high", "ack_cc", "rcvd_bytes", 16, 8),
    source("ack_bytes/low", "ack_cc", "rcvd_bytes", 0, 16),
    source("ack_epsn", "ack", "cack_psn", 0, 32),
    source("ack_offset", "ack", "ack_psn_offset", 0, 16),
    source("ack_ooo/low", "ack_cc", "ooo_count", 0, 16),
    source("ack_base", "ack_cc", "sack_psn_offset", 0, 16),
    source("ack_bitmap/high", "ack_cc", "sack_bitmap", 32, 32),
    source("ack_bitmap/low", "ack_cc", "sack_bitmap", 0, 32),
];

/// What `rewrite_rx` reads of a profile's headers, none of it across a 32-bit word of the header.
pub fn sources(wire: Wire) -> &'static [Source] {
    match wire {
        Wire::Strack => STRACK_SOURCES,
        Wire::Uet => UET_SOURCES,
    }
}

/// The source of `part`, if the profile has one.
pub fn source_of(wire: Wire, part: &str) -> Option<Source> {
    sources(wire).iter().find(|source| source.part == part).copied()
}

/// The number by which the sender of data knows its connection; `meta_conn` is the one by which the receiver does.
pub fn sender_connection(wire: Wire) -> Source {
    match wire {
        Wire::Strack => source("req_conn", "data", "dest_qp", 0, 24),
        Wire::Uet => source("req_conn", "request", "source_pdc", 0, 16),
    }
}
