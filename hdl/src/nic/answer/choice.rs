//! One half of sixteen.

use respray_hdl_macros::{LogicBlock, Part, hdl_gen};
use rust_hdl::prelude::*;

use crate::comment;

/// A choice of one half among sixteen, as a tree of two-to-one choices. It begins with bit 2 and ends with bit 1, because Yosys
/// makes the fewest LUTs of this order.
#[derive(LogicBlock, Default, Part)]
pub struct Choice {
    pub halves: [Signal<In, Bits<16>>; 16],
    pub at: Signal<In, Bits<4>>,
    pub chosen: Signal<Out, Bits<16>>,

    of_8: [Signal<Local, Bits<16>>; 8],
    of_4: [Signal<Local, Bits<16>>; 4],
    of_2: [Signal<Local, Bits<16>>; 2],
}

impl Logic for Choice {
    #[hdl_gen]
    fn update(&mut self) {
        comment!("A choice of one half among sixteen.");
        for i in 0..4 {
            self.of_8[i].next = self.halves[i].val();
            self.of_8[i + 4].next = self.halves[i + 8].val();
            if self.at.val().get_bit(2) {
                self.of_8[i].next = self.halves[i + 4].val();
                self.of_8[i + 4].next = self.halves[i + 12].val();
            }
        }
        for i in 0..4 {
            self.of_4[i].next = self.of_8[i].val();
            if self.at.val().get_bit(3) {
                self.of_4[i].next = self.of_8[i + 4].val();
            }
        }
        for i in 0..2 {
            self.of_2[i].next = self.of_4[2 * i].val();
            if self.at.val().get_bit(0) {
                self.of_2[i].next = self.of_4[2 * i + 1].val();
            }
        }
        self.chosen.next = self.of_2[0].val();
        if self.at.val().get_bit(1) {
            self.chosen.next = self.of_2[1].val();
        }
    }
}
