//! A core's instantiation, to be copied into a design.

use std::fmt::Write as _;

use respray_hdl::manifest::{Direction, Manifest, Port};

use super::wrapped;

/// Declarations of what the ports connect to, and the instance, as Verilog-2005.
pub(super) fn text(manifest: &Manifest) -> String {
    let longest = manifest.ports.iter().map(|port| port.name.len()).max().unwrap_or(0);
    let range = |port: &Port| match port.width {
        1 => String::new(),
        width => format!("[{}:0]", width - 1),
    };
    let widest = manifest.ports.iter().map(|port| range(port).len()).max().unwrap_or(0);
    let mut text = "```verilog\n".to_string();
    for (direction, driver) in [(Direction::Input, "the design"), (Direction::Output, "the core")] {
        let _ = writeln!(text, "// Driven by {driver}.");
        for port in manifest.ports.iter().filter(|port| port.direction == direction) {
            let _ = writeln!(text, "wire {:widest$} {};", range(port), port.name);
        }
    }
    let _ = writeln!(text, "\n{0} {0}_0 (", manifest.module);
    for (at, port) in manifest.ports.iter().enumerate() {
        if at == 0 || manifest.ports[at - 1].group != port.group {
            let _ = writeln!(text, "{}", wrapped(port.group.as_ref(), "    // ", "    // "));
        }
        let comma = if at + 1 < manifest.ports.len() { "," } else { "" };
        let name = format!(".{}", port.name);
        let _ = writeln!(text, "    {name:<1$} ({0}){comma}", port.name, longest + 1);
    }
    text + ");\n```\n"
}
