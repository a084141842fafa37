use proptest::prelude::*;

use super::*;

const LIMITS: Limits = Limits { connections: 256 };

fn parse(text: &str) -> Result<Trace, String> {
    Trace::parse(text.as_bytes(), "ops.csv", &LIMITS).map_err(|error| error.to_string())
}

#[test]
fn every_column_is_read() {
    let trace = parse(
        "# respray: cwnd_packets=64 rto=20000\nop,conn,now,psn,bytes,epsn,base,bitmap,ooo,bytes_recvd,timestamp,probe,idle,rto\n\
         init,7,1,16777215,,,,,,,,,,\nsent,7,2,16777215,4096,,,,,,,,300,\n\
         sack,7,3,,,16777215,16777152,7fffffffffffffff,12,4294967295,2,1,,0\nnext_rtx,7,4,,,,,,,,,,,\nreset,,0,,,,,,,,,,,\n",
    )
    .unwrap();
    assert_eq!(trace.settings, Settings { cwnd_packets: Some(64), rto: Some(20000), ..Settings::default() });
    let row = Row { conn: 7, ..Row::default() };
    let sack = SackFields {
        epsn: 0xff_ffff,
        base: 0xff_ffc0,
        bitmap: u64::MAX >> 1,
        ooo: 12,
        bytes_recvd: u32::MAX,
        timestamp: 2,
        probe: true,
    };
    let settings = Settings { rto: Some(0), ..Settings::default() };
    assert_eq!(
        trace.rows,
        [
            Row { now: 1, op: RowOp::Init, psn: 0xff_ffff, ..row },
            Row { now: 2, op: RowOp::Sent, psn: 0xff_ffff, bytes: 4096, idle: 300, ..row },
            Row { now: 3, op: RowOp::Sack, sack, settings, ..row },
            Row { now: 4, op: RowOp::NextRtx, ..row },
            Row { op: RowOp::Reset, ..Row::default() },
        ]
    );
}

#[test]
fn what_is_out_of_range_is_refused_with_its_line() {
    let head = "now,op,conn,psn,bitmap,cwnd_packets\n";
    for (line, said) in [
        ("65536,sent,1,,,", "ops.csv:2: `now` is `65536`; allowed: 0 to 65535"),
        ("1,send,1,,,", "ops.csv:2: `op` is `send`; allowed: sent, sack, next_rtx, init, reset"),
        ("1,sent,256,,,", "ops.csv:2: `conn` is `256`; allowed: 0 to 255"),
        ("1,sent,1,16777216,,", "ops.csv:2: `psn` is `16777216`; allowed: 0 to 16777215"),
        ("1,sack,1,,0x1,", "ops.csv:2: `bitmap` is `0x1`; allowed: 0 to ffffffffffffffff, hexadecimal"),
        ("1,sack,1,,,4096", "ops.csv:2: `cwnd_packets` is `4096`; allowed: 0 to 4095"),
    ] {
        assert_eq!(parse(&format!("{head}{line}\n")).unwrap_err(), said);
    }
}

proptest! {
    #[test]
    fn what_is_written_reads_back(
        op in 0usize..5, numbers in (any::<u16>(), 0u32..256, 0u32..MODULUS, any::<u16>(), any::<u32>()),
        sack in (0u32..MODULUS, 0u32..MODULUS, any::<u64>(), 0u16..4096, any::<u32>(), any::<u16>(), any::<bool>()),
        settings in (proptest::option::of(0u16..4096), any::<Option<u16>>(), any::<Option<u16>>(), any::<Option<u16>>()),
    ) {
        let op = RowOp::NAMES[op].1;
        let (now, conn, psn, bytes, idle) = numbers;
        let (epsn, base, bitmap, ooo, bytes_recvd, timestamp, probe) = sack;
        let (cwnd_packets, probe_timeout, probe_rtt, rto) = settings;
        let row = Row {
            idle, now, op, psn, bytes, conn: if op == RowOp::Reset { 0 } else { conn },
            sack: SackFields { epsn, base, bitmap, ooo, bytes_recvd, timestamp, probe },
            settings: Settings { cwnd_packets, probe_timeout, probe_rtt, rto },
        };
        let trace = Trace { rows: vec![row, Row::default()], ..Trace::default() };
        let mut text = Vec::new();
        trace.format(&mut text).unwrap();
        prop_assert_eq!(parse(std::str::from_utf8(&text).unwrap()).unwrap(), trace);
    }
}
