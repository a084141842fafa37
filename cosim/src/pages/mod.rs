//! The tables of the documents, made of the cores' contracts and manifests, so that they cannot lie.
//!
//! A document marks the place of a table, or of another text that is made, by `<!-- begin NAME -->` and `<!-- end NAME -->`.
//! Behind the name may stand keys of the configuration that the table is of, such as `<!-- begin latency sack.engine=fast -->`.
//! Behind the `waveform` of a core that takes ops stand the ops that it shows. In a document's example of a configuration file
//! the marks are comments of that file: `# begin NAME`.

pub mod designs;
mod fields;
mod frame_waveform;
mod instantiation;
mod nic;
pub mod wavedrom;
mod waveform;

use std::collections::BTreeMap;

use respray_hdl::catalogue::{self, Entry};
use respray_hdl::config::{Config, ConfigError, KEYS};
use respray_hdl::contract::Contract;
use respray_hdl::cores::{Core, GenerateError, REGISTRY, find};
use respray_hdl::cycles::Cycles;
use respray_hdl::manifest::Manifest;
use respray_hdl::nic::top;
use thiserror::Error;

use self::designs::design;
use self::waveform::Waveform;
use crate::cores::visit_in;
use crate::stream::StreamError;
use crate::traffic::optrace::{OpTraceError, columns};

/// Why a document could not be filled. Its text is the whole sentence for the user.
#[derive(Debug, Error)]
pub enum PageError {
    #[error("{page}: `{place}` is no table; allowed: {}", allowed.join(", "))]
    Unknown { page: String, place: String, allowed: Vec<&'static str> },
    #[error("{page}: the table `{place}` has no end: a line with `end {place}`")]
    Open { page: String, place: String },
    #[error(
        "{page}: the table `{place}` is missing; its place is between `<!-- begin {place} -->` and `<!-- end {place} -->`"
    )]
    Missing { page: String, place: &'static str },
    #[error(transparent)]
    Ops(#[from] OpTraceError),
    #[error(transparent)]
    Stream(#[from] StreamError),
    #[error(transparent)]
    Config(#[from] ConfigError),
    #[error(transparent)]
    Generate(#[from] GenerateError),
}

/// What a document is of.
#[derive(Clone, Copy)]
pub enum Subject {
    /// All of the project.
    Project,
    /// A core.
    Core(&'static Core),
    /// The block that joins the cores.
    Nic,
}

impl Subject {
    /// What stands in the catalogue under this name.
    fn of(name: &str) -> Subject {
        find(name).map_or(Subject::Nic, Subject::Core)
    }

    /// The tables that a document of this may have.
    fn tables(self) -> &'static [&'static str] {
        match self {
            Subject::Project => &GENERAL_TABLES,
            Subject::Core(_) => &CORE_TABLES,
            Subject::Nic => &NIC_TABLES,
        }
    }

    /// Of these, those that it must have.
    fn needed(self) -> Vec<&'static str> {
        match self {
            Subject::Project => vec![],
            Subject::Core(Core { contract: None, .. }) => NEEDED.to_vec(),
            Subject::Core(_) => [&NEEDED[..], &NEEDED_OF_OPS].concat(),
            Subject::Nic => NIC_TABLES.to_vec(),
        }
    }
}

/// Columns that a line of a document has at most, but for tables.
const COLUMNS: usize = 120;

/// Documents with tables: their names, relative to the project, and what one is of.
pub fn pages() -> Vec<(String, Subject)> {
    let general = ["README.md", "docs/ci.md", "docs/commands.md", "docs/configuration.md", "docs/timing.md"]
        .map(|page| (page.to_string(), Subject::Project));
    let of_entry = |entry: Entry| (format!("docs/{}.md", entry.name), Subject::of(entry.name));
    general.into_iter().chain(catalogue::entries().map(of_entry)).collect()
}

/// Tables of the documents of all of the project that are made elsewhere, by their names.
pub type Made = BTreeMap<&'static str, String>;

/// The document with every table as it is now.
///
/// # Errors
/// On a place of a table that is unknown or has no end, and on a page that lacks one of its tables.
pub fn filled(page: &str, subject: Subject, text: &str, made: &Made) -> Result<String, PageError> {
    let mut out = String::new();
    let mut lines = text.lines();
    let mut places: Vec<String> = Vec::new();
    while let Some(line) = lines.next() {
        out += line;
        out.push('\n');
        let Some(place) = mark(line, "begin") else { continue };
        let (name, given) = place.split_once(' ').unwrap_or((place, ""));
        let is_of_ops =
            name == "waveform" && matches!(subject, Subject::Core(Core { contract: Some(_), .. }));
        let sets: Vec<String> = given.split_whitespace().filter(|_| !is_of_ops).map(str::to_string).collect();
        let config = Config::load(None, &sets)?;
        let is_comment = line.trim_start().starts_with('#');
        let table = match subject {
            Subject::Core(core) if name == "waveform" => Some(waveform(page, core, given, &config)?),
            Subject::Core(core) => core_table(core, name, &config)?,
            Subject::Nic => nic_table(name, &config)?,
            Subject::Project => general_table(name, made),
        };
        let Some(table) = table else {
            let allowed = subject.tables().to_vec();
            return Err(PageError::Unknown { page: page.into(), place: place.into(), allowed });
        };
        let indent = &line[..line.len() - line.trim_start().len()];
        if is_comment {
            out += &format!("{}\n", wrapped(&table, indent, &format!("{indent}  ")));
        } else {
            out += &format!("\n{table}\n");
        }
        let Some(end) = lines.by_ref().find(|line| mark(line, "end") == Some(place)) else {
            return Err(PageError::Open { page: page.into(), place: place.into() });
        };
        out += end;
        out.push('\n');
        places.push(name.to_string());
    }
    let is_missing = |place: &&str| !places.iter().any(|known| known == place);
    if let Some(place) = subject.needed().into_iter().find(is_missing) {
        return Err(PageError::Missing { page: page.into(), place });
    }
    Ok(out)
}

/// The waveform of ops, or of a packet.
fn waveform(page: &str, core: &Core, given: &str, config: &Config) -> Result<String, PageError> {
    match visit_in(core.name, config, Waveform { page, ops: given, config }) {
        Some(drawn) => drawn,
        None => frame_waveform::text(core, config),
    }
}

/// What stands in a mark of this kind.
fn mark<'a>(line: &'a str, kind: &str) -> Option<&'a str> {
    let line = line.trim();
    let html = line.strip_prefix("<!-- ").and_then(|rest| rest.strip_suffix(" -->"));
    let inner = html.or_else(|| line.strip_prefix("# "))?;
    inner.strip_prefix(kind)?.strip_prefix(' ')
}

/// Tables of a core's page.
const CORE_TABLES: [&str; 8] =
    ["configuration", "instantiation", "waveform", "latency", "ports", "memories", "trace", "fields"];
/// Of these, those that every page has, and those that every page of a core that takes ops has.
const NEEDED: [&str; 6] = ["configuration", "instantiation", "waveform", "latency", "ports", "memories"];
const NEEDED_OF_OPS: [&str; 1] = ["trace"];

/// Tables of the page of `nic`, which has each of them.
const NIC_TABLES: [&str; 10] = [
    "configuration",
    "instantiation",
    "ports",
    "registers",
    "commands",
    "record",
    "events",
    "costs",
    "stalls",
    "memories",
];

/// Tables of the other documents.
const GENERAL_TABLES: [&str; 6] = ["keys", "cores", "op_cores", "commands", "estimates", "trust"];

fn core_table(core: &Core, name: &str, config: &Config) -> Result<Option<String>, PageError> {
    Ok(Some(match (name, core.contract_in(config)) {
        ("configuration", _) => keys_table(|key| core.keys.contains(&key)),
        ("latency", _) => latency_table(&design(core.name, config)?.manifest),
        ("trace", Some(contract)) => trace_table(contract, config),
        ("fields", None) => fields::table(),
        _ => match manifest_table(name) {
            Some(table) => table(&design(core.name, config)?.manifest),
            None => return Ok(None),
        },
    }))
}

fn nic_table(name: &str, config: &Config) -> Result<Option<String>, PageError> {
    if name == "configuration" {
        let entry = catalogue::entries().find(|entry| entry.name == top::NAME);
        let keys = entry.map(|entry| entry.keys).unwrap_or_default();
        return Ok(Some(keys_table(|key| keys.contains(&key))));
    }
    let Some(table) = manifest_table(name) else { return nic::page_table(name, config) };
    Ok(Some(table(&design(top::NAME, config)?.manifest)))
}

/// How the table is made that follows from the manifest alone.
fn manifest_table(name: &str) -> Option<fn(&Manifest) -> String> {
    match name {
        "instantiation" => Some(instantiation::text),
        "ports" => Some(ports_table),
        "memories" => Some(memories_table),
        "stalls" => Some(stalls_list),
        _ => None,
    }
}

fn general_table(name: &str, made: &Made) -> Option<String> {
    match name {
        "keys" => Some(keys_table(|_| true)),
        "op_cores" => {
            let ops = REGISTRY.iter().filter(|core| core.contract.is_some()).map(|core| core.name);
            Some(format!("core: [{}]", ops.collect::<Vec<_>>().join(", ")))
        }
        _ => made.get(name).cloned(),
    }
}

/// The text in lines that fit a document, the first one behind `first` and all others behind `next`.
pub fn wrapped(text: &str, first: &str, next: &str) -> String {
    let mut lines = vec![first.to_string()];
    let mut is_begun = false;
    for word in text.split_whitespace() {
        let line = lines.last_mut().expect("there is a first line");
        if is_begun && line.chars().count() + 1 + word.chars().count() > COLUMNS {
            lines.push(format!("{next}{word}"));
        } else {
            if is_begun {
                line.push(' ');
            }
            line.push_str(word);
        }
        is_begun = true;
    }
    lines.join("\n")
}

/// A table of Markdown.
pub fn table(heads: &[&str], rows: impl IntoIterator<Item = Vec<String>>) -> String {
    let line = |cells: &[String]| format!("| {} |\n", cells.join(" | "));
    let heads: Vec<String> = heads.iter().map(|head| head.to_string()).collect();
    let rule = vec!["---".to_string(); heads.len()];
    rows.into_iter().fold(line(&heads) + &line(&rule), |text, row| text + &line(&row))
}

/// A span of code of Markdown.
pub fn code(text: &str) -> String {
    format!("`{text}`")
}

fn keys_table(is_wanted: impl Fn(&str) -> bool) -> String {
    let defaults = Config::default();
    let default = |key: &str| defaults.value(key).expect("a key has a default");
    let keys = KEYS.iter().filter(|key| is_wanted(key.name));
    table(
        &["key", "default", "allowed", "meaning"],
        keys.map(|k| vec![code(k.name), default(k.name), k.allowed.to_string(), k.meaning.into()]),
    )
}

fn latency_table(manifest: &Manifest) -> String {
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
    // edges that are no op's: of a stream, what happens how long after which edge
    let edges = manifest
        .latency_cycles
        .iter()
        .filter(|(class, _)| !manifest.initiation_interval_cycles.contains_key(*class))
        .map(|(edge, cycles)| vec![edge.clone(), cycles.to_string(), "-".into()]);
    let sentence = |stall: &String| format!("\n{}\n", wrapped(&format!("Stall: {stall}."), "", ""));
    let stalls: String = manifest.stall_sentences().iter().map(sentence).collect();
    table(&heads, cycles.chain(edges)) + &stalls
}

fn stalls_list(manifest: &Manifest) -> String {
    manifest.stall_sentences().iter().map(|stall| wrapped(&format!("{stall}."), "- ", "  ") + "\n").collect()
}

fn ports_table(manifest: &Manifest) -> String {
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
    )
}

fn memories_table(manifest: &Manifest) -> String {
    if manifest.memories.is_empty() {
        return "The core has no memory.\n".to_string();
    }
    table(
        &["memory", "words", "bits", "kind", "a word"],
        manifest.memories.iter().map(|m| {
            let kind = format!("{:?}", m.kind).to_lowercase();
            vec![code(&m.name), m.words.to_string(), m.bits.to_string(), kind, m.meaning.clone()]
        }),
    )
}

/// The columns of the core's op traces, with the defaults of its settings.
fn trace_table(contract: &'static Contract, config: &Config) -> String {
    let rows = columns(contract).into_iter().map(|column| {
        let setting = contract.driver_settings().find(|(_, field, _)| field.name == column.name);
        let default = setting.map_or(String::new(), |(_, _, setting)| setting.default.of(config).to_string());
        vec![code(&column.name), column.meaning(contract, config), default]
    });
    table(&["column", "holds", "default of the run"], rows)
}
