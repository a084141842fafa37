//! What every output port shows before every clock edge: the golden model, with the cycles that the manifest states.

use std::collections::BTreeMap;

use respray_hdl::contract::{Field, Shown, Value, Words};
use respray_hdl::manifest::Manifest;

use super::expect::{Unmet, unmet};
use super::op_core::{Effect, Inputs, OpCore, Taken, Turn};
use super::rows::{Layout, SPARE, columns};
use super::schedule::{MAX_LATENCY, Schedule};
use super::unseen::Seen;
use crate::traffic::stimulus::Expectation;

/// Cycles ahead of which results are known.
pub const AHEAD: usize = MAX_LATENCY as usize + 1;

/// The golden side of a core, cycle by cycle.
pub struct Predictor<C: OpCore> {
    core: C,
    schedule: Schedule,
    reset_cycles: u32,
    fields: Vec<&'static Field>,
    /// Bits of each field that the outputs show.
    masks: [u64; MOST_SHOWN],
    /// Of these, those that are promised in every cycle.
    always: [u64; MOST_SHOWN],
    /// Where each field stands in what leaves: at its place, or in its column.
    columns: [usize; MOST_SHOWN],
    /// Column of `op_ready`.
    ready: usize,
    /// What leaves where no result does.
    nothing: Leaving,
    results: Results,
    /// Edges with `rst` low until the core can do something.
    wait: u32,
    /// Edges until the last op has nothing left to show or to do.
    busy: u32,
    /// An edge with `rst` high was seen: before it nothing is promised.
    is_reset: bool,
    /// Seed of the reset since which the core stood still.
    fresh: Option<u16>,
    taken: Taken,
    /// Results to come that are not what their entries expect, by their cycles.
    unmet: BTreeMap<u64, Unmet>,
    cycle: u64,
}

/// Most fields that the outputs of a core show.
pub const MOST_SHOWN: usize = SPARE + 5;

/// What the outputs show of a result, and which bits are promised. Where no field stands there is nothing.
#[derive(Clone, Copy)]
pub struct Leaving {
    pub values: [u64; MOST_SHOWN],
    pub care: [u64; MOST_SHOWN],
}

impl Leaving {
    const NOTHING: Leaving = Leaving { values: [0; MOST_SHOWN], care: [0; MOST_SHOWN] };
}

/// What leaves the core in the coming cycles: a ring with one place a cycle.
pub struct Results {
    pub rows: Box<[Leaving; AHEAD]>,
    /// For each row the entry that it is the result of.
    pub entries: [Option<u64>; AHEAD],
    /// Bit i: something leaves i edges after the coming one.
    pub filled: u64,
    /// Place of the coming edge's row, modulo the length.
    at: usize,
}

/// Nothing is under way.
impl Default for Results {
    fn default() -> Self {
        Results { rows: Box::new([Leaving::NOTHING; AHEAD]), entries: [None; AHEAD], filled: 0, at: 0 }
    }
}

impl Results {
    /// The coming edge's row, if something leaves then.
    #[inline(always)]
    pub fn leaving(&self) -> Option<usize> {
        (self.filled & 1 != 0).then_some(self.at % AHEAD)
    }

    /// Place of the row of so many edges after the coming one, which becomes filled.
    ///
    /// # Panics
    /// If something leaves then already.
    #[inline(always)]
    pub fn enter(&mut self, latency: u32, entry: Option<u64>) -> usize {
        assert!(latency > 0 && self.filled >> latency & 1 == 0, "two results leave in one cycle");
        self.filled |= 1 << latency;
        let row = self.at.wrapping_add(latency as usize) % AHEAD;
        self.entries[row] = entry;
        row
    }

    /// The coming edge has passed.
    #[inline(always)]
    pub fn step(&mut self) {
        self.filled >>= 1;
        self.at = self.at.wrapping_add(1);
    }

    /// Drops all that has not left.
    pub fn clear(&mut self) {
        self.filled = 0;
    }
}

impl<C: OpCore> Predictor<C> {
    /// The golden side of a generated core, before its first reset.
    ///
    /// # Panics
    /// On a manifest that does not state the cycles of every class of op.
    pub fn new(manifest: &Manifest) -> Self {
        let config = &manifest.config;
        let fields: Vec<&Field> = C::CONTRACT.shown_fields().collect();
        assert!(fields.len() <= MOST_SHOWN, "{} fields; allowed: {MOST_SHOWN}", fields.len());
        let mut masks = [0; MOST_SHOWN];
        masks.iter_mut().zip(&fields).for_each(|(mask, field)| *mask = field.last(config));
        let mut always = [0; MOST_SHOWN];
        C::Shown::default().each(|place, _, is_promised| {
            always[place] = if is_promised { masks[place] } else { 0 };
        });
        Predictor {
            core: C::new(config),
            schedule: Schedule::new(C::CONTRACT, manifest, C::entries(config)),
            reset_cycles: manifest.reset_cycles,
            results: Results::default(),
            fields,
            masks,
            always,
            columns: std::array::from_fn(|place| place),
            ready: 0,
            nothing: Leaving { values: [0; MOST_SHOWN], care: always },
            wait: 0,
            busy: 0,
            is_reset: false,
            fresh: None,
            taken: Taken::default(),
            unmet: BTreeMap::new(),
            cycle: 0,
        }
    }

    /// From the start on, what leaves stands in the columns of rows with this layout, for [`Predictor::expected_row`]. Returns
    /// whether rows are short enough for that.
    pub fn arrange(&mut self, layout: &Layout) -> bool {
        let Some(columns) = columns::<SPARE>(&layout.shown, layout.words.1) else { return false };
        // the last column is that of fields that a core does not have
        self.columns = std::array::from_fn(|place| columns[place.min(SPARE - 1)]);
        self.ready = layout.op_ready;
        self.nothing = Leaving::NOTHING;
        let always = self.columns.iter().zip(&self.always);
        always.for_each(|(column, always)| self.nothing.care[*column] |= always);
        true
    }

    /// The golden model.
    pub fn into_core(self) -> C {
        self.core
    }

    /// Names and widths of what the outputs show, in the order of the contract.
    pub fn fields(&self) -> &[&'static Field] {
        &self.fields
    }

    /// The connection that a row of outputs speaks of, if it speaks of one.
    pub fn connection(&self, layout: &Layout, row: &[u64]) -> Option<u32> {
        let mut shown = layout.shown.iter().zip(&self.always);
        let speaks = shown.any(|(column, always)| row[*column] & always != 0);
        let place = self.fields.iter().position(|field| field.value == Value::Connection)?;
        speaks.then_some(row[layout.shown[place]] as u32)
    }

    /// What was counted of its ops.
    pub fn taken(&self) -> &Taken {
        &self.taken
    }

    /// Edges that have passed.
    pub fn cycle(&self) -> u64 {
        self.cycle
    }

    /// `op_ready` before the coming edge: an op that is offered is taken, unless `rst` is high.
    #[inline(always)]
    pub fn is_ready(&self) -> bool {
        self.wait == 0 && self.core.takes_ops()
    }

    /// What the core may look at before the coming edge, at which it takes no op; `None`: it takes one, and may look at
    /// all.
    #[inline(always)]
    pub fn seen(&self, inputs: &Inputs<C::Op>) -> Option<Seen> {
        let is_ready = !inputs.rst && self.is_ready();
        if is_ready && inputs.op_valid {
            return None;
        }
        let is_free = !inputs.rst && self.wait == 0;
        Some(Seen { op: inputs.op_valid, settings: self.core.samples(is_free), seed: !is_ready })
    }

    /// Whether anything of an op or of a reset is left in the core.
    pub fn is_busy(&self) -> bool {
        self.busy > 0
    }

    /// Entry whose op leaves the core in this cycle, if one does.
    pub fn leaving_entry(&self) -> Option<u64> {
        self.results.leaving().and_then(|row| self.results.entries[row])
    }

    /// What the op that leaves the core in this cycle should have shown and does not, by the op trace.
    #[inline(always)]
    pub fn unmet(&self) -> Option<&Unmet> {
        if self.unmet.is_empty() { None } else { self.unmet.get(&self.cycle) }
    }

    /// Writes the row of outputs before the coming edge, and which of its bits are promised.
    #[inline(always)]
    pub fn expected(&self, layout: &Layout, values: &mut [u64], care: &mut [u64]) {
        values.fill(0);
        care.fill(0);
        values[layout.op_ready] = self.is_ready().into();
        if !self.is_reset {
            return;
        }
        care[layout.op_ready] = 1;
        let leaving = self.leaving();
        for (column, at) in layout.shown.iter().zip(self.columns) {
            values[*column] = leaving.values[at];
            care[*column] = leaving.care[at];
        }
    }

    /// The same after [`Predictor::arrange`], at the start of two slices whose first [`SPARE`] words are overwritten.
    #[inline(always)]
    pub fn expected_row(&self, values: &mut [u64], care: &mut [u64]) {
        let leaving = if self.is_reset { self.leaving() } else { &Leaving::NOTHING };
        values[..SPARE].copy_from_slice(&leaving.values[..SPARE]);
        care[..SPARE].copy_from_slice(&leaving.care[..SPARE]);
        values[self.ready] = self.is_ready().into();
        care[self.ready] = self.is_reset.into();
    }

    #[inline(always)]
    fn leaving(&self) -> &Leaving {
        self.results.leaving().map_or(&self.nothing, |row| &self.results.rows[row])
    }

    /// The clock edge.
    #[inline(always)]
    pub fn edge(&mut self, inputs: &Inputs<C::Op>, expectations: &[Expectation]) {
        self.busy = self.busy.saturating_sub(1);
        if inputs.rst {
            self.reset(inputs.seed);
        } else {
            self.fresh = None;
            if self.wait > 0 {
                self.wait -= 1;
            } else {
                self.turn(inputs, expectations);
            }
            self.core.edge(&inputs.op);
        }
        self.results.step();
        self.schedule.step();
        self.cycle += 1;
    }

    /// Something can begin.
    #[inline(always)]
    fn turn(&mut self, inputs: &Inputs<C::Op>, expectations: &[Expectation]) {
        match self.core.turn(inputs.op_valid) {
            Turn::Nothing => {}
            Turn::Op => self.take(inputs, expectations),
            Turn::Visit(connection) => {
                let effect = self.core.visit(connection, &inputs.op);
                let shows = effect.shown.is_some_and(|shown| shows(&shown, &self.always));
                self.begin(connection.into(), effect, shows.then_some(inputs.entry));
            }
        }
    }

    fn reset(&mut self, seed: u16) {
        if self.fresh != Some(seed) {
            self.core.reset(seed);
            self.schedule.reset();
            self.fresh = Some(seed);
        }
        self.results.clear();
        self.unmet.clear();
        self.is_reset = true;
        self.wait = self.reset_cycles;
        self.busy = self.reset_cycles;
        self.taken.reset_edges += 1;
    }

    #[inline(always)]
    fn take(&mut self, inputs: &Inputs<C::Op>, expectations: &[Expectation]) {
        self.taken.ops += 1;
        let effect = self.core.apply(&inputs.op);
        let (until_result, until_free) =
            self.begin(inputs.op.connection() as usize, effect, Some(inputs.entry));
        self.busy = until_result.max(until_free);
        if inputs.expect > 0 {
            self.hold(&expectations[inputs.expect as usize - 1], until_result, effect.shown.as_ref());
        }
    }

    /// Something begins: puts what it shows where it leaves; returns edges until its result and until the next.
    #[inline(always)]
    fn begin(&mut self, connection: usize, effect: Effect<C::Shown>, entry: Option<u64>) -> (u32, u32) {
        let times = self.schedule.take(&self.core.shares(connection), effect.class, &effect.counts);
        self.wait = times.until_free;
        self.taken.waits += u64::from(times.waited);
        if let Some(shown) = effect.shown {
            let row = self.results.enter(times.until_result, entry);
            let Leaving { values, care } = &mut self.results.rows[row];
            shown.each(|place, value, is_promised| {
                let at = self.columns[place].min(MOST_SHOWN - 1);
                values[at] = value;
                care[at] = if is_promised { self.masks[place] } else { 0 };
            });
        }
        (times.until_result, times.until_free)
    }

    /// Holds a result against what its entry expects.
    #[cold]
    fn hold(&mut self, expectation: &Expectation, until_result: u32, shown: Option<&C::Shown>) {
        let found = unmet(C::CONTRACT, &self.fields, expectation, shown);
        if expectation.word.is_some_and(|word| C::CONTRACT.trace.words[word].only_counted) {
            self.taken.named += 1;
            self.taken.as_named += u64::from(found.is_none());
        } else if let Some(found) = found {
            self.unmet.insert(self.cycle + u64::from(until_result), found);
        }
    }
}

/// Whether a port that is promised in every cycle says something.
fn shows(shown: &impl Shown, always: &[u64; MOST_SHOWN]) -> bool {
    let mut shows = false;
    shown.each(|place, value, _| shows |= value & always[place] != 0);
    shows
}
