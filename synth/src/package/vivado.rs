//! Scripts that make Vivado projects.

use crate::constraints::xdc_name;
use crate::device::{CARDS, Card};

const SCRIPT: &str = include_str!("vivado.tcl");

/// The script that makes a project of the module `top` for each card. `title` says what it makes, `sources` are the files
/// beside the script that it needs.
pub fn script(title: &str, top: &str, sources: &[String], clock_mhz: f64) -> String {
    script_with(title, top, sources, clock_mhz, |card| xdc_name(card, clock_mhz))
}

/// The same with constraint files that `xdc` names, for each card.
pub fn script_with(
    title: &str,
    top: &str,
    sources: &[String],
    clock_mhz: f64,
    xdc: impl Fn(&Card) -> String,
) -> String {
    let card = |card: &Card| format!("    {} {{{} {}}}", card.name, card.part, xdc(card));
    SCRIPT
        .replace("@title@", title)
        .replace("@mhz@", &clock_mhz.to_string())
        .replace("@top@", top)
        .replace("@sources@", &sources.join(" "))
        .replace("@cards@", &CARDS.iter().map(card).collect::<Vec<_>>().join("\n"))
}
