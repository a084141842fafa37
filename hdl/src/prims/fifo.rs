//! The synchronous FIFO.

use std::ops::Range;

use respray_hdl_macros::hdl_gen;
use rust_hdl::prelude::*;

use super::{MemoryStyle, Param, SimpleDualPort, Word};
use crate::comment;

/// A FIFO of `2^A` words between two streams on one clock. `P = A + 1` is the width of its fill.
///
/// ```text
///  in_* ──► memory at `head` ──► memory at `tail` ──► out_*
/// ```
///
/// A word goes in at an edge with `in_valid` and `in_ready` high, and out with `out_valid` and `out_ready`; both at one edge
/// is fine. It can go out two edges after it went in. `in_ready` and `out_valid` are registers. One word an edge, either way.
#[derive(LogicBlock, Default)]
pub struct Fifo<D: Word, const A: usize, const P: usize> {
    pub clk: Signal<In, Clock>,
    /// Empties it; `in_ready` is low at the edges with it and rises after.
    pub rst: Signal<In, bool>,
    pub in_valid: Signal<In, bool>,
    pub in_ready: Signal<Out, bool>,
    pub in_data: Signal<In, D>,
    pub out_valid: Signal<Out, bool>,
    pub out_ready: Signal<In, bool>,
    pub out_data: Signal<Out, D>,

    memory: SimpleDualPort<Bits<A>, D>,
    head: DFF<Bits<A>>,
    tail: DFF<Bits<A>>,
    /// Words inside.
    fill: DFF<Bits<P>>,
    has_room: DFF<bool>,
    has_word: DFF<bool>,
    push: Signal<Local, bool>,
    pop: Signal<Local, bool>,
    next_tail: Signal<Local, Bits<A>>,
    /// What the fill changes by, without a pop and with one.
    without_pop: Signal<Local, Bits<P>>,
    with_pop: Signal<Local, Bits<P>>,
    change: Signal<Local, Bits<P>>,
    size: Param<Bits<P>>,
    last_place: Param<Bits<P>>,
    one_less: Param<Bits<P>>,
}

impl<D: Word, const A: usize, const P: usize> Fifo<D, A, P> {
    /// A FIFO whose memory is the module `name` in the Verilog.
    ///
    /// # Panics
    /// If `P` is not `A + 1`.
    pub fn new(name: &'static str, style: MemoryStyle) -> Self {
        assert!(P == A + 1, "a FIFO of 2^{A} words has a fill of {} bits, not {P}", A + 1);
        Self {
            memory: SimpleDualPort::new(name, "words of a FIFO", style),
            size: Param::new((1u64 << A).into()),
            last_place: Param::new(((1u64 << A) - 1).into()),
            one_less: Param::new(((2u64 << A) - 1).into()),
            ..Default::default()
        }
    }

    /// The same, with these bits of a word stored three times; two of three say what goes out.
    ///
    /// # Panics
    /// If a word has no such bits.
    pub fn with_votes(mut self, bits: Range<usize>) -> Self {
        self.memory = self.memory.with_votes(bits);
        self
    }
}

impl<D: Word, const A: usize, const P: usize> Logic for Fifo<D, A, P> {
    #[hdl_gen]
    fn update(&mut self) {
        comment!("module fifo: a synchronous FIFO");
        dff_setup!(self, clk, head, tail, fill, has_room, has_word);
        self.push.next = self.in_valid.val() & self.has_room.q.val();
        self.pop.next = self.has_word.q.val() & self.out_ready.val();
        self.next_tail.next = self.tail.q.val() + self.pop.val();
        self.head.d.next = self.head.q.val() + self.push.val();
        self.tail.d.next = self.next_tail.val();
        self.without_pop.next = 0.into();
        if self.push.val() {
            self.without_pop.next = 1.into();
        }
        self.with_pop.next = self.one_less.val();
        if self.push.val() {
            self.with_pop.next = 0.into();
        }
        self.change.next = self.without_pop.val();
        if self.pop.val() {
            self.change.next = self.with_pop.val();
        }
        self.fill.d.next = self.fill.q.val() + self.change.val();
        comment!("What follows from the fill is known before the fill is: it waits for no carry.");
        self.has_room.d.next = self.pop.val()
            | ((self.fill.q.val() != self.size.val())
                & !(self.push.val() & (self.fill.q.val() == self.last_place.val())));
        comment!("A word that goes in at this edge is not there yet for a read at this edge.");
        self.has_word.d.next = self.fill.q.val() != 0;
        if self.pop.val() {
            self.has_word.d.next = self.fill.q.val() != 1;
        }

        self.memory.clk.next = self.clk.val();
        self.memory.write_enable.next = self.push.val();
        self.memory.write_address.next = self.head.q.val();
        self.memory.write_data.next = self.in_data.val();
        self.memory.read_address.next = self.next_tail.val();
        self.in_ready.next = self.has_room.q.val();
        self.out_valid.next = self.has_word.q.val();
        self.out_data.next = self.memory.read_data.val();

        if self.rst.val() {
            self.head.d.next = 0.into();
            self.tail.d.next = 0.into();
            self.fill.d.next = 0.into();
            self.has_room.d.next = false;
            self.has_word.d.next = false;
        }
    }
}
