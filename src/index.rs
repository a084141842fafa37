//! `respray index`: a page over all pages of a folder.

use std::path::PathBuf;

use clap::Args;
use respray_files::output::check_writable;
use respray_synth::html::index::{self, Entry, INDEX};
use respray_synth::run::today;
use serde::Serialize;

use crate::args::{ExitStatus, Refusal};
use crate::checkout::Checkout;
use crate::output::Results;

#[derive(Args)]
pub struct Index {
    /// Folder with pages that respray has written; the page over them becomes its index.html.
    #[arg(value_name = "DIR")]
    folder: PathBuf,
    /// Write what the pages say as JSON too; `-` is standard output.
    #[arg(long, value_name = "FILE")]
    json: Option<PathBuf>,
}

/// All of it, as JSON.
#[derive(Serialize)]
struct Pages<'a> {
    version: &'a str,
    commit: &'a str,
    pages: &'a [Entry],
}

impl Index {
    pub fn run(&self) -> Result<ExitStatus, Refusal> {
        let page = self.folder.join(INDEX);
        let entries = index::entries(&self.folder)?;
        if entries.is_empty() {
            let folder = self.folder.display();
            return Err(format!(
                "{folder}: has no page of respray; allowed: a folder with files that an option --html has written"
            )
            .into());
        }
        [Some(page.as_path()), self.json.as_deref()].into_iter().flatten().try_for_each(check_writable)?;
        let (version, commit) = (env!("CARGO_PKG_VERSION"), Checkout::find().commit());
        let html = index::html(&entries, &format!("respray {version} · commit {commit} · {}", today()))?;
        let line = |entry: &Entry| {
            let figures: Vec<&str> = entry.figures.iter().map(|figure| figure.says.as_str()).collect();
            format!(
                "{}: {}\n",
                entry.file,
                if figures.is_empty() { entry.title.clone() } else { figures.join("; ") }
            )
        };
        let pages = Pages { version, commit: &commit, pages: &entries };
        Results::text(entries.iter().map(line).collect::<String>())
            .file(Some(&page), || html)
            .json(self.json.as_deref(), &pages)
            .once_written(Some(page.display().to_string()))
            .hand_out()?;
        Ok(ExitStatus::Success)
    }
}
