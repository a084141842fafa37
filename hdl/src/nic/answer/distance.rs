//! PSNs of `uet` and how far they are apart.

use respray_hdl_macros::{LogicBlock, Part, hdl_gen};
use rust_hdl::prelude::*;

use crate::comment;

/// Counts from the PSN of a packet, 32 bits, to a PSN of which only 24 bits are known: at most 2^23 down, less up.
///
/// A job's fields hold for more than 10 cycles before its frame tells of a PSN, so each step has a cycle of its own and none waits.
#[derive(LogicBlock, Default, Part)]
pub struct Distance {
    pub clk: Signal<In, Clock>,
    pub is_probe: Signal<In, Bit>,
    /// Of the packet.
    pub wire_psn: Signal<In, Bits<32>>,
    /// PSN of a probe, EPSN and base of a SACK: 24 bits.
    pub psn: Signal<In, Bits<24>>,
    pub epsn: Signal<In, Bits<24>>,
    pub base: Signal<In, Bits<24>>,
    /// The PSN with all its bits: of a probe its own, of a SACK the cumulative one, EPSN - 1.
    pub reached: Signal<Out, Bits<32>>,
    /// From the cumulative PSN to the packet's; what does not fit is the nearest that does.
    pub packet_offset: Signal<Out, Bits<16>>,
    /// From the cumulative PSN to the base.
    pub base_offset: Signal<Out, Bits<16>>,

    target: DFF<Bits<24>>,
    /// Target less packet, and whether that borrowed.
    apart: DFF<Bits<25>>,
    wide_target: Signal<Local, Bits<25>>,
    wide_packet: Signal<Local, Bits<25>>,
    is_down: Signal<Local, Bit>,
    borrows: Signal<Local, Bit>,
    upper: DFF<Bits<8>>,
    /// Packet less target with its sign.
    extended: Signal<Local, Bits<25>>,
    negated: DFF<Bits<25>>,
    high: Signal<Local, Bits<10>>,
    offset: DFF<Bits<16>>,
    from_base: DFF<Bits<16>>,
}

impl Logic for Distance {
    #[hdl_gen]
    fn update(&mut self) {
        comment!("Counts from the PSN of a packet to one of which only 24 bits are known.");
        dff_setup!(self, clk, target, apart, upper, negated, offset, from_base);
        self.target.d.next = self.epsn.val() - bits::<24>(1);
        if self.is_probe.val() {
            self.target.d.next = self.psn.val();
        }
        self.wide_target.next = bit_cast::<25, 24>(self.target.q.val());
        self.wide_packet.next = self.wire_psn.val().get_bits::<25>(0) & bits::<25>(0xff_ffff);
        self.apart.d.next = self.wide_target.val() - self.wide_packet.val();
        comment!("Within 2^23 of the packet, the target may lie beyond a multiple of 2^24.");
        self.is_down.next = self.apart.q.val().get_bit(23);
        self.borrows.next = self.apart.q.val().get_bit(24);
        self.upper.d.next = self.wire_psn.val().get_bits::<8>(24);
        if self.borrows.val() && !self.is_down.val() {
            self.upper.d.next = self.wire_psn.val().get_bits::<8>(24) + bits::<8>(1);
        }
        if self.is_down.val() && !self.borrows.val() {
            self.upper.d.next = self.wire_psn.val().get_bits::<8>(24) - bits::<8>(1);
        }
        comment!("A duplicate may be further behind than an offset of 16 bits reaches.");
        self.extended.next = self.apart.q.val() & bits::<25>(0xff_ffff);
        if self.is_down.val() {
            self.extended.next = self.apart.q.val() | bits::<25>(0x100_0000);
        }
        self.negated.d.next = bits::<25>(0) - self.extended.val();
        self.high.next = self.negated.q.val().get_bits::<10>(15);
        self.offset.d.next = self.negated.q.val().get_bits::<16>(0);
        if self.negated.q.val().get_bit(24) && (self.high.val() != bits::<10>(0x3ff)) {
            self.offset.d.next = bits::<16>(0x8000);
        }
        if !self.negated.q.val().get_bit(24) && (self.high.val() != bits::<10>(0)) {
            self.offset.d.next = bits::<16>(0x7fff);
        }
        self.from_base.d.next = self.base.val().get_bits::<16>(0) - self.target.q.val().get_bits::<16>(0);
        self.reached.next =
            (bit_cast::<32, 8>(self.upper.q.val()) << 24) | bit_cast::<32, 24>(self.target.q.val());
        self.packet_offset.next = self.offset.q.val();
        self.base_offset.next = self.from_base.q.val();
    }
}
