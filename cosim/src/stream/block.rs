//! Rows of inputs, and what the outputs must be in each: predicted ahead, compared behind.

use std::convert::Infallible;

use super::beats::kept_bytes;
use super::core::RECORD_FIELDS;
use super::layout::{EVENTS, LAST, Layout, META_VALID, READY, USER, VALID};
use super::witness::{Beat, Due, Now, Record, Witness};

/// Clock edges of a block: it stays in the processor's cache, and hands over seldom enough.
pub const BLOCK_ROWS: u64 = 1 << 9;

/// What one cycle must show.
#[derive(Clone, Copy, Debug, Default)]
struct Expected {
    /// Outputs of one bit, as [`Layout::control`] has them, and which of them count.
    control: u64,
    care: u64,
    /// `m_axis_tkeep`, where a beat is offered.
    keep: u64,
    /// First word of the beat, and number of the record that are offered.
    beat: u32,
    record: u32,
    /// The beat is that of the cycle before.
    is_held: bool,
}

/// A block of clock edges.
#[derive(Debug, Default)]
pub struct Block {
    /// Rows as the model takes them.
    pub inputs: Vec<u64>,
    expected: Vec<Expected>,
    beats: Vec<u64>,
    records: Vec<[u64; RECORD_FIELDS]>,
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
        self.beats.clear();
        self.records.clear();
        self.left.clear();
    }

    /// Its clock edges.
    pub fn rows(&self) -> usize {
        self.expected.len()
    }

    /// Whether the outputs of a row are as they must be; `before` are those of the cycle before.
    #[inline(always)]
    pub fn agrees(&self, row: usize, layout: &Layout, before: &[u64], seen: &[u64]) -> bool {
        let expected = &self.expected[row];
        if (layout.control(seen) ^ expected.control) & expected.care != 0 {
            return false;
        }
        if expected.control & VALID != 0 && !self.is_beat(expected, layout, before, seen) {
            return false;
        }
        expected.control & META_VALID == 0 || layout.is_record(seen, &self.records[expected.record as usize])
    }

    #[inline(always)]
    fn is_beat(&self, expected: &Expected, layout: &Layout, before: &[u64], seen: &[u64]) -> bool {
        let Expected { keep, beat, is_held, .. } = *expected;
        let data = layout.data(seen);
        let wrong = data.iter().zip(&self.beats[beat as usize..]).map(|(seen, expected)| seen ^ expected);
        let is_whole = keep == u64::MAX >> (64 - 8 * layout.bus_words);
        let wrong = if is_whole {
            wrong.fold(0, |any, wrong| any | wrong)
        } else {
            wrong.enumerate().fold(0, |any, (word, wrong)| any | wrong & kept_bytes(keep, word))
        };
        // What is offered stays as it is, also behind a frame's last byte.
        let is_changed = is_held && !is_whole && data != layout.data(before);
        wrong == 0 && layout.keep(seen) == keep && !is_changed
    }
}

/// Writes what is predicted into a block.
pub struct Writer<'a> {
    block: &'a mut Block,
    bus_words: usize,
    row: Expected,
}

impl<'a> Writer<'a> {
    pub fn new(block: &'a mut Block, bus_words: usize) -> Self {
        Writer { block, bus_words, row: Expected::default() }
    }
}

impl Witness for Writer<'_> {
    type Error = Infallible;

    #[inline(always)]
    fn edge(&mut self, row: &[u64], rst: bool) {
        self.block.inputs.extend_from_slice(row);
        if rst {
            self.block.expected.push(Expected::default());
        }
    }

    #[inline(always)]
    fn ready(&mut self, _: Now, expected: bool, _: bool) -> Result<(), Infallible> {
        self.row =
            Expected { control: u64::from(expected) * READY, care: !(LAST | USER), ..Expected::default() };
        Ok(())
    }

    #[inline(always)]
    fn events(&mut self, _: Now, due: Option<&Due<u64>>) -> Result<(), Infallible> {
        self.row.control |= due.map_or(0, |due| due.value) << EVENTS;
        Ok(())
    }

    #[inline(always)]
    fn beat(&mut self, _: Now, beat: Option<&Beat>, is_held: bool) -> Result<(), Infallible> {
        let Some(beat) = beat else { return Ok(()) };
        if !is_held || self.block.beats.is_empty() {
            self.block.beats.extend_from_slice(&beat.data[..self.bus_words]);
        }
        let row = &mut self.row;
        row.control |= VALID | u64::from(beat.last) * LAST | beat.user * USER;
        row.care = u64::MAX;
        row.keep = beat.keep;
        row.beat = (self.block.beats.len() - self.bus_words) as u32;
        row.is_held = is_held;
        Ok(())
    }

    #[inline(always)]
    fn left(&mut self, number: u64, data: Option<Vec<u8>>) {
        if let Some(data) = data {
            self.block.left.push(Left { row: self.block.rows(), number, data });
        }
    }

    #[inline(always)]
    fn record(&mut self, _: Now, record: Option<&Record>, is_held: bool) -> Result<(), Infallible> {
        if let Some(record) = record {
            if !is_held || self.block.records.is_empty() {
                self.block.records.push(record.value);
            }
            self.row.control |= META_VALID;
            self.row.record = (self.block.records.len() - 1) as u32;
        }
        self.block.expected.push(self.row);
        Ok(())
    }
}
