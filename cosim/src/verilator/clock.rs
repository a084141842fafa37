//! The clock of a model: cycles, by ports or by rows.

use super::compile::Direction;

use super::abi::{FAILED, REFUSED};
use super::compile::CYCLE_NS;
use super::model::Model;
use super::port::Port;

/// Cycles.
impl Model {
    /// One cycle: `clk` low, settle, `clk` high, settle.
    ///
    /// Registers take the inputs as they are now. After it, outputs that come from registers read as they can be
    /// sampled just before the next edge; one that depends on inputs follows them after an [`Model::eval`].
    ///
    /// # Panics
    /// If the model has no input `clk` of one bit.
    #[inline]
    pub fn tick(&mut self) {
        self.settle();
        self.rise();
    }

    /// First half of [`Model::tick`]: `clk` low, settle. Outputs read as they are sampled just before the edge, also
    /// those that depend on inputs.
    ///
    /// # Panics
    /// If the model has no input `clk` of one bit.
    #[inline]
    pub fn settle(&mut self) {
        let clock = self.clock();
        let time_ns = self.cycles * CYCLE_NS;
        self.set(clock, 0);
        self.eval_at(time_ns);
        if self.trace.is_some() {
            self.trace_dump(time_ns);
        }
    }

    /// Second half of [`Model::tick`]: `clk` high, settle; registers take the inputs.
    ///
    /// # Panics
    /// If the model has no input `clk` of one bit.
    #[inline]
    pub fn rise(&mut self) {
        let clock = self.clock();
        let time_ns = self.cycles * CYCLE_NS + CYCLE_NS / 2;
        self.set(clock, 1);
        self.eval_at(time_ns);
        if self.trace.is_some() {
            self.trace_dump(time_ns);
        }
        self.cycles += 1;
    }

    /// One cycle in one call, as fast as a loop in C++: writes all inputs, `clk` low, settle, reads all outputs, `clk`
    /// high, settle. [`Port::column`] says where a port is in the rows.
    ///
    /// # Panics
    /// If a row has not [`Design::row_words`] words, an input has a bit beyond its width, or the model has no input `clk`
    /// of one bit.
    #[inline]
    pub fn cycle(&mut self, inputs: &[u64], outputs: &mut [u64]) {
        let expected = self.design.row_words;
        if (inputs.len(), outputs.len()) != expected {
            refuse_row(expected, (inputs.len(), outputs.len()));
        }
        if !self.held.is_empty() {
            self.cycles(inputs, outputs);
            return;
        }
        if self.trace.is_some() || self.status == FAILED {
            return self.cycle_by_port(inputs, outputs);
        }
        // SAFETY: both are one row.
        unsafe { self.run_rows(inputs, outputs, 1) };
    }

    /// A block of cycles in one call: as many of [`Model::cycle`] as there are rows, one after the other in `inputs` and
    /// in `outputs`. It ends early with the cycle in which the model finishes or fails; one that had finished or failed
    /// before goes on by one cycle a call. While a trace is open it is as slow as single cycles.
    ///
    /// Returns how many cycles there were: at least one, unless no row is given. Rows of `outputs` behind them stay as
    /// they are.
    ///
    /// # Panics
    /// If the two are not equal numbers of whole rows, or the model has no input `clk` of one bit. If an input has a bit
    /// beyond its width, once the cycles before it are done.
    pub fn cycles(&mut self, inputs: &[u64], outputs: &mut [u64]) -> usize {
        let expected = self.design.row_words;
        let rows =
            inputs.len().checked_div(expected.0).or(outputs.len().checked_div(expected.1)).unwrap_or(0);
        if (inputs.len(), outputs.len()) != (rows * expected.0, rows * expected.1) {
            refuse_rows(expected, (inputs.len(), outputs.len()));
        }
        let with_held;
        let inputs = if self.held.is_empty() {
            inputs
        } else {
            with_held = self.with_held(inputs);
            &with_held
        };
        if self.trace.is_none() && self.status != FAILED {
            self.pulse.enter(self.cycles);
            // SAFETY: both are so many rows.
            let done = unsafe { self.run_rows(inputs, outputs, rows) };
            self.pulse.leave();
            return done;
        }
        for row in 0..rows {
            let (inputs, outputs) = (&inputs[row * expected.0..], &mut outputs[row * expected.1..]);
            self.cycle_by_port(&inputs[..expected.0], &mut outputs[..expected.1]);
            if self.finished() {
                return row + 1;
            }
        }
        rows
    }

    /// Holds an input of at most 64 bits at a value, whatever stands in its column of the rows from here on.
    ///
    /// # Panics
    /// As [`Model::set`].
    pub fn hold(&mut self, port: Port, value: u64) {
        self.set(port, value);
        self.held.retain(|(column, _)| *column != port.column());
        self.held.push((port.column(), value));
    }

    /// Rows of inputs in which the held ones have their values.
    #[cold]
    fn with_held(&self, inputs: &[u64]) -> Vec<u64> {
        let mut rows = inputs.to_vec();
        for row in rows.chunks_exact_mut(self.design.row_words.0) {
            self.held.iter().for_each(|(column, value)| row[*column] = *value);
        }
        rows
    }

    /// # Safety
    /// `inputs` and `outputs` have at least so many rows of the design.
    #[inline(always)]
    unsafe fn run_rows(&mut self, inputs: &[u64], outputs: &mut [u64], rows: usize) -> usize {
        let Some(cycles) = self.design.shim.cycles else { no_clock(&self.design.name) };
        let time_ns = self.cycles * CYCLE_NS;
        let mut status = self.status;
        // SAFETY: `raw` is a live instance that only this thread uses; rows have as many words as the shim's columns
        // take, and there are as many of them as the shim is told.
        let done = unsafe {
            cycles(
                self.raw.as_ptr(),
                inputs.as_ptr(),
                outputs.as_mut_ptr(),
                rows as u64,
                time_ns,
                &mut status,
            )
        };
        self.cycles += done;
        if status == REFUSED {
            refuse_bits();
        }
        self.status = status;
        done as usize
    }

    /// The same in steps, where a trace has to see both halves.
    #[cold]
    fn cycle_by_port(&mut self, inputs: &[u64], outputs: &mut [u64]) {
        let ports = self.design.ports.iter().map(|port| (port.direction, self.port(&port.name)));
        let ports: Vec<(Direction, Port)> =
            ports.filter_map(|(direction, port)| Some((direction, port.ok()?))).collect();
        let clock = self.clock;
        for &(_, port) in ports.iter().filter(|(d, port)| *d == Direction::Input && Some(*port) != clock) {
            let halves = inputs[port.column()..].iter().flat_map(|&word| [word as u32, (word >> 32) as u32]);
            let words: Vec<u32> = halves.take(port.words()).collect();
            self.set_wide(port, &words);
        }
        self.settle();
        for &(_, port) in ports.iter().filter(|(direction, _)| *direction == Direction::Output) {
            let mut words = vec![0; port.words()];
            self.get_wide(port, &mut words);
            for (to, pair) in outputs[port.column()..].iter_mut().zip(words.chunks(2)) {
                *to = u64::from(pair[0]) | pair.get(1).map_or(0, |&high| u64::from(high) << 32);
            }
        }
        self.rise();
    }

    #[inline]
    fn clock(&self) -> Port {
        self.clock.unwrap_or_else(|| no_clock(&self.design.name))
    }
}

#[cold]
fn refuse_row(expected: (usize, usize), given: (usize, usize)) -> ! {
    panic!(
        "cycle: rows of {} input and {} output words given, expected are {} and {}",
        given.0, given.1, expected.0, expected.1
    );
}

#[cold]
fn refuse_rows(expected: (usize, usize), given: (usize, usize)) -> ! {
    panic!(
        "cycles: {} input and {} output words given, expected are as many rows of {} as of {}",
        given.0, given.1, expected.0, expected.1
    );
}

#[cold]
fn refuse_bits() -> ! {
    panic!("cycle: an input has bits beyond its width");
}

#[cold]
fn no_clock(model: &str) -> ! {
    panic!("model `{model}` has no input `clk` of one bit");
}
