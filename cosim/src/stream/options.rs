//! What a run of frames is asked for, and why there may be none.

use std::path::PathBuf;

use thiserror::Error;

use super::STREAM_CORES;
use super::list::ListError;
use super::pace::{PAUSES, Pacing};
use super::stream_core::RewriterSettings;
use crate::runner::{RunError, RunOptions};
use crate::traffic::capture::{Account, CaptureError, Cut};
use crate::traffic::frames::{Frame, FrameKnobs, LONGEST_FRAME};

/// A run of frames.
pub type StreamOptions = RunOptions<Frames>;

/// What only a run of frames has.
#[derive(Clone, Debug)]
pub struct Frames {
    pub traffic: Traffic,
    /// A list of frames brings its own.
    pub pacing: Pacing,
    pub settings: RewriterSettings,
    /// Where the frames that leave the core, up to the first difference, go as pcap.
    pub pcap_out: Option<PathBuf>,
    /// What becomes of a capture that ends within a record.
    pub cut: Cut,
}

/// What the core is given.
#[derive(Clone, Debug)]
pub enum Traffic {
    /// Every frame of a capture that has 1 to [`LONGEST_FRAME`] bytes, with zeros for what the snap length cut off; the others
    /// are counted as `skipped`. A rewriter is not given those of which the capture does not show whether they are
    /// the profile's. EVs and timestamps are chosen by the seed. A frame without a time leaves with that of the frame
    /// before, and those before the first frame with a time leave with that.
    Capture(PathBuf),
    /// A list of frames, as a failing run leaves it.
    List(PathBuf),
    /// Random frames for so many clock edges.
    Random { cycles: u64, knobs: FrameKnobs },
    /// So many random frames.
    Frames { frames: u64, knobs: FrameKnobs },
    /// These frames.
    Given(Vec<Frame>),
}

impl Traffic {
    /// The pace where none is given: by phases for random frames without an end, which are to reach every state; without pauses
    /// for all else.
    pub fn pacing(&self, seed: u64) -> Pacing {
        match self {
            Traffic::Random { .. } => Pacing::Phases { seed, first: 0 },
            _ => Pacing::free(seed),
        }
    }
}

impl StreamOptions {
    /// With nothing but traffic, the rest as the command line has it by default.
    pub fn new(core: &str, traffic: Traffic) -> Self {
        let (pacing, settings) = (traffic.pacing(1), RewriterSettings::default());
        RunOptions::of(core, Frames { traffic, pacing, settings, pcap_out: None, cut: Cut::Refused })
    }
}

/// Why there was no run. Its text is the whole sentence for the user.
#[derive(Debug, Error)]
pub enum StreamError {
    #[error("no packets stream through core `{core}`; allowed: {}", STREAM_CORES.join(", "))]
    Core { core: String },
    #[error(transparent)]
    Capture(#[from] CaptureError),
    #[error("{}: frame {number} is of link type {link_type}; allowed: Ethernet (1)", path.display())]
    LinkType { path: PathBuf, number: u64, link_type: i32 },
    #[error(
        "{}: none of the {} frames has 1 to {LONGEST_FRAME} bytes and shows what it is, and others are not sent: {}",
        path.display(), left.frames, left.reasons()
    )]
    NothingSent { path: PathBuf, left: Account },
    #[error(transparent)]
    List(#[from] ListError),
    #[error("frame {number}, counted from 0, is for input {input} of `{core}`; allowed: 0 to {last}")]
    Input { core: &'static str, number: usize, input: u8, last: usize },
    #[error(transparent)]
    Run(#[from] RunError),
    #[error("`{option}` is {value}; allowed: {PAUSES}")]
    Share { option: &'static str, value: f64 },
}
