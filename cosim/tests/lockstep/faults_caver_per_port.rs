//! Faults made by hand in what `caver` has with an entry for each uplink: each is found by random ops and shrunk to a few.

use super::pass_caver::{SMALL, random};
use super::pass_caver_per_port::PER_PORT;
use super::{faults, generated};

/// Edges of random ops within which every fault is found.
const CYCLES: u64 = 4_000_000;

fn found(text: &str, wrong: &str, most: usize) {
    let core = generated("caver", &[SMALL, &[PER_PORT]].concat());
    faults::found(&core, random(&core, CYCLES, &[]), text, wrong, most);
}

/// A fault that shows only after the turn of an uplink: found of a seed with few ops between the turns, so that few are left.
fn found_after_a_turn(seed: u64, text: &str, wrong: &str, most: usize) {
    let core = generated("caver", &[SMALL, &[PER_PORT]].concat());
    let ops = random(&core, CYCLES, &["hot_set=1", "idle_share=1"]);
    faults::found_of_seed(Some(seed), &core, ops, text, wrong, most);
}

// The best one of sixteen

#[test]
#[ignore = "a model of its own, with the long tests"]
fn of_equal_paths_the_first_uplink_is_taken_always() {
    found("rank <= {!lives, key, is_before};", "rank <= {!lives, key, 1'b0};", 12);
}

#[test]
#[ignore = "a model of its own, with the long tests"]
fn of_equal_paths_of_a_pair_the_second_one_is_taken() {
    found("wire first_of_upper = rank_2 <= rank_3;", "wire first_of_upper = rank_2 < rank_3;", 12);
}

#[test]
#[ignore = "a model of its own, with the long tests"]
fn the_best_ones_of_two_pairs_are_not_compared() {
    found("(!first_of_lower & first_of_upper & (rank_1 > rank_2))", "(1'b0)", 12);
}

#[test]
#[ignore = "a model of its own, with the long tests"]
fn acks_take_no_random_place() {
    let (text, wrong) = ("= entering_kind_data | entering_kind_ack;", "= entering_kind_data;");
    found(text, wrong, 12);
}

// What choices see of the uplinks themselves

#[test]
#[ignore = "a model of its own, with the long tests"]
fn the_congestion_of_the_uplinks_does_not_count() {
    found_after_a_turn(3, "seen > ram_read_data_ce ? seen : ram_read_data_ce;", "ram_read_data_ce;", 12);
}

#[test]
#[ignore = "a model of its own, with the long tests"]
fn no_other_uplink_than_the_last_one_has_its_turn() {
    found_after_a_turn(3, "turn <= turn + {3'd0, is_own};", "turn <= turn;", 40);
}

#[test]
#[ignore = "a model of its own, with the long tests"]
fn a_report_is_ranked_without_the_congestion_of_its_uplink() {
    let text = "seen_ram_read_data > reading_ce ? seen_ram_read_data : reading_ce;";
    found_after_a_turn(6, text, "reading_ce;", 12);
}

// Reports

#[test]
#[ignore = "a model of its own, with the long tests"]
fn a_report_is_ranked_by_the_one_before_it() {
    found("key = is_told ? told : seen >", "key = seen >", 12);
}

#[test]
#[ignore = "a model of its own, with the long tests"]
fn a_report_by_an_uplink_that_is_down_is_used() {
    found("wire lives = is_up & (", "wire lives = (", 12);
}

#[test]
#[ignore = "a model of its own, with the long tests"]
fn the_walker_leaves_dead_reports() {
    found("clears | is_stored | (visits & rank[9]);", "clears | is_stored;", 40);
}

#[test]
#[ignore = "a model of its own, with the long tests"]
fn the_walker_clears_reports_that_live() {
    found("clears | is_stored | (visits & rank[9]);", "clears | is_stored | visits;", 40);
}

#[test]
#[ignore = "a model of its own, with the long tests"]
fn a_full_path_that_is_refused_is_stored() {
    found("& (entering_to_host | !(&entering_len));", ";", 12);
}

// The chosen path

#[test]
#[ignore = "a model of its own, with the long tests"]
fn the_ports_behind_an_uplink_are_stored_for_another_one() {
    found("wire tails_2_write_enable = brings & storing[2];", "wire tails_2_write_enable = 1'b0;", 12);
}

#[test]
#[ignore = "a model of its own, with the long tests"]
fn the_ports_behind_an_uplink_are_those_of_another_four() {
    found("if (best_four_output_value == 2'd2) begin", "if (1'b0) begin", 12);
}

#[test]
#[ignore = "a model of its own, with the long tests"]
fn a_running_flow_gets_the_ports_of_the_best_path() {
    let text = "in_decide_kind_ack | (in_decide_from_host & !known_flow_lives);";
    found(text, "in_decide_kind_ack | in_decide_from_host;", 12);
}

#[test]
#[ignore = "a model of its own, with the long tests"]
fn a_path_goes_on_with_the_congestion_of_the_port_of_the_ack() {
    found("chosen_takes | (in_decide_kind_ack & !in_decide_from_host)", "chosen_takes", 12);
}

#[test]
#[ignore = "a model of its own, with the long tests"]
fn a_path_goes_on_without_the_congestion_behind_its_port() {
    found("if (behind > own)", "if (1'b0)", 12);
}

#[test]
#[ignore = "a model of its own, with the long tests"]
fn a_report_goes_on_with_the_congestion_of_the_one_before_it() {
    found("behind = verdict_must_take ? verdict_ce : ce;", "behind = ce;", 12);
}

#[test]
#[ignore = "a model of its own, with the long tests"]
fn a_full_path_is_passed_on() {
    found("wire goes_on = chosen_lives & !(&best_len);", "wire goes_on = chosen_lives;", 12);
}

#[test]
#[ignore = "a model of its own, with the long tests"]
fn a_dead_path_is_passed_on() {
    found("wire goes_on = chosen_lives & !(&best_len);", "wire goes_on = !(&best_len);", 12);
}
