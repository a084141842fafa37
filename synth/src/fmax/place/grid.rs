//! Where cells can go: a part of an UltraScale+ that is as large as a design wants.
//!
//! The device has tiles of interconnect in columns and rows. At each tile there are two slices, of 8 LUTs, 16 flip-flops and a CARRY8
//! each, but for columns that have a block RAM or DSPs in the place of one. A placer that knows nothing of cells of several LUTs gets a
//! slice for LUTs and flip-flops, one for pairs of LUTs, and so on; the slices of each kind are spread evenly, and are as many as the
//! design wants of them.

use std::collections::BTreeMap;
use std::fmt;

use super::Place;

/// Columns of the interconnect from one block RAM to the next.
const PERIOD: u32 = 8;
/// The column of a period that has block RAM at its right, and that which has DSPs there.
const BLOCK_RAM_AT: u32 = 3;
const DSP_AT: u32 = 7;
/// Rows of a clock region: no grid is lower.
const LEAST_ROWS: u32 = 60;
/// Rows of a tile of block RAM, and of two DSPs.
const TILE_ROWS: u32 = 5;
/// Of what kinds there are at least so many more places than cells.
const ROOM: f64 = 1.0 / 0.7;
/// Of chains, block RAMs and DSPs, which are few.
const ROOM_FOR_FEW: f64 = 2.0;
/// Of the slices at least this part is for each kind that there is, so that none is far from any place.
const LEAST_SHARE: f64 = 1.0 / 16.0;

/// What a cluster takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Kind {
    /// A flip-flop without a LUT, or a bit of a port.
    FlipFlop,
    /// A LUT, with flip-flops.
    Lut,
    /// LUTs with a MUXF7.
    Luts2,
    /// LUTs with a MUXF8, or four LUTs of distributed RAM.
    Luts4,
    /// So many slices above each other.
    Slices(u32),
    BlockRam18,
    BlockRam36,
    Dsp,
}

impl Kind {
    /// Rows above its place, and below it, in which it has pins.
    pub(super) fn rows_beside(self) -> u32 {
        match self {
            Kind::BlockRam36 => 2,
            Kind::BlockRam18 | Kind::Dsp => 1,
            _ => 0,
        }
    }
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Kind::FlipFlop => f.write_str("flip_flop"),
            Kind::Lut => f.write_str("lut"),
            Kind::Luts2 => f.write_str("luts2"),
            Kind::Luts4 => f.write_str("luts4"),
            Kind::Slices(rows) => write!(f, "slices{rows}"),
            Kind::BlockRam18 => f.write_str("block_ram18"),
            Kind::BlockRam36 => f.write_str("block_ram36"),
            Kind::Dsp => f.write_str("dsp"),
        }
    }
}

/// A place for one cluster.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Bel {
    pub kind: Kind,
    pub place: Place,
    /// Which of the places of its tile it is.
    pub index: u32,
}

impl Bel {
    /// Its name: kind, column, row, and which of the tile it is.
    pub fn name(&self) -> String {
        format!("{}_x{}_y{}_{}", self.kind, self.place.column, self.place.row, self.index)
    }
}

/// A rectangle of tiles.
#[derive(Clone, Debug)]
pub struct Grid {
    /// Its first column; one of the device whose number is a multiple of eight begins a period.
    pub first_column: u32,
    pub columns: u32,
    pub rows: u32,
    pub bels: Vec<Bel>,
}

/// What stands right of a column of tiles, between it and the next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Right {
    Slices,
    BlockRam,
    Dsp,
}

impl Right {
    /// Of a column of the device.
    pub fn of(column: u32) -> Right {
        match column % PERIOD {
            BLOCK_RAM_AT => Right::BlockRam,
            DSP_AT => Right::Dsp,
            _ => Right::Slices,
        }
    }
}

/// Cells by kind, with how many flip-flops go with LUTs.
#[derive(Default)]
struct Wanted {
    cells: BTreeMap<Kind, u32>,
    flip_flops_of_luts: u32,
}

impl Wanted {
    fn of(&self, kind: Kind) -> u32 {
        self.cells.get(&kind).copied().unwrap_or(0)
    }

    /// Heights of what takes several slices above each other, the highest first.
    fn heights(&self) -> Vec<u32> {
        let heights = self.cells.iter().rev().filter_map(|(kind, &count)| match kind {
            Kind::Slices(rows) if *rows > 1 => Some(vec![*rows; count as usize]),
            _ => None,
        });
        heights.flatten().collect()
    }

    /// Flip-flops without a LUT for which there is room in a slice for LUTs.
    fn flip_flops_a_slice(&self) -> u32 {
        let of_luts = (8 * self.flip_flops_of_luts).div_ceil(self.of(Kind::Lut).max(1));
        16 - of_luts.min(8)
    }

    /// Slices of each kind, by the kind that they hold.
    fn slices(&self) -> Vec<(Kind, f64)> {
        let for_flip_flops = f64::from(self.of(Kind::FlipFlop)) / f64::from(self.flip_flops_a_slice());
        let of = |kind, a_slice: f64| (kind, ROOM * f64::from(self.of(kind)) / a_slice);
        let all = [
            (Kind::Lut, of(Kind::Lut, 8.0).1.max(ROOM * for_flip_flops)),
            of(Kind::Luts2, 4.0),
            of(Kind::Luts4, 2.0),
            of(Kind::Slices(1), 1.0),
        ];
        let least = LEAST_SHARE * all.iter().map(|(_, slices)| slices).sum::<f64>();
        let there = all.into_iter().filter(|(_, slices)| *slices > 0.0);
        there.map(|(kind, slices)| (kind, slices.max(least))).collect()
    }
}

impl Grid {
    /// The least one, about as wide as it is high by what wires take, for cells of these kinds with so many flip-flops each.
    pub(super) fn for_cells(cells: impl Iterator<Item = (Kind, u32)>) -> Grid {
        let mut wanted = Wanted::default();
        for (kind, flip_flops) in cells {
            *wanted.cells.entry(kind).or_default() += 1;
            if kind == Kind::Lut {
                wanted.flip_flops_of_luts += flip_flops;
            }
        }
        let runs = runs(&wanted.heights());
        let mut columns = 4;
        loop {
            let grid = Grid::new(columns, &wanted, &runs);
            if grid.has_room(&wanted) {
                return grid;
            }
            columns += 1;
        }
    }

    /// With a column of block RAM in the middle. A column takes wires as long as two rows do.
    fn new(columns: u32, wanted: &Wanted, runs: &[Vec<u32>]) -> Grid {
        let middle = columns / 2;
        let first_column = (BLOCK_RAM_AT + 100 * PERIOD - middle) % PERIOD;
        let rows = (2 * columns).max(LEAST_ROWS).next_multiple_of(TILE_ROWS);
        let mut grid = Grid { first_column, columns, rows, bels: Vec::new() };
        grid.add_tiles(wanted);
        let free = grid.add_runs(wanted, runs);
        grid.add_slices(wanted, free);
        grid
    }

    fn columns(&self) -> impl Iterator<Item = u32> + use<> {
        self.first_column..self.first_column + self.columns
    }

    fn add(&mut self, kind: Kind, column: u32, row: u32, index: u32) {
        self.bels.push(Bel { kind, place: Place { column, row }, index });
    }

    /// Block RAMs of both sizes in the ratio in which they are wanted, and DSPs.
    fn add_tiles(&mut self, wanted: &Wanted) {
        let [small, large] = [Kind::BlockRam18, Kind::BlockRam36].map(|kind| f64::from(wanted.of(kind)));
        let mut shares = Shares::new(vec![(Kind::BlockRam18, small / 2.0), (Kind::BlockRam36, large)]);
        for row in (0..self.rows).step_by(TILE_ROWS as usize) {
            for column in self.columns() {
                match Right::of(column) {
                    Right::BlockRam => match shares.next() {
                        Some(Kind::BlockRam18) => {
                            self.add(Kind::BlockRam18, column, row + 1, 0);
                            self.add(Kind::BlockRam18, column, row + 3, 0);
                        }
                        _ => self.add(Kind::BlockRam36, column, row + 2, 0),
                    },
                    Right::Dsp => {
                        self.add(Kind::Dsp, column, row + 1, 0);
                        self.add(Kind::Dsp, column, row + 3, 0);
                    }
                    Right::Slices => {}
                }
            }
        }
    }

    /// Chains, in runs of slices that are spread evenly; the slices that are left.
    fn add_runs(&mut self, wanted: &Wanted, runs: &[Vec<u32>]) -> Vec<(u32, u32, u32)> {
        let height = runs.iter().map(|run| run.iter().sum()).max().unwrap_or(1).max(1);
        let blocks = self.rows / height;
        let sides: Vec<(u32, u32)> = self
            .columns()
            .flat_map(|column| {
                let sides = if Right::of(column) == Right::Slices { 2 } else { 1 };
                (0..sides).map(move |side| (column, side))
            })
            .collect();
        let count = u64::from(blocks) * sides.len() as u64;
        // as many as the rest of the grid has of what goes there
        let in_runs = ROOM_FOR_FEW * (runs.len() as u32 * height) as f64;
        let share = in_runs / (in_runs + wanted.slices().iter().map(|(_, slices)| slices).sum::<f64>());
        let chained = ((share.max(LEAST_SHARE * f64::from(height)) * count as f64).ceil() as u64).min(count);
        let chained = if runs.is_empty() { 0 } else { chained };
        let (mut free, mut used) = (Vec::new(), 0);
        for block in 0..blocks {
            for (at, &(column, side)) in sides.iter().enumerate() {
                let at = u64::from(block) * sides.len() as u64 + at as u64;
                let mut row = block * height;
                if (at + 1) * chained / count > at * chained / count {
                    for &rows in &runs[used % runs.len()] {
                        self.add(Kind::Slices(rows), column, row, side);
                        row += rows;
                    }
                    used += 1;
                }
                free.extend((row..(block + 1) * height).map(|row| (row, column, side)));
            }
        }
        let above =
            (blocks * height..self.rows).flat_map(|row| sides.iter().map(move |side| (row, side.0, side.1)));
        free.extend(above);
        free.sort_unstable();
        free
    }

    /// The slices that no chain takes, each for one kind.
    fn add_slices(&mut self, wanted: &Wanted, free: Vec<(u32, u32, u32)>) {
        let mut shares = Shares::new(wanted.slices());
        for (row, column, side) in free {
            let Some(kind) = shares.next() else { continue };
            let (bels, with) = match kind {
                Kind::Lut => (8, wanted.flip_flops_a_slice()),
                Kind::Luts2 => (4, 0),
                Kind::Luts4 => (2, 0),
                _ => (1, 0),
            };
            (0..bels).for_each(|at| self.add(kind, column, row, bels * side + at));
            (0..with).for_each(|at| self.add(Kind::FlipFlop, column, row, with * side + at));
        }
    }

    fn has_room(&self, wanted: &Wanted) -> bool {
        let mut count: BTreeMap<Kind, u32> = BTreeMap::new();
        self.bels.iter().for_each(|bel| *count.entry(bel.kind).or_default() += 1);
        wanted.cells.iter().all(|(&kind, &cells)| {
            let room = match kind {
                Kind::Slices(rows) if rows > 1 => ROOM_FOR_FEW,
                Kind::BlockRam18 | Kind::BlockRam36 | Kind::Dsp => ROOM_FOR_FEW,
                _ => ROOM,
            };
            f64::from(count.get(&kind).copied().unwrap_or(0)) >= room * f64::from(cells)
        })
    }
}

/// Heights, which come the highest first, packed into runs of the highest.
fn runs(heights: &[u32]) -> Vec<Vec<u32>> {
    let most = heights.first().copied().unwrap_or(0);
    let mut runs: Vec<Vec<u32>> = Vec::new();
    for &height in heights {
        match runs.iter_mut().find(|run| run.iter().sum::<u32>() + height <= most) {
            Some(run) => run.push(height),
            None => runs.push(vec![height]),
        }
    }
    runs
}

/// Kinds one after the other, each as often as its share is, and evenly.
struct Shares {
    /// Each with its share and with what it still has to get.
    kinds: Vec<(Kind, f64, f64)>,
}

impl Shares {
    fn new(kinds: Vec<(Kind, f64)>) -> Shares {
        let all: f64 = kinds.iter().map(|(_, share)| share).sum();
        let kinds = kinds.into_iter().filter(|(_, share)| *share > 0.0);
        Shares { kinds: kinds.map(|(kind, share)| (kind, share / all, 0.0)).collect() }
    }

    fn next(&mut self) -> Option<Kind> {
        self.kinds.iter_mut().for_each(|(_, share, owed)| *owed += *share);
        let most = self.kinds.iter_mut().max_by(|a, b| a.2.total_cmp(&b.2))?;
        most.2 -= 1.0;
        Some(most.0)
    }
}
