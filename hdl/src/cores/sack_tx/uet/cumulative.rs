//! How far `snd_una` moves, and how far a walk looks.

use respray_hdl_macros::block;
use rust_hdl::prelude::*;

use crate::comment;
use crate::prims::{Reg, resize};

/// The place behind the cumulative PSN, or `una`, where an ACK does not move it. Of what counts or searches the place of `nxt`.
#[block(no_reset)]
pub struct Cumulative<const PACKETS: usize, const SEGMENTS: usize> {
    pub step_3: Signal<In, bool>,
    pub step_9: Signal<In, bool>,
    pub is_ack: Signal<In, bool>,
    /// A NACK asks for its PSN.
    pub single: Signal<In, bool>,
    pub una_low: Signal<In, Bits<6>>,
    pub nxt: Signal<In, Bits<PACKETS>>,
    pub cum_low: Signal<In, Bits<6>>,
    /// Step 3: what is behind the cumulative PSN lies below `una`; from step 3 on: the segments that it lies ahead; it is not `una`.
    pub below: Signal<In, bool>,
    pub segments: Signal<In, Bits<SEGMENTS>>,
    pub differs: Signal<In, bool>,
    /// From step 9 on: the ACK is taken; its cumulative PSN counts for nothing.
    pub ok: Signal<In, bool>,
    pub overtaken: Signal<In, bool>,
    pub unheard: Signal<In, bool>,

    /// From step 4 on, where that is so from step 10 on.
    pub place: Signal<Out, Bits<PACKETS>>,
    /// From step 9 on: `una` moves, by so many segments.
    pub moves: Signal<Out, bool>,
    pub by: Signal<Out, Bits<SEGMENTS>>,
    /// From step 3 on: nothing is outstanding.
    pub empty: Signal<Out, bool>,

    is_empty: Reg<bool>,
    behind: Reg<Bits<PACKETS>>,
}

#[block]
impl<const PACKETS: usize, const SEGMENTS: usize> Cumulative<PACKETS, SEGMENTS> {
    fn update(&mut self) {
        comment!("module cumulative: how far snd_una moves, and how far a walk looks");
        let una: Bits<PACKETS> = resize(self.una_low);
        self.is_empty = self.nxt == una;
        self.empty = self.is_empty;
        if self.step_3 {
            self.behind = self.nxt;
            if self.is_ack {
                self.behind = (bit_cast::<PACKETS, SEGMENTS>(self.segments) << 6)
                    | bit_cast::<PACKETS, 6>(self.cum_low);
            }
            if self.single | (self.is_ack & self.below) {
                self.behind = una;
            }
        }
        if self.step_9 & self.unheard {
            self.behind = una;
        }
        self.place = self.behind;
        let counts = self.is_ack & self.ok & !self.overtaken & !self.unheard;
        self.moves = counts & self.differs;
        self.by = 0;
        if counts {
            self.by = self.segments;
        }
    }
}
