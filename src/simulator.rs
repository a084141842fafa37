//! `--sim` of `respray cosim`: another simulator in the place of Verilator.

use respray_cosim::simulators::{Cxxrtl, Simulator, Spread, Translation};
use respray_mutate::unknown::spread;
use respray_synth::cxxrtl::translate;

use crate::args::{Refusal, RunArgs, Sim};
use crate::checkout::Checkout;

/// The simulator of `run`; none in the place of Verilator. That Yosys is missing is said at once.
pub fn simulator(run: &RunArgs) -> Result<Option<Simulator>, Refusal> {
    match run.sim {
        Sim::Verilator => Ok(None),
        Sim::Icarus => Ok(Some(Simulator::Icarus)),
        Sim::Unknown => Ok(Some(Simulator::Unknown(Spread(|top, verilog| spread(top, verilog).verilog)))),
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
