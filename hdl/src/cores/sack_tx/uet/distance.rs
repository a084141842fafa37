//! Where PSNs lie, seen from `snd_una`.

use respray_hdl_macros::block;
use rust_hdl::prelude::*;

use crate::comment;
use crate::prims::{Param, Reg, resize};

/// Subtracts segments, each less that of `una`: one PSN a cycle.
///
/// ```text
///  step  2                                3      4
///        sent, nack, next_rtx: the PSN
///        ack: behind the cumulative PSN   base   the PSN that it answers
/// ```
///
/// `SEGMENT_NUMBER = PSN - 6` is the width of a segment's number, `SEGMENT_NUMBER_MAGNITUDE = SEGMENT_NUMBER - 1` that
/// of its bits below the sign, `PACKETS_DIFFERENCE = PACKETS + 1`.
#[block(no_reset)]
pub struct Distance<
    const PACKETS: usize,
    const PACKETS_DIFFERENCE: usize,
    const SEGMENTS: usize,
    const PSN: usize,
    const SEGMENT_NUMBER: usize,
    const SEGMENT_NUMBER_MAGNITUDE: usize,
> {
    pub step_2: Signal<In, bool>,
    pub step_3: Signal<In, bool>,
    pub step_4: Signal<In, bool>,
    pub step_5: Signal<In, bool>,
    pub is_ack: Signal<In, bool>,
    pub is_visit: Signal<In, bool>,
    pub una: Signal<In, Bits<PSN>>,
    pub psn: Signal<In, Bits<PSN>>,
    pub cum_next: Signal<In, Bits<PSN>>,
    pub base: Signal<In, Bits<PSN>>,

    /// Step 2: place of the PSN, of an ACK of the one behind the cumulative PSN.
    pub place: Signal<Out, Bits<PACKETS>>,
    /// Step 3: it is below `una`; it is not, and farther ahead than any window.
    pub below: Signal<Out, bool>,
    pub far: Signal<Out, bool>,
    /// Step 3: its lower 6 bits are below those of `una`.
    pub borrows: Signal<Out, bool>,
    /// From step 3 on: the segments that it lies ahead; it is not `una`.
    pub segments: Signal<Out, Bits<SEGMENTS>>,
    pub differs: Signal<Out, bool>,
    /// From step 4 on: place of bit 0 of the bitmap, with its sign.
    pub base_place: Signal<Out, Bits<PACKETS_DIFFERENCE>>,
    /// From step 5 on: the whole bitmap lies below the segment of `una`; it lies beyond any window.
    pub base_below: Signal<Out, bool>,
    pub base_far: Signal<Out, bool>,
    /// From step 5 on: place of the PSN, of a visit that of `una`.
    pub psn_place: Signal<Out, Bits<PACKETS>>,
    /// From step 6 on, of an ACK: the PSN is below `una`; beyond any window.
    pub psn_below: Signal<Out, bool>,
    pub psn_far: Signal<Out, bool>,

    whole: Reg<Bits<SEGMENT_NUMBER>>,
    lower: Reg<bool>,
    other: Reg<bool>,
    ahead_by: Reg<Bits<SEGMENTS>>,
    of_base: Reg<Bits<PACKETS_DIFFERENCE>>,
    base_is_below: Reg<bool>,
    base_is_far: Reg<bool>,
    of_psn: Reg<Bits<PACKETS>>,
    psn_is_below: Reg<bool>,
    psn_is_far: Reg<bool>,

    place_segments: Param<Bits<5>>,
    window_segments: Param<Bits<SEGMENTS>>,
    sign: Param<Bits<5>>,
}

#[block]
impl<
    const PACKETS: usize,
    const PACKETS_DIFFERENCE: usize,
    const SEGMENTS: usize,
    const PSN: usize,
    const SEGMENT_NUMBER: usize,
    const SEGMENT_NUMBER_MAGNITUDE: usize,
> Distance<PACKETS, PACKETS_DIFFERENCE, SEGMENTS, PSN, SEGMENT_NUMBER, SEGMENT_NUMBER_MAGNITUDE>
{
    /// The block with its parameters, which follow from its sizes.
    pub fn new() -> Self {
        Self {
            place_segments: Param::new((SEGMENTS as u64).into()),
            window_segments: Param::new((1u64 << (SEGMENTS - 1)).into()),
            sign: Param::new((SEGMENT_NUMBER_MAGNITUDE as u64).into()),
            ..Default::default()
        }
    }

    fn update(&mut self) {
        comment!("module distance: where PSNs lie, seen from snd_una");
        let mut subject = self.psn;
        if self.is_ack {
            subject = self.cum_next;
        }
        if self.step_3 {
            subject = self.base;
        }
        if self.step_4 {
            subject = self.psn;
        }
        let difference = subject.get_bits::<SEGMENT_NUMBER>(6) - self.una.get_bits::<SEGMENT_NUMBER>(6);
        let low: Bits<6> = resize(subject);
        let una_low: Bits<6> = resize(self.una);
        self.whole = difference;
        self.lower = low < una_low;
        let near_place = (bit_cast::<PACKETS, SEGMENT_NUMBER>(difference) << 6) | bit_cast::<PACKETS, 6>(low);
        self.place = near_place;
        if self.step_2 {
            self.other = low != una_low;
            self.ahead_by = resize(difference);
        }
        if self.step_3 {
            self.of_base = (bit_cast::<PACKETS_DIFFERENCE, SEGMENT_NUMBER>(difference) << 6)
                | bit_cast::<PACKETS_DIFFERENCE, 6>(low);
        }
        if self.step_4 {
            self.of_psn = near_place;
            if self.is_visit {
                self.of_psn = resize(una_low);
            }
        }

        comment!(
            "A step later. Of the whole PSN: the borrow of the lower 6 turns the sign where it finds zeros above."
        );
        let upper = self.whole >> self.place_segments;
        let beyond_window: bool = bit_cast::<SEGMENTS, SEGMENT_NUMBER>(self.whole) > self.window_segments;
        let is_far = upper.any() | beyond_window;
        let no_lower_part = !bit_cast::<SEGMENT_NUMBER_MAGNITUDE, SEGMENT_NUMBER>(self.whole).any();
        let is_below = self.whole.get_bit(self.sign.index()) ^ (self.lower & no_lower_part);
        self.below = is_below;
        self.far = is_far;
        self.borrows = self.lower;
        if self.step_4 {
            comment!("A bitmap that begins in the segment before may reach into that of snd_una.");
            self.base_is_below = is_below & is_far & !self.whole.all();
            self.base_is_far = !is_below & is_far;
        }
        if self.step_5 {
            self.psn_is_below = is_below;
            self.psn_is_far = !is_below & is_far;
        }
        self.segments = self.ahead_by;
        self.differs = self.other | self.ahead_by.any();
        self.base_place = self.of_base;
        self.base_below = self.base_is_below;
        self.base_far = self.base_is_far;
        self.psn_place = self.of_psn;
        self.psn_below = self.psn_is_below;
        self.psn_far = self.psn_is_far;
    }
}
