//! The committed recordings hold what their page says, and their fields are right.

use std::collections::{BTreeSet, HashMap, VecDeque};
use std::io::Read;
use std::path::{Path, PathBuf};

use flate2::read::GzDecoder;
use respray_cosim::cores::selector::SelectorListener;
use respray_cosim::cores::selector::recorded::{self, chosen_again, golden_ops};
use respray_cosim::traffic::capture::{
    CaptureOps, CaptureSource, Cut, Kind, ProfileFrames, Sack, Side, info,
};
use respray_cosim::traffic::optrace::OpTrace;
use respray_cosim::traffic::recording::Recording;
use respray_cosim::traffic::stimulus::{Expectation, Line};
use respray_golden::psn::PsnSpace;
use respray_golden::reps::{FREEZE_ENTERED, FREEZE_LEFT, Reps};
use respray_golden::sack_rx;
use respray_golden::selector::{Engine, OpKind, SendKind};
use respray_golden::wire::Profile as Wire;
use respray_golden::wire::strack::PSN_BITS;
use respray_hdl::cores::reps::contract::CONTRACT;
use respray_hdl::cores::selector::SelectorOp;
use respray_record::page;

pub fn directory() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../recordings")
}

fn all() -> Vec<(PathBuf, Recording)> {
    let all = page::recordings(&directory()).unwrap();
    assert!(all.len() >= 3);
    all
}

fn file(recording: &Recording, end: &str) -> PathBuf {
    directory().join(format!("{}{end}", recording.name))
}

fn trace(recording: &Recording) -> OpTrace<SelectorOp> {
    OpTrace::read(&file(recording, ".csv.gz"), &CONTRACT, &recorded::config(&recording.engine)).unwrap()
}

/// The receiver's capture.
fn source(recording: &Recording) -> CaptureSource {
    CaptureSource::open(&file(recording, "-receiver.pcap.gz"), Cut::Refused).unwrap()
}

#[test]
fn the_page_says_what_the_files_hold() {
    let text = std::fs::read_to_string(directory().join("README.md")).unwrap();
    let figures = page::figures_of(&text).expect("the page has its marks");
    assert_eq!(
        figures.trim(),
        page::tables(&directory()).unwrap().trim(),
        "run respray-record, or revert the page"
    );
    let words = text.split_whitespace().collect::<Vec<_>>().join(" ");
    for (_, recording) in all() {
        assert!(words.contains(&format!("`{}`: {}", recording.name, recording.says)), "{}", recording.name);
    }
}

#[test]
fn the_files_are_small_and_lie_together() {
    for (settings, recording) in all() {
        for end in ["-sender.pcap.gz", "-receiver.pcap.gz", ".csv.gz"] {
            let path = file(&recording, end);
            assert!(std::fs::metadata(&path).unwrap().len() < 2 << 20, "{}", path.display());
            for (side, other) in [(Side::Sender, "-receiver.pcap.gz"), (Side::Receiver, "-sender.pcap.gz")] {
                let beside = Recording::beside(&path, side);
                assert_eq!(beside, (end != other).then(|| settings.clone()), "{}", path.display());
            }
        }
    }
}

#[test]
fn figures_come_out_again_from_the_op_trace() {
    for (_, recording) in all() {
        let figures = &recording.figures;
        let mut reps = Engine::<Reps>::new(recorded::params(&recording.engine));
        let mut kinds = [0u64; 3];
        let (mut acks, mut acks_ce, mut timeouts, mut freezes, mut thaws) = (0, 0, 0, 0, 0);
        let trace = trace(&recording);
        assert_eq!(trace.settings, recorded::settings(&recording.engine));
        let ops = golden_ops(&recording.engine, trace.lines.clone());
        assert_eq!(ops.len(), trace.lines.len(), "a recording has no resets");
        for (line, (op, golden)) in trace.lines.iter().zip(ops) {
            let outcome = reps.apply(&golden);
            freezes += u64::from(outcome.has(FREEZE_ENTERED));
            thaws += u64::from(outcome.has(FREEZE_LEFT));
            match golden.kind {
                OpKind::Send => {
                    let result = outcome.result.unwrap();
                    kinds[result.kind.code() as usize] += 1;
                    assert_eq!(op.ev, result.ev, "{}", recording.name);
                    let expect = match result.kind {
                        SendKind::Explore => Expectation::of(&CONTRACT, "explore", &[]),
                        _ => Expectation::of(&CONTRACT, "cached", &[("res_ev", result.ev.into())]),
                    };
                    assert_eq!(line.expect.as_deref(), Some(&expect));
                }
                OpKind::Ack => {
                    acks += 1;
                    acks_ce += u64::from(op.ecn);
                }
                OpKind::Timeout => timeouts += 1,
                kind => panic!("{kind:?}"),
            }
        }
        assert_eq!(kinds, [figures.explore, figures.recycle, figures.replay]);
        assert_eq!(kinds.iter().sum::<u64>(), figures.sends);
        assert_eq!((acks, acks_ce, timeouts), (figures.acks, figures.acks_ce, figures.timeouts));
        assert_eq!((freezes, thaws), (figures.freezes, figures.thaws));
    }
}

#[test]
fn an_op_trace_that_is_written_again_has_the_same_text() {
    for (_, recording) in all() {
        let file = std::fs::File::open(file(&recording, ".csv.gz")).unwrap();
        let mut text = String::new();
        GzDecoder::new(file).read_to_string(&mut text).unwrap();
        let mut again = Vec::new();
        trace(&recording).format(&CONTRACT, &mut again).unwrap();
        assert!(String::from_utf8(again).unwrap() == text, "{}", recording.name);
    }
}

#[test]
fn the_senders_capture_alone_gives_the_same_ops_and_evs() {
    for (_, recording) in all() {
        let sender = file(&recording, "-sender.pcap.gz");
        let options = recording.capture_options();
        let capture = CaptureOps::<SelectorListener>::open(&sender, &options).unwrap();
        let ops: Vec<_> = capture.map(Result::unwrap).collect();
        let lines = trace(&recording).lines.into_iter();
        let lines: Vec<_> = lines.map(|line| Line { expect: None, ..line }).collect();
        assert_eq!(ops == lines, recording.figures.ops_equal, "{}", recording.name);
        let again = chosen_again(&sender, &options, &recording.engine).unwrap();
        assert_eq!((again.sends, again.equal), (recording.figures.sends, recording.figures.chosen_again));
        // another seed explores other EVs, so equality is no accident
        let other = respray_cosim::traffic::recording::Engine { seed: 1, ..recording.engine };
        let other = chosen_again(&sender, &options, &other).unwrap();
        assert!(other.sends - other.equal >= recording.figures.explore * 9 / 10, "{other:?}");
    }
}

#[test]
fn in_the_live_run_the_failed_path_loses_the_traffic_and_gets_it_back() {
    let all = all();
    let (_, live) =
        all.iter().find(|(_, recording)| recording.name == "live-failure").expect("it is committed");
    let (failed, from_ms, to_ms) = live.network.down.expect("a path fails");
    let evs = live.figures.paths[failed].evs.listed().expect("it lists them").to_vec();
    let lines = trace(live).lines;
    let share = |from_ns: u64, to_ns: u64| {
        let sends =
            lines.iter().filter(|line| line.expect.is_some() && (from_ns..to_ns).contains(&line.time));
        let sends: Vec<u16> = sends.filter_map(|line| Some(line.event.as_op()?.ev)).collect();
        assert!(sends.len() > 500, "{} packets", sends.len());
        sends.iter().filter(|ev| evs.contains(ev)).count() as f64 / sends.len() as f64
    };
    let (from, to) = (from_ms * 1_000_000, to_ms * 1_000_000);
    let (before, settled) = (share(0, from), share(from + live.rto_ns + 1_000_000_000, to));
    let back = share(to + 500_000_000, live.figures.span_ns);
    assert!(before > 0.15 && settled < 0.05 && back > 0.10, "{before} {settled} {back}");
}

#[test]
fn both_ends_and_the_switch_tell_the_same_story() {
    for (_, recording) in all() {
        let figures = &recording.figures;
        let sender = info(&file(&recording, "-sender.pcap.gz"), Wire::Strack.into(), Cut::Refused).unwrap();
        let receiver =
            info(&file(&recording, "-receiver.pcap.gz"), Wire::Strack.into(), Cut::Refused).unwrap();
        assert!(sender.profile.connections >= 64);
        assert_eq!((sender.profile.other, receiver.profile.other), (0, 0));
        assert_eq!((sender.profile.data, sender.profile.acks), (figures.sends, figures.acks));
        assert_eq!(sender.profile.retransmissions, figures.retransmissions);
        let carried: u64 = figures.paths.iter().map(|path| path.packets).sum();
        let marked: u64 = figures.paths.iter().map(|path| path.ce).sum();
        let (arrived, arrived_ce) = (receiver.profile.data, receiver.profile.data_ecn.ce);
        // the switch counts what a dying path loses, and marks what its queue may then drop
        let lost = figures.sends - arrived;
        assert_eq!(lost, figures.timeouts);
        assert!((arrived..=arrived + lost).contains(&carried), "{} of {carried} arrived", arrived);
        assert!((arrived_ce..=arrived_ce + lost).contains(&marked), "{} of {marked} arrived", arrived_ce);
        assert_eq!(receiver.profile.acks_ce, arrived_ce, "each mark is echoed");
        assert_eq!(sender.profile.data_ecn.ect0, figures.sends);
        // each EV has one path, and each path many EVs
        assert_eq!(figures.evs_on_two_paths, 0);
        assert_eq!(figures.paths.iter().map(|path| path.evs.count()).sum::<u64>(), sender.profile.evs);
        assert!(figures.paths.iter().all(|path| path.evs.count() > 50 && path.packets > 500), "{figures:?}");
    }
}

#[test]
fn the_evs_that_are_listed_of_a_path_are_those_of_the_packets_that_it_carried() {
    for (_, recording) in all() {
        let sends: Vec<u16> = trace(&recording)
            .lines
            .iter()
            .filter_map(|line| line.event.as_op())
            .filter(|op| op.kind == OpKind::Send.code())
            .map(|op| op.ev)
            .collect();
        let figures = &recording.figures;
        let mut evs = Vec::new();
        for path in &figures.paths {
            let listed = path.evs.listed().expect("recordings of this version list them");
            assert!(listed.is_sorted());
            let sent = sends.iter().filter(|ev| listed.binary_search(ev).is_ok()).count() as u64;
            // what a path loses that is down has left the switch or not
            let lost = sent.checked_sub(path.packets).expect("a path carries what is sent on it");
            assert!(lost <= figures.timeouts, "{lost} of {sent} did not leave: {}", recording.name);
            evs.extend_from_slice(listed);
        }
        let distinct: BTreeSet<u16> = sends.into_iter().collect();
        evs.sort_unstable();
        assert!(evs.iter().eq(&distinct), "each EV sent is on one path: {}", recording.name);
    }
}

#[test]
fn each_recording_shows_what_it_was_made_for() {
    let all: HashMap<String, Recording> = all().into_iter().map(|(_, r)| (r.name.clone(), r)).collect();
    let share = |r: &Recording, path: usize| r.figures.paths[path].packets as f64 / r.figures.sends as f64;
    let steady = &all["steady"];
    assert!((0..4).all(|path| (0.2..0.3).contains(&share(steady, path))), "{:?}", steady.figures);
    assert!(steady.figures.recycle > 20 * steady.figures.explore && steady.figures.timeouts == 0);
    let slow = &all["slow-path"];
    assert!(share(slow, 3) < 0.2 && (0..3).all(|path| share(slow, path) > 0.25), "{:?}", slow.figures);
    let marked = &slow.figures.paths[3];
    assert!(marked.ce * 10 > marked.packets, "the slow path marks: {marked:?}");
    assert!(slow.figures.acks_ce > 5 * steady.figures.acks_ce.max(1));
    let failure = &all["path-failure"];
    let figures = &failure.figures;
    assert!(figures.freezes > 20 && figures.replay > 100 && figures.timeouts > 100, "{figures:?}");
    assert!(figures.explore > 500 && figures.recycle > 5000, "{figures:?}");
    // every timeout lies in the time of the failure, one RTO later at most
    let (_, from, to) = failure.network.down.unwrap();
    let rto_ms = failure.rto_ns / 1_000_000;
    let is_timeout =
        |line: &&Line<SelectorOp>| line.event.as_op().is_some_and(|op| op.kind == OpKind::Timeout.code());
    for line in trace(failure).lines.iter().filter(is_timeout) {
        let at = line.time / 1_000_000;
        assert!((from + rto_ms - 5..=to + rto_ms + 150).contains(&at), "a timeout at {at} ms");
    }
}

/// 004 section 3.3.1 and Figure 7, by sets of PSNs.
#[test]
fn every_sack_of_the_receiver_shows_the_exact_state() {
    for (_, recording) in all() {
        let mut frames = ProfileFrames::open(&source(&recording), Wire::Strack.into()).unwrap();
        let mut received: HashMap<u32, BTreeSet<u32>> = HashMap::new();
        // data frames not yet answered, oldest first
        let mut waiting = VecDeque::new();
        let mut sacks = 0;
        while let Some(frame) = frames.next_frame().unwrap() {
            match frame.kind {
                Kind::Data(data) => waiting.push_back((frame, data)),
                Kind::Ack(ack) => {
                    let (answered, data) = waiting.pop_front().expect("an ACK answers a data frame");
                    let psns = received.entry(frame.id).or_default();
                    psns.insert(data.psn);
                    let epsn = (0..).find(|psn| !psns.contains(psn)).unwrap();
                    let beyond = psns.iter().filter(|&&psn| psn > epsn).count();
                    let place = format!("{} frame {}", recording.name, frame.number);
                    assert_eq!((answered.id, data.psn), (frame.id, ack.psn), "{place}");
                    assert_eq!((ack.echo_ev, ack.ce), (answered.ev, answered.ecn == 3), "{place}");
                    assert_eq!(frame.ev, answered.ev, "{place}");
                    assert_eq!(ack.echo_timestamp, data.timestamp, "{place}");
                    assert_eq!((ack.expected, ack.ooo), (epsn, Some(beyond as u16)), "{place}");
                    assert_eq!(ack.recv_bytes, Some(psns.len() as u32 * data.bytes), "{place}");
                    let sack = ack.sack.unwrap();
                    assert_eq!(sack.base % 64, 0, "{place}");
                    let shown = if data.psn < epsn { epsn } else { data.psn };
                    assert!((sack.base..sack.base + 64).contains(&shown), "{place}");
                    for bit in 0..64 {
                        let is_set = sack.bitmap >> bit & 1 == 1;
                        assert_eq!(is_set, psns.contains(&(sack.base + bit)), "{place} bit {bit}");
                    }
                    sacks += 1;
                }
                Kind::Nack { .. } | Kind::Control { .. } => panic!("there are no NACKs and control packets"),
            }
        }
        assert!(sacks > 5000 && waiting.is_empty());
    }
}

#[test]
fn the_golden_receiver_sends_the_same_sacks() {
    for (_, recording) in all() {
        let (connections, psns) = (recording.engine.connections, PsnSpace::new(PSN_BITS));
        let params = sack_rx::Params { connections, window: 256, psns };
        let mut engine = sack_rx::SackRx::new(params);
        for conn in 0..params.connections as u16 {
            engine.apply(&sack_rx::Op { kind: sack_rx::OpKind::Init, conn, ..Default::default() });
        }
        let mut frames = ProfileFrames::open(&source(&recording), Wire::Strack.into()).unwrap();
        let mut due = VecDeque::new();
        let mut sacks = 0;
        while let Some(frame) = frames.next_frame().unwrap() {
            match frame.kind {
                Kind::Data(data) => {
                    let outcome = engine.apply(&sack_rx::Op {
                        kind: sack_rx::OpKind::Packet,
                        conn: frame.id as u16,
                        psn: data.psn,
                        bytes: data.bytes as u16,
                        ecn: frame.ecn == 3,
                        ev: frame.ev,
                        timestamp: data.timestamp.unwrap(),
                        ack_request: data.ack_request,
                        probe: data.probe,
                        sack_threshold: u16::MAX,
                    });
                    due.push_back(outcome.sack.expect("every data frame asks for an ACK"));
                }
                Kind::Ack(ack) => {
                    let golden = due.pop_front().unwrap();
                    let place = format!("{} frame {}", recording.name, frame.number);
                    assert_eq!(
                        (golden.psn, golden.epsn, golden.ooo),
                        (ack.psn, ack.expected, ack.ooo.unwrap())
                    );
                    assert_eq!(ack.sack, Some(Sack { base: golden.base, bitmap: golden.bitmap }), "{place}");
                    assert_eq!(Some(golden.bytes_recvd), ack.recv_bytes, "{place}");
                    assert_eq!(
                        (golden.ecn, golden.ev, golden.probe),
                        (ack.ce, ack.echo_ev, ack.probe),
                        "{place}"
                    );
                    assert_eq!(Some(golden.timestamp), ack.echo_timestamp, "{place}");
                    sacks += 1;
                }
                Kind::Nack { .. } | Kind::Control { .. } => panic!("there are no NACKs and control packets"),
            }
        }
        assert!(sacks > 5000 && due.is_empty());
    }
}
