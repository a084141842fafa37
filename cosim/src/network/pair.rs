//! A core's Verilog and its golden side as one engine that is given ops, compared in every cycle.

use std::error::Error;
use std::fmt;

use crate::lockstep::compare::Difference;
use crate::lockstep::core::{Core, Device, Inputs};
use crate::lockstep::run::{RESET_EDGES, step};

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
pub struct Pair<C: Core, D> {
    core: C,
    device: D,
    inputs: Inputs<C::Op>,
    /// Edges since the reset.
    cycle: u64,
    /// Edges in all.
    cycles: u64,
}

impl<C: Core, D: Device<C>> Pair<C, D> {
    /// Both sides, to be reset before anything else.
    pub fn new(core: C, device: D) -> Self {
        let inputs = Inputs { rst: false, seed: 1, op_valid: false, op: C::Op::default(), entry: 0 };
        Pair { core, device, inputs, cycle: 0, cycles: 0 }
    }

    /// Edges that were compared.
    pub fn cycles(&self) -> u64 {
        self.cycles
    }

    /// What the core counted.
    pub fn counts(&self) -> C::Counts {
        self.core.counts()
    }

    /// Some edges with `rst` high, and with low until the core is ready.
    pub fn reset(&mut self) -> Result<(), Differs> {
        self.cycle = 0;
        self.inputs.op_valid = false;
        self.inputs.rst = true;
        for _ in 0..RESET_EDGES {
            self.edge()?;
        }
        self.inputs.rst = false;
        while !self.core.is_ready() {
            self.edge()?;
        }
        Ok(())
    }

    /// Offers an op until it is taken; `hear` hears every cycle's outputs.
    pub fn op(&mut self, op: C::Op, hear: &mut impl FnMut(&C::Word)) -> Result<(), Differs> {
        self.inputs.op = op;
        self.inputs.op_valid = true;
        loop {
            let taken = self.core.is_ready();
            hear(&self.edge()?);
            if taken {
                self.inputs.op_valid = false;
                self.inputs.entry += 1;
                return Ok(());
            }
        }
    }

    /// An edge without an op, with `op`'s other inputs.
    pub fn idle(&mut self, op: &C::Op, hear: &mut impl FnMut(&C::Word)) -> Result<(), Differs> {
        self.inputs.op = *op;
        hear(&self.edge()?);
        Ok(())
    }

    fn edge(&mut self) -> Result<C::Word, Differs> {
        let mut inputs = self.inputs;
        self.core.scramble(&mut inputs, self.cycle);
        let seen = step(&mut self.core, &mut self.device, &inputs, self.cycle)
            .map_err(|difference| Differs { core: C::NAME, difference })?;
        self.cycle += 1;
        self.cycles += 1;
        Ok(seen)
    }
}
