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
use super::graph::Wires;
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
        let mut circuit = Circuit::new(netlist, true);
        check_clocks(&circuit)?;
        inverters::absorb(&mut circuit);
        let graph = Builder::new(&circuit, self).graph()?;
        let [bound, nominal, wide] = slowest(&graph, [Wires::NONE, self.wires.nominal, self.wires.wide])?;
        let ns = |ps: f64| (ps + self.uncertainty) / 1000.0;
        let (bound_ns, nominal_ns, wide_ns) = (ns(bound.ps), ns(nominal.ps), ns(wide.ps));
        let verdict = Verdict::of(bound_ns, wide_ns, clock_mhz);
        Ok(Estimate { bound_ns, nominal_ns, wide_ns, verdict, path: nominal.path })
    }
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
