//! What a packet is, and whether a SACK is due.

use respray_hdl_macros::hdl_gen;
use rust_hdl::prelude::*;

use crate::comment;
use crate::prims::Param;

/// Compares the packet with its connection's state, and decides.
#[derive(LogicBlock, Default)]
pub struct PacketStatus<const W: usize, const R: usize, const P: usize> {
    pub clk: Signal<In, Clock>,
    pub compare: Signal<In, bool>,
    pub decide: Signal<In, bool>,
    pub fill: Signal<In, bool>,
    pub psn: Signal<In, Bits<P>>,
    pub probe: Signal<In, bool>,
    pub ack_request: Signal<In, bool>,
    /// State of the connection.
    pub initialised: Signal<In, bool>,
    pub epsn: Signal<In, Bits<P>>,
    pub stored_lowest: Signal<In, Bits<R>>,
    /// Decide: the bit of the packet's PSN in the bitmap.
    pub arrived: Signal<In, bool>,
    /// Decide: the bytes since the last SACK reach the threshold.
    pub reached: Signal<In, bool>,

    /// Decide: the packet is new.
    pub is_new: Signal<Out, bool>,
    /// Decide: it lies in the window, so that its bit may be set, whether it is new or not.
    pub in_reach: Signal<Out, bool>,
    /// Decide: it is new and its PSN is `epsn`.
    pub is_expected: Signal<Out, bool>,
    /// Decide: a SACK is due, unless the packet is refused.
    pub due: Signal<Out, bool>,
    /// Decide: segment of the SACK, counted from that of `epsn`.
    pub segment: Signal<Out, Bits<R>>,

    /// From here on registers, after decide. The packet's PSN was `epsn`.
    pub in_order: Signal<Out, bool>,
    pub status: Signal<Out, Bits<3>>,
    /// The packet changes nothing.
    pub refused: Signal<Out, bool>,
    pub sack_due: Signal<Out, bool>,
    /// Lowest segment since the last SACK.
    pub lowest: Signal<Out, Bits<R>>,

    ahead: DFF<Bits<P>>,
    own_segment: DFF<Bits<R>>,

    below: Signal<Local, bool>,
    in_window: Signal<Local, bool>,
    live: Signal<Local, bool>,
    duplicate: Signal<Local, bool>,
    own: Signal<Local, Bits<R>>,
    /// Its place in the window is the first one.
    is_first: Signal<Local, bool>,
    sum_due: Signal<Local, bool>,
    nearest: Signal<Local, Bits<R>>,

    in_order_after: DFF<bool>,
    status_after: DFF<Bits<3>>,
    refused_after: DFF<bool>,
    sack_due_after: DFF<bool>,
    lowest_after: DFF<Bits<R>>,

    window_bits: Param<Bits<5>>,
    none: Param<Bits<R>>,
    sign: Param<Bits<5>>,
}

impl<const W: usize, const R: usize, const P: usize> PacketStatus<W, R, P> {
    /// The block with its parameters, which follow from its sizes.
    pub fn new() -> Self {
        Self {
            window_bits: Param::new((W as u64).into()),
            none: Param::new((1u64 << (R - 1)).into()),
            sign: Param::new((P as u64 - 1).into()),
            ..Default::default()
        }
    }
}

impl<const W: usize, const R: usize, const P: usize> Logic for PacketStatus<W, R, P> {
    #[hdl_gen]
    fn update(&mut self) {
        comment!("module packet_status: what a packet is, and whether a SACK is due");
        dff_setup!(self, clk, ahead, own_segment);
        dff_setup!(self, clk, in_order_after, status_after, refused_after, sack_due_after, lowest_after);

        comment!("Compare.");
        if self.compare.val() {
            self.ahead.d.next = self.psn.val() - self.epsn.val();
            self.own_segment.d.next =
                bit_cast::<R, P>(self.psn.val() >> 6) - bit_cast::<R, P>(self.epsn.val() >> 6);
        }

        comment!("Decide. A PSN below epsn counts as one of its segment.");
        self.below.next = self.ahead.q.val().get_bit(self.sign.val().index());
        self.in_window.next = !(self.ahead.q.val() >> self.window_bits.val()).any();
        self.live.next = self.initialised.val() & !self.probe.val();
        self.duplicate.next =
            self.live.val() & (self.below.val() | (self.in_window.val() & self.arrived.val()));
        self.in_reach.next = self.live.val() & self.in_window.val();
        self.is_new.next = self.in_reach.val() & !self.arrived.val();
        self.is_first.next = !bit_cast::<W, P>(self.ahead.q.val()).any();
        self.is_expected.next = self.is_new.val() & self.is_first.val();
        comment!(
            "Whether the connection is initialised comes late, and does not matter here: a packet of one that is not is refused."
        );
        self.sum_due.next = self.probe.val()
            | self.below.val()
            | (self.in_window.val() & (self.arrived.val() | self.is_first.val()))
            | self.ack_request.val()
            | self.reached.val();
        self.own.next = 0.into();
        if self.in_window.val() {
            self.own.next = self.own_segment.q.val();
        }
        self.nearest.next = self.stored_lowest.val();
        if self.probe.val() | (self.own.val() <= self.stored_lowest.val()) {
            self.nearest.next = self.own.val();
        }
        self.due.next = self.sum_due.val();
        self.segment.next = self.nearest.val();

        if self.decide.val() {
            self.in_order_after.d.next = self.is_expected.val();
            self.status_after.d.next = 2.into();
            if self.is_new.val() {
                self.status_after.d.next = 0.into();
            }
            if self.duplicate.val() {
                self.status_after.d.next = 1.into();
            }
            if self.probe.val() {
                self.status_after.d.next = 3.into();
            }
            if !self.initialised.val() {
                self.status_after.d.next = 7.into();
            }
            self.refused_after.d.next = !(self.is_new.val() | self.duplicate.val());
            self.sack_due_after.d.next = self.initialised.val()
                & self.sum_due.val()
                & (self.in_window.val() | self.below.val() | self.probe.val());
            self.lowest_after.d.next = self.nearest.val();
        }
        if (self.decide.val() & self.sum_due.val()) | self.fill.val() {
            self.lowest_after.d.next = self.none.val();
        }

        self.in_order.next = self.in_order_after.q.val();
        self.status.next = self.status_after.q.val();
        self.refused.next = self.refused_after.q.val();
        self.sack_due.next = self.sack_due_after.q.val();
        self.lowest.next = self.lowest_after.q.val();
    }
}
