//! `respray man`: the manual as pages for `man`.

use std::path::PathBuf;

use clap::{Args, Command};
use clap_mangen::Man as Page;
use respray_files::output::write_all;

use crate::args::{ExitStatus, Refusal};
use crate::output::Results;

#[derive(Args)]
pub struct Man {
    /// Write a page for respray and one for each subcommand into this folder; without it the page of respray is printed.
    #[arg(short, long, value_name = "DIR")]
    output: Option<PathBuf>,
}

impl Man {
    /// Prints or writes the pages of `command`.
    pub fn run(&self, mut command: Command) -> Result<ExitStatus, Refusal> {
        let Some(folder) = &self.output else {
            Results::text(String::from_utf8(page(command)?)?).hand_out()?;
            return Ok(ExitStatus::Success);
        };
        // which gives each subcommand its whole name
        command.build();
        let mut files = Vec::new();
        pages(&command, &mut files)?;
        let files: Vec<(PathBuf, Vec<u8>)> =
            files.into_iter().map(|(name, text)| (folder.join(name), text)).collect();
        write_all(&files)?;
        let lines: String = files.iter().map(|(path, _)| format!("{}\n", path.display())).collect();
        Results::text(lines).hand_out()?;
        Ok(ExitStatus::Success)
    }
}

/// The page of a command and of all below it: `respray-cosim.1` of `respray cosim`.
fn pages(command: &Command, files: &mut Vec<(String, Vec<u8>)>) -> Result<(), Refusal> {
    let name = command.get_display_name().unwrap_or_else(|| command.get_name());
    files.push((format!("{name}.1"), page(command.clone())?));
    let subcommands = command.get_subcommands().filter(|subcommand| subcommand.get_name() != "help");
    subcommands.into_iter().try_for_each(|subcommand| pages(subcommand, files))
}

fn page(command: Command) -> Result<Vec<u8>, Refusal> {
    let mut text = Vec::new();
    Page::new(command).render(&mut text)?;
    Ok(text)
}
