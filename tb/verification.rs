//! What `docs/verification.md` names is there: tests, modules of tests, and rules that are proved.

use std::fs;
use std::path::PathBuf;

use respray_synth::prove::PROOFS;

use crate::runs::project;

/// Crates by the name that the page has for them, and where their tests stand.
const CRATES: [(&str, &str); 6] = [
    ("cosim", "cosim/tests"),
    ("golden", "golden/tests"),
    ("mutate", "mutate/tests"),
    ("synth", "synth/tests/all"),
    ("fuzz", "fuzz/tests"),
    ("tb", "tb"),
];
const HEAD: &str = "| claim | shown by |";

/// The names in the last columns of the tables of claims.
fn names(page: &str) -> Vec<&str> {
    let mut found = Vec::new();
    let mut is_claims = false;
    for line in page.lines() {
        is_claims = line == HEAD || (is_claims && line.starts_with('|'));
        if is_claims && line != HEAD {
            let shown_by = line.trim_end_matches('|').rsplit('|').next().unwrap_or_default();
            found.extend(shown_by.split('`').skip(1).step_by(2));
        }
    }
    found
}

/// A module of tests or a test in one, by its path from the crate on.
fn is_test(name: &str) -> bool {
    let mut parts = name.split("::");
    let folder = parts.next().and_then(|of| CRATES.iter().find(|(known, _)| *known == of));
    let Some((_, folder)) = folder else { return false };
    let (mut folder, mut file): (PathBuf, Option<PathBuf>) = (project().join(folder), None);
    for part in parts {
        let next = [folder.join(format!("{part}.rs")), folder.join(part).join("mod.rs")];
        match next.into_iter().find(|path| path.is_file()) {
            Some(path) => {
                file = Some(path);
                folder = folder.join(part);
            }
            None => {
                let text = file.as_ref().map(|file| fs::read_to_string(file).unwrap()).unwrap_or_default();
                let words = text.split(|letter: char| !letter.is_alphanumeric() && letter != '_');
                return words.into_iter().any(|word| word == part);
            }
        }
    }
    file.is_some()
}

fn is_proved(name: &str) -> bool {
    let Some((core, rule)) = name.split_once('.') else { return false };
    PROOFS.iter().any(|proof| proof.core == core && proof.claims.iter().any(|claim| claim.rule == rule))
}

/// Names of a page that are neither.
fn gone(page: &str) -> Vec<&str> {
    names(page).into_iter().filter(|name| !is_test(name) && !is_proved(name)).collect()
}

#[test]
fn what_shows_a_claim_is_there() {
    let page = fs::read_to_string(project().join("docs/verification.md")).unwrap();
    assert!(names(&page).len() > 40, "{:?}", names(&page));
    assert_eq!(gone(&page), [""; 0]);
}

#[test]
fn what_shows_a_claim_and_is_gone_is_told() {
    let page = format!(
        "{HEAD}\n| --- | --- |\n| a | `reps.valid_set`, `reps.other` |\n| b | `cosim::rules::reps` |\n| c | `cosim::rules::other`, `reps` |\n\nAnd `text`.\n"
    );
    assert_eq!(gone(&page), ["reps.other", "cosim::rules::other", "reps"]);
}
