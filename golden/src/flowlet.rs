//! Flowlet switching: a connection keeps its path as long as its packets follow each other closely.
//!
//! `Since::Send` is the rule of 001's reference 59, which switches use: a gap between two packets of the connection that is
//! longer than `gap` lets those before it arrive before those behind it, so the next packet may take another path.
//!
//! `Since::Ack` is what 001 was evaluated with (section 4.1; class `UecSrc`, algorithm FLOWLET): the gap is counted from the
//! latest feedback, ACK or NACK, and between two changes of the path lies more than `hold`. A connection that never hears
//! anything changes its path once a `hold`.
//!
//! # What the sources leave open
//! - Elapsed time is the difference of two times without sign, modulo `2^time_bits`, compared strictly.
//! - The event `path_moved` tells of a drawn EV that takes the place of another, so not of a connection's first one.

use crate::rng::Rng;
use crate::selector::{self, Op, OpKind, Outcome, Selector, SendKind};

/// Which op begins the gap.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Since {
    /// The connection's latest send.
    Send,
    /// Its latest ACK or NACK.
    Ack,
}

/// The selector's own keys of the configuration.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Keys {
    pub since: Since,
}

/// The engine's configuration.
pub type Params = selector::Params<Keys>;

/// Event: a send drew an EV in place of another.
pub const PATH_MOVED: u8 = 1 << 0;

/// State of one connection, readable for reports and for tests.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Connection {
    /// The EV of the flowlet, once it is drawn.
    pub ev: u16,
    /// A packet was sent since `Init`.
    pub drawn: bool,
    /// When the gap began.
    pub last: u32,
    /// Of `Since::Ack`: feedback was heard since `Init`.
    pub heard: bool,
    /// Of `Since::Ack`: when the latest EV was drawn.
    pub moved_at: u32,
}

/// The selector.
#[derive(Clone, Copy, Debug)]
pub struct Flowlet;

impl Selector for Flowlet {
    const NAME: &'static str = "flowlet";
    /// The longest gap within a flowlet and, of `Since::Ack`, the time that a path is held at least, both in ticks.
    const SETTINGS: &'static [&'static str] = &["gap", "hold"];
    const EVENTS: &'static [&'static str] = &["path_moved"];
    type Keys = Keys;
    type Connection = Connection;

    #[inline(always)]
    fn apply(params: &Params, connection: &mut Connection, op: &Op, rng: &mut Rng) -> Outcome {
        let [gap, hold, ..] = op.settings;
        let since = |then: u32| params.elapsed(then, op.now);
        match (op.kind, params.keys.since) {
            (OpKind::Send, Since::Send) => {
                let moves = !connection.drawn || since(connection.last) > gap;
                connection.last = op.now;
                connection.send(moves, params, rng)
            }
            (OpKind::Send, Since::Ack) => {
                let is_silent = !connection.heard || since(connection.last) > gap;
                let moves = !connection.drawn || is_silent && since(connection.moved_at) > hold;
                if moves {
                    connection.moved_at = op.now;
                }
                connection.send(moves, params, rng)
            }
            (OpKind::Ack | OpKind::Nack, Since::Ack) => {
                connection.last = op.now;
                connection.heard = true;
                Outcome::default()
            }
            _ => Outcome::default(),
        }
    }
}

impl Connection {
    fn send(&mut self, moves: bool, params: &Params, rng: &mut Rng) -> Outcome {
        if !moves {
            return Outcome::sent(SendKind::Replay, self.ev);
        }
        let events = if self.drawn { PATH_MOVED } else { 0 };
        self.ev = params.draw(rng);
        self.drawn = true;
        Outcome { events, ..Outcome::sent(SendKind::Explore, self.ev) }
    }
}
