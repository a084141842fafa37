//! What a command hands out: files, then text.

use std::fmt;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use respray_cosim::report::{Report, Verdict};
use respray_files::output::{self, OutputError, is_standard_output};
use respray_files::quote::one_line;
use serde::Serialize;

use crate::args::{ExitStatus, Refusal};
pub use crate::progress::{progress, show};

/// What a command has come to.
#[derive(Debug, Default)]
pub struct Results {
    text: String,
    files: Vec<(PathBuf, Vec<u8>)>,
    /// A line for the end of the text that is true if all files could be written.
    written: Option<String>,
}

/// What could not be handed out, a sentence each.
#[derive(Debug)]
pub struct NotWritten(pub Vec<String>);

impl Results {
    /// Text for standard output.
    pub fn text(text: impl Into<String>) -> Results {
        Results { text: text.into(), ..Results::default() }
    }

    /// A line that ends the text if all files could be written.
    pub fn once_written(self, line: Option<String>) -> Results {
        Results { written: line, ..self }
    }

    /// And a file, if its name is given.
    pub fn file(mut self, path: Option<&Path>, content: impl FnOnce() -> String) -> Results {
        self.files.extend(path.map(|path| (path.to_path_buf(), content().into_bytes())));
        self
    }

    /// And a value as JSON, if the file's name is given.
    pub fn json(self, path: Option<&Path>, value: &impl Serialize) -> Results {
        self.file(path, || {
            serde_json::to_string_pretty(value).expect("results are plain data, which JSON takes") + "\n"
        })
    }

    /// Hands out the files, each of them whatever becomes of the others, then the text. Where a file is standard output,
    /// there is no text.
    ///
    /// # Errors
    /// [`NotWritten`]. That nobody reads standard output any more is none.
    pub fn hand_out(self) -> Result<(), NotWritten> {
        let is_file = self.files.iter().any(|(path, _)| is_standard_output(path));
        let write = |file| output::write_all(&[file]).err().filter(|error| !is_closed_pipe(error));
        let mut errors: Vec<OutputError> = self.files.into_iter().filter_map(write).collect();
        let last = self.written.filter(|_| errors.is_empty()).map(|line| line + "\n");
        let text = self.text + &last.unwrap_or_default();
        if !is_file && !text.is_empty() {
            errors.extend(write((PathBuf::from("-"), text.into_bytes())));
        }
        let sentences: Vec<String> = errors.iter().map(OutputError::to_string).collect();
        if sentences.is_empty() { Ok(()) } else { Err(NotWritten(sentences)) }
    }
}

impl fmt::Display for NotWritten {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.0.join("; "))
    }
}

impl std::error::Error for NotWritten {}

/// Hands out what a run has come to, its verdict before all that could not be done, and says how the command ends.
pub fn conclude<F>(report: &Report<F>, results: Results) -> Result<ExitStatus, Refusal> {
    let handed_out = results.hand_out();
    let mut sentences = report.not_done.clone();
    sentences.extend(handed_out.err().into_iter().flat_map(|NotWritten(sentences)| sentences));
    let status = match report.result {
        Verdict::Fail => ExitStatus::Mismatch,
        Verdict::Interrupted => ExitStatus::Interrupted,
        Verdict::Empty => {
            sentences.push(report.why_empty());
            ExitStatus::Refused
        }
        Verdict::Pass if sentences.is_empty() => ExitStatus::Success,
        Verdict::Pass => ExitStatus::Refused,
    };
    sentences.iter().for_each(|sentence| say(sentence));
    Ok(status)
}

/// Refuses options of which more than one is standard output.
pub fn one_standard_output(options: &[(&str, Option<&Path>)]) -> Result<(), Refusal> {
    let mut standard = options.iter().filter(|(_, path)| path.is_some_and(is_standard_output));
    match (standard.next(), standard.next()) {
        (Some((first, _)), Some((second, _))) => {
            Err(format!("{first} and {second} are both `-`; one of them may be standard output").into())
        }
        _ => Ok(()),
    }
}

/// Writes a sentence to standard error, on one line, if anybody reads it.
pub fn say(sentence: &dyn fmt::Display) {
    let _ = writeln!(io::stderr(), "respray: {}", one_line(&sentence.to_string()));
}

/// Tells on standard error what of the input was passed over.
pub fn warn(warnings: &[String]) {
    warnings.iter().for_each(|warning| say(&format!("warning: {warning}")));
}

/// From here on only what is handed out goes to standard output; what Verilog prints goes to standard error.
pub fn claim_standard_output() -> Result<(), Refusal> {
    output::claim_standard_output().map_err(|error| format!("standard output cannot be used: {error}").into())
}

/// Whoever closed standard output has read enough.
fn is_closed_pipe(error: &OutputError) -> bool {
    is_standard_output(&error.path) && error.source.kind() == io::ErrorKind::BrokenPipe
}
