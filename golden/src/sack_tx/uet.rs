//! The sender's scoreboard for peers that speak Ultra Ethernet: its packet delivery sublayer, version 1.0.
//!
//! Ends of ranges are exclusive. Counts are taken from the bitmap by their definitions; hardware keeps them incrementally.
//!
//! # What differs from the scoreboard of 004
//! - A set bit means that the PSN was received, a clear bit means nothing. The bitmap begins at any PSN, also below `snd_una`.
//! - The cumulative PSN may wait for responses that are not cleared yet. So `snd_una` itself may be acknowledged, and an ACK that is
//!   older than `snd_una` still says what its bits say.
//! - An ACK names the PSN that it answers, which was received.
//! - The receiver limits the range of PSNs (MPR), and counts bytes in units of 256.
//! - What left less than half an RTO ago is not lost by a timeout. The age of packets is known by two marks: what had been sent when a
//!   phase began, and when the phase before began. A phase of all connections takes half an RTO.
//! - Where a timeout finds that all such packets were received, the peer is asked for its cumulative PSN. Too many timeouts in a row are
//!   the end.
//! - NACKs ask for one PSN, or, where packets must come in order, for all from one on.
//! - That a later PSN was received is no sign of loss. Rules 1 and 2 are there, and off where a driver does not want them.
//!
//! # What the sources leave open
//! - An answer to a probe that says of PSNs what cannot be still ends the probe, and counts bytes.
//! - A range of a NACK begins no later than what an unfinished recovery has not handed out: nothing that was held for lost is forgotten.
//! - An ACK request leaves a recovery as it is.
//! - A connection that has died has no timers. Progress revives it, and so does a driver that bears more timeouts.
//! - Rule 1 asks that a PSN above `snd_una` is known to be received, or `snd_una` itself: a range has a PSN, which may be acknowledged.

mod op;

use bitvec::array::BitArray;

use super::{MAX_WINDOW, Params};
use crate::psn::{PsnSpace, SEGMENT, slot};
pub use op::{AckFields, Class, Inputs, Op, OpKind, Outcome, Rule, Status};

/// Rule 1 needs so many packets out of order, whatever a driver says.
pub const LEAST_OOO: u16 = 5;
/// A driver sets no limit of timeouts in a row.
pub const ENDLESS: u8 = 15;
/// PSNs of a unit of the MPR.
pub const MPR_UNIT: u32 = 128;
/// PSNs of a word.
const WORD: u32 = 16;
/// Bytes of a unit of the receiver's count.
const BYTES_UNIT: u32 = 256;
/// From this growth on, of 24 bits, a count of the receiver is older than that before.
const OLDER: u32 = 1 << 23;

/// NACK: trimmed.
pub const TRIMMED: u8 = 0x01;
/// NACK: trimmed at the last hop.
pub const TRIMMED_LAST_HOP: u8 = 0x02;
/// NACK: out of order, of an ordered connection.
pub const OUT_OF_ORDER: u8 = 0x0d;
/// NACK: the receiver infers that the packet is lost.
pub const INFERRED: u8 = 0x1a;

/// State of one connection, readable for reports and for tests of the invariants.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Connection {
    pub initialised: bool,
    /// Packets must come in order (ROD).
    pub is_ordered: bool,
    /// Lowest PSN that no cumulative PSN covers.
    pub snd_una: u32,
    /// Next PSN to be sent for the first time.
    pub snd_nxt: u32,
    /// Whether a PSN of `snd_una..snd_nxt` is acknowledged, at index PSN modulo window; 0 elsewhere.
    acked: BitArray<[u64; MAX_WINDOW as usize / 64]>,
    /// One past the highest PSN known to be received.
    pub high: u32,
    /// One past the last PSN held for lost in recovery; outside recovery, one past the last sent before the probe.
    pub rec_end: u32,
    /// First PSN that was not handed out since recovery was entered.
    pub rtx: u32,
    pub in_recovery: bool,
    /// A probe was asked for, and no ACK was taken since.
    pub probe_out: bool,
    /// A NACK made the connection go back, and since then there was neither progress nor a timeout.
    pub told: bool,
    /// MPR in 128 PSNs, 0: any; and whether an ACK said it.
    pub mpr: u8,
    pub has_mpr: bool,
    /// What `snd_nxt` was when the phase began that the latest visit saw, and when the one began that a visit saw before.
    pub new: u32,
    pub old: u32,
    /// Which phase that was.
    phase: bool,
    /// Bytes of first transmissions, modulo 2^32.
    pub bytes_sent: u32,
    /// Bytes that the receiver counted, modulo 2^32, a multiple of 256.
    pub bytes_rcvd: u32,
    /// When the cumulative PSN last moved.
    pub progress: u16,
    /// When the last ACK was taken, or a probe asked for.
    pub heard: u16,
    /// Timeouts since the cumulative PSN last moved, 15 for all above.
    pub timeouts: u8,
}

/// The engine.
#[derive(Clone, Debug)]
pub struct UetTx {
    params: Params,
    connections: Vec<Connection>,
    /// Which phase it is, and when it began.
    phase: bool,
    since: u16,
}

impl UetTx {
    /// The engine as it is when `op_ready` first rises after `rst`.
    ///
    /// # Panics
    /// On a parameter outside its range, as a checked configuration never has.
    pub fn new(params: Params) -> Self {
        let Params { connections, window, .. } = params;
        assert!((1..=16384).contains(&connections), "connections must be 1..=16384, not {connections}");
        assert!(matches!(window, 128 | 256 | 512), "window must be 128, 256 or 512, not {window}");
        let connections = vec![Connection::default(); connections as usize];
        UetTx { params, connections, phase: false, since: 0 }
    }

    /// `rst`: no connection is initialised.
    pub fn reset(&mut self) {
        self.connections.fill(Connection::default());
        (self.phase, self.since) = (false, 0);
    }

    pub fn params(&self) -> &Params {
        &self.params
    }

    /// State of a connection below `connections`.
    pub fn connection(&self, conn: u16) -> &Connection {
        &self.connections[usize::from(conn)]
    }

    /// Executes one op. Panics if `op.conn` is not below `connections`.
    pub fn apply(&mut self, op: &Op) -> Outcome {
        let params = self.params;
        let c = &mut self.connections[usize::from(op.conn)];
        let mut outcome = Outcome {
            status: None,
            psn: None,
            snd_nxt: None,
            acked: 0,
            in_flight: 0,
            in_flight_bytes: 0,
            acked_bytes: None,
            in_recovery: false,
            rtt: None,
            loss: None,
            retransmit: false,
            probe_due: false,
            ack_request: false,
            dead: false,
            recovery_left: false,
            class: Class::Init,
        };
        match op.kind {
            OpKind::Init { psn, is_ordered, mpr } => {
                *c = Connection {
                    is_ordered,
                    mpr,
                    phase: self.phase,
                    ..Connection::starting(psn, op.inputs.now)
                };
            }
            OpKind::Sent { psn, bytes } => {
                outcome.class = Class::Sent;
                outcome.status = Some(c.sent(psn, bytes, op.inputs.now, params));
            }
            OpKind::Ack(ack) => {
                c.ack(&ack, &op.inputs, params, &mut outcome);
                outcome.psn = (outcome.status != Some(Status::Uninitialised)).then_some(c.snd_una);
            }
            OpKind::NextRtx => c.next_rtx(params, &mut outcome),
            OpKind::Read => c.read(Class::Read, &mut outcome),
            OpKind::Close => c.read(Class::Close, &mut outcome),
            OpKind::Nack { psn, code } => c.nack(psn, code, params, &mut outcome),
            OpKind::Visit => {
                c.visit(&op.inputs, self.phase, params, &mut outcome);
                if op.inputs.now.wrapping_sub(self.since) >= op.inputs.rto / 2 {
                    (self.phase, self.since) = (!self.phase, op.inputs.now);
                }
            }
        }
        outcome.in_flight = c.unacked(params) - c.claimed(params);
        outcome.in_flight_bytes = c.bytes_flight();
        outcome.in_recovery = c.in_recovery;
        if op.kind == OpKind::Close {
            *c = Connection::default();
        }
        outcome
    }
}

impl Connection {
    fn starting(psn: u32, now: u16) -> Connection {
        Connection {
            initialised: true,
            snd_una: psn,
            snd_nxt: psn,
            high: psn,
            rec_end: psn,
            rtx: psn,
            new: psn,
            old: psn,
            progress: now,
            heard: now,
            ..Connection::default()
        }
    }

    /// Whether a PSN of `snd_una..snd_nxt` is acknowledged.
    pub fn is_acked(&self, psn: u32, window: u32) -> bool {
        self.acked[slot(psn, window)]
    }

    /// PSNs sent and not acknowledged.
    pub fn unacked(&self, params: Params) -> u16 {
        self.count_unacked(self.snd_una, self.snd_nxt, params)
    }

    /// PSNs held for lost that were not handed out for retransmission yet.
    pub fn claimed(&self, params: Params) -> u16 {
        let from = self.rtx_from(params.psns);
        if !self.in_recovery || params.psns.is_below(self.rec_end, from) {
            return 0;
        }
        self.count_unacked(from, self.rec_end, params)
    }

    /// Bytes sent less bytes received; the receiver rounds up, so it may have more.
    pub fn bytes_flight(&self) -> u32 {
        (self.bytes_sent.wrapping_sub(self.bytes_rcvd) as i32).max(0) as u32
    }

    /// PSNs from `snd_una` on that may be outstanding.
    pub fn limit(&self, window: u32) -> u32 {
        if self.mpr == 0 { window } else { window.min(MPR_UNIT * u32::from(self.mpr)) }
    }

    /// PSNs of `from..to` not acknowledged, `snd_una <= from <= to <= snd_nxt`.
    fn count_unacked(&self, from: u32, to: u32, Params { window, psns, .. }: Params) -> u16 {
        let ring = &self.acked[..window as usize];
        let (start, count) = (slot(from, window), psns.distance(from, to) as usize);
        let first = count.min(window as usize - start);
        (ring[start..start + first].count_zeros() + ring[..count - first].count_zeros()) as u16
    }

    fn rtx_from(&self, psns: PsnSpace) -> u32 {
        later(psns, self.rtx, self.snd_una)
    }

    fn sent(&mut self, psn: u32, bytes: u16, now: u16, Params { window, psns, .. }: Params) -> Status {
        let outstanding = psns.distance(self.snd_una, self.snd_nxt);
        let ahead = psns.distance(self.snd_una, psn);
        if !self.initialised {
            return Status::Uninitialised;
        }
        if psns.is_below(psn, self.snd_una) || ahead < outstanding {
            return Status::Again;
        }
        if ahead > outstanding {
            return Status::Gap;
        }
        if outstanding >= self.limit(window) {
            return Status::WindowFull;
        }
        if outstanding == 0 {
            self.progress = now;
            self.heard = now;
        }
        self.snd_nxt = psns.add(self.snd_nxt, 1);
        self.bytes_sent = self.bytes_sent.wrapping_add(bytes.into());
        Status::Ok
    }

    fn ack(&mut self, ack: &AckFields, inputs: &Inputs, params: Params, outcome: &mut Outcome) {
        let Params { window, psns, .. } = params;
        outcome.class = Class::AckRefused;
        if !self.initialised {
            outcome.status = Some(Status::Uninitialised);
            return;
        }
        // all counted from `snd_una`
        let una = self.snd_una;
        let ahead = |psn: u32| signed(psns, una, psn);
        let outstanding = i64::from(psns.distance(una, self.snd_nxt));
        let mut moves = ahead(ack.cum_next);
        let base = ahead(ack.base);
        let bits = (0..i64::from(SEGMENT)).filter(|bit| ack.has_sack && ack.bitmap >> bit & 1 == 1);
        let answered = (!ack.probe).then(|| ahead(ack.psn));
        let mut named: Vec<i64> = bits.map(|bit| base + bit).chain(answered).collect();
        let untrue = if moves > outstanding {
            Some(Status::NeverSent)
        } else {
            named.iter().any(|psn| *psn >= outstanding).then_some(Status::Beyond)
        };
        if untrue.is_some() && !ack.probe {
            outcome.status = untrue;
            return;
        }
        outcome.status = Some(if moves < 0 { Status::Overtaken } else { Status::Ok });
        if untrue.is_some() {
            named.clear();
        }
        moves = if untrue.is_some() { 0 } else { moves.max(0) };
        let end = psns.add(una, named.iter().map(|psn| psn + 1).fold(moves, i64::max) as u32);
        outcome.class = Class::Ack { words: words_between(psns, una, end) };

        let unacked = self.unacked(params);
        for psn in named.iter().filter(|psn| **psn >= 0) {
            self.acked.set(slot(psns.add(una, *psn as u32), window), true);
        }
        for psn in 0..moves as u32 {
            self.acked.set(slot(psns.add(una, psn), window), false);
        }
        self.snd_una = psns.add(una, moves as u32);
        self.high = later(psns, self.high, end);
        outcome.acked = unacked - self.unacked(params);
        if moves > 0 {
            self.progress = inputs.now;
            self.timeouts = 0;
            self.told = false;
        }
        if ack.has_sack && untrue.is_none() && (moves > 0 || !self.has_mpr) {
            (self.mpr, self.has_mpr) = (ack.mpr, true);
        }
        let growth = ack.rcvd.wrapping_sub(self.bytes_rcvd / BYTES_UNIT) % (2 * OLDER);
        let grown = if ack.has_state && growth < OLDER { growth * BYTES_UNIT } else { 0 };
        self.bytes_rcvd = self.bytes_rcvd.wrapping_add(grown);
        outcome.acked_bytes = Some(grown);
        self.heard = inputs.now;

        if self.in_recovery && !psns.is_below(self.snd_una, self.rec_end) {
            self.in_recovery = false;
            outcome.recovery_left = true;
        }
        let rtt = inputs.now.wrapping_sub(ack.timestamp);
        outcome.rtt = Some(rtt);
        let is_proof = ack.probe && self.probe_out && rtt <= inputs.probe_rtt && inputs.rules & 2 != 0;
        let before_probe = later(psns, self.rec_end, self.high);
        let is_late = ack.has_state && ack.ooo >= inputs.ooo_packets.max(LEAST_OOO) && inputs.rules & 1 != 0;
        if is_proof && psns.is_below(self.snd_una, before_probe) {
            self.enter(self.snd_una, before_probe, Rule::Probe, outcome);
        } else if !is_proof && !self.in_recovery && is_late && self.high != self.snd_una {
            self.enter(self.snd_una, self.high, Rule::Ooo, outcome);
        }
        self.probe_out = false;
    }

    fn enter(&mut self, from: u32, end: u32, rule: Rule, outcome: &mut Outcome) {
        self.in_recovery = true;
        self.rec_end = end;
        self.rtx = from;
        outcome.loss = Some(rule);
    }

    fn nack(&mut self, psn: u32, code: u8, params: Params, outcome: &mut Outcome) {
        let Params { window, psns, .. } = params;
        outcome.class = Class::NackIdle;
        if !self.initialised {
            outcome.status = Some(Status::Uninitialised);
            return;
        }
        if psns.is_below(psn, self.snd_una)
            || psns.distance(self.snd_una, psn) >= psns.distance(self.snd_una, self.snd_nxt)
        {
            outcome.status = Some(Status::NotOutstanding);
            return;
        }
        outcome.status = Some(Status::Ok);
        let is_trimmed = matches!(code, TRIMMED | TRIMMED_LAST_HOP);
        if !self.is_ordered && (is_trimmed || code == INFERRED) {
            outcome.class = Class::Nack { words: words_between(psns, self.snd_una, psns.add(psn, 1)) };
            let is_claimed = self.in_recovery
                && !psns.is_below(psn, self.rtx_from(psns))
                && psns.is_below(psn, self.rec_end);
            if !self.is_acked(psn, window) && !is_claimed {
                outcome.retransmit = true;
                outcome.psn = Some(psn);
            }
        } else if self.is_ordered && !self.told && (is_trimmed || code == OUT_OF_ORDER) {
            outcome.class = Class::NackBack { words: words_between(psns, self.snd_una, self.snd_nxt) };
            self.told = true;
            let mut from = if is_trimmed { psn } else { self.snd_una };
            let left = self.rtx_from(psns);
            if self.in_recovery && psns.is_below(left, self.rec_end) && psns.is_below(left, from) {
                from = left;
            }
            self.enter(from, self.snd_nxt, Rule::Nack, outcome);
        }
    }

    fn next_rtx(&mut self, params: Params, outcome: &mut Outcome) {
        let Params { window, psns, .. } = params;
        let mut psn = self.rtx_from(psns);
        if self.initialised && self.in_recovery {
            while psns.is_below(psn, self.rec_end) && self.is_acked(psn, window) {
                psn = psns.add(psn, 1);
            }
        }
        let found = self.in_recovery
            && psns.is_below(psn, self.rec_end)
            && psns.distance(self.snd_una, psn) < self.limit(window);
        outcome.class = match self.in_recovery {
            true => Class::NextRtx { words: words_between(psns, self.snd_una, self.snd_nxt) },
            false => Class::NextRtxIdle,
        };
        outcome.status = Some(match (self.initialised, found) {
            (false, _) => Status::Uninitialised,
            (true, false) => Status::Nothing,
            (true, true) => {
                outcome.psn = Some(psn);
                self.rtx = psns.add(psn, 1);
                Status::Ok
            }
        });
    }

    fn read(&self, class: Class, outcome: &mut Outcome) {
        outcome.class = class;
        outcome.status = Some(if self.initialised { Status::Ok } else { Status::Uninitialised });
        if self.initialised {
            outcome.psn = Some(self.snd_una);
            outcome.snd_nxt = Some(self.snd_nxt);
        }
    }

    /// The RTO after the timeouts in a row.
    fn backed_off(&self, inputs: &Inputs) -> u16 {
        let doublings = self.timeouts.min(inputs.rto_backoff_max);
        (0..doublings).fold(inputs.rto, |rto, _| rto.checked_mul(2).unwrap_or(rto))
    }

    fn visit(&mut self, inputs: &Inputs, phase: bool, params: Params, outcome: &mut Outcome) {
        let psns = params.psns;
        outcome.class = Class::Visit;
        if !self.initialised {
            return;
        }
        if self.phase != phase {
            self.phase = phase;
            self.old = self.new;
            self.new = self.snd_nxt;
        }
        if self.snd_una == self.snd_nxt || self.timeouts > inputs.max_rto_retx {
            return;
        }
        if inputs.now.wrapping_sub(self.progress) >= self.backed_off(inputs) {
            let is_last = self.timeouts == inputs.max_rto_retx && inputs.max_rto_retx != ENDLESS;
            self.timeouts = ENDLESS.min(self.timeouts + 1);
            self.progress = inputs.now;
            self.heard = inputs.now;
            if is_last {
                outcome.dead = true;
                return;
            }
            outcome.class = Class::VisitTimedOut { words: words_between(psns, self.snd_una, self.snd_nxt) };
            let end = later(psns, self.old, psns.add(self.snd_una, 1));
            if self.count_unacked(self.snd_una, end, params) > 0 {
                self.enter(self.snd_una, end, Rule::Timeout, outcome);
            } else {
                outcome.ack_request = true;
                outcome.psn = Some(self.snd_una);
            }
            self.probe_out = false;
            self.told = false;
        } else if inputs.now.wrapping_sub(self.heard) >= inputs.probe_timeout {
            outcome.probe_due = true;
            outcome.psn = Some(self.snd_una);
            outcome.snd_nxt = Some(self.snd_nxt);
            self.probe_out = true;
            self.heard = inputs.now;
            if !self.in_recovery {
                self.rec_end = self.snd_nxt;
            }
        }
    }
}

/// `psn - from` as a signed number of the width of PSNs.
fn signed(psns: PsnSpace, from: u32, psn: u32) -> i64 {
    let distance = i64::from(psns.distance(from, psn));
    if psns.is_below(psn, from) { distance - i64::from(psns.last()) - 1 } else { distance }
}

/// How many words the one that holds `to` lies ahead of the one that holds `from`.
fn words_between(psns: PsnSpace, from: u32, to: u32) -> u32 {
    psns.distance(from - from % WORD, to - to % WORD) / WORD
}

fn later(psns: PsnSpace, a: u32, b: u32) -> u32 {
    if psns.is_below(a, b) { b } else { a }
}
