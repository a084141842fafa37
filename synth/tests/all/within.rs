//! Names that reach into instances, as outputs for a simulation have them: Yosys does what they say.

use respray_synth::cells::{Family, cells};
use respray_synth::cxxrtl::translate;

use crate::common::{bench, generated};

/// The output shows a wire of an instance of an instance.
const VERILOG: &str = "\
module leaf (input wire clk, input wire in, output reg out);
    wire [1:0] inner;
    assign inner = {in & ~out, in};
    always @(posedge clk) out <= inner[1];
endmodule
module branch (input wire clk, input wire in, output wire out);
    leaf low (.clk(clk), .in(in), .out(out));
endmodule
module tree (input wire clk, input wire in, output wire out, output wire seen);
    branch high (.clk(clk), .in(in), .out(out));
    assign seen = high.low.inner[1];
endmodule
";

#[test]
fn synthesis_drives_an_output_by_a_wire_within() {
    let ports = [("clk", 1, false), ("in", 1, false), ("out", 1, true), ("seen", 1, true)];
    let generated = generated(VERILOG, "tree", &ports);
    for family in Family::ALL {
        let cells = cells(&bench(), family, &generated).unwrap().verilog;
        let is_driven = |line: &str| line.trim().starts_with("assign seen = ") && !line.contains("inner");
        assert!(cells.lines().any(is_driven), "{family:?}: {cells}");
    }
}

#[test]
fn a_translation_drives_an_output_by_a_wire_within() {
    let translation = translate(&bench(), "tree", VERILOG).unwrap();
    let shown = translation.source.lines().find(|line| line.trim().starts_with("p_seen = ")).unwrap();
    assert!(!shown.contains("inner"), "nothing drives a wire of that name in the top module: {shown}");
}
