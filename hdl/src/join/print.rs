//! From a checked netlist to text.

use super::check::{Checked, UNUSED_BITS, unused};
use super::modules::Module;
use super::{Instance, Netlist, Pin, Source};
use crate::emit::{SEVERAL_MODULES, literal, module_around, range};
use crate::manifest::{Direction, Port};

/// The source: `modules`, and the top behind them.
pub fn source(netlist: &Netlist, checked: &Checked, modules: &[Module]) -> String {
    let comment = |text: &str| if text.is_empty() { "//".to_string() } else { format!("// {text}") };
    let header: Vec<String> = netlist.header.lines().map(comment).collect();
    let top = module_around(&netlist.module, "", &netlist.ports, Printer { netlist, checked }.body());
    let head = [header.join("\n"), SEVERAL_MODULES.to_string()];
    let below = modules.iter().map(|module| &module.text);
    let parts: Vec<&str> = head.iter().chain(below).chain([&top]).map(String::as_str).collect();
    let parts: Vec<&str> = parts.into_iter().filter(|part| !part.is_empty()).collect();
    parts.join("\n\n")
}

pub(super) struct Printer<'a> {
    pub netlist: &'a Netlist,
    pub checked: &'a Checked<'a>,
}

impl Printer<'_> {
    /// The lines between port list and `endmodule`.
    fn body(&self) -> Vec<String> {
        let instances = &self.netlist.instances;
        let mut sections: Vec<Vec<String>> = instances.iter().map(|one| self.wires(one)).collect();
        sections.extend(instances.iter().map(|one| self.instance(one)));
        sections.push(self.outputs());
        sections.push(self.unused_bits());
        sections.retain(|section| !section.is_empty());
        sections.join(&String::new())
    }

    /// Whether nothing reads any bit of a source.
    fn is_unused(&self, pin: &Pin) -> bool {
        let whole = [(0, self.checked.width[pin] - 1)];
        self.checked.unread.get(pin).is_some_and(|runs| *runs == whole)
    }

    /// The wire of an output of an instance.
    fn wire(&self, pin: &Pin) -> String {
        if self.is_unused(pin) { unused(pin) } else { pin.wire() }
    }

    /// The wires that an instance drives.
    fn wires(&self, instance: &Instance) -> Vec<String> {
        let is_output = |port: &&Port| port.direction == Direction::Output;
        let outputs: Vec<&Port> = instance.ports.iter().filter(is_output).collect();
        let widest = outputs.iter().map(|port| range(port.width as usize).len()).max().unwrap_or(0);
        let wire = |port: &&Port| {
            let name = self.wire(&Pin::of(&instance.name, &port.name));
            format!("wire {:widest$}{name};", range(port.width as usize))
        };
        let comment = format!("// What {} drives.", instance.name);
        let wires: Vec<String> = outputs.iter().map(wire).collect();
        if wires.is_empty() { wires } else { [vec![comment], wires].concat() }
    }

    fn instance(&self, instance: &Instance) -> Vec<String> {
        let mut lines: Vec<String> = instance.about.lines().map(|line| format!("// {line}")).collect();
        lines.push(format!("{} {} (", instance.module, instance.name));
        let widest = instance.ports.iter().map(|port| port.name.len()).max().unwrap_or(0);
        let mut group = "";
        for (at, port) in instance.ports.iter().enumerate() {
            if port.group != group {
                group = &port.group;
                lines.push(format!("    // {group}"));
            }
            let comma = if at + 1 < instance.ports.len() { "," } else { "" };
            let pin = Pin::of(&instance.name, &port.name);
            let value = match port.direction {
                Direction::Input => self.expression(self.checked.driver[&pin], "        "),
                Direction::Output => self.wire(&pin),
            };
            lines.extend(format!("    .{:widest$} ({value}){comma}", port.name).lines().map(str::to_string));
        }
        lines.push(");".to_string());
        lines
    }

    /// What drives the outputs of the top.
    fn outputs(&self) -> Vec<String> {
        let is_output = |port: &&Port| port.direction == Direction::Output;
        let outputs: Vec<&Port> = self.netlist.ports.iter().filter(is_output).collect();
        let widest = outputs.iter().map(|port| port.name.len()).max().unwrap_or(0);
        let assign = |port: &&Port| {
            let value = self.expression(self.checked.driver[&Pin::top(&port.name)], "    ");
            format!("assign {:widest$} = {value};", port.name)
        };
        outputs
            .iter()
            .map(assign)
            .flat_map(|text| text.lines().map(str::to_string).collect::<Vec<_>>())
            .collect()
    }

    /// A wire that gathers what is left open of sources that are ports of the top or read in part.
    fn unused_bits(&self) -> Vec<String> {
        let mut bits = vec![];
        for (pin, runs) in &self.checked.unread {
            if pin.instance.is_none() || !self.is_unused(pin) {
                bits.extend(runs.iter().map(|&(low, high)| self.slice(pin, high, low)));
            }
        }
        if bits.is_empty() {
            return vec![];
        }
        let mut lines = vec!["// Bits that nothing reads.".to_string()];
        lines.push(format!("wire {UNUSED_BITS} = &{{"));
        lines.push("    1'b0,".to_string());
        let last = bits.len() - 1;
        let comma = |at| if at < last { "," } else { "" };
        lines.extend(bits.iter().enumerate().map(|(at, text)| format!("    {text}{}", comma(at))));
        lines.push("};".to_string());
        lines
    }

    /// `source` as Verilog. A concatenation has a line for each part, at `indent`, and ends one level further out.
    pub fn expression(&self, source: &Source, indent: &str) -> String {
        match source {
            Source::Whole(pin) => self.wire(pin),
            Source::Within(path) => path.clone(),
            Source::Slice { pin, high, low } => self.slice(pin, *high, *low),
            Source::Constant { value, width } => literal(&(*value).into(), *width as usize),
            Source::Extended { source, width } => {
                let zeros = literal(&0u8.into(), (width - self.width(source)) as usize);
                format!("{{{zeros}, {}}}", self.expression(source, &format!("{indent}    ")))
            }
            Source::Joined(parts) => {
                let deeper = format!("{indent}    ");
                let parts: Vec<String> =
                    parts.iter().map(|part| format!("{indent}{}", self.expression(part, &deeper))).collect();
                format!("{{\n{}\n{}}}", parts.join(",\n"), &indent[4..])
            }
        }
    }

    fn slice(&self, pin: &Pin, high: u32, low: u32) -> String {
        let name = pin.wire();
        match self.checked.width[pin] {
            width if width == high + 1 && low == 0 => name,
            _ if high == low => format!("{name}[{high}]"),
            _ => format!("{name}[{high}:{low}]"),
        }
    }

    fn width(&self, source: &Source) -> u32 {
        match source {
            Source::Whole(pin) => self.checked.width[pin],
            Source::Slice { high, low, .. } => high + 1 - low,
            Source::Extended { width, .. } | Source::Constant { width, .. } => *width,
            Source::Joined(parts) => parts.iter().map(|part| self.width(part)).sum(),
            Source::Within(_) => 1,
        }
    }
}
