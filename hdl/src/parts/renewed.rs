//! A state that an op either leaves as it is or puts a fresh one in the place of: from the control RAM, or from an op ahead, to the
//! update and back.

use respray_hdl_macros::block;
use rust_hdl::prelude::*;

use super::ahead::Ahead;
use crate::comment;
use crate::prims::{Param, Reg, Word};

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
#[block]
pub struct Renewed<S: Word> {
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

    #[reset = no_past]
    from_ram: Reg<S>,
    #[reset = no_past]
    from_three: Reg<S>,
    #[reset = no_past]
    from_four: Reg<S>,
    #[reset = false]
    from_two: Reg<bool>,
    #[reset = false]
    from_one: Reg<bool>,
    two_ahead: Signal<Local, S>,
    older: Signal<Local, S>,
    unchanged: Signal<Local, S>,
    changed: Signal<Local, S>,
    #[reset = no_past]
    state: Reg<S>,
    #[reset = no_past]
    behind: Reg<S>,

    no_past: Param<S>,
}

#[block]
impl<S: Word> Renewed<S> {
    /// With its parameters.
    pub fn new() -> Self {
        Self { no_past: Param::new(S::default()), ..Default::default() }
    }

    fn update(&mut self) {
        comment!(
            "module renewed: the newest state of the connection of each op, where an op leaves the state or puts a fresh one in its place"
        );

        comment!(
            "Read: the newest of the RAM's word and the states three and four places ahead goes on, the others become 0."
        );
        self.from_ram = self.no_past;
        if !self.ahead.one & !self.ahead.two & !self.ahead.older {
            self.from_ram = self.stored;
        }
        self.from_three = self.no_past;
        if self.ahead.three & !self.ahead.two & !self.ahead.one {
            self.from_three = self.written;
        }
        self.from_four = self.no_past;
        if self.ahead.only_four & !self.ahead.two & !self.ahead.one {
            self.from_four = self.behind;
        }
        self.from_two = self.ahead.two & !self.ahead.one;
        self.from_one = self.ahead.one;

        comment!("Forward: an OR joins them and that two places ahead, of which at most one is not 0.");
        self.two_ahead = self.no_past;
        if self.from_two {
            self.two_ahead = self.written;
        }
        self.older = self.from_ram | self.from_three | self.from_four | self.two_ahead;

        comment!(
            "Of the op one place ahead the register takes the fresh state, or holds the one that it has."
        );
        self.unchanged = self.no_past;
        self.changed = self.no_past;
        if self.from_one {
            self.unchanged = self.state;
            self.changed = self.fresh;
        }
        self.arriving = self.older | self.unchanged;
        self.follows = self.from_one;
        if !self.from_one | self.renews {
            self.state = self.older | self.changed;
        }
        if !self.forward_keeps {
            self.state = self.no_past;
        }

        comment!("Update, behind the write stage.");
        self.found = self.state;
        self.behind = self.written;
    }
}
