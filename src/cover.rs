//! `respray cover`: what happened in the runs that the cores are held to.

use std::path::PathBuf;

use clap::Args;
use clap::builder::PossibleValuesParser;
use respray_cosim::report::label_and_hash;
use respray_files::made_from::MadeFrom;
use respray_files::output::check_writable;
use respray_hdl::catalogue::{self, NAMES};
use respray_mutate::cover::report::Report;
use respray_mutate::cover::{Request, covered};
use respray_mutate::runs::Plan;
use respray_synth::run::today;

use crate::args::{CYCLES, ConfigArgs, ExitStatus, FIRST_SEEDS, Refusal};
use crate::checkout::Checkout;
use crate::number::within;
use crate::output::{self, Results};

/// The last stage of rounds.
const ALL: usize = 3;

#[derive(Args)]
pub struct Cover {
    /// Cores with commas [default: all].
    #[arg(long, value_name = "CORE", value_delimiter = ',', value_parser = PossibleValuesParser::new(NAMES))]
    core: Vec<String>,
    /// Seed of what is random in the runs.
    #[arg(long, value_name = "S", default_value_t = 1, value_parser = within::<u64>(FIRST_SEEDS))]
    seed: u64,
    /// Cycles of the longest round of random stimulus.
    #[arg(long, value_name = "N", default_value_t = 1_000_000, value_parser = within::<u64>(CYCLES))]
    cycles: u64,
    /// Count the bits that toggle, too, in the short rounds.
    #[arg(long)]
    toggles: bool,
    /// Write what was counted as JSON; `-` is standard output.
    #[arg(long, value_name = "FILE")]
    json: Option<PathBuf>,
    /// Write it as a page in Markdown.
    #[arg(long, value_name = "FILE")]
    markdown: Option<PathBuf>,
    #[command(flatten)]
    config: ConfigArgs,
}

impl Cover {
    pub fn run(&self) -> Result<ExitStatus, Refusal> {
        let outputs = [("--json", self.json.as_deref()), ("--markdown", self.markdown.as_deref())];
        output::one_standard_output(&outputs)?;
        outputs.iter().filter_map(|(_, path)| *path).try_for_each(check_writable)?;
        let config = self.config.load()?;
        let checkout = Checkout::find();
        let wanted = |core: &&&str| self.core.is_empty() || self.core.iter().any(|asked| asked == **core);
        let names = NAMES.iter().filter(wanted);
        let generated =
            names.map(|core| catalogue::generate(core, &config)).collect::<Result<Vec<_>, _>>()?;
        // what is built here, whatever becomes of the checkout meanwhile
        let commit = checkout.commit();
        let made_from = MadeFrom(generated.iter().map(label_and_hash).collect());
        let mut counted = Vec::new();
        let bar = output::progress(0, "rounds");
        for generated in &generated {
            bar.set_message(generated.manifest.module.clone());
            let plan = Plan {
                cycles: self.cycles,
                seed: self.seed,
                recordings: Some(checkout.join("tb/recordings")),
            };
            let request = Request { plan, stage: ALL, toggles: self.toggles, sizes: true };
            counted.push(covered(generated, &request, &|done, of| {
                bar.set_length(of as u64);
                bar.set_position(done as u64);
            })?);
        }
        bar.finish_and_clear();
        let report = Report::new(counted, made_from, config, self.cycles, commit, today())?;
        Results::text(report.text())
            .json(self.json.as_deref(), &report)
            .file(self.markdown.as_deref(), || report.markdown())
            .hand_out()?;
        Ok(if report.is_whole() { ExitStatus::Success } else { ExitStatus::Mismatch })
    }
}
