//! The selectors that hear no feedback: random ops, recordings, traces of public code, and faults by hand.

use std::path::Path;

use respray_cosim::cores::ecmp::EcmpCore;
use respray_cosim::cores::ops::OpsCore;
use respray_cosim::cores::selector::Knobs;
use respray_cosim::lockstep::Compiled;
use respray_cosim::lockstep::report::{Report, Verdict};
use respray_cosim::lockstep::{Stimulus, given};
use respray_cosim::traffic::capture::Cut;
use respray_cosim::traffic::random::Knobs as _;

use super::{faults, generated, options, run};

/// Edges of random ops within which every fault is found.
const CYCLES: u64 = 1_000_000;

fn random<C: Compiled<Knobs = Knobs>>(connections: u32, cycles: u64) -> Stimulus<C> {
    Stimulus::Random { cycles, knobs: Knobs { ops_per_reset: 10_000, ..Knobs::new(connections) } }
}

fn passes<C: Compiled<Knobs = Knobs>>(sets: &[&str], stimulus: impl Fn(u32) -> Stimulus<C>) -> Report {
    let core = generated(C::CONTRACT.core, sets);
    let stimulus = stimulus(core.manifest.config.connections);
    let report = run(&core, &options(stimulus, Path::new("."))).unwrap();
    assert_eq!(report.result, Verdict::Pass, "{sets:?}: {}", report.failure.unwrap());
    report
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

#[test]
fn every_send_of_a_recording_has_its_result() {
    let recording = Path::new(env!("CARGO_MANIFEST_DIR")).join("../tb/recordings/steady-sender.pcap.gz");
    let core = generated("ecmp", &[]);
    let stimulus =
        given::capture::<EcmpCore>(&recording, None, None, Cut::Refused, &core.manifest.config).unwrap();
    let report = run(&core, &options(stimulus, Path::new("."))).unwrap();
    assert_eq!(report.result, Verdict::Pass, "{}", report.failure.unwrap());
    let counts = &report.counts;
    assert!(
        counts.get("sends") > 1000 && counts.get("sends") == counts.get("explore") + counts.get("replay")
    );
}

/// The traces say where each comes from; every kind and every EV is compared.
#[test]
fn traces_of_public_code_pass_with_every_ev_equal() {
    let oracle = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../shared/oracle");
    let sends = |name: &str, sets: &[&str], seed: u64| -> Option<u64> {
        let path = oracle.join(format!("{name}.csv.gz"));
        if !path.exists() {
            eprintln!("skipped: {} is not there", path.display());
            return None;
        }
        let sets: Vec<&str> = ["connections=16"].iter().chain(sets).copied().collect();
        let report = if name.starts_with("ecmp") {
            replay::<EcmpCore>(&sets, &path, seed)
        } else {
            replay::<OpsCore>(&sets, &path, seed)
        };
        Some(report.counts.get("sends"))
    };
    let permuted = ["ops.order=permuted", "ops.paths=256"];
    for (found, wanted) in [
        (sends("ecmp_15", &["selector.ev_bits=15"], 15), 11_281),
        (sends("ops_random_11", &["selector.ev_bits=15"], 11), 10_384),
        (sends("ops_permuted_21", &permuted, 21), 10_202),
    ] {
        assert!(found.is_none_or(|found| found == wanted), "{found:?} sends, {wanted} are in the trace");
    }
}

fn replay<C: Compiled>(sets: &[&str], path: &Path, seed: u64) -> Report {
    let core = generated(C::CONTRACT.core, sets);
    let mut options = options::<C>(Stimulus::Ops(path.to_path_buf()), Path::new("."));
    options.own.seed = Some(seed);
    let report = run(&core, &options).unwrap();
    assert_eq!(report.result, Verdict::Pass, "{}: {}", path.display(), report.failure.unwrap());
    report
}

fn found<C: Compiled<Knobs = Knobs>>(sets: &[&str], text: &str, wrong: &str, most: usize) {
    let core = generated(C::CONTRACT.core, sets);
    let stimulus = random::<C>(core.manifest.config.connections, CYCLES);
    faults::found(&core, stimulus, text, wrong, most);
}

const PERMUTED: [&str; 2] = ["ops.order=permuted", "ops.paths=16"];

#[test]
fn faults_of_ecmp_are_found_and_shrunk() {
    for (text, wrong, most) in [
        // forwarding from each of the four ops ahead
        ("wire same_one = read_valid & (op_conn == read_conn);", "wire same_one = 1'b0;", 2),
        ("wire same_two = forward_valid & (op_conn == forward_conn);", "wire same_two = 1'b0;", 3),
        ("wire same_three = update_valid & (op_conn == update_conn);", "wire same_three = 1'b0;", 4),
        ("wire same_four = write_live & (op_conn == write_conn);", "wire same_four = 1'b0;", 5),
        // init leaves the connection
        ("read_keeps <= ready & !(op_valid & (op_kind == 3'd4));", "read_keeps <= ready;", 3),
        // an op is taken without its valid
        ("wire take = op_valid & ready;", "wire take = ready;", 2),
        // the last connection is not cleared
        ("ready <= ready | (&write_conn);", "ready <= ready | (&write_conn[7:1]);", 1),
    ] {
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
