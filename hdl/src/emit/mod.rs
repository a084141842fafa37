//! A Verilog backend for rust-hdl: Verilog-2005 that says what the Rust says.
//!
//! [`verilog`] walks a design through rust-hdl's probe, gives every expression the width that it has in Rust, and prints
//! one module per distinct block. What it cannot print with the same meaning it refuses, naming the block.
//!
//! # How to write blocks
//!
//! - **Registers** are rust-hdl's `DFF<T>`. `dff_setup!(self, clk, a, b)` at the top of `update` clocks them and makes them hold;
//!   assignments to `self.a.d.next` after it become the body of one `always @(posedge clk)`. An assignment under `if` becomes a
//!   clock enable. A register has a **reset** exactly if `update` ends with
//!   `if self.rst.val() { self.a.d.next = …; }`; data registers are left out of that `if` and have none.
//!   Nothing has an initial value. The clock is an input of the block, passed on unchanged: `Signal<In, Clock>`.
//! - Reading `self.a.d.val()` is allowed and makes a wire `a_next`.
//! - **Locals** become wires, or regs of an `always @*` if they depend on more conditions than fit on a line. Give defaults at the top;
//!   write a `Local` before it is read. Building one up over several statements (`acc = acc + …`) is fine: one expression is printed.
//!   A `Local` that only repeats another net is no wire, unless a comment stands above it: who reads it reads that net. One that an
//!   output repeats has the output's name.
//! - **Structs** are taken apart: field `ev` of register `stage` is the register `stage_ev`, and a field that nothing reads vanishes.
//!   Custom Verilog sees its ports whole, the first field in the lowest bits.
//! - Numbers of the configuration are `Param<T>` fields. What they decide is decided here: `if self.uet.val() { … }` leaves
//!   one branch, `x & MASK` with all ones is `x`. A constant that remains is a `localparam`; an element of an array of them is a literal.
//! - The result of `signed_bit_cast` takes its width from where it is assigned: give it a `Local`.
//! - `comment!("module control_ram: what it is")` (from this crate) as the first statement names and describes the module; elsewhere
//!   `comment!("…")` stands above what becomes of the statement that follows it: once in the part without a clock, once in each
//!   clocked process that has some of it. Where nothing becomes of it, as of a clock or a plain connection, that goes on with the
//!   statements after it, up to the next comment. Comments in a row are one, in a loop that of the first turn is printed, and what
//!   the configuration leaves out goes with its comments.
//! - A memory is a block whose `hdl` returns `Verilog::Custom` with all that stands between the port list and `endmodule`, and
//!   whose first line may be `// module name: what it is`. An output is a `reg` unless the text has an `assign` to it.
//!
//! # How it is printed
//!
//! What is declared alike stands in one declaration, and as many connections of an instance on a line as fit. A branch with one
//! assignment stands on the line of its `if`; assignments of numbers and of other nets as they are stand side by side.
//! `q <= a; if (c) q <= b;` is `q <= c ? b : a;`. A line has at most 110 columns.
//!
//! # How it works
//!
//! ```text
//!   blocks ──► read ──► statements, nets ──► arrange ──► modules ──► print ──► text
//!              probe, AST                    what stands where, names
//! ```
//!
//! What is handed on stands beside the three folders: expressions, which `fold` makes, statements, modules. Nothing after `read`
//! looks at a text to decide.
//!
//! A name that differs from its file makes Verilator warn, so a file of several modules begins with a comment that switches this
//! one warning off. Directives that name a file for each module would do it too, but then every tool would send its reader to
//! files that do not exist.

mod arrange;
mod error;
mod expr;
mod fold;
mod module;
mod names;
mod print;
mod read;
mod stmt;
pub mod syntax;

use rust_hdl::core::block::Block;

pub use error::EmitError;
pub use names::is_identifier;
pub(crate) use print::{Lines, Row, SEVERAL_MODULES, Text, literal, range};

use crate::manifest::{Direction, Port};

/// A comment in `update` that the Verilog repeats. To Rust it is nothing.
#[macro_export]
macro_rules! comment {
    ($text:literal) => {};
}

/// What is printed beside the design itself.
#[derive(Clone, Copy, Debug, Default)]
pub struct EmitOptions<'a> {
    /// Name of the top module, and the beginning of all others'.
    pub module: &'a str,
    /// Comment at the head of the file: what it is, generator version, configuration. May have several lines.
    pub header: &'a str,
    /// The top's ports in the order wanted, with their groups and meanings. If there are any, they must be the top's ports
    /// exactly. Without them the top's fields give the order.
    pub ports: &'a [Port],
}

/// The Verilog of `top` and all below it: one source, submodules first.
pub fn verilog(top: &dyn Block, options: &EmitOptions) -> Result<String, EmitError> {
    if !names::is_identifier(options.module) {
        return Err(EmitError::Name { block: "the design".into(), name: options.module.into() });
    }
    let node = read::read(top, options.module)?;
    let mut modules = arrange::modules(&node, options.module)?;
    if let Some(top) = modules.last_mut() {
        top.ports = port_order(&top.ports, options)?;
    }
    Ok(print::source(&modules, options))
}

/// The module `name` with `ports` around the lines of `body`, which are indented here.
pub(crate) fn module_around(name: &str, about: &str, ports: &[Port], body: Vec<String>) -> String {
    let port = |port: &Port| module::Port {
        name: port.name.clone(),
        is_input: port.direction == Direction::Input,
        width: port.width as usize,
        atom: port.name.clone(),
        leaf: None,
        is_reg: false,
    };
    let module = module::Module {
        name: name.to_string(),
        about: about.lines().map(str::to_string).collect(),
        ports: ports.iter().map(port).collect(),
        body: module::Body::Custom(body),
    };
    print::source(&[module], &EmitOptions { module: name, header: "", ports })
}

/// Name, direction and width of the top's ports, in the order of its fields.
pub fn ports(top: &dyn Block) -> Result<Vec<(String, Direction, u32)>, EmitError> {
    let node = read::read(top, "top")?;
    let mut found = vec![];
    for atom in node.atoms.iter().filter(|atom| atom.kind.is_parameter()) {
        let is_input = atom.kind == rust_hdl::core::atom::AtomKind::InputParameter;
        let direction = if is_input { Direction::Input } else { Direction::Output };
        for leaf in read::leaves(&atom.ty) {
            let name = read::together([atom.printed.as_str(), leaf.name.as_str()]);
            found.push((name, direction, leaf.width as u32));
        }
    }
    Ok(found)
}

/// The top's ports as `options` orders them.
fn port_order(ports: &[module::Port], options: &EmitOptions) -> Result<Vec<module::Port>, EmitError> {
    if options.ports.is_empty() {
        return Ok(ports.to_vec());
    }
    let refused = |port: &str, problem: String| EmitError::Port {
        block: options.module.to_string(),
        port: port.to_string(),
        problem,
    };
    let mut ordered: Vec<module::Port> = vec![];
    for wanted in options.ports {
        let Some(port) = ports.iter().find(|port| port.name == wanted.name) else {
            return Err(refused(&wanted.name, "is described but the design has no such port".into()));
        };
        let direction = if port.is_input { Direction::Input } else { Direction::Output };
        if direction != wanted.direction || port.width != wanted.width as usize {
            let (is, said) = (port.width, wanted.width);
            return Err(refused(
                &wanted.name,
                format!(
                    "is described as {said} bits, {:?}, but is {is} bits, {direction:?}",
                    wanted.direction
                ),
            ));
        }
        if ordered.contains(port) {
            return Err(refused(&wanted.name, "is described twice".into()));
        }
        ordered.push(port.clone());
    }
    match ports.iter().find(|port| !ordered.contains(port)) {
        Some(missing) => Err(refused(&missing.name, "is not described".into())),
        None => Ok(ordered),
    }
}
