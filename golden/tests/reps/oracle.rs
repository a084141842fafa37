//! The model against op traces recorded from an independent implementation of REPS.

use crate::trace::{Row, rows};
use respray_golden::reps::{FREEZE_LEFT, Keys, Params, Reps, Variant};
use respray_golden::selector::{Engine, Op, Outcome, SendKind};

/// What the recorded model was run with.
const FREEZE_TIMEOUT: u32 = 100_000;
const BDP_PACKETS: u32 = 16;

#[derive(Debug, Default, PartialEq, Eq)]
struct Tally {
    explored: u32,
    recycled: u32,
    replayed: u32,
    freezes_left: u32,
    wrong: u32,
}

/// Runs a trace through the model; `change` sees each outcome before it is compared.
fn run(rows: &[Row], variant: Variant, mut change: impl FnMut(&Op, &mut Outcome)) -> Tally {
    let keys = Keys { depth: 8, variant };
    let params = Params { connections: 256, ev_base: 0, ev_bits: 16, time_bits: 32, seed: 1, keys };
    let mut reps = Engine::<Reps>::new(params);
    let mut tally = Tally::default();
    for (i, row) in rows.iter().enumerate() {
        let op = Op { settings: [FREEZE_TIMEOUT, BDP_PACKETS, 0, 0], ..row.op };
        let mut outcome = reps.apply(&op);
        change(&op, &mut outcome);
        tally.freezes_left += u32::from(outcome.has(FREEZE_LEFT));
        let Some(sent) = outcome.result else {
            assert!(row.expect.is_empty(), "row {i}: a {:?} has a result", op.kind);
            continue;
        };
        let right = match sent.kind {
            SendKind::Explore => {
                tally.explored += 1;
                row.expect == "explore"
            }
            SendKind::Recycle | SendKind::Replay => {
                tally.recycled += u32::from(sent.kind == SendKind::Recycle);
                tally.replayed += u32::from(sent.kind == SendKind::Replay);
                row.expect == "cached" && row.expect_ev == Some(sent.ev)
            }
        };
        tally.wrong += u32::from(!right);
    }
    tally
}

#[test]
fn both_variants_agree_with_the_trace_without_failures() {
    let Some(rows) = rows("reps_nofail_13.csv") else { return };
    for variant in [Variant::Paper, Variant::Uet] {
        let tally = run(&rows, variant, |_, _| ());
        let expected = Tally { explored: 2673, recycled: 6989, ..Tally::default() };
        assert_eq!(tally, expected, "{variant:?}");
    }
}

#[test]
fn uet_agrees_with_the_traces_with_failures() {
    for (name, freezes_left) in [("reps_uet_11.csv", 164), ("reps_uet_12.csv", 177)] {
        let Some(rows) = rows(name) else { return };
        let tally = run(&rows, Variant::Uet, |_, _| ());
        assert_eq!(tally.wrong, 0, "{name}: {tally:?}");
        assert!(tally.replayed > 3000 && tally.freezes_left == freezes_left, "{name}: {tally:?}");
    }
}

#[test]
fn the_traces_tell_the_variants_apart() {
    let Some(rows) = rows("reps_uet_11.csv") else { return };
    assert!(run(&rows, Variant::Paper, |_, _| ()).wrong > 1000);
}

#[test]
fn comparison_sees_a_single_wrong_ev() {
    let Some(rows) = rows("reps_nofail_13.csv") else { return };
    let mut recycles = 0;
    let tally = run(&rows, Variant::Paper, |_, outcome| {
        if let Some(sent) = outcome.result.as_mut().filter(|s| s.kind == SendKind::Recycle) {
            recycles += 1;
            sent.ev ^= u16::from(recycles == 5000);
        }
    });
    assert_eq!(tally.wrong, 1);
}
