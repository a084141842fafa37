//! The table of contents.

use serde::Serialize;

use super::{View, sweeps};

/// A part of the page.
#[derive(Debug, Serialize)]
pub(super) struct Part {
    anchor: &'static str,
    name: &'static str,
    /// What stands in it: anchor and name.
    entries: Vec<(String, String)>,
}

/// The parts that the page has, in their order.
pub(super) fn parts(view: &View, sweeps: &[sweeps::View], has_throughput: bool) -> Vec<Part> {
    let entry = |anchor: &str, name: &str| (anchor.to_string(), name.to_string());
    let part = |anchor, name, entries| Part { anchor, name, entries };
    let mut parts = vec![
        part("changes", "Changes", Vec::new()),
        part("cores", "Cores", view.cores.iter().map(|core| entry(&core.anchor, &core.label)).collect()),
        part("targets", "Targets", view.targets.iter().map(|on| entry(&on.anchor, on.target)).collect()),
        part("throughput", "Throughput", Vec::new()),
        part("sweeps", "How cost grows", sweeps.iter().map(|by| entry(&by.anchor, &by.title)).collect()),
        part("lockstep", "Lockstep", Vec::new()),
        part("waves", "Waves", Vec::new()),
        part("recordings", "Recordings", view.recordings.iter().map(|r| entry(&r.anchor, &r.name)).collect()),
        part("tables", "All figures", Vec::new()),
        part("made", "Made from", Vec::new()),
    ];
    parts.retain(|part| match part.anchor {
        "throughput" => has_throughput,
        "sweeps" => !sweeps.is_empty(),
        "lockstep" => !view.runs.is_empty(),
        "waves" => !view.waves.is_empty(),
        "recordings" => !view.recordings.is_empty(),
        _ => true,
    });
    parts
}
