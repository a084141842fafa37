//! The first member of a set.

use respray_hdl_macros::block;
use rust_hdl::prelude::*;

use crate::comment;
use crate::prims::{FirstClear, Reg, resize};

/// Number of the lowest bit of `UPLINKS` that is set, two cycles later: the first octet with a member, then the member
/// in it. `PORT = log2(UPLINKS)`.
#[block(no_reset)]
pub struct First<const UPLINKS: usize, const PORT: usize> {
    /// One bit at least is set, or the number means nothing.
    pub members: Signal<In, Bits<UPLINKS>>,
    pub number: Signal<Out, Bits<PORT>>,

    first_octet: FirstClear,
    first_bit: FirstClear,
    octet: Reg<Bits<8>>,
    octet_number: Reg<Bits<3>>,
    found: Reg<Bits<6>>,
}

#[block]
impl<const UPLINKS: usize, const PORT: usize> First<UPLINKS, PORT> {
    fn update(&mut self) {
        comment!("module first: number of the lowest bit that is set");
        let all: Bits<64> = resize(self.members);
        let mut empty_octets: Bits<7> = 0;
        for i in 0..7 {
            empty_octets = empty_octets.replace_bit(i, !all.get_bits::<8>(8 * i).any());
        }
        self.first_octet.flags = empty_octets;
        self.octet_number = self.first_octet.place;
        let offset: Bits<6> = bit_cast::<6, 3>(self.first_octet.place) << 3;
        self.octet = all.get_bits::<8>(offset.index());
        self.first_bit.flags = !bit_cast::<7, 8>(self.octet);
        self.found = (bit_cast::<6, 3>(self.octet_number) << 3) | bit_cast::<6, 3>(self.first_bit.place);
        self.number = resize(self.found);
    }
}
