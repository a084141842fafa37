//! The words of the state RAM: which is read, and what is written.

use respray_hdl_macros::block;
use rust_hdl::prelude::*;

use super::state::StateWord;
use crate::comment;
use crate::prims::{Reg, resize};

/// Reads the words of a connection one after the other, some of them twice: where a word is written, its old time stands in
/// the register of [`super::times`] again.
///
/// ```text
///  step      1  2  3  4  5  6  7  8  9 … fair  clamp  done
///  read      0  3  2  1  0  2  3  3  3 …    0      3     3
///  write                          2  1             3     0
/// ```
#[block(no_reset)]
pub struct Memory<const C: usize, const A: usize> {
    /// Steps 1 to 9 in bits 0 to 8.
    pub step: Signal<In, Bits<13>>,
    pub fair: Signal<In, bool>,
    pub clamp: Signal<In, bool>,
    pub done: Signal<In, bool>,
    pub clearing: Signal<In, bool>,
    pub conn: Signal<In, Bits<C>>,
    pub is_init: Signal<In, bool>,
    /// Step 2: the flags in word 0.
    pub read_flags: Signal<In, Bits<3>>,
    pub now: Signal<In, Bits<16>>,
    /// The time of the word to write, as it was.
    pub stored_time: Signal<In, Bits<16>>,
    pub closes: Signal<In, bool>,
    pub was_cut: Signal<In, bool>,
    pub can_fair: Signal<In, bool>,
    pub cwnd: Signal<In, Bits<26>>,
    pub measured: Signal<In, bool>,
    pub achieved: Signal<In, Bits<20>>,
    pub avg8: Signal<In, Bits<19>>,
    pub rx: Signal<In, Bits<20>>,
    pub base_rtt: Signal<In, Bits<16>>,

    pub read_address: Signal<Out, Bits<A>>,
    /// From step 3 on: `init` was done; an ACK was seen since.
    pub initialised: Signal<Out, bool>,
    pub counting: Signal<Out, bool>,
    pub write: Signal<Out, bool>,
    pub write_address: Signal<Out, Bits<A>>,
    pub write_data: Signal<Out, StateWord>,

    writes: Signal<Local, Bits<2>>,
    keeps: Signal<Local, bool>,
    data: Signal<Local, StateWord>,

    is_initialised: Reg<bool>,
    is_counting: Reg<bool>,
}

#[block]
impl<const C: usize, const A: usize> Memory<C, A> {
    fn update(&mut self) {
        comment!("module memory: which word of the state is read, and what is written");
        if self.step.get_bit(1) {
            self.is_initialised = self.read_flags.get_bit(0);
            self.is_counting = self.read_flags.get_bit(1);
        }
        self.initialised = self.is_initialised;
        self.counting = self.is_counting;

        let mut reads: Bits<2> = 3;
        if self.step.get_bit(0) | self.step.get_bit(4) | self.fair {
            reads = 0;
        }
        if self.step.get_bit(3) {
            reads = 1;
        }
        if self.step.get_bit(2) | self.step.get_bit(5) {
            reads = 2;
        }
        self.read_address = (bit_cast::<A, C>(self.conn) << 2) | bit_cast::<A, 2>(reads);

        comment!("Word 0 by default, in done and for clearing. A time that is not over stays as it was.");
        self.writes = 0;
        self.keeps = !self.can_fair;
        self.data.number = self.cwnd;
        let mut flags: Bits<3> = 0;
        if !self.clearing {
            flags = 1;
            flags = flags.replace_bit(1, !self.is_init);
            flags = flags.replace_bit(2, self.measured);
        }
        self.data.flags = flags;
        if self.step.get_bit(7) {
            self.writes = 2;
            self.keeps = self.is_counting & !self.closes;
            self.data.number = resize(self.rx);
        }
        if self.clamp {
            self.writes = 3;
            self.keeps = !self.was_cut;
            self.data.number = resize(self.base_rtt);
        }
        self.data.time = self.now;
        if self.keeps & !self.is_init {
            self.data.time = self.stored_time;
        }
        if self.step.get_bit(8) {
            self.writes = 1;
            self.data.number = resize(self.achieved);
            self.data.time = self.avg8.get_bits::<16>(0);
            self.data.flags = self.avg8.get_bits::<3>(16);
        }
        self.write_data = self.data;
        self.write_address = (bit_cast::<A, C>(self.conn) << 2) | bit_cast::<A, 2>(self.writes);
        self.write = self.step.get_bit(7) | self.step.get_bit(8) | self.clamp | self.done | self.clearing;
    }
}
