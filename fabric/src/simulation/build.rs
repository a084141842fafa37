//! A run before its first event.

use std::collections::{HashMap, VecDeque};

use rand::rngs::Xoshiro256PlusPlus;
use rand::{Rng, SeedableRng};
use respray_golden::paths::hash::mix;

use super::{Connection, Ends, Event, Host, Progress, Scenario, Simulation, What};
use crate::connection::{Receiver, Sender};
use crate::engine::Maker;
use crate::error::FabricError;
use crate::events::{Events, Lane};
use crate::metrics::{Counters, Series, WatchedPort};
use crate::nic::{self, Block, Frames};
use crate::parameters::Parameters;
use crate::port::{Port, Speed};
use crate::time::{NANOSECOND, serialization};
use crate::topology::Map;
use crate::window::Window;
use crate::workload::Start;

impl<'a> Simulation<'a> {
    pub(super) fn new(scenario: &'a Scenario, maker: &Maker) -> Result<Self, FabricError> {
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
        let numbers = scenario.numbers(scenario.nic.is_some());
        let (ends, connections) = connections(scenario, &numbers);
        let places: HashMap<(u32, u32), u32> =
            ends.iter().zip(0..).map(|(ends, place)| ((ends.source, ends.destination), place)).collect();
        let blocks: Vec<Block> = match scenario.nic.as_ref().and_then(|nic| Some((nic, nic.block.as_ref()?)))
        {
            Some((nic, maker)) => (0..topology.hosts)
                .map(|host| maker.make(&nic.settings, host, scenario.seed_of(host)))
                .collect(),
            None => Vec::new(),
        };
        let engines = match scenario.engine_per_host {
            _ if !blocks.is_empty() => Vec::new(),
            false => vec![maker.make(scenario.seed as u16, scenario.about_ops())?],
            true => (0..topology.hosts)
                .map(|host| {
                    maker.make(scenario.seed_of(host), scenario.about_ops() / u64::from(topology.hosts))
                })
                .collect::<Result<_, _>>()?,
        };
        let flows = &scenario.flows.flows;
        let transports = match &scenario.nic {
            Some(nic) if blocks.is_empty() => {
                let ops = scenario.about_ops() / engines.len() as u64;
                engines.iter().map(|_| nic.makers.make(ops)).collect::<Result<_, _>>()?
            }
            _ => Vec::new(),
        };
        let mut simulation = Simulation {
            salts,
            events,
            ports,
            to: map.wires.iter().map(|wire| wire.to).collect(),
            speeds,
            receivers: ends.iter().map(|_| Receiver::default()).collect(),
            receiving: receiving(scenario, &ends, &numbers),
            blocks,
            frames: Frames::default(),
            nacks_told: 0,
            ends,
            connections,
            hosts: (0..topology.hosts).map(|_| Host::default()).collect(),
            engines,
            loads: scenario.nic.iter().flat_map(|_| 0..topology.hosts).map(|_| Default::default()).collect(),
            costs: scenario.nic.as_ref().map(|nic| nic.makers.costs(maker, nic.settings.clock.khz)),
            transports,
            disagreements: 0,
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
            depths: Vec::new(),
            round_trips: Vec::new(),
            last_new: 0,
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
}

/// The place of a port's speed among the speeds, where it may be new. Its times have lanes.
pub(super) fn speed(
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

/// The ports that are watched.
fn watched(scenario: &Scenario, map: &Map) -> Result<Option<Series>, FabricError> {
    let mut ports = Vec::new();
    for name in &scenario.watched {
        for port in map.watched(name)? {
            if !ports.contains(&port) {
                ports.push(port);
            }
        }
    }
    let named = ports.into_iter().map(|port| {
        let wire = &map.wires[port as usize];
        WatchedPort { port, name: wire.name.clone(), gbps: wire.links.gbps }
    });
    let series = Series::new(named.collect(), scenario.parameters.bin_ns * NANOSECOND);
    Ok((!scenario.watched.is_empty()).then_some(series))
}

/// Of each connection, the engines at its receiver, and its number there.
fn receiving(scenario: &Scenario, ends: &[Ends], numbers: &[u32]) -> Vec<(u32, u16)> {
    let engine = |ends: &Ends| if scenario.engine_per_host { ends.destination } else { 0 };
    ends.iter().zip(numbers).map(|(ends, number)| (engine(ends), *number as u16)).collect()
}

/// The connections of a run.
fn connections(scenario: &Scenario, numbers: &[u32]) -> (Vec<Ends>, Vec<Connection>) {
    let Scenario { topology, parameters, .. } = scenario;
    let (packet, gbps) = (u64::from(parameters.packet_bytes), topology.host_links.gbps);
    let first = u64::from(parameters.first_window_packets) * packet;
    let all = scenario.pairs().into_iter().enumerate().map(|(place, (source, destination))| {
        let base_rtt = parameters.base_rtt(topology, topology.delays(source, destination));
        let key = |a: u32, b: u32| mix(mix(u64::from(a) << 32 | u64::from(b)) ^ place as u64);
        let keys = [key(source, destination), key(destination, source)];
        let engine = if scenario.engine_per_host { source } else { 0 };
        let connection = Connection {
            source,
            engine,
            number: numbers[place] as u16,
            tiers: topology.tiers_between(source, destination),
            sender: Sender::new(Window::new(first, packet, base_rtt, gbps)),
            nic: scenario.nic.as_ref().map(|nic| {
                Box::new(nic::Sender::new(Window::new(first, packet, base_rtt, gbps), &nic.settings))
            }),
            is_begun: false,
        };
        (Ends { source, destination, keys }, connection)
    });
    all.unzip()
}
