//! One record a packet.

use respray_hdl_macros::{LogicBlock, Part, hdl_gen};
use rust_hdl::prelude::*;

use super::Udp;
use crate::comment;
use crate::config::Wire;
use crate::prims::{Optional, Param};
use crate::signal_struct;
use crate::wire::{self, TRAILER_BYTES, UDP_BYTES, source_of, sources};

/// What the metadata stream says of a packet. All but `kind` and `error` is 0 unless the packet is the profile's and has no error.
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
    pub source_pdc: Bits<16>,
    pub retransmit: Bit,
    pub ack_ecn: Bit,
    pub ack_probe: Bit,
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

/// What it says besides in profiles that tell their kinds by types.
#[derive(Copy, Clone, Debug, Default, PartialEq, LogicStruct)]
pub struct More {
    /// What a packet of the profile is whose kind is other: 1 a NACK, 2 a control packet, 3 a trimmed packet; else 0.
    pub other: Bits<2>,
    /// Of a trimmed packet: at the last hop.
    pub last_hop: Bit,
    pub packet_type: Bits<5>,
    pub next_header: Bits<4>,
    pub flags: Bits<7>,
    /// Bytes 2 and 3, but of ACKs.
    pub detail: Bits<16>,
    /// The header has the fields from `cc_type` to the bitmap, and the state of congestion control that is read.
    pub has_sack: Bit,
    pub has_state: Bit,
    pub mpr: Bits<8>,
    pub cc: Bits<4>,
    pub pend: Bits<8>,
}

/// What a record is made of, as it stood in the packet.
#[derive(Copy, Clone, Debug, Default, PartialEq, LogicStruct)]
pub struct Body {
    /// The 32 bytes of the profile's header that hold all that is read, the first on top.
    pub header: Bits<256>,
    pub bytes: Bits<16>,
    pub ecn: Bits<2>,
    pub ev: Bits<16>,
}

/// What was found out about the packet.
#[derive(Copy, Clone, Debug, Default, PartialEq, LogicStruct)]
pub struct Mark {
    /// As in the record, but that with types 2 is what is neither data nor an ACK: `error` says what, as `meta_other` does,
    /// and `meta_last_hop` on top.
    pub kind: Bits<2>,
    pub error: Bits<3>,
    /// The header is the profile's longest.
    pub is_long: Bit,
}

signal_struct! {
    /// Where bits lie among those of [`Body`]'s header.
    pub struct Spot {
        /// The lowest of them.
        pub low: Bits<8>,
        /// As many ones as there are.
        pub mask: Bits<32>,
    }
}

/// The first 32-bit word of the header that is read: the one with the first field that a record gives.
fn first_word(wire: Wire) -> usize {
    let given = sources(wire).iter().filter(|source| !source.part.starts_with("meta_kind"));
    given.map(|source| source.offset(wire) / 32).min().expect("a profile has fields")
}

/// Where the source of `part` is by the profile's table, of at most `most` bits; no bits where the profile has none.
///
/// # Panics
/// If the table has it wider, or where it is not read.
pub(super) fn spot(wire: Wire, part: &str, most: usize) -> Param<Spot> {
    let Some(source) = source_of(wire, part) else { return Param::new(Spot::default()) };
    assert!(source.width <= most, "width of {part} in {wire:?}");
    let end = source.offset(wire) - 32 * first_word(wire) + source.width;
    assert!(end <= 256, "{part} of {wire:?} lies beyond the words that are read");
    let mask = u64::MAX >> (64 - source.width);
    Param::new(Spot { low: (256 - end as u64).into(), mask: mask.into() })
}

/// Takes from the captured header what a record is made of.
#[derive(LogicBlock, Default, Part)]
pub struct Collector {
    pub ecn: Signal<In, Bits<2>>,
    pub udp: Signal<In, Udp>,
    /// Halfwords at bytes 4i and 4i + 2 of the profile's header.
    pub at_0: [Signal<In, Bits<16>>; 9],
    pub at_2: [Signal<In, Bits<16>>; 9],
    /// Its header is the profile's longest.
    pub is_long: Signal<In, Bit>,
    /// It is of one of the two lengths between the shortest and the longest.
    pub is_between: [Optional<Signal<In, Bit>>; 2],
    pub body: Signal<Out, Body>,
    /// Data that is a probe, if it is data.
    pub is_probe: Signal<Out, Bit>,

    words: Signal<Local, Bits<256>>,
    unsize: Signal<Local, Bits<16>>,
    found: Signal<Local, Body>,
    starts_at_1: Param<Bit>,
    probe: Param<Spot>,
    /// Bytes of UDP's header, the profile's and a trailer, negative.
    unsizes: [Param<Bits<16>>; 2],
    has_types: Param<bool>,
    unsizes_between: [Param<Bits<16>>; 2],
}

impl Collector {
    /// For the headers of a profile, with a trailer behind the payload or without.
    pub fn new(wire: Wire, has_crc: bool) -> Self {
        let kinds = wire::kinds(wire);
        let first = first_word(wire);
        let beside = UDP_BYTES + if has_crc { TRAILER_BYTES } else { 0 };
        let unsize = |bytes: usize| Param::new((0x1_0000 - (beside + bytes) as u64).into());
        assert!(first <= 1, "what {wire:?} has begins with the first or the second word");
        Self {
            starts_at_1: Param::new(first == 1),
            probe: spot(wire, "meta_kind/probe", 1),
            unsizes: [kinds.shortest(), kinds.longest()].map(unsize),
            is_between: [(); 2].map(|()| Optional::new(kinds.has_types(), Default::default)),
            has_types: Param::new(kinds.has_types()),
            unsizes_between: kinds.between().map(|(bytes, _)| unsize(bytes)),
            ..Default::default()
        }
    }
}

impl Logic for Collector {
    #[hdl_gen]
    fn update(&mut self) {
        comment!("Takes from a header what its record is made of.");
        self.words.next = bits::<256>(0);
        if self.starts_at_1.val() {
            for i in 1..9 {
                self.words.next = (self.words.val() << 32)
                    | (self.at_0[i].val().get_bits::<256>(0) << 16)
                    | self.at_2[i].val().get_bits::<256>(0);
            }
        } else {
            for i in 0..8 {
                self.words.next = (self.words.val() << 32)
                    | (self.at_0[i].val().get_bits::<256>(0) << 16)
                    | self.at_2[i].val().get_bits::<256>(0);
            }
        }
        self.unsize.next = self.unsizes[0].val();
        if self.is_long.val() {
            self.unsize.next = self.unsizes[1].val();
        }
        if self.has_types.val() {
            for k in 0..2 {
                if self.is_between[k].val() {
                    self.unsize.next = self.unsizes_between[k].val();
                }
            }
        }
        self.found.next.header = self.words.val();
        self.found.next.bytes = self.udp.val().length + self.unsize.val();
        self.found.next.ecn = self.ecn.val();
        self.found.next.ev = self.udp.val().source_port;
        self.body.next = self.found.val();
        self.is_probe.next =
            self.words.val().get_bit(self.probe.val().low.index()) && self.probe.val().mask.get_bit(0);
    }
}

/// Puts a record together from what left the queue: of each kind its own part of the header, the others blanked.
#[derive(LogicBlock, Default, Part)]
pub struct Recorder {
    pub mark: Signal<In, Mark>,
    /// 0 for a packet that is not the profile's or has an error.
    pub body: Signal<In, Body>,
    /// The header, 0 unless the packet is data, an ACK, an ACK with the profile's longest header.
    pub data: Signal<In, Bits<256>>,
    pub ack: Signal<In, Bits<256>>,
    pub long: Signal<In, Bits<256>>,
    /// The UDP source port, 0 unless the packet is an ACK.
    pub ack_port: Signal<In, Bits<16>>,
    /// With types: the header, 0 unless the packet is an ACK with a bitmap; then `long` is 0 unless the state that follows is read.
    pub sack: Optional<Signal<In, Bits<256>>>,
    pub record: Signal<Out, Record>,
    pub more: Optional<Signal<Out, More>>,

    bytes_high: Signal<Local, Bits<32>>,
    ooo_high: Signal<Local, Bits<16>>,
    bitmap_high: Signal<Local, Bits<64>>,
    found: Signal<Local, Record>,
    conn: Param<Spot>,
    psn: Param<Spot>,
    timestamp: Param<Spot>,
    ack_request: Param<Spot>,
    source_pdc: Param<Spot>,
    retransmit: Param<Spot>,
    ack_ecn: Param<Spot>,
    ack_probe: Param<Spot>,
    ack_flags: Param<Spot>,
    ack_ev: Param<Spot>,
    /// An ACK's EV stands in its header.
    has_ack_ev: Param<Bit>,
    ack_timestamp: Param<Spot>,
    ack_bytes_high: Param<Spot>,
    ack_bytes: Param<Spot>,
    ack_bytes_shift: Param<Bits<6>>,
    ack_epsn: Param<Spot>,
    ack_offset: Param<Spot>,
    ack_ooo_high: Param<Spot>,
    ack_ooo: Param<Spot>,
    ack_ooo_shift: Param<Bits<6>>,
    ack_base: Param<Spot>,
    ack_bitmap_high: Param<Spot>,
    ack_bitmap: Param<Spot>,
    more_found: Optional<Signal<Local, More>>,
    has_types: Param<bool>,
    packet_type: Param<Spot>,
    next_header: Param<Spot>,
    flags: Param<Spot>,
    detail: Param<Spot>,
    ack_mpr: Param<Spot>,
    ack_cc: Param<Spot>,
    restore: Param<Spot>,
    ack_pend: Param<Spot>,
}

impl Recorder {
    /// For the headers of a profile.
    pub fn new(wire: Wire) -> Self {
        let has_types = wire::kinds(wire).has_types();
        let shift =
            |part| Param::new(source_of(wire, part).map_or(0, |source| source.width as u64 % 32).into());
        Self {
            conn: spot(wire, "meta_conn", 24),
            psn: spot(wire, "meta_psn", 32),
            timestamp: spot(wire, "meta_timestamp", 16),
            ack_request: spot(wire, "meta_ack_request", 1),
            source_pdc: spot(wire, "meta_source_pdc", 16),
            retransmit: spot(wire, "meta_retransmit", 1),
            ack_ecn: spot(wire, "ack_ecn", 1),
            ack_probe: spot(wire, "ack_probe", 1),
            ack_flags: spot(wire, "ack_flags", 2),
            ack_ev: spot(wire, "ack_ev", 16),
            has_ack_ev: Param::new(source_of(wire, "ack_ev").is_some()),
            ack_timestamp: spot(wire, "ack_timestamp", 16),
            ack_bytes_high: spot(wire, "ack_bytes/high", 16),
            ack_bytes: spot(wire, "ack_bytes/low", 32),
            ack_bytes_shift: shift("ack_bytes/low"),
            ack_epsn: spot(wire, "ack_epsn", 32),
            ack_offset: spot(wire, "ack_offset", 16),
            ack_ooo_high: spot(wire, "ack_ooo/high", 8),
            ack_ooo: spot(wire, "ack_ooo/low", 16),
            ack_ooo_shift: shift("ack_ooo/low"),
            ack_base: spot(wire, "ack_base", 32),
            ack_bitmap_high: spot(wire, "ack_bitmap/high", 32),
            ack_bitmap: spot(wire, "ack_bitmap/low", 32),
            sack: Optional::new(has_types, Default::default),
            more: Optional::new(has_types, Default::default),
            more_found: Optional::new(has_types, Default::default),
            has_types: Param::new(has_types),
            packet_type: spot(wire, "meta_type", 5),
            next_header: spot(wire, "meta_next_header", 4),
            flags: spot(wire, "meta_flags", 7),
            detail: spot(wire, "meta_detail", 16),
            ack_mpr: spot(wire, "ack_mpr", 8),
            ack_cc: spot(wire, "ack_cc", 4),
            restore: spot(wire, "ack_pend/restore", 1),
            ack_pend: spot(wire, "ack_pend", 7),
            ..Default::default()
        }
    }
}

impl Logic for Recorder {
    #[hdl_gen]
    fn update(&mut self) {
        comment!("Puts a packet's record together.");
        self.found.next.kind = self.mark.val().kind;
        self.found.next.error = self.mark.val().error;
        self.found.next.bytes = self.body.val().bytes;
        self.found.next.ecn = self.body.val().ecn;
        self.found.next.ev = self.body.val().ev;
        self.found.next.conn = self.body.val().header.get_bits::<24>(self.conn.val().low.index())
            & bit_cast::<24, 32>(self.conn.val().mask);
        comment!("Data.");
        self.found.next.psn =
            self.data.val().get_bits::<32>(self.psn.val().low.index()) & self.psn.val().mask;
        self.found.next.timestamp = self.data.val().get_bits::<16>(self.timestamp.val().low.index())
            & bit_cast::<16, 32>(self.timestamp.val().mask);
        self.found.next.ack_request = self.data.val().get_bit(self.ack_request.val().low.index())
            && self.ack_request.val().mask.get_bit(0);
        self.found.next.source_pdc = self.data.val().get_bits::<16>(self.source_pdc.val().low.index())
            & bit_cast::<16, 32>(self.source_pdc.val().mask);
        self.found.next.retransmit = self.data.val().get_bit(self.retransmit.val().low.index())
            && self.retransmit.val().mask.get_bit(0);
        comment!("ACKs.");
        self.found.next.ack_ecn =
            self.ack.val().get_bit(self.ack_ecn.val().low.index()) && self.ack_ecn.val().mask.get_bit(0);
        self.found.next.ack_probe =
            self.ack.val().get_bit(self.ack_probe.val().low.index()) && self.ack_probe.val().mask.get_bit(0);
        self.found.next.ack_flags = self.ack.val().get_bits::<2>(self.ack_flags.val().low.index())
            & bit_cast::<2, 32>(self.ack_flags.val().mask);
        self.found.next.ack_ev = self.ack_port.val();
        if self.has_ack_ev.val() {
            self.found.next.ack_ev = self.ack.val().get_bits::<16>(self.ack_ev.val().low.index());
        }
        self.found.next.ack_epsn =
            self.ack.val().get_bits::<32>(self.ack_epsn.val().low.index()) & self.ack_epsn.val().mask;
        self.found.next.ack_offset = self.ack.val().get_bits::<16>(self.ack_offset.val().low.index())
            & bit_cast::<16, 32>(self.ack_offset.val().mask);
        comment!("ACKs with the longest header.");
        self.found.next.ack_timestamp = self.long.val().get_bits::<16>(self.ack_timestamp.val().low.index())
            & bit_cast::<16, 32>(self.ack_timestamp.val().mask);
        self.bytes_high.next = bit_cast::<32, 16>(
            self.long.val().get_bits::<16>(self.ack_bytes_high.val().low.index())
                & bit_cast::<16, 32>(self.ack_bytes_high.val().mask),
        );
        self.found.next.ack_bytes = (self.bytes_high.val() << self.ack_bytes_shift.val())
            | (self.long.val().get_bits::<32>(self.ack_bytes.val().low.index()) & self.ack_bytes.val().mask);
        self.ooo_high.next = bit_cast::<16, 8>(
            self.long.val().get_bits::<8>(self.ack_ooo_high.val().low.index())
                & bit_cast::<8, 32>(self.ack_ooo_high.val().mask),
        );
        self.found.next.ack_ooo = (self.ooo_high.val() << self.ack_ooo_shift.val())
            | (self.long.val().get_bits::<16>(self.ack_ooo.val().low.index())
                & bit_cast::<16, 32>(self.ack_ooo.val().mask));
        self.found.next.ack_base =
            self.long.val().get_bits::<32>(self.ack_base.val().low.index()) & self.ack_base.val().mask;
        self.bitmap_high.next = bit_cast::<64, 32>(
            self.long.val().get_bits::<32>(self.ack_bitmap_high.val().low.index())
                & self.ack_bitmap_high.val().mask,
        );
        self.found.next.ack_bitmap = (self.bitmap_high.val() << 32)
            | bit_cast::<64, 32>(
                self.long.val().get_bits::<32>(self.ack_bitmap.val().low.index())
                    & self.ack_bitmap.val().mask,
            );
        if self.has_types.val() {
            comment!(
                "With types: the PDC of the source of all, the bitmap of every ACK that has one, and what else there is."
            );
            self.found.next.source_pdc =
                self.body.val().header.get_bits::<16>(self.source_pdc.val().low.index());
            self.found.next.ack_base =
                bit_cast::<32, 16>(self.sack.val().get_bits::<16>(self.ack_base.val().low.index()));
            self.bitmap_high.next =
                bit_cast::<64, 32>(self.sack.val().get_bits::<32>(self.ack_bitmap_high.val().low.index()));
            self.found.next.ack_bitmap = (self.bitmap_high.val() << 32)
                | bit_cast::<64, 32>(self.sack.val().get_bits::<32>(self.ack_bitmap.val().low.index()));
            self.more_found.next.other = bits::<2>(0);
            self.more_found.next.last_hop = false;
            if self.mark.val().kind == bits::<2>(2) {
                self.more_found.next.other = self.mark.val().error.get_bits::<2>(0);
                self.more_found.next.last_hop = self.mark.val().error.get_bit(2);
                self.found.next.kind = bits::<2>(3);
                self.found.next.error = bits::<3>(0);
            }
            self.more_found.next.packet_type =
                self.body.val().header.get_bits::<5>(self.packet_type.val().low.index());
            self.more_found.next.next_header =
                self.body.val().header.get_bits::<4>(self.next_header.val().low.index());
            self.more_found.next.flags = self.body.val().header.get_bits::<7>(self.flags.val().low.index());
            self.more_found.next.detail = self.data.val().get_bits::<16>(self.detail.val().low.index());
            self.more_found.next.has_sack =
                self.sack.val().get_bits::<5>(self.packet_type.val().low.index()).any();
            self.more_found.next.has_state =
                self.long.val().get_bits::<5>(self.packet_type.val().low.index()).any();
            self.more_found.next.mpr = self.sack.val().get_bits::<8>(self.ack_mpr.val().low.index());
            self.more_found.next.cc = self.sack.val().get_bits::<4>(self.ack_cc.val().low.index());
            self.more_found.next.pend =
                bit_cast::<8, 7>(self.long.val().get_bits::<7>(self.ack_pend.val().low.index()))
                    .replace_bit(7, self.long.val().get_bit(self.restore.val().low.index()));
            self.more.next = self.more_found.val();
        }
        self.record.next = self.found.val();
    }
}
