//! The fields of the IP header.

use respray_hdl_macros::{LogicBlock, Part, hdl_gen};
use rust_hdl::prelude::*;

use super::Place;
use crate::comment;
use crate::prims::{Optional, Param};

/// What IP says, a register behind its fields.
#[derive(Copy, Clone, Debug, Default, PartialEq, LogicStruct)]
pub struct Ip {
    /// A fragment, or not of the protocol that carries the profile.
    pub is_foreign: Bit,
    /// The UDP length that agrees with IP's, two's complement, all bits inverted. With an entropy header 4 more than IP carries.
    pub length_complement: Bits<17>,
}

/// Register 2 holds the fields, register 3 what comes of them.
#[derive(LogicBlock, Default, Part)]
pub struct IpFields {
    pub clk: Signal<In, Clock>,
    pub valid: Signal<In, Bit>,
    pub place: Signal<In, Place>,
    pub even: [Signal<In, Bits<16>>; 16],
    pub odd: [Signal<In, Bits<16>>; 16],
    /// The profile's header stands behind an entropy header; the protocol that carries it, UDP's otherwise.
    pub is_entropy: Optional<Signal<In, Bit>>,
    pub protocol: Optional<Signal<In, Bits<8>>>,
    /// The second byte of the odd half where IP begins, in register 2: it has ECN, IPv4's in bits 1:0, IPv6's in bits 5:4.
    pub second: Signal<Out, Bits<8>>,
    /// The same on its way into register 2, of use in the beat that holds it.
    pub second_1: Signal<Out, Bits<8>>,
    /// Beside `second`: IP's length, that of the payload alone in IPv6.
    pub length_2: Optional<Signal<Out, Bits<16>>>,
    /// Beside `second`, the low half of the first byte: the upper half of IPv6's traffic class.
    pub first: Optional<Signal<Out, Bits<4>>>,
    pub ip: Signal<Out, Ip>,

    shown: Signal<Local, Bits<16>>,
    is_fragment: [Signal<Local, Bit>; 3],
    is_other_4: [Signal<Local, Bit>; 3],
    is_other_6: [Signal<Local, Bit>; 3],
    is_foreign: Signal<Local, Bit>,
    second_here: Signal<Local, Bits<8>>,
    foreign_held: DFF<Bit>,
    second_held: DFF<Bits<8>>,
    /// By tags, 0 where they are not those of the frame: lengths of IPv4 and IPv6.
    length_4: [DFF<Bits<16>>; 3],
    length_6: [DFF<Bits<16>>; 3],
    length: Signal<Local, Bits<16>>,
    front: Signal<Local, Bits<5>>,
    /// Words that the length counts beside UDP's: those of an IPv4 header.
    header_held: DFF<Bits<5>>,
    found: Signal<Local, Ip>,
    held: DFF<Ip>,
    is_so_tagged: [Signal<Local, Bit>; 3],
    tag_count: [Param<Bits<2>>; 3],
    first_here: Optional<Signal<Local, Bits<4>>>,
    first_held: Optional<DFF<Bits<4>>>,
    has_class: Param<bool>,
    has_entropy: Param<bool>,
    has_length: Param<bool>,
}

impl IpFields {
    /// The block, which tells all of the traffic class of IPv6 or no more than its second byte, for UDP alone or for an entropy header
    /// as well, and which tells the length or not.
    pub fn new(has_class: bool, has_entropy: bool, has_length: bool) -> Self {
        Self {
            tag_count: [0u64, 1, 2].map(|tags| Param::new(tags.into())),
            first: Optional::new(has_class, Default::default),
            first_here: Optional::new(has_class, Default::default),
            first_held: Optional::new(has_class, Default::default),
            has_class: Param::new(has_class),
            is_entropy: Optional::new(has_entropy, Default::default),
            protocol: Optional::new(has_entropy, Default::default),
            has_entropy: Param::new(has_entropy),
            length_2: Optional::new(has_length, Default::default),
            has_length: Param::new(has_length),
            ..Default::default()
        }
    }
}

// What not every configuration has stands under an `if` of its own, which falls away as a whole.
#[allow(clippy::collapsible_if)]
impl Logic for IpFields {
    #[hdl_gen]
    fn update(&mut self) {
        comment!("Captures the fields of the IP header.");
        dff_setup!(self, clk, foreign_held, second_held, header_held, held);
        for i in 0..3 {
            self.is_fragment[i].next = (self.even[i + 5].val() & bits::<16>(0x3FFF)) != bits::<16>(0);
            self.is_other_4[i].next = (self.odd[i + 5].val() & bits::<16>(0x00FF)) != bits::<16>(17);
            self.is_other_6[i].next = (self.even[i + 5].val() & bits::<16>(0xFF00)) != bits::<16>(0x1100);
        }
        if self.has_entropy.val() {
            for i in 0..3 {
                self.is_other_4[i].next = self.odd[i + 5].val().get_bits::<8>(0) != self.protocol.val();
                self.is_other_6[i].next = self.even[i + 5].val().get_bits::<8>(8) != self.protocol.val();
            }
        }
        comment!("Without tags; the steps that are shown are moved to where they are then.");
        self.shown.next = self.place.val().front >> self.place.val().tags;
        self.second_here.next = self.odd[3].val().get_bits::<8>(0);
        self.is_foreign.next = self.is_other_6[0].val();
        if self.place.val().is_ip4 {
            self.is_foreign.next = self.is_fragment[0].val() || self.is_other_4[0].val();
        }
        if self.place.val().tags == bits::<2>(1) {
            self.second_here.next = self.odd[4].val().get_bits::<8>(0);
            self.is_foreign.next = self.is_other_6[1].val();
            if self.place.val().is_ip4 {
                self.is_foreign.next = self.is_fragment[1].val() || self.is_other_4[1].val();
            }
        }
        if self.place.val().tags == bits::<2>(2) {
            self.second_here.next = self.odd[5].val().get_bits::<8>(0);
            self.is_foreign.next = self.is_other_6[2].val();
            if self.place.val().is_ip4 {
                self.is_foreign.next = self.is_fragment[2].val() || self.is_other_4[2].val();
            }
        }
        comment!("Register 2.");
        if self.valid.val() {
            if self.shown.val().get_bit(3) {
                self.second_held.d.next = self.second_here.val();
            }
            if self.shown.val().get_bit(5) {
                self.foreign_held.d.next = self.is_foreign.val();
            }
        }
        for t in 0..3 {
            self.length_4[t].clock.next = self.clk.val();
            self.length_6[t].clock.next = self.clk.val();
            self.length_4[t].d.next = self.length_4[t].q.val();
            self.length_6[t].d.next = self.length_6[t].q.val();
            self.is_so_tagged[t].next = self.place.val().tags == self.tag_count[t].val();
            if self.valid.val() && self.shown.val().get_bit(4) {
                self.length_4[t].d.next = bits::<16>(0);
                self.length_6[t].d.next = bits::<16>(0);
                if self.is_so_tagged[t].val() && self.place.val().is_ip4 {
                    self.length_4[t].d.next = self.even[t + 4].val();
                }
                if self.is_so_tagged[t].val() && !self.place.val().is_ip4 {
                    self.length_6[t].d.next = self.odd[t + 4].val();
                }
            }
        }
        self.front.next = bits::<5>(3);
        if self.place.val().tags == bits::<2>(1) {
            self.front.next = bits::<5>(4);
        }
        if self.place.val().tags == bits::<2>(2) {
            self.front.next = bits::<5>(5);
        }
        self.header_held.d.next = self.place.val().udp - self.front.val();
        if !self.place.val().is_ip4 {
            self.header_held.d.next = bits::<5>(0);
            if self.has_entropy.val() {
                if self.is_entropy.val() {
                    self.header_held.d.next = bits::<5>(0x1F);
                }
            }
        }
        if self.has_class.val() {
            self.first_here.next = self.odd[3].val().get_bits::<4>(8);
            if self.place.val().tags == bits::<2>(1) {
                self.first_here.next = self.odd[4].val().get_bits::<4>(8);
            }
            if self.place.val().tags == bits::<2>(2) {
                self.first_here.next = self.odd[5].val().get_bits::<4>(8);
            }
            self.first_held.clock.next = self.clk.val();
            self.first_held.d.next = self.first_held.q.val();
            if self.valid.val() && self.shown.val().get_bit(3) {
                self.first_held.d.next = self.first_here.val();
            }
            self.first.next = self.first_held.q.val();
        }
        self.second.next = self.second_held.q.val();
        self.second_1.next = self.second_here.val();
        comment!("Register 3.");
        self.length.next = bits::<16>(0);
        for t in 0..3 {
            self.length.next = self.length.val() | self.length_4[t].q.val() | self.length_6[t].q.val();
        }
        if self.has_length.val() {
            self.length_2.next = self.length.val();
        }
        self.found.next.is_foreign = self.foreign_held.q.val();
        self.found.next.length_complement =
            (bit_cast::<17, 5>(self.header_held.q.val()) << 2) + !bit_cast::<17, 16>(self.length.val());
        if self.has_entropy.val() {
            comment!("A word less in front of an entropy header, of IPv6 less than none.");
            if self.header_held.q.val().get_bit(4) {
                self.found.next.length_complement =
                    bits::<17>(0x1FFFC) + !bit_cast::<17, 16>(self.length.val());
            }
        }
        self.held.d.next = self.found.val();
        self.ip.next = self.held.q.val();
    }
}
