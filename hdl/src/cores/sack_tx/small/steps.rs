//! The state machine: which op or visit is in work, and which step it is in.

use respray_hdl_macros::hdl_gen;
use rust_hdl::prelude::*;

use crate::comment;

/// Takes an op, or begins a visit, and leads it through its steps, one flag a step.
///
/// ```text
///  sent      1 ─ … ─ 7 = done                            7
///  read      1 ─ … ─ 7 = done, and close                 7
///  visit     1 ─ … ─ 7 ─ done                            8
///  sack      1 ─ … ─ 10 ─ done, if refused               11
///                  5 ─ walk, a cycle a word ─ 4 ─ done   17 and more
///  next_rtx  1 ─ walk ─ 4 ─ done
///  init      1 ─ walk ─ 4 ─ done
///  rst       clear, a cycle per connection
/// ```
///
/// An op or a visit begins in every cycle in which the engine is free, so that it is free for one cycle at a time.
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
    /// Steps 1 to 13 in bits 0 to 12; from 8 on of a SACK only.
    pub step: Signal<Out, Bits<13>>,
    /// Last cycle before `done` of what walks.
    pub settle: Signal<Out, bool>,
    pub done: Signal<Out, bool>,

    take: Signal<Local, bool>,
    visit: Signal<Local, bool>,
    finish: Signal<Local, bool>,
    clear_done: Signal<Local, bool>,
    next_step: Signal<Local, Bits<13>>,

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
    at: DFF<Bits<13>>,
    after_walk: DFF<Bits<3>>,
    is_done: DFF<bool>,
}

impl<const C: usize> Logic for Steps<C> {
    #[hdl_gen]
    fn update(&mut self) {
        comment!("module steps: which op or visit is in work, and which step it is in, one flag a step");
        dff_setup!(self, clk, is_ready, is_forced, visit_due, ops, walker, connection, is_clearing);
        dff_setup!(self, clk, sent, sack, next_rtx, init, read, close, visits, at, after_walk, is_done);
        self.take.next = self.is_ready.q.val() & self.op_valid.val();
        self.visit.next = (self.is_ready.q.val() & !self.op_valid.val()) | self.is_forced.q.val();
        self.clear_done.next = self.is_clearing.q.val() & self.connection.q.val().all();
        self.finish.next = (self.at.q.val().get_bit(5) & (self.sent.q.val() | self.read.q.val()))
            | (self.at.q.val().get_bit(6) & self.visits.q.val())
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
        self.next_step.next =
            self.next_step.val().replace_bit(7, self.at.q.val().get_bit(6) & self.sack.q.val());
        self.next_step.next =
            self.next_step.val().replace_bit(10, self.at.q.val().get_bit(9) & !self.refused.val());
        self.at.d.next = self.next_step.val();
        self.after_walk.d.next =
            (self.after_walk.q.val() << 1) | bit_cast::<3, 1>(self.last_word.val().into());

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
        }
    }
}
