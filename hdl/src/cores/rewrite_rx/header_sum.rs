//! The IPv4 header checksum of every frame, beat by beat.

use rust_hdl::prelude::*;

use super::Layout;
use crate::comment;
use crate::prims::Param;

/// Sums the halfwords of the IP header as they pass: RFC 1071, the carries counted on top of the 16 bits.
///
/// Three registers behind the beat's register 1: pairs of halfwords, blanked outside of the header; four partial sums;
/// the sum of the packet so far. A whole step lies within the header or outside, its odd half before the even half of
/// the next step: those two make a pair.
#[derive(LogicBlock, Default)]
pub struct HeaderSum<const W: usize, const N: usize> {
    pub clk: Signal<In, Clock>,
    pub rst: Signal<In, Bit>,
    pub valid: Signal<In, Bit>,
    pub first: Signal<In, Bit>,
    pub data: Signal<In, Bits<W>>,
    pub step: Signal<In, Bits<6>>,
    pub layout: Signal<In, Layout>,
    /// The sum is all ones, as that of a sound header: three registers behind `data`.
    pub is_sound: Signal<Out, Bit>,

    first_half: [Signal<Local, Bits<16>>; 16],
    second_half: [Signal<Local, Bits<16>>; 16],
    odd: [Signal<Local, Bits<16>>; 16],
    even: [Signal<Local, Bits<16>>; 16],
    index: [Signal<Local, Bits<6>>; 16],
    /// The step is before UDP's, compared bit by bit: most bits are constant.
    is_below: [Signal<Local, Bit>; 16],
    /// The step is of the IP header.
    is_header: [Signal<Local, Bit>; 16],
    is_header_last: Signal<Local, Bit>,
    udp: Signal<Local, Bits<6>>,
    /// The last step of the beat before was.
    carried: DFF<Bit>,
    pair: [DFF<Bits<17>>; 16],
    edge_odd: Signal<Local, Bits<16>>,
    edge_even: Signal<Local, Bits<16>>,
    valid_b: DFF<Bit>,
    first_b: DFF<Bit>,
    group: [Signal<Local, Bits<19>>; 4],
    partial: [DFF<Bits<19>>; 4],
    valid_c: DFF<Bit>,
    first_c: DFF<Bit>,
    beat_sum: Signal<Local, Bits<21>>,
    start: Signal<Local, Bits<21>>,
    sum: DFF<Bits<21>>,
    number: [Param<Bits<6>>; 16],
}

impl<const W: usize, const N: usize> HeaderSum<W, N> {
    /// The block with its parameters, which follow from its sizes.
    pub fn new() -> Self {
        Self { number: std::array::from_fn(|i| Param::new((i as u64).into())), ..Default::default() }
    }
}

impl<const W: usize, const N: usize> Logic for HeaderSum<W, N> {
    #[hdl_gen]
    fn update(&mut self) {
        comment!("Sums the IPv4 header of every packet.");
        dff_setup!(self, clk, carried, valid_b, first_b, valid_c, first_c, sum);
        for i in 0..16 {
            self.pair[i].clock.next = self.clk.val();
            self.pair[i].d.next = self.pair[i].q.val();
        }
        for i in 0..4 {
            self.partial[i].clock.next = self.clk.val();
            self.partial[i].d.next = self.partial[i].q.val();
        }
        comment!("Which steps of the beat lie between the ethertype and UDP.");
        self.udp.next = bit_cast::<6, 5>(self.layout.val().udp);
        for i in 0..N {
            self.index[i].next = self.step.val() | self.number[i].val();
            self.is_below[i].next = false;
            for k in 0..6 {
                self.is_below[i].next = (!self.index[i].val().get_bit(k) && self.udp.val().get_bit(k))
                    || ((self.index[i].val().get_bit(k) == self.udp.val().get_bit(k))
                        && self.is_below[i].val());
            }
            self.is_header[i].next = self.is_below[i].val()
                && (self.index[i].val() >= bits::<6>(3))
                && !((self.index[i].val() == bits::<6>(3)) && self.layout.val().tagged)
                && !((self.index[i].val() == bits::<6>(4))
                    && self.layout.val().tagged
                    && self.layout.val().tagged_twice);
            self.is_header_last.next = self.is_header[i].val();
            self.first_half[i].next = self.data.val().get_bits::<16>(i * 32);
            self.second_half[i].next = self.data.val().get_bits::<16>(i * 32 + 16);
            self.even[i].next = (self.first_half[i].val() << 8) | (self.first_half[i].val() >> 8);
            self.odd[i].next = (self.second_half[i].val() << 8) | (self.second_half[i].val() >> 8);
            self.edge_odd.next = self.odd[i].val();
        }
        if !self.is_header_last.val() {
            self.edge_odd.next = bits::<16>(0);
        }
        comment!("Pairs; the first one is of the two halves whose partners are in other beats.");
        if self.valid.val() {
            self.carried.d.next = self.is_header_last.val();
        }
        self.edge_even.next = self.even[0].val();
        if self.first.val() || !self.carried.q.val() {
            self.edge_even.next = bits::<16>(0);
        }
        self.pair[0].d.next = self.edge_odd.val().get_bits::<17>(0) + self.edge_even.val().get_bits::<17>(0);
        for i in 1..N {
            self.pair[i].d.next =
                self.odd[i - 1].val().get_bits::<17>(0) + self.even[i].val().get_bits::<17>(0);
            if !self.is_header[i - 1].val() {
                self.pair[i].d.next = bits::<17>(0);
            }
        }
        self.valid_b.d.next = self.valid.val();
        self.first_b.d.next = self.first.val();
        comment!("Partial sums.");
        for i in 0..4 {
            self.group[i].next = bits::<19>(0);
        }
        for i in 0..N {
            self.group[i % 4].next = self.group[i % 4].val() + self.pair[i].q.val().get_bits::<19>(0);
        }
        for i in 0..4 {
            self.partial[i].d.next = self.group[i].val();
        }
        self.valid_c.d.next = self.valid_b.q.val();
        self.first_c.d.next = self.first_b.q.val();
        comment!("The packet's sum; sound if its low 16 bits and the carries make all ones.");
        self.beat_sum.next = (bit_cast::<21, 19>(self.partial[0].q.val())
            + bit_cast::<21, 19>(self.partial[1].q.val()))
            + (bit_cast::<21, 19>(self.partial[2].q.val()) + bit_cast::<21, 19>(self.partial[3].q.val()));
        self.start.next = self.sum.q.val();
        if self.first_c.q.val() {
            self.start.next = bits::<21>(0);
        }
        if self.valid_c.q.val() {
            self.sum.d.next = self.start.val() + self.beat_sum.val();
        }
        self.is_sound.next = (self.sum.q.val().get_bits::<16>(0)
            ^ bit_cast::<16, 5>(self.sum.q.val().get_bits::<5>(16)))
            == bits::<16>(0xFFFF);
        if self.rst.val() {
            self.valid_b.d.next = false;
            self.valid_c.d.next = false;
        }
    }
}
