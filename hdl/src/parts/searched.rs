//! Which words of a search have a flipped bit.

use respray_hdl_macros::hdl_gen;
use rust_hdl::prelude::*;

use super::WordParity;
use crate::comment;
use crate::prims::Word;

/// Looks at the parity of the words that a search goes through, a word a cycle, and goes with them through its stages.
///
/// ```text
///   arrive            chosen                       octet           place
///   word, is_live ──► own_has_flip, has_flip ────► octet_has_flip ► place_has_flip
///                     own: of the first word, from its chosen stage on until the next search
/// ```
#[derive(LogicBlock, Default)]
pub struct Searched<D: Word> {
    pub clk: Signal<In, Clock>,
    pub rst: Signal<In, bool>,
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
    was_live: DFF<bool>,
    is_odd: Signal<Local, bool>,
    of_first: Signal<Local, bool>,
    first_is_odd: DFF<bool>,
    in_octet: DFF<bool>,
    in_place: DFF<bool>,
}

impl<D: Word> Logic for Searched<D> {
    #[hdl_gen]
    fn update(&mut self) {
        comment!("module searched: which words of a search have a flipped bit");
        dff_setup!(self, clk, was_live, first_is_odd, in_octet, in_place);
        self.of_word.clk.next = self.clk.val();
        self.of_word.load.next = true;
        self.of_word.word.next = self.word.val();
        self.of_word.parity.next = self.parity.val();
        self.was_live.d.next = self.is_live.val();
        self.is_odd.next = self.was_live.q.val() & self.of_word.has_flip.val();
        self.has_flip.next = self.is_odd.val();
        self.of_first.next = self.first_is_odd.q.val();
        if self.is_first.val() {
            self.of_first.next = self.is_odd.val();
        }
        self.first_is_odd.d.next = self.of_first.val();
        self.own_has_flip.next = self.of_first.val();
        self.in_octet.d.next = self.is_odd.val();
        self.in_place.d.next = self.in_octet.q.val();
        self.octet_has_flip.next = self.in_octet.q.val();
        self.place_has_flip.next = self.in_place.q.val();
        if self.rst.val() {
            self.was_live.d.next = false;
            self.first_is_odd.d.next = false;
            self.in_octet.d.next = false;
            self.in_place.d.next = false;
        }
    }
}
