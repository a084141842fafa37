//! Both SACK engines in lockstep at the two ends of a network: the Verilog of `sack_tx` and `sack_rx`, each compared with
//! its golden model in every cycle, and a network that drops, duplicates, delays and reorders between them, acts on what the
//! Verilog shows, and checks it against what it knows.
//!
//! The network is that of [`respray_golden::network`], which the golden models alone also pass.

mod ends;
mod pair;

use std::time::Instant;

use respray_golden::network::{self as golden, Limits, Network, Stop};
use respray_hdl::config::Config;
use respray_hdl::manifest::Generated;
use serde::Serialize;
use thiserror::Error;

pub use ends::{Arrivals, Sender};
pub use pair::{Differs, Pair};

use crate::cores::sack_rx::SackRxCore;
use crate::cores::sack_tx::SackTxCore;
use crate::interrupt;
use crate::lockstep::device::PortDevice;
use crate::lockstep::op_core::OpCore;
use crate::lockstep::report::{Verdict, command_line, config_arguments};
use crate::verilator::{self, BuildOptions, Design, Model, ModelError, Source};

/// What the two engines are called together.
pub const NAME: &str = "sack";

/// Connections that the packets are spread over, at most.
const CONNECTIONS: u32 = 16;

/// Which networks.
#[derive(Clone, Debug, PartialEq)]
pub struct NetworkOptions {
    /// The first seed.
    pub seed: u64,
    /// How many seeds from there on, a network each; 1 and more, and the last seed is below 2^64.
    pub seeds: u64,
    /// Packets that each network delivers, rounded up to the same number on each of up to 16 connections.
    pub packets: u32,
    /// How bad the networks may be.
    pub limits: Limits,
}

/// Why there was no run. Its text is the whole sentence for the user.
#[derive(Debug, Error)]
pub enum NetworkError {
    #[error("the Verilog is of core `{core}`, and that of `{wanted}` is needed")]
    Core { core: String, wanted: &'static str },
    #[error(transparent)]
    Model(#[from] ModelError),
    #[error("`{option}` is {value}; allowed: {allowed}")]
    Option { option: &'static str, value: String, allowed: &'static str },
}

/// The verdict of all networks, and what happened in them.
#[derive(Clone, Debug, Serialize)]
pub struct NetworkReport {
    /// [`NAME`].
    pub core: &'static str,
    pub config: Config,
    /// Seeds that were run, the failing one included.
    pub seeds: u64,
    /// Packets delivered, each once.
    pub packets: u64,
    /// Clock edges of the two engines that were compared.
    pub sack_tx_cycles: u64,
    pub sack_rx_cycles: u64,
    pub ticks: u64,
    pub transmissions: u64,
    pub retransmissions: u64,
    /// Transmissions dropped.
    pub lost: u64,
    /// Of these, found lost by the out-of-order count, by a probe, by the timeout.
    pub found_by_ooo: u64,
    pub found_by_probe: u64,
    pub found_by_timeout: u64,
    pub probes: u64,
    pub lost_sacks: u64,
    pub reordered: u64,
    pub duplicates: u64,
    /// 0, or 1: the first difference or broken property ends the campaign.
    pub mismatches: u64,
    /// Of both engines together.
    pub cycles_per_second: f64,
    pub result: Verdict,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub failure: Option<NetworkFailure>,
}

/// What went wrong.
#[derive(Clone, Debug, Serialize)]
pub struct NetworkFailure {
    /// Seed of the network.
    pub seed: u64,
    /// The first difference, or the property that does not hold.
    pub what: String,
    /// The command that fails again.
    pub command: String,
}

/// Runs one network after the other until one fails. `progress` hears how many packets of how many are delivered.
pub fn run(
    sack_tx: &Generated,
    sack_rx: &Generated,
    options: &NetworkOptions,
    progress: &mut dyn FnMut(u64, u64),
) -> Result<NetworkReport, NetworkError> {
    check(options)?;
    let (tx_design, rx_design) = (design::<SackTxCore>(sack_tx)?, design::<SackRxCore>(sack_rx)?);
    let config = &sack_tx.manifest.config;
    let device = PortDevice::new(model(tx_design)?, SackTxCore::CONTRACT, &sack_tx.manifest)?;
    let mut sender = Sender::new(&sack_tx.manifest, device);
    let device = PortDevice::new(model(rx_design)?, SackRxCore::CONTRACT, &sack_rx.manifest)?;
    let mut arrivals = Arrivals::new(&sack_rx.manifest, device);
    let connections = CONNECTIONS.min(config.connections).min(options.packets);
    let packets = options.packets.div_ceil(connections);
    let of = u64::from(packets * connections).saturating_mul(options.seeds);
    let mut report = NetworkReport::new(config);
    let _heed = interrupt::Heed::new();
    let start = Instant::now();
    for seed in options.seed..=options.seed + (options.seeds - 1) {
        let network = Network::random(seed, connections, packets, config.sack.window, &options.limits);
        let before = report.packets;
        report.seeds += 1;
        let reset = sender.pair.reset().and_then(|()| arrivals.pair.reset());
        let result = reset.map_err(Stop::Engine).and_then(|()| {
            golden::run(&network, &mut sender, &mut arrivals, &mut |done| progress(before + done, of))
        });
        match result {
            Ok(happened) => report.add(&happened, u64::from(packets * connections)),
            Err(stop) => {
                let what = match stop {
                    Stop::Broken(broken) => broken.to_string(),
                    Stop::Engine(differs) => differs.to_string(),
                };
                report.mismatches = 1;
                report.result = Verdict::Fail;
                report.failure = Some(NetworkFailure { seed, what, command: command(seed, options, config) });
                break;
            }
        }
        progress(report.packets, of);
        if interrupt::is_requested() {
            report.result = Verdict::Interrupted;
            break;
        }
    }
    report.sack_tx_cycles = sender.pair.cycles();
    report.sack_rx_cycles = arrivals.pair.cycles();
    let cycles = report.sack_tx_cycles + report.sack_rx_cycles;
    report.cycles_per_second = (cycles as f64 / start.elapsed().as_secs_f64()).round();
    Ok(report)
}

fn check(options: &NetworkOptions) -> Result<(), NetworkError> {
    let refused = |option, value: String, allowed| Err(NetworkError::Option { option, value, allowed });
    if !(1..=10_000_000).contains(&options.packets) {
        return refused("packets", options.packets.to_string(), "1 to 10000000");
    }
    if options.seeds == 0 {
        return refused("seeds", "0".into(), "1 and more");
    }
    if options.seed.checked_add(options.seeds - 1).is_none() {
        let value = format!("{} from seed {} on", options.seeds, options.seed);
        return refused("seeds", value, "so many that the last seed is at most 18446744073709551615");
    }
    if !(0.0..=0.9).contains(&options.limits.loss) {
        return refused("loss", options.limits.loss.to_string(), "0 to 0.9");
    }
    if options.limits.reordering > 1000 {
        return refused("reordering", options.limits.reordering.to_string(), "0 to 1000");
    }
    Ok(())
}

fn design<C: OpCore>(generated: &Generated) -> Result<&'static Design, NetworkError> {
    let core = &generated.manifest.module;
    if core != C::CONTRACT.core {
        return Err(NetworkError::Core { core: core.clone(), wanted: C::CONTRACT.core });
    }
    let source = Source::new(C::CONTRACT.core, generated.verilog.as_str());
    Ok(verilator::build(&source, &BuildOptions::default())?)
}

fn model(design: &'static Design) -> Result<Model, ModelError> {
    design.model(1)
}

/// The command line that runs a seed again.
fn command(seed: u64, options: &NetworkOptions, config: &Config) -> String {
    let mut arguments: Vec<String> =
        ["respray", "cosim", "--core", NAME, "--packets"].map(String::from).to_vec();
    arguments.extend([options.packets.to_string(), "--seed".into(), seed.to_string()]);
    let Limits { loss, reordering } = Limits::default();
    if options.limits.loss != loss {
        arguments.extend(["--loss".into(), options.limits.loss.to_string()]);
    }
    if options.limits.reordering != reordering {
        arguments.extend(["--reordering".into(), options.limits.reordering.to_string()]);
    }
    arguments.extend(config_arguments(config));
    command_line(&arguments)
}

impl NetworkReport {
    fn new(config: &Config) -> Self {
        NetworkReport {
            core: NAME,
            config: config.clone(),
            seeds: 0,
            packets: 0,
            sack_tx_cycles: 0,
            sack_rx_cycles: 0,
            ticks: 0,
            transmissions: 0,
            retransmissions: 0,
            lost: 0,
            found_by_ooo: 0,
            found_by_probe: 0,
            found_by_timeout: 0,
            probes: 0,
            lost_sacks: 0,
            reordered: 0,
            duplicates: 0,
            mismatches: 0,
            cycles_per_second: 0.0,
            result: Verdict::Pass,
            failure: None,
        }
    }

    fn add(&mut self, happened: &golden::Report, packets: u64) {
        self.packets += packets;
        self.ticks += happened.ticks;
        self.transmissions += u64::from(happened.transmissions);
        self.retransmissions += u64::from(happened.retransmissions);
        self.lost += u64::from(happened.lost);
        let [ooo, probe, timeout] = happened.found_by.map(u64::from);
        self.found_by_ooo += ooo;
        self.found_by_probe += probe;
        self.found_by_timeout += timeout;
        self.probes += u64::from(happened.probes);
        self.lost_sacks += u64::from(happened.lost_sacks);
        self.reordered += u64::from(happened.reordered);
        self.duplicates += u64::from(happened.duplicates);
    }
}
