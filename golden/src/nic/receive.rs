//! From the network to the host.

use super::engines::{Loss, Outcome};
use super::headers::{Addressing, Ecn};
use super::peer_table::{Number, OTHER_ADDRESS};
use super::route::{Fate, Route};
use super::rx_out::Place;
use super::sack::{self, Heard};
use super::spray::Said;
use super::stable_port::StablePort;
use super::steps::Asked;
use super::uet::{LookedUp, Verdict};
use super::window::WindowAck;
use super::{Counter, Credit, Event, Kind, LossFeedback, Nic, PSNS, Setting};
use crate::rewrite::{self, Extent, FrameError};
use crate::rewrite_rx::{self, Record};
use crate::sack_rx::{self, Status};
use crate::sack_tx::{self, OpKind};
use crate::selector;
use crate::wire::Packet;

/// ECN codepoint CE.
pub(super) const CE: u8 = 3;

/// A frame on `rx_out` with its metadata.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Delivery {
    /// As it came, but for the UDP source port of data of an open connection, where the block has ports of connections.
    pub frame: Vec<u8>,
    /// That of `rewrite_rx`.
    pub record: Record,
    /// Of data: what `sack_rx` says of it. The host takes in what is new, and nothing else.
    pub status: Option<Status>,
    /// It is data from another address than the peer's, which no engine was asked about.
    pub is_of_another: bool,
    /// It is a frame of events, and came from nowhere.
    pub is_events: bool,
    /// What a block of Ultra Ethernet says besides.
    pub verdict: Option<Verdict>,
}

impl Delivery {
    /// A frame of which nothing is said yet.
    fn of(frame: Vec<u8>, record: Record) -> Delivery {
        Delivery { frame, record, status: None, is_of_another: false, is_events: false, verdict: None }
    }

    /// As `rx_status` has it: that of data, what a block of Ultra Ethernet says, 6 for data from another address than the
    /// peer's, 5 for frames of events, 4 for all other frames.
    pub fn status_code(&self) -> u8 {
        let no_data = match (self.is_events, self.is_of_another, self.verdict) {
            (true, ..) => 5,
            (_, true, _) => OTHER_ADDRESS,
            (.., Some(verdict)) => verdict.code(),
            _ => 4,
        };
        self.status.map_or(no_data, |status| status as u8)
    }
}

/// Data or a probe that waits for `sack_rx`.
#[derive(Clone, Debug)]
pub(super) struct Arrived {
    pub record: Record,
    packet: Packet,
    pub addressing: Addressing,
    /// Of data: where its frame waits for the status.
    pub place: Option<Place>,
    pub stable: Option<StablePort>,
    /// It comes from another address than the peer's.
    pub is_of_another: bool,
}

/// A SACK that waits for `tx_out`, but for the number by which the peer knows the connection.
#[derive(Clone, Debug)]
pub(super) struct WaitingSack {
    pub frame: Vec<u8>,
    pub conn: u16,
    pub number: Number,
    /// It is a NACK of Ultra Ethernet.
    pub is_nack: bool,
}

/// An ACK that waits for `sack_tx`, and what was heard of it.
#[derive(Clone, Debug)]
pub(super) struct HeardAck {
    pub record: Record,
    /// Where its frame waits for the status, if that goes to the host.
    pub place: Option<Place>,
    pub(super) heard: Option<Heard>,
    /// In ticks of the wire.
    pub(super) rtt: Option<u16>,
    /// It comes from another address than the peer's.
    is_of_another: bool,
    /// Of Ultra Ethernet: what was looked up.
    pub looked_up: Option<LookedUp>,
}

impl Nic {
    /// A frame from the network on `rx_in`. `is_bad`: the MAC found its check sequence wrong.
    pub fn receive(&mut self, frame: Vec<u8>, is_bad: bool) {
        let Some(record) = self.record(&frame, is_bad) else { return };
        let route = self.route(&frame, &record);
        let fate = self.fate(route);
        self.arrive_as(frame, record, route, fate);
        while !self.arrived.is_empty() {
            let has_room = self.sacks.len() < self.config.limits.sacks;
            if self.uet().is_some() {
                self.uet_packet(has_room);
            } else if self.refuse_packet().is_none() {
                self.packet(has_room);
            }
        }
        while !self.acks.is_empty() {
            self.hear();
            self.sack();
            self.close_all_drained();
            self.spray_all();
        }
        self.hand_out();
        self.tell_all_closed_rx();
    }

    /// The same frame, of which is known what becomes of it; ops follow by themselves only in `receive`.
    pub fn arrive(&mut self, frame: Vec<u8>, is_bad: bool, fate: Fate) {
        if let Some(record) = self.record(&frame, is_bad) {
            let route = self.route(&frame, &record);
            self.arrive_as(frame, record, route, fate);
        }
    }

    /// The next frame for the host.
    pub fn deliver(&mut self) -> Option<Delivery> {
        if self.owed.is_none() && self.config.event_frames {
            return self.deliver_by_itself();
        }
        let delivery = self.rx_out.pop();
        self.tell_all_closed_rx();
        delivery
    }

    /// What is said of a frame; nothing of a bad one, which goes no further.
    fn record(&mut self, frame: &[u8], is_bad: bool) -> Option<Record> {
        if is_bad {
            self.counters.count(Counter::RxBad);
            return None;
        }
        Some(rewrite_rx::record(frame, self.traffic()))
    }

    fn arrive_as(&mut self, frame: Vec<u8>, record: Record, route: Route, fate: Fate) {
        match (fate, route) {
            (Fate::DroppedHost, _) => self.counters.count(Counter::RxDroppedHost),
            (Fate::NoCredit, _) => self.counters.count(Counter::NoCredit),
            (Fate::DroppedEngine, Route::Scoreboard { .. }) => self.counters.count(Counter::AcksDropped),
            (Fate::DroppedEngine, _) => self.counters.count(Counter::RxDroppedEngine),
            (Fate::Taken, Route::Scoreboard { to_host }) => {
                let is_of_another = self.is_of_another(&frame, &record);
                let place = to_host.then(|| {
                    self.take_credit();
                    self.rx_out.push_waiting(Delivery::of(frame, record))
                });
                self.acks.push_back(HeardAck {
                    record,
                    place,
                    heard: None,
                    rtt: None,
                    is_of_another,
                    looked_up: None,
                });
            }
            (Fate::Taken, Route::Data) => self.data_or_probe(frame, record, false),
            (Fate::Taken, Route::Receiver) => self.data_or_probe(frame, record, true),
            (Fate::Taken, Route::Opening) => {
                self.counters.count(Counter::RxUnbound);
                self.take_credit();
                let verdict = Some(Verdict::Unbound);
                self.rx_out.push(Delivery { verdict, ..Delivery::of(frame, record) });
            }
            (Fate::Taken, Route::Host) => self.other(frame, record),
            (Fate::Taken, Route::Nobody) => self.counters.count(Counter::RxTrimmedOther),
        }
    }

    fn other(&mut self, frame: Vec<u8>, record: Record) {
        match record.error {
            Some(error) if error != FrameError::Unsupported => {
                self.counters.count(Counter::RxMalformed);
                let event = Event { detail: error.code().into(), ..Event::new(Kind::Malformed, 0, 0) };
                match &mut self.owed {
                    Some(owed) => owed.malformed.push_back(event),
                    None => self.tell(event),
                }
            }
            _ => self.counters.count(Counter::RxOther),
        }
        self.take_credit();
        self.rx_out.push(Delivery::of(frame, record));
    }

    /// Whether a frame as it comes from the MAC may go to the host as far as its grants go: only data waits for them.
    pub fn has_credit(&self, frame: &[u8], is_bad: bool) -> bool {
        let route = self.route(frame, &rewrite_rx::record(frame, self.traffic()));
        is_bad || !route.needs_credit() || self.credit.is_none_or(Credit::has)
    }

    fn take_credit(&mut self) {
        if let Some(credit) = &mut self.credit {
            credit.take();
        }
    }

    fn data_or_probe(&mut self, frame: Vec<u8>, record: Record, is_probe: bool) {
        let (packet, addressing, udp_at) = self.trigger(&frame);
        if !is_probe {
            self.take_credit();
        }
        let has_port = record.flow_kind().is_some();
        let stable = self.stable_port(record.connection).filter(|_| has_port);
        let stable = stable.map(|port| StablePort { udp_at, port });
        let is_of_another = match self.uet() {
            Some(_) => self.is_of_another_peer(&record),
            None => self.is_of_another(&frame, &record),
        };
        let delivery = Delivery { is_of_another, ..Delivery::of(frame, record) };
        let place = (!is_probe).then(|| self.rx_out.push_waiting(delivery));
        self.arrived.push_back(Arrived { record, packet, addressing, place, stable, is_of_another });
    }

    /// The UDP source port of a connection on the way to the host; none: its packets keep theirs.
    fn stable_port(&self, connection: u32) -> Option<u16> {
        let base = self.settings.get(Setting::RssPortBase);
        (self.config.stable_port && base != 0).then(|| base.wrapping_add(connection) as u16)
    }

    /// `packet` of `sack_rx` for what arrived first; a SACK that is due is dropped where `tx_out` has no room.
    /// None if nothing has, or if that is to be refused.
    pub fn packet(&mut self, has_room: bool) -> Option<Status> {
        self.arrived.front().filter(|arrived| !arrived.is_of_another)?;
        let Arrived { record, packet, addressing, place, stable, .. } = self.arrived.pop_front()?;
        let (status, sack) = self.take_in(&record, place.is_none());
        self.count_packet(&record, status);
        match sack {
            Some(sack) if has_room => self.answer(record.connection as u16, &sack, &packet, &addressing),
            Some(_) => self.counters.count(Counter::SacksDropped),
            None => {}
        }
        if let Some(place) = place {
            let stable = stable.filter(|_| status != Status::Uninitialised);
            self.rx_out.decide(place, Some(status), stable);
        }
        Some(status)
    }

    /// What arrived first comes from another address than the peer's: the host is told, and no engine hears of it.
    pub fn refuse_packet(&mut self) -> Option<()> {
        self.arrived.front().filter(|arrived| arrived.is_of_another)?;
        let Arrived { record, place, .. } = self.arrived.pop_front()?;
        if record.ecn == CE {
            self.counters.count(Counter::RxMarked);
        }
        self.counters.count(Counter::OtherAddress);
        let detail = OTHER_ADDRESS.into();
        self.tell(Event { detail, ..Event::new(Kind::Stray, record.connection, PSNS.wrap(record.psn)) });
        if let Some(place) = place {
            self.rx_out.decide(place, None, None);
        }
        Some(())
    }

    /// The profile's header, the addresses below it, and where UDP begins.
    fn trigger(&self, frame: &[u8]) -> (Packet, Addressing, usize) {
        let headers = rewrite::read(frame, self.traffic(), Extent::Whole);
        let headers = headers.ok().flatten().expect("the record is of a frame of the profile");
        let packet = self.config.profile.parse(&frame[headers.at..]);
        let packet = packet.expect("the frame holds a whole header of the profile");
        (packet, Addressing::of(frame, &headers), headers.udp_at)
    }

    fn take_in(&mut self, record: &Record, probe: bool) -> (Status, Option<sack_rx::Sack>) {
        let Some(conn) = self.connection(record.connection) else { return (Status::Uninitialised, None) };
        let outcome = self.apply_sack_rx(&sack_rx::Op {
            kind: sack_rx::OpKind::Packet,
            conn,
            psn: PSNS.wrap(record.psn),
            bytes: record.bytes,
            ecn: record.ecn == CE,
            ev: record.ev,
            timestamp: record.timestamp,
            ack_request: record.ack_request,
            probe,
            sack_threshold: self.sack_threshold(),
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
    fn answer(&mut self, conn: u16, sack: &sack_rx::Sack, trigger: &Packet, addressing: &Addressing) {
        let header = sack::answer(sack, trigger).to_bytes();
        let udp_port = self.traffic().udp_port;
        let frame = addressing.swapped().frame(Ecn::NotEct, sack.ev, udp_port, &header);
        let number = Number::default();
        self.sacks.push_back(WaitingSack { frame, conn, number, is_nack: false });
    }

    /// The ACK that came first is heard: its round trip ends at the present time.
    pub fn hear(&mut self) -> Option<()> {
        if self.uet().is_some() {
            return self.hear_uet();
        }
        if self.acks.front()?.heard.is_none() {
            self.look_up();
        }
        let now = self.clock.wire(&self.settings);
        let (clock, settings) = (&self.clock, &self.settings);
        let ack = self.acks.front_mut()?;
        let Some(heard) = &mut ack.heard else { return Some(()) };
        ack.rtt = heard.sent_at.map(|then| now.wrapping_sub(then));
        // without an RTT the longest one is taken, which proves nothing
        heard.fields.timestamp = match ack.rtt {
            Some(rtt) => clock.sack_timestamp(settings, rtt),
            None => clock.sack(settings).wrapping_add(1),
        };
        Some(())
    }

    /// What the next ACK says, and when what it answers left: `uet` keeps that itself.
    pub fn look_up(&mut self) -> Option<()> {
        if self.uet().is_some() {
            return self.look_up_uet();
        }
        let HeardAck { record, is_of_another, .. } = *self.acks.front()?;
        if is_of_another {
            return Some(());
        }
        let Some(conn) = self.connection(record.connection) else { return Some(()) };
        let heard = sack::hear(self.config.profile, &record, &mut self.timings[usize::from(conn)]);
        self.acks[0].heard = Some(heard);
        Some(())
    }

    /// `sack` of `sack_tx` for the ACK that was heard.
    pub fn sack(&mut self) -> Option<()> {
        if self.uet().is_some() {
            return self.sack_uet();
        }
        let HeardAck { record, heard, rtt, is_of_another, .. } = self.acks.pop_front()?;
        let epsn = sack::epsn(self.config.profile, &record);
        if is_of_another {
            self.counters.count(Counter::AcksOtherAddress);
            let detail = OTHER_ADDRESS.into();
            self.tell(Event { detail, ..Event::new(Kind::BadAck, record.connection, epsn) });
            return Some(());
        }
        let Some(conn) = self.connection(record.connection) else {
            self.bad_ack(record.connection, epsn, sack_tx::Status::Uninitialised);
            return Some(());
        };
        let fields = heard?.fields;
        let outcome = self.apply_sack_tx(conn, OpKind::Sack(fields));
        match outcome.status {
            Some(sack_tx::Status::Ok) => {
                self.counters.count(Counter::RxAcks);
                self.taken(conn, epsn, &outcome);
            }
            Some(sack_tx::Status::Old) => self.counters.count(Counter::RxAcksOld),
            status => {
                self.bad_ack(conn.into(), epsn, status.expect("a SACK has a status"));
                return Some(());
            }
        }
        if let Some(detail) = rtt {
            self.tell(Event { detail, ..Event::new(Kind::Rtt, conn.into(), 0) });
            self.hear_window(WindowAck {
                conn,
                ecn: record.ack.ecn_echo,
                probe: fields.probe,
                bytes: outcome.acked_bytes.unwrap_or(0),
                rtt: detail,
            });
        }
        self.sprays.push_back(Asked {
            ev: record.ack.ev,
            ecn: record.ack.ecn_echo,
            said: Said { recvd: record.ack.recv_bytes, timestamp: record.ack.timestamp, ..Said::default() },
            ..Asked::of(conn, selector::OpKind::Ack)
        });
        if self.config.loss_feedback == LossFeedback::Any && outcome.loss.is_some() {
            self.tell_failure(conn);
        }
        Some(())
    }

    /// The selector hears that packets of a connection are lost. Nothing says on which paths they went.
    pub(super) fn tell_failure(&mut self, conn: u16) {
        self.sprays.push_back(Asked::of(conn, selector::OpKind::Timeout));
    }

    fn bad_ack(&mut self, number: u32, epsn: u32, status: sack_tx::Status) {
        self.counters.count(Counter::RxAcksBad);
        self.tell(Event { detail: status.code().into(), ..Event::new(Kind::BadAck, number, epsn) });
    }

    /// What a SACK that was taken brings to the host.
    pub(super) fn taken(&mut self, conn: u16, epsn: u32, outcome: &Outcome) {
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
        if let Some(loss) = outcome.loss {
            self.counters.count(if loss == Loss::Ooo { Counter::LossOoo } else { Counter::LossProbe });
            self.tell(Event { detail: loss.code(), ..event(Kind::Loss) });
            self.recover(conn);
        }
    }
}
