//! What a model records: waves and coverage.

use std::ffi::CString;
use std::fs::File;
use std::io::{Read as _, Seek as _};
use std::os::fd::AsRawFd as _;

use nix::sys::memfd::{MFdFlags, memfd_create};

use super::coverage::Coverage;
use super::error::ModelError;
use super::model::Model;
use super::overlay::Overlay;
use super::trace::{Trace, TraceError};

/// Waves and coverage.
impl Model {
    /// Begins to record the waves of every signal, from the next [`Model::tick`] on. Waves that were being recorded are
    /// dropped.
    ///
    /// # Errors
    /// [`ModelError::Flavour`] without [`super::BuildOptions::trace`].
    pub fn trace_start(&mut self) -> Result<(), ModelError> {
        self.trace_start_with(Overlay::default())
    }

    /// The same, with signals that are not of the Verilog.
    ///
    /// # Errors
    /// As [`Model::trace_start`].
    pub fn trace_start_with(&mut self, overlay: Overlay) -> Result<(), ModelError> {
        let open = self.design.shim.trace_open.ok_or_else(|| self.flavour("trace"))?;
        self.trace_close();
        let trace = Trace::new(overlay).map_err(|error| self.no_waves(&error))?;
        // SAFETY: `raw` is live, and no trace is open.
        unsafe { open(self.raw.as_ptr()) }
        self.trace = Some(trace);
        self.trace_read();
        Ok(())
    }

    /// Ends the waves and gives them as an FST. Without [`Model::trace_start`] before there are none, and so no bytes.
    ///
    /// # Errors
    /// [`ModelError::Waves`] if Verilator wrote what is not understood.
    pub fn trace_take(&mut self) -> Result<Vec<u8>, ModelError> {
        match self.trace_close() {
            Some(trace) => trace.finish().map_err(|error| self.no_waves(&error)),
            None => Ok(Vec::new()),
        }
    }

    #[cold]
    pub(super) fn trace_dump(&mut self, time_ns: u64) {
        if let Some(dump) = self.design.shim.trace_dump {
            // SAFETY: `raw` is live, and `self.trace` says that a trace is open.
            unsafe { dump(self.raw.as_ptr(), time_ns) }
            self.trace_read();
        }
    }

    /// Ends the trace, if one is open.
    pub(super) fn trace_close(&mut self) -> Option<Trace> {
        if let (Some(_), Some(close)) = (&self.trace, self.design.shim.trace_close) {
            // SAFETY: `raw` is live, and a trace is open.
            unsafe { close(self.raw.as_ptr()) }
            self.trace_read();
        }
        self.trace.take()
    }

    /// Hands what was written since the last call to the trace.
    fn trace_read(&mut self) {
        let (Some(trace), Some(text)) = (&mut self.trace, self.design.shim.trace_text) else { return };
        let mut length = 0;
        // SAFETY: `raw` is live, and the text stays until the next call; `take` keeps no reference to it.
        let text = unsafe {
            let text = text(self.raw.as_ptr(), &mut length);
            std::slice::from_raw_parts(text.cast::<u8>(), length as usize)
        };
        trace.take(text);
    }

    fn no_waves(&self, error: &TraceError) -> ModelError {
        ModelError::Waves { model: self.design.name.clone(), reason: error.to_string() }
    }

    /// Whether it counts the lines that ran, for [`Model::coverage_data`].
    pub fn counts_lines(&self) -> bool {
        self.design.shim.coverage_write.is_some()
    }

    /// Verilator's coverage data, to be read with [`Coverage::parse`].
    ///
    /// # Errors
    /// [`ModelError::Flavour`] without [`super::BuildOptions::coverage`]; [`ModelError::Counts`].
    pub fn coverage_data(&mut self) -> Result<String, ModelError> {
        let write = self.design.shim.coverage_write.ok_or_else(|| self.flavour("coverage"))?;
        let failed =
            |reason: &str| ModelError::Counts { model: self.design.name.clone(), reason: reason.to_string() };
        // Verilator writes to a name. That of a file in memory cannot be left half-written on a disk.
        let memory = memfd_create(c"respray-coverage", MFdFlags::MFD_CLOEXEC)
            .map_err(|error| failed(&error.to_string()))?;
        let name = CString::new(format!("/proc/self/fd/{}", memory.as_raw_fd())).expect("no NUL is in it");
        // SAFETY: `raw` is live and `name` is a C string.
        if unsafe { write(self.raw.as_ptr(), name.as_ptr()) } == 0 {
            return Err(failed("a file in memory cannot be written"));
        }
        let (mut file, mut text) = (File::from(memory), String::new());
        file.rewind()
            .and_then(|()| file.read_to_string(&mut text))
            .map_err(|error| failed(&error.to_string()))?;
        Ok(text)
    }

    /// The coverage so far.
    ///
    /// # Errors
    /// [`ModelError::Flavour`] without [`super::BuildOptions::coverage`]; [`ModelError::Counts`].
    pub fn coverage(&mut self) -> Result<Coverage, ModelError> {
        Coverage::parse(&self.coverage_data()?)
    }

    fn flavour(&self, what: &'static str) -> ModelError {
        ModelError::Flavour { model: self.design.name.clone(), what }
    }
}
