//! Exchanges that were worked out by hand.

use respray_golden::sack_rx::uet::{Op, OpKind, Status};

use super::{BYTES, Bench};

/// Coalesced ACKs with one loss.
#[test]
fn coalesced_acks_and_a_loss() {
    let mut bench = Bench::open(1000);
    let answers: Vec<(u32, String)> = (1000..1020)
        .filter(|psn| *psn != 1003)
        .filter_map(|psn| Some((psn, bench.packet(psn, psn == 1019)?)))
        .collect();
    let expected = [
        (1016, "4200000e000003ea000900070002ffd601fff7ffffffffff000000000047000d"),
        (1019, "42000011000003ea000900070002ffd60ffff7ffffffffff0000000000540010"),
    ];
    assert_eq!(answers, expected.map(|(psn, ack)| (psn, ack.to_string())));
    // what asked is answered by the last gap, too, where the packet in it asks for nothing
    let last = "4200fff0000003fb000900070002ffc50fffffffffffffff0000000000590000";
    assert_eq!(bench.copy().hear("1180ffff000003eb00070009").as_deref(), Some(last));
    let last = "4210fff0000003fb000900070002ffc50fffffffffffffff0000000000590000";
    assert_eq!(bench.hear("1198ffff000003eb00070009").as_deref(), Some(last));
}

#[test]
fn trimmed_packets() {
    let mut bench = Bench::open(2000);
    let answers = [
        bench.packet(2000, true),
        bench.packet(2001, true),
        bench.trimmed(2002, false),
        bench.packet(2003, true),
        bench.trimmed(2004, true),
        bench.packet(2005, true),
        bench.hear("1198ffff000007d200070009"),
        bench.hear("1198ffff000007d400070009"),
    ];
    let expected = [
        "42000000000007d0000900070002fff0000000000001ffff0000000000050000",
        "42000000000007d1000900070002ffef000000000003ffff0000000000090000",
        "50000100000007d20009000700000000",
        "42000002000007d1000900070002ffef00000000000bffff00000000000e0001",
        "50000200000007d40009000700000000",
        "42000004000007d1000900070002ffef00000000002bffff0000000000120002",
        "4210ffff000007d3000900070002ffed00000000002fffff0000000000170001",
        "4210ffff000007d5000900070002ffeb00000000003fffff00000000001b0000",
    ];
    assert_eq!(answers, expected.map(|answer| Some(answer.to_string())));
}

/// Packets with SYN in another order, as the host hands them in.
#[test]
fn packets_that_come_in_another_order() {
    let mut bench = Bench::open(0x12345);
    for (request, ack) in [
        ("1184fffe0001234600070001", "4200000200012344000900070002fffc000000000000005f0000000000050001"),
        ("118cffff0001234500070000", "4200ffff00012346000900070002fffa000000000000007f0000000000090000"),
        ("1184fffd0001234700070002", "4200000000012347000900070002fff900000000000000ff00000000000e0000"),
        ("119cffff0001234500070000", "4210fffe00012347000900070002fff900000000000000ff00000000000e0000"),
    ] {
        assert_eq!(bench.hear(request).as_deref(), Some(ack));
    }
}

/// What opens a connection, as the host hands it in: a request of ROD, a packet with the bit of the reserved pool beside its offset, and a
/// control packet that does nothing else.
#[test]
fn packets_that_open_a_connection() {
    let mut bench = Bench::open_as(Op { psn: 0x500, ordered: true, ..Op::default() });
    assert_eq!(bench.hear("1980ffff000005000008000a"), None);
    assert_eq!((bench.connection().arrivals.epsn, bench.connection().rcvd_bytes), (0x501, 1128));
    let mut bench = Bench::open(0x12347);
    let ack = "4200000000012347000900070002fff900000000000000ff0000000000050000";
    assert_eq!(bench.hear("1184fffd0001234700071002").as_deref(), Some(ack));
    let mut bench = Bench::open_as(Op { psn: 0x700, ordered: true, ..Op::default() });
    bench.pdcs = [10, 8];
    let ack = "4000000000000700000a00080002000000000000000000010000000000000000";
    assert_eq!(bench.hear("582c0000000007000008000000000000").as_deref(), Some(ack));
    // again, it is known
    assert_eq!(bench.hear("582c0000000007000008000000000000").as_deref(), Some(ack));
}

#[test]
fn a_probe_is_answered_and_changes_nothing() {
    let answer = "4008beef00012344000900070002fffc000000000000001f0000000000000000";
    assert_eq!(Bench::open(0x12345).hear("5b08beef000123490007000900012346").as_deref(), Some(answer));

    let mut bench = Bench::open(1000);
    for psn in (1000..1010).filter(|psn| *psn != 1005) {
        assert_eq!(bench.packet(psn, false), None);
    }
    let before = *bench.connection();
    assert_eq!(before.arrivals.since_bytes, 9612);
    let answer = "4008beef000003ec000900070002ffd40003dfffffffffff0000000000280004";
    assert_eq!(bench.hear("5b08beef000003f100070009000003c0").as_deref(), Some(answer));
    assert_eq!(*bench.connection(), before);
    bench.packet(1010, false);
    assert_eq!(bench.connection().arrivals.since_bytes, 10680);
    // outside the window it is EPSN's segment, and the opaque comes back whatever it is
    for (opaque, asked) in [(0, 0), (0x8000, 1261), (0xffff, 999)] {
        let probe = Op { kind: OpKind::Probe, psn: asked, ecn: true, ..Op::default() };
        let answer = bench.answer(probe, opaque).unwrap();
        assert_eq!((&answer[..8], &answer[28..32]), (&format!("4008{opaque:04x}")[..], "ffd4"));
    }
}

/// All responses are guaranteed: the host holds the cumulative PSN back.
#[test]
fn a_host_that_answers_holds_the_cumulative_psn_back() {
    let mut bench = Bench::open_as(Op { psn: 333, host: true, ..Op::default() });
    let answer = |bench: &mut Bench, psn, limit: u32| {
        bench.answer(Op { kind: OpKind::Answer, psn, cum_next: limit + 1, ..Op::default() }, 0)
    };
    for (psn, ack) in [
        (334, "420000020000014c000900070002fff40000000000005fff0000000000050001"),
        (333, "420000010000014c000900070002fff40000000000007fff0000000000090000"),
        (336, "420000040000014c000900070002fff40000000000017fff00000000000e0001"),
        (335, "420000030000014c000900070002fff4000000000001ffff0000000000120000"),
    ] {
        assert_eq!(bench.packet(psn, true), None);
        assert_eq!(answer(&mut bench, psn, 332).as_deref(), Some(ack));
    }
    assert_eq!(bench.hear("1188fffd0000015100070009"), None);
    let ack = "420000030000014e000900070002fff2000000000003ffff0000000000170000";
    assert_eq!(answer(&mut bench, 337, 334).as_deref(), Some(ack));
    // an older limit, and one that says nothing
    let ack = "420000020000014e000900070002fff2000000000003ffff0000000000170000";
    assert_eq!(answer(&mut bench, 336, 330).as_deref(), Some(ack));
    assert_eq!(answer(&mut bench, 336, 334_u32.wrapping_sub(0x7fff_0000)).as_deref(), Some(ack));
    // one beyond what was received
    let ack = "4200ffff00000151000900070002ffef000000000003ffff0000000000170000";
    assert_eq!(answer(&mut bench.copy(), 336, 400).as_deref(), Some(ack));
    // an ACK that is asked for is the host's, too
    assert_eq!(bench.hear("58800000000001500007000900000011"), None);
    assert_eq!(answer(&mut bench, 336, 337).as_deref(), Some(ack));
    // what was not received is not answered
    let outcome = bench.apply(Op { kind: OpKind::Answer, psn: 338, cum_next: 338, ..Op::default() });
    assert_eq!((outcome.status, outcome.sack, outcome.nack), (Some(Status::Missing), None, None));
}

/// The PSN of an ACK is a signed offset of 16 bits from the cumulative one.
#[test]
fn a_packet_too_far_beyond_the_limit_of_the_host_is_refused() {
    let mut bench = Bench::open_as(Op { psn: 1, host: true, ..Op::default() });
    assert!((1..32767).all(|psn| bench.apply(Op { psn, ..Op::default() }).status == Some(Status::New)));
    // the limit is 0
    let beyond = |bench: &mut Bench, psn| {
        let outcome = bench.apply(Op { psn, syn: true, bytes: BYTES, ..Op::default() });
        (outcome.status.unwrap(), outcome.nack)
    };
    assert_eq!(beyond(&mut bench, 32768), (Status::Outside, Some(0x0b)));
    assert_eq!(beyond(&mut bench, 32767), (Status::New, None));
    assert_eq!(beyond(&mut bench, 32768), (Status::Outside, Some(0x0b)));
    let answer = Op { kind: OpKind::Answer, psn: 32767, cum_next: 2, ..Op::default() };
    assert_eq!(bench.apply(answer).sack.unwrap().cum_next, 2);
    assert_eq!(beyond(&mut bench, 32768), (Status::New, None));
    assert_eq!(beyond(&mut bench, 32769), (Status::Outside, Some(0x0b)));
}

/// One NACK for a gap, and one more for each packet that is sent again and still comes too early.
#[test]
fn a_connection_in_order_tells_of_a_gap_once() {
    let mut bench = Bench::open_as(Op { psn: 0x500, ordered: true, ..Op::default() });
    bench.pdcs = [10, 8];
    assert_eq!([0x500, 0x501].map(|psn| bench.packet(psn, false)), [None, None]);
    let ack = "4200000000000502000a00080002fffe000000000000000700000000000e0000";
    assert_eq!(bench.packet(0x502, true).as_deref(), Some(ack));
    let nack = "50000d0000000504000a000800000503";
    assert_eq!(bench.packet(0x504, true).as_deref(), Some(nack));
    assert_eq!([0x505, 0x506, 0x507].map(|psn| bench.packet(psn, true)), [None, None, None]);
    let mut lost_again = bench.copy();
    for (psn, ack) in [
        (0x503, "4210000000000503000a00080002fffd000000000000000f0000000000120000"),
        (0x504, "4210000000000504000a00080002fffc000000000000001f0000000000170000"),
        (0x505, "4210000000000505000a00080002fffb000000000000003f00000000001b0000"),
        (0x506, "4210000000000506000a00080002fffa000000000000007f00000000001f0000"),
        (0x507, "4210000000000507000a00080002fff900000000000000ff0000000000240000"),
    ] {
        assert_eq!(bench.hear(&format!("1998ffff{psn:08x}0008000a")).as_deref(), Some(ack));
    }
    // lost again: each that was sent again tells of it
    for psn in 0x504..0x508 {
        let nack = format!("50100d00{psn:08x}000a000800000503");
        assert_eq!(lost_again.hear(&format!("1998ffff{psn:08x}0008000a")), Some(nack));
    }
    // a duplicate is answered, and the next gap is told of anew
    assert!(bench.packet(0x500, false).is_some());
    assert!(bench.packet(0x509, false).is_some_and(|nack| nack.starts_with("50000d00")));
    // a trimmed packet says nothing of the gap
    assert_eq!(lost_again.packet(0x503, false), None);
    let trimmed = "5000010000000504000a000800000000";
    assert_eq!(lost_again.trimmed(0x504, false).as_deref(), Some(trimmed));
    assert!(lost_again.packet(0x505, false).is_some());
}
