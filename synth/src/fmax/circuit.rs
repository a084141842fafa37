//! A netlist as cells with pins, so that it can be followed from driver to readers and be changed.

use std::collections::{BTreeMap, HashMap};

use crate::netlist::{Bit, Netlist};

/// What a bit of a port of the top is called as a cell.
pub(super) const PORT: &str = "port";

/// A cell, or a bit of a port of the top.
#[derive(Clone, Debug)]
pub(super) struct Part<'a> {
    /// Its type.
    pub(super) kind: &'a str,
    pub(super) name: &'a str,
    parameters: Option<&'a BTreeMap<String, serde_json::Value>>,
    /// Nets by input; none is a constant.
    pub(super) inputs: BTreeMap<&'a str, Vec<Option<u64>>>,
    pub(super) outputs: BTreeMap<&'a str, Vec<Option<u64>>>,
}

/// A pin: a bit of an input or an output of a part.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct Pin<'a> {
    pub(super) part: usize,
    pub(super) port: &'a str,
    pub(super) bit: usize,
}

#[derive(Debug)]
pub(super) struct Circuit<'a> {
    pub(super) parts: Vec<Part<'a>>,
    /// The output that drives a net.
    pub(super) drivers: HashMap<u64, Pin<'a>>,
    /// The inputs that a net goes to.
    pub(super) readers: HashMap<u64, Vec<Pin<'a>>>,
    names: HashMap<u64, String>,
}

impl<'a> Circuit<'a> {
    /// The netlist, with each bit of its ports as a part if `with_ports`.
    pub(super) fn new(netlist: &'a Netlist, with_ports: bool) -> Circuit<'a> {
        let nets = |bits: &[Bit]| -> Vec<Option<u64>> {
            let net = |bit: &Bit| match bit {
                Bit::Net(net) => Some(*net),
                Bit::Constant(_) => None,
            };
            bits.iter().map(net).collect()
        };
        let mut parts = Vec::new();
        for (name, cell) in netlist.parts() {
            let is = |port: &str, direction: &str| {
                cell.port_directions.get(port).is_some_and(|given| given == direction)
            };
            let pins = |direction: &str| {
                let of = cell.connections.iter().filter(|(port, _)| is(port, direction));
                of.map(|(port, bits)| (port.as_str(), nets(bits))).collect()
            };
            let (inputs, outputs) = (pins("input"), pins("output"));
            parts.push(Part { kind: &cell.kind, name, parameters: Some(&cell.parameters), inputs, outputs });
        }
        for (name, port) in netlist.ports().iter().filter(|_| with_ports) {
            for net in nets(&port.bits) {
                let pins: BTreeMap<&str, Vec<Option<u64>>> = [(PORT, vec![net])].into();
                let (inputs, outputs) = match port.direction.as_str() {
                    "input" => (BTreeMap::new(), pins),
                    _ => (pins, BTreeMap::new()),
                };
                parts.push(Part { kind: PORT, name, parameters: None, inputs, outputs });
            }
        }
        let mut circuit =
            Circuit { parts, drivers: HashMap::new(), readers: HashMap::new(), names: netlist.names() };
        for (part, at) in circuit.parts.iter().enumerate() {
            for (net, port, bit) in pins(&at.inputs) {
                circuit.readers.entry(net).or_default().push(Pin { part, port, bit });
            }
            for (net, port, bit) in pins(&at.outputs) {
                circuit.drivers.insert(net, Pin { part, port, bit });
            }
        }
        circuit
    }

    /// Pins that a net goes to.
    pub(super) fn fan_out(&self, net: u64) -> u32 {
        self.readers.get(&net).map_or(0, |pins| pins.len() as u32)
    }

    /// The type of what drives a net; none: nothing does.
    pub(super) fn driver(&self, net: u64) -> Option<&'a str> {
        self.drivers.get(&net).map(|pin| self.parts[pin.part].kind)
    }

    /// Whether a net goes from a LUT to one pin only.
    pub(super) fn is_of_own_lut(&self, net: u64) -> bool {
        self.fan_out(net) == 1 && self.driver(net).is_some_and(|kind| kind.starts_with("LUT"))
    }

    /// The name that a person gave to a net, else to the part that drives it; empty where there is none.
    pub(super) fn name(&self, net: u64) -> String {
        let of_part = || self.drivers.get(&net).map(|pin| written(self.parts[pin.part].name));
        self.names.get(&net).cloned().or_else(of_part).unwrap_or_default()
    }

    /// The name of a part: that of the net of its first output that has one, else its own.
    pub(super) fn name_of(&self, part: usize) -> String {
        let own = written(self.parts[part].name);
        let is_memory = !own.is_empty() && self.parts[part].kind.starts_with("RAM");
        let nets = || pins(&self.parts[part].outputs).filter_map(|(net, ..)| self.names.get(&net));
        if is_memory { own } else { nets().next().cloned().unwrap_or(own) }
    }
}

/// A cell's name, if a person wrote it: Yosys marks its own with `$`.
fn written(name: &str) -> String {
    if name.contains('$') { String::new() } else { name.into() }
}

/// Every net of these pins, with port and bit.
pub(super) fn pins<'p, 'a: 'p>(
    ports: &'p BTreeMap<&'a str, Vec<Option<u64>>>,
) -> impl Iterator<Item = (u64, &'a str, usize)> + 'p {
    ports.iter().flat_map(|(port, nets)| {
        nets.iter().enumerate().filter_map(|(bit, net)| net.map(|net| (net, *port, bit)))
    })
}

impl<'a> Part<'a> {
    /// The net at a bit of an input; none: a constant, or there is no such input.
    pub(super) fn input(&self, port: &str, bit: usize) -> Option<u64> {
        self.inputs.get(port).and_then(|nets| nets.get(bit)).copied().flatten()
    }

    /// All nets at its inputs whose names `which` takes.
    pub(super) fn nets(&self, which: impl Fn(&str) -> bool) -> Vec<u64> {
        pins(&self.inputs).filter(|(_, port, _)| which(port)).map(|(net, ..)| net).collect()
    }

    /// A parameter as a number; 0 where it is missing.
    pub(super) fn number(&self, parameter: &str) -> u64 {
        let given = self.parameters.and_then(|parameters| parameters.get(parameter));
        match given {
            Some(serde_json::Value::String(bits)) => u64::from_str_radix(bits.trim(), 2).unwrap_or(0),
            Some(value) => value.as_u64().unwrap_or(0),
            None => 0,
        }
    }

    /// A parameter as text; empty where it is missing.
    pub(super) fn text(&self, parameter: &str) -> &'a str {
        let given = self.parameters.and_then(|parameters| parameters.get(parameter));
        given.and_then(serde_json::Value::as_str).unwrap_or_default()
    }

    /// Names of parameters that end so and are not zero.
    pub(super) fn set_parameters(&self, end: &str) -> Vec<&'a str> {
        let all = self.parameters.into_iter().flat_map(|parameters| parameters.keys());
        all.filter(|name| name.ends_with(end) && self.number(name) != 0).map(String::as_str).collect()
    }
}
