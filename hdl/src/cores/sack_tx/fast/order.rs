//! One comparison of places a cycle.

use respray_hdl_macros::block;
use rust_hdl::prelude::*;

use crate::comment;
use crate::prims::{Param, Reg, resize};

/// Compares `mark` with another place, and keeps the later one where asked.
///
/// ```text
///  step   3     4        6     7      8     9         10
///         nxt   rec_end  top   nxt    high  rec_end   nxt
///  mark = PSN sent or EPSN ──► max ──► max, end of the range for rule 1 ──► max, for rule 2
/// ```
///
/// `top` is one past the highest bit of the SACK. What is compared is loaded a step before. `PACKETS_DIFFERENCE = PACKETS + 1`.
#[block(no_reset)]
pub struct Order<const PACKETS: usize, const PACKETS_DIFFERENCE: usize> {
    pub step_2: Signal<In, bool>,
    pub step_3: Signal<In, bool>,
    pub step_5: Signal<In, bool>,
    pub step_7: Signal<In, bool>,
    pub step_8: Signal<In, bool>,
    /// The later place is kept, at steps 6, 8 and 9.
    pub keep: Signal<In, bool>,
    pub place: Signal<In, Bits<PACKETS>>,
    pub nxt: Signal<In, Bits<PACKETS>>,
    pub stored_high: Signal<In, Bits<PACKETS>>,
    pub rec_end: Signal<In, Bits<PACKETS>>,
    pub top: Signal<In, Bits<PACKETS>>,

    /// The other place is at or after `mark`; it is `mark`.
    pub reached: Signal<Out, bool>,
    pub equal: Signal<Out, bool>,
    /// Step 9: a PSN above EPSN was received.
    pub ahead: Signal<Out, bool>,
    pub mark: Signal<Out, Bits<PACKETS>>,
    /// From step 10 on: packets from `mark` to `nxt`.
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
        comment!("module order: one comparison of places a cycle, of rule 2 while a SACK walks");
        self.other = self.nxt;
        if self.step_3 | self.step_8 {
            self.other = self.rec_end;
        }
        if self.step_5 {
            self.other = self.top;
        }
        if self.step_7 {
            self.other = self.stored_high;
        }
        let difference: Bits<PACKETS_DIFFERENCE> = bit_cast::<PACKETS_DIFFERENCE, PACKETS>(self.other)
            - bit_cast::<PACKETS_DIFFERENCE, PACKETS>(self.greatest);
        let is_reached = !difference.get_bit(self.borrow.index());
        let is_equal = !bit_cast::<PACKETS, PACKETS_DIFFERENCE>(difference).any();
        let is_more: bool = bit_cast::<PACKETS, PACKETS_DIFFERENCE>(difference >> 1).any();
        if self.keep & is_reached & !is_equal {
            self.greatest = self.other;
        }
        comment!("One past EPSN is EPSN itself, which the receiver lacks whatever it said before.");
        if self.keep & is_reached & is_more {
            self.is_ahead = true;
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
