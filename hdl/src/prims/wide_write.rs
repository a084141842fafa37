//! A memory written in wide words and read in narrow ones.

use respray_hdl_macros::{LogicBlock, Part};
use rust_hdl::prelude::*;

use crate::SIMULATES;

use super::label::Label;
use super::{MemoryStyle, Word};

/// A memory with a wide write port and a narrow read port on one clock: block RAM has both widths, so it chooses the narrow word
/// without a LUT.
///
/// `WIDE` and `NARROW` are the widths of the words, `WIDE_ADDRESS` and `NARROW_ADDRESS` those of the addresses. The narrow word at
/// address `a` is bits `NARROW * (a mod r)` and up of the wide word at `a / r`, with `r = WIDE / NARROW`, which is 2 or more.
///
/// - Reads every cycle; the word appears one clock edge after its address.
/// - A write into the wide word that is read at the same clock edge: the write is done, **the read is not promised**, none of
///   its bits. In simulation, Rust and Verilog, the old word comes inverted.
/// - Words hold nothing of use before they are written.
#[derive(LogicBlock, Default, Part)]
pub struct WideWrite<
    const WIDE: usize,
    const WIDE_ADDRESS: usize,
    const NARROW: usize,
    const NARROW_ADDRESS: usize,
> {
    pub clk: Signal<In, Clock>,
    pub read_address: Signal<In, Bits<NARROW_ADDRESS>>,
    pub read_data: Signal<Out, Bits<NARROW>>,
    pub write_enable: Signal<In, bool>,
    pub write_address: Signal<In, Bits<WIDE_ADDRESS>>,
    pub write_data: Signal<In, Bits<WIDE>>,
    _label: Option<Label>,
    _words: Vec<Bits<NARROW>>,
}

impl<const WIDE: usize, const WIDE_ADDRESS: usize, const NARROW: usize, const NARROW_ADDRESS: usize>
    WideWrite<WIDE, WIDE_ADDRESS, NARROW, NARROW_ADDRESS>
{
    /// A memory whose module is called `name` in the Verilog and described as `about`.
    ///
    /// # Panics
    /// If the two ports do not see the same number of bits, or words as wide.
    pub fn new(name: &'static str, about: &'static str, style: MemoryStyle) -> Self {
        assert!(
            NARROW_ADDRESS > WIDE_ADDRESS && NARROW << (NARROW_ADDRESS - WIDE_ADDRESS) == WIDE,
            "memory {name}: 2^{WIDE_ADDRESS} words of {WIDE} bits are not 2^{NARROW_ADDRESS} words of {NARROW} bits"
        );
        Self {
            _label: Some(Label { name, about, kind: style }),
            _words: vec![Bits::default().inverted(); 1 << NARROW_ADDRESS],
            ..Default::default()
        }
    }
}

impl<const WIDE: usize, const WIDE_ADDRESS: usize, const NARROW: usize, const NARROW_ADDRESS: usize> Logic
    for WideWrite<WIDE, WIDE_ADDRESS, NARROW, NARROW_ADDRESS>
{
    fn update(&mut self) {
        if SIMULATES && self.clk.pos_edge() {
            let ratio = WIDE / NARROW;
            let read = self.read_address.val().index();
            let write = self.write_address.val().index();
            let is_written = self.write_enable.val();
            let word = self._words[read];
            self.read_data.next = if is_written && write == read / ratio { word.inverted() } else { word };
            if is_written {
                for part in 0..ratio {
                    self._words[write * ratio + part] = self.write_data.val().get_bits(NARROW * part);
                }
            }
        }
    }

    fn connect(&mut self) {
        self.read_data.connect();
    }

    fn hdl(&self) -> Verilog {
        let Some(label @ Label { name, about, .. }) = self._label else { return Verilog::Empty };
        let ratio = WIDE / NARROW;
        Verilog::Custom(format!(
            "// module {name}: {about}
// A write into the wide word that is read at the same clock edge: the word read is not promised.
(* ram_style = \"{style}\", no_rw_check *)
reg [{narrow_msb}:0] words [0:{last}];

integer i;
always @(posedge clk) begin
    if (write_enable)
        for (i = 0; i < {ratio}; i = i + 1)
            words[{{write_address, i[{part_msb}:0]}}] <= write_data[{NARROW}*i +: {NARROW}];
    read_data <= words[read_address];
`ifndef SYNTHESIS
    // What is not promised is garbage in simulation.
    if (write_enable && write_address == read_address[{address_msb}:{address_lsb}])
        read_data <= ~words[read_address];
`endif
end
",
            style = label.ram_style(),
            narrow_msb = NARROW - 1,
            last = (1u64 << NARROW_ADDRESS) - 1,
            part_msb = ratio.ilog2() - 1,
            address_msb = NARROW_ADDRESS - 1,
            address_lsb = NARROW_ADDRESS - WIDE_ADDRESS,
        ))
    }
}
