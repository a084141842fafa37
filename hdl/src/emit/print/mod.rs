//! From modules to text.

mod expressions;
mod grouped;
mod module;
mod ports;
mod statements;
mod text;

use std::collections::BTreeMap;

pub use expressions::{is_short, literal, range};
pub use grouped::Row;
pub use text::{Lines, Text};

use super::EmitOptions;
use super::module::Module;

/// What stands above several modules in one file.
pub const SEVERAL_MODULES: &str = "\
// All modules of the core stand in this one file; Verilator would have each in a file of its name.
// verilator lint_off DECLFILENAME";

/// The source of `modules`, the last of which is the top.
pub fn source(modules: &[Module], options: &EmitOptions) -> String {
    let described = options.ports.iter().map(|port| (port.name.as_str(), port)).collect();
    let comment = |text: &str| if text.is_empty() { "//".to_string() } else { format!("// {text}") };
    let mut lines: Vec<String> = options.header.lines().map(comment).collect();
    if modules.len() > 1 {
        if !lines.is_empty() {
            lines.push(String::new());
        }
        lines.extend(SEVERAL_MODULES.lines().map(str::to_string));
    }
    let none = BTreeMap::new();
    for (at, module) in modules.iter().enumerate() {
        if !lines.is_empty() {
            lines.push(String::new());
        }
        let is_top = at + 1 == modules.len();
        lines.extend(module.about.iter().map(|text| comment(text)));
        lines.push(format!("module {} (", module.name));
        let described = if is_top { &described } else { &none };
        lines.extend(ports::port_list(&module.ports, described));
        lines.push(");".to_string());
        lines.push(String::new());
        lines.extend(module::lines(&module.body));
        lines.push("endmodule".to_string());
    }
    lines.push(String::new());
    lines.join("\n")
}
