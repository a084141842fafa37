//! A register: name, address, access, width, values and meaning.

use std::ops::RangeInclusive;

use serde::Serialize;

/// Who may do what with a register.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Access {
    ReadOnly,
    ReadWrite,
    /// A write does something; there is nothing to be read.
    WriteOnly,
}

/// What stands behind an address.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Holder {
    Constant,
    Setting,
    Command,
    /// Result of the last command `read` or `close_tx`.
    Result,
    /// Events that wait for the host.
    Waiting,
    /// A grant of the host: nothing is kept of it here.
    Grant,
    /// Frames that were granted, and that went to the host.
    CreditState,
    /// What the registers of a peer hold becomes the entry of a connection: nothing is kept of it here.
    PeerEntry,
    /// The receiver takes a packet with SYN: nothing is kept of it here.
    Accept,
    /// Low half of the count of clock cycles; a read keeps its high half.
    Time,
    /// Low half of a counter; a read keeps its high half, and a write of any value sets both to 0.
    Counter,
    /// What the last read of a low half kept.
    High,
}

/// A register.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Register {
    pub name: String,
    /// In bytes, a multiple of 4.
    pub address: u32,
    pub access: Access,
    /// Bits, from bit 0; those above read 0 and must be written as 0.
    pub width: u32,
    /// Value after `rst`; of a constant, its value.
    pub reset: u32,
    /// Values that may be written; none of a register that is read-only.
    pub allowed: RangeInclusive<u32>,
    pub meaning: String,
    pub holder: Holder,
}

impl Register {
    /// Number of its word: bits 9:2 of the address.
    pub(super) fn word(&self) -> u64 {
        u64::from(self.address / 4)
    }
}

/// The register called `name`.
///
/// # Panics
/// If there is none: an error of this project.
pub(super) fn find<'a>(table: &'a [Register], name: &str) -> &'a Register {
    let found = table.iter().find(|register| register.name == name);
    found.unwrap_or_else(|| panic!("there is no register {name}"))
}

/// The largest value of so many bits.
pub(super) fn most(width: u32) -> u32 {
    u32::MAX >> (32 - width)
}

pub(super) fn read_only(name: &str, holder: Holder, width: u32, reset: u32, meaning: &str) -> Register {
    let (name, meaning) = (name.to_string(), meaning.to_string());
    let (access, allowed) = (Access::ReadOnly, RangeInclusive::new(1, 0));
    Register { name, address: 0, access, width, reset, allowed, meaning, holder }
}

pub(super) fn setting(
    name: &str,
    width: u32,
    reset: u32,
    allowed: RangeInclusive<u32>,
    meaning: &str,
) -> Register {
    Register { access: Access::ReadWrite, allowed, ..read_only(name, Holder::Setting, width, reset, meaning) }
}
