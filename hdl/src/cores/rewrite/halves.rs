//! The halfwords of a beat.

use respray_hdl_macros::{LogicBlock, Part, hdl_gen};
use rust_hdl::prelude::*;

use super::Geometry;
use crate::comment;
use crate::prims::Param;

/// The big-endian halfwords of a beat, repeated so that a step stands for itself modulo the beat.
#[derive(LogicBlock, Default, Part)]
pub struct Halves<const DATA: usize, const STEPS: usize> {
    pub data: Signal<In, Bits<DATA>>,
    /// Halfword at byte 4i of the beat.
    pub even: [Signal<Out, Bits<16>>; 16],
    /// Halfword at byte 4i + 2.
    pub odd: [Signal<Out, Bits<16>>; 16],

    lane: [Signal<Local, Bits<32>>; 16],
    copy: [Signal<Local, Bits<32>>; 16],
    first: [Signal<Local, Bits<16>>; 16],
    second: [Signal<Local, Bits<16>>; 16],
    steps: Param<Bits<5>>,
}

impl<const DATA: usize, const STEPS: usize> Halves<DATA, STEPS> {
    /// The block with its parameters, which follow from its sizes.
    pub fn new() -> Self {
        Self { steps: Param::new(Geometry::new(DATA).steps.into()), ..Default::default() }
    }
}

impl<const DATA: usize, const STEPS: usize> Logic for Halves<DATA, STEPS> {
    #[hdl_gen]
    fn update(&mut self) {
        comment!("The halfwords of a beat.");
        for i in 0..16 {
            self.lane[i].next = bits::<32>(0);
        }
        for i in 0..STEPS {
            self.lane[i].next = self.data.val().get_bits::<32>(i * 32);
        }
        for i in 0..16 {
            self.copy[i].next = self.lane[i].val();
            if self.steps.val() == bits::<5>(2) {
                self.copy[i].next = self.lane[i % 2].val();
            }
            if self.steps.val() == bits::<5>(4) {
                self.copy[i].next = self.lane[i % 4].val();
            }
            if self.steps.val() == bits::<5>(8) {
                self.copy[i].next = self.lane[i % 8].val();
            }
            self.first[i].next = self.copy[i].val().get_bits::<16>(0);
            self.second[i].next = self.copy[i].val().get_bits::<16>(16);
            self.even[i].next = (self.first[i].val() << 8) | (self.first[i].val() >> 8);
            self.odd[i].next = (self.second[i].val() << 8) | (self.second[i].val() >> 8);
        }
    }
}
