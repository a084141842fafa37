//! Lockstep runs, as `respray cosim --json` writes them.

use std::path::Path as FilePath;

use serde::Serialize;
use serde_json::Value;

use super::paths::{self, Path};
use super::{Wave, anchor};
use crate::{SynthError, read_json};

/// One lockstep run.
#[derive(Clone, Debug, Serialize)]
pub struct Run {
    /// What it ran on: the name of its file.
    pub name: String,
    pub core: String,
    pub passes: bool,
    /// Ops, frames or packets.
    pub ops: String,
    pub cycles: u64,
    /// The same for a reader.
    pub cycles_grouped: String,
    pub mismatches: u64,
    /// Counts of the core that are not 0, e.g. explore, recycle, replay.
    pub counts: Vec<(String, String)>,
    /// Names of those that are 0.
    pub zeros: Vec<String>,
    /// Cycles a second.
    pub speed: String,
    /// Waves, where there are any, as the run names them.
    pub wave: Option<String>,
    /// Of two blocks with a network between them: the word for that network, and what it is like, where the reader of
    /// the file knows it.
    pub scenario: Option<String>,
    pub network: Option<String>,
    /// The same: the share of each path over time, as HTML.
    pub paths: Option<String>,
}

/// A run with what leads to its waves.
#[derive(Debug, Serialize)]
pub(super) struct View<'a> {
    #[serde(flatten)]
    run: &'a Run,
    anchor: String,
    /// Address of the waves from the page, where they stand beside it.
    wave_href: Option<String>,
}

/// Keys of what a run is given: ops of an engine, frames of a rewriter, packets of a network or of hosts. The first that is there.
const GIVEN: [&str; 4] = ["ops", "frames", "packets", "data_packets"];

/// Keys of the JSON that are no counts of the core.
const KNOWN: [&str; 12] = [
    "core",
    "config",
    "cycles",
    "mismatches",
    "cycles_per_second",
    "result",
    "first_difference",
    "last_ops",
    "wave",
    "reproducer",
    "reproducer_ops",
    "command",
];

impl Run {
    pub(super) fn view(&self, waves: &[Wave]) -> View<'_> {
        let written = self.wave.as_deref();
        let wave = written.and_then(|path| waves.iter().find(|wave| wave.is(path)));
        View { run: self, anchor: anchor("run", &self.name), wave_href: wave.map(Wave::href) }
    }

    /// Reads the JSON at `path`.
    pub fn read(path: &FilePath) -> Result<Run, SynthError> {
        let json = read_json(path)?;
        let bad = |key: &str| SynthError::Format { path: path.to_path_buf(), message: format!("no `{key}`") };
        let number = |key: &str| json[key].as_u64().ok_or_else(|| bad(key));
        let word = |key: &str| json[key].as_str().map(str::to_string).ok_or_else(|| bad(key));
        let core = word("core")?;
        let given = GIVEN.into_iter().find(|key| json[key].is_u64()).ok_or_else(|| bad(GIVEN[0]))?;
        // of a network, each engine counts its own
        let cycles = match json["cycles"].as_u64() {
            Some(cycles) => cycles,
            None => number("sack_tx_cycles")? + number("sack_rx_cycles")?,
        };
        let counts = json.as_object().into_iter().flatten().filter_map(|(key, value)| {
            let count = value.as_u64().filter(|_| !KNOWN.contains(&key.as_str()) && *key != given)?;
            Some((key.replace('_', " "), count))
        });
        let (zeros, counts): (Vec<_>, Vec<_>) = counts.partition(|(_, count)| *count == 0);
        Ok(Run {
            name: path.file_stem().map(|stem| stem.to_string_lossy().into_owned()).unwrap_or_default(),
            core,
            passes: word("result")? == "pass",
            ops: grouped(number(given)?),
            cycles,
            cycles_grouped: grouped(cycles),
            mismatches: number("mismatches")?,
            counts: counts.into_iter().map(|(name, count)| (name, grouped(count))).collect(),
            zeros: zeros.into_iter().map(|(name, _)| name).collect(),
            speed: json["cycles_per_second"].as_f64().map_or("-".into(), |speed| grouped(speed as u64)),
            wave: match &json["wave"] {
                Value::String(wave) => Some(wave.clone()),
                _ => None,
            },
            scenario: json["scenario"].as_str().map(str::to_string),
            network: None,
            paths: match json.get("paths") {
                Some(paths) => {
                    let paths: Vec<Path> = serde_json::from_value(paths.clone()).map_err(|_| bad("paths"))?;
                    paths::picture(&paths)
                }
                None => None,
            },
        })
    }
}

/// A number with a narrow space between thousands, at which no line breaks.
pub(super) fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let mut text = String::new();
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            text.push('\u{202f}');
        }
        text.push(digit);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_run_is_read_from_its_json_and_a_foreign_file_is_refused() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("reps_steady.json");
        std::fs::write(
            &path,
            r#"{"core":"reps","config":{},"cycles":1234567,"ops":22,"sends":11,"recycle":7,"replay":0,"mismatches":0,
                "cycles_per_second":2.5e6,"result":"pass"}"#,
        )
        .unwrap();
        let run = Run::read(&path).unwrap();
        assert_eq!((run.name.as_str(), run.passes, run.cycles), ("reps_steady", true, 1_234_567));
        assert_eq!(run.counts, [("recycle".into(), "7".into()), ("sends".into(), "11".to_string())]);
        assert_eq!(run.zeros, ["replay"]);
        assert_eq!(run.speed, "2\u{202f}500\u{202f}000");
        let network = r#"{"core":"sack","packets":9,"sack_tx_cycles":40,"sack_rx_cycles":2,"lost":1,"mismatches":0,
            "cycles_per_second":1.0,"result":"pass"}"#;
        std::fs::write(&path, network).unwrap();
        let run = Run::read(&path).unwrap();
        assert_eq!((run.ops.as_str(), run.cycles, run.counts[0].0.as_str()), ("9", 42, "lost"));
        std::fs::write(&path, "{}").unwrap();
        assert!(
            Run::read(&path)
                .unwrap_err()
                .to_string()
                .contains("reps_steady.json: not what the tool writes: no `core`")
        );
    }
}
