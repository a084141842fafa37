//! What computes the parity of a word.

use respray_hdl_macros::{LogicBlock, Part};
use rust_hdl::prelude::*;

use super::Word;

/// Whether the number of ones in a word is odd.
pub(super) fn is_odd<D: Word>(word: D) -> bool {
    word.number().count_ones() % 2 == 1
}

/// Bits of [`ParityParts::parts`].
const PARTS: usize = 16;

/// The parity of a word and its parity bit in 16 parts, so that a register fits between: the number of ones in both is odd if that in
/// the parts is, and then a bit flipped. Combinational.
#[derive(LogicBlock, Default, Part)]
pub struct ParityParts<D: Word> {
    pub word: Signal<In, D>,
    pub parity: Signal<In, bool>,
    pub parts: Signal<Out, Bits<16>>,
}

impl<D: Word> Logic for ParityParts<D> {
    fn update(&mut self) {
        let word = self.word.val().number();
        let part = |lowest: usize| (word >> lowest) as u16;
        let parts = (0..D::BITS).step_by(PARTS).fold(0, |parts, lowest| parts ^ part(lowest));
        let parity = u16::from(self.parity.val()) << (D::BITS % PARTS);
        self.parts.next = u64::from(parts ^ parity).into();
    }

    fn connect(&mut self) {
        self.parts.connect();
    }

    fn hdl(&self) -> Verilog {
        let bits = D::BITS + 1;
        let part = |lowest: usize| match bits - lowest {
            1 => format!("{{15'd0, all[{lowest}]}}"),
            bits if bits >= PARTS => format!("all[{}:{lowest}]", lowest + PARTS - 1),
            bits => format!("{{{}'d0, all[{}:{lowest}]}}", PARTS - bits, D::BITS),
        };
        let parts: Vec<String> = (0..bits).step_by(PARTS).map(part).collect();
        Verilog::Custom(format!(
            "// module parity_parts: the parity of a word and its parity bit in 16 parts
wire [{}:0] all = {{parity, word}};
assign parts = {};
",
            D::BITS,
            parts.join(" ^ ")
        ))
    }
}
