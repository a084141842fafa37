//! ACKs and NACKs: what they say to the scoreboard, to the path selector and to the host.

use super::Verdict;
use super::receive::request_of;
use crate::nic::engines::{Loss, Outcome};
use crate::nic::receive::HeardAck;
use crate::nic::rx_out::Place;
use crate::nic::spray::Said;
use crate::nic::steps::Asked;
use crate::nic::{Counter, Event, Kind, LossFeedback, Nic};
use crate::rewrite;
use crate::rewrite_rx::Record;
use crate::sack_tx::uet::{self as scoreboard, AckFields, OpKind, Status};
use crate::selector;
use crate::wire::uet;

use super::super::peer_table::OTHER_ADDRESS;

/// Most packets out of order that the scoreboard is told of, 12 bits.
const MOST_OOO: u16 = 0xfff;
/// `request` of an ACK.
const ASKS_CLEAR: u8 = 1;
const ASKS_CLOSE: u8 = 2;

impl Nic {
    /// The ACK or NACK that came first.
    pub(in crate::nic) fn hear_uet(&mut self) {
        let Some(HeardAck { record, place, .. }) = self.acks.pop_front() else { return };
        let is_nack = record.kind == Some(rewrite::Kind::Nack);
        let code = match self.sender_of(&record, is_nack) {
            Err(code) => {
                self.bad(&record, code, is_nack);
                code
            }
            Ok(conn) if is_nack => return self.hear_nack(conn, &record),
            Ok(conn) => self.hear_ack(conn, &record),
        };
        self.tell_ack(place, code);
    }

    /// The host knows what became of an ACK that it gets, too.
    fn tell_ack(&mut self, place: Option<Place>, code: u8) {
        if let Some(place) = place {
            self.rx_out.decide_with(place, |delivery| delivery.verdict = Some(Verdict::Ack(code)));
        }
    }

    /// The connection of an ACK or NACK, or the status of one that is not of the peer.
    fn sender_of(&self, record: &Record, is_nack: bool) -> Result<u16, u8> {
        let conn = self.connection(record.connection);
        let conn = conn.filter(|conn| self.flow(*conn).sends.is_some());
        let conn = conn.ok_or(Status::Uninitialised.code())?;
        let flow = self.flow(conn);
        let is_of_peer = match (flow.peer, record.source_pdc) {
            // a peer without the connection has no number for it
            (_, 0) => is_nack,
            (None, _) => true,
            (Some(_), source) => flow.is_of(source),
        };
        if is_of_peer { Ok(conn) } else { Err(OTHER_ADDRESS) }
    }

    /// What cannot be true, or is of nobody, changes nothing.
    fn bad(&mut self, record: &Record, code: u8, is_nack: bool) {
        self.counters.count(match (code, is_nack) {
            (OTHER_ADDRESS, _) => Counter::RxOtherPeer,
            (_, true) => Counter::RxNacksBad,
            (_, false) => Counter::RxAcksBad,
        });
        let psn = if is_nack { record.psn } else { record.ack.epsn.wrapping_add(1) };
        self.tell(Event { detail: code.into(), ..Event::new(Kind::BadAck, record.connection, psn) });
    }

    /// An ACK of the peer; its status.
    fn hear_ack(&mut self, conn: u16, record: &Record) -> u8 {
        let ack = &record.ack;
        let is_probe = ack.probe_echo;
        let psn = ack.epsn.wrapping_add_signed((ack.offset as i16).into());
        let rtt = self.round_trip(conn, record, psn);
        let base = self.settings.sack_from(ack.epsn).wrapping_add_signed((ack.base as i16).into());
        let fields = AckFields {
            cum_next: ack.epsn.wrapping_add(1),
            psn,
            probe: is_probe,
            has_sack: ack.has_sack,
            mpr: ack.mpr,
            base,
            bitmap: ack.bitmap,
            has_state: ack.has_state,
            rcvd: ack.recv_bytes,
            ooo: if ack.ooo == uet::NO_OOO_COUNT { 0 } else { ack.ooo.min(MOST_OOO) },
            // without an RTT the longest one is taken, which proves nothing
            timestamp: match rtt {
                Some(rtt) => self.clock.sack_timestamp(&self.settings, rtt),
                None => self.clock.sack(&self.settings).wrapping_add(1),
            },
        };
        let outcome = self.apply_uet_tx(conn, OpKind::Ack(fields));
        let status = outcome.status.expect("an ACK has a status");
        let is_taken = matches!(status, Status::Ok | Status::Overtaken);
        if is_taken {
            let is_old = status == Status::Overtaken;
            self.counters.count(if is_old { Counter::RxAcksOld } else { Counter::RxAcks });
            self.taken_from_peer(conn, record, psn, &outcome);
            if let Some(detail) = rtt {
                self.tell(Event { detail, ..Event::new(Kind::Rtt, conn.into(), 0) });
            }
        } else {
            self.bad(record, status.code(), false);
        }
        // one that is not believed says of its path what it says, too; the control class does not see the queues of data
        if !is_probe && status != Status::Uninitialised {
            self.feed(conn, selector::OpKind::Ack, record, ack.ecn_echo);
        }
        if self.config.loss_feedback == LossFeedback::Any && outcome.loss.is_some() {
            self.tell_failure(conn);
        }
        status.code()
    }

    /// How long ago left what an ACK answers, in ticks of the wire. A probe says that itself.
    fn round_trip(&mut self, conn: u16, record: &Record, psn: u32) -> Option<u16> {
        let now = self.clock.wire(&self.settings);
        let has_retx = record.uet.flags & uet::FLAG_RETRANSMIT != 0;
        let then = if record.ack.probe_echo {
            Some(record.ack.offset)
        } else {
            self.flow_mut(conn).timing.answered(psn, has_retx)
        };
        then.map(|then| now.wrapping_sub(then))
    }

    /// What an ACK that was taken brings to the host.
    fn taken_from_peer(&mut self, conn: u16, record: &Record, psn: u32, outcome: &scoreboard::Outcome) {
        let una = self.uet().map_or(0, |uet| uet.scoreboard.connection(conn).snd_una);
        let flow = self.flow_mut(conn);
        flow.timing.passed(una);
        if flow.peer.is_none() && !record.ack.probe_echo {
            flow.peer = Some(record.source_pdc);
            self.tell(Event { detail: record.source_pdc, ..Event::new(Kind::Bound, conn.into(), psn) });
        }
        self.taken(conn, una, &Outcome::from(*outcome));
        match request_of(record) {
            ASKS_CLEAR => self.tell(Event::new(Kind::ClearRequest, conn.into(), psn)),
            ASKS_CLOSE => self.tell(Event::new(Kind::CloseRequest, conn.into(), psn)),
            _ => {}
        }
        // the MPR may have held it up
        if outcome.in_recovery && outcome.loss.is_none() {
            self.recover(conn);
        }
    }

    /// A NACK of the peer.
    fn hear_nack(&mut self, conn: u16, record: &Record) {
        let code = (record.uet.detail >> 8) as u8;
        let psn = record.psn;
        let outcome = self.apply_uet_tx(conn, OpKind::Nack { psn, code });
        match outcome.status {
            Some(Status::Ok) => self.counters.count(Counter::RxNacks),
            status => return self.bad(record, status.expect("a NACK has a status").code(), true),
        }
        let event = |kind| Event::new(kind, conn.into(), psn);
        self.tell(Event { detail: code.into(), value: record.uet.payload, ..event(Kind::Nack) });
        if outcome.retransmit {
            let again = Event { in_flight: outcome.in_flight, ..event(Kind::Retransmit) };
            match self.events.has_room() {
                true => self.tell(again),
                false => self.lose(),
            }
        }
        if outcome.loss.is_some() {
            self.counters.count(Counter::LossNack);
            self.tell(Event { detail: Loss::Nack.code(), in_flight: outcome.in_flight, ..event(Kind::Loss) });
            self.recover(conn);
        }
        let is_marked = record.uet.flags & uet::FLAG_ECN_ECHO != 0;
        match code {
            // the path was congested
            scoreboard::TRIMMED => self.feed(conn, selector::OpKind::Nack, record, false),
            _ => self.feed(conn, selector::OpKind::Ack, record, is_marked),
        }
    }

    /// The path selector hears of the EV of a frame. A connection in order has one EV, whatever comes.
    fn feed(&mut self, conn: u16, kind: selector::OpKind, record: &Record, ecn: bool) {
        if !self.flow(conn).sends_in_order() {
            self.sprays.push_back(Asked { conn, kind, ev: record.ev, ecn, said: Said::default() });
        }
    }
}
