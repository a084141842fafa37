//! A run on a simulator beside Verilator.

use std::time::Instant;

use super::{Files, Job, Progress, RunError, reported};
use crate::interrupt;
use crate::report::{Provenance, Report};
use crate::simulators::Simulator;

/// Runs it once for each value that an unknown bit may have, up to the first difference, of which nothing is made but the report.
pub(super) fn carry_out<J: Job>(
    job: &mut J,
    simulator: &Simulator,
    progress: &mut dyn FnMut(Progress),
) -> Result<Report<J::Failure>, J::Error> {
    progress(Progress::Building);
    let (source, _) = job.options().source(job.generated())?;
    let program = simulator.program(&source.top, &source.verilog, &job.pins()).map_err(RunError::from)?;
    let _heed = interrupt::Heed::new();
    let start = Instant::now();
    let mut all: Option<J::Run> = None;
    let mut cycles = 0;
    let mut before = None;
    for unknown in program.unknown_bits() {
        let process = program.start(*unknown, before.take()).map_err(RunError::from)?;
        let (run, process) = job.run_elsewhere(process, progress);
        let differs = J::difference(&run).is_some();
        // what it did behind a difference is not looked at
        if !differs {
            before = Some(process.whole().map_err(RunError::from)?);
            job.broken().map_or(Ok(()), Err)?;
        }
        job.keep().map_err(RunError::from)?;
        cycles += J::cycles(&run);
        all = Some(run);
        if differs {
            break;
        }
    }
    let cycles_per_second = cycles as f64 / start.elapsed().as_secs_f64();
    let run = all.expect("an unknown bit has a value");
    let provenance = Provenance::elsewhere(&source, program.version(), job.repeat(&run));
    let mut report = reported(job, &run, provenance, cycles_per_second);
    report.failure =
        J::difference(&run).is_some().then(|| job.failure(run, J::Small::default(), Files::default()));
    Ok(report)
}
