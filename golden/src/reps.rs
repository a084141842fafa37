//! REPS, the entropy cache: 001 Algorithms 1 and 2 for many connections that share one random generator.
//!
//! The model executes one op after the other and keeps every variable of 001 Table 1, the valid bits
//! included; comments give the paper's lines, `A1:9` being Algorithm 1 line 9. Hardware need not store the
//! valid bits, because the valid entries are always the range `[head - num_valid, head)`; the tests show it.
//!
//! # What the paper leaves open
//! - Replay with fewer than `depth` EVs cached so far cycles through those cached by a pointer of its own, and
//!   `head` stays; with the ring full, A2:8-9 hold, `head` being the oldest slot.
//! - Times wrap: "past" is the sign of the `time_bits` wide difference.
//! - A stream of ECN-marked ACKs never leaves freezing, as written in A1:6-8.
//!
//! # Variant `uet`
//! The reference behaviour of the public Ultra Ethernet simulator model. Recorded traces of that model decide what
//! its description leaves open:
//! - An ACK without ECN is cached while freezing, too, and replayed in that same freeze.
//! - Leaving a freeze puts `head` and the replay pointer back to 0 besides emptying the ring, so every freeze
//!   replays from slot 0, and the pointer is always below the number of cached EVs.

use crate::rng::Rng;
use crate::selector::{self, Op, OpKind, Outcome, Selector, SendKind};

/// Most EVs that a connection can cache, 001 section 3.1 and the configuration's menu.
pub const MAX_DEPTH: usize = 32;

/// Which algorithm.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Variant {
    /// 001 Algorithms 1 and 2.
    Paper,
    /// The Ultra Ethernet reference behaviour.
    Uet,
}

/// The selector's own keys of the configuration.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Keys {
    /// Cached EVs per connection, 1..=32: `REPS_BUFFER_SIZE`.
    pub depth: u8,
    pub variant: Variant,
}

/// The engine's configuration.
pub type Params = selector::Params<Keys>;

/// Event: an ACK's EV was written to the ring.
pub const EV_CACHED: u8 = 1 << 0;
/// Event: an ACK's EV was dropped for ECN.
pub const EV_DROPPED: u8 = 1 << 1;
/// Event: a freeze began.
pub const FREEZE_ENTERED: u8 = 1 << 2;
/// Event: a freeze ended.
pub const FREEZE_LEFT: u8 = 1 << 3;

/// State of one connection, 001 Table 1, readable for reports and for tests of the invariants.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Connection {
    /// `cachedEV` of each slot; slots from `depth` on are unused.
    pub cached_ev: [u16; MAX_DEPTH],
    /// `isValid` of each slot.
    pub is_valid: [bool; MAX_DEPTH],
    /// Slot that the next cached EV goes to.
    pub head: u8,
    pub num_valid: u8,
    /// Slots written since the ring was last empty, up to `depth`.
    pub num_cached: u8,
    /// Slot to replay next (paper: as long as the ring is not full).
    pub replay: u8,
    pub is_freezing: bool,
    pub exit_freezing: u32,
    pub explore_counter: u8,
}

/// The selector.
#[derive(Clone, Copy, Debug)]
pub struct Reps;

impl Selector for Reps {
    const NAME: &'static str = "reps";
    /// `FREEZING_TIMEOUT` in ticks, and `NUM_PKTS_BDP` in packets, 8 bits.
    const SETTINGS: &'static [&'static str] = &["freeze_timeout", "bdp_packets"];
    const EVENTS: &'static [&'static str] = &["ev_cached", "ev_dropped", "freeze_entered", "freeze_left"];
    type Keys = Keys;
    type Connection = Connection;

    fn check(params: &Params) {
        let depth = params.keys.depth;
        assert!((1..=MAX_DEPTH).contains(&depth.into()), "depth must be 1..=32, not {depth}");
    }

    #[inline(always)]
    fn apply(params: &Params, c: &mut Connection, op: &Op, rng: &mut Rng) -> Outcome {
        let Keys { depth, variant } = params.keys;
        // A2:16 `rand() % EVS_SIZE`
        let random_ev = || params.draw(rng);
        match (op.kind, variant) {
            (OpKind::Send, Variant::Paper) => c.send_paper(depth, random_ev),
            (OpKind::Send, Variant::Uet) => c.send_uet(depth, random_ev),
            (OpKind::Ack, Variant::Paper) => c.ack_paper(depth, params.time_bits, op),
            (OpKind::Timeout, Variant::Paper) => c.failure_detected(op),
            (OpKind::Ack | OpKind::Nack | OpKind::Timeout, Variant::Uet) => {
                c.feedback_uet(depth, params.time_bits, op)
            }
            (OpKind::Nack, Variant::Paper) | (OpKind::Init | OpKind::Reserved, _) => Outcome::default(),
        }
    }
}

/// `FREEZING_TIMEOUT`, in ticks.
fn freeze_timeout(op: &Op) -> u32 {
    op.settings[0]
}

/// `NUM_PKTS_BDP`, in packets.
fn bdp_packets(op: &Op) -> u8 {
    op.settings[1] as u8
}

/// `now` is past `time`: the difference as a signed number of `time_bits` is above 0.
fn is_past(now: u32, time: u32, time_bits: u8) -> bool {
    let unused = 32 - u32::from(time_bits);
    (now.wrapping_sub(time) << unused) as i32 > 0
}

/// A slot of the ring that an op writes, or that it takes its EV from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Slot {
    pub slot: u8,
    pub is_written: bool,
}

impl Connection {
    /// The slot that an op touched which left this connection `after` it, with this outcome.
    pub fn slot_of(&self, keys: &Keys, after: &Connection, outcome: &Outcome) -> Option<Slot> {
        let Keys { depth, variant } = *keys;
        if outcome.has(EV_CACHED) {
            return Some(Slot { slot: (after.head + depth - 1) % depth, is_written: true });
        }
        let slot = match outcome.result?.kind {
            SendKind::Explore => return None,
            SendKind::Recycle => (self.head + depth - self.num_valid) % depth,
            SendKind::Replay if variant == Variant::Paper && self.num_cached == depth => self.head,
            SendKind::Replay => self.replay,
        };
        Some(Slot { slot, is_written: false })
    }

    /// Algorithm 1, `ONACK`.
    fn ack_paper(&mut self, depth: u8, time_bits: u8, op: &Op) -> Outcome {
        let mut outcome = Outcome::default();
        if op.ecn {
            outcome.events |= EV_DROPPED;
            return outcome; // A1:6-8
        }
        self.cache(depth, op.ev);
        outcome.events |= EV_CACHED;
        if self.is_freezing && is_past(op.now, self.exit_freezing, time_bits) {
            self.is_freezing = false; // A1:16
            self.explore_counter = bdp_packets(op); // A1:17
            outcome.events |= FREEZE_LEFT;
        }
        outcome
    }

    /// A1:9-14.
    fn cache(&mut self, depth: u8, ev: u16) {
        let slot = usize::from(self.head);
        if !self.is_valid[slot] {
            self.num_valid += 1; // A1:10
        }
        self.cached_ev[slot] = ev; // A1:12
        self.is_valid[slot] = true; // A1:13
        self.head = (self.head + 1) % depth; // A1:14
        self.num_cached = (self.num_cached + 1).min(depth);
    }

    /// Algorithm 1, `ONFAILUREDETECTION`.
    fn failure_detected(&mut self, op: &Op) -> Outcome {
        let mut outcome = Outcome::default();
        if !self.is_freezing && self.explore_counter == 0 {
            self.is_freezing = true; // A1:23
            self.exit_freezing = op.now.wrapping_add(freeze_timeout(op)); // A1:24
            outcome.events |= FREEZE_ENTERED;
        }
        outcome
    }

    /// Algorithm 2, `ONSEND`.
    fn send_paper(&mut self, depth: u8, random_ev: impl FnOnce() -> u16) -> Outcome {
        let is_empty = self.num_cached == 0;
        if is_empty || (self.num_valid == 0 && !self.is_freezing) || self.explore_counter > 0 {
            self.explore(random_ev) // A2:16-17
        } else if self.num_valid > 0 {
            self.recycle(depth) // A2:3-6
        } else if self.num_cached == depth {
            let slot = self.head; // A2:8
            self.head = (self.head + 1) % depth; // A2:9
            self.replay_from(slot)
        } else {
            let slot = self.replay;
            self.replay = (self.replay + 1) % self.num_cached;
            self.replay_from(slot)
        }
    }

    /// A2:16-17.
    fn explore(&mut self, random_ev: impl FnOnce() -> u16) -> Outcome {
        self.explore_counter = self.explore_counter.saturating_sub(1);
        Outcome::sent(SendKind::Explore, random_ev())
    }

    /// A2:4-6, 11.
    fn recycle(&mut self, depth: u8) -> Outcome {
        let offset = (self.head + depth - self.num_valid) % depth; // A2:4
        self.is_valid[usize::from(offset)] = false; // A2:5
        self.num_valid -= 1; // A2:6
        Outcome::sent(SendKind::Recycle, self.cached_ev[usize::from(offset)])
    }

    fn replay_from(&self, slot: u8) -> Outcome {
        Outcome::sent(SendKind::Replay, self.cached_ev[usize::from(slot)])
    }

    /// Ultra Ethernet: any feedback.
    fn feedback_uet(&mut self, depth: u8, time_bits: u8, op: &Op) -> Outcome {
        let mut outcome = Outcome::default();
        if op.kind == OpKind::Timeout {
            outcome = self.failure_detected(op);
        }
        if self.is_freezing && is_past(op.now, self.exit_freezing, time_bits) {
            // the ring is emptied: nothing of this connection is left but the packets to explore
            *self = Connection { explore_counter: bdp_packets(op), ..Connection::default() };
            outcome.events |= FREEZE_LEFT;
        }
        if op.kind == OpKind::Ack {
            if op.ecn {
                outcome.events |= EV_DROPPED;
            } else {
                self.cache(depth, op.ev);
                outcome.events |= EV_CACHED;
            }
        }
        outcome
    }

    /// Ultra Ethernet: a data packet asks for its EV.
    fn send_uet(&mut self, depth: u8, random_ev: impl FnOnce() -> u16) -> Outcome {
        let source = if self.is_freezing { self.num_cached } else { self.num_valid };
        if self.explore_counter > 0 || source == 0 {
            self.explore(random_ev)
        } else if self.is_freezing {
            let slot = self.replay;
            self.replay = (self.replay + 1) % self.num_cached;
            self.replay_from(slot)
        } else {
            self.recycle(depth)
        }
    }
}
