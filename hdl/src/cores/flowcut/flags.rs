//! Whether a connection drains and has an EV.

use respray_hdl_macros::hdl_gen;
use rust_hdl::prelude::*;

use super::state::Flags as State;
use crate::comment;
use crate::parts::{Ahead, Late};

/// The flags of an op's connection. Whether its average is hot is known a stage after the update, where that joins them. An op that
/// follows is in its update stage then, where it waits for that answer alone.
#[derive(LogicBlock, Default)]
pub struct Flags {
    pub clk: Signal<In, Clock>,
    pub rst: Signal<In, bool>,
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
    judge_start: DFF<bool>,
    judge_unplace: DFF<bool>,
    judged: Signal<Local, State>,
}

impl Flags {
    /// With its parameters.
    pub fn new() -> Self {
        Self { late: Late::new(), ..Default::default() }
    }
}

impl Logic for Flags {
    #[hdl_gen]
    fn update(&mut self) {
        comment!("module flags: whether the connection of each op drains, and has an EV");
        dff_setup!(self, clk, judge_start, judge_unplace);
        self.judge_start.d.next = self.may_start.val();
        self.judge_unplace.d.next = self.may_unplace.val();
        if self.rst.val() {
            self.judge_start.d.next = false;
            self.judge_unplace.d.next = false;
        }

        comment!("Judge: the drain of a hot average begins, or its EV goes.");
        self.judged.next.draining =
            self.late.waiting.val().draining | (self.judge_start.q.val() & self.is_hot.val());
        self.judged.next.placed =
            self.late.waiting.val().placed & !(self.judge_unplace.q.val() & self.is_hot.val());
        self.starts.next = self.judge_start.q.val() & self.is_hot.val();
        self.written.next = self.judged.val();

        self.late.clk.next = self.clk.val();
        self.late.rst.next = self.rst.val();
        self.late.stored.next = self.stored.val();
        self.late.ahead.next = self.ahead.val();
        self.late.forward_keeps.next = self.forward_keeps.val();
        self.late.after.next = self.after.val();
        self.late.judged.next = self.judged.val();
        self.before.next = self.late.previous.val();

        comment!("Update: what follows from both answers, before there is one.");
        self.drains_if_cool.next = self.late.earlier.val().draining;
        self.drains_if_hot.next = self.late.earlier.val().draining;
        if self.late.is_ahead.val() {
            self.drains_if_cool.next = self.late.waiting.val().draining;
            self.drains_if_hot.next = self.late.waiting.val().draining | self.judge_start.q.val();
        }
    }
}
