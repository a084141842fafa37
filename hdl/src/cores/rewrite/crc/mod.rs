//! The CRC32C that ends a packet of Ultra Ethernet.
//!
//! ```text
//!          ┌─────────┐ 4   ┌───────┐ 5       6   ┌───────┐ 7     ┌────────┐ 10
//!  beat ──►│ Covered │─┬──►│ Added │──► sum ────►│ state │──────►│ Undone │────► crc
//!          └─────────┘ │   └───────┘             └───────┘       └────────┘ ▲
//!                      │   ┌───────┐ 6                                      │
//!                      └──►│ Found │──► trailer that the packet has ────────┘
//!                          └───────┘
//! ```
//!
//! A CRC is linear, so that each beat adds to the state by itself, and the state of the beat before moves on by a whole beat, in two levels
//! of logic. Nothing is shifted: in front of what is covered there are zeros, over which a state of 0 stays 0, and the ones with
//! which a CRC begins are a constant of the beat in which it begins. Behind the packet there are zeros, too, up to the end of its
//! last beat. They are taken back at the end, by one, two, four and so on, in three registers.
//!
//! The trailer goes through the sum with what it covers, as nobody knows in time that the packet ends. It is taken out again: the state is
//! kept as it was four bytes before the end of the beat, where the trailer, taken for a number, is just added to it.

mod covered;
mod ending;
mod found;
mod linear;
mod polynomial;

pub use covered::Covered;
pub use ending::Ending;
pub use found::Found;
pub use linear::{Added, Moved, Undone};

use respray_hdl_macros::block;
use rust_hdl::prelude::*;

use super::Place;
use crate::comment;
use crate::prims::{Optional, Param, Reg, join};
use polynomial::{moved, of_message, of_state};

/// Steps at which, of one more each, what is covered may begin, the first of them.
const FIRST_START: usize = 5;
/// Bits of the trailer.
const TRAILER_BITS: i64 = 32;

/// Edges from the one that takes a beat to the one behind which [`Crc::ends`] tells of it.
pub const CRC_CYCLES: u32 = 9;

/// The CRC32C of each packet, ten registers behind its last beat.
#[block]
pub struct Crc<const DATA: usize, const BYTES: usize, const STEPS: usize> {
    /// A beat is taken into register 1.
    pub push: Signal<In, Bit>,
    pub keep: Signal<In, Bits<BYTES>>,
    /// Register 1.
    pub valid: Signal<In, Bit>,
    pub first: Signal<In, Bit>,
    pub last: Signal<In, Bit>,
    pub last_byte: Signal<In, Bits<6>>,
    pub word: Signal<In, Bits<DATA>>,
    pub place: Signal<In, Place>,
    /// Of what is sent: the EV, how far the step with it is ahead of the beat, and whether UDP has a checksum, which becomes 0.
    pub ev: Optional<Signal<In, Bits<16>>>,
    pub ahead: Optional<Signal<In, Bits<6>>>,
    pub has_sum: Optional<Signal<In, Bit>>,
    /// Beside register 2: IP's length, that of the payload alone in IPv6, and where it is.
    pub length: Signal<In, Bits<16>>,
    pub place_2: Signal<In, Place>,
    /// Register 10: a beat; a packet ends in it, so many bytes before its end.
    pub passes: Signal<Out, Bit>,
    pub ends: Signal<Out, Bit>,
    pub spare: Signal<Out, Bits<6>>,
    /// The trailer that the packet is to have, and the one that it has, the first byte in the lowest bits.
    pub due: Signal<Out, Bits<32>>,
    pub has: Signal<Out, Bits<32>>,

    covered: Covered<DATA, BYTES, STEPS>,
    ending: Ending<STEPS>,
    found: Found<DATA>,
    added: [Optional<Added>; 8],
    moved: Moved,
    undone: [Undone; 3],

    keep_1: Reg<Bits<BYTES>>,
    #[reset = 0]
    valid_at: Reg<Bits<9>>,
    first_at: Reg<Bits<5>>,
    start: Signal<Local, Bits<4>>,
    start_2: Reg<Bits<4>>,
    start_3: Reg<Bits<4>>,
    start_4: Reg<Bits<4>>,
    start_5: Reg<Bits<4>>,
    added_5: [Optional<Reg<Bits<32>>>; 8],
    begun: Signal<Local, Bits<32>>,
    sum_6: Reg<Bits<32>>,
    state_7: Reg<Bits<32>>,
    state_8: Reg<Bits<32>>,
    state_9: Reg<Bits<32>>,
    state_10: Reg<Bits<32>>,
    #[reset = 0]
    ends_at: Reg<Bits<6>>,
    spare_5: Reg<Bits<6>>,
    spare_6: Reg<Bits<6>>,
    spare_7: Reg<Bits<6>>,
    spare_8: Reg<Bits<6>>,
    spare_9: Reg<Bits<6>>,
    spare_10: Reg<Bits<6>>,
    has_7: Reg<Bits<32>>,
    has_8: Reg<Bits<32>>,
    has_9: Reg<Bits<32>>,
    has_10: Reg<Bits<32>>,
    value: Signal<Local, Bits<32>>,
    /// What the first state of all ones comes to, by the step where it begins.
    starts: [Param<Bits<32>>; 4],
    /// The beat has so many times 64 bits, and more.
    has_added: [Param<bool>; 8],
    in_beat: Param<Bits<6>>,
    is_sent: Param<bool>,
}

#[block]
impl<const DATA: usize, const BYTES: usize, const STEPS: usize> Crc<DATA, BYTES, STEPS> {
    /// The block with its parameters, of frames that are sent or of frames that came.
    pub fn new(is_sent: bool) -> Self {
        let undone = |bytes: i64| of_state(-8 * bytes);
        let added = |at: usize| {
            let behind = DATA as i64 - 64 * (at as i64 + 1) - TRAILER_BITS;
            Optional::new(at < STEPS / 2, || Added::new(of_message(behind)))
        };
        // the odd half of the step
        let start_bit = |step: usize| (32 * (step % STEPS) + 16) as i64;
        let started = |step: usize| moved(u32::MAX, DATA as i64 - start_bit(step) - TRAILER_BITS);
        Self {
            ev: Optional::new(is_sent, Default::default),
            ahead: Optional::new(is_sent, Default::default),
            has_sum: Optional::new(is_sent, Default::default),
            covered: Covered::new(is_sent),
            ending: Ending::new(),
            found: Found::new(),
            added: std::array::from_fn(added),
            has_added: std::array::from_fn(|at| Param::new(at < STEPS / 2)),
            added_5: std::array::from_fn(|at| Optional::new(at < STEPS / 2, Default::default)),
            moved: Moved::new(of_state(DATA as i64)),
            undone: [1, 4, 16].map(|bytes| Undone::new(undone(bytes), undone(2 * bytes))),
            starts: std::array::from_fn(|at| Param::new(u64::from(started(FIRST_START + at)).into())),
            in_beat: Param::new((BYTES as u64 - 1).into()),
            is_sent: Param::new(is_sent),
            ..Default::default()
        }
    }

    fn update(&mut self) {
        comment!("The CRC32C of each packet.");
        if self.push {
            self.keep_1 = self.keep;
        }
        join(self.covered.word, self.word);
        self.covered.keep = self.keep_1;
        join(self.covered.place, self.place);
        self.covered.behind = self.ending.behind;
        self.ending.valid = self.valid;
        self.ending.first = self.first;
        self.ending.last = self.last;
        self.ending.last_byte = self.last_byte;
        self.ending.front = self.place.front;
        self.ending.length = self.length;
        self.ending.tags = self.place_2.tags;
        self.ending.is_ip4 = self.place_2.is_ip4;
        if self.is_sent {
            self.covered.ev = self.ev;
            self.covered.ahead = self.ahead;
            self.covered.has_sum = self.has_sum;
        }
        comment!("Valid in bit i: of the beat in register i + 2; so first.");
        self.valid_at = (self.valid_at << 1) | bit_cast::<9, 1>(bits::<1>(0).replace_bit(0, self.valid));
        self.first_at = (self.first_at << 1) | bit_cast::<5, 1>(bits::<1>(0).replace_bit(0, self.first));
        comment!("In which step of the beat what is covered begins, if it does: 5, 6, 7, 8.");
        self.start = self.place.front.get_bits::<4>(5) & 1;
        if self.place.is_ip4 {
            self.start = self.place.front.get_bits::<4>(5) & 2;
        }
        if self.place.tags == 1 {
            self.start = self.place.front.get_bits::<4>(5) & 2;
            if self.place.is_ip4 {
                self.start = self.place.front.get_bits::<4>(5) & 4;
            }
        }
        if self.place.tags == 2 {
            self.start = self.place.front.get_bits::<4>(5) & 4;
            if self.place.is_ip4 {
                self.start = self.place.front.get_bits::<4>(5) & 8;
            }
        }
        self.start_2 = self.start;
        self.start_3 = self.start_2;
        self.start_4 = self.start_3;
        self.start_5 = self.start_4;
        comment!("Register 5: what each 64 bits of the beat add.");
        self.found.beat = self.covered.beat;
        self.found.index = self.ending.index;
        for i in 0..8 {
            if self.has_added[i] {
                self.added[i].message = self.covered.beat.get_bits::<64>(i * 64);
                self.added_5[i] = self.added[i].state;
            }
        }
        comment!("Register 6: the sum of it, and of the ones with which a CRC begins.");
        self.begun = 0;
        for k in 0..4 {
            if self.start_5.get_bit(k) {
                self.begun = self.begun ^ self.starts[k];
            }
        }
        for i in 0..8 {
            if self.has_added[i] {
                self.begun = self.begun ^ self.added_5[i];
            }
        }
        self.sum_6 = self.begun;
        comment!("Register 7: the state at the end of the beat, less the four bytes of a trailer.");
        self.moved.given = self.state_7;
        if self.valid_at.get_bit(4) {
            self.state_7 = self.sum_6;
            if !self.first_at.get_bit(4) {
                self.state_7 = self.sum_6 ^ self.moved.after;
            }
        }
        comment!("Registers 8 to 10: the state where the packet ends.");
        self.undone[0].given = self.state_7;
        self.undone[0].count = self.spare_7.get_bits::<2>(0);
        self.state_8 = self.undone[0].after;
        self.undone[1].given = self.state_8;
        self.undone[1].count = self.spare_8.get_bits::<2>(2);
        self.state_9 = self.undone[1].after;
        self.undone[2].given = self.state_9;
        self.undone[2].count = self.spare_9.get_bits::<2>(4);
        self.state_10 = self.undone[2].after;
        self.ends_at = (self.ends_at << 1) | bit_cast::<6, 1>(bits::<1>(0).replace_bit(0, self.ending.ends));
        self.spare_5 = self.ending.index ^ self.in_beat;
        self.spare_6 = self.spare_5;
        self.spare_7 = self.spare_6;
        self.spare_8 = self.spare_7;
        self.spare_9 = self.spare_8;
        self.spare_10 = self.spare_9;
        self.has_7 = self.found.bytes;
        self.has_8 = self.has_7;
        self.has_9 = self.has_8;
        self.has_10 = self.has_9;
        comment!(
            "The state there has the trailer that the packet has in it. Its highest byte is sent first."
        );
        self.value = !(self.state_10 ^ self.has_10);
        self.due = (self.value << 24)
            | ((self.value & 0xFF00) << 8)
            | ((self.value >> 8) & 0xFF00)
            | (self.value >> 24);
        self.has = self.has_10;
        self.passes = self.valid_at.get_bit(8);
        self.ends = self.ends_at.get_bit(5);
        self.spare = self.spare_10;
    }
}
