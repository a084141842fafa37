//! What the placer reads: a netlist of clusters, the grid with their timing, and a script; and what it writes.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use serde::Deserialize;
use serde_json::{Map, Value, json};

use super::clusters::Cluster;
use super::grid::Bel;
use super::{Design, Distances, Places, Site};

pub(super) const NETLIST: &str = "netlist.json";
pub(super) const SCRIPT: &str = "place.py";
const GRID: &str = "grid.json";

const TOP: &str = "top";
/// The cell that drives the clock.
const CLOCK: &str = "clock";
/// A cell in the middle of the grid, where it has its place from the start: the placer wants one. A net that takes no time leads from it to
/// the first cluster, so that the design lies around it.
const MIDDLE: &str = "middle";

impl Design {
    /// The files of a run by their names.
    pub fn files(&self) -> [(&'static str, String); 3] {
        let script = include_str!("place.py").to_string();
        [(NETLIST, self.netlist().to_string()), (GRID, self.grid_with_timing().to_string()), (SCRIPT, script)]
    }

    /// Clusters as cells with ports of one bit: `O` with the number of the node that it drives, `I` of one that goes through it, `D` of
    /// one that goes to a register, and the clock.
    fn netlist(&self) -> Value {
        const CLOCK_NET: usize = 2;
        const MIDDLE_NET: usize = 3;
        let net = |node: usize| json!([node + MIDDLE_NET + 1]);
        let mut cells = Map::new();
        for (at, cluster) in self.clusters.iter().enumerate() {
            let (mut directions, mut connections) = (Map::new(), Map::new());
            let mut add = |port: String, direction: &str, net: Value| {
                directions.insert(port.clone(), json!(direction));
                connections.insert(port, net);
            };
            let outputs = cluster.clock_to.keys().chain(cluster.through.keys().map(|(_, output)| output));
            outputs.for_each(|&node| add(output(node), "output", net(node)));
            cluster.through.keys().for_each(|&(node, _)| add(input(node), "input", net(node)));
            cluster.setups.keys().for_each(|&node| add(data(node), "input", net(node)));
            if !(cluster.clock_to.is_empty() && cluster.setups.is_empty()) {
                add(CLOCK.into(), "input", json!([CLOCK_NET]));
            }
            if at == 0 {
                add(MIDDLE.into(), "input", json!([MIDDLE_NET]));
            }
            let cell = json!({
                "type": cluster.kind.to_string(), "port_directions": directions, "connections": connections,
                "parameters": {}, "attributes": {},
            });
            cells.insert(name(at), cell);
        }
        for (name, net) in [(CLOCK, CLOCK_NET), (MIDDLE, MIDDLE_NET)] {
            let cell = json!({
                "type": name, "port_directions": {name: "output"}, "connections": {name: [net]},
                "parameters": {}, "attributes": {"BEL": name},
            });
            cells.insert(name.into(), cell);
        }
        json!({"creator": "respray", "modules": {TOP: {"ports": {}, "cells": cells, "netnames": {}}}})
    }

    /// For the script: delays in ns; each bel of a tile has a number of its own.
    fn grid_with_timing(&self) -> Value {
        let (row_ps, least_ps) = Distances::delays().by_row();
        let ns = |ps: f64| ps / 1000.0;
        let mut taken: HashMap<(u32, u32), u32> = HashMap::new();
        let mut bels: Vec<Value> = Vec::new();
        let columns = Distances::delays().columns_in_rows(&self.grid);
        let mut add = |name: String, kind: String, column: u32, row: u32| {
            let x = columns[(column - self.grid.first_column) as usize];
            let z = taken.entry((column, row)).or_default();
            bels.push(json!([name, kind, x, row, *z]));
            *z += 1;
        };
        for bel in &self.grid.bels {
            add(bel.name(), bel.kind.to_string(), bel.place.column, bel.place.row);
        }
        let middle = (self.grid.first_column + self.grid.columns / 2, self.grid.rows / 2);
        for name in [CLOCK, MIDDLE] {
            add(name.into(), name.into(), middle.0, middle.1);
        }
        let each = |of: &dyn Fn(usize, &Cluster) -> Vec<Value>| -> Vec<Value> {
            self.clusters.iter().enumerate().flat_map(|(at, cluster)| of(at, cluster)).collect()
        };
        let through = each(&|at, cluster| {
            let arcs = cluster.through.iter();
            arcs.map(|(&(from, to), &ps)| json!([name(at), input(from), output(to), ns(ps)])).collect()
        });
        let setups = each(&|at, cluster| {
            cluster.setups.iter().map(|(&node, &ps)| json!([name(at), data(node), ns(ps)])).collect()
        });
        // of an output that follows from inputs, too, the placer knows the way from these alone
        let clock_to = each(&|at, cluster| {
            let combined: BTreeSet<usize> = cluster.through.keys().map(|arc| arc.1).collect();
            let registered = cluster.clock_to.iter().filter(|(node, _)| !combined.contains(node));
            registered.map(|(&node, &ps)| json!([name(at), output(node), ns(ps)])).collect()
        });
        json!({
            "row": ns(row_ps), "least": ns(least_ps), "bels": bels,
            "through": through, "setups": setups, "clock_to": clock_to,
        })
    }

    /// Reads what the placer has written. Its error is a sentence.
    ///
    /// # Errors
    /// A cluster without a place, or with one that is not of its kind, or two at one place.
    pub fn read(&self, text: &str) -> Result<Places, String> {
        let written: Written = serde_json::from_str(text).map_err(|error| error.to_string())?;
        let module = written.modules.get(TOP).ok_or_else(|| format!("no module `{TOP}`"))?;
        let bels: HashMap<String, &Bel> = self.grid.bels.iter().map(|bel| (bel.name(), bel)).collect();
        let mut taken: HashMap<&str, String> = HashMap::new();
        let mut cells: Vec<Option<Site>> = vec![None; self.names.len()];
        for (at, cluster) in self.clusters.iter().enumerate() {
            let called = self.names[cluster.parts[0].cell].as_str();
            let cell = module.cells.get(&name(at)).ok_or_else(|| format!("`{called}` is lost"))?;
            let given = cell.attributes.get("NEXTPNR_BEL").and_then(Value::as_str);
            let given = given.ok_or_else(|| format!("`{called}` has no place"))?;
            let bel =
                bels.get(given).ok_or_else(|| format!("`{called}` is at {given}, which there is not"))?;
            if bel.kind != cluster.kind {
                let kind = cluster.kind;
                return Err(format!("`{called}` is at {given}, which is no place for a {kind}"));
            }
            if let Some(other) = taken.insert(given, called.into()) {
                return Err(format!("`{called}` and `{other}` are both at {given}"));
            }
            for part in &cluster.parts {
                let (row, beside) = (bel.place.row + part.row, bel.kind.rows_beside());
                let (lowest, highest) = (row - beside, row + beside);
                cells[part.cell] = Some(Site { column: bel.place.column, lowest, highest });
            }
        }
        Ok(Places { cells })
    }
}

/// What a cluster is called.
fn name(cluster: usize) -> String {
    format!("c{cluster}")
}

fn input(node: usize) -> String {
    format!("I{node}")
}

fn data(node: usize) -> String {
    format!("D{node}")
}

fn output(node: usize) -> String {
    format!("O{node}")
}

/// What of the file of the placer is read.
#[derive(Deserialize)]
struct Written {
    modules: BTreeMap<String, Module>,
}

#[derive(Deserialize)]
struct Module {
    cells: BTreeMap<String, Cell>,
}

#[derive(Deserialize)]
struct Cell {
    attributes: BTreeMap<String, Value>,
}
