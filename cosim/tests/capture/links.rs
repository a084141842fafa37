//! Every link layer, VLAN depth and IP version gives the same frame of the profile.

use std::net::{IpAddr, Ipv6Addr};

use respray_cosim::traffic::capture::{Cut, Kind, ProfileFrame, Sack, info};
use respray_golden::rewrite::ProfileTraffic;
use respray_golden::rewrite_rx::record;
use respray_golden::wire::{Packet, strack, uet};

use super::builder::*;

fn sll(ip: &[u8]) -> Vec<u8> {
    let mut frame = vec![0, 4, 0, 1, 0, 6, 2, 0, 0, 0, 0, 1, 0, 0];
    frame.extend(ether_type(ip).to_be_bytes());
    frame.extend(ip);
    frame
}

fn sll2(ip: &[u8]) -> Vec<u8> {
    let mut frame = ether_type(ip).to_be_bytes().to_vec();
    frame.extend([0, 0, 0, 0, 0, 3, 0, 1, 4, 6, 2, 0, 0, 0, 0, 1, 0, 0]);
    frame.extend(ip);
    frame
}

fn addresses(six: bool) -> (IpAddr, IpAddr) {
    match six {
        false => (v4(1), v4(2)),
        true => (IpAddr::V6(Ipv6Addr::LOCALHOST), IpAddr::V6("2001:db8::5".parse().unwrap())),
    }
}

/// The packet on each link layer, with the LINKTYPE number.
fn everywhere(ip: &[u8], six: bool) -> Vec<(u32, Vec<u8>)> {
    vec![
        (1, ethernet(&[], ip)),
        (1, ethernet(&[100], ip)),
        (1, ethernet(&[100, 200], ip)),
        (101, ip.to_vec()),
        (if six { 229 } else { 228 }, ip.to_vec()),
        (113, sll(ip)),
        (276, sll2(ip)),
    ]
}

fn one(link_type: u32, frame: Vec<u8>, snap_len: usize) -> Vec<ProfileFrame> {
    let file = pcap(link_type, false, true, &[Record::whole(5, frame).cut(snap_len)]);
    read_profile(&file, STRACK).unwrap()
}

#[test]
fn a_data_frame_is_the_same_on_every_link_and_however_short_it_is_cut() {
    for six in [false, true] {
        let (source, destination) = addresses(six);
        let header = strack::Data {
            connection: 0xabcdef,
            psn: 0xfffffe,
            timestamp: 0x1234,
            probe: false,
            ack_request: true,
            hops: 3,
        };
        let payload = [Packet::StrackData(header).to_bytes(), vec![0xaa; 1000]].concat();
        let ip = ip_packet(source, destination, 3, (0, 4791), &payload);
        for (link_type, frame) in everywhere(&ip, six) {
            let headers = frame.len() - 1000;
            for snap_len in [65535, headers + 1, headers] {
                let found = one(link_type, frame.clone(), snap_len);
                assert_eq!(found.len(), 1, "link {link_type}, six {six}, snap length {snap_len}");
                let got = found[0];
                assert_eq!((got.source, got.destination, got.ecn), (source, destination, 3));
                assert_eq!((got.ev, got.id, got.opcode, got.time_ns), (0, 0xabcdef, 0xc0, Some(5)));
                let Kind::Data(data) = got.kind else { panic!("{:?}", got.kind) };
                assert_eq!((data.psn, data.bytes), (0xfffffe, 1000));
                assert_eq!((data.timestamp, data.ack_request, data.probe), (Some(0x1234), true, false));
            }
        }
    }
}

#[test]
fn an_ack_keeps_every_field() {
    let header = strack::Ack {
        connection: 9,
        psn: 130,
        echo_entropy: 0xbeef,
        echo_timestamp: 77,
        recv_bytes: 0xfffffff0,
        expected_psn: 129,
        ooo: 0xabc,
        ecn_echo: true,
        probe_echo: true,
        sack_base: 128,
        sack_bitmap: 0x8000_0000_0000_0005,
    };
    let found = one(1, ack(v4(2), v4(1), header), 128);
    let Kind::Ack(got) = found[0].kind else { panic!("{:?}", found[0].kind) };
    assert_eq!((found[0].id, found[0].opcode), (9, 0xc1));
    assert_eq!((got.psn, got.echo_ev, got.ce, got.probe), (130, 0xbeef, true, true));
    assert_eq!(got.echo_timestamp, Some(77));
    assert_eq!((got.expected, got.recv_bytes, got.ooo), (129, Some(0xfffffff0), Some(0xabc)));
    assert_eq!(got.sack, Some(Sack { base: 128, bitmap: 0x8000_0000_0000_0005 }));
}

#[test]
fn the_uet_profile_takes_connection_and_ev_as_the_sender_of_data_knows_them() {
    let request = uet::Request { psn: 0xffff_ffff, source_pdc: 5, destination_pdc: 6, ..Default::default() };
    let acked = uet::Ack {
        ecn_echo: true,
        ack_psn_offset: 2,
        cack_psn: 0xffff_ffff,
        source_pdc: 6,
        destination_pdc: 5,
        cc: Some(uet::AckCc { sack_psn_offset: 1, sack_bitmap: 2, ..Default::default() }),
        ..Default::default()
    };
    let nack = uet::Nack { nack_code: 1, psn: 3, source_pdc: 6, destination_pdc: 5, ..Default::default() };
    let frame = |from, to, ports, packet: Packet| {
        Record::whole(0, ethernet(&[], &ip_packet(v4(from), v4(to), 2, ports, &packet.to_bytes())))
    };
    let file = pcap(
        1,
        false,
        true,
        &[
            frame(1, 2, (50000, 4793), Packet::UetRequest(request)),
            frame(2, 1, (50000, 4793), Packet::UetAck(acked)),
            frame(2, 1, (50001, 4793), Packet::UetNack(nack)),
        ],
    );
    let found = read_profile(&file, UET).unwrap();
    assert_eq!(found.iter().map(|f| (f.id, f.opcode)).collect::<Vec<_>>(), [(5, 2), (5, 8), (5, 10)]);
    let Kind::Data(data) = found[0].kind else { panic!() };
    assert_eq!((data.psn, data.timestamp), (0xffff_ffff, None));
    let Kind::Ack(got) = found[1].kind else { panic!() };
    assert_eq!((got.psn, got.expected, got.echo_ev, got.ce), (1, 0, 50000, true));
    assert_eq!(got.sack, Some(Sack { base: 0, bitmap: 2 }));
    assert_eq!(found[2].kind, Kind::Nack { psn: 3, code: 1, ce: false });
}

#[test]
fn what_is_not_of_the_profile_is_other() {
    let header = Packet::StrackData(strack::Data::default()).to_bytes();
    let ip = |port, payload: &[u8]| ip_packet(v4(1), v4(2), 0, (1, port), payload);
    let mut too_long = ip(4791, &header);
    too_long[25] = 200; // UDP length beyond its packet
    let mut fragment = ip(4791, &header);
    fragment[6] = 0x20; // more fragments
    let unknown_opcode = [vec![0x0a], header[1..].to_vec()].concat();
    let cases: [(&str, Vec<u8>); 6] = [
        ("another port", ip(4790, &header)),
        ("an opcode of RoCE", ip(4791, &unknown_opcode)),
        ("a payload shorter than the header", ip(4791, &header[..15])),
        ("a UDP length beyond the packet", too_long),
        ("a fragment", fragment),
        ("no IP", vec![0; 60]),
    ];
    for (name, packet) in cases {
        let file = pcap(1, false, true, &[Record::whole(0, ethernet(&[], &packet))]);
        assert_eq!(read_profile(&file, STRACK).unwrap(), [], "{name}");
    }
    // Ethernet pads a short frame: the padding is not payload
    let mut padded = ethernet(&[], &ip(4791, &header[..15]));
    padded.resize(60, 0);
    let file = pcap(1, false, true, &[Record::whole(0, padded)]);
    assert_eq!(read_profile(&file, STRACK).unwrap(), []);
}

#[test]
fn info_counts_what_is_there() {
    let sack = strack::Ack { connection: 1, echo_entropy: 7, ecn_echo: true, ..Default::default() };
    let frames = vec![
        Record::whole(0, data(v4(1), v4(2), 1, 0, 7)),
        Record::whole(1_000_000, data(v4(1), v4(2), 2, 0, 8)),
        Record::whole(2_000_000, data(v4(1), v4(2), 1, 0, 9)).cut(60),
        Record::whole(3_000_000, ack(v4(2), v4(1), sack)),
        Record::whole(4_000_000, data(v4(1), v4(2), 1, 1, 7)).cut(50),
        Record::whole(500_000_000, vec![0; 60]),
    ];
    let file = TempCapture::new("x.pcap", &pcap(1, false, true, &frames));
    let info = info(&file.path, STRACK, Cut::Refused).unwrap();
    assert_eq!((info.frames, info.truncated, info.ipv4, info.ipv6), (6, 2, 5, 0));
    assert_eq!((info.span_ns, info.frames_per_second), (500_000_000, 12.0));
    let profile = &info.profile;
    assert_eq!((profile.frames, profile.other, profile.header_cut), (4, 1, 1));
    assert_eq!((profile.data, profile.acks, profile.acks_ce, profile.retransmissions), (3, 1, 1, 1));
    assert_eq!((profile.connections, profile.evs, profile.data_ecn.ect0), (2, 3, 3));
    assert_eq!(profile.senders, [v4(1)]);
    let text = info.to_string();
    assert!(text.contains("strack, UDP 4791: 4 frames, 1 other, 1 with the header cut off"), "{text}");
    assert!(text.contains("opcodes          0xc0: 3, 0xc1: 1"), "{text}");
    let json = serde_json::to_value(&info).unwrap();
    assert_eq!(json["profile"]["opcodes"]["192"], 3);
}

#[test]
fn an_ip_version_that_is_not_that_of_the_ethertype_is_no_ip() {
    let (four, six) = (data(v4(1), v4(2), 1, 0, 7), {
        let address = |last: u8| IpAddr::from([0xfd00, 0, 0, 0, 0, 0, 0, u16::from(last)]);
        data(address(1), address(2), 1, 0, 7)
    });
    for frame in [&four, &six] {
        let mut turned = frame.clone();
        let ethertype = if frame[12] == 0x08 { 0x86dd_u16 } else { 0x0800 };
        turned[12..14].copy_from_slice(&ethertype.to_be_bytes());
        let file = pcap(1, false, true, &[Record::whole(0, frame.clone()), Record::whole(1, turned.clone())]);
        let file = TempCapture::new("x.pcap", &file);
        let info = info(&file.path, STRACK, Cut::Refused).unwrap();
        assert_eq!((info.frames, info.ipv4 + info.ipv6, info.ecn.ect0), (2, 1, 1));
        assert_eq!((info.profile.frames, info.profile.other), (1, 1));
        let traffic = ProfileTraffic { udp_port: STRACK.udp_port, ..ProfileTraffic::of(STRACK.wire) };
        let golden = [frame, &turned].map(|frame| record(frame, traffic).kind.is_some());
        assert_eq!(golden, [true, false], "as the golden model of `rewrite_rx` counts");
    }
}

#[test]
fn frames_without_a_time_are_not_in_the_span() {
    let timed = |time_ns| pcapng(1, false, 9, 0, &[Record::whole(time_ns, vec![0; 60])]);
    let (head, simple) = (pcapng(1, false, 9, 0, &[]), simple_packet(false, &[0; 60]));
    let file = [head, simple.clone(), timed(1_700_000_000), timed(1_700_000_900), simple].concat();
    let file = TempCapture::new("x.pcapng", &file);
    let info = info(&file.path, STRACK, Cut::Refused).unwrap();
    assert_eq!((info.frames, info.span_ns), (4, 900));
}
