//! What is proved of closes of which the host hears.

use super::super::axis::BEGIN;
use super::super::{Claim, Fault, Method, Proof, Rules};
use super::TO_MAC;
use super::parts::{CLOSE_SETS, whole_with_closes};

/// The host is told of the end of receiving behind all that was taken in, for all time.
pub const CLOSING: Proof = Proof {
    block: Some(|| Ok(whole_with_closes().verilog(&["receiver"]))),
    sets: CLOSE_SETS,
    rules: || Rules::of("receiver_closing", BEGIN.to_string() + include_str!("closing.v")),
    method: Method::Unbounded(2),
    fault_edges: 16..40,
    claims: &[Claim {
        rule: "told_behind_all",
        source: "command `close_rx`",
        says: "When the host is told that a connection is closed for receiving, every frame has left that waited for the host when `sack_rx` \
               took the close, where `nic.close` = graceful. By the rules of `sack_rx` it takes in no packet of the connection later.",
        fault: Fault::Shown("if (leaves & (|ahead)) ahead <=", "if (|ahead) ahead <="),
    }],
    ..TO_MAC
};
