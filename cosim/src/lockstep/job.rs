//! A run of ops, and what is made of it when it fails.

use std::time::Instant;

use respray_hdl::manifest::Generated;

use super::asked::Asked;
use super::device::PortDevice;
use super::elsewhere::{Elsewhere, pins};
use super::op_core::OpCore;
use super::options::{CosimError, CosimOptions, Ops, Stimulus};
use super::report::{Culprit, Failure};
use super::reproduce::{Reproducer, reproduce};
use super::results::{OpResults, SeenRow};
use super::rows::Device;
use super::run::{Given, Limit, Listeners, Run, run_heard};
use super::waves::record;
use crate::ahead::blocks_in_turn;
use crate::report::{Differing, Part, Repeat};
use crate::runner::{Files, Fresh, Job, Progress, RunError, Window, name};
use crate::simulators::{Pins, Process};
use crate::traffic::optrace::OpTrace;
use crate::traffic::stimulus::Entry;
use crate::verilator::{Model, ModelError};
use respray_files::output::OutputError;

/// A run of a core whose kind is known.
pub(super) struct OpJob<'a, C: OpCore> {
    pub generated: &'a Generated,
    pub options: &'a CosimOptions<C>,
    pub asked: Asked,
    /// Of the run, or of its campaign.
    pub seed: u64,
    /// The stimulus; its seed is also that of what is random in an unreset model.
    pub given: Given<'a, C::Op>,
    /// How far it goes at most, and clock edges by a good guess.
    pub limit: Limit,
    pub about: u64,
    pub results: Option<OpResults>,
}

impl<C: OpCore> Job for OpJob<'_, C> {
    type Own = Ops<C>;
    type Device = PortDevice;
    type Run = Run<C>;
    type Small = Reproducer<C::Op>;
    type Failure = Failure;
    type Error = CosimError;

    fn generated(&self) -> &Generated {
        self.generated
    }

    fn options(&self) -> &CosimOptions<C> {
        self.options
    }

    fn model_seed(&self) -> u32 {
        self.given.seed.into()
    }

    fn device(&self, model: Model) -> Result<PortDevice, ModelError> {
        PortDevice::new(model, C::CONTRACT, &self.generated.manifest)
    }

    fn model(device: &mut PortDevice) -> &mut Model {
        device.model()
    }

    fn run(&mut self, device: &mut PortDevice, progress: &mut dyn FnMut(Progress)) -> Run<C> {
        self.run_on(device, progress)
    }

    fn pins(&self) -> Pins {
        pins(C::CONTRACT, &self.generated.manifest.config)
    }

    fn run_elsewhere(&mut self, process: Process, progress: &mut dyn FnMut(Progress)) -> (Run<C>, Process) {
        let mut device = Elsewhere::new(process, C::CONTRACT, &self.generated.manifest.config);
        let run = self.run_on(&mut device, progress);
        (run, device.into_process())
    }

    fn keep(&mut self) -> Result<(), OutputError> {
        self.results.take().map_or(Ok(()), OpResults::finish)
    }

    fn about_cycles(&self) -> u64 {
        self.about
    }

    fn cycles(run: &Run<C>) -> u64 {
        run.cycles
    }

    fn given(run: &Run<C>) -> u64 {
        run.taken.ops
    }

    fn difference(run: &Run<C>) -> Option<u64> {
        run.difference.as_ref().map(|difference| difference.cycle)
    }

    fn differing(run: &Run<C>) -> Option<&Differing> {
        Some(&run.differing)
    }

    fn shrink(&self, run: &Run<C>, device: Fresh<'_, PortDevice>) -> Result<Reproducer<C::Op>, RunError> {
        reproduce(&self.generated.manifest, run, self.given.clone(), device)
    }

    fn leave(&self, run: &Run<C>, small: &Reproducer<C::Op>) -> Result<bool, OutputError> {
        let (Some(entries), Some(difference)) = (&small.shrunken, &run.difference) else { return Ok(false) };
        let mut trace = self.trace(entries);
        trace.seed = Some(self.given.seed);
        trace.notes = vec![format!("{}: {difference}", C::CONTRACT.core), self.again()];
        trace.write(C::CONTRACT, &self.options.reproducer)?;
        Ok(true)
    }

    fn record(&self, mut device: PortDevice, window: Window) -> Result<Vec<u8>, ModelError> {
        record::<C>(&self.generated.manifest, &mut device, self.given.clone(), window)
    }

    fn failure(&self, run: Run<C>, small: Reproducer<C::Op>, files: Files) -> Failure {
        let command = match &files.reproducer {
            Some(_) => self.again(),
            None => self.command(&self.asked.alone(self.cycles_of(&run), &self.options.own.settings)),
        };
        let last_ops = self.lines(&small.last_ops);
        let before = last_ops.len() - small.last_ops.len();
        Failure {
            difference: run.difference.expect("a failed run has a difference"),
            last_ops,
            culprit: small.culprit.map(|place| Culprit { line: before + place }),
            wave: files.wave,
            command,
            reproducer: files.reproducer,
            reproducer_ops: small.shrunken.map(|entries| entries.len()),
        }
    }

    fn repeat(&self, run: &Run<C>) -> Repeat {
        let (cycles, settings) = (self.cycles_of(run), &self.options.own.settings);
        let part = self.options.own.shard.map(|shard| Part {
            shard: shard.to_string(),
            seed: shard.seed(self.seed),
            command: self.command(&self.asked.alone(cycles, settings)),
        });
        Repeat { seed: self.seed, part, command: self.command(&self.asked.whole(cycles, settings)) }
    }

    fn counted(&self, run: &Run<C>) -> (Vec<(&'static str, u64)>, Vec<String>) {
        let is_capture = matches!(self.options.own.stimulus, Stimulus::Made { .. });
        (run.core.counts(&run.taken), run.core.summary(&run.taken, run.cycles, is_capture))
    }
}

impl<C: OpCore> OpJob<'_, C> {
    /// The whole run on a device.
    fn run_on<D: Device>(&mut self, device: &mut D, progress: &mut dyn FnMut(Progress)) -> Run<C> {
        let begun = Instant::now();
        let mut heard = |done| {
            let of = self.limit.total(self.about, done, begun.elapsed());
            progress(Progress::Running { done, of });
        };
        let layout = device.layout().clone();
        let mut hear = self.results.as_mut().map(|results| |row: &SeenRow<'_>| results.hear(&layout, row));
        let mut listeners = Listeners {
            progress: &mut heard,
            row: hear.as_mut().map(|hear| hear as _),
            keeps_going: self.options.keep_going,
        };
        let (manifest, given) = (&self.generated.manifest, self.given.clone());
        run_heard(manifest, device, given, self.limit, blocks_in_turn(), &mut listeners)
    }

    /// The command that fails again on the shrunken trace, which brings its own seed and settings.
    fn again(&self) -> String {
        self.command(&["--ops".to_string(), name(&self.options.reproducer)])
    }

    /// The command of a run with these arguments of its stimulus.
    fn command(&self, stimulus: &[String]) -> String {
        self.options.command(self.generated, stimulus)
    }

    /// Clock edges that a run must have at most to come to the same: those that were wanted or, with a limit of time, those
    /// that there were, the one of the difference included.
    fn cycles_of(&self, run: &Run<C>) -> u64 {
        let reached = run.difference.as_ref().map_or(run.cycles, |found| run.cycles.max(found.cycle + 1));
        if self.limit.time.is_some() { reached } else { self.limit.cycles }
    }

    /// Entries as an op trace.
    fn trace(&self, entries: &[Entry<C::Op>]) -> OpTrace<C::Op> {
        OpTrace::of_entries(C::CONTRACT, entries, self.given.expectations)
    }

    /// Entries as the lines of an op trace, with the settings that hold for them.
    fn lines(&self, entries: &[Entry<C::Op>]) -> Vec<String> {
        let mut text = Vec::new();
        self.trace(entries).format(C::CONTRACT, &mut text).expect("a vector takes all that is written");
        String::from_utf8_lossy(&text).lines().map(str::to_string).collect()
    }
}
