//! The count of clock cycles that no reset clears.

use rust_hdl::prelude::*;

/// Clock cycles since power-up, in two halves of 32 bits that belong together in every cycle.
///
/// It begins with 0 when the device is configured, and as it has no reset, whoever reads a time can rely on it to go on. The
/// high half advances by a flag that was made a cycle before, so that no carry runs through 64 bits.
#[derive(LogicBlock, Default)]
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
// The low half is all ones.
reg wraps;

initial begin
    low = 32'd0;
    high = 32'd0;
    wraps = 1'b0;
end

always @(posedge clk) begin
    low <= low + 32'd1;
    wraps <= low == 32'hfffffffe;
    if (wraps) high <= high + 32'd1;
end
"
        ))
    }
}
