//! Whether a packet comes from its peer's address.

use respray_hdl_macros::block;
use rust_hdl::prelude::*;

use super::words::AddressEntry;
use crate::comment;
use crate::prims::{Array, Param, Reg};

/// Compares where a packet comes from with the entry of its connection, eight bits each, and says a clock edge later whether it is refused:
/// where there is an address, and it is another one or one of the other version.
#[block(no_reset)]
pub struct Check {
    pub entry: Signal<In, AddressEntry>,
    /// As the entry has it.
    pub source: Signal<In, Bits<128>>,
    pub is_ipv6: Signal<In, bool>,
    pub refused: Signal<Out, bool>,

    differs: Array<Reg<bool>, 16>,
    /// The address is one of IPv6.
    is_long: Reg<bool>,
    is_other_version: Reg<bool>,
    is_checked: Reg<bool>,
    entry_byte: Signal<Local, Bits<8>>,
    source_byte: Signal<Local, Bits<8>>,
    shifts: Array<Param<Bits<8>>, 16>,
}

#[block]
impl Check {
    /// The block.
    pub fn new() -> Self {
        let mut block = Self::default();
        for at in 0..16 {
            block.shifts[at] = Param::new((8 * at as u64).into());
        }
        block
    }

    fn update(&mut self) {
        comment!("module check: whether a packet comes from its peer's address");
        for i in 0..16 {
            self.entry_byte = bit_cast::<8, 128>(self.entry.address >> self.shifts[i]);
            self.source_byte = bit_cast::<8, 128>(self.source >> self.shifts[i]);
            self.differs[i] = self.entry_byte != self.source_byte;
        }
        self.is_long = self.entry.is_ipv6;
        self.is_other_version = self.entry.is_ipv6 != self.is_ipv6;
        self.is_checked = self.entry.is_there;
        comment!("The second four bytes are those of IPv4.");
        let mut is_other = self.is_other_version;
        for i in 4..8 {
            is_other = is_other | self.differs[i];
        }
        for i in 0..4 {
            is_other = is_other | (self.is_long & self.differs[i]);
        }
        for i in 8..16 {
            is_other = is_other | (self.is_long & self.differs[i]);
        }
        self.refused = self.is_checked & is_other;
    }
}
