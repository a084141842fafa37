//! A timing graph: outputs of cells, the arcs that lead to them, and the ends of paths at registers and ports.

use std::rc::Rc;

use serde::{Deserialize, Serialize};

/// What a wire takes in ps: `base + per_doubling * log2(fan-out)`.
#[derive(Clone, Copy, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Wires {
    base: f64,
    per_doubling: f64,
}

impl Wires {
    pub(super) fn ps(&self, link: &Link) -> f64 {
        link.fan_out.map_or(0.0, |pins| self.base + self.per_doubling * f64::from(pins).log2())
    }
}

/// The way from one output to the next, or to the end of a path.
#[derive(Clone, Debug)]
pub(super) struct Link {
    /// The output where it begins.
    pub(super) from: usize,
    /// The part where it ends, by its number in the circuit; none on a device that nothing is placed for.
    pub(super) to: Option<usize>,
    /// Pins that its wire goes to; none: it does not leave the slice.
    pub(super) fan_out: Option<u32>,
    /// What it takes beside the wire, in ps.
    pub(super) ps: f64,
}

impl Link {
    /// The same, which ends at this part.
    pub(super) fn ends_at(self, part: usize) -> Link {
        Link { to: Some(part), ..self }
    }
}

/// An output of a cell.
#[derive(Clone, Debug, Default)]
pub(super) struct Node {
    /// The cell's type, e.g. `LUT5`.
    pub(super) cell: String,
    /// The part whose output it is, by its number in the circuit.
    pub(super) part: usize,
    /// The net's name, or the cell's, if a person gave it one.
    pub(super) name: String,
    /// Clock to output in ps, of what holds state.
    pub(super) start: Option<f64>,
    /// Arcs that have a delay of their own.
    pub(super) arcs: Vec<Link>,
    /// Inputs that may change places ...
    pub(super) pins: Vec<Link>,
    /// ... among pins that take so many ps, the fastest first: the input that arrives last takes the fastest.
    pub(super) pin_ps: Option<Rc<[f64]>>,
}

/// The end of paths: an input of something that holds state, or a port.
#[derive(Clone, Debug)]
pub(super) struct End {
    pub(super) cell: String,
    pub(super) name: String,
    /// The way there, setup included.
    pub(super) link: Link,
}

#[derive(Clone, Debug, Default)]
pub(super) struct Graph {
    pub(super) nodes: Vec<Node>,
    pub(super) ends: Vec<End>,
}

/// One cell of a path, with the wire that leads to it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Step {
    /// The cell's type, e.g. `FDRE`, `LUT5`; `port` is a port.
    pub cell: String,
    /// The name in the Verilog, empty where a person gave none.
    pub name: String,
    /// Pins that the wire before the cell goes to; 0: there is none, or it does not leave the slice.
    pub fan_out: u32,
    /// What that wire takes, in ns.
    pub wire_ns: f64,
    /// What the cell takes, the way into and out of its slice included, in ns; at the end of a path setup.
    pub delay_ns: f64,
}

/// The slowest path, in ps, uncertainty not included.
#[derive(Clone, Debug)]
pub(super) struct Worst {
    pub(super) ps: f64,
    pub(super) path: Vec<Step>,
}

impl Graph {
    /// Nodes in an order in which each comes behind those that it follows from; else one that is in a loop.
    pub(super) fn order(&self) -> Result<Vec<usize>, &Node> {
        let mut readers = vec![Vec::new(); self.nodes.len()];
        let mut waiting = vec![0usize; self.nodes.len()];
        for (at, node) in self.nodes.iter().enumerate() {
            for link in node.arcs.iter().chain(&node.pins) {
                readers[link.from].push(at);
                waiting[at] += 1;
            }
        }
        let mut order: Vec<usize> = (0..self.nodes.len()).filter(|&at| waiting[at] == 0).collect();
        let mut next = 0;
        while let Some(&at) = order.get(next) {
            next += 1;
            for &reader in &readers[at] {
                waiting[reader] -= 1;
                if waiting[reader] == 0 {
                    order.push(reader);
                }
            }
        }
        if order.len() == self.nodes.len() {
            return Ok(order);
        }
        // What waits is in a loop or behind one: going back from it leads into the loop.
        let back = |at: usize| {
            let links = self.nodes[at].arcs.iter().chain(&self.nodes[at].pins);
            links.map(|link| link.from).find(|&from| waiting[from] > 0).expect("it waits for another")
        };
        let mut at = waiting.iter().position(|&waits| waits > 0).expect("not all are in order");
        for _ in 0..self.nodes.len() {
            at = back(at);
        }
        Err(&self.nodes[at])
    }

    /// The slowest path with each of these kinds of wires, given by what a wire takes in ps; none where there is no path at all. An
    /// error is a node of a loop.
    pub(super) fn worst<const N: usize>(
        &self,
        wires: [&dyn Fn(&Link) -> f64; N],
    ) -> Result<[Option<Worst>; N], &Node> {
        let order = self.order()?;
        Ok(wires.map(|wire_ps| self.worst_in(&order, wire_ps)))
    }

    fn worst_in(&self, order: &[usize], wire_ps: &dyn Fn(&Link) -> f64) -> Option<Worst> {
        let mut arrivals = vec![0.0; self.nodes.len()];
        let mut reached_by: Vec<Option<(Link, f64)>> = vec![None; self.nodes.len()];
        for &at in order {
            let node = &self.nodes[at];
            let arrival = |link: &Link| arrivals[link.from] + wire_ps(link) + link.ps;
            let mut candidates: Vec<(f64, Option<(Link, f64)>)> =
                node.start.iter().map(|&start| (start, None)).collect();
            for link in &node.arcs {
                candidates.push((arrival(link), Some((link.clone(), link.ps))));
            }
            let mut pins: Vec<(f64, &Link)> = node.pins.iter().map(|link| (arrival(link), link)).collect();
            pins.sort_by(|a, b| b.0.total_cmp(&a.0));
            let fastest = node.pin_ps.iter().flat_map(|ps| ps.iter());
            for ((arrives, link), pin) in pins.into_iter().zip(fastest) {
                candidates.push((arrives + pin, Some((link.clone(), link.ps + pin))));
            }
            if let Some((ps, by)) = candidates.into_iter().max_by(|a, b| a.0.total_cmp(&b.0)) {
                arrivals[at] = ps;
                reached_by[at] = by;
            }
        }
        let arrival = |end: &End| arrivals[end.link.from] + wire_ps(&end.link) + end.link.ps;
        let end = self.ends.iter().max_by(|a, b| arrival(a).total_cmp(&arrival(b)))?;
        let step = |cell: &str, name: &str, way: Option<&Link>, ps: f64| Step {
            cell: cell.into(),
            name: name.into(),
            fan_out: way.and_then(|link| link.fan_out).unwrap_or(0),
            wire_ns: way.map_or(0.0, wire_ps) / 1000.0,
            delay_ns: ps / 1000.0,
        };
        let mut path = vec![step(&end.cell, &end.name, Some(&end.link), end.link.ps)];
        let mut at = end.link.from;
        loop {
            let node = &self.nodes[at];
            match &reached_by[at] {
                Some((link, ps)) => {
                    path.push(step(&node.cell, &node.name, Some(link), *ps));
                    at = link.from;
                }
                None => {
                    path.push(step(&node.cell, &node.name, None, arrivals[at]));
                    break;
                }
            }
        }
        path.reverse();
        Some(Worst { ps: arrival(end), path })
    }
}
