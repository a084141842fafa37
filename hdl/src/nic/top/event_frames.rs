//! The wires of events that go to the host in frames.

use super::layer::Layer;
use crate::config::{Events, Nic, RxCredit};

/// Those of a configuration: how events go, and whether a frame of them takes credit.
pub fn of_events(nic: &Nic) -> [&'static Layer; 2] {
    match (nic.events, nic.rx_credit) {
        (Events::Port, _) => [&Layer::NONE, &Layer::NONE],
        (Events::Frames, RxCredit::Off) => [&FRAMES, &GRANTED],
        (Events::Frames, RxCredit::Frames) => [&FRAMES, &WITH_CREDIT],
    }
}

const FRAMES: Layer = Layer {
    wires: &[
        ("event_frames.mac_high", "registers.event_mac_high"),
        ("event_frames.mac_low", "registers.event_mac_low"),
        ("event_frames.kind", "registers.event_type"),
        ("event_frames.most", "registers.event_batch"),
        ("event_frames.ticks", "registers.event_ticks"),
        ("event_frames.wire_time", "registers.wire_time"),
        // events
        ("event_frames.event_tdata", "events.event_tdata"),
        ("event_frames.event_tvalid", "events.event_tvalid"),
        ("events.event_tready", "event_frames.event_tready"),
        ("event_frames.waiting", "events.events_waiting"),
        ("event_frames.lost0", "events.events_lost"),
        ("event_frames.lost1", "receiver.event_lost"),
        ("event_frames.lost2", "spray.event_lost"),
        // frames that came, and frames to the host
        ("event_frames.s_axis_tdata", "receiver.m_axis_tdata"),
        ("event_frames.s_axis_tkeep", "receiver.m_axis_tkeep"),
        ("event_frames.s_axis_tvalid", "receiver.m_axis_tvalid"),
        ("event_frames.s_axis_tlast", "receiver.m_axis_tlast"),
        ("receiver.m_axis_tready", "event_frames.s_axis_tready"),
        ("event_frames.m_axis_tready", "rx_out_tready"),
        ("rx_out_tdata", "event_frames.m_axis_tdata"),
        ("rx_out_tkeep", "event_frames.m_axis_tkeep"),
        ("rx_out_tvalid", "event_frames.m_axis_tvalid"),
        ("rx_out_tlast", "event_frames.m_axis_tlast"),
        // what stands beside them
        ("event_frames.rx_kind", "receiver.rx_kind"),
        ("event_frames.rx_error", "receiver.rx_error"),
        ("event_frames.rx_conn", "receiver.rx_conn"),
        ("event_frames.rx_psn", "receiver.rx_psn"),
        ("event_frames.rx_bytes", "receiver.rx_bytes"),
        ("event_frames.rx_ecn", "receiver.rx_ecn"),
        ("event_frames.rx_ev", "receiver.rx_ev"),
        ("event_frames.rx_timestamp", "receiver.rx_timestamp"),
        ("event_frames.rx_ack_request", "receiver.rx_ack_request"),
        ("event_frames.rx_status", "receiver.rx_status"),
        ("rx_kind", "event_frames.m_rx_kind"),
        ("rx_error", "event_frames.m_rx_error"),
        ("rx_conn", "event_frames.m_rx_conn"),
        ("rx_psn", "event_frames.m_rx_psn"),
        ("rx_bytes", "event_frames.m_rx_bytes"),
        ("rx_ecn", "event_frames.m_rx_ecn"),
        ("rx_ev", "event_frames.m_rx_ev"),
        ("rx_timestamp", "event_frames.m_rx_timestamp"),
        ("rx_ack_request", "event_frames.m_rx_ack_request"),
        ("rx_status", "event_frames.m_rx_status"),
    ],
    without: &["event_tdata", "event_tvalid"],
    open: &["event_frames.m_is_events"],
    ..Layer::NONE
};

/// A frame begins when it wants to.
const GRANTED: Layer =
    Layer { ones: &["event_frames.granted"], open: &["event_frames.wants"], ..Layer::NONE };

const WITH_CREDIT: Layer = Layer {
    wires: &[
        ("receiver.event_frame_wanted", "event_frames.wants"),
        ("event_frames.granted", "receiver.event_frame_granted"),
    ],
    ..Layer::NONE
};
