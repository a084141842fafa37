//! Random ops of Flowcut in a NIC.
//!
//! A golden engine stands beside the stream and takes its ops, so that most ACKs are of bytes that are on their way. Time is cut into
//! phases of some hundred ops. Each phase draws anew how many ops are sends and how many ACKs, how long RTTs are and how they are spread,
//! the settings, whether ops go back to back, and which connections are hot. RTTs lie about the limit of the ratio, so that drains
//! begin and end, or anywhere; one phase in sixteen fills a connection to half the circle of counts; times and counts are small in some,
//! so that limits are met exactly. Some phases stay with one connection, which does not start anew.

use rand::rngs::Xoshiro256PlusPlus;
use rand::{RngExt, SeedableRng};
use respray_golden::flowcut::{Engine, HALF_CIRCLE};
use respray_hdl::config::Config;
use respray_hdl::cores::flowcut::contract::{ACK, INIT, NACK, Op, SEND, SET_MIN, TIMEOUT};

use super::{golden_op, params};
use crate::traffic::random::{Deep, MOST_HOT, Resets, below, idle_edges, knobs, one_in, scaled};
use crate::traffic::stimulus::{Entry, Event};

knobs! {
    /// What the stream is like. Shares are of all ops, 0 to 1.
    pub struct Knobs {
        /// Connections that are hot in a phase: 1 to 64.
        hot_set: set = 4,
        /// Share of ops on the hot connections.
        hot_share: share = 0.9,
        /// Share of ACKs that are repeated, too old, or of bytes never sent.
        bad_ack_share: share = 0.05,
        /// Share of ACKs after which nothing is on its way.
        emptying_share: share = 0.25,
        /// Share of retransmissions among sends.
        rtx_share: share = 0.05,
        /// Share of timeouts.
        timeout_share: share = 0.02,
        /// Share of trimmed packets, which change nothing.
        nack_share: share = 0.01,
        /// Share of connections started anew.
        init_share: share = 0.005,
        /// Share of minimums that are set.
        set_min_share: share = 0.005,
        /// Share of op kinds 6 and 7, which change nothing.
        reserved_share: share = 0.01,
        /// Share of phases with times and settings anywhere in their range.
        wild_share: share = 0.2,
        /// Share of ops with idle edges before them, in the half of all phases that are not back to back.
        idle_share: share = 0.4,
    }
}

const COUNT_MASK: u32 = (1 << 24) - 1;
const MOST_BYTES: u32 = (1 << 14) - 1;

/// What the ops of one phase have in common.
#[derive(Clone, Debug, Default)]
struct Phase {
    ops_left: u32,
    /// Of sends and ACKs, sends are those below this, of 256.
    sends_below: u16,
    /// A connection is to be filled.
    is_fill: bool,
    bytes_mask: u32,
    time_mask: u32,
    base: u32,
    /// RTTs go up to this many above the base.
    spread: u32,
    /// Most RTTs are this one, so that an average comes to rest at its limit.
    steady: Option<u32>,
    serial_mask: u32,
    class_mask: u8,
    idle_below: u16,
    settings: Op,
}

/// The stream: endless.
#[derive(Clone, Debug)]
pub struct RandomOps {
    rng: Xoshiro256PlusPlus,
    knobs: Knobs,
    /// Op kind by a random byte; `None`: a send or an ACK.
    kinds: Vec<Option<u8>>,
    hot: [u16; MOST_HOT],
    hot_below: u16,
    bad_below: u16,
    emptying_below: u16,
    rtx_below: u16,
    idle_below: u16,
    time_mask: u32,
    phase: Phase,
    now: u32,
    beside: Engine,
    seed: u16,
    deep: Deep,
    resets: Resets,
}

impl RandomOps {
    /// The stream of this seed.
    pub fn new(seed: u64, knobs: &Knobs, config: &Config) -> Self {
        let mut rng = Xoshiro256PlusPlus::seed_from_u64(seed);
        RandomOps {
            resets: Resets::new(knobs.ops_per_reset, &mut rng),
            deep: Deep::new(knobs.deep_share),
            now: rng.random(),
            rng,
            kinds: kinds(knobs),
            hot: [0; MOST_HOT],
            hot_below: below(knobs.hot_share),
            bad_below: below(knobs.bad_ack_share),
            emptying_below: below(knobs.emptying_share),
            rtx_below: below(knobs.rtx_share),
            idle_below: below(knobs.idle_share),
            time_mask: (1 << config.flowcut.time_bits) - 1,
            phase: Phase::default(),
            beside: Engine::new(params(config, 0)),
            seed: 0,
            knobs: knobs.clone(),
        }
    }

    #[cold]
    fn next_phase(&mut self) {
        let rng = &mut self.rng;
        let is_deep = self.deep.begin_phase(rng, self.knobs.connections);
        let is_wild = rng.random::<f64>() < self.knobs.wild_share;
        let is_fill = one_in(rng, 16);
        let bits = self.time_mask.count_ones();
        let base_bits = rng.random_range(2..bits - 2);
        let is_steady = one_in(rng, 4);
        let base = if is_steady {
            rng.random_range(0..=self.time_mask)
        } else {
            rng.random_range(0..1 << base_bits)
        };
        let ratio: u8 =
            if is_wild || one_in(rng, 4) { rng.random_range(0..64) } else { rng.random_range(2..12) };
        // averages lie about the limit, ratio halves of the smallest RTT
        let about = (u64::from(base) * u64::from(ratio) * 3 / 4).clamp(2, self.time_mask.into()) as u32;
        let limit = (u64::from(base) * u64::from(ratio) / 2).min(self.time_mask.into()) as u32;
        self.phase = Phase {
            ops_left: match is_fill {
                true => rng.random_range(600..1600),
                false if is_deep => self.deep.ops(rng),
                false => rng.random_range(16..1024),
            },
            sends_below: if is_fill { 256 } else { rng.random_range(64..192) },
            is_fill,
            bytes_mask: if is_fill { MOST_BYTES } else { mask(rng.random_range(1..=14)) },
            time_mask: mask(rng.random_range(0..bits)),
            base,
            steady: is_steady.then_some(limit),
            spread: if is_wild { self.time_mask } else { about },
            serial_mask: if one_in(rng, 2) { 0 } else { mask(rng.random_range(0..bits - 4)) },
            class_mask: mask(rng.random_range(0..=4)) as u8,
            idle_below: if one_in(rng, 2) { 0 } else { self.idle_below },
            settings: Op {
                rtt_floor: match rng.random_range(0..8_u32) {
                    0 => rng.random_range(0..=self.time_mask),
                    1..4 => base,
                    _ => 0,
                },
                ratio,
                alpha: if is_wild { rng.random_range(0..8) } else { rng.random_range(1..=5) },
                hold: !is_fill && !one_in(rng, 8),
                timeout_reroutes: rng.random(),
                ..Op::default()
            },
        };
        self.deep.heat(&mut self.hot, || rng.random_range(0..self.knobs.connections) as u16);
    }

    /// Bytes of a send: now and then just as many as half the circle of counts has room for, one fewer, or one more.
    #[inline]
    fn bytes(&mut self, conn: u16, bits: u32) -> u16 {
        let room = HALF_CIRCLE - self.beside.connection(conn).in_flight();
        if room <= MOST_BYTES && bits & 0x3 == 0 {
            return (room + (bits >> 2) % 3).saturating_sub(1).min(MOST_BYTES) as u16;
        }
        let least = if self.phase.is_fill { MOST_BYTES & !0xfff } else { 0 };
        (bits >> 8 & self.phase.bytes_mask | least) as u16
    }

    /// Bytes that an ACK tells of.
    #[inline]
    fn recvd(&mut self, conn: u16, bits: u64) -> u32 {
        let connection = self.beside.connection(conn);
        let in_flight = connection.in_flight();
        let more = (bits >> 16) as u32;
        let forward = if bits as u8 as u16 >= self.bad_below {
            match (bits >> 8) as u8 {
                emptying if u16::from(emptying) < self.emptying_below => in_flight,
                _ => 1 + ((u64::from(more) * u64::from(in_flight)) >> 32) as u32,
            }
        } else {
            match more & 7 {
                0 => 0,
                1 => in_flight + 1,
                2 => in_flight + (more >> 3 & 0xfff),
                3 => (more >> 3 & 0xfff).wrapping_neg(),
                4 => in_flight + (1 << 23),
                _ => more >> 3,
            }
        };
        connection.recvd.wrapping_add(forward) & COUNT_MASK
    }

    /// The RTT of an ACK: about the phase's, or just at the least one that is a sample.
    #[inline]
    fn rtt(&mut self, serial: u32, bits: u64) -> u32 {
        let Phase { base, spread, steady, settings, .. } = &self.phase;
        if let Some(steady) = steady
            && bits & 0xf0 != 0
        {
            return steady.wrapping_add(serial);
        }
        if bits & 0xf == 0 {
            return (settings.rtt_floor + serial).wrapping_sub((bits >> 4 & 1) as u32);
        }
        let above = ((bits >> 32) * (u64::from(*spread) + 1)) >> 32;
        let above = if bits & 0x30 == 0 { 0 } else { above as u32 };
        (base + above).wrapping_add(serial)
    }
}

#[inline]
fn mask(bits: u32) -> u32 {
    ((1_u64 << bits) - 1) as u32
}

/// How likely each op kind is, in 1024ths; what is not taken by the others is sends and ACKs.
fn kinds(knobs: &Knobs) -> Vec<Option<u8>> {
    let slots = |share: f64| if share > 0.0 { (share * 1024.0).round().max(1.0) as usize } else { 0 };
    let mut kinds = Vec::new();
    let mut add = |kind: u8, count: usize| kinds.extend(std::iter::repeat_n(Some(kind), count));
    add(TIMEOUT, slots(knobs.timeout_share));
    add(NACK, slots(knobs.nack_share));
    add(INIT, slots(knobs.init_share));
    add(SET_MIN, slots(knobs.set_min_share));
    (6..=7).for_each(|kind| add(kind, slots(knobs.reserved_share / 2.0)));
    kinds.resize(1024, None);
    kinds
}

impl Iterator for RandomOps {
    type Item = Entry<Op>;

    #[inline]
    fn next(&mut self) -> Option<Entry<Op>> {
        if !self.resets.op_is_next() {
            let (idle, seed) = self.resets.next_edge(&mut self.rng);
            self.seed = seed.unwrap_or(self.seed);
            self.beside.reset(self.seed);
            return Some(Entry::after(idle, Event::Reset { seed }));
        }
        if self.phase.ops_left == 0 {
            self.next_phase();
        }
        self.phase.ops_left -= 1;
        let (first, second, third) =
            (self.rng.random::<u64>(), self.rng.random::<u64>(), self.rng.random::<u64>());
        let byte = |bits: u64, from: u32| u16::from((bits >> from) as u8);
        let conn = if byte(first, 0) < self.deep.hot_below(self.hot_below) {
            let set = if self.phase.is_fill { 1 } else { self.knobs.hot_set };
            self.hot[scaled((first >> 8) as u16, set) as usize]
        } else {
            scaled((first >> 8) as u16, self.knobs.connections) as u16
        };
        self.now = self.now.wrapping_add((first >> 24) as u32 & self.phase.time_mask) & self.time_mask;
        let kind = self.kinds[(first >> 52) as usize & 1023];
        let kind = kind.unwrap_or(if byte(first, 44) < self.phase.sends_below { SEND } else { ACK });
        // what fills or gets old must not start anew
        let keeps = self.deep.keeps(conn) || self.phase.is_fill && first >> 40 & 0xf != 0;
        let kind = if keeps && kind == INIT { SEND } else { kind };
        let serial = (second >> 8) as u32 & self.phase.serial_mask;
        let idle =
            if byte(second, 0) < self.phase.idle_below { idle_edges(second.rotate_right(6)) } else { 0 };
        let timestamp = match kind {
            ACK => self.now.wrapping_sub(self.rtt(serial, third)),
            INIT if third & 1 == 0 => 0,
            _ => (third >> 1) as u32 >> (third >> 40 & 15),
        };
        let op = Op {
            kind,
            conn,
            bytes: if kind == SEND {
                self.bytes(conn, (second >> 32) as u32)
            } else {
                (second >> 40) as u16 & 0x3fff
            },
            rtx: byte(third, 56) < self.rtx_below,
            recvd: match kind {
                ACK => self.recvd(conn, second.rotate_left(24)),
                // counts that soon go around
                INIT if third & 2 == 0 => COUNT_MASK - ((second >> 20) as u32 & 0x7fff),
                _ => (second >> 20) as u32 & COUNT_MASK,
            },
            timestamp: timestamp & self.time_mask,
            class: (first >> 60) as u8 & self.phase.class_mask,
            serial: serial & self.time_mask,
            now: self.now,
            ..self.phase.settings
        };
        self.beside.apply(&golden_op(&op));
        Some(Entry::after(idle, Event::Op(op)))
    }
}
