//! One running model: made, settled, dropped.

use std::ffi::{CStr, c_void};
use std::ptr::NonNull;
use std::sync::{Arc, PoisonError};

use super::compile::Direction;

use super::abi::{FAILED, RUNNING};
use super::compile::CYCLE_NS;
use super::design::{CONSTRUCTION, Design, PortInfo};
use super::error::ModelError;
use super::port::Port;
use super::trace::Trace;
use super::watch::Pulse;

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
    pub(super) clock: Option<Port>,
    pub(super) cycles: u64,
    pub(super) status: u32,
    pub(super) trace: Option<Trace>,
    pub(super) pulse: Arc<Pulse>,
    /// Inputs that rows do not decide: column and value.
    pub(super) held: Vec<(usize, u64)>,
}

// SAFETY: an instance keeps no reference to the thread that made it: its context is its own, and where generated code
// looks for it through the thread (system tasks), the shim sets it again at every eval.
unsafe impl Send for Model {}

impl Design {
    /// Makes a model whose unwritten state (registers and memories before reset, `x` in the Verilog) is random from
    /// `seed`: equal seeds give equal runs.
    ///
    /// # Errors
    /// [`ModelError::Create`] if an `initial` block fails.
    pub fn model(&'static self, seed: u32) -> Result<Model, ModelError> {
        Model::new(self, seed)
    }
}

impl Model {
    pub(super) fn new(design: &'static Design, seed: u32) -> Result<Model, ModelError> {
        let reason = |reason: &str| ModelError::Create { model: design.name.clone(), reason: reason.into() };
        let mut status = RUNNING;
        let pulse = Pulse::new();
        let guard = CONSTRUCTION.lock().unwrap_or_else(PoisonError::into_inner);
        pulse.enter(0);
        // SAFETY: `create` takes any seed and a place for the status; no other construction runs.
        let raw = unsafe { (design.shim.create)(verilator_seed(seed), &mut status) };
        pulse.leave();
        drop(guard);
        let raw = NonNull::new(raw).ok_or_else(|| reason("its constructor fails"))?;
        // SAFETY: `raw` is a live instance; a design without ports gives null, which no port leads to.
        let base: *mut u8 = unsafe { (design.shim.address)(raw.as_ptr(), 0) }.cast();
        let mut model = Model {
            design,
            raw,
            base,
            design_id: design.id,
            clock: None,
            cycles: 0,
            status,
            trace: None,
            pulse,
            held: Vec::new(),
        };
        // SAFETY: `raw` is a live instance, and `base` the address of its first port.
        let clock = unsafe { Port::find(design, raw, base, "clk", Some(Direction::Input)) };
        model.clock = clock.and_then(|port| port.expect_width(design, "clk", 1)).ok();
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
    pub(super) fn eval_at(&mut self, time_ns: u64) {
        if self.status != FAILED {
            self.pulse.enter(self.cycles);
            // SAFETY: `raw` is a live instance that only this thread uses.
            self.status = unsafe { (self.design.shim.eval)(self.raw.as_ptr(), time_ns) };
            self.pulse.leave();
        }
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
        self.ended().filter(|_| self.status == FAILED)
    }

    /// What ended the simulation: the failure or `$finish`, with its place in the Verilog in front where it is known.
    pub fn ended(&self) -> Option<String> {
        self.finished().then(|| {
            // SAFETY: `raw` is live, and the text stays until the next eval; it is copied at once.
            let text = unsafe { CStr::from_ptr((self.design.shim.failure)(self.raw.as_ptr())) };
            text.to_string_lossy().into_owned()
        })
    }
}

impl Drop for Model {
    fn drop(&mut self) {
        self.trace_close();
        let _guard = CONSTRUCTION.lock().unwrap_or_else(PoisonError::into_inner);
        self.pulse.enter(self.cycles);
        // SAFETY: `raw` is live, and not used after this.
        unsafe { (self.design.shim.destroy)(self.raw.as_ptr()) }
        self.pulse.leave();
    }
}

/// Verilator takes seed 0 for "choose one", and only positive seeds.
pub(super) fn verilator_seed(seed: u32) -> i32 {
    (u64::from(seed) % (i32::MAX as u64)) as i32 + 1
}
