//! Modules joined by wires: a top that is nothing but instances.
//!
//! A [`Netlist`] is said port by port, and checked whole before a line of it is printed: each input is driven once, widths are
//! equal, and no bit of an output goes nowhere unless that is meant.
//!
//! ```text
//!  instances, connections ──► check ──► body of the top ─┐
//!  their Verilog ──► modules, each once ─────────────────┴──► one source
//! ```

mod check;
mod error;
mod memories;
mod modules;
mod print;
mod watch;

use std::fmt;

use rust_hdl::prelude::Block;

pub use error::JoinError;
pub use watch::{Watch, WatchError, Watches};

use crate::emit::{EmitError, EmitOptions, ports, verilog};
use crate::manifest::{Generated, Memory, Port};

/// A port of an instance, or one of the top.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Pin {
    /// `None` for the top.
    instance: Option<String>,
    port: String,
}

impl Pin {
    /// `port` of `instance`.
    pub fn of(instance: &str, port: &str) -> Pin {
        Pin { instance: Some(instance.to_string()), port: port.to_string() }
    }

    /// `port` of the top.
    pub fn top(port: &str) -> Pin {
        Pin { instance: None, port: port.to_string() }
    }

    /// The wire that it drives, if it is a source: the port of the top, or `<instance>_<port>`.
    fn wire(&self) -> String {
        match &self.instance {
            Some(instance) => format!("{instance}_{}", self.port),
            None => self.port.clone(),
        }
    }
}

impl fmt::Display for Pin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.instance {
            Some(instance) => write!(f, "{instance}.{}", self.port),
            None => write!(f, "{}", self.port),
        }
    }
}

/// What drives a sink.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Source {
    /// All of an output of an instance, or of an input of the top.
    Whole(Pin),
    /// Its bits from `low` to `high`, both included.
    Slice { pin: Pin, high: u32, low: u32 },
    /// Widened to `width` bits with zeros above.
    Extended { source: Box<Source>, width: u32 },
    /// One behind the other, the most significant first.
    Joined(Vec<Source>),
    /// A number of `width` bits.
    Constant { value: u128, width: u32 },
    /// A signal of one bit within an instance, by its path from the top. A simulator alone reads it.
    Within(String),
}

impl From<Pin> for Source {
    fn from(pin: Pin) -> Source {
        Source::Whole(pin)
    }
}

/// A module within the top.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Instance {
    /// No signal of its module may have this name: Verilator warns that one hides the other.
    pub name: String,
    pub module: String,
    /// What stands above it, a line or several.
    pub about: String,
    /// All ports of its module; the groups are repeated above the connections.
    pub ports: Vec<Port>,
    /// Its module and those below it, as [`verilog`](crate::emit::verilog) prints them. Empty if they stand in another file.
    pub verilog: String,
}

impl Instance {
    /// An instance of a core.
    pub fn of_core(name: &str, about: &str, core: &Generated) -> Instance {
        Instance {
            name: name.to_string(),
            module: core.manifest.module.clone(),
            about: about.to_string(),
            ports: core.manifest.ports.clone(),
            verilog: core.verilog.clone(),
        }
    }

    /// An instance of a core whose modules stand in a file of their own.
    pub fn elsewhere(name: &str, about: &str, core: &Generated) -> Instance {
        Instance { verilog: String::new(), ..Instance::of_core(name, about, core) }
    }

    /// An instance of a block, which becomes the module `module`. Its ports stand in the order of the fields.
    ///
    /// # Errors
    /// If the block cannot be printed.
    pub fn of_block(name: &str, module: &str, about: &str, block: &dyn Block) -> Result<Instance, EmitError> {
        let port = |(name, direction, width)| Port {
            name,
            direction,
            width,
            group: String::new(),
            meaning: String::new(),
        };
        Ok(Instance {
            name: name.to_string(),
            module: module.to_string(),
            about: about.to_string(),
            ports: ports(block)?.into_iter().map(port).collect(),
            verilog: verilog(block, &EmitOptions { module, ..EmitOptions::default() })?,
        })
    }
}

/// A top that is nothing but instances joined by wires. It is checked when it is printed.
#[derive(Clone, Debug)]
pub struct Netlist {
    module: String,
    /// The comment at the head of the file.
    header: String,
    ports: Vec<Port>,
    instances: Vec<Instance>,
    connections: Vec<(Pin, Source)>,
    open: Vec<Pin>,
}

impl Netlist {
    /// The module `module` with `ports`, which has no instances yet. `header` stands at the head of the file.
    pub fn new(module: &str, header: &str, ports: Vec<Port>) -> Netlist {
        Netlist {
            module: module.to_string(),
            header: header.to_string(),
            ports,
            instances: vec![],
            connections: vec![],
            open: vec![],
        }
    }

    /// Adds a port to the top.
    pub fn add_port(&mut self, port: Port) -> &mut Netlist {
        self.ports.push(port);
        self
    }

    /// Adds an instance; they are printed in the order in which they are added.
    pub fn add(&mut self, instance: Instance) -> &mut Netlist {
        self.instances.push(instance);
        self
    }

    /// `source` drives `sink`, an input of an instance or an output of the top.
    pub fn connect(&mut self, sink: Pin, source: impl Into<Source>) -> &mut Netlist {
        self.connections.push((sink, source.into()));
        self
    }

    /// What drives a sink that is connected.
    pub fn driver(&self, sink: &Pin) -> Option<&Source> {
        self.connections.iter().find(|(connected, _)| connected == sink).map(|(_, source)| source)
    }

    /// The input `port` of the top drives the port of this name of every instance added so far that has one: a clock, a reset.
    pub fn share(&mut self, port: &str) -> &mut Netlist {
        let has_port = |one: &&Instance| one.ports.iter().any(|own| own.name == port);
        let sinks = self.instances.iter().filter(has_port).map(|one| Pin::of(&one.name, port));
        let shared: Vec<_> = sinks.map(|sink| (sink, Pin::top(port).into())).collect();
        self.connections.extend(shared);
        self
    }

    /// The bits of `source` that nothing reads are meant to go nowhere.
    pub fn open(&mut self, source: Pin) -> &mut Netlist {
        self.open.push(source);
        self
    }

    /// The bits of `source` are read after all.
    pub fn close(&mut self, source: &Pin) -> &mut Netlist {
        self.open.retain(|open| open != source);
        self
    }

    /// The memories in the modules of the instances, each module once.
    ///
    /// # Errors
    /// As [`Netlist::verilog`] has them for modules.
    pub fn memories(&self) -> Result<Vec<Memory>, JoinError> {
        let modules = modules::distinct(&self.instances)?;
        Ok(modules.iter().filter_map(|module| memories::memory(&module.name, &module.text)).collect())
    }

    /// The top and all modules below it, each once: one source, the top last.
    ///
    /// # Errors
    /// A [`JoinError`] for the first thing that is wrong.
    pub fn verilog(&self) -> Result<String, JoinError> {
        let checked = check::check(self)?;
        let modules = modules::distinct(&self.instances)?;
        Ok(print::source(self, &checked, &modules))
    }
}
