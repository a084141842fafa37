//! UDP's header and the profile's, halfword by halfword.

use rust_hdl::prelude::*;

use crate::comment;
use crate::cores::rewrite::{Geometry, Place};
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
/// The beat is turned so that UDP's first step is in front: by fours on its way into register 2, by ones on its way into
/// register 3. A choice of four goes by the upper bit of the turn and by whether both bits differ: by the bits themselves, two outputs
/// would share half a choice, and synthesis would spend a gate on it where each choice alone takes but one. What a frame has not reached is left from the frame before.
#[derive(LogicBlock, Default)]
pub struct Header<const W: usize> {
    pub clk: Signal<In, Clock>,
    /// Beside register 1.
    pub valid: Signal<In, Bit>,
    pub place: Signal<In, Place>,
    /// Halves of the beat by steps, modulo the beat.
    pub even: [Signal<In, Bits<16>>; 16],
    pub odd: [Signal<In, Bits<16>>; 16],
    /// Beside register 2.
    pub place_2: Signal<In, Place>,
    pub udp: Signal<Out, Udp>,
    /// Halfword at byte 4i of the profile's header.
    pub at_0: [Signal<Out, Bits<16>>; 9],
    /// Halfword at byte 4i + 2.
    pub at_2: [Signal<Out, Bits<16>>; 9],

    turn: Signal<Local, Bits<5>>,
    is_mixed: Signal<Local, Bit>,
    is_mixed_2: DFF<Bit>,
    coarse_odd: [Signal<Local, Bits<16>>; 15],
    coarse_even: [Signal<Local, Bits<16>>; 15],
    odd_2: [DFF<Bits<16>>; 15],
    even_2: [DFF<Bits<16>>; 15],
    reaches: [Signal<Local, Bits<6>>; 12],
    is_here: [DFF<Bit>; 12],
    turn_2: Signal<Local, Bits<5>>,
    turned_odd: [Signal<Local, Bits<16>>; 12],
    turned_even: [Signal<Local, Bits<16>>; 12],
    udp_held: DFF<Udp>,
    odd_held: [DFF<Bits<16>>; 9],
    even_held: [DFF<Bits<16>>; 9],
    number: [Param<Bits<6>>; 12],
    in_beat: Param<Bits<5>>,
    beyond: Param<Bits<6>>,
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
            beyond: Param::new((64 - steps).into()),
            has_four: [4, 8, 16].map(|least| Param::new(steps >= least)),
            ..Default::default()
        }
    }
}

impl<const W: usize> Logic for Header<W> {
    #[hdl_gen]
    fn update(&mut self) {
        comment!("Captures UDP's header and the profile's.");
        dff_setup!(self, clk, is_mixed_2, udp_held);
        comment!(
            "Register 2: UDP's steps, turned to the front by fours, and whether step i behind UDP's first is in the beat."
        );
        self.turn.next = self.place.val().udp & self.in_beat.val();
        self.is_mixed.next = self.turn.val().get_bit(2) != self.turn.val().get_bit(3);
        for i in 0..15 {
            self.coarse_odd[i].next = self.odd[i % 16].val();
            self.coarse_even[i].next = self.even[i % 16].val();
            if self.has_four[1].val() && self.is_mixed.val() {
                self.coarse_odd[i].next = self.odd[(i + 4) % 16].val();
                self.coarse_even[i].next = self.even[(i + 4) % 16].val();
            }
            if self.has_four[2].val() && self.turn.val().get_bit(3) {
                self.coarse_odd[i].next = self.odd[(i + 12) % 16].val();
                self.coarse_even[i].next = self.even[(i + 12) % 16].val();
                if self.is_mixed.val() {
                    self.coarse_odd[i].next = self.odd[(i + 8) % 16].val();
                    self.coarse_even[i].next = self.even[(i + 8) % 16].val();
                }
            }
        }
        for i in 0..15 {
            self.odd_2[i].clock.next = self.clk.val();
            self.even_2[i].clock.next = self.clk.val();
            self.odd_2[i].d.next = self.coarse_odd[i].val();
            self.even_2[i].d.next = self.coarse_even[i].val();
        }
        for i in 0..12 {
            self.is_here[i].clock.next = self.clk.val();
            self.reaches[i].next = (self.place.val().ahead + self.number[i].val()) & self.beyond.val();
            self.is_here[i].d.next = self.valid.val() && (self.reaches[i].val() == bits::<6>(0));
        }
        comment!("Register 3: turned by ones.");
        self.turn_2.next = self.place_2.val().udp & self.in_beat.val();
        self.is_mixed_2.d.next = self.turn.val().get_bit(0) != self.turn.val().get_bit(1);
        for i in 0..12 {
            self.turned_odd[i].next = self.odd_2[i].q.val();
            self.turned_even[i].next = self.even_2[i].q.val();
            if self.is_mixed_2.q.val() {
                self.turned_odd[i].next = self.odd_2[i + 1].q.val();
                self.turned_even[i].next = self.even_2[i + 1].q.val();
            }
            if self.has_four[0].val() && self.turn_2.val().get_bit(1) {
                self.turned_odd[i].next = self.odd_2[i + 3].q.val();
                self.turned_even[i].next = self.even_2[i + 3].q.val();
                if self.is_mixed_2.q.val() {
                    self.turned_odd[i].next = self.odd_2[i + 2].q.val();
                    self.turned_even[i].next = self.even_2[i + 2].q.val();
                }
            }
        }
        if self.is_here[0].q.val() {
            self.udp_held.d.next.source_port = self.turned_odd[0].val();
        }
        if self.is_here[1].q.val() {
            self.udp_held.d.next.destination_port = self.turned_even[1].val();
            self.udp_held.d.next.length = self.turned_odd[1].val();
        }
        self.udp.next = self.udp_held.q.val();
        for i in 0..9 {
            self.odd_held[i].clock.next = self.clk.val();
            self.even_held[i].clock.next = self.clk.val();
            self.odd_held[i].d.next = self.odd_held[i].q.val();
            self.even_held[i].d.next = self.even_held[i].q.val();
            if self.is_here[i + 2].q.val() {
                self.odd_held[i].d.next = self.turned_odd[i + 2].val();
            }
            if self.is_here[i + 3].q.val() {
                self.even_held[i].d.next = self.turned_even[i + 3].val();
            }
            self.at_0[i].next = self.odd_held[i].q.val();
            self.at_2[i].next = self.even_held[i].q.val();
        }
    }
}
