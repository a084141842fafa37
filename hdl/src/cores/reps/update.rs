//! The algorithm: what one op does to its connection. Combinational.

use respray_hdl_macros::block;
use rust_hdl::prelude::*;

use super::state::Control;
use crate::comment;
use crate::prims::Param;

/// 001 Algorithms 1 and 2, or with `uet` the behaviour of the public Ultra Ethernet simulator model.
///
/// At most one of `send`, `cache` and `timeout` is set, and `feedback` with any of the last two.
#[block(no_clock)]
pub struct Update<const SLOT: usize> {
    /// The connection before the op. All zero stands for a connection after `init`.
    pub state: Signal<In, Control<SLOT>>,
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
    /// Packets of one BDP.
    pub bdp: Signal<In, Bits<8>>,

    /// The connection after the op.
    pub after: Signal<Out, Control<SLOT>>,
    pub explore: Signal<Out, bool>,
    pub recycle: Signal<Out, bool>,
    pub replay: Signal<Out, bool>,
    pub enter: Signal<Out, bool>,
    pub leave: Signal<Out, bool>,
    /// Slot that an ACK's EV goes to.
    pub write_slot: Signal<Out, Bits<SLOT>>,
    /// Slot that a recycled or replayed EV comes from.
    pub read_slot: Signal<Out, Bits<SLOT>>,

    may_recycle: Signal<Local, bool>,
    may_replay: Signal<Local, bool>,
    empties: Signal<Local, bool>,
    /// The paper's replay from a full ring, which moves `head`.
    turns: Signal<Local, bool>,
    /// A replay that moves `replay_slot`.
    walks: Signal<Local, bool>,
    uet: Param<bool>,
}

#[block]
impl<const SLOT: usize> Update<SLOT> {
    /// The update of variant `uet` or of the paper.
    pub fn new(uet: bool) -> Self {
        Self { uet: Param::new(uet), ..Default::default() }
    }

    fn update(&mut self) {
        comment!("module update: what an op does to its connection, 001 Algorithms 1 and 2");
        comment!("A timeout enters freezing; feedback leaves it once its time is past.");
        self.enter = self.timeout & !self.state.freezing & !self.state.exploring;
        if self.uet {
            self.leave =
                (self.feedback & self.state.freezing & self.past) | (self.enter & self.past_own_exit);
            self.empties = self.leave;
        } else {
            self.leave = self.cache & self.state.freezing & self.past;
            self.empties = false;
        }

        comment!("A send explores unless the ring may serve it.");
        if self.uet {
            self.may_recycle = self.state.any_valid & !self.state.freezing;
            self.may_replay = self.state.any_cached & self.state.freezing;
        } else {
            self.may_recycle = self.state.any_valid;
            self.may_replay = self.state.any_cached & self.state.freezing & !self.state.any_valid;
        }
        self.recycle = self.send & !self.state.exploring & self.may_recycle;
        self.replay = self.send & !self.state.exploring & self.may_replay;
        self.explore = self.send & (self.state.exploring | !(self.may_recycle | self.may_replay));
        let count_down = self.send & self.state.exploring;

        if self.uet {
            self.turns = false;
            self.walks = self.replay;
            self.read_slot = self.state.tail;
            if self.state.freezing {
                self.read_slot = self.state.replay_slot;
            }
        } else {
            self.turns = self.replay & self.state.full;
            self.walks = self.replay & !self.state.full;
            self.read_slot = self.state.tail;
            if !self.state.any_valid & !self.state.full {
                self.read_slot = self.state.replay_slot;
            }
        }
        let mut base = self.state.head;
        if self.empties {
            base = 0;
        }
        self.write_slot = base;

        comment!("The ring. While it is not full, head is the number of EVs cached.");
        let tail_1 = self.state.tail + 1;
        let replay_1 = self.state.replay_slot + 1;
        let all_valid = self.state.any_valid & (self.state.head == self.state.tail);
        let one_valid = tail_1 == self.state.head;
        let last_walk = (replay_1 == self.state.head) & !self.state.full;
        let head_up = self.cache | self.turns;
        let tail_up = self.recycle | self.turns | (self.cache & all_valid);

        self.after.head = base + head_up;
        self.after.tail = self.state.tail;
        if tail_up {
            self.after.tail = tail_1;
        }
        if self.empties {
            self.after.tail = 0;
        }
        self.after.replay_slot = self.state.replay_slot;
        if self.walks {
            self.after.replay_slot = replay_1;
        }
        if self.empties | (self.walks & last_walk) {
            self.after.replay_slot = 0;
        }
        self.after.full = !self.empties & (self.state.full | (self.cache & self.state.head.all()));
        self.after.any_valid =
            self.cache | (!self.empties & self.state.any_valid & !(self.recycle & one_valid));
        self.after.any_cached = self.cache | (!self.empties & self.state.any_cached);

        self.after.freezing = (self.state.freezing | self.enter) & !self.leave;
        let mut minus: Bits<8> = 0;
        if count_down {
            minus = 0xFF;
        }
        self.after.count = self.state.count + minus;
        self.after.exploring = self.state.exploring & !(count_down & (self.state.count == 1));
        if self.leave {
            self.after.count = self.bdp;
            self.after.exploring = self.bdp.any();
        }
    }
}
