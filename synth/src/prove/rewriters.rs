//! What is proved of `rewrite_tx` and `rewrite_rx`: their packets as beats of AXI4-Stream.

use super::axis::{self, in_order, never_stuck, one_event, record_stays_claim, shaped, stays, takes_again};
use super::{Claim, Fault, Method, Proof, Rules};

/// Of `rewrite_tx`, for all time.
pub const TX: Proof = Proof {
    core: "rewrite_tx",
    block: None,
    sets: &["bus_bits=64"],
    rules: || {
        let of = |side: &str| {
            let [keep, last, user] = ["keep", "last", "user"].map(|name| format!("{side}_axis_t{name}"));
            format!("{{{user}, {keep}[$bits({keep})-1:1], {last}}}")
        };
        let beats = axis::beats("push", &of("s"), &of("m"));
        let rules =
            beats + &axis::output_stays() + include_str!("axis_queue.v") + include_str!("rewrite_tx.v");
        Rules::of("", rules)
            .watching_enabled("keep_memory", "outlet.keeps", "spot", "kept_beat")
            .joining("write_at", "outlet.write_at")
            .joining("read_at", "outlet.read_at")
            .joining("can_take", "outlet.can_take")
            .joining("keep_held", "outlet.keep_held")
            .joining("is_judged", "fields.judged")
    },
    method: Method::Unbounded(9),
    fault_edges: 0..24,
    shortened: &[],
    claims: &[
        stays("m_valid <= takes || (m_valid && !is_free);", "m_valid <= takes;"),
        in_order(
            "Beats go out as they came in, one for one: `tkeep`, `tlast` and `tuser` of the i-th beat that goes out are those of the i-th one \
             that came in; none is lost, and none comes twice.",
            "keeps_read_address = takes ? read_at[4:0] + 5'd1 : read_at[4:0];",
            "keeps_read_address = read_at[4:0];",
        ),
        shaped(
            "wire [7:0] keep_in = {keep[7:1], last};",
            "wire [7:0] keep_in = {keep[7:1], last & keep[7]};",
        ),
        one_event(
            "Each packet has one event, in packet order: not before it began, and within six edges after its last beat came in.",
            "judged <= (judged || is_judged) && !last;",
            "judged <= judged && !last;",
        ),
    ],
};

/// Of `rewrite_tx`, from power-up: which beats are last ones decides when the next packet's plan is taken, so their memory is whole.
pub const TX_PACKETS: Proof = Proof {
    rules: || Rules::of("", axis::input() + include_str!("rewrite_tx_packets.v")).remembering("outlet.keeps"),
    method: Method::Bounded(18),
    claims: &[
        never_stuck(
            "Where a packet came in whole five edges ago, and has not gone out whole, a beat is offered.",
            "plans_left = plan_write - plan_read;",
            "plans_left = 5'd0;",
        ),
        takes_again(
            "Where every beat is taken at once, the input waits for two edges at most, also after a reset.",
            "ready <= filled < LIMIT;",
            "ready <= filled == 6'd0;",
        ),
    ],
    ..TX
};

/// The fields of a record of `rewrite_rx`.
const RECORD: [&str; 22] = [
    "meta_kind",
    "meta_error",
    "meta_conn",
    "meta_psn",
    "meta_bytes",
    "meta_ecn",
    "meta_ev",
    "meta_timestamp",
    "meta_ack_request",
    "meta_source_pdc",
    "meta_retransmit",
    "ack_ecn",
    "ack_probe",
    "ack_flags",
    "ack_ev",
    "ack_timestamp",
    "ack_bytes",
    "ack_epsn",
    "ack_offset",
    "ack_ooo",
    "ack_base",
    "ack_bitmap",
];

/// Of `rewrite_rx`, for all time.
pub const RX: Proof = Proof {
    core: "rewrite_rx",
    block: None,
    sets: &["bus_bits=64"],
    rules: || {
        let beat = "{s_axis_tuser, s_axis_tkeep[$bits(s_axis_tkeep)-1:1], s_axis_tlast, s_axis_tdata}";
        let rules = axis::beats(
            "push",
            beat,
            "{m_axis_tuser, m_axis_tkeep[$bits(m_axis_tkeep)-1:1], m_axis_tlast, m_axis_tdata}",
        ) + &axis::output_stays()
            + &axis::record_stays(&RECORD)
            + include_str!("axis_offers.v")
            + include_str!("axis_queue.v")
            + include_str!("rewrite_rx.v");
        Rules::of("", rules)
            .watching_enabled("beat_memory", "beats.memory", "spot", "kept_beat")
            .joining("write_at", "beats.write_at")
            .joining("read_at", "beats.read_at")
            .watching_at_once("mark_memory", "records.marks", "mark_spot", "kept_mark")
            .joining("record_write_at", "records.write_at")
            .joining("record_read_at", "records.read_at")
    },
    method: Method::Unbounded(6),
    fault_edges: 0..24,
    shortened: &[],
    claims: &[
        stays(
            "        valid <= load || (valid && !pop);\n        ready <= filled < LIMIT && !is_held_up;",
            "        valid <= load;\n        ready <= filled < LIMIT && !is_held_up;",
        ),
        record_stays_claim(
            "        read_at <= read_at + {5'd0, load};\n        valid <= load || (valid && !pop);",
            "        read_at <= read_at + {5'd0, load};\n        valid <= load;",
        ),
        in_order(
            "Beats go out as they came in, data and all, one for one: none is lost, none comes twice, none overtakes another.",
            "if (load) read_at <= read_at + 6'd1;",
            "if (load || pop) read_at <= read_at + 6'd1;",
        ),
        shaped(
            "wire [7:0] marked_keep = {s_axis_tkeep[7:1], s_axis_tlast};",
            "wire [7:0] marked_keep = {s_axis_tkeep[7:1], s_axis_tlast & s_axis_tkeep[7]};",
        ),
        never_stuck(
            axis::OFFERS,
            "wire load = (!valid || pop) && read_at != write_at;\n    wire [5:0] filled = write_at - read_at;\n\n    rewrite_rx_beat_memory",
            "wire load = !valid && read_at != write_at;\n    wire [5:0] filled = write_at - read_at;\n\n    rewrite_rx_beat_memory",
        ),
        takes_again(
            "Where every beat and every record is taken at once, the input waits for ten edges at most, also after a reset.",
            "localparam [5:0] LIMIT = 6'h10;",
            "localparam [5:0] LIMIT = 6'h0;",
        ),
        one_event(
            "Each packet has one event, in packet order, six edges after its last beat came in, and there is no other event.",
            "judge_2 <= inlet_valid && inlet_is_last;",
            "judge_2 <= inlet_valid && inlet_is_last && inlet_first;",
        ),
        Claim {
            rule: "one_record",
            source: "one record a packet",
            says: "Each packet has one record, in packet order: the i-th record is of the kind that the i-th event told, and is offered an edge \
                   after that event where none is in front of it.",
            fault: Fault::Shown(
                "        read_at <= read_at + {5'd0, load};",
                "        read_at <= read_at + {5'd0, load && !pop};",
            ),
        },
    ],
};
