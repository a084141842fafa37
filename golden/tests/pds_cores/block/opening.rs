//! Who a packet is of: SYN, `accept`, the first ACK, and what is of another peer.

use respray_golden::hosts::Port;
use respray_golden::nic::{Command, Config, Counter, Kind};

use super::super::{A, B};
use super::bench::{Bench, HOST_ANSWERS, ROD, RUD};
use crate::pds::{D0, from_a, s2};

/// `accept` for connection 9; the status, and the code of the NACK that is due.
fn accept(b: &mut Bench, psn: u32, flags: u32) -> (u32, u32) {
    let registers =
        [("command_psn", psn), ("command_bytes", 1068), ("command_flags", flags), ("accept", B.into())];
    registers.iter().for_each(|(name, value)| b.nic.write_register(name, *value));
    (b.nic.read_register("result_status"), b.nic.read_register("result_nack"))
}

#[test]
fn packets_with_syn_change_nothing_however_many_there_are() {
    let mut b = Bench::target(B, 1000, RUD, A);
    b.command(Command::OpenTx, A, 500, RUD, 0);
    let before = b.state();
    let mut count = 0;
    for at in 0..200_u32 {
        // any connection of any peer, also the one that is open
        let source = if at % 3 == 0 { u32::from(A) } else { at };
        let psn = 1000_u32.wrapping_add(at.wrapping_mul(0x0123_4567));
        assert_eq!(b.request(&format!("1184ffff{psn:08x}{source:04x}{:04x}", at & 0xfff)), [""; 0]);
        // NOOP and Negotiation may open a connection, too
        assert_eq!(b.hear(from_a(&format!("580c0000{psn:08x}{source:04x}000000000000"))), [""; 0]);
        assert_eq!(b.hear(from_a(&format!("5c840000{psn:08x}{source:04x}000000000000"))), [""; 0]);
        count += b.statuses().into_iter().filter(|status| *status == 8).count();
    }
    assert_eq!((count, b.nic.counter(Counter::RxUnbound)), (600, 600));
    assert_eq!((b.state(), b.told()), (before.clone(), vec![]));
    // where the host takes none they are dropped
    for _ in 0..200 {
        b.request("1184ffff0000000100070000");
    }
    let dropped = b.nic.counter(Counter::RxDroppedHost);
    assert_eq!(dropped + b.statuses().len() as u64, 200);
    assert!(dropped > 0);
    assert_eq!(b.state(), before);
}

#[test]
fn packets_with_syn_wait_for_grants_of_the_host() {
    let mut b = Bench::of(Config { rx_credit: true, ..Bench::config() });
    b.request("1184ffff0000000100070000");
    assert_eq!((b.statuses(), b.nic.counter(Counter::NoCredit)), (vec![], 1));
    b.nic.write_register("rx_credit", 1);
    b.request("1184ffff0000000100070000");
    assert_eq!(b.statuses(), [8]);
}

/// A packet that is accepted leaves the receiver as the same packet without SYN, once its ACK has left.
#[test]
fn what_is_accepted_is_received() {
    for (mode, psns) in [(RUD, [1002, 1000, 1002, 1001]), (ROD, [1000, 1001, 1000, 1002])] {
        let [mut with, mut without] = [0, 1].map(|_| Bench::target(B, 1000, mode, A));
        let kind = if mode == ROD { "19" } else { "11" };
        for psn in psns {
            with.request(&format!("{kind}8cffff{psn:08x}00070000"));
            assert_eq!(with.statuses(), [8]);
            let (status, nack) = accept(&mut with, psn, 1);
            assert_eq!(nack, 0);
            let ack = format!("42000000{psn:08x}00090007{}{D0}", "00".repeat(20));
            let of_host = with.send_from_b(&ack);
            let of_block = without.request(&format!("{kind}88ffff{psn:08x}00070009"));
            assert_eq!(of_host.into_iter().collect::<Vec<_>>(), of_block, "{psn}");
            assert_eq!(without.statuses(), [status as u8], "{psn}");
            let epsn = |bench: &Bench| *bench.nic.uet_receiver().expect("of Ultra Ethernet").connection(B);
            let (mut with, without) = (epsn(&with), epsn(&without));
            // of no meaning where the block answers
            with.cleared = without.cleared;
            assert_eq!(with, without, "{psn}");
        }
    }
}

#[test]
fn what_is_not_accepted_has_its_nack() {
    for (mode, psn, wanted) in [
        (RUD, 1000 + 256, (2, 0x15)),
        (RUD, 1000_u32.wrapping_sub(40_000), (2, 0x0b)),
        (ROD, 1001, (6, 0x0d)),
        (HOST_ANSWERS, 1000 + 256, (2, 0x15)),
    ] {
        let mut b = Bench::target(B, 1000, mode, A);
        let receiver = |b: &Bench| b.nic.uet_receiver().expect("of Ultra Ethernet").connection(B).arrivals;
        let before = receiver(&b);
        assert_eq!(accept(&mut b, psn, 1), wanted, "{psn}");
        assert_eq!(receiver(&b), before);
    }
    let mut b = Bench::new();
    assert_eq!(accept(&mut b, 1000, 1), (7, 0), "the connection is not open");
}

/// The ACK of an accepted packet is one for all that came since the last one, as the ACK of any packet.
#[test]
fn the_ack_of_an_accepted_packet_begins_where_that_of_any_other_does() {
    let [mut with, mut without] = [0, 1].map(|_| Bench::target(B, 1000, RUD, A));
    for bench in [&mut with, &mut without] {
        assert_eq!(bench.request("1180ffff000003e900070009"), [""; 0], "nobody asks for an ACK");
    }
    let psn = 1150;
    assert_eq!(accept(&mut with, psn, 1), (0, 0));
    let ack = with.send_from_b(&format!("42000000{psn:08x}00090007{}{D0}", "00".repeat(20)));
    assert_eq!(without.request(&format!("1188ffff{psn:08x}00070009")), ack.into_iter().collect::<Vec<_>>());
}

/// The first ACK says who the peer is; from then on nobody else is heard.
#[test]
fn an_ack_of_another_peer_changes_nothing() {
    let mut a = Bench::new();
    a.command(Command::OpenTx, A, 1000, RUD, 0);
    (1000..1004).for_each(|psn| _ = a.send_data(psn).expect("the window is open"));
    // neither a NACK, nor an answer to a probe, nor what cannot be true says who it is
    for bytes in [
        "50000b00000003e80009000700000000",
        "38081234000003e700090007",
        "3a000000000004ff00090007",
        "3a000000000003e800000007",
    ] {
        a.hear_from_b(bytes);
        assert_eq!(a.nic.uet_peer(A), None, "{bytes}");
    }
    a.told();
    a.hear_from_b("3a000000000003e800090007");
    assert_eq!(a.told(), [(Kind::Bound, 1000, B)]);
    assert_eq!(a.stands(), (1001, 1004, 3));
    let before = a.state();
    for bytes in ["3a000000000003e900080007", "3a000000000003e900000007", "50000100000003e90008000700000000"]
    {
        a.hear_from_b(bytes);
        assert_eq!(a.state(), before, "{bytes}");
        assert!(matches!(a.told()[..], [(Kind::BadAck, _, 6)]), "{bytes}");
    }
    // a peer that has no connection has no number for it
    a.hear_from_b("50000100000003e90000000700000000");
    assert_eq!(a.told(), [(Kind::Nack, 1001, 1), (Kind::Retransmit, 1001, 1)]);
}

/// Both directions of a connection have one peer; a connection that is opened anew has none.
#[test]
fn a_peer_is_forgotten_with_both_directions() {
    let mut a = Bench::new();
    a.command(Command::OpenTx, A, 1000, RUD, B);
    a.command(Command::OpenRx, A, 2000, RUD, 0);
    assert_eq!(a.nic.uet_peer(A), Some(B));
    a.command(Command::CloseTx, A, 0, RUD, 0);
    assert_eq!(a.nic.uet_peer(A), Some(B));
    let request = from_a(&format!("1188ffff000007d000090007{}", s2()));
    assert_eq!(a.hear(request.clone()).len(), 1);
    a.command(Command::CloseRx, A, 0, RUD, 0);
    assert_eq!(a.nic.uet_peer(A), None);
    a.told();
    a.statuses();
    assert_eq!(a.hear(request), [""; 0]);
    assert_eq!((a.statuses(), a.told()), (vec![7], vec![(Kind::Stray, 2000, 7)]));
    a.hear_from_b("3a000000000003e800090007");
    assert_eq!(a.told(), [(Kind::BadAck, 1001, 7)]);
}
