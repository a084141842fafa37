//! The reader of received packets: one record for every frame, which itself stays as it is.

use crate::rewrite::{Extent, FrameError, Headers, Kind, ProfileTraffic, read, traffic_class};
use crate::wire::{Packet, uet};

/// What is said of a frame.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Record {
    /// `None`: not the profile's, or with an error; then all but `error` is 0.
    pub kind: Option<Kind>,
    pub error: Option<FrameError>,
    /// `strack`: destination QP, 24 bits; `uet`: destination PDC, 16 bits.
    pub connection: u32,
    /// Of data and probes.
    pub psn: u32,
    /// What follows the profile's header inside UDP, or IP, but for a trailer.
    pub bytes: u16,
    /// ECN codepoint, RFC 3168.
    pub ecn: u8,
    /// UDP source port, or that of the entropy header.
    pub ev: u16,
    /// Of `strack` data and probes.
    pub timestamp: u16,
    /// Of data and probes.
    pub ack_request: bool,
    /// Of `uet`.
    pub source_pdc: u16,
    /// Of a `uet` request or control packet: it is a retransmission; of a NACK: it answers one.
    pub retransmit: bool,
    /// What only `uet` has.
    pub uet: Uet,
    /// Of an ACK.
    pub ack: Ack,
}

/// What only the headers of `uet` say; 0 in other profiles.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Uet {
    /// `type`, 5 bits.
    pub kind: u8,
    /// `next_header`, 4 bits; of a control packet `ctl`.
    pub next_header: u8,
    /// 7 bits.
    pub flags: u8,
    /// Bytes 2 and 3, but of ACKs: the clear offset of a request, codes of a NACK, opaque of a control packet.
    pub detail: u16,
    /// Message ID of a standard request.
    pub message: u16,
    /// Of a NACK or control packet.
    pub payload: u32,
    /// Of a trimmed packet: it was trimmed at the last hop.
    pub last_hop: bool,
}

/// Fields of an ACK; 0 for others.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Ack {
    pub ecn_echo: bool,
    /// It answers a probe.
    pub probe_echo: bool,
    /// `uet`: retransmit (bit 1), probe (bit 0).
    pub flags: u8,
    pub ev: u16,
    /// `strack`: echoed timestamp; `uet`: service time.
    pub timestamp: u16,
    pub recv_bytes: u32,
    /// `strack`: EPSN; `uet`: cumulative PSN.
    pub epsn: u32,
    /// `uet`: `ack_psn_offset`, a two's complement number.
    pub offset: u16,
    pub ooo: u16,
    /// `strack`: PSN of the bitmap's bit 0; `uet`: `sack_psn_offset` as it stands in the header.
    pub base: u32,
    pub bitmap: u64,
    /// `uet`: it has `mpr`, `cc_type`, base and bitmap.
    pub has_sack: bool,
    /// `uet`: it has the state of NSCC: service time, received bytes, out-of-order count, `pend`.
    pub has_state: bool,
    /// `uet`: maximum PSN range, in 128 PSNs.
    pub mpr: u8,
    /// `uet`, 4 bits.
    pub cc_type: u8,
    /// `uet`: `restore_cwnd` (bit 7) and `rcv_cwnd_pend`.
    pub pend: u8,
}

impl Record {
    /// As `meta_kind` has it: 0 data, 1 ACK, 2 probe, 3 all else.
    pub const fn kind_code(&self) -> u8 {
        match self.kind {
            Some(Kind::Data) => 0,
            Some(Kind::Ack) => 1,
            Some(Kind::Probe) => 2,
            Some(Kind::Nack | Kind::Control | Kind::Trimmed) | None => 3,
        }
    }

    /// What the block `nic` acts on; `None` of all that it gives to the host as it is.
    pub fn flow_kind(&self) -> Option<Kind> {
        self.kind.filter(|kind| kind.is_of_flow())
    }

    /// As `meta_other` has it: 1 NACK, 2 control packet, 3 a trimmed packet, 0 all else.
    pub const fn other_code(&self) -> u8 {
        match self.kind {
            Some(Kind::Nack) => 1,
            Some(Kind::Control) => 2,
            Some(Kind::Trimmed) => 3,
            _ => 0,
        }
    }

    /// As `meta_error` has it, 0 where nothing is wrong.
    pub fn error_code(&self) -> u8 {
        self.error.map_or(0, FrameError::code)
    }
}

/// The record of `frame`.
pub fn record(frame: &[u8], wire: ProfileTraffic) -> Record {
    let headers = match read(frame, wire, Extent::Whole) {
        Ok(Some(headers)) => headers,
        Ok(None) => return Record::default(),
        Err(error) => return Record { error: Some(error), ..Record::default() },
    };
    let class = traffic_class(&frame[headers.ip_at..], headers.is_ipv4);
    let ev = u16::from_be_bytes([frame[headers.udp_at], frame[headers.udp_at + 1]]);
    // a trimmed packet says how long it was, if it has UDP
    let beside = headers.at - headers.udp_at + headers.bytes + headers.trailer;
    let bytes = (headers.udp_length as u16).wrapping_sub(beside as u16);
    let record = Record { kind: Some(headers.kind), bytes, ecn: class & 3, ev, ..Record::default() };
    if headers.kind == Kind::Trimmed {
        return trimmed(&frame[headers.at..], wire.trimmed(class >> 2) == Some(true), record);
    }
    // what pads the frame is none of the packet's, and the trailer was looked at
    let payload = &frame[headers.at..headers.end() - headers.trailer];
    let packet = wire.profile.parse(payload).expect("the frame holds a whole header of the profile");
    match packet {
        Packet::StrackData(data) => Record {
            connection: data.connection,
            psn: data.psn,
            timestamp: data.timestamp,
            ack_request: data.ack_request,
            ..record
        },
        Packet::StrackAck(ack) => {
            let fields = Ack {
                ecn_echo: ack.ecn_echo,
                probe_echo: ack.probe_echo,
                ev: ack.echo_entropy,
                timestamp: ack.echo_timestamp,
                recv_bytes: ack.recv_bytes,
                epsn: ack.expected_psn,
                ooo: ack.ooo,
                base: ack.sack_base,
                bitmap: ack.sack_bitmap,
                ..Ack::default()
            };
            Record { connection: ack.connection, ack: fields, ..record }
        }
        packet => uet_record(&packet, payload, &headers, record),
    }
}

/// Of a trimmed packet nothing is read but what stands in the same place in every header.
fn trimmed(payload: &[u8], last_hop: bool, record: Record) -> Record {
    let common = uet::Common::of(payload);
    Record {
        connection: common.destination_pdc.into(),
        source_pdc: common.source_pdc,
        psn: u32::from_be_bytes([payload[4], payload[5], payload[6], payload[7]]),
        ack_request: common.flags & uet::FLAG_ACK_REQUEST != 0,
        retransmit: common.flags & uet::FLAG_RETRANSMIT != 0,
        uet: Uet {
            kind: common.kind,
            next_header: common.next_header,
            flags: common.flags,
            detail: common.offset,
            last_hop,
            ..Uet::default()
        },
        ..record
    }
}

fn uet_record(packet: &Packet, payload: &[u8], headers: &Headers, record: Record) -> Record {
    let common = uet::Common::of(payload);
    let uet =
        Uet { kind: common.kind, next_header: common.next_header, flags: common.flags, ..Uet::default() };
    let connection = common.destination_pdc.into();
    let record = Record { connection, source_pdc: common.source_pdc, uet, ..record };
    let detailed = Uet { detail: common.offset, ..uet };
    match *packet {
        Packet::UetRequest(request) => {
            let message = uet::message_id(request.next_header, &payload[headers.bytes..]);
            Record {
                psn: request.psn,
                ack_request: request.ack_request,
                retransmit: request.retransmit,
                uet: Uet { message: message.unwrap_or_default(), ..detailed },
                ..record
            }
        }
        // an ACK's EV is that of the data that it answers
        Packet::UetAck(ack) => Record { ack: uet_ack(&ack, record.ev), ..record },
        Packet::UetNack(nack) => Record {
            psn: nack.psn,
            retransmit: nack.retransmit,
            uet: Uet { payload: nack.payload, ..detailed },
            ..record
        },
        Packet::UetControl(control) => Record {
            psn: control.psn,
            ack_request: control.ack_request,
            retransmit: control.retransmit,
            uet: Uet { payload: control.payload.unwrap_or_default(), ..detailed },
            ..record
        },
        Packet::StrackData(_) | Packet::StrackAck(_) => unreachable!("the packet is of uet"),
    }
}

fn uet_ack(ack: &uet::Ack, ev: u16) -> Ack {
    let fields = Ack {
        ecn_echo: ack.ecn_echo,
        probe_echo: ack.probe,
        flags: u8::from(ack.retransmit) << 1 | u8::from(ack.probe),
        ev,
        epsn: ack.cack_psn,
        offset: ack.ack_psn_offset as u16,
        ..Ack::default()
    };
    let Some(cc) = ack.cc else { return fields };
    let fields = Ack {
        has_sack: true,
        mpr: cc.mpr,
        cc_type: cc.cc_type,
        base: (cc.sack_psn_offset as u16).into(),
        bitmap: cc.sack_bitmap,
        ..fields
    };
    match cc.has_state() {
        false => fields,
        true => Ack {
            has_state: true,
            timestamp: cc.service_time,
            recv_bytes: cc.rcvd_bytes,
            ooo: cc.ooo_count,
            pend: u8::from(cc.restore_cwnd) << 7 | cc.rcv_cwnd_pend,
            ..fields
        },
    }
}
