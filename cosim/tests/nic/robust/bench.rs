//! The joined `nic` in Verilator, with a host and a MAC that make it wait as they are told to.

use std::collections::VecDeque;

use rand::rngs::StdRng;
use rand::{RngExt, SeedableRng};
use respray_cosim::verilator::{BuildOptions, Design, Model, Port, Source, build};
use respray_golden::nic::{Event, Kind};
use respray_hdl::config::Config;
use respray_hdl::nic::top;

/// Bytes of a beat.
pub const BEAT: usize = 8;
/// Most cycles that an access takes: after `rst` all registers are given their values.
const PATIENCE: u32 = 10_000;
/// Cycles after a reset in which `rx_in_tready` may be low.
const WAKING: u64 = 8;

/// The block, and what it was given and gave.
pub struct Bench {
    model: Model,
    /// Frames of the host and of the MAC, with their ends.
    inputs: [Input; 2],
    /// To the MAC, to the host, and the events.
    outputs: [Output; 3],
    rst: Port,
    seen: Port,
    bus: Bus,
    random: StdRng,
    /// Cycles since power-up, and those without a beat or an event at the end of them.
    pub cycle: u64,
    pub quiet: u64,
    since_reset: u64,
    /// Probability of a cycle in which an output is ready.
    pub ready: [f64; 3],
    pub out: Out,
}

/// The last of the outputs, of which each record is wider than a word.
const EVENTS: usize = 2;

/// What came out.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Out {
    pub sent: Vec<Vec<u8>>,
    /// Those at the same output whose last beat had `tuser` high.
    pub cut: Vec<Vec<u8>>,
    /// Each with the number that the ports beside it make.
    pub received: Vec<(Vec<u8>, Vec<u64>)>,
    pub events: Vec<Event>,
}

impl Out {
    /// Events of a kind.
    pub fn of_kind(&self, kind: Kind) -> usize {
        self.events.iter().filter(|event| event.kind == kind).count()
    }
}

struct Input {
    data: Port,
    keep: Port,
    valid: Port,
    last: Port,
    user: Port,
    ready: Port,
    frames: VecDeque<(Vec<u8>, bool)>,
    at: usize,
    /// Frames that went in whole.
    given: u64,
}

/// A stream, of which the first ports are `valid` and `ready`, and the rest has to hold until it is taken.
struct Output {
    valid: Port,
    ready: Port,
    held: Vec<Port>,
    /// What was offered and not taken.
    offered: Option<Vec<u64>>,
    frame: Vec<u8>,
    /// What stood beside the beats of the frame before this one.
    beside: Option<Vec<u64>>,
}

struct Bus {
    awvalid: Port,
    awready: Port,
    awaddr: Port,
    wvalid: Port,
    wready: Port,
    wdata: Port,
    bvalid: Port,
    bresp: Port,
    arvalid: Port,
    arready: Port,
    araddr: Port,
    rvalid: Port,
    rdata: Port,
    rresp: Port,
}

/// Ports beside `rx_out` that hold during a frame.
const BESIDE: [&str; 10] =
    ["kind", "error", "conn", "psn", "bytes", "ecn", "ev", "timestamp", "ack_request", "status"];
/// The last of them.
pub const STATUS: usize = BESIDE.len() - 1;

/// The smallest block: 16 connections, 64 bits.
pub fn config() -> Config {
    let sets = ["connections=16", "sack.window=64", "bus_bits=64"].map(String::from);
    Config::load(None, &sets).expect("a valid configuration")
}

/// Its Verilog.
pub fn verilog() -> String {
    // as it is watched in lockstep, so that all tests of the block have one model
    top::observed(&config()).expect("a valid configuration")
}

/// That of a change of it, or that of the block itself, which is made once.
pub fn design(verilog: String) -> &'static Design {
    let options = BuildOptions { quick: true, ..BuildOptions::default() };
    build(&Source::new("nic", verilog), &options).unwrap_or_else(|error| panic!("{error}"))
}

impl Bench {
    /// The block behind its reset.
    pub fn new(design: &'static Design, seed: u64) -> Bench {
        let model = design.model(1).unwrap_or_else(|error| panic!("{error}"));
        let port = |name: &str| model.port(name).expect("the block has the port");
        let stream = |name: &str, rest: &[&str]| Output {
            valid: port(&format!("{name}_tvalid")),
            ready: port(&format!("{name}_tready")),
            held: rest.iter().map(|field| port(field)).collect(),
            offered: None,
            frame: vec![],
            beside: None,
        };
        let beside = BESIDE.map(|field| format!("rx_{field}"));
        let to_host: Vec<&str> = ["rx_out_tdata", "rx_out_tkeep", "rx_out_tlast"]
            .into_iter()
            .chain(beside.iter().map(String::as_str))
            .collect();
        let mut bench = Bench {
            inputs: ["tx_in", "rx_in"].map(|name| Input::new(&model, name)),
            outputs: [
                stream("tx_out", &["tx_out_tdata", "tx_out_tkeep", "tx_out_tlast", "tx_out_tuser"]),
                stream("rx_out", &to_host),
                stream("event", &["event_tdata"]),
            ],
            rst: port("rst"),
            seen: port(top::SEEN),
            bus: Bus::new(&model),
            random: StdRng::seed_from_u64(seed),
            cycle: 0,
            quiet: 0,
            since_reset: 0,
            ready: [1.0; 3],
            out: Out::default(),
            model,
        };
        for always in ["s_axil_bready", "s_axil_rready"] {
            bench.set(always, 1);
        }
        bench.set("s_axil_wstrb", 0xf);
        bench.reset(4);
        bench
    }

    /// `rst` for so many cycles. Whoever gives and takes frames begins anew, too.
    pub fn reset(&mut self, cycles: u32) {
        self.model.set(self.rst, 1);
        for input in &mut self.inputs {
            (input.frames, input.at, input.given) = Default::default();
            self.model.set(input.valid, 0);
        }
        for _ in 0..cycles {
            self.model.settle();
            self.model.rise();
            self.cycle += 1;
        }
        self.model.set(self.rst, 0);
        self.since_reset = 0;
        for output in &mut self.outputs {
            (output.offered, output.frame, output.beside) = Default::default();
        }
        self.out = Out::default();
    }

    /// Sets an input by its name.
    pub fn set(&mut self, name: &str, value: u64) {
        let port = self.model.port(name).expect("the block has the port");
        self.model.set(port, value);
    }

    /// The host gives a frame.
    pub fn send(&mut self, frame: Vec<u8>) {
        self.inputs[0].frames.push_back((frame, false));
    }

    /// The MAC gives one.
    pub fn receive(&mut self, frame: Vec<u8>, is_bad: bool) {
        self.inputs[1].frames.push_back((frame, is_bad));
    }

    /// Frames that wait to go in, of the host and of the MAC.
    pub fn waiting(&self) -> [usize; 2] {
        [0, 1].map(|way| self.inputs[way].frames.len())
    }

    /// Frames that went in since the reset, of the host and of the MAC.
    pub fn given(&self) -> [u64; 2] {
        [0, 1].map(|way| self.inputs[way].given)
    }

    /// Runs until nothing waits to go in and nothing came out for `quiet` cycles; the cycles up to the last beat or event.
    ///
    /// # Panics
    /// If that takes more than `most` cycles.
    pub fn drain(&mut self, quiet: u64, most: u64) -> u64 {
        let begin = self.cycle;
        self.quiet = 0;
        while self.quiet < quiet || self.waiting() != [0, 0] {
            self.cycle();
            assert!(
                self.cycle - begin < most + quiet,
                "after {most} cycles frames {:?} wait to go in, and {} frames, {} frames and {} events came out",
                self.waiting(),
                self.out.sent.len(),
                self.out.received.len(),
                self.out.events.len()
            );
        }
        self.cycle - begin - quiet
    }

    /// Writes a register; whether it was refused.
    pub fn write(&mut self, address: u32, value: u32) -> bool {
        let (aw, w) = ((self.bus.awvalid, self.bus.awready), (self.bus.wvalid, self.bus.wready));
        self.model.set(self.bus.awaddr, address.into());
        self.model.set(self.bus.wdata, value.into());
        self.access(&[aw, w], self.bus.bvalid);
        self.model.get(self.bus.bresp) != 0
    }

    /// Reads a register: what it holds, and whether that was refused.
    pub fn read(&mut self, address: u32) -> (u32, bool) {
        self.model.set(self.bus.araddr, address.into());
        self.access(&[(self.bus.arvalid, self.bus.arready)], self.bus.rvalid);
        (self.model.get(self.bus.rdata) as u32, self.model.get(self.bus.rresp) != 0)
    }

    /// Offers on channels up to the answer, which is taken at the next edge.
    fn access(&mut self, channels: &[(Port, Port)], answer: Port) {
        let mut are_taken = vec![false; channels.len()];
        // the answer of the access before stands until the edge that takes it
        self.cycle();
        for _ in 0..PATIENCE {
            for ((valid, _), is_taken) in channels.iter().zip(&are_taken) {
                self.model.set(*valid, (!is_taken).into());
            }
            self.model.settle();
            for ((_, ready), is_taken) in channels.iter().zip(&mut are_taken) {
                *is_taken |= self.model.get(*ready) == 1;
            }
            if self.model.get(answer) == 1 {
                assert!(are_taken.iter().all(|is_taken| *is_taken), "answered before it was given");
                return;
            }
            self.cycle();
        }
        panic!("an access is not answered");
    }

    /// One clock cycle.
    pub fn cycle(&mut self) {
        let mut moves = false;
        for way in 0..2 {
            self.inputs[way].offer(&mut self.model);
        }
        let ready = self.ready.map(|ready| ready > 0.0 && (ready >= 1.0 || self.random.random_bool(ready)));
        for (output, ready) in self.outputs.iter().zip(ready) {
            self.model.set(output.ready, ready.into());
        }
        self.model.settle();
        for way in 0..2 {
            moves |= self.inputs[way].taken(&self.model);
        }
        let mut halves = vec![0; self.seen.words()];
        self.model.get_wide(self.seen, &mut halves);
        let word = |pair: &[u32]| (0..).zip(pair).map(|(at, half)| u64::from(*half) << (32 * at)).sum();
        let words: Vec<u64> = halves.chunks(2).map(word).collect();
        if top::Seen::from_words(&words).in_reset {
            self.since_reset = 0;
        }
        let mac_waits = self.model.get(self.inputs[1].ready) == 0 && self.since_reset > WAKING;
        assert!(!mac_waits, "cycle {}: the MAC waits", self.cycle);
        for (at, ready) in ready.into_iter().enumerate() {
            moves |= self.left(at, ready);
        }
        self.model.rise();
        self.cycle += 1;
        self.since_reset += 1;
        self.quiet = if moves { 0 } else { self.quiet + 1 };
    }

    /// What stands at an output: it is what was offered before, and goes out if it is taken.
    fn left(&mut self, at: usize, ready: bool) -> bool {
        let model = &self.model;
        let output = &mut self.outputs[at];
        let is_valid = model.get(output.valid) == 1;
        let shown: Vec<u64> = match is_valid && (!ready || output.offered.is_some()) {
            true if at == EVENTS => model.words(output.held[0]).iter().copied().map(u64::from).collect(),
            true => output.held.iter().map(|port| model.get(*port)).collect(),
            false => vec![],
        };
        if let Some(offered) = output.offered.take() {
            assert!(is_valid, "cycle {}: output {at} takes back what it offered", self.cycle);
            assert_eq!(shown, offered, "cycle {}: output {at} changes what it offered", self.cycle);
        }
        if !is_valid || !ready {
            output.offered = is_valid.then_some(shown);
            return false;
        }
        match at {
            EVENTS => {
                let bits = model
                    .words(output.held[0])
                    .iter()
                    .rev()
                    .fold(0, |bits, word| bits << 32 | u128::from(*word));
                self.out.events.push(Event::from_bits(bits).expect("a known kind"));
            }
            _ => output.beat(model, at == 1, self.cycle, &mut self.out),
        }
        true
    }
}

impl Output {
    /// A beat of a frame goes out.
    fn beat(&mut self, model: &Model, is_to_host: bool, cycle: u64, out: &mut Out) {
        let [data, keep, last] = [0, 1, 2].map(|at| model.get(self.held[at]));
        let bytes = keep.count_ones() as usize;
        assert!(bytes == BEAT || last == 1 && bytes > 0, "cycle {cycle}: a beat of {bytes} bytes");
        self.frame.extend(&data.to_le_bytes()[..bytes]);
        if is_to_host {
            let beside: Vec<u64> = self.held[3..].iter().map(|port| model.get(*port)).collect();
            if let Some(before) = self.beside.replace(beside.clone()) {
                assert_eq!(beside, before, "cycle {cycle}: what stands beside a frame changes");
            }
        }
        if last == 0 {
            return;
        }
        let frame = std::mem::take(&mut self.frame);
        match self.beside.take() {
            Some(beside) => out.received.push((frame, beside)),
            None if model.get(self.held[3]) == 1 => out.cut.push(frame),
            None => out.sent.push(frame),
        }
    }
}

impl Input {
    fn new(model: &Model, name: &str) -> Input {
        let port = |field: &str| model.port(&format!("{name}_{field}")).expect("the block has the port");
        Input {
            data: port("tdata"),
            keep: port("tkeep"),
            valid: port("tvalid"),
            last: port("tlast"),
            user: port("tuser"),
            ready: port("tready"),
            frames: VecDeque::new(),
            at: 0,
            given: 0,
        }
    }

    /// The next beat of a frame stands at the input.
    fn offer(&self, model: &mut Model) {
        let Some((frame, is_bad)) = self.frames.front() else {
            model.set(self.valid, 0);
            return;
        };
        let rest = &frame[self.at..];
        let bytes = rest.len().min(BEAT);
        let mut word = [0; BEAT];
        word[..bytes].copy_from_slice(&rest[..bytes]);
        let is_last = rest.len() <= BEAT;
        model.set(self.data, u64::from_le_bytes(word));
        model.set(self.keep, (1 << bytes) - 1);
        model.set(self.last, is_last.into());
        model.set(self.user, (is_last && *is_bad).into());
        model.set(self.valid, 1);
    }

    fn taken(&mut self, model: &Model) -> bool {
        let Some((frame, _)) = self.frames.front() else { return false };
        if model.get(self.ready) == 0 {
            return false;
        }
        self.at += BEAT;
        if self.at >= frame.len() {
            self.frames.pop_front();
            self.at = 0;
            self.given += 1;
        }
        true
    }
}

impl Bus {
    fn new(model: &Model) -> Bus {
        let port = |name: &str| model.port(&format!("s_axil_{name}")).expect("the block has the port");
        Bus {
            awvalid: port("awvalid"),
            awready: port("awready"),
            awaddr: port("awaddr"),
            wvalid: port("wvalid"),
            wready: port("wready"),
            wdata: port("wdata"),
            bvalid: port("bvalid"),
            bresp: port("bresp"),
            arvalid: port("arvalid"),
            arready: port("arready"),
            araddr: port("araddr"),
            rvalid: port("rvalid"),
            rdata: port("rdata"),
            rresp: port("rresp"),
        }
    }
}
