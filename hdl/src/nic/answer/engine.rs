//! The block: pairs are ordered, made, summed and kept.

use respray_hdl_macros::{LogicBlock, Part, hdl_gen};
use rust_hdl::prelude::*;

use super::order::{PADDING, PADDING_BEHIND_RESPONSE, from_to};
use super::{Buffer, Choice, Fields, Kind, Lines, Order, Sack, Sums, Turn, Typed};
use crate::comment;
use crate::config::Wire;
use crate::cores::rewrite::Halves;
use crate::prims::{Optional, Param};

/// What a job of Ultra Ethernet says besides.
#[derive(Copy, Clone, Debug, Default, PartialEq, LogicStruct)]
pub struct JobTyped {
    pub is_nack: Bit,
    pub code: Bits<8>,
    /// What an ACK repeats in `job_timestamp`: 0 a message ID, 1 nothing, 3 the opaque of a probe.
    pub says: Bits<2>,
    /// Of a probe: where the bitmap is to begin that it asks for.
    pub from: Bits<32>,
}

/// The block. Of [`BusSizes`](crate::cores::sizes::BusSizes) `W` is `data`, `K` `bytes` and `N` `steps`.
#[derive(LogicBlock, Default, Part)]
pub struct Answer<const W: usize, const K: usize, const N: usize> {
    pub clk: Signal<In, Clock>,
    pub rst: Signal<In, Bit>,
    pub udp_port: Signal<In, Bits<16>>,
    /// The line of a SACK that becomes due. Jobs of SACKs come in the order of these.
    pub sack_line_valid: Signal<In, Bit>,
    pub sack_line: Signal<In, Bits<512>>,
    pub job_valid: Signal<In, Bit>,
    pub job_ready: Signal<Out, Bit>,
    pub job_is_probe: Signal<In, Bit>,
    pub job_probe_line: Signal<In, Bits<512>>,
    pub job_ev: Signal<In, Bits<16>>,
    pub job_flow_label: Signal<In, Bit>,
    pub job_psn: Signal<In, Bits<32>>,
    pub job_epsn: Signal<In, Bits<32>>,
    pub job_base: Signal<In, Bits<32>>,
    pub job_bitmap: Signal<In, Bits<64>>,
    pub job_ooo: Signal<In, Bits<12>>,
    pub job_bytes_recvd: Signal<In, Bits<32>>,
    pub job_ecn: Signal<In, Bit>,
    pub job_timestamp: Signal<In, Bits<16>>,
    pub job_probe: Signal<In, Bit>,
    pub job_conn: Signal<In, Bits<24>>,
    pub job_source_pdc: Signal<In, Bits<16>>,
    pub job_wire_psn: Signal<In, Bits<32>>,
    pub job_retransmit: Signal<In, Bit>,
    pub job_ordered: Signal<In, Bit>,
    // Of Ultra Ethernet: what else is answered, and settings.
    pub job_typed: Optional<Signal<In, JobTyped>>,
    pub ack_type: Optional<Signal<In, Bits<4>>>,
    pub ack_response: Optional<Signal<In, Bits<1>>>,
    pub align: Optional<Signal<In, Bits<2>>>,
    pub dscp: Optional<Signal<In, Bits<6>>>,
    typed: Optional<Signal<Local, Typed>>,
    has_types: Param<Bit>,
    pub m_axis_tdata: Signal<Out, Bits<W>>,
    pub m_axis_tkeep: Signal<Out, Bits<K>>,
    pub m_axis_tvalid: Signal<Out, Bit>,
    /// It is 1 in the next cycle.
    pub m_axis_comes: Signal<Out, Bit>,
    pub m_axis_tlast: Signal<Out, Bit>,
    pub m_axis_tready: Signal<In, Bit>,

    order: Order,
    lines: Lines,
    probe_halves: Halves<512, 16>,
    probe_kind: Kind,
    probe_odd: Choice,
    probe_even: Choice,
    fields: Fields,
    sums: Sums,
    buffer: Buffer<W, K, N>,

    sack: Signal<Local, Sack>,
    turn: Signal<Local, Turn>,
    is_ipv6: Signal<Local, Bit>,
    place: Signal<Local, Bits<5>>,
    is_link: Signal<Local, Bit>,
    is_address: Signal<Local, Bit>,
    is_class: Signal<Local, Bit>,
    takes_odd: Signal<Local, Bit>,
    takes_even: Signal<Local, Bit>,
    is_crossed: Signal<Local, Bit>,
    odd_mask: Signal<Local, Bits<16>>,
    /// Register 1, together with that of the memory of lines: what is taken of a probe's line, the bits that are taken of a SACK's,
    /// and which pair it is.
    probe_odd_1: DFF<Bits<16>>,
    probe_even_1: DFF<Bits<16>>,
    odd_from_odd_1: DFF<Bits<16>>,
    odd_from_even_1: DFF<Bits<16>>,
    even_from_odd_1: DFF<Bit>,
    even_from_even_1: DFF<Bit>,
    is_of_ip_1: DFF<Bit>,
    is_of_udp_1: DFF<Bit>,
    has_ip_sum_1: DFF<Bit>,
    has_udp_sum_1: DFF<Bit>,
    is_padded_1: DFF<Bit>,
    turn_1: DFF<Turn>,
    sack_even: Signal<Local, Bits<16>>,
    odd: Signal<Local, Bits<16>>,
    even: Signal<Local, Bits<16>>,
    /// Register 2: the pair.
    odd_2: DFF<Bits<16>>,
    even_2: DFF<Bits<16>>,
    pair_2: DFF<Bits<5>>,
    word_2: DFF<Bits<5>>,
    valid_2: DFF<Bit>,
    last_2: DFF<Bit>,
    is_padded_2: DFF<Bit>,
    is_of_ip_2: DFF<Bit>,
    is_of_udp_2: DFF<Bit>,
    has_ip_sum_2: DFF<Bit>,
    has_udp_sum_2: DFF<Bit>,
    is_first: Signal<Local, Bit>,
    /// The pairs with the checksums of the frame.
    has_ip_sum: DFF<Bit>,
    ip_sum_at: DFF<Bits<5>>,
    udp_sum_at: DFF<Bits<5>>,
    /// One and two cycles behind the last pair.
    last_3: DFF<Bit>,
    last_4: DFF<Bit>,
    /// Places of Ethernet, of MAC addresses, of IP addresses, and of padding.
    link: Param<Bits<32>>,
    mac: Param<Bits<32>>,
    ip4_addresses: Param<Bits<32>>,
    ip6_addresses: Param<Bits<32>>,
    padding: Param<Bits<32>>,
}

impl<const W: usize, const K: usize, const N: usize> Answer<W, K, N> {
    /// The block for a profile; that of Ultra Ethernet with this MPR, in 128 PSNs.
    pub fn new(wire: Wire, mpr: Option<u64>) -> Self {
        let has_types = mpr.is_some();
        let padding = if has_types { PADDING_BEHIND_RESPONSE } else { PADDING };
        Self {
            job_typed: Optional::new(has_types, Default::default),
            ack_type: Optional::new(has_types, Default::default),
            ack_response: Optional::new(has_types, Default::default),
            align: Optional::new(has_types, Default::default),
            dscp: Optional::new(has_types, Default::default),
            typed: Optional::new(has_types, Default::default),
            has_types: Param::new(has_types),
            order: Order::new(wire, has_types),
            lines: Lines::new(),
            probe_halves: Halves::new(),
            fields: Fields::new(wire, mpr),
            buffer: Buffer::new(),
            link: from_to(0, 5),
            mac: from_to(0, 3),
            ip4_addresses: from_to(9, 15),
            ip6_addresses: from_to(8, 15),
            padding: from_to(padding, 31),
            ..Default::default()
        }
    }
}

impl<const W: usize, const K: usize, const N: usize> Logic for Answer<W, K, N> {
    #[hdl_gen]
    fn update(&mut self) {
        comment!("Makes SACKs and probes, a pair of halves a cycle.");
        dff_setup!(self, clk, probe_odd_1, probe_even_1, odd_from_odd_1, odd_from_even_1);
        dff_setup!(self, clk, even_from_odd_1, even_from_even_1, is_of_ip_1, is_of_udp_1, has_ip_sum_1);
        dff_setup!(self, clk, is_padded_1, turn_1, odd_2, even_2, pair_2, word_2, valid_2, last_2);
        dff_setup!(self, clk, is_padded_2, is_of_ip_2, is_of_udp_2, has_ip_sum_2, has_udp_sum_2, has_ip_sum);
        dff_setup!(self, clk, has_udp_sum_1, ip_sum_at, udp_sum_at, last_3, last_4);
        self.lines.clk.next = self.clk.val();
        self.lines.rst.next = self.rst.val();
        self.order.clk.next = self.clk.val();
        self.fields.clk.next = self.clk.val();
        self.sums.clk.next = self.clk.val();
        self.buffer.clk.next = self.clk.val();
        self.order.rst.next = self.rst.val();
        self.buffer.rst.next = self.rst.val();

        self.order.job_valid.next = self.job_valid.val();
        self.order.is_probe.next = self.job_is_probe.val();
        self.order.has_room.next = self.buffer.has_room.val();
        self.order.tags.next = self.lines.link.val().tags;
        self.order.has_ipv6.next = self.lines.link.val().is_ipv6;
        if self.job_is_probe.val() {
            self.order.tags.next = self.probe_kind.tags.val();
            self.order.has_ipv6.next = self.probe_kind.is_ipv6.val();
        }
        self.turn.next = self.order.turn.val();
        self.is_ipv6.next = self.order.is_ipv6.val();
        self.job_ready.next = self.order.job_ready.val();
        self.buffer.claim.next = self.order.job_ready.val();

        self.lines.push.next = self.sack_line_valid.val();
        self.lines.line.next = self.sack_line.val();
        self.lines.pop.next = self.order.job_ready.val() && !self.job_is_probe.val();
        self.lines.odd_at.next = self.order.odd_at.val();
        self.lines.even_at.next = self.order.even_at.val();
        self.probe_halves.data.next = self.job_probe_line.val();
        self.probe_kind.first.next = self.probe_halves.even[3].val();
        self.probe_kind.second.next = self.probe_halves.even[4].val();
        self.probe_kind.third.next = self.probe_halves.even[5].val();
        self.probe_odd.halves[0].next = bits::<16>(0);
        for i in 0..15 {
            self.probe_odd.halves[i + 1].next = self.probe_halves.odd[i].val();
        }
        for i in 0..16 {
            self.probe_even.halves[i].next = self.probe_halves.even[i].val();
        }
        self.probe_odd.at.next = self.order.odd_at.val();
        self.probe_even.at.next = self.order.even_at.val();

        self.sack.next.is_probe = self.job_is_probe.val();
        self.sack.next.ev = self.job_ev.val();
        self.sack.next.flow_label = self.job_flow_label.val();
        self.sack.next.psn = self.job_psn.val();
        self.sack.next.epsn = self.job_epsn.val();
        self.sack.next.base = self.job_base.val();
        self.sack.next.bitmap = self.job_bitmap.val();
        self.sack.next.ooo = self.job_ooo.val();
        self.sack.next.bytes_recvd = self.job_bytes_recvd.val();
        self.sack.next.ecn = self.job_ecn.val();
        self.sack.next.timestamp = self.job_timestamp.val();
        self.sack.next.probe = self.job_probe.val();
        self.sack.next.conn = self.job_conn.val();
        self.sack.next.source_pdc = self.job_source_pdc.val();
        self.sack.next.wire_psn = self.job_wire_psn.val();
        self.sack.next.retransmit = self.job_retransmit.val();
        self.sack.next.ordered = self.job_ordered.val();
        self.fields.sack.next = self.sack.val();
        if self.has_types.val() {
            self.typed.next.is_nack = self.job_typed.val().is_nack;
            self.typed.next.code = self.job_typed.val().code;
            self.typed.next.says = self.job_typed.val().says;
            self.typed.next.from = self.job_typed.val().from;
            self.typed.next.has_sack = self.ack_type.val().get_bit(3);
            self.typed.next.is_ccx = self.ack_type.val().get_bit(0);
            self.typed.next.has_response = self.ack_response.val().get_bit(0);
            self.typed.next.align = self.align.val();
            self.typed.next.dscp = self.dscp.val();
            self.fields.typed.next = self.typed.val();
            self.order.header_end.next = self.fields.header_end.val();
        }
        self.fields.place.next = self.turn.val().place;
        self.fields.is_ipv6.next = self.is_ipv6.val();
        self.fields.ethertype.next = self.lines.link.val().ethertype;
        self.fields.udp_port.next = self.udp_port.val();

        comment!(
            "Register 1: what is taken of the lines. The type behind the MAC addresses is a field of SACKs."
        );
        self.turn_1.d.next = self.turn.val();
        self.place.next = self.turn.val().place;
        self.is_link.next = self.link.val().get_bit(self.place.val().index());
        self.is_class.next = self.place.val() == bits::<5>(6);
        self.is_address.next = self.ip4_addresses.val().get_bit(self.place.val().index())
            || (self.is_ipv6.val() && self.ip6_addresses.val().get_bit(self.place.val().index()));
        self.takes_odd.next = self.is_link.val() || self.is_address.val() || self.is_class.val();
        self.takes_even.next = (self.is_link.val()
            && ((self.place.val() != bits::<5>(3)) || self.job_is_probe.val()))
            || self.is_address.val()
            || (self.is_class.val()
                && self.is_ipv6.val()
                && !(self.job_is_probe.val() && self.job_flow_label.val()));
        comment!("Of the class of service all but ECN is the line's.");
        self.odd_mask.next = bits::<16>(0xffff);
        if self.is_class.val() {
            self.odd_mask.next = bits::<16>(0x00fc);
            if self.is_ipv6.val() {
                self.odd_mask.next = bits::<16>(0xffcf);
            }
        }
        if self.has_types.val() {
            comment!("That of Ultra Ethernet's is the block's own.");
            if self.is_class.val() {
                self.odd_mask.next = bits::<16>(0);
                if self.is_ipv6.val() {
                    self.odd_mask.next = bits::<16>(0xf00f);
                }
            }
        }
        self.probe_odd_1.d.next = self.probe_odd.chosen.val() & self.odd_mask.val();
        if !self.job_is_probe.val() || !self.takes_odd.val() {
            self.probe_odd_1.d.next = bits::<16>(0);
        }
        self.probe_even_1.d.next = self.probe_even.chosen.val();
        if !self.job_is_probe.val() || !self.takes_even.val() {
            self.probe_even_1.d.next = bits::<16>(0);
        }
        comment!("MAC addresses that change places have their halves crossed.");
        self.is_crossed.next = self.mac.val().get_bit(self.place.val().index());
        self.odd_from_odd_1.d.next = self.odd_mask.val();
        self.odd_from_even_1.d.next = self.odd_mask.val();
        if self.job_is_probe.val() || !self.takes_odd.val() || self.is_crossed.val() {
            self.odd_from_odd_1.d.next = bits::<16>(0);
        }
        if self.job_is_probe.val() || !self.takes_odd.val() || !self.is_crossed.val() {
            self.odd_from_even_1.d.next = bits::<16>(0);
        }
        self.even_from_odd_1.d.next =
            !self.job_is_probe.val() && self.takes_even.val() && self.is_crossed.val();
        self.even_from_even_1.d.next =
            !self.job_is_probe.val() && self.takes_even.val() && !self.is_crossed.val();
        self.is_of_ip_1.d.next = !self.is_ipv6.val() && !self.is_link.val() && !self.place.val().get_bit(4);
        self.is_of_udp_1.d.next = self.is_address.val() || self.place.val().get_bit(4);
        self.has_ip_sum_1.d.next = !self.is_ipv6.val() && (self.place.val() == bits::<5>(8));
        self.has_udp_sum_1.d.next = self.place.val() == bits::<5>(17);
        self.is_padded_1.d.next = self.padding.val().get_bit(self.place.val().index());

        comment!("Register 2: what the line gives and what the fields give.");
        self.odd.next = (self.lines.odd.val() & self.odd_from_odd_1.q.val())
            | (self.lines.even.val() & self.odd_from_even_1.q.val())
            | self.probe_odd_1.q.val()
            | self.fields.odd.val();
        self.sack_even.next = bits::<16>(0);
        if self.even_from_odd_1.q.val() {
            self.sack_even.next = self.lines.odd.val();
        }
        if self.even_from_even_1.q.val() {
            self.sack_even.next = self.lines.even.val();
        }
        self.even.next = self.sack_even.val() | self.probe_even_1.q.val() | self.fields.even.val();
        self.odd_2.d.next = self.odd.val();
        self.even_2.d.next = self.even.val();
        self.pair_2.d.next = self.turn_1.q.val().pair;
        self.word_2.d.next = self.turn_1.q.val().pair - bits::<5>(1);
        self.valid_2.d.next = self.turn_1.q.val().valid;
        self.last_2.d.next = self.turn_1.q.val().last;
        self.is_padded_2.d.next = self.is_padded_1.q.val();
        self.is_of_ip_2.d.next = self.is_of_ip_1.q.val();
        self.is_of_udp_2.d.next = self.is_of_udp_1.q.val();
        self.has_ip_sum_2.d.next = self.has_ip_sum_1.q.val();
        self.has_udp_sum_2.d.next = self.has_udp_sum_1.q.val();

        comment!(
            "The pair is written and added up; of the first one only the even half is of the frame, of the last one too, but of padding its odd half."
        );
        self.is_first.next = self.pair_2.q.val() == bits::<5>(0);
        self.sums.odd.next = self.odd.val();
        self.sums.even.next = self.even.val();
        self.sums.first.next = self.valid_2.q.val() && self.is_first.val();
        self.sums.is_of_ip.next = self.valid_2.q.val() && self.is_of_ip_2.q.val();
        self.sums.is_of_udp.next = self.valid_2.q.val() && self.is_of_udp_2.q.val();
        self.sums.is_complete.next = self.last_3.q.val();
        if self.is_first.val() {
            self.has_ip_sum.d.next = false;
        }
        if self.has_ip_sum_2.q.val() {
            self.has_ip_sum.d.next = true;
            self.ip_sum_at.d.next = self.pair_2.q.val();
        }
        if self.has_udp_sum_2.q.val() {
            self.udp_sum_at.d.next = self.pair_2.q.val();
        }
        self.last_3.d.next = self.last_2.q.val();
        self.last_4.d.next = self.last_3.q.val();
        self.buffer.write_odd.next = self.valid_2.q.val() && !self.is_first.val();
        self.buffer.odd_at.next = self.word_2.q.val();
        self.buffer.odd.next = self.odd_2.q.val();
        self.buffer.ends_odd.next = self.last_2.q.val() && self.is_padded_2.q.val();
        self.buffer.ends_even.next = self.last_2.q.val() && !self.is_padded_2.q.val();
        comment!(
            "Behind the last pair the checksums are written over what stood in their places: IPv4's, then UDP's."
        );
        self.buffer.write_even.next =
            self.valid_2.q.val() || (self.last_3.q.val() && self.has_ip_sum.q.val()) || self.last_4.q.val();
        self.buffer.even_at.next = self.pair_2.q.val();
        self.buffer.even.next = self.even_2.q.val();
        if self.last_3.q.val() {
            self.buffer.even_at.next = self.ip_sum_at.q.val();
            self.buffer.even.next = self.sums.checksum.val();
        }
        if self.last_4.q.val() {
            self.buffer.even_at.next = self.udp_sum_at.q.val();
            self.buffer.even.next = self.sums.checksum.val();
        }
        self.buffer.done.next = self.last_4.q.val();
        self.buffer.m_axis_tready.next = self.m_axis_tready.val();
        self.m_axis_tdata.next = self.buffer.m_axis_tdata.val();
        self.m_axis_tkeep.next = self.buffer.m_axis_tkeep.val();
        self.m_axis_tvalid.next = self.buffer.m_axis_tvalid.val();
        self.m_axis_comes.next = self.buffer.m_axis_comes.val();
        self.m_axis_tlast.next = self.buffer.m_axis_tlast.val();
        if self.rst.val() {
            self.turn_1.d.next.valid = false;
            self.turn_1.d.next.last = false;
            self.valid_2.d.next = false;
            self.last_2.d.next = false;
            self.last_3.d.next = false;
            self.last_4.d.next = false;
        }
    }
}
