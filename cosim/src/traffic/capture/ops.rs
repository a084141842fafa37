//! A capture as ops of the entropy cache, seen from one host, the local side.
//!
//! * **Local side.** The address given, or else the source of the first data frame: the side that sends data first.
//! * **send**: each data frame (first transmission, retransmission or probe) that leaves the local side. The row's `ev`
//!   is the EV that was on the wire; the engine under test takes no notice of it.
//! * **ack**: each ACK that reaches the local side, with the EV and the ECN mark that it echoes, also if it comes after
//!   its packet's timeout. **nack**: each NACK.
//! * **timeout**: a packet that no ACK has covered (cumulatively, singly or in a SACK) and no NACK refused when the
//!   RTO is over, counted from its last transmission, at just that time, before any frame of that time. Each transmission times
//!   out once. Probes do not time out, nor does what is still on its way when the capture ends.
//! * **Connections.** If every number on the wire is below `connections` and belongs to one remote address, it is
//!   the connection. Otherwise connections are counted from 0 in order of first appearance, one for each pair of remote
//!   address and number.
//! * **Time.** Nanoseconds since the first frame of the profile. A capture's times can step back by a little; an op never
//!   comes earlier than the one before.

use std::collections::{HashMap, VecDeque};
use std::net::IpAddr;
use std::path::Path;

use super::error::{CaptureError, Fault};
use super::flight::Flight;
use super::frame::{Kind, ProfileFrame};
use super::profile::{Profile, ProfileFrames};
use crate::traffic::optrace::{Row, RowOp};

/// How a capture becomes ops.
#[derive(Clone, Copy, Debug)]
pub struct CaptureOptions {
    /// Header profile and UDP port.
    pub profile: Profile,
    /// Address of the local side; `None`: the one that sends data first.
    pub local: Option<IpAddr>,
    /// Retransmission timeout in ns.
    pub rto_ns: u64,
    /// Connections of the engine.
    pub connections: u32,
}

/// What the first pass over a capture found out.
#[derive(Clone, Debug)]
pub struct Survey {
    /// The local side.
    pub local: IpAddr,
    /// Connections that its data and ACKs belong to.
    pub connections: u32,
    /// Whether the numbers on the wire serve as they are.
    pub numbers_fit: bool,
    order: HashMap<(IpAddr, u32), u32>,
}

/// The ops of a capture, in order. Memory holds the packets that are on their way, not the capture.
pub struct CaptureOps {
    frames: ProfileFrames,
    survey: Survey,
    flight: Flight,
    ready: VecDeque<Row>,
    start_ns: Option<u64>,
    now_ns: u64,
    failed: bool,
}

impl Survey {
    /// Reads the whole file.
    pub fn of(path: &Path, options: &CaptureOptions) -> Result<Survey, CaptureError> {
        let profile = options.profile;
        let local = match options.local {
            Some(local) => Some(local),
            None => first_sender(path, profile)?,
        };
        let mut senders: Vec<IpAddr> = Vec::new();
        let mut sends = false;
        let mut order = HashMap::new();
        let mut numbers: HashMap<u32, IpAddr> = HashMap::new();
        let mut numbers_fit = true;
        let mut frames = ProfileFrames::open(path, profile)?;
        while let Some(frame) = frames.next_frame()? {
            if matches!(frame.kind, Kind::Data(_)) {
                sends |= local == Some(frame.source);
                if senders.len() < 8 && !senders.contains(&frame.source) {
                    senders.push(frame.source);
                }
            }
            let Some(remote) = local.and_then(|local| remote(&frame, local)) else { continue };
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
            Some(local) if sends => Ok(Survey { local, connections: order.len() as u32, numbers_fit, order }),
            Some(local) if !senders.is_empty() => {
                let senders = senders.iter().map(IpAddr::to_string).collect::<Vec<_>>().join(", ");
                Err(CaptureError::file(path, Fault::NoLocal { local, profile: profile.name(), senders }))
            }
            _ => Err(CaptureError::file(
                path,
                Fault::NoProfile { profile: profile.name(), port: profile.udp_port },
            )),
        }
    }

    /// The engine's connection of a frame, if the frame leaves or reaches the local side.
    pub fn connection(&self, frame: &ProfileFrame) -> Option<u32> {
        let remote = remote(frame, self.local)?;
        if self.numbers_fit { Some(frame.id) } else { self.order.get(&(remote, frame.id)).copied() }
    }
}

/// The source of the first data frame.
fn first_sender(path: &Path, profile: Profile) -> Result<Option<IpAddr>, CaptureError> {
    let mut frames = ProfileFrames::open(path, profile)?;
    while let Some(frame) = frames.next_frame()? {
        if matches!(frame.kind, Kind::Data(_)) {
            return Ok(Some(frame.source));
        }
    }
    Ok(None)
}

/// The other side of a data frame that leaves `local` or of an ACK or NACK that reaches it.
fn remote(frame: &ProfileFrame, local: IpAddr) -> Option<IpAddr> {
    match frame.kind {
        Kind::Data(_) if frame.source == local => Some(frame.destination),
        Kind::Ack(_) | Kind::Nack { .. } if frame.destination == local => Some(frame.source),
        _ => None,
    }
}

impl CaptureOps {
    /// Surveys the file, then begins to read it again from the start.
    pub fn open(path: &Path, options: &CaptureOptions) -> Result<CaptureOps, CaptureError> {
        Ok(CaptureOps {
            survey: Survey::of(path, options)?,
            frames: ProfileFrames::open(path, options.profile)?,
            flight: Flight::new(options.rto_ns, options.profile.psn_bits()),
            ready: VecDeque::new(),
            start_ns: None,
            now_ns: 0,
            failed: false,
        })
    }

    /// What the first pass found out.
    pub fn survey(&self) -> &Survey {
        &self.survey
    }

    fn take(&mut self, frame: &ProfileFrame) {
        let start_ns = self.start_ns.unwrap_or(frame.time_ns);
        self.start_ns = Some(start_ns);
        self.now_ns = self.now_ns.max(frame.time_ns.saturating_sub(start_ns));
        while let Some(expired) = self.flight.expire(self.now_ns) {
            let timeout = Row { op: RowOp::Timeout, conn: expired.conn, ..Row::default() };
            self.ready.push_back(Row { time_ns: expired.deadline_ns, ..timeout });
        }
        let Some(conn) = self.survey.connection(frame) else { return };
        let row = Row { time_ns: self.now_ns, conn, ..Row::default() };
        self.ready.push_back(match frame.kind {
            Kind::Data(data) => {
                if !data.probe {
                    self.flight.sent(self.now_ns, conn, data.psn);
                }
                Row { op: RowOp::Send, ev: Some(frame.ev), ..row }
            }
            Kind::Ack(ack) => {
                self.flight.acked(conn, &ack);
                Row { op: RowOp::Ack, ev: Some(ack.echo_ev), ecn: ack.ce, ..row }
            }
            Kind::Nack { psn } => {
                self.flight.refused(conn, psn);
                Row { op: RowOp::Nack, ..row }
            }
        });
    }
}

impl Iterator for CaptureOps {
    type Item = Result<Row, CaptureError>;

    fn next(&mut self) -> Option<Self::Item> {
        loop {
            if let Some(row) = self.ready.pop_front() {
                return Some(Ok(row));
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
