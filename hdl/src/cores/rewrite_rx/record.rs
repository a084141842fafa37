//! One record a packet.

use rust_hdl::prelude::*;

use super::{Udp, in_lead};
use crate::config::Wire;
use crate::prims::Param;
use crate::wire::source_of;
use crate::{comment, signal_struct};

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

signal_struct! {
    /// Where bits lie in the header.
    pub struct Spot {
        /// Their 32-bit word.
        pub word: Bits<4>,
        /// The lowest of them in it.
        pub low: Bits<5>,
    }
}

/// Where the source of `part` is by the profile's table. The RTL takes so many bits of it in `strack` and in `uet`, 0 where the
/// profile has no such source.
///
/// # Panics
/// If the table has it in another width.
fn spot(wire: Wire, part: &str, [strack, uet]: [usize; 2]) -> Param<Spot> {
    let width = if wire == Wire::Uet { uet } else { strack };
    let Some(source) = source_of(wire, part) else {
        assert_eq!(width, 0, "{wire:?} has no {part}");
        return Param::new(Spot::default());
    };
    assert_eq!(source.width, width, "width of {part} in {wire:?}");
    let first = source.offset(wire);
    let low = 31 - (first + width - 1) % 32;
    Param::new(Spot { word: (first as u64 / 32).into(), low: (low as u64).into() })
}

/// Register 4: the fields of a record from the captured header.
#[derive(LogicBlock, Default)]
pub struct Recorder {
    pub clk: Signal<In, Clock>,
    pub ecn: Signal<In, Bits<2>>,
    pub udp: Signal<In, Udp>,
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
    is_uet: Param<Bit>,
    /// Of the first halfword, strack.
    opcode: Param<Bits<4>>,
    conn: Param<Spot>,
    psn: Param<Spot>,
    timestamp: Param<Spot>,
    ack_request: Param<Spot>,
    probe_flag: Param<Spot>,
    ack_type: Param<Spot>,
    ack_cc_type: Param<Spot>,
    ack_ecn: Param<Spot>,
    ack_flags: Param<Spot>,
    ack_ev: Param<Spot>,
    ack_timestamp: Param<Spot>,
    ack_bytes_high: Param<Spot>,
    ack_bytes: Param<Spot>,
    ack_epsn: Param<Spot>,
    ack_offset: Param<Spot>,
    ack_ooo_high: Param<Spot>,
    ack_ooo: Param<Spot>,
    ack_base: Param<Spot>,
    ack_bitmap_high: Param<Spot>,
    ack_bitmap: Param<Spot>,
}

impl Recorder {
    /// For the headers of a profile.
    pub fn new(wire: Wire) -> Self {
        Self {
            is_uet: Param::new(wire == Wire::Uet),
            opcode: in_lead(wire, "meta_kind/opcode", 5),
            conn: spot(wire, "meta_conn", [24, 16]),
            psn: spot(wire, "meta_psn", [24, 32]),
            timestamp: spot(wire, "meta_timestamp", [16, 0]),
            ack_request: spot(wire, "meta_ack_request", [1, 1]),
            probe_flag: spot(wire, "meta_kind/probe", [1, 0]),
            ack_type: spot(wire, "meta_kind/ack", [0, 1]),
            ack_cc_type: spot(wire, "meta_kind/ack_cc", [0, 1]),
            ack_ecn: spot(wire, "ack_ecn", [1, 1]),
            ack_flags: spot(wire, "ack_flags", [0, 2]),
            ack_ev: spot(wire, "ack_ev", [16, 0]),
            ack_timestamp: spot(wire, "ack_timestamp", [16, 16]),
            ack_bytes_high: spot(wire, "ack_bytes/high", [0, 8]),
            ack_bytes: spot(wire, "ack_bytes/low", [32, 16]),
            ack_epsn: spot(wire, "ack_epsn", [24, 32]),
            ack_offset: spot(wire, "ack_offset", [0, 16]),
            ack_ooo_high: spot(wire, "ack_ooo/high", [4, 0]),
            ack_ooo: spot(wire, "ack_ooo/low", [8, 16]),
            ack_base: spot(wire, "ack_base", [24, 16]),
            ack_bitmap_high: spot(wire, "ack_bitmap/high", [32, 32]),
            ack_bitmap: spot(wire, "ack_bitmap/low", [32, 32]),
            ..Default::default()
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
        self.found.next.ecn = self.ecn.val();
        self.found.next.ev = self.udp.val().source_port;
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
            self.is_long.next = self.word[self.ack_cc_type.val().word.index()]
                .val()
                .get_bit(self.ack_cc_type.val().low.index());
            self.is_ack.next = self.word[self.ack_cc_type.val().word.index()]
                .val()
                .get_bit(self.ack_cc_type.val().low.index())
                || self.word[self.ack_type.val().word.index()].val().get_bit(self.ack_type.val().low.index());
            self.found.next.conn = bit_cast::<24, 16>(
                self.word[self.conn.val().word.index()].val().get_bits::<16>(self.conn.val().low.index()),
            );
            self.sizes.next = bits::<16>(20);
            if self.is_ack.val() {
                self.found.next.ack_ecn =
                    self.word[self.ack_ecn.val().word.index()].val().get_bit(self.ack_ecn.val().low.index());
                self.found.next.ack_flags = self.word[self.ack_flags.val().word.index()]
                    .val()
                    .get_bits::<2>(self.ack_flags.val().low.index());
                self.found.next.ack_ev = self.udp.val().source_port;
                self.found.next.ack_epsn = self.word[self.ack_epsn.val().word.index()].val();
                self.found.next.ack_offset = self.word[self.ack_offset.val().word.index()]
                    .val()
                    .get_bits::<16>(self.ack_offset.val().low.index());
            } else {
                self.found.next.psn = self.word[self.psn.val().word.index()].val();
                self.found.next.ack_request = self.word[self.ack_request.val().word.index()]
                    .val()
                    .get_bit(self.ack_request.val().low.index());
            }
            if self.is_long.val() {
                self.sizes.next = bits::<16>(40);
                self.found.next.ack_base = bit_cast::<32, 16>(
                    self.word[self.ack_base.val().word.index()]
                        .val()
                        .get_bits::<16>(self.ack_base.val().low.index()),
                );
                self.found.next.ack_bitmap =
                    (bit_cast::<64, 32>(self.word[self.ack_bitmap_high.val().word.index()].val()) << 32)
                        | bit_cast::<64, 32>(self.word[self.ack_bitmap.val().word.index()].val());
                self.found.next.ack_timestamp = self.word[self.ack_timestamp.val().word.index()]
                    .val()
                    .get_bits::<16>(self.ack_timestamp.val().low.index());
                self.found.next.ack_bytes = (bit_cast::<32, 8>(
                    self.word[self.ack_bytes_high.val().word.index()]
                        .val()
                        .get_bits::<8>(self.ack_bytes_high.val().low.index()),
                ) << 16)
                    | bit_cast::<32, 16>(
                        self.word[self.ack_bytes.val().word.index()]
                            .val()
                            .get_bits::<16>(self.ack_bytes.val().low.index()),
                    );
                self.found.next.ack_ooo = self.word[self.ack_ooo.val().word.index()]
                    .val()
                    .get_bits::<16>(self.ack_ooo.val().low.index());
            }
        } else {
            comment!("strack: opcode 0xC1, ACK, or 0xC0, data.");
            self.is_ack.next = self.at_0[0].val().get_bits::<5>(self.opcode.val().index()) == bits::<5>(1);
            self.found.next.conn =
                self.word[self.conn.val().word.index()].val().get_bits::<24>(self.conn.val().low.index());
            self.sizes.next = bits::<16>(24);
            if self.is_ack.val() {
                self.sizes.next = bits::<16>(44);
                self.found.next.ack_ev = self.word[self.ack_ev.val().word.index()]
                    .val()
                    .get_bits::<16>(self.ack_ev.val().low.index());
                self.found.next.ack_timestamp = self.word[self.ack_timestamp.val().word.index()]
                    .val()
                    .get_bits::<16>(self.ack_timestamp.val().low.index());
                self.found.next.ack_bytes = self.word[self.ack_bytes.val().word.index()].val();
                self.found.next.ack_epsn = bit_cast::<32, 24>(
                    self.word[self.ack_epsn.val().word.index()]
                        .val()
                        .get_bits::<24>(self.ack_epsn.val().low.index()),
                );
                self.found.next.ack_ooo = (bit_cast::<16, 4>(
                    self.word[self.ack_ooo_high.val().word.index()]
                        .val()
                        .get_bits::<4>(self.ack_ooo_high.val().low.index()),
                ) << 8)
                    | bit_cast::<16, 8>(
                        self.word[self.ack_ooo.val().word.index()]
                            .val()
                            .get_bits::<8>(self.ack_ooo.val().low.index()),
                    );
                self.found.next.ack_ecn =
                    self.word[self.ack_ecn.val().word.index()].val().get_bit(self.ack_ecn.val().low.index());
                self.found.next.ack_base = bit_cast::<32, 24>(
                    self.word[self.ack_base.val().word.index()]
                        .val()
                        .get_bits::<24>(self.ack_base.val().low.index()),
                );
                self.found.next.ack_bitmap =
                    (bit_cast::<64, 32>(self.word[self.ack_bitmap_high.val().word.index()].val()) << 32)
                        | bit_cast::<64, 32>(self.word[self.ack_bitmap.val().word.index()].val());
            } else {
                self.found.next.psn = bit_cast::<32, 24>(
                    self.word[self.psn.val().word.index()].val().get_bits::<24>(self.psn.val().low.index()),
                );
                self.found.next.ack_request = self.word[self.ack_request.val().word.index()]
                    .val()
                    .get_bit(self.ack_request.val().low.index());
                self.found.next.timestamp = self.word[self.timestamp.val().word.index()]
                    .val()
                    .get_bits::<16>(self.timestamp.val().low.index());
            }
            self.probe.d.next = self.word[self.probe_flag.val().word.index()]
                .val()
                .get_bit(self.probe_flag.val().low.index());
        }
        self.found.next.bytes = self.udp.val().length - self.sizes.val();
        self.held.d.next = self.found.val();
        self.body.next = self.held.q.val();
        self.is_probe.next = self.probe.q.val() && !self.is_uet.val();
    }
}
