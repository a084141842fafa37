//! What is proved of the entropy cache.

use super::{Claim, Fault, Method, Proof, Rules};

/// The ring of EVs beside valid bits as the paper has them.
pub const PROOF: Proof = Proof {
    core: "reps",
    block: None,
    sets: &["connections=16", "reps.depth=4"],
    rules: || {
        Rules::of("", include_str!("reps.v").to_string())
            .watching("control_ram", "control_ram", "one", "stored")
            .watching("ev_ram", "ev_ram", "slot_of_one", "kept")
    },
    method: Method::Unbounded(9),
    fault_edges: 0..40,
    shortened: &[],
    claims: &[
        Claim {
            rule: "isolated",
            source: "state of a connection",
            says: "What is stored of a connection that decides its answers, the places of its ring and its flags, is at any time what its own ops \
                   alone have made of it: ops of other connections change nothing of what it will answer.",
            fault: Fault::Shown(
                "wire same_one = read_valid & (op_conn == read_conn);",
                "wire same_one = read_valid;",
            ),
        },
        Claim {
            rule: "valid_set",
            source: "001 Algorithms 1 and 2",
            says: "The valid slots of a ring are those from `num_valid` places before its head up to the head, and never more than there are slots.",
            fault: Fault::Shown(
                "wire tail_up = recycle | turns | (cache & all_valid);",
                "wire tail_up = recycle | turns;",
            ),
        },
        Claim {
            rule: "oldest_first",
            source: "001 Algorithm 2",
            says: "A recycled EV is the oldest valid one: EVs leave in the order in which they came.",
            fault: Fault::Shown("state_replay_slot : state_tail;", "state_replay_slot : state_head;"),
        },
        Claim {
            rule: "sent_slot_is_filled",
            source: "001 Algorithm 2",
            says: "A slot in which no EV was cached since the connection began is never sent.",
            fault: Fault::Shown(
                "wire last_walk = (replay_1 == state_head) & !state_full;",
                "wire last_walk = 1'b0;",
            ),
        },
        Claim {
            rule: "sends_what_was_cached",
            source: "001 Algorithms 1 and 2",
            says: "The EV of a recycled or replayed slot is the one of the last ACK that was cached in it.",
            fault: Fault::Shown(".write_data(states_ev)", ".write_data(op_ev)"),
        },
        Claim {
            rule: "caches_at_head",
            source: "001 Algorithm 1",
            says: "The EV of an ACK without a mark goes into the slot at the head, and that of no other op into any.",
            fault: Fault::Shown(
                "assign write_slot = empties ? 2'd0 : state_head;",
                "assign write_slot = state_tail;",
            ),
        },
        Claim {
            rule: "send_once",
            source: "001 Algorithm 2",
            says: "A send explores, recycles or replays, one of them, and no other op does.",
            fault: Fault::Shown(
                "assign recycle = send & !state_exploring & may_recycle;",
                "assign recycle = send & may_recycle;",
            ),
        },
        Claim {
            rule: "explores",
            source: "001 Algorithm 2",
            says: "A send explores only while a BDP is explored, or without a valid EV where it is not freezing or has cached none at all.",
            fault: Fault::Shown(
                "assign explore = send & (state_exploring | !(may_recycle | may_replay));",
                "assign explore = send;",
            ),
        },
        Claim {
            rule: "replays",
            source: "001 Algorithm 2",
            says: "A send replays only while its connection freezes and has no valid EV.",
            fault: Fault::Shown(
                "wire may_replay = state_any_cached & state_freezing & !state_any_valid;",
                "wire may_replay = state_any_cached & !state_any_valid;",
            ),
        },
        Claim {
            rule: "freezes",
            source: "001 Algorithm 1",
            says: "A timeout enters freezing where the connection neither freezes nor explores a BDP, and nothing else does.",
            fault: Fault::Shown(
                "assign enter = timeout & !state_freezing & !state_exploring;",
                "assign enter = timeout & !state_freezing;",
            ),
        },
        Claim {
            rule: "thaws",
            source: "001 Algorithm 1",
            says: "Only an ACK without a mark ends freezing.",
            fault: Fault::Shown(
                "assign leave = cache & state_freezing & past;",
                "assign leave = cache & past;",
            ),
        },
    ],
};
