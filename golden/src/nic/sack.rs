//! SACKs and probes in the headers of a profile, and what an ACK says to the scoreboard.
//!
//! # Profile `uet`
//! - PSNs have 32 bits on the wire and 24 in the engines. A SACK's cumulative PSN is counted from the PSN of the
//!   packet that it answers, a probe's from that of the connection's last packet, so that their upper bits are right
//!   without being stored.
//! - The cumulative PSN is the highest one up to which everything was received: EPSN - 1.
//! - There is no probe among the headers. A request without payload that asks for an ACK is one: it is answered with
//!   flag 0x08, and the receiver's bitmap does not change.
//! - Nothing echoes a timestamp. The sender times one packet a connection at a time, and the first probe since its
//!   last ACK.
//! - 24 bits of the received bytes are sent. The sender counts on from the last ones that it heard of, by the sign of
//!   their difference.
//! - An ACK without the fields of congestion control says nothing but its cumulative PSN. `rewrite_rx` shows these
//!   fields as 0.

use super::PSNS;
use crate::psn::segment_base;
use crate::rewrite::Kind;
use crate::rewrite_rx::Record;
use crate::sack_rx::Sack;
use crate::sack_tx::SackFields;
use crate::wire::{Packet, Profile, strack, uet};

/// `op_ooo` of `sack_tx` has 12 bits.
const MOST_OOO: u16 = 0xfff;

/// The SACK's header, as an answer to a packet of the network.
pub fn answer(sack: &Sack, trigger: &Packet) -> Packet {
    match trigger {
        Packet::StrackData(data) => Packet::StrackAck(strack::Ack {
            connection: data.connection,
            psn: sack.psn,
            echo_entropy: sack.ev,
            echo_timestamp: sack.timestamp,
            recv_bytes: sack.bytes_recvd,
            expected_psn: sack.epsn,
            ooo: sack.ooo,
            ecn_echo: sack.ecn,
            probe_echo: sack.probe,
            sack_base: sack.base,
            sack_bitmap: sack.bitmap,
        }),
        Packet::UetRequest(request) => Packet::UetAck(uet_answer(sack, request)),
        _ => unreachable!("only data and probes are answered"),
    }
}

fn uet_answer(sack: &Sack, request: &uet::Request) -> uet::Ack {
    let cumulative = PSNS.sub(sack.epsn, 1);
    let behind = signed(PSNS.wrap(request.psn), cumulative);
    let cc = uet::AckCc {
        cc_type: uet::CC_NSCC,
        sack_psn_offset: signed(cumulative, sack.base) as i16,
        sack_bitmap: sack.bitmap,
        rcvd_bytes: sack.bytes_recvd % (1 << uet::COUNT_BITS),
        ooo_count: sack.ooo,
        ..Default::default()
    };
    uet::Ack {
        ecn_echo: sack.ecn,
        retransmit: request.retransmit,
        probe: sack.probe,
        // a duplicate may be further behind than an offset reaches: it is answered all the same
        ack_psn_offset: (-behind).clamp(i16::MIN.into(), i16::MAX.into()) as i16,
        cack_psn: request.psn.wrapping_add_signed(behind),
        source_pdc: request.destination_pdc,
        destination_pdc: request.source_pdc,
        cc: Some(cc),
        ..Default::default()
    }
}

/// The header of a probe for `psn`, after the header of the last data packet of its connection.
pub fn probe(psn: u32, last: &Packet, timestamp: u16) -> Packet {
    match *last {
        Packet::StrackData(data) => Packet::StrackData(strack::Data {
            connection: data.connection,
            ack_request: true,
            psn,
            timestamp,
            probe: true,
            hops: 0,
        }),
        Packet::UetRequest(request) => Packet::UetRequest(uet::Request {
            next_header: 0,
            retransmit: false,
            ack_request: true,
            syn: false,
            clear_psn_offset: 0,
            credit: None,
            psn: request.psn.wrapping_add_signed(signed(PSNS.wrap(request.psn), psn)),
            ..request
        }),
        _ => unreachable!("the last data packet of a connection is data"),
    }
}

/// Whether a frame is a probe to its receiver.
pub fn is_probe(profile: Profile, record: &Record) -> bool {
    match record.kind {
        Some(Kind::Probe) => true,
        Some(Kind::Data) => profile == Profile::Uet && record.bytes == 0 && record.ack_request,
        Some(Kind::Ack | Kind::Nack | Kind::Control | Kind::Trimmed) | None => false,
    }
}

/// What the sender keeps of a connection of `uet`, because its headers do not bring it back.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Timing {
    /// PSN (24 bits) and time of the packet that is timed, in ticks of the wire.
    packet: Option<(u32, u16)>,
    /// When the first probe left since the last ACK.
    probe: Option<u16>,
    /// Bytes that the receiver has got, 32 bits.
    bytes_recvd: u32,
}

impl Timing {
    /// A packet leaves for the first time. It is timed if none is.
    pub fn sent(&mut self, psn: u32, now: u16) {
        self.packet.get_or_insert((psn, now));
    }

    /// A packet leaves again: which of the two is answered cannot be known (Karn's rule).
    pub fn again(&mut self, psn: u32) {
        self.packet = self.packet.filter(|(timed, _)| *timed != psn);
    }

    /// A probe leaves. Of several that are not answered the first one counts: an RTT that is too long proves no loss.
    pub fn probed(&mut self, now: u16) {
        self.probe.get_or_insert(now);
    }

    /// When what an ACK answers left, in ticks of the wire.
    pub fn answered(&mut self, ack_psn: u32, is_probe: bool) -> Option<u16> {
        let probe = self.probe.take();
        if is_probe {
            return probe;
        }
        self.packet.take_if(|(timed, _)| *timed == ack_psn).map(|(_, then)| then)
    }

    /// A cumulative acknowledgement passes the timed packet without answering it.
    fn passed(&mut self, epsn: u32) {
        self.packet = self.packet.filter(|(timed, _)| !PSNS.is_below(*timed, epsn));
    }

    /// All bytes that were received, from the 24 bits of them that an ACK carries.
    pub fn count(&mut self, rcvd: u32) -> u32 {
        let unused = 32 - uet::COUNT_BITS;
        let more = (rcvd.wrapping_sub(self.bytes_recvd) << unused) as i32 >> unused;
        let count = self.bytes_recvd.wrapping_add_signed(more);
        if more > 0 {
            self.bytes_recvd = count;
        }
        count
    }
}

/// What an ACK says: the fields for `sack_tx` but for their timestamp, and when what it answers left, in ticks of the wire.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Heard {
    pub fields: SackFields,
    pub sent_at: Option<u16>,
}

/// An ACK of a profile.
pub fn hear(profile: Profile, record: &Record, timing: &mut Timing) -> Heard {
    match profile {
        Profile::Strack => hear_strack(record),
        Profile::Uet => hear_uet(record, timing),
    }
}

/// EPSN that an ACK names.
pub fn epsn(profile: Profile, record: &Record) -> u32 {
    match profile {
        Profile::Strack => record.ack.epsn,
        Profile::Uet => PSNS.add(record.ack.epsn, 1),
    }
}

/// An ACK of `strack`.
pub fn hear_strack(record: &Record) -> Heard {
    let ack = &record.ack;
    let fields = SackFields {
        epsn: ack.epsn,
        base: ack.base,
        bitmap: ack.bitmap,
        ooo: ack.ooo,
        bytes_recvd: ack.recv_bytes,
        timestamp: 0,
        probe: ack.probe_echo,
    };
    Heard { fields, sent_at: Some(ack.timestamp) }
}

/// An ACK of `uet`.
pub fn hear_uet(record: &Record, timing: &mut Timing) -> Heard {
    let ack = &record.ack;
    let from_cumulative = |offset: u16| PSNS.wrap(ack.epsn.wrapping_add_signed((offset as i16).into()));
    let epsn = PSNS.add(ack.epsn, 1);
    let says_no_bytes = (ack.ooo, ack.recv_bytes) == (0, 0);
    let is_plain = says_no_bytes && ack.bitmap == 0;
    let fields = SackFields {
        epsn,
        base: if is_plain { segment_base(epsn) } else { from_cumulative(ack.base as u16) },
        bitmap: ack.bitmap,
        ooo: ack.ooo.min(MOST_OOO),
        bytes_recvd: if says_no_bytes { timing.bytes_recvd } else { timing.count(ack.recv_bytes) },
        timestamp: 0,
        probe: ack.probe_echo,
    };
    let sent_at = timing.answered(from_cumulative(ack.offset), ack.probe_echo);
    timing.passed(epsn);
    Heard { fields, sent_at }
}

/// `to - from` of two PSNs of 24 bits, from -2^23 to 2^23 - 1.
pub fn signed(from: u32, to: u32) -> i32 {
    if PSNS.is_below(to, from) { -(PSNS.distance(to, from) as i32) } else { PSNS.distance(from, to) as i32 }
}
