//! The memory of a queue, written at one address and read at another.

use std::ops::Range;

use respray_hdl_macros::{LogicBlock, Part};
use rust_hdl::prelude::*;

use crate::SIMULATES;

use super::label::Label;
use super::votes::{Stored, Votes};
use crate::manifest::MemoryKind;

/// `2^A` words, one write port, one read port, one clock.
///
/// `read_data` is loaded at the edge at which `read_enable` is high, and holds otherwise. Words hold nothing of use before
/// they are written, and a queue never reads the word that it is writing: what it would get is not promised.
#[derive(LogicBlock, Default, Part)]
pub struct QueueMemory<T: Synth, const A: usize> {
    pub clk: Signal<In, Clock>,
    pub write_enable: Signal<In, Bit>,
    pub write_address: Signal<In, Bits<A>>,
    pub write_data: Signal<In, T>,
    pub read_enable: Signal<In, Bit>,
    pub read_address: Signal<In, Bits<A>>,
    pub read_data: Signal<Out, T>,
    _label: Option<Label>,
    _words: Vec<T>,
    _votes: Option<Votes>,
}

impl<T: Synth, const A: usize> QueueMemory<T, A> {
    /// Its module is called `name` and described as `about`.
    pub fn new(name: &'static str, about: &'static str, kind: MemoryKind) -> Self {
        let label = Label { name, about, kind };
        Self { _label: Some(label), _words: vec![T::default(); 1 << A], ..Default::default() }
    }

    /// The same, with these bits of a word stored three times; two of three say what is read.
    ///
    /// # Panics
    /// If a word has no such bits.
    pub fn with_votes(mut self, bits: Range<usize>) -> Self {
        self._votes = Some(Votes::new(bits, T::BITS));
        self
    }
}

impl<T: Synth, const A: usize> Logic for QueueMemory<T, A> {
    fn update(&mut self) {
        if SIMULATES && self.clk.pos_edge() {
            if self.read_enable.val() {
                self.read_data.next = self._words[self.read_address.val().index()];
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
        let Some(label @ Label { name, about, .. }) = self._label else { return Verilog::Empty };
        let Stored { bits, written, comment, read, output } =
            Stored::new(self._votes.as_ref(), T::BITS, None);
        Verilog::Custom(format!(
            "// module {name}: {about}
{comment}(* ram_style = \"{style}\" *)
reg [{msb}:0] words [0:{last}];
{read}
always @(posedge clk) begin
    if (write_enable) words[write_address] <= {written};
    if (read_enable) {output} <= words[read_address];
end
",
            style = label.ram_style(),
            msb = bits - 1,
            last = (1u64 << A) - 1,
        ))
    }
}

/// 32 words, one write port, one read port whose word comes with the address, in the cycle after it was written at the earliest.
#[derive(LogicBlock, Default, Part)]
pub struct DirectMemory<T: Synth> {
    pub clk: Signal<In, Clock>,
    pub write_enable: Signal<In, Bit>,
    pub write_address: Signal<In, Bits<5>>,
    pub write_data: Signal<In, T>,
    pub read_address: Signal<In, Bits<5>>,
    pub read_data: Signal<Out, T>,
    _label: Option<Label>,
    _words: Vec<T>,
    _votes: Option<Votes>,
}

impl<T: Synth> DirectMemory<T> {
    /// Its module is called `name` and described as `about`.
    pub fn new(name: &'static str, about: &'static str) -> Self {
        let label = Label { name, about, kind: MemoryKind::Distributed };
        Self { _label: Some(label), _words: vec![T::default(); 32], ..Default::default() }
    }

    /// The same, with these bits of a word stored three times; two of three say what is read.
    ///
    /// # Panics
    /// If a word has no such bits.
    pub fn with_votes(mut self, bits: Range<usize>) -> Self {
        self._votes = Some(Votes::new(bits, T::BITS));
        self
    }
}

impl<T: Synth> Logic for DirectMemory<T> {
    fn update(&mut self) {
        if self.clk.pos_edge() && self.write_enable.val() {
            self._words[self.write_address.val().index()] = self.write_data.val();
        }
        self.read_data.next = self._words[self.read_address.val().index()];
    }

    fn connect(&mut self) {
        self.read_data.connect();
    }

    fn hdl(&self) -> Verilog {
        let Some(label @ Label { name, about, .. }) = self._label else { return Verilog::Empty };
        let Stored { bits, written, comment, read, .. } =
            Stored::new(self._votes.as_ref(), T::BITS, Some("words[read_address]"));
        Verilog::Custom(format!(
            "// module {name}: {about}
{comment}(* ram_style = \"{style}\" *)
reg [{msb}:0] words [0:31];

{read}
always @(posedge clk) begin
    if (write_enable) words[write_address] <= {written};
end
",
            style = label.ram_style(),
            msb = bits - 1,
        ))
    }
}
