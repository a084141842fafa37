//! Faults in `sack_tx`: each is found by random ops and shrunk to a few.

use super::faults::found;
use super::generated;
use super::pass_sack_tx::random;

/// Edges of random ops within which every fault is found.
const CYCLES: u64 = 4_000_000;

fn is_found(text: &str, wrong: &str, most: usize) {
    is_found_by(&[], text, wrong, most);
}

/// By random ops of these knobs.
fn is_found_by(knobs: &[&str], text: &str, wrong: &str, most: usize) {
    let core = generated("sack_tx", &[]);
    found(&core, random(&core, CYCLES, knobs), text, wrong, most);
}

#[test]
fn psns_are_compared_by_their_segments_alone() {
    is_found("wire is_below = whole[17] ^ (borrows & lower_part);", "wire is_below = whole[17];", 3);
}

#[test]
fn five_packets_out_of_order_are_enough() {
    let text = "exceeds <= (ooo > cwnd_packets) & (ooo > 12'd5);";
    is_found(text, "exceeds <= (ooo > cwnd_packets);", 6);
}

#[test]
fn recovery_is_left_one_packet_late() {
    is_found("ends <= is_sack & recovering & !later;", "ends <= is_sack & recovering & !reached;", 30);
}

#[test]
fn a_sack_that_nobody_asked_for_proves_loss() {
    let text = "wire is_proof = probe & probe_out & !is_slow;";
    is_found(text, "wire is_proof = probe & !is_slow;", 6);
}

#[test]
fn a_slow_probe_proves_loss() {
    let text = "wire is_proof = probe & probe_out & !is_slow;";
    is_found(text, "wire is_proof = probe & probe_out;", 6);
}

#[test]
fn a_probe_stays_out_when_a_sack_came() {
    let text = "& !rules_timeout & !steps_is_sack & !steps_is_init;";
    is_found(text, "& !rules_timeout & !steps_is_init;", 20);
}

#[test]
fn a_probe_does_not_note_what_was_sent() {
    let text = "if (timeout | (probe_due & !recovering)) begin";
    is_found(text, "if (timeout) begin", 30);
}

#[test]
fn a_psn_to_retransmit_is_in_the_first_segment() {
    let text = "wire [17:0] psn_segment = una[23:6] + {15'd0, offset};";
    // `read` would show it, too
    is_found_by(&["read_share=0"], text, "wire [17:0] psn_segment = una[23:6];", 40);
}

#[test]
fn a_sacks_bits_below_epsn_are_set() {
    is_found("touched = sack & epsn_above;", "touched = sack;", 8);
}

#[test]
fn bits_of_earlier_sacks_are_forgotten() {
    let text = "stores_next = stored | touched;";
    // connections that start anew often leave short traces
    is_found_by(&["init_share=0.05"], text, "stores_next = touched;", 35);
}

#[test]
fn what_is_claimed_counts_as_in_flight() {
    is_found("of_interest <= missing & ~claimed;", "of_interest <= missing;", 20);
}

#[test]
fn a_base_beyond_the_window_is_taken() {
    let text = "base_bad <= !near | beyond_window | (|base[5:0]);";
    is_found(text, "base_bad <= !near | (|base[5:0]);", 8);
}

#[test]
fn a_sack_that_shows_its_epsn_is_taken() {
    is_found("if (contradicts) begin", "if (1'b0) begin", 20);
}

#[test]
fn a_doubling_that_does_not_fit_cuts_the_timeout_off() {
    is_found("if (by_1 & !limit[15]) begin", "if (by_1) begin", 30);
}

#[test]
fn a_read_is_taken_for_a_packet_sent_too() {
    is_found("is_sent <= take & (op_kind == 3'd0);", "is_sent <= take & (op_kind[1:0] == 2'd0);", 4);
}

#[test]
fn a_read_shows_the_psn_to_retransmit() {
    is_found("pick_of_una = steps_is_visit | steps_is_read;", "pick_of_una = steps_is_visit;", 4);
}

#[test]
fn a_read_has_the_status_of_a_packet_sent() {
    is_found("if (is_read) begin", "if (1'b0) begin", 4);
}

#[test]
fn a_refused_sack_measures_a_round_trip_time() {
    let text = "res_rtt_valid = steps_done & steps_is_sack & op_status_ok;";
    is_found(text, "res_rtt_valid = steps_done & steps_is_sack;", 3);
}

#[test]
fn the_round_trip_time_is_that_of_another_step() {
    let text = "if (step[10]) begin\n            rtt <= sum;";
    is_found(text, "if (step[11]) begin\n            rtt <= sum;", 4);
}

#[test]
fn timers_start_anew_with_every_packet() {
    let text = "(is_sent & ok & empty & (step[3] | step[4]))";
    is_found(text, "(is_sent & ok & (step[3] | step[4]))", 6);
}

#[test]
fn a_lower_count_of_received_bytes_raises_what_is_in_flight() {
    is_found("reads_flight = is_stuck | !ok;", "reads_flight = !ok;", 4);
}

#[test]
fn visits_in_between_do_not_restart_the_count_of_ops() {
    let text = "ops <= 4'd0;\n            visit_due <= 1'b0;\n            walker <= walker + 8'd1;";
    is_found(text, "walker <= walker + 8'd1;", 20);
}
