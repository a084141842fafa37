//! The recordings that a report shows.

use std::path::{Path, PathBuf};

use respray_cosim::cores::reps::RepsCore;
use respray_cosim::cores::selector::recorded;
use respray_cosim::lockstep::op_core::OpCore;
use respray_cosim::nic::{Log, Step};
use respray_cosim::traffic::capture::{CaptureSource, Cut, Kind, ProfileFrames};
use respray_cosim::traffic::optrace::OpTrace;
use respray_cosim::traffic::recording::Recording;
use respray_golden::nic::{self, rule_code};
use respray_golden::sack_tx::Rule;
use respray_golden::wire::Profile as Wire;
use respray_hdl::cores::selector::{self, SelectorOp};
use respray_synth::html;

use crate::args::Refusal;

/// What the name of a capture ends with, packed or not.
const CAPTURES: [&str; 2] = [".pcap", ".pcapng"];

/// The recordings of a folder, and which of its captures are no part of one.
#[derive(Default)]
pub struct Recordings {
    pub shown: Vec<html::Recording>,
    /// A sentence each.
    pub left_out: Vec<String>,
}

impl Recordings {
    /// Reads `NAME.json` and `NAME.csv.gz`, the settings of a recording and what its sender's engine saw, for each name in
    /// `folder`, and of recordings of blocks `NAME-sender.pcap.gz` and the log beside it.
    ///
    /// # Errors
    /// If the folder or one of these files cannot be read.
    pub fn read(folder: &Path) -> Result<Recordings, Refusal> {
        let mut recordings = Recordings::default();
        for path in files_of(folder)? {
            let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
            if let Some(stem) = name.strip_suffix(".json") {
                let ops = path.with_extension("csv.gz");
                match ops.is_file() {
                    true => recordings.shown.push(recording(&path, &ops)?),
                    false => recordings.leave_out(&path, &[format!("{stem}.csv.gz")]),
                }
            } else if let Some(stem) = stem_of_capture(&name) {
                if let Some(log) = Log::beside(&path) {
                    if name.contains("-sender.") {
                        recordings.shown.push(of_block(stem, &path, &log)?);
                    }
                    continue;
                }
                let missing = [format!("{stem}.json"), format!("{stem}.csv.gz")];
                recordings.leave_out(&path, &missing);
            }
        }
        Ok(recordings)
    }

    /// Says of `path` which of the files that it needs are not there, if any are not.
    fn leave_out(&mut self, path: &Path, needed: &[String]) {
        let is_missing = |name: &&String| !path.with_file_name(name).is_file();
        let missing: Vec<&str> = needed.iter().filter(is_missing).map(String::as_str).collect();
        if !missing.is_empty() {
            let missing = missing.join(" and no ");
            self.left_out
                .push(format!("{}: left out, because there is no {missing} beside it", path.display()));
        }
    }
}

/// The name of the recording that a capture is of, or `None` of another file.
fn stem_of_capture(name: &str) -> Option<&str> {
    let plain = name.strip_suffix(".gz").unwrap_or(name);
    let stem = CAPTURES.iter().find_map(|end| plain.strip_suffix(end))?;
    let ends = ["-sender", "-receiver"];
    Some(ends.iter().find_map(|end| stem.strip_suffix(end)).unwrap_or(stem))
}

/// Files of `folder`, in the order of their names.
///
/// # Errors
/// If it cannot be read.
pub fn files_of(folder: &Path) -> Result<Vec<PathBuf>, Refusal> {
    let entries = std::fs::read_dir(folder)
        .map_err(|error| format!("{}: cannot be read: {error}", folder.display()))?;
    let mut paths: Vec<PathBuf> = entries.flatten().map(|entry| entry.path()).collect();
    paths.sort();
    Ok(paths)
}

/// What a recording's sender did and heard.
fn recording(path: &Path, ops: &Path) -> Result<html::Recording, Refusal> {
    let settings = Recording::load(path)?;
    let config = recorded::config(&settings.engine);
    let trace = OpTrace::<SelectorOp>::read(ops, RepsCore::CONTRACT, &config)?;
    let paths: Option<Vec<Vec<u16>>> =
        settings.figures.paths.iter().map(|path| path.evs.listed().map(<[u16]>::to_vec)).collect();
    let mut recording = html::Recording {
        name: settings.name,
        says: settings.says,
        paths: paths.unwrap_or_default(),
        ..html::Recording::default()
    };
    for line in &trace.lines {
        match line.event.as_op() {
            Some(SelectorOp { kind: selector::ACK, ev, ecn, .. }) => {
                recording.acks.push((line.time, *ev, *ecn));
            }
            Some(SelectorOp { kind: selector::SEND, ev, .. }) => recording.sends.push((line.time, *ev)),
            Some(SelectorOp { kind: selector::TIMEOUT, .. }) => recording.timeouts.push(line.time),
            _ => {}
        }
    }
    Ok(recording)
}

/// What the sender of a recording of blocks did and heard.
fn of_block(name: &str, capture: &Path, log: &Path) -> Result<html::Recording, Refusal> {
    let log = Log::read(log, &|_| true)?;
    let paths: Option<Vec<Vec<u16>>> =
        log.paths.iter().map(|path| path.evs.listed().map(<[u16]>::to_vec)).collect();
    let mut recording = html::Recording {
        name: name.to_string(),
        says: log.says.clone(),
        paths: paths.unwrap_or_default(),
        ..html::Recording::default()
    };
    let source = CaptureSource::open(capture, Cut::Refused)?;
    let mut frames = ProfileFrames::open(&source, Wire::Strack.into())?;
    let mut first_ns = None;
    while let Some(frame) = frames.next_frame()? {
        let time_ns = frame.time_ns.unwrap_or_default();
        let time_ns = time_ns.saturating_sub(*first_ns.get_or_insert(time_ns));
        match frame.kind {
            Kind::Data(_) => recording.sends.push((time_ns, frame.ev)),
            Kind::Ack(ack) => recording.acks.push((time_ns, ack.echo_ev, ack.ce)),
            Kind::Nack { .. } | Kind::Control { .. } => {}
        }
    }
    let timeout = rule_code(Rule::Timeout);
    let first = log.first_tick();
    recording.timeouts = log
        .steps
        .iter()
        .filter(|(_, step)| {
            matches!(step, Step::Event(event) if event.kind == nic::Kind::Loss && event.detail == timeout)
        })
        .map(|(tick, _)| (tick - first) * log.tick_ns)
        .collect();
    Ok(recording)
}
