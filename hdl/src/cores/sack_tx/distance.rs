//! Where a PSN lies, seen from `snd_una`.

use respray_hdl_macros::hdl_gen;
use rust_hdl::prelude::*;

use crate::comment;
use crate::prims::Param;

/// Subtracts segments: PSN sent, EPSN and base, each less that of `una`.
///
/// Step 2 takes the PSN sent or the EPSN, step 3 the base. `S = P - 6` is the width of a segment's number, `L = S - 1` that of its
/// bits below the sign.
#[derive(LogicBlock, Default)]
pub struct Distance<const N: usize, const R: usize, const P: usize, const S: usize, const L: usize> {
    pub clk: Signal<In, Clock>,
    pub step_2: Signal<In, bool>,
    pub step_3: Signal<In, bool>,
    pub step_4: Signal<In, bool>,
    pub is_sack: Signal<In, bool>,
    pub is_next_rtx: Signal<In, bool>,
    pub una: Signal<In, Bits<P>>,
    pub psn: Signal<In, Bits<P>>,
    pub epsn: Signal<In, Bits<P>>,
    pub base: Signal<In, Bits<P>>,

    /// Step 2: place of the PSN or EPSN.
    pub place: Signal<Out, Bits<N>>,
    /// Step 3: the PSN or EPSN is below `una`; it is not, and farther ahead than places go.
    pub below: Signal<Out, bool>,
    pub far: Signal<Out, bool>,
    /// From step 3 on: it is not `una`.
    pub moved: Signal<Out, bool>,
    /// From step 3 on: last segment of the walk, the segments that `una` moves by where a SACK moves it.
    pub segments: Signal<Out, Bits<R>>,
    /// From step 5 on: segment of the base; the base is no segment of the window.
    pub base_segment: Signal<Out, Bits<R>>,
    pub base_bad: Signal<Out, bool>,

    ahead: Signal<Local, Bits<P>>,
    difference: Signal<Local, Bits<S>>,
    low: Signal<Local, Bits<6>>,
    lower_part: Signal<Local, bool>,
    upper: Signal<Local, Bits<S>>,
    near: Signal<Local, bool>,
    is_below: Signal<Local, bool>,
    beyond_window: Signal<Local, bool>,

    whole: DFF<Bits<S>>,
    borrows: DFF<bool>,
    differs: DFF<bool>,
    last: DFF<Bits<R>>,
    of_base: DFF<Bits<R>>,
    bad: DFF<bool>,

    place_segments: Param<Bits<5>>,
    window_segments: Param<Bits<R>>,
    init_last: Param<Bits<R>>,
    sign: Param<Bits<5>>,
}

impl<const N: usize, const R: usize, const P: usize, const S: usize, const L: usize> Distance<N, R, P, S, L> {
    /// The block with its parameters, which follow from its sizes.
    pub fn new() -> Self {
        Self {
            place_segments: Param::new((R as u64).into()),
            window_segments: Param::new((1u64 << (R - 1)).into()),
            init_last: Param::new(((1u64 << (R - 1)) - 1).into()),
            sign: Param::new((L as u64).into()),
            ..Default::default()
        }
    }
}

impl<const N: usize, const R: usize, const P: usize, const S: usize, const L: usize> Logic
    for Distance<N, R, P, S, L>
{
    #[hdl_gen]
    fn update(&mut self) {
        comment!("module distance: where a PSN lies, seen from snd_una");
        dff_setup!(self, clk, whole, borrows, differs, last, of_base, bad);
        self.ahead.next = self.psn.val();
        if self.is_sack.val() {
            self.ahead.next = self.epsn.val();
        }
        if self.step_3.val() {
            self.ahead.next = self.base.val();
        }
        self.difference.next = self.ahead.val().get_bits::<S>(6) - self.una.val().get_bits::<S>(6);
        self.low.next = bit_cast::<6, P>(self.ahead.val());
        self.whole.d.next = self.difference.val();
        if self.step_2.val() {
            self.borrows.d.next = self.low.val() < bit_cast::<6, P>(self.una.val());
            self.differs.d.next = self.low.val() != bit_cast::<6, P>(self.una.val());
            self.last.d.next = self.init_last.val();
            if self.is_next_rtx.val() {
                self.last.d.next = self.window_segments.val();
            }
            if self.is_sack.val() {
                self.last.d.next = bit_cast::<R, S>(self.difference.val());
            }
        }
        self.place.next = (bit_cast::<N, S>(self.difference.val()) << 6) | bit_cast::<N, 6>(self.low.val());

        comment!(
            "Step 3. Of the whole PSN: the borrow of the lower 6 turns the sign where it finds zeros above."
        );
        self.upper.next = self.whole.q.val() >> self.place_segments.val();
        self.near.next = !self.upper.val().any();
        self.lower_part.next = !bit_cast::<L, S>(self.whole.q.val()).any();
        self.is_below.next = self.whole.q.val().get_bit(self.sign.val().index())
            ^ (self.borrows.q.val() & self.lower_part.val());
        self.below.next = self.is_below.val();
        self.far.next = !self.near.val();
        self.moved.next = self.differs.q.val() | self.last.q.val().any();

        comment!("Step 4.");
        self.beyond_window.next = bit_cast::<R, S>(self.whole.q.val()) > self.window_segments.val();
        if self.step_4.val() {
            self.of_base.d.next = bit_cast::<R, S>(self.whole.q.val());
            self.bad.d.next =
                !self.near.val() | self.beyond_window.val() | bit_cast::<6, P>(self.base.val()).any();
        }
        self.segments.next = self.last.q.val();
        self.base_segment.next = self.of_base.q.val();
        self.base_bad.next = self.bad.q.val();
    }
}
