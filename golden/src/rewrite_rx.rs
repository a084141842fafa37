//! The reader of received packets: one record for every frame, which itself stays as it is.

use crate::rewrite::{Extent, FrameError, Headers, Kind, ProfileTraffic, read};
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
    /// What follows the profile's header inside UDP.
    pub bytes: u16,
    /// ECN codepoint, RFC 3168.
    pub ecn: u8,
    /// UDP source port.
    pub ev: u16,
    /// Of `strack` data and probes.
    pub timestamp: u16,
    /// Of data and probes.
    pub ack_request: bool,
    /// Of a `uet` request.
    pub source_pdc: u16,
    /// Of a `uet` request: it is a retransmission.
    pub retransmit: bool,
    /// Of an ACK.
    pub ack: Ack,
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
}

impl Record {
    /// As `meta_kind` has it: 0 data, 1 ACK, 2 probe, 3 what is not the profile's or has an error.
    pub const fn kind_code(&self) -> u8 {
        match self.kind {
            Some(Kind::Data) => 0,
            Some(Kind::Ack) => 1,
            Some(Kind::Probe) => 2,
            None => 3,
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
    let packet =
        wire.profile.parse(&frame[headers.at..]).expect("the frame holds a whole header of the profile");
    let ev = u16::from_be_bytes([frame[headers.udp_at], frame[headers.udp_at + 1]]);
    let record = Record {
        kind: Some(headers.kind),
        bytes: (headers.udp_length - (headers.at - headers.udp_at) - headers.bytes) as u16,
        ecn: ecn(frame, &headers),
        ev,
        ..Record::default()
    };
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
        Packet::UetRequest(request) => Record {
            connection: request.destination_pdc.into(),
            psn: request.psn,
            ack_request: request.ack_request,
            source_pdc: request.source_pdc,
            retransmit: request.retransmit,
            ..record
        },
        // an ACK's EV is that of the data that it answers
        Packet::UetAck(ack) => {
            Record { connection: ack.destination_pdc.into(), ack: uet_ack(&ack, ev), ..record }
        }
        Packet::UetNack(_) => unreachable!("a NACK is other traffic"),
    }
}

fn uet_ack(ack: &uet::Ack, ev: u16) -> Ack {
    let cc = ack.cc.unwrap_or_default();
    Ack {
        ecn_echo: ack.ecn_echo,
        probe_echo: ack.probe,
        flags: u8::from(ack.retransmit) << 1 | u8::from(ack.probe),
        ev,
        timestamp: cc.service_time,
        recv_bytes: cc.rcvd_bytes,
        epsn: ack.cack_psn,
        offset: ack.ack_psn_offset as u16,
        ooo: cc.ooo_count,
        base: (cc.sack_psn_offset as u16).into(),
        bitmap: cc.sack_bitmap,
    }
}

fn ecn(frame: &[u8], headers: &Headers) -> u8 {
    let class = frame[headers.ip_at + 1];
    if headers.is_ipv4 { class & 3 } else { class >> 4 & 3 }
}
