//! `respray cores`: the cores and the block that joins them, what they are given, and at which end of a recording they stand.

use std::path::PathBuf;

use clap::Args;
use respray_cosim::cores::{Visitor, visit};
use respray_cosim::lockstep::Compiled;
use respray_cosim::stream;
use respray_cosim::traffic::capture::{Listener, Side};
use respray_hdl::catalogue::{self, Entry};
use respray_hdl::cores::find;
use serde::Serialize;

use crate::args::{ExitStatus, Refusal};
use crate::output::Results;

#[derive(Args)]
pub struct Cores {
    /// Only the cores that make up the block `nic` under the default configuration.
    #[arg(long)]
    nic: bool,
    /// Write the list as JSON too; `-` is standard output.
    #[arg(long, value_name = "FILE")]
    json: Option<PathBuf>,
}

/// A core in the list.
#[derive(Serialize)]
pub struct Row {
    pub core: &'static str,
    /// What it is given: `ops` or `frames`.
    takes: &'static str,
    /// The end of a recording that it stands at: `sender`, `receiver` or `both`.
    pub end: &'static str,
    does: &'static str,
}

/// The end of the network at which a core that takes ops stands.
struct End;

impl Visitor for End {
    type Output = Side;

    fn visit<C: Compiled + 'static>(self) -> Side {
        <C::Listener as Listener>::SIDE
    }
}

fn row(entry: Entry) -> Row {
    let Entry { name, about, .. } = entry;
    let core = find(name);
    let side = core.map(|core| visit(core.name, End).unwrap_or_else(|| stream::side(core.name)));
    Row {
        core: name,
        takes: if core.is_some_and(|core| core.contract.is_some()) { "ops" } else { "frames" },
        end: match side {
            Some(Side::Sender) => "sender",
            Some(Side::Receiver) => "receiver",
            None => "both",
        },
        does: about,
    }
}

/// The cores that make up the block `nic` under the default configuration.
pub fn of_nic() -> impl Iterator<Item = Row> {
    catalogue::entries().filter(is_of_nic).map(row)
}

fn is_of_nic(entry: &Entry) -> bool {
    find(entry.name).is_some_and(|core| core.is_of_nic)
}

impl Cores {
    pub fn run(&self) -> Result<ExitStatus, Refusal> {
        let is_wanted = |entry: &Entry| !self.nic || is_of_nic(entry);
        let rows: Vec<Row> = catalogue::entries().filter(is_wanted).map(row).collect();
        let longest = rows.iter().map(|row| row.core.len()).max().unwrap_or(0);
        let line =
            |Row { core, takes, end, does }: &Row| format!("{core:longest$}  {takes:6}  {end:8}  {does}\n");
        let text: String = rows.iter().map(line).collect();
        Results::text(text).json(self.json.as_deref(), &rows).hand_out()?;
        Ok(ExitStatus::Success)
    }
}
