//! From the host to the network.

use super::headers::{Addressing, Ecn};
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

impl Nic {
    /// The host offers a frame on `tx_in`.
    ///
    /// # Errors
    /// The frame itself, while `tx_in` pauses.
    pub fn offer(&mut self, frame: Vec<u8>) -> Result<(), Vec<u8>> {
        if self.tx_in.len() == self.config.limits.tx_frames {
            return Err(frame);
        }
        self.tx_in.push_back(frame);
        Ok(())
    }

    /// The MAC takes the next frame from `tx_out`.
    pub fn transmit(&mut self) -> Option<Transmitted> {
        if let Some(frame) = self.sacks.pop_front() {
            self.counters.count(Counter::TxSacks);
            return Some(Transmitted { frame, sent: Sent::Sack });
        }
        if let Some((conn, psn)) = self.probes.pop() {
            return Some(self.probe(conn, psn));
        }
        while let Some(frame) = self.tx_in.pop_front() {
            let transmitted = self.host_frame(frame);
            if transmitted.is_some() {
                return transmitted;
            }
        }
        None
    }

    /// A frame of the host; `None` if it is refused.
    fn host_frame(&mut self, frame: Vec<u8>) -> Option<Transmitted> {
        let read = rewrite::read(&frame, self.traffic(), Extent::Whole);
        match read {
            Ok(Some(headers)) if headers.kind == rewrite::Kind::Data => self.data(frame, &headers),
            Ok(Some(headers)) if headers.kind == rewrite::Kind::Probe => {
                Some(self.host_probe(frame, &headers))
            }
            Ok(_) | Err(FrameError::Unsupported) => Some(self.pass(frame)),
            Err(_) => {
                self.counters.count(Counter::TxMalformed);
                Some(self.pass(frame))
            }
        }
    }

    /// A probe of the host's own; one of a connection that does not exist passes unchanged.
    fn host_probe(&mut self, frame: Vec<u8>, headers: &Headers) -> Transmitted {
        let number = self.parse(&frame, headers).sender_connection();
        let Some(conn) = self.connection(number) else { return self.pass(frame) };
        self.counters.count(Counter::TxProbes);
        let (frame, kind) = self.stamp(conn, frame);
        Transmitted { frame, sent: Sent::Probe { kind } }
    }

    fn pass(&mut self, frame: Vec<u8>) -> Transmitted {
        self.counters.count(Counter::TxOther);
        Transmitted { frame, sent: Sent::Other }
    }

    fn data(&mut self, frame: Vec<u8>, headers: &Headers) -> Option<Transmitted> {
        let packet = self.parse(&frame, headers);
        let number = packet.sender_connection();
        let psn = PSNS.wrap(packet.psn());
        let bytes = (headers.udp_length - UDP_BYTES - headers.bytes) as u16;
        let status = match self.connection(number) {
            Some(conn) => self.apply_sack_tx(conn, OpKind::Sent { psn, bytes }).status,
            None => Some(Status::Uninitialised),
        };
        let again = match status {
            Some(Status::Ok) => false,
            Some(Status::Again) => true,
            status => {
                self.counters.count(Counter::TxRefused);
                let detail = status.map_or(0, Status::code).into();
                self.tell(Event { detail, ..Event::new(Kind::Refused, number, psn) });
                return None;
            }
        };
        let conn = number as u16;
        self.peers[usize::from(conn)] =
            Some(Peer { addressing: Addressing::of(&frame, headers), header: packet });
        let now = self.clock.wire(&self.settings);
        let timing = &mut self.timings[usize::from(conn)];
        if again {
            timing.again(psn)
        } else {
            timing.sent(psn, now)
        }
        self.counters.count(if again { Counter::TxAgain } else { Counter::TxData });
        let (frame, kind) = self.stamp(conn, frame);
        Some(Transmitted { frame, sent: Sent::Data { again, kind } })
    }

    fn parse(&self, frame: &[u8], headers: &Headers) -> Packet {
        self.config
            .profile
            .parse(&frame[headers.at..])
            .expect("the frame holds a whole header of the profile")
    }

    /// An EV from the selector, and where it came from.
    fn draw(&mut self, conn: u16) -> (u16, SendKind) {
        let outcome = self.apply_selector(conn, selector::OpKind::Send, 0, false);
        let result = outcome.result.expect("a send has a result");
        self.counters.count(match result.kind {
            SendKind::Explore => Counter::Explore,
            SendKind::Recycle => Counter::Recycle,
            SendKind::Replay => Counter::Replay,
        });
        (result.ev, result.kind)
    }

    /// Writes EV, ECN and timestamp into a frame of the host.
    fn stamp(&mut self, conn: u16, mut frame: Vec<u8>) -> (Vec<u8>, SendKind) {
        let (ev, kind) = self.draw(conn);
        let settings = Params {
            wire: self.traffic(),
            flow_label_enable: self.labels(),
            beat_bytes: self.config.bus_bits as usize / 8,
        };
        let stamp = Stamp { ev, timestamp: self.clock.wire(&self.settings), enable: true };
        let disposition = rewrite(&mut frame, stamp, settings);
        assert_eq!(disposition, rewrite_tx::Disposition::Rewritten, "nothing is wrong with the frame");
        (frame, kind)
    }

    /// Whether EVs go into IPv6 flow labels, too.
    fn labels(&self) -> bool {
        self.settings.get(Setting::FlowLabelEnable) == 1
    }

    /// A probe of `sack_tx`.
    fn probe(&mut self, conn: u16, psn: u32) -> Transmitted {
        let (ev, kind) = self.draw(conn);
        let now = self.clock.wire(&self.settings);
        self.timings[usize::from(conn)].probed(now);
        self.counters.count(Counter::TxProbes);
        let udp_port = self.traffic().udp_port;
        let peer = self.peers[usize::from(conn)].as_ref().expect("only a connection that has sent is probed");
        let header = sack::probe(psn, &peer.header, now).to_bytes();
        let addressing = if self.labels() { peer.addressing.labelled(ev) } else { peer.addressing.clone() };
        let frame = addressing.frame(Ecn::Ect0, ev, udp_port, &header);
        Transmitted { frame, sent: Sent::Probe { kind } }
    }
}
