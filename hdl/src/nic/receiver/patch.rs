//! What is written into data on its way to the host.

use respray_hdl_macros::block;
use rust_hdl::prelude::*;

use super::layers::WordCount;
use super::ports::{CHECKSUM_WORD, PORT_WORD, WORDS};
use super::words::Rewriting;
use crate::comment;
use crate::prims::{Array, Param};

/// Puts port and checksum into the beats of a frame of `D` words of 4 bytes. Combinational.
#[block]
pub struct Patch<const W: usize, const D: usize> {
    /// A beat of the frame, which leaves, and which is its last.
    pub data: Signal<In, Bits<W>>,
    pub leaves: Signal<In, bool>,
    pub is_last: Signal<In, bool>,
    /// The frame is data of an open connection, and this is what is written into it.
    pub is_written: Signal<In, bool>,
    pub item: Signal<In, Rewriting>,
    pub patched: Signal<Out, Bits<W>>,

    count: WordCount<D>,
    place: Signal<Local, Bits<5>>,
    behind_port: Signal<Local, Bits<5>>,
    behind_checksum: Signal<Local, Bits<5>>,
    word: Signal<Local, Bits<32>>,
    joined: Signal<Local, Bits<W>>,
    /// The words of a beat, the last one first.
    numbers: Array<Param<Bits<5>>, D>,
    word_bits: Param<Bits<10>>,
    shifts: Array<Param<Bits<10>>, D>,
    port_word: Param<Bits<5>>,
    checksum_word: Param<Bits<5>>,
}

#[block]
impl<const W: usize, const D: usize> Patch<W, D> {
    /// For beats of `D` words.
    ///
    /// # Panics
    /// If `W` bits are not `D` words.
    pub fn new() -> Self {
        assert!(W == 32 * D, "a beat of {W} bits has {} words, not {D}", W / 32);
        let mut block = Self {
            count: WordCount::up_to(WORDS),
            word_bits: Param::new(32u64.into()),
            port_word: Param::new(PORT_WORD.into()),
            checksum_word: Param::new(CHECKSUM_WORD.into()),
            ..Default::default()
        };
        for at in 0..D {
            block.numbers[at] = Param::new(((D - 1 - at) as u64).into());
            block.shifts[at] = Param::new((32 * (D - 1 - at) as u64).into());
        }
        block.connect_all();
        block
    }

    fn update(&mut self) {
        comment!("module patch: writes port and checksum into data on its way to the host");
        self.count.moves = self.leaves;
        self.count.is_last = self.is_last;
        comment!(
            "The place comes late, out of a memory: what it is compared with is made of the count, and 15 equals no word."
        );
        let is_here = self.is_written & !self.count.is_behind;
        self.place = bit_cast::<5, 4>(self.item.place);
        self.joined = 0;
        for i in 0..D {
            self.behind_port = (self.count.at | self.numbers[i]) - self.port_word;
            self.behind_checksum = (self.count.at | self.numbers[i]) - self.checksum_word;
            self.word = bit_cast::<32, W>(self.data >> self.shifts[i]);
            if is_here & (self.place == self.behind_port) & (self.behind_port != 15) {
                self.word = (bit_cast::<32, 16>(self.item.port) << 16)
                    | bit_cast::<32, 16>(self.word.get_bits::<16>(0));
            }
            if is_here & (self.place == self.behind_checksum) & (self.behind_checksum != 15) {
                self.word = (bit_cast::<32, 16>(self.word.get_bits::<16>(16)) << 16)
                    | bit_cast::<32, 16>(self.item.checksum);
            }
            self.joined = (self.joined << self.word_bits) | bit_cast::<W, 32>(self.word);
        }
        self.patched = self.joined;
    }
}
