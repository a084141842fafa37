//! Simulators beside Verilator: programs of their own, which take a row of inputs on standard input and give a row of outputs.
//!
//! ```text
//!  rows of inputs ──► standard input ──► bench (generated) around the core's Verilog ──► standard output ──► rows of outputs
//! ```
//!
//! The lockstep runs on such a program as it does on a Verilated model, so that its outputs are held against the golden model and the
//! contract themselves, with all that is known of what is promised when, and not against another simulator's. [`icarus`] has four values,
//! and gives an `x` for what it does not know; [`cxxrtl`] is what Yosys makes of the Verilog, which is the front end of synthesis.

mod cxxrtl;
mod error;
mod icarus;
mod kept;
mod process;

use std::fs;
use std::path::{Path, PathBuf};

use respray_files::entry::{EntryError, kept, key};

use crate::verilator::{Design, Direction};

pub use cxxrtl::{Cxxrtl, Translation};
pub use error::SimulatorError;
pub use icarus::{Icarus, Spread};
pub use process::{Process, Program};

/// A port of a core.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pin {
    pub name: String,
    /// Width in bits, at least 1.
    pub width: u32,
}

impl Pin {
    /// Words that it has in a row, each of 64 bits but for the last one.
    pub fn words(&self) -> usize {
        self.width.div_ceil(64) as usize
    }
}

/// The pins of a core but for its clock `clk`, in the order in which they stand in rows, each with its lowest word first.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Pins {
    pub inputs: Vec<Pin>,
    pub outputs: Vec<Pin>,
}

impl Pins {
    /// The ports of a Verilated design, so that rows are as those of its models.
    pub fn of(design: &Design) -> Pins {
        let mut pins = Pins::default();
        for port in design.ports().iter().filter(|port| port.name != "clk") {
            let pin = Pin { name: port.name.clone(), width: port.width };
            match port.direction {
                Direction::Input => pins.inputs.push(pin),
                Direction::Output => pins.outputs.push(pin),
            }
        }
        pins
    }

    /// Words of a row of inputs, and of a row of outputs.
    pub fn words(&self) -> (usize, usize) {
        let of = |pins: &[Pin]| pins.iter().map(Pin::words).sum();
        (of(&self.inputs), of(&self.outputs))
    }
}

/// A simulator.
#[derive(Clone, Debug)]
pub enum Simulator {
    Icarus,
    /// Icarus Verilog on Verilog in which no unknown bit is lost.
    Unknown(Spread),
    Cxxrtl(Cxxrtl),
}

impl Simulator {
    /// The program that simulates `verilog`, whose top module is `top`. It is made once and then found in the cache.
    ///
    /// # Errors
    /// A missing simulator, Verilog that it refuses, a full disk.
    pub fn program(&self, top: &str, verilog: &str, pins: &Pins) -> Result<Program, SimulatorError> {
        match self {
            Simulator::Icarus => Icarus::find(None)?.program(top, verilog, pins),
            Simulator::Unknown(spread) => Icarus::find(Some(*spread))?.program(top, verilog, pins),
            Simulator::Cxxrtl(cxxrtl) => cxxrtl.program(top, verilog, pins),
        }
    }

    /// As `--sim` spells it.
    pub fn word(&self) -> &'static str {
        match self {
            Simulator::Icarus => "icarus",
            Simulator::Unknown(_) => "unknown",
            Simulator::Cxxrtl(_) => "cxxrtl",
        }
    }

    /// The arguments of `respray cosim` that ask for it.
    pub fn arguments(&self) -> [String; 2] {
        ["--sim".to_string(), self.word().to_string()]
    }
}

/// Writes a file of a program that is made.
fn write(path: &Path, text: &str) -> Result<(), SimulatorError> {
    fs::write(path, text).map_err(|source| SimulatorError::Io { path: path.to_path_buf(), source })
}

/// The folder in which `make` made a program of `inputs`, in the cache of compiled models.
fn made(
    name: &str,
    inputs: &[&str],
    make: impl FnOnce(&Path) -> Result<(), SimulatorError>,
) -> Result<PathBuf, SimulatorError> {
    let cache = crate::verilator::cache_dir()?;
    kept(&cache, &format!("{name}-{}", key(inputs)), make)
}

impl From<EntryError> for SimulatorError {
    fn from(error: EntryError) -> Self {
        SimulatorError::Cache(error)
    }
}
