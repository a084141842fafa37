//! Reading of op traces.

use std::fs::File;
use std::io::{BufRead, BufReader, Read};
use std::path::Path;

use flate2::bufread::MultiGzDecoder;

use super::fields::{Fields, Refusal, number};
use super::{OpTrace, OpTraceError, Row, SETTINGS_MARK, Settings};

impl<R: Row> OpTrace<R> {
    /// Reads and checks a whole file, gzipped or not. The first bad line is refused with its number.
    pub fn read(path: &Path, limits: &R::Limits) -> Result<OpTrace<R>, OpTraceError> {
        let name = path.display().to_string();
        let failed = |source| OpTraceError::File { file: name.clone(), action: "read", source };
        let mut file = BufReader::new(File::open(path).map_err(failed)?);
        let gzipped = file.fill_buf().map_err(failed)?.starts_with(&[0x1f, 0x8b]);
        if gzipped {
            OpTrace::parse(BufReader::new(MultiGzDecoder::new(file)), &name, limits)
        } else {
            OpTrace::parse(file, &name, limits)
        }
    }

    /// Reads a trace from text; `name` stands for it in errors.
    pub fn parse(input: impl BufRead, name: &str, limits: &R::Limits) -> Result<OpTrace<R>, OpTraceError> {
        let trace = OpTrace { seed: None, settings: R::Settings::default(), notes: vec![], rows: vec![] };
        let mut parser = Parser { name, limits, line: 0, places: vec![None; R::COLUMNS.len()], trace };
        parser.parse(input)?;
        Ok(parser.trace)
    }
}

struct Parser<'a, R: Row> {
    name: &'a str,
    limits: &'a R::Limits,
    /// Line that is being read, from 1.
    line: u64,
    /// Where each of [`Row::COLUMNS`] stands in the file.
    places: Vec<Option<usize>>,
    trace: OpTrace<R>,
}

impl<R: Row> Parser<'_, R> {
    fn parse(&mut self, mut input: impl BufRead) -> Result<(), OpTraceError> {
        self.comments(&mut input)?;
        let before = self.line;
        let mut csv = csv::ReaderBuilder::new().comment(Some(b'#')).trim(csv::Trim::All).from_reader(input);
        self.line = before + 1;
        let header = csv.headers().map_err(|error| self.csv_error(before, error))?.clone();
        self.header(&header)?;
        let mut record = csv::StringRecord::new();
        while csv.read_record(&mut record).map_err(|error| self.csv_error(before, error))? {
            self.line = before + record.position().map_or(0, csv::Position::line);
            let fields = Fields { record: &record, places: &self.places, names: R::COLUMNS };
            let row = R::read(&fields, self.limits).map_err(|refusal| self.refused(refusal))?;
            self.trace.rows.push(row);
        }
        Ok(())
    }

    /// The comments before the column names.
    fn comments(&mut self, input: &mut impl BufRead) -> Result<(), OpTraceError> {
        let file = self.name;
        let failed = |source| OpTraceError::File { file: file.to_string(), action: "read", source };
        while input.fill_buf().map_err(failed)?.starts_with(b"#") {
            let mut bytes = Vec::new();
            input.by_ref().take(1 << 16).read_until(b'\n', &mut bytes).map_err(failed)?;
            self.line += 1;
            let text = String::from_utf8_lossy(&bytes).trim_start_matches('#').trim().to_string();
            match text.strip_prefix(SETTINGS_MARK) {
                Some(settings) => self.settings(settings).map_err(|refusal| self.refused(refusal))?,
                None => self.trace.notes.push(text),
            }
        }
        Ok(())
    }

    fn settings(&mut self, text: &str) -> Result<(), Refusal> {
        let names = R::Settings::NAMES;
        for word in text.split_whitespace() {
            let (name, value) = word.split_once('=').unwrap_or((word, ""));
            let place = names.iter().position(|known| *known == name);
            match place {
                _ if name == "seed" => self.trace.seed = Some(number("seed", value, 0xffff)? as u16),
                Some(place) => {
                    let last = R::Settings::last(place, self.limits);
                    self.trace.settings.set(place, number(names[place], value, last)?);
                }
                None => return Err(Refusal::new("respray:", word, allowed_settings(names))),
            }
        }
        Ok(())
    }

    fn header(&mut self, header: &csv::StringRecord) -> Result<(), OpTraceError> {
        let columns = R::COLUMNS;
        let (file, line) = (self.name.to_string(), self.line);
        for (place, name) in header.iter().enumerate() {
            let known = columns.iter().position(|column| *column == name);
            match known.map(|column| &mut self.places[column]) {
                Some(column @ None) => *column = Some(place),
                _ => return Err(OpTraceError::Column { file, line, column: name.to_string(), columns }),
            }
        }
        match (0..R::NEEDED).find(|&column| self.places[column].is_none()) {
            Some(missing) => {
                Err(OpTraceError::MissingColumn { file, line, column: columns[missing], columns })
            }
            None => Ok(()),
        }
    }

    fn refused(&self, refusal: Refusal) -> OpTraceError {
        let Refusal { column, value, allowed } = refusal;
        OpTraceError::Field { file: self.name.to_string(), line: self.line, column, value, allowed }
    }

    /// The csv crate's own refusals: a line with more or fewer fields, text that is not UTF-8, a broken gzip stream.
    fn csv_error(&self, before: u64, error: csv::Error) -> OpTraceError {
        let line = before + error.position().map_or(self.line - before, csv::Position::line);
        let file = self.name.to_string();
        match error.into_kind() {
            csv::ErrorKind::Io(source) => OpTraceError::File { file, action: "read", source },
            csv::ErrorKind::UnequalLengths { expected_len, len, .. } => {
                OpTraceError::Csv { file, line, message: format!("{len} fields; allowed: {expected_len}") }
            }
            csv::ErrorKind::Utf8 { .. } => OpTraceError::Csv { file, line, message: "not UTF-8 text".into() },
            _ => OpTraceError::Csv { file, line, message: "not CSV".into() },
        }
    }
}

/// `seed=, freeze_timeout= and bdp_packets=`.
fn allowed_settings(names: &[&str]) -> String {
    let mut words: Vec<String> =
        std::iter::once(&"seed").chain(names).map(|name| format!("{name}=")).collect();
    let last = words.pop().unwrap_or_default();
    if words.is_empty() { last } else { format!("{} and {last}", words.join(", ")) }
}
