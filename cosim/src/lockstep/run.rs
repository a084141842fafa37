//! The loop: rows into the device, its outputs compared, until the first difference.

use respray_hdl::manifest::Manifest;

use super::compare::{Difference, explain, explain_unmet};
use super::op_core::{OpCore, Taken};
use super::produce::Producer;
pub use super::produce::{Given, RESET_EDGES};
use super::rows::{Block, Device};
use crate::ahead::{blocks_in_turn, make_and_check};
use crate::interrupt;
pub use crate::limit::Limit;
use crate::traffic::stimulus::Entry;

/// Cycles between two calls of a run's progress callback.
pub const PROGRESS_CYCLES: u64 = 1 << 18;

/// Rows that are made, run and compared at a time.
pub(super) const BLOCK_CYCLES: usize = 1024;

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

/// Runs `device` against the golden side until the stimulus has ended and the core is empty, the limit is reached, or
/// they differ. `progress` hears the number of cycles now and then.
pub fn run<C: OpCore, D: Device>(
    manifest: &Manifest,
    device: &mut D,
    given: Given<'_, impl Iterator<Item = Entry<C::Op>> + Clone + Send>,
    limit: impl Into<Limit>,
    progress: &mut dyn FnMut(u64),
) -> Run<C> {
    run_in_turn_first(manifest, device, given, limit, blocks_in_turn(), progress)
}

/// [`run`], with the first `in_turn` blocks made in turn with their run, and those after them ahead, on another thread.
pub(super) fn run_in_turn_first<C: OpCore, D: Device>(
    manifest: &Manifest,
    device: &mut D,
    given: Given<'_, impl Iterator<Item = Entry<C::Op>> + Clone + Send>,
    limit: impl Into<Limit>,
    in_turn: usize,
    progress: &mut dyn FnMut(u64),
) -> Run<C> {
    let limit = limit.into();
    let (cycles, deadline) = (limit.cycles, limit.begin());
    let layout = device.layout().clone();
    let producer = Producer::<C, _>::new(manifest, &layout, given.clone(), cycles);
    let mut checker = Checker {
        device,
        outputs: vec![0; layout.words.1 * BLOCK_CYCLES],
        cycles: 0,
        words: layout.words,
        progress,
    };
    let fill = |producer: &mut Producer<'_, C, _>, block: &mut Block| {
        let is_first = producer.predictor().cycle() == 0;
        let is_left =
            !producer.has_ended() && !interrupt::is_requested() && (is_first || !deadline.has_passed());
        if is_left {
            producer.fill(block, BLOCK_CYCLES);
        }
        is_left
    };
    let new_block = || Block::new(&layout, BLOCK_CYCLES);
    let (producer, end) = make_and_check(producer, fill, new_block, |block| checker.check(block), in_turn);
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
