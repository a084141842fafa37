//! Random ops of `sack_tx`.
//!
//! Behind each connection stands a receiver of its own, of which the engine hears by SACKs: some PSNs arrive, some are
//! missing, the segment that is shown is any that the window touches, some SACKs come late, and some say what cannot be.
//! Time is cut into phases of some hundred ops. Each phase draws anew what its ops are like (balanced, windows that
//! fill, windows that drain, recoveries), how fast time runs, how long the timers are, whether probes are answered,
//! whether ops go back to back, and which connections are hot. So windows fill up, recoveries begin by each rule and
//! end, retransmissions are searched for over many segments, PSNs and times wrap, and connections start anew at work.
//! Some phases stay with one connection, which does not start anew, and in some the walker gets round before each op
//! and nothing is acknowledged, so that timeouts come in a row.

use rand::rngs::Xoshiro256PlusPlus;
use rand::{Rng, RngExt, SeedableRng};
use respray_golden::psn::{SEGMENT, segment_base};
use respray_golden::sack_tx::{Params, SackFields};

use respray_hdl::cores::sack_tx::contract::Op;

use crate::traffic::random::{Deep, MOST_HOT, Resets, below, idle_edges, knobs, one_in, scaled};
use crate::traffic::stimulus::{Entry, Event};

knobs! {
    /// What the stream is like. Shares are of all ops, 0 to 1, where nothing else is said.
    pub struct Knobs {
        /// Connections that are hot in a phase: 1 to 64.
        hot_set: set = 4,
        /// Share of ops on the hot connections.
        hot_share: share = 0.7,
        /// Share of PSNs that are missing at the receiver when it sends a SACK, in half of all phases; few in the others.
        loss_share: share = 0.2,
        /// Share of ops that say what a sound sender or receiver would not.
        garbage_share: share = 0.05,
        /// Share of SACKs that are older than the last one.
        late_share: share = 0.1,
        /// Share of `read`, the reserved codes included, among the ops that only ask.
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

/// One phase in so many is patient, and has so many ops.
const PATIENT_PHASES: u32 = 48;
const PATIENT_OPS: std::ops::Range<u32> = 12..24;
/// Ops of a deep phase, at most.
const MOST_DEEP_OPS: u32 = 1536;
/// Bits of the time between two ops at most, in a phase that fills a window: less than a timeout passes within it.
const FILLING_TIME_BITS: u32 = 4;
/// Cycles of a visit, about.
const VISIT_CYCLES: u32 = 8;

/// Words of the largest window's ring.
const WORDS: usize = 8;

/// One connection: what its sender sent, what its receiver has.
#[derive(Clone, Copy, Debug, Default)]
struct Ends {
    initialised: bool,
    /// As the engine has them.
    snd_una: u32,
    snd_nxt: u32,
    /// The receiver's, never below `snd_una`.
    epsn: u32,
    /// PSNs held beyond `epsn`, at PSN modulo window.
    held: [u64; WORDS],
    bytes_sent: u32,
    bytes_recvd: u32,
    /// A SACK that was on its way for longer.
    late: SackFields,
}

/// What the ops of one phase have in common.
#[derive(Clone, Copy, Debug, Default)]
struct Phase {
    ops_left: u32,
    /// Kinds by a random byte: `sent` below the first, `sack` below the second, else `next_rtx`.
    sent_below: u16,
    sack_below: u16,
    /// EPSN may move at a SACK below this, of 256.
    advance_below: u16,
    /// Of 256.
    loss_below: u16,
    probe_below: u16,
    idle_below: u16,
    time_step_mask: u16,
    echo_mask: u16,
    timeout_mask: u16,
    timeout_base: u16,
    probe_timeout_mask: u16,
    probe_rtt_mask: u16,
    backoff_mask: u8,
    cwnd_mask: u16,
    /// The walker gets round before each op.
    is_patient: bool,
}

/// The stream: endless.
#[derive(Clone, Debug)]
pub struct RandomOps {
    rng: Xoshiro256PlusPlus,
    knobs: Knobs,
    params: Params,
    hot: [u16; MOST_HOT],
    hot_below: u16,
    garbage_below: u16,
    late_below: u16,
    read_below: u16,
    phase: Phase,
    deep: Deep,
    resets: Resets,
    now: u16,
    ends: Vec<Ends>,
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
            hot_below: below(knobs.hot_share),
            garbage_below: below(knobs.garbage_share),
            late_below: below(knobs.late_share),
            read_below: below(knobs.read_share),
            phase: Phase::default(),
            deep: Deep::new(knobs.deep_share),
            resets,
            now: 0,
            ends: vec![Ends::default(); knobs.connections as usize],
            knobs: knobs.clone(),
        }
    }

    #[cold]
    fn next_phase(&mut self) {
        let rng = &mut self.rng;
        let is_deep = self.deep.begin_phase(rng, self.knobs.connections);
        let mask = |bits: u32| ((1_u32 << bits) - 1) as u16;
        // balanced, filling, draining, recovering, and only sending: ops to send and SACKs of 256, and how often EPSN
        // moves
        let mixes = [(116, 192, 160), (216, 240, 6), (40, 180, 200), (60, 130, 128), (240, 240, 0)];
        // timeouts in a row, of each connection that has something on its way
        let is_patient = !is_deep && self.knobs.idle_share > 0.0 && one_in(rng, PATIENT_PHASES);
        let only_sends = is_patient || is_deep && one_in(rng, 12);
        let fills = is_deep && only_sends;
        let mix = if only_sends { mixes.len() - 1 } else { rng.random_range(0..mixes.len() - 1) };
        let (sent_below, sack_below, advance_below) = mixes[mix];
        let most = if mix == 1 { 8 * self.params.window } else { 512 };
        let (loss_below, idle_below) = (below(self.knobs.loss_share), below(self.knobs.idle_share));
        let ops_left = match is_patient {
            true => rng.random_range(PATIENT_OPS),
            // a window is full by then
            false if fills => self.deep.ops(rng).min(3 * self.params.window / 2),
            false if is_deep => self.deep.ops(rng).min(MOST_DEEP_OPS),
            false => rng.random_range(16..most),
        };
        // time hardly passes where a window is to be full
        let most_time_bits = if fills { FILLING_TIME_BITS } else { u32::MAX };
        self.phase = Phase {
            ops_left,
            sent_below,
            sack_below,
            advance_below,
            loss_below: if one_in(rng, 2) { loss_below } else { loss_below / 8 },
            probe_below: [0, 16, 128, 240][rng.random_range(usize::from(is_deep)..4)],
            idle_below: if one_in(rng, 2) { 0 } else { idle_below },
            time_step_mask: mask(
                rng.random_range(if is_patient { 8..15 } else { 0..10 }).min(most_time_bits),
            ),
            echo_mask: mask(rng.random_range(0..=16)),
            timeout_mask: mask(rng.random_range(0..=if is_patient { 6 } else { 16 })),
            timeout_base: if !is_patient && (one_in(rng, 2) || fills) { 1 << 15 } else { 0 },
            probe_timeout_mask: mask(rng.random_range(0..=16)),
            probe_rtt_mask: mask(rng.random_range(0..=16)),
            backoff_mask: mask(ops_left % 4) as u8,
            cwnd_mask: mask(if one_in(rng, 4) { 12 } else { rng.random_range(0..5) }),
            is_patient,
        };
        // large windows take more than one phase to fill
        if is_deep || !one_in(rng, 3) {
            self.deep.heat(&mut self.hot, || rng.random_range(0..self.knobs.connections) as u16);
            if mix == 1 || fills {
                self.hot = [self.hot[0]; MOST_HOT];
            }
            // a whole window is in flight within a phase, if nothing was selectively acknowledged or lost before
            if fills {
                self.ends[usize::from(self.hot[0])].initialised = false;
            }
        }
    }

    #[cold]
    fn next_reset_edge(&mut self) -> Entry<Op> {
        let (idle, _) = self.resets.next_edge(&mut self.rng);
        self.ends.fill(Ends::default());
        Entry::after(idle, Event::Reset { seed: None })
    }

    fn init(&mut self, conn: u16) -> u32 {
        let low: bool = self.rng.random_bool(self.knobs.wrap_share);
        let Params { window, psns, .. } = self.params;
        let any = self.rng.random_range(0..=psns.last());
        let psn = if low { psns.last() - any % (2 * window) } else { any };
        let ends = &mut self.ends[usize::from(conn)];
        *ends = Ends { initialised: true, snd_una: psn, snd_nxt: psn, epsn: psn, ..Ends::default() };
        psn
    }

    /// The PSN and the bytes of a `sent`.
    fn sent(&mut self, conn: u16, garbage: bool) -> (u32, u16) {
        let Params { window, psns, .. } = self.params;
        let rng = &mut self.rng;
        let ends = &mut self.ends[usize::from(conn)];
        let outstanding = psns.distance(ends.snd_una, ends.snd_nxt);
        let random = rng.next_u64();
        let bytes = random as u16 & if random >> 16 & 3 == 0 { 0xffff } else { 0x1fff };
        if garbage {
            let near = (random >> 32) as u32 % 600;
            let psn = match random >> 20 & 7 {
                0 => (random >> 32) as u32 >> psns.last().leading_zeros(),
                1 => psns.add(ends.snd_nxt, near),
                2 => psns.add(ends.snd_nxt, 1),
                3 => psns.sub(ends.snd_una, 1),
                4 => psns.sub(ends.snd_una, near),
                5 => psns.add(ends.snd_una, psns.half() - (near & 1)),
                _ => psns.add(ends.snd_una, near % (outstanding + 1)),
            };
            let psn = psns.add(psn, aliased(random as u32 >> 24));
            let taken = psn == ends.snd_nxt && outstanding < window && ends.initialised;
            if !taken {
                return (psn, bytes);
            }
        }
        let psn = ends.snd_nxt;
        // one in eight is sent again
        if outstanding > 0 && random >> 24 & 7 == 0 {
            return (psns.add(ends.snd_una, (random >> 32) as u32 % outstanding), bytes);
        }
        if outstanding < window {
            ends.snd_nxt = psns.add(ends.snd_nxt, 1);
            ends.bytes_sent = ends.bytes_sent.wrapping_add(bytes.into());
        }
        (psn, bytes)
    }

    fn sack(&mut self, conn: u16, garbage: bool) -> SackFields {
        let (params, phase) = (self.params, self.phase);
        let ends = &mut self.ends[usize::from(conn)];
        let rng = &mut self.rng;
        let random = rng.next_u64();
        let byte = |n: u32| u16::from((random >> (8 * n)) as u8);
        ends.arrive(rng, &phase, byte(0) < phase.advance_below, params);
        let mut sack = ends.sack((random >> 32) as u32, params);
        sack.probe = byte(1) < phase.probe_below;
        sack.timestamp = self.now.wrapping_sub((random >> 48) as u16 & phase.echo_mask);
        if byte(2) & 7 == 0 {
            // the reordering that another path sees
            sack.ooo = byte(3) & 31;
        }
        if byte(2) < 128 + self.late_below / 2 && byte(2) >= 128 {
            std::mem::swap(&mut sack, &mut ends.late);
        }
        if garbage {
            spoil(&mut sack, rng, ends, params);
        }
        ends.take(&sack, params);
        sack
    }
}

/// What makes of a PSN another one with the same lower 24 bits, one time in four. PSNs of 24 bits stay as they are.
fn aliased(random: u32) -> u32 {
    if random & 3 == 0 { random << 24 } else { 0 }
}

/// One thing in a SACK becomes something else.
fn spoil(sack: &mut SackFields, rng: &mut Xoshiro256PlusPlus, ends: &Ends, params: Params) {
    let Params { window, psns, .. } = params;
    let any = rng.random_range(0..=psns.last());
    match rng.random_range(0..14_u8) {
        0 => sack.epsn = any,
        1 => sack.epsn = psns.sub(ends.snd_una, 1 + any % 64),
        2 => sack.epsn = psns.add(ends.snd_nxt, 1 + any % 3),
        3 => sack.epsn = psns.add(ends.snd_una, psns.half() - (any & 1)),
        4 => sack.base = any,
        5 => sack.base = segment_base(any),
        6 => sack.base = psns.add(sack.base, 1 << (any % 6)),
        7 => sack.base = psns.add(segment_base(ends.snd_una), (window / SEGMENT + any % 3) * SEGMENT),
        8 => sack.base = psns.sub(segment_base(ends.snd_una), SEGMENT),
        9 => sack.bitmap = rng.random(),
        10 if any >> 8 & 3 != 0 => {
            // received what it lacks
            sack.epsn = ends.snd_una;
            sack.base = segment_base(sack.epsn);
            sack.bitmap = 1 << (sack.epsn % SEGMENT);
        }
        10 => sack.bitmap |= 1 << (any % 64),
        11 => sack.bytes_recvd = rng.random(),
        12 => sack.bytes_recvd = ends.bytes_sent.wrapping_add(any & 1),
        _ => sack.ooo = any as u16 & 0xfff,
    }
    (sack.epsn, sack.base) = match any >> 16 & 15 {
        0 => (psns.add(sack.epsn, aliased(any)), sack.base),
        1 => (sack.epsn, psns.add(sack.base, aliased(any))),
        _ => (sack.epsn, sack.base),
    };
}

impl Ends {
    fn has(&self, psn: u32, window: u32) -> bool {
        self.held[(psn % window / 64) as usize] >> (psn % 64) & 1 != 0
    }

    /// Some of what was sent arrives: the next few, if EPSN is to move, or one segment but for what is lost.
    fn arrive(&mut self, rng: &mut Xoshiro256PlusPlus, phase: &Phase, advance: bool, params: Params) {
        let Params { window, psns, .. } = params;
        let outstanding = psns.distance(self.epsn, self.snd_nxt);
        if outstanding == 0 {
            return;
        }
        let random = rng.next_u64();
        if advance {
            // mostly a few, now and then all there is
            let most = if random & 7 == 0 { outstanding } else { outstanding.min(24) };
            for _ in 0..=(random >> 8) as u32 % most {
                if self.epsn != self.snd_nxt {
                    self.next_arrived(params);
                }
            }
        } else {
            let place = psns.add(self.epsn, (random >> 8) as u32 % outstanding);
            let start =
                if psns.is_below(segment_base(place), self.epsn) { self.epsn } else { segment_base(place) };
            let mut dice = rng.next_u64();
            for step in 0..16 {
                let psn = psns.add(start, (random >> 40) as u32 % 49 + step);
                let lost = (dice & 0xff) < u64::from(phase.loss_below);
                dice = dice.rotate_right(5);
                let is_ahead = psn != self.epsn && !psns.is_below(psn, self.epsn);
                if !lost && is_ahead && psns.is_below(psn, self.snd_nxt) {
                    self.held[(psn % window / 64) as usize] |= 1 << (psn % 64);
                }
            }
        }
        while self.epsn != self.snd_nxt && self.has(self.epsn, window) {
            self.next_arrived(params);
        }
        // bytes of packets are not remembered: a share of what was sent is as good
        let missing = psns.distance(self.epsn, self.snd_nxt);
        self.bytes_recvd = self.bytes_sent.wrapping_sub(missing * (random >> 52) as u32);
    }

    fn next_arrived(&mut self, Params { window, psns, .. }: Params) {
        self.held[(self.epsn % window / 64) as usize] &= !(1 << (self.epsn % 64));
        self.epsn = psns.add(self.epsn, 1);
    }

    /// The receiver's state, with the bitmap of any segment that holds something sent.
    fn sack(&self, random: u32, Params { window, psns, .. }: Params) -> SackFields {
        let outstanding = psns.distance(self.epsn, self.snd_nxt);
        let place = if random & 1 == 0 { 0 } else { (random >> 8) % outstanding.max(1) };
        let base = segment_base(psns.add(self.epsn, place));
        let mut bitmap = self.held[(base % window / 64) as usize];
        // of the first and the last segment in the window, which share a word, each has its part
        let from = psns.distance(base, self.epsn);
        if from < SEGMENT {
            bitmap = bitmap >> from << from | ((1_u64 << from) - 1);
        }
        let to = psns.distance(base, self.snd_nxt);
        if to < SEGMENT {
            bitmap &= (1_u64 << to) - 1;
        }
        SackFields {
            epsn: self.epsn,
            base,
            bitmap,
            ooo: self.held.iter().map(|word| word.count_ones() as u16).sum(),
            bytes_recvd: self.bytes_recvd,
            ..SackFields::default()
        }
    }

    /// Follows the engine's `snd_una`; should the receiver be behind, by a SACK that lied, it catches up.
    fn take(&mut self, sack: &SackFields, params: Params) {
        let Params { window, psns, .. } = params;
        let epsn_at = psns.distance(sack.base, sack.epsn);
        let known = self.initialised
            && !psns.is_below(sack.epsn, self.snd_una)
            && psns.distance(self.snd_una, sack.epsn) <= psns.distance(self.snd_una, self.snd_nxt)
            && sack.base.is_multiple_of(SEGMENT)
            && psns.segments_between(self.snd_una, sack.base) <= window / SEGMENT
            && (sack.bitmap == 0
                || psns.is_below(psns.add(sack.base, 63 - sack.bitmap.leading_zeros()), self.snd_nxt)
                    && psns.is_below(psns.add(sack.base, sack.bitmap.trailing_zeros()), self.snd_nxt))
            && (epsn_at >= SEGMENT || sack.bitmap >> epsn_at & 1 == 0);
        if known {
            self.snd_una = sack.epsn;
            while psns.is_below(self.epsn, self.snd_una) {
                self.next_arrived(params);
            }
        }
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
        let phase = self.phase;
        let [kind, hot, garbage, idle, init, long, conn_0, conn_1] = self.rng.next_u64().to_le_bytes();
        let times = self.rng.next_u64();
        let conn = u16::from_le_bytes([conn_0, conn_1]);
        let conn = if u16::from(hot) < self.deep.hot_below(self.hot_below) {
            self.hot[scaled(conn, self.knobs.hot_set) as usize]
        } else {
            scaled(conn, self.knobs.connections) as u16
        };
        self.now = self.now.wrapping_add(times as u16 & phase.time_step_mask);
        let mixed = times.wrapping_mul(0x9e37_79b9_7f4a_7c15);
        let garbage = u16::from(garbage) < self.garbage_below;
        // most connections that are not initialised become so before anything else
        let fresh = !self.ends[usize::from(conn)].initialised && init < 200;
        let anew =
            (times >> 40 & 0xffff) < (self.knobs.init_share * 65536.0) as u64 && !self.deep.keeps(conn);
        let ends =
            (mixed >> 5 & 0xffff) < (self.knobs.close_share * 65536.0) as u64 && !self.deep.keeps(conn);
        let mut op = Op {
            conn,
            now: self.now,
            cwnd_packets: mixed as u16 & phase.cwnd_mask & 0xfff,
            probe_timeout: (mixed >> 16) as u16 & phase.probe_timeout_mask,
            probe_rtt: (mixed >> 32) as u16 & phase.probe_rtt_mask,
            rto: (mixed >> 48) as u16 & phase.timeout_mask | phase.timeout_base,
            rto_backoff_max: (mixed >> 13) as u8 & phase.backoff_mask,
            ..Op::default()
        };
        if fresh || anew {
            op.kind = 3;
            op.psn = self.init(conn);
        } else if ends {
            op.kind = 5;
            self.ends[usize::from(conn)].initialised = false;
        } else if u16::from(kind) < phase.sent_below {
            (op.psn, op.bytes) = self.sent(conn, garbage);
        } else if u16::from(kind) < phase.sack_below {
            op.kind = 1;
            super::set_sack(&mut op, &self.sack(conn, garbage));
        } else if u16::from((mixed >> 24) as u8) < self.read_below {
            // one in four has a code that is reserved
            op.kind = if mixed >> 20 & 3 == 0 { 6 + (mixed >> 22 & 1) as u8 } else { 4 };
        } else {
            op.kind = 2;
        }
        // what the op does not use is not 0 either
        if op.kind != 0 && op.kind != 3 {
            op.psn = self.params.psns.wrap(mixed as u32);
        }
        let idle = match u16::from(idle) < phase.idle_below {
            _ if phase.is_patient => VISIT_CYCLES * self.knobs.connections.min(256),
            // the walker gets round
            true if long == 0 => 1 + (mixed >> 44) as u32 % (16 * self.knobs.connections.min(256)),
            true => idle_edges(times),
            false => 0,
        };
        Some(Entry::after(idle, Event::Op(op)))
    }
}
