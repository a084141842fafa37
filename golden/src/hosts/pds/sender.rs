//! What a connection sends (section 4): packets that are outstanding, when each is sent again, and how far it may go.
//!
//! A packet's place is its PSN less una, the lowest PSN that no CACK covers. `scoreboard.rs` has what ACKs and NACKs
//! do.

use std::collections::VecDeque;

use super::config::{Config, NO_LIMIT};
use super::headers::{Ctl, Mode};

/// A timeout backs off to this, in nanoseconds (8 s).
const RTO_MAX: u64 = 8_000_000_000;
/// PSNs of an MPR of 1.
const MPR_UNIT: u32 = 128;

/// What a packet is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Content {
    /// What stands behind the header of a request.
    Request {
        bytes: Vec<u8>,
        /// Number of its message, from `submit`.
        message: u64,
        is_last: bool,
        /// The response to it is held until it is cleared.
        wants_response: bool,
    },
    /// A control packet with a PSN of its own.
    Control(Ctl),
}

/// A packet that is outstanding.
#[derive(Clone, Debug)]
pub(super) struct Slot {
    pub content: Content,
    /// An ACK named it.
    pub is_marked: bool,
    /// Its response has come.
    pub is_answered: bool,
    /// Held for lost, and so not in flight.
    pub is_lost: bool,
    /// When it is to be sent again.
    pub again: Option<u64>,
    pub sends: u32,
    pub sent_at: u64,
}

/// A packet that leaves.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Departure {
    pub psn: u32,
    /// PSN less Start_PSN.
    pub number: u64,
    pub content: Content,
    pub is_retransmission: bool,
    pub ack_request: bool,
}

/// What a time without progress means.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Timeout {
    Stalled {
        /// Packets are held for lost.
        is_loss: bool,
        /// The lowest packet arrived, and no CACK says that it is cleared: the target is to be asked for it. That is done
        /// beside a loss, too: else a lost response holds up a window in which others are lost.
        ask: Option<u32>,
    },
    /// The connection is given up.
    Dead,
}

/// The sending half of a connection.
#[derive(Clone, Debug)]
pub struct Sender {
    pub(super) mode: Mode,
    pub(super) start: u32,
    /// Packets that a CACK covers.
    pub(super) done: u64,
    pub(super) slots: VecDeque<Slot>,
    /// Not sent yet.
    pending: VecDeque<Content>,
    /// What the receiver said last.
    pub(super) mpr: Option<u8>,
    pub(super) rcvd_bytes: u32,
    /// Bytes that the receiver says it got, nominal.
    pub(super) received: u64,
    /// ROD: a NACK was heard, and all goes once more.
    pub(super) told: bool,
    /// Since when there is no progress.
    pub(super) since: u64,
    pub(super) timeouts: u8,
    /// When a probe was sent, behind `since`.
    probed: u64,
}

impl Sender {
    pub fn new(mode: Mode, start: u32) -> Self {
        Sender {
            mode,
            start,
            done: 0,
            slots: VecDeque::new(),
            pending: VecDeque::new(),
            mpr: None,
            rcvd_bytes: 0,
            received: 0,
            told: false,
            since: 0,
            timeouts: 0,
            probed: 0,
        }
    }

    /// The lowest PSN that no CACK covers.
    pub fn una(&self) -> u32 {
        self.psn(0)
    }

    /// The PSN that is sent next for the first time.
    pub fn nxt(&self) -> u32 {
        self.psn(self.slots.len())
    }

    /// Packets that are neither acknowledged nor held for lost.
    pub fn in_flight(&self) -> u32 {
        self.slots.iter().filter(|slot| !slot.is_marked && !slot.is_lost).count() as u32
    }

    /// An ACK named it, or a CACK covers it.
    pub fn is_acknowledged(&self, psn: u32) -> bool {
        let at = psn.wrapping_sub(self.una()) as i32;
        at < 0 || self.slots.get(at as usize).is_some_and(|slot| slot.is_marked)
    }

    /// PSNs that the receiver lets be outstanding.
    pub fn limit(&self, config: &Config) -> u32 {
        match self.mpr.unwrap_or(config.default_mpr) {
            0 => config.window,
            mpr => config.window.min(u32::from(mpr) * MPR_UNIT),
        }
    }

    /// Nothing is outstanding, and nothing waits.
    pub fn is_idle(&self) -> bool {
        self.slots.is_empty() && self.pending.is_empty()
    }

    /// Bytes that the receiver says it got, nominal; those of a packet that came twice count once.
    pub fn received(&self) -> u64 {
        self.received
    }

    pub fn submit(&mut self, content: Content) {
        self.pending.push_back(content);
    }

    /// Packets from Start_PSN on of which all responses have come: CLEAR_PSN is the last of them.
    pub fn answered(&self) -> u64 {
        self.done + self.slots.iter().take_while(|slot| slot.is_answered).count() as u64
    }

    /// Messages that are not done.
    pub fn unfinished(&self) -> Vec<u64> {
        let sent = self.slots.iter().map(|slot| &slot.content);
        sent.chain(&self.pending)
            .filter_map(|content| match content {
                Content::Request { message, is_last: true, .. } => Some(*message),
                _ => None,
            })
            .collect()
    }

    /// A packet that may leave now: one that is sent again before one that is new.
    pub fn next(&mut self, is_bound: bool, now: u64, config: &Config) -> Option<Departure> {
        let limit = self.limit(config) as usize;
        // what is held for lost has left the window of packets in flight, and goes before all that is new
        let due = |slot: &Slot| slot.again.is_some_and(|at| at <= now);
        if let Some(at) = self.slots.iter().take(limit).position(due) {
            let slot = &mut self.slots[at];
            (slot.again, slot.is_lost) = (None, false);
            slot.sends += 1;
            slot.sent_at = now;
            return Some(self.departure(at, true));
        }
        if !self.may_send_new(is_bound, config) {
            return None;
        }
        let content = self.pending.pop_front()?;
        if self.slots.is_empty() {
            self.since = now;
        }
        self.slots.push_back(Slot {
            content,
            is_marked: false,
            is_answered: false,
            is_lost: false,
            again: None,
            sends: 1,
            sent_at: now,
        });
        let mut departure = self.departure(self.slots.len() - 1, false);
        let is_first = departure.number == 0;
        let is_end = match departure.content {
            Content::Request { is_last, .. } => is_last,
            Content::Control(_) => true,
        };
        departure.ack_request = match config.ack_requests {
            super::AckRequests::Every => true,
            super::AckRequests::Never => false,
            super::AckRequests::Sparse => {
                is_first && !is_bound || is_end || !self.has_window(is_bound, config)
            }
        };
        Some(departure)
    }

    /// A packet waits that has not been sent, and the windows let it go.
    pub fn may_send_new(&self, is_bound: bool, config: &Config) -> bool {
        !self.pending.is_empty() && self.has_window(is_bound, config)
    }

    /// Until it is bound all packets are SYNs, whose offset from Start_PSN has 12 bits.
    fn has_window(&self, is_bound: bool, config: &Config) -> bool {
        let nxt = self.done + self.slots.len() as u64;
        self.slots.len() < self.limit(config) as usize
            && self.in_flight() < config.cwnd
            && (is_bound || nxt < config.syn_packets.into())
    }

    /// The time without progress is over.
    pub fn time_out(&mut self, now: u64, config: &Config) -> Option<Timeout> {
        if now < self.deadline(config)? {
            return None;
        }
        self.since = now;
        self.probed = now;
        self.told = false;
        if self.timeouts == config.max_rto_retx && config.max_rto_retx != NO_LIMIT {
            return Some(Timeout::Dead);
        }
        self.timeouts = (self.timeouts + 1).min(32);
        // what left less than half an RTO ago is not lost yet, but for the lowest
        let is_old = |at: usize, slot: &Slot| at == 0 || slot.sent_at + config.rto / 2 <= now;
        let mut is_loss = false;
        for (at, slot) in self.slots.iter_mut().enumerate() {
            if !slot.is_marked && is_old(at, slot) {
                slot.is_lost = true;
                slot.again = Some(now);
                is_loss = true;
            }
        }
        let has_arrived = self.slots.front().is_some_and(|slot| slot.is_marked);
        Some(Timeout::Stalled { is_loss, ask: has_arrived.then(|| self.una()) })
    }

    /// When the time without progress is over.
    pub fn deadline(&self, config: &Config) -> Option<u64> {
        let backed_off = config.rto.saturating_mul(1 << self.timeouts);
        (!self.slots.is_empty()).then(|| self.since + backed_off.min(RTO_MAX.max(config.rto)))
    }

    /// When a probe is to be sent.
    pub fn probe_at(&self, config: &Config) -> Option<u64> {
        let after = config.probe.filter(|_| !self.slots.is_empty())?;
        Some(self.since.max(self.probed) + after)
    }

    /// A probe is sent.
    pub fn probe(&mut self, now: u64) {
        self.probed = now;
    }

    /// When a packet is to be sent again that the windows let go.
    pub fn resend_at(&self, config: &Config) -> Option<u64> {
        self.slots.iter().take(self.limit(config) as usize).filter_map(|slot| slot.again).min()
    }

    pub(super) fn psn(&self, at: usize) -> u32 {
        self.start.wrapping_add(self.done as u32).wrapping_add(at as u32)
    }

    fn departure(&self, at: usize, is_retransmission: bool) -> Departure {
        Departure {
            psn: self.psn(at),
            number: self.done + at as u64,
            content: self.slots[at].content.clone(),
            is_retransmission,
            ack_request: true,
        }
    }
}
