//! Which segment the SACK shows, and which segments are full after the packet.

use respray_hdl_macros::hdl_gen;
use rust_hdl::prelude::*;

use crate::comment;
use crate::prims::{FirstClear, Param};

/// Chooses the segment of the SACK before it is read.
///
/// A packet in order that completes its segment is followed by segments known to be full; the run of received packets ends
/// in the one after those.
#[derive(LogicBlock, Default)]
pub struct Choose<const R: usize, const G: usize, const P: usize> {
    pub clk: Signal<In, Clock>,
    /// Stage 1: segments after that of `epsn` that are full, as stored.
    pub stored_full: Signal<In, Bits<G>>,
    /// Stage 2: an `init`.
    pub is_init: Signal<In, bool>,
    /// Stage 1: the packet's PSN, and `epsn`.
    pub psn: Signal<In, Bits<P>>,
    pub epsn: Signal<In, Bits<P>>,
    /// Stage 3: the packet is new; it is and its PSN was `epsn`; its segment is full by it.
    pub is_new: Signal<In, bool>,
    pub in_order: Signal<In, bool>,
    pub completes: Signal<In, bool>,
    /// Stage 2: segment of a SACK without an advance, counted from that of `epsn`.
    pub nearest: Signal<In, Bits<R>>,
    /// Stage 3: the low bits of the segment of `epsn`.
    pub epsn_segment: Signal<In, Bits<R>>,

    /// Stage 3: segment of the SACK, its low bits.
    pub segment: Signal<Out, Bits<R>>,
    /// Stage 3: it is the first, or the last that the window touches.
    pub is_first: Signal<Out, bool>,
    pub is_last: Signal<Out, bool>,
    /// Stage 4: segment of the SACK, counted from that of `epsn`.
    pub offset: Signal<Out, Bits<R>>,
    /// Stage 4: segments that are full after the packet.
    pub full: Signal<Out, Bits<G>>,

    chosen: Signal<Local, Bits<R>>,
    own_bit: Signal<Local, Bits<8>>,
    shifted: Signal<Local, Bits<G>>,
    first_open: FirstClear,

    full_before: DFF<Bits<G>>,
    own: DFF<Bits<R>>,
    /// Stage 3.
    run: DFF<Bits<R>>,
    kept: DFF<Bits<R>>,
    full_now: DFF<Bits<G>>,
    own_now: DFF<Bits<G>>,
    offset_after: DFF<Bits<R>>,
    full_after: DFF<Bits<G>>,

    last_bit: Param<Bits<3>>,
    can_be_full: Param<Bits<G>>,
}

impl<const R: usize, const G: usize, const P: usize> Choose<R, G, P> {
    /// The block with its parameters, which follow from its sizes.
    pub fn new() -> Self {
        Self {
            last_bit: Param::new((R as u64 - 1).into()),
            can_be_full: Param::new(((1u64 << ((1 << (R - 1)) - 1)) - 1).into()),
            ..Default::default()
        }
    }
}

impl<const R: usize, const G: usize, const P: usize> Logic for Choose<R, G, P> {
    #[hdl_gen]
    fn update(&mut self) {
        comment!("module choose: segment of the SACK, and which segments are full after the packet");
        dff_setup!(self, clk, full_before, own, run, kept, full_now, own_now, offset_after, full_after);

        comment!("Compare.");
        self.full_before.d.next = self.stored_full.val();
        self.own.d.next = bit_cast::<R, P>(self.psn.val() >> 6) - bit_cast::<R, P>(self.epsn.val() >> 6);

        comment!(
            "Decide. Bit 0 is the segment after that of epsn, so that of the packet is one lower than it counts."
        );
        self.first_open.flags.next = bit_cast::<7, G>(self.full_before.q.val());
        self.run.d.next = bit_cast::<R, 3>(self.first_open.place.val()) + 1;
        self.own_bit.next = (bits::<8>(1) << self.own.q.val()) >> 1;
        self.own_now.d.next = bit_cast::<G, 8>(self.own_bit.val()) & self.can_be_full.val();
        self.full_now.d.next = self.full_before.q.val();
        if self.is_init.val() {
            self.full_now.d.next = 0.into();
        }
        self.kept.d.next = self.nearest.val();

        comment!("Choose.");
        self.chosen.next = self.kept.q.val();
        if self.in_order.val() {
            self.chosen.next = 0.into();
            if self.completes.val() {
                self.chosen.next = self.run.q.val();
            }
        }
        self.segment.next = self.epsn_segment.val() + self.chosen.val();
        self.is_first.next = !self.chosen.val().any();
        self.is_last.next = self.chosen.val().get_bit(self.last_bit.val().index());
        self.offset_after.d.next = self.chosen.val();
        self.shifted.next = self.full_now.q.val() >> self.run.q.val();
        self.full_after.d.next = self.full_now.q.val();
        if self.is_new.val() & self.completes.val() {
            self.full_after.d.next = self.full_now.q.val() | self.own_now.q.val();
            if self.in_order.val() {
                self.full_after.d.next = self.shifted.val();
            }
        }
        self.offset.next = self.offset_after.q.val();
        self.full.next = self.full_after.q.val();
    }
}
