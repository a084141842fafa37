//! A state whose update is whole only a stage after the others: on its way from the control RAM to an op and back.

use respray_hdl_macros::block;
use rust_hdl::prelude::*;

use super::ahead::Ahead;
use crate::comment;
use crate::prims::{Param, Reg, Word};

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
#[block]
pub struct Late<S: Word> {
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

    #[reset = clear]
    from_ram: Reg<S>,
    #[reset = clear]
    from_three: Reg<S>,
    #[reset = clear]
    from_four: Reg<S>,
    #[reset = false]
    from_two: Reg<bool>,
    #[reset = false]
    forward_one: Reg<bool>,
    newest: Signal<Local, S>,
    #[reset = clear]
    state: Reg<S>,
    #[reset = false]
    update_one: Reg<bool>,
    #[reset = clear]
    in_judge: Reg<S>,
    #[reset = clear]
    behind: Reg<S>,
    clear: Param<S>,
}

#[block]
impl<S: Word> Late<S> {
    /// With its parameters.
    pub fn new() -> Self {
        Self { clear: Param::new(S::default()), ..Default::default() }
    }

    fn update(&mut self) {
        comment!(
            "module late: the newest state of the connection of each op, where an op's state is whole a stage after its update"
        );

        comment!(
            "Read: the newest of the RAM's word and the states three and four places ahead, the others become 0."
        );
        self.from_ram = self.clear;
        if !self.ahead.two & !self.ahead.older {
            self.from_ram = self.stored;
        }
        self.from_three = self.clear;
        if self.ahead.three {
            self.from_three = self.judged;
        }
        self.from_four = self.clear;
        if self.ahead.only_four {
            self.from_four = self.behind;
        }
        self.from_two = self.ahead.two;
        self.forward_one = self.ahead.one;

        comment!(
            "Forward: that two places ahead is newer, and that one place ahead is taken in the update stage."
        );
        self.newest = self.from_ram | self.from_three | self.from_four;
        if self.from_two {
            self.newest = self.judged;
        }
        self.state = self.clear;
        if self.forward_keeps {
            self.state = self.newest;
        }
        self.update_one = self.forward_one;

        comment!("Update, judge.");
        self.previous = self.state;
        if self.update_one {
            self.previous = self.judged;
        }
        self.is_ahead = self.update_one;
        self.earlier = self.state;
        self.in_judge = self.after;
        self.waiting = self.in_judge;
        self.behind = self.judged;
    }
}
