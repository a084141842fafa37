//! Whether a bucket drains.

use respray_hdl_macros::block;
use rust_hdl::prelude::*;

use crate::comment;
use crate::parts::{Ahead, Late};
use crate::prims::Reg;

/// Whether an op's bucket drains. Whether its average is hot is known a stage after the update, where that joins.
#[block]
pub struct Drain {
    /// Read stage: what the control RAM says, and which ops ahead share the bucket.
    pub stored: Signal<In, bool>,
    pub ahead: Signal<In, Ahead>,
    /// Forward stage: clear while the memories are cleared.
    pub forward_keeps: Signal<In, bool>,
    /// Update stage: the bucket drains before the op, and after it as if its average were not hot.
    pub previous: Signal<Out, bool>,
    pub after: Signal<In, bool>,
    /// Update stage: if its average is hot, the op starts a drain.
    pub may_start: Signal<In, bool>,
    /// Judge stage: the average is hot.
    pub is_hot: Signal<In, bool>,
    /// Judge stage: the bucket drains after the op, and that it starts a drain.
    pub written: Signal<Out, bool>,
    pub starts: Signal<Out, bool>,

    late: Late<bool>,
    judge_start: Reg<bool>,
}

#[block]
impl Drain {
    /// With its parameters.
    pub fn new() -> Self {
        Self { late: Late::new(), ..Default::default() }
    }

    fn update(&mut self) {
        comment!("module drain: whether the bucket of each op drains");
        self.judge_start = self.may_start;
        if self.rst {
            self.judge_start = false;
        }

        comment!("Judge: the drain of a hot average begins.");
        self.starts = self.judge_start & self.is_hot;
        let judged = self.late.waiting | (self.judge_start & self.is_hot);
        self.written = judged;
        self.late.stored = self.stored;
        self.late.ahead = self.ahead;
        self.late.forward_keeps = self.forward_keeps;
        self.late.after = self.after;
        self.late.judged = judged;
        self.previous = self.late.previous;
    }
}
