//! The bitmap word of the SACK, and the first packet missing in it.

use respray_hdl_macros::{LogicBlock, Part, hdl_gen};
use rust_hdl::prelude::*;

use super::super::octet::Octet;
use crate::comment;
use crate::prims::FirstClear;

/// Takes a segment from the bitmap RAM, masks it by `epsn`, and finds its first packet that is missing.
///
/// The segment of `epsn` reads 1 below `epsn`. The last segment that the window touches lies in the same word of the
/// RAM, so it reads 0 from the window's end on. For a packet in order the segment of `epsn` reads 1 at `epsn`, too.
#[derive(LogicBlock, Default, Part)]
pub struct Segment {
    pub clk: Signal<In, Clock>,
    /// Look: the word is in the register; what to mask in the next one is set.
    pub look: Signal<In, bool>,
    /// The word of the RAM goes into the register.
    pub load: Signal<In, bool>,
    /// Word of the bitmap RAM.
    pub stored: Signal<In, Bits<64>>,
    /// A set bit of it means that the packet was not received.
    pub lap: Signal<In, bool>,
    /// Place of the packet's PSN in its segment.
    pub place: Signal<In, Bits<6>>,
    /// Place of `epsn` in its segment.
    pub epsn_place: Signal<In, Bits<6>>,
    /// Look: the next word is read for a SACK as it stands, not for an advance, and is the first or the last segment.
    pub is_first: Signal<In, bool>,
    pub is_last: Signal<In, bool>,

    /// Decide: the packet of this PSN arrived before.
    pub arrived: Signal<Out, bool>,
    /// The word, masked.
    pub bitmap: Signal<Out, Bits<64>>,
    /// Finish: every packet of the word arrived.
    pub full: Signal<Out, bool>,
    /// Finish: place of the first packet missing.
    pub missing: Signal<Out, Bits<6>>,

    coarse: Signal<Local, Bits<3>>,
    fine: Signal<Local, Bits<3>>,
    octets_below: Signal<Local, Bits<8>>,
    octet_of_epsn: Signal<Local, Bits<8>>,
    below: Signal<Local, Bits<8>>,
    side: Signal<Local, Bits<8>>,
    forced: Signal<Local, Bits<8>>,
    split: Signal<Local, Bits<8>>,
    eight: Signal<Local, Bits<8>>,
    word: Signal<Local, Bits<64>>,
    full_octets: Signal<Local, Bits<8>>,
    offset: Signal<Local, Bits<6>>,
    octets: [Octet; 8],
    first_octet: FirstClear,
    first_bit: FirstClear,

    was_set: DFF<bool>,
    masks_low: DFF<bool>,
    masks_high: DFF<bool>,
    masks_epsn: DFF<bool>,
    is_full: DFF<bool>,
    octet: DFF<Bits<3>>,
    rest: DFF<Bits<7>>,
}

impl Logic for Segment {
    #[hdl_gen]
    fn update(&mut self) {
        comment!("module segment: the bitmap word of the SACK, and the first packet missing in it");
        dff_setup!(self, clk, was_set, masks_low, masks_high, masks_epsn, is_full, octet, rest);
        self.was_set.d.next = self.stored.val().get_bit(self.place.val().index()) ^ self.lap.val();
        self.arrived.next = self.was_set.q.val();

        comment!("Until a packet is looked at it is taken to be in order.");
        self.masks_low.d.next = !self.look.val() | self.is_first.val();
        self.masks_high.d.next = self.look.val() & self.is_last.val();
        self.masks_epsn.d.next = !self.look.val();

        comment!("The mask in two levels: whole octets, and the bits of the one that epsn falls into.");
        self.coarse.next = self.epsn_place.val().get_bits::<3>(3);
        self.fine.next = bit_cast::<3, 6>(self.epsn_place.val());
        self.octets_below.next = !(bits::<8>(255) << self.coarse.val());
        self.octet_of_epsn.next = bits::<8>(1) << self.coarse.val();
        self.below.next = !(bits::<8>(255) << self.fine.val());
        self.side.next = !self.below.val();
        if self.masks_low.q.val() {
            self.side.next = self.below.val();
            if self.masks_epsn.q.val() {
                self.side.next = !(bits::<8>(254) << self.fine.val());
            }
        }
        self.forced.next = 0.into();
        self.split.next = 0.into();
        if self.masks_low.q.val() {
            self.forced.next = self.octets_below.val();
            self.split.next = self.octet_of_epsn.val();
        }
        if self.masks_high.q.val() {
            self.forced.next = !(self.octets_below.val() | self.octet_of_epsn.val());
            self.split.next = self.octet_of_epsn.val();
        }
        self.word.next = 0.into();
        self.full_octets.next = 0.into();
        for i in 0..8 {
            self.octets[i].clk.next = self.clk.val();
            self.octets[i].load.next = self.load.val();
            self.octets[i].stored.next = self.stored.val().get_bits::<8>(8 * i);
            self.octets[i].lap.next = self.lap.val();
            self.octets[i].forced.next = self.forced.val().get_bit(i);
            self.octets[i].split.next = self.split.val().get_bit(i);
            self.octets[i].side.next = self.side.val();
            self.octets[i].value.next = self.masks_low.q.val();
            self.eight.next = self.octets[i].received.val();
            self.word.next = (self.word.val() >> 8) | (bit_cast::<64, 8>(self.eight.val()) << 56);
            self.full_octets.next = self.full_octets.val().replace_bit(i, self.octets[i].full.val());
        }
        self.bitmap.next = self.word.val();

        comment!("Look: the first octet with a gap. Finish: the gap in it.");
        self.first_octet.flags.next = bit_cast::<7, 8>(self.full_octets.val());
        self.offset.next = bit_cast::<6, 3>(self.first_octet.place.val()) << 3;
        if self.look.val() {
            self.is_full.d.next = self.full_octets.val().all();
            self.octet.d.next = self.first_octet.place.val();
            self.rest.d.next = self.word.val().get_bits::<7>(self.offset.val().index());
        }
        self.first_bit.flags.next = self.rest.q.val();
        self.full.next = self.is_full.q.val();
        self.missing.next =
            (bit_cast::<6, 3>(self.octet.q.val()) << 3) | bit_cast::<6, 3>(self.first_bit.place.val());
    }
}
