//! One run from beginning to end: frames, model, golden side, and on a difference waves and a reproducer.

use std::collections::VecDeque;
use std::path::{Path, PathBuf};
use std::time::Instant;

use respray_hdl::config::Config;
use respray_hdl::manifest::{Generated, Manifest};
use thiserror::Error;

use super::core::{Settings, StreamCore, Timing};
use super::device::StreamDevice;
use super::frame::{Frame, mix};
use super::list::{FrameList, ListError, describe};
use super::pace::Pace;
use super::report::{StreamFailure, StreamReport};
use super::rewrite_rx::RewriteRx;
use super::rewrite_tx::RewriteTx;
use super::run::{Listeners, Run, run};
use super::shrink::{LOOK_BACK, shrink};
use super::{STREAM_CORES, profile};
use crate::lockstep::report::{Counts, LineCoverage, Verdict, command_line, config_arguments};
use crate::traffic::capture::{CaptureError, CaptureFile, Fault, Place};
use crate::traffic::frames::{FrameKnobs, RandomFrames};
use crate::traffic::pcap::PcapWriter;
use crate::verilator::{self, BuildOptions, Coverage, Design, Model, ModelError, Source, linked};

/// Cycles before the difference that the waves show.
const WAVE_BEFORE: u64 = 256;
/// Cycles of a run without a difference that the waves show, from its start.
const WAVE_OF_PASS: u64 = 4096;
/// Cycles that the shrinker may simulate in all.
const BUDGET_CYCLES: u64 = 20_000_000;
/// Time between two frames of a list or of the generator, in a capture that is written.
const FRAME_NS: u64 = 1000;
/// What the snap length cut off of frames up to this length is sent as zeros.
const LONGEST_FILLED: usize = 65_535;
/// LINKTYPE_ETHERNET.
const ETHERNET: i32 = 1;

/// What is run, on what, and what it leaves.
#[derive(Clone, Debug)]
pub struct StreamOptions {
    pub traffic: Traffic,
    /// A list of frames brings its own.
    pub pace: Pace,
    pub settings: Settings,
    /// Verilog to run instead of the generated one, with the same ports and latency.
    pub verilog: Option<PathBuf>,
    /// Waves of the cycles around the first difference, or of a passing run's first cycles. Without it, a
    /// difference's waves stand beside the reproducer, if `waves` is set.
    pub wave: Option<PathBuf>,
    /// Whether a difference leaves waves without being asked.
    pub waves: bool,
    /// Directory for `CORE.dat`, Verilator's count of executed lines.
    pub coverage: Option<PathBuf>,
    /// Where a difference's shrunken list of frames goes.
    pub reproducer: PathBuf,
    /// Where the frames that leave the core, up to the first difference, go as pcap.
    pub pcap_out: Option<PathBuf>,
    /// Where compiled models are kept, if not where they usually are.
    pub cache_dir: Option<PathBuf>,
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
        StreamOptions {
            traffic,
            pace: Pace { seed: 1, ..Pace::default() },
            settings: Settings::default(),
            verilog: None,
            wave: None,
            waves: true,
            coverage: None,
            reproducer: PathBuf::from(format!("{core}_failure.csv")),
            pcap_out: None,
            cache_dir: None,
        }
    }
}

/// What a run is at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StreamProgress {
    /// The model is verilated and compiled, or found in the cache.
    Building,
    /// So many of so many clock edges, or frames, are compared.
    Running { done: u64, of: u64 },
    /// A difference was found and is made small.
    Shrinking,
    /// The run is repeated up to the difference with waves on.
    Recording,
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
    Model(#[from] ModelError),
    #[error("{file}: {source}")]
    Verilog { file: String, source: ModelError },
    #[error("{file}: the Verilog stopped its simulation after {cycles} cycles: {reason}")]
    Stopped { file: String, cycles: u64, reason: String },
    #[error("`{option}` is {value}; allowed: 0 to below 1")]
    Share { option: &'static str, value: f64 },
    #[error("{}: {source}", .path.display())]
    Write { path: PathBuf, source: std::io::Error },
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
    progress: &mut dyn FnMut(StreamProgress),
) -> Result<StreamReport, StreamError> {
    for (option, value) in [("gap", options.pace.gap), ("stall", options.pace.stall)] {
        if !(0.0..1.0).contains(&value) {
            return Err(StreamError::Share { option, value });
        }
    }
    let manifest = &generated.manifest;
    let core = core_of(&manifest.module, &manifest.config, options.settings)?;
    let mut job = Job { generated, options, core: core.as_ref(), pace: options.pace, times: Vec::new() };
    let seed = options.pace.seed;
    let config = &manifest.config;
    let port = options.settings.udp_port.unwrap_or(profile(config).udp_port());
    let random = |knobs: &FrameKnobs| RandomFrames::new(seed, profile(config), port, *knobs);
    match &options.traffic {
        Traffic::Random { cycles, knobs } => {
            job.run(random(knobs), *cycles, (*cycles, |cycles, _| cycles), progress)
        }
        Traffic::Frames { frames, knobs } => {
            job.run(random(knobs).take(*frames as usize), u64::MAX, (*frames, |_, frames| frames), progress)
        }
        Traffic::Capture(path) => {
            let frames = job.capture(path)?;
            job.run_list(&frames, progress)
        }
        Traffic::List(path) => {
            let list = FrameList::read(path)?;
            job.pace = list.pace;
            job.run_list(&list.frames, progress)
        }
        Traffic::Given(frames) => job.run_list(frames, progress),
    }
}

struct Job<'a> {
    generated: &'a Generated,
    options: &'a StreamOptions,
    core: &'a dyn StreamCore,
    pace: Pace,
    /// Of the frames of a capture.
    times: Vec<u64>,
}

/// How far a run is to go, and which of its cycles and frames tells how far it is.
type Extent = (u64, fn(u64, u64) -> u64);

impl Job<'_> {
    fn manifest(&self) -> &Manifest {
        &self.generated.manifest
    }

    fn capture(&mut self, path: &Path) -> Result<Vec<Frame>, StreamError> {
        let mut file = CaptureFile::open(path)?;
        let mut frames = Vec::new();
        while let Some(frame) = file.next_frame()? {
            if frame.link_type != ETHERNET {
                let (path, number, link_type) = (path.to_path_buf(), frame.number, frame.link_type);
                return Err(StreamError::LinkType { path, number, link_type });
            }
            if frame.data.is_empty() {
                continue;
            }
            let stamp = mix(self.pace.seed ^ frame.number << 20);
            let mut data = frame.data.to_vec();
            if frame.wire_len <= LONGEST_FILLED {
                data.resize(frame.wire_len, 0);
            }
            self.times.push(frame.time_ns);
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
        Ok(frames)
    }

    fn run_list(
        &self,
        frames: &[Frame],
        progress: &mut dyn FnMut(StreamProgress),
    ) -> Result<StreamReport, StreamError> {
        self.run(frames.iter().cloned(), u64::MAX, (frames.len() as u64, |_, frames| frames), progress)
    }

    fn run(
        &self,
        stimulus: impl Iterator<Item = Frame> + Clone,
        cycles: u64,
        (of, done): Extent,
        progress: &mut dyn FnMut(StreamProgress),
    ) -> Result<StreamReport, StreamError> {
        if let Some(directory) = &self.options.coverage {
            std::fs::create_dir_all(directory).map_err(write_error(directory))?;
        }
        let mut pcap = match &self.options.pcap_out {
            Some(path) => Some((path, PcapWriter::create(path).map_err(write_error(path))?)),
            None => None,
        };
        progress(StreamProgress::Building);
        let mut device = self.device(self.design(false, self.options.coverage.is_some())?)?;
        let start = Instant::now();
        let mut heard = |cycles, frames| progress(StreamProgress::Running { done: done(cycles, frames), of });
        let mut pcap_error = None;
        let mut sink = |number: u64, data: &[u8]| {
            if let Some((_, writer)) = &mut pcap {
                let time = self.times.get(number as usize).copied().unwrap_or(number * FRAME_NS);
                pcap_error = pcap_error.take().or(writer.write(time, data).err());
            }
        };
        let mut listeners = Listeners { frame: &mut sink, progress: &mut heard };
        let end = self.go(&mut device, stimulus.clone(), self.pace, cycles, &mut listeners);
        let seconds = start.elapsed().as_secs_f64();
        if let Some(reason) = device.model().failure() {
            let own = || format!("{}.v", self.core.name());
            let file = self.options.verilog.as_ref().map_or_else(own, |path| path.display().to_string());
            return Err(StreamError::Stopped { file, cycles: end.cycles, reason });
        }
        if let Some((path, writer)) = pcap {
            pcap_error.map_or_else(|| writer.finish(), Err).map_err(write_error(path))?;
        }
        let coverage = match &self.options.coverage {
            Some(directory) => Some(self.coverage(device.model(), directory)?),
            None => None,
        };
        drop(device);
        let failure = match &end.difference {
            Some(_) => Some(self.failure(&end, stimulus, progress)?),
            None => {
                if let Some(wave) = &self.options.wave {
                    progress(StreamProgress::Recording);
                    self.record(stimulus, self.pace, wave, 0, cycles.min(WAVE_OF_PASS))?;
                }
                None
            }
        };
        let mut counts = vec![
            ("frames", end.frames),
            ("beats", end.beats),
            ("bytes", end.bytes),
            ("resets", end.resets),
            ("held_up", end.held_up),
        ];
        let own = self.core.count_names().iter().zip(&end.counts);
        let own: Vec<String> = own.map(|(name, count)| format!("{count} {name}")).collect();
        let summary = vec![
            format!("{} frames in {} beats and {} cycles", end.frames, end.beats, end.cycles),
            own.join(", "),
        ];
        counts.extend(self.core.count_names().iter().copied().zip(end.counts));
        Ok(StreamReport {
            core: self.core.name().to_string(),
            config: self.manifest().config.clone(),
            cycles: end.cycles,
            counts: Counts(counts),
            mismatches: failure.is_some().into(),
            cycles_per_second: (end.cycles as f64 / seconds).round(),
            summary,
            result: if failure.is_some() { Verdict::Fail } else { Verdict::Pass },
            coverage,
            failure,
        })
    }

    fn go(
        &self,
        device: &mut StreamDevice,
        stimulus: impl Iterator<Item = Frame>,
        pace: Pace,
        cycles: u64,
        listeners: &mut Listeners<'_>,
    ) -> Run {
        let timing = Timing::of(self.manifest());
        run(self.core, device, timing, stimulus, pace, cycles, listeners)
    }

    /// With nobody listening.
    fn go_quietly(
        &self,
        device: &mut StreamDevice,
        stimulus: impl Iterator<Item = Frame>,
        pace: Pace,
        cycles: u64,
    ) -> Run {
        let mut listeners = Listeners { frame: &mut |_, _| {}, progress: &mut |_, _| {} };
        self.go(device, stimulus, pace, cycles, &mut listeners)
    }

    /// Writes what Verilator counted, and the Verilog with the counts beside its lines.
    fn coverage(&self, model: &mut Model, directory: &Path) -> Result<LineCoverage, StreamError> {
        let counts = directory.join(format!("{}.dat", self.core.name()));
        model.coverage_write(&counts)?;
        let coverage = Coverage::read(&counts)?;
        let verilog = match &self.options.verilog {
            Some(path) => Source::read(&self.manifest().module, path)?.verilog,
            None => self.generated.verilog.clone(),
        };
        let path = directory.join(format!("{}.v.coverage", self.core.name()));
        std::fs::write(&path, coverage.annotate(&verilog)).map_err(write_error(&path))?;
        let (executed, lines) = coverage.covered_and_total();
        Ok(LineCoverage { executed, lines, not_executed: coverage.uncovered() })
    }

    /// The model's design: the one linked in where it serves, else one from the cache.
    fn design(&self, trace: bool, coverage: bool) -> Result<&'static Design, StreamError> {
        let Generated { verilog, manifest } = self.generated;
        let plain = !trace && !coverage;
        let top = &manifest.module;
        let source = match &self.options.verilog {
            Some(path) => Source::read(top, path)?,
            None if plain
                && manifest.config == Config::default()
                && linked::names().contains(&top.as_str()) =>
            {
                return Ok(linked::design(top)?);
            }
            None => Source::new(top, verilog.as_str()),
        };
        let cache_dir = self.options.cache_dir.clone();
        let build = BuildOptions { trace, coverage, cache_dir, ..BuildOptions::default() };
        verilator::build(&source, &build).map_err(|error| self.place(error))
    }

    fn device(&self, design: &'static Design) -> Result<StreamDevice, StreamError> {
        let model = design.model(self.pace.seed as u32)?;
        StreamDevice::new(model, self.manifest(), self.core.ports()).map_err(|error| self.place(error))
    }

    /// Names the user's file, if the Verilog is the user's.
    fn place(&self, source: ModelError) -> StreamError {
        match &self.options.verilog {
            Some(path) => StreamError::Verilog { file: path.display().to_string(), source },
            None => StreamError::Model(source),
        }
    }

    fn failure(
        &self,
        end: &Run,
        stimulus: impl Iterator<Item = Frame> + Clone,
        progress: &mut dyn FnMut(StreamProgress),
    ) -> Result<StreamFailure, StreamError> {
        let difference = end.difference.clone().expect("a failed run has a difference");
        progress(StreamProgress::Shrinking);
        let design = self.design(false, false)?;
        let mut tail = VecDeque::new();
        for frame in stimulus.clone().take(end.begun as usize) {
            if tail.len() == LOOK_BACK {
                tail.pop_front();
            }
            tail.push_back(frame);
        }
        let (mut spent, mut error) = (0, None);
        let found = shrink(tail.make_contiguous(), self.pace, &mut |list| {
            if spent > BUDGET_CYCLES || error.is_some() {
                return None;
            }
            let mut device = self.device(design).map_err(|failed| error = Some(failed)).ok()?;
            let frames = list.frames.iter().cloned();
            let run = self.go_quietly(&mut device, frames, list.pace, BUDGET_CYCLES);
            spent += run.cycles;
            run.difference.is_some().then_some(run.begun as usize)
        });
        if let Some(error) = error {
            return Err(error);
        }
        let file = &self.options.reproducer;
        let again = match &found {
            Some(_) => vec!["--frames".to_string(), file.display().to_string()],
            None => self.arguments(),
        };
        let command = self.command(&again);
        if let Some(list) = &found {
            let notes = vec![format!("{}: {difference}", self.core.name()), command.clone()];
            FrameList { notes, ..list.clone() }.write(file)?;
        }
        let beside = self.options.waves.then(|| file.with_extension("fst"));
        let wave = self.options.wave.clone().or(beside);
        if let Some(wave) = &wave {
            progress(StreamProgress::Recording);
            let from = difference.cycle.saturating_sub(WAVE_BEFORE);
            self.record(stimulus, self.pace, wave, from, end.cycles + 1)?;
        }
        let frames = found
            .as_ref()
            .map_or_else(Vec::new, |list| list.frames.iter().map(|frame| describe(&frame.data)).collect());
        Ok(StreamFailure {
            difference,
            shrunken_frames: frames,
            wave,
            reproducer: found.is_some().then(|| file.clone()),
            reproducer_frames: found.map(|list| list.frames.len()),
            command,
        })
    }

    /// Repeats the run's first `cycles` with waves from cycle `from` on.
    fn record(
        &self,
        stimulus: impl Iterator<Item = Frame>,
        pace: Pace,
        wave: &Path,
        from: u64,
        cycles: u64,
    ) -> Result<(), StreamError> {
        let mut device = self.device(self.design(true, false)?)?;
        device.record_from(from, wave);
        self.go_quietly(&mut device, stimulus, pace, cycles);
        device.recorded()?;
        Ok(())
    }

    /// The arguments that give this run's traffic again.
    fn arguments(&self) -> Vec<String> {
        let mut arguments = match &self.options.traffic {
            Traffic::Capture(path) => vec!["--traffic".to_string(), path.display().to_string()],
            Traffic::List(path) => return vec!["--frames".to_string(), path.display().to_string()],
            Traffic::Random { cycles, .. } => vec!["--random".to_string(), cycles.to_string()],
            Traffic::Frames { .. } | Traffic::Given(_) => Vec::new(),
        };
        let Pace { gap, stall, seed } = self.pace;
        for (option, value) in [("--gap", gap), ("--stall", stall)] {
            if value > 0.0 {
                arguments.extend([option.to_string(), value.to_string()]);
            }
        }
        arguments.extend(["--seed".to_string(), seed.to_string()]);
        arguments
    }

    fn command(&self, traffic: &[String]) -> String {
        let mut arguments: Vec<String> =
            ["respray", "cosim", "--core", self.core.name()].map(String::from).to_vec();
        arguments.extend_from_slice(traffic);
        arguments.extend(self.core.setting_arguments());
        arguments.extend(config_arguments(&self.manifest().config));
        if let Some(path) = &self.options.verilog {
            arguments.extend(["--verilog".into(), path.display().to_string()]);
        }
        command_line(&arguments)
    }
}

fn write_error(path: &Path) -> impl FnOnce(std::io::Error) -> StreamError + '_ {
    move |source| StreamError::Write { path: path.to_path_buf(), source }
}
