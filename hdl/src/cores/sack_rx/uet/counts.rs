//! The two byte counts, and the lowest segment since the last ACK.

use respray_hdl_macros::block;
use rust_hdl::prelude::*;

use crate::comment;
use crate::prims::{Param, Reg};

/// Bytes received in all; what came since the last ACK: bytes, and the lowest segment.
#[block(no_reset)]
pub struct Counts<const SEGMENTS: usize> {
    pub compare: Signal<In, bool>,
    pub decide: Signal<In, bool>,
    pub fill: Signal<In, bool>,
    /// Bytes of the packet, those that are added to them, and the least that count towards an ACK.
    pub bytes: Signal<In, Bits<16>>,
    pub extra: Signal<In, Bits<8>>,
    pub least: Signal<In, Bits<12>>,
    /// Decide: the packet is new, and has bytes; they count towards an ACK, too, if it does not come from the host.
    pub adds: Signal<In, bool>,
    pub answers: Signal<In, bool>,
    /// Bytes that make an ACK due.
    pub trigger: Signal<In, Bits<16>>,
    pub is_probe: Signal<In, bool>,
    pub stored_rcvd: Signal<In, Bits<32>>,
    pub stored_since: Signal<In, Bits<16>>,
    pub stored_lowest: Signal<In, Bits<SEGMENTS>>,
    /// Decide: the segment of the PSN.
    pub segment: Signal<In, Bits<SEGMENTS>>,
    /// After finish: an ACK is sent.
    pub acked: Signal<In, bool>,

    /// After decide: the bytes since the last ACK reach the trigger, the packet's own included.
    pub reached: Signal<Out, bool>,
    /// Decide: the segment of the ACK, counted from that of `epsn`.
    pub shown: Signal<Out, Bits<SEGMENTS>>,
    pub rcvd: Signal<Out, Bits<32>>,
    pub since: Signal<Out, Bits<16>>,
    pub lowest: Signal<Out, Bits<SEGMENTS>>,

    is_small: Reg<bool>,
    nominal: Reg<Bits<17>>,
    total: Reg<Bits<32>>,
    since_ack: Reg<Bits<17>>,
    lowest_after: Reg<Bits<SEGMENTS>>,
    none: Param<Bits<SEGMENTS>>,
}

#[block]
impl<const SEGMENTS: usize> Counts<SEGMENTS> {
    /// The block with its parameters, which follow from its sizes.
    pub fn new() -> Self {
        Self { none: Param::new((1u64 << (SEGMENTS - 1)).into()), ..Default::default() }
    }

    fn update(&mut self) {
        comment!("module counts: bytes received in all; bytes and the lowest segment since the last ACK");
        if self.compare {
            self.is_small = !(self.bytes >> 12).any() & (bit_cast::<12, 16>(self.bytes) < self.least);
            self.nominal = bit_cast::<17, 16>(self.bytes) + bit_cast::<17, 8>(self.extra);
        }
        let mut added: Bits<16> = 0;
        let mut size: Bits<17> = 0;
        if self.adds & self.answers {
            added = self.bytes;
            if self.is_small {
                added = bit_cast::<16, 12>(self.least);
            }
        }
        if self.adds {
            size = self.nominal;
        }
        let mut nearest = self.stored_lowest;
        if self.is_probe | (self.segment <= self.stored_lowest) {
            nearest = self.segment;
        }
        self.shown = nearest;
        if self.decide {
            self.total = self.stored_rcvd + bit_cast::<32, 17>(size);
            self.since_ack = bit_cast::<17, 16>(self.stored_since) + bit_cast::<17, 16>(added);
            self.lowest_after = nearest;
        }
        if self.fill {
            comment!("What is rounded up begins at 255.");
            self.total = 255;
            self.since_ack = 0;
            self.lowest_after = self.none;
        }

        self.reached = self.since_ack >= bit_cast::<17, 16>(self.trigger);
        self.rcvd = self.total;
        self.since = bit_cast::<16, 17>(self.since_ack);
        self.lowest = self.lowest_after;
        if self.acked {
            self.since = 0;
            self.lowest = self.none;
        }
    }
}
