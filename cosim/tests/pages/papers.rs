//! The glossary says of each paper what it is used for: each core is named there that has the paper among its sources.

use std::path::Path;

use respray_hdl::cores;

const GLOSSARY: &str = include_str!("../../../docs/glossary.md");

/// What the glossary says that a paper is used for.
fn used_for(paper: &str) -> &'static str {
    let row = GLOSSARY.lines().find(|line| line.starts_with(&format!("| {paper} | ")));
    row.and_then(|row| row.trim_end_matches(['|', ' ']).rsplit('|').next()).expect("a row of the papers")
}

/// What the manifest of a core in the default configuration names as its source.
fn source(core: &str) -> String {
    let manifest = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("../../generated/{core}.json"));
    let text = std::fs::read_to_string(&manifest).expect("the manifest is there");
    let line = text.lines().find_map(|line| line.trim().strip_prefix("\"source\": "));
    line.expect("every manifest has a source").to_string()
}

#[test]
fn the_glossary_names_every_core_beside_its_papers() {
    let mut missing = Vec::new();
    for paper in ["001", "002", "003", "004"] {
        let used_for = used_for(paper);
        let mut cores = cores::CORES.iter().filter(|core| source(core).contains(paper)).peekable();
        assert!(cores.peek().is_some(), "no core has {paper} among its sources");
        missing
            .extend(cores.filter(|core| !used_for.contains(&format!("`{core}`"))).map(|core| (paper, *core)));
    }
    assert!(missing.is_empty(), "the glossary does not name beside a paper: {missing:?}");
}
