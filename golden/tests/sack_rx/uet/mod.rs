//! The receiver of Ultra Ethernet: packets and answers that were worked out by hand, one by one.

mod exchanges;
mod observer;

use respray_golden::psn::PsnSpace;
use respray_golden::sack_rx::Params;
use respray_golden::sack_rx::uet::{Connection, Op, OpKind, Outcome, Settings, Status, UetRx};
use respray_golden::wire::uet::{Ack, AckCc, Nack};
use respray_golden::wire::{Packet, Profile};

const PSNS: PsnSpace = PsnSpace::new(32);
const PARAMS: Params = Params { connections: 16, window: 256, psns: PSNS };
const CONN: u16 = 9;
const PEER: u16 = 7;
/// Bytes behind the headers of packets here: a standard header of the semantic sublayer, and 1024 bytes.
const BYTES: u16 = 44 + 1024;
/// The settings that a run has where nothing else is said.
const USUAL: Settings =
    Settings { ack_gen_trigger: 16384, ack_gen_min: 1024, ack_on_ecn: true, nominal_extra: 60 };

/// An engine with one connection, and the settings of its next op.
struct Bench {
    engine: UetRx,
    settings: Settings,
    /// Numbers of the connection here and at the peer.
    pdcs: [u16; 2],
}

/// The bytes of a text in hexadecimal.
fn bytes(hex: &str) -> Vec<u8> {
    (0..hex.len() / 2).map(|at| u8::from_str_radix(&hex[2 * at..][..2], 16).unwrap()).collect()
}

fn text(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

impl Bench {
    /// A connection that expects this PSN, and that the block answers.
    fn open(psn: u32) -> Bench {
        Bench::open_as(Op { psn, ..Op::default() })
    }

    fn open_as(op: Op) -> Bench {
        let mut bench = Bench { engine: UetRx::new(PARAMS), settings: USUAL, pdcs: [CONN, PEER] };
        assert_eq!(bench.apply(Op { kind: OpKind::Init, ..op }).status, None);
        bench
    }

    fn copy(&self) -> Bench {
        Bench { engine: self.engine.clone(), ..*self }
    }

    fn apply(&mut self, op: Op) -> Outcome {
        self.engine.apply(&Op { conn: CONN, settings: self.settings, ..op })
    }

    /// What is sent back, if anything is.
    fn answer(&mut self, op: Op, opaque: u16) -> Option<String> {
        let outcome = self.apply(op);
        assert!(outcome.nack.is_none() || outcome.sack.is_none());
        let [source_pdc, destination_pdc] = self.pdcs;
        let probe = op.kind == OpKind::Probe;
        let (ecn_echo, retransmit) = (op.ecn && !probe, op.retransmit);
        if let Some(nack_code) = outcome.nack {
            let payload = if nack_code == 13 { outcome.epsn.unwrap() } else { 0 };
            let nack =
                Nack { nack_code, psn: op.psn, source_pdc, destination_pdc, payload, ..Nack::default() };
            return Some(text(&Nack { ecn_echo, retransmit, ..nack }.to_bytes()));
        }
        let sack = outcome.sack?;
        let cack_psn = sack.cum_next.wrapping_sub(1);
        let offset = |psn: u32| i16::try_from(psn.wrapping_sub(cack_psn) as i32).unwrap();
        let cc = AckCc {
            mpr: sack.mpr,
            sack_psn_offset: offset(sack.base),
            sack_bitmap: sack.bitmap,
            rcvd_bytes: sack.rcvd,
            ooo_count: sack.ooo,
            ..AckCc::default()
        };
        // a default response follows, but for a control packet and a probe
        let next_header = if probe || op.kind == OpKind::Packet && op.control { 0 } else { 4 };
        let ack_psn_offset = if probe { opaque as i16 } else { offset(op.psn) };
        let ack = Ack {
            next_header,
            ack_psn_offset,
            cack_psn,
            source_pdc,
            destination_pdc,
            cc: Some(cc),
            ..Ack::default()
        };
        Some(text(&Ack { ecn_echo, retransmit, probe, ..ack }.to_bytes()))
    }

    /// What answers the packet with this header, with [`BYTES`] behind it.
    fn hear(&mut self, hex: &str) -> Option<String> {
        match Profile::Uet.parse(&bytes(hex)).unwrap() {
            Packet::UetRequest(request) => self.answer(
                Op {
                    psn: request.psn,
                    bytes: BYTES,
                    ack_request: request.ack_request,
                    syn: request.syn,
                    retransmit: request.retransmit,
                    ..Op::default()
                },
                0,
            ),
            Packet::UetControl(control) => {
                let kind = match control.ctl {
                    1 => OpKind::Ask,
                    6 => OpKind::Probe,
                    _ => OpKind::Packet,
                };
                let psn = if kind == OpKind::Probe { control.payload.unwrap() } else { control.psn };
                let host = kind == OpKind::Packet && control.ctl != 0;
                let ack_request = control.ack_request;
                let syn = control.syn;
                let op = Op { kind, psn, control: true, host, ack_request, syn, ..Op::default() };
                self.answer(op, control.probe_opaque)
            }
            other => panic!("{other:?} is for the sender"),
        }
    }

    /// The answer to a packet with this PSN.
    fn packet(&mut self, psn: u32, ack_request: bool) -> Option<String> {
        self.answer(Op { psn, bytes: BYTES, ack_request, ..Op::default() }, 0)
    }

    fn trimmed(&mut self, psn: u32, last_hop: bool) -> Option<String> {
        self.answer(Op { kind: OpKind::Trimmed, psn, last_hop, ..Op::default() }, 0)
    }

    fn connection(&self) -> &Connection {
        self.engine.connection(CONN)
    }
}

#[test]
fn a_request_without_bytes_is_data() {
    let mut bench = Bench::open(1000);
    let outcome = bench.apply(Op { psn: 1000, ack_request: true, ..Op::default() });
    assert_eq!((outcome.status, bench.connection().rcvd_bytes), (Some(Status::New), 60));
    assert_eq!(outcome.sack.unwrap().rcvd, 1);
}

#[test]
fn a_packet_in_order_that_asks_is_acknowledged() {
    let mut bench = Bench::open(1000);
    let ack = "42000000000003e8000900070002ffd8000001ffffffffff0000000000050000";
    assert_eq!(bench.packet(1000, true).as_deref(), Some(ack));
}

#[test]
fn a_trimmed_packet_leads_to_a_nack_and_changes_nothing() {
    let mut bench = Bench::open(1000);
    bench.packet(1002, false);
    let before = *bench.connection();
    // not received, received, outside the window, far below
    for psn in [1001, 1002, 5000, 0x8000_0000] {
        for (last_hop, code) in [(false, "01"), (true, "02")] {
            let nack = format!("5000{code}00{psn:08x}0009000700000000");
            assert_eq!(bench.trimmed(psn, last_hop), Some(nack));
        }
    }
    assert_eq!(*bench.connection(), before);
    bench.apply(Op { kind: OpKind::Close, ..Op::default() });
    let outcome = bench.apply(Op { kind: OpKind::Trimmed, ..Op::default() });
    assert_eq!((outcome.status, outcome.nack), (Some(Status::Uninitialised), Some(1)));
}

#[test]
fn an_ack_that_is_asked_for_comes_if_the_psn_was_received() {
    let mut bench = Bench::open(0x12345);
    let not = "50001200000123460009000700000000";
    assert_eq!(bench.hear("58800000000123460007000900000011").as_deref(), Some(not));
    bench.packet(0x12346, false);
    let ack = "4200000200012344000900070002fffc000000000000005f0000000000050001";
    assert_eq!(bench.hear("58800000000123460007000900000011").as_deref(), Some(ack));
    // at the window's end, and as far below EPSN as an ACK can name
    let ask = |psn| Op { kind: OpKind::Ask, psn, ..Op::default() };
    for (psn, status, nack) in [
        (0x12345 + 256, Status::Missing, Some(0x12)),
        (0x12345_u32.wrapping_sub(32768), Status::Duplicate, None),
        (0x12345_u32.wrapping_sub(32769), Status::Outside, Some(0x0b)),
    ] {
        let outcome = bench.apply(ask(psn));
        assert_eq!((outcome.status, outcome.nack), (Some(status), nack), "{psn:x}");
    }
}

#[test]
fn control_packets_take_their_psn_and_count_no_bytes() {
    let mut bench = Bench::open(0x12349);
    bench.settings.ack_gen_trigger = 1;
    // a close is for the host to answer, a copy of it, too
    assert_eq!(bench.hear("5a080000000123490007000900000000"), None);
    assert_eq!(bench.hear("5a080000000123490007000900000000"), None);
    assert_eq!((bench.connection().arrivals.epsn, bench.connection().rcvd_bytes), (0x1234a, 0));
    // one that does nothing and asks for an ACK is answered
    let ack = "400000000001234a000900070002fff600000000000007ff0000000000000000";
    assert_eq!(bench.hear("580800000001234a0007000900000000").as_deref(), Some(ack));
    // and one that does not ask adds nothing towards an ACK
    assert_eq!(bench.hear("580000000001234b0007000900000000"), None);
}

#[test]
fn what_lies_outside_is_refused_and_changes_nothing() {
    let mut bench = Bench::open(1000);
    bench.packet(1003, true);
    let before = *bench.connection();
    for (psn, syn, code) in [
        (1255, false, None),
        (1256, false, Some(0x0b)),
        (1256, true, Some(0x15)),
        (0x7fff_ffff, false, Some(0x0b)),
        (1000_u32.wrapping_sub(32768), false, None),
        (1000_u32.wrapping_sub(32769), false, Some(0x0b)),
        (1000_u32.wrapping_sub(32769), true, Some(0x0b)),
    ] {
        let mut engine = bench.engine.clone();
        let op = Op { conn: CONN, psn, syn, ack_request: true, settings: USUAL, ..Op::default() };
        let outcome = engine.apply(&op);
        assert_eq!((outcome.nack, outcome.sack.is_some()), (code, code.is_none()), "{psn}");
        assert_eq!(outcome.status == Some(Status::Outside), code.is_some(), "{psn}");
        assert!(code.is_none() || *engine.connection(CONN) == before, "{psn}");
    }
}

#[test]
fn each_reason_for_an_ack_is_one_of_its_own() {
    let quiet = Settings { ack_gen_trigger: 0xffff, ..USUAL };
    let op = Op { psn: 1000, bytes: BYTES, settings: quiet, ..Op::default() };
    let unheeded = Settings { ack_on_ecn: false, ..quiet };
    let at = |ack_gen_trigger| Settings { ack_gen_trigger, ..quiet };
    for (op, is_due) in [
        (op, false),
        (Op { ack_request: true, ..op }, true),
        (Op { syn: true, ..op }, true),
        (Op { retransmit: true, ..op }, true),
        (Op { ecn: true, ..op }, true),
        (Op { ecn: true, settings: unheeded, ..op }, false),
        (Op { settings: at(BYTES), ..op }, true),
        (Op { settings: at(BYTES + 1), ..op }, false),
        (Op { bytes: 1, settings: at(1024), ..op }, true),
        (Op { bytes: 1, settings: at(1025), ..op }, false),
        (Op { control: true, settings: at(0), ..op }, true),
        (Op { host: true, ack_request: true, ..op }, false),
    ] {
        let mut bench = Bench::open(1000);
        let outcome = bench.engine.apply(&Op { conn: CONN, ..op });
        assert_eq!((outcome.status, outcome.sack.is_some()), (Some(Status::New), is_due), "{op:?}");
    }
}

#[test]
fn bytes_come_together_in_sixteen_packets_however_small() {
    for bytes in [BYTES, 10] {
        let mut bench = Bench::open(0xffff_fff8);
        let sent = (0..32_u32).map(|n| {
            let op = Op { psn: 0xffff_fff8_u32.wrapping_add(n), bytes, ..Op::default() };
            bench.apply(op).sack.is_some()
        });
        let due: Vec<usize> = sent.enumerate().filter(|(_, is_due)| *is_due).map(|(n, _)| n).collect();
        assert_eq!(due, [15, 31], "{bytes}");
    }
    let mut bench = Bench::open(5);
    assert!((5..15).all(|psn| bench.packet(psn, true).is_some()), "each packet that asks has its own");
}

#[test]
fn a_packet_that_asks_and_overtakes_is_answered_again_when_no_gap_is_left() {
    let mut bench = Bench::open(0);
    let packets = [9, 0, 1, 2, 4, 5, 6, 7, 8, 3, 10].into_iter();
    let answers: Vec<u32> = packets.filter(|psn| bench.packet(*psn, *psn == 9).is_some()).collect();
    assert_eq!(answers, [9, 3]);
    assert!(!bench.connection().asked);
}

#[test]
fn received_bytes_are_rounded_up_and_wrap() {
    let mut bench = Bench::open(0);
    let all = Op { bytes: 0xffff, ack_request: true, ..Op::default() };
    let mut sum = 0_u64;
    for psn in 0..70_000 {
        sum += 0xffff + 60;
        let rcvd = bench.apply(Op { psn, ..all }).sack.unwrap().rcvd;
        assert_eq!(u64::from(rcvd), sum.div_ceil(256) & 0xff_ffff);
    }
    assert!(sum > 1 << 32);
}
