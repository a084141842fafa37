//! What a run is made of, and the loop that runs it.

use std::collections::{HashMap, HashSet};
use std::path::PathBuf;

use respray_cosim::interrupt;

use super::{Outcome, Simulation, Watcher};
use crate::engine::Maker;
use crate::error::FabricError;
use crate::failure::Failure;
use crate::nic::{BlockMaker, Makers, Settings};
use crate::parameters::Parameters;
use crate::time::{NANOSECOND, Picoseconds, serialization};
use crate::topology::Topology;
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
    /// The transport of the NIC; none: the ideal one.
    pub nic: Option<Nic>,
    /// Ports that are watched over time, by their names, or by those of switches.
    pub watched: Vec<String>,
}

/// The transport of the NIC: its registers, and how its engines are made.
#[derive(Clone, Debug)]
pub struct Nic {
    pub settings: Settings,
    pub makers: Makers,
    /// Each host has the golden block in the place of the engines.
    pub block: Option<BlockMaker>,
}

/// Most answers of an engine that are kept, of four bytes each.
const MOST_UNANSWERED: u64 = 1 << 26;

/// Events between two looks at signals and the progress bar.
const TELL_EVENTS: u64 = 1 << 16;

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
        let (all, end) = (self.flows.flows.len(), self.end());
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
            if simulation.events.now() > end {
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
    pub(super) fn pairs(&self) -> Vec<(u32, u32)> {
        let mut seen = HashMap::new();
        let pairs = self.flows.flows.iter().map(|flow| (flow.source, flow.destination));
        pairs.filter(|pair| seen.insert(*pair, ()).is_none()).collect()
    }

    /// Connections that an engine must have. `at_receivers`: there are engines at receivers, too.
    ///
    /// # Errors
    /// [`FabricError::Connections`] where there are more than the largest has.
    pub fn engine_connections(&self, at_receivers: bool) -> Result<u32, FabricError> {
        let most = self.numbers(at_receivers).into_iter().max();
        Maker::connections_for(most.map_or(0, |most| most as usize + 1))
    }

    /// The number of each pair of hosts in its engines. Where each host has its own, and there are some at receivers,
    /// it is the lowest one that is free at both ends: in the block a connection has one number for both ways.
    pub(super) fn numbers(&self, at_receivers: bool) -> Vec<u32> {
        let pairs = self.pairs();
        if !self.engine_per_host {
            return (0..pairs.len() as u32).collect();
        }
        let mut taken = HashSet::new();
        let free = |(source, destination): &(u32, u32)| {
            let is_taken = |number: u32| {
                taken.contains(&(*source, number)) || at_receivers && taken.contains(&(*destination, number))
            };
            let number = (0..).find(|number| !is_taken(*number)).expect("there are enough numbers");
            taken.extend([(*source, number)]);
            taken.extend(at_receivers.then_some((*destination, number)));
            number
        };
        pairs.iter().map(free).collect()
    }

    /// When it ends, whatever is unfinished.
    pub fn end(&self) -> Picoseconds {
        let starts = self.flows.flows.iter().map(|flow| match flow.start {
            Start::At(time) => time,
            Start::After(_) | Start::Queue(_) => 0,
        });
        starts.max().unwrap_or(0) + self.parameters.end_ns * NANOSECOND
    }

    /// Most packets of an engine's hosts that can be on their first links at once: full ones, and the last one of each message, as often as it
    /// is sent again while its first copy is on the link.
    ///
    /// # Errors
    /// [`FabricError::Unanswered`] where they are more than answers can be kept for.
    pub fn unanswered(&self) -> Result<usize, FabricError> {
        let (links, parameters) = (self.topology.host_links, &self.parameters);
        let payload = parameters.payload_bytes();
        let on_link = |payload: u64| {
            let bytes = payload + u64::from(parameters.header_bytes);
            links.delay() / serialization(bytes, links.gbps).max(1) + 2
        };
        let copies = links.delay() / parameters.rto(&self.topology) + 2;
        let (mut messages, mut shortest) = (HashMap::new(), payload);
        for flow in &self.flows.flows {
            *messages.entry(flow.source).or_insert(0) += copies;
            shortest = shortest.min((flow.bytes - 1) % payload + 1);
        }
        let last_ones = messages.into_values().max().unwrap_or(0);
        let of_host = (on_link(payload) + last_ones).min(on_link(shortest));
        let hosts = if self.engine_per_host { 1 } else { u64::from(self.topology.hosts) };
        // a NIC sends a probe of a connection at most once in a round trip
        let probes = if self.nic.is_some() { self.pairs().len() as u64 } else { 0 };
        let (packets, most) = (of_host * hosts + probes, MOST_UNANSWERED);
        if packets > most { Err(FabricError::Unanswered { packets, most }) } else { Ok(packets as usize) }
    }

    /// The seed of the engines of a host, where each has its own.
    pub(super) fn seed_of(&self, host: u32) -> u16 {
        self.seed.wrapping_add(host.into()) as u16
    }

    /// About so many ops will be given to all engines.
    pub fn about_ops(&self) -> u64 {
        let payload = self.parameters.payload_bytes();
        self.flows.flows.iter().map(|flow| 2 * flow.bytes.div_ceil(payload)).sum()
    }
}
