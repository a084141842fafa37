//! `respray docs`: the tables of the documents, as the cores are now.

use std::path::PathBuf;

use clap::Args;
use respray_cosim::pages::{filled, pages};
use respray_files::output::write_all;

use crate::args::{ExitStatus, Refusal};
use crate::output::Results;

#[derive(Args)]
pub struct Docs {
    /// Folder of the project, in which README.md and docs/ stand.
    #[arg(long, value_name = "DIR", default_value = ".")]
    project: PathBuf,
    /// Write nothing; exit code 1 where a document is not as it should be.
    #[arg(long)]
    check: bool,
}

impl Docs {
    pub fn run(&self) -> Result<ExitStatus, Refusal> {
        let mut changed = Vec::new();
        for (page, subject) in pages() {
            let path = self.project.join(&page);
            let text = std::fs::read_to_string(&path)
                .map_err(|error| format!("{}: cannot be read: {error}", path.display()))?;
            let text_now = filled(&page, subject, &text)?;
            if text_now != text {
                changed.push((path, text_now.into_bytes()));
            }
        }
        let is = if self.check { " is not as `respray docs` writes it" } else { "" };
        let said: String = changed.iter().map(|(path, _)| format!("{}{is}\n", path.display())).collect();
        if !self.check {
            write_all(&changed)?;
        }
        Results::text(said).hand_out()?;
        Ok(if self.check && !changed.is_empty() { ExitStatus::Mismatch } else { ExitStatus::Success })
    }
}
