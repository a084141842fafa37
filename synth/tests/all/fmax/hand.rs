//! Netlists from a few lines of text.

use std::collections::BTreeMap;

use respray_synth::fmax::UltraScale;
use respray_synth::netlist::Netlist;
use serde_json::{Value, json};

/// A netlist with what its clock's period must be.
pub struct Case {
    pub name: String,
    pub netlist: Netlist,
    /// Period in ps without wires, with nominal and with wide ones.
    pub ps: [f64; 3],
}

impl Case {
    pub fn new(name: impl Into<String>, text: &str, ps: [u32; 3]) -> Case {
        Case { name: name.into(), netlist: netlist(text), ps: ps.map(f64::from) }
    }

    /// With one wire of fan-out 1, which takes 80 ps or 120 ps.
    pub fn with_one_wire(name: impl Into<String>, text: &str, bound_ps: u32) -> Case {
        Case::new(name, text, [bound_ps, bound_ps + 80, bound_ps + 120])
    }

    /// With two of them.
    pub fn with_two_wires(name: impl Into<String>, text: &str, bound_ps: u32) -> Case {
        Case::new(name, text, [bound_ps, bound_ps + 160, bound_ps + 240])
    }

    /// What the estimate with these delays differs in; none: it is right.
    pub fn difference(&self, delays: &UltraScale) -> Option<String> {
        let estimate = match delays.estimate(&self.netlist, 322.265625) {
            Ok(estimate) => estimate,
            Err(why) => return Some(format!("{}: {why}", self.name)),
        };
        let is = [estimate.bound_ns, estimate.nominal_ns, estimate.wide_ns].map(|ns| 1000.0 * ns);
        let is_right = is.iter().zip(self.ps).all(|(is, must)| (is - must).abs() < 0.01);
        // each path takes the time that the estimate says, but for the uncertainty of the clock, which both have
        let [nominal, wide] = [&estimate.path, &estimate.wide_path]
            .map(|path| path.iter().map(|step| 1000.0 * (step.wire_ns + step.delay_ns)).sum::<f64>());
        let is_right = is_right && ((wide - nominal) - (is[2] - is[1])).abs() < 0.01;
        (!is_right).then(|| {
            format!("{}: {is:.1?} in place of {:?}: {}", self.name, self.ps, estimate.path_in_words())
        })
    }
}

/// Outputs of cells; every other name is an input.
const OUTPUTS: [&str; 7] = ["Q", "Q31", "O", "CO", "P", "DOUT", "CASDOUT"];

fn is_output(port: &str) -> bool {
    OUTPUTS.contains(&port) || port.starts_with("DO") || port.starts_with("CASDO")
}

/// The netlist of a module `top`. A line is `in NET`, `out NET`, or a cell: its type, its name, then `PIN=NET` for each pin, a bus as
/// `PIN=NET,NET`, its lowest bit first, and `PARAMETER:BITS`. `0` and `1` are constants. Registers have their clock at `clk`.
pub fn netlist(text: &str) -> Netlist {
    let mut nets: BTreeMap<String, u64> = BTreeMap::new();
    let mut bit = |name: &str| match name {
        "0" | "1" => json!(name),
        _ => {
            let next = nets.len() as u64 + 2;
            json!(*nets.entry(name.to_string()).or_insert(next))
        }
    };
    let (mut ports, mut cells) = (json!({}), json!({}));
    for line in text.lines().map(str::trim).filter(|line| !line.is_empty()) {
        let words: Vec<&str> = line.split_whitespace().collect();
        match words[..] {
            ["in", name] => ports[name] = json!({"direction": "input", "bits": [bit(name)]}),
            ["out", name] => ports[name] = json!({"direction": "output", "bits": [bit(name)]}),
            _ => {
                let mut cell =
                    json!({"type": words[0], "parameters": {}, "port_directions": {}, "connections": {}});
                let clock = match words[0] {
                    kind if kind.starts_with("FD") => "C=clk",
                    kind if kind.starts_with("SRL") => "CLK=clk",
                    _ => "",
                };
                for word in words[2..].iter().copied().chain([clock]) {
                    if let Some((pin, given)) = word.split_once('=') {
                        let bits: Vec<Value> = given.split(',').map(&mut bit).collect();
                        let direction = if is_output(pin) { "output" } else { "input" };
                        cell["port_directions"][pin] = json!(direction);
                        cell["connections"][pin] = json!(bits);
                    } else if let Some((parameter, bits)) = word.split_once(':') {
                        cell["parameters"][parameter] = json!(bits);
                    }
                }
                cells[words[1]] = cell;
            }
        }
    }
    let names: serde_json::Map<String, Value> =
        nets.iter().map(|(name, net)| (name.clone(), json!({"hide_name": 0, "bits": [net]}))).collect();
    let module = json!({"modules": {"top": {"ports": ports, "cells": cells, "netnames": names}}});
    let file = tempfile::NamedTempFile::new().unwrap();
    std::fs::write(file.path(), module.to_string()).unwrap();
    Netlist::read(file.path(), "top").unwrap()
}

/// Registers `q0`, `q1` and so on whose inputs are constants: each begins paths.
pub fn registers(count: usize) -> String {
    (0..count).map(|at| format!("FDRE f{at} D=0 Q=q{at}\n")).collect()
}
