//! The shim: the header that Flowcut's and CAVER's switches put before the EtherType of IP, behind 0 to 2 VLAN tags.
//!
//! A table of fields for each kind, and where a frame has one. Offsets count bits from the first bit of the shim's own
//! EtherType, and fields are big-endian numbers.

use crate::wire::{Field, Header};

/// EtherType that the IEEE leaves to local experiments: 1.
pub const ETHERTYPE: u16 = 0x88b5;

// What every shim begins with.
const OWN_ETHERTYPE: Field = field("ethertype", 0, 16);
const KIND: Field = field("kind", 16, 4);
// Flowcut
const HOPS: Field = field("hops", 20, 4);
const EPOCH: Field = field("epoch", 24, 4);
const RESERVED_FLOWCUT: Field = field("reserved", 28, 4);
const TIMESTAMP: Field = field("timestamp", 32, 16);
const HASH: Field = field("hash", 48, 16);
const BYTES: Field = field("bytes", 64, 24);
const RESERVED_BYTES: Field = field("reserved_bytes", 88, 8);
// CAVER
const ENABLE: Field = field("enable", 20, 1);
const HOP: Field = field("hop", 21, 3);
const RESERVED_DATA: Field = field("reserved", 24, 8);
const LEN: Field = field("len", 20, 3);
const RESERVED_ACK: Field = field("reserved", 23, 1);
const CE: Field = field("ce", 24, 8);
const PATH: Field = field("path", 32, 32);
const DST: Field = field("dst", 64, 16);
const RESERVED_DST: Field = field("reserved_dst", 80, 16);

const fn field(name: &'static str, offset: usize, width: usize) -> Field {
    Field { name, offset, width }
}

/// Kinds of shim, by their number on the wire.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Kind {
    FlowcutData,
    FlowcutAck,
    CaverData,
    CaverAck,
    /// A CAVER ACK that speaks of another host than its sender (`round_robin`).
    CaverAckOf,
}

impl Kind {
    /// All of them, the kind with number i at place i.
    pub const ALL: [Kind; 5] =
        [Kind::FlowcutData, Kind::FlowcutAck, Kind::CaverData, Kind::CaverAck, Kind::CaverAckOf];

    /// The kind with this number; `None`: it is unknown.
    pub fn of(code: u64) -> Option<Kind> {
        Kind::ALL.get(code as usize).copied()
    }

    /// Its number on the wire.
    pub fn code(self) -> u64 {
        self as u64
    }

    /// Its fields.
    pub fn header(self) -> &'static Header {
        &HEADERS[self as usize]
    }
}

/// The headers, in the order of the kinds.
pub const HEADERS: [Header; 5] = [
    Header {
        name: "flowcut_data",
        fields: &[OWN_ETHERTYPE, KIND, HOPS, EPOCH, RESERVED_FLOWCUT, TIMESTAMP, HASH],
    },
    Header {
        name: "flowcut_ack",
        fields: &[OWN_ETHERTYPE, KIND, HOPS, EPOCH, RESERVED_FLOWCUT, TIMESTAMP, HASH, BYTES, RESERVED_BYTES],
    },
    Header { name: "caver_data", fields: &[OWN_ETHERTYPE, KIND, ENABLE, HOP, RESERVED_DATA, PATH] },
    Header { name: "caver_ack", fields: &[OWN_ETHERTYPE, KIND, LEN, RESERVED_ACK, CE, PATH] },
    Header {
        name: "caver_ack_of",
        fields: &[OWN_ETHERTYPE, KIND, LEN, RESERVED_ACK, CE, PATH, DST, RESERVED_DST],
    },
];

/// What a shim says; a kind's own fields count, the others are 0.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Fields {
    pub hops: u8,
    pub epoch: u8,
    pub timestamp: u16,
    pub hash: u16,
    /// 24 bits.
    pub bytes: u32,
    pub enable: bool,
    pub hop: u8,
    pub path: u32,
    pub len: u8,
    pub ce: u8,
    pub dst: u16,
}

impl Fields {
    /// Name and value of each field, in the order in which the cores have their ports.
    pub fn named(&self) -> [(&'static str, u64); 11] {
        [
            ("hops", self.hops.into()),
            ("epoch", self.epoch.into()),
            ("timestamp", self.timestamp.into()),
            ("hash", self.hash.into()),
            ("bytes", self.bytes.into()),
            ("enable", self.enable.into()),
            ("hop", self.hop.into()),
            ("path", self.path.into()),
            ("len", self.len.into()),
            ("ce", self.ce.into()),
            ("dst", self.dst.into()),
        ]
    }

    /// Reads a shim of this kind, which begins with its EtherType.
    pub fn read(kind: Kind, shim: &[u8]) -> Fields {
        let get = |name: &str| {
            let field = kind.header().fields.iter().find(|field| field.name == name);
            field.map_or(0, |field| field.get(shim))
        };
        Fields {
            hops: get("hops") as u8,
            epoch: get("epoch") as u8,
            timestamp: get("timestamp") as u16,
            hash: get("hash") as u16,
            bytes: get("bytes") as u32,
            enable: get("enable") != 0,
            hop: get("hop") as u8,
            path: get("path") as u32,
            len: get("len") as u8,
            ce: get("ce") as u8,
            dst: get("dst") as u16,
        }
    }

    /// The shim of this kind that says so; what is reserved is 0.
    pub fn write(&self, kind: Kind, ethertype: u16) -> Vec<u8> {
        let mut shim = vec![0; kind.header().bytes()];
        OWN_ETHERTYPE.put(&mut shim, ethertype.into());
        KIND.put(&mut shim, kind.code());
        for (name, value) in self.named() {
            if let Some(field) = kind.header().fields.iter().find(|field| field.name == name) {
                field.put(&mut shim, value);
            }
        }
        shim
    }
}

/// What stands behind the VLAN tags of a frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Behind {
    /// IPv4 or IPv6.
    Ip,
    Shim(Kind),
    /// A shim of a kind that is unknown.
    UnknownShim,
    /// The frame ends within the shim or the EtherType behind it.
    ShortShim,
    Other,
}

/// Where a frame's last EtherType before IP stands, counted from its first byte, and what it says; `None`: the frame ends
/// before it.
pub fn find(frame: &[u8], ethertype: u16) -> Option<(usize, Behind)> {
    let word = |at: usize| frame.get(at..at + 2).map(|pair| u16::from_be_bytes([pair[0], pair[1]]));
    let mut at = 12;
    for _ in 0..2 {
        if !matches!(word(at)?, 0x8100 | 0x88a8) {
            break;
        }
        at += 4;
    }
    let own = word(at)?;
    let behind = if own == ethertype {
        shim(&frame[at..])
    } else if matches!(own, 0x0800 | 0x86dd) {
        Behind::Ip
    } else {
        Behind::Other
    };
    Some((at, behind))
}

/// The shim at the beginning of these bytes. None has fewer than 8 bytes, and two of an EtherType follow.
fn shim(bytes: &[u8]) -> Behind {
    let shortest = Kind::FlowcutData.header().bytes();
    if bytes.len() < shortest + 2 {
        return Behind::ShortShim;
    }
    match Kind::of(KIND.get(bytes)) {
        None => Behind::UnknownShim,
        Some(kind) if bytes.len() < kind.header().bytes() + 2 => Behind::ShortShim,
        Some(kind) => Behind::Shim(kind),
    }
}
