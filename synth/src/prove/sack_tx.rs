//! What is proved of `sack_tx`, in its small structure.

use super::{Claim, Fault, Method, Proof, Rules};

/// The range of PSNs that are on their way.
pub const PROOF: Proof = Proof {
    core: "sack_tx",
    block: None,
    sets: &["connections=16", "sack.window=64", "sack.engine=small"],
    rules,
    method: Method::Unbounded(8),
    fault_edges: 6..45,
    shortened: &[
        ("wire clear_done = clearing & (&conn);", "wire clear_done = clearing & conn[0];"),
        ("assume (is_begun || rst);", "assume ((is_begun || rst) && one < 4'd2);"),
    ],
    claims: &[IN_WINDOW, AS_TOLD, SENT_IN_TURN],
};

pub const IN_WINDOW: Claim = Claim {
    rule: "in_window",
    source: "design, `sack_tx`",
    says: "`snd_una` is at most `snd_nxt`, and that is at most a window ahead, modulo 2^24; a `sack` of status 0 has an EPSN from the one up \
           to the other.",
    fault: Fault::Deep("if (far | !reached) begin", "if (far) begin"),
};

pub const AS_TOLD: Claim = Claim {
    rule: "as_told",
    source: "design, `sack_tx`",
    says: "`snd_nxt` moves by 1 with each `sent` of status 0, `snd_una` becomes the EPSN of each `sack` of status 0, both are the PSN of an \
           `init`, and nothing else changes them: no op that is refused, none of another connection, no visit.",
    fault: Fault::Shown(
        "wire [6:0] nxt_recede_place = stored_nxt + {6'd0, is_sent};",
        "wire [6:0] nxt_recede_place = stored_nxt;",
    ),
};

pub const SENT_IN_TURN: Claim = Claim {
    rule: "sent_in_turn",
    source: "design, `sack_tx`",
    says: "A `sent` has status 0 only on a connection that was initialised, with the PSN `snd_nxt`, and while the window is not full.",
    fault: Fault::Shown(
        "                if (!far & reached) begin\n                    status <= 3'd1;",
        "                if (!far & reached) begin\n                    status <= 3'd0;",
    ),
};

fn rules() -> Rules {
    of_stored(include_str!("sack_tx_small.v"))
        .joining("is_walking", "walk.walking")
        .joining("number", "walk.number")
        .joining("second", "walk.second")
        .joining("behind_walk", "steps.after_walk")
        .joining("is_forced", "steps.is_forced")
        .joining("is_read", "walk.read")
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
