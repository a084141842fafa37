//! The fields of the IP header.

use rust_hdl::prelude::*;

use super::Layout;
use crate::comment;
use crate::cores::rewrite::Geometry;
use crate::prims::Param;

/// Header fields, big-endian. What a frame has not reached is left from the frame before.
#[derive(Copy, Clone, Debug, Default, PartialEq, LogicStruct)]
pub struct Ip {
    pub ecn: Bits<2>,
    /// IPv4 total length or IPv6 payload length.
    pub length: Bits<16>,
    /// IPv4: more fragments and fragment offset. IPv6: 0.
    pub fragment: Bits<14>,
    /// IPv4 protocol or IPv6 next header.
    pub protocol: Bits<8>,
}

/// Register 3: captures each field in the beat that holds it.
#[derive(LogicBlock, Default)]
pub struct IpFields<const W: usize> {
    pub clk: Signal<In, Clock>,
    pub valid: Signal<In, Bit>,
    /// Halves of the beat by steps, modulo the beat.
    pub even: [Signal<In, Bits<16>>; 16],
    pub odd: [Signal<In, Bits<16>>; 16],
    /// First step of the beat.
    pub step: Signal<In, Bits<6>>,
    pub layout: Signal<In, Layout>,
    pub ip: Signal<Out, Ip>,

    tags: Signal<Local, Bits<6>>,
    beat_of: [Signal<Local, Bits<6>>; 3],
    is_here: [Signal<Local, Bit>; 3],
    ip_odd: [Signal<Local, Bits<16>>; 3],
    ip_even: [Signal<Local, Bits<16>>; 3],
    held: DFF<Ip>,
    number: [Param<Bits<6>>; 3],
    beat_mask: Param<Bits<6>>,
}

impl<const W: usize> IpFields<W> {
    /// The block with its parameters, which follow from its sizes.
    pub fn new() -> Self {
        Self {
            number: std::array::from_fn(|i| Param::new((i as u64).into())),
            beat_mask: Param::new((64 - Geometry::new(W).steps).into()),
            ..Default::default()
        }
    }
}

impl<const W: usize> Logic for IpFields<W> {
    #[hdl_gen]
    fn update(&mut self) {
        comment!("Captures the fields of the IP header.");
        dff_setup!(self, clk, held);
        comment!("IP's steps, wherever the tags have moved them, and whether they are in this beat.");
        self.tags.next = bits::<6>(3);
        for i in 0..3 {
            self.ip_odd[i].next = self.odd[i + 3].val();
            self.ip_even[i].next = self.even[i + 3].val();
        }
        if self.layout.val().tagged {
            self.tags.next = bits::<6>(4);
            for i in 0..3 {
                self.ip_odd[i].next = self.odd[i + 4].val();
                self.ip_even[i].next = self.even[i + 4].val();
            }
            if self.layout.val().tagged_twice {
                self.tags.next = bits::<6>(5);
                for i in 0..3 {
                    self.ip_odd[i].next = self.odd[i + 5].val();
                    self.ip_even[i].next = self.even[i + 5].val();
                }
            }
        }
        for i in 0..3 {
            self.beat_of[i].next = (self.tags.val() + self.number[i].val()) & self.beat_mask.val();
            self.is_here[i].next = self.valid.val() && (self.beat_of[i].val() == self.step.val());
        }
        comment!("Register 3.");
        if self.is_here[0].val() {
            self.held.d.next.ecn = self.ip_odd[0].val().get_bits::<2>(4);
            if self.layout.val().is_ip4 {
                self.held.d.next.ecn = self.ip_odd[0].val().get_bits::<2>(0);
            }
        }
        if self.is_here[1].val() {
            self.held.d.next.length = self.ip_odd[1].val();
            if self.layout.val().is_ip4 {
                self.held.d.next.length = self.ip_even[1].val();
            }
        }
        if self.is_here[2].val() {
            self.held.d.next.fragment = bits::<14>(0);
            self.held.d.next.protocol = self.ip_even[2].val().get_bits::<8>(8);
            if self.layout.val().is_ip4 {
                self.held.d.next.fragment = self.ip_even[2].val().get_bits::<14>(0);
                self.held.d.next.protocol = self.ip_odd[2].val().get_bits::<8>(0);
            }
        }
        self.ip.next = self.held.q.val();
    }
}
