//! From clock cycles to ticks.

use respray_hdl_macros::block;
use rust_hdl::prelude::*;

use crate::comment;
use crate::prims::Reg;

/// The count of clock cycles without its lowest `prescale` bits, 0 to 16 of them, three clock cycles later: `T` bits of the
/// `W = T + 16` that are given. `M = T + 3` bits are what is left after the first stage.
#[block(no_reset)]
pub struct Ticks<const T: usize, const M: usize, const W: usize> {
    pub cycles: Signal<In, Bits<W>>,
    pub prescale: Signal<In, Bits<5>>,
    pub ticks: Signal<Out, Bits<T>>,

    coarse: Reg<Bits<M>>,
    fine: Reg<Bits<T>>,
    /// Bits from 16 on, as far as the stages.
    above: Reg<Bits<T>>,
    above_held: Reg<Bits<T>>,
    shifted: Reg<Bits<T>>,
}

#[block]
impl<const T: usize, const M: usize, const W: usize> Ticks<T, M, W> {
    /// # Panics
    /// If the widths do not belong together.
    pub fn new() -> Self {
        assert!(W == T + 16 && M == T + 3, "ticks of {T} bits are not made of {W} bits by way of {M}");
        Self::default()
    }

    fn update(&mut self) {
        comment!("A time in ticks of 2^prescale clock cycles, three cycles late.");
        comment!("By 0, 4, 8 or 12 bits, and aside by 16.");
        let fours = self.prescale.get_bits::<2>(2);
        let by_four = self.cycles >> 4;
        let by_eight = self.cycles >> 8;
        let by_twelve = self.cycles >> 12;
        let by_sixteen = self.cycles >> 16;
        self.coarse = self.cycles.get_bits::<M>(0);
        if fours == 1 {
            self.coarse = by_four.get_bits::<M>(0);
        } else if fours == 2 {
            self.coarse = by_eight.get_bits::<M>(0);
        } else if fours == 3 {
            self.coarse = by_twelve.get_bits::<M>(0);
        }
        self.above = by_sixteen.get_bits::<T>(0);
        comment!("By 0 to 3 bits.");
        let ones = self.prescale.get_bits::<2>(0);
        let by_one = self.coarse >> 1;
        let by_two = self.coarse >> 2;
        let by_three = self.coarse >> 3;
        self.fine = self.coarse.get_bits::<T>(0);
        if ones == 1 {
            self.fine = by_one.get_bits::<T>(0);
        } else if ones == 2 {
            self.fine = by_two.get_bits::<T>(0);
        } else if ones == 3 {
            self.fine = by_three.get_bits::<T>(0);
        }
        self.above_held = self.above;
        comment!("Or by 16.");
        self.shifted = self.fine;
        if self.prescale.get_bit(4) {
            self.shifted = self.above_held;
        }
        self.ticks = self.shifted;
    }
}
