//! What makes a generated core easy to take elsewhere: a FuseSoC core file, a file list, a Vivado script.

use std::ops::Not;
use std::path::{Path, PathBuf};

use respray_hdl::manifest::Generated;

use crate::constraints::{self, xdc_name};
use crate::device::CARDS;

/// Files that stand beside `<core>.v`: `<core>.core` (FuseSoC), `<core>.f` (file list), `<core>.tcl` (Vivado).
pub fn files(generated: &Generated) -> Vec<(PathBuf, String)> {
    let core = &generated.manifest.module;
    vec![
        (PathBuf::from(format!("{core}.core")), fusesoc(generated)),
        (PathBuf::from(format!("{core}.f")), file_list(core)),
        (PathBuf::from(format!("{core}.tcl")), vivado(generated)),
    ]
}

/// Constraint files for cores that are written to `output`: in `constraints/` there, but for those that stand in the
/// `constraints/` beside `output` already, as they do in the project itself.
pub fn constraint_files(output: &Path, clock_mhz: f64) -> Vec<(PathBuf, String)> {
    let beside = output.join("../constraints");
    let mut files = constraints::files(clock_mhz);
    files.retain(|(name, text)| {
        std::fs::read_to_string(beside.join(name)).is_ok_and(|there| there == *text).not()
    });
    files.into_iter().map(|(name, text)| (PathBuf::from("constraints").join(name), text)).collect()
}

/// FuseSoC's name of a core: vendor, library, name, version.
pub fn vlnv(generated: &Generated) -> String {
    format!("respray:cores:{}:{}", generated.manifest.module, env!("CARGO_PKG_VERSION"))
}

fn fusesoc(generated: &Generated) -> String {
    let core = &generated.manifest.module;
    // A JSON string is a YAML string, whatever is in it.
    let description = serde_json::json!(format!("{core}, generated from {}", generated.manifest.source));
    format!(
        "CAPI=2:
# Made by respray. Lint: fusesoc --cores-root=. run --target=lint {vlnv}
name: {vlnv}
description: {description}

filesets:
  rtl:
    files:
      - {core}.v
    file_type: verilogSource-2005

targets:
  default: &default
    filesets: [rtl]
    toplevel: {core}
  lint:
    <<: *default
    default_tool: verilator
    tools:
      verilator:
        mode: lint-only
        verilator_options: [-Wall]
",
        vlnv = vlnv(generated)
    )
}

fn file_list(core: &str) -> String {
    format!("// Made by respray. Paths are relative to this file: verilator -F {core}.f\n{core}.v\n")
}

fn vivado(generated: &Generated) -> String {
    let core = &generated.manifest.module;
    let mhz = generated.manifest.config.clock_mhz;
    let parts: Vec<String> =
        CARDS.iter().map(|card| format!("    {} {} {}", card.name, card.part, xdc_name(card, mhz))).collect();
    format!(
        "# Makes an out-of-context Vivado project of {core} for each Alveo card, at {mhz} MHz, in ./vivado. Made by respray.
#
#   vivado -mode batch -source {core}.tcl                    a project for every card
#   vivado -mode batch -source {core}.tcl -tclargs u50 u280  for these cards
#   vivado -mode batch -source {core}.tcl -tclargs u50 run   and place and route it, with reports
set here [file dirname [file normalize [info script]]]
set cards {{
{}
}}
set run 0
set wanted {{}}
foreach argument $argv {{
    if {{$argument eq \"run\"}} {{ set run 1 }} else {{ lappend wanted $argument }}
}}
foreach card $wanted {{
    if {{[lsearch -exact $cards $card] % 3 != 0}} {{ error \"no card $card; the cards are u50, u200, u250, u280, u55c\" }}
}}
foreach {{card part xdc}} $cards {{
    if {{[llength $wanted] && $card ni $wanted}} {{ continue }}
    create_project -force -part $part {core}_$card [file join [pwd] vivado {core}_$card]
    add_files -norecurse [file join $here {core}.v]
    set constraints [file join $here constraints $xdc]
    if {{![file exists $constraints]}} {{ set constraints [file join [file dirname $here] constraints $xdc] }}
    add_files -fileset constrs_1 -norecurse $constraints
    set_property used_in {{synthesis implementation out_of_context}} [get_files $xdc]
    set_property top {core} [current_fileset]
    set_property -name {{STEPS.SYNTH_DESIGN.ARGS.MORE OPTIONS}} -value {{-mode out_of_context}} -objects [get_runs synth_1]
    if {{$run}} {{
        launch_runs impl_1 -to_step route_design
        wait_on_run impl_1
        open_run impl_1
        report_utilization -file [file join [pwd] vivado {core}_$card utilization.rpt]
        report_timing_summary -file [file join [pwd] vivado {core}_$card timing.rpt]
    }}
    close_project
}}
",
        parts.join("\n")
    )
}
