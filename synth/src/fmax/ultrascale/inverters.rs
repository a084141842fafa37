//! Inverters take no cell where a LUT is beside them.

use std::collections::BTreeMap;

use crate::fmax::circuit::{Circuit, Pin};

/// Puts inverters into the LUTs that drive them alone, and into those that read them. What else reads one reads a LUT in its place.
pub(super) fn absorb(circuit: &mut Circuit) {
    let inverters: Vec<usize> =
        (0..circuit.parts.len()).filter(|&at| circuit.parts[at].kind == "INV").collect();
    for at in inverters {
        let output = circuit.parts[at].outputs.get("O").and_then(|nets| nets.first()).copied().flatten();
        let (Some(input), Some(output)) = (circuit.parts[at].input("I", 0), output) else { continue };
        if circuit.is_of_own_lut(input) {
            into_driver(circuit, at, input, output);
        } else {
            into_readers(circuit, at, input, output);
        }
    }
}

/// The LUT drives what the inverter has driven.
fn into_driver(circuit: &mut Circuit, at: usize, input: u64, output: u64) {
    let lut = circuit.drivers[&input];
    circuit.parts[lut.part].outputs.insert(lut.port, vec![Some(output)]);
    circuit.drivers.remove(&input);
    circuit.drivers.insert(output, lut);
    circuit.readers.remove(&input);
    empty(circuit, at);
}

/// LUTs read what the inverter has read; the inverter becomes a LUT for all others.
fn into_readers(circuit: &mut Circuit, at: usize, input: u64, output: u64) {
    let pins = circuit.readers.remove(&output).unwrap_or_default();
    let is_of_lut = |pin: &Pin| circuit.parts[pin.part].kind.starts_with("LUT");
    let (of_luts, others): (Vec<Pin>, Vec<Pin>) = pins.into_iter().partition(is_of_lut);
    for pin in &of_luts {
        let nets = circuit.parts[pin.part].inputs.get_mut(pin.port).expect("it has read the inverter");
        nets[pin.bit] = Some(input);
    }
    let readers = circuit.readers.entry(input).or_default();
    readers.retain(|pin| pin.part != at);
    readers.extend(of_luts);
    if others.is_empty() {
        circuit.drivers.remove(&output);
        empty(circuit, at);
        return;
    }
    readers.push(Pin { part: at, port: "I0", bit: 0 });
    circuit.readers.insert(output, others);
    let part = &mut circuit.parts[at];
    part.kind = "LUT1";
    part.inputs = [("I0", vec![Some(input)])].into();
}

/// Takes the pins of a part away, and with them the part.
fn empty(circuit: &mut Circuit, at: usize) {
    let part = &mut circuit.parts[at];
    (part.inputs, part.outputs) = (BTreeMap::new(), BTreeMap::new());
}
