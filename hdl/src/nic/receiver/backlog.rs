//! What waits for somebody else, in a memory.

use std::ops::Range;

use respray_hdl_macros::hdl_gen;
use rust_hdl::prelude::*;

use super::head_bit::HeadBit;
use crate::comment;
use crate::manifest::MemoryKind;
use crate::prims::{Optional, Param, SimpleDualPort, Word};

/// A queue of `2^A` words that drops nothing by itself: who has a word for it looks at `has_room` first. `P` is `A + 1`.
///
/// Both flags are registers, and few gates stand before them: the address behind the head is kept in a register, and
/// `has_room` looks at the fill of the edge before. It therefore falls when one place is left, and where words come one
/// behind the other that place is taken, too. A word can be taken two edges after it went in.
#[derive(LogicBlock, Default)]
pub struct Backlog<D: Word, const A: usize, const P: usize> {
    pub clk: Signal<In, Clock>,
    /// Empties it.
    pub rst: Signal<In, bool>,
    /// Takes `item`. There has to be room.
    pub push: Signal<In, bool>,
    pub item: Signal<In, D>,
    /// With a bit of the head in a register: this bit of `item`.
    pub item_bit: Optional<Signal<In, bool>>,
    pub has_room: Signal<Out, bool>,
    pub valid: Signal<Out, bool>,
    pub head: Signal<Out, D>,
    /// With a bit of the head in a register: that bit.
    pub head_bit: Optional<Signal<Out, bool>>,
    /// The head is taken. There has to be one.
    pub pop: Signal<In, bool>,

    memory: SimpleDualPort<Bits<A>, D>,
    bits: Optional<HeadBit<A, P>>,
    newest_bit: Optional<DFF<bool>>,
    has_bit: Param<bool>,
    /// Words that went in, words that went out, and one more than these, modulo twice the size.
    write_at: DFF<Bits<P>>,
    read_at: DFF<Bits<P>>,
    after: DFF<Bits<P>>,
    is_open: DFF<bool>,
    has_word: DFF<bool>,
    read_address: Signal<Local, Bits<A>>,
    fill: Signal<Local, Bits<P>>,
    limit: Param<Bits<P>>,
}

impl<D: Word, const A: usize, const P: usize> Backlog<D, A, P> {
    /// A queue whose memory is the block RAM `name` in the Verilog, described as `about`.
    ///
    /// # Panics
    /// If `P` is not `A + 1`.
    pub fn new(name: &'static str, about: &'static str) -> Self {
        assert!(P == A + 1, "a queue of 2^{A} words has pointers of {} bits, not {P}", A + 1);
        Self {
            memory: SimpleDualPort::new(name, about, MemoryKind::Block),
            limit: Param::new(((1u64 << A) - 1).into()),
            has_bit: Param::new(false),
            ..Default::default()
        }
    }

    /// The same, with these bits of a word stored three times; two of three say what the head is.
    ///
    /// # Panics
    /// If a word has no such bits.
    pub fn with_votes(mut self, bits: Range<usize>) -> Self {
        self.memory = self.memory.with_votes(bits);
        self
    }

    /// The same, with a bit of the head in a register, and these bits in the block RAM `name`, described as `about`.
    pub fn with_head_bit(mut self, name: &'static str, about: &'static str) -> Self {
        self.item_bit = Optional::new(true, Default::default);
        self.head_bit = Optional::new(true, Default::default);
        self.bits = Optional::new(true, || HeadBit::new(name, about));
        self.newest_bit = Optional::new(true, Default::default);
        self.has_bit = Param::new(true);
        self
    }
}

impl<D: Word, const A: usize, const P: usize> Logic for Backlog<D, A, P> {
    #[hdl_gen]
    fn update(&mut self) {
        comment!("module backlog: a queue in a memory, whose flags are registers");
        dff_setup!(self, clk, write_at, read_at, after, is_open, has_word);
        self.memory.clk.next = self.clk.val();
        self.memory.write_enable.next = self.push.val();
        self.memory.write_address.next = bit_cast::<A, P>(self.write_at.q.val());
        self.memory.write_data.next = self.item.val();
        if self.push.val() {
            self.write_at.d.next = self.write_at.q.val() + 1;
        }
        comment!(
            "The memory reads what will be the head. A word that goes in at this edge is not there yet."
        );
        self.read_address.next = bit_cast::<A, P>(self.read_at.q.val());
        self.has_word.d.next = self.read_at.q.val() != self.write_at.q.val();
        if self.pop.val() {
            self.read_address.next = bit_cast::<A, P>(self.after.q.val());
            self.has_word.d.next = self.after.q.val() != self.write_at.q.val();
            self.read_at.d.next = self.after.q.val();
            self.after.d.next = self.after.q.val() + 1;
        }
        self.memory.read_address.next = self.read_address.val();
        self.fill.next = self.write_at.q.val() - self.read_at.q.val();
        self.is_open.d.next = self.fill.val() < self.limit.val();
        self.has_room.next = self.is_open.q.val();
        self.valid.next = self.has_word.q.val();
        self.head.next = self.memory.read_data.val();
        if self.has_bit.val() {
            self.bits.clk.next = self.clk.val();
            self.bits.push.next = self.push.val();
            self.bits.item.next = self.item_bit.val();
            self.newest_bit.clock.next = self.clk.val();
            self.newest_bit.d.next = self.newest_bit.q.val();
            if self.push.val() {
                self.newest_bit.d.next = self.item_bit.val();
            }
            self.bits.newest.next = self.newest_bit.q.val();
            self.bits.write_at.next = self.write_at.q.val();
            self.bits.after.next = self.after.q.val();
            self.bits.is_there.next = self.has_word.q.val();
            self.bits.pop.next = self.pop.val();
            self.head_bit.next = self.bits.head.val();
        }
        if self.rst.val() {
            self.write_at.d.next = 0.into();
            self.read_at.d.next = 0.into();
            self.after.d.next = 1.into();
            self.is_open.d.next = false;
            self.has_word.d.next = false;
        }
    }
}
