//! One running model: its ports and its clock.

use std::ffi::{CStr, c_void};
use std::ptr::NonNull;
use std::sync::PoisonError;

use respray_hdl::manifest::Direction;

use super::abi::{FAILED, REFUSED, RUNNING};
use super::build::{BuildOptions, Source, build};
use super::compile::CYCLE_NS;
use super::design::{CONSTRUCTION, Design, PortInfo};
use super::error::ModelError;
use super::linked;
use super::port::Port;
use super::trace::Trace;

/// A running model. It may move to another thread, but only one thread at a time may use it.
///
/// Ports are read and written where Verilator keeps them. A write shows in outputs after the next [`Model::eval`] or
/// [`Model::tick`].
pub struct Model {
    pub(super) design: &'static Design,
    pub(super) raw: NonNull<c_void>,
    /// Address of the design's first port.
    pub(super) base: *mut u8,
    pub(super) design_id: u32,
    clock: Option<Port>,
    cycles: u64,
    status: u32,
    pub(super) trace: Option<Trace>,
}

// SAFETY: an instance keeps no reference to the thread that made it: its context is its own, and where generated code
// looks for it through the thread (system tasks), the shim sets it again at every eval.
unsafe impl Send for Model {}

impl Model {
    /// The model of core `name` in the default configuration, compiled into this program, with seed 1.
    ///
    /// # Errors
    /// [`ModelError::NotLinked`].
    pub fn linked(name: &str) -> Result<Model, ModelError> {
        linked::design(name)?.model(1)
    }

    /// The model of any Verilog: verilated and compiled at most once, then loaded from the cache.
    ///
    /// # Errors
    /// All of [`ModelError`] that has to do with building.
    pub fn build(source: &Source, options: &BuildOptions) -> Result<Model, ModelError> {
        build(source, options)?.model(options.seed)
    }

    pub(super) fn new(design: &'static Design, seed: u32) -> Result<Model, ModelError> {
        let reason = |reason: &str| ModelError::Create { model: design.name.clone(), reason: reason.into() };
        let mut status = RUNNING;
        let guard = CONSTRUCTION.lock().unwrap_or_else(PoisonError::into_inner);
        // SAFETY: `create` takes any seed and a place for the status; no other construction runs.
        let raw = unsafe { (design.shim.create)(verilator_seed(seed), &mut status) };
        drop(guard);
        let raw = NonNull::new(raw).ok_or_else(|| reason("its constructor fails"))?;
        // SAFETY: `raw` is a live instance; a design without ports gives null, which no port leads to.
        let base: *mut u8 = unsafe { (design.shim.address)(raw.as_ptr(), 0) }.cast();
        let mut model =
            Model { design, raw, base, design_id: design.id, clock: None, cycles: 0, status, trace: None };
        model.clock = model.input("clk", 1).ok();
        match model.failure() {
            Some(failure) => Err(reason(&failure)),
            None => Ok(model),
        }
    }

    /// The design that it is made of.
    pub fn design(&self) -> &'static Design {
        self.design
    }

    /// Its ports, in no particular order.
    pub fn ports(&self) -> &[PortInfo] {
        &self.design.ports
    }

    /// Settles the model after a change of inputs; a clock that was written has its edge here.
    ///
    /// After a failure it does nothing.
    #[inline]
    pub fn eval(&mut self) {
        self.eval_at(self.cycles * CYCLE_NS);
    }

    #[inline]
    fn eval_at(&mut self, time_ns: u64) {
        if self.status != FAILED {
            // SAFETY: `raw` is a live instance that only this thread uses.
            self.status = unsafe { (self.design.shim.eval)(self.raw.as_ptr(), time_ns) };
        }
    }

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
        if self.trace.is_none() && self.status != FAILED {
            // SAFETY: both are so many rows.
            return unsafe { self.run_rows(inputs, outputs, rows) };
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

    /// Cycles so far. Cycle `n` counts from 0 and is `n * CYCLE_NS` in a trace.
    pub fn cycle_count(&self) -> u64 {
        self.cycles
    }

    /// Whether the Verilog has called `$finish`, or the model has failed.
    #[inline]
    pub fn finished(&self) -> bool {
        self.status != RUNNING
    }

    /// Why the model failed (`$stop`, `$fatal`, an assertion, a combinational loop that does not settle), if it did.
    pub fn failure(&self) -> Option<String> {
        (self.status == FAILED).then(|| {
            // SAFETY: `raw` is live, and the text stays until the next eval; it is copied at once.
            let text = unsafe { CStr::from_ptr((self.design.shim.failure)(self.raw.as_ptr())) };
            text.to_string_lossy().into_owned()
        })
    }
}

impl Drop for Model {
    fn drop(&mut self) {
        // There is nobody to tell; who wants to know closes the trace before.
        let _ = self.trace_close();
        let _guard = CONSTRUCTION.lock().unwrap_or_else(PoisonError::into_inner);
        // SAFETY: `raw` is live, and not used after this.
        unsafe { (self.design.shim.destroy)(self.raw.as_ptr()) }
    }
}

/// Verilator takes seed 0 for "choose one", and only positive seeds.
pub(super) fn verilator_seed(seed: u32) -> i32 {
    (u64::from(seed) % (i32::MAX as u64)) as i32 + 1
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
