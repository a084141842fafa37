//! The EVs of the connections, and what the outputs show.

use respray_hdl_macros::hdl_gen;
use rust_hdl::prelude::*;

use crate::comment;
use crate::manifest::MemoryKind;
use crate::parts::{Draws, EventOnItsWay, Results as Sends};
use crate::prims::{Param, SimpleDualPort};

/// Keeps the EV of each connection in a memory that is written by a send with a new EV and read by every other, both in the judge
/// stage, so that no EV is forwarded. `C = clog2(connections)`.
#[derive(LogicBlock, Default)]
pub struct Results<const C: usize> {
    pub clk: Signal<In, Clock>,
    pub rst: Signal<In, bool>,
    /// The memories are cleared; while they are not, the seed is absorbed.
    pub ready: Signal<In, bool>,
    pub seed: Signal<In, Bits<16>>,
    /// Update stage: the op is a send; it draws, or waits; its connection drains; the events that are known then.
    pub sent: Signal<In, bool>,
    pub draws: Signal<In, bool>,
    pub waits: Signal<In, bool>,
    pub drains: Signal<In, bool>,
    pub drain_done: Signal<In, bool>,
    pub drain_given_up: Signal<In, bool>,
    pub order_risk: Signal<In, bool>,
    pub ack_refused: Signal<In, bool>,
    /// Judge stage: the connection, and that the op starts a drain.
    pub conn: Signal<In, Bits<C>>,
    pub starts: Signal<In, bool>,

    pub res_valid: Signal<Out, bool>,
    pub res_conn: Signal<Out, Bits<C>>,
    pub res_kind: Signal<Out, Bits<2>>,
    pub res_ev: Signal<Out, Bits<16>>,
    pub res_draining: Signal<Out, bool>,
    pub shows_drain_started: Signal<Out, bool>,
    pub shows_drain_done: Signal<Out, bool>,
    pub shows_drain_given_up: Signal<Out, bool>,
    pub shows_order_risk: Signal<Out, bool>,
    pub shows_ack_refused: Signal<Out, bool>,

    kind: Signal<Local, Bits<2>>,
    kind_new: Param<Bits<2>>,
    random: Draws,
    ev_ram: SimpleDualPort<Bits<C>, Bits<16>>,
    sends: Sends<C>,
    judge_draws: DFF<bool>,
    fetch_draws: DFF<bool>,
    drawn_ev: DFF<Bits<16>>,
    fetch_starts: DFF<bool>,
    result_starts: DFF<bool>,
    draining_on_its_way: EventOnItsWay,
    done_on_its_way: EventOnItsWay,
    given_up_on_its_way: EventOnItsWay,
    risk_on_its_way: EventOnItsWay,
    refused_on_its_way: EventOnItsWay,
}

impl<const C: usize> Results<C> {
    /// EVs are `ev_base + random(2^ev_bits)`.
    pub fn new(ev_base: u32, ev_bits: u32) -> Self {
        Self {
            kind_new: Param::new(0.into()),
            random: Draws::new(ev_base, ev_bits),
            ev_ram: SimpleDualPort::new("ev_ram", "EV of every connection", MemoryKind::Block),
            ..Default::default()
        }
    }
}

impl<const C: usize> Logic for Results<C> {
    #[hdl_gen]
    fn update(&mut self) {
        comment!("module flowcut_results: the EVs of the connections, and what the outputs show");
        dff_setup!(self, clk, judge_draws, fetch_draws, drawn_ev, fetch_starts, result_starts);

        comment!("Update: 0 new, 2 same, 3 wait.");
        self.sends.clk.next = self.clk.val();
        self.sends.rst.next = self.rst.val();
        self.sends.sent.next = self.sent.val();
        self.kind.next = self.kind_new.val().replace_bit(0, self.waits.val());
        self.sends.kind.next = self.kind.val().replace_bit(1, !self.draws.val());
        self.judge_draws.d.next = self.draws.val();

        comment!("Judge: a new EV is written, that of any other send is read.");
        self.random.clk.next = self.clk.val();
        self.random.rst.next = self.rst.val();
        self.random.ready.next = self.ready.val();
        self.random.seed.next = self.seed.val();
        self.random.draw.next = self.judge_draws.q.val();
        self.ev_ram.clk.next = self.clk.val();
        self.ev_ram.write_enable.next = self.judge_draws.q.val();
        self.ev_ram.write_address.next = self.conn.val();
        self.ev_ram.write_data.next = self.random.ev.val();
        self.ev_ram.read_address.next = self.conn.val();
        self.fetch_draws.d.next = self.judge_draws.q.val();
        self.drawn_ev.d.next = self.random.ev.val();
        self.fetch_starts.d.next = self.starts.val();

        comment!("Fetch, result.");
        self.sends.conn.next = self.conn.val();
        self.sends.ev.next = self.ev_ram.read_data.val();
        if self.fetch_draws.q.val() {
            self.sends.ev.next = self.drawn_ev.q.val();
        }
        self.result_starts.d.next = self.fetch_starts.q.val();
        self.res_valid.next = self.sends.res_valid.val();
        self.res_conn.next = self.sends.res_conn.val();
        self.res_kind.next = self.sends.res_kind.val();
        self.res_ev.next = self.sends.res_ev.val();
        self.shows_drain_started.next = self.result_starts.q.val();

        comment!("What is known in the update stage comes with the result of its op.");
        self.draining_on_its_way.clk.next = self.clk.val();
        self.draining_on_its_way.rst.next = self.rst.val();
        self.draining_on_its_way.update.next = self.drains.val();
        self.res_draining.next = self.draining_on_its_way.shown.val();
        self.done_on_its_way.clk.next = self.clk.val();
        self.done_on_its_way.rst.next = self.rst.val();
        self.done_on_its_way.update.next = self.drain_done.val();
        self.shows_drain_done.next = self.done_on_its_way.shown.val();
        self.given_up_on_its_way.clk.next = self.clk.val();
        self.given_up_on_its_way.rst.next = self.rst.val();
        self.given_up_on_its_way.update.next = self.drain_given_up.val();
        self.shows_drain_given_up.next = self.given_up_on_its_way.shown.val();
        self.risk_on_its_way.clk.next = self.clk.val();
        self.risk_on_its_way.rst.next = self.rst.val();
        self.risk_on_its_way.update.next = self.order_risk.val();
        self.shows_order_risk.next = self.risk_on_its_way.shown.val();
        self.refused_on_its_way.clk.next = self.clk.val();
        self.refused_on_its_way.rst.next = self.rst.val();
        self.refused_on_its_way.update.next = self.ack_refused.val();
        self.shows_ack_refused.next = self.refused_on_its_way.shown.val();
        if self.rst.val() {
            self.judge_draws.d.next = false;
            self.fetch_draws.d.next = false;
            self.drawn_ev.d.next = 0.into();
            self.fetch_starts.d.next = false;
            self.result_starts.d.next = false;
        }
    }
}
