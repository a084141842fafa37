//! The golden side of each lane: what is on an input, and what waits for an output.

use std::collections::VecDeque;

use super::flight::{Flight, Sending, UNKNOWN};
use super::pace::{Kind, Pacing, Pauses};
use super::timing::{OutputTiming, RecordTiming};
use super::witness::{Beat, Due, Record};

/// Edges of which it is known how full a lane was; a power of two.
pub const FILL_EDGES: usize = 8;
/// Kinds of pauses, each lane's own.
const KINDS: u64 = 3;

/// How full a lane was after each of the last edges, by its number modulo `FILL_EDGES`.
#[derive(Clone, Copy, Debug, Default)]
struct Fills([usize; FILL_EDGES]);

impl Fills {
    #[inline(always)]
    fn before(&self, cycle: u64, edges: u32) -> usize {
        self.0[(cycle as usize).wrapping_sub(edges as usize) % FILL_EDGES]
    }

    #[inline(always)]
    fn keep(&mut self, cycle: u64, fill: usize) {
        self.0[cycle as usize % FILL_EDGES] = fill;
    }
}

/// An input, and what its packets make known of themselves.
pub struct Input {
    gaps: Pauses,
    pub sending: Sending,
    /// The frame on the input, if it does not leave.
    pub kept: Flight,
    /// The beat on the input is offered, and stays.
    pub offered: bool,
    pub is_ready: bool,
    /// No frame is left for it.
    pub ended: bool,
    /// It pauses up to this edge, behind a packet's last beat.
    pub paused_to: u64,
    events: VecDeque<Due<u64>>,
    /// Edge at which the first of the events is due; [`UNKNOWN`] without one.
    event_due: u64,
}

impl Input {
    pub fn new(lane: usize, pacing: &Pacing) -> Input {
        Input {
            gaps: Pauses::new(pacing, Kind::Gap, KINDS * lane as u64),
            sending: Sending::default(),
            kept: Flight::default(),
            offered: false,
            is_ready: false,
            ended: false,
            paused_to: 0,
            events: VecDeque::new(),
            event_due: UNKNOWN,
        }
    }

    /// The coming cycle, this one, is the first of a phase.
    pub fn begin_phase(&mut self, pacing: &Pacing, cycle: u64) {
        self.gaps.begin_phase(pacing, cycle);
    }

    /// Offers the beat on the input unless it pauses; says whether it was not offered before.
    #[inline(always)]
    pub fn offer(&mut self) -> bool {
        if self.offered || !self.sending.is_on {
            return false;
        }
        self.offered = !self.gaps.is_pause();
        self.offered
    }

    #[inline(always)]
    pub fn is_reset_due(&self) -> bool {
        self.sending.is_on && self.sending.reset_after == self.sending.at
    }

    pub fn reset(&mut self) {
        self.sending.is_on = false;
        self.paused_to = 0;
        self.offered = false;
        self.events.clear();
        self.event_due = UNKNOWN;
    }

    /// Nothing more comes, and no event is due.
    pub fn is_over(&self) -> bool {
        self.ended && !self.sending.is_on && self.events.is_empty()
    }

    pub fn add_events(&mut self, due: Due<u64>) {
        self.event_due = self.event_due.min(due.edge);
        self.events.push_back(due);
    }

    /// The events of this edge.
    #[inline(always)]
    pub fn take_events(&mut self, cycle: u64) -> Option<Due<u64>> {
        if self.event_due != cycle {
            return None;
        }
        let due = self.events.pop_front();
        self.event_due = self.events.front().map_or(UNKNOWN, |due| due.edge);
        due
    }
}

/// What an output or a lane of records offers to its receiver.
pub struct Offer {
    stalls: Pauses,
    /// The receiver takes what is offered.
    ready: bool,
    /// Edge from which on the first of what waits is due; [`UNKNOWN`] without one.
    due: u64,
    /// It was offered at the edge before and not taken.
    pub is_held: bool,
    fills: Fills,
}

impl Offer {
    fn new(pacing: &Pacing, stream: u64) -> Offer {
        let stalls = Pauses::new(pacing, Kind::Stall, stream);
        Offer { stalls, ready: false, due: UNKNOWN, is_held: false, fills: Fills::default() }
    }

    /// The coming cycle, this one, is the first of a phase.
    pub fn begin_phase(&mut self, pacing: &Pacing, cycle: u64) {
        self.stalls.begin_phase(pacing, cycle);
    }

    /// Whether the receiver takes what is offered in the coming cycle.
    #[inline(always)]
    pub fn draw_ready(&mut self) -> bool {
        self.ready = !self.stalls.is_pause();
        self.ready
    }

    /// The edge: whether what is offered is taken, if anything is.
    #[inline(always)]
    pub fn take(&mut self, is_offered: bool) -> bool {
        self.is_held = is_offered && !self.ready;
        is_offered && self.ready
    }

    /// How full the lane was, so many edges before.
    #[inline(always)]
    pub fn fill_before(&self, cycle: u64, edges: u32) -> usize {
        self.fills.before(cycle, edges)
    }

    fn reset(&mut self) {
        self.due = UNKNOWN;
        self.is_held = false;
        self.fills = Fills::default();
    }
}

/// An output, and the packets that wait for it.
pub struct Output {
    timing: OutputTiming,
    pub offer: Offer,
    flights: VecDeque<Flight>,
    /// Of the beats that have not left the edges at which the last one came that they wait for, or would have come.
    inside: VecDeque<u64>,
    /// The first of them, which count for how full the lane is.
    counted: usize,
}

impl Output {
    pub fn new(lane: usize, timing: OutputTiming, pacing: &Pacing) -> Output {
        Output {
            timing,
            offer: Offer::new(pacing, KINDS * lane as u64 + 1),
            flights: VecDeque::new(),
            inside: VecDeque::new(),
            counted: 0,
        }
    }

    pub fn is_empty(&self) -> bool {
        self.flights.is_empty()
    }

    /// The frame that is the first of those which have begun to come, if `last_has_begun` says so of the last.
    pub fn first_frame(&self, last_has_begun: bool) -> Option<u64> {
        let is_begun = self.flights.len() > 1 || last_has_begun;
        self.flights.front().filter(|_| is_begun).map(|flight| flight.number)
    }

    pub fn add(&mut self, flight: Flight) {
        self.flights.push_back(flight);
    }

    /// The frame that was added last.
    #[inline(always)]
    pub fn newest(&self) -> Option<&Flight> {
        self.flights.back()
    }

    pub fn reset(&mut self, spare: &mut Vec<Flight>) {
        spare.extend(self.flights.drain(..));
        self.inside.clear();
        self.counted = 0;
        self.offer.reset();
    }

    /// Beat `at` of the last flight came, which decides about it or not, and is the last to come or not.
    #[inline(always)]
    pub fn take(&mut self, edge: u64, at: usize, decides: bool, is_last: bool) {
        let last = self.flights.len() - 1;
        let ahead = self.timing.ahead as usize;
        if is_last {
            let leaving = at.saturating_sub(ahead)..self.flights[last].leaves().count();
            self.inside.extend(leaving.map(|beat| edge + (beat + ahead - at) as u64));
        } else if at >= ahead {
            self.inside.push_back(edge);
        }
        if decides {
            self.flights[last].decided = edge + u64::from(self.timing.decided);
        }
        if self.offer.due == UNKNOWN {
            self.set_due();
        }
    }

    #[inline(always)]
    fn set_due(&mut self) {
        self.offer.due = match (self.inside.front(), self.flights.front()) {
            (Some(come), Some(flight)) => {
                let due = come + u64::from(self.timing.beat);
                if flight.left == 0 { due.max(flight.decided) } else { due }
            }
            _ => UNKNOWN,
        };
    }

    /// The beat that is at the output before the coming edge.
    #[inline(always)]
    pub fn beat(&self, cycle: u64) -> Option<Beat<'_>> {
        let flight = self.flights.front().filter(|_| self.offer.due <= cycle)?;
        let (at, beats) = (flight.left, flight.leaves());
        let (data, keep, last) = beats.beat(at);
        Some(Beat { number: flight.number, at, data, keep, last, user: beats.user(at) })
    }

    /// The beat at the output was taken; with its last one the flight has ended.
    #[inline(always)]
    pub fn advance(&mut self, last: bool) -> Option<Flight> {
        self.inside.pop_front();
        self.counted = self.counted.saturating_sub(1);
        self.flights[0].left += 1;
        let ended = if last { self.flights.pop_front() } else { None };
        self.set_due();
        ended
    }

    #[inline(always)]
    pub fn keep_fill(&mut self, cycle: u64) {
        let Some(ahead) = self.timing.inside else {
            self.offer.fills.keep(cycle, self.inside.len());
            return;
        };
        let known = cycle + u64::from(ahead);
        let beat = u64::from(self.timing.beat);
        while self.counted < self.inside.len() && self.inside[self.counted] + beat <= known {
            self.counted += 1;
        }
        self.offer.fills.keep(cycle, self.counted);
    }
}

/// A lane of records, and those that wait for it.
pub struct Records {
    timing: RecordTiming,
    pub offer: Offer,
    waiting: VecDeque<Record>,
    /// Fields of records that are gone, for their memory.
    spare: Vec<Vec<u64>>,
    /// The first of the records, which count for how full the lane is.
    counted: usize,
}

impl Records {
    pub fn new(lane: usize, timing: RecordTiming, pacing: &Pacing) -> Records {
        Records {
            timing,
            offer: Offer::new(pacing, KINDS * lane as u64 + 2),
            waiting: VecDeque::new(),
            spare: Vec::new(),
            counted: 0,
        }
    }

    pub fn is_empty(&self) -> bool {
        self.waiting.is_empty()
    }

    pub fn reset(&mut self) {
        self.spare.extend(self.waiting.drain(..).map(|record| record.value));
        self.counted = 0;
        self.offer.reset();
    }

    /// The record of a packet whose last beat came at this edge.
    #[inline(always)]
    pub fn add(&mut self, number: u64, edge: u64, fields: &[u64]) {
        let edge = edge + u64::from(self.timing.record);
        let mut value = self.spare.pop().unwrap_or_default();
        value.clear();
        value.extend_from_slice(fields);
        self.waiting.push_back(Due { number, edge, value });
        self.offer.due = self.offer.due.min(edge);
    }

    /// The record that is offered before the coming edge.
    #[inline(always)]
    pub fn record(&self, cycle: u64) -> Option<&Record> {
        self.waiting.front().filter(|_| self.offer.due <= cycle)
    }

    /// The record that is offered was taken.
    #[inline(always)]
    pub fn advance(&mut self) {
        self.spare.extend(self.waiting.pop_front().map(|record| record.value));
        self.counted = self.counted.saturating_sub(1);
        self.offer.due = self.waiting.front().map_or(UNKNOWN, |record| record.edge);
    }

    #[inline(always)]
    pub fn keep_fill(&mut self, cycle: u64) {
        let known = cycle + u64::from(self.timing.ahead);
        while self.counted < self.waiting.len() && self.waiting[self.counted].edge <= known {
            self.counted += 1;
        }
        self.offer.fills.keep(cycle, self.counted);
    }
}
