//! Files that are broken, missing, or not to be written.

use std::io::Write as _;
use std::path::Path;

use super::*;

type Trace = OpTrace<SelectorOp>;

fn read(path: &Path) -> Result<Trace, OpTraceError> {
    Trace::read(path, RepsCore::CONTRACT, &Config::default())
}

#[test]
fn text_that_is_not_utf8_is_refused_with_its_line() {
    let text = &b"time_ns,op,conn\n1,send,0\n1,s\xff,0\n"[..];
    let error = Trace::parse(text, "t.csv", RepsCore::CONTRACT, &Config::default()).unwrap_err();
    assert_eq!(error.to_string(), "t.csv:3: not UTF-8 text");
}

/// The longest lines that are written, with all columns and the most digits, are far below the limit of what is read.
#[test]
fn the_widest_lines_of_every_core_are_read() {
    fn is_read<C: OpCore>() {
        let names: Vec<String> = columns(C::CONTRACT).into_iter().map(|column| column.name).collect();
        let widest = names.iter().map(|name| name.len().max("18446744073709551615".len()) + 1).sum::<usize>();
        assert!(widest < LONGEST_LINE / 16, "{}: {widest} bytes", C::CONTRACT.core);
        let head = names.join(",");
        assert!(parse::<C>(&format!("{head}\n")).unwrap_err().contains("no op follows"));
    }
    is_read::<RepsCore>();
    is_read::<SackRxCore>();
    is_read::<SackTxCore>();
}

#[test]
fn fields_may_be_quoted_and_a_quotation_mark_opens_nothing_else() {
    let trace = parse::<RepsCore>("\"time_ns\",\"op\", \"conn\"\n\"1\",\"send\",0\n").unwrap();
    assert_eq!(trace, parse::<RepsCore>("time_ns,op,conn\n1,send,0\n").unwrap());
    let error = parse::<RepsCore>("time_ns,op,conn\n\"1,send,0\n2,send,0\n").unwrap_err();
    assert!(error.contains("t.csv:2: `time_ns` is `\"1`; allowed: "), "{error}");
}

#[test]
fn a_broken_or_missing_file_is_refused_by_name() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("t.csv.gz");
    let missing = read(&path).unwrap_err().to_string();
    assert!(missing.contains("t.csv.gz: cannot be read: "), "{missing}");
    let lines = vec![Line::op(0, SelectorOp::default()); 10_000];
    Trace { lines, ..Trace::default() }.write(RepsCore::CONTRACT, &path).unwrap();
    let bytes = std::fs::read(&path).unwrap();
    std::fs::File::create(&path).unwrap().write_all(&bytes[..bytes.len() / 2]).unwrap();
    let cut = read(&path).unwrap_err().to_string();
    assert!(cut.contains("t.csv.gz: cannot be read: "), "{cut}");
}

#[test]
fn a_trace_that_cannot_be_written_leaves_nothing() {
    let dir = tempfile::tempdir().unwrap();
    std::fs::write(dir.path().join("none"), "a file, no folder").unwrap();
    let path = dir.path().join("none").join("t.csv");
    let error = Trace::default().write(RepsCore::CONTRACT, &path).unwrap_err().to_string();
    assert!(error.contains("none/t.csv: cannot be written: "), "{error}");
    assert_eq!(std::fs::read_dir(dir.path()).unwrap().count(), 1);
}

#[test]
fn the_oracle_traces_are_read_whole() {
    let oracle = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/oracle");
    let cached = RepsCore::CONTRACT.trace.words.iter().position(|word| word.word == "cached");
    for name in ["reps_uet_11.csv", "reps_uet_12.csv", "reps_nofail_13.csv"] {
        let path = oracle.join(name);
        if !path.exists() {
            eprintln!("skipped: {} is not there", path.display());
            continue;
        }
        let trace = read(&path).unwrap();
        assert_eq!(trace.lines.len(), 20_000, "{name}");
        let is_cached = |line: &Line<_>| line.expect.as_ref().is_some_and(|expect| expect.word == cached);
        assert!(trace.lines.iter().any(is_cached));
    }
}
