//! What a packet is, and whether a SACK is due.

use respray_hdl_macros::block;
use rust_hdl::prelude::*;

use crate::comment;
use crate::prims::{Param, Reg};

/// Compares the packet with its connection's state, and decides.
#[block(no_reset)]
pub struct PacketStatus<const PLACE: usize, const SEGMENTS: usize, const PSN: usize> {
    pub compare: Signal<In, bool>,
    pub decide: Signal<In, bool>,
    pub fill: Signal<In, bool>,
    pub psn: Signal<In, Bits<PSN>>,
    pub probe: Signal<In, bool>,
    pub ack_request: Signal<In, bool>,
    /// State of the connection.
    pub initialised: Signal<In, bool>,
    pub epsn: Signal<In, Bits<PSN>>,
    pub stored_lowest: Signal<In, Bits<SEGMENTS>>,
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
    pub segment: Signal<Out, Bits<SEGMENTS>>,

    /// From here on registers, after decide. The packet's PSN was `epsn`.
    pub in_order: Signal<Out, bool>,
    pub status: Signal<Out, Bits<3>>,
    /// The packet changes nothing.
    pub refused: Signal<Out, bool>,
    pub sack_due: Signal<Out, bool>,
    /// Lowest segment since the last SACK.
    pub lowest: Signal<Out, Bits<SEGMENTS>>,

    ahead: Reg<Bits<PSN>>,
    own_segment: Reg<Bits<SEGMENTS>>,

    in_order_after: Reg<bool>,
    status_after: Reg<Bits<3>>,
    refused_after: Reg<bool>,
    sack_due_after: Reg<bool>,
    lowest_after: Reg<Bits<SEGMENTS>>,

    window_bits: Param<Bits<5>>,
    none: Param<Bits<SEGMENTS>>,
    sign: Param<Bits<5>>,
}

#[block]
impl<const PLACE: usize, const SEGMENTS: usize, const PSN: usize> PacketStatus<PLACE, SEGMENTS, PSN> {
    /// The block with its parameters, which follow from its sizes.
    pub fn new() -> Self {
        Self {
            window_bits: Param::new((PLACE as u64).into()),
            none: Param::new((1u64 << (SEGMENTS - 1)).into()),
            sign: Param::new((PSN as u64 - 1).into()),
            ..Default::default()
        }
    }

    fn update(&mut self) {
        comment!("module packet_status: what a packet is, and whether a SACK is due");

        comment!("Compare.");
        if self.compare {
            self.ahead = self.psn - self.epsn;
            self.own_segment =
                bit_cast::<SEGMENTS, PSN>(self.psn >> 6) - bit_cast::<SEGMENTS, PSN>(self.epsn >> 6);
        }

        comment!("Decide. A PSN below epsn counts as one of its segment.");
        let below = self.ahead.get_bit(self.sign.index());
        let in_window = !(self.ahead >> self.window_bits).any();
        let live = self.initialised & !self.probe;
        let duplicate = live & (below | (in_window & self.arrived));
        self.in_reach = live & in_window;
        self.is_new = self.in_reach & !self.arrived;
        // Its place in the window is the first one.
        let is_first = !bit_cast::<PLACE, PSN>(self.ahead).any();
        self.is_expected = self.is_new & is_first;
        comment!(
            "Whether the connection is initialised comes late, and does not matter here: a packet of one that is not is refused."
        );
        let sum_due =
            self.probe | below | (in_window & (self.arrived | is_first)) | self.ack_request | self.reached;
        let mut own: Bits<SEGMENTS> = 0;
        if in_window {
            own = self.own_segment;
        }
        let mut nearest = self.stored_lowest;
        if self.probe | (own <= self.stored_lowest) {
            nearest = own;
        }
        self.due = sum_due;
        self.segment = nearest;

        if self.decide {
            self.in_order_after = self.is_expected;
            self.status_after = 2;
            if self.is_new {
                self.status_after = 0;
            }
            if duplicate {
                self.status_after = 1;
            }
            if self.probe {
                self.status_after = 3;
            }
            if !self.initialised {
                self.status_after = 7;
            }
            self.refused_after = !(self.is_new | duplicate);
            self.sack_due_after = self.initialised & sum_due & (in_window | below | self.probe);
            self.lowest_after = nearest;
        }
        if (self.decide & sum_due) | self.fill {
            self.lowest_after = self.none;
        }

        self.in_order = self.in_order_after;
        self.status = self.status_after;
        self.refused = self.refused_after;
        self.sack_due = self.sack_due_after;
        self.lowest = self.lowest_after;
    }
}
