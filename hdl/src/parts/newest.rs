//! The states of the connections on their way: from the control RAM, or from an op ahead, to the update and back.

use respray_hdl_macros::hdl_gen;
use rust_hdl::prelude::*;

use super::ahead::Ahead;
use crate::comment;
use crate::prims::{Param, Word};

/// Finds the newest state of an op's connection, and holds what the update makes of it until the control RAM has it.
///
/// ```text
///   read                          forward                     update             write
///   RAM word ──────────► from_ram ───┐
///   after ─────────────► from_two ───┤
///   written ───────────► from_three ─OR ─► newest ─► before ─► (update) ─► after ─► written ─► behind
///   behind ────────────► from_four ──┘       ▲                               │
///                                            └───────────────────────────────┘ of the op one place ahead
/// ```
///
/// The update stands outside: `after` follows from `before` and the op in the update stage within the cycle. A state that is all
/// zero stands for a connection without a past.
#[derive(LogicBlock, Default)]
pub struct Newest<S: Word> {
    pub clk: Signal<In, Clock>,
    pub rst: Signal<In, bool>,
    /// Read stage: the state in the control RAM.
    pub stored: Signal<In, S>,
    /// Read stage: which ops ahead share the connection.
    pub ahead: Signal<In, Ahead>,
    /// Forward stage: clear for an op that starts from a connection without a past.
    pub forward_keeps: Signal<In, bool>,
    /// Forward stage: the connection before the op, unless the op is `init`. It is known late in the cycle.
    pub arriving: Signal<Out, S>,
    /// Update stage: the connection before the op, and after it.
    pub before: Signal<Out, S>,
    pub after: Signal<In, S>,
    /// Write stage: the connection after the op.
    pub written: Signal<Out, S>,

    from_ram: DFF<S>,
    from_two: DFF<S>,
    from_three: DFF<S>,
    from_four: DFF<S>,
    from_one: DFF<bool>,
    newest: Signal<Local, S>,
    state: DFF<S>,
    in_write: DFF<S>,
    behind: DFF<S>,

    no_past: Param<S>,
}

impl<S: Word> Newest<S> {
    /// With its parameters.
    pub fn new() -> Self {
        Self { no_past: Param::new(S::default()), ..Default::default() }
    }
}

impl<S: Word> Logic for Newest<S> {
    #[hdl_gen]
    fn update(&mut self) {
        comment!(
            "module newest: the newest state of the connection of each op, and its way back to the control RAM"
        );
        dff_setup!(self, clk, from_ram, from_two, from_three, from_four, from_one, state, in_write, behind);

        comment!(
            "Read: the newest of the RAM's word and the states two to four places ahead goes on, the others become 0."
        );
        self.from_ram.d.next = self.no_past.val();
        if !self.ahead.val().two & !self.ahead.val().older {
            self.from_ram.d.next = self.stored.val();
        }
        self.from_two.d.next = self.no_past.val();
        if self.ahead.val().two {
            self.from_two.d.next = self.after.val();
        }
        self.from_three.d.next = self.no_past.val();
        if self.ahead.val().three & !self.ahead.val().two {
            self.from_three.d.next = self.in_write.q.val();
        }
        self.from_four.d.next = self.no_past.val();
        if self.ahead.val().only_four & !self.ahead.val().two {
            self.from_four.d.next = self.behind.q.val();
        }
        self.from_one.d.next = self.ahead.val().one;

        comment!("Forward: an OR joins them, but the op one place ahead is newer than all.");
        self.newest.next =
            self.from_ram.q.val() | self.from_two.q.val() | self.from_three.q.val() | self.from_four.q.val();
        if self.from_one.q.val() {
            self.newest.next = self.after.val();
        }
        self.arriving.next = self.newest.val();
        self.state.d.next = self.no_past.val();
        if self.forward_keeps.val() {
            self.state.d.next = self.newest.val();
        }

        comment!("Update, write.");
        self.in_write.d.next = self.after.val();
        self.behind.d.next = self.in_write.q.val();

        self.before.next = self.state.q.val();
        self.written.next = self.in_write.q.val();

        if self.rst.val() {
            self.from_ram.d.next = self.no_past.val();
            self.from_two.d.next = self.no_past.val();
            self.from_three.d.next = self.no_past.val();
            self.from_four.d.next = self.no_past.val();
            self.from_one.d.next = false;
            self.state.d.next = self.no_past.val();
            self.in_write.d.next = self.no_past.val();
            self.behind.d.next = self.no_past.val();
        }
    }
}
