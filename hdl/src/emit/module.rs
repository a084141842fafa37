//! One module per distinct block: children first, then the block's own content, then its text.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use rust_hdl::core::ast::{Verilog, VerilogStatement};
use rust_hdl::core::atom::AtomKind;

use super::body;
use super::build::concat;
use super::design::{Node, leaves};
use super::error::EmitError;
use super::expr::{Expr, NetId};
use super::hoist::{self, free_name};
use super::names::{is_identifier, joined};
use super::process::{self, Content, Item, Path};
use super::scope::{Role, Scope};
use super::text::{self, Declared, InstanceText, ModuleText};

/// A port of a printed module.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct PortShape {
    pub name: String,
    pub is_input: bool,
    pub width: usize,
    /// The block's signal, and which of its scalars; all of them in custom Verilog.
    pub atom: String,
    pub leaf: Option<usize>,
    /// Whether a process drives it.
    pub is_reg: bool,
}

/// A combinational path from an input to an output, as indices into the ports.
type PortPath = (usize, usize, bool);

/// A module that has been printed.
pub(super) struct Definition {
    pub name: String,
    pub doc: Vec<String>,
    pub ports: Vec<PortShape>,
    /// All after the port list.
    pub body: Vec<String>,
    paths: Vec<PortPath>,
}

/// The modules of a design, in an order in which each is defined before it is used.
pub(super) struct Modules {
    pub top: String,
    pub definitions: Vec<Definition>,
    known: HashMap<String, usize>,
    names: BTreeSet<String>,
}

impl Modules {
    pub fn new(top: &str) -> Modules {
        let names = BTreeSet::from([top.to_string()]);
        Modules { top: top.to_string(), definitions: vec![], known: HashMap::new(), names }
    }

    /// Prints `node` and all below it, and gives the index of its module.
    pub fn add(&mut self, node: &Node, parent: &str) -> Result<usize, EmitError> {
        let mut children = vec![];
        for child in node.children.iter().filter(|child| !child.is_register) {
            let own = if parent.is_empty() { String::new() } else { base_name(&node.name) };
            children.push((child, self.add(child, &own)?));
        }
        let (hint, definition) = match &node.code {
            Verilog::Combinatorial(block) => self.combinatorial(node, block, &children)?,
            Verilog::Custom(code) => custom(node, code)?,
            _ => unreachable!("`design::read` refuses the rest"),
        };
        let is_top = self.top == node.path;
        let key = format!("{:?}{:?}{:?}", definition.doc, definition.ports, definition.body);
        if let (false, Some(known)) = (is_top, self.known.get(&key)) {
            return Ok(*known);
        }
        let own = hint.unwrap_or_else(|| base_name(&node.name));
        let name = if is_top {
            self.top.clone()
        } else {
            let short = format!("{}_{own}", self.top);
            let long = if parent.is_empty() { short.clone() } else { format!("{}_{parent}_{own}", self.top) };
            let wanted = if self.names.contains(&short) { long } else { short };
            free_name(&wanted, &mut self.names)
        };
        self.known.insert(key, self.definitions.len());
        self.definitions.push(Definition { name, ..definition });
        Ok(self.definitions.len() - 1)
    }

    fn combinatorial(
        &self,
        node: &Node,
        block: &[VerilogStatement],
        children: &[(&Node, usize)],
    ) -> Result<(Option<String>, Definition), EmitError> {
        let mut scope = Scope::new(node)?;
        let (hint, doc, block) = match block {
            [VerilogStatement::Comment(text), rest @ ..] => {
                let (hint, doc) = described(&body::comment_text(text));
                (hint, doc, rest)
            }
            block => (None, vec![], block),
        };
        let stmts = body::lower(&scope, block)?;
        let paths = self.paths(&scope, children);
        let mut content = process::arrange(&mut scope, stmts, &paths)?;
        let mut names = name_nets(&mut scope, node, &content, children)?;
        hoist::hoist(&mut content, &mut scope.nets, &mut names);
        let ports = ports(node, &scope, &content);
        let own_paths = own_paths(&scope, &content, &paths, &ports);
        let instances = children
            .iter()
            .map(|(child, index)| self.instance(&mut scope, &content, child, *index, &mut names))
            .collect::<Result<Vec<_>, _>>()?;
        let module = ModuleText { scope: &scope, content: &content, instances };
        let body = module.lines(&mut names)?;
        Ok((hint, Definition { name: String::new(), doc, ports, body, paths: own_paths }))
    }

    /// Combinational paths through the instances, between nets of `scope`.
    fn paths(&self, scope: &Scope, children: &[(&Node, usize)]) -> Vec<Path> {
        let mut paths = vec![];
        for (child, index) in children {
            let definition = &self.definitions[*index];
            for (from, to, assumed) in &definition.paths {
                for from in port_nets(scope, child, &definition.ports[*from]) {
                    for to in port_nets(scope, child, &definition.ports[*to]) {
                        paths.push(Path { from, to, assumed: *assumed });
                    }
                }
            }
        }
        paths
    }

    fn instance(
        &self,
        scope: &mut Scope,
        content: &Content,
        child: &Node,
        index: usize,
        names: &mut BTreeSet<String>,
    ) -> Result<InstanceText, EmitError> {
        let definition = &self.definitions[index];
        let mut unused = vec![];
        let mut connections = vec![];
        for port in &definition.ports {
            let mut parts = vec![];
            for net in port_nets(scope, child, port) {
                if !port.is_input && !content.live.contains(&net) {
                    scope.nets[net].name = free_name(&format!("unused_{}", scope.nets[net].name), names);
                    unused.push(net);
                }
                let pin = content.pins.get(&net).cloned();
                parts.insert(0, pin.unwrap_or_else(|| scope.net(net)));
            }
            connections.push((port.name.clone(), concat(parts)));
        }
        let name = joined(&child.name);
        Ok(InstanceText { module: definition.name.clone(), name, connections, unused })
    }
}

/// Field name of a block without array indices.
fn base_name(name: &str) -> String {
    let is_index = |part: &&str| !part.chars().all(|c| c.is_ascii_digit());
    name.split('$').filter(is_index).collect::<Vec<_>>().join("_")
}

/// `module name: text` names a module and describes it; any other text only describes it.
fn described(text: &str) -> (Option<String>, Vec<String>) {
    let named = text.strip_prefix("module ").and_then(|rest| rest.split_once(':'));
    match named.filter(|(name, _)| is_identifier(name.trim())) {
        Some((name, doc)) => (Some(name.trim().to_string()), vec![doc.trim().to_string()]),
        None => (None, vec![text.to_string()]),
    }
}

/// Nets of the parent at a port of an instance, lowest bits first.
fn port_nets(scope: &Scope, child: &Node, port: &PortShape) -> Vec<NetId> {
    let parts = &scope.symbols[&format!("{}${}", child.name, port.atom)].parts;
    match port.leaf {
        Some(leaf) => vec![parts[leaf].net],
        None => parts.iter().map(|part| part.net).collect(),
    }
}

fn ports(node: &Node, scope: &Scope, content: &Content) -> Vec<PortShape> {
    let registers = scope.registers.iter().flat_map(|r| &r.q);
    let mut driven: BTreeSet<NetId> = registers.copied().collect();
    for item in &content.items {
        if let Item::Always { nets, .. } = item {
            driven.extend(nets);
        }
    }
    let mut ports = vec![];
    for atom in node.atoms.iter().filter(|atom| atom.kind.is_parameter()) {
        for (leaf, part) in scope.symbols[&atom.name].parts.iter().enumerate() {
            ports.push(PortShape {
                name: scope.nets[part.net].name.clone(),
                is_input: atom.kind == AtomKind::InputParameter,
                width: part.width,
                atom: atom.name.clone(),
                leaf: Some(leaf),
                is_reg: driven.contains(content.aliases.get(&part.net).unwrap_or(&part.net)),
            });
        }
    }
    ports
}

/// Takes the names of ports and declared nets; a derived name that is taken gets a number.
fn name_nets(
    scope: &mut Scope,
    node: &Node,
    content: &Content,
    children: &[(&Node, usize)],
) -> Result<BTreeSet<String>, EmitError> {
    let block = scope.block.clone();
    let mut names = BTreeSet::new();
    let mut take = |name: &str| match (is_identifier(name), names.insert(name.to_string())) {
        (false, _) => Err(EmitError::Name { block: block.clone(), name: name.to_string() }),
        (_, false) => Err(EmitError::NameClash { block: block.clone(), name: name.to_string() }),
        _ => Ok(()),
    };
    let roles = [Role::Input, Role::Output, Role::Local, Role::RegisterQ];
    let aliased: BTreeSet<NetId> = content.aliases.values().copied().collect();
    for role in roles {
        for (id, net) in scope.nets.iter().enumerate() {
            let is_port = matches!(role, Role::Input | Role::Output);
            if net.role == role && !aliased.contains(&id) && (is_port || content.live.contains(&id)) {
                take(&net.name)?;
            }
        }
    }
    children.iter().try_for_each(|(child, _)| take(&joined(&child.name)))?;
    let constants = node.atoms.iter().filter(|atom| atom.kind == AtomKind::Constant);
    constants.map(|atom| joined(&atom.name).to_uppercase()).try_for_each(|name| take(&name))?;
    let derived = [Role::RegisterD, Role::FromInstance, Role::ToInstance];
    for id in 0..scope.nets.len() {
        let is_declared = content.live.contains(&id) && !content.pins.contains_key(&id);
        if derived.contains(&scope.nets[id].role) && is_declared && !aliased.contains(&id) {
            scope.nets[id].name = free_name(&scope.nets[id].name, &mut names);
        }
    }
    Ok(names)
}

/// Combinational paths from the module's inputs to its outputs.
fn own_paths(scope: &Scope, content: &Content, through: &[Path], ports: &[PortShape]) -> Vec<PortPath> {
    let mut sources: BTreeMap<NetId, Vec<(NetId, bool)>> = BTreeMap::new();
    let mut from_body = |stmts: &[body::Stmt]| {
        for write in super::flow::writes(stmts) {
            let reads = write.reads.iter().map(|(net, _)| (*net, false));
            sources.entry(write.net).or_default().extend(reads);
        }
    };
    for item in &content.items {
        match item {
            Item::Assign { net, value } => {
                from_body(&[body::Stmt::Assign { net: *net, value: value.clone() }])
            }
            Item::Always { body, .. } => from_body(body),
        }
    }
    for (net, pin) in &content.pins {
        sources.entry(*net).or_default().extend(pin.nets().into_iter().map(|net| (net, false)));
    }
    for path in through {
        sources.entry(path.to).or_default().push((path.from, path.assumed));
    }
    for (output, net) in &content.aliases {
        sources.entry(*output).or_default().push((*net, false));
    }
    let net_of = |port: &PortShape| scope.symbols[&port.atom].parts[port.leaf.unwrap_or(0)].net;
    let mut paths = vec![];
    for (to, port) in ports.iter().enumerate().filter(|(_, port)| !port.is_input) {
        // Exact paths first, so that a net reached both ways counts as reached exactly.
        let mut seen: BTreeMap<NetId, bool> = BTreeMap::new();
        let mut open = vec![(net_of(port), false)];
        while let Some((net, assumed)) = open.pop() {
            if seen.get(&net).is_some_and(|known| *known <= assumed) {
                continue;
            }
            seen.insert(net, assumed);
            open.extend(sources.get(&net).into_iter().flatten().map(|(from, a)| (*from, assumed || *a)));
        }
        for (from, port) in ports.iter().enumerate().filter(|(_, port)| port.is_input) {
            paths.extend(seen.get(&net_of(port)).map(|assumed| (from, to, *assumed)));
        }
    }
    paths
}

/// A block that brings its own Verilog: the text between port list and `endmodule`.
fn custom(node: &Node, code: &str) -> Result<(Option<String>, Definition), EmitError> {
    let refused = |name: &str| EmitError::Name { block: node.path.clone(), name: name.to_string() };
    if let Some(at) = code.find('$')
        && code[..at].ends_with(|c: char| c.is_alphanumeric() || c == '_')
    {
        return Err(refused("a name with `$`"));
    }
    let mut lines: Vec<String> = text::unindented(code);
    let mut hint = None;
    let mut doc = vec![];
    while lines.first().is_some_and(|line| line.starts_with("//")) {
        let line = lines.remove(0);
        let (name, text) = described(line.trim_start_matches('/').trim());
        hint = hint.or(name);
        doc.extend(text);
    }
    let inputs = node.atoms.iter().filter(|atom| atom.kind.is_parameter());
    let mut ports = vec![];
    for atom in inputs {
        let name = joined(&atom.name);
        if !is_identifier(&name) {
            return Err(refused(&name));
        }
        let is_assigned = text::assigns(code, &name);
        let is_input = atom.kind == AtomKind::InputParameter;
        let width = leaves(&atom.ty).iter().map(|leaf| leaf.width).sum();
        let is_reg = !is_input && !is_assigned;
        ports.push(PortShape { name, is_input, width, atom: atom.name.clone(), leaf: None, is_reg });
    }
    let is_combinational = ["assign", "always @*", "always @(*)"].iter().any(|word| code.contains(word));
    let mut paths = vec![];
    if is_combinational {
        for (to, _) in ports.iter().enumerate().filter(|(_, port)| !port.is_input) {
            let inputs = ports.iter().enumerate().filter(|(_, port)| port.is_input);
            paths.extend(inputs.map(|(from, _)| (from, to, true)));
        }
    }
    let mut body = vec![];
    lines
        .iter()
        .for_each(|line| body.push(if line.is_empty() { String::new() } else { format!("    {line}") }));
    Ok((hint, Definition { name: String::new(), doc, ports, body, paths }))
}

/// Whether a net is declared by the module itself, and how.
pub(super) fn declared(scope: &Scope, content: &Content, id: NetId) -> Option<Declared> {
    let net = &scope.nets[id];
    let aliased = content.aliases.values().any(|alias| *alias == id);
    if aliased || !content.live.contains(&id) || content.pins.contains_key(&id) {
        return None;
    }
    match net.role {
        Role::RegisterQ => Some(Declared::Register),
        Role::FromInstance => Some(Declared::Wire),
        _ => None,
    }
}

/// The constants with names that an expression uses.
pub(super) fn params(e: &Expr, found: &mut Vec<(String, num_bigint::BigUint, usize)>) {
    e.visit(&mut |e| {
        if let Expr::Param { name, value, width } = e {
            let param = (name.clone(), value.clone(), *width);
            if !found.contains(&param) {
                found.push(param);
            }
        }
    });
}
