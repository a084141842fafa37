//! Random ops of `reps`.
//!
//! Time is cut into phases of some hundred ops. Each phase draws anew what its ops are like (mostly ACKs, mostly sends,
//! failures, mixed), how fast time runs, how long freezes last, how many packets a BDP has, how wide EVs are spread,
//! whether ops go back to back, and which connections are hot. So rings fill and drain, freezes begin, outlast the
//! cached EVs and end, times wrap, and ops of one connection meet in the pipeline.

use rand::rngs::Xoshiro256PlusPlus;
use rand::{Rng, RngExt, SeedableRng};

use super::{Given, KnobError, Resets, below, idle_edges, one_in, scaled};
use crate::lockstep::core::{Entry, Event};
use crate::lockstep::reps::RepsOp;

/// What the stream is like. Shares are of all ops, 0 to 1.
#[derive(Clone, Debug, PartialEq)]
pub struct Knobs {
    /// Connections in use, from 0: 1 to `connections` of the configuration.
    pub connections: u32,
    /// Connections that are hot in a phase: 1 to 64.
    pub hot_set: u32,
    /// Share of ops on the hot connections.
    pub hot_share: f64,
    /// Share of ACKs marked CE; a phase in sixteen marks all.
    pub ecn_share: f64,
    /// Share of timeouts; eight times as many in a phase of failures.
    pub timeout_share: f64,
    /// Share of trimmed packets.
    pub nack_share: f64,
    /// Share of connections started anew while other ops of theirs are in the pipeline.
    pub init_share: f64,
    /// Share of op kinds 5 to 7, which change nothing.
    pub reserved_share: f64,
    /// Share of ops with idle edges before them, in the half of all phases that are not back to back.
    pub idle_share: f64,
    /// Ops between resets on average; 0: none.
    pub ops_per_reset: u64,
}

const MAX_HOT_SET: u32 = 64;

impl super::Knobs for Knobs {
    const NAMES: &'static [&'static str] = &[
        "connections",
        "hot_set",
        "hot_share",
        "ecn_share",
        "timeout_share",
        "nack_share",
        "init_share",
        "reserved_share",
        "idle_share",
        "ops_per_reset",
    ];

    fn new(connections: u32) -> Self {
        Knobs {
            connections,
            hot_set: 4,
            hot_share: 0.6,
            ecn_share: 0.2,
            timeout_share: 0.02,
            nack_share: 0.02,
            init_share: 0.005,
            reserved_share: 0.01,
            idle_share: 0.4,
            ops_per_reset: 64 * u64::from(connections.max(256)),
        }
    }

    fn put(&mut self, given: &Given<'_>, connections: u32) -> Result<(), KnobError> {
        match given.knob {
            "connections" => self.connections = given.whole(1..=u64::from(connections))? as u32,
            "hot_set" => self.hot_set = given.whole(1..=u64::from(MAX_HOT_SET))? as u32,
            "hot_share" => self.hot_share = given.share()?,
            "ecn_share" => self.ecn_share = given.share()?,
            "timeout_share" => self.timeout_share = given.share()?,
            "nack_share" => self.nack_share = given.share()?,
            "init_share" => self.init_share = given.share()?,
            "reserved_share" => self.reserved_share = given.share()?,
            "idle_share" => self.idle_share = given.share()?,
            _ => self.ops_per_reset = given.whole(0..=u64::MAX)?,
        }
        Ok(())
    }

    fn values(&self) -> Vec<String> {
        vec![
            self.connections.to_string(),
            self.hot_set.to_string(),
            self.hot_share.to_string(),
            self.ecn_share.to_string(),
            self.timeout_share.to_string(),
            self.nack_share.to_string(),
            self.init_share.to_string(),
            self.reserved_share.to_string(),
            self.idle_share.to_string(),
            self.ops_per_reset.to_string(),
        ]
    }
}

/// Op kind by a random byte.
type KindTable = [u8; 256];

/// What the ops of one phase have in common.
#[derive(Clone, Debug)]
struct Phase {
    ops_left: u32,
    mix: usize,
    /// Ops are marked CE below this, of 256.
    ecn_below: u16,
    /// Ops have idle edges before them below this, of 256.
    idle_below: u16,
    time_step_mask: u32,
    freeze_timeout_mask: u32,
    /// Freeze timeouts at the far end of the range: times just past half of it.
    freeze_timeout_base: u32,
    bdp_mask: u8,
    bdp_base: u8,
    ev_mask: u16,
}

/// The stream: endless.
#[derive(Clone, Debug)]
pub struct RandomOps {
    rng: Xoshiro256PlusPlus,
    knobs: Knobs,
    mixes: [KindTable; 4],
    time_mask: u32,
    time_bits: u32,
    hot: [u16; MAX_HOT_SET as usize],
    hot_below: u16,
    ecn_below: u16,
    idle_below: u16,
    phase: Phase,
    now: u32,
    resets: Resets,
}

impl RandomOps {
    /// The stream of this seed for an engine whose times have `time_bits`, 16 or 32.
    pub fn new(seed: u64, knobs: &Knobs, time_bits: u32) -> Self {
        let phase = Phase {
            ops_left: 0,
            mix: 0,
            ecn_below: 0,
            idle_below: 0,
            time_step_mask: 0,
            freeze_timeout_mask: 0,
            freeze_timeout_base: 0,
            bdp_mask: 0,
            bdp_base: 0,
            ev_mask: 0,
        };
        let mut rng = Xoshiro256PlusPlus::seed_from_u64(seed);
        RandomOps {
            resets: Resets::new(knobs.ops_per_reset, &mut rng),
            rng,
            // mixed, filling, draining, failing: share of sends among sends and ACKs, and how often timeouts are
            mixes: [(0.5, 1.0), (0.25, 1.0), (0.8, 1.0), (0.85, 8.0)]
                .map(|(sends, timeouts)| kind_table(knobs, sends, timeouts)),
            time_mask: ((1_u64 << time_bits) - 1) as u32,
            time_bits,
            hot: [0; MAX_HOT_SET as usize],
            hot_below: below(knobs.hot_share),
            ecn_below: below(knobs.ecn_share),
            idle_below: below(knobs.idle_share),
            phase,
            now: 0,
            knobs: knobs.clone(),
        }
    }

    #[cold]
    fn next_phase(&mut self) {
        let time_bits = self.time_bits;
        let rng = &mut self.rng;
        let mask = |bits: u32| ((1_u64 << bits) - 1) as u32;
        self.phase = Phase {
            ops_left: rng.random_range(16..1024),
            mix: rng.random_range(0..self.mixes.len()),
            ecn_below: if one_in(rng, 16) { 256 } else { self.ecn_below },
            idle_below: if one_in(rng, 2) { 0 } else { self.idle_below },
            time_step_mask: mask(rng.random_range(0..time_bits - 1)),
            freeze_timeout_mask: mask(rng.random_range(0..=time_bits)),
            freeze_timeout_base: if one_in(rng, 8) { 1 << (time_bits - 1) } else { 0 },
            bdp_mask: mask(rng.random_range(0..=8)) as u8,
            bdp_base: if one_in(rng, 4) { 16 } else { 0 },
            ev_mask: if one_in(rng, 4) { 7 } else { 0xffff },
        };
        for hot in &mut self.hot {
            *hot = rng.random_range(0..self.knobs.connections) as u16;
        }
    }
}

/// How likely each op kind is, in 256ths; what is not taken by the others is sends and ACKs.
fn kind_table(knobs: &Knobs, sends: f64, timeouts: f64) -> KindTable {
    let slots = |share: f64| if share > 0.0 { (share * 256.0).round().max(1.0) as usize } else { 0 };
    let mut kinds: Vec<u8> = Vec::new();
    let mut add = |kind: u8, count: usize| kinds.extend(std::iter::repeat_n(kind, count));
    add(3, slots(knobs.timeout_share * timeouts));
    add(2, slots(knobs.nack_share));
    add(4, slots(knobs.init_share));
    (5..=7).for_each(|kind| add(kind, slots(knobs.reserved_share / 3.0)));
    kinds.truncate(256);
    let rest = 256 - kinds.len();
    let sends = (rest as f64 * sends).round() as usize;
    kinds.extend(std::iter::repeat_n(0, sends));
    kinds.resize(256, 1);
    std::array::from_fn(|index| kinds[index])
}

impl Iterator for RandomOps {
    type Item = Entry<RepsOp>;

    #[inline]
    fn next(&mut self) -> Option<Entry<RepsOp>> {
        if !self.resets.op_is_next() {
            let (idle, seed) = self.resets.next_edge(&mut self.rng);
            return Some(Entry { idle, event: Event::Reset { seed } });
        }
        if self.phase.ops_left == 0 {
            self.next_phase();
        }
        let phase = &mut self.phase;
        phase.ops_left -= 1;
        let [kind, hot, ecn, idle, ev_0, ev_1, conn_0, conn_1] = self.rng.next_u64().to_le_bytes();
        let times = self.rng.next_u64();
        let place = u16::from_le_bytes([conn_0, conn_1]);
        let conn = if u16::from(hot) < self.hot_below {
            self.hot[scaled(place, self.knobs.hot_set) as usize]
        } else {
            scaled(place, self.knobs.connections) as u16
        };
        self.now = self.now.wrapping_add(times as u32 & phase.time_step_mask) & self.time_mask;
        // the low bits of the product are those of the time step's neighbours, the high ones depend on all
        let mixed = times.wrapping_mul(0x9e37_79b9_7f4a_7c15);
        let op = RepsOp {
            kind: self.mixes[phase.mix][usize::from(kind)],
            ecn: u16::from(ecn) < phase.ecn_below,
            bdp_packets: (mixed >> 24) as u8 & phase.bdp_mask | phase.bdp_base,
            conn,
            ev: u16::from_le_bytes([ev_0, ev_1]) & phase.ev_mask,
            now: self.now,
            freeze_timeout: ((mixed >> 32) as u32 & phase.freeze_timeout_mask | phase.freeze_timeout_base)
                & self.time_mask,
            expect: None,
        };
        let idle = if u16::from(idle) < phase.idle_below { idle_edges(times) } else { 0 };
        Some(Entry { idle, event: Event::Op(op) })
    }
}

#[cfg(test)]
mod tests;
