//! One comparison of places a cycle.

use respray_hdl_macros::hdl_gen;
use rust_hdl::prelude::*;

use crate::comment;
use crate::prims::Param;

/// Compares `mark` with another place, and keeps the later one where asked.
///
/// ```text
///  step   3     4        6     7      8     13        14
///         nxt   rec_end  top   nxt    high  rec_end   nxt
///  mark = PSN sent or EPSN ──► max ──► max, end of the range for rule 1 ──► max, for rule 2
/// ```
///
/// `top` is one past the highest bit of the SACK. What is compared is loaded a step before. `V = N + 1`.
#[derive(LogicBlock, Default)]
pub struct Order<const N: usize, const V: usize> {
    pub clk: Signal<In, Clock>,
    pub step_2: Signal<In, bool>,
    pub step_3: Signal<In, bool>,
    pub step_5: Signal<In, bool>,
    pub step_7: Signal<In, bool>,
    pub step_12: Signal<In, bool>,
    /// The later place is kept, at steps 6, 8 and 13.
    pub keep: Signal<In, bool>,
    pub place: Signal<In, Bits<N>>,
    pub nxt: Signal<In, Bits<N>>,
    pub stored_high: Signal<In, Bits<N>>,
    pub rec_end: Signal<In, Bits<N>>,
    pub top: Signal<In, Bits<N>>,

    /// The other place is at or after `mark`; it is `mark`.
    pub reached: Signal<Out, bool>,
    pub equal: Signal<Out, bool>,
    /// Step 13: a PSN above EPSN was received.
    pub ahead: Signal<Out, bool>,
    pub mark: Signal<Out, Bits<N>>,
    /// From step 14 on: packets from `mark` to `nxt`.
    pub after_mark: Signal<Out, Bits<N>>,

    difference: Signal<Local, Bits<V>>,
    is_reached: Signal<Local, bool>,
    is_more: Signal<Local, bool>,
    is_equal: Signal<Local, bool>,
    other: DFF<Bits<N>>,
    greatest: DFF<Bits<N>>,
    is_ahead: DFF<bool>,
    borrow: Param<Bits<5>>,
}

impl<const N: usize, const V: usize> Order<N, V> {
    /// The block with its parameters, which follow from its sizes.
    pub fn new() -> Self {
        Self { borrow: Param::new((N as u64).into()), ..Default::default() }
    }
}

impl<const N: usize, const V: usize> Logic for Order<N, V> {
    #[hdl_gen]
    fn update(&mut self) {
        comment!("module order: one comparison of places a cycle");
        dff_setup!(self, clk, other, greatest, is_ahead);
        self.other.d.next = self.nxt.val();
        if self.step_3.val() | self.step_12.val() {
            self.other.d.next = self.rec_end.val();
        }
        if self.step_5.val() {
            self.other.d.next = self.top.val();
        }
        if self.step_7.val() {
            self.other.d.next = self.stored_high.val();
        }
        self.difference.next = bit_cast::<V, N>(self.other.q.val()) - bit_cast::<V, N>(self.greatest.q.val());
        self.is_reached.next = !self.difference.val().get_bit(self.borrow.val().index());
        self.is_equal.next = !bit_cast::<N, V>(self.difference.val()).any();
        self.is_more.next = bit_cast::<N, V>(self.difference.val() >> 1).any();
        if self.keep.val() & self.is_reached.val() & !self.is_equal.val() {
            self.greatest.d.next = self.other.q.val();
        }
        comment!("One past EPSN is EPSN itself, which the receiver lacks whatever it said before.");
        if self.keep.val() & self.is_reached.val() & self.is_more.val() {
            self.is_ahead.d.next = true;
        }
        if self.step_2.val() {
            self.greatest.d.next = self.place.val();
            self.is_ahead.d.next = false;
        }
        self.reached.next = self.is_reached.val();
        self.equal.next = self.is_equal.val();
        self.ahead.next = self.is_ahead.q.val();
        self.mark.next = self.greatest.q.val();
        self.after_mark.next = bit_cast::<N, V>(self.difference.val());
    }
}
