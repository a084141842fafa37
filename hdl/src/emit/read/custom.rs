//! Blocks that bring their own Verilog: the text between port list and `endmodule`.

use rust_hdl::core::atom::AtomKind;

use super::about::{About, about};
use super::design::{Node, leaves};
use crate::emit::error::EmitError;
use crate::emit::module::Port;
use crate::emit::names::is_identifier;

/// A block with Verilog of its own, and what its text shows of it.
pub struct Custom {
    pub about: About,
    pub ports: Vec<Port>,
    pub lines: Vec<String>,
    /// Whether an output may follow an input without a clock between.
    pub is_combinational: bool,
}

/// Reads the text `code` of the block `node`.
pub fn custom(node: &Node, code: &str) -> Result<Custom, EmitError> {
    let refused = |name: &str| EmitError::Name { block: node.path.clone(), name: name.to_string() };
    if let Some(at) = code.find('$')
        && code[..at].ends_with(|c: char| c.is_alphanumeric() || c == '_')
    {
        return Err(refused("a name with `$`"));
    }
    let mut lines: Vec<String> = unindented(code);
    let mut head = About::default();
    while lines.first().is_some_and(|line| line.starts_with("//")) {
        let line = lines.remove(0);
        let found = about(line.trim_start_matches('/').trim());
        head.name = head.name.or(found.name);
        head.lines.extend(found.lines);
    }
    let mut ports = vec![];
    for atom in node.atoms.iter().filter(|atom| atom.kind.is_parameter()) {
        let name = atom.printed.clone();
        if !is_identifier(&name) {
            return Err(refused(&name));
        }
        let is_input = atom.kind == AtomKind::InputParameter;
        let width = leaves(&atom.ty).iter().map(|leaf| leaf.width).sum();
        let is_reg = !is_input && !assigns(code, &name);
        ports.push(Port { name, is_input, width, atom: atom.name.clone(), leaf: None, is_reg });
    }
    let is_combinational = ["assign", "always @*", "always @(*)"].iter().any(|word| code.contains(word));
    Ok(Custom { about: head, ports, lines, is_combinational })
}

/// Lines of a text without the indentation that they share and without blank lines at its ends.
fn unindented(text: &str) -> Vec<String> {
    let lines: Vec<&str> = text.lines().map(str::trim_end).collect();
    let depth = |line: &&str| line.len() - line.trim_start().len();
    let shared = lines.iter().filter(|line| !line.is_empty()).map(depth).min().unwrap_or(0);
    let mut lines: Vec<String> =
        lines.iter().map(|line| line.get(shared..).unwrap_or("").to_string()).collect();
    while lines.last().is_some_and(String::is_empty) {
        lines.pop();
    }
    let blank = lines.iter().take_while(|line| line.is_empty()).count();
    lines.split_off(blank)
}

/// Whether custom Verilog drives `name` by a continuous assignment.
fn assigns(code: &str, name: &str) -> bool {
    code.split("assign").skip(1).any(|rest| {
        let target = rest.trim_start().strip_prefix(name);
        target.is_some_and(|rest| !rest.starts_with(|c: char| c.is_alphanumeric() || c == '_'))
    })
}
