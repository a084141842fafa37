//! Which mutants there are.

use std::collections::BTreeSet;

use respray_hdl::catalogue;
use respray_hdl::config::Config;
use respray_hdl::nic::top::{NAME, SEEN};
use respray_mutate::mutants::{Kind, candidates, choose};
use respray_mutate::schemata::{SELECT, schemata};
use respray_mutate::texts::{Texts, lines_of, modules_of_cores, watched};
use respray_mutate::verilog::sites;

pub fn generated(core: &str) -> String {
    catalogue::generate(core, &Config::load(None, &[]).unwrap()).unwrap().verilog
}

/// A line without its comment.
fn code(line: &str) -> &str {
    line.split("//").next().unwrap().trim()
}

#[test]
fn every_mutant_changes_one_line_and_not_its_comment() {
    for core in ["reps", "sack_rx", "rewrite_tx"] {
        let text = generated(core);
        let all = candidates(&text, &sites(&text));
        assert!(all.len() > 400, "{core} has {} mutants", all.len());
        for mutant in all.iter().step_by(7) {
            let other = mutant.text(&text);
            let lines = text.lines().zip(other.lines()).enumerate();
            let differing: Vec<_> = lines.filter(|(_, (before, after))| before != after).collect();
            assert_eq!(text.lines().count(), other.lines().count());
            let [(number, (before, after))] = differing[..] else { panic!("{core}: {mutant:?}") };
            assert_eq!(number + 1, mutant.line);
            // the statement is the line, or one of several on it
            let mut places = before.match_indices(&*mutant.before);
            let is_after = |(at, statement): (usize, &str)| {
                [&before[..at], &mutant.after, &before[at + statement.len()..]].concat() == after
            };
            assert!(
                places.any(is_after),
                "{core}: `{before}` becomes `{after}`, but is said to be {mutant:?}"
            );
            assert_ne!(code(before), code(after), "{core}: {mutant:?}");
        }
    }
}

#[test]
fn a_seed_chooses_the_same_mutants_of_every_kind() {
    let text = generated("reps");
    let sites = sites(&text);
    let chosen = choose(&text, &sites, 60, 5);
    assert_eq!(chosen, choose(&text, &sites, 60, 5));
    assert_ne!(chosen, choose(&text, &sites, 60, 6));
    assert_eq!(chosen.len(), 60);
    for kind in Kind::ALL {
        assert_eq!(chosen.iter().filter(|mutant| mutant.kind == kind).count(), 10, "{}", kind.word());
    }
    let all = choose(&text, &sites, usize::MAX, 5);
    assert_eq!(all.len(), candidates(&text, &sites).len());
    let texts: BTreeSet<String> = all.iter().map(|mutant| mutant.text(&text)).collect();
    assert_eq!(texts.len(), all.len(), "no two of them are the same");
}

#[test]
fn the_verilog_with_all_mutants_keeps_the_lines_of_the_text() {
    let text = generated("sack_rx");
    let sites = sites(&text);
    let together = schemata(&text, &sites, &choose(&text, &sites, 100, 1));
    assert_eq!(together.lines().count(), text.lines().count());
    let modules = text.lines().filter(|line| line.starts_with("module ")).count();
    assert_eq!(together.matches(&format!("input wire [7:0] {SELECT}")).count(), modules);
}

/// The block runs with outputs by which the lockstep watches it: nothing of these is changed, and all lines are those of the block as it
/// is generated.
#[test]
fn what_only_watches_the_block_is_not_changed() {
    let generated = catalogue::generate(NAME, &Config::load(None, &[]).unwrap()).unwrap();
    let run = watched(&generated).unwrap().expect("the block is watched");
    let texts = Texts { run: &run, shown: &generated.verilog, spared: &[] };
    let lines = texts.lines();
    let shown: Vec<&str> = generated.verilog.lines().collect();
    for (line, number) in run.lines().zip(&lines).filter_map(|(line, number)| Some((line, (*number)?))) {
        assert_eq!(line, shown[number - 1]);
    }
    let mut sites = sites(&run);
    let all = candidates(&run, &sites);
    let watches = |before: &str| before.contains(&format!("assign {SEEN} "));
    assert!(all.iter().any(|mutant| watches(&mutant.before) || lines[mutant.line - 1].is_none()));
    let lines_shown = lines_of(&run, |line| lines[line].is_some());
    sites.keep(&lines_shown, &[]);
    let kept = candidates(&run, &sites);
    assert!(kept.len() < all.len() && kept.len() > all.len() / 10 * 9, "{} of {}", kept.len(), all.len());
    for mutant in kept {
        assert!(lines[mutant.line - 1].is_some() && !watches(&mutant.before), "{mutant:?}");
    }
    // those of its cores have campaigns of their own
    let spared = modules_of_cores(&generated).unwrap();
    sites.keep(&lines_shown, &spared);
    let left = candidates(&run, &sites);
    let is_of = |start: &str| left.iter().any(|mutant| mutant.module.starts_with(start));
    assert!(
        !is_of("sack_") && !is_of("reps") && is_of("nic_answer") && is_of("nic_scoreboard"),
        "{spared:?}"
    );
}
