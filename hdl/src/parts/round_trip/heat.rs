//! Whether an average is hot.

use respray_hdl_macros::hdl_gen;
use rust_hdl::prelude::*;

use crate::comment;
use crate::prims::Param;

/// `2 average > 32 ratio * (rtt_min + serial)`, in the judge stage. `A` is the width of an average in 32nds of a tick and `P` that
/// of a product with its sign.
///
/// An average is above 16 times a whole number if its upper bits are, or if they are equal to it and the lower four are not all
/// clear. So the product less the upper bits, and less 1 where the lower ones are not clear, is below 0: one sum.
#[derive(LogicBlock, Default)]
pub struct Heat<const A: usize, const P: usize> {
    pub average: Signal<In, Bits<A>>,
    /// They add up to `ratio * (rtt_min + serial)`.
    pub lower_part: Signal<In, Bits<P>>,
    pub upper_part: Signal<In, Bits<P>>,
    pub is_hot: Signal<Out, bool>,
    less: Signal<Local, Bits<P>>,
    is_whole: Signal<Local, bool>,
    sums: Signal<Local, Bits<P>>,
    carries: Signal<Local, Bits<P>>,
    shifted: Signal<Local, Bits<P>>,
    carried: Signal<Local, Bits<P>>,
    beyond: Signal<Local, Bits<P>>,
    sign: Param<Bits<6>>,
}

impl<const A: usize, const P: usize> Heat<A, P> {
    /// With its parameters.
    pub fn new() -> Self {
        Self { sign: Param::new((P as u64 - 1).into()), ..Default::default() }
    }
}

impl<const A: usize, const P: usize> Logic for Heat<A, P> {
    #[hdl_gen]
    fn update(&mut self) {
        comment!(
            "module heat: whether an average is above its limit, 2 average > 32 ratio * (rtt_min + serial)"
        );
        comment!("The limit less the average: its complement, and 1 where the lower bits are clear.");
        self.less.next = !bit_cast::<P, A>(self.average.val() >> 4);
        self.is_whole.next = !self.average.val().get_bits::<4>(0).any();

        comment!("Of three two, without a carry from bit to bit; then one sum.");
        self.sums.next = self.lower_part.val() ^ self.upper_part.val() ^ self.less.val();
        self.carries.next = (self.lower_part.val() & self.upper_part.val())
            | (self.lower_part.val() & self.less.val())
            | (self.upper_part.val() & self.less.val());
        self.shifted.next = self.carries.val() << 1;
        self.carried.next = self.shifted.val().replace_bit(0, self.is_whole.val());
        self.beyond.next = self.sums.val() + self.carried.val();
        self.is_hot.next = self.beyond.val().get_bit(self.sign.val().index());
    }
}
