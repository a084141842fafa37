//! The states of the connections on their way: from the control RAM, or from an op ahead, through the update, back.

use respray_hdl_macros::hdl_gen;
use rust_hdl::prelude::*;

use super::state::{Action, Ahead, Control, Op};
use super::update::Update;
use crate::comment;
use crate::prims::Param;

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
#[derive(LogicBlock, Default)]
pub struct States<const D: usize> {
    pub clk: Signal<In, Clock>,
    pub rst: Signal<In, bool>,
    /// Read stage: the state in the control RAM.
    pub stored: Signal<In, Control<D>>,
    /// Read stage: which ops ahead share the connection.
    pub ahead: Signal<In, Ahead>,
    /// Forward stage: clear for an op that starts from a connection without a past.
    pub forward_keeps: Signal<In, bool>,
    /// Update stage: the op, and what [`super::freeze`] says of it.
    pub op: Signal<In, Op>,
    pub past: Signal<In, bool>,
    pub past_own_exit: Signal<In, bool>,
    pub exit_low: Signal<In, Bits<8>>,

    /// Update stage: the connection was freezing before the op.
    pub freezing: Signal<Out, bool>,
    /// Write stage: the connection after the op.
    pub after: Signal<Out, Control<D>>,
    /// Write stage: what the op did.
    pub action: Signal<Out, Action>,
    /// Write stage: slots of the EV that it writes, or reads.
    pub write_slot: Signal<Out, Bits<D>>,
    pub read_slot: Signal<Out, Bits<D>>,
    /// Write stage: the EV that it writes.
    pub ev: Signal<Out, Bits<16>>,

    update: Update<D>,

    from_ram: DFF<Control<D>>,
    from_two: DFF<Control<D>>,
    from_three: DFF<Control<D>>,
    from_four: DFF<Control<D>>,
    from_one: DFF<bool>,
    newest: Signal<Local, Control<D>>,

    state: DFF<Control<D>>,

    written: DFF<Control<D>>,
    done: DFF<Action>,
    written_slot: DFF<Bits<D>>,
    wanted_slot: DFF<Bits<D>>,
    written_ev: DFF<Bits<16>>,

    behind: DFF<Control<D>>,

    no_past: Param<Control<D>>,
    no_action: Param<Action>,
}

impl<const D: usize> States<D> {
    /// The states of variant `uet` or of the paper.
    pub fn new(uet: bool) -> Self {
        Self {
            update: Update::new(uet),
            no_past: Param::new(Control::default()),
            no_action: Param::new(Action::default()),
            ..Default::default()
        }
    }
}

impl<const D: usize> Logic for States<D> {
    #[hdl_gen]
    fn update(&mut self) {
        comment!(
            "module states: the states of the connections on their way from the control RAM through the update and back"
        );
        dff_setup!(self, clk, from_ram, from_two, from_three, from_four, from_one, state);
        dff_setup!(self, clk, written, done, written_slot, wanted_slot, written_ev, behind);

        comment!(
            "Read: of the state in the RAM and those of the ops two to four places ahead only the newest goes on, the"
        );
        comment!("others become zero, so that an OR joins them.");
        self.from_ram.d.next = self.no_past.val();
        if !self.ahead.val().two & !self.ahead.val().older {
            self.from_ram.d.next = self.stored.val();
        }
        self.from_two.d.next = self.no_past.val();
        if self.ahead.val().two {
            self.from_two.d.next = self.update.after.val();
        }
        self.from_three.d.next = self.no_past.val();
        if self.ahead.val().three & !self.ahead.val().two {
            self.from_three.d.next = self.written.q.val();
        }
        self.from_four.d.next = self.no_past.val();
        if self.ahead.val().only_four & !self.ahead.val().two {
            self.from_four.d.next = self.behind.q.val();
        }
        self.from_one.d.next = self.ahead.val().one;

        comment!("Forward: the op one place ahead is newer than all of them.");
        self.newest.next =
            self.from_ram.q.val() | self.from_two.q.val() | self.from_three.q.val() | self.from_four.q.val();
        if self.from_one.q.val() {
            self.newest.next = self.update.after.val();
        }
        self.state.d.next = self.no_past.val();
        if self.forward_keeps.val() {
            self.state.d.next = self.newest.val();
        }

        comment!("Update.");
        self.update.state.next = self.state.q.val();
        self.update.send.next = self.op.val().send;
        self.update.cache.next = self.op.val().cache;
        self.update.timeout.next = self.op.val().timeout;
        self.update.feedback.next = self.op.val().feedback;
        self.update.bdp.next = self.op.val().bdp;
        self.update.past.next = self.past.val();
        self.update.past_own_exit.next = self.past_own_exit.val();
        self.update.exit_low.next = self.exit_low.val();
        self.freezing.next = self.state.q.val().freezing;
        self.written.d.next = self.update.after.val();
        self.done.d.next.explore = self.update.explore.val();
        self.done.d.next.recycle = self.update.recycle.val();
        self.done.d.next.replay = self.update.replay.val();
        self.done.d.next.cache = self.op.val().cache;
        self.done.d.next.discard = self.op.val().discard;
        self.done.d.next.enter = self.update.enter.val();
        self.done.d.next.leave = self.update.leave.val();
        self.written_slot.d.next = self.update.write_slot.val();
        self.wanted_slot.d.next = self.update.read_slot.val();
        self.written_ev.d.next = self.op.val().ev;

        comment!("Write.");
        self.behind.d.next = self.written.q.val();

        self.after.next = self.written.q.val();
        self.action.next = self.done.q.val();
        self.write_slot.next = self.written_slot.q.val();
        self.read_slot.next = self.wanted_slot.q.val();
        self.ev.next = self.written_ev.q.val();

        if self.rst.val() {
            self.from_ram.d.next = self.no_past.val();
            self.from_two.d.next = self.no_past.val();
            self.from_three.d.next = self.no_past.val();
            self.from_four.d.next = self.no_past.val();
            self.from_one.d.next = false;
            self.state.d.next = self.no_past.val();
            self.written.d.next = self.no_past.val();
            self.done.d.next = self.no_action.val();
            self.written_slot.d.next = 0.into();
            self.wanted_slot.d.next = 0.into();
            self.written_ev.d.next = 0.into();
            self.behind.d.next = self.no_past.val();
        }
    }
}
