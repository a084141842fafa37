//! ACKs and NACKs: what they say to the scoreboard, to the path selector and to the host.

use super::Verdict;
use super::receive::request_of;
use crate::nic::engines::{Loss, Outcome};
use crate::nic::receive::HeardAck;
use crate::nic::rx_out::Place;
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
/// `detail` of a PSN to send again: a NACK asks for it, and the event is lost where the queue has no room.
const BY_NACK: u16 = 1;
/// `request` of an ACK.
const ASKS_CLEAR: u8 = 1;
const ASKS_CLOSE: u8 = 2;

/// What is known of an ACK or NACK before the scoreboard hears of it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct LookedUp {
    /// It is not of the peer.
    is_of_another: bool,
    /// The first ACK that is taken says who the peer is.
    is_unbound: bool,
    /// When what it answers left, in ticks of the wire.
    sent_at: Option<u16>,
    /// How long ago that was, and what the scoreboard takes for the time at which it left.
    rtt: Option<u16>,
    timestamp: Option<u16>,
}

impl Nic {
    /// Whether the ACK or NACK that came first is of the peer, and when what it answers left. A cumulative PSN beyond the packet that is
    /// timed ends its measurement, whatever the scoreboard says of it later.
    pub(in crate::nic) fn look_up_uet(&mut self) -> Option<()> {
        let record = self.acks.front()?.record;
        let mut looked_up = LookedUp::default();
        let conn = self.connection(record.connection);
        if let Some(conn) = conn.filter(|conn| self.flow(*conn).sends) {
            let is_nack = record.kind == Some(rewrite::Kind::Nack);
            let flow = self.flow_mut(conn);
            looked_up.is_of_another = match (flow.peer, record.source_pdc) {
                // a peer without the connection has no number for it
                (_, 0) => !is_nack,
                (None, _) => false,
                (Some(_), source) => !flow.is_of(source),
            };
            if !looked_up.is_of_another && !is_nack {
                looked_up.is_unbound = flow.peer.is_none() && !record.ack.probe_echo;
                if !record.ack.probe_echo {
                    let has_retx = record.uet.flags & uet::FLAG_RETRANSMIT != 0;
                    looked_up.sent_at = flow.timing.answered(answered(&record), has_retx);
                }
                flow.timing.passed(record.ack.epsn.wrapping_add(1));
            }
        }
        if record.kind == Some(rewrite::Kind::Ack) && record.ack.probe_echo {
            looked_up.sent_at = Some(record.ack.offset);
        }
        self.acks[0].looked_up = Some(looked_up);
        Some(())
    }

    /// Its round trip ends.
    pub(in crate::nic) fn hear_uet(&mut self) -> Option<()> {
        if self.acks.front()?.looked_up.is_none() {
            self.look_up_uet();
        }
        let now = self.clock.wire(&self.settings);
        let (clock, settings) = (&self.clock, &self.settings);
        let looked_up = self.acks.front_mut()?.looked_up.as_mut()?;
        looked_up.rtt = looked_up.sent_at.map(|then| now.wrapping_sub(then));
        // without an RTT the longest one is taken, which proves nothing
        looked_up.timestamp = Some(match looked_up.rtt {
            Some(rtt) => clock.sack_timestamp(settings, rtt),
            None => clock.sack(settings).wrapping_add(1),
        });
        Some(())
    }

    /// The scoreboard executes it.
    pub(in crate::nic) fn sack_uet(&mut self) -> Option<()> {
        let HeardAck { record, place, looked_up, .. } = self.acks.pop_front()?;
        let looked_up = looked_up?;
        let is_nack = record.kind == Some(rewrite::Kind::Nack);
        let conn = match self.connection(record.connection) {
            _ if looked_up.is_of_another => Err(OTHER_ADDRESS),
            Some(conn) => Ok(conn),
            None => Err(Status::Uninitialised.code()),
        };
        let code = match conn {
            Err(code) => {
                self.bad(&record, code, is_nack);
                code
            }
            Ok(conn) if is_nack => {
                self.hear_nack(conn, &record);
                return Some(());
            }
            Ok(conn) => self.hear_ack(conn, &record, &looked_up),
        };
        self.tell_ack(place, code);
        Some(())
    }

    /// The host knows what became of an ACK that it gets, too.
    fn tell_ack(&mut self, place: Option<Place>, code: u8) {
        if let Some(place) = place {
            self.rx_out.decide_with(place, |delivery| delivery.verdict = Some(Verdict::Ack(code)));
        }
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
    fn hear_ack(&mut self, conn: u16, record: &Record, looked_up: &LookedUp) -> u8 {
        let ack = &record.ack;
        let is_probe = ack.probe_echo;
        let psn = answered(record);
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
            timestamp: looked_up.timestamp.expect("it was heard"),
        };
        let outcome = self.apply_uet_tx(conn, OpKind::Ack(fields));
        let status = outcome.status.expect("an ACK has a status");
        let is_taken = matches!(status, Status::Ok | Status::Overtaken);
        if is_taken {
            let is_old = status == Status::Overtaken;
            self.counters.count(if is_old { Counter::RxAcksOld } else { Counter::RxAcks });
            self.taken_from_peer(conn, record, looked_up, &outcome);
            if let Some(detail) = looked_up.rtt {
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

    /// What an ACK that was taken brings to the host.
    fn taken_from_peer(
        &mut self,
        conn: u16,
        record: &Record,
        looked_up: &LookedUp,
        outcome: &scoreboard::Outcome,
    ) {
        let psn = answered(record);
        let una = self.uet().map_or(0, |uet| uet.scoreboard.connection(conn).snd_una);
        if looked_up.is_unbound {
            self.bind(conn, record.source_pdc);
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
            self.tell(Event { detail: BY_NACK, in_flight: outcome.in_flight, ..event(Kind::Retransmit) });
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

    /// The path selector hears of the EV of a frame.
    fn feed(&mut self, conn: u16, kind: selector::OpKind, record: &Record, ecn: bool) {
        self.sprays.push_back(Asked { ev: record.ev, ecn, ..Asked::of(conn, kind) });
    }
}

/// PSN that an ACK answers, unless that is one of a probe.
fn answered(record: &Record) -> u32 {
    record.ack.epsn.wrapping_add_signed((record.ack.offset as i16).into())
}
