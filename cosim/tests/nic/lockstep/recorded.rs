//! Recordings of blocks over a network that loses packets, replayed by their logs and compared with what was
//! recorded.

use std::fs;
use std::io::Read;
use std::path::{Path, PathBuf};

use flate2::read::GzDecoder;
use respray_cosim::nic::{CaptureReplay, Difference, End, Feed, Frames, Log, Logged, Step, cosim, golden};
use respray_cosim::report::Verdict;
use respray_cosim::traffic::capture::Cut;
use respray_golden::nic::{Counter, Nic};
use respray_hdl::config::Config;

use super::pairs::options_of;
use super::{Block, config_with};

fn recordings() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tb/recordings")
}

/// That of the recorded blocks, whose selectors heard of timeouts alone.
fn config() -> Config {
    config_with(&["nic.loss_feedback=stalled"])
}

fn small() -> Block {
    Block::new(config(), |verilog| verilog, false)
}

fn is_register(name: &str) -> bool {
    Nic::new(golden(&config())).address(name).is_some()
}

/// The log of an end of a recording, and its frames.
fn logged(name: &str) -> Logged {
    let capture = recordings().join(format!("{name}.pcap.gz"));
    let log = Log::beside(&capture).expect("a log stands beside the capture");
    Logged::open(&capture, &log, &config(), &is_register).unwrap_or_else(|error| panic!("{error}"))
}

/// Replays it on a block that was just made, which has counted as many losses by each rule as the log has.
fn replays(block: &Block, logged: &Logged) -> Result<End, Difference> {
    let mut end = block.end();
    logged.give(&mut end, &mut |_| true)?;
    let counters = [Counter::LossOoo, Counter::LossProbe, Counter::LossTimeout];
    assert_eq!(
        counters.map(|counter| end.golden().counter(counter)),
        logged.log.losses().map(|(losses, _)| losses)
    );
    Ok(end)
}

/// The difference that a replay of something spoilt must find.
fn differs(block: &Block, logged: &Logged) -> String {
    let difference = logged.give(&mut block.end(), &mut |_| true).expect_err("a replay of what is spoilt");
    difference.to_string()
}

#[test]
fn a_recorded_sender_does_again_what_it_did() {
    let block = small();
    let whole = logged("losses-sender");
    // up to where each rule has found some losses; the rest is of the same kind
    let parts = (whole.log.first_tick()..whole.log.last_tick()).step_by(100);
    let mut parts = parts.map(|tick| whole.clone().until(tick));
    let has_all = |part: &Logged| part.log.losses().iter().all(|(losses, again)| *losses >= 2 && *again >= 2);
    let part = parts.find(has_all).expect("each rule finds losses in it");
    let end = replays(&block, &part).unwrap_or_else(|difference| panic!("{difference}"));
    assert!(end.golden().counter(Counter::TxAgain) >= 6);
}

#[test]
fn the_beginning_of_every_recorded_end_is_done_again() {
    let block = small();
    for name in ["losses-receiver", "overload-sender", "overload-receiver"] {
        let part = beginning(name, 130);
        replays(&block, &part).unwrap_or_else(|difference| panic!("{name}: {difference}"));
    }
}

/// The names of all recorded ends of blocks, and the keys that decide what their blocks do.
fn recorded_ends() -> Vec<(String, Vec<String>)> {
    let files = fs::read_dir(recordings()).unwrap().map(|entry| entry.unwrap().path());
    let end = |path: PathBuf| {
        let name = path.file_name()?.to_str()?.strip_suffix(".log.gz")?.to_string();
        let log = Log::read(&path, &|_| true).unwrap_or_else(|error| panic!("{error}"));
        let keys = log.sets.iter().map(|(key, value)| format!("{key}={value}")).collect();
        Some((name, keys))
    };
    files.filter_map(end).collect()
}

#[test]
#[ignore = "both ends of all recordings to their ends, in a block of another width, too"]
fn every_recorded_end_does_again_what_it_did() {
    let folder = tempfile::tempdir().unwrap();
    let ends = recorded_ends();
    assert!(ends.len() >= 10, "{ends:?}");
    for sets in [&["bus_bits=64"][..], &["bus_bits=512", "sack.engine=fast"]] {
        for (name, keys) in &ends {
            let capture = CaptureReplay {
                path: recordings().join(format!("{name}.pcap.gz")),
                local: None,
                speedup: 1,
                cut: Cut::Refused,
            };
            let options = options_of(Feed::Frames(Frames::Capture(capture)), folder.path());
            let keys: Vec<&str> = keys.iter().map(String::as_str).chain(sets.iter().copied()).collect();
            let config = config_with(&keys);
            let report = cosim(&config, &options, &mut |_| {});
            let report = report.unwrap_or_else(|error| panic!("{name}: {error}")).run;
            assert_eq!(report.result, Verdict::Pass, "{name}, {sets:?}: {:?}", report.failure);
            assert!(report.counts.get("acks") + report.counts.get("packets_delivered") > 500, "{name}");
        }
    }
}

/// The first ticks of a recording.
fn beginning(name: &str, ticks: u64) -> Logged {
    let whole = logged(name);
    let first = whole.log.first_tick();
    let part = whole.until(first + ticks);
    assert!(part.log.inputs() > 30, "{name}");
    part
}

/// What is spoilt stands early, so that each replay is short.
#[test]
fn a_recording_that_is_spoilt_is_not_done_again() {
    let block = small();
    let part = beginning("losses-sender", 110);
    replays(&block, &part).unwrap_or_else(|difference| panic!("{difference}"));

    // one byte of an ACK: of the EV and of the timestamp that it echoes, and of its EPSN
    for byte in [55, 57, 64] {
        let mut spoilt = part.clone();
        spoilt.came[8][byte] ^= 1;
        let said = differs(&block, &spoilt);
        assert!(said.contains(" of the recording, "), "byte {byte}: {said}");
    }

    let steps = |wanted: fn(&Step) -> bool| {
        let steps = part.log.steps.iter().enumerate();
        steps.filter(move |(_, (_, step))| wanted(step)).map(|(at, _)| at)
    };
    let event = steps(|step| matches!(step, Step::Event(_))).nth(12).expect("there are events");
    let mut spoilt = part.clone();
    let (tick, _) = spoilt.log.steps.remove(event);
    let said = differs(&block, &spoilt);
    assert!(said.contains(&format!("tick {tick} of the recording, an event: ")), "{said}");

    // a byte of the EV of a frame that left
    let mut spoilt = part.clone();
    spoilt.left[10][35] ^= 1;
    let said = differs(&block, &spoilt);
    assert!(said.contains("of the recording, a frame that left: "), "{said}");

    // a frame of the host that is given in the tick behind its own
    let late = steps(|step| matches!(step, Step::Host(_)));
    let is_free = |at: &usize| {
        let (tick, _) = part.log.steps[*at];
        part.log.steps.iter().all(|(one, _)| *one != tick + 1)
    };
    let late = late.filter(is_free).nth(5).expect("some tick has nothing behind it");
    let mut spoilt = part.clone();
    let (tick, _) = spoilt.log.steps[late];
    spoilt.log.steps[late].0 += 1;
    spoilt.log.steps.sort_by_key(|(tick, _)| *tick);
    let said = differs(&block, &spoilt);
    assert!(
        said.contains(&format!("tick {tick} of the recording, frames that left: 0, but expected: 1")),
        "{said}"
    );
}

/// The text of a log.
fn text(name: &str) -> String {
    let mut text = String::new();
    let file = fs::File::open(recordings().join(format!("{name}.log.gz"))).unwrap();
    GzDecoder::new(file).read_to_string(&mut text).unwrap();
    text
}

#[test]
fn a_log_that_is_written_again_has_the_same_text() {
    for name in ["losses-sender", "losses-receiver", "overload-sender", "overload-receiver"] {
        assert!(logged(name).log.text() == text(name), "{name}");
    }
}

#[test]
fn a_log_that_is_none_is_refused_by_its_line() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.log.gz");
    let refused = |text: &str| {
        fs::write(&path, text).unwrap();
        Log::read(&path, &is_register).expect_err("it is refused").to_string()
    };
    let clocks = "write,sack_prescale,9\nwrite,wire_prescale,9\nwrite,selector_prescale,9\n";
    let head = format!("says,x\nlocal,10.77.1.2\ntick_ns,250000\n{clocks}");
    fs::write(&path, format!("{head}5,came\n5,left\n")).unwrap();
    assert_eq!(Log::read(&path, &is_register).unwrap().steps, [(5, Step::Came), (5, Step::Left)]);
    for line in [
        "5",
        "5,came,1",
        "5,host,",
        "5,host,0",
        "5,event,00",
        "5,delivered,8",
        "x,left",
        "4294967296,left",
        "path,1,2,3,4 65536",
        "path,1,2,3",
        "tick_ns,0",
        "local,here",
        "write,rtoo,1",
        "write,rto,-1",
        ",",
        // a kind of event that there is not
        "5,event,0000000000000000000000000000000f",
    ] {
        let said = refused(&format!("{head}{line}\n"));
        assert!(said.contains(&format!("a.log.gz, line 7: `{line}`; allowed: says,SENTENCE, ")), "{said}");
    }
    let said = refused(&format!("{head}5,came\n4,left\n"));
    assert!(
        said.ends_with("line 8: tick 4 stands behind tick 5; allowed: ticks that do not go back"),
        "{said}"
    );
    let said = refused(&format!("{head}5,came\n5,left\n5,host,00\n"));
    assert!(said.ends_with("line 9: a second input in tick 5; allowed: one"), "{said}");
    let said = refused(&format!("{clocks}local,10.77.1.2\ntick_ns,1\n1,came\n"));
    assert!(said.contains("no line `says,...`"), "{said}");
    let said = refused(&head);
    assert!(said.contains("no line `TICK,...`"), "{said}");
    let said = refused(&format!("{head}write,wire_prescale,8\n1,came\n"));
    assert!(
        said.contains("are written as [9, 9, 9, 8]; allowed: each once, all with the same value"),
        "{said}"
    );
    let packed = fs::read(recordings().join("losses-sender.log.gz")).unwrap();
    fs::write(&path, &packed[..1000]).unwrap();
    let said = Log::read(&path, &is_register).expect_err("it is cut").to_string();
    assert!(said.contains("a.log.gz: cannot be read: "), "{said}");
}

#[test]
fn a_log_of_another_block_or_another_capture_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    let copy = |from: &str, to: &str| fs::copy(recordings().join(from), at(to)).unwrap();
    copy("losses-sender.pcap.gz", "a.pcap.gz");
    copy("losses-sender.log.gz", "a.log.gz");
    let open = |config: &Config| {
        let log = Log::beside(&at("a.pcap.gz")).expect("it stands there");
        Logged::open(&at("a.pcap.gz"), &log, config, &is_register).map_err(|error| error.to_string())
    };
    assert!(open(&config()).is_ok());
    let stalled = ["nic.loss_feedback=stalled".to_string()];
    let said = open(&Config::load(None, &stalled).unwrap()).unwrap_err();
    let wrong = "the recorded block has connections=16, sack.window=64, and not connections=256, sack.window=256; allowed: ";
    assert!(said.contains(wrong), "{said}");
    // which the keys of the log make right by themselves
    let keys = Logged::keys_beside(&at("a.pcap.gz")).unwrap();
    let bus = ["bus_bits=64".to_string()];
    assert!(open(&Config::load_over(&keys, None, &bus).unwrap()).is_ok());
    copy("losses-receiver.pcap.gz", "a.pcap.gz");
    let (said, left) = (open(&config()).unwrap_err(), logged("losses-sender").left.len());
    assert!(said.contains(&format!("a.log.gz: {left} frames of the log left, and ")), "{said}");
    // without a log it is a capture like any other
    fs::remove_file(at("a.log.gz")).unwrap();
    assert_eq!(Log::beside(&at("a.pcap.gz")), None);
}
