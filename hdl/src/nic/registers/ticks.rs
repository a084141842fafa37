//! From clock cycles to ticks.

use respray_hdl_macros::hdl_gen;
use rust_hdl::prelude::*;

use crate::comment;

/// The count of clock cycles without its lowest `prescale` bits, 0 to 16 of them, three clock cycles later: `T` bits of the
/// `W = T + 16` that are given. `M = T + 3` bits are what is left after the first stage.
#[derive(LogicBlock, Default)]
pub struct Ticks<const T: usize, const M: usize, const W: usize> {
    pub clk: Signal<In, Clock>,
    pub cycles: Signal<In, Bits<W>>,
    pub prescale: Signal<In, Bits<5>>,
    pub ticks: Signal<Out, Bits<T>>,

    coarse: DFF<Bits<M>>,
    fine: DFF<Bits<T>>,
    /// Bits from 16 on, as far as the stages.
    above: DFF<Bits<T>>,
    above_held: DFF<Bits<T>>,
    shifted: DFF<Bits<T>>,
    fours: Signal<Local, Bits<2>>,
    ones: Signal<Local, Bits<2>>,
    by_four: Signal<Local, Bits<W>>,
    by_eight: Signal<Local, Bits<W>>,
    by_twelve: Signal<Local, Bits<W>>,
    by_sixteen: Signal<Local, Bits<W>>,
    by_one: Signal<Local, Bits<M>>,
    by_two: Signal<Local, Bits<M>>,
    by_three: Signal<Local, Bits<M>>,
}

impl<const T: usize, const M: usize, const W: usize> Ticks<T, M, W> {
    /// # Panics
    /// If the widths do not belong together.
    pub fn new() -> Self {
        assert!(W == T + 16 && M == T + 3, "ticks of {T} bits are not made of {W} bits by way of {M}");
        Self::default()
    }
}

impl<const T: usize, const M: usize, const W: usize> Logic for Ticks<T, M, W> {
    #[hdl_gen]
    fn update(&mut self) {
        comment!("A time in ticks of 2^prescale clock cycles, three cycles late.");
        dff_setup!(self, clk, coarse, fine, above, above_held, shifted);
        comment!("By 0, 4, 8 or 12 bits, and aside by 16.");
        self.fours.next = self.prescale.val().get_bits::<2>(2);
        self.by_four.next = self.cycles.val() >> 4;
        self.by_eight.next = self.cycles.val() >> 8;
        self.by_twelve.next = self.cycles.val() >> 12;
        self.by_sixteen.next = self.cycles.val() >> 16;
        self.coarse.d.next = self.cycles.val().get_bits::<M>(0);
        if self.fours.val() == 1 {
            self.coarse.d.next = self.by_four.val().get_bits::<M>(0);
        } else if self.fours.val() == 2 {
            self.coarse.d.next = self.by_eight.val().get_bits::<M>(0);
        } else if self.fours.val() == 3 {
            self.coarse.d.next = self.by_twelve.val().get_bits::<M>(0);
        }
        self.above.d.next = self.by_sixteen.val().get_bits::<T>(0);
        comment!("By 0 to 3 bits.");
        self.ones.next = self.prescale.val().get_bits::<2>(0);
        self.by_one.next = self.coarse.q.val() >> 1;
        self.by_two.next = self.coarse.q.val() >> 2;
        self.by_three.next = self.coarse.q.val() >> 3;
        self.fine.d.next = self.coarse.q.val().get_bits::<T>(0);
        if self.ones.val() == 1 {
            self.fine.d.next = self.by_one.val().get_bits::<T>(0);
        } else if self.ones.val() == 2 {
            self.fine.d.next = self.by_two.val().get_bits::<T>(0);
        } else if self.ones.val() == 3 {
            self.fine.d.next = self.by_three.val().get_bits::<T>(0);
        }
        self.above_held.d.next = self.above.q.val();
        comment!("Or by 16.");
        self.shifted.d.next = self.fine.q.val();
        if self.prescale.val().get_bit(4) {
            self.shifted.d.next = self.above_held.q.val();
        }
        self.ticks.next = self.shifted.q.val();
    }
}
