//! Recordings of the joined block: what their logs say, what they lose, and whose packets overtake others.

use std::collections::HashMap;
use std::path::Path;

use respray_cosim::nic::{Log, Logged};
use respray_cosim::traffic::capture::{CaptureSource, Cut, Kind, ProfileFrames};
use respray_golden::flowcut::Variant;
use respray_golden::nic::{self, Choice, Nic};
use respray_golden::psn::PsnSpace;
use respray_golden::wire::Profile as Wire;
use respray_golden::wire::strack::PSN_BITS;
use respray_record::{Scenario, page};

use crate::again::does_again;
use crate::recordings::directory;

/// Bytes of a probe's frame: headers alone, and up to the least of Ethernet.
const PROBE_BYTES: usize = 60;

/// Both ends of every recording of blocks, with the scenario that it was made by.
fn of_blocks() -> Vec<(Scenario, [Logged; 2])> {
    let logs = page::logs(&directory()).unwrap();
    assert!(logs.len() >= 2);
    let end = |scenario: &Scenario, end: &str| {
        let capture = directory().join(format!("{}-{end}.pcap.gz", scenario.name));
        let log = Log::beside(&capture).expect("a log stands beside the capture");
        Logged::open(&capture, &log, &scenario.config(), &|_| true).unwrap_or_else(|error| panic!("{error}"))
    };
    let scenario = |path: &Path| {
        let name = path.file_name().unwrap().to_str().unwrap().strip_suffix("-sender.pcap.gz").unwrap();
        Scenario::all().into_iter().find(|scenario| scenario.name == name).expect("it has a scenario")
    };
    let scenarios = logs.iter().map(|(path, _)| scenario(path));
    scenarios
        .map(|it| {
            let ends = ["sender", "receiver"].map(|role| end(&it, role));
            (it, ends)
        })
        .collect()
}

#[test]
fn golden_blocks_do_again_what_logs_say() {
    for (scenario, ends) in of_blocks() {
        for logged in &ends {
            let done = does_again(logged, &scenario.config());
            done.unwrap_or_else(|what| panic!("{}: {what}", scenario.name));
        }
        let mut spoilt = ends[0].clone();
        let last = spoilt.log.steps.len() - 1;
        spoilt.log.steps.remove(last);
        assert!(does_again(&spoilt, &scenario.config()).is_err(), "{}", scenario.name);
    }
}

#[test]
fn recordings_of_blocks_are_small_and_have_losses_by_every_rule() {
    let page = std::fs::read_to_string(directory().join("README.md")).unwrap();
    let words = page.split_whitespace().collect::<Vec<_>>().join(" ");
    for (scenario, [sender, receiver]) in of_blocks() {
        let Scenario { name, says, .. } = &scenario;
        assert!(words.contains(&format!("`{name}`: {says}")) && sender.log.says == *says, "{name}");
        assert_eq!(receiver.log.says, *says);
        for end in ["sender.pcap.gz", "sender.log.gz", "receiver.pcap.gz", "receiver.log.gz"] {
            let bytes = std::fs::metadata(directory().join(format!("{name}-{end}"))).unwrap().len();
            assert!(bytes < 200_000, "{name}-{end}: {bytes} bytes");
        }
        // the kernel's hash: every path carried packets, and each EV had one path
        let mut evs: Vec<u16> =
            sender.log.paths.iter().flat_map(|path| path.evs.listed().unwrap()).copied().collect();
        assert!(
            sender.log.paths.len() == 4 && sender.log.paths.iter().all(|path| path.packets > 50),
            "{name}"
        );
        let all = evs.len();
        evs.sort_unstable();
        evs.dedup();
        assert_eq!(evs.len(), all, "{name}");
        // where nothing is down all that was sent has come, and what is held is the order
        if scenario.outages.is_empty() {
            assert!(sender.log.paths.iter().all(|path| path.dropped == 0), "{name}: {:?}", sender.log.paths);
            assert_eq!(
                (sender.left.len(), receiver.left.len()),
                (receiver.came.len(), sender.came.len()),
                "{name}"
            );
            continue;
        }
        let losses = sender.log.losses();
        assert!(losses.iter().all(|(losses, again)| *losses >= 4 && again >= losses), "{name}: {losses:?}");
        // what did not arrive was lost on the way, and every packet that was sent again had been named for it
        let named: u64 = losses.iter().map(|(_, again)| again).sum();
        let packets = u64::from(scenario.messages * u32::from(scenario.connections))
            * u64::from(scenario.message_bytes.div_ceil(scenario.payload));
        let probes = sender.left.iter().filter(|frame| frame.len() == PROBE_BYTES).count() as u64;
        assert!(sender.left.len() as u64 <= packets + named + probes, "{name}");
        assert!(
            receiver.came.len() < sender.left.len() && receiver.left.len() >= sender.came.len(),
            "{name}"
        );
    }
}

/// Data packets of each connection that came behind a later one, of those that were sent but once; and drains.
fn overtaken_and_drains(name: &str) -> (u64, usize) {
    let capture = |end: &str| directory().join(format!("{name}-{end}.pcap.gz"));
    let packets = |end: &str| {
        let source = CaptureSource::open(&capture(end), Cut::Refused).unwrap();
        let mut frames = ProfileFrames::open(&source, Wire::Strack.into()).unwrap();
        let mut packets = Vec::new();
        while let Some(frame) = frames.next_frame().unwrap() {
            if let Kind::Data(data) = frame.kind
                && !data.probe
            {
                packets.push((frame.id, data.psn));
            }
        }
        packets
    };
    let mut times_sent = HashMap::new();
    packets("sender").into_iter().for_each(|packet| *times_sent.entry(packet).or_insert(0) += 1);
    let (mut latest, mut overtaken) = (HashMap::new(), 0);
    let space = PsnSpace::new(PSN_BITS);
    for (id, psn) in packets("receiver") {
        if times_sent[&(id, psn)] > 1 {
            continue;
        }
        let latest = latest.entry(id).or_insert(psn);
        let is_late = space.distance(*latest, psn) >= 1 << (PSN_BITS - 1);
        overtaken += u64::from(is_late);
        *latest = if is_late { *latest } else { psn };
    }
    let selector = Choice::Flowcut(Variant::Paper);
    let blocks = [Nic::new(nic::Config::default()), Nic::new(nic::Config { selector, ..Default::default() })];
    let log = Log::beside(&capture("sender")).expect("a log stands beside the capture");
    let log = Log::read(&log, &|name| blocks.iter().any(|nic| nic.address(name).is_some())).unwrap();
    let drains = log.events().filter(|event| event.kind == nic::Kind::Xoff).count();
    (overtaken, drains)
}

#[test]
fn flowcut_keeps_the_order_on_the_paths_on_which_reps_does_not() {
    for name in ["flowcut-slow-path", "flowcut-steady"] {
        let (overtaken, drains) = overtaken_and_drains(name);
        assert!(overtaken == 0 && drains > 0, "{name}: {overtaken} packets overtaken, {drains} drains");
    }
    for name in ["reps-slow-path", "losses"] {
        let (overtaken, drains) = overtaken_and_drains(name);
        assert!(overtaken > 0 && drains == 0, "{name}: {overtaken} packets overtaken, {drains} drains");
    }
}
