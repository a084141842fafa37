//! What an ACK or a NACK says of a word of the acked bitmap.

use respray_hdl_macros::block;
use rust_hdl::prelude::*;

use crate::comment;
use crate::prims::resize;

/// The bits of the PSNs that an ACK names, in the word that is walked over: its bitmap's, and the one that it answers; of a NACK its PSN's.
#[block(no_clock)]
pub struct Named<const PACKETS: usize, const WORDS: usize> {
    pub has_bitmap: Signal<In, bool>,
    pub bitmap: Signal<In, Bits<16>>,
    pub has_psn: Signal<In, bool>,
    pub psn_place: Signal<In, Bits<PACKETS>>,
    pub word: Signal<In, Bits<WORDS>>,
    pub psns: Signal<Out, Bits<16>>,
    shown: Signal<Local, Bits<16>>,
    answered: Signal<Local, Bits<16>>,
}

#[block]
impl<const PACKETS: usize, const WORDS: usize> Named<PACKETS, WORDS> {
    fn update(&mut self) {
        comment!("module named: what an ACK or a NACK says of a word of the acked bitmap");
        self.shown = 0;
        if self.has_bitmap {
            self.shown = self.bitmap;
        }
        let place: Bits<4> = resize(self.psn_place);
        let psn_word: Bits<WORDS> = resize(self.psn_place >> 4);
        self.answered = 0;
        if self.has_psn & (self.word == psn_word) {
            self.answered = bits::<16>(1) << place;
        }
        self.psns = self.shown | self.answered;
    }
}
