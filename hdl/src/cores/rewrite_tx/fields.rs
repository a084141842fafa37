//! The fields of UDP and of the profile's header.

use rust_hdl::prelude::*;

use super::inlet::Place;
use crate::{block, comment};

/// Header fields, big-endian. What a frame has not reached is of no meaning.
#[derive(Copy, Clone, Debug, Default, PartialEq, LogicStruct)]
pub struct Captured {
    pub source_port: Bits<16>,
    pub destination_port: Bits<16>,
    pub udp_length: Bits<16>,
    pub udp_checksum: Bits<16>,
    /// First halfword of the profile's header.
    pub lead: Bits<16>,
    /// It is data, whose timestamp is written.
    pub is_stamped: Bit,
    /// The halfword 12 bytes into the profile's header.
    pub timestamp: Bits<16>,
}

/// Captures each field in the beat that holds it, without a multiplexer as wide as the beat.
///
/// Register 2 holds the beat's steps, those blanked (by the synchronous reset) in which no field stands: UDP's first three in
/// one copy, the timestamp's in another. So the steps of one residue (modulo 4; modulo 3 at 512 bits, where a lane has one
/// step) can be ORed, and UDP's are turned to their place in that ring. Register 3 holds the fields.
#[derive(LogicBlock)]
pub struct Fields<const N: usize> {
    pub clk: Signal<In, Clock>,
    pub rst: Signal<In, Bit>,
    pub valid: Signal<In, Bit>,
    pub last: Signal<In, Bit>,
    pub place: Signal<In, Place>,
    pub even: [Signal<In, Bits<16>>; 16],
    pub odd: [Signal<In, Bits<16>>; 16],
    /// The beat beside register 2 is the one with which its frame can be judged.
    pub judge_2: Signal<Out, Bit>,
    pub captured: Signal<Out, Captured>,

    is_wanted: [Signal<Local, Bit>; 16],
    is_stamp: [Signal<Local, Bit>; 16],
    even_held: [DFF<Bits<16>>; 16],
    odd_held: [DFF<Bits<16>>; 16],
    stamp_held: [DFF<Bits<16>>; 16],
    reaches: [Signal<Local, Bits<6>>; 4],
    is_here: [DFF<Bit>; 4],
    turn: DFF<Bits<2>>,
    settles: Signal<Local, Bits<6>>,
    is_judged: Signal<Local, Bit>,
    judged: DFF<Bit>,
    judge: DFF<Bit>,
    even_ring: [Signal<Local, Bits<16>>; 4],
    odd_ring: [Signal<Local, Bits<16>>; 4],
    destination: Signal<Local, Bits<16>>,
    checksum: Signal<Local, Bits<16>>,
    source: Signal<Local, Bits<16>>,
    length: Signal<Local, Bits<16>>,
    lead: Signal<Local, Bits<16>>,
    stamp: Signal<Local, Bits<16>>,
    held: DFF<Captured>,

    /// Of a lane: number, and that less 1, 2 and 5.
    number: [Constant<Bits<6>>; 16],
    less_1: [Constant<Bits<6>>; 16],
    less_2: [Constant<Bits<6>>; 16],
    less_5: [Constant<Bits<6>>; 16],
    /// A field of the copy can stand there.
    has_udp: [Constant<Bit>; 16],
    has_stamp: [Constant<Bit>; 16],
    distance: [Constant<Bits<6>>; 4],
    beyond: Constant<Bits<6>>,
    settled_by: Constant<Bits<6>>,
    is_64: Constant<Bit>,
    is_512: Constant<Bit>,
    ring_of: [Constant<Bits<2>>; 16],
    ring_number: [Constant<Bits<2>>; 4],
    step_number: [Constant<Bits<5>>; 32],
    step_third: [Constant<Bits<2>>; 32],
    is_strack: Constant<Bit>,
}

impl<const N: usize> Fields<N> {
    /// For the profile `uet`, or for `strack`: what must be in for a frame to be judged before its end differs.
    pub fn new(is_uet: bool) -> Self {
        let settled_by: u64 = if is_uet { 5 } else { 6 };
        let lanes =
            |less: u64| std::array::from_fn(|lane| Constant::new(((64 + lane as u64 - less) % 64).into()));
        let has = |offsets: &[usize]| {
            let can = |lane: usize| (8..=20).any(|udp| offsets.iter().any(|at| (udp + at) % N == lane));
            std::array::from_fn(|lane| Constant::new(can(lane)))
        };
        // At 512 bits a lane tells a field's step: from lane 8 on one of the first beat, else of the second.
        let ring_of = |lane: usize| match N {
            16 => ((lane + if lane < 8 { 16 } else { 0 }) % 3) as u64,
            _ => (lane % 4) as u64,
        };
        block!(
            Fields {
                number: lanes(0),
                less_1: lanes(1),
                less_2: lanes(2),
                less_5: lanes(5),
                has_udp: has(&[0, 1, 2]),
                has_stamp: has(&[5]),
                distance: [0u64, 1, 2, 5].map(|at| Constant::new(at.into())),
                beyond: Constant::new((64 - N as u64).into()),
                settled_by: Constant::new(settled_by.into()),
                is_64: Constant::new(N == 2),
                is_512: Constant::new(N == 16),
                ring_of: std::array::from_fn(|lane| Constant::new(ring_of(lane).into())),
                ring_number: std::array::from_fn(|c| Constant::new((c as u64).into())),
                step_number: std::array::from_fn(|step| Constant::new((step as u64).into())),
                step_third: std::array::from_fn(|step| Constant::new((step as u64 % 3).into())),
                is_strack: Constant::new(!is_uet),
            };
            clk, rst, valid, last, place, even, odd, judge_2, captured, is_wanted, is_stamp, even_held, odd_held,
            stamp_held, reaches, is_here, turn, settles, is_judged, judged, judge, even_ring, odd_ring, destination, checksum,
            source, length, lead, stamp, held,
        )
    }
}

impl<const N: usize> Logic for Fields<N> {
    #[hdl_gen]
    fn update(&mut self) {
        comment!("Captures the fields that decide about a frame.");
        dff_setup!(self, clk, turn, judged, judge, held);
        comment!("Register 2: the steps that hold a field.");
        for i in 0..16 {
            self.is_wanted[i].next = self.has_udp[i].val()
                && ((self.place.val().ahead == self.number[i].val())
                    || (self.place.val().ahead == self.less_1[i].val())
                    || (self.place.val().ahead == self.less_2[i].val()));
            self.is_stamp[i].next =
                self.has_stamp[i].val() && (self.place.val().ahead == self.less_5[i].val());
            self.even_held[i].clock.next = self.clk.val();
            self.odd_held[i].clock.next = self.clk.val();
            self.stamp_held[i].clock.next = self.clk.val();
            self.even_held[i].d.next = bits::<16>(0);
            self.odd_held[i].d.next = bits::<16>(0);
            self.stamp_held[i].d.next = bits::<16>(0);
            if self.has_udp[i].val() && self.is_wanted[i].val() {
                self.even_held[i].d.next = self.even[i].val();
                self.odd_held[i].d.next = self.odd[i].val();
            }
            if self.has_stamp[i].val() && self.is_stamp[i].val() {
                self.stamp_held[i].d.next = self.odd[i].val();
            }
        }
        for k in 0..4 {
            self.is_here[k].clock.next = self.clk.val();
            self.reaches[k].next = (self.place.val().ahead + self.distance[k].val()) & self.beyond.val();
            self.is_here[k].d.next = self.valid.val() && (self.reaches[k].val() == bits::<6>(0));
        }
        comment!("UDP's place in the ring: its step modulo 4, at 512 bits modulo 3.");
        self.turn.d.next = self.place.val().udp.get_bits::<2>(0);
        if self.is_512.val() {
            self.turn.d.next = bits::<2>(0);
            for s in 8..21 {
                if self.place.val().udp == self.step_number[s].val() {
                    self.turn.d.next = self.step_third[s].val();
                }
            }
        }
        self.settles.next = (self.place.val().ahead + self.settled_by.val()) & self.beyond.val();
        self.is_judged.next = self.valid.val()
            && !self.judged.q.val()
            && (self.last.val() || (self.settles.val() == bits::<6>(0)));
        if self.valid.val() {
            self.judged.d.next = (self.judged.q.val() || self.is_judged.val()) && !self.last.val();
        }
        self.judge.d.next = self.is_judged.val();
        self.judge_2.next = self.judge.q.val();
        comment!("Steps of one residue together; of two lanes the ring is twice the beat.");
        self.stamp.next = bits::<16>(0);
        for c in 0..4 {
            self.even_ring[c].next = bits::<16>(0);
            self.odd_ring[c].next = bits::<16>(0);
        }
        for i in 0..N {
            for c in 0..4 {
                if self.ring_of[i].val() == self.ring_number[c].val() {
                    self.even_ring[c].next = self.even_ring[c].val() | self.even_held[i].q.val();
                    self.odd_ring[c].next = self.odd_ring[c].val() | self.odd_held[i].q.val();
                }
            }
            self.stamp.next = self.stamp.val() | self.stamp_held[i].q.val();
        }
        if self.is_64.val() {
            for c in 2..4 {
                self.even_ring[c].next = self.even_ring[c % 2].val();
                self.odd_ring[c].next = self.odd_ring[c % 2].val();
            }
        }
        self.source.next = self.odd_ring[0].val();
        self.length.next = self.odd_ring[1].val();
        self.lead.next = self.odd_ring[2].val();
        self.destination.next = self.even_ring[1].val();
        self.checksum.next = self.even_ring[2].val();
        if self.turn.q.val() == bits::<2>(1) {
            self.source.next = self.odd_ring[1].val();
            self.length.next = self.odd_ring[2].val();
            self.lead.next = self.odd_ring[3].val();
            self.destination.next = self.even_ring[2].val();
            self.checksum.next = self.even_ring[3].val();
            if self.is_512.val() {
                self.lead.next = self.odd_ring[0].val();
                self.checksum.next = self.even_ring[0].val();
            }
        }
        if self.turn.q.val() == bits::<2>(2) {
            self.source.next = self.odd_ring[2].val();
            self.length.next = self.odd_ring[3].val();
            self.lead.next = self.odd_ring[0].val();
            self.destination.next = self.even_ring[3].val();
            self.checksum.next = self.even_ring[0].val();
            if self.is_512.val() {
                self.length.next = self.odd_ring[0].val();
                self.lead.next = self.odd_ring[1].val();
                self.destination.next = self.even_ring[0].val();
                self.checksum.next = self.even_ring[1].val();
            }
        }
        if !self.is_512.val() && (self.turn.q.val() == bits::<2>(3)) {
            self.source.next = self.odd_ring[3].val();
            self.length.next = self.odd_ring[0].val();
            self.lead.next = self.odd_ring[1].val();
            self.destination.next = self.even_ring[0].val();
            self.checksum.next = self.even_ring[1].val();
        }
        comment!("Register 3.");
        if self.is_here[0].q.val() {
            self.held.d.next.source_port = self.source.val();
        }
        if self.is_here[1].q.val() {
            self.held.d.next.destination_port = self.destination.val();
            self.held.d.next.udp_length = self.length.val();
        }
        if self.is_here[2].q.val() {
            self.held.d.next.udp_checksum = self.checksum.val();
            self.held.d.next.lead = self.lead.val();
            self.held.d.next.is_stamped = self.is_strack.val()
                && (self.lead.val().get_bits::<3>(13) == bits::<3>(6))
                && (self.lead.val().get_bits::<5>(8) == bits::<5>(0));
        }
        if self.is_here[3].q.val() {
            self.held.d.next.timestamp = self.stamp.val();
        }
        self.captured.next = self.held.q.val();
        if self.rst.val() {
            self.judged.d.next = false;
            self.judge.d.next = false;
        }
    }
}
