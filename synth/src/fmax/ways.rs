//! The nets of a circuit as ways of its graph.

use std::collections::HashMap;

use super::circuit::{Circuit, pins};
use super::graph::{Graph, Link, Node};

/// Nodes of a graph by the net that they drive.
pub(super) struct Ways<'a> {
    circuit: &'a Circuit<'a>,
    nodes: HashMap<u64, usize>,
}

impl<'a> Ways<'a> {
    /// With a graph that has a node, still without arcs, for each output that goes anywhere.
    pub(super) fn new(circuit: &'a Circuit<'a>) -> (Ways<'a>, Graph) {
        let (mut nodes, mut graph) = (HashMap::new(), Graph::default());
        for (at, part) in circuit.parts.iter().enumerate() {
            for (net, ..) in pins(&part.outputs).filter(|(net, ..)| circuit.fan_out(*net) > 0) {
                nodes.insert(net, graph.nodes.len());
                let node =
                    Node { cell: part.kind.into(), part: at, name: circuit.name(net), ..Node::default() };
                graph.nodes.push(node);
            }
        }
        (Ways { circuit, nodes }, graph)
    }

    /// The node that drives a net; none: nothing does, or the net goes nowhere.
    pub(super) fn node(&self, net: u64) -> Option<usize> {
        self.nodes.get(&net).copied()
    }

    /// By wire, and `ps` beside it.
    pub(super) fn by_wire(&self, net: u64, ps: f64) -> Option<Link> {
        self.node(net).map(|from| Link { from, to: None, fan_out: Some(self.circuit.fan_out(net)), ps })
    }

    /// Within a slice.
    pub(super) fn inside(&self, net: u64, ps: f64) -> Option<Link> {
        self.node(net).map(|from| Link { from, to: None, fan_out: None, ps })
    }
}
