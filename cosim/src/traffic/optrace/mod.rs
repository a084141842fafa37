//! Op traces: one op of a core per line of a CSV file, gzipped or not.
//!
//! What a line holds is each core's own: [`Row`] says it, and a file here per core implements it. Common to all:
//!
//! - The columns stand in any order; the first ones of [`Row::COLUMNS`] are needed, the rest may be absent or their
//!   fields empty.
//! - Ops go back to back: a line holds `op_valid` until the core takes its op, then the next line begins with its `idle`
//!   edges, which show the coming op's fields with `op_valid` low. A `reset` line is one clock edge with `rst`
//!   high; lines of `reset` in a row make it longer. The run's own reset at the start is not part of the trace.
//! - Lines that begin with `#` are comments. Before the column names, a comment such as
//!   `# respray: seed=7 freeze_timeout=100000 bdp_packets=16` carries settings of the run, each of which is optional and
//!   gives way to one on the command line.

mod fields;
mod read;
pub mod reps;
pub mod sack_rx;
pub mod sack_tx;

use std::fmt::Debug;
use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::Path;

use flate2::write::GzEncoder;
use thiserror::Error;

pub use self::fields::{Fields, Refusal, optional, text};

const SETTINGS_MARK: &str = "respray:";

/// One line of a core's op trace.
pub trait Row: Clone + Default + PartialEq + Debug {
    /// Names of all columns.
    const COLUMNS: &'static [&'static str];
    /// How many of them, from the first on, a file must have.
    const NEEDED: usize;
    /// How many of them, from the first on, are always written; the others only where a row uses them.
    const WRITTEN: usize;
    /// Settings of a run that a trace may carry, besides the seed.
    type Settings: Settings<Limits = Self::Limits>;
    /// What the configuration allows in a trace.
    type Limits;

    /// Reads and checks a line.
    fn read(fields: &Fields<'_>, limits: &Self::Limits) -> Result<Self, Refusal>;

    /// Writes a line, a field for each of [`Row::COLUMNS`]; a field that is empty reads back as one that is absent.
    fn write(&self, fields: &mut [String]);
}

/// Run-time settings of a core, for ops without their own. Each may be open, so that a trace's give way to those of the
/// command line, and both before what holds without either.
pub trait Settings: Clone + Default + PartialEq + Debug {
    /// Their names in a trace; on the command line `_` is `-`.
    const NAMES: &'static [&'static str];
    /// What the configuration allows.
    type Limits;

    /// Value of a setting, by its place in [`Settings::NAMES`].
    fn get(&self, place: usize) -> Option<u64>;

    /// Sets one. The value is at most [`Settings::last`].
    fn set(&mut self, place: usize, value: u64);

    /// Largest value allowed.
    fn last(place: usize, limits: &Self::Limits) -> u64;

    /// These, and where they leave one open, that of `others`.
    fn or(&self, others: &Self) -> Self {
        let mut settings = self.clone();
        for place in 0..Self::NAMES.len() {
            if let (None, Some(value)) = (self.get(place), others.get(place)) {
                settings.set(place, value);
            }
        }
        settings
    }
}

/// A whole op trace.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct OpTrace<R: Row> {
    /// Seed of the run, which is what a port `seed` carries.
    pub seed: Option<u16>,
    /// Settings of the run that the trace carries.
    pub settings: R::Settings,
    /// Other comments before the column names, without `# `.
    pub notes: Vec<String>,
    /// The ops in order.
    pub rows: Vec<R>,
}

/// Why an op trace was refused. Its text is the whole sentence for the user.
#[derive(Debug, Error)]
pub enum OpTraceError {
    #[error("{file}: cannot be {action}: {source}")]
    File { file: String, action: &'static str, source: std::io::Error },
    #[error("{file}:{line}: {message}")]
    Csv { file: String, line: u64, message: String },
    #[error("{file}:{line}: no column `{column}`; the first line names the columns: {}", columns.join(", "))]
    MissingColumn { file: String, line: u64, column: &'static str, columns: &'static [&'static str] },
    #[error("{file}:{line}: column `{column}` is unknown or stands there twice; the columns are {}", columns.join(", "))]
    Column { file: String, line: u64, column: String, columns: &'static [&'static str] },
    #[error("{file}:{line}: `{column}` is `{value}`; allowed: {allowed}")]
    Field { file: String, line: u64, column: &'static str, value: String, allowed: String },
}

impl<R: Row> OpTrace<R> {
    /// Writes a trace, gzipped if the name ends in `.gz`: all of it or, on an error, nothing.
    pub fn write(&self, path: &Path) -> Result<(), OpTraceError> {
        self.write_to_disk(path).map_err(|source| OpTraceError::File {
            file: path.display().to_string(),
            action: "written",
            source,
        })
    }

    fn write_to_disk(&self, path: &Path) -> std::io::Result<()> {
        let dir = path.parent().filter(|dir| !dir.as_os_str().is_empty()).unwrap_or(Path::new("."));
        let mut file = tempfile::NamedTempFile::new_in(dir)?;
        if path.extension().is_some_and(|extension| extension == "gz") {
            let mut gzip = GzEncoder::new(BufWriter::new(&mut file), flate2::Compression::best());
            self.format(&mut gzip)?;
            gzip.finish()?.flush()?;
        } else {
            let mut text = BufWriter::new(&mut file);
            self.format(&mut text)?;
            text.flush()?;
        }
        set_ordinary_mode(file.as_file())?;
        file.persist(path).map_err(|error| error.error)?;
        Ok(())
    }

    /// Writes the trace as text; the optional columns appear only where a row uses them.
    pub fn format(&self, out: &mut impl Write) -> std::io::Result<()> {
        for note in &self.notes {
            writeln!(out, "# {note}")?;
        }
        let mut settings = String::new();
        self.seed.iter().for_each(|seed| settings += &format!(" seed={seed}"));
        for (place, name) in R::Settings::NAMES.iter().enumerate() {
            self.settings.get(place).iter().for_each(|value| settings += &format!(" {name}={value}"));
        }
        if !settings.is_empty() {
            writeln!(out, "# {SETTINGS_MARK}{settings}")?;
        }
        let mut fields = vec![String::new(); R::COLUMNS.len()];
        let mut used: Vec<bool> = (0..R::COLUMNS.len()).map(|column| column < R::WRITTEN).collect();
        for row in &self.rows {
            row.write(&mut fields);
            used.iter_mut().zip(&fields).for_each(|(used, field)| *used |= !field.is_empty());
        }
        let columns: Vec<usize> = (0..R::COLUMNS.len()).filter(|&column| used[column]).collect();
        let mut csv = csv::Writer::from_writer(out);
        csv.write_record(columns.iter().map(|&column| R::COLUMNS[column]))?;
        for row in &self.rows {
            row.write(&mut fields);
            csv.write_record(columns.iter().map(|&column| &fields[column]))?;
        }
        csv.flush()
    }
}

/// `tempfile` makes files that only their owner reads; a result is an ordinary file.
fn set_ordinary_mode(file: &File) -> std::io::Result<()> {
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        file.set_permissions(std::fs::Permissions::from_mode(0o644))?;
    }
    Ok(())
}
