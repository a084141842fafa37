//! Cores side by side: a row a core, a column a figure, and in each cell a bar on the scale of its column.

use serde::Serialize;

use super::bars::Against;
use super::cores::View;
use crate::plot::Colour;
use crate::sheet::percent;

/// The table.
#[derive(Debug, Serialize)]
pub(super) struct Matrix {
    groups: Vec<Group>,
    columns: Vec<&'static str>,
    rows: Vec<Row>,
}

/// The columns of one device.
#[derive(Debug, Serialize)]
struct Group {
    title: String,
    columns: usize,
}

#[derive(Debug, Serialize)]
struct Row {
    label: String,
    anchor: String,
    /// Class of its colour.
    hue: String,
    cells: Vec<Cell>,
}

/// A figure, or why there is none.
#[derive(Debug, Default, Serialize)]
struct Cell {
    what: &'static str,
    shown: Option<String>,
    says: String,
    /// Length of the bar in % of the cell; none where nobody would see it.
    length: Option<f64>,
    /// Place of the limit in the same.
    mark: Option<f64>,
    is_good: bool,
}

/// A shorter bar, in % of its cell, is not drawn.
const SHORTEST: f64 = 1.0;

impl Matrix {
    pub(super) fn of(cores: &[View]) -> Matrix {
        let mut columns: Vec<(&str, &'static str)> = Vec::new();
        for device in cores.iter().flat_map(|core| &core.devices) {
            for bar in &device.bars {
                if columns.contains(&(device.title, bar.what)) {
                    continue;
                }
                let of_device = columns.iter().rposition(|(title, _)| *title == device.title);
                columns.insert(of_device.map_or(columns.len(), |last| last + 1), (device.title, bar.what));
            }
        }
        let mut groups: Vec<Group> = Vec::new();
        for (title, _) in &columns {
            match groups.last_mut().filter(|group| group.title == *title) {
                Some(group) => group.columns += 1,
                None => groups.push(Group { title: title.to_string(), columns: 1 }),
            }
        }
        let most = |column: (&str, &str)| {
            let bars = cores.iter().flat_map(|core| &core.devices).filter(|device| device.title == column.0);
            let bars = bars.flat_map(|device| &device.bars).filter(|bar| bar.what == column.1);
            let budget = |bar: &super::bars::Bar| bar.limit.filter(|_| bar.against == Against::Budget);
            bars.map(|bar| bar.value.max(budget(bar).unwrap_or(0.0))).fold(0.0, f64::max)
        };
        let most: Vec<f64> = columns.iter().map(|column| most(*column)).collect();
        let row = |core: &View| Row {
            label: core.label.clone(),
            anchor: core.anchor.clone(),
            hue: Colour::of(&core.label).class(),
            cells: columns.iter().zip(&most).map(|(column, most)| cell(core, *column, *most)).collect(),
        };
        let rows = cores.iter().map(row).collect();
        Matrix { groups, columns: columns.iter().map(|(_, what)| *what).collect(), rows }
    }
}

fn cell(core: &View, (title, what): (&str, &'static str), most: f64) -> Cell {
    let Some(device) = core.devices.iter().find(|device| device.title == title) else {
        return Cell::default();
    };
    let Some((place, bar)) = device.bars.iter().enumerate().find(|(_, bar)| bar.what == what) else {
        let says = if device.unfit.is_some() { "does not fit" } else { "" };
        return Cell { says: says.into(), is_good: true, ..Cell::default() };
    };
    // what differs on this device is said once, in its first column
    let differs = device.differs.iter().filter(|_| place == 0);
    let says: Vec<&str> = [bar.says.as_str()]
        .into_iter()
        .filter(|says| !says.is_empty())
        .chain(differs.map(String::as_str))
        .collect();
    Cell {
        what,
        shown: Some(bar.shown.clone()),
        says: says.join(", "),
        length: Some(percent(bar.value, most)).filter(|length| *length >= SHORTEST),
        mark: bar.limit.filter(|_| bar.against == Against::Budget).map(|limit| percent(limit, most)),
        is_good: bar.good,
    }
}
