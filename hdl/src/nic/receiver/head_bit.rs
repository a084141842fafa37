//! A bit of the word at the head of a queue, in a register.

use respray_hdl_macros::block;
use rust_hdl::prelude::*;

use crate::comment;
use crate::manifest::MemoryKind;
use crate::prims::{Reg, SimpleDualPort, resize};

/// One bit of each word of a queue of `2^A` words, that of the head in a register. `P` is `A + 1`.
///
/// A block RAM gives the head late in the cycle, too late for a bit that decides what the host is offered and what goes from which
/// queue. So this bit has a memory of its own, which is read one word further than that of the queue. A word that went in at
/// the edge before cannot be read yet, so whoever has the queue keeps the bit of its newest word, too. The memory has each bit three times.
#[block(no_reset)]
pub struct HeadBit<const A: usize, const P: usize> {
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
    held: Reg<bool>,
}

#[block]
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

    fn update(&mut self) {
        comment!("module head_bit: a bit of the word at the head of a queue, in a register");
        self.memory.write_enable = self.push;
        self.memory.write_address = resize(self.write_at);
        self.memory.write_data = self.item;
        comment!("The memory reads the word behind the one that will be the head.");
        let second = self.after + 1;
        let mut next_after = self.after;
        if self.pop {
            next_after = second;
        }
        self.memory.read_address = resize(next_after);
        comment!(
            "The word that will be the head is the last one that came: the memory does not have it yet."
        );
        let is_newest = next_after == self.write_at;
        if self.pop {
            self.held = self.memory.read_data;
        }
        if (self.pop | !self.is_there) & is_newest {
            self.held = self.newest;
        }
        self.head = self.held;
    }
}
