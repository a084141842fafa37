//! The op that is being worked on.

use respray_hdl_macros::block;
use rust_hdl::prelude::*;

use super::state::Op;
use crate::comment;
use crate::prims::Reg;

/// Follows the inputs while an op may be taken, then holds them: they are also what an answer repeats.
#[block(no_reset)]
pub struct Taken {
    pub ready: Signal<In, bool>,
    pub op: Signal<In, Op>,
    pub held: Signal<Out, Op>,
    /// Which of the ops it is.
    pub is_packet: Signal<Out, bool>,
    pub is_init: Signal<Out, bool>,
    pub is_probe: Signal<Out, bool>,
    pub is_ask: Signal<Out, bool>,
    pub is_answer: Signal<Out, bool>,
    pub is_trimmed: Signal<Out, bool>,
    register: Reg<Op>,
}

#[block]
impl Taken {
    fn update(&mut self) {
        comment!("module taken: the packet, or what else is being answered, with its settings");
        if self.ready {
            self.register = self.op;
        }
        self.held = self.register;
        self.is_packet = self.register.kind == 0;
        self.is_init = self.register.kind == 1;
        self.is_probe = self.register.kind == 3;
        self.is_ask = self.register.kind == 4;
        self.is_answer = self.register.kind == 5;
        self.is_trimmed = self.register.kind == 6;
    }
}
