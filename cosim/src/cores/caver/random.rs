//! Random ops of CAVER in a switch.
//!
//! Time is cut into phases of some hundred ops. Each phase draws anew how many ops are data packets and how many ACKs, which ports hosts
//! are at, which ports are up, the ages, the period and the share of the sums, how fast time goes, whether ops go back to back, and which
//! destinations and flows are hot. A flow is a number, from which its hash and mostly its destination follow; two flows share a place in
//! the table, and four a tag, so that they collide. One phase in sixteen fills the sum of a port; in some, the congestion that ACKs tell
//! of is small or equal, so that comparisons are met exactly. Some phases stay with the destinations and flows of the
//! one before.

use rand::rngs::Xoshiro256PlusPlus;
use rand::{RngExt, SeedableRng};
use respray_hdl::config::Config;
use respray_hdl::cores::caver::contract::{ACK, DATA, HOST, Op, SET_SHIFT};

use crate::traffic::random::{Deep, MOST_HOT, Resets, below, idle_edges, knobs, one_in, scaled};
use crate::traffic::stimulus::{Entry, Event};

knobs! {
    /// What the stream is like. Shares are of all ops, 0 to 1.
    pub struct Knobs {
        /// Destinations that are hot in a phase: 1 to 64.
        hot_set: set = 8,
        /// Share of ops on the hot destinations.
        hot_share: share = 0.9,
        /// Flows that are hot in a phase: 1 to 64.
        flow_set: set = 24,
        /// Share of data packets from hosts.
        host_share: share = 0.6,
        /// Share of ports in routes that do not exist, or where hosts are.
        bad_path_share: share = 0.1,
        /// Share of shifts that are set.
        set_shift_share: share = 0.02,
        /// Share of hosts that are given to the core for its list.
        list_share: share = 0.01,
        /// Share of phases with settings anywhere in their range.
        wild_share: share = 0.2,
        /// Share of ops with idle edges before them, in the half of all phases that are not back to back.
        idle_share: share = 0.4,
    }
}

const MOST_BYTES: u16 = (1 << 14) - 1;
/// Spreads flows over the flow table and its tags.
const SPREAD: u32 = 0x9e37_79b1;

/// What the ops of one phase have in common.
#[derive(Clone, Debug, Default)]
struct Phase {
    ops_left: u32,
    /// Of data packets and ACKs, data packets are those below this, of 256.
    data_below: u16,
    /// The sum of a port is to be filled.
    is_fill: bool,
    bytes_mask: u16,
    ce_mask: u8,
    /// Time goes on by one at an op whose random bits are clear under this mask.
    time_mask: u32,
    shift_base: u8,
    idle_below: u16,
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
    flows: [u32; MOST_HOT],
    hot_below: u16,
    host_below: u16,
    bad_below: u16,
    idle_below: u16,
    ports: u32,
    phase: Phase,
    now: u8,
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
            flows: [0; MOST_HOT],
            hot_below: below(knobs.hot_share),
            host_below: below(knobs.host_share),
            bad_below: below(knobs.bad_path_share),
            idle_below: below(knobs.idle_share),
            ports: config.caver.ports,
            phase: Phase::default(),
            knobs: knobs.clone(),
        }
    }

    #[cold]
    fn next_phase(&mut self) {
        let all = u64::MAX >> (64 - self.ports);
        let ports = self.ports;
        let rng = &mut self.rng;
        let is_deep = self.deep.begin_phase(rng, self.knobs.connections);
        let is_wild = rng.random::<f64>() < self.knobs.wild_share;
        let is_fill = one_in(rng, 16);
        let hosts = rng.random::<u64>() & all;
        let some_up = rng.random::<u64>() | rng.random::<u64>();
        self.phase = Phase {
            ops_left: match is_fill {
                true => rng.random_range(4000..6000),
                false if is_deep => self.deep.ops(rng),
                false => rng.random_range(16..1024),
            },
            data_below: if is_fill { 250 } else { rng.random_range(64..192) },
            is_fill,
            bytes_mask: MOST_BYTES >> rng.random_range(0..10),
            ce_mask: (u8::MAX as u16 >> rng.random_range(0..=8_u32)) as u8,
            time_mask: (1 << rng.random_range(0..12_u32)) - 1,
            shift_base: rng.random_range(0..24),
            idle_below: if one_in(rng, 2) { 0 } else { self.idle_below },
            settings: Op {
                path_age: if is_wild { rng.random() } else { rng.random_range(64..250) },
                flow_timeout: if is_wild { rng.random() } else { rng.random_range(64..250) },
                is_host: match rng.random_range(0..8_u32) {
                    0 => 0,
                    1 => all,
                    _ => hosts,
                },
                up: if one_in(rng, 2) { all } else { some_up & all },
                dre_period: match rng.random_range(0..8_u32) {
                    _ if is_fill => (1 << 24) - 1,
                    0 => rng.random_range(0..32 * ports),
                    1 => rng.random_range(0..1 << 24),
                    _ => rng.random_range(32 * ports..1 << 14),
                },
                dre_alpha: if is_fill { 7 } else { rng.random_range(0..8) },
                ..Op::default()
            },
        };
        // in a deep phase the entries of destinations and flows that were hot before get old
        if !is_deep {
            self.hot.fill_with(|| rng.random_range(0..self.knobs.connections) as u16);
            self.flows.fill_with(|| rng.random());
        }
    }

    /// A port that hosts are at, or one that they are not at, if there is one.
    #[inline]
    fn port(&self, bits: u16, is_of_host: bool) -> u8 {
        let port = scaled(bits, self.ports);
        let mask = self.phase.settings.is_host;
        let mask = if is_of_host { mask } else { !mask };
        let around = (0..self.ports).map(|more| (port + more) % self.ports);
        around.into_iter().find(|port| mask >> port & 1 != 0).unwrap_or(port) as u8
    }

    /// Four ports of a route or path, most of them between switches.
    #[inline]
    fn path(&self, bits: u64) -> u32 {
        let byte = |hop: u32| match (bits >> (16 * hop)) as u16 {
            wild if wild & 0xff < self.bad_below => (wild >> 8) as u8,
            good => self.port(good.rotate_left(8), false),
        };
        u32::from_le_bytes([0, 1, 2, 3].map(byte))
    }
}

/// How likely each op kind is, in 1024ths; what is not taken by the others is data packets and ACKs.
fn kinds(knobs: &Knobs) -> Vec<Option<u8>> {
    let slots = |share: f64| if share > 0.0 { (share * 1024.0).round().max(1.0) as usize } else { 0 };
    let mut kinds = Vec::new();
    let mut add = |kind: u8, count: usize| kinds.extend(std::iter::repeat_n(Some(kind), count));
    add(SET_SHIFT, slots(knobs.set_shift_share));
    add(HOST, slots(knobs.list_share));
    kinds.resize(1024, None);
    kinds
}

impl Iterator for RandomOps {
    type Item = Entry<Op>;

    #[inline]
    fn next(&mut self) -> Option<Entry<Op>> {
        if !self.resets.op_is_next() {
            let (idle, _) = self.resets.next_edge(&mut self.rng);
            return Some(Entry::after(idle, Event::Reset { seed: None }));
        }
        if self.phase.ops_left == 0 {
            self.next_phase();
        }
        self.phase.ops_left -= 1;
        let (first, second, third, fourth) = (
            self.rng.random::<u64>(),
            self.rng.random::<u64>(),
            self.rng.random::<u64>(),
            self.rng.random::<u64>(),
        );
        let byte = |bits: u64, from: u32| u16::from((bits >> from) as u8);
        let kind = self.kinds[(first >> 52) as usize & 1023];
        let kind = kind.unwrap_or(if byte(first, 44) < self.phase.data_below { DATA } else { ACK });
        let ticks = (third >> 20) as u32 & self.phase.time_mask == 0;
        self.now = self.now.wrapping_add(ticks.into());
        let flow = scaled((first >> 8) as u16, self.knobs.flow_set);
        let is_hot = byte(first, 0) < self.hot_below;
        let dst = if !is_hot {
            scaled((first >> 24) as u16, self.knobs.connections) as u16
        } else if kind == DATA && second & 0x1f != 0 {
            self.hot[(flow % self.knobs.hot_set) as usize]
        } else {
            self.hot[scaled((first >> 24) as u16, self.knobs.hot_set) as usize]
        };
        // two flows share a place, four of them a tag
        let place = self.flows[(flow / 2) as usize] & 0xffff;
        let tag = self.flows[(flow % 6) as usize] >> 16;
        let hash = if is_hot { tag << 16 | place } else { (fourth as u32).wrapping_mul(SPREAD) };
        let from_host = byte(second, 8) < if kind == DATA { self.host_below } else { 64 };
        let in_port = if second & 0xe0 == 0 {
            scaled((second >> 16) as u16, self.ports) as u8
        } else {
            self.port((second >> 16) as u16, from_host)
        };
        let fib_port = if self.phase.is_fill && second >> 32 & 0x7 != 0 {
            1
        } else {
            self.port((second >> 32) as u16, false)
        };
        let bytes = match self.phase.is_fill {
            true => MOST_BYTES - (second >> 48 & 0x3ff) as u16,
            false => (second >> 48) as u16 & self.phase.bytes_mask,
        };
        let idle = if byte(third, 0) < self.phase.idle_below { idle_edges(third.rotate_right(6)) } else { 0 };
        let op = Op {
            kind,
            dst,
            in_port,
            hash,
            bytes,
            is_local: byte(third, 32) < 32,
            fib_port,
            enable: !from_host && third >> 40 & 0x7 != 0,
            hop: (third >> 44) as u8 & 0x3,
            path: self.path(fourth),
            ce: (third >> 48) as u8 & self.phase.ce_mask,
            len: (third >> 56) as u8 & 0x3,
            to_local: third >> 58 & 0x3 == 0,
            port: scaled((third >> 8) as u16, self.ports) as u8,
            shift: self.phase.shift_base + (third >> 60) as u8 % 8,
            now: self.now,
            ..self.phase.settings
        };
        Some(Entry::after(idle, Event::Op(op)))
    }
}
