//! The file of a trace that is being written.

use std::fs::Permissions;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use super::error::ModelError;

/// An open trace: it is written to a temporary name beside `path`.
pub(super) struct Trace {
    path: PathBuf,
    pub file: tempfile::TempPath,
}

impl Trace {
    /// A trace that will be `path`.
    pub fn beside(path: &Path) -> Result<Trace, ModelError> {
        Ok(Trace { path: path.to_path_buf(), file: temporary_beside(path)? })
    }

    /// Puts the file, which is complete, in its place.
    pub fn finish(self) -> Result<(), ModelError> {
        let length = std::fs::metadata(&self.file).map(|data| data.len());
        if length.is_ok_and(|length| length == 0) {
            let what = "the trace is empty; is the disk full?".into();
            return Err(ModelError::Write { path: self.path, what });
        }
<<<<<<< HEAD
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
=======
        let failed = |what: String| ModelError::Write { path: self.path.clone(), what };
        self.file.persist(&self.path).map_err(|error| failed(error.error.to_string()))
>>>>>>> 522c169 (verilator: its files import in one direction)
    }
}

/// A file that has another name in the directory of `path` until it is complete.
pub(super) fn temporary_beside(path: &Path) -> Result<tempfile::TempPath, ModelError> {
    let directory = path.parent().filter(|parent| !parent.as_os_str().is_empty());
    tempfile::Builder::new()
        .prefix(".respray-")
        .permissions(Permissions::from_mode(0o666)) // less the umask, as for any file
        .tempfile_in(directory.unwrap_or(Path::new(".")))
        .map(tempfile::NamedTempFile::into_temp_path)
        .map_err(|error| ModelError::Write { path: path.to_path_buf(), what: error.to_string() })
}
