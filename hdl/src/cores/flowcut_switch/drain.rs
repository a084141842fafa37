//! Whether a bucket drains.

use respray_hdl_macros::hdl_gen;
use rust_hdl::prelude::*;

use crate::comment;
use crate::parts::{Ahead, Late};

/// Whether an op's bucket drains. Whether its average is hot is known a stage after the update, where that joins.
#[derive(LogicBlock, Default)]
pub struct Drain {
    pub clk: Signal<In, Clock>,
    pub rst: Signal<In, bool>,
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
    judge_start: DFF<bool>,
    judged: Signal<Local, bool>,
}

impl Drain {
    /// With its parameters.
    pub fn new() -> Self {
        Self { late: Late::new(), ..Default::default() }
    }
}

impl Logic for Drain {
    #[hdl_gen]
    fn update(&mut self) {
        comment!("module drain: whether the bucket of each op drains");
        dff_setup!(self, clk, judge_start);
        self.judge_start.d.next = self.may_start.val();
        if self.rst.val() {
            self.judge_start.d.next = false;
        }

        comment!("Judge: the drain of a hot average begins.");
        self.starts.next = self.judge_start.q.val() & self.is_hot.val();
        self.judged.next = self.late.waiting.val() | (self.judge_start.q.val() & self.is_hot.val());
        self.written.next = self.judged.val();

        self.late.clk.next = self.clk.val();
        self.late.rst.next = self.rst.val();
        self.late.stored.next = self.stored.val();
        self.late.ahead.next = self.ahead.val();
        self.late.forward_keeps.next = self.forward_keeps.val();
        self.late.after.next = self.after.val();
        self.late.judged.next = self.judged.val();
        self.previous.next = self.late.previous.val();
    }
}
