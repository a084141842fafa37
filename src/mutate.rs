//! `respray mutate`: which mutants of the generated Verilog the lockstep sees.

use std::path::{Path, PathBuf};

use clap::Args;
use clap::builder::PossibleValuesParser;
use respray_cosim::report::label_and_hash;
use respray_files::made_from::MadeFrom;
use respray_files::output::check_writable;
use respray_files::range::Whole;
use respray_hdl::catalogue::{self, NAMES};
use respray_mutate::campaign::{Request, campaign};
use respray_mutate::explained::Explained;
use respray_mutate::report::Report;
use respray_mutate::runs::Plan;
use respray_synth::run::today;

use crate::args::{CYCLES, ConfigArgs, ExitStatus, FIRST_SEEDS, Refusal};
use crate::checkout::Checkout;
use crate::number::{Number, within};
use crate::output::{self, Results};

#[derive(Args)]
pub struct Mutate {
    /// Cores with commas [default: all].
    #[arg(long, value_name = "CORE", value_delimiter = ',', value_parser = PossibleValuesParser::new(NAMES))]
    core: Vec<String>,
    /// Mutants of each core, or all that there are.
    #[arg(long, value_name = "N", default_value_t = 60, value_parser = within::<u32>(MUTANTS))]
    n: u32,
    /// Cores that have other numbers of mutants, as CORE=N with commas.
    #[arg(long, value_name = "CORE=N", value_delimiter = ',', value_parser = core_and_number())]
    of: Vec<(String, u32)>,
    /// Seed that chooses the mutants, and of what is random in their runs.
    #[arg(long, value_name = "S", default_value_t = 1, value_parser = within::<u64>(FIRST_SEEDS))]
    seed: u64,
    /// Cycles of the longest round of random stimulus.
    #[arg(long, value_name = "N", default_value_t = 10_000_000, value_parser = within::<u64>(CYCLES))]
    cycles: u64,
    /// Make a report of these reports, written with --json before, in place of new campaigns.
    #[arg(long, value_name = "FILE", num_args = 1.., conflicts_with_all = ["core", "n", "of", "seed", "cycles", "keep", "config", "sets"])]
    join: Vec<PathBuf>,
    /// Write what was found as JSON; `-` is standard output.
    #[arg(long, value_name = "FILE")]
    json: Option<PathBuf>,
    /// Write it as a page in Markdown.
    #[arg(long, value_name = "FILE")]
    markdown: Option<PathBuf>,
    /// Keep the Verilog and the formulas of what is to be shown equivalent in this folder.
    #[arg(long, value_name = "DIR")]
    keep: Option<PathBuf>,
    #[command(flatten)]
    config: ConfigArgs,
}

/// Mutants of a core, which has some thousands.
const MUTANTS: Whole = Whole::new(1, 1_000_000);

fn core_and_number() -> Number<(String, u32)> {
    Number::new(format!("CORE=N with N of {MUTANTS}"), |text| {
        let (core, number) = text.split_once('=')?;
        Some((core.to_string(), MUTANTS.read(number)? as u32))
    })
}

impl Mutate {
    pub fn run(&self) -> Result<ExitStatus, Refusal> {
        let outputs = [("--json", self.json.as_deref()), ("--markdown", self.markdown.as_deref())];
        output::one_standard_output(&outputs)?;
        outputs.iter().filter_map(|(_, path)| *path).try_for_each(check_writable)?;
        if let Some((core, _)) = self.of.iter().find(|(core, _)| !NAMES.contains(&core.as_str())) {
            return Err(format!("--of: there is no core `{core}`; allowed: {}", NAMES.join(", ")).into());
        }
        let checkout = Checkout::find();
        let explained = Explained::read(&checkout.join(Explained::PATH))?;
        let mut report = match self.join.split_first() {
            Some((first, others)) => {
                let read = |path: &PathBuf| Ok::<_, Refusal>((path.clone(), Report::read(path)?));
                let others = others.iter().map(read).collect::<Result<_, _>>()?;
                Report::read(first)?.joined(others)?
            }
            None => self.campaigns(&checkout, &explained)?,
        };
        for campaign in &mut report.campaigns {
            explained.apply(&campaign.core, &mut campaign.mutants);
            let wrong = explained.refuted(&campaign.core, &campaign.mutants).into_iter();
            report.refuted.extend(wrong.map(|reason| format!("{}: {}", campaign.core, reason.after)));
        }
        Results::text(report.text())
            .json(self.json.as_deref(), &report)
            .file(self.markdown.as_deref(), || report.markdown())
            .hand_out()?;
        Ok(if report.is_whole() { ExitStatus::Success } else { ExitStatus::Mismatch })
    }

    fn campaigns(&self, checkout: &Checkout, explained: &Explained) -> Result<Report, Refusal> {
        let config = self.config.load()?;
        let tools = checkout.tools();
        let passing = tempfile::tempdir().map_err(|error| format!("no temporary folder: {error}"))?;
        let folder: &Path = self.keep.as_deref().unwrap_or(passing.path());
        let wanted = |core: &&&str| self.core.is_empty() || self.core.iter().any(|asked| asked == **core);
        let (mut campaigns, mut made_from) = (Vec::new(), MadeFrom::default());
        let bar = output::progress(0, "mutants");
        for core in NAMES.iter().filter(wanted) {
            bar.set_message(core.to_string());
            let generated = catalogue::generate(core, &config)?;
            made_from.0.extend([label_and_hash(&generated)]);
            let number = self.of.iter().find(|(of, _)| of == core).map_or(self.n, |(_, number)| *number);
            let plan = Plan {
                cycles: self.cycles,
                seed: self.seed,
                recordings: Some(checkout.join("tb/recordings")),
            };
            let folder = &folder.join(core);
            let request = Request { number: number as usize, plan, tools: Some(&tools), explained, folder };
            campaigns.push(campaign(&generated, &request, &|done, of| {
                bar.set_length(of as u64);
                bar.set_position(done as u64);
            })?);
        }
        bar.finish_and_clear();
        Ok(Report::new(campaigns, made_from, config, &tools, checkout.commit(), today())?)
    }
}
