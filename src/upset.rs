//! `respray upset`: what a core makes of faults in the field, such as a bit of a memory that flips.

use std::path::PathBuf;

use clap::Args;
use clap::builder::PossibleValuesParser;
use respray_cosim::interrupt;
use respray_cosim::report::label_and_hash;
use respray_files::made_from::MadeFrom;
use respray_files::output::check_writable;
use respray_hdl::catalogue::{self, NAMES};
use respray_mutate::upset::campaign::{campaign, check};
use respray_mutate::upset::kind::Kind;
use respray_mutate::upset::report::Report;
use respray_synth::run::today;

use crate::args::{ConfigArgs, ExitStatus, FIRST_SEEDS, Refusal};
use crate::checkout::Checkout;
use crate::number::{whole, within};
use crate::output::{self, Results};

#[derive(Args)]
pub struct Upset {
    /// Cores with commas [default: all].
    #[arg(long, value_name = "CORE", value_delimiter = ',', value_parser = PossibleValuesParser::new(NAMES))]
    core: Vec<String>,
    /// What happens, with commas: flip is a bit of a memory that flips, reset one in the midst of ops, state any state before the
    /// first reset, stall inputs that pause at random.
    #[arg(long, value_name = "KIND", value_delimiter = ',', default_value = "flip", value_parser = kinds())]
    kind: Vec<String>,
    /// Runs of each core and kind.
    #[arg(long, value_name = "N", default_value_t = 1000, value_parser = whole::<u64>(1, 1_000_000_000))]
    runs: u64,
    /// Seed of the first run; those of the others follow.
    #[arg(long, value_name = "S", default_value_t = 1, value_parser = within::<u64>(FIRST_SEEDS))]
    seed: u64,
    /// Make a report of these reports, written with --json before, in place of new campaigns.
    #[arg(long, value_name = "FILE", num_args = 1.., conflicts_with_all = ["core", "kind", "runs", "seed", "config", "sets"])]
    join: Vec<PathBuf>,
    /// Write what was found as JSON; `-` is standard output.
    #[arg(long, value_name = "FILE")]
    json: Option<PathBuf>,
    /// Write it as a page in Markdown.
    #[arg(long, value_name = "FILE")]
    markdown: Option<PathBuf>,
    #[command(flatten)]
    config: ConfigArgs,
}

fn kinds() -> PossibleValuesParser {
    PossibleValuesParser::new(Kind::ALL.map(Kind::word))
}

impl Upset {
    pub fn run(&self) -> Result<ExitStatus, Refusal> {
        let outputs = [("--json", self.json.as_deref()), ("--markdown", self.markdown.as_deref())];
        output::one_standard_output(&outputs)?;
        outputs.iter().filter_map(|(_, path)| *path).try_for_each(check_writable)?;
        let report = match self.join.split_first() {
            Some((first, others)) => {
                let mut report = Report::read(first)?;
                for path in others {
                    report = report.joined(path, Report::read(path)?)?;
                }
                report
            }
            None => match self.campaigns()? {
                Some(report) => report,
                None => return Ok(ExitStatus::Interrupted),
            },
        };
        Results::text(report.text())
            .json(self.json.as_deref(), &report)
            .file(self.markdown.as_deref(), || report.markdown())
            .hand_out()?;
        Ok(if report.is_whole() { ExitStatus::Success } else { ExitStatus::Mismatch })
    }

    /// All that was asked for; `None` if a signal ended it.
    fn campaigns(&self) -> Result<Option<Report>, Refusal> {
        let config = self.config.load()?;
        let is_asked = |core: &str| self.core.iter().any(|asked| asked == core);
        let kinds = Kind::ALL.into_iter().filter(|kind| self.kind.iter().any(|asked| asked == kind.word()));
        let kinds: Vec<Kind> = kinds.collect();
        let wanted = |core: &str| self.core.is_empty() || is_asked(core);
        let names = NAMES.iter().copied().filter(|core| wanted(core));
        let generated =
            names.map(|core| catalogue::generate(core, &config)).collect::<Result<Vec<_>, _>>()?;
        for generated in &generated {
            for kind in &kinds {
                check(generated, *kind)?;
            }
        }
        // what is built here, whatever becomes of the checkout meanwhile
        let commit = Checkout::find().commit();
        let made_from = MadeFrom(generated.iter().map(label_and_hash).collect());
        let bar = output::progress(0, "runs");
        let _heed = interrupt::Heed::new();
        let mut campaigns = Vec::new();
        for generated in &generated {
            let core = generated.manifest.module.as_str();
            for kind in kinds.iter().copied() {
                bar.set_message(format!("{core}, {}", kind.word()));
                bar.set_length(self.runs);
                bar.set_position(0);
                campaigns
                    .push(campaign(generated, kind, self.runs, self.seed, &|done| bar.set_position(done))?);
                if interrupt::is_requested() {
                    bar.finish_and_clear();
                    return Ok(None);
                }
            }
        }
        bar.finish_and_clear();
        Ok(Some(Report::new(campaigns, made_from, config, commit, today())?))
    }
}
