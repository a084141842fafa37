//! Campaigns as text, as JSON and as a page.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use respray_files::made_from::MadeFrom;
use respray_hdl::config::Config;
use respray_synth::SynthError;
use respray_synth::tool::Toolbox;

use crate::MutateError;
use crate::campaign::Campaign;
use crate::mutants::Kind;
use crate::outcome::{Judged, Outcome};
use respray_cosim::verilator::Verilator;

/// The outcomes in the order of the page.
const OUTCOMES: [&str; 5] = ["killed", "equivalent", "explained", "survived", "invalid"];

/// Campaigns, and what they were run with.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Report {
    pub commit: String,
    /// The day, as `2026-11-23`.
    pub date: String,
    /// Verilator and the programs that prove, with their versions.
    pub tools: Vec<String>,
    pub config: Config,
    /// The Verilog of each core that was changed.
    pub made_from: MadeFrom,
    pub campaigns: Vec<Campaign>,
    /// Lines that were written down as explained and are seen by the lockstep.
    pub refuted: Vec<String>,
}

impl Report {
    /// # Errors
    /// If a tool is missing.
    pub fn new(
        campaigns: Vec<Campaign>,
        made_from: MadeFrom,
        config: Config,
        tools: &Toolbox,
        commit: String,
        date: String,
    ) -> Result<Report, MutateError> {
        let provers = tools.provers().map_err(SynthError::from)?;
        let tools = [vec![Verilator::find()?.version.clone()], provers].concat();
        Ok(Report { commit, date, tools, config, made_from, campaigns, refuted: Vec::new() })
    }

    /// A report that was written before.
    ///
    /// # Errors
    /// If it cannot be read or is none.
    pub fn read(path: &Path) -> Result<Report, MutateError> {
        let failed = |message: String| MutateError::Report { path: path.to_path_buf(), message };
        let text =
            std::fs::read_to_string(path).map_err(|error| failed(format!("cannot be read: {error}")))?;
        serde_json::from_str(&text).map_err(|error| failed(format!("not a report of mutants: {error}")))
    }

    /// Takes over the campaigns of other reports, which stand in the order of these.
    ///
    /// # Errors
    /// If they are of another configuration, or made by other tools.
    pub fn joined(mut self, others: Vec<(PathBuf, Report)>) -> Result<Report, MutateError> {
        for (path, other) in others {
            if (&other.config, &other.tools) != (&self.config, &self.tools) {
                let message = "it is of another configuration, or was made by other tools".to_string();
                return Err(MutateError::Report { path, message });
            }
            self.made_from.0.extend(other.made_from.0);
            self.campaigns.extend(other.campaigns);
        }
        Ok(self)
    }

    /// Nothing survived.
    pub fn is_whole(&self) -> bool {
        self.refuted.is_empty() && self.campaigns.iter().all(|campaign| campaign.survivors().next().is_none())
    }

    /// As a person reads it.
    pub fn text(&self) -> String {
        let mut text = String::new();
        for campaign in &self.campaigns {
            let Campaign { core, candidates, seed, mutants, .. } = campaign;
            let counts = campaign.counts(None);
            let counted: Vec<String> =
                OUTCOMES.iter().filter_map(|word| Some(format!("{} {word}", counts.get(word)?))).collect();
            let _ = writeln!(
                text,
                "{core}: {} of {candidates} mutants, seed {seed}: {}",
                mutants.len(),
                counted.join(", ")
            );
            for Judged { mutant, outcome } in &campaign.mutants {
                let note = match outcome {
                    Outcome::Killed { .. } => continue,
                    Outcome::Equivalent { by } => by,
                    Outcome::Explained { reason } => reason,
                    Outcome::Survived => "nothing saw it",
                    Outcome::Invalid { warning } => warning,
                };
                let word = outcome.word();
                let _ = writeln!(text, "  {word}: line {}, {}: {note}", mutant.line, mutant.kind.word());
                let _ = writeln!(text, "    - {}\n    + {}", mutant.before, mutant.after);
            }
        }
        for line in &self.refuted {
            let _ = writeln!(text, "explained, and killed: {line}");
        }
        let verdict = if self.is_whole() {
            "every mutant is killed, equivalent or explained"
        } else {
            "FAILED: a mutant survived"
        };
        text + verdict + "\n"
    }

    /// As a page.
    pub fn markdown(&self) -> String {
        let mut page = HEAD.to_string();
        let _ = writeln!(page, "\nMade on {} at {} by {}.\n", self.date, self.commit, self.tools.join(", "));
        let _ = writeln!(page, "{}\n", self.made_from.block(&[]));
        page += "| core | mutants | of | seed | killed | equivalent | explained | survived | invalid | longest to a kill |\n";
        page += "| --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |\n";
        for campaign in &self.campaigns {
            let counts = campaign.counts(None);
            let counted: Vec<String> =
                OUTCOMES.iter().map(|word| counts.get(word).unwrap_or(&0).to_string()).collect();
            let cycles = campaign.mutants.iter().filter_map(|judged| match &judged.outcome {
                Outcome::Killed { cycle, .. } => Some(*cycle),
                _ => None,
            });
            let _ = writeln!(
                page,
                "| `{}` | {} | {} | {} | {} | {} cycles |",
                campaign.core,
                campaign.mutants.len(),
                campaign.candidates,
                campaign.seed,
                counted.join(" | "),
                cycles.max().unwrap_or(0)
            );
        }
        page +=
            "\nBy kind, of all cores:\n\n| kind | killed | equivalent | explained | survived | invalid |\n";
        page += "| --- | --- | --- | --- | --- | --- |\n";
        for kind in Kind::ALL {
            let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
            for campaign in &self.campaigns {
                for (word, count) in campaign.counts(Some(kind)) {
                    *counts.entry(word).or_default() += count;
                }
            }
            let counted: Vec<String> =
                OUTCOMES.iter().map(|word| counts.get(word).unwrap_or(&0).to_string()).collect();
            let _ = writeln!(page, "| {} | {} |", kind.word(), counted.join(" | "));
        }
        let explained: Vec<String> = self.campaigns.iter().flat_map(Campaign::explained).collect();
        if !explained.is_empty() {
            page += "\nExplained (`mutate/explained.toml`):\n\n| core | line | mutant | why nothing that is promised differs |\n";
            page += "| --- | --- | --- | --- |\n";
            page += &explained.concat();
        }
        page
    }
}

impl Campaign {
    /// How many mutants came to what, of one kind or of all.
    pub fn counts(&self, kind: Option<Kind>) -> BTreeMap<&'static str, usize> {
        let mut counts = BTreeMap::new();
        for judged in self.mutants.iter().filter(|judged| kind.is_none_or(|kind| judged.mutant.kind == kind))
        {
            *counts.entry(judged.outcome.word()).or_default() += 1;
        }
        counts
    }

    /// Mutants that nothing saw.
    pub fn survivors(&self) -> impl Iterator<Item = &Judged> {
        self.mutants.iter().filter(|judged| judged.outcome == Outcome::Survived)
    }

    /// A row of the page for each mutant that is explained.
    fn explained(&self) -> Vec<String> {
        let row = |judged: &Judged| {
            let Outcome::Explained { reason } = &judged.outcome else { return None };
            let cell = |code: &str| format!("`{}`", code.replace('|', "\\|"));
            let (before, after) = (cell(&judged.mutant.before), cell(&judged.mutant.after));
            Some(format!("| `{}` | {before} | {after} | {reason} |\n", self.core))
        };
        self.mutants.iter().filter_map(row).collect()
    }
}

const HEAD: &str = "# Mutants

What the lockstep would see. `respray mutate` changes one place of one line of the generated Verilog, many times over, and has to find each
of these mutants; `make mutate` makes this page anew, and `respray mutate --core C --n N --seed S` shows one core with every mutant that was not killed.

## Kinds of mutants

| kind | what is changed |
| --- | --- |
| operator | another operator, as `&` for `\\|`, `+` for `-`, `<=` for `<`; an operator left out, as in `!x`; the other branch of `? :` |
| literal | a number is one more or one less, within its width |
| drop | an assignment is left out, so that a register, or a signal that has a value already, keeps what it had |
| slice | the bits beside those that are taken of a signal |
| reset | a register keeps what it had through reset, or has another value behind it |
| enable | a branch is taken always, never, or when it must not be |

The kinds take turns, and within a kind the seed chooses, so that one seed always gives the same mutants. What Verilator's lint warns of
is *invalid*: a designer would not have been allowed to keep it, so it counts for nothing.

## What becomes of them

A hundred mutants stand in one Verilog, each behind a choice by an input, and are built once. All run, beside the golden model, through
rounds that get longer: random stimulus of 20,000 cycles, short runs with `rst` at any time from registers that hold anything, resets a few
cycles behind an op that meet every state of an engine, the recordings, then longer rounds of both. The first output that differs *kills* a
mutant. The text itself runs through the same rounds and must differ in none.

The block `nic` runs on random traffic in both directions, whose frames have every layout and every fault and whose streams are held for
a cycle or for thousands, on such traffic that `rst` ends at any time, on packets without an answer until a window is full, as one end of
pairs with hosts and a lossy network between, on all its registers, and on the recordings, with frames damaged or with resets by its
command in between. Its counts begin so far on that their carries come soon. Only modules that no core has by itself are changed: the
others have the campaigns of their cores.

What is still alive goes to a solver: mutant and text side by side, equal inputs, memories that may give \
anything as long as both write and read alike, and induction over
6 clock edges (`mutate/src/equivalence.rs`). A mutant that it cannot tell from the text is *equivalent*. What a solver cannot show, a person may *explain*
in `mutate/explained.toml`; the reason is of that line alone, so that it goes when the line changes, and a campaign that \
kills what was explained fails. All else
has *survived*: there the comparison, or the stimulus, is blind, and the command ends with exit code 1.

## Last campaign
";
