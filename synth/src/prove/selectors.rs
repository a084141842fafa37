//! What is proved of the path selectors that stand on the common pipeline.

use super::forwarding::{Places, forwarding};
use super::{Claim, Fault, Method, Proof, Rules};

/// The proof of such a selector: the state of a connection by its fields, the rules of its own, and the claims.
macro_rules! selector {
    ($name:ident, $core:literal $(with $set:literal)?, [$($field:literal),+], $rules:expr, $claims:expr) => {
        pub const $name: Proof = Proof {
            core: $core,
            block: None,
            sets: &["connections=16" $(, $set)?],
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

/// The order that has no state: what comes out for each send, and nothing is kept.
pub const OPS_RANDOM: Proof = Proof {
    core: "ops",
    block: None,
    sets: &["connections=16", "ops.order=random"],
    rules: || {
        Rules::of("", [include_str!("begin.v"), include_str!("ops_random.v")].concat())
            .joining("generator", "pipeline.draws.random.state")
    },
    method: Method::Unbounded(8),
    claims: &[
        Claim {
            rule: "each_send_has_a_result",
            source: "results in order",
            says: "Each send has one result, six edges later, with its connection and the kind 0; no other op has one.",
            fault: Fault::Shown("fetch_sent <= write_sent;", "fetch_sent <= sent;"),
        },
        Claim {
            rule: "words_in_turn",
            source: "001 (REPS) section 2.2",
            says: "The sends of all connections have the words of the random generator, one after the other: none is left out, and none comes twice.",
            fault: Fault::Shown("wire random_step = draw | !is_ahead;", "wire random_step = !is_ahead;"),
        },
    ],
    fault_edges: 0..40,
    shortened: &[],
};

selector!(
    OPS_PERMUTED,
    "ops" with "ops.order=permuted",
    ["index", "word", "drawn"],
    include_str!("ops_permuted.v"),
    &[
        forwarded("from_two_index <= after_index;", "from_two_index <= written_index;"),
        SHOWN_AS_DECIDED,
        Claim {
            rule: "each_path_once",
            source: "each path once a round",
            says: "No two sends of a round, which is as many sends of a connection as there are paths, have the same path.",
            fault: Fault::Shown(
                "assign draw = send & (!state_drawn | (&state_index));",
                "assign draw = send & (!state_drawn | state_index[0]);",
            ),
        },
        Claim {
            rule: "last_path_left",
            source: "each path once a round",
            says: "The last send of a round has the path that none before it had.",
            fault: Fault::Deep("assign ev = word ^ {8'd0, state_index};", "assign ev = word ^ {8'd0, state_index & 8'hfe};"),
        },
        Claim {
            rule: "set_stays",
            source: "one set of paths a connection",
            says: "The bits of the EV above the path are the same in all sends of a connection.",
            fault: Fault::Shown("wire [15:0] word = send & !state_drawn ? fresh_ev : state_word;", "wire [15:0] word = send ? fresh_ev : state_word;"),
        },
    ]
);

selector!(
    ECMP,
    "ecmp",
    ["ev", "drawn"],
    concat!(include_str!("ev_stays.v"), include_str!("draws_once.v")),
    &[
        forwarded("from_two_ev <= after_ev;", "from_two_ev <= written_ev;"),
        SHOWN_AS_DECIDED,
        ev_stays("after_ev = draw ? fresh_ev : state_ev;", "after_ev = state_ev;"),
        Claim {
            rule: "draws_once",
            source: "one EV a connection",
            says: "An EV is drawn for the first send of a connection, and for no other.",
            fault: Fault::Shown("after_drawn = draw || state_drawn;", "after_drawn = state_drawn;"),
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
            fault: Fault::Shown("(following >= op_count ?", "(following > op_count ?"),
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
