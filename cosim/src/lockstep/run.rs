//! The loop: rows into the device, its outputs compared, until the first difference.

use std::sync::mpsc::{channel, sync_channel};
use std::thread;

use respray_hdl::manifest::Manifest;

use super::compare::{Difference, explain, explain_unmet};
use super::core::{OpCore, Taken};
use super::produce::Producer;
pub use super::produce::{Given, RESET_EDGES};
use super::rows::{Block, Device};
use crate::traffic::stimulus::Entry;

/// Cycles between two calls of a run's progress callback.
pub const PROGRESS_CYCLES: u64 = 1 << 18;

/// Rows that are made, run and compared at a time.
pub(super) const BLOCK_CYCLES: usize = 1024;

/// Blocks that are made in turn with their run, before a thread of its own makes them ahead.
pub(super) const BLOCKS_IN_TURN: usize = 8;

/// Blocks under way between the two threads.
const BLOCKS_AHEAD: usize = 8;

/// Blocks that are given back at a time: a thread that waits for one is woken only so often, which takes as long as tens of
/// cycles of a model.
const BLOCKS_BACK: usize = 4;

/// What a run came to.
pub struct Run<C> {
    /// Clock edges in all, the run's own reset included.
    pub cycles: u64,
    /// Entries of the stimulus that were begun, the one on offer at the end included.
    pub entries: u64,
    /// The golden side at the end of the run, for its counts.
    pub core: C,
    /// What was counted of any core's ops.
    pub taken: Taken,
    /// The first difference, at which the run stopped.
    pub difference: Option<Difference>,
}

/// How the rows of a run compare.
enum End {
    /// All rows were run, and nothing differs.
    Passed,
    /// The device stopped for good after so many cycles.
    Stopped(u64),
    /// The outputs of this cycle differ.
    Differs { cycle: u64, seen: Vec<u64> },
}

/// Runs rows of `device` block by block.
struct Checker<'a, D> {
    device: &'a mut D,
    outputs: Vec<u64>,
    cycles: u64,
    words: (usize, usize),
    progress: &'a mut dyn FnMut(u64),
}

impl<D: Device> Checker<'_, D> {
    /// Runs a block; `Some` if the run ends with it.
    fn check(&mut self, block: &Block) -> Option<End> {
        let (inputs, outputs) = self.words;
        let wanted = block.cycles;
        let done =
            self.device.cycles(&block.inputs[..inputs * wanted], &mut self.outputs[..outputs * wanted]);
        if let Some(row) = block.first_difference(&self.outputs, outputs, done) {
            let seen = self.outputs[row * outputs..(row + 1) * outputs].to_vec();
            return Some(End::Differs { cycle: self.cycles + row as u64, seen });
        }
        let before = self.cycles / PROGRESS_CYCLES;
        self.cycles += done as u64;
        if done < wanted {
            return Some(End::Stopped(self.cycles));
        }
        if self.cycles / PROGRESS_CYCLES > before {
            (self.progress)(self.cycles);
        }
        None
    }
}

/// Runs `device` against the golden side until the stimulus has ended and the core is empty, `cycles` edges have passed, or
/// they differ. `progress` hears the number of cycles now and then.
pub fn run<C: OpCore, D: Device>(
    manifest: &Manifest,
    device: &mut D,
    given: Given<'_, impl Iterator<Item = Entry<C::Op>> + Clone + Send>,
    cycles: u64,
    progress: &mut dyn FnMut(u64),
) -> Run<C> {
    let has_threads = thread::available_parallelism().is_ok_and(|threads| threads.get() > 1);
    let in_turn = if has_threads { BLOCKS_IN_TURN } else { usize::MAX };
    run_in_turn_first(manifest, device, given, cycles, in_turn, progress)
}

/// [`run`], with the first `in_turn` blocks made in turn with their run, and those after them ahead, on another thread.
pub(super) fn run_in_turn_first<C: OpCore, D: Device>(
    manifest: &Manifest,
    device: &mut D,
    given: Given<'_, impl Iterator<Item = Entry<C::Op>> + Clone + Send>,
    cycles: u64,
    in_turn: usize,
    progress: &mut dyn FnMut(u64),
) -> Run<C> {
    let layout = device.layout().clone();
    let mut producer = Producer::<C, _>::new(manifest, &layout, given.clone(), cycles);
    let mut checker = Checker {
        device,
        outputs: vec![0; layout.words.1 * BLOCK_CYCLES],
        cycles: 0,
        words: layout.words,
        progress,
    };
    let mut block = Block::new(&layout, BLOCK_CYCLES);
    let mut end = None;
    let mut made = 0;
    while end.is_none() && !producer.has_ended() && made < in_turn {
        producer.fill(&mut block, BLOCK_CYCLES);
        end = checker.check(&block);
        made += 1;
    }
    if end.is_none() && !producer.has_ended() {
        (producer, end) = ahead(producer, &mut checker, || Block::new(&layout, BLOCK_CYCLES));
    }
    if checker.cycles % PROGRESS_CYCLES != 0 {
        (checker.progress)(checker.cycles);
    }
    let ran = checker.cycles;
    let of = |producer: Producer<'_, C, _>, cycles, difference| {
        let (entries, taken) = (producer.entries(), *producer.predictor().taken());
        Run { cycles, entries, core: producer.into_core(), taken, difference }
    };
    // the producer is ahead of the device: what led to a cycle is made once more
    let again = |upto| {
        let mut producer = Producer::<C, _>::new(manifest, &layout, given.clone(), cycles);
        producer.skip(upto);
        producer
    };
    match end.unwrap_or(End::Passed) {
        End::Passed => match producer.predictor().unmet().cloned() {
            None => of(producer, ran, None),
            // its row is the last one that was run
            Some(unmet) => {
                let difference = explain_unmet(&producer, &unmet);
                of(producer, ran - 1, Some(difference))
            }
        },
        End::Stopped(cycle) => of(again(cycle), cycle, None),
        End::Differs { cycle, seen } => {
            let producer = again(cycle);
            let difference = explain(&producer, &manifest.config, &seen);
            of(producer, cycle, Some(difference))
        }
    }
}

/// Makes rows on a thread of their own while the device runs those before.
fn ahead<'a, C: OpCore, S: Iterator<Item = Entry<C::Op>> + Send>(
    mut producer: Producer<'a, C, S>,
    checker: &mut Checker<'_, impl Device>,
    block: impl Fn() -> Block,
) -> (Producer<'a, C, S>, Option<End>) {
    let (to_check, filled) = sync_channel::<Block>(BLOCKS_AHEAD);
    let (to_fill, free) = channel::<Block>();
    (0..BLOCKS_AHEAD).for_each(|_| to_fill.send(block()).expect("the other end is here"));
    thread::scope(|scope| {
        let maker = scope.spawn(move || {
            while let (false, Ok(mut block)) = (producer.has_ended(), free.recv()) {
                producer.fill(&mut block, BLOCK_CYCLES);
                if to_check.send(block).is_err() {
                    break;
                }
            }
            producer
        });
        let mut end = None;
        let mut checked = Vec::with_capacity(BLOCKS_BACK);
        while let (true, Ok(block)) = (end.is_none(), filled.recv()) {
            end = checker.check(&block);
            checked.push(block);
            if checked.len() == BLOCKS_BACK {
                checked.drain(..).for_each(|block| {
                    // the maker may have ended
                    let _ = to_fill.send(block);
                });
            }
        }
        drop((filled, to_fill));
        let producer = maker.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic));
        (producer, end)
    })
}
