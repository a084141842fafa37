//! `nic_registers` in Verilator beside the registers of the golden model: random accesses, commands and pulses.

use std::collections::VecDeque;

use rand::rngs::StdRng;
use rand::{RngExt, SeedableRng};
use respray_cosim::verilator::{BuildOptions, Design, Model, Port, Source, build};
use respray_golden::nic::{Command, Config, Counter, Nic, Register, Target};
use respray_hdl::config;
use respray_hdl::cores::find;
use respray_hdl::nic::registers::generate;

use super::axi_lite::{Access, Answer, Manager, Side};

/// Cycles from the one in which a read is taken to the one whose pulses are the last that it counts.
const COUNTED_CYCLES: u64 = 4;
/// Cycles from the last pulse that a write clears to the answer.
const CLEARED_CYCLES: u64 = 8;
/// What the counters and the count of cycles begin with in the tests: a carry soon goes through each part of them.
const FIRST_COUNT: u64 = 0x1ff_ffff_fd00;
const FIRST_CYCLE: u64 = 0xffff_ffff_0000;
/// Faults by their number at the port `fault`: what is broken, and by what.
const FAULTS: [(&str, &str); 3] = [
    // a counter whose halves tear
    ("(is_full ? 23'd1", "(is_full && nic_registers.fault != 2'd1 ? 23'd1"),
    // a pulse that is lost where two coincide
    ("else if (pulses[i])", "else if (pulses[i] && !(nic_registers.fault == 2'd2 && i == 10 && pulses[19]))"),
    // a value out of range that gets through
    ("&& value <= words_most;", "&& (value <= words_most || nic_registers.fault == 2'd3);"),
];

/// The block with the counts of the tests and an input that breaks it.
fn design() -> &'static Design {
    let config = config::Config::load(None, &["connections=16".to_string()]).expect("a valid configuration");
    let contract = find("reps").and_then(|core| core.contract).expect("a selector has a contract");
    let mut verilog = generate(&config, contract).expect("the block is generated");
    let mut replace = |from: &str, to: &str| {
        assert_eq!(verilog.matches(from).count(), 1, "{from}");
        verilog = verilog.replace(from, to);
    };
    for (low, high, first) in [("FIRST_LOW", "FIRST_HIGH", FIRST_COUNT), ("low", "high", FIRST_CYCLE)] {
        replace(&format!(" {low} = 32'd0;"), &format!(" {low} = 32'd{};", first as u32));
        replace(&format!(" {high} = 32'd0;"), &format!(" {high} = 32'd{};", first >> 32));
    }
    replace("module nic_registers (", "module nic_registers (\n    input wire [1:0] fault,");
    FAULTS.iter().for_each(|(from, to)| replace(from, to));
    let options = BuildOptions { quick: true, ..BuildOptions::default() };
    build(&Source::new("nic_registers", verilog), &options).unwrap_or_else(|error| panic!("{error}"))
}

/// Command codes that the golden model and the block have in common.
const READ: u32 = Command::Read as u32;

/// The other ports: pulses, commands, results, times.
struct Rest {
    rng: StdRng,
    golden: Nic,
    /// Ports `count_...` in the order of the counters; the refused accesses have none.
    pulses: Vec<Option<Port>>,
    /// Percent of cycles in which a counter is pulsed.
    density: u32,
    counts: Vec<u64>,
    /// What the counters had behind each of the last cycles.
    history: VecDeque<(u64, Vec<u64>)>,
    command_valid: Port,
    command_ready: Port,
    command_code: Port,
    /// Ports of settings and operands with the addresses of their registers.
    settings: Vec<(Port, u32)>,
    /// Ports `result_...` with their masks and the addresses of their registers.
    results: Vec<(Port, u64, u32)>,
    /// Cycles that the command still waits, once the block has given it.
    waits: Option<u32>,
    /// Code of the command that the block has yet to give.
    expected: Option<u32>,
    events_waiting: Port,
    /// Time, its prescaler, and the mask of the time; and since when the prescalers are what they are.
    times: [(Port, Port, u64); 3],
    prescales: [u64; 3],
    steady_since: u64,
}

impl Rest {
    fn new(model: &Model, golden: Nic, rng: StdRng) -> Self {
        let port = |name: &str| model.port(name).unwrap_or_else(|error| panic!("{error}"));
        let registers = golden.registers();
        let counters = registers.iter().filter(|register| matches!(register.target, Target::Counter(_)));
        let pulses = counters
            .map(|register| model.port(&format!("count_{}", register.name.trim_end_matches("_low"))).ok());
        let pulses: Vec<Option<Port>> = pulses.collect();
        let held = registers.iter().filter(|register| matches!(register.target, Target::Setting(_)));
        let settings = held.map(|register| (port(&register.name), register.address)).collect();
        let results = registers.iter().filter(|register| matches!(register.target, Target::Result(_)));
        let results = results
            .map(|register| (port(&register.name), u64::MAX >> (64 - register.width), register.address));
        let times = [("wire", 16), ("sack", 16), ("selector", 32)].map(|(unit, bits)| {
            (port(&format!("{unit}_time")), port(&format!("{unit}_prescale")), u64::MAX >> (64 - bits))
        });
        Rest {
            rng,
            density: 0,
            counts: vec![FIRST_COUNT; pulses.len()],
            pulses,
            history: VecDeque::new(),
            command_valid: port("command_valid"),
            command_ready: port("command_ready"),
            command_code: port("command_code"),
            settings,
            results: results.collect(),
            waits: None,
            expected: None,
            events_waiting: port("events_waiting"),
            times,
            prescales: [0; 3],
            steady_since: 0,
            golden,
        }
    }

    /// What a counter had at the end of a cycle.
    fn count_at(&self, counter: usize, cycle: u64) -> u64 {
        let found = self.history.iter().find(|(at, _)| *at == cycle);
        found.expect("the cycle is among the last ones").1[counter]
    }

    /// Settings at their ports are those of the golden model.
    fn check_settings(&mut self, model: &Model) -> Result<(), String> {
        for (port, address) in self.settings.clone() {
            let (seen, expected) = (model.get(port), self.golden.read(address).expect("a setting is read"));
            if seen != u64::from(expected) {
                return Err(format!("setting at {address:#x}: {seen} at its port, not {expected}"));
            }
        }
        Ok(())
    }

    fn pulse(&mut self, model: &mut Model, cycle: u64) {
        for (port, count) in self.pulses.iter().zip(&mut self.counts) {
            let Some(port) = port else { continue };
            let pulses = self.rng.random_range(0..100) < self.density;
            model.set(*port, pulses.into());
            *count += u64::from(pulses);
        }
        self.history.push_back((cycle, self.counts.clone()));
        if self.history.len() > 128 {
            self.history.pop_front();
        }
    }

    /// A command is given once, as it was written, and waits for its answer; results count only with it.
    fn command(&mut self, model: &mut Model) {
        let is_given = model.get(self.command_valid) == 1;
        model.set(self.command_ready, 0);
        for (port, mask, _) in &self.results {
            model.set(*port, self.rng.random::<u64>() & mask);
        }
        self.waits = match self.waits {
            None if is_given => {
                let expected = self.expected.take().expect("no command was written");
                assert_eq!(model.get(self.command_code), u64::from(expected));
                Some(self.rng.random_range(0..120))
            }
            Some(0) => {
                assert!(is_given, "a command was withdrawn");
                model.set(self.command_ready, 1);
                for (port, _, address) in self.results.clone() {
                    model.set(port, self.golden.read(address).expect("a result is read").into());
                }
                None
            }
            waits => waits.map(|left| left - 1),
        };
    }

    /// Times are the cycles of three cycles ago, in ticks.
    fn check_times(&mut self, model: &Model, cycle: u64) {
        let prescales = self.times.map(|(_, prescale, _)| model.get(prescale));
        if prescales != self.prescales {
            (self.prescales, self.steady_since) = (prescales, cycle);
        }
        if cycle > self.steady_since + 3 {
            for ((time, _, mask), prescale) in self.times.into_iter().zip(prescales) {
                assert_eq!(
                    model.get(time),
                    (FIRST_CYCLE + cycle - 3) >> prescale & mask,
                    "prescale {prescale}"
                );
            }
        }
    }
}

impl Side for Rest {
    fn cycle(&mut self, model: &mut Model, cycle: u64) {
        self.pulse(model, cycle);
        self.command(model);
        if cycle > 16 {
            self.check_times(model, cycle);
        }
    }
}

/// The block and the golden model side by side.
struct Pair {
    manager: Manager,
    rest: Rest,
    registers: Vec<Register>,
    /// What the last read of a low half kept.
    high: u32,
    /// What `accesses_refused` has beyond the count of the golden model.
    refused_before: u64,
}

impl Pair {
    fn new(seed: u32, fault: u64) -> Self {
        let mut model = design().model(seed).expect("the model is made");
        let golden = Nic::new(Config { connections: 16, ..Config::default() });
        let registers = golden.registers().to_vec();
        let rest = Rest::new(&model, golden, StdRng::seed_from_u64(seed.into()));
        let fault_port = model.port("fault").expect("the tests add it");
        model.set(fault_port, fault);
        let manager = Manager::new(model, StdRng::seed_from_u64(u64::from(seed) + 1));
        Pair { manager, rest, registers, high: 0, refused_before: FIRST_COUNT }
    }

    /// Gives an access to both, and says where they differ.
    fn access(&mut self, access: Access) -> Result<(), String> {
        let expected = self.golden(access);
        let answer = self.manager.access(&[access], &mut self.rest)[0];
        self.compare(access, expected, answer)
    }

    /// What the golden model answers; `None` if it refuses.
    fn golden(&mut self, access: Access) -> Option<u32> {
        let golden = &mut self.rest.golden;
        match access {
            Access::Read { address } => golden.read(address).ok(),
            // no register has an odd address
            Access::Write { strobes, .. } if strobes != 0xf => golden.read(1).ok(),
            Access::Write { address, value, .. } => {
                let done = golden.write(address, value).ok().map(|()| 0);
                let is_command = self
                    .registers
                    .iter()
                    .any(|known| known.address == address && known.target == Target::Command);
                self.rest.expected = (is_command && done.is_some()).then_some(value);
                done
            }
        }
    }

    fn compare(&mut self, access: Access, expected: Option<u32>, answer: Answer) -> Result<(), String> {
        let wrong = |what: String| Err(format!("cycle {}: {access:x?}: {what}", answer.answered));
        if answer.is_error != expected.is_none() {
            return wrong(format!("refused: {}, which the golden model has otherwise", answer.is_error));
        }
        if let Some(left) = self.rest.expected {
            return wrong(format!("the command {left} was not given"));
        }
        let (Access::Read { address } | Access::Write { address, .. }) = access;
        let target = self.registers.iter().find(|known| known.address == address).map(|known| known.target);
        match (access, expected) {
            (_, None) if answer.data != 0 => return wrong("a refused read gives data".to_string()),
            (_, None) => {}
            (Access::Write { .. }, _) => self.cleared(target, answer),
            (Access::Read { .. }, Some(value)) => {
                let expected = self.expected(target.expect("it was read"), value, answer);
                if answer.data != expected {
                    return wrong(format!("{:#x}, not {expected:#x}", answer.data));
                }
            }
        }
        self.rest.check_settings(&self.manager.model)
    }

    /// After a write: a counter is 0 as of then.
    fn cleared(&mut self, target: Option<Target>, answer: Answer) {
        let Some(Target::Counter(counter)) = target else { return };
        let at = self.number(counter);
        if counter == Counter::AccessesRefused {
            self.refused_before = 0;
        }
        self.rest.counts[at] -= self.rest.count_at(at, answer.answered - CLEARED_CYCLES);
    }

    /// What a read gives where the golden model gives `value`.
    fn expected(&mut self, target: Target, value: u32, answer: Answer) -> u32 {
        let whole = match target {
            Target::Counter(Counter::AccessesRefused) => self.refused_before + u64::from(value),
            Target::Counter(counter) => {
                self.rest.count_at(self.number(counter), answer.taken + COUNTED_CYCLES)
            }
            Target::Time => FIRST_CYCLE + answer.taken + COUNTED_CYCLES,
            Target::High => return self.high,
            Target::EventsWaiting => return self.manager.model.get(self.rest.events_waiting) as u32,
            _ => return value,
        };
        self.high = (whole >> 32) as u32;
        whole as u32
    }

    /// Number of a counter in the order of the registers.
    fn number(&self, counter: Counter) -> usize {
        let mut counters = self.registers.iter().filter(|known| matches!(known.target, Target::Counter(_)));
        counters.position(|known| known.target == Target::Counter(counter)).expect("a counter has a register")
    }

    /// An access of any kind.
    fn any(&mut self) -> Access {
        let rng = &mut self.rest.rng;
        let register = self.registers[rng.random_range(0..self.registers.len())].clone();
        let of_counter =
            self.registers.iter().filter(|known| matches!(known.target, Target::Counter(_) | Target::High));
        let counter =
            of_counter.clone().nth(rng.random_range(0..of_counter.count())).expect("there are counters");
        let (least, most) = (*register.allowed.start(), *register.allowed.end());
        let value = match rng.random_range(0..6) {
            0 => least.wrapping_sub(1),
            1 => most.wrapping_add(1),
            2 => rng.random(),
            3 => rng.random_range(0..20),
            _ if register.allowed.is_empty() => 0,
            4 => most,
            _ => rng.random_range(least..=most),
        };
        let strobes = if rng.random_range(0..16) == 0 { rng.random_range(0..16) } else { 0xf };
        match rng.random_range(0..10) {
            0 => Access::Read { address: rng.random_range(0..0x1000) },
            1 => Access::Write { address: rng.random_range(0..0x1000), value, strobes },
            2..=4 => Access::Write { address: register.address, value, strobes },
            5..=7 => Access::Read { address: register.address },
            _ => Access::Read { address: counter.address },
        }
    }

    /// So many accesses of any kind, with pulses at changing rates.
    fn run(&mut self, accesses: usize) -> Result<(), String> {
        for number in 0..accesses {
            if number % 16 == 0 {
                self.rest.density = [0, 3, 50, 100][self.rest.rng.random_range(0..4)];
                self.manager.model.set(self.rest.events_waiting, self.rest.rng.random_range(0..0x1_0000));
            }
            let access = self.any();
            self.access(access)?;
        }
        Ok(())
    }

    fn address(&self, name: &str) -> u32 {
        self.rest.golden.address(name).expect("there is such a register")
    }

    /// Reads both halves of a counter.
    fn read_both(&mut self, name: &str) -> Result<(), String> {
        for half in ["low", "high"] {
            let address = self.address(&format!("{name}_{half}"));
            self.access(Access::Read { address })?;
        }
        Ok(())
    }
}

#[test]
fn accesses_are_answered_as_the_golden_model_answers_them() {
    for seed in [1, 2] {
        Pair::new(seed, 0).run(1500).unwrap_or_else(|difference| panic!("seed {seed}: {difference}"));
    }
}

#[test]
fn a_read_shows_what_the_engine_gave_and_a_reset_forgets_it() {
    let mut pair = Pair::new(3, 0);
    let command = pair.address("command");
    for code in [Command::OpenTx as u32, READ, Command::Reset as u32, READ] {
        pair.access(Access::Write { address: command, value: code, strobes: 0xf }).expect("as golden");
        for name in ["result_status", "result_snd_una", "result_snd_nxt", "result_in_recovery"] {
            pair.access(Access::Read { address: pair.address(name) }).expect("as golden");
        }
    }
}

#[test]
fn the_halves_of_a_counter_belong_together_while_it_wraps() {
    let mut pair = Pair::new(4, 0);
    pair.rest.density = 0;
    pair.read_both("tx_data").expect("as counted");
    pair.rest.density = 100;
    let mut highs = Vec::new();
    for _ in 0..12 {
        pair.read_both("tx_data").expect("as counted");
        highs.push(pair.high);
    }
    let high = (FIRST_COUNT >> 32) as u32;
    assert_eq!((highs[0], highs[11]), (high, high + 1), "it wraps between them");
}

#[test]
fn a_read_and_a_write_at_once_are_both_answered() {
    let mut pair = Pair::new(5, 0);
    let (rto, window) = (pair.address("rto"), pair.address("window"));
    for value in 0..40 {
        let accesses =
            [Access::Write { address: rto, value, strobes: 0xf }, Access::Read { address: window }];
        let expected = accesses.map(|access| pair.golden(access));
        let answers = pair.manager.access(&accesses, &mut pair.rest);
        for ((access, expected), answer) in accesses.into_iter().zip(expected).zip(answers) {
            pair.compare(access, expected, answer).expect("as golden");
        }
    }
}

#[test]
fn halves_that_tear_lost_pulses_and_values_out_of_range_are_found() {
    let names = FAULTS.map(|(from, _)| from);
    for (fault, name) in (1..).zip(names) {
        let found = Pair::new(6, fault).run(1500).expect_err(name);
        let says = if fault == 3 { "refused: false" } else { ", not " };
        assert!(found.contains(says), "{name}: {found}");
    }
}
