//! The trailer that a packet has.

use respray_hdl_macros::block;
use rust_hdl::prelude::*;

use crate::comment;
use crate::prims::{Param, Reg};

/// The last four bytes of a packet, which end at any byte of a beat, and may begin in the one before.
///
/// They stand in two steps that follow each other, of which one is even and the other odd.
#[block(no_reset)]
pub struct Found<const DATA: usize> {
    /// Register 4: a beat, which stays until the next one comes, what is behind the packet blanked, and the packet's last byte, if it is in
    /// this beat.
    pub beat: Signal<In, Bits<DATA>>,
    pub index: Signal<In, Bits<6>>,
    /// Register 6: the first of them in the lowest bits.
    pub bytes: Signal<Out, Bits<32>>,

    /// The last step of the beat before.
    last_step: Reg<Bits<32>>,
    /// Steps that a beat does not have are 0, and are not asked for.
    steps: Signal<Local, Bits<512>>,
    even_steps: [Signal<Local, Bits<32>>; 8],
    odd_steps: [Signal<Local, Bits<32>>; 8],
    even_of_2: [Signal<Local, Bits<32>>; 4],
    odd_of_2: [Signal<Local, Bits<32>>; 4],
    even_of_4: [Signal<Local, Bits<32>>; 2],
    odd_of_4: [Signal<Local, Bits<32>>; 2],
    even_5: Reg<Bits<32>>,
    odd_5: Reg<Bits<32>>,
    /// The step with the last byte is the odd one, and the byte within it.
    in_odd_5: Reg<Bit>,
    byte_5: Reg<Bits<2>>,
    bytes_6: Reg<Bits<32>>,
    top: Param<Bits<10>>,
}

#[block]
impl<const DATA: usize> Found<DATA> {
    /// The block with its parameter, which follows from its size.
    pub fn new() -> Self {
        Self { top: Param::new((DATA as u64 - 32).into()), ..Default::default() }
    }

    fn update(&mut self) {
        comment!("The last four bytes of a packet.");
        self.last_step = self.beat.get_bits::<32>(self.top.index());
        comment!(
            "Register 5: of the step with the last one and the step before it the even one, and the odd one."
        );
        let even: Bits<3> = self.index.get_bits::<3>(3);
        let mut odd: Bits<4> = bit_cast::<4, 3>(self.index.get_bits::<3>(3));
        if self.index.get_bit(2) {
            odd = odd + 1;
        }
        self.steps = self.beat.get_bits::<512>(0);
        self.odd_steps[0] = self.last_step;
        for m in 0..8 {
            self.even_steps[m] = self.steps.get_bits::<32>(m * 64);
        }
        for m in 1..8 {
            self.odd_steps[m] = self.steps.get_bits::<32>(m * 64 - 32);
        }
        for m in 0..4 {
            self.even_of_2[m] = self.even_steps[m * 2];
            self.odd_of_2[m] = self.odd_steps[m * 2];
            if even.get_bit(0) {
                self.even_of_2[m] = self.even_steps[m * 2 + 1];
            }
            if odd.get_bit(0) {
                self.odd_of_2[m] = self.odd_steps[m * 2 + 1];
            }
        }
        for m in 0..2 {
            self.even_of_4[m] = self.even_of_2[m * 2];
            self.odd_of_4[m] = self.odd_of_2[m * 2];
            if even.get_bit(1) {
                self.even_of_4[m] = self.even_of_2[m * 2 + 1];
            }
            if odd.get_bit(1) {
                self.odd_of_4[m] = self.odd_of_2[m * 2 + 1];
            }
        }
        self.even_5 = self.even_of_4[0];
        if even.get_bit(2) {
            self.even_5 = self.even_of_4[1];
        }
        self.odd_5 = self.odd_of_4[0];
        if odd.get_bit(2) {
            self.odd_5 = self.odd_of_4[1];
        }
        if odd.get_bit(3) {
            self.odd_5 = self.beat.get_bits::<32>(self.top.index());
        }
        self.in_odd_5 = self.index.get_bit(2);
        self.byte_5 = self.index.get_bits::<2>(0);
        comment!("Register 6.");
        let mut last: Bits<32> = self.even_5;
        let mut first: Bits<32> = self.odd_5;
        if self.in_odd_5 {
            last = self.odd_5;
            first = self.even_5;
        }
        self.bytes_6 = last;
        if self.byte_5 == 0 {
            self.bytes_6 = (first >> 8) | (last << 24);
        }
        if self.byte_5 == 1 {
            self.bytes_6 = (first >> 16) | (last << 16);
        }
        if self.byte_5 == 2 {
            self.bytes_6 = (first >> 24) | (last << 8);
        }
        self.bytes = self.bytes_6;
    }
}
