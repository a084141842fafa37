//! Headers that few peers send, and what the host's own ACKs keep.

use respray_golden::hosts::Port;
use respray_golden::hosts::pds::frame::Outer;
use respray_golden::hosts::pds::{Carrier, Encapsulation};
use respray_golden::nic::{Command, Config, Counter};

use super::super::{A, B, encapsulation, here};
use super::bench::{Bench, HOST_ANSWERS, RUD};
use crate::pds::{D0, from_a, from_b, hex, s2, text};

/// A request with credit has 4 bytes more, which count as all behind the first 12 do.
#[test]
fn requests_with_credit_count_their_longer_header() {
    let size = 4 + 44 + 1024 + 60;
    let header = "6988ffff000003e80007000900000000";
    let mut b = Bench::target(B, 1000, RUD, A);
    assert_eq!(b.request(header).len(), 1);
    assert_eq!(b.nic.uet_receiver().expect("of Ultra Ethernet").connection(B).rcvd_bytes, size);
    let mut a = Bench::initiator(1000, RUD, 0);
    a.send(&from_a(&format!("{header}{}", s2()))).expect("the window is open");
    let c = a.nic.uet_scoreboard().expect("of Ultra Ethernet").connection(A);
    assert_eq!(u64::from(c.bytes_flight()), size);
}

/// A NOOP takes a PSN. The block answers it without a response, or the host does.
#[test]
fn a_noop_is_of_who_answers() {
    let noop = "58080000000003e80007000900000000";
    let ack = "40000000000003e8000900070002ffd8000001ffffffffff0000000000000000";
    let mut b = Bench::target(B, 1000, RUD, A);
    assert_eq!((b.hear(from_a(noop)), b.statuses()), (vec![ack.to_owned()], vec![]));
    let mut b = Bench::target(B, 1000, HOST_ANSWERS, A);
    assert_eq!((b.hear(from_a(noop)), b.statuses()), (vec![], vec![0]));
}

/// The block completes an ACK of the host: what the host knows alone stays, and the UDP checksum is right.
#[test]
fn what_the_host_says_in_its_acks_stays() {
    let Carrier::Udp { port, .. } = encapsulation().carrier else { panic!("it is UDP") };
    let with_checksum = Encapsulation { carrier: Carrier::Udp { port, checksum: true }, ..encapsulation() };
    let mut b = Bench::target(B, 1000, HOST_ANSWERS, A);
    b.request("1188ffff000003e800070009");
    // M, RETX, a request to clear, service time and flags of the congestion state
    let of_host = format!("42320000000003e80009000705{}1234ff000000ffff{D0}", "ff".repeat(11));
    let outer = Outer { from: here(B), to: here(A), ev: 0x4711, dscp: 40, ecn: 1 };
    b.nic.offer(with_checksum.write(&outer, &hex(&of_host))).expect("tx_in has room");
    let frame = b.nic.transmit().expect("it leaves").frame;
    assert_ne!(frame[40..42], [0; 2]);
    // which refuses a wrong checksum
    let packet = with_checksum.read(&frame).expect("it can be read");
    assert_eq!((packet.outer.ev, packet.outer.dscp, packet.outer.ecn), (0x4711, 40, 1));
    let left = "42320000000003e8000900070502ffd8000001ffffffffff1234000000050000";
    assert_eq!(text(&frame), format!("{left}{D0}"));
}

/// An ACK that the host is to get waits for its grant, and changes nothing before.
#[test]
fn acks_for_the_host_wait_for_its_grants() {
    let mut a = Bench::of(Config { rx_credit: true, ..Bench::config() });
    a.nic.write_register("rx_acks", 2);
    a.open_initiator(1000, RUD, 4);
    let before = a.state();
    let ack = from_b("3a000000000003e800090007");
    a.hear(ack.clone());
    assert_eq!((a.statuses(), a.state(), a.nic.counter(Counter::NoCredit)), (vec![], before, 1));
    a.nic.write_register("rx_credit", 1);
    a.hear(ack);
    assert_eq!((a.statuses(), a.stands()), (vec![0], (1001, 1004, 3)));
}

/// A probe says where its connection stood when it became due, whatever is acknowledged meanwhile.
#[test]
fn a_probe_says_what_was_outstanding_when_it_became_due() {
    for acked in [1003, 1002] {
        let mut a = Bench::new();
        a.nic.write_register("probe", 1);
        a.nic.write_register("probe_timeout", 100);
        a.command(Command::OpenTx, A, 1000, RUD, B);
        (1000..1004).for_each(|psn| _ = a.send_data(psn).expect("the window is open"));
        a.nic.advance(5_000);
        let sent = a.hear_from_b(&format!("3a000000{acked:08x}00090007"));
        let [probe] = &sent[..] else { panic!("{sent:?}") };
        assert_eq!((&probe[..4], &probe[8..]), ("5b08", "000003eb00070009000003c0"));
    }
}
