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
        name: "request_cc",
        layout: [
            PROLOGUE,
            &[
                ("clear_psn_offset", 16),
                ("psn", 32),
                ("source_pdc", 16),
                ("destination_pdc", 16),
                ("ccc_id", 8),
                ("credit_target", 24),
            ],
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
    // as far as it is read: congestion state of an unknown length follows
    Header {
        name: "ack_ccx",
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
            ],
        ],
    },
    // also a NACK_CCX as far as it is read
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
    // without its payload, which some do not have
    Header {
        name: "control",
        layout: [
            &[("type", 5), ("ctl", 4), ("flags", 7)],
            &[("probe_opaque", 16), ("psn", 32), ("source_pdc", 16), ("destination_pdc", 16)],
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
/// Bytes of the trailer of `uet`.
pub const TRAILER_BYTES: usize = 4;

/// What a packet is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    Data,
    Ack,
    Nack,
    Control,
}

/// A kind of packet that a profile has, and how its header is told.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Kind {
    /// As much of it as a packet needs to have.
    pub header: &'static str,
    pub role: Role,
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
    /// Fields of the first 16 bits that a packet is judged by beside the one that tells the kind: header, name, bits.
    judged: &'static [(&'static str, &'static str, u64)],
}

/// Flag of a NACK of `uet` that refuses a packet of RUDI, which has no PSN: it is none of the profile.
pub const FLAG_RUDI: u64 = 0x08;
/// Flag of a control packet of `uet` that asks for a connection.
pub const FLAG_SYN: u64 = 0x04;
/// The `ctl` of control packets that ask for none.
pub const CTL_WITHOUT_SYN: [u64; 2] = [1, 8];
/// `next_header` of a request of `uet` with the standard header of the semantic sublayer, which has a message ID.
pub const NEXT_STANDARD_REQUEST: u64 = 3;
/// Bytes behind the header that a standard request has to its message ID, which ends there.
pub const MESSAGE_BYTES: u64 = 4;

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
        header(self.wire, self.first(Role::Data).header)
    }

    fn first(&self, role: Role) -> &Kind {
        self.kinds.iter().find(|kind| kind.role == role).expect("a profile has data and ACKs")
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

    /// Of a header's first 16 bits all that a packet is judged by.
    pub fn judged(&self) -> u64 {
        let bits = self.judged.iter().map(|(name, field, bits)| {
            let field = header(self.wire, name).field(field);
            bits << (16 - field.offset - field.width)
        });
        bits.fold(self.mask(), |all, bits| all | bits)
    }

    /// The codes of a kind as they stand in the first 16 bits; a single one twice.
    fn two_codes(&self, kind: &Kind) -> [u64; 2] {
        let behind = self.place().0;
        match kind.codes {
            [code] => [code << behind; 2],
            [first, second] => [first << behind, second << behind],
            codes => panic!("{} of {:?} has one or two codes: {codes:?}", kind.header, self.wire),
        }
    }

    /// The codes of data, under [`Self::mask`].
    pub fn data_codes(&self) -> [u64; 2] {
        self.two_codes(self.first(Role::Data))
    }

    /// The codes of ACKs with the first header that is one, under [`Self::mask`].
    pub fn ack_codes(&self) -> [u64; 2] {
        self.two_codes(self.first(Role::Ack))
    }

    /// The code of the only kind with the longest header, under [`Self::mask`].
    pub fn long_code(&self) -> u64 {
        let longest = self.longest();
        let mut long = self.kinds.iter().filter(|kind| header(self.wire, kind.header).bytes() == longest);
        match (long.next(), long.next()) {
            (Some(kind @ Kind { codes: [_], .. }), None) => self.two_codes(kind)[0],
            _ => panic!("one kind of {:?} has the longest header", self.wire),
        }
    }

    /// Requests with a longer header than others: the bit of the first 16 that tells them from those, and the bytes that they have
    /// more. In them the bit that tells the two codes of other requests apart is inverted.
    ///
    /// # Panics
    /// If it is not.
    pub fn credit(&self) -> Option<(u64, u64)> {
        let mut data = self.kinds.iter().filter(|kind| kind.role == Role::Data);
        let (short, long) = (data.next().expect("a profile has data"), data.next()?);
        let ([unordered, ordered], [long_unordered, long_ordered]) =
            (self.two_codes(short), self.two_codes(long));
        let tells = long_unordered & long_ordered & !unordered & !ordered;
        let mask = 1 << tells.ilog2();
        let order = unordered ^ ordered;
        assert_eq!((unordered & order, long_ordered & order), (0, 0), "the bit of ROD of {:?}", self.wire);
        assert_eq!(
            (ordered & order, long_unordered & order),
            (order, order),
            "the bit of ROD of {:?}",
            self.wire
        );
        let bytes = |kind: &Kind| header(self.wire, kind.header).bytes() as u64;
        Some((mask, bytes(long) - bytes(short)))
    }

    /// Whether the field that tells the kinds is a type of five bits, so that [`Self::types`] says all of them.
    pub fn has_types(&self) -> bool {
        header(self.wire, self.kinds[0].header).field(self.field).width == 5
    }

    /// The types of the kinds that `is` names, type `n` as bit `n`.
    pub fn types(&self, is: impl Fn(&Kind) -> bool) -> u64 {
        self.kinds.iter().filter(|kind| is(kind)).flat_map(|kind| kind.codes).map(|code| 1 << code).sum()
    }

    /// Of the lengths of headers those between the shortest and the longest, ascending, with the types that have them; a
    /// length that there is not has no types.
    pub fn between(&self) -> [(usize, u64); 2] {
        let of = |kind: &Kind| header(self.wire, kind.header).bytes();
        let mut sizes: Vec<usize> = self.kinds.iter().map(of).collect();
        sizes.retain(|bytes| *bytes > self.shortest() && *bytes < self.longest());
        sizes.sort_unstable();
        sizes.dedup();
        assert!(sizes.len() <= 2, "{:?} has at most four lengths of headers", self.wire);
        std::array::from_fn(|n| match sizes.get(n) {
            Some(size) => (*size, self.types(|kind| of(kind) == *size)),
            None => (self.longest(), 0),
        })
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
        Kind { header: "data", role: Role::Data, codes: &[0xC0] },
        Kind { header: "ack", role: Role::Ack, codes: &[0xC1] },
    ],
    stamp: Some(("data", "timestamp")),
    judged: &[],
};

const UET_KINDS: Kinds = Kinds {
    wire: Wire::Uet,
    field: "type",
    kinds: &[
        Kind { header: "request", role: Role::Data, codes: &[2, 3] },
        Kind { header: "request_cc", role: Role::Data, codes: &[13, 14] },
        Kind { header: "ack", role: Role::Ack, codes: &[7] },
        Kind { header: "ack_cc", role: Role::Ack, codes: &[8] },
        Kind { header: "ack_ccx", role: Role::Ack, codes: &[9] },
        Kind { header: "nack", role: Role::Nack, codes: &[10, 12] },
        Kind { header: "control", role: Role::Control, codes: &[11] },
    ],
    stamp: None,
    judged: &[("nack", "flags", FLAG_RUDI), ("control", "flags", FLAG_SYN), ("control", "ctl", 0xF)],
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
    source("meta_type", "request", "type", 0, 5),
    source("meta_next_header", "request", "next_header", 0, 4),
    source("meta_flags", "request", "flags", 0, 7),
    source("meta_detail", "request", "clear_psn_offset", 0, 16),
    source("meta_payload", "nack", "nack_payload", 0, 32),
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
    source("ack_cc", "ack_cc", "cc_type", 0, 4),
    source("ack_mpr", "ack_cc", "mpr", 0, 8),
    source("ack_pend/restore", "ack_cc", "restore_cwnd", 0, 1),
    source("ack_pend", "ack_cc", "rcv_cwnd_pend", 0, 7),
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
