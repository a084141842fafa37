//! The memory of the self-test's steps, which nothing writes.

use respray_hdl_macros::{LogicBlock, Part};
use rust_hdl::prelude::*;

/// Steps at most.
pub const MOST_STEPS: usize = 128;

/// 128 words of 48 bits, each with a comment in the Verilog. `data` is the word of the `address` of the cycle before.
#[derive(LogicBlock, Default, Part)]
pub struct Rom {
    pub clk: Signal<In, Clock>,
    pub address: Signal<In, Bits<7>>,
    pub data: Signal<Out, Bits<48>>,
    _words: Vec<(u64, String)>,
}

impl Rom {
    /// With these words and what they mean.
    ///
    /// # Panics
    /// On more words than there are addresses.
    pub fn new(words: Vec<(u64, String)>) -> Self {
        assert!(words.len() <= MOST_STEPS, "{} steps are more than {MOST_STEPS}", words.len());
        Self { _words: words, ..Default::default() }
    }
}

impl Logic for Rom {
    fn update(&mut self) {
        if self.clk.pos_edge() {
            let word = self._words.get(self.address.val().index()).map_or(0, |(word, _)| *word);
            self.data.next = word.into();
        }
    }

    fn connect(&mut self) {
        self.data.connect();
    }

    fn hdl(&self) -> Verilog {
        if self._words.is_empty() {
            return Verilog::Empty;
        }
        let line = |(at, (word, about)): (usize, &(u64, String))| {
            format!("        7'd{at}: data <= 48'h{word:012x}; // {about}\n")
        };
        let lines: String = self._words.iter().enumerate().map(line).collect();
        Verilog::Custom(format!(
            "// module script: the steps of the self-test, each as operation (4 bits), address (12) and number (32)
always @(posedge clk) begin
    case (address)
{lines}        default: data <= 48'h000000000000;
    endcase
end
"
        ))
    }
}
