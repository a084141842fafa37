//! What is proved of `sack_rx`, in its fast structure.

use super::sack_rx as small;
use super::{Claim, Fault, Method, Proof, Rules};

/// The same of a connection as of the small structure, in a pipeline whose ops stand beside each other, and that ops of other connections
/// change nothing of it. Of a run it needs to be known that both copies of the bitmap are the same, so that a whole word of each is
/// watched.
pub const PROOF: Proof = Proof {
    core: "sack_rx",
    block: None,
    sets: &["connections=16", "sack.window=64", "sack.engine=fast"],
    rules,
    method: Method::Unbounded(12),
    fault_edges: 7..45,
    shortened: &[
        ("wire clear_done = is_clearing & (&conn);", "wire clear_done = is_clearing & conn[0];"),
        ("assign filled = &count;", "assign filled = &count[2:0];"),
        (
            "assume (is_begun || rst);",
            "assume ((is_begun || rst) && one < 4'd2 && (!begins || (is_empty == ~64'd0 && kept == kept_copy)));",
        ),
    ],
    claims: &[
        Claim {
            rule: "found_as_left",
            source: "one op after the other",
            says: "A packet finds its connection as the last op of that connection left it, however close it follows; ops of other \
                   connections change nothing of it.",
            fault: Fault::Shown("same = take & live_3 & (choose_conn == op_conn);", "same = 1'b0;"),
        },
        Claim {
            rule: "results_in_order",
            source: "results in order",
            says: "Each packet has one result, in the order in which packets were taken, of its connection and with what it brought, and \
                   no `init` and no `close` has any; none is taken while one waits.",
            fault: Fault::Shown("conns_5 <= conns_4;", "conns_5 <= choose_conn;"),
        },
        Claim { fault: Fault::Shown("total <= is_cleared ?", "total <= 1'b0 ?"), ..small::INIT_EMPTIES },
        Claim {
            fault: Fault::Shown(
                "wire duplicate = live & (below | (in_window & arrived));",
                "wire duplicate = live & below;",
            ),
            ..small::STATUS_AS_RECEIVED
        },
        Claim {
            fault: Fault::Shown("wire last = upper_pair ? half[2] : half[0];", "wire last = 1'b0;"),
            ..small::BIT_0_IS_CLEAR
        },
        Claim {
            fault: Fault::Shown(
                "epsn_after = in_order_kept_output_value ?",
                "epsn_after = !in_order_kept_output_value ?",
            ),
            ..small::EPSN_GOES_FORWARD
        },
        Claim {
            fault: Fault::Shown("assign full = &received;", "assign full = &received[6:0];"),
            ..small::RUN_WAS_RECEIVED
        },
        Claim {
            fault: Fault::Shown(
                "wire bitmap_ram_write_enable = (interlock_decide_packet & packet_status_in_reach)",
                "wire bitmap_ram_write_enable = (interlock_decide_packet & packet_status_is_expected)",
            ),
            ..small::BITS_CHANGE
        },
        Claim {
            fault: Fault::Shown(
                "ooo_start <= ooo + started + {5'd0, is_new};",
                "ooo_start <= ooo + started;",
            ),
            ..small::OOO_COUNTS
        },
        Claim {
            fault: Fault::Shown(
                "wire [15:0] added = is_added ? bytes_before_output_value : 16'd0;",
                "wire [15:0] added = is_added ? bytes_before_output_value >> 1 : 16'd0;",
            ),
            ..small::BYTES_COUNT
        },
        Claim {
            fault: Fault::Shown(
                "wire [15:0] added = is_added ? bytes_before_output_value : 16'd0;",
                "wire [15:0] added = bytes_before_output_value;",
            ),
            ..small::NOTHING_CHANGES
        },
        Claim {
            fault: Fault::Shown(
                "!(interlock_finish_clear | found_output_value_closed)",
                "!interlock_finish_clear",
            ),
            ..small::CLOSED_TAKES_NOTHING
        },
    ],
};

fn rules() -> Rules {
    let word = include_str!("word_of_bits.v");
    let mut rules = Rules::of("", include_str!("sack_rx_fast.v").to_string())
        .watching("control_ram", "control_ram", "one", "stored")
        .watched("bitmap_ram", word, "bitmap_ram", "word_of_spot", "kept")
        .watched("bitmap_copy_ram", word, "bitmap_copy_ram", "word_of_spot", "kept_copy")
        .joining("filled", "place.count")
        .joining("is_pending", "interlock.pending")
        .joining("waits_for", "interlock.ahead");
    for of_interlock in [
        "holds",
        "is_clearing",
        "is_init_0",
        "is_init_3",
        "is_init_4",
        "is_init_5",
        "is_init_6",
        "is_init_7",
        "is_close_0",
        "is_close_1",
        "is_close_3",
        "is_close_4",
        "is_close_5",
        "is_close_6",
        "is_close_7",
        "conns_1",
        "conns_4",
        "conns_5",
        "live_0",
        "live_1",
        "live_2",
        "live_3",
        "live_4",
        "live_5",
        "live_7",
    ] {
        rules = rules.joining(of_interlock, &format!("interlock.{of_interlock}"));
    }
    rules
}
