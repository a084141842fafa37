//! Faults made by hand in the generated Verilog of `flowcut`: each is found by random ops and shrunk to a few.

use super::pass_flowcut::random;
use super::{faults, generated};

/// Edges of random ops within which every fault is found.
const CYCLES: u64 = 4_000_000;

fn found(text: &str, wrong: &str, most: usize) {
    let core = generated("flowcut", &[]);
    faults::found(&core, random(&core, CYCLES, &[]), text, wrong, most);
}

#[test]
fn a_flowcut_ends_with_bytes_on_their_way() {
    found("(!flags_placed | (is_empty & !op_uncounted))", "(!flags_placed | !op_uncounted)", 3);
}

#[test]
fn what_a_hot_average_does_comes_too_late_for_the_next_op() {
    let (text, wrong) = ("if (update_one) begin", "if (1'b0) begin");
    found(text, wrong, 12);
}

#[test]
#[ignore = "a model of its own, with the long tests"]
fn what_a_hot_average_does_comes_too_late_for_the_op_after_the_next() {
    found(
        "            newest_draining = judged_draining;",
        "            newest_draining = in_write_draining;",
        12,
    );
}

#[test]
#[ignore = "a model of its own, with the long tests"]
fn an_old_ack_is_believed_where_counts_have_wrapped() {
    found("(!is_whole & (is_newer | is_sent))", "!is_whole", 6);
}

#[test]
#[ignore = "a model of its own, with the long tests"]
fn a_repeated_ack_is_taken() {
    found("wire is_newer = op_recvd > state_recvd;", "wire is_newer = op_recvd >= state_recvd;", 6);
}

#[test]
#[ignore = "a model of its own, with the long tests"]
fn a_retransmission_is_counted() {
    found("wire is_first = op_send & !op_uncounted;", "wire is_first = op_send;", 6);
}

#[test]
#[ignore = "a model of its own, with the long tests"]
fn the_first_sample_is_averaged_with_what_was_there() {
    found("(accepts & !state_has_average)", "1'b0", 12);
}

#[test]
#[ignore = "a model of its own, with the long tests"]
fn an_rtt_just_at_the_least_one_is_no_sample() {
    found("({1'b0, forward_rtt} >= least)", "({1'b0, forward_rtt} > least)", 12);
}

#[test]
#[ignore = "a model of its own, with the long tests"]
fn an_average_just_at_its_limit_is_hot() {
    found("+ {23'd0, is_whole};", ";", 12);
}

#[test]
#[ignore = "a model of its own, with the long tests"]
fn the_smallest_rtt_of_the_op_ahead_is_missed() {
    found("wire takes_ahead = follows & judge_changes;", "wire takes_ahead = 1'b0;", 12);
}

#[test]
#[ignore = "a model of its own, with the long tests"]
fn the_smallest_rtt_of_the_op_two_places_ahead_is_missed() {
    found("if (same_two & judge_changes) begin", "if (1'b0) begin", 12);
}

#[test]
#[ignore = "a model of its own, with the long tests"]
fn the_smallest_rtt_of_the_op_three_places_ahead_is_missed() {
    found("end else if (same_three & behind_changes) begin", "end else if (1'b0) begin", 12);
}

#[test]
#[ignore = "a model of its own, with the long tests"]
fn the_average_is_not_rounded_down() {
    found("average + step + ~share + {20'd0, is_whole};", "average + step + ~share + 21'd1;", 12);
}

#[test]
#[ignore = "a model of its own, with the long tests"]
fn a_timeout_leaves_the_drain() {
    found("flags_draining & !empties & !op_timeout;", "flags_draining & !empties;", 12);
}

#[test]
#[ignore = "a model of its own, with the long tests"]
fn the_smallest_rtt_of_a_refused_ack_counts() {
    found("assign accepts = takes_ack & sample;", "assign accepts = op_ack & sample;", 12);
}
