//! `shim_push` and `shim_pop` against their golden models, and both against frames that scapy made.

use std::path::Path;
use std::process::Command;

use respray_cosim::report::Verdict;
use respray_cosim::stream::stream_core::RewriterSettings;
use respray_cosim::stream::{Frame, ORDERS, Orders, Pace, Pacing, Traffic};
use respray_cosim::traffic::frames::FrameKnobs;
use respray_cosim::verilator::Coverage;
use respray_golden::shim::{Fields, HEADERS, Kind};
use respray_golden::shim_push::{Request, push};
use respray_hdl::manifest::Generated;
use respray_hdl::wire::shim;

use super::{WIDTHS, generated, options, passes, run};

const NO_PAUSE: Pace = Pace { gap: 0.0, stall: 0.0, seed: 1 };

/// The widths of the quick tests: two steps a beat, where a packet can grow by two beats, and as many as there are.
const QUICK: [&str; 2] = ["bus_bits=64", "bus_bits=512"];

/// What the events of a core count.
fn counted(core: &str) -> [&'static str; 5] {
    match core {
        "shim_push" => ["inserted", "patched", "passed", "refused", "malformed"],
        _ => ["popped", "kept", "plain", "unknown", "malformed"],
    }
}

/// Random frames of another EtherType, at the pace that a run has by default and without a pause: every output port in every cycle, every
/// line of the Verilog.
fn random_frames_pass(core: &str, widths: &[&str], cycles: u64) {
    for width in widths {
        let core = generated(core, &[width]);
        let mut counts = Coverage::default();
        for pacing in [Pacing::Phases { seed: 5, first: 0 }, Pacing::free(6)] {
            let dir = tempfile::tempdir().unwrap();
            let knobs = FrameKnobs { longest: 400, ..FrameKnobs::default() };
            let mut options = options(&core, Traffic::Random { cycles, knobs }, NO_PAUSE, dir.path());
            options.own.pacing = pacing;
            options.own.settings.ethertype = Some(0x1234);
            options.coverage = Some(dir.path().to_path_buf());
            let report = run(&core, &options).unwrap();
            assert_eq!(report.result, Verdict::Pass, "{width}: {}", report.failure.unwrap());
            for event in counted(&core.manifest.module) {
                assert!(report.counts.get(event) > 20, "{width}, {event}: {:?}", report.counts);
            }
            let file = dir.path().join(format!("{}.dat", core.manifest.module));
            counts.merge(&Coverage::parse(&std::fs::read_to_string(&file).unwrap()).unwrap());
        }
        let text: Vec<&str> = core.verilog.lines().map(str::trim).collect();
        let idle: Vec<&str> = counts.uncovered().into_iter().map(|line| text[line as usize - 1]).collect();
        assert!(idle.is_empty(), "{width}: random frames do not run {idle:?}");
    }
}

#[test]
fn random_frames_pass_shim_pop() {
    random_frames_pass("shim_pop", &QUICK, 30_000);
}

#[test]
fn random_frames_pass_shim_push() {
    random_frames_pass("shim_push", &QUICK, 30_000);
}

#[test]
#[ignore = "half a minute"]
fn random_frames_pass_at_every_width() {
    for core in ["shim_pop", "shim_push"] {
        random_frames_pass(core, &WIDTHS, 1_000_000);
    }
}

#[test]
#[ignore = "minutes: 100 M clock edges of each"]
fn random_frames_pass_for_100_m_cycles() {
    for core in ["shim_pop", "shim_push"] {
        for width in WIDTHS {
            let dir = tempfile::tempdir().unwrap();
            let core = generated(core, &[width]);
            let traffic = Traffic::Random { cycles: 100_000_000, knobs: FrameKnobs::default() };
            let pacing = traffic.pacing(11);
            let mut options = options(&core, traffic, NO_PAUSE, dir.path());
            options.own.pacing = pacing;
            let report = run(&core, &options).unwrap();
            assert_eq!(report.result, Verdict::Pass, "{width}: {}", report.failure.unwrap());
        }
    }
}

/// A frame with so many tags, 0x0800 or the shim of a kind before it, and bytes up to this length.
fn frame(tags: usize, kind: Option<Kind>, bytes: usize) -> Vec<u8> {
    let mut data: Vec<u8> = (0..12).collect();
    for tag in 0..tags {
        data.extend([0x81, 0, tag as u8, 7]);
    }
    if let Some(kind) = kind {
        let fields =
            Fields { hops: 5, path: 0x0102_0304, hop: 2, len: 3, timestamp: 99, ..Fields::default() };
        data.extend(fields.write(kind, shim::ETHERTYPE));
    }
    data.extend([8, 0]);
    let begun = data.len();
    data.extend((begun..bytes.max(begun)).map(|at| at as u8));
    data.truncate(bytes);
    data
}

#[test]
fn every_length_passes_without_a_pause_with_every_kind_and_number_of_tags() {
    for width in QUICK {
        for tags in 0..3 {
            let lengths = || (1..150).chain([512, 1500, 9216, 16380, 16400, 40_000]);
            let mut orders = Orders::default();
            orders.0[0] = 31;
            let popped = |kind| {
                lengths().map(move |bytes| Frame {
                    data: frame(tags, kind, bytes),
                    orders,
                    ..Frame::default()
                })
            };
            let frames =
                popped(None).chain(Kind::ALL.into_iter().flat_map(|kind| popped(Some(kind)))).collect();
            let report = passes(&generated("shim_pop", &[width]), Traffic::Given(frames), NO_PAUSE);
            let held_up = report.counts.get("held_up");
            assert!(
                held_up <= 2,
                "{width}: behind the reset alone, shim_pop never pauses by itself: {held_up}"
            );
            let pushed = Kind::ALL.into_iter().flat_map(|kind| {
                lengths().map(move |bytes| {
                    let mut orders = Orders([0x5a5a; ORDERS.len()]);
                    (orders.0[1], orders.0[2]) = (1, kind.code() as u32);
                    for (value, (_, bits)) in orders.0.iter_mut().zip(ORDERS) {
                        *value &= u32::MAX >> (32 - bits);
                    }
                    Frame { data: frame(tags, None, bytes), orders, ..Frame::default() }
                })
            });
            let report =
                passes(&generated("shim_push", &[width]), Traffic::Given(pushed.collect()), NO_PAUSE);
            assert_eq!(report.counts.get("inserted"), 5 * (lengths().count() - 13 - 4 * tags) as u64);
        }
    }
}

#[test]
fn goldens_tables_are_those_of_the_hardware() {
    assert_eq!(shim::ETHERTYPE, respray_golden::shim::ETHERTYPE);
    assert_eq!(shim::SHIMS.len(), HEADERS.len());
    for (own, golden) in shim::SHIMS.iter().zip(&HEADERS) {
        assert_eq!(own.name, golden.name);
        let own: Vec<_> = own.fields().map(|field| (field.name, field.offset, field.width)).collect();
        let golden: Vec<_> =
            golden.fields.iter().map(|field| (field.name, field.offset, field.width)).collect();
        assert_eq!(own, golden);
    }
}

/// What scapy says of a frame.
struct Said {
    frame: Frame,
    leaves: Vec<u8>,
    event: String,
    record: String,
}

fn bytes(hex: &str) -> Vec<u8> {
    (0..hex.len()).step_by(2).map(|at| u8::from_str_radix(&hex[at..at + 2], 16).unwrap()).collect()
}

/// So many frames for each core; `None` without scapy.
fn said_by_scapy(count: usize) -> Option<Vec<(String, Said)>> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let python = root.join(".venv/bin/python");
    let is_installed = Command::new(&python).args(["-c", "import scapy"]).output();
    if !is_installed.is_ok_and(|output| output.status.success()) {
        eprintln!("skipped: scapy is not installed in .venv; setup.sh --all installs it");
        return None;
    }
    let script = root.join("tb/shims/frames.py");
    let output = Command::new(&python).arg(script).args([&count.to_string(), "1"]).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let text = String::from_utf8(output.stdout).unwrap();
    let lines = text.lines().map(|line| {
        let words: Vec<&str> = line.split(' ').collect();
        let mut orders = Orders::default();
        for (value, text) in orders.0.iter_mut().zip(words[1].split(',')) {
            *value = text.parse().unwrap();
        }
        let frame = Frame { data: bytes(words[2]), orders, ..Frame::default() };
        let record = words.get(5).copied().unwrap_or_default().to_string();
        let said = Said { frame, leaves: bytes(words[3]), event: words[4].to_string(), record };
        (words[0].to_string(), said)
    });
    Some(lines.collect())
}

/// The frames of a capture as the lockstep writes it: a head of 24 bytes, and one of 16 before each.
fn in_capture(mut capture: &[u8]) -> Vec<&[u8]> {
    let mut frames = Vec::new();
    capture = &capture[24..];
    while !capture.is_empty() {
        let length = u32::from_le_bytes(capture[8..12].try_into().unwrap()) as usize;
        frames.push(&capture[16..16 + length]);
        capture = &capture[16 + length..];
    }
    frames
}

/// The RTL's output on frames that share no code with ours: bytes, events, records.
fn is_as_scapy_says(core: &Generated, said: &[&Said]) {
    let dir = tempfile::tempdir().unwrap();
    let frames = said.iter().map(|said| said.frame.clone()).collect();
    let mut options = options(core, Traffic::Given(frames), NO_PAUSE, dir.path());
    let (capture, results) = (dir.path().join("left.pcap"), dir.path().join("results.csv"));
    options.own.pcap_out = Some(capture.clone());
    options.results = Some(results.clone());
    options.own.settings = RewriterSettings::default();
    let report = run(core, &options).unwrap();
    assert_eq!(report.result, Verdict::Pass, "{}", report.failure.unwrap());
    let captured = std::fs::read(&capture).unwrap();
    let left = in_capture(&captured);
    assert_eq!(left.len(), said.len(), "as many frames leave as came");
    for (number, (left, said)) in left.iter().zip(said).enumerate() {
        assert_eq!(*left, said.leaves, "frame {number}, {:?}", said.frame);
    }
    let table = std::fs::read_to_string(&results).unwrap();
    let mut rows = table.lines().map(|line| line.split(',').collect::<Vec<_>>());
    let head = rows.next().unwrap();
    let at = |name: &str| head.iter().position(|column| *column == name).expect("a column");
    let (first_event, lane) = (at(&format!("pkt_{}", counted(&core.manifest.module)[0])), at("lane"));
    let (mut events, mut records) = (Vec::new(), Vec::new());
    for row in rows {
        match row[lane] {
            "s_axis" => {
                let pulses = row[first_event..].iter().position(|pulse| *pulse == "1").unwrap();
                events.push(counted(&core.manifest.module)[pulses]);
            }
            "meta" => records.push(row[at("meta_kind")..first_event].join(",")),
            _ => {}
        }
    }
    assert_eq!(events, said.iter().map(|said| said.event.as_str()).collect::<Vec<_>>());
    if core.manifest.module == "shim_pop" {
        assert_eq!(records, said.iter().map(|said| said.record.as_str()).collect::<Vec<_>>());
    }
}

#[test]
fn frames_that_scapy_made_leave_as_scapy_says() {
    let Some(said) = said_by_scapy(1000) else { return };
    for core in ["shim_push", "shim_pop"] {
        let own: Vec<&Said> = said.iter().filter(|(of, _)| of == core).map(|(_, said)| said).collect();
        assert_eq!(own.len(), 1000);
        for width in QUICK {
            is_as_scapy_says(&generated(core, &[width]), &own);
        }
    }
}

#[test]
fn what_is_pushed_is_popped() {
    for kind in Kind::ALL {
        let fields = Fields { epoch: 9, bytes: 77, enable: true, ce: 4, dst: 3, ..Fields::default() };
        let mut data = frame(1, None, 80);
        let before = data.clone();
        push(&mut data, Request::Insert(Some(kind), fields), shim::ETHERTYPE);
        assert_eq!(data.len(), before.len() + kind.header().bytes());
        let record = respray_golden::shim_pop::pop(&mut data, 31, shim::ETHERTYPE);
        assert_eq!((data, record.bytes), (before, 80));
        let (read, said) = record.shim.unwrap();
        assert_eq!((read, said.write(kind, shim::ETHERTYPE)), (kind, fields.write(kind, shim::ETHERTYPE)));
    }
}
