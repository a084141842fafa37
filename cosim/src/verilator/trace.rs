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
        let failed = |what: String| ModelError::Write { path: self.path.clone(), what };
        self.file.persist(&self.path).map_err(|error| failed(error.error.to_string()))
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
