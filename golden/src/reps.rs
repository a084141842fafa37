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

/// The engine's configuration and the value of its `seed` port.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Params {
    /// Connections that share the engine, 1..=16384.
    pub connections: u32,
    /// Cached EVs per connection, 1..=32: `REPS_BUFFER_SIZE`.
    pub depth: u8,
    pub variant: Variant,
    /// First EV of the EV set, aligned to `1 << ev_bits`.
    pub ev_base: u16,
    /// The EV set has `1 << ev_bits` EVs, 1..=16.
    pub ev_bits: u8,
    /// Width of times, 1..=32; times are taken modulo `1 << time_bits`.
    pub time_bits: u8,
    /// Seed of the random generator.
    pub seed: u16,
}

/// What an op does; the discriminants are the codes of the port `op_kind`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum OpKind {
    /// A data packet asks for its EV: Algorithm 2.
    Send,
    /// An ACK arrived: Algorithm 1, `ONACK`.
    Ack,
    /// A trimmed packet was reported.
    Nack,
    /// A failure was detected: Algorithm 1, `ONFAILUREDETECTION`.
    Timeout,
    /// The connection starts anew.
    Init,
    /// Codes 5 to 7: no result, no change.
    Reserved,
}

impl OpKind {
    /// From the port `op_kind`, 3 bits; every code above 4 is `Reserved`.
    pub const fn from_code(code: u8) -> Self {
        match code {
            0 => OpKind::Send,
            1 => OpKind::Ack,
            2 => OpKind::Nack,
            3 => OpKind::Timeout,
            4 => OpKind::Init,
            _ => OpKind::Reserved,
        }
    }

    /// The code on the port `op_kind`; 5 for `Reserved`.
    pub const fn code(self) -> u8 {
        self as u8
    }
}

/// One op with everything that is sampled with it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Op {
    pub kind: OpKind,
    /// 0..connections.
    pub conn: u16,
    /// Of an ACK: the EV that it echoes.
    pub ev: u16,
    /// Of an ACK: its data packet was CE-marked.
    pub ecn: bool,
    /// Time in the caller's ticks.
    pub now: u32,
    /// `FREEZING_TIMEOUT`, in ticks.
    pub freeze_timeout: u32,
    /// `NUM_PKTS_BDP`, in packets.
    pub bdp_packets: u8,
}

/// Where a send's EV came from; the discriminants are the codes of the port `res_kind`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum SendKind {
    /// A random EV.
    Explore,
    /// The oldest valid EV.
    Recycle,
    /// An EV used before, while freezing.
    Replay,
}

impl SendKind {
    /// The code on the port `res_kind`.
    pub const fn code(self) -> u8 {
        self as u8
    }
}

/// Result of a send.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SendResult {
    pub kind: SendKind,
    pub ev: u16,
}

/// Everything that an op shows outside: the result of a send and the event pulses.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Outcome {
    /// Of a send, and of no other op.
    pub result: Option<SendResult>,
    /// An ACK's EV was written to the ring.
    pub ev_cached: bool,
    /// An ACK's EV was dropped for ECN.
    pub ev_dropped: bool,
    pub freeze_entered: bool,
    pub freeze_left: bool,
}

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

/// The engine.
#[derive(Clone, Debug)]
pub struct Reps {
    params: Params,
    connections: Vec<Connection>,
    rng: Rng,
}

impl Reps {
    /// The engine as it is when `op_ready` first rises after `rst`.
    ///
    /// # Panics
    /// On a parameter outside its range, as a checked configuration never has.
    pub fn new(params: Params) -> Self {
        let Params { connections, depth, ev_base, ev_bits, time_bits, .. } = params;
        assert!((1..=16384).contains(&connections), "connections must be 1..=16384, not {connections}");
        assert!((1..=MAX_DEPTH).contains(&depth.into()), "depth must be 1..=32, not {depth}");
        assert!((1..=16).contains(&ev_bits), "ev_bits must be 1..=16, not {ev_bits}");
        assert!((1..=32).contains(&time_bits), "time_bits must be 1..=32, not {time_bits}");
        assert!(
            u32::from(ev_base) % (1 << ev_bits) == 0,
            "ev_base {ev_base} is not a multiple of 2^{ev_bits}"
        );
        let mut reps = Reps {
            params,
            connections: vec![Connection::default(); connections as usize],
            rng: Rng::reset(),
        };
        reps.reset();
        reps
    }

    /// `rst`: every connection as after `Init`, the generator seeded anew.
    pub fn reset(&mut self) {
        self.connections.fill(Connection::default());
        self.rng = Rng::seeded(self.params.seed, self.params.connections);
    }

    /// `rst` with another value at the port `seed`.
    pub fn reset_with_seed(&mut self, seed: u16) {
        self.params.seed = seed;
        self.reset();
    }

    pub fn params(&self) -> &Params {
        &self.params
    }

    /// State of a connection below `connections`.
    pub fn connection(&self, conn: u16) -> &Connection {
        &self.connections[usize::from(conn)]
    }

    /// Executes one op. Panics if `op.conn` is not below `connections`.
    pub fn apply(&mut self, op: &Op) -> Outcome {
        let Params { depth, variant, time_bits, .. } = self.params;
        let c = &mut self.connections[usize::from(op.conn)];
        match (op.kind, variant) {
            (OpKind::Send, Variant::Paper) => c.send_paper(depth, || random_ev(&self.params, &mut self.rng)),
            (OpKind::Send, Variant::Uet) => c.send_uet(depth, || random_ev(&self.params, &mut self.rng)),
            (OpKind::Ack, Variant::Paper) => c.ack_paper(depth, time_bits, op),
            (OpKind::Timeout, Variant::Paper) => c.failure_detected(op),
            (OpKind::Nack, Variant::Paper) | (OpKind::Reserved, _) => Outcome::default(),
            (OpKind::Ack | OpKind::Nack | OpKind::Timeout, Variant::Uet) => {
                c.feedback_uet(depth, time_bits, op)
            }
            (OpKind::Init, _) => {
                *c = Connection::default();
                Outcome::default()
            }
        }
    }
}

/// A2:16 `rand() % EVS_SIZE`, from `ev_base` on.
fn random_ev(params: &Params, rng: &mut Rng) -> u16 {
    params.ev_base | (u32::from(rng.step()) % (1 << params.ev_bits)) as u16
}

/// `now` is past `time`: the difference as a signed number of `time_bits` is above 0.
fn is_past(now: u32, time: u32, time_bits: u8) -> bool {
    let unused = 32 - u32::from(time_bits);
    (now.wrapping_sub(time) << unused) as i32 > 0
}

impl Connection {
    /// Algorithm 1, `ONACK`.
    fn ack_paper(&mut self, depth: u8, time_bits: u8, op: &Op) -> Outcome {
        let mut outcome = Outcome::default();
        if op.ecn {
            outcome.ev_dropped = true;
            return outcome; // A1:6-8
        }
        self.cache(depth, op.ev);
        outcome.ev_cached = true;
        if self.is_freezing && is_past(op.now, self.exit_freezing, time_bits) {
            self.is_freezing = false; // A1:16
            self.explore_counter = op.bdp_packets; // A1:17
            outcome.freeze_left = true;
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
            self.exit_freezing = op.now.wrapping_add(op.freeze_timeout); // A1:24
            outcome.freeze_entered = true;
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
        sent(SendKind::Explore, random_ev())
    }

    /// A2:4-6, 11.
    fn recycle(&mut self, depth: u8) -> Outcome {
        let offset = (self.head + depth - self.num_valid) % depth; // A2:4
        self.is_valid[usize::from(offset)] = false; // A2:5
        self.num_valid -= 1; // A2:6
        sent(SendKind::Recycle, self.cached_ev[usize::from(offset)])
    }

    fn replay_from(&self, slot: u8) -> Outcome {
        sent(SendKind::Replay, self.cached_ev[usize::from(slot)])
    }

    /// Ultra Ethernet: any feedback.
    fn feedback_uet(&mut self, depth: u8, time_bits: u8, op: &Op) -> Outcome {
        let mut outcome = Outcome::default();
        if op.kind == OpKind::Timeout {
            outcome = self.failure_detected(op);
        }
        if self.is_freezing && is_past(op.now, self.exit_freezing, time_bits) {
            // the ring is emptied: nothing of this connection is left but the packets to explore
            *self = Connection { explore_counter: op.bdp_packets, ..Connection::default() };
            outcome.freeze_left = true;
        }
        if op.kind == OpKind::Ack {
            if op.ecn {
                outcome.ev_dropped = true;
            } else {
                self.cache(depth, op.ev);
                outcome.ev_cached = true;
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

fn sent(kind: SendKind, ev: u16) -> Outcome {
    Outcome { result: Some(SendResult { kind, ev }), ..Outcome::default() }
}
