//! Out-of-context wrappers: a top module around a core, made from the ports of its manifest.
//!
//! A core's paths from and to its ports cannot be timed alone: nothing is known of the other end. In [`registered`]
//! every port but the clock meets a register, so that each path has two ends. [`folded`] also needs only four pins: for
//! a device that has fewer pins than the core has ports, and for a bitstream on a board.

use std::fmt::Write;

use respray_hdl::manifest::{Direction, Port};

use crate::boards::Reset;

/// Name of the wrapper of `core`.
pub fn name(core: &str) -> String {
    format!("{core}_ooc")
}

/// Registers that either wrapper adds: one per port bit but the clock's.
pub fn registers(ports: &[Port]) -> u32 {
    ports.iter().filter(|port| port.name != "clk").map(|port| port.width).sum()
}

/// Wrapper with the core's own ports, each through one register.
pub fn registered(core: &str, ports: &[Port]) -> String {
    let outer: Vec<String> = ports
        .iter()
        .map(|port| match (port.direction, port.name.as_str()) {
            (Direction::Input, _) => format!("    input wire {}{}", range(port.width), port.name),
            (Direction::Output, _) => format!("    output reg {}{}", range(port.width), port.name),
        })
        .collect();
    let mut text = format!("module {}(\n{}\n);\n", name(core), outer.join(",\n"));
    let mut clocked = String::new();
    for port in ports.iter().filter(|port| port.name != "clk") {
        let (range, name) = (range(port.width), &port.name);
        match port.direction {
            Direction::Input => {
                let _ = writeln!(text, "    reg {range}{name}_q;");
                let _ = writeln!(clocked, "        {name}_q <= {name};");
            }
            Direction::Output => {
                let _ = writeln!(text, "    wire {range}{name}_d;");
                let _ = writeln!(clocked, "        {name} <= {name}_d;");
            }
        }
    }
    let connect = |port: &Port| match (port.direction, port.name.as_str()) {
        (_, "clk") => ".clk(clk)".to_string(),
        (Direction::Input, name) => format!(".{name}({name}_q)"),
        (Direction::Output, name) => format!(".{name}({name}_d)"),
    };
    let _ = writeln!(text, "    {core} core(");
    let _ = writeln!(text, "        {}", ports.iter().map(connect).collect::<Vec<_>>().join(",\n        "));
    let _ = write!(text, "    );\n    always @(posedge clk) begin\n{clocked}    end\nendmodule\n");
    text
}

/// Wrapper with ports `clk`, `rst` (or `rst_n`, or none, as `reset` has it), `serial_in` and `serial_out`: the inputs come from
/// a shift register, the outputs are folded into another, so that every port bit costs one register and none can be optimised
/// away.
///
/// Each bit shifted is mixed with the one before it: in a plain shift register the next bit would equal a core's register
/// of its own input, and synthesis would make one of the two.
pub fn folded(core: &str, ports: &[Port], reset: Reset) -> String {
    let (reset_port, reset_register, reset_next) = match reset {
        Reset::High(_) => ("    input wire rst,\n", "    reg rst_q;\n", "rst_q <= rst;"),
        Reset::Low(_) => ("    input wire rst_n,\n", "    reg rst_q;\n", "rst_q <= ~rst_n;"),
        Reset::PowerUp => {
            ("", "    reg [3:0] up = 4'd0;\n    wire rst_q = ~up[3];\n", "up <= up + {3'd0, ~up[3]};")
        }
    };
    let mut text = format!(
        "module {}(\n    input wire clk,\n{reset_port}    input wire serial_in,\n    output wire serial_out\n);\n",
        name(core)
    );
    let driven =
        |port: &&Port| port.direction == Direction::Input && port.name != "clk" && port.name != "rst";
    let inputs: u32 = ports.iter().filter(driven).map(|port| port.width).sum();
    let outputs: u32 =
        ports.iter().filter(|port| port.direction == Direction::Output).map(|port| port.width).sum();
    let (last_in, last_out) = (inputs.saturating_sub(1), outputs.saturating_sub(1));
    let _ = write!(
        text,
        "{reset_register}    reg [{last_in}:0] shift_in;\n    reg [{last_out}:0] fold_out;\n    wire [{last_out}:0] result;\n    \
         assign serial_out = fold_out[{last_out}];\n    {core} core(\n"
    );
    let (mut next_in, mut next_out) = (0, 0);
    let connections: Vec<String> = ports
        .iter()
        .map(|port| {
            let (bus, low) = match (port.direction, port.name.as_str()) {
                (_, "clk") => return "        .clk(clk)".to_string(),
                (_, "rst") => return "        .rst(rst_q)".to_string(),
                (Direction::Input, _) => ("shift_in", &mut next_in),
                (Direction::Output, _) => ("result", &mut next_out),
            };
            let (first, last) = (*low, *low + port.width - 1);
            *low += port.width;
            format!("        .{}({bus}[{last}:{first}])", port.name)
        })
        .collect();
    let _ = write!(
        text,
        "{}\n    );\n    always @(posedge clk) begin\n        {reset_next}\n        \
         shift_in <= {{shift_in, serial_in}} ^ shift_in;\n        fold_out <= {{fold_out, serial_in}} ^ result;\n    end\nendmodule\n",
        connections.join(",\n")
    );
    text
}

fn range(width: u32) -> String {
    if width == 1 { String::new() } else { format!("[{}:0] ", width - 1) }
}
