//! Wrappers: a top module around a core, made from the ports of its manifest.
//!
//! A core's paths from and to its ports cannot be timed alone: nothing is known of the other end. In [`registered`]
//! every port but the clock meets a register, so that each path has two ends. [`folded`] also needs only three pins: for
//! a device that has fewer pins than the core has ports, and for a bitstream on a board.

use std::fmt::Write;

use respray_hdl::manifest::{Direction, Port};

/// A top module around a core.
#[derive(Clone, Debug)]
pub struct Wrapper {
    pub module: String,
    pub verilog: String,
    /// Registers that it adds.
    pub registers: u32,
}

/// Name of [`folded`].
pub fn board_name(core: &str) -> String {
    format!("{core}_board")
}

/// Wrapper with the core's own ports, each through one register: a register for each port bit but the clock's.
pub fn registered(core: &str, ports: &[Port]) -> Wrapper {
    let module = format!("{core}_ooc");
    let outer: Vec<String> = ports
        .iter()
        .map(|port| match (port.direction, port.name.as_str()) {
            (Direction::Input, _) => format!("    input wire {}{}", range(port.width), port.name),
            (Direction::Output, _) => format!("    output reg {}{}", range(port.width), port.name),
        })
        .collect();
    let mut text = format!("module {module}(\n{}\n);\n", outer.join(",\n"));
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
    let registers = ports.iter().filter(|port| port.name != "clk").map(|port| port.width).sum();
    Wrapper { module, verilog: text, registers }
}

/// Bits of the counter that holds reset after power-up.
const UP_BITS: u32 = 4;

/// Wrapper with ports `clk`, `serial_in` and `serial_out`: the inputs come from a shift register, the outputs are folded into
/// another, so that every port bit costs one register and none can be optimised away. Reset is made from power-up, so that the
/// same wrapper fits every board, whatever its buttons.
///
/// Each bit shifted is mixed with the one before it: in a plain shift register the next bit would equal a core's register
/// of its own input, and synthesis would make one of the two.
pub fn folded(core: &str, ports: &[Port]) -> Wrapper {
    let module = board_name(core);
    let is_own = |port: &&Port| port.name == "clk" || port.name == "rst";
    let bits = |direction| -> u32 {
        ports.iter().filter(|port| port.direction == direction && !is_own(port)).map(|port| port.width).sum()
    };
    let (inputs, outputs) = (bits(Direction::Input), bits(Direction::Output));
    let (mut next_in, mut next_out) = (0, 0);
    let connections: Vec<String> = ports
        .iter()
        .map(|port| {
            if is_own(&port) {
                return format!("        .{0}({0})", port.name);
            }
            let (bus, low) = match port.direction {
                Direction::Input => ("shift_in", &mut next_in),
                Direction::Output => ("result", &mut next_out),
            };
            let first = *low;
            *low += port.width;
            format!("        .{}({bus}{})", port.name, part(first, port.width))
        })
        .collect();
    let verilog = format!(
        "\
// {core} with three pins, for boards: what comes in at serial_in reaches every input, and what leaves at serial_out depends on
// every output. It shows that the core fits, and how fast it is; it is no interface for work.
// Made by respray from the ports of {core}.

module {module} (
    input  wire clk,
    input  wire serial_in,
    output wire serial_out
);

    reg  {in_range}shift_in;
    reg  {out_range}fold_out;
    wire {out_range}result;
    assign serial_out = fold_out{last_out};

    // Reset holds for the first {reset_cycles} cycles after configuration: no pin is needed for it.
    reg [{last_up}:0] up;
    initial up = {UP_BITS}'d0;
    wire rst = !up[{last_up}];

    {core} core (
{connections}
    );

    always @(posedge clk) begin
        if (rst) begin
            up <= up + {UP_BITS}'d1;
        end
        // Each bit is mixed with the one before it, so that it equals no register of the core.
        shift_in <= {shifted_in} ^ shift_in;
        fold_out <= {shifted_out} ^ result;
        if (rst) begin
            shift_in <= {inputs}'d0;
            fold_out <= {outputs}'d0;
        end
    end
endmodule
",
        in_range = format_args!("[{}:0] ", inputs.saturating_sub(1)),
        out_range = format_args!("[{}:0] ", outputs.saturating_sub(1)),
        last_out = part(outputs.saturating_sub(1), 1),
        reset_cycles = 1 << (UP_BITS - 1),
        last_up = UP_BITS - 1,
        connections = connections.join(",\n"),
        shifted_in = shifted("shift_in", inputs),
        shifted_out = shifted("fold_out", outputs),
    );
    Wrapper { module, verilog, registers: inputs + outputs + UP_BITS }
}

/// A module `top` in which what leaves one of `boards` enters the next; each is a [`folded`] wrapper.
pub fn chain(top: &str, boards: &[&str]) -> String {
    let last = boards.len();
    let instance = |(at, board): (usize, &&str)| {
        format!(
            "    {board} {board}_0 (
        .clk(clk),
        .serial_in(serial[{at}]),
        .serial_out(serial[{}])
    );
",
            at + 1
        )
    };
    let instances: Vec<String> = boards.iter().enumerate().map(instance).collect();
    format!(
        "\
// All cores in one design, each in its wrapper for boards, one behind the other: to see what they take together.
// Made by respray.

module {top} (
    input  wire clk,
    input  wire serial_in,
    output wire serial_out
);

    wire [{last}:0] serial;
    assign serial[0] = serial_in;
    assign serial_out = serial[{last}];

{}endmodule
",
        instances.join("\n")
    )
}

/// A shift register one bit on.
fn shifted(register: &str, width: u32) -> String {
    match width {
        0 | 1 => "serial_in".to_string(),
        2 => format!("{{{register}[0], serial_in}}"),
        _ => format!("{{{register}[{}:0], serial_in}}", width - 2),
    }
}

/// A part of a register.
fn part(first: u32, width: u32) -> String {
    match width {
        1 => format!("[{first}]"),
        _ => format!("[{}:{first}]", first + width - 1),
    }
}

fn range(width: u32) -> String {
    if width == 1 { String::new() } else { format!("[{}:0] ", width - 1) }
}
