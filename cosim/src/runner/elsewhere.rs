//! A run on a simulator beside Verilator.

use std::time::Instant;

use super::{Files, Job, Progress, RunError, reported};
use crate::interrupt;
use crate::report::{Provenance, Report};
use crate::simulators::Simulator;

/// Runs it, with each value that an unknown bit may have. Of a difference nothing is made but the report.
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
    let mut cycles = 0;
    let run = program.run_each::<_, RunError>(|process| {
        let (run, process) = job.run_elsewhere(process, progress);
        // what it did behind a difference is not looked at
        let agreed = J::difference(&run).is_none().then(|| process.whole()).transpose()?;
        if let (Some(_), Some(error)) = (&agreed, job.broken()) {
            return Ok((Err(error), None));
        }
        job.keep()?;
        cycles += J::cycles(&run);
        Ok((Ok(run), agreed))
    })??;
    let cycles_per_second = cycles as f64 / start.elapsed().as_secs_f64();
    let provenance = Provenance::elsewhere(&source, program.version(), job.repeat(&run));
    let mut report = reported(job, &run, provenance, cycles_per_second);
    report.failure =
        J::difference(&run).is_some().then(|| job.failure(run, J::Small::default(), Files::default()));
    Ok(report)
}
