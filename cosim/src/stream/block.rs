//! Rows of inputs, and what the outputs must be in each: predicted ahead, compared behind.

use std::convert::Infallible;
use std::ops::Range;

use super::layout::{Layout, OutputColumns};
use super::stream_core::Ports;
use super::witness::{Beat, Due, Now, Record, Witness};

/// Clock edges of a block: it stays in the processor's cache, and hands over seldom enough.
pub const BLOCK_ROWS: u64 = 1 << 9;

/// Nothing of the lane stands in the block yet.
const NOWHERE: u32 = u32::MAX;

/// What one cycle must show in outputs of one bit, as [`Layout::control`] has them, and which of them count.
#[derive(Clone, Copy, Debug, Default)]
struct Expected {
    control: u64,
    care: u64,
}

/// What an output or a lane of records offers in one cycle.
#[derive(Clone, Copy, Debug, Default)]
struct Offered {
    /// `tkeep` of a beat.
    keep: u64,
    /// First word of the beat, or of the record's fields.
    at: u32,
}

/// A block of clock edges.
#[derive(Debug, Default)]
pub struct Block {
    /// Rows as the model takes them.
    pub inputs: Vec<u64>,
    expected: Vec<Expected>,
    /// Of each row, all outputs and then all lanes of records.
    offered: Vec<Offered>,
    /// Beats and fields of records.
    words: Vec<u64>,
    /// Where the newest of each output and lane of records stands in the words.
    newest: Vec<u32>,
    /// Frames that leave, if their bytes are wanted.
    pub left: Vec<Left>,
    /// Frames that have left by its end.
    pub frames: u64,
}

/// A frame that leaves.
#[derive(Debug)]
pub struct Left {
    /// Row of its last beat.
    pub row: usize,
    /// Its number in the stimulus, from 0.
    pub number: u64,
    pub data: Vec<u8>,
}

impl Block {
    /// Empties it and keeps its memory.
    pub fn clear(&mut self) {
        self.inputs.clear();
        self.expected.clear();
        self.offered.clear();
        self.words.clear();
        self.newest.clear();
        self.left.clear();
    }

    /// Its clock edges.
    pub fn rows(&self) -> usize {
        self.expected.len()
    }

    /// The first of these rows whose outputs are not as they must be; `outputs` begin with those of the cycle before.
    pub fn first_wrong(&self, rows: Range<usize>, layout: &Layout, outputs: &[u64]) -> Option<usize> {
        let lanes = layout.outputs.len() + layout.records.len();
        let outputs = outputs.chunks_exact(layout.output_words).skip(1);
        let expected = &self.expected[rows.clone()];
        let offered = self.offered[rows.start * lanes..rows.end * lanes].chunks_exact(lanes);
        let mut rows_of = expected.iter().zip(offered).zip(outputs);
        let wrong =
            rows_of.position(|((expected, offered), seen)| !self.agrees(*expected, offered, layout, seen));
        wrong.map(|wrong| rows.start + wrong)
    }

    /// Whether the outputs of a cycle are as they must be.
    #[inline(always)]
    fn agrees(&self, expected: Expected, offered: &[Offered], layout: &Layout, seen: &[u64]) -> bool {
        if (layout.control(seen) ^ expected.control) & expected.care != 0 {
            return false;
        }
        let (beats, records) = offered.split_at(layout.outputs.len());
        let is_offered = |valid: u32| expected.control >> valid & 1 == 1;
        for (output, beat) in layout.outputs.iter().zip(beats) {
            if is_offered(output.valid) && !self.is_beat(beat, output, seen) {
                return false;
            }
        }
        layout.records.iter().zip(records).all(|(lane, record)| {
            !is_offered(lane.valid) || lane.is_record(seen, &self.words[record.at as usize..])
        })
    }

    /// The output ports that are not as they must be in a row.
    pub fn wrong_ports(&self, row: usize, layout: &Layout, ports: &Ports, seen: &[u64]) -> Vec<String> {
        let expected = self.expected[row];
        let wrong = (layout.control(seen) ^ expected.control) & expected.care;
        let names = Layout::control_ports(ports).into_iter().enumerate();
        let mut found: Vec<String> =
            names.filter(|(bit, _)| wrong >> bit & 1 == 1).map(|(_, name)| name).collect();
        let lanes = layout.outputs.len() + layout.records.len();
        let (beats, records) = self.offered[row * lanes..(row + 1) * lanes].split_at(layout.outputs.len());
        let is_offered = |valid: u32| expected.control >> valid & 1 == 1;
        for ((output, beat), lane) in layout.outputs.iter().zip(beats).zip(&ports.outputs) {
            if is_offered(output.valid) && !self.is_beat(beat, output, seen) {
                let port = if output.keep(seen) == beat.keep { "tdata" } else { "tkeep" };
                found.push(format!("{}_{port}", lane.prefix));
            }
        }
        for ((columns, record), lane) in layout.records.iter().zip(records).zip(&ports.records) {
            if is_offered(columns.valid) {
                let fields = lane.fields.iter().zip(&self.words[record.at as usize..]).enumerate();
                let wrong = fields.filter(|(field, (_, value))| columns.field(seen, *field) != **value);
                found.extend(wrong.map(|(_, ((port, _), _))| port.to_string()));
            }
        }
        found
    }

    /// All of the beat, as it is known of a byte that `tkeep` does not name what it is.
    #[inline(always)]
    fn is_beat(&self, beat: &Offered, output: &OutputColumns, seen: &[u64]) -> bool {
        let data = output.data(seen);
        let expected = &self.words[beat.at as usize..beat.at as usize + data.len()];
        let wrong = data.iter().zip(expected).fold(0, |any, (seen, expected)| any | (seen ^ expected));
        wrong == 0 && output.keep(seen) == beat.keep
    }
}

/// Writes what is predicted into a block.
pub struct Writer<'a> {
    block: &'a mut Block,
    layout: &'a Layout,
    /// Of a row without beats.
    care: u64,
    row: Expected,
}

impl<'a> Writer<'a> {
    /// For an empty block.
    pub fn new(block: &'a mut Block, layout: &'a Layout) -> Self {
        block.newest.resize(layout.outputs.len() + layout.records.len(), NOWHERE);
        let of_beats = layout.outputs.iter().fold(0, |bits, output| bits | of_beat(output));
        Writer { block, layout, care: !of_beats, row: Expected::default() }
    }

    /// Where these words stand, which are the lane's newest if they are held.
    #[inline(always)]
    fn place(&mut self, lane: usize, words: &[u64], is_held: bool) -> u32 {
        let Block { words: all, newest, .. } = &mut *self.block;
        if !is_held || newest[lane] == NOWHERE {
            newest[lane] = all.len() as u32;
            all.extend_from_slice(words);
        }
        newest[lane]
    }
}

/// Bits that count only where a beat is offered.
fn of_beat(output: &OutputColumns) -> u64 {
    1 << output.last | 1 << output.user
}

impl Witness for Writer<'_> {
    type Error = Infallible;

    #[inline(always)]
    fn edge(&mut self, row: &[u64], rst: bool) {
        self.block.inputs.extend_from_slice(row);
        self.row = Expected { control: 0, care: self.care };
        if rst {
            self.block.expected.push(Expected::default());
            let lanes = self.block.offered.len() + self.block.newest.len();
            self.block.offered.resize(lanes, Offered::default());
        }
    }

    #[inline(always)]
    fn ready(
        &mut self,
        lane: usize,
        _: impl FnOnce() -> Now,
        expected: bool,
        _: bool,
    ) -> Result<(), Infallible> {
        self.row.control |= u64::from(expected) << self.layout.inputs[lane].ready;
        Ok(())
    }

    #[inline(always)]
    fn events(
        &mut self,
        lane: usize,
        _: impl FnOnce() -> Now,
        due: Option<&Due<u64>>,
    ) -> Result<(), Infallible> {
        if let Some(due) = due {
            self.row.control |= due.value << self.layout.inputs[lane].events;
        }
        Ok(())
    }

    #[inline(always)]
    fn beat(
        &mut self,
        lane: usize,
        _: impl FnOnce() -> Now,
        beat: Option<Beat<'_>>,
        is_held: bool,
    ) -> Result<(), Infallible> {
        let Some(beat) = beat else {
            self.block.offered.push(Offered::default());
            return Ok(());
        };
        let at = self.place(lane, beat.data, is_held);
        let output = &self.layout.outputs[lane];
        let bits = 1 << output.valid | u64::from(beat.last) << output.last | beat.user << output.user;
        self.row.control |= bits;
        self.row.care |= of_beat(output);
        self.block.offered.push(Offered { keep: beat.keep, at });
        Ok(())
    }

    #[inline(always)]
    fn left(&mut self, number: u64, data: Option<Vec<u8>>) {
        if let Some(data) = data {
            self.block.left.push(Left { row: self.block.rows(), number, data });
        }
    }

    #[inline(always)]
    fn record(
        &mut self,
        lane: usize,
        _: impl FnOnce() -> Now,
        record: Option<&Record>,
        is_held: bool,
    ) -> Result<(), Infallible> {
        let mut offered = Offered::default();
        if let Some(record) = record {
            offered.at = self.place(self.layout.outputs.len() + lane, &record.value, is_held);
            self.row.control |= 1 << self.layout.records[lane].valid;
        }
        self.block.offered.push(offered);
        Ok(())
    }

    #[inline(always)]
    fn told(&mut self) {
        self.block.expected.push(self.row);
    }
}
