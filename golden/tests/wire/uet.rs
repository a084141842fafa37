//! The bytes of `uet`.

use proptest::prelude::*;
use respray_golden::wire::Packet;
use respray_golden::wire::uet::{Ack, AckCc, CC_NSCC, Nack, Request, parse};

#[test]
fn request_header_has_these_bytes() {
    let request = Request {
        ordered: false,
        next_header: 3,
        retransmit: true,
        ack_request: true,
        clear_psn_offset: -2,
        psn: 0x0102_0304,
        source_pdc: 0x0506,
        destination_pdc: 0x0708,
    };
    // 00010 0011 0011000
    assert_eq!(request.to_bytes(), [0x11, 0x98, 0xff, 0xfe, 1, 2, 3, 4, 5, 6, 7, 8]);
}

#[test]
fn ack_cc_header_has_these_bytes() {
    let cc = AckCc {
        cc_type: CC_NSCC,
        cc_flags: 1,
        mpr: 8,
        sack_psn_offset: 1,
        sack_bitmap: 0x8000_0000_0000_0003,
        service_time: 0x1234,
        restore_cwnd: true,
        rcv_cwnd_pend: 5,
        rcvd_bytes: 0x0a_0b0c,
        ooo_count: 0x0d0e,
    };
    let ack = Ack {
        next_header: 0,
        ecn_echo: true,
        retransmit: false,
        probe: true,
        ack_psn_offset: 4,
        cack_psn: 0xffff_ffff,
        source_pdc: 1,
        destination_pdc: 2,
        cc: Some(cc),
    };
    let bytes = [
        0x40, 0x28, 0, 4, 0xff, 0xff, 0xff, 0xff, 0, 1, 0, 2, // 01000 0000 0101000, …
        0x01, 8, 0, 1, 0x80, 0, 0, 0, 0, 0, 0, 3, 0x12, 0x34, 0x85, 0x0a, 0x0b, 0x0c, 0x0d, 0x0e,
    ];
    assert_eq!(ack.to_bytes(), bytes);
    assert_eq!((ack.ack_psn(), ack.sack_psn()), (3, Some(0)), "offsets wrap with the PSN");
}

proptest! {
    #[test]
    fn what_is_built_is_parsed(
        words in any::<[u16; 6]>(), psn: u32, flags in any::<[bool; 4]>(), next_header in 0u8..16,
        bytes in any::<[u8; 2]>(), sack_bitmap: u64, rcvd_bytes in 0u32..1 << 24, with_cc: bool,
    ) {
        let [source_pdc, destination_pdc, a, b, c, d] = words;
        let [ecn_echo, retransmit, probe, ordered] = flags;
        let request = Packet::UetRequest(Request {
            ordered, next_header, retransmit, ack_request: probe, clear_psn_offset: a as i16, psn,
            source_pdc, destination_pdc,
        });
        let cc = with_cc.then_some(AckCc {
            cc_type: bytes[0] >> 4, cc_flags: bytes[0] & 15, mpr: bytes[1], sack_psn_offset: b as i16,
            sack_bitmap, service_time: c, restore_cwnd: ordered, rcv_cwnd_pend: bytes[1] & 127, rcvd_bytes,
            ooo_count: d,
        });
        let ack = Packet::UetAck(Ack {
            next_header, ecn_echo, retransmit, probe, ack_psn_offset: a as i16, cack_psn: psn, source_pdc,
            destination_pdc, cc,
        });
        let nack = Packet::UetNack(Nack {
            next_header, ecn_echo, retransmit, nack_code: bytes[0], vendor_code: bytes[1], psn, source_pdc,
            destination_pdc, payload: rcvd_bytes,
        });
        for packet in [request, ack, nack] {
            prop_assert_eq!(parse(&packet.to_bytes()), Ok(packet));
        }
    }

    #[test]
    fn no_payload_makes_parsing_panic(payload in proptest::collection::vec(any::<u8>(), 0..40)) {
        let _ = parse(&payload);
    }
}
