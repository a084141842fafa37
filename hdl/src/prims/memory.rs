//! The simple dual-port memory: one write port, one read port, one clock.

use rust_hdl::prelude::*;

use super::Word;
use super::label::Label;
use crate::manifest::MemoryKind;

/// What synthesis is asked to make of a memory.
pub type MemoryStyle = MemoryKind;

/// A memory of `2^A::BITS` words with one write port and one read port on one clock.
///
/// ```text
///                  ┌───────────┐
///   write_* ──────►│   words   │──► read_data, one cycle (two with an output register)
///   read_address ─►│           │    after read_address
///                  └───────────┘
/// ```
///
/// - Reads every cycle. The word appears one clock edge after its address, with [`Self::with_output_register`] two.
/// - A read and a write of one address at one clock edge: the write is done, **the read is not promised**. Both the
///   Rust side and the Verilog in simulation give the old word inverted then, so that whoever relies on it is found
///   out. Synthesis is told that it may do what is cheapest.
/// - Words hold nothing of use before they are written: the core that owns a memory clears it after reset.
#[derive(LogicBlock, Default)]
pub struct SimpleDualPort<A: Word, D: Word> {
    pub clk: Signal<In, Clock>,
    pub read_address: Signal<In, A>,
    pub read_data: Signal<Out, D>,
    pub write_enable: Signal<In, bool>,
    pub write_address: Signal<In, A>,
    pub write_data: Signal<In, D>,
    _label: Option<Label>,
    _has_output_register: bool,
    _is_cleared_by_arithmetic: bool,
    _address_bits: usize,
    _words: Vec<D>,
    _read: D,
}

impl<A: Word, D: Word> SimpleDualPort<A, D> {
    /// A memory whose module is called `name` in the Verilog and described as `about`.
    pub fn new(name: &'static str, about: &'static str, style: MemoryStyle) -> Self {
        Self {
            _label: Some(Label { name, about, kind: style }),
            _address_bits: A::BITS,
            _words: vec![D::default().inverted(); 1 << A::BITS],
            ..Default::default()
        }
    }

    /// The same with only so many words, a power of two: the upper bits of an address do not matter.
    pub fn with_words(mut self, words: u32) -> Self {
        self._address_bits = words.trailing_zeros() as usize;
        self._words.truncate(words as usize);
        self
    }

    /// The same with a register behind the array: a cycle later, and the clock-to-output time of a register.
    pub fn with_output_register(mut self) -> Self {
        self._has_output_register = true;
        self
    }

    /// The same for a core that clears a word by arithmetic on what it holds, as a number less itself. That is 0 for any bits, as
    /// hardware starts with some; but a simulator that knows unknown bits takes unknown less unknown for unknown. It gets zeros.
    pub fn cleared_by_arithmetic(mut self) -> Self {
        self._is_cleared_by_arithmetic = true;
        self
    }
}

impl<A: Word, D: Word> Logic for SimpleDualPort<A, D> {
    fn update(&mut self) {
        if self.clk.pos_edge() {
            let last = self._words.len() - 1;
            let read = self.read_address.val().number() as usize & last;
            let write = self.write_address.val().number() as usize & last;
            let is_written = self.write_enable.val();
            let word =
                if is_written && write == read { self._words[read].inverted() } else { self._words[read] };
            self.read_data.next = if self._has_output_register { self._read } else { word };
            self._read = word;
            if is_written {
                self._words[write] = self.write_data.val();
            }
        }
    }

    fn connect(&mut self) {
        self.read_data.connect();
    }

    fn hdl(&self) -> Verilog {
        let Some(label @ Label { name, about, .. }) = self._label else { return Verilog::Empty };
        let (low, unused) = match (self._address_bits, A::BITS - 1) {
            (bits, top) if bits > top => (String::new(), String::new()),
            (bits, top) => (
                format!("[{}:0]", bits - 1),
                format!(
                    "wire unused = &{{1'b0, read_address[{top}:{bits}], write_address[{top}:{bits}]}};\n"
                ),
            ),
        };
        Verilog::Custom(format!(
            "// module {name}: {about}
// A read and a write of one address at one clock edge: the word read is not promised.
(* ram_style = \"{style}\", no_rw_check *)
reg [{msb}:0] words [0:{last}];
{read_register}{start}
always @(posedge clk) begin
    if (write_enable) words[write_address{low}] <= write_data;
    {read} <= words[read_address{low}];
`ifndef SYNTHESIS
    // What is not promised is garbage in simulation.
    if (write_enable && write_address{low} == read_address{low}) {read} <= ~words[read_address{low}];
`endif
{output_register}end
{unused}",
            style = label.ram_style(),
            msb = D::BITS - 1,
            last = self._words.len() - 1,
            read = if self._has_output_register { "read_word" } else { "read_data" },
            read_register = if self._has_output_register {
                format!("reg [{}:0] read_word;\n", D::BITS - 1)
            } else {
                String::new()
            },
            start = if self._is_cleared_by_arithmetic {
                format!(
                    "
`ifndef SYNTHESIS
// A word is cleared by arithmetic on what it holds, which may be any bits, but not unknown ones in simulation.
integer place;
initial for (place = 0; place <= {last}; place = place + 1) if (^words[place] === 1'bx) words[place] = {bits}'d0;
`endif
",
                    last = self._words.len() - 1,
                    bits = D::BITS,
                )
            } else {
                String::new()
            },
            output_register = if self._has_output_register { "    read_data <= read_word;\n" } else { "" },
        ))
    }
}
