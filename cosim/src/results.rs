//! A table of what a core put out, written while it runs: CSV with one line for each result.

use std::io;
use std::path::{Path, PathBuf};

use respray_files::output::{Output, OutputError};

/// A table that is being written. What is not finished leaves nothing.
pub(crate) struct Results {
    path: PathBuf,
    csv: csv::Writer<Output>,
    /// What went wrong first; nothing is written behind it.
    error: Option<io::Error>,
}

impl Results {
    /// Begins a table that is to stand at `path`, with these columns.
    ///
    /// # Errors
    /// If the file cannot be made.
    pub fn create(path: &Path, columns: &[&str]) -> Result<Results, OutputError> {
        let csv = csv::Writer::from_writer(Output::create(path)?);
        let mut results = Results { path: path.to_path_buf(), csv, error: None };
        results.write(columns);
        Ok(results)
    }

    /// Adds a line.
    pub fn write(&mut self, fields: &[impl AsRef<[u8]>]) {
        if self.error.is_none() {
            self.error = self.csv.write_record(fields).err().map(io::Error::from);
        }
    }

    /// Puts the table in its place.
    ///
    /// # Errors
    /// If not all of it could be written.
    pub fn finish(self) -> Result<(), OutputError> {
        let Results { path, csv, error } = self;
        let output = match error {
            Some(error) => Err(error),
            None => csv.into_inner().map_err(|error| error.into_error()),
        };
        output.map_err(|source| OutputError { path, source })?.finish()
    }
}
