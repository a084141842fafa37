//! The fields of IP, UDP and the profile's first word that the tests of a frame need.

use rust_hdl::prelude::*;

use super::{Geometry, Layout};
use crate::comment;

/// Header fields, big-endian. What a frame has not reached is left from the frame before.
#[derive(Copy, Clone, Debug, Default, PartialEq, LogicStruct)]
pub struct Captured {
    pub ecn: Bits<2>,
    /// IP's second byte: of IPv4 all of DSCP and ECN.
    pub second: Bits<8>,
    /// IPv4 total length or IPv6 payload length.
    pub ip_length: Bits<16>,
    /// IPv4: more fragments and fragment offset. IPv6: 0.
    pub fragment: Bits<14>,
    /// IPv4 protocol or IPv6 next header.
    pub protocol: Bits<8>,
    pub source_port: Bits<16>,
    pub destination_port: Bits<16>,
    pub udp_length: Bits<16>,
    /// First halfword of the profile's header.
    pub lead: Bits<16>,
    pub ip_checksum: Bits<16>,
    pub udp_checksum: Bits<16>,
    /// The halfword 12 bytes into the profile's header.
    pub timestamp: Bits<16>,
}

/// Register 3: captures each field in the beat that holds it, and tells when a frame can be judged.
#[derive(LogicBlock)]
pub struct Fields<const W: usize, const N: usize> {
    pub clk: Signal<In, Clock>,
    pub rst: Signal<In, Bit>,
    pub valid: Signal<In, Bit>,
    pub last: Signal<In, Bit>,
    pub data: Signal<In, Bits<W>>,
    pub step: Signal<In, Bits<6>>,
    pub layout: Signal<In, Layout>,
    /// The beat of `data` is the one with which its frame can be judged.
    pub judge: Signal<Out, Bit>,
    /// The frame beside it can be judged.
    pub judge_3: Signal<Out, Bit>,
    pub captured: Signal<Out, Captured>,

    lane: [Signal<Local, Bits<32>>; 16],
    copy: [Signal<Local, Bits<32>>; 16],
    first: [Signal<Local, Bits<16>>; 16],
    second: [Signal<Local, Bits<16>>; 16],
    odd: [Signal<Local, Bits<16>>; 32],
    even: [Signal<Local, Bits<16>>; 32],
    coarse_odd: [Signal<Local, Bits<16>>; 9],
    coarse_even: [Signal<Local, Bits<16>>; 9],
    turned_odd: [Signal<Local, Bits<16>>; 6],
    turned_even: [Signal<Local, Bits<16>>; 6],
    udp: Signal<Local, Bits<6>>,
    turn: Signal<Local, Bits<6>>,
    beat_of: [Signal<Local, Bits<6>>; 8],
    is_here: [Signal<Local, Bit>; 8],
    tags: Signal<Local, Bits<6>>,
    ip_beat_of: [Signal<Local, Bits<6>>; 4],
    ip_is_here: [Signal<Local, Bit>; 4],
    ip_odd: [Signal<Local, Bits<16>>; 4],
    ip_even: [Signal<Local, Bits<16>>; 4],
    is_judged: Signal<Local, Bit>,
    judged: DFF<Bit>,
    judge_c: DFF<Bit>,
    held: DFF<Captured>,
    number: [Constant<Bits<6>>; 8],
    in_beat: Constant<Bits<6>>,
    beat_mask: Constant<Bits<6>>,
    settled_by: Constant<Bits<6>>,
    at_last: Constant<Bit>,
    /// The beat has more steps than so many, and than four times so many.
    has_step: [Constant<Bit>; 4],
    has_four: [Constant<Bit>; 4],
    is_64: Constant<Bit>,
    is_128: Constant<Bit>,
    is_256: Constant<Bit>,
}

impl<const W: usize, const N: usize> Fields<W, N> {
    /// A frame can be judged at its end or, if `settled_by` is given, once the even half that many steps behind UDP's first is in.
    pub fn new(settled_by: Option<u64>) -> Self {
        let geometry = Geometry::new(W);
        let in_beat = geometry.steps - 1;
        Fields {
            clk: Default::default(),
            rst: Default::default(),
            valid: Default::default(),
            last: Default::default(),
            data: Default::default(),
            step: Default::default(),
            layout: Default::default(),
            judge: Default::default(),
            judge_3: Default::default(),
            captured: Default::default(),
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
            tags: Default::default(),
            ip_beat_of: Default::default(),
            ip_is_here: Default::default(),
            ip_odd: Default::default(),
            ip_even: Default::default(),
            is_judged: Default::default(),
            judged: Default::default(),
            judge_c: Default::default(),
            held: Default::default(),
            number: std::array::from_fn(|i| Constant::new((i as u64).into())),
            in_beat: Constant::new(in_beat.into()),
            beat_mask: Constant::new((63 - in_beat).into()),
            settled_by: Constant::new(settled_by.unwrap_or(0).into()),
            at_last: Constant::new(settled_by.is_none()),
            has_step: std::array::from_fn(|steps| Constant::new(N > steps)),
            has_four: std::array::from_fn(|fours| Constant::new(N > 4 * fours)),
            is_64: Constant::new(W == 64),
            is_128: Constant::new(W == 128),
            is_256: Constant::new(W == 256),
        }
    }
}

impl<const W: usize, const N: usize> Logic for Fields<W, N> {
    #[hdl_gen]
    fn update(&mut self) {
        comment!("Captures the fields that decide about a frame.");
        dff_setup!(self, clk, judged, judge_c, held);
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
        self.udp.next = bit_cast::<6, 5>(self.layout.val().udp);
        self.turn.next = self.udp.val() & self.in_beat.val();
        for i in 0..9 {
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
        for i in 0..6 {
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
        comment!("Whether step i of UDP, or of IP, is in this beat.");
        for i in 0..8 {
            self.beat_of[i].next = (self.udp.val() + self.number[i].val()) & self.beat_mask.val();
            self.is_here[i].next = self.beat_of[i].val() == self.step.val();
        }
        self.tags.next = bits::<6>(3);
        for i in 0..4 {
            self.ip_odd[i].next = self.odd[i + 3].val();
            self.ip_even[i].next = self.even[i + 3].val();
        }
        if self.layout.val().tagged {
            self.tags.next = bits::<6>(4);
            for i in 0..4 {
                self.ip_odd[i].next = self.odd[i + 4].val();
                self.ip_even[i].next = self.even[i + 4].val();
            }
            if self.layout.val().tagged_twice {
                self.tags.next = bits::<6>(5);
                for i in 0..4 {
                    self.ip_odd[i].next = self.odd[i + 5].val();
                    self.ip_even[i].next = self.even[i + 5].val();
                }
            }
        }
        for i in 0..4 {
            self.ip_beat_of[i].next = (self.tags.val() + self.number[i].val()) & self.beat_mask.val();
            self.ip_is_here[i].next = self.ip_beat_of[i].val() == self.step.val();
        }
        comment!("Register 3.");
        if self.valid.val() {
            if self.ip_is_here[0].val() {
                self.held.d.next.second = self.ip_odd[0].val().get_bits::<8>(0);
                self.held.d.next.ecn = self.ip_odd[0].val().get_bits::<2>(4);
                if self.layout.val().is_ip4 {
                    self.held.d.next.ecn = self.ip_odd[0].val().get_bits::<2>(0);
                }
            }
            if self.layout.val().is_ip4 {
                if self.ip_is_here[1].val() {
                    self.held.d.next.ip_length = self.ip_even[1].val();
                }
                if self.ip_is_here[2].val() {
                    self.held.d.next.fragment = self.ip_even[2].val().get_bits::<14>(0);
                    self.held.d.next.protocol = self.ip_odd[2].val().get_bits::<8>(0);
                }
            } else {
                if self.ip_is_here[1].val() {
                    self.held.d.next.ip_length = self.ip_odd[1].val();
                }
                if self.ip_is_here[2].val() {
                    self.held.d.next.fragment = bits::<14>(0);
                    self.held.d.next.protocol = self.ip_even[2].val().get_bits::<8>(8);
                }
            }
            if self.is_here[0].val() {
                self.held.d.next.source_port = self.turned_odd[0].val();
            }
            if self.is_here[1].val() {
                self.held.d.next.destination_port = self.turned_even[1].val();
                self.held.d.next.udp_length = self.turned_odd[1].val();
            }
            if self.is_here[2].val() {
                self.held.d.next.lead = self.turned_odd[2].val();
                self.held.d.next.udp_checksum = self.turned_even[2].val();
            }
            if self.is_here[5].val() {
                self.held.d.next.timestamp = self.turned_odd[5].val();
            }
            if self.ip_is_here[3].val() {
                self.held.d.next.ip_checksum = self.ip_even[3].val();
            }
        }
        if self.at_last.val() {
            self.is_judged.next = self.valid.val() && self.last.val();
        } else {
            self.beat_of[7].next = (self.udp.val() + self.settled_by.val()) & self.beat_mask.val();
            self.is_judged.next = self.valid.val()
                && !self.judged.q.val()
                && (self.last.val() || (self.beat_of[7].val() == self.step.val()));
            if self.valid.val() {
                self.judged.d.next = (self.judged.q.val() || self.is_judged.val()) && !self.last.val();
            }
        }
        self.judge_c.d.next = self.is_judged.val();
        self.judge.next = self.is_judged.val();
        self.judge_3.next = self.judge_c.q.val();
        self.captured.next = self.held.q.val();
        if self.rst.val() {
            self.judged.d.next = false;
            self.judge_c.d.next = false;
        }
    }
}
