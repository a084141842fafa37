//! A workload of a file: flows, a line each.

use std::collections::HashMap;
use std::io::BufRead;
use std::path::Path;

use respray_files::quote::Quoted;
use respray_files::range::Whole;

use crate::error::FabricError;
use crate::flows::{BYTES, Flow, MOST_FLOWS, Start};
use crate::text::{lines, unread};
use crate::time::{LONGEST, NANOSECOND};

/// The columns, in any order; the last need not be there.
const COLUMNS: [&str; 6] = ["id", "src", "dst", "bytes", "start_ns", "after_id"];

const IDS: Whole = Whole::new(0, u64::MAX);
const STARTS_NS: Whole = Whole::new(0, LONGEST / NANOSECOND);

/// What the file looks like, for sentences.
pub fn form() -> String {
    format!(
        "a CSV file of flows, gzipped or not, whose name ends with .csv or .csv.gz and whose first line is {}: `bytes` of {BYTES}, \
         `start_ns` of {STARTS_NS} in rising order, `after_id` the id of a line above, whose end begins the flow, or nothing",
        COLUMNS.join(",")
    )
}

/// The flows of a file.
///
/// # Errors
/// [`FabricError::Read`], or [`FabricError::Line`] on a line that is no flow.
pub fn read(path: &Path, hosts: u32) -> Result<Vec<Flow>, FabricError> {
    let mut reader = Reader {
        path,
        hosts: Whole::new(0, u64::from(hosts) - 1),
        places: [None; 6],
        flows: Vec::new(),
        ids: HashMap::new(),
        last_start: 0,
    };
    reader.read(lines(path)?)?;
    Ok(reader.flows)
}

struct Reader<'a> {
    path: &'a Path,
    hosts: Whole,
    /// Where each column stands.
    places: [Option<usize>; 6],
    flows: Vec<Flow>,
    /// Places of flows by their ids.
    ids: HashMap<u64, u32>,
    last_start: u64,
}

impl Reader<'_> {
    fn read(&mut self, input: impl BufRead) -> Result<(), FabricError> {
        let mut csv = csv::ReaderBuilder::new();
        let csv = csv.comment(Some(b'#')).trim(csv::Trim::All).quoting(false).has_headers(false);
        let mut csv = csv.from_reader(input);
        let mut record = csv::StringRecord::new();
        let (mut line, mut has_head) = (1, false);
        while csv.read_record(&mut record).map_err(|error| self.unread(line, error))? {
            line = record.position().map_or(line, csv::Position::line);
            let refuse = |message| FabricError::Line { file: self.path.to_path_buf(), line, message };
            if has_head {
                let flow = self.flow(&record).map_err(refuse)?;
                self.flows.push(flow);
            } else {
                self.places = places(&record).map_err(refuse)?;
                has_head = true;
            }
        }
        match self.flows.is_empty() {
            true => Err(FabricError::Line {
                file: self.path.to_path_buf(),
                line,
                message: "it has no flow; allowed: one or more lines below the names of the columns".into(),
            }),
            false => Ok(()),
        }
    }

    /// The flow of a line.
    fn flow(&mut self, record: &csv::StringRecord) -> Result<Flow, String> {
        if self.flows.len() as u64 == MOST_FLOWS {
            return Err(format!("it has more than {MOST_FLOWS} flows, the most that a run has"));
        }
        let text =
            |column: usize| self.places[column].and_then(|place| record.get(place)).unwrap_or_default();
        let number = |column: usize, allowed: Whole| {
            let (name, text) = (COLUMNS[column], text(column));
            allowed.read(text).ok_or_else(|| {
                format!("`{name}` is `{}`; allowed: a whole number of {allowed}", Quoted(text))
            })
        };
        let id = number(0, IDS)?;
        let (source, destination) = (number(1, self.hosts)? as u32, number(2, self.hosts)? as u32);
        let bytes = number(3, BYTES)?;
        let start_ns = number(4, STARTS_NS)?;
        let after = match text(5) {
            "" => None,
            _ => Some(number(5, IDS)?),
        };
        if source == destination {
            return Err(format!("`src` and `dst` are both {source}; allowed: two hosts"));
        }
        let start = match after {
            Some(id) => match self.ids.get(&id) {
                Some(place) => Start::After(*place),
                None => return Err(format!("`after_id` is {id}; allowed: the `id` of a line above")),
            },
            None if start_ns < self.last_start => {
                let least = self.last_start;
                return Err(format!("`start_ns` is {start_ns}; allowed: {least} or more, in order"));
            }
            None => {
                self.last_start = start_ns;
                Start::At(start_ns * NANOSECOND)
            }
        };
        if self.ids.insert(id, self.flows.len() as u32).is_some() {
            return Err(format!("`id` {id} stands there twice"));
        }
        Ok(Flow { source, destination, bytes, start })
    }

    /// What the reader of CSV says.
    fn unread(&self, line: u64, error: csv::Error) -> FabricError {
        let line = error.position().map_or(line, csv::Position::line);
        let refuse = |message| FabricError::Line { file: self.path.to_path_buf(), line, message };
        match error.into_kind() {
            csv::ErrorKind::Io(source) => unread(self.path, source),
            csv::ErrorKind::UnequalLengths { expected_len, len, .. } => {
                refuse(format!("it has {len} fields; allowed: {expected_len}, as many as the first line"))
            }
            _ => refuse("it is not UTF-8 text".into()),
        }
    }
}

/// Where each column stands, by the first line.
fn places(head: &csv::StringRecord) -> Result<[Option<usize>; 6], String> {
    let mut places = [None; 6];
    for (place, name) in head.iter().enumerate() {
        let known = COLUMNS.iter().position(|column| *column == name);
        match known.map(|column| &mut places[column]) {
            Some(free @ None) => *free = Some(place),
            _ => {
                return Err(format!(
                    "the first line is to name the columns, and `{}` is none of them, or there twice; allowed: {}",
                    Quoted(name),
                    COLUMNS.join(",")
                ));
            }
        }
    }
    let missing = COLUMNS[..COLUMNS.len() - 1].iter().zip(places).find(|(_, place)| place.is_none());
    match missing {
        Some((name, _)) => {
            Err(format!("the first line has no column `{name}`; allowed: {}", COLUMNS.join(",")))
        }
        None => Ok(places),
    }
}
