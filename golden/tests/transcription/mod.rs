//! Op traces of the second transcriptions in Python, as `tb/reference/README.md` describes them.

use std::collections::HashMap;
use std::fs::File;
use std::path::{Path, PathBuf};

use flate2::read::GzDecoder;

/// A line of a trace, by its columns.
pub type Line = HashMap<String, String>;

/// The traces of a core.
pub struct Traces(PathBuf);

impl Traces {
    pub fn of(core: &str) -> Traces {
        let folder = format!("../../tb/reference/{core}_traces");
        Traces(Path::new(env!("CARGO_MANIFEST_DIR")).join(folder))
    }

    /// The settings beside a trace, by their names.
    pub fn settings(&self, name: &str) -> HashMap<String, String> {
        let settings = csv::Reader::from_path(self.0.join(format!("{name}.settings.csv"))).unwrap();
        settings.into_deserialize().map(Result::unwrap).collect()
    }

    /// The lines of a trace, with their numbers in the file.
    pub fn lines(&self, name: &str) -> impl Iterator<Item = (usize, Line)> + use<> {
        let file = File::open(self.0.join(format!("{name}.csv.gz"))).unwrap();
        let lines = csv::Reader::from_reader(GzDecoder::new(file)).into_deserialize::<Line>();
        (2..).zip(lines.map(Result::unwrap))
    }
}

/// A number of a column; an empty one is 0.
pub fn number(line: &Line, column: &str) -> u64 {
    let text = line[column].as_str();
    match text.strip_prefix("0x") {
        Some(digits) => u64::from_str_radix(digits, 16).unwrap(),
        None if text.is_empty() => 0,
        None => text.parse().unwrap(),
    }
}
