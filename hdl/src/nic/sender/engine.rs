//! The block: the parser of `rewrite_tx`, the requests, and the outlet that waits for their grants.

use respray_hdl_macros::hdl_gen;
use rust_hdl::prelude::*;

use super::{Draft, Grants, HeaderReader, Mark, Request, Settler, Token};
use crate::comment;
use crate::config::Wire;
use crate::cores::rewrite::{Classifier, Findings, Halves, HeaderSum, Inlet, IpFields, Place};
use crate::cores::rewrite_rx::Queue;
use crate::cores::rewrite_tx::{Fields, Outlet, Remark};
use crate::manifest::MemoryKind;
use crate::prims::Param;
use crate::wire;

/// Frames inside at which the input pauses. What still comes then has room among 32.
const FULL_FRAMES: u64 = 24;
/// Requests that can wait: more than there can be frames inside.
const REQUESTS: u64 = 32;

/// The sender. Of [`BusSizes`](crate::cores::sizes::BusSizes) `W` is `data`, `K` `bytes`, `N` `steps`, `BB` `beat_number` and `M`
/// `keep_and_user`. Its queue has 128 beats, in block RAM: as LUTs they would cost more than all else.
#[derive(LogicBlock, Default)]
pub struct Sender<const W: usize, const K: usize, const N: usize, const BB: usize, const M: usize> {
    pub clk: Signal<In, Clock>,
    pub rst: Signal<In, Bit>,
    /// Frames of the host, AXI4-Stream: first byte on the wire in bits 7:0.
    pub s_axis_tdata: Signal<In, Bits<W>>,
    pub s_axis_tkeep: Signal<In, Bits<K>>,
    pub s_axis_tvalid: Signal<In, Bit>,
    pub s_axis_tlast: Signal<In, Bit>,
    /// Carried beat for beat, of no meaning here.
    pub s_axis_tuser: Signal<In, Bits<1>>,
    /// From a register.
    pub s_axis_tready: Signal<Out, Bit>,
    /// UDP destination port of the profile, static while frames flow.
    pub udp_port: Signal<In, Bits<16>>,
    /// EV also into the low 16 bits of an IPv6 flow label, static while frames flow.
    pub flow_label_enable: Signal<In, Bit>,
    /// Frames to the MAC, AXI4-Stream.
    pub m_axis_tdata: Signal<Out, Bits<W>>,
    pub m_axis_tkeep: Signal<Out, Bits<K>>,
    pub m_axis_tvalid: Signal<Out, Bit>,
    pub m_axis_tlast: Signal<Out, Bit>,
    pub m_axis_tuser: Signal<Out, Bits<1>>,
    pub m_axis_tready: Signal<In, Bit>,
    /// Beside each beat: the connection of a frame for which a request was made.
    pub m_conn: Signal<Out, Bits<24>>,
    /// Beside each beat: a data packet that was granted action 0.
    pub m_is_data: Signal<Out, Bit>,
    /// Requests, one for each data packet and probe with nothing wrong in it, in the order of the frames.
    pub req_valid: Signal<Out, Bit>,
    pub req_ready: Signal<In, Bit>,
    /// `strack`: a probe, else data; `uet`: 0.
    pub req_is_probe: Signal<Out, Bit>,
    /// `strack`: destination QP; `uet`: source PDC.
    pub req_conn: Signal<Out, Bits<24>>,
    /// `strack`: 24 bits.
    pub req_psn: Signal<Out, Bits<32>>,
    /// What follows the profile's header inside UDP.
    pub req_bytes: Signal<Out, Bits<16>>,
    /// `uet`: destination PDC, and whether it is a ROD request; `strack`: 0.
    pub req_destination_pdc: Signal<Out, Bits<16>>,
    pub req_is_ordered: Signal<Out, Bit>,
    /// Grants, one for each request, in their order. They are always taken.
    pub grant_valid: Signal<In, Bit>,
    /// 0 rewrite the frame, 1 pass it unchanged, 2 drop it.
    pub grant_action: Signal<In, Bits<2>>,
    pub grant_ev: Signal<In, Bits<16>>,
    /// `uet`: ignored.
    pub grant_timestamp: Signal<In, Bits<16>>,
    /// One of these four pulses for each frame, in order. Changed as granted.
    pub pkt_rewritten: Signal<Out, Bit>,
    /// Unchanged, nothing wrong with it.
    pub pkt_passed: Signal<Out, Bit>,
    /// Unchanged: truncated, bad checksum of the IPv4 header, or length mismatch.
    pub pkt_malformed: Signal<Out, Bit>,
    /// Not sent, as granted.
    pub pkt_dropped: Signal<Out, Bit>,

    inlet: Inlet<W, K, N, BB>,
    halves: Halves<W, N>,
    header_sum: HeaderSum<N>,
    ip_fields: IpFields,
    fields: Fields<N>,
    reader: HeaderReader<N>,
    remark: Remark,
    classifier: Classifier<8, 9>,
    requests: Queue<Request>,
    grants: Grants,
    settler: Settler,
    outlet: Outlet<W, K, N, BB, M, 7, 8>,

    is_ready: DFF<Bit>,
    push: Signal<Local, Bit>,
    /// Whole frames that came in and that left.
    frames_in: DFF<Bits<6>>,
    frames_out: DFF<Bits<6>>,
    frames: Signal<Local, Bits<6>>,
    place_2: DFF<Place>,
    place_3: DFF<Place>,
    judge_3: DFF<Bit>,
    judge_4: DFF<Bit>,
    judge_5: DFF<Bit>,
    length: Signal<Local, Bits<16>>,
    destination_port: Signal<Local, Bits<16>>,
    draft: Signal<Local, Draft>,
    request_4: DFF<Request>,
    request_5: DFF<Request>,
    found: Signal<Local, Findings>,
    is_kind: Signal<Local, Bit>,
    is_bad: Signal<Local, Bit>,
    asked_5: DFF<Bit>,
    malformed_5: DFF<Bit>,
    checked_5: DFF<Bit>,
    is_bad_sum: Signal<Local, Bit>,
    mark: Signal<Local, Mark>,
    request: Signal<Local, Request>,
    is_free: Signal<Local, Bit>,
    /// Of the beat in the outlet's register.
    token: DFF<Token>,
    full_frames: Param<Bits<6>>,
    /// The profile tells its kinds by types.
    has_types: Param<bool>,
}

impl<const W: usize, const K: usize, const N: usize, const BB: usize, const M: usize> Sender<W, K, N, BB, M> {
    /// The block for a profile, with the beats in a memory of `kind`.
    pub fn new(wire: Wire, kind: MemoryKind) -> Self {
        Self {
            inlet: Inlet::new(),
            halves: Halves::new(),
            header_sum: HeaderSum::new(),
            ip_fields: IpFields::new(false),
            fields: Fields::new(wire),
            reader: HeaderReader::new(wire),
            classifier: Classifier::new(wire),
            requests: Queue::new(
                "request_memory",
                "requests that wait to be taken",
                MemoryKind::Distributed,
                REQUESTS,
            ),
            grants: Grants::new(wire),
            settler: Settler::new(wire),
            outlet: Outlet::new(wire, kind),
            full_frames: Param::new(FULL_FRAMES.into()),
            has_types: Param::new(wire::kinds(wire).has_types()),
            ..Default::default()
        }
    }
}

impl<const W: usize, const K: usize, const N: usize, const BB: usize, const M: usize> Logic
    for Sender<W, K, N, BB, M>
{
    #[hdl_gen]
    fn update(&mut self) {
        comment!("Asks what is to become of each data packet and probe of the host, and does it.");
        dff_setup!(self, clk, is_ready, frames_in, frames_out, place_2, place_3, judge_3, judge_4, judge_5);
        dff_setup!(self, clk, request_4, request_5, asked_5, malformed_5, checked_5, token);
        self.inlet.clk.next = self.clk.val();
        self.header_sum.clk.next = self.clk.val();
        self.ip_fields.clk.next = self.clk.val();
        self.fields.clk.next = self.clk.val();
        self.reader.clk.next = self.clk.val();
        self.remark.clk.next = self.clk.val();
        self.classifier.clk.next = self.clk.val();
        self.requests.clk.next = self.clk.val();
        self.grants.clk.next = self.clk.val();
        self.settler.clk.next = self.clk.val();
        self.outlet.clk.next = self.clk.val();
        self.inlet.rst.next = self.rst.val();
        self.header_sum.rst.next = self.rst.val();
        self.fields.rst.next = self.rst.val();
        self.requests.rst.next = self.rst.val();
        self.grants.rst.next = self.rst.val();
        self.settler.rst.next = self.rst.val();
        self.outlet.rst.next = self.rst.val();
        comment!(
            "The input pauses for want of room for beats, or for frames: each takes a place in every queue."
        );
        self.frames.next = self.frames_in.q.val() - self.frames_out.q.val();
        self.is_ready.d.next = self.outlet.ready.val() && (self.frames.val() < self.full_frames.val());
        self.s_axis_tready.next = self.is_ready.q.val();
        self.push.next = self.s_axis_tvalid.val() && self.is_ready.q.val();
        if self.push.val() && self.s_axis_tlast.val() {
            self.frames_in.d.next = self.frames_in.q.val() + 1;
        }
        if self.outlet.is_served.val() {
            self.frames_out.d.next = self.frames_out.q.val() + 1;
        }
        comment!("A beat goes into the queue and into the parser.");
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
        self.reader.valid.next = self.inlet.valid.val();
        self.reader.place.next = self.inlet.place.val();
        self.reader.is_odd_2.next = self.place_2.q.val().udp.get_bit(0);
        for i in 0..16 {
            self.header_sum.even[i].next = self.halves.even[i].val();
            self.header_sum.odd[i].next = self.halves.odd[i].val();
            self.ip_fields.even[i].next = self.halves.even[i].val();
            self.ip_fields.odd[i].next = self.halves.odd[i].val();
            self.remark.even[i].next = self.halves.even[i].val();
            self.fields.even[i].next = self.halves.even[i].val();
            self.fields.odd[i].next = self.halves.odd[i].val();
            self.reader.even[i].next = self.halves.even[i].val();
            self.reader.odd[i].next = self.halves.odd[i].val();
        }
        comment!("Register 3 holds the fields, register 4 what the tests found.");
        self.place_2.d.next = self.inlet.place.val();
        self.place_3.d.next = self.place_2.q.val();
        self.judge_3.d.next = self.fields.judge_2.val();
        self.judge_4.d.next = self.judge_3.q.val();
        self.judge_5.d.next = self.judge_4.q.val();
        comment!("The UDP header's fields stand by the parity of UDP's first step.");
        self.draft.next.source_port = self.fields.captured.val().odd_half_even_step;
        self.draft.next.checksum = self.fields.captured.val().even_half_even_step;
        self.destination_port.next = self.fields.captured.val().even_half_odd_step;
        self.length.next = self.fields.captured.val().odd_half_odd_step;
        if self.place_3.q.val().udp.get_bit(0) {
            self.draft.next.source_port = self.fields.captured.val().odd_half_odd_step;
            self.draft.next.checksum = self.fields.captured.val().even_half_odd_step;
            self.destination_port.next = self.fields.captured.val().even_half_even_step;
            self.length.next = self.fields.captured.val().odd_half_even_step;
        }
        self.classifier.last.next = self.inlet.is_last.val();
        self.classifier.last_index.next = self.inlet.last_index.val();
        self.classifier.place_2.next = self.place_2.q.val();
        self.classifier.is_ip4.next = self.place_3.q.val().is_ip4;
        self.classifier.ip.next = self.ip_fields.ip.val();
        self.classifier.lead.next = self.fields.captured.val().lead;
        if self.has_types.val() {
            comment!("What is sent was not trimmed.");
            self.classifier.is_trimmed.next = false;
        }
        self.classifier.is_ours.next = self.destination_port.val() == self.udp_port.val();
        self.classifier.is_contradiction.next =
            bit_cast::<17, 16>(self.length.val()) != self.classifier.agreed.val();
        self.reader.length.next = self.length.val();
        self.reader.lead.next = self.fields.captured.val().lead;
        self.request_4.d.next = self.reader.request.val();
        self.request_5.d.next = self.request_4.q.val();
        comment!("What a frame says waits for what was found, and then for its grant.");
        self.draft.next.conn = self.reader.request.val().conn;
        self.draft.next.tags = self.place_3.q.val().tags;
        self.draft.next.is_ip4 = self.place_3.q.val().is_ip4;
        self.draft.next.udp = self.place_3.q.val().udp;
        self.draft.next.replaced = self.fields.captured.val().replaced;
        self.draft.next.second = self.remark.marked.val().second;
        self.draft.next.header_sum = self.remark.marked.val().sum;
        self.settler.push_draft.next = self.judge_3.q.val();
        self.settler.draft.next = self.draft.val();
        comment!(
            "Register 5: the rules, in whose order nothing but the checksum of the IPv4 header is left."
        );
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
        self.asked_5.d.next = self.found.val().is_data
            && self.found.val().is_ours
            && !self.found.val().is_unsupported
            && !self.is_bad.val();
        if self.has_types.val() {
            comment!("NACKs and control packets of the host pass.");
            self.asked_5.d.next = self.found.val().is_data
                && !self.classifier.other.val().any()
                && self.found.val().is_ours
                && !self.found.val().is_unsupported
                && !self.is_bad.val();
        }
        self.malformed_5.d.next = self.is_bad.val();
        self.checked_5.d.next =
            self.found.val().is_ip4 && !self.found.val().is_early && !self.found.val().is_unsupported;
        self.is_bad_sum.next = self.checked_5.q.val() && !self.header_sum.is_checksum_right.val();
        self.mark.next.is_requested = self.asked_5.q.val() && !self.is_bad_sum.val();
        self.mark.next.is_probe = self.request_5.q.val().is_probe;
        self.mark.next.is_malformed = self.malformed_5.q.val() || self.is_bad_sum.val();
        self.settler.push_mark.next = self.judge_5.q.val();
        self.settler.mark.next = self.mark.val();
        comment!("A request waits to be taken.");
        self.requests.push.next = self.judge_5.q.val() && self.mark.val().is_requested;
        self.requests.item.next = self.request_5.q.val();
        self.requests.is_held_up.next = false;
        self.requests.pop.next = self.requests.valid.val() && self.req_ready.val();
        self.request.next = self.requests.head.val();
        self.req_valid.next = self.requests.valid.val();
        self.req_is_probe.next = self.request.val().is_probe;
        self.req_conn.next = self.request.val().conn;
        self.req_psn.next = self.request.val().psn;
        self.req_bytes.next = self.request.val().bytes;
        self.req_destination_pdc.next = self.request.val().destination_pdc;
        self.req_is_ordered.next = self.request.val().is_ordered;
        comment!("Grants come in the order of the requests.");
        self.grants.push.next = self.grant_valid.val();
        self.grants.action.next = self.grant_action.val();
        self.grants.ev.next = self.grant_ev.val();
        self.grants.timestamp.next = self.grant_timestamp.val();
        self.grants.pop.next = self.settler.pop_grant.val();
        self.settler.has_grant.next = self.grants.has_grant.val();
        self.settler.grant.next = self.grants.grant.val();
        comment!(
            "A beat leaves when its packet is settled and the output is free. One that is dropped is never offered."
        );
        self.outlet.has_plan.next = self.settler.has_plan.val();
        self.outlet.plan.next = self.settler.plan.val();
        self.outlet.flow_label_enable.next = self.flow_label_enable.val();
        self.settler.is_served.next = self.outlet.is_served.val();
        self.outlet.m_ready.next = self.m_axis_tready.val() || self.token.q.val().is_dropped;
        self.is_free.next =
            !self.outlet.m_valid.val() || self.m_axis_tready.val() || self.token.q.val().is_dropped;
        if self.is_free.val() {
            self.token.d.next = self.settler.token.val();
        }
        self.m_axis_tvalid.next = self.outlet.m_valid.val() && !self.token.q.val().is_dropped;
        self.m_axis_tdata.next = self.outlet.m_data.val();
        self.m_axis_tkeep.next = self.outlet.m_keep.val();
        self.m_axis_tlast.next = self.outlet.m_last.val();
        self.m_axis_tuser.next = self.outlet.m_user.val();
        self.m_conn.next = self.token.q.val().conn;
        self.m_is_data.next = self.token.q.val().is_data;
        self.pkt_rewritten.next = self.settler.rewritten.val();
        self.pkt_passed.next = self.settler.passed.val();
        self.pkt_malformed.next = self.settler.malformed.val();
        self.pkt_dropped.next = self.settler.dropped.val();
        if self.rst.val() {
            self.is_ready.d.next = false;
            self.frames_in.d.next = bits::<6>(0);
            self.frames_out.d.next = bits::<6>(0);
            self.judge_3.d.next = false;
            self.judge_4.d.next = false;
            self.judge_5.d.next = false;
        }
    }
}
