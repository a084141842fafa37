//! A run of frames, and what is made of it when it fails.

use std::path::Path;
use std::time::Instant;

use respray_hdl::manifest::Generated;

use super::capture::CaptureFrames;
use super::device::{Device, Elsewhere, StreamDevice, pins};
use super::list::{FrameList, describe};
use super::options::{Frames, StreamError, StreamOptions, Traffic};
use super::pace::{Pace, Pacing};
use super::predict::Predictor;
use super::report::{StreamFailure, StreamReport};
use super::results::FrameResults;
use super::run::{Limit, Listeners, Run, run};
use super::shrink::{shrink, tail};
use super::stream_core::StreamCore;
use super::timing::Timing;
use super::waves::record;
use crate::report::{Differing, Repeat};
use crate::runner::{Files, Fresh, Job, Progress, RunError, Window, carry_out, name, write_error};
use crate::simulators::{Pins, Process};
use crate::traffic::capture::Cut;
use crate::traffic::frames::Frame;
use crate::traffic::pcap::PcapWriter;
use crate::verilator::{Model, ModelError};
use respray_files::output::OutputError;

/// Cycles that the shrinker may simulate in all.
const BUDGET_CYCLES: u64 = 20_000_000;
/// Cycles that a frame takes, more or less.
const CYCLES_OF_FRAME: u64 = 24;
/// Time between two frames of a list or of the generator, in a capture that is written.
const FRAME_NS: u64 = 1000;

/// What a run has beside its frames.
pub(super) struct Around<'a> {
    pub generated: &'a Generated,
    pub options: &'a StreamOptions,
    pub core: &'a dyn StreamCore,
    pub pacing: Pacing,
    /// The frames, where they are those of a capture.
    pub capture: Option<CaptureFrames>,
}

/// How far a run is to go.
#[derive(Clone, Copy)]
pub(super) struct Extent {
    /// How far it goes at most.
    pub limit: Limit,
    /// So many frames, or clock edges, tell how far it is.
    pub of: u64,
    pub is_of_frames: bool,
}

impl Extent {
    pub fn of_frames(of: u64) -> Extent {
        Extent { limit: u64::MAX.into(), of, is_of_frames: true }
    }
}

/// Where the frames go that leave the core.
struct Leaving<'a> {
    path: &'a Path,
    writer: PcapWriter,
    error: Option<std::io::Error>,
    /// The frames of a capture once more, for their times.
    times: Option<CaptureFrames>,
}

impl Around<'_> {
    pub fn run_list(
        &self,
        frames: &[Frame],
        progress: &mut dyn FnMut(Progress),
    ) -> Result<StreamReport, StreamError> {
        let inputs = self.core.ports().inputs.len();
        if let Some(number) = frames.iter().position(|frame| usize::from(frame.input) >= inputs) {
            let (core, input) = (self.core.name(), frames[number].input);
            return Err(StreamError::Input { core, number, input, last: inputs - 1 });
        }
        self.run(frames.iter().cloned(), Extent::of_frames(frames.len() as u64), progress)
    }

    pub fn run(
        &self,
        stimulus: impl Iterator<Item = Frame> + Clone + Send,
        extent: Extent,
        progress: &mut dyn FnMut(Progress),
    ) -> Result<StreamReport, StreamError> {
        let leaving = match &self.options.own.pcap_out {
            Some(path) => {
                let writer = PcapWriter::create(path).map_err(RunError::from)?;
                Some(Leaving { path, writer, error: None, times: self.capture.clone() })
            }
            None => None,
        };
        let results = self.options.results.as_ref();
        let results = results.map(|path| FrameResults::create(path, self.core.ports())).transpose();
        let results = results.map_err(RunError::from)?;
        carry_out(&mut FrameJob { around: self, stimulus, extent, leaving, results }, progress)
    }

    /// With nobody listening.
    fn go_quietly(
        &self,
        device: &mut StreamDevice,
        stimulus: impl Iterator<Item = Frame> + Clone + Send,
        pacing: Pacing,
        cycles: u64,
    ) -> Run {
        let mut listeners =
            Listeners { frame: None, progress: &mut |_, _| {}, row: None, wrong: None, keeps_going: false };
        let timing = Timing::of(&self.generated.manifest, self.core.ports());
        run(self.core, device, &timing, stimulus, pacing, cycles, &mut listeners)
    }

    /// The command that fails again on the shrunken list.
    fn again(&self) -> String {
        self.command(vec!["--frames".to_string(), name(&self.options.reproducer)])
    }

    /// The command of a run with these arguments of its traffic.
    fn command(&self, mut arguments: Vec<String>) -> String {
        arguments.extend(self.core.setting_arguments());
        self.options.command(self.generated, &arguments)
    }

    /// The arguments that give this run's traffic again; with a limit of time, `run` says how much of it.
    fn arguments(&self, run: &Run) -> Vec<String> {
        let mut arguments = match &self.options.own.traffic {
            Traffic::Capture(path) => {
                let strict = matches!(self.options.own.cut, Cut::Refused).then(|| "--strict".to_string());
                ["--traffic".to_string(), name(path)].into_iter().chain(strict).collect()
            }
            Traffic::List(path) => return vec!["--frames".to_string(), name(path)],
            Traffic::Random { cycles, .. } => {
                let found = run.difference.as_ref();
                let reached = found.map_or(run.cycles, |found| run.cycles.max(found.cycle + 1));
                let cycles = if self.options.time.is_some() { reached } else { *cycles };
                vec!["--random".to_string(), cycles.to_string()]
            }
            Traffic::Frames { .. } | Traffic::Given(_) => Vec::new(),
        };
        if let Pacing::Constant(Pace { gap, stall, .. }) = self.pacing
            && self.pacing != self.options.own.traffic.pacing(self.pacing.seed())
        {
            for (option, value) in [("--gap", gap), ("--stall", stall)] {
                arguments.extend([option.to_string(), value.to_string()]);
            }
        }
        arguments.extend(["--seed".to_string(), self.pacing.seed().to_string()]);
        arguments
    }
}

struct FrameJob<'a, I> {
    around: &'a Around<'a>,
    stimulus: I,
    extent: Extent,
    leaving: Option<Leaving<'a>>,
    results: Option<FrameResults<'a>>,
}

impl<I: Iterator<Item = Frame> + Clone + Send> Job for FrameJob<'_, I> {
    type Own = Frames;
    type Device = StreamDevice;
    type Run = Run;
    type Small = Option<FrameList>;
    type Failure = StreamFailure;
    type Error = StreamError;

    fn generated(&self) -> &Generated {
        self.around.generated
    }

    fn options(&self) -> &StreamOptions {
        self.around.options
    }

    fn model_seed(&self) -> u32 {
        self.around.pacing.seed() as u32
    }

    fn device(&self, model: Model) -> Result<StreamDevice, ModelError> {
        StreamDevice::new(model, &self.around.generated.manifest, self.around.core.ports())
    }

    fn model(device: &mut StreamDevice) -> &mut Model {
        device.model()
    }

    fn stopped(device: &mut StreamDevice, _run: &Run) -> Option<(u64, String)> {
        device.stopped()
    }

    fn run(&mut self, device: &mut StreamDevice, progress: &mut dyn FnMut(Progress)) -> Run {
        self.run_on(device, progress)
    }

    fn pins(&self) -> Pins {
        pins(&self.around.generated.manifest, self.around.core.ports())
    }

    fn run_elsewhere(&mut self, process: Process, progress: &mut dyn FnMut(Progress)) -> (Run, Process) {
        let Around { generated, core, .. } = self.around;
        let mut device = Elsewhere::new(process, &generated.manifest, core.ports());
        let run = self.run_on(&mut device, progress);
        (run, device.into_process())
    }

    fn broken(&mut self) -> Option<StreamError> {
        self.around.capture.as_ref().and_then(CaptureFrames::take_error)
    }

    fn keep(&mut self) -> Result<(), OutputError> {
        let table = self.results.take().map_or(Ok(()), FrameResults::finish);
        let frames = match self.leaving.take() {
            Some(Leaving { path, error: Some(source), .. }) => Err(write_error(path)(source)),
            Some(Leaving { writer, .. }) => writer.finish(),
            None => Ok(()),
        };
        frames.and(table)
    }

    fn about_cycles(&self) -> u64 {
        if self.extent.is_of_frames {
            self.extent.of.saturating_mul(CYCLES_OF_FRAME)
        } else {
            self.extent.limit.cycles
        }
    }

    fn cycles(run: &Run) -> u64 {
        run.cycles
    }

    fn given(run: &Run) -> u64 {
        run.begun
    }

    fn difference(run: &Run) -> Option<u64> {
        run.difference.as_ref().map(|difference| difference.cycle)
    }

    fn differing(run: &Run) -> Option<&Differing> {
        Some(&run.differing)
    }

    fn shrink(&self, run: &Run, device: Fresh<'_, StreamDevice>) -> Result<Option<FrameList>, RunError> {
        let tail = tail(self.stimulus.clone().take(run.begun_by_difference.max(1) as usize));
        let cycle = Self::difference(run).unwrap_or(run.cycles);
        let paces = self.around.pacing.towards(cycle);
        let (mut spent, mut error) = (0, None);
        let found = shrink(&tail, &paces, &mut |list| {
            if spent > BUDGET_CYCLES || error.is_some() {
                return None;
            }
            let mut device = device().map_err(|failed| error = Some(failed)).ok()?;
            let frames = list.frames.iter().cloned();
            let run = self.around.go_quietly(&mut device, frames, list.pacing, BUDGET_CYCLES);
            spent += run.cycles;
            run.difference.is_some().then_some(run.begun as usize)
        });
        error.map_or(Ok(found), Err)
    }

    fn leave(&self, run: &Run, small: &Option<FrameList>) -> Result<bool, OutputError> {
        let (Some(list), Some(difference)) = (small, &run.difference) else { return Ok(false) };
        let notes = vec![format!("{}: {difference}", self.around.core.name()), self.around.again()];
        FrameList { notes, ..list.clone() }.write(&self.around.options.reproducer)?;
        Ok(true)
    }

    fn record(&self, mut device: StreamDevice, window: Window) -> Result<Vec<u8>, ModelError> {
        let Around { generated, core, pacing, .. } = self.around;
        let (ports, layout) = (core.ports(), device.layout().clone());
        let timing = Timing::of(&generated.manifest, ports);
        let stimulus = self.stimulus.clone();
        let mut predictor = Predictor::new(*core, &layout, &timing, stimulus, *pacing, window.end, false);
        record(&mut predictor, &mut device, ports, window)
    }

    fn failure(&self, run: Run, small: Option<FrameList>, files: Files) -> StreamFailure {
        let command = match &files.reproducer {
            Some(_) => self.around.again(),
            None => self.around.command(self.around.arguments(&run)),
        };
        let frames = small.as_ref().map(|list| list.frames.len());
        let described = small.iter().flat_map(|list| &list.frames).map(|frame| describe(&frame.data));
        StreamFailure {
            difference: run.difference.expect("a failed run has a difference"),
            shrunken_frames: described.collect(),
            wave: files.wave,
            command,
            reproducer: files.reproducer,
            reproducer_frames: frames,
        }
    }

    fn repeat(&self, run: &Run) -> Repeat {
        let command = self.around.command(self.around.arguments(run));
        Repeat { seed: self.around.pacing.seed(), part: None, command }
    }

    fn counted(&self, run: &Run) -> (Vec<(&'static str, u64)>, Vec<String>) {
        let own = || self.around.core.count_names().iter().copied().zip(run.counts.iter().copied());
        let mut counts = vec![
            ("frames", run.frames),
            ("beats", run.beats),
            ("bytes", run.bytes),
            ("resets", run.resets),
            ("held_up", run.held_up),
        ];
        let capture = self.around.capture.as_ref();
        counts.extend(capture.map(|capture| ("skipped", capture.skipped())));
        counts.extend(own());
        let words: Vec<String> = own().map(|(name, count)| format!("{count} {name}")).collect();
        let summary = vec![
            format!("{} frames in {} beats and {} cycles", run.frames, run.beats, run.cycles),
            words.join(", "),
        ];
        (counts, summary)
    }
}

impl<I: Iterator<Item = Frame> + Clone + Send> FrameJob<'_, I> {
    /// The whole run on a device.
    fn run_on(&mut self, device: &mut dyn Device, progress: &mut dyn FnMut(Progress)) -> Run {
        let Around { generated, core, options, pacing, .. } = self.around;
        let Extent { limit, of, is_of_frames } = self.extent;
        let begun = Instant::now();
        let mut sink = self.leaving.as_mut().map(|Leaving { writer, error, times, .. }| {
            |number: u64, data: &[u8]| {
                let time = times.as_mut().and_then(|times| times.time_of(number));
                let time = time.unwrap_or(number * FRAME_NS);
                *error = error.take().or(writer.write(time, data).err());
            }
        });
        let mut heard = |cycles, frames| {
            let of = if is_of_frames { of } else { limit.total(of, cycles, begun.elapsed()) };
            progress(Progress::Running { done: if is_of_frames { frames } else { cycles }, of });
        };
        let layout = device.layout().clone();
        let mut row = self.results.as_mut().map(|results| {
            |cycle: u64, inputs: &[u64], outputs: &[u64]| results.hear(&layout, cycle, inputs, outputs)
        });
        let mut listeners = Listeners {
            frame: sink.as_mut().map(|sink| sink as _),
            progress: &mut heard,
            row: row.as_mut().map(|row| row as _),
            wrong: None,
            keeps_going: options.keep_going,
        };
        let timing = Timing::of(&generated.manifest, core.ports());
        run(*core, device, &timing, self.stimulus.clone(), *pacing, limit, &mut listeners)
    }
}
