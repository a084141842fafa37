//! Captures become the ACKs that the window of a sender hears.

use respray_cosim::cores::strack_cc::StrackCcListener;
use respray_cosim::traffic::capture::{CaptureOps, CaptureOptions, Cut};
use respray_golden::psn::PsnSpace;
use respray_golden::wire::{Packet, strack, uet};
use respray_hdl::cores::strack_cc::contract::Op;

use super::builder::*;

/// The ops of these frames, with the times at which they come in microseconds.
fn ops(records: &[Record], profile: respray_cosim::traffic::capture::Profile) -> Vec<(u64, Op)> {
    let file = TempCapture::new("x.pcap", &pcap(1, false, true, records));
    let options = CaptureOptions {
        profile,
        local: None,
        rto_ns: 1000,
        connections: 16,
        psns: PsnSpace::new(24),
        flowcut_time_bits: 16,
        uplinks: 16,
        ports: 32,
        cut: Cut::Refused,
    };
    let lines = CaptureOps::<StrackCcListener>::open(&file.path, &options).unwrap().map(Result::unwrap);
    lines.map(|line| (line.time, *line.event.as_op().expect("an op"))).collect()
}

fn init(conn: u16) -> Op {
    Op { kind: 4, conn, ..Op::default() }
}

fn acked(conn: u16, bytes: u32, timestamp: u16) -> Op {
    Op { kind: 1, conn, bytes, timestamp, ..Op::default() }
}

const US: u64 = 1000;

#[test]
fn acks_of_strack_say_what_the_receivers_count_grew_by_and_when_their_packet_was_sent() {
    let send = |at_us, psn| Record::whole(at_us * US, data(v4(1), v4(2), 3, psn, 9));
    // frames are sent at time 7 of their own clock, which is 0 here
    let reply = |at_us: u64, recv_bytes, echo_timestamp, ecn_echo, probe_echo| {
        let of = strack::Ack {
            connection: 3,
            recv_bytes,
            echo_timestamp,
            ecn_echo,
            probe_echo,
            ..Default::default()
        };
        Record::whole(at_us * US, ack(v4(2), v4(1), of))
    };
    let records = [
        send(0, 0),
        send(1, 1),
        reply(20, 1000, 7, false, false),
        reply(25, 3000, 8, true, false),
        // overtaken by the one before
        reply(26, 2000, 8, false, false),
        reply(30, 3000, 9, false, true),
        // more than an op can say
        reply(40, 3000 + (1 << 21), 17, false, false),
    ];
    let expected = [
        (0, init(3)),
        (20, acked(3, 1000, 0)),
        (25, Op { ecn: true, ..acked(3, 2000, 1) }),
        (26, acked(3, 0, 1)),
        (30, Op { probe: true, ..acked(3, 0, 2) }),
        (40, acked(3, (1 << 20) - 1, 10)),
    ];
    assert_eq!(ops(&records, STRACK), expected);
}

#[test]
fn acks_of_uet_echo_no_time_so_that_of_their_packet_stands_for_it_and_its_count_wraps_at_24_bits() {
    let frame = |at_us: u64, from, to, packet: Packet| {
        Record::whole(
            at_us * US,
            ethernet(&[], &ip_packet(v4(from), v4(to), 2, (50000, 4793), &packet.to_bytes())),
        )
    };
    let request = |psn| {
        Packet::UetRequest(uet::Request { psn, source_pdc: 5, destination_pdc: 6, ..Default::default() })
    };
    let acked_by = |psn: u32, rcvd_bytes| {
        let cc = Some(uet::AckCc { rcvd_bytes, ..Default::default() });
        Packet::UetAck(uet::Ack {
            cack_psn: psn,
            source_pdc: 6,
            destination_pdc: 5,
            cc,
            ..Default::default()
        })
    };
    let nack =
        Packet::UetNack(uet::Nack { psn: 11, source_pdc: 6, destination_pdc: 5, ..Default::default() });
    let records = [
        frame(0, 1, 2, request(10)),
        frame(2, 1, 2, request(11)),
        frame(4, 1, 2, request(12)),
        frame(30, 2, 1, acked_by(10, 0x7f_ff00)),
        // its packet has an ACK already, so nothing says when it left
        frame(31, 2, 1, acked_by(10, 0x7f_ff00)),
        frame(32, 2, 1, nack),
        frame(40, 2, 1, acked_by(11, 0xff_fe00)),
        frame(50, 2, 1, acked_by(12, 0x100)),
    ];
    let expected = [
        (0, init(5)),
        (30, acked(5, (1 << 20) - 1, 0)),
        (32, Op { kind: 2, conn: 5, ..Op::default() }),
        (40, acked(5, (1 << 20) - 1, 2)),
        (50, acked(5, 0x300, 4)),
    ];
    assert_eq!(ops(&records, UET), expected);
}
