//! Headers behind an entropy header, directly in IP: the same headers say the same, in the golden model and in the
//! Verilog of both rewriters.

use respray_cosim::stream::stream_core::RewriterSettings;
use respray_cosim::stream::{Frame, Pace, Traffic};
use respray_cosim::traffic::frames::{Checksum, Draft, FrameKnobs};
use respray_golden::rewrite::{Carried, FrameError, ProfileTraffic, Trimmed, checksum};
use respray_golden::rewrite_rx::{Record, record};
use respray_golden::rewrite_tx::{Disposition, Params, Stamp, rewrite};
use respray_golden::wire::Profile;

use super::super::{SOME, Setup, all, widths};
use super::{Fault, REQUEST, TRIMMED, VECTORS, all_are_found, bytes, difference, say};

/// The protocol for experiments, RFC 3692.
const CARRIED: Carried = Carried::Entropy { ip_proto: 253 };
const ENTROPY: ProfileTraffic = ProfileTraffic { carried: CARRIED, ..super::TRAFFIC };

/// A frame with these bytes behind the entropy header, whose EV is 4242; a short one is padded.
fn frame(payload: &[u8], tags: usize, is_ipv6: bool, dscp: u8) -> Vec<u8> {
    let draft = Draft {
        tags,
        is_ipv6,
        options: 0,
        real_options: false,
        traffic_class: dscp << 2 | 1,
        flow_label: 0,
        source_port: 0x4242,
        udp_port: Profile::Uet.udp_port(),
        carried: CARRIED,
        checksum: Checksum::None,
        seed: 1,
        header: payload.to_vec(),
        payload: 0,
    };
    let mut frame = draft.frame();
    frame.resize(frame.len().max(60), 0xa5);
    frame
}

/// The vectors, by IPv4 and IPv6 in turn, with 0 to 2 tags.
fn frames() -> impl Iterator<Item = (&'static str, Vec<u8>, &'static str)> {
    let carried = |(at, (name, hex, says)): (usize, &(&'static str, &str, &'static str))| {
        let payload = bytes(hex);
        // what is shorter than every header has to be padded to hold one
        let at = if payload.len() < 12 { 0 } else { at };
        (*name, frame(&payload, at / 2 % 3, at % 2 == 1, 46), *says)
    };
    VECTORS.iter().enumerate().map(carried)
}

/// Trimmed requests: bytes of IP payload that are left, DSCP, and what that says.
const TRIMMINGS: [(usize, u8, &str); 4] = [
    (20, 16, "trimmed type 2 3ea 7>9 +4"),
    (21, 18, "trimmed at the last hop type 2 3ea 7>9 +5"),
    (19, 16, "length mismatch"),
    (64, 16, "trimmed type 2 3ea 7>9 +48"),
];

fn trimmings() -> impl Iterator<Item = (Vec<u8>, &'static str)> {
    TRIMMINGS.iter().enumerate().map(|(at, &(left, dscp, says))| {
        let mut payload = bytes(REQUEST);
        payload.resize(left - 4, 0x5a);
        (frame(&payload, at % 3, at % 2 == 1, dscp), says)
    })
}

#[test]
fn headers_behind_an_entropy_header_say_the_same() {
    for (name, frame, says) in frames() {
        assert_eq!(say(&record(&frame, ENTROPY)), says, "{name}");
        // who looks for UDP passes over it
        let unsupported = Record { error: Some(FrameError::Unsupported), ..Record::default() };
        assert_eq!(record(&frame, super::TRAFFIC), unsupported, "{name}");
    }
    let traffic = ProfileTraffic { trimmed: TRIMMED, ..ENTROPY };
    for (frame, says) in trimmings() {
        assert_eq!(say(&record(&frame, traffic)), says);
    }
}

/// Vector 57, whole: IP protocol 253, EV 4242, a request with PSN 1234a.
fn vector_57() -> Vec<u8> {
    let packet = "450000500000400040fd00000a0000010a000002 424200001180fffe0001234a00070009 S2";
    let mut bytes = [vec![0x02; 12], vec![0x08, 0], super::bytes(packet)].concat();
    let sum = !checksum::sum(&bytes[14..34]);
    bytes[14 + 10..14 + 12].copy_from_slice(&sum.to_be_bytes());
    bytes
}

#[test]
fn a_request_directly_in_ip_is_read_and_its_ev_is_written() {
    let bytes = vector_57();
    let read = record(&bytes, ENTROPY);
    assert_eq!(say(&read), "data 1234a 7>9 clear -2 message 11 +44");
    assert_eq!(read.ev, 0x4242);

    let params = Params { wire: ENTROPY, flow_label_enable: false, beat_bytes: 64 };
    let mut sent = bytes.clone();
    let stamp = Stamp { ev: 0xbeef, timestamp: 0x1234, enable: true };
    assert_eq!(rewrite(&mut sent, stamp, params), Disposition::Rewritten);
    assert_eq!(record(&sent, ENTROPY).ev, 0xbeef);
    let changed: Vec<usize> = (0..sent.len()).filter(|at| sent[*at] != bytes[*at]).collect();
    assert_eq!(changed, [15, 25, 34, 35], "ECN, the checksum of IP and the EV are written, and nothing else");
    assert_eq!(checksum::sum(&sent[14..34]), 0xffff);
}

fn settings() -> [RewriterSettings; 2] {
    let plain = RewriterSettings { carried: CARRIED, ..RewriterSettings::default() };
    [plain, RewriterSettings { trimmed: TRIMMED, flow_label: true, ..plain }]
}

/// Vectors, whole and cut at every other byte, trimmed packets, and the vectors in UDP.
fn given() -> Vec<Frame> {
    let whole = frames().map(|(_, frame, _)| frame).chain(trimmings().map(|(frame, _)| frame));
    let whole = whole.chain([vector_57()]);
    let whole: Vec<Vec<u8>> = whole.chain(super::frames().into_iter().map(|(_, frame, _)| frame)).collect();
    let cut = whole
        .iter()
        .step_by(3)
        .flat_map(|frame| (20..frame.len().min(90)).step_by(2).map(|end| frame[..end].to_vec()));
    let cut: Vec<Vec<u8>> = cut.collect();
    // lengths of IPv6 that have 17 bits with what stands in the place of UDP's header, and of IPv4 that are less than none
    let of_length = |(bytes, is_ipv6, length): (usize, bool, u16)| {
        let mut frame = frame(&vec![0x11; bytes], 0, is_ipv6, 0);
        let at = if is_ipv6 { 18 } else { 16 };
        frame[at..at + 2].copy_from_slice(&length.to_be_bytes());
        if !is_ipv6 {
            frame[24..26].fill(0);
            let sum = !checksum::sum(&frame[14..34]);
            frame[24..26].copy_from_slice(&sum.to_be_bytes());
        }
        frame
    };
    let lengths = [0, 3, 4, 15, 16, 19, 20, 23, 24, 35, 36, 0xfffb, 0xfffc, 0xffff];
    let lengths = lengths.into_iter().flat_map(|length| [(40, false, length), (200, true, length)]);
    let whole = whole.into_iter().chain(lengths.map(of_length));
    let frame = |data| Frame { data, enable: true, ev: 0xc001, ..Frame::default() };
    whole.chain(cut).map(frame).collect()
}

/// What the Verilog does otherwise than the golden model.
fn differs(
    core: &str,
    width: &str,
    own: RewriterSettings,
    traffic: Traffic,
    fault: Option<[&str; 2]>,
) -> Option<String> {
    difference(core, &[width], own, traffic, Pace::default(), fault)
}

fn the_verilog_reads_entropy_headers(setups: &[Setup], frames: u64) {
    for (core, is_rx) in [("rewrite_rx", true), ("rewrite_tx", false)] {
        for width in widths(setups, "wire=uet") {
            for own in settings() {
                let own =
                    RewriterSettings { trimmed: if is_rx { own.trimmed } else { Trimmed::default() }, ..own };
                let knobs = FrameKnobs { odd: 0.5, ..FrameKnobs::default() };
                for traffic in [Traffic::Given(given()), Traffic::Frames { frames, knobs }] {
                    assert_eq!(differs(core, width, own, traffic, None), None, "{core} of {width}");
                }
            }
        }
    }
}

#[test]
fn the_verilog_reads_and_writes_entropy_headers_too() {
    the_verilog_reads_entropy_headers(&SOME, 3000);
}

#[test]
#[ignore = "two models of each width"]
fn the_verilog_reads_and_writes_entropy_headers_at_every_width() {
    the_verilog_reads_entropy_headers(&all(), 30_000);
}

/// Faults that nothing but entropy headers shows, each in a core.
const FAULTS: [Fault; 10] = [
    // IPv6 lengths of 17 bits, as the Verilog once had it
    ("rewrite_tx", ["if (is_entropy && length[16] && length[15])", "if (is_entropy && length[16])"]),
    ("rewrite_tx", ["if (is_entropy && length[16] && length[15])", "if (1'b0)"]),
    ("rewrite_rx", ["is_entropy && last_3 && (there >> 2'd2) == 17'd0 ? 1'b1 : ", ""]),
    ("rewrite_rx", ["inlet_place_ahead + {5'd0, is_entropy};", "inlet_place_ahead;"]),
    ("rewrite_rx", ["carried_source_port = header_udp_length;", ""]),
    ("rewrite_rx", ["carried_length = classifier_agreed[15:0];", ""]),
    ("rewrite_rx", ["classifier_is_ours = 1'b1;", ""]),
    ("rewrite_rx", ["header_held <= 5'h1f;", ""]),
    ("rewrite_tx", ["plan_place_is_even = !place_3_is_even;", ""]),
    ("rewrite_tx", ["plan_place_udp = place_3_udp + 5'd1;", ""]),
];

#[test]
#[ignore = "a model of each fault, with the long tests"]
fn every_fault_in_what_an_entropy_header_needs_is_found() {
    all_are_found(&FAULTS, |core, fault| {
        let own = RewriterSettings { carried: CARRIED, ..RewriterSettings::default() };
        differs(core, "bus_bits=64", own, Traffic::Given(given()), Some(fault)).is_some()
    });
}
