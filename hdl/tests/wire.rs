//! The table of `docs/rewrite_rx.md` that says which header field each metadata field comes from is the one that the RTL reads.
//! `UPDATE_GENERATED=1 cargo test -p respray-hdl --release --test wire` writes it anew.

use std::ops::Range;
use std::path::Path;

use respray_hdl::config::Wire;
use respray_hdl::wire::{Source, sources};

/// Fields with the bits of them that are read, those of one field together: `dest_qp` 40-63.
fn places(wire: Wire, port: &str) -> String {
    let mut places: Vec<(Source, Range<usize>)> = Vec::new();
    for source in sources(wire).iter().filter(|source| port_of(source) == port) {
        let first = source.offset(wire);
        let bits = first..first + source.width;
        match places.iter_mut().find(|(known, _)| known.field == source.field) {
            Some((_, known)) => *known = known.start.min(bits.start)..known.end.max(bits.end),
            None => places.push((*source, bits)),
        }
    }
    let said = |(source, bits): &(Source, Range<usize>)| match bits.len() {
        1 => format!("`{}.{}` {}", source.header, source.field, bits.start),
        _ => format!("`{}.{}` {}-{}", source.header, source.field, bits.start, bits.end - 1),
    };
    if places.is_empty() { "-".to_string() } else { places.iter().map(said).collect::<Vec<_>>().join(", ") }
}

fn port_of(source: &Source) -> &'static str {
    source.part.split('/').next().expect("a port")
}

fn table() -> String {
    let mut ports: Vec<&str> = Vec::new();
    for port in [Wire::Strack, Wire::Uet].iter().flat_map(|wire| sources(*wire)).map(port_of) {
        if !ports.contains(&port) {
            ports.push(port);
        }
    }
    let row = |port: &&str| {
        format!("| `{port}` | {} | {} |\n", places(Wire::Strack, port), places(Wire::Uet, port))
    };
    let head = "| metadata | `strack` | `uet` |\n| --- | --- | --- |\n";
    head.to_string() + &ports.iter().map(row).collect::<String>()
}

#[test]
fn the_document_names_the_fields_that_are_read() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/rewrite_rx.md");
    let mut text = std::fs::read_to_string(&path).expect("the page of the core");
    let committed = text.clone();
    let (begin, end) = ("<!-- begin fields -->\n", "<!-- end fields -->");
    let from = text.find(begin).expect("the place of the table") + begin.len();
    let to = text.find(end).expect("the end of the table");
    text.replace_range(from..to, &format!("\n{}\n", table()));
    if std::env::var_os("UPDATE_GENERATED").is_some() {
        std::fs::write(&path, &text).expect("the page can be written");
        return;
    }
    assert!(
        committed == text,
        "docs/rewrite_rx.md does not name the fields that the RTL reads:\n{}",
        table()
    );
}
