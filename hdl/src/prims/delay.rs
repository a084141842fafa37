//! A value some cycles later.

use std::collections::VecDeque;

use respray_hdl_macros::{LogicBlock, Part};
use rust_hdl::prelude::*;

use super::Word;

/// `output` is what `input` was `N` clock edges before, `N >= 1`: registers in a row, without reset.
#[derive(LogicBlock, Default, Part)]
pub struct Delay<D: Word, const N: usize> {
    pub clk: Signal<In, Clock>,
    pub input_value: Signal<In, D>,
    pub output_value: Signal<Out, D>,
    _on_their_way: VecDeque<D>,
}

impl<D: Word, const N: usize> Logic for Delay<D, N> {
    fn update(&mut self) {
        if self.clk.pos_edge() {
            self._on_their_way.push_back(self.input_value.val());
            if self._on_their_way.len() == N {
                self.output_value.next = self._on_their_way.pop_front().unwrap_or_default();
            }
        }
    }

    fn connect(&mut self) {
        self.output_value.connect();
    }

    fn hdl(&self) -> Verilog {
        let width = if D::BITS == 1 { String::new() } else { format!("[{}:0] ", D::BITS - 1) };
        let registers = (1..N).map(|edges| format!("reg {width}after_{edges};\n"));
        let steps = (1..=N).map(|edges| {
            let source = if edges == 1 { "input_value".into() } else { format!("after_{}", edges - 1) };
            let target = if edges == N { "output_value".into() } else { format!("after_{edges}") };
            format!("    {target} <= {source};\n")
        });
        Verilog::Custom(format!(
            "// module delay: a value some cycles later\n{}always @(posedge clk) begin\n{}end\n",
            registers.collect::<String>(),
            steps.collect::<String>(),
        ))
    }
}
