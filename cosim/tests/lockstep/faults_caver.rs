//! Faults made by hand in the generated Verilog of `caver`: each is found by random ops and shrunk to a few.

use respray_cosim::cores::caver::CaverCore;
use respray_cosim::lockstep::op_core::OpCore;
use respray_cosim::lockstep::{Compiled, Stimulus};
use respray_cosim::traffic::optrace::OpTrace;
use respray_cosim::verilator::{BuildOptions, Model, Source};

use super::pass_caver::{SMALL, random};
use super::{faults, generated};

/// Edges of random ops within which every fault is found.
const CYCLES: u64 = 4_000_000;

fn found(text: &str, wrong: &str, most: usize) {
    let core = generated("caver", SMALL);
    faults::found(&core, random(&core, CYCLES, &[]), text, wrong, most);
}

#[test]
fn a_path_is_taken_of_which_one_half_is_not_worse() {
    let (text, wrong) = ("(own_is_low & told_is_low);", "(own_is_low | told_is_low);");
    found(text, wrong, 12);
}

#[test]
fn the_bytes_of_a_packet_come_too_late_for_the_next_op() {
    found("follows <= changes & (port == sum_port);", "follows <= 1'b0;", 12);
}

#[test]
#[ignore = "a model of its own, with the long tests"]
fn the_bytes_of_a_packet_come_too_late_for_an_ack_with_a_path_by_their_port() {
    found("other_follows <= changes & (other_port == sum_port);", "other_follows <= 1'b0;", 12);
}

// The better one of two paths

#[test]
#[ignore = "a model of its own, with the long tests"]
fn of_equal_paths_the_older_one_stays() {
    let margins = "!stored_less_told[8] | !behind_less_told[8];";
    found(margins, "$signed(stored_less_told) > 0 || $signed(behind_less_told) > 0;", 12);
}

#[test]
#[ignore = "a model of its own, with the long tests"]
fn the_congestion_of_the_port_of_an_ack_is_not_compared() {
    found("!stored_less_own[8] | !behind_less_own[8];", "1'b1;", 12);
}

#[test]
#[ignore = "a model of its own, with the long tests"]
fn a_worse_report_of_the_stored_port_is_not_believed() {
    found("!known_path_lives | known_is_same_port;", "!known_path_lives;", 12);
}

#[test]
#[ignore = "a model of its own, with the long tests"]
fn the_congestion_of_the_port_is_stored_with_that_behind_it() {
    found("assign written_path_ce = verdict_ce;", "assign written_path_ce = total;", 12);
}

// Ages, ports that are up, the walker

#[test]
#[ignore = "a model of its own, with the long tests"]
fn an_entry_that_is_just_as_old_as_it_may_be_is_dead() {
    found("assign is_young = age <= most;", "assign is_young = age < most;", 12);
}

#[test]
#[ignore = "a model of its own, with the long tests"]
fn an_age_does_not_go_on_where_the_time_wraps() {
    found("wire [7:0] age = now - seen;", "wire [7:0] age = now < seen ? 8'd0 : now - seen;", 12);
}

#[test]
#[ignore = "a model of its own, with the long tests"]
fn a_packet_does_not_keep_its_flow_alive() {
    found("(is_first & !collides) |", "(is_first & !known_flow_lives) |", 12);
}

#[test]
#[ignore = "a model of its own, with the long tests"]
fn a_flow_without_a_route_dies_with_a_port() {
    found("(!compared_flow_is_routed | in_compare_up", "(in_compare_up", 12);
}

#[test]
#[ignore = "a model of its own, with the long tests"]
fn a_path_by_a_port_that_is_down_is_used() {
    found("path_age_limit_is_young & in_compare_up[compared_path_port];", "path_age_limit_is_young;", 12);
}

#[test]
#[ignore = "a model of its own, with the long tests"]
fn the_walker_leaves_dead_paths() {
    found("op_kind_visit & !known_path_lives;", "1'b0;", 40);
}

#[test]
#[ignore = "a model of its own, with the long tests"]
fn the_walker_leaves_dead_flows() {
    found("(op_kind_visit & !known_flow_lives);", "1'b0;", 40);
}

#[test]
#[ignore = "a model of its own, with the long tests"]
fn the_walker_clears_paths_that_live() {
    found("op_kind_visit & !known_path_lives;", "op_kind_visit;", 40);
}

// Flows and routes

#[test]
#[ignore = "a model of its own, with the long tests"]
fn a_flow_to_another_host_is_taken_for_its_own() {
    found(
        "(compared_flow_tag == in_compare_tag) & (compared_flow_dst == in_compare_dst);",
        "compared_flow_tag == in_compare_tag;",
        12,
    );
}

#[test]
#[ignore = "a model of its own, with the long tests"]
fn a_route_goes_on_behind_its_last_hop() {
    found("(|op_next_hop) & is_port &", "is_port &", 6);
}

#[test]
#[ignore = "a model of its own, with the long tests"]
fn the_upper_bits_of_a_port_in_a_route_are_cut_off() {
    found("(|op_next_hop) & is_port &", "(|op_next_hop) &", 6);
}

#[test]
#[ignore = "a model of its own, with the long tests"]
fn a_route_leads_to_a_host() {
    found("is_port & !is_host[op_next_port];", "is_port;", 6);
}

#[test]
#[ignore = "a model of its own, with the long tests"]
fn a_route_from_a_host_is_believed() {
    found(
        "op_kind_data & !op_from_host & !op_to_host & op_enable;",
        "op_kind_data & !op_to_host & op_enable;",
        6,
    );
}

// ACKs and data

#[test]
#[ignore = "a model of its own, with the long tests"]
fn an_ack_goes_by_what_data_says_of_its_host() {
    found("kind[0] ? to_local : is_local;", "is_local;", 6);
}

#[test]
#[ignore = "a model of its own, with the long tests"]
fn acks_count_as_data() {
    let bytes = "sum_bytes <= kind_data ? bytes : 14'd0;";
    let text = format!(
        "adds <= kind_data;
        decays <= kind_decay | clear;
        sets <= kind_set_shift | clear;
        sum_port <= port;
        {bytes}"
    );
    found(&text, &text.replace("kind_data", "kind_data | kind_ack"), 12);
}

#[test]
#[ignore = "a model of its own, with the long tests"]
fn a_full_path_is_refused_at_its_end() {
    found("wire is_full = (&op_len) & !op_to_host;", "wire is_full = &op_len;", 6);
}

#[test]
#[ignore = "a model of its own, with the long tests"]
fn a_full_path_is_passed_on_by_the_ack_of_another() {
    found("(!takes & !verdict_to_host & (&verdict_stored_len))", "(1'b0)", 12);
}

#[test]
#[ignore = "a model of its own, with the long tests"]
fn a_refused_path_is_stored() {
    found(
        "assign writes_path = (verdict_compares & takes)",
        "assign writes_path = (verdict_is_ack & (verdict_code == 4'ha) & takes)",
        12,
    );
}

#[test]
#[ignore = "a model of its own, with the long tests"]
fn a_path_that_begins_here_has_ports() {
    found("outcome_path = 32'hffffffff;", "outcome_path = verdict_stored;", 6);
}

#[test]
#[ignore = "a model of its own, with the long tests"]
fn the_own_port_is_no_hop_of_a_path() {
    found("outcome_len = len + 2'd1;", "outcome_len = len;", 6);
}

// Sums of ports

#[test]
#[ignore = "a model of its own, with the long tests"]
fn a_sum_loses_nothing_in_its_period() {
    found("decays <= kind_decay | clear;", "decays <= clear;", 40);
}

#[test]
#[ignore = "a model of its own, with the long tests"]
fn a_sum_loses_a_byte_too_many() {
    found("addend + {26'd0, decays};", "addend;", 40);
}

/// Random ops fill no sum, and no shorter trace than this does.
#[test]
#[ignore = "a model of its own, with the long tests"]
fn a_sum_goes_round_where_it_is_full() {
    let core = generated("caver", SMALL);
    let (right, wrong) = ("wire changed_is_full = total[26];", "wire changed_is_full = 1'b0;");
    assert_eq!(core.verilog.matches(right).count(), 1);
    let text = crate::rules::caver::a_full_sum();
    let config = &core.manifest.config;
    let trace = OpTrace::parse(text.as_bytes(), "a full sum", CaverCore::CONTRACT, config).unwrap();
    let stimulus = Stimulus::Made { trace, arguments: Vec::new(), warnings: Vec::new(), account: None };
    for (verilog, differs) in [(core.verilog.clone(), false), (core.verilog.replace(right, wrong), true)] {
        let options = BuildOptions { quick: true, ..BuildOptions::default() };
        let model = Model::build(&Source::new("caver", verilog), &options).unwrap();
        let probed = CaverCore::probed(&core, model, &stimulus, 1).unwrap();
        assert_eq!(probed.seen.map(|seen| seen.port), differs.then(|| "res_ce".to_string()));
    }
}

#[test]
#[ignore = "a model of its own, with the long tests"]
fn the_core_has_a_slot_of_its_own_too_seldom() {
    found("is_last <= slot == 4'he;", "is_last <= slot == 4'he && !is_due;", 40);
}

#[test]
#[ignore = "a model of its own, with the long tests"]
fn congestion_above_255_goes_round() {
    // of the usual seed a port is filled by many packets
    let core = generated("caver", SMALL);
    let text = "is_beyond | (|(fine >> 4'd8)) ?";
    faults::found_of_seed(Some(2), &core, random(&core, CYCLES, &[]), text, "is_beyond ?", 12);
}

#[test]
#[ignore = "a model of its own, with the long tests"]
fn a_shift_of_24_is_one_of_16() {
    found("coarse = estimate_sum >> 5'h18;", "coarse = estimate_sum >> 5'h10;", 40);
}

// Ops that share an entry

#[test]
#[ignore = "a model of its own, with the long tests"]
fn an_op_does_not_wait_for_the_flow_entry_of_the_sixth_ahead() {
    found("uses_flow & flow_5 & (places_5 == place);", "1'b0;", 12);
}

#[test]
#[ignore = "a model of its own, with the long tests"]
fn data_does_not_wait_for_the_path_of_an_ack() {
    found(
        "decode_op_kind_data | decode_op_kind_ack | decode_op_kind_visit;",
        "decode_op_kind_ack | decode_op_kind_visit;",
        12,
    );
}

#[test]
#[ignore = "a model of its own, with the long tests"]
fn a_wait_is_a_stage_too_short() {
    found("waits = ahead << 1'b1;", "waits = ahead << 2'd2;", 12);
}

#[test]
#[ignore = "a model of its own, with the long tests"]
fn an_op_leaves_while_it_waits() {
    found("assign leaves = live & !holds;", "assign leaves = live;", 12);
}

// Clearing

#[test]
#[ignore = "a model of its own, with the long tests"]
fn paths_outlive_a_reset() {
    found("judge_writes_path | slots_clears;", "judge_writes_path;", 12);
}

#[test]
#[ignore = "a model of its own, with the long tests"]
fn sums_outlive_a_reset() {
    found("sum_alpha <= 3'd0;", "sum_alpha <= 3'd1;", 40);
}

#[test]
#[ignore = "a model of its own, with the long tests"]
fn shifts_outlive_a_reset() {
    found("sets <= kind_set_shift | clear;", "sets <= kind_set_shift;", 12);
}

// The list of hosts

/// The same of the core with such a list.
fn found_with_a_list(text: &str, wrong: &str, most: usize) {
    found_with_a_list_of(None, text, wrong, most);
}

/// The same with random ops of another seed.
fn found_with_a_list_of(seed: Option<u64>, text: &str, wrong: &str, most: usize) {
    let core = generated("caver", &[SMALL, &["caver.advertise=round_robin"]].concat());
    let ops = random(&core, CYCLES, &["ops_per_reset=3000"]);
    faults::found_of_seed(seed, &core, ops, text, wrong, most);
}

#[test]
#[ignore = "a model of its own, with the long tests"]
fn the_list_goes_round_to_its_second_host() {
    found_with_a_list("(behind == count ? 7'd0 : behind)", "(behind == count ? 7'd1 : behind)", 12);
}

#[test]
#[ignore = "a model of its own, with the long tests"]
fn a_list_that_is_full_takes_a_host() {
    found_with_a_list_of(Some(2), "adds & (count != MOST);", "adds;", 40);
}

#[test]
#[ignore = "a model of its own, with the long tests"]
fn the_congestion_is_that_of_the_port_by_which_the_ack_came() {
    found_with_a_list("in_decide_port <= hosts_host_port;", "in_decide_port <= in_compare_port;", 12);
}

#[test]
#[ignore = "a model of its own, with the long tests"]
fn an_ack_that_stays_at_the_switch_takes_the_turn_of_a_host() {
    let (text, wrong) = ("& in_compare_from_host & !in_compare_to_host;", "& in_compare_from_host;");
    found_with_a_list(text, wrong, 12);
}

#[test]
#[ignore = "a model of its own, with the long tests"]
fn the_list_outlives_a_reset() {
    found_with_a_list("wire hosts_rst = rst | slots_clears;", "wire hosts_rst = 1'b0;", 40);
}
