//! One comparison of places a cycle.

use respray_hdl_macros::block;
use rust_hdl::prelude::*;

use crate::comment;
use crate::prims::{Param, Reg, resize};

/// Compares `mark` with another place, and keeps the later one where asked.
///
/// ```text
///  step   3     4        6     7           8     10     13        14
///  ack    nxt   rec_end  top   behind PSN  nxt   high   rec_end   nxt
///  nack   nxt   rtx            behind PSN
///  visit                 aged  behind una
/// ```
///
/// `mark` begins with the PSN, of an ACK with what is behind its cumulative PSN, and never lies below `una`. What is compared is loaded
/// a step before. `top` is one past the highest bit of the bitmap. `PACKETS_DIFFERENCE = PACKETS + 1`.
#[block(no_reset)]
pub struct Order<const PACKETS: usize, const PACKETS_DIFFERENCE: usize> {
    pub step_2: Signal<In, bool>,
    pub step_3: Signal<In, bool>,
    pub step_5: Signal<In, bool>,
    pub step_6: Signal<In, bool>,
    pub step_9: Signal<In, bool>,
    pub step_12: Signal<In, bool>,
    pub is_nack: Signal<In, bool>,
    pub is_visit: Signal<In, bool>,
    /// The mark is `una` again.
    pub returns: Signal<In, bool>,
    /// The later place is kept.
    pub keep: Signal<In, bool>,
    pub place: Signal<In, Bits<PACKETS>>,
    pub una_low: Signal<In, Bits<6>>,
    pub nxt: Signal<In, Bits<PACKETS>>,
    pub stored_high: Signal<In, Bits<PACKETS>>,
    pub rec_end: Signal<In, Bits<PACKETS>>,
    pub rtx: Signal<In, Bits<PACKETS>>,
    pub aged: Signal<In, Bits<PACKETS>>,
    pub top: Signal<In, Bits<PACKETS>>,
    pub psn_place: Signal<In, Bits<PACKETS>>,

    /// The other place is at or after `mark`; it is `mark`.
    pub reached: Signal<Out, bool>,
    pub equal: Signal<Out, bool>,
    /// Step 13: a PSN at or above `una` was received.
    pub ahead: Signal<Out, bool>,
    pub mark: Signal<Out, Bits<PACKETS>>,
    /// From step 14 on: packets from `mark` to `nxt`.
    pub after_mark: Signal<Out, Bits<PACKETS>>,

    other: Reg<Bits<PACKETS>>,
    greatest: Reg<Bits<PACKETS>>,
    is_ahead: Reg<bool>,
    borrow: Param<Bits<5>>,
}

#[block]
impl<const PACKETS: usize, const PACKETS_DIFFERENCE: usize> Order<PACKETS, PACKETS_DIFFERENCE> {
    /// The block with its parameters, which follow from its sizes.
    pub fn new() -> Self {
        Self { borrow: Param::new((PACKETS as u64).into()), ..Default::default() }
    }

    fn update(&mut self) {
        comment!("module order: one comparison of places a cycle, from snd_una on");
        self.other = self.nxt;
        if self.step_3 | self.step_12 {
            self.other = self.rec_end;
            if self.is_nack {
                self.other = self.rtx;
            }
        }
        if self.step_5 {
            self.other = self.top;
            if self.is_visit {
                self.other = self.aged;
            }
        }
        if self.step_6 {
            self.other = self.psn_place + 1;
        }
        if self.step_9 {
            self.other = self.stored_high;
        }
        let difference: Bits<PACKETS_DIFFERENCE> = bit_cast::<PACKETS_DIFFERENCE, PACKETS>(self.other)
            - bit_cast::<PACKETS_DIFFERENCE, PACKETS>(self.greatest);
        let is_reached = !difference.get_bit(self.borrow.index());
        let is_equal = !bit_cast::<PACKETS, PACKETS_DIFFERENCE>(difference).any();
        if self.keep & is_reached & !is_equal {
            self.greatest = self.other;
            self.is_ahead = true;
        }
        if self.returns {
            self.greatest = resize(self.una_low);
            self.is_ahead = false;
        }
        if self.step_2 {
            self.greatest = self.place;
            self.is_ahead = false;
        }
        self.reached = is_reached;
        self.equal = is_equal;
        self.ahead = self.is_ahead;
        self.mark = self.greatest;
        self.after_mark = resize(difference);
    }
}
