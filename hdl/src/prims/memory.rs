//! The simple dual-port memory: one write port, one read port, one clock.

use std::ops::Range;

use respray_hdl_macros::{LogicBlock, Part};
use rust_hdl::prelude::*;

use super::label::Label;
use super::parity::is_odd;
use super::votes::{Stored, Votes};
use super::{Optional, Word};
use crate::SIMULATES;
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
/// - With [`Self::with_parity`] each word has a parity bit above it, by which the number of ones is even. The memory makes it; whoever
///   reads the word looks at it.
/// - With [`Self::with_votes`] some bits are stored three times.
#[derive(LogicBlock, Default, Part)]
pub struct SimpleDualPort<A: Word, D: Word> {
    pub clk: Signal<In, Clock>,
    pub read_address: Signal<In, A>,
    pub read_data: Signal<Out, D>,
    pub write_enable: Signal<In, bool>,
    pub write_address: Signal<In, A>,
    pub write_data: Signal<In, D>,
    /// With parity: the parity bit of the word that is read.
    pub read_parity: Optional<Signal<Out, bool>>,
    /// Where the reads are held: a word is read.
    pub read_enable: Optional<Signal<In, bool>>,
    _label: Option<Label>,
    _has_output_register: bool,
    _is_cleared_by_arithmetic: bool,
    _votes: Option<Votes>,
    _address_bits: usize,
    _words: Vec<(D, bool)>,
    _read: (D, bool),
}

/// A word and its parity bit, every bit inverted.
fn inverted<D: Word>((word, parity): (D, bool)) -> (D, bool) {
    (word.inverted(), !parity)
}

impl<A: Word, D: Word> SimpleDualPort<A, D> {
    /// A memory whose module is called `name` in the Verilog and described as `about`.
    pub fn new(name: &'static str, about: &'static str, style: MemoryStyle) -> Self {
        Self {
            _label: Some(Label { name, about, kind: style }),
            _address_bits: A::BITS,
            _words: if SIMULATES { vec![inverted((D::default(), false)); 1 << A::BITS] } else { Vec::new() },
            ..Default::default()
        }
    }

    /// The same with only so many words, a power of two: the upper bits of an address do not matter.
    pub fn with_words(mut self, words: u32) -> Self {
        self._address_bits = words.trailing_zeros() as usize;
        self._words.truncate(words as usize);
        self
    }

    /// The same, with a parity bit a word if `has_parity`.
    pub fn with_parity(mut self, has_parity: bool) -> Self {
        self.read_parity = Optional::new(has_parity, Default::default);
        self
    }

    /// The same, with these bits of a word stored three times; two of three say what is read.
    ///
    /// # Panics
    /// If a word has no such bits.
    pub fn with_votes(mut self, bits: Range<usize>) -> Self {
        self._votes = Some(Votes::new(bits, D::BITS));
        self
    }

    /// The same, if `holds_reads` with a port that says when a word is read. Otherwise the one read last stays.
    ///
    /// # Panics
    /// With a register behind the array.
    pub fn with_held_reads(mut self, holds_reads: bool) -> Self {
        assert!(!self._has_output_register, "a memory with an output register reads every cycle");
        self.read_enable = Optional::new(holds_reads, Default::default);
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
        if SIMULATES && self.clk.pos_edge() {
            let last = self._words.len() - 1;
            let read = self.read_address.val().number() as usize & last;
            let write = self.write_address.val().number() as usize & last;
            let is_written = self.write_enable.val();
            let stored = self._words[read];
            let read = if is_written && write == read { inverted(stored) } else { stored };
            let (word, parity) = if self._has_output_register { self._read } else { read };
            if !self.read_enable.is_there() || self.read_enable.val() {
                self.read_data.next = word;
                if self.read_parity.is_there() {
                    self.read_parity.next = parity;
                }
            }
            self._read = read;
            if is_written {
                let word = self.write_data.val();
                self._words[write] = (word, is_odd(word));
            }
        }
    }

    fn connect(&mut self) {
        self.read_data.connect();
        if self.read_parity.is_there() {
            self.read_parity.connect();
        }
    }

    fn hdl(&self) -> Verilog {
        let Some(label) = self._label else { return Verilog::Empty };
        Verilog::Custom(text(&Array {
            label,
            word_bits: D::BITS,
            address_bits: A::BITS,
            used_address_bits: self._address_bits,
            has_parity: self.read_parity.is_there(),
            votes: self._votes.as_ref(),
            has_output_register: self._has_output_register,
            is_held: self.read_enable.is_there(),
            is_cleared_by_arithmetic: self._is_cleared_by_arithmetic,
        }))
    }
}

/// What the Verilog of a memory depends on.
struct Array<'a> {
    label: Label,
    word_bits: usize,
    address_bits: usize,
    /// Of these the lower ones that choose a word.
    used_address_bits: usize,
    has_parity: bool,
    votes: Option<&'a Votes>,
    has_output_register: bool,
    is_held: bool,
    is_cleared_by_arithmetic: bool,
}

/// The body of the module, and the comment above it. It is not generic, so that it is compiled once for all sizes.
fn text(array: &Array) -> String {
    let Label { name, about, .. } = array.label;
    let last = (1_usize << array.used_address_bits) - 1;
    let (low, unused) = match (array.used_address_bits, array.address_bits - 1) {
        (bits, top) if bits > top => (String::new(), String::new()),
        (bits, top) => (
            format!("[{}:0]", bits - 1),
            format!("wire unused = &{{1'b0, read_address[{top}:{bits}], write_address[{top}:{bits}]}};\n"),
        ),
    };
    let Stored { bits, written, comment, read: voted, output } = match (array.votes, array.has_parity) {
        (Some(_), true) => panic!("{name} has parity, and bits that are stored three times"),
        (votes, false) => Stored::new(votes, array.word_bits, None),
        (None, true) => Stored::with_parity(array.word_bits),
    };
    let (read, read_register, output_register) = match array.has_output_register {
        true => (
            "read_word",
            format!("reg [{}:0] read_word;\n", bits - 1),
            format!("    {output} <= read_word;\n"),
        ),
        false => (output, String::new(), String::new()),
    };
    let (enabled, and_enabled) = match array.is_held {
        true => ("if (read_enable) ", "read_enable && "),
        false => ("", ""),
    };
    format!(
        "// module {name}: {about}
// A read and a write of one address at one clock edge: the word read is not promised.
{comment}(* ram_style = \"{style}\", no_rw_check *)
reg [{msb}:0] words [0:{last}];
{read_register}{voted}{start}
always @(posedge clk) begin
    if (write_enable) words[write_address{low}] <= {written};
    {enabled}{read} <= words[read_address{low}];
`ifndef SYNTHESIS
    // What is not promised is garbage in simulation.
    if ({and_enabled}write_enable && write_address{low} == read_address{low}) {read} <= ~words[read_address{low}];
`endif
{output_register}end
{unused}",
        style = array.label.ram_style(),
        msb = bits - 1,
        last = last,
        start = if array.is_cleared_by_arithmetic {
            format!(
                "
`ifndef SYNTHESIS
`ifndef VERILATOR
// A word is cleared by arithmetic on what it holds. That may be any bits, but not unknown ones, which Verilator does not have.
integer place;
initial for (place = 0; place <= {last}; place = place + 1) words[place] = {bits}'d0;
`endif
`endif
",
                last = last,
            )
        } else {
            String::new()
        },
    )
}
