//! Statements sorted into what a module consists of: assignments, combinational processes, clocked processes.

use std::collections::BTreeSet;

use super::comments::{self, Stranded};
use super::content::Content;
use super::copies;
use super::defaults;
use super::flow;
use super::paths::Path;
use super::registers;
use super::sorter::Sorter;
use super::wiring::{alias_outputs, aliases, pins};
use super::writes::Writes;
use crate::emit::error::EmitError;
use crate::emit::expr::NetId;
use crate::emit::module::Role;
use crate::emit::read::Scope;
use crate::emit::stmt::Stmt;

/// The content of a block with the statements `stmts`; `paths` lead through its instances.
pub fn arrange(scope: &mut Scope, stmts: Vec<Stmt>, paths: &[Path]) -> Result<Content, EmitError> {
    let stmts = copies::without(scope, stmts);
    let live = Writes::of(&stmts).live(scope);
    let in_use = flow::project(&stmts, &live);
    let writes = Writes::of(&in_use);
    check_driven(scope, &in_use, &writes, &live)?;
    let clocks = registers::clocks(scope, &writes, &live)?;
    let clocked = registers::clocked_nets(scope, &writes);
    let mut content = Content { live, pins: pins(scope, &writes), ..Content::default() };
    let stmts = registers::without_holds(scope, stmts, &clocked);
    let stmts = with_comments_placed(scope, stmts, &writes, &mut content);
    let mut stmts = flow::project(&stmts, &content.live);
    alias_outputs(scope, &mut stmts, &mut content);

    let writes = Writes::of(&stmts);
    for (clock, registers) in clocks {
        let body = registers::process(scope, &stmts, &registers, &clocked, &content);
        content.clocked.push((clock, defaults::joined(body, &scope.nets)));
    }
    let combinational: BTreeSet<NetId> = writes
        .list
        .iter()
        .map(|w| w.net)
        .filter(|net| !clocked.contains(net) && !content.pins.contains_key(net))
        .filter(|net| scope.nets[*net].role != Role::RegisterClock)
        .collect();
    let sorter = Sorter::new(scope, &stmts, &writes, paths, &content.pins);
    content.items = sorter.items(&combinational)?;
    comments::once(&mut content.items);
    Ok(content)
}

/// Puts every comment above something that is printed, and decides for it which outputs are just another net: an output of which
/// a comment speaks, and of nothing else, is assigned.
fn with_comments_placed(
    scope: &Scope,
    stmts: Vec<Stmt>,
    writes: &Writes,
    content: &mut Content,
) -> Vec<Stmt> {
    let mut assigned = BTreeSet::new();
    loop {
        content.aliases = aliases(scope, writes, &assigned);
        let is_printed = |net: NetId| {
            let is_elsewhere = content.aliases.contains_key(&net) || content.pins.contains_key(&net);
            content.live.contains(&net) && !is_elsewhere && scope.nets[net].role != Role::RegisterClock
        };
        let mut stranded = vec![];
        let placed = comments::placed(stmts.clone(), &is_printed, &mut stranded);
        content.pin_comments.clear();
        let before = assigned.len();
        for Stranded { comment, nets } in stranded {
            let first = nets
                .into_iter()
                .find(|net| content.aliases.contains_key(net) || content.pins.contains_key(net));
            match first {
                Some(pin) if content.pins.contains_key(&pin) => _ = content.pin_comments.insert(pin, comment),
                output => assigned.extend(output),
            }
        }
        if assigned.len() == before {
            return placed;
        }
    }
}

fn check_driven(
    scope: &Scope,
    stmts: &[Stmt],
    writes: &Writes,
    live: &BTreeSet<NetId>,
) -> Result<(), EmitError> {
    for net in live.iter().copied().filter(|net| scope.nets[*net].role.is_assignable()) {
        let (block, signal) = (scope.block.clone(), scope.name_in_block(net));
        if !writes.is_assigned(net) {
            return Err(EmitError::Undriven { block, signal });
        }
        if !flow::always_assigns(stmts, net) {
            return Err(EmitError::Latch { block, signal });
        }
    }
    Ok(())
}
