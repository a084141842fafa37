//! What the building blocks do in Rust they do in Verilog: the same vectors run through rust-hdl, Icarus and Verilator.

use crate::bench;
use crate::differential::bench::{Bench, random_vector};
use crate::differential::{Case, Tool, differences, warnings};
use num_bigint::BigUint;
use rand::rngs::StdRng;
use rand::{RngExt, SeedableRng};
use respray_hdl::emit::{EmitOptions, verilog};
use respray_hdl::manifest::MemoryKind;
use respray_hdl::prims::{
    Delay, DirectMemory, Fifo, FreeRunning, MemoryStyle, NamedBytes, NarrowWrite, ParityParts, PatchMemory,
    PulseCounts, QueueMemory, SimpleDualPort, SkidBuffer, WideWrite,
};
use rust_hdl::prelude::*;

type Block46 = SimpleDualPort<Bits<4>, Bits<46>>;
type Guarded = SimpleDualPort<Bits<4>, Bits<45>>;
type Direct9 = DirectMemory<Bits<9>>;
type Queue9 = QueueMemory<Bits<9>, 4>;
type Held = NarrowWrite<4, 5, 16, 3>;
type Ports = NarrowWrite<1, 8, 64, 2>;
type Bytes = NarrowWrite<8, 5, 32, 3>;
type Whole = NarrowWrite<46, 4, 46, 4>;
type Parts = WideWrite<64, 2, 8, 5>;
type Patched = PatchMemory<24, 3, 5>;
type Delay9 = Delay<Bits<9>, 3>;
type Pulses = PulseCounts<37>;
type Parts46 = ParityParts<Bits<46>>;
type Parts9 = ParityParts<Bits<9>>;
type Named32 = NamedBytes<32, 4>;

/// A stream whose data reads 0 where it is not valid: there it is unknown.
macro_rules! visible {
    ($name:ident, $inner:ty, $make:expr) => {
        #[derive(LogicBlock, Default)]
        struct $name {
            pub clk: Signal<In, Clock>,
            pub rst: Signal<In, Bit>,
            pub in_valid: Signal<In, Bit>,
            pub in_data: Signal<In, Bits<9>>,
            pub out_ready: Signal<In, Bit>,
            pub in_ready: Signal<Out, Bit>,
            pub out_valid: Signal<Out, Bit>,
            pub out_data: Signal<Out, Bits<9>>,
            inner: $inner,
        }

        impl $name {
            fn new() -> Self {
                Self { inner: $make, ..Default::default() }
            }
        }

        impl Logic for $name {
            #[hdl_gen]
            fn update(&mut self) {
                self.inner.clk.next = self.clk.val();
                self.inner.rst.next = self.rst.val();
                self.inner.in_valid.next = self.in_valid.val();
                self.inner.in_data.next = self.in_data.val();
                self.inner.out_ready.next = self.out_ready.val();
                self.in_ready.next = self.inner.in_ready.val();
                self.out_valid.next = self.inner.out_valid.val();
                self.out_data.next = 0.into();
                if self.inner.out_valid.val() {
                    self.out_data.next = self.inner.out_data.val();
                }
            }
        }

        bench!([] $name, clk; rst, in_valid, in_data, out_ready -> in_ready, out_valid, out_data);
    };
}
visible!(Words, Fifo<Bits<9>, 3, 4>, Fifo::new("words", MemoryStyle::Distributed));
visible!(Skid, SkidBuffer<Bits<9>>, SkidBuffer::default());

bench!([] Block46, clk; read_address, write_enable, write_address, write_data -> read_data);
bench!([] Ports, clk; read_address, write_enable, write_address, write_data -> read_data);
bench!([] Bytes, clk; read_address, write_enable, write_address, write_data -> read_data);
bench!([] Whole, clk; read_address, write_enable, write_address, write_data -> read_data);
bench!([] Parts, clk; read_address, write_enable, write_address, write_data -> read_data);
bench!([] Patched, clk; read_address, write_enable, write_address, write_data, read_enable, patch, patch_data -> read_data);
bench!([] Delay9, clk; input_value -> output_value);
bench!([] Guarded, clk; read_address, write_enable, write_address, write_data, read_enable -> read_data, read_parity);
bench!([] Direct9, clk; read_address, write_enable, write_address, write_data -> read_data);
bench!([] Queue9, clk; read_address, write_enable, write_address, write_data, read_enable -> read_data);
bench!([] Held, clk; read_address, write_enable, write_address, write_data, read_enable -> read_data);
bench!([] Parts46,; word, parity -> parts);
bench!([] Parts9,; word, parity -> parts);
bench!([] Named32,; data, keep -> zeroed);
bench!([] Pulses, clk; rst, pulses, number -> count);

/// The count of cycles, which has no input, with one.
#[derive(LogicBlock, Default)]
struct Cycles {
    pub clk: Signal<In, Clock>,
    pub mask: Signal<In, Bits<32>>,
    pub low: Signal<Out, Bits<32>>,
    pub high: Signal<Out, Bits<32>>,
    inner: FreeRunning,
}

impl Logic for Cycles {
    #[hdl_gen]
    fn update(&mut self) {
        self.inner.clk.next = self.clk.val();
        self.low.next = self.inner.low.val() ^ self.mask.val();
        self.high.next = self.inner.high.val();
    }
}

bench!([] Cycles, clk; mask -> low, high);

/// Runs `vectors` through the Rust side; the first `warmup` outputs are not compared.
fn replay<B: Bench>(module: &str, mut block: B, vectors: Vec<Vec<BigUint>>, warmup: usize) -> Case {
    let options = EmitOptions { module, ..EmitOptions::default() };
    let verilog = verilog(&block, &options).unwrap_or_else(|error| panic!("{error}"));
    let (inputs, outputs) = (block.inputs(), block.outputs());
    let expected = vectors
        .iter()
        .map(|vector| {
            block.clock(false);
            block.drive(vector);
            assert!(simulate(&mut block, 50), "{module} does not settle");
            block.clock(true);
            assert!(simulate(&mut block, 50), "{module} does not settle");
            block.sample()
        })
        .collect();
    let module = module.to_string();
    Case { module, verilog, inputs, outputs, clocked: true, vectors, expected, warmup }
}

const VECTORS: usize = 1000;

/// Writes every word once, then at random; a third of the reads meet a write.
fn memory<B: Bench>(module: &str, mut block: B, words: usize) -> Case {
    block.connect_all();
    let mut rng = StdRng::seed_from_u64(words as u64);
    let (read_bits, write_bits) = (block.inputs()[0].1, block.inputs()[2].1);
    let vectors = (0..VECTORS).map(|number| {
        let mut vector = random_vector(&mut rng, &block.inputs());
        if number < words {
            vector[1] = 1u8.into();
            vector[2] = number.into();
        } else if rng.random_range(0..3) == 0 {
            let part = &vector[0] % (1u32 << read_bits.saturating_sub(write_bits));
            vector[0] = (&vector[2] << read_bits.saturating_sub(write_bits)) + part;
            vector[0] >>= write_bits.saturating_sub(read_bits);
        }
        vector
    });
    let vectors = vectors.collect();
    replay(module, block, vectors, words + 2)
}

/// As a queue uses it: words are written round and round and read once each, behind, some bytes replaced.
fn patched(module: &str, kind: MemoryKind) -> Case {
    let mut block = Patched::new("patched", "a memory", kind);
    block.connect_all();
    let mut rng = StdRng::seed_from_u64(11);
    let (mut written, mut read) = (0u32, 0u32);
    let vectors = (0..VECTORS).map(|number| {
        let mut vector = random_vector(&mut rng, &block.inputs());
        let reads = number >= 4 && read < written && rng.random_range(0..3) > 0;
        let writes = written - read < 32 && rng.random_range(0..3) > 0;
        vector[0] = (read % 32).into();
        vector[1] = u8::from(writes).into();
        vector[2] = (written % 32).into();
        vector[4] = u8::from(reads).into();
        (written, read) = (written + u32::from(writes), read + u32::from(reads));
        vector
    });
    let vectors = vectors.collect();
    replay(module, block, vectors, 16)
}

/// Pushes and pops in phases of their own density, so that it fills and empties; a reset now and then.
fn stream<B: Bench>(module: &str, mut block: B) -> Case {
    block.connect_all();
    let mut rng = StdRng::seed_from_u64(7);
    let vectors = (0..VECTORS).map(|number| {
        let mut vector = random_vector(&mut rng, &block.inputs());
        let phase = number / 40 % 3;
        vector[0] = u8::from(number < 2 || rng.random_range(0..97) == 0).into();
        vector[1] = u8::from(rng.random_range(0..4) < [4, 1, 3][phase]).into();
        vector[3] = u8::from(rng.random_range(0..4) < [1, 4, 3][phase]).into();
        vector
    });
    let vectors = vectors.collect();
    replay(module, block, vectors, 2)
}

fn delay() -> Case {
    let mut block = Delay9::default();
    block.connect_all();
    let mut rng = StdRng::seed_from_u64(3);
    let vectors = (0..VECTORS).map(|_| random_vector(&mut rng, &block.inputs())).collect();
    replay("delay_bench", block, vectors, 3)
}

/// Pulses at a rate that changes, so that counts go round, and looks at every count.
fn pulse_counts() -> Case {
    let mut block = Pulses::new("counts");
    block.connect_all();
    let mut rng = StdRng::seed_from_u64(5);
    let vectors = (0..VECTORS).map(|number| {
        let mut vector = random_vector(&mut rng, &block.inputs());
        vector[0] = u8::from(number < 2 || rng.random_range(0..199) == 0).into();
        vector[2] = rng.random_range(0..37u8).into();
        vector
    });
    let vectors = vectors.collect();
    replay("pulse_counts_bench", block, vectors, 4)
}

fn free_running() -> Case {
    let mut block = Cycles { inner: FreeRunning::new("cycle_count"), ..Default::default() };
    block.connect_all();
    let mut rng = StdRng::seed_from_u64(6);
    let vectors = (0..VECTORS).map(|_| random_vector(&mut rng, &block.inputs())).collect();
    replay("free_running_bench", block, vectors, 0)
}

fn combinational<B: Bench>(module: &str, mut block: B) -> Case {
    block.connect_all();
    let mut rng = StdRng::seed_from_u64(8);
    let vectors = (0..VECTORS).map(|_| random_vector(&mut rng, &block.inputs())).collect();
    Case { clocked: false, ..replay(module, block, vectors, 0) }
}

fn guarded() -> Case {
    let block = Guarded::new("guarded", "a memory", MemoryStyle::Block).with_parity(true);
    memory("memory_guarded", block.with_held_reads(true), 16)
}

/// Memories of which some bits are stored three times: at the lower end of a word, within it, at its upper end, and all of them.
fn voted() -> Vec<Case> {
    let plain = || Block46::new("memory", "a memory", MemoryStyle::Block);
    let direct = |bits| Direct9::new("direct", "a memory").with_votes(bits);
    let queue = |bits| Queue9::new("queue", "a memory", MemoryStyle::Block).with_votes(bits);
    vec![
        memory("memory_voted_low", plain().with_votes(0..3), 16),
        memory("memory_voted_within", plain().with_votes(7..8).with_held_reads(false), 16),
        memory("memory_voted_high", plain().with_votes(44..46).with_output_register(), 16),
        memory("memory_voted", plain().with_votes(0..46), 16),
        memory("direct_voted_within", direct(3..5), 32),
        memory("direct_voted", direct(0..9), 32),
        memory("queue_voted_within", queue(3..5), 16),
        memory("queue_voted_high", queue(8..9), 16),
    ]
}

fn cases() -> Vec<Case> {
    let style = MemoryStyle::Block;
    let plain = || Block46::new("memory", "a memory", style);
    vec![
        memory("memory_plain", plain(), 16),
        memory("memory_of_few_words", plain().with_words(8), 16),
        memory("memory_registered", plain().with_output_register(), 16),
        memory("memory_bits", Ports::new("bits", "a memory", style), 256),
        memory("memory_bytes", Bytes::new("bytes", "a memory", style), 32),
        memory("memory_whole", Whole::new("whole", "a memory", style), 16),
        memory("memory_parts", Parts::new("parts", "a memory", style), 4),
        patched("patched_block", MemoryKind::Block),
        patched("patched_distributed", MemoryKind::Distributed),
        stream("fifo_bench", Words::new()),
        stream("skid_bench", Skid::new()),
        delay(),
        pulse_counts(),
        free_running(),
        guarded(),
        memory("memory_held", Held::new("held", "a memory", style).with_held_reads(true), 32),
        combinational("parity_parts_bench", Parts46::default()),
        combinational("parity_of_few_bits_bench", Parts9::default()),
        combinational("named_bytes_bench", Named32::default()),
        memory("direct_bench", Direct9::new("direct", "a memory"), 32),
        memory("queue_bench", Queue9::new("queue", "a memory", style), 16),
    ]
    .into_iter()
    .chain(voted())
    .collect()
}

#[test]
fn rust_and_verilog_agree_in_both_simulators() {
    let cases = cases();
    for case in &cases {
        let said = warnings(&case.module, &case.verilog);
        assert!(said.is_empty(), "{said}\n{}", case.verilog);
    }
    let found = differences(&cases, &[Tool::Icarus, Tool::Verilator]);
    let report: String = found.iter().map(|difference| format!("{difference}\n")).collect();
    assert!(found.is_empty(), "{report}");
}

/// `expected` is sampled after the edge, so that an output three edges later is two vectors on.
#[test]
fn a_delay_gives_what_came_in_as_many_edges_before() {
    let case = delay();
    assert!(case.vectors.iter().zip(&case.expected[2..]).all(|(given, seen)| given == seen));
    assert_ne!(case.vectors[0], case.vectors[1]);
}

#[test]
fn the_replay_sees_a_memory_that_returns_old_data_on_a_collision() {
    let mut case = cases().remove(0);
    let text = case.verilog.replace("<= ~words", "<= words");
    assert_ne!(text, case.verilog);
    case.verilog = text;
    let found = differences(&[case], &[Tool::Icarus]);
    assert!(!found.is_empty());
}

#[test]
fn the_replay_sees_a_memory_that_reads_where_it_must_not() {
    let mut case = guarded();
    let text = case.verilog.replace("if (read_enable) {", "if (1'b1) {");
    assert_ne!(text, case.verilog);
    case.verilog = text;
    assert!(!differences(&[case], &[Tool::Icarus]).is_empty());
}

#[test]
fn the_replay_sees_a_parity_that_leaves_a_bit_out() {
    let mut case = guarded();
    let text = case.verilog.replace("{^write_data,", "{^write_data[44:1],");
    assert_ne!(text, case.verilog);
    case.verilog = text;
    assert!(!differences(&[case], &[Tool::Icarus]).is_empty());
}

#[test]
fn the_replay_sees_a_memory_that_replaces_no_byte() {
    let mut case = patched("patched_block", MemoryKind::Block);
    let text = case.verilog.replace("if (patch[i])", "if (1'b0)");
    assert_ne!(text, case.verilog);
    case.verilog = text;
    assert!(!differences(&[case], &[Tool::Icarus]).is_empty());
}

#[test]
fn the_replay_sees_a_wide_word_that_is_written_in_part() {
    let mut case = memory("memory_parts", Parts::new("parts", "a memory", MemoryStyle::Block), 4);
    let text = case.verilog.replace("i < 8;", "i < 7;");
    assert_ne!(text, case.verilog);
    case.verilog = text;
    assert!(!differences(&[case], &[Tool::Icarus]).is_empty());
}

/// Words are stored with one copy of these bits inverted, and with two.
#[test]
fn one_of_three_copies_of_a_bit_may_flip_and_no_two() {
    let spoilt = |from: &str, to: &str| {
        let mut cases = voted();
        for case in &mut cases {
            let text = case.verilog.replace(from, to);
            assert_ne!(text, case.verilog, "{}", case.module);
            case.verilog = text;
        }
        differences(&cases, &[Tool::Verilator])
    };
    let first = spoilt("<= {write_data", "<= {~write_data");
    assert!(first.is_empty(), "{first:?}");
    let second = spoilt(", write_data", ", ~write_data");
    assert!(!second.is_empty(), "no copy was inverted");
}
