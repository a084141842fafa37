//! From the network to the host.

use super::headers::{Addressing, Ecn};
use super::sack::{self, Heard};
use super::{Counter, Event, Kind, Nic, PSNS, Setting, rule_code};
use crate::rewrite::{self, Extent, FrameError};
use crate::rewrite_rx::{self, Record};
use crate::sack_rx::{self, Status};
use crate::sack_tx::{self, OpKind, Rule};
use crate::selector;
use crate::wire::{Packet, Profile};

/// ECN codepoint CE.
const CE: u8 = 3;

/// A frame on `rx_out` with its metadata.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Delivery {
    /// As it came.
    pub frame: Vec<u8>,
    /// That of `rewrite_rx`.
    pub record: Record,
    /// Of data: what `sack_rx` says of it. The host takes in what is new, and nothing else.
    pub status: Option<Status>,
}

impl Nic {
    /// A frame from the network on `rx_in`. `is_bad`: the MAC found its check sequence wrong.
    pub fn receive(&mut self, frame: Vec<u8>, is_bad: bool) {
        if is_bad {
            self.counters.count(Counter::RxBad);
            return;
        }
        let record = rewrite_rx::record(&frame, self.traffic());
        match record.kind {
            Some(rewrite::Kind::Ack) => self.ack(&record),
            Some(_) => self.data_or_probe(frame, record),
            None => self.other(frame, record),
        }
        self.hand_out();
    }

    fn other(&mut self, frame: Vec<u8>, record: Record) {
        if !self.has_room() {
            return;
        }
        match record.error {
            Some(error) if error != FrameError::Unsupported => {
                self.counters.count(Counter::RxMalformed);
                self.tell(Event { detail: error.code().into(), ..Event::new(Kind::Malformed, 0, 0) });
            }
            _ => self.counters.count(Counter::RxOther),
        }
        self.rx_out.push_back(Delivery { frame, record, status: None });
    }

    /// Whether a frame can go to the host; counts one that cannot.
    fn has_room(&mut self) -> bool {
        let has_room = self.rx_out.len() < self.config.limits.rx_frames;
        if !has_room {
            self.counters.count(Counter::RxDroppedHost);
        }
        has_room
    }

    fn data_or_probe(&mut self, frame: Vec<u8>, record: Record) {
        let (packet, addressing) = self.trigger(&frame);
        let is_probe = record.kind == Some(rewrite::Kind::Probe) || sack::is_uet_probe(&packet, &record);
        if !is_probe && !self.has_room() {
            return;
        }
        let limits = self.config.limits;
        if !self.data_load.take(self.clock.cycles, limits.data_cycles, limits.engine_ops) {
            self.counters.count(Counter::RxDroppedEngine);
            return;
        }
        let (status, sack) = self.packet(&record, is_probe);
        self.count_packet(&record, status);
        if let Some(sack) = sack {
            self.answer(&sack, &packet, &addressing);
        }
        if !is_probe {
            self.rx_out.push_back(Delivery { frame, record, status: Some(status) });
        }
    }

    /// The profile's header, and the addresses below it.
    fn trigger(&self, frame: &[u8]) -> (Packet, Addressing) {
        let headers = rewrite::read(frame, self.traffic(), Extent::Whole);
        let headers = headers.ok().flatten().expect("the record is of a frame of the profile");
        let packet = self.config.profile.parse(&frame[headers.at..]);
        (packet.expect("the frame holds a whole header of the profile"), Addressing::of(frame, &headers))
    }

    /// `packet` of `sack_rx`.
    fn packet(&mut self, record: &Record, probe: bool) -> (Status, Option<sack_rx::Sack>) {
        let Some(conn) = self.connection(record.connection) else { return (Status::Uninitialised, None) };
        let outcome = self.sack_rx.apply(&sack_rx::Op {
            kind: sack_rx::OpKind::Packet,
            conn,
            psn: PSNS.wrap(record.psn),
            bytes: record.bytes,
            ecn: record.ecn == CE,
            ev: record.ev,
            timestamp: record.timestamp,
            ack_request: record.ack_request,
            probe,
            sack_threshold: self.settings.get(Setting::SackThreshold) as u16,
        });
        (outcome.status.expect("a packet has a status"), outcome.sack)
    }

    fn count_packet(&mut self, record: &Record, status: Status) {
        if record.ecn == CE {
            self.counters.count(Counter::RxMarked);
        }
        let (counter, kind) = match status {
            Status::New => (Counter::RxNew, None),
            Status::Probe => (Counter::RxProbes, None),
            Status::Duplicate => (Counter::RxDuplicate, Some(Kind::Duplicate)),
            Status::Outside => (Counter::RxOutside, Some(Kind::Stray)),
            Status::Uninitialised => (Counter::RxNotOpen, Some(Kind::Stray)),
        };
        self.counters.count(counter);
        if let Some(kind) = kind {
            let detail = if kind == Kind::Stray { status as u16 } else { 0 };
            self.tell(Event { detail, ..Event::new(kind, record.connection, PSNS.wrap(record.psn)) });
        }
    }

    /// A SACK to the sender of the packet that triggered it.
    fn answer(&mut self, sack: &sack_rx::Sack, trigger: &Packet, addressing: &Addressing) {
        if self.sacks.len() == self.config.limits.sacks {
            self.counters.count(Counter::SacksDropped);
            return;
        }
        let header = sack::answer(sack, trigger).to_bytes();
        let udp_port = self.traffic().udp_port;
        self.sacks.push_back(addressing.swapped().frame(Ecn::NotEct, sack.ev, udp_port, &header));
    }

    fn ack(&mut self, record: &Record) {
        let limits = self.config.limits;
        if !self.ack_load.take(self.clock.cycles, limits.ack_cycles, limits.engine_ops) {
            self.counters.count(Counter::AcksDropped);
            return;
        }
        let epsn = sack_epsn(self.config.profile, record);
        let Some(conn) = self.connection(record.connection) else {
            return self.bad_ack(record.connection, epsn, sack_tx::Status::Uninitialised);
        };
        let Heard { fields, rtt } = self.hear(conn, record);
        let outcome = self.apply_sack_tx(conn, OpKind::Sack(fields));
        match outcome.status {
            Some(sack_tx::Status::Ok) => {
                self.counters.count(Counter::RxAcks);
                self.taken(conn, epsn, &outcome);
            }
            Some(sack_tx::Status::Old) => self.counters.count(Counter::RxAcksOld),
            status => return self.bad_ack(conn.into(), epsn, status.expect("a SACK has a status")),
        }
        if let Some(detail) = rtt {
            self.tell(Event { detail, ..Event::new(Kind::Rtt, conn.into(), 0) });
        }
        self.apply_selector(conn, selector::OpKind::Ack, record.ack.ev, record.ack.ecn_echo);
    }

    /// The fields of an ACK for `sack_tx`, in its ticks. Without an RTT the longest one is taken, which proves nothing.
    fn hear(&mut self, conn: u16, record: &Record) -> Heard {
        let now = self.clock.wire(&self.settings);
        let mut heard = match self.config.profile {
            Profile::Strack => sack::hear_strack(record, now),
            Profile::Uet => sack::hear_uet(record, &mut self.timings[usize::from(conn)], now),
        };
        heard.fields.timestamp = match heard.rtt {
            Some(rtt) => self.clock.sack_timestamp(&self.settings, rtt),
            None => self.clock.sack(&self.settings).wrapping_add(1),
        };
        heard
    }

    fn bad_ack(&mut self, number: u32, epsn: u32, status: sack_tx::Status) {
        self.counters.count(Counter::RxAcksBad);
        self.tell(Event { detail: status.code().into(), ..Event::new(Kind::BadAck, number, epsn) });
    }

    /// What a SACK that was taken brings to the host.
    fn taken(&mut self, conn: u16, epsn: u32, outcome: &sack_tx::Outcome) {
        let event = |kind| Event { in_flight: outcome.in_flight, ..Event::new(kind, conn.into(), epsn) };
        self.tell(Event {
            detail: outcome.acked,
            value: outcome.in_flight_bytes,
            ..event(Kind::Acknowledged)
        });
        if outcome.recovery_left {
            self.counters.count(Counter::RecoveryLeft);
            self.tell(event(Kind::RecoveryLeft));
        }
        if let Some(rule) = outcome.loss {
            self.counters.count(if rule == Rule::Ooo { Counter::LossOoo } else { Counter::LossProbe });
            self.tell(Event { detail: rule_code(rule), ..event(Kind::Loss) });
            self.recover(conn);
        }
    }
}

/// EPSN that an ACK names.
fn sack_epsn(profile: Profile, record: &Record) -> u32 {
    match profile {
        Profile::Strack => record.ack.epsn,
        Profile::Uet => PSNS.add(record.ack.epsn, 1),
    }
}
