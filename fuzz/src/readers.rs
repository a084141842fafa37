//! Readers of files.

use std::path::Path;

use respray_cosim::cores::{Visitor, visit};
use respray_cosim::lockstep::Compiled;
use respray_cosim::lockstep::op_core::OpCore;
use respray_cosim::nic::{Log, Stimulus};
use respray_cosim::stream::list::FrameList;
use respray_cosim::traffic::capture::{Cut, Profile, info};
use respray_cosim::traffic::optrace::OpTrace;
use respray_files::quote::Message;
use respray_golden::wire::Profile as Wire;
use respray_hdl::config::Config;
use respray_hdl::manifest::Manifest;
use respray_synth::baseline::Baseline;

/// Something that reads a file.
pub struct Reader {
    /// The folder of its corpus.
    pub name: &'static str,
    /// What the file is called.
    pub file: &'static str,
    /// Reads it; the error in words if it is refused.
    pub read: fn(&Path) -> Result<(), String>,
}

fn heard<T, E: ToString>(read: Result<T, E>) -> Result<(), String> {
    read.map(|_| ()).map_err(|error| error.to_string())
}

/// A trace of ops for the core that its name says.
struct Trace<'a>(&'a Path);

impl Visitor for Trace<'_> {
    type Output = Result<(), String>;

    fn visit<C: Compiled + 'static>(self) -> Self::Output {
        let config = Config::default();
        let trace = OpTrace::<<C as OpCore>::Op>::read(self.0, C::CONTRACT, &config);
        heard(trace.map(|trace| trace.ops(C::CONTRACT, &trace.settings, &config)))
    }
}

fn capture(path: &Path) -> Result<(), String> {
    let kinds = [(Wire::Strack, Cut::Refused), (Wire::Uet, Cut::Warned)];
    kinds.into_iter().try_for_each(|(wire, cut)| heard(info(path, Profile::from(wire), cut)))
}

/// As a program of others reads it: the message is the parser's, in one line.
fn manifest(path: &Path) -> Result<(), String> {
    let bytes = std::fs::read(path).expect("it was written");
    heard(serde_json::from_slice::<Manifest>(&bytes)).map_err(|error| Message(&error).to_string())
}

/// As the trace of any of these cores.
fn ops(path: &Path) -> Result<(), String> {
    let read = |core: &str| visit(core, Trace(path)).expect("there is such a core");
    let all = ["reps", "strack_cc", "sack_tx", "caver"].map(read);
    all.into_iter().reduce(Result::or).expect("there are cores")
}

/// All of them.
pub const READERS: &[Reader] = &[
    Reader { name: "capture", file: "input.pcap", read: capture },
    Reader { name: "ops", file: "input.csv", read: ops },
    Reader { name: "config", file: "input.toml", read: |path| heard(Config::load(Some(path), &[])) },
    Reader { name: "manifest", file: "input.json", read: manifest },
    Reader { name: "baseline", file: "input.json", read: |path| heard(Baseline::read(path)) },
    Reader { name: "frames", file: "input.csv", read: |path| heard(FrameList::read(path)) },
    Reader {
        name: "stimulus",
        file: "input.csv",
        read: |path| heard(Stimulus::read(path, &|name| name == "rto")),
    },
    Reader { name: "log", file: "input.log", read: |path| heard(Log::read(path, &|_| true)) },
];
