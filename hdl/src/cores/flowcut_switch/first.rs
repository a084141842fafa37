//! The first member of a set.

use respray_hdl_macros::hdl_gen;
use rust_hdl::prelude::*;

use crate::comment;
use crate::prims::FirstClear;

/// Number of the lowest bit of `U` that is set, two cycles later: the first octet with a member, then the member in it. `P = log2(U)`.
#[derive(LogicBlock, Default)]
pub struct First<const U: usize, const P: usize> {
    pub clk: Signal<In, Clock>,
    /// One bit at least is set, or the number means nothing.
    pub members: Signal<In, Bits<U>>,
    pub number: Signal<Out, Bits<P>>,

    all: Signal<Local, Bits<64>>,
    empty_octets: Signal<Local, Bits<7>>,
    first_octet: FirstClear,
    first_bit: FirstClear,
    offset: Signal<Local, Bits<6>>,
    octet: DFF<Bits<8>>,
    octet_number: DFF<Bits<3>>,
    found: DFF<Bits<6>>,
}

impl<const U: usize, const P: usize> Logic for First<U, P> {
    #[hdl_gen]
    fn update(&mut self) {
        comment!("module first: number of the lowest bit that is set");
        dff_setup!(self, clk, octet, octet_number, found);
        self.all.next = bit_cast::<64, U>(self.members.val());
        self.empty_octets.next = 0.into();
        for i in 0..7 {
            self.empty_octets.next =
                self.empty_octets.val().replace_bit(i, !self.all.val().get_bits::<8>(8 * i).any());
        }
        self.first_octet.flags.next = self.empty_octets.val();
        self.octet_number.d.next = self.first_octet.place.val();
        self.offset.next = bit_cast::<6, 3>(self.first_octet.place.val()) << 3;
        self.octet.d.next = self.all.val().get_bits::<8>(self.offset.val().index());
        self.first_bit.flags.next = !bit_cast::<7, 8>(self.octet.q.val());
        self.found.d.next =
            (bit_cast::<6, 3>(self.octet_number.q.val()) << 3) | bit_cast::<6, 3>(self.first_bit.place.val());
        self.number.next = bit_cast::<P, 6>(self.found.q.val());
    }
}
