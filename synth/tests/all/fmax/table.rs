//! The table of delays: right by the netlists made by hand, each of its numbers, and as its source has it.

use std::fs;

use super::hand::Case;
use super::{arcs, cases};
use crate::common::root;
use respray_synth::fmax::UltraScale;

fn all() -> Vec<Case> {
    cases::cases().into_iter().chain(arcs::cases()).collect()
}

#[test]
fn every_netlist_made_by_hand_takes_what_it_takes_by_hand() {
    let all = all();
    let wrong: Vec<String> = all.iter().filter_map(|case| case.difference(UltraScale::delays())).collect();
    assert!(wrong.is_empty(), "{} of {}:\n{}", wrong.len(), all.len(), wrong.join("\n"));
}

/// Adds to the number at `at`, counted through the whole table; its name, or none where there are fewer numbers.
fn perturb(value: &mut toml::Value, name: &str, at: &mut usize) -> Option<String> {
    match value {
        toml::Value::Table(table) => {
            table.iter_mut().find_map(|(key, value)| perturb(value, &format!("{name}.{key}"), at))
        }
        toml::Value::Array(array) => array
            .iter_mut()
            .enumerate()
            .find_map(|(bit, value)| perturb(value, &format!("{name}[{bit}]"), at)),
        toml::Value::Integer(number) => {
            let is_it = *at == 0;
            *at = at.wrapping_sub(1);
            if is_it {
                *number += 7;
            }
            is_it.then(|| name.to_string())
        }
        other => panic!("{name}: {other} is no whole number of ps"),
    }
}

#[test]
fn a_change_of_any_delay_breaks_a_netlist_made_by_hand() {
    let all = all();
    let text = fs::read_to_string(root().join("synth/delays/ultrascale.toml")).unwrap();
    let mut unseen = Vec::new();
    let by_hand = cases::cases();
    let mut unbroken: Vec<&Case> = by_hand.iter().collect();
    let (mut count, mut last) = (0, 0);
    loop {
        let mut table: toml::Value = toml::from_str(&text).unwrap();
        let Some(name) = perturb(&mut table, "", &mut count.clone()) else { break };
        let delays = UltraScale::read(&toml::to_string(&table).unwrap()).unwrap();
        // Numbers that are neighbours in the table mostly break cases that are neighbours.
        let mut places = (0..all.len()).map(|place| (last + place) % all.len());
        match places.find(|&place| all[place].difference(&delays).is_some()) {
            Some(place) => last = place,
            None => unseen.push(name.clone()),
        }
        if !matches!(name.as_str(), ".uncertainty" | ".flip_flop.clock_to_q" | ".flip_flop.setup") {
            unbroken.retain(|case| case.difference(&delays).is_none());
        }
        count += 1;
    }
    assert!(count > 300, "{count} numbers in the table");
    assert!(unseen.is_empty(), "no netlist made by hand sees {unseen:?}");
    let unbroken: Vec<&str> = unbroken.iter().map(|case| case.name.as_str()).collect();
    assert!(unbroken.is_empty(), "broken by nothing that is not in all of them: {unbroken:?}");
}
