//! Recycled EVs before statistics: the default of the public Ultra Ethernet simulator model (class `UecMpMixed`).
//!
//! A connection keeps the counters of [`crate::bitmap`] and a list of EVs. A good ACK appends its EV, and every feedback goes to the
//! counters, too. A send takes the oldest EV of the list, whatever its path's counter says; with an empty list it searches as
//! `bitmap` does.
//!
//! # What the sources leave open
//! - The list of the simulator's model is unbounded. Here it is a ring, which loses its oldest EV when it is full.
//! - A first send that finds EVs in the list takes the oldest, and the first send that searches draws.

use crate::bitmap;
use crate::rng::Rng;
use crate::selector::{self, Op, OpKind, Outcome, Selector, SendKind};

/// Most EVs in a connection's list.
pub const MOST_DEPTH: usize = 64;

/// The selector's own keys of the configuration.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Keys {
    /// As of [`bitmap::Keys`].
    pub paths: u16,
    /// EVs in a connection's list at most: 8, 16, 32 or 64.
    pub depth: u8,
    pub timeout: TimeoutRule,
}

/// The engine's configuration.
pub type Params = selector::Params<Keys>;

pub use bitmap::{GAVE_UP, PATH_FORGIVEN, PATH_PENALISED, TimeoutRule};

const SEND_RECYCLE: u8 = 2;
/// Index of the class of a send that searches.
pub const SEND: u8 = 3;

/// State of one connection, readable for reports and for tests.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Connection {
    /// Counters and round.
    pub bitmap: bitmap::Connection,
    /// The slots of the list; those from `depth` on are unused.
    pub evs: [u16; MOST_DEPTH],
    /// Slot of the oldest EV, 0..depth.
    pub oldest: u8,
    /// EVs in the list, 0..=depth.
    pub length: u8,
}

impl Default for Connection {
    fn default() -> Self {
        Connection { bitmap: bitmap::Connection::default(), evs: [0; MOST_DEPTH], oldest: 0, length: 0 }
    }
}

/// The selector.
#[derive(Clone, Copy, Debug)]
pub struct Mixed;

impl Selector for Mixed {
    const NAME: &'static str = "mixed";
    const SETTINGS: &'static [&'static str] = &[];
    const EVENTS: &'static [&'static str] = bitmap::EVENTS;
    /// `send` searches, and counts as that of `bitmap`.
    const CLASSES: &'static [&'static str] = &["idle", "feedback", "send_recycle", "send"];
    type Keys = Keys;
    type Connection = Connection;

    fn check(params: &Params) {
        bitmap::check_paths(params.keys.paths, params.ev_bits);
        let depth = params.keys.depth;
        assert!(matches!(depth, 8 | 16 | 32 | 64), "depth must be 8, 16, 32 or 64, not {depth}");
    }

    #[inline(always)]
    fn apply(params: &Params, connection: &mut Connection, op: &Op, rng: &mut Rng) -> Outcome {
        let Keys { paths, depth, timeout } = params.keys;
        match op.kind {
            OpKind::Send if connection.length > 0 => {
                let mut outcome = Outcome::sent(SendKind::Recycle, connection.take(depth));
                outcome.class.index = SEND_RECYCLE;
                outcome
            }
            OpKind::Send => connection.bitmap.send(paths, SEND, || params.draw(rng)),
            _ => {
                if op.kind == OpKind::Ack && !op.ecn {
                    connection.append(depth, op.ev);
                }
                connection.bitmap.hear(paths, timeout, op)
            }
        }
    }
}

impl Connection {
    /// A good ACK's EV goes to the end of the list.
    pub fn append(&mut self, depth: u8, ev: u16) {
        if self.length == depth {
            self.take(depth);
        }
        self.evs[usize::from((self.oldest + self.length) % depth)] = ev;
        self.length += 1;
    }

    fn take(&mut self, depth: u8) -> u16 {
        let ev = self.evs[usize::from(self.oldest)];
        self.oldest = (self.oldest + 1) % depth;
        self.length -= 1;
        ev
    }
}
