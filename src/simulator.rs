//! `--sim` of `respray cosim`: another simulator in the place of Verilator.

use clap::ValueEnum;
use respray_cosim::simulators::{Cxxrtl, Simulator, Translation};
use respray_synth::cxxrtl::translate;

use crate::args::Refusal;
use crate::checkout::Checkout;

/// What runs the Verilog of a core.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum Sim {
    /// The fastest, with waves and coverage.
    #[default]
    Verilator,
    /// Icarus Verilog, which is event-driven and knows unknown bits.
    Icarus,
    /// The C++ that Yosys writes of what its front end reads.
    Cxxrtl,
}

impl Sim {
    /// The simulator; none in the place of Verilator. That Yosys is missing is said at once.
    pub fn simulator(self) -> Result<Option<Simulator>, Refusal> {
        match self {
            Sim::Verilator => Ok(None),
            Sim::Icarus => Ok(Some(Simulator::Icarus)),
            Sim::Cxxrtl => {
                let bench = Checkout::find().bench()?;
                bench.tools.yosys()?;
                Ok(Some(Simulator::Cxxrtl(Cxxrtl::new(move |top, verilog| {
                    let done = translate(&bench, top, verilog).map_err(|error| error.to_string())?;
                    Ok(Translation { source: done.source, include: done.include, made_by: done.made_by })
                }))))
            }
        }
    }
}
