//! The reasons that are written down for mutants that survive.

use std::path::Path;

use respray_mutate::explained::Explained;
use respray_mutate::mutants::candidates;
use respray_mutate::verilog::sites;

use crate::chosen::generated;

fn written() -> Explained {
    let project = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
    Explained::read(&project.join(Explained::PATH)).unwrap()
}

#[test]
fn every_reason_is_of_a_mutant_that_there_is() {
    let written = written();
    let cores: std::collections::BTreeSet<&str> =
        written.reasons.iter().map(|reason| reason.core.as_str()).collect();
    for core in cores {
        let text = generated(core);
        let all = candidates(&text, &sites(&text));
        for reason in written.reasons.iter().filter(|reason| reason.core == core) {
            assert!(
                all.iter().any(|mutant| reason.is_of(core, mutant)),
                "mutate/explained.toml: {core} has no mutant that makes `{}` of `{}`",
                reason.after,
                reason.before
            );
            assert!(reason.reason.ends_with('.'), "`{}` is no sentence", reason.reason);
        }
    }
}

#[test]
fn a_file_that_is_wrong_is_refused_with_its_name() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("explained.toml");
    std::fs::write(&path, "[[mutant]]\ncore = \"reps\"\n").unwrap();
    let error = Explained::read(&path).unwrap_err().to_string();
    assert!(error.contains("explained.toml: ") && error.contains("missing field"), "{error}");
}
