//! Where a frame ends.

use respray_hdl_macros::{LogicBlock, Part, hdl_gen};
use rust_hdl::prelude::*;

use crate::comment;
use crate::cores::rewrite::Geometry;
use crate::prims::Param;

/// Counts the beats of a frame beside register 1, as far as frames are counted: beyond 16383 bytes the number of the last byte
/// is one that no header can say.
#[derive(LogicBlock, Default, Part)]
pub struct Extent<const DATA: usize> {
    pub clk: Signal<In, Clock>,
    /// A beat is taken.
    pub push: Signal<In, Bit>,
    /// It is the first of a frame.
    pub at_first: Signal<In, Bit>,
    /// Of the beat in register 1.
    pub last_byte: Signal<In, Bits<6>>,
    /// Bytes of the frame up to the end of the beat in register 1, less one.
    pub last_index: Signal<Out, Bits<17>>,

    beat: DFF<Bits<15>>,
    first_byte: Signal<Local, Bits<15>>,
    index: Signal<Local, Bits<15>>,
    byte_shift: Param<Bits<3>>,
}

impl<const DATA: usize> Extent<DATA> {
    /// The block with its parameter, which follows from its size.
    pub fn new() -> Self {
        Self { byte_shift: Param::new((Geometry::new(DATA).shift + 2).into()), ..Default::default() }
    }
}

impl<const DATA: usize> Logic for Extent<DATA> {
    #[hdl_gen]
    fn update(&mut self) {
        comment!("Counts the bytes of a frame.");
        dff_setup!(self, clk, beat);
        self.first_byte.next = self.beat.q.val() << self.byte_shift.val();
        if self.push.val() && !self.first_byte.val().get_bit(14) {
            self.beat.d.next = self.beat.q.val() + 1;
        }
        if self.push.val() && self.at_first.val() {
            self.beat.d.next = bits::<15>(0);
        }
        self.index.next = self.first_byte.val() | bit_cast::<15, 6>(self.last_byte.val());
        self.last_index.next = bit_cast::<17, 15>(self.index.val());
        if self.index.val().get_bit(14) || (self.index.val().get_bits::<14>(0) == bits::<14>(0x3FFF)) {
            self.last_index.next = bits::<17>(0x1FFFF);
        }
    }
}
