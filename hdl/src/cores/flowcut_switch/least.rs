//! The least loaded uplink, for `flowcut_switch.pick = all`.

use respray_hdl_macros::hdl_gen;
use rust_hdl::prelude::*;

use super::first::First;
use crate::comment;
use crate::prims::{Delay, Param};

/// Two bits of the loads of all uplinks, and which of the candidates have the smallest two.
///
/// A load that is set passes by here at its own turn, between the packets before and behind it, so that each packet sees all digits of
/// the loads as they were when it came.
#[derive(LogicBlock, Default)]
pub struct Digit<const U: usize> {
    pub clk: Signal<In, Clock>,
    pub rst: Signal<In, bool>,
    /// The candidates.
    pub candidates: Signal<In, Bits<U>>,
    /// The uplink whose load is set, one bit or none, and these two bits of it.
    pub chosen: Signal<In, Bits<U>>,
    pub bits: Signal<In, Bits<2>>,
    /// A cycle later: the candidates that are left.
    pub left: Signal<Out, Bits<U>>,

    high: DFF<Bits<U>>,
    low: DFF<Bits<U>>,
    remaining: DFF<Bits<U>>,
    clear_high: Signal<Local, Bits<U>>,
    clear_low: Signal<Local, Bits<U>>,
    clear_both: Signal<Local, Bits<U>>,
    high_after: Signal<Local, Bits<U>>,
    low_after: Signal<Local, Bits<U>>,
}

impl<const U: usize> Logic for Digit<U> {
    #[hdl_gen]
    fn update(&mut self) {
        comment!(
            "module digit: two bits of the loads of all uplinks, and which of the candidates have the smallest two"
        );
        dff_setup!(self, clk, high, low, remaining);
        self.clear_high.next = self.candidates.val() & !self.high.q.val();
        self.clear_low.next = self.candidates.val() & !self.low.q.val();
        self.clear_both.next = self.clear_high.val() & self.clear_low.val();
        self.remaining.d.next = self.candidates.val();
        if self.clear_both.val().any() {
            self.remaining.d.next = self.clear_both.val();
        } else if self.clear_high.val().any() {
            self.remaining.d.next = self.clear_high.val();
        } else if self.clear_low.val().any() {
            self.remaining.d.next = self.clear_low.val();
        }
        self.left.next = self.remaining.q.val();

        self.high_after.next = self.high.q.val();
        self.low_after.next = self.low.q.val();
        for i in 0..U {
            if self.chosen.val().get_bit(i) {
                self.high_after.next = self.high_after.val().replace_bit(i, self.bits.val().get_bit(1));
                self.low_after.next = self.low_after.val().replace_bit(i, self.bits.val().get_bit(0));
            }
        }
        self.high.d.next = self.high_after.val();
        self.low.d.next = self.low_after.val();
        if self.rst.val() {
            self.high.d.next = 0.into();
            self.low.d.next = 0.into();
        }
    }
}

/// The smallest load of the uplinks that are up, and among equals the first one at or after a random place, going round.
///
/// ```text
///  cycle  0        1..4                              5                    6, 7            8
///  up ──► leave ─► four digits of two bits, ───────► those from the ────► first of them ─► uplink
///                  the highest first: who has the    place on, or
///  load ─► ──────► smallest is left                  all of them
/// ```
///
/// `U` uplinks have numbers of `P` bits.
#[derive(LogicBlock, Default)]
pub struct Least<const U: usize, const P: usize> {
    pub clk: Signal<In, Clock>,
    pub rst: Signal<In, bool>,
    /// Cycle 0: uplinks that are up, and the load of one that is set.
    pub up: Signal<In, Bits<U>>,
    pub sets: Signal<In, bool>,
    pub port: Signal<In, Bits<P>>,
    pub load: Signal<In, Bits<8>>,
    /// Cycle 1: a random word.
    pub word: Signal<In, Bits<16>>,
    /// Cycle 8: the uplink.
    pub uplink: Signal<Out, Bits<P>>,

    candidates: DFF<Bits<U>>,
    chosen: DFF<Bits<U>>,
    set_load: DFF<Bits<8>>,
    digit_3: Digit<U>,
    digit_2: Digit<U>,
    digit_1: Digit<U>,
    digit_0: Digit<U>,
    chosen_2: DFF<Bits<U>>,
    chosen_1: DFF<Bits<U>>,
    chosen_0: DFF<Bits<U>>,
    load_2: DFF<Bits<6>>,
    load_1: DFF<Bits<4>>,
    load_0: DFF<Bits<2>>,
    place: Delay<Bits<P>, 3>,
    from_place: DFF<Bits<U>>,
    behind: Signal<Local, Bits<U>>,
    members: DFF<Bits<U>>,
    first: First<U, P>,
    one: Param<Bits<U>>,
    ones: Param<Bits<U>>,
    none: Param<Bits<U>>,
}

impl<const U: usize, const P: usize> Least<U, P> {
    /// With its parameters.
    pub fn new() -> Self {
        Self {
            one: Param::new(1.into()),
            ones: Param::new((u64::MAX >> (64 - U)).into()),
            none: Param::new(0.into()),
            ..Default::default()
        }
    }
}

impl<const U: usize, const P: usize> Logic for Least<U, P> {
    #[hdl_gen]
    fn update(&mut self) {
        comment!("module least: the least loaded of the uplinks that are up");
        dff_setup!(
            self, clk, candidates, chosen, set_load, chosen_2, chosen_1, chosen_0, load_2, load_1, load_0
        );
        dff_setup!(self, clk, from_place, members);
        self.candidates.d.next = self.up.val();
        self.chosen.d.next = self.none.val();
        if self.sets.val() {
            self.chosen.d.next = self.one.val() << self.port.val();
        }
        self.set_load.d.next = self.load.val();

        comment!("Two bits a cycle, the highest first. A load that is set goes along.");
        self.digit_3.clk.next = self.clk.val();
        self.digit_3.rst.next = self.rst.val();
        self.digit_3.candidates.next = self.candidates.q.val();
        self.digit_3.chosen.next = self.chosen.q.val();
        self.digit_3.bits.next = self.set_load.q.val().get_bits::<2>(6);
        self.chosen_2.d.next = self.chosen.q.val();
        self.load_2.d.next = bit_cast::<6, 8>(self.set_load.q.val());
        self.digit_2.clk.next = self.clk.val();
        self.digit_2.rst.next = self.rst.val();
        self.digit_2.candidates.next = self.digit_3.left.val();
        self.digit_2.chosen.next = self.chosen_2.q.val();
        self.digit_2.bits.next = self.load_2.q.val().get_bits::<2>(4);
        self.chosen_1.d.next = self.chosen_2.q.val();
        self.load_1.d.next = bit_cast::<4, 6>(self.load_2.q.val());
        self.digit_1.clk.next = self.clk.val();
        self.digit_1.rst.next = self.rst.val();
        self.digit_1.candidates.next = self.digit_2.left.val();
        self.digit_1.chosen.next = self.chosen_1.q.val();
        self.digit_1.bits.next = self.load_1.q.val().get_bits::<2>(2);
        self.chosen_0.d.next = self.chosen_1.q.val();
        self.load_0.d.next = bit_cast::<2, 4>(self.load_1.q.val());
        self.digit_0.clk.next = self.clk.val();
        self.digit_0.rst.next = self.rst.val();
        self.digit_0.candidates.next = self.digit_1.left.val();
        self.digit_0.chosen.next = self.chosen_0.q.val();
        self.digit_0.bits.next = self.load_0.q.val();

        comment!("The first of those that are left, from the place on and around.");
        self.place.clk.next = self.clk.val();
        self.place.input_value.next = bit_cast::<P, 16>(self.word.val());
        self.from_place.d.next = self.ones.val() << self.place.output_value.val();
        self.behind.next = self.digit_0.left.val() & self.from_place.q.val();
        self.members.d.next = self.digit_0.left.val();
        if self.behind.val().any() {
            self.members.d.next = self.behind.val();
        }
        self.first.clk.next = self.clk.val();
        self.first.members.next = self.members.q.val();
        self.uplink.next = self.first.number.val();
        if self.rst.val() {
            self.chosen.d.next = self.none.val();
            self.chosen_2.d.next = self.none.val();
            self.chosen_1.d.next = self.none.val();
            self.chosen_0.d.next = self.none.val();
        }
    }
}
