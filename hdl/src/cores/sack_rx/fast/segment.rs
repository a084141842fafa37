//! The bitmap word of the SACK, and the first packet missing in it.

use respray_hdl_macros::hdl_gen;
use rust_hdl::prelude::*;

use super::super::octet::Octet;
use crate::comment;
use crate::prims::FirstClear;

/// Takes a segment from the bitmap RAM, masks it by `epsn`, and finds its first packet that is missing.
///
/// The segment of `epsn` reads 1 below `epsn`. The last segment that the window touches lies in the same word of the
/// RAM, so it reads 0 from the window's end on; after an advance over the whole window it does so by itself.
#[derive(LogicBlock, Default)]
pub struct Segment {
    pub clk: Signal<In, Clock>,
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

    coarse: Signal<Local, Bits<3>>,
    fine: Signal<Local, Bits<3>>,
    eight: Signal<Local, Bits<8>>,
    word: Signal<Local, Bits<64>>,
    full_octets: Signal<Local, Bits<8>>,
    gap: Signal<Local, Bits<3>>,
    gaps_low: Signal<Local, Bits<8>>,
    gaps_middle: Signal<Local, Bits<8>>,
    gaps_high: Signal<Local, Bits<8>>,
    place: Signal<Local, Bits<3>>,
    octets: [Octet; 8],
    first_octet: FirstClear,
    first_bits: [FirstClear; 8],

    octets_below: DFF<Bits<8>>,
    octet_of_epsn: DFF<Bits<8>>,
    bits_below: DFF<Bits<8>>,
    forced: DFF<Bits<8>>,
    split: DFF<Bits<8>>,
    side: DFF<Bits<8>>,
    value: DFF<bool>,
    searched: DFF<Bits<64>>,
    octet: DFF<Bits<3>>,
    /// Bits 0, 1 and 2 of the place of the first packet missing in each octet.
    low: DFF<Bits<8>>,
    middle: DFF<Bits<8>>,
    high: DFF<Bits<8>>,
    finished: DFF<Bits<64>>,
}

impl Logic for Segment {
    #[hdl_gen]
    fn update(&mut self) {
        comment!("module segment: the bitmap word of the SACK, and the first packet missing in it");
        dff_setup!(
            self,
            clk,
            octets_below,
            octet_of_epsn,
            bits_below,
            forced,
            split,
            side,
            value,
            searched,
            octet
        );

        dff_setup!(self, clk, low, middle, high, finished);

        comment!("Decide: octets below that of epsn, and bits below it in that one.");
        self.coarse.next = self.epsn_place.val().get_bits::<3>(3);
        self.fine.next = bit_cast::<3, 6>(self.epsn_place.val());
        self.octets_below.d.next = !(bits::<8>(255) << self.coarse.val());
        self.octet_of_epsn.d.next = bits::<8>(1) << self.coarse.val();
        self.bits_below.d.next = !(bits::<8>(255) << self.fine.val());

        comment!("Choose: the mask in two levels, whole octets and the bits of one.");
        self.forced.d.next = 0.into();
        self.split.d.next = 0.into();
        self.side.d.next = !self.bits_below.q.val();
        if self.is_last.val() {
            self.forced.d.next = !(self.octets_below.q.val() | self.octet_of_epsn.q.val());
            self.split.d.next = self.octet_of_epsn.q.val();
        }
        if self.is_first.val() {
            self.forced.d.next = self.octets_below.q.val();
            self.split.d.next = self.octet_of_epsn.q.val();
            self.side.d.next = self.bits_below.q.val();
        }
        self.value.d.next = self.is_first.val();

        comment!("Mask, in the octets. Search: the first octet with a gap, and the first gap of each.");
        self.word.next = 0.into();
        self.full_octets.next = 0.into();
        self.gaps_low.next = 0.into();
        self.gaps_middle.next = 0.into();
        self.gaps_high.next = 0.into();
        for i in 0..8 {
            self.octets[i].clk.next = self.clk.val();
            self.octets[i].load.next = true;
            self.octets[i].stored.next = self.stored.val().get_bits::<8>(8 * i);
            self.octets[i].lap.next = self.lap.val();
            self.octets[i].forced.next = self.forced.q.val().get_bit(i);
            self.octets[i].split.next = self.split.q.val().get_bit(i);
            self.octets[i].side.next = self.side.q.val();
            self.octets[i].value.next = self.value.q.val();
            self.eight.next = self.octets[i].received.val();
            self.word.next = (self.word.val() >> 8) | (bit_cast::<64, 8>(self.eight.val()) << 56);
            self.full_octets.next = self.full_octets.val().replace_bit(i, self.octets[i].full.val());
            self.first_bits[i].flags.next = bit_cast::<7, 8>(self.eight.val());
            self.gap.next = self.first_bits[i].place.val();
            self.gaps_low.next = self.gaps_low.val().replace_bit(i, self.gap.val().get_bit(0));
            self.gaps_middle.next = self.gaps_middle.val().replace_bit(i, self.gap.val().get_bit(1));
            self.gaps_high.next = self.gaps_high.val().replace_bit(i, self.gap.val().get_bit(2));
        }
        self.searched.d.next = self.word.val();
        self.first_octet.flags.next = bit_cast::<7, 8>(self.full_octets.val());
        self.octet.d.next = self.first_octet.place.val();
        self.low.d.next = self.gaps_low.val();
        self.middle.d.next = self.gaps_middle.val();
        self.high.d.next = self.gaps_high.val();

        comment!("Finish: the gap of that octet.");
        self.place.next = 0.into();
        self.place.next =
            self.place.val().replace_bit(0, self.low.q.val().get_bit(self.octet.q.val().index()));
        self.place.next =
            self.place.val().replace_bit(1, self.middle.q.val().get_bit(self.octet.q.val().index()));
        self.place.next =
            self.place.val().replace_bit(2, self.high.q.val().get_bit(self.octet.q.val().index()));
        self.missing.next = (bit_cast::<6, 3>(self.octet.q.val()) << 3) | bit_cast::<6, 3>(self.place.val());
        self.finished.d.next = self.searched.q.val();
        self.bitmap.next = self.finished.q.val();
    }
}
