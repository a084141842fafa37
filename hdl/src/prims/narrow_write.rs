//! A memory written in narrow words and read in wide ones, or in words as wide.

use respray_hdl_macros::{LogicBlock, Part};
use rust_hdl::prelude::*;

use crate::SIMULATES;

use super::label::Label;
use super::{MemoryStyle, Optional, Word};

/// A memory with a narrow write port and a wide read port on one clock.
///
/// `NARROW` and `WIDE` are the widths of the words, `NARROW_ADDRESS` and `WIDE_ADDRESS` those of the addresses. The narrow word at
/// address `a` is bits `NARROW * (a mod r)` and up of the wide word at `a / r`, with `r = WIDE / NARROW`, which may be 1.
///
/// - Reads every cycle; the word appears one clock edge after its address.
/// - A write into the wide word that is read at the same clock edge: the write is done, **the read is not promised**, none of
///   its bits. In simulation, Rust and Verilog, the old word comes inverted.
/// - Words hold nothing of use before they are written: the core that owns a memory clears it after reset.
#[derive(LogicBlock, Default, Part)]
pub struct NarrowWrite<
    const NARROW: usize,
    const NARROW_ADDRESS: usize,
    const WIDE: usize,
    const WIDE_ADDRESS: usize,
> {
    pub clk: Signal<In, Clock>,
    pub read_address: Signal<In, Bits<WIDE_ADDRESS>>,
    pub read_data: Signal<Out, Bits<WIDE>>,
    pub write_enable: Signal<In, bool>,
    pub write_address: Signal<In, Bits<NARROW_ADDRESS>>,
    pub write_data: Signal<In, Bits<NARROW>>,
    /// Where the reads are held: a word is read.
    pub read_enable: Optional<Signal<In, bool>>,
    _label: Option<Label>,
    _words: Vec<Bits<WIDE>>,
}

impl<const NARROW: usize, const NARROW_ADDRESS: usize, const WIDE: usize, const WIDE_ADDRESS: usize>
    NarrowWrite<NARROW, NARROW_ADDRESS, WIDE, WIDE_ADDRESS>
{
    /// A memory whose module is called `name` in the Verilog and described as `about`.
    ///
    /// # Panics
    /// If the two ports do not see the same number of bits.
    pub fn new(name: &'static str, about: &'static str, style: MemoryStyle) -> Self {
        assert!(
            NARROW_ADDRESS >= WIDE_ADDRESS && NARROW << (NARROW_ADDRESS - WIDE_ADDRESS) == WIDE,
            "memory {name}: 2^{NARROW_ADDRESS} words of {NARROW} bits are not 2^{WIDE_ADDRESS} words of {WIDE} bits"
        );
        Self {
            _label: Some(Label { name, about, kind: style }),
            _words: vec![Bits::default().inverted(); 1 << WIDE_ADDRESS],
            ..Default::default()
        }
    }

    /// The same, if `holds_reads` with a port that says when a word is read. Otherwise the one read last stays.
    pub fn with_held_reads(mut self, holds_reads: bool) -> Self {
        self.read_enable = Optional::new(holds_reads, Default::default);
        self
    }
}

impl<const NARROW: usize, const NARROW_ADDRESS: usize, const WIDE: usize, const WIDE_ADDRESS: usize> Logic
    for NarrowWrite<NARROW, NARROW_ADDRESS, WIDE, WIDE_ADDRESS>
{
    fn update(&mut self) {
        if SIMULATES && self.clk.pos_edge() {
            let read = self.read_address.val().index();
            let place = self.write_address.val().index();
            let write = place >> (NARROW_ADDRESS - WIDE_ADDRESS);
            let is_written = self.write_enable.val();
            let word = self._words[read];
            if !self.read_enable.is_there() || self.read_enable.val() {
                self.read_data.next = if is_written && write == read { word.inverted() } else { word };
            }
            if is_written {
                let offset = NARROW * (place % (WIDE / NARROW));
                self._words[write].set_bits(offset, self.write_data.val());
            }
        }
    }

    fn connect(&mut self) {
        self.read_data.connect();
    }

    fn hdl(&self) -> Verilog {
        let Some(label @ Label { name, about, .. }) = self._label else { return Verilog::Empty };
        let ratio = WIDE / NARROW;
        let (read, and_enabled) = match self.read_enable.is_there() {
            true => (format!("    if (read_enable)\n{}", reading(NARROW, ratio, 8, "")), "read_enable && "),
            false => (reading(NARROW, ratio, 4, ""), ""),
        };
        let spoilt = reading(NARROW, ratio, 8, "~");
        let index = if ratio > 1 { "integer i;\n" } else { "" };
        Verilog::Custom(format!(
            "// module {name}: {about}
// A write into the word that is read at the same clock edge: the word read is not promised.
(* ram_style = \"{style}\", no_rw_check *)
reg [{narrow_msb}:0] words [0:{last}];

{index}always @(posedge clk) begin
    if (write_enable) words[write_address] <= write_data;
{read}
`ifndef SYNTHESIS
    // What is not promised is garbage in simulation.
    if ({and_enabled}write_enable && write_address[{address_msb}:{address_lsb}] == read_address)
{spoilt}
`endif
end
",
            style = label.ram_style(),
            narrow_msb = NARROW - 1,
            last = (1u64 << NARROW_ADDRESS) - 1,
            address_msb = NARROW_ADDRESS - 1,
            address_lsb = NARROW_ADDRESS - WIDE_ADDRESS,
        ))
    }
}

/// The statement, `indent` columns in, that reads `ratio` words of `narrow` bits with `operator` before each.
fn reading(narrow: usize, ratio: usize, indent: usize, operator: &str) -> String {
    let space = " ".repeat(indent);
    if ratio == 1 {
        return format!("{space}read_data <= {operator}words[read_address];");
    }
    let msb = ratio.ilog2() - 1;
    format!(
        "{space}for (i = 0; i < {ratio}; i = i + 1)
{space}    read_data[{narrow}*i +: {narrow}] <= {operator}words[{{read_address, i[{msb}:0]}}];"
    )
}
