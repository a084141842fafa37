//! One run as a line of JSON.

use std::collections::BTreeMap;
use std::path::Path;
use std::time::Duration;

use serde::{Deserialize, Serialize};

use crate::build::{self, VERSION};
use crate::engine::Kind;
use crate::error::FabricError;
use crate::metrics::{Counters, FlowTimes, Reordering, RoundTrips};
use crate::nic::load::Asked;
use crate::parameters::Parameters;
use crate::request::{Engines, Transport, Unit};
use crate::simulation::Outcome;
use crate::time::microseconds;

pub use crate::statistics::Spread;

/// What a simulation decides: equal runs have equal records, whatever machine they run on, but for `engine`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Record {
    /// What the run is called.
    pub name: String,
    /// The path selector as it was named.
    pub selector: String,
    pub engine: Kind,
    pub engines: Engines,
    #[serde(default)]
    pub transport: Transport,
    pub seed: u64,
    pub version: String,
    /// The hash of the Verilog in the loop without its comments; none where only the golden model was in it.
    pub verilog_hash: Option<String>,
    /// The same of the engines of the NIC's transport, by their names.
    #[serde(default)]
    pub transport_verilog_hashes: BTreeMap<String, String>,
    /// The hash of the sources of the simulated network and of the golden models.
    pub build_hash: String,
    pub topology: String,
    pub workload: String,
    /// Bytes of a message, where one was given.
    pub bytes: Option<u64>,
    pub fail: Vec<String>,
    pub set: Vec<String>,
    /// Connections of an engine.
    pub connections: u32,
    pub parameters: Parameters,
    /// The ports by which a driver sets the path selector, times in ns.
    #[serde(default)]
    pub ports: BTreeMap<String, u64>,
    /// The retransmission timeout and the longest round trip without queues that follow from them.
    pub rto_us: f64,
    pub base_rtt_us: f64,
    #[serde(flatten)]
    pub times: FlowTimes,
    /// Of the flows that were not complete, those that had not begun.
    #[serde(default)]
    pub not_begun: u64,
    #[serde(flatten)]
    pub counters: Counters,
    #[serde(flatten)]
    pub reordering: Reordering,
    #[serde(flatten)]
    pub round_trips: RoundTrips,
    /// From when the last packet went for the first time to the end: what is not the network's rate but its recovery.
    #[serde(default)]
    pub drain_us: f64,
    /// What the engines of the NIC's transport were asked for, the busiest of each kind over the hosts.
    #[serde(default)]
    pub asked: BTreeMap<String, Asked>,
    /// Sends by where their EV came from.
    pub explore: u64,
    pub recycle: u64,
    pub replay: u64,
    /// Sends that were told to wait, each time that they were.
    pub wait: u64,
    /// Ops of all engines.
    pub ops: u64,
    /// Ops of the engines of the NIC's transport: `sack_tx`, `sack_rx`, `strack_cc`.
    #[serde(default)]
    pub transport_ops: [u64; 3],
    /// How often each event port pulsed.
    pub engine_events: BTreeMap<String, u64>,
    /// Load imbalance of the ToRs' up-links: how much more than the mean the most loaded one has got.
    pub imbalance: f64,
    /// From a port's failure to the last data packet that it was given while it was down and whose EV was not drawn anew.
    pub last_into_down_us: Option<f64>,
    /// The same with those whose EV was drawn anew.
    #[serde(default)]
    pub last_data_into_down_us: Option<f64>,
    /// When the last flow was complete.
    pub end_us: f64,
    /// Events of the simulation, and one number of all of them in their order.
    pub events: u64,
    pub event_hash: String,
}

impl Record {
    pub(crate) fn new(unit: &Unit, outcome: &Outcome) -> Record {
        let (request, topology) = (&unit.request, &unit.scenario.topology);
        let [explore, recycle, replay, wait] = outcome.engine.sends;
        let events = &outcome.engine.events;
        Record {
            name: request.name.clone(),
            selector: unit.choice.clone(),
            engine: request.engine,
            engines: request.engines,
            transport: request.transport,
            seed: unit.scenario.seed,
            version: VERSION.into(),
            verilog_hash: unit.maker.verilog_hash(),
            transport_verilog_hashes: unit
                .scenario
                .nic
                .iter()
                .flat_map(|nic| nic.makers.verilog_hashes())
                .collect(),
            build_hash: build::hash().into(),
            topology: request.topology.clone(),
            workload: request.workload.clone(),
            bytes: request.bytes,
            fail: request.fail.clone(),
            set: request.set.clone(),
            connections: unit.config.connections,
            ports: unit.maker.ports().map(|(name, value)| (name.to_string(), value)).collect(),
            rto_us: microseconds(unit.scenario.parameters.rto(topology)),
            base_rtt_us: microseconds(unit.scenario.parameters.base_rtt(topology, topology.longest_delays())),
            parameters: unit.scenario.parameters.clone(),
            times: outcome.times,
            not_begun: outcome.not_begun,
            counters: outcome.counters,
            reordering: Reordering::of(&outcome.depths, outcome.deepest()),
            round_trips: RoundTrips::of(&outcome.round_trips),
            drain_us: microseconds(outcome.end.saturating_sub(outcome.last_new)),
            asked: outcome.asked.clone(),
            explore,
            recycle,
            replay,
            wait,
            ops: outcome.engine.ops,
            transport_ops: outcome.engine.transport_ops,
            engine_events: events.iter().map(|(port, count)| (port.to_string(), *count)).collect(),
            imbalance: outcome.imbalance,
            last_into_down_us: outcome.last_into_down.map(microseconds),
            last_data_into_down_us: outcome.last_data_into_down.map(microseconds),
            end_us: microseconds(outcome.end),
            events: outcome.events,
            event_hash: format!("{:016x}", outcome.event_hash),
        }
    }

    /// As one line.
    pub fn line(&self) -> String {
        serde_json::to_string(self).expect("a record is plain data, which JSON takes") + "\n"
    }

    /// Packets that did not come: trimmed, dropped or lost to a failure.
    pub fn lost(&self) -> u64 {
        self.counters.trimmed + self.counters.dropped + self.counters.lost_to_failure
    }

    /// The retransmission timeout and the longest base RTT, in us.
    pub fn rto_and_rtt_us(&self) -> f64 {
        self.rto_us + self.base_rtt_us
    }

    /// A sentence on flows that had not begun when the run ended, if there are any.
    pub fn left_out(&self) -> Option<String> {
        let Record { selector, seed, not_begun, end_us, .. } = self;
        (*not_begun > 0).then(|| {
            format!(
                "{selector} seed {seed}: {not_begun} flows had not begun when the run ended, at {end_us} us; a greater `fabric.end_ns` lets it go on"
            )
        })
    }

    /// A sentence on engines that are asked for more than they can do, if there are any.
    pub fn bottleneck(&self) -> Option<String> {
        let Record { selector, seed, .. } = self;
        let over = self.asked.iter().filter(|(_, asked)| asked.peak_share > 1.0);
        let said = over.map(|(engine, asked)| {
            let Asked { peak_mops, can_mops, late_ns, waiting, .. } = asked;
            format!(
                "{engine} is asked for {peak_mops:.1} M ops/s and can do {can_mops:.1} M, so that {waiting} ops wait and one is {late_ns:.0} ns late"
            )
        });
        let said: Vec<String> = said.collect();
        (!said.is_empty()).then(|| format!("{selector} seed {seed}: {}", said.join("; ")))
    }

    /// How often an event port of the engine pulsed.
    pub fn engine_event(&self, port: &str) -> u64 {
        self.engine_events.get(port).copied().unwrap_or(0)
    }
}

/// How a run went on this machine.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Ran {
    pub name: String,
    pub selector: String,
    pub seed: u64,
    pub seconds: f64,
    /// Clock edges of the Verilog.
    pub cycles: u64,
    /// Answers in which Verilog and golden model differed: a run stops at the first.
    pub mismatches: u64,
    /// The first difference in words.
    pub difference: Option<String>,
    /// A signal ended the run.
    pub is_interrupted: bool,
}

impl Ran {
    pub(crate) fn new(unit: &Unit, outcome: &Outcome, time: Duration) -> Ran {
        let difference = outcome.difference.as_ref();
        Ran {
            name: unit.request.name.clone(),
            selector: unit.choice.clone(),
            seed: unit.scenario.seed,
            seconds: time.as_secs_f64(),
            cycles: outcome.engine.edges,
            mismatches: difference.is_some().into(),
            difference: difference.map(|found| {
                let (choice, seed) = (&unit.choice, unit.scenario.seed);
                let kept =
                    outcome.reproducer.as_ref().map(|path| format!("; the ops are in {}", path.display()));
                format!("{choice} seed {seed}: {}{}", found.said(), kept.unwrap_or_default())
            }),
            is_interrupted: outcome.is_interrupted,
        }
    }
}

impl Unit {
    /// Runs it. Where the Verilog and the golden model differ, all ops go to a file in `folder`.
    ///
    /// # Errors
    /// As [`Scenario::run`] has them.
    pub fn run(
        &self,
        folder: &Path,
        heard: &mut dyn FnMut(usize, usize),
    ) -> Result<(Record, Ran, Outcome), FabricError> {
        let reproducer = crate::engine::reproducer(&self.maker.selector, folder);
        let begun = std::time::Instant::now();
        let outcome = self.scenario.run(&self.maker, Some(&reproducer), heard)?;
        let ran = Ran::new(self, &outcome, begun.elapsed());
        Ok((Record::new(self, &outcome), ran, outcome))
    }
}
