//! Random traffic in both directions over a lossy network, with outputs that are ready now and then.

use std::collections::VecDeque;

use rand::rngs::StdRng;
use rand::{RngExt, SeedableRng};
use respray_golden::hosts::frames;
use respray_golden::nic::{Command, Counter, Kind, Nic, PSNS};
use respray_golden::paths::End;
use respray_golden::paths::frame;
use respray_golden::wire::Profile;

use super::design;
use super::ledger::{Account, QUIET, data, golden};

/// Connections in use, and packets of one in flight at most.
const OPENED: u16 = 6;
const WINDOW: u32 = 40;
/// Cycles between two looks at what the host has to do.
const STEP: u32 = 16;
/// Cycles in which everything that waits goes out once nothing more comes in: as in the other tests, and what the hosts answer.
const DRAINED: u64 = 4000;

/// The host of one end, and the network with the other end behind it.
struct World {
    account: Account,
    peer: Nic,
    random: StdRng,
    /// Of each connection: the next PSN, and what is not acknowledged.
    next: Vec<u32>,
    acked: Vec<u32>,
    again: VecDeque<(u16, u32)>,
    /// What was seen of what came out.
    seen: [usize; 2],
    /// PSNs of the other end.
    theirs: Vec<u32>,
}

impl World {
    fn new(seed: u64) -> World {
        let mut world = World {
            account: Account::new(design(), seed),
            peer: golden(),
            random: StdRng::seed_from_u64(seed),
            next: vec![0; OPENED.into()],
            acked: vec![0; OPENED.into()],
            again: VecDeque::new(),
            seen: [0; 2],
            theirs: vec![0; OPENED.into()],
        };
        // ticks of 32 cycles: probes and timeouts come soon
        for (name, value) in [
            ("wire_prescale", 3),
            ("sack_prescale", 5),
            ("probe_timeout", 40),
            ("rto", 400),
            ("rto_backoff_max", 2),
        ] {
            world.account.write(name, value);
        }
        let threshold = world.account.address("sack_threshold");
        world.peer.write(threshold, 0).expect("a value of the register");
        for conn in 0..OPENED {
            world.account.open(conn, 0);
            for (name, value) in [("command_conn", conn.into()), ("command", Command::OpenRx as u32)] {
                world.peer.write(world.account.address(name), value).expect("a value of the register");
            }
        }
        world
    }

    /// What came out since the last look: frames reach the other end, events the host.
    fn look(&mut self, loss: f64) {
        let out = &self.account.bench.out;
        let sent = out.sent[self.seen[0]..].to_vec();
        let events = out.events[self.seen[1]..].to_vec();
        self.seen = [out.sent.len(), out.events.len()];
        for event in events {
            let conn = event.conn as usize;
            match event.kind {
                Kind::Acknowledged => self.acked[conn] = event.psn,
                Kind::Retransmit => self.again.push_back((event.conn as u16, event.psn)),
                _ => {}
            }
        }
        self.peer.advance(self.account.bench.cycle);
        for mut frame in sent {
            if self.random.random_bool(loss) {
                continue;
            }
            if self.random.random_bool(0.1) {
                frame::mark(&mut frame);
            }
            self.peer.receive(frame, false);
        }
        while let Some(answer) = self.peer.transmit() {
            if !self.random.random_bool(loss) {
                self.account.bench.receive(answer.frame, false);
            }
        }
        while self.peer.deliver().is_some() {}
        while self.peer.event().is_some() {}
    }

    fn own(&self, conn: u16, psn: u32, again: bool) -> Vec<u8> {
        let bytes = 1 + psn * 37 % 300;
        frames::data(
            Profile::Strack,
            &frames::Data { from: End::A, conn, psn, bytes, ack_request: false, again },
        )
    }

    /// The host sends what is to be sent again, or something new, or something that is no packet, or that leaves a gap.
    fn host(&mut self) {
        if self.account.bench.waiting()[0] > 3 {
            return;
        }
        if let Some((conn, psn)) = self.again.pop_front() {
            let frame = self.own(conn, psn, true);
            return self.account.bench.send(frame);
        }
        let conn = self.random.random_range(0..OPENED);
        let at = usize::from(conn);
        let psn = self.next[at];
        match self.random.random_range(0..40) {
            0 => {
                let noise = self.noise();
                self.account.bench.send(noise);
            }
            1 => {
                let frame = self.own(conn, PSNS.add(psn, 2), false);
                self.account.bench.send(frame);
            }
            _ if PSNS.sub(psn, self.acked[at]) < WINDOW => {
                self.next[at] = PSNS.add(psn, 1);
                let frame = self.own(conn, psn, false);
                self.account.bench.send(frame);
            }
            _ => {}
        }
    }

    /// The other end sends: in order, again, far ahead, of a connection that is not open, noise, or a frame that is bad.
    fn network(&mut self) {
        if self.account.bench.waiting()[1] > 3 {
            return;
        }
        let conn = self.random.random_range(0..OPENED);
        let at = usize::from(conn);
        let psn = self.theirs[at];
        let mut frame = match self.random.random_range(0..30) {
            0 => self.noise(),
            1 => data(OPENED + 1, psn, 20),
            2 => data(conn, PSNS.add(psn, 1000), 20),
            3 => data(conn, PSNS.sub(psn, 3), 20),
            4 => {
                let mut frame = data(conn, psn, 20);
                frame[24] ^= 1; // no checksum of any header here but IPv4's is looked at
                frame
            }
            _ => {
                self.theirs[at] = PSNS.add(psn, 1);
                data(conn, psn, self.random.random_range(1..300))
            }
        };
        if self.random.random_bool(0.1) {
            frame::mark(&mut frame);
        }
        let is_bad = self.random.random_bool(0.02);
        self.account.bench.receive(frame, is_bad);
    }

    fn noise(&mut self) -> Vec<u8> {
        (0..self.random.random_range(1..200)).map(|_| self.random.random()).collect()
    }

    /// Traffic for so many cycles, in phases of which each has stalls of its own.
    fn run(&mut self, cycles: u64) {
        let end = self.account.bench.cycle + cycles;
        while self.account.bench.cycle < end {
            self.account.bench.ready = std::array::from_fn(|_| match self.random.random_range(0..5) {
                0 => 0.0,
                1 => 1.0,
                _ => self.random.random_range(0.05..1.0),
            });
            let busy = self.random.random_range(0.1..1.0);
            for _ in 0..self.random.random_range(10..120) {
                if self.random.random_bool(busy) {
                    self.host();
                }
                if self.random.random_bool(busy) {
                    self.network();
                }
                (0..STEP).for_each(|_| self.account.bench.cycle());
                self.look(0.05);
            }
        }
    }

    /// Nothing is lost any more and the timers rest: everything comes out, and is acknowledged.
    fn end(&mut self) {
        self.account.bench.ready = [1.0; 3];
        self.account.bench.drain(QUIET, DRAINED);
        self.look(0.0);
        // what is lost is found by the timers, as long as they run
        for _ in 0..400 {
            while let Some((conn, psn)) = self.again.pop_front() {
                let frame = self.own(conn, psn, true);
                self.account.bench.send(frame);
            }
            (0..256).for_each(|_| self.account.bench.cycle());
            self.look(0.0);
        }
        self.account.write("probe_timeout", 0xffff);
        self.account.write("rto", 0xffff);
        self.account.bench.drain(QUIET, DRAINED);
        self.look(0.0);
        self.account.bench.drain(QUIET, DRAINED);
        for conn in 0..OPENED {
            let next = self.next[usize::from(conn)];
            assert_eq!(self.account.read_connection(conn), (next, 0, 0), "connection {conn}");
        }
    }
}

fn run(seed: u64, cycles: u64) -> Account {
    let mut world = World::new(seed);
    world.run(cycles);
    world.end();
    world.account.is_alive();
    world.account.check().unwrap_or_else(|error| panic!("seed {seed}: {error}"));
    world.account
}

#[test]
fn all_that_is_given_under_random_stalls_comes_out_or_is_counted() {
    let mut account = run(1, 60_000);
    use Counter::*;
    for counter in [
        TxAgain,
        TxProbes,
        TxOther,
        TxRefused,
        RxNew,
        RxDuplicate,
        RxOutside,
        RxNotOpen,
        RxMarked,
        RxOther,
        RxMalformed,
        RxBad,
        LossTimeout,
    ] {
        assert!(account.counter(counter) > 0, "nothing is counted as {}", counter.name());
    }
}

#[test]
#[ignore = "the same for longer"]
fn all_that_is_given_under_random_stalls_comes_out_or_is_counted_at_length() {
    for seed in 2..8 {
        run(seed, 1_000_000);
    }
}
