//! The control word after the op.

use respray_hdl_macros::block;
use rust_hdl::prelude::*;

use super::super::renew::Recede;
use crate::comment;
use crate::prims::{Reg, resize};

/// The places of a connection after the op.
#[block(no_reset)]
pub struct Renew<const PACKETS: usize, const SEGMENTS: usize, const PSN: usize> {
    pub step_11: Signal<In, bool>,
    pub is_sent: Signal<In, bool>,
    pub is_ack: Signal<In, bool>,
    pub is_next_rtx: Signal<In, bool>,
    pub is_init: Signal<In, bool>,
    pub recovering: Signal<In, bool>,
    pub enters: Signal<In, bool>,
    pub loses: Signal<In, bool>,
    pub probe_due: Signal<In, bool>,
    /// A NACK goes back: to `una`, to its PSN, or neither: it goes on where recovery is.
    pub back: Signal<In, bool>,
    pub from_una: Signal<In, bool>,
    pub from_psn: Signal<In, bool>,
    /// A visit notes what was sent.
    pub notes: Signal<In, bool>,
    pub psn: Signal<In, Bits<PSN>>,
    pub cum_next: Signal<In, Bits<PSN>>,
    pub moves: Signal<In, bool>,
    /// Segments that `una` moves by.
    pub by: Signal<In, Bits<SEGMENTS>>,
    /// End of the range; at step 11 one past the highest PSN received; one past the PSN handed out; the NACK's PSN.
    pub mark: Signal<In, Bits<PACKETS>>,
    pub past: Signal<In, Bits<PACKETS>>,
    pub psn_place: Signal<In, Bits<PACKETS>>,
    pub stored_una: Signal<In, Bits<PSN>>,
    pub stored_nxt: Signal<In, Bits<PACKETS>>,
    pub stored_high: Signal<In, Bits<PACKETS>>,
    pub stored_rec_end: Signal<In, Bits<PACKETS>>,
    pub stored_rtx: Signal<In, Bits<PACKETS>>,
    pub stored_recent: Signal<In, Bits<PACKETS>>,
    pub stored_aged: Signal<In, Bits<PACKETS>>,

    pub una: Signal<Out, Bits<PSN>>,
    pub nxt: Signal<Out, Bits<PACKETS>>,
    pub high: Signal<Out, Bits<PACKETS>>,
    pub rec_end: Signal<Out, Bits<PACKETS>>,
    pub rtx: Signal<Out, Bits<PACKETS>>,
    pub recent: Signal<Out, Bits<PACKETS>>,
    pub aged: Signal<Out, Bits<PACKETS>>,

    highest: Reg<Bits<PACKETS>>,
    nxt_after: Reg<Bits<PACKETS>>,
    nxt_recede: Recede<PACKETS, SEGMENTS>,
    high_recede: Recede<PACKETS, SEGMENTS>,
    mark_recede: Recede<PACKETS, SEGMENTS>,
    end_recede: Recede<PACKETS, SEGMENTS>,
    rtx_recede: Recede<PACKETS, SEGMENTS>,
    recent_recede: Recede<PACKETS, SEGMENTS>,
    aged_recede: Recede<PACKETS, SEGMENTS>,
}

#[block]
impl<const PACKETS: usize, const SEGMENTS: usize, const PSN: usize> Renew<PACKETS, SEGMENTS, PSN> {
    fn update(&mut self) {
        comment!("module renew: the places of a connection after the op, marks of phases among them");
        self.una = self.stored_una;
        if self.moves {
            self.una = self.cum_next;
        }
        if self.is_init {
            self.una = self.psn;
        }
        self.nxt_recede.segments = self.by;
        self.nxt_recede.place = self.stored_nxt + self.is_sent;
        self.nxt_after = self.nxt_recede.moved;
        self.nxt = self.nxt_after;
        if self.is_init {
            self.nxt = resize(bit_cast::<6, PSN>(self.psn));
        }
        if self.step_11 {
            self.highest = self.mark;
        }
        self.high_recede.segments = self.by;
        self.high_recede.place = self.highest;
        self.high = self.stored_high;
        if self.is_ack {
            self.high = self.high_recede.moved;
        }
        if self.is_init {
            self.high = 0;
        }
        self.mark_recede.segments = self.by;
        self.mark_recede.place = self.mark;
        self.end_recede.segments = self.by;
        self.end_recede.place = self.stored_rec_end;
        self.rec_end = self.end_recede.moved;
        if self.back | (self.probe_due & !self.recovering) {
            self.rec_end = self.stored_nxt;
        }
        if self.enters | self.loses {
            self.rec_end = self.mark_recede.moved;
        }
        comment!("These three may lie below the new segment: then they are as good as snd_una.");
        self.rtx_recede.segments = self.by;
        self.rtx_recede.place = self.stored_rtx;
        let rtx_segment: Bits<SEGMENTS> = resize(self.stored_rtx >> 6);
        self.rtx = self.rtx_recede.moved;
        if self.from_psn {
            self.rtx = self.psn_place;
        }
        if self.enters | self.loses | self.from_una | (rtx_segment < self.by) {
            self.rtx = 0;
        }
        if self.is_next_rtx {
            self.rtx = self.past;
        }
        self.recent_recede.segments = self.by;
        self.recent_recede.place = self.stored_recent;
        let recent_segment: Bits<SEGMENTS> = resize(self.stored_recent >> 6);
        self.recent = self.recent_recede.moved;
        if self.notes {
            self.recent = self.stored_nxt;
        }
        if self.is_init | (recent_segment < self.by) {
            self.recent = 0;
        }
        self.aged_recede.segments = self.by;
        self.aged_recede.place = self.stored_aged;
        let aged_segment: Bits<SEGMENTS> = resize(self.stored_aged >> 6);
        self.aged = self.aged_recede.moved;
        if self.notes {
            self.aged = self.stored_recent;
        }
        if self.is_init | (aged_segment < self.by) {
            self.aged = 0;
        }
    }
}
