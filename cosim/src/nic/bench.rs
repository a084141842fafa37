//! The block as it runs: its Verilog, or what stands for it, in a simulator, with all that a run listens to.

use std::path::Path;
use std::time::Instant;

use respray_golden::nic;
use respray_golden::paths::End as Side;
use respray_hdl::catalogue;
use respray_hdl::config::Config;
use respray_hdl::manifest::Generated;
use respray_hdl::nic::top::{NAME, observed, watched};

use super::end::End;
use super::error::NicError;
use super::leaving::{Leaving, of_end};
use super::options::{Nic, NicOptions};
use crate::lockstep::Progress;
use crate::netlist::Origin;
use crate::report::{LineCoverage, Provenance, Repeat};
use crate::runner::{Flavour, RunError, coverage};
use crate::simulators::{Pins, Process, Program};
use crate::verilator::{Design, ModelError, Source, sum_coverage};

/// Of what is random in a model before its reset.
pub(super) const MODEL_SEED: u32 = 1;

/// The block, ready to be run.
pub(super) struct Bench<'a> {
    pub config: &'a Config,
    pub options: &'a NicOptions,
    /// Of the golden block.
    pub nic: nic::Config,
    generated: Generated,
    /// What a user knows, and the same with the outputs by which it is watched.
    plain: Source,
    watched: Source,
    origin: Option<Origin>,
    /// Of the run itself.
    design: &'static Design,
    program: Option<Program>,
    /// Cycles of the run, about.
    cycles: u64,
    /// What the models of the run have counted, if they do.
    counted: Vec<String>,
    /// Files of what leaves each block, from the first run of it on.
    leaving: Vec<Leaving>,
    /// Seconds of all runs.
    pub seconds: f64,
}

/// What a run of blocks came to: the blocks behind it, if they are left, and whether nothing differed.
pub(super) struct Ended<T, const ENDS: usize> {
    pub value: T,
    pub ends: Option<[End; ENDS]>,
    pub agreed: bool,
}

impl<'a> Bench<'a> {
    /// Makes all that a run of about so many cycles needs.
    ///
    /// # Errors
    /// If it cannot be made.
    pub fn new(
        config: &'a Config,
        options: &'a NicOptions,
        cycles: u64,
        progress: &mut dyn FnMut(Progress),
    ) -> Result<Bench<'a>, NicError> {
        coverage::prepare(options.coverage.as_deref())?;
        let mut generated = catalogue::generate(NAME, config)?;
        if options.netlist.is_some() {
            progress(Progress::Synthesising);
            generated.verilog = observed(config)?;
        }
        let (plain, origin) = options.source(&generated)?;
        let verilog = match (&options.netlist, &options.verilog) {
            (Some(_), _) => plain.verilog.clone(),
            (None, Some(path)) => watched(config, &plain.verilog)?
                .map_err(|source| NicError::Watch { file: path.display().to_string(), source })?,
            (None, None) => observed(config)?,
        };
        let watched = Source { verilog, ..plain.clone() };
        progress(Progress::Building);
        let beside = options.simulator.as_ref();
        // of the block in another simulator the model says what ports it has, and stands still
        let ports = beside.map(|_| observed(config)).transpose()?;
        let of_model = ports.map_or_else(|| watched.clone(), |verilog| Source::new(NAME, verilog));
        let design = options.design(&of_model, Flavour::Run, cycles)?;
        let program = beside.map(|other| other.program(NAME, &watched.verilog, &Pins::of(design)));
        Ok(Bench {
            config,
            options,
            nic: super::golden(config),
            generated,
            plain,
            watched,
            origin,
            design,
            program: program.transpose()?,
            cycles,
            counted: Vec::new(),
            leaving: Vec::new(),
            seconds: 0.0,
        })
    }

    /// A block in Verilator that was just made, with nothing beside it.
    ///
    /// # Errors
    /// If it cannot be made.
    pub fn fresh(&self, flavour: Flavour) -> Result<End, RunError> {
        let design = match flavour {
            Flavour::Run => self.design,
            other => self.options.design(&self.watched, other, self.cycles)?,
        };
        self.end(design, None)
    }

    fn end(&self, design: &'static Design, process: Option<Process>) -> Result<End, RunError> {
        let place = |error: ModelError| self.options.place(error);
        let model = design.model(MODEL_SEED).map_err(place)?;
        match process {
            None => End::new(model, self.nic.clone()),
            Some(process) => End::beside(model, process, self.nic.clone()),
        }
        .map_err(place)
    }

    /// Runs blocks from power-up on, in another simulator once for each value that an unknown bit may have.
    ///
    /// # Errors
    /// If they cannot be run, or if they end by themselves.
    pub fn run<T, const ENDS: usize>(
        &mut self,
        run: &mut dyn FnMut([End; ENDS]) -> Ended<T, ENDS>,
    ) -> Result<(T, Option<[End; ENDS]>), NicError> {
        self.run_from(0, run)
    }

    /// The same behind runs of so many cycles. What leaves the blocks goes into the same files.
    ///
    /// # Errors
    /// The same.
    pub fn run_from<T, const ENDS: usize>(
        &mut self,
        before: u64,
        run: &mut dyn FnMut([End; ENDS]) -> Ended<T, ENDS>,
    ) -> Result<(T, Option<[End; ENDS]>), NicError> {
        if self.leaving.is_empty() {
            self.leaving = self.begin_files::<ENDS>()?;
        }
        let start = Instant::now();
        let ran = self.run_in(before, run);
        self.seconds += start.elapsed().as_secs_f64();
        ran
    }

    fn run_in<T, const ENDS: usize>(
        &mut self,
        before: u64,
        run: &mut dyn FnMut([End; ENDS]) -> Ended<T, ENDS>,
    ) -> Result<(T, Option<[End; ENDS]>), NicError> {
        let mut leaving = std::mem::take(&mut self.leaving);
        leaving.iter_mut().for_each(|leaving| leaving.before = before);
        let Some(program) = self.program.clone() else {
            let Ended { value, mut ends, .. } = run(self.ends(std::array::from_fn(|_| None), leaving)?);
            ends.as_mut().map_or(Ok(()), |ends| self.behind(ends))?;
            return Ok((value, ends));
        };
        program.run_each_of(&mut |processes: [Process; ENDS]| {
            // the files have the first run of each simulation
            let leaving = std::mem::take(&mut leaving);
            let Ended { value, ends, agreed } = run(self.ends(processes.map(Some), leaving)?);
            let Some(mut ends) = ends else { return Ok(((value, None), None)) };
            self.behind(&mut ends)?;
            let mut processes = Vec::new();
            for end in &mut ends {
                processes.push(end.take_beside().expect("it runs there").whole()?);
            }
            let processes: [Process; ENDS] = processes.try_into().ok().expect("one of each");
            Ok(((value, Some(ends)), agreed.then_some(processes)))
        })
    }

    /// The files of what leaves each block.
    fn begin_files<const ENDS: usize>(&self) -> Result<Vec<Leaving>, NicError> {
        let Nic { pcap_out, .. } = &self.options.own;
        let of_block = |side| {
            let of_this = |path: &Path| if ENDS > 1 { of_end(path, side) } else { path.to_path_buf() };
            let [table, capture] = [&self.options.results, pcap_out].map(|path| path.as_deref().map(of_this));
            Ok(Leaving::create(table.as_deref(), capture.as_deref(), self.config.clock_mhz)?)
        };
        Side::BOTH.into_iter().take(ENDS).map(of_block).collect()
    }

    /// Blocks with all that listens to them.
    fn ends<const ENDS: usize>(
        &self,
        processes: [Option<Process>; ENDS],
        leaving: Vec<Leaving>,
    ) -> Result<[End; ENDS], NicError> {
        let mut leaving = leaving.into_iter();
        let mut ends = Vec::new();
        for (number, process) in (0..).zip(processes) {
            let mut end = self.end(self.design, process)?;
            end.pace(self.options.own.pauses, number);
            if self.options.keep_going {
                end.keep_going();
            }
            end.leave(leaving.next().unwrap_or_default());
            ends.push(end);
        }
        Ok(ends.try_into().ok().expect("one of each"))
    }

    /// Keeps what blocks leave behind a run.
    fn behind<const ENDS: usize>(&mut self, ends: &mut [End; ENDS]) -> Result<(), NicError> {
        let is_first = self.leaving.is_empty();
        for end in ends {
            if let Some(reason) = end.ended() {
                return Err(self.options.stopped(&self.generated, end.cycle(), &reason).into());
            }
            let leaving = end.take_leaving();
            if is_first {
                self.leaving.push(leaving);
            }
            if self.options.coverage.is_some() {
                self.counted.push(end.model().coverage_data()?);
                self.counted = vec![sum_coverage(&self.counted)?];
            }
        }
        Ok(())
    }

    /// Puts the files of what left the blocks in their places.
    ///
    /// # Errors
    /// If not all of one could be written.
    pub fn finish_files(&mut self) -> Result<(), NicError> {
        let files = std::mem::take(&mut self.leaving);
        Ok(files.into_iter().try_for_each(Leaving::finish)?)
    }

    /// Writes which lines ran, if that was asked for, or says in a sentence why it could not.
    pub fn write_coverage(&self) -> Result<Option<LineCoverage>, String> {
        let Some(directory) = &self.options.coverage else { return Ok(None) };
        if self.counted.is_empty() {
            let sentence =
                "no lines were counted, since the blocks differ while their connections are opened";
            return Err(sentence.to_string());
        }
        coverage::write(&self.watched, &self.counted, directory).map(Some).map_err(|error| error.to_string())
    }

    /// What ran, and what repeats it: random traffic that ended by the clock had so many cycles.
    pub fn provenance(&self, cycles: u64) -> Provenance {
        let command = self.command(cycles);
        let repeat = Repeat { seed: self.options.own.seed, part: None, command };
        match &self.program {
            None => Provenance::new(&[(&self.plain, self.design)], repeat).of_netlist(self.origin.clone()),
            Some(program) => Provenance::elsewhere(&self.plain, program.version(), repeat),
        }
    }

    /// The command that runs it again.
    pub fn command(&self, cycles: u64) -> String {
        self.options.command(&self.generated, &self.options.arguments(cycles))
    }

    /// The command that gives the block the list of a difference.
    pub fn command_of_list(&self) -> String {
        let list = self.options.reproducer.display().to_string();
        let options = NicOptions { keep_going: false, ..self.options.clone() };
        options.command(&self.generated, &["--frames".to_string(), list])
    }

    /// The block in another simulator leaves a difference in the report alone.
    pub fn is_beside(&self) -> bool {
        self.program.is_some()
    }
}
