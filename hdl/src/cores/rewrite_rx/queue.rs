//! Beats or records on their way out: taken with a registered `ready`, given out when the consumer wants the next one.

use respray_hdl_macros::{LogicBlock, Part, hdl_gen};
use rust_hdl::prelude::*;

use crate::comment;
use crate::manifest::MemoryKind;
use crate::prims::{Param, QueueMemory};

/// A queue of 32 whose head stands in the memory's output register.
///
/// `ready` falls when `limit` are in: it is a register, and leaves room for what the producer still sends when it sees it.
#[derive(LogicBlock, Default, Part)]
pub struct Queue<T: Synth> {
    pub clk: Signal<In, Clock>,
    pub rst: Signal<In, Bit>,
    /// Takes `item`. There has to be room.
    pub push: Signal<In, Bit>,
    pub item: Signal<In, T>,
    /// Besides the queue's own room, the producer may be told to wait.
    pub is_held_up: Signal<In, Bit>,
    pub ready: Signal<Out, Bit>,
    pub valid: Signal<Out, Bit>,
    pub head: Signal<Out, T>,
    /// The head is taken.
    pub pop: Signal<In, Bit>,

    write_at: DFF<Bits<6>>,
    read_at: DFF<Bits<6>>,
    filled: Signal<Local, Bits<6>>,
    is_ready: DFF<Bit>,
    is_loaded: DFF<Bit>,
    load: Signal<Local, Bit>,
    memory: QueueMemory<T, 5>,
    limit: Param<Bits<6>>,
}

impl<T: Synth> Queue<T> {
    /// A queue that is ready below `limit`. Its memory is called `name`, described as `about` and made of `kind`.
    pub fn new(name: &'static str, about: &'static str, kind: MemoryKind, limit: u64) -> Self {
        Self {
            memory: QueueMemory::new(name, about, kind),
            limit: Param::new(limit.into()),
            ..Default::default()
        }
    }
}

impl<T: Synth> Logic for Queue<T> {
    #[hdl_gen]
    fn update(&mut self) {
        comment!("A queue whose head stands in its memory's output register.");
        dff_setup!(self, clk, write_at, read_at, is_ready, is_loaded);
        self.memory.clk.next = self.clk.val();
        self.memory.write_enable.next = self.push.val();
        self.memory.write_address.next = self.write_at.q.val().get_bits::<5>(0);
        self.memory.write_data.next = self.item.val();
        if self.push.val() {
            self.write_at.d.next = self.write_at.q.val() + 1;
        }
        comment!("The output register is loaded when it is empty or is emptied.");
        self.load.next =
            (!self.is_loaded.q.val() || self.pop.val()) && (self.read_at.q.val() != self.write_at.q.val());
        self.memory.read_enable.next = self.load.val();
        self.memory.read_address.next = self.read_at.q.val().get_bits::<5>(0);
        if self.load.val() {
            self.read_at.d.next = self.read_at.q.val() + 1;
        }
        self.is_loaded.d.next = self.load.val() || (self.is_loaded.q.val() && !self.pop.val());
        self.valid.next = self.is_loaded.q.val();
        self.head.next = self.memory.read_data.val();
        self.filled.next = self.write_at.q.val() - self.read_at.q.val();
        self.is_ready.d.next = (self.filled.val() < self.limit.val()) && !self.is_held_up.val();
        self.ready.next = self.is_ready.q.val();
        if self.rst.val() {
            self.write_at.d.next = bits::<6>(0);
            self.read_at.d.next = bits::<6>(0);
            self.is_ready.d.next = false;
            self.is_loaded.d.next = false;
        }
    }
}
