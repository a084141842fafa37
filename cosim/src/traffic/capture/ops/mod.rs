//! A capture as ops of a core, seen from one host, the local side.
//!
//! * **Local side.** The address given, or else, of the first data frame, the source for an engine of the sender and the
//!   destination for one of the receiver.
//! * **Ops.** What an engine makes of the frames that leave and reach the local side is each core's own: a
//!   [`Listener`], which stands with the core.
//! * **Connections.** If every number on the wire is below `connections` and belongs to one remote address, it is
//!   the connection. Otherwise connections are counted from 0 in order of first appearance, one for each pair of remote
//!   address and number.
//! * **Time.** Nanoseconds since the first frame of the profile that has a time. A frame without one has the time of the frame
//!   before, or 0 where none before has one. A capture's times can step back by a little; an op never comes earlier than the one
//!   before.
//! * **Frames.** What became of each is counted: [`CaptureOps::account`].

use std::collections::{HashMap, VecDeque};
use std::net::IpAddr;
use std::path::Path;

use respray_golden::psn::PsnSpace;
use respray_hdl::contract::Words;

use super::account::Account;
use super::error::{CaptureError, Fault};
use super::file::Cut;
pub use super::frame::Side;
use super::frame::{Kind, ProfileFrame};
use super::profile::{Profile, ProfileFrames};
use super::source::CaptureSource;
use crate::traffic::stimulus::Line;

/// How a capture becomes ops.
#[derive(Clone, Copy, Debug)]
pub struct CaptureOptions {
    /// Header profile and UDP port.
    pub profile: Profile,
    /// Address of the local side; `None`: by the first data frame.
    pub local: Option<IpAddr>,
    /// Retransmission timeout in ns, for engines that hear of timeouts.
    pub rto_ns: u64,
    /// Connections of the engine, or buckets of a switch.
    pub connections: u32,
    /// PSNs of the SACK engines. One of the wire that is wider loses its upper bits.
    pub psns: PsnSpace,
    /// Width of the times of `flowcut`.
    pub flowcut_time_bits: u32,
    /// Uplinks of a switch with `flowcut_switch`, and ports of one with `caver`.
    pub uplinks: u32,
    pub ports: u32,
    /// What becomes of a capture that ends within a record.
    pub cut: Cut,
}

/// What the engine of a core makes of the frames of the local side.
pub trait Listener: Sized {
    /// An op of the core.
    type Op: Words;
    /// Which end the engine is at.
    const SIDE: Side;
    /// It hears of packets that stay unacknowledged for longer than [`CaptureOptions::rto_ns`].
    const HEARS_TIMEOUTS: bool;

    /// Before the first frame. What must be known beforehand may be read from the file.
    fn new(source: &CaptureSource, options: &CaptureOptions, survey: &Survey) -> Result<Self, CaptureError>;

    /// Time goes on to `now_ns`: what was due comes out.
    fn until(&mut self, now_ns: u64, lines: &mut VecDeque<Line<Self::Op>>);

    /// A frame that leaves or reaches the local side.
    fn hear(&mut self, now_ns: u64, conn: u32, frame: &ProfileFrame, lines: &mut VecDeque<Line<Self::Op>>);
}

/// What the first pass over a capture found out.
#[derive(Clone, Debug)]
pub struct Survey {
    /// The local side.
    pub local: IpAddr,
    /// Which end it is.
    pub side: Side,
    /// Connections that its data and ACKs belong to.
    pub connections: u32,
    /// Whether the numbers on the wire serve as they are.
    pub numbers_fit: bool,
    order: HashMap<(IpAddr, u32), u32>,
}

/// The ops of a capture, in order. Memory holds what the listener remembers, not the capture.
pub struct CaptureOps<L: Listener> {
    frames: ProfileFrames,
    survey: Survey,
    listener: L,
    ready: VecDeque<Line<L::Op>>,
    start_ns: Option<u64>,
    now_ns: u64,
    failed: bool,
    heard: Account,
}

impl Survey {
    /// Reads the whole file.
    pub fn of(source: &CaptureSource, options: &CaptureOptions, side: Side) -> Result<Survey, CaptureError> {
        let (path, profile) = (source.path(), options.profile);
        let local = match options.local {
            Some(local) => Some(local),
            None => first_end(source, profile, side)?,
        };
        let mut ends: Vec<IpAddr> = Vec::new();
        let mut has_data = false;
        let mut order = HashMap::new();
        let mut numbers: HashMap<u32, IpAddr> = HashMap::new();
        let mut numbers_fit = true;
        let mut frames = ProfileFrames::open(source, profile)?;
        while let Some(frame) = frames.next_frame()? {
            if matches!(frame.kind, Kind::Data(_)) {
                let end = side.of_data(&frame);
                has_data |= local == Some(end);
                if ends.len() < 8 && !ends.contains(&end) {
                    ends.push(end);
                }
            }
            if is_control(&frame) {
                continue;
            }
            let Some(remote) = local.and_then(|local| remote(&frame, local, side)) else { continue };
            let next = order.len() as u32;
            if *order.entry((remote, frame.id)).or_insert(next) == options.connections {
                let fault =
                    Fault::Connection { connection: next, id: frame.id, connections: options.connections };
                return Err(CaptureError::frame(path, frame.number, fault));
            }
            numbers_fit &=
                frame.id < options.connections && *numbers.entry(frame.id).or_insert(remote) == remote;
        }
        match local {
            Some(local) if has_data => {
                Ok(Survey { local, side, connections: order.len() as u32, numbers_fit, order })
            }
            Some(local) if !ends.is_empty() => {
                let others = ends.iter().map(IpAddr::to_string).collect::<Vec<_>>().join(", ");
                let fault = Fault::NoLocal { local, side, profile: profile.name(), others };
                Err(CaptureError::file(path, fault))
            }
            _ => Err(CaptureError::file(path, frames.no_data())),
        }
    }

    /// The engine's connection of a frame, if the frame leaves or reaches the local side.
    pub fn connection(&self, frame: &ProfileFrame) -> Option<u32> {
        let remote = remote(frame, self.local, self.side)?;
        if self.numbers_fit { Some(frame.id) } else { self.order.get(&(remote, frame.id)).copied() }
    }
}

impl Side {
    /// What this end does with data frames.
    pub(super) fn does(self) -> &'static str {
        match self {
            Side::Sender => "sends",
            Side::Receiver => "receives",
        }
    }

    /// The address of a data frame that is at this end.
    fn of_data(self, frame: &ProfileFrame) -> IpAddr {
        match self {
            Side::Sender => frame.source,
            Side::Receiver => frame.destination,
        }
    }
}

/// This end of the first data frame.
fn first_end(source: &CaptureSource, profile: Profile, side: Side) -> Result<Option<IpAddr>, CaptureError> {
    let mut frames = ProfileFrames::open(source, profile)?;
    while let Some(frame) = frames.next_frame()? {
        if matches!(frame.kind, Kind::Data(_)) {
            return Ok(Some(side.of_data(&frame)));
        }
    }
    Ok(None)
}

/// The other side of a data frame that the side `local` has to do with, or of an answer to one.
fn remote(frame: &ProfileFrame, local: IpAddr, side: Side) -> Option<IpAddr> {
    let is_data = matches!(frame.kind, Kind::Data(_));
    let (own, other) = if is_data == (side == Side::Sender) {
        (frame.source, frame.destination)
    } else {
        (frame.destination, frame.source)
    };
    (own == local).then_some(other)
}

impl<L: Listener> CaptureOps<L> {
    /// Surveys the file, then begins to read it again from the start.
    pub fn open(path: &Path, options: &CaptureOptions) -> Result<CaptureOps<L>, CaptureError> {
        let source = CaptureSource::open(path, options.cut)?;
        let survey = Survey::of(&source, options, L::SIDE)?;
        Ok(CaptureOps {
            listener: L::new(&source, options, &survey)?,
            survey,
            frames: ProfileFrames::open(&source, options.profile)?,
            ready: VecDeque::new(),
            start_ns: None,
            now_ns: 0,
            failed: false,
            heard: Account::default(),
        })
    }

    /// What the first pass found out.
    pub fn survey(&self) -> &Survey {
        &self.survey
    }

    /// Where within a record the capture ended, once all ops are taken; as [`CaptureFile::warning`] has it.
    ///
    /// [`CaptureFile::warning`]: super::CaptureFile::warning
    pub fn warning(&self) -> Option<&CaptureError> {
        self.frames.warning()
    }

    /// What became of each frame that was read so far.
    pub fn account(&self) -> Account {
        self.heard.clone().and(self.frames.passed())
    }

    fn take(&mut self, frame: &ProfileFrame) {
        if let Some(time_ns) = frame.time_ns {
            let start_ns = *self.start_ns.get_or_insert(time_ns);
            self.now_ns = self.now_ns.max(time_ns.saturating_sub(start_ns));
        }
        self.listener.until(self.now_ns, &mut self.ready);
        if is_control(frame) {
            return self.heard.left(frame.number, words(frame)[1]);
        }
        let Some(conn) = self.survey.connection(frame) else {
            return self.heard.left(frame.number, "neither from the local side nor to it");
        };
        let before = self.ready.len();
        self.listener.hear(self.now_ns, conn, frame, &mut self.ready);
        let ([as_what, why_not], number) = (words(frame), frame.number);
        match self.ready.len() > before {
            true => self.heard.taken(number, as_what),
            false => self.heard.left(number, why_not),
        }
    }
}

/// A control packet, which either end may send and no engine hears of.
fn is_control(frame: &ProfileFrame) -> bool {
    matches!(frame.kind, Kind::Control { .. })
}

/// What a frame is taken as, and why it is not where no op follows from it.
fn words(frame: &ProfileFrame) -> [&'static str; 2] {
    match frame.kind {
        Kind::Data(data) if data.probe => ["probes", "probes, from which no op follows"],
        Kind::Data(_) => ["data packets", "data packets, from which no op follows"],
        Kind::Ack(_) => ["ACKs", "ACKs, from which no op follows"],
        Kind::Nack { .. } => ["NACKs", "NACKs, from which no op follows"],
        Kind::Control { .. } => ["control packets", "control packets, from which no op follows"],
    }
}

impl<L: Listener> Iterator for CaptureOps<L> {
    type Item = Result<Line<L::Op>, CaptureError>;

    fn next(&mut self) -> Option<Self::Item> {
        loop {
            if let Some(line) = self.ready.pop_front() {
                return Some(Ok(line));
            }
            if self.failed {
                return None;
            }
            match self.frames.next_frame() {
                Ok(Some(frame)) => self.take(&frame),
                Ok(None) => return None,
                Err(error) => {
                    self.failed = true;
                    return Some(Err(error));
                }
            }
        }
    }
}
