//! The loop: frames into a device, and all that leaves it against the golden model.

use std::collections::VecDeque;

use super::core::{Answer, RECORD_FIELDS, StreamCore, Timing};
use super::device::StreamDevice;
use super::frame::{Beats, Frame, kept_bytes};
use super::pace::{Pace, Pauses};
use super::report::Difference;
use super::rules::Rules;

/// Clock edges with `rst` high with which every run begins.
pub const RESET_EDGES: u64 = 2;
/// Cycles between two calls of a run's progress callback.
const PROGRESS_CYCLES: u64 = 1 << 16;
/// Clock edges that a run goes on when nothing is left in the core, to catch outputs that nobody asked for.
const EDGES_AFTER_END: u32 = 32;
/// Cycles without a pause of any receiver in which something that is due must move.
const MOVES_WITHIN: u32 = 64;
/// Beats inside from which the input may pause, and records.
const BEATS_WAIT: usize = 24;
const RECORDS_WAIT: usize = 16;

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
    /// Beats that came, and that left.
    come: usize,
    left: usize,
    /// Beat that decides, and edge at which it was taken.
    deciding: usize,
}

/// What is due once for each frame, with the frame's number.
type Due<T> = VecDeque<(u64, T)>;

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
    events: Due<u64>,
    records: Due<[u64; RECORD_FIELDS]>,
    /// A record was offered and not taken.
    record_held: bool,
    /// Edges with `rst` low until the input is ready.
    wait: u32,
    /// Beats and records inside, before each of the last edges.
    inside: [(usize, usize); 4],
    quiet: u32,
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
        record_held: false,
        wait: timing.reset,
        inside: [(0, 0); 4],
        quiet: 0,
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
            let moved = self.check_output(ready, listeners)? | self.check_record(meta_ready)?;
            self.check_moves(ready && meta_ready, moved)?;
            if taken {
                self.advance();
            }
            self.wait = self.wait.saturating_sub(1);
        }
        let beats = self.flights.iter().map(|flight| flight.come - flight.left).sum();
        self.inside = [(beats, self.records.len()), self.inside[0], self.inside[1], self.inside[2]];
        self.run.cycles += 1;
        Ok(())
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
        self.record_held = false;
        self.rules.reset();
        self.wait = self.timing.reset;
        self.inside = [(0, 0); 4];
        self.quiet = 0;
        self.run.resets += 1;
    }

    /// `s_axis_tready`: after a reset as the manifest says, and then high but where beats or records wait.
    #[inline(always)]
    fn input_taken(&mut self) -> Result<bool, Box<Difference>> {
        let ready = self.device.input_ready();
        let is_full = |(beats, records): &(usize, usize)| *beats >= BEATS_WAIT || *records >= RECORDS_WAIT;
        if ready && self.wait > 0 {
            return self.wrong("s_axis_tready", "low behind a reset", "high");
        }
        if !ready && self.wait == 0 && !self.inside.iter().any(is_full) {
            return self.wrong("s_axis_tready", "high where few beats wait", "low");
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
            let deciding = sending.answer.decided_by.div_ceil(self.bus_bytes).saturating_sub(1);
            self.flights.push_back(Flight { number, beats, come: 0, left: 0, deciding });
            self.events.push_back((number, sending.answer.events));
        }
        self.flights.back_mut().expect("the packet has begun").come += 1;
        sending.at += 1;
        if sending.at < sending.beats.count() {
            self.device.set_beat(&sending.beats, sending.at);
            if sending.at == 1 {
                self.device.set_sideband_noise(number);
            }
            return;
        }
        if !self.core.ports().record.is_empty() {
            self.records.push_back((number, sending.answer.record));
        }
        if sending.reset_after != Some(sending.at) {
            self.sending = None;
        }
    }

    #[inline(always)]
    fn check_events(&mut self) -> Result<(), Box<Difference>> {
        let seen = self.device.events();
        if seen == 0 {
            return Ok(());
        }
        let due = self.events.pop_front();
        if due.map(|(_, events)| events) == Some(seen) {
            return Ok(());
        }
        let names = |events: u64| {
            let ports = self.core.ports().events.iter().enumerate();
            let names: Vec<&str> =
                ports.filter(|(bit, _)| events >> bit & 1 == 1).map(|(_, (name, _))| *name).collect();
            names.join(" and ")
        };
        let first = (seen ^ due.map_or(0, |(_, events)| events)).trailing_zeros() as usize;
        let port = self.core.ports().events[first].0;
        let expected = due.map_or("no event".to_string(), |(_, events)| names(events));
        let frame = due.map(|(number, _)| number);
        Err(self.difference(port, expected, names(seen), frame, None))
    }

    #[inline(always)]
    fn check_output(&mut self, ready: bool, listeners: &mut Listeners<'_>) -> Result<bool, Box<Difference>> {
        let sample = self.device.output();
        if let Err(broken) = self.rules.check(&sample) {
            let port = format!("m_axis_{}", broken.signal);
            let frame = self.flights.front().map(|flight| flight.number);
            return Err(self.difference(&port, broken.expected.into(), broken.seen.into(), frame, None));
        }
        if !sample.valid {
            return Ok(false);
        }
        let Some(flight) = self.flights.front_mut().filter(|flight| {
            flight.left < flight.come
                && (flight.come > flight.deciding || flight.come == flight.beats.count())
        }) else {
            return self.wrong("m_axis_tvalid", "low: no beat may leave yet", "high");
        };
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
            return Ok(false);
        }
        flight.left += 1;
        self.run.beats += 1;
        self.run.bytes += u64::from(keep.count_ones());
        let bytes = sample.data.iter().flat_map(|word| word.to_le_bytes());
        self.bytes.extend(bytes.take(keep.count_ones() as usize));
        if last {
            (listeners.frame)(flight.number, &self.bytes);
            self.bytes.clear();
            self.run.frames += 1;
            self.flights.pop_front();
        }
        Ok(true)
    }

    #[inline(always)]
    fn check_record(&mut self, ready: bool) -> Result<bool, Box<Difference>> {
        if !self.device.meta_valid() {
            if self.record_held {
                return self.wrong("meta_valid", "high until the record is taken", "low");
            }
            return Ok(false);
        }
        let Some((number, fields)) = self.records.front() else {
            return self.wrong("meta_valid", "low: no packet has ended", "high");
        };
        for (field, (port, width)) in self.core.ports().record.iter().enumerate() {
            let (expected, seen) = (fields[field], self.device.record(field));
            if expected != seen {
                let digits = width.div_ceil(4) as usize;
                let literal = |value: u64| format!("{width}'h{value:0digits$x}");
                return Err(self.difference(port, literal(expected), literal(seen), Some(*number), None));
            }
        }
        self.record_held = !ready;
        if ready {
            self.records.pop_front();
        }
        Ok(ready)
    }

    /// Nothing that is whole may stay in the core for ever.
    #[inline(always)]
    fn check_moves(&mut self, ready: bool, moved: bool) -> Result<(), Box<Difference>> {
        let is_due = |flight: &Flight| flight.come == flight.beats.count();
        if moved || !ready || !self.flights.front().map_or(!self.records.is_empty(), is_due) {
            self.quiet = if moved { 0 } else { self.quiet };
            return Ok(());
        }
        self.quiet += 1;
        if self.quiet < MOVES_WITHIN {
            return Ok(());
        }
        let (port, frame) = match self.flights.front() {
            Some(flight) => ("m_axis_tvalid", Some(flight.number)),
            None => ("meta_valid", self.records.front().map(|(number, _)| *number)),
        };
        let expected = format!("high within {MOVES_WITHIN} cycles in which the receivers are ready");
        Err(self.difference(port, expected, "low".into(), frame, None))
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
