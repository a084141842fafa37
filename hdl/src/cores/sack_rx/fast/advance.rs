//! EPSN and out-of-order count after the packet.

use respray_hdl_macros::block;
use rust_hdl::prelude::*;

use crate::comment;
use crate::prims::{Delay, Reg, resize};

/// Makes of the first packet missing what an advance leaves.
#[block(no_reset)]
pub struct Advance<const PLACE: usize, const SEGMENTS: usize, const PSN: usize, const SEGMENT_NUMBER: usize> {
    /// Stage 3: the packet is new; it is and its PSN was `epsn`.
    pub is_new: Signal<In, bool>,
    pub in_order: Signal<In, bool>,
    /// Stage 3; of an `init` what it sets.
    pub psn: Signal<In, Bits<PSN>>,
    pub epsn: Signal<In, Bits<PSN>>,
    pub ooo: Signal<In, Bits<PLACE>>,
    /// Stage 4: segment of the SACK, counted from that of `epsn`.
    pub offset: Signal<In, Bits<SEGMENTS>>,
    /// Stage 6: place of the first packet missing in it.
    pub missing: Signal<In, Bits<6>>,

    /// Stage 6: what is written back.
    pub epsn_after: Signal<Out, Bits<PSN>>,
    pub ooo_after: Signal<Out, Bits<PLACE>>,
    /// Stage 7: PSN of bit 0 of the SACK's bitmap, and what was written back.
    pub base: Signal<Out, Bits<PSN>>,
    pub sack_epsn: Signal<Out, Bits<PSN>>,
    pub sack_ooo: Signal<Out, Bits<PLACE>>,

    ended: Signal<Local, Bits<PLACE>>,

    ooo_start: Reg<Bits<PLACE>>,
    ooo_kept: Delay<Bits<PLACE>, 2>,
    epsn_kept: Delay<Bits<PSN>, 3>,
    offset_kept: Delay<Bits<SEGMENTS>, 2>,
    in_order_kept: Delay<bool, 3>,
    sack_segment: Reg<Bits<SEGMENT_NUMBER>>,
    shown_epsn: Reg<Bits<PSN>>,
    shown_ooo: Reg<Bits<PLACE>>,
}

#[block]
impl<const PLACE: usize, const SEGMENTS: usize, const PSN: usize, const SEGMENT_NUMBER: usize>
    Advance<PLACE, SEGMENTS, PSN, SEGMENT_NUMBER>
{
    fn update(&mut self) {
        comment!("module advance: EPSN and out-of-order count after the packet");

        comment!("Choose. Out of order after an advance: before + 1 - (EPSN after - PSN), mod the window.");
        let mut started: Bits<PLACE> = 0;
        if self.in_order {
            started = resize(self.psn);
        }
        self.ooo_start = self.ooo + started + self.is_new;
        self.ooo_kept.input_value = self.ooo_start;
        self.epsn_kept.input_value = self.epsn;
        self.offset_kept.input_value = self.offset;
        self.in_order_kept.input_value = self.in_order;

        comment!("Finish.");
        let epsn_before = self.epsn_kept.output_value;
        let segment = epsn_before.get_bits::<SEGMENT_NUMBER>(6)
            + bit_cast::<SEGMENT_NUMBER, SEGMENTS>(self.offset_kept.output_value);
        let missing_psn = (bit_cast::<PSN, SEGMENT_NUMBER>(segment) << 6) | bit_cast::<PSN, 6>(self.missing);
        let mut next_epsn = epsn_before;
        self.ended = 0;
        if self.in_order_kept.output_value {
            next_epsn = missing_psn;
            self.ended = resize(missing_psn);
        }
        let next_ooo = self.ooo_kept.output_value - self.ended;
        self.epsn_after = next_epsn;
        self.ooo_after = next_ooo;

        comment!("Result.");
        self.sack_segment = segment;
        self.shown_epsn = next_epsn;
        self.shown_ooo = next_ooo;
        self.base = bit_cast::<PSN, SEGMENT_NUMBER>(self.sack_segment) << 6;
        self.sack_epsn = self.shown_epsn;
        self.sack_ooo = self.shown_ooo;
    }
}
