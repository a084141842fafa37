//! The words of the state RAM: which is read, and what is written.

use respray_hdl_macros::hdl_gen;
use rust_hdl::prelude::*;

use super::state::StateWord;
use crate::comment;

/// Reads the words of a connection one after the other, some of them twice: where a word is written, its old time stands in
/// the register of [`super::times`] again.
///
/// ```text
///  step      1  2  3  4  5  6  7  8  9 … fair  clamp  done
///  read      0  3  2  1  0  2  3  3  3 …    0      3     3
///  write                          2  1             3     0
/// ```
#[derive(LogicBlock, Default)]
pub struct Memory<const C: usize, const A: usize> {
    pub clk: Signal<In, Clock>,
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

    reads: Signal<Local, Bits<2>>,
    writes: Signal<Local, Bits<2>>,
    keeps: Signal<Local, bool>,
    flags: Signal<Local, Bits<3>>,
    data: Signal<Local, StateWord>,

    is_initialised: DFF<bool>,
    is_counting: DFF<bool>,
}

impl<const C: usize, const A: usize> Logic for Memory<C, A> {
    #[hdl_gen]
    fn update(&mut self) {
        comment!("module memory: which word of the state is read, and what is written");
        dff_setup!(self, clk, is_initialised, is_counting);
        if self.step.val().get_bit(1) {
            self.is_initialised.d.next = self.read_flags.val().get_bit(0);
            self.is_counting.d.next = self.read_flags.val().get_bit(1);
        }
        self.initialised.next = self.is_initialised.q.val();
        self.counting.next = self.is_counting.q.val();

        self.reads.next = 3.into();
        if self.step.val().get_bit(0) | self.step.val().get_bit(4) | self.fair.val() {
            self.reads.next = 0.into();
        }
        if self.step.val().get_bit(3) {
            self.reads.next = 1.into();
        }
        if self.step.val().get_bit(2) | self.step.val().get_bit(5) {
            self.reads.next = 2.into();
        }
        self.read_address.next =
            (bit_cast::<A, C>(self.conn.val()) << 2) | bit_cast::<A, 2>(self.reads.val());

        comment!("Word 0 by default, in done and for clearing. A time that is not over stays as it was.");
        self.writes.next = 0.into();
        self.keeps.next = !self.can_fair.val();
        self.data.next.number = self.cwnd.val();
        self.flags.next = 0.into();
        if !self.clearing.val() {
            self.flags.next = 1.into();
            self.flags.next = self.flags.val().replace_bit(1, !self.is_init.val());
            self.flags.next = self.flags.val().replace_bit(2, self.measured.val());
        }
        self.data.next.flags = self.flags.val();
        if self.step.val().get_bit(7) {
            self.writes.next = 2.into();
            self.keeps.next = self.is_counting.q.val() & !self.closes.val();
            self.data.next.number = bit_cast::<26, 20>(self.rx.val());
        }
        if self.clamp.val() {
            self.writes.next = 3.into();
            self.keeps.next = !self.was_cut.val();
            self.data.next.number = bit_cast::<26, 16>(self.base_rtt.val());
        }
        self.data.next.time = self.now.val();
        if self.keeps.val() & !self.is_init.val() {
            self.data.next.time = self.stored_time.val();
        }
        if self.step.val().get_bit(8) {
            self.writes.next = 1.into();
            self.data.next.number = bit_cast::<26, 20>(self.achieved.val());
            self.data.next.time = self.avg8.val().get_bits::<16>(0);
            self.data.next.flags = self.avg8.val().get_bits::<3>(16);
        }
        self.write_data.next = self.data.val();
        self.write_address.next =
            (bit_cast::<A, C>(self.conn.val()) << 2) | bit_cast::<A, 2>(self.writes.val());
        self.write.next = self.step.val().get_bit(7)
            | self.step.val().get_bit(8)
            | self.clamp.val()
            | self.done.val()
            | self.clearing.val();
    }
}
