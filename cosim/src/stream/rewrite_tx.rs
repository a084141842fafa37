//! `rewrite_tx` as a stream core.

use respray_golden::rewrite_tx::{self as golden, Disposition, Stamp, rewrite};
use respray_golden::wire::Profile as Wire;
use respray_hdl::config::Config;

use super::stream_core::{Answer, InputLane, OutputLane, Ports, RewriterSettings, StreamCore};
use super::wire_of;
use crate::traffic::capture::Profile;
use crate::traffic::frames::Frame;

const EVENTS: [&str; 3] = ["pkt_rewritten", "pkt_passed", "pkt_malformed"];
const COUNTS: [&str; 3] = ["rewritten", "passed", "malformed"];

/// The golden side of `rewrite_tx`.
pub struct RewriteTx {
    ports: Ports,
    settings: golden::Params,
    given: RewriterSettings,
}

impl RewriteTx {
    pub fn new(config: &Config, given: RewriterSettings) -> RewriteTx {
        let wire = wire_of(config, given);
        let settings = golden::Params {
            wire,
            flow_label_enable: given.flow_label,
            beat_bytes: config.bus_bits as usize / 8,
        };
        let udp_port = ("udp_port", 16, wire.udp_port.into());
        let flow_label = ("flow_label_enable", 1, given.flow_label.into());
        let ports = Ports {
            settings: match wire.profile {
                Wire::Strack => {
                    vec![udp_port, flow_label]
                }
                Wire::Uet => vec![udp_port, ("ip_proto", 8, wire.carried.ip_proto().into()), flow_label],
            },
            inputs: vec![InputLane {
                prefix: "s_axis",
                sideband: vec![("s_ev", 16), ("s_timestamp", 16), ("s_enable", 1)],
                events: EVENTS.map(|name| (name, 1)).to_vec(),
                event_latency: "event",
            }],
            outputs: vec![OutputLane {
                prefix: "m_axis",
                from: 0,
                latency: "beat",
                decided_latency: Some("decided"),
                unnamed_are_zero: false,
                ahead: config.has_crc().then_some("ahead"),
            }],
            records: Vec::new(),
        };
        RewriteTx { ports, settings, given }
    }

    /// The byte, counted from 1, whose beat decides about a frame: of the profile's header if it is IP and what carries
    /// the profile, and where that would be if it is not.
    fn deciding(&self, frame: &[u8]) -> usize {
        let word = |at: usize| frame.get(at..at + 2).map_or(0, |pair| u16::from_be_bytes([pair[0], pair[1]]));
        let tags = (0..2).take_while(|tag| matches!(word(12 + 4 * tag), 0x8100 | 0x88a8)).count();
        let ip = 14 + 4 * tags;
        let header_words = match word(ip - 2) {
            0x86dd => 10,
            _ => usize::from(frame.get(ip).map_or(0, |first| first & 15)),
        };
        let wire = self.settings.wire;
        ip + 4 * header_words + wire.carried.bytes() + wire.profile.data().bytes()
    }
}

impl StreamCore for RewriteTx {
    fn name(&self) -> &'static str {
        "rewrite_tx"
    }

    fn ports(&self) -> &Ports {
        &self.ports
    }

    fn profile(&self) -> Option<Profile> {
        let wire = self.settings.wire;
        Some(wire.into())
    }

    fn sideband(&self, frame: &Frame, values: &mut Vec<u64>) {
        values.extend([u64::from(frame.ev), frame.timestamp.into(), frame.enable.into()]);
    }

    fn answer(&self, frame: &mut Frame, answer: &mut Answer) {
        answer.decided_by = Some(self.deciding(&frame.data));
        let stamp = Stamp { ev: frame.ev, timestamp: frame.timestamp, enable: frame.enable };
        let outcome = rewrite(&mut frame.data, stamp, self.settings);
        let event = match outcome {
            Disposition::Rewritten => 0,
            Disposition::Passed => 1,
            Disposition::Malformed => 2,
        };
        answer.leaves_by = Some(0);
        answer.is_changed = outcome == Disposition::Rewritten;
        answer.events = 1 << event;
    }

    fn count(&self, _: usize, answer: &Answer, counts: &mut [u64]) {
        counts[answer.events.trailing_zeros() as usize] += 1;
    }

    fn count_names(&self) -> &'static [&'static str] {
        &COUNTS
    }

    fn setting_arguments(&self) -> Vec<String> {
        let mut arguments = super::port_arguments(self.given);
        if self.given.flow_label {
            arguments.push("--flow-label".into());
        }
        arguments
    }
}
