//! From what an op did to the outputs.

use respray_hdl_macros::hdl_gen;
use rust_hdl::prelude::*;

use super::state::Action;
use crate::comment;
use crate::prims::{Guarded, Optional, Param, Parity, RandomEv};

/// Waits for the EV from its memory, or makes a random one, and puts the result into registers.
#[derive(LogicBlock, Default)]
pub struct Results<const C: usize> {
    pub clk: Signal<In, Clock>,
    pub rst: Signal<In, bool>,
    /// The memories are cleared.
    pub ready: Signal<In, bool>,
    pub seed: Signal<In, Bits<16>>,
    /// Write stage: what the op did, on which connection.
    pub action: Signal<In, Action>,
    pub conn: Signal<In, Bits<C>>,
    /// Fetch stage: the word of the EV RAM.
    pub cached_ev: Signal<In, Bits<16>>,

    pub res_valid: Signal<Out, bool>,
    pub res_conn: Signal<Out, Bits<C>>,
    pub res_kind: Signal<Out, Bits<2>>,
    pub res_ev: Signal<Out, Bits<16>>,
    pub ev_cached: Signal<Out, bool>,
    pub ev_dropped: Signal<Out, bool>,
    pub freeze_entered: Signal<Out, bool>,
    pub freeze_left: Signal<Out, bool>,
    /// With parity. Fetch stage: the word of the EV RAM. With the results: the EV of a send had a flipped bit, so that the send explores.
    pub guarded_ev: Optional<Signal<In, Guarded<Bits<16>>>>,
    pub ev_lost: Optional<Signal<Out, bool>>,

    parity: Optional<Parity<Guarded<Bits<16>>>>,
    is_spoilt: Optional<Signal<Local, bool>>,
    lost: Optional<DFF<bool>>,
    has_parity: Param<bool>,

    random: RandomEv,

    fetch: DFF<Action>,
    fetch_conn: DFF<Bits<C>>,
    random_ev: Signal<Local, Bits<16>>,

    valid: DFF<bool>,
    result_conn: DFF<Bits<C>>,
    kind: DFF<Bits<2>>,
    ev: DFF<Bits<16>>,
    cached: DFF<bool>,
    dropped: DFF<bool>,
    entered: DFF<bool>,
    left: DFF<bool>,

    no_action: Param<Action>,
    ev_base: Param<Bits<16>>,
    ev_mask: Param<Bits<16>>,
}

impl<const C: usize> Results<C> {
    /// Random EVs are `ev_base + random(2^ev_bits)`.
    pub fn new(ev_base: u32, ev_bits: u32, has_parity: bool) -> Self {
        Self {
            guarded_ev: Optional::new(has_parity, Default::default),
            ev_lost: Optional::new(has_parity, Default::default),
            parity: Optional::new(has_parity, Default::default),
            is_spoilt: Optional::new(has_parity, Default::default),
            lost: Optional::new(has_parity, Default::default),
            has_parity: Param::new(has_parity),
            no_action: Param::new(Action::default()),
            ev_base: Param::new(u64::from(ev_base).into()),
            ev_mask: Param::new(((1u64 << ev_bits) - 1).into()),
            ..Default::default()
        }
    }
}

impl<const C: usize> Logic for Results<C> {
    #[hdl_gen]
    fn update(&mut self) {
        comment!("module results: from what an op did to the outputs");
        dff_setup!(self, clk, fetch, fetch_conn);
        dff_setup!(self, clk, valid, result_conn, kind, ev, cached, dropped, entered, left);

        comment!("Write: an exploring send makes the generator step, and only that.");
        self.random.clk.next = self.clk.val();
        self.random.rst.next = self.rst.val();
        self.random.absorb.next = !self.ready.val();
        self.random.seed.next = self.seed.val();
        self.random.step.next = self.action.val().explore;
        self.fetch.d.next = self.action.val();
        self.fetch_conn.d.next = self.conn.val();

        comment!("Fetch: the EV arrives.");
        self.random_ev.next = (self.random.word.val() & self.ev_mask.val()) | self.ev_base.val();
        self.valid.d.next =
            self.fetch.q.val().explore | self.fetch.q.val().recycle | self.fetch.q.val().replay;
        self.result_conn.d.next = self.fetch_conn.q.val();
        self.kind.d.next = 0.into();
        if self.fetch.q.val().recycle {
            self.kind.d.next = 1.into();
        }
        if self.fetch.q.val().replay {
            self.kind.d.next = 2.into();
        }
        self.ev.d.next = self.cached_ev.val();
        if self.fetch.q.val().explore {
            self.ev.d.next = self.random_ev.val();
        }
        if self.has_parity.val() {
            comment!(
                "An EV with a flipped bit is not sent: the latest random one goes out again, as that of an explore."
            );
            self.parity.word.next = self.guarded_ev.val();
            self.is_spoilt.next =
                self.parity.odd.val() & (self.fetch.q.val().recycle | self.fetch.q.val().replay);
            if self.is_spoilt.val() {
                self.kind.d.next = 0.into();
                self.ev.d.next = self.random_ev.val();
            }
            self.lost.clock.next = self.clk.val();
            self.lost.d.next = self.is_spoilt.val();
            self.ev_lost.next = self.lost.q.val();
        }
        self.cached.d.next = self.fetch.q.val().cache;
        self.dropped.d.next = self.fetch.q.val().discard;
        self.entered.d.next = self.fetch.q.val().enter;
        self.left.d.next = self.fetch.q.val().leave;

        self.res_valid.next = self.valid.q.val();
        self.res_conn.next = self.result_conn.q.val();
        self.res_kind.next = self.kind.q.val();
        self.res_ev.next = self.ev.q.val();
        self.ev_cached.next = self.cached.q.val();
        self.ev_dropped.next = self.dropped.q.val();
        self.freeze_entered.next = self.entered.q.val();
        self.freeze_left.next = self.left.q.val();

        if self.rst.val() {
            self.fetch.d.next = self.no_action.val();
            self.fetch_conn.d.next = 0.into();
            self.valid.d.next = false;
            self.result_conn.d.next = 0.into();
            self.kind.d.next = 0.into();
            self.ev.d.next = 0.into();
            self.cached.d.next = false;
            self.dropped.d.next = false;
            self.entered.d.next = false;
            self.left.d.next = false;
            if self.has_parity.val() {
                self.lost.d.next = false;
            }
        }
    }
}
