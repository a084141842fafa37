//! What left a core in a run of frames, a line for each frame, record and pulse of events.

use std::path::Path;

use respray_files::output::OutputError;

use super::layout::Layout;
use super::outcome::RESET_EDGES;
use super::stream_core::Ports;
use crate::results::Results;

/// The table. Its columns are the cycle, the prefix of the lane's ports, how many lines the lane had before, the bytes of a frame
/// that left, and the ports of records and events. What a line is not about is empty.
pub(super) struct FrameResults<'a> {
    table: Results,
    ports: &'a Ports,
    /// Lines of each output, lane of records and input, and bytes of the frame that is leaving each output.
    outputs: Vec<(u64, u64)>,
    records: Vec<u64>,
    inputs: Vec<u64>,
}

/// Columns before those of the ports.
const FIRST: [&str; 4] = ["cycle", "lane", "number", "bytes"];

impl<'a> FrameResults<'a> {
    /// # Errors
    /// If the file cannot be made.
    pub fn create(path: &Path, ports: &'a Ports) -> Result<Self, OutputError> {
        let fields = ports.records.iter().flat_map(|lane| &lane.fields);
        let events = ports.inputs.iter().flat_map(|lane| &lane.events);
        let columns: Vec<&str> =
            FIRST.into_iter().chain(fields.chain(events).map(|(port, _)| *port)).collect();
        Ok(FrameResults {
            table: Results::create(path, &columns)?,
            ports,
            outputs: vec![(0, 0); ports.outputs.len()],
            records: vec![0; ports.records.len()],
            inputs: vec![0; ports.inputs.len()],
        })
    }

    /// Adds what leaves in a cycle with these inputs and outputs.
    pub fn hear(&mut self, layout: &Layout, cycle: u64, row: &[u64], seen: &[u64]) {
        if layout.is_reset(row) {
            self.outputs.iter_mut().for_each(|(_, bytes)| *bytes = 0);
            return;
        }
        if cycle < RESET_EDGES {
            return;
        }
        let ports = self.ports;
        let bits = layout.control(seen);
        for (lane, columns) in layout.inputs.iter().enumerate() {
            let count = ports.inputs[lane].events.len();
            let events: Vec<u64> = (0..count).map(|event| bits >> columns.events >> event & 1).collect();
            if events.iter().any(|event| *event != 0) {
                let before = self.fields_before_events(lane);
                let number = next(&mut self.inputs[lane]);
                self.line(cycle, ports.inputs[lane].prefix, number, None, before, &events);
            }
        }
        for (lane, columns) in layout.outputs.iter().enumerate() {
            if bits >> columns.valid & 1 == 0 || !columns.is_ready(row) {
                continue;
            }
            let (number, bytes) = &mut self.outputs[lane];
            *bytes += u64::from(columns.keep(seen).count_ones());
            if bits >> columns.last & 1 == 1 {
                let (number, bytes) = (next(number), std::mem::take(bytes));
                self.line(cycle, ports.outputs[lane].prefix, number, Some(bytes), 0, &[]);
            }
        }
        for (lane, columns) in layout.records.iter().enumerate() {
            if bits >> columns.valid & 1 == 1 && columns.is_ready(row) {
                let fields = &ports.records[lane].fields;
                let values: Vec<u64> = (0..fields.len()).map(|field| columns.field(seen, field)).collect();
                let before = ports.records[..lane].iter().map(|lane| lane.fields.len()).sum();
                let number = next(&mut self.records[lane]);
                self.line(cycle, ports.records[lane].prefix, number, None, before, &values);
            }
        }
    }

    /// Columns of ports before those of an input's events.
    fn fields_before_events(&self, input: usize) -> usize {
        let fields = self.ports.records.iter().map(|lane| lane.fields.len());
        fields.chain(self.ports.inputs[..input].iter().map(|lane| lane.events.len())).sum()
    }

    /// A line with these values behind so many columns of ports.
    fn line(
        &mut self,
        cycle: u64,
        lane: &str,
        number: u64,
        bytes: Option<u64>,
        before: usize,
        values: &[u64],
    ) {
        let fields = self.ports.records.iter().map(|lane| lane.fields.len());
        let columns: usize = fields.chain(self.ports.inputs.iter().map(|lane| lane.events.len())).sum();
        let bytes = bytes.map_or_else(String::new, |bytes| bytes.to_string());
        let mut line = vec![cycle.to_string(), lane.to_string(), number.to_string(), bytes];
        line.resize(FIRST.len() + columns, String::new());
        for (place, value) in line[FIRST.len() + before..].iter_mut().zip(values) {
            *place = value.to_string();
        }
        self.table.write(&line);
    }

    /// # Errors
    /// If not all of it could be written.
    pub fn finish(self) -> Result<(), OutputError> {
        self.table.finish()
    }
}

/// The number, which counts on.
fn next(number: &mut u64) -> u64 {
    *number += 1;
    *number - 1
}
