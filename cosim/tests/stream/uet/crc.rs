//! Packets that end with a CRC32C: right and wrong ones, of every length, in the golden model and in the Verilog of both
//! rewriters.

use respray_cosim::stream::stream_core::RewriterSettings;
use respray_cosim::stream::{Frame, Pace, Traffic};
use respray_cosim::traffic::frames::{Checksum, Draft, FrameKnobs, RandomFrames};
use respray_golden::rewrite::crc32c::crc32c;
use respray_golden::rewrite::{Carried, FrameError, Kind, ProfileTraffic, checksum};
use respray_golden::rewrite_rx::record;
use respray_golden::rewrite_tx::{Disposition, Params, Stamp, rewrite};
use respray_golden::wire::Profile;

use super::{Fault, REQUEST, TRIMMED, VECTORS, all_are_found, bytes, difference, say};

/// The protocol for experiments, RFC 3692.
const CARRIED: Carried = Carried::Entropy { ip_proto: 253 };
const CRC: ProfileTraffic = ProfileTraffic { has_crc: true, ..super::TRAFFIC };
const ENTROPY: ProfileTraffic = ProfileTraffic { carried: CARRIED, ..CRC };

/// Vector 58 without its trailer, whose place it leaves.
fn vector_58() -> Vec<u8> {
    let packet = "450200540000400040fd25a90a0000010a000002 42420000 1188ffff000003e800070009 S2 00000000";
    [vec![0x02; 12], vec![0x08, 0], bytes(packet)].concat()
}

/// What a sender makes of a frame with this EV.
fn sent(frame: &[u8], wire: ProfileTraffic, ev: u16) -> Vec<u8> {
    let mut sent = frame.to_vec();
    let params = Params { wire, flow_label_enable: false, beat_bytes: 64 };
    let stamp = Stamp { ev, timestamp: 0, enable: true };
    assert_eq!(rewrite(&mut sent, stamp, params), Disposition::Rewritten);
    sent
}

#[test]
fn trailers_that_were_worked_out_by_hand() {
    assert_eq!(crc32c(b"123456789"), 0xe306_9283);
    let frame = vector_58();
    assert_eq!(checksum::sum(&frame[14..34]), 0xffff);
    for (ev, trailer) in [(0x4242, [0x34, 0x09, 0x50, 0x25]), (0x4243, [0x00, 0x48, 0xdd, 0x91])] {
        let sent = sent(&frame, ENTROPY, ev);
        assert_eq!(sent[sent.len() - 4..], trailer, "it is sent with its highest byte first");
        let read = record(&sent, ENTROPY);
        assert_eq!(say(&read), "data 3e8 7>9 clear -1 asks message 11 +44");
        assert_eq!(read.ev, ev);
        // who knows of no trailer takes it for payload
        let without = ProfileTraffic { has_crc: false, ..ENTROPY };
        assert_eq!(say(&record(&sent, without)), "data 3e8 7>9 clear -1 asks message 11 +48");
    }
}

#[test]
fn a_bit_from_the_source_address_on_is_found() {
    let frame = sent(&vector_58(), ENTROPY, 0x4242);
    for bit in 8 * 14..8 * frame.len() {
        let mut changed = frame.clone();
        changed[bit / 8] ^= 0x80 >> (bit % 8);
        if bit < 8 * 34 {
            changed[24..26].fill(0);
            let sum = !checksum::sum(&changed[14..34]);
            changed[24..26].copy_from_slice(&sum.to_be_bytes());
        }
        let read = record(&changed, ENTROPY);
        match bit / 8 - 14 {
            // DSCP and ECN, identification, do not fragment, TTL, and the checksum that was made anew
            1 | 4 | 5 | 8 | 10 | 11 => assert_eq!(read.error, None, "bit {bit}"),
            6 if bit == 8 * 20 || bit == 8 * 20 + 1 => assert_eq!(read.error, None, "bit {bit}"),
            0..12 => assert!(matches!(read.error, Some(error) if error != FrameError::BadCrc), "bit {bit}"),
            // another type is other traffic, or another length
            24 if read.error != Some(FrameError::BadCrc) => assert_eq!(read.kind, None, "bit {bit}"),
            _ => assert_eq!(read.error, Some(FrameError::BadCrc), "bit {bit}"),
        }
    }
}

/// A packet with this header and so many bytes behind it, a trailer behind them, and behind that what pads a short frame.
fn frame(header: &[u8], payload: usize, carried: Carried, tags: usize, is_ipv6: bool, dscp: u8) -> Vec<u8> {
    let draft = Draft {
        tags,
        is_ipv6,
        options: payload % 11,
        real_options: false,
        traffic_class: dscp << 2 | 1,
        flow_label: 0,
        source_port: 0x4242,
        udp_port: Profile::Uet.udp_port(),
        carried,
        checksum: Checksum::Right,
        seed: payload as u64,
        header: header.to_vec(),
        payload: payload + 4,
    };
    let mut frame = draft.frame();
    draft.seal(&mut frame);
    frame.resize(frame.len().max(60), 0xa5);
    frame
}

/// The vectors, as they are and with every number of bytes behind them up to those of two beats; each right, and with a wrong bit.
fn given(carried: Carried) -> Vec<(Vec<u8>, bool)> {
    let wire = ProfileTraffic { carried, ..CRC };
    let headers = VECTORS.iter().map(|(_, hex, _)| bytes(hex)).filter(|header| header.len() >= 12);
    let short = headers.enumerate().map(|(at, header)| frame(&header, 0, carried, at % 3, at % 2 == 1, 0));
    let request = bytes("1184fffe0001234600070001");
    let lengths = (0..140).flat_map(|payload| {
        [false, true].map(|is_ipv6| frame(&request, payload, carried, payload / 3 % 3, is_ipv6, 0))
    });
    let options = (0..20).map(|payload| {
        // options of none: the shortest packets, which are padded
        frame(&request, 11 * (payload / 10), carried, payload % 3, payload % 2 == 1, 0)
    });
    let right: Vec<Vec<u8>> = short.chain(lengths).chain(options).collect();
    let wrong = right.iter().enumerate().map(|(at, frame)| {
        let (mut frame, end) = (frame.clone(), record(frame, wire));
        // one of the bytes of the payload and the trailer
        let last = frame.iter().rposition(|byte| *byte != 0xa5).expect("there is one");
        if end.error.is_none() {
            frame[last - at % 4] ^= 1 << (at % 8);
        }
        (frame, false)
    });
    let wrong: Vec<_> = wrong.collect();
    right.into_iter().map(|frame| (frame, true)).chain(wrong).collect()
}

#[test]
fn packets_of_every_length_are_checked() {
    for carried in [Carried::Udp, CARRIED] {
        let wire = ProfileTraffic { carried, ..CRC };
        let (mut right, mut wrong) = (0, 0);
        for (frame, is_right) in given(carried) {
            let read = record(&frame, wire);
            right += u32::from(is_right && read.kind.is_some());
            wrong += u32::from(!is_right && read.error == Some(FrameError::BadCrc));
            assert!(is_right || read.kind.is_none(), "{frame:02x?}");
            assert!(!is_right || read.error != Some(FrameError::BadCrc), "{frame:02x?}");
        }
        assert!(right > 300 && wrong > 300, "{right} right, {wrong} wrong");
    }
    // a trimmed packet has lost its trailer
    let traffic = ProfileTraffic { trimmed: TRIMMED, ..CRC };
    let trimmed = super::trimmed(16, false, REQUEST, 24, 1088);
    assert_eq!(say(&record(&trimmed, traffic)), "trimmed type 2 3ea 7>9 +1064");
    // the needed bytes and the trailer
    let least = frame(&bytes("1184fffe0001234600070001"), 0, Carried::Udp, 0, false, 0);
    assert_eq!(record(&least, CRC).kind, Some(Kind::Data));
    assert_eq!(record(&least, CRC).bytes, 0);
}

/// All of them, in every place that a packet may be padded, and trimmed ones, which have none.
fn frames(carried: Carried) -> Vec<Frame> {
    let trimmed = [16, 18].map(|dscp| super::trimmed(dscp, false, REQUEST, 24, 1088));
    let all = given(carried).into_iter().map(|(frame, _)| frame).chain(trimmed);
    let all: Vec<Vec<u8>> = all.chain([vector_58(), sent(&vector_58(), ENTROPY, 0x4242)]).collect();
    let longer = all.iter().step_by(7).map(|frame| [&frame[..], &[0x5a; 9]].concat());
    let cut = all.iter().step_by(5).map(|frame| frame[..frame.len() - 3].to_vec());
    let all: Vec<Vec<u8>> = all.iter().cloned().chain(longer).chain(cut).collect();
    (0u16..)
        .zip(all)
        .map(|(at, data)| Frame { data, enable: at % 9 != 0, ev: at.wrapping_mul(77), ..Frame::default() })
        .collect()
}

/// What the Verilog does otherwise than the golden model.
fn differs(
    core: &str,
    width: &str,
    own: RewriterSettings,
    traffic: Traffic,
    fault: Option<[&str; 2]>,
) -> Option<String> {
    difference(core, &[width, "uet.crc=on"], own, traffic, Pace { gap: 0.1, stall: 0.1, seed: 1 }, fault)
}

fn settings(core: &str) -> [RewriterSettings; 2] {
    let plain = RewriterSettings::default();
    let trimmed = if core == "rewrite_rx" { TRIMMED } else { plain.trimmed };
    [RewriterSettings { trimmed, ..plain }, RewriterSettings { carried: CARRIED, flow_label: true, ..plain }]
}

fn the_verilog_checks_and_writes_them(cores: &[(&str, &str)], random: u64) {
    for (core, width) in cores {
        for own in settings(core) {
            let knobs = FrameKnobs { odd: 0.2, ..FrameKnobs::default() };
            let random = Traffic::Frames { frames: random, knobs };
            for traffic in [Traffic::Given(frames(own.carried)), random] {
                assert_eq!(differs(core, width, own, traffic, None), None, "{core} of {width}");
            }
        }
    }
}

#[test]
fn the_verilog_checks_and_writes_trailers() {
    the_verilog_checks_and_writes_them(
        &[("rewrite_rx", "bus_bits=512"), ("rewrite_tx", "bus_bits=64")],
        3000,
    );
}

#[test]
#[ignore = "two models of each width"]
fn the_verilog_checks_and_writes_trailers_at_every_width() {
    for width in super::super::WIDTHS {
        the_verilog_checks_and_writes_them(&[("rewrite_rx", width), ("rewrite_tx", width)], 30_000);
    }
}

#[test]
fn random_frames_have_right_trailers_and_wrong_ones() {
    let knobs = FrameKnobs { odd: 0.2, ..FrameKnobs::default() };
    let frames = RandomFrames::new(3, Profile::Uet, Profile::Uet.udp_port(), knobs).with_crc(true);
    let records: Vec<_> = frames.take(2000).map(|frame| record(&frame.data, CRC)).collect();
    let right = records.iter().filter(|record| record.kind.is_some()).count();
    let wrong = records.iter().filter(|record| record.error == Some(FrameError::BadCrc)).count();
    assert!(right > 1000 && wrong > 80, "{right} right, {wrong} wrong");
}

/// Faults that nothing but trailers shows, each in a core at 64 bits.
const FAULTS: [Fault; 24] = [
    // where what is covered begins
    ("rewrite_rx", ["if (place_is_ip4) in_front = 16'h3f;", ""]),
    ("rewrite_rx", ["if (place_tags == 2'd2) in_front = (in_front << 2'd2) | 16'd3;", ""]),
    ("rewrite_rx", ["if (start_5[3]) begun = begun ^ 32'he9e882d;", ""]),
    // where it ends
    ("rewrite_rx", ["shows_odd_1 && enables_1[3] ?", "shows_odd_1 ?"]),
    ("rewrite_rx", ["if (is_early_3) behind = 16'hfffe << early_3;", ""]),
    ("rewrite_rx", ["if (!is_ip4) in_front = in_front + 8'h28;", ""]),
    ("rewrite_rx", ["index <= ends_early ? early : last_byte_3;", "index <= last_byte_3;"]),
    ("rewrite_rx", ["(first_3 || !has_ended)", "1'b1"]),
    // the trailer and the state
    ("rewrite_rx", ["if (index[2]) odd = odd + 4'd1;", ""]),
    ("rewrite_rx", ["last_step <= beat[63:32];", "last_step <= 32'd0;"]),
    ("rewrite_rx", ["first_at[4] ? sum_6 : sum_6 ^ moved_after;", "sum_6 ^ moved_after;"]),
    ("rewrite_rx", [".count(spare_8[3:2])", ".count(2'd0)"]),
    // whom it is told of
    ("rewrite_rx", ["if (crc_ends) is_right <= crc_due == crc_has;", "is_right <= crc_due == crc_has;"]),
    ("rewrite_rx", [" && mark_later_5_error[1:0] != 2'd3)", ")"]),
    ("rewrite_rx", ["TRIMMED_LENGTH_COMPLEMENT = 17'h1ffe7;", "TRIMMED_LENGTH_COMPLEMENT = 17'h1ffe3;"]),
    // what is written besides
    ("rewrite_tx", ["if (is_ev_2_1) odd_3_1 <= {ev_2[7:0], ev_2[15:8]};", ""]),
    ("rewrite_tx", ["has_sum && ahead == 6'h3f ? 1'b0 :", ""]),
    ("rewrite_tx", [".has_sum(crc_has_sum)", ".has_sum(1'b1)"]),
    // where and when it is written
    ("rewrite_tx", ["if (ends_next && lane_before == 5'h1f) ending_1 = end_high;", ""]),
    ("rewrite_tx", ["if (ends_here && lane_before == 5'd0) ending_0 = end_high;", ""]),
    ("rewrite_tx", ["crc_spare[1:0] == 2'd3 ? {crc_due[23:0], crc_due[31:24]} : crc_due;", "crc_due;"]),
    ("rewrite_tx", ["end_11_at <= beat_10;", "end_11_at <= beat_10 + 6'd1;"]),
    ("rewrite_tx", ["late_9 - read_at", "late_8 - read_at"]),
    ("rewrite_tx", ["if (push || at_first) released <= write_at;", "if (push) released <= write_at;"]),
];

#[test]
#[ignore = "a model of each fault, with the long tests"]
fn every_fault_in_what_a_trailer_needs_is_found() {
    all_are_found(&FAULTS, |core, fault| {
        settings(core).into_iter().any(|own| {
            let traffic = Traffic::Given(frames(own.carried));
            differs(core, "bus_bits=64", own, traffic, Some(fault)).is_some()
        })
    });
}
