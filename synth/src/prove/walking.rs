//! What is proved of the path selectors that work on one op at a time.

use super::{Claim, Fault, Method, Proof, Rules};

/// The rules of such a selector: the fields of a connection's state, the lowest bits of its word first, and what writes its second memory.
fn rules(state: &[&str], writes: &str) -> Rules {
    let joined = state.iter().rev().map(|field| format!("state_{field}")).collect::<Vec<_>>().join(", ");
    Rules::of("walk", include_str!("walk.v").replace("STATE", &joined))
        .and("", &include_str!("own_words.v").replace("WRITES", writes))
        .watching("control_ram", "pipeline.control_ram", "pipeline.one", "pipeline.stored")
}

const ONE_AT_A_TIME: Claim = Claim {
    rule: "one_at_a_time",
    source: "one op at a time",
    says: "No op is taken while one is in work, and what is in work is of the connection of the op that was taken last.",
    fault: Fault::Shown(
        "op_ready <= (op_ready & !op_valid) | done | clear_done;",
        "op_ready <= (op_ready & !op_valid) | done | decide | clear_done;",
    ),
};

const ONE_RESULT: Claim = Claim {
    rule: "one_result",
    source: "results in order",
    says: "Each send has one result, of its connection, and no other op has any.",
    fault: Fault::Shown("res_valid <= done & sent;", "res_valid <= done;"),
};

const FOUND_AS_LEFT: Claim = Claim {
    rule: "found_as_left",
    source: "one op after the other",
    says: "An op finds its connection as the last op of that connection left it; ops of other connections change nothing of it.",
    fault: Fault::Shown("decide <= in_read;", "decide <= take;"),
};

const INIT_CLEARS: Claim = Claim {
    rule: "init_clears",
    source: "op `init`",
    says: "After `init` a connection has no past.",
    fault: Fault::Shown(
        "wire control_ram_write_enable = (done & (writes | is_init)) | is_clearing;",
        "wire control_ram_write_enable = (done & writes) | is_clearing;",
    ),
};

/// Of the second memory, where `right` leads the connection to its address.
const fn writes_own_words(right: &'static str, wrong: &'static str) -> Claim {
    Claim {
        rule: "writes_own_words",
        source: "isolation",
        says: "The second memory is written only while an op is in work, and only at words of its connection.",
        fault: Fault::Shown(right, wrong),
    }
}

/// The proof of such a selector.
macro_rules! walking {
    ($name:ident, $core:literal, $sets:expr, [$($field:literal),+], $writes:literal, $fetch:literal) => {
        pub const $name: Proof = Proof {
            core: $core,
            block: None,
            sets: $sets,
            rules: || rules(&[$($field),+], $writes),
            method: Method::Bounded(36),
            fault_edges: 0..36,
            shortened: &[],
            claims: &[ONE_AT_A_TIME, FOUND_AS_LEFT, INIT_CLEARS, ONE_RESULT, writes_own_words(
                concat!(".conn(pipeline_conn), .read_number(", $fetch, "),"),
                concat!(".conn(~pipeline_conn), .read_number(", $fetch, "),"),
            )],
        };
    };
}

walking!(
    STRACK,
    "strack",
    &["connections=16", "strack.paths=16"],
    ["latest", "good", "has_good", "live"],
    "update_write",
    "update_fetch"
);

walking!(
    BITMAP,
    "bitmap",
    &["connections=16", "bitmap.paths=16"],
    ["index", "word", "drawn", "live"],
    "rounds_write",
    "rounds_fetch"
);

walking!(
    MIXED,
    "mixed",
    &["connections=16", "bitmap.paths=16", "mixed.depth=8"],
    ["index", "word", "drawn", "live", "oldest", "free", "is_full"],
    "rounds_write",
    "rounds_fetch"
);
