//! ACKs, NACKs and probes of Ultra Ethernet.

use respray_hdl_macros::{LogicBlock, Part, hdl_gen};
use rust_hdl::prelude::*;

use super::fields::{Sack, Typed};
use crate::comment;
use crate::prims::Param;

/// The first 16 bits of an ACK, of an ACK with a bitmap and state, and of a NACK, but for next header and flags; and of a probe, a control
/// packet 6 that asks for an ACK.
const ACK: u64 = 7 << 11;
const ACK_CC: u64 = 8 << 11;
const NACK: u64 = 10 << 11;
const PROBE: u64 = 11 << 11 | 6 << 7 | 8;
/// A response of 12 bytes is the next header.
const RESPONSE: u64 = 4 << 7;

/// The words of 4 bytes of an ACK, NACK or probe, and how many there are.
///
/// A job's fields hold for more than ten cycles before its header is made, so each step has a cycle of its own and none waits.
///
/// | words | ACK | ACK_CC | NACK, probe |
/// |---|---|---|---|
/// | 0 to 2 | type, flags, offset; cumulative PSN; PDCs | the same | type, flags, code or opaque; PSN; PDCs |
/// | 3 | | type of state, MPR, offset of the bitmap | payload |
/// | 4 to 7 | | bitmap, state | |
/// | three more | default response | default response | |
#[derive(LogicBlock, Default, Part)]
pub struct Packet {
    pub clk: Signal<In, Clock>,
    pub sack: Signal<In, Sack>,
    pub typed: Signal<In, Typed>,
    pub odd: [Signal<Out, Bits<16>>; 11],
    pub even: [Signal<Out, Bits<16>>; 11],
    /// The place of the last word: the first one is at 18.
    pub header_end: Signal<Out, Bits<5>>,
    pub udp_length: Signal<Out, Bits<16>>,

    has_sack: Signal<Local, Bit>,
    has_response: Signal<Local, Bit>,
    /// An ACK answers a probe. A NACK, and what is as long as one.
    answers_probe: Signal<Local, Bit>,
    is_nack: Signal<Local, Bit>,
    is_short: Signal<Local, Bit>,
    /// The last cumulative PSN, and rounded down as the setting says.
    cack: DFF<Bits<32>>,
    aligned: DFF<Bits<16>>,
    offset: DFF<Bits<16>>,
    base_offset: DFF<Bits<16>>,
    last: DFF<Bits<5>>,
    length: DFF<Bits<16>>,
    code: Signal<Local, Bits<16>>,
    flags: Signal<Local, Bits<16>>,

    mpr: Param<Bits<16>>,
    ack: Param<Bits<16>>,
    ack_cc: Param<Bits<16>>,
    nack: Param<Bits<16>>,
    probe: Param<Bits<16>>,
    response: Param<Bits<16>>,
}

impl Packet {
    /// With the MPR of the receiver, in 128 PSNs.
    pub fn new(mpr: u64) -> Self {
        Self {
            mpr: Param::new(mpr.into()),
            ack: Param::new(ACK.into()),
            ack_cc: Param::new(ACK_CC.into()),
            nack: Param::new(NACK.into()),
            probe: Param::new(PROBE.into()),
            response: Param::new(RESPONSE.into()),
            ..Default::default()
        }
    }
}

impl Logic for Packet {
    #[hdl_gen]
    fn update(&mut self) {
        comment!("ACKs, NACKs and probes of Ultra Ethernet.");
        dff_setup!(self, clk, cack, aligned, offset, base_offset, last, length);
        self.is_nack.next = self.typed.val().is_nack && !self.sack.val().is_probe;
        self.is_short.next = self.typed.val().is_nack || self.sack.val().is_probe;
        self.answers_probe.next = self.typed.val().says == bits::<2>(3);
        self.has_sack.next = self.typed.val().has_sack && !self.is_short.val();
        self.has_response.next =
            self.typed.val().has_response && !self.is_short.val() && (self.typed.val().says == bits::<2>(0));
        self.cack.d.next = self.sack.val().epsn - bits::<32>(1);
        self.aligned.d.next = self.cack.q.val().get_bits::<16>(0);
        if self.typed.val().align == bits::<2>(1) {
            self.aligned.d.next = self.cack.q.val().get_bits::<16>(0) & bits::<16>(0xfffe);
        }
        if self.typed.val().align == bits::<2>(2) {
            self.aligned.d.next = self.cack.q.val().get_bits::<16>(0) & bits::<16>(0xfffc);
        }
        if self.typed.val().align == bits::<2>(3) {
            self.aligned.d.next = self.cack.q.val().get_bits::<16>(0) & bits::<16>(0xfff8);
        }
        self.offset.d.next = self.sack.val().wire_psn.get_bits::<16>(0) - self.cack.q.val().get_bits::<16>(0);
        if self.answers_probe.val() {
            self.offset.d.next = self.sack.val().timestamp;
        }
        if self.typed.val().is_nack {
            self.offset.d.next = bit_cast::<16, 8>(self.typed.val().code) << 8;
        }
        self.base_offset.d.next = self.sack.val().base.get_bits::<16>(0) - self.aligned.q.val();

        comment!("The place of the last word, and the length with UDP's header.");
        self.last.d.next = bits::<5>(20);
        self.length.d.next = bits::<16>(20);
        if self.has_response.val() {
            self.last.d.next = bits::<5>(23);
            self.length.d.next = bits::<16>(32);
        }
        if self.has_sack.val() {
            self.last.d.next = bits::<5>(25);
            self.length.d.next = bits::<16>(40);
            if self.has_response.val() {
                self.last.d.next = bits::<5>(28);
                self.length.d.next = bits::<16>(52);
            }
        }
        if self.is_short.val() {
            self.last.d.next = bits::<5>(21);
            self.length.d.next = bits::<16>(24);
        }
        self.header_end.next = self.last.q.val();
        self.udp_length.next = self.length.q.val();

        comment!("The words.");
        for i in 0..11 {
            self.odd[i].next = bits::<16>(0);
            self.even[i].next = bits::<16>(0);
        }
        self.code.next = self.ack.val();
        if self.has_sack.val() {
            self.code.next = self.ack_cc.val();
        }
        if self.has_response.val() {
            self.code.next = self.ack.val() | self.response.val();
            if self.has_sack.val() {
                self.code.next = self.ack_cc.val() | self.response.val();
            }
        }
        if self.is_nack.val() {
            self.code.next = self.nack.val();
        }
        self.flags.next = (bit_cast::<16, 1>(self.sack.val().ecn.into()) << 5)
            | (bit_cast::<16, 1>(self.sack.val().retransmit.into()) << 4);
        if self.answers_probe.val() {
            self.flags.next = bits::<16>(8);
        }
        self.odd[0].next = self.code.val() | self.flags.val();
        self.even[0].next = self.offset.q.val();
        self.odd[1].next = self.cack.q.val().get_bits::<16>(16);
        self.even[1].next = self.cack.q.val().get_bits::<16>(0);
        self.odd[2].next = self.sack.val().source_pdc;
        self.even[2].next = self.sack.val().conn.get_bits::<16>(0);
        if self.has_sack.val() {
            self.odd[3].next = self.mpr.val();
            self.even[3].next = self.base_offset.q.val();
            self.odd[4].next = self.sack.val().bitmap.get_bits::<16>(48);
            self.even[4].next = self.sack.val().bitmap.get_bits::<16>(32);
            self.odd[5].next = self.sack.val().bitmap.get_bits::<16>(16);
            self.even[5].next = self.sack.val().bitmap.get_bits::<16>(0);
            self.even[6].next = bit_cast::<16, 8>(self.sack.val().bytes_recvd.get_bits::<8>(16));
            self.odd[7].next = self.sack.val().bytes_recvd.get_bits::<16>(0);
            self.even[7].next = bit_cast::<16, 12>(self.sack.val().ooo);
            if self.has_response.val() {
                self.even[8].next = self.sack.val().timestamp;
            }
        } else {
            if self.has_response.val() {
                self.even[3].next = self.sack.val().timestamp;
            }
        }
        if self.is_nack.val() {
            self.odd[1].next = self.sack.val().wire_psn.get_bits::<16>(16);
            self.even[1].next = self.sack.val().wire_psn.get_bits::<16>(0);
            comment!("Where a packet is out of order the payload is the one that is expected.");
            if self.typed.val().code == bits::<8>(13) {
                self.odd[3].next = self.sack.val().epsn.get_bits::<16>(16);
                self.even[3].next = self.sack.val().epsn.get_bits::<16>(0);
            }
        }
        if self.sack.val().is_probe {
            self.odd[0].next = self.probe.val();
            self.even[0].next = self.sack.val().timestamp;
            self.odd[1].next = self.sack.val().psn.get_bits::<16>(16);
            self.even[1].next = self.sack.val().psn.get_bits::<16>(0);
            self.odd[3].next = self.typed.val().from.get_bits::<16>(16);
            self.even[3].next = self.typed.val().from.get_bits::<16>(0);
        }
    }
}
