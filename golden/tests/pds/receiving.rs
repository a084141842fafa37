//! Frames at a target: vectors 46 to 57, and the bases of vectors 21 to 24 as this end writes them.

use respray_golden::hosts::pds::frame::{ECT_0, Outer, trim};
use respray_golden::hosts::pds::headers::Mode;
use respray_golden::hosts::pds::{
    Base, Carrier, Config, Encapsulation, Endpoint, Event, Fault, Life, Refusal, Taken,
};

use super::{
    A, B, D0, Found, TRIMMED, TRIMMED_LAST, address, config_b, drain, encapsulation, endpoint, from_a, hex,
    only, pdc, poll_all, s2, same, text,
};

/// A target whose connection `B`, or 10 of ROD, has the peer `A`, or 8.
pub(super) fn target(config: Config, mode: Mode, start: u32) -> Endpoint {
    let (peer, first_pdc) = match mode {
        Mode::Rud => (A, B),
        Mode::Rod => (8, 10),
    };
    let (mut endpoint, _) = endpoint(Config { first_pdc, ..config });
    endpoint.accept(address(1), mode, peer, start).expect("there is room");
    drain(&mut endpoint);
    endpoint
}

/// Vectors 46, 47 and 54: SYNs open a connection at Start_PSN.
pub(super) fn syns(fault: Option<Fault>) -> Found {
    for (bytes, mode, start, psn) in [
        ("118cffff0001234500070000", Mode::Rud, 0x12345, 0x12345),
        ("1184fffe0001234600070001", Mode::Rud, 0x12345, 0x12346),
        ("1184fffd0001234700071002", Mode::Rud, 0x12345, 0x12347),
        ("582c0000000007000008000000000000", Mode::Rod, 0x700, 0x700),
    ] {
        let (mut endpoint, _) = endpoint(config_b(fault));
        let tail = if bytes.len() == 24 { s2() } else { String::new() };
        endpoint.receive(&from_a(&format!("{bytes}{tail}")), 0);
        let pdc = pdc(&endpoint, B)?;
        same("Start_PSN, mode", (pdc.receiver().start(), pdc.receiver().mode()), (start, mode))?;
        same("received", pdc.receiver().is_received(psn), true)?;
        same("peer", pdc.peer(), Some(if mode == Mode::Rod { 8 } else { A }))?;
        same("opened", matches!(drain(&mut endpoint)[..], [Event::Opened { .. }]), true)?;
    }
    Ok(())
}

/// Vector 47: a request of ROD. Vector 48: a request without a byte counts 60 bytes.
#[test]
fn requests_are_taken() {
    let mut rod = target(config_b(None), Mode::Rod, 0x500);
    rod.receive(&from_a(&format!("1980ffff000005000008000a{}", s2())), 0);
    assert_eq!(rod.pdc(10).unwrap().receiver().epsn(), 0x501);
    assert_eq!(rod.delivered().expect("a message of one packet").bytes.len(), 1024);
    let mut rud = target(config_b(None), Mode::Rud, 1000);
    rud.receive(&from_a("10080000000003e800070009"), 0);
    // 60 bytes are one unit of 256
    let wanted = "42000000000003e8000900070002ffd8000001ffffffffff0000000000010000";
    assert_eq!(only(&mut rud, 0).unwrap(), format!("{wanted}{}", "00".repeat(12)));
    assert!(rud.delivered().is_none());
}

/// Behind another header than that of a standard request a packet is a message by itself; a standard one that is cut
/// off is none, and received.
#[test]
fn a_packet_may_be_a_message() {
    let mut endpoint = target(config_b(None), Mode::Rud, 1000);
    endpoint.receive(&from_a("1080ffff000003e800070009c0ffee"), 0);
    let delivered = endpoint.delivered().expect("a message of one packet");
    assert_eq!((delivered.psn, delivered.message, delivered.bytes), (1000, 0, vec![0xc0, 0xff, 0xee]));
    endpoint.receive(&from_a("1180ffff000003e900070009c0ffee"), 0);
    assert_eq!((endpoint.delivered(), endpoint.counts().bad_messages), (None, 1));
    assert_eq!(endpoint.pdc(B).expect("it is open").receiver().epsn(), 1002);
}

/// Vector 49: the ACK of the first packet, 128 to 255 ns later; and an ACK that waits for 9 ms.
pub(super) fn an_ack(fault: Option<Fault>) -> Found {
    for (after, service) in [(127, 0), (128, 1), (255, 1), (256, 2), (9_000_000, 0xffff)] {
        let mut endpoint = target(config_b(fault), Mode::Rud, 1000);
        endpoint.receive(&from_a(&format!("1188ffff000003e800070009{}", s2())), 77);
        let wanted = format!("42000000000003e8000900070002ffd8000001ffffffffff{service:04x}000000050000{D0}");
        same("V49", only(&mut endpoint, 77 + after)?, wanted)?;
    }
    Ok(())
}

/// What a trimming switch leaves of a packet.
pub(super) fn trimmed(bytes: &str, dscp: u8) -> Vec<u8> {
    trim(&from_a(bytes), 24, dscp)
}

/// Vector 50: a trimmed packet gets a NACK with its EV, changes nothing, and opens nothing.
pub(super) fn trimmed_packets(fault: Option<Fault>) -> Found {
    let request = format!("1180ffff000003ea00070009{}", s2());
    for (dscp, code) in [(TRIMMED, "01"), (TRIMMED_LAST, "02")] {
        let mut endpoint = target(config_b(fault), Mode::Rud, 1000);
        let before = format!("{:?}", pdc(&endpoint, B)?);
        endpoint.receive(&trimmed(&request, dscp), 0);
        same("state", format!("{:?}", pdc(&endpoint, B)?), before)?;
        let frame = endpoint.poll(0).ok_or("no NACK")?;
        same("NACK", text(&frame), format!("5000{code}00000003ea0009000700000000"))?;
        let outer = encapsulation().read(&frame).map_err(|error| error.to_string())?.outer;
        same("EV, DSCP, ECN", (outer.ev, outer.dscp, outer.ecn), (77, 46, 0))?;
        // of a packet that was received the same
        endpoint.receive(&from_a(&request), 0);
        let before = format!("{:?}", pdc(&endpoint, B)?);
        endpoint.receive(&trimmed(&request, dscp), 0);
        same("state", format!("{:?}", pdc(&endpoint, B)?), before)?;
        same("NACK", only(&mut endpoint, 0)?, format!("5000{code}00000003ea0009000700000000"))?;
    }
    let (mut endpoint, _) = endpoint(config_b(fault));
    endpoint.receive(&trimmed(&format!("118cffff0001234500070000{}", s2()), TRIMMED), 0);
    same("NACK of a SYN", only(&mut endpoint, 0)?, "50000100000123450000000700000000".to_owned())?;
    same("connections", endpoint.pdcs().count(), 0)
}

/// Answers and control packets that are trimmed are dropped. Less than 24 bytes are no packet.
#[test]
fn what_else_is_trimmed_is_dropped() {
    let mut target = target(config_b(None), Mode::Rud, 1000);
    let before = format!("{:?}", target.pdc(B));
    for bytes in [
        "42000000000003e8000700090002ffd8000001ffffffffff0000000000050000",
        "50000100000003ea0007000900000000",
        "58800000000123460007000900000011",
    ] {
        target.receive(&trimmed(bytes, TRIMMED), 0);
    }
    assert_eq!(target.counts().refused(Refusal::TrimmedAnswer), 3);
    target.receive(&trim(&from_a(&format!("1180ffff000003ea00070009{}", s2())), 23, TRIMMED), 0);
    assert_eq!(target.counts().refused(Refusal::LengthMismatch), 1);
    assert_eq!(poll_all(&mut target, 0), Vec::<String>::new());
    assert_eq!(format!("{:?}", target.pdc(B)), before);
}

/// A target at 12345 that has got 12345 to 12348.
fn with_four() -> Endpoint {
    let mut endpoint = target(config_b(None), Mode::Rud, 0x12345);
    for psn in 0x12345..0x12349u32 {
        endpoint.receive(&from_a(&format!("1180ffff{psn:08x}00070009{}", s2())), 0);
    }
    assert_eq!(poll_all(&mut endpoint, 0), Vec::<String>::new());
    endpoint
}

/// Vector 51: an ACK Request of what was received, and of what was not.
#[test]
fn an_ack_request_is_answered() {
    let mut endpoint = with_four();
    endpoint.receive(&from_a("58800000000123460007000900000011"), 0);
    let ack = only(&mut endpoint, 0).unwrap();
    assert_eq!((&ack[..24], &ack[64..]), ("4200fffe0001234800090007", D0));
    endpoint.receive(&from_a("58800000000123490007000900000011"), 0);
    assert_eq!(only(&mut endpoint, 0).unwrap(), "50001200000123490009000700000000");
    assert_eq!(endpoint.counts().refused(Refusal::NotReceived), 1);
}

/// Vector 52: Clear in both forms marks nothing, and gets no answer.
#[test]
fn a_clear_marks_nothing() {
    for bytes in ["59000000000000000007000900012346", "59000000000123460007000900000000"] {
        let mut endpoint = with_four();
        let before = endpoint.pdc(B).unwrap().receiver().epsn();
        endpoint.receive(&from_a(bytes), 0);
        assert_eq!(endpoint.pdc(B).unwrap().receiver().epsn(), before);
        assert_eq!(poll_all(&mut endpoint, 0), Vec::<String>::new());
        assert_eq!(endpoint.counts().taken(Taken::Control), 1);
    }
}

/// Vector 53: a Close takes a PSN, counts for no byte, and its ACK has no response.
#[test]
fn a_close_takes_a_psn() {
    let mut endpoint = with_four();
    endpoint.receive(&from_a("5a080000000123490007000900000000"), 0);
    // 4 * 1128 bytes are 18 units
    let wanted = "4000000000012349000900070002fff700000000000003ff0000000000120000";
    assert_eq!(only(&mut endpoint, 0).unwrap(), wanted);
    assert!(matches!(endpoint.pdc(B).unwrap().life(), Life::Lingering { close_psn: 0x12349, .. }));
}

/// Vector 55: a probe is answered with its opaque, from its segment on, and nothing changes.
#[test]
fn a_probe_is_answered() {
    let mut endpoint = with_four();
    let before = format!("{:?}", endpoint.pdc(B));
    endpoint.receive(&from_a("5b08beef000123490007000900012346"), 0);
    assert_eq!(
        only(&mut endpoint, 0).unwrap(),
        "4008beef00012348000900070002fff800000000000001ff0000000000120000"
    );
    assert_eq!(format!("{:?}", endpoint.pdc(B)), before);
    for opaque in 0..=u16::MAX {
        endpoint.receive(&from_a(&format!("5b08{opaque:04x}000123490007000900012346")), 0);
        let frame = endpoint.poll(0).expect("it is answered");
        assert_eq!(frame[44..46], opaque.to_be_bytes());
    }
}

/// Vector 56: other types.
#[test]
fn other_types_are_refused() {
    let (mut endpoint, _) = endpoint(config_b(None));
    for (bytes, refusal) in [
        ("0c000001000000050000000000000001", Refusal::OtherType),
        ("01800000000000000000000000000000", Refusal::ReservedType),
        ("79800000000000000000000000000000", Refusal::ReservedType),
    ] {
        let before = endpoint.counts().refused(refusal);
        endpoint.receive(&from_a(bytes), 0);
        assert_eq!(endpoint.counts().refused(refusal), before + 1, "{bytes}");
    }
}

/// Vector 57: the entropy header of IP protocol 253.
#[test]
fn native_packets_are_taken() {
    let native = Encapsulation { carrier: Carrier::Native { protocol: 253 }, ..encapsulation() };
    let mut endpoint = target(Config { encapsulation: native, ..config_b(None) }, Mode::Rud, 0x12345);
    let outer = Outer { from: address(1), to: address(2), ev: 0x4242, dscp: 0, ecn: ECT_0 };
    let frame = native.write(&outer, &hex(&format!("1188fffe0001234a00070009{}", s2())));
    assert_eq!(frame[34..42], hex("424200001188fffe"));
    endpoint.receive(&frame, 0);
    assert!(endpoint.pdc(B).unwrap().receiver().is_received(0x1234a));
    let frame = endpoint.poll(0).expect("an ACK");
    assert_eq!(frame[34..38], hex("42420000"), "the EV comes back");
    let ack = native.read(&frame).unwrap();
    // entropy header, request, 44 + 1024 bytes and 40 more: 1124 bytes
    assert_eq!(ack.bytes[27..30], [0, 0, 5]);
}

/// Vectors 21 to 24: the bases of the block, of K, of P and of H, of what was received there.
pub(super) fn bases(fault: Option<Fault>) -> Found {
    let three = [1000, 1001, 1003].as_slice();
    let most = [1000, 1001, 1003, 1004, 1005, 1006, 1007].as_slice();
    for (base, psns, wanted) in [
        (Base::Segment, three, "42000002000003e9000900070001ffd700000bffffffffff00000000000e0001"),
        (Base::Eights, three, "42000002000003e9000900070001ffff000000000000000b00000000000e0001"),
        (Base::LowestHeld, three, "42000002000003e90009000700010002000000000000000100000000000e0001"),
        (Base::AroundTrigger, most, "42000006000003e90009000700010002000000000000001f00000000001f0005"),
    ] {
        let config = Config { base, receive_window: 128, ..config_b(fault) };
        let mut endpoint = target(config, Mode::Rud, 1000);
        let (last, others) = psns.split_last().expect("there are some");
        for psn in others {
            endpoint.receive(&from_a(&format!("1180ffff{psn:08x}00070009{}", s2())), 0);
        }
        let clear = 1001 - *last;
        endpoint.receive(&from_a(&format!("1188{:04x}{last:08x}00070009{}", clear as u16, s2())), 0);
        same(&format!("{base:?}"), only(&mut endpoint, 0)?, format!("{wanted}{D0}"))?;
    }
    // K's form: the offset counts from CACK rounded down
    let config = Config { base: Base::Eights, receive_window: 128, sack_cack_align: 8, ..config_b(fault) };
    let mut endpoint = target(config, Mode::Rud, 1000);
    for (psn, ack) in [(1000, 0x80), (1001, 0x80), (1003, 0x88)] {
        endpoint.receive(&from_a(&format!("11{ack:02x}ffff{psn:08x}00070009{}", s2())), 0);
    }
    let wanted = "42000002000003e90009000700010000000000000000000b00000000000e0001";
    same("K's form", only(&mut endpoint, 0)?, format!("{wanted}{D0}"))
}

#[test]
fn a_target_does_what_the_vectors_say() {
    for check in [syns, an_ack, trimmed_packets, bases] {
        check(None).unwrap();
    }
}
