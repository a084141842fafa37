//! Random ops of STrack's window.
//!
//! Time is cut into phases of some hundred ops. Each phase draws anew how fast time runs, how delays are spread (a walk, about
//! the targets, anywhere), how many ACKs are marked, how many bytes they acknowledge, the settings, whether ops go back to back, and
//! which connections are hot. Settings are those of a real network, with `now` at a pace that suits them, or each of them
//! anything, its extremes included. So windows fill and shrink, periods end with few bytes and with more than are counted, times
//! wrap, and base RTTs fall until an `init` comes. Some phases stay with one connection, which does not start anew.

use rand::rngs::Xoshiro256PlusPlus;
use rand::{Rng, RngExt, SeedableRng};
use respray_hdl::config::Config;
use respray_hdl::cores::strack_cc::contract::Op;

use crate::traffic::random::{Deep, MOST_HOT, Resets, below, idle_edges, knobs, one_in, scaled};
use crate::traffic::stimulus::{Entry, Event};

knobs! {
    /// What the stream is like. Shares are of all ops, 0 to 1.
    pub struct Knobs {
        /// Connections that are hot in a phase: 1 to 64.
        hot_set: set = 4,
        /// Share of ops on the hot connections.
        hot_share: share = 0.9,
        /// Share of reads.
        read_share: share = 0.06,
        /// Share of trimmed packets, which change nothing.
        nack_share: share = 0.01,
        /// Share of timeouts, which change nothing.
        timeout_share: share = 0.01,
        /// Share of connections started anew.
        init_share: share = 0.02,
        /// Share of op kinds 5 to 7, which change nothing.
        reserved_share: share = 0.01,
        /// Share of ACKs that are marked; a phase in four marks all, one in four none.
        ecn_share: share = 0.5,
        /// Share of ACKs that answer a probe.
        probe_share: share = 0.05,
        /// Share of phases with settings anywhere in their range.
        wild_share: share = 0.4,
        /// Share of ops with idle edges before them, in the half of all phases that are not back to back.
        idle_share: share = 0.4,
    }
}

/// Kinds of op.
const READ: u8 = 0;
const ACK: u8 = 1;
const NACK: u8 = 2;
const TIMEOUT: u8 = 3;
const INIT: u8 = 4;

/// How the delays of a phase are spread.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Delays {
    /// Each a little more or less than the one before.
    #[default]
    Walk,
    /// Just about one of the two targets.
    Targets,
    /// Anything within twice the upper target.
    Near,
    /// Any RTT at all: the base RTT falls to nothing.
    Any,
}

/// What the ops of one phase have in common.
#[derive(Clone, Debug, Default)]
struct Phase {
    ops_left: u32,
    delays: Delays,
    /// Largest step of a walk, less one; a power of two less one.
    step_mask: u16,
    time_mask: u16,
    bytes_mask: u32,
    ecn_below: u16,
    idle_below: u16,
    /// Settings of its ops; all else of it is unused.
    settings: Op,
}

/// The stream: endless.
#[derive(Clone, Debug)]
pub struct RandomOps {
    rng: Xoshiro256PlusPlus,
    knobs: Knobs,
    /// Op kind by a random byte.
    kinds: [u8; 256],
    hot: [u16; MOST_HOT],
    hot_below: u16,
    ecn_below: u16,
    probe_below: u16,
    idle_below: u16,
    phase: Phase,
    now: u16,
    /// Queuing delay of a walk.
    delay: u16,
    deep: Deep,
    resets: Resets,
}

impl RandomOps {
    /// The stream of this seed.
    pub fn new(seed: u64, knobs: &Knobs, _: &Config) -> Self {
        let mut rng = Xoshiro256PlusPlus::seed_from_u64(seed);
        RandomOps {
            resets: Resets::new(knobs.ops_per_reset, &mut rng),
            deep: Deep::new(knobs.deep_share),
            now: rng.random(),
            rng,
            kinds: kinds(knobs),
            hot: [0; MOST_HOT],
            hot_below: below(knobs.hot_share),
            ecn_below: below(knobs.ecn_share),
            probe_below: below(knobs.probe_share),
            idle_below: below(knobs.idle_share),
            phase: Phase::default(),
            delay: 0,
            knobs: knobs.clone(),
        }
    }

    #[cold]
    fn next_phase(&mut self) {
        let rng = &mut self.rng;
        let is_deep = self.deep.begin_phase(rng, self.knobs.connections);
        let is_wild = rng.random::<f64>() < self.knobs.wild_share;
        // a period takes in more bytes than are counted
        let has_long_periods = is_deep && one_in(rng, 2);
        let settings = if is_wild { wild(rng) } else { usual(rng) };
        let spread = u32::from(settings.target_qhigh) + u32::from(settings.net_base_rtt);
        self.phase = Phase {
            ops_left: if is_deep { self.deep.ops(rng) } else { rng.random_range(16..1024) },
            delays: match rng.random_range(0..8_u32) {
                0..3 => Delays::Walk,
                3..5 => Delays::Targets,
                5..7 => Delays::Near,
                _ => Delays::Any,
            },
            step_mask: mask(rng.random_range(0..12)) as u16,
            // from many ACKs in a base RTT to some base RTTs between two ACKs
            time_mask: match is_wild || one_in(rng, 8) {
                _ if has_long_periods => mask(rng.random_range(0..3)) as u16,
                true => mask(rng.random_range(0..=16)) as u16,
                false => {
                    mask((u32::BITS - spread.leading_zeros()).saturating_sub(rng.random_range(0..8))) as u16
                }
            },
            bytes_mask: match rng.random_range(0..4_u32) {
                _ if has_long_periods => mask(20),
                0 => mask(rng.random_range(0..=20)),
                _ => mask(u32::from(settings.mtu_log2) + rng.random_range(0..3)).min(0xf_ffff),
            },
            ecn_below: match rng.random_range(0..4_u32) {
                0 => 0,
                1 => 256,
                _ => self.ecn_below,
            },
            idle_below: if one_in(rng, 2) { 0 } else { self.idle_below },
            settings,
        };
        self.delay = rng.random_range(0..=settings.target_qhigh);
        self.deep.heat(&mut self.hot, || rng.random_range(0..self.knobs.connections) as u16);
    }

    /// The RTT of an ACK.
    #[inline]
    fn rtt(&mut self, bits: u16) -> u16 {
        let Phase { delays, step_mask, settings, .. } = &self.phase;
        let base = settings.net_base_rtt;
        // a base RTT that falls by little at a time
        let wobble = if bits & 0xf000 == 0 { 3 } else { 0 };
        let small = bits & 7;
        let delay = match delays {
            Delays::Walk => {
                let step = (bits >> 1) & step_mask;
                let next = if bits & 1 == 0 {
                    self.delay.wrapping_add(step)
                } else {
                    self.delay.saturating_sub(step)
                };
                self.delay = next.min(settings.target_qhigh.saturating_mul(2).max(8));
                self.delay
            }
            Delays::Targets => {
                let target = if bits & 8 == 0 { settings.target_qdelay } else { settings.target_qhigh };
                target.wrapping_add(small).wrapping_sub(3)
            }
            Delays::Near => scaled(bits, (2 * u32::from(settings.target_qhigh) + 16).min(1 << 15)) as u16,
            Delays::Any => return bits,
        };
        base.wrapping_add(delay).wrapping_sub(wobble)
    }
}

/// Settings of a real network, of any speed.
fn usual(rng: &mut impl Rng) -> Op {
    let base = rng.random_range(32..2000_u16);
    let target = scaled_by(base, rng.random_range(1..=12));
    Op {
        net_base_rtt: base,
        min_base_rtt: if one_in(rng, 2) { base / 2 } else { 0 },
        target_qdelay: target,
        target_qhigh: target.saturating_mul(rng.random_range(1..=3)),
        alpha: scaled_by(4338, rng.random_range(1..=32)),
        beta: scaled_by(5120, rng.random_range(1..=24)),
        eta: scaled_by(2458, rng.random_range(0..=32)),
        gamma: scaled_by(52429, rng.random_range(1..=8)),
        max_cwnd: if one_in(rng, 4) { rng.random_range(1..1024) } else { 146 },
        mtu_log2: rng.random_range(8..=13),
        ..Op::default()
    }
}

/// So many eighths of a number, at most what its type holds.
fn scaled_by(number: u16, eighths: u32) -> u16 {
    (u32::from(number) * eighths / 8).min(u16::MAX.into()) as u16
}

/// Settings anywhere in their range.
fn wild(rng: &mut impl Rng) -> Op {
    let mut any = |bits: u32| -> u16 {
        match rng.random_range(0..8_u32) {
            0 => 0,
            1 => mask(bits) as u16,
            _ => rng.random::<u16>() & mask(rng.random_range(0..=bits)) as u16,
        }
    };
    Op {
        net_base_rtt: any(16),
        min_base_rtt: any(16),
        target_qdelay: any(16),
        target_qhigh: any(16),
        alpha: any(16),
        beta: any(16),
        eta: any(16),
        gamma: any(16),
        max_cwnd: any(10),
        mtu_log2: if one_in(rng, 4) { rng.random_range(0..16) } else { rng.random_range(8..=13) },
        ..Op::default()
    }
}

#[inline]
fn mask(bits: u32) -> u32 {
    ((1_u64 << bits.min(32)) - 1) as u32
}

/// How likely each op kind is, in 256ths; what is not taken by the others is ACKs.
fn kinds(knobs: &Knobs) -> [u8; 256] {
    let slots = |share: f64| if share > 0.0 { (share * 256.0).round().max(1.0) as usize } else { 0 };
    let mut kinds: Vec<u8> = Vec::new();
    let mut add = |kind: u8, count: usize| kinds.extend(std::iter::repeat_n(kind, count));
    add(READ, slots(knobs.read_share));
    add(NACK, slots(knobs.nack_share));
    add(TIMEOUT, slots(knobs.timeout_share));
    add(INIT, slots(knobs.init_share));
    (5..=7).for_each(|kind| add(kind, slots(knobs.reserved_share / 3.0)));
    kinds.resize(256, ACK);
    std::array::from_fn(|index| kinds[index])
}

impl Iterator for RandomOps {
    type Item = Entry<Op>;

    #[inline]
    fn next(&mut self) -> Option<Entry<Op>> {
        if !self.resets.op_is_next() {
            let (idle, seed) = self.resets.next_edge(&mut self.rng);
            return Some(Entry::after(idle, Event::Reset { seed }));
        }
        if self.phase.ops_left == 0 {
            self.next_phase();
        }
        self.phase.ops_left -= 1;
        let (first, second) = (self.rng.random::<u64>(), self.rng.random::<u64>());
        let byte = |bits: u64, from: u32| (bits >> from) as u8;
        let conn = if u16::from(byte(first, 0)) < self.deep.hot_below(self.hot_below) {
            self.hot[scaled((first >> 8) as u16, self.knobs.hot_set) as usize]
        } else {
            scaled((first >> 8) as u16, self.knobs.connections) as u16
        };
        self.now = self.now.wrapping_add((first >> 24) as u16 & self.phase.time_mask);
        let kind = match self.kinds[usize::from(byte(first, 40))] {
            INIT if self.deep.keeps(conn) => ACK,
            kind => kind,
        };
        let rtt = self.rtt((first >> 48) as u16);
        let idle = if u16::from(byte(second, 0)) < self.phase.idle_below {
            idle_edges(second.rotate_right(6))
        } else {
            0
        };
        let op = Op {
            kind,
            conn,
            ecn: u16::from(byte(second, 8)) < self.phase.ecn_below,
            probe: u16::from(byte(second, 16)) < self.probe_below,
            bytes: match (second >> 24) as u32 {
                // as many as there can be, now and then
                bits if bits & 0xff00_0000 == 0 => self.phase.bytes_mask,
                bits => bits & self.phase.bytes_mask,
            },
            timestamp: self.now.wrapping_sub(rtt),
            now: self.now,
            ..self.phase.settings
        };
        Some(Entry::after(idle, Event::Op(op)))
    }
}
