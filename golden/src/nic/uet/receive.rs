//! What comes from the network: who a frame is for, and what the receiver says of packets.

use super::answers::{NEXT_RESPONSE, Named};
use super::flow::Mode;
use crate::nic::headers::Addressing;
use crate::nic::receive::{Arrived, CE};
use crate::nic::route::Route;
use crate::nic::{Counter, Event, Kind, Nic, Setting};
use crate::rewrite::{self, Extent};
use crate::rewrite_rx::Record;
use crate::sack_rx::uet::{Op, OpKind, Outcome, Status, TRIMMED, TRIMMED_LAST_HOP};
use crate::sack_rx::{self};
use crate::wire::uet;

use super::super::peer_table::OTHER_ADDRESS;

/// `ctl` of control packets.
const NOOP: u8 = 0;
const ACK_REQUEST: u8 = 1;
const CLOSE: u8 = 4;
const CLOSE_REQUEST: u8 = 5;
const NEGOTIATION: u8 = 9;
/// An ACK: its sender expects a PSN, which follows.
const EXPECTED_PSN: u8 = 0x40;
/// `next_header` of a response with data, and of a small one.
const NEXT_RESPONSE_DATA: u8 = 5;
const NEXT_RESPONSE_SMALL: u8 = 6;

/// What is said of a frame for the host beside what every block says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// It has SYN, and no engine was asked: the host finds out whose it is.
    Unbound,
    /// It is not the packet that a connection in order expects, and was refused.
    Ahead,
    /// An ACK: what the scoreboard says of it, 0 or 1 where it was taken.
    Ack(u8),
}

impl Verdict {
    /// As `rx_status` has it.
    pub const fn code(self) -> u8 {
        match self {
            Verdict::Unbound => 8,
            Verdict::Ahead => 9,
            Verdict::Ack(status) => status,
        }
    }
}

/// What the host is told of a packet of which the receiver said so.
fn told(status: Status) -> (Option<sack_rx::Status>, Option<Verdict>) {
    match status {
        Status::New => (Some(sack_rx::Status::New), None),
        Status::Duplicate => (Some(sack_rx::Status::Duplicate), None),
        Status::Outside => (Some(sack_rx::Status::Outside), None),
        Status::Probe => (Some(sack_rx::Status::Probe), None),
        Status::Missing => (None, None),
        Status::Ahead => (None, Some(Verdict::Ahead)),
        Status::Uninitialised => (Some(sack_rx::Status::Uninitialised), None),
    }
}

/// What became of a packet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PacketStatus {
    /// Of a request, or of a probe.
    Of(Status),
    /// A control packet, but a probe.
    Control,
    /// A request that was trimmed.
    Trimmed,
    /// It is not of the peer, or of the other kind of delivery.
    OfAnother,
}

impl PacketStatus {
    /// In a word, by the counter that counts it.
    pub const fn counted_as(self) -> &'static str {
        match self {
            PacketStatus::Of(Status::New) => "new",
            PacketStatus::Of(Status::Duplicate) => "received before",
            PacketStatus::Of(Status::Outside) => "outside",
            PacketStatus::Of(Status::Probe) => "probe",
            PacketStatus::Of(Status::Ahead) => "ahead",
            PacketStatus::Of(Status::Uninitialised) => "not open",
            PacketStatus::Of(Status::Missing) | PacketStatus::Control => "control packet",
            PacketStatus::Trimmed => "trimmed",
            PacketStatus::OfAnother => "of another",
        }
    }
}

fn is_request(kind: u8) -> bool {
    matches!(
        kind,
        uet::TYPE_RUD_REQUEST | uet::TYPE_ROD_REQUEST | uet::TYPE_RUD_CC_REQUEST | uet::TYPE_ROD_CC_REQUEST
    )
}

fn is_ordered(kind: u8) -> bool {
    matches!(kind, uet::TYPE_ROD_REQUEST | uet::TYPE_ROD_CC_REQUEST)
}

impl Nic {
    /// Who a frame is for.
    pub(in crate::nic) fn uet_route(&self, frame: &[u8], record: &Record) -> Route {
        let has_syn = record.uet.flags & uet::FLAG_SYN != 0;
        let ctl = record.uet.next_header;
        match record.kind {
            Some(rewrite::Kind::Ack) => Route::Scoreboard { to_host: self.is_ack_for_host(frame, record) },
            Some(rewrite::Kind::Nack) => Route::Scoreboard { to_host: false },
            Some(rewrite::Kind::Data) if has_syn => Route::Opening,
            Some(rewrite::Kind::Data) => Route::Data,
            Some(rewrite::Kind::Control) if has_syn && matches!(ctl, NOOP | NEGOTIATION) => Route::Opening,
            Some(rewrite::Kind::Control) if has_syn => Route::Host,
            Some(rewrite::Kind::Control) => match ctl {
                uet::CTL_PROBE => Route::Receiver,
                NOOP | ACK_REQUEST if !self.host_answers(record) => Route::Receiver,
                NOOP | ACK_REQUEST | CLOSE | CLOSE_REQUEST | NEGOTIATION => Route::Data,
                _ => Route::Host,
            },
            Some(rewrite::Kind::Trimmed) if is_request(record.uet.kind) => Route::Receiver,
            Some(rewrite::Kind::Trimmed) => Route::Nobody,
            Some(rewrite::Kind::Probe) => unreachable!("a probe of uet is a control packet"),
            None => Route::Host,
        }
    }

    fn host_answers(&self, record: &Record) -> bool {
        let mode = self.receiving(record).map(|(_, mode)| mode);
        mode.is_some_and(|mode| mode.host_answers)
    }

    /// The connection that a packet is for, if it is open for receiving.
    fn receiving(&self, record: &Record) -> Option<(u16, Mode)> {
        let conn = self.connection(record.connection)?;
        Some((conn, self.flow(conn).receives?))
    }

    /// Whether an ACK goes to the host, too.
    fn is_ack_for_host(&self, frame: &[u8], record: &Record) -> bool {
        let asks = record.uet.flags & EXPECTED_PSN != 0 || request_of(record) != 0;
        match self.settings.get(Setting::RxAcks) {
            0 => false,
            1 => asks || self.has_response(frame, record),
            _ => true,
        }
    }

    /// An ACK carries a response that is not the default one.
    fn has_response(&self, frame: &[u8], record: &Record) -> bool {
        match record.uet.next_header {
            NEXT_RESPONSE_DATA | NEXT_RESPONSE_SMALL => true,
            NEXT_RESPONSE => {
                let headers = rewrite::read(frame, self.traffic(), Extent::Whole).ok().flatten();
                let headers = headers.expect("the record is of a frame of the profile");
                // behind an ACK_CCX stands a state that is not read
                let state = if record.uet.kind == uet::TYPE_ACK_CCX { 16 } else { 0 };
                let opcode = frame[..headers.end()].get(headers.at + headers.bytes + state);
                opcode.is_some_and(|byte| byte & 0x3f != 0)
            }
            _ => false,
        }
    }

    /// Whether a packet is of another PDC than the peer of its connection, or of the other kind of delivery. Of one that is not open nothing is
    /// known.
    pub(in crate::nic) fn is_of_another_peer(&self, record: &Record) -> bool {
        let is_trimmed = record.kind == Some(rewrite::Kind::Trimmed);
        if is_trimmed && record.uet.flags & uet::FLAG_SYN != 0 {
            return false;
        }
        let Some((conn, mode)) = self.receiving(record) else { return false };
        let is_data = record.kind == Some(rewrite::Kind::Data);
        let is_ordered = match record.uet.next_header {
            _ if is_data => is_ordered(record.uet.kind),
            NOOP | NEGOTIATION if !is_trimmed => record.uet.flags & uet::FLAG_ORDERED != 0,
            _ => mode.is_ordered,
        };
        !self.flow(conn).is_of(record.source_pdc) || is_ordered != mode.is_ordered
    }

    /// The packet that arrived first, and what the receiver says of it; an answer that is due is dropped where `tx_out` has no room.
    pub fn uet_packet(&mut self, has_room: bool) -> Option<PacketStatus> {
        let Arrived { record, addressing, place, stable, is_of_another, .. } = self.arrived.pop_front()?;
        if record.ecn == CE {
            self.counters.count(Counter::RxMarked);
        }
        if is_of_another {
            self.stray(&record);
            if let Some(place) = place {
                self.rx_out.decide(place, None, None);
            }
            return Some(PacketStatus::OfAnother);
        }
        if record.kind == Some(rewrite::Kind::Trimmed) {
            self.trimmed(&record, &addressing, has_room);
            return Some(PacketStatus::Trimmed);
        }
        let conn = self.connection(record.connection);
        let outcome = conn.map(|conn| (conn, self.apply_uet_rx(&self.op(conn, &record))));
        let status = outcome.and_then(|(_, outcome)| outcome.status).unwrap_or(Status::Uninitialised);
        self.count_uet_packet(&record, status);
        if let Some((conn, outcome)) = &outcome {
            self.answer_uet(*conn, outcome, &record, &addressing, has_room);
        }
        if let Some(place) = place {
            let (status, verdict) = told(status);
            let stable = stable.filter(|_| status != Some(sack_rx::Status::Uninitialised));
            self.rx_out.decide_with(place, |delivery| {
                if let Some(stable) = stable {
                    stable.write(&mut delivery.frame);
                }
                (delivery.status, delivery.verdict) = (status, verdict);
            });
        }
        let is_data = record.kind == Some(rewrite::Kind::Data);
        let has_status = is_data || matches!(status, Status::Probe | Status::Uninitialised);
        Some(if has_status { PacketStatus::Of(status) } else { PacketStatus::Control })
    }

    /// No engine is asked about a packet that is not of the peer.
    fn stray(&mut self, record: &Record) {
        self.counters.count(Counter::RxOtherPeer);
        let detail = OTHER_ADDRESS.into();
        self.tell(Event { detail, ..Event::new(Kind::Stray, record.connection, record.psn) });
    }

    /// A request that was trimmed on its way is refused, whether its PSN was received or not. A connection that its SYN may open has
    /// no number yet.
    fn trimmed(&mut self, record: &Record, addressing: &Addressing, has_room: bool) {
        let has_syn = record.uet.flags & uet::FLAG_SYN != 0;
        self.counters.count(Counter::RxTrimmed);
        if !has_room {
            return self.counters.count(Counter::SacksDropped);
        }
        let last_hop = record.uet.last_hop;
        let conn = self.connection(record.connection).filter(|_| !has_syn);
        let conn = conn.filter(|conn| {
            let op = Op { kind: OpKind::Trimmed, conn: *conn, psn: record.psn, last_hop, ..Op::default() };
            self.apply_uet_rx(&op).status != Some(Status::Uninitialised)
        });
        let code = if last_hop { TRIMMED_LAST_HOP } else { TRIMMED };
        self.send_nack(conn, code, None, record, addressing);
    }

    /// The op of the receiver that a packet is.
    fn op(&self, conn: u16, record: &Record) -> Op {
        let op = Op { conn, psn: record.psn, settings: self.settings.uet_rx(), ..Op::default() };
        let packet = Op {
            ack_request: record.ack_request,
            retransmit: record.retransmit,
            ecn: record.ecn == CE,
            ..op
        };
        if record.kind == Some(rewrite::Kind::Data) {
            let has_credit = matches!(record.uet.kind, uet::TYPE_RUD_CC_REQUEST | uet::TYPE_ROD_CC_REQUEST);
            return Op { bytes: record.bytes + if has_credit { 4 } else { 0 }, ..packet };
        }
        match record.uet.next_header {
            uet::CTL_PROBE => Op { kind: OpKind::Probe, psn: record.uet.payload, ..op },
            ACK_REQUEST => Op { kind: OpKind::Ask, ..op },
            ctl => Op { control: true, host: ctl != NOOP, ..packet },
        }
    }

    pub(in crate::nic) fn apply_uet_rx(&mut self, op: &Op) -> Outcome {
        self.uet_mut().expect("the block is of Ultra Ethernet").receiver.apply(op)
    }

    pub(super) fn count_uet_packet(&mut self, record: &Record, status: Status) {
        let is_data = record.kind == Some(rewrite::Kind::Data);
        let (counter, kind) = match status {
            Status::New => (Counter::RxNew, None),
            Status::Duplicate => (Counter::RxDuplicate, is_data.then_some(Kind::Duplicate)),
            Status::Outside => (Counter::RxOutside, Some(Kind::Stray)),
            Status::Probe => (Counter::RxProbes, None),
            Status::Missing => (Counter::RxControl, None),
            Status::Ahead => (Counter::RxAhead, Some(Kind::Stray)),
            Status::Uninitialised => (Counter::RxNotOpen, Some(Kind::Stray)),
        };
        let is_counted = is_data || matches!(status, Status::Probe | Status::Uninitialised);
        self.counters.count(if is_counted { counter } else { Counter::RxControl });
        if let Some(kind) = kind {
            let detail = match (kind, status) {
                (Kind::Stray, Status::Ahead) => Verdict::Ahead.code().into(),
                (Kind::Stray, status) => status as u16,
                _ => 0,
            };
            self.tell(Event { detail, ..Event::new(kind, record.connection, record.psn) });
        }
    }

    /// The answer that the receiver asks for.
    fn answer_uet(
        &mut self,
        conn: u16,
        outcome: &Outcome,
        record: &Record,
        addressing: &Addressing,
        has_room: bool,
    ) {
        if outcome.sack.is_none() && outcome.nack.is_none() {
            return;
        }
        if !has_room {
            return self.counters.count(Counter::SacksDropped);
        }
        let is_control = record.kind == Some(rewrite::Kind::Control);
        let named = match record.uet.next_header {
            uet::CTL_PROBE if is_control => Named::Probe { opaque: record.uet.detail },
            ACK_REQUEST if is_control => {
                Named::Psn { psn: record.psn, message: Some(record.uet.payload as u16) }
            }
            _ => Named::Psn { psn: record.psn, message: (!is_control).then_some(record.uet.message) },
        };
        if let Some(sack) = &outcome.sack {
            self.send_ack(conn, sack, named, record, addressing);
        }
        if let Some(code) = outcome.nack {
            self.send_nack(Some(conn), code, Some(outcome), record, addressing);
        }
    }
}

/// What an ACK asks its receiver for: 1 clear, 2 close.
pub(super) fn request_of(record: &Record) -> u8 {
    record.uet.flags >> 1 & 3
}
