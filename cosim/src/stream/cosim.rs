//! One run of frames from beginning to end.

use respray_hdl::config::Config;
use respray_hdl::manifest::Generated;

use super::capture::CaptureFrames;
use super::job::{Around, Extent};
use super::list::FrameList;
use super::options::{Frames, StreamError, StreamOptions, Traffic};
use super::pace::Pacing;
use super::report::StreamReport;
use super::rewrite_rx::RewriteRx;
use super::rewrite_tx::RewriteTx;
use super::run::Limit;
use super::shim_pop::ShimPop;
use super::shim_push::ShimPush;
use super::stream_core::{RewriterSettings, StreamCore};
use super::{ethertype, profile};
use crate::runner::Progress;
use crate::traffic::frames::{FrameKnobs, RandomFrames};

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
        "shim_push" => Ok(Box::new(ShimPush::new(config, settings))),
        "shim_pop" => Ok(Box::new(ShimPop::new(settings))),
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
    let Frames { traffic, pacing, settings, cut, .. } = &options.own;
    if let Pacing::Constant(pace) = *pacing
        && let Some((option, value)) = pace.wrong_share()
    {
        return Err(StreamError::Share { option, value });
    }
    let config = &generated.manifest.config;
    let mut around = Around { generated, options, core, pacing: *pacing, capture: None };
    let random = |knobs: &FrameKnobs| random_frames(core, config, *settings, *pacing, *knobs);
    match traffic {
        Traffic::Random { cycles, knobs } => {
            let limit = Limit { cycles: *cycles, time: options.time };
            let extent = Extent { limit, of: *cycles, is_of_frames: false };
            around.run(random(knobs), extent, progress)
        }
        Traffic::Frames { frames, knobs } => {
            around.run(random(knobs).take(*frames as usize), Extent::of_frames(*frames), progress)
        }
        Traffic::Capture(path) => {
            let frames = CaptureFrames::of_profile(path, *cut, pacing.seed(), core.profile())?;
            around.capture = Some(frames.clone());
            let extent = Extent::of_frames(frames.frames());
            let report = around.run(frames.clone(), extent, progress)?;
            let mut report = report.with_account(frames.account(core)?);
            // a run without a difference has told of it already
            report.not_done.extend(frames.take_error().map(|error| error.to_string()));
            report.warnings.extend(frames.warning().cloned());
            Ok(report)
        }
        Traffic::List(path) => {
            let list = FrameList::read(path)?;
            around.pacing = list.pacing;
            around.run_list(&list.frames, progress)
        }
        Traffic::Given(frames) => around.run_list(frames, progress),
    }
}

/// Random frames for a core: to its UDP port and over all of its inputs, and with shims for a core that works on them.
pub(super) fn random_frames(
    core: &dyn StreamCore,
    config: &Config,
    settings: RewriterSettings,
    pacing: Pacing,
    knobs: FrameKnobs,
) -> RandomFrames {
    let port = settings.udp_port.unwrap_or(profile(config).udp_port());
    let frames = RandomFrames::new(pacing.seed(), profile(config), port, knobs).carried(settings.carried);
    let frames = frames.over(core.ports().inputs.len() as u8).with_crc(config.has_crc());
    match core.name() {
        "shim_push" | "shim_pop" => frames.with_shims(ethertype(settings)),
        _ => frames,
    }
}
