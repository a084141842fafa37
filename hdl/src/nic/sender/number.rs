//! The number by which the peer knows a connection, written into a frame as it leaves.

// what not every configuration has stands under an `if` of its own, which falls away as a whole
#![allow(clippy::collapsible_if)]

use respray_hdl_macros::block;
use rust_hdl::prelude::*;

use crate::comment;
use crate::config::Wire;
use crate::nic::receiver::layers::WordCount;
use crate::prims::{Array, Param};
use crate::signal_struct;

/// Steps of 4 bytes behind that of the UDP source port: that whose second half ends with the upper bits of the number
/// in `strack`, that whose first half has its lower bits, and the one whose first half is the destination PDC of `uet`.
const UPPER_STEP: u64 = 3;
const LOWER_STEP: u64 = 4;
const PDC_STEP: u64 = 5;
/// The steps in which UDP can begin: behind an IPv4 header of 5 words, and behind two tags and one of 15 words.
const FIRST_UDP: u64 = 8;
const LAST_UDP: u64 = 20;

signal_struct! {
    /// What a grant says of the number: 25 bits.
    pub struct GrantedNumber {
        pub number: Bits<24>,
        /// It is written.
        pub is_there: bool,
    }
}

/// A number and where it is written: the number in bits 23:0, whether it is in bit 24, and the step of the UDP source port above.
pub type PlacedNumber = Bits<30>;

/// Puts the number into the beats of a frame of `D` steps each. Combinational.
#[block]
pub struct NumberPatch<const W: usize, const D: usize> {
    /// A beat of the frame; it leaves, and it is the last one.
    pub data: Signal<In, Bits<W>>,
    pub leaves: Signal<In, bool>,
    pub is_last: Signal<In, bool>,
    pub placed: Signal<In, PlacedNumber>,
    pub patched: Signal<Out, Bits<W>>,

    count: WordCount<D>,
    is_here: Signal<Local, bool>,
    behind: Signal<Local, Bits<5>>,
    word: Signal<Local, Bits<32>>,
    joined: Signal<Local, Bits<W>>,
    /// The steps of a beat, the last one first.
    numbers: Array<Param<Bits<5>>, D>,
    shifts: Array<Param<Bits<10>>, D>,
    word_bits: Param<Bits<10>>,
    lower_step: Param<Bits<5>>,
    upper_step: Param<Bits<5>>,
    /// Of each step of a beat, the last one first: it may be one of these.
    has_lower: Array<Param<bool>, D>,
    has_upper: Array<Param<bool>, D>,
}

#[block]
impl<const W: usize, const D: usize> NumberPatch<W, D> {
    /// For beats of `D` steps and the headers of a profile.
    ///
    /// # Panics
    /// If `W` bits are not `D` steps.
    pub fn new(wire: Wire) -> Self {
        assert!(W == 32 * D, "a beat of {W} bits has {} steps, not {D}", W / 32);
        let is_uet = wire == Wire::Uet;
        let mut block = Self {
            count: WordCount::up_to((LAST_UDP + PDC_STEP + 1) as usize),
            word_bits: Param::new(32u64.into()),
            lower_step: Param::new(if is_uet { PDC_STEP } else { LOWER_STEP }.into()),
            upper_step: Param::new(UPPER_STEP.into()),
            ..Default::default()
        };
        for at in 0..D {
            block.numbers[at] = Param::new(((D - 1 - at) as u64).into());
            block.shifts[at] = Param::new((32 * (D - 1 - at) as u64).into());
            let can_have =
                |behind: u64| (FIRST_UDP..=LAST_UDP).any(|udp| (udp + behind) as usize % D == D - 1 - at);
            block.has_lower[at] = Param::new(can_have(if is_uet { PDC_STEP } else { LOWER_STEP }));
            block.has_upper[at] = Param::new(!is_uet && can_have(UPPER_STEP));
        }
        block.connect_all();
        block
    }

    fn update(&mut self) {
        comment!("module number_patch: writes the peer's number into a frame as it leaves");
        self.count.moves = self.leaves;
        self.count.is_last = self.is_last;
        self.is_here = self.placed.get_bit(24) & !self.count.is_behind;
        self.joined = 0;
        for i in 0..D {
            // Steps from the UDP source port on.
            self.behind = (self.count.at | self.numbers[i]) - self.placed.get_bits::<5>(25);
            self.word = bit_cast::<32, W>(self.data >> self.shifts[i]);
            if self.has_lower[i] {
                if self.is_here & (self.behind == self.lower_step) {
                    self.word = (bit_cast::<32, 16>(self.word.get_bits::<16>(16)) << 16)
                        | (bit_cast::<32, 8>(self.placed.get_bits::<8>(0)) << 8)
                        | bit_cast::<32, 8>(self.placed.get_bits::<8>(8));
                }
            }
            if self.has_upper[i] {
                if self.is_here & (self.behind == self.upper_step) {
                    self.word = (bit_cast::<32, 8>(self.placed.get_bits::<8>(16)) << 24)
                        | bit_cast::<32, 24>(self.word.get_bits::<24>(0));
                }
            }
            self.joined = (self.joined << self.word_bits) | bit_cast::<W, 32>(self.word);
        }
        self.patched = self.joined;
    }
}
