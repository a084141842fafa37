//! The last PSN of a SACK, the first PSN to retransmit, and the bounds that `read` asks for.

use respray_hdl_macros::block;
use rust_hdl::prelude::*;

use super::super::encode::LastSet;
use crate::comment;
use crate::prims::{Reg, resize};

/// Keeps the place of a PSN: of a SACK the last one that its bitmap shows, of `next_rtx` the one that the walk finds.
///
/// A place becomes a PSN again in one adder: at step 5 that of `snd_nxt`, so that `read` has both bounds at its end, and later what the
/// op asks for.
///
/// `WIDE_WORDS = SEGMENTS + 1`, the width of a word's number, `SEGMENT_NUMBER = PSN - 6` that of a segment's.
#[block(no_reset)]
pub struct Pick<
    const PACKETS: usize,
    const SEGMENTS: usize,
    const WIDE_WORDS: usize,
    const PSN: usize,
    const SEGMENT_NUMBER: usize,
> {
    pub starts: Signal<In, bool>,
    pub is_sack: Signal<In, bool>,
    pub is_next_rtx: Signal<In, bool>,
    /// What is asked for is `una`: from step 4 on, until the result.
    pub of_una: Signal<In, bool>,
    pub step_5: Signal<In, bool>,
    /// The words of the SACK's bitmap come by, one after the other: the word and its number.
    pub scan: Signal<In, bool>,
    pub sack_bits: Signal<In, Bits<16>>,
    pub part: Signal<In, Bits<2>>,
    /// Segment of the SACK.
    pub base_segment: Signal<In, Bits<SEGMENTS>>,
    /// A word of the walk: it holds a PSN to retransmit, the first one, the word's number.
    pub valid: Signal<In, bool>,
    pub has: Signal<In, bool>,
    pub first: Signal<In, Bits<5>>,
    pub word: Signal<In, Bits<WIDE_WORDS>>,
    pub una: Signal<In, Bits<PSN>>,
    pub nxt: Signal<In, Bits<PACKETS>>,

    /// There is such a PSN.
    pub found: Signal<Out, bool>,
    /// Place one past it.
    pub past: Signal<Out, Bits<PACKETS>>,
    /// SACK: it is the highest of all places, which no window reaches, and `past` is 0.
    pub beyond: Signal<Out, bool>,
    /// What `next_rtx` found, or `una`; a cycle late.
    pub psn: Signal<Out, Bits<PSN>>,
    /// At step 7: `snd_nxt`.
    pub snd_nxt: Signal<Out, Bits<PSN>>,

    any: Reg<bool>,
    low: Reg<Bits<6>>,
    upper: Reg<Bits<SEGMENTS>>,
    result: Reg<Bits<PSN>>,
    result_before: Reg<Bits<PSN>>,
    last_set: LastSet,
}

#[block]
impl<
    const PACKETS: usize,
    const SEGMENTS: usize,
    const WIDE_WORDS: usize,
    const PSN: usize,
    const SEGMENT_NUMBER: usize,
> Pick<PACKETS, SEGMENTS, WIDE_WORDS, PSN, SEGMENT_NUMBER>
{
    fn update(&mut self) {
        comment!(
            "module pick: the last PSN of a SACK, the first of 32 to retransmit, the bounds of what is outstanding"
        );
        self.last_set.flags = self.sack_bits;
        if self.scan & self.last_set.any {
            self.any = true;
            self.low = (bit_cast::<6, 2>(self.part) << 4) | bit_cast::<6, 4>(self.last_set.place);
        }
        if self.is_next_rtx & self.valid & self.has & !self.any {
            self.any = true;
            self.low = (bit_cast::<6, WIDE_WORDS>(self.word) << 5) | bit_cast::<6, 5>(self.first);
            self.upper = resize(self.word >> 1);
        }
        if self.starts {
            self.any = false;
        }
        let mut segment = self.upper;
        if self.is_sack {
            segment = self.base_segment;
        }
        let at = (bit_cast::<PACKETS, SEGMENTS>(segment) << 6) | bit_cast::<PACKETS, 6>(self.low);
        self.past = at + 1;
        self.found = self.any;
        self.beyond = self.any & at.all();

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
        self.result_before = self.result;
        self.psn = self.result;
        self.snd_nxt = self.result_before;
    }
}
