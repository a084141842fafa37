//! The sender's end of a connection as a driver of the block has it: messages, what the events say, and the timers that
//! the walker looks at.
//!
//! Beside what the engine says, the sender notes of each packet what became of it. From that the packets in flight are
//! counted a second time, and packets have timeouts of their own where the path selector is to hear of them.

use std::collections::VecDeque;

use respray_golden::psn::SEGMENT;
use respray_golden::sack_tx::{Inputs, MOST_TIMEOUTS, Rule, SackFields};
use respray_hdl::cores::sack_tx::contract::Shown;

use super::Settings;
use crate::connection::Messages;
use crate::parameters::WindowOf;
use crate::time::Picoseconds;
use crate::window::Window;

/// What became of a packet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    InFlight,
    /// It is held for lost, and was not handed out again.
    Claimed,
    Come,
}

/// A packet from the expected PSN on.
#[derive(Clone, Copy, Debug)]
struct Sent {
    state: State,
    /// Its own timeout was told to the selector since it was sent last.
    has_expired: bool,
    bytes: u16,
    ev: u16,
    at: Picoseconds,
}

/// What a connection sends next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Next {
    /// A packet that the host was told to send again.
    Again,
    /// A packet for the first time.
    New,
}

/// Why a packet is to be sent again.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reason {
    /// `next_rtx` of `sack_tx` named it.
    HandedOut,
    /// Its header alone arrived.
    Refused,
}

/// What a SACK or a visit of the walker brought.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Heard {
    pub loss: Option<Rule>,
    pub probe: Option<u32>,
}

/// The sender's end.
#[derive(Debug)]
pub struct Sender {
    /// Of the host, where it chooses windows.
    pub host_window: Window,
    /// In packets, of the engine where that chooses windows.
    pub engine_window: u16,
    pub messages: Messages,
    /// Packets from `expected` on.
    sent: VecDeque<Sent>,
    /// The PSN that the receiver wants, as the engine knows it.
    pub expected: u32,
    /// As the engine says.
    pub in_flight: u16,
    /// The engine may have something to send again.
    is_recovering: bool,
    /// What the host was told to send again, and why. It may have come meanwhile: a host knows that only of packets
    /// below the expected one.
    again: VecDeque<(u32, Reason)>,
    /// One past the highest PSN that has come, and the end of what is held for lost, or of what went before a probe.
    high: u32,
    end_of_loss: u32,
    is_in_recovery: bool,
    /// In ticks of `sack_tx`: when EPSN moved last, and when a SACK was taken or a probe asked for.
    progress: u64,
    heard: u64,
    timeouts: u8,
    /// When the next visit is planned at which a timer can have run out.
    pub visit_at: Option<Picoseconds>,
    /// When the next timeout of a packet is planned.
    pub expiry_at: Option<Picoseconds>,
    /// It waits for its turn.
    pub is_queued: bool,
    /// The path selector lets its packets wait.
    pub is_waiting: bool,
    /// Both ends are open.
    pub is_open: bool,
    /// Since when nothing is on its way.
    pub idle_since: Option<Picoseconds>,
    /// The latest round trip that was too long for a network without trouble.
    pub last_slow: Option<Picoseconds>,
}

impl Sender {
    pub fn new(host_window: Window, settings: &Settings) -> Sender {
        Sender {
            host_window,
            engine_window: settings.strack.max_cwnd.max(1),
            messages: Messages::default(),
            sent: VecDeque::new(),
            expected: 0,
            in_flight: 0,
            is_recovering: false,
            again: VecDeque::new(),
            high: 0,
            end_of_loss: 0,
            is_in_recovery: false,
            progress: 0,
            heard: 0,
            timeouts: 0,
            visit_at: None,
            expiry_at: None,
            is_queued: false,
            is_waiting: false,
            is_open: false,
            idle_since: None,
            last_slow: None,
        }
    }

    /// The window that the block goes by, in packets: for retransmissions, and for rule 1 of 004.
    pub fn cwnd_packets(&self, settings: &Settings) -> u16 {
        match settings.window {
            WindowOf::Strack => self.engine_window,
            WindowOf::Fixed | WindowOf::Dctcp => settings.cwnd_packets,
        }
    }

    /// The window that the host goes by, in packets.
    #[inline]
    pub fn window_packets(&self, settings: &Settings) -> u64 {
        match settings.window {
            WindowOf::Dctcp => self.host_window.packets(),
            WindowOf::Fixed | WindowOf::Strack => self.cwnd_packets(settings).into(),
        }
    }

    /// Whether the window lets a packet go.
    #[inline]
    pub fn is_window_open(&self, settings: &Settings) -> bool {
        u64::from(self.in_flight) < self.window_packets(settings)
    }

    /// What may be sent now.
    #[inline]
    pub fn next(&self, settings: &Settings) -> Option<Next> {
        if !self.again.is_empty() {
            return Some(Next::Again);
        }
        let has_room = self.is_window_open(settings);
        let fits = self.sent.len() < settings.bitmap as usize;
        (has_room && fits && !self.is_waiting && self.messages.has_new()).then_some(Next::New)
    }

    /// Whether the block asks `next_rtx` for a packet, which it does by itself while its window has room.
    #[inline]
    pub fn is_handed_out(&self, settings: &Settings) -> bool {
        self.is_recovering && self.in_flight < self.cwnd_packets(settings)
    }

    /// Inputs of `sack_tx`.
    pub fn inputs(&self, settings: &Settings, now: Picoseconds) -> Inputs {
        Inputs {
            now: settings.clock.sack(now) as u16,
            cwnd_packets: self.cwnd_packets(settings),
            probe_timeout: settings.probe_timeout,
            probe_rtt: settings.probe_rtt,
            rto: settings.rto,
            rto_backoff_max: settings.rto_backoff_max,
        }
    }

    fn place(&mut self, psn: u32) -> Option<&mut Sent> {
        let place = psn.checked_sub(self.expected)?;
        self.sent.get_mut(place as usize)
    }

    /// Bytes of a packet on its way, on the wire.
    pub fn bytes_of(&mut self, psn: u32) -> Option<u16> {
        self.place(psn).map(|sent| sent.bytes)
    }

    /// The next packet goes for the first time: its PSN and its bytes on the wire.
    pub fn send_new(&mut self, now: Picoseconds, settings: &Settings, full_bytes: u16) -> (u32, u16) {
        let (psn, bytes) = self.messages.take(full_bytes);
        if self.sent.is_empty() {
            self.progress = settings.clock.sack(now);
            self.heard = self.progress;
        }
        self.sent.push_back(Sent { state: State::InFlight, has_expired: false, bytes, ev: 0, at: now });
        self.in_flight += 1;
        (psn, bytes)
    }

    /// A packet goes again.
    pub fn send_again(&mut self, psn: u32, now: Picoseconds) {
        if let Some(sent) = self.place(psn) {
            (sent.at, sent.has_expired) = (now, false);
        }
    }

    /// `next_rtx` answered: with a packet, or with nothing more. Packets in flight with it.
    pub fn handed_out(&mut self, psn: Option<u32>, in_flight: u16) {
        self.in_flight = in_flight;
        self.is_recovering = psn.is_some();
        let Some(psn) = psn else { return };
        if let Some(sent) = self.place(psn)
            && sent.state == State::Claimed
        {
            sent.state = State::InFlight;
        }
        self.again.push_back((psn, Reason::HandedOut));
    }

    /// The next packet to send again that is not known to have come.
    pub fn next_again(&mut self) -> Option<(u32, Reason)> {
        while let Some((psn, reason)) = self.again.pop_front() {
            if psn >= self.expected {
                return Some((psn, reason));
            }
        }
        None
    }

    /// A header alone arrived: says whether its packet is to be sent again for that.
    pub fn refuse(&mut self, psn: u32) -> bool {
        let waits = self.again.iter().any(|(waiting, _)| *waiting == psn);
        let is_new = !waits && self.place(psn).is_some_and(|sent| sent.state == State::InFlight);
        if is_new {
            self.again.push_back((psn, Reason::Refused));
        }
        is_new
    }

    /// A packet goes by this EV.
    pub fn goes_by(&mut self, psn: u32, ev: u16) {
        if let Some(sent) = self.place(psn) {
            sent.ev = ev;
        }
    }

    /// A SACK was taken by the engine, which showed this.
    pub fn taken(
        &mut self,
        sack: &SackFields,
        shown: &Shown,
        now: Picoseconds,
        settings: &Settings,
    ) -> Heard {
        let tick = settings.clock.sack(now);
        if sack.epsn > self.expected {
            self.progress = tick;
            self.timeouts = 0;
        }
        self.heard = tick;
        while self.expected < sack.epsn {
            self.sent.pop_front();
            self.expected += 1;
        }
        if self.sent.is_empty() {
            self.idle_since.get_or_insert(now);
        }
        self.high = self.high.max(self.expected);
        let mut bits = sack.bitmap;
        while bits != 0 {
            let psn = sack.base + bits.trailing_zeros();
            bits &= bits - 1;
            if let Some(sent) = self.place(psn) {
                sent.state = State::Come;
                self.high = self.high.max(psn + 1);
            }
        }
        debug_assert!(sack.base.is_multiple_of(SEGMENT));
        self.in_flight = shown.res_in_flight.unwrap_or_default();
        if self.is_in_recovery && self.expected >= self.end_of_loss {
            self.is_in_recovery = false;
        }
        let high = if self.high > self.expected + 1 { self.high } else { self.expected };
        let loss = match (shown.loss_ooo, shown.loss_probe) {
            (true, _) => Some((Rule::Ooo, high)),
            (_, true) => Some((Rule::Probe, self.end_of_loss.max(high))),
            _ => None,
        };
        if let Some((_, end)) = loss {
            self.recover(end);
        }
        Heard { loss: loss.map(|(rule, _)| rule), probe: None }
    }

    /// The engine begins to recover what is not acknowledged below a PSN.
    fn recover(&mut self, end: u32) {
        self.is_recovering = true;
        self.is_in_recovery = true;
        self.end_of_loss = end;
        let end = end.saturating_sub(self.expected) as usize;
        for (place, sent) in self.sent.iter_mut().enumerate() {
            if sent.state != State::Come {
                sent.state = if place < end { State::Claimed } else { State::InFlight };
            }
        }
        // all of these are handed out anew
        self.again.clear();
    }

    /// The walker came, and the engine showed this.
    pub fn visited(&mut self, shown: &Shown, now: Picoseconds, settings: &Settings) -> Heard {
        let tick = settings.clock.sack(now);
        if shown.loss_timeout {
            (self.progress, self.heard) = (tick, tick);
            self.timeouts = MOST_TIMEOUTS.min(self.timeouts + 1);
            self.recover(self.messages.next_psn());
            self.in_flight = 0;
            return Heard { loss: Some(Rule::Timeout), probe: None };
        }
        if shown.probe_due {
            self.heard = tick;
            if !self.is_in_recovery {
                self.end_of_loss = self.messages.next_psn();
            }
            return Heard { loss: None, probe: Some(self.expected) };
        }
        Heard::default()
    }

    /// When the next timer runs out, in ticks of `sack_tx`, while something is on its way.
    pub fn due(&self, settings: &Settings) -> Option<u64> {
        let doublings = self.timeouts.min(settings.rto_backoff_max);
        let rto = u64::from(settings.rto) << doublings;
        let due = (self.progress + rto).min(self.heard + u64::from(settings.probe_timeout));
        (!self.sent.is_empty()).then_some(due)
    }

    /// When the first packet's own timeout passes that was not told.
    pub fn next_expiry(&self, rto: Picoseconds) -> Option<Picoseconds> {
        let waits = |sent: &&Sent| sent.state != State::Come && !sent.has_expired;
        self.sent.iter().filter(waits).map(|sent| sent.at + rto).min()
    }

    /// A packet whose own timeout has passed and was not told: its EV.
    pub fn expired(&mut self, now: Picoseconds, rto: Picoseconds) -> Option<u16> {
        let is_over =
            |sent: &&mut Sent| sent.state != State::Come && !sent.has_expired && sent.at + rto <= now;
        let sent = self.sent.iter_mut().find(is_over)?;
        sent.has_expired = true;
        Some(sent.ev)
    }

    /// Packets in flight by a second count, from what became of each.
    pub fn recount(&self) -> usize {
        self.sent.iter().filter(|sent| sent.state == State::InFlight).count()
    }

    /// Only one packet is on its way.
    pub fn is_alone(&self) -> bool {
        self.sent.len() == 1
    }
}
