//! The selectors beside `reps`: random ops, recordings, traces of public code, and faults by hand in those that hear no feedback.

use std::path::Path;

use respray_cosim::cores::ecmp::EcmpCore;
use respray_cosim::cores::flowlet::FlowletCore;
use respray_cosim::cores::mprdma::MprdmaCore;
use respray_cosim::cores::ops::OpsCore;
use respray_cosim::cores::plb::PlbCore;
use respray_cosim::cores::selector::Knobs;
use respray_cosim::cores::subflows::SubflowsCore;
use respray_cosim::lockstep::Compiled;
use respray_cosim::lockstep::report::{Report, Verdict};
use respray_cosim::lockstep::{Stimulus, given};
use respray_cosim::traffic::capture::Cut;
use respray_cosim::traffic::optrace::Settings;
use respray_cosim::traffic::random::Knobs as _;

use super::passing::{self, covered, is_whole, recording};
use super::{faults, file, generated, options, run};

/// Edges of random ops within which every fault is found.
const CYCLES: u64 = 1_000_000;

pub(super) fn random<C: Compiled<Knobs = Knobs>>(connections: u32, cycles: u64) -> Stimulus<C> {
    Stimulus::Random { cycles, knobs: Knobs { ops_per_reset: 10_000, ..Knobs::new(connections) } }
}

pub(super) fn passes<C: Compiled<Knobs = Knobs>>(
    sets: &[&str],
    stimulus: impl Fn(u32) -> Stimulus<C>,
) -> Report {
    let core = generated(C::CONTRACT.core, sets);
    passing::passes(&core, stimulus(core.manifest.config.connections))
}

#[test]
fn random_ops_pass_and_reach_what_there_is() {
    let ecmp = passes::<EcmpCore>(&[], |connections| random(connections, 400_000));
    assert!(ecmp.counts.get("explore") > 1000 && ecmp.counts.get("replay") > 10_000);
    for sets in [&[][..], &["ops.order=permuted", "ops.paths=16", "connections=16"]] {
        let ops = passes::<OpsCore>(sets, |connections| random(connections, 400_000));
        assert!(ops.counts.get("explore") > 50_000 && ops.counts.get("recycle") == 0);
    }
}

/// Random ops pass, and run every line of the Verilog.
fn covers<C: Compiled<Knobs = Knobs>>(sets: &[&str]) -> Report {
    passing::covers(&generated(C::CONTRACT.core, sets), random::<C>(16, 300_000))
}

/// The same of `plb`, whose excess marks saturate only after some hundred packets of one round: a trace of them runs, too.
fn covers_plb(sets: &[&str]) -> Report {
    let core = generated("plb", sets);
    let (report, mut coverage) = covered::<PlbCore>(&core, random(16, 300_000));
    let dir = tempfile::tempdir().unwrap();
    let packets = |count, marked, threshold| format!("50,ack,3,1,{marked},{threshold}\n").repeat(count);
    let trace = [
        "# respray: round_ticks=100\ntime_ns,op,conn,ev,ecn,mark_threshold\n0,ack,3,1,0,0\n".to_string(),
        packets(300, 1, 0),
        packets(600, 0, 255),
        packets(257, 1, 0),
        "101,ack,3,1,0,0\n".to_string(),
    ];
    let trace = file(dir.path(), "saturates.csv", &trace.concat());
    let (saturated, lines) = covered::<PlbCore>(&core, Stimulus::Ops(trace));
    assert_eq!(saturated.counts.get("rounds_congested"), 1, "from the lowest sum 257 marks are enough");
    coverage.merge(&lines);
    is_whole(&core, &coverage);
    report
}

#[test]
fn every_line_runs() {
    let subflows = covers::<SubflowsCore>(&["connections=16", "selector.ev_bits=6"]);
    assert_eq!(subflows.counts.get("explore"), subflows.counts.get("sends"));
    let mprdma = covers::<MprdmaCore>(&["connections=16", "selector.ev_bits=15"]);
    assert!(mprdma.counts.get("explore") > 10_000 && mprdma.counts.get("recycle") > 10_000);
    let flowlet = covers::<FlowletCore>(&["connections=16", "selector.ev_bits=3"]);
    assert!(flowlet.counts.get("paths_moved") > 10_000 && flowlet.counts.get("replay") > 10_000);
    let plb = covers_plb(&["connections=16", "selector.ev_bits=15"]);
    assert!(plb.counts.get("paths_moved") > 3_000 && plb.counts.get("rounds_congested") > 3_000);
}

#[test]
#[ignore = "a model for each, with the long tests"]
fn every_line_runs_in_the_other_configurations() {
    let plain = |sets| assert!(covers::<FlowletCore>(sets).counts.get("paths_moved") > 3_000, "{sets:?}");
    plain(&["connections=16", "flowlet.since=ack"]);
    plain(&["connections=16", "flowlet.since=ack", "selector.time_bits=16"]);
    plain(&["connections=16", "selector.time_bits=16"]);
    covers_plb(&["connections=16", "selector.time_bits=16"]);
}

pub(super) fn recorded<C: Compiled>() -> Report {
    let recording = recording("path-failure-sender.pcap.gz");
    let core = generated(C::CONTRACT.core, &[]);
    let stimulus = given::capture::<C>(&recording, None, None, Cut::Refused, &core.manifest.config).unwrap();
    let report = passing::passes(&core, stimulus);
    let counts = &report.counts;
    let kinds = ["explore", "recycle", "replay"].map(|kind| counts.get(kind));
    assert!(counts.get("sends") > 1000 && counts.get("sends") == kinds.iter().sum::<u64>(), "{counts:?}");
    report
}

#[test]
fn every_send_of_a_recording_has_its_result() {
    assert_eq!(recorded::<EcmpCore>().counts.get("recycle"), 0);
    let plb = recorded::<PlbCore>();
    assert!(plb.counts.get("paths_moved") > 10, "the recording has timeouts: {:?}", plb.counts);
}

#[test]
#[ignore = "a model for each, with the long tests"]
fn every_send_of_a_recording_has_its_result_with_the_other_selectors() {
    assert_eq!(recorded::<SubflowsCore>().counts.get("replay"), 0);
    assert_eq!(recorded::<MprdmaCore>().counts.get("replay"), 0);
    assert!(recorded::<FlowletCore>().counts.get("paths_moved") > 10);
}

/// Replays a trace of public code on 16 connections, and gives its sends, if the trace is there; every kind and every EV of it
/// is compared.
pub(super) fn replayed<C: Compiled>(
    name: &str,
    sets: &[&str],
    seed: u64,
    settings: &[(&'static str, u64)],
) -> Option<u64> {
    let oracle = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/oracle");
    let path = oracle.join(format!("{name}.csv.gz"));
    if !path.exists() {
        eprintln!("skipped: {} is not there", path.display());
        return None;
    }
    let sets: Vec<&str> = ["connections=16"].iter().chain(sets).copied().collect();
    let core = generated(C::CONTRACT.core, &sets);
    let mut options = options::<C>(Stimulus::Ops(path.clone()), Path::new("."));
    options.own.seed = Some(seed);
    options.own.settings =
        settings.iter().fold(Settings::default(), |given, (name, value)| given.with(name, *value));
    let report = run(&core, &options).unwrap();
    assert_eq!(report.result, Verdict::Pass, "{}: {}", path.display(), report.failure.unwrap());
    Some(report.counts.get("sends"))
}

/// The traces say where each comes from.
#[test]
fn traces_of_public_code_pass_with_every_ev_equal() {
    let evs_of_15_bits = "selector.ev_bits=15";
    let permuted = ["ops.order=permuted", "ops.paths=256"];
    for (found, wanted) in [
        (replayed::<EcmpCore>("ecmp_15", &[evs_of_15_bits], 15, &[]), 11_281),
        (replayed::<OpsCore>("ops_random_11", &[evs_of_15_bits], 11, &[]), 10_384),
        (replayed::<OpsCore>("ops_permuted_21", &permuted, 21, &[]), 10_202),
        (
            replayed::<SubflowsCore>("subflows_81", &["selector.ev_bits=6"], 81, &[("subflow_count", 8)]),
            10_442,
        ),
        (replayed::<MprdmaCore>("mprdma_71", &[evs_of_15_bits], 71, &[]), 10_495),
        (
            replayed::<FlowletCore>(
                "flowlet_ack_51",
                &[evs_of_15_bits, "flowlet.since=ack"],
                51,
                &[("gap", 4000), ("hold", 20_000)],
            ),
            10_322,
        ),
        (replayed::<FlowletCore>("flowlet_send_52", &["selector.ev_bits=3"], 52, &[("gap", 5)]), 10_449),
        (
            replayed::<PlbCore>(
                "plb_61",
                &[evs_of_15_bits],
                61,
                &[("round_ticks", 30_000), ("rto", 70_000), ("mark_threshold", 0), ("congested_rounds", 1)],
            ),
            10_236,
        ),
    ] {
        assert!(found.is_none_or(|found| found == wanted), "{found:?} sends, {wanted} are in the trace");
    }
}

fn found<C: Compiled<Knobs = Knobs>>(sets: &[&str], text: &str, wrong: &str, most: usize) {
    let core = generated(C::CONTRACT.core, sets);
    let stimulus = random::<C>(core.manifest.config.connections, CYCLES);
    faults::found(&core, stimulus, text, wrong, most);
}

const PERMUTED: [&str; 2] = ["ops.order=permuted", "ops.paths=16"];

/// Faults of `ecmp`: what stands in the Verilog, what stands there instead, and the most lines of a trace that shows it.
const OF_ECMP: [(&str, &str, usize); 7] = [
    // forwarding from each of the four ops ahead
    ("wire same_one = read_valid & (op_conn == read_conn);", "wire same_one = 1'b0;", 2),
    ("wire same_two = forward_valid & (op_conn == forward_conn);", "wire same_two = 1'b0;", 3),
    ("wire same_three = update_valid & (op_conn == update_conn);", "wire same_three = 1'b0;", 4),
    ("wire same_four = write_live & (op_conn == write_conn);", "wire same_four = 1'b0;", 5),
    // init leaves the connection
    ("read_keeps <= take & !(op_kind == 3'd4);", "read_keeps <= take;", 3),
    // an op is taken without its valid
    ("wire take = op_valid & ready;", "wire take = ready;", 2),
    // the last connection is not cleared
    ("ready <= ready | (&write_conn);", "ready <= ready | (&write_conn[7:1]);", 1),
];

#[test]
fn forwarding_from_the_op_just_ahead_in_ecmp_is_off() {
    let (text, wrong, most) = OF_ECMP[0];
    found::<EcmpCore>(&[], text, wrong, most);
}

#[test]
#[ignore = "a model for each, with the long tests"]
fn faults_of_ecmp_are_found_and_shrunk() {
    for (text, wrong, most) in OF_ECMP {
        found::<EcmpCore>(&[], text, wrong, most);
    }
}

#[test]
fn a_draw_at_every_send_of_ecmp_is_found() {
    found::<EcmpCore>(&[], "draw = send & !state_drawn;", "draw = send;", 2);
}

#[test]
fn faults_of_ops_are_found_and_shrunk() {
    for (sets, text, wrong, most) in [
        (
            &PERMUTED[..],
            "wire same_four = write_live & (op_conn == write_conn);",
            "wire same_four = 1'b0;",
            5,
        ),
        (&[], "wire take = op_valid & ready;", "wire take = ready;", 2),
    ] {
        found::<OpsCore>(sets, text, wrong, most);
    }
}
