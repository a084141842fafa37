//! The `nic` in Verilator, with a host and a MAC that take everything at once.

use std::collections::VecDeque;

use respray_cosim::verilator::{BuildOptions, Model, Port, Source, build};
use respray_hdl::config::Config;
use respray_hdl::cores::prefix::Prefix;
use respray_hdl::nic::top;

/// Cycles without a beat, an event or an access behind which nothing more follows of what was given.
const QUIET: u32 = 160;
/// Most cycles that an access takes: after `rst` all registers are given their values.
const PATIENCE: u32 = 10_000;
/// Cycles with `rst` high.
pub const RESET: u64 = 4;
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

/// The block, and what it was given and gave.
pub struct Device {
    model: Model,
    inputs: [Stream; 2],
    users: [Port; 2],
    outputs: [Stream; 2],
    beside: [Port; 6],
    event: [Port; 2],
    bus: [Port; 12],
    given: [Given; 2],
    leaving: [Vec<u8>; 2],
    out: Out,
    /// Cycles since power-up.
    pub cycle: u64,
    /// The first cycle in which both inputs are ready.
    pub ready: Option<u64>,
    moved: bool,
}

impl Device {
    /// The block behind its reset.
    pub fn new(config: &Config, change: impl Fn(String) -> String) -> Device {
        let verilog = top::generate(config, &Prefix::default()).expect("a valid configuration").verilog;
        let source = Source::new("nic", change(verilog));
        let design = build(&source, &BuildOptions { quick: true, ..BuildOptions::default() })
            .unwrap_or_else(|error| panic!("{error}"));
        let model = design.model(1).unwrap_or_else(|error| panic!("{error}"));
        let port = |name: &str| model.port(name).expect("the block has the port");
        let bus = [
            "awvalid", "awready", "awaddr", "wvalid", "wready", "wdata", "bvalid", "bresp", "arvalid",
            "araddr", "rvalid", "rdata",
        ];
        let mut device = Device {
            inputs: ["tx_in", "rx_in"].map(|name| Stream::new(&model, name)),
            users: ["tx_in_tuser", "rx_in_tuser"].map(port),
            outputs: ["tx_out", "rx_out"].map(|name| Stream::new(&model, name)),
            beside: ["rx_kind", "rx_error", "rx_conn", "rx_psn", "rx_bytes", "rx_status"].map(port),
            event: ["event_tvalid", "event_tdata"].map(port),
            bus: bus.map(|name| port(&format!("s_axil_{name}"))),
            given: Default::default(),
            leaving: Default::default(),
            out: Out::default(),
            cycle: 0,
            ready: None,
            moved: false,
            model,
        };
        for always in ["tx_out_tready", "rx_out_tready", "event_tready", "s_axil_bready", "s_axil_rready"] {
            device.set(always, 1);
        }
        device.set("s_axil_wstrb", 0xf);
        device.set("rst", 1);
        (0..RESET).for_each(|_| device.cycle());
        device.set("rst", 0);
        // what showed before the reset reached every part is nothing
        (device.out, device.leaving) = Default::default();
        device
    }

    /// Sets an input by its name.
    pub fn set(&mut self, name: &str, value: u64) {
        let port = self.model.port(name).expect("the block has the port");
        self.model.set(port, value);
    }

    /// The host gives a frame.
    pub fn send(&mut self, frame: Vec<u8>) {
        self.given[0].frames.push_back((frame, false));
    }

    /// The MAC gives one.
    pub fn receive(&mut self, frame: Vec<u8>, is_bad: bool) {
        self.given[1].frames.push_back((frame, is_bad));
    }

    /// Runs until nothing more comes, and gives what came.
    pub fn settle(&mut self) -> Out {
        let mut quiet = 0;
        while quiet < QUIET || self.given.iter().any(|given| !given.frames.is_empty()) {
            self.cycle();
            quiet = if self.moved { 0 } else { quiet + 1 };
        }
        std::mem::take(&mut self.out)
    }

    /// Runs up to a cycle.
    pub fn run_to(&mut self, cycle: u64) {
        while self.cycle < cycle {
            self.cycle();
        }
    }

    /// Writes a register; whether it was refused.
    pub fn write(&mut self, address: u32, value: u32) -> bool {
        let [awvalid, awready, awaddr, wvalid, wready, wdata, bvalid, bresp, ..] = self.bus;
        self.model.set(awaddr, address.into());
        self.model.set(wdata, value.into());
        let (mut is_addressed, mut is_written) = (false, false);
        for _ in 0..PATIENCE {
            self.model.set(awvalid, (!is_addressed).into());
            self.model.set(wvalid, (!is_written).into());
            self.model.settle();
            is_addressed |= self.model.get(awready) == 1;
            is_written |= self.model.get(wready) == 1;
            let answer = (self.model.get(bvalid) == 1).then(|| self.model.get(bresp) != 0);
            self.cycle();
            if let Some(is_refused) = answer {
                self.model.set(awvalid, 0);
                self.model.set(wvalid, 0);
                return is_refused;
            }
        }
        panic!("a write of {address:#x} is not answered");
    }

    /// Reads a register.
    pub fn read(&mut self, address: u32) -> u32 {
        let [.., arvalid, araddr, rvalid, rdata] = self.bus;
        self.model.set(araddr, address.into());
        let arready = self.model.port("s_axil_arready").expect("the block has the port");
        let mut is_addressed = false;
        for _ in 0..PATIENCE {
            self.model.set(arvalid, (!is_addressed).into());
            self.model.settle();
            is_addressed |= self.model.get(arready) == 1;
            let answer = (self.model.get(rvalid) == 1).then(|| self.model.get(rdata));
            self.cycle();
            if let Some(data) = answer {
                self.model.set(arvalid, 0);
                return data as u32;
            }
        }
        panic!("a read of {address:#x} is not answered");
    }

    /// One clock cycle.
    fn cycle(&mut self) {
        self.moved = false;
        for way in 0..2 {
            self.offer(way);
        }
        self.model.settle();
        if self.ready.is_none() && self.inputs.iter().all(|input| self.model.get(input.ready) == 1) {
            self.ready = Some(self.cycle);
        }
        for way in 0..2 {
            self.taken(way);
            self.left(way);
        }
        if self.model.get(self.event[0]) == 1 {
            let words = self.model.words(self.event[1]);
            self.out.events.push(words.iter().rev().fold(0, |bits, word| bits << 32 | u128::from(*word)));
            self.moved = true;
        }
        self.model.rise();
        self.cycle += 1;
    }

    /// The next beat of a frame stands at an input.
    fn offer(&mut self, way: usize) {
        let Stream { data, keep, valid, last, .. } = self.inputs[way];
        let given = &self.given[way];
        let Some((frame, is_bad)) = given.frames.front() else {
            self.model.set(valid, 0);
            return;
        };
        let rest = &frame[given.at..];
        let bytes = rest.len().min(BEAT);
        let mut word = [0; BEAT];
        word[..bytes].copy_from_slice(&rest[..bytes]);
        let (is_last, is_bad) = (rest.len() <= BEAT, *is_bad);
        self.model.set(data, u64::from_le_bytes(word));
        self.model.set(keep, (1 << bytes) - 1);
        self.model.set(last, is_last.into());
        self.model.set(self.users[way], (is_last && is_bad).into());
        self.model.set(valid, 1);
    }

    fn taken(&mut self, way: usize) {
        let given = &mut self.given[way];
        let Some((frame, _)) = given.frames.front() else { return };
        if self.model.get(self.inputs[way].ready) == 0 {
            return;
        }
        self.moved = true;
        given.at += BEAT;
        if given.at >= frame.len() {
            given.frames.pop_front();
            given.at = 0;
        }
    }

    fn left(&mut self, way: usize) {
        let Stream { data, keep, valid, last, .. } = self.outputs[way];
        if self.model.get(valid) == 0 {
            return;
        }
        self.moved = true;
        let bytes = self.model.get(keep).count_ones() as usize;
        let word = self.model.get(data).to_le_bytes();
        self.leaving[way].extend(&word[..bytes]);
        if self.model.get(last) == 0 {
            return;
        }
        let frame = std::mem::take(&mut self.leaving[way]);
        if way == 0 {
            self.out.sent.push(frame);
            return;
        }
        let [kind, error, conn, psn, bytes, status] = self.beside.map(|port| self.model.get(port));
        self.out.received.push((frame, Beside { kind, error, conn, psn, bytes, status }));
    }
}
