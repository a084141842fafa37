//! How far ahead of `snd_una` a PSN may lie.

use respray_hdl_macros::block;
use rust_hdl::prelude::*;

use crate::comment;
use crate::prims::{Param, resize};

/// The window, or the receiver's MPR, if that is less.
#[block(no_clock)]
pub struct Allowance<const SEGMENTS: usize> {
    /// In 128 PSNs; 0: the window.
    pub mpr: Signal<In, Bits<2>>,
    /// Segments that the PSN sent lies ahead, and whether its lower 6 bits are below those of `una`.
    pub segments: Signal<In, Bits<SEGMENTS>>,
    pub borrows: Signal<In, bool>,
    /// Segment and lower 6 bits of the PSN to retransmit.
    pub found_segment: Signal<In, Bits<SEGMENTS>>,
    pub found_low: Signal<In, Bits<6>>,
    pub una_low: Signal<In, Bits<6>>,
    /// What the port brings, and what is stored of it.
    pub given: Signal<In, Bits<8>>,
    pub kept: Signal<Out, Bits<2>>,

    /// The PSN sent, or the one to retransmit, is beyond.
    pub full: Signal<Out, bool>,
    pub blocks: Signal<Out, bool>,

    limit: Signal<Local, Bits<SEGMENTS>>,
    window_segments: Param<Bits<SEGMENTS>>,
    window_units: Param<Bits<8>>,
}

#[block]
impl<const SEGMENTS: usize> Allowance<SEGMENTS> {
    /// The block with its parameters, which follow from its sizes.
    pub fn new() -> Self {
        Self {
            window_segments: Param::new((1u64 << (SEGMENTS - 1)).into()),
            window_units: Param::new((1u64 << (SEGMENTS - 2)).into()),
            ..Default::default()
        }
    }

    fn update(&mut self) {
        comment!("module allowance: how far ahead of snd_una a PSN may lie");
        self.limit = bit_cast::<SEGMENTS, 2>(self.mpr) << 1;
        if !self.mpr.any() {
            self.limit = self.window_segments;
        }
        self.full = (self.segments > self.limit) | ((self.segments == self.limit) & !self.borrows);
        self.blocks = (self.found_segment > self.limit)
            | ((self.found_segment == self.limit) & (self.found_low >= self.una_low));
        self.kept = 0;
        if self.given < self.window_units {
            self.kept = resize(self.given);
        }
    }
}
