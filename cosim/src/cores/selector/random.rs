//! Random ops of a path selector.
//!
//! Time is cut into phases of some hundred ops. Each phase draws anew what its ops are like (mostly ACKs, mostly sends,
//! failures, mixed), how fast time runs, how its settings are spread, how wide EVs are,
//! whether ops go back to back, and which connections are hot. So rings fill and drain, freezes begin, outlast the
//! cached EVs and end, times wrap, and ops of one connection meet in the pipeline. Some phases stay with one
//! connection, which does not start anew; in some of these EVs come in turn, as those of packets that go by all paths,
//! and settings stand at the end of their range. So rounds of all paths end, and counters come to their ends.

use rand::rngs::Xoshiro256PlusPlus;
use rand::{Rng, RngExt, SeedableRng};

use respray_hdl::config::Config;
use respray_hdl::contract::{Contract, Value};
use respray_hdl::cores::selector::{COMMON_WORDS, MORE_WORDS, SelectorOp};

use crate::traffic::random::{Deep, MOST_HOT, Resets, below, idle_edges, knobs, one_in, scaled};
use crate::traffic::stimulus::{Entry, Event};

knobs! {
    /// What the stream is like. Shares are of all ops, 0 to 1.
    pub struct Knobs {
        /// Connections that are hot in a phase: 1 to 64.
        hot_set: set = 4,
        /// Share of ops on the hot connections.
        hot_share: share = 0.6,
        /// Share of ACKs marked CE; a phase in sixteen marks all.
        ecn_share: share = 0.2,
        /// Share of timeouts; eight times as many in a phase of failures.
        timeout_share: share = 0.02,
        /// Share of trimmed packets.
        nack_share: share = 0.02,
        /// Share of connections started anew while other ops of theirs are in the pipeline.
        init_share: share = 0.005,
        /// Share of op kinds 5 to 7, which change nothing.
        reserved_share: share = 0.01,
        /// Share of ops with idle edges before them, in the half of all phases that are not back to back.
        idle_share: share = 0.4,
    }
}

/// Kinds of op.
const SEND: u8 = 0;
const INIT: u8 = 4;

/// Of the mixes of ops the one of mostly ACKs.
const FILLING: usize = 1;

/// Op kind by a random byte.
type KindTable = [u8; 256];

/// What the ops of one phase have in common.
#[derive(Clone, Debug, Default)]
struct Phase {
    ops_left: u32,
    mix: usize,
    /// Ops are marked CE below this, of 256.
    ecn_below: u16,
    /// Ops have idle edges before them below this, of 256.
    idle_below: u16,
    time_step_mask: u32,
    /// EVs come in turn.
    has_turns: bool,
    /// Ops are about hot connections below this, of 256.
    hot_below: u16,
    /// Bits of the selector's own words that are random, and those that are set.
    more: [(u32, u32); MORE_WORDS],
    ev_mask: u16,
}

/// EVs of paths that a selector knows apart.
#[derive(Clone, Copy, Debug)]
struct Paths {
    ev_base: u16,
    /// The paths are as many as numbers of so many bits.
    bits: u32,
}

/// A word of an op that is the selector's own.
#[derive(Clone, Copy, Debug)]
struct More {
    value: Value,
    /// Width of its port in bits, up to 32.
    bits: u32,
    /// Lowest of the random bits that it is made of.
    shift: u32,
}

/// The random bits that one such word after the other is made of begin here.
const SHIFTS: [u32; MORE_WORDS] = [32, 24, 16, 8, 28];

/// The stream: endless.
#[derive(Clone, Debug)]
pub struct RandomOps {
    rng: Xoshiro256PlusPlus,
    knobs: Knobs,
    mixes: [KindTable; 4],
    more: Vec<More>,
    paths: Option<Paths>,
    hot: [u16; MOST_HOT],
    hot_below: u16,
    ecn_below: u16,
    idle_below: u16,
    phase: Phase,
    deep: Deep,
    /// The next EV of those that come in turn.
    turn: u16,
    now: u32,
    resets: Resets,
}

impl RandomOps {
    /// The stream of this seed for a selector with this contract, which knows so many paths apart, if not each EV.
    pub fn new(seed: u64, knobs: &Knobs, contract: &Contract, paths: Option<u32>, config: &Config) -> Self {
        let mut rng = Xoshiro256PlusPlus::seed_from_u64(seed);
        let mut shifts = SHIFTS.into_iter();
        let more = contract.op_fields().skip(COMMON_WORDS).map(|field| More {
            value: field.value,
            bits: field.width.bits(config),
            shift: if field.value == Value::Now { 0 } else { shifts.next().unwrap_or(0) },
        });
        RandomOps {
            resets: Resets::new(knobs.ops_per_reset, &mut rng),
            rng,
            // mixed, filling, draining, failing: share of sends among sends and ACKs, and how often timeouts are
            mixes: [(0.5, 1.0), (0.25, 1.0), (0.8, 1.0), (0.85, 8.0)]
                .map(|(sends, timeouts)| kind_table(knobs, sends, timeouts)),
            more: more.collect(),
            paths: paths
                .map(|paths| Paths { ev_base: config.selector.ev_base as u16, bits: paths.trailing_zeros() }),
            hot: [0; MOST_HOT],
            hot_below: below(knobs.hot_share),
            ecn_below: below(knobs.ecn_share),
            idle_below: below(knobs.idle_share),
            phase: Phase::default(),
            deep: Deep::new(knobs.deep_share),
            turn: 0,
            now: 0,
            knobs: knobs.clone(),
        }
    }

    #[cold]
    fn next_phase(&mut self) {
        let rng = &mut self.rng;
        let is_deep = self.deep.begin_phase(rng, self.knobs.connections);
        let has_turns = is_deep && one_in(rng, 2);
        // all paths come to be marked, so that a send finds none
        let marks_all = has_turns && one_in(rng, 2);
        self.phase = Phase {
            ops_left: if is_deep { self.deep.ops(rng) } else { rng.random_range(16..1024) },
            mix: if marks_all { FILLING } else { rng.random_range(0..self.mixes.len()) },
            ecn_below: match rng.random_range(0..16_u32) {
                _ if marks_all => 256,
                0 => 256,
                1..4 if is_deep => 256,
                4..8 if is_deep => 0,
                _ => self.ecn_below,
            },
            idle_below: if one_in(rng, 2) { 0 } else { self.idle_below },
            has_turns,
            hot_below: self.deep.hot_below(self.hot_below),
            ..Phase::default()
        };
        for (more, drawn) in self.more.iter().zip(&mut self.phase.more) {
            match more.value {
                Value::Now => self.phase.time_step_mask = mask(rng.random_range(0..more.bits - 1)),
                _ if is_deep && one_in(rng, 4) => *drawn = (0, mask(more.bits)),
                // now and then at the far end of the range: times just past half of it
                Value::Limit => {
                    let random = mask(rng.random_range(0..=more.bits));
                    *drawn = (random, if one_in(rng, 8) { 1 << (more.bits - 1) } else { 0 });
                }
                _ => {
                    let random = mask(rng.random_range(0..=more.bits));
                    *drawn = (random, if one_in(rng, 4) { 16 } else { 0 });
                }
            }
        }
        self.phase.ev_mask = if one_in(rng, 4) { 7 } else { 0xffff };
        if let Some(Paths { bits, .. }) = self.paths {
            // few paths, so that all of them come to be marked, or all, or EVs that are of no path
            self.phase.ev_mask = match rng.random_range(0..8_u32) {
                _ if has_turns => mask(bits) as u16,
                0 => 0xffff,
                _ => mask(rng.random_range(1..=bits)) as u16,
            };
        }
        self.deep.heat(&mut self.hot, || rng.random_range(0..self.knobs.connections) as u16);
    }
}

#[inline]
fn mask(bits: u32) -> u32 {
    ((1_u64 << bits) - 1) as u32
}

/// How likely each op kind is, in 256ths; what is not taken by the others is sends and ACKs.
fn kind_table(knobs: &Knobs, sends: f64, timeouts: f64) -> KindTable {
    let slots = |share: f64| if share > 0.0 { (share * 256.0).round().max(1.0) as usize } else { 0 };
    let mut kinds: Vec<u8> = Vec::new();
    let mut add = |kind: u8, count: usize| kinds.extend(std::iter::repeat_n(kind, count));
    add(3, slots(knobs.timeout_share * timeouts));
    add(2, slots(knobs.nack_share));
    add(INIT, slots(knobs.init_share));
    (5..=7).for_each(|kind| add(kind, slots(knobs.reserved_share / 3.0)));
    kinds.truncate(256);
    let rest = 256 - kinds.len();
    let sends = (rest as f64 * sends).round() as usize;
    kinds.extend(std::iter::repeat_n(0, sends));
    kinds.resize(256, 1);
    std::array::from_fn(|index| kinds[index])
}

impl Iterator for RandomOps {
    type Item = Entry<SelectorOp>;

    #[inline]
    fn next(&mut self) -> Option<Entry<SelectorOp>> {
        if !self.resets.op_is_next() {
            let (idle, seed) = self.resets.next_edge(&mut self.rng);
            return Some(Entry::after(idle, Event::Reset { seed }));
        }
        if self.phase.ops_left == 0 {
            self.next_phase();
        }
        let phase = &mut self.phase;
        phase.ops_left -= 1;
        let [kind, hot, ecn, idle, ev_0, ev_1, conn_0, conn_1] = self.rng.next_u64().to_le_bytes();
        let times = self.rng.next_u64();
        let place = u16::from_le_bytes([conn_0, conn_1]);
        let conn = if u16::from(hot) < phase.hot_below {
            self.hot[scaled(place, self.knobs.hot_set) as usize]
        } else {
            scaled(place, self.knobs.connections) as u16
        };
        // the low bits of the product are those of the time step's neighbours, the high ones depend on all
        let mixed = times.wrapping_mul(0x9e37_79b9_7f4a_7c15);
        let mut words = [0; MORE_WORDS];
        for ((word, more), (random, set)) in words.iter_mut().zip(&self.more).zip(phase.more) {
            *word = if more.value == Value::Now {
                self.now = self.now.wrapping_add(times as u32 & phase.time_step_mask);
                self.now
            } else {
                (mixed >> more.shift) as u32 & random | set
            } & mask(more.bits);
        }
        let kind = match self.mixes[phase.mix][usize::from(kind)] {
            INIT if self.deep.keeps(conn) => SEND,
            kind => kind,
        };
        let ev = if phase.has_turns {
            self.turn = self.turn.wrapping_add(1);
            self.turn
        } else {
            u16::from_le_bytes([ev_0, ev_1])
        };
        let op = SelectorOp {
            kind,
            ecn: u16::from(ecn) < phase.ecn_below,
            conn,
            ev: ev & phase.ev_mask | self.paths.map_or(0, |paths| paths.ev_base),
            more: words,
        };
        let idle = if u16::from(idle) < phase.idle_below { idle_edges(times) } else { 0 };
        Some(Entry::after(idle, Event::Op(op)))
    }
}
