//! Frames of a capture, or of a list, replayed into both directions of one block; beside a log, what the
//! recorded block was given.

use std::path::Path;
use std::time::Instant;

use respray_hdl::config::Config;
use respray_hdl::nic::top::NAME;

use super::difference::Difference;
use super::end::End;
use super::error::NicError;
use super::files::{self, NoWaves, RunFiles};
use super::plan::{CaptureReplay, Frames, Plan, What, plan};
use super::report::{self, NicFailure};
use super::run::{MODEL_SEED, failure, source_as};
use super::shrink::shrink;
use crate::interrupt;
use crate::lockstep::Progress;
use crate::netlist::Synthesis;
use crate::report::{Counts, Provenance, Repeat, Report, Verdict, command_line, config_arguments};
use crate::runner::{Window, design_for};
use crate::simulators::{Pins, Process, Program, Simulator};
use crate::traffic::capture::Cut;
use crate::verilator::{BuildOptions, Design};

/// What is replayed, and what a difference leaves.
#[derive(Clone, Debug)]
pub struct ReplayOptions {
    pub frames: Frames,
    /// The cells of a device that run instead of the Verilog.
    pub netlist: Option<Synthesis>,
    /// What runs the Verilog in the place of Verilator. A difference then leaves the report alone.
    pub simulator: Option<Simulator>,
    pub files: RunFiles,
}

/// Replays frames on one block. Of a capture those of the local side go into `tx_in`, but for its ACKs and
/// probes, which the block makes itself; all others into `rx_in`. A capture beside which a log stands is
/// replayed by that, tick by tick, unless a speedup or a local address is given: what comes out is compared
/// with what was recorded, too.
///
/// # Errors
/// If there is no run.
pub fn replay(
    config: &Config,
    options: &ReplayOptions,
    progress: &mut dyn FnMut(Progress),
) -> Result<Report<NicFailure>, NicError> {
    let Plan { what, left_out: [acks_left_out, probes_left_out], mut account, numbers, warnings } =
        plan(config, &options.frames)?;
    options.files.prepare()?;
    let (source, origin) = source_as(config, options.netlist.as_ref(), progress)?;
    progress(Progress::Building);
    let cycles = what.cycles();
    let fresh = |build: BuildOptions| {
        let model = design_for(&source, build, cycles)?.model(MODEL_SEED)?;
        End::new(model, super::golden(config))
    };
    let design = design_for(&source, options.files.build(), cycles)?;
    let beside = options.simulator.as_ref();
    let beside = beside.map(|other| other.program(&source.top, &source.verilog, &Pins::of(design)));
    let beside = beside.transpose()?;
    let heed = interrupt::Heed::new();
    let start = Instant::now();
    let of = what.frames();
    let mut give = |end: &mut End| {
        end.keep_account();
        what.give(end, &mut |done| {
            progress(Progress::Running { done, of });
            !interrupt::is_requested()
        })
    };
    let (mut end, given) = match &beside {
        None => {
            let mut end = fresh(options.files.build())?;
            let given = give(&mut end);
            (end, given)
        }
        Some(program) => given_beside(config, design, program, &mut give)?,
    };
    let is_interrupted = interrupt::is_requested();
    let seconds = start.elapsed().as_secs_f64();
    drop(heed);
    let command = command(options, config);
    let repeat = Repeat { seed: 0, part: None, command: command.clone() };
    let provenance = match &beside {
        None => Provenance::new(&[(&source, design)], repeat).of_netlist(origin),
        Some(program) => Provenance::elsewhere(&source, program.version(), repeat),
    };
    let Counts(mut counts) = report::counts(&[end.golden()]);
    counts.extend([("acks_left_out", acks_left_out), ("probes_left_out", probes_left_out)]);
    let counts = Counts(counts);
    let mut not_done = Vec::new();
    let coverage = options.files.write_coverage(&source, [&mut end]).unwrap_or_else(|sentence| {
        not_done.push(sentence);
        None
    });
    let difference = given.as_ref().err().map(|difference| difference.cycle);
    let window = files::window(&end, difference, given.is_err());
    let mut failure = given.err().map(|difference| {
        progress(Progress::Shrinking);
        let small = match &what {
            What::Stimulus(stimulus) if beside.is_none() => {
                shrink(stimulus, &mut || fresh(BuildOptions::default()))
            }
            // other simulators are slow; of a log what came out later follows from all that went in before
            What::Stimulus(_) | What::Logged(_) => Ok(None),
        };
        let small = small.unwrap_or_else(|error| {
            not_done.push(error.to_string());
            None
        });
        failure(&difference, small, &options.files.reproducer, config, &command, &mut not_done)
    });
    if let Some(wave) = options.files.wave.as_deref().filter(|_| !is_interrupted) {
        progress(Progress::Recording);
        let recorded = window.and_then(|window| {
            let mut end = fresh(BuildOptions { trace: true, ..BuildOptions::default() })?;
            record(&what, &mut end, window, wave)
        });
        files::recorded(recorded, wave, failure.as_mut(), &mut not_done);
    }
    let result = match &failure {
        Some(_) => Verdict::Fail,
        None if is_interrupted => Verdict::Interrupted,
        None => Verdict::Pass,
    };
    let [of_host, of_mac] = &numbers;
    let ledger = end.ledger().expect("it was kept from the beginning");
    ledger.enter([of_host, of_mac], &mut account);
    let report = Report {
        core: NAME.to_string(),
        config: config.clone(),
        provenance,
        cycles: end.cycle(),
        mismatches: failure.is_some().into(),
        differing_ports: None,
        cycles_per_second: (end.cycle() as f64 / seconds).round(),
        result,
        summary: summary(&counts),
        counts,
        coverage,
        account: None,
        warnings,
        failure,
        not_done,
    };
    Ok(report.with_account(account))
}

/// Gives it to a block in another simulator, with each value that an unknown bit may have.
fn given_beside(
    config: &Config,
    design: &'static Design,
    program: &Program,
    give: &mut dyn FnMut(&mut End) -> Result<(), Difference>,
) -> Result<(End, Result<(), Difference>), NicError> {
    program.run_each(|process| {
        let mut end = End::beside(design.model(MODEL_SEED)?, process, super::golden(config))?;
        let given = give(&mut end);
        let process = end.take_beside().map(Process::whole).transpose()?;
        let agreed = process.filter(|_| given.is_ok());
        Ok(((end, given), agreed))
    })
}

/// Repeats the run with waves.
fn record(what: &What, end: &mut End, window: Window, wave: &Path) -> Result<(), NoWaves> {
    end.record_waves(window);
    // a run that differs does so again
    what.give(end, &mut |_| true).ok();
    files::write_waves(end, wave)
}

fn summary(counts: &Counts) -> Vec<String> {
    let get = |name: &str| counts.get(name);
    vec![
        format!(
            "sent {} data packets and {} again; EVs explored {}, recycled {}, replayed {}; freezes {}",
            get("data_packets"),
            get("data_packets_again"),
            get("explore"),
            get("recycle"),
            get("replay"),
            get("freezes")
        ),
        format!(
            "received {} data packets, {} of them twice, and {} ACKs; made {} SACKs and {} probes",
            get("packets_delivered"),
            get("duplicates"),
            get("acks"),
            get("sacks"),
            get("probes")
        ),
        format!(
            "lost by the out-of-order count {}, by a probe {}, by the timeout {}",
            get("loss_ooo"),
            get("loss_probe"),
            get("loss_timeout")
        ),
    ]
}

fn command(options: &ReplayOptions, config: &Config) -> String {
    let mut arguments: Vec<String> = ["respray", "cosim", "--core", NAME].map(String::from).to_vec();
    match &options.frames {
        Frames::List(path) => arguments.extend(["--frames".into(), path.display().to_string()]),
        Frames::Capture(CaptureReplay { path, local, speedup, cut }) => {
            arguments.extend(["--traffic".into(), path.display().to_string()]);
            if *speedup > 1 {
                arguments.extend(["--speedup".into(), speedup.to_string()]);
            }
            arguments.extend(local.iter().flat_map(|local| ["--local".to_string(), local.to_string()]));
            arguments.extend((*cut == Cut::Refused).then(|| "--strict".to_string()));
        }
    }
    arguments.extend(options.netlist.iter().flat_map(Synthesis::arguments));
    arguments.extend(options.simulator.iter().flat_map(Simulator::arguments));
    arguments.extend(config_arguments(config));
    command_line(&arguments)
}
