//! What is proved of `flowcut`.

use super::forwarding::{Places, forwarding};
use super::{Claim, Fault, Method, Proof, Rules};

/// Order, and what it rests on: counts that never go astray and forwarding without a gap.
pub const PROOF: Proof = Proof {
    core: "flowcut",
    block: None,
    sets: &["connections=16"],
    rules,
    method: Method::Unbounded(8),
    fault_edges: 0..40,
    shortened: &[],
    claims: &[
        Claim {
            rule: "forwarded",
            source: "F9",
            says: "An op finds its connection as the last op of that connection left it, however close it follows; ops of other \
                   connections change nothing of it.",
            fault: Fault::Shown(
                "from_two_average <= ahead_two ? after_average",
                "from_two_average <= ahead_two ? written_average",
            ),
        },
        Claim {
            rule: "counted",
            source: "F4",
            says: "The counts of a connection are the bytes that left for the first time and the bytes that the last believed ACK tells of.",
            fault: Fault::Shown("wire is_first = op_send & !op_uncounted;", "wire is_first = op_send;"),
        },
        Claim {
            rule: "half_circle",
            source: "F4",
            says: "Less than 2^23 bytes are on their way, so that an old ACK is told from a new one.",
            fault: Fault::Deep("(leaves_if_hot | !is_hot) & !reaches", "(leaves_if_hot | !is_hot)"),
        },
        Claim {
            rule: "ack_of_bytes_sent",
            source: "F4",
            says: "An ACK is believed only where it tells of bytes that are on their way.",
            fault: Fault::Shown("assign reaches = sum[24];", "assign reaches = sum[24] | !(|change);"),
        },
        Claim {
            rule: "new_is_empty",
            source: "F1",
            says: "A packet gets a new EV only while nothing is on its way, or with `order_risk`.",
            fault: Fault::Shown(
                "assign order_risk = (draws | op_init) & occupied;",
                "assign order_risk = op_init & occupied;",
            ),
        },
        Claim {
            rule: "same_is_placed",
            source: "F2",
            says: "A packet keeps an EV only where one was drawn since the connection began.",
            fault: Fault::Shown(
                "wire is_new = op_send & (!flags_placed | (!occupied & !op_uncounted));",
                "wire is_new = op_send & !occupied & !op_uncounted;",
            ),
        },
        Claim {
            rule: "same_shows_the_last_new",
            source: "F2",
            says: "The EV that a packet keeps is the one that the last new one of its connection showed.",
            fault: Fault::Shown(
                "wire [15:0] sends_ev = fetch_draws ? drawn_ev : ev_ram_read_data;",
                "wire [15:0] sends_ev = ev_ram_read_data;",
            ),
        },
        Claim {
            rule: "drain_starts_once",
            source: "F6",
            says: "Between two starts of a drain of a connection it was done, given up, or the connection began anew.",
            fault: Fault::Shown(
                "assign may_start = takes_ack & !is_all & any_average & !flags_draining;",
                "assign may_start = takes_ack & !is_all & any_average;",
            ),
        },
        Claim {
            rule: "drain_holds",
            source: "F6",
            says: "With `hold` no new bytes leave while a connection drains.",
            fault: Fault::Shown(
                "wire leaves_if_hot = is_first & !(op_hold & drains_if_hot);",
                "wire leaves_if_hot = is_first;",
            ),
        },
        Claim {
            rule: "nothing_changes",
            source: "F7",
            says: "A packet that waits, a refused ACK, a `nack` and reserved kinds of op change nothing of their connection.",
            fault: Fault::Shown("assign takes_ack = op_ack & reaches;", "assign takes_ack = op_ack;"),
        },
    ],
};

const PLACES: Places = Places {
    before: &[
        "flight_found_bytes",
        "flight_occupied",
        "unused_received_found",
        "unused_averages_found",
        "averages_has_average",
        "flags_before_draining",
        "flags_before_placed",
    ],
    written: &[
        "flight_written_bytes",
        "flight_written_occupied",
        "received_written",
        "averages_written",
        "averages_has_written",
        "flags_written_draining",
        "flags_written_placed",
    ],
    connection: "op_conn",
    ready: "op_ready",
    is_cleared_by_init: false,
};

fn rules() -> Rules {
    // What an op finds on its way leaves its module only as a sum.
    let found = "    wire [22:0] flight_found_bytes;\n";
    Rules::of("", found.to_string() + &forwarding(&PLACES) + include_str!("flowcut.v"))
        .joining("flight_found_bytes", "flight.renewed_found_bytes")
        .and("flowcut_results", include_str!("flowcut_evs.v"))
        .watching("control_ram", "control_ram", "one", "stored")
        .watching("ev_ram", "results.ev_ram", "results.one", "results.stored")
}
