//! Random ops of Flowcut in a switch.
//!
//! A golden engine stands beside the stream and takes its ops, so that most ACKs are of the flowcut that is on its way, and of no more
//! bytes. Time is cut into phases of some hundred ops. Each phase draws anew how many ops are data packets and how many ACKs, how long
//! RTTs are and how they are spread, the settings, how fast the slow time goes, which uplinks are up, whether ops go back to back, and
//! which buckets are hot. RTTs lie about the limit of the ratio, so that drains begin and end, or anywhere; one phase in sixteen fills a
//! bucket until it saturates, as its ACKs tell of few bytes; loads are small in some, so that there are ties. Some
//! phases stay with one bucket.

use rand::rngs::Xoshiro256PlusPlus;
use rand::{RngExt, SeedableRng};
use respray_golden::flowcut_switch::{Engine, MOST_IN_FLIGHT, OpKind};
use respray_hdl::config::Config;
use respray_hdl::cores::flowcut_switch::contract::{ACK, DATA, LOAD, Op, SET_MIN, SLOTS};

use super::{golden_op, params};
use crate::traffic::random::{Deep, MOST_HOT, Resets, below, idle_edges, knobs, one_in, scaled};
use crate::traffic::stimulus::{Entry, Event};

knobs! {
    /// What the stream is like. Shares are of all ops, 0 to 1.
    pub struct Knobs {
        /// Buckets that are hot in a phase: 1 to 64.
        hot_set: set = 4,
        /// Share of ops on the hot buckets.
        hot_share: share = 0.9,
        /// Share of ACKs of another flowcut, or of more bytes than are on their way.
        bad_ack_share: share = 0.05,
        /// Share of ACKs after which nothing is on its way.
        emptying_share: share = 0.25,
        /// Share of data packets with other uplinks up than those of the phase.
        flap_share: share = 0.05,
        /// Share of loads that are set.
        load_share: share = 0.1,
        /// Share of minimums that are set.
        set_min_share: share = 0.005,
        /// Share of phases with times and settings anywhere in their range.
        wild_share: share = 0.2,
        /// Share of ops with idle edges before them, in the half of all phases that are not back to back.
        idle_share: share = 0.4,
    }
}

const TIME_BITS: u32 = 16;
const TIME_MASK: u32 = (1 << TIME_BITS) - 1;
const BYTES_MASK: u32 = (1 << 24) - 1;
const MOST_BYTES: u32 = (1 << 14) - 1;

/// What the ops of one phase have in common.
#[derive(Clone, Debug, Default)]
struct Phase {
    ops_left: u32,
    /// Of data packets and ACKs, data packets are those below this, of 256.
    data_below: u16,
    /// A bucket is to be filled.
    is_fill: bool,
    bytes_mask: u32,
    time_mask: u32,
    /// The slow time goes on by one at an op whose random bits are clear under this mask.
    clock_mask: u32,
    base: u32,
    /// RTTs go up to this many above the base.
    spread: u32,
    /// Most RTTs are this one, so that an average comes to rest at its limit.
    steady: Option<u32>,
    serial_mask: u32,
    class_mask: u8,
    load_mask: u8,
    idle_below: u16,
    /// The settings, and the uplinks that are up.
    settings: Op,
}

/// The stream: endless.
#[derive(Clone, Debug)]
pub struct RandomOps {
    rng: Xoshiro256PlusPlus,
    knobs: Knobs,
    /// Op kind by ten random bits; `None`: a data packet or an ACK.
    kinds: Vec<Option<u8>>,
    hot: [u16; MOST_HOT],
    hot_below: u16,
    bad_below: u16,
    emptying_below: u16,
    flap_below: u16,
    idle_below: u16,
    uplinks: u32,
    phase: Phase,
    now: u32,
    clock: u8,
    beside: Engine,
    /// Edges since the last visit, and the bucket of the next one, if no op had to wait.
    edges: u32,
    visited: u32,
    buckets: u32,
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
            clock: rng.random(),
            rng,
            kinds: kinds(knobs),
            hot: [0; MOST_HOT],
            hot_below: below(knobs.hot_share),
            bad_below: below(knobs.bad_ack_share),
            emptying_below: below(knobs.emptying_share),
            flap_below: below(knobs.flap_share),
            idle_below: below(knobs.idle_share),
            uplinks: config.flowcut_switch.uplinks,
            phase: Phase::default(),
            beside: Engine::new(params(config, 0)),
            edges: 0,
            visited: 0,
            buckets: config.flowcut_switch.buckets,
            seed: 0,
            knobs: knobs.clone(),
        }
    }

    #[cold]
    fn next_phase(&mut self) {
        let all_up = self.all_up();
        let rng = &mut self.rng;
        let is_deep = self.deep.begin_phase(rng, self.knobs.connections);
        let is_wild = rng.random::<f64>() < self.knobs.wild_share;
        let is_fill = one_in(rng, 16);
        let base_bits = rng.random_range(2..TIME_BITS - 2);
        let is_steady = one_in(rng, 4);
        let base =
            if is_steady { rng.random_range(0..=TIME_MASK) } else { rng.random_range(0..1 << base_bits) };
        let ratio: u8 =
            if is_wild || one_in(rng, 4) { rng.random_range(0..64) } else { rng.random_range(2..12) };
        // one bucket in two that fills is not hot before it is full
        let ratio = if is_fill && one_in(rng, 2) { 63 } else { ratio };
        // averages lie about the limit, ratio halves of the smallest RTT
        let about = (base * u32::from(ratio) * 3 / 4).clamp(2, TIME_MASK);
        let limit = (base * u32::from(ratio) / 2).min(TIME_MASK);
        let some_up = rng.random::<u64>() | rng.random::<u64>();
        self.phase = Phase {
            ops_left: match is_fill {
                true => rng.random_range(1300..2000),
                false if is_deep => self.deep.ops(rng),
                false => rng.random_range(16..1024),
            },
            data_below: if is_fill { 244 } else { rng.random_range(64..192) },
            is_fill,
            bytes_mask: if is_fill { MOST_BYTES } else { mask(rng.random_range(1..=14)) },
            time_mask: mask(rng.random_range(0..TIME_BITS)),
            clock_mask: mask(rng.random_range(0..12)),
            base,
            steady: is_steady.then_some(limit),
            spread: if is_wild { TIME_MASK } else { about },
            serial_mask: if one_in(rng, 2) { 0 } else { mask(rng.random_range(0..TIME_BITS - 4)) },
            class_mask: mask(rng.random_range(0..=4)) as u8,
            load_mask: mask(rng.random_range(0..=8)) as u8,
            idle_below: if one_in(rng, 2) { 0 } else { self.idle_below },
            settings: Op {
                rtt_floor: match rng.random_range(0..8_u32) {
                    0 => rng.random_range(0..=TIME_MASK),
                    1..4 => base,
                    _ => 0,
                },
                ratio,
                alpha: if is_wild { rng.random_range(0..8) } else { rng.random_range(1..=5) },
                entry_timeout: if is_wild { rng.random() } else { rng.random_range(16..240) },
                drain_after: if one_in(rng, 4) { 0 } else { rng.random_range(0..16) },
                up: if one_in(rng, 2) { all_up } else { some_up & all_up },
                ..Op::default()
            },
        };
        self.deep.heat(&mut self.hot, || rng.random_range(0..self.knobs.connections) as u16);
    }

    fn all_up(&self) -> u64 {
        u64::MAX >> (64 - self.uplinks)
    }

    /// Bytes of a data packet: now and then just as many as a bucket has room for, one fewer, or one more.
    #[inline]
    fn bytes(&mut self, bucket: u16, bits: u32) -> u32 {
        let room = MOST_IN_FLIGHT - self.beside.bucket(bucket).in_flight;
        if room <= MOST_BYTES && bits & 0x3 == 0 {
            return (room + (bits >> 2) % 3).saturating_sub(1).min(MOST_BYTES);
        }
        let least = if self.phase.is_fill { MOST_BYTES & !0xfff } else { 0 };
        // bits above the 14 that count
        let above = if bits & 0xf0 == 0 { bits << 14 & BYTES_MASK } else { 0 };
        bits >> 8 & self.phase.bytes_mask | least | above
    }

    /// Bytes that an ACK tells of, and its epoch.
    #[inline]
    fn acknowledged(&mut self, bucket: u16, bits: u64) -> (u32, u8) {
        let b = self.beside.bucket(bucket);
        let more = (bits >> 16) as u32;
        if bits as u8 as u16 >= self.bad_below {
            let bytes = match (bits >> 8) as u8 {
                // the bucket fills all the same
                _ if self.phase.is_fill && !b.saturated => more & 0xfff & b.in_flight,
                emptying if u16::from(emptying) < self.emptying_below => b.in_flight,
                _ => ((u64::from(more) * u64::from(b.in_flight)) >> 32) as u32,
            };
            return (bytes, b.epoch);
        }
        match more & 7 {
            0 => (b.in_flight + 1, b.epoch),
            1 => (b.in_flight + (more >> 3 & 0xfff), b.epoch),
            2 => (more >> 3, b.epoch),
            3 => (b.in_flight, b.epoch.wrapping_sub(1)),
            4 => (b.in_flight, b.epoch + 1),
            _ => (b.in_flight, (more >> 8) as u8),
        }
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

    /// The walker's visits up to the edge of this op.
    #[inline]
    fn walk(&mut self, idle: u32, op: &Op) {
        self.edges += idle + 1;
        while self.edges >= SLOTS {
            self.edges -= SLOTS;
            let visit = golden_op(&Op { bucket: self.visited as u16, ..*op });
            self.beside.apply(&respray_golden::flowcut_switch::Op { kind: OpKind::Visit, ..visit });
            self.visited = (self.visited + 1) % self.buckets;
        }
    }
}

#[inline]
fn mask(bits: u32) -> u32 {
    ((1_u64 << bits) - 1) as u32
}

/// How likely each op kind is, in 1024ths; what is not taken by the others is data packets and ACKs.
fn kinds(knobs: &Knobs) -> Vec<Option<u8>> {
    let slots = |share: f64| if share > 0.0 { (share * 1024.0).round().max(1.0) as usize } else { 0 };
    let mut kinds = Vec::new();
    let mut add = |kind: u8, count: usize| kinds.extend(std::iter::repeat_n(Some(kind), count));
    add(LOAD, slots(knobs.load_share));
    add(SET_MIN, slots(knobs.set_min_share));
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
            (self.edges, self.visited) = (0, 0);
            return Some(Entry::after(idle, Event::Reset { seed }));
        }
        if self.phase.ops_left == 0 {
            self.next_phase();
        }
        self.phase.ops_left -= 1;
        let (first, second, third) =
            (self.rng.random::<u64>(), self.rng.random::<u64>(), self.rng.random::<u64>());
        let byte = |bits: u64, from: u32| u16::from((bits >> from) as u8);
        let bucket = if byte(first, 0) < self.deep.hot_below(self.hot_below) {
            let set = if self.phase.is_fill { 1 } else { self.knobs.hot_set };
            self.hot[scaled((first >> 8) as u16, set) as usize]
        } else {
            scaled((first >> 8) as u16, self.knobs.connections) as u16
        };
        self.now = self.now.wrapping_add((first >> 24) as u32 & self.phase.time_mask) & TIME_MASK;
        let ticks = (third >> 20) as u32 & self.phase.clock_mask == 0;
        self.clock = self.clock.wrapping_add(ticks.into());
        let kind = self.kinds[(first >> 52) as usize & 1023];
        let kind = kind.unwrap_or(if byte(first, 44) < self.phase.data_below { DATA } else { ACK });
        // an ACK where nothing is on its way is refused, whatever it says
        let is_idle = kind == ACK && self.beside.bucket(bucket).in_flight == 0;
        let kind = if is_idle && first >> 40 & 0x7 != 0 { DATA } else { kind };
        let serial = (second >> 8) as u32 & self.phase.serial_mask;
        let idle =
            if byte(second, 0) < self.phase.idle_below { idle_edges(second.rotate_right(6)) } else { 0 };
        let (bytes, epoch) = match kind {
            DATA => (self.bytes(bucket, (second >> 32) as u32), (second >> 20) as u8),
            ACK => self.acknowledged(bucket, second.rotate_left(24)),
            _ => ((second >> 32) as u32, (second >> 20) as u8),
        };
        let timestamp = match kind {
            ACK => self.now.wrapping_sub(self.rtt(serial, third)),
            _ => (third >> 1) as u32 >> (third >> 40 & 15),
        };
        let up = self.phase.settings.up;
        let op = Op {
            kind,
            bucket,
            bytes: bytes & BYTES_MASK,
            up: match byte(third, 56) < self.flap_below {
                true if third & 0xf == 0 => 0,
                true => third.rotate_left(17) & self.all_up(),
                false => up,
            },
            epoch: epoch & 0xf,
            timestamp: timestamp & TIME_MASK,
            class: (first >> 60) as u8 & self.phase.class_mask,
            serial: serial & TIME_MASK,
            port: scaled((second >> 16) as u16, self.uplinks) as u8,
            load: (third >> 8) as u8 & self.phase.load_mask,
            now: self.now,
            clock: self.clock,
            ..self.phase.settings
        };
        self.walk(idle, &op);
        self.beside.apply(&golden_op(&op));
        Some(Entry::after(idle, Event::Op(op)))
    }
}
