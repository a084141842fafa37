//! What a block is given of a capture, of its log, or of a list of frames.

use std::collections::BTreeMap;
use std::net::IpAddr;
use std::path::{Path, PathBuf};

use respray_files::range::Whole;
use respray_golden::nic::{Command, Nic};
use respray_golden::psn::PsnSpace;
use respray_hdl::config::Config;

use super::difference::Difference;
use super::end::End;
use super::error::NicError;
use super::log::Log;
use super::logged::Logged;
use super::stimulus::{Entry, Stimulus};
use super::streams::Given;
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

/// What a block is to be given.
pub(super) struct Plan {
    pub what: What,
    /// ACKs and probes of the local side, which the block makes itself.
    pub left_out: [u64; 2],
    pub warning: Option<String>,
}

/// What it is taken from.
pub(super) enum What {
    Stimulus(Stimulus),
    /// A recording with a log.
    Logged(Box<Logged>),
}

impl What {
    /// Gives it to a block that was just made, as [`Stimulus::give`] does.
    pub fn give(&self, end: &mut End, watch: &mut dyn FnMut(u64) -> bool) -> Result<(), Difference> {
        match self {
            What::Stimulus(stimulus) => stimulus.give(end, watch),
            What::Logged(logged) => logged.give(end, watch),
        }
    }

    /// Cycles that it takes, about.
    pub fn cycles(&self) -> u64 {
        match self {
            What::Stimulus(stimulus) => stimulus.frames.last().map_or(0, |entry| entry.cycle),
            What::Logged(logged) => logged.cycles(),
        }
    }

    /// Frames that are given.
    pub fn frames(&self) -> u64 {
        match self {
            What::Stimulus(stimulus) => stimulus.frames.len() as u64,
            What::Logged(logged) => logged.log.inputs() as u64,
        }
    }
}

/// Reads all that is to be given.
///
/// # Errors
/// A capture, a log or a list that cannot be read or does not fit the block.
pub(super) fn plan(config: &Config, frames: &Frames) -> Result<Plan, NicError> {
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

/// Nanoseconds of a capture that may pass in one.
pub const SPEEDUP: Whole = Whole::new(1, 1_000_000_000);

/// The log by which a capture is replayed.
fn log_of(replay: &CaptureReplay) -> Option<PathBuf> {
    Log::beside(&replay.path).filter(|_| replay.speedup == 1 && replay.local.is_none())
}

/// Reads the whole capture.
pub(super) fn plan_of_capture(config: &Config, replay: &CaptureReplay) -> Result<Plan, NicError> {
    if !SPEEDUP.contains(replay.speedup) {
        let (value, allowed) = (replay.speedup.to_string(), SPEEDUP.to_string());
        return Err(NicError::Option { option: "speedup", value, allowed });
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
