//! Path selectors side by side, as a table and as a page: what each costs, and what it did.

use std::collections::BTreeMap;

use respray_hdl::config::Config;
use serde::Serialize;

use crate::SynthError;
use crate::baseline::Baseline;
use crate::figures::{ROUTED, XCUP};
use crate::report::{Generate, Origin, Table, instances, made_from};
use crate::sheet::{Bar, Panel, Part, Sheet, Tile, share_scale};

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
            Measure::OntoBad => "onto bad paths %",
            Measure::OntoMarked => "onto marked EVs %",
            Measure::Evs => "EVs",
            Measure::Imbalance => "imbalance %",
            Measure::Recycled => "recycled %",
        }
    }

    /// As a title of its bars.
    const fn title(self) -> &'static str {
        match self {
            Measure::OntoBad => "Sends onto paths that always mark, in %",
            Measure::OntoMarked => "Sends onto EVs last seen marked, in %",
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
        let mut header =
            vec!["selector", "LUT", "FF", "BRAM36", "levels", "MHz", "bits a connection", "cycles an op"];
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
        let whole = |value: f64| format!("{value:.0}");
        let cost = |title, figure: fn(&Cost) -> f64| {
            let value = move |row: &Row| Some([figure(row.cost.as_ref()?); 3]);
            self.panel(title, &value, &whole)
        };
        let costs = vec![
            cost("LUTs on UltraScale+", |cost| cost.lut),
            cost("Fmax on ECP5 in MHz", |cost| cost.fmax_mhz),
            self.panel("Bits of memory a connection", &|row| Some([row.state_bits; 3]), &whole),
        ];
        let of = |measures: &[Measure]| -> Vec<Panel> {
            let shown = self.measures();
            let measures = shown.iter().filter(|measure| measures.contains(measure));
            let panel = |measure: &Measure| {
                let value = |row: &Row| row.behaviour.get(measure).copied();
                self.panel(measure.title(), &value, &|value| measure.shown(value))
            };
            measures.map(panel).collect()
        };
        let mut of_sends = of(&[Measure::OntoBad, Measure::OntoMarked, Measure::Recycled]);
        share_scale(&mut of_sends);
        of_sends.extend(of(&[Measure::Evs, Measure::Imbalance]));
        let part = |heading: &str, text: &str, panels: Vec<Panel>| Part {
            heading: heading.into(),
            text: vec![text.into()],
            panels: panels.into_iter().filter(|panel| !panel.bars.is_empty()).collect(),
            ..Part::default()
        };
        let does = "A bar is the mean of the seeds, the thin line on it goes from the least to the greatest. The three shares of sends \
                    share one scale.";
        let takes = "One instance, in the configuration of this run.";
        let table = self.table();
        let parts = [
            part("What each selector does", does, of_sends),
            part("What each selector takes", takes, costs),
            Part { heading: "All figures".into(), table: Some(table), ..Part::default() },
        ];
        let Origin { version, commit, date, .. } = &self.origin;
        let sheet = Sheet {
            title: "respray: path selectors side by side".into(),
            origin: format!("respray {version} · commit {commit} · {date}"),
            text: vec![self.run.clone()],
            tiles: self.tiles(),
            parts: parts.into_iter().filter(|part| !part.panels.is_empty() || part.table.is_some()).collect(),
        };
        sheet.html()
    }

    fn tiles(&self) -> Vec<Tile> {
        let differing: Vec<&str> =
            self.rows.iter().filter(|row| row.mismatches > 0).map(|row| row.selector.as_str()).collect();
        let mismatches: u64 = self.rows.iter().map(|row| row.mismatches).sum();
        let right = Tile {
            value: if differing.is_empty() {
                "equal".into()
            } else {
                format!("{} differ", differing.join(", "))
            },
            name: "RTL against golden model, every port in every cycle".into(),
            detail: format!("{} selectors, {mismatches} mismatches", self.rows.len()),
            is_good: Some(differing.is_empty()),
        };
        let range = |name: &str, ends: [&str; 2], figure: fn(&Cost) -> f64| {
            let mut costs: Vec<(f64, &str)> = self
                .rows
                .iter()
                .filter_map(|row| Some((figure(row.cost.as_ref()?), row.selector.as_str())))
                .collect();
            costs.sort_by(|a, b| a.0.total_cmp(&b.0));
            let ((least, first), (most, last)) = (costs.first()?, costs.last()?);
            Some(Tile {
                value: format!("{least:.0} to {most:.0}"),
                name: name.into(),
                detail: format!("{}: {first}; {}: {last}", ends[0], ends[1]),
                is_good: None,
            })
        };
        let large = range("LUTs on UltraScale+", ["smallest", "largest"], |cost| cost.lut);
        let fast = range("MHz on ECP5, placed and routed", ["slowest", "fastest"], |cost| cost.fmax_mhz);
        [Some(right), large, fast].into_iter().flatten().collect()
    }

    /// A bar for each selector that has the figure: its mean, least and greatest.
    fn panel(
        &self,
        heading: &str,
        figure: &dyn Fn(&Row) -> Option<[f64; 3]>,
        shown: &dyn Fn(f64) -> String,
    ) -> Panel {
        let bars = self.rows.iter().filter_map(|row| {
            let [value, least, greatest] = figure(row)?;
            let spread = (least < greatest).then_some([least, greatest]);
            Some(Bar { name: row.selector.clone(), value, spread, shown: shown(value), ..Bar::default() })
        });
        Panel { heading: heading.into(), bars: bars.collect(), ..Panel::default() }
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
