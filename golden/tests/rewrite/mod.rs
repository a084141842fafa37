//! The rewriters' golden models, against frames built byte by byte and checksums computed from scratch.

pub mod build;
mod checksum;
mod crc32c;
mod properties;

use build::{Build, settings};
use respray_golden::rewrite::{FrameError, Kind, ProfileTraffic};
use respray_golden::rewrite_rx::{Ack, Record, Uet, record};
use respray_golden::rewrite_tx::{Disposition, Stamp, rewrite};
use respray_golden::wire::{Profile, strack, uet};

const STAMP: Stamp = Stamp { ev: 0x1234, timestamp: 0x5678, enable: true };

/// Disposition on the way out, with a beat that holds the whole frame, and error on the way in.
fn verdict(frame: &[u8], profile: Profile) -> (Disposition, Option<FrameError>) {
    let mut sent = frame.to_vec();
    let outcome = rewrite(&mut sent, STAMP, settings(profile, 1 << 14));
    if outcome != Disposition::Rewritten {
        assert_eq!(sent, frame, "a frame that is not rewritten stays as it is");
    }
    let record = record(frame, ProfileTraffic::of(profile));
    if record.error.is_some() {
        assert_eq!(record, Record { error: record.error, ..Record::default() });
    }
    (outcome, record.error)
}

#[test]
fn these_bytes_become_these() {
    let frame = Build { checksum: true, ..Build::strack_data() }.frame();
    let mut sent = frame.clone();
    assert_eq!(rewrite(&mut sent, STAMP, settings(Profile::Strack, 64)), Disposition::Rewritten);
    let changed: Vec<(usize, u8)> =
        (0..frame.len()).filter(|at| frame[*at] != sent[*at]).map(|at| (at, sent[at])).collect();
    let ip = u16::from_be_bytes([frame[24], frame[25]]) - 2; // ECN from 0 to 2
    assert_eq!(u16::from_be_bytes([sent[24], sent[25]]), ip);
    let places: Vec<usize> = changed.iter().map(|(at, _)| *at).collect();
    assert!([15, 34, 35, 54, 55].iter().all(|at| places.contains(at)), "{places:?}");
    assert!(places.iter().all(|at| [15, 24, 25, 34, 35, 40, 41, 54, 55].contains(at)), "{places:?}");
    assert_eq!((sent[15], &sent[34..36], &sent[54..56]), (2, &[0x12, 0x34][..], &[0x56, 0x78][..]));
}

#[test]
fn a_disabled_frame_passes_and_a_malformed_one_is_still_named() {
    let off = Stamp { enable: false, ..STAMP };
    let good = Build::strack_data().frame();
    let mut sent = good.clone();
    assert_eq!(rewrite(&mut sent, off, settings(Profile::Strack, 64)), Disposition::Passed);
    assert_eq!(sent, good);
    let mut bad = good.clone();
    bad[24] ^= 1;
    assert_eq!(rewrite(&mut bad, off, settings(Profile::Strack, 64)), Disposition::Malformed);
}

#[test]
fn ce_and_ect1_become_ect0_and_dscp_stays() {
    for (before, after) in [(0xb8, 0xba), (0xb9, 0xba), (0xba, 0xba), (0xbb, 0xba)] {
        for v6 in [false, true] {
            let mut frame = Build { v6, traffic_class: before, ..Build::strack_data() }.frame();
            assert_eq!(rewrite(&mut frame, STAMP, settings(Profile::Strack, 64)), Disposition::Rewritten);
            let class = if v6 { frame[14] << 4 | frame[15] >> 4 } else { frame[15] };
            assert_eq!(class, after, "v6 {v6}");
        }
    }
}

#[test]
fn the_flow_label_takes_the_ev_where_it_is_asked_for() {
    let frame = Build { v6: true, flow_label: 0xfabcd, ..Build::strack_data() }.frame();
    let label = |enable| {
        let mut sent = frame.clone();
        let chosen =
            respray_golden::rewrite_tx::Params { flow_label_enable: enable, ..settings(Profile::Strack, 64) };
        rewrite(&mut sent, STAMP, chosen);
        u32::from_be_bytes([0, sent[15] & 15, sent[16], sent[17]])
    };
    assert_eq!((label(false), label(true)), (0xfabcd, 0xf1234), "the upper four bits stay");
}

#[test]
fn a_udp_checksum_of_0_stays_and_one_that_becomes_0_is_sent_as_ffff() {
    for v6 in [false, true] {
        let mut frame = Build { v6, ..Build::strack_data() }.frame();
        let at = if v6 { 60 } else { 40 };
        assert_eq!(&frame[at..at + 2], [0, 0]);
        rewrite(&mut frame, STAMP, settings(Profile::Strack, 64));
        assert_eq!(&frame[at..at + 2], [0, 0]);
    }
    // an EV for which the sum is all ones
    let frame = Build { checksum: true, ..Build::strack_data() }.frame();
    let mut ffff = 0;
    for ev in 0..=u16::MAX {
        let mut sent = frame.clone();
        rewrite(&mut sent, Stamp { ev, ..STAMP }, settings(Profile::Strack, 64));
        assert_ne!(&sent[40..42], [0, 0]);
        assert!(build::checksums_verify(&sent), "EV {ev:#06x}");
        ffff += u32::from(sent[40..42] == [0xff, 0xff]);
    }
    assert!(ffff > 0, "one EV in 65535 leads there");
}

#[test]
fn an_ack_keeps_its_echoed_fields_on_the_way_out() {
    let ack = strack::Ack { echo_entropy: 0xaaaa, echo_timestamp: 0xbbbb, ..Default::default() };
    let frame = Build { header: ack.to_bytes().to_vec(), ..Build::strack_data() }.frame();
    let mut sent = frame.clone();
    assert_eq!(rewrite(&mut sent, STAMP, settings(Profile::Strack, 64)), Disposition::Rewritten);
    assert_eq!(sent[34..36], [0x12, 0x34]);
    assert_eq!(sent[36..], frame[36..], "nothing behind the source port");
}

#[test]
fn records_have_the_fields_of_the_headers() {
    let wire = |profile: Profile| ProfileTraffic::of(profile);
    let data = strack::Data {
        connection: 0x01_0203,
        ack_request: true,
        psn: 0x0a_0b0c,
        timestamp: 0x1122,
        probe: true,
        hops: 7,
    };
    let build =
        Build { header: data.to_bytes().to_vec(), traffic_class: 3, payload: 5, ..Build::strack_data() };
    let probe = Record {
        kind: Some(Kind::Probe),
        connection: 0x01_0203,
        psn: 0x0a_0b0c,
        bytes: 5,
        ecn: 3,
        ev: 0xc001,
        timestamp: 0x1122,
        ack_request: true,
        ..Record::default()
    };
    assert_eq!(record(&build.frame(), wire(Profile::Strack)), probe);

    let request = uet::Request {
        retransmit: true,
        psn: 0x0a0b_0c0d,
        source_pdc: 0x1122,
        destination_pdc: 0x3344,
        ..Default::default()
    };
    let build = Build { header: request.to_bytes(), ..Build::uet_request() };
    let again = record(&build.frame(), wire(Profile::Uet));
    assert_eq!((again.kind, again.connection, again.psn), (Some(Kind::Data), 0x3344, 0x0a0b_0c0d));
    assert_eq!((again.source_pdc, again.retransmit, again.ack_request), (0x1122, true, false));

    let ack = uet::Ack {
        ecn_echo: true,
        probe: true,
        ack_psn_offset: -2,
        cack_psn: 0xffff_fff0,
        source_pdc: 1,
        destination_pdc: 2,
        cc: Some(uet::AckCc {
            sack_psn_offset: -64,
            sack_bitmap: 0x8000_0000_0000_0001,
            service_time: 9,
            rcvd_bytes: 0x12_3456,
            ooo_count: 77,
            ..Default::default()
        }),
        ..Default::default()
    };
    let build = Build { v6: true, tags: 2, header: ack.to_bytes(), ..Build::uet_request() };
    let fields = Ack {
        ecn_echo: true,
        probe_echo: true,
        flags: 1,
        ev: 0xc001,
        timestamp: 9,
        recv_bytes: 0x12_3456,
        epsn: 0xffff_fff0,
        offset: 0xfffe,
        ooo: 77,
        base: 0xffc0,
        bitmap: 0x8000_0000_0000_0001,
        has_sack: true,
        has_state: true,
        ..Ack::default()
    };
    let expected = Record {
        kind: Some(Kind::Ack),
        connection: 2,
        bytes: 40,
        ev: 0xc001,
        source_pdc: 1,
        uet: Uet { kind: 8, flags: 0x28, ..Uet::default() },
        ack: fields,
        ..Record::default()
    };
    assert_eq!(record(&build.frame(), wire(Profile::Uet)), expected);
}

#[test]
fn an_ack_says_whether_it_answers_a_probe() {
    let fields = |profile: Profile, header: Vec<u8>| {
        let build = Build { header, port: profile.udp_port(), ..Build::strack_data() };
        let record = record(&build.frame(), ProfileTraffic::of(profile));
        assert_eq!((record.kind, record.error), (Some(Kind::Ack), None));
        record.ack
    };
    for answers in [false, true] {
        let ack = strack::Ack { probe_echo: answers, ..Default::default() };
        let expected = Ack { probe_echo: answers, ..Ack::default() };
        assert_eq!(fields(Profile::Strack, ack.to_bytes().to_vec()), expected);
        let ack = uet::Ack { probe: answers, ..Default::default() };
        let expected = Ack { probe_echo: answers, flags: answers.into(), ev: 0xc001, ..Ack::default() };
        assert_eq!(fields(Profile::Uet, ack.to_bytes()), expected);
    }
}

#[test]
fn every_rule_fires_on_its_frame() {
    use FrameError::*;
    let strack = |frame: &[u8]| verdict(frame, Profile::Strack);
    let malformed = |error| (Disposition::Malformed, Some(error));
    let unsupported = (Disposition::Passed, Some(Unsupported));
    let other = (Disposition::Passed, None);
    let good = Build::strack_data().frame();
    assert_eq!(strack(&good), (Disposition::Rewritten, None));

    // 1 and 2
    assert_eq!(strack(&good[..13]), malformed(Truncated));
    let tagged = |tags| Build { tags, ..Build::strack_data() }.frame();
    assert_eq!(strack(&tagged(1)[..17]), malformed(Truncated));
    assert_eq!(strack(&tagged(2)[..21]), malformed(Truncated));
    assert_eq!(strack(&tagged(2)), (Disposition::Rewritten, None));
    assert_eq!(strack(&tagged(3)), unsupported);
    assert_eq!(strack(&tagged(3)[..22]), unsupported, "the third ethertype is there");
    for ethertype in [[0x08, 0x06], [0x88, 0xcc]] {
        let mut frame = good.clone();
        frame[12..14].copy_from_slice(&ethertype);
        assert_eq!(strack(&frame), unsupported, "ARP, LLDP");
        assert_eq!(strack(&frame[..14]), unsupported);
    }
    // 3 and 4
    assert_eq!(strack(&good[..14]), malformed(Truncated));
    for first in [0x44, 0x40, 0x65, 0x55] {
        let mut frame = good.clone();
        frame[14] = first;
        assert_eq!(strack(&frame), unsupported, "version and IHL {first:#04x}");
        assert_eq!(strack(&frame[..15]), unsupported);
    }
    assert_eq!(strack(&good[..15]), malformed(Truncated));
    assert_eq!(strack(&good[..33]), malformed(Truncated));
    let mut long = good.clone();
    long[14] = 0x4f;
    assert_eq!(strack(&long[..73]), malformed(Truncated), "options beyond the frame");
    let v6 = Build { v6: true, ..Build::strack_data() }.frame();
    assert_eq!(strack(&v6), (Disposition::Rewritten, None));
    assert_eq!(strack(&v6[..53]), malformed(Truncated));
    // 5 and 6
    for (at, bits) in [(20, 0x20), (20, 0x01), (21, 0x01)] {
        let mut frame = good.clone();
        frame[at] |= bits;
        assert_eq!(strack(&frame), unsupported, "a fragment, whatever its checksum");
    }
    let mut dont_fragment = good.clone();
    dont_fragment[20] |= 0x40;
    assert_eq!(strack(&dont_fragment), malformed(BadChecksum));
    let mut tcp = good.clone();
    tcp[23] = 6;
    assert_eq!(strack(&tcp), unsupported);
    for next in [0, 43, 44, 51, 60, 6] {
        let mut frame = v6.clone();
        frame[20] = next;
        assert_eq!(strack(&frame), unsupported, "extension header {next}");
    }
    // 7 and 8
    assert_eq!(strack(&good[..41]), malformed(Truncated));
    let port = Build { port: 4792, ..Build::strack_data() }.frame();
    assert_eq!(strack(&port), other);
    assert_eq!(strack(&port[..42]), other, "of other traffic nothing more is asked");
    // 9
    for off in [-1, 1] {
        let frame = Build { udp_length_off: off, ..Build::strack_data() }.frame();
        assert_eq!(strack(&frame), malformed(LengthMismatch));
    }
    let mut below = Build { ip_total: Some(19), ..Build::strack_data() }.frame();
    below[38..40].copy_from_slice(&0xffff_u16.to_be_bytes()); // 19 - 20, if it wrapped
    assert_eq!(strack(&below), malformed(LengthMismatch));
    // 10 and 11
    assert_eq!(strack(&good[..57]), malformed(Truncated));
    for opcode in [0x00, 0x04, 0x11, 0xbf, 0xc2] {
        let mut frame = good.clone();
        frame[42] = opcode;
        assert_eq!(strack(&frame), other, "opcode {opcode:#04x}");
    }
    // 12 and 13
    let ack = strack::Ack::default().to_bytes().to_vec();
    let short = Build { header: ack[..35].to_vec(), payload: 0, ..Build::strack_data() }.frame();
    assert_eq!(strack(&short), malformed(LengthMismatch));
    let whole = Build { header: ack, payload: 0, ..Build::strack_data() }.frame();
    assert_eq!(strack(&whole), (Disposition::Rewritten, None));
    assert_eq!(strack(&whole[..77]), malformed(Truncated));
    // 14
    assert_eq!(strack(&good[..good.len() - 1]), malformed(LengthMismatch));
    let padded = |payload: usize, length: usize| {
        let mut frame = Build { payload, ..Build::strack_data() }.frame();
        frame.resize(length, 0);
        frame
    };
    assert_eq!(strack(&padded(0, 64)), (Disposition::Rewritten, None), "58 bytes, padded");
    assert_eq!(strack(&padded(0, 65)), malformed(LengthMismatch));
    assert_eq!(strack(&padded(7, 65)), (Disposition::Rewritten, None));
    assert_eq!(strack(&padded(16383 - 58, 16383)), (Disposition::Rewritten, None));
    assert_eq!(verdict(&padded(16384 - 58, 16384), Profile::Strack).1, Some(LengthMismatch));
}

/// Bytes of the header that are needed, by type.
const NEEDED: [(u8, usize); 10] =
    [(2, 12), (3, 12), (7, 12), (8, 32), (9, 24), (10, 16), (11, 12), (12, 16), (13, 16), (14, 16)];

#[test]
fn types_of_uet_that_are_not_handled_are_other_traffic() {
    let good = Build::uet_request().frame();
    for kind in 0..32 {
        let mut frame = good.clone();
        frame[42] = kind << 3;
        let expected = match NEEDED.iter().any(|(known, _)| *known == kind) {
            true => (Disposition::Rewritten, None),
            false => (Disposition::Passed, None),
        };
        assert_eq!(verdict(&frame, Profile::Uet), expected, "type {kind}");
    }
    assert_eq!(
        verdict(&Build { payload: 0, ..Build::uet_request() }.frame()[..53], Profile::Uet).1,
        Some(FrameError::Truncated)
    );
}

#[test]
fn a_header_of_uet_needs_the_bytes_of_its_type() {
    for (kind, needed) in NEEDED {
        let of = |bytes: usize| {
            let header = [&[kind << 3][..], &vec![0; bytes - 1]].concat();
            let mut frame = Build { header, payload: 0, ..Build::uet_request() }.frame();
            frame.resize(frame.len().max(60), 0);
            frame
        };
        assert_eq!(verdict(&of(needed), Profile::Uet), (Disposition::Rewritten, None), "type {kind}");
        let mismatch = (Disposition::Malformed, Some(FrameError::LengthMismatch));
        assert_eq!(verdict(&of(needed - 1), Profile::Uet), mismatch, "type {kind}");
        let cut = of(needed)[..42 + needed - 1].to_vec();
        let truncated = (Disposition::Malformed, Some(FrameError::Truncated));
        assert_eq!(verdict(&cut, Profile::Uet), truncated, "type {kind}");
    }
}

#[test]
fn a_nack_of_rudi_is_other_traffic_and_a_syn_that_opens_nothing_contradicts_itself() {
    let of = |header: Vec<u8>| verdict(&Build { header, ..Build::uet_request() }.frame(), Profile::Uet);
    for is_ccx in [false, true] {
        for of_rudi in [false, true] {
            let nack = uet::Nack { is_ccx, of_rudi, ..uet::Nack::default() };
            let expected = if of_rudi { Disposition::Passed } else { Disposition::Rewritten };
            assert_eq!(of(nack.to_bytes().to_vec()), (expected, None), "{nack:?}");
        }
    }
    for ctl in 0..16 {
        for syn in [false, true] {
            let control = uet::Control { ctl, syn, payload: Some(0), ..uet::Control::default() };
            let expected = match syn && (1..=8).contains(&ctl) {
                true => (Disposition::Malformed, Some(FrameError::Contradiction)),
                false => (Disposition::Rewritten, None),
            };
            assert_eq!(of(control.to_bytes()), expected, "{control:?}");
        }
    }
}

#[test]
fn on_the_way_out_a_length_is_known_in_the_deciding_beat_only() {
    // the profile's first 16 bytes end at byte 57: the beat of 64 that it is in, or the eighth of 8
    let mut frame = Build { payload: 100, ..Build::strack_data() }.frame();
    frame.pop();
    let outcome = |frame: &[u8], beat| rewrite(&mut frame.to_vec(), STAMP, settings(Profile::Strack, beat));
    assert_eq!(outcome(&frame, 64), Disposition::Rewritten);
    assert_eq!(outcome(&frame, 256), Disposition::Malformed);
    let short = Build { payload: 7, ..Build::strack_data() }.frame();
    for (end, beat, expected) in [
        (64, 64, Disposition::Malformed),
        (63, 64, Disposition::Malformed),
        (64, 8, Disposition::Malformed),
        (64, 16, Disposition::Malformed),
        (65, 8, Disposition::Rewritten),
        (65, 64, Disposition::Rewritten),
        (58, 8, Disposition::Malformed),
    ] {
        assert_eq!(outcome(&short[..end], beat), expected, "{end} bytes in beats of {beat}");
    }
    let long = Build { payload: 20, ..Build::strack_data() }.frame();
    assert_eq!(outcome(&long[..65], 8), Disposition::Rewritten, "it ends behind its deciding beat");
}
