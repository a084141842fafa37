//! The `nic` in Verilator, with a host and a MAC that take everything at once.

use std::collections::VecDeque;

use rand::SeedableRng;
use rand::rngs::StdRng;
use respray_cosim::verilator::{BuildOptions, Model, Port, Source, build};
use respray_hdl::config::Config;
use respray_hdl::nic::top;

use crate::nic::axi_lite::{Access, Answer, Manager, Side};

/// Cycles without a beat, an event or an access behind which nothing more follows of what was given.
const QUIET: u32 = 160;
/// Bytes of a beat.
const BEAT: usize = 8;

/// What stands beside a frame on `rx_out`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Beside {
    pub kind: u64,
    pub error: u64,
    pub conn: u64,
    pub psn: u64,
    pub bytes: u64,
    pub status: u64,
}

/// What came out.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Out {
    pub sent: Vec<Vec<u8>>,
    pub received: Vec<(Vec<u8>, Beside)>,
    pub events: Vec<u128>,
}

/// A stream of frames at the block's inputs or outputs.
struct Stream {
    data: Port,
    keep: Port,
    valid: Port,
    last: Port,
    ready: Port,
}

impl Stream {
    fn new(model: &Model, name: &str) -> Stream {
        let port = |field: &str| model.port(&format!("{name}_{field}")).expect("the block has the port");
        Stream {
            data: port("tdata"),
            keep: port("tkeep"),
            valid: port("tvalid"),
            last: port("tlast"),
            ready: port("tready"),
        }
    }
}

/// A frame that is being given.
#[derive(Default)]
struct Given {
    frames: VecDeque<(Vec<u8>, bool)>,
    at: usize,
}

/// The streams of the block, and what they were given and gave.
struct Streams {
    inputs: [Stream; 2],
    users: [Port; 2],
    outputs: [Stream; 2],
    beside: [Port; 6],
    event: [Port; 2],
    given: [Given; 2],
    leaving: [Vec<u8>; 2],
    out: Out,
    /// The first cycle in which both inputs are ready.
    ready: Option<u64>,
    cycle: u64,
    /// Something was given or came in this cycle.
    moved: bool,
}

/// The block, with a manager at its registers.
pub struct Device {
    manager: Manager,
    streams: Streams,
}

impl Device {
    /// The block behind its reset.
    pub fn new(config: &Config, change: impl Fn(String) -> String) -> Device {
        // as it is watched in lockstep, so that all tests of the block have one model
        let verilog = top::observed(config).expect("a valid configuration");
        let source = Source::new("nic", change(verilog));
        let design = build(&source, &BuildOptions { quick: true, ..BuildOptions::default() })
            .unwrap_or_else(|error| panic!("{error}"));
        let model = design.model(1).unwrap_or_else(|error| panic!("{error}"));
        let streams = Streams::new(&model);
        // what shows before the reset has reached every part is seen by nobody
        let mut device = Device { manager: Manager::new(model, StdRng::seed_from_u64(11)), streams };
        for always in ["tx_out_tready", "rx_out_tready", "event_tready"] {
            device.set(always, 1);
        }
        device
    }

    /// Cycles since power-up.
    pub fn cycle(&self) -> u64 {
        self.manager.cycle
    }

    /// The first cycle in which both inputs are ready.
    pub fn ready(&self) -> Option<u64> {
        self.streams.ready
    }

    /// Sets an input by its name.
    pub fn set(&mut self, name: &str, value: u64) {
        let model = &mut self.manager.model;
        let port = model.port(name).expect("the block has the port");
        model.set(port, value);
    }

    /// The host gives a frame.
    pub fn send(&mut self, frame: Vec<u8>) {
        self.streams.given[0].frames.push_back((frame, false));
    }

    /// The MAC gives one.
    pub fn receive(&mut self, frame: Vec<u8>, is_bad: bool) {
        self.streams.given[1].frames.push_back((frame, is_bad));
    }

    /// Runs until nothing more comes, and gives what came.
    pub fn settle(&mut self) -> Out {
        let mut quiet = 0;
        while quiet < QUIET || self.streams.given.iter().any(|given| !given.frames.is_empty()) {
            self.manager.rest(&mut self.streams);
            quiet = if self.streams.moved { 0 } else { quiet + 1 };
        }
        std::mem::take(&mut self.streams.out)
    }

    /// Runs up to a cycle.
    pub fn run_to(&mut self, cycle: u64) {
        while self.cycle() < cycle {
            self.manager.rest(&mut self.streams);
        }
    }

    /// Writes a register; whether it was refused.
    pub fn write(&mut self, address: u32, value: u32) -> bool {
        self.access(Access::Write { address, value, strobes: 0xf }).is_error
    }

    /// Reads a register.
    pub fn read(&mut self, address: u32) -> u32 {
        self.access(Access::Read { address }).data
    }

    fn access(&mut self, access: Access) -> Answer {
        self.manager.access(&[access], &mut self.streams)[0]
    }
}

impl Side for Streams {
    fn cycle(&mut self, model: &mut Model, cycle: u64) {
        self.cycle = cycle;
        self.moved = false;
        for way in 0..2 {
            self.offer(model, way);
        }
    }

    fn settled(&mut self, model: &Model) {
        let is_ready = self.inputs.iter().all(|input| model.get(input.ready) == 1);
        self.ready = self.ready.or(is_ready.then_some(self.cycle));
        for way in 0..2 {
            self.taken(model, way);
            self.left(model, way);
        }
        if model.get(self.event[0]) == 1 {
            let words = model.words(self.event[1]);
            self.out.events.push(words.iter().rev().fold(0, |bits, word| bits << 32 | u128::from(*word)));
            self.moved = true;
        }
    }
}

impl Streams {
    fn new(model: &Model) -> Streams {
        let port = |name: &str| model.port(name).expect("the block has the port");
        Streams {
            inputs: ["tx_in", "rx_in"].map(|name| Stream::new(model, name)),
            users: ["tx_in_tuser", "rx_in_tuser"].map(port),
            outputs: ["tx_out", "rx_out"].map(|name| Stream::new(model, name)),
            beside: ["rx_kind", "rx_error", "rx_conn", "rx_psn", "rx_bytes", "rx_status"].map(port),
            event: ["event_tvalid", "event_tdata"].map(port),
            given: Default::default(),
            leaving: Default::default(),
            out: Out::default(),
            ready: None,
            cycle: 0,
            moved: false,
        }
    }

    /// The next beat of a frame stands at an input.
    fn offer(&self, model: &mut Model, way: usize) {
        let Stream { data, keep, valid, last, .. } = self.inputs[way];
        let given = &self.given[way];
        let Some((frame, is_bad)) = given.frames.front() else {
            model.set(valid, 0);
            return;
        };
        let rest = &frame[given.at..];
        let bytes = rest.len().min(BEAT);
        let mut word = [0; BEAT];
        word[..bytes].copy_from_slice(&rest[..bytes]);
        let (is_last, is_bad) = (rest.len() <= BEAT, *is_bad);
        model.set(data, u64::from_le_bytes(word));
        model.set(keep, (1 << bytes) - 1);
        model.set(last, is_last.into());
        model.set(self.users[way], (is_last && is_bad).into());
        model.set(valid, 1);
    }

    fn taken(&mut self, model: &Model, way: usize) {
        let given = &mut self.given[way];
        let Some((frame, _)) = given.frames.front() else { return };
        if model.get(self.inputs[way].ready) == 0 {
            return;
        }
        self.moved = true;
        given.at += BEAT;
        if given.at >= frame.len() {
            given.frames.pop_front();
            given.at = 0;
        }
    }

    fn left(&mut self, model: &Model, way: usize) {
        let Stream { data, keep, valid, last, .. } = self.outputs[way];
        if model.get(valid) == 0 {
            return;
        }
        self.moved = true;
        let bytes = model.get(keep).count_ones() as usize;
        let word = model.get(data).to_le_bytes();
        self.leaving[way].extend(&word[..bytes]);
        if model.get(last) == 0 {
            return;
        }
        let frame = std::mem::take(&mut self.leaving[way]);
        if way == 0 {
            self.out.sent.push(frame);
            return;
        }
        let [kind, error, conn, psn, bytes, status] = self.beside.map(|port| model.get(port));
        self.out.received.push((frame, Beside { kind, error, conn, psn, bytes, status }));
    }
}
