//! The halves that do not come from the line: lengths, constants, UDP and the profile's header.

use respray_hdl_macros::{LogicBlock, Part, hdl_gen};
use rust_hdl::prelude::*;

use super::{Choice, Distance, Packet};
use crate::comment;
use crate::config::Wire;
use crate::prims::{Optional, Param};
use crate::wire::{UDP_BYTES, kinds};

/// What a job tells beside its line. What a profile does not name is not read.
#[derive(Copy, Clone, Debug, Default, PartialEq, LogicStruct)]
pub struct Sack {
    pub is_probe: Bit,
    pub ev: Bits<16>,
    pub flow_label: Bit,
    pub psn: Bits<32>,
    pub epsn: Bits<32>,
    pub base: Bits<32>,
    pub bitmap: Bits<64>,
    pub ooo: Bits<12>,
    pub bytes_recvd: Bits<32>,
    pub ecn: Bit,
    pub timestamp: Bits<16>,
    pub probe: Bit,
    pub conn: Bits<24>,
    pub source_pdc: Bits<16>,
    pub wire_psn: Bits<32>,
    pub retransmit: Bit,
    pub ordered: Bit,
}

/// What a job of Ultra Ethernet tells besides.
#[derive(Copy, Clone, Debug, Default, PartialEq, LogicStruct)]
pub struct Typed {
    /// A NACK, and its code; else an ACK.
    pub is_nack: Bit,
    pub code: Bits<8>,
    /// What the ACK repeats: 0 a message ID, 1 nothing, 3 the opaque of a probe.
    pub says: Bits<2>,
    /// Of a probe: where the bitmap is to begin that it asks for.
    pub from: Bits<32>,
    /// Settings: an ACK has a bitmap, and if so is an ACK_CCX; one of a request has a default response; what the offset of a bitmap counts from; the DSCP.
    pub has_sack: Bit,
    pub is_ccx: Bit,
    pub has_response: Bit,
    pub align: Bits<2>,
    pub dscp: Bits<6>,
}

/// IPv4's header, and what UDP's checksum adds to the length for the protocol.
const IPV4_BYTES: u64 = 20;
const PROTOCOL_UDP: u64 = 17;
/// ECT(0), RFC 3168: a mark on a probe says of its path what one on data says.
const ECT0: u64 = 0b10;

/// Gives a pair of halves for a place, a cycle later; halves that the line has are 0.
///
/// Where the UDP checksum will stand is what its pseudo header adds beside the addresses. So the sum of a frame as it is made
/// is that of the checksum, which then takes this place.
#[derive(LogicBlock, Default, Part)]
pub struct Fields {
    pub clk: Signal<In, Clock>,
    pub place: Signal<In, Bits<5>>,
    pub is_ipv6: Signal<In, Bit>,
    /// The type behind the MAC addresses: only a SACK has it from here.
    pub ethertype: Signal<In, Bits<16>>,
    pub udp_port: Signal<In, Bits<16>>,
    pub sack: Signal<In, Sack>,
    pub odd: Signal<Out, Bits<16>>,
    pub even: Signal<Out, Bits<16>>,
    /// Of Ultra Ethernet, and the last place of the header.
    pub typed: Optional<Signal<In, Typed>>,
    pub header_end: Optional<Signal<Out, Bits<5>>>,
    packet: Optional<Packet>,

    distance: Distance,
    odd_choice: Choice,
    even_choice: Choice,
    /// From UDP on, by the lower bits of the place.
    odd_halves: [Signal<Local, Bits<16>>; 16],
    even_halves: [Signal<Local, Bits<16>>; 16],
    udp_length: Signal<Local, Bits<16>>,
    ip_length: Signal<Local, Bits<16>>,
    pseudo: Signal<Local, Bits<16>>,
    ecn: Signal<Local, Bits<16>>,
    flags: Signal<Local, Bits<16>>,
    odd_held: DFF<Bits<16>>,
    even_held: DFF<Bits<16>>,

    is_uet: Param<Bit>,
    has_types: Param<Bit>,
    /// The first 16 bits of a SACK's and of a probe's header but for flags.
    sack_code: Param<Bits<16>>,
    probe_code: Param<Bits<16>>,
    /// UDP's length, that of IPv4, and UDP's with the protocol added: of a SACK, of a probe.
    sack_udp: Param<Bits<16>>,
    probe_udp: Param<Bits<16>>,
    sack_ip: Param<Bits<16>>,
    probe_ip: Param<Bits<16>>,
    sack_pseudo: Param<Bits<16>>,
    probe_pseudo: Param<Bits<16>>,
    ect0: Param<Bits<16>>,
}

impl Fields {
    /// For the headers of a profile; those of Ultra Ethernet with this MPR, in 128 PSNs.
    pub fn new(wire: Wire, mpr: Option<u64>) -> Self {
        let kinds = kinds(wire);
        let (sack, probe) = (kinds.longest(), kinds.data().bytes());
        let plus =
            |header: usize, more: u64| Param::new(Bits::<16>::from((UDP_BYTES + header) as u64 + more));
        Self {
            is_uet: Param::new(wire == Wire::Uet && mpr.is_none()),
            has_types: Param::new(mpr.is_some()),
            typed: Optional::new(mpr.is_some(), Default::default),
            header_end: Optional::new(mpr.is_some(), Default::default),
            packet: Optional::new(mpr.is_some(), || Packet::new(mpr.unwrap_or(0))),
            sack_code: Param::new(kinds.long_code().into()),
            probe_code: Param::new(kinds.data_codes()[0].into()),
            sack_udp: plus(sack, 0),
            probe_udp: plus(probe, 0),
            sack_ip: plus(sack, IPV4_BYTES),
            probe_ip: plus(probe, IPV4_BYTES),
            sack_pseudo: plus(sack, PROTOCOL_UDP),
            probe_pseudo: plus(probe, PROTOCOL_UDP),
            ect0: Param::new(ECT0.into()),
            ..Default::default()
        }
    }
}

impl Logic for Fields {
    #[hdl_gen]
    fn update(&mut self) {
        comment!("Lengths, constants, UDP and the profile's header.");
        dff_setup!(self, clk, odd_held, even_held);
        self.distance.clk.next = self.clk.val();
        self.distance.is_probe.next = self.sack.val().is_probe;
        self.distance.wire_psn.next = self.sack.val().wire_psn;
        self.distance.psn.next = self.sack.val().psn.get_bits::<24>(0);
        self.distance.epsn.next = self.sack.val().epsn.get_bits::<24>(0);
        self.distance.base.next = self.sack.val().base.get_bits::<24>(0);

        self.udp_length.next = self.sack_udp.val();
        self.ip_length.next = self.sack_ip.val();
        self.pseudo.next = self.sack_pseudo.val();
        self.ecn.next = bits::<16>(0);
        if self.sack.val().is_probe {
            self.udp_length.next = self.probe_udp.val();
            self.ip_length.next = self.probe_ip.val();
            self.pseudo.next = self.probe_pseudo.val();
            self.ecn.next = self.ect0.val();
        }
        for i in 0..16 {
            self.odd_halves[i].next = bits::<16>(0);
            self.even_halves[i].next = bits::<16>(0);
        }
        comment!(
            "UDP. In the place of its checksum stand length and protocol of the pseudo header until it is known."
        );
        self.odd_halves[0].next = self.sack.val().ev;
        self.even_halves[0].next = self.udp_port.val();
        self.odd_halves[1].next = self.udp_length.val();
        self.even_halves[1].next = self.pseudo.val();
        self.flags.next = bits::<16>(0);
        if self.has_types.val() {
            comment!("ACK or NACK, of the control class.");
            self.packet.clk.next = self.clk.val();
            self.packet.sack.next = self.sack.val();
            self.packet.typed.next = self.typed.val();
            self.header_end.next = self.packet.header_end.val();
            self.udp_length.next = self.packet.udp_length.val();
            self.ip_length.next = self.packet.ip_length.val();
            self.pseudo.next = self.packet.pseudo.val();
            self.ecn.next = bit_cast::<16, 6>(self.typed.val().dscp) << 2;
            self.odd_halves[1].next = self.udp_length.val();
            self.even_halves[1].next = self.pseudo.val();
            for i in 0..11 {
                self.odd_halves[i + 2].next = self.packet.odd[i].val();
                self.even_halves[i + 2].next = self.packet.even[i].val();
            }
        } else if self.is_uet.val() {
            comment!(
                "Request or ACK_CC. A probe asks for an ACK with the flag by which an ACK says that it answers one."
            );
            self.flags.next = (bit_cast::<16, 1>(self.sack.val().ecn.into()) << 5)
                | (bit_cast::<16, 1>(self.sack.val().retransmit.into()) << 4)
                | (bit_cast::<16, 1>(self.sack.val().probe.into()) << 3);
            self.odd_halves[2].next = self.sack_code.val() | self.flags.val();
            self.even_halves[2].next = self.distance.packet_offset.val();
            self.odd_halves[3].next = self.distance.reached.val().get_bits::<16>(16);
            self.even_halves[3].next = self.distance.reached.val().get_bits::<16>(0);
            self.odd_halves[4].next = self.sack.val().conn.get_bits::<16>(0);
            self.even_halves[4].next = self.sack.val().source_pdc;
            self.even_halves[5].next = self.distance.base_offset.val();
            self.odd_halves[6].next = self.sack.val().bitmap.get_bits::<16>(48);
            self.even_halves[6].next = self.sack.val().bitmap.get_bits::<16>(32);
            self.odd_halves[7].next = self.sack.val().bitmap.get_bits::<16>(16);
            self.even_halves[7].next = self.sack.val().bitmap.get_bits::<16>(0);
            self.even_halves[8].next = bit_cast::<16, 8>(self.sack.val().bytes_recvd.get_bits::<8>(16));
            self.odd_halves[9].next = self.sack.val().bytes_recvd.get_bits::<16>(0);
            self.even_halves[9].next = bit_cast::<16, 12>(self.sack.val().ooo);
            if self.sack.val().is_probe {
                self.odd_halves[2].next = self.probe_code.val()
                    | (bit_cast::<16, 1>(self.sack.val().ordered.into()) << 11)
                    | bits::<16>(8);
                self.even_halves[2].next = bits::<16>(0);
                self.odd_halves[4].next = self.sack.val().source_pdc;
                self.even_halves[4].next = self.sack.val().conn.get_bits::<16>(0);
            }
        } else {
            comment!("Base transport header, and what follows it in a SACK (004 Figure 7) or in data.");
            self.odd_halves[2].next = self.sack_code.val();
            self.even_halves[2].next = bits::<16>(0xffff);
            self.odd_halves[3].next = bit_cast::<16, 8>(self.sack.val().conn.get_bits::<8>(16));
            self.even_halves[3].next = self.sack.val().conn.get_bits::<16>(0);
            self.odd_halves[4].next = bit_cast::<16, 8>(self.sack.val().psn.get_bits::<8>(16));
            self.even_halves[4].next = self.sack.val().psn.get_bits::<16>(0);
            self.odd_halves[5].next = self.sack.val().ev;
            self.even_halves[5].next = self.sack.val().timestamp;
            self.odd_halves[6].next = self.sack.val().bytes_recvd.get_bits::<16>(16);
            self.even_halves[6].next = self.sack.val().bytes_recvd.get_bits::<16>(0);
            self.odd_halves[7].next = self.sack.val().epsn.get_bits::<16>(8);
            self.even_halves[7].next = (bit_cast::<16, 8>(self.sack.val().epsn.get_bits::<8>(0)) << 8)
                | bit_cast::<16, 8>(self.sack.val().ooo.get_bits::<8>(0));
            self.odd_halves[8].next = (bit_cast::<16, 4>(self.sack.val().ooo.get_bits::<4>(8)) << 12)
                | (bit_cast::<16, 1>(self.sack.val().ecn.into()) << 11)
                | (bit_cast::<16, 1>(self.sack.val().probe.into()) << 10)
                | bit_cast::<16, 8>(self.sack.val().base.get_bits::<8>(16));
            self.even_halves[8].next = self.sack.val().base.get_bits::<16>(0);
            self.odd_halves[9].next = self.sack.val().bitmap.get_bits::<16>(48);
            self.even_halves[9].next = self.sack.val().bitmap.get_bits::<16>(32);
            self.odd_halves[10].next = self.sack.val().bitmap.get_bits::<16>(16);
            self.even_halves[10].next = self.sack.val().bitmap.get_bits::<16>(0);
            if self.sack.val().is_probe {
                self.odd_halves[2].next = self.probe_code.val();
                self.odd_halves[4].next =
                    bit_cast::<16, 8>(self.sack.val().psn.get_bits::<8>(16)) | bits::<16>(0x8000);
                self.odd_halves[5].next = self.sack.val().timestamp;
                self.even_halves[5].next = bits::<16>(0x8000);
            }
        }
        for i in 0..16 {
            self.odd_choice.halves[i].next = self.odd_halves[i].val();
            self.even_choice.halves[i].next = self.even_halves[i].val();
        }
        self.odd_choice.at.next = self.place.val().get_bits::<4>(0);
        self.even_choice.at.next = self.place.val().get_bits::<4>(0);

        self.odd_held.d.next = bits::<16>(0);
        self.even_held.d.next = bits::<16>(0);
        if self.place.val().get_bit(4) {
            self.odd_held.d.next = self.odd_choice.chosen.val();
            self.even_held.d.next = self.even_choice.chosen.val();
        }
        if (self.place.val() == bits::<5>(3)) && !self.sack.val().is_probe {
            self.even_held.d.next = self.ethertype.val();
        }
        comment!("IP with ECN. IPv4: identification 0 and DF, RFC 6864; TTL and hop limit 64.");
        if self.place.val() == bits::<5>(6) {
            self.odd_held.d.next = bits::<16>(0x4500) | self.ecn.val();
            self.even_held.d.next = self.ip_length.val();
            if self.is_ipv6.val() {
                self.odd_held.d.next = self.ecn.val() << 4;
                self.even_held.d.next = bits::<16>(0);
                if self.sack.val().is_probe && self.sack.val().flow_label {
                    self.even_held.d.next = self.sack.val().ev;
                }
            }
        }
        if self.place.val() == bits::<5>(7) {
            self.even_held.d.next = bits::<16>(0x4000);
            if self.is_ipv6.val() {
                self.odd_held.d.next = self.udp_length.val();
                self.even_held.d.next = bits::<16>(0x1140);
            }
        }
        if (self.place.val() == bits::<5>(8)) && !self.is_ipv6.val() {
            self.odd_held.d.next = bits::<16>(0x4011);
        }
        self.odd.next = self.odd_held.q.val();
        self.even.next = self.even_held.q.val();
    }
}
