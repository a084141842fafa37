//! The table of contents.

use serde::Serialize;

use super::{View, sweeps};

/// A part of the page.
#[derive(Debug, Serialize)]
pub(super) struct Part {
    anchor: &'static str,
    name: &'static str,
}

/// The parts that the page has, in their order.
pub(super) fn parts(view: &View, sweeps: &[sweeps::View], has_speeds: bool) -> Vec<Part> {
    let part = |anchor, name, is_there: bool| is_there.then_some(Part { anchor, name });
    [
        part("cores", "How large", true),
        part("throughput", "How fast", has_speeds),
        part("targets", "Which card", true),
        part("changes", "Changes", true),
        part("lockstep", "Lockstep", !view.runs.is_empty()),
        part("waves", "Waves", !view.waves.is_empty()),
        part("recordings", "Recordings", !view.recordings.is_empty()),
        part("sweeps", "How cost grows", !sweeps.is_empty()),
        part("path", "How it comes about", true),
        part("tables", "All figures", true),
        part("made", "Made from", true),
    ]
    .into_iter()
    .flatten()
    .collect()
}
