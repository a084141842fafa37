//! Whether a SACK says of its EPSN that it was received.

use respray_hdl_macros::block;
use rust_hdl::prelude::*;

use crate::comment;
use crate::prims::{Reg, resize};

/// Looks up the bit of EPSN in a SACK.
///
/// EPSN is the lowest PSN that the receiver lacks. Were its bit taken for an acknowledgement, nothing would retransmit the PSN,
/// and `una` would never move past it.
#[block(no_reset)]
pub struct Contradiction<const SEGMENTS: usize> {
    /// The words of the SACK's bitmap come by, one after the other: the word and its number.
    pub scan: Signal<In, bool>,
    pub sack_bits: Signal<In, Bits<16>>,
    pub part: Signal<In, Bits<2>>,
    /// EPSN within its segment.
    pub epsn_low: Signal<In, Bits<6>>,
    /// From step 5 on: the segments of EPSN and of the bitmap.
    pub epsn_segment: Signal<In, Bits<SEGMENTS>>,
    pub base_segment: Signal<In, Bits<SEGMENTS>>,

    /// From step 5 on: the bit of EPSN is in the bitmap, and set.
    pub contradicts: Signal<Out, bool>,

    is_set: Reg<bool>,
}

#[block]
impl<const SEGMENTS: usize> Contradiction<SEGMENTS> {
    fn update(&mut self) {
        comment!("module contradiction: whether a SACK says of its EPSN that it was received");
        let place: Bits<4> = resize(self.epsn_low);
        let word = self.epsn_low.get_bits::<2>(4);
        if self.scan & (self.part == word) {
            self.is_set = self.sack_bits.get_bit(place.index());
        }
        self.contradicts = self.is_set & (self.epsn_segment == self.base_segment);
    }
}
