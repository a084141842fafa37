//! The tables of `tb/recordings/README.md`, made from the files themselves.

use std::fmt::Write;
use std::fs;
use std::path::{Path, PathBuf};

use respray_cosim::traffic::capture::{Cut, Profile, info};
use respray_cosim::traffic::recording::Recording;
use respray_files::output::write;
use respray_golden::wire::Profile as Wire;

use crate::error::RecordError;

/// Between these lines of the page stand the tables.
const BEGIN: &str = "<!-- figures: made by respray-record from the files, do not edit -->\n";
const END: &str = "<!-- end of figures -->\n";

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

/// The tables in Markdown: one line a recording, then one a recording and path.
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
            let _ = writeln!(
                second,
                "| `{}` | {index} | {}{down} | {} | {} ({:.1}%) | {} ({:.1}%) | {} | {} |",
                recording.name,
                network.path_packets_per_second[index],
                network.mark_above[index],
                path.packets,
                100.0 * path.packets as f64 / figures.sends.max(1) as f64,
                path.ce,
                100.0 * path.ce as f64 / path.packets.max(1) as f64,
                path.dropped,
                path.evs.count(),
            );
        }
    }
    Ok(format!("{first}\n{second}"))
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
