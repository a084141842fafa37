//! What a module consists of, while it is arranged.

use std::collections::{BTreeMap, BTreeSet};

use crate::emit::expr::{Expr, NetId};
use crate::emit::module::Item;
use crate::emit::stmt::{Comment, Stmt};

/// A module's content, before its nets have their final names.
#[derive(Default)]
pub(super) struct Content {
    /// In an order in which each name is declared before it is used.
    pub items: Vec<Item>,
    /// Per clock, the statements whose assignments are to registers.
    pub clocked: Vec<(NetId, Vec<Stmt>)>,
    /// What is wired straight to an instance's input.
    pub pins: BTreeMap<NetId, Expr>,
    /// Comments that stand above such a connection, because they explain nothing else that is printed.
    pub pin_comments: BTreeMap<NetId, Comment>,
    /// Outputs that are just another net.
    pub aliases: BTreeMap<NetId, NetId>,
    /// Nets in use.
    pub live: BTreeSet<NetId>,
}

impl Content {
    /// Whether a net that a register or an instance drives is declared by the module itself: it is in use, and no port.
    pub fn is_declared(&self, net: NetId) -> bool {
        self.live.contains(&net) && !self.aliases.values().any(|alias| *alias == net)
    }
}
