//! What runs of every kind of core may be asked for, at the block.

use std::path::{Path, PathBuf};
use std::time::Duration;

use respray_cosim::nic::{CaptureReplay, Feed, Frames, NicOptions, NicReport, PairOf, cosim};
use respray_cosim::report::Verdict;
use respray_cosim::simulators::Simulator;
use respray_cosim::stream::Pace;
use respray_cosim::traffic::capture::Cut;
use respray_golden::hosts::scenarios::Scenario;
use respray_hdl::catalogue;
use respray_hdl::config::Config;
use respray_hdl::nic::top::NAME;

use super::pairs::{options, options_of, passes};
use super::{config, config_with};

const RANDOM: u64 = 20_000;

fn random(cycles: u64, folder: &Path) -> NicOptions {
    options_of(Feed::Random { cycles }, folder)
}

fn list(folder: &Path) -> NicOptions {
    options_of(Feed::Frames(Frames::List(folder.join("nic_failure.csv"))), folder)
}

fn run(config: &Config, options: &NicOptions) -> NicReport {
    cosim(config, options, &mut |_| {}).unwrap_or_else(|error| panic!("{error}"))
}

/// A port of a part, what drives it, and what drives it in the changed block.
type Change = (&'static str, &'static str, &'static str);

/// A packet of the host leaves with a timestamp of a tick later.
const LATE: Change = (".grant_timestamp ", "(registers_wire_time)", "(registers_wire_time + 16'd1)");
/// The mark of an ACK is not told to the selector.
const UNMARKED: Change = (".ack_ecn ", "(receiver_heard_ecn)", "(1'b0)");

/// The Verilog of a small block as a designer gets it, with another line.
fn changed(config: &Config, folder: &Path, (port, right, wrong): Change) -> PathBuf {
    let verilog = catalogue::generate(NAME, config).expect("a valid configuration").verilog;
    let is_it = |line: &&str| line.trim_start().starts_with(port) && line.contains(right);
    let found: Vec<&str> = verilog.lines().filter(is_it).collect();
    let [line] = found[..] else { panic!("{port}: {found:?}") };
    let path = folder.join("my_nic.v");
    std::fs::write(&path, verilog.replace(line, &line.replace(right, wrong))).unwrap();
    path
}

/// The lines of a table whose lane has this name.
fn lines<'a>(table: &'a str, lane: &str) -> Vec<Vec<&'a str>> {
    let lines = table.lines().map(|line| line.split(',').collect::<Vec<&str>>());
    lines.filter(|line| line[1] == lane).collect()
}

/// Random traffic is the same with a seed, whatever it is compared with, and another one with another seed.
#[test]
fn random_traffic_passes_and_is_the_same_with_its_seed() {
    let folder = tempfile::tempdir().unwrap();
    let table = |seed, name: &str| {
        let mut options = random(RANDOM, folder.path());
        options.own.seed = seed;
        options.results = Some(folder.path().join(name));
        let report = passes(&config(), &options).run;
        assert!(report.cycles >= RANDOM && report.counts.get("data_packets") > 20, "{:?}", report.counts);
        assert!(report.counts.get("packets_delivered") > 5, "{:?}", report.counts);
        (std::fs::read_to_string(folder.path().join(name)).unwrap(), report)
    };
    let (one, report) = table(3, "one.csv");
    assert!(one == table(3, "again.csv").0, "the same seed gives the same");
    assert!(one != table(4, "other.csv").0, "another seed gives something else");
    let command = format!("{:?}", report.provenance.commands(false));
    assert!(command.contains(&format!("--random {RANDOM} --seed 3")), "{command}");

    // the table has what the counters have
    let [sent, delivered, told] = ["tx_out", "rx_out", "event"].map(|lane| lines(&one, lane));
    let heads: Vec<&str> = one.lines().next().unwrap().split(',').collect();
    assert_eq!(heads[..4], ["cycle", "lane", "number", "bytes"]);
    let of = |name: &str| heads.iter().position(|head| *head == name).unwrap_or_else(|| panic!("{heads:?}"));
    let counts = &report.counts;
    let data = counts.get("data_packets") + counts.get("data_packets_again");
    assert!(sent.len() as u64 >= data + counts.get("sacks") + counts.get("probes"), "{} frames", sent.len());
    let new = delivered.iter().filter(|line| line[of("rx_status")] == "0").count();
    assert_eq!(new as u64, counts.get("packets_delivered"));
    assert!(told.iter().any(|line| line[of("event_kind")] == "0"), "something is acknowledged");
    for lane in [sent, delivered, told] {
        assert!(lane.iter().zip(0..).all(|(line, number)| line[2] == number.to_string()), "{:?}", lane[0]);
    }
}

/// A run that ends by the clock says how many cycles it had, and that many give the same.
#[test]
fn random_traffic_by_the_clock_says_what_repeats_it() {
    let folder = tempfile::tempdir().unwrap();
    let mut options = random(u64::MAX, folder.path());
    options.time = Some(Duration::from_millis(300));
    let report = passes(&config(), &options).run;
    let (_, command) = report.provenance.commands(false)[0];
    assert!(command.contains(&format!("--random {}", report.cycles)), "{command}, {}", report.cycles);
}

/// Gaps and stalls make a run longer, whatever the block is given, and change nothing of what comes out.
#[test]
fn pauses_make_runs_longer_and_change_no_result() {
    let folder = tempfile::tempdir().unwrap();
    let cycles = |pauses: Option<(f64, f64)>, options: NicOptions| {
        let mut options = options;
        options.own.pauses = pauses.map(|(gap, stall)| Pace { gap, stall, seed: 7 });
        passes(&config(), &options).run.cycles
    };
    let pair = || options(Scenario::Equal, 30_000, folder.path());
    let (free, gaps, stalls) =
        (cycles(None, pair()), cycles(Some((0.9, 0.0)), pair()), cycles(Some((0.0, 0.9)), pair()));
    assert!(
        gaps > free + 500 && stalls > free + 500,
        "{free} cycles, {gaps} with gaps, {stalls} with stalls"
    );
    // random traffic has none of its own then
    assert!(cycles(Some((0.3, 0.3)), random(RANDOM, folder.path())) > RANDOM);
    for (gap, stall, said) in
        [(1.0, 0.0, "`gap` is 1; allowed: 0 to below 1"), (0.0, -0.1, "`stall` is -0.1; ")]
    {
        let mut options = pair();
        options.own.pauses = Some(Pace { gap, stall, seed: 1 });
        let error = cosim(&config(), &options, &mut |_| {}).expect_err("it is refused").to_string();
        assert!(error.starts_with(said), "{error}");
    }
}

/// A recording's ticks leave no room for pauses.
#[test]
fn a_log_goes_without_pauses() {
    let folder = tempfile::tempdir().unwrap();
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tb/recordings/losses-sender.pcap.gz");
    let replay = CaptureReplay { path, local: None, speedup: 1, cut: Cut::Refused };
    let mut options = options_of(Feed::Frames(Frames::Capture(replay)), folder.path());
    options.own.pauses = Some(Pace { gap: 0.1, stall: 0.0, seed: 1 });
    let config = config_with(&["nic.loss_feedback=stalled"]);
    let error = cosim(&config, &options, &mut |_| {}).expect_err("it is refused").to_string();
    assert!(error.contains("losses-sender.log.gz: this log says "), "{error}");
}

/// In a simulator that knows unknown bits: a pair that passes, a pair with a fault, and random traffic with one.
#[test]
#[ignore = "in a simulator that is slow"]
fn pairs_and_random_traffic_run_in_another_simulator() {
    let folder = tempfile::tempdir().unwrap();
    let beside = |options: NicOptions| NicOptions { simulator: Some(Simulator::Icarus), ..options };
    let pair = beside(options(Scenario::Equal, 2_000, folder.path()));
    let report = passes(&config(), &pair).run;
    assert!(report.counts.get("sacks") > 0 && report.provenance.simulator.is_some(), "{:?}", report.counts);
    let faulty = changed(&config(), folder.path(), LATE);
    for options in [pair, beside(random(3_000, folder.path()))] {
        let report = run(&config(), &NicOptions { verilog: Some(faulty.clone()), ..options }).run;
        assert_eq!(report.result, Verdict::Fail);
        let what = report.failure.expect("a difference").what;
        assert!(what.contains("a frame at tx_out: "), "{what}");
    }
}

/// A changed block is found at random, in a pair, and on the list that is left, which replays; the block as it is passes on that list.
#[test]
#[ignore = "models of their own"]
fn a_changed_block_is_found_and_its_list_replays() {
    // on a bus of 512 bits queues fill, so that packets are marked; these seeds mark some of the first ones
    for (sets, change, scenario, seed) in [
        (&[][..], LATE, Scenario::Lossy, 5),
        (&["bus_bits=512"], UNMARKED, Scenario::Slow, 7),
        (&["bus_bits=512", "wire=uet", "sack.engine=fast"], UNMARKED, Scenario::Slow, 4),
    ] {
        let folder = tempfile::tempdir().unwrap();
        let config = config_with(sets);
        let faulty = changed(&config, folder.path(), change);
        let with = |options: NicOptions| NicOptions { verilog: Some(faulty.clone()), ..options };
        let mut pair = options(scenario, 100_000, folder.path());
        pair.own.seed = seed;
        for options in [pair, random(1_000_000, folder.path())] {
            let report = run(&config, &with(options)).run;
            let failure =
                report.failure.unwrap_or_else(|| panic!("{sets:?}, {change:?}: {:?}", report.counts));
            let command = &failure.command;
            assert!(command.contains("--frames ") && command.contains("--verilog "), "{command}");
            let shrunk = failure.shrunk.expect("it is shrunk");
            // a mark shows once the selector has sent 25 packets (`bdp_packets`) and heard of as many
            assert!(shrunk.frames <= 60, "{change:?}: {} frames", shrunk.frames);
            assert_eq!(passes(&config, &list(folder.path())).run.mismatches, 0);
            let again = run(&config, &with(list(folder.path()))).run;
            assert_eq!(again.result, Verdict::Fail, "the list differs again");
        }
    }
}

/// A run that goes on counts more than the first difference, and by what differs; where nothing does, nothing.
#[test]
#[ignore = "a model of its own"]
fn a_run_that_goes_on_counts_all_differences() {
    let folder = tempfile::tempdir().unwrap();
    let faulty = changed(&config(), folder.path(), LATE);
    for options in [options(Scenario::Equal, 60_000, folder.path()), random(60_000, folder.path())] {
        let options = NicOptions { keep_going: true, ..options };
        let report = passes(&config(), &options).run;
        assert_eq!((report.mismatches, report.differing_ports.unwrap().len()), (0, 0));
        let options = NicOptions { verilog: Some(faulty.clone()), ..options };
        let report = run(&config(), &options).run;
        // those that carry a timestamp
        let sent: u64 = ["data_packets", "data_packets_again", "probes"]
            .map(|count| report.counts.get(count))
            .iter()
            .sum();
        let ports = report.differing_ports.expect("they are counted");
        let frames = ports["a frame at tx_out"];
        assert!(frames > 10 && frames <= sent, "{ports:?} of {sent}: {:?}", report.counts);
        assert!(report.mismatches >= frames, "{ports:?}");
        assert!(report.failure.expect("the first one").shrunk.is_some());
    }
}

/// Every kind of block takes random traffic.
#[test]
#[ignore = "a model for each configuration"]
fn random_traffic_passes_in_every_kind_of_configuration() {
    let folder = tempfile::tempdir().unwrap();
    for sets in [
        &["bus_bits=512", "connections=256", "sack.window=256"][..],
        &["wire=uet"],
        &["wire=uet", "sack.engine=fast", "bus_bits=128"],
        &["wire=uet", "sack.engine=fast", "bus_bits=512"],
        &["nic.selector=ops", "selector.time_bits=16"],
        &["nic.selector=ecmp"],
        &["nic.selector=plb", "wire=uet"],
        &["nic.selector=strack", "nic.window=strack"],
        &["nic.selector=flowcut"],
        &["nic.selector=flowcut", "nic.window=strack", "sack.engine=fast", "nic.park=4"],
        &["reps.variant=uet", "reps.depth=32"],
    ] {
        for seed in 1..=3 {
            let mut options = random(400_000, folder.path());
            options.own.seed = seed;
            passes(&config_with(sets), &options);
        }
    }
}

/// What is no variant of the block is refused by the name of its file, before anything runs.
#[test]
fn verilog_that_is_no_block_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let refused = |verilog: &str| {
        let path = folder.path().join("my_nic.v");
        std::fs::write(&path, verilog).unwrap();
        let options = NicOptions { verilog: Some(path), ..random(1_000, folder.path()) };
        cosim(&config(), &options, &mut |_| {}).expect_err("it is refused").to_string()
    };
    let said = refused("module other (input wire clk); endmodule\n");
    assert!(said.contains("my_nic.v: there is no module `nic` that begins with a list of ports"), "{said}");
    let verilog = catalogue::generate(NAME, &config()).unwrap().verilog;
    let said = refused(&verilog.replace("spray_op_valid", "valid_of_spray"));
    assert!(
        said.contains("my_nic.v: module `nic` has no `spray_op_valid`, at which a simulation watches it"),
        "{said}"
    );
    assert!(said.contains("; allowed: the Verilog that `respray generate --core nic` writes"), "{said}");
    let whole = PairOf { scenario: Scenario::Equal, bytes: 0, registers: Vec::new() };
    let error = cosim(&config(), &options_of(Feed::Pair(whole), folder.path()), &mut |_| {}).unwrap_err();
    assert_eq!(error.to_string(), "`bytes` is 0; allowed: 1 to 4294967296");
}
