//! Placement of a netlist for UltraScale+, so that its wires are timed by distance: nextpnr-generic places it on a grid that is as that of
//! the device.
//!
//! [`clusters`] says which cells go together, [`grid`] where they can go, [`files`] writes what the placer reads and reads what it writes,
//! and [`distances`] says what a wire takes between two places.

mod clusters;
mod distances;
mod files;
mod grid;

pub use distances::Distances;
pub use grid::{Grid, Kind, Right};

use std::collections::BTreeMap;
use std::path::Path;
use std::rc::Rc;

use serde::{Deserialize, Serialize};

use super::NoEstimate;
use super::circuit::{Circuit, PORT};
use super::graph::{Graph, Step};
use crate::{Bench, SynthError, write};
use clusters::Cluster;

/// The seed of the placer. One and the same for each design, so that a figure can be had again.
pub const SEED: u32 = 1;

/// The file of a run in which the placer leaves its places.
const PLACED: &str = "placed.json";

/// The least period of a clock, with wires by the distances of a placement.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Placed {
    /// With wires as in designs that were placed.
    pub nominal_ns: f64,
    /// With wires as in a device that is full.
    pub wide_ns: f64,
    /// Of the placer.
    pub seed: u32,
    /// The placer, with version and origin.
    pub tool: String,
    /// The slowest path with nominal wires, from register to register.
    pub path: Vec<Step>,
    /// The same with wide wires.
    pub wide_path: Vec<Step>,
}

/// A tile of the interconnect, in columns and rows of the device.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Place {
    pub column: u32,
    pub row: u32,
}

/// Where each cell is.
#[derive(Clone, Debug, PartialEq)]
pub struct Places {
    /// By the number of the cell; none: no wire leads to it or from it.
    cells: Vec<Option<Site>>,
}

/// The tiles of a cell, which are above each other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Site {
    column: u32,
    lowest: u32,
    highest: u32,
}

/// A netlist as what is placed.
#[derive(Debug)]
pub struct Design {
    graph: Graph,
    /// Names by the number of the cell.
    names: Vec<String>,
    clusters: Vec<Cluster>,
    grid: Grid,
}

impl Design {
    pub(super) fn new(
        circuit: &Circuit,
        graph: Graph,
        chains: &[Rc<Vec<usize>>],
    ) -> Result<Design, NoEstimate> {
        let clusters = clusters::clusters(circuit, &graph, chains)?;
        let grid = Grid::for_cells(clusters.iter().map(|cluster| (cluster.kind, cluster.flip_flops)));
        let mut bits: BTreeMap<&str, u32> = BTreeMap::new();
        let mut names = Vec::new();
        for part in &circuit.parts {
            // a port of the top may be called as one of its cells
            names.push(if part.kind == PORT {
                let bit = bits.entry(part.name).or_default();
                *bit += 1;
                format!("{PORT} {}[{}]", part.name, *bit - 1)
            } else {
                part.name.to_string()
            });
        }
        Ok(Design { graph, names, clusters, grid })
    }

    pub(super) fn graph(&self) -> &Graph {
        &self.graph
    }

    /// Where its cells can go.
    pub fn grid(&self) -> &Grid {
        &self.grid
    }

    /// What goes to one place each: what it takes, and the names of its cells; a bit of a port is `port NAME[BIT]`.
    pub fn clusters(&self) -> Vec<(Kind, Vec<&str>)> {
        let names =
            |cluster: &Cluster| cluster.parts.iter().map(|part| self.names[part.cell].as_str()).collect();
        self.clusters.iter().map(|cluster| (cluster.kind, names(cluster))).collect()
    }

    /// Places it, or takes a finished run from the cache.
    ///
    /// # Errors
    /// The placer is missing, fails, or leaves something out.
    pub fn place(&self, bench: &Bench) -> Result<(Places, String), SynthError> {
        let tool = bench.tools.nextpnr_generic()?;
        let files = self.files();
        let seed = SEED.to_string();
        let arguments = [
            "--quiet",
            "--json",
            files::NETLIST,
            "--pre-place",
            files::SCRIPT,
            "--no-pack",
            "--no-route",
            "--seed",
            &seed,
            "--write",
            PLACED,
        ];
        let placer = tool.describe();
        let texts = files.iter().map(|(_, text)| text.as_str());
        let inputs: Vec<&str> = [placer.as_str()].into_iter().chain(texts).chain(arguments).collect();
        let folder = bench.cache.run(&inputs, |folder: &Path| {
            files.iter().try_for_each(|(name, text)| write(&folder.join(name), text))?;
            write(&folder.join("log.txt"), &tool.run(folder, &arguments)?)
        })?;
        let path = folder.join(PLACED);
        let text = std::fs::read_to_string(&path)
            .map_err(|source| SynthError::Read { path: path.clone(), source })?;
        let places = self.read(&text).map_err(|message| SynthError::Format { path, message })?;
        Ok((places, placer))
    }
}

impl Places {
    /// Where a cell is, by its number.
    fn of(&self, cell: usize) -> Option<Site> {
        self.cells.get(cell).copied().flatten()
    }
}
