//! What a beat holds where `tkeep` names no byte.

use respray_hdl_macros::{LogicBlock, Part};
use rust_hdl::prelude::*;

/// A beat of `W` bits, `K` bytes, with zeros in the bytes that `keep` does not name. Combinational.
///
/// A choice a byte, and no gate a bit: in front of a register, synthesis makes its synchronous reset of it.
#[derive(LogicBlock, Default, Part)]
pub struct NamedBytes<const W: usize, const K: usize> {
    pub data: Signal<In, Bits<W>>,
    pub keep: Signal<In, Bits<K>>,
    pub zeroed: Signal<Out, Bits<W>>,
}

impl<const W: usize, const K: usize> Logic for NamedBytes<W, K> {
    fn update(&mut self) {
        let (data, keep) = (self.data.val(), self.keep.val());
        let mut zeroed = Bits::<W>::default();
        for byte in (0..K).filter(|byte| keep.get_bit(*byte)) {
            zeroed.set_bits(8 * byte, data.get_bits::<8>(8 * byte));
        }
        self.zeroed.next = zeroed;
    }

    fn connect(&mut self) {
        self.zeroed.connect();
    }

    fn hdl(&self) -> Verilog {
        Verilog::Custom(format!(
            "// module named_bytes: bytes that keep does not name are 0
integer i;
always @*
    for (i = 0; i < {K}; i = i + 1)
        zeroed[8*i +: 8] = keep[i] ? data[8*i +: 8] : 8'd0;
"
        ))
    }
}
