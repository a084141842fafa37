//! What can go wrong with a recording.

use std::path::PathBuf;

use respray_cosim::nic::LogError;
use respray_cosim::traffic::capture::CaptureError;
use respray_cosim::traffic::recording::RecordingError;
use respray_files::output::OutputError;
use thiserror::Error;

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
    /// The engine chose an EV that is no port of a socket.
    #[error("the engine chose EV 0, which no socket has as its port; record again with another seed")]
    PortZero,
    /// The engine stopped.
    #[error("{said}")]
    Engine {
        /// Why.
        said: String,
    },
    /// Two timers of one block did something in one tick.
    #[error(
        "two timers of a host's block went off in one tick, and which was first would not be known; \
         record again"
    )]
    Together,
    /// A host got what it must not get, or not what it must.
    #[error("what a host must hold does not: {what}; nothing was written")]
    Broken {
        /// What.
        what: String,
    },
    /// Captures and logs are not of the same frames.
    #[error(
        "a capture and what a host was given are not of the same frames in the same order ({why}); record again"
    )]
    Apart {
        /// How they differ.
        why: String,
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
    /// A folder cannot be used.
    #[error("{}: {source}", path.display())]
    Folder {
        /// The file.
        path: PathBuf,
        /// Why.
        source: std::io::Error,
    },
    /// The recorded capture cannot be read back.
    #[error(transparent)]
    Capture(#[from] CaptureError),
    /// A log cannot be read.
    #[error(transparent)]
    Log(#[from] LogError),
    /// There is no log beside a capture.
    #[error("{}: there is no log beside it, as there is beside that of the other end", path.display())]
    NoLog {
        /// The capture.
        path: PathBuf,
    },
    /// A recording's settings cannot be read.
    #[error(transparent)]
    Recording(#[from] RecordingError),
    /// A file of the recording cannot be written.
    #[error(transparent)]
    Output(#[from] OutputError),
}
