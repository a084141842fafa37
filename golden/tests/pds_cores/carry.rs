//! Two ends and what lies between them.

use std::collections::BTreeMap;

use respray_golden::hosts::pds::{AnyEv, Config, Delivered, Endpoint, Event, Refusal};

use super::super::pds::network::Line;
use super::{
    A, ACK_GEN_MIN, ACK_GEN_TRIGGER, B, Case, Found, NOMINAL_EXTRA, PAYLOAD, RTO, encapsulation, here, holds,
};

/// An end of a path.
pub(super) trait Station {
    /// The next frame that leaves now.
    fn poll(&mut self, now: u64) -> Option<Vec<u8>>;
    fn receive(&mut self, frame: &[u8], now: u64);
    /// When it is to be asked again.
    fn wake_at(&self) -> Option<u64>;
    /// All is sent, acknowledged and closed.
    fn is_done(&self) -> bool;
    /// What came that must not come.
    fn wrong(&self) -> Option<String>;
}

/// Runs until both ends are done and nothing is under way.
pub(super) fn carry(case: &Case, ends: &mut [&mut dyn Station; 2]) -> Found {
    let mut line = Line::new(case.path, encapsulation(), case.seed);
    let (mut now, mut turns) = (0u64, 0);
    loop {
        for (from, end) in ends.iter_mut().enumerate() {
            while let Some(frame) = end.poll(now) {
                line.send(from, frame, now);
            }
            if let Some(wrong) = end.wrong() {
                return Err(format!("{now} ns: {wrong}"));
            }
        }
        let is_done = ends.iter().all(|end| end.is_done());
        let wake = ends.iter().filter_map(|end| end.wake_at().filter(|_| !is_done)).min();
        let Some(next) = wake.into_iter().chain(line.arrival()).min() else {
            return holds("nothing is under way, and no end has a timer, before both are done", is_done);
        };
        turns += 1;
        holds("it comes to an end", turns < 100_000)?;
        now = next.max(now);
        while let Some((to, frame)) = line.arrived(now) {
            ends[to].receive(&frame, now);
        }
    }
}

/// The endpoint, with what it tells.
pub(super) struct Other {
    pub endpoint: Endpoint,
    /// Numbers of the messages that it sends.
    numbers: BTreeMap<u64, usize>,
    pub finished: Vec<usize>,
    pub responded: Vec<(usize, u8)>,
    pub delivered: Vec<Vec<u8>>,
    pub timeouts: u64,
    pub clears_asked: u64,
    pub probes_answered: u64,
    /// Bytes that the peer has counted, una and nxt, once all messages are finished.
    pub finish: Option<(u64, u32, u32)>,
    closed: bool,
    wrong: Option<String>,
}

impl Other {
    fn new(case: &Case, first_pdc: u16) -> Self {
        let config = Config {
            seed: case.seed + 1000,
            address: here(first_pdc),
            encapsulation: encapsulation(),
            first_pdc,
            start_psn: Some(case.start),
            cwnd: case.cwnd,
            window: case.other_window,
            receive_window: case.other_window,
            payload: PAYLOAD,
            ack_requests: case.ack_requests,
            syn_packets: case.syn_packets,
            default_mpr: case.default_mpr,
            rto: RTO,
            max_rto_retx: 15,
            probe: case.probe,
            clear_delay: case.clear_delay,
            clear_request: case.clear_request,
            ack_type: case.ack_type,
            base: case.base,
            sack_cack_align: case.sack_cack_align,
            ack_gen_trigger: ACK_GEN_TRIGGER.into(),
            ack_gen_min: ACK_GEN_MIN.into(),
            // with the header, and the one of UDP, which its lengths have
            nominal_extra: u32::from(NOMINAL_EXTRA) - 20,
            linger: 1 << 50,
            fault: case.fault,
            ..Config::default()
        };
        let endpoint =
            Endpoint::new(config, Box::new(AnyEv::new(case.seed))).expect("settings of tests are allowed");
        Other {
            endpoint,
            numbers: BTreeMap::new(),
            finished: Vec::new(),
            responded: Vec::new(),
            delivered: Vec::new(),
            timeouts: 0,
            clears_asked: 0,
            probes_answered: 0,
            finish: None,
            closed: false,
            wrong: None,
        }
    }

    /// The endpoint as initiator, with all its messages.
    pub fn initiator(case: &Case) -> Self {
        let mut other = Other::new(case, A);
        let pdc = other.endpoint.open(here(B), case.mode).expect("there is room");
        for (at, message) in case.messages().iter().enumerate() {
            other.numbers.insert(other.endpoint.submit(pdc, message), at);
        }
        other
    }

    pub fn target(case: &Case) -> Self {
        Other::new(case, B)
    }

    /// It refused frames for these reasons alone.
    pub fn check_refused(&self, allowed: &[Refusal]) -> Found {
        let counts = self.endpoint.counts();
        let others: Vec<_> = counts.refused.iter().filter(|(why, _)| !allowed.contains(why)).collect();
        holds(&format!("the endpoint refuses {others:?}"), others.is_empty())?;
        let odd = (counts.bad_messages, counts.reserved_bits, counts.clears_ignored);
        holds(&format!("bad messages, reserved bits and clears that are ignored: {odd:?}"), odd == (0, 0, 0))
    }

    fn hear(&mut self, event: Event) {
        match event {
            Event::Finished { message, .. } => self.finished.push(self.numbers[&message]),
            Event::Responded { message, response, .. } => {
                let at = self.numbers[&message];
                self.responded.push((at, response.opcode));
                if usize::from(response.message) != at {
                    self.wrong = Some(format!("endpoint: a response to message {at} is {response:?}"));
                }
            }
            Event::LossTimeout { .. } => self.timeouts += 1,
            Event::ClearRequest { .. } => self.clears_asked += 1,
            Event::Probed { .. } => self.probes_answered += 1,
            Event::Closed { .. } => self.closed = true,
            Event::Dead { .. } | Event::Ended { .. } => self.wrong = Some(format!("endpoint: {event:?}")),
            _ => {}
        }
    }
}

impl Station for Other {
    fn poll(&mut self, now: u64) -> Option<Vec<u8>> {
        while let Some(event) = self.endpoint.event() {
            self.hear(event);
        }
        while let Some(Delivered { bytes, .. }) = self.endpoint.delivered() {
            self.delivered.push(bytes);
        }
        let is_initiator = !self.numbers.is_empty();
        if is_initiator && self.finish.is_none() && self.finished.len() == self.numbers.len() {
            let sender = self.endpoint.pdc(A).expect("it is open").sender();
            self.finish = Some((sender.received(), sender.una(), sender.nxt()));
            self.endpoint.close(A);
        }
        self.endpoint.poll(now)
    }

    fn receive(&mut self, frame: &[u8], now: u64) {
        self.endpoint.receive(frame, now);
    }

    fn wake_at(&self) -> Option<u64> {
        self.endpoint.wake_at()
    }

    fn is_done(&self) -> bool {
        self.closed
    }

    fn wrong(&self) -> Option<String> {
        self.wrong.clone()
    }
}
