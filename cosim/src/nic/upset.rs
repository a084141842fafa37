//! One bit of one memory of the block flips amid random traffic: what comes of it, without a golden block beside, which could not follow.
//!
//! ```text
//!  hosts and network ──► traffic ─► flip ─► traffic ─► a driver opens all connections anew ─► each of them does as a new one
//!                                                                          `rst` behind that ─► nothing is left of the flip
//! ```
//!
//! What is checked holds for any block: the MAC never waits, every access to a register is answered, and the host's frames are taken
//! once their connections are open anew. The other end is a golden block.

use std::collections::VecDeque;

use rand::rngs::Xoshiro256PlusPlus;
use rand::seq::index::sample;
use rand::{RngExt, SeedableRng};
use respray_golden::hosts::frames;
use respray_golden::nic::{Command, Event, Kind, Nic, PSNS};
use respray_golden::paths::End as Side;
use respray_hdl::config::Config;

use super::device::Device;
use super::error::NicError;
use super::streams::{Collector, Feeder};
use crate::lockstep::upset::{ADDRESS, BIT, Finding, Flip, MEMORY, Site, Upset, Wrong, numbered};
use crate::verilator::Model;

/// Connections that are in use, and another one that is opened behind the flip alone.
const CONNECTIONS: usize = 5;
/// Packets of a connection in flight, at most.
const WINDOW: u32 = 24;
/// Cycles of traffic before the flip, drawn up to these, and behind it.
const BEFORE: u64 = 1500;
const BEHIND: u64 = 1500;
/// Cycles between two looks of the host and the network at what there is to do, how often each then gives a frame, and how many wait at most.
const STEP: u64 = 16;
const GIVEN: usize = 6;
const WAITING: usize = 8;
/// Share of the frames that are lost on their way.
const LOSS: f64 = 0.03;
/// Cycles in which all that waits goes out, at most, and cycles without anything behind which nothing follows.
const DRAINED: u64 = 6000;
const QUIET: u64 = 300;
/// Cycles of `rst`, those behind one in which the MAC may wait, and those in which an access is answered at the latest.
const RESET: u64 = 4;
const WAKING: u64 = 8;
const ANSWERED: u64 = 70_000;
/// Bytes of the packets by which each connection is tried in the end.
const TRIED: u32 = 60;
/// Where the queues are that have as many words as there are connections, or more.
const QUEUES: [&str; 3] = ["receiver.", "events.", "answer."];

/// What came out of the block.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct Out {
    sent: Vec<Vec<u8>>,
    /// With `rx_status`.
    received: Vec<(Vec<u8>, u64)>,
    events: Vec<Event>,
}

/// The block, with a host and a MAC.
struct Bench {
    device: Device,
    tx_in: Feeder,
    rx_in: Feeder,
    tx_out: Collector,
    rx_out: Collector,
    /// Columns of the inputs that flip a bit.
    flips: [usize; 3],
    registers: Nic,
    cycle: u64,
    since_reset: u64,
    /// Cycles in which nothing came out, up to now.
    quiet: u64,
    /// Share of the cycles in which `tx_out`, `rx_out` and the events are taken.
    ready: [f64; 3],
    random: Xoshiro256PlusPlus,
    out: Out,
}

/// Runs a model of the block, made of a text in which the bits of these memories can be flipped and that shows what the lockstep watches.
///
/// # Errors
/// [`NicError`].
pub fn upset(config: &Config, models: [Model; 2], sites: &[Site], seed: u64) -> Result<Upset, NicError> {
    let [flipped, plain] = models;
    let mut random = Xoshiro256PlusPlus::seed_from_u64(seed);
    let begin = random.random();
    let mut world = World::new(config, flipped, begin)?;
    let mut twin = World::new(config, plain, begin)?;
    let before = random.random_range(1..=BEFORE);
    let behind = random.random_range(1..=BEHIND);
    let number = random.random_range(0..sites.len());
    let site = &sites[number];
    let (address, of) = world.word(site, &mut random);
    let flip = (number as u64 + 1, address, random.random_range(0..site.width));
    let mut upset = Upset::default();
    let mut run = |world: &mut World, flip: Option<(u64, u32, u32)>| {
        world.set_up()?;
        world.run(before)?;
        let at = world.bench.cycle;
        if let Some((memory, address, bit)) = flip {
            world.bench.flip(memory, address, bit);
            upset.flip = Some(Flip {
                memory: site.path.clone(),
                address: numbered(address),
                bit,
                cycle: at,
                of: of.clone(),
            });
        }
        world.run(behind)
    };
    let finding = run(&mut world, Some(flip)).and_then(|()| {
        let seen = world.bench.out.clone();
        run(&mut twin, None)?;
        upset.met = u64::from(seen != twin.bench.out);
        upset.differed = upset.met;
        if world.renewed().is_err() {
            // a queue may have lost its step: who drives the block sees that, and resets it
            upset.reset = true;
            world.bench.write("command", Command::Reset as u32)?;
            world.renewed()?;
        }
        world.restarted(&mut twin)
    });
    upset.finding = finding.err();
    upset.cycles = world.bench.cycle;
    Ok(upset)
}

impl Bench {
    fn new(config: &Config, model: Model, seed: u64) -> Result<Bench, NicError> {
        let column = |name: &str| model.port(name).map(|port| port.column());
        let flips = [column(MEMORY)?, column(ADDRESS)?, column(BIT)?];
        let mut bench = Bench {
            device: Device::new(model, None)?,
            tx_in: Feeder::default(),
            rx_in: Feeder::default(),
            tx_out: Collector::default(),
            rx_out: Collector::default(),
            flips,
            registers: Nic::new(super::golden(config)),
            cycle: 0,
            since_reset: 0,
            quiet: 0,
            ready: [1.0; 3],
            random: Xoshiro256PlusPlus::seed_from_u64(seed),
            out: Out::default(),
        };
        let bus = bench.device.at.bus;
        bench.device.set(bus.wstrb, 0xf);
        bench.device.set(bus.bready, 1);
        bench.device.set(bus.rready, 1);
        bench.reset();
        Ok(bench)
    }

    fn reset(&mut self) {
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
    fn flip(&mut self, memory: u64, address: u32, bit: u32) {
        let values = [memory, address.into(), bit.into()];
        self.flips.into_iter().zip(values).for_each(|(column, value)| self.device.set(column, value));
    }

    fn wedge<T>(&self, says: String) -> Result<T, Finding> {
        Err(Finding { wrong: Wrong::Wedge, cycle: self.cycle, says })
    }

    /// One clock cycle.
    fn step(&mut self) -> Result<(), Finding> {
        let at = self.device.at;
        self.tx_in.offer(&mut self.device, at.tx_in, false);
        self.rx_in.offer(&mut self.device, at.rx_in, false);
        let ready = self.ready.map(|share| share >= 1.0 || self.random.random_bool(share));
        let outputs = [at.tx_out.ready, at.rx_out.ready, at.event_ready];
        outputs.into_iter().zip(ready).for_each(|(column, ready)| self.device.set(column, ready.into()));
        self.device.cycle();
        self.device.set(self.flips[0], 0);
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
        if ready[2] && self.device.is(at.event_valid) {
            self.quiet = 0;
            self.out.events.extend(Event::from_bits(self.device.event()));
        }
        self.tx_in.take(&self.device, at.tx_in);
        self.rx_in.take(&self.device, at.rx_in);
        self.cycle += 1;
        Ok(())
    }

    /// Writes a register.
    fn write(&mut self, name: &str, value: u32) -> Result<(), Finding> {
        let Some(address) = self.registers.address(name) else { return Ok(()) };
        let bus = self.device.at.bus;
        self.device.set(bus.awaddr, address.into());
        self.device.set(bus.wdata, value.into());
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
    fn open(&mut self, conn: u16, psn: u32) -> Result<(), Finding> {
        self.write("command_conn", conn.into())?;
        self.write("command_psn", psn)?;
        self.write("command", Command::OpenTx as u32)?;
        self.write("command", Command::OpenRx as u32)
    }

    /// Runs until nothing waits to go in and nothing came out for a while; whether it did in time.
    fn drain(&mut self) -> Result<bool, Finding> {
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

/// A connection as its host and the other end see it.
#[derive(Clone, Copy, Debug)]
struct Connection {
    number: u16,
    next: u32,
    acked: u32,
    theirs: u32,
}

/// The block, its host, and the network with a golden block at the other end.
struct World {
    config: Config,
    bench: Bench,
    peer: Nic,
    random: Xoshiro256PlusPlus,
    connections: Vec<Connection>,
    /// The one that is opened in the end alone.
    spare: u16,
    again: VecDeque<(u16, u32)>,
    /// Frames and events that came out and were looked at.
    seen: [usize; 2],
}

impl World {
    fn new(config: &Config, model: Model, seed: u64) -> Result<World, NicError> {
        let mut random = Xoshiro256PlusPlus::seed_from_u64(seed);
        let bench = Bench::new(config, model, random.random())?;
        let numbers = sample(&mut random, config.connections as usize, CONNECTIONS + 1);
        let mut connections: Vec<Connection> = numbers
            .into_iter()
            .map(|number| {
                let psn = random.random_range(0..1 << 24);
                Connection { number: number as u16, next: psn, acked: psn, theirs: psn }
            })
            .collect();
        let spare = connections.pop().expect("one more").number;
        let peer = Nic::new(super::golden(config));
        let (again, seen) = (VecDeque::new(), [0; 2]);
        Ok(World { config: config.clone(), bench, peer, random, connections, spare, again, seen })
    }

    /// A word of a memory, of a connection in use where it has words for each, and what it is in words.
    fn word(&self, site: &Site, random: &mut Xoshiro256PlusPlus) -> (u32, String) {
        let each = site.words / self.config.connections;
        let is_of_each = QUEUES.iter().all(|queue| !site.path.starts_with(queue)) && each > 0;
        if !is_of_each {
            return site.of_queue(random);
        }
        let at = random.random_range(0..self.connections.len());
        let number = u32::from(self.connections[at].number);
        (number * each + random.random_range(0..each), format!("connection {number}"))
    }

    fn set_up(&mut self) -> Result<(), Finding> {
        for (name, value) in [
            ("wire_prescale", 3),
            ("sack_prescale", 5),
            ("probe_timeout", 40),
            ("rto", 100),
            ("rto_backoff_max", 2),
            ("sack_threshold", 0),
            ("cwnd_packets", WINDOW),
        ] {
            self.bench.write(name, value)?;
        }
        for Connection { number, next, .. } in self.connections.clone() {
            self.bench.open(number, next)?;
            open(&mut self.peer, number, next, Command::OpenRx);
        }
        Ok(())
    }

    fn data(&self, from: Side, conn: u16, psn: u32, bytes: u32, again: bool) -> Vec<u8> {
        let profile = self.peer.config().profile;
        frames::data(profile, &frames::Data { from, conn, psn, bytes, ack_request: false, again })
    }

    /// Traffic in both directions for so many cycles.
    fn run(&mut self, cycles: u64) -> Result<(), Finding> {
        let end = self.bench.cycle + cycles;
        while self.bench.cycle < end {
            self.bench.ready = std::array::from_fn(|_| match self.random.random_range(0..5) {
                0 => 0.0,
                1 => self.random.random_range(0.05..1.0),
                _ => 1.0,
            });
            let busy = self.random.random_range(0.2..1.0);
            for _ in 0..self.random.random_range(4..16) {
                for _ in 0..GIVEN {
                    self.give(busy);
                }
                for _ in 0..STEP {
                    self.bench.step()?;
                }
                self.look();
            }
        }
        Ok(())
    }

    /// Host and network have something to give.
    fn give(&mut self, busy: f64) {
        let at = self.random.random_range(0..self.connections.len());
        let Connection { number, next, acked, theirs } = self.connections[at];
        let bytes = if self.random.random() { 1 } else { self.random.random_range(1..=300) };
        if self.random.random_bool(busy) && self.bench.tx_in.len() < WAITING {
            if let Some((conn, psn)) = self.again.pop_front() {
                let frame = self.data(Side::A, conn, psn, bytes, true);
                self.bench.tx_in.push(frame.into());
            } else if PSNS.sub(next, acked) < WINDOW {
                self.connections[at].next = PSNS.add(next, 1);
                let frame = self.data(Side::A, number, next, bytes, false);
                self.bench.tx_in.push(frame.into());
            }
        }
        if self.random.random_bool(busy) && self.bench.rx_in.len() < WAITING {
            self.connections[at].theirs = PSNS.add(theirs, 1);
            let frame = self.data(Side::B, number, theirs, bytes, false);
            self.bench.rx_in.push(frame.into());
        }
    }

    /// What came out since the last look reaches the other end and the host.
    fn look(&mut self) {
        let sent = self.bench.out.sent[self.seen[0]..].to_vec();
        let events = self.bench.out.events[self.seen[1]..].to_vec();
        self.seen = [self.bench.out.sent.len(), self.bench.out.events.len()];
        for event in events {
            let mut all = self.connections.iter_mut();
            let Some(of) = all.find(|of| u32::from(of.number) == event.conn) else { continue };
            match event.kind {
                Kind::Acknowledged => of.acked = event.psn,
                Kind::Retransmit => self.again.push_back((of.number, event.psn)),
                _ => {}
            }
        }
        self.peer.advance(self.bench.cycle);
        for frame in sent {
            if !self.random.random_bool(LOSS) {
                self.peer.receive(frame, false);
            }
        }
        while let Some(answer) = self.peer.transmit() {
            if !self.random.random_bool(LOSS) {
                self.bench.rx_in.push(answer.frame.into());
            }
        }
        while self.peer.deliver().is_some() {}
        while self.peer.event().is_some() {}
    }

    /// The driver opens all connections anew, and one more. Then each does as a new one.
    fn renewed(&mut self) -> Result<(), Finding> {
        let bench = &mut self.bench;
        bench.ready = [1.0; 3];
        for (name, value) in [("rto", 0xffff), ("probe_timeout", 0xffff), ("sack_threshold", 0)] {
            bench.write(name, value)?;
        }
        let spare = Connection { number: self.spare, next: 0, acked: 0, theirs: 0 };
        self.connections.truncate(CONNECTIONS);
        self.connections.push(spare);
        // a packet that waits in front of others goes once its connection is open anew
        for is_last in [false, true] {
            for at in 0..self.connections.len() {
                let psn = self.random.random_range(0..1 << 24);
                let number = self.connections[at].number;
                self.connections[at] = Connection { number, next: psn, acked: psn, theirs: psn };
                self.bench.open(number, psn)?;
            }
            if !self.bench.drain()? && is_last {
                return self
                    .bench
                    .wedge("what waits does not go, though all connections are open anew".to_string());
            }
        }
        for at in 0..self.connections.len() {
            self.tried(self.connections[at])?;
        }
        Ok(())
    }

    /// A connection that was just opened answers data, and sends, and hears that it arrived.
    fn tried(&mut self, connection: Connection) -> Result<(), Finding> {
        let Connection { number, next, theirs, .. } = connection;
        let says = |what: &str| format!("connection {number}, open anew: {what}");
        let fresh = || Nic::new(super::golden(&self.config));
        let (mut golden, mut peer) = (fresh(), fresh());
        open(&mut golden, number, theirs, Command::OpenRx);
        open(&mut peer, number, next, Command::OpenRx);
        let arriving = self.data(Side::B, number, theirs, TRIED, false);
        golden.receive(arriving.clone(), false);
        let answer = golden.transmit().expect("a SACK").frame;
        self.bench.out = Out::default();
        self.bench.rx_in.push(arriving.clone().into());
        let drained = self.bench.drain()?;
        let Out { sent, received, events } = std::mem::take(&mut self.bench.out);
        if !drained || received != [(arriving, 0)] {
            let what = format!(
                "of a packet that arrives {} frames reach the host, of status {:?}",
                received.len(),
                received.iter().map(|(_, status)| *status).collect::<Vec<_>>()
            );
            return self.bench.wedge(says(&what));
        }
        if sent != [answer] || !events.is_empty() {
            let what = format!(
                "a packet that arrives is answered by {} frames, not by its SACK, with events {events:?}",
                sent.len()
            );
            return self.bench.wedge(says(&what));
        }
        let own = self.data(Side::A, number, next, TRIED, false);
        let payload = own.len() - TRIED as usize;
        self.bench.tx_in.push(own.clone().into());
        let drained = self.bench.drain()?;
        let Out { sent, events, .. } = std::mem::take(&mut self.bench.out);
        let is_sent = sent.len() == 1 && sent[0].len() == own.len() && sent[0][payload..] == own[payload..];
        if !drained || !is_sent || !events.is_empty() {
            let what = format!("a packet of the host becomes {} frames, with events {events:?}", sent.len());
            return self.bench.wedge(says(&what));
        }
        peer.receive(sent[0].clone(), false);
        let Some(ack) = peer.transmit() else {
            return self.bench.wedge(says("a packet of the host does not arrive as one of its connection"));
        };
        self.bench.rx_in.push(ack.frame.into());
        self.bench.drain()?;
        let Out { events, .. } = std::mem::take(&mut self.bench.out);
        let is_told = |event: &Event| {
            event.kind == Kind::Acknowledged
                && (event.conn, event.psn) == (number.into(), PSNS.add(next, 1))
                && event.in_flight == 0
        };
        if !events.iter().any(is_told) {
            return self.bench.wedge(says(&format!("its ACK is told by {events:?}")));
        }
        Ok(())
    }

    /// `rst`, and then traffic again: the block and one in which nothing flipped do the same.
    fn restarted(&mut self, twin: &mut World) -> Result<(), Finding> {
        let seed = self.random.random();
        // ticks count clock cycles since power-up
        while twin.bench.cycle < self.bench.cycle {
            twin.bench.step()?;
        }
        for world in [&mut *self, &mut *twin] {
            let numbers: Vec<u16> = world.connections.iter().take(CONNECTIONS).map(|of| of.number).collect();
            world.random = Xoshiro256PlusPlus::seed_from_u64(seed);
            world.bench.random = Xoshiro256PlusPlus::seed_from_u64(seed);
            world.bench.reset();
            world.peer = Nic::new(super::golden(&world.config));
            world.again.clear();
            world.seen = [0; 2];
            let of = |number| Connection { number, next: 0, acked: 0, theirs: 0 };
            world.connections = numbers.into_iter().map(of).collect();
            world.set_up()?;
            world.run(BEHIND)?;
            world.bench.ready = [1.0; 3];
            world.bench.drain()?;
        }
        if self.bench.out == twin.bench.out {
            return Ok(());
        }
        let says = "behind `rst` not everything is as in a block in which nothing flipped".to_string();
        Err(Finding { wrong: Wrong::NotRenewed, cycle: self.bench.cycle, says })
    }
}

/// Opens a connection of a golden block, which answers each packet.
fn open(nic: &mut Nic, conn: u16, psn: u32, command: Command) {
    let settings = [
        ("sack_threshold", 0),
        ("command_conn", conn.into()),
        ("command_psn", psn),
        ("command", command as u32),
    ];
    for (name, value) in settings {
        let address = nic.address(name).expect("the block has the register");
        nic.write(address, value).expect("a value of the register");
    }
}
