//! From what an op did to the outputs.

use respray_hdl_macros::block;
use rust_hdl::prelude::*;

use super::state::Action;
use crate::comment;
use crate::prims::{Optional, Param, RandomEv, Reg};

/// Waits for the EV from its memory, or makes a random one, and puts the result into registers.
#[block]
pub struct Results<const CONN: usize> {
    /// The memories are cleared.
    pub ready: Signal<In, bool>,
    pub seed: Signal<In, Bits<16>>,
    /// Write stage: what the op did, on which connection.
    pub action: Signal<In, Action>,
    pub conn: Signal<In, Bits<CONN>>,
    /// Fetch stage: the word of the EV RAM.
    pub cached_ev: Signal<In, Bits<16>>,

    pub res_valid: Signal<Out, bool>,
    pub res_conn: Signal<Out, Bits<CONN>>,
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
    pub anew_conn: Optional<Signal<Out, Bits<CONN>>>,

    parity: Optional<Reg<bool>>,
    is_cached: Optional<Reg<bool>>,
    spare: Optional<Reg<Bits<16>>>,
    is_spoilt: Optional<Signal<Local, bool>>,
    anew: Optional<Reg<bool>>,
    conn_anew: Optional<Reg<Bits<CONN>>>,
    has_parity: Param<bool>,

    random: RandomEv,

    fetch: Reg<Action>,
    fetch_conn: Reg<Bits<CONN>>,

    valid: Reg<bool>,
    result_conn: Reg<Bits<CONN>>,
    kind: Reg<Bits<2>>,
    ev: Reg<Bits<16>>,
    cached: Reg<bool>,
    dropped: Reg<bool>,
    entered: Reg<bool>,
    left: Reg<bool>,

    no_action: Param<Action>,
    ev_base: Param<Bits<16>>,
    ev_mask: Param<Bits<16>>,
}

#[block]
impl<const CONN: usize> Results<CONN> {
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

    fn update(&mut self) {
        comment!("module results: from what an op did to the outputs");

        comment!("Write: an exploring send makes the generator step, and only that.");
        self.random.absorb = !self.ready;
        self.random.seed = self.seed;
        self.random.step = self.action.explore;
        self.fetch = self.action;
        self.fetch_conn = self.conn;

        comment!("Fetch: the EV arrives.");
        let random_ev = (self.random.word & self.ev_mask) | self.ev_base;
        self.valid = self.fetch.explore | self.fetch.recycle | self.fetch.replay;
        self.result_conn = self.fetch_conn;
        self.kind = 0;
        if self.fetch.recycle {
            self.kind = 1;
        }
        if self.fetch.replay {
            self.kind = 2;
        }
        self.ev = self.cached_ev;
        if self.fetch.explore {
            self.ev = random_ev;
        }
        self.cached = self.fetch.cache;
        self.dropped = self.fetch.discard;
        self.entered = self.fetch.enter;
        self.left = self.fetch.leave;

        self.res_valid = self.valid;
        self.res_conn = self.result_conn;
        if self.has_parity {
            comment!(
                "An EV with a flipped bit is not sent: the latest random one goes out again, as that of an explore."
            );
            self.is_spoilt = self.is_cached & (self.ev.xor() ^ self.parity);
            self.res_kind = self.kind;
            self.res_ev = self.ev;
            if self.is_spoilt {
                self.res_kind = 0;
                self.res_ev = self.spare;
            }
            self.ev_lost = self.is_spoilt;
            self.parity = self.cached_parity;
            self.is_cached = self.fetch.recycle | self.fetch.replay;
            self.spare = random_ev;
            self.anew = self.is_spoilt;
            self.conn_anew = self.result_conn;
            self.starts_anew = self.anew;
            self.anew_conn = self.conn_anew;
        } else {
            self.res_kind = self.kind;
            self.res_ev = self.ev;
        }
        self.ev_cached = self.cached;
        self.ev_dropped = self.dropped;
        self.freeze_entered = self.entered;
        self.freeze_left = self.left;

        if self.rst {
            self.fetch = self.no_action;
            self.fetch_conn = 0;
            self.valid = false;
            self.result_conn = 0;
            self.kind = 0;
            self.ev = 0;
            self.cached = false;
            self.dropped = false;
            self.entered = false;
            self.left = false;
            if self.has_parity {
                self.parity = false;
                self.is_cached = false;
                self.spare = 0;
                self.anew = false;
                self.conn_anew = 0;
            }
        }
    }
}
