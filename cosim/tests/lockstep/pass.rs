use std::path::Path;

use respray_cosim::cores::reps::RepsCore;
use respray_cosim::cores::selector::Knobs;
use respray_cosim::lockstep::report::Verdict;
use respray_cosim::lockstep::{CosimOptions, Progress, Stimulus, cosim};
use respray_cosim::traffic::random::Knobs as _;
use respray_cosim::verilator::Coverage;

use super::{options, random, reps, run};

#[test]
fn random_ops_pass_in_every_kind_of_configuration() {
    let dir = tempfile::tempdir().unwrap();
    for sets in [
        &[][..],
        &["connections=16", "reps.depth=4"],
        &["reps.variant=uet"],
        &["connections=1024", "reps.depth=16", "reps.time_bits=16", "reps.ev_base=49152", "reps.ev_bits=14"],
    ] {
        let core = reps(sets);
        let report = run(&core, &options(random(&core, 400_000), dir.path())).unwrap();
        assert_eq!(report.result, Verdict::Pass, "{sets:?}: {}", report.failure.unwrap());
        assert_eq!((report.cycles, report.mismatches), (400_000, 0));
        for name in ["explore", "recycle", "replay", "evs_cached", "evs_dropped"] {
            assert!(report.counts.get(name) > 1000, "{sets:?}: {name} {}", report.counts.get(name));
        }
        assert!(report.counts.get("freezes_left") > 100 && report.counts.get("reset_edges") > 20);
        assert_eq!(
            report.counts.get("sends"),
            ["explore", "recycle", "replay"].iter().map(|name| report.counts.get(name)).sum::<u64>()
        );
    }
    assert_eq!(std::fs::read_dir(dir.path()).unwrap().count(), 0, "a run that passes leaves no file");
}

#[test]
fn words_with_parity_change_nothing_as_long_as_no_bit_flips() {
    let core = reps(&["protect=parity", "connections=16"]);
    let report = run(&core, &options(random(&core, 200_000), Path::new("."))).unwrap();
    assert_eq!(report.result, Verdict::Pass, "{}", report.failure.unwrap());
    assert!(report.counts.get("replay") > 500 && report.counts.get("freezes_left") > 50);
}

#[test]
fn a_loss_that_is_told_without_a_flip_is_found() {
    let mut core = reps(&["protect=parity", "connections=16"]);
    let told = "in_update <= forward_keeps & is_odd;";
    assert_eq!(core.verilog.matches(told).count(), 1);
    core.verilog = core.verilog.replace(told, "in_update <= forward_keeps & !stored_any_cached;");
    let dir = tempfile::tempdir().unwrap();
    let report = run(&core, &options(random(&core, 20_000), dir.path())).unwrap();
    assert_eq!(report.failure.unwrap().difference.port, "state_lost");
}

#[test]
fn two_hot_connections_with_an_op_at_every_edge_pass() {
    let core = reps(&[]);
    let mut knobs = Knobs::new(256);
    for knob in ["hot_set=2", "hot_share=1", "idle_share=0", "ops_per_reset=0"] {
        knobs.set(knob, 256).unwrap();
    }
    let stimulus = Stimulus::<RepsCore>::Random { cycles: 400_000, knobs };
    let report = run(&core, &options(stimulus, Path::new("."))).unwrap();
    assert_eq!(report.result, Verdict::Pass);
    let idle = report.cycles - report.counts.get("ops");
    assert!(idle <= 2 + u64::from(core.manifest.reset_cycles), "{idle} edges without an op");
}

#[test]
fn traces_recorded_from_the_reference_model_pass_with_every_cached_ev_equal() {
    let oracle = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/oracle");
    for (name, variant) in [
        ("reps_uet_11", "uet"),
        ("reps_uet_12", "uet"),
        ("reps_nofail_13", "uet"),
        ("reps_nofail_13", "paper"),
    ] {
        let path = oracle.join(format!("{name}.csv"));
        if !path.exists() {
            eprintln!("skipped: {} is not there", path.display());
            continue;
        }
        let text = std::fs::read_to_string(&path).unwrap();
        let core = reps(&[&format!("reps.variant={variant}")]);
        let report = run(&core, &options::<RepsCore>(Stimulus::Ops(path), Path::new("."))).unwrap();
        assert_eq!(report.result, Verdict::Pass, "{name} {variant}: {}", report.failure.unwrap());
        assert_eq!(report.counts.get("ops"), 20_000);
        let cached = report.counts.get("recycle") + report.counts.get("replay");
        assert_eq!(cached, text.matches(",cached,").count() as u64, "{name} {variant}");
        assert_eq!(report.counts.get("explore"), text.matches(",explore,").count() as u64);
    }
}

#[test]
fn json_has_the_promised_keys_and_progress_is_heard() {
    let core = reps(&[]);
    let mut heard = Vec::new();
    let stimulus = random(&core, 600_000);
    let report = cosim(&core, &options(stimulus, Path::new(".")), &mut |step| heard.push(step)).unwrap();
    let json = serde_json::to_value(&report).unwrap();
    for key in ["cycles", "ops", "sends", "explore", "recycle", "replay", "mismatches"] {
        assert!(json[key].is_u64(), "{key} in {json}");
    }
    assert!(json["cycles_per_second"].as_f64().unwrap() > 1000.0);
    assert_eq!((&json["core"], &json["result"]), (&"reps".into(), &"pass".into()));
    assert_eq!(json["config"]["reps"]["depth"], 8);
    assert!(json.get("first_difference").is_none());
    assert_eq!(heard[0], Progress::Building);
    assert_eq!(heard[1], Progress::Running { done: 1 << 18, of: 600_000 });
    assert_eq!(heard.last(), Some(&Progress::Running { done: 600_000, of: 600_000 }));
}

#[test]
fn waves_and_coverage_are_written_where_they_are_asked_for() {
    let core = reps(&[]);
    let dir = tempfile::tempdir().unwrap();
    let wave = dir.path().join("pass.fst");
    let coverage = dir.path().join("coverage");
    let options = CosimOptions {
        wave: Some(wave.clone()),
        coverage: Some(coverage.clone()),
        ..options(random(&core, 200_000), dir.path())
    };
    assert_eq!(run(&core, &options).unwrap().result, Verdict::Pass);
    assert!(std::fs::metadata(&wave).unwrap().len() > 10_000, "the first cycles of all signals");
    let counts = Coverage::parse(&std::fs::read_to_string(coverage.join("reps.dat")).unwrap()).unwrap();
    let (covered, total) = counts.covered_and_total();
    assert!(total > 50, "{covered} of {total} lines");
    let text: Vec<&str> = core.verilog.lines().map(str::trim).collect();
    let uncovered = counts.uncovered().into_iter().map(|line| text[line as usize - 1]);
    let uncovered: Vec<&str> = uncovered.collect();
    assert!(uncovered.is_empty(), "random ops do not execute {uncovered:?}");
    assert_eq!(std::fs::read_dir(dir.path()).unwrap().count(), 2, "nothing else is left");
}
