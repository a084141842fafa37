//! The files of a recording.

use std::io::Write;
use std::path::Path;

use flate2::{Compression, GzBuilder};

use crate::error::RecordError;

/// Gzip without name and time, so that the same capture gives the same file.
pub fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = GzBuilder::new().write(Vec::new(), Compression::best());
    encoder.write_all(bytes).and_then(|()| encoder.finish()).expect("writing to memory")
}

/// All of a file or nothing.
pub fn write(path: &Path, bytes: &[u8]) -> Result<(), RecordError> {
    let failed = |source| RecordError::Write { path: path.into(), source };
    let directory = path.parent().filter(|d| !d.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let mut builder = tempfile::Builder::new();
    builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o644));
    let mut file = builder.tempfile_in(directory).map_err(failed)?;
    file.write_all(bytes).map_err(failed)?;
    file.persist(path).map_err(|e| failed(e.error))?;
    Ok(())
}
