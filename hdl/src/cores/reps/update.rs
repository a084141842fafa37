//! The algorithm: what one op does to its connection. Combinational.

use respray_hdl_macros::hdl_gen;
use rust_hdl::prelude::*;

use super::state::Control;
use crate::comment;
use crate::prims::Param;

/// 001 Algorithms 1 and 2, or with `uet` the behaviour of the public Ultra Ethernet simulator model.
///
/// At most one of `send`, `cache` and `timeout` is set, and `feedback` with any of the last two.
#[derive(LogicBlock, Default)]
pub struct Update<const D: usize> {
    /// The connection before the op. All zero stands for a connection after `init`.
    pub state: Signal<In, Control<D>>,
    pub send: Signal<In, bool>,
    /// ACK without ECN.
    pub cache: Signal<In, bool>,
    pub timeout: Signal<In, bool>,
    /// ACK, NACK or timeout.
    pub feedback: Signal<In, bool>,
    /// The op's `now` is past the connection's `exit_freezing`.
    pub past: Signal<In, bool>,
    /// The op's `now` is past the `exit_freezing` that the op itself would set.
    pub past_own_exit: Signal<In, bool>,
    /// Low byte of the `exit_freezing` that the op would set.
    pub exit_low: Signal<In, Bits<8>>,
    /// Packets of one BDP.
    pub bdp: Signal<In, Bits<8>>,

    /// The connection after the op.
    pub after: Signal<Out, Control<D>>,
    pub explore: Signal<Out, bool>,
    pub recycle: Signal<Out, bool>,
    pub replay: Signal<Out, bool>,
    pub enter: Signal<Out, bool>,
    pub leave: Signal<Out, bool>,
    /// Slot that an ACK's EV goes to.
    pub write_slot: Signal<Out, Bits<D>>,
    /// Slot that a recycled or replayed EV comes from.
    pub read_slot: Signal<Out, Bits<D>>,

    may_recycle: Signal<Local, bool>,
    may_replay: Signal<Local, bool>,
    count_down: Signal<Local, bool>,
    empties: Signal<Local, bool>,
    /// The paper's replay from a full ring, which moves `head`.
    turns: Signal<Local, bool>,
    /// A replay that moves `replay_slot`.
    walks: Signal<Local, bool>,
    all_valid: Signal<Local, bool>,
    one_valid: Signal<Local, bool>,
    head_up: Signal<Local, bool>,
    tail_up: Signal<Local, bool>,
    last_walk: Signal<Local, bool>,
    tail_1: Signal<Local, Bits<D>>,
    replay_1: Signal<Local, Bits<D>>,
    base: Signal<Local, Bits<D>>,
    minus: Signal<Local, Bits<8>>,
    uet: Param<bool>,
}

impl<const D: usize> Update<D> {
    /// The update of variant `uet` or of the paper.
    pub fn new(uet: bool) -> Self {
        Self { uet: Param::new(uet), ..Default::default() }
    }
}

impl<const D: usize> Logic for Update<D> {
    #[hdl_gen]
    fn update(&mut self) {
        comment!("module update: what an op does to its connection, 001 Algorithms 1 and 2");
        comment!("A timeout enters freezing; feedback leaves it once its time is past.");
        self.enter.next = self.timeout.val() & !self.state.val().freezing & !self.state.val().exploring;
        if self.uet.val() {
            self.leave.next = (self.feedback.val() & self.state.val().freezing & self.past.val())
                | (self.enter.val() & self.past_own_exit.val());
            self.empties.next = self.leave.val();
        } else {
            self.leave.next = self.cache.val() & self.state.val().freezing & self.past.val();
            self.empties.next = false;
        }

        comment!("A send explores unless the ring may serve it.");
        if self.uet.val() {
            self.may_recycle.next = self.state.val().any_valid & !self.state.val().freezing;
            self.may_replay.next = self.state.val().any_cached & self.state.val().freezing;
        } else {
            self.may_recycle.next = self.state.val().any_valid;
            self.may_replay.next =
                self.state.val().any_cached & self.state.val().freezing & !self.state.val().any_valid;
        }
        self.recycle.next = self.send.val() & !self.state.val().exploring & self.may_recycle.val();
        self.replay.next = self.send.val() & !self.state.val().exploring & self.may_replay.val();
        self.explore.next = self.send.val()
            & (self.state.val().exploring | !(self.may_recycle.val() | self.may_replay.val()));
        self.count_down.next = self.send.val() & self.state.val().exploring;

        if self.uet.val() {
            self.turns.next = false;
            self.walks.next = self.replay.val();
            self.read_slot.next = self.state.val().tail;
            if self.state.val().freezing {
                self.read_slot.next = self.state.val().replay_slot;
            }
        } else {
            self.turns.next = self.replay.val() & self.state.val().full;
            self.walks.next = self.replay.val() & !self.state.val().full;
            self.read_slot.next = self.state.val().tail;
            if !self.state.val().any_valid & !self.state.val().full {
                self.read_slot.next = self.state.val().replay_slot;
            }
        }
        self.base.next = self.state.val().head;
        if self.empties.val() {
            self.base.next = 0.into();
        }
        self.write_slot.next = self.base.val();

        comment!("The ring. While it is not full, head is the number of EVs cached.");
        self.tail_1.next = self.state.val().tail + 1;
        self.replay_1.next = self.state.val().replay_slot + 1;
        self.all_valid.next = self.state.val().any_valid & (self.state.val().head == self.state.val().tail);
        self.one_valid.next = self.tail_1.val() == self.state.val().head;
        self.last_walk.next = (self.replay_1.val() == self.state.val().head) & !self.state.val().full;
        self.head_up.next = self.cache.val() | self.turns.val();
        self.tail_up.next = self.recycle.val() | self.turns.val() | (self.cache.val() & self.all_valid.val());

        self.after.next.head = self.base.val() + self.head_up.val();
        self.after.next.tail = self.state.val().tail;
        if self.tail_up.val() {
            self.after.next.tail = self.tail_1.val();
        }
        if self.empties.val() {
            self.after.next.tail = 0.into();
        }
        self.after.next.replay_slot = self.state.val().replay_slot;
        if self.walks.val() {
            self.after.next.replay_slot = self.replay_1.val();
        }
        if self.empties.val() | (self.walks.val() & self.last_walk.val()) {
            self.after.next.replay_slot = 0.into();
        }
        self.after.next.full =
            !self.empties.val() & (self.state.val().full | (self.cache.val() & self.state.val().head.all()));
        self.after.next.any_valid = self.cache.val()
            | (!self.empties.val()
                & self.state.val().any_valid
                & !(self.recycle.val() & self.one_valid.val()));
        self.after.next.any_cached = self.cache.val() | (!self.empties.val() & self.state.val().any_cached);

        comment!(
            "One byte serves as explore counter and as low byte of the freeze time: they never matter at once."
        );
        self.after.next.freezing = (self.state.val().freezing | self.enter.val()) & !self.leave.val();
        self.minus.next = 0.into();
        if self.count_down.val() {
            self.minus.next = 0xFF.into();
        }
        self.after.next.count = self.state.val().count + self.minus.val();
        self.after.next.exploring =
            self.state.val().exploring & !(self.count_down.val() & (self.state.val().count == 1));
        if self.enter.val() {
            self.after.next.count = self.exit_low.val();
        }
        if self.leave.val() {
            self.after.next.count = self.bdp.val();
            self.after.next.exploring = self.bdp.val().any();
        }
    }
}
