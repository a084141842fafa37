//! The sender's scoreboard and its three rules of loss: 004 section 3.3.2.
//!
//! Ends of ranges are exclusive. Counts are taken from the bitmap by their definitions; hardware keeps them
//! incrementally.
//!
//! # What the paper leaves open
//! - In flight. Bytes of single packets are not stored, so in bytes a packet is claimed for retransmission when it is
//!   sent again: `sent` of a PSN sent before changes nothing. In packets the claim is made on entering recovery and ends
//!   when the PSN is handed out or acknowledged, which is what a window check needs.
//! - Newly acknowledged bytes are those by which the bytes in flight fall: what the receiver's own count says, so that a packet that a
//!   bitmap shows late counts once, and when it arrived.
//! - Rule 2's range: what was sent before the probe was asked for. Above EPSN nothing need have been received, so the
//!   range of rule 1 would be empty for the loss of a tail.
//! - Rule 2 asks that no other ACK came since the probe. One that is refused is none: it acknowledges nothing, which is what
//!   Algorithm 1 line 10 looks at. Of two probes the last one counts.
//! - The highest PSN received lies above EPSN, or there is none: EPSN is what the receiver lacks, whatever an earlier SACK said.
//! - Rules 2 and 3 start recovery anew when already in recovery: a retransmission was lost, too.
//! - The timers run while something is unacknowledged, from the first packet sent on.
//! - The timeout is "configured". With `rto_backoff_max` above 0 it is doubled by each timeout in a row, as RFC 6298 (5.5) does;
//!   with 0 it is that of the paper. Times have 16 bits, so a doubling that would have 17 does not take place.
//! - A SACK that is older than `snd_una`, or says what cannot be, changes nothing, not even the timers.

mod op;
pub mod uet;

use bitvec::array::BitArray;

use crate::psn::{PsnSpace, SEGMENT, segment_base, slot};
pub use crate::sack_rx::{MAX_WINDOW, Params};
pub use op::{Class, Inputs, Op, OpKind, Outcome, Rule, SackFields, Status};

/// `min_threshold` of 004 section 3.3.2: rule 1 needs more packets out of order than this.
pub const MIN_OOO: u16 = 5;
/// Timeouts in a row that are told apart.
pub const MOST_TIMEOUTS: u8 = 7;
/// Most bytes that a SACK says to be newly acknowledged, 20 bits.
pub const MOST_ACKED_BYTES: u32 = (1 << 20) - 1;

/// State of one connection, readable for reports and for tests of the invariants.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Connection {
    pub initialised: bool,
    /// Lowest PSN not acknowledged.
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
    /// A probe was asked for, and no SACK was taken since.
    pub probe_out: bool,
    /// Bytes of first transmissions, modulo 2^32.
    pub bytes_sent: u32,
    pub bytes_flight: u32,
    /// When EPSN last moved.
    pub progress: u16,
    /// When the last SACK was taken, or a probe asked for.
    pub heard: u16,
    /// Timeouts since EPSN last moved, 7 for all above.
    pub timeouts: u8,
}

/// The engine.
#[derive(Clone, Debug)]
pub struct SackTx {
    params: Params,
    connections: Vec<Connection>,
}

impl SackTx {
    /// The engine as it is when `op_ready` first rises after `rst`.
    ///
    /// # Panics
    /// On a parameter outside its range, as a checked configuration never has.
    pub fn new(params: Params) -> Self {
        let Params { connections, window, .. } = params;
        assert!((1..=16384).contains(&connections), "connections must be 1..=16384, not {connections}");
        assert!(matches!(window, 64 | 128 | 256 | 512), "window must be 64, 128, 256 or 512, not {window}");
        SackTx { params, connections: vec![Connection::default(); connections as usize] }
    }

    /// `rst`: no connection is initialised.
    pub fn reset(&mut self) {
        self.connections.fill(Connection::default());
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
            probe_due: false,
            recovery_left: false,
            class: Class::Init,
        };
        match op.kind {
            OpKind::Init { psn } => c.init(psn, op.inputs.now),
            OpKind::Sent { psn, bytes } => {
                outcome.class = Class::Sent;
                outcome.status = Some(c.sent(psn, bytes, op.inputs.now, params));
            }
            OpKind::Sack(sack) => {
                outcome.class = Class::SackRefused;
                outcome.status = Some(match c.check(&sack, params) {
                    Ok(()) => {
                        c.sack(&sack, &op.inputs, params, &mut outcome);
                        Status::Ok
                    }
                    Err(status) => status,
                });
            }
            OpKind::NextRtx => c.next_rtx(params, &mut outcome),
            OpKind::Read => c.read(Class::Read, &mut outcome),
            OpKind::Close => c.read(Class::Close, &mut outcome),
            OpKind::Visit => c.visit(&op.inputs, &mut outcome),
        }
        outcome.in_flight = c.unacked(params) - c.claimed(params);
        outcome.in_flight_bytes = c.bytes_flight;
        outcome.in_recovery = c.in_recovery;
        if op.kind == OpKind::Close {
            *c = Connection::default();
        }
        outcome
    }
}

impl Connection {
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

    /// PSNs of `from..to` not acknowledged, `snd_una <= from <= to <= snd_nxt`.
    fn count_unacked(&self, from: u32, to: u32, Params { window, psns, .. }: Params) -> u16 {
        let ring = &self.acked[..window as usize];
        let (start, count) = (slot(from, window), psns.distance(from, to) as usize);
        let first = count.min(window as usize - start);
        (ring[start..start + first].count_zeros() + ring[..count - first].count_zeros()) as u16
    }

    fn rtx_from(&self, psns: PsnSpace) -> u32 {
        if psns.is_below(self.rtx, self.snd_una) { self.snd_una } else { self.rtx }
    }

    fn init(&mut self, psn: u32, now: u16) {
        *self = Connection {
            initialised: true,
            snd_una: psn,
            snd_nxt: psn,
            high: psn,
            rec_end: psn,
            rtx: psn,
            progress: now,
            heard: now,
            ..Connection::default()
        };
    }

    fn sent(&mut self, psn: u32, bytes: u16, now: u16, Params { window, psns, .. }: Params) -> Status {
        let outstanding = psns.distance(self.snd_una, self.snd_nxt);
        let ahead = psns.distance(self.snd_una, psn);
        if !self.initialised {
            Status::Uninitialised
        } else if psns.is_below(psn, self.snd_una) || ahead < outstanding {
            Status::Again
        } else if ahead > outstanding {
            Status::Gap
        } else if outstanding == window {
            Status::WindowFull
        } else {
            if outstanding == 0 {
                self.progress = now;
                self.heard = now;
            }
            self.snd_nxt = psns.add(self.snd_nxt, 1);
            self.bytes_sent = self.bytes_sent.wrapping_add(bytes.into());
            self.bytes_flight += u32::from(bytes);
            Status::Ok
        }
    }

    /// Whether a SACK can be true.
    fn check(&self, sack: &SackFields, Params { window, psns, .. }: Params) -> Result<(), Status> {
        if !self.initialised {
            return Err(Status::Uninitialised);
        }
        if psns.is_below(sack.epsn, self.snd_una) {
            return Err(Status::Old);
        }
        if psns.distance(self.snd_una, sack.epsn) > psns.distance(self.snd_una, self.snd_nxt) {
            return Err(Status::NeverSent);
        }
        if !sack.base.is_multiple_of(SEGMENT)
            || psns.segments_between(self.snd_una, sack.base) > window / SEGMENT
        {
            return Err(Status::BadBase);
        }
        let beyond = |psn| !psns.is_below(psn, self.snd_nxt);
        if bits(sack, psns).any(beyond) {
            return Err(Status::Beyond);
        }
        // EPSN is the lowest PSN that was not received: 004 section 3.3.1
        if bits(sack, psns).any(|psn| psn == sack.epsn) { Err(Status::Contradicts) } else { Ok(()) }
    }

    fn sack(&mut self, sack: &SackFields, inputs: &Inputs, params: Params, outcome: &mut Outcome) {
        let Params { window, psns, .. } = params;
        outcome.class = Class::Sack {
            cum_segments: psns.segments_between(self.snd_una, sack.epsn),
            base_segment: psns.segments_between(self.snd_una, sack.base),
        };

        // cumulative part, then the segment; the bits of PSNs left behind are 0 for their next use
        let unacked = self.unacked(params);
        if sack.epsn != self.snd_una {
            self.progress = inputs.now;
            self.timeouts = 0;
        }
        while self.snd_una != sack.epsn {
            self.acked.set(slot(self.snd_una, window), false);
            self.snd_una = psns.add(self.snd_una, 1);
        }
        self.high = later(psns, self.high, self.snd_una);
        for psn in bits(sack, psns) {
            if !psns.is_below(psn, self.snd_una) {
                self.acked.set(slot(psn, window), true);
                self.high = later(psns, self.high, psns.add(psn, 1));
            }
        }
        outcome.acked = unacked - self.unacked(params);

        // 004 (1): sent - received; an older or absurd count does not raise it
        let before = self.bytes_flight;
        self.bytes_flight = before.min(self.bytes_sent.wrapping_sub(sack.bytes_recvd));
        outcome.acked_bytes = Some(MOST_ACKED_BYTES.min(before - self.bytes_flight));
        self.heard = inputs.now;

        if self.in_recovery && !psns.is_below(self.snd_una, self.rec_end) {
            self.in_recovery = false;
            outcome.recovery_left = true;
        }
        // EPSN itself is none of those received, whatever an earlier SACK said: the receiver lacks it
        let high = if psns.distance(self.snd_una, self.high) > 1 { self.high } else { self.snd_una };
        let before_probe = later(psns, self.rec_end, high);
        let rtt = inputs.now.wrapping_sub(sack.timestamp);
        outcome.rtt = Some(rtt);
        let ooo = sack.ooo > inputs.cwnd_packets && sack.ooo > MIN_OOO;
        if sack.probe && self.probe_out && rtt <= inputs.probe_rtt && before_probe != self.snd_una {
            self.enter(before_probe, Rule::Probe, outcome);
        } else if !self.in_recovery && ooo && high != self.snd_una {
            self.enter(high, Rule::Ooo, outcome);
        }
        self.probe_out = false;
    }

    fn enter(&mut self, end: u32, rule: Rule, outcome: &mut Outcome) {
        self.in_recovery = true;
        self.rec_end = end;
        self.rtx = self.snd_una;
        outcome.loss = Some(rule);
    }

    fn next_rtx(&mut self, Params { window, psns, .. }: Params, outcome: &mut Outcome) {
        let start = self.rtx_from(psns);
        let mut psn = start;
        if self.initialised && self.in_recovery {
            while psns.is_below(psn, self.rec_end) && self.is_acked(psn, window) {
                psn = psns.add(psn, 1);
            }
        }
        let found = self.in_recovery && psns.is_below(psn, self.rec_end);
        // without a find the search has read up to the last PSN below rec_end
        let last = if found || psn == start { psn } else { psns.sub(psn, 1) };
        outcome.class = Class::NextRtx { search_segments: psns.segments_between(start, last) };
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

    fn visit(&mut self, inputs: &Inputs, outcome: &mut Outcome) {
        outcome.class = Class::Visit;
        if !self.initialised || self.snd_una == self.snd_nxt {
            return;
        }
        if inputs.now.wrapping_sub(self.progress) >= self.backed_off(inputs) {
            self.enter(self.snd_nxt, Rule::Timeout, outcome);
            self.progress = inputs.now;
            self.heard = inputs.now;
            self.timeouts = MOST_TIMEOUTS.min(self.timeouts + 1);
            self.probe_out = false;
        } else if inputs.now.wrapping_sub(self.heard) >= inputs.probe_timeout {
            outcome.probe_due = true;
            outcome.psn = Some(self.snd_una);
            self.probe_out = true;
            self.heard = inputs.now;
            if !self.in_recovery {
                self.rec_end = self.snd_nxt;
            }
        }
    }
}

/// PSNs with a 1 in the SACK's bitmap, ascending.
fn bits(sack: &SackFields, psns: PsnSpace) -> impl Iterator<Item = u32> + use<> {
    let (base, bitmap) = (segment_base(sack.base), sack.bitmap);
    (0..SEGMENT).filter(move |i| bitmap >> i & 1 == 1).map(move |i| psns.add(base, i))
}

fn later(psns: PsnSpace, a: u32, b: u32) -> u32 {
    if psns.is_below(a, b) { b } else { a }
}
