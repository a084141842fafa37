//! A state whose update is whole only a stage after the others: on its way from the control RAM to an op and back.

use respray_hdl_macros::hdl_gen;
use rust_hdl::prelude::*;

use super::ahead::Ahead;
use crate::comment;
use crate::prims::{Param, Word};

/// Finds the newest such state of an op's connection.
///
/// What the op one place ahead does to it is known in the judge stage, which follows the update stage. So an op takes it from there: in
/// its update stage that of the op one place ahead, in its forward stage that of the one two places ahead.
///
/// ```text
///   read                        forward             update              judge
///   RAM word ──► from_ram ───┐
///   judged ────► from_three ─OR─► newest ─► state ─► previous ─► (update) ─► waiting ─► (judge) ─► judged ─► behind
///   behind ────► from_four ──┘      ▲                  ▲                                           │
///                two places ahead ──┘   one place ahead┘                                           └──► RAM
/// ```
///
/// The update and the judge stand outside: `after` follows from `previous` within a cycle, and `judged` from `waiting`.
#[derive(LogicBlock, Default)]
pub struct Late<S: Word> {
    pub clk: Signal<In, Clock>,
    pub rst: Signal<In, bool>,
    /// Read stage: the state in the control RAM, and which ops ahead share the connection.
    pub stored: Signal<In, S>,
    pub ahead: Signal<In, Ahead>,
    /// Forward stage: clear while the memories are cleared.
    pub forward_keeps: Signal<In, bool>,
    /// Update stage: the state before the op, and after it as far as that is known then.
    pub previous: Signal<Out, S>,
    /// Update stage: the state is that of the op one place ahead, or else this one.
    pub is_ahead: Signal<Out, bool>,
    pub earlier: Signal<Out, S>,
    pub after: Signal<In, S>,
    /// Judge stage: the same, and the state after the op.
    pub waiting: Signal<Out, S>,
    pub judged: Signal<In, S>,

    from_ram: DFF<S>,
    from_three: DFF<S>,
    from_four: DFF<S>,
    from_two: DFF<bool>,
    forward_one: DFF<bool>,
    newest: Signal<Local, S>,
    state: DFF<S>,
    update_one: DFF<bool>,
    in_judge: DFF<S>,
    behind: DFF<S>,
    clear: Param<S>,
}

impl<S: Word> Late<S> {
    /// With its parameters.
    pub fn new() -> Self {
        Self { clear: Param::new(S::default()), ..Default::default() }
    }
}

impl<S: Word> Logic for Late<S> {
    #[hdl_gen]
    fn update(&mut self) {
        comment!(
            "module late: the newest state of the connection of each op, where an op's state is whole a stage after its update"
        );
        dff_setup!(self, clk, from_ram, from_three, from_four, from_two, forward_one, state, update_one);
        dff_setup!(self, clk, in_judge, behind);

        comment!(
            "Read: the newest of the RAM's word and the states three and four places ahead, the others become 0."
        );
        self.from_ram.d.next = self.clear.val();
        if !self.ahead.val().two & !self.ahead.val().older {
            self.from_ram.d.next = self.stored.val();
        }
        self.from_three.d.next = self.clear.val();
        if self.ahead.val().three {
            self.from_three.d.next = self.judged.val();
        }
        self.from_four.d.next = self.clear.val();
        if self.ahead.val().only_four {
            self.from_four.d.next = self.behind.q.val();
        }
        self.from_two.d.next = self.ahead.val().two;
        self.forward_one.d.next = self.ahead.val().one;

        comment!(
            "Forward: that two places ahead is newer, and that one place ahead is taken in the update stage."
        );
        self.newest.next = self.from_ram.q.val() | self.from_three.q.val() | self.from_four.q.val();
        if self.from_two.q.val() {
            self.newest.next = self.judged.val();
        }
        self.state.d.next = self.clear.val();
        if self.forward_keeps.val() {
            self.state.d.next = self.newest.val();
        }
        self.update_one.d.next = self.forward_one.q.val();

        comment!("Update, judge.");
        self.previous.next = self.state.q.val();
        if self.update_one.q.val() {
            self.previous.next = self.judged.val();
        }
        self.is_ahead.next = self.update_one.q.val();
        self.earlier.next = self.state.q.val();
        self.in_judge.d.next = self.after.val();
        self.waiting.next = self.in_judge.q.val();
        self.behind.d.next = self.judged.val();
        if self.rst.val() {
            self.from_ram.d.next = self.clear.val();
            self.from_three.d.next = self.clear.val();
            self.from_four.d.next = self.clear.val();
            self.from_two.d.next = false;
            self.forward_one.d.next = false;
            self.state.d.next = self.clear.val();
            self.update_one.d.next = false;
            self.in_judge.d.next = self.clear.val();
            self.behind.d.next = self.clear.val();
        }
    }
}
