//! The control word after the op.

use respray_hdl_macros::hdl_gen;
use rust_hdl::prelude::*;

use crate::comment;

/// Moves a place by whole segments.
#[derive(LogicBlock, Default)]
pub struct Recede<const N: usize, const R: usize> {
    pub place: Signal<In, Bits<N>>,
    pub segments: Signal<In, Bits<R>>,
    pub moved: Signal<Out, Bits<N>>,
    upper: Signal<Local, Bits<R>>,
    less: Signal<Local, Bits<R>>,
}

impl<const N: usize, const R: usize> Logic for Recede<N, R> {
    #[hdl_gen]
    fn update(&mut self) {
        comment!("module recede: a place, counted from a segment further on");
        self.upper.next = bit_cast::<R, N>(self.place.val() >> 6);
        self.less.next = self.upper.val() - self.segments.val();
        self.moved.next =
            (bit_cast::<N, R>(self.less.val()) << 6) | bit_cast::<N, 6>(bit_cast::<6, N>(self.place.val()));
    }
}

/// The places of a connection after the op.
#[derive(LogicBlock, Default)]
pub struct Renew<const N: usize, const R: usize, const P: usize> {
    pub clk: Signal<In, Clock>,
    pub is_sent: Signal<In, bool>,
    pub is_sack: Signal<In, bool>,
    pub is_next_rtx: Signal<In, bool>,
    pub is_init: Signal<In, bool>,
    pub recovering: Signal<In, bool>,
    pub enters: Signal<In, bool>,
    pub timeout: Signal<In, bool>,
    pub probe_due: Signal<In, bool>,
    pub psn: Signal<In, Bits<P>>,
    pub epsn: Signal<In, Bits<P>>,
    /// Segments that `una` moves by, if a SACK moves it.
    pub segments: Signal<In, Bits<R>>,
    /// SACK: one past the highest PSN received, and end of the range; one past the PSN handed out.
    pub mark: Signal<In, Bits<N>>,
    pub past: Signal<In, Bits<N>>,
    pub stored_una: Signal<In, Bits<P>>,
    pub stored_nxt: Signal<In, Bits<N>>,
    pub stored_high: Signal<In, Bits<N>>,
    pub stored_rec_end: Signal<In, Bits<N>>,
    pub stored_rtx: Signal<In, Bits<N>>,

    pub una: Signal<Out, Bits<P>>,
    pub nxt: Signal<Out, Bits<N>>,
    pub high: Signal<Out, Bits<N>>,
    pub rec_end: Signal<Out, Bits<N>>,
    pub rtx: Signal<Out, Bits<N>>,

    by: Signal<Local, Bits<R>>,
    nxt_after: DFF<Bits<N>>,
    nxt_recede: Recede<N, R>,
    rtx_segment: Signal<Local, Bits<R>>,
    mark_recede: Recede<N, R>,
    end_recede: Recede<N, R>,
    rtx_recede: Recede<N, R>,
}

impl<const N: usize, const R: usize, const P: usize> Logic for Renew<N, R, P> {
    #[hdl_gen]
    fn update(&mut self) {
        comment!("module renew: the places of a connection after the op");
        dff_setup!(self, clk, nxt_after);
        self.by.next = 0.into();
        if self.is_sack.val() {
            self.by.next = self.segments.val();
        }
        self.una.next = self.stored_una.val();
        if self.is_sack.val() {
            self.una.next = self.epsn.val();
        }
        if self.is_init.val() {
            self.una.next = self.psn.val();
        }
        self.nxt_recede.segments.next = self.by.val();
        self.nxt_recede.place.next = self.stored_nxt.val() + self.is_sent.val();
        self.nxt_after.d.next = self.nxt_recede.moved.val();
        self.nxt.next = self.nxt_after.q.val();
        if self.is_init.val() {
            self.nxt.next = bit_cast::<N, 6>(bit_cast::<6, P>(self.psn.val()));
        }
        comment!("After rule 2 high may be the end of the range, which serves as well until it is left.");
        self.mark_recede.segments.next = self.by.val();
        self.mark_recede.place.next = self.mark.val();
        self.high.next = self.stored_high.val();
        if self.is_sack.val() {
            self.high.next = self.mark_recede.moved.val();
        }
        if self.is_init.val() {
            self.high.next = 0.into();
        }
        self.end_recede.segments.next = self.by.val();
        self.end_recede.place.next = self.stored_rec_end.val();
        self.rec_end.next = self.end_recede.moved.val();
        if self.timeout.val() | (self.probe_due.val() & !self.recovering.val()) {
            self.rec_end.next = self.stored_nxt.val();
        }
        if self.enters.val() {
            self.rec_end.next = self.mark_recede.moved.val();
        }
        comment!("Of all places only the first one to hand out may lie below the new segment.");
        self.rtx_recede.segments.next = self.by.val();
        self.rtx_recede.place.next = self.stored_rtx.val();
        self.rtx_segment.next = bit_cast::<R, N>(self.stored_rtx.val() >> 6);
        self.rtx.next = self.rtx_recede.moved.val();
        if self.enters.val() | self.timeout.val() | (self.rtx_segment.val() < self.by.val()) {
            self.rtx.next = 0.into();
        }
        if self.is_next_rtx.val() {
            self.rtx.next = self.past.val();
        }
    }
}
