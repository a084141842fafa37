//! `respray prove`: what holds of the generated Verilog whatever comes.

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};

use clap::Args;
use clap::builder::PossibleValuesParser;
use respray_files::made_from::MadeFrom;
use respray_files::output::check_writable;
use respray_synth::prove::{self, Proof, Proved};
use respray_synth::report::generate;
use respray_synth::run::today;

use crate::args::{ExitStatus, Refusal};
use crate::checkout::Checkout;
use crate::figures;
use crate::output::{self, Results};

#[derive(Args)]
pub struct Prove {
    /// Cores, and blocks that are no core by themselves, with commas [default: all of which something is proved].
    #[arg(long, value_name = "CORE", value_delimiter = ',', value_parser = PossibleValuesParser::new(prove::cores()))]
    core: Vec<String>,
    /// Write what was found as JSON; `-` is standard output.
    #[arg(long, value_name = "FILE")]
    json: Option<PathBuf>,
    /// Write it as a page in Markdown.
    #[arg(long, value_name = "FILE")]
    markdown: Option<PathBuf>,
    /// Keep the Verilog with its rules, the formulas and the waves of what fails in this folder.
    #[arg(long, value_name = "DIR")]
    keep: Option<PathBuf>,
}

impl Prove {
    pub fn run(&self) -> Result<ExitStatus, Refusal> {
        let outputs = [("--json", self.json.as_deref()), ("--markdown", self.markdown.as_deref())];
        output::one_standard_output(&outputs)?;
        outputs.iter().filter_map(|(_, path)| *path).try_for_each(check_writable)?;
        let checkout = Checkout::find();
        let tools = checkout.tools();
        let proofs: Vec<_> = prove::proofs_of(&self.core).collect();
        let hash = |proof: &&'static Proof| Ok((proof.folder(), figures::hash_of_proof(proof)?));
        let made_from = MadeFrom(proofs.iter().map(hash).collect::<Result<_, Refusal>>()?);
        let passing = tempfile::tempdir().map_err(|error| format!("no temporary folder: {error}"))?;
        let folder: &Path = self.keep.as_deref().unwrap_or(passing.path());
        let bar = output::progress(0, "proofs");
        let finished = AtomicUsize::new(0);
        let outcomes = prove::prove(&tools, &proofs, folder, &generate, &|of, core| {
            bar.set_length(of as u64);
            bar.set_position(1 + finished.fetch_add(1, Ordering::Relaxed) as u64);
            bar.set_message(core.to_string());
        });
        bar.finish_and_clear();
        let proved = Proved::new(outcomes?, made_from, &tools, checkout.commit(), today())?;
        Results::text(proved.text())
            .json(self.json.as_deref(), &proved)
            .file(self.markdown.as_deref(), || proved.markdown())
            .hand_out()?;
        Ok(if proved.is_whole() { ExitStatus::Success } else { ExitStatus::Mismatch })
    }
}
