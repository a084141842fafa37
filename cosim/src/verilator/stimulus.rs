//! Stimulus as a table: the same rows drive a Rust loop and a bare C++ loop over one model.

use rand::rngs::StdRng;
use rand::{RngExt, SeedableRng};

use super::compile::Direction;
use super::design::{Design, PortInfo};
use super::error::ModelError;
use super::model::Model;

/// Values of all inputs but `clk`, cycle by cycle: some rows once, then the others over and over.
#[derive(Clone, Debug)]
pub struct Stimulus {
    /// Inputs in the order of a row, without `clk`.
    pub(super) inputs: Vec<PortInfo>,
    /// Rows that come once.
    pub(super) once: usize,
    /// Rows after each other. An input takes `width.div_ceil(64)` words, least significant first.
    pub(super) words: Vec<u64>,
}

/// A value is at most as wide as its port.
fn mask(width: u32, word: u32) -> u64 {
    u64::MAX >> (64 - (width - 64 * word).min(64))
}

impl Stimulus {
    /// Random values on every input: 4 rows with `rst` high, if there is one, then `rows` with it low, which repeat.
    /// Each of `fixed` keeps its value.
    ///
    /// # Errors
    /// [`ModelError::MissingPort`] if one of `fixed` is no input.
    pub fn random(
        design: &Design,
        rows: usize,
        seed: u64,
        fixed: &[(&str, u64)],
    ) -> Result<Stimulus, ModelError> {
        let is_input = |port: &&PortInfo| port.direction == Direction::Input && port.name != "clk";
        let inputs: Vec<PortInfo> = design.ports().iter().filter(is_input).cloned().collect();
        for (name, _) in fixed {
            design.find(name, Some(Direction::Input))?;
        }
        let mut random = StdRng::seed_from_u64(seed);
        let mut stimulus = Stimulus { inputs: Vec::new(), once: RESET_ROWS, words: Vec::new() };
        for row in 0..RESET_ROWS + rows {
            for port in &inputs {
                let constant = fixed.iter().find(|(name, _)| *name == port.name).map(|(_, value)| *value);
                for word in 0..port.width.div_ceil(64) {
                    let value = match (port.name.as_str(), constant) {
                        ("rst", _) => u64::from(row < RESET_ROWS),
                        (_, Some(constant)) if word == 0 => constant,
                        (_, Some(_)) => 0,
                        _ => random.random(),
                    };
                    stimulus.words.push(value & mask(port.width, word));
                }
            }
        }
        stimulus.inputs = inputs;
        Ok(stimulus)
    }

    /// An op at 7 of 8 edges for the core `reps`: every second one a send, one ACK in 16 marked, one op in 64 a timeout.
    ///
    /// # Errors
    /// [`ModelError::MissingPort`] if the design lacks one of the ports.
    pub fn reps(design: &Design, rows: usize, seed: u64) -> Result<Stimulus, ModelError> {
        let fixed = [("freeze_timeout", 1000), ("bdp_packets", 16), ("seed", 0x5eed)];
        let mut stimulus = Stimulus::random(design, rows, seed, &fixed)?;
        let mut random = StdRng::seed_from_u64(!seed);
        let column = |name| match stimulus.column(name) {
            Some(column) => Ok(column),
            None => design.find(name, Some(Direction::Input)), // it is the one that says what is missing
        };
        let (valid, kind, ecn, now) =
            (column("op_valid")?, column("op_kind")?, column("op_ecn")?, column("now")?);
        let row_words = stimulus.row_words();
        for (cycle, row) in stimulus.words.chunks_exact_mut(row_words).enumerate() {
            row[valid] = u64::from(random.random_ratio(7, 8));
            row[kind] = match random.random_range(0..64u32) {
                0 => 3,
                1 => 2,
                2..=33 => 0,
                _ => 1,
            };
            row[ecn] = u64::from(random.random_ratio(1, 16));
            row[now] = cycle as u64 & 0xffff;
        }
        Ok(stimulus)
    }

    /// Rows as they were driven, the first `once` of which come once; inputs that a row does not name are 0 in it.
    ///
    /// # Errors
    /// [`ModelError::MissingPort`] if a row names something that is no input.
    pub fn recorded<'a, Row: IntoIterator<Item = (&'a str, u64)>>(
        design: &Design,
        once: usize,
        rows: impl IntoIterator<Item = Row>,
    ) -> Result<Stimulus, ModelError> {
        let is_input = |port: &&PortInfo| port.direction == Direction::Input && port.name != "clk";
        let inputs = design.ports().iter().filter(is_input).cloned().collect();
        let mut stimulus = Stimulus { inputs, once, words: Vec::new() };
        let row_words = stimulus.row_words();
        for row in rows {
            let start = stimulus.words.len();
            stimulus.words.resize(start + row_words, 0);
            for (name, value) in row {
                let port = design.find(name, Some(Direction::Input))?;
                if let Some(column) = stimulus.column(name) {
                    stimulus.words[start + column] = value & mask(design.ports()[port].width, 0);
                }
            }
        }
        Ok(stimulus)
    }

    /// Rows as [`Model::cycle`] takes them, the first `once` of which come once.
    ///
    /// # Panics
    /// If `words` are no whole number of rows.
    pub fn of_rows(design: &Design, once: usize, words: Vec<u64>) -> Stimulus {
        let is_input = |port: &&PortInfo| port.direction == Direction::Input && port.name != "clk";
        let inputs = design.ports().iter().filter(is_input).cloned().collect();
        let stimulus = Stimulus { inputs, once, words };
        assert_eq!(stimulus.words.len() % stimulus.row_words(), 0, "the rows are whole");
        stimulus
    }

    /// Words of one row.
    pub(super) fn row_words(&self) -> usize {
        self.inputs.iter().map(|port| port.width.div_ceil(64) as usize).sum()
    }

    /// Index of an input's first word in a row, if it has that input.
    pub(super) fn column(&self, name: &str) -> Option<usize> {
        let before = self.inputs.iter().position(|port| port.name == name)?;
        Some(self.inputs[..before].iter().map(|port| port.width.div_ceil(64) as usize).sum())
    }

    /// Drives `model` with it for `cycles` and returns a checksum over all words of all outputs in each.
    ///
    /// # Errors
    /// [`ModelError::MissingPort`] or [`ModelError::Width`] if the model is of a design with other inputs.
    pub fn run(&self, model: &mut Model, cycles: u64) -> Result<u64, ModelError> {
        for port in &self.inputs {
            model.input(&port.name, port.width)?;
        }
        let mut outputs = vec![0; model.design().row_words().1];
        let row_words = self.row_words();
        let repeated = self.once * row_words;
        let mut checksum = 0u64;
        let mut at = 0;
        for _ in 0..cycles {
            model.cycle(&self.words[at..at + row_words], &mut outputs);
            for &word in &outputs {
                checksum = checksum.rotate_left(1) ^ word;
            }
            at += row_words;
            if at == self.words.len() {
                at = repeated;
            }
        }
        Ok(checksum)
    }
}

/// Rows with `rst` high at the start.
const RESET_ROWS: usize = 4;
