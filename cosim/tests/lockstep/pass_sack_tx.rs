use std::path::Path;

use respray_cosim::cores::sack_tx::{Knobs, SackTxCore};
use respray_cosim::lockstep::report::Verdict;
use respray_cosim::lockstep::{CosimOptions, Stimulus, given};
use respray_cosim::traffic::capture::Cut;
use respray_cosim::traffic::optrace::Settings;
use respray_cosim::traffic::random::Knobs as _;
use respray_cosim::verilator::Coverage;
use respray_hdl::manifest::Generated;

use super::{file, generated, options, run};

/// Random ops for so many clock edges, with resets among them.
pub fn random(core: &Generated, cycles: u64, knobs: &[&str]) -> Stimulus<SackTxCore> {
    let connections = core.manifest.config.connections;
    let mut chosen = Knobs { ops_per_reset: 10_000, ..Knobs::new(connections) };
    knobs.iter().for_each(|knob| chosen.set(knob, connections).unwrap());
    Stimulus::Random { cycles, knobs: chosen }
}

/// What every run of random ops reaches, often.
pub const REACHED: [&str; 23] = [
    "sent",
    "sent_again",
    "sent_gap",
    "sent_window_full",
    "sacks_taken",
    "sacks_old",
    "sacks_never_sent",
    "sacks_bad_base",
    "sacks_beyond",
    "sacks_contradict",
    "retransmissions",
    "reads",
    "inits",
    "uninitialised",
    "acked",
    "losses_ooo",
    "losses_probe",
    "losses_timeout",
    "losses_timeout_in_a_row",
    "probes_due",
    "recoveries_left",
    "visits",
    "visits_forced",
];

/// Configurations of `fast` that more than one test runs, so that each is compiled once.
pub const FAST_64: [&str; 4] = ["sack.engine=fast", "connections=16", "sack.window=64", "wire=strack"];
const FAST_512: [&str; 4] = ["sack.engine=fast", "connections=1024", "sack.window=512", "wire=uet"];

#[test]
fn random_ops_pass_in_every_kind_of_configuration() {
    let dir = tempfile::tempdir().unwrap();
    for sets in [
        ["sack.engine=small", "connections=16", "sack.window=64", "wire=strack"],
        ["sack.engine=small", "connections=64", "sack.window=128", "wire=uet"],
        ["sack.engine=small", "connections=256", "sack.window=256", "wire=strack"],
        ["sack.engine=small", "connections=1024", "sack.window=512", "wire=uet"],
        FAST_64,
        FAST_512,
    ] {
        let core = generated("sack_tx", &sets);
        let report = run(&core, &options(random(&core, 1_500_000, &[]), dir.path())).unwrap();
        assert_eq!(report.result, Verdict::Pass, "{sets:?}: {}", report.failure.unwrap());
        assert_eq!((report.cycles, report.mismatches), (1_500_000, 0));
        for name in REACHED {
            assert!(report.counts.get(name) >= 20, "{sets:?}: {name} {}", report.counts.get(name));
        }
    }
    assert_eq!(std::fs::read_dir(dir.path()).unwrap().count(), 0, "a run that passes leaves no file");
}

#[test]
fn one_hot_connection_with_an_op_at_every_edge_passes_and_is_visited_by_force() {
    for sets in [&["connections=16"][..], &FAST_64] {
        let core = generated("sack_tx", sets);
        let knobs = ["hot_set=1", "hot_share=1", "idle_share=0", "ops_per_reset=0"];
        let report = run(&core, &options(random(&core, 500_000, &knobs), Path::new("."))).unwrap();
        assert_eq!(report.result, Verdict::Pass, "{sets:?}: {}", report.failure.unwrap());
        let (visits, ops) = (report.counts.get("visits_forced"), report.counts.get("ops"));
        assert_eq!(report.counts.get("visits"), visits, "{sets:?}: no edge without an op");
        assert!(visits.abs_diff(ops / 16) <= 1, "{sets:?}: {visits} visits, {ops} ops");
    }
}

#[test]
fn psns_wrap_all_the_time() {
    for sets in [
        &["connections=16", "sack.window=512", "wire=strack"][..],
        &["connections=16", "sack.window=512", "wire=uet"],
        &FAST_512,
    ] {
        let core = generated("sack_tx", sets);
        let knobs = ["wrap_share=1", "init_share=0.02", "garbage_share=0.2"];
        let report = run(&core, &options(random(&core, 500_000, &knobs), Path::new("."))).unwrap();
        assert_eq!(report.result, Verdict::Pass, "{sets:?}: {}", report.failure.unwrap());
    }
}

#[test]
fn recordings_pass() {
    let recordings = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tb/recordings");
    for (name, lost) in [("steady", false), ("path-failure", true)] {
        let core = generated("sack_tx", &[]);
        let path = recordings.join(format!("{name}-sender.pcap.gz"));
        let stimulus =
            given::capture::<SackTxCore>(&path, None, None, Cut::Refused, &core.manifest.config).unwrap();
        let report = run(&core, &options(stimulus, Path::new("."))).unwrap();
        assert_eq!(report.result, Verdict::Pass, "{name}: {}", report.failure.unwrap());
        let count = |name| report.counts.get(name);
        println!("{name}: {}", serde_json::to_string(&report).unwrap());
        assert!(count("sent") > 10_000 && count("acked") > 10_000, "{name}");
        let untrue = ["sacks_never_sent", "sacks_bad_base", "sacks_beyond", "sacks_contradict"];
        assert_eq!(untrue.map(count), [0; 4], "{name}");
        assert_eq!((count("sent_gap"), count("uninitialised")), (0, 0), "{name}");
        assert_eq!(count("sent_again") > 0, lost, "{name}: retransmissions");
    }
}

#[test]
fn an_op_trace_of_its_own_settings_passes() {
    let core = generated("sack_tx", &["connections=16"]);
    let dir = tempfile::tempdir().unwrap();
    let text = "# respray: rto=100 probe_timeout=50\nnow,op,conn,psn,bytes,idle\n0,init,3,100,,\n1,sent,3,100,1500,\n\
                60,next_rtx,3,,,200\n110,next_rtx,3,,,200\n";
    let ops = file(dir.path(), "ops.csv", text);
    let counts = |settings| {
        let mut options: CosimOptions<SackTxCore> = options(Stimulus::Ops(ops.clone()), dir.path());
        options.own.settings = settings;
        let report = run(&core, &options).unwrap();
        assert_eq!(report.result, Verdict::Pass, "{}", report.failure.unwrap());
        ["probes_due", "losses_timeout", "retransmissions"].map(|name| report.counts.get(name))
    };
    assert_eq!(
        counts(Settings::default()),
        [1, 1, 1],
        "a probe after 50 ticks, a timeout after 100, one packet to retransmit"
    );
    assert_eq!(
        counts(Settings::default().with("rto", 1000)),
        [2, 0, 0],
        "the option goes before the trace's"
    );
}

#[test]
fn random_ops_execute_every_line_but_two_that_are_explained() {
    let core = generated("sack_tx", &[]);
    let dir = tempfile::tempdir().unwrap();
    let coverage = dir.path().join("coverage");
    let options = CosimOptions {
        coverage: Some(coverage.clone()),
        ..options(random(&core, 1_500_000, &[]), dir.path())
    };
    assert_eq!(run(&core, &options).unwrap().result, Verdict::Pass);
    let counts = Coverage::parse(&std::fs::read_to_string(coverage.join("sack_tx.dat")).unwrap()).unwrap();
    let (covered, total) = counts.covered_and_total();
    let text: Vec<&str> = core.verilog.lines().map(str::trim).collect();
    assert!(total > 100, "{covered} of {total} lines");
    // a word of either RAM is written in a step in which no other op's or no other word's read can meet it
    let dead = "if (write_enable && write_address == read_address) read_data <= ~words[read_address];";
    let modules: Vec<&str> = counts
        .uncovered()
        .into_iter()
        .map(|line| {
            let line = line as usize;
            assert_eq!(text[line - 1], dead, "all else is executed by random ops");
            let module = text[..line].iter().rfind(|line| line.starts_with("module "));
            module.expect("a line of a module").split_whitespace().nth(1).expect("a module has a name")
        })
        .collect();
    assert_eq!(modules, ["sack_tx_acked_ram", "sack_tx_bytes_ram"]);
}
