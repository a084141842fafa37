//! Records sprayed traffic between network namespaces: captures at both ends, and the ops of the sender's engine or what each end's
//! block `nic` was given.
//!
//! [`Recipe::make`] needs root, `ip`, `tc`, `nft` and `tcpdump`, and a kernel with network namespaces, veth, tbf and nftables. It leaves
//! nothing behind but its files, and its packets never leave its namespaces.

mod command;
mod error;
mod file;
mod frames;
pub mod network;
pub mod nic;
pub mod page;
mod receiver;
pub mod scenario;
mod sender;
mod session;
mod socket;
mod tcpdump;

use std::fmt;
use std::net::IpAddr;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use respray_cosim::cores::selector::SelectorListener;
use respray_cosim::cores::selector::recorded::{self, chosen_again};
use respray_cosim::traffic::capture::CaptureOps;
use respray_cosim::traffic::optrace::OpTrace;
use respray_cosim::traffic::recording::Recording;
use respray_cosim::traffic::stimulus::Line;
use respray_files::output::write;
use respray_hdl::cores::reps::contract::CONTRACT;
use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};

use file::gzip;

pub use error::RecordError;
pub use nic::NicScenario;
pub use scenario::{Failure, Scenario};

/// A recording that can be made.
#[derive(Clone, Debug)]
pub enum Recipe {
    /// Of an engine that chooses EVs, behind a sender that sends again by a timer alone.
    Engine(Scenario),
    /// Of the block `nic` at both ends.
    Nic(NicScenario),
}

impl Recipe {
    /// All that there are.
    pub fn all() -> Vec<Recipe> {
        let engines = Scenario::all().into_iter().map(Recipe::Engine);
        engines.chain(NicScenario::all().into_iter().map(Recipe::Nic)).collect()
    }

    /// The one of that name.
    pub fn by_name(name: &str) -> Option<Recipe> {
        Recipe::all().into_iter().find(|recipe| recipe.name() == name)
    }

    /// Its name, with which those of its files begin.
    pub fn name(&self) -> &str {
        match self {
            Recipe::Engine(scenario) => &scenario.name,
            Recipe::Nic(scenario) => &scenario.name,
        }
    }

    /// The names of all, for a sentence.
    pub fn names() -> String {
        Recipe::all().iter().map(Recipe::name).collect::<Vec<_>>().join(", ")
    }

    /// Makes it, into a directory that exists, and says what it holds. Takes the scenario's time and a second or two; Ctrl-C ends it and
    /// cleans up.
    ///
    /// # Errors
    /// Why there is none; nothing is written then.
    pub fn make(&self, out: &Path) -> Result<String, RecordError> {
        match self {
            Recipe::Engine(scenario) => {
                let options = RecordOptions { scenario: scenario.clone(), out: out.to_path_buf() };
                Ok(record(&options)?.to_string())
            }
            Recipe::Nic(scenario) => {
                Ok(heeding_signals(|interrupted| nic::record(scenario, out, interrupted))?.to_string())
            }
        }
    }
}

/// Does something that a signal interrupts.
fn heeding_signals<T>(work: impl FnOnce(&AtomicBool) -> T) -> T {
    let interrupted = Arc::new(AtomicBool::new(false));
    let signals: Vec<_> = [SIGINT, SIGTERM, SIGHUP]
        .into_iter()
        .filter_map(|signal| signal_hook::flag::register(signal, interrupted.clone()).ok())
        .collect();
    let done = work(&interrupted);
    signals.into_iter().for_each(|signal| {
        signal_hook::low_level::unregister(signal);
    });
    done
}

/// What to record and where to.
#[derive(Clone, Debug)]
pub struct RecordOptions {
    /// What happens.
    pub scenario: Scenario,
    /// Directory of the files; it must exist.
    pub out: PathBuf,
}

/// The files of a recording.
#[derive(Clone, Debug)]
pub struct Recorded {
    /// Capture at the sender.
    pub sender: PathBuf,
    /// Capture at the receiver.
    pub receiver: PathBuf,
    /// Op trace.
    pub ops: PathBuf,
    /// Settings and figures.
    pub settings: PathBuf,
    /// What they hold.
    pub recording: Recording,
}

impl fmt::Display for Recorded {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let figures = &self.recording.figures;
        write!(
            f,
            "{}: {} sends ({} explore, {} recycle, {} replay), {} ACKs ({} CE), {} timeouts, {} freezes; {} EVs chosen \
             again from the capture",
            self.recording.name,
            figures.sends,
            figures.explore,
            figures.recycle,
            figures.replay,
            figures.acks,
            figures.acks_ce,
            figures.timeouts,
            figures.freezes,
            figures.chosen_again,
        )
    }
}

/// Makes one recording. Takes the scenario's time and a second or two; Ctrl-C ends it and cleans up.
pub fn record(options: &RecordOptions) -> Result<Recorded, RecordError> {
    let scenario = &options.scenario;
    let session = heeding_signals(|interrupted| session::run(scenario, interrupted))?;

    let path = |end: &str| options.out.join(format!("{}{end}", scenario.name));
    let mut recorded = Recorded {
        sender: path("-sender.pcap.gz"),
        receiver: path("-receiver.pcap.gz"),
        ops: path(".csv.gz"),
        settings: path(".json"),
        recording: Recording {
            name: scenario.name.clone(),
            says: scenario.says.clone(),
            engine: scenario.engine,
            local: IpAddr::from(network::SENDER.address),
            rto_ns: scenario.rto_ns,
            network: scenario.network(),
            figures: session.figures,
        },
    };
    let trace = OpTrace {
        seed: Some(scenario.engine.seed),
        settings: recorded::settings(&scenario.engine),
        notes: vec![scenario.says.clone()],
        lines: session.lines,
    };
    write(&recorded.sender, &gzip(&session.sender))?;
    write(&recorded.receiver, &gzip(&session.receiver))?;
    trace.write(&CONTRACT, &recorded.ops)?;

    // the capture alone must tell the same story
    let (options, engine) = (recorded.recording.capture_options(), recorded.recording.engine);
    let again = chosen_again(&recorded.sender, &options, &engine)?;
    let from_capture = CaptureOps::<SelectorListener>::open(&recorded.sender, &options)?;
    let from_capture = from_capture.collect::<Result<Vec<_>, _>>()?;
    let figures = &mut recorded.recording.figures;
    if again.sends != figures.sends {
        let frames = figures.sends.abs_diff(again.sends).to_string();
        return Err(RecordError::Missed { frames });
    }
    figures.chosen_again = again.equal;
    let seen = trace.lines.into_iter().map(|line| Line { expect: None, ..line });
    figures.ops_equal = from_capture.into_iter().eq(seen);
    let mut json = serde_json::to_string_pretty(&recorded.recording).expect("plain data is JSON");
    json.push('\n');
    write(&recorded.settings, json.as_bytes())?;
    Ok(recorded)
}
