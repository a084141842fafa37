//! The last PSN of a SACK, the first PSN to retransmit, and the bounds that `read` asks for.

use respray_hdl_macros::hdl_gen;
use rust_hdl::prelude::*;

use super::super::encode::LastSet;
use crate::comment;

/// Keeps the place of a PSN: of a SACK the last one that its bitmap shows, of `next_rtx` the one that the walk finds.
///
/// A place becomes a PSN again in one adder: at step 5 that of `snd_nxt`, so that `read` has both bounds at its end, and later what the
/// op asks for.
///
/// `K = R + 1`, the width of a word's number, `S = P - 6` that of a segment's.
#[derive(LogicBlock, Default)]
pub struct Pick<const N: usize, const R: usize, const K: usize, const P: usize, const S: usize> {
    pub clk: Signal<In, Clock>,
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
    pub base_segment: Signal<In, Bits<R>>,
    /// A word of the walk: it holds a PSN to retransmit, the first one, the word's number.
    pub valid: Signal<In, bool>,
    pub has: Signal<In, bool>,
    pub first: Signal<In, Bits<5>>,
    pub word: Signal<In, Bits<K>>,
    pub una: Signal<In, Bits<P>>,
    pub nxt: Signal<In, Bits<N>>,

    /// There is such a PSN.
    pub found: Signal<Out, bool>,
    /// Place one past it.
    pub past: Signal<Out, Bits<N>>,
    /// SACK: it is the highest of all places, which no window reaches, and `past` is 0.
    pub beyond: Signal<Out, bool>,
    /// What `next_rtx` found, or `una`; a cycle late.
    pub psn: Signal<Out, Bits<P>>,
    /// At step 7: `snd_nxt`.
    pub snd_nxt: Signal<Out, Bits<P>>,

    segment: Signal<Local, Bits<R>>,
    offset: Signal<Local, Bits<R>>,
    at: Signal<Local, Bits<N>>,
    psn_segment: Signal<Local, Bits<S>>,
    psn_low: Signal<Local, Bits<6>>,
    any: DFF<bool>,
    low: DFF<Bits<6>>,
    upper: DFF<Bits<R>>,
    result: DFF<Bits<P>>,
    result_before: DFF<Bits<P>>,
    last_set: LastSet,
}

impl<const N: usize, const R: usize, const K: usize, const P: usize, const S: usize> Logic
    for Pick<N, R, K, P, S>
{
    #[hdl_gen]
    fn update(&mut self) {
        comment!(
            "module pick: the last PSN of a SACK, the first of 32 to retransmit, the bounds of what is outstanding"
        );
        dff_setup!(self, clk, any, low, upper, result, result_before);
        self.last_set.flags.next = self.sack_bits.val();
        if self.scan.val() & self.last_set.any.val() {
            self.any.d.next = true;
            self.low.d.next =
                (bit_cast::<6, 2>(self.part.val()) << 4) | bit_cast::<6, 4>(self.last_set.place.val());
        }
        if self.is_next_rtx.val() & self.valid.val() & self.has.val() & !self.any.q.val() {
            self.any.d.next = true;
            self.low.d.next = (bit_cast::<6, K>(self.word.val()) << 5) | bit_cast::<6, 5>(self.first.val());
            self.upper.d.next = bit_cast::<R, K>(self.word.val() >> 1);
        }
        if self.starts.val() {
            self.any.d.next = false;
        }
        self.segment.next = self.upper.q.val();
        if self.is_sack.val() {
            self.segment.next = self.base_segment.val();
        }
        self.at.next = (bit_cast::<N, R>(self.segment.val()) << 6) | bit_cast::<N, 6>(self.low.q.val());
        self.past.next = self.at.val() + 1;
        self.found.next = self.any.q.val();
        self.beyond.next = self.any.q.val() & self.at.val().all();

        self.offset.next = self.upper.q.val();
        self.psn_low.next = self.low.q.val();
        if self.of_una.val() {
            self.offset.next = 0.into();
            self.psn_low.next = bit_cast::<6, P>(self.una.val());
        }
        if self.step_5.val() {
            self.offset.next = bit_cast::<R, N>(self.nxt.val() >> 6);
            self.psn_low.next = bit_cast::<6, N>(self.nxt.val());
        }
        self.psn_segment.next = self.una.val().get_bits::<S>(6) + bit_cast::<S, R>(self.offset.val());
        self.result.d.next =
            (bit_cast::<P, S>(self.psn_segment.val()) << 6) | bit_cast::<P, 6>(self.psn_low.val());
        self.result_before.d.next = self.result.q.val();
        self.psn.next = self.result.q.val();
        self.snd_nxt.next = self.result_before.q.val();
    }
}
