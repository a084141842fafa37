//! One `nic` with all that is around it, in lockstep with the golden one.

use std::collections::VecDeque;

use respray_golden::nic::{Config, Delivery, Event, Nic, Target, Transmitted};

use super::around::Around;
use super::beside;
use super::device::Device;
use super::difference::{self, Difference};
use super::follow::Follower;
use super::stimulus::{Entry, Stimulus};
use super::streams::{Collector, Feeder, Given};
use super::waves::Waves;
use crate::runner::Window;
use crate::simulators::{Process, SimulatorError};
use crate::verilator::{Model, ModelError};

/// Cycles that an access to a register takes at most: after `rst` all of them are given their values first.
const ACCESS_CYCLES: u64 = 60_000;
/// Cycles behind a write in which times may be those of before.
const WRITE_CYCLES: u64 = 8;
/// The longest time of a timer, in ticks.
const LONGEST_TIMER: u32 = 0xffff;
/// Cycles in which all comes to rest once no timer runs.
const REST_CYCLES: u64 = 4_000;
/// The register by which commands are given.
const COMMAND: &str = "command";
/// Cycles of `rst`.
const RESET_CYCLES: u64 = 4;

/// What came out of the block, equal to what the golden block gives.
#[derive(Debug, Default)]
pub struct Out {
    /// Frames that left at `tx_out`.
    pub transmitted: VecDeque<Transmitted>,
    /// Frames that left at `rx_out`.
    pub delivered: VecDeque<Delivery>,
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
    device: Device,
    follower: Follower,
    tx_in: Feeder,
    rx_in: Feeder,
    tx_out: Collector,
    rx_out: Collector,
    /// What is around the block.
    pub around: Around,
    /// What came out and was not taken yet.
    pub out: Out,
    /// The cycle from which on times are checked again.
    settled_at: u64,
    /// What was given since [`End::record`].
    recording: Option<Stimulus>,
    /// The cycle in which the first frame was given.
    first_frame: Option<u64>,
    waves: Option<Waves>,
}

impl End {
    /// A block that was powered up and reset.
    ///
    /// # Errors
    /// If the model has not the ports of the block, or none to watch it by.
    pub fn new(model: Model, config: Config) -> Result<End, ModelError> {
        Ok(End::of(Device::new(model, None)?, config))
    }

    /// The same in another simulator, whose rows are those of the model.
    pub(super) fn beside(model: Model, process: Process, config: Config) -> Result<End, ModelError> {
        Ok(End::of(Device::new(model, Some(process))?, config))
    }

    fn of(device: Device, config: Config) -> End {
        let mut end = End {
            device,
            follower: Follower::new(Nic::stepped(config)),
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
        };
        let (rst, strobe) = (end.device.at.rst, end.device.at.bus.wstrb);
        end.device.set(strobe, 0xf);
        end.device.set(rst, 1);
        for _ in 0..RESET_CYCLES {
            end.device.cycle();
            end.follower.step();
        }
        end.device.set(rst, 0);
        end.settled_at = end.cycle() + WRITE_CYCLES;
        end
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

    /// Why another simulator ended, if it did.
    pub(super) fn beside_ended(&self) -> Option<SimulatorError> {
        self.device.beside_ended()
    }

    /// From now on keeps what is given.
    pub fn record(&mut self) {
        self.recording = Some(Stimulus::default());
    }

    /// What was given since then.
    pub fn recorded(&mut self) -> Stimulus {
        self.recording.take().unwrap_or_default()
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
        let at = self.device.at;
        let cycle = self.cycle();
        keep_around(&mut self.recording, cycle, around);
        if let Some(frame) = self.tx_in.offer(&mut self.device, at.tx_in, around.tx_in_pauses) {
            self.follower.offered(frame);
            keep(&mut self.recording, cycle, true, frame);
            self.first_frame.get_or_insert(cycle);
        }
        if let Some(frame) = self.rx_in.offer(&mut self.device, at.rx_in, around.rx_in_pauses) {
            self.follower.arriving(frame);
            keep(&mut self.recording, cycle, false, frame);
            self.first_frame.get_or_insert(cycle);
        }
        self.device.set(at.tx_out.ready, around.tx_out_ready.into());
        self.device.set(at.rx_out.ready, around.rx_out_ready.into());
        self.device.set(at.event_ready, around.event_ready.into());
        if let Some(waves) = &mut self.waves {
            waves.before(cycle, self.device.model());
        }
        self.device.cycle();
        self.follower.is_writing = cycle < self.settled_at;
        let (seen, numbers) = (self.device.seen(), self.device.numbers());
        self.follower.follow(&seen, &numbers)?;
        self.outputs()?;
        self.tx_in.take(&self.device, at.tx_in);
        self.rx_in.take(&self.device, at.rx_in);
        self.follower.step();
        Ok(())
    }

    fn outputs(&mut self) -> Result<(), Difference> {
        let at = self.device.at;
        let beat =
            |what: &str, error| self.follower.difference(what, error, "contiguous, whole beats".into());
        let sent = self.tx_out.collect(&self.device, at.tx_out).map_err(|error| beat("tx_out", error))?;
        let received = self.rx_out.collect(&self.device, at.rx_out).map_err(|error| beat("rx_out", error))?;
        if let Some(frame) = sent {
            let is_cut = self.follower.take_cut();
            if is_cut {
                self.follower.equal("tx_out_tuser", &frame.user, &true)?;
            } else {
                let expected = self.follower.transmitted()?;
                self.follower.equal("tx_out_tuser", &frame.user, &expected.user)?;
                self.same_frame("a frame at tx_out", &frame.bytes, &expected.frame)?;
                self.out.transmitted.push_back(expected);
            }
        }
        if self.device.seen().in_reset {
            self.rx_out.forget();
        }
        if let Some(frame) = received {
            let expected = self.follower.golden.deliver();
            let expected = expected.ok_or_else(|| {
                self.follower.difference("rx_out", "a frame".into(), "none is ready for the host".into())
            })?;
            self.same_frame("a frame at rx_out", &frame.bytes, &expected.frame)?;
            let seen = at.beside.map(|column| self.device.get(column));
            beside::compare(&seen, &expected)
                .map_err(|(port, seen, expected)| self.follower.difference(port, seen, expected))?;
            self.out.delivered.push_back(expected);
        }
        if self.around.event_ready && self.device.is(at.event_valid) {
            let expected = self.follower.event()?;
            let seen = self.device.event();
            if seen != expected.to_bits() {
                let seen = Event::from_bits(seen).map_or(format!("{seen:#x}"), |event| format!("{event:?}"));
                return Err(self.follower.difference("an event", seen, format!("{expected:?}")));
            }
            self.out.events.push_back(expected);
        }
        Ok(())
    }

    fn same_frame(&self, what: &str, seen: &[u8], expected: &[u8]) -> Result<(), Difference> {
        if seen == expected {
            return Ok(());
        }
        let (expected, seen) = difference::frames(expected, seen);
        Err(self.follower.difference(what, seen, expected))
    }

    /// Writes the register `name` in both, while nothing else happens.
    ///
    /// # Errors
    /// A difference, of which one is that only one of them refuses it.
    ///
    /// # Panics
    /// If there is no such register.
    pub fn write(&mut self, name: &str, value: u32) -> Result<(), Difference> {
        if let Some(stimulus) = &mut self.recording {
            stimulus.writes.push((name.to_string(), value));
        }
        let address = self.address(name);
        let bus = self.device.at.bus;
        self.device.set(bus.awaddr, address.into());
        self.device.set(bus.wdata, value.into());
        self.device.set(bus.bready, 1);
        let (mut addressed, mut written) = (false, false);
        // a setting counts from the cycle on in which the hardware takes it, a command when it is done
        let is_command = name == COMMAND;
        let mut taken = None;
        for _ in 0..ACCESS_CYCLES {
            self.device.set(bus.awvalid, (!addressed).into());
            self.device.set(bus.wvalid, (!written).into());
            self.settled_at = self.cycle() + WRITE_CYCLES;
            self.step()?;
            addressed |= self.device.is(bus.awready);
            written |= self.device.is(bus.wready);
            if !is_command && self.device.seen().setting_taken {
                taken = Some(self.follower.golden.write(address, value));
            }
            if self.device.is(bus.bvalid) {
                self.device.set(bus.awvalid, 0);
                self.device.set(bus.wvalid, 0);
                let read = self.follower.take_read();
                let taken = taken.or(read).unwrap_or_else(|| self.follower.golden.write(address, value));
                let seen = self.device.get(bus.bresp) != 0;
                return self.follower.equal(&format!("{name} refuses {value}"), &seen, &taken.is_err());
            }
        }
        Err(self.follower.difference(name, "the write is never answered".into(), "an answer".into()))
    }

    /// Reads the register `name` of the hardware, while nothing else happens.
    ///
    /// # Errors
    /// A difference, of which one is that there is no answer.
    ///
    /// # Panics
    /// If there is no such register.
    pub fn read(&mut self, name: &str) -> Result<u32, Difference> {
        let address = self.address(name);
        let bus = self.device.at.bus;
        self.device.set(bus.araddr, address.into());
        self.device.set(bus.rready, 1);
        let mut addressed = false;
        for _ in 0..ACCESS_CYCLES {
            self.device.set(bus.arvalid, (!addressed).into());
            self.step()?;
            addressed |= self.device.is(bus.arready);
            if self.device.is(bus.rvalid) {
                self.device.set(bus.arvalid, 0);
                return Ok(self.device.get(bus.rdata) as u32);
            }
        }
        Err(self.follower.difference(name, "the read is never answered".into(), "an answer".into()))
    }

    /// Reads the register `name` in both, while nothing else happens.
    ///
    /// # Errors
    /// A difference.
    ///
    /// # Panics
    /// If there is no such register, or nothing to be read.
    pub fn check_register(&mut self, name: &str) -> Result<(), Difference> {
        let seen = self.read(name)?;
        let address = self.address(name);
        let expected = self.follower.golden.read(address).unwrap_or_else(|error| panic!("{name}: {error}"));
        self.follower.equal(name, &seen, &expected)
    }

    fn address(&self, name: &str) -> u32 {
        self.follower.golden.address(name).unwrap_or_else(|| panic!("there is no register {name}"))
    }

    /// Nothing is left undone, and all counters are equal. The timers are stopped first, which go on where a host sends nothing again. Nothing of it is kept as
    /// given.
    ///
    /// # Errors
    /// What is left undone, or the first counter that differs.
    pub fn check_counters(&mut self) -> Result<(), Difference> {
        let recording = self.recording.take();
        let checked = self.stop_and_compare();
        self.recording = recording;
        checked
    }

    fn stop_and_compare(&mut self) -> Result<(), Difference> {
        for timer in ["rto", "probe_timeout"] {
            self.write(timer, LONGEST_TIMER)?;
        }
        for _ in 0..REST_CYCLES {
            self.step()?;
            self.out = Out::default();
        }
        self.follower.equal("what is left undone", &None, &self.follower.golden.left_undone())?;
        // of the selector's events, too, and of packets that wait
        let counters = self.golden().registers().iter().filter_map(|register| match register.target {
            Target::Counter(counter) => Some((register.name.clone(), counter)),
            _ => None,
        });
        for (name, counter) in counters.collect::<Vec<_>>() {
            let seen = self.read(&name)?;
            let expected = self.golden().counter(counter) as u32;
            self.follower.equal(&name, &seen, &expected)?;
        }
        Ok(())
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
