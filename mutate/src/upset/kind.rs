//! What happens to a core, and the runs that all cores have in common.

use respray_cosim::report::{Probed, Seen};
use respray_cosim::upset::{Finding, Upset, Wrong};
use respray_cosim::verilator::{BuildOptions, Design, Source, build};
use serde::{Deserialize, Serialize};

use crate::MutateError;

/// Cycles of a run without a flip, behind its first reset.
pub(super) const CYCLES: u64 = 800;

/// What happens to a core.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Kind {
    /// A bit of a memory flips.
    Flip,
    /// `rst` comes in the midst of ops, and of another reset.
    Reset,
    /// All registers and memories hold anything before the first reset.
    State,
    /// What comes pauses at random, and so does who takes what goes.
    Stall,
}

impl Kind {
    pub const ALL: [Kind; 4] = [Kind::Flip, Kind::Reset, Kind::State, Kind::Stall];

    /// In a word.
    pub fn word(self) -> &'static str {
        match self {
            Kind::Flip => "flip",
            Kind::Reset => "reset",
            Kind::State => "state",
            Kind::Stall => "stall",
        }
    }
}

/// The model of a text.
pub(super) fn built(core: &str, verilog: &str) -> Result<&'static Design, MutateError> {
    let source = Source::new(core, verilog);
    Ok(build(&source, &BuildOptions { quick: true, ..BuildOptions::default() })?)
}

/// What a run without a flip came to.
pub(super) fn of_probe(Probed { seen, cycles, .. }: Probed) -> Upset {
    let finding = seen.map(|Seen { cycle, port }| Finding {
        wrong: Wrong::Leak,
        cycle,
        says: format!("`{port}` differs from the golden model"),
    });
    Upset { cycles, finding, ..Upset::default() }
}
