//! The golden side of a run, clock edge by clock edge: inputs, and what the outputs must be.
//!
//! The core's answers and its timing say all of it without a look at the Verilog, so that it is made ahead, in blocks.

use std::collections::VecDeque;

use super::beats::{BEAT_WORDS, Beats};
use super::block::{BLOCK_ROWS, Block, Writer};
use super::core::{Answer, StreamCore, Timing};
use super::layout::Layout;
use super::pace::{Pace, Pauses};
use super::run::{RESET_EDGES, Run};
use super::witness::{Beat, Due, Now, Record, UNDECIDED, Witness};
use crate::traffic::frames::Frame;

/// Clock edges that a run goes on when nothing is left in the core, to catch outputs that nobody asked for.
const EDGES_AFTER_END: u32 = 32;
/// Edges of which it is known how full the core was; a power of two.
const FILL_EDGES: usize = 8;

/// The frame on the input.
#[derive(Default)]
struct Sending {
    /// There is one.
    is_on: bool,
    /// As it comes, and as it leaves if the core changes it.
    came: Beats,
    leaves: Beats,
    at: usize,
    /// `tuser` of the beat on the input.
    user: u64,
    /// Beats after which a reset comes.
    reset_after: Option<usize>,
    /// Beat that decides what is written; `None`: nothing is.
    deciding: Option<usize>,
    answer: Answer,
    /// The bytes that leave.
    data: Vec<u8>,
}

/// How full the core was after an edge.
#[derive(Clone, Copy, Debug, Default)]
struct Fill {
    beats: usize,
    records: usize,
}

/// One run.
pub struct Predictor<'a, S> {
    core: &'a dyn StreamCore,
    stimulus: S,
    timing: Timing,
    layout: Layout,
    has_records: bool,
    /// Whether the bytes of frames that leave are wanted.
    keeps_frames: bool,
    /// Clock edges that the run may have.
    limit: u64,
    gaps: Pauses,
    stalls: Pauses,
    record_stalls: Pauses,
    /// The inputs of the coming edge.
    row: Vec<u64>,
    sending: Sending,
    /// The beat on the input is offered, and stays.
    offered: bool,
    ended: bool,
    inside: VecDeque<Beat>,
    /// Bytes of the frames of which not all has left.
    frames: VecDeque<Vec<u8>>,
    events: VecDeque<Due<u64>>,
    records: VecDeque<Record>,
    /// The first of the records, which count for how full the core is.
    counted_records: usize,
    /// The beat and the record that were offered at the edge before and not taken.
    is_beat_held: bool,
    is_record_held: bool,
    /// Edges with `rst` low until the input is ready.
    wait: u32,
    /// After each of the last edges, by its number modulo `FILL_EDGES`.
    fills: [Fill; FILL_EDGES],
    /// Edges since all has ended.
    after_end: u32,
    run: Run,
}

impl<'a, S: Iterator<Item = Frame>> Predictor<'a, S> {
    pub fn new(
        core: &'a dyn StreamCore,
        layout: Layout,
        timing: Timing,
        stimulus: S,
        pace: Pace,
        limit: u64,
        keeps_frames: bool,
    ) -> Self {
        Predictor {
            core,
            stimulus,
            timing,
            has_records: !core.ports().record.is_empty(),
            keeps_frames,
            limit,
            gaps: Pauses::new(pace.gap, pace.seed, 0),
            stalls: Pauses::new(pace.stall, pace.seed, 1),
            record_stalls: Pauses::new(pace.stall, pace.seed, 2),
            row: layout.idle.clone(),
            layout,
            sending: Sending::default(),
            offered: false,
            ended: false,
            inside: VecDeque::new(),
            frames: VecDeque::new(),
            events: VecDeque::new(),
            records: VecDeque::new(),
            counted_records: 0,
            is_beat_held: false,
            is_record_held: false,
            wait: timing.reset,
            fills: [Fill::default(); FILL_EDGES],
            after_end: 0,
            run: Run { counts: vec![0; core.count_names().len()], ..Run::default() },
        }
    }

    /// What the run has come to.
    pub fn run(self) -> Run {
        self.run
    }

    /// Clock edges so far.
    pub fn cycles(&self) -> u64 {
        self.run.cycles
    }

    /// Predicts the next block, up to edge `end`. None of its rows is left when the run is over.
    pub fn fill(&mut self, block: &mut Block, end: u64) {
        block.clear();
        let mut writer = Writer::new(block, self.layout.bus_words);
        // What stands in the registers at power-on is nobody's promise.
        while self.run.cycles < RESET_EDGES {
            self.layout.set_control(&mut self.row, true, true, true, true);
            writer.edge(&self.row, true);
            self.run.cycles += 1;
        }
        let end = end.min(self.limit).min((self.run.cycles / BLOCK_ROWS + 1) * BLOCK_ROWS);
        while self.run.cycles < end && self.after_end < EDGES_AFTER_END {
            let Ok(()) = self.cycle(&mut writer);
            self.after_end = if self.ended && self.is_empty() { self.after_end + 1 } else { 0 };
        }
        block.frames = self.run.frames;
    }

    fn is_empty(&self) -> bool {
        self.inside.is_empty() && self.events.is_empty() && self.records.is_empty() && !self.sending.is_on
    }

    fn now(&self) -> Now {
        let begun = || (self.sending.is_on && self.sending.at > 0).then(|| self.run.begun - 1);
        Now { cycle: self.run.cycles, frame: self.inside.front().map(|beat| beat.number).or_else(begun) }
    }

    /// One clock edge. An error of the witness ends the run where it stands.
    #[inline(always)]
    pub fn cycle<W: Witness>(&mut self, witness: &mut W) -> Result<(), W::Error> {
        self.offer();
        let rst = self.is_reset_due();
        let ready = !self.stalls.is_pause();
        let meta_ready = !self.record_stalls.is_pause();
        self.layout.set_control(&mut self.row, rst, self.offered, ready, meta_ready);
        witness.edge(&self.row, rst);
        if rst {
            self.reset();
        } else {
            let has_room = self.has_room();
            let is_ready = self.wait == 0 && has_room;
            witness.ready(self.now(), is_ready, self.wait > 0)?;
            self.run.held_up += u64::from(self.offered && !is_ready);
            self.show_events(witness)?;
            self.show_beat(ready, witness)?;
            if self.has_records {
                self.show_record(meta_ready, witness)?;
            } else {
                witness.record(self.now(), None, false)?;
            }
            if self.offered && is_ready {
                self.advance();
            }
            self.wait = self.wait.saturating_sub(1);
            self.keep_fill();
        }
        self.run.cycles += 1;
        Ok(())
    }

    /// Puts the coming beat on the input, offered unless it pauses.
    #[inline(always)]
    fn offer(&mut self) {
        if !self.sending.is_on && !self.ended {
            self.begin();
        }
        if !self.offered && self.sending.is_on {
            self.offered = !self.gaps.is_pause();
        }
    }

    fn begin(&mut self) {
        let Some(mut frame) = self.stimulus.next() else {
            self.ended = true;
            return;
        };
        let (number, bus_bytes) = (self.run.begun, 8 * self.layout.bus_words);
        self.run.begun += 1;
        let sending = &mut self.sending;
        sending.came.cut(&frame.data, bus_bytes, number);
        sending.user = sending.came.user(0);
        let count = sending.came.count();
        self.layout.set_beat(&mut self.row, &sending.came, 0, sending.user);
        self.layout.set_sideband(&mut self.row, &self.core.sideband(&frame));
        sending.reset_after = frame.reset_after.map(|after| count.min(after as usize));
        sending.answer = self.core.answer(&mut frame);
        sending.deciding = sending.answer.decided_by.map(|bytes| ((bytes - 1) / bus_bytes).min(count - 1));
        if sending.answer.is_changed {
            sending.leaves.cut(&frame.data, bus_bytes, number);
        }
        (sending.is_on, sending.at, sending.data) = (true, 0, frame.data);
    }

    fn is_reset_due(&self) -> bool {
        self.sending.is_on && self.sending.reset_after == Some(self.sending.at)
    }

    fn reset(&mut self) {
        self.sending.is_on = false;
        self.offered = false;
        self.inside.clear();
        self.frames.clear();
        self.events.clear();
        self.records.clear();
        self.counted_records = 0;
        self.is_beat_held = false;
        self.is_record_held = false;
        self.wait = self.timing.reset;
        self.fills = [Fill::default(); FILL_EDGES];
        self.run.resets += 1;
    }

    /// The input is held up where the core was full some edges before, as the manifest says.
    #[inline(always)]
    fn has_room(&self) -> bool {
        let Timing { ready, record_ready, beats, records, .. } = self.timing;
        let before =
            |edges: u32| &self.fills[(self.run.cycles as usize).wrapping_sub(edges as usize) % FILL_EDGES];
        before(ready).beats < beats && before(record_ready).records < records
    }

    /// Keeps how full the core is after this edge.
    #[inline(always)]
    fn keep_fill(&mut self) {
        let known = self.run.cycles + 2;
        while self.records.get(self.counted_records).is_some_and(|record| record.edge <= known) {
            self.counted_records += 1;
        }
        let fill = Fill { beats: self.inside.len(), records: self.counted_records };
        self.fills[self.run.cycles as usize % FILL_EDGES] = fill;
    }

    #[inline(always)]
    fn show_events<W: Witness>(&mut self, witness: &mut W) -> Result<(), W::Error> {
        let is_due = self.events.front().is_some_and(|due| due.edge == self.run.cycles);
        let due = if is_due { self.events.pop_front() } else { None };
        witness.events(self.now(), due.as_ref())
    }

    #[inline(always)]
    fn show_beat<W: Witness>(&mut self, ready: bool, witness: &mut W) -> Result<(), W::Error> {
        let beat = self.inside.front().filter(|beat| beat.due <= self.run.cycles);
        witness.beat(self.now(), beat, self.is_beat_held)?;
        let leaving = beat.filter(|_| ready).map(|beat| (beat.number, beat.keep, beat.last));
        self.is_beat_held = beat.is_some() && !ready;
        let Some((number, keep, last)) = leaving else { return Ok(()) };
        self.inside.pop_front();
        self.run.beats += 1;
        self.run.bytes += u64::from(keep.count_ones());
        if last {
            self.run.frames += 1;
            witness.left(number, self.frames.pop_front());
        }
        Ok(())
    }

    #[inline(always)]
    fn show_record<W: Witness>(&mut self, ready: bool, witness: &mut W) -> Result<(), W::Error> {
        let due = self.records.front().filter(|record| record.edge <= self.run.cycles);
        witness.record(self.now(), due, self.is_record_held)?;
        let is_offered = due.is_some();
        self.is_record_held = is_offered && !ready;
        if is_offered && ready {
            self.records.pop_front();
            self.counted_records = self.counted_records.saturating_sub(1);
        }
        Ok(())
    }

    /// The beat on the input was taken.
    #[inline(always)]
    fn advance(&mut self) {
        let (number, edge, timing) = (self.run.begun - 1, self.run.cycles, self.timing);
        self.offered = false;
        let sending = &mut self.sending;
        let Sending { at, deciding, .. } = *sending;
        if at == 0 {
            self.core.count(&sending.answer, &mut self.run.counts);
            if self.keeps_frames {
                self.frames.push_back(std::mem::take(&mut sending.data));
            }
        }
        let beats = if sending.answer.is_changed { &sending.leaves } else { &sending.came };
        let last = beats.is_last(at);
        let due = edge + u64::from(timing.beat);
        let mut beat = Beat {
            number,
            at,
            data: [0; BEAT_WORDS],
            keep: beats.keep(at),
            last,
            user: sending.user,
            due: if at == 0 && deciding.is_some() { UNDECIDED } else { due },
            come: edge,
        };
        let words = beats.data(at);
        beat.data[..words.len()].copy_from_slice(words);
        self.inside.push_back(beat);
        if deciding == Some(at) {
            let first = self.inside.len() - 1 - at;
            let first = &mut self.inside[first];
            let decided = edge + u64::from(timing.decided);
            first.due = decided.max(first.come + u64::from(timing.beat));
        }
        if deciding.map_or(last, |deciding| deciding == at) {
            let edge = edge + u64::from(timing.event);
            self.events.push_back(Due { number, edge, value: sending.answer.events });
        }
        sending.at += 1;
        if !last {
            sending.user = sending.came.user(sending.at);
            self.layout.set_beat(&mut self.row, &sending.came, sending.at, sending.user);
            if sending.at == 1 {
                self.layout.set_sideband_noise(&mut self.row, number);
            }
            return;
        }
        if self.has_records {
            let edge = edge + u64::from(timing.record);
            self.records.push_back(Due { number, edge, value: sending.answer.record });
        }
        if sending.reset_after != Some(sending.at) {
            sending.is_on = false;
        }
    }
}
