//! Whether a SACK says of its EPSN that it was received.

use respray_hdl_macros::hdl_gen;
use rust_hdl::prelude::*;

use crate::comment;

/// Looks up the bit of EPSN in a SACK.
///
/// EPSN is the lowest PSN that the receiver lacks. Were its bit taken for an acknowledgement, nothing would retransmit the PSN,
/// and `una` would never move past it.
#[derive(LogicBlock, Default)]
pub struct Contradiction<const R: usize> {
    pub clk: Signal<In, Clock>,
    /// The words of the SACK's bitmap come by, one after the other: the word and its number.
    pub scan: Signal<In, bool>,
    pub sack_bits: Signal<In, Bits<16>>,
    pub part: Signal<In, Bits<2>>,
    /// EPSN within its segment.
    pub epsn_low: Signal<In, Bits<6>>,
    /// From step 5 on: the segments of EPSN and of the bitmap.
    pub epsn_segment: Signal<In, Bits<R>>,
    pub base_segment: Signal<In, Bits<R>>,

    /// From step 5 on: the bit of EPSN is in the bitmap, and set.
    pub contradicts: Signal<Out, bool>,

    place: Signal<Local, Bits<4>>,
    word: Signal<Local, Bits<2>>,
    is_set: DFF<bool>,
}

impl<const R: usize> Logic for Contradiction<R> {
    #[hdl_gen]
    fn update(&mut self) {
        comment!("module contradiction: whether a SACK says of its EPSN that it was received");
        dff_setup!(self, clk, is_set);
        self.place.next = bit_cast::<4, 6>(self.epsn_low.val());
        self.word.next = self.epsn_low.val().get_bits::<2>(4);
        if self.scan.val() & (self.part.val() == self.word.val()) {
            self.is_set.d.next = self.sack_bits.val().get_bit(self.place.val().index());
        }
        self.contradicts.next = self.is_set.q.val() & (self.epsn_segment.val() == self.base_segment.val());
    }
}
