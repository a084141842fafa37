//! `respray`: packet-spraying RTL with a cycle-accurate proof behind it.
//!
//! One file per subcommand, none with logic of its own. Exit code 0 is success, 1 a mismatch that was found, 2 bad
//! input; every error is one sentence on standard error.

mod cosim;
mod doctor;
mod generate;
mod network;
mod output;
mod report;
mod stream;
mod traffic;

use std::path::PathBuf;
use std::process::ExitCode;

use clap::{Args, CommandFactory, Parser, Subcommand};
use respray_hdl::config::{Config, ConfigError};

#[derive(Parser)]
#[command(name = "respray", version, about, propagate_version = true)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Write the Verilog and the manifest of every core.
    Generate(generate::Generate),
    /// Run a core's Verilog in lockstep with its golden model.
    Cosim(Box<cosim::Cosim>),
    /// What the cores take of each device, how that grows, and whether it got worse.
    Report(Box<report::Report>),
    /// Look into captures, or record one.
    #[command(subcommand)]
    Traffic(traffic::Traffic),
    /// List the tools that respray uses, the versions found and wanted, and how to get them.
    Doctor(doctor::Doctor),
    /// Print the completion script of a shell.
    Completions {
        /// The shell.
        shell: clap_complete::Shell,
    },
}

/// The NIC at hand: everywhere the same two options.
#[derive(Args, Clone, Debug)]
pub struct ConfigArgs {
    /// TOML file that describes the NIC; without it the defaults hold.
    #[arg(long, value_name = "FILE")]
    config: Option<PathBuf>,
    /// One key on top of the file, e.g. reps.depth=16; may be given again.
    #[arg(long = "set", value_name = "KEY=VALUE")]
    sets: Vec<String>,
}

impl ConfigArgs {
    pub fn load(&self) -> Result<Config, ConfigError> {
        Config::load(self.config.as_deref(), &self.sets)
    }
}

/// How a subcommand that ran to its end went.
pub enum Verdict {
    Success,
    /// What was to be compared differs.
    Mismatch,
}

/// Bad input or a failed tool: its text is the sentence that the user reads.
pub type Refusal = Box<dyn std::error::Error>;

fn main() -> ExitCode {
    let result = match Cli::parse().command {
        Command::Generate(command) => command.run(),
        Command::Cosim(command) => command.run(),
        Command::Report(command) => command.run(),
        Command::Traffic(command) => command.run(),
        Command::Doctor(command) => command.run(),
        Command::Completions { shell } => {
            clap_complete::generate(shell, &mut Cli::command(), "respray", &mut std::io::stdout());
            Ok(Verdict::Success)
        }
    };
    match result {
        Ok(Verdict::Success) => ExitCode::SUCCESS,
        Ok(Verdict::Mismatch) => ExitCode::from(1),
        Err(refusal) => {
            eprintln!("respray: {refusal}");
            ExitCode::from(2)
        }
    }
}
