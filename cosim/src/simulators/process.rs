//! A simulation as a process: rows of inputs go in as text, and rows of outputs come out.
//!
//! A line in is a digit, 1 where all outputs so far are wanted at once, and the words of the inputs in hexadecimal, in their order, with
//! spaces between. A line out is the words of the outputs in binary before the clock edge of that line. An unknown digit is `x` or `z`.

use std::fmt::Write as _;
use std::io::{BufRead, BufReader, Write};
use std::path::PathBuf;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::thread;

use super::SimulatorError;

/// What a pipe takes although nobody reads it.
const PIPE_BYTES: usize = 4096;

/// A simulator with the Verilog of a core, ready to be started.
#[derive(Clone, Debug)]
pub struct Program {
    pub(super) simulator: &'static str,
    /// Name and version of the simulator.
    pub(super) version: String,
    /// Words of a row of inputs, and of a row of outputs.
    pub(super) words: (usize, usize),
    pub(super) command: PathBuf,
    pub(super) arguments: Vec<String>,
}

impl Program {
    /// Name and version of the simulator.
    pub fn version(&self) -> &str {
        &self.version
    }

    /// Starts it. Unknown bits of outputs are taken for `unknown`.
    ///
    /// # Errors
    /// If it cannot be started.
    pub fn start(&self, unknown: bool) -> Result<Process, SimulatorError> {
        let mut command = Command::new(&self.command);
        command.args(&self.arguments).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::inherit());
        let mut child =
            command.spawn().map_err(|source| SimulatorError::Io { path: self.command.clone(), source })?;
        let input = child.stdin.take().expect("it is piped");
        let output = BufReader::new(child.stdout.take().expect("it is piped"));
        let Program { simulator, words, .. } = *self;
        Ok(Process { simulator, words, child, input: Some(input), output, unknown, cycles: 0, ended: None })
    }
}

/// A running simulation.
pub struct Process {
    simulator: &'static str,
    words: (usize, usize),
    child: Child,
    input: Option<ChildStdin>,
    output: BufReader<ChildStdout>,
    unknown: bool,
    cycles: u64,
    ended: Option<String>,
}

impl Process {
    /// Gives it rows of inputs, and takes as many rows of outputs. Returns how many it took: fewer than there are if the simulation has
    /// ended.
    pub fn cycles(&mut self, inputs: &[u64], outputs: &mut [u64]) -> usize {
        let words = self.words;
        let Some(input) = &mut self.input else { return 0 };
        let rows = inputs.len() / words.0;
        let reader = &mut self.output;
        let unknown = self.unknown;
        // that it has ended is seen from what it gives
        let mut write = move |text: &str| input.write_all(text.as_bytes()).and_then(|()| input.flush()).ok();
        let outputs = &mut outputs[..rows * words.1];
        let mut text = String::new();
        for (number, row) in inputs.chunks_exact(words.0).enumerate() {
            text.push(if number + 1 == rows { '1' } else { '0' });
            row.iter().for_each(|word| {
                let _ = write!(text, " {word:x}");
            });
            text.push('\n');
        }
        let (taken, reason) = if text.len() <= PIPE_BYTES {
            write(&text);
            read_rows(reader, words.1, unknown, outputs)
        } else {
            // it may wait until its outputs are read before it reads more inputs
            thread::scope(|scope| {
                let writer = scope.spawn(move || write(&text));
                let read = read_rows(reader, words.1, unknown, outputs);
                if read.0 < rows {
                    // what it still has to say would keep the writer waiting
                    let _ = std::io::copy(reader, &mut std::io::sink());
                }
                writer.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic));
                read
            })
        };
        self.cycles += taken as u64;
        if taken < rows {
            self.input = None;
            self.ended = Some(reason);
        }
        taken
    }

    /// Why it ended, if it did before its stimulus.
    pub fn ended(&self) -> Option<SimulatorError> {
        let reason = self.ended.clone()?;
        Some(SimulatorError::Ended { simulator: self.simulator, cycles: self.cycles, reason })
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        // it ends by itself where its input does; one that hangs is not waited for
        self.input = None;
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Reads rows up to the last one that is whole: how many, and what stands in place of the next.
fn read_rows(reader: &mut impl BufRead, words: usize, unknown: bool, outputs: &mut [u64]) -> (usize, String) {
    let mut line = String::new();
    for (number, row) in outputs.chunks_exact_mut(words).enumerate() {
        line.clear();
        if !matches!(reader.read_line(&mut line), Ok(length) if length > 0) {
            return (number, "its output ends".to_string());
        }
        let mut values = line.split_whitespace().map(|digits| value(digits, unknown));
        for word in row.iter_mut() {
            match values.next().flatten() {
                Some(value) => *word = value,
                None => return (number, format!("it gave `{}`", line.trim())),
            }
        }
    }
    (outputs.len() / words, String::new())
}

/// A number in binary.
fn value(digits: &str, unknown: bool) -> Option<u64> {
    digits.chars().try_fold(0u64, |value, digit| {
        let bit = match digit {
            '0' => false,
            '1' => true,
            'x' | 'X' | 'z' | 'Z' => unknown,
            _ => return None,
        };
        Some(value << 1 | u64::from(bit))
    })
}
