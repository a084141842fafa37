//! Each rule that a simulation has of a core: the Verilog keeps it under random traffic, and breaks it with the fault by which `respray
//! prove` breaks it.

use std::collections::BTreeSet;
use std::path::Path;

use respray_hdl::catalogue;
use respray_hdl::config::Config;
use respray_synth::prove::{Claim, Fault, PROOFS, Proof};
use respray_synth::sv_check;

use super::bench::{Bench, broken, built};

/// Name of the variant without a fault.
const RIGHT: &str = "right";

/// Rules whose fault this traffic does not come to, with the reason.
const OUT_OF_REACH: [(&str, &str, &str); 2] = [
    ("flowcut", "half_circle", "8 MB of a connection would have to be on their way"),
    ("strack_cc", "never_below_a_packet", "no random op has 0 as its largest window"),
];

/// A core in a configuration with the rules that it has in a simulation.
fn right(core: &'static str, config: Config, at: usize) -> Option<Bench> {
    let generated = catalogue::generate(core, &config).unwrap();
    let (_, rules) = sv_check::file(core, &generated)?;
    let variants = vec![(RIGHT.to_string(), generated.verilog, rules)];
    Some(Bench { name: format!("p{at}"), core, config, ports: generated.manifest.ports, variants })
}

/// The core of a proof in its configuration, and a variant with the fault of each of its rules that a simulation has and that are wanted;
/// none if there is none.
fn with_faults(proof: &Proof, at: usize, is_wanted: impl Fn(&Claim) -> bool) -> Option<Bench> {
    let sets: Vec<String> = proof.sets.iter().map(|set| set.to_string()).collect();
    let mut bench = right(proof.core, Config::load(None, &sets).unwrap(), at)?;
    let (_, verilog, rules) = bench.variants[0].clone();
    for claim in proof.claims.iter().filter(|claim| is_wanted(claim)) {
        if !rules.contains(&format!("    {}: assert property", claim.rule)) {
            continue;
        }
        let (Fault::Shown(right, wrong) | Fault::Deep(right, wrong)) = claim.fault;
        assert_eq!(verilog.matches(right).count(), 1, "`{right}` stands in {} once", proof.core);
        bench.variants.push((claim.rule.to_string(), verilog.replace(right, wrong), rules.clone()));
    }
    (bench.variants.len() > 1).then_some(bench)
}

/// Proofs of cores, and not of blocks within one.
fn proofs() -> impl Iterator<Item = (usize, &'static Proof)> {
    PROOFS
        .iter()
        .copied()
        .enumerate()
        .filter(|(_, proof)| proof.block.is_none() && catalogue::NAMES.contains(&proof.core))
}

/// The right variant of each breaks nothing with any seed up to that with which the last fault was found. Gives the variants whose fault was
/// not found.
fn not_found(folder: &Path, benches: &[Bench], cycles: u32, seeds: u32) -> Vec<String> {
    let program = built(folder, benches);
    let of = |bench: &Bench, variant: &str| format!("{}_{variant}_{}", bench.name, bench.core);
    let mut missing = BTreeSet::new();
    for bench in benches {
        let faults = bench.variants.iter().map(|(variant, ..)| variant).filter(|variant| *variant != RIGHT);
        missing.extend(faults.map(|variant| (of(bench, variant), variant.clone())));
    }
    for seed in 1..=seeds {
        let found = broken(folder, &program, benches, seed, cycles);
        for bench in benches {
            assert_eq!(
                found.get(&of(bench, RIGHT)),
                None,
                "{} with seed {seed}: {:?}",
                bench.core,
                bench.config
            );
        }
        missing.retain(|(variant, rule)| !found.get(variant).is_some_and(|rules| rules.contains(rule)));
        if missing.is_empty() {
            break;
        }
    }
    missing.into_iter().map(|(variant, _)| variant).collect()
}

/// One rule each of two cores: of words and bits of memories, and of a word of a memory within an instance.
#[test]
fn the_verilog_of_some_cores_keeps_its_rules_and_faults_break_them() {
    let wanted = [("sack_rx", "ooo_counts"), ("strack", "found_as_left")];
    let mut benches: Vec<Bench> = Vec::new();
    for (at, proof) in proofs() {
        let is_wanted = |claim: &Claim| wanted.contains(&(proof.core, claim.rule));
        if !benches.iter().any(|bench| bench.core == proof.core) {
            benches.extend(with_faults(proof, at, is_wanted));
        }
    }
    assert_eq!(benches.len(), wanted.len());
    let folder = tempfile::tempdir().unwrap();
    assert_eq!(not_found(folder.path(), &benches, 4000, 8), Vec::<String>::new());
}

#[test]
#[ignore = "compiles and simulates every core with a fault for each rule: `make test-long`"]
fn the_verilog_keeps_every_rule_and_the_fault_of_its_proof_breaks_it() {
    for (at, proof) in proofs() {
        let is_in_reach = |claim: &Claim| {
            !OUT_OF_REACH.iter().any(|(core, rule, _)| (*core, *rule) == (proof.core, claim.rule))
        };
        let Some(bench) = with_faults(proof, at, is_in_reach) else { continue };
        let folder = tempfile::tempdir().unwrap();
        let (rules, left) = (bench.variants.len() - 1, not_found(folder.path(), &[bench], 16_000, 100));
        println!("{} {:?}: {rules} rules, not broken: {left:?}", proof.core, proof.sets);
        assert_eq!(left, Vec::<String>::new(), "{} {:?}", proof.core, proof.sets);
    }
}

#[test]
#[ignore = "compiles and simulates every core: `make test-long`"]
fn the_verilog_of_every_core_keeps_its_rules_in_other_configurations_than_its_proof_has() {
    for sets in [&[][..], &["connections=64", "sack.window=512", "sack.engine=fast", "bus_bits=256"]] {
        let sets: Vec<String> = sets.iter().map(|set| set.to_string()).collect();
        let mut benches = Vec::new();
        for (at, core) in catalogue::NAMES.iter().enumerate().filter(|(_, core)| **core != "nic") {
            let bench = right(core, Config::load(None, &sets).unwrap(), at);
            benches.push(bench.unwrap_or_else(|| panic!("{core} has no rules with {sets:?}")));
        }
        let folder = tempfile::tempdir().unwrap();
        assert_eq!(not_found(folder.path(), &benches, 60_000, 1), Vec::<String>::new());
    }
}
