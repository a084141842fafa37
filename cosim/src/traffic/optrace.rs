//! Op traces: one op of a core per line of a CSV file, gzipped or not.
//!
//! The columns stand in any order; the first three are needed, the rest may be absent or their fields empty.
//!
//! | column | holds |
//! | --- | --- |
//! | `time_ns` | time of the op; `now` is this modulo `2^reps.time_bits` |
//! | `op` | `send`, `ack`, `nack`, `timeout`, `init`, `reserved5`..`reserved7` (op kinds that change nothing), or `reset` |
//! | `conn` | connection, below `connections`; empty for `reset` |
//! | `ev` | EV, 0 to 65535; an `ack` needs it. Of a `reset`: the seed from here on |
//! | `ecn` | 1 if the ACK's packet was marked CE, 0 or empty if not |
//! | `expect` | of a `send`: `cached` (recycle or replay with exactly `expect_ev`), `explore` (any EV), or empty |
//! | `expect_ev` | EV of a `cached` |
//! | `idle` | clock edges without an op before this line's, 0 if empty |
//! | `freeze_timeout`, `bdp_packets` | these inputs during this op; if empty, the run's setting |
//!
//! Ops go back to back: a line holds `op_valid` until the core takes its op, then the next line begins with its `idle`
//! edges, which show the coming op's fields with `op_valid` low. A `reset` line is one clock edge with `rst`
//! high; lines of `reset` in a row make it longer. The run's own reset at the start is not part of the trace.
//!
//! Lines that begin with `#` are comments. Before the column names, a comment such as
//! `# respray: seed=7 freeze_timeout=100000 bdp_packets=16` carries settings of the run, each of which is optional and
//! gives way to one on the command line.

use std::fs::File;
use std::io::{BufRead, BufReader, BufWriter, Read, Write};
use std::path::Path;

use flate2::bufread::MultiGzDecoder;
use flate2::write::GzEncoder;
use thiserror::Error;

/// A whole op trace.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct OpTrace {
    /// Settings of the run that the trace carries.
    pub settings: Settings,
    /// Other comments before the column names, without `# `.
    pub notes: Vec<String>,
    /// The ops in order.
    pub rows: Vec<Row>,
}

/// Settings of a run that a trace may carry.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Settings {
    /// Seed of the core's random generator.
    pub seed: Option<u16>,
    /// Freeze timeout in ticks of `now`, for rows without their own.
    pub freeze_timeout: Option<u32>,
    /// Packets of one BDP, for rows without their own.
    pub bdp_packets: Option<u8>,
}

/// One line of an op trace.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Row {
    /// Clock edges without an op before this one.
    pub idle: u32,
    /// Time of the op in ns.
    pub time_ns: u64,
    /// What is done.
    pub op: RowOp,
    /// Connection; 0 for a reset.
    pub conn: u32,
    /// EV of an ACK, new seed of a reset; of other ops it changes nothing, which is worth testing.
    pub ev: Option<u16>,
    /// The ACK's packet was marked CE.
    pub ecn: bool,
    /// What the send must return.
    pub expect: Option<Expect>,
    /// Freeze timeout in ticks during this op.
    pub freeze_timeout: Option<u32>,
    /// Packets of one BDP during this op.
    pub bdp_packets: Option<u8>,
}

/// What a line of an op trace does.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum RowOp {
    #[default]
    Send,
    Ack,
    Nack,
    Timeout,
    Init,
    /// Op kind 5, 6 or 7.
    Reserved(u8),
    /// One clock edge with `rst` high.
    Reset,
}

/// What a trace says that a send returns.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Expect {
    /// A random EV, any.
    Explore,
    /// A cached EV, recycled or replayed: exactly this one.
    Cached(u16),
}

/// What the configuration allows in a trace.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// Connections of the engine.
    pub connections: u32,
    /// Width of `now` and of the freeze timeout in bits, 1 to 32.
    pub time_bits: u32,
}

/// Why an op trace was refused. Its text is the whole sentence for the user.
#[derive(Debug, Error)]
pub enum OpTraceError {
    #[error("{file}: cannot be {action}: {source}")]
    File { file: String, action: &'static str, source: std::io::Error },
    #[error("{file}:{line}: {message}")]
    Csv { file: String, line: u64, message: String },
    #[error("{file}:{line}: no column `{column}`; the first line names the columns: {}", COLUMNS.join(", "))]
    MissingColumn { file: String, line: u64, column: &'static str },
    #[error("{file}:{line}: column `{column}` is unknown or stands there twice; the columns are {}", COLUMNS.join(", "))]
    Column { file: String, line: u64, column: String },
    #[error("{file}:{line}: `{column}` is `{value}`; allowed: {allowed}")]
    Field { file: String, line: u64, column: &'static str, value: String, allowed: String },
}

const COLUMNS: [&str; 10] =
    ["time_ns", "op", "conn", "ev", "ecn", "expect", "expect_ev", "idle", "freeze_timeout", "bdp_packets"];
const TIME: usize = 0;
const OP: usize = 1;
const CONN: usize = 2;
const EV: usize = 3;
const ECN: usize = 4;
const EXPECT: usize = 5;
const EXPECT_EV: usize = 6;
const IDLE: usize = 7;
const FREEZE: usize = 8;
const BDP: usize = 9;
const NEEDED: usize = 3;
const SETTINGS_MARK: &str = "respray:";

impl OpTrace {
    /// Reads and checks a whole file, gzipped or not. The first bad line is refused with its number.
    pub fn read(path: &Path, limits: &Limits) -> Result<OpTrace, OpTraceError> {
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
    pub fn parse(input: impl BufRead, name: &str, limits: &Limits) -> Result<OpTrace, OpTraceError> {
        Parser { name, limits, line: 0, columns: [None; COLUMNS.len()] }.parse(input)
    }

    /// Writes a trace, gzipped if the name ends in `.gz`: all of it or, on an error, nothing.
    pub fn write(&self, path: &Path) -> Result<(), OpTraceError> {
        self.write_to_disk(path).map_err(|source| OpTraceError::File {
            file: path.display().to_string(),
            action: "written",
            source,
        })
    }

    fn write_to_disk(&self, path: &Path) -> std::io::Result<()> {
        let dir = path.parent().filter(|dir| !dir.as_os_str().is_empty()).unwrap_or(Path::new("."));
        let mut file = tempfile::NamedTempFile::new_in(dir)?;
        if path.extension().is_some_and(|extension| extension == "gz") {
            let mut gzip = GzEncoder::new(BufWriter::new(&mut file), flate2::Compression::best());
            self.format(&mut gzip)?;
            gzip.finish()?.flush()?;
        } else {
            let mut text = BufWriter::new(&mut file);
            self.format(&mut text)?;
            text.flush()?;
        }
        set_ordinary_mode(file.as_file())?;
        file.persist(path).map_err(|error| error.error)?;
        Ok(())
    }

    /// Writes the trace as text; the optional columns appear only where a row uses them.
    pub fn format(&self, out: &mut impl Write) -> std::io::Result<()> {
        for note in &self.notes {
            writeln!(out, "# {note}")?;
        }
        let Settings { seed, freeze_timeout, bdp_packets } = self.settings;
        let mut settings = String::new();
        seed.iter().for_each(|v| settings += &format!(" seed={v}"));
        freeze_timeout.iter().for_each(|v| settings += &format!(" freeze_timeout={v}"));
        bdp_packets.iter().for_each(|v| settings += &format!(" bdp_packets={v}"));
        if !settings.is_empty() {
            writeln!(out, "# {SETTINGS_MARK}{settings}")?;
        }
        let used = [
            (IDLE, self.rows.iter().any(|row| row.idle != 0)),
            (FREEZE, self.rows.iter().any(|row| row.freeze_timeout.is_some())),
            (BDP, self.rows.iter().any(|row| row.bdp_packets.is_some())),
        ];
        let columns: Vec<usize> = (TIME..=EXPECT_EV)
            .chain(used.iter().filter(|(_, used)| *used).map(|(column, _)| *column))
            .collect();
        let mut csv = csv::Writer::from_writer(out);
        csv.write_record(columns.iter().map(|&column| COLUMNS[column]))?;
        let mut fields = vec![String::new(); COLUMNS.len()];
        for row in &self.rows {
            row.fields(&mut fields);
            csv.write_record(columns.iter().map(|&column| &fields[column]))?;
        }
        csv.flush()
    }
}

/// `tempfile` makes files that only their owner reads; a result is an ordinary file.
fn set_ordinary_mode(file: &File) -> std::io::Result<()> {
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        file.set_permissions(std::fs::Permissions::from_mode(0o644))?;
    }
    Ok(())
}

impl Row {
    fn fields(&self, out: &mut [String]) {
        fn text<T: ToString>(value: Option<T>) -> String {
            value.map_or_else(String::new, |value| value.to_string())
        }
        let of_an_op = self.op != RowOp::Reset;
        out[TIME] = self.time_ns.to_string();
        out[OP] = self.op.name().to_string();
        out[CONN] = text(of_an_op.then_some(self.conn));
        out[EV] = text(self.ev);
        out[ECN] = text((self.op == RowOp::Ack || self.ecn).then_some(self.ecn as u8));
        (out[EXPECT], out[EXPECT_EV]) = match self.expect {
            None => (String::new(), String::new()),
            Some(Expect::Explore) => ("explore".into(), String::new()),
            Some(Expect::Cached(ev)) => ("cached".into(), ev.to_string()),
        };
        out[IDLE] = text((self.idle != 0).then_some(self.idle));
        out[FREEZE] = text(self.freeze_timeout);
        out[BDP] = text(self.bdp_packets);
    }
}

impl RowOp {
    const NAMES: [(&'static str, RowOp); 9] = [
        ("send", RowOp::Send),
        ("ack", RowOp::Ack),
        ("nack", RowOp::Nack),
        ("timeout", RowOp::Timeout),
        ("init", RowOp::Init),
        ("reserved5", RowOp::Reserved(5)),
        ("reserved6", RowOp::Reserved(6)),
        ("reserved7", RowOp::Reserved(7)),
        ("reset", RowOp::Reset),
    ];

    /// As a trace spells it.
    pub fn name(self) -> &'static str {
        Self::NAMES.iter().find(|(_, op)| *op == self).map_or("reserved", |(name, _)| name)
    }
}

struct Parser<'a> {
    name: &'a str,
    limits: &'a Limits,
    /// Line that is being read, from 1.
    line: u64,
    /// Where each of [`COLUMNS`] stands in the file.
    columns: [Option<usize>; COLUMNS.len()],
}

impl Parser<'_> {
    fn parse(&mut self, mut input: impl BufRead) -> Result<OpTrace, OpTraceError> {
        let mut trace = OpTrace::default();
        self.comments(&mut input, &mut trace)?;
        let before = self.line;
        let mut csv = csv::ReaderBuilder::new().comment(Some(b'#')).trim(csv::Trim::All).from_reader(input);
        self.line = before + 1;
        let header = csv.headers().map_err(|error| self.csv_error(before, error))?.clone();
        self.header(&header)?;
        let mut record = csv::StringRecord::new();
        while csv.read_record(&mut record).map_err(|error| self.csv_error(before, error))? {
            self.line = before + record.position().map_or(0, csv::Position::line);
            trace.rows.push(self.row(&record)?);
        }
        Ok(trace)
    }

    /// The comments before the column names.
    fn comments(&mut self, input: &mut impl BufRead, trace: &mut OpTrace) -> Result<(), OpTraceError> {
        let failed = |source| OpTraceError::File { file: self.name.to_string(), action: "read", source };
        let mut line = 0;
        while input.fill_buf().map_err(failed)?.starts_with(b"#") {
            let mut bytes = Vec::new();
            input.by_ref().take(1 << 16).read_until(b'\n', &mut bytes).map_err(failed)?;
            line += 1;
            let text = String::from_utf8_lossy(&bytes).trim_start_matches('#').trim().to_string();
            match text.strip_prefix(SETTINGS_MARK) {
                Some(settings) => {
                    let parser = Parser { name: self.name, limits: self.limits, line, columns: self.columns };
                    parser.settings(settings, &mut trace.settings)?;
                }
                None => trace.notes.push(text),
            }
        }
        self.line = line;
        Ok(())
    }

    fn settings(&self, text: &str, settings: &mut Settings) -> Result<(), OpTraceError> {
        for word in text.split_whitespace() {
            match word.split_once('=') {
                Some(("seed", value)) => settings.seed = Some(self.number("seed", value, 0xffff)? as u16),
                Some(("freeze_timeout", value)) => {
                    settings.freeze_timeout =
                        Some(self.number("freeze_timeout", value, self.last_time())? as u32);
                }
                Some(("bdp_packets", value)) => {
                    settings.bdp_packets = Some(self.number("bdp_packets", value, 0xff)? as u8);
                }
                _ => {
                    let allowed = "seed=, freeze_timeout= and bdp_packets=".to_string();
                    return Err(self.refused("respray:", word, allowed));
                }
            }
        }
        Ok(())
    }

    fn header(&mut self, header: &csv::StringRecord) -> Result<(), OpTraceError> {
        for (place, name) in header.iter().enumerate() {
            let known = COLUMNS.iter().position(|column| *column == name);
            match known.map(|column| &mut self.columns[column]) {
                Some(column @ None) => *column = Some(place),
                _ => {
                    let column = name.to_string();
                    return Err(OpTraceError::Column { file: self.name.into(), line: self.line, column });
                }
            }
        }
        for (column, place) in self.columns.iter().enumerate().take(NEEDED) {
            if place.is_none() {
                let column = COLUMNS[column];
                return Err(OpTraceError::MissingColumn { file: self.name.into(), line: self.line, column });
            }
        }
        Ok(())
    }

    fn row(&self, record: &csv::StringRecord) -> Result<Row, OpTraceError> {
        let field = |column: usize| self.columns[column].and_then(|place| record.get(place)).unwrap_or("");
        let op = self.op(field(OP))?;
        let conn = match (op, field(CONN)) {
            (RowOp::Reset, "") => 0,
            (_, value) => self.number("conn", value, u64::from(self.limits.connections) - 1)? as u32,
        };
        let ev = self.optional("ev", field(EV), 0xffff)?.map(|ev| ev as u16);
        if op == RowOp::Ack && ev.is_none() {
            return Err(self.refused("ev", "", "0 to 65535, which an ack needs".into()));
        }
        Ok(Row {
            idle: self.optional("idle", field(IDLE), u64::from(u32::MAX))?.unwrap_or(0) as u32,
            time_ns: self.number("time_ns", field(TIME), u64::MAX)?,
            op,
            conn,
            ev,
            ecn: self.optional("ecn", field(ECN), 1)? == Some(1),
            expect: self.expect(op, field(EXPECT), field(EXPECT_EV))?,
            freeze_timeout: self
                .optional("freeze_timeout", field(FREEZE), self.last_time())?
                .map(|ticks| ticks as u32),
            bdp_packets: self.optional("bdp_packets", field(BDP), 0xff)?.map(|packets| packets as u8),
        })
    }

    fn op(&self, value: &str) -> Result<RowOp, OpTraceError> {
        let known = RowOp::NAMES.iter().find(|(name, _)| *name == value);
        known.map(|(_, op)| *op).ok_or_else(|| {
            let names: Vec<&str> = RowOp::NAMES.iter().map(|(name, _)| *name).collect();
            self.refused("op", value, names.join(", "))
        })
    }

    fn expect(&self, op: RowOp, expect: &str, ev: &str) -> Result<Option<Expect>, OpTraceError> {
        match expect {
            "" => Ok(None),
            _ if op != RowOp::Send => {
                Err(self.refused("expect", expect, "nothing, except for a send".into()))
            }
            "explore" => Ok(Some(Expect::Explore)),
            "cached" => Ok(Some(Expect::Cached(self.number("expect_ev", ev, 0xffff)? as u16))),
            _ => Err(self.refused("expect", expect, "cached, explore or nothing".into())),
        }
    }

    fn optional(&self, column: &'static str, value: &str, last: u64) -> Result<Option<u64>, OpTraceError> {
        if value.is_empty() { Ok(None) } else { self.number(column, value, last).map(Some) }
    }

    fn number(&self, column: &'static str, value: &str, last: u64) -> Result<u64, OpTraceError> {
        let number = value.parse::<u64>().ok().filter(|number| *number <= last);
        number.ok_or_else(|| self.refused(column, value, format!("0 to {last}")))
    }

    fn last_time(&self) -> u64 {
        (1 << self.limits.time_bits) - 1
    }

    fn refused(&self, column: &'static str, value: &str, allowed: String) -> OpTraceError {
        let value = value.chars().take(40).collect();
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

#[cfg(test)]
mod tests;
