//! `respray generate`: the Verilog and manifest of every core, and what makes them easy to take elsewhere.

use std::path::{Path, PathBuf};

use clap::Args;
use respray_files::output::write_all;
use respray_hdl::catalogue;
use respray_hdl::config::Config;
use respray_hdl::cores::CORES;
use respray_hdl::cores::prefix::Prefix;
use respray_hdl::manifest::Generated;
use respray_hdl::shells;
use respray_synth::cache::key;
use respray_synth::constraints;
use respray_synth::package::{self, Constraints};
use respray_synth::sv_check;

use crate::args::{ConfigArgs, ExitStatus, Refusal};
use crate::example;
use crate::output::Results;

/// Where the Verilog stands in a checkout.
const DEFAULT_FOLDER: &str = "generated";

#[derive(Args)]
pub struct Generate {
    /// Folder to write into; it is made where it is missing. Constraints go into a folder of their own within it, or beside it where
    /// it is the default one, as in a checkout.
    #[arg(short, long, value_name = "DIR", default_value = DEFAULT_FOLDER)]
    output: PathBuf,
    /// One core only; without it every core there is.
    #[arg(long, value_name = "CORE", value_parser = clap::builder::PossibleValuesParser::new(catalogue::NAMES))]
    core: Option<String>,
    /// The block `nic` in a wrapper for a shell, and no core by itself: a folder for each place in the shell, with file list, scripts and
    /// constraints. docs/integration.md says how each goes on from there.
    #[arg(long, value_name = "SHELL", conflicts_with_all = ["core", "prefix", "prefix_by_hash"],
        value_parser = clap::builder::PossibleValuesParser::new(shells::NAMES))]
    shell: Option<String>,
    /// Put NAME_ before the names of all modules and files, so that one design can hold a core in two configurations.
    #[arg(long, value_name = "NAME")]
    prefix: Option<Prefix>,
    /// The same with a name that follows from the configuration: c and eight digits of its hash.
    #[arg(long, conflicts_with = "prefix")]
    prefix_by_hash: bool,
    /// In place of the cores a design around the block `nic` that tests itself on a board: its Verilog and its pins. It has a
    /// configuration of its own.
    #[arg(long, value_name = "NAME", value_parser = clap::builder::PossibleValuesParser::new(example::NAMES), conflicts_with_all = ["core", "shell", "prefix", "prefix_by_hash", "config", "sets"])]
    example: Option<String>,
    /// Write the rules of each core as well, as SystemVerilog assertions that `bind` puts beside its modules in a simulation:
    /// CORE_check.sv. docs/models.md says which rules these are.
    #[arg(long, conflicts_with_all = ["shell", "example"])]
    sv_check: bool,
    #[command(flatten)]
    config: ConfigArgs,
}

impl Generate {
    pub fn run(&self) -> Result<ExitStatus, Refusal> {
        if self.example.is_some() {
            return example::write(&self.output);
        }
        let config = self.config.load()?;
        if let Some(shell) = &self.shell {
            let wrappers = shells::generate(shell, &config)?;
            return write(self.in_folder(wrappers.iter().flat_map(package::shell::files)));
        }
        let prefix = self.prefix(&config)?;
        let is_wanted = |name: &&&str| self.core.as_deref().is_none_or(|only| only == **name);
        let wanted: Vec<&str> = catalogue::NAMES.iter().filter(is_wanted).copied().collect();
        let generate = |name: &&str| catalogue::generate_named(name, &config, &prefix);
        let generated: Vec<Generated> = wanted.iter().map(generate).collect::<Result<_, _>>()?;
        let constraints =
            if self.output == Path::new(DEFAULT_FOLDER) { Constraints::Beside } else { Constraints::Inside };
        let mut files = Vec::new();
        for (name, core) in wanted.iter().zip(&generated) {
            let module = &core.manifest.module;
            files.extend(package::files(core, constraints));
            files.push((PathBuf::from(format!("{module}.v")), core.verilog.clone()));
            files.push((PathBuf::from(format!("{module}.json")), core.manifest.json()));
            if self.sv_check {
                let file = sv_check::file(name, core);
                files.extend(file.map(|(name, text)| (PathBuf::from(name), text)));
            }
            let beside = catalogue::beside(name, &config, &prefix).into_iter();
            files.extend(beside.map(|(name, text)| (PathBuf::from(name), text)));
        }
        // the block brings the modules of the cores along, which one design has once
        let alone = wanted.iter().zip(generated).filter(|(name, _)| CORES.contains(name));
        files.extend(package::design(&alone.map(|(_, core)| core).collect::<Vec<_>>(), &prefix, constraints));
        let folder = constraints.folder(&self.output);
        let constraint = |(name, text)| (folder.join(name), text);
        let files =
            self.in_folder(files).chain(constraints::files(config.clock_mhz).into_iter().map(constraint));
        write(files)
    }

    /// The files, with the folder in their paths.
    fn in_folder(
        &self,
        files: impl IntoIterator<Item = (PathBuf, String)>,
    ) -> impl Iterator<Item = (PathBuf, String)> {
        files.into_iter().map(|(name, text)| (self.output.join(name), text))
    }

    /// What begins the names of modules and files.
    fn prefix(&self, config: &Config) -> Result<Prefix, Refusal> {
        if self.prefix_by_hash {
            let hash = key(&[&serde_json::to_string(config)?]);
            return Ok(format!("c{}", &hash[..8]).parse()?);
        }
        Ok(self.prefix.clone().unwrap_or_default())
    }
}

/// Writes the files, all or none, and says which.
fn write(files: impl Iterator<Item = (PathBuf, String)>) -> Result<ExitStatus, Refusal> {
    let files: Vec<(PathBuf, Vec<u8>)> = files.map(|(path, text)| (path, text.into_bytes())).collect();
    write_all(&files)?;
    let line = |(path, bytes): &(PathBuf, Vec<u8>)| format!("{} ({} bytes)\n", path.display(), bytes.len());
    Results::text(files.iter().map(line).collect::<String>()).hand_out()?;
    Ok(ExitStatus::Success)
}
