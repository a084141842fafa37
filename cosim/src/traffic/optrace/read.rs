//! Reading of op traces.

use std::fs::File;
use std::io::{BufRead, BufReader};
use std::path::Path;

use respray_hdl::config::Config;
use respray_hdl::contract::{Base, Contract, Field, Words};

use super::backwards::Backwards;
use super::columns::{clock, range};
use super::settings::names;
use super::{Beside, Column, Content, OpTrace, OpTraceError, SETTINGS_MARK, columns};
use crate::traffic::gzip::{GZIP, Unpacked};
use crate::traffic::lines::{BoundedLines, LineTooLong};
use crate::traffic::stimulus::{Event, Expectation, Line};

/// Bytes of the longest line. The widest line of ops has some tens of fields of 20 characters; a comment may hold a command with
/// the names of some files, which the system bounds at 4096 bytes each.
pub const LONGEST_LINE: usize = 1 << 16;

/// The op of a line that is a clock edge with `rst` high.
pub(super) const RESET: &str = "reset";

/// A field that is not allowed.
pub(super) struct Refusal {
    column: String,
    value: String,
    /// What may stand there.
    allowed: String,
}

impl Refusal {
    /// Refuses `value`, of which no more than 40 characters are repeated.
    fn new(column: impl Into<String>, value: &str, allowed: impl Into<String>) -> Refusal {
        Refusal { column: column.into(), value: value.chars().take(40).collect(), allowed: allowed.into() }
    }

    /// As the error of a line of a file.
    pub(super) fn at(self, file: &str, line: u64) -> OpTraceError {
        let Refusal { column, value, allowed } = self;
        OpTraceError::Field { file: file.to_string(), line, column, value, allowed }
    }
}

impl<O: Words> OpTrace<O> {
    /// Reads and checks a whole file, gzipped or not, and what [stands beside it](Beside). The first bad line is refused with its
    /// number.
    pub fn read(path: &Path, contract: &Contract, config: &Config) -> Result<Self, OpTraceError> {
        let (settings, seed) = Beside::read(path, contract)?.ports(contract, config)?;
        let trace = OpTrace::read_alone(path, contract, config)?;
        Ok(OpTrace { settings: trace.settings.or(&settings), seed: trace.seed.or(seed), ..trace })
    }

    fn read_alone(path: &Path, contract: &Contract, config: &Config) -> Result<Self, OpTraceError> {
        let name = path.display().to_string();
        let failed = |source| OpTraceError::File { file: name.clone(), source };
        let mut file = BufReader::new(File::open(path).map_err(failed)?);
        let gzipped = file.fill_buf().map_err(failed)?.starts_with(&GZIP);
        if gzipped {
            OpTrace::parse(BufReader::new(Unpacked::new(file)), &name, contract, config)
        } else {
            OpTrace::parse(file, &name, contract, config)
        }
    }

    /// Reads a trace from text; `name` stands for it in errors.
    pub fn parse(
        input: impl BufRead,
        name: &str,
        contract: &Contract,
        config: &Config,
    ) -> Result<Self, OpTraceError> {
        let columns = columns(contract);
        let mut parser = Parser {
            name,
            line: 0,
            places: vec![None; columns.len()],
            reader: LineReader {
                contract,
                config,
                columns,
                op_fields: contract.op_fields().collect(),
                shown_fields: contract.shown_fields().collect(),
                kinds: contract.kind_names(),
            },
            trace: OpTrace::default(),
            backwards: Backwards::new(contract, config),
        };
        parser.parse(BoundedLines::new(input, LONGEST_LINE))?;
        let warnings = parser.backwards.warning(name).into_iter().collect();
        Ok(OpTrace { warnings, ..parser.trace })
    }
}

struct Parser<'a, O> {
    name: &'a str,
    /// Line that is being read, from 1.
    line: u64,
    /// Where each of the contract's columns stands in the file.
    places: Vec<Option<usize>>,
    reader: LineReader<'a>,
    trace: OpTrace<O>,
    backwards: Backwards,
}

impl<O: Words> Parser<'_, O> {
    fn parse(&mut self, mut input: BoundedLines<impl BufRead>) -> Result<(), OpTraceError> {
        self.comments(&mut input)?;
        let before = self.line;
        // without quoting no field goes on in the next line, so that what bounds lines bounds fields
        let mut csv = csv::ReaderBuilder::new();
        let csv = csv.comment(Some(b'#')).trim(csv::Trim::All).quoting(false);
        let mut csv = csv.from_reader(input);
        self.line = before + 1;
        let header = csv.headers().map_err(|error| self.csv_error(before, error))?.clone();
        self.header(&header)?;
        let mut record = csv::StringRecord::new();
        while csv.read_record(&mut record).map_err(|error| self.csv_error(before, error))? {
            self.line = before + record.position().map_or(0, csv::Position::line);
            let text = |column: usize| {
                let text = self.places[column].and_then(|place| record.get(place));
                text.map_or("", without_quotes)
            };
            let line = self.reader.read(&text).map_err(|refusal| self.refused(refusal))?;
            match line.event {
                Event::Op(_) => self.backwards.op(self.line, line.time),
                Event::Reset { .. } => self.backwards.reset(),
            }
            self.trace.lines.push(line);
        }
        if self.trace.lines.is_empty() {
            let (file, line) = (self.name.to_string(), self.line);
            return Err(OpTraceError::Csv {
                file,
                line,
                message: "no op follows the names of the columns".into(),
            });
        }
        Ok(())
    }

    /// The comments before the column names.
    fn comments(&mut self, input: &mut BoundedLines<impl BufRead>) -> Result<(), OpTraceError> {
        let file = self.name;
        let failed = |source| read_error(file, source);
        let mut bytes = Vec::new();
        while input.fill_buf().map_err(failed)?.starts_with(b"#") {
            input.next_line(&mut bytes).map_err(failed)?;
            self.line += 1;
            let text = std::str::from_utf8(&bytes).map_err(|_| self.not_utf8(self.line))?;
            let text = text.trim_start_matches('#').trim().to_string();
            match text.strip_prefix(SETTINGS_MARK) {
                Some(settings) => self.settings(settings).map_err(|refusal| self.refused(refusal))?,
                None => self.trace.notes.push(text),
            }
        }
        Ok(())
    }

    fn settings(&mut self, text: &str) -> Result<(), Refusal> {
        let LineReader { contract, config, .. } = self.reader;
        for word in text.split_whitespace() {
            let (name, value) = word.split_once('=').unwrap_or((word, ""));
            let known = contract.driver_settings().find(|(_, field, _)| field.name == name);
            match known {
                _ if name == "seed" => self.trace.seed = Some(whole("seed", value, 0xffff)? as u16),
                Some((_, field, _)) => {
                    self.trace.settings.set(field.name, whole(field.name, value, field.last(config))?);
                }
                None => return Err(Refusal::new(SETTINGS_MARK, word, allowed_settings(&names(contract)))),
            }
        }
        Ok(())
    }

    fn header(&mut self, header: &csv::StringRecord) -> Result<(), OpTraceError> {
        let (file, line) = (self.name.to_string(), self.line);
        let columns = || self.reader.columns.iter().map(|column| column.name.clone()).collect();
        for (place, name) in header.iter().map(without_quotes).enumerate() {
            let known = self.reader.columns.iter().position(|column| column.name == name);
            match known.map(|column| &mut self.places[column]) {
                Some(column @ None) => *column = Some(place),
                _ => {
                    let column = name.to_string();
                    return Err(OpTraceError::Column { file, line, column, columns: columns() });
                }
            }
        }
        match (0..self.reader.contract.trace.needed).find(|&column| self.places[column].is_none()) {
            Some(missing) => {
                let column = self.reader.columns[missing].name.clone();
                Err(OpTraceError::MissingColumn { file, line, column, columns: columns() })
            }
            None => Ok(()),
        }
    }

    fn refused(&self, refusal: Refusal) -> OpTraceError {
        refusal.at(self.name, self.line)
    }

    fn not_utf8(&self, line: u64) -> OpTraceError {
        OpTraceError::Csv { file: self.name.to_string(), line, message: "not UTF-8 text".into() }
    }

    /// The csv crate's own refusals: a line with more or fewer fields, text that is not UTF-8, a broken gzip stream.
    fn csv_error(&self, before: u64, error: csv::Error) -> OpTraceError {
        let line = before + error.position().map_or(self.line - before, csv::Position::line);
        let file = self.name.to_string();
        match error.into_kind() {
            csv::ErrorKind::Io(source) => read_error(&file, source),
            csv::ErrorKind::UnequalLengths { expected_len, len, .. } => {
                OpTraceError::Csv { file, line, message: format!("{len} fields; allowed: {expected_len}") }
            }
            csv::ErrorKind::Utf8 { .. } => self.not_utf8(line),
            _ => OpTraceError::Csv { file, line, message: "not CSV".into() },
        }
    }
}

pub(super) fn read_error(file: &str, source: std::io::Error) -> OpTraceError {
    let file = file.to_string();
    match LineTooLong::of(&source) {
        Some(too_long) => OpTraceError::Csv { file, line: too_long.line, message: too_long.to_string() },
        None => OpTraceError::File { file, source },
    }
}

/// A field as a spreadsheet may write it. No value of a trace has a quotation mark in it.
fn without_quotes(field: &str) -> &str {
    let inside = field.strip_prefix('"').and_then(|field| field.strip_suffix('"'));
    inside.map_or(field, str::trim)
}

/// What a core's lines may hold.
struct LineReader<'a> {
    contract: &'a Contract,
    config: &'a Config,
    columns: Vec<Column>,
    op_fields: Vec<&'static Field>,
    shown_fields: Vec<&'static Field>,
    /// Kinds of op by their code.
    kinds: Vec<String>,
}

impl LineReader<'_> {
    /// Reads a line, whose field in a column `text` gives.
    fn read<'t, O: Words>(&self, text: &impl Fn(usize) -> &'t str) -> Result<Line<O>, Refusal> {
        let mut line = Line::reset(None);
        let op_column = self.columns.iter().position(|column| column.content == Content::Op);
        let op_text = text(op_column.unwrap_or_default());
        let code = self.kinds.iter().position(|kind| kind == op_text);
        if code.is_none() && op_text != RESET {
            let names: Vec<&str> = self.kinds.iter().map(String::as_str).chain([RESET]).collect();
            return Err(Refusal::new("op", op_text, names.join(", ")));
        }
        let mut op = O::default();
        let mut seed = None;
        let mut expectation = Expectation::default();
        op.set(0, code.unwrap_or(0) as u64);
        for (index, Column { name, content }) in self.columns.iter().enumerate() {
            let text = text(index);
            if code.is_none() && self.columns[index].is_of_ops_only(self.contract) {
                if !text.is_empty() {
                    return Err(Refusal::new(name, text, "nothing, for a reset"));
                }
                continue;
            }
            match *content {
                Content::Op => {}
                Content::Beside => {
                    optional(name, text, u64::MAX)?;
                }
                Content::Time => line.time = whole(name, text, self.last_time())?,
                Content::Idle => line.idle = optional(name, text, u32::MAX.into())?.unwrap_or(0) as u32,
                Content::Connection if code.is_none() && text.is_empty() => {}
                Content::Connection => op.set(1, self.number(name, text, self.op_fields[1])?),
                Content::Field(place) => {
                    let field = self.op_fields[place];
                    if code.is_none() && self.contract.trace.seed == Some(field.name) {
                        seed = optional(name, text, 0xffff)?.map(|seed| seed as u16);
                    } else if let Some(value) = self.operand(name, text, field, code)? {
                        op.set(place, value);
                    }
                }
                Content::Expect => expectation.word = self.word(text, code)?,
                Content::ExpectField(place) => {
                    let field = self.shown_fields[place];
                    let word = expectation.word.map(|word| &self.contract.trace.words[word]);
                    let is_needed =
                        word.is_some_and(|word| field.expect.is_some_and(|name| word.needs.contains(&name)));
                    if is_needed || !text.is_empty() {
                        expectation.values.push((place, self.number(name, text, field)?));
                    }
                }
                Content::Setting(place, number) => {
                    let field = self.op_fields[place];
                    if !text.is_empty() {
                        op.set(place, self.number(name, text, field)?);
                        line.own |= 1 << number;
                    }
                }
            }
        }
        if code.is_none() {
            return Ok(Line { event: Event::Reset { seed }, own: 0, ..line });
        }
        let expects = expectation != Expectation::default();
        Ok(Line { event: Event::Op(op), expect: expects.then(|| Box::new(expectation)), ..line })
    }

    /// The last time that a line may have: that of the clock, where the column is the clock itself.
    fn last_time(&self) -> u64 {
        clock(self.contract).map_or(u64::MAX, |clock| clock.last(self.config))
    }

    /// A field of the op of this kind, or of a reset.
    fn operand(
        &self,
        column: &str,
        text: &str,
        field: &Field,
        code: Option<usize>,
    ) -> Result<Option<u64>, Refusal> {
        if !text.is_empty() {
            return self.number(column, text, field).map(Some);
        }
        let Some(code) = code.filter(|code| field.needed_by >> code & 1 != 0) else { return Ok(None) };
        let mut allowed = range(field, self.config);
        let named = self.contract.kinds.len() as u32;
        if field.needed_by.count_ones() < named {
            let kind = &self.kinds[code];
            let article = if kind.starts_with(['a', 'e', 'i', 'o', 'u']) { "an" } else { "a" };
            allowed += &format!(", which {article} {kind} needs");
        }
        Err(Refusal::new(column, text, allowed))
    }

    fn word(&self, text: &str, code: Option<usize>) -> Result<Option<usize>, Refusal> {
        let trace = &self.contract.trace;
        if text.is_empty() {
            return Ok(None);
        }
        if code.is_none_or(|code| trace.expecting_kinds >> code & 1 == 0) {
            return Err(Refusal::new("expect", text, format!("nothing, except for {}", trace.expects_of)));
        }
        match trace.words.iter().position(|word| word.word == text) {
            Some(word) => Ok(Some(word)),
            None => {
                let words: Vec<&str> = trace.words.iter().map(|word| word.word).collect();
                Err(Refusal::new("expect", text, format!("{} or nothing", words.join(", "))))
            }
        }
    }

    /// A number of a field, in its base.
    fn number(&self, column: &str, text: &str, field: &Field) -> Result<u64, Refusal> {
        let value = match field.base {
            Base::Decimal => text.parse().ok(),
            Base::Hexadecimal => {
                text.strip_prefix("0x").and_then(|digits| u64::from_str_radix(digits, 16).ok())
            }
        };
        let value = value.filter(|value| *value <= field.last(self.config));
        value.ok_or_else(|| Refusal::new(column, text, range(field, self.config)))
    }
}

/// A decimal number, 0 to `last`.
pub(super) fn whole(column: &str, text: &str, last: u64) -> Result<u64, Refusal> {
    let value = text.parse::<u64>().ok().filter(|value| *value <= last);
    value.ok_or_else(|| Refusal::new(column, text, format!("0 to {last}")))
}

/// A decimal number, 0 to `last`, or nothing.
fn optional(column: &str, text: &str, last: u64) -> Result<Option<u64>, Refusal> {
    if text.is_empty() { Ok(None) } else { whole(column, text, last).map(Some) }
}

/// `seed=, freeze_timeout= and bdp_packets=`.
fn allowed_settings(names: &[&str]) -> String {
    let mut words: Vec<String> =
        std::iter::once(&"seed").chain(names).map(|name| format!("{name}=")).collect();
    let last = words.pop().unwrap_or_default();
    if words.is_empty() { last } else { format!("{} and {last}", words.join(", ")) }
}
