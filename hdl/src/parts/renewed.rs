//! A state that an op either leaves as it is or puts a fresh one in the place of: from the control RAM, or from an op ahead, to the
//! update and back.

use respray_hdl_macros::hdl_gen;
use rust_hdl::prelude::*;

use super::ahead::Ahead;
use crate::comment;
use crate::prims::{Param, Word};

/// Finds the newest such state of an op's connection.
///
/// Whether an op renews the state may be known late, later than the fresh state itself. So nothing is chosen behind the fresh state:
/// for the op that follows, the register of the state takes it, or holds what it has.
///
/// ```text
///   read                   forward                   update                      write
///   RAM word ──► from_ram ──┐
///   written ───► from_three ─OR ─────► state ─► found ─► (update) ─► fresh ─► (write) ─► written ─► behind
///   behind ────► from_four ─┘  ▲ ▲                                    │                    │
///                              │ └── of the op one place ahead ───────┘                    │
///                              └──── of the op two places ahead ───────────────────────────┘
/// ```
///
/// The update stands outside, as does the register between it and the write stage: `written` is what `fresh` and `renews` made of
/// `found` a cycle ago. A state that is all zero stands for a connection without a past.
#[derive(LogicBlock, Default)]
pub struct Renewed<S: Word> {
    pub clk: Signal<In, Clock>,
    pub rst: Signal<In, bool>,
    /// Read stage: the state in the control RAM.
    pub stored: Signal<In, S>,
    /// Read stage: which ops ahead share the connection.
    pub ahead: Signal<In, Ahead>,
    /// Forward stage: clear while the memories are cleared.
    pub forward_keeps: Signal<In, bool>,
    /// Forward stage: the state before the op, unless the op one place ahead, which shares the connection if `follows`, renews it.
    pub arriving: Signal<Out, S>,
    pub follows: Signal<Out, bool>,
    /// Update stage: the state before the op; what the op may put in its place, and whether it does.
    pub found: Signal<Out, S>,
    pub fresh: Signal<In, S>,
    pub renews: Signal<In, bool>,
    /// Write stage: the state after the op.
    pub written: Signal<In, S>,

    from_ram: DFF<S>,
    from_three: DFF<S>,
    from_four: DFF<S>,
    from_two: DFF<bool>,
    from_one: DFF<bool>,
    two_ahead: Signal<Local, S>,
    older: Signal<Local, S>,
    unchanged: Signal<Local, S>,
    changed: Signal<Local, S>,
    state: DFF<S>,
    behind: DFF<S>,

    no_past: Param<S>,
}

impl<S: Word> Renewed<S> {
    /// With its parameters.
    pub fn new() -> Self {
        Self { no_past: Param::new(S::default()), ..Default::default() }
    }
}

impl<S: Word> Logic for Renewed<S> {
    #[hdl_gen]
    fn update(&mut self) {
        comment!(
            "module renewed: the newest state of the connection of each op, where an op leaves the state or puts a fresh one in its place"
        );
        dff_setup!(self, clk, from_ram, from_three, from_four, from_two, from_one, state, behind);

        comment!(
            "Read: the newest of the RAM's word and the states three and four places ahead goes on, the others become 0."
        );
        self.from_ram.d.next = self.no_past.val();
        if !self.ahead.val().one & !self.ahead.val().two & !self.ahead.val().older {
            self.from_ram.d.next = self.stored.val();
        }
        self.from_three.d.next = self.no_past.val();
        if self.ahead.val().three & !self.ahead.val().two & !self.ahead.val().one {
            self.from_three.d.next = self.written.val();
        }
        self.from_four.d.next = self.no_past.val();
        if self.ahead.val().only_four & !self.ahead.val().two & !self.ahead.val().one {
            self.from_four.d.next = self.behind.q.val();
        }
        self.from_two.d.next = self.ahead.val().two & !self.ahead.val().one;
        self.from_one.d.next = self.ahead.val().one;

        comment!("Forward: an OR joins them and that two places ahead, of which at most one is not 0.");
        self.two_ahead.next = self.no_past.val();
        if self.from_two.q.val() {
            self.two_ahead.next = self.written.val();
        }
        self.older.next =
            self.from_ram.q.val() | self.from_three.q.val() | self.from_four.q.val() | self.two_ahead.val();

        comment!(
            "Of the op one place ahead the register takes the fresh state, or holds the one that it has."
        );
        self.unchanged.next = self.no_past.val();
        self.changed.next = self.no_past.val();
        if self.from_one.q.val() {
            self.unchanged.next = self.state.q.val();
            self.changed.next = self.fresh.val();
        }
        self.arriving.next = self.older.val() | self.unchanged.val();
        self.follows.next = self.from_one.q.val();
        if !self.from_one.q.val() | self.renews.val() {
            self.state.d.next = self.older.val() | self.changed.val();
        }
        if !self.forward_keeps.val() {
            self.state.d.next = self.no_past.val();
        }

        comment!("Update, behind the write stage.");
        self.found.next = self.state.q.val();
        self.behind.d.next = self.written.val();
        if self.rst.val() {
            self.from_ram.d.next = self.no_past.val();
            self.from_three.d.next = self.no_past.val();
            self.from_four.d.next = self.no_past.val();
            self.from_two.d.next = false;
            self.from_one.d.next = false;
            self.state.d.next = self.no_past.val();
            self.behind.d.next = self.no_past.val();
        }
    }
}
