//! The last PSN of a bitmap, the PSN to retransmit, and the bounds that `read` asks for.

use respray_hdl_macros::block;
use rust_hdl::prelude::*;

use super::super::encode::LastSet;
use crate::comment;
use crate::prims::{Param, Reg, resize};

/// Keeps the place of a PSN: of an ACK the last one that its bitmap shows, of `next_rtx` and NACKs the one that the walk finds.
///
/// A place becomes a PSN again in one adder: at step 5 that of `snd_nxt`, so that `read` has both bounds at its end, and later what the
/// op asks for.
///
/// `WORDS = SEGMENTS + 2`, the width of a word's number, `SEGMENT_NUMBER = PSN - 6` that of a segment's,
/// `PACKETS_DIFFERENCE = PACKETS + 1`.
#[block(no_reset)]
pub struct Pick<
    const PACKETS: usize,
    const PACKETS_DIFFERENCE: usize,
    const SEGMENTS: usize,
    const WORDS: usize,
    const PSN: usize,
    const SEGMENT_NUMBER: usize,
> {
    pub starts: Signal<In, bool>,
    /// A PSN to retransmit is looked for.
    pub searches: Signal<In, bool>,
    /// What is asked for is `una`.
    pub of_una: Signal<In, bool>,
    pub step_5: Signal<In, bool>,
    /// The words of the bitmap come by, one after the other: the word and its number.
    pub scan: Signal<In, bool>,
    pub bits_now: Signal<In, Bits<16>>,
    pub part: Signal<In, Bits<2>>,
    pub base_place: Signal<In, Bits<PACKETS_DIFFERENCE>>,
    /// A word of the walk: it holds a PSN to retransmit, the first one, the word's number.
    pub valid: Signal<In, bool>,
    pub has: Signal<In, bool>,
    pub first: Signal<In, Bits<4>>,
    pub word: Signal<In, Bits<WORDS>>,
    pub una: Signal<In, Bits<PSN>>,
    pub nxt: Signal<In, Bits<PACKETS>>,

    /// There is such a PSN.
    pub found: Signal<Out, bool>,
    pub found_segment: Signal<Out, Bits<SEGMENTS>>,
    pub found_low: Signal<Out, Bits<6>>,
    /// Place one past the one to retransmit.
    pub past: Signal<Out, Bits<PACKETS>>,
    /// From step 5 on: place one past the last one of the bitmap; it lies below the segment of `una`.
    pub top: Signal<Out, Bits<PACKETS>>,
    pub top_below: Signal<Out, bool>,
    /// What `next_rtx` or a NACK asks for, or `una`; a cycle late.
    pub psn: Signal<Out, Bits<PSN>>,
    /// From step 7 on: `snd_nxt`.
    pub snd_nxt: Signal<Out, Bits<PSN>>,

    any: Reg<bool>,
    low: Reg<Bits<6>>,
    upper: Reg<Bits<SEGMENTS>>,
    result: Reg<Bits<PSN>>,
    step_6: Reg<bool>,
    kept: Reg<Bits<PSN>>,
    last_set: LastSet,
    sign: Param<Bits<5>>,
}

#[block]
impl<
    const PACKETS: usize,
    const PACKETS_DIFFERENCE: usize,
    const SEGMENTS: usize,
    const WORDS: usize,
    const PSN: usize,
    const SEGMENT_NUMBER: usize,
> Pick<PACKETS, PACKETS_DIFFERENCE, SEGMENTS, WORDS, PSN, SEGMENT_NUMBER>
{
    /// The block with its parameters, which follow from its sizes.
    pub fn new() -> Self {
        Self { sign: Param::new((PACKETS as u64).into()), ..Default::default() }
    }

    fn update(&mut self) {
        comment!(
            "module pick: the last PSN of a bitmap, the PSN to retransmit, the bounds of what is outstanding"
        );
        self.last_set.flags = self.bits_now;
        if self.scan & self.last_set.any {
            self.any = true;
            self.low = (bit_cast::<6, 2>(self.part) << 4) | bit_cast::<6, 4>(self.last_set.place);
        }
        if self.searches & self.valid & self.has & !self.any {
            self.any = true;
            self.low = (bit_cast::<6, WORDS>(self.word) << 4) | bit_cast::<6, 4>(self.first);
            self.upper = resize(self.word >> 2);
        }
        if self.starts {
            self.any = false;
        }
        let at = (bit_cast::<PACKETS, SEGMENTS>(self.upper) << 6) | bit_cast::<PACKETS, 6>(self.low);
        self.past = at + 1;
        self.found = self.any;
        self.found_segment = self.upper;
        self.found_low = self.low;
        let last: Bits<PACKETS_DIFFERENCE> =
            self.base_place + bit_cast::<PACKETS_DIFFERENCE, 6>(self.low) + 1;
        self.top = resize(last);
        self.top_below = last.get_bit(self.sign.index());

        let mut offset = self.upper;
        let mut psn_low = self.low;
        if self.of_una {
            offset = 0;
            psn_low = resize(self.una);
        }
        if self.step_5 {
            offset = resize(self.nxt >> 6);
            psn_low = resize(self.nxt);
        }
        let psn_segment =
            self.una.get_bits::<SEGMENT_NUMBER>(6) + bit_cast::<SEGMENT_NUMBER, SEGMENTS>(offset);
        self.result = (bit_cast::<PSN, SEGMENT_NUMBER>(psn_segment) << 6) | bit_cast::<PSN, 6>(psn_low);
        self.step_6 = self.step_5;
        if self.step_6 {
            self.kept = self.result;
        }
        self.psn = self.result;
        self.snd_nxt = self.kept;
    }
}
