//! The moving average of a connection's RTTs.

use respray_hdl_macros::hdl_gen;
use rust_hdl::prelude::*;

use crate::comment;

/// `average + floor((32 rtt - average) / 2^alpha)` for an alpha of 1 to 5, combinational.
///
/// As 32 is a multiple of `2^alpha`, that is `average + 32 rtt / 2^alpha` less `average / 2^alpha` rounded up: a sum of three, where
/// a difference, its shift and a sum would come one after the other.
#[derive(LogicBlock, Default)]
pub struct Average<const A: usize> {
    /// The average in 32nds of a tick.
    pub average: Signal<In, Bits<A>>,
    /// `32 rtt / 2^alpha`.
    pub step: Signal<In, Bits<A>>,
    /// `alpha - 1`, 0 to 4.
    pub weight: Signal<In, Bits<3>>,
    pub after: Signal<Out, Bits<A>>,
    share: Signal<Local, Bits<A>>,
    is_whole: Signal<Local, bool>,
}

impl<const A: usize> Logic for Average<A> {
    #[hdl_gen]
    fn update(&mut self) {
        comment!("module moving_average: the moving average of a connection's RTTs, with one more sample");
        if self.weight.val().get_bit(2) {
            self.share.next = self.average.val() >> 5;
            self.is_whole.next = !self.average.val().get_bits::<5>(0).any();
        } else if self.weight.val().get_bit(1) {
            self.share.next = self.average.val() >> 3;
            self.is_whole.next = !self.average.val().get_bits::<3>(0).any();
            if self.weight.val().get_bit(0) {
                self.share.next = self.average.val() >> 4;
                self.is_whole.next = !self.average.val().get_bits::<4>(0).any();
            }
        } else {
            self.share.next = self.average.val() >> 1;
            self.is_whole.next = !self.average.val().get_bit(0);
            if self.weight.val().get_bit(0) {
                self.share.next = self.average.val() >> 2;
                self.is_whole.next = !self.average.val().get_bits::<2>(0).any();
            }
        }
        comment!("Less the share rounded up: its complement, and 1 where nothing is cut off.");
        self.after.next = self.average.val() + self.step.val() + !self.share.val() + self.is_whole.val();
    }
}
