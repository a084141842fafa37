//! The bytes of `strack`.

use proptest::prelude::*;
use respray_golden::wire::Packet;
use respray_golden::wire::strack::{Ack, Data, parse};

#[test]
fn data_header_has_these_bytes() {
    let data = Data {
        connection: 0x01_0203,
        ack_request: true,
        psn: 0x0a_0b0c,
        timestamp: 0x1122,
        probe: true,
        hops: 7,
    };
    let bytes = [
        0xc0, 0x00, 0xff, 0xff, 0x00, 0x01, 0x02, 0x03, 0x80, 0x0a, 0x0b, 0x0c, // base transport header
        0x11, 0x22, 0x80, 0x07,
    ];
    assert_eq!(data.to_bytes(), bytes);
}

#[test]
fn ack_header_has_these_bytes() {
    let ack = Ack {
        connection: 0xff,
        psn: 0x00_0102,
        echo_entropy: 0xc001,
        echo_timestamp: 0x0203,
        recv_bytes: 0x0405_0607,
        expected_psn: 0x08_090a,
        ooo: 0xabc,
        ecn_echo: true,
        probe_echo: false,
        sack_base: 0x0d_0e00,
        sack_bitmap: 0x8000_0000_0000_0001,
    };
    let bytes = [
        0xc1, 0x00, 0xff, 0xff, 0x00, 0x00, 0x00, 0xff, 0x00, 0x00, 0x01, 0x02, // base transport header
        0xc0, 0x01, 0x02, 0x03, // echo_entropy, echo_timestamp
        0x04, 0x05, 0x06, 0x07, // recv_bytes
        0x08, 0x09, 0x0a, 0xbc, // EPSN, ooo[7:0]
        0xa8, 0x0d, 0x0e, 0x00, // ooo[11:8], ECN in the top reserved bit, SACK base
        0x80, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x01,
    ];
    assert_eq!(ack.to_bytes(), bytes);
    assert_eq!(Ack { ecn_echo: false, probe_echo: true, ..ack }.to_bytes()[24], 0xa4);
}

proptest! {
    #[test]
    fn what_is_built_is_parsed(
        connection in 0u32..1 << 24, psn in 0u32..1 << 24, words in any::<[u16; 2]>(), flags in any::<[bool; 2]>(),
        hops: u8, recv_bytes: u32, expected_psn in 0u32..1 << 24, ooo in 0u16..1 << 12,
        sack_base in 0u32..1 << 24, sack_bitmap: u64, rest in proptest::collection::vec(any::<u8>(), 0..9),
    ) {
        let data = Data {
            connection, ack_request: flags[0], psn, timestamp: words[0], probe: flags[1], hops,
        };
        let payload = [&data.to_bytes()[..], &rest].concat();
        prop_assert_eq!(parse(&payload), Ok(Packet::StrackData(data)));
        let ack = Ack {
            connection, psn, echo_entropy: words[0], echo_timestamp: words[1], recv_bytes, expected_psn, ooo,
            ecn_echo: flags[0], probe_echo: flags[1], sack_base, sack_bitmap,
        };
        let payload = [&ack.to_bytes()[..], &rest].concat();
        prop_assert_eq!(parse(&payload), Ok(Packet::StrackAck(ack)));
    }

    #[test]
    fn no_payload_makes_parsing_panic(payload in proptest::collection::vec(any::<u8>(), 0..64), opcode in 0xbfu8..0xc3) {
        let _ = parse(&payload);
        let _ = parse(&[&[opcode], &payload[..]].concat());
    }
}
