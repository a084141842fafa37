//! The wires of a selector that lets packets wait.

use super::layer::Layer;
use crate::config::PathSelector;

/// That of a selector.
pub fn of_selector(selector: PathSelector) -> &'static Layer {
    if selector.parks() { &PARKING } else { &PLAIN }
}

const PLAIN: Layer =
    Layer { zeros: &[("commands.set_min_ready", 1)], open: &["commands.set_min_valid"], ..Layer::NONE };

const PARKING: Layer = Layer {
    wires: &[
        // what packets, ACKs and commands say
        ("spray.asked_valid", "scoreboard.req_ready"),
        ("spray.asked_conn", "sender.req_conn"),
        ("spray.asked_bytes", "sender.req_bytes"),
        ("spray.asked_is_probe", "sender.req_is_probe"),
        ("scoreboard.req_conn", "spray.counted_conn"),
        ("spray.decide_again", "scoreboard.count_tx_again"),
        ("spray.ack_valid", "scoreboard.ack_ready"),
        ("spray.ack_timestamp", "receiver.heard_timestamp"),
        ("spray.ack_bad", "scoreboard.count_rx_acks_bad"),
        ("spray.set_min_valid", "commands.set_min_valid"),
        ("commands.set_min_ready", "spray.set_min_ready"),
        ("spray.command_class", "registers.command_class"),
        ("spray.command_rtt", "registers.command_rtt"),
        // the selector
        ("spray.res_draining", "selector.res_draining"),
        ("spray.drain_started", "selector.drain_started"),
        ("spray.drain_done", "selector.drain_done"),
        ("spray.drain_given_up", "selector.drain_given_up"),
        ("spray.ack_refused", "selector.ack_refused"),
        ("selector.op_bytes", "spray.op_bytes"),
        ("selector.op_rtx", "spray.op_rtx"),
        ("selector.op_recvd", "spray.op_recvd"),
        ("selector.op_timestamp", "spray.op_timestamp"),
        ("selector.op_class", "spray.op_class"),
        ("selector.op_serial", "registers.ack_serial"),
        ("registers.count_tx_parked", "spray.count_tx_parked"),
        ("registers.count_tx_held", "spray.count_tx_held"),
        // the places
        ("park.way_valid", "spray.way_valid"),
        ("park.way_parks", "spray.way_parks"),
        ("park.way_place", "spray.way_place"),
        ("park.release_valid", "spray.release_valid"),
        ("park.release_place", "spray.release_place"),
        ("park.release_ev", "spray.release_ev"),
        ("park.release_timestamp", "registers.wire_time"),
        ("spray.left_valid", "park.left_valid"),
        ("spray.left_place", "park.left_place"),
        ("park.left_ready", "spray.left_ready"),
        // frames
        ("park.s_axis_tdata", "sender.m_axis_tdata"),
        ("park.s_axis_tkeep", "sender.m_axis_tkeep"),
        ("park.s_axis_tvalid", "sender.m_axis_tvalid"),
        ("park.s_axis_tlast", "sender.m_axis_tlast"),
        ("park.s_axis_tuser", "sender.m_axis_tuser"),
        ("park.s_is_data", "sender.m_is_data"),
        ("sender.m_axis_tready", "park.s_axis_tready"),
        ("peers.beat_ready", "park.s_axis_tready"),
        ("rewrite_tx.s_axis_tdata", "park.w_axis_tdata"),
        ("rewrite_tx.s_axis_tkeep", "park.w_axis_tkeep"),
        ("rewrite_tx.s_axis_tvalid", "park.w_axis_tvalid"),
        ("rewrite_tx.s_axis_tlast", "park.w_axis_tlast"),
        ("rewrite_tx.s_axis_tuser", "park.w_axis_tuser"),
        ("park.w_axis_tready", "rewrite_tx.s_axis_tready"),
        ("rewrite_tx.s_ev", "park.w_ev"),
        ("rewrite_tx.s_timestamp", "park.w_timestamp"),
        ("rewrite_tx.udp_port", "registers.udp_port"),
        ("rewrite_tx.flow_label_enable", "registers.flow_label_enable"),
        ("park.r_axis_tdata", "rewrite_tx.m_axis_tdata"),
        ("park.r_axis_tkeep", "rewrite_tx.m_axis_tkeep"),
        ("park.r_axis_tvalid", "rewrite_tx.m_axis_tvalid"),
        ("park.r_axis_tlast", "rewrite_tx.m_axis_tlast"),
        ("park.r_axis_tuser", "rewrite_tx.m_axis_tuser"),
        ("rewrite_tx.m_axis_tready", "park.r_axis_tready"),
        ("outlet.b_axis_tdata", "park.m_axis_tdata"),
        ("outlet.b_axis_tkeep", "park.m_axis_tkeep"),
        ("outlet.b_axis_tvalid", "park.m_axis_tvalid"),
        ("outlet.b_axis_tlast", "park.m_axis_tlast"),
        ("outlet.b_axis_tuser", "park.m_axis_tuser"),
        ("park.m_axis_tready", "outlet.b_axis_tready"),
    ],
    without: &[
        "spray.spray_ev",
        "spray.spray_ecn",
        "spray.nack_ev",
        "spray.res_valid",
        "spray.res_conn",
        "selector.op_ev",
        "selector.op_ecn",
    ],
    cut: &[("spray.ack_bytes", "receiver.heard_bytes")],
    open: &[
        "scoreboard.spray_ev",
        "scoreboard.spray_ecn",
        "registers.command_ev",
        "selector.res_valid",
        "selector.res_conn",
        "spray.op_from",
        "park.m_was_parked",
        "rewrite_tx.pkt_rewritten",
        "rewrite_tx.pkt_passed",
        "rewrite_tx.pkt_malformed",
    ],
    ..Layer::NONE
};
