//! Files of the block in a shell: file list, scripts and constraints beside its Verilog.

use std::path::{Path, PathBuf};

use respray_hdl::shells::{Clock, Wrapper};

use super::{CONSTRAINTS, file_list, vivado};
use crate::constraints::period_ns;

/// Most nanoseconds that register accesses take from one clock to the other: half a period of the slower one.
const CROSSING_NS: f64 = 4.0;

/// Every file of a wrapper, in its folder.
pub fn files(wrapper: &Wrapper) -> Vec<(PathBuf, String)> {
    let Wrapper { top, folder, sources, others, clocks, .. } = wrapper;
    let names: Vec<String> = sources.iter().map(|(name, _)| name.clone()).collect();
    let alone = format!("{top}_out_of_context.xdc");
    let title = format!("Makes an out-of-context Vivado project of {top} for each Alveo card");
    let mut made = vec![
        (format!("{top}.f"), file_list(top, &names)),
        (
            format!("{top}.tcl"),
            vivado::script_with(&title, top, &names, clocks[0].1, |_| format!("{CONSTRAINTS}/{alone}")),
        ),
        (format!("{CONSTRAINTS}/{alone}"), out_of_context(wrapper)),
    ];
    if wrapper.has_crossing() {
        made.push((
            format!("{CONSTRAINTS}/{top}.xdc"),
            format!("{}{}", head(top, "in the shell"), crossing()),
        ));
    }
    if let Some(of) = wrapper.opennic_box {
        made.push((format!("build_box_{}.tcl", of.mhz()), build_box(top, &names)));
    }
    if folder == "corundum" {
        made.push(("config_nic.tcl".to_string(), config_corundum(&names)));
    }
    let all = sources.iter().chain(others).cloned().chain(made);
    all.map(|(name, text)| (Path::new(folder).join(name), text)).collect()
}

/// What a constraint file says of itself.
fn head(top: &str, place: &str) -> String {
    format!(
        "# {top} {place}. Made by respray.
#
# Vivado has never read this file. A test reads it with commands that stand in for Vivado's, and no more.
"
    )
}

fn out_of_context(wrapper: &Wrapper) -> String {
    let clock = |(port, mhz): &Clock| {
        let name = port.split('[').next().unwrap_or(port);
        format!("create_clock -period {:.3} -name {name} [get_ports {{{port}}}]\n", period_ns(*mhz))
    };
    let clocks: String = wrapper.clocks.iter().map(clock).collect();
    let crossing = if wrapper.has_crossing() { crossing() } else { String::new() };
    format!(
        "{}\n{clocks}{crossing}",
        head(&wrapper.top, "out of context: the shell's own clocks are not there")
    )
}

/// Register accesses between two clocks: what is held must arrive before the toggle that tells of it has gone through two registers.
fn crossing() -> String {
    let cells = |of: &str, names: &[&str]| {
        let any: Vec<String> = names.iter().map(|name| format!("NAME =~ *{of}/{name}_reg*")).collect();
        format!("[get_cells -hierarchical -filter {{{}}}]", any.join(" || "))
    };
    let (near, far) = ("axil_near", "axil_far");
    format!(
        "
# Register accesses go from the clock of AXI4-Lite to that of the streams and back. They are held while a toggle goes through
# two registers. The reset of the streams comes the same way, and that it is there goes back so.
set_property ASYNC_REG TRUE {}
set_property ASYNC_REG TRUE {}
set_property ASYNC_REG TRUE {}
set_property ASYNC_REG TRUE {}
set_max_delay -datapath_only -from {} {CROSSING_NS:.3}
set_max_delay -datapath_only -from {} -to {} {CROSSING_NS:.3}
set_max_delay -datapath_only -from {} {CROSSING_NS:.3}
set_max_delay -datapath_only -from {} -to {} {CROSSING_NS:.3}
set_false_path -to {}
set_false_path -to {}
",
        cells(near, &["done_1", "done_2"]),
        cells(far, &["request_1", "request_2"]),
        cells("reset_far", &["asked_1", "rst"]),
        cells("reset_near", &["seen_1", "seen_2"]),
        cells(near, &["is_write", "address", "data", "strobes"]),
        cells(near, &["request"]),
        cells(far, &["request_1"]),
        cells(far, &["done_refused", "done_data"]),
        cells(far, &["done"]),
        cells(near, &["done_1"]),
        cells("reset_far", &["asked_1"]),
        cells("reset_near", &["seen_1"]),
    )
}

/// What OpenNIC shell's build script sources for the box, in the folder of the plugin.
fn build_box(top: &str, sources: &[String]) -> String {
    format!(
        "# Reads the user block of the box. Made by respray.
#
# OpenNIC shell's script/build.tcl sources this file where -user_plugin names its folder.
set here [file dirname [file normalize [info script]]]
foreach source {{{}}} {{ read_verilog [file join $here $source] }}
read_xdc [file join $here {CONSTRAINTS} {top}.xdc]
",
        sources.join(" ")
    )
}

/// What Corundum's config.tcl of a board is to source.
fn config_corundum(sources: &[String]) -> String {
    format!(
        "# Switches Corundum's application block on, and adds its sources. Made by respray.
#
# Source it in the config.tcl of a board, ahead of the line `# configure BAR settings`: it sets the dictionary params.
set here [file dirname [file normalize [info script]]]
foreach source {{{}}} {{ add_files -norecurse [file join $here $source] }}
dict set params APP_ID \"32'h5253504e\"
dict set params APP_ENABLE \"1\"
dict set params APP_CTRL_ENABLE \"1\"
dict set params APP_AXIS_SYNC_ENABLE \"1\"
dict set params APP_AXIS_DIRECT_ENABLE \"0\"
dict set params APP_AXIS_IF_ENABLE \"0\"
dict set params APP_DMA_ENABLE \"0\"
dict set params APP_STAT_ENABLE \"0\"
dict set params PTP_TS_ENABLE \"1\"
",
        sources.join(" ")
    )
}
