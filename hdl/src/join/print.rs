//! From a checked netlist to text.

use super::check::{Checked, UNUSED_BITS, unused};
use super::modules::Module;
use super::{Instance, Netlist, Pin, Source};
use crate::emit::{Lines, Row, SEVERAL_MODULES, Text, literal, module_around, range};
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

    /// The wires that an instance drives, those of a width side by side.
    fn wires(&self, instance: &Instance) -> Vec<String> {
        let mut groups: Vec<(u32, Vec<String>)> = vec![];
        for port in instance.ports.iter().filter(|port| port.direction == Direction::Output) {
            let name = self.wire(&Pin::of(&instance.name, &port.name));
            match groups.iter_mut().find(|(width, _)| *width == port.width) {
                Some((_, names)) => names.push(name),
                None => groups.push((port.width, vec![name])),
            }
        }
        let mut lines = Lines::default();
        for (width, names) in groups {
            let mut text = Text::of(&format!("wire {}", range(width as usize)));
            text.list(&names, |name, text| text.push(name));
            text.push(";");
            lines.add_text(0, &text);
        }
        let comment = format!("// What {} drives.", instance.name);
        if lines.0.is_empty() { vec![] } else { [vec![comment], lines.0].concat() }
    }

    /// The connections stand side by side, a row for each group of ports or several.
    fn instance(&self, instance: &Instance) -> Vec<String> {
        let mut lines = Lines(instance.about.lines().map(|line| format!("// {line}")).collect());
        lines.add(0, &format!("{} {} (", instance.module, instance.name));
        let mut row = Row::default();
        let mut group = "";
        for (at, port) in instance.ports.iter().enumerate() {
            if port.group != group {
                group = &port.group;
                row.end(1, &mut lines);
                lines.add(1, &format!("// {group}"));
            }
            let comma = if at + 1 < instance.ports.len() { "," } else { "" };
            let pin = Pin::of(&instance.name, &port.name);
            let value = match port.direction {
                Direction::Input => self.expression(self.checked.driver[&pin]),
                Direction::Output => self.wire(&pin),
            };
            row.push(1, &Text::of_code(&format!(".{}({value}){comma}", port.name)), &mut lines);
        }
        row.end(1, &mut lines);
        lines.add(0, ");");
        lines.0
    }

    /// What drives the outputs of the top.
    fn outputs(&self) -> Vec<String> {
        let is_output = |port: &&Port| port.direction == Direction::Output;
        let outputs: Vec<&Port> = self.netlist.ports.iter().filter(is_output).collect();
        let mut lines = Lines::default();
        for port in outputs {
            let value = self.expression(self.checked.driver[&Pin::top(&port.name)]);
            lines.add_text(0, &Text::of_code(&format!("assign {} = {value};", port.name)));
        }
        lines.0
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
        let mut lines = Lines::default();
        lines.add(0, "// Bits that nothing reads.");
        lines.add_text(0, &Text::of_code(&format!("wire {UNUSED_BITS} = &{{1'b0, {}}};", bits.join(", "))));
        lines.0
    }

    /// `source` as Verilog, on one line.
    pub fn expression(&self, source: &Source) -> String {
        match source {
            Source::Whole(pin) => self.wire(pin),
            Source::Within(path) => path.clone(),
            Source::Slice { pin, high, low } => self.slice(pin, *high, *low),
            Source::Constant { value, width } => literal(&(*value).into(), *width as usize),
            Source::Extended { source, width } => {
                let zeros = literal(&0u8.into(), (width - self.width(source)) as usize);
                format!("{{{zeros}, {}}}", self.expression(source))
            }
            Source::Joined(parts) => {
                let parts: Vec<String> = parts.iter().map(|part| self.expression(part)).collect();
                format!("{{{}}}", parts.join(", "))
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
