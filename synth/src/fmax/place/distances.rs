//! What a wire takes by the distance between two places: `synth/delays/ultrascale_distances.toml`, which says where its numbers come from.

use std::sync::LazyLock;

use serde::Deserialize;

use super::grid::{Grid, Right};
use super::{Design, Place, Places};
use crate::fmax::graph::Link;

/// The project's table.
static DISTANCES: LazyLock<Distances> = LazyLock::new(|| {
    Distances::read(include_str!("../../../delays/ultrascale_distances.toml"))
        .expect("the table is as its reader wants it")
});

/// Delays in ps.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Distances {
    vertical: Vertical,
    horizontal: Horizontal,
    nominal: Wire,
    wide: Wire,
}

#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Vertical {
    base: f64,
    per_length: f64,
    segments: Vec<Rows>,
}

/// A vertical segment.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Rows {
    reaches: usize,
    length: f64,
}

#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Horizontal {
    base: f64,
    per_length: f64,
    segments: Vec<Columns>,
}

/// A horizontal segment.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Columns {
    reaches: usize,
    length: f64,
    per_crossing: f64,
    block_ram: f64,
    dsp: f64,
}

impl Columns {
    /// What it crosses right of a column of the device.
    fn crosses(&self, column: u32) -> f64 {
        match Right::of(column) {
            Right::Slices => 0.0,
            Right::BlockRam => self.block_ram,
            Right::Dsp => self.dsp,
        }
    }
}

#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Wire {
    within_tile: f64,
    base: f64,
    factor: f64,
}

impl Wire {
    /// At the distance D.
    fn ps(&self, distance_ps: f64) -> f64 {
        match distance_ps {
            0.0 => self.within_tile,
            _ => self.base + self.factor * distance_ps,
        }
    }
}

impl Distances {
    /// The project's table.
    pub fn delays() -> &'static Distances {
        &DISTANCES
    }

    /// The table in this text, which is TOML; its error is that of the reader.
    pub fn read(text: &str) -> Result<Distances, String> {
        toml::from_str(text).map_err(|error| error.to_string())
    }

    /// What a placer that knows delays by the number of rows alone is told, in ps: what a row takes, which is least with the segment that
    /// reaches farthest, and what there is beside.
    pub(super) fn by_row(&self) -> (f64, f64) {
        let each = |rows: &Rows| self.vertical.base + self.vertical.per_length * rows.length;
        let segments = || self.vertical.segments.iter();
        let a_row = segments().map(|rows| each(rows) / rows.reaches as f64).fold(f64::INFINITY, f64::min);
        let least = segments().map(each).fold(f64::INFINITY, f64::min);
        (self.nominal.factor * a_row, self.nominal.base + self.nominal.factor * least)
    }

    /// For such a placer: where each column of a grid is, in rows. One that is next to another is two from it, and more by what a crossing
    /// takes.
    pub(super) fn columns_in_rows(&self, grid: &Grid) -> Vec<u32> {
        let (row_ps, _) = self.by_row();
        let shortest = &self.horizontal.segments[0];
        let mut at = vec![0];
        for column in grid.first_column..grid.first_column + grid.columns {
            let crossing_ps = shortest.per_crossing * shortest.crosses(column) * self.nominal.factor;
            at.push(at[at.len() - 1] + 2 + (crossing_ps / row_ps).round() as u32);
        }
        at
    }

    /// What a wire takes between two tiles in ps: as in designs that were placed, and as in a device that is full.
    pub fn ps(&self, from: Place, to: Place) -> [f64; 2] {
        let (left, right) = (from.column.min(to.column), from.column.max(to.column));
        let rows = from.row.abs_diff(to.row) as usize;
        let distance_ps = self.horizontal_ps(left, right) + self.vertical_ps(rows);
        [self.nominal, self.wide].map(|wire| wire.ps(distance_ps))
    }

    /// D over so many rows.
    fn vertical_ps(&self, rows: usize) -> f64 {
        let Vertical { base, per_length, segments } = &self.vertical;
        let mut least = vec![0.0];
        for at in 1..=rows {
            let over = segments.iter().filter(|segment| segment.reaches <= at);
            let all = over.map(|over| least[at - over.reaches] + base + per_length * over.length);
            least.push(all.fold(f64::INFINITY, f64::min));
        }
        least[rows]
    }

    /// D from one column of the device to another that is not left of it.
    fn horizontal_ps(&self, from: u32, to: u32) -> f64 {
        let Horizontal { base, per_length, segments } = &self.horizontal;
        let mut least = vec![0.0];
        for at in 1..=(to - from) as usize {
            let over = segments.iter().filter(|segment| segment.reaches <= at).map(|over| {
                let start = at - over.reaches;
                let crossed = (start..at).map(|column| over.crosses(from + column as u32));
                let crossing_ps = over.per_crossing * crossed.sum::<f64>();
                least[start] + base + per_length * over.length + crossing_ps
            });
            least.push(over.fold(f64::INFINITY, f64::min));
        }
        least[(to - from) as usize]
    }

    /// The wires of a design whose cells have places.
    pub(in crate::fmax) fn between<'a>(&'a self, design: &'a Design, places: &'a Places) -> Between<'a> {
        let grid = design.grid();
        let across = |from: u32| {
            let first = grid.first_column;
            (from..grid.columns).map(|to| self.horizontal_ps(first + from, first + to)).collect()
        };
        Between {
            delays: self,
            design,
            places,
            vertical: (0..=grid.rows as usize).map(|rows| self.vertical_ps(rows)).collect(),
            horizontal: (0..grid.columns).map(across).collect(),
        }
    }
}

/// What wires take in a design whose cells have places.
pub(in crate::fmax) struct Between<'a> {
    delays: &'a Distances,
    design: &'a Design,
    places: &'a Places,
    /// D by rows.
    vertical: Vec<f64>,
    /// D by the left column and by how many columns the other one is right of it.
    horizontal: Vec<Vec<f64>>,
}

impl Between<'_> {
    pub(in crate::fmax) fn nominal_ps(&self, link: &Link) -> f64 {
        self.ps(link, &self.delays.nominal)
    }

    pub(in crate::fmax) fn wide_ps(&self, link: &Link) -> f64 {
        self.ps(link, &self.delays.wide)
    }

    fn ps(&self, link: &Link, wire: &Wire) -> f64 {
        if link.fan_out.is_none() {
            return 0.0;
        }
        let place = |cell: usize| self.places.of(cell).expect("a cell with a wire has a place");
        let from = place(self.design.graph().nodes[link.from].part);
        let to = place(link.to.expect("links of UltraScale+ say where they end"));
        let left = from.column.min(to.column) - self.design.grid().first_column;
        let across = self.horizontal[left as usize][from.column.abs_diff(to.column) as usize];
        // which pin of a block RAM is in which of its rows is not known: a wire ends in the nearest
        let rows = from.lowest.saturating_sub(to.highest).max(to.lowest.saturating_sub(from.highest));
        wire.ps(across + self.vertical[rows as usize])
    }
}
