//! Path selectors side by side, as a table and as a page: what each costs, and what it did.

use std::collections::BTreeMap;

use respray_hdl::config::Config;
use serde::Serialize;

use crate::SynthError;
use crate::baseline::Baseline;
use crate::figures::{ROUTED, XCUP};
use crate::report::{Generate, Origin, Table, instances, made_from};
use crate::sheet::{Bar, Part, Sheet};

/// What a selector takes of a device, and the day on which that was measured.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Cost {
    pub measured_on: String,
    /// On UltraScale+.
    pub lut: f64,
    pub ff: f64,
    /// Block RAMs of 36 kbit.
    pub bram36: f64,
    pub levels: f64,
    /// On ECP5, in MHz, the median of the seeds.
    pub fmax_mhz: f64,
}

impl Cost {
    /// The accepted figures of a core in a configuration, if what it is made from is still what they were measured of.
    ///
    /// # Errors
    /// Where its Verilog cannot be made.
    pub fn accepted(
        baseline: &Baseline,
        generate: Generate,
        core: &str,
        config: &Config,
    ) -> Result<Option<Cost>, SynthError> {
        let all = instances(&[core], config);
        let Some(instance) = all.iter().find(|instance| instance.config == *config) else { return Ok(None) };
        let made_from = made_from(generate, instance)?;
        let is_same =
            made_from.iter().all(|(device, from)| baseline.same(&instance.label, device, from).is_some());
        Ok(if is_same { Cost::of(baseline, &instance.label) } else { None })
    }

    /// The figures of a label in a baseline; none where one of them is missing.
    pub fn of(baseline: &Baseline, label: &str) -> Option<Cost> {
        let devices = baseline.cores.get(label)?;
        let (xcup, routed) = (devices.get(XCUP)?, devices.get(ROUTED)?);
        let figure = |name: &str| xcup.figures.get(name).copied();
        Some(Cost {
            measured_on: xcup.measured_on.clone().max(routed.measured_on.clone()),
            lut: figure("lut")?,
            ff: figure("ff")?,
            bram36: figure("bram18")? / 2.0,
            levels: figure("levels")?,
            fmax_mhz: routed.figures.get("fmax_mhz").copied()?,
        })
    }
}

/// One selector.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Row {
    pub selector: String,
    /// None: it was not measured in this configuration.
    pub cost: Option<Cost>,
    /// Bits of memory that a connection takes.
    pub state_bits: f64,
    /// Cycles between two ops, by class of op; those that change nothing are left out.
    pub cycles: BTreeMap<String, String>,
    /// What it did, by [`Measure`], each figure with its spread over the seeds: the least and the greatest. None where nothing ran.
    pub behaviour: BTreeMap<Measure, [f64; 3]>,
    /// Cycles in which the Verilog differed from its golden model.
    pub mismatches: u64,
}

/// A figure of what a selector did.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Measure {
    OntoBad,
    OntoMarked,
    Evs,
    Imbalance,
    Recycled,
}

impl Measure {
    const ALL: [Measure; 5] =
        [Measure::OntoBad, Measure::OntoMarked, Measure::Evs, Measure::Imbalance, Measure::Recycled];

    /// At the head of its column.
    const fn heading(self) -> &'static str {
        match self {
            Measure::OntoBad => "onto bad %",
            Measure::OntoMarked => "onto marked %",
            Measure::Evs => "EVs",
            Measure::Imbalance => "imbalance %",
            Measure::Recycled => "recycled %",
        }
    }

    /// As a title of its bars.
    const fn title(self) -> &'static str {
        match self {
            Measure::OntoBad => "Sends onto paths that mark every packet, in %",
            Measure::OntoMarked => "Sends onto EVs whose latest ACK was marked, in %",
            Measure::Evs => "EVs that a connection used",
            Measure::Imbalance => "Load imbalance over 32 uplinks, in %",
            Measure::Recycled => "Sends of EVs that feedback named, in %",
        }
    }

    fn shown(self, value: f64) -> String {
        match self {
            Measure::Evs => format!("{value:.0}"),
            _ => format!("{:.1}", 100.0 * value),
        }
    }
}

/// Selectors side by side.
#[derive(Clone, Debug, Serialize)]
pub struct Comparison {
    #[serde(flatten)]
    pub origin: Origin,
    /// What they were run on, a sentence.
    pub run: String,
    pub rows: Vec<Row>,
}

impl Comparison {
    /// For terminal and Markdown.
    pub fn table(&self) -> Table {
        let days: Vec<&str> =
            self.rows.iter().filter_map(|row| Some(row.cost.as_ref()?.measured_on.as_str())).collect();
        let measured = match (days.iter().min(), days.iter().max()) {
            (Some(first), Some(last)) if first == last => format!("measured on {first}"),
            (Some(first), Some(last)) => format!("measured from {first} to {last}"),
            _ => "not measured in this configuration; --measure does it".to_string(),
        };
        let note = format!(
            "{} LUT, FF, BRAM36 and levels on UltraScale+, MHz on ECP5 (median): {measured}. Imbalance: how much more than the mean the \
             most loaded of 32 uplinks has got. Means of the seeds.",
            self.run
        );
        let shown = self.measures();
        let mut header = vec!["selector", "LUT", "FF", "BRAM36", "levels", "MHz", "bits/conn", "cycles/op"];
        header.extend(shown.iter().map(|measure| measure.heading()));
        let mut table = Table::new("Path selectors side by side", note, &header);
        for row in &self.rows {
            let of_cost = |figure: fn(&Cost) -> f64, digits: usize| match &row.cost {
                Some(cost) => format!("{:.digits$}", figure(cost)),
                None => "-".to_string(),
            };
            let mut cells = vec![
                row.selector.clone(),
                of_cost(|cost| cost.lut, 0),
                of_cost(|cost| cost.ff, 0),
                of_cost(|cost| cost.bram36, 1),
                of_cost(|cost| cost.levels, 0),
                of_cost(|cost| cost.fmax_mhz, 0),
                format!("{:.0}", row.state_bits),
                row.cycles_in_short(),
            ];
            cells.extend(shown.iter().map(|measure| match row.behaviour.get(measure) {
                Some([mean, ..]) => measure.shown(*mean),
                None => "-".to_string(),
            }));
            table.row(cells);
        }
        table
    }

    /// Those of which some selector has a figure.
    fn measures(&self) -> Vec<Measure> {
        let has = |measure: &Measure| self.rows.iter().any(|row| row.behaviour.contains_key(measure));
        Measure::ALL.into_iter().filter(has).collect()
    }

    /// One page that needs nothing else.
    ///
    /// # Errors
    /// [`SynthError::Page`], where the template is broken.
    pub fn html(&self) -> Result<String, SynthError> {
        let cost = |title, figure: fn(&Cost) -> f64| {
            let values = self.rows.iter().map(|row| row.cost.as_ref().map(figure));
            self.bars(title, values, |value| format!("{value:.0}"))
        };
        let mut figures = vec![
            cost("LUTs on UltraScale+", |cost| cost.lut),
            cost("Fmax on ECP5 in MHz", |cost| cost.fmax_mhz),
        ];
        let bits = self.rows.iter().map(|row| Some(row.state_bits));
        figures.push(self.bars("Bits of memory a connection", bits, |value| format!("{value:.0}")));
        figures.extend(self.measures().into_iter().map(|measure| {
            let values = self.rows.iter().map(|row| row.behaviour.get(&measure).map(|[mean, ..]| *mean));
            self.bars(measure.title(), values, |value| measure.shown(value))
        }));
        let table = Part { table: Some(self.table()), ..Part::default() };
        let figures = figures.into_iter().filter(|part| !part.bars.is_empty());
        let Origin { version, commit, date, .. } = &self.origin;
        let sheet = Sheet {
            title: "respray: path selectors side by side".into(),
            origin: format!("respray {version} · commit {commit} · {date}"),
            text: vec![self.run.clone()],
            parts: [table].into_iter().chain(figures).collect(),
        };
        sheet.html()
    }

    fn bars(
        &self,
        title: &str,
        values: impl Iterator<Item = Option<f64>>,
        shown: impl Fn(f64) -> String,
    ) -> Part {
        let bars = self.rows.iter().zip(values).filter_map(|(row, value)| {
            let value = value?;
            Some(Bar { name: row.selector.clone(), value, spread: None, shown: shown(value) })
        });
        Part { heading: title.into(), bars: bars.collect(), ..Part::default() }
    }
}

impl Row {
    /// Of the classes of ops those that take the least and the most, where they differ.
    fn cycles_in_short(&self) -> String {
        let mut all: Vec<&str> = self.cycles.values().map(String::as_str).collect();
        all.sort_by_key(|cycles| (cycles.len(), cycles.to_string()));
        all.dedup();
        match all.as_slice() {
            [] => "-".to_string(),
            [one] => one.to_string(),
            [first, .., last] => format!("{first} to {last}"),
        }
    }
}
