//! The documents: every link and path leads somewhere, and what is there to be copied works.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use respray_hdl::catalogue;
use respray_hdl::cores::CORES;
use respray_hdl::shells::axil_far;

use crate::runs::project;

/// All documents of the project, relative to it, with their text.
pub fn documents() -> Vec<(PathBuf, String)> {
    let top = ["README.md", "CONTRIBUTING.md"].map(PathBuf::from);
    let docs = ["docs", "docs/papers"].into_iter().flat_map(|folder| {
        let entries = fs::read_dir(project().join(folder)).unwrap();
        entries.map(move |entry| Path::new(folder).join(entry.unwrap().file_name()))
    });
    let pages =
        top.into_iter().chain(docs).filter(|path| path.extension().is_some_and(|found| found == "md"));
    pages.map(|path| (path.clone(), fs::read_to_string(project().join(&path)).unwrap())).collect()
}

/// The text without its blocks of code.
pub fn prose(text: &str) -> String {
    let mut is_code = false;
    let mut kept = String::new();
    for line in text.lines() {
        if line.trim_start().starts_with("```") {
            is_code = !is_code;
        } else if !is_code && !line.starts_with("    ") {
            kept += line;
            kept.push('\n');
        }
    }
    kept
}

/// Blocks of code in this language.
pub fn blocks(text: &str, language: &str) -> Vec<String> {
    let begin = format!("```{language}\n");
    text.split(&begin).skip(1).map(|rest| rest.split("```").next().unwrap().to_string()).collect()
}

/// The anchor of each heading, as a page of Markdown has it.
fn anchors(text: &str) -> BTreeSet<String> {
    let headings = text
        .lines()
        .filter_map(|line| line.trim_start_matches('#').strip_prefix(' ').filter(|_| line.starts_with('#')));
    let anchor = |heading: &str| {
        let kept = heading.to_lowercase().replace(' ', "-");
        kept.chars().filter(|c| c.is_alphanumeric() || "-_".contains(*c)).collect()
    };
    headings.map(anchor).collect()
}

/// Targets of the links, `[text](target)`.
pub fn links(text: &str) -> Vec<&str> {
    text.split("](").skip(1).filter_map(|rest| rest.split(')').next()).collect()
}

/// Links of a document that lead nowhere.
fn broken_links(page: &Path, text: &str) -> Vec<String> {
    let mut broken = Vec::new();
    for link in links(&prose(text)).into_iter().filter(|link| !link.contains("://")) {
        let (file, anchor) = link.split_once('#').unwrap_or((link, ""));
        let target = match file {
            "" => page.to_path_buf(),
            file => page.parent().unwrap().join(file),
        };
        let there = project().join(&target);
        let has_anchor =
            || anchor.is_empty() || anchors(&fs::read_to_string(&there).unwrap_or_default()).contains(anchor);
        if !there.exists() || !has_anchor() {
            broken.push(format!("{}: {link}", page.display()));
        }
    }
    broken
}

/// Paths in code spans that are not there. A path is what begins with a folder of the project; `<core>` and `X` stand for any core, braces for several names.
fn broken_paths(page: &Path, text: &str) -> Vec<String> {
    const MADE: [&str; 2] = ["build/", "coverage/"];
    let prose = prose(text);
    let spans = prose.split('`').skip(1).step_by(2);
    let is_path = |span: &&str| {
        let begins = [
            "hdl/",
            "golden/",
            "cosim/",
            "synth/",
            "tb/",
            "generated/",
            "docs/",
            "src/",
            "fabric/",
            "mutate/",
            "fuzz/",
        ];
        begins.iter().any(|folder| span.starts_with(folder)) && !span.contains(' ')
    };
    let exists = |path: &str| {
        let path = path.split(':').next().unwrap();
        let (before, after) = path.split_once('{').unwrap_or((path, ""));
        let names = after.split_once('}').map(|(names, rest)| (names.split(','), rest));
        match names {
            None => project().join(path).exists(),
            Some((mut names, rest)) => {
                names.all(|name| project().join(format!("{before}{name}{rest}")).exists())
            }
        }
    };
    spans
        .filter(is_path)
        .filter(|span| !MADE.iter().any(|folder| span.starts_with(folder)))
        .filter(|span| {
            let of_core =
                |core: &&str| exists(&span.replace("<core>", core).replace("/X", &format!("/{core}")));
            !CORES.iter().any(of_core)
        })
        .map(|span| format!("{}: `{span}`", page.display()))
        .collect()
}

/// Every page that says when its figures were made says of what, too.
#[test]
fn pages_of_figures_name_the_designs_that_they_were_made_from() {
    for (path, text) in documents() {
        if text.contains("\nMade on ") {
            assert!(text.contains("<!-- begin made from -->"), "{}: made from what?", path.display());
        }
    }
}

/// The modules of a crate whose sources stand in `folder`, each with the other modules of the crate that it names, tests left out.
fn modules(folder: &Path) -> BTreeMap<String, BTreeSet<String>> {
    let mut named: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    let mut folders = vec![folder.to_path_buf()];
    while let Some(inside) = folders.pop() {
        for entry in fs::read_dir(&inside).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|found| found == "rs") {
                let module =
                    Path::new(path.strip_prefix(folder).unwrap().iter().next().unwrap()).file_stem().unwrap();
                let text = fs::read_to_string(&path).unwrap();
                let code = text.split("#[cfg(test)]\nmod tests {").next().unwrap();
                named.entry(module.to_str().unwrap().to_string()).or_default().extend(named_modules(code));
            }
        }
    }
    for root in ["lib", "main"] {
        named.remove(root);
    }
    let known: BTreeSet<String> = named.keys().cloned().collect();
    for (module, others) in &mut named {
        others.retain(|other| known.contains(other) && other != module);
    }
    named
}

/// First names behind `crate::`, also those in braces.
fn named_modules(code: &str) -> BTreeSet<String> {
    let word = |text: &str| text.chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect::<String>();
    let lines =
        code.lines().filter(|line| !line.trim_start().starts_with("//")).collect::<Vec<_>>().join("\n");
    let mut names = BTreeSet::new();
    for rest in lines.split("crate::").skip(1) {
        let Some(inside) = rest.strip_prefix('{') else {
            names.insert(word(rest));
            continue;
        };
        let mut depth = 0;
        let mut is_first = true;
        for (at, c) in inside.char_indices() {
            match c {
                '{' => depth += 1,
                '}' if depth == 0 => break,
                '}' => depth -= 1,
                ',' if depth == 0 => is_first = true,
                c if is_first && !c.is_whitespace() => {
                    names.insert(word(&inside[at..]));
                    is_first = false;
                }
                _ => {}
            }
        }
    }
    names
}

/// The crates by their folders.
const CRATES: [(&str, &str); 9] = [
    (".", "respray"),
    ("synth", "synth"),
    ("fabric", "fabric"),
    ("mutate", "mutate"),
    ("cosim", "cosim"),
    ("hdl", "hdl"),
    ("golden", "golden"),
    ("golden/c", "golden-c"),
    ("tb/record", "record"),
];

/// A name and the names that it imports, in lines of at most 120 columns.
fn line(name: &str, imported: String) -> String {
    let mut lines = vec![format!("{name:24}")];
    for word in imported.split(' ') {
        if lines[lines.len() - 1].len() + 1 + word.len() > 120 {
            lines.push(" ".repeat(24));
        }
        let line = lines.last_mut().unwrap();
        *line += &format!(" {word}");
    }
    lines.join("\n") + "\n"
}

/// A line for each crate and each module, or more where they are long: who it is, and whom it imports.
fn dependencies() -> String {
    let list = |names: Vec<String>| if names.is_empty() { "-".to_string() } else { names.join(", ") };
    let mut text = String::new();
    for (folder, name) in CRATES {
        let manifest: toml::Table =
            fs::read_to_string(project().join(folder).join("Cargo.toml")).unwrap().parse().unwrap();
        let of = |table: &str| {
            manifest.get(table).and_then(|table| table.as_table()).into_iter().flat_map(|table| table.keys())
        };
        let ours =
            of("dependencies").filter_map(|name| name.strip_prefix("respray-")).map(str::to_string).collect();
        text += &line(name, list(ours));
    }
    for (folder, name) in CRATES {
        text.push('\n');
        for (module, others) in modules(&project().join(folder).join("src")) {
            let module = format!("{name}/{module}");
            text += &line(&module, list(others.into_iter().collect()));
        }
    }
    text
}

#[test]
fn the_picture_of_dependencies_is_that_of_the_code() {
    let page = fs::read_to_string(project().join("docs/architecture.md")).unwrap();
    let shown = page
        .split("<!-- begin dependencies -->")
        .nth(1)
        .and_then(|rest| rest.split("<!-- end").next())
        .unwrap();
    let expected = format!("\n\n```text\n{}```\n\n", dependencies());
    assert_eq!(shown, expected, "docs/architecture.md is to show:{expected}");
}

#[test]
fn no_modules_of_a_crate_import_each_other_in_a_circle() {
    for (folder, _) in CRATES {
        assert_eq!(circle(modules(&project().join(folder).join("src"))), None, "{folder}");
    }
    let named = |module: &str, others: &[&str]| {
        (module.to_string(), others.iter().map(|other| other.to_string()).collect())
    };
    let three =
        BTreeMap::from([named("a", &["b"]), named("b", &["c"]), named("c", &["a", "d"]), named("d", &[])]);
    assert_eq!(circle(three), Some(["a", "b", "c"].map(str::to_string).into()));
}

/// The modules that are left when those which import none that is left have gone again and again.
fn circle(mut modules: BTreeMap<String, BTreeSet<String>>) -> Option<BTreeSet<String>> {
    loop {
        let free: Vec<String> = modules
            .iter()
            .filter(|(_, others)| others.is_empty())
            .map(|(module, _)| module.clone())
            .collect();
        if free.is_empty() {
            return (!modules.is_empty()).then(|| modules.into_keys().collect());
        }
        for module in free {
            modules.remove(&module);
            modules.values_mut().for_each(|others| {
                others.remove(&module);
            });
        }
    }
}

#[test]
fn the_golden_side_and_the_binding_know_nothing_of_the_rtl() {
    let golden = fs::read_to_string(project().join("golden/Cargo.toml")).unwrap();
    assert!(!golden.contains("respray-hdl"), "golden models share no code with the RTL");
    let list = dependencies();
    assert!(list.lines().any(|line| line.split_whitespace().eq(["cosim/verilator", "-"])), "{list}");
}

#[test]
fn every_link_and_every_path_leads_somewhere() {
    let broken: Vec<String> = documents()
        .iter()
        .flat_map(|(page, text)| [broken_links(page, text), broken_paths(page, text)].concat())
        .collect();
    assert!(broken.is_empty(), "{}", broken.join("\n"));
}

#[test]
fn a_link_and_a_path_that_lead_nowhere_are_found() {
    let page = Path::new("docs/reps.md");
    let text = "## Two words\n[a](ops.md) [b](no.md) [c](#two-words) [d](#three) `cosim/src/cores/` `cosim/src/no.rs` \
                `hdl/{src,no}/lib.rs` `docs/<core>.md`\n```\n`hdl/no`\n```\n";
    fs::metadata(project().join("docs/ops.md")).unwrap();
    assert_eq!(broken_links(page, text).len(), 3, "no.md, and two anchors that reps.md has not");
    assert_eq!(
        broken_paths(page, text),
        ["docs/reps.md: `cosim/src/no.rs`", "docs/reps.md: `hdl/{src,no}/lib.rs`"]
    );
}

/// Whether Verilator takes the instantiation together with the core, and what it says.
fn lint(core: &str, instance: &str) -> (bool, String) {
    let folder = tempfile::tempdir().unwrap();
    let top = folder.path().join("top.v");
    fs::write(&top, format!("module top;\n{instance}endmodule\n")).unwrap();
    let output = Command::new("verilator")
        .args(["--lint-only", "-Wall", "-Wno-UNDRIVEN", "-Wno-UNUSEDSIGNAL", "-Wno-DECLFILENAME"])
        .args(["--top-module", "top"])
        .arg(project().join(format!("generated/{core}.v")))
        .arg(&top)
        .output()
        .expect("Verilator is there");
    (output.status.success(), String::from_utf8_lossy(&output.stderr).into_owned())
}

/// The parts of a page that are no part of another.
fn parts(page: &str) -> Vec<String> {
    prose(page).lines().filter_map(|line| line.strip_prefix("## ")).map(String::from).collect()
}

#[test]
fn the_page_of_every_core_has_the_same_four_parts() {
    for core in catalogue::NAMES {
        let page = fs::read_to_string(project().join(format!("docs/{core}.md"))).unwrap();
        let expected = ["Theory of operation", "Ports and registers", "Programmer's guide", "Verification"];
        assert_eq!(parts(&page), expected, "docs/{core}.md");
    }
    assert_eq!(parts("## One\n```text\n## no part\n```\n### within\n## Two\n"), ["One", "Two"]);
}

/// The instantiation that a core's page shows.
fn instantiation(core: &str) -> String {
    let page = fs::read_to_string(project().join(format!("docs/{core}.md"))).unwrap();
    let shown = blocks(&page, "verilog");
    shown.into_iter().find(|block| block.contains(&format!("{core} {core}_0 ("))).expect(core)
}

#[test]
fn the_instantiation_of_every_page_compiles_with_the_core() {
    let check = |core: &str| {
        let (passes, said) = lint(core, &instantiation(core));
        assert!(passes, "{core}: {said}");
    };
    // Two at a time, the longest of them first.
    let mut cores = catalogue::NAMES.to_vec();
    let length = |core: &&str| fs::metadata(project().join(format!("generated/{core}.v"))).unwrap().len();
    cores.sort_by_key(length);
    let cores = std::sync::Mutex::new(cores);
    std::thread::scope(|scope| {
        for _ in 0..2 {
            scope.spawn(|| {
                while let Some(core) = { cores.lock().unwrap().pop() } {
                    check(core);
                }
            });
        }
    });
}

#[test]
fn an_instantiation_with_a_port_of_another_name_is_refused() {
    let (passes, said) = lint("ecmp", &instantiation("ecmp").replacen(".rst", ".reset", 1));
    assert!(!passes && said.contains("reset"), "{said}");
}

#[test]
fn each_nic_of_the_library_page_is_one_that_is_tested() {
    let page = fs::read_to_string(project().join("docs/library.md")).unwrap();
    for (test, library) in [
        ("golden/tests/nic/library.rs", "respray_golden::nic::{"),
        ("cosim/tests/nic/library.rs", "respray_cosim::nic"),
    ] {
        let tested = fs::read_to_string(project().join(test)).unwrap();
        let shown = blocks(&page, "rust").into_iter().find(|block| block.contains(library));
        assert_eq!(tested.split_once("\n\n").map(|(_, test)| test.to_string()), shown, "{test}");
    }
}

/// What a C compiler says of the driver that the page of `nic` shows, behind the generated headers.
fn compiled(driver: &str) -> Result<(), String> {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("driver.c"), driver).unwrap();
    fs::write(folder.path().join("nic_shell.h"), axil_far::header()).unwrap();
    let mut cc = Command::new("cc");
    cc.args(["-std=c99", "-Wall", "-Wextra", "-Werror", "-pedantic", "-fsyntax-only", "driver.c", "-I"]);
    let output = cc.arg(project().join("generated")).current_dir(folder.path()).output().unwrap();
    if output.status.success() { Ok(()) } else { Err(String::from_utf8_lossy(&output.stderr).into_owned()) }
}

#[test]
fn the_driver_of_the_nic_compiles_with_the_generated_header() {
    let page = fs::read_to_string(project().join("docs/nic.md")).unwrap();
    let driver = blocks(&page, "c").concat();
    assert_eq!(compiled(&driver), Ok(()));
    let other = driver.replacen("NIC_COMMAND_PSN", "NIC_COMMAND_EPSN", 1);
    assert!(compiled(&other).unwrap_err().contains("NIC_COMMAND_EPSN"), "a name that no header has is told");
}

#[test]
fn the_driver_of_a_shell_compiles_behind_that_of_the_nic() {
    let driver = |page: &str| blocks(&fs::read_to_string(project().join(page)).unwrap(), "c").concat();
    let both = driver("docs/nic.md") + &driver("docs/integration.md");
    assert_eq!(compiled(&both), Ok(()));
    let other = both.replacen("NIC_SHELL_EVENT_VALID", "NIC_SHELL_EVENT_FULL", 1);
    assert!(compiled(&other).unwrap_err().contains("NIC_SHELL_EVENT_FULL"));
}

#[test]
fn every_waveform_is_as_long_as_its_clock() {
    for core in CORES {
        let page = fs::read_to_string(project().join(format!("docs/{core}.md"))).unwrap();
        let waveforms = blocks(&page, "wavedrom");
        assert!(!waveforms.is_empty(), "docs/{core}.md shows no op");
        for text in waveforms {
            let waveform: serde_json::Value = serde_json::from_str(&text).expect(core);
            let signals = waveform["signal"].as_array().unwrap();
            let cycles = signals[0]["wave"].as_str().unwrap().len();
            for signal in signals {
                let wave = signal["wave"].as_str().unwrap();
                let data = signal["data"].as_array().map_or(0, Vec::len);
                assert_eq!((wave.len(), wave.matches('=').count()), (cycles, data), "{core}: {signal}");
            }
        }
    }
}
