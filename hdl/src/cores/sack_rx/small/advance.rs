//! Where the run of received packets ends, and what follows from it.

use respray_hdl_macros::{LogicBlock, Part, hdl_gen};
use rust_hdl::prelude::*;

use crate::comment;
use crate::prims::Param;

/// Counts the segments of the SACK, and makes the EPSN and the out-of-order count after the packet.
#[derive(LogicBlock, Default, Part)]
pub struct Advance<const PLACE: usize, const SEGMENTS: usize, const PSN: usize, const SEGMENT_NUMBER: usize> {
    pub clk: Signal<In, Clock>,
    pub decide: Signal<In, bool>,
    pub look: Signal<In, bool>,
    pub finish: Signal<In, bool>,
    pub fill: Signal<In, bool>,
    pub psn: Signal<In, Bits<PSN>>,
    pub stored_epsn: Signal<In, Bits<PSN>>,
    pub stored_ooo: Signal<In, Bits<PLACE>>,
    /// Decide: segment of the SACK, counted from that of `epsn`.
    pub first_segment: Signal<In, Bits<SEGMENTS>>,
    /// After decide: the packet was new; it was and its PSN was `epsn`.
    pub was_new: Signal<In, bool>,
    pub in_order: Signal<In, bool>,
    /// Finish: the segment is full; place of the first packet missing.
    pub full: Signal<In, bool>,
    pub missing: Signal<In, Bits<6>>,

    /// Look: segment to read next, its low bits: lap and word.
    pub read_segment: Signal<Out, Bits<SEGMENTS>>,
    /// Look: it is read for a SACK without an advance, and is the first or the last one.
    pub is_first: Signal<Out, bool>,
    pub is_last: Signal<Out, bool>,
    /// Finish: the run goes on.
    pub again: Signal<Out, bool>,
    /// PSN of bit 0 of the SACK's bitmap.
    pub base: Signal<Out, Bits<PSN>>,
    /// After the packet, or after `init`.
    pub epsn: Signal<Out, Bits<PSN>>,
    pub ooo: Signal<Out, Bits<PLACE>>,

    segment: Signal<Local, Bits<SEGMENT_NUMBER>>,
    missing_psn: Signal<Local, Bits<PSN>>,
    goes_on: Signal<Local, bool>,
    started: Signal<Local, Bits<PLACE>>,
    ended: Signal<Local, Bits<PLACE>>,

    count: DFF<Bits<SEGMENTS>>,
    sack_segment: DFF<Bits<SEGMENT_NUMBER>>,
    epsn_after: DFF<Bits<PSN>>,
    ooo_start: DFF<Bits<PLACE>>,
    ooo_after: DFF<Bits<PLACE>>,

    last: Param<Bits<SEGMENTS>>,
}

impl<const PLACE: usize, const SEGMENTS: usize, const PSN: usize, const SEGMENT_NUMBER: usize>
    Advance<PLACE, SEGMENTS, PSN, SEGMENT_NUMBER>
{
    /// The block with its parameters, which follow from its sizes.
    pub fn new() -> Self {
        Self { last: Param::new((1u64 << (SEGMENTS - 1)).into()), ..Default::default() }
    }
}

impl<const PLACE: usize, const SEGMENTS: usize, const PSN: usize, const SEGMENT_NUMBER: usize> Logic
    for Advance<PLACE, SEGMENTS, PSN, SEGMENT_NUMBER>
{
    #[hdl_gen]
    fn update(&mut self) {
        comment!(
            "module advance: segment of the SACK, and what an advance makes of EPSN and out-of-order count"
        );
        dff_setup!(self, clk, count, sack_segment, epsn_after, ooo_start, ooo_after);

        comment!(
            "An advance has its first word already, so look reads the one after it, in case it is needed."
        );
        self.segment.next = self.stored_epsn.val().get_bits::<SEGMENT_NUMBER>(6)
            + bit_cast::<SEGMENT_NUMBER, SEGMENTS>(self.count.q.val())
            + (self.look.val() & self.in_order.val());
        self.read_segment.next = bit_cast::<SEGMENTS, SEGMENT_NUMBER>(self.segment.val());
        self.is_first.next = !self.in_order.val() & (self.count.q.val() == 0);
        self.is_last.next = !self.in_order.val() & (self.count.q.val() == self.last.val());
        self.goes_on.next = self.in_order.val() & self.full.val();
        self.again.next = self.goes_on.val();
        if self.decide.val() {
            self.count.d.next = self.first_segment.val();
        }
        if self.finish.val() & self.goes_on.val() {
            self.count.d.next = self.count.q.val() + 1;
        }

        comment!("Out of order after an advance: before + 1 - (EPSN after - PSN), mod the window.");
        self.started.next = 0.into();
        if self.in_order.val() {
            self.started.next = bit_cast::<PLACE, PSN>(self.psn.val());
        }
        if self.look.val() {
            self.ooo_start.d.next = self.stored_ooo.val() + self.started.val() + self.was_new.val();
        }
        self.missing_psn.next = (bit_cast::<PSN, SEGMENT_NUMBER>(self.segment.val()) << 6)
            | bit_cast::<PSN, 6>(self.missing.val());
        self.ended.next = 0.into();
        if self.in_order.val() {
            self.ended.next = bit_cast::<PLACE, PSN>(self.missing_psn.val());
        }
        if self.finish.val() {
            self.sack_segment.d.next = self.segment.val();
            self.epsn_after.d.next = self.stored_epsn.val();
            if self.in_order.val() {
                self.epsn_after.d.next = self.missing_psn.val();
            }
            self.ooo_after.d.next = self.ooo_start.q.val() - self.ended.val();
        }
        if self.fill.val() {
            self.epsn_after.d.next = self.psn.val();
            self.ooo_after.d.next = 0.into();
        }

        self.base.next = bit_cast::<PSN, SEGMENT_NUMBER>(self.sack_segment.q.val()) << 6;
        self.epsn.next = self.epsn_after.q.val();
        self.ooo.next = self.ooo_after.q.val();
    }
}
