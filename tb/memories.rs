//! The models of block RAMs against memories of many shapes, which synthesis maps to every mode of block RAMs that it uses.

use respray_cosim::verilator::{BuildOptions, Direction, Model, Source};
use respray_hdl::catalogue;
use respray_hdl::config::Config;
use respray_hdl::manifest::Generated;
use respray_synth::Bench;
use respray_synth::cells::{Family, cells};

use crate::runs::project;

const MEMORIES: &str = include_str!("memories.v");

/// The deepest memory has so many words.
const WORDS: u64 = 1 << 14;
const CYCLES: u32 = 100_000;

/// A model with the ports of `memories`.
struct Memories(Model);

impl Memories {
    fn new(verilog: &str) -> Memories {
        let quick = BuildOptions { quick: true, ..BuildOptions::default() };
        Memories(Model::build(&Source::new("memories", verilog), &quick).unwrap())
    }

    /// One cycle: the outputs before its edge, by name.
    fn cycle(&mut self, inputs: &[(&str, u64)]) -> Vec<(String, Vec<u64>)> {
        for (name, value) in inputs {
            let port = self.0.port(name).unwrap();
            if port.width() > 64 {
                let spread = value.wrapping_mul(0x9e37_79b9_7f4a_7c15);
                self.0.set_wide(port, &[*value as u32, (spread >> 32) as u32, (spread >> 8) as u32 & 0xff]);
            } else {
                self.0.set(port, *value);
            }
        }
        self.0.eval();
        let outputs = self.0.ports().iter().filter(|port| port.direction == Direction::Output);
        let names: Vec<String> = outputs.map(|port| port.name.clone()).collect();
        let read = |name: String| {
            let port = self.0.port(&name).unwrap();
            let words = match port.width() {
                0..=64 => vec![self.0.get(port)],
                _ => self.0.words(port).iter().copied().map(u64::from).collect(),
            };
            (name, words)
        };
        let shown = names.into_iter().map(read).collect();
        self.0.tick();
        shown
    }
}

/// Random numbers, each from the one before (a linear congruential generator, upper bits).
fn random(state: &mut u64) -> u64 {
    *state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
    *state >> 32
}

#[test]
#[ignore = "synthesises sixteen memories for two families and compares them for a hundred thousand cycles: `make test-long`"]
fn block_rams_do_what_memories_of_every_shape_do() {
    let manifest = catalogue::generate("ecmp", &Config::default()).unwrap().manifest;
    let manifest = respray_hdl::manifest::Manifest { module: "memories".into(), ..manifest };
    let design = Generated { verilog: MEMORIES.to_string(), manifest };
    for family in Family::ALL {
        let netlist = cells(&Bench::new(project()), family, &design).unwrap().verilog;
        let [mut verilog, mut of_cells] = [MEMORIES, &netlist].map(Memories::new);
        for address in 0..WORDS {
            let inputs =
                [("write", 0xff), ("write_address", address), ("data_in", address * 77), ("read", 1)];
            verilog.cycle(&inputs);
            of_cells.cycle(&inputs);
        }
        let mut state = 1;
        for cycle in 0..CYCLES {
            // few addresses now and then, so that the ports meet
            let mask = if random(&mut state).is_multiple_of(4) { 7 } else { WORDS - 1 };
            let write_address = random(&mut state) & mask;
            let read_address =
                if random(&mut state).is_multiple_of(4) { write_address } else { random(&mut state) & mask };
            let parts = if random(&mut state).is_multiple_of(2) { 0 } else { random(&mut state) & 0xff };
            // where the ports meet all parts are written: which RAM holds a part decides what of the others is promised
            let meet = (write_address ^ read_address) & 0x1ff == 0;
            let write = if meet && parts != 0 { 0xff } else { parts };
            let inputs = [
                ("write", write),
                ("write_address", write_address),
                ("read_address", read_address),
                ("read", random(&mut state) & 1),
                ("data_in", random(&mut state)),
            ];
            let (right, seen) = (verilog.cycle(&inputs), of_cells.cycle(&inputs));
            if cycle > 1 {
                for (right, seen) in right.iter().zip(&seen) {
                    assert_eq!(right, seen, "cycle {cycle} on {}", family.name());
                }
            }
        }
    }
}
