//! Real namespaces, real frames: a small recording from start to ops. Skipped where namespaces cannot be made.

mod again;

use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::Mutex;
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

use again::does_again;
use respray_cosim::cores::selector::SelectorListener;
use respray_cosim::cores::selector::recorded::{config, golden_ops, params};
use respray_cosim::nic::Logged;
use respray_cosim::traffic::capture::{CaptureOps, Cut, info};
use respray_cosim::traffic::optrace::OpTrace;
use respray_cosim::traffic::stimulus::Line;
use respray_golden::reps::Reps;
use respray_golden::selector::{Engine, OpKind};
use respray_golden::wire::Profile as Wire;
use respray_hdl::cores::reps::contract::CONTRACT;
use respray_hdl::cores::selector::SelectorOp;
use respray_record::nic::{self, Dark, NicScenario};
use respray_record::{Failure, RecordOptions, Scenario, record};

/// One recording at a time: they share the machine's clock and processors.
static TURN: Mutex<()> = Mutex::new(());

/// Whether recordings can be made here; says why not.
fn possible() -> bool {
    let name = format!("respray-probe-{}", std::process::id());
    let ip = |words: &[&str]| {
        Command::new("ip").args(words).stderr(Stdio::null()).status().is_ok_and(|s| s.success())
    };
    let runs = |program: &str| Command::new(program).arg("--version").stdout(Stdio::null()).status().is_ok();
    if !(runs("tcpdump") && runs("nft") && ip(&["netns", "add", &name])) {
        eprintln!("skipped: recording needs root, network namespaces, iproute2, nftables and tcpdump");
        return false;
    }
    ip(&["netns", "del", &name])
}

fn namespaces_of(pid: u32) -> usize {
    let listed = Command::new("ip").args(["netns", "list"]).output().unwrap().stdout;
    String::from_utf8_lossy(&listed)
        .lines()
        .filter(|line| line.starts_with(&format!("respray-{pid}-")))
        .count()
}

fn small() -> Scenario {
    Scenario {
        name: "small".into(),
        packets_per_second: 2000,
        duration_ms: 1000,
        half_rate_path: Some(2),
        failure: Some(Failure { path: 1, from_ms: 200, to_ms: 700 }),
        ..Scenario::steady()
    }
}

#[test]
fn a_small_recording_becomes_the_ops_that_its_engine_saw() {
    let _turn = TURN.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
    if !possible() {
        return;
    }
    let directory = tempfile::tempdir().unwrap();
    let recorded = record(&RecordOptions { scenario: small(), out: directory.path().into() }).unwrap();
    assert_eq!(namespaces_of(std::process::id()), 0, "namespaces are left");
    let recording = &recorded.recording;
    let figures = &recording.figures;

    let sender = info(&recorded.sender, Wire::Strack.into(), Cut::Refused).unwrap();
    let receiver = info(&recorded.receiver, Wire::Strack.into(), Cut::Refused).unwrap();
    assert_eq!(
        (sender.profile.other, receiver.profile.other),
        (0, 0),
        "only our frames are on the hosts' links"
    );
    assert_eq!((sender.profile.data, sender.profile.acks), (figures.sends, figures.acks));
    let marked = figures.paths.iter().map(|path| path.ce).sum::<u64>();
    assert!(receiver.profile.data_ecn.ce <= marked && receiver.profile.data < figures.sends);
    assert_eq!(receiver.profile.acks_ce, receiver.profile.data_ecn.ce, "each mark is echoed");
    assert!(sender.profile.connections == 64 && figures.sends > 1000, "{sender}");

    // the kernel's hash: every path has EVs, and each EV one path
    assert!(figures.paths.iter().all(|path| path.packets > 50 && path.evs.count() > 5), "{figures:?}");
    assert_eq!(figures.evs_on_two_paths, 0);
    // the path that was down lost packets, and the engine froze
    assert!(figures.timeouts > 0 && figures.freezes > 0, "{figures:?}");

    // what the capture says is what the engine saw, to the nanosecond
    let trace = OpTrace::<SelectorOp>::read(&recorded.ops, &CONTRACT, &config(&recording.engine)).unwrap();
    let ops: Vec<_> = CaptureOps::<SelectorListener>::open(&recorded.sender, &recording.capture_options())
        .unwrap()
        .map(Result::unwrap)
        .collect();
    let count = |lines: &[Line<SelectorOp>], kind: OpKind| {
        let kinds = lines.iter().filter_map(|line| line.event.as_op()).map(|op| op.kind);
        kinds.filter(|code| *code == kind.code()).count() as u64
    };
    assert_eq!(count(&trace.lines, OpKind::Send), figures.sends);
    assert_eq!(count(&trace.lines, OpKind::Timeout), figures.timeouts);
    assert_eq!(count(&ops, OpKind::Send), figures.sends);
    let mut reps = Engine::<Reps>::new(params(&recording.engine));
    let golden = golden_ops(&recording.engine, trace.lines.clone());
    assert_eq!(golden.len(), trace.lines.len());
    for (line, (op, golden)) in trace.lines.iter().zip(golden) {
        let result = reps.apply(&golden).result;
        let expect = line.expect.as_ref();
        if let Some((_, ev)) = expect.and_then(|expectation| expectation.values.first()) {
            assert_eq!(u64::from(result.unwrap().ev), *ev);
        }
        if golden.kind == OpKind::Send {
            assert_eq!(result.map(|result| result.ev), Some(op.ev), "the EV on the wire");
        }
    }
    assert!(figures.chosen_again * 100 >= figures.sends * 95, "{figures:?}");
}

#[test]
fn blocks_over_paths_that_lose_packets_deliver_all_and_leave_logs_of_it() {
    let _turn = TURN.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
    if !possible() {
        return;
    }
    let directory = tempfile::tempdir().unwrap();
    let scenario = NicScenario {
        name: "short".into(),
        connections: 3,
        messages: 10,
        dark: vec![Dark { from_ms: 40, to_ms: 70 }],
        ..NicScenario::losses()
    };
    let recorded = nic::record(&scenario, directory.path(), &AtomicBool::new(false)).unwrap();
    assert_eq!(namespaces_of(std::process::id()), 0, "namespaces are left");
    for ((capture, log), written) in recorded.captures.iter().zip(&recorded.log_files).zip(&recorded.logs) {
        let logged = Logged::open(capture, log, &scenario.config(), &|_| true).unwrap();
        assert_eq!(logged.log, *written);
        does_again(&logged, &scenario.config()).unwrap();
        let captured = info(capture, Wire::Strack.into(), Cut::Refused).unwrap();
        assert_eq!((captured.profile.other, captured.truncated), (0, 0), "only our frames, and whole");
        assert_eq!(captured.frames as usize, logged.came.len() + logged.left.len());
    }
    // the connections had packets in flight when it grew dark, and each sent a probe when that was over
    let [_, (by_probe, _), _] = recorded.logs[0].losses();
    assert!(by_probe > 0, "{recorded}");
}

#[test]
fn a_recording_of_blocks_that_does_not_end_is_given_up() {
    let _turn = TURN.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
    if !possible() {
        return;
    }
    let directory = tempfile::tempdir().unwrap();
    let scenario =
        NicScenario { dark: vec![Dark { from_ms: 10, to_ms: 1000 }], limit_ms: 100, ..NicScenario::losses() };
    let refused = nic::record(&scenario, directory.path(), &AtomicBool::new(false)).unwrap_err().to_string();
    assert_eq!(
        refused,
        "what a host must hold does not: not every message is delivered; nothing was written"
    );
    assert_eq!(namespaces_of(std::process::id()), 0);
    assert_eq!(std::fs::read_dir(directory.path()).unwrap().count(), 0);
}

#[test]
fn an_interrupt_leaves_nothing_behind() {
    let _turn = TURN.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
    if !possible() {
        return;
    }
    let directory = tempfile::tempdir().unwrap();
    let child = Command::new(env!("CARGO_BIN_EXE_respray-record"))
        .arg("-o")
        .arg(directory.path())
        .arg("steady")
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let pid = child.id();
    let begin = Instant::now();
    while namespaces_of(pid) < 4 && begin.elapsed() < Duration::from_secs(20) {
        std::thread::sleep(Duration::from_millis(20));
    }
    assert_eq!(namespaces_of(pid), 4);
    std::thread::sleep(Duration::from_millis(500));
    assert!(Command::new("kill").args(["-INT", &pid.to_string()]).status().unwrap().success());
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(2));
    let said = String::from_utf8_lossy(&output.stderr);
    assert_eq!(said.trim(), "interrupted; the namespaces are removed and nothing was written");
    assert_eq!(namespaces_of(pid), 0);
    assert_eq!(std::fs::read_dir(directory.path()).unwrap().count(), 0);
}

#[test]
fn an_unknown_scenario_is_refused_with_those_that_there_are() {
    let output = Command::new(env!("CARGO_BIN_EXE_respray-record")).arg("stormy").output().unwrap();
    assert_eq!(output.status.code(), Some(2));
    let said = String::from_utf8_lossy(&output.stderr);
    assert_eq!(
        said.trim(),
        "scenario `stormy` is not known; there are steady, slow-path, path-failure, losses, overload"
    );
    assert!(!Path::new("tb").exists(), "nothing was made");
}
