//! The accepted figures, `synth/baseline.json`, and the gate that holds new ones against them.
//!
//! A core fails where LUT, FF, block RAM, URAM or logic levels grow by more than 2%, or where the median Fmax falls by
//! more than 10%. Figures of other tool versions are not comparable, so the baseline names the versions that made it;
//! and it carries a seal over its content, so that figures change by measuring only.

use std::collections::BTreeMap;
use std::io::Write;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use thiserror::Error;

use crate::cache;
use crate::report::{Outcome, Report, Table};

/// Growth that passes.
const GROWTH: f64 = 0.02;

/// Fall of the median Fmax that passes.
const FALL: f64 = 0.10;

/// Accepted figures of every core under the default configuration.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Baseline {
    /// Version by tool.
    pub tools: BTreeMap<String, String>,
    /// Figures by core, then by device, then by name.
    pub cores: BTreeMap<String, BTreeMap<String, Figures>>,
    /// Hash of all the rest.
    seal: String,
}

/// Figures of one core on one device, by name: those of [`FIGURES`].
pub type Figures = BTreeMap<String, f64>;

/// Names of the figures, and whether more is better.
pub const FIGURES: &[(&str, bool)] = &[
    ("lut", false),
    ("ff", false),
    ("bram18", false),
    ("uram", false),
    ("levels", false),
    ("comb", false),
    ("ebr", false),
    ("fmax_mhz", true),
];

/// Why there is nothing to compare with. Each says what to do.
#[derive(Debug, Error)]
pub enum BaselineError {
    #[error("{}: there is no baseline: {source}; `respray report --accept` writes one", path.display())]
    Read { path: PathBuf, source: std::io::Error },
    #[error("{}: cannot be written: {source}", path.display())]
    Write { path: PathBuf, source: std::io::Error },
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
    /// Whether it breaks the gate.
    pub fails: bool,
}

impl Baseline {
    /// The figures of `report`, which must hold every core on UltraScale+ and ECP5.
    pub fn of(report: &Report) -> Result<Baseline, BaselineError> {
        if let Some(sentence) = report.unfit() {
            return Err(BaselineError::Unfit { sentence: sentence.into() });
        }
        let mut cores = BTreeMap::new();
        for core in &report.cores {
            let mut devices = BTreeMap::new();
            if let Some(x) = core.ultrascale.as_ref().and_then(Outcome::figures) {
                let figures = [
                    ("lut", x.luts),
                    ("ff", x.ff),
                    ("bram18", x.bram_halves()),
                    ("uram", x.uram),
                    ("levels", x.levels),
                ];
                devices.insert("xcup".into(), named(figures.map(|(name, count)| (name, f64::from(count)))));
            }
            if let Some(r) = core.ecp5.as_ref().and_then(Outcome::figures) {
                let fmax_mhz = (r.fmax_mhz.median * 10.0).round() / 10.0;
                let figures = [
                    ("comb", f64::from(r.logic)),
                    ("ff", f64::from(r.ff)),
                    ("ebr", f64::from(r.memory)),
                    ("fmax_mhz", fmax_mhz),
                ];
                devices.insert("ecp5".into(), named(figures));
            }
            cores.insert(core.label.clone(), devices);
        }
        let version = |tool: &String| {
            let mut words = tool.split(' ').map(str::to_string);
            Some((words.next()?, words.next()?))
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
            message: error.to_string(),
        })?;
        if baseline.seal != baseline.seal_of_content() {
            return Err(BaselineError::Edited { path: path.to_path_buf() });
        }
        Ok(baseline)
    }

    /// Writes it to `path`, whole or not at all.
    pub fn write(&self, path: &Path) -> Result<(), BaselineError> {
        let error = |source| BaselineError::Write { path: path.to_path_buf(), source };
        let text = serde_json::to_string_pretty(self).map_err(|source| error(source.into()))?;
        let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
        let mut file = tempfile::NamedTempFile::new_in(folder).map_err(error)?;
        writeln!(file, "{text}").map_err(error)?;
        file.persist(path).map_err(|failed| error(failed.error))?;
        Ok(())
    }

    /// Holds `now` against this baseline, which stands at `path`. Cores that were not measured now are left out, unless
    /// `every` core was.
    pub fn compare(
        &self,
        now: &Baseline,
        path: &Path,
        every: bool,
    ) -> Result<Vec<Difference>, BaselineError> {
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
        if let Some(core) = self.cores.keys().find(|core| every && !now.cores.contains_key(*core)) {
            return Err(BaselineError::Gone { path: path(), core: core.clone() });
        }
        let mut differences = Vec::new();
        for (core, devices) in &now.cores {
            for (device, figures) in devices {
                let accepted =
                    self.cores.get(core).and_then(|devices| devices.get(device)).ok_or_else(|| {
                        BaselineError::Core { path: path(), core: core.clone(), device: device.clone() }
                    })?;
                for (figure, more_is_better) in FIGURES {
                    let (Some(&accepted), Some(&now)) = (accepted.get(*figure), figures.get(*figure)) else {
                        continue;
                    };
                    let fails = if *more_is_better {
                        now < accepted * (1.0 - FALL)
                    } else {
                        now > accepted * (1.0 + GROWTH)
                    };
                    let (core, device, figure) = (core.clone(), device.clone(), figure.to_string());
                    differences.push(Difference { core, device, figure, accepted, now, fails });
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

fn named<const N: usize>(figures: [(&str, f64); N]) -> Figures {
    figures.into_iter().map(|(name, figure)| (name.to_string(), figure)).collect()
}

impl Difference {
    /// Change in percent; none where something came from nothing.
    pub fn percent(&self) -> Option<f64> {
        (self.accepted != 0.0).then(|| 100.0 * (self.now - self.accepted) / self.accepted)
    }

    /// The failure as a sentence.
    pub fn sentence(&self) -> String {
        let change = self.percent().map_or("from none".to_string(), |percent| format!("{percent:+.1}%"));
        format!(
            "{} on {}: {} {} → {} ({change})",
            self.core, self.device, self.figure, self.accepted, self.now
        )
    }
}

/// The differences as a table: every figure that changed, or all of them.
pub fn table(differences: &[Difference], all: bool) -> Table {
    let mut table = Table::new(
        "Against the accepted figures",
        format!(
            "Fails: growth of more than {:.0}%, or a median Fmax lower by more than {:.0}%.",
            100.0 * GROWTH,
            100.0 * FALL
        ),
        &["core", "device", "figure", "accepted", "now", "change in %", "verdict"],
    );
    for difference in differences.iter().filter(|d| all || d.accepted != d.now) {
        let verdict = match difference {
            _ if difference.fails => "FAILS",
            _ if difference.accepted == difference.now => "same",
            _ => "passes",
        };
        table.row([
            difference.core.clone(),
            difference.device.clone(),
            difference.figure.clone(),
            difference.accepted.to_string(),
            difference.now.to_string(),
            difference.percent().map_or("-".into(), |percent| format!("{percent:+.1}")),
            verdict.into(),
        ]);
    }
    table
}

#[cfg(test)]
mod tests {
    use super::*;

    fn baseline(lut: f64, fmax_mhz: f64) -> Baseline {
        let devices = [
            ("xcup".to_string(), named([("lut", lut), ("bram18", 0.0)])),
            ("ecp5".to_string(), named([("fmax_mhz", fmax_mhz)])),
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
        let differences = accepted.compare(now, Path::new("b.json"), true).unwrap();
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
        with_ram.cores.get_mut("reps").unwrap().get_mut("xcup").unwrap().insert("bram18".into(), 1.0);
        assert_eq!(failing(&accepted, &with_ram), ["reps on xcup: bram18 0 → 1 (from none)"]);
    }

    #[test]
    fn a_stale_baseline_says_what_is_stale() {
        let (accepted, path) = (baseline(200.0, 250.0), Path::new("b.json"));
        let stale = |change: &dyn Fn(&mut Baseline)| {
            let mut now = baseline(200.0, 250.0);
            change(&mut now);
            accepted.compare(&now, path, true).unwrap_err().to_string()
        };
        let tool = stale(&|now| drop(now.tools.insert("yosys".into(), "0.23".into())));
        assert!(tool.starts_with("b.json: stale: made with yosys 0.70, here is 0.23"), "{tool}");
        let core = stale(&|now| drop(now.cores.insert("nic".into(), now.cores["reps"].clone())));
        assert!(core.contains("it has no nic on"), "{core}");
        let gone = stale(&|now| drop(now.cores.remove("reps")));
        assert!(gone.contains("it has reps, which is no core"), "{gone}");
    }

    #[test]
    fn a_baseline_comes_back_as_written_and_is_refused_when_edited() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("baseline.json");
        let missing = Baseline::read(&path).unwrap_err().to_string();
        assert!(missing.contains("`respray report --accept` writes one"), "{missing}");
        baseline(200.0, 250.3).write(&path).unwrap();
        assert_eq!(Baseline::read(&path).unwrap(), baseline(200.0, 250.3));
        let text = std::fs::read_to_string(&path).unwrap();
        std::fs::write(&path, text.replace("200", "300")).unwrap();
        assert!(matches!(Baseline::read(&path), Err(BaselineError::Edited { .. })));
        std::fs::write(&path, "{").unwrap();
        assert!(matches!(Baseline::read(&path), Err(BaselineError::Format { .. })));
    }
}
