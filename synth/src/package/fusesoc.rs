//! Core files for FuseSoC.

use respray_hdl::manifest::Generated;

use super::Constraints;
use crate::constraints::xdc_name;
use crate::device::{CARDS, Card};

/// FuseSoC's name of a core: vendor, library, name, version.
pub fn vlnv(generated: &Generated) -> String {
    format!("respray:cores:{}:{}", generated.manifest.module, env!("CARGO_PKG_VERSION"))
}

/// The core file: what a design takes that depends on the core, and targets for lint, a model and each Alveo card.
pub fn core_file(generated: &Generated, constraints: Constraints) -> String {
    let core = &generated.manifest.module;
    let mhz = generated.manifest.config.clock_mhz;
    // A JSON string is a YAML string, whatever is in it.
    let description = serde_json::json!(format!("{core}, generated from {}", generated.manifest.source));
    let vlnv = vlnv(generated);
    let files = |card: &Card| {
        let xdc = format!("{}/{}", constraints.path_from_verilog(), xdc_name(card, mhz));
        format!("  {}:\n    files:\n      - {xdc}\n    file_type: xdc\n", card.name)
    };
    let target = |card: &Card| {
        let Card { name, part, .. } = card;
        format!(
            "  synth_{name}: &synth_{name}
    filesets: [rtl, {name}]
    toplevel: {core}
    default_tool: vivado
    tools:
      vivado:
        part: {part}
        pnr: none
"
        )
    };
    format!(
        "CAPI=2:
# Made by respray. Verilator's warnings, which is what a run without a target is, too:
#   fusesoc --cores-root=. run --target=lint {vlnv}
# A Verilator model, for a test bench of your own. There is nothing to run yet, so the steps are named:
#   fusesoc --cores-root=. run --setup --build --target=sim {vlnv}
# Synthesis by Vivado, which has never run on it, for a card as in --target=synth_u55c, or for the first one:
#   fusesoc --cores-root=. run --target=synth {vlnv}
name: {vlnv}
description: {description}

filesets:
  rtl:
    files:
      - {core}.v
    file_type: verilogSource-2005
{files}
targets:
  default: &default
    filesets: [rtl]
    toplevel: {core}
    default_tool: verilator
    tools:
      verilator:
        mode: lint-only
        verilator_options: [-Wall]
  lint: *default
  sim:
    <<: *default
    tools:
      verilator:
        mode: cc
        exe: 'false'
{targets}  synth: *synth_{first}
",
        files = CARDS.iter().map(files).collect::<String>(),
        targets = CARDS.iter().map(target).collect::<String>(),
        first = CARDS[0].name,
    )
}
