//! The least loaded uplink, for `flowcut_switch.pick = all`.

use respray_hdl_macros::block;
use rust_hdl::prelude::*;

use super::first::First;
use crate::comment;
use crate::prims::{Delay, Param, Reg, resize};

/// Two bits of the loads of all uplinks, and which of the candidates have the smallest two.
///
/// A load that is set passes by here at its own turn, between the packets before and behind it, so that each packet sees all digits of
/// the loads as they were when it came.
#[block]
pub struct Digit<const UPLINKS: usize> {
    /// The candidates.
    pub candidates: Signal<In, Bits<UPLINKS>>,
    /// The uplink whose load is set, one bit or none, and these two bits of it.
    pub chosen: Signal<In, Bits<UPLINKS>>,
    pub bits: Signal<In, Bits<2>>,
    /// A cycle later: the candidates that are left.
    pub left: Signal<Out, Bits<UPLINKS>>,

    #[reset = 0]
    high: Reg<Bits<UPLINKS>>,
    #[reset = 0]
    low: Reg<Bits<UPLINKS>>,
    remaining: Reg<Bits<UPLINKS>>,
}

#[block]
impl<const UPLINKS: usize> Digit<UPLINKS> {
    fn update(&mut self) {
        comment!(
            "module digit: two bits of the loads of all uplinks, and which of the candidates have the smallest two"
        );
        let clear_high = self.candidates & !self.high;
        let clear_low = self.candidates & !self.low;
        let clear_both = clear_high & clear_low;
        self.remaining = self.candidates;
        if clear_both.any() {
            self.remaining = clear_both;
        } else if clear_high.any() {
            self.remaining = clear_high;
        } else if clear_low.any() {
            self.remaining = clear_low;
        }
        self.left = self.remaining;

        let mut high_after = self.high;
        let mut low_after = self.low;
        for i in 0..UPLINKS {
            if self.chosen.get_bit(i) {
                high_after = high_after.replace_bit(i, self.bits.get_bit(1));
                low_after = low_after.replace_bit(i, self.bits.get_bit(0));
            }
        }
        self.high = high_after;
        self.low = low_after;
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
/// `UPLINKS` uplinks have numbers of `PORT` bits.
#[block]
pub struct Least<const UPLINKS: usize, const PORT: usize> {
    /// Cycle 0: uplinks that are up, and the load of one that is set.
    pub up: Signal<In, Bits<UPLINKS>>,
    pub sets: Signal<In, bool>,
    pub port: Signal<In, Bits<PORT>>,
    pub load: Signal<In, Bits<8>>,
    /// Cycle 1: a random word.
    pub word: Signal<In, Bits<16>>,
    /// Cycle 8: the uplink.
    pub uplink: Signal<Out, Bits<PORT>>,

    candidates: Reg<Bits<UPLINKS>>,
    #[reset = none]
    chosen: Reg<Bits<UPLINKS>>,
    set_load: Reg<Bits<8>>,
    digit_3: Digit<UPLINKS>,
    digit_2: Digit<UPLINKS>,
    digit_1: Digit<UPLINKS>,
    digit_0: Digit<UPLINKS>,
    #[reset = none]
    chosen_2: Reg<Bits<UPLINKS>>,
    #[reset = none]
    chosen_1: Reg<Bits<UPLINKS>>,
    #[reset = none]
    chosen_0: Reg<Bits<UPLINKS>>,
    load_2: Reg<Bits<6>>,
    load_1: Reg<Bits<4>>,
    load_0: Reg<Bits<2>>,
    place: Delay<Bits<PORT>, 3>,
    from_place: Reg<Bits<UPLINKS>>,
    members: Reg<Bits<UPLINKS>>,
    first: First<UPLINKS, PORT>,
    one: Param<Bits<UPLINKS>>,
    ones: Param<Bits<UPLINKS>>,
    none: Param<Bits<UPLINKS>>,
}

#[block]
impl<const UPLINKS: usize, const PORT: usize> Least<UPLINKS, PORT> {
    /// With its parameters.
    pub fn new() -> Self {
        Self {
            one: Param::new(1.into()),
            ones: Param::new((u64::MAX >> (64 - UPLINKS)).into()),
            none: Param::new(0.into()),
            ..Default::default()
        }
    }

    fn update(&mut self) {
        comment!("module least: the least loaded of the uplinks that are up");
        self.candidates = self.up;
        self.chosen = self.none;
        if self.sets {
            self.chosen = self.one << self.port;
        }
        self.set_load = self.load;

        comment!("Two bits a cycle, the highest first. A load that is set goes along.");
        self.digit_3.candidates = self.candidates;
        self.digit_3.chosen = self.chosen;
        self.digit_3.bits = self.set_load.get_bits::<2>(6);
        self.chosen_2 = self.chosen;
        self.load_2 = resize(self.set_load);
        self.digit_2.candidates = self.digit_3.left;
        self.digit_2.chosen = self.chosen_2;
        self.digit_2.bits = self.load_2.get_bits::<2>(4);
        self.chosen_1 = self.chosen_2;
        self.load_1 = resize(self.load_2);
        self.digit_1.candidates = self.digit_2.left;
        self.digit_1.chosen = self.chosen_1;
        self.digit_1.bits = self.load_1.get_bits::<2>(2);
        self.chosen_0 = self.chosen_1;
        self.load_0 = resize(self.load_1);
        self.digit_0.candidates = self.digit_1.left;
        self.digit_0.chosen = self.chosen_0;
        self.digit_0.bits = self.load_0;

        comment!("The first of those that are left, from the place on and around.");
        self.place.input_value = resize(self.word);
        self.from_place = self.ones << self.place.output_value;
        let behind = self.digit_0.left & self.from_place;
        self.members = self.digit_0.left;
        if behind.any() {
            self.members = behind;
        }
        self.first.members = self.members;
        self.uplink = self.first.number;
    }
}
