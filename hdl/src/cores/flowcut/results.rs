//! The EVs of the connections, and what the outputs show.

use respray_hdl_macros::block;
use rust_hdl::prelude::*;

use crate::comment;
use crate::manifest::MemoryKind;
use crate::parts::{Draws, EventOnItsWay, Results as Sends};
use crate::prims::{Param, Reg, SimpleDualPort};

/// Keeps the EV of each connection in a memory that is written by a send with a new EV and read by every other, both in the judge
/// stage, so that no EV is forwarded. `CONN = clog2(connections)`.
#[block]
pub struct Results<const CONN: usize> {
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
    pub conn: Signal<In, Bits<CONN>>,
    pub starts: Signal<In, bool>,

    pub res_valid: Signal<Out, bool>,
    pub res_conn: Signal<Out, Bits<CONN>>,
    pub res_kind: Signal<Out, Bits<2>>,
    pub res_ev: Signal<Out, Bits<16>>,
    pub res_draining: Signal<Out, bool>,
    pub shows_drain_started: Signal<Out, bool>,
    pub shows_drain_done: Signal<Out, bool>,
    pub shows_drain_given_up: Signal<Out, bool>,
    pub shows_order_risk: Signal<Out, bool>,
    pub shows_ack_refused: Signal<Out, bool>,

    kind_new: Param<Bits<2>>,
    random: Draws,
    ev_ram: SimpleDualPort<Bits<CONN>, Bits<16>>,
    sends: Sends<CONN>,
    #[reset = false]
    judge_draws: Reg<bool>,
    #[reset = false]
    fetch_draws: Reg<bool>,
    #[reset = 0]
    drawn_ev: Reg<Bits<16>>,
    #[reset = false]
    fetch_starts: Reg<bool>,
    #[reset = false]
    result_starts: Reg<bool>,
    draining_on_its_way: EventOnItsWay,
    done_on_its_way: EventOnItsWay,
    given_up_on_its_way: EventOnItsWay,
    risk_on_its_way: EventOnItsWay,
    refused_on_its_way: EventOnItsWay,
}

#[block]
impl<const CONN: usize> Results<CONN> {
    /// EVs are `ev_base + random(2^ev_bits)`.
    pub fn new(ev_base: u32, ev_bits: u32) -> Self {
        Self {
            kind_new: Param::new(0.into()),
            random: Draws::new(ev_base, ev_bits),
            ev_ram: SimpleDualPort::new("ev_ram", "EV of every connection", MemoryKind::Block),
            ..Default::default()
        }
    }

    fn update(&mut self) {
        comment!("module flowcut_results: the EVs of the connections, and what the outputs show");

        comment!("Update: 0 new, 2 same, 3 wait.");
        self.sends.sent = self.sent;
        let kind = self.kind_new.replace_bit(0, self.waits);
        self.sends.kind = kind.replace_bit(1, !self.draws);
        self.judge_draws = self.draws;

        comment!("Judge: a new EV is written, that of any other send is read.");
        self.random.ready = self.ready;
        self.random.seed = self.seed;
        self.random.draw = self.judge_draws;
        self.ev_ram.write_enable = self.judge_draws;
        self.ev_ram.write_address = self.conn;
        self.ev_ram.write_data = self.random.ev;
        self.ev_ram.read_address = self.conn;
        self.fetch_draws = self.judge_draws;
        self.drawn_ev = self.random.ev;
        self.fetch_starts = self.starts;

        comment!("Fetch, result.");
        self.sends.conn = self.conn;
        self.sends.ev = self.ev_ram.read_data;
        if self.fetch_draws {
            self.sends.ev = self.drawn_ev;
        }
        self.result_starts = self.fetch_starts;
        self.res_valid = self.sends.res_valid;
        self.res_conn = self.sends.res_conn;
        self.res_kind = self.sends.res_kind;
        self.res_ev = self.sends.res_ev;
        self.shows_drain_started = self.result_starts;

        comment!("What is known in the update stage comes with the result of its op.");
        self.draining_on_its_way.update = self.drains;
        self.res_draining = self.draining_on_its_way.shown;
        self.done_on_its_way.update = self.drain_done;
        self.shows_drain_done = self.done_on_its_way.shown;
        self.given_up_on_its_way.update = self.drain_given_up;
        self.shows_drain_given_up = self.given_up_on_its_way.shown;
        self.risk_on_its_way.update = self.order_risk;
        self.shows_order_risk = self.risk_on_its_way.shown;
        self.refused_on_its_way.update = self.ack_refused;
        self.shows_ack_refused = self.refused_on_its_way.shown;
    }
}
