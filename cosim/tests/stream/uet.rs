//! Headers of Ultra Ethernet worked out by hand, with what they say: the golden model against them, and the Verilog of
//! both rewriters in lockstep on them.

mod crc;
mod entropy;
mod vectors;

use respray_cosim::stream::stream_core::RewriterSettings;
use respray_cosim::stream::{Frame, Pace, Traffic};
use respray_golden::rewrite::{FrameError, Kind, ProfileTraffic, Trimmed};
use respray_golden::rewrite_rx::{Record, record};
use respray_golden::wire::Profile;

use self::vectors::{D0, R1, S1, S2, VECTORS};
use super::{SOME, Setup, all, generated, options, passes, run, widths};

/// A text that stands once in the Verilog of a core, and what stands there with a fault.
type Fault = (&'static str, [&'static str; 2]);

/// What the Verilog of a core, or what it is with a fault, does otherwise than the golden model.
fn difference(
    core: &str,
    sets: &[&str],
    own: RewriterSettings,
    traffic: Traffic,
    pace: Pace,
    fault: Option<[&str; 2]>,
) -> Option<String> {
    let core = generated(core, &[&["wire=uet"], sets].concat());
    let dir = tempfile::tempdir().expect("there is room for a directory");
    let mut options = options(&core, traffic, pace, dir.path());
    options.own.settings = own;
    if let Some([text, wrong]) = fault {
        assert_eq!(core.verilog.matches(text).count(), 1, "`{text}` stands in the Verilog once");
        let file = dir.path().join("fault.v");
        std::fs::write(&file, core.verilog.replace(text, wrong)).expect("there is room");
        options.verilog = Some(file);
    }
    run(&core, &options).expect("it runs").failure.map(|failure| failure.to_string())
}

fn all_are_found(faults: &[Fault], is_found: impl Fn(&str, [&str; 2]) -> bool) {
    let missed: Vec<_> = faults.iter().filter(|(core, fault)| !is_found(core, *fault)).collect();
    assert!(missed.is_empty(), "{missed:?}");
}

fn bytes(hex: &str) -> Vec<u8> {
    let digits: String = hex
        .split_whitespace()
        .map(|part| match part {
            "S1" => S1,
            "R1" => R1,
            "S2" => S2,
            "D0" => D0,
            digits => digits,
        })
        .collect();
    (0..digits.len()).step_by(2).map(|at| u8::from_str_radix(&digits[at..at + 2], 16).expect("hex")).collect()
}

/// A frame with these bytes behind UDP; a short one is padded, with bytes that nobody may look at.
fn frame(payload: &[u8], is_padded: bool) -> Vec<u8> {
    let draft = respray_cosim::traffic::frames::Draft {
        tags: 0,
        is_ipv6: false,
        options: 0,
        real_options: false,
        traffic_class: 0xb8,
        flow_label: 0,
        source_port: 0x4242,
        udp_port: Profile::Uet.udp_port(),
        carried: respray_golden::rewrite::Carried::Udp,
        checksum: respray_cosim::traffic::frames::Checksum::None,
        seed: 1,
        header: payload.to_vec(),
        payload: 0,
    };
    let mut frame = draft.frame();
    if is_padded {
        frame.resize(frame.len().max(60), 0xa5);
    }
    frame
}

/// What a record says, in the words of the table.
fn say(record: &Record) -> String {
    let (uet, ack) = (&record.uet, &record.ack);
    let ends = format!("{:x}>{:x}", record.source_pdc, record.connection);
    let mut words = Vec::new();
    let (has, is_ack) = (|flag| uet.flags & flag != 0, record.kind == Some(Kind::Ack));
    match record.kind {
        Some(Kind::Data) => {
            let rod = if matches!(uet.kind, 3 | 14) { "rod " } else { "" };
            words.push(format!("{rod}data {:x} {ends} clear {}", record.psn, uet.detail as i16));
        }
        Some(Kind::Ack) => {
            assert_eq!((record.psn, uet.detail, ack.ev), (0, 0, 0x4242), "an ACK has none of data's");
            assert_eq!((ack.ecn_echo, ack.probe_echo), (has(0x20), has(0x08)));
            assert_eq!(ack.flags, u8::from(has(0x10)) << 1 | u8::from(has(0x08)));
            let names = ack.epsn.wrapping_add(ack.offset as i16 as u32);
            words.push(match ack.probe_echo {
                true => format!("ack probe {:x} cack {:x} {ends}", ack.offset, ack.epsn),
                false => format!("ack {names:x} cack {:x} {ends}", ack.epsn),
            });
        }
        Some(Kind::Nack) => {
            words.push(format!(
                "nack {:x} {:x} {ends} payload {:x}",
                uet.detail >> 8,
                record.psn,
                uet.payload
            ));
        }
        Some(Kind::Control) => {
            let (ctl, psn) = (uet.next_header, record.psn);
            words.push(format!(
                "control {ctl} {psn:x} {ends} opaque {:x} payload {:x}",
                uet.detail, uet.payload
            ));
        }
        Some(Kind::Trimmed) => {
            let hop = if uet.last_hop { " at the last hop" } else { "" };
            words.push(format!("trimmed{hop} type {} {:x} {ends}", uet.kind, record.psn));
        }
        Some(Kind::Probe) => unreachable!("the profile has none"),
        None => {
            assert_eq!(*record, Record { error: record.error, ..Record::default() });
            return match record.error {
                None => "other",
                Some(FrameError::LengthMismatch) => "length mismatch",
                Some(FrameError::Contradiction) => "contradiction",
                Some(FrameError::BadCrc) => "wrong CRC",
                Some(_) => "another error",
            }
            .into();
        }
    }
    let asks = record.ack_request;
    assert_eq!(asks, !is_ack && record.kind != Some(Kind::Nack) && has(0x08));
    assert!(!uet.last_hop || record.kind == Some(Kind::Trimmed));
    assert_eq!(record.retransmit, !is_ack && has(0x10));
    let can_syn = matches!(record.kind, Some(Kind::Data | Kind::Control));
    let marked = (is_ack || record.kind == Some(Kind::Nack)) && has(0x20);
    let rod = record.kind == Some(Kind::Control) && has(0x20);
    for (is, word) in [(rod, "rod"), (marked, "marked"), (asks, "asks"), (has(0x10), "retx")] {
        words.extend(is.then(|| word.to_string()));
    }
    if can_syn && has(0x04) {
        words.push(format!("syn {:x}", record.psn - (record.connection & 0xfff)));
        words.extend((record.connection >> 12 != 0).then(|| "reserved".to_string()));
    }
    let request = [None, Some("clear"), Some("close"), Some("both")][usize::from(uet.flags >> 1 & 3)];
    words.extend(request.filter(|_| is_ack).map(str::to_string));
    words.extend((is_ack && has(0x40)).then(|| "expected".to_string()));
    if uet.message != 0 {
        words.push(format!("message {:x}", uet.message));
    }
    if ack.has_sack {
        let base = ack.epsn.wrapping_add(ack.base as u16 as i16 as u32);
        words.push(format!("base {base:x} {:x} mpr {} cc {}", ack.bitmap, ack.mpr, ack.cc_type));
    } else {
        assert_eq!((ack.base, ack.bitmap, ack.mpr, ack.cc_type), (0, 0, 0, 0));
    }
    if ack.has_state {
        let (service, pend, rcvd, ooo) = (ack.timestamp, ack.pend, ack.recv_bytes, ack.ooo);
        words.push(format!("service {service} pend {pend} rcvd {rcvd:x} ooo {ooo}"));
    } else {
        assert_eq!((ack.timestamp, ack.pend, ack.recv_bytes, ack.ooo), (0, 0, 0, 0));
    }
    words.push(format!("+{}", record.bytes));
    words.join(" ")
}

/// Frames with the vectors, each with what it is to say.
fn frames() -> Vec<(&'static str, Vec<u8>, &'static str)> {
    VECTORS.iter().map(|(name, hex, says)| (*name, frame(&bytes(hex), true), *says)).collect()
}

const TRAFFIC: ProfileTraffic = ProfileTraffic::of(Profile::Uet);

#[test]
fn headers_say_what_was_worked_out_by_hand() {
    for (name, frame, says) in frames() {
        assert_eq!(say(&record(&frame, TRAFFIC)), says, "{name}");
    }
}

#[test]
fn a_bit_of_a_header_that_is_another_says_something_else_or_is_not_read() {
    // bits of the vectors that nothing is told of: next headers but of requests and control packets, vendor codes,
    // flags and states that are not read, reserved flags
    for (name, frame, says) in frames().iter().take(16) {
        let seen = (0..96).filter(|bit| {
            let mut changed = frame.clone();
            changed[42 + bit / 8] ^= 0x80 >> (bit % 8);
            changed != *frame && say_or_panics(&changed) != Some(says.to_string())
        });
        let seen = seen.count();
        assert!(*says == "other" || seen >= 80, "{name}: {seen} of 96 bits matter");
    }
}

/// What a frame says; `None` where its record contradicts itself.
fn say_or_panics(frame: &[u8]) -> Option<String> {
    let record = record(frame, TRAFFIC);
    std::panic::catch_unwind(|| say(&record)).ok()
}

fn verilog_says_it(setups: &[Setup]) {
    let whole = frames().into_iter().map(|(_, frame, _)| frame);
    let unpadded = VECTORS.iter().map(|(_, hex, _)| frame(&bytes(hex), false));
    // and cut within the header, so that a field of the frame before must not be left in the record
    let cut = frames()
        .into_iter()
        .flat_map(|(_, frame, _)| [44, 54, 58, 66, 73].map(|end| frame[..end.min(frame.len())].to_vec()));
    let frames: Vec<Frame> = whole
        .chain(unpadded)
        .chain(cut)
        .map(|data| Frame { data, enable: true, ev: 0xc001, ..Frame::default() })
        .collect();
    for core in ["rewrite_rx", "rewrite_tx"] {
        for width in widths(setups, "wire=uet") {
            passes(&generated(core, &[width, "wire=uet"]), Traffic::Given(frames.clone()), Pace::default());
        }
    }
}

#[test]
fn the_verilog_says_it_too() {
    verilog_says_it(&SOME);
}

#[test]
#[ignore = "two models of each width"]
fn the_verilog_says_it_at_every_width() {
    verilog_says_it(&all());
}

/// The settings of the page: control class 46, trimmed 16, at the last hop 18.
const TRIMMED: Trimmed = Trimmed { dscp: 16, dscp_last: 18 };

/// What a switch leaves of a packet with such a header: IP says what is left, UDP what was there.
fn trimmed(dscp: u8, is_ipv6: bool, header: &str, left: usize, udp_length: u16) -> Vec<u8> {
    let mut payload = bytes(header);
    payload.resize(left - 8, 0x5a);
    let draft = respray_cosim::traffic::frames::Draft {
        tags: 1,
        is_ipv6,
        options: 0,
        real_options: false,
        traffic_class: dscp << 2 | 3,
        flow_label: 0xf_ffff,
        source_port: 0x4242,
        udp_port: Profile::Uet.udp_port(),
        carried: respray_golden::rewrite::Carried::Udp,
        checksum: respray_cosim::traffic::frames::Checksum::None,
        seed: 1,
        header: payload,
        payload: 0,
    };
    let mut frame = draft.frame();
    let udp = 18 + if is_ipv6 { 40 } else { 20 };
    frame[udp + 4..udp + 6].copy_from_slice(&udp_length.to_be_bytes());
    frame.resize(frame.len().max(60), 0xa5);
    frame
}

/// A request as a switch leaves it.
const REQUEST: &str = "1180ffff000003ea00070009 05030011";

/// DSCP, header, bytes that IP says are left, UDP length, and what that says.
const TRIMMINGS: &[(u8, &str, usize, u16, &str)] = &[
    (16, REQUEST, 24, 1088, "trimmed type 2 3ea 7>9 +1068"),
    (18, REQUEST, 24, 1088, "trimmed at the last hop type 2 3ea 7>9 +1068"),
    // untouched, it is trimmed all the same
    (16, REQUEST, 24, 24, "trimmed type 2 3ea 7>9 +4"),
    (16, REQUEST, 120, 1088, "trimmed type 2 3ea 7>9 +1068"),
    // with a UDP length that no header has
    (16, REQUEST, 24, 0, "trimmed type 2 3ea 7>9 +65516"),
    (16, REQUEST, 23, 1088, "length mismatch"),
    (16, "1988ffff0000050000 08000a", 24, 1088, "trimmed type 3 500 8>a asks +1068"),
    (16, "1198ffff000003ea00070009", 24, 1088, "trimmed type 2 3ea 7>9 asks retx +1068"),
    (16, "6990ffff000003ea00070009", 24, 1088, "trimmed type 13 3ea 7>9 retx +1064"),
    // of an ACK the cumulative PSN stands in the place of the PSN
    (16, "42000000000003e800090007", 24, 40, "trimmed type 8 3e8 9>7 +0"),
    (16, "50000100000003ea00090007", 24, 24, "trimmed type 10 3ea 9>7 +0"),
    (16, "5b08beef0001234900070009", 24, 24, "trimmed type 11 12349 7>9 asks +4"),
    (16, "0180", 24, 1088, "other"),
    (16, "50080100deadbeef00000000", 24, 1088, "other"),
    // another class, and none
    (46, REQUEST, 24, 1088, "length mismatch"),
    (17, REQUEST, 24, 1088, "length mismatch"),
    (0, REQUEST, 24, 1088, "length mismatch"),
    (16, "42000000", 24, 20, "trimmed type 8 5a5a5a5a 5a5a>5a5a +65516"),
];

fn trimmings() -> Vec<(Vec<u8>, &'static str)> {
    let both = |&(dscp, header, left, length, says)| {
        [false, true].map(|is_ipv6| (trimmed(dscp, is_ipv6, header, left, length), says))
    };
    TRIMMINGS.iter().flat_map(both).collect()
}

#[test]
fn a_trimmed_packet_is_told_by_its_dscp_before_any_other_look() {
    let traffic = ProfileTraffic { trimmed: TRIMMED, ..TRAFFIC };
    for (frame, says) in trimmings() {
        assert_eq!(say(&record(&frame, traffic)), says, "{frame:02x?}");
        let without = record(&frame, TRAFFIC);
        assert_ne!(without.kind, Some(Kind::Trimmed), "no DSCP is set");
    }
    // the others say what they said
    for (name, frame, says) in frames() {
        assert_eq!(say(&record(&frame, traffic)), says, "{name}");
    }
    // a frame that ends before what IP says is none
    let whole = trimmed(16, false, REQUEST, 120, 1088);
    for end in 58..whole.len() {
        assert_eq!(say(&record(&whole[..end], traffic)), "length mismatch", "{end} bytes");
    }
}

fn the_verilog_tells_trimmed_packets(setups: &[Setup]) {
    let given: Vec<Vec<u8>> = trimmings().into_iter().map(|(frame, _)| frame).collect();
    let cut = given.iter().flat_map(|frame| (40..frame.len()).step_by(5).map(|end| frame[..end].to_vec()));
    let all: Vec<Frame> =
        given.iter().cloned().chain(cut).map(|data| Frame { data, ..Frame::default() }).collect();
    for width in widths(setups, "wire=uet") {
        let core = generated("rewrite_rx", &[width, "wire=uet"]);
        let knobs = respray_cosim::traffic::frames::FrameKnobs::default();
        for traffic in [Traffic::Given(all.clone()), Traffic::Frames { frames: 4000, knobs }] {
            let dir = tempfile::tempdir().expect("there is room for a directory");
            let mut options = super::options(&core, traffic, Pace::default(), dir.path());
            options.own.settings = RewriterSettings { trimmed: TRIMMED, ..RewriterSettings::default() };
            let report = super::run(&core, &options).expect("it runs");
            assert!(report.failure.is_none(), "{width}: {}", report.failure.unwrap());
        }
    }
}

#[test]
fn the_verilog_tells_them_too() {
    the_verilog_tells_trimmed_packets(&SOME);
}

/// Faults of `rewrite_rx` that nothing but the headers above shows.
const FAULTS: [(&str, &str); 10] = [
    ("NACK_TYPES = 32'h1400;", "NACK_TYPES = 32'h0400;"),
    ("CONTROL_TYPES = 32'h800;", "CONTROL_TYPES = 32'h0;"),
    ("BETWEEN_TYPES_1 = 32'h200;", "BETWEEN_TYPES_1 = 32'h0;"),
    (" && !(|(lead & RUDI_FLAG))", ""),
    ("CREDIT_TYPES = 32'h6000;", "CREDIT_TYPES = 32'h0;"),
    ("SACK_TYPES = 32'h300;", "SACK_TYPES = 32'h100;"),
    ("(|dscp_trimmed) && dscp == dscp_trimmed;", "dscp == dscp_trimmed;"),
    ("answer_error = {last_hop_4, 2'd3};", "answer_error = 3'd3;"),
    ("more_found_other = mark_error[1:0];", "more_found_other = 2'd1;"),
    ("answer_error = 3'd5;", "answer_error = 3'd0;"),
];

/// Which of these faults are found.
fn faults_found(faults: &[(&str, &str)]) -> Vec<bool> {
    let core = generated("rewrite_rx", &["bus_bits=64", "wire=uet"]);
    // the DSCP that nothing was trimmed by comes with both settings off
    let untagged = trimmed(0, false, REQUEST, 24, 1088);
    let given = frames().into_iter().map(|(_, frame, _)| frame).chain([untagged]);
    let given = given.chain(trimmings().into_iter().map(|(frame, _)| frame));
    let given: Vec<Frame> = given.map(|data| Frame { data, ..Frame::default() }).collect();
    let dir = tempfile::tempdir().expect("there is room for a directory");
    let is_found = |(text, wrong): &(&str, &str)| {
        assert_eq!(core.verilog.matches(text).count(), 1, "`{text}` stands in the Verilog once");
        let file = dir.path().join("fault.v");
        std::fs::write(&file, core.verilog.replace(text, wrong)).expect("there is room");
        [Trimmed::default(), TRIMMED].into_iter().any(|trimmed| {
            let traffic = Traffic::Given(given.clone());
            let mut options = super::options(&core, traffic, Pace::default(), dir.path());
            options.own.settings = RewriterSettings { trimmed, ..RewriterSettings::default() };
            options.verilog = Some(file.clone());
            super::run(&core, &options).expect("it runs").failure.is_some()
        })
    };
    faults.iter().map(is_found).collect()
}

#[test]
fn a_type_that_is_not_known_is_found() {
    assert_eq!(faults_found(&FAULTS[..1]), [true]);
}

#[test]
#[ignore = "a model of each fault, with the long tests"]
fn every_fault_in_what_only_uet_has_is_found() {
    let found = faults_found(&FAULTS);
    let missed: Vec<_> =
        FAULTS.iter().zip(found).filter(|(_, found)| !found).map(|(fault, _)| fault).collect();
    assert!(missed.is_empty(), "{missed:?}");
}
