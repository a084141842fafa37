//! The accepted figures, `synth/baseline.json`, and the gate that holds new ones against them.
//!
//! A core fails where LUT, FF, block RAM, URAM or logic levels grow by more than 2%, where an estimated period grows by more than 10%,
//! or where the median Fmax falls by more than 10%. Figures of other tool versions are not comparable, so the baseline names the versions that made it;
//! and it carries a seal over its content, so that figures change by measuring only.

use std::collections::BTreeMap;
use std::fmt;
use std::path::{Path, PathBuf};

use respray_files::quote::Message;
use serde::{Deserialize, Serialize};
use thiserror::Error;

use crate::cache;
use crate::figures::{Accepted, FIGURES, ROUTED, XCUP, of_routed, of_xilinx, tolerance};
use crate::fmax::Estimate;
use crate::report::{Earlier, Fit, Report, Table};

/// The tools that make the accepted figures. What others make, such as figures of the iCE40, is not accepted.
const TOOLS: [&str; 2] = ["yosys", "nextpnr-ecp5"];

/// Accepted figures of every core under the default configuration.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Baseline {
    /// Version by tool.
    pub tools: BTreeMap<String, String>,
    /// By core, then by device: [`XCUP`] or [`ROUTED`].
    pub cores: BTreeMap<String, BTreeMap<String, Accepted>>,
    /// Hash of all the rest.
    seal: String,
}

/// Why there is nothing to compare with. Each says what to do.
#[derive(Debug, Error)]
pub enum BaselineError {
    #[error("{}: there is no baseline: {source}; `respray report --accept` writes one", path.display())]
    Read { path: PathBuf, source: std::io::Error },
    #[error("{}: not a baseline: {message}; `respray report --accept` writes one", path.display())]
    Format { path: PathBuf, message: String },
    #[error("{}: was edited by hand (its seal is broken); `respray report --accept` rewrites it from measured figures", path.display())]
    Edited { path: PathBuf },
    #[error("{}: stale: made with {tool} {accepted}, here is {here}; install that version (./setup.sh --all) or run `respray report --accept`", path.display())]
    Tool { path: PathBuf, tool: String, accepted: String, here: String },
    #[error("{}: stale: it has no {core} on {device}; `respray report --accept` adds it", path.display())]
    Core { path: PathBuf, core: String, device: String },
    #[error("{}: stale: it has {core}, which is no core of respray; `respray report --accept` removes it", path.display())]
    Gone { path: PathBuf, core: String },
    #[error("there are no figures to accept or check: {sentence}")]
    Unfit { sentence: String },
}

/// One figure, accepted and now.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Difference {
    pub core: String,
    pub device: String,
    pub figure: String,
    pub accepted: f64,
    pub now: f64,
    /// Change in percent; none where something came from nothing.
    pub percent: Option<f64>,
    pub trend: Trend,
    /// Whether it breaks the gate.
    pub fails: bool,
}

/// What has become of a figure.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Trend {
    Same,
    Better,
    Worse,
}

/// The measured figures against the accepted ones.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Compared {
    /// Every figure of which there is an accepted one.
    Differences(Vec<Difference>),
    /// Why they cannot be compared, as a sentence.
    NotCompared(String),
}

impl Baseline {
    /// The figures of `report`, measured `today`, which is written as [`Accepted::measured_on`] is. Each core must fit
    /// the devices on which it was measured.
    pub fn of(report: &Report, today: &str) -> Result<Baseline, BaselineError> {
        if let Some(sentence) = report.unfit() {
            return Err(BaselineError::Unfit { sentence: sentence.into() });
        }
        let mut cores = BTreeMap::new();
        for core in &report.cores {
            let mut devices = BTreeMap::new();
            let mut accept = |device: &str, made_from: &str, figures, slowest_path| {
                let (made_from, measured_on) = (made_from.to_string(), today.to_string());
                let accepted = Accepted { made_from, measured_on, figures, slowest_path };
                devices.insert(device.to_string(), accepted);
            };
            if let Some(x) = core.ultrascale.as_ref().and_then(Fit::figures) {
                let slowest_path = x.fmax_estimate.estimate().map(Estimate::ends);
                accept(XCUP, &x.made_from, of_xilinx(x), slowest_path);
            }
            if let Some(routed) = core.ecp5.as_ref().and_then(Fit::figures) {
                accept(ROUTED, &routed.made_from, of_routed(routed), None);
            }
            cores.insert(core.label.clone(), devices);
        }
        let version = |tool: &String| {
            let mut words = tool.split(' ').map(str::to_string);
            Some((words.next()?, words.next()?)).filter(|(tool, _)| TOOLS.contains(&tool.as_str()))
        };
        let mut baseline =
            Baseline { tools: report.tools.iter().filter_map(version).collect(), cores, seal: String::new() };
        baseline.seal = baseline.seal_of_content();
        Ok(baseline)
    }

    /// Reads the baseline at `path` and checks its seal.
    pub fn read(path: &Path) -> Result<Baseline, BaselineError> {
        let text = std::fs::read_to_string(path)
            .map_err(|source| BaselineError::Read { path: path.to_path_buf(), source })?;
        let baseline: Baseline = serde_json::from_str(&text).map_err(|error| BaselineError::Format {
            path: path.to_path_buf(),
            message: Message(&error.to_string()).to_string(),
        })?;
        if baseline.seal != baseline.seal_of_content() {
            return Err(BaselineError::Edited { path: path.to_path_buf() });
        }
        Ok(baseline)
    }

    /// What stands in its file.
    pub fn text(&self) -> String {
        serde_json::to_string_pretty(self).expect("figures are plain data, which JSON takes") + "\n"
    }

    /// What is accepted of `label` on `device`, if it was made from the same with the same tools.
    pub fn same(&self, label: &str, device: &str, made_from: &str) -> Option<&Accepted> {
        self.cores.get(label)?.get(device).filter(|accepted| accepted.made_from == made_from)
    }

    /// What is accepted of the cores of these labels.
    pub fn earlier(&self, labels: &[&str]) -> Vec<Earlier> {
        let mut earlier = Vec::new();
        for label in labels {
            for (device, accepted) in self.cores.get(*label).into_iter().flatten() {
                let (device, accepted) = (device.clone(), accepted.clone());
                earlier.push(Earlier { label: label.to_string(), device, accepted });
            }
        }
        earlier
    }

    /// Gives what is the same as in `before` the day on which that was measured.
    pub fn keep_days(mut self, before: &Baseline) -> Baseline {
        for (label, devices) in &mut self.cores {
            for (device, now) in devices {
                if let Some(then) = before.same(label, device, &now.made_from) {
                    now.measured_on.clone_from(&then.measured_on);
                }
            }
        }
        self.seal = self.seal_of_content();
        self
    }

    /// Keeps the figures of cores that were not measured now, because they are made from what they were made from then.
    pub fn with_earlier(mut self, earlier: &[Earlier]) -> Baseline {
        for Earlier { label, device, accepted } in earlier {
            let devices = self.cores.entry(label.clone()).or_default();
            devices.entry(device.clone()).or_insert_with(|| accepted.clone());
        }
        self.seal = self.seal_of_content();
        self
    }

    /// Refuses this baseline, which stands at `path`, if it has a core that `labels`, those of all cores, do not name.
    pub fn check_cores(&self, labels: &[&str], path: &Path) -> Result<(), BaselineError> {
        match self.cores.keys().find(|core| !labels.contains(&core.as_str())) {
            Some(core) => Err(BaselineError::Gone { path: path.to_path_buf(), core: core.clone() }),
            None => Ok(()),
        }
    }

    /// Holds `now`, of some or all cores, against this baseline, which stands at `path`.
    pub fn compare(&self, now: &Baseline, path: &Path) -> Result<Vec<Difference>, BaselineError> {
        let path = || path.to_path_buf();
        for (tool, here) in &now.tools {
            let accepted = self.tools.get(tool).cloned().unwrap_or_else(|| "none".into());
            if accepted != *here {
                return Err(BaselineError::Tool {
                    path: path(),
                    tool: tool.clone(),
                    accepted,
                    here: here.clone(),
                });
            }
        }
        let mut differences = Vec::new();
        for (core, devices) in &now.cores {
            for (device, measured) in devices {
                let accepted =
                    self.cores.get(core).and_then(|devices| devices.get(device)).ok_or_else(|| {
                        BaselineError::Core { path: path(), core: core.clone(), device: device.clone() }
                    })?;
                for (figure, more_is_better) in FIGURES {
                    let of = |accepted: &Accepted| accepted.figures.get(*figure).copied();
                    let (Some(accepted), Some(now)) = (of(accepted), of(measured)) else { continue };
                    differences.push(Difference::new([core, device, figure], accepted, now, *more_is_better));
                }
            }
        }
        Ok(differences)
    }

    fn seal_of_content(&self) -> String {
        let content = serde_json::json!({"tools": self.tools, "cores": self.cores}).to_string();
        cache::key(&["respray baseline", &content])
    }
}

impl Difference {
    /// Of one figure, named by core, device and figure.
    pub fn new(names: [&str; 3], accepted: f64, now: f64, more_is_better: bool) -> Difference {
        let [core, device, figure] = names.map(str::to_string);
        let fails = match more_is_better {
            true => now < accepted * (1.0 - tolerance(&figure)),
            false => now > accepted * (1.0 + tolerance(&figure)),
        };
        let trend = match (now == accepted, (now > accepted) == more_is_better) {
            (true, _) => Trend::Same,
            (false, true) => Trend::Better,
            (false, false) => Trend::Worse,
        };
        let percent = (accepted != 0.0).then(|| 100.0 * (now - accepted) / accepted);
        Difference { core, device, figure, accepted, now, percent, trend, fails }
    }

    /// The failure as a sentence.
    pub fn sentence(&self) -> String {
        let change = self.percent.map_or("from none".to_string(), |percent| format!("{percent:+.1}%"));
        format!(
            "{} on {}: {} {} → {} ({change})",
            self.core, self.device, self.figure, self.accepted, self.now
        )
    }
}

impl fmt::Display for Trend {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Trend::Same => "same",
            Trend::Better => "better",
            Trend::Worse => "worse",
        })
    }
}

/// The differences as a table: every figure that changed, or all of them.
pub fn table(differences: &[Difference], all: bool) -> Table {
    let mut table = Table::new(
        "Against the accepted figures",
        format!(
            "Fails: growth of more than {:.0}%, or a median Fmax lower or an estimated period longer by more than {:.0}%.",
            100.0 * tolerance("lut"),
            100.0 * tolerance("fmax_mhz")
        ),
        &["core", "device", "figure", "before", "now", "change in %", "trend", "verdict"],
    );
    for difference in differences.iter().filter(|d| all || d.accepted != d.now) {
        table.row([
            difference.core.clone(),
            difference.device.clone(),
            difference.figure.clone(),
            difference.accepted.to_string(),
            difference.now.to_string(),
            difference.percent.map_or("-".into(), |percent| format!("{percent:+.1}")),
            difference.trend.to_string(),
            if difference.fails { "FAILS" } else { "passes" }.into(),
        ]);
    }
    table
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::figures::named;

    fn baseline(lut: f64, fmax_mhz: f64) -> Baseline {
        let accepted = |figures| Accepted {
            made_from: "0f".into(),
            measured_on: "2026-11-22".into(),
            figures,
            slowest_path: None,
        };
        let devices = [
            (XCUP.to_string(), accepted(named([("lut", lut), ("bram18", 0.0)]))),
            (ROUTED.to_string(), accepted(named([("fmax_mhz", fmax_mhz)]))),
        ];
        let mut baseline = Baseline {
            tools: [("yosys".to_string(), "0.70".to_string())].into(),
            cores: [("reps".to_string(), devices.into_iter().collect())].into(),
            seal: String::new(),
        };
        baseline.seal = baseline.seal_of_content();
        baseline
    }

    fn failing(accepted: &Baseline, now: &Baseline) -> Vec<String> {
        let differences = accepted.compare(now, Path::new("b.json")).unwrap();
        differences.iter().filter(|d| d.fails).map(Difference::sentence).collect()
    }

    #[test]
    fn the_gate_stands_at_two_and_ten_percent() {
        let accepted = baseline(200.0, 250.0);
        assert_eq!(failing(&accepted, &baseline(204.0, 225.0)), Vec::<String>::new());
        assert_eq!(failing(&accepted, &baseline(205.0, 225.0)), ["reps on xcup: lut 200 → 205 (+2.5%)"]);
        assert_eq!(
            failing(&accepted, &baseline(100.0, 224.9)),
            ["reps on ecp5: fmax_mhz 250 → 224.9 (-10.0%)"]
        );
        let mut with_ram = baseline(200.0, 250.0);
        let xcup = with_ram.cores.get_mut("reps").unwrap().get_mut(XCUP).unwrap();
        xcup.figures.insert("bram18".into(), 1.0);
        assert_eq!(failing(&accepted, &with_ram), ["reps on xcup: bram18 0 → 1 (from none)"]);
    }

    #[test]
    fn more_is_worse_of_what_is_taken_and_better_of_a_clock() {
        let differences =
            baseline(200.0, 250.0).compare(&baseline(190.0, 225.0), Path::new("b.json")).unwrap();
        let trends: Vec<(&str, Option<f64>, Trend)> =
            differences.iter().map(|d| (d.figure.as_str(), d.percent, d.trend)).collect();
        assert_eq!(
            trends,
            [
                ("fmax_mhz", Some(-10.0), Trend::Worse),
                ("lut", Some(-5.0), Trend::Better),
                ("bram18", None, Trend::Same)
            ]
        );
    }

    #[test]
    fn a_stale_baseline_says_what_is_stale() {
        let (accepted, path) = (baseline(200.0, 250.0), Path::new("b.json"));
        let stale = |change: &dyn Fn(&mut Baseline)| {
            let mut now = baseline(200.0, 250.0);
            change(&mut now);
            accepted.compare(&now, path).unwrap_err().to_string()
        };
        let tool = stale(&|now| drop(now.tools.insert("yosys".into(), "0.23".into())));
        assert!(tool.starts_with("b.json: stale: made with yosys 0.70, here is 0.23"), "{tool}");
        let core = stale(&|now| drop(now.cores.insert("nic".into(), now.cores["reps"].clone())));
        assert!(core.contains("it has no nic on"), "{core}");
        assert!(accepted.check_cores(&["ops", "reps"], path).is_ok());
        let gone = accepted.check_cores(&["ops"], path).unwrap_err().to_string();
        assert!(gone.contains("it has reps, which is no core"), "{gone}");
    }

    #[test]
    fn what_is_made_from_the_same_keeps_the_day_of_its_measurement() {
        let before = baseline(200.0, 250.0);
        let mut now = before.clone();
        for device in now.cores.get_mut("reps").unwrap().values_mut() {
            device.measured_on = "2027-01-01".into();
        }
        now.cores.get_mut("reps").unwrap().get_mut(ROUTED).unwrap().made_from = "10".into();
        let days: Vec<String> =
            now.keep_days(&before).cores["reps"].values().map(|device| device.measured_on.clone()).collect();
        assert_eq!(days, ["2027-01-01", "2026-11-22"], "ecp5, xcup");
    }

    #[test]
    fn what_was_not_measured_again_stays_as_it_was_accepted() {
        let mut before = baseline(200.0, 250.0);
        before.cores.insert("ops".into(), before.cores["reps"].clone());
        let now = baseline(190.0, 251.0).with_earlier(&before.earlier(&["ops", "reps"]));
        assert_eq!(now.cores["ops"], before.cores["ops"]);
        assert_eq!(now.cores["reps"], baseline(190.0, 251.0).cores["reps"], "what was measured is new");
        let file = tempfile::NamedTempFile::new().unwrap();
        std::fs::write(file.path(), now.text()).unwrap();
        assert_eq!(Baseline::read(file.path()).unwrap(), now, "its seal holds");
    }

    #[test]
    fn a_baseline_comes_back_as_written_and_is_refused_when_edited() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("baseline.json");
        let missing = Baseline::read(&path).unwrap_err().to_string();
        assert!(missing.contains("`respray report --accept` writes one"), "{missing}");
        std::fs::write(&path, baseline(200.0, 250.3).text()).unwrap();
        assert_eq!(Baseline::read(&path).unwrap(), baseline(200.0, 250.3));
        let text = std::fs::read_to_string(&path).unwrap();
        std::fs::write(&path, text.replace("200", "300")).unwrap();
        assert!(matches!(Baseline::read(&path), Err(BaselineError::Edited { .. })));
        std::fs::write(&path, "{").unwrap();
        assert!(matches!(Baseline::read(&path), Err(BaselineError::Format { .. })));
    }
}
