//! Names of a module's nets.

use std::collections::BTreeSet;

use rust_hdl::core::atom::AtomKind;

use super::content::Content;
use crate::emit::error::EmitError;
use crate::emit::expr::NetId;
use crate::emit::module::Role;
use crate::emit::names::{free_name, is_identifier, joined};
use crate::emit::read::{Node, Scope};

/// Takes the names of ports and declared nets; a derived name that is taken gets a number.
pub fn name_nets(
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
