//! What is proved of `sack_tx`, in its fast structure.

use super::sack_tx as small;
use super::{Claim, Fault, Method, Proof, Rules};

/// The same range of PSNs as of the small structure, and that results come in order though the last steps of an op stand beside the first
/// ones of the next.
pub const PROOF: Proof = Proof {
    sets: &["connections=16", "sack.window=64", "sack.engine=fast"],
    rules,
    method: Method::Unbounded(17),
    claims: &[
        Claim {
            fault: Fault::Shown("assign reached = !difference[7];", "assign reached = 1'b1;"),
            ..small::IN_WINDOW
        },
        small::AS_TOLD,
        small::SENT_IN_TURN,
        Claim {
            says: "Of a connection that was closed, or saw no `init` yet, every op but `init` and `close` is refused.",
            ..small::CLOSED_REFUSES
        },
        Claim {
            rule: "results_in_order",
            source: "results in order",
            says: "Each op but `init` has one result, of its connection, in the order in which ops were taken; the status of a `sent` is \
                   as it was when the op was done, and no result comes together with an event of a visit.",
            fault: Fault::Shown("wire settled = !step[0] & !step[1];", "wire settled = !step[1];"),
        },
        Claim {
            rule: "each_has_a_result",
            source: "results in order",
            says: "While an op or a visit is in work, the result of the op before it is owed for the first two edges at most.",
            fault: Fault::Shown("shows <= step[5] & step[0];", "shows <= step[5] & step[0] & op_valid;"),
        },
    ],
    ..small::PROOF
};

fn rules() -> Rules {
    small::of_stored(&small::from_reset(include_str!("sack_tx_fast.v")))
        .joining("is_forced", "steps.is_forced")
        .joining("is_walking", "walk.walking")
        .joining("is_writing", "walk.writes")
        .joining("behind_walk", "steps.after_walk")
}
