//! The memory of a queue whose words can be changed on their way out.

use respray_hdl_macros::{LogicBlock, Part};
use rust_hdl::prelude::*;

use crate::SIMULATES;

use super::label::Label;
use crate::manifest::MemoryKind;

/// `2^A` words of `W` bits in `K` bytes: one write port, and one port that reads a word and replaces some of its bytes.
///
/// `read_data` is loaded at the edge at which `read_enable` is high, and holds otherwise: byte k is that of `patch_data` where
/// bit k of `patch` is set, else the word's. A word that was read holds nothing of use. Of block RAM the second port writes
/// the bytes back and shows what it writes (write-first, with byte enables), so that replacing them takes no LUT.
/// Words hold nothing of use before they are written, and a queue never reads the word that it is writing: the ports have a
/// process each, as there is no order of the two that a synthesiser would have to keep.
#[derive(LogicBlock, Default, Part)]
pub struct PatchMemory<const W: usize, const K: usize, const A: usize> {
    pub clk: Signal<In, Clock>,
    pub write_enable: Signal<In, Bit>,
    pub write_address: Signal<In, Bits<A>>,
    pub write_data: Signal<In, Bits<W>>,
    pub read_enable: Signal<In, Bit>,
    pub read_address: Signal<In, Bits<A>>,
    pub patch: Signal<In, Bits<K>>,
    pub patch_data: Signal<In, Bits<W>>,
    pub read_data: Signal<Out, Bits<W>>,
    _label: Option<Label>,
    _words: Vec<Bits<W>>,
}

impl<const W: usize, const K: usize, const A: usize> PatchMemory<W, K, A> {
    /// Its module is called `name` and described as `about`.
    ///
    /// # Panics
    /// If `W` bits are not `K` bytes.
    pub fn new(name: &'static str, about: &'static str, kind: MemoryKind) -> Self {
        assert!(W == 8 * K, "memory {name}: {W} bits are not {K} bytes");
        let label = Label { name, about, kind };
        Self { _label: Some(label), _words: vec![Bits::default(); 1 << A], ..Default::default() }
    }
}

impl<const W: usize, const K: usize, const A: usize> Logic for PatchMemory<W, K, A> {
    fn update(&mut self) {
        if SIMULATES && self.clk.pos_edge() {
            if self.read_enable.val() {
                let mut word = self._words[self.read_address.val().index()];
                for byte in (0..K).filter(|&byte| self.patch.val().get_bit(byte)) {
                    word.set_bits::<8>(8 * byte, self.patch_data.val().get_bits::<8>(8 * byte));
                }
                self.read_data.next = word;
            }
            if self.write_enable.val() {
                self._words[self.write_address.val().index()] = self.write_data.val();
            }
        }
    }

    fn connect(&mut self) {
        self.read_data.connect();
    }

    fn hdl(&self) -> Verilog {
        let Some(label @ Label { name, about, kind }) = self._label else { return Verilog::Empty };
        let back = match kind {
            MemoryKind::Block | MemoryKind::Ultra => {
                "words[read_address][8*i +: 8] <= patch_data[8*i +: 8];\n                "
            }
            MemoryKind::Distributed => "",
        };
        Verilog::Custom(format!(
            "// module {name}: {about}
(* ram_style = \"{style}\" *)
reg [{msb}:0] words [0:{last}];

always @(posedge clk)
    if (write_enable) words[write_address] <= write_data;

integer i;
always @(posedge clk)
    if (read_enable)
        for (i = 0; i < {bytes}; i = i + 1)
            if (patch[i]) begin
                {back}read_data[8*i +: 8] <= patch_data[8*i +: 8];
            end else read_data[8*i +: 8] <= words[read_address][8*i +: 8];
",
            style = label.ram_style(),
            msb = W - 1,
            last = (1u64 << A) - 1,
            bytes = K,
        ))
    }
}
