//! Packets of Ultra Ethernet and their answers that were worked out by hand: the Verilog of the receiver beside its golden model.

use std::fmt::Write as _;

use respray_cosim::cores::sack_rx::uet::UetRxCore;
use respray_golden::wire::{Packet, Profile};

use super::{holds, lines};

/// Fields of a line behind `op,conn`: what the op brings, the settings, and what is expected.
const COLUMNS: &str = "psn,cum_next,bytes,control,ack_request,syn,retransmit,ecn,ordered,host,last_hop,ev,echo,ack_gen_trigger,\
                       expect_status,expect_psn,expect_epsn,expect_ecn,expect_retransmit,expect_ev,expect_echo,expect_valid,\
                       expect_nack,expect_code,expect_cum_next,expect_base,expect_bitmap,expect_mpr,expect_ooo,expect_rcvd";
/// Bytes behind the headers of packets here: a standard header of the semantic sublayer, and 1024 bytes.
const BYTES: u16 = 44 + 1024;
/// No answer.
const SILENT: &str = "expect_valid=0 expect_nack=0";

/// A line of these fields, each as `column=value`; those that are not named are empty.
fn line(op: &str, conn: usize, fields: &str) -> String {
    let given: Vec<(&str, &str)> =
        fields.split_whitespace().map(|field| field.split_once('=').expect("column=value")).collect();
    let columns: Vec<&str> = COLUMNS.split(',').collect();
    assert!(given.iter().all(|(name, _)| columns.contains(name)), "{fields}");
    let value = |column: &&str| given.iter().find(|(name, _)| name == column).map_or("", |(_, value)| value);
    let values: Vec<&str> = columns.iter().map(value).collect();
    format!("{op},{conn},{}", values.join(","))
}

/// A rule with a window of 256 packets.
fn rule(text: Vec<String>) {
    let text = lines(&format!("op,conn,{COLUMNS}"), text);
    holds::<UetRxCore>(&text, &["connections=16", "wire=uet", "sack.acks=uet"]);
}

/// The bytes of a text in hexadecimal.
fn parsed(hex: &str) -> Packet {
    let bytes: Vec<u8> =
        (0..hex.len() / 2).map(|at| u8::from_str_radix(&hex[2 * at..][..2], 16).unwrap()).collect();
    Profile::Uet.parse(&bytes).unwrap_or_else(|error| panic!("{hex}: {error}"))
}

/// What is expected where the answer has this header, and nothing where it is empty.
fn answered(hex: &str) -> String {
    if hex.is_empty() {
        return SILENT.to_string();
    }
    let flag = |is: bool| u8::from(is);
    match parsed(hex) {
        Packet::UetAck(ack) => {
            let cc = ack.cc.expect("an ACK_CC");
            let base = ack.sack_psn().expect("an ACK_CC");
            let mut text = format!(
                "expect_valid=1 expect_nack=0 expect_cum_next={} expect_base={base} expect_bitmap={:#x} expect_mpr={} expect_ooo={} \
                 expect_rcvd={} expect_ecn={} expect_retransmit={}",
                ack.cack_psn.wrapping_add(1),
                cc.sack_bitmap,
                cc.mpr,
                cc.ooo_count,
                cc.rcvd_bytes,
                flag(ack.ecn_echo),
                flag(ack.retransmit)
            );
            match ack.probe {
                true => write!(text, " expect_status=3 expect_echo={}", ack.ack_psn_offset as u16).unwrap(),
                false => write!(text, " expect_psn={}", ack.ack_psn()).unwrap(),
            }
            text
        }
        Packet::UetNack(nack) => {
            let mut text = format!(
                "expect_valid=0 expect_nack=1 expect_psn={} expect_code={} expect_ecn={} expect_retransmit={}",
                nack.psn,
                nack.nack_code,
                flag(nack.ecn_echo),
                flag(nack.retransmit)
            );
            if nack.nack_code == 13 {
                write!(text, " expect_epsn={}", nack.payload).unwrap();
            }
            text
        }
        other => panic!("{other:?} is no answer"),
    }
}

/// A packet with this PSN, and what is expected of it.
fn packet(conn: usize, psn: u32, fields: &str, answer: &str) -> String {
    line("packet", conn, &format!("psn={psn} bytes={BYTES} {fields} {}", answered(answer)))
}

/// The packet with this header, with [`BYTES`] behind it if it is a request.
fn heard(conn: usize, hex: &str, answer: &str) -> String {
    let (op, fields) = match parsed(hex) {
        Packet::UetRequest(request) => {
            let flags = [request.ack_request, request.syn, request.retransmit].map(u8::from);
            let [ack_request, syn, retransmit] = flags;
            let flags = format!("ack_request={ack_request} syn={syn} retransmit={retransmit}");
            ("packet", format!("psn={} bytes={BYTES} {flags}", request.psn))
        }
        Packet::UetControl(control) => match control.ctl {
            1 => ("ask", format!("psn={}", control.psn)),
            6 => ("probe", format!("psn={} echo={}", control.payload.unwrap(), control.probe_opaque)),
            ctl => {
                let [host, ack_request, syn] = [ctl != 0, control.ack_request, control.syn].map(u8::from);
                let flags = format!("host={host} ack_request={ack_request} syn={syn}");
                ("packet", format!("psn={} control=1 {flags}", control.psn))
            }
        },
        other => panic!("{other:?} is for the sender"),
    };
    line(op, conn, &format!("{fields} {}", answered(answer)))
}

fn init(conn: usize, psn: u32, mode: &str) -> String {
    line("init", conn, &format!("psn={psn} {mode}"))
}

fn trimmed(conn: usize, psn: u32, last_hop: u8, answer: &str) -> String {
    line("trimmed", conn, &format!("psn={psn} last_hop={last_hop} ev=7 expect_ev=7 {}", answered(answer)))
}

/// The host answers a packet, and has cleared all up to the limit.
fn answer(conn: usize, psn: u32, limit: u32, answer: &str) -> String {
    line("answer", conn, &format!("psn={psn} cum_next={} {}", limit.wrapping_add(1), answered(answer)))
}

/// All these PSNs without an answer.
fn quiet(conn: usize, psns: impl Iterator<Item = u32>) -> impl Iterator<Item = String> {
    psns.map(move |psn| packet(conn, psn, "expect_status=0", ""))
}

#[test]
fn answers_are_those_worked_out_by_hand() {
    // a packet in order, and one without bytes
    let mut text = vec![init(0, 1000, "")];
    let ack = "42000000000003e8000900070002ffd8000001ffffffffff0000000000050000";
    text.push(packet(0, 1000, "ack_request=1 ev=4242 expect_ev=4242", ack));
    text.extend([
        init(0, 1000, ""),
        line("packet", 0, "psn=1000 ack_request=1 expect_rcvd=1 expect_status=0"),
    ]);
    // asked for
    text.push(init(1, 0x12345, ""));
    text.push(heard(1, "58800000000123460007000900000011", "50001200000123460009000700000000"));
    text.push(packet(1, 0x12346, "", ""));
    let ack = "4200000200012344000900070002fffc000000000000005f0000000000050001";
    text.push(heard(1, "58800000000123460007000900000011", ack));
    // a close is for the host, and what does nothing is not
    text.push(init(2, 0x12349, ""));
    text.extend([
        heard(2, "5a080000000123490007000900000000", ""),
        heard(2, "5a080000000123490007000900000000", ""),
    ]);
    let ack = "400000000001234a000900070002fff600000000000007ff0000000000000000";
    text.push(heard(2, "580800000001234a0007000900000000", ack));
    // packets that open a connection, as the host hands them in
    text.push(init(10, 0x500, "ordered=1"));
    text.push(heard(10, "1980ffff000005000008000a", ""));
    text.push(init(2, 0x12347, ""));
    let ack = "4200000000012347000900070002fff900000000000000ff0000000000050000";
    text.push(heard(2, "1184fffd0001234700071002", ack));
    text.push(init(10, 0x700, "ordered=1"));
    let ack = "4000000000000700000a00080002000000000000000000010000000000000000";
    text.extend(["582c0000000007000008000000000000"; 2].map(|hex| heard(10, hex, ack)));
    // a probe
    text.push(init(2, 0x12345, ""));
    let ack = "4008beef00012344000900070002fffc000000000000001f0000000000000000";
    text.push(heard(2, "5b08beef000123490007000900012346", ack));
    // trimmed
    text.push(trimmed(3, 1002, 0, "50000100000003ea0009000700000000"));
    text.push(init(3, 1000, ""));
    text.push(trimmed(3, 1002, 0, "50000100000003ea0009000700000000"));
    text.push(trimmed(3, 1002, 1, "50000200000003ea0009000700000000"));
    text.push(line("packet", 3, "psn=1002 expect_status=0"));
    text.push(trimmed(3, 1002, 0, "50000100000003ea0009000700000000"));
    rule(text);
}

#[test]
fn exchanges_are_answered_as_worked_out_by_hand() {
    // coalesced ACKs and one loss
    let mut text = vec![init(0, 1000, "")];
    text.extend(quiet(0, (1000..1016).filter(|psn| *psn != 1003)));
    let ack = "4200000e000003ea000900070002ffd601fff7ffffffffff000000000047000d";
    text.push(packet(0, 1016, "", ack));
    text.extend(quiet(0, 1017..1019));
    let ack = "42000011000003ea000900070002ffd60ffff7ffffffffff0000000000540010";
    text.push(packet(0, 1019, "ack_request=1", ack));
    let ack = "4210fff0000003fb000900070002ffc50fffffffffffffff0000000000590000";
    text.push(heard(0, "1198ffff000003eb00070009", ack));
    // trimmed packets
    text.push(init(1, 2000, ""));
    for (psn, ack) in [
        (2000, "42000000000007d0000900070002fff0000000000001ffff0000000000050000"),
        (2001, "42000000000007d1000900070002ffef000000000003ffff0000000000090000"),
        (2003, "42000002000007d1000900070002ffef00000000000bffff00000000000e0001"),
        (2005, "42000004000007d1000900070002ffef00000000002bffff0000000000120002"),
    ] {
        text.push(packet(1, psn, "ack_request=1", ack));
        text.push(trimmed(1, 2004, 1, "50000200000007d40009000700000000"));
    }
    let ack = "4210ffff000007d3000900070002ffed00000000002fffff0000000000170001";
    text.push(heard(1, "1198ffff000007d200070009", ack));
    let ack = "4210ffff000007d5000900070002ffeb00000000003fffff00000000001b0000";
    text.push(heard(1, "1198ffff000007d400070009", ack));
    // packets with SYN in another order
    text.push(init(2, 0x12345, ""));
    for (request, ack) in [
        ("1184fffe0001234600070001", "4200000200012344000900070002fffc000000000000005f0000000000050001"),
        ("118cffff0001234500070000", "4200ffff00012346000900070002fffa000000000000007f0000000000090000"),
        ("1184fffd0001234700070002", "4200000000012347000900070002fff900000000000000ff00000000000e0000"),
        ("119cffff0001234500070000", "4210fffe00012347000900070002fff900000000000000ff00000000000e0000"),
    ] {
        text.push(heard(2, request, ack));
    }
    // a probe clears nothing
    text.push(init(3, 1000, ""));
    text.extend(quiet(3, (1000..1010).filter(|psn| *psn != 1005)));
    let ack = "4008beef000003ec000900070002ffd40003dfffffffffff0000000000280004";
    text.push(heard(3, "5b08beef000003f100070009000003c0", ack));
    text.push(line("packet", 3, &format!("psn=1010 bytes={BYTES} ack_gen_trigger=10681 {SILENT}")));
    text.push(line("packet", 3, &format!("psn=1011 bytes={BYTES} ack_gen_trigger=11748 expect_valid=1")));
    rule(text);
}

#[test]
fn a_host_that_answers_holds_the_cumulative_psn_back() {
    let mut text = vec![init(5, 333, "host=1")];
    for (psn, ack) in [
        (334, "420000020000014c000900070002fff40000000000005fff0000000000050001"),
        (333, "420000010000014c000900070002fff40000000000007fff0000000000090000"),
        (336, "420000040000014c000900070002fff40000000000017fff00000000000e0001"),
        (335, "420000030000014c000900070002fff4000000000001ffff0000000000120000"),
    ] {
        text.extend([packet(5, psn, "ack_request=1 expect_status=0", ""), answer(5, psn, 332, ack)]);
    }
    text.push(heard(5, "1188fffd0000015100070009", ""));
    text.push(answer(5, 337, 334, "420000030000014e000900070002fff2000000000003ffff0000000000170000"));
    // an older limit, one that says nothing, and a probe
    let ack = "420000020000014e000900070002fff2000000000003ffff0000000000170000";
    text.extend([330, 334_u32.wrapping_sub(0x7fff_0000)].map(|limit| answer(5, 336, limit, ack)));
    text.push(line("probe", 5, "psn=0 expect_status=3 expect_cum_next=335 expect_epsn=338"));
    // an ACK that is asked for is the host's, too
    text.push(heard(5, "58800000000001500007000900000011", ""));
    text.push(answer(5, 336, 337, "4200ffff00000151000900070002ffef000000000003ffff0000000000170000"));
    // nothing beyond what was received is cleared, and nothing that was not is answered
    text.push(answer(5, 336, 500, "4200ffff00000151000900070002ffef000000000003ffff0000000000170000"));
    text.push(line("answer", 5, &format!("psn=338 cum_next=339 expect_status=4 {SILENT}")));
    text.push(line("packet", 5, "psn=338 expect_status=0"));
    text.push(line("answer", 5, "psn=338 cum_next=0 expect_status=1 expect_cum_next=338"));
    rule(text);
}

/// The PSN of an ACK is a signed offset of 16 bits from the cumulative one.
#[test]
fn a_packet_too_far_beyond_the_limit_of_the_host_is_refused() {
    let beyond = |psn: u32, status: u8| {
        let code = if status == 2 { "expect_nack=1 expect_code=11" } else { "expect_nack=0" };
        line("packet", 6, &format!("psn={psn} syn=1 expect_status={status} {code}"))
    };
    let mut text = vec![init(6, 1, "host=1")];
    text.extend((1..32767).map(|psn| line("packet", 6, &format!("psn={psn}"))));
    text.extend([beyond(32768, 2), beyond(32767, 0), beyond(32768, 2)]);
    text.push(line("answer", 6, "psn=32767 cum_next=2 expect_cum_next=2"));
    text.extend([beyond(32768, 0), beyond(32769, 2)]);
    rule(text);
}

#[test]
fn a_connection_in_order_tells_of_a_gap_once() {
    let mut text = vec![init(10, 0x500, "ordered=1")];
    text.extend(quiet(10, 0x500..0x502));
    let ack = "4200000000000502000a00080002fffe000000000000000700000000000e0000";
    text.push(packet(10, 0x502, "ack_request=1", ack));
    text.push(packet(10, 0x504, "ack_request=1 expect_status=6", "50000d0000000504000a000800000503"));
    text.extend((0x505..0x508).map(|psn| packet(10, psn, "ack_request=1 expect_status=6", "")));
    text.push(heard(10, "1998ffff000005050008000a", "50100d0000000505000a000800000503"));
    text.push(trimmed(10, 0x504, 0, "5000010000000504000a000800000000"));
    for (psn, ack) in [
        (0x503, "4210000000000503000a00080002fffd000000000000000f0000000000120000"),
        (0x504, "4210000000000504000a00080002fffc000000000000001f0000000000170000"),
        (0x505, "4210000000000505000a00080002fffb000000000000003f00000000001b0000"),
        (0x506, "4210000000000506000a00080002fffa000000000000007f00000000001f0000"),
        (0x507, "4210000000000507000a00080002fff900000000000000ff0000000000240000"),
    ] {
        text.push(heard(10, &format!("1998ffff{psn:08x}0008000a"), ack));
    }
    text.push(packet(10, 0x509, "expect_status=6", "50000d0000000509000a000800000508"));
    rule(text);
}

#[test]
fn what_lies_outside_is_refused_with_its_code() {
    let mut text = vec![init(4, 1000, ""), packet(4, 1003, "expect_status=0", "")];
    for (psn, syn, expected) in [
        (1255, 0, "expect_status=0 expect_nack=0"),
        (1256, 0, "expect_status=2 expect_code=11"),
        (1256, 1, "expect_status=2 expect_code=21"),
        (0x7fff_ffff, 1, "expect_status=2 expect_code=21"),
        (1000_u32.wrapping_sub(32768), 0, "expect_status=1 expect_nack=0"),
        (1000_u32.wrapping_sub(32769), 0, "expect_status=2 expect_code=11"),
        (1000_u32.wrapping_sub(32769), 1, "expect_status=2 expect_code=11"),
    ] {
        text.push(line("packet", 4, &format!("psn={psn} syn={syn} ack_request=1 {expected}")));
    }
    for (psn, expected) in [
        (1256, "expect_status=4 expect_code=18"),
        (1000_u32.wrapping_sub(32768), "expect_status=1 expect_valid=1"),
        (1000_u32.wrapping_sub(32769), "expect_status=2 expect_code=11"),
    ] {
        text.push(line("ask", 4, &format!("psn={psn} {expected}")));
    }
    text.extend([
        line("close", 4, ""),
        line("packet", 4, &format!("psn=1000 ack_request=1 expect_status=7 {SILENT}")),
    ]);
    text.push(line("ask", 4, &format!("psn=1000 expect_status=7 {SILENT}")));
    rule(text);
}
