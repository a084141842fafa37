//! Random traffic at the bench, and what a driver does behind a flip.

use std::collections::VecDeque;

use rand::rngs::Xoshiro256PlusPlus;
use rand::seq::index::sample;
use rand::{RngExt, SeedableRng};
use respray_golden::hosts::frames;
use respray_golden::nic::{Command, Config, Event, Kind, Nic, PSNS};
use respray_golden::paths::End as Side;

use super::bench::{Bench, Out};
use crate::upset::{Finding, Site, Wrong};
use crate::verilator::{Model, ModelError};

/// Connections that are in use, and another one that is opened behind the flip alone.
const CONNECTIONS: usize = 5;
/// Packets of a connection in flight, at most.
const WINDOW: u32 = 24;
/// Cycles of traffic behind the last `rst`.
const RESTARTED: u64 = 1500;
/// Cycles between two looks of the host and the network at what there is to do, how often each then gives a frame, and how many wait at most.
const STEP: u64 = 16;
const GIVEN: usize = 6;
const WAITING: usize = 8;
/// Share of the frames that are lost on their way.
const LOSS: f64 = 0.03;
/// Bytes of the packets by which each connection is tried in the end.
const TRIED: u32 = 60;
/// Where the queues are that have as many words as there are connections, or more.
const QUEUES: [&str; 3] = ["receiver.", "events.", "answer."];

/// A connection as its host and the other end see it.
#[derive(Clone, Copy, Debug)]
struct Connection {
    number: u16,
    next: u32,
    acked: u32,
    theirs: u32,
}

/// The block, its host, and the network with a golden block at the other end.
pub(super) struct World {
    pub bench: Bench,
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
    /// Of a block of this configuration.
    ///
    /// # Errors
    /// If the model has not the ports of the block, or none to flip a bit by.
    pub fn new(config: Config, model: Model, seed: u64) -> Result<World, ModelError> {
        let mut random = Xoshiro256PlusPlus::seed_from_u64(seed);
        let bench = Bench::new(Nic::new(config.clone()), model, random.random())?;
        let numbers = sample(&mut random, config.connections as usize, CONNECTIONS + 1);
        let mut connections: Vec<Connection> = numbers
            .into_iter()
            .map(|number| {
                let psn = random.random_range(0..1 << 24);
                Connection { number: number as u16, next: psn, acked: psn, theirs: psn }
            })
            .collect();
        let spare = connections.pop().expect("one more").number;
        let peer = Nic::new(config);
        let (again, seen) = (VecDeque::new(), [0; 2]);
        Ok(World { bench, peer, random, connections, spare, again, seen })
    }

    /// A word of a memory, of a connection in use where it has words for each, and what it is in words.
    pub fn word(&self, site: &Site, random: &mut Xoshiro256PlusPlus) -> (u32, String) {
        let each = site.words / self.peer.config().connections;
        let is_of_each = QUEUES.iter().all(|queue| !site.path.starts_with(queue)) && each > 0;
        if !is_of_each {
            return site.of_queue(random);
        }
        let at = random.random_range(0..self.connections.len());
        let number = u32::from(self.connections[at].number);
        (number * each + random.random_range(0..each), format!("connection {number}"))
    }

    /// What a driver writes behind each reset, and the connections.
    pub fn set_up(&mut self) -> Result<(), Finding> {
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
            open(&mut self.peer, number, next);
        }
        Ok(())
    }

    fn data(&self, from: Side, conn: u16, psn: u32, bytes: u32, again: bool) -> Vec<u8> {
        let profile = self.peer.config().profile;
        frames::data(profile, &frames::Data { from, conn, psn, bytes, ack_request: false, again })
    }

    /// Traffic in both directions for so many cycles.
    pub fn run(&mut self, cycles: u64) -> Result<(), Finding> {
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
    pub fn renewed(&mut self) -> Result<(), Finding> {
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
        let fresh = || Nic::new(self.peer.config().clone());
        let (mut golden, mut peer) = (fresh(), fresh());
        open(&mut golden, number, theirs);
        open(&mut peer, number, next);
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
    pub fn restarted(&mut self, twin: &mut World) -> Result<(), Finding> {
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
            world.peer = Nic::new(world.peer.config().clone());
            world.again.clear();
            world.seen = [0; 2];
            let of = |number| Connection { number, next: 0, acked: 0, theirs: 0 };
            world.connections = numbers.into_iter().map(of).collect();
            world.set_up()?;
            world.run(RESTARTED)?;
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

/// Opens a connection of a golden block for receiving, which answers each packet.
fn open(nic: &mut Nic, conn: u16, psn: u32) {
    let settings = [
        ("sack_threshold", 0),
        ("command_conn", conn.into()),
        ("command_psn", psn),
        ("command", Command::OpenRx as u32),
    ];
    for (name, value) in settings {
        let address = nic.address(name).expect("the block has the register");
        nic.write(address, value).expect("a value of the register");
    }
}
