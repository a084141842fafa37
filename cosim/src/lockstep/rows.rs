//! The ports of a core as rows of words, one row a cycle, and what runs on them.

use respray_hdl::config::Config;
use respray_hdl::contract::Contract;

/// Where each port of a core stands in a row of all inputs, or of all outputs. A port takes one word of 64 bits.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Layout {
    /// Words of a row of inputs, and of outputs.
    pub words: (usize, usize),
    pub rst: usize,
    pub op_valid: usize,
    pub seed: Option<usize>,
    /// Ports of the op and of the settings, in the order of the contract.
    pub op: Vec<usize>,
    pub op_ready: usize,
    /// What the outputs show, in the order of the contract, as far as the configuration has it.
    pub shown: Vec<usize>,
}

impl Layout {
    /// The ports that a configuration has in the order of the contract, without gaps.
    pub fn plain(contract: &Contract, config: &Config) -> Layout {
        let (ops, shown) = (contract.op_fields().count(), contract.shown_in(config).count());
        let seed = contract.seed.map(|_| 2 + ops);
        Layout {
            words: (2 + ops + usize::from(seed.is_some()), 1 + shown),
            rst: 0,
            op_valid: 1,
            seed,
            op: (2..2 + ops).collect(),
            op_ready: 0,
            shown: (1..1 + shown).collect(),
        }
    }
}

/// The columns of fields by their places, for rows of less than `N` words, of which the last column is that of a field that
/// a core does not have. `None` if the rows are longer.
pub fn columns<const N: usize>(fields: &[usize], words: usize) -> Option<[usize; N]> {
    const { assert!(N.is_power_of_two()) };
    if words >= N {
        return None;
    }
    Some(std::array::from_fn(|place| fields.get(place).copied().unwrap_or(N - 1)))
}

/// Something with a core's ports and a clock: a Verilated model, the simulation of rust-hdl, or a fake in a test.
pub trait Device {
    /// Where its ports stand in rows.
    fn layout(&self) -> &Layout;

    /// Runs a cycle for each row of `inputs`: drives every input, lets the logic settle, samples every output into the row
    /// of `outputs`, then gives one clock edge. Returns for how many rows it did: fewer than there are if it stopped for good.
    fn cycles(&mut self, inputs: &[u64], outputs: &mut [u64]) -> usize;
}

impl<D: Device + ?Sized> Device for Box<D> {
    fn layout(&self) -> &Layout {
        self.as_ref().layout()
    }

    fn cycles(&mut self, inputs: &[u64], outputs: &mut [u64]) -> usize {
        self.as_mut().cycles(inputs, outputs)
    }
}

/// Words behind the last row of a block: a row may be written further than it reaches, before the one behind it.
pub const SPARE: usize = 16;

/// Rows of some cycles: what the inputs carry, and what the outputs must show. Behind the last row there are [`SPARE`] words.
#[derive(Clone, Debug, Default)]
pub struct Block {
    pub cycles: usize,
    pub inputs: Vec<u64>,
    pub expected: Vec<u64>,
    /// Bits of `expected` that are promised.
    pub care: Vec<u64>,
}

impl Block {
    /// Room for so many cycles, none of which is filled.
    pub fn new(layout: &Layout, cycles: usize) -> Block {
        let (inputs, outputs) = layout.words;
        let words = |words| vec![0; words * cycles + SPARE];
        Block { cycles: 0, inputs: words(inputs), expected: words(outputs), care: words(outputs) }
    }

    /// The first of `cycles` rows of outputs that is not as it must be.
    pub fn first_difference(&self, outputs: &[u64], words: usize, cycles: usize) -> Option<usize> {
        let end = words * cycles;
        let rows = || outputs[..end].iter().zip(&self.expected[..end]).zip(&self.care[..end]);
        let difference = rows().fold(0, |all, ((seen, expected), care)| all | (seen ^ expected) & care);
        if difference == 0 {
            return None;
        }
        rows().position(|((seen, expected), care)| (seen ^ expected) & care != 0).map(|word| word / words)
    }
}
