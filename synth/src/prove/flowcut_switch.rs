//! What is proved of `flowcut_switch`.

use super::forwarding::{Places, forwarding};
use super::{Claim, Fault, Method, Proof, Rules};

/// Order, and what it rests on: bytes that never go astray, and forwarding without a gap.
pub const PROOF: Proof = Proof {
    core: "flowcut_switch",
    block: None,
    sets: &["flowcut_switch.buckets=512", "flowcut_switch.uplinks=8"],
    rules,
    method: Method::Unbounded(12),
    fault_edges: 6..40,
    shortened: &[
        ("ready <= ready | (&write_conn);", "ready <= ready | (&write_conn[1:0]);"),
        ("assume (is_begun || rst);", "assume ((is_begun || rst) && one < 9'd4);"),
    ],
    claims: &[
        Claim {
            rule: "forwarded",
            source: "F9",
            says: "An op, and a visit of the walker, finds its bucket as the last one left it, however close it follows; ops of other buckets \
                   change nothing of it.",
            fault: Fault::Shown(
                "from_two_in_flight <= after_in_flight;",
                "from_two_in_flight <= written_in_flight;",
            ),
        },
        Claim {
            rule: "counted",
            source: "F4",
            says: "The bytes of a bucket are those sent less those acknowledged since the walker last emptied it; where they are more than 24 bits \
                   hold, the bucket is marked until the walker empties it.",
            fault: Fault::Shown("after_in_flight = fewer[23:0];", "after_in_flight = state_in_flight;"),
        },
        Claim {
            rule: "ack_of_this_flowcut",
            source: "F4",
            says: "An ACK is believed only where bytes are on their way, of the flowcut that they belong to, and for no more than these.",
            fault: Fault::Shown("& (fields_epoch == state_epoch) &", "&"),
        },
        Claim {
            rule: "new_is_empty",
            source: "F1",
            says: "A packet begins a flowcut only while no byte of its bucket is on its way.",
            fault: Fault::Shown(
                "wire is_empty = !(|state_in_flight);",
                "wire is_empty = !(|state_in_flight[23:8]);",
            ),
        },
        Claim {
            rule: "same_shows_the_last_new",
            source: "F2",
            says: "A packet of kind `same` leaves by the uplink that the last `new` or `forced` one of its bucket showed.",
            fault: Fault::Shown(
                "assign after_port = is_new | order_risk ? least : state_port;",
                "assign after_port = op_routed ? least : state_port;",
            ),
        },
        Claim {
            rule: "drain_starts_once",
            source: "F6",
            says: "Between two `xoff` of a bucket stands one `xon`, and between two `xon` one `xoff`.",
            fault: Fault::Shown(
                "assign xon = (empties | entry_cleared) & draining;",
                "assign xon = empties | entry_cleared;",
            ),
        },
        Claim {
            rule: "nothing_changes",
            source: "F7",
            says: "A packet without a route and a refused ACK change nothing of their bucket, `load` and `set_min` nothing of any.",
            fault: Fault::Shown(
                "        if (op_routed) begin\n            after_in_flight",
                "        if (op_data) begin\n            after_in_flight",
            ),
        },
    ],
};

const PLACES: Places = Places {
    before: &[
        "newest_before_in_flight",
        "newest_before_port",
        "newest_before_epoch",
        "newest_before_average",
        "newest_before_has_average",
        "newest_before_saturated",
        "newest_before_heard",
        "newest_before_age",
        "drain_previous",
    ],
    written: &[
        "newest_written_in_flight",
        "newest_written_port",
        "newest_written_epoch",
        "newest_written_average",
        "newest_written_has_average",
        "newest_written_saturated",
        "newest_written_heard",
        "newest_written_age",
        "drain_written",
    ],
    connection: "op_bucket",
    ready: "ops_ready",
    is_cleared_by_init: false,
};

fn rules() -> Rules {
    Rules::of("", forwarding(&PLACES) + include_str!("flowcut_switch.v")).watching(
        "control_ram",
        "control_ram",
        "one",
        "stored",
    )
}
