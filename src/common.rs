//! What runs of every kind of core are given alike.

use respray_cosim::stream::RunOptions;

use crate::args::{Refusal, RunArgs};
use crate::netlist;
use crate::simulator::simulator;

/// Gives a run what the command line says of all of them.
///
/// # Errors
/// A tool that is missing.
pub fn give<T>(run: &RunArgs, options: &mut RunOptions<T>) -> Result<(), Refusal> {
    options.time = run.minutes;
    options.keep_going = run.keep_going;
    options.results = run.results.clone();
    options.verilog = run.verilog.clone();
    options.netlist = netlist::synthesis(run)?;
    options.simulator = simulator(run)?;
    options.wave = run.wave.clone();
    options.coverage = run.coverage.clone();
    Ok(())
}
