//! `shell_power_up`: the reset that a clock's registers begin with, and no other.

use respray_hdl_macros::{LogicBlock, Part};
use rust_hdl::prelude::*;

/// High from the configuration of the device on, for the first 8 edges of `clk`.
///
/// A reset of the user block comes while what is around it goes on: frames are under way, and accesses of registers. What has to see
/// them through is reset by this alone. It has no reset itself, so it is one of the few parts that rely on their initial values.
#[derive(LogicBlock, Default, Part)]
pub struct PowerUp {
    pub clk: Signal<In, Clock>,
    pub rst: Signal<Out, bool>,
    _edges: u32,
}

/// Edges of the clock that the reset lasts.
const EDGES: u32 = 8;

impl PowerUp {
    /// As after configuration.
    pub fn new() -> Self {
        let mut block = Self::default();
        block.connect_all();
        block
    }
}

impl Logic for PowerUp {
    fn update(&mut self) {
        if self.clk.pos_edge() {
            self._edges = (self._edges + 1).min(EDGES);
        }
        self.rst.next = self._edges < EDGES;
    }

    fn connect(&mut self) {
        self.rst.connect();
    }

    fn hdl(&self) -> Verilog {
        Verilog::Custom(format!(
            "// module power_up: a reset for the first {EDGES} edges after configuration
reg [3:0] edges;
initial edges = 4'd0;
assign rst = !edges[3];
always @(posedge clk) begin
    if (!edges[3]) edges <= edges + 4'd1;
end
"
        ))
    }
}
