//! What a model writes to files: FST traces and coverage.

use std::ffi::CString;
use std::fs::Permissions;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use super::coverage::Coverage;
use super::error::ModelError;
use super::model::Model;

/// An open trace: it is written to a temporary name beside `path`.
pub(super) struct Trace {
    path: PathBuf,
    file: tempfile::TempPath,
}

impl Model {
    /// Starts an FST of every signal at the next [`Model::tick`]. The file appears under its name when the trace is
    /// closed; a trace that is open is closed first.
    ///
    /// # Errors
    /// [`ModelError::Flavour`] without [`super::BuildOptions::trace`]; [`ModelError::Write`] if the file cannot be made.
    pub fn trace_fst(&mut self, path: &Path) -> Result<(), ModelError> {
        let open = self.design.shim.trace_open.ok_or_else(|| self.flavour("trace"))?;
        self.trace_close()?;
        let file = temporary_beside(path)?;
        let name = c_path(&file)?;
        // SAFETY: `raw` is live, `name` is a C string, and no trace is open.
        if unsafe { open(self.raw.as_ptr(), name.as_ptr()) } == 0 {
            return Err(ModelError::Write {
                path: path.to_path_buf(),
                what: "the trace cannot be opened".into(),
            });
        }
        self.trace = Some(Trace { path: path.to_path_buf(), file });
        Ok(())
    }

    #[cold]
    pub(super) fn trace_dump(&mut self, time_ns: u64) {
        if let Some(dump) = self.design.shim.trace_dump {
            // SAFETY: `raw` is live, and `self.trace` says that a trace is open.
            unsafe { dump(self.raw.as_ptr(), time_ns) }
        }
    }

    /// Ends the trace, if one is open, and puts the file in its place.
    ///
    /// # Errors
    /// [`ModelError::Write`], also if the disk was full.
    pub fn trace_close(&mut self) -> Result<(), ModelError> {
        let (Some(trace), Some(close)) = (self.trace.take(), self.design.shim.trace_close) else {
            return Ok(());
        };
        // SAFETY: `raw` is live, and a trace was open until now.
        unsafe { close(self.raw.as_ptr()) }
        let length = std::fs::metadata(&trace.file).map(|data| data.len());
        if length.is_ok_and(|length| length == 0) {
            let what = "the trace is empty; is the disk full?".into();
            return Err(ModelError::Write { path: trace.path, what });
        }
        trace
            .file
            .persist(&trace.path)
            .map_err(|error| ModelError::Write { path: trace.path.clone(), what: error.error.to_string() })
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

fn temporary_beside(path: &Path) -> Result<tempfile::TempPath, ModelError> {
    let directory = path.parent().filter(|parent| !parent.as_os_str().is_empty());
    tempfile::Builder::new()
        .prefix(".respray-")
        .permissions(Permissions::from_mode(0o666)) // less the umask, as for any file
        .tempfile_in(directory.unwrap_or(Path::new(".")))
        .map(tempfile::NamedTempFile::into_temp_path)
        .map_err(|error| ModelError::Write { path: path.to_path_buf(), what: error.to_string() })
}

fn c_path(path: &Path) -> Result<CString, ModelError> {
    CString::new(path.as_os_str().as_encoded_bytes()).map_err(|_| ModelError::Write {
        path: path.to_path_buf(),
        what: "a name without NUL is needed".into(),
    })
}
