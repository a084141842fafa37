//! One run: hosts that send over the fabric, an engine that gives each packet its EV, and what comes of it.

use std::collections::{HashMap, VecDeque};
use std::path::PathBuf;

use rand::rngs::Xoshiro256PlusPlus;
use rand::{Rng, SeedableRng};
use respray_cosim::interrupt;
use respray_golden::paths::hash::mix;
use respray_golden::selector::SendKind;

use crate::connection::{Arrival, Receiver, Sender};
use crate::engine::{Answer, Counts, Difference, Engine, Feedback, Maker, Say};
use crate::error::FabricError;
use crate::events::{Events, Lane};
use crate::failure::{Failure, Fault};
use crate::metrics::{Counters, FlowTimes, Series, imbalance};
use crate::packet::{Kind, Marks, Packet};
use crate::parameters::{Full, Parameters};
use crate::port::{Given, Port, Speed};
use crate::time::{NANOSECOND, Picoseconds, serialization};
use crate::topology::{Map, Node, Place, Topology, Ways};
use crate::window::Window;
use crate::workload::{Flows, Start};

/// What a run is made of.
#[derive(Clone, Debug)]
pub struct Scenario {
    pub topology: Topology,
    pub parameters: Parameters,
    pub flows: Flows,
    pub failures: Vec<Failure>,
    pub seed: u64,
    /// Each host has an engine of its own.
    pub engine_per_host: bool,
    /// The ports of this switch upwards are watched over time.
    pub watched: Option<String>,
}

/// What a run came to.
#[derive(Clone, Debug)]
pub struct Outcome {
    pub times: FlowTimes,
    pub counters: Counters,
    pub engine: Counts,
    /// Load imbalance of the ToRs' up-links, in the mean of the ToRs that sent something upwards.
    pub imbalance: f64,
    pub series: Option<Series>,
    /// From a port's failure to the last data packet that it was given while it was down and whose EV was not drawn anew.
    pub last_into_down: Option<Picoseconds>,
    pub events: u64,
    /// One number of all events in their order.
    pub event_hash: u64,
    /// When the run ended.
    pub end: Picoseconds,
    /// Where the Verilog and the golden model differed.
    pub difference: Option<Difference>,
    /// A signal ended the run.
    pub is_interrupted: bool,
}

/// What happens, and where. It is a plain record and no enum with fields, because it is copied with every hop of every packet.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Event {
    pub what: What,
    /// The port, connection, flow or fault.
    pub place: u32,
    /// The packet, where there is one.
    pub packet: Packet,
}

/// A kind of event.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum What {
    /// The last bit of the packet that a port sends has left.
    Left,
    /// A packet has come to the end of a port's link.
    Come,
    /// The first packet of a connection may have expired.
    Timer,
    /// A flow begins.
    Begin,
    /// A fault begins or ends.
    FaultBegins,
    FaultEnds,
}

impl Event {
    /// One without a packet.
    fn plain(what: What, place: u32) -> Event {
        Event { what, place, packet: Packet::default() }
    }
}

/// What switches look at of a connection.
#[derive(Clone, Copy, Debug)]
struct Ends {
    source: u32,
    destination: u32,
    /// What they hash: there and back.
    keys: [u64; 2],
}

/// A pair of hosts, from the sender's side.
#[derive(Debug)]
pub(crate) struct Connection {
    source: u32,
    /// Its engine, and its number there.
    engine: u32,
    number: u16,
    tiers: u8,
    pub(crate) sender: Sender,
    /// Its engine has been told that it begins.
    is_begun: bool,
}

/// One flow under way or over.
#[derive(Clone, Copy, Debug, Default)]
struct Progress {
    began: Option<Picoseconds>,
    ended: Option<Picoseconds>,
}

/// A host's side of its NIC.
#[derive(Debug, Default)]
struct Host {
    /// Connections that wait for their turn.
    ready: VecDeque<u32>,
}

/// Control packets that a NIC sends before a data packet gets its turn.
const CONTROL_IN_ROW: u32 = 10;

/// Events between two looks at signals and the progress bar.
const TELL_EVENTS: u64 = 1 << 16;

/// Above this many times the base RTT a round trip is slow: without trimming, an expiry then is held for congestion (001 Appendix A).
const SLOW_ROUND_TRIP: f64 = 1.65;

/// Who looks at a run after each event.
pub trait Watcher {
    fn look(&mut self, simulation: &mut Simulation<'_>);
}

/// A run under way.
pub struct Simulation<'a> {
    scenario: &'a Scenario,
    map: Map,
    salts: Vec<u64>,
    pub(crate) events: Events<Event>,
    pub(crate) ports: Vec<Port>,
    /// The node at the end of each port's link.
    to: Vec<Node>,
    /// Speeds of ports.
    pub(crate) speeds: Vec<Speed>,
    ends: Vec<Ends>,
    pub(crate) connections: Vec<Connection>,
    receivers: Vec<Receiver>,
    hosts: Vec<Host>,
    engines: Vec<Box<dyn Engine>>,
    flows: Vec<Progress>,
    /// The connection of each flow.
    of_flow: Vec<u32>,
    /// Flows that begin when one is complete.
    after: Vec<Vec<u32>>,
    queues: Vec<VecDeque<u32>>,
    left: usize,
    rto: Picoseconds,
    /// A timeout tells the engine the EV of its packet.
    keeps_evs: bool,
    /// The engine is asked for the EV of a packet before that goes, as it may have to wait.
    asks_first: bool,
    faults: Vec<(Failure, Vec<u32>)>,
    random: Xoshiro256PlusPlus,
    pub(crate) counters: Counters,
    /// Packets of data that a failure took.
    pub(crate) lost_data: u64,
    series: Option<Series>,
    hash: u64,
    counted: u64,
}

impl Scenario {
    /// Runs it with engines of a maker. `heard` is told the flows that are complete, of how many.
    ///
    /// # Errors
    /// [`FabricError`] on bad input, or where the Verilog stops.
    pub fn run(
        &self,
        maker: &Maker,
        reproducer: Option<&PathBuf>,
        heard: &mut dyn FnMut(usize, usize),
    ) -> Result<Outcome, FabricError> {
        self.run_checked(maker, reproducer, heard, None)
    }

    /// The same, with a look at everything after every event, which takes as long as there are packets.
    ///
    /// # Errors
    /// As [`Scenario::run`] has them.
    pub fn run_checked(
        &self,
        maker: &Maker,
        reproducer: Option<&PathBuf>,
        heard: &mut dyn FnMut(usize, usize),
        mut watcher: Option<&mut dyn Watcher>,
    ) -> Result<Outcome, FabricError> {
        let mut simulation = Simulation::new(self, maker)?;
        let mut is_interrupted = false;
        let all = self.flows.flows.len();
        while simulation.left > 0 {
            if simulation.counted % TELL_EVENTS == 0 {
                heard(all - simulation.left, all);
                if interrupt::is_requested() {
                    is_interrupted = true;
                    break;
                }
                if simulation.differs() {
                    break;
                }
            }
            if simulation.events.is_empty() {
                break;
            }
            let event = simulation.events.pop();
            if simulation.events.now() > self.parameters.end_ns * NANOSECOND {
                break;
            }
            simulation.counted += 1;
            simulation.happen(event)?;
            if let Some(watcher) = watcher.as_deref_mut() {
                watcher.look(&mut simulation);
            }
        }
        heard(all - simulation.left, all);
        simulation.finish(reproducer, is_interrupted)
    }

    /// The pairs of hosts, in the order of their first flow.
    fn pairs(&self) -> Vec<(u32, u32)> {
        let mut seen = HashMap::new();
        let pairs = self.flows.flows.iter().map(|flow| (flow.source, flow.destination));
        pairs.filter(|pair| seen.insert(*pair, ()).is_none()).collect()
    }

    /// Connections that an engine must have.
    ///
    /// # Errors
    /// [`FabricError::Connections`] where there are more than the largest has.
    pub fn engine_connections(&self) -> Result<u32, FabricError> {
        let pairs = self.pairs();
        let most = match self.engine_per_host {
            false => pairs.len(),
            true => {
                let mut of_host = HashMap::new();
                pairs.iter().for_each(|(source, _)| *of_host.entry(source).or_insert(0) += 1);
                of_host.into_values().max().unwrap_or(0)
            }
        };
        Maker::connections_for(most)
    }

    /// Most packets of an engine's hosts that can be on their first links at once: full ones, and the last one of each message.
    pub fn unanswered(&self) -> usize {
        let links = self.topology.host_links;
        let on_link = |bytes: u32| links.delay() / serialization(bytes.into(), links.gbps).max(1) + 2;
        let mut messages = HashMap::new();
        self.flows.flows.iter().for_each(|flow| *messages.entry(flow.source).or_insert(0) += 1);
        let messages: u64 = messages.into_values().max().unwrap_or(0);
        let Parameters { packet_bytes, header_bytes, .. } = self.parameters;
        let of_host = (on_link(packet_bytes) + messages).min(on_link(header_bytes + 1));
        let hosts = if self.engine_per_host { 1 } else { u64::from(self.topology.hosts) };
        (of_host * hosts) as usize
    }

    /// About so many ops will be given to all engines.
    pub fn about_ops(&self) -> u64 {
        let payload = self.parameters.payload_bytes();
        self.flows.flows.iter().map(|flow| 2 * flow.bytes.div_ceil(payload)).sum()
    }
}

impl<'a> Simulation<'a> {
    fn new(scenario: &'a Scenario, maker: &Maker) -> Result<Self, FabricError> {
        let Scenario { topology, parameters, .. } = scenario;
        let map = Map::new(topology);
        let mut random = Xoshiro256PlusPlus::seed_from_u64(scenario.seed);
        let salts = map.switches.iter().map(|_| random.next_u64()).collect();
        let mut events = Events::default();
        let mut speeds = Vec::new();
        let ports = map
            .wires
            .iter()
            .map(|wire| {
                let link = events.lane(wire.links.delay());
                Port::new(link, speed(parameters, wire.links.gbps, 1.0, &mut speeds, &mut events))
            })
            .collect();
        let faults = scenario
            .failures
            .iter()
            .map(|failure| Ok((failure.clone(), failure.ports(&map, scenario.seed)?)))
            .collect::<Result<Vec<_>, FabricError>>()?;
        crate::failure::check_apart(&faults)?;
        for (place, (failure, _)) in faults.iter().enumerate() {
            let fault = place as u32;
            events.add_at(failure.from, Event::plain(What::FaultBegins, fault));
            if let Some(until) = failure.until {
                events.add_at(until, Event::plain(What::FaultEnds, fault));
            }
        }
        let (ends, connections) = connections(scenario);
        let places: HashMap<(u32, u32), u32> =
            ends.iter().zip(0..).map(|(ends, place)| ((ends.source, ends.destination), place)).collect();
        let engines = match scenario.engine_per_host {
            false => vec![maker.make(scenario.seed as u16, scenario.about_ops())?],
            true => (0..topology.hosts)
                .map(|host| {
                    let seed = scenario.seed.wrapping_add(host.into()) as u16;
                    maker.make(seed, scenario.about_ops() / u64::from(topology.hosts))
                })
                .collect::<Result<_, _>>()?,
        };
        let flows = &scenario.flows.flows;
        let mut simulation = Simulation {
            salts,
            events,
            ports,
            to: map.wires.iter().map(|wire| wire.to).collect(),
            speeds,
            receivers: ends.iter().map(|_| Receiver::default()).collect(),
            ends,
            connections,
            hosts: (0..topology.hosts).map(|_| Host::default()).collect(),
            engines,
            flows: vec![Progress::default(); flows.len()],
            of_flow: flows.iter().map(|flow| places[&(flow.source, flow.destination)]).collect(),
            after: vec![Vec::new(); flows.len()],
            queues: vec![VecDeque::new(); scenario.flows.queues.len()],
            left: flows.len(),
            rto: parameters.rto(topology),
            keeps_evs: maker.wants_evs_of_timeouts(),
            asks_first: maker.may_wait(),
            faults,
            random,
            counters: Counters::default(),
            lost_data: 0,
            series: watched(scenario, &map)?,
            hash: 0,
            counted: 0,
            map,
            scenario,
        };
        simulation.plan();
        Ok(simulation)
    }

    /// Says when each flow begins.
    fn plan(&mut self) {
        let scenario = self.scenario;
        for (place, flow) in scenario.flows.flows.iter().enumerate() {
            let place = place as u32;
            match flow.start {
                Start::At(time) => self.events.add_at(time, Event::plain(What::Begin, place)),
                Start::After(other) => self.after[other as usize].push(place),
                Start::Queue(queue) => self.queues[queue as usize].push_back(place),
            }
        }
        for (queue, at_once) in scenario.flows.queues.iter().enumerate() {
            for _ in 0..*at_once {
                if let Some(flow) = self.queues[queue].pop_front() {
                    self.events.add_at(0, Event::plain(What::Begin, flow));
                }
            }
        }
    }

    #[inline]
    fn happen(&mut self, event: Event) -> Result<(), FabricError> {
        let Event { what, place, packet } = event;
        self.note(self.events.now() ^ (what as u64) << 61, u64::from(place) << 32 | u64::from(packet.psn));
        match what {
            What::Left => self.left(place, packet),
            What::Come => match self.to[place as usize] {
                Node::Switch(switch) => self.at_switch(switch, packet),
                Node::Host(host) => self.at_host(host, packet),
            },
            What::Timer => self.timer(place),
            What::Begin => self.begin(place),
            What::FaultBegins | What::FaultEnds => {
                self.fault(place, what == What::FaultBegins);
                Ok(())
            }
        }
    }

    /// Adds two words to the number of all events.
    #[inline]
    fn note(&mut self, a: u64, b: u64) {
        self.hash = (self.hash ^ a).wrapping_mul(0x9e37_79b9_7f4a_7c15).rotate_left(29) ^ b;
    }

    /// A packet begins on the wire.
    #[inline]
    fn start(&mut self, port: u32, packet: Packet) {
        let bytes = u32::from(packet.bytes);
        let Parameters { packet_bytes, header_bytes, .. } = self.scenario.parameters;
        let at = &mut self.ports[port as usize];
        at.is_sending = true;
        let speed = &self.speeds[usize::from(at.speed)];
        let event = Event { what: What::Left, place: port, packet };
        match bytes {
            _ if bytes == packet_bytes => self.events.add(speed.full.1, event),
            _ if bytes == header_bytes => self.events.add(speed.control.1, event),
            _ => {
                let time = serialization(bytes.into(), speed.gbps);
                self.events.add_at(self.events.now() + time, event);
            }
        }
    }

    /// The last bit of a port's packet has left.
    #[inline]
    fn left(&mut self, port: u32, mut packet: Packet) -> Result<(), FabricError> {
        let at = &mut self.ports[port as usize];
        at.is_sending = false;
        let is_nic = port < self.map.topology.hosts;
        let speed = &self.speeds[usize::from(at.speed)];
        if is_nic {
            if at.takes(&packet, self.events.now(), &mut self.random) {
                self.lose(&packet);
            } else {
                self.events.add(at.link, Event { what: What::Come, place: port, packet });
            }
            return self.pump(port);
        }
        if at.left(&mut packet, speed, &mut self.random) {
            self.counters.marked += 1;
        }
        self.events.add(at.link, Event { what: What::Come, place: port, packet });
        if let Some(next) = at.pop() {
            self.start(port, next);
        }
        Ok(())
    }

    /// The EV of a packet, which its engine is asked for if need be.
    #[inline]
    fn ev(&mut self, packet: &mut Packet) -> Result<u16, FabricError> {
        if let Some(ev) = packet.ev() {
            return Ok(ev);
        }
        let connection = &mut self.connections[packet.connection as usize];
        let ev = match self.engines[connection.engine as usize].ev(packet.ev_or_ticket)? {
            Answer::Goes(kind, ev) => {
                if kind == SendKind::Explore {
                    packet.marks.set(Marks::EV_DRAWN);
                }
                ev
            }
            Answer::Wait => unreachable!("a packet that waits does not go"),
        };
        packet.ev_or_ticket = ev.into();
        packet.marks.set(Marks::EV_KNOWN);
        if self.keeps_evs {
            connection.sender.goes_by(packet.psn, ev);
        }
        self.note(ev.into(), packet.psn.into());
        Ok(ev)
    }

    /// A packet has come to a switch.
    #[inline]
    fn at_switch(&mut self, switch: u32, mut packet: Packet) -> Result<(), FabricError> {
        let connection = self.ends[packet.connection as usize];
        let (to, key) = match packet.kind.is_forward() {
            true => (connection.destination, connection.keys[0]),
            false => (connection.source, connection.keys[1]),
        };
        let ev = u64::from(self.ev(&mut packet)?);
        let ways = self.map.ways(switch, to);
        let port = match ways.count {
            1 => ways.first,
            _ if self.scenario.parameters.adaptive => self.shortest(ways),
            _ => ways.first + choose(key, ev, self.salts[switch as usize], ways.count),
        };
        let now = self.events.now();
        let at = &mut self.ports[port as usize];
        let speed = &self.speeds[usize::from(at.speed)];
        let given = at.give(packet, now, speed, &self.scenario.parameters, &mut self.random);
        if !at.is_sending {
            if let Some(next) = at.pop() {
                self.start(port, next);
            }
        }
        match given {
            Given::Queued => {}
            Given::Trimmed => self.counters.trimmed += 1,
            Given::Dropped => self.counters.dropped += 1,
            Given::Lost => self.lose(&packet),
        }
        if packet.kind == Kind::Data {
            if let Some(series) = &mut self.series {
                let queue = self.ports[port as usize].data_bytes();
                series.given(port, now, packet.bytes.into(), queue, given != Given::Queued);
            }
        }
        Ok(())
    }

    /// A failure took a packet.
    #[cold]
    fn lose(&mut self, packet: &Packet) {
        self.counters.lost_to_failure += 1;
        self.lost_data += u64::from(packet.kind == Kind::Data);
    }

    /// The port with the shortest queue, the first of several.
    fn shortest(&self, ways: Ways) -> u32 {
        let ports = ways.first..ways.first + ways.count;
        ports.min_by_key(|port| self.ports[*port as usize].data_bytes()).expect("there is a way")
    }

    /// A packet has come to a host.
    #[inline]
    fn at_host(&mut self, host: u32, packet: Packet) -> Result<(), FabricError> {
        match packet.kind {
            Kind::Data => self.receive(host, packet),
            // the answer is the same packet, turned round
            Kind::Trimmed => self.answer(host, Packet { kind: Kind::Nack, ..packet }),
            Kind::Ack => self.acknowledged(&packet),
            Kind::Nack => self.refused(&packet),
        }
    }

    /// Data has come to its receiver.
    fn receive(&mut self, host: u32, packet: Packet) -> Result<(), FabricError> {
        let Parameters { ack_bytes, header_bytes, packet_bytes, .. } = self.scenario.parameters;
        let receiver = &mut self.receivers[packet.connection as usize];
        self.counters.delivered += 1;
        let arrival = receiver.take(packet.psn, packet.bytes);
        match arrival {
            Arrival::New { is_late } => {
                self.counters.out_of_order += u64::from(is_late);
                self.counters.overtaken += u64::from(is_late && !packet.marks.has(Marks::REPEATED));
            }
            Arrival::Duplicate => self.counters.duplicates += 1,
        }
        if ack_bytes > 0 {
            receiver.unanswered += u64::from(u32::from(packet.bytes).saturating_sub(header_bytes));
            let is_last = u32::from(packet.bytes) != packet_bytes;
            let at_once = arrival == Arrival::Duplicate
                || packet.is_marked()
                || is_last
                || packet.marks.has(Marks::ASKS_FOR_ACK);
            if !at_once && receiver.unanswered < u64::from(ack_bytes) {
                return Ok(());
            }
            receiver.unanswered = 0;
        }
        let ack = Packet {
            kind: Kind::Ack,
            bytes: header_bytes as u16,
            cumulative: receiver.cumulative,
            bitmap: receiver.bitmap(packet.psn),
            received: receiver.received,
            ..packet
        };
        self.answer(host, ack)
    }

    /// A host sends a control packet.
    #[inline]
    fn answer(&mut self, host: u32, packet: Packet) -> Result<(), FabricError> {
        self.ports[host as usize].give_control(packet);
        if self.ports[host as usize].is_sending { Ok(()) } else { self.pump(host) }
    }

    /// What is said with every op of a connection.
    #[inline]
    fn say(&self, connection: u32) -> Say {
        let of = &self.connections[connection as usize];
        Say {
            connection: of.number,
            now: self.events.now() / NANOSECOND,
            window_packets: of.sender.window.size / u64::from(self.scenario.parameters.packet_bytes),
            room: of.sender.window.is_open(),
            tiers: of.tiers,
            ..Say::default()
        }
    }

    /// An ACK has come: the window takes it, then the engine, then packets may go.
    fn acknowledged(&mut self, ack: &Packet) -> Result<(), FabricError> {
        let now = self.events.now();
        let parameters = &self.scenario.parameters;
        let sender = &mut self.connections[ack.connection as usize].sender;
        let brought = sender.acknowledge(ack, now, parameters.packet_bytes as u16);
        let window = &mut sender.window;
        let mut is_calm = false;
        if let Some(round_trip) = brought.round_trip {
            window.round_trip(round_trip);
            let is_late = parameters.fast_increase().is_some_and(|from| now >= from);
            is_calm = is_late && round_trip - window.base_rtt < Parameters::LITTLE_QUEUEING;
            if round_trip as f64 > SLOW_ROUND_TRIP * window.base_rtt as f64 {
                sender.last_slow = Some(now);
            }
        }
        sender.window.acknowledged(brought.bytes, ack.is_marked(), is_calm);
        let ev = ack.ev().expect("an ACK has the EV of its packet");
        let say = Say {
            ev,
            is_marked: ack.is_marked(),
            received: ack.received & 0xff_ffff,
            sent_at: brought.sent_at.unwrap_or(now) / NANOSECOND,
            ..self.say(ack.connection)
        };
        self.connections[ack.connection as usize].sender.is_waiting = false;
        let engine = self.connections[ack.connection as usize].engine;
        self.engines[engine as usize].hear(Feedback::Ack, &say)?;
        while let Some(flow) = self.connections[ack.connection as usize].sender.complete() {
            self.complete(flow);
        }
        self.queue(ack.connection)
    }

    /// A NACK has come.
    fn refused(&mut self, nack: &Packet) -> Result<(), FabricError> {
        let sender = &mut self.connections[nack.connection as usize].sender;
        sender.lose(nack.psn);
        sender.is_waiting = false;
        let ev = nack.ev().expect("a NACK has the EV of its packet");
        let say = Say { ev, ..self.say(nack.connection) };
        let engine = self.connections[nack.connection as usize].engine;
        self.engines[engine as usize].hear(Feedback::Nack, &say)?;
        self.queue(nack.connection)
    }

    /// A timer has run out: packets whose time is over are held for lost.
    fn timer(&mut self, number: u32) -> Result<(), FabricError> {
        let now = self.events.now();
        let rto = self.rto;
        let may_freeze = match self.scenario.parameters.full {
            Full::Trim => true,
            Full::Drop => {
                let slow = self.connections[number as usize].sender.last_slow;
                slow.is_none_or(|at| now - at > 2 * rto)
            }
        };
        while let Some(psn) = self.connections[number as usize].sender.expired(now, rto) {
            self.connections[number as usize].sender.lose(psn);
            self.counters.expired += 1;
            if may_freeze {
                let connection = &self.connections[number as usize];
                let (ev, engine) = (connection.sender.ev(psn).unwrap_or(0), connection.engine);
                let say = Say { ev, ..self.say(number) };
                self.engines[engine as usize].hear(Feedback::Timeout, &say)?;
            }
        }
        let sender = &mut self.connections[number as usize].sender;
        sender.is_waiting = false;
        let next = sender.next_expiry(rto);
        sender.is_timed = next.is_some();
        if let Some((next, _)) = next {
            self.events.add_at(next, Event::plain(What::Timer, number));
        }
        self.queue(number)
    }

    /// A connection that may send waits for its turn at its NIC.
    #[inline]
    fn queue(&mut self, number: u32) -> Result<(), FabricError> {
        let connection = &mut self.connections[number as usize];
        if connection.sender.is_queued || !connection.sender.may_send() {
            return Ok(());
        }
        connection.sender.is_queued = true;
        let host = connection.source;
        self.hosts[host as usize].ready.push_back(number);
        if self.ports[host as usize].is_sending { Ok(()) } else { self.pump(host) }
    }

    /// A NIC that sends nothing takes the next packet.
    #[inline]
    fn pump(&mut self, host: u32) -> Result<(), FabricError> {
        let has_control = self.ports[host as usize].has_control();
        let has_data = self.turn(host);
        let port = &mut self.ports[host as usize];
        let takes_control = has_control && (!has_data || port.control_in_row < CONTROL_IN_ROW);
        if takes_control {
            port.control_in_row = if has_data { port.control_in_row + 1 } else { 0 };
            let packet = port.pop_control().expect("control waits");
            self.start(host, packet);
        } else if has_data {
            port.control_in_row = 0;
            let number = self.hosts[host as usize].ready.pop_front().expect("data waits");
            return self.send(host, number);
        }
        Ok(())
    }

    /// Whether a connection of a host may send; those in front that no longer may have left the queue.
    #[inline]
    fn turn(&mut self, host: u32) -> bool {
        while let Some(&number) = self.hosts[host as usize].ready.front() {
            let sender = &mut self.connections[number as usize].sender;
            if sender.may_send() {
                return true;
            }
            sender.is_queued = false;
            self.hosts[host as usize].ready.pop_front();
        }
        false
    }

    /// A connection whose turn it is sends one packet.
    #[inline]
    fn send(&mut self, host: u32, number: u32) -> Result<(), FabricError> {
        let now = self.events.now();
        let packet_bytes = self.scenario.parameters.packet_bytes as u16;
        let (bytes, is_repeated) = self.connections[number as usize].sender.next(packet_bytes);
        let say = Say { bytes, is_repeated, ..self.say(number) };
        let connection = &mut self.connections[number as usize];
        let engine = &mut self.engines[connection.engine as usize];
        if !std::mem::replace(&mut connection.is_begun, true) {
            engine.hear(Feedback::Init, &say)?;
        }
        let ticket = engine.send(&say)?;
        if self.asks_first && engine.ev(ticket)? == Answer::Wait {
            connection.sender.is_waiting = true;
            connection.sender.is_queued = false;
            return self.pump(host);
        }
        let sender = &mut connection.sender;
        let going = sender.send(now, packet_bytes);
        let asks_for_ack = !sender.window.is_open();
        if !sender.is_timed {
            sender.is_timed = true;
            self.events.add_at(now + self.rto, Event::plain(What::Timer, number));
        }
        match going.is_repeated {
            true => self.counters.retransmitted += 1,
            false => self.counters.new_packets += 1,
        }
        let connection = &mut self.connections[number as usize];
        let mut packet = Packet {
            connection: number,
            psn: going.psn,
            ev_or_ticket: ticket,
            bytes: going.bytes,
            ..Packet::default()
        };
        if asks_for_ack {
            packet.marks.set(Marks::ASKS_FOR_ACK);
        }
        if going.is_repeated {
            packet.marks.set(Marks::REPEATED);
        }
        let sender = &mut connection.sender;
        if sender.may_send() {
            self.hosts[host as usize].ready.push_back(number);
        } else {
            sender.is_queued = false;
        }
        self.start(host, packet);
        Ok(())
    }

    /// A flow begins.
    fn begin(&mut self, flow: u32) -> Result<(), FabricError> {
        let number = self.of_flow[flow as usize];
        let bytes = self.scenario.flows.flows[flow as usize].bytes;
        self.flows[flow as usize].began = Some(self.events.now());
        let payload = self.scenario.parameters.payload_bytes();
        let packets = bytes.div_ceil(payload);
        let last = bytes - (packets - 1) * payload + u64::from(self.scenario.parameters.header_bytes);
        self.connections[number as usize].sender.add(flow, packets as u32, last as u16);
        self.queue(number)
    }

    /// All of a flow has come.
    fn complete(&mut self, flow: u32) {
        let now = self.events.now();
        self.flows[flow as usize].ended = Some(now);
        self.left -= 1;
        for next in std::mem::take(&mut self.after[flow as usize]) {
            self.events.add_at(now, Event::plain(What::Begin, next));
        }
        if let Start::Queue(queue) = self.scenario.flows.flows[flow as usize].start {
            if let Some(next) = self.queues[queue as usize].pop_front() {
                self.events.add_at(now, Event::plain(What::Begin, next));
            }
        }
    }

    fn fault(&mut self, place: u32, holds: bool) {
        let (failure, ports) = &self.faults[place as usize];
        for &port in ports {
            self.ports[port as usize].set_fault(failure.fault, holds);
            if let Fault::Rate(share) = failure.fault {
                let share = if holds { share } else { 1.0 };
                let gbps = self.map.wires[port as usize].links.gbps;
                let parameters = &self.scenario.parameters;
                let speed = speed(parameters, gbps, share, &mut self.speeds, &mut self.events);
                self.ports[port as usize].speed = speed;
            }
        }
    }

    /// Whether a port is a switch's, not a host's.
    pub(crate) fn is_switch_port(&self, port: usize) -> bool {
        port >= self.map.topology.hosts as usize
    }

    fn differs(&self) -> bool {
        self.engines.iter().any(|engine| engine.difference().is_some())
    }

    /// What the run came to.
    fn finish(mut self, reproducer: Option<&PathBuf>, is_interrupted: bool) -> Result<Outcome, FabricError> {
        let mut counts = Counts::default();
        for engine in &mut self.engines {
            counts.add(&engine.finish()?);
        }
        let differing = self.engines.iter().find(|engine| engine.difference().is_some());
        if let (Some(engine), Some(path)) = (differing, reproducer) {
            engine.write_ops(path)?;
        }
        let difference = differing.and_then(|engine| engine.difference().cloned());
        let flows = self.scenario.flows.flows.iter().zip(&self.flows);
        let times = FlowTimes::of(flows.map(|(flow, progress)| {
            (flow.bytes, progress.began.zip(progress.ended).map(|(began, ended)| ended - began))
        }));
        let tors = self.map.switches.iter().filter(|switch| matches!(switch.place, Place::Tor { .. }));
        let loads = tors.map(|tor| {
            let ports = tor.up..tor.up + tor.ups;
            ports.map(|port| self.ports[port as usize].given_data).collect::<Vec<_>>()
        });
        let imbalances: Vec<f64> =
            loads.filter(|loads| loads.iter().any(|load| *load > 0)).map(|loads| imbalance(&loads)).collect();
        let down = self.faults.iter().filter(|(failure, _)| matches!(failure.fault, Fault::Down { .. }));
        let last_into_down = down
            .flat_map(|(failure, ports)| ports.iter().map(move |port| (failure.from, *port)))
            .filter_map(|(from, port)| self.ports[port as usize].last_into_down()?.checked_sub(from))
            .max();
        Ok(Outcome {
            times,
            counters: self.counters,
            engine: counts,
            imbalance: imbalances.iter().sum::<f64>() / imbalances.len().max(1) as f64,
            series: self.series,
            last_into_down,
            events: self.counted,
            event_hash: mix(self.hash ^ self.counted),
            end: self.events.now(),
            difference,
            is_interrupted,
        })
    }
}

/// The place of a port's speed among the speeds, where it may be new. Its times have lanes.
fn speed(
    parameters: &Parameters,
    gbps: f64,
    share: f64,
    speeds: &mut Vec<Speed>,
    events: &mut Events<Event>,
) -> u16 {
    let speed = Speed::new(parameters, gbps, share, |bytes, gbps| {
        let time = serialization(bytes.into(), gbps);
        let lane: Lane = events.lane(time);
        (time, lane)
    });
    let known = speeds.iter().position(|of| *of == speed);
    let place = known.unwrap_or_else(|| {
        speeds.push(speed);
        speeds.len() - 1
    });
    place.try_into().expect("a network has few speeds")
}

/// The way that a switch takes of so many.
#[inline]
pub fn choose(key: u64, ev: u64, salt: u64, ways: u32) -> u32 {
    let hash = mix(key ^ salt ^ ev << 17);
    (((hash >> 32) * u64::from(ways)) >> 32) as u32
}

/// The ports that are watched.
fn watched(scenario: &Scenario, map: &Map) -> Result<Option<Series>, FabricError> {
    let Some(name) = &scenario.watched else { return Ok(None) };
    let Some(switch) = map.switches.iter().find(|switch| switch.name == *name) else {
        let message = format!("there is no switch `{name}`");
        return Err(FabricError::Topology { name: "of the run".into(), message });
    };
    let ports = switch.up..switch.up + switch.ups;
    Ok(Some(Series::new(ports, scenario.parameters.bin_ns * NANOSECOND)))
}

/// The connections of a run.
fn connections(scenario: &Scenario) -> (Vec<Ends>, Vec<Connection>) {
    let Scenario { topology, parameters, .. } = scenario;
    let (packet, gbps) = (u64::from(parameters.packet_bytes), topology.host_links.gbps);
    let first = u64::from(parameters.first_window_packets) * packet;
    let mut numbers = HashMap::new();
    let all = scenario.pairs().into_iter().enumerate().map(|(place, (source, destination))| {
        let base_rtt = parameters.base_rtt(topology, topology.delays(source, destination));
        let key = |a: u32, b: u32| mix(mix(u64::from(a) << 32 | u64::from(b)) ^ place as u64);
        let keys = [key(source, destination), key(destination, source)];
        let engine = if scenario.engine_per_host { source } else { 0 };
        let number = numbers.entry(engine).or_insert(0);
        *number += 1;
        let connection = Connection {
            source,
            engine,
            number: *number - 1,
            tiers: topology.tiers_between(source, destination),
            sender: Sender::new(Window::new(first, packet, base_rtt, gbps)),
            is_begun: false,
        };
        (Ends { source, destination, keys }, connection)
    });
    all.unzip()
}
