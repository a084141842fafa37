//! Random ops of the receiver of Ultra Ethernet.
//!
//! Time is cut into phases of some hundred ops. Each phase draws anew how packets come (in order, reordered, behind a hole that stays until
//! the window is full, anywhere), what the host clears, how many bytes packets have and what makes an ACK due, whether ops go back to back,
//! and which connections are hot. The stream knows where each connection stands, by a golden model of its own, so that in any phase
//! windows fill, gaps close, and hosts answer what was received.

use rand::rngs::Xoshiro256PlusPlus;
use rand::{Rng, RngExt, SeedableRng};
use respray_golden::sack_rx::Params;
use respray_golden::sack_rx::uet::{OLDEST, UetRx};

use respray_hdl::cores::sack_rx::uet::contract::Op;

use super::golden_op;
use crate::traffic::random::{Deep, MOST_HOT, Resets, below, idle_edges, knobs, one_in, scaled};
use crate::traffic::stimulus::{Entry, Event};

knobs! {
    /// What the stream is like. Shares are of all ops, 0 to 1, where nothing else is said.
    pub struct Knobs {
        /// Connections that are hot in a phase: 1 to 64.
        hot_set: set = 4,
        /// Share of ops on the hot connections.
        hot_share: share = 0.9,
        /// Share of connections started anew.
        init_share: share = 0.004,
        /// Share of connections closed at work.
        close_share: share = 0.0005,
        /// Share of inits whose first PSN is less than two windows below the wrap.
        wrap_share: share = 0.5,
        /// Share of connections whose packets must come in order.
        ordered_share: share = 0.3,
        /// Share of connections whose packets the host answers.
        host_share: share = 0.3,
        /// Share of probes, of ACKs that are asked for, and of answers of the host, each.
        other_share: share = 0.04,
        /// Share of answers that may clear more than those before, of those in phases in which some do.
        clear_share: share = 1.0,
        /// Share of trimmed packets.
        trimmed_share: share = 0.02,
        /// Share of packets that came before.
        duplicate_share: share = 0.04,
        /// Share of packets about the far ends of the window, and anywhere.
        outside_share: share = 0.04,
        /// Share of packets that ask for an ACK in half of all phases; with SYN, sent again, marked a third of it each.
        ack_request_share: share = 0.06,
        /// Share of ops with idle edges before them, in the half of all phases that are not back to back.
        idle_share: share = 0.4,
    }
}

/// What the ops of one phase have in common.
#[derive(Clone, Copy, Debug, Default)]
struct Phase {
    ops_left: u32,
    /// A packet leaves a hole before it below this, of 256; the PSN expected comes below this; any PSN of the window does.
    skip_below: u16,
    fill_below: u16,
    any_below: u16,
    /// There is one hole at a time.
    is_single: bool,
    /// Where packets are this far ahead of the PSN expected, it comes.
    reach: u32,
    /// An answer clears more than was cleared below this, of 256.
    clear_below: u16,
    idle_below: u16,
    request_below: u16,
    bytes_mask: u16,
    least_mask: u16,
    trigger_mask: u16,
    trigger_base: u16,
}

/// The stream: endless.
#[derive(Clone, Debug)]
pub struct RandomOps {
    rng: Xoshiro256PlusPlus,
    knobs: Knobs,
    params: Params,
    hot: [u16; MOST_HOT],
    phase: Phase,
    deep: Deep,
    resets: Resets,
    /// Where each connection stands.
    known: UetRx,
    /// One past the highest PSN of each.
    next: Vec<u32>,
}

impl RandomOps {
    /// The stream of this seed for an engine with these parameters.
    pub fn new(seed: u64, knobs: &Knobs, params: Params) -> Self {
        let mut rng = Xoshiro256PlusPlus::seed_from_u64(seed);
        let resets = Resets::new(knobs.ops_per_reset, &mut rng);
        RandomOps {
            rng,
            params,
            hot: [0; MOST_HOT],
            phase: Phase::default(),
            deep: Deep::new(knobs.deep_share),
            resets,
            known: UetRx::new(params),
            next: vec![0; params.connections as usize],
            knobs: knobs.clone(),
        }
    }

    #[cold]
    fn next_phase(&mut self) {
        let rng = &mut self.rng;
        let is_deep = self.deep.begin_phase(rng, self.knobs.connections);
        let mask = |bits: u32| ((1_u32 << bits) - 1) as u16;
        let kind = rng.random_range(0..6);
        let (skip_below, fill_below, any_below) = match kind {
            // in order
            0 => (0, 64, 0),
            // reordered
            1 => (48, 96, 8),
            // holes that stay until packets are at the phase's reach
            2 => (8, 0, 0),
            // anywhere in the window
            3 => (16, 16, 128),
            // a single one, behind which a whole window comes
            4 => (32, 0, 0),
            _ => (24, 16, 0),
        };
        self.phase = Phase {
            ops_left: if is_deep { self.deep.ops(rng) } else { rng.random_range(64..1024) },
            skip_below,
            fill_below,
            any_below,
            is_single: kind == 4,
            reach: match rng.random_range(0..4) {
                0 => rng.random_range(1..=self.params.window),
                1 => self.params.window - 1,
                _ => self.params.window,
            },
            clear_below: [0, 32, 128, 256][rng.random_range(0..4)].min(below(self.knobs.clear_share)),
            idle_below: if one_in(rng, 2) { 0 } else { below(self.knobs.idle_share) },
            request_below: match rng.random_range(0..8) {
                0 => 256,
                1..4 => 0,
                _ => below(self.knobs.ack_request_share),
            },
            bytes_mask: mask(rng.random_range(0..=16)),
            least_mask: mask(rng.random_range(0..=12)),
            trigger_mask: mask(rng.random_range(0..=16)),
            trigger_base: if one_in(rng, 2) { 1 << 15 } else { 0 },
        };
        self.deep.heat(&mut self.hot, || rng.random_range(0..self.knobs.connections) as u16);
    }

    #[cold]
    fn next_reset_edge(&mut self) -> Entry<Op> {
        let (idle, _) = self.resets.next_edge(&mut self.rng);
        self.known.reset();
        Entry::after(idle, Event::Reset { seed: None })
    }

    /// The first PSN of a connection: near the wrap, at a multiple of the window, or anywhere.
    #[cold]
    fn first_psn(&mut self) -> u32 {
        let (rng, window) = (&mut self.rng, self.params.window);
        if rng.random::<f64>() < self.knobs.wrap_share {
            rng.random_range(0..2 * window).wrapping_neg()
        } else if one_in(rng, 2) {
            (rng.random::<u32>() / window * window).wrapping_add(rng.random_range(0..3)).wrapping_sub(1)
        } else {
            rng.random()
        }
    }

    /// The PSN of a packet that a sound sender sends.
    fn sound(&mut self, conn: u16) -> u32 {
        let c = self.known.connection(conn);
        let (epsn, ordered) = (c.arrivals.epsn, c.ordered);
        let (rng, phase, window) = (&mut self.rng, self.phase, self.params.window);
        let next = &mut self.next[usize::from(conn)];
        let lead = next.wrapping_sub(epsn) as i32;
        if lead < 0 || ordered && !one_in(rng, 8) {
            *next = epsn;
        }
        let lead = next.wrapping_sub(epsn);
        let [fill, any, skip, gap] = rng.random::<u32>().to_le_bytes();
        if lead >= phase.reach || u16::from(fill) < phase.fill_below {
            return epsn;
        }
        if u16::from(any) < phase.any_below {
            return epsn.wrapping_add(rng.random_range(0..window));
        }
        if u16::from(skip) < phase.skip_below && (!phase.is_single || lead == 0) {
            let gap = if phase.is_single { 1 } else { 1 + u32::from(gap & 7) };
            if lead + gap < window {
                *next = next.wrapping_add(gap);
            }
        }
        let psn = *next;
        *next = next.wrapping_add(1);
        psn
    }

    /// A PSN of the last window and the half below it.
    fn sent_before(&mut self, conn: u16) -> u32 {
        let (next, window) = (self.next[usize::from(conn)], self.params.window);
        next.wrapping_sub(1 + self.rng.random_range(0..window + window / 2))
    }

    /// A PSN about an end of what is taken, or anywhere.
    fn far(&mut self, conn: u16) -> u32 {
        let c = self.known.connection(conn);
        let epsn = c.arrivals.epsn;
        let (rng, window) = (&mut self.rng, self.params.window);
        let near: u32 = rng.random_range(0..4);
        match rng.random_range(0..8) {
            0..2 => epsn.wrapping_add(window - 2 + near),
            2 => epsn.wrapping_sub(OLDEST + 2).wrapping_add(near),
            3 => epsn.wrapping_add(rng.random_range(0..window)),
            4 => epsn.wrapping_add((1 << 31) - 2 + near),
            5 => c.cleared.wrapping_add(OLDEST - 3 + near),
            6 => epsn.wrapping_add(near + (1 << rng.random_range(9..32))),
            _ => rng.random(),
        }
    }

    /// What an answer says the host has cleared.
    fn clears(&mut self, conn: u16) -> u32 {
        let c = self.known.connection(conn);
        let (epsn, cleared) = (c.arrivals.epsn, c.cleared);
        let rng = &mut self.rng;
        if u16::from(rng.random::<u8>()) >= self.phase.clear_below {
            return cleared.wrapping_sub(rng.random_range(0..4));
        }
        match rng.random_range(0..16) {
            0 => rng.random(),
            1 => epsn.wrapping_add(rng.random_range(0..100)),
            2 => epsn.wrapping_add((1 << 31) - 2 + rng.random_range(0..4)),
            3 => epsn.wrapping_sub(OLDEST + 2).wrapping_add(rng.random_range(0..4)),
            4 => epsn,
            5..10 => cleared.wrapping_add(rng.random_range(0..4)),
            _ => epsn.wrapping_sub(rng.random_range(0..64)),
        }
    }

    fn op(&mut self) -> Op {
        let phase = self.phase;
        let Knobs { connections, hot_set, .. } = self.knobs;
        let rng = &mut self.rng;
        let drawn: u16 = rng.random();
        let conn = if u16::from(rng.random::<u8>()) < self.deep.hot_below(below(self.knobs.hot_share)) {
            self.hot[scaled(drawn, hot_set) as usize]
        } else {
            scaled(drawn, connections) as u16
        };
        let words: u64 = rng.random();
        let [asks, syn, again, marked, flags, ..] = words.to_le_bytes();
        let third = phase.request_below.div_ceil(3);
        let mut op = Op {
            conn,
            // what the op does not use is not 0 either
            psn: rng.random(),
            cum_next: rng.random(),
            bytes: (words >> 48) as u16 & phase.bytes_mask,
            control: flags & 0x0f == 0,
            host: flags & 0xf0 == 0,
            ack_request: u16::from(asks) < phase.request_below,
            syn: u16::from(syn) < third,
            retransmit: u16::from(again) < third,
            ecn: u16::from(marked) < third,
            ordered: rng.random::<f64>() < self.knobs.ordered_share,
            last_hop: rng.random(),
            ev: rng.random(),
            echo: rng.random(),
            ack_gen_trigger: rng.random::<u16>() & phase.trigger_mask | phase.trigger_base,
            ack_gen_min: rng.random::<u16>() & phase.least_mask,
            ack_on_ecn: rng.random::<u8>() & 1,
            nominal_extra: rng.random(),
            ..Op::default()
        };
        let known = self.known.connection(conn);
        let (is_open, is_host) = (known.arrivals.initialised, known.host);
        let Knobs { init_share, close_share, trimmed_share, other_share, .. } = self.knobs;
        let Knobs { duplicate_share, outside_share, host_share, .. } = self.knobs;
        let is_fresh = !is_open && init_share > 0.0 && !one_in(rng, 8);
        let is_kept = self.deep.keeps(conn);
        // shares one on top of the other
        let mut what: f64 = rng.random();
        let mut is = |share: f64| {
            let holds = (0.0..share).contains(&what);
            what -= share;
            holds
        };
        if is_fresh || is(init_share) && !is_kept {
            op.kind = 1;
            op.host = rng.random::<f64>() < host_share;
            op.psn = self.first_psn();
            self.next[usize::from(conn)] = op.psn;
        } else if is(close_share) && !is_kept {
            // one in four has the code that is reserved
            op.kind = if one_in(rng, 4) { 7 } else { 2 };
        } else if is(trimmed_share) {
            op.kind = 6;
            op.psn = if one_in(rng, 2) { self.sent_before(conn) } else { self.far(conn) };
        } else if is(other_share) {
            op.kind = 3;
            op.psn = if one_in(rng, 2) { self.sent_before(conn) } else { self.far(conn) };
        } else if is(other_share) {
            op.kind = 4;
            op.psn = if one_in(rng, 4) { self.far(conn) } else { self.sent_before(conn) };
        } else if is(other_share) || is_host && one_in(rng, 4) {
            op.kind = 5;
            op.psn = if one_in(rng, 8) { self.far(conn) } else { self.sent_before(conn) };
            op.cum_next = self.clears(conn);
        } else if is(duplicate_share) {
            op.psn = self.sent_before(conn);
        } else if is(outside_share) {
            op.psn = self.far(conn);
        } else {
            op.psn = self.sound(conn);
        }
        op
    }
}

impl Iterator for RandomOps {
    type Item = Entry<Op>;

    fn next(&mut self) -> Option<Entry<Op>> {
        if !self.resets.op_is_next() {
            return Some(self.next_reset_edge());
        }
        if self.phase.ops_left == 0 {
            self.next_phase();
        }
        self.phase.ops_left -= 1;
        let op = self.op();
        self.known.apply(&golden_op(&op));
        let rng = &mut self.rng;
        let is_idle = u16::from(rng.random::<u8>()) < self.phase.idle_below;
        let idle = if is_idle { idle_edges(rng.next_u64()) } else { 0 };
        Some(Entry::after(idle, Event::Op(op)))
    }
}
