//! A netlist as it is written down here: ports of the top in groups, and wires by their names.

use rust_hdl::prelude::Block;

use crate::cores::GenerateError;
use crate::join::{Instance, Netlist, Pin, Source};
use crate::manifest::{Direction, Generated, Port};

/// Direction, bits, name.
pub type Row = (Direction, u32, &'static str);

/// A group of ports of the top.
pub struct Group<'a> {
    pub title: &'a str,
    pub rows: &'a [Row],
}

/// Bits of a beat.
pub const DATA_BITS: u32 = 512;

/// A top and its wires.
pub struct Wiring {
    netlist: Netlist,
}

impl Wiring {
    /// The module `module` with these ports.
    pub fn new(module: &str, header: &str, groups: &[Group]) -> Wiring {
        let port = |group: &Group, (direction, width, name): &Row| Port {
            name: name.to_string(),
            direction: *direction,
            width: *width,
            group: group.title.to_string(),
            meaning: String::new(),
        };
        let ports = groups.iter().flat_map(|group| group.rows.iter().map(move |row| port(group, row)));
        Wiring { netlist: Netlist::new(module, header, ports.collect()) }
    }

    /// The module `module` with ports that another one has.
    pub fn with_ports(module: &str, header: &str, ports: &[Port]) -> Wiring {
        Wiring { netlist: Netlist::new(module, header, ports.to_vec()) }
    }

    /// Adds the block, whose modules stand in a file of their own.
    pub fn nic(&mut self, about: &str, nic: &Generated) {
        self.netlist.add(Instance::elsewhere("nic", about, nic));
    }

    /// Adds a block of the shell, in a module of the name `module`.
    pub fn part(
        &mut self,
        name: &str,
        module: &str,
        about: &str,
        block: &dyn Block,
    ) -> Result<(), GenerateError> {
        self.netlist.add(Instance::of_block(name, module, about, block)?);
        Ok(())
    }

    /// Each first one is driven by the second one: ports of the top by their names, those of an instance as `instance.port`.
    pub fn wires(&mut self, pairs: &[(&str, &str)]) {
        for (sink, source) in pairs {
            self.netlist.connect(pin(sink), pin(source));
        }
    }

    /// Ports of the same names behind two prefixes: of a sink and its source.
    pub fn same(&mut self, sink: &str, source: &str, fields: &[&str]) {
        for field in fields {
            self.netlist.connect(pin(&format!("{sink}{field}")), pin(&format!("{source}{field}")));
        }
    }

    /// `sink` is driven by something else than a whole port.
    pub fn drive(&mut self, sink: &str, source: Source) {
        self.netlist.connect(pin(sink), source);
    }

    /// `sink` is 0, or another number.
    pub fn constant(&mut self, sink: &str, value: u128, width: u32) {
        self.netlist.connect(pin(sink), Source::Constant { value, width });
    }

    /// Outputs that nothing reads.
    pub fn open(&mut self, pins: &[&str]) {
        for name in pins {
            self.netlist.open(pin(name));
        }
    }

    /// The whole as Verilog.
    pub fn verilog(&self) -> Result<String, GenerateError> {
        Ok(self.netlist.verilog()?)
    }
}

/// A port by its name.
pub fn pin(name: &str) -> Pin {
    match name.split_once('.') {
        Some((instance, port)) => Pin::of(instance, port),
        None => Pin::top(name),
    }
}
