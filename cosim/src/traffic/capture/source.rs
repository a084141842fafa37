//! A capture that is read more than once, be it a file or a pipe.

use std::fs::File;
use std::io::{self, Read, Write};
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::error::{CaptureError, Fault};
use super::file::{CaptureFile, Cut};

/// A capture that can be read from its beginning as often as is wanted.
#[derive(Clone, Debug)]
pub struct CaptureSource {
    path: PathBuf,
    /// The file itself, or a copy of what came out of a pipe.
    file: Arc<File>,
    cut: Cut,
}

impl CaptureSource {
    /// Opens a capture. What can be read only once, such as a FIFO, is copied into a temporary file without a name.
    ///
    /// # Errors
    /// If the file cannot be opened, and on the faults of a pipe's capture, of which nothing more is copied.
    pub fn open(path: &Path, cut: Cut) -> Result<CaptureSource, CaptureError> {
        let file = File::open(path).map_err(|error| CaptureError::file(path, Fault::Open(error)))?;
        let is_file = file.metadata().is_ok_and(|metadata| metadata.is_file());
        let file = if is_file { file } else { copy(path, file)? };
        Ok(CaptureSource { path: path.to_owned(), file: Arc::new(file), cut })
    }

    /// The capture from its beginning.
    ///
    /// # Errors
    /// If its header cannot be read.
    pub fn read(&self) -> Result<CaptureFile, CaptureError> {
        let reader = FromBeginning { file: Arc::clone(&self.file), offset: 0 };
        Ok(CaptureFile::from_reader(&self.path, reader)?.on_cut(self.cut))
    }

    /// The file's name, for messages.
    pub fn path(&self) -> &Path {
        &self.path
    }
}

/// A file with a place of its own in it, so that several readers do not disturb each other.
struct FromBeginning {
    file: Arc<File>,
    offset: u64,
}

impl Read for FromBeginning {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        let read = self.file.read_at(out, self.offset)?;
        self.offset += read as u64;
        Ok(read)
    }
}

/// Copies a capture out of a pipe while it is checked: a pipe without end that holds no capture fills no disk.
fn copy(path: &Path, pipe: File) -> Result<File, CaptureError> {
    let failed = |error| CaptureError::file(path, Fault::Read(not_copied(&error)));
    let copy = tempfile::tempfile().map_err(failed)?;
    let writer = copy.try_clone().map_err(failed)?;
    let mut capture = CaptureFile::from_reader(path, Copying { pipe, copy: writer })?.on_cut(Cut::Warned);
    while capture.next_frame()?.is_some() {}
    Ok(copy)
}

fn not_copied(error: &io::Error) -> io::Error {
    let folder = std::env::temp_dir();
    io::Error::other(format!("the copy of it in {} cannot be written: {error}", folder.display()))
}

/// What is read of a pipe is written to the copy.
struct Copying {
    pipe: File,
    copy: File,
}

impl Read for Copying {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        let read = self.pipe.read(out)?;
        self.copy.write_all(&out[..read]).map_err(|error| not_copied(&error))?;
        Ok(read)
    }
}
