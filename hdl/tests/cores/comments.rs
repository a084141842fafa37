//! Every `comment!` of a core's source stands in its Verilog: complete, above the code that it explains, once in each place where
//! that code stands. Source and Verilog are both read as text here, so that the backend is not asked about itself.

use std::collections::BTreeSet;
use std::path;

use respray_hdl::config::Config;
use respray_hdl::cores::{CORES, generate};
use respray_hdl::emit::{EmitOptions, verilog};
use respray_hdl::prims::{Fifo, MemoryStyle, SkidBuffer};
use rust_hdl::prelude::*;

/// Configurations beside the default in which further blocks and comments are used.
const FURTHER: &[(&str, &[&str])] = &[
    ("reps", &["reps.variant=uet"]),
    ("reps", &["protect=parity"]),
    ("ecmp", &["protect=parity"]),
    ("flowlet", &["protect=parity"]),
    ("sack_rx", &["protect=parity"]),
    ("strack", &["protect=parity"]),
    ("mixed", &["protect=parity"]),
    ("sack_rx", &["sack.engine=fast"]),
    ("sack_rx", &["wire=uet", "sack.acks=uet"]),
    ("sack_tx", &["sack.engine=fast"]),
    ("sack_tx", &["wire=uet", "sack.acks=uet"]),
    ("ops", &["ops.order=permuted", "ops.paths=256"]),
    ("flowlet", &["flowlet.since=ack"]),
    ("flowcut", &["flowcut.variant=sticky"]),
    ("flowcut_switch", &["flowcut_switch.pick=two"]),
    ("caver", &["caver.advertise=round_robin"]),
    ("caver", &["caver.table=per_port"]),
    ("rewrite_tx", &["wire=uet"]),
    ("rewrite_tx", &["wire=uet", "uet.crc=on"]),
    ("rewrite_rx", &["wire=uet"]),
    ("rewrite_rx", &["wire=uet", "uet.crc=on"]),
];

/// What begins a branch that only some configurations take.
const BRANCHES: &[&str] = &[
    "if self.has_parity {",
    "if self.is_forwarded {",
    "if self.has_types {",
    "if self.has_entropy {",
    "if self.may_be_trimmed {",
    "if self.has_crc {",
    "} else {",
];

/// The comments of one `update`: that at its head, and the others as blocks of lines that stand together.
struct Update {
    file: String,
    head: String,
    blocks: Vec<Comments>,
}

/// Lines that stand together.
struct Comments {
    lines: Vec<String>,
    /// They are the first of a branch that only some configurations take.
    is_of_branch: bool,
}

/// The `update` functions with comments in the sources below `folder`.
fn updates(folder: &path::Path, found: &mut Vec<Update>) {
    let mut entries: Vec<_> = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    entries.sort();
    for path in entries {
        if path.is_dir() {
            updates(&path, found);
        } else {
            let source = std::fs::read_to_string(&path).unwrap();
            for update in source.split("fn update(&mut self)").skip(1) {
                let mut blocks = blocks(update);
                if let Some(first) = blocks.first_mut() {
                    let head = first.lines.remove(0);
                    let head = head.split_once(": ").map_or(head.as_str(), |(_, about)| about).to_string();
                    blocks.retain(|block| !block.lines.is_empty());
                    found.push(Update { file: path.display().to_string(), head, blocks });
                }
            }
        }
    }
}

/// The comments of a source text, those with nothing between them together.
fn blocks(mut source: &str) -> Vec<Comments> {
    let mut blocks: Vec<Comments> = vec![];
    while let Some((before, after)) = source.split_once("comment!(") {
        let mut text = String::new();
        let literal = after.trim_start().strip_prefix('"').expect("a comment is a string");
        let mut chars = literal.chars();
        loop {
            match chars.next().expect("a string ends") {
                '"' => break,
                '\\' => text.extend(chars.next()),
                c => text.push(c),
            }
        }
        source = chars.as_str().trim_start().strip_prefix(");").expect("a comment is a statement");
        match blocks.last_mut().filter(|_| before.trim().is_empty()) {
            Some(block) => block.lines.push(text),
            None => {
                let opening = before.trim_end().replace(".val()", "");
                let is_of_branch = BRANCHES.iter().any(|begin| opening.ends_with(begin));
                blocks.push(Comments { lines: vec![text], is_of_branch });
            }
        }
    }
    blocks
}

/// A module of a Verilog source: its name, the comment above it, and its places, which are all that has no clock, and each
/// clocked process.
struct Module {
    name: String,
    about: String,
    places: Vec<Vec<String>>,
}

fn modules(verilog: &str) -> Vec<Module> {
    let mut modules: Vec<Module> = vec![];
    let mut about = String::new();
    let mut is_clocked = false;
    for line in verilog.lines() {
        if let Some(name) = line.strip_prefix("module ") {
            let name = name.trim_end_matches(" (").to_string();
            modules.push(Module { name, about: std::mem::take(&mut about), places: vec![vec![]] });
        } else if let Some(text) = line.strip_prefix("// ") {
            about = text.to_string();
        } else if let Some(module) = modules.last_mut() {
            if line.starts_with("    always @(posedge ") {
                module.places.push(vec![]);
                is_clocked = true;
            }
            let place = if is_clocked { module.places.len() - 1 } else { 0 };
            module.places[place].push(line.trim().to_string());
            is_clocked &= line != "    end";
        }
    }
    modules
}

impl Module {
    /// How often the lines of a comment stand together in the place that has them most often.
    fn most(&self, comment: &[String]) -> usize {
        let is_here =
            |lines: &&[String]| lines.iter().zip(comment).all(|(line, text)| *line == format!("// {text}"));
        let count = |place: &Vec<String>| place.windows(comment.len()).filter(is_here).count();
        self.places.iter().map(count).max().unwrap_or(0)
    }
}

/// The Verilog of every core in every configuration, and of the building blocks that no core uses.
fn sources_of_all() -> Vec<String> {
    let configurations = CORES.iter().map(|core| (*core, &[][..])).chain(FURTHER.iter().copied());
    let of_core = |(core, sets): (&str, &[&str])| {
        let sets: Vec<String> = sets.iter().map(|set| set.to_string()).collect();
        generate(core, &Config::load(None, &sets).unwrap()).unwrap().verilog
    };
    let options = EmitOptions { module: "block", ..EmitOptions::default() };
    let of_block = |block: &dyn Block| verilog(block, &options).unwrap();
    let mut sources: Vec<String> = configurations.map(of_core).collect();
    sources.push(of_block(&Fifo::<Bits<9>, 3, 4>::new("words", MemoryStyle::Distributed)));
    sources.push(of_block(&SkidBuffer::<Bits<9>>::default()));
    sources
}

#[test]
fn every_comment_of_a_core_stands_in_its_verilog_once_in_each_place() {
    let mut found = vec![];
    let sources = path::Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    ["cores", "parts", "prims"].iter().for_each(|folder| updates(&sources.join(folder), &mut found));
    // Blocks of two cores may have the same head; then the one is meant that has more of its comments there.
    let of = |module: &Module| {
        let same_head = found.iter().enumerate().filter(|(_, update)| update.head == module.about);
        same_head.max_by_key(|(_, update)| {
            update.blocks.iter().filter(|block| module.most(&block.lines) > 0).count()
        })
    };

    let (mut used, mut lost, mut repeated) = (BTreeSet::new(), BTreeSet::new(), BTreeSet::new());
    let (mut seen, mut missed) = (BTreeSet::new(), BTreeSet::new());
    for verilog in sources_of_all() {
        for module in modules(&verilog) {
            let Some((at, update)) = of(&module) else { continue };
            used.insert(at);
            for block in &update.blocks {
                let text = block.lines.join(" / ");
                match module.most(&block.lines) {
                    0 if block.is_of_branch => _ = missed.insert(text),
                    0 => _ = lost.insert(format!("{}: {text}", module.name)),
                    1 => _ = seen.insert(text),
                    _ => _ = repeated.insert(format!("{}: {text}", module.name)),
                }
            }
        }
    }
    lost.extend(missed.into_iter().filter(|text| !seen.contains(text)));
    assert_eq!(lost, BTreeSet::new(), "comments that do not stand in the Verilog");
    assert_eq!(repeated, BTreeSet::new(), "comments that stand in one place more than once");
    let unused = found.iter().enumerate().filter(|(at, _)| !used.contains(at));
    let unused: Vec<_> = unused.map(|(_, update)| format!("{}: {}", update.file, update.head)).collect();
    assert_eq!(unused, Vec::<String>::new(), "blocks that no configuration here uses");
}
