//! The PSNs that an ACK or NACK names.

use respray_hdl_macros::block;
use rust_hdl::prelude::*;

use super::words::AckHeader;
use crate::comment;
use crate::prims::{Reg, resize};

/// From what a header says to PSNs, a cycle later.
#[block(no_reset)]
pub struct Named {
    pub ack: Signal<In, AckHeader>,
    /// The cumulative PSN is rounded down to a multiple of 2^n before the offset of a bitmap counts.
    pub align: Signal<In, Bits<2>>,
    pub answered: Signal<Out, Bits<32>>,
    pub cum_next: Signal<Out, Bits<32>>,
    pub base: Signal<Out, Bits<32>>,
    pub ooo: Signal<Out, Bits<12>>,

    answered_held: Reg<Bits<32>>,
    cum_next_held: Reg<Bits<32>>,
    base_held: Reg<Bits<32>>,
    ooo_held: Reg<Bits<12>>,
}

#[block]
impl Named {
    fn update(&mut self) {
        comment!("module named: what an ACK names");
        let mut from_answered: Bits<32> = resize(self.ack.offset);
        if self.ack.offset.get_bit(15) {
            from_answered = bit_cast::<32, 16>(self.ack.offset) | bits::<32>(0xffff_0000);
        }
        let mut from_base: Bits<32> = resize(self.ack.base);
        if self.ack.base.get_bit(15) {
            from_base = bit_cast::<32, 16>(self.ack.base) | bits::<32>(0xffff_0000);
        }
        let mut aligned: Bits<32> = self.ack.cack;
        if self.align.any() {
            aligned = aligned & 0xffff_fffe;
        }
        if self.align.get_bit(1) {
            aligned = aligned & 0xffff_fffc;
        }
        if self.align == 3 {
            aligned = aligned & 0xffff_fff8;
        }
        self.answered_held = self.ack.cack + from_answered;
        self.cum_next_held = self.ack.cack + 1;
        self.base_held = aligned + from_base;
        if self.ack.is_nack {
            self.answered_held = self.ack.cack;
            self.cum_next_held = self.ack.cack;
        }
        comment!("A count of ones says that there is none.");
        self.ooo_held = self.ack.ooo.get_bits::<12>(0);
        if self.ack.ooo.get_bits::<4>(12).any() {
            self.ooo_held = 0xfff;
        }
        if self.ack.ooo.all() {
            self.ooo_held = 0;
        }
        self.answered = self.answered_held;
        self.cum_next = self.cum_next_held;
        self.base = self.base_held;
        self.ooo = self.ooo_held;
    }
}
