//! The moving average of a connection's RTTs.

use respray_hdl_macros::block;
use rust_hdl::prelude::*;

use crate::comment;
use crate::prims::Param;

/// `average + floor((32 rtt - average) / 2^alpha)` for an alpha of 1 to 5, or `32 rtt` where there is no average yet; combinational.
///
/// As 32 is a multiple of `2^alpha`, that is `average + 32 rtt / 2^alpha` less `average / 2^alpha` rounded up: a sum of three, where
/// a difference, its shift and a sum would come one after the other. A first sample is chosen before the sum, as it is known long
/// before it, so that nothing has to be chosen behind it. `T` is the width of a time, `A = T + 5` that of an average.
#[block(no_clock)]
pub struct Average<const T: usize, const A: usize> {
    /// The average in 32nds of a tick, and whether there is one.
    pub average: Signal<In, Bits<A>>,
    pub has_average: Signal<In, bool>,
    /// The sample.
    pub rtt: Signal<In, Bits<T>>,
    /// `32 rtt / 2^alpha`.
    pub step: Signal<In, Bits<A>>,
    /// `alpha - 1`, 0 to 4.
    pub weight: Signal<In, Bits<3>>,
    /// The same as so many ones: which of the average's bits 1 to 4 lie below its share.
    pub below_share: Signal<In, Bits<4>>,
    pub after: Signal<Out, Bits<A>>,
    share: Signal<Local, Bits<A>>,
    none: Param<Bits<A>>,
}

#[block]
impl<const T: usize, const A: usize> Average<T, A> {
    /// With its parameters.
    pub fn new() -> Self {
        Self { none: Param::new(0.into()), ..Default::default() }
    }

    fn update(&mut self) {
        comment!("module moving_average: the moving average of a connection's RTTs, with one more sample");
        if self.weight.get_bit(2) {
            self.share = self.average >> 5;
        } else if self.weight.get_bit(1) {
            self.share = self.average >> 3;
            if self.weight.get_bit(0) {
                self.share = self.average >> 4;
            }
        } else {
            self.share = self.average >> 1;
            if self.weight.get_bit(0) {
                self.share = self.average >> 2;
            }
        }
        let cut_off = self.average.get_bits::<4>(1) & self.below_share;
        let is_whole = !self.average.get_bit(0) & !cut_off.any();

        comment!("Less the share rounded up: its complement, and 1 where nothing is cut off.");
        let mut old = self.none;
        let mut added: Bits<A> = bit_cast::<A, T>(self.rtt) << 5;
        let mut less = self.none;
        if self.has_average {
            old = self.average;
            added = self.step;
            less = !self.share;
        }

        comment!("Of three two, without a carry from bit to bit; then one sum.");
        let sums = old ^ added ^ less;
        let carries = (old & added) | (old & less) | (added & less);
        let shifted = carries << 1;
        let carried = shifted.replace_bit(0, is_whole & self.has_average);
        self.after = sums + carried;
    }
}
