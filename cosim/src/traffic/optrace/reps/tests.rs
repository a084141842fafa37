use std::io::Write as _;
use std::path::Path;

use proptest::prelude::*;

use super::*;

const LIMITS: Limits = Limits { connections: 256, time_bits: 32 };

fn parse(text: &str) -> Result<Trace, String> {
    Trace::parse(text.as_bytes(), "t.csv", &LIMITS).map_err(|error| error.to_string())
}

#[test]
fn oracle_columns_in_any_order_and_with_empty_fields() {
    let trace = parse("op,conn,time_ns,expect_ev,expect,ecn,ev\nack,3,18,,,1,60134\nsend,244,44,7,cached,,\nsend,9,50,,explore,,\n").unwrap();
    let row = |op, conn, time_ns| Row { op, conn, time_ns, ..Row::default() };
    assert_eq!(
        trace.rows,
        [
            Row { ev: Some(60134), ecn: true, ..row(RowOp::Ack, 3, 18) },
            Row { expect: Some(Expect::Cached(7)), ..row(RowOp::Send, 244, 44) },
            Row { expect: Some(Expect::Explore), ..row(RowOp::Send, 9, 50) },
        ]
    );
    assert_eq!(trace.settings, Settings::default());
}

#[test]
fn expect_columns_may_be_absent_and_comments_carry_settings() {
    let trace = parse(
        "# hello\n# respray: seed=65535 bdp_packets=3\n# respray: freeze_timeout=9\ntime_ns,op,conn,idle\n# more\n\n5,timeout,1,7\n6,reset,,\n",
    )
    .unwrap();
    assert_eq!(trace.notes, ["hello"]);
    assert_eq!(trace.seed, Some(0xffff));
    assert_eq!(trace.settings, Settings { freeze_timeout: Some(9), bdp_packets: Some(3) });
    assert_eq!(trace.rows[0], Row { idle: 7, time_ns: 5, op: RowOp::Timeout, conn: 1, ..Row::default() });
    assert_eq!(trace.rows[1], Row { time_ns: 6, op: RowOp::Reset, ..Row::default() });
}

#[test]
fn every_refusal_names_file_line_and_what_is_allowed() {
    let columns = "time_ns,op,conn,ev,ecn,expect,expect_ev,freeze_timeout,bdp_packets";
    let line = |text: &str| format!("# note\n{columns}\n1,init,0,,,,,,\n{text}\n");
    for (text, said) in [
        (String::new(), "t.csv:1: no column `time_ns`; the first line names the columns: time_ns, op, conn"),
        ("time_ns,op,ev\n".into(), "t.csv:1: no column `conn`"),
        ("time_ns,op,conn,evv\n".into(), "t.csv:1: column `evv` is unknown or stands there twice"),
        ("time_ns,op,conn,op\n".into(), "t.csv:1: column `op` is unknown or stands there twice"),
        ("# respray: sed=7\n".into(), "t.csv:1: `respray:` is `sed=7`; allowed: seed=, freeze_timeout="),
        ("#\n# respray: seed=70000\n".into(), "t.csv:2: `seed` is `70000`; allowed: 0 to 65535"),
        (line("1,sendd,0,,,,,,"), "t.csv:4: `op` is `sendd`; allowed: send, ack, nack, timeout, init"),
        (line("1,send,256,,,,,,"), "t.csv:4: `conn` is `256`; allowed: 0 to 255"),
        (line("1,send,,,,,,,"), "t.csv:4: `conn` is ``; allowed: 0 to 255"),
        (line("-1,send,0,,,,,,"), "t.csv:4: `time_ns` is `-1`; allowed: 0 to 18446744073709551615"),
        (line("1,ack,0,65536,,,,,"), "t.csv:4: `ev` is `65536`; allowed: 0 to 65535"),
        (line("1,ack,0,,1,,,,"), "t.csv:4: `ev` is ``; allowed: 0 to 65535, which an ack needs"),
        (line("1,ack,0,1,2,,,,"), "t.csv:4: `ecn` is `2`; allowed: 0 to 1"),
        (line("1,send,0,,,kept,,,"), "t.csv:4: `expect` is `kept`; allowed: cached, explore or nothing"),
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
    ] {
        let error = parse(&text).unwrap_err();
        assert!(error.contains(said), "{text:?}: {error}");
    }
    let narrow = Limits { connections: 16, time_bits: 16 };
    let error = Trace::parse(&b"# respray: freeze_timeout=65536\n"[..], "t", &narrow).unwrap_err();
    assert_eq!(error.to_string(), "t:1: `freeze_timeout` is `65536`; allowed: 0 to 65535");
}

#[test]
fn text_that_is_not_utf8_is_refused_with_its_line() {
    let error = Trace::parse(&b"time_ns,op,conn\n1,send,0\n1,s\xff,0\n"[..], "t.csv", &LIMITS).unwrap_err();
    assert_eq!(error.to_string(), "t.csv:3: not UTF-8 text");
}

#[test]
fn a_broken_or_missing_file_is_refused_by_name() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("t.csv.gz");
    let missing = Trace::read(&path, &LIMITS).unwrap_err().to_string();
    assert!(missing.contains("t.csv.gz: cannot be read: "), "{missing}");
    Trace { rows: vec![Row::default(); 10_000], ..Trace::default() }.write(&path).unwrap();
    let bytes = std::fs::read(&path).unwrap();
    std::fs::File::create(&path).unwrap().write_all(&bytes[..bytes.len() / 2]).unwrap();
    let cut = Trace::read(&path, &LIMITS).unwrap_err().to_string();
    assert!(cut.contains("t.csv.gz: cannot be read: "), "{cut}");
}

#[test]
fn a_trace_that_cannot_be_written_leaves_nothing() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("none").join("t.csv");
    let error = Trace::default().write(&path).unwrap_err().to_string();
    assert!(error.contains("none/t.csv: cannot be written: "), "{error}");
    assert_eq!(std::fs::read_dir(dir.path()).unwrap().count(), 0);
}

fn rows() -> impl Strategy<Value = Vec<Row>> {
    let op = prop::sample::select(RowOp::NAMES.map(|(_, op)| op).to_vec());
    let expect = prop_oneof![
        Just(None),
        Just(Some(Expect::Explore)),
        any::<u16>().prop_map(|ev| Some(Expect::Cached(ev)))
    ];
    let row = (op, 0..256u32, any::<(u32, u64, Option<u16>, bool, Option<u32>, Option<u8>)>(), expect)
        .prop_map(|(op, conn, (idle, time_ns, ev, ecn, freeze_timeout, bdp_packets), expect)| Row {
            idle: if idle % 2 == 0 { 0 } else { idle },
            time_ns,
            op,
            conn: if op == RowOp::Reset { 0 } else { conn },
            ev: if op == RowOp::Ack { ev.or(Some(0)) } else { ev },
            ecn,
            expect: if op == RowOp::Send { expect } else { None },
            freeze_timeout,
            bdp_packets,
        });
    prop::collection::vec(row, 0..40)
}

proptest! {
    #[test]
    fn what_is_written_is_read_back(rows in rows(), seed: Option<u16>, freeze_timeout: Option<u32>, gzip: bool) {
        let settings = Settings { freeze_timeout, bdp_packets: None };
        let trace = Trace { seed, settings, notes: vec!["a note, with a comma".into()], rows };
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join(if gzip { "t.csv.gz" } else { "t.csv" });
        trace.write(&path).unwrap();
        prop_assert_eq!(Trace::read(&path, &LIMITS).unwrap(), trace);
    }
}

#[test]
fn the_oracle_traces_are_read_whole() {
    let oracle = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../shared/oracle");
    for name in ["reps_uet_11.csv", "reps_uet_12.csv", "reps_nofail_13.csv"] {
        let path = oracle.join(name);
        if !path.exists() {
            eprintln!("skipped: {} is not there", path.display());
            continue;
        }
        let trace = Trace::read(&path, &LIMITS).unwrap();
        assert_eq!(trace.rows.len(), 20_000, "{name}");
        assert!(trace.rows.iter().any(|row| matches!(row.expect, Some(Expect::Cached(_)))));
    }
}
