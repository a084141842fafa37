//! From what an op did to the outputs.

use respray_hdl_macros::hdl_gen;
use rust_hdl::prelude::*;

use super::state::Action;
use crate::comment;
use crate::prims::{Optional, Param, RandomEv};

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
    /// With parity. Fetch stage: the parity bit of that word. With the results: the EV of a send had a flipped bit, so that the send
    /// explores. A cycle behind that: an `init` of this connection is to be taken.
    pub cached_parity: Optional<Signal<In, bool>>,
    pub ev_lost: Optional<Signal<Out, bool>>,
    pub starts_anew: Optional<Signal<Out, bool>>,
    pub anew_conn: Optional<Signal<Out, Bits<C>>>,

    parity: Optional<DFF<bool>>,
    is_cached: Optional<DFF<bool>>,
    spare: Optional<DFF<Bits<16>>>,
    is_spoilt: Optional<Signal<Local, bool>>,
    anew: Optional<DFF<bool>>,
    conn_anew: Optional<DFF<Bits<C>>>,
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
            cached_parity: Optional::new(has_parity, Default::default),
            ev_lost: Optional::new(has_parity, Default::default),
            starts_anew: Optional::new(has_parity, Default::default),
            anew_conn: Optional::new(has_parity, Default::default),
            parity: Optional::new(has_parity, Default::default),
            is_cached: Optional::new(has_parity, Default::default),
            spare: Optional::new(has_parity, Default::default),
            is_spoilt: Optional::new(has_parity, Default::default),
            anew: Optional::new(has_parity, Default::default),
            conn_anew: Optional::new(has_parity, Default::default),
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
        self.cached.d.next = self.fetch.q.val().cache;
        self.dropped.d.next = self.fetch.q.val().discard;
        self.entered.d.next = self.fetch.q.val().enter;
        self.left.d.next = self.fetch.q.val().leave;

        self.res_valid.next = self.valid.q.val();
        self.res_conn.next = self.result_conn.q.val();
        if self.has_parity.val() {
            comment!(
                "An EV with a flipped bit is not sent: the latest random one goes out again, as that of an explore."
            );
            self.is_spoilt.next = self.is_cached.q.val() & (self.ev.q.val().xor() ^ self.parity.q.val());
            self.res_kind.next = self.kind.q.val();
            self.res_ev.next = self.ev.q.val();
            if self.is_spoilt.val() {
                self.res_kind.next = 0.into();
                self.res_ev.next = self.spare.q.val();
            }
            self.ev_lost.next = self.is_spoilt.val();
            self.parity.clock.next = self.clk.val();
            self.parity.d.next = self.cached_parity.val();
            self.is_cached.clock.next = self.clk.val();
            self.is_cached.d.next = self.fetch.q.val().recycle | self.fetch.q.val().replay;
            self.spare.clock.next = self.clk.val();
            self.spare.d.next = self.random_ev.val();
            self.anew.clock.next = self.clk.val();
            self.anew.d.next = self.is_spoilt.val();
            self.conn_anew.clock.next = self.clk.val();
            self.conn_anew.d.next = self.result_conn.q.val();
            self.starts_anew.next = self.anew.q.val();
            self.anew_conn.next = self.conn_anew.q.val();
        } else {
            self.res_kind.next = self.kind.q.val();
            self.res_ev.next = self.ev.q.val();
        }
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
                self.parity.d.next = false;
                self.is_cached.d.next = false;
                self.spare.d.next = 0.into();
                self.anew.d.next = false;
                self.conn_anew.d.next = 0.into();
            }
        }
    }
}
