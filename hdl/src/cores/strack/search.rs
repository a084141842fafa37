//! The search for a path without a mark.

use respray_hdl_macros::hdl_gen;
use rust_hdl::prelude::*;

use crate::comment;
use crate::parts::Searched;
use crate::prims::{FirstClear, Optional, Param};

/// Reads words of marks and finds the first path without one, from the path that an op begins with on and around.
///
/// ```text
///  cycle    0                1         2         3        4
///  found,   fetch ─────────► arrive ─► chosen ─► octet ─► place: the first clear bit of the word, a word a cycle
///  RAM address               RAM word  the word of the op's own path is kept, for its mark to be changed
/// ```
///
/// Words follow each other until the search is done; those that were fetched too many are forgotten. Where the search comes back
/// to the word that it began with, all marks above its path are set, and one below is clear, or else it ends at this path.
///
/// With parity, a word with a flipped bit has no mark to the op, so that a search ends with it.
#[derive(LogicBlock, Default)]
pub struct Search {
    pub clk: Signal<In, Clock>,
    pub rst: Signal<In, bool>,
    /// The path that the op begins with is found.
    pub found: Signal<In, bool>,
    pub path: Signal<In, Bits<8>>,
    /// The highest path that is explored.
    pub highest: Signal<In, Bits<8>>,
    /// Words of the connection that were written since `init`; the others read 0.
    pub live: Signal<In, Bits<8>>,
    /// The op is done.
    pub done: Signal<In, bool>,

    /// Number of the word to read, and the word a cycle later.
    pub fetch: Signal<Out, Bits<3>>,
    pub word: Signal<In, Bits<32>>,
    /// One cycle: the word of the op's own path is kept, and whether the path has a mark.
    pub chosen: Signal<Out, bool>,
    pub kept: Signal<Out, Bits<32>>,
    pub is_marked: Signal<Out, bool>,
    /// A word was searched: the search ends with it, with this path, and whether that is the op's own with its mark.
    pub ends: Signal<Out, bool>,
    pub place: Signal<Out, Bits<8>>,
    pub comes_back: Signal<Out, bool>,
    /// With parity: the parity bit of the word. With `chosen` and with `ends`: the word has a flipped bit.
    pub parity: Optional<Signal<In, bool>>,
    pub own_has_flip: Optional<Signal<Out, bool>>,
    pub end_has_flip: Optional<Signal<Out, bool>>,

    word_of_path: Signal<Local, Bits<3>>,
    last_word: Signal<Local, Bits<3>>,
    fetching: Signal<Local, Bits<3>>,
    marks: Signal<Local, Bits<32>>,
    coarse: Signal<Local, Bits<2>>,
    fine: Signal<Local, Bits<3>>,
    below: Signal<Local, Bits<8>>,
    octets_from: Signal<Local, Bits<4>>,
    octet_of_path: Signal<Local, Bits<4>>,
    mask: Signal<Local, Bits<8>>,
    searched: Signal<Local, Bits<32>>,
    full_octets: Signal<Local, Bits<7>>,
    eight: Signal<Local, Bits<8>>,
    offset: Signal<Local, Bits<5>>,
    first_octet: FirstClear,
    first_bit: FirstClear,
    candidate: Signal<Local, Bits<8>>,
    fits: Signal<Local, bool>,
    is_back: Signal<Local, bool>,

    in_fetch: DFF<bool>,
    in_arrive: DFF<bool>,
    in_chosen: DFF<bool>,
    in_octet: DFF<bool>,
    in_place: DFF<bool>,
    next_fetch: DFF<Bits<3>>,
    is_live: DFF<bool>,
    own_word: DFF<Bits<32>>,
    word_searched: DFF<Bits<32>>,
    octet: DFF<Bits<8>>,
    octet_number: DFF<Bits<2>>,
    place_in_word: DFF<Bits<5>>,
    has_place: DFF<bool>,
    place_word: DFF<Bits<3>>,
    was_searched: DFF<bool>,

    searched_words: Optional<Searched<Bits<32>>>,
    has_parity: Param<bool>,
}

impl Search {
    /// The block, for words with parity or without.
    pub fn new(has_parity: bool) -> Self {
        Self {
            parity: Optional::new(has_parity, Default::default),
            own_has_flip: Optional::new(has_parity, Default::default),
            end_has_flip: Optional::new(has_parity, Default::default),
            searched_words: Optional::new(has_parity, Default::default),
            has_parity: Param::new(has_parity),
            ..Default::default()
        }
    }
}

impl Logic for Search {
    #[hdl_gen]
    fn update(&mut self) {
        comment!("module search: the first path without a mark, from one path on and around");
        dff_setup!(self, clk, in_fetch, in_arrive, in_chosen, in_octet, in_place, next_fetch, is_live);
        dff_setup!(self, clk, own_word, word_searched, octet, octet_number, place_in_word, has_place);
        dff_setup!(self, clk, place_word, was_searched);
        self.word_of_path.next = self.path.val().get_bits::<3>(5);
        self.last_word.next = self.highest.val().get_bits::<3>(5);

        comment!("Fetch: the word of the path, then the others around.");
        self.fetching.next = self.next_fetch.q.val();
        if self.found.val() {
            self.fetching.next = self.word_of_path.val();
        }
        self.fetch.next = self.fetching.val();
        self.next_fetch.d.next = self.fetching.val() + 1;
        if self.fetching.val() == self.last_word.val() {
            self.next_fetch.d.next = 0.into();
        }
        self.is_live.d.next = self.live.val().get_bit(self.fetching.val().index());
        self.in_fetch.d.next = (self.found.val() | self.in_fetch.q.val()) & !self.done.val();
        self.in_arrive.d.next = (self.found.val() | self.in_fetch.q.val()) & !self.done.val();
        self.in_chosen.d.next = self.in_arrive.q.val() & !self.done.val();
        self.in_octet.d.next = self.in_chosen.q.val() & !self.done.val();
        self.in_place.d.next = self.in_octet.q.val() & !self.done.val();

        comment!("Arrive: in the first word, paths below the one to begin with are no candidates.");
        self.marks.next = 0.into();
        if self.is_live.q.val() {
            self.marks.next = self.word.val();
        }
        self.coarse.next = self.path.val().get_bits::<2>(3);
        self.fine.next = self.path.val().get_bits::<3>(0);
        self.below.next = !(bits::<8>(255) << self.fine.val());
        self.octets_from.next = 15.into();
        self.octet_of_path.next = 0.into();
        if !self.in_chosen.q.val() {
            self.own_word.d.next = self.marks.val();
            self.octets_from.next = bits::<4>(15) << self.coarse.val();
            self.octet_of_path.next = bits::<4>(1) << self.coarse.val();
        }
        self.searched.next = 0.into();
        for i in 0..4 {
            self.mask.next = 255.into();
            if self.octets_from.val().get_bit(i) {
                self.mask.next = 0.into();
            }
            if self.octet_of_path.val().get_bit(i) {
                self.mask.next = self.below.val();
            }
            self.eight.next = self.marks.val().get_bits::<8>(8 * i) | self.mask.val();
            self.searched.next = (self.searched.val() >> 8) | (bit_cast::<32, 8>(self.eight.val()) << 24);
        }
        self.word_searched.d.next = self.searched.val();

        comment!("Chosen: the first octet with a path that has no mark. Octet: the path in it.");
        self.full_octets.next = 0.into();
        for i in 0..4 {
            self.full_octets.next =
                self.full_octets.val().replace_bit(i, self.word_searched.q.val().get_bits::<8>(8 * i).all());
        }
        self.first_octet.flags.next = self.full_octets.val();
        self.octet_number.d.next = bit_cast::<2, 3>(self.first_octet.place.val());
        self.offset.next = bit_cast::<5, 3>(self.first_octet.place.val()) << 3;
        self.octet.d.next = self.word_searched.q.val().get_bits::<8>(self.offset.val().index());
        self.first_bit.flags.next = bit_cast::<7, 8>(self.octet.q.val());
        self.place_in_word.d.next =
            (bit_cast::<5, 2>(self.octet_number.q.val()) << 3) | bit_cast::<5, 3>(self.first_bit.place.val());
        self.has_place.d.next = !self.octet.q.val().all();
        if self.has_parity.val() {
            comment!(
                "A word with a flipped bit has its first path free, or the path to begin with, if no word is ahead of it."
            );
            self.searched_words.clk.next = self.clk.val();
            self.searched_words.rst.next = self.rst.val();
            self.searched_words.word.next = self.word.val();
            self.searched_words.parity.next = self.parity.val();
            self.searched_words.is_live.next = self.is_live.q.val();
            self.searched_words.is_first.next = self.in_chosen.q.val() & !self.in_octet.q.val();
            self.own_has_flip.next = self.searched_words.own_has_flip.val();
            self.end_has_flip.next = self.searched_words.place_has_flip.val();
            if self.searched_words.octet_has_flip.val() {
                self.has_place.d.next = true;
                self.place_in_word.d.next = 0.into();
                if !self.in_place.q.val() {
                    self.place_in_word.d.next = bit_cast::<5, 8>(self.path.val());
                }
            }
        }

        comment!("Place: it must be one of those explored. Back at the first word, the path itself is left.");
        self.candidate.next =
            (bit_cast::<8, 3>(self.place_word.q.val()) << 5) | bit_cast::<8, 5>(self.place_in_word.q.val());
        self.fits.next = self.has_place.q.val() & (self.candidate.val() <= self.highest.val());
        self.is_back.next = self.was_searched.q.val() & (self.place_word.q.val() == self.word_of_path.val());
        if self.in_place.q.val() {
            self.was_searched.d.next = true;
            self.place_word.d.next = self.place_word.q.val() + 1;
            if self.place_word.q.val() == self.last_word.val() {
                self.place_word.d.next = 0.into();
            }
        }
        if self.found.val() {
            self.was_searched.d.next = false;
            self.place_word.d.next = self.word_of_path.val();
        }
        self.chosen.next = self.in_chosen.q.val();
        self.kept.next = self.own_word.q.val();
        if self.has_parity.val() {
            self.is_marked.next = self.own_word.q.val().get_bit(bit_cast::<5, 8>(self.path.val()).index())
                & !self.searched_words.own_has_flip.val();
        } else {
            self.is_marked.next = self.own_word.q.val().get_bit(bit_cast::<5, 8>(self.path.val()).index());
        }
        self.ends.next = self.in_place.q.val() & (self.fits.val() | self.is_back.val());
        self.place.next = self.path.val();
        if self.fits.val() {
            self.place.next = self.candidate.val();
        }
        self.comes_back.next = !self.fits.val();
        if self.rst.val() {
            self.in_fetch.d.next = false;
            self.in_arrive.d.next = false;
            self.in_chosen.d.next = false;
            self.in_octet.d.next = false;
            self.in_place.d.next = false;
        }
    }
}
