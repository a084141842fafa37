//! Frames of the host on their way out, and what ACKs say of them.

use respray_golden::nic::{Choice, Command, Config, Counter, Event, Kind, Nic, Sent};
use respray_golden::selector::SendKind;
use respray_golden::wire::{Packet, Profile, strack, uet};

use super::{command, config, data, events, header_at, kinds, open, opened, parse, send, write};
use crate::rewrite::build::{Build, checksums_verify};

/// Ways in which a frame can be below the profile.
pub fn shapes(profile: Profile) -> Vec<Build> {
    let mut shapes = Vec::new();
    for tags in 0..3 {
        for (v6, options) in [(false, 0), (false, 3), (true, 0)] {
            for checksum in [false, true] {
                let traffic_class = 0xb8;
                let flow_label = 0xa_bcde;
                let data = data(profile, 100);
                shapes.push(Build {
                    tags,
                    v6,
                    options,
                    traffic_class,
                    flow_label,
                    checksum: checksum || v6,
                    ..data
                });
            }
        }
    }
    shapes
}

/// An ACK of `strack` for connection 5.
pub fn strack_ack(ack: strack::Ack) -> Vec<u8> {
    let header = Packet::StrackAck(strack::Ack { connection: 5, ..ack }).to_bytes();
    Build { header, payload: 0, ..Build::strack_data() }.frame()
}

/// An ACK of `uet` for connection 5.
pub fn uet_ack(ack: uet::Ack) -> Vec<u8> {
    let header = Packet::UetAck(uet::Ack { source_pdc: 9, destination_pdc: 5, ..ack }).to_bytes();
    Build { header, payload: 0, ..Build::uet_request() }.frame()
}

#[test]
fn data_leaves_with_ev_ecn_and_time_and_right_checksums() {
    for profile in Profile::ALL {
        for shape in shapes(profile) {
            let mut nic = opened(config(profile), 100);
            nic.advance(0x12345 << 3);
            let before = shape.frame();
            let transmitted = send(&mut nic, before.clone()).expect("it is sent");
            assert_eq!(transmitted.sent, Sent::Data { again: false, kind: SendKind::Explore });
            let frame = transmitted.frame;
            let at = header_at(&shape);
            assert!(checksums_verify(&frame), "{shape:?}");
            assert_ne!(frame[at - 8..at - 6], before[at - 8..at - 6], "the EV");
            if let Packet::StrackData(data) = parse(profile, &frame, &shape) {
                assert_eq!(data.timestamp, 0x2345);
            }
            let ip = 14 + 4 * shape.tags;
            let ecn = if shape.v6 { frame[ip + 1] >> 4 & 3 } else { frame[ip + 1] & 3 };
            assert_eq!((ecn, frame.len()), (2, before.len()));
        }
    }
}

#[test]
fn what_is_no_data_passes_unchanged() {
    let mut nic = opened(config(Profile::Strack), 100);
    let other = Build { port: 53, ..data(Profile::Strack, 100) };
    let malformed = Build { ip_total: Some(70), ..data(Profile::Strack, 100) };
    let ack = strack_ack(strack::Ack::default());
    for frame in [other.frame(), malformed.frame(), ack, vec![0xff; 60]] {
        let transmitted = send(&mut nic, frame.clone()).expect("it passes");
        assert_eq!((transmitted.frame, transmitted.sent), (frame, Sent::Other));
    }
    assert_eq!((nic.counter(Counter::TxOther), nic.counter(Counter::TxMalformed)), (4, 1));
    assert_eq!(nic.event(), None);
}

#[test]
fn a_packet_that_the_scoreboard_refuses_is_not_sent() {
    let mut nic = opened(Config { window: 64, ..config(Profile::Strack) }, 100);
    let refused = |nic: &mut Nic, build: Build| {
        assert_eq!(send(nic, build.frame()), None);
        let events = events(nic);
        assert_eq!(kinds(&events), [Kind::Refused]);
        (events[0].conn, events[0].psn, events[0].detail)
    };
    assert_eq!(refused(&mut nic, data(Profile::Strack, 101)), (5, 101, 2), "a gap");
    (100..164).for_each(|psn| {
        send(&mut nic, data(Profile::Strack, psn).frame()).expect("the window has room");
    });
    assert_eq!(refused(&mut nic, data(Profile::Strack, 164)), (5, 164, 3), "the window is full");
    let mut unknown = data(Profile::Strack, 7);
    unknown.header[7] = 6;
    assert_eq!(refused(&mut nic, unknown.clone()), (6, 7, 7), "not open");
    unknown.header[5] = 0xff;
    assert_eq!(refused(&mut nic, unknown), (0xff_0006, 7, 7), "no such connection");
    assert_eq!(nic.counter(Counter::TxRefused), 4);
    assert_eq!(nic.counter(Counter::Explore), 64, "a packet that does not leave draws no EV");
    let again = send(&mut nic, data(Profile::Strack, 120).frame()).expect("sent again");
    assert!(matches!(again.sent, Sent::Data { again: true, .. }));
}

#[test]
fn an_ack_reaches_scoreboard_selector_and_host() {
    let mut nic = opened(config(Profile::Strack), 100);
    write(&mut nic, "probe_timeout", 0xffff);
    nic.advance(1000 << 3);
    (100..110).for_each(|psn| {
        send(&mut nic, data(Profile::Strack, psn).frame()).expect("sent");
    });
    nic.advance(3000 << 3);
    // 100..=103 and 106 arrived; the ACK is of 106
    let ack = strack::Ack {
        psn: 106,
        echo_entropy: 0x7777,
        echo_timestamp: 1000,
        recv_bytes: 200,
        expected_psn: 104,
        ooo: 1,
        sack_base: 64,
        sack_bitmap: (1 << 42) | ((1 << 40) - 1),
        ..Default::default()
    };
    nic.receive(strack_ack(ack), false);
    let acknowledged = Event {
        kind: Kind::Acknowledged,
        after_loss: false,
        conn: 5,
        psn: 104,
        detail: 5,
        in_flight: 5,
        value: 200,
    };
    let rtt = Event { kind: Kind::Rtt, psn: 0, detail: 2000, in_flight: 0, value: 0, ..acknowledged };
    assert_eq!(events(&mut nic), [acknowledged, rtt]);
    let recycled = send(&mut nic, data(Profile::Strack, 110).frame()).expect("sent");
    assert_eq!(recycled.sent, Sent::Data { again: false, kind: SendKind::Recycle });
    assert_eq!(recycled.frame[34..36], [0x77, 0x77], "the EV that came back");
    assert_eq!(nic.deliver(), None, "ACKs are consumed");

    // an older one brings its EV all the same, a marked one brings none
    nic.receive(strack_ack(strack::Ack { expected_psn: 103, echo_entropy: 0x1111, ..ack }), false);
    nic.receive(strack_ack(strack::Ack { ecn_echo: true, echo_entropy: 0x2222, ..ack }), false);
    let [one, two] = [111, 112].map(|psn| send(&mut nic, data(Profile::Strack, psn).frame()).expect("sent"));
    assert_eq!(
        (&one.frame[34..36], two.sent),
        (&[0x11, 0x11][..], Sent::Data { again: false, kind: SendKind::Explore })
    );
    assert_eq!((nic.counter(Counter::RxAcks), nic.counter(Counter::RxAcksOld)), (2, 1));
}

#[test]
fn an_ack_that_cannot_be_true_is_not_believed() {
    let mut nic = opened(config(Profile::Strack), 100);
    send(&mut nic, data(Profile::Strack, 100).frame()).expect("sent");
    let bad = |nic: &mut Nic, frame: Vec<u8>| {
        nic.receive(frame, false);
        let events = events(nic);
        assert_eq!(kinds(&events), [Kind::BadAck]);
        (events[0].conn, events[0].psn, events[0].detail)
    };
    let ack = strack::Ack { expected_psn: 101, sack_base: 64, echo_entropy: 9, ..Default::default() };
    assert_eq!(
        bad(&mut nic, strack_ack(strack::Ack { expected_psn: 102, ..ack })),
        (5, 102, 2),
        "never sent"
    );
    assert_eq!(bad(&mut nic, strack_ack(strack::Ack { sack_base: 65, ..ack })), (5, 101, 3), "no base");
    let of = |connection: u32| {
        let header = Packet::StrackAck(strack::Ack { connection, ..ack }).to_bytes();
        Build { header, payload: 0, ..Build::strack_data() }.frame()
    };
    assert_eq!(bad(&mut nic, of(6)), (6, 101, 7), "never opened");
    assert_eq!(bad(&mut nic, of(0xff_0005)), (0xff_0005, 101, 7), "there is no such connection");
    let sent = send(&mut nic, data(Profile::Strack, 101).frame()).expect("sent").sent;
    assert_eq!(sent, Sent::Data { again: false, kind: SendKind::Explore }, "the selector heard of none");
}

#[test]
fn uet_acks_count_on_from_what_is_known() {
    let mut nic = opened(config(Profile::Uet), 0xff_fffe);
    // PSNs of 32 bits, whose low 24 bits wrap
    (0..5).for_each(|i| {
        send(&mut nic, data(Profile::Uet, 0x01ff_fffe + i).frame()).expect("sent");
    });
    nic.advance(500 << 3);
    // 0x01ff_fffe and 0x0200_0001 arrived, of 40 bytes each; the ACK is of the latter
    let cc = uet::AckCc {
        sack_psn_offset: 3 - 64 + 61,
        sack_bitmap: 0,
        rcvd_bytes: 80,
        ooo_count: 1,
        ..Default::default()
    };
    let base = uet::AckCc { sack_psn_offset: -62, sack_bitmap: 1 << 62, ..cc };
    let ack = uet::Ack { cack_psn: 0x01ff_fffe, ack_psn_offset: 3, cc: Some(base), ..Default::default() };
    nic.receive(uet_ack(ack), false);
    let seen = events(&mut nic);
    assert_eq!(
        kinds(&seen),
        [Kind::Acknowledged],
        "the first packet was timed, and passed without an answer"
    );
    assert_eq!((seen[0].psn, seen[0].detail, seen[0].value), (0xff_ffff, 1, 120));

    // the next packet is timed; its ACK is a plain one
    send(&mut nic, data(Profile::Uet, 0x0200_0003).frame()).expect("sent");
    nic.advance(900 << 3);
    nic.receive(uet_ack(uet::Ack { cack_psn: 0x0200_0003, cc: None, ..Default::default() }), false);
    let seen = events(&mut nic);
    assert_eq!(kinds(&seen), [Kind::Acknowledged, Kind::Rtt]);
    assert_eq!((seen[0].psn, seen[0].detail, seen[1].detail), (4, 5, 400));
}

#[test]
fn a_probe_is_sent_when_it_is_due() {
    for profile in Profile::ALL {
        for shape in shapes(profile) {
            let mut nic = opened(config(profile), 100);
            write(&mut nic, "probe_timeout", 100);
            let sent = send(&mut nic, shape.frame()).expect("sent").frame;
            nic.advance(99 << 5);
            assert_eq!(nic.transmit(), None, "too early");
            nic.advance((101 << 5) + 16 * 8);
            nic.offer(data(profile, 101).frame()).expect("tx_in takes it");
            let probe = nic.transmit().expect("a probe, before data");
            assert!(matches!(probe.sent, Sent::Probe { kind: SendKind::Explore }));
            assert!(checksums_verify(&probe.frame) && probe.frame.len() >= 60, "{shape:?}");
            assert_eq!(
                probe.frame[..14 + 4 * shape.tags],
                sent[..14 + 4 * shape.tags],
                "to where the data went"
            );
            let plain = Build { options: 0, ..shape.clone() };
            match parse(profile, &probe.frame, &plain) {
                Packet::StrackData(probe) => {
                    assert!(probe.probe && probe.ack_request);
                    let time = (nic.cycles() >> 3) as u16;
                    assert_eq!((probe.psn, probe.connection, probe.timestamp), (100, 5, time));
                }
                Packet::UetRequest(probe) => {
                    assert!(probe.ack_request && !probe.retransmit);
                    assert_eq!((probe.psn, probe.source_pdc, probe.destination_pdc), (100, 5, 9));
                }
                other => panic!("{other:?}"),
            }
            assert!(matches!(nic.transmit().expect("the data").sent, Sent::Data { .. }));
        }
    }
}

#[test]
fn a_probe_of_uet_has_all_bits_of_its_psn() {
    // the oldest packet lies before the wrap of the low 24 bits, the last one behind it
    let mut nic = opened(config(Profile::Uet), 0xff_ffff);
    write(&mut nic, "probe_timeout", 100);
    let shape = data(Profile::Uet, 0x06ff_ffff);
    send(&mut nic, shape.frame()).expect("sent");
    send(&mut nic, data(Profile::Uet, 0x0700_0000).frame()).expect("sent");
    nic.advance((101 << 5) + 16 * 8);
    let Packet::UetRequest(probe) = parse(Profile::Uet, &nic.transmit().expect("a probe").frame, &shape)
    else {
        panic!("a request")
    };
    assert_eq!(probe.psn, 0x06ff_ffff);
}

#[test]
fn a_timeout_freezes_the_selector_and_hands_everything_out() {
    let mut nic = opened(config(Profile::Strack), 100);
    write(&mut nic, "rto", 50);
    write(&mut nic, "cwnd_packets", 2);
    (100..103).for_each(|psn| {
        send(&mut nic, data(Profile::Strack, psn).frame()).expect("sent");
    });
    nic.advance((51 << 5) + 16 * 8);
    let seen = events(&mut nic);
    assert_eq!(kinds(&seen), [Kind::Loss, Kind::FreezeEntered, Kind::Retransmit, Kind::Retransmit]);
    assert_eq!((seen[0].detail, seen[2].psn, seen[3].psn), (3, 100, 101), "the window holds two packets");
    let ack = strack::Ack { expected_psn: 101, sack_base: 64, recv_bytes: 40, ..Default::default() };
    nic.receive(strack_ack(ack), false);
    let seen = events(&mut nic);
    assert_eq!(
        (seen.last().expect("an event").kind, seen.last().expect("an event").psn),
        (Kind::Retransmit, 102)
    );
    // the freeze lasts, until 100,000 ticks of the selector have passed
    nic.receive(strack_ack(strack::Ack { expected_psn: 103, recv_bytes: 120, ..ack }), false);
    assert_eq!(kinds(&events(&mut nic)), [Kind::Acknowledged, Kind::RecoveryLeft, Kind::Rtt]);
    nic.advance(nic.cycles() + 100_001);
    send(&mut nic, data(Profile::Strack, 103).frame()).expect("sent");
    nic.receive(strack_ack(strack::Ack { expected_psn: 104, recv_bytes: 160, ..ack }), false);
    assert_eq!(kinds(&events(&mut nic)), [Kind::Acknowledged, Kind::Rtt, Kind::FreezeLeft]);
}

#[test]
fn a_nack_is_the_hosts_to_tell() {
    let uet = respray_golden::reps::Keys { depth: 8, variant: respray_golden::reps::Variant::Uet };
    let mut nic = opened(Config { selector: Choice::Reps(uet), ..config(Profile::Strack) }, 100);
    write(&mut nic, "rto", 50);
    write(&mut nic, "freeze_timeout", 10);
    send(&mut nic, data(Profile::Strack, 100).frame()).expect("sent");
    nic.advance(60 << 5);
    assert!(kinds(&events(&mut nic)).contains(&Kind::FreezeEntered));
    // of variant uet any feedback may end a freeze that is over
    command(&mut nic, Command::Nack, 5, 0);
    assert_eq!(kinds(&events(&mut nic)), [Kind::FreezeLeft]);
}

#[test]
fn a_connection_that_is_opened_anew_forgets_its_probe() {
    let mut nic = opened(config(Profile::Strack), 100);
    write(&mut nic, "probe_timeout", 10);
    send(&mut nic, data(Profile::Strack, 100).frame()).expect("sent");
    nic.advance(20 << 5);
    open(&mut nic, 5, 7);
    assert_eq!(nic.transmit(), None);
    assert!(send(&mut nic, data(Profile::Strack, 7).frame()).is_some());
}

/// A bus of 128 bits judges this frame by its beat 4, and the header of 16 bytes goes on into beat 5, where the frame ends a byte early.
#[test]
fn a_header_that_is_cut_off_behind_the_beat_that_decides_leaves_as_data() {
    let build = Build { tags: 1, v6: true, checksum: true, payload: 64, ..data(Profile::Uet, 100) };
    let at = header_at(&build);
    let mut frame = build.frame();
    // request_cc, whose type has the upper five bits
    frame[at] = 13 << 3 | frame[at] & 7;
    frame.truncate(at + 15);
    let mut nic = opened(Config { bus_bits: 128, ..config(Profile::Uet) }, 100);
    let sent = send(&mut nic, frame).expect("it leaves").sent;
    assert_eq!(sent, Sent::Data { again: false, kind: SendKind::Explore });
}
