//! The text of a module.

use std::collections::{BTreeMap, BTreeSet};

use super::body::Stmt;
use super::error::EmitError;
use super::expr::{Expr, NetId};
use super::hoist::{bits_read, free_name};
use super::module::{PortShape, declared, params};
use super::print::{Printer, line, literal, range};
use super::process::{Content, Item};
use super::scope::{Role, Scope};

/// How a net is declared ahead of its use.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Declared {
    Register,
    Wire,
}

/// An instance as it is printed.
pub(super) struct InstanceText {
    pub module: String,
    pub name: String,
    pub connections: Vec<(String, Expr)>,
    /// Outputs that nothing reads.
    pub unused: Vec<NetId>,
}

/// A module's content with the names of its nets settled.
pub(super) struct ModuleText<'a> {
    pub scope: &'a Scope,
    pub content: &'a Content,
    pub instances: Vec<InstanceText>,
}

impl ModuleText<'_> {
    /// All after the port list, up to `endmodule`.
    pub fn lines(&self, names: &mut BTreeSet<String>) -> Result<Vec<String>, EmitError> {
        let printer = Printer { nets: &self.scope.nets };
        let mut sections = vec![self.constants(names)?, self.declarations()];
        let mut plain = vec![];
        for item in &self.content.items {
            match item {
                Item::Assign { net, value } => {
                    let own = &self.scope.nets[*net];
                    let text = match own.role {
                        Role::Output => format!("assign {} = {};", own.name, printer.expr(value)),
                        _ => format!("wire {}{} = {};", range(own.width), own.name, printer.expr(value)),
                    };
                    line(&mut plain, 1, &text);
                }
                Item::Always { nets, body } => {
                    sections.push(std::mem::take(&mut plain));
                    let mut section = vec![];
                    for own in nets.iter().map(|net| &self.scope.nets[*net]) {
                        if own.role != Role::Output {
                            line(&mut section, 1, &format!("reg {}{};", range(own.width), own.name));
                        }
                    }
                    line(&mut section, 1, "always @* begin");
                    printer.body(body, "=", 2, &mut section);
                    line(&mut section, 1, "end");
                    sections.push(section);
                }
            }
        }
        sections.push(plain);
        sections.extend(self.instances.iter().map(|instance| instance_lines(instance, &printer)));
        for (clock, body) in self.content.clocked.iter().filter(|(_, body)| !body.is_empty()) {
            let mut section = vec![];
            line(&mut section, 1, &format!("always @(posedge {}) begin", self.scope.nets[*clock].name));
            printer.body(body, "<=", 2, &mut section);
            line(&mut section, 1, "end");
            sections.push(section);
        }
        sections.push(self.unused(names));
        let sections = sections.into_iter().filter(|section| !section.is_empty()).collect::<Vec<_>>();
        Ok(sections.join(&String::new()))
    }

    fn constants(&self, names: &mut BTreeSet<String>) -> Result<Vec<String>, EmitError> {
        let mut found = vec![];
        for item in &self.content.items {
            match item {
                Item::Assign { value, .. } => params(value, &mut found),
                Item::Always { body, .. } => params_of(body, &mut found),
            }
        }
        self.content.clocked.iter().for_each(|(_, body)| params_of(body, &mut found));
        let pins = self.instances.iter().flat_map(|instance| &instance.connections);
        pins.for_each(|(_, pin)| params(pin, &mut found));
        // Constants of the block first, then each enum's variants by value.
        found.sort_by_key(|(name, value, _)| match self.scope.enum_of(name) {
            Some(of) => (of, value.clone()),
            None => (String::new(), 0u8.into()),
        });
        let mut seen = BTreeSet::new();
        let mut lines = vec![];
        for (name, value, width) in found {
            // Constants of the block are among the names already; enum variants are not.
            let is_own = self
                .scope
                .symbols
                .values()
                .any(|symbol| symbol.constant.as_ref().is_some_and(|(own, _)| *own == name));
            if !seen.insert(name.clone()) || !is_own && !names.insert(name.clone()) {
                return Err(EmitError::NameClash { block: self.scope.block.clone(), name });
            }
            line(&mut lines, 1, &format!("localparam {}{name} = {};", range(width), literal(&value, width)));
        }
        Ok(lines)
    }

    fn declarations(&self) -> Vec<String> {
        let mut lines = vec![];
        for kind in [Declared::Register, Declared::Wire] {
            let word = if kind == Declared::Register { "reg" } else { "wire" };
            for (id, net) in self.scope.nets.iter().enumerate() {
                let is_unused = self.instances.iter().any(|instance| instance.unused.contains(&id));
                let declared = declared(self.scope, self.content, id);
                if declared == Some(kind) || is_unused && kind == Declared::Wire {
                    line(&mut lines, 1, &format!("{word} {}{};", range(net.width), net.name));
                }
            }
        }
        lines
    }

    /// Bits that nothing reads, gathered so that no tool warns of them.
    fn unused(&self, names: &mut BTreeSet<String>) -> Vec<String> {
        let mut read = bits_read(self.content);
        for (clock, _) in &self.content.clocked {
            read.insert(*clock, vec![true]);
        }
        let mut driven: BTreeSet<NetId> = BTreeSet::new();
        for item in &self.content.items {
            match item {
                Item::Assign { net, .. } => _ = driven.insert(*net),
                Item::Always { nets, .. } => driven.extend(nets),
            }
        }
        let mut bits = vec![];
        for (id, net) in self.scope.nets.iter().enumerate() {
            let is_watched = match net.role {
                Role::Input => true,
                Role::Local | Role::Temporary => driven.contains(&id),
                _ => declared(self.scope, self.content, id).is_some(),
            };
            if is_watched {
                bits.extend(unread(&net.name, net.width, read.get(&id)));
            }
        }
        let mut lines = vec![];
        if !bits.is_empty() {
            let name = free_name("unused", names);
            line(&mut lines, 1, &format!("wire {name} = &{{1'b0, {}}};", bits.join(", ")));
        }
        lines
    }
}

/// The runs of bits that are not read.
fn unread(name: &str, width: usize, read: Option<&Vec<bool>>) -> Vec<String> {
    let Some(read) = read else { return vec![name.to_string()] };
    let mut runs: Vec<(usize, usize)> = vec![];
    for bit in (0..width).filter(|bit| !read[*bit]) {
        match runs.last_mut() {
            Some((_, high)) if *high + 1 == bit => *high = bit,
            _ => runs.push((bit, bit)),
        }
    }
    let text = |(low, high)| match low == high {
        true => format!("{name}[{low}]"),
        false => format!("{name}[{high}:{low}]"),
    };
    runs.into_iter().map(text).collect()
}

fn params_of(body: &[Stmt], found: &mut Vec<(String, num_bigint::BigUint, usize)>) {
    for stmt in body {
        match stmt {
            Stmt::Comment(_) => {}
            Stmt::Assign { value, .. } => params(value, found),
            Stmt::If { test, then, other } => {
                params(test, found);
                params_of(then, found);
                params_of(other, found);
            }
            Stmt::Case { subject, arms, default } => {
                params(subject, found);
                for (label, body) in arms {
                    params(label, found);
                    params_of(body, found);
                }
                params_of(default.as_deref().unwrap_or_default(), found);
            }
        }
    }
}

fn instance_lines(instance: &InstanceText, printer: &Printer) -> Vec<String> {
    let mut lines = vec![];
    line(&mut lines, 1, &format!("{} {} (", instance.module, instance.name));
    for (at, (port, pin)) in instance.connections.iter().enumerate() {
        let comma = if at + 1 < instance.connections.len() { "," } else { "" };
        line(&mut lines, 2, &format!(".{port}({}){comma}", printer.expr(pin)));
    }
    line(&mut lines, 1, ");");
    lines
}

/// A port list, with headings and meanings where `described` has them.
pub(super) fn port_list(ports: &[PortShape], described: &BTreeMap<String, (String, String)>) -> Vec<String> {
    let range_width = ports.iter().map(|port| range(port.width).len()).max().unwrap_or(0);
    let kinds = ports.iter().map(|port| if port.is_reg { "reg " } else { "wire" });
    let name_width = ports.iter().map(|port| port.name.len()).max().unwrap_or(0) + 1;
    let mut lines = vec![];
    let mut group = "";
    for ((at, port), kind) in ports.iter().enumerate().zip(kinds) {
        let direction = if port.is_input { "input " } else { "output" };
        let comma = if at + 1 < ports.len() { "," } else { "" };
        let mut text = format!("{direction} {kind} {:range_width$}{}{comma}", range(port.width), port.name);
        if let Some((heading, meaning)) = described.get(&port.name) {
            if heading != group {
                if at > 0 {
                    lines.push(String::new());
                }
                lines.push(format!("    // {heading}"));
                group = heading;
            }
            if !meaning.is_empty() {
                let width = 12 + range_width + name_width;
                text = format!("{text:width$} // {meaning}");
            }
        }
        lines.push(format!("    {text}"));
    }
    lines
}

/// Lines of a text without the indentation that they share and without blank lines at its ends.
pub(super) fn unindented(text: &str) -> Vec<String> {
    let lines: Vec<&str> = text.lines().map(str::trim_end).collect();
    let depth = |line: &&str| line.len() - line.trim_start().len();
    let shared = lines.iter().filter(|line| !line.is_empty()).map(depth).min().unwrap_or(0);
    let mut lines: Vec<String> =
        lines.iter().map(|line| line.get(shared..).unwrap_or("").to_string()).collect();
    while lines.last().is_some_and(String::is_empty) {
        lines.pop();
    }
    let blank = lines.iter().take_while(|line| line.is_empty()).count();
    lines.split_off(blank)
}

/// Whether custom Verilog drives `name` by a continuous assignment.
pub(super) fn assigns(code: &str, name: &str) -> bool {
    code.split("assign").skip(1).any(|rest| {
        let target = rest.trim_start().strip_prefix(name);
        target.is_some_and(|rest| !rest.starts_with(|c: char| c.is_alphanumeric() || c == '_'))
    })
}
