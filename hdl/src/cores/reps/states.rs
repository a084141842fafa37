//! The states of the connections on their way: from the control RAM, or from an op ahead, through the update, back.

use respray_hdl_macros::block;
use rust_hdl::prelude::*;

use super::state::{Action, Ahead, Control, Op};
use super::update::Update;
use crate::comment;
use crate::prims::{Optional, Param, Reg};

/// Finds the newest state of an op's connection, updates it, and holds it until the control RAM has it.
///
/// ```text
///   read                          forward                     update     write
///   RAM word ──────────► from_ram ───┐
///   state after update ► from_two ───┤                        ┌─ Update ─► control ─► after
///   state in write ────► from_three ─OR ─► newest ─► state ───┘    │
///   state behind write ► from_four ──┘       ▲                     │
///                                            └─────────────────────┘ of the op one place ahead
/// ```
#[block]
pub struct States<const SLOT: usize> {
    /// Read stage: the state in the control RAM.
    pub stored: Signal<In, Control<SLOT>>,
    /// Read stage: which ops ahead share the connection.
    pub ahead: Signal<In, Ahead>,
    /// Forward stage: clear for an op that starts from a connection without a past.
    pub forward_keeps: Signal<In, bool>,
    /// Update stage: the op, and what [`super::freeze`] says of it.
    pub op: Signal<In, Op>,
    pub past: Signal<In, bool>,
    pub past_own_exit: Signal<In, bool>,

    /// With parity, forward stage: the connection is freezing before the op.
    pub forward_freezing: Optional<Signal<Out, bool>>,
    /// Update stage: the connection was freezing before the op.
    pub freezing: Signal<Out, bool>,
    /// Write stage: the connection after the op.
    pub after: Signal<Out, Control<SLOT>>,
    /// Write stage: what the op did.
    pub action: Signal<Out, Action>,
    /// Write stage: slots of the EV that it writes, or reads.
    pub write_slot: Signal<Out, Bits<SLOT>>,
    pub read_slot: Signal<Out, Bits<SLOT>>,
    /// Write stage: the EV that it writes.
    pub ev: Signal<Out, Bits<16>>,

    update: Update<SLOT>,

    #[reset = no_past]
    from_ram: Reg<Control<SLOT>>,
    #[reset = no_past]
    from_two: Reg<Control<SLOT>>,
    #[reset = no_past]
    from_three: Reg<Control<SLOT>>,
    #[reset = no_past]
    from_four: Reg<Control<SLOT>>,
    #[reset = false]
    from_one: Reg<bool>,
    newest: Signal<Local, Control<SLOT>>,

    #[reset = no_past]
    state: Reg<Control<SLOT>>,

    #[reset = no_past]
    written: Reg<Control<SLOT>>,
    #[reset = no_action]
    done: Reg<Action>,
    #[reset = 0]
    written_slot: Reg<Bits<SLOT>>,
    #[reset = 0]
    wanted_slot: Reg<Bits<SLOT>>,
    #[reset = 0]
    written_ev: Reg<Bits<16>>,

    #[reset = no_past]
    behind: Reg<Control<SLOT>>,

    no_past: Param<Control<SLOT>>,
    no_action: Param<Action>,
    has_parity: Param<bool>,
}

#[block]
impl<const SLOT: usize> States<SLOT> {
    /// The states of variant `uet` or of the paper.
    pub fn new(uet: bool, has_parity: bool) -> Self {
        Self {
            forward_freezing: Optional::new(has_parity, Default::default),
            has_parity: Param::new(has_parity),
            update: Update::new(uet),
            no_past: Param::new(Control::default()),
            no_action: Param::new(Action::default()),
            ..Default::default()
        }
    }

    fn update(&mut self) {
        comment!(
            "module states: the states of the connections on their way from the control RAM through the update and back"
        );

        comment!(
            "Read: of the state in the RAM and those of the ops two to four places ahead only the newest goes on, the"
        );
        comment!("others become zero, so that an OR joins them.");
        self.from_ram = self.no_past;
        if !self.ahead.two & !self.ahead.three & !self.ahead.four {
            self.from_ram = self.stored;
        }
        self.from_two = self.no_past;
        if self.ahead.two {
            self.from_two = self.update.after;
        }
        self.from_three = self.no_past;
        if self.ahead.three & !self.ahead.two {
            self.from_three = self.written;
        }
        self.from_four = self.no_past;
        if self.ahead.four & !self.ahead.three & !self.ahead.two {
            self.from_four = self.behind;
        }
        self.from_one = self.ahead.one;

        comment!("Forward: the op one place ahead is newer than all of them.");
        self.newest = self.from_ram | self.from_two | self.from_three | self.from_four;
        if self.from_one {
            self.newest = self.update.after;
        }
        if self.has_parity {
            self.forward_freezing = self.newest.freezing;
        }
        self.state = self.no_past;
        if self.forward_keeps {
            self.state = self.newest;
        }

        comment!("Update.");
        self.update.state = self.state;
        self.update.send = self.op.send;
        self.update.cache = self.op.cache;
        self.update.timeout = self.op.timeout;
        self.update.feedback = self.op.feedback;
        self.update.bdp = self.op.bdp;
        self.update.past = self.past;
        self.update.past_own_exit = self.past_own_exit;
        self.freezing = self.state.freezing;
        self.written = self.update.after;
        self.done.explore = self.update.explore;
        self.done.recycle = self.update.recycle;
        self.done.replay = self.update.replay;
        self.done.cache = self.op.cache;
        self.done.discard = self.op.discard;
        self.done.enter = self.update.enter;
        self.done.leave = self.update.leave;
        self.written_slot = self.update.write_slot;
        self.wanted_slot = self.update.read_slot;
        self.written_ev = self.op.ev;

        comment!("Write.");
        self.behind = self.written;

        self.after = self.written;
        self.action = self.done;
        self.write_slot = self.written_slot;
        self.read_slot = self.wanted_slot;
        self.ev = self.written_ev;
    }
}
