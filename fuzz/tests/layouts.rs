//! What the readers of captures, the golden models and the Verilog of the rewriters say of frames of every layout:
//! the same.

use std::path::Path;

use respray_cosim::cores::reps::RepsCore;
use respray_cosim::lockstep::{Stimulus, given};
use respray_cosim::stream::stream_core::RewriterSettings;
use respray_cosim::stream::{Pacing, Traffic, probed};
use respray_cosim::traffic::capture::{
    Account, Cut, Found, Headers, Kind, Profile, ProfileFrame, RawFrame, info,
};
use respray_cosim::traffic::frames::{FrameKnobs, RandomFrames};
use respray_cosim::traffic::pcap::PcapWriter;
use respray_cosim::verilator::{BuildOptions, Source, build};
use respray_fuzz::{Hostile, Is, Layout, layouts};
use respray_golden::rewrite::{self, Captured, Carried, FrameError, ProfileTraffic, read_captured};
use respray_golden::rewrite_rx::{Record, record};
use respray_golden::wire::Profile as Wire;
use respray_hdl::config::Config;
use respray_hdl::cores::generate;

/// Frames of a random run.
const FRAMES: usize = 10_000;

fn traffic(wire: Wire) -> ProfileTraffic {
    ProfileTraffic::of(wire)
}

/// What the reader of captures says of the first bytes of a frame.
fn found(wire: Wire, frame: &[u8], captured: usize) -> Found {
    found_by(wire.into(), frame, captured)
}

fn found_by<'a>(profile: Profile, frame: &'a [u8], captured: usize) -> Found {
    let data = &frame[..captured];
    let raw: RawFrame<'a> = RawFrame { number: 1, time_ns: None, link_type: 1, wire_len: frame.len(), data };
    let headers = Headers::parse(&raw).expect("Ethernet is read");
    profile.find(&raw, &headers)
}

/// The reader says of a frame what `rewrite_rx` says, each field of it.
fn agree(wire: Wire, found: &Found, record: &Record, frame: &[u8]) {
    match (found, record.kind, record.error) {
        (Found::Frame(found), Some(kind), None) => same(wire, found, kind, record),
        (Found::Other, None, None) => {}
        (Found::Error(error), None, Some(other)) => assert_eq!(*error, other, "{frame:02x?}"),
        _ => panic!("{found:?}, but {record:?}: {frame:02x?}"),
    }
}

fn same(wire: Wire, found: &ProfileFrame, kind: rewrite::Kind, record: &Record) {
    assert_eq!((found.ecn, found.ev), (record.ecn, record.ev));
    match (&found.kind, kind) {
        (Kind::Data(data), rewrite::Kind::Data | rewrite::Kind::Probe) => {
            assert_eq!(data.probe, kind == rewrite::Kind::Probe);
            assert_eq!((found.receiver_id, data.psn), (record.connection, record.psn));
            assert_eq!((data.bytes, data.ack_request), (record.bytes.into(), record.ack_request));
            assert_eq!(data.timestamp.unwrap_or(0), record.timestamp);
        }
        (Kind::Ack(ack), rewrite::Kind::Ack) => {
            let said = &record.ack;
            assert_eq!(found.id, record.connection);
            assert_eq!((ack.ce, ack.probe, ack.echo_ev), (said.ecn_echo, said.probe_echo, said.ev));
            let epsn = if wire == Wire::Strack { said.epsn } else { said.epsn.wrapping_add(1) };
            assert_eq!(ack.expected, epsn);
            assert_eq!(ack.recv_bytes.unwrap_or(0), said.recv_bytes);
            assert_eq!(ack.sack.map_or(0, |sack| sack.bitmap), said.bitmap);
            if wire == Wire::Uet {
                assert_eq!((ack.sack.is_some(), ack.recv_bytes.is_some()), (said.has_sack, said.has_state));
            }
        }
        (Kind::Nack { psn, code, ce }, rewrite::Kind::Nack) => {
            assert_eq!((found.id, *psn), (record.connection, record.psn));
            assert_eq!((u16::from(*code), *ce), (record.uet.detail >> 8, record.uet.flags & 0x20 != 0));
        }
        (Kind::Control { ctl, psn, syn }, rewrite::Kind::Control) => {
            assert_eq!((found.receiver_id, *psn), (record.connection, record.psn));
            assert_eq!((*ctl, *syn), (record.uet.next_header, record.uet.flags & 0x04 != 0));
        }
        _ => panic!("{found:?}, but {record:?}"),
    }
}

/// What a cut capture shows of a frame is what the whole one shows, or that it shows too little.
fn agrees_with_itself(wire: Wire, frame: &[u8], captured: usize) {
    agrees_cut(traffic(wire), frame, captured);
}

fn agrees_cut(traffic: ProfileTraffic, frame: &[u8], captured: usize) {
    let whole = read_captured(frame, frame.len(), traffic);
    match read_captured(&frame[..captured], frame.len(), traffic) {
        Captured::Cut { need, .. } => assert!((captured + 1..=frame.len()).contains(&need), "{frame:02x?}"),
        cut => assert_eq!(cut, whole, "{captured} bytes of {frame:02x?}"),
    }
}

/// A capture of these frames.
fn capture(folder: &Path, frames: &[Vec<u8>]) -> std::path::PathBuf {
    let path = folder.join("frames.pcap");
    let mut file = PcapWriter::create(&path).unwrap();
    (0..).zip(frames).for_each(|(at, frame)| file.write(at * 1000, frame).unwrap());
    file.finish().unwrap();
    path
}

/// What the Verilog of a rewriter, changed by `change`, does otherwise than its golden model, if anything.
fn difference(wire: Wire, core: &str, capture: &Path, change: &dyn Fn(String) -> String) -> Option<String> {
    let config = Config::load(None, &[format!("wire={}", wire.name())]).expect("the configuration");
    let generated = generate(core, &config).expect("the configuration has it");
    let source = Source::new(core, change(generated.verilog.clone()));
    let design =
        build(&source, &BuildOptions { quick: true, ..BuildOptions::default() }).expect("the Verilog");
    let traffic = Traffic::Capture(capture.to_path_buf());
    let model = design.model(1).expect("a model");
    let ran = probed(&generated, model, &traffic, Pacing::free(1), RewriterSettings::default());
    ran.expect("a run").seen.map(|seen| seen.port)
}

/// What an op core takes of a capture.
fn account(wire: Wire, capture: &Path) -> Account {
    let sets = [format!("wire={}", wire.name()), "connections=16384".to_string()];
    let config = Config::load(None, &sets).expect("the configuration");
    let made = given::capture::<RepsCore>(capture, None, None, Cut::Refused, &config);
    match made.unwrap_or_else(|error| panic!("{error}")) {
        Stimulus::Made { account, .. } => account.expect("a capture has one"),
        _ => unreachable!("ops are made of a capture"),
    }
}

/// All readers of these frames, and the Verilog of both rewriters.
fn all_agree(wire: Wire, frames: &[Vec<u8>]) {
    for frame in frames {
        agree(wire, &found(wire, frame, frame.len()), &record(frame, traffic(wire)), frame);
    }
    let folder = tempfile::tempdir().unwrap();
    let path = capture(folder.path(), frames);
    for core in ["rewrite_rx", "rewrite_tx"] {
        assert_eq!(difference(wire, core, &path, &|verilog| verilog), None, "{core}");
    }
    let records = frames.iter().map(|frame| record(frame, traffic(wire)));
    let (mut kinds, mut of_profile, mut malformed) = ([0; 4], [0; 3], 0);
    for record in records {
        kinds[usize::from(record.kind_code())] += 1;
        of_profile[usize::from(record.other_code())] += 1;
        malformed += u64::from(record.error.is_some_and(|error| error.is_malformed()));
    }
    let ([data, acks, probes, other], [_, nacks, control]) = (kinds, of_profile);
    let other = other - nacks - control;
    let profile = info(&path, wire.into(), Cut::Refused).unwrap().profile;
    assert_eq!((profile.data, profile.acks, profile.probes), (data + probes, acks, probes));
    assert_eq!((profile.nacks, profile.control), (nacks, control));
    assert_eq!((profile.frames, profile.other), (data + acks + probes + nacks + control, other));
    assert_eq!((profile.malformed, profile.header_cut), (malformed, 0));
    let account = account(wire, &path);
    assert_eq!(account.frames, frames.len() as u64, "each frame is accounted for");
    let others: u64 = profile.others.iter().map(|became| became.frames).sum();
    let as_others = profile.others.iter().map(|became| account.of(&became.what)).sum::<u64>();
    assert_eq!(as_others, others, "an op core passes over what is none of the profile, and no more");
    assert_eq!(others, other);
}

const WIRES: [Wire; 2] = [Wire::Strack, Wire::Uet];

#[test]
fn every_layout_is_what_the_page_says_to_all_readers() {
    for wire in WIRES {
        let layouts = layouts(wire, wire.udp_port());
        for Layout { name, frame, is } in &layouts {
            let by_reader = match found(wire, frame, frame.len()) {
                Found::Frame(_) => Is::Frame,
                Found::Other => Is::Other,
                Found::Error(error) => Is::Error(error),
                cut @ Found::HeaderCut { .. } => panic!("{name}: {cut:?}"),
            };
            assert_eq!(by_reader, *is, "{name}");
            (0..=frame.len()).for_each(|captured| agrees_with_itself(wire, frame, captured));
        }
        all_agree(wire, &layouts.into_iter().map(|layout| layout.frame).collect::<Vec<_>>());
    }
}

#[test]
fn readers_and_rewriters_agree_on_ten_thousand_hostile_frames() {
    for wire in WIRES {
        let mut frames: Vec<Vec<u8>> =
            layouts(wire, wire.udp_port()).drain(..1).map(|one| one.frame).collect();
        frames.extend(Hostile::new(20_261_127, wire, wire.udp_port()).take(FRAMES));
        for (at, frame) in frames.iter().enumerate() {
            agrees_with_itself(wire, frame, at % (frame.len() + 1));
        }
        all_agree(wire, &frames);
    }
}

/// Behind an entropy header, too, the reader of captures says of frames, whole and cut, what the golden model says.
#[test]
fn readers_agree_on_entropy_headers() {
    let carried = Carried::Entropy { ip_proto: 253 };
    let traffic = ProfileTraffic { carried, ..traffic(Wire::Uet) };
    readers_agree(traffic);
}

/// So it does of frames that end with a trailer, right or wrong, in UDP and behind an entropy header.
#[test]
fn readers_agree_on_trailers() {
    for carried in [Carried::Udp, Carried::Entropy { ip_proto: 253 }] {
        let wrong = readers_agree(ProfileTraffic { carried, has_crc: true, ..traffic(Wire::Uet) });
        assert!(wrong > 400, "{wrong} with a wrong trailer");
    }
}

/// Returns how many of the frames have a wrong trailer.
fn readers_agree(traffic: ProfileTraffic) -> u32 {
    let knobs = FrameKnobs { odd: 0.5, ..FrameKnobs::default() };
    let frames = RandomFrames::new(20_261_128, Wire::Uet, traffic.udp_port, knobs);
    let frames = frames.carried(traffic.carried).with_crc(traffic.has_crc);
    let (mut of_profile, mut with_error, mut wrong) = (0, 0, 0);
    for (at, frame) in frames.take(FRAMES).enumerate() {
        let frame = &frame.data;
        let found = found_by(traffic.into(), frame, frame.len());
        let record = record(frame, traffic);
        agree(Wire::Uet, &found, &record, frame);
        agrees_cut(traffic, frame, at % (frame.len() + 1));
        of_profile += u64::from(matches!(found, Found::Frame(_)));
        with_error += u64::from(record.error.is_some());
        wrong += u32::from(record.error == Some(FrameError::BadCrc));
        if let (Found::Frame(found), Carried::Entropy { .. }) = (found, traffic.carried) {
            let by_udp = found_by(Wire::Uet.into(), frame, frame.len());
            assert_eq!(by_udp, Found::Error(FrameError::Unsupported), "{found:?}");
        }
    }
    assert!(
        of_profile > 4500 && with_error > 2000,
        "{of_profile} of the profile, {with_error} with an error"
    );
    wrong
}

/// Verilog that takes 0x9100 for a tag is found by the layouts alone.
#[test]
fn a_rewriter_of_another_opinion_is_found() {
    let folder = tempfile::tempdir().unwrap();
    let frames: Vec<Vec<u8>> = layouts(Wire::Strack, 4791).into_iter().map(|layout| layout.frame).collect();
    let path = capture(folder.path(), &frames);
    let other = |verilog: String| {
        assert!(verilog.contains("16'h88a8"), "the tag stands otherwise in the Verilog");
        verilog.replace("16'h88a8", "16'h9100")
    };
    assert!(difference(Wire::Strack, "rewrite_rx", &path, &other).is_some());
}

/// So is a reader that takes it for one, and one that does not look at the end of a frame.
#[test]
fn a_reader_of_another_opinion_is_found() {
    let wire = Wire::Strack;
    let layouts = layouts(wire, wire.udp_port());
    let frame = |name: &str| &layouts.iter().find(|layout| layout.name == name).expect("it is there").frame;
    let plain = frame("IPv4");
    for name in ["a tag 0x9100", "MACsec that does not encrypt", "a byte at the end", "a bad IPv4 checksum"] {
        let (as_if_plain, record) = (found(wire, plain, plain.len()), record(frame(name), traffic(wire)));
        let agreed = std::panic::catch_unwind(|| agree(wire, &as_if_plain, &record, plain));
        assert!(agreed.is_err(), "{name}");
    }
}
