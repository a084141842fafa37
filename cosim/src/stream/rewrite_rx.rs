//! `rewrite_rx` as a stream core.

use respray_golden::rewrite::ProfileTraffic;
use respray_golden::rewrite_rx::{Ack, Record, record};
use respray_golden::wire;
use respray_hdl::config::Config;

use super::stream_core::{
    Answer, InputLane, Named, OutputLane, Ports, RecordLane, RewriterSettings, StreamCore,
};
use super::wire_of;
use crate::traffic::capture::Profile;
use crate::traffic::frames::Frame;

const EVENTS: [&str; 5] = ["pkt_data", "pkt_ack", "pkt_probe", "pkt_other", "pkt_malformed"];
const COUNTS: [&str; 5] = ["data", "ack", "probe", "other", "malformed"];

/// The record's ports that say what a frame is, in the order of [`meta_fields`].
const META: [Named; 9] = [
    ("meta_kind", 2),
    ("meta_error", 3),
    ("meta_conn", 24),
    ("meta_psn", 32),
    ("meta_bytes", 16),
    ("meta_ecn", 2),
    ("meta_ev", 16),
    ("meta_timestamp", 16),
    ("meta_ack_request", 1),
];

/// Those of the source PDC, and of whether it is a retransmission.
const REQUEST: [Named; 2] = [("meta_source_pdc", 16), ("meta_retransmit", 1)];

/// Those that say what an ACK says, in the order of [`ack_fields`].
const ACK: [Named; 11] = [
    ("ack_ecn", 1),
    ("ack_probe", 1),
    ("ack_flags", 2),
    ("ack_ev", 16),
    ("ack_timestamp", 16),
    ("ack_bytes", 32),
    ("ack_epsn", 32),
    ("ack_offset", 16),
    ("ack_ooo", 16),
    ("ack_base", 32),
    ("ack_bitmap", 64),
];

/// Those that only `uet` has, in the order of [`uet_fields`].
const UET: [Named; 13] = [
    ("meta_other", 2),
    ("meta_last_hop", 1),
    ("meta_type", 5),
    ("meta_next_header", 4),
    ("meta_flags", 7),
    ("meta_detail", 16),
    ("meta_message", 16),
    ("meta_payload", 32),
    ("ack_has_sack", 1),
    ("ack_has_state", 1),
    ("ack_mpr", 8),
    ("ack_cc", 4),
    ("ack_pend", 8),
];

/// What a record says of its frame, in the order of the ports `meta_...`: kind, error, connection, PSN, payload in bytes,
/// ECN, EV, timestamp, ACK request.
pub fn meta_fields(record: &Record) -> [u64; META.len()] {
    [
        record.kind_code().into(),
        record.error_code().into(),
        record.connection.into(),
        record.psn.into(),
        record.bytes.into(),
        record.ecn.into(),
        record.ev.into(),
        record.timestamp.into(),
        record.ack_request.into(),
    ]
}

/// What an ACK says, in the order of the ports `ack_...`: ECN echo, probe echo, flags, EV, timestamp, received bytes, EPSN,
/// offset, out-of-order count, base, bitmap.
pub fn ack_fields(ack: &Ack) -> [u64; ACK.len()] {
    [
        ack.ecn_echo.into(),
        ack.probe_echo.into(),
        ack.flags.into(),
        ack.ev.into(),
        ack.timestamp.into(),
        ack.recv_bytes.into(),
        ack.epsn.into(),
        ack.offset.into(),
        ack.ooo.into(),
        ack.base.into(),
        ack.bitmap,
    ]
}

/// What only the headers of `uet` say, in the order of their ports: what another packet is, whether it was trimmed at the last hop,
/// type, next header, flags, bytes 2 and 3, message ID, payload; of an ACK whether it has a bitmap and state, MPR, `cc_type`, `pend`.
pub fn uet_fields(record: &Record) -> [u64; UET.len()] {
    let (uet, ack) = (&record.uet, &record.ack);
    [
        record.other_code().into(),
        uet.last_hop.into(),
        uet.kind.into(),
        uet.next_header.into(),
        uet.flags.into(),
        uet.detail.into(),
        uet.message.into(),
        uet.payload.into(),
        ack.has_sack.into(),
        ack.has_state.into(),
        ack.mpr.into(),
        ack.cc_type.into(),
        ack.pend.into(),
    ]
}

/// A value for each port of a profile.
fn fields(record: &Record, profile: wire::Profile) -> Vec<u64> {
    let request = [record.source_pdc.into(), record.retransmit.into()];
    let fields = meta_fields(record).into_iter().chain(request).chain(ack_fields(&record.ack));
    match profile {
        wire::Profile::Strack => fields.collect(),
        wire::Profile::Uet => fields.chain(uet_fields(record)).collect(),
    }
}

/// The golden side of `rewrite_rx`.
pub struct RewriteRx {
    ports: Ports,
    wire: ProfileTraffic,
    given: RewriterSettings,
}

impl RewriteRx {
    pub fn new(config: &Config, given: RewriterSettings) -> RewriteRx {
        let wire = wire_of(config, given);
        let ports = Ports {
            settings: match wire.profile {
                wire::Profile::Strack => vec![("udp_port", 16, wire.udp_port.into())],
                wire::Profile::Uet => vec![
                    ("udp_port", 16, wire.udp_port.into()),
                    ("ip_proto", 8, wire.carried.ip_proto().into()),
                    ("dscp_trimmed", 6, wire.trimmed.dscp.into()),
                    ("dscp_trimmed_last", 6, wire.trimmed.dscp_last.into()),
                ],
            },
            inputs: vec![InputLane {
                prefix: "s_axis",
                sideband: Vec::new(),
                events: EVENTS.map(|name| (name, 1)).to_vec(),
                event_latency: "event",
            }],
            outputs: vec![OutputLane {
                prefix: "m_axis",
                from: 0,
                latency: "beat",
                decided_latency: None,
                unnamed_are_zero: false,
                ahead: None,
            }],
            records: vec![RecordLane {
                prefix: "meta",
                from: 0,
                latency: "meta",
                fields: match wire.profile {
                    wire::Profile::Strack => [&META[..], &REQUEST, &ACK].concat(),
                    wire::Profile::Uet => [&META[..], &REQUEST, &ACK, &UET].concat(),
                },
            }],
        };
        RewriteRx { ports, wire, given }
    }
}

impl StreamCore for RewriteRx {
    fn name(&self) -> &'static str {
        "rewrite_rx"
    }

    fn ports(&self) -> &Ports {
        &self.ports
    }

    fn profile(&self) -> Option<Profile> {
        Some(self.wire.into())
    }

    fn sideband(&self, _: &Frame, _: &mut Vec<u64>) {}

    fn answer(&self, frame: &mut Frame, answer: &mut Answer) {
        let record = record(&frame.data, self.wire);
        let malformed = record.error.is_some_and(|error| error.is_malformed());
        answer.leaves_by = Some(0);
        answer.events = 1 << record.kind_code() | u64::from(malformed) << 4;
        answer.add_record(0, &fields(&record, self.wire.profile));
    }

    fn count(&self, _: usize, answer: &Answer, counts: &mut [u64]) {
        for (bit, count) in counts.iter_mut().enumerate() {
            *count += answer.events >> bit & 1;
        }
    }

    fn count_names(&self) -> &'static [&'static str] {
        &COUNTS
    }

    fn setting_arguments(&self) -> Vec<String> {
        [super::port_arguments(self.given), super::trimmed_arguments(self.given)].concat()
    }
}
