//! `shim_pop` as a stream core.

use respray_golden::shim_pop::{Outcome, Record, pop};

use super::stream_core::{
    Answer, InputLane, Named, OutputLane, Ports, RecordLane, RewriterSettings, StreamCore,
};
use super::{ethertype, ethertype_arguments};
use crate::traffic::frames::Frame;

const EVENTS: [&str; 5] = ["pkt_popped", "pkt_kept", "pkt_plain", "pkt_unknown", "pkt_malformed"];
const COUNTS: [&str; 5] = ["popped", "kept", "plain", "unknown", "malformed"];

/// The record's ports.
const RECORD: [Named; 14] = [
    ("meta_kind", 3),
    ("meta_error", 2),
    ("meta_bytes", 14),
    ("shim_hops", 4),
    ("shim_epoch", 4),
    ("shim_timestamp", 16),
    ("shim_hash", 16),
    ("shim_bytes", 24),
    ("shim_enable", 1),
    ("shim_hop", 2),
    ("shim_path", 32),
    ("shim_len", 2),
    ("shim_ce", 8),
    ("shim_dst", 16),
];
/// `meta_kind` without a shim that can be read.
const NO_KIND: u64 = 7;

fn fields(record: &Record) -> [u64; RECORD.len()] {
    let error = match record.outcome {
        Outcome::Malformed => 1,
        Outcome::Unknown => 2,
        _ => 0,
    };
    let kind = record.shim.map_or(NO_KIND, |(kind, _)| kind.code());
    let said = record.shim.map(|(_, fields)| fields).unwrap_or_default().named();
    let mut fields = [kind, error, record.bytes.into()].into_iter().chain(said.map(|(_, value)| value));
    std::array::from_fn(|_| fields.next().expect("a field for each port"))
}

/// The golden side of `shim_pop`.
pub struct ShimPop {
    ports: Ports,
    ethertype: u16,
    given: RewriterSettings,
}

impl ShimPop {
    pub fn new(given: RewriterSettings) -> ShimPop {
        let ethertype = ethertype(given);
        let ports = Ports {
            settings: vec![("ethertype", 16, ethertype.into())],
            inputs: vec![InputLane {
                prefix: "s_axis",
                sideband: vec![("s_take_out", 5)],
                events: EVENTS.map(|name| (name, 1)).to_vec(),
                event_latency: "event",
            }],
            outputs: vec![OutputLane {
                prefix: "m_axis",
                from: 0,
                latency: "beat",
                decided_latency: None,
                unnamed_are_zero: true,
                ahead: Some("ahead"),
            }],
            records: vec![RecordLane { prefix: "meta", from: 0, latency: "meta", fields: RECORD.to_vec() }],
        };
        ShimPop { ports, ethertype, given }
    }
}

impl StreamCore for ShimPop {
    fn name(&self) -> &'static str {
        "shim_pop"
    }

    fn ports(&self) -> &Ports {
        &self.ports
    }

    fn sideband(&self, frame: &Frame, values: &mut Vec<u64>) {
        values.push(frame.orders.take_out().into());
    }

    fn answer(&self, frame: &mut Frame, answer: &mut Answer) {
        let record = pop(&mut frame.data, frame.orders.take_out(), self.ethertype);
        let event = match record.outcome {
            Outcome::TakenOut => 0,
            Outcome::Kept => 1,
            Outcome::Plain => 2,
            Outcome::Unknown => 3,
            Outcome::Malformed => 4,
        };
        answer.leaves_by = Some(0);
        answer.is_changed = record.outcome == Outcome::TakenOut;
        answer.events = 1 << event;
        answer.add_record(0, &fields(&record));
    }

    fn count(&self, _: usize, answer: &Answer, counts: &mut [u64]) {
        counts[answer.events.trailing_zeros() as usize] += 1;
    }

    fn count_names(&self) -> &'static [&'static str] {
        &COUNTS
    }

    fn setting_arguments(&self) -> Vec<String> {
        ethertype_arguments(self.given)
    }
}
