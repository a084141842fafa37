//! `generated/` holds what the generator makes of the default configuration, so that a review shows the Verilog that a
//! change makes. `UPDATE_GENERATED=1 cargo test -p respray-hdl --release --test generated` writes it anew.

use std::path::{Path, PathBuf};

use respray_hdl::config::{Config, KEYS, Ops, Order};
use respray_hdl::cores::{CORES, generate};
use respray_hdl::cycles::Cycles;
use respray_hdl::manifest::Manifest;

#[allow(dead_code)]
mod differential;

fn in_project(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..").join(name)
}

fn is_current(name: &str, text: &str) {
    let path = in_project(name);
    if std::env::var_os("UPDATE_GENERATED").is_some() {
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(&path, text).unwrap();
    }
    let committed = std::fs::read_to_string(&path).unwrap_or_default();
    let line = committed.lines().zip(text.lines()).take_while(|(a, b)| a == b).count() + 1;
    assert!(committed == text, "{name} is not what the generator makes, from line {line}");
}

#[test]
fn the_committed_files_are_what_the_generator_makes() {
    for core in CORES {
        let generated = generate(core, &Config::default()).unwrap();
        is_current(&format!("generated/{core}.v"), &generated.verilog);
        is_current(&format!("generated/{core}.json"), &generated.manifest.json());
    }
}

/// A table of Markdown.
fn table(heads: &[&str], rows: impl IntoIterator<Item = Vec<String>>) -> String {
    let line = |cells: &[String]| format!("| {} |\n", cells.join(" | "));
    let heads: Vec<String> = heads.iter().map(|head| head.to_string()).collect();
    let rule = vec!["---".to_string(); heads.len()];
    rows.into_iter().fold(line(&heads) + &line(&rule), |text, row| text + &line(&row))
}

/// The tables of `docs/<core>.md`, by the name of their place.
fn tables(core: &str, manifest: &Manifest) -> Vec<(String, String)> {
    let family = core.split('_').next().unwrap();
    let general: &[&str] = if family == "rewrite" { &["bus_bits", "wire"] } else { &["connections"] };
    let defaults = toml::Table::try_from(Config::default()).unwrap();
    let default = |key: &str| {
        let found = key.split('.').fold(None, |found: Option<&toml::Value>, part| match found {
            None => defaults.get(part),
            Some(value) => value.get(part),
        });
        found.unwrap().to_string()
    };
    let families = if core == "reps" { &["selector", family][..] } else { &[family] };
    let keys = KEYS.iter().filter(|key| {
        general.contains(&key.name) || key.name.split_once('.').is_some_and(|(of, _)| families.contains(&of))
    });
    let code = |text: &str| format!("`{text}`");
    let same_connection = &manifest.same_connection_interval_cycles;
    let mut heads = vec!["class of op", "latency, cycles", "initiation interval, cycles"];
    if !same_connection.is_empty() {
        heads.push("on the same connection");
    }
    let cycles = manifest.initiation_interval_cycles.iter().map(|(class, interval)| {
        let latency = manifest.latency_cycles.get(class).map_or("no result".into(), Cycles::to_string);
        let mut row = vec![class.clone(), latency, interval.to_string()];
        row.extend(same_connection.get(class).map(Cycles::to_string));
        row
    });
    // Edges that are no op's: of a stream, what happens how long after which edge.
    let edges = manifest
        .latency_cycles
        .iter()
        .filter(|(class, _)| !manifest.initiation_interval_cycles.contains_key(*class))
        .map(|(edge, cycles)| vec![edge.clone(), cycles.to_string(), "-".into()]);
    let cycles = cycles.chain(edges);
    let stalls = manifest.stalls.iter().map(|stall| format!("\nStall: {stall}.\n")).collect::<String>();
    let tables = [
        (
            "configuration",
            table(
                &["key", "default", "allowed", "meaning"],
                keys.map(|k| vec![code(k.name), default(k.name), k.allowed.to_string(), k.meaning.into()]),
            ),
        ),
        ("latency", table(&heads, cycles) + &stalls),
        (
            "ports",
            table(
                &["port", "direction", "bits", "meaning"],
                manifest.ports.chunk_by(|a, b| a.group == b.group).flat_map(|group| {
                    let heading = vec![format!("**{}**", group[0].group), "".into(), "".into(), "".into()];
                    let rows = group.iter().map(|p| {
                        let direction = format!("{:?}", p.direction).to_lowercase();
                        vec![code(&p.name), direction, p.width.to_string(), p.meaning.clone()]
                    });
                    std::iter::once(heading).chain(rows).collect::<Vec<_>>()
                }),
            ),
        ),
        (
            "memories",
            table(
                &["memory", "words", "bits", "kind", "a word"],
                manifest.memories.iter().map(|m| {
                    let kind = format!("{:?}", m.kind).to_lowercase();
                    vec![code(&m.name), m.words.to_string(), m.bits.to_string(), kind, m.meaning.clone()]
                }),
            ),
        ),
    ];
    tables.map(|(place, table)| (place.to_string(), table)).into()
}

#[test]
fn the_tables_of_the_documents_say_what_the_manifests_say() {
    for core in CORES {
        let name = format!("docs/{core}.md");
        let Ok(mut text) = std::fs::read_to_string(in_project(&name)) else {
            assert_ne!(*core, "reps", "{name} is missing");
            eprintln!("{name} is not written yet");
            continue;
        };
        let manifest = generate(core, &Config::default()).unwrap().manifest;
        let mut places = tables(core, &manifest);
        if *core == "sack_rx" {
            let fast = Config::load(None, &["sack.engine=fast".to_string()]).unwrap();
            let manifest = generate(core, &fast).unwrap().manifest;
            let of_engine = ["latency", "memories"];
            let fast =
                tables(core, &manifest).into_iter().filter(|(place, _)| of_engine.contains(&place.as_str()));
            places.extend(fast.map(|(place, table)| (place + "_fast", table)));
        }
        for (place, table) in places {
            let (begin, end) = (format!("<!-- begin {place} -->\n"), format!("<!-- end {place} -->"));
            let from = text.find(&begin).expect("the place of every table") + begin.len();
            let to = text.find(&end).expect("the end of every table");
            text.replace_range(from..to, &format!("\n{table}\n"));
        }
        is_current(&name, &text);
    }
}

#[test]
fn the_corners_of_the_menu_are_clean_for_verilator_and_icarus() {
    for sets in [
        ["connections=16", "reps.depth=4", "reps.time_bits=16", "reps.variant=paper"],
        ["connections=16384", "reps.depth=32", "reps.time_bits=32", "reps.variant=uet"],
        ["connections=64", "reps.depth=16", "reps.time_bits=16", "reps.variant=uet"],
        ["connections=4096", "reps.depth=8", "reps.ev_bits=14", "reps.ev_base=49152"],
        ["connections=1024", "reps.depth=4", "reps.ev_bits=1", "reps.variant=uet"],
    ] {
        let config = Config::load(None, &sets.map(String::from)).unwrap();
        let said = differential::warnings("reps", &generate("reps", &config).unwrap().verilog);
        assert!(said.is_empty(), "{sets:?}: {said}");
    }
}

#[test]
fn the_corners_of_the_selectors_menu_are_clean_for_verilator_and_icarus() {
    for (core, sets) in [
        ("ecmp", ["connections=16", "selector.ev_bits=16", "selector.ev_base=0"]),
        ("ecmp", ["connections=16384", "selector.ev_bits=1", "selector.ev_base=6"]),
        ("ops", ["connections=16", "selector.ev_bits=16", "selector.ev_base=0"]),
        ("ops", ["connections=16384", "selector.ev_bits=5", "selector.ev_base=32"]),
        ("ops", ["connections=64", "ops.order=permuted", "ops.paths=16"]),
        ("ops", ["selector.ev_bits=8", "ops.order=permuted", "ops.paths=256"]),
        ("ops", ["connections=4096", "ops.order=permuted", "ops.paths=65536"]),
    ] {
        let config = Config::load(None, &sets.map(String::from)).unwrap();
        let said = differential::warnings(core, &generate(core, &config).unwrap().verilog);
        assert!(said.is_empty(), "{core}, {sets:?}: {said}");
    }
}

#[test]
fn the_corners_of_the_sack_menu_are_clean_for_verilator_and_icarus() {
    let sizes = [
        ["connections=16", "sack.window=64"],
        ["connections=16", "sack.window=512"],
        ["connections=64", "sack.window=128"],
        ["connections=4096", "sack.window=256"],
        ["connections=16384", "sack.window=64"],
        ["connections=16384", "sack.window=512"],
    ];
    let engines = ["sack.engine=small", "sack.engine=fast"];
    for sets in
        engines.iter().flat_map(|engine| sizes.map(|[connections, window]| [engine, connections, window]))
    {
        let config = Config::load(None, &sets.map(String::from)).unwrap();
        for core in ["sack_rx", "sack_tx"] {
            let said = differential::warnings(core, &generate(core, &config).unwrap().verilog);
            assert!(said.is_empty(), "{core}, {sets:?}: {said}");
        }
    }
}

#[test]
fn the_same_configuration_gives_the_same_bytes() {
    let once = generate("reps", &Config::default()).unwrap();
    let again = generate("reps", &Config::default()).unwrap();
    assert_eq!(once.verilog, again.verilog);
}

#[test]
fn an_unknown_core_and_a_size_off_the_menu_are_refused() {
    let error = generate("nic", &Config::default()).unwrap_err().to_string();
    assert_eq!(error, "there is no core `nic`; the cores are reps, sack_rx, sack_tx, rewrite_tx, rewrite_rx");
    let mut config = Config::default();
    config.reps.depth = 6;
    let error = generate("reps", &config).unwrap_err().to_string();
    assert_eq!(error, "core `reps`: `reps.depth` is 6; allowed: 4, 8, 16, 32");
    let mut config = Config { connections: 17, ..Config::default() };
    let error = generate("ecmp", &config).unwrap_err().to_string();
    assert_eq!(error, "core `ecmp`: `connections` is 17; allowed: 16, 64, 256, 1024, 4096, 16384");
    config.ops = Ops { order: Order::Permuted, paths: 17 };
    let error = generate("ops", &config).unwrap_err().to_string();
    assert!(error.starts_with("core `ops`: `ops.paths` is 17; allowed: 16, 32, 64"), "{error}");
}
