//! What came of the proofs, as text, as JSON and as the page of the documents.

use respray_files::made_from::MadeFrom;
use serde::Serialize;

use super::run::Outcome;
use super::{Finding, Method};
use crate::tool::{ToolError, Toolbox};

/// All that a run of proofs has come to.
#[derive(Debug, Serialize)]
pub struct Proved {
    /// Version of respray, commit of its checkout and date.
    pub respray: &'static str,
    pub commit: String,
    pub date: String,
    /// The programs, by name, version and origin.
    pub tools: Vec<String>,
    /// The Verilog of each proof with its rules.
    pub made_from: MadeFrom,
    pub outcomes: Vec<Outcome>,
}

impl Proved {
    /// The outcomes of a run, by these tools.
    ///
    /// # Errors
    /// A tool is missing.
    pub fn new(
        outcomes: Vec<Outcome>,
        made_from: MadeFrom,
        tools: &Toolbox,
        commit: String,
        date: String,
    ) -> Result<Proved, ToolError> {
        let tools = tools.provers()?;
        Ok(Proved { respray: env!("CARGO_PKG_VERSION"), commit, date, tools, made_from, outcomes })
    }

    /// Every property is shown, and every fault was found.
    pub fn is_whole(&self) -> bool {
        self.outcomes.iter().all(Outcome::is_shown)
    }

    /// A line for each property.
    pub fn text(&self) -> String {
        let line = |outcome: &Outcome| {
            format!(
                "{:15} {:24} {:12} {:>6.1} s  {}\n",
                outcome.core,
                outcome.rule,
                outcome.method.word(),
                outcome.seconds,
                verdict(outcome)
            )
        };
        self.outcomes.iter().map(line).collect()
    }

    /// The page `docs/proofs.md`.
    pub fn markdown(&self) -> String {
        let mut page = HEAD.to_string();
        page += &format!("\nMade on {} at {} by {}.\n", self.date, self.commit, self.tools.join(", "));
        page += &format!("\n{}\n", self.made_from.block(&[]));
        let (mut core, mut proof) = ("", None);
        for outcome in &self.outcomes {
            if outcome.core != core {
                core = outcome.core;
                page += &format!("\n## `{core}`\n");
            }
            let of = (outcome.core, outcome.sets, outcome.method);
            if proof != Some(of) {
                proof = Some(of);
                page += &format!(
                    "\nProved with `{}`, the rules of this table together in {:.1} s.\n\n\
                     | rule | what holds | from | kind | fault found |\n| --- | --- | --- | --- | --- |\n",
                    outcome.sets.join("`, `"),
                    outcome.seconds
                );
            }
            page += &format!(
                "| `{}` | {} | {} | {} | {} |\n",
                outcome.rule,
                outcome.says,
                outcome.source,
                outcome.method.word(),
                verdict(outcome)
            );
        }
        page
    }
}

impl Method {
    /// In a word or two.
    pub fn word(self) -> String {
        match self {
            Method::Unbounded(_) => "unbounded".to_string(),
            Method::Bounded(edges) => format!("{edges} edges"),
            Method::EachOp(_) => "each op".to_string(),
        }
    }
}

/// What came of a property and of the design that breaks it.
fn verdict(outcome: &Outcome) -> String {
    let edge = |found: &Finding| match found.edge {
        Some(edge) => format!("at edge {edge}"),
        None => "by induction".to_string(),
    };
    match (&outcome.broken, &outcome.fault) {
        (Some(broken), _) => format!("FAILS: `{}` is broken {}", broken.rule, edge(broken)),
        (None, None) => "FAILS: the fault was not found".to_string(),
        (None, Some(found)) => edge(found),
    }
}

const HEAD: &str = "# Proofs

What is proved of the generated Verilog, and not only tested. `respray prove` makes this page anew; `respray prove --core C --keep DIR` leaves
the Verilog with its rules, the formulas and the waves of whatever fails.

Each rule is an assertion beside the Verilog (`synth/src/prove/`), and a solver shows that no input breaks it. An *unbounded* rule holds for all
time: it is shown by induction, for one connection, or one word, that may be any, with memories that may hold anything. Of a memory nothing is
taken for given but that it keeps a word that is not written, and that a word which is read in the cycle in which it is written may come out
as anything. A rule with a number of *edges* holds for so many clock edges from power-up. In both, `rst` is high at the first edge and may come
again at any time, and all other inputs may do anything. A rule of *each op* holds for all time, too: it is shown from the first step of an op to
that of the next, in any state in which an op can begin, and what is taken for given of that state is shown of the one in which the next op
begins. There `rst` is low; behind it nothing is initialised, and nothing of this is said.
What comes in by a bus obeys that bus, AXI4-Stream or AXI4-Lite: it stays until it is taken, and `tkeep` is whole but in a packet's last beat.
Of `nic` it is the parts behind its ports that are proved, joined as in the block, whatever the other parts do.

For each rule there is a design with a fault, one line of its Verilog changed, and the solver has to find how that design breaks the rule: the
last column says at which clock edge from power-up, or from the op's first step, it does. A rule that no fault breaks would show nothing.
Where it takes long to clear or to fill the smallest memory that a core can have, the search for the fault, and only this, fills the first
few words and watches one of them.
";
