//! Which mutants there are.

use std::collections::BTreeSet;

use respray_hdl::config::Config;
use respray_hdl::cores;
use respray_mutate::mutants::{Kind, candidates, choose};
use respray_mutate::schemata::{SELECT, schemata};
use respray_mutate::verilog::sites;

pub fn generated(core: &str) -> String {
    cores::generate(core, &Config::load(None, &[]).unwrap()).unwrap().verilog
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
            assert_eq!(
                (number + 1, before.trim(), after.trim()),
                (mutant.line, &*mutant.before, &*mutant.after)
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
