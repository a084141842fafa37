//! How far a PSN lies from EPSN, and from what the host has cleared.

use respray_hdl_macros::block;
use rust_hdl::prelude::*;

use crate::comment;
use crate::prims::{Param, Reg};

/// Two differences in a step, and what they say in the next one: of the op's PSN in compare, of the host's limit afterwards.
#[block(no_reset)]
pub struct Distance<const PLACE: usize, const SEGMENTS: usize> {
    pub compare: Signal<In, bool>,
    pub psn: Signal<In, Bits<32>>,
    /// PSN behind those that the host has cleared, by an answer; as stored.
    pub cum_next: Signal<In, Bits<32>>,
    pub cleared: Signal<In, Bits<32>>,
    pub epsn: Signal<In, Bits<32>>,

    /// The PSN lies below `epsn`; it does, and by 2^15 at most.
    pub below: Signal<Out, bool>,
    pub recent: Signal<Out, bool>,
    /// It lies in the window; its place is the first one.
    pub in_window: Signal<Out, bool>,
    pub is_first: Signal<Out, bool>,
    /// From decide on: its segment, counted from that of `epsn`, if it lies in the window.
    pub segment: Signal<Out, Bits<SEGMENTS>>,
    /// Of a PSN from `cleared` on: it lies so far ahead that an ACK cannot name it.
    pub too_far: Signal<Out, bool>,
    /// Of a PSN that is `recent`: it is after `cleared`.
    pub after: Signal<Out, bool>,

    behind: Reg<Bits<32>>,
    lag: Reg<Bits<16>>,
    own_segment: Reg<Bits<SEGMENTS>>,
    window_bits: Param<Bits<5>>,
}

#[block]
impl<const PLACE: usize, const SEGMENTS: usize> Distance<PLACE, SEGMENTS> {
    /// The block with its parameters, which follow from its sizes.
    pub fn new() -> Self {
        Self { window_bits: Param::new((PLACE as u64).into()), ..Default::default() }
    }

    fn update(&mut self) {
        comment!("module distance: how far a PSN lies from epsn, and from what the host has cleared");
        let mut seen = self.cum_next;
        if self.compare {
            seen = self.psn;
            self.own_segment =
                bit_cast::<SEGMENTS, 32>(self.psn >> 6) - bit_cast::<SEGMENTS, 32>(self.epsn >> 6);
        }
        comment!("epsn - seen - 1, all ones for epsn itself: what is chosen is added to what is not.");
        self.behind = self.epsn + !seen;
        comment!("As cleared is at most 2^15 below epsn, 16 bits are enough.");
        self.lag = bit_cast::<16, 32>(self.cleared) + !bit_cast::<16, 32>(seen);

        let within = !(!self.behind >> self.window_bits).any();
        self.below = !self.behind.get_bit(31);
        self.recent = !self.behind.get_bits::<17>(15).any();
        self.in_window = within;
        self.is_first = bit_cast::<PLACE, 32>(self.behind).all();
        self.segment = 0;
        if within {
            self.segment = self.own_segment;
        }
        self.too_far = !self.lag.get_bit(15) | !bit_cast::<15, 16>(self.lag).any();
        self.after = self.lag.get_bit(15) & !self.lag.all();
    }
}
