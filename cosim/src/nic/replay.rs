//! Frames of a capture, or of a list, replayed into both directions of one block; beside a log, what the
//! recorded block was given.

use std::collections::BTreeMap;
use std::net::IpAddr;
use std::path::{Path, PathBuf};
use std::time::Instant;

use respray_golden::nic::{Command, Nic};
use respray_golden::psn::PsnSpace;
use respray_hdl::config::Config;
use respray_hdl::nic::top::NAME;

use super::difference::Difference;
use super::end::End;
use super::error::NicError;
use super::files::{self, NoWaves, RunFiles};
use super::log::Log;
use super::logged::Logged;
use super::report::{self, NicFailure};
use super::run::{MODEL_SEED, failure, source_as};
use super::shrink::shrink;
use super::stimulus::{Entry, Stimulus};
use super::streams::Given;
use crate::interrupt;
use crate::lockstep::Progress;
use crate::netlist::Synthesis;
use crate::report::{Counts, Provenance, Repeat, Report, Verdict, command_line, config_arguments};
use crate::runner::{Window, design_for};
use crate::simulators::{Pins, Program, Simulator};
use crate::stream::StreamError;
use crate::traffic::capture::{
    CaptureError, CaptureFile, CaptureOptions, CaptureSource, Cut, Found, Headers, Kind, Profile,
    ProfileFrames, Side, Survey,
};
use crate::traffic::frames::{LONGEST_FRAME, profile};
use crate::traffic::recording::Recording;
use crate::verilator::{BuildOptions, Design};

/// LINKTYPE_ETHERNET.
const ETHERNET: i32 = 1;
/// Retransmission timeout of a capture of which nothing is known.
const RTO_NS: u64 = 20_000_000;
/// Clock cycles of a tick of `sack_tx`, as its register has it after `rst`, as a shift.
const SACK_PRESCALE: u32 = 5;
/// Largest value of a register of 16 bits.
const MOST_TICKS: u64 = 0xffff;
/// No window: the capture has its own.
const NO_WINDOW: u32 = 4095;

/// What is replayed.
#[derive(Clone, Debug, PartialEq)]
pub enum Frames {
    Capture(CaptureReplay),
    /// A list that a failed run left.
    List(PathBuf),
}

/// A capture and how it is replayed.
#[derive(Clone, Debug, PartialEq)]
pub struct CaptureReplay {
    pub path: PathBuf,
    /// Address of the local side; `None`: the recording's, or the source of the first data.
    pub local: Option<IpAddr>,
    /// Nanoseconds of the capture in a nanosecond of the run, 1 or more.
    pub speedup: u64,
    pub cut: Cut,
}

/// What is replayed, and what a difference leaves.
#[derive(Clone, Debug)]
pub struct ReplayOptions {
    pub frames: Frames,
    /// The cells of a device that run instead of the Verilog.
    pub netlist: Option<Synthesis>,
    /// What runs the Verilog in the place of Verilator. A difference then leaves the report alone.
    pub simulator: Option<Simulator>,
    pub files: RunFiles,
}

/// What a block is to be given.
struct Plan {
    what: What,
    /// ACKs and probes of the local side, which the block makes itself.
    left_out: [u64; 2],
    warning: Option<String>,
}

/// What it is taken from.
enum What {
    Stimulus(Stimulus),
    /// A recording with a log.
    Logged(Box<Logged>),
}

impl What {
    /// Gives it to a block that was just made, as [`Stimulus::give`] does.
    fn give(&self, end: &mut End, watch: &mut dyn FnMut(u64) -> bool) -> Result<(), Difference> {
        match self {
            What::Stimulus(stimulus) => stimulus.give(end, watch),
            What::Logged(logged) => logged.give(end, watch),
        }
    }

    /// Cycles that it takes, about.
    fn cycles(&self) -> u64 {
        match self {
            What::Stimulus(stimulus) => stimulus.frames.last().map_or(0, |entry| entry.cycle),
            What::Logged(logged) => logged.cycles(),
        }
    }

    /// Frames that are given.
    fn frames(&self) -> u64 {
        match self {
            What::Stimulus(stimulus) => stimulus.frames.len() as u64,
            What::Logged(logged) => logged.log.inputs() as u64,
        }
    }
}

/// Replays frames on one block. Of a capture those of the local side go into `tx_in`, but for its ACKs and
/// probes, which the block makes itself; all others into `rx_in`. A capture beside which a log stands is
/// replayed by that, tick by tick, unless a speedup or a local address is given: what comes out is compared
/// with what was recorded, too.
///
/// # Errors
/// If there is no run.
pub fn replay(
    config: &Config,
    options: &ReplayOptions,
    progress: &mut dyn FnMut(Progress),
) -> Result<Report<NicFailure>, NicError> {
    let Plan { what, left_out: [acks_left_out, probes_left_out], warning } = plan(config, &options.frames)?;
    options.files.prepare()?;
    let (source, origin) = source_as(config, options.netlist.as_ref(), progress)?;
    progress(Progress::Building);
    let cycles = what.cycles();
    let fresh = |build: BuildOptions| {
        let model = design_for(&source, build, cycles)?.model(MODEL_SEED)?;
        End::new(model, super::golden(config))
    };
    let design = design_for(&source, options.files.build(), cycles)?;
    let beside = options.simulator.as_ref().map(|simulator| {
        let program = simulator.program(&source.top, &source.verilog, &Pins::of(design))?;
        Ok::<_, NicError>((program, simulator.unknown_bits()))
    });
    let beside = beside.transpose()?;
    let heed = interrupt::Heed::new();
    let start = Instant::now();
    let of = what.frames();
    let mut give = |end: &mut End| {
        what.give(end, &mut |done| {
            progress(Progress::Running { done, of });
            !interrupt::is_requested()
        })
    };
    let (mut end, given) = match &beside {
        None => {
            let mut end = fresh(options.files.build())?;
            let given = give(&mut end);
            (end, given)
        }
        Some((program, unknown_bits)) => given_beside(config, design, program, unknown_bits, &mut give)?,
    };
    let is_interrupted = interrupt::is_requested();
    let seconds = start.elapsed().as_secs_f64();
    drop(heed);
    let command = command(options, config);
    let repeat = Repeat { seed: 0, part: None, command: command.clone() };
    let provenance = match &beside {
        None => Provenance::new(&[(&source, design)], repeat).of_netlist(origin),
        Some((program, _)) => Provenance::elsewhere(&source, program.version(), repeat),
    };
    let Counts(mut counts) = report::counts(&[end.golden()]);
    counts.extend([("acks_left_out", acks_left_out), ("probes_left_out", probes_left_out)]);
    let counts = Counts(counts);
    let mut not_done = Vec::new();
    let coverage = options.files.write_coverage(&source, [&mut end]).unwrap_or_else(|sentence| {
        not_done.push(sentence);
        None
    });
    let difference = given.as_ref().err().map(|difference| difference.cycle);
    let window = files::window(&end, difference, given.is_err());
    let mut failure = given.err().map(|difference| {
        progress(Progress::Shrinking);
        let small = match &what {
            What::Stimulus(stimulus) if beside.is_none() => {
                shrink(stimulus, &mut || fresh(BuildOptions::default()))
            }
            // other simulators are slow; of a log what came out later follows from all that went in before
            What::Stimulus(_) | What::Logged(_) => Ok(None),
        };
        let small = small.unwrap_or_else(|error| {
            not_done.push(error.to_string());
            None
        });
        failure(&difference, small, &options.files.reproducer, config, &command, &mut not_done)
    });
    if let Some(wave) = options.files.wave.as_deref().filter(|_| !is_interrupted) {
        progress(Progress::Recording);
        let recorded = window.and_then(|window| {
            let mut end = fresh(BuildOptions { trace: true, ..BuildOptions::default() })?;
            record(&what, &mut end, window, wave)
        });
        files::recorded(recorded, wave, failure.as_mut(), &mut not_done);
    }
    let is_empty = counts.get("data_packets") + counts.get("packets_delivered") + counts.get("acks") == 0;
    let result = match &failure {
        Some(_) => Verdict::Fail,
        None if is_interrupted => Verdict::Interrupted,
        None if is_empty => Verdict::Empty,
        None => Verdict::Pass,
    };
    Ok(Report {
        core: NAME.to_string(),
        config: config.clone(),
        provenance,
        cycles: end.cycle(),
        mismatches: failure.is_some().into(),
        differing_ports: None,
        cycles_per_second: (end.cycle() as f64 / seconds).round(),
        result,
        summary: summary(&counts),
        counts,
        coverage,
        warnings: warning.into_iter().collect(),
        failure,
        not_done,
    })
}

/// Gives it to a block in another simulator, once for each value that an unknown bit may have, up to the first difference.
fn given_beside(
    config: &Config,
    design: &'static Design,
    program: &Program,
    unknown_bits: &[bool],
    give: &mut dyn FnMut(&mut End) -> Result<(), Difference>,
) -> Result<(End, Result<(), Difference>), NicError> {
    let mut last = None;
    for unknown in unknown_bits {
        let process = program.start(*unknown)?;
        let mut end = End::beside(design.model(MODEL_SEED)?, process, super::golden(config))?;
        let given = give(&mut end);
        if let Some(error) = end.beside_ended() {
            return Err(error.into());
        }
        let differs = given.is_err();
        last = Some((end, given));
        if differs {
            break;
        }
    }
    Ok(last.expect("an unknown bit has a value"))
}

/// Repeats the run with waves.
fn record(what: &What, end: &mut End, window: Window, wave: &Path) -> Result<(), NoWaves> {
    end.record_waves(window);
    // a run that differs does so again
    what.give(end, &mut |_| true).ok();
    files::write_waves(end, wave)
}

fn summary(counts: &Counts) -> Vec<String> {
    let get = |name: &str| counts.get(name);
    vec![
        format!(
            "sent {} data packets and {} again; EVs explored {}, recycled {}, replayed {}; freezes {}",
            get("data_packets"),
            get("data_packets_again"),
            get("explore"),
            get("recycle"),
            get("replay"),
            get("freezes")
        ),
        format!(
            "received {} data packets, {} of them twice, and {} ACKs; made {} SACKs and {} probes",
            get("packets_delivered"),
            get("duplicates"),
            get("acks"),
            get("sacks"),
            get("probes")
        ),
        format!(
            "lost by the out-of-order count {}, by a probe {}, by the timeout {}",
            get("loss_ooo"),
            get("loss_probe"),
            get("loss_timeout")
        ),
        format!(
            "{} ACKs and {} probes of the capture left out, which the block makes itself",
            get("acks_left_out"),
            get("probes_left_out")
        ),
    ]
}

fn plan(config: &Config, frames: &Frames) -> Result<Plan, NicError> {
    match frames {
        Frames::Capture(capture) => match log_of(capture) {
            Some(log) => {
                let golden = Nic::new(super::golden(config));
                let known = |name: &str| golden.address(name).is_some();
                let logged = Logged::open(&capture.path, &log, config, &known)?;
                Ok(Plan { what: What::Logged(Box::new(logged)), left_out: [0; 2], warning: None })
            }
            None => plan_of_capture(config, capture),
        },
        Frames::List(path) => {
            let golden = Nic::new(super::golden(config));
            let stimulus = Stimulus::read(path, &|name| golden.address(name).is_some())?;
            Ok(Plan { what: What::Stimulus(stimulus), left_out: [0; 2], warning: None })
        }
    }
}

/// The log by which a capture is replayed.
fn log_of(replay: &CaptureReplay) -> Option<PathBuf> {
    Log::beside(&replay.path).filter(|_| replay.speedup == 1 && replay.local.is_none())
}

/// Reads the whole capture.
fn plan_of_capture(config: &Config, replay: &CaptureReplay) -> Result<Plan, NicError> {
    if replay.speedup == 0 {
        return Err(NicError::Option { option: "speedup", value: "0".into(), allowed: "1 and more" });
    }
    let recording =
        Recording::beside(&replay.path, Side::Sender).map(|path| Recording::load(&path)).transpose();
    let recording = recording.map_err(|error| NicError::Capture(Box::new(error)))?;
    let profile = Profile::from(profile(config));
    let rto_ns = recording.as_ref().map_or(RTO_NS, |recording| recording.rto_ns);
    let source = CaptureSource::open(&replay.path, replay.cut).map_err(NicError::capture)?;
    let capture = CaptureOptions {
        profile,
        local: replay.local.or(recording.as_ref().map(|recording| recording.local)),
        rto_ns,
        connections: config.connections,
        psns: PsnSpace::new(config.sack.psn_bits),
        flowcut_time_bits: config.flowcut.time_bits,
        uplinks: config.flowcut_switch.uplinks,
        ports: config.caver.ports,
        cut: replay.cut,
    };
    let local = Survey::of(&source, &capture, Side::Sender).map_err(NicError::capture)?.local;
    let first = first_psns(&source, profile, local, config.connections).map_err(NicError::capture)?;
    let cycle_ps = 1e6 / config.clock_mhz;
    let cycle_of = |time_ns: u64| (time_ns as f64 * 1000.0 / replay.speedup as f64 / cycle_ps) as u64;
    let rto = (cycle_of(rto_ns) >> SACK_PRESCALE).clamp(1, MOST_TICKS) as u32;
    let mut stimulus = Stimulus { writes: writes(&first, rto), ..Stimulus::default() };
    let mut file = source.read().map_err(NicError::capture)?;
    let way = Way { profile, local, path: &replay.path, cycle_of: &cycle_of };
    let left_out = read(&mut file, &way, &mut stimulus)?;
    let warning = file.into_warning().as_ref().map(CaptureError::as_warning);
    Ok(Plan { what: What::Stimulus(stimulus), left_out, warning })
}

/// Registers and connections before the first frame.
fn writes(first: &BTreeMap<u32, [Option<u32>; 2]>, rto: u32) -> Vec<(String, u32)> {
    let mut writes = vec![("sack_threshold", 0), ("cwnd_packets", NO_WINDOW), ("rto", rto)];
    for (conn, [sends, receives]) in first {
        for (psn, command) in [(sends, Command::OpenTx), (receives, Command::OpenRx)] {
            let Some(psn) = psn else { continue };
            writes.extend([("command_conn", *conn), ("command_psn", *psn), ("command", command as u32)]);
        }
    }
    writes.into_iter().map(|(name, value)| (name.to_string(), value)).collect()
}

/// Of each connection the first PSN of each direction.
fn first_psns(
    source: &CaptureSource,
    profile: Profile,
    local: IpAddr,
    connections: u32,
) -> Result<BTreeMap<u32, [Option<u32>; 2]>, CaptureError> {
    let mut first: BTreeMap<u32, [Option<u32>; 2]> = BTreeMap::new();
    let mut frames = ProfileFrames::open(source, profile)?;
    while let Some(frame) = frames.next_frame()? {
        let Kind::Data(data) = frame.kind else { continue };
        if frame.id < connections {
            let way = usize::from(frame.source != local);
            first.entry(frame.id).or_default()[way].get_or_insert(data.psn);
        }
    }
    Ok(first)
}

/// How frames are taken from a capture.
struct Way<'a> {
    profile: Profile,
    local: IpAddr,
    path: &'a Path,
    cycle_of: &'a dyn Fn(u64) -> u64,
}

/// Takes the frames, and returns how many ACKs and probes of the local side it left out.
fn read(file: &mut CaptureFile, way: &Way<'_>, stimulus: &mut Stimulus) -> Result<[u64; 2], NicError> {
    let (mut first_ns, mut last_ns) = (None, 0);
    let mut left_out = [0; 2];
    while let Some(frame) = file.next_frame().map_err(NicError::capture)? {
        if frame.link_type != ETHERNET {
            let (path, number, link_type) = (way.path.to_path_buf(), frame.number, frame.link_type);
            return Err(NicError::Capture(Box::new(StreamError::LinkType { path, number, link_type })));
        }
        if frame.data.is_empty() || frame.wire_len > LONGEST_FRAME {
            continue;
        }
        if let Some(time_ns) = frame.time_ns {
            let first_ns = *first_ns.get_or_insert(time_ns);
            last_ns = time_ns.saturating_sub(first_ns).max(last_ns);
        }
        let headers = Headers::parse(&frame).unwrap_or_default();
        let is_of_host = headers.ip.is_some_and(|ip| ip.source == way.local);
        let found = way.profile.find(&frame, &headers);
        let own = match found {
            Found::Frame(found) if is_of_host => match found.kind {
                Kind::Ack(_) => Some(0),
                Kind::Data(data) if data.probe => Some(1),
                _ => None,
            },
            _ => None,
        };
        if let Some(kind) = own {
            left_out[kind] += 1;
            continue;
        }
        let mut bytes = frame.data.to_vec();
        bytes.resize(frame.wire_len, 0);
        let frame = Given { bytes, user: false };
        stimulus.frames.push(Entry { cycle: (way.cycle_of)(last_ns), is_of_host, frame });
    }
    Ok(left_out)
}

fn command(options: &ReplayOptions, config: &Config) -> String {
    let mut arguments: Vec<String> = ["respray", "cosim", "--core", NAME].map(String::from).to_vec();
    match &options.frames {
        Frames::List(path) => arguments.extend(["--frames".into(), path.display().to_string()]),
        Frames::Capture(CaptureReplay { path, local, speedup, cut }) => {
            arguments.extend(["--traffic".into(), path.display().to_string()]);
            if *speedup > 1 {
                arguments.extend(["--speedup".into(), speedup.to_string()]);
            }
            arguments.extend(local.iter().flat_map(|local| ["--local".to_string(), local.to_string()]));
            arguments.extend((*cut == Cut::Refused).then(|| "--strict".to_string()));
        }
    }
    arguments.extend(options.netlist.iter().flat_map(Synthesis::arguments));
    arguments.extend(options.simulator.iter().flat_map(Simulator::arguments));
    arguments.extend(config_arguments(config));
    command_line(&arguments)
}
