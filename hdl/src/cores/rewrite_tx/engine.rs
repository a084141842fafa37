//! The core: a queue of beats beside the parser, a queue of plans, and the output register that carries them out.

use rust_hdl::prelude::*;

use super::{Outlet, Plan, Planner};
use crate::comment;
use crate::cores::rewrite::{Fields, HeaderSum, Ingest, Layout, Verdict};
use crate::manifest::MemoryKind;
use crate::prims::DirectMemory;

/// Edges from the one that takes a frame's deciding beat to the one at which it can leave.
pub(super) const LATENCY_CYCLES: u32 = 6;
/// Edges with `rst` low until `s_axis_tready` is high.
pub(super) const RESET_CYCLES: u32 = 1;

/// EV and timestamp of a packet on their way along the parser.
#[derive(Copy, Clone, Debug, Default, PartialEq, LogicStruct)]
struct Side {
    ev: Bits<16>,
    timestamp: Bits<16>,
    enable: Bit,
}

/// `rewrite_tx` for a bus of `W` bits: `K` = W/8, `N` = W/32, `BB` bits of beat number.
#[derive(LogicBlock)]
pub struct RewriteTx<const W: usize, const K: usize, const N: usize, const BB: usize> {
    pub clk: Signal<In, Clock>,
    pub rst: Signal<In, Bit>,
    pub s_axis_tdata: Signal<In, Bits<W>>,
    pub s_axis_tkeep: Signal<In, Bits<K>>,
    pub s_axis_tvalid: Signal<In, Bit>,
    pub s_axis_tlast: Signal<In, Bit>,
    pub s_axis_tuser: Signal<In, Bits<1>>,
    pub s_axis_tready: Signal<Out, Bit>,
    pub s_ev: Signal<In, Bits<16>>,
    pub s_timestamp: Signal<In, Bits<16>>,
    pub s_enable: Signal<In, Bit>,
    pub udp_port: Signal<In, Bits<16>>,
    pub flow_label_enable: Signal<In, Bit>,
    pub m_axis_tdata: Signal<Out, Bits<W>>,
    pub m_axis_tkeep: Signal<Out, Bits<K>>,
    pub m_axis_tvalid: Signal<Out, Bit>,
    pub m_axis_tlast: Signal<Out, Bit>,
    pub m_axis_tuser: Signal<Out, Bits<1>>,
    pub m_axis_tready: Signal<In, Bit>,
    pub pkt_rewritten: Signal<Out, Bit>,
    pub pkt_passed: Signal<Out, Bit>,
    pub pkt_malformed: Signal<Out, Bit>,

    ingest: Ingest<W, K, N, BB>,
    header_sum: HeaderSum<W, N>,
    fields: Fields<W, N>,
    verdict: Verdict,
    planner: Planner,
    outlet: Outlet<W, K, N, BB>,
    plans: DirectMemory<Plan>,

    push: Signal<Local, Bit>,
    side_1: DFF<Side>,
    side_2: DFF<Side>,
    side_3: DFF<Side>,
    enable_4: DFF<Bit>,
    both_2: DFF<Bits<17>>,
    both_3: DFF<Bits<16>>,
    last_3: DFF<Bit>,
    bytes_3: DFF<Bits<14>>,
    layout_3: DFF<Layout>,
    judge_4: DFF<Bit>,
    is_bad_sum: Signal<Local, Bit>,
    is_target: Signal<Local, Bit>,
    is_malformed: Signal<Local, Bit>,
    is_rewritten: Signal<Local, Bit>,
    rewritten: DFF<Bit>,
    passed: DFF<Bit>,
    malformed: DFF<Bit>,
    plan_write: DFF<Bits<5>>,
    plan_read: DFF<Bits<5>>,
}

impl<const W: usize, const K: usize, const N: usize, const BB: usize>
    RewriteTx<W, K, N, BB>
{
    /// The core for the profile `uet`, or for `strack`.
    pub fn new(is_uet: bool, kind: MemoryKind) -> Self {
        RewriteTx {
            clk: Default::default(),
            rst: Default::default(),
            s_axis_tdata: Default::default(),
            s_axis_tkeep: Default::default(),
            s_axis_tvalid: Default::default(),
            s_axis_tlast: Default::default(),
            s_axis_tuser: Default::default(),
            s_axis_tready: Default::default(),
            s_ev: Default::default(),
            s_timestamp: Default::default(),
            s_enable: Default::default(),
            udp_port: Default::default(),
            flow_label_enable: Default::default(),
            m_axis_tdata: Default::default(),
            m_axis_tkeep: Default::default(),
            m_axis_tvalid: Default::default(),
            m_axis_tlast: Default::default(),
            m_axis_tuser: Default::default(),
            m_axis_tready: Default::default(),
            pkt_rewritten: Default::default(),
            pkt_passed: Default::default(),
            pkt_malformed: Default::default(),
            ingest: Default::default(),
            header_sum: Default::default(),
            fields: Fields::new(Some(if is_uet { 5 } else { 6 })),
            verdict: Verdict::new(is_uet),
            planner: Planner::new(is_uet),
            outlet: Outlet::new(kind),
            plans: DirectMemory::new("plan_memory", "what to write into the packets of the beat queue"),
            push: Default::default(),
            side_1: Default::default(),
            side_2: Default::default(),
            side_3: Default::default(),
            enable_4: Default::default(),
            both_2: Default::default(),
            both_3: Default::default(),
            last_3: Default::default(),
            bytes_3: Default::default(),
            layout_3: Default::default(),
            judge_4: Default::default(),
            is_bad_sum: Default::default(),
            is_target: Default::default(),
            is_malformed: Default::default(),
            is_rewritten: Default::default(),
            rewritten: Default::default(),
            passed: Default::default(),
            malformed: Default::default(),
            plan_write: Default::default(),
            plan_read: Default::default(),
        }
    }
}

impl<const W: usize, const K: usize, const N: usize, const BB: usize> Logic
    for RewriteTx<W, K, N, BB>
{
    #[hdl_gen]
    fn update(&mut self) {
        comment!("Writes EV, ECN and timestamp into the packets of a stream.");
        dff_setup!(
            self, clk, side_1, side_2, side_3, enable_4, both_2, both_3, last_3, bytes_3, layout_3, judge_4
        );
        dff_setup!(self, clk, rewritten, passed, malformed, plan_write, plan_read);
        self.ingest.clk.next = self.clk.val();
        self.header_sum.clk.next = self.clk.val();
        self.fields.clk.next = self.clk.val();
        self.verdict.clk.next = self.clk.val();
        self.planner.clk.next = self.clk.val();
        self.outlet.clk.next = self.clk.val();
        self.plans.clk.next = self.clk.val();
        self.ingest.rst.next = self.rst.val();
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
        self.ingest.push.next = self.push.val();
        self.ingest.data.next = self.s_axis_tdata.val();
        self.ingest.keep.next = self.s_axis_tkeep.val();
        self.ingest.last.next = self.s_axis_tlast.val();
        self.header_sum.valid.next = self.ingest.valid_1.val();
        self.header_sum.first.next = self.ingest.first_1.val();
        self.header_sum.data.next = self.ingest.data_1.val();
        self.header_sum.step.next = self.ingest.step_1.val();
        self.header_sum.layout.next = self.ingest.layout_1.val();
        self.fields.valid.next = self.ingest.valid_2.val();
        self.fields.last.next = self.ingest.last_2.val();
        self.fields.data.next = self.ingest.data_2.val();
        self.fields.step.next = self.ingest.step_2.val();
        self.fields.layout.next = self.ingest.layout_2.val();
        comment!("EV and timestamp keep pace with the parser.");
        if self.push.val() && self.ingest.at_first.val() {
            self.side_1.d.next.ev = self.s_ev.val();
            self.side_1.d.next.timestamp = self.s_timestamp.val();
            self.side_1.d.next.enable = self.s_enable.val();
        }
        self.side_2.d.next = self.side_1.q.val();
        self.both_2.d.next =
            bit_cast::<17, 16>(self.side_1.q.val().ev) + bit_cast::<17, 16>(self.side_1.q.val().timestamp);
        self.side_3.d.next = self.side_2.q.val();
        self.both_3.d.next =
            self.both_2.q.val().get_bits::<16>(0) + bit_cast::<16, 1>(self.both_2.q.val().get_bits::<1>(16));
        self.enable_4.d.next = self.side_3.q.val().enable;
        comment!("Register 3 holds the fields, register 4 what the tests found.");
        self.last_3.d.next = self.ingest.last_2.val();
        self.bytes_3.d.next = self.ingest.bytes_2.val();
        self.layout_3.d.next = self.ingest.layout_2.val();
        self.verdict.udp_port.next = self.udp_port.val();
        self.verdict.last.next = self.last_3.q.val();
        self.verdict.bytes.next = self.bytes_3.q.val();
        self.verdict.layout.next = self.layout_3.q.val();
        self.verdict.captured.next = self.fields.captured.val();
        self.planner.layout.next = self.layout_3.q.val();
        self.planner.captured.next = self.fields.captured.val();
        self.planner.ev.next = self.side_3.q.val().ev;
        self.planner.timestamp.next = self.side_3.q.val().timestamp;
        self.planner.ev_timestamp.next = self.both_3.q.val();
        self.judge_4.d.next = self.fields.judge_3.val();
        comment!("The plan of a frame goes into its queue as soon as it is known.");
        self.is_bad_sum.next = self.verdict.findings.val().is_ip4 && !self.header_sum.is_sound.val();
        self.is_target.next = self.verdict.findings.val().is_data || self.verdict.findings.val().is_ack;
        self.is_malformed.next = self.verdict.findings.val().is_cut_early
            || (!self.verdict.findings.val().is_unsupported
                && (self.is_bad_sum.val()
                    || self.verdict.findings.val().is_cut_in_udp
                    || (self.verdict.findings.val().is_ours
                        && (self.verdict.findings.val().is_contradiction
                            || self.verdict.findings.val().is_cut_in_lead
                            || (self.is_target.val()
                                && (self.verdict.findings.val().is_short
                                    || self.verdict.findings.val().is_cut
                                    || self.verdict.is_wrong_length.val()))))));
        self.is_rewritten.next = self.enable_4.q.val()
            && !self.is_malformed.val()
            && !self.verdict.findings.val().is_unsupported
            && self.verdict.findings.val().is_ours
            && self.is_target.val();
        self.planner.is_rewritten.next = self.is_rewritten.val();
        self.plans.write_enable.next = self.judge_4.q.val();
        self.plans.write_address.next = self.plan_write.q.val();
        self.plans.write_data.next = self.planner.plan.val();
        self.plans.read_address.next = self.plan_read.q.val();
        if self.judge_4.q.val() {
            self.plan_write.d.next = self.plan_write.q.val() + 1;
        }
        self.rewritten.d.next = self.judge_4.q.val() && self.is_rewritten.val();
        self.passed.d.next = self.judge_4.q.val() && !self.is_rewritten.val() && !self.is_malformed.val();
        self.malformed.d.next = self.judge_4.q.val() && self.is_malformed.val();
        comment!("A beat leaves when its packet has a plan and the output is free.");
        self.outlet.has_plan.next = self.plan_read.q.val() != self.plan_write.q.val();
        self.outlet.plan.next = self.plans.read_data.val();
        self.outlet.flow_label_enable.next = self.flow_label_enable.val();
        if self.outlet.is_served.val() {
            self.plan_read.d.next = self.plan_read.q.val() + 1;
        }
        self.outlet.m_ready.next = self.m_axis_tready.val();
        self.m_axis_tdata.next = self.outlet.m_data.val();
        self.m_axis_tkeep.next = self.outlet.m_keep.val();
        self.m_axis_tvalid.next = self.outlet.m_valid.val();
        self.m_axis_tlast.next = self.outlet.m_last.val();
        self.m_axis_tuser.next = self.outlet.m_user.val();
        self.pkt_rewritten.next = self.rewritten.q.val();
        self.pkt_passed.next = self.passed.q.val();
        self.pkt_malformed.next = self.malformed.q.val();
        if self.rst.val() {
            self.judge_4.d.next = false;
            self.rewritten.d.next = false;
            self.passed.d.next = false;
            self.malformed.d.next = false;
            self.plan_write.d.next = bits::<5>(0);
            self.plan_read.d.next = bits::<5>(0);
        }
    }
}
