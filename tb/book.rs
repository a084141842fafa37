//! The documents as a book: each page stands in its summary, lines fit, and the site has no link that leads nowhere.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use respray_hdl::catalogue;

use crate::documents::{documents, links, prose};
use crate::runs::{path_from, program, project, stderr};

const SUMMARY: &str = "docs/SUMMARY.md";

/// Pages of the book that stand in other folders, beside all documents.
const ELSEWHERE: [&str; 4] =
    ["CHANGELOG.md", "constraints/README.md", "tb/recordings/README.md", "tb/reference/README.md"];

/// Pages that programs write line by line, with the measurements that are on them.
const WRITTEN_BY_PROGRAMS: [&str; 7] = [
    "docs/coverage.md",
    "docs/ecpix5_figures.md",
    "docs/mutation.md",
    "docs/parity.md",
    "docs/placed_figures.md",
    "docs/proofs.md",
    "docs/upsets.md",
];

/// Columns of a line.
const COLUMNS: usize = 120;
/// Lines of README.md, which is for somebody who has three minutes.
const README_LINES: usize = 150;

/// The path without `..`.
fn plain(path: &Path) -> PathBuf {
    let mut out = PathBuf::new();
    for part in path.iter() {
        if part == ".." {
            out.pop();
        } else {
            out.push(part);
        }
    }
    out
}

/// Pages that the summary lacks, and those that it names without need: that are not there, or were named before.
fn wrong_in_summary(summary: &str, pages: &BTreeSet<PathBuf>) -> Vec<String> {
    let mut wrong = Vec::new();
    let mut named = BTreeSet::new();
    for link in links(summary) {
        let page = plain(&Path::new("docs").join(link));
        if !pages.contains(&page) || !named.insert(page.clone()) {
            wrong.push(format!("{SUMMARY} names {} once more, or it is no page", page.display()));
        }
    }
    let lacks = |page: &PathBuf| format!("{SUMMARY} lacks {}", page.display());
    wrong.extend(pages.difference(&named).map(lacks));
    wrong
}

#[test]
fn each_page_stands_in_the_summary_of_the_book_once() {
    let summary = fs::read_to_string(project().join(SUMMARY)).unwrap();
    let pages = documents().into_iter().map(|(page, _)| page).filter(|page| page != Path::new(SUMMARY));
    let pages: BTreeSet<PathBuf> = pages.chain(ELSEWHERE.map(PathBuf::from)).collect();
    assert_eq!(wrong_in_summary(&summary, &pages), [""; 0]);
    let other = summary.replace("(nic.md)", "(reps.md)").replace("(ci.md)", "(no.md)");
    let wrong = wrong_in_summary(&other, &pages).join("\n");
    let said =
        ["docs/no.md once more, or it", "docs/reps.md once more", "lacks docs/nic.md", "lacks docs/ci.md"];
    assert!(wrong.lines().count() == 4 && said.iter().all(|said| wrong.contains(said)), "{wrong}");
}

/// Lines of a document, from 1, that are longer than they may be. Rows of tables may, because they cannot go on in the
/// next line, and marks of made parts, which hold what the part is made of.
fn long_lines(text: &str) -> Vec<usize> {
    let may_be_long =
        |line: &str| ["|", "<!-- begin ", "<!-- end "].iter().any(|with| line.starts_with(with));
    let lines = (1..).zip(text.lines());
    let long = lines.filter(|(_, line)| line.chars().count() > COLUMNS && !may_be_long(line.trim_start()));
    long.map(|(number, _)| number).collect()
}

#[test]
fn lines_of_documents_have_at_most_120_columns() {
    let mut long = Vec::new();
    let beside = ["tb/recordings/README.md", "tb/reference/README.md"].map(PathBuf::from);
    let beside = beside.map(|page| (page.clone(), fs::read_to_string(project().join(page)).unwrap()));
    for (page, text) in documents().into_iter().chain(beside) {
        if !WRITTEN_BY_PROGRAMS.iter().any(|written| page == Path::new(written)) {
            long.extend(long_lines(&text).into_iter().map(|line| format!("{}:{line}", page.display())));
        }
    }
    assert!(long.is_empty(), "longer than {COLUMNS} columns: {}", long.join(", "));
    let (fits, is_long) = ("─".repeat(COLUMNS), "─".repeat(COLUMNS + 1));
    let text = format!("{fits}\n{is_long}\n  | {is_long} |\n```\n{is_long}\n```\n<!-- begin {is_long} -->\n");
    assert_eq!(long_lines(&text), [2, 5]);
}

#[test]
fn the_readme_is_read_in_three_minutes() {
    let lines = fs::read_to_string(project().join("README.md")).unwrap().lines().count();
    assert!(lines <= README_LINES, "README.md has {lines} lines, and may have {README_LINES}");
}

fn json(path: &str) -> serde_json::Value {
    serde_json::from_str(&fs::read_to_string(project().join(path)).unwrap()).unwrap()
}

/// The numbers of a text.
fn numbers(text: &str) -> BTreeSet<u64> {
    text.split(|c: char| !c.is_ascii_digit()).filter_map(|digits| digits.parse().ok()).collect()
}

#[test]
fn the_table_of_cores_has_the_accepted_figures_and_cycles_of_the_manifests() {
    let readme = fs::read_to_string(project().join("README.md")).unwrap();
    let accepted = json("synth/baseline.json");
    let mut rows = 0;
    for core in catalogue::NAMES {
        let head = format!("| [`{core}`](docs/{core}.md) | ");
        let row = readme.lines().find_map(|line| line.strip_prefix(&head)).expect(core);
        let cells: Vec<&str> = row.trim_end_matches(" |").split(" | ").collect();
        let [_, papers, luts, flip_flops, block_rams, cycles] = cells[..] else { panic!("{core}: {row}") };
        for (figure, cell) in [("lut", luts), ("ff", flip_flops), ("bram18", block_rams)] {
            let of_core = accepted["cores"]
                .as_object()
                .unwrap()
                .iter()
                .filter(|(label, _)| label.split(' ').next() == Some(core));
            let measured: BTreeSet<u64> = of_core
                .map(|(_, devices)| devices["xcup"]["figures"][figure].as_f64().unwrap() as u64)
                .collect();
            assert_eq!(numbers(cell), measured, "{core}: {figure} {cell}");
        }
        let manifest = json(&format!("generated/{core}.json"));
        let source = manifest["source"].as_str().unwrap();
        assert!(
            !papers.is_empty() && papers.split(", ").all(|paper| source.contains(paper)),
            "{core}: {papers}"
        );
        // of a text such as `7 + 1*words` the cycles where the count is 0
        let least = |value: &serde_json::Value| {
            value.as_u64().or_else(|| value.as_str()?.split(' ').next()?.parse().ok()).unwrap()
        };
        let classes = manifest["initiation_interval_cycles"].as_object().unwrap();
        let asked =
            classes.iter().filter(|(class, _)| !["init", "close", "read", "idle"].contains(&class.as_str()));
        let quickest = asked.map(|(_, cycles)| least(cycles)).min();
        assert_eq!(numbers(cycles).first().copied(), quickest, "{core}: {cycles}");
        rows += 1;
    }
    assert!(rows > 20, "{rows} cores");
}

/// Gathers the book of the project at `root` in `folder`.
fn gather(root: &Path, folder: &Path) -> Output {
    Command::new("python3").arg(root.join("docs/book.py")).arg(folder).output().unwrap()
}

#[test]
fn the_book_has_all_that_its_pages_link_to() {
    let folder = tempfile::tempdir().unwrap();
    let output = gather(project(), folder.path());
    assert!(output.status.success(), "{}", stderr(&output));
    assert!(folder.path().join("book.toml").is_file() && folder.path().join("book.css").is_file());
    let source = folder.path().join("src");
    let summary = fs::read_to_string(source.join("SUMMARY.md")).unwrap();
    let pages = links(&summary);
    assert!(pages.len() > 40, "{summary}");
    let mut inside = 0;
    for page in pages.into_iter().chain(["SUMMARY.md"]) {
        let text = fs::read_to_string(source.join(page)).unwrap_or_else(|error| panic!("{page}: {error}"));
        let prose = prose(&text);
        for link in links(&prose).into_iter().filter(|link| !link.contains("://")) {
            let file = link.split('#').next().unwrap_or_default();
            let target = source.join(page).parent().unwrap().join(file);
            assert!(target.exists(), "{page}: {link} leads out of the book");
            inside += 1;
        }
    }
    assert!(inside > 300, "{inside} links");
}

#[test]
fn a_book_with_a_page_that_is_not_there_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path();
    fs::create_dir(root.join("docs")).unwrap();
    for file in ["book.py", "book.toml", "book.css"] {
        fs::copy(project().join("docs").join(file), root.join("docs").join(file)).unwrap();
    }
    let page = |text: &str| fs::write(root.join("docs/a.md"), text).unwrap();
    for (summary, text, said) in [
        ("[a](a.md)\n[b](../b.md)\n", "", "docs/SUMMARY.md names `b.md`, which is not there"),
        (
            "[a](a.md)\n",
            "[c](../../c.md)\n",
            "docs/a.md: the link `../../c.md` leads to no file of the project",
        ),
    ] {
        fs::write(root.join(SUMMARY), summary).unwrap();
        page(text);
        let output = gather(root, &root.join("book"));
        assert_eq!(output.status.code(), Some(2), "{}", stderr(&output));
        assert_eq!(stderr(&output).trim(), format!("docs/book.py: {said}"));
        assert!(!root.join("book").exists(), "nothing is written");
    }
}

/// What stands behind `name="` in a page of the site.
fn attributes<'a>(html: &'a str, name: &str) -> Vec<&'a str> {
    html.split(&format!(" {name}=\"")).skip(1).filter_map(|rest| rest.split('"').next()).collect()
}

#[test]
#[ignore = "compiles mdBook where it is not there, which takes minutes: `make test-long`"]
fn no_link_of_the_site_leads_nowhere() {
    let output = Command::new("make").arg("book").current_dir(project()).output().unwrap();
    assert!(output.status.success(), "{}", stderr(&output));
    let site = project().join("build/book/site");
    let mut wrong = Vec::new();
    let mut seen = 0;
    let summary = fs::read_to_string(project().join(SUMMARY)).unwrap();
    for page in links(&summary) {
        let page = site.join(plain(&Path::new("docs").join(page))).with_extension("html");
        let html = fs::read_to_string(&page).unwrap_or_else(|error| panic!("{}: {error}", page.display()));
        for link in [attributes(&html, "href"), attributes(&html, "src")].concat() {
            if link.contains("://") {
                continue;
            }
            let (file, anchor) = link.split_once('#').unwrap_or((link, ""));
            let target = if file.is_empty() { page.clone() } else { page.parent().unwrap().join(file) };
            let has_anchor = || {
                let html = fs::read_to_string(&target).unwrap_or_default();
                attributes(&html, "id").contains(&anchor)
            };
            if !target.is_file() || !(anchor.is_empty() || has_anchor()) {
                wrong.push(format!("{}: {link}", page.display()));
            }
            seen += 1;
        }
    }
    assert!(wrong.is_empty() && seen > 1000, "of {seen}: {}", wrong.join("\n"));
}

#[test]
#[ignore = "synthesises, places and routes a core: `make test-long`"]
fn the_commands_for_open_tools_of_the_readme_run() {
    let readme = fs::read_to_string(project().join("README.md")).unwrap();
    let lines = readme.replace("\\\n", " ");
    let lines: Vec<&str> = lines
        .lines()
        .map(str::trim)
        .filter(|line| line.starts_with("yosys ") || line.starts_with("nextpnr-"))
        .collect();
    assert_eq!(lines.len(), 2, "{lines:?}");
    let folder = tempfile::tempdir().unwrap();
    for file in ["generated/reps.v", "generated/reps_board.v", "constraints/ecpix5.lpf"] {
        let place = folder.path().join(file);
        fs::create_dir_all(place.parent().unwrap()).unwrap();
        fs::copy(project().join(file), place).unwrap();
    }
    for tool in ["yosys", "nextpnr-ecp5"] {
        let installed = project().join(format!(".venv/bin/yowasp-{tool}"));
        program(folder.path(), tool, &format!("exec {} \"$@\"", installed.display()));
    }
    let mut shell = Command::new("sh");
    shell.args(["-ec", &lines.join("\n")]).env("PATH", path_from(folder.path()));
    let output = shell.current_dir(folder.path()).output().unwrap();
    assert!(output.status.success(), "{}", stderr(&output));
    assert!(folder.path().join("reps.config").is_file());
}
