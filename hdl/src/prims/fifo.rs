//! The synchronous FIFO.

use rust_hdl::prelude::*;

use super::{MemoryStyle, Param, SimpleDualPort, Word};
use crate::comment;

/// A FIFO of `2^A` words between two streams on one clock. `P = A + 1` is the width of its pointers.
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
    /// Words that went in and out, modulo twice the size.
    head: DFF<Bits<P>>,
    tail: DFF<Bits<P>>,
    has_room: DFF<bool>,
    has_word: DFF<bool>,
    push: Signal<Local, bool>,
    pop: Signal<Local, bool>,
    next_head: Signal<Local, Bits<P>>,
    next_tail: Signal<Local, Bits<P>>,
    fill: Signal<Local, Bits<P>>,
    size: Param<Bits<P>>,
}

impl<D: Word, const A: usize, const P: usize> Fifo<D, A, P> {
    /// A FIFO whose memory is the module `name` in the Verilog.
    ///
    /// # Panics
    /// If `P` is not `A + 1`.
    pub fn new(name: &'static str, style: MemoryStyle) -> Self {
        assert!(P == A + 1, "a FIFO of 2^{A} words has pointers of {} bits, not {P}", A + 1);
        Self {
            memory: SimpleDualPort::new(name, "words of a FIFO", style),
            size: Param::new((1u64 << A).into()),
            ..Default::default()
        }
    }
}

impl<D: Word, const A: usize, const P: usize> Logic for Fifo<D, A, P> {
    #[hdl_gen]
    fn update(&mut self) {
        comment!("module fifo: a synchronous FIFO");
        dff_setup!(self, clk, head, tail, has_room, has_word);
        self.push.next = self.in_valid.val() & self.has_room.q.val();
        self.pop.next = self.has_word.q.val() & self.out_ready.val();
        self.next_head.next = self.head.q.val() + self.push.val();
        self.next_tail.next = self.tail.q.val() + self.pop.val();
        self.fill.next = self.next_head.val() - self.next_tail.val();
        self.head.d.next = self.next_head.val();
        self.tail.d.next = self.next_tail.val();
        self.has_room.d.next = self.fill.val() != self.size.val();
        comment!("A word that goes in at this edge is not there yet for a read at this edge.");
        self.has_word.d.next = self.next_tail.val() != self.head.q.val();

        self.memory.clk.next = self.clk.val();
        self.memory.write_enable.next = self.push.val();
        self.memory.write_address.next = bit_cast::<A, P>(self.head.q.val());
        self.memory.write_data.next = self.in_data.val();
        self.memory.read_address.next = bit_cast::<A, P>(self.next_tail.val());
        self.in_ready.next = self.has_room.q.val();
        self.out_valid.next = self.has_word.q.val();
        self.out_data.next = self.memory.read_data.val();

        if self.rst.val() {
            self.head.d.next = 0.into();
            self.tail.d.next = 0.into();
            self.has_room.d.next = false;
            self.has_word.d.next = false;
        }
    }
}
