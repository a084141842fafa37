//! ACKs at an initiator: vectors 20 to 39 and 45, each alone and in any order.

use rand::SeedableRng;
use rand::rngs::Xoshiro256PlusPlus;
use rand::seq::SliceRandom;
use respray_golden::hosts::pds::{Config, Event, Fault, Feedback, Mode, Refusal, Taken};

use super::{A, Found, config_a, drain, from_b, initiator, outcome, pdc, same};

/// An ACK, and what is to be seen behind it: connection 7, peer 9, una 1000, nxt 1008, window 256.
struct Vector {
    name: &'static str,
    bytes: String,
    una: u32,
    /// PSNs at or above una that are marked.
    marked: &'static [u32],
    in_flight: u32,
    limit: u32,
    bytes_told: Option<u64>,
    ooo: Option<u16>,
    is_overtaken: bool,
}

impl Default for Vector {
    fn default() -> Self {
        Vector {
            name: "",
            bytes: String::new(),
            una: 1000,
            marked: &[],
            in_flight: 8,
            limit: 128,
            bytes_told: None,
            ooo: Some(0),
            is_overtaken: false,
        }
    }
}

/// Of window 256 at connection 7.
pub(super) fn config(fault: Option<Fault>) -> Config {
    Config { window: 256, cwnd: 256, ..config_a(fault) }
}

fn vectors() -> Vec<Vector> {
    let told = |bytes| Some(bytes);
    let base = |name, text: &str| Vector { name, bytes: text.to_owned(), ..Vector::default() };
    vec![
        Vector {
            una: 1001,
            in_flight: 7,
            bytes_told: told(1280),
            ..base("V20", "42000000000003e8000900070001000000000000000000010000000000050000")
        },
        Vector {
            una: 1002,
            marked: &[1003],
            in_flight: 5,
            bytes_told: told(3584),
            ooo: None,
            ..base("V21", "42000002000003e9000900070001ffd700000bffffffffff00000000000effff")
        },
        Vector {
            una: 1002,
            marked: &[1003],
            in_flight: 5,
            bytes_told: told(3584),
            ooo: Some(1),
            ..base("V22", "42000002000003e9000900070001ffff000000000000000b00000000000e0001")
        },
        Vector {
            una: 1002,
            marked: &[1003],
            in_flight: 5,
            bytes_told: told(3584),
            ooo: Some(1),
            ..base("V23", "42000002000003e90009000700010002000000000000000100000000000e0001")
        },
        Vector {
            una: 1002,
            marked: &[1003, 1004, 1005, 1006, 1007],
            in_flight: 1,
            bytes_told: told(7936),
            ooo: Some(5),
            ..base("V24", "42000006000003e90009000700010002000000000000001f00000000001f0005")
        },
        Vector {
            marked: &[1000, 1001],
            in_flight: 6,
            limit: 256,
            bytes_told: told(2304),
            ooo: Some(2),
            ..base("V25", "42020001000003e7000900070002ffd9000003ffffffffff0000000000090002")
        },
        Vector { marked: &[1001], in_flight: 7, ooo: None, ..base("V26", "3a000002000003e700090007") },
        Vector {
            marked: &[1004],
            in_flight: 7,
            bytes_told: told(256),
            ooo: Some(1),
            is_overtaken: true,
            ..base("V27", "4200000e000003de000900070001000e00000000000000010000000000010001")
        },
        Vector {
            una: 1001,
            in_flight: 7,
            bytes_told: told(1280),
            ..base("V28", "42000000000003e80009000700018000ffffffffffffffff0000000000050000")
        },
        Vector {
            una: 1002,
            in_flight: 6,
            limit: 256,
            bytes_told: told(2560),
            ..base("V29", "42200000000003e9000900070004ffff000000000000000301238500000a0000")
        },
        Vector { una: 1004, in_flight: 4, ooo: None, ..base("V32", "38081234000003eb00090007") },
        Vector { una: 1004, in_flight: 4, ooo: None, ..base("V33", "3a040000000003eb00090007") },
        Vector { una: 1008, in_flight: 0, ooo: None, ..base("V34", "38400000000003ef0009000700020010") },
        Vector {
            una: 1001,
            in_flight: 7,
            limit: 256,
            bytes_told: told(273_408),
            ..base("V35", "40000000000003e8000900070000ffd8000001ffffffffff00000000042c0000")
        },
        Vector {
            una: 1001,
            in_flight: 7,
            limit: 256,
            ooo: None,
            ..base("V37", "4a000000000003e800090007e0020000000000000000000100000000000000000000000000000000")
        },
    ]
}

/// Vectors 20 to 35 and 37 do what they are to do, each alone.
pub(super) fn alone(fault: Option<Fault>) -> Found {
    for vector in vectors() {
        let (mut endpoint, recorder) = initiator(config(fault), Mode::Rud, 8);
        endpoint.receive(&from_b(&vector.bytes), 1000);
        let events = drain(&mut endpoint);
        let name = vector.name;
        let told = outcome(&events).ok_or(format!("{name} was not taken"))?;
        same(&format!("{name}: bytes, ooo"), (told.bytes, told.ooo), (vector.bytes_told, vector.ooo))?;
        same(&format!("{name}: overtaken"), told.is_overtaken, vector.is_overtaken)?;
        same(&format!("{name}: newly"), told.newly, 8 - vector.in_flight)?;
        let sender = pdc(&endpoint, A)?.sender();
        let wanted = (vector.una, vector.in_flight, vector.limit);
        same(
            &format!("{name}: una, in flight, limit"),
            (sender.una(), sender.in_flight(), sender.limit(&config(fault))),
            wanted,
        )?;
        let marked: Vec<u32> = (vector.una..1008).filter(|psn| sender.is_acknowledged(*psn)).collect();
        same(&format!("{name}: marked"), marked.as_slice(), vector.marked)?;
        let heard = match name {
            "V29" => vec![Feedback::Marked(77)],
            "V32" => vec![],
            _ => vec![Feedback::Good(77)],
        };
        same(&format!("{name}: heard"), recorder.read(), heard)?;
        let asks = |event| events.contains(&event);
        same(&format!("{name}: asks for a clear"), asks(Event::ClearRequest { pdc: A }), name == "V25")?;
        same(&format!("{name}: asks for a close"), asks(Event::CloseRequest { pdc: A }), name == "V33")?;
    }
    Ok(())
}

/// Vector 29: the service time, 291 units of 128 ns, is taken off the round trip.
#[test]
fn the_service_time_is_taken_off() {
    let (mut endpoint, _) = initiator(config(None), Mode::Rud, 8);
    // it answers 1001, which was sent at 0
    endpoint.receive(&from_b("42200000000003e9000900070004ffff000000000000000301238500000a0000"), 50_000);
    let events = drain(&mut endpoint);
    assert_eq!(outcome(&events).expect("it is taken").rtt, Some(50_000 - 291 * 128));
}

/// Vector 22 in K's form: its base counts from CACK rounded down to a multiple of 8.
#[test]
fn the_base_of_k_counts_from_a_multiple_of_8() {
    let bytes = "42000002000003e90009000700010000000000000000000b00000000000e0001";
    for (sack_cack_align, marked) in [(8, vec![1003]), (1, vec![1002, 1003, 1004])] {
        let (mut endpoint, _) = initiator(Config { sack_cack_align, ..config(None) }, Mode::Rud, 8);
        endpoint.receive(&from_b(bytes), 1000);
        let sender = endpoint.pdc(A).expect("it is open").sender();
        let got: Vec<u32> = (1002..1008).filter(|psn| sender.is_acknowledged(*psn)).collect();
        assert_eq!(got, marked, "{sack_cack_align}");
    }
}

/// Vectors 20 to 29 in any order: none refused, una 1002, the same marks.
pub(super) fn in_any_order(fault: Option<Fault>) -> Found {
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(29);
    for _ in 0..200 {
        let mut order: Vec<Vector> = vectors().into_iter().take(10).collect();
        order.shuffle(&mut rng);
        let (mut endpoint, _) = initiator(config(fault), Mode::Rud, 8);
        for vector in &order {
            endpoint.receive(&from_b(&vector.bytes), 1000);
        }
        same("refused", endpoint.counts().refused.len(), 0)?;
        let sender = pdc(&endpoint, A)?.sender();
        let marked: Vec<u32> = (1002..1008).filter(|psn| sender.is_acknowledged(*psn)).collect();
        same("una, marked", (sender.una(), marked), (1002, vec![1003, 1004, 1005, 1006, 1007]))?;
    }
    Ok(())
}

/// Vectors 30, 31, 36, and ACKs of others: nothing changes, whatever came before.
pub(super) fn refused(fault: Option<Fault>) -> Found {
    let cases = [
        ("V30", "42000000000003e8000900070001000000000000000001010000000000050000", Refusal::AckOfUnsent),
        ("V31", "3a000000000003f000090007", Refusal::AckBeyondNext),
        ("ACK_PSN at nxt", "3a000009000003e700090007", Refusal::AckOfUnsent),
        ("V36", "42000000000003e80009000700010000000000000000000100000000", Refusal::LengthMismatch),
        ("spdcid 10", "3a000000000003e8000a0007", Refusal::WrongPeer),
        ("spdcid 0", "3a000000000003e800000007", Refusal::WrongPeer),
        ("dpdcid 8", "3a000000000003e800090008", Refusal::UnknownPdc),
    ];
    for (name, bytes, refusal) in cases {
        let (mut endpoint, _) = initiator(config(fault), Mode::Rud, 8);
        endpoint.receive(&from_b("3a000002000003e700090007"), 500);
        drain(&mut endpoint);
        let before = format!("{:?}", pdc(&endpoint, A)?);
        endpoint.receive(&from_b(bytes), 1000);
        same(name, endpoint.counts().refused(refusal), 1)?;
        same(name, format!("{:?}", pdc(&endpoint, A)?), before)?;
        same(name, drain(&mut endpoint), Vec::new())?;
    }
    Ok(())
}

/// Bytes 2 and 3 of an answer to a probe are its opaque: whatever they are, they mark nothing.
#[test]
fn an_opaque_marks_nothing() {
    let (mut endpoint, _) = initiator(config(None), Mode::Rud, 8);
    let before = format!("{:?}", endpoint.pdc(A));
    for opaque in 0..=u16::MAX {
        endpoint.receive(&from_b(&format!("3808{opaque:04x}000003e700090007")), 0);
        drain(&mut endpoint);
    }
    assert_eq!(format!("{:?}", endpoint.pdc(A)), before);
    assert_eq!(endpoint.counts().taken(Taken::Ack), 65536 + 1);
}

/// `rcvd_bytes` wraps; of an ACK that was overtaken it does not fall.
#[test]
fn growth_is_taken_across_the_wrap() {
    let (mut endpoint, _) = initiator(config(None), Mode::Rud, 8);
    let mut told = Vec::new();
    for rcvd in [0x7fffff, 0xfffffe, 0xfffff0, 0x000010, 0x800010, 0x000011] {
        endpoint.receive(
            &from_b(&format!("40000000000003e800090007000100000000000000000000000000{rcvd:06x}0000")),
            0,
        );
        told.push(outcome(&drain(&mut endpoint)).expect("it is taken").bytes.map(|bytes| bytes / 256));
    }
    assert_eq!(told, [Some(0x7fffff), Some(0x7fffff), None, Some(0x12), None, Some(1)]);
    let received = endpoint.pdc(A).expect("it is open").sender().received();
    assert_eq!(received, 256 * (0x1000000 + 0x11));
}

/// An answer to a probe with a CACK that cannot be: only what it says of time is taken.
#[test]
fn a_probe_is_answered_in_time_even_if_its_cack_cannot_be() {
    let (mut endpoint, _) = initiator(config(None), Mode::Rud, 8);
    let before = endpoint.pdc(A).expect("it is open").sender().una();
    endpoint.receive(&from_b("3808000100000fff00090007"), 128 * 11);
    let events = drain(&mut endpoint);
    assert!(events.contains(&Event::Probed { pdc: A, rtt: 1280 }), "{events:?}");
    assert_eq!(endpoint.pdc(A).expect("it is open").sender().una(), before);
    assert_eq!(endpoint.counts().taken(Taken::OvertakenAck), 1);
}

/// Vectors 38 and 39: offsets both ways, and across the wrap.
pub(super) fn across_the_wrap(fault: Option<Fault>) -> Found {
    let at = |start| Config { start_psn: Some(start), ..config(fault) };
    let (mut endpoint, _) = initiator(at(0x6223_10f0), Mode::Rud, 96);
    endpoint.receive(&from_b("3a0000246223112000090007"), 1000);
    let sender = pdc(&endpoint, A)?.sender();
    same("V38: una", sender.una(), 0x6223_1121)?;
    same("V38: ACK_PSN", sender.is_acknowledged(0x6223_1144), true)?;
    let (mut endpoint, _) = initiator(at(0x6223_10f0), Mode::Rud, 96);
    endpoint.receive(&from_b("3a00ffdc6223112000090007"), 1000);
    let events = drain(&mut endpoint);
    same("V38: newly", outcome(&events).map(|outcome| outcome.newly), Some(0x31))?;
    same("V38: its packet is timed", outcome(&events).and_then(|outcome| outcome.rtt), Some(1000))?;
    let (mut endpoint, _) = initiator(at(0xffff_fff0), Mode::Rud, 21);
    endpoint.receive(&from_b("3a000010fffffff300090007"), 1000);
    let events = drain(&mut endpoint);
    same("V39: newly", outcome(&events).map(|outcome| outcome.newly), Some(5))?;
    let sender = pdc(&endpoint, A)?.sender();
    same("V39: una, in flight", (sender.una(), sender.in_flight()), (0xffff_fff4, 16))?;
    same("V39: ACK_PSN", sender.is_acknowledged(3), true)?;
    endpoint.receive(&from_b("3a0000000000000200090007"), 1000);
    same("una behind the wrap", pdc(&endpoint, A)?.sender().una(), 3)
}

/// Vector 45: an ACK of credit says nothing of bytes, and Credit is taken.
#[test]
fn credit_is_taken_and_not_read() {
    let (mut endpoint, _) = initiator(Config { start_psn: Some(0x12345), ..config(None) }, Mode::Rud, 5);
    endpoint.receive(&from_b("4200000000012346000900071001000200000000000000030012340000000005"), 1000);
    let events = drain(&mut endpoint);
    assert_eq!(outcome(&events).expect("it is taken").bytes, None);
    let sender = endpoint.pdc(A).expect("it is open").sender();
    assert_eq!((sender.una(), sender.in_flight()), (0x12347, 1));
    assert!(sender.is_acknowledged(0x12348) && sender.is_acknowledged(0x12349));
    endpoint.receive(&from_b("5b800000000000000009000700001000"), 1000);
    assert_eq!(endpoint.counts().taken(Taken::Control), 1);
}

#[test]
fn acks_do_what_the_vectors_say() {
    for check in [alone, in_any_order, refused, across_the_wrap] {
        check(None).unwrap();
    }
}
