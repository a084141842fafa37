//! Every refusal names file, line and what is allowed.

use super::*;

fn refused<C: OpCore>(text: &str, said: &str) {
    let error = parse::<C>(text).unwrap_err();
    assert!(error.contains(said), "{text:?}: {error}");
}

#[test]
fn refusals_of_selector_traces() {
    let columns = "time_ns,op,conn,ev,ecn,expect,expect_ev,freeze_timeout,bdp_packets";
    let line = |text: &str| format!("# note\n{columns}\n1,init,0,,,,,,\n{text}\n");
    for (text, said) in [
        (String::new(), "t.csv:1: no column `time_ns`; the first line names the columns: time_ns, op, conn"),
        ("time_ns,op,conn\n".into(), "t.csv:1: no op follows the names of the columns"),
        ("time_ns,op,ev\n".into(), "t.csv:1: no column `conn`"),
        ("time_ns,op,conn,evv\n".into(), "t.csv:1: column `evv` is unknown or stands there twice"),
        ("time_ns,op,conn,op\n".into(), "t.csv:1: column `op` is unknown or stands there twice"),
        ("# respray: sed=7\n".into(), "t.csv:1: `respray:` is `sed=7`; allowed: seed=, freeze_timeout="),
        (
            "# respray: sed=7\n".into(),
            "t.csv:1: `respray:` is `sed=7`; allowed: seed=, freeze_timeout= and bdp_packets=",
        ),
        ("#\n# respray: seed=70000\n".into(), "t.csv:2: `seed` is `70000`; allowed: 0 to 65535"),
        (
            line("1,sendd,0,,,,,,"),
            "t.csv:4: `op` is `sendd`; allowed: send, ack, nack, timeout, init, reserved5, reserved6, reserved7, reset",
        ),
        (line("1,send,256,,,,,,"), "t.csv:4: `conn` is `256`; allowed: 0 to 255"),
        (line("1,send,,,,,,,"), "t.csv:4: `conn` is ``; allowed: 0 to 255"),
        (line("-1,send,0,,,,,,"), "t.csv:4: `time_ns` is `-1`; allowed: 0 to 18446744073709551615"),
        (line("1,ack,0,65536,,,,,"), "t.csv:4: `ev` is `65536`; allowed: 0 to 65535"),
        (line("1,ack,0,,1,,,,"), "t.csv:4: `ev` is ``; allowed: 0 to 65535, which an ack needs"),
        (line("1,ack,0,1,2,,,,"), "t.csv:4: `ecn` is `2`; allowed: 0 to 1"),
        (
            line("1,send,0,,,kept,,,"),
            "t.csv:4: `expect` is `kept`; allowed: cached, explore, recycle, replay or nothing",
        ),
        (line("1,send,0,,,cached,,,"), "t.csv:4: `expect_ev` is ``; allowed: 0 to 65535"),
        (
            line("1,nack,0,,,explore,,,"),
            "t.csv:4: `expect` is `explore`; allowed: nothing, except for a send",
        ),
        (
            line("1,send,0,,,,,4294967296,"),
            "t.csv:4: `freeze_timeout` is `4294967296`; allowed: 0 to 4294967295",
        ),
        (line("1,send,0,,,,,,256"), "t.csv:4: `bdp_packets` is `256`; allowed: 0 to 255"),
        (line("1,send,0"), "t.csv:4: 3 fields; allowed: 9"),
        // a reset's line holds nothing that it could not hold of an op, and its seed
        (line("1,reset,256,,,,,,"), "t.csv:4: `conn` is `256`; allowed: 0 to 255"),
        (line("1,reset,,65536,,,,,"), "t.csv:4: `ev` is `65536`; allowed: 0 to 65535"),
        (
            line("1,reset,,,,explore,,,"),
            "t.csv:4: `expect` is `explore`; allowed: nothing, except for a send",
        ),
    ] {
        refused::<RepsCore>(&text, said);
    }
    let narrow = config(&["connections=16", "reps.time_bits=16"]);
    let text = &b"# respray: freeze_timeout=65536\n"[..];
    let error = OpTrace::<SelectorOp>::parse(text, "t", RepsCore::CONTRACT, &narrow).unwrap_err();
    assert_eq!(error.to_string(), "t:1: `freeze_timeout` is `65536`; allowed: 0 to 65535");
}

#[test]
fn refusals_of_sack_rx_traces() {
    let columns = "op,conn,psn,bytes,expect,expect_epsn,expect_base,expect_bitmap,expect_ooo,expect_bytes";
    let line = |text: &str| format!("{columns}\n{text}\n");
    for (text, said) in [
        ("op,conn\n".into(), "t.csv:1: no column `psn`; the first line names the columns: op, conn, psn"),
        ("op,conn,psn,time_ns\n".into(), "t.csv:1: column `time_ns` is unknown or stands there twice"),
        (
            "# respray: freeze_timeout=1\n".into(),
            "t.csv:1: `respray:` is `freeze_timeout=1`; allowed: seed= and sack_threshold=",
        ),
        ("# respray: sack_threshold=65536\n".into(), "`sack_threshold` is `65536`; allowed: 0 to 65535"),
        (line("send,0,0,,,,,,,"), "t.csv:2: `op` is `send`; allowed: packet, init, close, reserved3, reset"),
        (line("packet,256,0,,,,,,,"), "t.csv:2: `conn` is `256`; allowed: 0 to 255"),
        (line("packet,0,16777216,,,,,,,"), "t.csv:2: `psn` is `16777216`; allowed: 0 to 16777215"),
        (line("packet,0,,,,,,,,"), "t.csv:2: `psn` is ``; allowed: 0 to 16777215, which a packet needs"),
        (line("packet,0,0,65536,,,,,,"), "t.csv:2: `bytes` is `65536`; allowed: 0 to 65535"),
        (line("init,0,0,,none,,,,,"), "t.csv:2: `expect` is `none`; allowed: nothing, except for a packet"),
        (line("packet,0,0,,ack,,,,,"), "t.csv:2: `expect` is `ack`; allowed: sack, none, wire or nothing"),
        (
            line("packet,0,0,,sack,0,0,17,0,0"),
            "t.csv:2: `expect_bitmap` is `17`; allowed: 0x0 to 0xffffffffffffffff",
        ),
        (line("packet,0,0,,wire,0,0,0x0,4096,0"), "t.csv:2: `expect_ooo` is `4096`; allowed: 0 to 4095"),
        (line("packet,0,0,,sack,,0,0x0,0,0"), "t.csv:2: `expect_epsn` is ``; allowed: 0 to 16777215"),
    ] {
        refused::<SackRxCore>(&text, said);
    }
    // a refusal that names a bitmap ends with what is allowed
    let error = parse::<SackRxCore>(&line("init,0,,,,,,,,")).unwrap_err();
    assert_eq!(error, "t.csv:2: `psn` is ``; allowed: 0 to 16777215, which an init needs");
    // a close needs none
    parse::<SackRxCore>(&line("close,0,,,,,,,,")).expect("a close of a connection");
}

#[test]
fn refusals_of_sack_tx_traces() {
    let head = "now,op,conn,psn,bitmap,cwnd_packets\n";
    for (line, said) in [
        ("65536,sent,1,,,", "t.csv:2: `now` is `65536`; allowed: 0 to 65535"),
        (
            "1,send,1,,,",
            "t.csv:2: `op` is `send`; allowed: sent, sack, next_rtx, init, read, close, reserved6, reserved7, reset",
        ),
        ("1,sent,256,,,", "t.csv:2: `conn` is `256`; allowed: 0 to 255"),
        ("1,sent,1,16777216,,", "t.csv:2: `psn` is `16777216`; allowed: 0 to 16777215"),
        ("1,sack,1,,1,", "t.csv:2: `bitmap` is `1`; allowed: 0x0 to 0xffffffffffffffff"),
        // during a reset the ports keep what the op before showed
        ("9,reset,,,,", "t.csv:2: `now` is `9`; allowed: nothing, for a reset"),
        (",reset,,,,9", "t.csv:2: `cwnd_packets` is `9`; allowed: nothing, for a reset"),
        ("1,sack,1,,,4096", "t.csv:2: `cwnd_packets` is `4096`; allowed: 0 to 4095"),
    ] {
        assert_eq!(parse::<SackTxCore>(&format!("{head}{line}\n")).unwrap_err(), said);
    }
    let error = parse::<SackTxCore>("now,op,conn,expect\n1,init,1,done\n").unwrap_err();
    assert_eq!(error, "t.csv:2: `expect` is `done`; allowed: nothing, except for an op with a result");
    let error = parse::<SackTxCore>("now,op,conn,expect\n1,sent,1,taken\n").unwrap_err();
    assert_eq!(error, "t.csv:2: `expect` is `taken`; allowed: done, refused or nothing");
}
