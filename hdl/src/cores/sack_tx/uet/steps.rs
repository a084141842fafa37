//! The state machine: which op or visit is in work, and which step it is in.

use respray_hdl_macros::block;
use rust_hdl::prelude::*;

use crate::comment;
use crate::prims::Reg;

/// Takes an op, or begins a visit, and leads it through its steps, one flag a step.
///
/// ```text
///  sent, read, close          1 ─ … ─ 7 = done                  7
///  next_rtx out of recovery   1 ─ … ─ 7 = done                  7
///  visit                      1 ─ … ─ 7 ─ done                  8
///  ack, nack                  1 ─ … ─ 10 ─ done, if idle        11
///                                  10 ─ walk, a cycle a word ─ 4 ─ done
///  visit, the RTO over        the same walk
///  next_rtx                   1 ─ … ─ 4 ─ walk ─ 4 ─ done
///  init                       1 ─ … ─ 3 ─ walk ─ 4 ─ done
///  rst                        clear, a cycle per connection
/// ```
///
/// An op or a visit begins in every cycle in which the engine is free, so that it is free for one cycle at a time.
#[block]
pub struct Steps<const CONN: usize> {
    pub op_valid: Signal<In, bool>,
    pub op_kind: Signal<In, Bits<3>>,
    pub op_conn: Signal<In, Bits<CONN>>,
    /// From step 9 on: an ACK or NACK, or a visit that finds the RTO over, has a walk.
    pub walks: Signal<In, bool>,
    /// From step 7 on: a visit finds the RTO over.
    pub times_out: Signal<In, bool>,
    /// From step 2 on: the connection is in recovery.
    pub recovering: Signal<In, bool>,
    /// The walk is at its last word.
    pub last_word: Signal<In, bool>,

    pub ready: Signal<Out, bool>,
    /// An op or a visit begins.
    pub starts: Signal<Out, bool>,
    /// Connection in work; while clearing, the word to clear.
    pub conn: Signal<Out, Bits<CONN>>,
    pub clearing: Signal<Out, bool>,
    pub is_sent: Signal<Out, bool>,
    pub is_ack: Signal<Out, bool>,
    pub is_next_rtx: Signal<Out, bool>,
    pub is_init: Signal<Out, bool>,
    pub is_nack: Signal<Out, bool>,
    /// It asks where the connection stands: `read` or `close`.
    pub is_read: Signal<Out, bool>,
    pub is_close: Signal<Out, bool>,
    pub is_visit: Signal<Out, bool>,
    /// Steps 1 to 13 in bits 0 to 12.
    pub step: Signal<Out, Bits<13>>,
    /// The walk begins two cycles later, one cycle later.
    pub prime: Signal<Out, bool>,
    pub start: Signal<Out, bool>,
    /// Last cycle before `done` of what walks.
    pub settle: Signal<Out, bool>,
    pub done: Signal<Out, bool>,

    #[reset = false]
    is_ready: Reg<bool>,
    #[reset = false]
    is_forced: Reg<bool>,
    #[reset = false]
    visit_due: Reg<bool>,
    #[reset = 0]
    ops: Reg<Bits<4>>,
    #[reset = 0]
    walker: Reg<Bits<CONN>>,
    #[reset = 0]
    connection: Reg<Bits<CONN>>,
    #[reset = true]
    is_clearing: Reg<bool>,
    sent: Reg<bool>,
    ack: Reg<bool>,
    next_rtx: Reg<bool>,
    init: Reg<bool>,
    read: Reg<bool>,
    close: Reg<bool>,
    nack: Reg<bool>,
    visits: Reg<bool>,
    #[reset = 0]
    at: Reg<Bits<13>>,
    #[reset = 0]
    after_walk: Reg<Bits<3>>,
    #[reset = false]
    is_done: Reg<bool>,
}

#[block]
impl<const CONN: usize> Steps<CONN> {
    fn update(&mut self) {
        comment!(
            "module steps: which op, NACK or visit is in work, and which step it is in, one flag a step"
        );
        let take = self.is_ready & self.op_valid;
        let visit = (self.is_ready & !self.op_valid) | self.is_forced;
        let clear_done = self.is_clearing & self.connection.all();
        let is_short = self.sent | self.read | (self.next_rtx & !self.recovering);
        let finish = (self.at.get_bit(5) & is_short)
            | (self.at.get_bit(6) & self.visits & !self.times_out)
            | (self.at.get_bit(9) & !self.walks)
            | self.after_walk.get_bit(2);

        comment!("The walker: a visit when no op comes, and after 16 ops in a row.");
        if take {
            self.ops = self.ops + 1;
            self.visit_due = self.ops.all();
        }
        if visit {
            self.ops = 0;
            self.visit_due = false;
            self.walker = self.walker + 1;
        }
        self.is_ready = (finish & !self.visit_due) | clear_done;
        self.is_forced = finish & self.visit_due;
        self.is_done = finish;

        if self.is_ready | self.is_forced {
            self.connection = self.op_conn;
            if visit {
                self.connection = self.walker;
            }
            self.visits = visit;
            self.sent = take & (self.op_kind == 0);
            self.ack = take & (self.op_kind == 1);
            self.next_rtx = take & (self.op_kind == 2);
            self.init = take & (self.op_kind == 3);
            self.read = take & self.op_kind.get_bit(2) & (self.op_kind != 6);
            self.close = take & (self.op_kind == 5);
            self.nack = take & (self.op_kind == 6);
        }
        if self.is_clearing {
            self.connection = self.connection + 1;
        }
        self.is_clearing = self.is_clearing & !clear_done;

        let is_long = self.ack | self.nack | (self.visits & self.times_out);
        let searches = self.next_rtx & self.recovering;
        let mut next_step = self.at << 1;
        next_step = next_step.replace_bit(0, self.is_ready | self.is_forced);
        next_step = next_step.replace_bit(7, self.at.get_bit(6) & is_long);
        next_step = next_step.replace_bit(10, self.at.get_bit(9) & self.walks);
        self.at = next_step;
        self.after_walk = (self.after_walk << 1) | bit_cast::<3, 1>(self.last_word.into());

        self.ready = self.is_ready;
        self.starts = self.is_ready | self.is_forced;
        self.conn = self.connection;
        self.clearing = self.is_clearing;
        self.is_sent = self.sent;
        self.is_ack = self.ack;
        self.is_next_rtx = self.next_rtx;
        self.is_init = self.init;
        self.is_nack = self.nack;
        self.is_read = self.read;
        self.is_close = self.close;
        self.is_visit = self.visits;
        self.step = self.at;
        self.prime = (self.init & self.at.get_bit(1)) | (searches & self.at.get_bit(2)) | self.at.get_bit(8);
        self.start = (self.init & self.at.get_bit(2))
            | (searches & self.at.get_bit(3))
            | (self.at.get_bit(9) & self.walks);
        self.settle = self.after_walk.get_bit(2);
        self.done = self.is_done;
    }
}
