//! Faults made by hand in the generated Verilog of the selectors that work on one op at a time: each is found by random ops and shrunk
//! to a few.

use respray_cosim::cores::bitmap::BitmapCore;
use respray_cosim::cores::mixed::MixedCore;
use respray_cosim::cores::strack::StrackCore;
use respray_cosim::lockstep::Stimulus;

use super::faults_selectors::{Fault, found, found_of_seed};
use super::walking::storm;
use super::{faults, file, generated};

#[test]
fn a_mark_of_the_wrong_polarity_is_found() {
    found::<StrackCore>(&[], &STRACK[..1]);
}

#[test]
#[ignore = "a model for each fault, with the long tests"]
fn faults_of_strack() {
    found::<StrackCore>(&[], &STRACK[1..]);
}

#[test]
#[ignore = "a model for each fault, with the long tests"]
fn faults_of_bitmap() {
    // of the usual seed some of them show only behind many rounds
    found_of_seed::<BitmapCore>(Some(2), &["bitmap.paths=16"], BITMAP);
}

#[test]
#[ignore = "a model for each fault, with the long tests"]
fn faults_of_mixed() {
    found::<MixedCore>(&["bitmap.paths=16", "mixed.depth=8"], MIXED);
}

/// A search that comes back goes on: random ops hardly ever mark all paths.
#[test]
#[ignore = "a model of its own, with the long tests"]
fn a_search_without_an_end_is_found() {
    let folder = tempfile::tempdir().unwrap();
    let without_results = |line: &str| line.split(',').take(6).collect::<Vec<_>>().join(",");
    let ops: Vec<String> = storm().lines().map(without_results).collect();
    let stimulus = Stimulus::<StrackCore>::Ops(file(folder.path(), "ops.csv", &ops.join("\n")));
    let core = generated("strack", &["connections=16"]);
    let [right, wrong] = ["assign ends = in_place & (fits | is_back);", "assign ends = in_place & fits;"];
    faults::found(&core, stimulus, right, wrong, 20);
}

const STRACK: &[Fault] = &[
    // 0 for marked, as the paper prints it
    (
        "wire [7:0] value = op_feedback & op_marked ? 8'hff : 8'd0;",
        "wire [7:0] value = op_feedback & !op_marked ? 8'hff : 8'd0;",
        12,
    ),
    // a marked ACK leaves the path that was named
    (
        "assign after_has_good = op_feedback & !op_marked;",
        "assign after_has_good = (op_feedback & !op_marked) | (op_feedback & state_has_good);",
        12,
    ),
    // path 0 is never recycled
    (
        "wire recycles = op_send & state_has_good;",
        "wire recycles = op_send & state_has_good & (|state_good);",
        12,
    ),
    // the turn does not go on from a recycled path
    (
        "wire [7:0] chosen = explores ? search_place : state_good;",
        "wire [7:0] chosen = explores ? search_place : state_latest;",
        12,
    ),
    // EVs outside the set are folded into it
    ("wire marks = op_feedback & op_inside;", "wire marks = op_feedback;", 12),
    // a send forgives nothing
    ("assign write = done & (marks | (explores & search_is_marked));", "assign write = done & marks;", 24),
    // P for P + 1 and the like: of the modulo, of the path searched, of the remainder
    ("wire folds = explores & (latest > highest);", "wire folds = explores & (latest >= highest);", 12),
    ("wire fits = has_place & (candidate <= highest);", "wire fits = has_place & (candidate < highest);", 36),
    (
        "wire [8:0] reduced = doubled - {1'b0, highest} - 9'd1;",
        "wire [8:0] reduced = doubled - {1'b0, highest};",
        36,
    ),
    // a word that was not written since init reads what it had
    ("wire [31:0] marks = is_live ? word : 32'd0;", "wire [31:0] marks = word;", 12),
    // paths below the first one are candidates in its own word
    ("wire [7:0] below = ~(8'hff << fine);", "wire [7:0] below = 8'd0;", 12),
    // a NACK is no mark
    ("assign op_marked = is_nack | ecn;", "assign op_marked = ecn;", 12),
    // the window is taken whole, and not doubled
    (
        "wire [11:0] less_one = cwnd_packets - 12'd1;",
        "wire [11:0] less_one = (cwnd_packets >> 1) - 12'd1;",
        40,
    ),
];

const BITMAP: &[Fault] = &[
    // a marked ACK counts as a NACK; a cap of 14
    ("& ecn ? 4'd1 : 4'd0;", "& ecn ? 4'd4 : 4'd0;", 18),
    ("sum[4] ? 4'hf : sum[3:0];", "sum[4] ? 4'he : sum[3:0];", 36),
    // the counter that a send lowers is that of the path it takes: not written at all
    ("write <= done & (op_feedback | (searches & own_is_above));", "write <= done & op_feedback;", 36),
    // the freed counter is not seen in the next round
    ("is_freed <= own_is_one;", "is_freed <= 1'b0;", 60),
    // the order of the next round in this one
    (
        "wire [3:0] low_order = chosen_again ? next_x[3:0] : round_word[3:0];",
        "wire [3:0] low_order = round_word[3:0];",
        60,
    ),
    // a round draws when it ends
    ("wire last_draw = done & searches & is_last;", "wire last_draw = 1'b0;", 60),
    // a word that was not written since init reads what it had
    ("wire [63:0] counts = is_live ? counters : 64'd0;", "wire [63:0] counts = counters;", 18),
];

const MIXED: &[Fault] = &[
    // a full ring forgets its newest EV
    ("is_full = state_is_full | (slot_after == state_oldest);", "is_full = slot_after == state_oldest;", 40),
    // marked ACKs append, too; a NACK does not go to the counters
    ("(op_kind == 3'd1) & !op_ecn", "op_kind == 3'd1", 12),
    // the newest EV in place of the oldest
    (".read_number(pipeline_state_oldest)", ".read_number(pipeline_state_free)", 12),
    // a send takes an EV and leaves it in the list
    ("if (recycles) begin oldest = slot_behind;", "if (1'b0) begin oldest = slot_behind;", 18),
    // counters hear nothing of good ACKs' kind: a recycled send searches as well
    (".rests(list_recycles)", ".rests(1'b0)", 12),
    // the place of a recycled EV is not kept
    ("wire pipeline_writes = rounds_writes | list_recycles;", "wire pipeline_writes = rounds_writes;", 24),
];
