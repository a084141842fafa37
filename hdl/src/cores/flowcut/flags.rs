//! Whether a connection drains and has an EV.

use respray_hdl_macros::block;
use rust_hdl::prelude::*;

use super::state::Flags as State;
use crate::comment;
use crate::parts::{Ahead, Late};
use crate::prims::Reg;

/// The flags of an op's connection. Whether its average is hot is known a stage after the update, where that joins them. An op that
/// follows is in its update stage then, where it waits for that answer alone.
#[block]
pub struct Flags {
    /// Read stage: the flags in the control RAM, and which ops ahead share the connection.
    pub stored: Signal<In, State>,
    pub ahead: Signal<In, Ahead>,
    /// Forward stage: clear while the memories are cleared.
    pub forward_keeps: Signal<In, bool>,
    /// Update stage: the flags before the op, and after it as if its average were not hot.
    pub before: Signal<Out, State>,
    /// Update stage: the connection drains before the op if the average of the op one place ahead is not hot, and if it is.
    pub drains_if_cool: Signal<Out, bool>,
    pub drains_if_hot: Signal<Out, bool>,
    pub after: Signal<In, State>,
    /// Update stage: if its average is hot, the op starts a drain, or takes the EV away.
    pub may_start: Signal<In, bool>,
    pub may_unplace: Signal<In, bool>,
    /// Judge stage: the average is hot.
    pub is_hot: Signal<In, bool>,
    /// Judge stage: the flags after the op, and that it starts a drain.
    pub written: Signal<Out, State>,
    pub starts: Signal<Out, bool>,

    late: Late<State>,
    judge_start: Reg<bool>,
    judge_unplace: Reg<bool>,
    judged: Signal<Local, State>,
}

#[block]
impl Flags {
    /// With its parameters.
    pub fn new() -> Self {
        Self { late: Late::new(), ..Default::default() }
    }

    fn update(&mut self) {
        comment!("module flags: whether the connection of each op drains, and has an EV");
        self.judge_start = self.may_start;
        self.judge_unplace = self.may_unplace;
        if self.rst {
            self.judge_start = false;
            self.judge_unplace = false;
        }

        comment!("Judge: the drain of a hot average begins, or its EV goes.");
        self.judged.draining = self.late.waiting.draining | (self.judge_start & self.is_hot);
        self.judged.placed = self.late.waiting.placed & !(self.judge_unplace & self.is_hot);
        self.starts = self.judge_start & self.is_hot;
        self.written = self.judged;
        self.late.stored = self.stored;
        self.late.ahead = self.ahead;
        self.late.forward_keeps = self.forward_keeps;
        self.late.after = self.after;
        self.late.judged = self.judged;
        self.before = self.late.previous;

        comment!("Update: what follows from both answers, before there is one.");
        self.drains_if_cool = self.late.earlier.draining;
        self.drains_if_hot = self.late.earlier.draining;
        if self.late.is_ahead {
            self.drains_if_cool = self.late.waiting.draining;
            self.drains_if_hot = self.late.waiting.draining | self.judge_start;
        }
    }
}
