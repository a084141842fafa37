//! One module per distinct block: children first, then the block's own content.

use std::collections::{BTreeSet, HashMap};

use rust_hdl::core::ast::{Verilog, VerilogStatement};
use rust_hdl::core::atom::AtomKind;

use super::constants::constants;
use super::content::Content;
use super::hoist;
use super::naming::name_nets;
use super::paths::{self, Path, PortPath};
use super::process;
use super::unread::{bits_read, unread};
use crate::emit::error::EmitError;
use crate::emit::expr::{Expr, NetId};
use crate::emit::fold::concat;
use crate::emit::module::{Body, Connection, Instance, Item, Logic, Module, Port, Role};
use crate::emit::names::{free_name, joined};
use crate::emit::read::{self, About, Node, Scope};
use crate::emit::stmt::Stmt;

/// The modules of a design, in an order in which each is defined before it is used: the top is the last.
pub struct Modules {
    top: String,
    pub modules: Vec<Module>,
    /// Paths through each of them.
    paths: Vec<Vec<PortPath>>,
    known: HashMap<Module, usize>,
    names: BTreeSet<String>,
}

/// The modules of the design `node`, whose top is called `top`.
pub fn modules(node: &Node, top: &str) -> Result<Vec<Module>, EmitError> {
    let mut modules = Modules {
        top: top.to_string(),
        modules: vec![],
        paths: vec![],
        known: HashMap::new(),
        names: BTreeSet::from([top.to_string()]),
    };
    modules.add(node, "")?;
    Ok(modules.modules)
}

impl Modules {
    /// Arranges `node` and all below it, and gives the index of its module.
    fn add(&mut self, node: &Node, parent: &str) -> Result<usize, EmitError> {
        let mut children = vec![];
        for child in node.children.iter().filter(|child| !child.is_register) {
            let own = if parent.is_empty() { String::new() } else { base_name(&node.name) };
            children.push((child, self.add(child, &own)?));
        }
        let (about, ports, body, paths) = match &node.code {
            Verilog::Combinatorial(block) => self.logic(node, block, &children)?,
            Verilog::Custom(code) => {
                let custom = read::custom(node, code)?;
                let paths =
                    if custom.is_combinational { paths::assumed_paths(&custom.ports) } else { vec![] };
                (custom.about, custom.ports, Body::Custom(custom.lines), paths)
            }
            _ => unreachable!("`read` refuses the rest"),
        };
        let is_top = self.top == node.path;
        let mut module = Module { name: String::new(), about: about.lines, ports, body };
        if let (false, Some(known)) = (is_top, self.known.get(&module)) {
            return Ok(*known);
        }
        self.known.insert(module.clone(), self.modules.len());
        let own = about.name.unwrap_or_else(|| base_name(&node.name));
        module.name = if is_top {
            self.top.clone()
        } else {
            let short = format!("{}_{own}", self.top);
            let long = if parent.is_empty() { short.clone() } else { format!("{}_{parent}_{own}", self.top) };
            let wanted = if self.names.contains(&short) { long } else { short };
            free_name(&wanted, &mut self.names)
        };
        self.modules.push(module);
        self.paths.push(paths);
        Ok(self.modules.len() - 1)
    }

    fn logic(
        &self,
        node: &Node,
        block: &[VerilogStatement],
        children: &[(&Node, usize)],
    ) -> Result<(About, Vec<Port>, Body, Vec<PortPath>), EmitError> {
        let (mut scope, about, stmts) = read::statements(node, block)?;
        let paths = self.paths(&scope, children);
        let mut content = process::arrange(&mut scope, stmts, &paths)?;
        let mut names = name_nets(&mut scope, node, &content, children)?;
        hoist::hoist(&mut content, &mut scope.nets, &mut names);
        let ports = ports(node, &scope, &content);
        let own_paths = paths::own_paths(&scope, &content, &paths, &ports);
        let mut unused = BTreeSet::new();
        let instances: Vec<Instance> = children
            .iter()
            .map(|(child, index)| self.instance(&mut scope, &content, child, *index, &mut names, &mut unused))
            .collect();
        let logic = logic(scope, content, instances, &unused, &mut names)?;
        Ok((about, ports, Body::Logic(logic), own_paths))
    }

    /// Combinational paths through the instances, between nets of `scope`.
    fn paths(&self, scope: &Scope, children: &[(&Node, usize)]) -> Vec<Path> {
        let mut paths = vec![];
        for (child, index) in children {
            let ports = &self.modules[*index].ports;
            for path in &self.paths[*index] {
                for from in port_nets(scope, child, &ports[path.from]) {
                    for to in port_nets(scope, child, &ports[path.to]) {
                        paths.push(Path { from, to, assumed: path.assumed });
                    }
                }
            }
        }
        paths
    }

    /// The instance for `child`. Its outputs that nothing reads get names of their own and are added to `unused`.
    fn instance(
        &self,
        scope: &mut Scope,
        content: &Content,
        child: &Node,
        index: usize,
        names: &mut BTreeSet<String>,
        unused: &mut BTreeSet<NetId>,
    ) -> Instance {
        let module = &self.modules[index];
        let mut connections = vec![];
        for port in &module.ports {
            let (mut parts, mut comments) = (vec![], vec![]);
            for net in port_nets(scope, child, port) {
                if !port.is_input && !content.live.contains(&net) {
                    scope.nets[net].name = free_name(&format!("unused_{}", scope.nets[net].name), names);
                    unused.insert(net);
                }
                let pin = content.pins.get(&net).cloned();
                parts.insert(0, pin.unwrap_or_else(|| scope.net(net)));
                comments.extend(content.pin_comments.get(&net).cloned());
            }
            connections.push(Connection { comments, port: port.name.clone(), pin: concat(parts) });
        }
        Instance { module: module.name.clone(), name: joined(&child.name), connections }
    }
}

/// Field name of a block without array indices.
fn base_name(name: &str) -> String {
    let is_index = |part: &&str| !part.chars().all(|c| c.is_ascii_digit());
    name.split('$').filter(is_index).collect::<Vec<_>>().join("_")
}

/// Nets of the parent at a port of an instance, lowest bits first.
fn port_nets(scope: &Scope, child: &Node, port: &Port) -> Vec<NetId> {
    let parts = &scope.symbols[&format!("{}${}", child.name, port.atom)].parts;
    match port.leaf {
        Some(leaf) => vec![parts[leaf].net],
        None => parts.iter().map(|part| part.net).collect(),
    }
}

fn ports(node: &Node, scope: &Scope, content: &Content) -> Vec<Port> {
    let mut driven: BTreeSet<NetId> = scope.registers.iter().flat_map(|r| &r.q).copied().collect();
    for item in &content.items {
        if let Item::Always { nets, .. } = item {
            driven.extend(nets);
        }
    }
    let mut ports = vec![];
    for atom in node.atoms.iter().filter(|atom| atom.kind.is_parameter()) {
        for (leaf, part) in scope.symbols[&atom.name].parts.iter().enumerate() {
            ports.push(Port {
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

/// All that is printed of a module with logic of its own.
fn logic(
    scope: Scope,
    content: Content,
    instances: Vec<Instance>,
    unused: &BTreeSet<NetId>,
    names: &mut BTreeSet<String>,
) -> Result<Logic, EmitError> {
    let mut exprs: Vec<&Expr> = vec![];
    content.items.iter().for_each(|item| item.visit_exprs(&mut |e| exprs.push(e)));
    content.clocked.iter().for_each(|(_, body)| Stmt::visit_exprs(body, &mut |e| exprs.push(e)));
    let pins = instances.iter().flat_map(|instance| &instance.connections).map(|connection| &connection.pin);
    let with_pins: Vec<&Expr> = exprs.iter().copied().chain(pins).collect();
    let constants = constants(&scope.block, &with_pins, names)?;

    exprs.extend(content.pins.values());
    let mut read = bits_read(&exprs);
    for (clock, _) in &content.clocked {
        read.insert(*clock, vec![true]);
    }
    let driven: BTreeSet<NetId> = content.items.iter().flat_map(Item::nets).collect();
    let (mut registers, mut wires, mut bits) = (vec![], vec![], vec![]);
    for (id, net) in scope.nets.iter().enumerate() {
        let is_declared = content.is_declared(id);
        match net.role {
            Role::RegisterQ if is_declared => registers.push(id),
            Role::FromInstance if is_declared || unused.contains(&id) => wires.push(id),
            _ => {}
        }
        let is_watched = match net.role {
            Role::Input => true,
            Role::Local | Role::Temporary => driven.contains(&id),
            Role::RegisterQ | Role::FromInstance => is_declared,
            _ => false,
        };
        if is_watched {
            bits.extend(unread(id, net, read.get(&id)));
        }
    }
    let unread = (!bits.is_empty()).then(|| (free_name("unused", names), bits));
    let Content { items, clocked, .. } = content;
    let clocked = clocked.into_iter().filter(|(_, body)| !body.is_empty()).collect();
    Ok(Logic { nets: scope.nets, constants, registers, wires, items, instances, clocked, unread })
}
