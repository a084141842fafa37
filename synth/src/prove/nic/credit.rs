//! What is proved of frames that the host grants.

use super::super::axis::BEGIN;
use super::super::{Claim, Fault, Method, Proof, Rules};
use super::TO_MAC;
use super::parts::{CREDIT_SETS, whole_with_credit};

/// Data goes nowhere without a grant, for all time.
pub const CREDIT: Proof = Proof {
    block: Some(|| Ok(whole_with_credit().verilog(&["receiver"]))),
    sets: CREDIT_SETS,
    rules: || {
        Rules::of("receiver", BEGIN.to_string() + include_str!("credit.v"))
            .and("receiver_credit", &(BEGIN.to_string() + include_str!("credit_left.v")))
    },
    method: Method::Unbounded(2),
    fault_edges: 0..20,
    claims: &[
        Claim {
            rule: "granted_only",
            source: "register `rx_credit`",
            says: "Of no data packet `sack_rx` hears, and none is acknowledged, that has no number which the host granted, where `nic.rx_credit` = frames.",
            fault: Fault::Shown(
                "assign push_op = has_op_room & (is_probe | (is_data & has_host_room & has_credit));",
                "assign push_op = has_op_room & (is_probe | (is_data & has_host_room));",
            ),
        },
        Claim {
            rule: "granted_to_host",
            source: "register `rx_credit`",
            says: "No data packet goes to the host that has no such number.",
            fault: Fault::Shown("wire has_room = takes ? |base[15:1] : |base;", "wire has_room = |base;"),
        },
        Claim {
            rule: "never_goes_back",
            source: "register `rx_credit`",
            says: "The number that is granted never goes back.",
            fault: Fault::Shown(
                "wire grants = counts & !goes_back & !is_far;",
                "wire grants = counts & !is_far;",
            ),
        },
        Claim {
            rule: "each_counts",
            source: "register `rx_credit_state`",
            says: "Each frame that goes to the host takes one number.",
            fault: Fault::Shown(".takes(judge_commit),", ".takes(judge_push_op),"),
        },
    ],
    ..TO_MAC
};
