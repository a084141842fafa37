//! The shim of Flowcut and CAVER: a header before the EtherType of IP, for each kind one table of fields.
//!
//! It starts with its own EtherType, and offsets count from there.

use super::{Field, Header};

/// EtherType of the shim where none is set: the first that the IEEE leaves to local experiments.
pub const ETHERTYPE: u16 = 0x88b5;
/// Bytes of the longest shim. A shim is 8 bytes long or as long as this.
pub const LONGEST: usize = 12;

const OWN: &[(&str, usize)] = &[("ethertype", 16), ("kind", 4)];

/// The shims, that of kind k at place k: what Flowcut (002) and CAVER (003) have to tell other switches.
pub const SHIMS: [Header; 5] = [
    Header {
        name: "flowcut_data",
        layout: [OWN, &[("hops", 4), ("epoch", 4), ("reserved", 4), ("timestamp", 16), ("hash", 16)]],
    },
    Header {
        name: "flowcut_ack",
        layout: [
            OWN,
            &[
                ("hops", 4),
                ("epoch", 4),
                ("reserved", 4),
                ("timestamp", 16),
                ("hash", 16),
                ("bytes", 24),
                ("reserved_bytes", 8),
            ],
        ],
    },
    Header { name: "caver_data", layout: [OWN, &[("enable", 1), ("hop", 3), ("reserved", 8), ("path", 32)]] },
    Header { name: "caver_ack", layout: [OWN, &[("len", 3), ("reserved", 1), ("ce", 8), ("path", 32)]] },
    Header {
        name: "caver_ack_of",
        layout: [
            OWN,
            &[("len", 3), ("reserved", 1), ("ce", 8), ("path", 32), ("dst", 16), ("reserved_dst", 16)],
        ],
    },
];

/// Kinds whose shim has a field of that name; it stands at the same place in all of them.
pub fn kinds_with(name: &str) -> impl Iterator<Item = usize> {
    SHIMS.into_iter().enumerate().filter(move |(_, shim)| has(shim, name)).map(|(kind, _)| kind)
}

/// The field of that name.
///
/// # Panics
/// If no shim has it, or two have it at different places.
pub fn field(name: &str) -> Field {
    let mut fields = SHIMS.into_iter().filter(|shim| has(shim, name)).map(|shim| shim.field(name));
    let first = fields.next().unwrap_or_else(|| panic!("no shim has a field {name}"));
    assert!(fields.all(|field| field == first), "{name} stands at one place in all shims that have it");
    first
}

fn has(shim: &Header, name: &str) -> bool {
    shim.fields().any(|field| field.name == name)
}
