//! Faults made by hand in the generated Verilog of `strack_cc`: each is found by random ops and shrunk to a few.

use super::pass_strack_cc::random;
use super::{faults, generated};

/// Edges of random ops within which every fault is found.
const CYCLES: u64 = 4_000_000;

fn found(text: &str, wrong: &str, most: usize) {
    let core = generated("strack_cc", &[]);
    faults::found(&core, random(&core, CYCLES, &[]), text, wrong, most);
}

#[test]
#[ignore = "a model of its own, with the long tests"]
fn a_cut_is_due_at_a_base_rtt_and_not_after_it() {
    found("wire passed = {1'b0, elapsed} > limit;", "wire passed = {1'b0, elapsed} >= limit;", 6);
}

#[test]
fn the_base_rtt_falls_to_an_rtt_that_is_not_believed() {
    found("wire lowers = beyond_base[16] & is_sample;", "wire lowers = beyond_base[16];", 4);
}

#[test]
#[ignore = "a model of its own, with the long tests"]
fn a_delay_just_at_the_upper_target_is_high() {
    found("is_high <= queuing_delay > target_qhigh;", "is_high <= queuing_delay >= target_qhigh;", 6);
}

#[test]
#[ignore = "a model of its own, with the long tests"]
fn the_bytes_of_a_period_wrap() {
    found("rx <= sum[20] ? 20'hfffff : sum[19:0];", "rx <= sum[19:0];", 12);
}

#[test]
#[ignore = "a model of its own, with the long tests"]
fn the_bytes_of_a_probe_count() {
    found("wire [19:0] added = probe ? 20'd0 : bytes;", "wire [19:0] added = bytes;", 12);
}

#[test]
#[ignore = "a model of its own, with the long tests"]
fn the_average_forgets_its_sign() {
    found("change[16] ? {2'd0, change} | 19'h60000 : {2'd0, change};", "{2'd0, change};", 8);
}

#[test]
#[ignore = "a model of its own, with the long tests"]
fn an_increase_of_more_than_24_bits_loses_its_upper_bits() {
    found("|product[31:26] ? 24'hffffff : product[25:2];", "product[25:2];", 6);
}

#[test]
#[ignore = "a model of its own, with the long tests"]
fn a_division_has_a_digit_less() {
    found("left <= step[7] ? 5'h17 :", "left <= step[7] ? 5'h16 :", 4);
}

#[test]
#[ignore = "a model of its own, with the long tests"]
fn more_than_half_is_cut_off() {
    found("b <= product[31] ? 16'h8000 : product[31:16];", "b <= product[31:16];", 6);
}

#[test]
#[ignore = "a model of its own, with the long tests"]
fn a_cut_to_what_was_achieved_raises_the_window() {
    found("if (take & is_less)", "if (take)", 12);
}

#[test]
#[ignore = "a model of its own, with the long tests"]
fn a_cut_leaves_the_time_of_the_last_one() {
    found("keeps = !was_cut;", "keeps = 1'b1;", 8);
}

#[test]
#[ignore = "a model of its own, with the long tests"]
fn a_window_falls_below_a_packet() {
    found("            if (!(|packets)) value <= 27'h10000;\n", "", 12);
}

#[test]
#[ignore = "a model of its own, with the long tests"]
fn the_mtu_of_a_read_is_not_looked_at() {
    found("assign is_mtu = held_mtu_log2[3] & ", "assign is_mtu = ", 3);
}

#[test]
#[ignore = "a model of its own, with the long tests"]
fn the_settings_change_while_an_op_is_worked_on() {
    found(
        "        if (ready) begin\n            held_ecn <= op_ecn;",
        "        if (1'b1) begin\n            held_ecn <= op_ecn;",
        12,
    );
}
