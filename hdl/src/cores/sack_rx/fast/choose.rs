//! Which segment the SACK shows, and which segments are full after the packet.

use respray_hdl_macros::block;
use rust_hdl::prelude::*;

use crate::comment;
use crate::prims::{FirstClear, Param, Reg, resize};

/// Chooses the segment of the SACK before it is read.
///
/// A packet in order that completes its segment is followed by segments known to be full; the run of received packets ends
/// in the one after those.
#[block(no_reset)]
pub struct Choose<const SEGMENTS: usize, const LATER_SEGMENTS: usize, const PSN: usize> {
    /// Stage 1: segments after that of `epsn` that are full, as stored.
    pub stored_full: Signal<In, Bits<LATER_SEGMENTS>>,
    /// Stage 2: an `init`.
    pub is_init: Signal<In, bool>,
    /// Stage 1: the packet's PSN, and `epsn`.
    pub psn: Signal<In, Bits<PSN>>,
    pub epsn: Signal<In, Bits<PSN>>,
    /// Stage 3: the packet is new; it is and its PSN was `epsn`; its segment is full by it.
    pub is_new: Signal<In, bool>,
    pub in_order: Signal<In, bool>,
    pub completes: Signal<In, bool>,
    /// Stage 2: segment of a SACK without an advance, counted from that of `epsn`.
    pub nearest: Signal<In, Bits<SEGMENTS>>,
    /// Stage 3: the low bits of the segment of `epsn`.
    pub epsn_segment: Signal<In, Bits<SEGMENTS>>,

    /// Stage 3: segment of the SACK, its low bits.
    pub segment: Signal<Out, Bits<SEGMENTS>>,
    /// Stage 3: it is the first, or the last that the window touches.
    pub is_first: Signal<Out, bool>,
    pub is_last: Signal<Out, bool>,
    /// Stage 4: segment of the SACK, counted from that of `epsn`.
    pub offset: Signal<Out, Bits<SEGMENTS>>,
    /// Stage 4: segments that are full after the packet.
    pub full: Signal<Out, Bits<LATER_SEGMENTS>>,

    first_open: FirstClear,

    full_before: Reg<Bits<LATER_SEGMENTS>>,
    own: Reg<Bits<SEGMENTS>>,
    /// Stage 3.
    run: Reg<Bits<SEGMENTS>>,
    kept: Reg<Bits<SEGMENTS>>,
    full_now: Reg<Bits<LATER_SEGMENTS>>,
    own_now: Reg<Bits<LATER_SEGMENTS>>,
    offset_after: Reg<Bits<SEGMENTS>>,
    full_after: Reg<Bits<LATER_SEGMENTS>>,

    last_bit: Param<Bits<3>>,
    can_be_full: Param<Bits<LATER_SEGMENTS>>,
}

#[block]
impl<const SEGMENTS: usize, const LATER_SEGMENTS: usize, const PSN: usize>
    Choose<SEGMENTS, LATER_SEGMENTS, PSN>
{
    /// The block with its parameters, which follow from its sizes.
    pub fn new() -> Self {
        Self {
            last_bit: Param::new((SEGMENTS as u64 - 1).into()),
            can_be_full: Param::new(((1u64 << ((1 << (SEGMENTS - 1)) - 1)) - 1).into()),
            ..Default::default()
        }
    }

    fn update(&mut self) {
        comment!("module choose: segment of the SACK, and which segments are full after the packet");

        comment!("Compare.");
        self.full_before = self.stored_full;
        self.own = bit_cast::<SEGMENTS, PSN>(self.psn >> 6) - bit_cast::<SEGMENTS, PSN>(self.epsn >> 6);

        comment!(
            "Decide. Bit 0 is the segment after that of epsn, so that of the packet is one lower than it counts."
        );
        self.first_open.flags = resize(self.full_before);
        self.run = bit_cast::<SEGMENTS, 3>(self.first_open.place) + 1;
        let own_bit = (bits::<8>(1) << self.own) >> 1;
        self.own_now = bit_cast::<LATER_SEGMENTS, 8>(own_bit) & self.can_be_full;
        self.full_now = self.full_before;
        if self.is_init {
            self.full_now = 0;
        }
        self.kept = self.nearest;

        comment!("Choose.");
        let mut chosen = self.kept;
        if self.in_order {
            chosen = 0;
            if self.completes {
                chosen = self.run;
            }
        }
        self.segment = self.epsn_segment + chosen;
        self.is_first = !chosen.any();
        self.is_last = chosen.get_bit(self.last_bit.index());
        self.offset_after = chosen;
        let shifted = self.full_now >> self.run;
        self.full_after = self.full_now;
        if self.is_new & self.completes {
            self.full_after = self.full_now | self.own_now;
            if self.in_order {
                self.full_after = shifted;
            }
        }
        self.offset = self.offset_after;
        self.full = self.full_after;
    }
}
