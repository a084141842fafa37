//! The loop: frames into a device, and all that leaves it against the golden model.

use std::collections::VecDeque;

use super::beats::{Beats, kept_bytes};
use super::core::{Answer, RECORD_FIELDS, StreamCore, Timing};
use super::device::StreamDevice;
use super::pace::{Pace, Pauses};
use super::report::Difference;
use super::rules::Rules;
use crate::traffic::frames::Frame;

/// Clock edges with `rst` high with which every run begins.
pub const RESET_EDGES: u64 = 2;
/// Cycles between two calls of a run's progress callback.
const PROGRESS_CYCLES: u64 = 1 << 16;
/// Clock edges that a run goes on when nothing is left in the core, to catch outputs that nobody asked for.
const EDGES_AFTER_END: u32 = 32;
/// Edges of which it is known how full the core was.
const FILL_EDGES: usize = 8;

/// What a run came to.
#[derive(Clone, Debug, Default)]
pub struct Run {
    /// Clock edges in all, the run's own reset included.
    pub cycles: u64,
    /// Frames begun, the one on offer at the end included.
    pub begun: u64,
    /// Frames that left whole.
    pub frames: u64,
    pub beats: u64,
    pub bytes: u64,
    pub resets: u64,
    /// Cycles in which the input was held up.
    pub held_up: u64,
    /// Of the core's own counts, frames lost to a reset included.
    pub counts: Vec<u64>,
    /// The first difference, at which the run stopped.
    pub difference: Option<Difference>,
}

/// Who hears of a run.
pub struct Listeners<'a> {
    /// A frame has left: its number in the stimulus, from 0, and its bytes as they left.
    pub frame: &'a mut dyn FnMut(u64, &[u8]),
    /// Now and then: clock edges, and frames that have left.
    pub progress: &'a mut dyn FnMut(u64, u64),
}

/// The frame on the input.
struct Sending {
    beats: Beats,
    at: usize,
    /// Beats after which a reset comes.
    reset_after: Option<usize>,
    answer: Answer,
}

/// A frame of which not all has left.
struct Flight {
    number: u64,
    beats: Beats,
    /// Edges at which its beats came.
    come: Vec<u64>,
    /// Beats that left.
    left: usize,
    /// Beat that decides what is written; `None`: nothing is.
    deciding: Option<usize>,
}

impl Flight {
    /// First edge at which its next beat can be offered if the one before it is gone; `None` until it is known.
    #[inline(always)]
    fn due(&self, timing: &Timing) -> Option<u64> {
        let due = self.come.get(self.left)? + u64::from(timing.beat);
        match (self.left, self.deciding) {
            (0, Some(deciding)) => Some(due.max(self.come.get(deciding)? + u64::from(timing.decided))),
            _ => Some(due),
        }
    }
}

/// What is due once for each frame, from an edge on.
struct Due<T> {
    number: u64,
    edge: u64,
    value: T,
}

/// How full the core was after an edge.
#[derive(Clone, Copy, Debug, Default)]
struct Fill {
    beats: usize,
    records: usize,
}

/// One run.
pub struct Runner<'a, S> {
    core: &'a dyn StreamCore,
    device: &'a mut StreamDevice,
    stimulus: S,
    timing: Timing,
    bus_bytes: usize,
    gaps: Pauses,
    stalls: Pauses,
    record_stalls: Pauses,
    rules: Rules,
    sending: Option<Sending>,
    /// The beat on the input is offered, and stays.
    offered: bool,
    ended: bool,
    flights: VecDeque<Flight>,
    events: VecDeque<Due<u64>>,
    records: VecDeque<Due<[u64; RECORD_FIELDS]>>,
    /// First edges at which the next beat and the next record can be offered: the ones before them are gone.
    beat_free: u64,
    record_free: u64,
    /// Edges with `rst` low until the input is ready.
    wait: u32,
    /// Beats that came and have not left.
    inside: usize,
    /// After each of the last edges, the latest first.
    fills: [Fill; FILL_EDGES],
    bytes: Vec<u8>,
    run: Run,
}

/// Runs `device` until the stimulus has ended and the core is empty, `cycles` edges have passed, or something is wrong.
pub fn run(
    core: &dyn StreamCore,
    device: &mut StreamDevice,
    timing: Timing,
    stimulus: impl Iterator<Item = Frame>,
    pace: Pace,
    cycles: u64,
    listeners: &mut Listeners<'_>,
) -> Run {
    let bus_bytes = device.bus_bytes();
    let mut runner = Runner {
        core,
        device,
        stimulus,
        timing,
        bus_bytes,
        gaps: Pauses::new(pace.gap, pace.seed, 0),
        stalls: Pauses::new(pace.stall, pace.seed, 1),
        record_stalls: Pauses::new(pace.stall, pace.seed, 2),
        rules: Rules::new(bus_bytes),
        sending: None,
        offered: false,
        ended: false,
        flights: VecDeque::new(),
        events: VecDeque::new(),
        records: VecDeque::new(),
        beat_free: 0,
        record_free: 0,
        wait: timing.reset,
        inside: 0,
        fills: [Fill::default(); FILL_EDGES],
        bytes: Vec::new(),
        run: Run { counts: vec![0; core.count_names().len()], ..Run::default() },
    };
    runner.reset_edges();
    let mut after_end = 0;
    while runner.run.cycles < cycles && after_end < EDGES_AFTER_END {
        if let Err(difference) = runner.cycle(listeners) {
            runner.run.difference = Some(*difference);
            break;
        }
        if runner.run.cycles % PROGRESS_CYCLES == 0 {
            (listeners.progress)(runner.run.cycles, runner.run.frames);
        }
        after_end = if runner.ended && runner.is_empty() { after_end + 1 } else { 0 };
    }
    runner.run
}

impl<S: Iterator<Item = Frame>> Runner<'_, S> {
    /// What stands in the registers at power-on is nobody's promise.
    fn reset_edges(&mut self) {
        for _ in 0..RESET_EDGES {
            self.device.set_control(true, true, true, true);
            self.device.cycle();
            self.run.cycles += 1;
        }
    }

    fn is_empty(&self) -> bool {
        self.flights.is_empty() && self.events.is_empty() && self.records.is_empty() && self.sending.is_none()
    }

    /// One clock edge.
    fn cycle(&mut self, listeners: &mut Listeners<'_>) -> Result<(), Box<Difference>> {
        self.offer();
        let rst = self.is_reset_due();
        let ready = !self.stalls.is_pause();
        let meta_ready = !self.record_stalls.is_pause();
        self.device.set_control(rst, self.offered, ready, meta_ready);
        self.device.cycle();
        if rst {
            self.reset();
        } else {
            let taken = self.input_taken()?;
            self.check_events()?;
            self.check_output(ready, listeners)?;
            self.check_record(meta_ready)?;
            if taken {
                self.advance();
            }
            self.wait = self.wait.saturating_sub(1);
            self.fill();
        }
        self.run.cycles += 1;
        Ok(())
    }

    /// Keeps how full the core is after this edge.
    #[inline(always)]
    fn fill(&mut self) {
        let known = self.run.cycles + 2;
        let records = self.records.iter().take_while(|record| record.edge <= known).count();
        self.fills.copy_within(..FILL_EDGES - 1, 1);
        self.fills[0] = Fill { beats: self.inside, records };
    }

    /// Puts the coming beat on the input, offered unless it pauses.
    #[inline(always)]
    fn offer(&mut self) {
        if self.sending.is_none() && !self.ended {
            self.begin();
        }
        if !self.offered && self.sending.is_some() {
            self.offered = !self.gaps.is_pause();
        }
    }

    fn begin(&mut self) {
        let Some(frame) = self.stimulus.next() else {
            self.ended = true;
            return;
        };
        let beats = Beats::new(&frame.data, self.bus_bytes, self.run.begun);
        self.run.begun += 1;
        self.device.set_beat(&beats, 0);
        self.device.set_sideband(&self.core.sideband(&frame));
        let answer = self.core.answer(&frame);
        let reset_after = frame.reset_after.map(|after| beats.count().min(after as usize));
        self.sending = Some(Sending { beats, at: 0, reset_after, answer });
    }

    fn is_reset_due(&self) -> bool {
        self.sending.as_ref().is_some_and(|sending| sending.reset_after == Some(sending.at))
    }

    fn reset(&mut self) {
        self.sending = None;
        self.offered = false;
        self.flights.clear();
        self.events.clear();
        self.records.clear();
        self.bytes.clear();
        self.rules.reset();
        self.wait = self.timing.reset;
        self.inside = 0;
        self.fills = [Fill::default(); FILL_EDGES];
        self.run.resets += 1;
    }

    /// `s_axis_tready`: low behind a reset and where the core is full, as the manifest says.
    #[inline(always)]
    fn input_taken(&mut self) -> Result<bool, Box<Difference>> {
        let ready = self.device.input_ready();
        let Timing { ready: beat_edges, record_ready, beats, records, .. } = self.timing;
        let is_full = self.fills[beat_edges as usize - 1].beats >= beats
            || self.fills[record_ready as usize - 1].records >= records;
        let expected = self.wait == 0 && !is_full;
        if ready != expected {
            let why = match (expected, self.wait) {
                (true, _) => "high: there is room",
                (false, 0) => "low: the core is full",
                (false, _) => "low behind a reset",
            };
            return self.wrong("s_axis_tready", why, if ready { "high" } else { "low" });
        }
        self.run.held_up += u64::from(self.offered && !ready);
        Ok(self.offered && ready)
    }

    /// The beat on the input was taken.
    #[inline(always)]
    fn advance(&mut self) {
        let sending = self.sending.as_mut().expect("a beat was offered");
        let number = self.run.begun - 1;
        self.offered = false;
        if sending.at == 0 {
            self.core.count(&sending.answer, &mut self.run.counts);
            let beats = match &sending.answer.data {
                Some(data) => Beats::new(data, self.bus_bytes, number),
                None => sending.beats.clone(),
            };
            let last = beats.count() - 1;
            let deciding = sending.answer.decided_by.map(|bytes| ((bytes - 1) / self.bus_bytes).min(last));
            let come = Vec::with_capacity(last + 1);
            self.flights.push_back(Flight { number, beats, come, left: 0, deciding });
        }
        let edge = self.run.cycles;
        let flight = self.flights.back_mut().expect("the packet has begun");
        flight.come.push(edge);
        self.inside += 1;
        sending.at += 1;
        let is_last = sending.at == sending.beats.count();
        if flight.deciding.map_or(is_last, |deciding| deciding + 1 == sending.at) {
            let edge = edge + u64::from(self.timing.event);
            self.events.push_back(Due { number, edge, value: sending.answer.events });
        }
        if !is_last {
            self.device.set_beat(&sending.beats, sending.at);
            if sending.at == 1 {
                self.device.set_sideband_noise(number);
            }
            return;
        }
        if !self.core.ports().record.is_empty() {
            let edge = edge + u64::from(self.timing.record);
            self.records.push_back(Due { number, edge, value: sending.answer.record });
        }
        if sending.reset_after != Some(sending.at) {
            self.sending = None;
        }
    }

    #[inline(always)]
    fn check_events(&mut self) -> Result<(), Box<Difference>> {
        let seen = self.device.events();
        let is_due = self.events.front().is_some_and(|due| due.edge == self.run.cycles);
        let due = if is_due { self.events.pop_front() } else { None };
        let expected = due.as_ref().map_or(0, |due| due.value);
        if seen == expected {
            return Ok(());
        }
        let names = |events: u64| {
            let ports = self.core.ports().events.iter().enumerate();
            let names: Vec<&str> =
                ports.filter(|(bit, _)| events >> bit & 1 == 1).map(|(_, (name, _))| *name).collect();
            if names.is_empty() { "no event".to_string() } else { names.join(" and ") }
        };
        let first = (seen ^ expected).trailing_zeros() as usize;
        let port = self.core.ports().events[first].0;
        let frame = due.map(|due| due.number);
        Err(self.difference(port, names(expected), names(seen), frame, None))
    }

    #[inline(always)]
    fn check_output(&mut self, ready: bool, listeners: &mut Listeners<'_>) -> Result<(), Box<Difference>> {
        let sample = self.device.output();
        if let Err(broken) = self.rules.check(&sample) {
            let port = format!("m_axis_{}", broken.signal);
            let frame = self.flights.front().map(|flight| flight.number);
            return Err(self.difference(&port, broken.expected.into(), broken.seen.into(), frame, None));
        }
        let is_due = |flight: &Flight| flight.due(&self.timing).is_some_and(|due| due <= self.run.cycles);
        let is_expected = self.beat_free <= self.run.cycles && self.flights.front().is_some_and(is_due);
        if sample.valid != is_expected {
            let why = if is_expected { "high: a beat is due" } else { "low: no beat is due" };
            return self.wrong("m_axis_tvalid", why, if is_expected { "low" } else { "high" });
        }
        if !is_expected {
            return Ok(());
        }
        let flight = self.flights.front_mut().expect("a beat is due");
        let beat = flight.left;
        let keep = flight.beats.keep(beat);
        let last = flight.beats.is_last(beat);
        let data = flight.beats.data(beat);
        let is_right = sample.keep == keep
            && sample.last == last
            && sample.user == flight.beats.user(beat)
            && data
                .iter()
                .zip(sample.data)
                .enumerate()
                .all(|(word, (expected, seen))| (expected ^ seen) & kept_bytes(keep, word) == 0);
        if !is_right {
            let difference = wrong_beat(self.run.cycles, flight, &sample, self.bus_bytes);
            return Err(Box::new(difference));
        }
        if !ready {
            return Ok(());
        }
        flight.left += 1;
        self.inside -= 1;
        self.beat_free = self.run.cycles + 1;
        self.run.beats += 1;
        self.run.bytes += u64::from(keep.count_ones());
        let end = self.bytes.len() + keep.count_ones() as usize;
        for word in sample.data {
            self.bytes.extend_from_slice(&word.to_le_bytes());
        }
        self.bytes.truncate(end);
        if last {
            (listeners.frame)(flight.number, &self.bytes);
            self.bytes.clear();
            self.run.frames += 1;
            self.flights.pop_front();
        }
        Ok(())
    }

    #[inline(always)]
    fn check_record(&mut self, ready: bool) -> Result<(), Box<Difference>> {
        let edge = self.run.cycles;
        let due = self.records.front().filter(|due| due.edge.max(self.record_free) <= edge);
        let valid = self.device.meta_valid();
        let Some(due) = due else {
            return if valid { self.wrong("meta_valid", "low: no record is due", "high") } else { Ok(()) };
        };
        if !valid {
            let number = Some(due.number);
            return Err(self.difference(
                "meta_valid",
                "high: a record is due".into(),
                "low".into(),
                number,
                None,
            ));
        }
        for (field, (port, width)) in self.core.ports().record.iter().enumerate() {
            let (expected, seen) = (due.value[field], self.device.record(field));
            if expected != seen {
                let digits = width.div_ceil(4) as usize;
                let literal = |value: u64| format!("{width}'h{value:0digits$x}");
                return Err(self.difference(port, literal(expected), literal(seen), Some(due.number), None));
            }
        }
        if ready {
            self.records.pop_front();
            self.record_free = edge + 1;
        }
        Ok(())
    }

    #[cold]
    fn wrong<T>(&self, port: &str, expected: &str, seen: &str) -> Result<T, Box<Difference>> {
        let frame = self.flights.front().map(|flight| flight.number);
        Err(self.difference(port, expected.into(), seen.into(), frame, None))
    }

    #[cold]
    fn difference(
        &self,
        port: &str,
        expected: String,
        seen: String,
        frame: Option<u64>,
        beat: Option<usize>,
    ) -> Box<Difference> {
        Box::new(Difference { cycle: self.run.cycles, port: port.into(), expected, seen, frame, beat })
    }
}

/// Says in words what is wrong with a beat.
#[cold]
fn wrong_beat(
    cycle: u64,
    flight: &Flight,
    sample: &super::rules::Sample<'_>,
    bus_bytes: usize,
) -> Difference {
    let beat = flight.left;
    let difference = |port: &str, expected: String, seen: String| Difference {
        cycle,
        port: port.into(),
        expected,
        seen,
        frame: Some(flight.number),
        beat: Some(beat),
    };
    let keep = flight.beats.keep(beat);
    if sample.keep != keep || sample.last != flight.beats.is_last(beat) {
        let words = |keep: u64, last: bool| {
            format!("{} bytes{}", keep.count_ones(), if last { ", the last beat" } else { "" })
        };
        let port = if sample.keep != keep { "m_axis_tkeep" } else { "m_axis_tlast" };
        return difference(port, words(keep, flight.beats.is_last(beat)), words(sample.keep, sample.last));
    }
    let bytes = |words: &[u64]| words.iter().flat_map(|word| word.to_le_bytes()).collect::<Vec<u8>>();
    let (expected, seen) = (bytes(flight.beats.data(beat)), bytes(sample.data));
    let wrong: Vec<usize> = (0..keep.count_ones() as usize).filter(|at| expected[*at] != seen[*at]).collect();
    let Some((first, last)) = wrong.first().zip(wrong.last()) else {
        let user = flight.beats.user(beat);
        return difference("m_axis_tuser", user.to_string(), sample.user.to_string());
    };
    let hex = |bytes: &[u8]| {
        let text: Vec<String> = bytes[*first..=*last].iter().map(|byte| format!("{byte:02x}")).collect();
        let from = beat * bus_bytes + first;
        if first == last {
            format!("{} at byte {from}", text[0])
        } else {
            format!("{} at bytes {from} to {}", text.join(" "), beat * bus_bytes + last)
        }
    };
    difference("m_axis_tdata", hex(&expected), hex(&seen))
}
