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
