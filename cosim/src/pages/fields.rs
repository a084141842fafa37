//! Which header field each field of a record comes from: the table that the RTL reads, as a table of a page.

use std::ops::Range;

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

/// The table, with a column for each profile.
pub(super) fn table() -> String {
    let mut ports: Vec<&str> = Vec::new();
    for port in Wire::ALL.into_iter().flat_map(sources).map(port_of) {
        if !ports.contains(&port) {
            ports.push(port);
        }
    }
    let cells = |first: String, cell: &dyn Fn(Wire) -> String| {
        format!("| {first} | {} |\n", Wire::ALL.map(cell).join(" | "))
    };
    let head = cells("metadata".into(), &|wire| format!("`{}`", wire.name()));
    let line = cells("---".into(), &|_| "---".into());
    let row = |port: &&str| cells(format!("`{port}`"), &|wire| places(wire, port));
    head + &line + &ports.iter().map(row).collect::<String>()
}
