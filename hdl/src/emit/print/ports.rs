//! Port lists.

use std::collections::BTreeMap;

use super::expressions::range;
use crate::emit::module;
use crate::manifest;

/// A port list, with headings and meanings where `described` has them.
pub fn port_list(ports: &[module::Port], described: &BTreeMap<&str, &manifest::Port>) -> Vec<String> {
    let range_width = ports.iter().map(|port| range(port.width).len()).max().unwrap_or(0);
    let name_width = ports.iter().map(|port| port.name.len()).max().unwrap_or(0) + 1;
    let mut lines = vec![];
    let mut group = "";
    for (at, port) in ports.iter().enumerate() {
        let kind = if port.is_reg { "reg " } else { "wire" };
        let direction = if port.is_input { "input " } else { "output" };
        let comma = if at + 1 < ports.len() { "," } else { "" };
        let mut text = format!("{direction} {kind} {:range_width$}{}{comma}", range(port.width), port.name);
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
