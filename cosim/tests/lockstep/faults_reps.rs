//! Faults made by hand in the generated Verilog of `reps`: each is found by random ops and shrunk to a few.

use super::{faults, random, reps};

/// Edges of random ops within which every fault is found.
const CYCLES: u64 = 2_000_000;

fn found(sets: &[&str], text: &str, wrong: &str, most: usize) {
    let core = reps(sets);
    faults::found(&core, random(&core, CYCLES), text, wrong, most);
}

#[test]
fn forwarding_from_the_op_just_ahead_is_off() {
    let text = "wire same_one = read_valid & (op_conn == read_conn);";
    found(&[], text, "wire same_one = 1'b0;", 2);
}

#[test]
#[ignore = "a model of its own, with the long tests"]
fn forwarding_from_the_op_four_ahead_is_off() {
    let text = "wire same_four = write_live & (op_conn == write_conn);";
    found(&[], text, "wire same_four = 1'b0;", 5);
}

#[test]
#[ignore = "a model of its own, with the long tests"]
fn num_valid_does_not_saturate() {
    found(&[], "(cache & all_valid)", "(cache & 1'b0)", 10);
}

#[test]
fn times_are_compared_without_their_wrap() {
    let text = "wire is_past = (|(difference >> BORROW)) ^ forward_laps;";
    found(&[], text, "wire is_past = forward_now > forward_time;", 4);
}

#[test]
#[ignore = "a model of its own, with the long tests"]
fn replay_moves_head_when_the_ring_is_not_full() {
    found(&[], "wire turns = replay & state_full;", "wire turns = replay;", 8);
}

#[test]
fn ecn_is_ignored() {
    found(&[], "read_op_cache <= is_ack & !op_ecn;", "read_op_cache <= is_ack;", 1);
}

#[test]
#[ignore = "a model of its own, with the long tests"]
fn init_does_not_clear() {
    let text = "read_keeps <= ready & !(op_valid & (op_kind == 3'd4));";
    found(&[], text, "read_keeps <= ready;", 3);
}

#[test]
#[ignore = "a model of its own, with the long tests"]
fn the_explore_counter_ends_one_early() {
    let text = "(count_down & (state_count == 8'd1))";
    found(&[], text, "(count_down & (state_count == 8'd2))", 8);
}

#[test]
#[ignore = "a model of its own, with the long tests"]
fn every_send_steps_the_random_generator() {
    let text = ".step(action_explore),";
    found(&[], text, ".step(action_explore | action_recycle | action_replay),", 4);
}

#[test]
#[ignore = "a model of its own, with the long tests"]
fn the_ev_goes_to_the_next_slot() {
    found(
        &[],
        "write_slot = empties ? 3'd0 : state_head;",
        "write_slot = empties ? 3'd0 : state_head + 3'd1;",
        2,
    );
}

#[test]
#[ignore = "a model of its own, with the long tests"]
fn a_timeout_while_exploring_enters_freezing() {
    let text = "enter = timeout & !state_freezing & !state_exploring;";
    found(&[], text, "enter = timeout & !state_freezing;", 4);
}

#[test]
#[ignore = "a model of its own, with the long tests"]
fn a_bdp_of_no_packets_is_explored() {
    found(&[], "after_exploring = leave ? |bdp :", "after_exploring = leave ? 1'b1 :", 5);
}

#[test]
#[ignore = "a model of its own, with the long tests"]
fn an_op_is_taken_without_its_valid() {
    found(&[], "wire take = op_valid & ready;", "wire take = ready;", 2);
}

#[test]
#[ignore = "a model of its own, with the long tests"]
fn a_valid_survives_reset() {
    // before the first op, what stood in the registers at power-on; a trace has one op at least
    found(&[], "            res_valid <= 1'b0;\n", "", 1);
}

#[test]
#[ignore = "a model of its own, with the long tests"]
fn the_last_connection_is_not_cleared() {
    let text = "ready <= ready | (&write_conn);";
    found(&[], text, "ready <= ready | (&write_conn[7:1]);", 1);
}

#[test]
#[ignore = "a model of its own, with the long tests"]
fn leaving_a_freeze_does_not_empty_the_ring() {
    let text = "!leave & state_any_valid";
    found(&["reps.variant=uet"], text, "state_any_valid", 8);
}
