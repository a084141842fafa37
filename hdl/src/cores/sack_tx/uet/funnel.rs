//! The bitmap of an ACK, word by word.

use respray_hdl_macros::block;
use rust_hdl::prelude::*;

use crate::comment;
use crate::prims::Reg;

/// Gives the words of the bitmap as they are, and moved to where the words of the acked bitmap begin.
///
/// While the bitmap is scanned, its four words come by. For a walk, which begins at the word of `una`, the word before comes first, so that
/// a bitmap that begins within a word has its upper bits from there. `SIGNED_WORDS` is the width of a number of a word with its sign.
#[block(no_reset)]
pub struct Funnel<const SIGNED_WORDS: usize> {
    /// An op begins; the words come by.
    pub starts: Signal<In, bool>,
    pub scan: Signal<In, bool>,
    /// The walk begins two cycles later; it goes on.
    pub prime: Signal<In, bool>,
    pub walks: Signal<In, bool>,
    pub bitmap: Signal<In, Bits<64>>,
    /// Word in which the bitmap begins, counted from the segment of `una`, and how many bits of it come before.
    pub base_word: Signal<In, Bits<SIGNED_WORDS>>,
    pub shift: Signal<In, Bits<4>>,
    /// Word of `una`.
    pub una_word: Signal<In, Bits<2>>,

    /// A word of the bitmap, and which one while it is scanned.
    pub word: Signal<Out, Bits<16>>,
    pub part: Signal<Out, Bits<2>>,
    /// What the bitmap says of the word that is walked over.
    pub moved: Signal<Out, Bits<16>>,

    index: Reg<Bits<SIGNED_WORDS>>,
    earlier: Reg<Bits<16>>,
    chosen: Signal<Local, Bits<16>>,
}

#[block]
impl<const SIGNED_WORDS: usize> Funnel<SIGNED_WORDS> {
    fn update(&mut self) {
        comment!("module funnel: the bitmap of an ACK, word by word");
        if self.scan | self.walks {
            self.index = self.index + 1;
        }
        if self.prime {
            self.index = bit_cast::<SIGNED_WORDS, 2>(self.una_word) - self.base_word - 1;
        }
        if self.starts {
            self.index = 0;
        }
        let low: Bits<2> = bit_cast::<2, SIGNED_WORDS>(self.index);
        self.chosen = self.bitmap.get_bits::<16>(0);
        if low == 1 {
            self.chosen = self.bitmap.get_bits::<16>(16);
        }
        if low == 2 {
            self.chosen = self.bitmap.get_bits::<16>(32);
        }
        if low == 3 {
            self.chosen = self.bitmap.get_bits::<16>(48);
        }
        let outside: bool = bit_cast::<SIGNED_WORDS, SIGNED_WORDS>(self.index >> 2).any();
        if outside {
            self.chosen = 0;
        }
        self.earlier = self.chosen;
        let both: Bits<32> = (bit_cast::<32, 16>(self.chosen) << 16) | bit_cast::<32, 16>(self.earlier);
        let aligned = both << self.shift;
        self.word = self.chosen;
        self.part = low;
        self.moved = aligned.get_bits::<16>(16);
    }
}
