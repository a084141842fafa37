//! Bad input: it is counted with its reason, answered where a rule says so, and changes nothing.

use rand::rngs::Xoshiro256PlusPlus;
use rand::{RngExt, SeedableRng};
use respray_golden::hosts::pds::headers::Mode;
use respray_golden::hosts::pds::{AnyEv, Config, ConfigError, Endpoint, Refusal};

use super::receiving::target;
use super::{A, B, config_a, config_b, from_a, from_b, initiator, poll_all, s2};

#[test]
fn bad_input_changes_nothing() {
    let with = |text: &str| format!("{text}{}", s2());
    let cases = [
        // who it is of, and the type of its NACK, if it gets one
        (with("1180ffff000003e8000700ff"), Refusal::UnknownPdc, "50000e00000003e80000000700000000"),
        (with("1180ffff000003e800080009"), Refusal::WrongPeer, ""),
        (with("1980ffff000003e800070009"), Refusal::WrongMode, ""),
        (with("1984ffff000003e800070000"), Refusal::WrongMode, ""),
        (
            "5a080000000003e8000700ff00000000".to_owned(),
            Refusal::UnknownPdc,
            "50000e00000003e80000000700000000",
        ),
        ("5b080000000003e8000700ff00000000".to_owned(), Refusal::UnknownPdc, ""),
        (
            "58800000000003e80007000900000000".to_owned(),
            Refusal::NotReceived,
            "50001200000003e80009000700000000",
        ),
        ("58200000000003e80007000900000000".to_owned(), Refusal::WrongMode, ""),
        ("59000000000000000007000900000fff".to_owned(), Refusal::ClearBeyond, ""),
        ("5d000000000003e80007000900000000".to_owned(), Refusal::ReservedControl, ""),
        ("59840000000003e80007000900000000".to_owned(), Refusal::SynOnControl, ""),
        ("5a080000000003e8000700".to_owned(), Refusal::LengthMismatch, ""),
        ("5080010000000000000900".to_owned(), Refusal::LengthMismatch, ""),
        ("6980ffff000003e800070009778877".to_owned(), Refusal::LengthMismatch, ""),
        ("42000000000003e80007000900010000".to_owned() + &"00".repeat(15), Refusal::LengthMismatch, ""),
        ("00000000".to_owned(), Refusal::ReservedType, ""),
        ("f8000000".to_owned(), Refusal::ReservedType, ""),
        ("31800000".to_owned(), Refusal::OtherType, ""),
        // answers to what this end never sent
        ("3a000000000003e800070009".to_owned(), Refusal::AckBeyondNext, ""),
        ("3a000000000003e8000700ff".to_owned(), Refusal::UnknownPdc, ""),
        ("50000100000003e80007000900000000".to_owned(), Refusal::BadNack, ""),
        ("50000100000003e8000700ff00000000".to_owned(), Refusal::UnknownPdc, ""),
    ];
    for (bytes, refusal, nack) in cases {
        let mut endpoint = target(config_b(None), Mode::Rud, 1000);
        let before = format!("{:?}", endpoint.pdc(B));
        endpoint.receive(&from_a(&bytes), 0);
        let short = &bytes[..bytes.len().min(32)];
        assert_eq!(endpoint.counts().refused(refusal), 1, "{short}: {:?}", endpoint.counts());
        let wanted: Vec<&str> = Some(nack).filter(|nack| !nack.is_empty()).into_iter().collect();
        assert_eq!(poll_all(&mut endpoint, 0), wanted, "{short}");
        assert_eq!(format!("{:?}", endpoint.pdc(B)), before, "{short}");
        assert_eq!(endpoint.pdcs().count(), 1, "{short}");
    }
}

/// Frames for another address, by MAC or IP.
#[test]
fn frames_for_others_are_refused() {
    let good = from_a(&format!("1188ffff000003e800070009{}", s2()));
    let mut other_mac = good.clone();
    other_mac[5] ^= 1;
    for frame in [other_mac, from_b("1188ffff000003e800070009")] {
        let mut endpoint = target(config_b(None), Mode::Rud, 1000);
        endpoint.receive(&frame, 0);
        assert_eq!(endpoint.counts().refused(Refusal::OtherAddress), 1);
        assert_eq!(poll_all(&mut endpoint, 0), Vec::<String>::new());
    }
}

/// Requests of a peer before the first ACK has brought its PDCID.
#[test]
fn a_request_before_the_first_ack_waits() {
    let (mut endpoint, _) = super::endpoint(config_a(None));
    endpoint.open(super::address(2), Mode::Rud).expect("there is room");
    endpoint.receive(&from_b(&format!("1188ffff000003e800090007{}", s2())), 0);
    assert_eq!(endpoint.counts().refused(Refusal::NotBound), 1);
    assert_eq!(poll_all(&mut endpoint, 0), Vec::<String>::new());
}

/// PDCID 0 is reserved: an ACK of it brings no peer.
#[test]
fn pdcid_0_is_no_peer() {
    let (mut endpoint, _) = super::endpoint(config_a(None));
    endpoint.open(super::address(2), Mode::Rud).expect("there is room");
    endpoint.submit(A, &super::message(10));
    poll_all(&mut endpoint, 0);
    endpoint.receive(&from_b("3a000000000003e800000007"), 0);
    assert_eq!(endpoint.counts().refused(Refusal::WrongPeer), 1);
    let pdc = endpoint.pdc(A).expect("it is open");
    assert_eq!((pdc.peer(), pdc.sender().una()), (None, 1000));
}

/// Bits that are reserved change nothing on receipt.
#[test]
fn reserved_bits_are_not_looked_at() {
    for reserved in [0x40, 0x20, 0x02, 0x01, 0x63] {
        let state = |flags: u16| {
            let mut endpoint = target(config_b(None), Mode::Rud, 1000);
            // and they are counted
            endpoint.receive(&from_a(&format!("{:04x}ffff000003e800070009{}", 0x1188 | flags, s2())), 0);
            assert_eq!(endpoint.counts().reserved_bits, u64::from(flags != 0));
            (format!("{:?}", endpoint.pdc(B)), poll_all(&mut endpoint, 0))
        };
        assert_eq!(state(reserved), state(0), "{reserved:x}");
    }
    // bit 0 of an ACK; its cc_flags; the vendor code of a NACK
    for (one, other) in [
        ("42000000000003e8000900070001000000000000000000010000000000050000", (1, 0x01)),
        ("42000000000003e8000900070001000000000000000000010000000000050000", (12, 0x0f)),
        ("50000100000003ea0009000700000000", (3, 0xff)),
    ] {
        let state = |bits: u8| {
            let (mut endpoint, _) = initiator(config_a(None), Mode::Rud, 8);
            let mut bytes = super::hex(one);
            bytes[other.0] |= bits;
            endpoint.receive(&from_b(&super::to_hex(&bytes)), 0);
            format!("{:?}", endpoint.pdc(A))
        };
        assert_eq!(state(other.1), state(0), "{one}");
    }
}

/// What an endpoint sends has no reserved bit set.
#[test]
fn reserved_bits_are_sent_as_0() {
    let (mut endpoint, _) = initiator(config_a(None), Mode::Rud, 0);
    endpoint.submit(A, &super::message(3000));
    for text in poll_all(&mut endpoint, 0) {
        assert_eq!(super::hex(&text[2..4])[0] & 0x63, 0, "{text}");
    }
}

/// Bytes behind a good ACK are no part of it.
#[test]
fn garbage_behind_an_ack_is_not_read() {
    let (mut endpoint, _) = initiator(config_a(None), Mode::Rud, 8);
    endpoint.receive(&from_b("38000000000003e800090007deadbeefdeadbeefdeadbeef"), 0);
    assert_eq!(endpoint.pdc(A).expect("it is open").sender().una(), 1001);
}

/// Any bytes, and frames that are broken anywhere: no panic, each counted once, and what is broken below PDS changes
/// nothing.
#[test]
fn any_bytes_are_counted_once() {
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(4);
    let mut endpoint = target(config_b(None), Mode::Rud, 1000);
    let good = [
        from_a(&format!("1188ffff000003e800070009{}", s2())),
        from_a("5b08beef000123490007000900012346"),
        from_a("42000000000003e8000700090001000000000000000000010000000000050000"),
        from_a("50000100000003ea0007000900000000"),
    ];
    let rounds = 20_000;
    for _ in 0..rounds {
        let mut frame = good[rng.random_range(0..good.len())].clone();
        for _ in 0..rng.random_range(1..4) {
            let at = rng.random_range(0..frame.len().min(80));
            frame[at] ^= 1 << rng.random_range(0..8);
        }
        if rng.random_range(0..4) == 0 {
            frame.truncate(rng.random_range(0..frame.len()));
        }
        endpoint.receive(&frame, 0);
        while endpoint.poll(0).is_some() {}
    }
    let counts = endpoint.counts();
    assert_eq!(counts.received, rounds);
    assert_eq!(counts.taken.values().chain(counts.refused.values()).sum::<u64>(), rounds);
}

/// Settings that are not allowed are named.
#[test]
fn settings_are_checked() {
    type Case = (&'static str, fn(&mut Config));
    let cases: [Case; 12] = [
        ("dscp_control must be below 64, not 64", |config| config.dscp_control = 64),
        ("dscp_data must be below 64, not 200", |config| config.dscp_data = 200),
        ("max_pdcs must be 1 or more, not 0", |config| config.max_pdcs = 0),
        ("first_pdc must be 1 or more, not 0", |config| config.first_pdc = 0),
        ("cwnd must be 1 or more, not 0", |config| config.cwnd = 0),
        ("window must be 1 to 32640, not 32641", |config| config.window = 32641),
        ("payload must be 1 to 9000, not 0", |config| config.payload = 0),
        ("syn_packets must be 1 to 4096, not 4097", |config| config.syn_packets = 4097),
        ("rto must be 1 or more, not 0", |config| config.rto = 0),
        ("max_rto_retx must be 0 to 15, not 16", |config| config.max_rto_retx = 16),
        ("receive_window must be a multiple of 128 from 128 to 32640, not 64", |config| {
            config.receive_window = 64;
        }),
        ("sack_cack_align must be 1 or 8, not 4", |config| config.sack_cack_align = 4),
    ];
    for (wanted, change) in cases {
        let mut config = config_a(None);
        change(&mut config);
        let error: ConfigError = Endpoint::new(config, Box::new(AnyEv::new(1))).err().expect(wanted);
        assert_eq!(error.to_string(), wanted);
    }
}
