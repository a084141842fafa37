//! Two endpoints with a path between them that loses, reorders, doubles, trims and marks, and what holds of any run.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BinaryHeap};

use rand::rngs::Xoshiro256PlusPlus;
use rand::{RngExt, SeedableRng};
use respray_golden::hosts::pds::frame::{CE, trim};
use respray_golden::hosts::pds::headers::{Header, Mode};
use respray_golden::hosts::pds::ses::HEADER;
use respray_golden::hosts::pds::{
    AckType, AnyEv, Carrier, Config, Encapsulation, Endpoint, Event, Message, Taken,
};

use super::{Found, TRIMMED, TRIMMED_LAST, address, holds, message, same};

/// What a path does to packets, in hundredths; times in nanoseconds.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Path {
    pub loss: u32,
    pub doubled: u32,
    pub marked: u32,
    /// Of requests.
    pub trimmed: u32,
    pub delay: u64,
    /// A packet takes up to this much longer.
    pub reorder: u64,
}

/// A run: what each end sends, over how many connections that it opens.
#[derive(Clone, Debug)]
pub(super) struct Run {
    pub configs: [Config; 2],
    pub path: Path,
    pub seed: u64,
    pub modes: Vec<Mode>,
    /// Of each end, over each of its connections.
    pub messages: [usize; 2],
    /// Bytes of a message, at most.
    pub bytes: usize,
    /// One of so many messages asks for a response that is held.
    pub held: usize,
    /// Messages of targets over the same connections.
    pub back: usize,
    /// When it is to be over, and how often something may happen before: probes go on while a timeout backs off.
    pub limit: u64,
    pub turns: u32,
}

/// The way between two ends, both ways.
pub(crate) struct Line {
    encapsulation: Encapsulation,
    path: Path,
    rng: Xoshiro256PlusPlus,
    /// Time, number and receiver of each frame that is under way.
    due: BinaryHeap<Reverse<(u64, u64, usize)>>,
    frames: BTreeMap<u64, Vec<u8>>,
    next: u64,
    sent: [u64; 2],
    lost: [u64; 2],
    doubled: [u64; 2],
    delivered: [u64; 2],
}

impl Line {
    pub(crate) fn new(path: Path, encapsulation: Encapsulation, seed: u64) -> Self {
        Line {
            encapsulation,
            path,
            rng: Xoshiro256PlusPlus::seed_from_u64(seed),
            due: BinaryHeap::new(),
            frames: BTreeMap::new(),
            next: 0,
            sent: [0; 2],
            lost: [0; 2],
            doubled: [0; 2],
            delivered: [0; 2],
        }
    }

    /// When the next frame arrives.
    pub(crate) fn arrival(&self) -> Option<u64> {
        self.due.peek().map(|Reverse((at, ..))| *at)
    }

    /// A frame that has arrived by now, and the end that it is for.
    pub(crate) fn arrived(&mut self, now: u64) -> Option<(usize, Vec<u8>)> {
        let Reverse((_, number, to)) = *self.due.peek().filter(|Reverse((at, ..))| *at <= now)?;
        self.due.pop();
        self.delivered[1 - to] += 1;
        Some((to, self.frames.remove(&number).expect("it is under way")))
    }

    fn chance(&mut self, hundredths: u32) -> bool {
        self.rng.random_range(0..100) < hundredths
    }

    pub(crate) fn send(&mut self, from: usize, mut frame: Vec<u8>, now: u64) {
        self.sent[from] += 1;
        if self.chance(self.path.loss) {
            self.lost[from] += 1;
            return;
        }
        let packet = self.encapsulation.read(&frame).expect("an endpoint sends what can be read");
        let is_request = matches!(Header::parse(packet.bytes), Ok((Header::Request(_), _)));
        if is_request && self.chance(self.path.trimmed) && frame.len() > 14 + 20 + 24 {
            let dscp = if self.chance(30) { TRIMMED_LAST } else { TRIMMED };
            frame = trim(&frame, 24, dscp);
        } else if is_request && self.chance(self.path.marked) {
            let mut ip = etherparse::Ipv4Header::from_slice(&frame[14..]).expect("IPv4").0;
            ip.ecn = etherparse::IpEcn::try_new(CE).expect("2 bits");
            ip.header_checksum = ip.calc_header_checksum();
            frame[14..34].copy_from_slice(&ip.to_bytes());
        }
        if self.chance(self.path.doubled) {
            self.doubled[from] += 1;
            self.put(from, frame.clone(), now);
        }
        self.put(from, frame, now);
    }

    fn put(&mut self, from: usize, frame: Vec<u8>, now: u64) {
        let at = now + self.path.delay + self.rng.random_range(0..=self.path.reorder);
        self.due.push(Reverse((at, self.next, 1 - from)));
        self.frames.insert(self.next, frame);
        self.next += 1;
    }
}

/// What one end sends over a connection of its own, and what the other end got of it.
#[derive(Default)]
struct Flow {
    mode: Mode,
    sent: Vec<Message>,
    /// Numbers of `submit`.
    numbers: Vec<u64>,
    finished: Vec<u64>,
    responded: Vec<u64>,
    delivered: Vec<Vec<u8>>,
}

impl Flow {
    /// The receiver says that it got each packet once, with all that is around it.
    fn check_received(&self, end: &Endpoint, pdc: u16, payload: usize, of_peer: &Config) -> Found {
        if of_peer.ack_type != AckType::Cc {
            return Ok(());
        }
        let around = match of_peer.encapsulation {
            Encapsulation { carrier: Carrier::Udp { .. }, crc, .. } => 8 + if crc { 4 } else { 0 },
            Encapsulation { crc, .. } => 4 + if crc { 4 } else { 0 },
        };
        let packet = around + 12 + HEADER + of_peer.nominal_extra as usize;
        let nominal =
            |message: &Message| message.bytes.len() + packet * message.bytes.len().div_ceil(payload).max(1);
        let sum: usize = self.sent.iter().map(nominal).sum();
        let told = end.pdc(pdc).ok_or("it is open")?.sender().received();
        same("bytes that were received", told, sum.div_ceil(256) as u64 * 256)
    }
}

/// What a run came to.
pub(super) struct Report {
    pub ends: [Endpoint; 2],
    pub timeouts: u64,
    pub clears_asked: u64,
    pub opened: u64,
}

/// Runs until all is acknowledged and closed, and holds that every message came once, in order of ROD, with every
/// response once, and that each frame is accounted for.
pub(super) fn run(run: &Run) -> Result<Report, String> {
    let mut ends = [0, 1].map(|at| {
        let config = run.configs[at].clone();
        let chooser = AnyEv::new(run.seed + at as u64);
        Endpoint::new(config, Box::new(chooser)).expect("settings of tests are allowed")
    });
    let mut line = Line::new(run.path, run.configs[0].encapsulation, run.seed);
    // by sending end and its PDCID
    let mut flows: BTreeMap<(usize, u16), Flow> = BTreeMap::new();
    // PDCIDs of the other end, by end and PDCID
    let mut peers: BTreeMap<(usize, u16), u16> = BTreeMap::new();
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(run.seed ^ 0x5eed);
    let mut any_message = |at: usize| {
        let length = rng.random_range(0..=run.bytes);
        let wants_response = run.held > 0 && at.is_multiple_of(run.held);
        Message { wants_response, bytes: message(length).bytes.iter().map(|byte| byte ^ at as u8).collect() }
    };
    for (end, endpoint) in ends.iter_mut().enumerate() {
        let other = address(2 - end as u8);
        for mode in &run.modes {
            let Some(count) = Some(run.messages[end]).filter(|count| *count > 0) else { continue };
            let pdc = endpoint.open(other, *mode).ok_or("there is room")?;
            let mut flow = Flow { mode: *mode, ..Flow::default() };
            for at in 0..count {
                let message = any_message(at);
                flow.numbers.push(endpoint.submit(pdc, &message));
                flow.sent.push(message);
            }
            flows.insert((end, pdc), flow);
        }
    }
    let (mut now, mut timeouts, mut clears_asked, mut opened) = (0, 0, 0, 0);
    let (mut closing, mut turns) = (false, 0);
    loop {
        for (end, endpoint) in ends.iter_mut().enumerate() {
            while let Some(frame) = endpoint.poll(now) {
                line.send(end, frame, now);
            }
            while let Some(event) = endpoint.event() {
                match event {
                    Event::Bound { pdc, peer } => {
                        peers.insert((end, pdc), peer);
                    }
                    Event::Opened { pdc, peer, .. } => {
                        opened += 1;
                        peers.insert((end, pdc), peer);
                        if run.back > 0 {
                            let mode = endpoint.pdc(pdc).ok_or("it is open")?.receiver().mode();
                            let mut flow = Flow { mode, ..Flow::default() };
                            for at in 0..run.back {
                                let message = any_message(at);
                                flow.numbers.push(endpoint.submit(pdc, &message));
                                flow.sent.push(message);
                            }
                            flows.insert((end, pdc), flow);
                        }
                    }
                    Event::Finished { pdc, message } => {
                        flow(&mut flows, end, pdc)?.finished.push(message);
                    }
                    Event::Responded { pdc, message, response } => {
                        let flow = flow(&mut flows, end, pdc)?;
                        flow.responded.push(message);
                        let at =
                            flow.numbers.iter().position(|number| *number == message).ok_or("it was sent")?;
                        same("message of a response", usize::from(response.message), at & 0xffff)?;
                        holds("a response that was held is not the default one", response.opcode != 0)?;
                    }
                    Event::LossTimeout { .. } => timeouts += 1,
                    Event::ClearRequest { .. } => clears_asked += 1,
                    Event::Dead { .. } | Event::Ended { .. } => {
                        return Err(format!("{now} ns, end {end}: {event:?}"));
                    }
                    _ => {}
                }
            }
            while let Some(delivered) = endpoint.delivered() {
                let peer = *peers.get(&(end, delivered.pdc)).ok_or("a message of nobody")?;
                let flow = flow(&mut flows, 1 - end, peer)?;
                if flow.mode == Mode::Rod {
                    same("order of ROD", usize::from(delivered.message), flow.delivered.len() & 0xffff)?;
                }
                flow.delivered.push(delivered.bytes);
            }
        }
        let wake = ends.iter().filter_map(Endpoint::wake_at).min();
        let arrival = line.arrival();
        let is_done = flows.values().all(|flow| flow.finished.len() == flow.sent.len());
        if is_done && !closing {
            closing = true;
            for ((end, pdc), flow) in &flows {
                let [own, peer] = [*end, 1 - *end].map(|end| &run.configs[end]);
                flow.check_received(&ends[*end], *pdc, own.payload, peer)?;
            }
            for (end, pdc) in flows.keys() {
                ends[*end].close(*pdc);
            }
            continue;
        }
        let Some(next) = wake.into_iter().chain(arrival).min() else { break };
        turns += 1;
        holds("it goes on", turns < run.turns)?;
        now = next.max(now);
        holds(&format!("it is over by {} ns", run.limit), now <= run.limit)?;
        while let Some((to, frame)) = line.arrived(now) {
            ends[to].receive(&frame, now);
        }
    }
    check(&ends, &line, flows)?;
    Ok(Report { ends, timeouts, clears_asked, opened })
}

fn flow(flows: &mut BTreeMap<(usize, u16), Flow>, end: usize, pdc: u16) -> Result<&mut Flow, String> {
    flows.get_mut(&(end, pdc)).ok_or(format!("end {end} has no flow {pdc}"))
}

fn check(ends: &[Endpoint; 2], line: &Line, flows: BTreeMap<(usize, u16), Flow>) -> Found {
    holds("messages are sent", !flows.is_empty())?;
    for ((end, pdc), mut flow) in flows {
        let name = format!("end {end}, connection {pdc}");
        let wanted: Vec<u64> = flow
            .numbers
            .iter()
            .zip(&flow.sent)
            .filter_map(|(number, message)| message.wants_response.then_some(*number))
            .collect();
        flow.responded.sort_unstable();
        same(&format!("{name}: responses"), flow.responded, wanted)?;
        same(&format!("{name}: finished"), flow.finished, flow.numbers)?;
        let mut sent: Vec<Vec<u8>> = flow.sent.into_iter().map(|message| message.bytes).collect();
        if flow.mode == Mode::Rud {
            sent.sort_unstable();
            flow.delivered.sort_unstable();
        }
        holds(&format!("{name}: every message came once"), sent == flow.delivered)?;
    }
    for (from, end) in ends.iter().enumerate() {
        let to = ends[1 - from].counts();
        same("connections that are left", end.pdcs().count(), 0)?;
        same("sent", end.counts().sent, line.sent[from])?;
        same("on the way", line.sent[from] + line.doubled[from], line.lost[from] + line.delivered[from])?;
        same("received", to.received, line.delivered[from])?;
        let all: u64 = to.taken.values().chain(to.refused.values()).sum();
        same("counted", to.received, all)?;
        let odd = (to.bad_messages, to.reserved_bits, to.clears_ignored);
        same("bad messages, reserved bits, clears that are ignored", odd, (0, 0, 0))?;
        same("new packets", to.taken(Taken::New), end.counts().first_transmissions)?;
    }
    Ok(())
}
