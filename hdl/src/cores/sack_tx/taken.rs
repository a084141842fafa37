//! The op that is being worked on.

use rust_hdl::prelude::*;

use super::state::Op;
use crate::comment;

/// Follows the inputs while an op or a visit may begin, then holds them.
#[derive(LogicBlock, Default)]
pub struct Taken {
    pub clk: Signal<In, Clock>,
    pub starts: Signal<In, bool>,
    pub op: Signal<In, Op>,
    pub held: Signal<Out, Op>,
    register: DFF<Op>,
}

impl Logic for Taken {
    #[hdl_gen]
    fn update(&mut self) {
        comment!("module taken: the op that is being worked on, with its settings");
        dff_setup!(self, clk, register);
        if self.starts.val() {
            self.register.d.next = self.op.val();
        }
        self.held.next = self.register.q.val();
    }
}
