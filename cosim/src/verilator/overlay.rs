//! What a run adds to the waves of its model, such as what each output had to show.

use super::compile::CYCLE_NS;

/// Signals in a scope of their own beside the Verilog's, and their values.
#[derive(Clone, Debug, Default)]
pub struct Overlay {
    pub signals: Vec<Added>,
    /// In the order of their cycles.
    pub rows: Vec<Row>,
}

/// A signal that is added.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Added {
    pub name: String,
    /// Bits, at least 1.
    pub width: u32,
    /// The port of the top module that stands before it in the scope once more, to be seen side by side.
    pub beside: Option<String>,
}

/// The values of all added signals in one cycle.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Row {
    pub cycle: u64,
    /// Of each signal a digit for each bit, `0`, `1` or `x`, the highest first.
    pub values: Vec<Vec<u8>>,
}

/// Name of the scope.
pub(super) const SCOPE: &str = "lockstep";

impl Added {
    /// Under the name that Verilator would give it, which ends with the range of a vector.
    pub(super) fn declared(&self) -> String {
        match self.width {
            1 => self.name.clone(),
            width => format!("{} [{}:0]", self.name, width - 1),
        }
    }
}

impl Row {
    /// From when on they are shown: the rising edge before that of their cycle, with which registers take the values that the
    /// cycle shows.
    pub(super) fn time_ns(&self) -> u64 {
        (self.cycle * CYCLE_NS).saturating_sub(CYCLE_NS / 2)
    }
}

/// The low `width` bits of a word as digits; those without a bit in `care` are `x`.
pub fn digits(value: u64, care: u64, width: u32) -> Vec<u8> {
    let digit = |bit: u32| match (care >> bit & 1, value >> bit & 1) {
        (0, _) => b'x',
        (_, 0) => b'0',
        _ => b'1',
    };
    (0..width).rev().map(digit).collect()
}
