//! ACKs, NACKs and probes of Ultra Ethernet.

use respray_hdl_macros::{LogicBlock, Part, hdl_gen};
use rust_hdl::prelude::*;

use super::fields::{Sack, Typed};
use crate::comment;
use crate::prims::Param;

/// The first 16 bits of an ACK, of an ACK with a bitmap and state, of one with other state, and of a NACK, but for next header and flags;
/// and of a probe, a control packet 6 that asks for an ACK.
const ACK: u64 = 7 << 11;
const ACK_CC: u64 = 8 << 11;
const ACK_CCX: u64 = 9 << 11;
const NACK: u64 = 10 << 11;
const PROBE: u64 = 11 << 11 | 6 << 7 | 8;
/// A response of 12 bytes is the next header.
const RESPONSE: u64 = 4 << 7;

/// The words of 4 bytes of an ACK, NACK or probe, and how many there are.
///
/// A job's fields hold for more than ten cycles before its header is made, so each step has a cycle of its own and none waits.
///
/// | words | ACK | ACK_CC | ACK_CCX | NACK, probe |
/// |---|---|---|---|---|
/// | 0 to 2 | type, flags, offset; cumulative PSN; PDCs | the same | the same | type, flags, code or opaque; PSN; PDCs |
/// | 3 | | type of state, MPR, offset of the bitmap | the same | payload |
/// | 4 to 7, to 9 | | bitmap, state | bitmap, 16 bytes of 0 | |
/// | three more | default response | default response | default response | |
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
    /// That of IPv4, and UDP's with the protocol added.
    pub ip_length: Signal<Out, Bits<16>>,
    pub pseudo: Signal<Out, Bits<16>>,

    /// What it is: registers, as the job comes late from its queue. An ACK answers a probe; a NACK, and what is as long as one.
    has_sack: DFF<Bit>,
    is_ccx: DFF<Bit>,
    has_response: DFF<Bit>,
    answers_probe: DFF<Bit>,
    is_nack: DFF<Bit>,
    is_short: DFF<Bit>,
    /// The last cumulative PSN, and rounded down as the setting says.
    cack: DFF<Bits<32>>,
    aligned: DFF<Bits<16>>,
    offset: DFF<Bits<16>>,
    base_offset: DFF<Bits<16>>,
    last: DFF<Bits<5>>,
    length: DFF<Bits<16>>,
    with_ip: DFF<Bits<16>>,
    with_protocol: DFF<Bits<16>>,
    kind: Signal<Local, Bits<16>>,
    code: DFF<Bits<16>>,
    flags: Signal<Local, Bits<16>>,

    mpr: Param<Bits<16>>,
    ack: Param<Bits<16>>,
    ack_cc: Param<Bits<16>>,
    ack_ccx: Param<Bits<16>>,
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
            ack_ccx: Param::new(ACK_CCX.into()),
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
        dff_setup!(self, clk, cack, aligned, offset, base_offset, last, length, with_ip, with_protocol);
        dff_setup!(self, clk, has_sack, is_ccx, has_response, answers_probe, is_nack, is_short, code);
        self.is_nack.d.next = self.typed.val().is_nack && !self.sack.val().is_probe;
        self.is_short.d.next = self.typed.val().is_nack || self.sack.val().is_probe;
        self.answers_probe.d.next = self.typed.val().says == bits::<2>(3);
        self.has_sack.d.next =
            self.typed.val().has_sack && !self.typed.val().is_nack && !self.sack.val().is_probe;
        self.is_ccx.d.next = self.typed.val().is_ccx;
        self.has_response.d.next = self.typed.val().has_response
            && !self.typed.val().is_nack
            && !self.sack.val().is_probe
            && (self.typed.val().says == bits::<2>(0));
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
        if self.answers_probe.q.val() {
            self.offset.d.next = self.sack.val().timestamp;
        }
        if self.typed.val().is_nack {
            self.offset.d.next = bit_cast::<16, 8>(self.typed.val().code) << 8;
        }
        self.base_offset.d.next = self.sack.val().base.get_bits::<16>(0) - self.aligned.q.val();

        comment!("The place of the last word, and the length with UDP's header.");
        self.last.d.next = bits::<5>(20);
        self.length.d.next = bits::<16>(20);
        if self.has_response.q.val() {
            self.last.d.next = bits::<5>(23);
            self.length.d.next = bits::<16>(32);
        }
        if self.has_sack.q.val() {
            self.last.d.next = bits::<5>(25);
            self.length.d.next = bits::<16>(40);
            if self.has_response.q.val() {
                self.last.d.next = bits::<5>(28);
                self.length.d.next = bits::<16>(52);
            }
            if self.is_ccx.q.val() {
                self.last.d.next = bits::<5>(27);
                self.length.d.next = bits::<16>(48);
                if self.has_response.q.val() {
                    self.last.d.next = bits::<5>(30);
                    self.length.d.next = bits::<16>(60);
                }
            }
        }
        if self.is_short.q.val() {
            self.last.d.next = bits::<5>(21);
            self.length.d.next = bits::<16>(24);
        }
        self.header_end.next = self.last.q.val();
        self.udp_length.next = self.length.q.val();
        self.with_ip.d.next = self.length.q.val() + bits::<16>(20);
        self.with_protocol.d.next = self.length.q.val() + bits::<16>(17);
        self.ip_length.next = self.with_ip.q.val();
        self.pseudo.next = self.with_protocol.q.val();

        comment!("The words.");
        for i in 0..11 {
            self.odd[i].next = bits::<16>(0);
            self.even[i].next = bits::<16>(0);
        }
        self.kind.next = self.ack.val();
        if self.has_sack.q.val() {
            self.kind.next = self.ack_cc.val();
            if self.is_ccx.q.val() {
                self.kind.next = self.ack_ccx.val();
            }
        }
        self.code.d.next = self.kind.val();
        if self.has_response.q.val() {
            self.code.d.next = self.kind.val() | self.response.val();
        }
        if self.is_nack.q.val() {
            self.code.d.next = self.nack.val();
        }
        self.flags.next = (bit_cast::<16, 1>(self.sack.val().ecn.into()) << 5)
            | (bit_cast::<16, 1>(self.sack.val().retransmit.into()) << 4);
        if self.answers_probe.q.val() {
            self.flags.next = bits::<16>(8);
        }
        self.odd[0].next = self.code.q.val() | self.flags.val();
        self.even[0].next = self.offset.q.val();
        self.odd[1].next = self.cack.q.val().get_bits::<16>(16);
        self.even[1].next = self.cack.q.val().get_bits::<16>(0);
        self.odd[2].next = self.sack.val().source_pdc;
        self.even[2].next = self.sack.val().conn.get_bits::<16>(0);
        if self.has_sack.q.val() {
            self.odd[3].next = self.mpr.val();
            self.even[3].next = self.base_offset.q.val();
            self.odd[4].next = self.sack.val().bitmap.get_bits::<16>(48);
            self.even[4].next = self.sack.val().bitmap.get_bits::<16>(32);
            self.odd[5].next = self.sack.val().bitmap.get_bits::<16>(16);
            self.even[5].next = self.sack.val().bitmap.get_bits::<16>(0);
            if self.is_ccx.q.val() {
                if self.has_response.q.val() {
                    self.even[10].next = self.sack.val().timestamp;
                }
            } else {
                self.even[6].next = bit_cast::<16, 8>(self.sack.val().bytes_recvd.get_bits::<8>(16));
                self.odd[7].next = self.sack.val().bytes_recvd.get_bits::<16>(0);
                self.even[7].next = bit_cast::<16, 12>(self.sack.val().ooo);
                if self.has_response.q.val() {
                    self.even[8].next = self.sack.val().timestamp;
                }
            }
        } else {
            if self.has_response.q.val() {
                self.even[3].next = self.sack.val().timestamp;
            }
        }
        if self.is_nack.q.val() {
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
