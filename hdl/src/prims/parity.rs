//! A word with a parity bit, and what computes the parity of a word.

use std::ops::BitOr;

use rust_hdl::prelude::*;

use super::Word;

/// What a memory stores where words have parity: the word, and a bit by which the number of ones is even.
///
/// A word of zeros is a guarded word of zeros. Any single bit that flips, the parity bit included, makes the number of ones odd.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Guarded<D: Word> {
    pub word: D,
    pub parity: bool,
}

impl<D: Word> Synth for Guarded<D> {
    const BITS: usize = D::BITS + 1;

    fn descriptor() -> TypeDescriptor {
        let field = |name: &str, kind| Box::new(TypeField { fieldname: name.to_string(), kind });
        TypeDescriptor {
            name: "Guarded".to_string(),
            kind: TypeKind::Composite(vec![
                field("word", D::descriptor()),
                field("parity", bool::descriptor()),
            ]),
        }
    }

    fn vcd(self) -> VCDValue {
        VCDValue::Composite(vec![Box::new(self.word.vcd()), Box::new(self.parity.vcd())])
    }

    fn verilog(self) -> VerilogLiteral {
        self.number().into()
    }
}

impl<D: Word> BitOr for Guarded<D> {
    type Output = Self;

    fn bitor(self, other: Self) -> Self {
        Guarded { word: self.word | other.word, parity: self.parity | other.parity }
    }
}

impl<D: Word> Word for Guarded<D> {
    fn inverted(self) -> Self {
        Guarded { word: self.word.inverted(), parity: !self.parity }
    }

    fn number(self) -> u128 {
        super::joined(&[(self.word.number(), D::BITS), (self.parity.into(), 1)])
    }
}

/// Whether the number of ones in a word is odd. Combinational.
#[derive(LogicBlock, Default)]
pub struct Parity<D: Word> {
    pub word: Signal<In, D>,
    pub odd: Signal<Out, bool>,
}

impl<D: Word> Logic for Parity<D> {
    fn update(&mut self) {
        self.odd.next = self.word.val().number().count_ones() % 2 == 1;
    }

    fn connect(&mut self) {
        self.odd.connect();
    }

    fn hdl(&self) -> Verilog {
        let text = "// module parity: whether the number of ones in a word is odd\nassign odd = ^word;\n";
        Verilog::Custom(text.to_string())
    }
}

/// Bits of [`ParityParts::parts`].
const PARTS: usize = 16;

/// The parity of a word in 16 parts, so that a register fits between: the number of ones in the word is odd if that in the parts is.
/// Combinational.
#[derive(LogicBlock, Default)]
pub struct ParityParts<D: Word> {
    pub word: Signal<In, D>,
    pub parts: Signal<Out, Bits<16>>,
}

impl<D: Word> Logic for ParityParts<D> {
    fn update(&mut self) {
        let word = self.word.val().number();
        let part = |lowest: usize| (word >> lowest) as u16;
        let parts = (0..D::BITS).step_by(PARTS).fold(0, |parts, lowest| parts ^ part(lowest));
        self.parts.next = u64::from(parts).into();
    }

    fn connect(&mut self) {
        self.parts.connect();
    }

    fn hdl(&self) -> Verilog {
        let part = |lowest: usize| match D::BITS - lowest {
            bits if bits >= PARTS => format!("word[{}:{lowest}]", lowest + PARTS - 1),
            bits => format!("{{{}'d0, word[{}:{lowest}]}}", PARTS - bits, D::BITS - 1),
        };
        let parts: Vec<String> = (0..D::BITS).step_by(PARTS).map(part).collect();
        Verilog::Custom(format!(
            "// module parity_parts: the parity of a word in 16 parts\nassign parts = {};\n",
            parts.join(" ^ ")
        ))
    }
}
