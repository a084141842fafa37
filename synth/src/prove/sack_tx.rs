//! What is proved of `sack_tx`, in its small structure.

use super::{Claim, Fault, Method, Proof, Rules};

/// The range of PSNs that are on their way.
pub const PROOF: Proof = Proof {
    core: "sack_tx",
    block: None,
    sets: &["connections=16", "sack.window=64", "sack.engine=small"],
    rules,
    // so long that a `sack` which is refused in its step 9 begins within them, and what it found of its connection is known
    method: Method::Unbounded(12),
    fault_edges: 6..45,
    shortened: &[
        ("wire clear_done = clearing & (&conn);", "wire clear_done = clearing & conn[0];"),
        ("assume (is_begun || rst);", "assume ((is_begun || rst) && one < 4'd2);"),
    ],
    claims: &[IN_WINDOW, AS_TOLD, SENT_IN_TURN, CLOSED_REFUSES],
};

pub const IN_WINDOW: Claim = Claim {
    rule: "in_window",
    source: "design, `sack_tx`",
    says: "`snd_una` is at most `snd_nxt`, and that is at most a window ahead, modulo 2^24; a `sack` of status 0 has an EPSN from the one up \
           to the other.",
    fault: Fault::Deep("if (far | !reached)", "if (far)"),
};

pub const AS_TOLD: Claim = Claim {
    rule: "as_told",
    source: "design, `sack_tx`",
    says: "`snd_nxt` moves by 1 with each `sent` of status 0, `snd_una` becomes the EPSN of each `sack` of status 0, both are the PSN of an \
           `init`, a `close` ends them, and nothing else changes them: no op that is refused, none of another connection, no visit.",
    fault: Fault::Shown(
        "wire [6:0] nxt_recede_place = stored_nxt + {6'd0, is_sent};",
        "wire [6:0] nxt_recede_place = stored_nxt;",
    ),
};

pub const SENT_IN_TURN: Claim = Claim {
    rule: "sent_in_turn",
    source: "design, `sack_tx`",
    says: "A `sent` has status 0 only on a connection that was initialised, with the PSN `snd_nxt`, and while the window is not full.",
    fault: Fault::Shown("(is_full ? 3'd3 : 3'd0) : 3'd1)", "(is_full ? 3'd3 : 3'd0) : 3'd0)"),
};

pub const CLOSED_REFUSES: Claim = Claim {
    rule: "closed_refuses",
    source: "design, `sack_tx`",
    says: "Of a connection that was closed, or saw no `init` yet, no op has another status than 7, and neither an op nor a visit has an event.",
    fault: Fault::Shown("!(steps_clearing | steps_is_close)", "!steps_clearing"),
};

/// How many packets are in flight: of one PSN, whichever, whether it is, before and after each op, and how the op changes the count. An op
/// changes it by the PSNs that begin or cease to be in flight, so it is at any time the number of those that are.
pub const IN_FLIGHT: Proof = Proof {
    rules: flight,
    method: Method::EachOp(28),
    fault_edges: 0..28,
    shortened: &[],
    claims: &[
        flies(
            "none_flies_anew",
            "Behind an `init` no PSN is in flight, and the count is 0.",
            "if ((step_2 & (!initialised | is_init)) | (step_7 & timeout))",
            "if ((step_2 & !initialised) | (step_7 & timeout))",
        ),
        flies(
            "sent_flies",
            "A `sent` of status 0 puts its PSN in flight, which was not before, and counts one more; no other PSN begins to be or ceases.",
            "wire [6:0] less = is_sack ? {2'd0, landed} : 7'h7f;",
            "wire [6:0] less = is_sack ? {2'd0, landed} : 7'h01;",
        ),
        flies(
            "ones_counted",
            "Of each word of the ring that a `sack` of status 0 walks over, as many are taken for landed as bits of it are found to be.",
            "{2'd0, sixes_0_count} + {2'd0, sixes_1_count}",
            "{2'd0, sixes_0_count} | {2'd0, sixes_1_count}",
        ),
        flies(
            "acked_land",
            "A `sack` of status 0 by which nothing is held for lost finds the bits of those PSNs that it takes out of flight, each once, puts none \
             in flight, and the count is less by as many as are taken for landed.",
            "missing & claimed : missing & ~claimed;",
            "missing & claimed : missing;",
        ),
        flies(
            "held_for_lost",
            "A `sack` or a visit by which the PSNs below the end of the range are held for lost leaves those in flight that were sent from that \
             end on, and they are all counted: the count is what lies between that end and `snd_nxt`.",
            "in_flight <= after_mark;",
            "in_flight <= rest;",
        ),
        flies(
            "again_flies",
            "A `next_rtx` that gives a PSN puts it in flight, which was not before, and counts one more; no other PSN begins to be or ceases.",
            "(settle & is_next_rtx & found))",
            "(settle & is_next_rtx & ok))",
        ),
        flies(
            "others_stay",
            "An op that is refused, a `read`, a visit by which nothing is held for lost, and whatever is done to other connections changes \
             neither the count nor which PSNs are in flight.",
            "& (op_status_ok | steps_is_visit | steps_is_init);",
            "& (res_valid | steps_is_visit | steps_is_init);",
        ),
        flies(
            "is_shown",
            "`res_in_flight` of a result of status 0 is the count behind the op.",
            "steps_done\n        & (!steps_is_read | steps_is_close)",
            "steps_done\n        & (!steps_is_sent | steps_is_close)",
        ),
    ],
    ..PROOF
};

const fn flies(rule: &'static str, says: &'static str, right: &'static str, wrong: &'static str) -> Claim {
    Claim { rule, source: "design, `sack_tx`", says, fault: Fault::Shown(right, wrong) }
}

fn rules() -> Rules {
    of_ops(&from_reset(include_str!("sack_tx_small.v")))
}

/// Another place of the same connection's ring is watched, too.
fn flight() -> Rules {
    of_ops(include_str!("sack_tx_flight.v"))
        .watching("acked_ram", "acked_ram", "word_of_spot", "acked_word")
        .joining("landing", "word.of_interest")
}

/// Rules of the small structure, that know how an op begins.
fn of_ops(text: &str) -> Rules {
    of_stored(&[include_str!("sack_tx_begins.v"), text].concat())
        .joining("is_walking", "walk.walking")
        .joining("number", "walk.number")
        .joining("second", "walk.second")
        .joining("behind_walk", "steps.after_walk")
        .joining("is_forced", "steps.is_forced")
        .joining("is_read", "walk.read")
}

/// Rules that hold from a reset on.
pub fn from_reset(text: &str) -> String {
    [include_str!("begin.v"), text].concat()
}

/// Rules of what is stored of a connection, whose word either structure keeps.
pub fn of_stored(text: &str) -> Rules {
    Rules::of("", [include_str!("sack_tx_stored.v"), text].concat()).watching(
        "control_ram",
        "control_ram",
        "one",
        "stored",
    )
}
