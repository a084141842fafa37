use proptest::prelude::*;
use respray_golden::rewrite::ProfileTraffic;
use respray_golden::rewrite_rx::record;
use respray_golden::rewrite_tx::{Disposition, Params, Stamp, rewrite};
use respray_golden::wire::{Profile, strack, uet};

use super::build::{Build, checksums_verify, settings};

/// Longest frame, without frame check sequence.
const LONGEST: usize = 9216;
/// Shortest, padding included.
const SHORTEST: usize = 60;
/// Room for all headers in front of the payload.
const HEADS: usize = 14 + 8 + 60 + 8 + 36;

/// Frames of up to 300 bytes of payload.
fn builds() -> impl Strategy<Value = (Profile, Build)> {
    builds_with(0..300usize)
}

/// Frames of every kind with so many bytes of payload.
fn builds_with(payload: impl Strategy<Value = usize>) -> impl Strategy<Value = (Profile, Build)> {
    let data = (any::<[u16; 4]>(), any::<bool>(), any::<bool>()).prop_map(|(words, probe, ack_request)| {
        strack::Data {
            connection: words[0].into(),
            psn: words[1].into(),
            timestamp: words[2],
            hops: words[3] as u8,
            probe,
            ack_request,
        }
    });
    let header = prop_oneof![
        data.prop_map(|data| (Profile::Strack, data.to_bytes().to_vec())),
        any::<[u16; 4]>().prop_map(|words| {
            let ack = strack::Ack { echo_entropy: words[0], ooo: words[1] & 0xfff, ..Default::default() };
            (Profile::Strack, ack.to_bytes().to_vec())
        }),
        (any::<u32>(), any::<u16>()).prop_map(|(psn, pdc)| {
            let credit = (pdc % 2 == 1).then(uet::Credit::default);
            let request = uet::Request { psn, destination_pdc: pdc, credit, ..Default::default() };
            (Profile::Uet, request.to_bytes())
        }),
        (any::<u32>(), any::<bool>(), any::<bool>()).prop_map(|(cack_psn, cc, is_ccx)| {
            let cc = cc.then(|| uet::AckCc { is_ccx, ..uet::AckCc::default() });
            let ack = uet::Ack { cack_psn, cc, ..Default::default() };
            (Profile::Uet, ack.to_bytes())
        }),
        (any::<u32>(), any::<bool>()).prop_map(|(psn, is_ccx)| {
            let nack = uet::Nack { psn, is_ccx, ..Default::default() };
            (Profile::Uet, nack.to_bytes().to_vec())
        }),
        (any::<u32>(), any::<bool>(), 0..16u8).prop_map(|(psn, is_long, ctl)| {
            let control = uet::Control { ctl, psn, payload: is_long.then_some(psn), ..Default::default() };
            (Profile::Uet, control.to_bytes())
        }),
    ];
    (header, 0..3usize, any::<[bool; 2]>(), 0..11usize, any::<u8>(), 0..1u32 << 20, payload).prop_map(
        |((profile, header), tags, [v6, checksum], options, traffic_class, flow_label, payload)| {
            let base = if profile == Profile::Strack { Build::strack_data() } else { Build::uet_request() };
            let build =
                Build { tags, v6, checksum, options, traffic_class, flow_label, header, payload, ..base };
            (profile, build)
        },
    )
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]

    #[test]
    fn what_is_stamped_is_read_back_and_checksums_verify(
        (profile, build) in builds_with(prop_oneof![3 => 0..300usize, 1 => 0..=LONGEST - HEADS]),
        ev: u16, timestamp: u16, flow_label_enable: bool, beat in prop::sample::select(vec![8, 16, 32, 64]),
    ) {
        let frame = build.frame();
        prop_assert!(checksums_verify(&frame));
        let wire = ProfileTraffic::of(profile);
        let before = record(&frame, wire);
        prop_assert!(before.kind.is_some());
        let mut sent = frame.clone();
        let settings = Params { flow_label_enable, ..settings(profile, beat) };
        let outcome = rewrite(&mut sent, Stamp { ev, timestamp, enable: true }, settings);
        prop_assert_eq!(outcome, Disposition::Rewritten);
        prop_assert!(checksums_verify(&sent));
        let after = record(&sent, wire);
        let stamped = profile == Profile::Strack && after.kind != Some(respray_golden::rewrite::Kind::Ack);
        prop_assert_eq!((after.ev, after.ecn), (ev, 2));
        prop_assert_eq!(after.timestamp, if stamped { timestamp } else { 0 });
        // all else is as it was
        prop_assert_eq!(
            (after.kind, after.connection, after.psn, after.bytes, after.ack_request),
            (before.kind, before.connection, before.psn, before.bytes, before.ack_request)
        );
    }

    #[test]
    fn a_frame_cut_anywhere_is_never_rewritten_wrongly((profile, build) in builds(), ev: u16) {
        let frame = build.frame();
        for end in 1..frame.len() {
            let stamp = Stamp { ev, timestamp: 0, enable: true };
            let mut sent = frame[..end].to_vec();
            let outcome = rewrite(&mut sent, stamp, settings(profile, 64));
            // what was lost lies behind the deciding beat, where the core cannot know of it
            let decided = sent.len() > 64 && outcome == Disposition::Rewritten;
            prop_assert!(outcome == Disposition::Malformed || decided, "cut at {}: {:?}", end, outcome);
            let error = record(&frame[..end], ProfileTraffic::of(profile)).error;
            prop_assert!(error.is_some_and(|error| error.is_malformed()), "cut at {}", end);
        }
    }

    #[test]
    fn no_bytes_make_it_panic(
        (profile, build) in builds(), at in any::<[prop::sample::Index; 4]>(), with in any::<[u8; 4]>(),
        end in any::<prop::sample::Index>(), beat in prop::sample::select(vec![8, 16, 32, 64]),
    ) {
        let mut frame = build.frame();
        for (at, with) in at.iter().zip(with) {
            let at = at.index(frame.len().min(90));
            frame[at] = with;
        }
        frame.truncate(1 + end.index(frame.len()));
        record(&frame, ProfileTraffic::of(profile));
        let before = frame.clone();
        let stamp = Stamp { ev: 1, timestamp: 2, enable: true };
        if rewrite(&mut frame, stamp, settings(profile, beat)) != Disposition::Rewritten {
            prop_assert_eq!(frame, before);
        }
    }
}

/// IP version, IPv4 options, tags, UDP checksum or none and profile: all of them together, one set for each number.
const SHAPES: usize = 2 * 11 * 3 * 2 * 2;

fn shape(number: usize) -> (Profile, Build) {
    let (v6, number) = (number % 2 == 1, number / 2);
    let (options, number) = (number % 11, number / 11);
    let (tags, number) = (number % 3, number / 3);
    let (checksum, is_uet) = (number % 2 == 1, number / 2 % 2 == 1);
    let (profile, base) = match is_uet {
        true => (Profile::Uet, Build::uet_request()),
        false => (Profile::Strack, Build::strack_data()),
    };
    (profile, Build { v6, options, tags, checksum, ..base })
}

/// The build with which the frame has just this length, padding behind IP included; `None` if its headers are longer.
fn of_length(build: Build, length: usize) -> Option<Vec<u8>> {
    let heads = Build { payload: 0, ..build.clone() }.frame().len();
    let payload = length.checked_sub(heads).or((length == SHORTEST).then_some(0))?;
    let mut frame = Build { payload, ..build }.frame();
    frame.resize(length.max(frame.len()), 0);
    (frame.len() == length).then_some(frame)
}

#[test]
fn every_length_and_every_shape_is_rewritten_and_its_checksums_verify() {
    let stamp = Stamp { ev: 0xbeef, timestamp: 0x1234, enable: true };
    let rewritten = |profile, build: &Build, length: usize| {
        let Some(frame) = of_length(build.clone(), length) else { return false };
        let mut sent = frame.clone();
        let outcome = rewrite(&mut sent, stamp, settings(profile, 64));
        assert_eq!(outcome, Disposition::Rewritten, "{length} bytes, {build:?}");
        assert!(checksums_verify(&sent), "{length} bytes, {build:?}");
        let record = record(&sent, ProfileTraffic::of(profile));
        assert_eq!((record.ev, record.ecn, record.psn), (stamp.ev, 2, 9), "{length} bytes, {build:?}");
        // no checksum stays none
        let udp = frame.len() - build.header.len() - usize::from(record.bytes) - 8;
        if length > SHORTEST {
            assert_eq!(sent[udp + 6..udp + 8] == [0, 0], !build.checksum, "{length} bytes, {build:?}");
        }
        true
    };
    let mut number = 0;
    for length in SHORTEST..=LONGEST {
        let done = (0..4).filter(|_| {
            number += 1;
            let (profile, build) = shape(number * 37 % SHAPES);
            rewritten(profile, &build, length)
        });
        assert!(done.count() == 4 || length < HEADS, "{length} bytes");
    }
    for number in 0..SHAPES {
        let (profile, build) = shape(number);
        for length in SHORTEST..=HEADS + 130 {
            rewritten(profile, &build, length);
        }
        assert!(rewritten(profile, &build, LONGEST));
    }
}
