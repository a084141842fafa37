//! Whether a connection drains and has an EV: the flags on their way from the control RAM to an op and back.

use rust_hdl::prelude::*;

use super::state::Flags as State;
use crate::comment;
use crate::parts::Ahead;
use crate::prims::Param;

/// Finds the newest flags of an op's connection.
///
/// What the op one place ahead does to them is whole only a stage after its update, when it is known whether its average is hot. So
/// that joins the flags in the judge stage, and an op takes them from there: in its update stage those of the op one place ahead,
/// in its forward stage those of the one two places ahead.
///
/// ```text
///   read                        forward             update              judge
///   RAM word ──► from_ram ───┐
///   judged ────► from_three ─OR─► newest ─► state ─► before ─► (ledger) ─► in_write ─► judged ─► behind
///   behind ────► from_four ──┘      ▲                  ▲                       ▲          │
///                two places ahead ──┘   one place ahead┘                 heat ─┘          └──► RAM
/// ```
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
    pub after: Signal<In, State>,
    /// Update stage: if its average is hot, the op starts a drain, or takes the EV away.
    pub may_start: Signal<In, bool>,
    pub may_unplace: Signal<In, bool>,
    /// Judge stage: the average is hot.
    pub is_hot: Signal<In, bool>,
    /// Judge stage: the flags after the op, and that it starts a drain.
    pub written: Signal<Out, State>,
    pub starts: Signal<Out, bool>,

    from_ram: DFF<State>,
    from_three: DFF<State>,
    from_four: DFF<State>,
    from_two: DFF<bool>,
    forward_one: DFF<bool>,
    newest: Signal<Local, State>,
    state: DFF<State>,
    update_one: DFF<bool>,
    in_write: DFF<State>,
    write_start: DFF<bool>,
    write_unplace: DFF<bool>,
    judged: Signal<Local, State>,
    behind: DFF<State>,
    clear: Param<State>,
}

impl Flags {
    /// With its parameters.
    pub fn new() -> Self {
        Self { clear: Param::new(State::default()), ..Default::default() }
    }
}

impl Logic for Flags {
    #[hdl_gen]
    fn update(&mut self) {
        comment!(
            "module flags: the newest flags of the connection of each op, and their way back to the control RAM"
        );
        dff_setup!(self, clk, from_ram, from_three, from_four, from_two, forward_one, state, update_one);
        dff_setup!(self, clk, in_write, write_start, write_unplace, behind);

        comment!("Judge: the drain of a hot average begins, or its EV goes.");
        self.judged.next.draining =
            self.in_write.q.val().draining | (self.write_start.q.val() & self.is_hot.val());
        self.judged.next.placed =
            self.in_write.q.val().placed & !(self.write_unplace.q.val() & self.is_hot.val());
        self.starts.next = self.write_start.q.val() & self.is_hot.val();
        self.written.next = self.judged.val();
        self.behind.d.next = self.judged.val();

        comment!(
            "Read: the newest of the RAM's word and the flags three and four places ahead, the others become 0."
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
            "Forward: those two places ahead are newer, and those one place ahead are taken in the update stage."
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

        comment!("Update.");
        self.before.next = self.state.q.val();
        if self.update_one.q.val() {
            self.before.next = self.judged.val();
        }
        self.in_write.d.next = self.after.val();
        self.write_start.d.next = self.may_start.val();
        self.write_unplace.d.next = self.may_unplace.val();
        if self.rst.val() {
            self.from_ram.d.next = self.clear.val();
            self.from_three.d.next = self.clear.val();
            self.from_four.d.next = self.clear.val();
            self.from_two.d.next = false;
            self.forward_one.d.next = false;
            self.state.d.next = self.clear.val();
            self.update_one.d.next = false;
            self.in_write.d.next = self.clear.val();
            self.write_start.d.next = false;
            self.write_unplace.d.next = false;
            self.behind.d.next = self.clear.val();
        }
    }
}
