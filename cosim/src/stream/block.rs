//! Rows of inputs, and what the outputs must be in each: predicted ahead, compared behind.

use std::convert::Infallible;
use std::ops::Range;

use super::core::RECORD_FIELDS;
use super::layout::{EVENTS, LAST, Layout, META_VALID, READY, USER, VALID};
use super::witness::{Beat, Due, Now, Record, Witness};

/// Clock edges of a block: it stays in the processor's cache, and hands over seldom enough.
pub const BLOCK_ROWS: u64 = 1 << 9;

/// What one cycle must show.
#[derive(Clone, Copy, Debug, Default)]
struct Expected {
    /// Outputs of one bit, as [`Layout::control`] has them, and which of them count.
    control: u32,
    care: u32,
    /// `m_axis_tkeep`, where a beat is offered.
    keep: u64,
    /// First word of the beat, and number of the record that are offered.
    beat: u32,
    record: u32,
}

/// Bit of `control` that is no output: the beat is that of the cycle before.
const HELD: u32 = 1 << 31;

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

    /// The first of these rows whose outputs are not as they must be; `outputs` begin with those of the cycle before.
    pub fn first_wrong(&self, rows: Range<usize>, layout: &Layout, outputs: &[u64]) -> Option<usize> {
        let mut outputs = outputs.chunks_exact(layout.output_words);
        let mut before = outputs.next()?;
        let wrong = self.expected[rows.clone()].iter().zip(outputs).position(|(expected, seen)| {
            let agrees = self.agrees(expected, layout, before, seen);
            before = seen;
            !agrees
        });
        wrong.map(|wrong| rows.start + wrong)
    }

    /// Whether the outputs of a cycle are as they must be; `before` are those of the cycle before.
    #[inline(always)]
    fn agrees(&self, expected: &Expected, layout: &Layout, before: &[u64], seen: &[u64]) -> bool {
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
        let Expected { control, keep, beat, .. } = *expected;
        let data = layout.data(seen);
        let beat = &self.beats[beat as usize..beat as usize + layout.bus_words];
        // Ones of `tkeep` are contiguous: whole words, and bytes of one more.
        let bytes = (u64::BITS - keep.leading_zeros()) as usize;
        let (whole, rest) = (bytes / 8, bytes % 8);
        let wrong =
            data.iter().zip(beat).take(whole).fold(0, |any, (seen, expected)| any | (seen ^ expected));
        if wrong != 0 || layout.keep(seen) != keep {
            return false;
        }
        if whole == data.len() {
            return true;
        }
        let is_right = rest == 0 || (data[whole] ^ beat[whole]) << (64 - 8 * rest) == 0;
        // What is offered stays as it is, also behind a frame's last byte.
        let is_changed = control & HELD != 0 && data != layout.data(before);
        is_right && !is_changed
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
        self.row = Expected {
            control: if expected { READY } else { 0 },
            care: !(LAST | USER | HELD),
            ..Expected::default()
        };
        Ok(())
    }

    #[inline(always)]
    fn events(&mut self, _: Now, due: Option<&Due<u64>>) -> Result<(), Infallible> {
        self.row.control |= due.map_or(0, |due| due.value as u32) << EVENTS;
        Ok(())
    }

    #[inline(always)]
    fn beat(&mut self, _: Now, beat: Option<Beat<'_>>, is_held: bool) -> Result<(), Infallible> {
        let Some(beat) = beat else { return Ok(()) };
        if !is_held || self.block.beats.is_empty() {
            self.block.beats.extend_from_slice(beat.data);
        }
        let row = &mut self.row;
        row.control |= VALID;
        row.control |= if beat.last { LAST } else { 0 };
        row.control |= if beat.user != 0 { USER } else { 0 };
        row.control |= if is_held { HELD } else { 0 };
        row.care = !HELD;
        row.keep = beat.keep;
        row.beat = (self.block.beats.len() - self.bus_words) as u32;
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
