//! Waves: the VCD that Verilator writes, made into an FST in memory.
//!
//! Verilator's own writer of FST maps temporary files into memory, so that a full disk kills the process and leaves a
//! torn file. Here nothing is written before all of it is there.

use std::collections::HashMap;
use std::io::Cursor;

use fst_writer::{
    FstBodyWriter, FstFileType, FstHeaderWriter, FstInfo, FstScopeType, FstSignalId, FstSignalType,
    FstVarDirection, FstVarType, FstWriteError,
};
use thiserror::Error;
use vcd::{Command, IdCode, Value};

use super::overlay::{Overlay, SCOPE};

/// Changes are compressed when there are so many bytes of them.
const BLOCK_BYTES: usize = 1 << 21;
/// Scopes around the ports of the top module.
const TOP_DEPTH: usize = 1;
/// The shim gives times in nanoseconds.
const TIMESCALE: i8 = -9;

/// Why text is not the VCD of a model.
#[derive(Debug, Error)]
pub(super) enum TraceError {
    #[error("`{0}` is no line of a VCD header that is understood")]
    Header(String),
    #[error("a change of value is not understood: {0}")]
    Change(#[from] std::io::Error),
    #[error("{0}")]
    Write(#[from] FstWriteError),
}

/// An FST that is made while the model runs.
pub(super) struct Trace {
    part: Part,
    signals: HashMap<IdCode, FstSignalId>,
    /// Ports of the top module, each with its whole name.
    ports: HashMap<String, (String, FstSignalType, FstSignalId)>,
    /// Scopes around the next line of the header.
    depth: usize,
    /// What is added, and the signals that this becomes.
    overlay: Overlay,
    added: Vec<FstSignalId>,
    /// Rows of it that have been written.
    shown: usize,
    /// Text behind the last whole line.
    rest: Vec<u8>,
    /// Time of the first values.
    start: Option<u64>,
    block_bytes: usize,
    /// What went wrong first; the trace ends there.
    error: Option<TraceError>,
}

/// What of the VCD is read next.
enum Part {
    Header(FstHeaderWriter<Cursor<Vec<u8>>>),
    Body(FstBodyWriter<Cursor<Vec<u8>>>),
    /// A step between the two failed.
    Broken,
}

impl Trace {
    /// With these signals added to those of the VCD.
    pub fn new(overlay: Overlay) -> Result<Trace, TraceError> {
        let info = FstInfo {
            start_time: 0,
            timescale_exponent: TIMESCALE,
            version: "respray".into(),
            date: String::new(),
            file_type: FstFileType::Verilog,
        };
        Ok(Trace {
            part: Part::Header(FstHeaderWriter::write_to_mem(&info)?),
            signals: HashMap::new(),
            ports: HashMap::new(),
            depth: 0,
            overlay,
            added: Vec::new(),
            shown: 0,
            rest: Vec::new(),
            start: None,
            block_bytes: BLOCK_BYTES,
            error: None,
        })
    }

    /// Takes the next piece of VCD, which may end anywhere.
    pub fn take(&mut self, text: &[u8]) {
        if self.error.is_none() {
            self.error = self.read(text).err();
        }
    }

    /// The FST.
    pub fn finish(mut self) -> Result<Vec<u8>, TraceError> {
        if let Some(error) = self.error {
            return Err(error);
        }
        self.begin_body()?;
        let Part::Body(body) = self.part else { return Ok(Vec::new()) };
        let mut fst = body.finish()?.into_inner();
        if let Some(start) = self.start {
            begin_at(&mut fst, start);
        }
        Ok(fst)
    }

    fn read(&mut self, text: &[u8]) -> Result<(), TraceError> {
        let Some(end) = text.iter().rposition(|&byte| byte == b'\n') else {
            self.rest.extend_from_slice(text);
            return Ok(());
        };
        let mut lines = std::mem::take(&mut self.rest);
        lines.extend_from_slice(&text[..=end]);
        self.rest = text[end + 1..].to_vec();
        let mut lines = lines.as_slice();
        while let (Part::Header(_), Some(end)) = (&self.part, lines.iter().position(|&byte| byte == b'\n')) {
            self.declare(&String::from_utf8_lossy(&lines[..end]))?;
            lines = &lines[end + 1..];
        }
        for command in vcd::Parser::new(lines) {
            self.change(command?)?;
        }
        Ok(())
    }

    /// A line of the header. The parser of VCD knows neither scopes of SystemVerilog nor bounds below 0, which
    /// Verilator writes.
    fn declare(&mut self, line: &str) -> Result<(), TraceError> {
        let Part::Header(header) = &mut self.part else { return Ok(()) };
        let words: Vec<&str> = line.split_whitespace().collect();
        let unknown = || TraceError::Header(line.trim().to_string());
        match words[..] {
            ["$scope", kind, name, "$end"] => {
                self.depth += 1;
                header.scope(name, "", scope_type(kind))?;
            }
            ["$upscope", "$end"] => {
                self.depth = self.depth.saturating_sub(1);
                header.up_scope()?;
            }
            ["$var", kind, width, code, ref name @ .., "$end"] => {
                let code: IdCode = code.parse().map_err(|_| unknown())?;
                let (variable, signal) = match kind {
                    "real" => (FstVarType::Real, FstSignalType::real()),
                    "event" => (FstVarType::Event, FstSignalType::bit_vec(1)),
                    _ => (FstVarType::Wire, FstSignalType::bit_vec(width.parse().map_err(|_| unknown())?)),
                };
                let same = self.signals.get(&code).copied();
                let whole = name.join(" ");
                let id = header.var(&whole, signal, variable, FstVarDirection::Implicit, same)?;
                self.signals.insert(code, id);
                if self.depth == TOP_DEPTH {
                    let port = name.first().unwrap_or(&"").to_string();
                    self.ports.insert(port, (whole, signal, id));
                }
            }
            ["$enddefinitions", ..] => self.begin_body()?,
            [] | ["$version" | "$timescale" | "$date" | "$comment", .., "$end"] => {}
            _ => return Err(unknown()),
        }
        Ok(())
    }

    fn begin_body(&mut self) -> Result<(), TraceError> {
        self.declare_added()?;
        self.part = match std::mem::replace(&mut self.part, Part::Broken) {
            Part::Header(header) => Part::Body(header.finish()?),
            other => other,
        };
        Ok(())
    }

    fn declare_added(&mut self) -> Result<(), TraceError> {
        let Part::Header(header) = &mut self.part else { return Ok(()) };
        if self.overlay.signals.is_empty() {
            return Ok(());
        }
        let implicit = FstVarDirection::Implicit;
        header.scope(SCOPE, "", FstScopeType::Module)?;
        for added in &self.overlay.signals {
            if let Some((name, signal, id)) = added.beside.as_ref().and_then(|port| self.ports.get(port)) {
                header.var(name, *signal, FstVarType::Wire, implicit, Some(*id))?;
            }
            let signal = FstSignalType::bit_vec(added.width);
            self.added.push(header.var(added.declared(), signal, FstVarType::Wire, implicit, None)?);
        }
        header.up_scope()?;
        Ok(())
    }

    fn change(&mut self, command: Command) -> Result<(), TraceError> {
        let Part::Body(body) = &mut self.part else { return Ok(()) };
        let mut set = |code, value: &[u8]| match self.signals.get(&code) {
            Some(&signal) => body.signal_change(signal, value),
            None => Ok(()),
        };
        match command {
            Command::ChangeScalar(code, value) => set(code, &[character(value)])?,
            Command::ChangeVector(code, values) => {
                set(code, &values.into_iter().map(character).collect::<Vec<u8>>())?;
            }
            Command::ChangeReal(code, value) => set(code, &value.to_le_bytes())?,
            Command::Timestamp(time) => {
                self.start.get_or_insert(time);
                if body.size() > self.block_bytes {
                    body.flush()?;
                }
                body.time_change(time)?;
                let due = self.overlay.rows[self.shown..].iter().take_while(|row| row.time_ns() <= time);
                for row in due {
                    self.shown += 1;
                    for (signal, value) in self.added.iter().zip(&row.values) {
                        body.signal_change(*signal, value)?;
                    }
                }
            }
            _ => {}
        }
        Ok(())
    }
}

fn scope_type(kind: &str) -> FstScopeType {
    match kind {
        "struct" => FstScopeType::Struct,
        "union" => FstScopeType::Union,
        "interface" => FstScopeType::Interface,
        _ => FstScopeType::Module,
    }
}

fn character(value: Value) -> u8 {
    match value {
        Value::V0 => b'0',
        Value::V1 => b'1',
        Value::X => b'x',
        Value::Z => b'z',
    }
}

/// Lets `fst` begin at `time`. The writer lets each file begin at 0, and a viewer would show unknown values up to the
/// first that are known. A file is blocks of a kind, a length without the kind, and what the block holds; the first
/// block and each block of changes begin with a time.
fn begin_at(fst: &mut [u8], time: u64) {
    const LENGTH: usize = 8;
    const CHANGES: u8 = 8;
    let mut block = 0;
    while let Some(length) = fst.get(block + 1..block + 1 + LENGTH) {
        let length = u64::from_be_bytes(length.try_into().expect("a length has eight bytes")) as usize;
        let is_changes = fst[block] == CHANGES;
        if block == 0 || is_changes {
            fst[block + 1 + LENGTH..block + 1 + 2 * LENGTH].copy_from_slice(&time.to_be_bytes());
        }
        if is_changes {
            return; // the times of the others are known to the writer
        }
        block += 1 + length;
    }
}
