//! The golden side of a run, clock edge by clock edge: inputs, and what the outputs must be.
//!
//! The core's answers and its timing say all of it without a look at the Verilog, so that it is made ahead, in blocks.

use super::block::{BLOCK_ROWS, Block, Writer};
use super::flight::{Flight, NEVER, UNKNOWN};
use super::lanes::{FILL_EDGES, Input, Output, Records};
use super::layout::Layout;
use super::outcome::{RESET_EDGES, Run};
use super::pace::Pacing;
use super::stream_core::{Ports, StreamCore};
use super::supply::{Next, Supply};
use super::timing::{Full, Timing};
use super::witness::{Due, Now, Witness};
use crate::noise::Noise;
use crate::traffic::frames::Frame;

/// Clock edges that a run goes on when nothing is left in the core, to catch outputs that nobody asked for.
const EDGES_AFTER_END: u32 = 32;

/// One run.
pub struct Predictor<'a, S> {
    core: &'a dyn StreamCore,
    ports: &'a Ports,
    layout: &'a Layout,
    timing: &'a Timing,
    supply: Supply<S>,
    pacing: Pacing,
    /// Cycle at which the next phase of the pace begins.
    next_phase: u64,
    /// Whether the bytes of frames that leave are wanted.
    keeps_frames: bool,
    /// Clock edges that the run may have.
    limit: u64,
    /// The inputs of the coming edge.
    row: Vec<u64>,
    inputs: Vec<Input>,
    outputs: Vec<Output>,
    records: Vec<Records>,
    /// Flights that have ended, for their memory.
    spare: Vec<Flight>,
    /// Edges with `rst` low until the inputs are ready.
    wait: u32,
    /// Edges since all has ended.
    after_end: u32,
    run: Run,
}

impl<'a, S: Iterator<Item = Frame>> Predictor<'a, S> {
    pub fn new(
        core: &'a dyn StreamCore,
        layout: &'a Layout,
        timing: &'a Timing,
        stimulus: S,
        pacing: impl Into<Pacing>,
        limit: u64,
        keeps_frames: bool,
    ) -> Self {
        let pacing = pacing.into();
        let ports = core.ports();
        let mut pauses = timing.inputs.iter().flat_map(|input| &input.pauses);
        assert!(pauses.all(|pause| (1..=FILL_EDGES as u32).contains(&pause.edges)), "{timing:?}");
        let outputs = timing.outputs.iter().enumerate();
        let records = timing.records.iter().enumerate();
        Predictor {
            core,
            ports,
            layout,
            timing,
            supply: Supply::new(stimulus, ports.inputs.len()),
            next_phase: pacing.next_phase(0),
            keeps_frames,
            limit,
            row: layout.idle.clone(),
            inputs: (0..ports.inputs.len()).map(|lane| Input::new(lane, &pacing)).collect(),
            outputs: outputs.map(|(lane, timing)| Output::new(lane, *timing, &pacing)).collect(),
            records: records.map(|(lane, timing)| Records::new(lane, *timing, &pacing)).collect(),
            pacing,
            spare: Vec::new(),
            wait: timing.reset,
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
        let mut writer = Writer::new(block, self.layout);
        while self.run.cycles < RESET_EDGES {
            let Ok(()) = self.edge(&mut writer);
        }
        let end = end.min(self.limit).min((self.run.cycles / BLOCK_ROWS + 1) * BLOCK_ROWS);
        while self.run.cycles < end && self.after_end < EDGES_AFTER_END {
            let Ok(()) = self.cycle(&mut writer);
            self.after_end = if self.is_over() { self.after_end + 1 } else { 0 };
        }
        block.frames = self.run.frames;
    }

    /// One clock edge, of the run's own reset or behind it. What stands in the registers at power-on is nobody's promise.
    pub fn edge<W: Witness>(&mut self, witness: &mut W) -> Result<(), W::Error> {
        if self.run.cycles >= RESET_EDGES {
            return self.cycle(witness);
        }
        self.offer_all();
        witness.edge(&self.row, true);
        self.run.cycles += 1;
        Ok(())
    }

    /// A row in which everything is offered and everything taken, in a reset.
    fn offer_all(&mut self) {
        let (layout, row) = (self.layout, &mut self.row);
        layout.set_rst(row, true);
        layout.inputs.iter().for_each(|input| input.set_valid(row, true));
        layout.outputs.iter().for_each(|output| output.set_ready(row, true));
        layout.records.iter().for_each(|records| records.set_ready(row, true));
    }

    fn is_over(&self) -> bool {
        self.inputs.iter().all(Input::is_over)
            && self.outputs.iter().all(Output::is_empty)
            && self.records.iter().all(Records::is_empty)
    }

    /// Where the run is, seen from an output.
    fn now_at(&self, output: usize) -> Now {
        let sending = &self.inputs[self.ports.outputs[output].from].sending;
        let is_last = sending.is_on && sending.answer.leaves_by == Some(output);
        let last_has_begun = !is_last || sending.at > 0;
        Now { cycle: self.run.cycles, frame: self.outputs[output].first_frame(last_has_begun) }
    }

    /// The same from an input, of the frames that came on it.
    fn now_of(&self, input: usize) -> Now {
        let outputs = self.ports.outputs.iter().enumerate().filter(|(_, output)| output.from == input);
        let frame = outputs.filter_map(|(lane, _)| self.now_at(lane).frame).min();
        Now { cycle: self.run.cycles, frame }
    }

    /// One clock edge. An error of the witness ends the run where it stands.
    #[inline(always)]
    pub fn cycle<W: Witness>(&mut self, witness: &mut W) -> Result<(), W::Error> {
        if self.run.cycles == self.next_phase {
            self.begin_phase();
        }
        let rst = self.set_row();
        witness.edge(&self.row, rst);
        if rst {
            self.reset();
        } else {
            self.show_inputs(witness)?;
            self.show_outputs(witness)?;
            self.show_records(witness)?;
            witness.told();
            for lane in 0..self.inputs.len() {
                if self.inputs[lane].offered && self.inputs[lane].is_ready {
                    self.advance(lane);
                }
            }
            self.wait = self.wait.saturating_sub(1);
            let cycle = self.run.cycles;
            self.outputs.iter_mut().for_each(|output| output.keep_fill(cycle));
            self.records.iter_mut().for_each(|records| records.keep_fill(cycle));
        }
        self.run.cycles += 1;
        Ok(())
    }

    #[cold]
    fn begin_phase(&mut self) {
        let (pacing, cycle) = (&self.pacing, self.run.cycles);
        self.inputs.iter_mut().for_each(|input| input.begin_phase(pacing, cycle));
        self.outputs.iter_mut().for_each(|output| output.offer.begin_phase(pacing, cycle));
        self.records.iter_mut().for_each(|records| records.offer.begin_phase(pacing, cycle));
        self.next_phase = pacing.next_phase(cycle);
    }

    /// Puts the coming beats on the inputs, and what the receivers take; says whether a reset is due.
    #[inline(always)]
    fn set_row(&mut self) -> bool {
        let mut rst = false;
        for lane in 0..self.inputs.len() {
            if !self.inputs[lane].sending.is_on && !self.inputs[lane].ended {
                self.begin(lane);
            }
            if self.inputs[lane].offer() {
                self.put_beat(lane);
            }
            let (input, columns) = (&self.inputs[lane], &self.layout.inputs[lane]);
            rst |= input.is_reset_due();
            columns.set_valid(&mut self.row, input.offered);
            if !input.offered {
                columns.set_noise(&mut self.row, Noise::of(self.pacing.seed(), self.run.cycles));
            }
        }
        for (output, columns) in self.outputs.iter_mut().zip(&self.layout.outputs) {
            columns.set_ready(&mut self.row, output.offer.draw_ready());
        }
        for (records, columns) in self.records.iter_mut().zip(&self.layout.records) {
            columns.set_ready(&mut self.row, records.offer.draw_ready());
        }
        self.layout.set_rst(&mut self.row, rst);
        rst
    }

    /// Puts the coming beat on an input. Behind the last one, where a reset comes, there stands what stood there.
    #[inline(always)]
    fn put_beat(&mut self, lane: usize) {
        let (input, columns, row) = (&self.inputs[lane], &self.layout.inputs[lane], &mut self.row);
        let sending = &input.sending;
        let flight = match sending.answer.leaves_by {
            Some(output) => self.outputs[output].newest(),
            None => Some(&input.kept),
        };
        if let Some(flight) = flight.filter(|_| sending.at < sending.count) {
            columns.set_beat(row, &flight.came, sending.at);
        }
        match sending.at {
            0 => columns.set_sideband(row, &sending.sideband),
            1 => columns.set_sideband_noise(row, Noise::of(self.pacing.seed(), self.run.cycles)),
            _ => {}
        }
    }

    fn begin(&mut self, lane: usize) {
        let input = &mut self.inputs[lane];
        let (number, mut frame) = match self.supply.next(lane) {
            Next::Frame(number, frame) => (number, frame),
            Next::Later => return,
            Next::Never => {
                input.ended = true;
                return;
            }
        };
        self.run.begun = self.run.begun.max(number + 1);
        let bus_bytes = 8 * self.layout.bus_words;
        let mut flight = self.spare.pop().unwrap_or_default();
        flight.came.cut(&frame.data, bus_bytes, number);
        let count = flight.came.count();
        let sending = &mut input.sending;
        sending.sideband.clear();
        self.core.sideband(&frame, &mut sending.sideband);
        (sending.is_on, sending.number, sending.at, sending.count) = (true, number, 0, count);
        sending.reset_after = frame.reset_after.map_or(NEVER, |after| count.min(after as usize));
        let answer = &mut sending.answer;
        answer.clear();
        self.core.answer(&mut frame, answer);
        for (records, fields) in answer.records() {
            assert_eq!(fields.len(), self.ports.records[records].fields.len(), "fields of a record");
        }
        sending.deciding = answer.decided_by.map(|bytes| ((bytes - 1) / bus_bytes).min(count - 1));
        let zeroes = answer.leaves_by.is_some_and(|output| self.ports.outputs[output].unnamed_are_zero);
        flight.is_changed = answer.is_changed || zeroes;
        if flight.is_changed {
            flight.changed.cut(&frame.data, bus_bytes, number);
            flight.changed.end_as(count);
        }
        if zeroes {
            flight.changed.zero_unnamed();
        }
        (flight.number, flight.left) = (number, 0);
        flight.decided = if sending.deciding.is_some() { UNKNOWN } else { 0 };
        flight.data = frame.data;
        match answer.leaves_by {
            Some(output) => self.outputs[output].add(flight),
            None => self.spare.push(std::mem::replace(&mut input.kept, flight)),
        }
    }

    fn reset(&mut self) {
        self.inputs.iter_mut().for_each(Input::reset);
        self.outputs.iter_mut().for_each(|output| output.reset(&mut self.spare));
        self.records.iter_mut().for_each(Records::reset);
        self.wait = self.timing.reset;
        self.run.resets += 1;
    }

    /// An input is held up where what is inside filled a lane some edges before, as the manifest says.
    #[inline(always)]
    fn has_room(&self, input: usize) -> bool {
        self.timing.inputs[input].pauses.iter().all(|pause| {
            let lane = match pause.full {
                Full::Output(lane) => &self.outputs[lane].offer,
                Full::Records(lane) => &self.records[lane].offer,
            };
            lane.fill_before(self.run.cycles, pause.edges) < pause.fill
        })
    }

    #[inline(always)]
    fn show_inputs<W: Witness>(&mut self, witness: &mut W) -> Result<(), W::Error> {
        for lane in 0..self.inputs.len() {
            let is_paused = self.inputs[lane].paused_to >= self.run.cycles;
            let is_ready = self.wait == 0 && !is_paused && self.has_room(lane);
            witness.ready(lane, || self.now_of(lane), is_ready, self.wait > 0)?;
            let input = &mut self.inputs[lane];
            input.is_ready = is_ready;
            self.run.held_up += u64::from(input.offered && !is_ready);
        }
        for lane in 0..self.inputs.len() {
            let due = self.inputs[lane].take_events(self.run.cycles);
            witness.events(lane, || self.now_of(lane), due.as_ref())?;
        }
        Ok(())
    }

    #[inline(always)]
    fn show_outputs<W: Witness>(&mut self, witness: &mut W) -> Result<(), W::Error> {
        for lane in 0..self.outputs.len() {
            let output = &self.outputs[lane];
            let beat = output.beat(self.run.cycles);
            let leaving = beat.map(|beat| (beat.keep, beat.last));
            witness.beat(lane, || self.now_at(lane), beat, output.offer.is_held)?;
            let output = &mut self.outputs[lane];
            let is_taken = output.offer.take(leaving.is_some());
            let Some((keep, last)) = leaving.filter(|_| is_taken) else { continue };
            self.run.beats += 1;
            self.run.bytes += u64::from(keep.count_ones());
            if let Some(mut flight) = output.advance(last) {
                self.run.frames += 1;
                let data = std::mem::take(&mut flight.data);
                witness.left(flight.number, self.keeps_frames.then_some(data));
                self.spare.push(flight);
            }
        }
        Ok(())
    }

    #[inline(always)]
    fn show_records<W: Witness>(&mut self, witness: &mut W) -> Result<(), W::Error> {
        for lane in 0..self.records.len() {
            let records = &self.records[lane];
            let due = records.record(self.run.cycles);
            let is_offered = due.is_some();
            witness.record(
                lane,
                || self.now_of(self.ports.records[lane].from),
                due,
                records.offer.is_held,
            )?;
            let records = &mut self.records[lane];
            if records.offer.take(is_offered) {
                records.advance();
            }
        }
        Ok(())
    }

    /// The beat on an input was taken.
    #[inline(always)]
    fn advance(&mut self, lane: usize) {
        let edge = self.run.cycles;
        let input = &mut self.inputs[lane];
        input.offered = false;
        let sending = &mut input.sending;
        let (number, at) = (sending.number, sending.at);
        if at == 0 {
            self.core.count(lane, &sending.answer, &mut self.run.counts);
        }
        let last = at + 1 == sending.count;
        let decides = sending.deciding == Some(at);
        sending.at += 1;
        if let Some(output) = sending.answer.leaves_by {
            self.outputs[output].take(edge, at, decides, last);
        }
        if last {
            for (records, fields) in sending.answer.records() {
                self.records[records].add(number, edge, fields);
            }
            input.paused_to = edge + sending.answer.pause;
            if sending.reset_after != sending.at {
                sending.is_on = false;
            }
        }
        let has_events = !self.ports.inputs[lane].events.is_empty();
        if has_events && if sending.deciding.is_some() { decides } else { last } {
            let edge = edge + u64::from(self.timing.inputs[lane].event);
            let value = sending.answer.events;
            input.add_events(Due { number, edge, value });
        }
    }
}
