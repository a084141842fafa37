//! Properties that are proved, and the page that lists them.

use std::collections::BTreeSet;

use respray_hdl::config::Config;
use respray_synth::prove::{self, Fault, Method, PROOFS, Proof};
use respray_synth::report::generate;

use crate::common::{bench, root};

/// The first rules of proofs that take ten seconds and more. The long test has them with all others. `bitmap` and `mixed` have the rules of
/// `strack`, which is quick, on an engine of the same shape.
const LONG: [(&str, &str); 8] = [
    ("bitmap", "one_at_a_time"),
    ("mixed", "one_at_a_time"),
    ("flowcut_switch", "forwarded"),
    ("caver", "found_as_left"),
    ("sack_rx", "init_empties"),
    ("sack_rx", "found_as_left"),
    ("sack_tx", "none_flies_anew"),
    ("nic", "to_host_stays"),
];

/// Of these the proofs for all time are quick, and those from power-up are not.
const LONG_FROM_POWER_UP: [&str; 4] = ["rewrite_tx", "shim_push", "shim_pop", "nic"];

/// It takes seconds at most.
fn is_quick(proof: &Proof) -> bool {
    let is_bounded = matches!(proof.method, Method::Bounded(_));
    !(LONG.contains(&(proof.core, proof.claims[0].rule))
        || is_bounded && LONG_FROM_POWER_UP.contains(&proof.core))
}

#[test]
fn every_property_holds() {
    let folder = tempfile::tempdir().unwrap();
    for proof in PROOFS.iter().filter(|proof| is_quick(proof)) {
        let broken = prove::broken(&bench().tools, proof, folder.path(), &generate).unwrap();
        assert_eq!(broken, None, "{}", proof.core);
    }
}

#[test]
#[ignore = "minutes of a solver: a search from power-up for each fault"]
fn every_property_is_broken_by_its_fault() {
    let folder = tempfile::tempdir().unwrap();
    let outcomes = prove::prove(&bench().tools, PROOFS, folder.path(), &generate, &|_, _| ()).unwrap();
    for outcome in outcomes {
        assert!(outcome.is_shown(), "{} of {}: {outcome:?}", outcome.rule, outcome.core);
    }
}

/// What differs are the places of fields, and how many beats a header takes.
#[test]
#[ignore = "some minutes for what the narrow bus and one profile show already"]
fn beats_stay_and_keep_their_order_with_the_other_profile_and_at_the_widest_bus() {
    for set in ["wire=uet", "bus_bits=512"] {
        let sets = ["bus_bits=64", set].map(String::from);
        let other = |core: &str, _: &Config| generate(core, &Config::load(None, &sets).expect("on the menu"));
        for proof in PROOFS.iter().filter(|proof| proof.core.starts_with("rewrite_") && is_quick(proof)) {
            let folder = tempfile::tempdir().unwrap();
            let broken = prove::broken(&bench().tools, proof, folder.path(), &other).unwrap();
            assert_eq!(broken, None, "{} with {set}", proof.core);
        }
    }
}

/// Labels of the assertions in the rules of a proof.
fn rules(text: &str) -> BTreeSet<String> {
    let labels = text.lines().flat_map(|line| line.split_once(": assert")).map(|(before, _)| before);
    labels.filter_map(|before| before.split_whitespace().last()).map(str::to_string).collect()
}

#[test]
fn every_rule_is_a_claim_or_a_lemma() {
    for proof in PROOFS {
        let text = prove::text(proof, &generate).unwrap();
        let claimed: BTreeSet<String> = proof.claims.iter().map(|claim| claim.rule.to_string()).collect();
        let stated: BTreeSet<String> =
            rules(&text).into_iter().filter(|rule| !rule.starts_with("lemma_")).collect();
        assert_eq!(stated, claimed, "{}", proof.core);
    }
}

/// A fault whose line is generated differently by now would be found only by the long test.
#[test]
fn every_fault_has_its_place() {
    let mut elsewhere = vec![];
    for proof in PROOFS {
        let text = prove::text(proof, &generate).unwrap();
        let mut place = |line: &str| {
            let count = text.matches(line).count();
            if count != 1 {
                elsewhere.push(format!("`{line}` of {} stands there {count} times", proof.core));
            }
        };
        proof.shortened.iter().for_each(|(long, _)| place(long));
        for claim in proof.claims {
            let (Fault::Shown(right, wrong) | Fault::Deep(right, wrong)) = claim.fault;
            place(right);
            assert_ne!(right, wrong);
            let is_deep = matches!(claim.fault, Fault::Deep(..));
            assert!(!is_deep || matches!(proof.method, Method::Unbounded(_)), "{}", claim.rule);
        }
    }
    assert!(elsewhere.is_empty(), "{}", elsewhere.join("\n"));
}

/// The solver sees a rule that does not hold, and says which.
#[test]
fn a_design_that_breaks_a_rule_is_refuted() {
    let faulty = |core: &str, config: &Config| {
        let mut core = generate(core, config)?;
        let right = "assign reaches = sum[24];";
        assert!(core.verilog.contains(right), "`{right}` is generated differently: write the fault anew");
        core.verilog = core.verilog.replace(right, "assign reaches = sum[24] | !(|change);");
        Ok(core)
    };
    let folder = tempfile::tempdir().unwrap();
    let proof = PROOFS.iter().find(|proof| proof.core == "flowcut").unwrap();
    let broken = prove::broken(&bench().tools, proof, folder.path(), &faulty).unwrap().expect("it is broken");
    assert_eq!((broken.rule.as_str(), broken.edge), ("ack_of_bytes_sent", None));
    assert!(folder.path().join("flowcut/trace.vcd").is_file(), "the waves of what fails are kept");
}

#[test]
fn the_page_lists_every_property() {
    let page = std::fs::read_to_string(root().join("docs/proofs.md")).unwrap();
    for proof in PROOFS {
        let (_, section) = page.split_once(&format!("\n## `{}`\n", proof.core)).unwrap_or_else(|| {
            panic!(
                "docs/proofs.md has no `{}`; `respray prove --markdown docs/proofs.md` makes it",
                proof.core
            )
        });
        let section = section.split("\n## ").next().unwrap();
        for claim in proof.claims {
            let line =
                format!("| `{}` | {} | {} | {} |", claim.rule, claim.says, claim.source, proof.method.word());
            assert!(section.contains(&line), "docs/proofs.md: not `{line}`");
        }
        let of_core = PROOFS.iter().filter(|other| other.core == proof.core);
        let claims: usize = of_core.map(|proof| proof.claims.len()).sum();
        assert_eq!(section.matches("\n| `").count(), claims, "{}", proof.core);
    }
    assert!(!page.contains("FAILS"));
}
