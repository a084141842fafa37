//! Runs the same vectors through rust-hdl and through the emitted Verilog in Verilator and Icarus.

pub mod bench;
pub mod blocks;
pub mod design;
pub mod operators;
pub mod packing;
pub mod tree;

use std::fmt;
use std::path::Path;
use std::process::Command;

use num_bigint::BigUint;

/// A module with stimulus and what rust-hdl made of it. All numbers of one vector in the order of the ports.
#[derive(Clone)]
pub struct Case {
    pub module: String,
    pub verilog: String,
    /// Name and width, without `clk`.
    pub inputs: Vec<(String, usize)>,
    pub outputs: Vec<(String, usize)>,
    /// Whether it has a `clk`, which rises once a vector; outputs are sampled after it.
    pub clocked: bool,
    pub vectors: Vec<Vec<BigUint>>,
    pub expected: Vec<Vec<BigUint>>,
    /// Vectors at the start whose outputs may be unknown, because registers have no initial value.
    pub warmup: usize,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Tool {
    Verilator,
    Icarus,
}

/// A disagreement between rust-hdl and a simulator.
#[derive(Debug)]
pub struct Difference {
    pub tool: Tool,
    pub module: String,
    pub vector: usize,
    pub output: String,
    pub expected: String,
    pub seen: String,
}

impl fmt::Display for Difference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Difference { tool, module, vector, output, expected, seen } = self;
        write!(f, "{tool:?}: {module}.{output}, vector {vector}: rust-hdl {expected}, Verilog {seen}")
    }
}

/// Whether `program` can be started; says so if not.
pub fn installed(program: &str) -> bool {
    let found = Command::new(program).arg("-V").output().is_ok();
    if !found {
        eprintln!("skipped: {program} is not installed");
    }
    found
}

/// Every difference that the tools see, at most 20 a tool. A missing tool sees none and is named on stderr.
pub fn differences(cases: &[Case], tools: &[Tool]) -> Vec<Difference> {
    let dir = tempfile::tempdir().unwrap();
    for case in cases {
        let rows: Vec<String> = case.vectors.iter().map(|vector| row(&case.inputs, vector)).collect();
        std::fs::write(dir.path().join(format!("{}.hex", case.module)), rows.join("\n") + "\n").unwrap();
    }
    let mut source = String::new();
    cases.iter().for_each(|case| source.push_str(&case.verilog));
    source.push_str(&bench_text(cases));
    std::fs::write(dir.path().join("bench.v"), source).unwrap();
    let mut found = vec![];
    for tool in tools {
        let program = if *tool == Tool::Verilator { "verilator" } else { "iverilog" };
        if installed(program) {
            let output = run(*tool, dir.path());
            found.extend(compare(cases, *tool, &output).into_iter().take(20));
        }
    }
    found
}

fn run(tool: Tool, dir: &Path) -> String {
    let output = |program: &str, arguments: &[&str]| {
        let output = Command::new(program).args(arguments).current_dir(dir).output().unwrap();
        let said = String::from_utf8_lossy(&output.stderr).to_string();
        assert!(output.status.success(), "{program} {arguments:?}: {said}");
        String::from_utf8(output.stdout).unwrap()
    };
    match tool {
        Tool::Icarus => {
            output("iverilog", &["-g2005", "-o", "bench.vvp", "bench.v"]);
            output("vvp", &["-n", "bench.vvp"])
        }
        Tool::Verilator => {
            let flags = "--binary -Wno-fatal -Wno-lint -Wno-style -O1 -CFLAGS -O0 -j 2 --top-module bench";
            output("verilator", &flags.split(' ').chain(["bench.v"]).collect::<Vec<_>>());
            output("obj_dir/Vbench", &[])
        }
    }
}

/// All inputs of one vector as one number, the first port on top.
fn row(ports: &[(String, usize)], vector: &[BigUint]) -> String {
    let mut joined = BigUint::ZERO;
    for ((_, width), value) in ports.iter().zip(vector) {
        joined = (joined << *width) | value;
    }
    format!("{joined:x}")
}

/// Outputs that one line shows.
const OUTPUTS_A_LINE: usize = 16;

fn bench_text(cases: &[Case]) -> String {
    let mut declarations = String::new();
    let mut stimulus = String::new();
    let mut loads = String::new();
    let mut shows = String::new();
    let vectors = cases[0].vectors.len();
    for (k, case) in cases.iter().enumerate() {
        assert_eq!(case.vectors.len(), vectors);
        let width: usize = case.inputs.iter().map(|(_, width)| width).sum();
        declarations.push_str(&format!("reg [{}:0] vectors{k} [0:{}];\n", width - 1, vectors - 1));
        loads.push_str(&format!("$readmemh(\"{}.hex\", vectors{k});\n", case.module));
        let mut pins: Vec<String> = vec![];
        for (word, ports) in [("reg", &case.inputs), ("wire", &case.outputs)] {
            for (name, width) in ports {
                declarations.push_str(&format!("{word} [{}:0] c{k}_{name};\n", width - 1));
                pins.push(format!(".{name}(c{k}_{name})"));
            }
        }
        if case.clocked {
            pins.push(".clk(clk)".to_string());
        }
        declarations.push_str(&format!("{} c{k} ({});\n", case.module, pins.join(", ")));
        let names: Vec<String> = case.inputs.iter().map(|(name, _)| format!("c{k}_{name}")).collect();
        stimulus.push_str(&format!("{{{}}} = vectors{k}[i];\n", names.join(", ")));
        for (chunk, ports) in case.outputs.chunks(OUTPUTS_A_LINE).enumerate() {
            let names: Vec<String> = ports.iter().map(|(name, _)| format!("c{k}_{name}")).collect();
            let format = vec!["%h"; ports.len()].join(" ");
            shows.push_str(&format!("$display(\"= {k} {chunk} {format}\", {});\n", names.join(", ")));
        }
    }
    format!(
        "\n`line 1 \"bench.v\" 0\nmodule bench;\ninteger i;\nreg clk;\n{declarations}\ninitial begin\n{loads}\
         for (i = 0; i < {vectors}; i = i + 1) begin\nclk = 0;\n{stimulus}#1;\nclk = 1;\n#1;\n{shows}end\n$finish;\nend\nendmodule\n"
    )
}

fn compare(cases: &[Case], tool: Tool, output: &str) -> Vec<Difference> {
    let mut vectors = vec![0; cases.len()];
    let mut found = vec![];
    for line in output.lines().filter_map(|line| line.strip_prefix("= ")) {
        let mut words = line.split_whitespace();
        let mut number = || words.next().unwrap().parse::<usize>().unwrap();
        let (k, chunk) = (number(), number());
        let case = &cases[k];
        let vector = vectors[k];
        let first = chunk * OUTPUTS_A_LINE;
        for (index, seen) in (first..).zip(words) {
            let expected = &case.expected[vector][index];
            let agrees = BigUint::parse_bytes(seen.as_bytes(), 16).is_some_and(|seen| seen == *expected);
            if !agrees && vector >= case.warmup {
                found.push(Difference {
                    tool,
                    module: case.module.clone(),
                    vector,
                    output: case.outputs[index].0.clone(),
                    expected: format!("{expected:x}"),
                    seen: seen.to_string(),
                });
            }
        }
        if first + OUTPUTS_A_LINE >= case.outputs.len() {
            vectors[k] += 1;
        }
    }
    for (case, seen) in cases.iter().zip(vectors) {
        assert_eq!(seen, case.vectors.len(), "{tool:?} has not shown all of {}:\n{output}", case.module);
    }
    found
}

/// What the tools say of `verilog` with all warnings on; nothing if they are content or missing.
pub fn warnings(module: &str, verilog: &str) -> String {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join(format!("{module}.v"));
    std::fs::write(&path, verilog).unwrap();
    let mut said = String::new();
    for (program, arguments) in [
        ("verilator", &["--lint-only", "-Wall"][..]),
        ("iverilog", &["-g2005", "-Wall", "-o", "/dev/null"][..]),
    ] {
        if installed(program) {
            let output = Command::new(program).args(arguments).arg(&path).output().unwrap();
            said += &String::from_utf8_lossy(&[output.stdout, output.stderr].concat());
        }
    }
    said
}

/// The seed of a campaign and how many designs it makes: `RESPRAY_EMIT_SEED`, `RESPRAY_EMIT_CASES`.
pub fn campaign() -> (u64, usize) {
    let read = |name: &str| std::env::var(name).ok().and_then(|text| text.parse().ok());
    let seed = read("RESPRAY_EMIT_SEED").unwrap_or(20_260_101);
    let cases = read("RESPRAY_EMIT_CASES").unwrap_or(2) as usize;
    println!("RESPRAY_EMIT_SEED={seed} RESPRAY_EMIT_CASES={cases}");
    (seed, cases)
}
