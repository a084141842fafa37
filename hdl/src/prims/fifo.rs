//! The synchronous FIFO.

use std::ops::Range;

use respray_hdl_macros::block;
use rust_hdl::prelude::*;

use super::{MemoryStyle, Param, Reg, SimpleDualPort, Word};
use crate::comment;

/// A FIFO of `2^A` words between two streams on one clock. `P = A + 1` is the width of its fill.
///
/// ```text
///  in_* ──► memory at `head` ──► memory at `tail` ──► out_*
/// ```
///
/// A word goes in at an edge with `in_valid` and `in_ready` high, and out with `out_valid` and `out_ready`; both at one edge
/// is fine. It can go out two edges after it went in. `in_ready` and `out_valid` are registers. One word an edge, either way.
#[block]
pub struct Fifo<D: Word, const A: usize, const P: usize> {
    pub in_valid: Signal<In, bool>,
    pub in_ready: Signal<Out, bool>,
    pub in_data: Signal<In, D>,
    pub out_valid: Signal<Out, bool>,
    pub out_ready: Signal<In, bool>,
    pub out_data: Signal<Out, D>,

    memory: SimpleDualPort<Bits<A>, D>,
    #[reset = 0]
    head: Reg<Bits<A>>,
    #[reset = 0]
    tail: Reg<Bits<A>>,
    /// Words inside.
    #[reset = 0]
    fill: Reg<Bits<P>>,
    #[reset = false]
    has_room: Reg<bool>,
    #[reset = false]
    has_word: Reg<bool>,
    size: Param<Bits<P>>,
    last_place: Param<Bits<P>>,
    one_less: Param<Bits<P>>,
}

#[block]
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

    fn update(&mut self) {
        comment!("module fifo: a synchronous FIFO");
        let push = self.in_valid & self.has_room;
        let pop = self.has_word & self.out_ready;
        let next_tail = self.tail + pop;
        self.head = self.head + push;
        self.tail = next_tail;
        // What the fill changes by, without a pop and with one.
        let mut without_pop: Bits<P> = 0;
        if push {
            without_pop = 1;
        }
        let mut with_pop = self.one_less;
        if push {
            with_pop = 0;
        }
        let mut change = without_pop;
        if pop {
            change = with_pop;
        }
        self.fill = self.fill + change;
        comment!("What follows from the fill is known before the fill is: it waits for no carry.");
        self.has_room = pop | ((self.fill != self.size) & !(push & (self.fill == self.last_place)));
        comment!("A word that goes in at this edge is not there yet for a read at this edge.");
        self.has_word = self.fill != 0;
        if pop {
            self.has_word = self.fill != 1;
        }
        self.memory.write_enable = push;
        self.memory.write_address = self.head;
        self.memory.write_data = self.in_data;
        self.memory.read_address = next_tail;
        self.in_ready = self.has_room;
        self.out_valid = self.has_word;
        self.out_data = self.memory.read_data;
    }
}
