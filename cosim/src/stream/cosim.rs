//! One run of frames from beginning to end.

use std::path::{Path, PathBuf};

use respray_hdl::config::Config;
use respray_hdl::manifest::Generated;
use thiserror::Error;

use super::core::{Settings, StreamCore};
use super::job::{Around, Extent};
use super::list::{FrameList, ListError};
use super::pace::Pace;
use super::report::StreamReport;
use super::rewrite_rx::RewriteRx;
use super::rewrite_tx::RewriteTx;
use super::{STREAM_CORES, profile};
use crate::runner::{Progress, RunError, RunOptions};
use crate::traffic::capture::{CaptureError, CaptureFile, Fault, Place};
use crate::traffic::frames::{Frame, FrameKnobs, RandomFrames, mix};

/// What the snap length cut off of frames up to this length is sent as zeros.
const LONGEST_FILLED: usize = 65_535;
/// LINKTYPE_ETHERNET.
const ETHERNET: i32 = 1;

/// A run of frames.
pub type StreamOptions = RunOptions<Frames>;

/// What only a run of frames has.
#[derive(Clone, Debug)]
pub struct Frames {
    pub traffic: Traffic,
    /// A list of frames brings its own.
    pub pace: Pace,
    pub settings: Settings,
    /// Where the frames that leave the core, up to the first difference, go as pcap.
    pub pcap_out: Option<PathBuf>,
}

/// What the core is given.
#[derive(Clone, Debug)]
pub enum Traffic {
    /// Every frame of a capture, with zeros for what the snap length cut off. EVs and timestamps are chosen by the seed.
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

impl StreamOptions {
    /// With nothing but traffic, the rest as the command line has it by default.
    pub fn new(core: &str, traffic: Traffic) -> Self {
        let pace = Pace { seed: 1, ..Pace::default() };
        RunOptions::of(core, Frames { traffic, pace, settings: Settings::default(), pcap_out: None })
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
    #[error(transparent)]
    List(#[from] ListError),
    #[error(transparent)]
    Run(#[from] RunError),
    #[error("`{option}` is {value}; allowed: 0 to below 1")]
    Share { option: &'static str, value: f64 },
}

/// The golden side of a core.
///
/// # Errors
/// [`StreamError::Core`].
pub fn core_of(name: &str, config: &Config, settings: Settings) -> Result<Box<dyn StreamCore>, StreamError> {
    match name {
        "rewrite_tx" => Ok(Box::new(RewriteTx::new(config, settings))),
        "rewrite_rx" => Ok(Box::new(RewriteRx::new(config, settings))),
        core => Err(StreamError::Core { core: core.to_string() }),
    }
}

/// Runs a generated core against its golden model. A difference is a report, not an error.
///
/// # Errors
/// [`StreamError`].
pub fn cosim(
    generated: &Generated,
    options: &StreamOptions,
    progress: &mut dyn FnMut(Progress),
) -> Result<StreamReport, StreamError> {
    let Frames { traffic, pace, settings, .. } = &options.own;
    for (option, value) in [("gap", pace.gap), ("stall", pace.stall)] {
        if !(0.0..1.0).contains(&value) {
            return Err(StreamError::Share { option, value });
        }
    }
    let config = &generated.manifest.config;
    let core = core_of(&generated.manifest.module, config, *settings)?;
    let mut around = Around { generated, options, core: core.as_ref(), pace: *pace, times: Vec::new() };
    let port = settings.udp_port.unwrap_or(profile(config).udp_port());
    let random = |knobs: &FrameKnobs| RandomFrames::new(pace.seed, profile(config), port, *knobs);
    match traffic {
        Traffic::Random { cycles, knobs } => {
            let extent = Extent { cycles: *cycles, of: *cycles, is_of_frames: false };
            around.run(random(knobs), extent, progress)
        }
        Traffic::Frames { frames, knobs } => {
            around.run(random(knobs).take(*frames as usize), Extent::of_frames(*frames), progress)
        }
        Traffic::Capture(path) => {
            let (frames, times) = capture(path, pace.seed)?;
            around.times = times;
            around.run_list(&frames, progress)
        }
        Traffic::List(path) => {
            let list = FrameList::read(path)?;
            around.pace = list.pace;
            around.run_list(&list.frames, progress)
        }
        Traffic::Given(frames) => around.run_list(frames, progress),
    }
}

/// The frames of a capture, and their times.
fn capture(path: &Path, seed: u64) -> Result<(Vec<Frame>, Vec<u64>), StreamError> {
    let mut file = CaptureFile::open(path)?;
    let (mut frames, mut times) = (Vec::new(), Vec::new());
    while let Some(frame) = file.next_frame()? {
        if frame.link_type != ETHERNET {
            let (path, number, link_type) = (path.to_path_buf(), frame.number, frame.link_type);
            return Err(StreamError::LinkType { path, number, link_type });
        }
        if frame.data.is_empty() {
            continue;
        }
        let stamp = mix(seed ^ frame.number << 20);
        let mut data = frame.data.to_vec();
        if frame.wire_len <= LONGEST_FILLED {
            data.resize(frame.wire_len, 0);
        }
        times.push(frame.time_ns);
        frames.push(Frame {
            data,
            ev: stamp as u16,
            timestamp: (stamp >> 16) as u16,
            enable: true,
            reset_after: None,
        });
    }
    if frames.is_empty() {
        let (path, place) = (path.to_path_buf(), Place::File);
        return Err(CaptureError { path, place, fault: Fault::Empty }.into());
    }
    Ok((frames, times))
}
