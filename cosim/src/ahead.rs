//! Blocks of cycles that the golden side makes and a device runs, in turn at first, then on two threads.

use std::panic::resume_unwind;
use std::sync::mpsc::{channel, sync_channel};
use std::thread;

/// Blocks that are made in turn with their run, before a thread of its own makes them ahead: a short run is over before a
/// thread has begun.
pub const BLOCKS_IN_TURN: usize = 8;

/// Blocks under way between the two threads.
const BLOCKS_AHEAD: usize = 8;

/// Blocks that are given back at a time: a thread that waits for one is woken only so often, which takes as long as tens of
/// cycles of a model.
const BLOCKS_BACK: usize = 4;

/// [`BLOCKS_IN_TURN`], or all of them where there is one processor only.
pub fn blocks_in_turn() -> usize {
    match thread::available_parallelism() {
        Ok(processors) if processors.get() > 1 => BLOCKS_IN_TURN,
        _ => usize::MAX,
    }
}

/// Lets `maker` fill blocks, and checks them in their order. `fill` says whether there was anything left to fill a block
/// with; it ends with the first block of which it says no, which is not checked, or with the first `Some` of `check`.
///
/// The first `in_turn` blocks are made and checked in turn, those after them are made on a thread of their own. So the
/// maker that comes back may be ahead of the block at which `check` ended it.
pub fn make_and_check<M: Send, B: Send, E>(
    mut maker: M,
    fill: impl Fn(&mut M, &mut B) -> bool + Send,
    new_block: impl Fn() -> B,
    mut check: impl FnMut(&B) -> Option<E>,
    in_turn: usize,
) -> (M, Option<E>) {
    let mut block = new_block();
    for _ in 0..in_turn {
        if !fill(&mut maker, &mut block) {
            return (maker, None);
        }
        if let Some(end) = check(&block) {
            return (maker, Some(end));
        }
    }
    let (to_check, filled) = sync_channel::<B>(BLOCKS_AHEAD);
    let (to_fill, free) = channel::<B>();
    (0..BLOCKS_AHEAD).for_each(|_| to_fill.send(new_block()).expect("the other end is here"));
    thread::scope(|scope| {
        let thread = scope.spawn(move || {
            for mut block in free {
                if !fill(&mut maker, &mut block) || to_check.send(block).is_err() {
                    break;
                }
            }
            maker
        });
        let mut end = None;
        let mut checked = Vec::with_capacity(BLOCKS_BACK);
        while let (None, Ok(block)) = (&end, filled.recv()) {
            end = check(&block);
            checked.push(block);
            if checked.len() == BLOCKS_BACK {
                checked.drain(..).for_each(|block| {
                    // the maker may have ended
                    let _ = to_fill.send(block);
                });
            }
        }
        // what the thread may be waiting for goes away, so that it ends
        drop((filled, to_fill));
        (thread.join().unwrap_or_else(|panic| resume_unwind(panic)), end)
    })
}
