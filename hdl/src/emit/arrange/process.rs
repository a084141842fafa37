//! Statements sorted into what a module consists of: assignments, combinational processes, clocked processes.

use std::collections::BTreeSet;

use super::content::Content;
use super::flow;
use super::paths::Path;
use super::registers::{clocked, clocks};
use super::sorter::Sorter;
use super::wiring::{alias_outputs, connect_pins};
use crate::emit::error::EmitError;
use crate::emit::expr::NetId;
use crate::emit::module::Role;
use crate::emit::read::Scope;
use crate::emit::stmt::Stmt;

/// The content of a block with the statements `stmts`; `paths` lead through its instances.
pub fn arrange(scope: &mut Scope, stmts: Vec<Stmt>, paths: &[Path]) -> Result<Content, EmitError> {
    let live = flow::live(scope, &flow::writes(&stmts));
    let mut content = Content { live, ..Content::default() };
    let mut stmts = flow::project(&stmts, &content.live);
    check_driven(scope, &stmts, &content)?;
    let clocks = clocks(scope, &stmts, &content)?;
    alias_outputs(scope, &mut stmts, &mut content);
    connect_pins(scope, &stmts, &mut content);

    let writes = flow::writes(&stmts);
    let spans = flow::spans(&writes);
    let read: BTreeSet<NetId> = writes.iter().flat_map(|w| w.reads.iter().map(|(net, _)| *net)).collect();
    let mut settled: BTreeSet<NetId> =
        scope.registers.iter().flat_map(|r| r.d.iter().copied()).filter(|d| !read.contains(d)).collect();
    for write in &writes {
        if !flow::passing_reads(write, &spans, scope).is_empty() {
            settled.remove(&write.net);
        }
    }
    for (clock, registers) in clocks {
        let body = clocked(scope, &stmts, &registers, &settled, &content)?;
        content.clocked.push((clock, body));
    }
    let combinational: BTreeSet<NetId> = writes
        .iter()
        .map(|w| w.net)
        .filter(|net| !settled.contains(net) && !content.pins.contains_key(net))
        .filter(|net| scope.nets[*net].role != Role::RegisterClock)
        .collect();
    let sorter = Sorter::new(scope, &stmts, &writes, paths, &content.pins);
    content.items = sorter.items(&combinational)?;
    Ok(content)
}

fn check_driven(scope: &Scope, stmts: &[Stmt], content: &Content) -> Result<(), EmitError> {
    let driven: BTreeSet<NetId> = flow::writes(stmts).iter().map(|w| w.net).collect();
    for net in &content.live {
        if scope.nets[*net].role.is_assignable() && !driven.contains(net) {
            let signal = scope.name_in_block(*net);
            return Err(EmitError::Undriven { block: scope.block.clone(), signal });
        }
        if scope.nets[*net].role.is_assignable() && !flow::always_assigns(stmts, *net) {
            let signal = scope.name_in_block(*net);
            return Err(EmitError::Latch { block: scope.block.clone(), signal });
        }
    }
    Ok(())
}
