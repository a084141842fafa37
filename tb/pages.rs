//! Every page in a real browser, at the widths of a desk and of a phone: no text is cut off, hidden, or on other text.

use std::fs;
use std::path::Path;

use respray_synth::browser::{Browser, Look, Shot, WIDTHS};

use crate::runs::{names, project, refused, respray, stderr, stdout};

/// The browser, or nothing with a sentence that says how to get one.
fn browser() -> Option<Browser> {
    let browser = Browser::find();
    if browser.is_none() {
        eprintln!("skipped: no Chromium is here to look at pages; apt-get install chromium");
    }
    browser
}

/// A run of two joined blocks, as `respray cosim --core nic --pair` writes it.
fn pair() -> String {
    let path = |path: u64| {
        let packets: Vec<u64> = (0..40).map(|window| (path + 1) * (window % 7 + 1)).collect();
        serde_json::json!({"from": "A", "path": path, "share": 0.125, "window_us": 50.0, "packets_by_window": packets})
    };
    serde_json::json!({
        "core": "nic", "cycles": 164_648, "data_packets": 512, "mismatches": 0, "cycles_per_second": 2e5, "result": "pass",
        "timeouts": 3, "probes": 0, "scenario": "slow", "paths": (0..8).map(path).collect::<Vec<_>>()
    })
    .to_string()
}

/// Writes every kind of page that needs no root into a folder.
fn write_pages(at: &Path) {
    fs::create_dir(at.join("runs")).unwrap();
    fs::write(at.join("runs/nic_slow_path.json"), pair()).unwrap();
    let recordings = project().join("tb/recordings");
    let recordings = recordings.to_str().unwrap();
    let commands: [&[&str]; 5] = [
        &[
            "fabric",
            "figure",
            "3",
            "--only",
            "3",
            "--seeds",
            "2",
            "--engine",
            "golden",
            "--html",
            "figure3.html",
        ],
        &[
            "fabric",
            "figure",
            "6",
            "--only",
            "6",
            "--seeds",
            "1",
            "--engine",
            "golden",
            "--html",
            "figure6.html",
        ],
        &[
            "fabric",
            "run",
            "--selector",
            "reps,ops,reps:paper",
            "--seeds",
            "2",
            "--bytes",
            "1000000",
            "--engine",
            "golden",
            "--fail",
            "tor0.up1=down@20us..40us:data",
            "--html",
            "run.html",
        ],
        &[
            "compare",
            "--selectors",
            "reps,ops,ecmp",
            "--random",
            "3000",
            "--seeds",
            "2",
            "--html",
            "compare.html",
        ],
        &[
            "report",
            "--core",
            "ecmp,ops",
            "--target",
            "u50,u250",
            "--accepted",
            "--sweep",
            "connections=16,256,4096",
            "--runs",
            "runs",
            "--recordings",
            recordings,
            "--html",
            "report.html",
        ],
    ];
    for command in commands {
        let output = respray(at, command);
        assert!(output.status.success(), "{command:?}: {}{}", stdout(&output), stderr(&output));
    }
    // a live run takes namespaces of the network, which not everybody may make
    let live =
        ["traffic", "live", "--duration", "900", "--down", "200", "--up", "500", "--html", "live.html"];
    let output = respray(at, &live);
    if !output.status.success() {
        eprintln!("skipped: the page of a live run, because: {}", stderr(&output));
    }
    let report = fs::read_to_string(at.join("report.html")).unwrap();
    assert!(
        report.contains("between them: one of eight paths at half the rate"),
        "the network of a pair is told"
    );
    let index = respray(at, &["index", "."]);
    assert!(index.status.success(), "{}", stderr(&index));
}

/// A page, a fault that is put into it by a rule of its style sheet, and what is to be said of it.
const FAULTS: [(&str, &str, &str); 6] = [
    ("compare.html", ".tile span { overflow: hidden; white-space: nowrap; width: 60px; }", "is cut off"),
    ("compare.html", "h1 { white-space: nowrap; width: 1500px; }", "pixels wide"),
    ("figure3.html", ".across-name { margin-top: -16px; }", "overlap"),
    (
        "figure3.html",
        ".keys { margin-top: -160px !important; margin-left: 60px !important; max-width: 300px; }",
        "lies on a drawing",
    ),
    ("report.html", ".speeds .lane .fill { width: 100% !important; z-index: 2; }", "is hidden by"),
    ("report.html", ".card p { white-space: nowrap; max-width: none; }", "is cut off"),
];

#[test]
fn no_text_of_a_page_is_cut_off_or_hidden_or_lies_on_other_text_and_each_such_fault_is_found() {
    let Some(browser) = browser() else { return };
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    write_pages(at);
    let files: Vec<String> = names(at).into_iter().filter(|name| name.ends_with(".html")).collect();
    let files_of_all: Vec<&str> =
        files.iter().map(String::as_str).filter(|name| *name != "live.html").collect();
    assert_eq!(
        files_of_all,
        ["compare.html", "figure3.html", "figure6.html", "index.html", "report.html", "run.html"]
    );
    let read = |name: &str| fs::read_to_string(at.join(name)).unwrap();
    let sound: Vec<(String, String)> = files.iter().map(|name| (name.clone(), read(name))).collect();
    let faulty = FAULTS.iter().map(|(page, rule, _)| {
        (format!("{page} {rule}"), read(page).replace("</style>", &format!("{rule}</style>")))
    });
    let all: Vec<(String, String)> = sound.into_iter().chain(faulty).collect();
    let pages: Vec<(&str, &str)> = all.iter().map(|(name, html)| (name.as_str(), html.as_str())).collect();
    let looks = browser.look(&pages).unwrap();
    assert_eq!(looks.len(), pages.len() * WIDTHS.len());
    let of = |page: &str| -> Vec<&Look> { looks.iter().filter(|look| look.page == page).collect() };
    let broken: Vec<&Look> =
        files.iter().flat_map(|page| of(page)).filter(|look| !look.faults.is_empty()).collect();
    assert!(broken.is_empty(), "{broken:#?}");
    for (page, rule, says) in FAULTS {
        let found = of(&format!("{page} {rule}"));
        let is_said = found.iter().flat_map(|look| &look.faults).any(|fault| fault.contains(says));
        assert!(is_said, "{rule} on {page} is not found: {found:#?}");
    }
}

#[test]
fn the_index_lists_the_pages_of_a_folder_and_refuses_one_without_any() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    let figure = ["fabric", "figure", "3", "--only", "3'", "--seeds", "1", "--engine", "golden"];
    let made = respray(at, &[&figure[..], &["--html", "figure3.html", "--json", "figure3.json"]].concat());
    assert!(made.status.success(), "{}", stderr(&made));
    fs::write(at.join("mine.html"), "<title>mine</title>").unwrap();
    let output = respray(at, &["index", ".", "--json", "index.json"]);
    assert!(output.status.success(), "{}", stderr(&output));
    assert!(
        stdout(&output).starts_with("figure3.html: 4 of 4: claims")
            && stdout(&output).ends_with("index.html\n"),
        "{}",
        stdout(&output)
    );
    let page = fs::read_to_string(at.join("index.html")).unwrap();
    assert!(page.contains("<a href=\"./figure3.html\">figure 3, a link at half its rate</a>"), "{page}");
    assert!(
        page.contains("<li class=\"good\">4 of 4: claims")
            && page.contains("./figure3.json")
            && !page.contains("mine"),
        "{page}"
    );
    let json: serde_json::Value =
        serde_json::from_str(&fs::read_to_string(at.join("index.json")).unwrap()).unwrap();
    assert_eq!(json["pages"][0]["beside"][0]["file"], "figure3.json");
    assert_eq!(json["pages"].as_array().unwrap().len(), 1, "the index is not among them");
    fs::create_dir(at.join("none")).unwrap();
    for (folder, says) in [
        ("none", "none: has no page of respray; allowed: a folder with"),
        ("nowhere", "nowhere: cannot be read"),
    ] {
        refused(at, &["index", folder], &[says]);
    }
    assert!(names(&at.join("none")).is_empty(), "nothing is written");
}

/// A picture of a document: its file in `docs/pictures`, the page, where it begins, and its height at 1200 pixels of
/// width.
const PICTURES: [(&str, &str, Option<&str>, u32); 4] = [
    ("report.png", "report.html", None, 912),
    ("compare.png", "compare.html", None, 960),
    ("figure3.png", "figure3.html", Some("part-2"), 860),
    ("nic_pair.png", "report.html", Some("run-nic-failing-path"), 310),
];

const PICTURE_WIDTH: u32 = 1200;

/// Bytes of a picture at most: readers of documents load all of them.
const PICTURE_BYTES: usize = 150_000;

/// Width and height of a PNG, which stand at its head.
fn size(png: &[u8]) -> (u32, u32) {
    assert_eq!(png[..8], *b"\x89PNG\r\n\x1a\n", "a PNG");
    let number = |at: usize| u32::from_be_bytes(png[at..at + 4].try_into().expect("four bytes"));
    (number(16), number(20))
}

#[test]
fn the_pictures_of_the_documents_are_there_and_small() {
    for (name, _, _, height) in PICTURES {
        let png = fs::read(project().join("docs/pictures").join(name)).unwrap();
        assert_eq!(size(&png), (PICTURE_WIDTH, height), "{name}; `make pictures` makes it anew");
        assert!(png.len() <= PICTURE_BYTES, "{name} has {} bytes", png.len());
    }
}

#[test]
#[ignore = "a minute of runs and models: `make pictures` and the long tests"]
fn the_pictures_of_the_documents_are_made() {
    let Some(browser) = browser() else { return };
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    let run = |words: &[&str]| {
        let output = respray(at, words);
        assert!(output.status.success(), "{words:?}: {}", stderr(&output));
        stdout(&output)
    };
    let recordings = project().join("tb/recordings");
    let mut cores = Vec::new();
    for line in run(&["cores", "--nic"]).lines() {
        let [core, _, end] = line.split_whitespace().take(3).collect::<Vec<_>>()[..] else {
            panic!("core, what it takes and its end: {line}")
        };
        for recording in ["steady", "slow-path", "path-failure"] {
            let capture = recordings.join(format!("{recording}-{end}.pcap.gz"));
            let json = format!("runs/{core}_{recording}.json");
            run(&["cosim", "--core", core, "--traffic", capture.to_str().unwrap(), "--json", &json]);
        }
        cores.push(core.to_string());
    }
    let pair = ["cosim", "--core", "nic", "--pair", "failing", "--bytes", "16000000"];
    run(&[&pair[..], &["--json", "runs/nic_failing_path.json"]].concat());
    run(&["compare", "--random", "50000", "--html", "compare.html"]);
    run(&["fabric", "figure", "3", "--seeds", "3", "--html", "figure3.html"]);
    let report = ["report", "--core", &cores.join(","), "--target", "u250", "--accepted", "--runs", "runs"];
    run(&[&report[..], &["--recordings", recordings.to_str().unwrap(), "--html", "report.html"]].concat());
    for (name, page, from, height) in PICTURES {
        let html = fs::read_to_string(at.join(page)).unwrap();
        let shot = Shot { size: (PICTURE_WIDTH, height), is_dark: false, from };
        let png = browser.picture(&html, shot).unwrap();
        assert_eq!(size(&png), (PICTURE_WIDTH, height), "{name}");
        assert!(png.len() <= PICTURE_BYTES, "{name} has {} bytes", png.len());
        if std::env::var_os("UPDATE_PICTURES").is_some() {
            fs::write(project().join("docs/pictures").join(name), png).unwrap();
        }
    }
}
