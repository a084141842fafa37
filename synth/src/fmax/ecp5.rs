//! ECP5: from the cells of `synth_ecp5` to a timing graph, as nextpnr packs them into slices.
//!
//! Nothing that is shown of a core comes from here. nextpnr places and routes for ECP5, so its Fmax says what the method is worth.

use std::rc::Rc;
use std::sync::LazyLock;

use serde::Deserialize;

use super::circuit::{Circuit, Part, pins};
use super::graph::{End, Graph, Link, Wires};
use super::ways::Ways;
use super::{NoEstimate, slowest};
use crate::netlist::Netlist;

static DELAYS: LazyLock<Ecp5> = LazyLock::new(|| {
    Ecp5::read(include_str!("../../delays/ecp5.toml")).expect("the table is as its reader wants it")
});

/// Delays in ps: `synth/delays/ecp5.toml`, which says where they come from.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Ecp5 {
    wire: Wires,
    lut: Lut,
    mux: Mux,
    carry: Carry,
    flip_flop: FlipFlop,
    lut_ram: LutRam,
    block_ram: BlockRam,
    multiplier: Multiplier,
}

#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Lut {
    to_f: f64,
}

#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Mux {
    lut_to_ofx: f64,
    select_to_ofx0: f64,
    from_pfumx: [f64; 2],
    select_to_ofx1: f64,
}

#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Carry {
    to_own_f: f64,
    to_next_f: f64,
    to_fco: f64,
    fci_to_f: [f64; 2],
    fci_to_fco: f64,
}

#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct FlipFlop {
    clock_to_q: f64,
    setup_d: f64,
    setup_ce: f64,
    setup_lsr: f64,
}

#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct LutRam {
    address_to_f: f64,
    clock_to_f: f64,
    setup_we: f64,
    setup_written: f64,
}

/// By port, A and B.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct BlockRam {
    clock_to_do: [f64; 2],
    registered_clock_to_do: [f64; 2],
    setup_ad: [f64; 2],
    setup_di: [f64; 2],
    setup_we: [f64; 2],
    setup_ce: [f64; 2],
    setup_oce: [f64; 2],
    setup_rst: [f64; 2],
    setup_cs: [f64; 2],
}

#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Multiplier {
    data_to_p: f64,
    sign_to_p: f64,
}

impl Ecp5 {
    /// The project's table.
    pub fn delays() -> &'static Ecp5 {
        &DELAYS
    }

    /// The table in this text, which is TOML; its error is that of the reader.
    pub fn read(text: &str) -> Result<Ecp5, String> {
        toml::from_str(text).map_err(|error| error.to_string())
    }

    /// The least period of the netlist's clock in ns, from register to register: paths from and to ports do not count, as in the
    /// Fmax of nextpnr.
    ///
    /// # Errors
    /// Where the netlist has a cell that the table does not know, a loop, or no path at all.
    pub fn period_ns(&self, netlist: &Netlist) -> Result<f64, NoEstimate> {
        let circuit = Circuit::new(netlist, false);
        let (ways, graph) = Ways::new(&circuit);
        let graph = Builder { circuit: &circuit, delays: self, ways }.graph(graph)?;
        let [worst] = slowest(&graph, [&|link| self.wire.ps(link)])?;
        Ok(worst.ps / 1000.0)
    }
}

struct Builder<'a> {
    circuit: &'a Circuit<'a>,
    delays: &'a Ecp5,
    ways: Ways<'a>,
}

impl Builder<'_> {
    fn graph(&self, mut graph: Graph) -> Result<Graph, NoEstimate> {
        let none: Rc<[f64]> = Rc::new([]);
        for (at, part) in self.circuit.parts.iter().enumerate() {
            for (net, port, bit) in pins(&part.outputs) {
                let Some(id) = self.ways.node(net) else { continue };
                let (start, arcs) = self.arcs(part, port, bit)?;
                let node = &mut graph.nodes[id];
                (node.start, node.arcs, node.pin_ps) = (start, arcs, Some(none.clone()));
            }
            for (net, port, _) in pins(&part.inputs) {
                if let Some(link) = self.end(part, net, port) {
                    let name = self.circuit.name_of(at);
                    graph.ends.push(End { cell: part.kind.into(), name, link });
                }
            }
        }
        Ok(graph)
    }

    /// Whether a net goes from a cell of one of these types to one pin only.
    fn is_alone(&self, net: u64, kinds: &[&str]) -> bool {
        self.circuit.fan_out(net) == 1 && self.circuit.driver(net).is_some_and(|kind| kinds.contains(&kind))
    }

    /// Clock to output, and the arcs to an output.
    fn arcs(&self, part: &Part, port: &str, bit: usize) -> Result<(Option<f64>, Vec<Link>), NoEstimate> {
        let delays = self.delays;
        let (lut, mux) = (&delays.lut, &delays.mux);
        let all = |ps: f64, ports: &[&str]| -> Vec<Link> {
            let nets = part.nets(|port| ports.iter().any(|prefix| port.starts_with(prefix)));
            nets.into_iter().filter_map(|net| self.ways.by_wire(net, ps)).collect()
        };
        let to_mux = |port: &str, kind: &str, inside: f64, outside: f64| {
            let net = part.input(port, 0)?;
            if self.is_alone(net, &[kind]) {
                self.ways.inside(net, inside)
            } else {
                self.ways.by_wire(net, outside)
            }
        };
        Ok(match part.kind {
            "TRELLIS_FF" => (Some(delays.flip_flop.clock_to_q), Vec::new()),
            "LUT4" => (None, all(lut.to_f, &["A", "B", "C", "D"])),
            "PFUMX" => {
                let data = ["ALUT", "BLUT"]
                    .into_iter()
                    .filter_map(|port| to_mux(port, "LUT4", mux.lut_to_ofx - lut.to_f, mux.lut_to_ofx));
                (None, data.chain(all(mux.select_to_ofx0, &["C0"])).collect())
            }
            "L6MUX21" => {
                let data = ["D0", "D1"].into_iter().zip(mux.from_pfumx).filter_map(|(port, ps)| {
                    let is_mux = |net| self.is_alone(net, &["PFUMX", "L6MUX21"]);
                    let net = part.input(port, 0)?;
                    if is_mux(net) {
                        self.ways.inside(net, ps)
                    } else {
                        self.ways.by_wire(net, mux.lut_to_ofx + ps)
                    }
                });
                (None, data.chain(all(mux.select_to_ofx1, &["SD"])).collect())
            }
            "CCU2C" => (None, self.carry(part, port)),
            "TRELLIS_DPR16X4" => {
                (Some(delays.lut_ram.clock_to_f), all(delays.lut_ram.address_to_f, &["RAD"]))
            }
            "DP16KD" => {
                let (at, register) =
                    if port.starts_with("DOA") { (0, "REGMODE_A") } else { (1, "REGMODE_B") };
                let clock_to = match part.text(register) {
                    "OUTREG" => delays.block_ram.registered_clock_to_do,
                    _ => delays.block_ram.clock_to_do,
                };
                (Some(clock_to[at]), Vec::new())
            }
            "MULT18X18D" if port == "P" || port.starts_with('P') => {
                let registers = ["REG_INPUTA_CLK", "REG_INPUTB_CLK", "REG_PIPELINE_CLK", "REG_OUTPUT_CLK"];
                if let Some(register) =
                    registers.into_iter().find(|name| !["", "NONE"].contains(&part.text(name)))
                {
                    return Err(NoEstimate::cell(part, &format!(" with {register}")));
                }
                let data = part.nets(|port| {
                    let digits = port.trim_start_matches(['A', 'B']);
                    digits.len() + 1 == port.len() && digits.chars().all(|digit| digit.is_ascii_digit())
                });
                let data =
                    data.into_iter().filter_map(|net| self.ways.by_wire(net, delays.multiplier.data_to_p));
                (None, data.chain(all(delays.multiplier.sign_to_p, &["SIGNED"])).collect())
            }
            _ => return Err(NoEstimate::cell(part, &format!(" with output {port}{bit}"))),
        })
    }

    /// To an output of CCU2C: LUT 0 drives S0, LUT 1 drives S1, and COUT is the carry behind both.
    fn carry(&self, part: &Part, port: &str) -> Vec<Link> {
        let carry = &self.delays.carry;
        let mut arcs = Vec::new();
        for (net, input, _) in pins(&part.inputs) {
            let of_first = input.ends_with('0');
            let link = match (port, input) {
                ("S0", "CIN") => self.carried(net, carry.fci_to_f[0]),
                ("S1", "CIN") => self.carried(net, carry.fci_to_f[1]),
                (_, "CIN") => self.carried(net, carry.fci_to_fco),
                ("S0", _) if of_first => self.ways.by_wire(net, carry.to_own_f),
                ("S0", _) => None,
                ("S1", _) if of_first => self.ways.by_wire(net, carry.to_next_f),
                ("S1", _) => self.ways.by_wire(net, carry.to_own_f),
                _ => self.ways.by_wire(net, carry.to_fco),
            };
            arcs.extend(link);
        }
        arcs
    }

    /// From the carry below; what comes from elsewhere goes through a carry of its own.
    fn carried(&self, net: u64, ps: f64) -> Option<Link> {
        match self.circuit.driver(net) {
            Some("CCU2C") => self.ways.inside(net, ps),
            _ => self.ways.by_wire(net, self.delays.carry.to_fco + ps),
        }
    }

    /// The way to an input at which paths end, setup included.
    fn end(&self, part: &Part, net: u64, port: &str) -> Option<Link> {
        let (flip_flop, lut_ram, ram) =
            (&self.delays.flip_flop, &self.delays.lut_ram, &self.delays.block_ram);
        match (part.kind, port) {
            ("TRELLIS_FF", "DI") if self.is_alone(net, &["LUT4", "PFUMX", "L6MUX21", "CCU2C"]) => {
                self.ways.inside(net, flip_flop.setup_d)
            }
            ("TRELLIS_FF", "DI" | "M") => self.ways.by_wire(net, flip_flop.setup_d),
            ("TRELLIS_FF", "CE") => self.ways.by_wire(net, flip_flop.setup_ce),
            ("TRELLIS_FF", "LSR") => self.ways.by_wire(net, flip_flop.setup_lsr),
            ("TRELLIS_DPR16X4", "WRE") => self.ways.by_wire(net, lut_ram.setup_we),
            ("TRELLIS_DPR16X4", "DI" | "WAD") => self.ways.by_wire(net, lut_ram.setup_written),
            ("DP16KD", _) => {
                // The letter of the port stands before the number: ADA13, CSB2, WEA.
                let name = port.trim_end_matches(|letter: char| letter.is_ascii_digit());
                let setup = match &name[..name.len() - 1] {
                    "AD" => ram.setup_ad,
                    "DI" => ram.setup_di,
                    "WE" => ram.setup_we,
                    "CE" => ram.setup_ce,
                    "OCE" => ram.setup_oce,
                    "RST" => ram.setup_rst,
                    "CS" => ram.setup_cs,
                    _ => return None,
                };
                self.ways.by_wire(net, setup[usize::from(name.ends_with('B'))])
            }
            _ => None,
        }
    }
}
