//! Flips in memories whose words have parity: each is told where it is read, of cores as they are, and faults that hide one are found.

use respray_cosim::lockstep::upset::Wrong;
use respray_hdl::config::Config;
use respray_hdl::cores;
use respray_hdl::manifest::Generated;
use respray_mutate::upset::campaign::{Campaign, Kind, campaign};

fn generated(core: &str, sets: &[&str]) -> Generated {
    let sets = [&["protect=parity"], sets].concat();
    let sets: Vec<String> = sets.iter().map(|set| set.to_string()).collect();
    cores::generate(core, &Config::load(None, &sets).unwrap()).unwrap()
}

/// A core, in which this text stands once, with another in its place.
fn faulty(core: &str, before: &str, after: &str) -> Generated {
    let mut generated = generated(core, &[]);
    assert_eq!(generated.verilog.matches(before).count(), 1, "{core}: {before}");
    generated.verilog = generated.verilog.replace(before, after);
    generated
}

fn run(generated: &Generated, runs: u64) -> Campaign {
    campaign(generated, Kind::Flip, runs, 1, &|_| ()).unwrap()
}

/// Nothing is found, and flips of each memory are read.
fn passes(core: &str, sets: &[&str], runs: u64) {
    let found = run(&generated(core, sets), runs);
    assert_eq!((found.runs, found.found), (runs, 0), "{core}, {sets:?}: {:?}", found.findings);
    assert_eq!(found.differed, 0);
    for (memory, hit) in &found.memories {
        assert!(hit.met * 20 > hit.flips, "{core}: of {} flips in {memory} {} are read", hit.flips, hit.met);
    }
}

/// All that is found of a core with a fault is of this kind.
fn finds(core: &Generated, runs: u64, wrong: Wrong) {
    let found = run(core, runs);
    assert!(found.found > 0);
    assert!(found.findings.iter().all(|found| found.finding.wrong == wrong), "{:?}", found.findings);
}

#[test]
fn every_flip_that_is_read_is_told_and_nothing_else_changes() {
    passes("ecmp", &[], 1000);
    passes("reps", &[], 2000);
}

#[test]
#[ignore = "10,000 runs of each core with parity, with the long tests"]
fn every_flip_that_is_read_is_told_in_every_configuration() {
    for (core, sets) in [
        ("reps", &[][..]),
        ("reps", &["reps.variant=uet"]),
        ("reps", &["connections=16", "reps.depth=4", "reps.time_bits=16"]),
        ("reps", &["connections=16", "reps.depth=32", "reps.variant=uet", "selector.ev_bits=9"]),
        ("ecmp", &[]),
        ("ops", &["ops.order=permuted", "ops.paths=16"]),
        ("subflows", &[]),
        ("mprdma", &[]),
    ] {
        passes(core, sets, 10_000);
    }
}

/// The module that has the parity of words of so many bits, without one of them.
fn without_bit(core: &str, bits: usize) -> Generated {
    let module = |of: &str| {
        format!(
            "    input  wire [{}:0] word,\n    output wire        odd\n);\n\n    assign odd = ^{of};",
            bits - 1
        )
    };
    faulty(core, &module("word"), &module(&format!("{{word[{}:4], word[2:0]}}", bits - 1)))
}

#[test]
fn a_parity_that_leaves_a_bit_out_is_found() {
    // of the word that is read; of the word that is written it is told too often
    finds(&without_bit("ecmp", 18), 400, Wrong::Untold);
    finds(&without_bit("reps", 47), 2000, Wrong::Untold);
    finds(&without_bit("ecmp", 17), 20, Wrong::Leak);
}

#[test]
fn an_ev_with_a_flipped_bit_that_is_sent_is_found() {
    let tells = "wire is_spoilt = parity_odd & (fetch_recycle | fetch_replay);";
    finds(&faulty("reps", tells, "wire is_spoilt = parity_odd & fetch_recycle;"), 4000, Wrong::Untold);
}

#[test]
fn a_flip_that_is_told_by_an_op_that_does_not_read_it_is_found() {
    let of_all = "in_update <= forward_keeps & is_odd;";
    finds(&faulty("ecmp", of_all, "in_update <= is_odd;"), 1000, Wrong::Leak);
}

#[test]
fn a_connection_that_does_not_start_anew_is_found() {
    let keeps = "assign keeps = forward_keeps & !is_odd;";
    finds(&faulty("ecmp", keeps, "assign keeps = forward_keeps | is_odd & 1'b0;"), 400, Wrong::Leak);
    let anew = "        read_valid <= take | starts_anew;";
    finds(&faulty("reps", anew, "        read_valid <= take;"), 4000, Wrong::Leak);
}

#[test]
fn a_freeze_time_with_a_flipped_bit_behind_an_op_that_does_not_set_it_is_found() {
    let told = "& !older_ahead & !(one_ahead & odd_one_ahead)\n            & !(two_ahead & odd_two_ahead);";
    let core = faulty("reps", told, "& !older_ahead & !one_ahead & !two_ahead;");
    let found = run(&core, 4000);
    assert!(found.found > 0);
}
