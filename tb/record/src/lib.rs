//! Records sprayed traffic between network namespaces: captures at both ends, and the ops of the sender's engine.
//!
//! [`record`] needs root, `ip`, `tc`, `nft` and `tcpdump`, and a kernel with network namespaces, veth, tbf and nftables. It leaves
//! nothing behind but its files, and its packets never leave its namespaces.

mod command;
mod frames;
pub mod network;
pub mod page;
mod receiver;
pub mod scenario;
mod sender;
mod session;
mod socket;
mod tcpdump;

use std::fmt;
use std::io::Write;
use std::net::IpAddr;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use flate2::{Compression, GzBuilder};
use respray_cosim::cores::selector::SelectorListener;
use respray_cosim::cores::selector::recorded::{self, chosen_again};
use respray_cosim::traffic::capture::{CaptureError, CaptureOps};
use respray_cosim::traffic::optrace::{OpTrace, OpTraceError};
use respray_cosim::traffic::recording::{Recording, RecordingError};
use respray_cosim::traffic::stimulus::Line;
use respray_hdl::cores::reps::contract::CONTRACT;
use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
use thiserror::Error;

pub use scenario::{Failure, Scenario};

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

/// Why nothing was recorded. Its text is the whole sentence for the user.
#[derive(Debug, Error)]
pub enum RecordError {
    /// Not root.
    #[error("recording makes network namespaces, which only root may do")]
    NotRoot,
    /// A program is not there.
    #[error("{program} cannot be run: {source}; recording needs iproute2, nftables and tcpdump")]
    Tool {
        /// Its name.
        program: String,
        /// Why.
        source: std::io::Error,
    },
    /// A command failed.
    #[error("`{line}` failed ({status}): {said}")]
    Command {
        /// The command.
        line: String,
        /// Its exit status.
        status: String,
        /// The first line of what it said.
        said: String,
    },
    /// tcpdump ended or would not begin.
    #[error("tcpdump failed: {said}")]
    Tcpdump {
        /// What it said last.
        said: String,
    },
    /// The capture has holes.
    #[error("tcpdump missed {frames} frames; the machine is too busy, record again")]
    Missed {
        /// How many.
        frames: String,
    },
    /// A namespace cannot be looked at or entered.
    #[error("network namespace {name}: {source}; recording needs root")]
    Namespace {
        /// Its file.
        name: String,
        /// Why.
        source: std::io::Error,
    },
    /// The sender would not be inside its namespace.
    #[error("network namespace {name} is not one of ours alone; nothing was sent")]
    Outside {
        /// Its file.
        name: String,
    },
    /// A packet socket failed.
    #[error("{what} failed: {source}")]
    Socket {
        /// What was tried.
        what: &'static str,
        /// Why not.
        source: std::io::Error,
    },
    /// A frame sent did not pass the interface.
    #[error("a frame that was sent did not show at its interface; the machine is too busy, record again")]
    Unseen,
    /// A payload that no frame holds.
    #[error("a payload of {bytes} bytes does not fit a UDP packet")]
    Payload {
        /// Its bytes.
        bytes: usize,
    },
    /// The kernel's counters are not as expected.
    #[error("the output of {what} is not understood; wanted is iproute2 6 and nftables 1")]
    Counters {
        /// Which.
        what: String,
    },
    /// Ctrl-C, or a request to end.
    #[error("interrupted; the namespaces are removed and nothing was written")]
    Interrupted,
    /// A file cannot be written.
    #[error("{}: cannot be written: {source}", path.display())]
    Write {
        /// The file.
        path: PathBuf,
        /// Why.
        source: std::io::Error,
    },
    /// The recorded capture cannot be read back.
    #[error(transparent)]
    Capture(#[from] CaptureError),
    /// A recording's settings cannot be read.
    #[error(transparent)]
    Recording(#[from] RecordingError),
    /// The op trace cannot be written.
    #[error(transparent)]
    OpTrace(#[from] OpTraceError),
}

/// Makes one recording. Takes the scenario's time and a second or two; Ctrl-C ends it and cleans up.
pub fn record(options: &RecordOptions) -> Result<Recorded, RecordError> {
    let scenario = &options.scenario;
    let interrupted = Arc::new(AtomicBool::new(false));
    let signals: Vec<_> = [SIGINT, SIGTERM, SIGHUP]
        .into_iter()
        .filter_map(|signal| signal_hook::flag::register(signal, interrupted.clone()).ok())
        .collect();
    let session = session::run(scenario, &interrupted);
    signals.into_iter().for_each(|signal| {
        signal_hook::low_level::unregister(signal);
    });
    let session = session?;

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

/// Gzip without name and time, so that the same capture gives the same file.
fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = GzBuilder::new().write(Vec::new(), Compression::best());
    encoder.write_all(bytes).and_then(|()| encoder.finish()).expect("writing to memory")
}

/// All of a file or nothing.
fn write(path: &Path, bytes: &[u8]) -> Result<(), RecordError> {
    let failed = |source| RecordError::Write { path: path.into(), source };
    let directory = path.parent().filter(|d| !d.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let mut builder = tempfile::Builder::new();
    builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o644));
    let mut file = builder.tempfile_in(directory).map_err(failed)?;
    file.write_all(bytes).map_err(failed)?;
    file.persist(path).map_err(|e| failed(e.error))?;
    Ok(())
}
