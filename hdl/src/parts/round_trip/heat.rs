//! Whether an average is hot.

use respray_hdl_macros::block;
use rust_hdl::prelude::*;

use crate::comment;
use crate::prims::Param;

/// `2 average > 32 ratio * (rtt_min + serial)`, in the judge stage. `A` is the width of an average in 32nds of a tick and `P` that
/// of a product with its sign.
///
/// An average is above 16 times a whole number if its upper bits are, or if they are equal to it and the lower four are not all
/// clear. So the product less the upper bits, and less 1 where the lower ones are not clear, is below 0: one sum.
#[block(no_clock)]
pub struct Heat<const A: usize, const P: usize> {
    pub average: Signal<In, Bits<A>>,
    /// They add up to `ratio * (rtt_min + serial)`.
    pub lower_part: Signal<In, Bits<P>>,
    pub upper_part: Signal<In, Bits<P>>,
    pub is_hot: Signal<Out, bool>,
    sign: Param<Bits<6>>,
}

#[block]
impl<const A: usize, const P: usize> Heat<A, P> {
    /// With its parameters.
    pub fn new() -> Self {
        Self { sign: Param::new((P as u64 - 1).into()), ..Default::default() }
    }

    fn update(&mut self) {
        comment!(
            "module heat: whether an average is above its limit, 2 average > 32 ratio * (rtt_min + serial)"
        );
        comment!("The limit less the average: its complement, and 1 where the lower bits are clear.");
        let less = !bit_cast::<P, A>(self.average >> 4);
        let is_whole = !self.average.get_bits::<4>(0).any();

        comment!("Of three two, without a carry from bit to bit; then one sum.");
        let sums = self.lower_part ^ self.upper_part ^ less;
        let carries =
            (self.lower_part & self.upper_part) | (self.lower_part & less) | (self.upper_part & less);
        let shifted = carries << 1;
        let carried = shifted.replace_bit(0, is_whole);
        let beyond = sums + carried;
        self.is_hot = beyond.get_bit(self.sign.index());
    }
}
