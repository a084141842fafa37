//! `respray demo`: the main job on the recordings and what it comes to, a line a step, with pages to look at.
//!
//! Each step is one or more of the other subcommands, run as a user would run them. What they print is kept in files.

use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::Mutex;
use std::time::Instant;

use clap::Args;
use indicatif::ProgressBar;
use respray_files::output::is_standard_output;
use respray_files::parallel;
use respray_synth::html::index;
use serde::Serialize;

use crate::args::{ExitStatus, Refusal};
use crate::checkout::Checkout;
use crate::cores;
use crate::output::{self, Results};

/// The card that is measured, and the sweeps: the sizes at which the figures grow.
const CARD: &str = "u250";
const SWEEPS: [&str; 4] =
    ["connections=16,256,4096", "reps.depth=4,8,32", "sack.window=64,256,512", "bus_bits=64,256,512"];

#[derive(Args)]
pub struct Demo {
    /// Folder of the Verilog, the pages, and all that the steps print.
    #[arg(short, long, value_name = "DIR", default_value = "build/demo")]
    output: PathBuf,
    /// Folder with recordings, NAME-sender.pcap.gz and NAME-receiver.pcap.gz [default: tb/recordings of the checkout].
    #[arg(long, value_name = "DIR")]
    recordings: Option<PathBuf>,
    /// This step alone, by its name in the list that a whole run prints; may be given again.
    #[arg(long, value_name = "STEP")]
    only: Vec<String>,
    /// Write the verdict and the steps as JSON, too; `-` is standard output.
    #[arg(long, value_name = "FILE")]
    json: Option<PathBuf>,
}

/// A step: one line of what is shown.
struct Step {
    name: String,
    what: String,
    /// Arguments of `respray`, a list a run.
    runs: Vec<Vec<String>>,
}

/// How a run or a step ended, the worst last.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "lowercase")]
enum Ended {
    Pass,
    Fail,
    Refused,
}

/// What a step has come to.
#[derive(Clone, Debug, Serialize)]
struct Outcome {
    step: String,
    what: String,
    verdict: Ended,
    /// Seconds from the beginning of its first run to the end of its last one.
    seconds: f64,
    /// Clock cycles that were compared, of all its runs.
    cycles: u64,
    mismatches: u64,
    /// What was run, without the name of the program.
    commands: Vec<String>,
    /// What the runs printed.
    log: PathBuf,
}

/// What all steps have come to.
#[derive(Serialize)]
struct Summary<'a> {
    respray: &'static str,
    verdict: Ended,
    seconds: f64,
    cycles: u64,
    mismatches: u64,
    steps: &'a [Outcome],
    pages: &'a [PathBuf],
}

/// The step of a run that is over, and how it went.
struct Over {
    begun: Instant,
    ended: Instant,
    verdict: Ended,
    counts: [u64; 2],
    text: String,
}

/// What is over of each step, and how many steps have their line.
struct Board {
    over: Vec<Vec<Over>>,
    outcomes: Vec<Outcome>,
}

impl Demo {
    pub fn run(&self) -> Result<ExitStatus, Refusal> {
        let begun = Instant::now();
        let stages = self.stages(&self.recordings()?)?;
        for folder in ["", "runs", "logs"] {
            let folder = self.output.join(folder);
            fs::create_dir_all(&folder).map_err(|error| format!("{}: {error}", folder.display()))?;
        }
        let total: usize = stages.iter().flatten().map(|step| step.runs.len()).sum();
        let bar = output::progress(total as u64, "runs");
        let mut outcomes = Vec::new();
        for steps in &stages {
            outcomes.extend(self.carry_out(steps, &bar)?);
        }
        bar.finish_and_clear();
        let pages =
            [index::INDEX, "report.html", "compare.html", "figure3.html"].map(|name| self.output.join(name));
        let pages: Vec<PathBuf> = pages.into_iter().filter(|page| page.is_file()).collect();
        let summary = Summary {
            respray: env!("CARGO_PKG_VERSION"),
            verdict: outcomes.iter().map(|outcome| outcome.verdict).max().unwrap_or(Ended::Pass),
            seconds: begun.elapsed().as_secs_f64(),
            cycles: outcomes.iter().map(|outcome| outcome.cycles).sum(),
            mismatches: outcomes.iter().map(|outcome| outcome.mismatches).sum(),
            steps: &outcomes,
            pages: &pages,
        };
        let file = self.output.join("demo.json");
        let results = Results::text(self.end(&summary)).json(Some(&file), &summary);
        results.json(self.json.as_deref(), &summary).hand_out()?;
        Ok(match summary.verdict {
            Ended::Pass => ExitStatus::Success,
            Ended::Fail => ExitStatus::Mismatch,
            Ended::Refused => ExitStatus::Refused,
        })
    }

    /// The steps that are wanted, those of a stage side by side.
    fn stages(&self, recordings: &[(PathBuf, String)]) -> Result<[Vec<Step>; 3], Refusal> {
        let mut stages = [self.first_steps(recordings), vec![self.report()], vec![self.index()]];
        let names: Vec<&str> = stages.iter().flatten().map(|step| step.name.as_str()).collect();
        if let Some(unknown) = self.only.iter().find(|step| !names.contains(&step.as_str())) {
            return Err(format!("--only: there is no `{unknown}`; allowed: {}", names.join(", ")).into());
        }
        if !self.only.is_empty() {
            stages.iter_mut().for_each(|steps| steps.retain(|step| self.only.contains(&step.name)));
        }
        Ok(stages)
    }

    /// The names of the recordings.
    fn recordings(&self) -> Result<Vec<(PathBuf, String)>, Refusal> {
        let folder = match &self.recordings {
            Some(folder) => folder.clone(),
            None => Checkout::find().join("tb/recordings"),
        };
        let entries = fs::read_dir(&folder).map_err(|error| format!("{}: {error}", folder.display()))?;
        let names = entries.flatten().filter_map(|entry| entry.file_name().into_string().ok());
        let mut names: Vec<String> =
            names.filter_map(|name| Some(name.strip_suffix("-sender.pcap.gz")?.to_string())).collect();
        if names.is_empty() {
            return Err(
                format!("{}: there is no NAME-sender.pcap.gz in this folder", folder.display()).into()
            );
        }
        names.sort();
        Ok(names.into_iter().map(|name| (folder.clone(), name)).collect())
    }

    /// A file of the demo, as an argument.
    fn file(&self, name: &str) -> String {
        self.output.join(name).display().to_string()
    }

    /// All steps that need nothing of one another.
    fn first_steps(&self, recordings: &[(PathBuf, String)]) -> Vec<Step> {
        let one = |name: &str, what: &str, words: &str, files: &[(&str, &str)]| {
            let mut run: Vec<String> = words.split(' ').map(String::from).collect();
            run.extend(files.iter().flat_map(|(option, file)| [option.to_string(), self.file(file)]));
            Step { name: name.into(), what: what.into(), runs: vec![run] }
        };
        let mut steps = vec![one("Verilog", "of every core and of `nic`", "generate", &[("-o", "")])];
        for core in cores::of_nic() {
            let runs = recordings.iter().map(|(folder, recording)| {
                let capture = folder.join(format!("{recording}-{}.pcap.gz", core.end));
                let json = self.file(&format!("runs/{}_{recording}.json", core.core));
                let words = ["cosim", "--core", core.core, "--traffic"].map(String::from);
                [&words[..], &[capture.display().to_string(), "--json".into(), json]].concat()
            });
            let what = match recordings.len() {
                1 => "a recording".to_string(),
                several => format!("{several} recordings"),
            };
            steps.push(Step { name: core.core.into(), what, runs: runs.collect() });
        }
        steps.extend([
            one(
                "sack",
                "both SACK engines over 50 lossy networks",
                "cosim --core sack --packets 2000 --seeds 50",
                &[("--json", "runs/sack_networks.json")],
            ),
            one(
                "nic",
                "two blocks, one of eight paths fails",
                "cosim --core nic --pair failing --bytes 4000000",
                &[("--json", "runs/nic_failing_path.json")],
            ),
            one(
                "waves",
                "of random ops of `reps`",
                "cosim --core reps --random 2000",
                &[("--wave", "reps.fst"), ("--json", "runs/reps_random.json")],
            ),
            one(
                "compare",
                "path selectors side by side",
                "compare --random 50000",
                &[("--html", "compare.html"), ("--json", "compare.json")],
            ),
            one(
                "figure 3",
                "of paper 001, the Verilog choosing paths",
                "fabric figure 3 --seeds 3",
                &[("--html", "figure3.html"), ("--json", "figure3.json")],
            ),
        ]);
        steps
    }

    /// The page of all of it, which needs what the other steps wrote.
    fn report(&self) -> Step {
        let names: Vec<&str> = cores::of_nic().map(|core| core.core).collect();
        let mut run: Vec<String> =
            ["report", "--core", &names.join(","), "--target", CARD, "--accepted"].map(String::from).to_vec();
        for (option, file) in [("--html", "report.html"), ("--json", "report.json"), ("--runs", "runs")] {
            run.extend([option.to_string(), self.file(file)]);
        }
        run.extend(["--sweep-target".to_string(), CARD.into()]);
        run.extend(SWEEPS.iter().flat_map(|sweep| ["--sweep".to_string(), sweep.to_string()]));
        let what = format!("LUTs, FFs and block RAM on {CARD}, by size");
        Step { name: "report".into(), what, runs: vec![run] }
    }

    /// The page over all pages.
    fn index(&self) -> Step {
        let run = vec!["index".to_string(), self.output.display().to_string()];
        Step { name: "index".into(), what: "a page over all pages".into(), runs: vec![run] }
    }

    /// Runs all steps, some runs at a time, and shows the line of each step behind the lines of those before it.
    fn carry_out(&self, steps: &[Step], bar: &ProgressBar) -> Result<Vec<Outcome>, Refusal> {
        let program = std::env::current_exe()?;
        let runs: Vec<(usize, &Vec<String>)> = steps
            .iter()
            .enumerate()
            .flat_map(|(at, step)| step.runs.iter().map(move |run| (at, run)))
            .collect();
        let over = steps.iter().map(|_| Vec::new()).collect();
        let board = Mutex::new(Board { over, outcomes: Vec::new() });
        parallel::map(&runs, |(at, run)| {
            let over = carry_out(&program, run);
            let mut board = board.lock().expect("no step panics");
            board.over[*at].push(over);
            while let Some(step) = steps.get(board.outcomes.len()) {
                let over = &board.over[board.outcomes.len()];
                if over.len() < step.runs.len() {
                    break;
                }
                let outcome = self.outcome(step, over);
                self.show(&outcome, bar);
                board.outcomes.push(outcome);
            }
            bar.inc(1);
        });
        let board = board.into_inner().expect("no step panics");
        for (step, over) in steps.iter().zip(&board.over) {
            let text: String = over.iter().map(|over| over.text.as_str()).collect();
            Results::default().file(Some(&self.log(step)), || text).hand_out()?;
        }
        Ok(board.outcomes)
    }

    /// Prints the line of a step, unless standard output is for JSON.
    fn show(&self, outcome: &Outcome, bar: &ProgressBar) {
        if !self.json.as_deref().is_some_and(is_standard_output) {
            // that nobody reads it is no reason to end
            bar.suspend(|| Results::text(line(outcome)).hand_out().unwrap_or_default());
        }
    }

    /// Where what a step printed is kept.
    fn log(&self, step: &Step) -> PathBuf {
        self.output.join("logs").join(step.name.replace(' ', "_") + ".txt")
    }

    fn outcome(&self, step: &Step, over: &[Over]) -> Outcome {
        let begun = over.iter().map(|over| over.begun).min();
        let ended = over.iter().map(|over| over.ended).max();
        let seconds = begun.zip(ended).map_or(0.0, |(begun, ended)| (ended - begun).as_secs_f64());
        let sum = |at: usize| over.iter().map(|over| over.counts[at]).sum();
        Outcome {
            step: step.name.clone(),
            what: step.what.clone(),
            verdict: over.iter().map(|over| over.verdict).max().unwrap_or(Ended::Pass),
            seconds,
            cycles: sum(0),
            mismatches: sum(1),
            commands: step.runs.iter().map(|run| run.join(" ")).collect(),
            log: self.log(step),
        }
    }

    /// The last lines: the verdict, what to look at, and what failed.
    fn end(&self, summary: &Summary<'_>) -> String {
        let mut text = String::new();
        for outcome in summary.steps.iter().filter(|outcome| outcome.verdict != Ended::Pass) {
            let _ = writeln!(text, "{}: see {}", outcome.step, outcome.log.display());
        }
        let cycles = summary.cycles as f64 / 1e6;
        let (verdict, time) = (word(summary.verdict), time(summary.seconds));
        let mismatches = summary.mismatches;
        let _ = writeln!(
            text,
            "\n{verdict}: {cycles:.1} M cycles of Verilog and golden models, {mismatches} mismatches; {time}"
        );
        for page in summary.pages {
            let _ = writeln!(text, "  look at {}", page.display());
        }
        text
    }
}

/// Runs `respray` with these arguments.
fn carry_out(program: &Path, run: &[String]) -> Over {
    let begun = Instant::now();
    let output = Command::new(program).args(run).stdin(Stdio::null()).output();
    let mut text = format!("$ respray {}\n", run.join(" "));
    let verdict = match output {
        Ok(output) => {
            text += &String::from_utf8_lossy(&output.stdout);
            text += &String::from_utf8_lossy(&output.stderr);
            match output.status.code() {
                Some(0) => Ended::Pass,
                Some(1) => Ended::Fail,
                _ => Ended::Refused,
            }
        }
        Err(error) => {
            let _ = writeln!(text, "{}: {error}", program.display());
            Ended::Refused
        }
    };
    let counts = if run[0] == "cosim" { counts(run) } else { [0; 2] };
    Over { begun, ended: Instant::now(), verdict, counts, text: text + "\n" }
}

/// Cycles and mismatches of a run of `cosim`, as its file says.
fn counts(run: &[String]) -> [u64; 2] {
    let file = run.iter().skip_while(|word| *word != "--json").nth(1);
    let text = file
        .filter(|file| !is_standard_output(Path::new(file)))
        .and_then(|file| fs::read_to_string(file).ok());
    let value: serde_json::Value = text.and_then(|text| serde_json::from_str(&text).ok()).unwrap_or_default();
    ["cycles", "mismatches"].map(|key| value[key].as_u64().unwrap_or(0))
}

/// A step as a line: its name, what it is, what it compared, its verdict and its time.
fn line(outcome: &Outcome) -> String {
    let Outcome { step, what, cycles, seconds, verdict, .. } = outcome;
    let compared =
        if *cycles > 0 { format!(", {:.1} M cycles", *cycles as f64 / 1e6) } else { String::new() };
    format!("{step:<11} {:<58} {:<8} {:>8}\n", what.clone() + &compared, word(*verdict), time(*seconds))
}

fn word(ended: Ended) -> &'static str {
    match ended {
        Ended::Pass => "pass",
        Ended::Fail => "FAIL",
        Ended::Refused => "refused",
    }
}

/// Seconds, or minutes and seconds.
fn time(seconds: f64) -> String {
    if seconds < 60.0 {
        return format!("{seconds:.1} s");
    }
    let whole = seconds.round() as u64;
    format!("{} min {} s", whole / 60, whole % 60)
}
