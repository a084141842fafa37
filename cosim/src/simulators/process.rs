//! A simulation as a process: rows of inputs go in as text, and rows of outputs come out.
//!
//! A line in is a digit, 1 where all outputs so far are wanted at once, and the words of the inputs in hexadecimal, in their order, with
//! spaces between. A line out is the words of the outputs in binary before the clock edge of that line. An unknown digit is `x` or `z`.

use std::fmt::Write as _;
use std::io::{self, BufRead, BufReader, Write};
use std::path::PathBuf;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::thread;

use super::SimulatorError;
use super::kept::{Keeper, Kept, Seen};

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
    /// What an unknown bit is taken for, one run after the other. At least one value.
    pub(super) unknown_bits: &'static [bool],
}

/// What a run comes to, and its simulations where an unknown bit of their outputs was looked at.
type Ran<T, const N: usize> = (T, Option<[Process; N]>);

impl Program {
    /// Name and version of the simulator.
    pub fn version(&self) -> &str {
        &self.version
    }

    /// Runs a simulation once for each value that an unknown bit of its outputs may have: where the core promises a bit, one of both is
    /// wrong. Each run gives its simulation back if nothing differed in it; one that keeps it is the last. What the last one came to is
    /// returned.
    ///
    /// # Errors
    /// Those of [`Program::start`] and of `run`.
    pub fn run_each<T, E: From<SimulatorError>>(
        &self,
        mut run: impl FnMut(Process) -> Result<(T, Option<Process>), E>,
    ) -> Result<T, E> {
        self.run_each_of(&mut |[process]| {
            run(process).map(|(result, before)| (result, before.map(|process| [process])))
        })
    }

    /// The same of several simulations that run together.
    ///
    /// # Errors
    /// The same.
    pub fn run_each_of<T, E: From<SimulatorError>, const N: usize>(
        &self,
        run: &mut dyn FnMut([Process; N]) -> Result<Ran<T, N>, E>,
    ) -> Result<T, E> {
        let start = |unknown, before: [Option<Process>; N]| {
            let started: Result<Vec<Process>, SimulatorError> =
                before.into_iter().map(|before| self.start(unknown, before)).collect();
            started.map(|started| started.try_into().ok().expect("one of each"))
        };
        let (first, others) = self.unknown_bits.split_first().expect("an unknown bit has a value");
        let (mut result, mut before) = run(start(*first, std::array::from_fn(|_| None))?)?;
        for unknown in others {
            let Some(processes) = before else { break };
            (result, before) = run(start(*unknown, processes.map(Some))?)?;
        }
        Ok(result)
    }

    /// A simulation from its first cycle on, in which unknown bits of outputs are taken for `unknown`. Of one that ran `before` it has
    /// the outputs for as long as it is given the same inputs, so that the program runs from there on alone.
    ///
    /// # Errors
    /// If it cannot be started, or if the folder of temporary files has no room for its rows.
    fn start(&self, unknown: bool, before: Option<Process>) -> Result<Process, SimulatorError> {
        let rows = match before.map(|process| process.rows) {
            Some(Rows::Given(_, Some(keeper))) => Rows::Kept(keeper.finish(self.words).map_err(of_rows)?),
            _ => {
                let is_run_again = self.unknown_bits.len() > 1;
                let keeper = is_run_again.then(Keeper::new).transpose().map_err(of_rows)?;
                Rows::Given(Running::start(self)?, keeper)
            }
        };
        Ok(Process { program: self.clone(), rows, unknown, ended: None })
    }
}

/// A simulation.
pub struct Process {
    program: Program,
    rows: Rows,
    unknown: bool,
    ended: Option<SimulatorError>,
}

/// Where rows of outputs come from.
enum Rows {
    /// The program, and what keeps its rows if they are needed once more.
    Given(Running, Option<Keeper>),
    /// A simulation of before.
    Kept(Kept),
}

impl Process {
    /// Gives it rows of inputs, and takes as many rows of outputs. Returns how many it took: fewer than there are if the simulation has
    /// ended.
    pub fn cycles(&mut self, inputs: &[u64], outputs: &mut [u64]) -> usize {
        if self.ended.is_some() {
            return 0;
        }
        let unknown = self.unknown;
        let mut places = outputs.chunks_exact_mut(self.program.words.1);
        let mut taken = 0;
        let result = self.give(inputs, &mut |seen| {
            let place = places.next().expect("there is room for each row of outputs");
            place.iter_mut().zip(seen.taken(unknown)).for_each(|(to, word)| *to = word);
            taken += 1;
        });
        self.ended = result.err();
        taken
    }

    /// The simulation, if it did not end before its stimulus.
    ///
    /// # Errors
    /// Why it ended.
    pub fn whole(self) -> Result<Process, SimulatorError> {
        match self.ended {
            Some(error) => Err(error),
            None => Ok(self),
        }
    }

    /// Gives it rows of inputs, and shows each row of outputs.
    fn give(&mut self, inputs: &[u64], show: &mut dyn FnMut(&Seen)) -> Result<(), SimulatorError> {
        let mut rows = inputs.chunks_exact(self.program.words.0).peekable();
        if let Rows::Kept(kept) = &mut self.rows {
            while let Some(row) = rows.peek() {
                let Some(seen) = kept.next(row).map_err(of_rows)? else { break };
                show(seen);
                rows.next();
            }
            if rows.peek().is_none() {
                return Ok(());
            }
            self.rows = Rows::Given(caught_up(&self.program, kept)?, None);
        }
        let Rows::Given(running, keeper) = &mut self.rows else { unreachable!("the program runs") };
        running.give(rows, &mut |row, seen| {
            show(seen);
            keeper.as_mut().map_or(Ok(()), |keeper| keeper.keep(row, seen))
        })
    }
}

/// The program behind the cycles that were read of a simulation of before.
fn caught_up(program: &Program, kept: &mut Kept) -> Result<Running, SimulatorError> {
    let mut running = Running::start(program)?;
    for row in kept.inputs().map_err(of_rows)? {
        running.give([&row.map_err(of_rows)?[..]].into_iter(), &mut |_, _| Ok(()))?;
    }
    Ok(running)
}

/// Why rows cannot be kept, or be read again.
fn of_rows(source: io::Error) -> SimulatorError {
    SimulatorError::Rows { folder: std::env::temp_dir(), source }
}

/// The program while it runs.
struct Running {
    child: Child,
    input: Option<ChildStdin>,
    outputs: Outputs,
}

/// What the program gives.
struct Outputs {
    simulator: &'static str,
    reader: BufReader<ChildStdout>,
    /// Cycles so far.
    cycles: u64,
    /// The last row.
    seen: Seen,
}

impl Running {
    fn start(program: &Program) -> Result<Running, SimulatorError> {
        let mut command = Command::new(&program.command);
        command
            .args(&program.arguments)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::inherit());
        let mut child =
            command.spawn().map_err(|source| SimulatorError::Io { path: program.command.clone(), source })?;
        let input = child.stdin.take();
        let reader = BufReader::new(child.stdout.take().expect("it is piped"));
        let seen = Seen::new(program.words.1);
        Ok(Running {
            child,
            input,
            outputs: Outputs { simulator: program.simulator, reader, cycles: 0, seen },
        })
    }

    /// Gives it rows of inputs, and shows each with its row of outputs.
    fn give<'a>(
        &mut self,
        rows: impl Iterator<Item = &'a [u64]> + Clone,
        show: &mut dyn FnMut(&[u64], &Seen) -> io::Result<()>,
    ) -> Result<(), SimulatorError> {
        let Running { child, input, outputs } = self;
        let input = input.as_mut().expect("it is closed at the end alone");
        // that it has ended is seen from what it gives
        let mut write = move |text: &str| input.write_all(text.as_bytes()).and_then(|()| input.flush()).ok();
        let text = lines(rows.clone());
        if text.len() <= PIPE_BYTES {
            write(&text);
            return outputs.read(rows, show);
        }
        // it may wait until its outputs are read before it reads more inputs
        thread::scope(|scope| {
            let writer = scope.spawn(move || write(&text));
            let read = outputs.read(rows, show);
            if read.is_err() {
                // it would keep the writer waiting
                let _ = child.kill();
            }
            writer.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic));
            read
        })
    }
}

impl Outputs {
    /// Reads a row for each row of inputs, and shows both.
    fn read<'a>(
        &mut self,
        rows: impl Iterator<Item = &'a [u64]>,
        show: &mut dyn FnMut(&[u64], &Seen) -> io::Result<()>,
    ) -> Result<(), SimulatorError> {
        let Outputs { simulator, reader, cycles, seen } = self;
        let mut line = String::new();
        for row in rows {
            line.clear();
            let said = match reader.read_line(&mut line) {
                Ok(length) if length > 0 => seen.read(&line),
                _ => Err("its output ends".to_string()),
            };
            said.map_err(|reason| SimulatorError::Ended { simulator, cycles: *cycles, reason })?;
            *cycles += 1;
            show(row, seen).map_err(of_rows)?;
        }
        Ok(())
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        // it ends by itself where its input does; one that hangs is not waited for
        self.input = None;
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Rows of inputs as text.
fn lines<'a>(rows: impl Iterator<Item = &'a [u64]>) -> String {
    let mut text = String::new();
    let mut rows = rows.peekable();
    while let Some(row) = rows.next() {
        text.push(if rows.peek().is_none() { '1' } else { '0' });
        row.iter().for_each(|word| {
            let _ = write!(text, " {word:x}");
        });
        text.push('\n');
    }
    text
}
