//! The bytes of `uet`.

use proptest::prelude::*;
use respray_golden::wire::Packet;
use respray_golden::wire::uet::{Ack, AckCc, CC_NSCC, Control, Credit, Nack, Request, message_id, parse};

#[test]
fn request_header_has_these_bytes() {
    let request = Request {
        ordered: false,
        next_header: 3,
        retransmit: true,
        ack_request: true,
        syn: false,
        clear_psn_offset: -2,
        psn: 0x0102_0304,
        source_pdc: 0x0506,
        destination_pdc: 0x0708,
        credit: None,
    };
    // 00010 0011 0011000
    assert_eq!(request.to_bytes(), [0x11, 0x98, 0xff, 0xfe, 1, 2, 3, 4, 5, 6, 7, 8]);
}

#[test]
fn ack_cc_header_has_these_bytes() {
    let cc = AckCc {
        is_ccx: false,
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
        request: 0,
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

#[test]
fn control_packet_has_these_bytes() {
    let probe = Control {
        ctl: 6,
        ack_request: true,
        probe_opaque: 0xbeef,
        psn: 0x1234_9000,
        source_pdc: 7,
        destination_pdc: 9,
        payload: Some(0x0102_0304),
        ..Control::default()
    };
    // 01011 0110 0001000
    let bytes = [0x5b, 0x08, 0xbe, 0xef, 0x12, 0x34, 0x90, 0, 0, 7, 0, 9, 1, 2, 3, 4];
    assert_eq!(probe.to_bytes(), bytes);
    let cut = Control { payload: None, ..probe };
    for length in 12..16 {
        assert_eq!(parse(&bytes[..length]), Ok(Packet::UetControl(cut)), "its payload is not whole");
    }
}

#[test]
fn a_syn_says_where_its_connection_begins() {
    let syn = Request { syn: true, psn: 5, destination_pdc: 0x8006, ..Request::default() };
    assert_eq!((syn.start_psn(), syn.is_of_reserved_pool()), (Some(0xffff_ffff), true));
    for bit in 12..16 {
        assert!(Request { destination_pdc: 1 << bit, ..syn }.is_of_reserved_pool(), "any bit of pdc_info");
    }
    let bound = Request { syn: false, ..syn };
    assert_eq!((bound.start_psn(), bound.is_of_reserved_pool()), (None, false));
    let control = Control { syn: true, psn: 0x700, destination_pdc: 0, ..Control::default() };
    assert_eq!(control.start_psn(), Some(0x700));
}

#[test]
fn only_a_standard_request_has_a_message_id() {
    for next_header in 0..16 {
        let expected = (next_header == 3).then_some(0x0011);
        assert_eq!(message_id(next_header, &[5, 3, 0, 0x11]), expected, "next header {next_header}");
        assert_eq!(message_id(next_header, &[5, 3, 0]), None, "it is cut");
    }
}

#[test]
fn state_is_that_of_nscc_in_an_ack_cc() {
    for cc_type in 0..16 {
        let cc = AckCc { cc_type, ..AckCc::default() };
        assert_eq!(cc.has_state(), cc_type == CC_NSCC);
        assert!(!AckCc { is_ccx: true, ..cc }.has_state());
    }
}

proptest! {
    #[test]
    fn what_is_built_is_parsed(
        words in any::<[u16; 6]>(), psn: u32, flags in any::<[bool; 5]>(), next_header in 0u8..16,
        bytes in any::<[u8; 2]>(), sack_bitmap: u64, rcvd_bytes in 0u32..1 << 24, with_cc: bool,
    ) {
        let [source_pdc, destination_pdc, a, b, c, d] = words;
        let [ecn_echo, retransmit, probe, ordered, syn] = flags;
        let request = Packet::UetRequest(Request {
            ordered, next_header, retransmit, ack_request: probe, syn, clear_psn_offset: a as i16, psn,
            source_pdc, destination_pdc,
            credit: with_cc.then_some(Credit { ccc_id: bytes[0], target: rcvd_bytes }),
        });
        let sack = AckCc {
            is_ccx: syn, cc_type: bytes[0] >> 4, cc_flags: bytes[0] & 15, mpr: bytes[1],
            sack_psn_offset: b as i16, sack_bitmap, ..AckCc::default()
        };
        let state = AckCc {
            service_time: c, restore_cwnd: ordered, rcv_cwnd_pend: bytes[1] & 127, rcvd_bytes, ooo_count: d,
            ..sack
        };
        let cc = with_cc.then_some(if syn { sack } else { state });
        let ack = Packet::UetAck(Ack {
            next_header, ecn_echo, retransmit, probe, request: bytes[1] & 3, ack_psn_offset: a as i16, cack_psn: psn, source_pdc,
            destination_pdc, cc,
        });
        let nack = Packet::UetNack(Nack {
            is_ccx: syn, next_header, ecn_echo, retransmit, of_rudi: probe, nack_code: bytes[0], vendor_code: bytes[1], psn, source_pdc,
            destination_pdc, payload: rcvd_bytes,
        });
        let control = Packet::UetControl(Control {
            ctl: next_header, ordered, retransmit, ack_request: probe, syn, probe_opaque: a, psn, source_pdc,
            destination_pdc, payload: with_cc.then_some(rcvd_bytes),
        });
        for packet in [request, ack, nack, control] {
            prop_assert_eq!(parse(&packet.to_bytes()), Ok(packet));
        }
    }

    #[test]
    fn no_payload_makes_parsing_panic(payload in proptest::collection::vec(any::<u8>(), 0..40)) {
        let _ = parse(&payload);
    }
}
