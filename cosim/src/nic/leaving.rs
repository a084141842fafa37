//! What leaves a block, into files: a table of all of it, and a capture of what goes to the MAC.

use std::io;
use std::path::{Path, PathBuf};

use respray_files::output::OutputError;
use respray_golden::paths::End as Side;
use respray_hdl::nic::events::{RECORD, low_bit};

use super::device::BESIDE;
use crate::results::Results;
use crate::runner::write_error;
use crate::traffic::pcap::PcapWriter;

/// Columns before those of the ports.
const FIRST: [&str; 4] = ["cycle", "lane", "number", "bytes"];
/// Of a record of an event, what says nothing.
const RESERVED: &str = "reserved";

/// The lanes.
#[derive(Clone, Copy)]
enum Lane {
    TxOut,
    RxOut,
    Event,
}

const LANES: [&str; 3] = ["tx_out", "rx_out", "event"];

/// The name of an end.
pub(super) fn name(side: Side) -> &'static str {
    match side {
        Side::A => "A",
        Side::B => "B",
    }
}

/// Files that are being written. What is not finished leaves nothing.
#[derive(Default)]
pub(super) struct Leaving {
    table: Option<Results>,
    /// Cycles of runs before this one.
    pub before: u64,
    /// Lines of each lane so far.
    lines: [u64; LANES.len()],
    capture: Option<Capture>,
}

struct Capture {
    path: PathBuf,
    writer: PcapWriter,
    /// Picoseconds of a clock cycle.
    cycle_ps: u64,
    failed: Option<io::Error>,
}

impl Leaving {
    /// Begins the files that are asked for.
    ///
    /// # Errors
    /// If one cannot be made.
    pub fn create(
        table: Option<&Path>,
        capture: Option<&Path>,
        clock_mhz: f64,
    ) -> Result<Leaving, OutputError> {
        let events = RECORD.iter().filter(|field| field.name != RESERVED);
        let events: Vec<String> = events.map(|field| format!("event_{}", field.name)).collect();
        let columns = FIRST.into_iter().chain(BESIDE).chain(events.iter().map(String::as_str));
        let columns: Vec<&str> = columns.collect();
        let capture = capture.map(|path| {
            let (writer, path) = (PcapWriter::create(path)?, path.to_path_buf());
            Ok(Capture { path, writer, cycle_ps: (1e6 / clock_mhz) as u64, failed: None })
        });
        Ok(Leaving {
            table: table.map(|path| Results::create(path, &columns)).transpose()?,
            before: 0,
            lines: [0; LANES.len()],
            capture: capture.transpose()?,
        })
    }

    /// A frame goes to the MAC.
    pub fn transmitted(&mut self, cycle: u64, frame: &[u8]) {
        self.line(cycle, Lane::TxOut, Some(frame.len()), &[], &[]);
        if let Some(Capture { writer, cycle_ps, failed, .. }) = &mut self.capture
            && failed.is_none()
        {
            *failed = writer.write((self.before + cycle) * *cycle_ps / 1000, frame).err();
        }
    }

    /// A frame goes to the host, with what stands beside it.
    pub fn delivered(&mut self, cycle: u64, frame: &[u8], beside: &[u64]) {
        self.line(cycle, Lane::RxOut, Some(frame.len()), beside, &[]);
    }

    /// The host takes a record of an event.
    pub fn told(&mut self, cycle: u64, record: u128) {
        if self.table.is_none() {
            return;
        }
        let field = |bits: usize, low: usize| (record >> low) as u64 & ((1 << bits) - 1);
        let fields = RECORD.iter().filter(|field| field.name != RESERVED);
        let values: Vec<u64> = fields.map(|one| field(one.bits, low_bit(one.name))).collect();
        self.line(cycle, Lane::Event, None, &[], &values);
    }

    fn line(&mut self, cycle: u64, lane: Lane, bytes: Option<usize>, beside: &[u64], event: &[u64]) {
        let Some(table) = &mut self.table else { return };
        let lines = &mut self.lines[lane as usize];
        let bytes = bytes.map_or_else(String::new, |bytes| bytes.to_string());
        let cycle = self.before + cycle;
        let mut line = vec![cycle.to_string(), LANES[lane as usize].to_string(), lines.to_string(), bytes];
        *lines += 1;
        line.extend(beside.iter().map(u64::to_string));
        line.resize(FIRST.len() + BESIDE.len(), String::new());
        line.extend(event.iter().map(u64::to_string));
        line.resize(FIRST.len() + BESIDE.len() + RECORD.len() - 1, String::new());
        table.write(&line);
    }

    /// Puts them in their places.
    ///
    /// # Errors
    /// If not all of one could be written.
    pub fn finish(self) -> Result<(), OutputError> {
        let capture = self.capture.map_or(Ok(()), |capture| match capture.failed {
            Some(error) => Err(write_error(&capture.path)(error)),
            None => capture.writer.finish(),
        });
        capture.and(self.table.map_or(Ok(()), Results::finish))
    }
}

/// The name of a file of one end of a pair: that of the end goes before the extension.
pub(super) fn of_end(path: &Path, side: Side) -> PathBuf {
    let stem = path.file_stem().unwrap_or_default().to_string_lossy();
    let end = name(side).to_lowercase();
    let name = match path.extension() {
        Some(extension) => format!("{stem}_{end}.{}", extension.to_string_lossy()),
        None => format!("{stem}_{end}"),
    };
    path.with_file_name(name)
}
