//! From a stimulus to rows: what the inputs carry at every edge, and what the outputs must show before it.
//!
//! Nothing of it depends on what the device shows, since an op is taken when the golden side says so. So rows can be made
//! ahead of the device, on another thread.

use respray_hdl::contract::Words;
use respray_hdl::manifest::Manifest;

use super::compare::{Difference, explain_unmet};
use super::op_core::{Inputs, OpCore};
use super::predict::Predictor;
use super::rows::{Block, Layout, SPARE, columns};
use super::unseen::Unseen;
use crate::traffic::stimulus::{Entries, Event, Expectation};

/// Clock edges with `rst` high with which every run begins.
pub const RESET_EDGES: u64 = 2;

/// Clock edges that a run goes on when nothing is left in the core, to catch outputs that nobody asked for.
const EDGES_AFTER_END: u32 = 8;

/// Words of a row of inputs that are copied at a time.
const PIECE: usize = SPARE / 2;

/// More words than the inputs of a core have.
const MOST_INPUTS: usize = 32;

/// Rows that [`rows`] makes at a time.
const ROWS_AT_A_TIME: usize = 256;

/// Turns entries into what the input ports carry at each edge.
struct Driver<'a, O> {
    stimulus: Entries<'a, O>,
    inputs: Inputs<O>,
    idle: u32,
    /// The current entry is a reset, with this seed.
    reset: Option<u16>,
    /// Entries begun.
    entries: u64,
    /// The stimulus has ended.
    ended: bool,
}

impl<'a, O: Words> Driver<'a, O> {
    /// Begins with `rst` high; [`Driver::next_entry`] ends it. An op is offered at every edge with `rst` high: a core
    /// must not take it.
    fn new(stimulus: Entries<'a, O>, seed: u16) -> Self {
        let inputs = Inputs { rst: true, seed, op_valid: true, op: O::default(), entry: 0, expect: 0 };
        Driver { stimulus, inputs, idle: 0, reset: None, entries: 0, ended: false }
    }

    #[inline(always)]
    fn next_entry(&mut self) {
        self.inputs.rst = false;
        self.inputs.op_valid = false;
        self.reset = None;
        let Some(entry) = self.stimulus.next() else {
            self.ended = true;
            return;
        };
        self.inputs.entry = self.entries;
        self.inputs.expect = entry.expect;
        self.entries += 1;
        self.idle = entry.idle;
        match entry.event {
            Event::Op(op) => self.inputs.op = op,
            Event::Reset { seed } => self.reset = Some(seed.unwrap_or(self.inputs.seed)),
        }
        if self.idle == 0 {
            self.begin();
        }
    }

    #[inline(always)]
    fn begin(&mut self) {
        self.inputs.op_valid = true;
        if let Some(seed) = self.reset {
            self.inputs.rst = true;
            self.inputs.seed = seed;
        }
    }

    /// After a clock edge; `ready`: the core took an op, if one was offered. Returns whether the inputs changed.
    #[inline(always)]
    fn edge(&mut self, ready: bool) -> bool {
        if self.idle > 0 {
            self.idle -= 1;
            if self.idle == 0 {
                self.begin();
            }
            self.idle == 0
        } else if !self.ended && (self.inputs.rst || ready) {
            self.next_entry();
            true
        } else {
            false
        }
    }
}

/// What a run is given.
#[derive(Clone)]
pub struct Given<'a, O: 'a> {
    /// Entries in order.
    pub entries: Entries<'a, O>,
    /// What they expect.
    pub expectations: &'a [Expectation],
    /// Value of the port `seed` from the run's own reset on.
    pub seed: u16,
}

/// Makes the rows of a run.
pub(super) struct Producer<'a, C: OpCore> {
    predictor: Predictor<C>,
    driver: Driver<'a, C::Op>,
    expectations: &'a [Expectation],
    layout: Layout,
    /// Columns of the op by place, and whether the golden side has those of its results, in rows that are short enough.
    op_columns: Option<[usize; MOST_INPUTS]>,
    is_arranged: bool,
    /// What the inputs carry at the coming edge: at least [`MOST_INPUTS`] words.
    row: Vec<u64>,
    /// Pieces of [`PIECE`] words that hold them.
    pieces: usize,
    unseen: Unseen,
    after_end: u32,
    /// Cycles that are still to be made.
    cycles_left: u64,
    /// No row comes any more.
    has_ended: bool,
    /// Whether the run goes on behind a result that is not what its entry expects.
    keeps_going: bool,
    /// The first of these that it went on behind, and how many there are.
    first_unmet: Option<Difference>,
    unmet: u64,
}

impl<'a, C: OpCore> Producer<'a, C> {
    pub fn new(manifest: &Manifest, layout: &Layout, given: Given<'a, C::Op>, cycles: u64) -> Self {
        let mut predictor = Predictor::new(manifest);
        let pieces = layout.words.0.div_ceil(PIECE);
        let mut producer = Producer {
            is_arranged: predictor.arrange(layout),
            predictor,
            driver: Driver::new(given.entries, given.seed),
            expectations: given.expectations,
            op_columns: columns(&layout.op, layout.words.0),
            row: vec![0; MOST_INPUTS.max(pieces * PIECE)],
            pieces,
            unseen: Unseen::new(C::CONTRACT, layout, &manifest.config, given.seed),
            layout: layout.clone(),
            after_end: 0,
            cycles_left: cycles,
            has_ended: cycles == 0,
            keeps_going: false,
            first_unmet: None,
            unmet: 0,
        };
        producer.drive();
        producer
    }

    /// It goes on behind a result that is not what its entry expects.
    pub fn keep_going(self) -> Self {
        Producer { keeps_going: true, ..self }
    }

    /// The first of the results that it went on behind, and how many there are.
    pub fn unmet(&mut self) -> (Option<Difference>, u64) {
        (self.first_unmet.take(), self.unmet)
    }

    pub fn has_ended(&self) -> bool {
        self.has_ended
    }

    pub fn predictor(&self) -> &Predictor<C> {
        &self.predictor
    }

    pub fn layout(&self) -> &Layout {
        &self.layout
    }

    /// The golden model, at the end of a run.
    pub fn into_core(self) -> C {
        self.predictor.into_core()
    }

    /// Entries of the stimulus that were begun.
    pub fn entries(&self) -> u64 {
        self.driver.entries
    }

    /// Fills a block with the coming rows, up to the end of the run, or up to a result that is not what its entry expects.
    pub fn fill(&mut self, block: &mut Block, capacity: usize) {
        let (inputs, outputs) = self.layout.words;
        block.cycles = 0;
        while block.cycles < capacity && !self.has_ended {
            let at = block.cycles;
            // what is written beyond the row is written again with the next one
            let row = &mut block.inputs[at * inputs..];
            let (to, from) = (row.chunks_exact_mut(PIECE), self.row.chunks_exact(PIECE));
            to.zip(from.take(self.pieces)).for_each(|(to, from)| to.copy_from_slice(from));
            if let Some(seen) = self.predictor.seen(&self.driver.inputs) {
                self.unseen.stir(row, self.predictor.cycle(), seen);
            }
            let (expected, care) = (&mut block.expected[at * outputs..], &mut block.care[at * outputs..]);
            if self.is_arranged {
                self.predictor.expected_row(expected, care);
            } else {
                self.predictor.expected(&self.layout, &mut expected[..outputs], &mut care[..outputs]);
            }
            block.cycles += 1;
            if let Some(unmet) = self.predictor.unmet() {
                if !self.keeps_going {
                    // the cycle stays the coming one, so that what is said of it is said of this one
                    self.has_ended = true;
                    return;
                }
                self.unmet += 1;
                if self.first_unmet.is_none() {
                    self.first_unmet = Some(explain_unmet(&self.predictor, &self.layout, unmet));
                }
            }
            self.edge();
        }
    }

    fn edge(&mut self) {
        let ready = self.predictor.is_ready();
        self.predictor.edge(&self.driver.inputs, self.expectations);
        self.cycles_left -= 1;
        if self.predictor.cycle() >= RESET_EDGES && self.driver.edge(ready) {
            self.drive();
        }
        if self.driver.ended && !self.predictor.is_busy() {
            self.has_ended = self.after_end == EDGES_AFTER_END;
            self.after_end += 1;
        }
        self.has_ended |= self.cycles_left == 0;
    }

    #[inline(always)]
    fn drive(&mut self) {
        let inputs = &self.driver.inputs;
        match (&self.op_columns, self.row.first_chunk_mut::<MOST_INPUTS>()) {
            (Some(columns), Some(row)) => {
                drive_common(inputs, &self.layout, row);
                inputs.op.each(|place, word| row[columns[place] % MOST_INPUTS] = word);
            }
            _ => drive(inputs, &self.layout, &mut self.row),
        }
    }

    /// Goes on by so many cycles without rows.
    pub fn skip(&mut self, cycles: u64) {
        (0..cycles).for_each(|_| self.edge());
    }
}

/// What the ports carry and must show in a run of `given`, from its reset to its end.
pub fn rows<C: OpCore>(manifest: &Manifest, layout: &Layout, given: Given<'_, C::Op>) -> Block {
    let mut producer = Producer::<C>::new(manifest, layout, given, u64::MAX);
    let mut block = Block::new(layout, ROWS_AT_A_TIME);
    let mut all = Block::default();
    while !producer.has_ended() {
        producer.fill(&mut block, ROWS_AT_A_TIME);
        let (inputs, outputs) = (layout.words.0 * block.cycles, layout.words.1 * block.cycles);
        all.cycles += block.cycles;
        all.inputs.extend(&block.inputs[..inputs]);
        all.expected.extend(&block.expected[..outputs]);
        all.care.extend(&block.care[..outputs]);
    }
    all
}

/// Writes what the ports carry into a row of inputs.
#[inline(always)]
pub(crate) fn drive<O: Words>(inputs: &Inputs<O>, layout: &Layout, row: &mut [u64]) {
    drive_common(inputs, layout, row);
    inputs.op.each(|place, word| {
        if let Some(&column) = layout.op.get(place) {
            row[column] = word;
        }
    });
}

/// Writes what every core has beside the op.
#[inline(always)]
fn drive_common<O>(inputs: &Inputs<O>, layout: &Layout, row: &mut [u64]) {
    row[layout.rst] = inputs.rst.into();
    row[layout.op_valid] = inputs.op_valid.into();
    if let Some(seed) = layout.seed {
        row[seed] = inputs.seed.into();
    }
}
