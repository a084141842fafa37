//! Op traces of every core that takes ops: what is read, what is refused, what is written.

mod backwards;
mod beside;
mod files;
mod refusals;
mod round_trip;
mod words;
mod written;

use respray_cosim::cores::reps::RepsCore;
use respray_cosim::cores::sack_rx::SackRxCore;
use respray_cosim::cores::sack_tx::SackTxCore;
use respray_cosim::lockstep::op_core::OpCore;
use respray_cosim::traffic::optrace::{LONGEST_LINE, OpTrace, OpTraceError, Settings, columns};
use respray_cosim::traffic::stimulus::{Expectation, Line};
use respray_hdl::config::Config;
use respray_hdl::contract::{Contract, Value, Words};
use respray_hdl::cores::sack_rx::contract as rx;
use respray_hdl::cores::sack_tx::contract as tx;
use respray_hdl::cores::selector::SelectorOp;

fn config(sets: &[&str]) -> Config {
    let sets: Vec<String> = sets.iter().map(|set| set.to_string()).collect();
    Config::load(None, &sets).unwrap()
}

/// A trace of a core in the default configuration, which has 256 connections and times of 32 bits.
fn parse<C: OpCore>(text: &str) -> Result<OpTrace<C::Op>, String> {
    OpTrace::parse(text.as_bytes(), "t.csv", C::CONTRACT, &Config::default())
        .map_err(|error| error.to_string())
}

fn expecting<C: OpCore>(word: &str, values: &[(&str, u64)], line: Line<C::Op>) -> Line<C::Op> {
    Line { expect: Some(Box::new(Expectation::of(C::CONTRACT, word, values))), ..line }
}

#[test]
fn oracle_columns_in_any_order_and_with_empty_fields() {
    let trace = parse::<RepsCore>(
        "op,conn,time_ns,expect_ev,expect,ecn,ev\nack,3,18,,,1,60134\nsend,244,44,7,cached,,\nsend,9,50,,explore,,\n",
    )
    .unwrap();
    let op = |kind, conn| SelectorOp { kind, conn, ..SelectorOp::default() };
    assert_eq!(
        trace.lines,
        [
            Line::op(18, SelectorOp { ev: 60134, ecn: true, ..op(1, 3) }),
            expecting::<RepsCore>("cached", &[("res_ev", 7)], Line::op(44, op(0, 244))),
            expecting::<RepsCore>("explore", &[], Line::op(50, op(0, 9))),
        ]
    );
    assert_eq!(trace.settings, Settings::default());
}

#[test]
fn expect_columns_may_be_absent_and_comments_carry_settings() {
    let trace = parse::<RepsCore>(
        "# hello\n# respray: seed=65535 bdp_packets=3\n# respray: freeze_timeout=9\ntime_ns,op,conn,idle\n# more\n\n5,timeout,1,7\n6,reset,,\n",
    )
    .unwrap();
    assert_eq!(trace.notes, ["hello"]);
    assert_eq!(trace.seed, Some(0xffff));
    assert_eq!(trace.settings, Settings::default().with("freeze_timeout", 9).with("bdp_packets", 3));
    let timeout = SelectorOp { kind: 3, conn: 1, ..SelectorOp::default() };
    assert_eq!(trace.lines[0], Line { idle: 7, ..Line::op(5, timeout) });
    assert_eq!(trace.lines[1], Line { time: 6, ..Line::reset(None) });
}

#[test]
fn every_selector_word_and_every_event_can_be_expected() {
    let columns = "time_ns,op,conn,ev,expect,expect_ev,expect_ev_cached,expect_freeze_entered";
    let trace = parse::<RepsCore>(&format!(
        "{columns}\n1,ack,3,9,,,1,\n2,timeout,3,,,,,1\n3,send,3,,replay,9,,0\n4,send,3,,recycle,9,,\n5,send,3,,,9,,\n"
    ))
    .unwrap();
    type Expected = (Option<&'static str>, Vec<(&'static str, u64)>);
    let expected: Vec<Expected> = trace
        .lines
        .iter()
        .map(|line| {
            let Expectation { word, values } = line.expect.as_deref().unwrap();
            let port = |place| RepsCore::CONTRACT.shown_fields().nth(place).unwrap().port;
            let word = word.map(|word| RepsCore::CONTRACT.trace.words[word].word);
            (word, values.iter().map(|(place, value)| (port(*place), *value)).collect())
        })
        .collect();
    assert_eq!(
        expected,
        [
            (None, vec![("ev_cached", 1)]),
            (None, vec![("freeze_entered", 1)]),
            (Some("replay"), vec![("res_ev", 9), ("freeze_entered", 0)]),
            (Some("recycle"), vec![("res_ev", 9)]),
            (None, vec![("res_ev", 9)]),
        ]
    );
}

#[test]
fn columns_of_sack_rx_in_any_order_and_with_empty_fields() {
    let trace = parse::<SackRxCore>(
        "# respray: sack_threshold=4096\npsn,op,conn,expect,expect_epsn,expect_base,expect_bitmap,expect_ooo,expect_bytes\n\
         9,init,3,,,,,,\n9,packet,3,sack,10,0,0x3ff,0,0\n16777215,packet,255,none,,,,,\n,reset,,,,,,,\n",
    )
    .unwrap();
    assert_eq!(trace.settings, Settings::default().with("sack_threshold", 4096));
    let op = |kind, conn, psn| Line::op(0, rx::Op { kind, conn, psn, ..rx::Op::default() });
    let sack = [
        ("sack_epsn", 10),
        ("sack_base", 0),
        ("sack_bitmap", 0x3ff),
        ("sack_ooo", 0),
        ("sack_bytes_recvd", 0),
    ];
    assert_eq!(
        trace.lines,
        [
            op(1, 3, 9),
            expecting::<SackRxCore>("sack", &sack, op(0, 3, 9)),
            expecting::<SackRxCore>("none", &[], op(0, 255, 0xff_ffff)),
            Line::reset(None),
        ]
    );
}

#[test]
fn every_column_of_sack_tx_is_read() {
    let trace = parse::<SackTxCore>(
        "# respray: cwnd_packets=64 rto=20000\nop,conn,now,psn,bytes,epsn,base,bitmap,ooo,bytes_recvd,timestamp,probe,idle,rto\n\
         init,7,1,16777215,,,,,,,,,,\nsent,7,2,16777215,4096,,,,,,,,300,\n\
         sack,7,3,,,16777215,16777152,0x7fffffffffffffff,12,4294967295,2,1,,0\nnext_rtx,7,4,,,,,,,,,,,\nreset,,,,,,,,,,,,,\n",
    )
    .unwrap();
    assert_eq!(trace.settings, Settings::default().with("cwnd_packets", 64).with("rto", 20000));
    let op = |kind| tx::Op { kind, conn: 7, ..tx::Op::default() };
    let sack = tx::Op {
        epsn: 0xff_ffff,
        base: 0xff_ffc0,
        bitmap: u64::MAX >> 1,
        ooo: 12,
        bytes_recvd: u32::MAX,
        timestamp: 2,
        probe: true,
        ..op(1)
    };
    let names: Vec<&str> = SackTxCore::CONTRACT.driver_settings().map(|(_, field, _)| field.name).collect();
    let rto = 1 << names.iter().position(|name| *name == "rto").unwrap();
    assert_eq!(
        trace.lines,
        [
            Line::op(1, tx::Op { psn: 0xff_ffff, ..op(3) }),
            Line { idle: 300, ..Line::op(2, tx::Op { psn: 0xff_ffff, bytes: 4096, ..op(0) }) },
            Line { own: rto, ..Line::op(3, sack) },
            Line::op(4, op(2)),
            Line::reset(None),
        ]
    );
}

#[test]
fn settings_of_a_line_go_before_those_of_the_run_and_these_before_the_contract() {
    let trace = parse::<SackTxCore>("now,op,conn,rto\n70,sent,1,5\n71,sent,1,\n").unwrap();
    let ops = |settings: &Settings| -> Vec<tx::Op> {
        let ops = trace.ops(SackTxCore::CONTRACT, settings, &Config::default());
        ops.entries.iter().filter_map(|entry| entry.event.as_op().copied()).collect()
    };
    let known = tx::Op { conn: 1, cwnd_packets: 64, probe_timeout: 300, probe_rtt: 150, ..tx::Op::default() };
    assert_eq!(
        ops(&Settings::default()),
        [tx::Op { now: 70, rto: 5, ..known }, tx::Op { now: 71, rto: 20_000, ..known }]
    );
    let known = tx::Op { cwnd_packets: 9, ..known };
    assert_eq!(
        ops(&Settings::default().with("rto", 0).with("cwnd_packets", 9)),
        [tx::Op { now: 70, rto: 5, ..known }, tx::Op { now: 71, rto: 0, ..known }]
    );
    // the reference traces were recorded with these; a timeout of more than half the range of times is past at once
    let trace = parse::<RepsCore>("time_ns,op,conn\n4295032832,send,1\n").unwrap();
    for (sets, wanted) in [(&[][..], [65536, 100_000, 16]), (&["reps.time_bits=16"], [0, 32767, 16])] {
        let ops = trace.ops(RepsCore::CONTRACT, &Settings::default(), &config(sets));
        assert_eq!(ops.entries[0].event.as_op().unwrap().more[..3], wanted);
    }
    let trace = parse::<SackRxCore>("op,conn,psn\npacket,0,0\n").unwrap();
    let ops = trace.ops(SackRxCore::CONTRACT, &Settings::default(), &Config::default());
    assert_eq!(ops.entries[0].event.as_op().unwrap().sack_threshold, 4096);
}
