//! The state machine: which op or visit is in work, and which step it is in.

use respray_hdl_macros::block;
use rust_hdl::prelude::*;

use crate::comment;
use crate::prims::Reg;

/// Takes an op, or begins a visit, and leads it through its steps, one flag a step.
///
/// ```text
///  sent      1 ─ … ─ 5 = done ─ 6 ─ 7 = shows             5
///  read      1 ─ … ─ 5 = done ─ 6 ─ 7 = shows, and close  5
///  visit     1 ─ … ─ 6 = done ─ 7 = shows_visit           6
///  sack      1 ─ … ─ 10 ─ done, if refused               11
///                  5 ─ walk, a cycle a word ─ 4 ─ done   13 and more
///  next_rtx  1 ─ walk ─ 4 ─ done
///  init      1 ─ walk ─ 4 ─ done
///  rst       clear, a cycle per connection
/// ```
///
/// In the cycle `done` the control word is written, so that whatever begins then may read it; of a close in step 3, because its result
/// reads the word's PSNs at steps 5 and 6. An op or a visit begins in every
/// cycle in which the engine is free, so that it is free for one cycle at a time.
///
/// Bytes, times and results of an op come up to two cycles after `done`, beside the first two steps of what follows. What they need to
/// know of their op is in the `tail_...`, which hold it until step 3 of the next one.
#[block]
pub struct Steps<const CONN: usize> {
    pub op_valid: Signal<In, bool>,
    pub op_kind: Signal<In, Bits<3>>,
    pub op_conn: Signal<In, Bits<CONN>>,
    /// From step 8 on: the SACK changes nothing.
    pub refused: Signal<In, bool>,
    /// The walk is at its last word.
    pub last_word: Signal<In, bool>,

    pub ready: Signal<Out, bool>,
    /// An op or a visit begins.
    pub starts: Signal<Out, bool>,
    /// Connection in work; while clearing, the word to clear.
    pub conn: Signal<Out, Bits<CONN>>,
    pub clearing: Signal<Out, bool>,
    pub is_sent: Signal<Out, bool>,
    pub is_sack: Signal<Out, bool>,
    pub is_next_rtx: Signal<Out, bool>,
    pub is_init: Signal<Out, bool>,
    /// It asks where the connection stands: `read` or `close`.
    pub is_read: Signal<Out, bool>,
    pub is_close: Signal<Out, bool>,
    pub is_visit: Signal<Out, bool>,
    /// Connection of the next visit.
    pub visit_conn: Signal<Out, Bits<CONN>>,
    /// Steps 1 to 10 in bits 0 to 9; step 6 of a packet sent or of `read` stands beside step 1 of what follows, step 7 is no step
    /// of theirs or of a visit, and from 8 on all are of a SACK.
    pub step: Signal<Out, Bits<10>>,
    /// Last cycle before `done` of what walks.
    pub settle: Signal<Out, bool>,
    /// The next op or visit begins; after this cycle what is stored is that of the op.
    pub done: Signal<Out, bool>,
    /// The result of a packet sent or of `read` is shown; the events of a visit are.
    pub shows: Signal<Out, bool>,
    pub shows_visit: Signal<Out, bool>,
    /// From step 4 on, until step 3 of what follows: connection and kind.
    pub tail_conn: Signal<Out, Bits<CONN>>,
    pub tail_is_sent: Signal<Out, bool>,
    pub tail_is_sack: Signal<Out, bool>,
    pub tail_is_init: Signal<Out, bool>,
    pub tail_is_of_una: Signal<Out, bool>,

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
    sack: Reg<bool>,
    next_rtx: Reg<bool>,
    init: Reg<bool>,
    read: Reg<bool>,
    close: Reg<bool>,
    visits: Reg<bool>,
    #[reset = 0]
    at: Reg<Bits<10>>,
    #[reset = 0]
    after_walk: Reg<Bits<3>>,
    #[reset = false]
    is_done: Reg<bool>,
    #[reset = false]
    shows_op: Reg<bool>,
    #[reset = false]
    shows_events: Reg<bool>,
    tail_connection: Reg<Bits<CONN>>,
    tail_sent: Reg<bool>,
    tail_sack: Reg<bool>,
    tail_init: Reg<bool>,
    tail_of_una: Reg<bool>,
}

#[block]
impl<const CONN: usize> Steps<CONN> {
    fn update(&mut self) {
        comment!("module steps: which op or visit is in work, and which step it is in, one flag a step");
        let take = self.is_ready & self.op_valid;
        let visit = (self.is_ready & !self.op_valid) | self.is_forced;
        let clear_done = self.is_clearing & self.connection.all();
        let finish = (self.at.get_bit(3) & (self.sent | self.read))
            | (self.at.get_bit(4) & self.visits)
            | (self.at.get_bit(9) & self.refused)
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
            self.sack = take & (self.op_kind == 1);
            self.next_rtx = take & (self.op_kind == 2);
            self.init = take & (self.op_kind == 3);
            self.read = take & self.op_kind.get_bit(2);
            self.close = take & (self.op_kind == 5);
        }
        if self.is_clearing {
            self.connection = self.connection + 1;
        }
        self.is_clearing = self.is_clearing & !clear_done;

        let mut next_step = self.at << 1;
        next_step = next_step.replace_bit(0, self.is_ready | self.is_forced);
        comment!("Beside a step 1 stands step 6 of the op before.");
        next_step = next_step.replace_bit(6, self.at.get_bit(5) & !self.at.get_bit(0) & !self.visits);
        self.shows_op = self.at.get_bit(5) & self.at.get_bit(0);
        self.shows_events = self.at.get_bit(5) & !self.at.get_bit(0) & self.visits;
        next_step = next_step.replace_bit(7, self.at.get_bit(6) & self.sack);
        self.at = next_step;
        self.after_walk = (self.after_walk << 1) | bit_cast::<3, 1>(self.last_word.into());

        let settled = !self.at.get_bit(0) & !self.at.get_bit(1);
        if settled {
            self.tail_connection = self.connection;
            self.tail_sent = self.sent;
            self.tail_sack = self.sack;
            self.tail_init = self.init;
            self.tail_of_una = self.visits | self.read;
        }

        self.ready = self.is_ready;
        self.starts = self.is_ready | self.is_forced;
        self.conn = self.connection;
        self.clearing = self.is_clearing;
        self.is_sent = self.sent;
        self.is_sack = self.sack;
        self.is_next_rtx = self.next_rtx;
        self.is_init = self.init;
        self.is_read = self.read;
        self.is_close = self.close;
        self.is_visit = self.visits;
        self.step = self.at;
        self.settle = self.after_walk.get_bit(2);
        self.done = self.is_done;
        self.visit_conn = self.walker;
        self.shows = self.shows_op;
        self.shows_visit = self.shows_events;
        self.tail_conn = self.tail_connection;
        self.tail_is_sent = self.tail_sent;
        self.tail_is_sack = self.tail_sack;
        self.tail_is_init = self.tail_init;
        self.tail_is_of_una = self.tail_of_una;
    }
}
