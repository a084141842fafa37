//! One `nic` with all that is around it, in lockstep with the golden one.

use std::collections::VecDeque;

use respray_golden::nic::{Config, Delivery, Event, EventFrame, Nic, Transmitted};

use super::around::Around;
use super::begun::Begun;
use super::beside;
use super::device::Device;
use super::difference::{self, Difference};
use super::follow::{Follower, Ledger};
use super::leaving::Leaving;
use super::pauses::Paced;
use super::stimulus::{Act, Entry, Stimulus};
use super::streams::{Collector, Feeder, Given};
use super::waves::Waves;
use crate::report::Differing;
use crate::runner::Window;
use crate::simulators::Process;
use crate::stream::Pace;
use crate::verilator::{Model, ModelError};

/// Cycles behind a write in which times may be those of before.
pub(super) const WRITE_CYCLES: u64 = 8;
/// Cycles of `rst`.
const RESET_CYCLES: u64 = 4;

/// What came out of the block, equal to what the golden block gives.
#[derive(Debug, Default)]
pub struct Out {
    /// Frames that left at `tx_out`.
    pub transmitted: VecDeque<Transmitted>,
    /// Frames that left at `rx_out`.
    pub delivered: VecDeque<Delivery>,
    /// Those of the stream of events, or of the frames of events among `delivered`.
    pub events: VecDeque<Event>,
}

/// Beats of each stream of frames.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Beats {
    pub tx_in: u64,
    pub tx_out: u64,
    pub rx_in: u64,
    pub rx_out: u64,
}

/// A `nic` in a simulator and the golden one.
pub struct End {
    pub(super) device: Device,
    pub(super) follower: Follower,
    tx_in: Feeder,
    rx_in: Feeder,
    tx_out: Collector,
    rx_out: Collector,
    /// What is around the block.
    pub around: Around,
    /// What came out and was not taken yet.
    pub out: Out,
    /// The cycle from which on times are checked again.
    pub(super) settled_at: u64,
    /// What was given since [`End::record`].
    pub(super) recording: Option<Stimulus>,
    /// The cycle in which the first frame was given.
    first_frame: Option<u64>,
    waves: Option<Waves>,
    /// Pauses beside those of `around`.
    paced: Option<Paced>,
    /// Files of what leaves the block.
    leaving: Leaving,
}

impl End {
    /// A block that was powered up and reset.
    ///
    /// # Errors
    /// If the model has not the ports of the block, or none to watch it by.
    pub fn new(model: Model, config: Config) -> Result<End, ModelError> {
        End::begun(model, config, Begun::default())
    }

    /// The same with other counts, if the model is of Verilog that was changed so.
    ///
    /// # Errors
    /// The same.
    pub fn begun(model: Model, config: Config, begun: Begun) -> Result<End, ModelError> {
        Ok(End::of(Device::new(model, None)?, config, begun))
    }

    /// The same in another simulator, whose rows are those of the model.
    pub(super) fn beside(model: Model, process: Process, config: Config) -> Result<End, ModelError> {
        Ok(End::of(Device::new(model, Some(process))?, config, Begun::default()))
    }

    fn of(device: Device, config: Config, begun: Begun) -> End {
        let mut end = End {
            device,
            follower: Follower::new(config, begun),
            tx_in: Feeder::default(),
            rx_in: Feeder::default(),
            tx_out: Collector::default(),
            rx_out: Collector::default(),
            around: Around::FREE,
            out: Out::default(),
            settled_at: 0,
            recording: None,
            first_frame: None,
            waves: None,
            paced: None,
            leaving: Leaving::default(),
        };
        end.reset(RESET_CYCLES);
        end
    }

    /// So many cycles of `rst`, which is for all that is around the block, too: what was given or offered is gone, and an access to a
    /// register with it.
    pub fn reset(&mut self, cycles: u64) {
        self.keep_act(Act::Restart(cycles));
        let at = self.device.at;
        let waiting = [self.tx_in.not_begun(), self.rx_in.not_begun()];
        self.tx_in.forget(&mut self.device, at.tx_in);
        self.rx_in.forget(&mut self.device, at.rx_in);
        self.tx_out.forget();
        self.rx_out.forget();
        (self.around, self.out) = (Around::FREE, Out::default());
        for valid in [at.bus.awvalid, at.bus.wvalid, at.bus.arvalid] {
            self.device.set(valid, 0);
        }
        self.follower = self.follower.restarted(waiting);
        self.device.set(at.rst, 1);
        for _ in 0..cycles {
            self.device.cycle();
            self.follower.step();
        }
        self.device.set(at.rst, 0);
        self.settled_at = self.cycle() + WRITE_CYCLES;
    }

    /// The clock cycle since power-up that comes next.
    pub fn cycle(&self) -> u64 {
        self.follower.cycle()
    }

    /// The golden block.
    pub fn golden(&self) -> &Nic {
        &self.follower.golden
    }

    pub fn model(&mut self) -> &mut Model {
        self.device.model()
    }

    /// Sets an input that the block has not of itself, because its Verilog was changed.
    ///
    /// # Panics
    /// If there is no such input.
    pub fn set_input(&mut self, name: &str, value: u64) {
        let port = self.device.model().port(name).unwrap_or_else(|error| panic!("{error}"));
        self.device.set(port.column(), value);
    }

    /// Why the model ended its simulation, if it did.
    pub fn ended(&self) -> Option<String> {
        self.device.ended()
    }

    /// The other simulator, if it is in one. The block cannot go on then.
    pub(super) fn take_beside(&mut self) -> Option<Process> {
        self.device.take_beside()
    }

    /// From now on keeps what is given.
    pub fn record(&mut self) {
        self.recording = Some(Stimulus::default());
    }

    /// What was given since then.
    pub fn recorded(&mut self) -> Stimulus {
        self.recording.take().unwrap_or_default()
    }

    /// From now on keeps account of what becomes of each frame that is given.
    pub(super) fn keep_account(&mut self) {
        self.follower.ledger = Some(Ledger::default());
    }

    /// That account.
    pub(super) fn ledger(&self) -> Option<&Ledger> {
        self.follower.ledger.as_ref()
    }

    /// Keeps an access or a reset as given. What is written before the first frame needs no cycle.
    pub(super) fn keep_act(&mut self, act: Act) {
        let cycle = self.cycle();
        let Some(stimulus) = &mut self.recording else { return };
        match act {
            Act::Write(name, value) if stimulus.frames.is_empty() && stimulus.acts.is_empty() => {
                stimulus.writes.push((name, value));
            }
            act => stimulus.acts.push((cycle, act)),
        }
    }

    /// From now on, beside what `around` says, its streams pause in a share of all cycles, or no more. Of a pair each block has its number.
    pub fn pace(&mut self, pace: Option<Pace>, block: u64) {
        self.paced = pace.map(|pace| Paced::new(pace, block));
    }

    pub(super) fn is_paced(&self) -> bool {
        self.paced.is_some()
    }

    /// From now on differences are noted, and end nothing.
    pub fn keep_going(&mut self) {
        self.follower.notes.get_mut().keeps_going = true;
    }

    /// The first difference that was noted, and how often there was one.
    pub fn noted(&self) -> (Option<Difference>, Differing) {
        let notes = self.follower.notes.borrow();
        (notes.first.clone(), notes.differing())
    }

    /// From now on what leaves goes into these files.
    pub(super) fn leave(&mut self, leaving: Leaving) {
        self.leaving = leaving;
    }

    /// The files.
    pub(super) fn take_leaving(&mut self) -> Leaving {
        std::mem::take(&mut self.leaving)
    }

    /// From now on keeps the inputs of each cycle.
    pub fn keep_rows(&mut self) {
        self.device.keep_rows();
    }

    /// The inputs that were kept, one cycle after the other, as [`Model::cycle`] takes them.
    pub fn rows(&self) -> &[u64] {
        self.device.rows()
    }

    /// The cycle in which the first frame was given.
    pub fn first_frame(&self) -> Option<u64> {
        self.first_frame
    }

    /// Records waves of these cycles, for which the model has to be built.
    pub(super) fn record_waves(&mut self, window: Window) {
        self.waves = Some(Waves::new(window));
    }

    /// Whether all of them are recorded.
    pub(super) fn waves_are_taken(&self) -> bool {
        self.waves.as_ref().is_some_and(Waves::are_taken)
    }

    /// The waves as an FST; no bytes if none were recorded.
    pub(super) fn take_waves(&mut self) -> Result<Vec<u8>, ModelError> {
        let model = self.device.model();
        self.waves.take().map_or(Ok(Vec::new()), |waves| waves.take(model))
    }

    /// The host gives a frame, behind those that wait.
    pub fn send(&mut self, frame: Given) {
        self.tx_in.push(frame);
    }

    /// The MAC gives one.
    pub fn receive(&mut self, frame: Given) {
        self.rx_in.push(frame);
    }

    /// Frames that wait to be given: of the host, of the MAC.
    pub fn waiting(&self) -> [usize; 2] {
        [self.tx_in.len(), self.rx_in.len()]
    }

    /// Whether a frame has begun to leave at `tx_out`.
    pub fn is_transmitting(&self) -> bool {
        self.tx_out.is_within()
    }

    /// Beats that were taken on each stream of frames.
    pub fn beats(&self) -> Beats {
        Beats {
            tx_in: self.tx_in.beats,
            tx_out: self.tx_out.beats,
            rx_in: self.rx_in.beats,
            rx_out: self.rx_out.beats,
        }
    }

    /// One clock cycle.
    ///
    /// # Errors
    /// The first difference. The block is not to be used behind it.
    pub fn step(&mut self) -> Result<(), Difference> {
        let around = self.around;
        let around = self.paced.as_mut().map_or(around, |paced| paced.over(around));
        let at = self.device.at;
        let cycle = self.cycle();
        keep_around(&mut self.recording, cycle, around);
        self.tx_in.offer(&mut self.device, at.tx_in, around.tx_in_pauses);
        self.rx_in.offer(&mut self.device, at.rx_in, around.rx_in_pauses);
        self.device.set(at.tx_out.ready, around.tx_out_ready.into());
        self.device.set(at.rx_out.ready, around.rx_out_ready.into());
        self.device.set_event_ready(around.event_ready);
        if let Some(waves) = &mut self.waves {
            waves.before(cycle, self.device.model());
        }
        self.device.cycle();
        self.follower.is_writing = cycle < self.settled_at;
        let (seen, numbers) = (self.device.seen(), self.device.numbers());
        // in a reset nothing is taken, and a frame that begins there waits
        if !seen.in_reset {
            if let Some(frame) = self.tx_in.begun() {
                self.follower.offered(frame);
                keep(&mut self.recording, cycle, true, frame);
                self.first_frame.get_or_insert(cycle);
            }
            if let Some(frame) = self.rx_in.begun() {
                self.follower.arriving(frame);
                keep(&mut self.recording, cycle, false, frame);
                self.first_frame.get_or_insert(cycle);
            }
        }
        self.follower.follow(&seen, &numbers)?;
        for output in [End::transmitted, End::delivered, End::told] {
            let compared = output(self);
            self.follower.heed(compared)?;
        }
        self.tx_in.take(&self.device, at.tx_in);
        self.rx_in.take(&self.device, at.rx_in);
        self.follower.step();
        Ok(())
    }

    /// What leaves at `tx_out`.
    fn transmitted(&mut self) -> Result<(), Difference> {
        let sent = self.tx_out.collect(&self.device, self.device.at.tx_out);
        let Some(frame) = sent.map_err(|error| self.no_beat("tx_out", error))? else { return Ok(()) };
        if self.follower.take_cut() {
            return self.follower.equal("tx_out_tuser", &frame.user, &true);
        }
        self.leaving.transmitted(self.follower.cycle(), &frame.bytes);
        let expected = self.follower.transmitted()?;
        self.follower.equal("tx_out_tuser", &frame.user, &expected.user)?;
        self.same_frame("a frame at tx_out", &frame.bytes, &expected.frame)?;
        self.out.transmitted.push_back(expected);
        Ok(())
    }

    /// What leaves at `rx_out`.
    fn delivered(&mut self) -> Result<(), Difference> {
        let received = self.rx_out.collect(&self.device, self.device.at.rx_out);
        let received = received.map_err(|error| self.no_beat("rx_out", error));
        if self.device.seen().in_reset {
            self.rx_out.forget();
        }
        let Some(frame) = received? else { return Ok(()) };
        let seen = self.device.at.beside.map(|column| self.device.get(column));
        self.leaving.delivered(self.follower.cycle(), &frame.bytes, &seen);
        let expected = self.follower.delivered(self.device.seen().rx_is_events)?;
        self.same_frame("a frame at rx_out", &frame.bytes, &expected.frame)?;
        let compared = beside::compare(&seen, &expected)
            .map_err(|(port, seen, expected)| self.follower.difference(port, seen, expected));
        self.follower.heed(compared)?;
        if expected.is_events {
            let ether_type = u16::from_be_bytes([expected.frame[12], expected.frame[13]]);
            let read = EventFrame::read(&expected.frame, ether_type).expect("it is one of the golden block");
            self.out.events.extend(read.events);
        }
        self.out.delivered.push_back(expected);
        Ok(())
    }

    /// What the host takes of the events.
    fn told(&mut self) -> Result<(), Difference> {
        let Some(seen) = self.device.event() else { return Ok(()) };
        self.leaving.told(self.follower.cycle(), seen);
        let expected = self.follower.event()?;
        if seen != expected.to_bits() {
            let seen = Event::from_bits(seen).map_or(format!("{seen:#x}"), |event| format!("{event:?}"));
            let wrong = self.follower.difference("an event", seen, format!("{expected:?}"));
            self.follower.heed(Err(wrong))?;
        }
        self.out.events.push_back(expected);
        Ok(())
    }

    fn no_beat(&self, stream: &str, error: String) -> Difference {
        self.follower.difference(stream, error, "contiguous, whole beats".into())
    }

    fn same_frame(&self, what: &str, seen: &[u8], expected: &[u8]) -> Result<(), Difference> {
        if seen == expected {
            return Ok(());
        }
        let (expected, seen) = difference::frames(expected, seen);
        self.follower.heed(Err(self.follower.difference(what, seen, expected)))
    }
}

fn keep_around(recording: &mut Option<Stimulus>, cycle: u64, around: Around) {
    if let Some(stimulus) = recording {
        let before = stimulus.around.last().map_or(Around::FREE, |(_, around)| *around);
        if around != before {
            stimulus.around.push((cycle, around));
        }
    }
}

fn keep(recording: &mut Option<Stimulus>, cycle: u64, is_of_host: bool, frame: &Given) {
    if let Some(stimulus) = recording {
        stimulus.frames.push(Entry { cycle, is_of_host, frame: frame.clone() });
    }
}
