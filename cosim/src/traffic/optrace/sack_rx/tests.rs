use proptest::prelude::*;

use super::*;

const LIMITS: Limits = Limits { connections: 256 };

fn parse(text: &str) -> Result<Trace, String> {
    Trace::parse(text.as_bytes(), "t.csv", &LIMITS).map_err(|error| error.to_string())
}

#[test]
fn columns_in_any_order_and_with_empty_fields() {
    let trace = parse(
        "# respray: sack_threshold=4096\npsn,op,conn,expect,expect_epsn,expect_base,expect_bitmap,expect_ooo,expect_bytes\n\
         9,init,3,,,,,,\n9,packet,3,sack,10,0,0x3ff,0,0\n16777215,packet,255,none,,,,,\n,reset,,,,,,,\n",
    )
    .unwrap();
    assert_eq!(trace.settings, Settings { sack_threshold: Some(4096) });
    let sack = Sack { epsn: 10, bitmap: 0x3ff, ..Sack::default() };
    assert_eq!(
        trace.rows,
        [
            Row { op: RowOp::Init, conn: 3, psn: 9, ..Row::default() },
            Row { conn: 3, psn: 9, expect: Some(Expect::Sack(sack)), ..Row::default() },
            Row { conn: 255, psn: 0xff_ffff, expect: Some(Expect::None), ..Row::default() },
            Row { op: RowOp::Reset, ..Row::default() },
        ]
    );
}

#[test]
fn every_refusal_names_file_line_and_what_is_allowed() {
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
        (line("send,0,0,,,,,,,"), "t.csv:2: `op` is `send`; allowed: packet, init, reset"),
        (line("packet,256,0,,,,,,,"), "t.csv:2: `conn` is `256`; allowed: 0 to 255"),
        (line("packet,0,16777216,,,,,,,"), "t.csv:2: `psn` is `16777216`; allowed: 0 to 16777215"),
        (line("packet,0,,,,,,,,"), "t.csv:2: `psn` is ``; allowed: 0 to 16777215"),
        (line("packet,0,0,65536,,,,,,"), "t.csv:2: `bytes` is `65536`; allowed: 0 to 65535"),
        (line("init,0,0,,none,,,,,"), "t.csv:2: `expect` is `none`; allowed: nothing, except for a packet"),
        (line("packet,0,0,,ack,,,,,"), "t.csv:2: `expect` is `ack`; allowed: sack, none, wire or nothing"),
        (
            line("packet,0,0,,sack,0,0,17,0,0"),
            "t.csv:2: `expect_bitmap` is `17`; allowed: 0x0 to 0xffffffffffffffff",
        ),
        (line("packet,0,0,,wire,0,0,0x0,4096,0"), "t.csv:2: `expect_ooo` is `4096`; allowed: 0 to 4095"),
    ] {
        let error = parse(&text).unwrap_err();
        assert!(error.contains(said), "{text:?}: {error}");
    }
}

fn rows() -> impl Strategy<Value = Vec<Row>> {
    let op = prop::sample::select(RowOp::NAMES.map(|(_, op)| op).to_vec());
    let sack = any::<(u32, u32, u64, u16, u32)>().prop_map(|(epsn, base, bitmap, ooo, bytes_recvd)| Sack {
        epsn: epsn >> 8,
        base: base >> 8,
        bitmap,
        ooo: ooo >> 4,
        bytes_recvd,
    });
    let expect = prop_oneof![
        Just(None),
        Just(Some(Expect::None)),
        sack.clone().prop_map(|sack| Some(Expect::Sack(sack))),
        sack.prop_map(|sack| Some(Expect::Wire(sack))),
    ];
    let row = (op, 0..256u32, any::<([u32; 2], [u16; 3], [bool; 3], Option<u16>)>(), expect).prop_map(
        |(
            op,
            conn,
            ([idle, psn], [bytes, ev, timestamp], [ecn, ack_request, probe], sack_threshold),
            expect,
        )| {
            let of_an_op = op != RowOp::Reset;
            Row {
                idle: if idle % 2 == 0 { 0 } else { idle },
                op,
                conn: if of_an_op { conn } else { 0 },
                psn: if of_an_op { psn >> 8 } else { 0 },
                bytes,
                ecn,
                ev,
                timestamp,
                ack_request,
                probe,
                expect: if op == RowOp::Packet { expect } else { None },
                sack_threshold,
            }
        },
    );
    prop::collection::vec(row, 0..40)
}

proptest! {
    #[test]
    fn what_is_written_is_read_back(rows in rows(), seed: Option<u16>, sack_threshold: Option<u16>, gzip: bool) {
        let trace = Trace { seed, settings: Settings { sack_threshold }, notes: vec!["a note".into()], rows };
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join(if gzip { "t.csv.gz" } else { "t.csv" });
        trace.write(&path).unwrap();
        prop_assert_eq!(Trace::read(&path, &LIMITS).unwrap(), trace);
    }
}
