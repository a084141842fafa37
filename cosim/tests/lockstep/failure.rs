use std::path::Path;

use respray_cosim::cores::reps::RepsCore;
use respray_cosim::lockstep::report::{Failure, Verdict};
use respray_cosim::lockstep::{CosimOptions, Stimulus};
use respray_hdl::manifest::{Direction, Generated};

use super::{file, options, random, reps, run};
use crate::waves::{Marked, Waves};

/// The generated Verilog inside a module of the same ports, whose output `port` is `value`, in which the core's own is
/// `core_PORT`.
fn spoilt(core: &Generated, port: &str, value: &str) -> String {
    let range = |width: u32| if width == 1 { String::new() } else { format!(" [{}:0]", width - 1) };
    let ports: Vec<String> = core
        .manifest
        .ports
        .iter()
        .map(|p| {
            let direction = if p.direction == Direction::Input { "input" } else { "output" };
            format!("{direction}{} {}", range(p.width), p.name)
        })
        .collect();
    let own = core.manifest.ports.iter().find(|p| p.name == port).expect("a port of the core");
    let connect =
        |name: &str| if name == port { format!(".{name}(core_{name})") } else { format!(".{name}({name})") };
    let connections: Vec<String> = core.manifest.ports.iter().map(|p| connect(&p.name)).collect();
    let renamed = core
        .verilog
        .replace("module reps ", "module reps_inside ")
        .replace("module reps(", "module reps_inside(");
    assert_ne!(renamed, core.verilog);
    format!(
        "{renamed}\nmodule reps({});\nwire{} core_{port};\nreps_inside own({});\nassign {port} = {value};\nendmodule\n",
        ports.join(", "),
        range(own.width),
        connections.join(", ")
    )
}

fn fails(core: &Generated, verilog: &str, dir: &Path, stimulus: Stimulus<RepsCore>) -> Failure {
    let path = file(dir, "spoilt.v", verilog);
    let options = CosimOptions { verilog: Some(path), ..options(stimulus, dir) };
    let report = run(core, &options).unwrap();
    assert_eq!((report.result, report.mismatches), (Verdict::Fail, 1));
    report.failure.expect("a failed run says why")
}

#[test]
fn a_failure_leaves_waves_and_a_small_trace_that_fails_again() {
    let core = reps(&["connections=64"]);
    let dir = tempfile::tempdir().unwrap();
    let verilog = spoilt(&core, "res_ev", "core_res_ev ^ {15'd0, res_kind == 2'd2}");
    let failure = fails(&core, &verilog, dir.path(), random(&core, 5_000_000));
    let difference = &failure.difference;
    assert_eq!((difference.port.as_str(), difference.also.len()), ("res_ev", 0));
    assert!(failure.last_ops.len() > 2 && failure.last_ops.len() <= 20, "{:?}", failure.last_ops);
    let wave = failure.wave.clone().unwrap();
    assert_eq!(wave, dir.path().join("failure.fst"));
    let width = |port: &str| core.manifest.ports.iter().find(|p| p.name == port).expect("a port").width;
    let marked = Marked { cycle: difference.cycle, port: "res_ev", width: width("res_ev") };
    let [expected, seen] = marked.check(&Waves::read(std::fs::read(&wave).unwrap()));
    let literal = |bits: &str| format!("16'h{:04x}", u64::from_str_radix(bits, 2).unwrap());
    assert_eq!([literal(&expected), literal(&seen)], [difference.expected.clone(), difference.seen.clone()]);
    // the send whose result differs is marked among the last ops
    let culprit = &failure.last_ops[failure.culprit.expect("a send left the core in that cycle").line];
    assert!(culprit.contains(",send,"), "{culprit}");
    assert!(failure.to_string().contains(&format!("\n  > {culprit}\n")), "{failure}");

    // a replay: cached, failed, sent and sent again
    let trace = dir.path().join("failure.csv");
    assert_eq!(failure.reproducer.as_ref(), Some(&trace));
    assert!(failure.reproducer_ops.unwrap() <= 4, "{}", std::fs::read_to_string(&trace).unwrap());
    assert_eq!(
        failure.command,
        format!(
            "respray cosim --core reps --ops {} --set connections=64 --verilog {}",
            trace.display(),
            dir.path().join("spoilt.v").display()
        )
    );
    assert!(std::fs::read_to_string(&trace).unwrap().contains(&failure.command));
    let text = failure.to_string();
    assert!(text.contains("`res_ev` is 16'h") && text.contains("failure.fst"), "{text}");

    let again = tempfile::tempdir().unwrap();
    let replayed = fails(&core, &verilog, again.path(), Stimulus::Ops(trace.clone()));
    assert_eq!(replayed.difference.port, "res_ev");
    assert_eq!(replayed.reproducer_ops, failure.reproducer_ops, "it is as small as it gets");
    let right = run(&core, &options::<RepsCore>(Stimulus::Ops(trace), again.path())).unwrap();
    assert_eq!(right.result, Verdict::Pass, "the generated core passes the same trace");
}

#[test]
fn an_output_that_follows_an_input_within_the_cycle_is_found() {
    let core = reps(&["connections=64"]);
    let dir = tempfile::tempdir().unwrap();
    // registered, this would be right: op_ready never depends on what is offered
    let verilog = spoilt(&core, "op_ready", "core_op_ready & ~(op_valid & op_kind == 3'd2)");
    let failure = fails(&core, &verilog, dir.path(), random(&core, 1_000_000));
    assert_eq!((failure.difference.port.as_str(), failure.reproducer_ops), ("op_ready", Some(1)));
}

#[test]
fn json_of_a_failure_has_the_first_difference() {
    let core = reps(&["connections=64"]);
    let dir = tempfile::tempdir().unwrap();
    let path = file(dir.path(), "spoilt.v", &spoilt(&core, "ev_cached", "1'b0"));
    let wave = dir.path().join("mine.fst");
    let options = CosimOptions {
        verilog: Some(path),
        wave: Some(wave.clone()),
        ..options(random(&core, 100_000), dir.path())
    };
    let report = run(&core, &options).unwrap();
    let json = serde_json::to_value(&report).unwrap();
    assert_eq!((&json["result"], &json["mismatches"]), (&"fail".into(), &1.into()));
    let first = &json["first_difference"];
    assert_eq!((&first["port"], &first["against"]), (&"ev_cached".into(), &"golden".into()));
    assert_eq!((&first["expected"], &first["seen"]), (&"1'h1".into(), &"1'h0".into()));
    assert_eq!(first["cycle"], report.cycles);
    assert_eq!(json["wave"], wave.display().to_string());
    assert_eq!(json["reproducer_ops"], 1);
    assert!(wave.exists() && !dir.path().join("failure.fst").exists());
}

#[test]
fn what_a_trace_expects_and_does_not_get_is_a_failure() {
    let core = reps(&["connections=64"]);
    let dir = tempfile::tempdir().unwrap();
    let rows = "time_ns,op,conn,ev,ecn,expect,expect_ev\n1,ack,9,55,0,,\n2,ack,7,50,0,,\n3,ack,7,51,0,,\n\
                4,send,7,,,cached,50\n5,send,9,,,cached,55\n6,send,7,,,cached,52\n7,send,7,,,explore,\n";
    let ops = file(dir.path(), "ops.csv", rows);
    let options = options::<RepsCore>(Stimulus::Ops(ops), dir.path());
    let failure = run(&core, &options).unwrap().failure.unwrap();
    let said = failure.difference.to_string();
    assert!(
        said.contains("a send returned recycle 51, the op trace expects cached 52; connection 7; op 5"),
        "{said}"
    );
    assert_eq!(failure.reproducer_ops, Some(4), "the ops of the connection up to the send");
    let replay = options_of(&failure, dir.path());
    let again = run(&core, &replay).unwrap().failure.unwrap();
    assert_eq!((again.difference.seen.as_str(), again.difference.entry), ("recycle 51", Some(3)));
}

fn options_of(failure: &Failure, dir: &Path) -> CosimOptions<RepsCore> {
    let trace = failure.reproducer.clone().expect("there is a reproducer");
    CosimOptions { reproducer: dir.join("again.csv"), ..options(Stimulus::Ops(trace), dir) }
}

#[test]
fn a_failure_that_no_short_run_repeats_gives_the_command_of_the_whole_run() {
    let core = reps(&["connections=16"]);
    let dir = tempfile::tempdir().unwrap();
    // wrong from the 600,000th edge on, whatever the ops
    let late = spoilt(&core, "freeze_left", "core_freeze_left & (edges < 32'd600000)").replace(
        "reps_inside own(",
        "reg [31:0] edges = 32'd0;\nalways @(posedge clk) edges <= edges + 32'd1;\nreps_inside own(",
    );
    let failure = fails(&core, &late, dir.path(), random(&core, 2_000_000));
    assert!(failure.difference.cycle >= 600_000);
    assert_eq!((failure.reproducer.as_ref(), failure.reproducer_ops), (None, None));
    assert!(
        failure.command.starts_with(
            "respray cosim --core reps --random 2000000 --seed 1 --knob ops_per_reset=10000 --set connections=16"
        ),
        "{}",
        failure.command
    );
    assert!(!dir.path().join("failure.csv").exists());
    assert!(failure.wave.unwrap().exists());
    assert!(failure.last_ops.len() > 10);
}
