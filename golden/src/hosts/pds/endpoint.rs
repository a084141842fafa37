//! An endpoint: its connections, its timers, and the frames that leave.

use std::collections::{BTreeMap, VecDeque};
use std::net::IpAddr;
use std::ops::Bound;

use rand::rngs::Xoshiro256PlusPlus;
use rand::{RngExt, SeedableRng};

use super::config::{Config, ConfigError, Fault};
use super::counts::Counts;
use super::ev::Chooser;
use super::frame::{Address, ECT_0, Outer};
use super::headers::{Control, Ctl, Header, Mode, Request, State, next};
use super::pdc::{Life, Pdc, Role};
use super::scoreboard::SERVICE_UNIT;
use super::sender::{Content, Departure};
use super::{Delivered, Event, Message};

/// A new Start_PSN is so far from the last PSN that the PDCID had, both ways.
const START_PSN_APART: u32 = 1 << 16;

/// An answer or a control packet that waits to leave.
pub(super) struct Waiting {
    pub outer: Outer,
    pub header: Header,
    /// Behind the header.
    pub tail: Vec<u8>,
    /// When the packet came that an ACK answers.
    pub arrived: Option<u64>,
}

/// A PDS endpoint, initiator and target at once.
pub struct Endpoint {
    pub(super) config: Config,
    rng: Xoshiro256PlusPlus,
    pub(super) chooser: Box<dyn Chooser>,
    pub(super) pdcs: BTreeMap<u16, Pdc>,
    /// Connections that others opened, by their address and PDCID.
    pub(super) bound: BTreeMap<(IpAddr, u16), u16>,
    /// The last PSNs of PDCIDs that were used before.
    last_psn: BTreeMap<u16, u32>,
    next_pdc: u16,
    next_message: u64,
    pub(super) waiting: VecDeque<Waiting>,
    pub(super) delivered: VecDeque<Delivered>,
    pub(super) events: VecDeque<Event>,
    pub(super) counts: Counts,
    /// The connection behind which the turn to send goes on.
    turn: u16,
}

impl Endpoint {
    /// An endpoint without connections.
    ///
    /// # Errors
    /// If a setting is not allowed.
    pub fn new(config: Config, chooser: Box<dyn Chooser>) -> Result<Self, ConfigError> {
        config.check()?;
        Ok(Endpoint {
            rng: Xoshiro256PlusPlus::seed_from_u64(config.seed),
            chooser,
            pdcs: BTreeMap::new(),
            bound: BTreeMap::new(),
            last_psn: BTreeMap::new(),
            next_pdc: config.first_pdc,
            next_message: 0,
            waiting: VecDeque::new(),
            delivered: VecDeque::new(),
            events: VecDeque::new(),
            counts: Counts::default(),
            turn: 0,
            config,
        })
    }

    /// Opens a connection to an endpoint; `None` if there are as many as can be.
    pub fn open(&mut self, to: Address, mode: Mode) -> Option<u16> {
        let id = self.free_pdc()?;
        let start = self.config.start_psn.unwrap_or_else(|| self.start_psn(id));
        let ev = self.ev_of(id, mode);
        self.pdcs.insert(id, Pdc::new(id, Role::Initiator, mode, to, start, ev));
        Some(id)
    }

    /// Sends a message over a connection; its number, which events name.
    ///
    /// # Panics
    /// If the connection is not open.
    pub fn submit(&mut self, pdc: u16, message: &Message) -> u64 {
        let number = self.next_message;
        self.next_message += 1;
        let pdc = self.pdcs.get_mut(&pdc).expect("a message is sent over an open connection");
        assert_eq!(pdc.life, Life::Open, "a message is sent over an open connection");
        pdc.submit(number, &message.bytes, message.wants_response, &self.config);
        number
    }

    /// Sends a control packet that has a PSN of its own: NOOP, Negotiation, or of a target Close Request.
    ///
    /// # Panics
    /// If the connection is not open, or `ctl` is another.
    pub fn control(&mut self, pdc: u16, ctl: Ctl) {
        assert!(ctl.has_own_psn() && ctl != Ctl::Close, "{ctl:?} is not sent by hand");
        let pdc = self.pdcs.get_mut(&pdc).expect("the connection is open");
        pdc.sender.submit(Content::Control(ctl));
    }

    /// Closes a connection that this endpoint opened, once all is sent and acknowledged.
    pub fn close(&mut self, pdc: u16) {
        if let Some(pdc) = self.pdcs.get_mut(&pdc)
            && pdc.role == Role::Initiator
            && pdc.life == Life::Open
        {
            pdc.life = Life::Ending;
        }
    }

    pub fn pdc(&self, pdc: u16) -> Option<&Pdc> {
        self.pdcs.get(&pdc)
    }

    pub fn pdcs(&self) -> impl Iterator<Item = u16> {
        self.pdcs.keys().copied()
    }

    /// The next message that has come, whole.
    pub fn delivered(&mut self) -> Option<Delivered> {
        self.delivered.pop_front()
    }

    pub fn event(&mut self) -> Option<Event> {
        self.events.pop_front()
    }

    pub fn counts(&self) -> &Counts {
        &self.counts
    }

    /// The next frame that leaves now, in nanoseconds; it is to be asked again until there is none.
    pub fn poll(&mut self, now: u64) -> Option<Vec<u8>> {
        self.run_timers(now);
        let waiting = self.waiting.pop_front();
        let waiting = waiting.or_else(|| self.next_departure(now))?;
        let Waiting { outer, mut header, tail, arrived } = waiting;
        if let (Header::Ack(ack), Some(arrived)) = (&mut header, arrived)
            && let Some(congestion) = &mut ack.congestion
            && let State::Nscc { service_time, .. } = &mut congestion.state
        {
            *service_time = u16::try_from((now - arrived) / SERVICE_UNIT).unwrap_or(u16::MAX);
        }
        self.counts.sent += 1;
        Some(self.config.encapsulation.write(&outer, &[header.to_bytes(), tail].concat()))
    }

    /// When it is to be asked again, if no frame comes before; `None`: only a frame or a message gives it something
    /// to do.
    pub fn wake_at(&self) -> Option<u64> {
        self.pdcs.values().filter_map(|pdc| self.wake_of(pdc)).min()
    }

    pub(super) fn wake_of(&self, pdc: &Pdc) -> Option<u64> {
        let lingers = match pdc.life {
            Life::Lingering { until, .. } => Some(until),
            _ => None,
        };
        let probe = pdc.sender.probe_at(&self.config).filter(|_| pdc.peer.is_some());
        let times = [
            pdc.sender.deadline(&self.config),
            pdc.sender.resend_at(&self.config),
            probe,
            pdc.clear_at,
            pdc.clear_request_at,
            lingers,
        ];
        times.into_iter().flatten().min()
    }

    fn free_pdc(&mut self) -> Option<u16> {
        if self.pdcs.len() >= self.config.max_pdcs.into() {
            return None;
        }
        while self.next_pdc == 0 || self.pdcs.contains_key(&self.next_pdc) {
            self.next_pdc = self.next_pdc.wrapping_add(1);
        }
        let id = self.next_pdc;
        self.next_pdc = id.wrapping_add(1);
        Some(id)
    }

    /// What a connection of ROD keeps.
    fn ev_of(&mut self, id: u16, mode: Mode) -> u16 {
        match mode {
            Mode::Rud => 0,
            Mode::Rod => self.chooser.choose(id),
        }
    }

    fn start_psn(&mut self, id: u16) -> u32 {
        let last = self.last_psn.get(&id).copied();
        loop {
            let start: u32 = self.rng.random();
            if last.is_none_or(|last| (start.wrapping_sub(last) as i32).unsigned_abs() >= START_PSN_APART) {
                return start;
            }
        }
    }

    /// A connection that the endpoint `peer` of an address has opened to this one, as its SYN does it, or by
    /// agreement without one; `None` if there are as many as can be.
    pub fn accept(&mut self, from: Address, mode: Mode, peer: u16, start: u32) -> Option<u16> {
        let id = self.free_pdc()?;
        let ev = self.ev_of(id, mode);
        let mut pdc = Pdc::new(id, Role::Target, mode, from, start, ev);
        pdc.peer = Some(peer);
        self.pdcs.insert(id, pdc);
        self.bound.insert((from.ip, peer), id);
        self.events.push_back(Event::Opened { pdc: id, peer, from });
        Some(id)
    }

    /// Forgets a connection.
    pub(super) fn remove(&mut self, id: u16) {
        if let Some(pdc) = self.pdcs.remove(&id) {
            self.last_psn.insert(id, pdc.sender.nxt().wrapping_sub(1));
            if pdc.role == Role::Target {
                self.bound.retain(|_, bound| *bound != id);
            }
        }
    }

    /// The EV of a packet that leaves: connections of ROD keep theirs.
    pub(super) fn ev(&mut self, id: u16) -> u16 {
        match &self.pdcs[&id] {
            pdc if pdc.mode == Mode::Rod => pdc.ev,
            _ => self.chooser.choose(id),
        }
    }

    /// A packet with a PSN of its own, of the connection whose turn it is.
    fn next_departure(&mut self, now: u64) -> Option<Waiting> {
        let behind = self.pdcs.range((Bound::Excluded(self.turn), Bound::Unbounded));
        let ids: Vec<u16> = behind.chain(self.pdcs.range(..=self.turn)).map(|(id, _)| *id).collect();
        for id in ids {
            let pdc = self.pdcs.get_mut(&id).expect("it is open");
            if let Some(departure) = pdc.sender.next(pdc.peer.is_some(), now, &self.config) {
                self.turn = id;
                return Some(self.departure(id, departure));
            }
        }
        None
    }

    fn departure(&mut self, id: u16, departure: Departure) -> Waiting {
        let Departure { psn, number, content, is_retransmission, ack_request } = departure;
        let count = if is_retransmission {
            &mut self.counts.retransmissions
        } else {
            &mut self.counts.first_transmissions
        };
        *count += 1;
        let ev = self.ev(id);
        let pdc = &self.pdcs[&id];
        let destination = pdc.destination(number);
        let is_retransmission = is_retransmission && !self.config.has(Fault::RetxNotSet);
        let (header, tail, dscp, ecn) = match content {
            Content::Request { bytes, .. } => {
                let request = Request {
                    mode: pdc.mode,
                    next_header: next::STANDARD_REQUEST,
                    is_retransmission,
                    ack_request,
                    clear_offset: pdc.clear_psn().wrapping_sub(psn) as i16,
                    psn,
                    source: id,
                    destination,
                    credit: None,
                };
                (Header::Request(request), bytes, self.config.dscp_data, ECT_0)
            }
            Content::Control(ctl) => {
                let control = Control {
                    ctl,
                    mode: if ctl.may_open() { pdc.mode } else { Mode::Rud },
                    is_retransmission,
                    ack_request,
                    opaque: 0,
                    psn,
                    source: id,
                    destination,
                    payload: 0,
                };
                (Header::Control(control), Vec::new(), self.config.dscp_control, 0)
            }
        };
        let outer = Outer { from: self.config.address, to: pdc.peer_address, ev, dscp, ecn };
        Waiting { outer, header, tail, arrived: None }
    }
}
