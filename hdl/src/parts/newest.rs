//! The states of the connections on their way: from the control RAM, or from an op ahead, to the update and back.

use respray_hdl_macros::block;
use rust_hdl::prelude::*;

use super::ahead::Ahead;
use crate::comment;
use crate::prims::{Param, Reg, Word};

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
#[block]
pub struct Newest<S: Word> {
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

    #[reset = no_past]
    from_ram: Reg<S>,
    #[reset = no_past]
    from_two: Reg<S>,
    #[reset = no_past]
    from_three: Reg<S>,
    #[reset = no_past]
    from_four: Reg<S>,
    #[reset = false]
    from_one: Reg<bool>,
    newest: Signal<Local, S>,
    #[reset = no_past]
    state: Reg<S>,
    #[reset = no_past]
    in_write: Reg<S>,
    #[reset = no_past]
    behind: Reg<S>,

    no_past: Param<S>,
}

#[block]
impl<S: Word> Newest<S> {
    /// With its parameters.
    pub fn new() -> Self {
        Self { no_past: Param::new(S::default()), ..Default::default() }
    }

    fn update(&mut self) {
        comment!(
            "module newest: the newest state of the connection of each op, and its way back to the control RAM"
        );

        comment!(
            "Read: the newest of the RAM's word and the states two to four places ahead goes on, the others become 0."
        );
        self.from_ram = self.no_past;
        if !self.ahead.two & !self.ahead.older {
            self.from_ram = self.stored;
        }
        self.from_two = self.no_past;
        if self.ahead.two {
            self.from_two = self.after;
        }
        self.from_three = self.no_past;
        if self.ahead.three & !self.ahead.two {
            self.from_three = self.in_write;
        }
        self.from_four = self.no_past;
        if self.ahead.only_four & !self.ahead.two {
            self.from_four = self.behind;
        }
        self.from_one = self.ahead.one;

        comment!("Forward: an OR joins them, but the op one place ahead is newer than all.");
        self.newest = self.from_ram | self.from_two | self.from_three | self.from_four;
        if self.from_one {
            self.newest = self.after;
        }
        self.arriving = self.newest;
        self.state = self.no_past;
        if self.forward_keeps {
            self.state = self.newest;
        }

        comment!("Update, write.");
        self.in_write = self.after;
        self.behind = self.in_write;

        self.before = self.state;
        self.written = self.in_write;
    }
}
