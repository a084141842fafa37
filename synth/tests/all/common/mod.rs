//! What the tests share: the project's tools, and a small engine with known structure.
#![allow(dead_code)]

use std::path::{Path, PathBuf};

use respray_hdl::config::Config;
use respray_hdl::manifest::{Direction, Generated, Manifest, Port};
use respray_synth::Bench;

/// The project's root.
pub fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("synth stands in the project").to_path_buf()
}

/// The project's tools and its cache of finished runs.
pub fn bench() -> Bench {
    Bench::new(&root())
}

/// `engine.v`, or that text with `edit` applied.
pub fn engine(edit: impl Fn(&str) -> String) -> Generated {
    generated(&edit(include_str!("engine.v")), "engine", &ENGINE_PORTS)
}

const ENGINE_PORTS: [(&str, u32, bool); 7] = [
    ("clk", 1, false),
    ("rst", 1, false),
    ("op_valid", 1, false),
    ("op_conn", 8, false),
    ("op_ev", 16, false),
    ("res_valid", 1, true),
    ("res_ev", 16, true),
];

/// Ports of `first_zero.v` and `first_zero_chain.v`.
pub const FINDER_PORTS: [(&str, u32, bool); 5] = [
    ("clk", 1, false),
    ("rst", 1, false),
    ("op_bits", 64, false),
    ("res_valid", 1, true),
    ("res_first", 6, true),
];

/// A core of the given Verilog and ports (name, width, output).
pub fn generated(verilog: &str, module: &str, ports: &[(&str, u32, bool)]) -> Generated {
    let ports = ports
        .iter()
        .map(|&(name, width, output)| Port {
            name: name.into(),
            direction: if output { Direction::Output } else { Direction::Input },
            width,
            group: "Ports".into(),
            meaning: name.into(),
        })
        .collect();
    let manifest = Manifest {
        module: module.into(),
        source: "none".into(),
        generator: "test".into(),
        config: Config::default(),
        ports,
        latency_cycles: Default::default(),
        initiation_interval_cycles: Default::default(),
        same_connection_interval_cycles: Default::default(),
        pauses: Vec::new(),
        stalls: Vec::new(),
        reset_cycles: 1,
        memories: Vec::new(),
    };
    Generated { verilog: verilog.into(), manifest }
}
