//! `respray`: packet-spraying RTL with a cycle-accurate proof behind it.
//!
//! One file per subcommand, none with logic of its own. Exit code 0 is success, 1 a mismatch that was found, 2 bad
//! input; every error is one sentence on standard error.

mod args;
mod cache;
mod cores;
mod cosim;
mod docs;
mod doctor;
mod generate;
mod network;
mod output;
mod report;
mod settings;
mod stream;
mod traffic;

use std::process::ExitCode;

use clap::{CommandFactory, Parser, Subcommand};

use crate::args::ExitStatus;

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
    /// List the cores, what they are given, and at which end of a recording they stand.
    Cores(cores::Cores),
    /// Write the tables of README.md and docs/ as the cores are now.
    Docs(docs::Docs),
    /// List the tools that respray uses, the versions found and wanted, and how to get them.
    Doctor(doctor::Doctor),
    /// Say where compiled models are kept and how large that is, or clear it.
    Cache(cache::Cache),
    /// Print the completion script of a shell.
    Completions {
        /// The shell.
        shell: clap_complete::Shell,
    },
}

fn main() -> ExitCode {
    let result = match Cli::parse().command {
        Command::Generate(command) => command.run(),
        Command::Cosim(command) => command.run(),
        Command::Report(command) => command.run(),
        Command::Traffic(command) => command.run(),
        Command::Cores(command) => command.run(),
        Command::Docs(command) => command.run(),
        Command::Doctor(command) => command.run(),
        Command::Cache(command) => command.run(),
        Command::Completions { shell } => {
            clap_complete::generate(shell, &mut Cli::command(), "respray", &mut std::io::stdout());
            Ok(ExitStatus::Success)
        }
    };
    match result {
        Ok(ExitStatus::Success) => ExitCode::SUCCESS,
        Ok(ExitStatus::Mismatch) => ExitCode::from(1),
        Err(refusal) => {
            eprintln!("respray: {refusal}");
            ExitCode::from(2)
        }
    }
}
