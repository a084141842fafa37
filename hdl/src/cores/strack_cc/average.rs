//! The average queuing delay. 004 Algorithm 4, line 5.

use respray_hdl_macros::hdl_gen;
use rust_hdl::prelude::*;

use crate::comment;

/// Eight times the average, where a new delay counts one eighth, and how far it is above eight targets.
#[derive(LogicBlock, Default)]
pub struct Average {
    pub clk: Signal<In, Clock>,
    pub step_3: Signal<In, bool>,
    pub step_5: Signal<In, bool>,
    pub step_7: Signal<In, bool>,
    /// Step 5.
    pub stored: Signal<In, Bits<19>>,
    /// From step 5 on.
    pub delay: Signal<In, Bits<16>>,
    pub target_qdelay: Signal<In, Bits<16>>,

    /// From step 8 on: after the op.
    pub avg8: Signal<Out, Bits<19>>,
    /// From step 9 on: the average is above the target; by this, eight times.
    pub is_above: Signal<Out, bool>,
    pub excess: Signal<Out, Bits<19>>,

    average: DFF<Bits<19>>,
    change: DFF<Bits<17>>,
    beyond: DFF<Bits<20>>,
    falls: Signal<Local, Bits<19>>,
}

impl Logic for Average {
    #[hdl_gen]
    fn update(&mut self) {
        comment!("module average: eight times the average queuing delay");
        dff_setup!(self, clk, average, change, beyond);
        comment!("An eighth of it goes, and the new delay comes: the difference first, with its sign.");
        self.change.d.next =
            bit_cast::<17, 19>(self.average.q.val() >> 3) - bit_cast::<17, 16>(self.delay.val());
        self.falls.next = bit_cast::<19, 17>(self.change.q.val());
        if self.change.q.val().get_bit(16) {
            self.falls.next = bit_cast::<19, 17>(self.change.q.val()) | 0x6_0000;
        }
        if self.step_5.val() {
            self.average.d.next = self.stored.val();
        }
        if self.step_7.val() {
            self.average.d.next = self.average.q.val() - self.falls.val();
        }
        if self.step_3.val() {
            self.average.d.next = 0.into();
        }
        self.beyond.d.next =
            bit_cast::<20, 19>(self.average.q.val()) - (bit_cast::<20, 16>(self.target_qdelay.val()) << 3);
        self.avg8.next = self.average.q.val();
        self.is_above.next = !self.beyond.q.val().get_bit(19) & self.beyond.q.val().any();
        self.excess.next = self.beyond.q.val().get_bits::<19>(0);
    }
}
