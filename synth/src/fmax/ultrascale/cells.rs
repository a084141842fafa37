//! The graph of a circuit: each cell's arcs and setups, and what goes into one slice.

use std::collections::{BTreeSet, HashMap, HashSet};
use std::rc::Rc;

use super::{CLOCKS, UltraScale};
use crate::fmax::NoEstimate;
use crate::fmax::circuit::{Circuit, PORT, Part, Pin, pins};
use crate::fmax::graph::{End, Graph, Link};
use crate::fmax::ways::Ways;

/// Where a CARRY4 stands.
#[derive(Clone)]
struct Place {
    /// All CARRY4 of its chain, from the first.
    chain: Rc<Vec<usize>>,
    at: usize,
}

pub(super) struct Builder<'a> {
    circuit: &'a Circuit<'a>,
    delays: &'a UltraScale,
    ways: Ways<'a>,
    places: HashMap<usize, Place>,
    /// Inputs that are in the slice of what drives them.
    at_home: HashSet<Pin<'a>>,
    /// Nets from a LUT to DI of a carry, of which the LUT at S of the same bit leaves O5 free.
    by_o5: HashSet<u64>,
    /// What the pins of a LUT take to O6 and to O5, the fastest first.
    to_o6: Rc<[f64]>,
    to_o5: Rc<[f64]>,
    graph: Graph,
}

impl<'a> Builder<'a> {
    pub(super) fn new(circuit: &'a Circuit<'a>, delays: &'a UltraScale) -> Builder<'a> {
        let fastest_first =
            |to: &[f64]| to.iter().zip(&delays.lut.site_pin).map(|(a, b)| a + b).rev().collect();
        let (to_o6, to_o5) = (fastest_first(&delays.lut.to_o6), fastest_first(&delays.lut.to_o5));
        let (places, at_home, by_o5) = (places(circuit), at_home(circuit), by_o5(circuit));
        let (ways, graph) = Ways::new(circuit);
        Builder { circuit, delays, ways, places, at_home, by_o5, to_o6, to_o5, graph }
    }

    pub(super) fn graph(mut self) -> Result<Graph, NoEstimate> {
        for at in 0..self.circuit.parts.len() {
            self.outputs(at)?;
            self.ends(at)?;
        }
        Ok(self.graph)
    }

    /// By wire from a net's driver to a part, with `ps` behind the wire; none: nothing drives the net.
    fn way(&self, net: u64, to: usize, ps: f64) -> Option<Link> {
        let leave = match self.circuit.drivers.get(&net) {
            Some(pin) if self.circuit.parts[pin.part].kind == "CARRY4" && pin.port == "O" => {
                self.delays.carry.o_to_wire
            }
            Some(pin) if self.circuit.parts[pin.part].kind.starts_with("MUXF") => self.delays.mux.leave,
            _ => 0.0,
        };
        Some(self.ways.by_wire(net, leave + ps)?.ends_at(to))
    }

    /// Within a slice to a part of it.
    fn inside(&self, net: u64, to: usize, ps: f64) -> Option<Link> {
        Some(self.ways.inside(net, ps)?.ends_at(to))
    }

    /// From O6 of a LUT in the slice to a pin of a carry or a multiplexer: of the LUT that drives the net, else of one that the net goes
    /// through.
    fn through_lut(&self, net: u64, pin: Pin<'a>, ps: f64) -> Option<Link> {
        if self.at_home.contains(&pin) {
            self.inside(net, pin.part, ps)
        } else {
            self.way(net, pin.part, self.to_o6[0] + ps)
        }
    }

    /// To D of a flip-flop, setup included.
    fn to_flip_flop(&self, net: u64, pin: Pin<'a>) -> Option<Link> {
        let delays = self.delays;
        let setup = delays.flip_flop.setup;
        let driver = self.circuit.drivers.get(&net).filter(|_| self.at_home.contains(&pin));
        match driver.map(|driver| (self.circuit.parts[driver.part].kind, driver.port)) {
            Some((kind, _)) if kind.starts_with("LUT") => {
                self.inside(net, pin.part, delays.lut.to_flip_flop + setup)
            }
            Some((kind, _)) if kind.starts_with("MUXF") => {
                self.inside(net, pin.part, delays.mux.leave + setup)
            }
            Some(("CARRY4", "O")) => self.inside(net, pin.part, delays.carry.o_to_flip_flop + setup),
            Some(("CARRY4", _)) => self.inside(net, pin.part, setup),
            _ => self.outside_slice(net, pin.part),
        }
    }

    /// To D of a flip-flop in another slice, setup included.
    fn outside_slice(&self, net: u64, to: usize) -> Option<Link> {
        let flip_flop = &self.delays.flip_flop;
        self.way(net, to, flip_flop.site_pin + flip_flop.site_pin_to_d + flip_flop.setup)
    }

    /// Arcs to the outputs of a part.
    fn outputs(&mut self, at: usize) -> Result<(), NoEstimate> {
        let part = &self.circuit.parts[at];
        let delays = self.delays;
        for (net, port, bit) in pins(&part.outputs) {
            let Some(id) = self.ways.node(net) else { continue };
            let (mut start, mut arcs, mut inputs, mut pin_ps) = (None, Vec::new(), Vec::new(), &self.to_o6);
            match part.kind {
                PORT | "FDRE" | "FDSE" | "FDCE" | "FDPE" => start = Some(delays.flip_flop.clock_to_q),
                "LUT1" | "LUT2" | "LUT3" | "LUT4" | "LUT5" | "LUT6" => {
                    inputs = part.nets(|_| true);
                    if self.by_o5.contains(&net) {
                        pin_ps = &self.to_o5;
                    }
                }
                "MUXF7" | "MUXF8" => arcs = self.mux(at),
                "CARRY4" => arcs = self.carry(at, port, bit),
                "SRL16E" | "SRLC32E" if port == "Q" => {
                    start = Some(delays.lut_ram.clock_to_o6);
                    inputs = part.nets(|port| port.starts_with('A'));
                }
                "RAM32M" | "RAM64M" | "RAM32M16" | "RAM64M8" => {
                    start = Some(delays.lut_ram.clock_to_o6);
                    let address = port.replace("DO", "ADDR");
                    inputs = part.nets(|port| port == address);
                }
                "RAMB18E2" | "RAMB36E2" => {
                    let register = if port.starts_with("DOUTA") || port.starts_with("DOUTPA") {
                        "DOA_REG"
                    } else {
                        "DOB_REG"
                    };
                    let clock_to = delays.block_ram.clock_to(port, bit, part.number(register) != 0);
                    start = Some(
                        clock_to.ok_or_else(|| NoEstimate::cell(part, &format!(" with output {port}")))?,
                    );
                }
                "DSP48E2" => {
                    let registers = part.set_parameters("REG");
                    if port != "P" || !registers.is_empty() {
                        let mode = format!(" with {}", registers.first().copied().unwrap_or(port));
                        return Err(NoEstimate::cell(part, &mode));
                    }
                    let nets = part.nets(|port| !CLOCKS.contains(&port)).into_iter();
                    arcs = nets.filter_map(|net| self.way(net, at, delays.dsp.through)).collect();
                }
                _ => return Err(NoEstimate::cell(part, "")),
            }
            let node = &mut self.graph.nodes[id];
            (node.start, node.arcs) = (start, arcs);
            node.pin_ps = Some(pin_ps.clone());
            let inputs = inputs.into_iter().filter_map(|net| self.way(net, at, 0.0)).collect();
            self.graph.nodes[id].pins = inputs;
        }
        Ok(())
    }

    /// MUXF7 behind two LUTs, or MUXF8 behind two MUXF7. What comes from elsewhere goes through a LUT, and before MUXF8 through a
    /// MUXF7 as well.
    fn mux(&self, at: usize) -> Vec<Link> {
        let (part, mux) = (&self.circuit.parts[at], &self.delays.mux);
        let mut arcs = Vec::new();
        for (port, from_lut) in ["I0", "I1"].into_iter().zip(mux.from_lut) {
            let Some(net) = part.input(port, 0) else { continue };
            let arc = from_lut + mux.data;
            let pin = Pin { part: at, port, bit: 0 };
            arcs.extend(match part.kind {
                "MUXF7" => self.through_lut(net, pin, arc),
                _ if self.at_home.contains(&pin) => self.inside(net, at, arc),
                _ => self.way(net, at, self.to_o6[0] + mux.from_lut[0] + mux.data + arc),
            });
        }
        arcs.extend(part.input("S", 0).and_then(|net| self.way(net, at, mux.select_site_pin + mux.select)));
        arcs
    }

    /// To a bit of O or CO of a CARRY4, from the whole CARRY8 that it is half of.
    fn carry(&self, at: usize, port: &str, bit: usize) -> Vec<Link> {
        let carry = &self.delays.carry;
        let own = Place { chain: Rc::new(vec![at]), at: 0 };
        let place = self.places.get(&at).unwrap_or(&own);
        let (first, half) = (place.at - place.at % 2, place.at % 2);
        let out = bit + 4 * half;
        let mut arcs = Vec::new();
        for (half, &member) in place.chain[first..=place.at].iter().enumerate() {
            let part = &self.circuit.parts[member];
            for bit in 0..4 {
                let arc = |from| carry.arc(from, bit + 4 * half, port, out);
                if let (Some(net), Some(arc)) = (part.input("S", bit), arc("S")) {
                    let pin = Pin { part: member, port: "S", bit };
                    arcs.extend(self.through_lut(net, pin, carry.lut_to_s + arc));
                }
                if let (Some(net), Some(arc)) = (part.input("DI", bit), arc("DI")) {
                    let by_o5 = self.by_o5.contains(&net);
                    arcs.extend(if by_o5 {
                        self.inside(net, member, arc)
                    } else {
                        self.way(net, member, carry.site_pin + arc)
                    });
                }
            }
        }
        let head = place.chain[first];
        let [by_chain, by_wire] = match port {
            "O" => [carry.cin_to_o[out], carry.cyinit_to_o[out]],
            _ => [carry.cin_to_co[out], carry.cyinit_to_co[out]],
        };
        let input = |port| self.circuit.parts[head].input(port, 0);
        let enters = input("CYINIT").or(input("CI").filter(|_| first == 0));
        let link = match input("CI").filter(|_| first > 0) {
            Some(net) => self.inside(net, head, carry.chain_out + carry.chain_in + by_chain),
            None => enters.and_then(|net| self.way(net, head, carry.site_pin + by_wire)),
        };
        arcs.extend(link);
        arcs
    }

    /// The inputs of a part at which paths end.
    fn ends(&mut self, at: usize) -> Result<(), NoEstimate> {
        let part = &self.circuit.parts[at];
        let delays = self.delays;
        let (flip_flop, ram) = (&delays.flip_flop, &delays.lut_ram);
        let control = flip_flop.control_site_pin;
        for (net, port, bit) in pins(&part.inputs).filter(|(_, port, _)| !CLOCKS.contains(port)) {
            let link = match part.kind {
                PORT => self.outside_slice(net, at),
                "FDRE" | "FDSE" | "FDCE" | "FDPE" => match port {
                    "D" => self.to_flip_flop(net, Pin { part: at, port, bit }),
                    "CE" => self.way(net, at, control + flip_flop.setup_ce),
                    _ => self.way(net, at, control + flip_flop.setup_sr),
                },
                "SRL16E" | "SRLC32E" => match port {
                    "D" => self.way(net, at, ram.data_site_pin + ram.setup_data[0]),
                    "CE" => self.way(net, at, ram.we_site_pin + ram.setup_we),
                    _ => None,
                },
                "RAM32M" | "RAM64M" | "RAM32M16" | "RAM64M8" => match port {
                    "WE" => self.way(net, at, ram.we_site_pin + ram.setup_we),
                    _ if port.starts_with("DI") => self.way(net, at, ram.data_site_pin + ram.setup_data[bit]),
                    _ if Some(port) == write_address(part) => {
                        self.way(net, at, delays.lut.site_pin[bit] + ram.setup_address[bit])
                    }
                    _ => None,
                },
                "RAMB18E2" | "RAMB36E2" => {
                    let setup = delays.block_ram.setup(port, bit);
                    self.way(
                        net,
                        at,
                        setup.ok_or_else(|| NoEstimate::cell(part, &format!(" with input {port}")))?,
                    )
                }
                _ => None,
            };
            if let Some(link) = link {
                let name = self.circuit.name_of(at);
                self.graph.ends.push(End { cell: part.kind.into(), name, link });
            }
        }
        Ok(())
    }
}

/// The input that holds the address of what is written into distributed RAM: the last of them.
fn write_address<'a>(part: &Part<'a>) -> Option<&'a str> {
    part.inputs.keys().rfind(|port| port.starts_with("ADDR")).copied()
}

/// The CARRY4 of each chain, from the first.
pub(super) fn chains(circuit: &Circuit) -> Vec<Rc<Vec<usize>>> {
    let places = places(circuit);
    let heads: BTreeSet<usize> = places.values().map(|place| place.chain[0]).collect();
    heads.into_iter().map(|head| places[&head].chain.clone()).collect()
}

/// Every CARRY4 that has a place in a chain: those of a ring have none.
fn places(circuit: &Circuit) -> HashMap<usize, Place> {
    let is_carry = |at: &usize| circuit.parts[*at].kind == "CARRY4";
    // A second one behind the same carry begins a chain of its own, which the carry enters by wire.
    let mut next = HashMap::new();
    let mut heads = Vec::new();
    for at in (0..circuit.parts.len()).filter(is_carry) {
        let before = circuit.parts[at].input("CI", 0).and_then(|net| circuit.drivers.get(&net));
        match before.filter(|pin| is_carry(&pin.part) && pin.port == "CO" && pin.bit == 3) {
            Some(pin) if !next.contains_key(&pin.part) => drop(next.insert(pin.part, at)),
            _ => heads.push(at),
        }
    }
    let mut places = HashMap::new();
    for head in heads {
        let chain: Rc<Vec<usize>> =
            Rc::new(std::iter::successors(Some(head), |at| next.get(at).copied()).collect());
        for (at, &part) in chain.iter().enumerate() {
            places.insert(part, Place { chain: chain.clone(), at });
        }
    }
    places
}

/// Inputs that are in the slice of what drives them: of a LUT one S of a carry and one input of a multiplexer, of a MUXF7 one of a MUXF8,
/// and of a LUT, a multiplexer or a carry two flip-flops. What else the same output drives, it drives by a wire.
fn at_home<'a>(circuit: &Circuit<'a>) -> HashSet<Pin<'a>> {
    let mut at_home = HashSet::new();
    for (net, driver) in &circuit.drivers {
        let driver = circuit.parts[driver.part].kind;
        let [is_lut, is_mux] = ["LUT", "MUXF"].map(|kind| driver.starts_with(kind));
        let readers = || circuit.readers.get(net).into_iter().flatten().copied();
        let kind = |pin: &Pin| circuit.parts[pin.part].kind;
        let is_data = |pin: &Pin| ["I0", "I1"].contains(&pin.port);
        if is_lut {
            at_home.extend(readers().find(|pin| kind(pin) == "CARRY4" && pin.port == "S"));
            at_home.extend(readers().find(|pin| kind(pin) == "MUXF7" && is_data(pin)));
        }
        if driver == "MUXF7" {
            at_home.extend(readers().find(|pin| kind(pin) == "MUXF8" && is_data(pin)));
        }
        if is_lut || is_mux || driver == "CARRY4" {
            at_home.extend(readers().filter(|pin| kind(pin).starts_with("FD") && pin.port == "D").take(2));
        }
    }
    at_home
}

/// Nets to DI of a carry whose LUT fits beside that of S of the same bit: both are for the carry alone, and have at most five inputs
/// between them.
fn by_o5(circuit: &Circuit) -> HashSet<u64> {
    let inputs = |net: u64| circuit.parts[circuit.drivers[&net].part].nets(|_| true);
    let mut by_o5 = HashSet::new();
    for part in circuit.parts.iter().filter(|part| part.kind == "CARRY4") {
        for bit in 0..4 {
            let (Some(data), Some(select)) = (part.input("DI", bit), part.input("S", bit)) else { continue };
            if circuit.is_of_own_lut(data) && circuit.is_of_own_lut(select) {
                let both: HashSet<u64> = [inputs(data), inputs(select)].concat().into_iter().collect();
                if both.len() <= 5 {
                    by_o5.insert(data);
                }
            }
        }
    }
    by_o5
}
