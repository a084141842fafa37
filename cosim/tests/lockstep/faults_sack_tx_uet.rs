//! Faults in the scoreboard of Ultra Ethernet: each is found by random ops, or by an op trace where it says so, and shrunk to a few.

use respray_cosim::cores::sack_tx::uet::UetTxCore;
use respray_cosim::lockstep::Stimulus;

use super::faults::found;
use super::file;
use super::pass_sack_tx_uet::{random, uet};

/// Edges of random ops within which every fault is found.
const CYCLES: u64 = 4_000_000;

fn is_found(text: &str, wrong: &str, most: usize) {
    let core = uet(&["connections=16", "sack.window=128"]);
    found(&core, random(&core, CYCLES, &[]), text, wrong, most);
}

/// By these ops after PSN 0 was sent at time 0.
fn is_found_by_ops(text: &str, wrong: &str, ops: &str) {
    let core = uet(&["connections=16", "sack.window=128"]);
    let columns = "# respray: probe_timeout=65535\nnow,op,conn,psn,cum_next,rto,max_rto_retx,idle";
    let trace = format!("{columns}\n0,init,3,0,,,,\n0,sent,3,0,,,,\n{ops}");
    let dir = tempfile::tempdir().unwrap();
    let ops = Stimulus::<UetTxCore>::Ops(file(dir.path(), "ops.csv", &trace));
    found(&core, ops, text, wrong, 8);
}

#[test]
fn a_bitmap_begins_with_a_word() {
    is_found("wire [31:0] both = {word, earlier};", "wire [31:0] both = {word, 16'd0};", 8);
}

#[test]
fn a_timeout_is_a_loss_where_nothing_lacks() {
    let ops = "0,ack,3,0,0,,,\n100,read,3,,,100,5,\n100,read,3,,,100,5,600\n";
    is_found_by_ops("assign loses = is_over & !is_last & lacks;", "assign loses = is_over & !is_last;", ops);
}

#[test]
#[ignore = "a model of its own, with the long tests"]
fn a_connection_dies_a_timeout_early() {
    let ops = "100,read,3,,,100,0,\n100,read,3,,,100,0,600\n";
    is_found_by_ops("is_dead <= timeouts > borne;", "is_dead <= timeouts >= borne;", ops);
}

#[test]
#[ignore = "a model of its own, with the long tests"]
fn an_ordered_connection_goes_back_for_each_nack() {
    is_found(
        "assign back = ordered & !told & (trimmed | to_una);",
        "assign back = ordered & (trimmed | to_una);",
        60,
    );
}

#[test]
#[ignore = "a model of its own, with the long tests"]
fn progress_leaves_a_connection_told() {
    is_found(
        "((control_ram_read_data_told & !cumulative_moves & !loss_times_out)",
        "((control_ram_read_data_told & !loss_times_out)",
        16,
    );
}

#[test]
#[ignore = "a model of its own, with the long tests"]
fn an_older_count_of_bytes_is_taken() {
    is_found("wire has_grown = has_state & !high[15];", "wire has_grown = has_state;", 8);
}

#[test]
#[ignore = "a model of its own, with the long tests"]
fn an_answer_to_a_probe_that_cannot_be_is_walked_over() {
    is_found(
        "if (step_9 & unheard) stop_at <= {2'd0, una_low[5:4]};",
        "if (step_9 & unheard) stop_at <= mark[7:4];",
        12,
    );
}

#[test]
#[ignore = "a model of its own, with the long tests"]
fn a_bitmap_below_the_window_counts() {
    is_found("(has_bitmap & pick_found & !pick_top_below)", "(has_bitmap & pick_found)", 12);
}
