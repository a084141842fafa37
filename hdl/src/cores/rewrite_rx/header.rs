//! UDP's header and the profile's, halfword by halfword.

use respray_hdl_macros::{LogicBlock, Part, hdl_gen};
use rust_hdl::prelude::*;

use crate::comment;
use crate::cores::rewrite::{Geometry, Place};
use crate::prims::{Optional, Param};

/// UDP's header, big-endian.
#[derive(Copy, Clone, Debug, Default, PartialEq, LogicStruct)]
pub struct Udp {
    pub source_port: Bits<16>,
    pub destination_port: Bits<16>,
    pub length: Bits<16>,
}

/// Register 3 of both headers: each halfword is captured in the beat that holds it.
///
/// The beat is turned so that UDP's first step is in front: by threes on its way into register 2, which keeps a copy for each turn by
/// ones, blanked by its synchronous reset but for the one that holds; register 3 takes them all together. A choice of four goes by
/// whether the turn is one of the middle two: by two bits of a number, two outputs would share half a choice, and synthesis would
/// spend a gate on it where each choice alone takes but one. What a frame has not reached is left from the frame before.
#[derive(LogicBlock, Default, Part)]
pub struct Header<const DATA: usize> {
    pub clk: Signal<In, Clock>,
    /// Beside register 1.
    pub valid: Signal<In, Bit>,
    pub place: Signal<In, Place>,
    /// Halves of the beat by steps, modulo the beat.
    pub even: [Signal<In, Bits<16>>; 16],
    pub odd: [Signal<In, Bits<16>>; 16],
    pub udp: Signal<Out, Udp>,
    /// Halfword at byte 4i of the profile's header.
    pub at_0: [Signal<Out, Bits<16>>; 9],
    /// Halfword at byte 4i + 2.
    pub at_2: [Signal<Out, Bits<16>>; 9],

    /// The lane of UDP's first step, counted from that of step 8, the first where it can be: 0 to 12.
    turn: Signal<Local, Bits<5>>,
    is_turn: [Signal<Local, Bit>; 13],
    /// Turned by a multiple of three and by so many ones.
    is_by: [Signal<Local, Bit>; 3],
    is_mixed: Signal<Local, Bit>,
    is_upper: Signal<Local, Bit>,
    coarse_odd: [Signal<Local, Bits<16>>; 14],
    coarse_even: [Signal<Local, Bits<16>>; 14],
    odd_by_0: [DFF<Bits<16>>; 12],
    even_by_0: [DFF<Bits<16>>; 12],
    odd_by_1: [DFF<Bits<16>>; 12],
    even_by_1: [DFF<Bits<16>>; 12],
    odd_by_2: [DFF<Bits<16>>; 12],
    even_by_2: [DFF<Bits<16>>; 12],
    /// Turned by 12: the only turn beyond 3 times 3 and 2.
    odd_by_12: [DFF<Bits<16>>; 12],
    even_by_12: [DFF<Bits<16>>; 12],
    /// Turned by 15: with an entropy header a step in front of the first where UDP can begin.
    is_turn_15: Optional<Signal<Local, Bit>>,
    odd_by_15: [Optional<DFF<Bits<16>>>; 12],
    even_by_15: [Optional<DFF<Bits<16>>>; 12],
    reaches: [Signal<Local, Bits<6>>; 12],
    is_here: [DFF<Bit>; 12],
    turned_odd: [Signal<Local, Bits<16>>; 12],
    turned_even: [Signal<Local, Bits<16>>; 12],
    udp_held: DFF<Udp>,
    odd_held: [DFF<Bits<16>>; 9],
    even_held: [DFF<Bits<16>>; 9],
    number: [Param<Bits<6>>; 12],
    number_5: [Param<Bits<5>>; 13],
    in_beat: Param<Bits<5>>,
    beyond: Param<Bits<6>>,
    /// The beat has four steps or more, eight, sixteen.
    has_four: [Param<Bit>; 3],
    /// In a beat of sixteen steps the turn by 15 is one of its own.
    has_turn_15: Param<bool>,
}

impl<const DATA: usize> Header<DATA> {
    /// The block with its parameters, which follow from its sizes, for what may be carried by an entropy header.
    pub fn new(has_entropy: bool) -> Self {
        let steps = Geometry::new(DATA).steps;
        let has_turn_15 = has_entropy && steps == 16;
        Self {
            number: std::array::from_fn(|i| Param::new((i as u64).into())),
            number_5: std::array::from_fn(|i| Param::new((i as u64).into())),
            in_beat: Param::new((steps - 1).into()),
            beyond: Param::new((64 - steps).into()),
            is_turn_15: Optional::new(has_turn_15, Default::default),
            odd_by_15: std::array::from_fn(|_| Optional::new(has_turn_15, Default::default)),
            even_by_15: std::array::from_fn(|_| Optional::new(has_turn_15, Default::default)),
            has_turn_15: Param::new(has_turn_15),
            has_four: [4, 8, 16].map(|least| Param::new(steps >= least)),
            ..Default::default()
        }
    }
}

impl<const DATA: usize> Logic for Header<DATA> {
    #[hdl_gen]
    fn update(&mut self) {
        comment!("Captures UDP's header and the profile's.");
        dff_setup!(self, clk, udp_held);
        comment!(
            "Register 2: UDP's steps, turned to the front by threes; by ones, in a copy for each, the others blanked."
        );
        self.turn.next = (self.place.val().udp + 8) & self.in_beat.val();
        for i in 0..13 {
            self.is_turn[i].next = self.turn.val() == self.number_5[i].val();
        }
        for k in 0..3 {
            self.is_by[k].next = self.is_turn[k].val()
                || self.is_turn[k + 3].val()
                || self.is_turn[k + 6].val()
                || self.is_turn[k + 9].val();
        }
        self.is_mixed.next =
            (self.turn.val() >= self.number_5[3].val()) && (self.turn.val() < self.number_5[9].val());
        self.is_upper.next = self.turn.val() >= self.number_5[6].val();
        for i in 0..14 {
            self.coarse_odd[i].next = self.odd[(i + 8) % 16].val();
            self.coarse_even[i].next = self.even[(i + 8) % 16].val();
            if self.has_four[0].val() && self.is_mixed.val() {
                self.coarse_odd[i].next = self.odd[(i + 11) % 16].val();
                self.coarse_even[i].next = self.even[(i + 11) % 16].val();
            }
            if self.has_four[1].val() && self.is_upper.val() {
                self.coarse_odd[i].next = self.odd[(i + 17) % 16].val();
                self.coarse_even[i].next = self.even[(i + 17) % 16].val();
                if self.is_mixed.val() {
                    self.coarse_odd[i].next = self.odd[(i + 14) % 16].val();
                    self.coarse_even[i].next = self.even[(i + 14) % 16].val();
                }
            }
        }
        for i in 0..12 {
            self.odd_by_0[i].clock.next = self.clk.val();
            self.even_by_0[i].clock.next = self.clk.val();
            self.odd_by_1[i].clock.next = self.clk.val();
            self.even_by_1[i].clock.next = self.clk.val();
            self.odd_by_2[i].clock.next = self.clk.val();
            self.even_by_2[i].clock.next = self.clk.val();
            self.odd_by_12[i].clock.next = self.clk.val();
            self.even_by_12[i].clock.next = self.clk.val();
            self.odd_by_0[i].d.next = bits::<16>(0);
            self.even_by_0[i].d.next = bits::<16>(0);
            self.odd_by_1[i].d.next = bits::<16>(0);
            self.even_by_1[i].d.next = bits::<16>(0);
            self.odd_by_2[i].d.next = bits::<16>(0);
            self.even_by_2[i].d.next = bits::<16>(0);
            self.odd_by_12[i].d.next = bits::<16>(0);
            self.even_by_12[i].d.next = bits::<16>(0);
            if self.is_by[0].val() {
                self.odd_by_0[i].d.next = self.coarse_odd[i].val();
                self.even_by_0[i].d.next = self.coarse_even[i].val();
            }
            if self.is_by[1].val() {
                self.odd_by_1[i].d.next = self.coarse_odd[i + 1].val();
                self.even_by_1[i].d.next = self.coarse_even[i + 1].val();
            }
            if self.has_four[0].val() && self.is_by[2].val() {
                self.odd_by_2[i].d.next = self.coarse_odd[i + 2].val();
                self.even_by_2[i].d.next = self.coarse_even[i + 2].val();
            }
            if self.has_four[2].val() && self.is_turn[12].val() {
                self.odd_by_12[i].d.next = self.odd[(i + 20) % 16].val();
                self.even_by_12[i].d.next = self.even[(i + 20) % 16].val();
            }
        }
        if self.has_turn_15.val() {
            self.is_turn_15.next = self.turn.val() == bits::<5>(15);
            for i in 0..12 {
                self.odd_by_15[i].clock.next = self.clk.val();
                self.even_by_15[i].clock.next = self.clk.val();
                self.odd_by_15[i].d.next = bits::<16>(0);
                self.even_by_15[i].d.next = bits::<16>(0);
                if self.is_turn_15.val() {
                    self.odd_by_15[i].d.next = self.odd[(i + 7) % 16].val();
                    self.even_by_15[i].d.next = self.even[(i + 7) % 16].val();
                }
            }
        }
        for i in 0..12 {
            self.is_here[i].clock.next = self.clk.val();
            self.reaches[i].next = (self.place.val().ahead + self.number[i].val()) & self.beyond.val();
            self.is_here[i].d.next = self.valid.val() && (self.reaches[i].val() == bits::<6>(0));
        }
        comment!("Register 3: of the copies all but one are 0.");
        for i in 0..12 {
            self.turned_odd[i].next = self.odd_by_0[i].q.val()
                | self.odd_by_1[i].q.val()
                | self.odd_by_2[i].q.val()
                | self.odd_by_12[i].q.val();
            self.turned_even[i].next = self.even_by_0[i].q.val()
                | self.even_by_1[i].q.val()
                | self.even_by_2[i].q.val()
                | self.even_by_12[i].q.val();
        }
        if self.has_turn_15.val() {
            for i in 0..12 {
                self.turned_odd[i].next = self.turned_odd[i].val() | self.odd_by_15[i].q.val();
                self.turned_even[i].next = self.turned_even[i].val() | self.even_by_15[i].q.val();
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
