//! Faults in the receiver of Ultra Ethernet: each is found by random ops and shrunk to a few.

use super::faults::found;
use super::pass_sack_rx_uet::{random, uet};

/// Edges of random ops within which every fault is found.
const CYCLES: u64 = 2_000_000;

fn is_found(text: &str, wrong: &str, most: usize) {
    let core = uet(&["connections=16", "sack.window=128"]);
    found(&core, random(&core, CYCLES, &[]), text, wrong, most);
}

#[test]
fn the_last_gap_is_not_answered() {
    is_found("assign late = fills_gap & !holds;", "assign late = 1'b0;", 60);
}

#[test]
#[ignore = "a model of its own, with the long tests"]
fn every_packet_that_follows_one_that_asked_is_late() {
    is_found("assign asked_after = has_asked & holds;", "assign asked_after = has_asked;", 60);
}

#[test]
#[ignore = "a model of its own, with the long tests"]
fn an_ack_leaves_the_bytes_before_it() {
    is_found("assign since = acked ? 16'd0 : since_ack[15:0];", "assign since = since_ack[15:0];", 8);
}

#[test]
#[ignore = "a model of its own, with the long tests"]
fn small_packets_count_their_own_bytes() {
    is_found("(is_small ? {4'd0, least} : bytes)", "bytes", 4);
}

#[test]
#[ignore = "a model of its own, with the long tests"]
fn received_bytes_are_rounded_down() {
    is_found("rcvd <= 32'hff;", "rcvd <= 32'd0;", 4);
}

#[test]
fn the_cumulative_psn_passes_what_was_received() {
    is_found("takes_epsn <= !host | (is_answer & !below);", "takes_epsn <= !host;", 6);
}

#[test]
#[ignore = "a model of its own, with the long tests"]
fn the_cumulative_psn_falls() {
    is_found("takes_given <= is_answer & recent & after;", "takes_given <= is_answer & recent;", 6);
}

#[test]
#[ignore = "a model of its own, with the long tests"]
fn psns_that_no_ack_can_name_are_taken() {
    is_found("assign recent = !(|behind[31:15]);", "assign recent = !(|behind[31:16]);", 30);
}

#[test]
#[ignore = "a model of its own, with the long tests"]
fn a_gap_is_told_of_by_every_packet() {
    is_found("(early & (!was_told | retransmit))", "early", 6);
}

#[test]
#[ignore = "a model of its own, with the long tests"]
fn a_gap_that_is_filled_stays_told() {
    is_found(
        "told_after <= (was_told | early) & !(is_new & is_first);",
        "told_after <= was_told | early;",
        30,
    );
}

#[test]
#[ignore = "a model of its own, with the long tests"]
fn a_connection_in_order_keeps_what_comes_too_early() {
    is_found("wire fits = !keeps_order | is_first;", "wire fits = 1'b1;", 4);
}

#[test]
#[ignore = "a model of its own, with the long tests"]
fn a_syn_outside_is_refused_as_any_packet() {
    is_found("outside & syn & !too_old & !in_window ? 5'h15 : 5'hb", "5'hb", 4);
}

#[test]
#[ignore = "a model of its own, with the long tests"]
fn a_control_packet_counts_its_headers() {
    is_found(
        "wire counts_adds = verdict_is_new & !taken_held_control;",
        "wire counts_adds = verdict_is_new;",
        4,
    );
}

#[test]
#[ignore = "a model of its own, with the long tests"]
fn the_host_is_not_left_its_answers() {
    is_found("assign answers = is_answer | !by_host;", "assign answers = is_answer | !is_hosts;", 4);
}
