//! What is proved of the packets in flight of `sack_tx`, in its small structure.

use super::{Claim, Fault, Method, Proof, Rules, sack_tx};

/// Which PSNs are acknowledged, and how many are in flight. All words of a connection are watched, and each op is looked at by itself,
/// because what it counts lies in all of them.
pub const PROOF: Proof = Proof {
    rules,
    method: Method::OpByOp(24),
    fault_edges: 1..24,
    shortened: &[],
    claims: &[
        Claim {
            rule: "acked_as_told",
            source: "design, `sack_tx`",
            says: "Of the PSNs from `snd_una` to `snd_nxt` those count as acknowledged that did so before, and those that a `sack` of \
                   status 0 shows as received; no other op marks any.",
            fault: Fault::Shown("stores_next = stored | touched;", "stores_next = touched;"),
        },
        Claim {
            rule: "in_flight_counts",
            source: "design, `sack_tx`",
            says: "In flight is what is sent, not acknowledged and not claimed for retransmission, and the count changes as these PSNs \
                   do: a `sent` or a `next_rtx` of status 0 adds one, a `sack` takes away those that it acknowledges, and where recovery \
                   begins they are those from the end of its range on; after `init` and a timeout there are none, and nothing else \
                   changes them. So the count is their number.",
            fault: Fault::Shown(
                "wire [6:0] less = is_sack ? {2'd0, landed} : 7'h7f;",
                "wire [6:0] less = is_sack ? {2'd0, newly} : 7'h7f;",
            ),
        },
    ],
    ..sack_tx::PROOF
};

fn rules() -> Rules {
    Rules::of("", include_str!("sack_tx_flight.v").to_string())
        .watching("control_ram", "control_ram", "one", "stored")
        .watched("acked_ram", include_str!("words_of_four.v"), "acked_ram", "one", "acked")
        .joining("is_forced", "steps.is_forced")
        .joining("is_walking", "walk.walking")
        .joining("is_read", "walk.read")
        .joining("behind_walk", "steps.after_walk")
        .joining("number", "walk.number")
        .joining("second", "walk.second")
        .joining("in_base", "walk.in_base")
        .joining("lands_next", "word.of_interest")
}
