//! UDP's header and the profile's, halfword by halfword.

use rust_hdl::prelude::*;

use crate::comment;
use crate::cores::rewrite::Geometry;
use crate::prims::Param;

/// UDP's header, big-endian.
#[derive(Copy, Clone, Debug, Default, PartialEq, LogicStruct)]
pub struct Udp {
    pub source_port: Bits<16>,
    pub destination_port: Bits<16>,
    pub length: Bits<16>,
}

/// Register 3 of both headers: each halfword is captured in the beat that holds it.
///
/// What a frame has not reached is left from the frame before.
#[derive(LogicBlock, Default)]
pub struct Header<const W: usize> {
    pub clk: Signal<In, Clock>,
    pub valid: Signal<In, Bit>,
    /// Halves of the beat by steps, modulo the beat.
    pub even: [Signal<In, Bits<16>>; 16],
    pub odd: [Signal<In, Bits<16>>; 16],
    /// First step of the beat.
    pub step: Signal<In, Bits<6>>,
    /// Step of the UDP source port.
    pub udp_step: Signal<In, Bits<5>>,
    pub udp: Signal<Out, Udp>,
    /// Halfword at byte 4i of the profile's header.
    pub at_0: [Signal<Out, Bits<16>>; 9],
    /// Halfword at byte 4i + 2.
    pub at_2: [Signal<Out, Bits<16>>; 9],

    coarse_odd: [Signal<Local, Bits<16>>; 15],
    coarse_even: [Signal<Local, Bits<16>>; 15],
    turned_odd: [Signal<Local, Bits<16>>; 12],
    turned_even: [Signal<Local, Bits<16>>; 12],
    first: Signal<Local, Bits<6>>,
    turn: Signal<Local, Bits<6>>,
    beat_of: [Signal<Local, Bits<6>>; 12],
    is_here: [Signal<Local, Bit>; 12],
    udp_held: DFF<Udp>,
    odd_held: [DFF<Bits<16>>; 9],
    even_held: [DFF<Bits<16>>; 9],
    number: [Param<Bits<6>>; 12],
    in_beat: Param<Bits<6>>,
    beat_mask: Param<Bits<6>>,
    /// The beat has four steps or more, eight, sixteen.
    has_four: [Param<Bit>; 3],
}

impl<const W: usize> Header<W> {
    /// The block with its parameters, which follow from its sizes.
    pub fn new() -> Self {
        let steps = Geometry::new(W).steps;
        Self {
            number: std::array::from_fn(|i| Param::new((i as u64).into())),
            in_beat: Param::new((steps - 1).into()),
            beat_mask: Param::new((64 - steps).into()),
            has_four: [4, 8, 16].map(|least| Param::new(steps >= least)),
            ..Default::default()
        }
    }
}

impl<const W: usize> Logic for Header<W> {
    #[hdl_gen]
    fn update(&mut self) {
        comment!("Captures UDP's header and the profile's.");
        dff_setup!(self, clk, udp_held);
        comment!("UDP's steps, turned to the front: by fours, then by ones.");
        self.first.next = bit_cast::<6, 5>(self.udp_step.val());
        self.turn.next = self.first.val() & self.in_beat.val();
        for i in 0..15 {
            self.coarse_odd[i].next = self.odd[i % 16].val();
            self.coarse_even[i].next = self.even[i % 16].val();
            if self.has_four[1].val() && self.turn.val().get_bit(2) {
                self.coarse_odd[i].next = self.odd[(i + 4) % 16].val();
                self.coarse_even[i].next = self.even[(i + 4) % 16].val();
            }
            if self.has_four[2].val() && self.turn.val().get_bit(3) {
                self.coarse_odd[i].next = self.odd[(i + 8) % 16].val();
                self.coarse_even[i].next = self.even[(i + 8) % 16].val();
                if self.turn.val().get_bit(2) {
                    self.coarse_odd[i].next = self.odd[(i + 12) % 16].val();
                    self.coarse_even[i].next = self.even[(i + 12) % 16].val();
                }
            }
        }
        for i in 0..12 {
            self.turned_odd[i].next = self.coarse_odd[i].val();
            self.turned_even[i].next = self.coarse_even[i].val();
            if self.turn.val().get_bit(0) {
                self.turned_odd[i].next = self.coarse_odd[i + 1].val();
                self.turned_even[i].next = self.coarse_even[i + 1].val();
            }
            if self.has_four[0].val() && self.turn.val().get_bit(1) {
                self.turned_odd[i].next = self.coarse_odd[i + 2].val();
                self.turned_even[i].next = self.coarse_even[i + 2].val();
                if self.turn.val().get_bit(0) {
                    self.turned_odd[i].next = self.coarse_odd[i + 3].val();
                    self.turned_even[i].next = self.coarse_even[i + 3].val();
                }
            }
        }
        comment!("Whether step i behind UDP's first is in this beat.");
        for i in 0..12 {
            self.beat_of[i].next = (self.first.val() + self.number[i].val()) & self.beat_mask.val();
            self.is_here[i].next = self.valid.val() && (self.beat_of[i].val() == self.step.val());
        }
        comment!("Register 3.");
        if self.is_here[0].val() {
            self.udp_held.d.next.source_port = self.turned_odd[0].val();
        }
        if self.is_here[1].val() {
            self.udp_held.d.next.destination_port = self.turned_even[1].val();
            self.udp_held.d.next.length = self.turned_odd[1].val();
        }
        self.udp.next = self.udp_held.q.val();
        for i in 0..9 {
            self.odd_held[i].clock.next = self.clk.val();
            self.even_held[i].clock.next = self.clk.val();
            self.odd_held[i].d.next = self.odd_held[i].q.val();
            self.even_held[i].d.next = self.even_held[i].q.val();
            if self.is_here[i + 2].val() {
                self.odd_held[i].d.next = self.turned_odd[i + 2].val();
            }
            if self.is_here[i + 3].val() {
                self.even_held[i].d.next = self.turned_even[i + 3].val();
            }
            self.at_0[i].next = self.odd_held[i].q.val();
            self.at_2[i].next = self.even_held[i].q.val();
        }
    }
}
