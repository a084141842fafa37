//! Whether a bit of a word had flipped.

use respray_hdl_macros::hdl_gen;
use rust_hdl::prelude::*;

use crate::comment;
use crate::prims::{ParityParts, Word};

/// Looks at the parity of a word that a memory with parity gives, and says a cycle later whether a bit had flipped.
///
/// A register takes the parity in parts, as a memory is slow, and what is left of it is done behind the register. It has no reset: of a
/// word that was never written nothing is known, so that only who knows that the word was written may ask.
#[derive(LogicBlock, Default)]
pub struct WordParity<D: Word> {
    pub clk: Signal<In, Clock>,
    /// The word is looked at; otherwise what was said of the last one stays.
    pub load: Signal<In, bool>,
    pub word: Signal<In, D>,
    pub parity: Signal<In, bool>,
    /// A cycle later.
    pub has_flip: Signal<Out, bool>,
    of_word: ParityParts<D>,
    parts: DFF<Bits<16>>,
}

impl<D: Word> Logic for WordParity<D> {
    #[hdl_gen]
    fn update(&mut self) {
        comment!("module word_parity: whether a bit of a word had flipped");
        dff_setup!(self, clk, parts);
        self.of_word.word.next = self.word.val();
        self.of_word.parity.next = self.parity.val();
        if self.load.val() {
            self.parts.d.next = self.of_word.parts.val();
        }
        self.has_flip.next = self.parts.q.val().xor();
    }
}
