//! What the device is given: random ops, and between them what is to be written anew.

use std::collections::VecDeque;

use respray_hdl::contract::Words;

use crate::lockstep::op_core::{Inputs, OpCore};
use crate::traffic::stimulus::Event;

/// Entries one after the other, each as soon as the device took the one before and its idle edges have passed.
pub(super) struct Drive<C: OpCore> {
    random: C::Random,
    /// What goes before the random entries.
    queue: VecDeque<Event<C::Op>>,
    /// No random entry begins.
    pub holds: bool,
    pub inputs: Inputs<C::Op>,
    idle: u32,
}

impl<C: OpCore> Drive<C> {
    /// Begins with `rst` high, as long as [`Drive::edge`] is not called.
    pub fn new(random: C::Random, seed: u16) -> Self {
        let inputs = Inputs { rst: true, seed, op_valid: true, op: C::Op::default(), entry: 0, expect: 0 };
        Drive { random, queue: VecDeque::new(), holds: false, inputs, idle: 0 }
    }

    /// The entry that comes before the random ones, as soon as the one that has begun is taken.
    pub fn put(&mut self, event: Event<C::Op>) {
        self.queue.push_back(event);
        self.idle = self.idle.min(1);
    }

    /// An op like the next random one.
    pub fn like_random(&mut self) -> C::Op {
        loop {
            if let Some(Event::Op(op)) = self.random.next().map(|entry| entry.event) {
                return op;
            }
        }
    }

    /// All that was put has been taken, and nothing is offered.
    pub fn is_empty(&self) -> bool {
        self.queue.is_empty() && !self.inputs.op_valid
    }

    /// A clock edge has passed; `is_taken`: an op that was offered was taken.
    pub fn edge(&mut self, is_taken: bool) {
        if self.idle > 0 {
            self.idle -= 1;
            self.inputs.op_valid = self.idle == 0;
            return;
        }
        if self.inputs.op_valid && !self.inputs.rst && !is_taken {
            return;
        }
        self.inputs.rst = false;
        self.inputs.op_valid = false;
        let (idle, event) = match self.queue.pop_front() {
            Some(event) => (0, event),
            None if self.holds => return,
            None => match self.random.next() {
                Some(entry) => (entry.idle, entry.event),
                None => return,
            },
        };
        match event {
            Event::Op(op) => {
                self.inputs.op = op;
                self.idle = idle;
                self.inputs.op_valid = idle == 0;
            }
            Event::Reset { seed } => {
                self.inputs.seed = seed.unwrap_or(self.inputs.seed);
                self.inputs.rst = true;
                self.inputs.op_valid = true;
            }
        }
    }
}

/// Sets the field of an op that stands at a port.
pub(super) fn set<C: OpCore>(op: &mut C::Op, port: &str, value: u64) {
    op.set(place::<C>(port), value);
}

/// The field of an op that stands at a port.
pub(super) fn get<C: OpCore>(op: &C::Op, port: &str) -> u64 {
    op.get(place::<C>(port))
}

fn place<C: OpCore>(port: &str) -> usize {
    C::CONTRACT.op_fields().position(|field| field.port == port).expect("rules name ports of the contract")
}
