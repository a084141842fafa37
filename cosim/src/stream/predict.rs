//! The golden side of a run, clock edge by clock edge: inputs, and what the outputs must be.
//!
//! The core's answers and its timing say all of it without a look at the Verilog, so that it is made ahead, in blocks.

use std::collections::VecDeque;

use super::block::{BLOCK_ROWS, Block, Writer};
use super::core::{StreamCore, Timing};
use super::flight::{Flight, NEVER, Sending, UNKNOWN};
use super::layout::Layout;
use super::pace::{Pace, Pauses};
use super::run::{RESET_EDGES, Run};
use super::witness::{Beat, Due, Now, Record, Witness};
use crate::traffic::frames::Frame;

/// Clock edges that a run goes on when nothing is left in the core, to catch outputs that nobody asked for.
const EDGES_AFTER_END: u32 = 32;
/// Edges of which it is known how full the core was; a power of two.
const FILL_EDGES: usize = 8;

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
    flights: VecDeque<Flight>,
    /// Flights that have ended, for their memory.
    spare: Vec<Flight>,
    /// Edges at which the beats came that have not left.
    inside: VecDeque<u64>,
    events: VecDeque<Due<u64>>,
    records: VecDeque<Record>,
    /// The first of the records, which count for how full the core is.
    counted_records: usize,
    /// Edges from which on the first of the beats, events and records are due; [`UNKNOWN`] without one.
    beat_due: u64,
    event_due: u64,
    record_due: u64,
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
            flights: VecDeque::new(),
            spare: Vec::new(),
            inside: VecDeque::new(),
            events: VecDeque::new(),
            records: VecDeque::new(),
            counted_records: 0,
            beat_due: UNKNOWN,
            event_due: UNKNOWN,
            record_due: UNKNOWN,
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
        self.flights.is_empty() && self.events.is_empty() && self.records.is_empty()
    }

    fn now(&self) -> Now {
        let is_begun = self.flights.len() > 1 || !self.sending.is_on || self.sending.at > 0;
        let frame = self.flights.front().filter(|_| is_begun).map(|flight| flight.number);
        Now { cycle: self.run.cycles, frame }
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
                if self.beat_due == UNKNOWN {
                    self.set_beat_due();
                }
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
        let mut flight = self.spare.pop().unwrap_or_default();
        flight.came.cut(&frame.data, bus_bytes, number);
        let count = flight.came.count();
        self.layout.set_beat(&mut self.row, &flight.came, 0);
        self.layout.set_sideband(&mut self.row, &self.core.sideband(&frame));
        let reset_after = frame.reset_after.map_or(NEVER, |after| count.min(after as usize));
        let answer = self.core.answer(&mut frame);
        let deciding = answer.decided_by.map(|bytes| ((bytes - 1) / bus_bytes).min(count - 1));
        if answer.is_changed {
            flight.changed.cut(&frame.data, bus_bytes, number);
        }
        (flight.number, flight.left, flight.is_changed) = (number, 0, answer.is_changed);
        flight.decided = if deciding.is_some() { UNKNOWN } else { 0 };
        flight.data = frame.data;
        self.flights.push_back(flight);
        self.sending = Sending { is_on: true, at: 0, count, reset_after, deciding, answer };
    }

    fn is_reset_due(&self) -> bool {
        self.sending.is_on && self.sending.reset_after == self.sending.at
    }

    fn reset(&mut self) {
        self.sending.is_on = false;
        self.offered = false;
        self.spare.extend(self.flights.drain(..));
        self.inside.clear();
        self.events.clear();
        self.records.clear();
        self.counted_records = 0;
        (self.beat_due, self.event_due, self.record_due) = (UNKNOWN, UNKNOWN, UNKNOWN);
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
        let known = self.run.cycles + u64::from(self.timing.record_ahead);
        while self.counted_records < self.records.len() && self.records[self.counted_records].edge <= known {
            self.counted_records += 1;
        }
        let fill = Fill { beats: self.inside.len(), records: self.counted_records };
        self.fills[self.run.cycles as usize % FILL_EDGES] = fill;
    }

    #[inline(always)]
    fn show_events<W: Witness>(&mut self, witness: &mut W) -> Result<(), W::Error> {
        if self.event_due != self.run.cycles {
            return witness.events(self.now(), None);
        }
        let due = self.events.pop_front();
        self.event_due = self.events.front().map_or(UNKNOWN, |due| due.edge);
        witness.events(self.now(), due.as_ref())
    }

    /// Sets from when on the first of the beats is due.
    #[inline(always)]
    fn set_beat_due(&mut self) {
        self.beat_due = match (self.inside.front(), self.flights.front()) {
            (Some(come), Some(flight)) => {
                let due = come + u64::from(self.timing.beat);
                if flight.left == 0 { due.max(flight.decided) } else { due }
            }
            _ => UNKNOWN,
        };
    }

    /// The beat that is at the output before the coming edge.
    #[inline(always)]
    fn beat(&self) -> Option<Beat<'_>> {
        let flight = self.flights.front().filter(|_| self.beat_due <= self.run.cycles)?;
        let (at, beats) = (flight.left, flight.leaves());
        let (data, keep, last) = beats.beat(at);
        Some(Beat { number: flight.number, at, data, keep, last, user: beats.user(at) })
    }

    #[inline(always)]
    fn show_beat<W: Witness>(&mut self, ready: bool, witness: &mut W) -> Result<(), W::Error> {
        let beat = self.beat();
        let leaving = beat.map(|beat| (beat.keep, beat.last));
        witness.beat(self.now(), beat, self.is_beat_held)?;
        self.is_beat_held = leaving.is_some() && !ready;
        let Some((keep, last)) = leaving.filter(|_| ready) else { return Ok(()) };
        self.inside.pop_front();
        self.run.beats += 1;
        self.run.bytes += u64::from(keep.count_ones());
        self.flights[0].left += 1;
        if last && let Some(mut flight) = self.flights.pop_front() {
            self.run.frames += 1;
            let data = std::mem::take(&mut flight.data);
            witness.left(flight.number, self.keeps_frames.then_some(data));
            self.spare.push(flight);
        }
        self.set_beat_due();
        Ok(())
    }

    #[inline(always)]
    fn show_record<W: Witness>(&mut self, ready: bool, witness: &mut W) -> Result<(), W::Error> {
        let due = self.records.front().filter(|_| self.record_due <= self.run.cycles);
        witness.record(self.now(), due, self.is_record_held)?;
        let is_offered = due.is_some();
        self.is_record_held = is_offered && !ready;
        if is_offered && ready {
            self.records.pop_front();
            self.counted_records = self.counted_records.saturating_sub(1);
            self.record_due = self.records.front().map_or(UNKNOWN, |record| record.edge);
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
        }
        let Some(flight) = self.flights.back_mut() else { return };
        let last = at + 1 == sending.count;
        self.inside.push_back(edge);
        if deciding == Some(at) {
            flight.decided = edge + u64::from(timing.decided);
        }
        if deciding.map_or(last, |deciding| deciding == at) {
            let edge = edge + u64::from(timing.event);
            self.events.push_back(Due { number, edge, value: sending.answer.events });
            self.event_due = self.event_due.min(edge);
        }
        sending.at += 1;
        if !last {
            self.layout.set_beat(&mut self.row, &flight.came, sending.at);
            if sending.at == 1 {
                self.layout.set_sideband_noise(&mut self.row, number);
            }
            return;
        }
        if self.has_records {
            let edge = edge + u64::from(timing.record);
            self.records.push_back(Due { number, edge, value: sending.answer.record });
            self.record_due = self.record_due.min(edge);
        }
        if sending.reset_after != sending.at {
            sending.is_on = false;
        }
    }
}
