//! What a user asks for: a scenario, path selectors and seeds. A plan is all of it checked, so that nothing long starts on bad input.

use std::path::PathBuf;

use respray_files::quote::Quoted;
use respray_hdl::config::{Config, ConfigError};
use serde::{Deserialize, Serialize};

use crate::engine::{Kind, Maker, selectors};
use crate::error::FabricError;
use crate::failure::{Failure, check_apart};
use crate::parameters::Parameters;
use crate::simulation::Scenario;
use crate::topology::{Map, Topology};
use crate::workload::{Permutations, Workload};

/// Whether all senders share one engine.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Engines {
    /// One engine for all.
    #[default]
    Shared,
    /// Each host has its own, as a NIC does.
    Host,
}

/// One scenario with its path selectors and seeds.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Request {
    /// What the runs are called.
    pub name: String,
    /// A named topology or a TOML file.
    pub topology: String,
    /// A workload or a CSV file.
    pub workload: String,
    /// Bytes of a message; none: what the workload usually has.
    pub bytes: Option<u64>,
    /// A file of permutations by seed.
    pub permutations: Option<PathBuf>,
    /// Failures.
    pub fail: Vec<String>,
    /// A file of the configuration.
    pub config: Option<PathBuf>,
    /// `KEY=VALUE`: keys of the configuration, and `fabric.KEY` of the parameters.
    pub set: Vec<String>,
    /// Path selectors: names, `reps:uet` and `reps:paper`, and `adaptive`.
    pub selectors: Vec<String>,
    /// How many seeds, and the first of them.
    pub seeds: u64,
    pub seed: u64,
    pub engine: Kind,
    pub engines: Engines,
    /// The switch whose ports upwards are watched over time.
    pub watch: Option<String>,
}

impl Default for Request {
    fn default() -> Request {
        Request {
            name: "run".into(),
            topology: "t128x2".into(),
            workload: "tornado:8".into(),
            bytes: None,
            permutations: None,
            fail: Vec::new(),
            config: None,
            set: Vec::new(),
            selectors: vec!["reps".into(), "ops".into(), "ecmp".into()],
            seeds: 1,
            seed: 1,
            engine: Kind::Rtl,
            engines: Engines::Shared,
            watch: None,
        }
    }
}

/// The path selector whose algorithm is the switches' own: each takes the up-link with the shortest queue.
pub const ADAPTIVE: &str = "adaptive";

/// Largest number of seeds.
const MOST_SEEDS: u64 = 1000;

/// A path selector as a user names it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Choice {
    /// As it was named.
    pub name: String,
    /// The core.
    core: String,
    /// The value of `reps.variant`.
    variant: Option<String>,
}

impl Choice {
    /// # Errors
    /// [`FabricError::Selector`].
    pub fn parse(name: &str) -> Result<Choice, FabricError> {
        let (core, variant) = match name.split_once(':') {
            Some(("reps", variant @ ("paper" | "uet"))) => ("reps", Some(variant.to_string())),
            _ if name == ADAPTIVE => ("ecmp", None),
            _ if selectors().contains(&name) => (name, None),
            _ => {
                return Err(FabricError::Selector {
                    name: Quoted(name).to_string(),
                    allowed: format!("{}, reps:paper, reps:uet, {ADAPTIVE}", selectors().join(", ")),
                });
            }
        };
        Ok(Choice { name: name.to_string(), core: core.to_string(), variant })
    }
}

/// One run, checked.
#[derive(Clone, Debug)]
pub struct Unit {
    pub request: Request,
    pub choice: String,
    pub scenario: Scenario,
    pub maker: Maker,
    pub config: Config,
}

impl Request {
    /// What `set` says of the configuration, and the parameters with what it says of them.
    fn sets(&self, base: Parameters) -> Result<(Vec<String>, Parameters), FabricError> {
        let (mut own, mut parameters) = (Vec::new(), base);
        for set in &self.set {
            match set.strip_prefix("fabric.") {
                None => own.push(set.clone()),
                Some(set) => {
                    let (key, value) = set.split_once('=').unwrap_or((set, ""));
                    parameters = parameters.set(key.trim(), value.trim())?;
                }
            }
        }
        Ok((own, parameters))
    }

    /// All runs, in the order of selectors and seeds, each checked.
    ///
    /// # Errors
    /// [`PlanError`] for the first thing that cannot be.
    pub fn plan(&self) -> Result<Vec<Unit>, PlanError> {
        let topology = Topology::load(&self.topology)?;
        let base = if self.topology.starts_with("fpga") { Parameters::fpga() } else { Parameters::default() };
        let (sets, parameters) = self.sets(base)?;
        parameters.check(&topology)?;
        Config::load(self.config.as_deref(), &sets)?;
        if !(1..=MOST_SEEDS).contains(&self.seeds) {
            let value = self.seeds.to_string();
            let allowed = format!("1 to {MOST_SEEDS}");
            return Err(FabricError::Value { what: "number of seeds", value, allowed }.into());
        }
        if let Some(0) = self.bytes {
            let allowed = "1 or more".to_string();
            return Err(FabricError::Value { what: "size of a message", value: "0".into(), allowed }.into());
        }
        let workload = Workload::parse(&self.workload)?;
        let bytes = self.bytes.unwrap_or(workload.usual_bytes());
        let permutations = self.permutations.as_deref().map(Permutations::read).transpose()?;
        let failures = self.fail.iter().map(|text| Failure::parse(text)).collect::<Result<Vec<_>, _>>()?;
        self.check_failures(&topology, &failures)?;
        let choices = self.selectors.iter().map(|name| Choice::parse(name)).collect::<Result<Vec<_>, _>>()?;
        let mut units = Vec::new();
        for choice in &choices {
            for seed in self.seed..self.seed + self.seeds {
                let permutation =
                    permutations.as_ref().map(|all| all.of(topology.hosts, seed)).transpose()?;
                let flows = workload.flows(&topology, bytes, seed, permutation)?;
                let scenario = Scenario {
                    topology: topology.clone(),
                    parameters: Parameters { adaptive: choice.name == ADAPTIVE, ..parameters.clone() },
                    flows,
                    failures: failures.clone(),
                    seed,
                    engine_per_host: self.engines == Engines::Host,
                    watched: self.watch.clone(),
                };
                let variant = choice.variant.iter().map(|variant| format!("reps.variant={variant}"));
                let sets: Vec<String> = sets.iter().cloned().chain(variant).collect();
                let mut config = Config::load(self.config.as_deref(), &sets)?;
                // of a time in ns that 16 bits hold, some round trips are longer
                config.flowcut.time_bits = 24;
                config.connections = config.connections.max(scenario.engine_connections()?);
                let settings = [
                    ("freeze_timeout", u64::from(parameters.freeze_timeout_ns)),
                    ("bdp_packets", parameters.bdp_packets(&topology)),
                    // an ACK whose packet is forgotten says nothing of a round trip
                    ("rtt_floor", 1),
                    ("ratio", parameters.flowcut_ratio.into()),
                ];
                let maker = Maker::new(&choice.core, self.engine, &config, &settings, scenario.unanswered())?;
                let (request, choice) = (self.clone(), choice.name.clone());
                units.push(Unit { request, choice, scenario, maker, config });
            }
        }
        Ok(units)
    }

    /// Names of failures and of the watched switch, and that failures do not meet.
    fn check_failures(&self, topology: &Topology, failures: &[Failure]) -> Result<(), FabricError> {
        let map = Map::new(topology);
        let placed = failures
            .iter()
            .map(|failure| Ok((failure.clone(), failure.ports(&map, self.seed)?)))
            .collect::<Result<Vec<_>, FabricError>>()?;
        check_apart(&placed)?;
        match &self.watch {
            Some(name) if map.switches.iter().all(|switch| switch.name != *name) => {
                let allowed = "a switch such as tor0".into();
                Err(FabricError::Value { what: "switch to watch", value: Quoted(name).to_string(), allowed })
            }
            _ => Ok(()),
        }
    }
}

/// Why there is no plan. Its text is the whole sentence for the user.
#[derive(Debug, thiserror::Error)]
pub enum PlanError {
    #[error(transparent)]
    Fabric(#[from] FabricError),
    #[error(transparent)]
    Config(#[from] ConfigError),
}

impl Unit {
    /// What tells this run from the others of a suite.
    pub fn key(&self) -> String {
        format!("{} {} {}", self.request.name, self.choice, self.scenario.seed)
    }

    /// Flows that it has.
    pub fn flows(&self) -> usize {
        self.scenario.flows.flows.len()
    }
}
