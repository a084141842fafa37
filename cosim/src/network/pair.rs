//! A core's Verilog and its golden side as one engine that is given ops, compared in every cycle.

use std::error::Error;
use std::fmt;

use respray_hdl::config::Config;
use respray_hdl::contract::Shown as _;
use respray_hdl::manifest::Manifest;

use crate::lockstep::compare::{Difference, difference};
use crate::lockstep::op_core::{Inputs, OpCore};
use crate::lockstep::predict::Predictor;
use crate::lockstep::produce::{RESET_EDGES, drive};
use crate::lockstep::rows::{Block, Device};
use crate::lockstep::unseen::Unseen;
use crate::traffic::stimulus::{Entry, Event};

/// The Verilog of a core is not what its golden side says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Differs {
    pub core: &'static str,
    pub difference: Box<Difference>,
}

impl fmt::Display for Differs {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.core, self.difference)
    }
}

impl Error for Differs {}

/// Model and golden side of a core in lockstep.
pub struct Pair<C: OpCore, D> {
    predictor: Predictor<C>,
    device: D,
    config: Config,
    inputs: Inputs<C::Op>,
    /// Rows of the coming cycle.
    block: Block,
    outputs: Vec<u64>,
    unseen: Unseen,
    /// Edges in all.
    cycles: u64,
    kept: Option<Kept<C::Op>>,
}

/// Value of the port `seed`, and of the noise.
const SEED: u16 = 1;
/// Most ops that are kept of a network, some hundred bytes each.
const MOST_KEPT: usize = 1 << 20;

/// What the engine was given since its reset.
struct Kept<O> {
    entries: Vec<Entry<O>>,
    /// Edges without an op since the last one.
    idle: u32,
}

impl<O: Copy> Kept<O> {
    fn add(&mut self, op: O) {
        self.entries.push(Entry { idle: std::mem::take(&mut self.idle), event: Event::Op(op), expect: 0 });
    }
}

impl<C: OpCore, D: Device> Pair<C, D> {
    /// Both sides, to be reset before anything else.
    pub fn new(manifest: &Manifest, device: D) -> Self {
        let layout = device.layout();
        Pair {
            predictor: Predictor::new(manifest),
            config: manifest.config.clone(),
            inputs: Inputs {
                rst: false,
                seed: SEED,
                op_valid: false,
                op: C::Op::default(),
                entry: 0,
                expect: 0,
            },
            block: Block::new(layout, 1),
            outputs: vec![0; layout.words.1],
            kept: None,
            unseen: Unseen::new(C::CONTRACT, layout, &manifest.config, SEED),
            cycles: 0,
            device,
        }
    }

    /// Keeps from the next reset on what the engine is given.
    pub fn keep(&mut self) {
        self.kept = Some(Kept { entries: Vec::new(), idle: 0 });
    }

    /// What was kept since the last reset, as entries of an op trace: the edges at the end are those before an op that is not
    /// taken any more. `None`: nothing, or more than there is room for.
    pub fn kept(&mut self) -> Option<Vec<Entry<C::Op>>> {
        let mut kept = self.kept.take()?;
        if kept.idle > 0 {
            kept.add(self.inputs.op);
        }
        Some(kept.entries)
    }

    /// Edges that were compared.
    pub fn cycles(&self) -> u64 {
        self.cycles
    }

    /// Some edges with `rst` high, and with low until the core is ready.
    pub fn reset(&mut self) -> Result<(), Differs> {
        if self.kept.is_some() {
            self.keep();
        }
        self.inputs.op_valid = false;
        self.inputs.rst = true;
        for _ in 0..RESET_EDGES {
            self.edge()?;
        }
        self.inputs.rst = false;
        while !self.predictor.is_ready() {
            self.edge()?;
        }
        Ok(())
    }

    /// Offers an op until it is taken; `hear` hears what every cycle's outputs show.
    pub fn op(&mut self, op: C::Op, hear: &mut impl FnMut(&C::Shown)) -> Result<(), Differs> {
        self.inputs.op = op;
        self.inputs.op_valid = true;
        self.kept.iter_mut().for_each(|kept| kept.add(op));
        self.kept.take_if(|kept| kept.entries.len() > MOST_KEPT);
        loop {
            let taken = self.predictor.is_ready();
            hear(&self.edge()?);
            if taken {
                self.inputs.op_valid = false;
                self.inputs.entry += 1;
                return Ok(());
            }
        }
    }

    /// An edge without an op, with `op`'s other inputs.
    pub fn idle(&mut self, op: &C::Op, hear: &mut impl FnMut(&C::Shown)) -> Result<(), Differs> {
        self.inputs.op = *op;
        self.kept.iter_mut().for_each(|kept| kept.idle += 1);
        hear(&self.edge()?);
        Ok(())
    }

    fn edge(&mut self) -> Result<C::Shown, Differs> {
        let layout = self.device.layout();
        let (input_words, output_words) = layout.words;
        let inputs = &mut self.block.inputs[..input_words];
        let (expected, care) =
            (&mut self.block.expected[..output_words], &mut self.block.care[..output_words]);
        drive(&self.inputs, layout, inputs);
        if let Some(seen) = self.predictor.seen(&self.inputs) {
            self.unseen.stir(inputs, self.predictor.cycle(), seen);
        }
        self.predictor.expected(layout, expected, care);
        self.device.cycles(inputs, &mut self.outputs);
        let layout = self.device.layout();
        if self.block.first_difference(&self.outputs, layout.words.1, 1).is_some() {
            let difference = difference(&self.predictor, layout, &self.config, &self.outputs);
            return Err(Differs { core: C::CONTRACT.core, difference: Box::new(difference) });
        }
        let shown = layout.shown.iter();
        let words: Vec<u64> = shown.map(|column| self.outputs[*column]).collect();
        self.predictor.edge(&self.inputs, &[]);
        self.cycles += 1;
        Ok(C::Shown::seen(|place| words.get(place).copied().unwrap_or(0)))
    }
}
