//! The block at 512 bits in lockstep, a golden one behind its MAC, and hosts that always have something to send.

use std::collections::VecDeque;

use respray_cosim::nic::{Beats, Difference, End, Given, golden};
use respray_cosim::verilator::{BuildOptions, Design, Source, build};
use respray_golden::hosts::frames;
use respray_golden::nic::{Command, Config as GoldenConfig, Counter, Event, Kind, Limits, Nic};
use respray_golden::paths;
use respray_golden::wire::Profile;
use respray_hdl::config::Config;
use respray_hdl::nic::top::observed;

/// First PSN of every connection.
const FIRST_PSN: u32 = 100;
/// Packets of a connection that may be in flight: less than the window of the engines, 256.
const IN_FLIGHT: u32 = 200;
/// Cycles in which `sack_rx` opens a connection, and more.
const INIT: u64 = 400;
/// Cycles from the last beat of a frame at one end to its first at the other.
const WAY: u64 = 100;

/// The largest block, as `nic.toml` has it, with this engine of both SACK cores.
pub fn config(sack_engine: &str) -> Config {
    Config::load(None, &[format!("sack.engine={sack_engine}")]).expect("a valid configuration")
}

/// It in Verilator, as `change` makes its Verilog.
pub fn design(sack_engine: &str, change: impl Fn(String) -> String) -> &'static Design {
    let verilog = observed(&config(sack_engine)).expect("a valid configuration");
    build(&Source::new("nic", change(verilog)), &BuildOptions { quick: true, ..BuildOptions::default() })
        .unwrap_or_else(|error| panic!("{error}"))
}

/// Data of a host, on some connections in turn.
pub struct Data {
    from: paths::End,
    conns: Vec<u16>,
    /// Bytes of a frame.
    bytes: usize,
    /// Packets of a connection that may be in flight.
    most: u32,
    at: usize,
    /// The PSN that comes next, and that up to which everything is acknowledged, of each of them.
    next: Vec<u32>,
    acknowledged: Vec<u32>,
}

impl Data {
    /// Frames of so many bytes.
    pub fn new(from: paths::End, conns: &[u16], bytes: usize) -> Data {
        let first = vec![FIRST_PSN; conns.len()];
        Data {
            from,
            conns: conns.to_vec(),
            bytes,
            most: IN_FLIGHT,
            at: 0,
            next: first.clone(),
            acknowledged: first,
        }
    }

    /// So many packets of a connection in flight.
    pub fn at_most(self, most: u32) -> Data {
        Data { most, ..self }
    }

    fn frame(&self, conn: u16, psn: u32, bytes: u32) -> Vec<u8> {
        let data = frames::Data { from: self.from, conn, psn, bytes, ack_request: false, again: false };
        frames::data(Profile::Strack, &data)
    }

    /// The next frame; none if too much is in flight.
    pub fn next(&mut self) -> Option<Vec<u8>> {
        let (conn, psn) = (self.conns[self.at], self.next[self.at]);
        if psn - self.acknowledged[self.at] >= self.most {
            return None;
        }
        self.next[self.at] += 1;
        self.at = (self.at + 1) % self.conns.len();
        let headers = self.frame(conn, psn, 0).len();
        Some(self.frame(conn, psn, (self.bytes - headers) as u32))
    }

    /// Everything below the PSN is acknowledged.
    fn hear(&mut self, conn: u32, psn: u32) {
        let at = self.conns.iter().position(|one| u32::from(*one) == conn).expect("a connection of these");
        self.acknowledged[at] = self.acknowledged[at].max(psn);
    }
}

/// Frames that come without regard to what the block sends.
pub struct Network {
    data: Data,
    /// ACKs that come over and over, and how many of them before each data packet.
    acks: Vec<Vec<u8>>,
    acks_per_data: usize,
    /// Cycles from the first beat of a frame to that of the next; 0 where they come without a gap.
    interval: u64,
    given: usize,
}

impl Network {
    /// Data alone.
    pub fn new(data: Data, interval: u64) -> Network {
        Network { data: data.at_most(u32::MAX), acks: vec![], acks_per_data: 0, interval, given: 0 }
    }

    /// So many of these ACKs before each of its packets.
    pub fn behind(self, acks: Vec<Vec<u8>>, acks_per_data: usize) -> Network {
        Network { acks, acks_per_data, ..self }
    }

    fn next(&mut self) -> Vec<u8> {
        let at = self.given;
        self.given += 1;
        if at % (self.acks_per_data + 1) == self.acks_per_data {
            return self.data.next().expect("nobody waits for an ACK");
        }
        self.acks[at % self.acks.len()].clone()
    }
}

/// What a host and a network give.
#[derive(Default)]
pub struct Load {
    /// Data of the host behind the block, and of the one behind the golden block, each as soon as the frame before is on its way.
    pub host: Option<Data>,
    pub peer: Option<Data>,
    pub network: Option<Network>,
}

fn write_golden(nic: &mut Nic, name: &str, value: u32) {
    let address = nic.address(name).expect("a register");
    nic.write(address, value).expect("a value that is allowed");
}

/// The ACKs that an end makes of data, one for each packet.
pub fn acks_of(config: &Config, data: &mut Data) -> Vec<Vec<u8>> {
    let mut nic = Nic::new(golden(config));
    write_golden(&mut nic, "command_psn", FIRST_PSN);
    for conn in &data.conns {
        write_golden(&mut nic, "command_conn", (*conn).into());
        write_golden(&mut nic, "command", Command::OpenRx as u32);
    }
    let mut acks = vec![];
    while let Some(frame) = data.next() {
        // an engine that has all the time it takes
        nic.advance(1000 * (acks.len() as u64 + 1));
        nic.receive(frame, false);
        acks.push(nic.transmit().expect("a SACK for each packet").frame);
        nic.deliver().expect("each packet goes to the host");
    }
    acks
}

/// The block, and what is around it.
pub struct Bench {
    pub end: End,
    peer: Nic,
    load: Load,
    /// What the block sends goes to the golden block.
    is_answered: bool,
    /// Frames on their way, and the cycle in which each is there.
    to_peer: VecDeque<(u64, Vec<u8>)>,
}

/// What passed in so many cycles.
#[derive(Debug)]
pub struct Passed {
    pub cycles: u64,
    pub beats: Beats,
    /// Data packets sent and received, and ACKs that the scoreboard executed.
    pub sent: u64,
    pub received: u64,
    pub acks: u64,
}

impl Bench {
    /// Both blocks with all of these connections open in both directions.
    pub fn new(design: &'static Design, config: &Config, conns: &[u16]) -> Bench {
        let model = design.model(1).unwrap_or_else(|error| panic!("{error}"));
        let end = End::new(model, golden(config)).unwrap_or_else(|error| panic!("{error}"));
        // what the other end can take is not what is measured
        let many = 1 << 20;
        let limits = Limits {
            rx_frames: many,
            sacks: many,
            events: many,
            engine_ops: many as u64,
            ..Limits::default()
        };
        let peer = Nic::new(GoldenConfig { limits, ..golden(config) });
        let mut bench =
            Bench { end, peer, load: Load::default(), is_answered: true, to_peer: Default::default() };
        bench.set_up(conns).unwrap_or_else(|difference| panic!("{difference}"));
        bench
    }

    /// What the block sends goes nowhere.
    pub fn unanswered(self) -> Bench {
        Bench { is_answered: false, ..self }
    }

    fn set_up(&mut self, conns: &[u16]) -> Result<(), Difference> {
        // no timer fires: there is no loss
        for (name, value) in [("probe_timeout", 0xffff), ("rto", 0xffff)] {
            self.write(name, value)?;
        }
        self.write("command_psn", FIRST_PSN)?;
        for conn in conns {
            self.write("command_conn", (*conn).into())?;
            self.write("command", Command::OpenTx as u32)?;
            self.write("command", Command::OpenRx as u32)?;
        }
        // the last command is answered when `sack_rx` begins with it
        (0..INIT).try_for_each(|_| self.end.step())
    }

    fn write(&mut self, name: &str, value: u32) -> Result<(), Difference> {
        write_golden(&mut self.peer, name, value);
        self.end.write(name, value)
    }

    /// Gives the load for so many cycles, and measures in the last of them.
    pub fn run(&mut self, load: Load, before: u64, cycles: u64) -> Passed {
        self.load = load;
        self.cycles(before);
        let begin = self.passed();
        self.cycles(cycles);
        let end = self.passed();
        let beats = Beats {
            tx_in: end.beats.tx_in - begin.beats.tx_in,
            tx_out: end.beats.tx_out - begin.beats.tx_out,
            rx_in: end.beats.rx_in - begin.beats.rx_in,
            rx_out: end.beats.rx_out - begin.beats.rx_out,
        };
        Passed {
            cycles,
            beats,
            sent: end.sent - begin.sent,
            received: end.received - begin.received,
            acks: end.acks - begin.acks,
        }
    }

    /// Since power-up.
    fn passed(&self) -> Passed {
        use Counter::{RxAcks, RxAcksOld, RxNew, TxData};
        Passed {
            cycles: self.end.cycle(),
            beats: self.end.beats(),
            sent: self.counter(TxData),
            received: self.counter(RxNew),
            acks: self.counter(RxAcks) + self.counter(RxAcksOld),
        }
    }

    /// Gives nothing more, until all that waits has gone.
    pub fn rest(&mut self) {
        self.run(Load::default(), 30_000, 1);
        self.end.check_counters().unwrap_or_else(|difference| panic!("{difference}"));
    }

    /// ACKs and data packets that the network has given.
    pub fn given(&self) -> [u64; 2] {
        let network = self.load.network.as_ref().expect("it gives something");
        let data = network.given / (network.acks_per_data + 1);
        [network.given - data, data].map(|count| count as u64)
    }

    /// A counter, of both sides: lockstep compares them.
    pub fn counter(&self, counter: Counter) -> u64 {
        self.end.golden().counter(counter)
    }

    fn cycles(&mut self, cycles: u64) {
        for _ in 0..cycles {
            self.give();
            self.end.step().unwrap_or_else(|difference| panic!("{difference}"));
            self.take();
        }
    }

    fn give(&mut self) {
        let [of_host, of_mac] = self.end.waiting();
        if of_host < 2
            && let Some(frame) = self.load.host.as_mut().and_then(Data::next)
        {
            self.end.send(Given { bytes: frame, user: false });
        }
        let now = self.end.cycle();
        if let Some(network) = &mut self.load.network
            && (if network.interval == 0 { of_mac < 2 } else { now.is_multiple_of(network.interval) })
        {
            self.end.receive(Given { bytes: network.next(), user: false });
        }
        self.peer.advance(now);
        while self.to_peer.front().is_some_and(|(at, _)| *at <= now) {
            let (_, frame) = self.to_peer.pop_front().expect("it is there");
            self.peer.receive(frame, false);
        }
        if of_mac < 2 && self.load.network.is_none() {
            let mut sent = self.peer.transmit();
            if sent.is_none()
                && let Some(frame) = self.load.peer.as_mut().and_then(Data::next)
            {
                self.peer.offer(frame).expect("none waits");
                sent = self.peer.transmit();
            }
            if let Some(sent) = sent {
                self.end.receive(Given { bytes: sent.frame, user: false });
            }
        }
    }

    fn take(&mut self) {
        let out = std::mem::take(&mut self.end.out);
        let there = self.end.cycle() + WAY;
        if self.is_answered {
            self.to_peer.extend(out.transmitted.into_iter().map(|sent| (there, sent.frame)));
        }
        while self.peer.deliver().is_some() {}
        let of_peer: VecDeque<Event> = std::iter::from_fn(|| self.peer.event()).collect();
        for (events, load) in [(out.events, &mut self.load.host), (of_peer, &mut self.load.peer)] {
            for event in events {
                match (event.kind, load.as_mut()) {
                    (Kind::Acknowledged, Some(data)) => data.hear(event.conn, event.psn),
                    (Kind::Acknowledged | Kind::Rtt, _) => {}
                    // behind a packet that was dropped, and that nobody sends again
                    (Kind::Stray, None) => {}
                    _ => panic!("nothing is lost or refused: {event:?}"),
                }
            }
        }
    }
}
