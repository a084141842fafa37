//! Random ops of `sack_rx`.
//!
//! Time is cut into phases of some hundred ops. Each phase draws anew how packets come (in order, reordered, over holes
//! that stay until the window is full, anywhere), how far they run ahead of the lowest hole, how many bytes and what
//! threshold they have, whether ops go back to back, and which connections are hot. For each connection the stream
//! remembers the next PSN and some holes before it, as a sender does; it does not know what the engine makes of that.
//! So windows fill and close in one advance, duplicates come below EPSN and above it, PSNs wrap, and ops of
//! one connection meet in the engine. Some phases stay with one connection, which does not start anew.

use rand::rngs::Xoshiro256PlusPlus;
use rand::{Rng, RngExt, SeedableRng};
use respray_golden::psn::PsnSpace;
use respray_golden::sack_rx::Params;

use respray_hdl::cores::sack_rx::contract::Op;

use crate::traffic::random::{Deep, MOST_HOT, Resets, below, idle_edges, knobs, one_in, scaled};
use crate::traffic::stimulus::{Entry, Event};

/// Holes that a connection remembers.
const HOLES: usize = 8;

knobs! {
    /// What the stream is like. Shares are of all ops, 0 to 1.
    pub struct Knobs {
        /// Connections that are hot in a phase: 1 to 64.
        hot_set: set = 4,
        /// Share of ops on the hot connections.
        hot_share: share = 0.9,
        /// Share of connections started anew.
        init_share: share = 0.004,
        /// Share of connections closed at work.
        close_share: share = 0.0005,
        /// Share of connections started anew whose first PSN is within two windows of the wrap.
        wrap_share: share = 0.5,
        /// Share of probes.
        probe_share: share = 0.04,
        /// Share of packets that came before.
        duplicate_share: share = 0.04,
        /// Share of packets about the far end of the window and anywhere.
        outside_share: share = 0.04,
        /// Share of packets that ask for a SACK.
        ack_request_share: share = 0.06,
        /// Share of packets marked CE.
        ecn_share: share = 0.2,
        /// Share of ops with idle edges before them, in the half of all phases that are not back to back.
        idle_share: share = 0.4,
    }
}

/// What the ops of one phase have in common.
#[derive(Clone, Debug, Default)]
struct Phase {
    ops_left: u32,
    /// A packet leaves a hole before it below this, of 256.
    skip_below: u16,
    /// A packet fills a hole below this, of 256.
    fill_below: u16,
    /// Holes that a connection has at a time.
    most_holes: usize,
    /// Holes that a packet leaves, at most one more than this.
    gap_mask: u32,
    /// Where packets are this far ahead of the lowest hole, the hole is filled.
    reach: u32,
    /// Ops have idle edges before them below this, of 256.
    idle_below: u16,
    ack_request_below: u16,
    bytes_mask: u16,
    threshold_mask: u16,
}

/// What the stream remembers of a connection.
#[derive(Clone, Copy, Debug, Default)]
struct Connection {
    /// The packet that was not sent yet.
    next: u32,
    /// PSNs before it that were left out, lowest first.
    holes: [u32; HOLES],
    count: u8,
    /// It was started since the reset of this number.
    started: u32,
}

impl Connection {
    /// The lowest PSN not sent.
    fn lowest(&self) -> u32 {
        if self.count > 0 { self.holes[0] } else { self.next }
    }

    fn ahead(&self, psns: PsnSpace) -> u32 {
        psns.distance(self.lowest(), self.next)
    }

    /// Leaves out the next PSN. No more than [`HOLES`] are remembered.
    fn skip(&mut self, psns: PsnSpace) {
        self.holes[usize::from(self.count)] = self.next;
        self.count += 1;
        self.next = psns.add(self.next, 1);
    }

    /// Sends a PSN that was left out.
    fn fill(&mut self, hole: usize) -> u32 {
        let psn = self.holes[hole];
        self.holes.copy_within(hole + 1.., hole);
        self.count -= 1;
        psn
    }
}

/// Bounds of a random word for what an op is, each on top of the one before, of 65536.
#[derive(Clone, Copy, Debug)]
struct Bounds {
    init: u32,
    close: u32,
    probe: u32,
    duplicate: u32,
    outside: u32,
}

/// The stream: endless.
#[derive(Clone, Debug)]
pub struct RandomOps {
    rng: Xoshiro256PlusPlus,
    knobs: Knobs,
    window: u32,
    psns: PsnSpace,
    bounds: Bounds,
    hot: [u16; MOST_HOT],
    hot_below: u16,
    ecn_below: u16,
    wrap_below: u16,
    phase: Phase,
    connections: Vec<Connection>,
    /// Number of the last reset, from 1.
    reset: u32,
    deep: Deep,
    resets: Resets,
}

impl RandomOps {
    /// The stream of this seed for an engine with these parameters.
    pub fn new(seed: u64, knobs: &Knobs, params: Params) -> Self {
        let mut rng = Xoshiro256PlusPlus::seed_from_u64(seed);
        let slots = |share: f64| (share * 65536.0).round() as u32;
        let init = slots(knobs.init_share);
        let close = init + slots(knobs.close_share);
        let probe = close + slots(knobs.probe_share);
        let duplicate = probe + slots(knobs.duplicate_share);
        RandomOps {
            resets: Resets::new(knobs.ops_per_reset, &mut rng),
            deep: Deep::new(knobs.deep_share),
            rng,
            window: params.window,
            psns: params.psns,
            bounds: Bounds { init, close, probe, duplicate, outside: duplicate + slots(knobs.outside_share) },
            hot: [0; MOST_HOT],
            hot_below: below(knobs.hot_share),
            ecn_below: below(knobs.ecn_share),
            wrap_below: below(knobs.wrap_share),
            phase: Phase::default(),
            connections: vec![Connection::default(); knobs.connections as usize],
            reset: 1,
            knobs: knobs.clone(),
        }
    }

    #[cold]
    fn next_phase(&mut self) {
        let rng = &mut self.rng;
        let is_deep = self.deep.begin_phase(rng, self.knobs.connections);
        let word = |rng: &mut Xoshiro256PlusPlus| ((1_u32 << rng.random_range(0..=16)) - 1) as u16;
        let (skip_below, fill_below, most_holes) = match rng.random_range(0..5) {
            // in order
            0 => (0, 64, 0),
            // reordered
            1 => (48, 96, HOLES),
            // holes that stay until packets are at the phase's reach
            2 => (8, 0, HOLES),
            // a single one, behind which a whole window comes
            3 => (32, 0, 1),
            _ => (24, 16, HOLES),
        };
        self.phase = Phase {
            ops_left: if is_deep { self.deep.ops(rng) } else { rng.random_range(64..2048) },
            skip_below,
            fill_below,
            most_holes,
            gap_mask: (1 << rng.random_range(0..4)) - 1,
            reach: match rng.random_range(0..4) {
                0 => rng.random_range(1..=self.window),
                1 => self.window - 1,
                _ => self.window,
            },
            idle_below: if one_in(rng, 2) { 0 } else { below(self.knobs.idle_share) },
            ack_request_below: if one_in(rng, 8) { 256 } else { below(self.knobs.ack_request_share) },
            bytes_mask: word(rng),
            threshold_mask: word(rng),
        };
        self.deep.heat(&mut self.hot, || rng.random_range(0..self.knobs.connections) as u16);
    }

    /// The first PSN of a connection: near the wrap, at a multiple of the window, or anywhere.
    #[cold]
    fn first_psn(&mut self) -> u32 {
        let rng = &mut self.rng;
        let window = self.window;
        let psn = if rng.random_range(0..256) < self.wrap_below {
            rng.random_range(0..2 * window).wrapping_neg()
        } else if one_in(rng, 2) {
            (rng.random::<u32>() / window * window).wrapping_add(rng.random_range(0..3)).wrapping_sub(1)
        } else {
            rng.random()
        };
        self.psns.wrap(psn)
    }

    #[inline(always)]
    fn packet(&mut self, conn: usize, [fill, skip]: [u8; 2], place: u16) -> u32 {
        let (phase, psns) = (&self.phase, self.psns);
        let connection = &mut self.connections[conn];
        if connection.count > 0 {
            if connection.ahead(psns) >= phase.reach {
                return connection.fill(0);
            }
            if u16::from(fill) < phase.fill_below {
                return connection.fill(scaled(place, connection.count.into()) as usize);
            }
        }
        if u16::from(skip) < phase.skip_below {
            for _ in 0..=u32::from(place) & phase.gap_mask {
                // beyond the window it would be refused, and the stream would not send it again
                if usize::from(connection.count) < phase.most_holes
                    && connection.ahead(psns) + 1 < self.window
                {
                    connection.skip(psns);
                }
            }
        }
        let psn = connection.next;
        connection.next = psns.add(psn, 1);
        psn
    }

    /// A PSN that was sent before, or one of a hole: of the last window and the half below it.
    fn sent_before(&self, conn: usize, place: u16) -> u32 {
        let back = 1 + scaled(place, self.window + self.window / 2);
        self.psns.sub(self.connections[conn].next, back)
    }

    /// A PSN about the far end of the window, ahead within it, anywhere, or as far as 24 bits do not tell.
    fn far(&self, conn: usize, place: u16, random: u32) -> u32 {
        let connection = &self.connections[conn];
        let psn = match random >> 30 {
            0 => connection.lowest().wrapping_add(self.window + scaled(place, 4) - 2),
            1 => connection.next.wrapping_add(scaled(place, self.window)),
            2 => connection.lowest().wrapping_sub(self.psns.half()).wrapping_add(scaled(place, 4)),
            _ => random,
        };
        // of PSNs with more than 24 bits one in four is another one in its upper bits alone
        let above = if random >> 28 & 3 == 0 { random << 24 } else { 0 };
        self.psns.add(psn, above)
    }
}

impl Iterator for RandomOps {
    type Item = Entry<Op>;

    #[inline]
    fn next(&mut self) -> Option<Entry<Op>> {
        if !self.resets.op_is_next() {
            let (idle, _) = self.resets.next_edge(&mut self.rng);
            self.reset += 1;
            return Some(Entry::after(idle, Event::Reset { seed: None }));
        }
        if self.phase.ops_left == 0 {
            self.next_phase();
        }
        self.phase.ops_left -= 1;
        let [hot, fill, skip, idle, conn_0, conn_1, what_0, what_1] = self.rng.next_u64().to_le_bytes();
        let words = self.rng.next_u64();
        let [ecn, request, place_0, place_1, ev_0, ev_1, time_0, time_1] = words.to_le_bytes();
        let conn = u16::from_le_bytes([conn_0, conn_1]);
        let conn = if u16::from(hot) < self.deep.hot_below(self.hot_below) {
            self.hot[scaled(conn, self.knobs.hot_set) as usize]
        } else {
            scaled(conn, self.knobs.connections) as u16
        };
        let place = u16::from_le_bytes([place_0, place_1]);
        // the high bits of the product depend on all bits of the words
        let mixed = words.wrapping_mul(0x9e37_79b9_7f4a_7c15);
        let what = u32::from(u16::from_le_bytes([what_0, what_1]));
        let at = usize::from(conn);
        let bounds = self.bounds;
        // after a reset most connections are started before anything else comes
        let unstarted = self.connections[at].started != self.reset && what & 7 != 0;
        let mut probe = false;
        let mut kind = 0;
        let psn = if unstarted && self.knobs.init_share > 0.0 || what < bounds.init && !self.deep.keeps(conn)
        {
            kind = 1;
            probe = what & 1 == 1;
            let next = self.first_psn();
            self.connections[at] = Connection { next, started: self.reset, ..Connection::default() };
            next
        } else if (bounds.init..bounds.close).contains(&what) && !self.deep.keeps(conn) {
            // one in four has the code that is reserved
            kind = if what & 3 == 0 { 3 } else { 2 };
            probe = ev_0 & 1 == 1;
            self.connections[at].started = 0;
            self.sent_before(at, place)
        } else if what < bounds.probe {
            probe = true;
            if what & 1 == 0 { self.sent_before(at, place) } else { self.far(at, place, mixed as u32) }
        } else if what < bounds.duplicate {
            self.sent_before(at, place)
        } else if what < bounds.outside {
            self.far(at, place, (mixed >> 24) as u32)
        } else {
            self.packet(at, [fill, skip], place)
        };
        let phase = &self.phase;
        let op = Op {
            kind,
            ecn: u16::from(ecn) < self.ecn_below,
            ack_request: u16::from(request) < phase.ack_request_below,
            probe,
            conn,
            bytes: (mixed >> 48) as u16 & phase.bytes_mask,
            ev: u16::from_le_bytes([ev_0, ev_1]),
            timestamp: u16::from_le_bytes([time_0, time_1]),
            sack_threshold: (mixed >> 32) as u16 & phase.threshold_mask,
            psn,
        };
        let idle = if u16::from(idle) < phase.idle_below { idle_edges(words) } else { 0 };
        Some(Entry::after(idle, Event::Op(op)))
    }
}
