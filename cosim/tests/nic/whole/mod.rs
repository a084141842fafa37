//! The joined `nic` beside the golden one, one thing at a time: what is given to both has to come to rest before the next is
//! given, and all that comes out has to be equal, EVs, timestamps and checksums included.
//!
//! A tick of all clocks is 2^16 cycles here, so that both sides read the same times although the hardware takes some cycles for an op.

mod device;
mod faults;

use std::collections::VecDeque;

use rand::rngs::StdRng;
use rand::{RngExt, SeedableRng};
use respray_golden::hosts::frames;
use respray_golden::nic::{self, Command, Counter, Event, Kind, Limits, Nic, Sent};
use respray_golden::paths::{End, frame};
use respray_golden::wire::Profile;
use respray_hdl::config::Config;
use respray_hdl::cores::prefix::Prefix;
use respray_hdl::nic::events::KEPT_PLACES;
use respray_hdl::nic::top;

use self::device::{Beside, Device, Out};
use crate::nic::axi_lite::RESET;

/// Connections that are opened; the block has sixteen.
const OPENED: u16 = 4;
const CONNECTIONS: u32 = 16;
const WINDOW: u32 = 64;
/// First PSN of each connection: that of the second wraps soon.
const FIRST_PSN: [u32; OPENED as usize] = [100, 0xff_fff0, 0x7f_fff0, 0];
/// Cycles of a tick, and those at its beginning and end in which nothing is begun.
const TICK: u64 = 1 << 16;
const APART: u64 = 4000;
/// Bytes of a request's header in `uet`.
const REQUEST_BYTES: usize = 12;

/// Both sides, and the other end of the network.
struct Pair {
    device: Device,
    golden: Nic,
    peer: Nic,
    /// Frames on their way to the device.
    arriving: VecDeque<Vec<u8>>,
    /// Of each connection: the PSN that comes next, and those to be sent again.
    next: Vec<u32>,
    again: VecDeque<(u16, u32)>,
    /// All that is known of differences.
    outcome: Result<(), String>,
    /// Which of the device's frames the network loses.
    random: StdRng,
    loss: f64,
    kinds: [u32; Kind::ALL.len()],
}

fn golden(profile: Profile) -> Nic {
    // the last places of the queue take PSNs to send again alone
    let limits = Limits::default();
    let limits = Limits { events: limits.events - KEPT_PLACES as usize, ..limits };
    Nic::new(nic::Config {
        connections: CONNECTIONS,
        window: WINDOW,
        profile,
        bus_bits: 64,
        limits,
        ..Default::default()
    })
}

/// A configuration with this profile and this engine of both SACK cores.
fn config(profile: Profile, sack_engine: &str) -> Config {
    let sets = [
        format!("connections={CONNECTIONS}"),
        format!("sack.window={WINDOW}"),
        format!("sack.engine={sack_engine}"),
        format!("wire={}", profile.name()),
        "bus_bits=64".to_string(),
    ];
    Config::load(None, &sets).expect("a valid configuration")
}

impl Pair {
    fn new(profile: Profile, sack_engine: &str, change: impl Fn(String) -> String) -> Pair {
        let mut pair = Pair {
            device: Device::new(&config(profile, sack_engine), change),
            golden: golden(profile),
            peer: golden(profile),
            arriving: VecDeque::new(),
            next: FIRST_PSN.to_vec(),
            again: VecDeque::new(),
            outcome: Ok(()),
            random: StdRng::seed_from_u64(7),
            loss: 0.0,
            kinds: [0; Kind::ALL.len()],
        };
        // a write before rst has put all registers into order waits; time goes on meanwhile
        for (name, value) in [
            ("sack_prescale", 16),
            ("wire_prescale", 16),
            ("selector_prescale", 16),
            ("sack_threshold", 0),
            ("cwnd_packets", 8),
            ("probe_timeout", 0xffff),
            ("rto", 0xffff),
        ] {
            pair.write(name, value);
        }
        for conn in 0..OPENED {
            pair.open(conn);
        }
        pair
    }

    fn write(&mut self, name: &str, value: u32) {
        let address = self.golden.address(name).expect("there is such a register");
        let is_refused = self.device.write(address, value);
        let refused = self.golden.write(address, value).is_err();
        self.peer.write(address, value).ok();
        self.expect("a register", is_refused, refused);
    }

    fn open(&mut self, conn: u16) {
        self.write("command_conn", conn.into());
        let address = self.golden.address("command_conn").expect("there is such a register");
        self.peer.write(address, self.of_peer(conn).into()).expect("the peer has the connection");
        self.write("command_psn", FIRST_PSN[usize::from(conn)]);
        self.write("command", Command::OpenTx as u32);
        self.write("command", Command::OpenRx as u32);
    }

    fn expect<T: PartialEq + std::fmt::Debug>(&mut self, what: &str, seen: T, expected: T) {
        if self.outcome.is_ok() && seen != expected {
            self.outcome =
                Err(format!("cycle {}: {what}: {seen:x?}, not {expected:x?}", self.device.cycle()));
        }
    }

    /// Waits for a part of a tick in which both sides read the same times, and sets the golden clocks.
    fn align(&mut self) {
        let at = self.device.cycle() % TICK;
        if !(APART..TICK - APART).contains(&at) {
            let next = self.device.cycle().next_multiple_of(TICK) + APART;
            self.device.run_to(if at < APART { next - TICK } else { next });
        }
        let cycle = self.device.cycle();
        self.golden.advance(cycle);
        self.peer.advance(cycle);
    }

    fn profile(&self) -> Profile {
        self.golden.config().profile
    }

    /// The number that the peer has for a connection.
    fn of_peer(&self, conn: u16) -> u16 {
        match self.profile() {
            Profile::Strack => conn,
            Profile::Uet => OPENED - 1 - conn,
        }
    }

    /// A data packet of either end. One of `uet` names both ends' numbers and has a PSN of 32 bits; some connections are ordered.
    fn data(&self, data: &frames::Data) -> Vec<u8> {
        let mut frame = frames::data(self.profile(), data);
        if self.profile() == Profile::Uet {
            let header = frame.len() - data.bytes as usize - REQUEST_BYTES;
            let header = &mut frame[header..][..REQUEST_BYTES];
            let mut numbers = [data.conn, self.of_peer(data.conn)];
            if data.from == End::B {
                numbers.reverse();
            }
            header[0] |= u8::from(data.conn.is_multiple_of(2)) << 3;
            header[4] = 0x7f + u8::from(data.psn < FIRST_PSN[usize::from(data.conn)]);
            header[8..10].copy_from_slice(&numbers[0].to_be_bytes());
            header[10..].copy_from_slice(&numbers[1].to_be_bytes());
        }
        frame
    }

    /// The host sends a packet.
    fn send(&mut self, conn: u16, psn: u32, bytes: u32, again: bool) {
        let data = frames::Data { from: End::A, conn, psn, bytes, ack_request: false, again };
        self.give(self.data(&data));
    }

    /// The host gives a frame to both.
    fn give(&mut self, frame: Vec<u8>) {
        self.align();
        self.golden.offer(frame.clone()).expect("the golden nic has room");
        self.device.send(frame);
        self.compare();
    }

    /// The network gives a frame to both.
    fn arrive(&mut self, frame: Vec<u8>, is_bad: bool) {
        self.align();
        self.golden.receive(frame.clone(), is_bad);
        self.device.receive(frame, is_bad);
        self.compare();
    }

    /// All that came out is equal; what was sent goes to the peer, or is lost.
    fn compare(&mut self) {
        let seen = self.device.settle();
        let expected = self.of_golden();
        for (at, (seen, expected)) in seen.events.iter().zip(&expected.events).enumerate() {
            self.expect(&format!("event {at}"), Event::from_bits(*seen), Event::from_bits(*expected));
        }
        self.expect("frames sent", &seen.sent, &expected.sent);
        self.expect("frames received", &seen.received, &expected.received);
        self.expect("events", &seen.events, &expected.events);
        for event in seen.events.iter().filter_map(|bits| Event::from_bits(*bits)) {
            self.kinds[event.kind as usize] += 1;
            if event.kind == Kind::Retransmit {
                self.again.push_back((event.conn as u16, event.psn));
            }
        }
        self.arriving_from(seen.sent);
    }

    fn of_golden(&mut self) -> Out {
        let mut out = Out::default();
        while let Some(transmitted) = self.golden.transmit() {
            out.sent.push(transmitted.frame);
        }
        while let Some(delivery) = self.golden.deliver() {
            let record = &delivery.record;
            let beside = Beside {
                kind: record.kind_code().into(),
                error: record.error_code().into(),
                conn: record.connection.into(),
                psn: record.psn.into(),
                bytes: record.bytes.into(),
                status: delivery.status_code().into(),
            };
            out.received.push((delivery.frame, beside));
        }
        while let Some(event) = self.golden.event() {
            out.events.push(event.to_bits());
        }
        out
    }

    fn arriving_from(&mut self, sent: Vec<Vec<u8>>) {
        for mut frame in sent {
            if !self.random.random_bool(self.loss) {
                if self.random.random_bool(0.3) {
                    frame::mark(&mut frame);
                }
                self.peer.receive(frame, false);
            }
        }
        while let Some(transmitted) = self.peer.transmit() {
            if matches!(transmitted.sent, Sent::Sack) {
                self.arriving.push_back(transmitted.frame);
            }
        }
        while self.peer.event().is_some() {}
        while self.peer.deliver().is_some() {}
    }

    /// Counters are equal.
    fn check_counters(&mut self) {
        self.device.run_to(self.device.cycle() + 200);
        let counters = Counter::ALL.iter().map(|counter| (*counter, counter.name()));
        for (counter, name) in counters.collect::<Vec<_>>() {
            let low = self.golden.address(&format!("{name}_low"));
            let seen = self.device.read(low.expect("a counter has a register"));
            let expected = self.golden.counter(counter);
            self.expect(name, u64::from(seen), expected);
        }
    }
}

/// What the random run does next.
fn step(pair: &mut Pair, random: &mut StdRng, loss: f64) {
    let conn = random.random_range(0..OPENED);
    match random.random_range(0..10) {
        0..4 => {
            if let Some((conn, psn)) = pair.again.pop_front() {
                return pair.send(conn, psn, random.random_range(1..200), true);
            }
            let psn = pair.next[usize::from(conn)];
            // now and then one that leaves a gap, and is refused
            let gap = random.random_bool(0.03);
            if !gap {
                pair.next[usize::from(conn)] = nic::PSNS.add(psn, 1);
            }
            pair.send(conn, nic::PSNS.add(psn, gap.into()), random.random_range(1..200), false);
        }
        4..8 => {
            let Some(mut frame) = pair.arriving.pop_front() else { return };
            if random.random_bool(loss) {
                return;
            }
            if random.random_bool(0.1) {
                frame::mark(&mut frame);
            }
            pair.arrive(frame, random.random_bool(0.03));
        }
        8 => {
            let data = pair.peer_data(random, conn);
            let mut frame = pair.data(&data);
            if random.random_bool(0.3) {
                frame::mark(&mut frame);
            }
            pair.arrive(frame, random.random_bool(0.05));
        }
        _ => {
            let mut frame: Vec<u8> = (0..random.random_range(60..200)).map(|_| random.random()).collect();
            if random.random_bool(0.5) {
                let data = frames::Data {
                    from: End::B,
                    conn: 0,
                    psn: 0,
                    bytes: 40,
                    ack_request: false,
                    again: false,
                };
                frame = pair.data(&data);
                frame[24] ^= 1; // the checksum of the IPv4 header is wrong
            }
            if random.random_bool(0.5) { pair.give(frame) } else { pair.arrive(frame, false) }
        }
    }
}

impl Pair {
    /// A packet that the peer may send on a connection: in order, or some ahead or behind.
    fn peer_data(&mut self, random: &mut StdRng, conn: u16) -> frames::Data {
        let psn = nic::PSNS.add(FIRST_PSN[usize::from(conn)], random.random_range(0..80));
        let data = frames::Data {
            from: End::B,
            conn,
            psn,
            bytes: 40,
            ack_request: random.random_bool(0.3),
            again: false,
        };
        match self.profile() {
            Profile::Strack => data,
            // some are probes
            Profile::Uet => frames::Data {
                bytes: if random.random_bool(0.2) { 0 } else { 40 },
                again: random.random_bool(0.3),
                ..data
            },
        }
    }
}

fn run(mut pair: Pair, seed: u64, steps: u32) -> Result<Pair, String> {
    let mut random = StdRng::seed_from_u64(seed);
    pair.loss = 0.05;
    for _ in 0..steps {
        step(&mut pair, &mut random, 0.1);
        pair.outcome.clone()?;
    }
    pair.check_counters();
    pair.outcome.clone().map(|()| pair)
}

#[test]
fn the_joined_block_does_what_the_golden_one_does() {
    every_kind_of_event_comes(plain(Profile::Strack), 1, 1500);
}

#[test]
#[ignore = "a model of its own"]
fn the_joined_block_does_the_same_with_the_fast_sack_engines() {
    let pair = || Pair::new(Profile::Strack, "fast", |verilog| verilog);
    every_kind_of_event_comes(pair(), 1, 1500);
    timers_strike(pair());
}

#[test]
#[ignore = "a model of its own"]
fn the_joined_block_does_it_in_uet_too() {
    every_kind_of_event_comes(plain(Profile::Uet), 1, 500);
    timers_strike(plain(Profile::Uet));
}

#[test]
#[ignore = "the same for longer"]
fn the_joined_block_does_what_the_golden_one_does_for_long() {
    for profile in Profile::ALL {
        (2..8).for_each(|seed| every_kind_of_event_comes(plain(profile), seed, 4000));
    }
}

fn plain(profile: Profile) -> Pair {
    Pair::new(profile, "small", |verilog| verilog)
}

fn every_kind_of_event_comes(pair: Pair, seed: u64, steps: u32) {
    let pair = run(pair, seed, steps).unwrap_or_else(|error| panic!("seed {seed}: {error}"));
    for kind in
        [Kind::Acknowledged, Kind::Rtt, Kind::Refused, Kind::Duplicate, Kind::Malformed, Kind::Retransmit]
    {
        assert!(pair.kinds[kind as usize] > 0, "no event of kind {kind:?} in {:?}", pair.kinds);
    }
    let manifest = top::generate(&config(Profile::Strack, "small"), &Prefix::default())
        .expect("a valid configuration")
        .manifest;
    assert_eq!(pair.device.ready(), Some(RESET + u64::from(manifest.reset_cycles)), "as the manifest has it");
}

/// All packets of a connection but the first two are lost, then its probes and all that is sent again; at last the network
/// heals.
fn probes_and_timeouts(mut pair: Pair) -> Result<Pair, String> {
    pair.write("probe_timeout", 2);
    pair.write("rto", 5);
    for psn in 0..6 {
        // the peer hears of the first two alone
        pair.loss = if psn < 2 { 0.0 } else { 1.0 };
        pair.send(0, FIRST_PSN[0] + psn, 100, false);
    }
    while let Some(frame) = pair.arriving.pop_front() {
        pair.arrive(frame, false);
    }
    for tick in 1..=12 {
        // when all is timed out and its probe is lost, the peer hears again
        pair.loss = if tick < 9 { 1.0 } else { 0.0 };
        pair.device.run_to(pair.device.cycle().next_multiple_of(TICK) + APART);
        pair.align();
        pair.compare();
        while let Some((conn, psn)) = pair.again.pop_front() {
            pair.send(conn, psn, 100, true);
        }
        while let Some(frame) = pair.arriving.pop_front() {
            pair.arrive(frame, false);
        }
    }
    pair.check_counters();
    pair.outcome.clone().map(|()| pair)
}

#[test]
fn probes_and_timeouts_come_as_those_of_the_golden_block() {
    timers_strike(plain(Profile::Strack));
}

fn timers_strike(pair: Pair) {
    let pair = probes_and_timeouts(pair).unwrap_or_else(|error| panic!("{error}"));
    let count = |counter| pair.golden.counter(counter);
    assert!(count(Counter::LossTimeout) > 0 && count(Counter::TxProbes) > 1, "{:?}", pair.kinds);
    assert_eq!(count(Counter::RecoveryLeft), 1, "{:?}", pair.kinds);
}
