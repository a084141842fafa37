//! `respray generate`: the Verilog and manifest of every core, and what makes them easy to take elsewhere.

use std::path::PathBuf;

use clap::Args;
use respray_files::output::write_all;
use respray_hdl::cores;
use respray_synth::package;

use crate::args::{ConfigArgs, ExitStatus, Refusal};
use crate::output::Results;

#[derive(Args)]
pub struct Generate {
    /// Folder to write into; it is made where it is missing.
    #[arg(short, long, value_name = "DIR", default_value = "generated")]
    output: PathBuf,
    /// One core only; without it every core there is.
    #[arg(long, value_name = "CORE", value_parser = clap::builder::PossibleValuesParser::new(cores::CORES))]
    core: Option<String>,
    #[command(flatten)]
    config: ConfigArgs,
}

impl Generate {
    pub fn run(&self) -> Result<ExitStatus, Refusal> {
        let config = self.config.load()?;
        let mut files = Vec::new();
        for core in cores::CORES.iter().filter(|name| self.core.as_deref().is_none_or(|only| only == **name))
        {
            let generated = cores::generate(core, &config)?;
            let mut manifest = serde_json::to_string_pretty(&generated.manifest)?;
            manifest.push('\n');
            let beside = package::files(&generated).into_iter();
            files.extend(beside.map(|(name, text)| (self.output.join(name), text.into_bytes())));
            files.push((self.output.join(format!("{core}.v")), generated.verilog.into_bytes()));
            files.push((self.output.join(format!("{core}.json")), manifest.into_bytes()));
        }
        let constraints = package::constraint_files(&self.output, config.clock_mhz).into_iter();
        files.extend(constraints.map(|(name, text)| (self.output.join(name), text.into_bytes())));
        write_all(&files)?;
        let line =
            |(path, bytes): &(PathBuf, Vec<u8>)| format!("{} ({} bytes)\n", path.display(), bytes.len());
        Results::text(files.iter().map(line).collect::<String>()).hand_out()?;
        Ok(ExitStatus::Success)
    }
}
