//! Faults in the parts of `sack_tx` that engine `fast` has for itself: each is found by random ops, or by an op trace where it says
//! so, and shrunk to a few. Those of ops that overlap are in the usual tests, the others in the long ones.

use super::faults::found;
use super::faults_sack_tx::{CYCLES, found_by_trace, refused_sack, timers};
use super::generated;
use super::pass_sack_tx::{FAST_64, random};

fn is_found(text: &str, wrong: &str, most: usize) {
    let core = generated("sack_tx", &FAST_64);
    found(&core, random(&core, CYCLES, &[]), text, wrong, most);
}

fn is_found_by_trace(text: &str, wrong: &str, trace: &str) {
    found_by_trace(&generated("sack_tx", &FAST_64), text, wrong, trace);
}

#[test]
fn an_init_clears_the_bytes_of_the_packet_before() {
    // the upper half of what is in flight, which is summed beside step 1 of the init, so that more than 64 KiB are sent
    let sent = "0,init,3,0,\n0,sent,3,0,65535\n0,sent,3,1,65535\n";
    let trace = format!("now,op,conn,psn,bytes\n{sent}0,init,4,0,\n0,read,3,,\n");
    is_found_by_trace("if (is_init & !step[0])", "if (is_init)", &trace);
}

#[test]
#[ignore = "a model of its own, with the long tests"]
fn a_refused_sack_writes_its_first_word() {
    is_found_by_trace("(steps_is_sack & takes)", "(steps_is_sack & op_status_ok)", &refused_sack());
}

#[test]
#[ignore = "a model of its own, with the long tests"]
fn a_result_has_the_connection_of_the_op_that_follows() {
    is_found("if (settled) begin", "if (1'b1) begin", 8);
}

#[test]
#[ignore = "with the long tests, as the faults below"]
fn the_bytes_of_a_packet_sent_are_those_of_the_sack_behind_it() {
    is_found("(!tail_is_sack & step[5])", "(!is_sack & step[5])", 30);
}

#[test]
#[ignore = "with the long tests"]
fn a_visit_doubles_the_timeout_as_often_as_the_connection_before() {
    // connection 2 timed out once, connection 3 did not
    let first = "0,init,2,0,0\n0,sent,2,0,0\n100,read,2,,200\n";
    let second = "100,init,3,0,0\n100,sent,3,0,0\n200,read,3,,200\n";
    let settings = "# respray: probe_timeout=65535 rto=100 rto_backoff_max=7";
    let trace = format!("{settings}\nnow,op,conn,psn,idle\n{first}{second}");
    let text = "time_conn = steps_starts ? steps_visit_conn : steps_conn;";
    is_found_by_trace(text, "time_conn = steps_conn;", &trace);
}

#[test]
#[ignore = "with the long tests"]
fn bits_of_earlier_sacks_are_forgotten() {
    let sent: String = (0..3).map(|psn| format!("0,sent,3,{psn},,,\n")).collect();
    let sacks: String = ["0x2", "0x4", "0x2"].iter().map(|bits| format!("0,sack,3,,0,0,{bits}\n")).collect();
    let trace = format!("now,op,conn,psn,epsn,base,bitmap\n0,init,3,0,,,\n{sent}{sacks}");
    is_found_by_trace("data = stored | touched;", "data = touched;", &trace);
}

#[test]
#[ignore = "with the long tests"]
fn the_upper_half_of_a_word_lies_below_a_bound_in_its_lower_half() {
    let text = "upper_after <= starts_after | (starts_in & !in_upper_half);";
    is_found(text, "upper_after <= starts_after;", 40);
}

#[test]
#[ignore = "with the long tests"]
fn the_upper_half_of_a_sacks_bitmap_is_that_of_its_lower_half() {
    let text = "sack_word = walk_half ? taken_held_bitmap[63:32] : taken_held_bitmap[31:0];";
    is_found(text, "sack_word = taken_held_bitmap[31:0];", 40);
}

/// A packet is held for lost by the timeout, and acknowledged before it is sent again.
fn lost_and_acked() -> String {
    timers("150,read,3,,100,0,200\n150,sack,3,,100,0,0\n")
}

#[test]
#[ignore = "with the long tests"]
fn what_is_claimed_counts_as_in_flight() {
    is_found_by_trace(
        "missing & claimed : missing & ~claimed;",
        "missing & claimed : missing;",
        &lost_and_acked(),
    );
}

#[test]
#[ignore = "with the long tests"]
fn a_timeout_leaves_packets_in_flight() {
    is_found("stored_after = timeout ? 7'd0 : in_flight;", "stored_after = in_flight;", 8);
}

#[test]
#[ignore = "with the long tests"]
fn recovery_is_left_one_packet_late() {
    let text = "ends <= is_sack & recovering & !later;";
    is_found_by_trace(text, "ends <= is_sack & recovering & !reached;", &lost_and_acked());
}

#[test]
#[ignore = "with the long tests"]
fn a_read_shows_the_psn_to_retransmit() {
    is_found("tail_is_of_una <= is_visit | is_read;", "tail_is_of_una <= is_visit;", 4);
}

#[test]
#[ignore = "with the long tests"]
fn the_round_trip_time_is_below_zero() {
    is_found("rtt <= now - timestamp;", "rtt <= timestamp - now;", 4);
}

#[test]
#[ignore = "with the long tests"]
fn timers_start_anew_with_every_packet() {
    let trace = timers("60,sent,3,1,100,0,0\n120,read,3,,100,0,200\n");
    is_found_by_trace("(tail_is_sent & ok & empty)", "(tail_is_sent & ok)", &trace);
}

#[test]
#[ignore = "with the long tests"]
fn a_doubling_that_does_not_fit_cuts_the_timeout_off() {
    let trace = timers("1,read,3,,1,0,200\n9000,read,3,,32769,1,200\n");
    is_found_by_trace("if (by_1 & !limit[15])", "if (by_1)", &trace);
}

#[test]
#[ignore = "with the long tests"]
fn visits_in_between_do_not_restart_the_count_of_ops() {
    let text = "ops <= 4'd0; visit_due <= 1'b0;\n            visit_conn <= visit_conn + 4'd1;";
    is_found(text, "visit_conn <= visit_conn + 4'd1;", 20);
}
