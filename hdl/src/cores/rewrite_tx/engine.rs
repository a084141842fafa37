//! The core: a queue of beats beside the parser, a queue of plans, and the output register that carries them out.

use respray_hdl_macros::{LogicBlock, Part, hdl_gen};
use rust_hdl::prelude::*;

use super::fields::Fields;
use super::outlet::{End, LATE, Outlet};
use super::plan::{Plan, Planner};
use super::remark::Remark;
use crate::comment;
use crate::config::Wire;
use crate::cores::rewrite::crc::Crc;
use crate::cores::rewrite::{Classifier, Findings, Halves, HeaderSum, Inlet, IpFields, Place};
use crate::manifest::MemoryKind;
use crate::prims::{DirectMemory, Optional, Param};
use crate::wire;

/// Edges from the one that takes a frame's deciding beat to the one at which it can leave.
pub(super) const LATENCY_CYCLES: u32 = 6;
/// With trailers: edges from the one that takes the next beat of a packet to the one at which a beat can leave.
pub(super) const BEAT_CYCLES_WITH_CRC: u32 = 3 + LATE as u32;
/// Edges with `rst` low until `s_axis_tready` is high.
pub(super) const RESET_CYCLES: u32 = 1;

/// EV and timestamp of a packet on their way along the parser.
#[derive(Copy, Clone, Debug, Default, PartialEq, LogicStruct)]
struct Side {
    ev: Bits<16>,
    timestamp: Bits<16>,
    enable: Bit,
}

/// The `rewrite_tx` core. Its sizes are fields of [`BusSizes`](crate::cores::sizes::BusSizes).
#[derive(LogicBlock, Default, Part)]
pub struct RewriteTx<
    const DATA: usize,
    const BYTES: usize,
    const STEPS: usize,
    const BEAT_NUMBER: usize,
    const KEEP_AND_USER: usize,
> {
    pub clk: Signal<In, Clock>,
    pub rst: Signal<In, Bit>,
    pub s_axis_tdata: Signal<In, Bits<DATA>>,
    pub s_axis_tkeep: Signal<In, Bits<BYTES>>,
    pub s_axis_tvalid: Signal<In, Bit>,
    pub s_axis_tlast: Signal<In, Bit>,
    pub s_axis_tuser: Signal<In, Bits<1>>,
    pub s_axis_tready: Signal<Out, Bit>,
    pub s_ev: Signal<In, Bits<16>>,
    pub s_timestamp: Signal<In, Bits<16>>,
    pub s_enable: Signal<In, Bit>,
    pub udp_port: Signal<In, Bits<16>>,
    pub ip_proto: Optional<Signal<In, Bits<8>>>,
    pub flow_label_enable: Signal<In, Bit>,
    pub m_axis_tdata: Signal<Out, Bits<DATA>>,
    pub m_axis_tkeep: Signal<Out, Bits<BYTES>>,
    pub m_axis_tvalid: Signal<Out, Bit>,
    pub m_axis_tlast: Signal<Out, Bit>,
    pub m_axis_tuser: Signal<Out, Bits<1>>,
    pub m_axis_tready: Signal<In, Bit>,
    pub pkt_rewritten: Signal<Out, Bit>,
    pub pkt_passed: Signal<Out, Bit>,
    pub pkt_malformed: Signal<Out, Bit>,

    inlet: Inlet<DATA, BYTES, STEPS, BEAT_NUMBER>,
    halves: Halves<DATA, STEPS>,
    header_sum: HeaderSum<STEPS>,
    ip_fields: IpFields,
    fields: Fields<STEPS>,
    remark: Remark,
    classifier: Classifier<8, 9>,
    planner: Planner<STEPS, BEAT_NUMBER>,
    plans: DirectMemory<Plan<STEPS, BEAT_NUMBER>>,
    checksums: DirectMemory<Bit>,
    outlet: Outlet<DATA, BYTES, STEPS, BEAT_NUMBER, KEEP_AND_USER, 5, 6>,
    crc: Optional<Crc<DATA, BYTES, STEPS>>,
    ends: Optional<DirectMemory<End>>,

    push: Signal<Local, Bit>,
    side_1: DFF<Side>,
    side_2: DFF<Side>,
    side_3: DFF<Side>,
    enable_4: DFF<Bit>,
    both_2: DFF<Bits<17>>,
    written_3: DFF<Bits<16>>,
    place_2: DFF<Place>,
    place_3: DFF<Place>,
    judge_3: DFF<Bit>,
    judge_4: DFF<Bit>,
    judge_5: DFF<Bit>,
    /// The profile's header stands behind an entropy header; the protocol that carries it.
    is_entropy: Optional<Signal<Local, Bit>>,
    protocol: Optional<Signal<Local, Bits<8>>>,
    /// Where the entropy header is: a step behind the one from where all is read.
    sum_place: Optional<Signal<Local, Place>>,
    plan_place: Optional<Signal<Local, Place>>,
    found: Signal<Local, Findings>,
    is_kind: Signal<Local, Bit>,
    is_bad: Signal<Local, Bit>,
    is_target: Signal<Local, Bit>,
    target_5: DFF<Bit>,
    malformed_5: DFF<Bit>,
    checked_5: DFF<Bit>,
    is_bad_sum: Signal<Local, Bit>,
    newest: DFF<Bits<5>>,
    is_checksum_right: Signal<Local, Bit>,
    plan: Signal<Local, Plan<STEPS, BEAT_NUMBER>>,
    rewritten: DFF<Bit>,
    passed: DFF<Bit>,
    malformed: DFF<Bit>,
    plan_write: DFF<Bits<5>>,
    plan_read: DFF<Bits<5>>,
    plans_left: Signal<Local, Bits<5>>,
    /// With trailers: number of the beat in register 10, the end of a packet, and how many are in their queue.
    beat_10: Optional<DFF<Bits<6>>>,
    is_end_11: Optional<DFF<Bit>>,
    end_11: Optional<DFF<End>>,
    end_write: Optional<DFF<Bits<6>>>,
    end_read: Optional<DFF<Bits<6>>>,
    /// The profile has a timestamp.
    has_stamp: Param<Bit>,
    /// The profile tells its kinds by types.
    has_types: Param<bool>,
    has_crc: Param<bool>,
    last_index: Param<Bits<6>>,
}

impl<
    const DATA: usize,
    const BYTES: usize,
    const STEPS: usize,
    const BEAT_NUMBER: usize,
    const KEEP_AND_USER: usize,
> RewriteTx<DATA, BYTES, STEPS, BEAT_NUMBER, KEEP_AND_USER>
{
    /// The core for a profile, with trailers or without.
    pub fn new(wire: Wire, kind: MemoryKind, has_crc: bool) -> Self {
        let has_types = wire::kinds(wire).has_types();
        Self {
            fields: Fields::new(wire, has_types),
            classifier: Classifier::new(wire, false, has_types, has_crc),
            planner: Planner::new(has_types, has_crc),
            ip_proto: Optional::new(has_types, Default::default),
            is_entropy: Optional::new(has_types, Default::default),
            protocol: Optional::new(has_types, Default::default),
            sum_place: Optional::new(has_types, Default::default),
            plan_place: Optional::new(has_types, Default::default),
            plans: DirectMemory::new("plan_memory", "what to write into the packets of the beat queue"),
            checksums: DirectMemory::new(
                "checksum_memory",
                "whether the checksums of their IPv4 headers are right",
            ),
            outlet: Outlet::new(wire, kind, has_crc),
            crc: Optional::new(has_crc, || Crc::new(true)),
            ends: Optional::new(has_crc, || {
                DirectMemory::new(
                    "end_memory",
                    "trailers of the packets of the beat queue, and where they end",
                )
            }),
            beat_10: Optional::new(has_crc, Default::default),
            is_end_11: Optional::new(has_crc, Default::default),
            end_11: Optional::new(has_crc, Default::default),
            end_write: Optional::new(has_crc, Default::default),
            end_read: Optional::new(has_crc, Default::default),
            has_crc: Param::new(has_crc),
            last_index: Param::new((BYTES as u64 - 1).into()),
            has_stamp: Param::new(wire::kinds(wire).stamp_steps().is_some()),
            has_types: Param::new(has_types),
            inlet: Inlet::new(has_types),
            halves: Halves::new(),
            header_sum: HeaderSum::new(),
            ip_fields: IpFields::new(false, has_types, has_crc),
            ..Default::default()
        }
    }
}

impl<
    const DATA: usize,
    const BYTES: usize,
    const STEPS: usize,
    const BEAT_NUMBER: usize,
    const KEEP_AND_USER: usize,
> Logic for RewriteTx<DATA, BYTES, STEPS, BEAT_NUMBER, KEEP_AND_USER>
{
    #[hdl_gen]
    fn update(&mut self) {
        comment!("Writes EV, ECN and timestamp into the packets of a stream.");
        dff_setup!(self, clk, side_1, side_2, side_3, enable_4, both_2, written_3, place_2, place_3);
        dff_setup!(self, clk, judge_3, judge_4, judge_5, target_5, malformed_5, checked_5, newest);
        dff_setup!(self, clk, rewritten, passed, malformed, plan_write, plan_read);
        self.inlet.clk.next = self.clk.val();
        self.header_sum.clk.next = self.clk.val();
        self.ip_fields.clk.next = self.clk.val();
        self.fields.clk.next = self.clk.val();
        self.remark.clk.next = self.clk.val();
        self.classifier.clk.next = self.clk.val();
        self.planner.clk.next = self.clk.val();
        self.outlet.clk.next = self.clk.val();
        self.plans.clk.next = self.clk.val();
        self.checksums.clk.next = self.clk.val();
        self.inlet.rst.next = self.rst.val();
        self.header_sum.rst.next = self.rst.val();
        self.fields.rst.next = self.rst.val();
        self.outlet.rst.next = self.rst.val();
        comment!("A beat goes into the queue and into the parser.");
        self.s_axis_tready.next = self.outlet.ready.val();
        self.push.next = self.s_axis_tvalid.val() && self.outlet.ready.val();
        self.outlet.push.next = self.push.val();
        self.outlet.data.next = self.s_axis_tdata.val();
        self.outlet.keep.next = self.s_axis_tkeep.val();
        self.outlet.last.next = self.s_axis_tlast.val();
        self.outlet.user.next = self.s_axis_tuser.val();
        self.inlet.push.next = self.push.val();
        self.inlet.data.next = self.s_axis_tdata.val();
        self.inlet.keep.next = self.s_axis_tkeep.val();
        self.inlet.last.next = self.s_axis_tlast.val();
        comment!("Register 1 feeds the sum of the IPv4 header and the captures of fields.");
        self.halves.data.next = self.inlet.word.val();
        self.header_sum.push.next = self.push.val();
        self.header_sum.valid.next = self.inlet.valid.val();
        self.header_sum.first.next = self.inlet.first.val();
        self.header_sum.place.next = self.inlet.place.val();
        self.ip_fields.valid.next = self.inlet.valid.val();
        self.ip_fields.place.next = self.inlet.place.val();
        self.remark.valid.next = self.inlet.valid.val();
        self.remark.place.next = self.inlet.place.val();
        self.remark.place_2.next = self.place_2.q.val();
        self.remark.second.next = self.ip_fields.second.val();
        self.remark.second_1.next = self.ip_fields.second_1.val();
        self.fields.valid.next = self.inlet.valid.val();
        self.fields.last.next = self.inlet.is_last.val();
        self.fields.place.next = self.inlet.place.val();
        self.fields.is_odd_2.next = self.place_2.q.val().udp.get_bit(0);
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
            self.planner.is_entropy.next = self.is_entropy.val();
            self.sum_place.next = self.inlet.place.val();
            self.sum_place.next.ahead = self.inlet.place.val().ahead + self.is_entropy.val();
            self.header_sum.place.next = self.sum_place.val();
        }
        for i in 0..16 {
            self.header_sum.even[i].next = self.halves.even[i].val();
            self.header_sum.odd[i].next = self.halves.odd[i].val();
            self.ip_fields.even[i].next = self.halves.even[i].val();
            self.ip_fields.odd[i].next = self.halves.odd[i].val();
            self.remark.even[i].next = self.halves.even[i].val();
            self.fields.even[i].next = self.halves.even[i].val();
            self.fields.odd[i].next = self.halves.odd[i].val();
        }
        comment!("EV and timestamp keep pace with the parser.");
        if self.push.val() && self.inlet.at_first.val() {
            self.side_1.d.next.ev = self.s_ev.val();
            self.side_1.d.next.timestamp = self.s_timestamp.val();
            self.side_1.d.next.enable = self.s_enable.val();
        }
        if self.inlet.valid.val() {
            self.side_2.d.next = self.side_1.q.val();
        }
        self.both_2.d.next =
            bit_cast::<17, 16>(self.side_1.q.val().ev) + bit_cast::<17, 16>(self.side_1.q.val().timestamp);
        self.side_3.d.next = self.side_2.q.val();
        self.written_3.d.next = self.side_2.q.val().ev;
        if self.has_stamp.val() && self.fields.is_stamped_next.val() {
            self.written_3.d.next = self.both_2.q.val().get_bits::<16>(0)
                + bit_cast::<16, 1>(self.both_2.q.val().get_bits::<1>(16));
        }
        self.enable_4.d.next = self.side_3.q.val().enable;
        comment!("Register 3 holds the fields, register 4 what the tests found.");
        self.place_2.d.next = self.inlet.place.val();
        self.place_3.d.next = self.place_2.q.val();
        self.judge_3.d.next = self.fields.judge_2.val();
        self.judge_4.d.next = self.judge_3.q.val();
        self.classifier.last.next = self.inlet.is_last.val();
        self.classifier.last_index.next = self.inlet.last_index.val();
        self.classifier.place_2.next = self.place_2.q.val();
        self.classifier.is_ip4.next = self.place_3.q.val().is_ip4;
        self.classifier.ip.next = self.ip_fields.ip.val();
        self.classifier.lead.next = self.fields.captured.val().lead;
        comment!(
            "The UDP header's fields stand by the parity of UDP's first step: each is tested at both places."
        );
        self.classifier.is_ours.next = self.fields.captured.val().even_half_odd_step == self.udp_port.val();
        self.classifier.is_contradiction.next =
            bit_cast::<17, 16>(self.fields.captured.val().odd_half_odd_step) != self.classifier.agreed.val();
        if self.place_3.q.val().udp.get_bit(0) {
            self.classifier.is_ours.next =
                self.fields.captured.val().even_half_even_step == self.udp_port.val();
            self.classifier.is_contradiction.next =
                bit_cast::<17, 16>(self.fields.captured.val().odd_half_even_step)
                    != self.classifier.agreed.val();
        }
        self.planner.place.next = self.place_3.q.val();
        if self.has_types.val() {
            comment!("The EV is written where the entropy header is, which has no port and no length.");
            self.plan_place.next = self.place_3.q.val();
            if self.is_entropy.val() {
                self.classifier.is_ours.next = true;
                self.classifier.is_contradiction.next = false;
                self.plan_place.next.udp = self.place_3.q.val().udp + 1;
                self.plan_place.next.is_even = !self.place_3.q.val().is_even;
            }
            self.planner.place.next = self.plan_place.val();
        }
        self.planner.captured.next = self.fields.captured.val();
        self.planner.marked.next = self.remark.marked.val();
        self.planner.ev.next = self.side_3.q.val().ev;
        self.planner.timestamp.next = self.side_3.q.val().timestamp;
        self.planner.written.next = self.written_3.q.val();
        comment!("The plan of a frame goes into its queue as soon as it is known.");
        self.found.next = self.classifier.findings.val();
        self.is_kind.next = self.found.val().is_data || self.found.val().is_ack;
        self.is_bad.next = self.found.val().is_early
            || (!self.found.val().is_unsupported
                && (self.found.val().is_cut_in_udp
                    || (self.found.val().is_ours
                        && (self.found.val().is_contradiction
                            || self.found.val().is_cut_in_lead
                            || (self.is_kind.val()
                                && (self.found.val().is_short
                                    || self.found.val().is_cut
                                    || self.found.val().is_wrong_length))))));
        if self.has_types.val() {
            self.is_bad.next = self.is_bad.val()
                || (self.classifier.contradicts.val()
                    && self.found.val().is_ours
                    && !self.found.val().is_unsupported);
        }
        self.is_target.next = self.enable_4.q.val()
            && self.is_kind.val()
            && self.found.val().is_ours
            && !self.found.val().is_unsupported
            && !self.is_bad.val();
        self.planner.is_rewritten.next = self.is_target.val();
        self.plans.write_enable.next = self.judge_4.q.val();
        self.plans.write_address.next = self.plan_write.q.val();
        self.plans.write_data.next = self.planner.plan.val();
        self.plans.read_address.next = self.plan_read.q.val();
        self.judge_5.d.next = self.judge_4.q.val();
        self.target_5.d.next = self.is_target.val();
        self.malformed_5.d.next = self.is_bad.val();
        self.checked_5.d.next =
            self.found.val().is_ip4 && !self.found.val().is_early && !self.found.val().is_unsupported;
        self.plan_write.d.next = self.plan_write.q.val() + self.judge_4.q.val();
        if self.judge_4.q.val() {
            self.newest.d.next = self.plan_write.q.val();
        }
        comment!(
            "Whether the checksum of the IPv4 header is right comes a cycle later, in time for the plan that is used at once."
        );
        self.is_bad_sum.next = self.checked_5.q.val() && !self.header_sum.is_checksum_right.val();
        self.checksums.write_enable.next = self.judge_5.q.val();
        self.checksums.write_address.next = self.newest.q.val();
        self.checksums.write_data.next = !self.is_bad_sum.val();
        self.checksums.read_address.next = self.plan_read.q.val();
        self.is_checksum_right.next = self.checksums.read_data.val();
        if self.judge_5.q.val() && (self.plan_read.q.val() == self.newest.q.val()) {
            self.is_checksum_right.next = !self.is_bad_sum.val();
        }
        self.plan.next = self.plans.read_data.val();
        self.plan.next.is_rewritten = self.plans.read_data.val().is_rewritten && self.is_checksum_right.val();
        self.rewritten.d.next = self.judge_5.q.val() && self.target_5.q.val() && !self.is_bad_sum.val();
        self.malformed.d.next = self.judge_5.q.val() && (self.malformed_5.q.val() || self.is_bad_sum.val());
        self.passed.d.next = self.judge_5.q.val()
            && !self.target_5.q.val()
            && !self.malformed_5.q.val()
            && !self.is_bad_sum.val();
        comment!("A beat leaves when its packet has a plan and the output is free.");
        self.plans_left.next = self.plan_write.q.val() - self.plan_read.q.val();
        self.outlet.has_plan_next.next = self.judge_4.q.val() || self.plans_left.val().any();
        if self.outlet.is_served.val() {
            self.outlet.has_plan_next.next = self.judge_4.q.val() || (self.plans_left.val() >> 1).any();
        }
        self.outlet.plan.next = self.plan.val();
        self.outlet.flow_label_enable.next = self.flow_label_enable.val();
        self.plan_read.d.next = self.plan_read.q.val() + self.outlet.is_served.val();
        self.outlet.is_free.next = !self.outlet.m_valid.val() || self.m_axis_tready.val();
        if self.has_crc.val() {
            comment!(
                "The trailer of a packet goes into a queue of its own, with its bytes where the lanes of the last beat have them."
            );
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
            self.crc.ev.next = self.side_1.q.val().ev;
            self.crc.ahead.next = self.sum_place.val().ahead;
            self.crc.has_sum.next = !self.is_entropy.val();
            self.beat_10.clock.next = self.clk.val();
            self.beat_10.d.next = self.beat_10.q.val() + self.crc.passes.val();
            self.is_end_11.clock.next = self.clk.val();
            self.is_end_11.d.next = self.crc.ends.val();
            self.end_11.clock.next = self.clk.val();
            self.end_11.d.next.at = self.beat_10.q.val();
            self.end_11.d.next.index = self.crc.spare.val() ^ self.last_index.val();
            self.end_11.d.next.trailer = self.crc.due.val();
            if self.crc.spare.val().get_bits::<2>(0) == bits::<2>(3) {
                self.end_11.d.next.trailer = (self.crc.due.val() << 8) | (self.crc.due.val() >> 24);
            }
            if self.crc.spare.val().get_bits::<2>(0) == bits::<2>(2) {
                self.end_11.d.next.trailer = (self.crc.due.val() << 16) | (self.crc.due.val() >> 16);
            }
            if self.crc.spare.val().get_bits::<2>(0) == bits::<2>(1) {
                self.end_11.d.next.trailer = (self.crc.due.val() << 24) | (self.crc.due.val() >> 8);
            }
            self.end_write.clock.next = self.clk.val();
            self.end_write.d.next = self.end_write.q.val() + self.is_end_11.q.val();
            self.end_read.clock.next = self.clk.val();
            self.end_read.d.next = self.end_read.q.val() + self.outlet.is_served.val();
            self.ends.clk.next = self.clk.val();
            self.ends.write_enable.next = self.is_end_11.q.val();
            self.ends.write_address.next = self.end_write.q.val().get_bits::<5>(0);
            self.ends.write_data.next = self.end_11.q.val();
            self.ends.read_address.next = self.end_read.q.val().get_bits::<5>(0);
            self.outlet.has_end.next = self.end_read.q.val() != self.end_write.q.val();
            self.outlet.end.next = self.ends.read_data.val();
        }
        self.m_axis_tdata.next = self.outlet.m_data.val();
        self.m_axis_tkeep.next = self.outlet.m_keep.val();
        self.m_axis_tvalid.next = self.outlet.m_valid.val();
        self.m_axis_tlast.next = self.outlet.m_last.val();
        self.m_axis_tuser.next = self.outlet.m_user.val();
        self.pkt_rewritten.next = self.rewritten.q.val();
        self.pkt_passed.next = self.passed.q.val();
        self.pkt_malformed.next = self.malformed.q.val();
        if self.rst.val() {
            if self.has_crc.val() {
                self.beat_10.d.next = bits::<6>(0);
                self.is_end_11.d.next = false;
                self.end_write.d.next = bits::<6>(0);
                self.end_read.d.next = bits::<6>(0);
            }
            self.judge_3.d.next = false;
            self.judge_4.d.next = false;
            self.judge_5.d.next = false;
            self.rewritten.d.next = false;
            self.passed.d.next = false;
            self.malformed.d.next = false;
            self.plan_write.d.next = bits::<5>(0);
            self.plan_read.d.next = bits::<5>(0);
        }
    }
}
