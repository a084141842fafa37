//! The model against op traces recorded from an independent implementation of REPS.

use std::fs::File;
use std::path::{Path, PathBuf};

use respray_golden::reps::{Op, OpKind, Outcome, Params, Reps, SendKind, Variant};

/// What the recorded model was run with.
const FREEZE_TIMEOUT: u32 = 100_000;
const BDP_PACKETS: u8 = 16;

fn trace(name: &str) -> Option<PathBuf> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../shared/oracle").join(name);
    if !path.exists() {
        eprintln!("skipped: {} is not here", path.display());
        return None;
    }
    Some(path)
}

#[derive(Debug, Default, PartialEq, Eq)]
struct Tally {
    explored: u32,
    recycled: u32,
    replayed: u32,
    freezes_left: u32,
    wrong: u32,
}

/// Runs a trace through the model; `change` sees each outcome before it is compared.
fn run(path: &Path, variant: Variant, mut change: impl FnMut(&Op, &mut Outcome)) -> Tally {
    let params =
        Params { connections: 256, depth: 8, variant, ev_base: 0, ev_bits: 16, time_bits: 32, seed: 1 };
    let mut reps = Reps::new(params);
    let mut tally = Tally::default();
    let mut rows = csv::Reader::from_reader(File::open(path).expect("trace opens"));
    for (row, record) in rows.records().enumerate() {
        let record = record.expect("row parses");
        let number = |i: usize| record[i].parse::<u64>().unwrap_or_else(|e| panic!("row {row}: {e}"));
        let kind = match &record[1] {
            "send" => OpKind::Send,
            "ack" => OpKind::Ack,
            "nack" => OpKind::Nack,
            "timeout" => OpKind::Timeout,
            "init" => OpKind::Init,
            other => panic!("row {row}: op {other}"),
        };
        let is_ack = kind == OpKind::Ack;
        let op = Op {
            kind,
            conn: number(2) as u16,
            ev: if is_ack { number(3) as u16 } else { 0 },
            ecn: is_ack && number(4) == 1,
            now: number(0) as u32,
            freeze_timeout: FREEZE_TIMEOUT,
            bdp_packets: BDP_PACKETS,
        };
        let mut outcome = reps.apply(&op);
        change(&op, &mut outcome);
        tally.freezes_left += u32::from(outcome.freeze_left);
        let Some(sent) = outcome.result else {
            assert!(record[5].is_empty(), "row {row}: a {} has a result", &record[1]);
            continue;
        };
        let right = match sent.kind {
            SendKind::Explore => {
                tally.explored += 1;
                &record[5] == "explore"
            }
            SendKind::Recycle | SendKind::Replay => {
                tally.recycled += u32::from(sent.kind == SendKind::Recycle);
                tally.replayed += u32::from(sent.kind == SendKind::Replay);
                &record[5] == "cached" && record[6].parse() == Ok(sent.ev)
            }
        };
        tally.wrong += u32::from(!right);
    }
    tally
}

#[test]
fn both_variants_agree_with_the_trace_without_failures() {
    let Some(path) = trace("reps_nofail_13.csv") else { return };
    for variant in [Variant::Paper, Variant::Uet] {
        let tally = run(&path, variant, |_, _| ());
        let expected = Tally { explored: 2673, recycled: 6989, ..Tally::default() };
        assert_eq!(tally, expected, "{variant:?}");
    }
}

#[test]
fn uet_agrees_with_the_traces_with_failures() {
    for (name, freezes_left) in [("reps_uet_11.csv", 164), ("reps_uet_12.csv", 177)] {
        let Some(path) = trace(name) else { return };
        let tally = run(&path, Variant::Uet, |_, _| ());
        assert_eq!(tally.wrong, 0, "{name}: {tally:?}");
        assert!(tally.replayed > 3000 && tally.freezes_left == freezes_left, "{name}: {tally:?}");
    }
}

#[test]
fn the_traces_tell_the_variants_apart() {
    let Some(path) = trace("reps_uet_11.csv") else { return };
    assert!(run(&path, Variant::Paper, |_, _| ()).wrong > 1000);
}

#[test]
fn comparison_sees_a_single_wrong_ev() {
    let Some(path) = trace("reps_nofail_13.csv") else { return };
    let mut recycles = 0;
    let tally = run(&path, Variant::Paper, |_, outcome| {
        if let Some(sent) = outcome.result.as_mut().filter(|s| s.kind == SendKind::Recycle) {
            recycles += 1;
            sent.ev ^= u16::from(recycles == 5000);
        }
    });
    assert_eq!(tally.wrong, 1);
}
