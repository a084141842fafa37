//! Port lists.

use std::collections::BTreeMap;

use super::expressions::range;
use super::text::{Lines, Text};
use crate::emit::module;
use crate::manifest;

/// A port list, with headings and meanings where `described` has them. Without any, ports that follow each other and are alike
/// share a declaration.
pub fn port_list(ports: &[module::Port], described: &BTreeMap<&str, &manifest::Port>) -> Vec<String> {
    if described.is_empty() {
        return side_by_side(ports);
    }
    let range_width = ports.iter().map(|port| range(port.width).len()).max().unwrap_or(0);
    let name_width = ports.iter().map(|port| port.name.len()).max().unwrap_or(0) + 1;
    let mut lines = vec![];
    let mut group = "";
    for (at, port) in ports.iter().enumerate() {
        let comma = if at + 1 < ports.len() { "," } else { "" };
        let mut text = format!("{} {:range_width$}{}{comma}", kind(port), range(port.width), port.name);
        if let Some(described) = described.get(port.name.as_str()) {
            if described.group != group {
                if at > 0 {
                    lines.push(String::new());
                }
                lines.push(format!("    // {}", described.group));
                group = &described.group;
            }
            if !described.meaning.is_empty() {
                let width = 12 + range_width + name_width;
                text = format!("{text:width$} // {}", described.meaning);
            }
        }
        lines.push(format!("    {text}"));
    }
    lines
}

/// Direction and kind of a port, in columns.
fn kind(port: &module::Port) -> String {
    let direction = if port.is_input { "input " } else { "output" };
    format!("{direction} {}", if port.is_reg { "reg " } else { "wire" })
}

fn side_by_side(ports: &[module::Port]) -> Vec<String> {
    let range_width = ports.iter().map(|port| range(port.width).len()).max().unwrap_or(0);
    let is_alike = |a: &module::Port, b: &module::Port| {
        (a.is_input, a.is_reg, a.width) == (b.is_input, b.is_reg, b.width)
    };
    let mut lines = Lines::default();
    let mut rest = ports.len();
    for alike in ports.chunk_by(is_alike) {
        rest -= alike.len();
        let mut text = Text::of(&format!("{} {:range_width$}", kind(&alike[0]), range(alike[0].width)));
        text.list(alike, |port, text| text.push(&port.name));
        text.push(if rest > 0 { "," } else { "" });
        lines.add_text(1, &text);
    }
    lines.0
}
