//! EPSN and out-of-order count after the packet.

use respray_hdl_macros::hdl_gen;
use rust_hdl::prelude::*;

use crate::comment;
use crate::prims::Delay;

/// Makes of the first packet missing what an advance leaves.
#[derive(LogicBlock, Default)]
pub struct Advance<const W: usize, const R: usize, const P: usize, const S: usize> {
    pub clk: Signal<In, Clock>,
    /// Stage 3: the packet is new; it is and its PSN was `epsn`.
    pub is_new: Signal<In, bool>,
    pub in_order: Signal<In, bool>,
    /// Stage 3; of an `init` what it sets.
    pub psn: Signal<In, Bits<P>>,
    pub epsn: Signal<In, Bits<P>>,
    pub ooo: Signal<In, Bits<W>>,
    /// Stage 4: segment of the SACK, counted from that of `epsn`.
    pub offset: Signal<In, Bits<R>>,
    /// Stage 6: place of the first packet missing in it.
    pub missing: Signal<In, Bits<6>>,

    /// Stage 6: what is written back.
    pub epsn_after: Signal<Out, Bits<P>>,
    pub ooo_after: Signal<Out, Bits<W>>,
    /// Stage 7: PSN of bit 0 of the SACK's bitmap, and what was written back.
    pub base: Signal<Out, Bits<P>>,
    pub sack_epsn: Signal<Out, Bits<P>>,
    pub sack_ooo: Signal<Out, Bits<W>>,

    started: Signal<Local, Bits<W>>,
    ended: Signal<Local, Bits<W>>,
    epsn_before: Signal<Local, Bits<P>>,
    missing_psn: Signal<Local, Bits<P>>,
    next_epsn: Signal<Local, Bits<P>>,
    next_ooo: Signal<Local, Bits<W>>,
    segment: Signal<Local, Bits<S>>,

    ooo_start: DFF<Bits<W>>,
    ooo_kept: Delay<Bits<W>, 2>,
    epsn_kept: Delay<Bits<P>, 3>,
    offset_kept: Delay<Bits<R>, 2>,
    in_order_kept: Delay<bool, 3>,
    sack_segment: DFF<Bits<S>>,
    shown_epsn: DFF<Bits<P>>,
    shown_ooo: DFF<Bits<W>>,
}

impl<const W: usize, const R: usize, const P: usize, const S: usize> Logic for Advance<W, R, P, S> {
    #[hdl_gen]
    fn update(&mut self) {
        comment!("module advance: EPSN and out-of-order count after the packet");
        dff_setup!(self, clk, ooo_start, sack_segment, shown_epsn, shown_ooo);
        self.ooo_kept.clk.next = self.clk.val();
        self.epsn_kept.clk.next = self.clk.val();
        self.offset_kept.clk.next = self.clk.val();
        self.in_order_kept.clk.next = self.clk.val();

        comment!("Choose. Out of order after an advance: before + 1 - (EPSN after - PSN), mod the window.");
        self.started.next = 0.into();
        if self.in_order.val() {
            self.started.next = bit_cast::<W, P>(self.psn.val());
        }
        self.ooo_start.d.next = self.ooo.val() + self.started.val() + self.is_new.val();
        self.ooo_kept.input_value.next = self.ooo_start.q.val();
        self.epsn_kept.input_value.next = self.epsn.val();
        self.offset_kept.input_value.next = self.offset.val();
        self.in_order_kept.input_value.next = self.in_order.val();

        comment!("Finish.");
        self.epsn_before.next = self.epsn_kept.output_value.val();
        self.segment.next =
            self.epsn_before.val().get_bits::<S>(6) + bit_cast::<S, R>(self.offset_kept.output_value.val());
        self.missing_psn.next =
            (bit_cast::<P, S>(self.segment.val()) << 6) | bit_cast::<P, 6>(self.missing.val());
        self.next_epsn.next = self.epsn_before.val();
        self.ended.next = 0.into();
        if self.in_order_kept.output_value.val() {
            self.next_epsn.next = self.missing_psn.val();
            self.ended.next = bit_cast::<W, P>(self.missing_psn.val());
        }
        self.next_ooo.next = self.ooo_kept.output_value.val() - self.ended.val();
        self.epsn_after.next = self.next_epsn.val();
        self.ooo_after.next = self.next_ooo.val();

        comment!("Result.");
        self.sack_segment.d.next = self.segment.val();
        self.shown_epsn.d.next = self.next_epsn.val();
        self.shown_ooo.d.next = self.next_ooo.val();
        self.base.next = bit_cast::<P, S>(self.sack_segment.q.val()) << 6;
        self.sack_epsn.next = self.shown_epsn.q.val();
        self.sack_ooo.next = self.shown_ooo.q.val();
    }
}
