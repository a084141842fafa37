//! ACKs, NACKs and exchanges of Ultra Ethernet that were worked out by hand: the Verilog of the scoreboard beside its golden model.

use respray_cosim::cores::sack_tx::uet::UetTxCore;
use respray_golden::wire::{Packet, Profile, uet};

use super::{holds, lines};

/// Fields of a line behind `now,op,conn`: what the op brings, the settings, and what is expected.
const COLUMNS: &str = "psn,bytes,ordered,code,mpr,cum_next,probe,has_sack,base,bitmap,has_state,rcvd,ooo,timestamp,idle,\
                       probe_timeout,probe_rtt,rto,rules,max_rto_retx,expect_status,expect_psn,expect_acked,expect_in_flight,\
                       expect_bytes_acked,expect_in_recovery,expect_retransmit,expect_loss_nack,expect_loss_probe,\
                       expect_recovery_left,expect_rtt";
/// A header, and what it leads to: status, `snd_una`, marks, packets in flight, bytes.
type Vector = (&'static str, u8, u32, &'static [u32], u32, u32);

/// Edges in which the walker goes round all connections more than once.
const ROUND: u32 = 600;
/// Bytes that a receiver counts of a packet of 1024 bytes with its headers.
const BYTES: u32 = 1128;

/// A line of these fields, each as `column=value`; those that are not named are empty.
fn line(now: u32, op: &str, conn: usize, fields: &str) -> String {
    let given: Vec<(&str, &str)> =
        fields.split_whitespace().map(|field| field.split_once('=').expect("column=value")).collect();
    let columns: Vec<&str> = COLUMNS.split(',').collect();
    assert!(given.iter().all(|(name, _)| columns.contains(name)), "{fields}");
    let value = |column: &&str| given.iter().find(|(name, _)| name == column).map_or("", |(_, value)| value);
    let values: Vec<&str> = columns.iter().map(value).collect();
    format!("{now},{op},{conn},{}", values.join(","))
}

/// A rule with a window of 256 packets, in which nothing times out unless a line says so.
fn rule(text: Vec<String>) {
    let quiet = "# respray: probe_timeout=65535 probe_rtt=0 rto=65535 max_rto_retx=15\n";
    let text = lines(&format!("{quiet}now,op,conn,{COLUMNS}"), text);
    holds::<UetTxCore>(&text, &["connections=64", "wire=uet", "sack.acks=uet"]);
}

/// A connection that sent these PSNs.
fn sent(conn: usize, psns: std::ops::Range<u32>, ordered: u8) -> Vec<String> {
    let mut text = vec![line(0, "init", conn, &format!("psn={} ordered={ordered}", psns.start))];
    let count = psns.end.wrapping_sub(psns.start);
    text.extend((0..count).map(|n| {
        let psn = psns.start.wrapping_add(n);
        line(0, "sent", conn, &format!("psn={psn} bytes={BYTES} expect_status=0"))
    }));
    text
}

/// The ACK whose header is this, in hexadecimal.
fn ack(now: u32, conn: usize, hex: &str, expected: &str) -> String {
    let bytes: Vec<u8> =
        (0..hex.len() / 2).map(|at| u8::from_str_radix(&hex[2 * at..][..2], 16).unwrap()).collect();
    let Ok(Packet::UetAck(ack)) = Profile::Uet.parse(&bytes) else { panic!("{hex} is an ACK") };
    let mut fields = format!(
        "psn={} probe={} cum_next={} timestamp=0 {expected}",
        ack.ack_psn(),
        u8::from(ack.probe),
        ack.cack_psn.wrapping_add(1)
    );
    if let Some((cc, base)) = ack.cc.zip(ack.sack_psn()) {
        fields += &format!(" has_sack=1 mpr={} base={base} bitmap={:#x}", cc.mpr, cc.sack_bitmap);
        if cc.has_state() {
            let ooo = if cc.ooo_count == uet::NO_OOO_COUNT { 0 } else { cc.ooo_count.min(4095) };
            fields += &format!(" has_state=1 rcvd={} ooo={ooo}", cc.rcvd_bytes);
        }
    }
    line(now, "ack", conn, &fields)
}

fn next_rtx(conn: usize, psn: Option<u32>) -> String {
    let expected =
        psn.map_or("expect_status=1".to_string(), |psn| format!("expect_status=0 expect_psn={psn}"));
    line(0, "next_rtx", conn, &expected)
}

fn nack(conn: usize, psn: u32, code: u8, expected: &str) -> String {
    line(0, "nack", conn, &format!("psn={psn} code={code} {expected}"))
}

/// What stands at the inputs while nothing happens for some rounds of the walker, from the next line on.
fn wait(now: u32, conn: usize, settings: &str) -> [String; 2] {
    let then = format!("{settings} idle={}", 4 * ROUND);
    [line(now, "read", conn, settings), line(now, "read", conn, &then)]
}

/// Two phases go by, in ticks too few for a timeout: all that was sent by now left long enough ago.
fn age(now: u32, conn: usize) -> Vec<String> {
    [wait(now + 2, conn, "rto=4"), wait(now + 4, conn, "rto=5")].concat()
}

/// `snd_una`, and the PSNs of those sent that a NACK would ask for: all that are not acknowledged.
fn stands(conn: usize, una: u32, end: u32, marked: &[u32]) -> Vec<String> {
    let mut text = vec![line(0, "read", conn, &format!("expect_psn={una}"))];
    text.extend((0..end.wrapping_sub(una)).map(|n| {
        let psn = una.wrapping_add(n);
        let asks = u8::from(!marked.contains(&psn));
        nack(conn, psn, 1, &format!("expect_status=0 expect_retransmit={asks}"))
    }));
    text
}

#[test]
fn acks_mark_what_they_name() {
    let vectors: [Vector; 17] = [
        ("42000000000003e8000900070001000000000000000000010000000000050000", 0, 1001, &[], 7, 1280),
        ("42000002000003e9000900070001ffd700000bffffffffff00000000000effff", 0, 1002, &[1003], 5, 3584),
        ("42000002000003e9000900070001ffff000000000000000b00000000000e0001", 0, 1002, &[1003], 5, 3584),
        ("42000002000003e90009000700010002000000000000000100000000000e0001", 0, 1002, &[1003], 5, 3584),
        (
            "42000006000003e90009000700010002000000000000001f00000000001f0005",
            0,
            1002,
            &[1003, 1004, 1005, 1006, 1007],
            1,
            7936,
        ),
        ("42020001000003e7000900070002ffd9000003ffffffffff0000000000090002", 0, 1000, &[1000, 1001], 6, 2304),
        ("3a000002000003e700090007", 0, 1000, &[1001], 7, 0),
        ("4200000e000003de000900070001000e00000000000000010000000000010001", 1, 1000, &[1004], 7, 256),
        ("42000000000003e80009000700018000ffffffffffffffff0000000000050000", 0, 1001, &[], 7, 1280),
        ("42200000000003e9000900070004ffff000000000000000301238500000a0000", 0, 1002, &[], 6, 2560),
        ("42000000000003e8000900070001000000000000000001010000000000050000", 4, 1000, &[], 8, 0),
        ("3a000000000003f000090007", 2, 1000, &[], 8, 0),
        ("38081234000003eb00090007", 0, 1004, &[], 4, 0),
        ("3a040000000003eb00090007", 0, 1004, &[], 4, 0),
        ("38400000000003ef0009000700020010", 0, 1008, &[], 0, 0),
        ("40000000000003e8000900070000ffd8000001ffffffffff00000000042c0000", 0, 1001, &[], 7, 273_408),
        (
            "4a000000000003e800090007e0020000000000000000000100000000000000000000000000000000",
            0,
            1001,
            &[],
            7,
            0,
        ),
    ];
    let mut text = vec![];
    for (conn, (hex, status, una, marked, in_flight, bytes)) in vectors.into_iter().enumerate() {
        text.extend(sent(conn, 1000..1008, 0));
        let mut expected = format!("expect_status={status} expect_in_flight={in_flight}");
        if status < 2 {
            expected += &format!(" expect_bytes_acked={bytes} expect_acked={}", 8 - in_flight);
        }
        text.push(ack(0, conn, hex, &expected));
        text.extend(stands(conn, una, 1008, marked));
    }
    // signed offsets of a table of the specification, and an ACK across the wrap
    let (first, end) = (0x6223_10f0, 0x6223_1150);
    for (conn, (hex, marked)) in
        [("3a0000246223112000090007", 0x6223_1144), ("3a00ffdc6223112000090007", 0x6223_10fc)]
            .iter()
            .enumerate()
    {
        text.extend(sent(20 + conn, first..end, 0));
        text.push(ack(0, 20 + conn, hex, "expect_status=0"));
        text.extend(stands(20 + conn, 0x6223_1121, end, &[*marked]));
    }
    text.extend(sent(22, std::ops::Range { start: 0xffff_fff0, end: 5 }, 0));
    text.push(ack(0, 22, "3a000010fffffff300090007", "expect_status=0 expect_acked=5 expect_in_flight=16"));
    text.extend(stands(22, 0xffff_fff4, 5, &[3]));
    rule(text);
}

#[test]
fn nacks_ask_for_one_psn_or_go_back() {
    let mut text = sent(0, 1000..1008, 0);
    let asks = "expect_status=0 expect_retransmit=1 expect_in_flight=8 expect_in_recovery=0";
    text.extend(
        [(1002, 1), (1003, 2), (1002, 26)]
            .map(|(psn, code)| nack(0, psn, code, &format!("{asks} expect_psn={psn}"))),
    );
    text.extend(
        [0, 3, 11, 13, 14, 23, 24, 255]
            .map(|code| nack(0, 1002, code, "expect_status=0 expect_retransmit=0")),
    );
    text.extend([999, 1008, 0xdead_beef].map(|psn| nack(0, psn, 1, "expect_status=1 expect_retransmit=0")));
    // in order: 503 is lost, and what follows comes too early
    text.extend(sent(1, 0x500..0x508, 1));
    text.push(ack(
        0,
        1,
        "4200000000000502000a00080002fffe000000000000000700000000000e0000",
        "expect_status=0",
    ));
    text.push(nack(
        1,
        0x504,
        13,
        "expect_status=0 expect_loss_nack=1 expect_in_flight=0 expect_in_recovery=1",
    ));
    text.push(nack(1, 0x505, 13, "expect_status=0 expect_loss_nack=0"));
    text.extend((0x503..0x508).map(|psn| next_rtx(1, Some(psn))));
    text.push(next_rtx(1, None));
    // lost again: nothing until the RTO, which makes the next NACK count
    text.push(nack(1, 0x504, 13, "expect_loss_nack=0"));
    text.extend(age(0, 1));
    text.extend(wait(1000, 1, "rto=1000"));
    text.push(next_rtx(1, Some(0x503)));
    text.push(nack(1, 0x507, 1, "expect_status=0 expect_loss_nack=1 expect_in_flight=1"));
    text.push(next_rtx(1, Some(0x504)));
    text.push(ack(
        0,
        1,
        "4210000000000503000a00080002fffd000000000000000f0000000000120000",
        "expect_recovery_left=0",
    ));
    text.push(ack(
        0,
        1,
        "4210000000000507000a00080002fff900000000000000ff0000000000240000",
        "expect_recovery_left=1 expect_in_flight=0",
    ));
    // a trimmed packet: those before it are on their way
    text.extend(sent(2, 100..110, 1));
    text.push(nack(2, 104, 1, "expect_loss_nack=1 expect_in_flight=4"));
    text.extend((104..110).map(|psn| next_rtx(2, Some(psn))));
    text.push(next_rtx(2, None));
    rule(text);
}

#[test]
fn exchanges_end_with_every_packet_acknowledged() {
    // coalesced ACKs and one loss, which a timeout finds
    let mut text = sent(0, 1000..1020, 0);
    text.push(ack(
        0,
        0,
        "4200000e000003ea000900070002ffd601fff7ffffffffff000000000047000d",
        "expect_in_flight=4",
    ));
    text.push(ack(
        0,
        0,
        "42000011000003ea000900070002ffd60ffff7ffffffffff0000000000540010",
        "expect_in_flight=1",
    ));
    text.push(next_rtx(0, None));
    text.extend(age(0, 0));
    text.extend(wait(1000, 0, "rto=1000"));
    text.extend([next_rtx(0, Some(1003)), next_rtx(0, None)]);
    text.push(ack(
        0,
        0,
        "4210fff0000003fb000900070002ffc50fffffffffffffff0000000000590000",
        "expect_in_flight=0 expect_recovery_left=1",
    ));
    // trimmed packets
    text.extend(sent(1, 2000..2006, 0));
    text.push(ack(
        0,
        1,
        "42000000000007d0000900070002fff0000000000001ffff0000000000050000",
        "expect_acked=1",
    ));
    text.push(ack(
        0,
        1,
        "42000000000007d1000900070002ffef000000000003ffff0000000000090000",
        "expect_acked=1",
    ));
    text.push(nack(1, 2002, 1, "expect_retransmit=1"));
    text.push(ack(
        0,
        1,
        "42000002000007d1000900070002ffef00000000000bffff00000000000e0001",
        "expect_acked=1",
    ));
    text.push(nack(1, 2004, 2, "expect_retransmit=1"));
    text.push(ack(
        0,
        1,
        "42000004000007d1000900070002ffef00000000002bffff0000000000120002",
        "expect_acked=1",
    ));
    text.push(ack(
        0,
        1,
        "4210ffff000007d3000900070002ffed00000000002fffff0000000000170001",
        "expect_acked=1",
    ));
    text.push(ack(
        0,
        1,
        "4210ffff000007d5000900070002ffeb00000000003fffff00000000001b0000",
        "expect_in_flight=0",
    ));
    text.push(nack(1, 2002, 1, "expect_status=1 expect_retransmit=0"));
    // an answer to a probe proves nothing without rule 2; its timestamp is the probe's
    text.extend(sent(2, 1000..1010, 0));
    text.extend(wait(100, 2, "probe_timeout=100"));
    let answer = "4008beef000003ec000900070002ffd40003dfffffffffff0000000000280004";
    text.push(ack(100, 2, answer, "expect_status=0 expect_in_flight=1 expect_loss_probe=0 expect_rtt=100"));
    text.extend(stands(2, 1005, 1010, &[1006, 1007, 1008, 1009]));
    // responses that must arrive hold the cumulative PSN back; a timeout finds that nothing lacks
    text.extend(sent(3, 333..337, 0));
    for (hex, in_flight) in [
        ("420200020000014c000900070002fff40000000000005fff0000000000050001", 3),
        ("420200010000014c000900070002fff40000000000007fff0000000000090000", 2),
        ("420200040000014c000900070002fff40000000000017fff00000000000e0001", 1),
        ("420200030000014c000900070002fff4000000000001ffff0000000000120000", 0),
    ] {
        text.push(ack(0, 3, hex, &format!("expect_status=0 expect_in_flight={in_flight}")));
    }
    text.extend(age(0, 3));
    text.extend(wait(1000, 3, "rto=1000"));
    text.push(next_rtx(3, None));
    text.push(line(0, "read", 3, "expect_psn=333 expect_in_recovery=0"));
    text.push(line(0, "sent", 3, "psn=337 bytes=1128 expect_status=0"));
    text.push(ack(
        0,
        3,
        "420200030000014e000900070002fff2000000000003ffff0000000000170000",
        "expect_in_flight=0 expect_acked=1",
    ));
    text.push(ack(
        0,
        3,
        "4200ffff00000151000900070002ffef000000000003ffff0000000000170000",
        "expect_status=0",
    ));
    text.push(line(0, "read", 3, "expect_psn=338"));
    rule(text);
}

#[test]
fn the_mpr_limits_what_is_sent_and_sent_again() {
    let mut text = sent(0, 0..200, 0);
    text.extend(age(0, 0));
    text.extend(wait(1000, 0, "rto=1000"));
    text.push(ack(
        0,
        0,
        "4200000200000000000900070001000000000000000000050000000000000000",
        "expect_acked=2",
    ));
    text.push(line(0, "sent", 0, "psn=200 expect_status=3"));
    text.extend([1].into_iter().chain(3..129).map(|psn| next_rtx(0, Some(psn))));
    text.push(next_rtx(0, None));
    text.push(ack(0, 0, "3a0000000000000100090007", "expect_status=0"));
    text.extend([next_rtx(0, Some(129)), next_rtx(0, None)]);
    rule(text);
}
