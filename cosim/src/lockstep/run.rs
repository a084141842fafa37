//! The loop: rows into the device, its outputs compared, until the first difference.

use respray_hdl::manifest::Manifest;

use super::compare::{Difference, UNMET, difference, explain_unmet, outputs_of};
use super::op_core::{OpCore, Taken};
use super::produce::Producer;
pub use super::produce::{Given, RESET_EDGES};
pub use super::results::SeenRow;
use super::rows::{Block, Device};
use crate::ahead::{blocks_in_turn, make_and_check};
use crate::interrupt;
pub use crate::limit::Limit;
use crate::report::Differing;

/// Cycles between two calls of a run's progress callback.
pub const PROGRESS_CYCLES: u64 = 1 << 18;

/// Rows that are made, run and compared at a time.
pub const BLOCK_CYCLES: usize = 1024;

/// What a run came to.
pub struct Run<C> {
    /// Clock edges in all, the run's own reset included.
    pub cycles: u64,
    /// Entries of the stimulus that were begun by the first difference or the end, the one on offer then included.
    pub entries: u64,
    /// The golden side at the end of the run, for its counts.
    pub core: C,
    /// What was counted of any core's ops.
    pub taken: Taken,
    /// The first difference, at which the run stopped unless it keeps going.
    pub difference: Option<Difference>,
    /// Of a run that keeps going: how often it differed.
    pub differing: Differing,
}

/// Who hears of a run, and whether it goes on behind its first difference.
pub struct Listeners<'a> {
    /// Hears the number of cycles now and then.
    pub progress: &'a mut dyn FnMut(u64),
    /// Hears every cycle up to the end of the run.
    pub row: Option<&'a mut dyn FnMut(&SeenRow<'_>)>,
    pub keeps_going: bool,
}

/// How the rows of a run compare.
enum End {
    /// All rows were run, and nothing differs at which the run stops.
    Passed,
    /// The device stopped for good after so many cycles.
    Stopped(u64),
    /// The outputs of this cycle differ.
    Differs { cycle: u64, seen: Vec<u64> },
}

/// Runs rows of `device` block by block.
struct Checker<'a, 'b, D> {
    device: &'a mut D,
    outputs: Vec<u64>,
    cycles: u64,
    words: (usize, usize),
    listeners: &'a mut Listeners<'b>,
    /// Of a run that goes on: the first cycle that differs with its outputs, how many do, and in how many each column does.
    first: Option<(u64, Vec<u64>)>,
    differing: u64,
    columns: Vec<u64>,
}

impl<D: Device> Checker<'_, '_, D> {
    /// Runs a block; `Some` if the run ends with it.
    fn check(&mut self, block: &Block) -> Option<End> {
        let (inputs, outputs) = self.words;
        let wanted = block.cycles;
        let done =
            self.device.cycles(&block.inputs[..inputs * wanted], &mut self.outputs[..outputs * wanted]);
        let wrong = block.first_difference(&self.outputs, outputs, done);
        let stop = wrong.filter(|_| !self.listeners.keeps_going);
        if self.listeners.row.is_some() {
            self.tell(block, stop.map_or(done, |row| row + 1));
        }
        if let Some(row) = stop {
            return Some(End::Differs { cycle: self.cycles + row as u64, seen: self.row(row).to_vec() });
        }
        if let Some(row) = wrong {
            self.count(block, row, done);
        }
        let before = self.cycles / PROGRESS_CYCLES;
        self.cycles += done as u64;
        if done < wanted {
            return Some(End::Stopped(self.cycles));
        }
        if self.cycles / PROGRESS_CYCLES > before {
            (self.listeners.progress)(self.cycles);
        }
        None
    }

    fn row(&self, row: usize) -> &[u64] {
        &self.outputs[row * self.words.1..(row + 1) * self.words.1]
    }

    /// Tells of the first `rows` of a block.
    #[cold]
    fn tell(&mut self, block: &Block, rows: usize) {
        let words = self.words.1;
        let Some(hear) = &mut self.listeners.row else { return };
        for row in 0..rows {
            let range = row * words..(row + 1) * words;
            let (seen, expected) = (&self.outputs[range.clone()], &block.expected[range.clone()]);
            hear(&SeenRow { cycle: self.cycles + row as u64, seen, expected, care: &block.care[range] });
        }
    }

    /// Counts what differs in the rows of a block from `first`, which does, up to `end`.
    #[cold]
    fn count(&mut self, block: &Block, first: usize, end: usize) {
        if self.first.is_none() {
            self.first = Some((self.cycles + first as u64, self.row(first).to_vec()));
        }
        let words = self.words.1;
        for row in first..end {
            let mut differs = false;
            for (column, count) in self.columns.iter_mut().enumerate() {
                let at = row * words + column;
                let is_wrong = (self.outputs[at] ^ block.expected[at]) & block.care[at] != 0;
                *count += u64::from(is_wrong);
                differs |= is_wrong;
            }
            self.differing += u64::from(differs);
        }
    }
}

/// Runs `device` against the golden side until the stimulus has ended and the core is empty, the limit is reached, or
/// they differ. `progress` hears the number of cycles now and then.
pub fn run<C: OpCore, D: Device>(
    manifest: &Manifest,
    device: &mut D,
    given: Given<'_, C::Op>,
    limit: impl Into<Limit>,
    progress: &mut dyn FnMut(u64),
) -> Run<C> {
    run_in_turn_first(manifest, device, given, limit, blocks_in_turn(), progress)
}

/// [`run`], with the first `in_turn` blocks made in turn with their run, and those after them ahead, on another thread.
pub fn run_in_turn_first<C: OpCore, D: Device>(
    manifest: &Manifest,
    device: &mut D,
    given: Given<'_, C::Op>,
    limit: impl Into<Limit>,
    in_turn: usize,
    progress: &mut dyn FnMut(u64),
) -> Run<C> {
    let mut listeners = Listeners { progress, row: None, keeps_going: false };
    run_heard(manifest, device, given, limit, in_turn, &mut listeners)
}

/// The same, with these listeners.
pub fn run_heard<C: OpCore, D: Device>(
    manifest: &Manifest,
    device: &mut D,
    given: Given<'_, C::Op>,
    limit: impl Into<Limit>,
    in_turn: usize,
    listeners: &mut Listeners<'_>,
) -> Run<C> {
    let limit = limit.into();
    let (cycles, deadline, keeps_going) = (limit.cycles, limit.begin(), listeners.keeps_going);
    let layout = device.layout().clone();
    let producer = Producer::<C>::new(manifest, &layout, given.clone(), cycles);
    let producer = if keeps_going { producer.keep_going() } else { producer };
    let mut checker = Checker {
        device,
        outputs: vec![0; layout.words.1 * BLOCK_CYCLES],
        cycles: 0,
        words: layout.words,
        listeners,
        first: None,
        differing: 0,
        columns: vec![0; layout.words.1],
    };
    let fill = |producer: &mut Producer<'_, C>, block: &mut Block| {
        let is_first = producer.predictor().cycle() == 0;
        let is_left =
            !producer.has_ended() && !interrupt::is_requested() && (is_first || !deadline.has_passed());
        if is_left {
            producer.fill(block, BLOCK_CYCLES);
        }
        is_left
    };
    let new_block = || Block::new(&layout, BLOCK_CYCLES);
    let (mut producer, end) =
        make_and_check(producer, fill, new_block, |block| checker.check(block), in_turn);
    if !checker.cycles.is_multiple_of(PROGRESS_CYCLES) {
        (checker.listeners.progress)(checker.cycles);
    }
    let ran = checker.cycles;
    let of = |producer: Producer<'_, C>, cycles, difference| {
        let (entries, taken) = (producer.entries(), *producer.predictor().taken());
        let differing = Differing::default();
        Run { cycles, entries, core: producer.into_core(), taken, difference, differing }
    };
    // the producer is ahead of the device: what led to a cycle is made once more
    let again = |upto| {
        let mut producer = Producer::<C>::new(manifest, &layout, given.clone(), cycles);
        producer.skip(upto);
        producer
    };
    let explained = |cycle, seen: &[u64]| {
        let producer = again(cycle);
        let difference = difference(producer.predictor(), producer.layout(), &manifest.config, seen);
        (producer, difference)
    };
    if keeps_going {
        let (unmet, unmet_count) = producer.unmet();
        let found = checker.first.take().map(|(cycle, seen)| explained(cycle, &seen).1);
        let first = [found, unmet].into_iter().flatten().min_by_key(|found| found.cycle);
        let entries = first.as_ref().map(|found| again(found.cycle).entries());
        let ports = outputs_of(producer.predictor(), &layout, &manifest.config);
        let counted = ports.into_iter().map(|(port, column, _)| (port, checker.columns[column]));
        let counted = counted.chain([(UNMET, unmet_count)]).filter(|(_, cycles)| *cycles > 0);
        let differing = Differing {
            cycles: checker.differing + unmet_count,
            ports: counted.map(|(port, cycles)| (port.to_string(), cycles)).collect(),
        };
        let producer = match end {
            Some(End::Stopped(cycle)) => again(cycle),
            _ => producer,
        };
        let run = of(producer, ran, first);
        return Run { entries: entries.unwrap_or(run.entries), differing, ..run };
    }
    match end.unwrap_or(End::Passed) {
        End::Passed => match producer.predictor().unmet().cloned() {
            None => of(producer, ran, None),
            // its row is the last one that was run
            Some(unmet) => {
                let difference = explain_unmet(producer.predictor(), producer.layout(), &unmet);
                of(producer, ran - 1, Some(difference))
            }
        },
        End::Stopped(cycle) => of(again(cycle), cycle, None),
        End::Differs { cycle, seen } => {
            let (producer, difference) = explained(cycle, &seen);
            of(producer, cycle, Some(difference))
        }
    }
}
