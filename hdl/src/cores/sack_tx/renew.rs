//! The control word after the op.

use respray_hdl_macros::block;
use rust_hdl::prelude::*;

use crate::comment;
use crate::prims::{Reg, resize};

/// Moves a place by whole segments.
#[block(no_clock)]
pub struct Recede<const PACKETS: usize, const SEGMENTS: usize> {
    pub place: Signal<In, Bits<PACKETS>>,
    pub segments: Signal<In, Bits<SEGMENTS>>,
    pub moved: Signal<Out, Bits<PACKETS>>,
}

#[block]
impl<const PACKETS: usize, const SEGMENTS: usize> Recede<PACKETS, SEGMENTS> {
    fn update(&mut self) {
        comment!("module recede: a place, counted from a segment further on");
        let upper: Bits<SEGMENTS> = resize(self.place >> 6);
        let less = upper - self.segments;
        self.moved = (bit_cast::<PACKETS, SEGMENTS>(less) << 6)
            | bit_cast::<PACKETS, 6>(bit_cast::<6, PACKETS>(self.place));
    }
}

/// The places of a connection after the op.
#[block(no_reset)]
pub struct Renew<const PACKETS: usize, const SEGMENTS: usize, const PSN: usize> {
    pub is_sent: Signal<In, bool>,
    pub is_sack: Signal<In, bool>,
    pub is_next_rtx: Signal<In, bool>,
    pub is_init: Signal<In, bool>,
    pub recovering: Signal<In, bool>,
    pub enters: Signal<In, bool>,
    pub timeout: Signal<In, bool>,
    pub probe_due: Signal<In, bool>,
    pub psn: Signal<In, Bits<PSN>>,
    pub epsn: Signal<In, Bits<PSN>>,
    /// Segments that `una` moves by, if a SACK moves it.
    pub segments: Signal<In, Bits<SEGMENTS>>,
    /// SACK: one past the highest PSN received, and end of the range; one past the PSN handed out.
    pub mark: Signal<In, Bits<PACKETS>>,
    pub past: Signal<In, Bits<PACKETS>>,
    pub stored_una: Signal<In, Bits<PSN>>,
    pub stored_nxt: Signal<In, Bits<PACKETS>>,
    pub stored_high: Signal<In, Bits<PACKETS>>,
    pub stored_rec_end: Signal<In, Bits<PACKETS>>,
    pub stored_rtx: Signal<In, Bits<PACKETS>>,

    pub una: Signal<Out, Bits<PSN>>,
    pub nxt: Signal<Out, Bits<PACKETS>>,
    pub high: Signal<Out, Bits<PACKETS>>,
    pub rec_end: Signal<Out, Bits<PACKETS>>,
    pub rtx: Signal<Out, Bits<PACKETS>>,

    nxt_after: Reg<Bits<PACKETS>>,
    nxt_recede: Recede<PACKETS, SEGMENTS>,
    mark_recede: Recede<PACKETS, SEGMENTS>,
    end_recede: Recede<PACKETS, SEGMENTS>,
    rtx_recede: Recede<PACKETS, SEGMENTS>,
}

#[block]
impl<const PACKETS: usize, const SEGMENTS: usize, const PSN: usize> Renew<PACKETS, SEGMENTS, PSN> {
    fn update(&mut self) {
        comment!("module renew: the places of a connection after the op");
        let mut by: Bits<SEGMENTS> = 0;
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
            self.nxt = resize(bit_cast::<6, PSN>(self.psn));
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
        let rtx_segment: Bits<SEGMENTS> = resize(self.stored_rtx >> 6);
        self.rtx = self.rtx_recede.moved;
        if self.enters | self.timeout | (rtx_segment < by) {
            self.rtx = 0;
        }
        if self.is_next_rtx {
            self.rtx = self.past;
        }
    }
}
