//! Where a PSN lies, seen from `snd_una`.

use respray_hdl_macros::block;
use rust_hdl::prelude::*;

use crate::comment;
use crate::prims::{Param, Reg, resize};

/// Subtracts segments: PSN sent, EPSN and base, each less that of `una`.
///
/// Step 2 takes the PSN sent or the EPSN, step 3 the base. `SEGMENT_NUMBER = PSN - 6` is the width of a segment's
/// number, `SEGMENT_NUMBER_MAGNITUDE = SEGMENT_NUMBER - 1` that of its bits below the sign.
#[block(no_reset)]
pub struct Distance<
    const PACKETS: usize,
    const SEGMENTS: usize,
    const PSN: usize,
    const SEGMENT_NUMBER: usize,
    const SEGMENT_NUMBER_MAGNITUDE: usize,
> {
    pub step_2: Signal<In, bool>,
    pub step_3: Signal<In, bool>,
    pub step_4: Signal<In, bool>,
    pub is_sack: Signal<In, bool>,
    pub is_next_rtx: Signal<In, bool>,
    pub una: Signal<In, Bits<PSN>>,
    pub psn: Signal<In, Bits<PSN>>,
    pub epsn: Signal<In, Bits<PSN>>,
    pub base: Signal<In, Bits<PSN>>,

    /// Step 2: place of the PSN or EPSN.
    pub place: Signal<Out, Bits<PACKETS>>,
    /// Step 3: the PSN or EPSN is below `una`; it is not, and farther ahead than places go.
    pub below: Signal<Out, bool>,
    pub far: Signal<Out, bool>,
    /// From step 3 on: it is not `una`.
    pub moved: Signal<Out, bool>,
    /// From step 3 on: last segment of the walk, the segments that `una` moves by where a SACK moves it.
    pub segments: Signal<Out, Bits<SEGMENTS>>,
    /// From step 5 on: segment of the base; the base is no segment of the window.
    pub base_segment: Signal<Out, Bits<SEGMENTS>>,
    pub base_bad: Signal<Out, bool>,

    whole: Reg<Bits<SEGMENT_NUMBER>>,
    borrows: Reg<bool>,
    differs: Reg<bool>,
    last: Reg<Bits<SEGMENTS>>,
    of_base: Reg<Bits<SEGMENTS>>,
    bad: Reg<bool>,

    place_segments: Param<Bits<5>>,
    window_segments: Param<Bits<SEGMENTS>>,
    init_last: Param<Bits<SEGMENTS>>,
    sign: Param<Bits<5>>,
}

#[block]
impl<
    const PACKETS: usize,
    const SEGMENTS: usize,
    const PSN: usize,
    const SEGMENT_NUMBER: usize,
    const SEGMENT_NUMBER_MAGNITUDE: usize,
> Distance<PACKETS, SEGMENTS, PSN, SEGMENT_NUMBER, SEGMENT_NUMBER_MAGNITUDE>
{
    /// The block with its parameters, which follow from its sizes.
    pub fn new() -> Self {
        Self {
            place_segments: Param::new((SEGMENTS as u64).into()),
            window_segments: Param::new((1u64 << (SEGMENTS - 1)).into()),
            init_last: Param::new(((1u64 << (SEGMENTS - 1)) - 1).into()),
            sign: Param::new((SEGMENT_NUMBER_MAGNITUDE as u64).into()),
            ..Default::default()
        }
    }

    fn update(&mut self) {
        comment!("module distance: where a PSN lies, seen from snd_una");
        let mut ahead = self.psn;
        if self.is_sack {
            ahead = self.epsn;
        }
        if self.step_3 {
            ahead = self.base;
        }
        let difference = ahead.get_bits::<SEGMENT_NUMBER>(6) - self.una.get_bits::<SEGMENT_NUMBER>(6);
        let low: Bits<6> = resize(ahead);
        self.whole = difference;
        if self.step_2 {
            self.borrows = low < bit_cast::<6, PSN>(self.una);
            self.differs = low != bit_cast::<6, PSN>(self.una);
            self.last = self.init_last;
            if self.is_next_rtx {
                self.last = self.window_segments;
            }
            if self.is_sack {
                self.last = resize(difference);
            }
        }
        self.place = (bit_cast::<PACKETS, SEGMENT_NUMBER>(difference) << 6) | bit_cast::<PACKETS, 6>(low);

        comment!(
            "Step 3. Of the whole PSN: the borrow of the lower 6 turns the sign where it finds zeros above."
        );
        let upper = self.whole >> self.place_segments;
        let near = !upper.any();
        let lower_part = !bit_cast::<SEGMENT_NUMBER_MAGNITUDE, SEGMENT_NUMBER>(self.whole).any();
        let is_below = self.whole.get_bit(self.sign.index()) ^ (self.borrows & lower_part);
        self.below = is_below;
        self.far = !near;
        self.moved = self.differs | self.last.any();

        comment!("Step 4.");
        let beyond_window: bool = bit_cast::<SEGMENTS, SEGMENT_NUMBER>(self.whole) > self.window_segments;
        if self.step_4 {
            self.of_base = resize(self.whole);
            self.bad = !near | beyond_window | bit_cast::<6, PSN>(self.base).any();
        }
        self.segments = self.last;
        self.base_segment = self.of_base;
        self.base_bad = self.bad;
    }
}
