//! A module as it is printed: names are settled, every statement is in its place.

use std::collections::BTreeSet;

use num_bigint::BigUint;

use super::expr::{Expr, NetId};
use super::stmt::{Comment, Stmt};

/// A module, whose name the design gives it.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct Module {
    pub name: String,
    /// What it is, above it.
    pub about: Vec<String>,
    pub ports: Vec<Port>,
    pub body: Body,
}

/// All after the port list.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) enum Body {
    /// The lines that a block brings itself.
    Custom(Vec<String>),
    Logic(Logic),
}

/// A port of a module.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct Port {
    pub name: String,
    pub is_input: bool,
    pub width: usize,
    /// The block's signal, and which of its scalars; all of them in custom Verilog.
    pub atom: String,
    pub leaf: Option<usize>,
    /// Whether a process drives it.
    pub is_reg: bool,
}

/// What a net is to the module that it belongs to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Role {
    Input,
    Output,
    Local,
    /// Value of a register.
    RegisterQ,
    /// Next value of a register.
    RegisterD,
    /// Clock pin of a register.
    RegisterClock,
    /// What an instance drives.
    FromInstance,
    /// What drives an instance.
    ToInstance,
    /// A name that an expression was given because Verilog slices names only.
    Temporary,
}

impl Role {
    /// Whether a read within `update` sees assignments made before it in the same pass.
    pub fn is_blocking(self) -> bool {
        matches!(self, Role::Local | Role::Output)
    }

    pub fn is_assignable(self) -> bool {
        use Role::*;
        matches!(self, Output | Local | RegisterD | RegisterClock | ToInstance)
    }
}

/// A scalar net.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct Net {
    pub name: String,
    pub width: usize,
    pub role: Role,
    /// Of a register's next value, the register's name.
    pub register: Option<String>,
}

/// The content of a module with logic of its own.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct Logic {
    pub nets: Vec<Net>,
    pub constants: Vec<Constant>,
    /// Registers that are no ports.
    pub registers: Vec<NetId>,
    /// Wires that stand ahead of what drives them.
    pub wires: Vec<NetId>,
    /// In an order in which each name is declared before it is used.
    pub items: Vec<Item>,
    pub instances: Vec<Instance>,
    /// Per clock, the statements whose assignments are to registers.
    pub clocked: Vec<(NetId, Vec<Stmt>)>,
    /// A wire that gathers the bits that nothing reads, so that no tool warns of them.
    pub unread: Option<(String, Vec<Expr>)>,
}

/// A constant with a name.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct Constant {
    pub name: String,
    pub value: BigUint,
    pub width: usize,
}

/// What drives nets of a module without a clock.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) enum Item {
    /// A wire, or an output that is assigned.
    Assign {
        comments: Vec<Comment>,
        net: NetId,
        value: Expr,
    },
    Always {
        nets: BTreeSet<NetId>,
        body: Vec<Stmt>,
    },
}

impl Item {
    /// Nets that it drives.
    pub fn nets(&self) -> Vec<NetId> {
        match self {
            Item::Assign { net, .. } => vec![*net],
            Item::Always { nets, .. } => nets.iter().copied().collect(),
        }
    }

    /// Calls `visit` for each expression in it.
    pub fn visit_exprs<'a>(&'a self, visit: &mut dyn FnMut(&'a Expr)) {
        match self {
            Item::Assign { value, .. } => visit(value),
            Item::Always { body, .. } => Stmt::visit_exprs(body, visit),
        }
    }
}

/// An instance of another module.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct Instance {
    pub module: String,
    pub name: String,
    pub connections: Vec<Connection>,
}

/// What is connected to a port of an instance.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct Connection {
    pub comments: Vec<Comment>,
    pub port: String,
    pub pin: Expr,
}
