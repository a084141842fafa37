//! Rules of the sender's scoreboard: 004 section 3.3.2, in both engines.

use respray_cosim::cores::sack_tx::SackTxCore;

use super::{WIRES, holds, lines};

/// Nothing times out unless a line says so.
const QUIET: &str = "# respray: cwnd_packets=8 probe_timeout=65535 probe_rtt=0 rto=65535\n";

fn rule(window: u32, columns: &str, text: impl IntoIterator<Item = String>) {
    rule_of(WIRES[0].0, window, columns, text);
}

/// A rule whose PSNs are those of a wire. Those of 32 bits are followed in `small` alone, to save time: what they
/// widen is in parts that both engines share, and random ops have them in both.
fn rule_of(wire: &str, window: u32, columns: &str, text: impl IntoIterator<Item = String>) {
    let engines = ["sack.engine=small", "sack.engine=fast"];
    let engines = if wire == WIRES[0].0 { &engines[..] } else { &engines[..1] };
    rule_in(engines, wire, window, columns, text);
}

/// A rule in these engines.
fn rule_in(engines: &[&str], wire: &str, window: u32, columns: &str, text: impl IntoIterator<Item = String>) {
    let text = lines(&format!("{QUIET}now,op,conn,{columns}"), text);
    for engine in engines {
        holds::<SackTxCore>(&text, &[&format!("sack.window={window}"), engine, wire]);
    }
}

fn sent(psn: u32, status: u8) -> String {
    format!("0,sent,0,{psn},100,,,,{status}")
}

fn sack(epsn: u32, base: u32, bitmap: u64, status: u8) -> String {
    format!("0,sack,0,,,{epsn},{base},{bitmap:#x},{status}")
}

fn next_rtx(status: u8) -> String {
    format!("0,next_rtx,0,,,,,,{status}")
}

fn init(psn: u32) -> String {
    format!("0,init,0,{psn},,,,,")
}

const STATUS: &str = "psn,bytes,epsn,base,bitmap,expect_status";

#[test]
fn statuses_are_told_apart() {
    for (wire, psns) in WIRES {
        let half = psns.half();
        let mut text = vec![sent(5, 7), sack(5, 0, 0, 7), next_rtx(7), init(5)];
        let sends = [(5, 0), (6, 0), (6, 1), (4, 1), (8, 2), (5 + half, 1), (4 + half, 2)];
        text.extend(sends.map(|(psn, status)| sent(psn, status)));
        text.extend((7..69).map(|psn| sent(psn, 0)));
        text.push(sent(69, 3));
        text.extend([
            sack(4, 0, 0, 1),
            sack(70, 0, 0, 2),
            sack(4 + half, 0, 0, 2),
            sack(5 + half, 0, 0, 1),
            sack(5, 1, 0, 3),
            sack(5, 128, 0, 3),
            sack(5, psns.sub(0, 64), 0, 3),
            sack(5, 64, 1 << 5, 4),
            sack(69, 64, 1 << 5, 4),
            sack(6, 0, 0b11 << 5, 5),
            sack(6, 0, 0b1011 << 4, 0),
            sack(64, 64, 1, 5),
            sack(5, 64, 1 << 4, 1),
            sack(6, 64, 1 << 4, 0),
            next_rtx(1),
        ]);
        rule_of(wire, 64, STATUS, text);
    }
}

#[test]
fn the_highest_place_of_the_smallest_window_is_beyond_what_was_sent() {
    let mut text = vec![init(62), sent(62, 0), sack(62, 64, 1 << 63, 4)];
    text.extend((63..126).map(|psn| sent(psn, 0)));
    text.extend([sack(62, 64, 1 << 62, 4), sack(62, 64, 1 << 61, 0)]);
    rule(64, STATUS, text);
}

/// Below EPSN the bitmap says nothing, above it what was received; of EPSN itself it cannot say that it was.
#[test]
fn a_sack_that_shows_its_epsn_as_received_changes_nothing() {
    for (wire, psns) in WIRES {
        let first = psns.sub(0, 2);
        let line = |op: &str, fields: &str, expected: &str| format!("0,{op},0,{fields},{expected}");
        let mut text = vec![line("init", &format!("{first},,,"), ",,,")];
        let sends =
            (0..70).map(|n| line("sent", &format!("{},,,", psns.add(first, n)), &format!("0,,{},", n + 1)));
        text.extend(sends);
        let near = psns.sub(0, 64);
        let sack = |epsn: u32, base, bitmap: u64, expected| {
            line("sack", &format!(",{},{base},{bitmap:#x}", epsn), expected)
        };
        text.extend([
            sack(first, near, 0b11 << 62, "5,0,70,0"),
            sack(0, 0, 0b11, "5,0,70,0"),
            sack(0, 0, 1 << 41, "0,3,67,0"),
            sack(40, 0, 1 << 40 | 1 << 50, "5,0,67,0"),
            sack(40, 0, 1 << 50 | 0xff, "0,41,26,0"),
            sack(64, 64, 0b11, "5,0,26,0"),
            // bit 0 of another segment is not EPSN
            sack(64, 0, 0b1, "0,22,4,0"),
            sack(64, 64, 0b10, "0,1,3,0"),
        ]);
        rule_of(
            wire,
            128,
            "psn,epsn,base,bitmap,expect_status,expect_acked,expect_in_flight,expect_in_recovery",
            text,
        );
    }
}

/// Rule 1: more packets out of order than the window, and than 5. Received are 2 to 9 and 40 to 49; the wrap lies at 30.
#[test]
fn too_many_out_of_order_are_retransmitted_once_each_over_the_wrap_of_psns() {
    for (wire, psns) in WIRES {
        let first = psns.sub(0, 30);
        let psn = |n: u32| psns.add(first, n);
        // psn, epsn, base, bitmap, ooo, cwnd_packets; what is expected of psn, acked, in flight, in recovery, loss, left
        let line = |op: &str, fields: &str, expected: &str| format!("0,{op},0,{fields},{expected}");
        let mut text = vec![line("init", &format!("{},,,,,", psn(0)), ",,,,,")];
        text.extend((0..100).map(|n| line("sent", &format!("{},,,,,", psn(n)), ",,,,,")));
        let near = format!(",{first},{},{:#x}", psns.sub(0, 64), 0xFF_u64 << 36);
        text.push(line("sack", &format!("{near},0,"), ",8,92,0,0,0"));
        text.push(line("sack", &format!("{near},5,4"), ",0,92,0,0,0"));
        text.push(line("sack", &format!("{near},17,17"), ",0,92,0,0,0"));
        text.push(line("sack", &format!(",{first},0,{:#x},18,17", 0x3FF_u64 << 10), ",10,50,1,1,0"));
        let holes = (0..2).chain(10..40).enumerate();
        text.extend(
            holes.map(|(n, hole)| line("next_rtx", ",,,,,", &format!("{},,{},1,0,0", psn(hole), 51 + n))),
        );
        text.push(line("next_rtx", ",,,,,", ",,,1,0,0"));
        text.push(line("sack", &format!(",{},0,0x0,0,", psn(49)), ",,,1,0,0"));
        text.push(line("sack", &format!(",{},0,0x0,0,", psn(50)), ",,50,0,0,1"));
        let columns = "psn,epsn,base,bitmap,ooo,cwnd_packets,expect_psn,expect_acked,expect_in_flight,\
                       expect_in_recovery,expect_loss_ooo,expect_recovery_left";
        rule_of(wire, 128, columns, text);
    }
}

/// Rule 2: silence asks for a probe, and its quick answer with nothing newer means loss. Before an answer comes the walker
/// goes round, with `now` and the settings of the answer's line.
#[test]
fn a_probe_that_comes_back_quickly_means_loss() {
    let mut text = vec!["0,init,0,1000,,,,,,,,,".to_string()];
    text.extend((1000..1010).map(|psn| format!("0,sent,0,{psn},,,,,,,,,")));
    // a round of visits at 299 asks for nothing: the answer of no probe is none that proves loss
    text.push("299,sack,0,,1000,960,290,1,400,300,29,0,".to_string());
    text.push("600,sent,0,1010,,,,,400,300,29,,".to_string());
    text.push("640,sack,0,,1000,960,610,1,0,300,29,0,".to_string());
    text.push("970,sent,0,1011,,,,,400,300,30,,".to_string());
    text.push("1000,sack,0,,1000,960,970,1,0,300,30,1,1".to_string());
    text.push("1000,next_rtx,0,,,,,,,,,,".to_string());
    let columns =
        "psn,epsn,base,timestamp,probe,idle,probe_timeout,probe_rtt,expect_loss_probe,expect_in_flight";
    rule(64, columns, text);
}

/// Rule 3: no progress for the timeout loses everything. The walker goes round before the line with idle edges.
#[test]
fn no_progress_for_the_timeout_loses_everything() {
    let early = 463;
    let late = 464;
    let mut text = vec!["65000,init,0,7,,,,,,".to_string()];
    text.extend((7..12).map(|psn| format!("65000,sent,0,{psn},,,,0,,")));
    text.push(format!("{early},next_rtx,0,,,400,1000,1,,5"));
    for psn in 7..12 {
        let idle = if psn == 7 { "400" } else { "" };
        text.push(format!("{late},next_rtx,0,,,{idle},1000,0,{psn},{}", psn - 6));
    }
    text.push(format!("{late},sack,0,,12,,,0,,0"));
    text.push("5000,next_rtx,0,,,400,1000,1,,0".to_string());
    rule(64, "psn,epsn,idle,rto,expect_status,expect_psn,expect_in_flight", text);
}

/// Each timeout in a row doubles the time until the next one. Before a line with idle edges the walker goes round at the line's
/// `now`; a timeout that it finds makes the one packet to be retransmitted, which the line asks for.
#[test]
fn timeouts_in_a_row_double_the_timeout_until_a_packet_is_acknowledged() {
    fn line(rto: u32, most: u32, now: u32, op: &str, fields: &str, expected: &str) -> String {
        let idle = if op == "next_rtx" { "140" } else { "" };
        format!("{},{op},0,{fields},{idle},{rto},{most},{expected}", now % 65_536)
    }
    let backed_off = |rto: u32, most: u32, limits: &[u32]| {
        let mut now = 65_000;
        let line = |now, op, fields, expected| line(rto, most, now, op, fields, expected);
        let mut text = vec![line(now, "init", "7,", ","), line(now, "sent", "7,", "0,")];
        text.push(line(now, "sent", "8,", "0,"));
        for &limit in limits {
            text.push(line(now + limit - 1, "next_rtx", ",", "1,"));
            now += limit;
            text.extend([line(now, "next_rtx", ",", "0,7"), line(now, "next_rtx", ",", "0,8")]);
        }
        text
    };
    let columns = "psn,epsn,idle,rto,rto_backoff_max,expect_status,expect_psn";
    // the engines differ in nothing but the steps of a doubling, so that one row is enough for `fast`
    let holds = |engine: &str, rto, most, limits: &[u32]| {
        rule_in(&[engine], WIRES[0].0, 64, columns, backed_off(rto, most, limits));
    };
    holds("sack.engine=small", 1000, 2, &[1000, 2000, 4000, 4000]);
    // a doubling that would have 17 bits does not take place
    holds("sack.engine=small", 3000, 7, &[3000, 6000, 12_000, 24_000, 48_000, 48_000]);
    holds("sack.engine=small", 20_000, 7, &[20_000, 40_000, 40_000]);
    holds("sack.engine=fast", 20_000, 7, &[20_000, 40_000, 40_000]);

    // progress ends the row, and so does init; a SACK that moves nothing does not
    let mut text = backed_off(1000, 7, &[1000, 2000]);
    let after = |ticks: u32, op, fields, expected| line(1000, 7, 68_000 + ticks, op, fields, expected);
    text.extend([
        after(0, "sack", ",8", "0,"),
        after(999, "next_rtx", ",", "1,"),
        after(1000, "next_rtx", ",", "0,8"),
        after(1500, "sack", ",8", "0,"),
        after(2999, "next_rtx", ",", "1,"),
        after(3000, "next_rtx", ",", "0,8"),
        after(3000, "init", "7,", ","),
        after(3000, "sent", "7,", "0,"),
        after(3999, "next_rtx", ",", "1,"),
        after(4000, "next_rtx", ",", "0,7"),
    ]);
    rule_in(&["sack.engine=small"], WIRES[0].0, 64, columns, text);
}

/// `read` shows the bounds of what is outstanding, here over the wrap of PSNs, and leaves everything as it is: the timers, and what
/// of a recovery was handed out.
#[test]
fn a_read_shows_where_the_connection_stands_and_changes_nothing() {
    for (wire, psns) in WIRES {
        let first = psns.sub(0, 100);
        let psn = |n: u32| psns.add(first, n);
        // psn, bytes, epsn, base, bitmap, idle, rto; expected are status, psn, snd_nxt, in flight, bytes, in recovery
        let line =
            |now: u32, op: &str, fields: &str, expected: &str| format!("{now},{op},0,{fields},{expected}");
        let read = |now, from: u32, to: u32, rest: &str| {
            line(now, "read", ",,,,,,", &format!("0,{},{},{rest}", psn(from), psn(to)))
        };
        let mut text =
            vec![line(0, "read", ",,,,,,", "7,,,0,0,0"), line(0, "init", &format!("{first},,,,,,"), ",,,,,")];
        text.push(read(0, 0, 0, "0,0,0"));
        for n in 0..128 {
            text.push(line(0, "sent", &format!("{},100,,,,,", psn(n)), "0,,,,,"));
            text.push(read(0, 0, n + 1, &format!("{},{},0", n + 1, 100 * (n + 1))));
        }
        let sack = format!(",,{},0,{:#x},,", psn(99), 0xFF_u64 << 2);
        text.push(line(0, "sack", &sack, "0,,,21,12800,0"));
        text.extend((1..40).map(|now| read(now, 99, 128, "21,12800,0")));
        // the timeout comes when it would have come without them
        let bounds = format!("0,{},{}", psn(99), psn(128));
        text.push(line(999, "read", ",,,,,140,1000", &format!("{bounds},21,12800,0")));
        text.push(line(1000, "read", ",,,,,140,1000", &format!("{bounds},0,12800,1")));
        for (n, hole) in (99..102).chain(110..120).enumerate() {
            text.push(line(1000, "next_rtx", ",,,,,,", &format!("0,{},,{},12800,1", psn(hole), n + 1)));
            text.push(read(1000, 99, 128, &format!("{},12800,1", n + 1)));
        }
        let columns = "psn,bytes,epsn,base,bitmap,idle,rto,expect_status,expect_psn,expect_snd_nxt,expect_in_flight,\
                       expect_bytes_in_flight,expect_in_recovery";
        rule_of(wire, 128, columns, text);
    }
}

/// A SACK that is taken measures a round-trip time, over the wrap of times too; one that is refused measures none.
/// `close` shows where the connection stood, and from then on it is as one that saw no `init`: everything is refused, and neither timer comes
/// to its end. Others go on, and the next `init` finds nothing of it: not the packets held for lost, nor the timeouts in a row.
#[test]
fn a_closed_connection_refuses_everything_and_none_of_its_timers_runs() {
    fn line(now: u32, op: &str, conn: u32, fields: &str, idle: u32, expected: &str) -> String {
        format!("{now},{op},{conn},{fields},5,100,1,{idle},{expected}")
    }
    let columns = "psn,bytes,epsn,base,bitmap,probe_timeout,rto,rto_backoff_max,idle,expect_status,expect_psn,expect_snd_nxt,\
                   expect_in_flight,expect_bytes_in_flight,expect_in_recovery";
    let init = |now, conn, psn: u32| line(now, "init", conn, &format!("{psn},,,,"), 0, ",,,,,");
    let sent = |now, conn, psn: u32, rest: &str| line(now, "sent", conn, &format!("{psn},100,,,"), 0, rest);
    let asks = |now, op: &str, conn, idle, rest: &str| line(now, op, conn, ",,,,", idle, rest);
    let text = [
        asks(0, "close", 0, 0, "7,,,0,0,0"),
        init(0, 0, 60),
        init(0, 1, 7),
        sent(0, 0, 60, "0,,,1,100,0"),
        sent(0, 0, 61, "0,,,2,200,0"),
        sent(0, 0, 62, "0,,,3,300,0"),
        sent(0, 1, 7, "0,,,1,100,0"),
        // everything is lost, and of connection 0 one PSN is handed out
        asks(100, "next_rtx", 0, 400, "0,60,,1,300,1"),
        asks(100, "close", 0, 0, "0,60,63,1,300,1"),
        asks(100, "next_rtx", 0, 0, "7,,,0,0,0"),
        sent(100, 0, 63, "7,,,0,0,0"),
        line(100, "sack", 0, ",,61,0,0x0", 0, "7,,,0,0,0"),
        asks(100, "read", 0, 0, "7,,,0,0,0"),
        asks(100, "close", 0, 0, "7,,,0,0,0"),
        // long after both timeouts a visit finds nothing of it, and of the other one what it should
        asks(1000, "read", 0, 400, "7,,,0,0,0"),
        asks(1000, "read", 1, 0, "0,7,8,0,100,1"),
        init(1000, 0, 60),
        asks(1000, "read", 0, 0, "0,60,60,0,0,0"),
        sent(1000, 0, 60, "0,,,1,100,0"),
        asks(1000, "next_rtx", 0, 400, "1,,,1,100,0"),
        // its first timeout comes after the plain RTO
        asks(1100, "next_rtx", 0, 400, "0,60,,1,100,1"),
    ];
    rule(64, columns, text);
}

#[test]
fn a_sack_that_is_taken_measures_the_round_trip_time() {
    let line = |now: u32, op: &str, fields: &str, expected: &str| format!("{now},{op},0,{fields},{expected}");
    let mut text = vec![line(100, "sack", ",5,0,", "7,0,"), line(100, "init", "5,,,", ",,")];
    text.extend((5..20).map(|psn| line(100, "sent", &format!("{psn},,,"), "0,0,")));
    text.extend([
        line(130, "sack", ",6,100,", "0,1,30"),
        line(131, "sack", ",5,100,", "1,0,"),
        line(131, "sack", ",21,100,", "2,0,"),
        line(131, "sack", ",6,131,", "0,1,0"),
        // the echo of a probe, with a time below 2^16 that lies before the wrap
        line(10, "sack", ",6,65500,1", "0,1,46"),
        line(10, "sack", ",6,11,", "0,1,65535"),
        line(10, "next_rtx", ",,,", "1,0,"),
        line(10, "read", ",,,", "0,0,"),
    ]);
    rule(64, "psn,epsn,timestamp,probe,expect_status,expect_rtt_valid,expect_rtt", text);
}

#[test]
fn bytes_in_flight_are_what_was_sent_less_what_was_received_and_never_grow_by_a_sack() {
    let mut text = vec!["0,init,0,0,,,".to_string()];
    text.extend((0..60).map(|psn| format!("0,sent,0,{psn},60000,,{}", 60_000 * (psn + 1))));
    text.push("0,sack,0,,,70000,3530000".to_string());
    text.push("0,sack,0,,,69999,3530000".to_string());
    text.push("0,sent,0,0,100,,3530000".to_string());
    text.push("0,sack,0,,,3600000,0".to_string());
    text.push("0,sent,0,60,65535,,65535".to_string());
    rule(64, "psn,bytes,bytes_recvd,expect_bytes_in_flight", text);
}

#[test]
fn init_forgets_everything_of_its_connection_and_nothing_of_others() {
    let mut text = vec!["0,init,0,10,,,,,,,".to_string(), "0,init,9,20,,,,,,,".to_string()];
    for n in 0..40 {
        text.push(format!("0,sent,0,{},,,,,,,", 10 + n));
        text.push(format!("0,sent,9,{},,,,,,,", 20 + n));
    }
    let holes = 0xAAAA_AAAA_0000_u64;
    text.push(format!("0,sack,0,,10,{holes:#x},20,0,,,1"));
    text.push(format!("0,sack,9,,10,{holes:#x},20,1,,,"));
    text.push(format!("0,sack,9,,20,{holes:#x},20,0,,,1"));
    text.push("0,init,0,40,,,,,,,".to_string());
    text.extend((0..64).map(|n| format!("0,sent,0,{},,,,0,,{},0", 40 + n, n + 1)));
    text.push("0,sack,0,,104,0x0,0,0,,0,0".to_string());
    text.push("0,next_rtx,9,,,,,0,20,,1".to_string());
    rule(64, "psn,epsn,bitmap,ooo,expect_status,expect_psn,expect_in_flight,expect_in_recovery", {
        // the base of the SACK that shows all of the second window
        text.iter().map(|line| line.to_string())
    });
}

#[test]
fn reset_in_the_middle_of_an_op_leaves_no_connection_initialised() {
    let mut text = vec!["0,init,0,0,,,,".to_string()];
    text.extend((0..20).map(|psn| format!("0,sent,0,{psn},,,,0")));
    for cycles in 1..24 {
        text.push("0,sack,0,,0,0xff0,,".to_string());
        text.push(format!(",reset,,,,,{cycles},"));
        text.push("0,sent,0,20,,,,7".to_string());
        text.push("0,init,0,0,,,,".to_string());
        text.push("0,sent,0,0,,,,0".to_string());
        text.extend((1..20).map(|psn| format!("0,sent,0,{psn},,,,0")));
    }
    rule(64, "psn,epsn,bitmap,idle,expect_status", text);
}
