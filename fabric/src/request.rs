//! What a user asks for: a scenario, path selectors and seeds. A plan is all of it checked, so that nothing long starts on bad input.

use std::path::PathBuf;

use respray_files::entry::key;
use respray_files::quote::Quoted;
use respray_files::range::Whole;
use respray_hdl::config::{Config, ConfigError};
use serde::{Deserialize, Serialize};

use crate::build::{self, VERSION};
use crate::driver_port::{Port, usual_ports};
use crate::engine::{Kind, Maker, selectors};
use crate::error::FabricError;
use crate::failure::{Failure, MOST as MOST_FAILURES, check_apart};
use crate::nic::{self, BlockMaker, Makers};
use crate::parameters::{PARAMETERS, Parameters, WindowOf};
use crate::permutations::Permutations;
use crate::simulation::{Nic, Scenario};
use crate::text::{self, Number};
use crate::topology::{Map, Topology};
use crate::workload::{BYTES, Workload};

/// Whether all senders share one engine.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Engines {
    /// One engine for all.
    #[default]
    Shared,
    /// Each host has its own, as a NIC does.
    Host,
    /// Each host has the golden block `nic` whole in their place: its frames, its registers, its events.
    Block,
}

/// How hosts send packets again, and when.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Transport {
    /// As the paper's simulator does: each packet has its timeout, and trimmed ones are answered.
    #[default]
    Ideal,
    /// As the block does: `sack_rx`, `sack_tx`, its windows and its timers.
    Nic,
}

/// One scenario with its path selectors and seeds.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Request {
    /// What the runs are called.
    pub name: String,
    /// Where the files below are sought: the folder of the suite, or nothing for the folder of the process.
    #[serde(skip)]
    pub folder: PathBuf,
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
    /// `KEY=VALUE`: keys of the configuration, `fabric.KEY` of the parameters, and `port.NAME` of the ports by which a
    /// driver sets a path selector, times in ns.
    pub set: Vec<String>,
    /// Path selectors: names, `reps:uet` and `reps:paper`, and `adaptive`; behind `=` may stand a file with Verilog
    /// that runs in the place of the selector's own, as in `reps=mine.v`.
    pub selectors: Vec<String>,
    /// How many seeds, and the first of them.
    pub seeds: u64,
    pub seed: u64,
    pub engine: Kind,
    pub engines: Engines,
    pub transport: Transport,
    /// Ports that are watched over time: `tor0.up1`, or `tor0` for all of its ports upwards.
    pub watch: Vec<String>,
}

impl Default for Request {
    fn default() -> Request {
        Request {
            name: "run".into(),
            folder: PathBuf::new(),
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
            transport: Transport::Ideal,
            watch: Vec::new(),
        }
    }
}

/// Hexadecimal digits of the hash of a run.
const DIGITS: usize = 16;

/// The path selector whose algorithm is the switches' own: each takes the up-link with the shortest queue.
pub const ADAPTIVE: &str = "adaptive";

/// How many seeds, and the first of them: an engine's seed has 16 bits.
pub const SEEDS: Whole = Whole::new(1, 1000);
pub const FIRST_SEED: Whole = Whole::new(0, 60_000);

/// The numbers of a request, as a suite names them, and what each may be.
pub const NUMBERS: [(&str, Number); 3] =
    [("bytes", Number::Whole(BYTES)), ("seeds", Number::Whole(SEEDS)), ("seed", Number::Whole(FIRST_SEED))];

/// A path selector as a user names it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Choice {
    /// As it was named.
    pub name: String,
    /// The core.
    core: String,
    /// The value of `reps.variant`.
    variant: Option<String>,
    /// Verilog that runs in the place of the core's own.
    verilog: Option<PathBuf>,
}

/// What a path selector may be, for sentences.
pub fn selector_form() -> String {
    format!(
        "{}, reps:paper, reps:uet, {ADAPTIVE}; NAME=FILE.v runs that Verilog, which has the ports of NAME",
        selectors().join(", ")
    )
}

impl Choice {
    /// The core.
    pub fn core(&self) -> &str {
        &self.core
    }

    /// # Errors
    /// [`FabricError::Selector`].
    pub fn parse(name: &str) -> Result<Choice, FabricError> {
        let (of, verilog) = match name.split_once('=') {
            Some((of, file)) => (of, Some(PathBuf::from(file))),
            None => (name, None),
        };
        let (core, variant) = match of.split_once(':') {
            Some(("reps", variant @ ("paper" | "uet"))) => ("reps", Some(variant.to_string())),
            // its switches choose, so that no Verilog is heeded
            _ if of == ADAPTIVE && verilog.is_none() => ("ecmp", None),
            _ if selectors().contains(&of) => (of, None),
            _ => {
                let (name, allowed) = (Quoted(name).to_string(), selector_form());
                return Err(FabricError::Selector { name, allowed });
            }
        };
        Ok(Choice { name: name.to_string(), core: core.to_string(), variant, verilog })
    }
}

/// Refuses a parameter that the ideal transport does not heed.
fn check_ideal(set: &str) -> Result<(), FabricError> {
    let Some((key, value)) = set.strip_prefix("fabric.").and_then(|set| set.split_once('=')) else {
        return Ok(());
    };
    if PARAMETERS.iter().any(|parameter| parameter.name == key.trim() && parameter.is_of_nic()) {
        let (key, value, allowed) = (key.trim().into(), value.trim().into(), "with the transport nic".into());
        return Err(FabricError::Parameter { key, value, allowed });
    }
    Ok(())
}

/// What the settings of a request say.
struct Sets {
    /// Of the configuration.
    own: Vec<String>,
    parameters: Parameters,
    ports: Vec<Port>,
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
    /// What `set` says of the configuration, the parameters with what it says of them, and ports of the selectors.
    fn sets(&self, base: Parameters) -> Result<Sets, FabricError> {
        let mut sets = Sets { own: Vec::new(), parameters: base, ports: Vec::new() };
        let halves = |set: &str| {
            let (key, value) = set.split_once('=').unwrap_or((set, ""));
            (key.trim().to_string(), value.trim().to_string())
        };
        for set in &self.set {
            if let Some(set) = set.strip_prefix("fabric.") {
                let (key, value) = halves(set);
                sets.parameters = sets.parameters.set(&key, &value)?;
            } else if let Some(set) = set.strip_prefix("port.") {
                let (name, value) = halves(set);
                sets.ports.push(Port::parse(&name, &value)?);
            } else {
                sets.own.push(set.clone());
            }
        }
        Ok(sets)
    }

    /// All runs, in the order of selectors and seeds, each checked.
    ///
    /// # Errors
    /// [`PlanError`] for the first thing that cannot be.
    pub fn plan(&self) -> Result<Vec<Unit>, PlanError> {
        let topology = Topology::load(&self.topology, &self.folder)?;
        let base = if self.topology.starts_with("fpga") { Parameters::fpga() } else { Parameters::default() };
        let Sets { own: sets, parameters, ports } = self.sets(base)?;
        if self.transport == Transport::Ideal {
            self.set.iter().try_for_each(|set| check_ideal(set))?;
        }
        parameters.check(&topology)?;
        let config = self.config.as_ref().map(|config| self.folder.join(config));
        Config::load(config.as_deref(), &sets)?;
        for (what, allowed, value) in [
            ("number of seeds", SEEDS, self.seeds),
            ("first seed", FIRST_SEED, self.seed),
            ("size of a message", BYTES, self.bytes.unwrap_or(BYTES.least)),
        ] {
            if !allowed.contains(value) {
                let (value, allowed) = (value.to_string(), allowed.to_string());
                return Err(FabricError::Value { what, value, allowed }.into());
            }
        }
        let nic = match self.transport {
            Transport::Ideal => None,
            Transport::Nic => {
                let config = Config::load(config.as_deref(), &sets)?;
                Some(nic::Settings::new(&parameters, &config, &topology)?)
            }
        };
        if self.engines == Engines::Block {
            let config = Config::load(config.as_deref(), &sets)?;
            let is_nic = self.transport == Transport::Nic;
            nic::check_block(is_nic, self.engine, &parameters, &config, &topology)?;
        }
        let workload = Workload::parse(&self.workload, &self.folder)?;
        self.check_heeded(&workload)?;
        let bytes = self.bytes.unwrap_or(workload.usual_bytes());
        let permutations = self.permutations.as_ref().map(|file| Permutations::read(&self.folder.join(file)));
        let permutations = permutations.transpose()?;
        if self.fail.len() > MOST_FAILURES {
            let (value, allowed) = (self.fail.len().to_string(), format!("0 to {MOST_FAILURES}"));
            return Err(FabricError::Value { what: "number of failures", value, allowed }.into());
        }
        let failures = self.fail.iter().map(|text| Failure::parse(text)).collect::<Result<Vec<_>, _>>()?;
        self.check_failures(&topology, &failures)?;
        let choices = self.selectors.iter().map(|name| Choice::parse(name)).collect::<Result<Vec<_>, _>>()?;
        ports.iter().try_for_each(|port| port.check(choices.iter().map(Choice::core)))?;
        if self.engine == Kind::Golden
            && let Some(choice) = choices.iter().find(|choice| choice.verilog.is_some())
        {
            let name = Quoted(&choice.name).to_string();
            let allowed =
                "the engine rtl or both with a file of Verilog, as the engine golden runs none".into();
            return Err(FabricError::Selector { name, allowed }.into());
        }
        let mut units = Vec::new();
        for choice in &choices {
            let variant = choice.variant.iter().map(|variant| format!("reps.variant={variant}"));
            let sets: Vec<String> = sets.iter().cloned().chain(variant).collect();
            let chosen = Config::load(config.as_deref(), &sets)?;
            let verilog = choice.verilog.as_ref().map(|file| text::verilog(&self.folder.join(file)));
            let verilog = verilog.transpose()?;
            for seed in self.seed..self.seed + self.seeds {
                let permutation =
                    permutations.as_ref().map(|all| all.of(topology.hosts, seed)).transpose()?;
                let flows = workload.flows(&topology, bytes, seed, permutation)?;
                workload.check_packets(&flows, parameters.payload_bytes())?;
                let mut scenario = Scenario {
                    topology: topology.clone(),
                    parameters: Parameters { adaptive: choice.name == ADAPTIVE, ..parameters.clone() },
                    flows,
                    failures: failures.clone(),
                    seed,
                    engine_per_host: self.engines != Engines::Shared,
                    // its engines are made below, when the connections are counted
                    nic: None,
                    watched: self.watch.clone(),
                };
                if !self.watch.is_empty() {
                    parameters.check_series(scenario.end())?;
                }
                let mut config = chosen.clone();
                // of a time in ns that 16 bits hold, some round trips are longer
                config.flowcut.time_bits = 24;
                let connections = scenario.engine_connections(self.transport == Transport::Nic)?;
                if self.engines == Engines::Block && connections > config.connections {
                    let (value, allowed) = (config.connections.to_string(), connections.to_string());
                    let what = "`connections` of a block that all flows of a host share";
                    return Err(
                        FabricError::Value { what, value, allowed: format!("{allowed} or more") }.into()
                    );
                }
                config.connections = config.connections.max(connections);
                if let Some(settings) = &nic {
                    let known = units.last().filter(|unit: &&Unit| unit.config == config);
                    let known = known.and_then(|unit| Some(unit.scenario.nic.as_ref()?.makers.clone()));
                    let makers = match known {
                        Some(makers) => makers,
                        None => Makers::new(self.engine, &config, settings.window == WindowOf::Strack)?,
                    };
                    scenario.nic = Some(Nic { settings: settings.clone(), makers, block: None });
                }
                let mut settings = usual_ports(&parameters, &topology);
                settings.retain(|(name, _)| ports.iter().all(|port| port.name != *name));
                settings.extend(ports.iter().map(|port| (port.name, port.value)));
                let kept = scenario.unanswered()?;
                // seeds of one selector mostly have one engine
                let known =
                    units.last().filter(|unit: &&Unit| unit.choice == choice.name && unit.config == config);
                let maker = match known {
                    Some(unit) => Maker { kept, ..unit.maker.clone() },
                    None => {
                        let maker = Maker::new(&choice.core, self.engine, &config, &settings, kept)?;
                        match (&choice.verilog, &verilog) {
                            (Some(file), Some(verilog)) => {
                                maker.with_verilog(&self.folder.join(file), verilog)
                            }
                            _ => maker,
                        }
                    }
                };
                if self.engines == Engines::Block {
                    let block = BlockMaker::new(&parameters, &config, &maker)?;
                    scenario.nic.as_mut().expect("it has the transport nic").block = Some(block);
                }
                let (request, choice) = (self.clone(), choice.name.clone());
                units.push(Unit { request, choice, scenario, maker, config });
            }
        }
        Ok(units)
    }

    /// Refuses what the workload would not heed.
    fn check_heeded(&self, workload: &Workload) -> Result<(), FabricError> {
        let refuse = |what, of: &str| {
            let workload = workload.to_string();
            Err(FabricError::Unheeded { what, workload, of: of.to_string() })
        };
        if self.bytes.is_some() && workload.has_sizes() {
            return refuse("bytes", "its messages have sizes of their own");
        }
        if self.permutations.is_some() && *workload != Workload::Permutation {
            return refuse("permutations", "they are of the workload permutation");
        }
        Ok(())
    }

    /// Names of failures and of watched ports, and that failures do not meet.
    fn check_failures(&self, topology: &Topology, failures: &[Failure]) -> Result<(), FabricError> {
        let map = Map::new(topology);
        let placed = failures
            .iter()
            .map(|failure| Ok((failure.clone(), failure.ports(&map, self.seed)?)))
            .collect::<Result<Vec<_>, FabricError>>()?;
        check_apart(&placed)?;
        self.watch.iter().try_for_each(|name| map.watched(name).map(drop))
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

    /// The hash of all that its result follows from, 16 hexadecimal digits: what was asked for, what stands in the
    /// files that were named, the Verilog, the build, and the version. A result of another hash is one of another run.
    pub fn hash(&self) -> String {
        self.hash_of_build(build::hash())
    }

    /// The same, were the build another one.
    pub fn hash_of_build(&self, build: &str) -> String {
        let (selectors, seed) = (vec![self.choice.clone()], self.scenario.seed);
        let asked = Request { selectors, seeds: 1, seed, ..self.request.clone() };
        let asked = serde_json::to_string(&asked).expect("a request is plain data, which JSON takes");
        let inputs = format!("{:?} {:?} {:?}", self.scenario, self.config, self.maker.settings);
        let transport = self.scenario.nic.iter().flat_map(|nic| nic.makers.verilog_hashes());
        let verilog: String = self.maker.verilog_hash().into_iter().chain(transport.map(|of| of.1)).collect();
        let mut hash = key(&[asked.as_str(), &inputs, &verilog, build, VERSION]);
        hash.truncate(DIGITS);
        hash
    }

    /// Makes the models of its engines once, so that its run finds them made.
    ///
    /// # Errors
    /// As [`Maker::make`] has them.
    pub fn prepare(&self) -> Result<(), FabricError> {
        let ops = self.scenario.about_ops();
        self.maker.prepare(ops)?;
        self.scenario.nic.as_ref().map_or(Ok(()), |nic| nic.makers.make(ops).map(drop))
    }

    /// Flows that it has.
    pub fn flows(&self) -> usize {
        self.scenario.flows.flows.len()
    }
}
