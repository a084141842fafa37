//! What is proved of the path selectors that stand on the common pipeline.

use super::forwarding::{Places, forwarding};
use super::{Claim, Fault, Method, Proof, Rules};

/// The proof of such a selector: the state of a connection by its fields, the rules of its own, and the claims.
macro_rules! selector {
    ($name:ident, $core:literal, [$($field:literal),+], $rules:expr, $claims:expr) => {
        pub const $name: Proof = Proof {
            core: $core,
            block: None,
            sets: &["connections=16"],
            rules: || {
                let places = Places {
                    before: &[$(concat!("before_", $field)),+],
                    written: &[$(concat!("newest_written_", $field)),+],
                    connection: "op_conn",
                    ready: "op_ready",
                    is_cleared_by_init: true,
                };
                Rules::of("pipeline", forwarding(&places) + include_str!("results.v") + $rules).watching(
                    "control_ram",
                    "pipeline.control_ram",
                    "pipeline.one",
                    "pipeline.stored",
                )
            },
            method: Method::Unbounded(8),
            claims: $claims,
            fault_edges: 0..40,
            shortened: &[],
        };
    };
}

/// What an op finds, which is broken by a state that comes from the wrong stage.
const fn forwarded(right: &'static str, wrong: &'static str) -> Claim {
    Claim {
        rule: "forwarded",
        source: "one op after the other",
        says: "An op finds its connection as the last op of that connection left it, however close it follows, and after `init` without a past; \
               ops of other connections change nothing of it.",
        fault: Fault::Shown(right, wrong),
    }
}

const SHOWN_AS_DECIDED: Claim = Claim {
    rule: "shown_as_decided",
    source: "results in order",
    says: "The outputs show of each send what was decided of it, three edges later, and show nothing else.",
    fault: Fault::Shown("fetch_sent <= write_sent;", "fetch_sent <= sent;"),
};

/// Of a selector that keeps an EV, which is broken by another EV.
const fn ev_stays(right: &'static str, wrong: &'static str) -> Claim {
    Claim {
        rule: "ev_stays",
        source: "one EV until the next draw",
        says: "A send that draws no EV has the EV that was drawn last for its connection, and one was drawn since it began.",
        fault: Fault::Shown(right, wrong),
    }
}

selector!(
    ECMP,
    "ecmp",
    ["ev", "drawn"],
    concat!(include_str!("ev_stays.v"), include_str!("draws_once.v")),
    &[
        forwarded("from_two_ev <= after_ev;", "from_two_ev <= written_ev;"),
        SHOWN_AS_DECIDED,
        ev_stays("after_ev = fresh_ev;", "after_ev = state_ev;"),
        Claim {
            rule: "draws_once",
            source: "one EV a connection",
            says: "An EV is drawn for the first send of a connection, and for no other.",
            fault: Fault::Shown("after_drawn = 1'b1;", "after_drawn = state_drawn;"),
        },
    ]
);

selector!(
    SUBFLOWS,
    "subflows",
    ["base", "drawn", "place"],
    include_str!("subflows.v"),
    &[
        forwarded("from_two_place <= after_place;", "from_two_place <= written_place;"),
        SHOWN_AS_DECIDED,
        Claim {
            rule: "in_turn",
            source: "subflows take turns",
            says: "The EVs of a connection follow each other from the first one on, as many of them as there are subflows, and then from the first \
                   one again.",
            fault: Fault::Shown("if (following >= op_count) begin", "if (following > op_count) begin"),
        },
    ]
);

selector!(
    MPRDMA,
    "mprdma",
    ["ev", "room"],
    include_str!("mprdma.v"),
    &[
        forwarded("from_two_ev <= after_ev;", "from_two_ev <= written_ev;"),
        SHOWN_AS_DECIDED,
        Claim {
            rule: "latest_feedback",
            source: "the EV of the latest ACK",
            says: "A send takes the EV of the latest ACK or NACK where the latest ACK left room in the window, and draws one where it did not.",
            fault: Fault::Shown(
                "assign after_room = op_ack ? op_room : state_room;",
                "assign after_room = op_ack ? op_room : state_room & !op_names;",
            ),
        },
    ]
);

selector!(
    FLOWLET,
    "flowlet",
    ["ev", "drawn", "heard"],
    include_str!("ev_stays.v"),
    &[
        forwarded("from_two_ev <= after_ev;", "from_two_ev <= written_ev;"),
        SHOWN_AS_DECIDED,
        ev_stays("(is_gap | !arriving_drawn)", "is_gap"),
    ]
);

selector!(
    PLB,
    "plb",
    ["ev", "drawn", "in_round", "timed_out", "sum", "rounds"],
    include_str!("ev_stays.v"),
    &[
        forwarded("from_two_sum <= after_sum;", "from_two_sum <= written_sum;"),
        SHOWN_AS_DECIDED,
        ev_stays(
            "(op_send & (!state_drawn | (state_rounds > op_rounds)))",
            "(op_send & (state_rounds > op_rounds))"
        ),
    ]
);
