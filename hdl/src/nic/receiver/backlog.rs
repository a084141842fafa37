//! What waits for somebody else, in a memory.

use std::ops::Range;

use respray_hdl_macros::block;
use rust_hdl::prelude::*;

use super::head_bit::HeadBit;
use crate::comment;
use crate::manifest::MemoryKind;
use crate::prims::{Optional, Param, Reg, SimpleDualPort, Word, resize};

/// A queue of `2^A` words that drops nothing by itself: who has a word for it looks at `has_room` first. `P` is `A + 1`.
///
/// Both flags are registers, and few gates stand before them: the address behind the head is kept in a register, and
/// `has_room` looks at the fill of the edge before. It therefore falls when one place is left, and where words come one
/// behind the other that place is taken, too. A word can be taken two edges after it went in.
#[block]
pub struct Backlog<D: Word, const A: usize, const P: usize> {
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
    newest_bit: Optional<Reg<bool>>,
    has_bit: Param<bool>,
    /// Words that went in, words that went out, and one more than these, modulo twice the size.
    #[reset = 0]
    write_at: Reg<Bits<P>>,
    #[reset = 0]
    read_at: Reg<Bits<P>>,
    #[reset = 1]
    after: Reg<Bits<P>>,
    #[reset = false]
    is_open: Reg<bool>,
    #[reset = false]
    has_word: Reg<bool>,
    limit: Param<Bits<P>>,
}

#[block]
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

    fn update(&mut self) {
        comment!("module backlog: a queue in a memory, whose flags are registers");
        self.memory.write_enable = self.push;
        self.memory.write_address = resize(self.write_at);
        self.memory.write_data = self.item;
        if self.push {
            self.write_at = self.write_at + 1;
        }
        comment!(
            "The memory reads what will be the head. A word that goes in at this edge is not there yet."
        );
        let mut read_address: Bits<A> = resize(self.read_at);
        self.has_word = self.read_at != self.write_at;
        if self.pop {
            read_address = resize(self.after);
            self.has_word = self.after != self.write_at;
            self.read_at = self.after;
            self.after = self.after + 1;
        }
        self.memory.read_address = read_address;
        let fill = self.write_at - self.read_at;
        self.is_open = fill < self.limit;
        self.has_room = self.is_open;
        self.valid = self.has_word;
        self.head = self.memory.read_data;
        if self.has_bit {
            self.bits.push = self.push;
            self.bits.item = self.item_bit;
            self.newest_bit = self.newest_bit;
            if self.push {
                self.newest_bit = self.item_bit;
            }
            self.bits.newest = self.newest_bit;
            self.bits.write_at = self.write_at;
            self.bits.after = self.after;
            self.bits.is_there = self.has_word;
            self.bits.pop = self.pop;
            self.head_bit = self.bits.head;
        }
    }
}
