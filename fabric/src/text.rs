//! Files that a user writes: text, gzipped or not, and the ranges of the numbers in TOML.

use std::fs::File;
use std::io::{BufRead, BufReader, Read};
use std::path::Path;

use flate2::bufread::MultiGzDecoder;
use respray_cosim::traffic::lines::{BoundedLines, LineTooLong};
use respray_files::quote::{Message, Quoted};
use respray_files::range::{Real, Whole};

use crate::error::FabricError;

/// Bytes of the longest line: a permutation of 65536 hosts has fewer.
const LONGEST_LINE: usize = 1 << 19;

/// Bytes of the longest file in TOML.
const LONGEST_TOML: u64 = 1 << 24;

/// The lines of a file, gzipped or not.
///
/// # Errors
/// [`FabricError::Read`].
pub fn lines(path: &Path) -> Result<Box<dyn BufRead>, FabricError> {
    let failed = |source| FabricError::Read { file: path.to_path_buf(), source };
    let mut file = BufReader::new(File::open(path).map_err(failed)?);
    let is_gzipped = file.fill_buf().map_err(failed)?.starts_with(&[0x1f, 0x8b]);
    Ok(match is_gzipped {
        true => Box::new(BoundedLines::new(BufReader::new(MultiGzDecoder::new(file)), LONGEST_LINE)),
        false => Box::new(BoundedLines::new(file, LONGEST_LINE)),
    })
}

/// What could not be read of lines: a line that is too long has its number.
pub(crate) fn unread(path: &Path, source: std::io::Error) -> FabricError {
    match LineTooLong::of(&source) {
        Some(found) => {
            FabricError::Line { file: path.to_path_buf(), line: found.line, message: found.to_string() }
        }
        None => FabricError::Read { file: path.to_path_buf(), source },
    }
}

/// The text of a file in TOML.
///
/// # Errors
/// [`FabricError::Read`].
pub(crate) fn toml(path: &Path) -> Result<String, FabricError> {
    let failed = |source| FabricError::Read { file: path.to_path_buf(), source };
    let mut text = String::new();
    File::open(path).map_err(failed)?.take(LONGEST_TOML + 1).read_to_string(&mut text).map_err(failed)?;
    if text.len() as u64 > LONGEST_TOML {
        let message = format!("it is longer than {LONGEST_TOML} bytes, the most that it may have");
        return Err(FabricError::File { file: path.display().to_string(), message });
    }
    Ok(text)
}

/// The text of a file with Verilog.
///
/// # Errors
/// [`FabricError::Read`].
pub(crate) fn verilog(path: &Path) -> Result<String, FabricError> {
    std::fs::read_to_string(path).map_err(|source| FabricError::Read { file: path.to_path_buf(), source })
}

/// What a number in TOML may be.
#[derive(Clone, Copy, Debug)]
pub enum Number {
    Whole(Whole),
    Real(Real),
}

impl std::fmt::Display for Number {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Number::Whole(range) => range.fmt(f),
            Number::Real(range) => range.fmt(f),
        }
    }
}

/// Holds the numbers of a table, where they are there, against their ranges, by dotted names.
///
/// # Errors
/// A sentence's piece on the first that is outside of its range or is none.
pub(crate) fn check_numbers(
    table: &toml::Table,
    numbers: impl IntoIterator<Item = (&'static str, Number)>,
) -> Result<(), String> {
    for (name, number) in numbers {
        let mut words = name.split('.');
        let first = words.next().and_then(|word| table.get(word));
        let Some(value) = words.fold(first, |value, word| value?.as_table()?.get(word)) else { continue };
        let is_allowed = match (value, number) {
            (toml::Value::Integer(value), Number::Whole(range)) => {
                u64::try_from(*value).is_ok_and(|value| range.contains(value))
            }
            (toml::Value::Integer(value), Number::Real(range)) => range.contains(*value as f64),
            (toml::Value::Float(value), Number::Real(range)) => range.contains(*value),
            _ => false,
        };
        if !is_allowed {
            let value = value.to_string();
            return Err(format!("`{name}` is {}; allowed: {number}", Quoted(value.trim())));
        }
    }
    Ok(())
}

/// What the reader of TOML says, in one line, with the line that it means.
pub(crate) fn toml_message(error: &toml::de::Error, text: &str) -> String {
    let message = Message(error.message());
    match error.span() {
        Some(span) => {
            let line = text[..span.start.min(text.len())].matches('\n').count() + 1;
            format!("line {line}: {message}")
        }
        None => message.to_string(),
    }
}
