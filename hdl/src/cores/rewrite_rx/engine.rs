//! The core: a queue of beats beside the parser, and a queue of records.

use respray_hdl_macros::{LogicBlock, Part, hdl_gen};
use rust_hdl::prelude::*;

use super::{Collector, Extent, Header, Mark, Queue, Recorder, Records, Udp};
use crate::comment;
use crate::config::Wire;
use crate::cores::rewrite::crc::{CRC_CYCLES, Crc};
use crate::cores::rewrite::{Classifier, Findings, Halves, HeaderSum, Inlet, IpFields, Place};
use crate::manifest::MemoryKind;
use crate::prims::{Optional, Param};
use crate::wire;

/// Edges from the one that takes a beat to the one at which it can leave.
pub(super) const BEAT_CYCLES: u32 = 2;
/// Edges from the one that takes a packet's last beat to the one at which its record can be taken.
pub(super) const RECORD_CYCLES: u32 = 7;
/// With trailers: edges by which the mark of a record comes later.
pub(super) const LATER_CYCLES: u32 = CRC_CYCLES - 3;
/// Edges with `rst` low until `s_axis_tready` is high.
pub(super) const RESET_CYCLES: u32 = 2;

/// The `rewrite_rx` core. Its sizes are fields of [`BusSizes`](crate::cores::sizes::BusSizes).
#[derive(LogicBlock, Default, Part)]
pub struct RewriteRx<
    const DATA: usize,
    const BYTES: usize,
    const STEPS: usize,
    const BEAT_NUMBER: usize,
    const BEAT: usize,
> {
    pub clk: Signal<In, Clock>,
    pub rst: Signal<In, Bit>,
    pub s_axis_tdata: Signal<In, Bits<DATA>>,
    pub s_axis_tkeep: Signal<In, Bits<BYTES>>,
    pub s_axis_tvalid: Signal<In, Bit>,
    pub s_axis_tlast: Signal<In, Bit>,
    pub s_axis_tuser: Signal<In, Bits<1>>,
    pub s_axis_tready: Signal<Out, Bit>,
    pub udp_port: Signal<In, Bits<16>>,
    pub ip_proto: Optional<Signal<In, Bits<8>>>,
    pub dscp_trimmed: Optional<Signal<In, Bits<6>>>,
    pub dscp_trimmed_last: Optional<Signal<In, Bits<6>>>,
    pub m_axis_tdata: Signal<Out, Bits<DATA>>,
    pub m_axis_tkeep: Signal<Out, Bits<BYTES>>,
    pub m_axis_tvalid: Signal<Out, Bit>,
    pub m_axis_tlast: Signal<Out, Bit>,
    pub m_axis_tuser: Signal<Out, Bits<1>>,
    pub m_axis_tready: Signal<In, Bit>,
    pub meta_valid: Signal<Out, Bit>,
    pub meta_ready: Signal<In, Bit>,
    pub meta_kind: Signal<Out, Bits<2>>,
    pub meta_error: Signal<Out, Bits<3>>,
    pub meta_conn: Signal<Out, Bits<24>>,
    pub meta_psn: Signal<Out, Bits<32>>,
    pub meta_bytes: Signal<Out, Bits<16>>,
    pub meta_ecn: Signal<Out, Bits<2>>,
    pub meta_ev: Signal<Out, Bits<16>>,
    pub meta_timestamp: Signal<Out, Bits<16>>,
    pub meta_ack_request: Signal<Out, Bit>,
    pub meta_source_pdc: Signal<Out, Bits<16>>,
    pub meta_retransmit: Signal<Out, Bit>,
    pub meta_other: Optional<Signal<Out, Bits<2>>>,
    pub meta_last_hop: Optional<Signal<Out, Bit>>,
    pub meta_type: Optional<Signal<Out, Bits<5>>>,
    pub meta_next_header: Optional<Signal<Out, Bits<4>>>,
    pub meta_flags: Optional<Signal<Out, Bits<7>>>,
    pub meta_detail: Optional<Signal<Out, Bits<16>>>,
    pub meta_message: Optional<Signal<Out, Bits<16>>>,
    pub meta_payload: Optional<Signal<Out, Bits<32>>>,
    pub ack_ecn: Signal<Out, Bit>,
    pub ack_probe: Signal<Out, Bit>,
    pub ack_flags: Signal<Out, Bits<2>>,
    pub ack_ev: Signal<Out, Bits<16>>,
    pub ack_timestamp: Signal<Out, Bits<16>>,
    pub ack_bytes: Signal<Out, Bits<32>>,
    pub ack_epsn: Signal<Out, Bits<32>>,
    pub ack_offset: Signal<Out, Bits<16>>,
    pub ack_ooo: Signal<Out, Bits<16>>,
    pub ack_base: Signal<Out, Bits<32>>,
    pub ack_bitmap: Signal<Out, Bits<64>>,
    pub ack_has_sack: Optional<Signal<Out, Bit>>,
    pub ack_has_state: Optional<Signal<Out, Bit>>,
    pub ack_mpr: Optional<Signal<Out, Bits<8>>>,
    pub ack_cc: Optional<Signal<Out, Bits<4>>>,
    pub ack_pend: Optional<Signal<Out, Bits<8>>>,
    pub pkt_data: Signal<Out, Bit>,
    pub pkt_ack: Signal<Out, Bit>,
    pub pkt_probe: Signal<Out, Bit>,
    pub pkt_other: Signal<Out, Bit>,
    pub pkt_malformed: Signal<Out, Bit>,

    inlet: Inlet<DATA, BYTES, STEPS, BEAT_NUMBER>,
    extent: Extent<DATA>,
    halves: Halves<DATA, STEPS>,
    header_sum: HeaderSum<STEPS>,
    ip_fields: IpFields,
    header: Header<DATA>,
    classifier: Classifier<17, 18>,
    collector: Collector,
    beats: Queue<Bits<BEAT>>,
    records: Records,
    recorder: Recorder,
    crc: Optional<Crc<DATA, BYTES, STEPS>>,

    push: Signal<Local, Bit>,
    marked_keep: Signal<Local, Bits<BYTES>>,
    kept: Signal<Local, Bits<BYTES>>,
    place_2: DFF<Place>,
    is_ip4_3: DFF<Bit>,
    second_3: DFF<Bits<8>>,
    first_3: Optional<DFF<Bits<4>>>,
    dscp: Optional<Signal<Local, Bits<6>>>,
    /// By a switch, by one at the last hop.
    is_trimmed: [Optional<Signal<Local, Bit>>; 2],
    last_hop_4: Optional<DFF<Bit>>,
    /// The profile's header stands behind an entropy header; the protocol that carries it.
    is_entropy: Optional<Signal<Local, Bit>>,
    protocol: Optional<Signal<Local, Bits<8>>>,
    sum_place: Optional<Signal<Local, Place>>,
    /// What the entropy header says, as UDP would.
    carried: Optional<Signal<Local, Udp>>,
    ecn: Signal<Local, Bits<2>>,
    judge_2: DFF<Bit>,
    judge_3: DFF<Bit>,
    judge_4: DFF<Bit>,
    judge_5: DFF<Bit>,
    probe_4: DFF<Bit>,
    found: Signal<Local, Findings>,
    answer: Signal<Local, Mark>,
    mark_5: DFF<Mark>,
    checked_5: DFF<Bit>,
    is_bad_sum: Signal<Local, Bit>,
    mark: Signal<Local, Mark>,
    /// With trailers: what was found out on its way to register 11, when the latest trailer is known to be right or
    /// not. `judge_5` is beside the mark then.
    judge_later: Optional<DFF<Bits<6>>>,
    early_mark: Optional<Signal<Local, Mark>>,
    mark_later: [Optional<DFF<Mark>>; 6],
    late_mark: Optional<Signal<Local, Mark>>,
    has_trailer: Optional<Signal<Local, Bit>>,
    is_right: Optional<DFF<Bit>>,
    data: DFF<Bit>,
    ack: DFF<Bit>,
    probe: DFF<Bit>,
    other: DFF<Bit>,
    malformed: DFF<Bit>,
    at_keep: Param<Bits<10>>,
    at_user: Param<Bits<10>>,
    /// The profile tells its kinds by types.
    has_types: Param<bool>,
    has_crc: Param<bool>,
}

impl<const DATA: usize, const BYTES: usize, const STEPS: usize, const BEAT_NUMBER: usize, const BEAT: usize>
    RewriteRx<DATA, BYTES, STEPS, BEAT_NUMBER, BEAT>
{
    /// The core for a profile, with trailers or without.
    pub fn new(wire: Wire, kind: MemoryKind, has_crc: bool) -> Self {
        let has_types = wire::kinds(wire).has_types();
        Self {
            classifier: Classifier::new(wire, true, has_types, has_crc),
            crc: Optional::new(has_crc, || Crc::new(false)),
            judge_later: Optional::new(has_crc, Default::default),
            mark_later: [(); 6].map(|()| Optional::new(has_crc, Default::default)),
            is_right: Optional::new(has_crc, Default::default),
            early_mark: Optional::new(has_crc, Default::default),
            late_mark: Optional::new(has_crc, Default::default),
            has_trailer: Optional::new(has_crc, Default::default),
            has_crc: Param::new(has_crc),
            ip_proto: Optional::new(has_types, Default::default),
            is_entropy: Optional::new(has_types, Default::default),
            protocol: Optional::new(has_types, Default::default),
            sum_place: Optional::new(has_types, Default::default),
            carried: Optional::new(has_types, Default::default),
            collector: Collector::new(wire, has_crc),
            recorder: Recorder::new(wire),
            beats: Queue::new("beat_memory", "beats between the input and the output", kind, 24),
            records: Records::new(wire),
            dscp_trimmed: Optional::new(has_types, Default::default),
            dscp_trimmed_last: Optional::new(has_types, Default::default),
            first_3: Optional::new(has_types, Default::default),
            dscp: Optional::new(has_types, Default::default),
            is_trimmed: [(); 2].map(|()| Optional::new(has_types, Default::default)),
            last_hop_4: Optional::new(has_types, Default::default),
            meta_other: Optional::new(has_types, Default::default),
            meta_last_hop: Optional::new(has_types, Default::default),
            meta_type: Optional::new(has_types, Default::default),
            meta_next_header: Optional::new(has_types, Default::default),
            meta_flags: Optional::new(has_types, Default::default),
            meta_detail: Optional::new(has_types, Default::default),
            meta_message: Optional::new(has_types, Default::default),
            meta_payload: Optional::new(has_types, Default::default),
            ack_has_sack: Optional::new(has_types, Default::default),
            ack_has_state: Optional::new(has_types, Default::default),
            ack_mpr: Optional::new(has_types, Default::default),
            ack_cc: Optional::new(has_types, Default::default),
            ack_pend: Optional::new(has_types, Default::default),
            has_types: Param::new(has_types),
            at_keep: Param::new((DATA as u64).into()),
            at_user: Param::new(((DATA + BYTES) as u64).into()),
            inlet: Inlet::new(has_types),
            extent: Extent::new(),
            header_sum: HeaderSum::new(),
            halves: Halves::new(),
            ip_fields: IpFields::new(has_types, has_types, has_crc),
            header: Header::new(has_types),
            ..Default::default()
        }
    }
}

impl<const DATA: usize, const BYTES: usize, const STEPS: usize, const BEAT_NUMBER: usize, const BEAT: usize>
    Logic for RewriteRx<DATA, BYTES, STEPS, BEAT_NUMBER, BEAT>
{
    #[hdl_gen]
    fn update(&mut self) {
        comment!("Reads the packets of a stream and passes them on untouched.");
        dff_setup!(self, clk, place_2, is_ip4_3, second_3, judge_2, judge_3, judge_4, judge_5, probe_4);
        dff_setup!(self, clk, mark_5, checked_5, data, ack, probe, other, malformed);
        self.inlet.clk.next = self.clk.val();
        self.extent.clk.next = self.clk.val();
        self.header_sum.clk.next = self.clk.val();
        self.ip_fields.clk.next = self.clk.val();
        self.header.clk.next = self.clk.val();
        self.classifier.clk.next = self.clk.val();
        self.beats.clk.next = self.clk.val();
        self.records.clk.next = self.clk.val();
        self.inlet.rst.next = self.rst.val();
        self.header_sum.rst.next = self.rst.val();
        self.beats.rst.next = self.rst.val();
        self.records.rst.next = self.rst.val();
        comment!(
            "A beat goes into the queue and into the parser. A kept beat's first byte is there, so its place tells the last beat."
        );
        self.s_axis_tready.next = self.beats.ready.val();
        self.push.next = self.s_axis_tvalid.val() && self.beats.ready.val();
        self.marked_keep.next = self.s_axis_tkeep.val().replace_bit(0, self.s_axis_tlast.val());
        self.beats.push.next = self.push.val();
        self.beats.is_held_up.next = !self.records.ready.val();
        self.beats.item.next = bit_cast::<BEAT, DATA>(self.s_axis_tdata.val())
            | (bit_cast::<BEAT, BYTES>(self.marked_keep.val()) << self.at_keep.val())
            | (bit_cast::<BEAT, 1>(self.s_axis_tuser.val()) << self.at_user.val());
        self.inlet.push.next = self.push.val();
        self.inlet.data.next = self.s_axis_tdata.val();
        self.inlet.keep.next = self.s_axis_tkeep.val();
        self.inlet.last.next = self.s_axis_tlast.val();
        self.extent.push.next = self.push.val();
        self.extent.at_first.next = self.inlet.at_first.val();
        self.extent.last_byte.next = self.inlet.last_byte.val();
        comment!("Register 1 feeds the sum of the IPv4 header and the captures of fields.");
        self.halves.data.next = self.inlet.word.val();
        self.header_sum.push.next = self.push.val();
        self.header_sum.valid.next = self.inlet.valid.val();
        self.header_sum.first.next = self.inlet.first.val();
        self.header_sum.place.next = self.inlet.place.val();
        self.ip_fields.valid.next = self.inlet.valid.val();
        self.ip_fields.place.next = self.inlet.place.val();
        self.header.valid.next = self.inlet.valid.val();
        self.header.place.next = self.inlet.place.val();
        if self.has_types.val() {
            comment!(
                "What an entropy header carries is read as if UDP began 4 bytes earlier; what is summed up ends where it ends."
            );
            self.is_entropy.next = self.ip_proto.val().any();
            self.protocol.next = self.ip_proto.val();
            if !self.is_entropy.val() {
                self.protocol.next = bits::<8>(17);
            }
            self.inlet.is_entropy.next = self.is_entropy.val();
            self.ip_fields.is_entropy.next = self.is_entropy.val();
            self.ip_fields.protocol.next = self.protocol.val();
            self.classifier.is_entropy.next = self.is_entropy.val();
            self.sum_place.next = self.inlet.place.val();
            self.sum_place.next.ahead = self.inlet.place.val().ahead + self.is_entropy.val();
            self.header_sum.place.next = self.sum_place.val();
        }
        for i in 0..16 {
            self.header_sum.even[i].next = self.halves.even[i].val();
            self.header_sum.odd[i].next = self.halves.odd[i].val();
            self.ip_fields.even[i].next = self.halves.even[i].val();
            self.ip_fields.odd[i].next = self.halves.odd[i].val();
            self.header.even[i].next = self.halves.even[i].val();
            self.header.odd[i].next = self.halves.odd[i].val();
        }
        comment!("The first beat that waits is at the output. A kept beat's first byte is there.");
        self.kept.next = self.beats.head.val().get_bits::<BYTES>(self.at_keep.val().index());
        self.beats.pop.next = self.beats.valid.val() && self.m_axis_tready.val();
        self.m_axis_tvalid.next = self.beats.valid.val();
        self.m_axis_tdata.next = self.beats.head.val().get_bits::<DATA>(0);
        self.m_axis_tkeep.next = self.kept.val().replace_bit(0, true);
        self.m_axis_tlast.next = self.beats.valid.val() && self.kept.val().get_bit(0);
        self.m_axis_tuser.next = self.beats.head.val().get_bits::<1>(self.at_user.val().index());
        comment!(
            "A frame is judged at its end. Register 3 holds the fields, register 4 what the tests found."
        );
        self.place_2.d.next = self.inlet.place.val();
        self.is_ip4_3.d.next = self.place_2.q.val().is_ip4;
        self.second_3.d.next = self.ip_fields.second.val();
        self.judge_2.d.next = self.inlet.valid.val() && self.inlet.is_last.val();
        self.judge_3.d.next = self.judge_2.q.val();
        self.judge_4.d.next = self.judge_3.q.val();
        if self.has_crc.val() {
            self.judge_later.clock.next = self.clk.val();
            self.judge_later.d.next = (self.judge_later.q.val() << 1)
                | bit_cast::<6, 1>(bits::<1>(0).replace_bit(0, self.judge_4.q.val()));
            self.judge_5.d.next = self.judge_later.q.val().get_bit(5);
        } else {
            self.judge_5.d.next = self.judge_4.q.val();
        }
        self.classifier.last.next = self.inlet.is_last.val();
        self.classifier.last_index.next = self.extent.last_index.val();
        self.classifier.place_2.next = self.place_2.q.val();
        self.classifier.is_ip4.next = self.is_ip4_3.q.val();
        self.classifier.ip.next = self.ip_fields.ip.val();
        self.classifier.is_ours.next = self.header.udp.val().destination_port == self.udp_port.val();
        self.classifier.is_contradiction.next =
            bit_cast::<17, 16>(self.header.udp.val().length) != self.classifier.agreed.val();
        self.classifier.lead.next = self.header.at_0[0].val();
        if self.has_types.val() {
            comment!("A packet that was trimmed is told by its DSCP, and its UDP length is the old one.");
            self.first_3.clock.next = self.clk.val();
            self.first_3.d.next = self.ip_fields.first.val();
            self.dscp.next = (bit_cast::<6, 4>(self.first_3.q.val()) << 2)
                | bit_cast::<6, 2>(self.second_3.q.val().get_bits::<2>(6));
            if self.is_ip4_3.q.val() {
                self.dscp.next = self.second_3.q.val().get_bits::<6>(2);
            }
            self.is_trimmed[0].next =
                self.dscp_trimmed.val().any() && (self.dscp.val() == self.dscp_trimmed.val());
            self.is_trimmed[1].next =
                self.dscp_trimmed_last.val().any() && (self.dscp.val() == self.dscp_trimmed_last.val());
            self.last_hop_4.clock.next = self.clk.val();
            self.last_hop_4.d.next = self.is_trimmed[1].val();
            self.classifier.is_trimmed.next = self.is_trimmed[0].val() || self.is_trimmed[1].val();
            self.classifier.is_contradiction.next = !self.is_trimmed[0].val()
                && !self.is_trimmed[1].val()
                && (bit_cast::<17, 16>(self.header.udp.val().length) != self.classifier.agreed.val());
            if self.is_entropy.val() {
                self.classifier.is_ours.next = true;
                self.classifier.is_contradiction.next = false;
            }
        }
        comment!("What the record is made of waits in the queue for what was found.");
        self.ecn.next = self.second_3.q.val().get_bits::<2>(4);
        if self.is_ip4_3.q.val() {
            self.ecn.next = self.second_3.q.val().get_bits::<2>(0);
        }
        self.collector.ecn.next = self.ecn.val();
        self.collector.udp.next = self.header.udp.val();
        self.collector.is_long.next = self.classifier.is_long_3.val();
        if self.has_types.val() {
            comment!("An entropy header has its EV in the place of UDP's length, which IP says.");
            self.carried.next = self.header.udp.val();
            if self.is_entropy.val() {
                self.carried.next.source_port = self.header.udp.val().length;
                self.carried.next.length = self.classifier.agreed.val().get_bits::<16>(0);
            }
            self.collector.udp.next = self.carried.val();
            for k in 0..2 {
                self.collector.is_between[k].next = self.classifier.is_between_3[k].val();
            }
        }
        for i in 0..9 {
            self.collector.at_0[i].next = self.header.at_0[i].val();
            self.collector.at_2[i].next = self.header.at_2[i].val();
        }
        self.records.push_body.next = self.judge_3.q.val();
        self.records.body.next = self.collector.body.val();
        self.probe_4.d.next = self.collector.is_probe.val();
        comment!("Register 5: the first rule that fires decides, the checksum aside.");
        self.found.next = self.classifier.findings.val();
        self.answer.next.kind = bits::<2>(3);
        self.answer.next.error = bits::<3>(0);
        self.answer.next.is_long = self.found.val().is_long;
        if self.found.val().is_early {
            self.answer.next.error = bits::<3>(1);
        } else if self.found.val().is_unsupported {
            self.answer.next.error = bits::<3>(4);
        } else if self.found.val().is_cut_in_udp {
            self.answer.next.error = bits::<3>(1);
        } else if self.found.val().is_ours {
            if self.found.val().is_contradiction {
                self.answer.next.error = bits::<3>(3);
            } else if self.found.val().is_cut_in_lead {
                self.answer.next.error = bits::<3>(1);
            } else if self.found.val().is_data || self.found.val().is_ack {
                if self.found.val().is_short {
                    self.answer.next.error = bits::<3>(3);
                } else if self.found.val().is_cut {
                    self.answer.next.error = bits::<3>(1);
                } else if self.found.val().is_wrong_length {
                    self.answer.next.error = bits::<3>(3);
                } else if self.found.val().is_ack {
                    self.answer.next.kind = bits::<2>(1);
                } else {
                    comment!("Data, or a probe where the profile has probes.");
                    self.answer.next.kind = bits::<2>(0).replace_bit(1, self.probe_4.q.val());
                    if self.has_types.val() {
                        comment!("What the rules took for data is what its type says.");
                        if self.classifier.other.val().any() {
                            self.answer.next.kind = bits::<2>(2);
                            self.answer.next.error = bit_cast::<3, 2>(self.classifier.other.val());
                            if self.classifier.other.val() == bits::<2>(3) {
                                self.answer.next.error = bits::<3>(3).replace_bit(2, self.last_hop_4.q.val());
                            }
                        }
                    }
                }
            } else if self.has_types.val() {
                comment!("A header that contradicts itself is of no kind.");
                if self.classifier.contradicts.val() {
                    self.answer.next.error = bits::<3>(5);
                }
            }
        }
        self.mark_5.d.next = self.answer.val();
        self.checked_5.d.next =
            self.found.val().is_ip4 && !self.found.val().is_early && !self.found.val().is_unsupported;
        comment!("The checksum.");
        self.is_bad_sum.next = self.checked_5.q.val() && !self.header_sum.is_checksum_right.val();
        if self.has_crc.val() {
            comment!(
                "The mark waits for what is known of the trailer in register 11. A packet of the profile has a trailer,"
            );
            comment!("unless it was trimmed.");
            self.crc.clk.next = self.clk.val();
            self.crc.rst.next = self.rst.val();
            self.crc.push.next = self.push.val();
            self.crc.keep.next = self.s_axis_tkeep.val();
            self.crc.valid.next = self.inlet.valid.val();
            self.crc.first.next = self.inlet.first.val();
            self.crc.last.next = self.inlet.is_last.val();
            self.crc.last_byte.next = self.inlet.last_byte.val();
            self.crc.word.next = self.inlet.word.val();
            self.crc.place.next = self.inlet.place.val();
            self.crc.length.next = self.ip_fields.length_2.val();
            self.crc.place_2.next = self.place_2.q.val();
            self.is_right.clock.next = self.clk.val();
            self.is_right.d.next = self.is_right.q.val();
            if self.crc.ends.val() {
                self.is_right.d.next = self.crc.due.val() == self.crc.has.val();
            }
            self.early_mark.next = self.mark_5.q.val();
            if self.is_bad_sum.val() {
                self.early_mark.next.kind = bits::<2>(3);
                self.early_mark.next.error = bits::<3>(2);
            }
            for i in 0..6 {
                self.mark_later[i].clock.next = self.clk.val();
            }
            self.mark_later[0].d.next = self.early_mark.val();
            for i in 1..6 {
                self.mark_later[i].d.next = self.mark_later[i - 1].q.val();
            }
            self.late_mark.next = self.mark_later[5].q.val();
            self.has_trailer.next = !self.late_mark.val().kind.get_bit(1)
                || (!self.late_mark.val().kind.get_bit(0)
                    && (self.late_mark.val().error.get_bits::<2>(0) != bits::<2>(3)));
            self.mark.next = self.late_mark.val();
            if self.has_trailer.val() && !self.is_right.q.val() {
                self.mark.next.kind = bits::<2>(3);
                self.mark.next.error = bits::<3>(6);
            }
        } else {
            self.mark.next = self.mark_5.q.val();
            if self.is_bad_sum.val() {
                self.mark.next.kind = bits::<2>(3);
                self.mark.next.error = bits::<3>(2);
            }
        }
        self.records.push.next = self.judge_5.q.val();
        self.records.mark.next = self.mark.val();
        self.data.d.next = self.judge_5.q.val() && (self.mark.val().kind == bits::<2>(0));
        self.ack.d.next = self.judge_5.q.val() && (self.mark.val().kind == bits::<2>(1));
        self.probe.d.next = self.judge_5.q.val() && (self.mark.val().kind == bits::<2>(2));
        self.other.d.next = self.judge_5.q.val() && (self.mark.val().kind == bits::<2>(3));
        self.malformed.d.next = self.judge_5.q.val()
            && (self.mark.val().error != bits::<3>(0))
            && (self.mark.val().error != bits::<3>(4));
        if self.has_types.val() {
            self.probe.d.next = false;
            self.other.d.next = self.judge_5.q.val() && self.mark.val().kind.get_bit(1);
            if self.mark.val().kind == bits::<2>(2) {
                self.malformed.d.next = false;
            }
        }
        self.meta_valid.next = self.records.valid.val();
        self.records.pop.next = self.records.valid.val() && self.meta_ready.val();
        self.recorder.mark.next = self.records.mark_out.val();
        self.recorder.body.next = self.records.body_out.val();
        self.recorder.data.next = self.records.data_out.val();
        self.recorder.ack.next = self.records.ack_out.val();
        self.recorder.long.next = self.records.long_out.val();
        self.recorder.ack_port.next = self.records.ack_port_out.val();
        self.meta_kind.next = self.recorder.record.val().kind;
        self.meta_error.next = self.recorder.record.val().error;
        self.meta_conn.next = self.recorder.record.val().conn;
        self.meta_psn.next = self.recorder.record.val().psn;
        self.meta_bytes.next = self.recorder.record.val().bytes;
        self.meta_ecn.next = self.recorder.record.val().ecn;
        self.meta_ev.next = self.recorder.record.val().ev;
        self.meta_timestamp.next = self.recorder.record.val().timestamp;
        self.meta_ack_request.next = self.recorder.record.val().ack_request;
        self.meta_source_pdc.next = self.recorder.record.val().source_pdc;
        self.meta_retransmit.next = self.recorder.record.val().retransmit;
        self.ack_ecn.next = self.recorder.record.val().ack_ecn;
        self.ack_probe.next = self.recorder.record.val().ack_probe;
        self.ack_flags.next = self.recorder.record.val().ack_flags;
        self.ack_ev.next = self.recorder.record.val().ack_ev;
        self.ack_timestamp.next = self.recorder.record.val().ack_timestamp;
        self.ack_bytes.next = self.recorder.record.val().ack_bytes;
        self.ack_epsn.next = self.recorder.record.val().ack_epsn;
        self.ack_offset.next = self.recorder.record.val().ack_offset;
        self.ack_ooo.next = self.recorder.record.val().ack_ooo;
        self.ack_base.next = self.recorder.record.val().ack_base;
        self.ack_bitmap.next = self.recorder.record.val().ack_bitmap;
        if self.has_types.val() {
            self.recorder.sack.next = self.records.sack_out.val();
            self.meta_other.next = self.recorder.more.val().other;
            self.meta_last_hop.next = self.recorder.more.val().last_hop;
            self.meta_type.next = self.recorder.more.val().packet_type;
            self.meta_next_header.next = self.recorder.more.val().next_header;
            self.meta_flags.next = self.recorder.more.val().flags;
            self.meta_detail.next = self.recorder.more.val().detail;
            self.meta_message.next = self.records.message_out.val();
            self.meta_payload.next = self.records.payload_out.val();
            self.ack_has_sack.next = self.recorder.more.val().has_sack;
            self.ack_has_state.next = self.recorder.more.val().has_state;
            self.ack_mpr.next = self.recorder.more.val().mpr;
            self.ack_cc.next = self.recorder.more.val().cc;
            self.ack_pend.next = self.recorder.more.val().pend;
        }
        self.pkt_data.next = self.data.q.val();
        self.pkt_ack.next = self.ack.q.val();
        self.pkt_probe.next = self.probe.q.val();
        self.pkt_other.next = self.other.q.val();
        self.pkt_malformed.next = self.malformed.q.val();
        if self.rst.val() {
            if self.has_crc.val() {
                self.judge_later.d.next = bits::<6>(0);
            }
            self.judge_2.d.next = false;
            self.judge_3.d.next = false;
            self.judge_4.d.next = false;
            self.judge_5.d.next = false;
            self.data.d.next = false;
            self.ack.d.next = false;
            self.probe.d.next = false;
            self.other.d.next = false;
            self.malformed.d.next = false;
        }
    }
}
