//! What the path selector hears of ACKs and NACKs: the next packet shows whether it takes their EV again.

use respray_golden::hosts::Port;
use respray_golden::hosts::pds::frame::Outer;
use respray_golden::nic::{Choice, Config, Counter, Kind, Sent};
use respray_golden::selector::SendKind;

use super::super::{A, B, encapsulation, here};
use super::bench::{Bench, ROD, RUD};
use crate::pds::{from_a, hex, s2};

/// The EV of frames of the peer.
const EV: u16 = 77;

/// An ACK of the first packet that came on another path.
fn ack_of(ev: u16) -> Vec<u8> {
    let outer = Outer { from: here(B), to: here(A), ev, dscp: 46, ecn: 0 };
    encapsulation().write(&outer, &hex("3a000000000003e800090007"))
}

/// How the next packet's EV is chosen, and which it is.
fn next(bench: &mut Bench, psn: u32) -> (SendKind, u16) {
    bench.nic.offer(from_a(&format!("1180ffff{psn:08x}00070009{}", s2()))).expect("tx_in has room");
    let transmitted = bench.nic.transmit().expect("the window is open");
    let Sent::Data { kind, .. } = transmitted.sent else { panic!("{:?}", transmitted.sent) };
    (kind, u16::from_be_bytes([transmitted.frame[34], transmitted.frame[35]]))
}

#[test]
fn the_selector_hears_of_each_ack_and_nack_what_it_says_of_its_path() {
    let cases = [
        ("an ACK", "3a000000000003e800090007", true),
        ("an ACK with M", "3a200000000003e800090007", false),
        ("one that was overtaken", "3a000000000003de00090007", true),
        ("one that acknowledges nothing", "3a00ffff000003e700090007", true),
        ("one that the scoreboard refuses for its cumulative PSN", "3a000000000004ff00090007", true),
        ("one that it refuses for a PSN that it names", "3a001000000003e800090007", true),
        ("an answer to a probe", "38081234000003e800090007", false),
        ("an ACK of another peer", "3a000000000003e800080007", false),
        ("an ACK of another connection", "3a000000000003e800090006", false),
        ("a NACK of a packet that was trimmed", "50000100000003e80009000700000000", false),
        ("the same, at the last hop", "50000200000003e80009000700000000", true),
        ("the same with M", "50200200000003e80009000700000000", false),
        ("another NACK", "50000b00000003e80009000700000000", true),
        ("the same with M", "50200b00000003e80009000700000000", false),
        ("a NACK of what is not outstanding", "50000b00000003d80009000700000000", false),
        ("a NACK of another peer", "50000b00000003e80008000700000000", false),
    ];
    for (name, bytes, recycles) in cases {
        let mut a = Bench::initiator(1000, RUD, 4);
        a.hear_from_b(bytes);
        let (kind, ev) = next(&mut a, 1004);
        let wanted = if recycles { SendKind::Recycle } else { SendKind::Explore };
        assert_eq!(kind, wanted, "{name}");
        assert!(!recycles || ev == EV, "{name}: {ev}");
    }
}

/// A NACK of a trimmed packet comes to the selector, but as no ACK: one selector takes the EV of whatever answers a packet, and the
/// other one only that of an ACK without a mark.
#[test]
fn a_trimmed_packet_is_a_nack_of_the_selector() {
    for (selector, takes) in [(Choice::Mprdma, true), (Choice::reps(), false)] {
        let mut a = Bench::of(Config { selector, ..Bench::config() });
        a.open_initiator(1000, RUD, 4);
        // of another path, which the next packet takes if the NACK says nothing
        a.hear(ack_of(EV + 1));
        a.hear_from_b("50000100000003e90009000700000000");
        assert_eq!(next(&mut a, 1004).1 == EV, takes, "{selector:?}");
        // a NACK of what is not outstanding does not
        let mut a = Bench::of(Config { selector, ..Bench::config() });
        a.open_initiator(1000, RUD, 4);
        a.hear(ack_of(EV + 1));
        a.hear_from_b("50000100000003d90009000700000000");
        assert_ne!(next(&mut a, 1004).1, EV, "{selector:?}");
    }
}

/// A connection in order has one EV, whatever comes.
#[test]
fn a_connection_in_order_has_one_ev() {
    let mut a = Bench::initiator(1000, ROD, 4);
    let counter = |a: &Bench| [Counter::Explore, Counter::Recycle].map(|counter| a.nic.counter(counter));
    assert_eq!(counter(&a), [0, 0], "no packet counts for the EV that is drawn when it is opened");
    let first = next(&mut a, 1004);
    for bytes in ["3a000000000003e800090007", "50000100000003e90009000700000000", "3a200000000003e900090007"]
    {
        a.hear_from_b(bytes);
        a.told();
    }
    a.nic.write_register("rto", 100);
    a.nic.advance(10_000);
    assert!(a.nic.counter(Counter::LossTimeout) > 0);
    let events = a.events();
    assert!(events.iter().all(|event| event.kind != Kind::FreezeEntered), "no timeout of the selector");
    for psn in 1005..1010 {
        assert_eq!(next(&mut a, psn), first);
    }
    assert_eq!((counter(&a), a.nic.uet_peer(A)), ([0, 0], Some(9)));
}
