//! `respray`: packet-spraying RTL with a cycle-accurate proof behind it.
//!
//! One file per subcommand, none with logic of its own. Exit code 0 is success, 1 a mismatch that was found, 2 bad
//! input; every error is one sentence on standard error. What a signal ends has the exit status of that signal.

mod args;
mod cache;
mod checkout;
mod common;
mod compare;
mod cores;
mod cosim;
mod cover;
mod demo;
mod docs;
mod doctor;
mod example;
mod fabric;
mod figures;
mod generate;
mod help;
mod index;
mod man;
mod mutate;
mod netlist;
mod network;
mod new_core;
mod nic;
mod number;
mod output;
mod progress;
mod prove;
mod recordings;
mod report;
mod settings;
mod signals;
mod simulator;
mod stream;
mod traffic;
mod upset;
mod usage;
mod waves;

use std::process::ExitCode;

use clap::{CommandFactory, FromArgMatches, Parser, Subcommand};

use crate::args::{ExitStatus, Refusal};
use crate::output::Results;

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
    /// Prove properties of the generated Verilog, and show that each of them can fail.
    Prove(prove::Prove),
    /// Change the generated Verilog in one place at a time, and see whether the lockstep finds each of these mutants.
    Mutate(mutate::Mutate),
    /// Count what happens in the runs that the cores are held to, and see whether something never does.
    Cover(cover::Cover),
    /// Let bits of memories flip, resets come at any time and inputs pause, and see that no core stops or mixes up its connections.
    Upset(upset::Upset),
    /// Compare path selectors: what they cost, and what they do over paths of which some are bad.
    Compare(Box<compare::Compare>),
    /// Put path selectors, as Verilog or golden models, into the loop of a simulated fat tree.
    #[command(subcommand)]
    Fabric(fabric::Fabric),
    /// Write a page over all pages of a folder.
    Index(index::Index),
    /// Look into captures, or record one.
    #[command(subcommand)]
    Traffic(traffic::Traffic),
    /// Run the cores of a NIC on all recordings, compare and measure them: a line a step, and pages to look at.
    Demo(demo::Demo),
    /// List the cores, what they are given, and at which end of a recording they stand.
    Cores(cores::Cores),
    /// Write the skeleton of a new path selector into the checkout: hardware, golden model, page, and its rows in the lists.
    NewCore(new_core::NewCore),
    /// Write the tables of README.md and docs/ as the cores are now.
    Docs(docs::Docs),
    /// List the tools that respray uses, the versions found and wanted, and how to get them.
    Doctor(doctor::Doctor),
    /// Say where compiled models are kept, how large that is and may be, or clear it.
    Cache(cache::Cache),
    /// Print the completion script of a shell.
    Completions {
        /// The shell.
        shell: clap_complete::Shell,
    },
    /// Print the manual page, or write those of all subcommands.
    Man(man::Man),
}

/// The command line as it is parsed and explained.
fn command_line() -> clap::Command {
    number::in_helps(help::with_ends(Cli::command()))
}

fn main() -> ExitCode {
    let parsed = command_line().try_get_matches().and_then(|matches| Cli::from_arg_matches(&matches));
    let command = match parsed {
        Ok(cli) => cli.command,
        Err(error) => {
            let words = std::env::args_os().skip(1).map(|word| word.to_string_lossy().into_owned());
            return usage::refuse(&error, &command_line(), &words.collect::<Vec<_>>());
        }
    };
    // a recording or a live run ends its namespaces by itself
    if !matches!(command, Command::Traffic(traffic::Traffic::Record(_) | traffic::Traffic::Live(_))) {
        signals::catch();
    }
    let status = match output::claim_standard_output() {
        Ok(()) => command.run(),
        Err(refusal) => Err(refusal),
    };
    match status {
        Ok(ExitStatus::Success) => ExitCode::SUCCESS,
        Ok(ExitStatus::Mismatch) => ExitCode::from(1),
        Ok(ExitStatus::Refused) => ExitCode::from(2),
        Ok(ExitStatus::Interrupted) => signals::end(),
        Err(refusal) => {
            output::say(&refusal);
            ExitCode::from(2)
        }
    }
}

impl Command {
    fn run(&self) -> Result<ExitStatus, Refusal> {
        match self {
            Command::Generate(command) => command.run(),
            Command::Cosim(command) => command.run(),
            Command::Report(command) => command.run(),
            Command::Prove(command) => command.run(),
            Command::Mutate(command) => command.run(),
            Command::Cover(command) => command.run(),
            Command::Upset(command) => command.run(),
            Command::Compare(command) => command.run(),
            Command::Fabric(command) => command.run(),
            Command::Index(command) => command.run(),
            Command::Traffic(command) => command.run(),
            Command::Demo(command) => command.run(),
            Command::Cores(command) => command.run(),
            Command::NewCore(command) => command.run(),
            Command::Docs(command) => command.run(&command_line()),
            Command::Doctor(command) => command.run(),
            Command::Cache(command) => command.run(),
            Command::Man(command) => command.run(command_line()),
            Command::Completions { shell } => {
                let mut script = Vec::new();
                clap_complete::generate(*shell, &mut command_line(), "respray", &mut script);
                Results::text(String::from_utf8_lossy(&script)).hand_out()?;
                Ok(ExitStatus::Success)
            }
        }
    }
}
