//! Ops of a connection one of whose words has a flipped bit, by the edges at which the engine `small` reads and writes words.

use respray_golden::sack_rx::{Class, Connection, OpKind, Params, SackRx, Status};
use respray_hdl::cores::sack_rx::contract::{Op, Shown};

use super::{effect, golden_op, shown};
use crate::lockstep::op_core::{BrokenWord, Effect, Touched};

/// Edges from the one that takes a packet to that at which it reads its state and the word with its bit.
const FIRST_READ: i64 = 1;
/// From the one that takes a `close` to that at which it writes the state.
const CLOSE_WRITE: i64 = 1;
/// To that at which it writes its bit.
const WRITE: i64 = 3;
/// To that at which it reads the word of its SACK or the next one of an advance, and from there to the one behind.
const LATER_READ: i64 = 4;
const READ_INTERVAL: i64 = 2;
/// Packets of a word of the bitmap.
const SEGMENT: u32 = 64;

/// The word of the bitmap with a flipped bit, and the bit, if it is not its parity.
struct Spoilt {
    segment: u32,
    bit: Option<u32>,
}

/// Executes an op: what it does, and what of that to the word.
pub(super) fn apply(golden: &mut SackRx, op: &Op, broken: &BrokenWord) -> (Effect<Shown>, Touched) {
    let (params, before, golden_op) = (*golden.params(), *golden.connection(op.conn), golden_op(op));
    let spoilt = match broken.memory {
        "bitmap_ram" => Some(Spoilt { segment: broken.word / SEGMENT, bit: Some(broken.word) }),
        "bitmap_parity_ram" => Some(Spoilt { segment: broken.word, bit: None }),
        _ => None,
    };
    if golden_op.kind == OpKind::Init {
        let writes =
            spoilt.is_none_or(|spoilt| last_fill(&spoilt, op.psn % params.window, params) >= broken.flipped);
        return (effect(op, &golden.apply(&golden_op)), Touched { reads: false, writes });
    }
    if golden_op.kind == OpKind::Close {
        let writes = spoilt.is_none() && CLOSE_WRITE >= broken.flipped;
        return (effect(op, &golden.apply(&golden_op)), Touched { reads: false, writes });
    }
    let own = op.psn % params.window;
    let is_own = |spoilt: &Spoilt| before.initialised && spoilt.segment == own / SEGMENT;
    if FIRST_READ > broken.flipped && spoilt.as_ref().is_none_or(is_own) {
        golden.lose(op.conn);
        let effect = effect(op, &golden.apply(&golden_op));
        let shown = effect.shown.map(|shown| Shown { state_lost: true, ..shown });
        return (Effect { shown, ..effect }, Touched { reads: true, writes: true });
    }
    let outcome = golden.apply(&golden_op);
    let done = effect(op, &outcome);
    let Some(spoilt) = spoilt else {
        let writes = matches!(outcome.status, Some(Status::New | Status::Duplicate));
        return (done, Touched { reads: false, writes });
    };
    let in_reach = matches!(outcome.class, Class::NewAhead | Class::NewInOrder { .. } | Class::DuplicateHeld);
    let is_written = match spoilt.bit {
        Some(bit) => bit == own,
        None => spoilt.segment == own / SEGMENT,
    };
    if in_reach && is_written && WRITE >= broken.flipped {
        return (done, Touched { reads: false, writes: true });
    }
    let base = outcome.sack.map(|sack| sack.base);
    match found_later(&spoilt, &before, &outcome.class, base, broken, params) {
        Some(segments) => {
            golden.lose(op.conn);
            let refused = Shown { state_lost: true, ..shown(op.conn, Status::Uninitialised, None) };
            let effect = Effect { shown: Some(refused), counts: [segments, 0, 0], ..done };
            (effect, Touched { reads: true, writes: true })
        }
        None => (done, Touched::default()),
    }
}

/// Edges from an `init` to the last that writes the bit, or the parity bit of the word, where `own` is the place of its PSN.
fn last_fill(spoilt: &Spoilt, own: u32, params: Params) -> i64 {
    let behind = |place: u32| 1 + i64::from((place + params.window - own) % params.window);
    let places = spoilt.segment * SEGMENT..(spoilt.segment + 1) * SEGMENT;
    spoilt.bit.map_or_else(|| places.map(behind).max().unwrap_or(0), behind)
}

/// The segments by which EPSN would have moved until the packet finds the word after its own one; `None` if it does not.
fn found_later(
    spoilt: &Spoilt,
    before: &Connection,
    class: &Class,
    base: Option<u32>,
    broken: &BrokenWord,
    params: Params,
) -> Option<u32> {
    let segments = params.window / SEGMENT;
    match *class {
        Class::NewInOrder { advance_segments } => (1..=advance_segments).find(|moved| {
            let read = LATER_READ + READ_INTERVAL * (i64::from(*moved) - 1);
            (before.epsn / SEGMENT + moved) % segments == spoilt.segment && read > broken.flipped
        }),
        _ => {
            let is_shown = base.is_some_and(|base| base / SEGMENT % segments == spoilt.segment);
            (is_shown && LATER_READ > broken.flipped).then_some(0)
        }
    }
}
