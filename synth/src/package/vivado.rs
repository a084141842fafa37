//! Scripts that make Vivado projects.

use super::Constraints;
use crate::constraints::xdc_name;
use crate::device::{CARDS, Card};

const SCRIPT: &str = include_str!("vivado.tcl");

/// The script that makes a project of the module `top` for each card. `title` says what it makes, `sources` are the files
/// beside the script that it needs.
pub fn script(
    title: &str,
    top: &str,
    sources: &[String],
    constraints: Constraints,
    clock_mhz: f64,
) -> String {
    let xdc = |card: &Card| format!("{}/{}", constraints.path_from_verilog(), xdc_name(card, clock_mhz));
    script_with(title, top, sources, clock_mhz, xdc)
}

/// The same with the constraint file of each card at the path `xdc`, from the script.
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
