//! The control word after the op.

use respray_hdl_macros::block;
use rust_hdl::prelude::*;

use crate::comment;
use crate::prims::{Reg, resize};

/// Moves a place by whole segments.
#[block(no_clock)]
pub struct Recede<const N: usize, const R: usize> {
    pub place: Signal<In, Bits<N>>,
    pub segments: Signal<In, Bits<R>>,
    pub moved: Signal<Out, Bits<N>>,
}

#[block]
impl<const N: usize, const R: usize> Recede<N, R> {
    fn update(&mut self) {
        comment!("module recede: a place, counted from a segment further on");
        let upper: Bits<R> = resize(self.place >> 6);
        let less = upper - self.segments;
        self.moved = (bit_cast::<N, R>(less) << 6) | bit_cast::<N, 6>(bit_cast::<6, N>(self.place));
    }
}

/// The places of a connection after the op.
#[block(no_reset)]
pub struct Renew<const N: usize, const R: usize, const P: usize> {
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

    nxt_after: Reg<Bits<N>>,
    nxt_recede: Recede<N, R>,
    mark_recede: Recede<N, R>,
    end_recede: Recede<N, R>,
    rtx_recede: Recede<N, R>,
}

#[block]
impl<const N: usize, const R: usize, const P: usize> Renew<N, R, P> {
    fn update(&mut self) {
        comment!("module renew: the places of a connection after the op");
        let mut by: Bits<R> = 0;
        if self.is_sack {
            by = self.segments;
        }
        self.una = self.stored_una;
        if self.is_sack {
            self.una = self.epsn;
        }
        if self.is_init {
            self.una = self.psn;
        }
        self.nxt_recede.segments = by;
        self.nxt_recede.place = self.stored_nxt + self.is_sent;
        self.nxt_after = self.nxt_recede.moved;
        self.nxt = self.nxt_after;
        if self.is_init {
            self.nxt = resize(bit_cast::<6, P>(self.psn));
        }
        comment!("After rule 2 high may be the end of the range, which serves as well until it is left.");
        self.mark_recede.segments = by;
        self.mark_recede.place = self.mark;
        self.high = self.stored_high;
        if self.is_sack {
            self.high = self.mark_recede.moved;
        }
        if self.is_init {
            self.high = 0;
        }
        self.end_recede.segments = by;
        self.end_recede.place = self.stored_rec_end;
        self.rec_end = self.end_recede.moved;
        if self.timeout | (self.probe_due & !self.recovering) {
            self.rec_end = self.stored_nxt;
        }
        if self.enters {
            self.rec_end = self.mark_recede.moved;
        }
        comment!("Of all places only the first one to hand out may lie below the new segment.");
        self.rtx_recede.segments = by;
        self.rtx_recede.place = self.stored_rtx;
        let rtx_segment: Bits<R> = resize(self.stored_rtx >> 6);
        self.rtx = self.rtx_recede.moved;
        if self.enters | self.timeout | (rtx_segment < by) {
            self.rtx = 0;
        }
        if self.is_next_rtx {
            self.rtx = self.past;
        }
    }
}
