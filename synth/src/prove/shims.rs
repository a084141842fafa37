//! What is proved of `shim_push` and `shim_pop`: their packets as beats of AXI4-Stream.

use super::axis::{self, in_order, never_stuck, one_event, record_stays_claim, shaped, stays, takes_again};
use super::{Claim, Fault, Method, Proof, Rules};

/// A beat as it goes into the queue, and as it is offered.
const BEAT: (&str, &str) = (
    "{user, marked_keep, named_zeroed}",
    "{m_axis_tuser, m_axis_tkeep[$bits(m_axis_tkeep)-1:1], m_axis_tlast, m_axis_tdata}",
);

/// The memory of the queue, of which one beat is watched.
fn queue(rules: String) -> Rules {
    Rules::of("", rules).watching_enabled("beat_memory", "beats.memory", "spot", "kept_beat")
}

const QUEUE_IN_ORDER: &str = "The i-th beat that is made, data and all, is the i-th one that goes out: none is lost, none comes twice, none \
                              overtakes another.";

const PACKETS_IN_ORDER: &str = "Each packet that came in goes out as one packet, in order, `tuser` of its last beat as it came in with its last \
                                one, and the last beat is made within twelve edges after the last one came in.";

const ONE_EVENT: &str = "Each packet has one event, in packet order, within twelve edges after its last beat came in, and there is no other event.";

const WAITS: &str = "Where all that is offered is taken at once, the input waits for three edges at most, also after a reset.";

/// A fault: each beat is given up after an edge, whether it was taken or not.
const GIVES_UP: (&str, &str) =
    ("wire beats_pop = m_axis_tvalid && m_axis_tready;", "wire beats_pop = m_axis_tvalid;");

/// The beat in which `shim_push` and `shim_pop` mark a packet's last one.
const LAST: &str = "wire [7:0] marked_keep = {keep[7:1], is_last};";

/// A fault: the queue never lets anything in.
const NO_ROOM: (&str, &str) = ("localparam [5:0] LIMIT = 6'h14;", "localparam [5:0] LIMIT = 6'h0;");

/// Of `shim_push`, for all time.
pub const PUSH: Proof = Proof {
    core: "shim_push",
    block: None,
    sets: &["bus_bits=64"],
    rules: || Rules::of("", axis::input() + &axis::output_stays()),
    method: Method::Unbounded(2),
    fault_edges: 0..18,
    shortened: &[],
    claims: &[stays(GIVES_UP.0, GIVES_UP.1)],
};

/// Of `shim_push`, from power-up.
pub const PUSH_PACKETS: Proof = Proof {
    rules: || {
        let events = "pkt_inserted + pkt_patched + pkt_passed + pkt_refused + pkt_malformed";
        queue(
            axis::beats("leaves", BEAT.0, BEAT.1)
                + include_str!("axis_offers.v")
                + &packets(events, "m_axis_tready")
                + include_str!("shim_push_packets.v"),
        )
    },
    method: Method::Bounded(18),
    claims: &[
        in_order(
            QUEUE_IN_ORDER,
            "if (load) read_at <= read_at + 6'd1;",
            "if (load || pop) read_at <= read_at + 6'd1;",
        ),
        Claim {
            rule: "none_is_lost",
            source: "a beat in, the beat out",
            says: "Where a packet becomes longer by a beat or two, these are made at edges at which the next packet has no beat to make.",
            fault: Fault::Shown(
                "wire beats_is_held_up = pauses || pauses_again;",
                "wire beats_is_held_up = pauses_again;",
            ),
        },
        shaped(LAST, "wire [7:0] marked_keep = {keep[7:1], is_tail};"),
        packets_in_order(
            "wire user = is_tail ? user_before : window_user_at_0;",
            "wire user = is_tail ? 1'b0 : window_user_at_0;",
        ),
        one_event(ONE_EVENT, "wire ends = is_there && window_is_last_at_0;", "wire ends = is_there;"),
        never_stuck(
            axis::OFFERS,
            "wire load = (!valid || pop) && read_at != write_at;",
            "wire load = !valid && read_at != write_at;",
        ),
        takes_again(WAITS, NO_ROOM.0, NO_ROOM.1),
    ],
    ..PUSH
};

/// Of `shim_pop`, for all time.
pub const POP: Proof = Proof {
    core: "shim_pop",
    block: None,
    sets: &["bus_bits=64"],
    rules: || {
        let rules = axis::beats("beats_push", BEAT.0, BEAT.1)
            + &axis::output_stays()
            + &axis::record_stays(&RECORD)
            + include_str!("axis_offers.v")
            + include_str!("axis_queue.v")
            + include_str!("shim_pop.v");
        queue(rules).joining("write_at", "beats.write_at").joining("read_at", "beats.read_at")
    },
    method: Method::Unbounded(4),
    fault_edges: 0..18,
    shortened: &[],
    claims: &[
        stays(GIVES_UP.0, GIVES_UP.1),
        record_stays_claim("wire records_pop = meta_valid && meta_ready;", "wire records_pop = meta_valid;"),
        in_order(
            QUEUE_IN_ORDER,
            ".read_address(read_at[4:0]), .read_data(head)",
            ".read_address(write_at[4:0]), .read_data(head)",
        ),
        never_stuck(
            axis::OFFERS,
            "wire load = (!valid || pop) && read_at != write_at;\n    wire [5:0] filled = write_at - read_at;\n\n    shim_pop_beat_memory",
            "wire load = !valid && read_at != write_at;\n    wire [5:0] filled = write_at - read_at;\n\n    shim_pop_beat_memory",
        ),
    ],
};

/// Of `shim_pop`, from power-up.
pub const POP_PACKETS: Proof = Proof {
    rules: || {
        let events = "pkt_popped + pkt_kept + pkt_plain + pkt_unknown + pkt_malformed";
        queue(
            axis::beats("beats_push", BEAT.0, BEAT.1).replace("in_order:", "lemma_in_order:")
                + &packets(events, "m_axis_tready && meta_ready")
                + include_str!("shim_pop_packets.v"),
        )
    },
    method: Method::Bounded(18),
    claims: &[
        shaped(LAST, "wire [7:0] marked_keep = {keep[7:1], window_is_last_at_0};"),
        packets_in_order(
            "if (!window_is_last_at_1) user = window_user_at_2;",
            "if (!window_is_last_at_1) user = window_user_at_1;",
        ),
        one_event(
            ONE_EVENT,
            "wire ends = window_valid_0 && window_is_last_at_0;",
            "wire ends = window_valid_0;",
        ),
        Claim {
            rule: "one_record",
            source: "one record a packet",
            says: "Each packet has one record, in packet order, which is offered an edge after the event of its packet where none is in front of \
                   it.",
            fault: Fault::Shown(".push(is_ended),", ".push(is_ended && ended_record_kind != 3'd7),"),
        },
        takes_again(WAITS, NO_ROOM.0, NO_ROOM.1),
    ],
    ..POP
};

/// The fields of a record of `shim_pop`.
const RECORD: [&str; 14] = [
    "meta_kind",
    "meta_error",
    "meta_bytes",
    "shim_hops",
    "shim_epoch",
    "shim_timestamp",
    "shim_hash",
    "shim_bytes",
    "shim_enable",
    "shim_hop",
    "shim_path",
    "shim_len",
    "shim_ce",
    "shim_dst",
];

/// The rules of whole packets, of a core with these events, whose outputs are all taken where `taken` is high.
fn packets(events: &str, taken: &str) -> String {
    include_str!("shim_packets.v").replace("EVENTS", events).replace("TAKEN", taken)
}

const fn packets_in_order(right: &'static str, wrong: &'static str) -> Claim {
    Claim {
        rule: "packets_in_order",
        source: "a packet in, the packet out",
        says: PACKETS_IN_ORDER,
        fault: Fault::Shown(right, wrong),
    }
}
