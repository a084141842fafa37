//! The state machine: which op or visit is in work, and which step it is in.

use respray_hdl_macros::hdl_gen;
use rust_hdl::prelude::*;

use crate::comment;

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
#[derive(LogicBlock, Default)]
pub struct Steps<const C: usize> {
    pub clk: Signal<In, Clock>,
    pub rst: Signal<In, bool>,
    pub op_valid: Signal<In, bool>,
    pub op_kind: Signal<In, Bits<3>>,
    pub op_conn: Signal<In, Bits<C>>,
    /// From step 8 on: the SACK changes nothing.
    pub refused: Signal<In, bool>,
    /// The walk is at its last word.
    pub last_word: Signal<In, bool>,

    pub ready: Signal<Out, bool>,
    /// An op or a visit begins.
    pub starts: Signal<Out, bool>,
    /// Connection in work; while clearing, the word to clear.
    pub conn: Signal<Out, Bits<C>>,
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
    pub visit_conn: Signal<Out, Bits<C>>,
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
    pub tail_conn: Signal<Out, Bits<C>>,
    pub tail_is_sent: Signal<Out, bool>,
    pub tail_is_sack: Signal<Out, bool>,
    pub tail_is_init: Signal<Out, bool>,
    pub tail_is_of_una: Signal<Out, bool>,

    take: Signal<Local, bool>,
    visit: Signal<Local, bool>,
    finish: Signal<Local, bool>,
    clear_done: Signal<Local, bool>,
    next_step: Signal<Local, Bits<10>>,
    settled: Signal<Local, bool>,

    is_ready: DFF<bool>,
    is_forced: DFF<bool>,
    visit_due: DFF<bool>,
    ops: DFF<Bits<4>>,
    walker: DFF<Bits<C>>,
    connection: DFF<Bits<C>>,
    is_clearing: DFF<bool>,
    sent: DFF<bool>,
    sack: DFF<bool>,
    next_rtx: DFF<bool>,
    init: DFF<bool>,
    read: DFF<bool>,
    close: DFF<bool>,
    visits: DFF<bool>,
    at: DFF<Bits<10>>,
    after_walk: DFF<Bits<3>>,
    is_done: DFF<bool>,
    shows_op: DFF<bool>,
    shows_events: DFF<bool>,
    tail_connection: DFF<Bits<C>>,
    tail_sent: DFF<bool>,
    tail_sack: DFF<bool>,
    tail_init: DFF<bool>,
    tail_of_una: DFF<bool>,
}

impl<const C: usize> Logic for Steps<C> {
    #[hdl_gen]
    fn update(&mut self) {
        comment!("module steps: which op or visit is in work, and which step it is in, one flag a step");
        dff_setup!(self, clk, is_ready, is_forced, visit_due, ops, walker, connection, is_clearing);
        dff_setup!(self, clk, sent, sack, next_rtx, init, read, close, visits, at, after_walk, is_done);
        dff_setup!(self, clk, shows_op, shows_events);
        dff_setup!(self, clk, tail_connection, tail_sent, tail_sack, tail_init, tail_of_una);
        self.take.next = self.is_ready.q.val() & self.op_valid.val();
        self.visit.next = (self.is_ready.q.val() & !self.op_valid.val()) | self.is_forced.q.val();
        self.clear_done.next = self.is_clearing.q.val() & self.connection.q.val().all();
        self.finish.next = (self.at.q.val().get_bit(3) & (self.sent.q.val() | self.read.q.val()))
            | (self.at.q.val().get_bit(4) & self.visits.q.val())
            | (self.at.q.val().get_bit(9) & self.refused.val())
            | self.after_walk.q.val().get_bit(2);

        comment!("The walker: a visit when no op comes, and after 16 ops in a row.");
        if self.take.val() {
            self.ops.d.next = self.ops.q.val() + 1;
            self.visit_due.d.next = self.ops.q.val().all();
        }
        if self.visit.val() {
            self.ops.d.next = 0.into();
            self.visit_due.d.next = false;
            self.walker.d.next = self.walker.q.val() + 1;
        }
        self.is_ready.d.next = (self.finish.val() & !self.visit_due.q.val()) | self.clear_done.val();
        self.is_forced.d.next = self.finish.val() & self.visit_due.q.val();
        self.is_done.d.next = self.finish.val();

        if self.is_ready.q.val() | self.is_forced.q.val() {
            self.connection.d.next = self.op_conn.val();
            if self.visit.val() {
                self.connection.d.next = self.walker.q.val();
            }
            self.visits.d.next = self.visit.val();
            self.sent.d.next = self.take.val() & (self.op_kind.val() == 0);
            self.sack.d.next = self.take.val() & (self.op_kind.val() == 1);
            self.next_rtx.d.next = self.take.val() & (self.op_kind.val() == 2);
            self.init.d.next = self.take.val() & (self.op_kind.val() == 3);
            self.read.d.next = self.take.val() & self.op_kind.val().get_bit(2);
            self.close.d.next = self.take.val() & (self.op_kind.val() == 5);
        }
        if self.is_clearing.q.val() {
            self.connection.d.next = self.connection.q.val() + 1;
        }
        self.is_clearing.d.next = self.is_clearing.q.val() & !self.clear_done.val();

        self.next_step.next = self.at.q.val() << 1;
        self.next_step.next =
            self.next_step.val().replace_bit(0, self.is_ready.q.val() | self.is_forced.q.val());
        comment!("Beside a step 1 stands step 6 of the op before.");
        self.next_step.next = self
            .next_step
            .val()
            .replace_bit(6, self.at.q.val().get_bit(5) & !self.at.q.val().get_bit(0) & !self.visits.q.val());
        self.shows_op.d.next = self.at.q.val().get_bit(5) & self.at.q.val().get_bit(0);
        self.shows_events.d.next =
            self.at.q.val().get_bit(5) & !self.at.q.val().get_bit(0) & self.visits.q.val();
        self.next_step.next =
            self.next_step.val().replace_bit(7, self.at.q.val().get_bit(6) & self.sack.q.val());
        self.at.d.next = self.next_step.val();
        self.after_walk.d.next =
            (self.after_walk.q.val() << 1) | bit_cast::<3, 1>(self.last_word.val().into());

        self.settled.next = !self.at.q.val().get_bit(0) & !self.at.q.val().get_bit(1);
        if self.settled.val() {
            self.tail_connection.d.next = self.connection.q.val();
            self.tail_sent.d.next = self.sent.q.val();
            self.tail_sack.d.next = self.sack.q.val();
            self.tail_init.d.next = self.init.q.val();
            self.tail_of_una.d.next = self.visits.q.val() | self.read.q.val();
        }

        self.ready.next = self.is_ready.q.val();
        self.starts.next = self.is_ready.q.val() | self.is_forced.q.val();
        self.conn.next = self.connection.q.val();
        self.clearing.next = self.is_clearing.q.val();
        self.is_sent.next = self.sent.q.val();
        self.is_sack.next = self.sack.q.val();
        self.is_next_rtx.next = self.next_rtx.q.val();
        self.is_init.next = self.init.q.val();
        self.is_read.next = self.read.q.val();
        self.is_close.next = self.close.q.val();
        self.is_visit.next = self.visits.q.val();
        self.step.next = self.at.q.val();
        self.settle.next = self.after_walk.q.val().get_bit(2);
        self.done.next = self.is_done.q.val();
        self.visit_conn.next = self.walker.q.val();
        self.shows.next = self.shows_op.q.val();
        self.shows_visit.next = self.shows_events.q.val();
        self.tail_conn.next = self.tail_connection.q.val();
        self.tail_is_sent.next = self.tail_sent.q.val();
        self.tail_is_sack.next = self.tail_sack.q.val();
        self.tail_is_init.next = self.tail_init.q.val();
        self.tail_is_of_una.next = self.tail_of_una.q.val();

        if self.rst.val() {
            self.is_ready.d.next = false;
            self.is_forced.d.next = false;
            self.visit_due.d.next = false;
            self.ops.d.next = 0.into();
            self.walker.d.next = 0.into();
            self.connection.d.next = 0.into();
            self.is_clearing.d.next = true;
            self.at.d.next = 0.into();
            self.after_walk.d.next = 0.into();
            self.is_done.d.next = false;
            self.shows_op.d.next = false;
            self.shows_events.d.next = false;
        }
    }
}
