//! The wires of the window of each connection.

use super::layer::Layer;
use crate::config::WindowEngine;

/// That of a word of the configuration.
pub fn of_window(window: WindowEngine) -> &'static Layer {
    match window {
        WindowEngine::Fixed => &FIXED,
        WindowEngine::Strack => &STRACK,
    }
}

const FIXED: Layer = Layer {
    open: &["scoreboard.ack_rtt", "scoreboard.ack_answered", "sack_tx.res_bytes_acked"],
    ..Layer::NONE
};

const STRACK: Layer = Layer {
    wires: &[
        // what is held back
        ("window.heard_valid", "receiver.heard_valid"),
        ("scoreboard.ack_valid", "window.ack_valid"),
        ("window.ack_taken", "scoreboard.ack_ready"),
        ("window.opening", "commands.open_tx_valid"),
        ("scoreboard.open_valid", "window.open_valid"),
        ("window.opened", "scoreboard.open_ready"),
        // what sack_tx takes and finds
        ("window.ack_ecn", "receiver.heard_ecn"),
        ("window.ack_probe", "receiver.heard_probe"),
        ("window.ack_rtt", "scoreboard.ack_rtt"),
        ("window.sack_op_valid", "scoreboard.op_valid"),
        ("window.sack_op_ready", "sack_tx.op_ready"),
        ("window.sack_op_kind", "scoreboard.op_kind"),
        ("window.answered", "scoreboard.ack_answered"),
        ("window.answer_status", "sack_tx.res_status"),
        ("window.answer_bytes", "sack_tx.res_bytes_acked"),
        ("window.wire_time", "registers.wire_time"),
        ("window.max_cwnd", "registers.max_cwnd"),
        // the congestion control
        ("congestion.op_valid", "window.op_valid"),
        ("congestion.op_kind", "window.op_kind"),
        ("congestion.op_conn", "window.op_conn"),
        ("congestion.op_ecn", "window.op_ecn"),
        ("congestion.op_probe", "window.op_probe"),
        ("congestion.op_bytes", "window.op_bytes"),
        ("congestion.op_timestamp", "window.op_timestamp"),
        ("congestion.now", "registers.wire_time"),
        ("window.op_ready", "congestion.op_ready"),
        ("window.res_valid", "congestion.res_valid"),
        ("window.res_status", "congestion.res_status"),
        ("window.res_cwnd", "congestion.res_cwnd"),
        ("window.res_packets", "congestion.res_cwnd_packets"),
        // who goes by the window
        ("sack_tx.cwnd_packets", "window.ack_packets"),
        ("window.look_taken", "scoreboard.recovery_ready"),
        ("scoreboard.cwnd_packets", "window.look_packets"),
        // events
        ("window.freeze_valid", "spray.event_valid"),
        ("window.freeze_kind", "spray.event_kind"),
        ("window.freeze_conn", "spray.event_conn"),
        ("spray.event_ready", "window.freeze_ready"),
        ("events.event2_valid", "window.event_valid"),
        ("events.event2_kind", "window.event_kind"),
        ("events.event2_conn", "window.event_conn"),
        ("events.event2_detail", "window.event_detail"),
        ("events.event2_value", "window.event_value"),
        ("window.event_ready", "events.event2_ready"),
    ],
    cut: &[
        ("window.ack_conn", "receiver.heard_conn"),
        ("window.sack_op_conn", "scoreboard.op_conn"),
        ("window.look_conn", "recovery.head_conn"),
        ("send_window.wanted_conn", "spray.op_conn"),
    ],
    open: &[
        "registers.cwnd_packets",
        "congestion.res_conn",
        "congestion.res_delay",
        "congestion.res_action",
        "congestion.res_fair",
    ],
    ..Layer::NONE
};
