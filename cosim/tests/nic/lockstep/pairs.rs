//! Two joined blocks with hosts behind them and a network between.

use std::path::Path;

use respray_cosim::nic::{
    Act, Around, CaptureReplay, Entry, Feed, Frames, Given, Log, NicOptions, NicReport, PairFigures, PairOf,
    Stimulus, cosim, golden,
};
use respray_cosim::report::Verdict;
use respray_cosim::traffic::capture::Cut;
use respray_cosim::verilator::Coverage;
use respray_golden::hosts::scenarios::Scenario;
use respray_golden::nic::{self, Nic};
use respray_hdl::config::{Config, PathSelector};

use super::config;
use crate::stream::tshark::tshark;

/// Of a run whose difference leaves its list in this folder.
pub fn options_of(feed: Feed, folder: &Path) -> NicOptions {
    let options = NicOptions::new(feed);
    NicOptions { reproducer: folder.join("nic_failure.csv"), ..options }
}

pub fn options(scenario: Scenario, bytes: u64, folder: &Path) -> NicOptions {
    with_registers(scenario, bytes, &[], folder)
}

fn with_registers(scenario: Scenario, bytes: u64, registers: &[(&str, u32)], folder: &Path) -> NicOptions {
    let registers = registers.iter().map(|(name, value)| (name.to_string(), *value)).collect();
    let mut options = options_of(Feed::Pair(PairOf { scenario, bytes, registers }), folder);
    options.own.seed = 5;
    options
}

pub fn passes(config: &Config, options: &NicOptions) -> NicReport {
    let report = cosim(config, options, &mut |_| {}).unwrap_or_else(|error| panic!("{error}"));
    let run = &report.run;
    assert_eq!(run.result, Verdict::Pass, "{:?} {:?}", options.own.feed, run.failure);
    report
}

/// What a pair came to beside its verdict.
fn figures(report: &NicReport) -> &PairFigures {
    report.pair.as_ref().expect("it is a pair")
}

/// Fields that tshark gives of each frame: whether checksums are right, and what the dissector says.
const FIELDS: [&str; 5] =
    ["ip.checksum.status", "udp.checksum.status", "strack.psn", "strack.probe", "strack.sack_bitmap"];

#[test]
fn a_lossy_pair_delivers_once_and_tshark_reads_what_it_sends() {
    let folder = tempfile::tempdir().unwrap();
    let capture = folder.path().join("pair.pcap");
    let mut options = options(Scenario::Lossy, 40_000, folder.path());
    options.own.pcap_out = Some(capture.clone());
    let report = passes(&config(), &options);
    let count = |name| report.run.counts.get(name);
    assert!(count("data_packets") > 100 && count("data_packets_again") > 10, "{:?}", report.run.counts);
    assert!(count("sacks") > 50 && count("probes") > 0, "{:?}", report.run.counts);
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tb/wireshark/strack.lua");
    let load = format!("lua_script:{}", script.display());
    let arguments = ["-X", &load, "-o", "ip.check_checksum:TRUE", "-o", "udp.check_checksum:TRUE"];
    let (mut sacks, mut probes) = (0, 0);
    for end in ["a", "b"] {
        let Some(rows) = tshark(&folder.path().join(format!("pair_{end}.pcap")), &arguments, &FIELDS) else {
            return;
        };
        for (row, frames) in rows {
            let values: Vec<&str> = row.split('\t').collect();
            let [ip, udp, psn, probe, bitmap] = values[..] else { panic!("{row}") };
            // statuses: 1 good, 3 not present; IPv6 has none of its own
            assert!(matches!(ip, "1" | "") && matches!(udp, "1" | "3"), "a checksum is wrong: {row}");
            assert!(!psn.is_empty(), "the dissector does not know a frame: {row}");
            sacks += if bitmap.is_empty() { 0 } else { frames };
            probes += if probe == "1" || probe == "True" { frames } else { 0 };
        }
    }
    assert_eq!((sacks as u64, probes as u64), (count("sacks"), count("probes")));
}

/// The lossy scenario, with every key that changes what the block does.
#[test]
#[ignore = "a model for each configuration"]
fn lossy_pairs_pass_in_every_kind_of_configuration() {
    for sets in [
        &["wire=uet"][..],
        &["sack.engine=fast"],
        &["wire=uet", "sack.engine=fast", "bus_bits=128"],
        &["selector.time_bits=16"],
        &["reps.variant=uet", "reps.depth=32"],
        &["nic.selector=ops", "ops.order=permuted"],
        &["nic.selector=ecmp", "wire=uet", "bus_bits=256"],
        &["nic.selector=subflows", "wire=uet"],
        &["nic.selector=mprdma", "sack.engine=fast"],
        &["nic.selector=flowlet", "selector.time_bits=16", "bus_bits=256"],
        &["nic.selector=flowlet", "flowlet.since=ack"],
        &["nic.selector=plb", "wire=uet"],
        &["nic.selector=plb", "selector.time_bits=16", "bus_bits=128"],
        &["nic.selector=strack"],
        &["nic.selector=strack", "strack.paths=16", "wire=uet", "bus_bits=128"],
        &["nic.selector=bitmap", "wire=uet"],
        &["nic.selector=mixed", "sack.engine=fast", "mixed.depth=8"],
        &["nic.selector=flowcut"],
        &["nic.selector=flowcut", "flowcut.variant=sticky", "nic.park=4", "sack.engine=fast", "bus_bits=128"],
        &["nic.selector=flowcut", "nic.window=strack", "connections=16", "nic.park=32"],
        &["connections=1024", "sack.window=512"],
        &["nic.window=strack"],
        &["nic.window=strack", "nic.selector=strack", "sack.engine=fast"],
        &["nic.window=strack", "nic.selector=plb", "selector.time_bits=16", "connections=16"],
    ] {
        let report = campaign(Scenario::Lossy, 1_000_000, sets);
        assert!(report.run.counts.get("data_packets_again") > 500, "{sets:?}: {:?}", report.run.counts);
    }
}

/// What flowcut counts, and that it keeps the order on paths that do, where one of them is slow or fails.
fn in_order(scenario: Scenario, seed: u64, sets: &[&str], registers: &[(&str, u32)]) -> NicReport {
    let folder = tempfile::tempdir().unwrap();
    let sets: Vec<String> = sets.iter().map(|set| set.to_string()).collect();
    let config = Config::load(None, &sets).unwrap();
    let mut options = with_registers(scenario, 600_000, registers, folder.path());
    options.own.seed = seed;
    let report = passes(&config, &options);
    let count = |name| report.run.counts.get(name);
    println!(
        "{} {seed} {sets:?}: drains {}, parked {}, held {}, overtaken {}",
        figures(&report).scenario,
        count("drains"),
        count("parked"),
        count("held"),
        count("overtaken")
    );
    report
}

/// Paths that keep the order: flowcut keeps it, too, and `reps` does not. Chance has little to do in these networks, since flowcut pays no heed to
/// marks, so each seed has another ratio, with which other packets wait.
#[test]
#[ignore = "minutes"]
fn pairs_with_flowcut_keep_the_order() {
    for scenario in [Scenario::Equal, Scenario::Slow, Scenario::Failing] {
        let mut drains = 0;
        for (seed, ratio) in [(1, 3), (2, 4), (3, 6), (4, 8)] {
            let registers = [("ratio", ratio), ("rtt_floor", 200)];
            let report = in_order(scenario, seed, &["nic.selector=flowcut"], &registers);
            assert_eq!(report.run.counts.get("overtaken"), 0, "{scenario:?}, seed {seed}");
            drains += report.run.counts.get("drains");
        }
        assert!(drains > 4, "{scenario:?}: {drains} drains");
        let reps = in_order(scenario, 1, &[], &[]);
        assert!(reps.run.counts.get("overtaken") > 0, "{scenario:?}");
    }
}

/// Whatever else the block is made of.
#[test]
#[ignore = "a model for each configuration"]
fn pairs_with_flowcut_keep_the_order_in_every_kind_of_configuration() {
    for sets in [
        &["bus_bits=512"][..],
        &["bus_bits=64"],
        &["flowcut.variant=sticky"],
        &["sack.engine=fast"],
        &["nic.window=strack"],
        &["bus_bits=64", "flowcut.variant=sticky", "sack.engine=fast", "nic.window=strack", "nic.park=4"],
    ] {
        let sets = [sets, &["nic.selector=flowcut"]].concat();
        let report = in_order(Scenario::Slow, 7, &sets, &[("ratio", 4), ("rtt_floor", 200)]);
        let counts = &report.run.counts;
        // a window that follows the delays stops the host before its packets have to wait
        let parks = sets.contains(&"nic.window=strack") || counts.get("parked") > 0;
        assert!(counts.get("drains") > 0 && parks, "{sets:?}: {counts:?}");
        assert_eq!(counts.get("overtaken"), 0, "{sets:?}");
    }
}

/// A register that a pair is given is written at both ends, stands in the command that runs it again, and is refused with what is allowed.
#[test]
fn a_pair_writes_the_registers_that_it_is_given() {
    let folder = tempfile::tempdir().unwrap();
    let run = |registers: &[(&str, u32)]| {
        let options = with_registers(Scenario::Equal, 20_000, registers, folder.path());
        cosim(&config(), &options, &mut |_| {}).map_err(|error| error.to_string())
    };
    let one = run(&[("sack_threshold", 9000), ("cwnd_packets", 3)]).unwrap();
    assert_eq!(one.run.result, Verdict::Pass, "{:?}", one.run.failure);
    let command = one.run.provenance.commands(true);
    assert!(
        format!("{command:?}").contains("--register sack_threshold=9000 --register cwnd_packets=3"),
        "{command:?}"
    );
    let (few, many) = (figures(&one).time_us, figures(&run(&[]).unwrap()).time_us);
    assert!(few > 1.5 * many, "{few} us with a window of three packets, {many} us");
    for (name, value, why) in [
        ("ratio", 8, "no setting has this name; allowed: "),
        ("command", 5, "no setting has this name; allowed: "),
        ("command_psn", 5, "no setting has this name; allowed: "),
        ("sack_prescale", 17, "to 16, not 17"),
        ("wire_prescale", 9, "sack_prescale 5, wire_prescale 9"),
    ] {
        let said = run(&[(name, value)]).unwrap_err();
        assert!(said.starts_with(&format!("`--register {name}={value}`: ")) && said.contains(why), "{said}");
    }
}

/// The times of a scenario are given in the ticks of the block, whatever their width, and no block refuses one of them.
#[test]
fn a_scenario_gives_each_block_what_it_takes() {
    let mut kinds: Vec<Vec<String>> =
        PathSelector::NAMES.iter().map(|name| vec![format!("nic.selector={name}")]).collect();
    kinds.extend([vec!["selector.time_bits=16".to_string()], vec!["nic.window=strack".to_string()]]);
    for sets in kinds {
        let config = Config::load(None, &sets).unwrap();
        for scenario in Scenario::ALL {
            let setup = scenario.setup(golden(&config), 20_000, 5);
            let mut nic = Nic::new(setup.nic.clone());
            for (name, value) in &setup.settings {
                let address = nic.address(name).unwrap_or_else(|| panic!("{sets:?} has no `{name}`"));
                nic.write(address, *value)
                    .unwrap_or_else(|why| panic!("{sets:?} {scenario:?}: {name}: {why}"));
            }
        }
    }
    let freeze = |time_bits: u8| {
        let nic = nic::Config { time_bits, ..golden(&Config::default()) };
        let settings = Scenario::Lossy.setup(nic, 20_000, 5).settings;
        settings.iter().find(|(name, _)| *name == "freeze_timeout").expect("reps freezes").1
    };
    assert_eq!(freeze(32) / freeze(16), 8, "a tick of the wire is eight cycles");
}

/// A list of frames is read as it was written, and a line that is none of it is named.
#[test]
fn a_list_of_frames_is_read_as_it_was_written() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("list.csv");
    let held = |streams: &[&str]| {
        let held = streams.iter().try_fold(Around::FREE, |around, stream| around.holding(stream));
        held.expect("these are streams")
    };
    let frame = |cycle, is_of_host: bool| {
        let frame = Given { bytes: vec![0, 0xfe], user: !is_of_host };
        Entry { cycle, is_of_host, frame }
    };
    let list = Stimulus {
        writes: vec![("sack_threshold".to_string(), 7)],
        frames: vec![frame(3, true), frame(9, false)],
        around: vec![(1, held(&["tx_in", "event"])), (4, held(&Around::STREAMS)), (5, Around::FREE)],
        acts: vec![
            (2, Act::Write("rto".to_string(), 9)),
            (4, Act::Check("version".to_string())),
            (7, Act::Restart(2)),
        ],
    };
    std::fs::write(&path, list.text()).unwrap();
    assert_eq!(Stimulus::read(&path, &|_| true).unwrap(), list);
    for line in [
        "5,held,tx_side",
        "5,held,",
        "x,held,none",
        "5,mac,2,00",
        "5,mac,0,0",
        "write,rto",
        "write,other,1",
        "5,write,rto",
        "x,write,rto,1",
        "5,write,other,1",
        "5,write,rto,-1",
        "5,check,other",
        "5,check,rto,1",
        "5,rst,0",
        "5,rst,1001",
        "5,rst",
    ] {
        std::fs::write(&path, format!("1,held,rx_out\n{line}\n")).unwrap();
        let refused = Stimulus::read(&path, &|name| name == "rto").unwrap_err().to_string();
        assert!(refused.contains(&format!("line 2: `{line}`; allowed: ")), "{refused}");
        assert!(refused.ends_with("of tx_out, rx_out, event, tx_in, rx_in"), "{refused}");
    }
}

/// The lines of both ends, and waves of the first cycles with frames, of a pair and of a list of frames.
#[test]
#[ignore = "models of their own"]
fn a_run_leaves_coverage_and_waves() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    let leaving = |name: &str, options: NicOptions| NicOptions {
        wave: Some(at(&format!("{name}.fst"))),
        coverage: Some(at(name)),
        ..options
    };
    let pair = leaving("pair", options(Scenario::Equal, 20_000, folder.path()));
    let report = passes(&config(), &pair).run;
    let frames = vec![
        Entry { cycle: 0, is_of_host: true, frame: Given { bytes: vec![0; 60], user: false } },
        Entry { cycle: 90, is_of_host: false, frame: Given { bytes: vec![0; 60], user: true } },
    ];
    let around = vec![(0, Around { rx_out_ready: false, ..Around::FREE }), (50, Around::FREE)];
    let writes = vec![("sack_threshold".to_string(), 0)];
    let list = Stimulus { writes, frames, around, acts: Vec::new() };
    std::fs::write(at("list.csv"), list.text()).unwrap();
    let frames = Feed::Frames(Frames::List(at("list.csv")));
    let options = leaving("list", options_of(frames, folder.path()));
    let listed = cosim(&config(), &options, &mut |_| {}).unwrap_or_else(|error| panic!("{error}")).run;
    let lines = [(report, "pair"), (listed, "list")].map(|(report, name)| {
        assert_eq!(report.not_done, Vec::<String>::new(), "{name}");
        let coverage = report.coverage.expect("lines are counted");
        let counts = std::fs::read_to_string(at(name).join("nic.dat")).unwrap();
        let counts = Coverage::parse(&counts).unwrap();
        assert_eq!(counts.covered_and_total(), (coverage.executed, coverage.lines), "{name}");
        let annotated = std::fs::read_to_string(at(name).join("nic.v.coverage")).unwrap();
        assert_eq!(
            annotated.lines().filter(|line| line.starts_with('!')).count(),
            coverage.not_executed.len()
        );
        assert!(std::fs::metadata(at(&format!("{name}.fst"))).unwrap().len() > 10_000, "{name}");
        coverage.executed
    });
    // A sends data and B receives it, so both are needed
    assert!(lines[0] > lines[1] + 200, "{lines:?}");
}

/// Each recording from either end, 20,000 times as fast as it was.
#[test]
#[ignore = "a minute"]
fn recordings_replay() {
    let folder = tempfile::tempdir().unwrap();
    let recordings = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tb/recordings");
    let config = Config::default();
    let mut seen = 0;
    for entry in std::fs::read_dir(recordings).unwrap() {
        let path = entry.unwrap().path();
        let name = path.to_string_lossy();
        // what a log says is replayed by tests of its own, and that of a receiver lacks what was lost, behind
        // which nothing is sent
        let is_of_receiver = name.ends_with("-receiver.pcap.gz");
        if !name.ends_with(".pcap.gz") || Log::beside(&path).is_some() && is_of_receiver {
            continue;
        }
        let frames = Frames::Capture(CaptureReplay {
            path: path.clone(),
            local: None,
            speedup: 2000,
            cut: Cut::Refused,
        });
        let options = options_of(Feed::Frames(frames), folder.path());
        let report = cosim(&config, &options, &mut |_| {}).unwrap_or_else(|error| panic!("{error}")).run;
        assert_eq!(report.result, Verdict::Pass, "{}: {:?}", path.display(), report.failure);
        let (sent, acks) = (report.counts.get("data_packets"), report.counts.get("acks"));
        // the capture of a receiver lacks what was lost: behind that nothing is sent, and all but a window of what was is acknowledged
        let least = if is_of_receiver { sent.saturating_sub(config.sack.window.into()) } else { 500 };
        assert!(sent > 500 && acks > least, "{}: {sent} sent, {acks} ACKs", path.display());
        seen += 1;
    }
    assert!(seen >= 8, "{seen} recordings");
}

/// Cycles of each end that a campaign has at least.
const CAMPAIGN: u64 = 20_000_000;

fn campaign(scenario: Scenario, bytes: u64, sets: &[&str]) -> NicReport {
    let folder = tempfile::tempdir().unwrap();
    let sets: Vec<String> = sets.iter().map(|set| set.to_string()).collect();
    let config = Config::load(None, &sets).unwrap();
    let report = passes(&config, &options(scenario, bytes, folder.path()));
    let scenario = figures(&report).scenario;
    println!("{scenario} {sets:?}: {} cycles\n{}", report.run.cycles, report.run.summary.join("\n"));
    report
}

fn long_enough(report: &NicReport) {
    assert!(report.run.cycles >= 2 * CAMPAIGN, "{} cycles", report.run.cycles);
}

/// Share of a path from A, of the packets behind the first fifth of a millisecond.
fn share(report: &NicReport, path: usize) -> f64 {
    let late = |path: usize| {
        let path = figures(report).paths.iter().find(|one| one.from == "A" && one.path == path).unwrap();
        path.packets_by_window.iter().skip(2).sum::<u64>() as f64
    };
    late(path) / (0..8).map(late).sum::<f64>()
}

#[test]
#[ignore = "minutes"]
fn campaign_eight_equal_paths() {
    let report = campaign(Scenario::Equal, 330_000_000, &[]);
    long_enough(&report);
    // without marks the EVs of the first packets stay, which spread as chance has it
    for path in 0..8 {
        let share = share(&report, path);
        assert!((0.03..0.30).contains(&share), "path {path} carries {share}");
    }
}

#[test]
#[ignore = "minutes"]
fn campaign_a_path_at_half_rate_carries_less() {
    let report = campaign(Scenario::Slow, 330_000_000, &[]);
    long_enough(&report);
    let share = share(&report, 3);
    assert!(share < 1.0 / 8.0, "the slow path carries {share}");
}

#[test]
#[ignore = "minutes"]
fn campaign_a_path_that_fails_costs_reps_a_fifth_of_what_it_costs_ops() {
    let lost = |report: &NicReport| {
        figures(report).paths.iter().filter(|path| path.from == "A").map(|path| path.lost_down).sum::<u64>()
    };
    let reps = campaign(Scenario::Failing, 330_000_000, &[]);
    long_enough(&reps);
    let ops = lost(&campaign(Scenario::Failing, 330_000_000, &["nic.selector=ops"]));
    let ecmp = lost(&campaign(Scenario::Failing, 16_000_000, &["nic.selector=ecmp"]));
    println!("lost to the path that fails: reps {}, ops {ops}, ecmp {ecmp}", lost(&reps));
    assert!(lost(&reps) * 5 <= ops, "{} packets, {ops} with ops", lost(&reps));
    let latest = reps.run.counts.get("last_known_ev_into_failed_path_ns");
    assert!(latest <= 48_000, "a known EV is sent into the dead link after {latest} ns");
}

#[test]
#[ignore = "minutes"]
fn campaign_a_fifth_lost_and_reordering() {
    long_enough(&campaign(Scenario::Lossy, 58_000_000, &[]));
}
