//! The profile's header, halfword by halfword.

use rust_hdl::prelude::*;

use crate::comment;
use crate::cores::rewrite::Geometry;

/// Register 3 of the profile's header: each halfword is captured in the beat that holds it.
///
/// What a frame has not reached is left from the frame before.
#[derive(LogicBlock)]
pub struct Header<const W: usize, const N: usize> {
    pub clk: Signal<In, Clock>,
    pub valid: Signal<In, Bit>,
    pub data: Signal<In, Bits<W>>,
    pub step: Signal<In, Bits<6>>,
    /// Step of the UDP source port.
    pub udp_step: Signal<In, Bits<5>>,
    /// Halfword at byte 4i of the header.
    pub at_0: [Signal<Out, Bits<16>>; 9],
    /// Halfword at byte 4i + 2.
    pub at_2: [Signal<Out, Bits<16>>; 9],

    lane: [Signal<Local, Bits<32>>; 16],
    copy: [Signal<Local, Bits<32>>; 16],
    first: [Signal<Local, Bits<16>>; 16],
    second: [Signal<Local, Bits<16>>; 16],
    odd: [Signal<Local, Bits<16>>; 32],
    even: [Signal<Local, Bits<16>>; 32],
    coarse_odd: [Signal<Local, Bits<16>>; 15],
    coarse_even: [Signal<Local, Bits<16>>; 15],
    turned_odd: [Signal<Local, Bits<16>>; 12],
    turned_even: [Signal<Local, Bits<16>>; 12],
    udp: Signal<Local, Bits<6>>,
    turn: Signal<Local, Bits<6>>,
    beat_of: [Signal<Local, Bits<6>>; 12],
    is_here: [Signal<Local, Bit>; 12],
    odd_held: [DFF<Bits<16>>; 9],
    even_held: [DFF<Bits<16>>; 9],
    number: [Constant<Bits<6>>; 12],
    in_beat: Constant<Bits<6>>,
    beat_mask: Constant<Bits<6>>,
    is_64: Constant<Bit>,
    is_128: Constant<Bit>,
    is_256: Constant<Bit>,
    /// The beat has more steps than so many, and than four times so many.
    has_step: [Constant<Bit>; 4],
    has_four: [Constant<Bit>; 4],
}

impl<const W: usize, const N: usize> Default for Header<W, N> {
    fn default() -> Self {
        let in_beat = Geometry::new(W).steps - 1;
        Header {
            clk: Default::default(),
            valid: Default::default(),
            data: Default::default(),
            step: Default::default(),
            udp_step: Default::default(),
            at_0: Default::default(),
            at_2: Default::default(),
            lane: Default::default(),
            copy: Default::default(),
            first: Default::default(),
            second: Default::default(),
            odd: Default::default(),
            even: Default::default(),
            coarse_odd: Default::default(),
            coarse_even: Default::default(),
            turned_odd: Default::default(),
            turned_even: Default::default(),
            udp: Default::default(),
            turn: Default::default(),
            beat_of: Default::default(),
            is_here: Default::default(),
            odd_held: Default::default(),
            even_held: Default::default(),
            number: std::array::from_fn(|i| Constant::new((i as u64).into())),
            in_beat: Constant::new(in_beat.into()),
            beat_mask: Constant::new((63 - in_beat).into()),
            is_64: Constant::new(W == 64),
            is_128: Constant::new(W == 128),
            is_256: Constant::new(W == 256),
            has_step: std::array::from_fn(|steps| Constant::new(N > steps)),
            has_four: std::array::from_fn(|fours| Constant::new(N > 4 * fours)),
        }
    }
}

impl<const W: usize, const N: usize> Logic for Header<W, N> {
    #[hdl_gen]
    fn update(&mut self) {
        comment!("Captures the profile's header.");
        comment!(
            "The beat's halves, repeated so that a step beyond the beat's end is the one it stands for modulo the beat."
        );
        for i in 0..16 {
            self.lane[i].next = bits::<32>(0);
        }
        for i in 0..N {
            self.lane[i].next = self.data.val().get_bits::<32>(i * 32);
        }
        for i in 0..16 {
            self.copy[i].next = self.lane[i].val();
            if self.is_64.val() {
                self.copy[i].next = self.lane[i % 2].val();
            }
            if self.is_128.val() {
                self.copy[i].next = self.lane[i % 4].val();
            }
            if self.is_256.val() {
                self.copy[i].next = self.lane[i % 8].val();
            }
            self.first[i].next = self.copy[i].val().get_bits::<16>(0);
            self.second[i].next = self.copy[i].val().get_bits::<16>(16);
            self.even[i].next = (self.first[i].val() << 8) | (self.first[i].val() >> 8);
            self.odd[i].next = (self.second[i].val() << 8) | (self.second[i].val() >> 8);
            self.even[i + 16].next = self.even[i].val();
            self.odd[i + 16].next = self.odd[i].val();
        }
        comment!("UDP's steps, turned to the front: by fours, then by ones.");
        self.udp.next = bit_cast::<6, 5>(self.udp_step.val());
        self.turn.next = self.udp.val() & self.in_beat.val();
        for i in 0..15 {
            self.coarse_odd[i].next = self.odd[i].val();
            self.coarse_even[i].next = self.even[i].val();
            if self.has_four[1].val() && (self.turn.val().get_bits::<2>(2) == bits::<2>(1)) {
                self.coarse_odd[i].next = self.odd[i + 4].val();
                self.coarse_even[i].next = self.even[i + 4].val();
            }
            if self.has_four[2].val() && (self.turn.val().get_bits::<2>(2) == bits::<2>(2)) {
                self.coarse_odd[i].next = self.odd[i + 8].val();
                self.coarse_even[i].next = self.even[i + 8].val();
            }
            if self.has_four[3].val() && (self.turn.val().get_bits::<2>(2) == bits::<2>(3)) {
                self.coarse_odd[i].next = self.odd[i + 12].val();
                self.coarse_even[i].next = self.even[i + 12].val();
            }
        }
        for i in 0..12 {
            self.turned_odd[i].next = self.coarse_odd[i].val();
            self.turned_even[i].next = self.coarse_even[i].val();
            if self.has_step[1].val() && (self.turn.val().get_bits::<2>(0) == bits::<2>(1)) {
                self.turned_odd[i].next = self.coarse_odd[i + 1].val();
                self.turned_even[i].next = self.coarse_even[i + 1].val();
            }
            if self.has_step[2].val() && (self.turn.val().get_bits::<2>(0) == bits::<2>(2)) {
                self.turned_odd[i].next = self.coarse_odd[i + 2].val();
                self.turned_even[i].next = self.coarse_even[i + 2].val();
            }
            if self.has_step[3].val() && (self.turn.val().get_bits::<2>(0) == bits::<2>(3)) {
                self.turned_odd[i].next = self.coarse_odd[i + 3].val();
                self.turned_even[i].next = self.coarse_even[i + 3].val();
            }
        }
        for i in 2..12 {
            self.beat_of[i].next = (self.udp.val() + self.number[i].val()) & self.beat_mask.val();
            self.is_here[i].next = self.valid.val() && (self.beat_of[i].val() == self.step.val());
        }
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
