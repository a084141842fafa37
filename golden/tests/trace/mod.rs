//! Op traces recorded from implementations of others: `time_ns, op, conn, ev, ecn, expect, expect_ev`, and `room` where the selector
//! has it.

use std::fs::File;
use std::io::Read;
use std::path::Path;

use flate2::read::GzDecoder;
use respray_golden::selector::{Op, OpKind};

/// One op, and what the implementation did.
#[derive(Clone, Debug)]
pub struct Row {
    /// The op; its settings are not in the trace.
    pub op: Op,
    /// Of a send: where the EV came from, in the trace's words; else empty.
    pub expect: String,
    /// Of a send: its EV, where the trace knows it.
    pub expect_ev: Option<u16>,
}

/// The rows of a trace, or `None`, said on the terminal, where the traces are not.
pub fn rows(name: &str) -> Option<Vec<Row>> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/oracle").join(name);
    if !path.exists() {
        eprintln!("skipped: {} is not here", path.display());
        return None;
    }
    let file = File::open(&path).expect("trace opens");
    let text: Box<dyn Read> =
        if name.ends_with(".gz") { Box::new(GzDecoder::new(file)) } else { Box::new(file) };
    let mut reader = csv::Reader::from_reader(text);
    let names = reader.headers().expect("a header").clone();
    let place = |name: &str| names.iter().position(|known| known == name);
    let (room, expect) = (place("room"), place("expect").expect("a column of results"));
    let records = reader.records().enumerate();
    Some(records.map(|(i, record)| row(i, &record.expect("row parses"), room, expect)).collect())
}

fn row(i: usize, record: &csv::StringRecord, room: Option<usize>, expect: usize) -> Row {
    let number = |column: usize| record[column].parse::<u64>().unwrap_or_else(|e| panic!("row {i}: {e}"));
    let given = |column: usize| (!record[column].is_empty()).then(|| number(column));
    let kind = match &record[1] {
        "send" => OpKind::Send,
        "ack" => OpKind::Ack,
        "nack" => OpKind::Nack,
        "timeout" => OpKind::Timeout,
        "init" => OpKind::Init,
        other => panic!("row {i}: op {other}"),
    };
    let op = Op {
        kind,
        conn: number(2) as u16,
        ev: given(3).unwrap_or(0) as u16,
        ecn: given(4) == Some(1),
        now: number(0) as u32,
        more: room.and_then(given).unwrap_or(0) as u32,
        ..Op::default()
    };
    Row { op, expect: record[expect].to_owned(), expect_ev: record[expect + 1].parse().ok() }
}
