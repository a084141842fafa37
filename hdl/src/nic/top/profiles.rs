//! Which port drives which in one profile alone.
//!
//! An ACK of `strack` says itself what the scoreboard has to hear, and both ends know a connection by one number. In `uet`
//! `timing` stands between the ACK and the scoreboard, and `last_requests` before the block that makes frames.

use super::layer::Layer;
use crate::config::Wire;

/// That of a word of the configuration.
pub fn profile(wire: Wire) -> &'static Layer {
    match wire {
        Wire::Strack => &STRACK,
        Wire::Uet => &UET,
    }
}

const STRACK: Layer = Layer {
    wires: &[
        ("scoreboard.ack_valid", "receiver.heard_valid"),
        ("scoreboard.ack_epsn", "receiver.heard_epsn"),
        ("scoreboard.ack_timestamp", "receiver.heard_timestamp"),
        ("receiver.heard_ready", "scoreboard.ack_ready"),
        ("sack_tx.op_bytes_recvd", "receiver.heard_bytes"),
        ("answer.job_conn", "prober.job_conn"),
    ],
    cut: &[
        ("sack_tx.op_epsn", "receiver.heard_epsn"),
        ("sack_tx.op_base", "receiver.heard_base"),
        ("sack_tx.op_ooo", "receiver.heard_ooo"),
    ],
    zeros: &[
        ("scoreboard.ack_untimed", 1),
        ("answer.job_source_pdc", 16),
        ("answer.job_wire_psn", 32),
        ("answer.job_retransmit", 1),
        ("answer.job_ordered", 1),
    ],
    open: &[
        "sender.req_destination_pdc",
        "sender.req_is_ordered",
        "receiver.heard_offset",
        "receiver.answer_wire_psn",
        "receiver.answer_source_pdc",
        "receiver.answer_retransmit",
    ],
    ..Layer::NONE
};

const UET: Layer = Layer {
    wires: &[
        // what leaves
        ("timing.wire_time", "registers.wire_time"),
        ("timing.sent", "scoreboard.count_tx_data"),
        ("timing.again", "scoreboard.count_tx_again"),
        ("timing.renewed", "scoreboard.probe_cancel"),
        ("timing.probed", "prober.count_tx_probes"),
        ("timing.probe_time", "prober.job_timestamp"),
        // ACKs
        ("timing.ack_valid", "receiver.heard_valid"),
        ("timing.ack_conn", "receiver.heard_conn"),
        ("timing.ack_probe", "receiver.heard_probe"),
        ("timing.ack_offset", "receiver.heard_offset"),
        ("timing.ack_ooo", "receiver.heard_ooo"),
        ("timing.ack_bitmap", "receiver.heard_bitmap"),
        ("receiver.heard_ready", "timing.ack_ready"),
        ("timing.heard_ready", "scoreboard.ack_ready"),
        ("scoreboard.ack_valid", "timing.heard_valid"),
        ("scoreboard.ack_epsn", "timing.heard_epsn"),
        ("scoreboard.ack_timestamp", "timing.heard_timestamp"),
        ("scoreboard.ack_untimed", "timing.heard_untimed"),
        ("sack_tx.op_epsn", "timing.heard_epsn"),
        ("sack_tx.op_base", "timing.heard_base"),
        ("sack_tx.op_ooo", "timing.heard_ooo"),
        ("sack_tx.op_bytes_recvd", "timing.heard_bytes"),
        // what SACKs and probes say of the packets that they answer or copy
        ("last_requests.req_valid", "sender.req_valid"),
        ("last_requests.req_ready", "scoreboard.req_ready"),
        ("last_requests.req_destination_pdc", "sender.req_destination_pdc"),
        ("last_requests.req_is_ordered", "sender.req_is_ordered"),
        ("last_requests.decide_valid", "scoreboard.decide_valid"),
        ("last_requests.sent", "scoreboard.count_tx_data"),
        ("last_requests.again", "scoreboard.count_tx_again"),
        ("last_requests.psn", "scoreboard.list_psn"),
        ("last_requests.draw_valid", "prober.draw_valid"),
        ("last_requests.is_probe", "prober.job_is_probe"),
        ("last_requests.answer_source_pdc", "receiver.answer_source_pdc"),
        ("last_requests.answer_wire_psn", "receiver.answer_wire_psn"),
        ("answer.job_conn", "last_requests.destination_pdc"),
        ("answer.job_source_pdc", "last_requests.source_pdc"),
        ("answer.job_wire_psn", "last_requests.wire_psn"),
        ("answer.job_ordered", "last_requests.ordered"),
        ("answer.job_retransmit", "receiver.answer_retransmit"),
    ],
    cut: &[
        ("timing.conn", "scoreboard.list_conn"),
        ("timing.psn", "scoreboard.list_psn"),
        ("timing.probe_conn", "prober.draw_conn"),
        ("timing.ack_epsn", "receiver.heard_epsn"),
        ("timing.ack_base", "receiver.heard_base"),
        ("timing.ack_bytes", "receiver.heard_bytes"),
        ("last_requests.conn", "scoreboard.list_conn"),
        ("last_requests.draw_conn", "prober.draw_conn"),
        ("last_requests.probe_conn", "prober.draw_conn"),
        ("last_requests.answer_conn", "receiver.answer_conn"),
    ],
    zeros: &[("rewrite_rx.ip_proto", 8), ("rewrite_rx.dscp_trimmed", 6), ("rewrite_rx.dscp_trimmed_last", 6)],
    open: &[
        "receiver.heard_timestamp",
        "prober.job_conn",
        "rewrite_rx.meta_other",
        "rewrite_rx.meta_last_hop",
        "rewrite_rx.meta_type",
        "rewrite_rx.meta_next_header",
        "rewrite_rx.meta_flags",
        "rewrite_rx.meta_detail",
        "rewrite_rx.meta_message",
        "rewrite_rx.meta_payload",
        "rewrite_rx.ack_has_sack",
        "rewrite_rx.ack_has_state",
        "rewrite_rx.ack_mpr",
        "rewrite_rx.ack_cc",
        "rewrite_rx.ack_pend",
    ],
    ..Layer::NONE
};
