//! Random ops of the scoreboard of Ultra Ethernet.
//!
//! Each op is drawn near where its connection stands, which a golden model beside the stream knows: visits do not move PSNs. ACKs show
//! any PSNs from any base, hold the cumulative PSN back or come late; some say what cannot be. Time is cut into phases of some
//! hundred ops. Each phase draws anew what its ops are like (balanced, windows that fill, windows that drain, recoveries, senders
//! that hear nothing), how fast time runs, how long the timers are, which rules are on, and which connections are hot.

use rand::rngs::Xoshiro256PlusPlus;
use rand::{Rng, RngExt, SeedableRng};
use respray_golden::sack_tx::Params;
use respray_golden::sack_tx::uet::{
    self, AckFields, ENDLESS, INFERRED, OUT_OF_ORDER, TRIMMED, TRIMMED_LAST_HOP, UetTx,
};

use respray_hdl::cores::sack_tx::uet::contract::Op;

use super::{inputs, kind};
use crate::traffic::random::{Deep, MOST_HOT, Resets, below, idle_edges, knobs, one_in, scaled};
use crate::traffic::stimulus::{Entry, Event};

knobs! {
    /// What the stream is like. Shares are of all ops, 0 to 1, where nothing else is said.
    pub struct Knobs {
        /// Connections that are hot in a phase: 1 to 64.
        hot_set: set = 4,
        /// Share of ops on the hot connections.
        hot_share: share = 0.7,
        /// Share of NACKs among the ops that hear of the peer.
        nack_share: share = 0.15,
        /// Share of ops that say what a sound sender or receiver would not.
        garbage_share: share = 0.05,
        /// Share of ACKs whose cumulative PSN is older than one before.
        late_share: share = 0.1,
        /// Share of connections whose packets must come in order.
        ordered_share: share = 0.3,
        /// Share of `read`, the reserved code included, among the ops that only ask.
        read_share: share = 0.1,
        /// Share of connections started anew at work.
        init_share: share = 0.004,
        /// Share of connections closed at work.
        close_share: share = 0.0005,
        /// Share of inits whose first PSN is less than two windows below the wrap.
        wrap_share: share = 0.5,
        /// Share of ops with idle edges before them, in the half of all phases that are not back to back.
        idle_share: share = 0.4,
    }
}

/// Ops of a deep phase, at most.
const MOST_DEEP_OPS: u32 = 1536;
/// One phase in so many is patient: the walker gets round before each op, and nothing is heard, so that timeouts come in a row.
const PATIENT_PHASES: u32 = 48;
/// Cycles of a visit, about.
const VISIT_CYCLES: u32 = 8;
/// Ops to send and to hear, of 256, and how often the cumulative PSN may move: balanced, filling, draining, recovering, and only sending.
const MIXES: [(u16, u16, u16); 5] =
    [(116, 192, 160), (216, 240, 6), (40, 180, 200), (60, 130, 128), (240, 240, 0)];

/// What the ops of one phase have in common.
#[derive(Clone, Copy, Debug, Default)]
struct Phase {
    ops_left: u32,
    /// Kinds by a random byte: `sent` below the first, ACKs and NACKs below the second, else `next_rtx`.
    sent_below: u16,
    heard_below: u16,
    advance_below: u16,
    probe_below: u16,
    idle_below: u16,
    /// Bits of a bitmap are set together with those of so many other random words, less one.
    sparse: u32,
    /// MPRs that ACKs say.
    mpr_mask: u8,
    time_step_mask: u16,
    echo_mask: u16,
    rto_mask: u16,
    rto_base: u16,
    probe_timeout_mask: u16,
    probe_rtt_mask: u16,
    backoff_mask: u8,
    ooo_mask: u16,
    rules: u8,
    max_rto_retx: u8,
    is_patient: bool,
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
    now: u16,
    /// Where each connection stands.
    known: UetTx,
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
            now: 0,
            known: UetTx::new(params),
            knobs: knobs.clone(),
        }
    }

    #[cold]
    fn next_phase(&mut self) {
        let rng = &mut self.rng;
        let is_deep = self.deep.begin_phase(rng, self.knobs.connections);
        let mask = |bits: u32| ((1_u32 << bits) - 1) as u16;
        let is_patient = !is_deep && self.knobs.idle_share > 0.0 && one_in(rng, PATIENT_PHASES);
        let fills = is_deep && one_in(rng, 8);
        let mix = if is_patient || fills { MIXES.len() - 1 } else { rng.random_range(0..MIXES.len() - 1) };
        let (sent_below, heard_below, advance_below) = MIXES[mix];
        let most = if mix == 1 { 8 * self.params.window } else { 512 };
        let ops_left = match is_patient {
            true => rng.random_range(12..24),
            false if is_deep => self.deep.ops(rng).min(MOST_DEEP_OPS),
            false => rng.random_range(16..most),
        };
        self.phase = Phase {
            ops_left,
            sent_below,
            heard_below,
            advance_below,
            probe_below: [0, 16, 128, 240][rng.random_range(0..4)],
            idle_below: if one_in(rng, 2) { 0 } else { below(self.knobs.idle_share) },
            sparse: rng.random_range(0..5),
            mpr_mask: if one_in(rng, 2) { 0 } else { 7 },
            time_step_mask: mask(rng.random_range(if is_patient { 8..15 } else { 0..10 })),
            echo_mask: mask(if one_in(rng, 2) { 3 } else { rng.random_range(0..=16) }),
            rto_mask: mask(rng.random_range(0..=if is_patient { 6 } else { 16 })),
            rto_base: if !is_patient && (one_in(rng, 2) || fills) { 1 << 15 } else { 0 },
            probe_timeout_mask: mask(rng.random_range(0..=16)),
            probe_rtt_mask: mask(rng.random_range(0..=16)),
            backoff_mask: rng.random_range(0..8),
            ooo_mask: mask(if one_in(rng, 4) { 12 } else { rng.random_range(0..5) }),
            rules: rng.random_range(0..4),
            max_rto_retx: if one_in(rng, 2) { ENDLESS } else { rng.random_range(0..ENDLESS) },
            is_patient,
        };
        if is_deep || !one_in(rng, 3) {
            self.deep.heat(&mut self.hot, || rng.random_range(0..self.knobs.connections) as u16);
        }
    }

    #[cold]
    fn next_reset_edge(&mut self) -> Entry<Op> {
        let (idle, _) = self.resets.next_edge(&mut self.rng);
        self.known.reset();
        Entry::after(idle, Event::Reset { seed: None })
    }

    /// A PSN that a sound end would not say: far away, just outside, or one with the same lower bits.
    fn garbage(&mut self, una: u32, nxt: u32) -> u32 {
        let rng = &mut self.rng;
        let near: u32 = rng.random_range(0..700);
        match rng.random_range(0..8) {
            0 => rng.random(),
            1 => nxt.wrapping_add(rng.random_range(0..3)),
            2 => una.wrapping_sub(1 + near % 3),
            3 => nxt.wrapping_add(near),
            4 => una.wrapping_sub(near),
            5 => una.wrapping_add(1 << 31).wrapping_sub(near % 3),
            6 => una.wrapping_add(near % 300 + (1 << rng.random_range(9..32))),
            _ => una.wrapping_add(near % 300),
        }
    }

    fn ack(&mut self, conn: u16, is_garbage: bool) -> AckFields {
        let c = *self.known.connection(conn);
        let (una, nxt) = (c.snd_una, c.snd_nxt);
        let outstanding = nxt.wrapping_sub(una);
        let phase = self.phase;
        let is_late = self.rng.random::<f64>() < self.knobs.late_share;
        let rng = &mut self.rng;
        let byte = |rng: &mut Xoshiro256PlusPlus| u16::from(rng.random::<u8>());
        let mut cum_next = una;
        if byte(rng) < phase.advance_below {
            // mostly a few, now and then all there is
            let most = if one_in(rng, 8) { outstanding } else { outstanding.min(24) };
            cum_next = una.wrapping_add(rng.random_range(0..=most));
        } else if is_late {
            cum_next = una.wrapping_sub(rng.random_range(0..100));
        }
        // beside the cumulative PSN, aligned, or anywhere
        let place = rng.random_range(0..=outstanding);
        let base = match rng.random_range(0..4) {
            0 => cum_next.wrapping_sub(rng.random_range(0..70)),
            1 => una.wrapping_add(place) & !63,
            2 => una.wrapping_add(place) & !7,
            _ => una.wrapping_add(place),
        };
        let base = if one_in(rng, 16) { una.wrapping_sub(rng.random_range(0..1 << 15)) } else { base };
        let mut bitmap = (0..phase.sparse).fold(rng.random::<u64>(), |bits, _| bits & rng.random::<u64>());
        // the first bits are set as in order
        if one_in(rng, 3) {
            bitmap |= u64::MAX >> rng.random_range(0..64);
        }
        let sent = i64::from(nxt.wrapping_sub(base) as i32);
        bitmap &= if sent >= 64 { u64::MAX } else { (1 << sent.max(0)) - 1 };
        let flight = c.bytes_flight() / 256;
        let growth = if one_in(rng, 6) { flight } else { flight.min(rng.random_range(0..40)) };
        let mut ack = AckFields {
            cum_next,
            psn: una.wrapping_add(rng.random_range(0..outstanding.max(1))),
            probe: byte(rng) < phase.probe_below,
            has_sack: !one_in(rng, 6),
            mpr: rng.random::<u8>() & phase.mpr_mask,
            base,
            bitmap,
            has_state: !one_in(rng, 4),
            rcvd: (c.bytes_rcvd / 256 + growth) & 0xff_ffff,
            ooo: byte(rng) & 31,
            timestamp: self.now.wrapping_sub(rng.random::<u16>() & phase.echo_mask),
        };
        if outstanding == 0 || one_in(rng, 8) {
            ack.psn = una.wrapping_sub(1 + rng.random_range(0..40));
        }
        if is_garbage {
            let psn = self.garbage(una, nxt);
            let rng = &mut self.rng;
            match rng.random_range(0..8) {
                0 => ack.cum_next = psn,
                1 => ack.base = psn,
                2 => ack.psn = psn,
                3 => ack.bitmap = rng.random(),
                4 => ack.bitmap |= 1 << rng.random_range(0..64),
                5 => ack.rcvd = rng.random_range(0..1 << 24),
                6 => ack.rcvd = (c.bytes_rcvd / 256 + (1 << 23) - rng.random_range(0..2)) & 0xff_ffff,
                _ => ack.mpr = rng.random(),
            }
        }
        ack
    }

    /// The PSN and the code of a NACK.
    fn nack(&mut self, conn: u16, is_garbage: bool) -> (u32, u8) {
        let c = *self.known.connection(conn);
        let outstanding = c.snd_nxt.wrapping_sub(c.snd_una);
        let psn = if is_garbage {
            self.garbage(c.snd_una, c.snd_nxt)
        } else {
            c.snd_una.wrapping_add(self.rng.random_range(0..outstanding.max(1)))
        };
        let code = match self.rng.random_range(0..8) {
            0..2 => TRIMMED,
            2 => TRIMMED_LAST_HOP,
            3..6 => OUT_OF_ORDER,
            6 => INFERRED,
            _ => self.rng.random(),
        };
        (psn, code)
    }

    /// The PSN of a packet sent.
    fn sent(&mut self, conn: u16, is_garbage: bool) -> u32 {
        let c = *self.known.connection(conn);
        if is_garbage {
            return self.garbage(c.snd_una, c.snd_nxt);
        }
        let outstanding = c.snd_nxt.wrapping_sub(c.snd_una);
        if outstanding > 0 && one_in(&mut self.rng, 8) {
            return c.snd_una.wrapping_add(self.rng.random_range(0..outstanding));
        }
        c.snd_nxt
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
        self.now = self.now.wrapping_add(rng.random::<u16>() & phase.time_step_mask);
        let limits: u64 = rng.random();
        let mut op = Op {
            conn,
            now: self.now,
            ooo_packets: limits as u16 & phase.ooo_mask & 0xfff,
            probe_timeout: (limits >> 16) as u16 & phase.probe_timeout_mask,
            probe_rtt: (limits >> 32) as u16 & phase.probe_rtt_mask,
            rto: (limits >> 48) as u16 & phase.rto_mask | phase.rto_base,
            rto_backoff_max: (limits >> 13) as u8 & phase.backoff_mask,
            rules: phase.rules,
            max_rto_retx: phase.max_rto_retx,
            // what the op does not use is not 0 either
            psn: rng.random(),
            bytes: rng.random::<u16>() & if one_in(rng, 4) { 0xffff } else { 0x1fff },
            ordered: rng.random::<f64>() < self.knobs.ordered_share,
            code: rng.random(),
            mpr: rng.random::<u8>() & phase.mpr_mask,
            ..Op::default()
        };
        let share = |rng: &mut Xoshiro256PlusPlus, share: f64| rng.random::<f64>() < share;
        let is_garbage = share(rng, self.knobs.garbage_share);
        let is_kept = self.deep.keeps(conn);
        let is_fresh = !self.known.connection(conn).initialised && rng.random_ratio(200, 256);
        let of = u16::from(rng.random::<u8>());
        if is_fresh || share(rng, self.knobs.init_share) && !is_kept {
            op.kind = 3;
            if share(rng, self.knobs.wrap_share) {
                op.psn = 0_u32.wrapping_sub(rng.random_range(0..2 * self.params.window));
            }
        } else if share(rng, self.knobs.close_share) && !is_kept {
            op.kind = 5;
        } else if of < phase.sent_below {
            op.kind = 0;
            op.psn = self.sent(conn, is_garbage);
        } else if of < phase.heard_below {
            if share(rng, self.knobs.nack_share) {
                op.kind = 6;
                (op.psn, op.code) = self.nack(conn, is_garbage);
            } else {
                op.kind = 1;
                let ack = self.ack(conn, is_garbage);
                super::set_ack(&mut op, &ack);
            }
        } else if share(rng, self.knobs.read_share) {
            op.kind = if one_in(rng, 4) { 7 } else { 4 };
        } else {
            op.kind = 2;
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
        self.known.apply(&uet::Op { kind: kind(&op), conn: op.conn, inputs: inputs(&op) });
        let most = self.knobs.connections.min(256);
        let rng = &mut self.rng;
        let idle = match u16::from(rng.random::<u8>()) < self.phase.idle_below {
            _ if self.phase.is_patient => VISIT_CYCLES * most,
            // the walker gets round
            true if one_in(rng, 256) => 1 + rng.random_range(0..16 * most),
            true => idle_edges(rng.next_u64()),
            false => 0,
        };
        Some(Entry::after(idle, Event::Op(op)))
    }
}
