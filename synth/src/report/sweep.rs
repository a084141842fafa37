//! How cost grows with one key of the configuration.

use respray_hdl::config::{Config, KEYS, canonical};
use serde::Serialize;

use super::measure::{Generate, cards, config_on, make, on_cards, on_device};
use super::{Fit, Instance, Request};
use crate::device::{CARDS, Card, ECP5, Target};
use crate::routed::Routed;
use crate::xilinx::Xilinx;
use crate::{Bench, SynthError};
use respray_files::parallel;

/// One key, several values, the cores that it changes.
#[derive(Clone, Debug, Serialize)]
pub struct Sweep {
    pub key: String,
    pub values: Vec<String>,
    /// In the order of cores, then values. A core that the key does not change has no points.
    pub points: Vec<SweepPoint>,
}

/// One core at one value.
#[derive(Clone, Debug, Serialize)]
pub struct SweepPoint {
    pub label: String,
    pub value: String,
    /// Bits of its memories: what must grow with the size.
    pub memory_bits: u64,
    /// Address bits of its largest memory: what logic may grow with.
    pub address_bits: u32,
    pub ultrascale: Option<Fit<Xilinx>>,
    pub ecp5: Option<Fit<Routed>>,
}

/// Takes `KEY=a,b,c` apart and holds every value against the configuration.
pub fn parse(given: &str) -> Result<(String, Vec<String>), SynthError> {
    let refuse = |message: String| SynthError::Sweep { given: given.into(), message };
    let keys = || KEYS.iter().map(|key| key.name).collect::<Vec<_>>().join(", ");
    let (key, values) = given.split_once('=').ok_or_else(|| {
        refuse(format!("expected KEY=a,b,c, e.g. connections=16,256; the keys are {}", keys()))
    })?;
    let values: Vec<String> = values.split(',').map(|value| value.trim().to_string()).collect();
    for value in &values {
        Config::load(None, &[format!("{key}={value}")]).map_err(|error| refuse(error.to_string()))?;
    }
    Ok((canonical(key.trim()), values))
}

impl Sweep {
    /// Measures every instance of `request` at each of `values`, on UltraScale+ and ECP5 as far as they are among the targets of
    /// its sweeps.
    pub fn measure(
        bench: &Bench,
        request: &Request,
        generate: Generate,
        key: &str,
        values: &[String],
        progress: &(dyn Fn(usize, usize, &str) + Sync),
    ) -> Result<Sweep, SynthError> {
        let mut jobs = Vec::new();
        for instance in &request.instances {
            let at = values
                .iter()
                .map(|value| at_value(instance, key, value))
                .collect::<Result<Vec<Instance>, SynthError>>()?;
            let bodies = at
                .iter()
                .map(|instance| Ok(body(&make(generate, &instance.core, &instance.config)?.verilog)))
                .collect::<Result<Vec<String>, SynthError>>()?;
            if bodies.iter().any(|body| *body != bodies[0]) {
                jobs.extend(at.into_iter().zip(values.iter().cloned()));
            }
        }
        let cards = cards(&request.sweep_targets);
        let with_ecp5 = request.sweep_targets.contains(&Target::Ecp5);
        let done = std::sync::atomic::AtomicUsize::new(0);
        let points = parallel::map(&jobs, |(instance, value)| {
            let point = SweepPoint::measure(bench, generate, instance, (key, value), &cards, with_ecp5);
            let ended = done.fetch_add(1, std::sync::atomic::Ordering::Relaxed) + 1;
            progress(ended, jobs.len(), &format!("{} at {key} = {value}", instance.label));
            point
        });
        let points = points.into_iter().collect::<Result<_, _>>()?;
        Ok(Sweep { key: key.into(), values: values.to_vec(), points })
    }

    /// Labels of the cores that the key changes, in order.
    pub fn labels(&self) -> Vec<&str> {
        let mut labels: Vec<&str> = self.points.iter().map(|point| point.label.as_str()).collect();
        labels.dedup();
        labels
    }
}

impl SweepPoint {
    fn measure(
        bench: &Bench,
        generate: Generate,
        instance: &Instance,
        (key, value): (&str, &str),
        cards: &[&Card],
        with_ecp5: bool,
    ) -> Result<SweepPoint, SynthError> {
        let generated = make(generate, &instance.core, &instance.config)?;
        let memories = &generated.manifest.memories;
        // One size that does not fit a small card is still a point of the curve: hold it against the largest.
        let largest = cards.iter().max_by_key(|card| card.bram36).map_or(&CARDS[2], |card| *card);
        let ecp5 = || {
            // A sweep of the bus is of the bus; any other has it as the ECP5 has it elsewhere in the report.
            let small = (key != "bus_bits").then(|| config_on(&ECP5, &instance.config));
            match small.filter(|small| *small != instance.config) {
                Some(small) => on_device(bench, &make(generate, &instance.core, &small)?, &ECP5),
                None => on_device(bench, &generated, &ECP5),
            }
        };
        Ok(SweepPoint {
            label: instance.label.clone(),
            value: value.into(),
            memory_bits: memories.iter().map(|memory| u64::from(memory.words) * u64::from(memory.bits)).sum(),
            address_bits: memories
                .iter()
                .map(|memory| memory.words.max(2).next_power_of_two().ilog2())
                .max()
                .unwrap_or(0),
            ultrascale: if cards.is_empty() { None } else { Some(on_cards(bench, &generated, &[largest])?) },
            ecp5: if with_ecp5 && instance.is_routed() { Some(ecp5()?) } else { None },
        })
    }
}

/// `instance` with `key` set to `value` and all else as it was.
fn at_value(instance: &Instance, key: &str, value: &str) -> Result<Instance, SynthError> {
    let given = format!("{key}={value}");
    let refuse = |message: String| SynthError::Sweep { given: given.clone(), message };
    let config = instance.config.with(&given).map_err(|error| refuse(error.to_string()))?;
    Ok(Instance { config, ..instance.clone() })
}

/// Verilog without its comments: those name the configuration, whether it matters to the core or not.
fn body(verilog: &str) -> String {
    let code = |line: &str| line.split("//").next().unwrap_or("").trim_end().to_string();
    verilog.lines().map(code).filter(|line| !line.is_empty()).collect::<Vec<_>>().join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sweep_is_a_key_and_values_of_its_menu() {
        assert_eq!(
            parse("connections=16,256").unwrap(),
            ("connections".into(), vec!["16".into(), "256".into()])
        );
        for (given, said) in [
            (
                "connections=16,17",
                "--sweep connections=16,17: --set connections=17: `connections` is 17; allowed: 16",
            ),
            ("depth=4", "unknown key `depth`"),
            ("reps.depth", "expected KEY=a,b,c"),
        ] {
            let error = parse(given).unwrap_err().to_string();
            assert!(error.contains(said), "{error}");
        }
    }

    #[test]
    fn a_value_changes_its_key_and_nothing_else() {
        let mut config = Config { connections: 1024, ..Config::default() };
        config.selector.ev_bits = 14;
        let instance = Instance { label: "reps".into(), core: "reps".into(), config: config.clone() };
        let at = at_value(&instance, "reps.depth", "32").unwrap();
        config.reps.depth = 32;
        assert_eq!(at.config, config);
    }
}
