//! Captures become the ops that the engine of the local side saw.

use std::net::IpAddr;

use proptest::prelude::*;
use respray_cosim::cores::sack_rx::SackRxListener;
use respray_cosim::cores::sack_rx::uet::UetRxListener;
use respray_cosim::cores::sack_tx::SackTxListener;
use respray_cosim::cores::sack_tx::uet::UetTxListener;
use respray_cosim::cores::selector::SelectorListener;
use respray_cosim::traffic::capture::{
    CaptureOps, CaptureOptions, CaptureSource, Cut, Kind, ProfileFrame, Side, Survey,
};
use respray_cosim::traffic::stimulus::Line;
use respray_golden::psn::PsnSpace;
use respray_golden::selector::OpKind;
use respray_golden::wire::{Packet, strack, uet};
use respray_hdl::cores::selector::SelectorOp;

use super::builder::*;

const RTO: u64 = 1000;

fn options() -> CaptureOptions {
    CaptureOptions {
        profile: STRACK,
        local: None,
        rto_ns: RTO,
        connections: 16,
        psns: PsnSpace::new(24),
        flowcut_time_bits: 16,
        uplinks: 16,
        ports: 32,
        cut: Cut::Refused,
    }
}

fn ops(records: &[Record], options: &CaptureOptions) -> Vec<Line<SelectorOp>> {
    let file = TempCapture::new("x.pcap", &pcap(1, false, true, records));
    CaptureOps::<SelectorListener>::open(&file.path, options).unwrap().map(Result::unwrap).collect()
}

fn sack(connection: u32, psn: u32, ev: u16) -> strack::Ack {
    // of nothing but `psn`
    let sack_base = psn & !63;
    let sack_bitmap = 1 << (psn - sack_base);
    strack::Ack { connection, psn, echo_entropy: ev, sack_base, sack_bitmap, ..Default::default() }
}

fn send(at: u64, connection: u32, psn: u32, ev: u16) -> Record {
    Record::whole(at, data(v4(1), v4(2), connection, psn, ev))
}

fn reply(at: u64, of: strack::Ack) -> Record {
    Record::whole(at, ack(v4(2), v4(1), of))
}

fn line(time_ns: u64, kind: OpKind, conn: u16, ev: u16, ecn: bool) -> Line<SelectorOp> {
    Line::op(time_ns, SelectorOp { kind: kind.code(), conn, ev, ecn, ..SelectorOp::default() })
}

fn timed_out(time_ns: u64, conn: u16) -> Line<SelectorOp> {
    line(time_ns, OpKind::Timeout, conn, 0, false)
}

fn sent(time_ns: u64, conn: u16, ev: u16) -> Line<SelectorOp> {
    line(time_ns, OpKind::Send, conn, ev, false)
}

fn acked(time_ns: u64, conn: u16, ev: u16, ecn: bool) -> Line<SelectorOp> {
    line(time_ns, OpKind::Ack, conn, ev, ecn)
}

fn connections(lines: &[Line<SelectorOp>]) -> Vec<u16> {
    lines.iter().map(|line| line.event.as_op().expect("an op").conn).collect()
}

#[test]
fn sends_acks_and_timeouts_come_in_order_of_time() {
    let start = 5_000_000_000;
    let records = [
        send(start, 3, 10, 100),
        send(start + 100, 3, 11, 101),
        send(start + 200, 4, 0, 102),
        // covers 10 only
        reply(start + 300, strack::Ack { ecn_echo: true, ..sack(3, 10, 100) }),
        // 11 has timed out at 1100; this is another of its connection
        send(start + 1150, 3, 12, 103),
        // the ACK after the timeout is an ACK still; 4/0 timed out at 1200, at the very time of this frame
        reply(start + 1200, sack(3, 11, 101)),
        // the retransmission has a timer of its own
        send(start + 1250, 4, 0, 104),
        reply(start + 2240, strack::Ack { expected_psn: 1, ..sack(4, 0, 104) }),
        // ends 12's time; what is sent last does not time out within the capture
        send(start + 5000, 5, 1, 105),
    ];
    let expected = [
        sent(0, 3, 100),
        sent(100, 3, 101),
        sent(200, 4, 102),
        acked(300, 3, 100, true),
        timed_out(1100, 3),
        sent(1150, 3, 103),
        timed_out(1200, 4),
        acked(1200, 3, 101, false),
        sent(1250, 4, 104),
        timed_out(2150, 3),
        acked(2240, 4, 104, false),
        sent(5000, 5, 105),
    ];
    assert_eq!(ops(&records, &options()), expected);
}

#[test]
fn a_cumulative_ack_covers_the_half_circle_behind_it_and_no_more() {
    let records = [
        send(0, 1, 0xfffffe, 1),
        send(0, 1, 0xffffff, 1),
        send(0, 1, 0, 1),
        send(0, 1, 1, 1),
        reply(1, strack::Ack { expected_psn: 1, psn: 0, connection: 1, sack_base: 64, ..Default::default() }),
        send(2000, 2, 0, 1),
    ];
    let is_timeout =
        |line: &Line<SelectorOp>| line.event.as_op().is_some_and(|op| op.kind == OpKind::Timeout.code());
    let timeouts: Vec<_> = ops(&records, &options()).into_iter().filter(is_timeout).collect();
    assert_eq!(timeouts, [timed_out(RTO, 1)], "of PSN 1 alone");
}

#[test]
fn a_probe_is_a_send_without_a_timer() {
    let probe = strack::Data { connection: 1, psn: 4, probe: true, ..Default::default() };
    let probe = ethernet(&[], &ip_packet(v4(1), v4(2), 2, (9, 4791), &probe.to_bytes()));
    let lines = ops(&[Record::whole(0, probe), send(5000, 1, 5, 9)], &options());
    assert_eq!(lines, [sent(0, 1, 9), sent(5000, 1, 9)]);
}

#[test]
fn the_side_that_sends_data_first_is_local_unless_told() {
    let back = |at, connection, ev| Record::whole(at, data(v4(2), v4(1), connection, 0, ev));
    // an ACK says nothing about the sides, but counts if it reaches the local one
    let records = [Record::whole(0, ack(v4(1), v4(2), sack(7, 0, 1))), back(10, 7, 70), send(20, 8, 0, 80)];
    assert_eq!(ops(&records, &options()), [acked(0, 7, 1, false), sent(10, 7, 70)]);
    let records = [send(0, 8, 0, 80), back(10, 7, 70), reply(20, sack(8, 0, 80))];
    assert_eq!(ops(&records, &options()), [sent(0, 8, 80), acked(20, 8, 80, false)]);
    let told = CaptureOptions { local: Some(v4(2)), ..options() };
    assert_eq!(ops(&records, &told), [sent(10, 7, 70)]);
}

#[test]
fn numbers_that_do_not_fit_are_counted_by_first_appearance() {
    let records = [send(0, 15, 0, 1), send(1, 16, 0, 2), send(2, 3, 0, 3), send(3, 16, 1, 4)];
    assert_eq!(connections(&ops(&records, &options())), [0, 1, 2, 1]);
    // one number at two remote addresses is two connections
    let other = Record::whole(1, data(v4(1), v4(3), 5, 0, 2));
    let records = [send(0, 5, 0, 1), other, send(2, 5, 1, 3)];
    assert_eq!(connections(&ops(&records, &options())), [0, 1, 0]);
    let file = TempCapture::new("x.pcap", &pcap(1, false, true, &records));
    let source = CaptureSource::open(&file.path, Cut::Refused).unwrap();
    let survey = Survey::of(&source, &options(), Side::Sender).unwrap();
    assert_eq!((survey.connections, survey.numbers_fit, survey.local), (2, false, v4(1)));
}

#[test]
fn a_frame_without_a_time_has_that_of_the_frame_before() {
    let frame = |psn| data(v4(1), v4(2), 1, psn, 7);
    let timed = |time_ns, psn| pcapng(1, false, 9, 0, &[Record::whole(time_ns, frame(psn))]);
    let head = pcapng(1, false, 9, 0, &[]);
    let simple = |psn| simple_packet(false, &frame(psn));
    let file = [head, simple(0), timed(5000, 1), timed(5700, 2), simple(3), timed(5900, 4)].concat();
    let file = TempCapture::new("x.pcapng", &file);
    let lines: Vec<_> =
        CaptureOps::<SelectorListener>::open(&file.path, &options()).unwrap().map(Result::unwrap).collect();
    assert_eq!(lines.iter().map(|line| line.time).collect::<Vec<_>>(), [0, 0, 700, 700, 900]);
}

#[test]
fn time_never_steps_back() {
    let lines = ops(&[send(1000, 1, 0, 1), send(1500, 1, 1, 2), send(1400, 1, 2, 3)], &options());
    assert_eq!(lines.iter().map(|line| line.time).collect::<Vec<_>>(), [0, 500, 500]);
}

/// The rule by brute force: every transmission looks for what stops its timer.
fn by_the_rule(frames: &[(u64, IpAddr, ProfileFrameKind)]) -> Vec<Line<SelectorOp>> {
    let end = frames.last().map_or(0, |frame| frame.0);
    let mut timed: Vec<(u64, usize, Line<SelectorOp>)> = Vec::new();
    for (index, (at, _, kind)) in frames.iter().enumerate() {
        match kind {
            ProfileFrameKind::Data { conn, psn, ev } => {
                // frames of one time come after the timeouts of that time
                timed.push((*at, index + 1, sent(*at, *conn as u16, *ev)));
                let stopped = frames[index + 1..].iter().take_while(|later| later.0 < at + RTO).any(
                    |later| match &later.2 {
                        ProfileFrameKind::Data { conn: c, psn: p, .. } => (c, p) == (conn, psn),
                        ProfileFrameKind::Ack { conn: c, expected, single, .. } => {
                            c == conn && (psn < expected || psn == single)
                        }
                    },
                );
                if !stopped && at + RTO <= end {
                    timed.push((at + RTO, 0, timed_out(at + RTO, *conn as u16)));
                }
            }
            ProfileFrameKind::Ack { conn, ev, ce, .. } => {
                timed.push((*at, index + 1, acked(*at, *conn as u16, *ev, *ce)));
            }
        }
    }
    // stable: timeouts of one time stay in order of their transmissions
    timed.sort_by_key(|(at, index, _)| (*at, *index));
    timed.into_iter().map(|(_, _, line)| line).collect()
}

#[derive(Clone, Debug)]
enum ProfileFrameKind {
    Data { conn: u32, psn: u32, ev: u16 },
    Ack { conn: u32, expected: u32, single: u32, ev: u16, ce: bool },
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(256))]

    #[test]
    fn any_traffic_gives_the_ops_of_the_rule(
        steps in prop::collection::vec((0u64..400, any::<bool>(), 0u32..3, 0u32..8, 0u32..8, any::<u16>(), any::<bool>()), 1..80),
    ) {
        let mut at = 0;
        let mut frames = vec![(0, v4(1), ProfileFrameKind::Data { conn: 0, psn: 0, ev: 0 })];
        for (step, is_data, conn, psn, expected, ev, ce) in steps {
            at += step;
            let kind = match is_data {
                true => ProfileFrameKind::Data { conn, psn, ev },
                false => ProfileFrameKind::Ack { conn, expected, single: psn, ev, ce },
            };
            frames.push((at, v4(1), kind));
        }
        let records: Vec<_> = frames
            .iter()
            .map(|(at, _, kind)| match *kind {
                ProfileFrameKind::Data { conn, psn, ev } => send(*at, conn, psn, ev),
                ProfileFrameKind::Ack { conn, expected, single, ev, ce } => {
                    reply(*at, strack::Ack { expected_psn: expected, ecn_echo: ce, ..sack(conn, single, ev) })
                }
            })
            .collect();
        prop_assert_eq!(ops(&records, &options()), by_the_rule(&frames));
    }
}

#[test]
fn a_frame_of_the_other_direction_keeps_its_fields_for_the_receivers_engine() {
    let file = pcap(1, false, true, &[Record::whole(0, data(v4(2), v4(1), 7, 70, 9))]);
    let frames: Vec<ProfileFrame> = read_profile(&file, STRACK).unwrap();
    let Kind::Data(data) = frames[0].kind else { panic!() };
    assert_eq!((frames[0].id, data.psn, data.bytes, data.timestamp), (7, 70, 100, Some(7)));
}

#[test]
fn psns_of_uet_reach_the_sack_engines_with_as_many_bits_as_they_have() {
    let request = |psn| uet::Request { psn, source_pdc: 5, destination_pdc: 6, ..Default::default() };
    let acked = uet::Ack {
        cack_psn: 0xa0ff_ffff,
        source_pdc: 6,
        destination_pdc: 5,
        cc: Some(uet::AckCc { sack_psn_offset: 1, ..Default::default() }),
        ..Default::default()
    };
    let frame = |from, to, packet: Packet| {
        Record::whole(0, ethernet(&[], &ip_packet(v4(from), v4(to), 2, (50000, 4793), &packet.to_bytes())))
    };
    let records = [
        frame(1, 2, Packet::UetRequest(request(0xa0ff_ffff))),
        frame(1, 2, Packet::UetRequest(request(0xa100_0000))),
        frame(2, 1, Packet::UetAck(acked)),
    ];
    let file = TempCapture::new("x.pcap", &pcap(1, false, true, &records));
    for (bits, first, next) in [(24, 0xff_ffff, 0), (32, 0xa0ff_ffff, 0xa100_0000)] {
        let options = CaptureOptions { profile: UET, psns: PsnSpace::new(bits), ..options() };
        let sender = CaptureOps::<SackTxListener>::open(&file.path, &options).unwrap();
        let sent: Vec<_> = sender.map(|line| line.unwrap().event.as_op().copied().unwrap()).collect();
        assert_eq!(
            sent.iter().map(|op| (op.kind, op.psn)).collect::<Vec<_>>(),
            [(3, first), (0, first), (0, next), (1, 0)]
        );
        assert_eq!((sent[3].epsn, sent[3].base), (next, next));
        let receiver = CaptureOps::<SackRxListener>::open(&file.path, &options).unwrap();
        let arrived: Vec<_> = receiver
            .map(|line| line.unwrap().event.as_op().copied().unwrap())
            .map(|op| (op.kind, op.psn))
            .collect();
        assert_eq!(arrived, [(1, first), (0, first), (0, next)]);
    }
}

/// The scoreboard of Ultra Ethernet hears what ACKs of all kinds say, and NACKs.
#[test]
fn acks_and_nacks_of_uet_reach_its_scoreboard_whole() {
    let ends = uet::Ack { source_pdc: 6, destination_pdc: 5, ..Default::default() };
    let request = |psn| {
        Packet::UetRequest(uet::Request {
            psn,
            ordered: true,
            source_pdc: 5,
            destination_pdc: 6,
            ..Default::default()
        })
    };
    let cc = uet::AckCc {
        mpr: 3,
        sack_psn_offset: -9,
        sack_bitmap: 0x805,
        rcvd_bytes: 77,
        ooo_count: uet::NO_OOO_COUNT,
        ..Default::default()
    };
    let packets = [
        (1, request(0xffff_ffff)),
        (1, request(0)),
        (2, Packet::UetAck(uet::Ack { cack_psn: 0xffff_ffff, ack_psn_offset: 1, cc: Some(cc), ..ends })),
        (2, Packet::UetAck(uet::Ack { cack_psn: 0xffff_fffe, ack_psn_offset: 2, probe: true, ..ends })),
        (
            2,
            Packet::UetAck(uet::Ack {
                cack_psn: 0,
                cc: Some(uet::AckCc { cc_type: 1, mpr: 4, ..cc }),
                ..ends
            }),
        ),
        (
            2,
            Packet::UetNack(uet::Nack {
                nack_code: 13,
                psn: 1,
                source_pdc: 6,
                destination_pdc: 5,
                ..Default::default()
            }),
        ),
    ];
    let records = packets.map(|(from, packet)| {
        let udp = ip_packet(v4(from), v4(3 - from), 2, (50000, 4793), &packet.to_bytes());
        Record::whole(0, ethernet(&[], &udp))
    });
    let file = TempCapture::new("x.pcap", &pcap(1, false, true, &records));
    let options = CaptureOptions { profile: UET, psns: PsnSpace::new(32), ..options() };
    let ops: Vec<_> = CaptureOps::<UetTxListener>::open(&file.path, &options)
        .unwrap()
        .map(|line| line.unwrap().event.as_op().copied().unwrap())
        .collect();
    assert_eq!(
        ops.iter().map(|op| (op.kind, op.psn)).collect::<Vec<_>>(),
        [(3, 0xffff_ffff), (0, 0xffff_ffff), (0, 0), (1, 0), (1, 0), (1, 0), (6, 1)]
    );
    assert!(ops[0].ordered);
    assert_eq!((ops[2].bytes, ops[6].code), (60, 13), "no payload, and all headers");
    let [whole, probed, other] = [ops[3], ops[4], ops[5]];
    assert_eq!((whole.cum_next, whole.probe, whole.has_sack, whole.has_state), (0, false, true, true));
    assert_eq!((whole.base, whole.bitmap, whole.mpr), (0xffff_fff6, 0x805, 3));
    assert_eq!((whole.rcvd, whole.ooo), (77, 0), "that it does not count is no count");
    assert_eq!(
        (probed.cum_next, probed.probe, probed.has_sack, probed.has_state),
        (0xffff_ffff, true, false, false)
    );
    assert_eq!((other.cum_next, other.has_sack, other.mpr, other.has_state), (1, true, 4, false));
}

/// The receiver of Ultra Ethernet hears what requests say, and the row of a packet holds the ACK of the local side.
#[test]
fn requests_of_uet_reach_its_receiver_whole() {
    let request = uet::Request { psn: 7, source_pdc: 5, destination_pdc: 6, ..Default::default() };
    let again = uet::Request { psn: 6, ack_request: true, retransmit: true, ordered: true, ..request };
    let cc = uet::AckCc { sack_psn_offset: -6, sack_bitmap: 0xff, rcvd_bytes: 1, ..Default::default() };
    let ack = uet::Ack { cack_psn: 6, source_pdc: 6, destination_pdc: 5, cc: Some(cc), ..Default::default() };
    let packets = [
        (1, Packet::UetRequest(request)),
        (1, Packet::UetRequest(again)),
        (2, Packet::UetAck(ack)),
        // of a probe, and without a bitmap: no ACK of a packet that the row could hold
        (2, Packet::UetAck(uet::Ack { probe: true, ..ack })),
        (2, Packet::UetAck(uet::Ack { cc: None, ..ack })),
    ];
    let records = packets.map(|(from, packet)| {
        let udp = ip_packet(v4(from), v4(3 - from), 3, (50000, 4793), &packet.to_bytes());
        Record::whole(0, ethernet(&[], &udp))
    });
    let file = TempCapture::new("x.pcap", &pcap(1, false, true, &records));
    let options = CaptureOptions { profile: UET, psns: PsnSpace::new(32), local: Some(v4(2)), ..options() };
    let lines: Vec<_> =
        CaptureOps::<UetRxListener>::open(&file.path, &options).unwrap().map(Result::unwrap).collect();
    let ops: Vec<_> = lines.iter().map(|line| line.event.as_op().copied().unwrap()).collect();
    assert_eq!(ops.iter().map(|op| (op.kind, op.psn)).collect::<Vec<_>>(), [(1, 6), (0, 7), (0, 6)]);
    let flags = |at: usize| (ops[at].ack_request, ops[at].retransmit, ops[at].ecn, ops[at].ev);
    assert_eq!((flags(1), flags(2)), ((false, false, true, 50000), (true, true, true, 50000)));
    assert_eq!(lines.iter().map(|line| line.expect.is_some()).collect::<Vec<_>>(), [false, false, true]);
}
