//! The op that is being worked on.

use respray_hdl_macros::hdl_gen;
use rust_hdl::prelude::*;

use super::state::Op;
use crate::comment;

/// Follows the inputs while an op or a visit may begin, then holds them.
#[derive(LogicBlock, Default)]
pub struct Taken<const P: usize> {
    pub clk: Signal<In, Clock>,
    pub starts: Signal<In, bool>,
    pub op: Signal<In, Op<P>>,
    pub held: Signal<Out, Op<P>>,
    register: DFF<Op<P>>,
}

impl<const P: usize> Logic for Taken<P> {
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
