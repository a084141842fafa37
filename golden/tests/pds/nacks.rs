//! NACKs at an initiator: vectors 40 to 44, and what each code does.

use respray_golden::hosts::pds::{Config, Event, Fault, Feedback, Mode, Refusal};

use super::acks::config;
use super::{A, Found, drain, from_b, initiator, pdc, poll_all, same};

fn nack(code: u8, psn: u32, source: u16) -> String {
    format!("5000{code:02x}00{psn:08x}{source:04x}000700000000")
}

/// PSNs of the frames that leave.
fn sent(endpoint: &mut super::Endpoint, now: u64) -> Vec<u32> {
    let psn = |text: &String| u32::from_str_radix(&text[8..16], 16).expect("a header");
    poll_all(endpoint, now).iter().map(psn).collect()
}

/// Of a window that is full, so that nothing new leaves.
fn full(fault: Option<Fault>) -> Config {
    Config { cwnd: 8, ..config(fault) }
}

/// Vectors 40 and 41, and what a chooser hears.
#[test]
fn trimmed_packets_are_sent_again_at_once() {
    for (bytes, psn, heard) in [
        ("50000100000003ea0009000700000000", 1002, Feedback::Trimmed(77)),
        ("50200200000003eb0009000700000000", 1003, Feedback::Marked(77)),
        ("50000200000003eb0009000700000000", 1003, Feedback::Good(77)),
    ] {
        let (mut endpoint, recorder) = initiator(full(None), Mode::Rud, 8);
        endpoint.receive(&from_b(bytes), 1000);
        assert_eq!(endpoint.pdc(A).unwrap().sender().in_flight(), 8, "it stays in flight");
        assert_eq!(sent(&mut endpoint, 1000), [psn]);
        assert_eq!(recorder.read(), [heard]);
    }
}

/// Vectors 42 and 44: an event, and nothing is sent.
#[test]
fn some_codes_are_told_alone() {
    for (bytes, code, payload) in [
        ("50000b00000003ef0009000700000000", 0x0b, 0),
        ("50101800000003ea0009000700000000", 0x18, 0),
        ("50001700000003e8000000075a5a0000", 0x17, 0x5a5a_0000),
    ] {
        let (mut endpoint, _) = initiator(full(None), Mode::Rud, 8);
        endpoint.receive(&from_b(bytes), 1000);
        let events = drain(&mut endpoint);
        assert!(
            matches!(events[..], [Event::Nack { pdc: A, code: c, payload: p, .. }] if (c, p) == (code, payload)),
            "{events:?}"
        );
        assert_eq!(sent(&mut endpoint, 1000), [0; 0]);
    }
}

/// Vector 44: a NACK with spdcid 0 is taken, and 0E ends the connection.
#[test]
fn a_fatal_code_ends_the_connection() {
    let (mut endpoint, _) = initiator(full(None), Mode::Rud, 8);
    endpoint.receive(&from_b("50000e00000003ea0000000700000000"), 1000);
    let unfinished = vec![0];
    assert_eq!(
        drain(&mut endpoint),
        [
            Event::Nack { pdc: A, code: 0x0e, psn: 1002, payload: 0 },
            Event::Ended { pdc: A, code: 0x0e, unfinished }
        ]
    );
    assert!(endpoint.pdc(A).is_none());
}

/// Vector 43, and NACKs of packets that are not outstanding: nothing changes.
#[test]
fn nacks_of_what_is_not_outstanding_are_refused() {
    for (bytes, refusal) in [
        ("50000100000003f00009000700000000".to_owned(), Refusal::BadNack),
        ("50080100deadbeef0000000000000000".to_owned(), Refusal::OtherType),
        (nack(1, 999, 9), Refusal::BadNack),
        (nack(1, 1002, 10), Refusal::WrongPeer),
        (nack(0x0e, 1008, 0), Refusal::BadNack),
    ] {
        let (mut endpoint, _) = initiator(full(None), Mode::Rud, 8);
        let before = format!("{:?}", endpoint.pdc(A));
        endpoint.receive(&from_b(&bytes), 1000);
        assert_eq!(endpoint.counts().refused(refusal), 1, "{bytes}");
        assert_eq!(format!("{:?}", endpoint.pdc(A)), before);
    }
}

/// A packet that is marked is not sent again; an unmarked one for each NACK that comes behind the last copy.
#[test]
fn each_nack_of_an_unmarked_packet_sends_it_once() {
    let (mut endpoint, _) = initiator(full(None), Mode::Rud, 8);
    endpoint.receive(&from_b("3a000002000003e700090007"), 1000);
    let _ = sent(&mut endpoint, 1000);
    endpoint.receive(&from_b(&nack(1, 1001, 9)), 1000);
    assert_eq!(sent(&mut endpoint, 1000), [0; 0], "it is marked");
    for copies in [1, 1] {
        endpoint.receive(&from_b(&nack(1, 1002, 9)), 1000);
        assert_eq!(sent(&mut endpoint, 1000), vec![1002; copies]);
    }
    endpoint.receive(&from_b(&nack(1, 1003, 9)), 1000);
    endpoint.receive(&from_b(&nack(1, 1003, 9)), 1000);
    assert_eq!(sent(&mut endpoint, 1000), [1003], "the second came before the copy left");
}

/// Codes of resources, and of the window, wait before the packet is sent again.
#[test]
fn what_had_no_room_is_sent_again_later() {
    for code in [4, 5, 6, 7, 8, 9, 10, 11, 0xfe] {
        let (mut endpoint, _) = initiator(full(None), Mode::Rud, 8);
        endpoint.receive(&from_b(&nack(code, 1005, 9)), 1000);
        let at = 1000 + full(None).nack_retx;
        assert_eq!(sent(&mut endpoint, at - 1), [0; 0], "{code}");
        assert_eq!(endpoint.wake_at(), Some(at));
        assert_eq!(sent(&mut endpoint, at), [1005], "{code}");
    }
}

/// Of every code: whether the packet goes again at once or later, and whether the connection ends.
#[test]
fn every_code_does_what_its_table_says() {
    for code in 0..=u8::MAX {
        let (now, later, ends) = match code {
            0x01 | 0x02 | 0x12 | 0x14 | 0x1a => (true, true, false),
            0x04..=0x0b | 0xfe => (false, true, false),
            0x0e | 0x0f | 0x10 | 0x11 | 0x13 | 0x15 | 0x16 | 0x19 | 0xff => (false, false, true),
            _ => (false, false, false),
        };
        let (mut endpoint, _) = initiator(full(None), Mode::Rud, 8);
        endpoint.receive(&from_b(&nack(code, 1003, 9)), 1000);
        let mut psns = sent(&mut endpoint, 1000);
        assert_eq!(psns == [1003], now, "{code:x}");
        psns.extend(sent(&mut endpoint, 1000 + full(None).nack_retx));
        assert_eq!(psns == [1003], later, "{code:x}");
        let events = drain(&mut endpoint);
        assert!(matches!(events[0], Event::Nack { code: told, psn: 1003, .. } if told == code));
        assert_eq!(events.iter().any(|event| matches!(event, Event::Ended { .. })), ends, "{code:x}");
        assert_eq!(endpoint.pdc(A).is_none(), ends);
    }
}

/// 12 and 1A: at once. 14: at once, even if it is marked, unless its response has come.
#[test]
fn answers_to_an_ack_request_send_again() {
    for code in [0x12, 0x1a, 0x14] {
        let (mut endpoint, _) = initiator(full(None), Mode::Rud, 8);
        endpoint.receive(&from_b(&nack(code, 1005, 9)), 1000);
        assert_eq!(sent(&mut endpoint, 1000), [1005], "{code:x}");
    }
    // a bitmap says that 1001 has come, and nothing brought its response
    let marks = "42000001000003e70009000700020001000000000000000300000000000e0001";
    for (code, again) in [(0x14, vec![1001]), (0x12, vec![])] {
        let (mut endpoint, _) = initiator(full(None), Mode::Rud, 8);
        endpoint.receive(&from_b(marks), 1000);
        let _ = sent(&mut endpoint, 1000);
        endpoint.receive(&from_b(&nack(code, 1001, 9)), 1000);
        assert_eq!(sent(&mut endpoint, 1000), again, "{code:x}");
    }
}

/// 17 before the first ACK: all goes again from another Start_PSN.
#[test]
fn a_new_start_psn_is_taken_before_the_first_ack() {
    let (mut endpoint, _) = super::endpoint(full(None));
    endpoint.open(super::address(2), Mode::Rud).unwrap();
    endpoint.submit(A, &super::message(3 * 1024));
    assert_eq!(sent(&mut endpoint, 0), [1000, 1001, 1002]);
    endpoint.receive(&from_b("50001700000003e8000000075a5a0000"), 1000);
    let frames = poll_all(&mut endpoint, 1000);
    let headers: Vec<&str> = frames.iter().map(|frame| &frame[..24]).collect();
    assert_eq!(
        headers,
        ["119cffff5a5a000000070000", "119cfffe5a5a000100070001", "119cfffd5a5a000200070002"],
        "offsets count from the new Start_PSN"
    );
}

/// ROD: any number of NACKs of one gap gives one pass, and a timeout another.
pub(super) fn one_pass_for_a_gap(fault: Option<Fault>) -> Found {
    let (mut endpoint, recorder) = initiator(full(fault), Mode::Rod, 8);
    endpoint.receive(&from_b("3a000000000003ea00090007"), 1000);
    let _ = sent(&mut endpoint, 1000);
    recorder.read();
    for (psn, again) in [(1005u32, (1003..1011).collect::<Vec<u32>>()), (1006, vec![]), (1004, vec![])] {
        endpoint.receive(&from_b(&nack(0x0d, psn, 9)), 1000);
        same("sent again", sent(&mut endpoint, 1000), again)?;
    }
    // a trimmed copy, too, waits for the timeout
    endpoint.receive(&from_b(&nack(1, 1003, 9)), 1000);
    same("sent again of a trimmed copy", sent(&mut endpoint, 1000), vec![])?;
    same("a chooser hears nothing", recorder.read(), vec![])?;
    let later = 1000 + full(fault).rto;
    same("sent again of a timeout", sent(&mut endpoint, later).len(), 8)?;
    endpoint.receive(&from_b(&nack(1, 1004, 9)), later);
    same("sent again from a trimmed packet on", sent(&mut endpoint, later), (1004..1011).collect())?;
    same("una", pdc(&endpoint, A)?.sender().una(), 1003)
}

#[test]
fn rod_goes_back_once_for_a_gap() {
    one_pass_for_a_gap(None).unwrap();
}
