//! Real namespaces, real frames: a small recording from start to files. Skipped where namespaces cannot be
//! made.

use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::Mutex;
use std::time::{Duration, Instant};

use respray_cosim::nic::Logged;
use respray_cosim::traffic::capture::{Cut, info};
use respray_golden::reps::{FREEZE_ENTERED, FREEZE_LEFT, Reps};
use respray_golden::selector::{Engine, Op, OpKind, Outcome, SendKind};
use respray_golden::wire::Profile as Wire;
use respray_record::live::{self, Feedback};
use respray_record::{Outage, RecordError, Scenario, record};

use crate::again::does_again;

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

#[test]
fn blocks_over_paths_that_lose_packets_deliver_all_and_leave_logs_of_it() {
    let _turn = TURN.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
    if !possible() {
        return;
    }
    let directory = tempfile::tempdir().unwrap();
    let scenario = Scenario {
        name: "short".into(),
        connections: 3,
        messages: 10,
        outages: vec![Outage { path: None, from_ms: 40, to_ms: 70 }],
        ..Scenario::losses()
    };
    let recorded = record(&scenario, directory.path()).unwrap();
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
    let scenario = Scenario {
        outages: vec![Outage { path: None, from_ms: 10, to_ms: 1000 }],
        limit_ms: 100,
        ..Scenario::losses()
    };
    let refused = record(&scenario, directory.path()).unwrap_err().to_string();
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
        .arg("losses")
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
        "scenario `stormy` is not known; there are losses, overload, flowcut-steady, flowcut-slow-path, reps-slow-path"
    );
    assert!(!Path::new("tb").exists(), "nothing was made");
}

/// The golden model of `reps` behind real sockets.
struct Golden {
    reps: Engine<Reps>,
    settings: [u32; 4],
    freezes: (u64, u64),
}

impl Golden {
    fn apply(&mut self, kind: OpKind, conn: u16, now_ns: u64, ev: u16, ecn: bool) -> Outcome {
        let op = Op { kind, conn, ev, ecn, now: now_ns as u32, settings: self.settings, more: 0 };
        let outcome = self.reps.apply(&op);
        self.freezes.0 += u64::from(outcome.has(FREEZE_ENTERED));
        self.freezes.1 += u64::from(outcome.has(FREEZE_LEFT));
        outcome
    }
}

impl live::Engine for Golden {
    fn send(&mut self, connection: u16, now_ns: u64) -> Result<(SendKind, u16), RecordError> {
        let result = self.apply(OpKind::Send, connection, now_ns, 0, false).result.expect("of a send");
        Ok((result.kind, result.ev))
    }

    fn hear(&mut self, feedback: Feedback, connection: u16, now_ns: u64) -> Result<(), RecordError> {
        match feedback {
            Feedback::Ack { ev, is_marked } => self.apply(OpKind::Ack, connection, now_ns, ev, is_marked),
            Feedback::Timeout => self.apply(OpKind::Timeout, connection, now_ns, 0, false),
        };
        Ok(())
    }

    fn freezes(&mut self) -> Result<(u64, u64), RecordError> {
        Ok(self.freezes)
    }
}

#[test]
fn a_live_run_over_real_sockets_is_told_by_its_capture_alone() {
    let _turn = TURN.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
    if !possible() {
        return;
    }
    let directory = tempfile::tempdir().unwrap();
    let usual = live::Scenario::default();
    let scenario = live::Scenario { name: "short".into(), duration_ms: 700, down: (2, 200, 500), ..usual };
    let engine = scenario.engine;
    let make = || {
        let golden = Golden {
            reps: Engine::new(respray_cosim::cores::selector::recorded::params(&engine)),
            settings: [engine.freeze_timeout, engine.bdp_packets.into(), 0, 0],
            freezes: (0, 0),
        };
        Ok(Box::new(golden) as Box<dyn live::Engine>)
    };
    let live = live::run(&scenario, &make, "a test", directory.path()).unwrap();
    assert_eq!(namespaces_of(std::process::id()), 0, "namespaces are left");
    let figures = &live.recording.figures;
    assert!(figures.sends > 800 && figures.timeouts > 0, "{live}");
    assert_eq!((figures.chosen_again, figures.ops_equal), (figures.sends, true));
    assert_eq!(figures.evs_on_two_paths, 0);
    assert!(live.files.iter().all(|file| file.exists()));
    let shares = live.shares(100_000_000);
    assert!(shares.iter().all(|shares| (shares.iter().sum::<f64>() - 1.0).abs() < 1e-9), "{shares:?}");
}
