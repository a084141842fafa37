//! Exchanges that were worked out by hand, through the block: every frame that it makes, byte for byte.

use respray_golden::hosts::Port;
use respray_golden::nic::Kind;

use super::super::{A, B};
use super::bench::{Bench, HOST_ANSWERS, ROD, RUD, with_response};
use crate::pds::{D0, from_a, marked_from_a, s2};

/// E1: a receiver says nothing before the 16th packet; a loss; a timeout.
#[test]
fn coalesced_acks_and_a_loss() {
    let mut b = Bench::target(B, 1000, RUD, A);
    for psn in (1000..=1015).filter(|psn| *psn != 1003) {
        assert_eq!(b.request(&format!("1180ffff{psn:08x}00070009")), [""; 0], "{psn}");
    }
    let sixteenth = "4200000e000003ea000900070002ffd601fff7ffffffffff000000000047000d";
    assert_eq!(b.request(&format!("1180ffff{:08x}00070009", 1016)), with_response(sixteenth));
    for psn in [1017, 1018] {
        assert_eq!(b.request(&format!("1180ffff{psn:08x}00070009")), [""; 0], "{psn}");
    }
    let last = "42000011000003ea000900070002ffd60ffff7ffffffffff0000000000540010";
    assert_eq!(b.request(&format!("1188ffff{:08x}00070009", 1019)), with_response(last));

    let mut a = Bench::initiator(1000, RUD, 20);
    a.hear_from_b(sixteenth);
    assert_eq!(a.stands(), (1003, 1020, 4));
    a.hear_from_b(last);
    assert_eq!(a.stands(), (1003, 1020, 1));
    assert_eq!(a.told(), [], "nothing is lost");
    // ticks of 32 cycles
    a.nic.write_register("rto", 1000);
    a.nic.advance(40_000);
    let lost = [(Kind::Loss, 0, 3), (Kind::Retransmit, 1003, 0)];
    assert_eq!(a.told(), lost);
    let again = "1198ffff000003eb00070009";
    let left = a.send(&from_a(&format!("{again}{}", s2()))).expect("it may be sent again");
    assert!(left.starts_with(again));

    let answer = "4210fff0000003fb000900070002ffc50fffffffffffffff0000000000590000";
    assert_eq!(b.request(again), with_response(answer));
    a.hear_from_b(answer);
    assert_eq!(a.stands(), (1020, 1020, 0));
    let events = a.events();
    let left = events.iter().find(|event| event.kind == Kind::RecoveryLeft);
    assert_eq!(left.map(|event| event.psn), Some(1020));
}

/// E2: trimmed packets.
#[test]
fn trimmed_packets() {
    let mut b = Bench::target(B, 2000, RUD, A);
    let header = |psn: u32| format!("1188ffff{psn:08x}00070009");
    let acks = [
        "42000000000007d0000900070002fff0000000000001ffff0000000000050000",
        "42000000000007d1000900070002ffef000000000003ffff0000000000090000",
        "42000002000007d1000900070002ffef00000000000bffff00000000000e0001",
        "42000004000007d1000900070002ffef00000000002bffff0000000000120002",
    ];
    let nacks = ["50000100000007d20009000700000000", "50000200000007d40009000700000000"];
    assert_eq!(b.request(&header(2000)), with_response(acks[0]));
    assert_eq!(b.request(&header(2001)), with_response(acks[1]));
    assert_eq!(b.trimmed(&header(2002), false), [nacks[0]]);
    assert_eq!(b.request(&header(2003)), with_response(acks[2]));
    assert_eq!(b.trimmed(&header(2004), true), [nacks[1]]);
    assert_eq!(b.request(&header(2005)), with_response(acks[3]));
    assert_eq!(b.statuses(), [0; 4], "the host gets no trimmed packet");

    let mut a = Bench::initiator(2000, RUD, 6);
    for bytes in [acks[0], acks[1], nacks[0]] {
        a.hear_from_b(bytes);
    }
    assert_eq!(a.told(), [(Kind::Nack, 2002, 1), (Kind::Retransmit, 2002, 1)]);
    a.hear_from_b(acks[2]);
    a.hear_from_b(nacks[1]);
    assert_eq!(a.told(), [(Kind::Nack, 2004, 2), (Kind::Retransmit, 2004, 1)]);
    a.hear_from_b(acks[3]);
    let answers = [
        "4210ffff000007d3000900070002ffed00000000002fffff0000000000170001",
        "4210ffff000007d5000900070002ffeb00000000003fffff00000000001b0000",
    ];
    for (psn, answer) in [(2002, answers[0]), (2004, answers[1])] {
        assert_eq!(b.request(&format!("1198ffff{psn:08x}00070009")), with_response(answer));
        a.hear_from_b(answer);
    }
    assert_eq!(a.stands(), (2006, 2006, 0));
    // a second copy of the first NACK: outside of what is outstanding
    a.told();
    a.hear_from_b(nacks[0]);
    assert_eq!(a.told(), [(Kind::BadAck, 2002, 1)]);
}

/// E3: packets that open a connection come in another order. The ACKs of those with SYN are the host's, and the block completes them.
#[test]
fn packets_that_open_a_connection() {
    let mut b = Bench::new();
    let open = |b: &mut Bench, psn: u32, header: &str, wanted: &str| {
        assert_eq!(b.request(header), [""; 0]);
        assert_eq!(b.statuses(), [8]);
        if b.nic.uet_receiver().map(|rx| rx.connection(B).arrivals.initialised) == Some(false) {
            b.command(respray_golden::nic::Command::OpenRx, B, 0x12345, RUD, A);
        }
        let retx = u32::from(header.starts_with("119c")) << 1;
        for (name, value) in
            [("command_psn", psn), ("command_bytes", 1068), ("command_flags", 1 | retx), ("accept", B.into())]
        {
            b.nic.write_register(name, value);
        }
        let flags = if retx == 0 { "4200" } else { "4210" };
        let of_host = format!("{flags}0000{psn:08x}00090007{}{D0}", "00".repeat(20));
        assert_eq!(b.send_from_b(&of_host), Some(format!("{wanted}{D0}")));
        b.nic.read_register("result_status")
    };
    let acks = [
        "4200000200012344000900070002fffc000000000000005f0000000000050001",
        "4200ffff00012346000900070002fffa000000000000007f0000000000090000",
        "4200000000012347000900070002fff900000000000000ff00000000000e0000",
    ];
    assert_eq!(open(&mut b, 0x12346, "1184ffff0001234600070001", acks[0]), 0);
    assert_eq!(open(&mut b, 0x12345, "1184ffff0001234500070000", acks[1]), 0);
    assert_eq!(open(&mut b, 0x12347, "1184ffff0001234700070002", acks[2]), 0);
    let late = "4210fffe00012347000900070002fff900000000000000ff00000000000e0000";
    assert_eq!(open(&mut b, 0x12345, "119cffff0001234500070000", late), 1);

    let mut a = Bench::new();
    a.command(respray_golden::nic::Command::OpenTx, A, 0x12345, RUD, 0);
    for psn in 0x12345..0x12348 {
        a.send_data(psn).expect("the window is open");
    }
    a.hear_from_b(acks[0]);
    assert_eq!((a.nic.uet_peer(A), a.stands()), (Some(B), (0x12345, 0x12348, 2)));
    assert_eq!(a.told(), [(Kind::Bound, 0x12346, B)]);
    a.hear_from_b(acks[1]);
    a.hear_from_b(acks[2]);
    assert_eq!(a.stands(), (0x12348, 0x12348, 0));
    let rcvd = a.nic.uet_scoreboard().expect("of Ultra Ethernet").connection(A).bytes_rcvd;
    a.hear_from_b(late);
    let c = a.nic.uet_scoreboard().expect("of Ultra Ethernet").connection(A);
    assert_eq!((c.bytes_rcvd, c.snd_una), (rcvd, 0x12348));
}

/// E4: a probe of the block, and its answer.
#[test]
fn a_probe_of_the_block_and_its_answer() {
    let mut a = Bench::new();
    for (name, value) in [("probe", 1), ("probe_timeout", 300), ("rto", 20_000)] {
        a.nic.write_register(name, value);
    }
    let tick = |tick: u64| tick << 3;
    a.nic.advance(tick(0xbeef) - 305 * 32);
    a.command(respray_golden::nic::Command::OpenTx, A, 1000, RUD, B);
    for psn in 1000..1010 {
        a.send_data(psn).expect("the window is open");
    }
    a.nic.advance(tick(0xbeef));
    let probe = "5b08beef000003f100070009000003c0";
    assert_eq!(a.transmitted(), [probe]);

    let mut b = Bench::target(B, 1000, RUD, A);
    for psn in (1000..1010).filter(|psn| *psn != 1005) {
        assert_eq!(b.request(&format!("1180ffff{psn:08x}00070009")), [""; 0], "{psn}");
    }
    let before = *b.nic.uet_receiver().expect("of Ultra Ethernet").connection(B);
    let answer = "4008beef000003ec000900070002ffd40003dfffffffffff0000000000280004";
    b.statuses();
    assert_eq!(b.hear(from_a(probe)), [answer]);
    assert_eq!(b.statuses(), [], "the host gets no probe");
    assert_eq!(*b.nic.uet_receiver().expect("of Ultra Ethernet").connection(B), before);

    a.nic.advance(tick(0xbeef) + 8 * 100);
    a.hear_from_b(answer);
    assert_eq!(a.stands(), (1005, 1010, 1));
    let rtt: Vec<u16> =
        a.events().iter().filter(|event| event.kind == Kind::Rtt).map(|event| event.detail).collect();
    assert_eq!(rtt, [100]);
}

/// E5: the host answers, and holds all its responses until they are cleared.
#[test]
fn a_host_that_answers_holds_the_cumulative_psn_back() {
    let mut b = Bench::target(B, 333, HOST_ANSWERS, A);
    let mut a = Bench::initiator(333, RUD, 4);
    let response = "010000110000000000000000";
    let rest = "00".repeat(20);
    let acks = [
        "420200020000014c000900070002fff40000000000005fff0000000000050001",
        "420200010000014c000900070002fff40000000000007fff0000000000090000",
        "420200040000014c000900070002fff40000000000017fff00000000000e0001",
        "420200030000014c000900070002fff4000000000001ffff0000000000120000",
    ];
    for (psn, ack) in [334, 333, 336, 335].into_iter().zip(acks) {
        assert_eq!(b.request(&format!("1188ffff{psn:08x}00070009")), [""; 0], "the block does not answer");
        let of_host = format!("4202{:04x}0000014c00090007{rest}{response}", psn - 332);
        assert_eq!(b.send_from_b(&of_host), Some(format!("{ack}{response}")));
        a.hear_from_b(&format!("{ack}{response}"));
        assert_eq!(a.told(), [(Kind::ClearRequest, psn, 0)]);
        assert_eq!(a.statuses(), [0], "the host gets the response");
    }
    assert_eq!(a.stands(), (333, 337, 0));
    a.nic.write_register("rto", 1000);
    a.nic.advance(40_000);
    assert_eq!(a.told(), [(Kind::AckRequest, 333, 0)], "nothing is lost");
    a.send_data(337).expect("the window is open");
    assert_eq!(b.request("1188fffd0000015100070009"), [""; 0]);
    let answered = "420000030000014e000900070002fff2000000000003ffff0000000000170000";
    assert_eq!(b.send_from_b(&format!("420200030000014e00090007{rest}{response}")), {
        let mut wanted = format!("{answered}{response}");
        wanted.replace_range(2..4, "02");
        Some(wanted)
    });
    a.hear_from_b(answered);
    assert_eq!(a.stands(), (335, 338, 0));
    // a Clear and an ACK Request are the host's
    b.statuses();
    assert_eq!(b.hear(from_a("59000000000000000007000900000150")), [""; 0]);
    assert_eq!(b.hear(from_a("58800000000001500007000900000011")), [""; 0]);
    assert_eq!(b.statuses(), [4, 1]);
    let last = "4200ffff00000151000900070002ffef000000000003ffff0000000000170000";
    let of_host = format!("4200ffff0000015100090007{rest}{D0}");
    assert_eq!(b.send_from_b(&of_host), Some(format!("{last}{D0}")));
    a.hear_from_b(last);
    assert_eq!(a.stands(), (338, 338, 0));
}

/// E6: a connection in order.
#[test]
fn a_connection_in_order_goes_back() {
    let mut b = Bench::target(10, 0x500, ROD, 8);
    let mut at = |psn: u32, flags: &str| {
        let answers = b.request(&format!("{flags}ffff{psn:08x}0008000a"));
        (answers, b.statuses())
    };
    let none: Vec<String> = Vec::new();
    for psn in [0x500, 0x501] {
        assert_eq!(at(psn, "1980"), (none.clone(), vec![0]));
    }
    let ack = "4200000000000502000a00080002fffe000000000000000700000000000e0000";
    assert_eq!(at(0x502, "1988"), (with_response(ack), vec![0]));
    let nack = "50000d0000000504000a000800000503";
    assert_eq!(at(0x504, "1980"), (vec![nack.to_owned()], vec![9]));
    for psn in 0x505..0x508 {
        assert_eq!(at(psn, "1980"), (none.clone(), vec![9]));
    }
    let answers = [
        "4210000000000503000a00080002fffd000000000000000f0000000000120000",
        "4210000000000507000a00080002fff900000000000000ff0000000000240000",
    ];
    assert_eq!(at(0x503, "1998"), (with_response(answers[0]), vec![0]));
    for psn in 0x504..0x507 {
        assert_eq!(at(psn, "1980"), (none.clone(), vec![0]));
    }
    assert_eq!(at(0x507, "1998"), (with_response(answers[1]), vec![0]));

    // the same frames between connections 7 and 9
    let mut a = Bench::initiator(0x500, ROD, 8);
    let of = |bytes: &str| bytes.replace("000a0008", "00090007");
    a.hear_from_b(&of(ack));
    a.hear_from_b(&of(nack));
    let again = (0x503..0x508).map(|psn| (Kind::Retransmit, psn, 0));
    let wanted: Vec<_> =
        [(Kind::Nack, 0x504, 0x0d), (Kind::Loss, 0x504, 4)].into_iter().chain(again).collect();
    assert_eq!(a.told(), wanted);
    // a peer that tells of each
    a.hear_from_b("50000d00000005050009000700000503");
    assert_eq!(a.told(), [(Kind::Nack, 0x505, 0x0d)]);
    a.hear_from_b(&of(answers[0]));
    a.hear_from_b(&of(answers[1]));
    assert_eq!(a.stands(), (0x508, 0x508, 0));
    assert_eq!(a.told(), [(Kind::RecoveryLeft, 0x508, 0)]);
}

/// A mark comes back in the ACK of its packet, and makes it due if the setting says so.
#[test]
fn a_mark_makes_an_ack_due() {
    for (on_ecn, acks) in [(1, 1), (0, 0)] {
        let mut b = Bench::target(B, 1000, RUD, A);
        b.nic.write_register("ack_on_ecn", on_ecn);
        let frame = marked_from_a(&format!("1180ffff000003e800070009{}", s2()));
        let answers = b.hear(frame);
        assert_eq!(answers.len(), acks);
        assert!(answers.iter().all(|answer| answer.starts_with("4220")), "{answers:?}");
        assert!(b.request("1188ffff000003e900070009")[0].starts_with("4200"), "the next one has none");
    }
}

/// One packet of a connection is timed. Of two copies RETX says which was answered; the time of the second is known.
#[test]
fn a_round_trip_is_that_of_the_copy_that_was_answered() {
    let rtts = |a: &mut Bench| -> Vec<u16> {
        let events = a.events().into_iter().filter(|event| event.kind == Kind::Rtt);
        events.map(|event| event.detail).collect()
    };
    for (copies, ack, wanted) in [
        (1, "3a000000000003e800090007", vec![30]),
        (1, "3a100000000003e800090007", vec![]),
        (2, "3a100000000003e800090007", vec![20]),
        (2, "3a000000000003e800090007", vec![]),
        (3, "3a100000000003e800090007", vec![]),
        // of another packet
        (1, "3a000000000003e900090007", vec![]),
    ] {
        let mut a = Bench::initiator(1000, RUD, 2);
        for copy in 1..copies {
            a.nic.advance(copy * 80);
            a.send(&from_a(&format!("1198ffff000003e800070009{}", s2()))).expect("it may be sent again");
        }
        // ticks of 8 cycles
        a.nic.advance(240);
        a.hear_from_b(ack);
        assert_eq!(rtts(&mut a), wanted, "{copies}, {ack}");
        // the next packet is timed, whatever became of the last one
        a.send_data(1002).expect("the window is open");
        a.nic.advance(320);
        a.hear_from_b("3a000000000003ea00090007");
        assert_eq!(rtts(&mut a).len(), 1, "{copies}, {ack}");
    }
}

/// What is lost beyond the peer's MPR is handed out when that allows it.
#[test]
fn a_recovery_goes_on_when_the_peer_allows_more() {
    let mut a = Bench::new();
    for (name, value) in [("default_mpr", 2), ("cwnd_packets", 4095), ("rto", 1000), ("rto_backoff_max", 7)] {
        a.nic.write_register(name, value);
    }
    a.open_initiator(1000, RUD, 200);
    // the first ACK that says an MPR is taken, whatever it acknowledges: 1
    a.hear_from_b("42000000000003e7000900070001000000000000000000000000000000000000");
    let again = |a: &mut Bench| -> Vec<u32> {
        let told = a.told().into_iter().filter(|(kind, ..)| *kind == Kind::Retransmit);
        told.map(|(_, psn, _)| psn).collect()
    };
    a.told();
    a.nic.advance(40_000);
    assert_eq!(again(&mut a), (1000..1128).collect::<Vec<_>>());
    a.hear_from_b("3a0000000000044b00090007");
    assert_eq!(again(&mut a), (1128..1200).collect::<Vec<_>>());
}
