//! Faults made by hand in the generated Verilog of `flowcut_switch`: each is found by random ops and shrunk to a few.

use respray_cosim::cores::flowcut_switch::FlowcutSwitchCore;
use respray_cosim::lockstep::report::Verdict;
use respray_cosim::lockstep::{CosimOptions, Stimulus};

use super::pass_flowcut_switch::{FEW, random};
use super::{faults, file, generated, options, run};

/// Edges of random ops within which every fault is found.
const CYCLES: u64 = 4_000_000;

fn found(text: &str, wrong: &str, most: usize) {
    let core = generated("flowcut_switch", FEW);
    faults::found(&core, random(&core, CYCLES, &[]), text, wrong, most);
}

/// The same of a seed of which few ops are left: of the usual one it takes thousands of packets, or a long silence.
fn found_of_another_seed(text: &str, wrong: &str, most: usize) {
    let core = generated("flowcut_switch", FEW);
    faults::found_of_seed(Some(2), &core, random(&core, CYCLES, &[]), text, wrong, most);
}

/// The fault is found by ACKs of all that a bucket counts when it holds more: it takes a thousand packets to fill one.
fn found_in_a_full_bucket(text: &str, wrong: &str) {
    let core = generated("flowcut_switch", FEW);
    assert_eq!(core.verilog.matches(text).count(), 1, "`{text}` stands in the Verilog once");
    let dir = tempfile::tempdir().unwrap();
    let fill = "0,data,9,16383,0xff,\n".repeat(1025);
    let trace = format!("now,op,conn,bytes,up,epoch\n{fill}{}", "0,ack,9,16777215,,1\n".repeat(2));
    let trace = file(dir.path(), "fill.csv", &trace);
    let result = |verilog| {
        let stimulus = Stimulus::<FlowcutSwitchCore>::Ops(trace.clone());
        let options = CosimOptions { verilog, waves: false, ..options(stimulus, dir.path()) };
        run(&core, &options).unwrap().result
    };
    assert_eq!(result(None), Verdict::Pass);
    let faulty = file(dir.path(), "faulty.v", &core.verilog.replace(text, wrong));
    assert_eq!(result(Some(faulty)), Verdict::Fail, "`{wrong}`");
}

#[test]
fn a_flowcut_ends_with_bytes_on_their_way() {
    found("wire is_new = op_routed & is_empty;", "wire is_new = op_routed;", 4);
}

#[test]
fn an_ack_of_another_flowcut_is_believed() {
    found("& (fields_epoch == state_epoch) ", "", 6);
}

#[test]
#[ignore = "a model of its own, with the long tests"]
fn a_packet_takes_an_uplink_that_is_down() {
    found("assign after_port = is_new | order_risk ?", "assign after_port = is_new ?", 6);
}

#[test]
#[ignore = "a model of its own, with the long tests"]
fn an_ack_of_more_than_is_on_its_way_is_believed() {
    found("& (state_saturated | !fewer[24]);", ";", 6);
}

#[test]
#[ignore = "a model of its own, with the long tests"]
fn more_bytes_than_the_count_holds_wrap() {
    found_in_a_full_bucket("wire is_full = state_saturated | more[24];", "wire is_full = state_saturated;");
}

#[test]
#[ignore = "a model of its own, with the long tests"]
fn a_saturated_bucket_counts_down() {
    found_in_a_full_bucket("if (takes_ack & !state_saturated)", "if (takes_ack)");
}

#[test]
#[ignore = "a model of its own, with the long tests"]
fn a_saturated_bucket_is_not_drained() {
    found_in_a_full_bucket("(takes_ack & state_saturated) |", "1'b0 |");
}

#[test]
#[ignore = "a model of its own, with the long tests"]
fn a_silent_bucket_is_not_emptied() {
    found("assign entry_cleared = op_visit & !is_empty & is_silent;", "assign entry_cleared = 1'b0;", 12);
}

#[test]
#[ignore = "a model of its own, with the long tests"]
fn a_bucket_just_at_its_timeout_is_emptied() {
    found_of_another_seed("silence > fields_entry_timeout", "silence >= fields_entry_timeout", 12);
}

#[test]
#[ignore = "a model of its own, with the long tests"]
fn an_ack_does_not_break_the_silence() {
    found("assign after_heard = op_routed | takes_ack ?", "assign after_heard = op_routed ?", 40);
}

#[test]
#[ignore = "a model of its own, with the long tests"]
fn an_old_flowcut_is_not_drained() {
    found_of_another_seed("(ages & is_due)", "1'b0", 40);
}

#[test]
#[ignore = "a model of its own, with the long tests"]
fn buckets_grow_older_in_every_round() {
    found("|visited ? round_ages : sixteenths != last_clock;", "|visited ? round_ages : 1'b1;", 40);
}

#[test]
#[ignore = "a model of its own, with the long tests"]
fn the_drain_of_a_hot_average_comes_too_late_for_the_next_op() {
    found("assign previous = is_ahead ? judged : earlier;", "assign previous = earlier;", 12);
}

#[test]
#[ignore = "a model of its own, with the long tests"]
fn the_drain_of_a_hot_average_comes_too_late_for_the_op_after_the_next() {
    found("wire newest = from_two ? judged :", "wire newest = from_two ? waiting :", 12);
}

#[test]
#[ignore = "a model of its own, with the long tests"]
fn the_average_of_the_last_flowcut_goes_on() {
    found("(state_has_average | accepts) & !is_new & !order_risk;", "(state_has_average | accepts);", 12);
}

#[test]
#[ignore = "a model of its own, with the long tests"]
fn the_last_ack_leaves_the_drain() {
    found("(draining & !empties & !entry_cleared) | xoff;", "(draining & !entry_cleared) | xoff;", 12);
}

#[test]
#[ignore = "a model of its own, with the long tests"]
fn the_lower_bit_of_a_pair_is_not_looked_at() {
    found("else if (|clear_low) left", "else if (1'b0) left", 40);
}

#[test]
#[ignore = "a model of its own, with the long tests"]
fn the_lowest_of_equals_is_always_taken() {
    found("members <= |behind ?", "members <= 1'b0 ?", 6);
}

#[test]
#[ignore = "a model of its own, with the long tests"]
fn a_load_reaches_its_last_digit_a_cycle_early() {
    found(".chosen(chosen_0),", ".chosen(chosen_1),", 12);
}
