//! `shim_push` as a stream core.

use respray_golden::shim_push::{Outcome, Request, push};
use respray_hdl::config::Config;

use super::stream_core::{Answer, InputLane, Named, OutputLane, Ports, RewriterSettings, StreamCore};
use super::{ethertype, ethertype_arguments};
use crate::traffic::frames::Frame;

const EVENTS: [&str; 5] = ["pkt_inserted", "pkt_patched", "pkt_passed", "pkt_refused", "pkt_malformed"];
const COUNTS: [&str; 5] = ["inserted", "patched", "passed", "refused", "malformed"];

/// What is asked, in the order of [`crate::traffic::frames::ORDERS`] behind the first.
const SIDE: [Named; 13] = [
    ("s_op", 2),
    ("s_kind", 3),
    ("s_hops", 4),
    ("s_epoch", 4),
    ("s_timestamp", 16),
    ("s_hash", 16),
    ("s_bytes", 24),
    ("s_enable", 1),
    ("s_hop", 2),
    ("s_path", 32),
    ("s_len", 2),
    ("s_ce", 8),
    ("s_dst", 16),
];

/// The golden side of `shim_push`.
pub struct ShimPush {
    ports: Ports,
    ethertype: u16,
    beat_bytes: usize,
    given: RewriterSettings,
}

impl ShimPush {
    pub fn new(config: &Config, given: RewriterSettings) -> ShimPush {
        let ethertype = ethertype(given);
        let ports = Ports {
            settings: vec![("ethertype", 16, ethertype.into())],
            inputs: vec![InputLane {
                prefix: "s_axis",
                sideband: SIDE.to_vec(),
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
            records: Vec::new(),
        };
        ShimPush { ports, ethertype, beat_bytes: config.bus_bits as usize / 8, given }
    }
}

fn request(frame: &Frame) -> Request {
    let orders = frame.orders;
    match orders.op() {
        1 => Request::Insert(orders.kind(), orders.fields()),
        2 => Request::Patch(orders.kind(), orders.fields()),
        _ => Request::Leave,
    }
}

impl StreamCore for ShimPush {
    fn name(&self) -> &'static str {
        "shim_push"
    }

    fn ports(&self) -> &Ports {
        &self.ports
    }

    fn sideband(&self, frame: &Frame, values: &mut Vec<u64>) {
        values.extend(frame.orders.0[1..].iter().map(|value| u64::from(*value)));
    }

    fn answer(&self, frame: &mut Frame, answer: &mut Answer) {
        let request = request(frame);
        if let Request::Insert(Some(kind), _) = request {
            let bytes = frame.data.len();
            let beats = |bytes: usize| bytes.div_ceil(self.beat_bytes) as u64;
            answer.pause = beats(bytes + kind.header().bytes()) - beats(bytes);
        }
        let outcome = push(&mut frame.data, request, self.ethertype);
        let event = match outcome {
            Outcome::Inserted => 0,
            Outcome::Patched => 1,
            Outcome::Passed => 2,
            Outcome::Refused => 3,
            Outcome::Malformed => 4,
        };
        answer.leaves_by = Some(0);
        answer.is_changed = event < 2;
        answer.events = 1 << event;
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
