//! Whether a bit of a word had flipped.

use respray_hdl_macros::block;
use rust_hdl::prelude::*;

use crate::comment;
use crate::prims::{ParityParts, Reg, Word};

/// Looks at the parity of a word that a memory with parity gives, and says a cycle later whether a bit had flipped.
///
/// A register takes the parity in parts, as a memory is slow, and what is left of it is done behind the register. It has no reset: of a
/// word that was never written nothing is known, so that only who knows that the word was written may ask.
#[block(no_reset)]
pub struct WordParity<D: Word> {
    /// The word is looked at; otherwise what was said of the last one stays.
    pub load: Signal<In, bool>,
    pub word: Signal<In, D>,
    pub parity: Signal<In, bool>,
    /// A cycle later.
    pub has_flip: Signal<Out, bool>,
    of_word: ParityParts<D>,
    parts: Reg<Bits<16>>,
}

#[block]
impl<D: Word> WordParity<D> {
    fn update(&mut self) {
        comment!("module word_parity: whether a bit of a word had flipped");
        self.of_word.word = self.word;
        self.of_word.parity = self.parity;
        if self.load {
            self.parts = self.of_word.parts;
        }
        self.has_flip = self.parts.xor();
    }
}
