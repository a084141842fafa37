//! Combinational paths through instances and modules.

use std::collections::BTreeMap;

use super::content::Content;
use super::writes::Writes;
use crate::emit::expr::NetId;
use crate::emit::module::{Item, Port};
use crate::emit::read::Scope;
use crate::emit::stmt::Stmt;

/// A combinational path through an instance, between nets of the module around it.
pub struct Path {
    pub from: NetId,
    pub to: NetId,
    /// Whether it is only assumed, because the instance is custom Verilog.
    pub assumed: bool,
}

/// A combinational path from an input to an output, as indices into the ports.
pub struct PortPath {
    pub from: usize,
    pub to: usize,
    pub assumed: bool,
}

/// Every input to every output, for a block with Verilog of its own.
pub fn assumed_paths(ports: &[Port]) -> Vec<PortPath> {
    let outputs = ports.iter().enumerate().filter(|(_, port)| !port.is_input);
    let inputs = |to| {
        let inputs = ports.iter().enumerate().filter(|(_, port)| port.is_input);
        inputs.map(move |(from, _)| PortPath { from, to, assumed: true })
    };
    outputs.flat_map(|(to, _)| inputs(to)).collect()
}

/// Combinational paths from a module's inputs to its outputs.
pub fn own_paths(scope: &Scope, content: &Content, through: &[Path], ports: &[Port]) -> Vec<PortPath> {
    let sources = sources(content, through);
    let net_of = |port: &Port| scope.symbols[&port.atom].parts[port.leaf.unwrap_or(0)].net;
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
            paths.extend(seen.get(&net_of(port)).map(|assumed| PortPath { from, to, assumed: *assumed }));
        }
    }
    paths
}

/// Of each net, those that it follows without a clock, and whether that is only assumed.
fn sources(content: &Content, through: &[Path]) -> BTreeMap<NetId, Vec<(NetId, bool)>> {
    let mut sources: BTreeMap<NetId, Vec<(NetId, bool)>> = BTreeMap::new();
    let mut from_body = |stmts: &[Stmt]| {
        for write in Writes::of(stmts).list {
            let reads = write.reads.iter().map(|(net, _)| (*net, false));
            sources.entry(write.net).or_default().extend(reads);
        }
    };
    for item in &content.items {
        match item {
            Item::Assign { net, value, .. } => from_body(&[Stmt::Assign { net: *net, value: value.clone() }]),
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
    sources
}
