//! The receiver of Ultra Ethernet: which packets of a connection arrived, when ACKs and NACKs are due, and what they say.
//!
//! The bitmap, its segments and the window are those of [`super`]. What differs:
//! - an ACK is due for its reasons alone, and EPSN moves without one;
//! - the cumulative PSN may be held back by the host, which clears PSNs when it answers them;
//! - a connection may take packets in order alone (ROD);
//! - what is refused leads to a NACK.
//!
//! # What the notes on Ultra Ethernet leave open
//! - An answer of the host with a PSN that was not received is refused, since the ACK would name it.
//! - A host that clears what was not received has cleared all that was.
//! - A PSN that is asked for and so old that an ACK cannot name it is refused as such a packet is.
//! - A packet that the host answers counts no bytes towards an ACK of the block.

mod op;

pub use op::*;

use super::{MAX_WINDOW, Params};
use crate::psn::{SEGMENT, segment_base, slot};

/// Bytes of the unit in which ACKs count.
pub const UNIT: u64 = 256;
/// PSNs that the unit of the MPR has.
pub const MPR_UNIT: u32 = 128;
/// PSNs below EPSN that a packet may have: an ACK names its PSN by a signed offset of 16 bits.
pub const OLDEST: u32 = 1 << 15;

/// State of one connection.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Connection {
    /// Bitmap, EPSN, segment of the next ACK, and bytes of new packets since the last ACK.
    pub arrivals: super::Connection,
    /// Packets must come in order (ROD).
    pub ordered: bool,
    /// The host answers new packets and duplicates.
    pub host: bool,
    /// The PSN behind those that the host has cleared.
    pub cleared: u32,
    /// A NACK told that a packet came out of order, and EPSN has not moved since.
    pub told: bool,
    /// A new packet asked for an ACK while a lower PSN was missing, and one still is.
    pub asked: bool,
    /// Nominal bytes of all new packets.
    pub rcvd_bytes: u64,
}

/// The engine.
#[derive(Clone, Debug)]
pub struct UetRx {
    params: Params,
    connections: Vec<Connection>,
}

impl UetRx {
    /// The engine as it is when `op_ready` first rises after `rst`.
    ///
    /// # Panics
    /// On a parameter outside its range, as a checked configuration never has.
    pub fn new(params: Params) -> Self {
        let Params { connections, window, psns } = params;
        assert!((1..=16384).contains(&connections), "connections must be 1..=16384, not {connections}");
        let fits = window.is_power_of_two() && (MPR_UNIT..=MAX_WINDOW).contains(&window);
        assert!(fits, "window must be 128, 256 or 512, not {window}");
        assert!(psns.last() == u32::MAX, "PSNs must have 32 bits");
        UetRx { params, connections: vec![Connection::default(); connections as usize] }
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
        match op.kind {
            OpKind::Init => {
                let arrivals =
                    super::Connection { initialised: true, epsn: op.psn, ..super::Connection::default() };
                let Op { ordered, host, psn: cleared, .. } = *op;
                *c = Connection { arrivals, ordered, host, cleared, ..Connection::default() };
                Outcome { epsn: None, ..without_answer(None, Class::Init) }
            }
            OpKind::Close => {
                *c = Connection::default();
                without_answer(None, Class::Close)
            }
            OpKind::Trimmed => {
                let status = if c.arrivals.initialised { Status::Missing } else { Status::Uninitialised };
                let nack = Some(if op.last_hop { TRIMMED_LAST_HOP } else { TRIMMED });
                Outcome { nack, epsn: c.epsn(), ..without_answer(Some(status), Class::Trimmed) }
            }
            _ if !c.arrivals.initialised => without_answer(Some(Status::Uninitialised), Class::Uninitialised),
            OpKind::Probe => c.probe(op, params),
            OpKind::Ask => c.ask(op, params),
            OpKind::Answer => c.answer(op, params),
            OpKind::Packet => c.packet(op, params),
        }
    }
}

fn without_answer(status: Option<Status>, class: Class) -> Outcome {
    Outcome { status, epsn: None, sack: None, nack: None, class }
}

impl Connection {
    fn epsn(&self) -> Option<u32> {
        self.arrivals.initialised.then_some(self.arrivals.epsn)
    }

    /// The PSN lies below EPSN, and not so far that an ACK cannot name it.
    fn is_recent(&self, psn: u32, Params { psns, .. }: Params) -> bool {
        (1..=OLDEST).contains(&psns.distance(psn, self.arrivals.epsn))
    }

    /// The PSN is below EPSN, but not recently.
    fn is_too_old(&self, psn: u32, params: Params) -> bool {
        params.psns.is_below(psn, self.arrivals.epsn) && !self.is_recent(psn, params)
    }

    /// The PSN was received, and an ACK may name it.
    fn was_received(&self, psn: u32, params: Params) -> bool {
        self.arrivals.has(psn, params) && !self.is_too_old(psn, params)
    }

    fn refuse(&self, status: Status, nack: Option<u8>, class: Class) -> Outcome {
        Outcome { nack, epsn: self.epsn(), ..without_answer(Some(status), class) }
    }

    fn probe(&self, op: &Op, params: Params) -> Outcome {
        let Connection { arrivals, .. } = self;
        let asked = if arrivals.is_in_window(op.psn, params) { op.psn } else { arrivals.epsn };
        let sack = Some(self.sack(segment_base(asked), params));
        Outcome { sack, ..self.refuse(Status::Probe, None, Class::Probe) }
    }

    fn ask(&mut self, op: &Op, params: Params) -> Outcome {
        let nack = |code| (!self.host).then_some(code);
        if self.is_too_old(op.psn, params) {
            return self.refuse(Status::Outside, nack(OUTSIDE), Class::Ask);
        }
        if !self.was_received(op.psn, params) {
            return self.refuse(Status::Missing, nack(NOT_RECEIVED), Class::Ask);
        }
        let sack = if self.host { None } else { Some(self.acknowledge(op.psn, params)) };
        Outcome { sack, ..self.refuse(Status::Duplicate, None, Class::Ask) }
    }

    fn answer(&mut self, op: &Op, params: Params) -> Outcome {
        if self.is_too_old(op.psn, params) {
            return self.refuse(Status::Outside, None, Class::Answer);
        }
        if !self.was_received(op.psn, params) {
            return self.refuse(Status::Missing, None, Class::Answer);
        }
        let (psns, epsn) = (params.psns, self.arrivals.epsn);
        // the cumulative PSN never falls, and never passes what was received
        if !psns.is_below(op.cum_next, epsn) {
            self.cleared = epsn;
        } else if psns.distance(op.cum_next, epsn) < psns.distance(self.cleared, epsn) {
            self.cleared = op.cum_next;
        }
        let sack = Some(self.acknowledge(op.psn, params));
        Outcome { sack, ..self.refuse(Status::Duplicate, None, Class::Answer) }
    }

    fn packet(&mut self, op: &Op, params: Params) -> Outcome {
        let Op { psn, settings, .. } = *op;
        let Params { window, psns, .. } = params;
        let before = self.arrivals.epsn;
        let below = psns.is_below(psn, before);
        if !below && !self.arrivals.is_in_window(psn, params) {
            let code = if op.syn { SYN_OUTSIDE } else { OUTSIDE };
            return self.refuse(Status::Outside, Some(code), Class::Outside);
        }
        // psn - limit > 32767, where the limit is the PSN before `cleared`
        let is_beyond_limit = self.host && !below && psns.distance(self.cleared, psn) + 1 > 32767;
        if self.is_too_old(psn, params) || is_beyond_limit {
            return self.refuse(Status::Outside, Some(OUTSIDE), Class::Outside);
        }
        let duplicate = self.arrivals.has(psn, params);
        if !duplicate && self.ordered && psn != before {
            let nack = (!self.told || op.retransmit).then_some(OUT_OF_ORDER);
            self.told = true;
            return self.refuse(Status::Ahead, nack, Class::Ahead);
        }
        self.note(psn, params);
        let answers = !self.host && !op.host;
        let was_asked = self.asked;
        if !duplicate {
            self.arrivals.held.set(slot(psn, window), true);
            if !op.control {
                self.rcvd_bytes += u64::from(op.bytes) + u64::from(settings.nominal_extra);
                if answers {
                    self.arrivals.since_bytes += u32::from(op.bytes.max(settings.ack_gen_min));
                }
            }
            self.arrivals.advance(params);
            self.asked |= op.ack_request;
        }
        let advanced = self.arrivals.epsn != before;
        if advanced {
            self.told = false;
            // what was received since the last ACK lies in no segment below that of EPSN
            self.arrivals.lowest = Some(0);
        }
        self.asked &= self.arrivals.ooo() > 0;
        let is_late = !duplicate && was_asked && self.arrivals.ooo() == 0;
        let is_enough = !duplicate && self.arrivals.since_bytes >= settings.ack_gen_trigger.into();
        let asks = op.ack_request || op.syn || op.retransmit || op.ecn && settings.ack_on_ecn;
        let sack = (answers && (asks || duplicate || is_enough || is_late)).then(|| self.shown(params));
        let class = match (duplicate, below, advanced) {
            (true, true, _) => Class::DuplicateBelow,
            (true, false, _) => Class::DuplicateHeld,
            (false, _, false) => Class::NewAhead,
            (false, _, true) => {
                let advance_segments = psns.segments_between(before, self.arrivals.epsn);
                Class::NewInOrder { advance_segments }
            }
        };
        let status = if duplicate { Status::Duplicate } else { Status::New };
        Outcome { sack, ..self.refuse(status, None, class) }
    }

    /// A PSN that was received counts for the lowest segment since the last ACK, one below EPSN for that of EPSN.
    fn note(&mut self, psn: u32, params: Params) {
        let c = &mut self.arrivals;
        let segment = match params.psns.is_below(psn, c.epsn) {
            true => 0,
            false => params.psns.segments_between(c.epsn, psn),
        };
        c.lowest = Some(c.lowest.map_or(segment, |lowest| lowest.min(segment)));
    }

    /// The ACK that names a PSN which was received before.
    fn acknowledge(&mut self, psn: u32, params: Params) -> Sack {
        self.note(psn, params);
        self.shown(params)
    }

    /// The ACK with the lowest segment since the last one, which begins anew.
    fn shown(&mut self, params: Params) -> Sack {
        let c = &mut self.arrivals;
        let lowest = c.lowest.take().expect("the PSN counts");
        c.since_bytes = 0;
        let base = params.psns.add(c.epsn, lowest * SEGMENT);
        self.sack(segment_base(base), params)
    }

    fn sack(&self, base: u32, params: Params) -> Sack {
        Sack {
            cum_next: if self.host { self.cleared } else { self.arrivals.epsn },
            base,
            bitmap: self.arrivals.segment(base, params),
            mpr: (params.window / MPR_UNIT) as u8,
            ooo: self.arrivals.ooo(),
            rcvd: (self.rcvd_bytes.div_ceil(UNIT) % (1 << 24)) as u32,
        }
    }
}
