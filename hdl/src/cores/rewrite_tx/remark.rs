//! ECT(0) in place of what stands in the IP header.

use respray_hdl_macros::{LogicBlock, Part, hdl_gen};
use rust_hdl::prelude::*;

use crate::comment;
use crate::cores::rewrite::Place;

/// What the IP header becomes.
#[derive(Copy, Clone, Debug, Default, PartialEq, LogicStruct)]
pub struct Marked {
    /// The second byte, with ECT(0).
    pub second: Bits<8>,
    /// The IPv4 checksum's complement and what ECT(0) changes.
    pub sum: Bits<17>,
}

/// Register 2 holds the checksum and what of the codepoint takes more than a wire, register 3 what comes of it and of the second byte.
#[derive(LogicBlock, Default, Part)]
pub struct Remark {
    pub clk: Signal<In, Clock>,
    pub valid: Signal<In, Bit>,
    pub place: Signal<In, Place>,
    pub even: [Signal<In, Bits<16>>; 16],
    /// IP's second byte on its way into register 2.
    pub second_1: Signal<In, Bits<8>>,
    /// IP's second byte and the place, beside register 2.
    pub second: Signal<In, Bits<8>>,
    pub place_2: Signal<In, Place>,
    pub marked: Signal<Out, Marked>,

    shown: Signal<Local, Bits<16>>,
    checksum: Signal<Local, Bits<16>>,
    /// Complement.
    checksum_held: DFF<Bits<16>>,
    /// ECT(0) less the old codepoint: the lowest bits. The others are the codepoint's upper bit.
    change_low: DFF<Bits<2>>,
    change: Signal<Local, Bits<16>>,
    found: Signal<Local, Marked>,
    held: DFF<Marked>,
}

impl Logic for Remark {
    #[hdl_gen]
    fn update(&mut self) {
        comment!("Puts ECT(0) into the IP header.");
        dff_setup!(self, clk, checksum_held, change_low, held);
        comment!("Register 2. The steps that are shown are moved to where they are without tags.");
        self.shown.next = self.place.val().front >> self.place.val().tags;
        self.checksum.next = self.even[6].val();
        if self.place.val().tags == bits::<2>(1) {
            self.checksum.next = self.even[7].val();
        }
        if self.place.val().tags == bits::<2>(2) {
            self.checksum.next = self.even[8].val();
        }
        if self.valid.val() && self.shown.val().get_bit(6) {
            self.checksum_held.d.next = !self.checksum.val();
        }
        if self.valid.val() && self.shown.val().get_bit(3) {
            self.change_low.d.next = bits::<2>(2);
            if self.second_1.val().get_bits::<2>(0) == bits::<2>(1) {
                self.change_low.d.next = bits::<2>(1);
            }
            if self.second_1.val().get_bits::<2>(0) == bits::<2>(2) {
                self.change_low.d.next = bits::<2>(3);
            }
        }
        comment!(
            "Register 3. ECT(0) less the old codepoint, as a sum of halfwords would add it: 2, 1, all ones, all ones less 1."
        );
        self.change.next = bit_cast::<16, 2>(self.change_low.q.val());
        if self.second.val().get_bit(1) {
            self.change.next = bit_cast::<16, 2>(self.change_low.q.val()) | bits::<16>(0xFFFC);
        }
        self.found.next.sum =
            bit_cast::<17, 16>(self.checksum_held.q.val()) + bit_cast::<17, 16>(self.change.val());
        self.found.next.second = (self.second.val() & bits::<8>(0xFC)) | bits::<8>(0x02);
        if !self.place_2.val().is_ip4 {
            self.found.next.second = (self.second.val() & bits::<8>(0xCF)) | bits::<8>(0x20);
        }
        self.held.d.next = self.found.val();
        self.marked.next = self.held.q.val();
    }
}
