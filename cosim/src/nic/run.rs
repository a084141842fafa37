//! A run of two blocks, from the configuration to the report.

use std::fmt;
use std::path::{Path, PathBuf};
use std::time::Instant;

use respray_files::output::write_all;
use respray_files::range::Whole;
use respray_golden::hosts::Setup;
use respray_golden::hosts::scenarios::Scenario;
use respray_golden::nic::Transmitted;
use respray_golden::paths::End as Side;
use respray_hdl::catalogue;
use respray_hdl::config::Config;
use respray_hdl::manifest::Generated;
use respray_hdl::nic::top::{self, NAME};

use super::end::End;
use super::error::{NicError, REGISTER};
use super::files::{self, NoWaves, RunFiles};
use super::pair::{Pair, Stop};
use super::registers;
use super::report::{self, NicFailure, PairReport, Shrunk};
use super::shrink::{Small, shrink};
use crate::interrupt;
use crate::lockstep::Progress;
use crate::netlist::{Origin, Synthesis};
use crate::report::{LineCoverage, Provenance, Repeat, Report, Verdict, command_line, config_arguments};
use crate::runner::{Window, design_for};
use crate::traffic::pcap::PcapWriter;
use crate::verilator::{BuildOptions, ModelError, Source};

/// Cycles for a packet, about.
const CYCLES_PER_PACKET: u64 = 120;
/// Cycles between two looks at the progress.
const PROGRESS_CYCLES: u64 = 1 << 12;
/// Cycles in which some packet is acknowledged, by far: a path that fails is back within a tenth of them.
const MOST_IDLE_CYCLES: u64 = 1 << 23;
/// Of what is random in a model that is not reset.
pub(super) const MODEL_SEED: u32 = 1;

/// Which pair.
#[derive(Clone, Debug, PartialEq)]
pub struct PairOptions {
    pub scenario: Scenario,
    /// What A sends B, about.
    pub bytes: u64,
    /// Of the network.
    pub seed: u64,
    /// Registers that both hosts write before they open a connection, behind those of the scenario, by name.
    pub registers: Vec<(String, u32)>,
    /// The cells of a device that run instead of the Verilog.
    pub netlist: Option<Synthesis>,
    pub files: RunFiles,
    /// A capture of what each end sends: the name of the end goes before the extension.
    pub pcap_out: Option<PathBuf>,
}

/// The block of a configuration, to be watched.
pub(super) fn source(config: &Config) -> Result<Source, NicError> {
    Ok(Source::new(NAME, top::observed(config)?))
}

/// The same as it runs: the Verilog, or the netlist that is made of it here, and where that comes from.
pub(super) fn source_as(
    config: &Config,
    netlist: Option<&Synthesis>,
    progress: &mut dyn FnMut(Progress),
) -> Result<(Source, Option<Origin>), NicError> {
    let source = source(config)?;
    let Some(synthesis) = netlist else { return Ok((source, None)) };
    progress(Progress::Synthesising);
    let manifest = catalogue::generate(NAME, config)?.manifest;
    let netlist = synthesis.netlist(&Generated { verilog: source.verilog, manifest });
    let netlist = netlist.map_err(NicError::Synthesis)?;
    Ok((Source::new(NAME, netlist.verilog), Some(netlist.origin)))
}

impl End {
    /// A block of a configuration, generated, compiled, powered up and reset.
    ///
    /// # Errors
    /// If it cannot be generated or compiled.
    pub fn generated(config: &Config) -> Result<End, NicError> {
        let design = design_for(&source(config)?, BuildOptions::default(), 0)?;
        Ok(End::new(design.model(MODEL_SEED)?, super::golden(config))?)
    }
}

/// Runs two blocks up to the last message or the first difference.
///
/// # Errors
/// If there is no run.
pub fn pair(
    config: &Config,
    options: &PairOptions,
    progress: &mut dyn FnMut(Progress),
) -> Result<PairReport, NicError> {
    check(options)?;
    let mut setup = options.scenario.setup(super::golden(config), options.bytes, options.seed);
    registers::add(&mut setup, &options.registers)?;
    options.files.prepare()?;
    let (source, origin) = source_as(config, options.netlist.as_ref(), progress)?;
    progress(Progress::Building);
    let packets: u64 = options.bytes / u64::from(setup.payload) + 1;
    let cycles = packets * CYCLES_PER_PACKET;
    let design = design_for(&source, options.files.build(), cycles)?;
    let mut captures = Captures::create(options.pcap_out.as_deref())?;
    let mut ends = Vec::new();
    for _ in Side::BOTH {
        ends.push(End::new(design.model(MODEL_SEED)?, setup.nic.clone())?);
    }
    let ends: [End; 2] = ends.try_into().ok().expect("two ends");
    let heed = interrupt::Heed::new();
    let start = Instant::now();
    let run = run(&setup, ends, &mut captures, (&options.files, &source), progress);
    let seconds = start.elapsed().as_secs_f64();
    drop(heed);
    let is_interrupted = interrupt::is_requested();
    captures.finish()?;
    let command = command(options, config);
    let mut not_done = Vec::new();
    let coverage = run.coverage.unwrap_or_else(|sentence| {
        not_done.push(sentence);
        None
    });
    let mut failure = run.stop.map(|stop| {
        progress(Progress::Shrinking);
        let plain = design_for(&source, BuildOptions::default(), cycles);
        let small = plain.and_then(|design| match &stop {
            Stop::Differs(side, _) => {
                smallest(&setup, *side, &mut |_| End::new(design.model(MODEL_SEED)?, setup.nic.clone()))
            }
            Stop::Broken(..) => Ok(None),
        });
        let small = small.unwrap_or_else(|error| {
            not_done.push(error.to_string());
            None
        });
        failure(
            &stop,
            small.map(|(small, _)| small),
            &options.files.reproducer,
            config,
            &command,
            &mut not_done,
        )
    });
    if let Some(wave) = options.files.wave.as_deref().filter(|_| !is_interrupted) {
        progress(Progress::Recording);
        let recorded = run.window.and_then(|(side, window)| record(&setup, &source, side, window, wave));
        files::recorded(recorded, wave, failure.as_mut(), &mut not_done);
    }
    let result = match &failure {
        Some(_) => Verdict::Fail,
        None if is_interrupted => Verdict::Interrupted,
        None => Verdict::Pass,
    };
    let bytes = Side::BOTH
        .map(|side| setup.messages[side.index()].iter().map(|message| u64::from(message.bytes)).sum());
    let time_us = (run.cycles * setup.cycle_ps) as f64 / 1e6;
    Ok(PairReport {
        scenario: options.scenario.name(),
        time_us,
        run: Report {
            core: NAME.to_string(),
            config: config.clone(),
            provenance: Provenance::new(
                &[(&source, design)],
                Repeat { seed: options.seed, part: None, command },
            )
            .of_netlist(origin),
            cycles: 2 * run.cycles,
            mismatches: failure.is_some().into(),
            differing_ports: None,
            cycles_per_second: (run.cycles as f64 / seconds).round(),
            result,
            summary: report::summary(&run.counts, &run.paths, time_us, bytes),
            counts: run.counts,
            coverage,
            warnings: Vec::new(),
            failure,
            not_done,
        },
        paths: run.paths,
    })
}

/// What makes an end differ, as little as can be: the run is repeated and what it gives that end is kept. Beside it the frames that end
/// was given in all. `None` if they do not make it differ by themselves.
///
/// # Errors
/// If there is no block.
pub fn smallest(
    setup: &Setup,
    side: Side,
    fresh: &mut dyn FnMut(Side) -> Result<End, ModelError>,
) -> Result<Option<(Small, usize)>, ModelError> {
    let mut ends = [fresh(Side::A)?, fresh(Side::B)?];
    ends[side.index()].record();
    let Ok(mut pair) = Pair::new(setup, ends) else { return Ok(None) };
    let again = to_the_end(&mut pair, &mut Captures::default(), &mut |_| {});
    let stimulus = pair.end(side).recorded();
    if again.is_ok() {
        return Ok(None);
    }
    let small = shrink(&stimulus, &mut || fresh(side))?;
    Ok(small.map(|small| (small, stimulus.frames.len())))
}

/// Repeats the run with waves of one end.
fn record(setup: &Setup, source: &Source, side: Side, window: Window, wave: &Path) -> Result<(), NoWaves> {
    let traced = BuildOptions { trace: true, ..BuildOptions::default() };
    let mut ends = Vec::new();
    for one in Side::BOTH {
        let build = if one == side { traced.clone() } else { BuildOptions::default() };
        let model = design_for(source, build, window.end)?.model(MODEL_SEED)?;
        ends.push(End::new(model, setup.nic.clone())?);
    }
    ends[side.index()].record_waves(window);
    let ends: [End; 2] = ends.try_into().ok().expect("two ends");
    let mut pair = Pair::new(setup, ends).map_err(|_| NoWaves::Setup)?;
    let mut heard = |_, _, _: &Transmitted| {};
    let mut goes_on = true;
    while goes_on && !pair.end(side).waves_are_taken() {
        // a run that stopped stops where it did before
        goes_on = !pair.is_done() && pair.step(&mut heard).is_ok();
        if pair.is_done() {
            pair.finish(&mut heard).ok();
            goes_on = false;
        }
    }
    files::write_waves(pair.end(side), wave)
}

/// What is said of a run that stopped, and the list of frames that is left of it.
pub(super) fn failure(
    stop: &dyn fmt::Display,
    small: Option<Small>,
    reproducer: &Path,
    config: &Config,
    command: &str,
    not_done: &mut Vec<String>,
) -> NicFailure {
    let what = stop.to_string();
    let Some(small) = small else {
        return NicFailure { what, shrunk: None, wave: None, command: command.to_string() };
    };
    let written = write_all(&[(reproducer.to_path_buf(), small.stimulus.text().into_bytes())]);
    if let Err(error) = written {
        not_done.push(error.to_string());
    }
    let mut arguments: Vec<String> =
        ["respray", "cosim", "--core", NAME, "--frames"].map(String::from).to_vec();
    arguments.push(reproducer.display().to_string());
    arguments.extend(config_arguments(config));
    NicFailure {
        what,
        shrunk: Some(Shrunk {
            frames: small.stimulus.frames.len(),
            what: small.difference.to_string(),
            reproducer: reproducer.to_path_buf(),
        }),
        wave: None,
        command: command_line(&arguments),
    }
}

/// What is left of a run.
struct Ran {
    cycles: u64,
    counts: crate::report::Counts,
    paths: Vec<report::PathReport>,
    stop: Option<Stop>,
    /// The lines that ran, or why they were not written.
    coverage: Result<Option<LineCoverage>, String>,
    /// What waves are to show, and of which end.
    window: Result<(Side, Window), NoWaves>,
}

fn run(
    setup: &Setup,
    ends: [End; 2],
    captures: &mut Captures,
    (files, source): (&RunFiles, &Source),
    progress: &mut dyn FnMut(Progress),
) -> Ran {
    let mut pair = match Pair::new(setup, ends) {
        Ok(pair) => pair,
        Err(stop) => {
            return Ran {
                cycles: 0,
                counts: crate::report::Counts::default(),
                paths: Vec::new(),
                stop: Some(stop),
                coverage: files.no_coverage(),
                window: Err(NoWaves::Setup),
            };
        }
    };
    let stop = to_the_end(&mut pair, captures, progress).err();
    let (side, difference) = match &stop {
        Some(Stop::Differs(side, difference)) => (*side, Some(difference.cycle)),
        Some(Stop::Broken(side, ..)) => (*side, None),
        None => (Side::A, None),
    };
    let window = files::window(pair.end(side), difference, stop.is_some());
    Ran {
        coverage: files.write_coverage(source, pair.ends()),
        window: window.map(|window| (side, window)),
        cycles: pair.cycles(),
        counts: report::counts_of_pair(&pair),
        paths: report::paths(pair.network(), setup),
        stop,
    }
}

fn to_the_end(
    pair: &mut Pair<'_>,
    captures: &mut Captures,
    progress: &mut dyn FnMut(Progress),
) -> Result<(), Stop> {
    let mut heard = |side, at_ps, transmitted: &Transmitted| captures.keep(side, at_ps, transmitted);
    let (mut delivered, mut since) = (0, 0);
    while !pair.is_done() {
        pair.step(&mut heard)?;
        if pair.cycles().is_multiple_of(PROGRESS_CYCLES) {
            let (done, of) = pair.delivered();
            progress(Progress::Running { done, of });
            if done > delivered {
                (delivered, since) = (done, pair.cycles());
            }
            if pair.cycles() - since > MOST_IDLE_CYCLES {
                let what =
                    format!("nothing was acknowledged since cycle {since}, {done} of {of} packets are");
                return Err(Stop::Broken(Side::A, pair.cycles(), what));
            }
            if interrupt::is_requested() {
                return Ok(());
            }
        }
    }
    pair.finish(&mut heard)
}

/// Captures of what the ends send.
#[derive(Default)]
struct Captures {
    files: Vec<(PathBuf, PcapWriter)>,
    failed: Option<(usize, std::io::Error)>,
}

impl Captures {
    fn create(path: Option<&Path>) -> Result<Captures, NicError> {
        let Some(path) = path else { return Ok(Captures::default()) };
        let mut files = Vec::new();
        for side in Side::BOTH {
            let path = of_end(path, side);
            let writer = PcapWriter::create(&path)?;
            files.push((path, writer));
        }
        Ok(Captures { files, failed: None })
    }

    fn keep(&mut self, side: Side, at_ps: u64, transmitted: &Transmitted) {
        let Some((_, file)) = self.files.get_mut(side.index()).filter(|_| self.failed.is_none()) else {
            return;
        };
        if let Err(error) = file.write(at_ps / 1000, &transmitted.frame) {
            self.failed = Some((side.index(), error));
        }
    }

    fn finish(self) -> Result<(), NicError> {
        if let Some((at, source)) = self.failed {
            return Err(NicError::Pcap { path: self.files[at].0.display().to_string(), source });
        }
        for (_, file) in self.files {
            file.finish()?;
        }
        Ok(())
    }
}

/// The name of an end's capture.
fn of_end(path: &Path, side: Side) -> PathBuf {
    let stem = path.file_stem().unwrap_or_default().to_string_lossy();
    let end = report::name(side).to_lowercase();
    let name = match path.extension() {
        Some(extension) => format!("{stem}_{end}.{}", extension.to_string_lossy()),
        None => format!("{stem}_{end}"),
    };
    path.with_file_name(name)
}

/// Bytes that one host of a pair sends to the other, about.
pub const PAIR_BYTES: Whole = Whole::new(1, 1 << 32);

fn check(options: &PairOptions) -> Result<(), NicError> {
    if !PAIR_BYTES.contains(options.bytes) {
        let (value, allowed) = (options.bytes.to_string(), PAIR_BYTES.to_string());
        return Err(NicError::Option { option: "bytes", value, allowed });
    }
    Ok(())
}

/// The command line that runs the pair again.
fn command(options: &PairOptions, config: &Config) -> String {
    let mut arguments: Vec<String> =
        ["respray", "cosim", "--core", NAME, "--pair", options.scenario.name()].map(String::from).to_vec();
    arguments.extend([
        "--bytes".into(),
        options.bytes.to_string(),
        "--seed".into(),
        options.seed.to_string(),
    ]);
    for (name, value) in &options.registers {
        arguments.extend([format!("--{}", REGISTER), format!("{name}={value}")]);
    }
    arguments.extend(options.netlist.iter().flat_map(Synthesis::arguments));
    arguments.extend(config_arguments(config));
    command_line(&arguments)
}
