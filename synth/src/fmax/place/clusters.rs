//! What goes to one place: cells that have no wire between them, such as a chain of carries with its LUTs and flip-flops.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::rc::Rc;

use super::grid::Kind;
use crate::fmax::NoEstimate;
use crate::fmax::circuit::{Circuit, PORT, Part};
use crate::fmax::graph::{Graph, Link};

/// Bits of a CARRY8, and LUTs of a slice.
const PER_SLICE: u32 = 8;

/// A cell of a cluster.
#[derive(Clone, Debug)]
pub(super) struct Member {
    /// Its number in the circuit.
    pub(super) cell: usize,
    /// Its row, from that of the cluster.
    pub(super) row: u32,
}

/// Cells that go to one place, and what a placer wants to know of their timing. Its inputs and outputs are nodes of the graph.
#[derive(Clone, Debug)]
pub(super) struct Cluster {
    pub(super) kind: Kind,
    pub(super) parts: Vec<Member>,
    /// Flip-flops, bits of ports among them.
    pub(super) flip_flops: u32,
    /// From input to output, in ps.
    pub(super) through: BTreeMap<(usize, usize), f64>,
    /// From an input to a register of the cluster, setup included, in ps.
    pub(super) setups: BTreeMap<usize, f64>,
    /// From the clock to an output, in ps.
    pub(super) clock_to: BTreeMap<usize, f64>,
}

/// The clusters of a circuit whose cells have any wire.
pub(super) fn clusters(
    circuit: &Circuit,
    graph: &Graph,
    chains: &[Rc<Vec<usize>>],
) -> Result<Vec<Cluster>, NoEstimate> {
    let count = circuit.parts.len();
    let mut together = Together { parent: (0..count).collect() };
    let mut beside: Vec<Vec<usize>> = vec![Vec::new(); count];
    for (link, part) in links(graph) {
        if link.to.is_some_and(|to| to != part) || link.fan_out.is_none() {
            let from = if link.fan_out.is_none() { graph.nodes[link.from].part } else { part };
            let to = link.to.unwrap_or(part);
            for (a, b) in [(from, to), (to, part)] {
                together.join(a, b);
                beside[a].push(b);
                beside[b].push(a);
            }
        }
    }
    for chain in chains {
        chain.windows(2).for_each(|pair| together.join(pair[0], pair[1]));
    }
    let mut clusters: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
    for cell in wired(graph, count) {
        clusters.entry(together.root(cell)).or_default().push(cell);
    }
    let rows = rows(chains, &mut together, &beside);
    let (of_cell, mut clusters): (HashMap<usize, usize>, Vec<Cluster>) = {
        let of =
            |(at, cells): (usize, &Vec<usize>)| cells.iter().map(move |&cell| (cell, at)).collect::<Vec<_>>();
        let of_cell = clusters.values().enumerate().flat_map(of).collect();
        (of_cell, clusters.values().map(|cells| cluster(circuit, cells, &rows)).collect())
    };
    timing(graph, &of_cell, &mut clusters)?;
    Ok(clusters)
}

/// Which cells are in one cluster.
struct Together {
    parent: Vec<usize>,
}

impl Together {
    fn root(&mut self, mut at: usize) -> usize {
        while self.parent[at] != at {
            self.parent[at] = self.parent[self.parent[at]];
            at = self.parent[at];
        }
        at
    }

    fn join(&mut self, a: usize, b: usize) {
        let (a, b) = (self.root(a), self.root(b));
        self.parent[a.max(b)] = a.min(b);
    }
}

/// Each link, with the cell whose output or register it leads to.
fn links(graph: &Graph) -> impl Iterator<Item = (&Link, usize)> {
    let of_node = graph.nodes.iter().flat_map(|node| {
        let part = node.part;
        node.arcs.iter().chain(&node.pins).map(move |link| (link, part))
    });
    of_node.chain(graph.ends.iter().filter_map(|end| Some((&end.link, end.link.to?))))
}

/// Cells that a link leads to or from, in their order.
fn wired(graph: &Graph, count: usize) -> impl Iterator<Item = usize> {
    let mut is_wired = vec![false; count];
    for (link, part) in links(graph) {
        for cell in [Some(graph.nodes[link.from].part), link.to, Some(part)].into_iter().flatten() {
            is_wired[cell] = true;
        }
    }
    (0..count).filter(move |&cell| is_wired[cell])
}

/// The row of each cell that goes with a chain, and how many rows all chains of its cluster take: two CARRY4 a row, and what goes with
/// a CARRY4 in its row. Chains that share a cell stand above each other.
fn rows(
    chains: &[Rc<Vec<usize>>],
    together: &mut Together,
    beside: &[Vec<usize>],
) -> HashMap<usize, (u32, u32)> {
    let (mut rows, mut taken) = (HashMap::new(), HashMap::new());
    for chain in chains {
        let base = taken.entry(together.root(chain[0])).or_insert(0);
        for (at, &cell) in chain.iter().enumerate() {
            rows.insert(cell, *base + at as u32 / 2);
        }
        *base += chain.len().div_ceil(2) as u32;
    }
    let mut reached: Vec<usize> = chains.iter().flat_map(|chain| chain.iter().copied()).collect();
    let mut next = 0;
    while let Some(&cell) = reached.get(next) {
        next += 1;
        for &other in &beside[cell] {
            if !rows.contains_key(&other) {
                rows.insert(other, rows[&cell]);
                reached.push(other);
            }
        }
    }
    rows.into_iter().map(|(cell, row)| (cell, (row, taken[&together.root(cell)]))).collect()
}

fn cluster(circuit: &Circuit, cells: &[usize], rows: &HashMap<usize, (u32, u32)>) -> Cluster {
    let parts = cells.iter().map(|&cell| Member { cell, row: rows.get(&cell).map_or(0, |row| row.0) });
    let count = |is_it: &dyn Fn(&str) -> bool| {
        cells.iter().filter(|&&cell| is_it(circuit.parts[cell].kind)).count() as u32
    };
    let chained = cells.iter().filter_map(|cell| rows.get(cell)).map(|row| row.1).max();
    let luts: u32 = cells.iter().map(|&cell| luts(&circuit.parts[cell])).sum();
    let luts = luts.max(2 * count(&|kind| kind == "MUXF7")).max(4 * count(&|kind| kind == "MUXF8"));
    let first = circuit.parts[cells[0]].kind;
    let kind = match (first, chained, luts) {
        ("RAMB36E2", ..) => Kind::BlockRam36,
        ("RAMB18E2", ..) => Kind::BlockRam18,
        ("DSP48E2", ..) => Kind::Dsp,
        // the LUTs at DI and at S of one bit are one LUT of the device
        (_, Some(rows), _) => Kind::Slices(rows.max(luts.div_ceil(2 * PER_SLICE))),
        (_, None, 0) => Kind::FlipFlop,
        (_, None, 1) => Kind::Lut,
        (_, None, 2) => Kind::Luts2,
        (_, None, 3 | 4) => Kind::Luts4,
        (_, None, _) => Kind::Slices(luts.div_ceil(PER_SLICE)),
    };
    Cluster {
        kind,
        parts: parts.collect(),
        flip_flops: count(&|kind| kind == PORT || kind.starts_with("FD")),
        through: BTreeMap::new(),
        setups: BTreeMap::new(),
        clock_to: BTreeMap::new(),
    }
}

/// LUTs of the device that a cell takes.
fn luts(part: &Part) -> u32 {
    match part.kind {
        "RAM32M" | "RAM64M" => 4,
        "RAM32M16" | "RAM64M8" => 8,
        kind if kind.starts_with("LUT") || kind.starts_with("SRL") => 1,
        _ => 0,
    }
}

/// The timing of the clusters from their inputs and registers to their outputs and registers. Of a LUT each pin takes what its pins take
/// in the mean: which input has which of them follows from the placement.
fn timing(
    graph: &Graph,
    of_cell: &HashMap<usize, usize>,
    clusters: &mut [Cluster],
) -> Result<(), NoEstimate> {
    let order = graph.order().map_err(NoEstimate::of_loop)?;
    let leaves: BTreeSet<usize> =
        links(graph).filter(|(link, _)| link.fan_out.is_some()).map(|(link, _)| link.from).collect();
    // by node: its latest arrival from the clock, and from each input of its cluster
    let mut from_clock: Vec<Option<f64>> = vec![None; graph.nodes.len()];
    let mut from_inputs: Vec<BTreeMap<usize, f64>> = vec![BTreeMap::new(); graph.nodes.len()];
    for at in order {
        let node = &graph.nodes[at];
        let fastest = node.pin_ps.iter().flat_map(|ps| ps.iter()).take(node.pins.len());
        let pin_ps = fastest.sum::<f64>() / node.pins.len().max(1) as f64;
        let (mut clock, mut inputs) = (node.start, BTreeMap::new());
        let links = node.arcs.iter().map(|link| (link, link.ps));
        for (link, ps) in links.chain(node.pins.iter().map(|link| (link, link.ps + pin_ps))) {
            arrive((link, ps), (&from_clock, &from_inputs), (&mut clock, &mut inputs));
        }
        if let (true, Some(&cluster)) = (leaves.contains(&at), of_cell.get(&node.part)) {
            let cluster = &mut clusters[cluster];
            cluster.clock_to.extend(clock.map(|ps| (at, ps)));
            cluster.through.extend(inputs.iter().map(|(&input, &ps)| ((input, at), ps)));
        }
        (from_clock[at], from_inputs[at]) = (clock, inputs);
    }
    for end in &graph.ends {
        let Some(&cluster) = end.link.to.and_then(|to| of_cell.get(&to)) else { continue };
        let (mut clock, setups) = (None, &mut clusters[cluster].setups);
        arrive((&end.link, end.link.ps), (&from_clock, &from_inputs), (&mut clock, setups));
    }
    Ok(())
}

/// What comes over a link that takes so many ps: by wire it is an input of the cluster, else it is what has arrived where it begins.
fn arrive(
    (link, ps): (&Link, f64),
    (from_clock, from_inputs): (&[Option<f64>], &[BTreeMap<usize, f64>]),
    (clock, inputs): (&mut Option<f64>, &mut BTreeMap<usize, f64>),
) {
    let later = |at: &mut f64, ps: f64| *at = at.max(ps);
    if link.fan_out.is_some() {
        later(inputs.entry(link.from).or_insert(0.0), ps);
        return;
    }
    if let Some(before) = from_clock[link.from] {
        later(clock.get_or_insert(0.0), before + ps);
    }
    for (&input, before) in &from_inputs[link.from] {
        later(inputs.entry(input).or_insert(0.0), before + ps);
    }
}
