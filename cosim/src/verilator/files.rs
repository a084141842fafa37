//! What a model writes to files: FST traces and coverage.

use std::ffi::CString;
use std::path::Path;

use super::coverage::Coverage;
use super::error::ModelError;
use super::model::Model;
use super::trace::{Trace, temporary_beside};

/// Traces and coverage.
impl Model {
    /// Starts an FST of every signal at the next [`Model::tick`]. The file appears under its name when the trace is
    /// closed; a trace that is open is closed first.
    ///
    /// # Errors
    /// [`ModelError::Flavour`] without [`super::BuildOptions::trace`]; [`ModelError::Write`] if the file cannot be made.
    pub fn trace_fst(&mut self, path: &Path) -> Result<(), ModelError> {
        let open = self.design.shim.trace_open.ok_or_else(|| self.flavour("trace"))?;
        self.trace_close()?;
        let trace = Trace::beside(path)?;
        let name = c_path(&trace.file)?;
        // SAFETY: `raw` is live, `name` is a C string, and no trace is open.
        if unsafe { open(self.raw.as_ptr(), name.as_ptr()) } == 0 {
            return Err(ModelError::Write {
                path: path.to_path_buf(),
                what: "the trace cannot be opened".into(),
            });
        }
        self.trace = Some(trace);
        Ok(())
    }

    #[cold]
    pub(super) fn trace_dump(&mut self, time_ns: u64) {
        if let Some(dump) = self.design.shim.trace_dump {
            // SAFETY: `raw` is live, and `self.trace` says that a trace is open.
            unsafe { dump(self.raw.as_ptr(), time_ns) }
        }
    }

    /// Whether it counts the lines that ran, for [`Model::coverage_write`].
    pub fn counts_lines(&self) -> bool {
        self.design.shim.coverage_write.is_some()
    }

    /// Writes Verilator's coverage data, to be read with [`Coverage::read`].
    ///
    /// # Errors
    /// [`ModelError::Flavour`] without [`super::BuildOptions::coverage`]; [`ModelError::Write`].
    pub fn coverage_write(&mut self, path: &Path) -> Result<(), ModelError> {
        let write = self.design.shim.coverage_write.ok_or_else(|| self.flavour("coverage"))?;
        let file = temporary_beside(path)?;
        let name = c_path(&file)?;
        // SAFETY: `raw` is live and `name` is a C string.
        let written = unsafe { write(self.raw.as_ptr(), name.as_ptr()) };
        let failed = |what: String| ModelError::Write { path: path.to_path_buf(), what };
        if written == 0 {
            return Err(failed("the coverage cannot be written".into()));
        }
        file.persist(path).map_err(|error| failed(error.error.to_string()))
    }

    /// The coverage so far.
    ///
    /// # Errors
    /// [`ModelError::Flavour`] without [`super::BuildOptions::coverage`]; [`ModelError::Write`] if there is no place for
    /// a temporary file.
    pub fn coverage(&mut self) -> Result<Coverage, ModelError> {
        let path = std::env::temp_dir();
        let directory = tempfile::tempdir_in(&path).map_err(ModelError::io(&path))?;
        let file = directory.path().join("coverage.dat");
        self.coverage_write(&file)?;
        Coverage::read(&file)
    }

    fn flavour(&self, what: &'static str) -> ModelError {
        ModelError::Flavour { model: self.design.name.clone(), what }
    }
}

fn c_path(path: &Path) -> Result<CString, ModelError> {
    CString::new(path.as_os_str().as_encoded_bytes()).map_err(|_| ModelError::Write {
        path: path.to_path_buf(),
        what: "a name without NUL is needed".into(),
    })
}
