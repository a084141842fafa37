//! What comes from the network: data, probes, and the SACKs that answer them.

use respray_golden::nic::{Counter, Kind, Nic, Sent};
use respray_golden::rewrite::{self, Extent, FrameError, ProfileTraffic, read as read_frame};
use respray_golden::sack_rx::Status;
use respray_golden::wire::{Packet, Profile, strack, uet};

use super::sending::shapes;
use super::{arriving, config, data, events, header_at, kinds, opened, parse};
use crate::rewrite::build::{Build, checksums_verify};

/// A frame as it comes from the network: EV 0xc001, CE.
fn marked(mut build: Build) -> Build {
    build.traffic_class |= 3;
    build
}

fn receive(nic: &mut Nic, build: &Build) -> Option<Status> {
    nic.receive(build.frame(), false);
    let delivery = nic.deliver().expect("data goes to the host");
    assert_eq!(delivery.frame, build.frame(), "as it came");
    delivery.status
}

fn sack(nic: &mut Nic) -> Vec<u8> {
    let transmitted = nic.transmit().expect("a SACK");
    assert_eq!(transmitted.sent, Sent::Sack);
    transmitted.frame
}

#[test]
fn a_sack_goes_back_by_swapped_addresses_and_the_ev_of_its_packet() {
    for profile in Profile::ALL {
        for shape in shapes(profile) {
            let shape = Build { header: arriving(profile, 100).header, ..marked(shape) };
            let mut nic = opened(config(profile), 100);
            assert_eq!(receive(&mut nic, &shape), Some(Status::New));
            let (data, sack) = (shape.frame(), sack(&mut nic));
            assert!(checksums_verify(&sack), "{shape:?}");
            let ip = 14 + 4 * shape.tags;
            assert_eq!((&sack[..6], &sack[6..12], &sack[12..ip]), (&data[6..12], &data[..6], &data[12..ip]));
            let addresses = |frame: &[u8]| match shape.v6 {
                true => (frame[ip + 8..ip + 24].to_vec(), frame[ip + 24..ip + 40].to_vec()),
                false => (frame[ip + 12..ip + 16].to_vec(), frame[ip + 16..ip + 20].to_vec()),
            };
            let (source, destination) = addresses(&data);
            assert_eq!(addresses(&sack), (destination, source));
            let plain = Build { options: 0, ..shape.clone() };
            let at = header_at(&plain);
            assert_eq!(
                (&sack[at - 8..at - 6], &sack[at - 6..at - 4]),
                (&[0xc0, 0x01][..], &profile.udp_port().to_be_bytes()[..])
            );
            assert_ne!(sack[at - 2..at], [0, 0], "a checksum is computed");
            if shape.v6 {
                assert_eq!(
                    u32::from_be_bytes(sack[ip..ip + 4].try_into().unwrap()),
                    6 << 28 | 0xb8 << 20 | 0xa_bcde
                );
            } else {
                assert_eq!(
                    (sack[ip], sack[ip + 1], &sack[ip + 4..ip + 9]),
                    (0x45, 0xb8, &[0, 0, 0x40, 0, 64][..])
                );
            }
            let traffic = ProfileTraffic::of(profile);
            assert!(read_frame(&sack, traffic, Extent::Whole).expect("no error").is_some());
        }
    }
}

#[test]
fn a_sack_of_strack_says_what_the_bitmap_says() {
    let mut nic = opened(config(Profile::Strack), 100);
    nic.receive(arriving(Profile::Strack, 100).frame(), false);
    sack(&mut nic);
    let mut build = marked(arriving(Profile::Strack, 103));
    build.header[12..14].copy_from_slice(&[0x12, 0x34]);
    nic.receive(build.frame(), false);
    let expected = strack::Ack {
        connection: 5,
        psn: 103,
        echo_entropy: 0xc001,
        echo_timestamp: 0x1234,
        recv_bytes: 80,
        expected_psn: 101,
        ooo: 1,
        ecn_echo: true,
        probe_echo: false,
        sack_base: 64,
        sack_bitmap: (1 << 39) | ((1 << 37) - 1),
    };
    assert_eq!(parse(Profile::Strack, &sack(&mut nic), &build), Packet::StrackAck(expected));
}

#[test]
fn a_sack_of_uet_counts_from_the_psn_that_it_answers() {
    // the low 24 bits wrap between EPSN and the packet
    let mut nic = opened(config(Profile::Uet), 0xff_fffe);
    let mut build = arriving(Profile::Uet, 0x0500_0001);
    build.header[1] |= uet::FLAG_RETRANSMIT;
    nic.receive(build.frame(), false);
    let Packet::UetAck(ack) = parse(Profile::Uet, &sack(&mut nic), &build) else { panic!("an ACK") };
    assert_eq!((ack.source_pdc, ack.destination_pdc, ack.retransmit, ack.probe), (5, 9, true, false));
    assert_eq!((ack.cack_psn, ack.ack_psn(), ack.sack_psn()), (0x04ff_fffd, 0x0500_0001, Some(0x0500_0000)));
    let cc = ack.cc.expect("ACK_CC");
    assert_eq!((cc.cc_type, cc.sack_bitmap, cc.rcvd_bytes, cc.ooo_count), (0, 2, 40, 1));

    // a duplicate far behind is answered, too
    let mut nic = opened(config(Profile::Uet), 0x40_0000);
    nic.receive(arriving(Profile::Uet, 0x0030_0000).frame(), false);
    let Packet::UetAck(ack) = parse(Profile::Uet, &sack(&mut nic), &build) else { panic!("an ACK") };
    assert_eq!((ack.cack_psn, ack.ack_psn_offset), (0x003f_ffff, i16::MIN));
}

#[test]
fn a_sack_waits_for_the_threshold_or_a_request() {
    let mut nic = opened(config(Profile::Strack), 100);
    super::write(&mut nic, "sack_threshold", 120);
    let mut sacks = |build: Build| {
        nic.receive(build.frame(), false);
        std::iter::from_fn(|| nic.transmit()).count()
    };
    // 40 bytes each, all ahead of EPSN
    let ahead = [102, 103, 104, 105].map(|psn| sacks(arriving(Profile::Strack, psn)));
    assert_eq!(ahead, [0, 0, 1, 0]);
    let mut asking = arriving(Profile::Strack, 106);
    asking.header[8] |= 0x80;
    assert_eq!([sacks(asking), sacks(arriving(Profile::Strack, 107))], [1, 0]);
}

#[test]
fn a_probe_is_answered_and_consumed() {
    for profile in Profile::ALL {
        let mut nic = opened(config(profile), 100);
        let mut probe = Build { payload: 0, ..arriving(profile, 100) };
        match profile {
            Profile::Strack => probe.header[14] |= strack::FLAG_PROBE,
            Profile::Uet => probe.header[1] |= uet::FLAG_ACK_REQUEST,
        }
        nic.receive(probe.frame(), false);
        let answer = parse(profile, &sack(&mut nic), &probe);
        assert!(answer.is_probe(), "{answer:?}");
        assert_eq!((nic.deliver(), nic.counter(Counter::RxProbes)), (None, 1));
        assert_eq!(
            receive(&mut nic, &arriving(profile, 100)),
            Some(Status::New),
            "nothing was received by it"
        );
    }
}

#[test]
fn a_packet_without_payload_that_asks_for_no_ack_is_data() {
    for profile in Profile::ALL {
        let mut nic = opened(config(profile), 100);
        let empty = Build { payload: 0, ..arriving(profile, 100) };
        assert_eq!(receive(&mut nic, &empty), Some(Status::New), "{profile:?}");
    }
}

#[test]
fn every_packet_comes_with_what_became_of_it() {
    let mut nic = opened(config(Profile::Strack), 100);
    let status = |nic: &mut Nic, psn| receive(nic, &arriving(Profile::Strack, psn));
    assert_eq!(status(&mut nic, 100), Some(Status::New));
    assert_eq!(status(&mut nic, 100), Some(Status::Duplicate));
    assert_eq!(status(&mut nic, 101 + 256), Some(Status::Outside));
    let seen = events(&mut nic);
    assert_eq!(kinds(&seen), [Kind::Duplicate, Kind::Stray]);
    assert_eq!((seen[0].psn, seen[1].psn, seen[1].detail), (100, 357, 2));
    let mut unknown = data(Profile::Strack, 3);
    unknown.header[7] = 6;
    assert_eq!(receive(&mut nic, &unknown), Some(Status::Uninitialised), "never opened");
    unknown.header[5] = 0xff;
    assert_eq!(receive(&mut nic, &unknown), Some(Status::Uninitialised), "there is no such connection");
    let seen = events(&mut nic);
    assert_eq!(
        seen.iter().map(|event| (event.kind, event.conn, event.detail)).collect::<Vec<_>>(),
        [(Kind::Stray, 6, 7), (Kind::Stray, 0xff_0006, 7)]
    );
    let counters = [Counter::RxNew, Counter::RxDuplicate, Counter::RxOutside, Counter::RxNotOpen];
    assert_eq!(counters.map(|counter| nic.counter(counter)), [1, 1, 1, 2]);
}

#[test]
fn a_frame_with_a_broken_checksum_passes_and_is_told_of() {
    let mut nic = opened(config(Profile::Strack), 100);
    let mut frame = arriving(Profile::Strack, 100).frame();
    frame[24] ^= 1;
    nic.receive(frame.clone(), false);
    let delivery = nic.deliver().expect("it goes to the host");
    assert_eq!(
        (delivery.frame, delivery.record.error, delivery.status),
        (frame, Some(FrameError::BadChecksum), None)
    );
    let seen = events(&mut nic);
    assert_eq!((kinds(&seen), seen[0].detail), (vec![Kind::Malformed], 2));
    assert_eq!((nic.counter(Counter::RxMalformed), nic.transmit()), (1, None), "nothing is acknowledged");
    assert_eq!(
        receive(&mut nic, &arriving(Profile::Strack, 100)),
        Some(Status::New),
        "and nothing was received"
    );

    // a SACK with one is no SACK
    let mut sack = super::sending::strack_ack(strack::Ack { expected_psn: 100, ..Default::default() });
    sack[24] ^= 1;
    nic.receive(sack, false);
    assert_eq!(nic.counter(Counter::RxAcks) + nic.counter(Counter::RxAcksOld), 0);
}

#[test]
fn a_frame_that_the_mac_calls_bad_is_dropped() {
    let mut nic = opened(config(Profile::Strack), 100);
    nic.receive(arriving(Profile::Strack, 100).frame(), true);
    assert_eq!((nic.deliver(), nic.transmit(), nic.event()), (None, None, None));
    assert_eq!(nic.counter(Counter::RxBad), 1);
}

#[test]
fn other_traffic_passes() {
    let mut nic = opened(config(Profile::Uet), 100);
    let nack = Packet::UetNack(uet::Nack { destination_pdc: 5, ..Default::default() }).to_bytes();
    let control =
        Packet::UetControl(uet::Control { destination_pdc: 5, ctl: 2, ..Default::default() }).to_bytes();
    let of = |header| Build { header, ..data(Profile::Uet, 0) }.frame();
    let frames = [
        (vec![0xff; 60], None),
        (of(nack), Some(rewrite::Kind::Nack)),
        (of(control), Some(rewrite::Kind::Control)),
    ];
    for (frame, kind) in frames {
        nic.receive(frame.clone(), false);
        let delivery = nic.deliver().expect("it goes to the host");
        assert_eq!((delivery.frame, delivery.status, delivery.record.kind), (frame, None, kind));
    }
    assert_eq!((nic.counter(Counter::RxOther), nic.event()), (3, None));
}
