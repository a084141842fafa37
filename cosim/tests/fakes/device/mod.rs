//! Devices without Verilog, made of a function from what stands at the inputs to what the outputs show.

pub mod sack_tx;
pub mod selector;

use respray_cosim::lockstep::op_core::{Inputs, OpCore};
use respray_cosim::lockstep::rows::{Device, Layout};
use respray_hdl::config::Config;
use respray_hdl::contract::{Contract, Field, Shown, Words};

/// A device with the ports of a core and whatever behaviour `step` has: it is given the inputs of a cycle, and returns
/// `op_ready` and the other outputs before the clock edge. Fields that are `None` show something that changes with the cycle.
pub struct Fake<C: OpCore, F> {
    step: F,
    layout: Layout,
    /// Largest value of each output that `C::Shown` has.
    last: Vec<u64>,
    cycle: u64,
    flip: Option<Flip>,
    /// The cycle before which the device stops for good.
    stop: Option<u64>,
    op: std::marker::PhantomData<fn(C::Op)>,
}

/// One bit of one output is wrong in one cycle.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Flip {
    pub cycle: u64,
    /// The port's place in a row of outputs: 0 is `op_ready`, and the others follow in the order of the contract.
    pub place: usize,
    pub bit: u32,
}

impl<C: OpCore, F: FnMut(&Inputs<C::Op>) -> (bool, C::Shown)> Fake<C, F> {
    pub fn new(config: &Config, step: F) -> Self {
        Fake {
            step,
            layout: Layout::plain(C::CONTRACT, config),
            last: C::CONTRACT.shown_fields().map(|field| field.last(config)).collect(),
            cycle: 0,
            flip: None,
            stop: None,
            op: std::marker::PhantomData,
        }
    }

    /// With a wrong bit.
    pub fn with_flip(self, flip: Option<Flip>) -> Self {
        Fake { flip, ..self }
    }

    /// Which stops for good after so many cycles.
    pub fn stopping_after(self, cycles: u64) -> Self {
        Fake { stop: Some(cycles), ..self }
    }

    fn cycle(&mut self, row: &[u64], seen: &mut [u64]) {
        let mut op = C::Op::default();
        self.layout.op.iter().enumerate().for_each(|(place, column)| op.set(place, row[*column]));
        let seed = self.layout.seed.map_or(0, |column| row[column] as u16);
        let (rst, op_valid) = (row[self.layout.rst] != 0, row[self.layout.op_valid] != 0);
        let (is_ready, shown) = (self.step)(&Inputs { rst, seed, op_valid, op, entry: 0, expect: 0 });
        seen[self.layout.op_ready] = is_ready.into();
        let garbage = (self.cycle + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        shown.each(|place, value, is_given| {
            if let Some(column) = self.layout.shown.get(place) {
                let value = if is_given { value } else { garbage.rotate_left(7 * place as u32) };
                seen[*column] = value & self.last[place];
            }
        });
        if let Some(Flip { place, bit, .. }) = self.flip.filter(|flip| flip.cycle == self.cycle) {
            seen[place] ^= 1 << bit;
        }
        self.cycle += 1;
    }
}

impl<C: OpCore, F: FnMut(&Inputs<C::Op>) -> (bool, C::Shown)> Device for Fake<C, F> {
    fn layout(&self) -> &Layout {
        &self.layout
    }

    fn cycles(&mut self, inputs: &[u64], outputs: &mut [u64]) -> usize {
        let words = self.layout.words;
        let rows = inputs.chunks_exact(words.0).zip(outputs.chunks_exact_mut(words.1));
        let mut done = 0;
        for (row, seen) in rows {
            if self.stop.is_some_and(|stop| stop == self.cycle) {
                break;
            }
            self.cycle(row, seen);
            done += 1;
        }
        done
    }
}

/// The output ports of a core and their widths, by their place in a row of outputs.
pub fn outputs(contract: &Contract, config: &Config) -> Vec<(&'static str, u32)> {
    let port = |field: &'static Field| (field.port, field.width.bits(config));
    std::iter::once(("op_ready", 1)).chain(contract.shown_in(config).map(port)).collect()
}

/// Place of an output port in a row of outputs.
pub fn place(contract: &Contract, port: &str) -> usize {
    1 + contract.shown_fields().position(|field| field.port == port).expect("a port of the contract")
}
