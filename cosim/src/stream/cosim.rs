//! One run of frames from beginning to end.

use std::path::Path;

use respray_hdl::config::Config;
use respray_hdl::manifest::Generated;

use super::job::{Around, Extent};
use super::list::FrameList;
use super::options::{Frames, StreamError, StreamOptions, Traffic};
use super::pace::{Pace, Pacing};
use super::profile;
use super::report::StreamReport;
use super::rewrite_rx::RewriteRx;
use super::rewrite_tx::RewriteTx;
use super::stream_core::{RewriterSettings, StreamCore};
use crate::runner::Progress;
use crate::traffic::capture::{CaptureError, CaptureFile, Fault, Place};
use crate::traffic::frames::{Frame, FrameKnobs, RandomFrames, mix};

/// What the snap length cut off of frames up to this length is sent as zeros.
const LONGEST_FILLED: usize = 65_535;
/// LINKTYPE_ETHERNET.
const ETHERNET: i32 = 1;

/// The golden side of a core.
///
/// # Errors
/// [`StreamError::Core`].
pub fn core_of(
    name: &str,
    config: &Config,
    settings: RewriterSettings,
) -> Result<Box<dyn StreamCore>, StreamError> {
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
    let config = &generated.manifest.config;
    let core = core_of(&generated.manifest.module, config, options.own.settings)?;
    cosim_with(core.as_ref(), generated, options, progress)
}

/// The same of any core: with this golden side.
///
/// # Errors
/// [`StreamError`].
pub fn cosim_with(
    core: &dyn StreamCore,
    generated: &Generated,
    options: &StreamOptions,
    progress: &mut dyn FnMut(Progress),
) -> Result<StreamReport, StreamError> {
    let Frames { traffic, pacing, settings, .. } = &options.own;
    if let Pacing::Constant(Pace { gap, stall, .. }) = *pacing {
        for (option, value) in [("gap", gap), ("stall", stall)] {
            if !(0.0..1.0).contains(&value) {
                return Err(StreamError::Share { option, value });
            }
        }
    }
    let config = &generated.manifest.config;
    let mut around = Around { generated, options, core, pacing: *pacing, times: Vec::new() };
    let port = settings.udp_port.unwrap_or(profile(config).udp_port());
    let inputs = core.ports().inputs.len() as u8;
    let random =
        |knobs: &FrameKnobs| RandomFrames::new(pacing.seed(), profile(config), port, *knobs).over(inputs);
    match traffic {
        Traffic::Random { cycles, knobs } => {
            let extent = Extent { cycles: *cycles, of: *cycles, is_of_frames: false };
            around.run(random(knobs), extent, progress)
        }
        Traffic::Frames { frames, knobs } => {
            around.run(random(knobs).take(*frames as usize), Extent::of_frames(*frames), progress)
        }
        Traffic::Capture(path) => {
            let (frames, times) = capture(path, pacing.seed())?;
            around.times = times;
            around.run_list(&frames, progress)
        }
        Traffic::List(path) => {
            let list = FrameList::read(path)?;
            around.pacing = list.pacing;
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
            input: 0,
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
