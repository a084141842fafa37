//! One record a packet.

use rust_hdl::prelude::*;

use crate::comment;
use crate::cores::rewrite::Captured;

/// What the metadata stream says of a packet. All but `kind` and `error` is 0 unless the packet is the profile's and sound.
#[derive(Copy, Clone, Debug, Default, PartialEq, LogicStruct)]
pub struct Record {
    /// 0 data, 1 ack, 2 probe, 3 other.
    pub kind: Bits<2>,
    /// 0 none, 1 truncated, 2 bad checksum of the IPv4 header, 3 length mismatch, 4 unsupported.
    pub error: Bits<3>,
    pub conn: Bits<24>,
    pub psn: Bits<32>,
    pub bytes: Bits<16>,
    pub ecn: Bits<2>,
    pub ev: Bits<16>,
    pub timestamp: Bits<16>,
    pub ack_request: Bit,
    pub ack_ecn: Bit,
    pub ack_flags: Bits<2>,
    pub ack_ev: Bits<16>,
    pub ack_timestamp: Bits<16>,
    pub ack_bytes: Bits<32>,
    pub ack_epsn: Bits<32>,
    pub ack_offset: Bits<16>,
    pub ack_ooo: Bits<16>,
    pub ack_base: Bits<32>,
    pub ack_bitmap: Bits<64>,
}

/// The fields of a record but for kind and error.
#[derive(Copy, Clone, Debug, Default, PartialEq, LogicStruct)]
pub struct Body {
    pub conn: Bits<24>,
    pub psn: Bits<32>,
    pub bytes: Bits<16>,
    pub ecn: Bits<2>,
    pub ev: Bits<16>,
    pub timestamp: Bits<16>,
    pub ack_request: Bit,
    pub ack_ecn: Bit,
    pub ack_flags: Bits<2>,
    pub ack_ev: Bits<16>,
    pub ack_timestamp: Bits<16>,
    pub ack_bytes: Bits<32>,
    pub ack_epsn: Bits<32>,
    pub ack_offset: Bits<16>,
    pub ack_ooo: Bits<16>,
    pub ack_base: Bits<32>,
    pub ack_bitmap: Bits<64>,
}

/// Register 4: the fields of a record from the captured header.
#[derive(LogicBlock)]
pub struct Recorder {
    pub clk: Signal<In, Clock>,
    pub captured: Signal<In, Captured>,
    /// Halfwords at bytes 4i and 4i + 2 of the profile's header.
    pub at_0: [Signal<In, Bits<16>>; 9],
    pub at_2: [Signal<In, Bits<16>>; 9],
    pub body: Signal<Out, Body>,
    /// strack: the data packet is a probe.
    pub is_probe: Signal<Out, Bit>,

    word: [Signal<Local, Bits<32>>; 9],
    is_ack: Signal<Local, Bit>,
    is_long: Signal<Local, Bit>,
    sizes: Signal<Local, Bits<16>>,
    found: Signal<Local, Body>,
    held: DFF<Body>,
    probe: DFF<Bit>,
    is_uet: Constant<Bit>,
}

impl Recorder {
    /// For the profile `uet`, or for `strack`.
    pub fn new(is_uet: bool) -> Self {
        Recorder {
            clk: Default::default(),
            captured: Default::default(),
            at_0: Default::default(),
            at_2: Default::default(),
            body: Default::default(),
            is_probe: Default::default(),
            word: Default::default(),
            is_ack: Default::default(),
            is_long: Default::default(),
            sizes: Default::default(),
            found: Default::default(),
            held: Default::default(),
            probe: Default::default(),
            is_uet: Constant::new(is_uet),
        }
    }
}

impl Logic for Recorder {
    #[hdl_gen]
    fn update(&mut self) {
        comment!("Puts a packet's record together.");
        dff_setup!(self, clk, held, probe);
        comment!("The header in 32-bit words.");
        for i in 0..9 {
            self.word[i].next =
                (self.at_0[i].val().get_bits::<32>(0) << 16) | self.at_2[i].val().get_bits::<32>(0);
        }
        self.found.next.ecn = self.captured.val().ecn;
        self.found.next.ev = self.captured.val().source_port;
        self.found.next.conn = bits::<24>(0);
        self.found.next.psn = bits::<32>(0);
        self.found.next.bytes = bits::<16>(0);
        self.found.next.timestamp = bits::<16>(0);
        self.found.next.ack_request = false;
        self.found.next.ack_ecn = false;
        self.found.next.ack_flags = bits::<2>(0);
        self.found.next.ack_ev = bits::<16>(0);
        self.found.next.ack_timestamp = bits::<16>(0);
        self.found.next.ack_bytes = bits::<32>(0);
        self.found.next.ack_epsn = bits::<32>(0);
        self.found.next.ack_offset = bits::<16>(0);
        self.found.next.ack_ooo = bits::<16>(0);
        self.found.next.ack_base = bits::<32>(0);
        self.found.next.ack_bitmap = bits::<64>(0);
        if self.is_uet.val() {
            comment!("uet: request, ACK (types 7 and 8) or ACK_CC (8) by the type on top of the prologue.");
            self.is_long.next = self.word[0].val().get_bit(30);
            self.is_ack.next = self.word[0].val().get_bit(30) || self.word[0].val().get_bit(29);
            self.found.next.conn = bit_cast::<24, 16>(self.word[2].val().get_bits::<16>(0));
            self.sizes.next = bits::<16>(20);
            if self.is_ack.val() {
                self.found.next.ack_ecn = self.word[0].val().get_bit(21);
                self.found.next.ack_flags = self.word[0].val().get_bits::<2>(19);
                self.found.next.ack_ev = self.captured.val().source_port;
                self.found.next.ack_epsn = self.word[1].val();
                self.found.next.ack_offset = self.word[0].val().get_bits::<16>(0);
            } else {
                self.found.next.psn = self.word[1].val();
                self.found.next.ack_request = self.word[0].val().get_bit(19);
            }
            if self.is_long.val() {
                self.sizes.next = bits::<16>(40);
                self.found.next.ack_base = bit_cast::<32, 16>(self.word[3].val().get_bits::<16>(0));
                self.found.next.ack_bitmap =
                    (bit_cast::<64, 32>(self.word[4].val()) << 32) | bit_cast::<64, 32>(self.word[5].val());
                self.found.next.ack_timestamp = self.word[6].val().get_bits::<16>(16);
                self.found.next.ack_bytes = (bit_cast::<32, 8>(self.word[6].val().get_bits::<8>(0)) << 16)
                    | bit_cast::<32, 16>(self.word[7].val().get_bits::<16>(16));
                self.found.next.ack_ooo = self.word[7].val().get_bits::<16>(0);
            }
        } else {
            comment!("strack: opcode 0xC1, ACK, or 0xC0, data.");
            self.is_ack.next = self.captured.val().lead.get_bits::<5>(8) == bits::<5>(1);
            self.found.next.conn = self.word[1].val().get_bits::<24>(0);
            self.sizes.next = bits::<16>(24);
            if self.is_ack.val() {
                self.sizes.next = bits::<16>(44);
                self.found.next.ack_ev = self.word[3].val().get_bits::<16>(16);
                self.found.next.ack_timestamp = self.word[3].val().get_bits::<16>(0);
                self.found.next.ack_bytes = self.word[4].val();
                self.found.next.ack_epsn = bit_cast::<32, 24>(self.word[5].val().get_bits::<24>(8));
                self.found.next.ack_ooo = (bit_cast::<16, 4>(self.word[6].val().get_bits::<4>(28)) << 8)
                    | bit_cast::<16, 8>(self.word[5].val().get_bits::<8>(0));
                self.found.next.ack_ecn = self.word[6].val().get_bit(27);
                self.found.next.ack_base = bit_cast::<32, 24>(self.word[6].val().get_bits::<24>(0));
                self.found.next.ack_bitmap =
                    (bit_cast::<64, 32>(self.word[7].val()) << 32) | bit_cast::<64, 32>(self.word[8].val());
            } else {
                self.found.next.psn = bit_cast::<32, 24>(self.word[2].val().get_bits::<24>(0));
                self.found.next.ack_request = self.word[2].val().get_bit(31);
                self.found.next.timestamp = self.word[3].val().get_bits::<16>(16);
            }
            self.probe.d.next = self.word[3].val().get_bit(15);
        }
        self.found.next.bytes = self.captured.val().udp_length - self.sizes.val();
        self.held.d.next = self.found.val();
        self.body.next = self.held.q.val();
        self.is_probe.next = self.probe.q.val() && !self.is_uet.val();
    }
}
