//! Takes ops, and keeps those of one connection apart.

use respray_hdl_macros::hdl_gen;
use rust_hdl::prelude::*;

use crate::comment;

/// Which op is in which stage.
///
/// ```text
///  op_* ──► 0 hold ─► 1 compare ─► 2 decide ─► 3 choose ─► 4 mask ─► 5 search ─► 6 finish ─► 7 result
/// ```
///
/// An op waits in stage 0 while one of its connection is in stages 1 to 6: stage 0 reads what stage 6 writes. It is compared
/// with the stages while it is taken, so that `ready` is a register; at most one of them can have its connection.
/// `init` keeps all others out until the bitmap is written.
#[derive(LogicBlock, Default)]
pub struct Interlock<const C: usize> {
    pub clk: Signal<In, Clock>,
    pub rst: Signal<In, bool>,
    pub op_valid: Signal<In, bool>,
    pub op_is_init: Signal<In, bool>,
    pub op_is_close: Signal<In, bool>,
    pub op_conn: Signal<In, Bits<C>>,
    /// Fill: the last bit.
    pub filled: Signal<In, bool>,

    pub ready: Signal<Out, bool>,
    /// Stage 0, and of an `init` until its bits are written.
    pub conn: Signal<Out, Bits<C>>,
    /// Stage 2: connection; there is a packet, an `init`, or a `close`.
    pub decide_conn: Signal<Out, Bits<C>>,
    pub decide_packet: Signal<Out, bool>,
    pub decide_init: Signal<Out, bool>,
    pub decide_close: Signal<Out, bool>,
    /// Stage 1 holds an `init`.
    pub compare_init: Signal<Out, bool>,
    pub choose_conn: Signal<Out, Bits<C>>,
    /// `init` writes bits, from its stage 2 on.
    pub fill: Signal<Out, bool>,
    /// Stage 6: there is an op, or a connection is cleared.
    pub finish_any: Signal<Out, bool>,
    pub finish_clear: Signal<Out, bool>,
    pub finish_conn: Signal<Out, Bits<C>>,
    /// Stage 7: there is a packet.
    pub result_packet: Signal<Out, bool>,
    pub result_conn: Signal<Out, Bits<C>>,

    take: Signal<Local, bool>,
    take_init: Signal<Local, bool>,
    clear_done: Signal<Local, bool>,
    waits: Signal<Local, Bits<6>>,
    same: Signal<Local, bool>,
    held: Signal<Local, bool>,
    filling_on: Signal<Local, bool>,
    clearing_on: Signal<Local, bool>,

    is_ready: DFF<bool>,
    /// The op in stage 0 has the connection of the one in stage `i + 1`; the younger that is, the lower its bit.
    ahead: DFF<Bits<6>>,
    /// One of them is set: the op stays.
    holds: DFF<bool>,
    live: [DFF<bool>; 8],
    is_init: [DFF<bool>; 8],
    is_close: [DFF<bool>; 8],
    conns: [DFF<Bits<C>>; 8],
    /// An `init` was taken, and not all of its bits are written.
    pending: DFF<bool>,
    filling: DFF<bool>,
    is_clearing: DFF<bool>,
    clears: DFF<bool>,
}

impl<const C: usize> Logic for Interlock<C> {
    #[hdl_gen]
    fn update(&mut self) {
        comment!("module interlock: which op is in which stage, and which has to wait");
        dff_setup!(self, clk, is_ready, ahead, holds, pending, filling, is_clearing, clears);
        for i in 0..8 {
            self.live[i].clock.next = self.clk.val();
            self.is_init[i].clock.next = self.clk.val();
            self.is_close[i].clock.next = self.clk.val();
            self.conns[i].clock.next = self.clk.val();
        }
        self.take.next = self.op_valid.val() & self.is_ready.q.val();
        self.take_init.next = self.take.val() & self.op_is_init.val();
        self.clear_done.next = self.is_clearing.q.val() & self.conns[0].q.val().all();

        comment!(
            "Stages that hold the connection of the op at the inputs, or, if one waits, of that one: a stage on."
        );
        self.waits.next = 0.into();
        for i in 0..6 {
            self.same.next =
                self.take.val() & self.live[i].q.val() & (self.conns[i].q.val() == self.op_conn.val());
            self.waits.next = self.waits.val().replace_bit(i, self.same.val());
        }
        if self.holds.q.val() {
            self.waits.next = self.ahead.q.val() << 1;
        }
        self.ahead.d.next = self.waits.val();
        self.held.next = self.waits.val().any();
        self.holds.d.next = self.held.val();

        comment!("Stage 0. The connection counts while the connections are cleared.");
        self.conns[0].d.next = self.conns[0].q.val();
        if self.take.val() {
            self.conns[0].d.next = self.op_conn.val();
        }
        if self.is_clearing.q.val() {
            self.conns[0].d.next = self.conns[0].q.val() + 1;
        }
        self.live[0].d.next = self.take.val() | (self.live[0].q.val() & self.holds.q.val());
        self.is_init[0].d.next = self.take_init.val() | (self.is_init[0].q.val() & self.holds.q.val());
        self.is_close[0].d.next =
            (self.take.val() & self.op_is_close.val()) | (self.is_close[0].q.val() & self.holds.q.val());
        self.filling_on.next = self.take_init.val() | (self.pending.q.val() & !self.filled.val());
        self.clearing_on.next = self.is_clearing.q.val() & !self.clear_done.val();
        self.pending.d.next = self.filling_on.val();
        self.is_clearing.d.next = self.clearing_on.val();
        self.is_ready.d.next = !(self.held.val() | self.filling_on.val() | self.clearing_on.val());

        comment!("Stages 1 to 7.");
        self.live[1].d.next = self.live[0].q.val() & !self.holds.q.val();
        self.is_init[1].d.next = self.is_init[0].q.val() & !self.holds.q.val();
        self.is_close[1].d.next = self.is_close[0].q.val() & !self.holds.q.val();
        self.conns[1].d.next = self.conns[0].q.val();
        for i in 2..8 {
            self.live[i].d.next = self.live[i - 1].q.val();
            self.is_init[i].d.next = self.is_init[i - 1].q.val();
            self.is_close[i].d.next = self.is_close[i - 1].q.val();
            self.conns[i].d.next = self.conns[i - 1].q.val();
        }
        if self.is_clearing.q.val() {
            self.conns[6].d.next = self.conns[0].q.val();
        }
        self.clears.d.next = self.is_clearing.q.val();
        self.filling.d.next = self.is_init[1].q.val() | (self.filling.q.val() & !self.filled.val());

        self.ready.next = self.is_ready.q.val();
        self.conn.next = self.conns[0].q.val();
        self.compare_init.next = self.is_init[1].q.val();
        self.decide_conn.next = self.conns[2].q.val();
        self.decide_packet.next = self.live[2].q.val() & !self.is_init[2].q.val() & !self.is_close[2].q.val();
        self.decide_init.next = self.is_init[2].q.val();
        self.decide_close.next = self.is_close[2].q.val();
        self.choose_conn.next = self.conns[3].q.val();
        self.fill.next = self.filling.q.val();
        self.finish_any.next = self.live[6].q.val();
        self.finish_clear.next = self.clears.q.val();
        self.finish_conn.next = self.conns[6].q.val();
        self.result_packet.next = self.live[7].q.val() & !self.is_init[7].q.val() & !self.is_close[7].q.val();
        self.result_conn.next = self.conns[7].q.val();

        if self.rst.val() {
            self.is_ready.d.next = false;
            self.ahead.d.next = 0.into();
            self.holds.d.next = false;
            self.pending.d.next = false;
            self.filling.d.next = false;
            self.is_clearing.d.next = true;
            self.clears.d.next = false;
            self.conns[0].d.next = 0.into();
            for i in 0..8 {
                self.live[i].d.next = false;
                self.is_init[i].d.next = false;
                self.is_close[i].d.next = false;
            }
        }
    }
}
