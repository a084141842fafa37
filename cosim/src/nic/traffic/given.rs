//! The frames of the host, of the MAC and of the other end.

use rand::RngExt;
use respray_golden::nic::Kind;
use respray_golden::paths::frame::mark;
use respray_golden::rewrite::{Extent, read};
use respray_golden::wire::{Packet, Profile, strack, uet};

use super::{BEFORE_WRAP, Connection, Traffic};
use crate::nic::streams::Given;

/// Bytes at the end of an ACK of which one is spoilt: they say what has arrived.
const SACK_BYTES: usize = 18;
/// The same of an ACK of Ultra Ethernet: all that is not below UDP, and a response.
const TYPED_ACK_BYTES: usize = 46;
/// No connection has a number with this bit.
const STRANGER: u32 = 1 << 15;

impl Traffic<'_> {
    /// The header of a packet.
    pub(super) fn data(&mut self, conn: u32, psn: u32, again: bool, is_probe: bool) -> Vec<u8> {
        let is_typed = self.is_typed();
        let random = &mut self.random;
        let ack_request = is_probe || random.random_ratio(1, 4);
        match self.wire.profile {
            Profile::Strack => Packet::StrackData(strack::Data {
                connection: conn,
                ack_request,
                psn,
                timestamp: random.random(),
                probe: is_probe,
                hops: random.random(),
            }),
            Profile::Uet if is_typed => {
                return self.typed_data(conn, psn, again, is_probe);
            }
            Profile::Uet => Packet::UetRequest(uet::Request {
                // a connection is ordered or not as long as it lives
                ordered: conn % 2 == 1,
                next_header: random.random_range(0..16),
                retransmit: again,
                ack_request,
                syn: false,
                clear_psn_offset: random.random(),
                psn: unwrapped(psn),
                source_pdc: conn as u16,
                destination_pdc: conn as u16,
                credit: random.random_ratio(1, 8).then(uet::Credit::default),
            }),
        }
        .to_bytes()
    }

    /// A frame with this header.
    pub(super) fn around(&mut self, header: Vec<u8>) -> Vec<u8> {
        let frames = if self.phase.is_short { &mut self.frames.short } else { &mut self.frames.usual };
        frames.around(header).data
    }

    /// A packet once more.
    pub(super) fn again(&mut self, conn: u16, psn: u32) -> Vec<u8> {
        let header = self.data(conn.into(), psn, true, false);
        self.around(header)
    }

    /// A probe of a connection.
    pub(super) fn probe(&mut self) -> Vec<u8> {
        let at = self.chosen();
        let Connection { number, next, .. } = self.connections[at];
        let header = self.data(number.into(), next, false, true);
        self.around(header)
    }

    /// The host gives a frame, if it has one.
    pub(super) fn host(&mut self) {
        let user = self.random.random_ratio(1, 8);
        let at = self.phase.flooded.unwrap_or_else(|| self.chosen());
        let Connection { number, next, .. } = self.connections[at];
        let conn = u32::from(number);
        let (snd_una, snd_nxt) = self.stands(number);
        let is_full = self.phase.flooded.is_none() && self.psns.sub(next, snd_una) >= self.window;
        let bytes = if let Some((conn, psn)) = self.again.pop_front() {
            self.again(conn, psn)
        } else {
            let far = self.psns.add(next, self.random.random_range(1..1000));
            let (conn, psn, is_probe) = match self.random.random_range(0..32) {
                0 => {
                    let bytes = self.frames.any.next().expect("it does not end").data;
                    return self.end.send(Given { bytes, user });
                }
                1 => {
                    let header = self.data(conn, far, false, false);
                    let bytes = self.frames.odd.around(header).data;
                    // one that is a packet still may be of another connection
                    if !matches!(read(&bytes, self.wire, Extent::Whole), Ok(Some(_))) {
                        self.end.send(Given { bytes, user });
                    }
                    return;
                }
                2 => (conn, far, false),
                3 => (STRANGER | self.random.random_range(0..1 << 24), next, false),
                4 => (conn, next, true),
                5 => {
                    // packets were refused
                    self.connections[at].next = snd_nxt;
                    return;
                }
                6 => (conn, next, false),
                _ if is_full => return,
                _ if self.host_controls() => {
                    let bytes = self.host_control(number, next);
                    return self.end.send(Given { bytes, user });
                }
                _ => {
                    self.connections[at].next = self.psns.add(next, 1);
                    (conn, next, false)
                }
            };
            let header = self.data(conn, psn, false, is_probe);
            self.around(header)
        };
        self.end.send(Given { bytes, user });
    }

    /// The MAC gives a frame.
    pub(super) fn mac(&mut self) {
        let user = self.random.random_ratio(1, 32);
        let at = self.chosen();
        let Connection { number, theirs, .. } = self.connections[at];
        if let Some(bytes) = self.typed(number, theirs) {
            return self.end.receive(Given { bytes, user });
        }
        let conn = number.into();
        // every third ACK is lost
        let mut bytes = match self.arriving.pop_front().filter(|_| self.random.random_ratio(2, 3)) {
            Some(ack) => self.ack(ack),
            None => {
                let mut is_odd = false;
                let (conn, psn, is_probe) = match self.random.random_range(0..24) {
                    0 => {
                        let bytes = self.frames.any.next().expect("it does not end").data;
                        return self.end.receive(Given { bytes, user });
                    }
                    1 => (self.random.random_range(0..1 << 24), theirs, false),
                    2 => (conn, self.psns.add(theirs, self.random.random_range(2..2000)), false),
                    3 => (conn, self.psns.sub(theirs, self.random.random_range(1..2000)), false),
                    4 => (conn, theirs, true),
                    5 => {
                        is_odd = true;
                        (conn, theirs, false)
                    }
                    step => {
                        // some are missing, and some come again
                        self.connections[at].theirs = self.psns.add(theirs, [1, 1, 1, 1, 0, 2][step % 6]);
                        (conn, theirs, false)
                    }
                };
                let header = self.data(conn, psn, false, is_probe);
                if is_odd { self.frames.odd.around(header).data } else { self.around(header) }
            }
        };
        if self.random.random_ratio(1, 8) {
            mark(&mut bytes);
        }
        self.put_home(&mut bytes);
        self.trim(&mut bytes);
        self.end.receive(Given { bytes, user });
    }

    /// An ACK as it comes: in a layout of its own, or with a byte that is wrong.
    fn ack(&mut self, mut bytes: Vec<u8>) -> Vec<u8> {
        if self.random.random_ratio(1, 16) {
            let spoilt = if self.is_typed() { TYPED_ACK_BYTES } else { SACK_BYTES };
            let at = bytes.len() - self.random.random_range(1..=spoilt);
            bytes[at] = self.random.random();
        }
        match read(&bytes, self.wire, Extent::Whole) {
            Ok(Some(headers)) if self.random.random() => {
                let header = bytes[headers.at..headers.at + headers.bytes].to_vec();
                let header = self.retold(header);
                self.around(header)
            }
            _ => bytes,
        }
    }

    /// What came out reaches the other end or is lost, and the host hears of what is to be sent again.
    pub(super) fn take(&mut self) {
        let out = std::mem::take(&mut self.end.out);
        for mut sent in out.transmitted {
            if self.random.random_bool(self.phase.loss) {
                continue;
            }
            if self.random.random_ratio(1, 8) {
                mark(&mut sent.frame);
            }
            self.peer.advance(self.end.cycle());
            self.peer.receive(sent.frame, false);
            while let Some(answer) = self.peer.transmit() {
                self.arriving.push_back(answer.frame);
            }
            while self.peer.event().is_some() || self.peer.deliver().is_some() {}
        }
        let again = out.events.into_iter().filter(|event| event.kind == Kind::Retransmit);
        self.again.extend(again.map(|event| (event.conn as u16, event.psn)));
    }
}

/// A PSN as `uet` has it, which counts on where that of the block wraps.
fn unwrapped(psn: u32) -> u32 {
    if psn < BEFORE_WRAP.start / 2 { psn + BEFORE_WRAP.end } else { psn }
}
