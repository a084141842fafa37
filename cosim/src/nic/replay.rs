//! A capture, replayed into both directions of one block.

use std::collections::{BTreeMap, VecDeque};
use std::net::IpAddr;
use std::path::{Path, PathBuf};
use std::time::Instant;

use respray_golden::nic::Command;
use respray_golden::psn::PsnSpace;
use respray_hdl::config::Config;
use respray_hdl::nic::top::NAME;

use super::difference::Difference;
use super::end::End;
use super::report::{self, NicFailure};
use super::run::{NicError, design};
use super::streams::Given;
use crate::interrupt;
use crate::lockstep::Progress;
use crate::report::{Counts, Provenance, Repeat, Report, Verdict, command_line, config_arguments};
use crate::stream::StreamError;
use crate::traffic::capture::{
    CaptureError, CaptureFile, CaptureOptions, CaptureSource, Cut, Found, Headers, Kind, Profile,
    ProfileFrames, Side, Survey,
};
use crate::traffic::frames::{LONGEST_FRAME, profile};
use crate::traffic::recording::Recording;

/// LINKTYPE_ETHERNET.
const ETHERNET: i32 = 1;
/// Retransmission timeout of a capture of which nothing is known.
const RTO_NS: u64 = 20_000_000;
/// Cycles without anything happening after which the run is over.
const REST_CYCLES: u64 = 20_000;
/// Cycles between two looks at the progress.
const PROGRESS_CYCLES: u64 = 1 << 12;
/// Of what is random in a model that is not reset.
const MODEL_SEED: u32 = 1;
/// Clock cycles of a tick of `sack_tx`, as its register has it after `rst`, as a shift.
const SACK_PRESCALE: u32 = 5;
/// Largest value of a register of 16 bits.
const MOST_TICKS: u64 = 0xffff;
/// No window: the capture has its own.
const NO_WINDOW: u32 = 4095;

/// What is replayed.
#[derive(Clone, Debug, PartialEq)]
pub struct ReplayOptions {
    pub path: PathBuf,
    /// Address of the local side; `None`: the recording's, or the source of the first data.
    pub local: Option<IpAddr>,
    /// Nanoseconds of the capture in a nanosecond of the run, 1 or more.
    pub speedup: u64,
    pub cut: Cut,
}

/// A frame of the capture.
struct Timed {
    /// Since the first frame.
    time_ns: u64,
    is_of_host: bool,
    bytes: Vec<u8>,
}

/// What a capture says before it is replayed.
struct Plan {
    local: IpAddr,
    /// Of each connection the first PSN that the local side sends, and that it receives.
    first: BTreeMap<u32, [Option<u32>; 2]>,
    frames: VecDeque<Timed>,
    /// ACKs of the local side, which the block makes itself.
    left_out: u64,
    rto_ns: u64,
    warning: Option<String>,
}

/// Replays a capture: frames of the local side into `tx_in`, but for its ACKs, which the block makes itself; all others into `rx_in`.
///
/// # Errors
/// If there is no run.
pub fn replay(
    config: &Config,
    options: &ReplayOptions,
    progress: &mut dyn FnMut(Progress),
) -> Result<Report<NicFailure>, NicError> {
    if options.speedup == 0 {
        return Err(NicError::Option { option: "speedup", value: "0".into(), allowed: "1 and more" });
    }
    progress(Progress::Building);
    let plan = plan(config, options)?;
    let golden = super::golden(config);
    let cycle_ps = 1e6 / config.clock_mhz;
    let cycle_of = |time_ns: u64| (time_ns as f64 * 1000.0 / options.speedup as f64 / cycle_ps) as u64;
    let cycles = cycle_of(plan.frames.back().map_or(0, |frame| frame.time_ns));
    let (source, design) = design(config, cycles)?;
    let mut end = End::new(design.model(MODEL_SEED)?, golden)?;
    let heed = interrupt::Heed::new();
    let start = Instant::now();
    let warnings: Vec<String> = plan.warning.iter().cloned().collect();
    let (left_out, rto) = (plan.left_out, cycle_of(plan.rto_ns) >> SACK_PRESCALE);
    let rto = rto.clamp(1, MOST_TICKS) as u32;
    let result = set_up(&mut end, &plan, rto).and_then(|()| run(&mut end, plan, &cycle_of, progress));
    let seconds = start.elapsed().as_secs_f64();
    drop(heed);
    let command = command(options, config);
    let cycles = end.cycle();
    let Counts(mut counts) = report::counts(&[end.golden()]);
    counts.push(("acks_left_out", left_out));
    let counts = Counts(counts);
    let failure =
        result.err().map(|difference| NicFailure { what: difference.to_string(), command: command.clone() });
    let is_empty = counts.get("data_packets") + counts.get("packets_delivered") + counts.get("acks") == 0;
    let result = match &failure {
        Some(_) => Verdict::Fail,
        None if interrupt::is_requested() => Verdict::Interrupted,
        None if is_empty => Verdict::Empty,
        None => Verdict::Pass,
    };
    Ok(Report {
        core: NAME.to_string(),
        config: config.clone(),
        provenance: Provenance::new(&[(&source, design)], Repeat { seed: 0, part: None, command }),
        cycles,
        mismatches: failure.is_some().into(),
        differing_ports: None,
        cycles_per_second: (cycles as f64 / seconds).round(),
        result,
        summary: summary(&counts),
        counts,
        coverage: None,
        warnings,
        failure,
        not_done: Vec::new(),
    })
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
        format!("{} ACKs of the capture left out, which the block makes itself", get("acks_left_out")),
    ]
}

/// Registers and connections before the first frame.
fn set_up(end: &mut End, plan: &Plan, rto: u32) -> Result<(), Difference> {
    for (name, value) in [("sack_threshold", 0), ("cwnd_packets", NO_WINDOW), ("rto", rto)] {
        end.write(name, value)?;
    }
    for (conn, [sends, receives]) in &plan.first {
        for (psn, command) in [(sends, Command::OpenTx), (receives, Command::OpenRx)] {
            let Some(psn) = psn else { continue };
            end.write("command_conn", *conn)?;
            end.write("command_psn", *psn)?;
            end.write("command", command as u32)?;
        }
    }
    Ok(())
}

fn run(
    end: &mut End,
    mut plan: Plan,
    cycle_of: &dyn Fn(u64) -> u64,
    progress: &mut dyn FnMut(Progress),
) -> Result<(), Difference> {
    let (start, of) = (end.cycle(), plan.frames.len() as u64);
    let mut quiet = 0;
    while quiet < REST_CYCLES {
        while plan.frames.front().is_some_and(|frame| start + cycle_of(frame.time_ns) <= end.cycle()) {
            let Timed { is_of_host, bytes, .. } = plan.frames.pop_front().expect("it was looked at");
            let frame = Given { bytes, user: false };
            if is_of_host { end.send(frame) } else { end.receive(frame) }
        }
        end.step()?;
        let out = std::mem::take(&mut end.out);
        let is_quiet = out.transmitted.is_empty() && out.delivered.is_empty() && out.events.is_empty();
        let is_over = plan.frames.is_empty() && end.waiting() == [0, 0];
        quiet = if is_quiet && is_over { quiet + 1 } else { 0 };
        if end.cycle() % PROGRESS_CYCLES == 0 {
            progress(Progress::Running { done: of - plan.frames.len() as u64, of });
            if interrupt::is_requested() {
                return Ok(());
            }
        }
    }
    end.check_counters()
}

/// Reads the whole capture.
fn plan(config: &Config, options: &ReplayOptions) -> Result<Plan, NicError> {
    let recording =
        Recording::beside(&options.path, Side::Sender).map(|path| Recording::load(&path)).transpose();
    let recording = recording.map_err(|error| NicError::Capture(Box::new(error)))?;
    let profile = Profile::from(profile(config));
    let rto_ns = recording.as_ref().map_or(RTO_NS, |recording| recording.rto_ns);
    let source = CaptureSource::open(&options.path, options.cut).map_err(NicError::capture)?;
    let capture = CaptureOptions {
        profile,
        local: options.local.or(recording.as_ref().map(|recording| recording.local)),
        rto_ns,
        connections: config.connections,
        psns: PsnSpace::new(config.sack.psn_bits),
        cut: options.cut,
    };
    let local = Survey::of(&source, &capture, Side::Sender).map_err(NicError::capture)?.local;
    let first = first_psns(&source, profile, local, config.connections).map_err(NicError::capture)?;
    let mut plan = Plan { local, first, frames: VecDeque::new(), left_out: 0, rto_ns, warning: None };
    let mut file = source.read().map_err(NicError::capture)?;
    read(&mut file, profile, &mut plan, &options.path)?;
    plan.warning = file.into_warning().as_ref().map(CaptureError::as_warning);
    Ok(plan)
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

fn read(file: &mut CaptureFile, profile: Profile, plan: &mut Plan, path: &Path) -> Result<(), NicError> {
    let (mut first_ns, mut last_ns) = (None, 0);
    while let Some(frame) = file.next_frame().map_err(NicError::capture)? {
        if frame.link_type != ETHERNET {
            let (number, link_type) = (frame.number, frame.link_type);
            return Err(NicError::Capture(Box::new(StreamError::LinkType {
                path: path.to_path_buf(),
                number,
                link_type,
            })));
        }
        if frame.data.is_empty() || frame.wire_len > LONGEST_FRAME {
            continue;
        }
        let headers = Headers::parse(&frame).unwrap_or_default();
        let is_of_host = headers.ip.is_some_and(|ip| ip.source == plan.local);
        let is_ack = matches!(profile.find(&frame, &headers), Found::Frame(found) if matches!(found.kind, Kind::Ack(_)));
        if is_of_host && is_ack {
            plan.left_out += 1;
            continue;
        }
        if let Some(time_ns) = frame.time_ns {
            let first_ns = *first_ns.get_or_insert(time_ns);
            last_ns = time_ns.saturating_sub(first_ns).max(last_ns);
        }
        let mut bytes = frame.data.to_vec();
        bytes.resize(frame.wire_len, 0);
        plan.frames.push_back(Timed { time_ns: last_ns, is_of_host, bytes });
    }
    Ok(())
}

fn command(options: &ReplayOptions, config: &Config) -> String {
    let mut arguments: Vec<String> =
        ["respray", "cosim", "--core", NAME, "--traffic"].map(String::from).to_vec();
    arguments.push(options.path.display().to_string());
    if options.speedup > 1 {
        arguments.extend(["--speedup".into(), options.speedup.to_string()]);
    }
    arguments.extend(options.local.iter().flat_map(|local| ["--local".to_string(), local.to_string()]));
    arguments.extend((options.cut == Cut::Refused).then(|| "--strict".to_string()));
    arguments.extend(config_arguments(config));
    command_line(&arguments)
}
