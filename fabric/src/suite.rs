//! Many runs, in parts on many machines: each run is a file of its own, whole or not there, so that a part that was killed goes on where
//! it stopped, and runs are put together by their keys.

use std::collections::HashMap;
use std::fs;
use std::path::{Path, PathBuf};

use respray_files::output::write;
use respray_files::quote::{Message, Quoted};
use serde::{Deserialize, Serialize};

use crate::error::FabricError;
use crate::request::{NUMBERS, PlanError, Request, Unit};
use crate::text::{self, check_numbers, toml_message};

/// A file of requests: `[[run]]` with the fields of [`Request`].
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
struct Suite {
    run: Vec<Request>,
}

/// Most parts of a suite.
pub const MOST_PARTS: usize = 1_000_000;

/// Part `index` of `of`, from 1 on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Part {
    pub index: usize,
    pub of: usize,
}

impl std::str::FromStr for Part {
    type Err = String;

    fn from_str(text: &str) -> Result<Part, String> {
        let parts =
            text.split_once('/').and_then(|(index, of)| Some((index.parse().ok()?, of.parse().ok()?)));
        match parts {
            Some((index, of)) if index >= 1 && index <= of && of <= MOST_PARTS => Ok(Part { index, of }),
            _ => Err(format!("allowed: I/N with I from 1 to N, and N up to {MOST_PARTS}")),
        }
    }
}

impl std::fmt::Display for Part {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}/{}", self.index, self.of)
    }
}

/// All runs of a suite in their order. Files that it names are sought in its own folder.
///
/// # Errors
/// [`PlanError`] on bad input; two runs with one key are bad input.
pub fn plan(file: &Path) -> Result<Vec<Unit>, PlanError> {
    let text = text::toml(file)?;
    let refuse = |message: String| FabricError::File { file: file.display().to_string(), message };
    let read = |error: toml::de::Error| refuse(toml_message(&error, &text));
    let table: toml::Table = toml::from_str(&text).map_err(read)?;
    for run in table.get("run").and_then(toml::Value::as_array).into_iter().flatten() {
        let Some(run) = run.as_table() else { continue };
        let name = run.get("name").and_then(toml::Value::as_str).unwrap_or_default();
        let of_run = |message: String| refuse(format!("run `{}`: {message}", Quoted(name)));
        check_numbers(run, NUMBERS).map_err(of_run)?;
    }
    let suite: Suite = toml::from_str(&text).map_err(read)?;
    let folder = file.parent().unwrap_or(Path::new(""));
    let mut units = Vec::new();
    for request in suite.run {
        units.extend(Request { folder: folder.to_path_buf(), ..request }.plan()?);
    }
    let mut keys = HashMap::new();
    for unit in &units {
        if keys.insert(unit.key(), ()).is_some() {
            let key = unit.key();
            let message = format!(
                "two runs are called `{}`; allowed: each `name` with each selector once",
                Quoted(&key)
            );
            return Err(refuse(message).into());
        }
    }
    if units.is_empty() {
        return Err(refuse("it has no run; allowed: one [[run]] or more".into()).into());
    }
    Ok(units)
}

/// The runs of a part, with their places in the suite.
pub fn of_part(units: &[Unit], part: Part) -> Vec<(usize, &Unit)> {
    units.iter().enumerate().filter(|(place, _)| place % part.of == part.index - 1).collect()
}

/// What a folder holds of a run.
#[derive(Debug, Serialize, Deserialize)]
struct Done {
    /// Key of the run, and a number of all that it was asked for.
    key: String,
    asked: String,
    /// Its record, a line.
    record: String,
}

/// A number of all that a run is asked for, by which a file of an older suite is known.
fn asked(unit: &Unit) -> String {
    let text = serde_json::to_string(&unit.request).expect("a request is plain data, which JSON takes");
    let text = format!("{text} {} {} {}", unit.choice, unit.scenario.seed, env!("CARGO_PKG_VERSION"));
    format!("{:016x}", respray_golden::paths::hash::fold(text.as_bytes()))
}

/// The file of the run at this place.
fn file(folder: &Path, place: usize) -> PathBuf {
    folder.join(format!("run_{place:05}.json"))
}

/// Whether a folder has the result of a run.
///
/// # Errors
/// [`FabricError::File`] where it has one of another suite.
pub fn is_done(folder: &Path, place: usize, unit: &Unit) -> Result<bool, FabricError> {
    Ok(find(folder, place, unit)?.is_some())
}

fn find(folder: &Path, place: usize, unit: &Unit) -> Result<Option<String>, FabricError> {
    let path = file(folder, place);
    let text = match fs::read_to_string(&path) {
        Ok(text) => text,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(None),
        Err(source) => return Err(FabricError::Read { file: path, source }),
    };
    let refuse = |message: String| FabricError::File { file: path.display().to_string(), message };
    let done: Done = serde_json::from_str(&text)
        .map_err(|error| refuse(format!("it is no result of a run: {}", Message(&error.to_string()))))?;
    if (done.key.as_str(), done.asked) != (&unit.key(), asked(unit)) {
        let message = format!(
            "it is the run `{}` of another suite or version; allowed: a folder of this suite alone",
            Quoted(&done.key)
        );
        return Err(refuse(message));
    }
    Ok(Some(done.record))
}

/// Keeps the record of a run, a line.
///
/// # Errors
/// If the file cannot be written.
pub fn keep(folder: &Path, place: usize, unit: &Unit, record: String) -> Result<(), FabricError> {
    let done = Done { key: unit.key(), asked: asked(unit), record };
    let text = serde_json::to_string(&done).expect("a result is plain data, which JSON takes") + "\n";
    Ok(write(&file(folder, place), text.as_bytes())?)
}

/// The records of all runs in the order of the suite, a line each.
///
/// # Errors
/// [`FabricError::File`] where a run is missing, or two folders have it.
pub fn merge(suite: &Path, units: &[Unit], folders: &[PathBuf]) -> Result<String, FabricError> {
    let refuse = |message: String| FabricError::File { file: suite.display().to_string(), message };
    let (mut lines, mut missing) = (String::new(), Vec::new());
    for (place, unit) in units.iter().enumerate() {
        let mut found = Vec::new();
        for folder in folders {
            if let Some(record) = find(folder, place, unit)? {
                found.push((folder, record));
            }
        }
        match found.as_slice() {
            [] => missing.push((place, unit.key())),
            [(_, record)] => lines += record,
            [(a, _), (b, _), ..] => {
                return Err(refuse(format!(
                    "the run `{}` is in {} and in {}; allowed: each run once",
                    Quoted(&unit.key()),
                    a.display(),
                    b.display()
                )));
            }
        }
    }
    match missing.first() {
        None => Ok(lines),
        Some((place, key)) => Err(refuse(format!(
            "{} of {} runs are missing, the first is `{}`; it is one of part {}/N for N parts, run them first",
            missing.len(),
            units.len(),
            Quoted(key),
            format_args!("({place} modulo N, plus 1)"),
        ))),
    }
}
