//! A register: what it is called, who may do what with it, and what stands behind it.

use std::ops::RangeInclusive;

use super::Counter;
use super::settings::{Row, Setting};

/// Who may do what with a register.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Access {
    ReadOnly,
    ReadWrite,
    /// A write does something; there is nothing to be read.
    WriteOnly,
}

/// What the last command `read` left.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ResultField {
    Status,
    SndUna,
    SndNxt,
    InFlight,
    BytesInFlight,
    InRecovery,
    /// Of `accept`.
    Nack,
}

/// What stands behind an address.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Target {
    Constant(u32),
    Setting(Setting),
    Command,
    Result(ResultField),
    EventsWaiting,
    /// Low half of the clock's counter; a read keeps the high half for the register behind it.
    Time,
    /// Low half of a counter; the same. A write of any value sets the counter to 0.
    Counter(Counter),
    /// The host grants frames.
    Credit,
    /// Frames that were granted, and that went to the host.
    CreditState,
    /// What the registers of a peer hold becomes the entry of the connection that is written.
    PeerEntry,
    /// The receiver of the connection that is written takes the packet that the operands describe.
    Accept,
    /// High half of what the last read of a low half read.
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
    pub width: u8,
    /// Value after `rst`; of a constant, its value.
    pub reset: u32,
    /// Values that may be written; none of a register that is read-only.
    pub allowed: RangeInclusive<u32>,
    pub meaning: String,
    pub target: Target,
}

impl Register {
    /// The setting behind it, if there is one, and its reset value.
    pub(super) fn reset_of_setting(&self) -> Option<(Setting, u32)> {
        match self.target {
            Target::Setting(setting) => Some((setting, self.reset)),
            _ => None,
        }
    }
}

/// A register that is read alone.
pub(super) fn read_only(name: &str, target: Target, width: u8, reset: u32, meaning: &str) -> Register {
    let (name, meaning) = (name.to_string(), meaning.to_string());
    let (access, allowed) = (Access::ReadOnly, RangeInclusive::new(1, 0));
    Register { name, address: 0, access, width, reset, allowed, meaning, target }
}

/// The register that holds a setting.
pub(super) fn setting(row: &Row) -> Register {
    Register {
        name: row.name.to_string(),
        address: 0,
        access: Access::ReadWrite,
        width: row.width,
        reset: row.reset,
        allowed: row.allowed.clone(),
        meaning: row.meaning.to_string(),
        target: Target::Setting(row.setting),
    }
}
