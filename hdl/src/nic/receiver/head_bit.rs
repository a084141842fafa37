//! A bit of the word at the head of a queue, in a register.

use respray_hdl_macros::hdl_gen;
use rust_hdl::prelude::*;

use crate::comment;
use crate::manifest::MemoryKind;
use crate::prims::SimpleDualPort;

/// One bit of each word of a queue of `2^A` words, that of the head in a register. `P` is `A + 1`.
///
/// A block RAM gives the head late in the cycle, too late for a bit that decides what the host is offered and what goes from which
/// queue. So this bit has a memory of its own, which is read one word further than that of the queue. A word that went in at
/// the edge before cannot be read yet, so whoever has the queue keeps the bit of its newest word, too. The memory has each bit three times.
#[derive(LogicBlock, Default)]
pub struct HeadBit<const A: usize, const P: usize> {
    pub clk: Signal<In, Clock>,
    /// A word goes into the queue, whose bit this is.
    pub push: Signal<In, bool>,
    pub item: Signal<In, bool>,
    /// The bit of the word that went in last, from the next edge on.
    pub newest: Signal<In, bool>,
    /// Of the queue: words that went in, and one more than those that went out, modulo twice the size.
    pub write_at: Signal<In, Bits<P>>,
    pub after: Signal<In, Bits<P>>,
    /// The queue has a head, and it is taken.
    pub is_there: Signal<In, bool>,
    pub pop: Signal<In, bool>,
    /// The bit of the head, if there is one.
    pub head: Signal<Out, bool>,

    memory: SimpleDualPort<Bits<A>, bool>,
    held: DFF<bool>,
    second: Signal<Local, Bits<P>>,
    next_after: Signal<Local, Bits<P>>,
    is_newest: Signal<Local, bool>,
}

impl<const A: usize, const P: usize> HeadBit<A, P> {
    /// With the bits in the block RAM `name`, described as `about`.
    ///
    /// # Panics
    /// If `P` is not `A + 1`.
    pub fn new(name: &'static str, about: &'static str) -> Self {
        assert!(P == A + 1, "a queue of 2^{A} words has pointers of {} bits, not {P}", A + 1);
        Self {
            memory: SimpleDualPort::new(name, about, MemoryKind::Block).with_votes(0..1),
            ..Default::default()
        }
    }
}

impl<const A: usize, const P: usize> Logic for HeadBit<A, P> {
    #[hdl_gen]
    fn update(&mut self) {
        comment!("module head_bit: a bit of the word at the head of a queue, in a register");
        dff_setup!(self, clk, held);
        self.memory.clk.next = self.clk.val();
        self.memory.write_enable.next = self.push.val();
        self.memory.write_address.next = bit_cast::<A, P>(self.write_at.val());
        self.memory.write_data.next = self.item.val();
        comment!("The memory reads the word behind the one that will be the head.");
        self.second.next = self.after.val() + 1;
        self.next_after.next = self.after.val();
        if self.pop.val() {
            self.next_after.next = self.second.val();
        }
        self.memory.read_address.next = bit_cast::<A, P>(self.next_after.val());
        comment!(
            "The word that will be the head is the last one that came: the memory does not have it yet."
        );
        self.is_newest.next = self.next_after.val() == self.write_at.val();
        if self.pop.val() {
            self.held.d.next = self.memory.read_data.val();
        }
        if (self.pop.val() | !self.is_there.val()) & self.is_newest.val() {
            self.held.d.next = self.newest.val();
        }
        self.head.next = self.held.q.val();
    }
}
