//! The count of clock cycles that no reset clears.

use respray_hdl_macros::{LogicBlock, Part};
use rust_hdl::prelude::*;

/// Clock cycles since power-up, in two halves of 32 bits that belong together in every cycle.
///
/// It begins with 0 when the device is configured, and as it has no reset, whoever reads a time can rely on it to go on. Each
/// 16 bits advance by a flag that was made a cycle before, so that no carry runs through more than 16 bits.
#[derive(LogicBlock, Default, Part)]
pub struct FreeRunning {
    pub clk: Signal<In, Clock>,
    pub low: Signal<Out, Bits<32>>,
    pub high: Signal<Out, Bits<32>>,
    _name: Option<&'static str>,
    _cycles: u64,
}

impl FreeRunning {
    /// Its module is called `name`.
    pub fn new(name: &'static str) -> Self {
        Self { _name: Some(name), ..Default::default() }
    }
}

impl Logic for FreeRunning {
    fn update(&mut self) {
        if self.clk.pos_edge() {
            self._cycles = self._cycles.wrapping_add(1);
            self.low.next = (self._cycles & 0xffff_ffff).into();
            self.high.next = (self._cycles >> 32).into();
        }
    }

    fn connect(&mut self) {
        self.low.connect();
        self.high.connect();
    }

    fn hdl(&self) -> Verilog {
        let Some(name) = self._name else { return Verilog::Empty };
        Verilog::Custom(format!(
            "// module {name}: clock cycles since power-up
// The three upper quarters advance where all below them is all ones; bit i is for quarter i + 1.
reg [2:0] advances;
// Quarters 1 and 2 are all ones; it is seen a cycle late, and they stand still for 65536.
reg [1:0] is_full;

initial begin
    low = 32'd0;
    high = 32'd0;
    advances = 3'd0;
    is_full = 2'd0;
end

always @(posedge clk) begin
    low[15:0] <= low[15:0] + 16'd1;
    if (advances[0]) low[31:16] <= low[31:16] + 16'd1;
    if (advances[1]) high[15:0] <= high[15:0] + 16'd1;
    if (advances[2]) high[31:16] <= high[31:16] + 16'd1;
    is_full <= {{&high[15:0], &low[31:16]}};
    advances[0] <= low[15:0] == 16'hfffe;
    advances[1] <= low[15:0] == 16'hfffe && is_full[0];
    advances[2] <= low[15:0] == 16'hfffe && &is_full;
end
"
        ))
    }
}
