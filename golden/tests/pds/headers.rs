//! Headers: the samples of vectors 1 to 19, and every field of every type there and back.

use proptest::prelude::*;
use respray_golden::hosts::pds::headers::{
    Ack, Ask, Congestion, Control, Ctl, Destination, Header, HeaderError, Mode, Nack, Request, Rudi,
    Security, State, Uud,
};

use super::{hex, to_hex};

const S1: &str = "022b123477abcdef067809abfedcba9876543210fedcba981122334455667788aabbddddeeff001199887766";
const R1: &str = "c10912349965432109abcdef";

/// The header of a sample, which is written as it was read.
fn sample(text: &str, behind: &str) -> Header {
    let all = hex(&format!("{text}{behind}"));
    let (header, length) = Header::parse(&all).unwrap_or_else(|error| panic!("{text}: {error}"));
    assert_eq!(to_hex(&header.to_bytes()), to_hex(&all[..length]));
    header
}

fn request(text: &str) -> Request {
    match sample(text, S1) {
        Header::Request(request) => request,
        other => panic!("{text} is {other:?}"),
    }
}

fn ack(text: &str) -> Ack {
    match sample(text, R1) {
        Header::Ack(ack) => ack,
        other => panic!("{text} is {other:?}"),
    }
}

#[test]
fn vectors_1_to_8_are_requests() {
    let plain = Request {
        mode: Mode::Rud,
        next_header: 3,
        is_retransmission: true,
        ack_request: false,
        clear_offset: 0x1234,
        psn: 0x9876_5432,
        source: 0x3456,
        destination: Destination::Pdc(0x9abc),
        credit: None,
    };
    let destination = Destination::Syn { pdc_info: 8, psn_offset: 0x876 };
    let syn = Request { destination, ..plain };
    let credit = Some((0x77, 0x88_7766));
    let rod = |request| Request { mode: Mode::Rod, ..request };
    assert_eq!(request("119012349876543234569abc"), plain);
    assert_eq!(request("119412349876543234568876"), syn);
    assert_eq!(syn.psn - 0x876, 0x9876_4bbc, "Start_PSN of 2");
    assert_eq!(request("699012349876543234569abc77887766"), Request { credit, ..plain });
    assert_eq!(request("69941234987654323456887677887766"), Request { credit, ..syn });
    assert_eq!(request("199012349876543234569abc"), rod(plain));
    assert_eq!(request("199412349876543234568876"), rod(syn));
    assert_eq!(request("719012349876543234569abc77887766"), rod(Request { credit, ..plain }));
    assert_eq!(request("71941234987654323456887677887766"), rod(Request { credit, ..syn }));
}

#[test]
fn vectors_9_to_12_are_acks() {
    let plain = ack("3a3286422468ace03456789a");
    let wanted = Ack {
        next_header: 4,
        is_marked: true,
        is_retransmission: true,
        ask: Ask::Clear,
        offset: 0x8642,
        cack: 0x2468_ace0,
        source: 0x3456,
        destination: 0x789a,
        ..Ack::default()
    };
    assert_eq!((plain, plain.ack_psn()), (wanted, Some(0x2468_3322)));
    let congested = ack("423221212468ace03456789a0f876789123456789abcdef099aaff8877668765");
    let state = congested.congestion.expect("type 8 has it");
    assert_eq!((congested.ack_psn(), state.base(congested.cack)), (Some(0x2468_ce01), 0x2469_1469));
    assert_eq!((state.cc_type, state.cc_flags, state.mpr), (0, 15, 135));
    assert_eq!(state.bitmap, 0x1234_5678_9abc_def0);
    let nscc = State::Nscc {
        service_time: 39338,
        restore_cwnd: true,
        rcvd_cwnd_pend: 127,
        rcvd_bytes: 0x88_7766,
        ooo_count: 34661,
    };
    assert_eq!(state.state, nscc);
    let credit = ack("423298762468ace03456789a1f879988123456789abcdef01234560000008765");
    let state = credit.congestion.expect("type 8 has it");
    assert_eq!((credit.ack_psn(), state.base(credit.cack)), (Some(0x2468_4556), 0x2468_4668));
    assert_eq!((state.cc_type, state.state), (1, State::Other([0x12, 0x34, 0x56, 0, 0, 0, 0x87, 0x65])));
    let extended = ack("4a3298762468ace03456789ae0879988123456789abcdef01122334455667788");
    let state = extended.congestion.expect("type 9 has it");
    assert_eq!((extended.ack_psn(), state.base(extended.cack)), (Some(0x2468_4556), 0x2468_4668));
    assert_eq!((state.cc_type, state.bitmap), (14, 0x1234_5678_9abc_def0));
    assert!(matches!(state.state, State::Extended(_)));
}

#[test]
fn vectors_13_to_19_are_nacks_control_packets_and_others() {
    let Header::Nack(nack) = sample("52381687998877663456789a56789abc", R1) else { panic!("13 is a NACK") };
    assert!(nack.is_rudi && nack.is_marked && nack.is_retransmission);
    assert_eq!((nack.code, nack.psn, nack.payload), (0x16, 0x9988_7766, 0x5678_9abc));
    let Header::Nack(nack) = sample("62101587998877663456789a56789abc3fdcba9876543210", R1) else {
        panic!("14 is a NACK")
    };
    assert!(nack.is_extended && nack.is_retransmission && !nack.is_rudi && !nack.is_marked);
    assert_eq!((nack.code, nack.psn, nack.destination), (0x15, 0x9988_7766, 0x789a));
    let Header::Control(control) = sample("5c309876cdef0123cdeffedc", R1) else { panic!("15 is a CP") };
    let wanted = Control {
        ctl: Ctl::CreditRequest,
        mode: Mode::Rod,
        is_retransmission: true,
        ack_request: false,
        opaque: 0x9876,
        psn: 0xcdef_0123,
        source: 0xcdef,
        destination: Destination::Pdc(0xfedc),
        payload: 0xc109_1234,
    };
    assert_eq!(control, wanted);
    let Header::Control(control) = sample("5c941234cdef0123cdef8876", R1) else { panic!("16 is a CP") };
    assert_eq!((control.ctl, control.mode), (Ctl::Negotiation, Mode::Rud));
    assert_eq!(control.destination, Destination::Syn { pdc_info: 8, psn_offset: 0x876 });
    assert_eq!(control.psn - 0x876, 0xcdee_f8ad, "Start_PSN of 16");
    assert_eq!(sample("31800000", S1), Header::Uud(Uud { next_header: 3, flags: 0 }));
    let rudi = |is_response, next_header| Rudi { is_response, next_header, flags: 0x20, packet: 0x9988_7766 };
    assert_eq!(sample("21a0000099887766", S1), Header::Rudi(rudi(false, 3)));
    assert_eq!(sample("2a20000099887766", R1), Header::Rudi(rudi(true, 4)));
    let security = Security { association: false, sdi: 1, ssi: Some(5), epoch: 0, counter: 1 };
    assert_eq!(sample("0c000001000000050000000000000001", ""), Header::Security(security));
}

fn any_mode() -> impl Strategy<Value = Mode> {
    any::<bool>().prop_map(|is_rod| if is_rod { Mode::Rod } else { Mode::Rud })
}

fn any_destination() -> impl Strategy<Value = Destination> {
    prop_oneof![
        any::<u16>().prop_map(Destination::Pdc),
        (0..16u8, 0..4096u16).prop_map(|(pdc_info, psn_offset)| Destination::Syn { pdc_info, psn_offset }),
    ]
}

fn any_request() -> impl Strategy<Value = Header> {
    let fields = (any_mode(), 0..16u8, any::<[bool; 2]>(), any::<i16>(), any::<u32>(), any::<u16>());
    (fields, any_destination(), proptest::option::of((any::<u8>(), 0..1u32 << 24))).prop_map(
        |(
            (mode, next_header, [is_retransmission, ack_request], clear_offset, psn, source),
            destination,
            credit,
        )| {
            Header::Request(Request {
                mode,
                next_header,
                is_retransmission,
                ack_request,
                clear_offset,
                psn,
                source,
                destination,
                credit,
            })
        },
    )
}

fn any_congestion() -> impl Strategy<Value = Congestion> {
    let nscc = (any::<u16>(), any::<bool>(), 0..128u8, 0..1u32 << 24, any::<u16>()).prop_map(
        |(service_time, restore_cwnd, rcvd_cwnd_pend, rcvd_bytes, ooo_count)| {
            (0, State::Nscc { service_time, restore_cwnd, rcvd_cwnd_pend, rcvd_bytes, ooo_count })
        },
    );
    let other = (1..16u8, any::<[u8; 8]>()).prop_map(|(cc_type, state)| (cc_type, State::Other(state)));
    let extended =
        (0..16u8, any::<[u8; 16]>()).prop_map(|(cc_type, state)| (cc_type, State::Extended(state)));
    let state = prop_oneof![nscc, other, extended];
    (state, 0..16u8, any::<u8>(), any::<i16>(), any::<u64>()).prop_map(
        |((cc_type, state), cc_flags, mpr, sack_offset, bitmap)| Congestion {
            cc_type,
            cc_flags,
            mpr,
            sack_offset,
            bitmap,
            state,
        },
    )
}

fn any_ack() -> impl Strategy<Value = Header> {
    let asks = prop_oneof![Just(Ask::Nothing), Just(Ask::Clear), Just(Ask::Close), Just(Ask::Reserved)];
    let words = (any::<u16>(), any::<u32>(), any::<u16>(), any::<u16>());
    (0..16u8, any::<[bool; 4]>(), asks, words, proptest::option::of(any_congestion())).prop_map(
        |(
            next_header,
            [is_marked, is_retransmission, is_probe, has_expected_psn],
            ask,
            words,
            congestion,
        )| {
            let (offset, cack, source, destination) = words;
            Header::Ack(Ack {
                next_header,
                is_marked,
                is_retransmission,
                is_probe,
                ask,
                has_expected_psn,
                offset,
                cack,
                source,
                destination,
                congestion,
            })
        },
    )
}

fn any_nack() -> impl Strategy<Value = Header> {
    let words = (any::<u32>(), any::<u16>(), any::<u16>(), any::<u32>());
    let state = proptest::option::of(any::<[u8; 16]>());
    (0..16u8, any::<[bool; 3]>(), any::<[u8; 2]>(), words, state).prop_map(
        |(next_header, [is_marked, is_retransmission, is_rudi], [code, vendor_code], words, state)| {
            let (psn, source, destination, payload) = words;
            Header::Nack(Nack {
                next_header,
                is_marked,
                is_retransmission,
                is_rudi,
                code,
                vendor_code,
                psn,
                source,
                destination,
                payload,
                state: state.unwrap_or_default(),
                is_extended: state.is_some(),
            })
        },
    )
}

fn any_control() -> impl Strategy<Value = Header> {
    let ctl = prop_oneof![proptest::sample::select(&Ctl::KNOWN[..]), (10..16u8).prop_map(Ctl::Reserved),];
    let words = (any::<u16>(), any::<u32>(), any::<u16>(), any::<u32>());
    (ctl, any_mode(), any::<[bool; 2]>(), words, any_destination(), any::<u16>()).prop_map(
        |(ctl, mode, [is_retransmission, ack_request], (opaque, psn, source, payload), destination, pdc)| {
            let may_syn = ctl.may_open() || matches!(ctl, Ctl::Reserved(_));
            Header::Control(Control {
                ctl,
                mode,
                is_retransmission,
                ack_request,
                opaque,
                psn,
                source,
                destination: if may_syn { destination } else { Destination::Pdc(pdc) },
                payload,
            })
        },
    )
}

fn any_other() -> impl Strategy<Value = Header> {
    let rudi = (any::<bool>(), 0..16u8, 0..128u8, any::<u32>()).prop_map(
        |(is_response, next_header, flags, packet)| {
            Header::Rudi(Rudi { is_response, next_header, flags, packet })
        },
    );
    let uud = (0..16u8, 0..128u8).prop_map(|(next_header, flags)| Header::Uud(Uud { next_header, flags }));
    let ssi = proptest::option::of(any::<u32>());
    let security = (any::<bool>(), 0..1u32 << 24, ssi, any::<u16>(), 0..1u64 << 48).prop_map(
        |(association, sdi, ssi, epoch, counter)| {
            Header::Security(Security { association, sdi, ssi, epoch, counter })
        },
    );
    prop_oneof![rudi, uud, security]
}

fn any_header() -> impl Strategy<Value = Header> {
    prop_oneof![any_request(), any_ack(), any_nack(), any_control(), any_other()]
}

proptest! {
    #[test]
    fn every_header_is_read_as_it_was_written(header in any_header(), behind in any::<[u8; 4]>()) {
        let bytes = header.to_bytes();
        let all = [bytes.as_slice(), &behind].concat();
        prop_assert_eq!(Header::parse(&all), Ok((header, bytes.len())));
    }

    /// What is read of any bytes is written the same, but for reserved bits, and read the same again.
    #[test]
    fn what_is_read_is_written_the_same(bytes in any::<[u8; 44]>()) {
        if let Ok((header, length)) = Header::parse(&bytes) {
            let written = header.to_bytes();
            prop_assert_eq!(written.len(), length);
            let again = Header::parse(&[written.as_slice(), &bytes[length..]].concat());
            prop_assert_eq!(again, Ok((header, length)));
        }
    }
}

#[test]
fn headers_that_are_cut_off_or_reserved_are_refused() {
    // the shortest of each type that is whole, and the type
    let whole = [
        ("0c000001000000050000000000000001".to_owned(), 1),
        ("080000010000000000000001".to_owned(), 1),
        ("1180ffff000003ea00070009".to_owned(), 2),
        ("6980ffff000003ea0007000977887766".to_owned(), 13),
        ("3a000002000003e700090007".to_owned(), 7),
        (format!("42000000000003e80009000700010000{}", "00".repeat(16)), 8),
        ("4a000000000003e800090007e00200000000000000000001".to_owned(), 9),
        ("50000100000003ea0009000700000000".to_owned(), 10),
        ("60000100000003ea0009000700000000".to_owned(), 12),
        ("590000000000000000070009".to_owned(), 11),
        ("21a0000099887766".to_owned(), 4),
        ("31800000".to_owned(), 6),
    ];
    for (text, kind) in whole {
        let bytes = hex(&text);
        assert!(Header::parse(&bytes).is_ok(), "{text}");
        let (needed, got) = (bytes.len(), bytes.len() - 1);
        assert_eq!(Header::parse(&bytes[..got]), Err(HeaderError::Short { kind, needed, got }));
    }
    for kind in (0..32u8).filter(|kind| !(1..=14).contains(kind)) {
        assert_eq!(Header::parse(&[kind << 3; 44]), Err(HeaderError::Reserved(kind)));
    }
    let syn = |ctl: u8| [vec![11 << 3 | ctl >> 1, ctl << 7 | 4], vec![0; 14]].concat();
    for ctl in 0..16 {
        let is_refused = (1..=8).contains(&ctl);
        assert_eq!(Header::parse(&syn(ctl)).is_err(), is_refused, "ctl {ctl}");
    }
    let Ok((Header::Control(cut), 12)) = Header::parse(&hex("590000000000000000070009")) else {
        panic!("a control packet without its payload is whole")
    };
    assert_eq!((cut.ctl, cut.payload), (Ctl::Clear, 0));
}
