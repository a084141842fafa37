//! The op that is being worked on.

use respray_hdl_macros::block;
use rust_hdl::prelude::*;

use super::state::Op;
use crate::comment;
use crate::prims::Reg;

/// Follows the inputs while an op or a visit may begin, then holds them.
#[block(no_reset)]
pub struct Taken<const PSN: usize> {
    pub starts: Signal<In, bool>,
    pub op: Signal<In, Op<PSN>>,
    pub held: Signal<Out, Op<PSN>>,
    register: Reg<Op<PSN>>,
}

#[block]
impl<const PSN: usize> Taken<PSN> {
    fn update(&mut self) {
        comment!("module taken: the op that is being worked on, with its settings");
        if self.starts {
            self.register = self.op;
        }
        self.held = self.register;
    }
}
