//! The state machine: which step an op is in.

use respray_hdl_macros::{LogicBlock, Part, hdl_gen};
use rust_hdl::prelude::*;

use crate::comment;
use crate::prims::{Optional, Param};

/// Takes an op and leads it through its steps, one flag per step.
///
/// ```text
///  packet ──► fetch ─► compare ─► decide ─► look ─► finish ──► done: write, result, ready
///                                            ▲────────┘ again: the run of received packets goes on
///  init ────► fill, a cycle per bit of the window ──────────► done: write, ready
///  close ───► close: write ─────────────────────────────────► ready
///  rst ─────► clear, a cycle per connection ────────────────► ready
/// ```
#[derive(LogicBlock, Default, Part)]
pub struct Steps<const CONN: usize> {
    pub clk: Signal<In, Clock>,
    pub rst: Signal<In, bool>,
    pub op_valid: Signal<In, bool>,
    pub op_is_init: Signal<In, bool>,
    pub op_is_close: Signal<In, bool>,
    pub op_conn: Signal<In, Bits<CONN>>,
    /// Finish: the run of received packets goes on in the next segment.
    pub again: Signal<In, bool>,
    /// Finish: the packet changes nothing.
    pub refused: Signal<In, bool>,
    /// Finish: a SACK is due.
    pub sack_due: Signal<In, bool>,
    /// Fill: the last bit.
    pub filled: Signal<In, bool>,

    pub ready: Signal<Out, bool>,
    /// Connection of the op; while clearing, the word to clear.
    pub conn: Signal<Out, Bits<CONN>>,
    pub clearing: Signal<Out, bool>,
    pub compare: Signal<Out, bool>,
    pub decide: Signal<Out, bool>,
    pub look: Signal<Out, bool>,
    pub finish: Signal<Out, bool>,
    pub fill: Signal<Out, bool>,
    /// The connection is marked as not initialised.
    pub close: Signal<Out, bool>,
    /// The control RAM is written.
    pub write: Signal<Out, bool>,
    pub res_valid: Signal<Out, bool>,
    pub sack_valid: Signal<Out, bool>,
    /// With parity: the state and the packet's word are read.
    pub fetch: Optional<Signal<Out, bool>>,
    has_parity: Param<bool>,

    take: Signal<Local, bool>,
    done: Signal<Local, bool>,
    fill_done: Signal<Local, bool>,
    clear_done: Signal<Local, bool>,

    is_ready: DFF<bool>,
    connection: DFF<Bits<CONN>>,
    is_clearing: DFF<bool>,
    in_fetch: DFF<bool>,
    in_compare: DFF<bool>,
    in_decide: DFF<bool>,
    in_look: DFF<bool>,
    in_finish: DFF<bool>,
    in_fill: DFF<bool>,
    in_close: DFF<bool>,
    changed: DFF<bool>,
    result: DFF<bool>,
    sack: DFF<bool>,
}

impl<const CONN: usize> Steps<CONN> {
    /// The block, for words with parity or without.
    pub fn new(has_parity: bool) -> Self {
        Self {
            fetch: Optional::new(has_parity, Default::default),
            has_parity: Param::new(has_parity),
            ..Default::default()
        }
    }
}

impl<const CONN: usize> Logic for Steps<CONN> {
    #[hdl_gen]
    fn update(&mut self) {
        comment!("module steps: which step the op is in, one flag a step");
        dff_setup!(self, clk, is_ready, connection, is_clearing, in_fetch, in_compare, in_decide);
        dff_setup!(self, clk, in_look, in_finish, in_fill, in_close, changed, result, sack);
        self.take.next = self.op_valid.val() & self.is_ready.q.val();
        self.done.next = self.in_finish.q.val() & !self.again.val();
        self.fill_done.next = self.in_fill.q.val() & self.filled.val();
        self.clear_done.next = self.is_clearing.q.val() & self.connection.q.val().all();

        if self.take.val() {
            self.connection.d.next = self.op_conn.val();
        }
        if self.is_clearing.q.val() {
            self.connection.d.next = self.connection.q.val() + 1;
        }
        self.is_clearing.d.next = self.is_clearing.q.val() & !self.clear_done.val();
        self.in_fetch.d.next = self.take.val() & !self.op_is_init.val() & !self.op_is_close.val();
        self.in_close.d.next = self.take.val() & self.op_is_close.val();
        self.in_compare.d.next = self.in_fetch.q.val();
        self.in_decide.d.next = self.in_compare.q.val();
        self.in_look.d.next = self.in_decide.q.val() | (self.in_finish.q.val() & self.again.val());
        self.in_finish.d.next = self.in_look.q.val();
        self.in_fill.d.next =
            (self.take.val() & self.op_is_init.val()) | (self.in_fill.q.val() & !self.filled.val());
        self.is_ready.d.next = (self.is_ready.q.val() & !self.op_valid.val())
            | self.done.val()
            | self.fill_done.val()
            | self.in_close.q.val()
            | self.clear_done.val();
        self.changed.d.next = (self.done.val() & !self.refused.val()) | self.fill_done.val();
        self.result.d.next = self.done.val();
        self.sack.d.next = self.done.val() & self.sack_due.val();

        self.ready.next = self.is_ready.q.val();
        self.conn.next = self.connection.q.val();
        self.clearing.next = self.is_clearing.q.val();
        self.compare.next = self.in_compare.q.val();
        self.decide.next = self.in_decide.q.val();
        self.look.next = self.in_look.q.val();
        self.finish.next = self.in_finish.q.val();
        self.fill.next = self.in_fill.q.val();
        self.close.next = self.in_close.q.val();
        self.write.next = self.changed.q.val() | self.in_close.q.val() | self.is_clearing.q.val();
        self.res_valid.next = self.result.q.val();
        self.sack_valid.next = self.sack.q.val();
        if self.has_parity.val() {
            self.fetch.next = self.in_fetch.q.val();
        }

        if self.rst.val() {
            self.is_ready.d.next = false;
            self.connection.d.next = 0.into();
            self.is_clearing.d.next = true;
            self.in_fetch.d.next = false;
            self.in_compare.d.next = false;
            self.in_decide.d.next = false;
            self.in_look.d.next = false;
            self.in_finish.d.next = false;
            self.in_fill.d.next = false;
            self.in_close.d.next = false;
            self.changed.d.next = false;
            self.result.d.next = false;
            self.sack.d.next = false;
        }
    }
}
