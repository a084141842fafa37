//! Faults made by hand in the generated Verilog of the selectors that take turns or hear feedback: each is found by random ops and
//! shrunk to a few.

use respray_cosim::cores::flowlet::FlowletCore;
use respray_cosim::cores::mprdma::MprdmaCore;
use respray_cosim::cores::plb::PlbCore;
use respray_cosim::cores::selector::Knobs;
use respray_cosim::cores::subflows::SubflowsCore;
use respray_cosim::lockstep::{Compiled, Stimulus};
use respray_cosim::traffic::random::Knobs as _;

use super::{faults, generated};

/// Edges of random ops within which every fault is found.
const CYCLES: u64 = 2_000_000;

/// Text of the Verilog, what stands in its place, and how many lines the trace has at most that shows it.
pub(super) type Fault = (&'static str, &'static str, usize);

pub(super) fn found<C: Compiled<Knobs = Knobs>>(sets: &[&str], these: &[Fault]) {
    found_of_seed::<C>(None, sets, these);
}

/// The same with random ops of another seed than the usual one.
pub(super) fn found_of_seed<C: Compiled<Knobs = Knobs>>(seed: Option<u64>, sets: &[&str], these: &[Fault]) {
    let sets: Vec<&str> = ["connections=16"].iter().chain(sets).copied().collect();
    let core = generated(C::CONTRACT.core, &sets);
    for (text, wrong, most) in these {
        let knobs = Knobs { ops_per_reset: 10_000, ..Knobs::new(16) };
        let ops = Stimulus::Random { cycles: CYCLES, knobs };
        faults::found_of_seed::<C>(seed, &core, ops, text, wrong, *most);
    }
}

#[test]
#[ignore = "a model for each fault, with the long tests"]
fn faults_of_subflows() {
    found::<SubflowsCore>(&["selector.ev_bits=6"], SUBFLOWS);
}

#[test]
#[ignore = "a model for each fault, with the long tests"]
fn faults_of_mprdma() {
    found::<MprdmaCore>(&[], MPRDMA);
}

#[test]
#[ignore = "a model for each fault, with the long tests"]
fn faults_of_flowlet() {
    found::<FlowletCore>(&[], FLOWLET_SEND);
    found::<FlowletCore>(&["flowlet.since=ack"], FLOWLET_ACK);
}

#[test]
#[ignore = "a model for each fault, with the long tests"]
fn faults_of_plb() {
    found::<PlbCore>(&[], PLB);
}

const SUBFLOWS: &[Fault] = &[
    ("wire same_one = read_valid & (op_conn == read_conn);", "wire same_one = 1'b0;", 3),
    ("assign draw = op_send & !state_drawn;", "assign draw = op_send;", 2),
    // `>` for `>=`: a subflow more
    ("(following >= op_count ?", "(following > op_count ?", 3),
    // another op takes the turn, too
    ("assign after_place = op_send ?", "assign after_place = 1'b1 ?", 4),
];

const MPRDMA: &[Fault] = &[
    ("assign draw = op_send & !state_room;", "assign draw = op_send;", 3),
    ("assign ev = draw ? fresh_ev : state_ev;", "assign ev = fresh_ev;", 3),
    // NACKs: name no EV, say that there is room
    ("assign after_ev = op_names ? op_ev : state_ev;", "assign after_ev = op_ack ? op_ev : state_ev;", 4),
    (
        "assign after_room = op_ack ? op_room : state_room;",
        "assign after_room = op_names ? op_room : state_room;",
        4,
    ),
];

const FLOWLET_SEND: &[Fault] = &[
    // `>=` for `>` of the gap, and a gap of a whole lap
    ("set_at >= earliest;", "set_at > earliest;", 3),
    ("set_at <= forward_now;", "set_at < forward_now;", 3),
    // an interval across a multiple of 2^T
    ("is_whole <= read_now >= read_limit;", "is_whole <= 1'b1;", 4),
    // a time on its way to the RAM
    ("one_sets <= same_one & sets;", "one_sets <= 1'b0;", 4),
    ("wire two_sets = same_two & update_sets;", "wire two_sets = 1'b0;", 6),
    ("wire three_sets = same_three & write_sets;", "wire three_sets = 1'b0;", 7),
    ("wire four_sets = same_four & behind_sets;", "wire four_sets = 1'b0;", 8),
    (
        "assign moves = forward_op_send & (is_gap | !arriving_drawn);",
        "assign moves = forward_op_send & is_gap;",
        3,
    ),
    ("assign path_moved = draw & state_drawn;", "assign path_moved = draw;", 1),
];

const FLOWLET_ACK: &[Fault] = &[
    ("(last_past | !pipeline_arriving_heard) & moved_past", "last_past | !pipeline_arriving_heard", 4),
    ("(last_past | !pipeline_arriving_heard) & moved_past", "moved_past", 5),
    ("(last_past | !pipeline_arriving_heard)", "last_past", 5),
    ("after_heard = state_heard | op_feedback;", "after_heard = op_feedback;", 6),
];

const PLB: &[Fault] = &[
    // K = 1/4 in place of the setting
    ("? mark_threshold : 8'd0", "? 8'd64 : 8'd0", 4),
    // `>=` for `>`: of K, of the rounds, of the times
    ("wire is_congested = !is_low & (sum != less);", "wire is_congested = !is_low;", 3),
    ("(state_rounds > op_rounds)", "(state_rounds >= op_rounds)", 4),
    ("set_at >= earliest;", "set_at > earliest;", 4),
    // clauses dropped: the first round, a timeout's own time, NACKs as marks, the end of a row at a draw
    ("(past | !is_set)", "past", 4),
    (
        "wire is_set = forward_op_timeout ? arriving_timed_out : arriving_in_round;",
        "wire is_set = arriving_in_round;",
        6,
    ),
    ("{op_conn, op_kind == 3'd3}", "{op_conn, 1'b0}", 5),
    ("(op_kind == 3'd2) | ((op_kind == 3'd1) & op_ecn)", "(op_kind == 3'd1) & op_ecn", 3),
    ("after_drawn = 1'b1; after_rounds = 4'd0;", "after_drawn = 1'b1;", 8),
    ("assign round_congested = closes & is_congested;", "assign round_congested = is_congested;", 3),
];
