//! From the host to the network.

use super::headers::{Addressing, Ecn};
use super::steps::{Asked, OwnProbe};
use super::{Counter, Event, Kind, Nic, PSNS, Setting, sack};
use crate::rewrite::{self, Extent, FrameError, Headers};
use crate::rewrite_tx::{self, Params, Stamp, rewrite};
use crate::sack_tx::{OpKind, Status};
use crate::selector::{self, SendKind};
use crate::wire::Packet;

/// UDP's header in bytes.
const UDP_BYTES: usize = 8;

/// What a frame on `tx_out` is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sent {
    /// Of the host, unchanged.
    Other,
    /// A data packet, sent before or not, and where its EV came from.
    Data {
        again: bool,
        kind: SendKind,
    },
    /// A probe, of the `nic` or of the host.
    Probe {
        kind: SendKind,
    },
    Sack,
}

/// A frame on `tx_out`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Transmitted {
    pub frame: Vec<u8>,
    pub sent: Sent,
}

/// What a connection's last data packet said, for its probes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Peer {
    addressing: Addressing,
    header: Packet,
}

/// A frame of the host that reads as data or probe, and asks what is to become of it.
#[derive(Clone, Debug)]
struct Request {
    is_probe: bool,
    /// Its connection, which need not exist.
    number: u32,
    headers: Headers,
    packet: Packet,
}

/// What becomes of a frame that asked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Decision {
    Rewrite { again: bool },
    Pass,
    Drop,
}

/// How far a frame of the host is.
#[derive(Clone, Debug)]
enum Stage {
    /// It asks for nothing.
    Passes,
    Asks(Request),
    Decided(Request, Decision),
    /// An EV is drawn for it.
    Drawn(Request, Decision, u16, SendKind),
    /// It leaves, changed or not.
    Leaves(Sent),
    /// It does not.
    Dropped,
}

/// A frame of the host on its way.
#[derive(Clone, Debug)]
pub(super) struct HostFrame {
    frame: Vec<u8>,
    stage: Stage,
}

impl Nic {
    /// The host offers a frame on `tx_in`.
    ///
    /// # Errors
    /// The frame itself, while `tx_in` pauses.
    pub fn offer(&mut self, frame: Vec<u8>) -> Result<(), Vec<u8>> {
        if self.tx_in.len() == self.config.limits.tx_frames {
            return Err(frame);
        }
        let stage = self.read_frame(&frame);
        self.tx_in.push_back(HostFrame { frame, stage });
        Ok(())
    }

    /// The MAC takes the next frame from `tx_out`.
    pub fn transmit(&mut self) -> Option<Transmitted> {
        if let Some(sack) = self.transmit_sack() {
            return Some(sack);
        }
        if self.start_probe() {
            self.spray_all();
            return self.transmit_probe();
        }
        while let Some(front) = self.tx_in.front() {
            if matches!(front.stage, Stage::Asks(_)) {
                self.sent();
                self.spray_all();
                self.grant();
            }
            if let Some(transmitted) = self.transmit_host_frame() {
                return Some(transmitted);
            }
        }
        None
    }

    /// The SACK that waits longest.
    pub fn transmit_sack(&mut self) -> Option<Transmitted> {
        let frame = self.sacks.pop_front()?;
        self.counters.count(Counter::TxSacks);
        Some(Transmitted { frame, sent: Sent::Sack })
    }

    fn read_frame(&mut self, frame: &[u8]) -> Stage {
        // judged with the beat that decides, as `rewrite_tx` does: a long frame leaves before its end is there
        let extent = Extent::Beats(self.config.bus_bits as usize / 8);
        match rewrite::read(frame, self.traffic(), extent) {
            Ok(Some(headers)) if headers.kind == rewrite::Kind::Data => self.asks(frame, headers, false),
            Ok(Some(headers)) if headers.kind == rewrite::Kind::Probe => self.asks(frame, headers, true),
            Ok(_) | Err(FrameError::Unsupported) => Stage::Passes,
            Err(_) => {
                self.counters.count(Counter::TxMalformed);
                Stage::Passes
            }
        }
    }

    fn asks(&self, frame: &[u8], headers: Headers, is_probe: bool) -> Stage {
        let packet = self.parse(frame, &headers);
        Stage::Asks(Request { is_probe, number: packet.sender_connection(), headers, packet })
    }

    /// The frame that asked first is decided about: data by `sent` of `sack_tx`, a probe by whether its connection exists.
    pub fn sent(&mut self) -> Option<()> {
        let at = self.position(|stage| matches!(stage, Stage::Asks(_)))?;
        let Stage::Asks(request) = self.tx_in[at].stage.clone() else { unreachable!("it asks") };
        let conn = self.connection(request.number);
        let decision = match (request.is_probe, conn) {
            (true, None) => Decision::Pass,
            (true, Some(_)) => Decision::Rewrite { again: false },
            (false, conn) => self.data(conn, &self.tx_in[at].frame.clone(), &request),
        };
        if let (Decision::Rewrite { .. }, Some(conn)) = (decision, conn) {
            self.sprays.push_back(Asked { conn, kind: selector::OpKind::Send, ev: 0, ecn: false });
        }
        self.tx_in[at].stage = Stage::Decided(request, decision);
        Some(())
    }

    /// `sent` of `sack_tx`.
    fn data(&mut self, conn: Option<u16>, frame: &[u8], request: &Request) -> Decision {
        let Request { number, headers, packet, .. } = request;
        let psn = PSNS.wrap(packet.psn());
        let bytes = (headers.udp_length - UDP_BYTES - headers.bytes) as u16;
        let status = match conn {
            Some(conn) => self.apply_sack_tx(conn, OpKind::Sent { psn, bytes }).status,
            None => Some(Status::Uninitialised),
        };
        let again = match (status, conn) {
            (Some(Status::Ok), _) => false,
            (Some(Status::Again), _) => true,
            (status, _) => {
                self.counters.count(Counter::TxRefused);
                let detail = status.map_or(0, Status::code).into();
                self.tell(Event { detail, ..Event::new(Kind::Refused, *number, psn) });
                return Decision::Drop;
            }
        };
        let conn = *number as u16;
        self.peers[usize::from(conn)] =
            Some(Peer { addressing: Addressing::of(frame, headers), header: *packet });
        let now = self.clock.wire(&self.settings);
        let timing = &mut self.timings[usize::from(conn)];
        if again {
            timing.again(psn)
        } else {
            timing.sent(psn, now)
        }
        self.counters.count(if again { Counter::TxAgain } else { Counter::TxData });
        Decision::Rewrite { again }
    }

    /// The EV that the selector drew is for the first frame that waits for one.
    pub(super) fn drawn(&mut self, ev: u16, kind: SendKind) {
        let at = self.position(|stage| matches!(stage, Stage::Decided(_, Decision::Rewrite { .. })));
        let at = at.expect("an op `send` is of a frame");
        if let Stage::Decided(request, decision) = self.tx_in[at].stage.clone() {
            self.tx_in[at].stage = Stage::Drawn(request, decision, ev, kind);
        }
    }

    /// The first frame that is decided about, with its EV if it is to have one, is written at the present time.
    pub fn grant(&mut self) -> Option<()> {
        let at = self.position(|stage| match stage {
            Stage::Decided(_, decision) => !matches!(decision, Decision::Rewrite { .. }),
            stage => matches!(stage, Stage::Drawn(..)),
        })?;
        self.tx_in[at].stage = match self.tx_in[at].stage.clone() {
            Stage::Drawn(request, Decision::Rewrite { again }, ev, kind) => {
                self.stamp(at, ev);
                Stage::Leaves(match request.is_probe {
                    true => Sent::Probe { kind },
                    false => Sent::Data { again, kind },
                })
            }
            Stage::Decided(_, Decision::Pass) => Stage::Passes,
            _ => Stage::Dropped,
        };
        Some(())
    }

    fn position(&self, is_next: impl Fn(&Stage) -> bool) -> Option<usize> {
        self.tx_in.iter().position(|frame| is_next(&frame.stage))
    }

    /// The next frame of the host, if it is far enough. One that was refused is passed over.
    pub fn transmit_host_frame(&mut self) -> Option<Transmitted> {
        loop {
            let sent = match &self.tx_in.front()?.stage {
                Stage::Passes => Sent::Other,
                Stage::Leaves(sent) => *sent,
                Stage::Dropped => {
                    self.tx_in.pop_front();
                    continue;
                }
                Stage::Asks(_) | Stage::Decided(..) | Stage::Drawn(..) => return None,
            };
            match sent {
                Sent::Other => self.counters.count(Counter::TxOther),
                Sent::Probe { .. } => self.counters.count(Counter::TxProbes),
                _ => {}
            }
            let frame = self.tx_in.pop_front().expect("it is there").frame;
            return Some(Transmitted { frame, sent });
        }
    }

    fn parse(&self, frame: &[u8], headers: &Headers) -> Packet {
        self.config
            .profile
            .parse(&frame[headers.at..])
            .expect("the frame holds a whole header of the profile")
    }

    /// Writes EV, ECN and timestamp into a frame of the host.
    fn stamp(&mut self, at: usize, ev: u16) {
        let settings = Params {
            wire: self.traffic(),
            flow_label_enable: self.labels(),
            beat_bytes: self.config.bus_bits as usize / 8,
        };
        let stamp = Stamp { ev, timestamp: self.clock.wire(&self.settings), enable: true };
        let disposition = rewrite(&mut self.tx_in[at].frame, stamp, settings);
        assert_eq!(disposition, rewrite_tx::Disposition::Rewritten, "nothing is wrong with the frame");
    }

    /// Whether EVs go into IPv6 flow labels, too.
    fn labels(&self) -> bool {
        self.settings.get(Setting::FlowLabelEnable) == 1
    }

    /// The probe that waits longest asks for an EV; whether there is one, and none is in work.
    pub fn start_probe(&mut self) -> bool {
        if self.own_probe.is_some() {
            return false;
        }
        let Some((conn, psn)) = self.probes.pop() else { return false };
        self.own_probe = Some(OwnProbe { conn, psn, drawn: None, left_at: None });
        true
    }

    /// The probe in work, if it has its EV.
    pub fn transmit_probe(&mut self) -> Option<Transmitted> {
        let OwnProbe { conn, psn, drawn, left_at } = self.own_probe?;
        let ((ev, kind), now) = (drawn?, left_at?);
        self.own_probe = None;
        self.timings[usize::from(conn)].probed(now);
        self.counters.count(Counter::TxProbes);
        let udp_port = self.traffic().udp_port;
        let peer = self.peers[usize::from(conn)].as_ref().expect("only a connection that has sent is probed");
        let header = sack::probe(psn, &peer.header, now).to_bytes();
        let addressing = if self.labels() { peer.addressing.labelled(ev) } else { peer.addressing.clone() };
        let frame = addressing.frame(Ecn::Ect0, ev, udp_port, &header);
        Some(Transmitted { frame, sent: Sent::Probe { kind } })
    }
}
