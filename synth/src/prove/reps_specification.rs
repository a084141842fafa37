//! The entropy cache and its specification beside it.

use super::{Claim, Fault, Method, Proof, Rules};

/// Algorithms 1 and 2 of the paper, written down once more as they stand there, one op after the other, and given the ops of one
/// connection, whichever. What the pipeline shows of that connection has to be what they say.
pub const PROOF: Proof = Proof {
    core: "reps",
    block: None,
    sets: &["connections=16", "reps.depth=8"],
    rules,
    method: Method::Unbounded(9),
    fault_edges: 0..40,
    shortened: &[],
    claims: &[
        Claim {
            rule: "sends_as_specified",
            source: "001 Algorithms 1 and 2",
            says: "Each send has a result, of its connection, with the kind and the EV that a specification gives to it, which is the two \
                   algorithms as they stand in the paper, one op after the other; an EV that is drawn is the one that the core draws.",
            fault: Fault::Shown(
                "        if (ahead_two) begin\n            from_two_count <=",
                "        if (1'b0) begin\n            from_two_count <=",
            ),
        },
        Claim {
            rule: "events_as_specified",
            source: "001 Algorithms 1 and 2",
            says: "Each op has the events that this specification gives to it: an EV was cached or dropped, freezing was entered or left.",
            fault: Fault::Shown(
                "wire is_odd = (four_sets & !three_sets) | two_sets;",
                "wire is_odd = four_sets & !three_sets;",
            ),
        },
        Claim {
            rule: "nothing_else",
            source: "001 Algorithms 1 and 2",
            says: "There is no result and no event of a connection but at the time of an op of it.",
            fault: Fault::Shown("fetch_conn <= conn;", "fetch_conn <= ~conn;"),
        },
    ],
};

fn rules() -> Rules {
    let mut rules = Rules::of("", include_str!("reps_equals.v").to_string())
        .beside(include_str!("reps_specification.v"))
        .watching("control_ram", "control_ram", "one", "word")
        .watching("ev_ram", "ev_ram", "slot_of_one", "kept")
        .joining("draw", "results.random_word")
        .watching("time_ram", "freeze.time_ram", "one", "time_there")
        .joining("cached_evs", "specification.evs");
    for state in [
        "is_valid",
        "head",
        "number_of_valid_evs",
        "explore_counter",
        "is_freezing_mode",
        "exit_freezing_mode",
        "number_of_cached_evs",
        "replayed",
    ] {
        rules = rules.joining(state, &format!("specification.{state}"));
    }
    rules
}
