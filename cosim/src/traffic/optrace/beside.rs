//! What stands beside an op trace: `NAME.settings.csv` beside `NAME.csv` or `NAME.csv.gz`.
//!
//! Its lines are `name,value`, and so is its first one. A name is a key of the configuration, a setting of the core, or `seed`. Each
//! holds where neither the command line nor the trace itself gives another.

use std::fs::File;
use std::io::BufReader;
use std::path::{Path, PathBuf};

use respray_hdl::config::{self, Config, Found, canonical};
use respray_hdl::contract::Contract;

use super::read::{LONGEST_LINE, read_error, whole};
use super::{OpTraceError, Settings};
use crate::traffic::lines::BoundedLines;

/// The columns of the file.
const COLUMNS: [&str; 2] = ["name", "value"];

/// The lines of the file beside a trace.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Beside {
    /// Keys of the configuration.
    pub keys: Vec<Found>,
    /// The others.
    ports: Vec<Port>,
    file: String,
}

/// A setting of the core, or the seed.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Port {
    line: u64,
    name: String,
    value: String,
}

impl Beside {
    /// Reads what stands beside a trace of a core with this contract; nothing where there is no such file.
    ///
    /// # Errors
    /// On a file that cannot be read, and on a line that is not a name of those above with a value, or whose name stands there
    /// twice. What a value may be is said where it is used.
    pub fn read(trace: &Path, contract: &Contract) -> Result<Beside, OpTraceError> {
        let path = place(trace);
        if !path.exists() {
            return Ok(Beside::default());
        }
        let file = path.display().to_string();
        let input = File::open(&path).map_err(|source| OpTraceError::File { file: file.clone(), source })?;
        let refused = |line, column: &str, value: &str, allowed: String| {
            let (file, column) = (file.clone(), column.to_string());
            OpTraceError::Field { file, line, column, value: value.chars().take(40).collect(), allowed }
        };
        let mut lines = BoundedLines::new(BufReader::new(input), LONGEST_LINE);
        let (mut line, mut bytes) = (0, Vec::new());
        let mut next = || {
            let is_there = lines.next_line(&mut bytes).map_err(|source| read_error(&file, source))?;
            line += 1;
            let not_utf8 =
                |_| OpTraceError::Csv { file: file.clone(), line, message: "not UTF-8 text".into() };
            let text = std::str::from_utf8(&bytes).map_err(not_utf8)?;
            Ok((is_there, line, text.trim().to_string()))
        };
        let (_, _, header) = next()?;
        if header.split(',').map(str::trim).ne(COLUMNS) {
            return Err(refused(1, "the first line", &header, COLUMNS.join(",")));
        }
        let mut beside = Beside { file: file.clone(), ..Beside::default() };
        let mut names = Vec::new();
        loop {
            let (is_there, line, text) = next()?;
            if !is_there {
                return Ok(beside);
            }
            if text.is_empty() || text.starts_with('#') {
                continue;
            }
            let (name, value) = match text.split_once(',') {
                Some((name, value)) if !value.contains(',') => {
                    (name.trim().to_string(), value.trim().to_string())
                }
                _ => {
                    let message = "not a line of name,value".into();
                    return Err(OpTraceError::Csv { file, line, message });
                }
            };
            if names.contains(&canonical(&name)) {
                return Err(refused(line, "name", &name, "each name once".into()));
            }
            names.push(canonical(&name));
            let is_key = config::KEYS.iter().any(|key| key.name == canonical(&name));
            let is_port = contract.driver_settings().any(|(_, field, _)| field.name == name);
            if is_key {
                beside.keys.push(Found { place: format!("{file}:{line}"), key: name, value });
            } else if is_port || name == "seed" {
                beside.ports.push(Port { line, name, value });
            } else {
                let ports = contract.driver_settings().map(|(_, field, _)| field.name);
                let keys = config::KEYS.iter().map(|key| key.name);
                let allowed = keys.chain(ports).chain(["seed"]).collect::<Vec<_>>().join(", ");
                return Err(refused(line, "name", &name, allowed));
            }
        }
    }

    /// The settings of the core and the seed, checked against the widths of its ports.
    pub(super) fn ports(
        &self,
        contract: &Contract,
        config: &Config,
    ) -> Result<(Settings, Option<u16>), OpTraceError> {
        let (mut settings, mut seed) = (Settings::default(), None);
        for Port { line, name, value } in &self.ports {
            let field =
                contract.driver_settings().map(|(_, field, _)| field).find(|field| field.name == name);
            let last = field.map_or(0xffff, |field| field.last(config));
            let value = whole(name, value, last).map_err(|refusal| refusal.at(&self.file, *line))?;
            match field {
                Some(field) => settings.set(field.name, value),
                None => seed = Some(value as u16),
            }
        }
        Ok((settings, seed))
    }
}

/// The file beside a trace, if there is one.
fn place(trace: &Path) -> PathBuf {
    let name = trace.file_name().unwrap_or_default().to_string_lossy();
    let name = name.strip_suffix(".gz").unwrap_or(&name);
    let name = name.strip_suffix(".csv").unwrap_or(name);
    trace.with_file_name(format!("{name}.settings.csv"))
}
