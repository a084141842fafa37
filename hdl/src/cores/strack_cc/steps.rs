//! The state machine: which op is in work, and which step it is in.

use respray_hdl_macros::hdl_gen;
use rust_hdl::prelude::*;

use crate::comment;

/// Takes an op and leads it through its steps, one flag a step.
///
/// ```text
///  read, idle,
///  refused ack     1 ─ 2 ─ 3 ─ done                                                  4
///  init            1 ─ 2 ─ 3 ─ 8 ─ 9 ─ clamp ─ done                                  7
///  ack, hold       1 ─ … ─ 13 ─ fair ─ clamp ─ done                                  16
///       achieved   1 ─ … ─ 13 ─ take ─ fair ─ clamp ─ done                           17
///       increase   1 ─ … ─ 8 ─ divide, 24 cycles ─ grow ─ fair ─ clamp ─ done        36
///       multiply   1 ─ … ─ 13 ─ load ─ divide, 16 cycles ─ cut 1 ─ … ─ cut 6
///                                                       ─ fair ─ clamp ─ done        39
///  rst             clear, a cycle per connection
/// ```
///
/// In `done` the result stands at the ports, the last word is written, and the next op may be taken.
#[derive(LogicBlock, Default)]
pub struct Steps<const C: usize> {
    pub clk: Signal<In, Clock>,
    pub rst: Signal<In, bool>,
    pub op_valid: Signal<In, bool>,
    pub op_kind: Signal<In, Bits<3>>,
    pub op_conn: Signal<In, Bits<C>>,
    /// Step 3: the connection is not initialised, or the MTU is out of range.
    pub refused: Signal<In, bool>,
    /// Step 8: the window grows by a quotient.
    pub grows: Signal<In, bool>,
    /// Step 13: the window becomes what was achieved; it becomes a fraction of itself.
    pub takes: Signal<In, bool>,
    pub cuts: Signal<In, bool>,

    pub ready: Signal<Out, bool>,
    /// Connection in work; while clearing, the one to clear.
    pub conn: Signal<Out, Bits<C>>,
    pub clearing: Signal<Out, bool>,
    pub is_ack: Signal<Out, bool>,
    pub is_init: Signal<Out, bool>,
    /// Steps 1 to 13 in bits 0 to 12.
    pub step: Signal<Out, Bits<13>>,
    /// The quotient is for a cut; the divider is loaded for it.
    pub is_cut: Signal<Out, bool>,
    pub load: Signal<Out, bool>,
    pub dividing: Signal<Out, bool>,
    pub take: Signal<Out, bool>,
    pub grow: Signal<Out, bool>,
    /// Steps cut 1 to cut 6 in bits 0 to 5.
    pub cut: Signal<Out, Bits<6>>,
    pub fair: Signal<Out, bool>,
    pub clamp: Signal<Out, bool>,
    /// The window is written.
    pub done: Signal<Out, bool>,
    pub res_valid: Signal<Out, bool>,
    pub res_status: Signal<Out, Bits<3>>,

    starts: Signal<Local, bool>,
    early: Signal<Local, bool>,
    divided: Signal<Local, bool>,
    clear_done: Signal<Local, bool>,
    next_step: Signal<Local, Bits<13>>,

    is_ready: DFF<bool>,
    connection: DFF<Bits<C>>,
    is_clearing: DFF<bool>,
    read: DFF<bool>,
    ack: DFF<bool>,
    init: DFF<bool>,
    at: DFF<Bits<13>>,
    in_load: DFF<bool>,
    in_divide: DFF<bool>,
    left: DFF<Bits<5>>,
    for_cut: DFF<bool>,
    in_take: DFF<bool>,
    in_grow: DFF<bool>,
    in_cut: DFF<Bits<6>>,
    in_fair: DFF<bool>,
    in_clamp: DFF<bool>,
    in_done: DFF<bool>,
    result: DFF<bool>,
    is_refused: DFF<bool>,
}

impl<const C: usize> Logic for Steps<C> {
    #[hdl_gen]
    fn update(&mut self) {
        comment!("module steps: which op is in work, and which step it is in, one flag a step");
        dff_setup!(self, clk, is_ready, connection, is_clearing, read, ack, init, at, in_load, in_divide);
        dff_setup!(self, clk, left, for_cut, in_take, in_grow, in_cut, in_fair, in_clamp, in_done);
        dff_setup!(self, clk, result, is_refused);
        self.starts.next = self.is_ready.q.val() & self.op_valid.val();
        comment!("The op is done in its third step already: it reads, changes nothing, or is refused.");
        self.early.next =
            self.at.q.val().get_bit(2) & !self.init.q.val() & (!self.ack.q.val() | self.refused.val());
        self.divided.next = self.in_divide.q.val() & !self.left.q.val().any();
        self.clear_done.next = self.is_clearing.q.val() & self.connection.q.val().all();

        if self.starts.val() {
            self.connection.d.next = self.op_conn.val();
            self.read.d.next = self.op_kind.val() == 0;
            self.ack.d.next = self.op_kind.val() == 1;
            self.init.d.next = self.op_kind.val() == 4;
        }
        if self.is_clearing.q.val() {
            self.connection.d.next = self.connection.q.val() + 1;
        }
        self.is_clearing.d.next = self.is_clearing.q.val() & !self.clear_done.val();

        self.next_step.next = self.at.q.val() << 1;
        self.next_step.next = self.next_step.val().replace_bit(0, self.starts.val());
        self.next_step.next = self
            .next_step
            .val()
            .replace_bit(3, self.at.q.val().get_bit(2) & self.ack.q.val() & !self.refused.val());
        self.next_step.next = self
            .next_step
            .val()
            .replace_bit(7, self.at.q.val().get_bit(6) | (self.at.q.val().get_bit(2) & self.init.q.val()));
        self.next_step.next = self
            .next_step
            .val()
            .replace_bit(9, self.at.q.val().get_bit(8) & self.ack.q.val() & !self.in_divide.q.val());
        self.at.d.next = self.next_step.val();

        comment!("The division takes as many cycles as the quotient has bits.");
        self.in_load.d.next = self.at.q.val().get_bit(12) & self.cuts.val();
        self.in_divide.d.next = (self.at.q.val().get_bit(7) & self.grows.val())
            | self.in_load.q.val()
            | (self.in_divide.q.val() & !self.divided.val());
        self.left.d.next = self.left.q.val() - 1;
        if self.in_load.q.val() {
            self.left.d.next = 15.into();
        }
        if self.at.q.val().get_bit(7) {
            self.left.d.next = 23.into();
        }
        if self.at.q.val().get_bit(12) {
            self.for_cut.d.next = self.cuts.val();
        }
        if self.at.q.val().get_bit(0) {
            self.for_cut.d.next = false;
        }

        self.in_take.d.next = self.at.q.val().get_bit(12) & self.takes.val();
        self.in_grow.d.next = self.divided.val() & !self.for_cut.q.val();
        self.in_cut.d.next =
            (self.in_cut.q.val() << 1) | bit_cast::<6, 1>((self.divided.val() & self.for_cut.q.val()).into());
        self.in_fair.d.next = (self.at.q.val().get_bit(12) & !self.takes.val() & !self.cuts.val())
            | self.in_take.q.val()
            | self.in_grow.q.val()
            | self.in_cut.q.val().get_bit(5);
        self.in_clamp.d.next = self.in_fair.q.val() | (self.at.q.val().get_bit(8) & self.init.q.val());
        self.in_done.d.next = self.in_clamp.q.val();
        self.is_ready.d.next = (self.is_ready.q.val() & !self.op_valid.val())
            | self.early.val()
            | self.in_clamp.q.val()
            | self.clear_done.val();
        self.result.d.next = (self.early.val() & (self.read.q.val() | self.ack.q.val()))
            | (self.in_clamp.q.val() & self.ack.q.val());
        if self.at.q.val().get_bit(2) {
            self.is_refused.d.next = self.refused.val();
        }

        self.ready.next = self.is_ready.q.val();
        self.conn.next = self.connection.q.val();
        self.clearing.next = self.is_clearing.q.val();
        self.is_ack.next = self.ack.q.val();
        self.is_init.next = self.init.q.val();
        self.step.next = self.at.q.val();
        self.is_cut.next = self.for_cut.q.val();
        self.load.next = self.in_load.q.val();
        self.dividing.next = self.in_divide.q.val();
        self.take.next = self.in_take.q.val();
        self.grow.next = self.in_grow.q.val();
        self.cut.next = self.in_cut.q.val();
        self.fair.next = self.in_fair.q.val();
        self.clamp.next = self.in_clamp.q.val();
        self.done.next = self.in_done.q.val();
        self.res_valid.next = self.result.q.val();
        self.res_status.next = 0.into();
        if self.is_refused.q.val() {
            self.res_status.next = 7.into();
        }

        if self.rst.val() {
            self.is_ready.d.next = false;
            self.connection.d.next = 0.into();
            self.is_clearing.d.next = true;
            self.at.d.next = 0.into();
            self.in_load.d.next = false;
            self.in_divide.d.next = false;
            self.in_take.d.next = false;
            self.in_grow.d.next = false;
            self.in_cut.d.next = 0.into();
            self.in_fair.d.next = false;
            self.in_clamp.d.next = false;
            self.in_done.d.next = false;
            self.result.d.next = false;
        }
    }
}
