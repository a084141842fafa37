//! How connections end.

use respray_golden::hosts::pds::headers::{Ctl, Mode};
use respray_golden::hosts::pds::{Config, Event, Refusal, Taken};

use super::receiving::target;
use super::{
    A, B, address, config_a, config_b, drain, endpoint, from_a, from_b, initiator, message, only, poll_all,
    s2,
};

/// An initiator closes once all is acknowledged; its Close goes again until an ACK comes.
#[test]
fn an_initiator_closes() {
    let (mut a, _) = initiator(config_a(None), Mode::Rud, 0);
    let rto = config_a(None).rto;
    a.submit(A, &message(10));
    a.close(A);
    assert_eq!(poll_all(&mut a, 0).len(), 1);
    a.receive(&from_b("3a000000000003e800090007"), 10);
    assert_eq!(only(&mut a, 10).unwrap(), "5a080000000003e90007000900000000");
    assert_eq!(only(&mut a, 10 + rto).unwrap(), "5a180000000003e90007000900000000");
    drain(&mut a);
    a.receive(&from_b("38100000000003e900090007"), 20 + rto);
    assert!(drain(&mut a).contains(&Event::Closed { pdc: A }));
    assert_eq!((a.pdcs().count(), a.wake_at()), (0, None));
    a.receive(&from_b("38100000000003e900090007"), 30 + rto);
    assert_eq!(a.counts().refused(Refusal::UnknownPdc), 1);
}

/// One that nobody has heard of is gone at once.
#[test]
fn what_was_never_opened_is_closed_at_once() {
    let (mut a, _) = endpoint(config_a(None));
    a.open(address(2), Mode::Rud).expect("there is room");
    a.close(A);
    assert_eq!(poll_all(&mut a, 0), Vec::<String>::new());
    assert_eq!(drain(&mut a), [Event::Closed { pdc: A }]);
}

/// A target answers copies until its time is over, refuses what lies beyond the Close, and then knows nothing.
#[test]
fn a_target_lingers() {
    let linger = config_b(None).linger;
    let mut b = target(config_b(None), Mode::Rud, 1000);
    let data = format!("1188ffff000003e800070009{}", s2());
    b.receive(&from_a(&data), 0);
    b.receive(&from_a("5a080000000003e90007000900000000"), 0);
    assert_eq!(poll_all(&mut b, 0).len(), 2);
    assert_eq!(drain(&mut b), [Event::Closed { pdc: B }]);
    for late in [data.as_str(), "5a180000000003e90007000900000000"] {
        b.receive(&from_a(late), 10);
        assert_eq!(poll_all(&mut b, 10).len(), 1, "a copy is answered");
    }
    assert_eq!(b.counts().taken(Taken::Duplicate), 2);
    b.receive(&from_a(&format!("1188ffff000003ea00070009{}", s2())), 10);
    assert_eq!(only(&mut b, 10).unwrap(), "50001000000003ea0009000700000000");
    assert_eq!(b.counts().refused(Refusal::Closing), 1);
    assert_eq!(b.wake_at(), Some(linger));
    assert_eq!(poll_all(&mut b, linger), Vec::<String>::new());
    assert_eq!(b.pdcs().count(), 0);
    b.receive(&from_a("5a180000000003e90007000900000000"), linger);
    assert_eq!(only(&mut b, linger).unwrap(), "50100e00000003e90000000700000000");
}

/// A peer that uses its PDCID again opens a new connection, while the old one lingers.
#[test]
fn a_pdcid_may_be_used_again() {
    let mut b = target(config_b(None), Mode::Rud, 1000);
    b.receive(&from_a("5a080000000003e80007000900000000"), 0);
    poll_all(&mut b, 0);
    b.receive(&from_a(&format!("118cffff0012345600070000{}", s2())), 1);
    assert_eq!(only(&mut b, 1).unwrap()[..24], *"4200000000123456000a0007");
    assert_eq!(b.pdcs().collect::<Vec<_>>(), [10]);
}

/// A target that still sends cannot be closed: NACK 11 with the packets in flight, which ends the initiator's
/// connection.
#[test]
fn a_target_that_sends_refuses_to_close() {
    let mut b = target(config_b(None), Mode::Rud, 1000);
    b.submit(B, &message(3000));
    assert_eq!(poll_all(&mut b, 0).len(), 3);
    let before = b.pdc(B).expect("it is open").receiver().epsn();
    b.receive(&from_a("5a080000000003e80007000900000000"), 1);
    assert_eq!(only(&mut b, 1).unwrap(), "50001100000003e80009000700000003");
    assert_eq!(b.pdc(B).expect("it is open").receiver().epsn(), before);
    assert_eq!(b.counts().refused(Refusal::Busy), 1);
}

/// Close Request and the flag of an ACK ask an initiator to close.
#[test]
fn a_target_asks_for_a_close() {
    let mut b = target(config_b(None), Mode::Rud, 1000);
    b.control(B, Ctl::CloseRequest);
    let asked = only(&mut b, 0).unwrap();
    assert_eq!(asked, "5a880000000003e80009000700000000");
    for bytes in [asked.as_str(), "3804fff0000003e700090007"] {
        let (mut a, _) = initiator(config_a(None), Mode::Rud, 0);
        a.receive(&from_b(bytes), 5);
        assert!(drain(&mut a).contains(&Event::CloseRequest { pdc: A }));
        let frames = poll_all(&mut a, 5);
        assert_eq!(frames.last().map(String::as_str), Some("5a080000000003e80007000900000000"), "{bytes}");
    }
}

/// Data goes both ways over one connection, both from the same Start_PSN.
#[test]
fn a_target_sends_too() {
    let mut b = target(config_b(None), Mode::Rud, 1000);
    b.submit(B, &message(100));
    let frame = b.poll(0).expect("a request");
    let text = super::text(&frame);
    assert_eq!(&text[..24], "1188ffff000003e800090007", "no SYN: it knows its peer");
    let (mut a, _) = initiator(Config { start_psn: Some(1000), ..config_a(None) }, Mode::Rud, 0);
    a.receive(&frame, 0);
    assert_eq!(a.delivered().expect("it has come").bytes, message(100).bytes);
    assert_eq!(only(&mut a, 0).unwrap()[..24], *"42000000000003e800070009");
}
