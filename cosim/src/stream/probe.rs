//! Whether a model of a stream core differs from the golden side, and where first; nothing is made of the difference.

use respray_hdl::manifest::Generated;

use super::capture::CaptureFrames;
use super::cosim::{core_of, random_frames};
use super::device::StreamDevice;
use super::options::{StreamError, Traffic};
use super::outcome::Listeners;
use super::pace::Pacing;
use super::run::run;
use super::stream_core::{RewriterSettings, StreamCore};
use super::timing::Timing;
use crate::report::{Probed, Seen};
use crate::runner::RunError;
use crate::traffic::capture::Cut;
use crate::traffic::frames::{Frame, FrameKnobs};
use crate::verilator::Model;

/// Runs a model with the ports of a generated core on traffic up to its first difference. A list of frames is refused.
///
/// # Errors
/// [`StreamError`].
pub fn probed(
    generated: &Generated,
    model: Model,
    traffic: &Traffic,
    pacing: Pacing,
    settings: RewriterSettings,
) -> Result<Probed, StreamError> {
    let config = &generated.manifest.config;
    let core = core_of(&generated.manifest.module, config, settings)?;
    let random = |knobs: &FrameKnobs| random_frames(core.as_ref(), config, settings, pacing, *knobs);
    let probe = Probe { generated, core: core.as_ref(), pacing };
    match traffic {
        Traffic::Random { cycles, knobs } => probe.run(model, random(knobs), *cycles),
        Traffic::Frames { frames, knobs } => probe.run(model, random(knobs).take(*frames as usize), u64::MAX),
        Traffic::Capture(path) | Traffic::List(path) => {
            probe.run(model, CaptureFrames::open(path, Cut::Warned, pacing.seed())?, u64::MAX)
        }
        Traffic::Given(frames) => probe.run(model, frames.iter().cloned(), u64::MAX),
    }
}

struct Probe<'a> {
    generated: &'a Generated,
    core: &'a dyn StreamCore,
    pacing: Pacing,
}

impl Probe<'_> {
    fn run(
        &self,
        model: Model,
        frames: impl Iterator<Item = Frame> + Clone + Send,
        cycles: u64,
    ) -> Result<Probed, StreamError> {
        let Probe { generated, core, pacing } = self;
        let ports = core.ports();
        let mut device = StreamDevice::new(model, &generated.manifest, ports).map_err(RunError::from)?;
        let timing = Timing::of(&generated.manifest, ports);
        let mut listeners =
            Listeners { frame: None, progress: &mut |_, _| {}, row: None, wrong: None, keeps_going: false };
        let run = run(*core, &mut device, &timing, frames, *pacing, cycles, &mut listeners);
        let seen = match (run.difference, device.stopped()) {
            (Some(found), _) => Some(Seen { cycle: found.cycle, port: found.port }),
            (None, Some((cycle, reason))) => Some(Seen { cycle, port: reason }),
            (None, None) => None,
        };
        Ok(Probed::new(seen, device.model()).map_err(RunError::from)?)
    }
}
