//! The tables of `tb/recordings/README.md`, made from the files themselves.

use std::collections::BTreeSet;
use std::fmt::Write;
use std::fs;
use std::path::{Path, PathBuf};

use respray_cosim::nic::Log;
use respray_cosim::traffic::capture::{self, CaptureSource, Cut, Profile, ProfileFrames, info};
use respray_cosim::traffic::recording::{PathFigures, Recording};
use respray_files::output::write;
use respray_golden::flowcut::Variant;
use respray_golden::nic::{self, Choice, Kind, Nic};
use respray_golden::wire::Profile as Wire;

use crate::error::RecordError;
use crate::scenario::Scenario;

/// Between these lines of the page stand the tables.
const BEGIN: &str = "<!-- figures: made by respray-record from the files, do not edit -->\n";
const END: &str = "<!-- end of figures -->\n";

/// What the names of captures end with.
const SENDER: &str = "-sender.pcap.gz";
const RECEIVER: &str = "-receiver.pcap.gz";
/// ECN codepoint CE.
const CE: u8 = 3;

/// The settings of every recording in a directory, in order of names.
pub fn recordings(directory: &Path) -> Result<Vec<(PathBuf, Recording)>, RecordError> {
    let failed = |source| RecordError::Folder { path: directory.into(), source };
    let mut paths: Vec<PathBuf> = fs::read_dir(directory)
        .and_then(|entries| entries.map(|entry| entry.map(|entry| entry.path())).collect())
        .map_err(failed)?;
    paths.retain(|path| path.extension().is_some_and(|extension| extension == "json"));
    paths.sort();
    paths.into_iter().map(|path| Ok((path.clone(), Recording::load(&path)?))).collect()
}

/// The tables in Markdown: one line a recording of an engine, one a recording of blocks, and one a recording
/// and path.
pub fn tables(directory: &Path) -> Result<String, RecordError> {
    let mut first = String::from(
        "| recording | frames, sender / receiver | span | connections | data | EVs | CE of data received | ACKs | \
         timeouts, all retransmitted | explore / recycle / replay | freezes | EVs chosen again from the capture |\n\
         |---|---|---|---|---|---|---|---|---|---|---|---|\n",
    );
    let mut second = String::from(
        "| recording | path | rate, data packets/s | marks beyond | carried | of it CE | dropped by the queue | EVs |\n\
         |---|---|---|---|---|---|---|---|\n",
    );
    for (path, recording) in recordings(directory)? {
        let capture = |end| {
            info(&path.with_file_name(format!("{}-{end}.pcap.gz", recording.name)), profile(), Cut::Refused)
        };
        let (sender, receiver) = (capture("sender")?, capture("receiver")?);
        let figures = &recording.figures;
        let ce = receiver.profile.data_ecn.ce;
        let _ = writeln!(
            first,
            "| `{}` | {} / {} | {:.2} s | {} | {} | {} | {ce} ({:.1}%) | {} | {} | {} / {} / {} | {} | {} of {} |",
            recording.name,
            sender.frames,
            receiver.frames,
            sender.span_ns as f64 / 1e9,
            sender.profile.connections,
            sender.profile.data,
            sender.profile.evs,
            100.0 * ce as f64 / receiver.profile.data.max(1) as f64,
            sender.profile.acks,
            figures.timeouts,
            figures.explore,
            figures.recycle,
            figures.replay,
            figures.freezes,
            figures.chosen_again,
            figures.sends,
        );
        for (index, path) in figures.paths.iter().enumerate() {
            let network = &recording.network;
            let down = match network.down {
                Some((down, from, to)) if down == index => format!(", down from {from} to {to} ms"),
                _ => String::new(),
            };
            let rate = network.path_packets_per_second[index];
            let says = format!("{rate}{down} | {}", network.mark_above[index]);
            second += &path_row(&recording.name, index, &says, path, figures.sends);
        }
    }
    let logs = logs(directory)?;
    if logs.is_empty() {
        return Ok(format!("{first}\n{second}"));
    }
    let of_blocks = of_blocks(&logs, &mut second)?;
    Ok(format!("{first}\n{of_blocks}\n{second}"))
}

/// The line of a path: its rate and the share beyond which it marks, and what its counters say.
fn path_row(name: &str, index: usize, says: &str, path: &PathFigures, sends: u64) -> String {
    format!(
        "| `{name}` | {index} | {says} | {} ({:.1}%) | {} ({:.1}%) | {} | {} |\n",
        path.packets,
        100.0 * path.packets as f64 / sends.max(1) as f64,
        path.ce,
        100.0 * path.ce as f64 / path.packets.max(1) as f64,
        path.dropped,
        path.evs.count(),
    )
}

/// What is said of a path of a scenario.
fn says_of_path(scenario: &Scenario, index: usize) -> String {
    let mut says = scenario.paths.packets_per_second[index].to_string();
    let lost = scenario.paths.lost_per_mille[index];
    if lost > 0 {
        says += &format!(", {:.1}% lost by chance", f64::from(lost) / 10.0);
    }
    for outage in scenario.outages.iter().filter(|outage| outage.path == Some(index)) {
        says += &format!(", down from {} to {} ms", outage.from_ms, outage.to_ms);
    }
    format!("{says} | {}", scenario.paths.share(index))
}

/// The capture and the log of the sender's block of every recording of blocks in a directory, in order of
/// names.
pub fn logs(directory: &Path) -> Result<Vec<(PathBuf, Log)>, RecordError> {
    let failed = |source| RecordError::Folder { path: directory.into(), source };
    let mut captures: Vec<PathBuf> = fs::read_dir(directory)
        .and_then(|entries| entries.map(|entry| entry.map(|entry| entry.path())).collect())
        .map_err(failed)?;
    captures.retain(|path| path.to_string_lossy().ends_with(SENDER));
    captures.sort();
    let beside = captures.into_iter().filter_map(|path| Log::beside(&path).map(|log| (path, log)));
    beside.map(|(path, log)| Ok((path, read_log(&log)?))).collect()
}

/// Reads a log of a block in whatever configuration.
fn read_log(path: &Path) -> Result<Log, RecordError> {
    let selectors = [Choice::reps(), Choice::Flowcut(Variant::Paper)];
    let blocks = selectors.map(|selector| Nic::new(nic::Config { selector, ..nic::Config::default() }));
    Ok(Log::read(path, &|name| blocks.iter().any(|nic| nic.address(name).is_some()))?)
}

/// The table of recordings of blocks, one line each; those of their paths go into `of_paths`.
fn of_blocks(logs: &[(PathBuf, Log)], of_paths: &mut String) -> Result<String, RecordError> {
    let mut table = String::from(
        "| recording of blocks | span | connections | data sent, of it again | probes | of both arrived | \
         CE of data received | \
         SACKs that came | losses by the out-of-order count / a probe / the timeout | sent again \
         after each | \
         recoveries that \
         ended | freezes | EVs | inputs and events of the sender's block | of the receiver's |\n\
         |---|---|---|---|---|---|---|---|---|---|---|---|---|---|---|\n",
    );
    for (capture, log) in logs {
        let name = capture.file_name().unwrap_or_default().to_string_lossy().replace(SENDER, "");
        let other = capture.with_file_name(format!("{name}{RECEIVER}"));
        let other_log = read_log(&Log::beside(&other).ok_or(RecordError::NoLog { path: other.clone() })?)?;
        let (sent, arrived) = (Frames::of(capture)?, Frames::of(&other)?);
        let info = info(capture, profile(), Cut::Refused)?;
        let kinds = |kind| log.events().filter(|event| event.kind == kind).count();
        if let Some(scenario) = Scenario::by_name(&name) {
            for (index, path) in log.paths.iter().enumerate() {
                let says = says_of_path(&scenario, index);
                *of_paths += &path_row(&name, index, &says, path, sent.data + sent.probes);
            }
        }
        let inputs = |log: &Log| format!("{}, {}", log.inputs(), log.events().count());
        let [ooo, probe, timeout] = log.losses();
        let _ = writeln!(
            table,
            "| `{name}` | {:.2} s | {} | {}, {} | {} | {} | {} ({:.1}%) | {} | {} / {} / {} | \
             {} / {} / {} | {} | \
             {} | {} | {} | {} |",
            ((log.last_tick() - log.first_tick()) * log.tick_ns) as f64 / 1e9,
            info.profile.connections,
            sent.data,
            sent.again,
            sent.probes,
            arrived.data + arrived.probes,
            arrived.marked,
            100.0 * arrived.marked as f64 / arrived.data.max(1) as f64,
            sent.acks,
            ooo.0,
            probe.0,
            timeout.0,
            ooo.1,
            probe.1,
            timeout.1,
            kinds(Kind::RecoveryLeft),
            kinds(Kind::FreezeEntered),
            info.profile.evs,
            inputs(log),
            inputs(&other_log),
        );
    }
    Ok(table)
}

/// Frames of a capture, by what they are.
#[derive(Default)]
struct Frames {
    data: u64,
    again: u64,
    probes: u64,
    marked: u64,
    acks: u64,
}

impl Frames {
    fn of(path: &Path) -> Result<Frames, RecordError> {
        let mut frames = ProfileFrames::open(&CaptureSource::open(path, Cut::Refused)?, profile())?;
        let (mut counts, mut known) = (Frames::default(), BTreeSet::new());
        while let Some(frame) = frames.next_frame()? {
            match frame.kind {
                capture::Kind::Data(data) if data.probe => counts.probes += 1,
                capture::Kind::Data(data) => {
                    counts.data += 1;
                    counts.again += u64::from(!known.insert((frame.id, data.psn)));
                    counts.marked += u64::from(frame.ecn == CE);
                }
                _ => counts.acks += 1,
            }
        }
        Ok(counts)
    }
}

/// The part of a page between the marks, if it has them.
pub fn figures_of(page: &str) -> Option<&str> {
    page.split_once(BEGIN)?.1.split_once(END).map(|(figures, _)| figures)
}

/// Puts fresh tables into `README.md` of a directory, if there is one with the marks.
pub fn update(directory: &Path) -> Result<(), RecordError> {
    let path = directory.join("README.md");
    let Ok(page) = fs::read_to_string(&path) else { return Ok(()) };
    let Some(old) = figures_of(&page) else { return Ok(()) };
    let page = page.replacen(&format!("{BEGIN}{old}"), &format!("{BEGIN}\n{}\n", tables(directory)?), 1);
    Ok(write(&path, page.as_bytes())?)
}

fn profile() -> Profile {
    Wire::Strack.into()
}
