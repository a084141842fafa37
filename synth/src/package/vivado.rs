//! Scripts that make Vivado projects.

use crate::constraints::xdc_name;
use crate::device::CARDS;

const SCRIPT: &str = include_str!("vivado.tcl");

/// The script that makes a project of the module `top` for each card. `title` says what it makes, `sources` are the files
/// beside the script that it needs.
pub fn script(title: &str, top: &str, sources: &[String], clock_mhz: f64) -> String {
    let card = |card: &crate::device::Card| {
        format!("    {} {{{} {}}}", card.name, card.part, xdc_name(card, clock_mhz))
    };
    SCRIPT
        .replace("@title@", title)
        .replace("@mhz@", &clock_mhz.to_string())
        .replace("@top@", top)
        .replace("@sources@", &sources.join(" "))
        .replace("@cards@", &CARDS.iter().map(card).collect::<Vec<_>>().join("\n"))
}
