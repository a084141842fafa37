//! Oblivious packet spraying: every packet takes another path, and no feedback is heard.
//!
//! Order `random` is that of 001 section 2.2: every send draws its EV.
//!
//! Order `permuted` is that of the public Ultra Ethernet simulator model (class `UecMpOblivious`): a connection sends
//! once onto each of its P paths before it sends onto any of them again. A path is the low bits of the EV, and P is
//! a power of two. The path at place `index` of a round is `index` xor x, so that x decides the order of the whole
//! round. The last send of a round draws the next round's x. The upper bits of the EV are the connection's own and
//! stay until `Init`.
//!
//! # What the sources leave open
//! - P is at most the size of the EV set.

use crate::rng::Rng;
use crate::selector::{self, Op, OpKind, Outcome, Selector, SendKind};

/// The order in which paths are taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Order {
    /// By chance.
    Random,
    /// Each path once a round.
    Permuted,
}

/// The selector's own keys of the configuration.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Keys {
    pub order: Order,
    /// Paths in a round of order `permuted`, a power of two, 16..=65536, and at most `1 << ev_bits`.
    pub paths: u32,
}

/// The engine's configuration.
pub type Params = selector::Params<Keys>;

/// State of one connection, readable for reports and for tests. Order `random` needs none.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Connection {
    /// A packet was sent since `Init`.
    pub drawn: bool,
    /// Place of the next send in its round, 0..paths.
    pub index: u16,
    /// The order of the round, 0..paths.
    pub x: u16,
    /// The bits of every EV of the connection above those of the path, at their place.
    pub upper: u16,
}

/// The selector.
#[derive(Clone, Copy, Debug)]
pub struct Ops;

impl Selector for Ops {
    const NAME: &'static str = "ops";
    const SETTINGS: &'static [&'static str] = &[];
    const EVENTS: &'static [&'static str] = &[];
    type Keys = Keys;
    type Connection = Connection;

    fn check(params: &Params) {
        let Keys { order, paths } = params.keys;
        if order == Order::Permuted {
            let most = 1 << params.ev_bits;
            assert!(
                paths.is_power_of_two() && (16..=most).contains(&paths),
                "paths must be a power of two, 16..={most}, not {paths}"
            );
        }
    }

    #[inline(always)]
    fn apply(params: &Params, connection: &mut Connection, op: &Op, rng: &mut Rng) -> Outcome {
        if op.kind != OpKind::Send {
            return Outcome::default(); // oblivious
        }
        let ev = match params.keys.order {
            Order::Random => params.draw(rng),
            Order::Permuted => connection.next_of_round(params, rng),
        };
        Outcome::sent(SendKind::Explore, ev)
    }
}

impl Connection {
    /// `UecMpOblivious::nextEntropy`: the EV of the next send.
    fn next_of_round(&mut self, params: &Params, rng: &mut Rng) -> u16 {
        let last = (params.keys.paths - 1) as u16; // the highest index, and the mask of a path's bits
        if !self.drawn {
            let ev = params.draw(rng);
            *self = Connection { drawn: true, index: 0, x: ev & last, upper: ev & !last };
        }
        let ev = self.upper | (self.index ^ self.x);
        if self.index < last {
            self.index += 1;
        } else {
            self.index = 0;
            self.x = params.draw(rng) & last;
        }
        ev
    }
}
