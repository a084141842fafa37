//! Which words of a search have a flipped bit.

use respray_hdl_macros::block;
use rust_hdl::prelude::*;

use super::WordParity;
use crate::comment;
use crate::prims::{Reg, Word};

/// Looks at the parity of the words that a search goes through, a word a cycle, and goes with them through its stages.
///
/// ```text
///   arrive            chosen                       octet           place
///   word, is_live ──► own_has_flip, has_flip ────► octet_has_flip ► place_has_flip
///                     own: of the first word, from its chosen stage on until the next search
/// ```
#[block]
pub struct Searched<D: Word> {
    /// Arrive stage: the word and its parity bit, and whether anything was written to it.
    pub word: Signal<In, D>,
    pub parity: Signal<In, bool>,
    pub is_live: Signal<In, bool>,
    /// Chosen stage: the word is the first one.
    pub is_first: Signal<In, bool>,
    pub has_flip: Signal<Out, bool>,
    pub own_has_flip: Signal<Out, bool>,
    pub octet_has_flip: Signal<Out, bool>,
    pub place_has_flip: Signal<Out, bool>,
    of_word: WordParity<D>,
    #[reset = false]
    was_live: Reg<bool>,
    #[reset = false]
    first_is_odd: Reg<bool>,
    #[reset = false]
    in_octet: Reg<bool>,
    #[reset = false]
    in_place: Reg<bool>,
}

#[block]
impl<D: Word> Searched<D> {
    fn update(&mut self) {
        comment!("module searched: which words of a search have a flipped bit");
        self.of_word.load = true;
        self.of_word.word = self.word;
        self.of_word.parity = self.parity;
        self.was_live = self.is_live;
        let is_odd = self.was_live & self.of_word.has_flip;
        self.has_flip = is_odd;
        let mut of_first = self.first_is_odd;
        if self.is_first {
            of_first = is_odd;
        }
        self.first_is_odd = of_first;
        self.own_has_flip = of_first;
        self.in_octet = is_odd;
        self.in_place = self.in_octet;
        self.octet_has_flip = self.in_octet;
        self.place_has_flip = self.in_place;
    }
}
