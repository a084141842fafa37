//! The moving average of a connection's RTTs.

use respray_hdl_macros::hdl_gen;
use rust_hdl::prelude::*;

use crate::comment;
use crate::prims::Param;

/// `average + floor((32 rtt - average) / 2^alpha)` for an alpha of 1 to 5, or `32 rtt` where there is no average yet; combinational.
///
/// As 32 is a multiple of `2^alpha`, that is `average + 32 rtt / 2^alpha` less `average / 2^alpha` rounded up: a sum of three, where
/// a difference, its shift and a sum would come one after the other. A first sample is chosen before the sum, as it is known long
/// before it, so that nothing has to be chosen behind it. `T` is the width of a time, `A = T + 5` that of an average.
#[derive(LogicBlock, Default)]
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
    cut_off: Signal<Local, Bits<4>>,
    is_whole: Signal<Local, bool>,
    old: Signal<Local, Bits<A>>,
    added: Signal<Local, Bits<A>>,
    less: Signal<Local, Bits<A>>,
    sums: Signal<Local, Bits<A>>,
    carries: Signal<Local, Bits<A>>,
    shifted: Signal<Local, Bits<A>>,
    carried: Signal<Local, Bits<A>>,
    none: Param<Bits<A>>,
}

impl<const T: usize, const A: usize> Average<T, A> {
    /// With its parameters.
    pub fn new() -> Self {
        Self { none: Param::new(0.into()), ..Default::default() }
    }
}

impl<const T: usize, const A: usize> Logic for Average<T, A> {
    #[hdl_gen]
    fn update(&mut self) {
        comment!("module moving_average: the moving average of a connection's RTTs, with one more sample");
        if self.weight.val().get_bit(2) {
            self.share.next = self.average.val() >> 5;
        } else if self.weight.val().get_bit(1) {
            self.share.next = self.average.val() >> 3;
            if self.weight.val().get_bit(0) {
                self.share.next = self.average.val() >> 4;
            }
        } else {
            self.share.next = self.average.val() >> 1;
            if self.weight.val().get_bit(0) {
                self.share.next = self.average.val() >> 2;
            }
        }
        self.cut_off.next = self.average.val().get_bits::<4>(1) & self.below_share.val();
        self.is_whole.next = !self.average.val().get_bit(0) & !self.cut_off.val().any();

        comment!("Less the share rounded up: its complement, and 1 where nothing is cut off.");
        self.old.next = self.none.val();
        self.added.next = bit_cast::<A, T>(self.rtt.val()) << 5;
        self.less.next = self.none.val();
        if self.has_average.val() {
            self.old.next = self.average.val();
            self.added.next = self.step.val();
            self.less.next = !self.share.val();
        }

        comment!("Of three two, without a carry from bit to bit; then one sum.");
        self.sums.next = self.old.val() ^ self.added.val() ^ self.less.val();
        self.carries.next = (self.old.val() & self.added.val())
            | (self.old.val() & self.less.val())
            | (self.added.val() & self.less.val());
        self.shifted.next = self.carries.val() << 1;
        self.carried.next = self.shifted.val().replace_bit(0, self.is_whole.val() & self.has_average.val());
        self.after.next = self.sums.val() + self.carried.val();
    }
}
