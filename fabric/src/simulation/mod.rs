//! One run: hosts that send over the fabric, an engine that gives each packet its EV, and what comes of it.

mod block;
mod build;
mod host;
mod network;
mod scenario;
mod whole;

use std::collections::{BTreeMap, VecDeque};
use std::path::PathBuf;

use rand::rngs::Xoshiro256PlusPlus;
use respray_files::output::claim;
use respray_golden::paths::hash::mix;

use crate::connection::{Receiver, Sender};
use crate::engine::{Counts, Difference, Engine};
use crate::error::FabricError;
use crate::events::Events;
use crate::failure::{Failure, Fault};
use crate::metrics::{Counters, FlowCounts, FlowRow, FlowTimes, Series, imbalance};
use crate::nic;
use crate::nic::load::{Asked, Costs, Load, PARTS, asked};
use crate::packet::Packet;
use crate::port::{Port, Speed};
use crate::time::{NANOSECOND, Picoseconds};
use crate::topology::{Map, Node, Place};

pub use network::choose;
pub use scenario::{Nic, Scenario};

/// What a run came to.
#[derive(Clone, Debug)]
pub struct Outcome {
    pub times: FlowTimes,
    pub flows: Vec<FlowRow>,
    pub counters: Counters,
    /// How many packets came with each reordering depth, from 0 on, for the first time; the last of [`DEPTHS`] holds
    /// what is deeper.
    ///
    /// [`DEPTHS`]: crate::metrics::DEPTHS
    pub depths: Vec<u64>,
    pub engine: Counts,
    /// What the engines of the NIC's transport were asked for, by their names.
    pub asked: BTreeMap<String, Asked>,
    /// Round trips of full packets that were sent once, in bins of [`RTT_BIN`]; the last one holds what is longer.
    ///
    /// [`RTT_BIN`]: crate::metrics::RTT_BIN
    pub round_trips: Vec<u64>,
    /// When the last packet went for the first time.
    pub last_new: Picoseconds,
    /// Load imbalance of the ToRs' up-links, in the mean of the ToRs that sent something upwards.
    pub imbalance: f64,
    pub series: Option<Series>,
    /// From a port's failure to the last data packet that it was given while it was down and whose EV was not drawn anew.
    pub last_into_down: Option<Picoseconds>,
    /// The same with those whose EV was drawn anew.
    pub last_data_into_down: Option<Picoseconds>,
    pub events: u64,
    /// One number of all events in their order.
    pub event_hash: u64,
    /// When the run ended.
    pub end: Picoseconds,
    /// Where the Verilog and the golden model differed.
    pub difference: Option<Difference>,
    /// Where all ops up to there are.
    pub reproducer: Option<PathBuf>,
    /// A signal ended the run.
    pub is_interrupted: bool,
    /// Flows that had not begun when it ended.
    pub not_begun: u64,
}

impl Outcome {
    /// The greatest reordering depth, in packets.
    pub fn deepest(&self) -> u32 {
        self.flows.iter().map(|flow| flow.counts.deepest).max().unwrap_or(0)
    }
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
    /// The walker of a NIC comes to a connection.
    Visit,
    /// The own timeout of a packet of a NIC may have passed.
    PacketTimer,
    /// The engine of a host has done the op of a packet that came, or is free again for those of packets to send.
    Done,
    Free,
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
    /// The sender in its place, where the transport is that of the NIC.
    pub(crate) nic: Option<Box<nic::Sender>>,
    /// Its engine has been told that it begins.
    is_begun: bool,
}

/// One flow under way or over.
#[derive(Clone, Copy, Debug, Default)]
struct Progress {
    began: Option<Picoseconds>,
    ended: Option<Picoseconds>,
    counts: FlowCounts,
}

/// A host's side of its NIC.
#[derive(Debug, Default)]
struct Host {
    /// Connections that wait for their turn.
    ready: VecDeque<u32>,
    /// Probes of the NIC that wait: connections, and the PSNs asked for.
    probes: VecDeque<(u32, u32)>,
    /// It waits for its engines until [`What::Free`].
    waits: bool,
}

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
    /// Engines of the transport of the NIC, as many.
    transports: Vec<nic::Engines>,
    /// What the engines of each host are asked for, and how long they take.
    loads: Vec<[Load; PARTS]>,
    costs: Option<Costs>,
    /// Of each connection, the transport's engines at its receiver, and its number there.
    receiving: Vec<(u32, u16)>,
    /// The golden blocks of the hosts, where they have them in the place of engines, and the frames that left them.
    blocks: Vec<nic::Block>,
    pub(crate) frames: nic::Frames,
    /// Trimmed packets that path selectors of blocks were told of.
    nacks_told: u64,
    /// How often what an engine of the transport said was not what the network knows.
    pub(crate) disagreements: u64,
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
    /// Packets that came for the first time, by their reordering depths.
    depths: Vec<u64>,
    /// Round trips of full packets that were sent once.
    round_trips: Vec<u64>,
    last_new: Picoseconds,
    /// Packets of data that a failure took.
    pub(crate) lost_data: u64,
    series: Option<Series>,
    hash: u64,
    counted: u64,
}

impl Simulation<'_> {
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
            What::Visit => self.visit(place),
            What::PacketTimer => self.packet_timer(place),
            What::Done => self.at_host_of_nic(place, packet),
            What::Free => self.free(place),
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

    /// Lets the run end here, for a watcher that has seen enough.
    pub fn give_up(&mut self) {
        self.left = 0;
    }

    /// Whether a port is a switch's, not a host's.
    pub(crate) fn is_switch_port(&self, port: usize) -> bool {
        port >= self.map.topology.hosts as usize
    }

    fn differs(&self) -> bool {
        let of_transport = |engines: &nic::Engines| engines.difference().is_some();
        self.engines.iter().any(|engine| engine.difference().is_some())
            || self.transports.iter().any(of_transport)
    }

    /// What the run came to.
    fn finish(mut self, reproducer: Option<&PathBuf>, is_interrupted: bool) -> Result<Outcome, FabricError> {
        let mut counts = Counts::default();
        for engine in &mut self.engines {
            counts.add(&engine.finish()?);
        }
        self.blocks.iter().for_each(|block| block.count(&mut counts));
        self.count_block_ops(&mut counts);
        for transport in &mut self.transports {
            transport.finish()?;
            counts.add_transport(transport.counts());
        }
        let differing = self.engines.iter().find(|engine| engine.difference().is_some());
        let mut written = None;
        if let (Some(engine), Some(path)) = (differing, reproducer) {
            // runs side by side, and those of before, keep theirs
            let path = claim(path)?;
            engine.write_ops(&path)?;
            written = Some(path);
        }
        let mut difference = differing.and_then(|engine| engine.difference().cloned());
        if difference.is_none()
            && let Some(transport) = self.transports.iter().find(|engines| engines.difference().is_some())
        {
            difference = transport.difference().cloned();
            if let Some(folder) = reproducer.and_then(|path| path.parent()).filter(|_| transport.keeps_ops())
            {
                let core = match &difference {
                    Some(Difference::Port { core, .. }) => core,
                    _ => unreachable!("an engine of the transport differs at a port"),
                };
                let path = claim(&crate::engine::reproducer(core, folder))?;
                transport.write_ops(&path)?;
                written = Some(path);
            }
        }
        let flows = self.scenario.flows.flows.iter().zip(&self.flows).map(|(flow, progress)| FlowRow {
            source: flow.source,
            destination: flow.destination,
            bytes: flow.bytes,
            began: progress.began,
            ended: progress.ended,
            counts: progress.counts,
        });
        let flows: Vec<FlowRow> = flows.collect();
        let tors = self.map.switches.iter().filter(|switch| matches!(switch.place, Place::Tor { .. }));
        let loads = tors.map(|tor| {
            let ports = tor.up..tor.up + tor.ups;
            ports.map(|port| self.ports[port as usize].given_data).collect::<Vec<_>>()
        });
        let imbalances: Vec<f64> =
            loads.filter(|loads| loads.iter().any(|load| *load > 0)).map(|loads| imbalance(&loads)).collect();
        if let Some(series) = &mut self.series {
            series.level();
        }
        let down = self.faults.iter().filter(|(failure, _)| matches!(failure.fault, Fault::Down { .. }));
        let into_down: Vec<(Picoseconds, &Port)> = down
            .flat_map(|(failure, ports)| ports.iter().map(move |port| (failure.from, *port)))
            .map(|(from, port)| (from, &self.ports[port as usize]))
            .collect();
        let last = |at: fn(&Port) -> Option<Picoseconds>| {
            into_down.iter().filter_map(|(from, port)| at(port)?.checked_sub(*from)).max()
        };
        let (last_into_down, last_data_into_down) =
            (last(Port::last_into_down), last(Port::last_data_into_down));
        Ok(Outcome {
            times: FlowTimes::of(&flows),
            flows,
            counters: self.counters,
            depths: self.depths,
            engine: counts,
            asked: asked(
                &self.loads,
                ["sack_tx", "sack_rx", "strack_cc", "selector"],
                self.scenario.parameters.bin_ns * NANOSECOND,
            ),
            round_trips: self.round_trips,
            last_new: self.last_new,
            imbalance: imbalances.iter().sum::<f64>() / imbalances.len().max(1) as f64,
            series: self.series,
            last_into_down,
            last_data_into_down,
            events: self.counted,
            event_hash: mix(self.hash ^ self.counted),
            end: self.events.now(),
            difference,
            reproducer: written,
            is_interrupted,
            not_begun: self.flows.iter().filter(|flow| flow.began.is_none()).count() as u64,
        })
    }
}
