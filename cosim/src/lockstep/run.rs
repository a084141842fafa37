//! The loop: stimulus into device and golden side, outputs compared, until the first difference.

use super::compare::{Difference, compare};
use super::core::{Core, Device, Entry, Event, Inputs, Op};

/// Clock edges with `rst` high with which every run begins.
pub const RESET_EDGES: u64 = 2;

/// Cycles between two calls of a run's progress callback.
pub const PROGRESS_CYCLES: u64 = 1 << 18;

/// Clock edges that a run goes on when nothing is left in the core, to catch outputs that nobody asked for.
const EDGES_AFTER_END: u32 = 8;

/// What a run came to.
#[derive(Clone, Debug)]
pub struct Run<Counts> {
    /// Clock edges in all, the run's own reset included.
    pub cycles: u64,
    /// Entries of the stimulus that were begun, the one on offer at the end included.
    pub entries: u64,
    /// What the core counted.
    pub counts: Counts,
    /// The first difference, at which the run stopped.
    pub difference: Option<Difference>,
}

/// Turns entries into what the input ports carry at each edge.
struct Driver<O, S> {
    stimulus: S,
    inputs: Inputs<O>,
    idle: u32,
    /// The current entry is a reset, with this seed.
    reset: Option<u16>,
    /// Entries begun.
    entries: u64,
    /// The stimulus has ended.
    ended: bool,
}

impl<O: Op, S: Iterator<Item = Entry<O>>> Driver<O, S> {
    /// Begins with `rst` high; [`Driver::next_entry`] ends it. An op is offered at every edge with `rst` high: a core
    /// must not take it.
    fn new(stimulus: S, seed: u16) -> Self {
        let inputs = Inputs { rst: true, seed, op_valid: true, op: O::default(), entry: 0 };
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

    /// After a clock edge; `ready`: the core took an op, if one was offered.
    #[inline(always)]
    fn edge(&mut self, ready: bool) {
        if self.idle > 0 {
            self.idle -= 1;
            if self.idle == 0 {
                self.begin();
            }
        } else if !self.ended && (self.inputs.rst || ready) {
            self.next_entry();
        }
    }
}

/// One cycle of both, up to and with its clock edge, unless they differ; returns the outputs.
#[inline(always)]
pub fn step<C: Core, D: Device<C>>(
    core: &mut C,
    device: &mut D,
    inputs: &Inputs<C::Op>,
    cycle: u64,
) -> Result<C::Word, Box<Difference>> {
    let seen = device.cycle(inputs);
    match compare(core, &seen, cycle) {
        Some(difference) => Err(difference),
        None => {
            core.edge(inputs);
            Ok(seen)
        }
    }
}

/// Runs `device` against `core` until the stimulus has ended and the core is empty, `cycles` edges have passed, or they
/// differ. `progress` hears the number of cycles now and then.
pub fn run<C: Core, D: Device<C>>(
    core: &mut C,
    device: &mut D,
    stimulus: impl Iterator<Item = Entry<C::Op>>,
    seed: u16,
    cycles: u64,
    progress: &mut dyn FnMut(u64),
) -> Run<C::Counts> {
    let mut driver = Driver::new(stimulus, seed);
    let mut cycle = 0;
    let mut after_end = 0;
    let mut difference = None;
    'run: while cycle < cycles {
        let pause = cycles.min(cycle + PROGRESS_CYCLES);
        while cycle < pause {
            let ready = core.is_ready();
            let stepped = if C::SCRAMBLES {
                let mut inputs = driver.inputs;
                core.scramble(&mut inputs, cycle);
                step(core, device, &inputs, cycle)
            } else {
                step(core, device, &driver.inputs, cycle)
            };
            if let Err(found) = stepped {
                difference = Some(found);
                break 'run;
            }
            cycle += 1;
            if cycle >= RESET_EDGES {
                driver.edge(ready);
            }
            if driver.ended && !core.is_busy() {
                if after_end == EDGES_AFTER_END {
                    break 'run;
                }
                after_end += 1;
            }
        }
        progress(cycle);
    }
    let difference = difference.map(|difference| *difference);
    Run { cycles: cycle, entries: driver.entries, counts: core.counts(), difference }
}
