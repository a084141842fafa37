//! The search for a path without a mark.

use respray_hdl_macros::block;
use rust_hdl::prelude::*;

use crate::comment;
use crate::parts::Searched;
use crate::prims::{FirstClear, Optional, Param, Reg, resize};

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
#[block]
pub struct Search {
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

    mask: Signal<Local, Bits<8>>,
    searched: Signal<Local, Bits<32>>,
    eight: Signal<Local, Bits<8>>,
    first_octet: FirstClear,
    first_bit: FirstClear,

    #[reset = false]
    in_fetch: Reg<bool>,
    #[reset = false]
    in_arrive: Reg<bool>,
    #[reset = false]
    in_chosen: Reg<bool>,
    #[reset = false]
    in_octet: Reg<bool>,
    #[reset = false]
    in_place: Reg<bool>,
    next_fetch: Reg<Bits<3>>,
    is_live: Reg<bool>,
    own_word: Reg<Bits<32>>,
    word_searched: Reg<Bits<32>>,
    octet: Reg<Bits<8>>,
    octet_number: Reg<Bits<2>>,
    place_in_word: Reg<Bits<5>>,
    has_place: Reg<bool>,
    place_word: Reg<Bits<3>>,
    was_searched: Reg<bool>,

    searched_words: Optional<Searched<Bits<32>>>,
    has_parity: Param<bool>,
}

#[block]
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

    fn update(&mut self) {
        comment!("module search: the first path without a mark, from one path on and around");
        let word_of_path = self.path.get_bits::<3>(5);
        let last_word = self.highest.get_bits::<3>(5);

        comment!("Fetch: the word of the path, then the others around.");
        let mut fetching = self.next_fetch;
        if self.found {
            fetching = word_of_path;
        }
        self.fetch = fetching;
        self.next_fetch = fetching + 1;
        if fetching == last_word {
            self.next_fetch = 0;
        }
        self.is_live = self.live.get_bit(fetching.index());
        self.in_fetch = (self.found | self.in_fetch) & !self.done;
        self.in_arrive = (self.found | self.in_fetch) & !self.done;
        self.in_chosen = self.in_arrive & !self.done;
        self.in_octet = self.in_chosen & !self.done;
        self.in_place = self.in_octet & !self.done;

        comment!("Arrive: in the first word, paths below the one to begin with are no candidates.");
        let mut marks: Bits<32> = 0;
        if self.is_live {
            marks = self.word;
        }
        let coarse = self.path.get_bits::<2>(3);
        let fine = self.path.get_bits::<3>(0);
        let below = !(bits::<8>(255) << fine);
        let mut octets_from: Bits<4> = 15;
        let mut octet_of_path: Bits<4> = 0;
        if !self.in_chosen {
            self.own_word = marks;
            octets_from = bits::<4>(15) << coarse;
            octet_of_path = bits::<4>(1) << coarse;
        }
        self.searched = 0;
        for i in 0..4 {
            self.mask = 255;
            if octets_from.get_bit(i) {
                self.mask = 0;
            }
            if octet_of_path.get_bit(i) {
                self.mask = below;
            }
            self.eight = marks.get_bits::<8>(8 * i) | self.mask;
            self.searched = (self.searched >> 8) | (bit_cast::<32, 8>(self.eight) << 24);
        }
        self.word_searched = self.searched;

        comment!("Chosen: the first octet with a path that has no mark. Octet: the path in it.");
        let mut full_octets: Bits<7> = 0;
        for i in 0..4 {
            full_octets = full_octets.replace_bit(i, self.word_searched.get_bits::<8>(8 * i).all());
        }
        self.first_octet.flags = full_octets;
        self.octet_number = resize(self.first_octet.place);
        let offset: Bits<5> = bit_cast::<5, 3>(self.first_octet.place) << 3;
        self.octet = self.word_searched.get_bits::<8>(offset.index());
        self.first_bit.flags = resize(self.octet);
        self.place_in_word =
            (bit_cast::<5, 2>(self.octet_number) << 3) | bit_cast::<5, 3>(self.first_bit.place);
        self.has_place = !self.octet.all();
        if self.has_parity {
            comment!(
                "A word with a flipped bit has its first path free, or the path to begin with, if no word is ahead of it."
            );
            self.searched_words.word = self.word;
            self.searched_words.parity = self.parity;
            self.searched_words.is_live = self.is_live;
            self.searched_words.is_first = self.in_chosen & !self.in_octet;
            self.own_has_flip = self.searched_words.own_has_flip;
            self.end_has_flip = self.searched_words.place_has_flip;
            if self.searched_words.octet_has_flip {
                self.has_place = true;
                self.place_in_word = 0;
                if !self.in_place {
                    self.place_in_word = resize(self.path);
                }
            }
        }

        comment!("Place: it must be one of those explored. Back at the first word, the path itself is left.");
        let candidate = (bit_cast::<8, 3>(self.place_word) << 5) | bit_cast::<8, 5>(self.place_in_word);
        let fits = self.has_place & (candidate <= self.highest);
        let is_back = self.was_searched & (self.place_word == word_of_path);
        if self.in_place {
            self.was_searched = true;
            self.place_word = self.place_word + 1;
            if self.place_word == last_word {
                self.place_word = 0;
            }
        }
        if self.found {
            self.was_searched = false;
            self.place_word = word_of_path;
        }
        self.chosen = self.in_chosen;
        self.kept = self.own_word;
        if self.has_parity {
            self.is_marked = self.own_word.get_bit(bit_cast::<5, 8>(self.path).index())
                & !self.searched_words.own_has_flip;
        } else {
            self.is_marked = self.own_word.get_bit(bit_cast::<5, 8>(self.path).index());
        }
        self.ends = self.in_place & (fits | is_back);
        self.place = self.path;
        if fits {
            self.place = candidate;
        }
        self.comes_back = !fits;
    }
}
