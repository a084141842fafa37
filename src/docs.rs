//! `respray docs`: the tables of the documents, as the cores are now.

use std::path::PathBuf;

use clap::Args;
use clap::builder::PossibleValuesParser;
use respray_cosim::pages::{filled, pages};
use respray_files::output::write_all;

use crate::args::{ExitStatus, Refusal};
use crate::figures::PAGES;
use crate::output::Results;

#[derive(Args)]
pub struct Docs {
    /// Folder of the project, in which README.md and docs/ stand.
    #[arg(long, value_name = "DIR", default_value = ".")]
    project: PathBuf,
    /// Write nothing; exit code 1 where a document is not as it should be.
    #[arg(long)]
    check: bool,
    /// Write nothing, and list the pages of figures that were made from designs which have changed since: what `make` is told to make the
    /// page anew, the page, and the designs.
    #[arg(long, conflicts_with = "check")]
    stale: bool,
    /// Say of a page of figures that all its figures are of the designs as they are now, for a page whose figures are written by hand.
    #[arg(long, value_name = "PAGE", conflicts_with_all = ["check", "stale"], value_parser = PossibleValuesParser::new(PAGES.map(|page| page.path)))]
    stamp: Option<String>,
}

impl Docs {
    pub fn run(&self) -> Result<ExitStatus, Refusal> {
        if self.stale {
            return self.list_stale();
        }
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
        for page in &PAGES {
            let (text, refreshed) = page.refreshed(&self.project)?;
            let is_stamped = self.stamp.as_deref() == Some(page.path);
            let text_now = if is_stamped { page.stamped(&self.project)? } else { refreshed };
            if text_now != text {
                changed.push((self.project.join(page.path), text_now.into_bytes()));
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

    fn list_stale(&self) -> Result<ExitStatus, Refusal> {
        let mut said = String::new();
        for page in &PAGES {
            let designs = page.stale(&self.project)?;
            if !designs.is_empty() {
                said += &format!("{} {} {}\n", page.target, page.path, designs.join(", "));
            }
        }
        Results::text(said).hand_out()?;
        Ok(ExitStatus::Success)
    }
}
