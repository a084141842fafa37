//! Many runs, in parts on many machines: each run is a file of its own, whole or not there, so that a part that was
//! killed goes on where it stopped. The file is named by the hash of all that its result follows from, so that a result
//! of other Verilog is never taken.

use std::collections::{HashMap, HashSet};
use std::fs;
use std::path::{Path, PathBuf};

use respray_files::output::write;
use respray_files::quote::{Message, Quoted};
use serde::{Deserialize, Serialize};

use crate::build;
use crate::error::FabricError;
use crate::metrics::{FlowRow, Series};
use crate::record::Record;
use crate::request::{NUMBERS, PlanError, Request, Unit};
use crate::results::Finished;
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

/// The runs of a part.
pub fn of_part(units: &[Unit], part: Part) -> Vec<&Unit> {
    units.iter().skip(part.index - 1).step_by(part.of).collect()
}

/// What a folder holds of a run.
#[derive(Debug, Serialize, Deserialize)]
struct Done {
    /// Key of the run.
    key: String,
    /// [`Unit::hash`]: a run of the same key whose Verilog, build, files or scenario are others has another one.
    hash: String,
    /// Its record, as the line that it is given out as.
    line: String,
    flows: Vec<FlowRow>,
    depths: Vec<u64>,
    series: Option<Series>,
}

impl Done {
    fn record(&self) -> Result<Record, serde_json::Error> {
        serde_json::from_str(&self.line)
    }
}

/// Name of the file of a run: each hash has a file of its own, so that a result is never taken for one of other
/// Verilog.
fn file_name(hash: &str) -> String {
    format!("{PREFIX}{hash}{SUFFIX}")
}

const PREFIX: &str = "run_";
const SUFFIX: &str = ".json";

/// Whether a folder has the result of a run, as the run is now.
///
/// # Errors
/// [`FabricError::File`] where the file of the result is none.
pub fn is_done(folder: &Path, unit: &Unit) -> Result<bool, FabricError> {
    Ok(find(folder, unit)?.is_some())
}

fn find(folder: &Path, unit: &Unit) -> Result<Option<Finished>, FabricError> {
    let hash = unit.hash();
    let path = folder.join(file_name(&hash));
    let text = match fs::read_to_string(&path) {
        Ok(text) => text,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(None),
        Err(source) => return Err(FabricError::Read { file: path, source }),
    };
    let refuse = |message: String| FabricError::File { file: path.display().to_string(), message };
    let no_result = |error: serde_json::Error| {
        refuse(format!("it is no result of a run: {}", Message(&error.to_string())))
    };
    let done: Done = serde_json::from_str(&text).map_err(no_result)?;
    if done.hash != hash {
        let message = format!(
            "it is the run `{}` under the name of another one; allowed: files as a suite has written them",
            Quoted(&done.key)
        );
        return Err(refuse(message));
    }
    let record = done.record().map_err(no_result)?;
    let Done { line, flows, depths, series, .. } = done;
    Ok(Some(Finished { record, line, flows, depths, series }))
}

/// Keeps the result of a run.
///
/// # Errors
/// If the file cannot be written.
pub fn keep(folder: &Path, unit: &Unit, finished: &Finished) -> Result<(), FabricError> {
    let (key, hash) = (unit.key(), unit.hash());
    let path = folder.join(file_name(&hash));
    let Finished { line, flows, depths, series, .. } = finished.clone();
    let done = Done { key, hash, line, flows, depths, series };
    let text = serde_json::to_string(&done).expect("a result is plain data, which JSON takes") + "\n";
    Ok(write(&path, text.as_bytes())?)
}

/// Names of the results in a folder that are of none of these runs: of other Verilog, another build, other files, or
/// another suite.
///
/// # Errors
/// [`FabricError::Read`].
pub fn others(folder: &Path, units: &[Unit]) -> Result<Vec<String>, FabricError> {
    let failed = |source| FabricError::Read { file: folder.to_path_buf(), source };
    let own: HashSet<String> = units.iter().map(|unit| file_name(&unit.hash())).collect();
    let mut others = Vec::new();
    for entry in fs::read_dir(folder).map_err(failed)? {
        let name = entry.map_err(failed)?.file_name().to_string_lossy().into_owned();
        if name.starts_with(PREFIX) && name.ends_with(SUFFIX) && !own.contains(&name) {
            others.push(name);
        }
    }
    others.sort();
    Ok(others)
}

/// What an older result of a run says of itself beside the run as it is now: a piece of a sentence.
fn older(folders: &[PathBuf], units: &[Unit], unit: &Unit) -> Result<Option<String>, FabricError> {
    for folder in folders {
        for name in others(folder, units)? {
            let text = fs::read_to_string(folder.join(&name)).unwrap_or_default();
            let Ok(done) = serde_json::from_str::<Done>(&text) else { continue };
            if done.key != unit.key() {
                continue;
            }
            let (Ok(was), now) = (done.record(), unit.maker.verilog_hash()) else { continue };
            let hash = |hash: &Option<String>| hash.clone().unwrap_or("none".into());
            let what = if was.verilog_hash != now {
                format!(
                    "of other Verilog, with the hash {} in place of {}",
                    hash(&was.verilog_hash),
                    hash(&now)
                )
            } else if was.build_hash != build::hash() {
                format!("of another build, with the hash {} in place of {}", was.build_hash, build::hash())
            } else {
                "of another scenario, of other files or of another version".to_string()
            };
            return Ok(Some(format!("{} is {what}", folder.join(name).display())));
        }
    }
    Ok(None)
}

/// The results of all runs in the order of the suite. Results of other Verilog, of another build or of other files are
/// not among them.
///
/// # Errors
/// [`FabricError::File`] where a run is missing, or two folders have it.
pub fn merge(suite: &Path, units: &[Unit], folders: &[PathBuf]) -> Result<Vec<Finished>, FabricError> {
    let refuse = |message: String| FabricError::File { file: suite.display().to_string(), message };
    let (mut runs, mut missing) = (Vec::new(), Vec::new());
    for (place, unit) in units.iter().enumerate() {
        let mut found = Vec::new();
        for folder in folders {
            if let Some(finished) = find(folder, unit)? {
                found.push((folder, finished));
            }
        }
        if let [(a, _), (b, _), ..] = found.as_slice() {
            return Err(refuse(format!(
                "the run `{}` is in {} and in {}; allowed: each run once",
                Quoted(&unit.key()),
                a.display(),
                b.display()
            )));
        }
        match found.pop() {
            Some((_, finished)) => runs.push(finished),
            None => missing.push((place, unit)),
        }
    }
    let Some((place, unit)) = missing.first() else { return Ok(runs) };
    let older = older(folders, units, unit)?.map_or(String::new(), |older| format!(" ({older})"));
    Err(refuse(format!(
        "{} of {} runs are missing, the first is `{}`{older}; it is one of part {}/N for N parts, run them first",
        missing.len(),
        units.len(),
        Quoted(&unit.key()),
        format_args!("({place} modulo N, plus 1)"),
    )))
}
