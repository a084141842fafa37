//! What is proved of `sack_rx`, in its small structure.

use super::{Claim, Fault, Method, Proof, Rules};

/// The window of a connection: EPSN, the bits, and the counts. One place of the window is watched, whichever; so of each PSN it is shown
/// how its bit changes, and of the count of packets out of order that it changes by as much as all bits together do.
pub const PROOF: Proof = Proof {
    core: "sack_rx",
    block: None,
    sets: &["connections=16", "sack.window=64", "sack.engine=small"],
    rules,
    method: Method::Unbounded(12),
    fault_edges: 7..40,
    shortened: &[
        ("wire clear_done = clearing & (&conn);", "wire clear_done = clearing & conn[0];"),
        ("assign filled = &count;", "assign filled = &count[1:0];"),
        (
            "assume (is_begun || rst);",
            "assume ((is_begun || rst) && one < 4'd2 && (!steps_fill || res_conn != one || spot_of_fill < 6'd4));",
        ),
    ],
    claims: &[
        INIT_EMPTIES,
        STATUS_AS_RECEIVED,
        BIT_0_IS_CLEAR,
        EPSN_GOES_FORWARD,
        RUN_WAS_RECEIVED,
        BITS_CHANGE,
        OOO_COUNTS,
        BYTES_COUNT,
        NOTHING_CHANGES,
        CLOSED_TAKES_NOTHING,
    ],
};

pub const INIT_EMPTIES: Claim = Claim {
    rule: "init_empties",
    source: "design, `sack_rx`",
    says: "After `init` EPSN is its PSN, and no packet of the window was received.",
    fault: Fault::Shown("epsn <= psn; ooo <= 6'd0;", "epsn <= psn;"),
};

pub const STATUS_AS_RECEIVED: Claim = Claim {
    rule: "status_as_received",
    source: "design, `sack_rx`",
    says: "A packet is new only if it lies in the window and was not received, a duplicate only if it lies below EPSN or was received, and \
           outside only if it is neither below EPSN nor in the window.",
    fault: Fault::Shown(
        "wire duplicate = live & (below | (in_window & arrived));",
        "wire duplicate = live & below;",
    ),
};

pub const BIT_0_IS_CLEAR: Claim = Claim {
    rule: "bit_0_is_clear",
    source: "004 Figure 7",
    says: "The packet of EPSN is never one that was received: EPSN advances over the whole run at once.",
    fault: Fault::Shown("wire last = upper_pair ? half[2] : half[0];", "wire last = 1'b0;"),
};

pub const EPSN_GOES_FORWARD: Claim = Claim {
    rule: "epsn_goes_forward",
    source: "004 Figure 7",
    says: "EPSN moves with a new packet whose PSN it is, and with no other op but `init`; it moves forward, modulo 2^24, by one window at \
           most.",
    fault: Fault::Shown("epsn <= in_order ? missing_psn", "epsn <= !in_order ? missing_psn"),
};

pub const RUN_WAS_RECEIVED: Claim = Claim {
    rule: "run_was_received",
    source: "004 Figure 7",
    says: "EPSN passes only packets that were received, and that of the op.",
    fault: Fault::Shown("assign full = &received;", "assign full = &received[6:0];"),
};

pub const BITS_CHANGE: Claim = Claim {
    rule: "bits_change",
    source: "004 Figure 7",
    says: "A new packet sets its bit, EPSN clears those that it passes, and no other bit of the window changes.",
    fault: Fault::Shown(
        "(steps_decide & packet_status_in_reach) | steps_fill",
        "(steps_decide & unused_packet_status_is_expected) | steps_fill",
    ),
};

pub const OOO_COUNTS: Claim = Claim {
    rule: "ooo_counts",
    source: "004 Figure 7",
    says: "The count of packets out of order grows by 1 with a new packet, and shrinks by what EPSN advances: with `bits_change` and \
           `run_was_received`, it is the number of bits that are set.",
    fault: Fault::Shown(
        "ooo_start <= stored_ooo + started + {5'd0, was_new};",
        "ooo_start <= stored_ooo + started;",
    ),
};

pub const BYTES_COUNT: Claim = Claim {
    rule: "bytes_count",
    source: "design, `sack_rx`",
    says: "The count of bytes grows by those of a new packet, and by no others.",
    fault: Fault::Shown(
        "wire [15:0] added = is_new ? bytes : 16'd0;",
        "wire [15:0] added = is_new ? bytes >> 1 : 16'd0;",
    ),
};

pub const NOTHING_CHANGES: Claim = Claim {
    rule: "nothing_changes",
    source: "design, `sack_rx`",
    says: "A duplicate, a packet outside the window and a probe change neither EPSN, nor a bit, nor the counts.",
    fault: Fault::Shown("wire [15:0] added = is_new ? bytes : 16'd0;", "wire [15:0] added = bytes;"),
};

pub const CLOSED_TAKES_NOTHING: Claim = Claim {
    rule: "closed_takes_nothing",
    source: "design, `sack_rx`",
    says: "Of a connection that was closed, or saw no `init` yet, no packet has another status than 7, none has a SACK, and it stays so until \
           its next `init`.",
    fault: Fault::Shown("!(steps_clearing | steps_close)", "!steps_clearing"),
};

fn rules() -> Rules {
    Rules::of("", include_str!("sack_rx_small.v").to_string())
        .watching("control_ram", "control_ram", "one", "stored")
        .watched("bitmap_ram", include_str!("bits.v"), "bitmap_ram", "bit_of_one", "kept")
        .joining("fetches", "steps.in_fetch")
        .joining("filled", "place.count")
}
