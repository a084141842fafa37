//! The bitmap word of the SACK, and the first packet missing in it.

use respray_hdl_macros::block;
use rust_hdl::prelude::*;

use super::super::octet::Octet;
use crate::comment;
use crate::prims::{FirstClear, Reg, resize};

/// Takes a segment from the bitmap RAM, masks it by `epsn`, and finds its first packet that is missing.
///
/// The segment of `epsn` reads 1 below `epsn`. The last segment that the window touches lies in the same word of the
/// RAM, so it reads 0 from the window's end on; after an advance over the whole window it does so by itself.
#[block(no_reset)]
pub struct Segment {
    /// Stage 2: place of `epsn` in its segment.
    pub epsn_place: Signal<In, Bits<6>>,
    /// Stage 3: the segment is the first, or the last that the window touches.
    pub is_first: Signal<In, bool>,
    pub is_last: Signal<In, bool>,
    /// Stage 4: word of the bitmap RAM; a set bit of `lap` means that a set bit was not received.
    pub stored: Signal<In, Bits<64>>,
    pub lap: Signal<In, bool>,

    /// Stage 7: the word, masked.
    pub bitmap: Signal<Out, Bits<64>>,
    /// Stage 6: place of the first packet missing. After an advance there is one.
    pub missing: Signal<Out, Bits<6>>,

    eight: Signal<Local, Bits<8>>,
    gap: Signal<Local, Bits<3>>,
    octets: [Octet; 8],
    first_octet: FirstClear,
    first_bits: [FirstClear; 8],

    octets_below: Reg<Bits<8>>,
    octet_of_epsn: Reg<Bits<8>>,
    bits_below: Reg<Bits<8>>,
    forced: Reg<Bits<8>>,
    split: Reg<Bits<8>>,
    side: Reg<Bits<8>>,
    value: Reg<bool>,
    searched: Reg<Bits<64>>,
    octet: Reg<Bits<3>>,
    /// Bits 0, 1 and 2 of the place of the first packet missing in each octet.
    low: Reg<Bits<8>>,
    middle: Reg<Bits<8>>,
    high: Reg<Bits<8>>,
    finished: Reg<Bits<64>>,
}

#[block]
impl Segment {
    fn update(&mut self) {
        comment!("module segment: the bitmap word of the SACK, and the first packet missing in it");

        comment!("Decide: octets below that of epsn, and bits below it in that one.");
        let coarse = self.epsn_place.get_bits::<3>(3);
        let fine: Bits<3> = resize(self.epsn_place);
        self.octets_below = !(bits::<8>(255) << coarse);
        self.octet_of_epsn = bits::<8>(1) << coarse;
        self.bits_below = !(bits::<8>(255) << fine);

        comment!("Choose: the mask in two levels, whole octets and the bits of one.");
        self.forced = 0;
        self.split = 0;
        self.side = !self.bits_below;
        if self.is_last {
            self.forced = !(self.octets_below | self.octet_of_epsn);
            self.split = self.octet_of_epsn;
        }
        if self.is_first {
            self.forced = self.octets_below;
            self.split = self.octet_of_epsn;
            self.side = self.bits_below;
        }
        self.value = self.is_first;

        comment!("Mask, in the octets. Search: the first octet with a gap, and the first gap of each.");
        let mut word: Bits<64> = 0;
        let mut full_octets: Bits<8> = 0;
        let mut gaps_low: Bits<8> = 0;
        let mut gaps_middle: Bits<8> = 0;
        let mut gaps_high: Bits<8> = 0;
        for i in 0..8 {
            self.octets[i].load = true;
            self.octets[i].stored = self.stored.get_bits::<8>(8 * i);
            self.octets[i].lap = self.lap;
            self.octets[i].forced = self.forced.get_bit(i);
            self.octets[i].split = self.split.get_bit(i);
            self.octets[i].side = self.side;
            self.octets[i].value = self.value;
            self.eight = self.octets[i].received;
            word = (word >> 8) | (bit_cast::<64, 8>(self.eight) << 56);
            full_octets = full_octets.replace_bit(i, self.octets[i].full);
            self.first_bits[i].flags = resize(self.eight);
            self.gap = self.first_bits[i].place;
            gaps_low = gaps_low.replace_bit(i, self.gap.get_bit(0));
            gaps_middle = gaps_middle.replace_bit(i, self.gap.get_bit(1));
            gaps_high = gaps_high.replace_bit(i, self.gap.get_bit(2));
        }
        self.searched = word;
        self.first_octet.flags = resize(full_octets);
        self.octet = self.first_octet.place;
        self.low = gaps_low;
        self.middle = gaps_middle;
        self.high = gaps_high;

        comment!("Finish: the gap of that octet.");
        let mut place: Bits<3> = 0;
        place = place.replace_bit(0, self.low.get_bit(self.octet.index()));
        place = place.replace_bit(1, self.middle.get_bit(self.octet.index()));
        place = place.replace_bit(2, self.high.get_bit(self.octet.index()));
        self.missing = (bit_cast::<6, 3>(self.octet) << 3) | bit_cast::<6, 3>(place);
        self.finished = self.searched;
        self.bitmap = self.finished;
    }
}
