//! Campaigns of faults as text, as JSON and as a page.

use std::fmt::Write as _;
use std::path::Path;

use respray_cosim::cores::CONTRACTS;
use respray_cosim::cores::upsets::RULES;
use respray_cosim::lockstep::upset::rules::{Changes, Rules, Touch};
use respray_cosim::upset::Flip;
use respray_cosim::verilator::Verilator;
use respray_files::made_from::MadeFrom;
use respray_hdl::config::Config;
use respray_hdl::nic::top::NAME;
use serde::{Deserialize, Serialize};

use super::campaign::{Campaign, Found, Hit};
use super::kind::Kind;
use crate::MutateError;

/// Campaigns, and what they were run with.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Report {
    pub commit: String,
    /// The day, as `2026-11-23`.
    pub date: String,
    pub verilator: String,
    pub config: Config,
    /// The Verilog of each core.
    pub made_from: MadeFrom,
    pub campaigns: Vec<Campaign>,
}

impl Report {
    /// # Errors
    /// Without Verilator.
    pub fn new(
        campaigns: Vec<Campaign>,
        made_from: MadeFrom,
        config: Config,
        commit: String,
        date: String,
    ) -> Result<Report, MutateError> {
        let verilator = Verilator::find()?.version.clone();
        Ok(Report { commit, date, verilator, config, made_from, campaigns })
    }

    /// A report that was written before.
    ///
    /// # Errors
    /// If it cannot be read or is none.
    pub fn read(path: &Path) -> Result<Report, MutateError> {
        let failed = |message: String| MutateError::Report { path: path.to_path_buf(), message };
        let text =
            std::fs::read_to_string(path).map_err(|error| failed(format!("cannot be read: {error}")))?;
        serde_json::from_str(&text).map_err(|error| failed(format!("not a report of upsets: {error}")))
    }

    /// Takes over the campaigns of another report, which was read from `path`.
    ///
    /// # Errors
    /// If it is of another configuration, or made with another Verilator.
    pub fn joined(mut self, path: &Path, other: Report) -> Result<Report, MutateError> {
        if (&other.config, &other.verilator) != (&self.config, &self.verilator) {
            let message = "it is of another configuration, or was made with another Verilator".to_string();
            return Err(MutateError::Report { path: path.to_path_buf(), message });
        }
        self.made_from.0.extend(other.made_from.0);
        self.campaigns.extend(other.campaigns);
        Ok(self)
    }

    /// Nothing was found.
    pub fn is_whole(&self) -> bool {
        self.campaigns.iter().all(|campaign| campaign.found == 0)
    }

    /// As a person reads it.
    pub fn text(&self) -> String {
        let mut text = String::new();
        for campaign in &self.campaigns {
            let Campaign { core, kind, runs, seed, cycles, met, differed, longest, resets, found, .. } =
                campaign;
            let _ = write!(text, "{core}, {}: {runs} runs, seeds from {seed}, {cycles} cycles", kind.word());
            if *kind == Kind::Flip {
                let _ = write!(text, ", {met} ops met a flip, {differed} answered otherwise");
                if *longest > 0 {
                    let _ = write!(text, ", the longest in {longest} cycles");
                }
                if *resets > 0 {
                    let _ = write!(text, ", {resets} needed the command `reset`");
                }
            }
            let _ = writeln!(text, "; {found} findings");
            for (memory, hit) in &campaign.memories {
                let Hit { words, width, flips, met, resets } = hit;
                let _ = write!(text, "  {memory}, {words} x {width}: {flips} flips, of which {met} were met");
                let behind = if *resets > 0 { format!(", {resets} needed `reset`") } else { String::new() };
                let _ = writeln!(text, "{behind}");
            }
            for found in &campaign.findings {
                let _ = writeln!(text, "  {}", sentence(found));
            }
        }
        text + if self.is_whole() { "nothing was found\n" } else { "FAILED: there are findings\n" }
    }

    /// As a page.
    pub fn markdown(&self) -> String {
        let promised = if self.config.has_parity() { WITH_PARITY } else { WITHOUT_PARITY };
        let mut page = [HEAD, promised].concat();
        page += "| core | memories | a word is of | ops that read it | what such an op changes | written anew by |\n";
        page += "| --- | --- | --- | --- | --- | --- |\n";
        RULES.iter().for_each(|rules| page += &rows(rules));
        page += BETWEEN;
        let _ = writeln!(page, "Made on {} at {} by {}.\n", self.date, self.commit, self.verilator);
        let _ = writeln!(page, "{}\n", self.made_from.block(&[]));
        page += "| core | kind | runs | seeds from | cycles | ops that met a flip | answered otherwise | longest | findings |\n";
        page += "| --- | --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: |\n";
        for Campaign { core, kind, runs, seed, cycles, met, differed, longest, found, .. } in &self.campaigns
        {
            let [met, differed, longest] = [met, differed, longest].map(|number| match (kind, number) {
                (Kind::Flip, number) => number.to_string(),
                _ => "-".to_string(),
            });
            let _ = writeln!(
                page,
                "| `{core}` | {} | {runs} | {seed} | {cycles} | {met} | {differed} | {longest} | {found} |",
                kind.word()
            );
        }
        let hit: Vec<&Campaign> =
            self.campaigns.iter().filter(|campaign| !campaign.memories.is_empty()).collect();
        if !hit.is_empty() {
            page += "\n| core | memory | words x bits | flips | met | behind which only `reset` helped |\n| --- | --- | --- | ---: | ---: | ---: |\n";
        }
        for campaign in hit {
            for (memory, hit) in &campaign.memories {
                let Hit { words, width, flips, met, resets } = hit;
                let core = &campaign.core;
                let resets = if core == NAME { resets.to_string() } else { "-".to_string() };
                let _ = writeln!(
                    page,
                    "| `{core}` | `{memory}` | {words} x {width} | {flips} | {met} | {resets} |"
                );
            }
        }
        let findings = self.campaigns.iter().flat_map(|campaign| {
            campaign.findings.iter().map(move |found| format!("- `{}`: {}\n", campaign.core, sentence(found)))
        });
        let findings: Vec<String> = findings.collect();
        if !findings.is_empty() {
            page += "\n## Findings\n\n";
            page += &findings.concat();
        }
        page
    }
}

fn sentence(found: &Found) -> String {
    let Found { seed, flip, finding } = found;
    let flip = flip.as_ref().map_or(String::new(), |flip| {
        let Flip { memory, address, bit, cycle, of } = flip;
        let word = address.map_or(String::new(), |address| format!(" of word {address}"));
        format!(", bit {bit}{word} of {memory} ({of}) flipped at cycle {cycle}")
    });
    format!("{}: seed {seed}{flip}: cycle {}: {}", finding.wrong.word(), finding.cycle, finding.says)
}

/// The rules of a core: a row for each of its tables that has a memory.
fn rows(rules: &Rules) -> String {
    let contract = CONTRACTS.iter().find(|contract| contract.core == rules.core).expect("rules are of cores");
    let mut rows = String::new();
    for (number, table) in rules.tables.iter().enumerate() {
        let memories = rules.memories.iter().filter(|memory| memory.table == number);
        let memories: Vec<String> = memories.map(|memory| format!("`{}`", memory.name)).collect();
        let is_reader =
            |touch: &Touch| touch.table == number && touch.reads && touch.changes != Changes::Renews;
        let readers = rules.ops.iter().filter(|(_, touch)| is_reader(touch));
        let reads = readers.fold(0, |all, (kinds, _)| all | kinds);
        let codes = (0..contract.kinds.len() as u8).filter(|code| reads >> code & 1 != 0);
        let mut names: Vec<String> = codes.map(|code| contract.kind_name(code)).collect();
        names.extend(rules.visits.iter().any(is_reader).then(|| "visit".to_string()));
        let mut changed = Vec::new();
        for (place, table) in rules.tables.iter().enumerate() {
            let has = |changes| {
                let mut ops = rules.ops.iter();
                ops.any(|(kinds, touch)| {
                    touch.table == place && kinds & reads != 0 && touch.changes == changes
                })
            };
            if has(Changes::Always) {
                changed.push(format!("its {}", table.entry));
            } else if has(Changes::AsShown) {
                changed.push(format!("its {}, if it is answered otherwise", table.entry));
            }
        }
        let anew = rules
            .renewal(number)
            .map_or("`rst`".to_string(), |(kind, _)| format!("`{}`", contract.kind_name(kind)));
        let _ = writeln!(
            rows,
            "| `{}` | {} | a {} | {} | {} | {anew} |",
            rules.core,
            memories.join(", "),
            table.entry,
            names.join(", "),
            changed.join("; "),
        );
    }
    rows
}

const HEAD: &str = "# Upsets

Faults in the field, each in a short run of its own on the generated Verilog beside its golden model. `respray upset` runs them, and `make upset`
makes this page anew.

| kind | what happens |
| --- | --- |
| flip | a bit of a memory flips, mostly in a word of something that ops are about |
| reset | `rst` comes in the midst of ops and of another reset |
| state | registers and memories hold anything before the first reset |
| stall | what comes pauses at random, and so does who takes what goes |

In the runs of the last three kinds everything must be as the golden model says, in every cycle.

## What is promised of a flip

";

const WITHOUT_PARITY: &str = "\
Words of memories have no parity here, and nothing tells of a flip; [parity](parity.md) is the page of what `protect = parity` does. What holds for any bit of any memory at any time, and is checked in each run:

- **No wedge.** The core goes on taking ops and answers each of them. A core that takes an op in every cycle keeps its cycles; one that
  works on one op at a time has done a spoilt one within the longest time that the manifest gives any op.
- **No leak.** What is not of a spoilt entry is answered exactly as the golden model says, which knows nothing of the flip, in the cycle
  that the manifest says. The answer of a spoilt op names its own connection.
- **It ends.** Once what is spoilt has been written anew, everything is as the golden model says again.

What is spoilt follows from the contracts, and the table is the one that the campaign goes by (`cosim/src/cores/upsets.rs`). A flip spoils the
entry that its word belongs to. An op that reads a spoilt entry may be answered otherwise, and spoils what it changes; ops of other entries
are not affected. All connections of a selector draw from one random generator: a spoilt op may draw more numbers or fewer, so that later
draws of others get other numbers of the same sequence; the generator itself is compared. Registers are not hit.

";

const WITH_PARITY: &str = "\
Words of memories have parity here (`protect = parity`), so that nothing is ever spoilt. What holds for any bit of any memory at any time, and is
checked in each run:

- **It is told.** The op that reads a word with a flipped bit has `state_lost` in its result, and no other op has. Which op that is follows from
  the cycles in which ops read and write words, and from the golden model where the state says which word is read.
- **The connection starts anew**, as the golden model does, which is told at that op.
- **Nothing else changes.** All outputs of all ops are as the golden model says in every cycle, and so is the random generator.

A word that is written before an op reads it is as it was written. The columns of the table are of words without parity: below, an op that
met a flip is one that told of it, and none is answered otherwise. Registers are not hit.

";

const BETWEEN: &str = "
Memories of the cores that packets stream through are queues, and so are many of `nic`. What holds there for any bit, and is checked in each run:

- **Streams** (`rewrite_tx`, `rewrite_rx`, `shim_push`, `shim_pop`). Every `valid`, `ready` and event is as the golden model says, in every
  cycle. What a beat or a record says may differ only of packets that were in the core at the flip.
- **`nic`.** The MAC never waits, and every access to a register is answered. Once the driver has opened all connections anew, each of them, and
  one that was not open before, answers a packet, sends one and hears of its ACK. The bits that keep queues in step with each other are stored
  three times, and two of three decide. Should another bit give a packet, an op or a result to another one than it is of, all behind it would be
  so, too: then only the command `reset` would help, and a run tries it. The last table counts how often that was needed. Behind `rst` the
  block does the same in every cycle as one in which nothing flipped.

`flowcut_switch` and `caver` have no op that writes a bucket, a flow, a destination or a port anew: there a flip is spoilt until `rst`. In
`flowcut_switch` it is the epoch that stays another one, in `caver` what the ports have counted. `ops` has a memory with
`ops.order = permuted` alone, and the `bitmap_parity_ram` of `sack_rx` is there with [parity](parity.md) alone.
Of cores that take ops, memories that are not in the table are not hit, and neither are those of `sack.engine = fast`.

## Last campaign

";
