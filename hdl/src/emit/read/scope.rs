//! What the names within one block's `update` stand for.

use std::collections::{BTreeMap, BTreeSet};

use num_bigint::BigUint;
use rust_hdl::core::atom::AtomKind;
use rust_hdl::core::type_descriptor::{TypeDescriptor, TypeKind};

use super::design::{self, Node, leaves, together, width_of};
use crate::emit::error::EmitError;
use crate::emit::expr::{Expr, NetId};
use crate::emit::fold::concat;
use crate::emit::module::{Net, Role};
use crate::emit::names::joined;
use crate::emit::stmt::Stmt;

/// A part of a signal that is a net of its own.
#[derive(Clone, Copy, Debug)]
pub struct Part {
    pub net: NetId,
    pub offset: usize,
    pub width: usize,
}

/// A signal or constant by its name in the AST.
#[derive(Clone, Debug)]
pub struct Symbol {
    pub ty: TypeDescriptor,
    pub width: usize,
    /// Its nets, lowest bits first; none for a constant.
    pub parts: Vec<Part>,
    /// Name and value of a constant. An element of an array has no name: a number says more than `LANE_5`.
    pub constant: Option<(String, BigUint)>,
}

impl Symbol {
    pub fn expr(&self) -> Expr {
        match &self.constant {
            Some((name, value)) if name.is_empty() => Expr::constant(value.clone(), self.width),
            Some((name, value)) => {
                Expr::Param { name: name.clone(), of: None, value: value.clone(), width: self.width }
            }
            None => concat(
                self.parts.iter().rev().map(|part| Expr::Net { id: part.net, width: part.width }).collect(),
            ),
        }
    }
}

/// A register: the nets of its scalars, lowest bits first.
pub struct Register {
    pub name: String,
    pub q: Vec<NetId>,
    pub d: Vec<NetId>,
    pub clock: NetId,
}

/// Nets and names of one block.
#[derive(Default)]
pub struct Scope {
    /// Path of the block, for messages.
    pub block: String,
    pub nets: Vec<Net>,
    pub symbols: BTreeMap<String, Symbol>,
    /// Variants per enum: `State::Idle`, in the order of their values.
    pub enums: BTreeMap<String, Vec<String>>,
    pub registers: Vec<Register>,
}

impl Scope {
    pub fn new(node: &Node) -> Result<Scope, EmitError> {
        Scope::with_wires(node, &[])
    }

    /// That of a block in whose `update` these wires are declared.
    pub fn with_wires(node: &Node, wires: &[(String, TypeDescriptor)]) -> Result<Scope, EmitError> {
        let mut scope = Scope { block: node.path.clone(), ..Scope::default() };
        for atom in &node.atoms {
            let role = match atom.kind {
                AtomKind::InputParameter => Role::Input,
                AtomKind::OutputParameter => Role::Output,
                AtomKind::Constant => {
                    scope.add_constant(atom);
                    continue;
                }
                _ => Role::Local,
            };
            scope.add(&atom.name, &atom.printed, &atom.ty, role);
        }
        for (name, ty) in wires {
            scope.add_wire(name, ty);
        }
        for child in &node.children {
            scope.add_child(child)?;
        }
        Ok(scope)
    }

    fn add_child(&mut self, child: &Node) -> Result<(), EmitError> {
        let base = joined(&child.name);
        for atom in child.atoms.iter().filter(|atom| atom.kind.is_parameter()) {
            let (role, name) = match (child.is_register, atom.name.as_str(), atom.kind) {
                (true, "d", _) => (Role::RegisterD, base.clone()),
                (true, "q", _) => (Role::RegisterQ, base.clone()),
                (true, ..) => (Role::RegisterClock, format!("{base}_clock")),
                (.., kind) => {
                    let is_input = kind == AtomKind::InputParameter;
                    let role = if is_input { Role::ToInstance } else { Role::FromInstance };
                    (role, together([base.as_str(), &atom.printed]))
                }
            };
            self.add(&format!("{}${}", child.name, atom.name), &name, &atom.ty, role);
        }
        if child.is_register {
            let nets = |port: &str| -> Vec<NetId> {
                let symbol = self.symbols.get(&format!("{}${port}", child.name));
                symbol.map(|s| s.parts.iter().map(|part| part.net).collect()).unwrap_or_default()
            };
            let (q, d, clock) = (nets("q"), nets("d"), nets("clock"));
            let [clock] = clock[..] else {
                let what = "a register without a `clock`".to_string();
                return Err(EmitError::Unsupported { block: child.path.clone(), what });
            };
            self.registers.push(Register { name: base, q, d, clock });
        }
        Ok(())
    }

    fn add(&mut self, key: &str, name: &str, ty: &TypeDescriptor, role: Role) {
        self.add_enums(ty);
        let mut parts = vec![];
        for leaf in leaves(ty) {
            let stem = together([name, leaf.name.as_str()]);
            parts.push(Part { net: self.nets.len(), offset: leaf.offset, width: leaf.width });
            self.nets.push(match role {
                Role::RegisterD => {
                    Net { name: format!("{stem}_next"), width: leaf.width, role, register: Some(stem) }
                }
                _ => Net { name: stem, width: leaf.width, role, register: None },
            });
        }
        let symbol = Symbol { ty: ty.clone(), width: width_of(ty), parts, constant: None };
        self.symbols.insert(key.to_string(), symbol);
    }

    /// A wire that a `let` declares.
    pub fn add_wire(&mut self, name: &str, ty: &TypeDescriptor) {
        self.add(name, name, ty, Role::Local);
    }

    /// Clock and hold of the registers, clock and reset of the parts, where no statement gives them.
    pub fn clocks(&self, stmts: &[Stmt]) -> Vec<Stmt> {
        let mut given = BTreeSet::new();
        let mut open: Vec<&Stmt> = stmts.iter().collect();
        while let Some(stmt) = open.pop() {
            match stmt {
                Stmt::Assign { net, .. } => _ = given.insert(*net),
                stmt => open.extend(stmt.bodies().into_iter().flatten()),
            }
        }
        let own = |name: &str| self.symbols.get(name).map(Symbol::expr);
        let mut out = vec![];
        for register in &self.registers {
            out.extend(own("clk").map(|value| Stmt::Assign { net: register.clock, value }));
            let holds = register.d.iter().zip(&register.q);
            out.extend(holds.map(|(d, q)| Stmt::Assign { net: *d, value: self.net(*q) }));
        }
        for (key, symbol) in &self.symbols {
            let Some((_, port @ ("clk" | "rst"))) = key.rsplit_once('$') else { continue };
            let net = symbol.parts[0].net;
            if self.nets[net].role == Role::ToInstance && !given.contains(&net) {
                out.extend(own(port).map(|value| Stmt::Assign { net, value }));
            }
        }
        out
    }

    fn add_constant(&mut self, atom: &design::AtomInfo) {
        self.add_enums(&atom.ty);
        let is_index = |part: &str| part.chars().all(|c| c.is_ascii_digit());
        let is_element = atom.name.split('$').any(is_index);
        let name = if is_element { String::new() } else { joined(&atom.name).to_uppercase() };
        let constant = Some((name, atom.value.clone()));
        let symbol = Symbol { ty: atom.ty.clone(), width: atom.width, parts: vec![], constant };
        self.symbols.insert(atom.name.clone(), symbol);
    }

    fn add_enums(&mut self, ty: &TypeDescriptor) {
        match &ty.kind {
            TypeKind::Enum(variants) => {
                self.enums.insert(ty.name.clone(), variants.clone());
            }
            TypeKind::Composite(fields) => fields.iter().for_each(|field| self.add_enums(&field.kind)),
            _ => {}
        }
    }

    /// The variant that `path` (`State$Idle`, perhaps with modules before) names, and its enum's type name.
    pub fn variant(&self, path: &str) -> Option<(Expr, String)> {
        let (rest, variant) = path.rsplit_once('$')?;
        let type_name = rest.rsplit('$').next()?;
        let variants = self.enums.get(type_name)?;
        let full = format!("{type_name}::{variant}");
        let value = variants.iter().position(|v| *v == full)?;
        let width = rust_hdl::core::bits::clog2(variants.len());
        let name = variant_name(type_name, variant);
        let of = Some(type_name.to_string());
        Some((Expr::Param { name, of, value: value.into(), width }, type_name.to_string()))
    }

    /// The name of a net as the author of the block knows it.
    pub fn name_in_block(&self, net: NetId) -> String {
        let named = |(key, symbol): (&String, &Symbol)| {
            symbol.parts.iter().any(|part| part.net == net).then(|| key.replace('$', "."))
        };
        self.symbols.iter().find_map(named).unwrap_or_else(|| self.nets[net].name.clone())
    }

    pub fn net(&self, id: NetId) -> Expr {
        Expr::Net { id, width: self.nets[id].width }
    }
}

fn variant_name(type_name: &str, variant: &str) -> String {
    format!("{}_{}", snake(type_name), snake(variant)).to_uppercase()
}

/// `WaitForAck` as `wait_for_ack`.
fn snake(name: &str) -> String {
    let mut out = String::new();
    for c in name.chars() {
        if c.is_ascii_uppercase() && !out.is_empty() && !out.ends_with('_') {
            out.push('_');
        }
        out.push(c.to_ascii_lowercase());
    }
    out
}
