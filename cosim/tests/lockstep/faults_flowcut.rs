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
    found("(!flags_placed | (!occupied & !op_uncounted))", "(!flags_placed | !op_uncounted)", 3);
}

#[test]
fn what_a_hot_average_does_comes_too_late_for_the_next_op() {
    let (text, wrong) = (
        "drains_if_hot = late_is_ahead ? late_waiting_draining | judge_start :",
        "drains_if_hot = late_is_ahead ? late_waiting_draining :",
    );
    found(text, wrong, 12);
}

#[test]
#[ignore = "a model of its own, with the long tests"]
fn the_flags_of_the_op_ahead_are_missed() {
    found("previous_draining = is_ahead ?", "previous_draining = 1'b0 ?", 12);
}

#[test]
#[ignore = "a model of its own, with the long tests"]
fn what_a_hot_average_does_comes_too_late_for_the_op_after_the_next() {
    found("newest_draining = judged_draining;", "newest_draining = waiting_draining;", 12);
}

#[test]
#[ignore = "a model of its own, with the long tests"]
fn an_old_ack_is_believed() {
    found("assign reaches = sum[24];", "assign reaches = sum[24] | (|change & !change[23]);", 6);
}

#[test]
#[ignore = "a model of its own, with the long tests"]
fn a_repeated_ack_is_taken() {
    found("assign reaches = sum[24];", "assign reaches = sum[24] | !(|change);", 6);
}

#[test]
#[ignore = "a model of its own, with the long tests"]
fn a_retransmission_is_counted() {
    found("wire is_first = op_send & !op_uncounted;", "wire is_first = op_send;", 6);
}

#[test]
#[ignore = "a model of its own, with the long tests"]
fn the_first_sample_is_averaged_with_what_was_there() {
    found(
        "wire moving_average_has_average = has_average & !is_init;",
        "wire moving_average_has_average = !is_init;",
        12,
    );
}

#[test]
#[ignore = "a model of its own, with the long tests"]
fn an_rtt_just_at_the_least_one_is_no_sample() {
    found("(forward_corrected >= forward_floor)", "(forward_corrected > forward_floor)", 12);
}

#[test]
#[ignore = "a model of its own, with the long tests"]
fn an_average_just_at_its_limit_is_hot() {
    found("{shifted[23:1], is_whole};", "{shifted[23:1], 1'b0};", 12);
}

#[test]
#[ignore = "a model of its own, with the long tests"]
fn the_smallest_rtt_of_the_op_ahead_is_missed() {
    found("wire ahead_changes = same_one & changes;", "wire ahead_changes = 1'b0;", 12);
}

#[test]
#[ignore = "a model of its own, with the long tests"]
fn the_smallest_rtt_of_the_op_two_places_ahead_is_missed() {
    found("newest = two_changes ?", "newest = 1'b0 ?", 12);
}

#[test]
#[ignore = "a model of its own, with the long tests"]
fn the_smallest_rtt_of_the_op_three_places_ahead_is_missed() {
    found("three_changes ? behind_corrected :", "1'b0 ? behind_corrected :", 12);
}

#[test]
#[ignore = "a model of its own, with the long tests"]
fn the_average_is_not_rounded_down() {
    found("{shifted[20:1], is_whole & has_average};", "{shifted[20:1], has_average};", 12);
}

#[test]
#[ignore = "a model of its own, with the long tests"]
fn a_timeout_leaves_the_drain() {
    found("flags_draining & !empties & !op_timeout;", "flags_draining & !empties;", 12);
}

#[test]
#[ignore = "a model of its own, with the long tests"]
fn the_smallest_rtt_of_a_refused_ack_counts() {
    found("assign takes_ack = op_ack & reaches;", "assign takes_ack = op_ack;", 12);
}

#[test]
#[ignore = "a model of its own, with the long tests"]
fn the_sample_of_a_refused_ack_counts() {
    found("assign accepts = takes_ack & sample;", "assign accepts = op_ack & sample;", 12);
}

#[test]
#[ignore = "a model of its own, with the long tests"]
fn the_count_of_the_ack_ahead_is_missed() {
    found("change <= forward_ack & !(renewed_follows & moves) ?", "change <= forward_ack ?", 12);
}

#[test]
#[ignore = "a model of its own, with the long tests"]
fn an_ack_that_ends_all_leaves_the_connection_occupied() {
    found(
        "renewed_fresh_occupied = !is_init && (is_send | !is_all);",
        "renewed_fresh_occupied = !is_init;",
        12,
    );
}
