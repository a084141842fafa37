//! What is proved of `strack_cc`.

use super::{Claim, Fault, Method, Proof, Rules};

/// The window: its bounds, and that an op finds it as the last one left it.
pub const PROOF: Proof = Proof {
    core: "strack_cc",
    block: None,
    sets: &["connections=16"],
    rules: || {
        Rules::of("", include_str!("strack_cc.v").to_string()).watching(
            "state_ram",
            "state_ram",
            "window_of_one",
            "stored",
        )
    },
    method: Method::Unbounded(8),
    fault_edges: 4..40,
    shortened: &[
        ("wire clear_done = clearing & (&conn);", "wire clear_done = clearing & conn[0];"),
        ("assume (is_begun || rst);", "assume ((is_begun || rst) && one < 4'd2);"),
    ],
    claims: &[
        Claim {
            rule: "window_in_bounds",
            source: "selectors, section 3",
            says: "The window that an ACK shows is one packet at least, and at most `max_cwnd` of its op, or one where that is 0.",
            fault: Fault::Shown("if (is_full | is_init)", "if (is_init)"),
        },
        Claim {
            rule: "never_below_a_packet",
            source: "selectors, section 3",
            says: "The window that is kept of a connection is one packet at least, so that nothing is divided by less.",
            fault: Fault::Shown(
                "assign most = |held_max_cwnd ? held_max_cwnd : 10'd1;",
                "assign most = held_max_cwnd;",
            ),
        },
        Claim {
            rule: "read_as_left",
            source: "selectors, section 3",
            says: "A read shows the window that the last ACK of its connection showed, or after `init` `max_cwnd` packets; ops of other connections \
                   change nothing of it.",
            fault: Fault::Shown("step[0] | step[4] | fair ?", "step[4] | fair ?"),
        },
        Claim {
            rule: "refuses_unknown",
            source: "selectors, section 3",
            says: "A read or an ACK has status 7 where its connection was not initialised since the reset or `mtu_log2` is out of range, and nowhere \
                   else, and then it shows no window.",
            fault: Fault::Shown("if (step[2]) is_refused <= refused;", "if (step[2]) is_refused <= 1'b0;"),
        },
        Claim {
            rule: "one_result",
            source: "results in order",
            says: "Each read and each ACK has one result, of its connection, before the next op is taken, and no other op has any.",
            fault: Fault::Shown("(early & (read | is_ack))", "early"),
        },
        Claim {
            rule: "writes_own_words",
            source: "isolation",
            says: "The memory is written only at words of the connection of the op in work, and only by `init` and by an ACK that is not refused.",
            fault: Fault::Shown("step[2] & is_ack & !refused, step[1:0]", "step[2] & is_ack, step[1:0]"),
        },
    ],
};
