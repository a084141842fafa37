//! What a block is given of a capture, of its log, or of a list of frames.

use std::collections::BTreeMap;
use std::net::IpAddr;
use std::path::{Path, PathBuf};

use respray_files::range::Whole;
use respray_golden::nic::{Command, Nic, PSNS};
use respray_hdl::config::Config;

use super::difference::Difference;
use super::end::End;
use super::error::NicError;
use super::log::Log;
use super::logged::Logged;
use super::options::{CaptureReplay, Frames, NicOptions};
use super::stimulus::{Entry, Stimulus};
use super::streams::Given;
use crate::stream::{StreamError, why_not_sent};
use crate::traffic::capture::{
    Account, Beginnings, CaptureError, CaptureFile, CaptureSource, Fault, Found, Headers, Kind, Profile,
    ProfileFrame, ProfileFrames, Side,
};
use crate::traffic::recording::Recording;

/// LINKTYPE_ETHERNET.
const ETHERNET: i32 = 1;
/// Retransmission timeout of a capture of which nothing is known.
const RTO_NS: u64 = 20_000_000;
/// Clock cycles of a tick of `sack_tx`, as its register has it after `rst`, as a shift.
const SACK_PRESCALE: u32 = 5;
/// Largest value of a register of 16 bits.
const MOST_TICKS: u64 = 0xffff;
/// Addresses that are named where the local one is not among them.
const MOST_NAMED: usize = 8;
/// No window: the capture has its own.
const NO_WINDOW: u32 = 4095;

/// What a block is to be given.
pub(super) struct Plan {
    pub what: What,
    /// ACKs and probes of the local side, which the block makes itself.
    pub left_out: [u64; 2],
    /// What became of the frames that are not given.
    pub account: Account,
    /// Numbers of the frames that are given: of the host, of the MAC, each in their order.
    pub numbers: [Vec<u64>; 2],
    /// A sentence each.
    pub warnings: Vec<String>,
}

impl Plan {
    /// # Errors
    /// An option that does not go with what is given.
    pub fn check(&self, options: &NicOptions) -> Result<(), NicError> {
        match (&self.what, options.own.pauses) {
            (What::Logged(logged), Some(_)) => Err(NicError::Paused { log: logged.path.clone() }),
            _ => Ok(()),
        }
    }
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
            What::Stimulus(stimulus) => stimulus.last(),
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

impl Plan {
    /// All of it is given.
    fn of(what: What, numbers: [Vec<u64>; 2]) -> Plan {
        Plan { what, left_out: [0; 2], account: Account::default(), numbers, warnings: Vec::new() }
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
                let mut logged = Logged::open(&capture.path, &log, config, &known)?;
                let (account, came) = (std::mem::take(&mut logged.account), logged.came_numbers.clone());
                let plan = Plan::of(What::Logged(Box::new(logged)), [Vec::new(), came]);
                Ok(Plan { account: Account { beside: Some(log), ..account }, ..plan })
            }
            None => plan_of_capture(config, capture),
        },
        Frames::List(path) => {
            let golden = Nic::new(super::golden(config));
            let stimulus = Stimulus::read(path, &|name| golden.address(name).is_some())?;
            let numbers = [true, false].map(|is_of_host| {
                let frames = (1..).zip(&stimulus.frames);
                frames.filter(|(_, entry)| entry.is_of_host == is_of_host).map(|(number, _)| number).collect()
            });
            Ok(Plan::of(What::Stimulus(stimulus), numbers))
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
    let beside = Recording::beside(&replay.path, Side::Sender);
    let recording = beside.as_deref().map(Recording::load).transpose();
    let recording = recording.map_err(|error| NicError::Capture(Box::new(error)))?;
    let profile = Profile::of(config);
    let rto_ns = recording.as_ref().map_or(RTO_NS, |recording| recording.rto_ns);
    let source = CaptureSource::open(&replay.path, replay.cut).map_err(NicError::capture)?;
    let local = replay.local.or(recording.as_ref().map(|recording| recording.local));
    let (local, first) = ends(&source, profile, local).map_err(NicError::capture)?;
    let cycle_ps = 1e6 / config.clock_mhz;
    let cycle_of = |time_ns: u64| (time_ns as f64 * 1000.0 / replay.speedup as f64 / cycle_ps) as u64;
    let rto = (cycle_of(rto_ns) >> SACK_PRESCALE).clamp(1, MOST_TICKS) as u32;
    let there_are = first.range(..config.connections);
    let stimulus = Stimulus { writes: writes(there_are, rto), ..Stimulus::default() };
    let plan = Plan::of(What::Stimulus(Stimulus::default()), Default::default());
    let plan = Plan { account: Account { beside, ..Account::default() }, ..plan };
    let way = Way { profile, local, path: &replay.path, cycle_of: &cycle_of };
    read(source.read().map_err(NicError::capture)?, &way, stimulus, plan)
}

/// Of each connection, as the block numbers it, the first PSN of each direction: what the local side sends, and what
/// it receives.
type First = BTreeMap<u32, [Option<u32>; 2]>;

/// Registers and connections before the first frame.
fn writes<'a>(first: impl Iterator<Item = (&'a u32, &'a [Option<u32>; 2])>, rto: u32) -> Vec<(String, u32)> {
    let mut writes = vec![("sack_threshold", 0), ("cwnd_packets", NO_WINDOW), ("rto", rto)];
    for (conn, [sends, receives]) in first {
        for (psn, command) in [(sends, Command::OpenTx), (receives, Command::OpenRx)] {
            let Some(psn) = psn else { continue };
            writes.extend([("command_conn", *conn), ("command_psn", *psn), ("command", command as u32)]);
        }
    }
    writes.into_iter().map(|(name, value)| (name.to_string(), value)).collect()
}

/// The local side: the address that is given, or else the source of the first data. And where its connections begin.
fn ends(
    source: &CaptureSource,
    profile: Profile,
    given: Option<IpAddr>,
) -> Result<(IpAddr, First), CaptureError> {
    let (mut local, mut is_there) = (given, false);
    let mut others: Vec<IpAddr> = Vec::new();
    let mut first = First::new();
    let mut receives = Beginnings::new(PSNS);
    let mut frames = ProfileFrames::open(source, profile)?;
    while let Some(frame) = frames.next_frame()? {
        for end in [frame.source, frame.destination] {
            is_there |= local == Some(end);
            if others.len() < MOST_NAMED && !others.contains(&end) {
                others.push(end);
            }
        }
        let Kind::Data(data) = frame.kind else { continue };
        let local = *local.get_or_insert(frame.source);
        is_there |= local == frame.source;
        if frame.source == local && !data.probe {
            first.entry(frame.id).or_default()[0].get_or_insert(PSNS.wrap(data.psn));
        }
        if frame.destination == local && !data.syn {
            receives.hear(frame.receiver_id, data.psn);
        }
    }
    for (conn, psn) in receives.into_first() {
        first.entry(conn).or_default()[1] = Some(psn);
    }
    let fault = match local {
        Some(local) if is_there => return Ok((local, first)),
        Some(local) if !others.is_empty() => {
            let others = others.iter().map(IpAddr::to_string).collect::<Vec<_>>().join(", ");
            Fault::NotThere { local, profile: profile.name(), others }
        }
        _ => frames.no_data(),
    };
    Err(CaptureError::file(source.path(), fault))
}

/// How frames are taken from a capture.
struct Way<'a> {
    profile: Profile,
    local: IpAddr,
    path: &'a Path,
    cycle_of: &'a dyn Fn(u64) -> u64,
}

impl Way<'_> {
    /// Why a frame of the profile is not given to the block, if it is not, and which of those counts that the block
    /// makes itself.
    fn why_not(&self, found: &ProfileFrame) -> Option<(&'static str, Option<usize>)> {
        match found.kind {
            _ if found.source != self.local && found.destination != self.local => {
                Some(("neither from the local side nor to it", None))
            }
            Kind::Ack(_) if found.source == self.local => {
                Some(("ACKs of the local side, which the block makes itself", Some(0)))
            }
            Kind::Data(data) if found.source == self.local && data.probe => {
                Some(("probes of the local side, which the block makes itself", Some(1)))
            }
            _ => None,
        }
    }
}

/// Takes the frames.
fn read(
    mut file: CaptureFile,
    way: &Way<'_>,
    mut stimulus: Stimulus,
    mut plan: Plan,
) -> Result<Plan, NicError> {
    let (mut first_ns, mut last_ns) = (None, 0);
    let mut is_unnamed = 0;
    while let Some(frame) = file.next_frame().map_err(NicError::capture)? {
        let number = frame.number;
        if frame.link_type != ETHERNET {
            let (path, link_type) = (way.path.to_path_buf(), frame.link_type);
            return Err(NicError::Capture(Box::new(StreamError::LinkType { path, number, link_type })));
        }
        if let Some(why) = why_not_sent(&frame, Some(way.profile)) {
            plan.account.left(number, why);
            continue;
        }
        if let Some(time_ns) = frame.time_ns {
            let first_ns = *first_ns.get_or_insert(time_ns);
            last_ns = time_ns.saturating_sub(first_ns).max(last_ns);
        }
        let headers = Headers::parse(&frame).unwrap_or_default();
        let is_of_host = headers.ip.is_some_and(|ip| ip.source == way.local);
        if let Found::Frame(found) = way.profile.find(&frame, &headers) {
            if let Some((why, own)) = way.why_not(&found) {
                plan.account.left(number, why);
                own.into_iter().for_each(|kind| plan.left_out[kind] += 1);
                continue;
            }
            is_unnamed += u64::from(!is_of_host && matches!(found.kind, Kind::Data(data) if data.syn));
        }
        let mut bytes = frame.data.to_vec();
        bytes.resize(frame.wire_len, 0);
        let frame = Given { bytes, user: false };
        stimulus.frames.push(Entry { cycle: (way.cycle_of)(last_ns), is_of_host, frame });
        plan.numbers[usize::from(!is_of_host)].push(number);
    }
    plan.warnings.extend(file.into_warning().as_ref().map(CaptureError::as_warning));
    if is_unnamed > 0 {
        plan.warnings.push(format!(
            "{}: {is_unnamed} requests to the local side have the flag SYN: what stands in the place of their \
             destination PDC is the number of no connection, and the block takes it for one",
            way.path.display()
        ));
    }
    Ok(Plan { what: What::Stimulus(stimulus), ..plan })
}
