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

#[cfg(test)]
mod tests {
    use super::*;

    /// Makes blocks of one number each, 0 to 99; ends at `last`.
    fn numbers(in_turn: usize, last: Option<u32>) -> (u32, Option<u32>, Vec<u32>) {
        let fill = |next: &mut u32, block: &mut u32| {
            *block = *next;
            *next += 1;
            *block < 100
        };
        let mut seen = Vec::new();
        let check = |block: &u32| {
            seen.push(*block);
            (Some(*block) == last).then_some(*block)
        };
        let (maker, end) = make_and_check(0, fill, || 0, check, in_turn);
        (maker, end, seen)
    }

    #[test]
    fn every_block_is_checked_once_and_in_order() {
        for in_turn in [0, 1, BLOCKS_IN_TURN, usize::MAX] {
            let (maker, end, seen) = numbers(in_turn, None);
            assert_eq!((maker, end), (101, None));
            assert_eq!(seen, Vec::from_iter(0..100));
        }
    }

    #[test]
    fn it_ends_with_the_block_that_ends_it_wherever_the_maker_is() {
        for in_turn in [0, 1, BLOCKS_IN_TURN, usize::MAX] {
            for last in [0, 7, 8, 99] {
                let (maker, end, seen) = numbers(in_turn, Some(last));
                assert_eq!(end, Some(last));
                assert_eq!(seen, Vec::from_iter(0..=last));
                assert!((last + 1..=101).contains(&maker));
            }
        }
    }
}
