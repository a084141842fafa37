//! Writing of op traces.

use std::io::Write;
use std::path::Path;

use flate2::write::GzEncoder;
use respray_hdl::contract::{Base, Contract, Field, Words};

use super::{Column, Content, OpTrace, SETTINGS_MARK, columns};
use crate::traffic::stimulus::{Event, Line};
use respray_files::output::{Output, OutputError};

impl<O: Words> OpTrace<O> {
    /// Writes a trace, gzipped if the name ends in `.gz`: all of it or, on an error, nothing.
    pub fn write(&self, contract: &Contract, path: &Path) -> Result<(), OutputError> {
        let mut file = Output::create(path)?;
        let is_gzipped = path.extension().is_some_and(|extension| extension == "gz");
        let written = if is_gzipped {
            let mut gzip = GzEncoder::new(&mut file, flate2::Compression::best());
            self.format(contract, &mut gzip).and_then(|()| gzip.finish().map(|_| ()))
        } else {
            self.format(contract, &mut file)
        };
        written.map_err(|source| OutputError { path: path.to_path_buf(), source })?;
        file.finish()
    }

    /// Writes the trace as text; the optional columns appear only where a line uses them.
    pub fn format(&self, contract: &Contract, out: &mut impl Write) -> std::io::Result<()> {
        for note in &self.notes {
            writeln!(out, "# {note}")?;
        }
        let mut settings = String::new();
        self.seed.iter().for_each(|seed| settings += &format!(" seed={seed}"));
        for (_, field, _) in contract.driver_settings() {
            let given = self.settings.get(field.name);
            given.iter().for_each(|value| settings += &format!(" {}={value}", field.name));
        }
        if !settings.is_empty() {
            writeln!(out, "# {SETTINGS_MARK}{settings}")?;
        }
        let columns = columns(contract);
        let writer = Writer {
            contract,
            columns: &columns,
            op_fields: contract.op_fields().collect(),
            shown_fields: contract.shown_fields().collect(),
        };
        let mut used: Vec<bool> = (0..columns.len()).map(|column| column < contract.trace.written).collect();
        for line in &self.lines {
            let fields = (0..columns.len()).map(|column| !writer.text(line, column).is_empty());
            used.iter_mut().zip(fields).for_each(|(used, is_filled)| *used |= is_filled);
        }
        let written: Vec<usize> = (0..columns.len()).filter(|&column| used[column]).collect();
        let mut csv = csv::Writer::from_writer(out);
        csv.write_record(written.iter().map(|&column| columns[column].name.as_str()))?;
        for line in &self.lines {
            csv.write_record(written.iter().map(|&column| writer.text(line, column)))?;
        }
        csv.flush()
    }
}

struct Writer<'a> {
    contract: &'a Contract,
    columns: &'a [Column],
    op_fields: Vec<&'static Field>,
    shown_fields: Vec<&'static Field>,
}

impl Writer<'_> {
    /// The text of a line in a column; one that is empty reads back as one that is absent.
    fn text<O: Words>(&self, line: &Line<O>, column: usize) -> String {
        match self.columns[column].content {
            _ if line.event.as_op().is_none() && self.columns[column].is_of_ops_only(self.contract) => {
                String::new()
            }
            Content::Time => line.time.to_string(),
            Content::Idle if line.idle == 0 => String::new(),
            Content::Idle => line.idle.to_string(),
            Content::Expect => {
                let word = line.expect.as_ref().and_then(|expectation| expectation.word);
                word.map_or_else(String::new, |word| self.contract.trace.words[word].word.to_string())
            }
            Content::ExpectField(shown) => {
                let values = line.expect.iter().flat_map(|expectation| &expectation.values);
                let value = values.filter(|(place, _)| *place == shown).map(|(_, value)| *value).next();
                value.map_or_else(String::new, |value| number(self.shown_fields[shown], value))
            }
            content => match &line.event {
                Event::Op(op) => self.of_op(op, line.own, content),
                Event::Reset { seed } => self.of_reset(*seed, content),
            },
        }
    }

    fn of_op(&self, op: &impl Words, own: u32, content: Content) -> String {
        match content {
            Content::Op => self.contract.kind_name(op.code()),
            Content::Connection => op.connection().to_string(),
            Content::Field(place) => {
                let (field, value) = (self.op_fields[place], op.get(place));
                let is_used = field.used_by >> op.code() & 1 != 0;
                if is_used || value != 0 { number(field, value) } else { String::new() }
            }
            Content::Setting(place, index) if own >> index & 1 != 0 => {
                number(self.op_fields[place], op.get(place))
            }
            _ => String::new(),
        }
    }

    fn of_reset(&self, seed: Option<u16>, content: Content) -> String {
        match (content, seed) {
            (Content::Op, _) => super::read::RESET.to_string(),
            (Content::Field(place), Some(seed))
                if self.contract.trace.seed == Some(self.op_fields[place].name) =>
            {
                seed.to_string()
            }
            _ => String::new(),
        }
    }
}

pub(crate) fn number(field: &Field, value: u64) -> String {
    match field.base {
        Base::Decimal => value.to_string(),
        Base::Hexadecimal => format!("{value:#x}"),
    }
}
