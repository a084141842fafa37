//! The checksums of a frame.

use respray_hdl_macros::{LogicBlock, Part, hdl_gen};
use rust_hdl::prelude::*;

use crate::comment;

/// Adds up the halves of the IPv4 header and those that the UDP checksum covers, RFC 1071: the carries are counted on top, and
/// come in again at the bottom when all is there.
#[derive(LogicBlock, Default, Part)]
pub struct Sums {
    pub clk: Signal<In, Clock>,
    /// A pair, in the cycle before the one in which the other inputs tell of it.
    pub odd: Signal<In, Bits<16>>,
    pub even: Signal<In, Bits<16>>,
    /// The first pair of a frame: sums begin, of which it is not.
    pub first: Signal<In, Bit>,
    pub is_of_ip: Signal<In, Bit>,
    pub is_of_udp: Signal<In, Bit>,
    /// The last pair was there in the cycle before: UDP's sum is complete.
    pub is_complete: Signal<In, Bit>,
    /// The checksum of IP in the cycle in which `is_complete` is high, that of UDP in the next.
    pub checksum: Signal<Out, Bits<16>>,

    /// 10 halves at most.
    ip: DFF<Bits<20>>,
    /// 38 halves at most.
    udp: DFF<Bits<22>>,
    halves: DFF<Bits<17>>,
    sum: Signal<Local, Bits<22>>,
    low: Signal<Local, Bits<17>>,
    carries: Signal<Local, Bits<17>>,
    folded: DFF<Bits<17>>,
    is_udp: DFF<Bit>,
    total: Signal<Local, Bits<16>>,
}

impl Logic for Sums {
    #[hdl_gen]
    fn update(&mut self) {
        comment!("Adds up the IPv4 header, and what the UDP checksum covers.");
        dff_setup!(self, clk, halves, ip, udp, folded, is_udp);
        self.halves.d.next = bit_cast::<17, 16>(self.odd.val()) + bit_cast::<17, 16>(self.even.val());
        if self.is_of_ip.val() {
            self.ip.d.next = self.ip.q.val() + bit_cast::<20, 17>(self.halves.q.val());
        }
        if self.is_of_udp.val() {
            self.udp.d.next = self.udp.q.val() + bit_cast::<22, 17>(self.halves.q.val());
        }
        if self.first.val() {
            self.ip.d.next = bits::<20>(0);
            self.udp.d.next = bits::<22>(0);
        }
        comment!("One after the other, the carries are added to the low 16 bits, and their carry once more.");
        self.is_udp.d.next = self.is_complete.val();
        self.sum.next = bit_cast::<22, 20>(self.ip.q.val());
        if self.is_complete.val() {
            self.sum.next = self.udp.q.val();
        }
        self.low.next = self.sum.val().get_bits::<17>(0) & bits::<17>(0xffff);
        self.carries.next = bit_cast::<17, 6>(self.sum.val().get_bits::<6>(16));
        self.folded.d.next = self.low.val() + self.carries.val();
        self.total.next =
            self.folded.q.val().get_bits::<16>(0) + bit_cast::<16, 1>(self.folded.q.val().get_bits::<1>(16));
        self.checksum.next = !self.total.val();
        comment!("RFC 768: a UDP checksum of 0 would mean none. With a carry the sum is far from all ones.");
        if self.is_udp.q.val() && (self.folded.q.val() == bits::<17>(0xffff)) {
            self.checksum.next = bits::<16>(0xffff);
        }
    }
}
