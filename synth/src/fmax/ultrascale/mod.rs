//! UltraScale+: from the cells of `synth_xilinx -family xcup` to a timing graph.
//!
//! What is reckoned together as it goes into one slice: two CARRY4 make a CARRY8; a LUT goes with a carry, a wide multiplexer and
//! flip-flops that it drives, whatever else it drives by a wire; inverters go into LUTs. Ports are registers outside, so that what a shell sees is timed as well.

mod cells;
mod inverters;
mod table;

pub use table::UltraScale;

use std::sync::LazyLock;

use super::circuit::Circuit;
use super::graph::{Link, Wires, Worst};
use super::place::{Design, Distances, Placed, Places, SEED};
use super::{Estimate, NoEstimate, Verdict, slowest};
use crate::netlist::Netlist;
use cells::Builder;

/// The project's table.
static DELAYS: LazyLock<UltraScale> = LazyLock::new(|| {
    UltraScale::read(include_str!("../../../delays/ultrascale.toml"))
        .expect("the table is as its reader wants it")
});

/// Inputs that are clocks.
const CLOCKS: [&str; 5] = ["C", "CLK", "WCLK", "CLKARDCLK", "CLKBWRCLK"];

impl UltraScale {
    /// The project's table.
    pub fn delays() -> &'static UltraScale {
        &DELAYS
    }

    /// The estimate of a netlist, with a verdict for a clock of so many MHz.
    ///
    /// # Errors
    /// Where the netlist has a cell that the table does not know, a loop, two clocks, or no path at all.
    pub fn estimate(&self, netlist: &Netlist, clock_mhz: f64) -> Result<Estimate, NoEstimate> {
        let circuit = circuit(netlist)?;
        let graph = Builder::new(&circuit, self).graph()?;
        let by_fan_out = |wires: Wires| move |link: &Link| wires.ps(link);
        let (nominal, wide) = (by_fan_out(self.wires.nominal), by_fan_out(self.wires.wide));
        let [bound, nominal, wide] = slowest(&graph, [&|_| 0.0, &nominal, &wide])?;
        let (bound_ns, nominal_ns, wide_ns) = (self.ns(&bound), self.ns(&nominal), self.ns(&wide));
        let verdict = Verdict::of(bound_ns, wide_ns, clock_mhz);
        let (path, wide_path) = (nominal.path, wide.path);
        Ok(Estimate { bound_ns, nominal_ns, wide_ns, verdict, path, wide_path, placed: None })
    }

    /// The netlist as a design that can be placed.
    ///
    /// # Errors
    /// As [`UltraScale::estimate`] has them, but for a netlist without any path.
    pub fn design(&self, netlist: &Netlist) -> Result<Design, NoEstimate> {
        let circuit = circuit(netlist)?;
        Design::new(&circuit, Builder::new(&circuit, self).graph()?, &cells::chains(&circuit))
    }

    /// The least period of a clock, with wires by the distances between `places`.
    ///
    /// # Errors
    /// Where there is no path at all.
    pub fn placed(
        &self,
        design: &Design,
        places: &Places,
        distances: &Distances,
    ) -> Result<Placed, NoEstimate> {
        let wires = distances.between(design, places);
        let [nominal, wide] =
            slowest(design.graph(), [&|link| wires.nominal_ps(link), &|link| wires.wide_ps(link)])?;
        Ok(Placed {
            nominal_ns: self.ns(&nominal),
            wide_ns: self.ns(&wide),
            seed: SEED,
            tool: String::new(),
            path: nominal.path,
            wide_path: wide.path,
        })
    }

    /// The period of the clock that a path allows.
    fn ns(&self, path: &Worst) -> f64 {
        (path.ps + self.uncertainty) / 1000.0
    }
}

/// The cells of a netlist of one clock, inverters in LUTs.
fn circuit(netlist: &Netlist) -> Result<Circuit<'_>, NoEstimate> {
    let mut circuit = Circuit::new(netlist, true);
    check_clocks(&circuit)?;
    inverters::absorb(&mut circuit);
    Ok(circuit)
}

/// Refuses a second clock, and the falling edge of the first.
fn check_clocks(circuit: &Circuit) -> Result<(), NoEstimate> {
    let mut clock = None;
    for part in &circuit.parts {
        let inverted = part.set_parameters("_INVERTED").into_iter().find(|name| {
            let pin = name.trim_start_matches("IS_").trim_end_matches("_INVERTED");
            CLOCKS.contains(&pin)
        });
        if inverted.is_some() {
            return Err(NoEstimate::cell(part, " at the falling edge of its clock"));
        }
        for net in part.nets(|port| CLOCKS.contains(&port)) {
            match clock {
                None => clock = Some(net),
                Some(first) if first != net => {
                    let [first, second] = [first, net].map(|net| circuit.name(net));
                    return Err(NoEstimate::Clocks { first, second });
                }
                Some(_) => {}
            }
        }
    }
    Ok(())
}
