//! Each rule that a simulation has of a core: the Verilog keeps it under random traffic, and breaks it with the fault by which `respray
//! prove` breaks it.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use respray_hdl::catalogue;
use respray_hdl::config::Config;
use respray_synth::prove::{Claim, Fault, PROOFS, Proof};
use respray_synth::sv_check;

use super::bench::{Bench, broken, built};

/// Name of the variant without a fault.
const RIGHT: &str = "right";

/// Rules whose fault no random traffic comes to: core, rule and why.
const OUT_OF_REACH: &[(&str, &str, &str)] = &[];

/// The core of a proof in its configuration, and in a variant each with the fault of each of its rules that a simulation has.
fn bench(proof: &'static Proof, at: usize, claims: &[&Claim], rules: &str, verilog: &str, config: Config) -> Bench {
    let generated = catalogue::generate(proof.core, &config).unwrap();
    let mut variants = vec![(RIGHT.to_string(), verilog.to_string(), rules.to_string())];
    for claim in claims {
        let (Fault::Shown(right, wrong) | Fault::Deep(right, wrong)) = claim.fault;
        assert_eq!(verilog.matches(right).count(), 1, "`{right}` stands in {} once", proof.core);
        variants.push((claim.rule.to_string(), verilog.replace(right, wrong), rules.to_string()));
    }
    Bench { name: format!("p{at}"), core: proof.core, config, ports: generated.manifest.ports, variants }
}

/// Proofs of cores, with the rules of each that a simulation has.
fn simulated() -> Vec<(&'static Proof, Vec<&'static Claim>, Config, String, String)> {
    let mut found = Vec::new();
    for proof in PROOFS.iter().filter(|proof| proof.block.is_none() && catalogue::NAMES.contains(&proof.core)) {
        let sets: Vec<String> = proof.sets.iter().map(|set| set.to_string()).collect();
        let config = Config::load(None, &sets).unwrap();
        let generated = catalogue::generate(proof.core, &config).unwrap();
        let Some((_, rules)) = sv_check::file(proof.core, &generated) else { continue };
        let has = |claim: &&Claim| rules.contains(&format!("    {}: assert property", claim.rule));
        let claims: Vec<&Claim> = proof.claims.iter().filter(has).collect();
        if !claims.is_empty() {
            found.push((*proof, claims, config, rules, generated.verilog));
        }
    }
    found
}

/// The right variant breaks nothing, and each fault is found, but for those out of reach.
fn each_fault_is_found(folder: &Path, benches: &[Bench], cycles: u32, seeds: std::ops::Range<u32>) -> Vec<String> {
    let program = built(folder, benches);
    let of = |bench: &Bench, variant: &str| format!("{}_{variant}_{}", bench.name, bench.core);
    let mut missing: BTreeSet<(String, String)> = BTreeSet::new();
    for bench in benches {
        let faults = bench.variants.iter().map(|(variant, ..)| variant).filter(|variant| *variant != RIGHT);
        missing.extend(faults.map(|variant| (of(bench, variant), variant.clone())));
    }
    for seed in seeds {
        if missing.is_empty() && seed > 1 {
            break;
        }
        let is_found = |found: &BTreeMap<String, BTreeSet<String>>, (variant, rule): &(String, String)| {
            found.get(variant).is_some_and(|rules| rules.contains(rule))
        };
        let found = broken(&program, seed, cycles, |_| false);
        for bench in benches {
            assert_eq!(found.get(&of(bench, RIGHT)), None, "{} {:?} with seed {seed}", bench.core, bench.config);
        }
        missing.retain(|one| !is_found(&found, one));
    }
    missing.into_iter().map(|(variant, _)| variant).collect()
}

#[test]
#[ignore = "compiles and simulates every core with a fault for each rule: `make test-long`"]
fn each_rule_is_kept_and_is_broken_by_its_fault() {
    let mut missing = Vec::new();
    for (at, (proof, claims, config, rules, verilog)) in simulated().into_iter().enumerate() {
        let only = std::env::var("ONLY").unwrap_or_default();
        if !only.is_empty() && proof.core != only {
            continue;
        }
        let folder = tempfile::tempdir().unwrap();
        let bench = bench(proof, at, &claims, &rules, &verilog, config);
        let left = each_fault_is_found(folder.path(), &[bench], 12_000, 1..9);
        eprintln!("{} {:?}: {} rules, not found: {left:?}", proof.core, proof.sets, claims.len());
        missing.extend(left);
    }
    let _ = OUT_OF_REACH;
    assert!(missing.is_empty(), "{missing:?}");
}
