//! The block with a host and a MAC that nothing compares with.

use rand::rngs::Xoshiro256PlusPlus;
use rand::{RngExt, SeedableRng};
use respray_golden::nic::{Command, Event, Nic};

use crate::nic::device::Device;
use crate::nic::streams::{Collector, Feeder};
use crate::upset::{Finding, FlipPorts, Wrong};
use crate::verilator::{Model, ModelError};

/// Cycles in which all that waits goes out, at most, and cycles without anything behind which nothing follows.
const DRAINED: u64 = 6000;
const QUIET: u64 = 300;
/// Cycles of `rst`, those behind one in which the MAC may wait, and those in which an access is answered at the latest.
const RESET: u64 = 4;
const WAKING: u64 = 8;
const ANSWERED: u64 = 70_000;

/// What came out of the block.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Out {
    pub sent: Vec<Vec<u8>>,
    /// With `rx_status`.
    pub received: Vec<(Vec<u8>, u64)>,
    pub events: Vec<Event>,
}

/// The block, with a host and a MAC.
pub(super) struct Bench {
    device: Device,
    pub tx_in: Feeder,
    pub rx_in: Feeder,
    tx_out: Collector,
    rx_out: Collector,
    flips: FlipPorts,
    registers: Nic,
    pub cycle: u64,
    since_reset: u64,
    /// Cycles in which nothing came out, up to now.
    quiet: u64,
    /// Share of the cycles in which `tx_out`, `rx_out` and the events are taken.
    pub ready: [f64; 3],
    pub random: Xoshiro256PlusPlus,
    pub out: Out,
}

impl Bench {
    /// A block with these registers, powered up and reset.
    ///
    /// # Errors
    /// If the model has not the ports of the block, or none to flip a bit by.
    pub fn new(registers: Nic, model: Model, seed: u64) -> Result<Bench, ModelError> {
        let flips = FlipPorts::of(&model)?;
        let mut bench = Bench {
            device: Device::new(model, None)?,
            tx_in: Feeder::default(),
            rx_in: Feeder::default(),
            tx_out: Collector::default(),
            rx_out: Collector::default(),
            flips,
            registers,
            cycle: 0,
            since_reset: 0,
            quiet: 0,
            ready: [1.0; 3],
            random: Xoshiro256PlusPlus::seed_from_u64(seed),
            out: Out::default(),
        };
        let bus = bench.device.at.bus;
        bench.device.set(bus.bready, 1);
        bench.device.set(bus.rready, 1);
        bench.reset();
        Ok(bench)
    }

    /// `rst`, for all that is around the block, too.
    pub fn reset(&mut self) {
        let at = self.device.at;
        self.tx_in.forget(&mut self.device, at.tx_in);
        self.rx_in.forget(&mut self.device, at.rx_in);
        self.tx_out.forget();
        self.rx_out.forget();
        for valid in [at.bus.awvalid, at.bus.wvalid, at.bus.arvalid] {
            self.device.set(valid, 0);
        }
        self.device.set(at.rst, 1);
        (0..RESET).for_each(|_| self.device.cycle());
        self.device.set(at.rst, 0);
        (self.since_reset, self.quiet, self.out) = (0, 0, Out::default());
        self.cycle += RESET;
        self.ready = [1.0; 3];
    }

    /// A bit flips at the next clock edge.
    pub fn flip(&mut self, place: usize, address: u32, bit: u32) {
        self.flips.flip(&mut self.device.inputs, place, address, bit);
    }

    /// Something that must not be.
    pub fn wedge<T>(&self, says: String) -> Result<T, Finding> {
        Err(Finding { wrong: Wrong::Wedge, cycle: self.cycle, says })
    }

    /// One clock cycle.
    pub fn step(&mut self) -> Result<(), Finding> {
        let at = self.device.at;
        self.tx_in.offer(&mut self.device, at.tx_in, false);
        self.rx_in.offer(&mut self.device, at.rx_in, false);
        let ready = self.ready.map(|share| share >= 1.0 || self.random.random_bool(share));
        let outputs = [at.tx_out.ready, at.rx_out.ready];
        outputs.into_iter().zip(ready).for_each(|(column, ready)| self.device.set(column, ready.into()));
        self.device.set_event_ready(ready[2]);
        self.device.cycle();
        self.flips.rest(&mut self.device.inputs);
        if let Some(says) = self.device.ended() {
            return self.wedge(says);
        }
        self.since_reset = if self.device.seen().in_reset { 0 } else { self.since_reset + 1 };
        if self.since_reset > WAKING && !self.device.is(at.rx_in.ready) {
            return self.wedge("the MAC has to wait".to_string());
        }
        self.quiet += 1;
        // beats whose `tkeep` a flip has spoilt end their frame
        match self.tx_out.collect(&self.device, at.tx_out) {
            Ok(None) => {}
            Ok(Some(frame)) => {
                self.quiet = 0;
                self.out.sent.push(frame.bytes);
            }
            Err(_) => self.tx_out.forget(),
        }
        match self.rx_out.collect(&self.device, at.rx_out) {
            Ok(None) => {}
            Ok(Some(frame)) => {
                self.quiet = 0;
                let status = self.device.get(*at.beside.last().expect("there are some"));
                self.out.received.push((frame.bytes, status));
            }
            Err(_) => self.rx_out.forget(),
        }
        if let Some(record) = self.device.event() {
            self.quiet = 0;
            self.out.events.extend(Event::from_bits(record));
        }
        self.tx_in.take(&self.device, at.tx_in);
        self.rx_in.take(&self.device, at.rx_in);
        self.cycle += 1;
        Ok(())
    }

    /// Writes a register.
    pub fn write(&mut self, name: &str, value: u32) -> Result<(), Finding> {
        let Some(address) = self.registers.address(name) else { return Ok(()) };
        let bus = self.device.at.bus;
        self.device.put_write(address, value);
        let (mut addressed, mut written) = (false, false);
        for _ in 0..ANSWERED {
            self.device.set(bus.awvalid, (!addressed).into());
            self.device.set(bus.wvalid, (!written).into());
            self.step()?;
            addressed |= self.device.is(bus.awready);
            written |= self.device.is(bus.wready);
            if self.device.is(bus.bvalid) {
                self.device.set(bus.awvalid, 0);
                self.device.set(bus.wvalid, 0);
                return Ok(());
            }
        }
        self.wedge(format!("a write of `{name}` is never answered"))
    }

    /// Opens a connection for both directions.
    pub fn open(&mut self, conn: u16, psn: u32) -> Result<(), Finding> {
        self.write("command_conn", conn.into())?;
        self.write("command_psn", psn)?;
        self.write("command", Command::OpenTx as u32)?;
        self.write("command", Command::OpenRx as u32)
    }

    /// Runs until nothing waits to go in and nothing came out for a while; whether it did in time.
    pub fn drain(&mut self) -> Result<bool, Finding> {
        self.quiet = 0;
        for _ in 0..DRAINED {
            if self.tx_in.len() == 0 && self.rx_in.len() == 0 && self.quiet >= QUIET {
                return Ok(true);
            }
            self.step()?;
        }
        Ok(false)
    }
}
