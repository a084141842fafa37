//! `respray cores`: the cores, what they are given, and at which end of a recording they stand.

use std::path::PathBuf;

use clap::Args;
use respray_cosim::cores::{Visitor, visit};
use respray_cosim::lockstep::Compiled;
use respray_cosim::stream;
use respray_cosim::traffic::capture::{Listener, Side};
use respray_hdl::cores::{Core, REGISTRY};
use serde::Serialize;

use crate::args::{ExitStatus, Refusal};
use crate::output::Results;

#[derive(Args)]
pub struct Cores {
    /// Only the cores that make up a NIC under the default configuration.
    #[arg(long)]
    nic: bool,
    /// Write the list as JSON too; `-` is standard output.
    #[arg(long, value_name = "FILE")]
    json: Option<PathBuf>,
}

/// A core in the list.
#[derive(Serialize)]
struct Row {
    core: &'static str,
    /// What it is given: `ops` or `frames`.
    takes: &'static str,
    /// The end of a recording that it stands at: `sender` or `receiver`.
    end: &'static str,
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

fn row(core: &'static Core) -> Row {
    let side = visit(core.name, End).unwrap_or_else(|| stream::side(core.name));
    Row {
        core: core.name,
        takes: if core.contract.is_some() { "ops" } else { "frames" },
        end: if side == Side::Sender { "sender" } else { "receiver" },
        does: core.about,
    }
}

impl Cores {
    pub fn run(&self) -> Result<ExitStatus, Refusal> {
        let rows: Vec<Row> = REGISTRY.iter().filter(|core| core.is_of_nic || !self.nic).map(row).collect();
        let longest = rows.iter().map(|row| row.core.len()).max().unwrap_or(0);
        let line =
            |Row { core, takes, end, does }: &Row| format!("{core:longest$}  {takes:6}  {end:8}  {does}\n");
        let text: String = rows.iter().map(line).collect();
        Results::text(text).json(self.json.as_deref(), &rows).hand_out()?;
        Ok(ExitStatus::Success)
    }
}
