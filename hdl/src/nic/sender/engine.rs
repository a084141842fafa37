//! The block: the parser of `rewrite_tx`, the requests, and the outlet that waits for their grants.

use respray_hdl_macros::block;
use rust_hdl::prelude::*;

use super::{Draft, GrantedNumber, Grants, HeaderReader, Mark, NumberPatch, PlacedNumber, Request, Settler};
use crate::comment;
use crate::config::Wire;
use crate::cores::rewrite::{Classifier, Findings, Halves, HeaderSum, Inlet, IpFields, Place};
use crate::cores::rewrite_rx::Queue;
use crate::cores::rewrite_tx::{Fields, Outlet, Remark};
use crate::manifest::MemoryKind;
use crate::prims::{Optional, Param, Reg};
use crate::wire;

/// Frames inside at which the input pauses. What still comes then has room among 32.
const FULL_FRAMES: u64 = 24;
/// Requests that can wait: more than there can be frames inside.
const REQUESTS: u64 = 32;

/// The sender. Its sizes are fields of [`BusSizes`](crate::cores::sizes::BusSizes).
/// Its queue has 128 beats, in block RAM: as LUTs they would cost more than all else.
#[block]
pub struct Sender<
    const DATA: usize,
    const BYTES: usize,
    const STEPS: usize,
    const BEAT_NUMBER: usize,
    const KEEP_AND_USER: usize,
> {
    /// Frames of the host, AXI4-Stream: first byte on the wire in bits 7:0.
    pub s_axis_tdata: Signal<In, Bits<DATA>>,
    pub s_axis_tkeep: Signal<In, Bits<BYTES>>,
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
    pub m_axis_tdata: Signal<Out, Bits<DATA>>,
    pub m_axis_tkeep: Signal<Out, Bits<BYTES>>,
    pub m_axis_tvalid: Signal<Out, Bit>,
    pub m_axis_tlast: Signal<Out, Bit>,
    pub m_axis_tuser: Signal<Out, Bits<1>>,
    pub m_axis_tready: Signal<In, Bit>,
    /// Where the host says who the peers are: the beat without the number of the peer.
    pub m_unnumbered_tdata: Optional<Signal<Out, Bits<DATA>>>,
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
    /// Where the host says who the peers are: the number by which the peer knows the connection, whether it is written, and what it
    /// changes in the sum under the UDP checksum.
    pub grant_peer: Optional<Signal<In, GrantedNumber>>,
    pub grant_change: Optional<Signal<In, Bits<16>>>,
    /// One of these four pulses for each frame, in order. Changed as granted.
    pub pkt_rewritten: Signal<Out, Bit>,
    /// Unchanged, nothing wrong with it.
    pub pkt_passed: Signal<Out, Bit>,
    /// Unchanged: truncated, bad checksum of the IPv4 header, or length mismatch.
    pub pkt_malformed: Signal<Out, Bit>,
    /// Not sent, as granted.
    pub pkt_dropped: Signal<Out, Bit>,

    inlet: Inlet<DATA, BYTES, STEPS, BEAT_NUMBER>,
    halves: Halves<DATA, STEPS>,
    header_sum: HeaderSum<STEPS>,
    ip_fields: IpFields,
    fields: Fields<STEPS>,
    reader: HeaderReader<STEPS>,
    remark: Remark,
    classifier: Classifier<8, 9>,
    requests: Queue<Request>,
    grants: Grants,
    settler: Settler<STEPS, BEAT_NUMBER>,
    outlet: Outlet<DATA, BYTES, STEPS, BEAT_NUMBER, KEEP_AND_USER, 7, 8>,

    #[reset = false]
    is_ready: Reg<Bit>,
    /// Whole frames that came in and that left.
    #[reset = 0]
    frames_in: Reg<Bits<6>>,
    #[reset = 0]
    frames_out: Reg<Bits<6>>,
    place_2: Reg<Place>,
    place_3: Reg<Place>,
    #[reset = false]
    judge_3: Reg<Bit>,
    #[reset = false]
    judge_4: Reg<Bit>,
    #[reset = false]
    judge_5: Reg<Bit>,
    length: Signal<Local, Bits<16>>,
    destination_port: Signal<Local, Bits<16>>,
    draft: Signal<Local, Draft>,
    request_4: Reg<Request>,
    request_5: Reg<Request>,
    found: Signal<Local, Findings>,
    asked_5: Reg<Bit>,
    malformed_5: Reg<Bit>,
    checked_5: Reg<Bit>,
    mark: Signal<Local, Mark>,
    request: Signal<Local, Request>,
    /// Of the beat in the outlet's register.
    conn: Reg<Bits<24>>,
    is_data: Reg<Bit>,
    /// There is one, and it is not dropped.
    #[reset = false]
    is_offered: Reg<Bit>,
    placed: Optional<Reg<PlacedNumber>>,
    number_patch: Optional<NumberPatch<DATA, STEPS>>,
    has_peers: Param<bool>,
    full_frames: Param<Bits<6>>,
    /// The profile tells its kinds by types.
    has_types: Param<bool>,
    /// With acknowledgements of Ultra Ethernet: bytes that a packet counts beside those behind the 12 of its header.
    pub nominal_extra: Optional<Signal<In, Bits<8>>>,
    counts_headers: Param<bool>,
    /// Of a control packet: it takes a PSN.
    has_own_psn: Optional<Reg<bool>>,
    ctl: Optional<Signal<Local, Bits<4>>>,
    is_control: Optional<Signal<Local, bool>>,
}

#[block]
impl<
    const DATA: usize,
    const BYTES: usize,
    const STEPS: usize,
    const BEAT_NUMBER: usize,
    const KEEP_AND_USER: usize,
> Sender<DATA, BYTES, STEPS, BEAT_NUMBER, KEEP_AND_USER>
{
    /// The block for a profile, with the beats in a memory of `kind`, for a host that says who the peers are, or does not.
    /// Packets count what follows their header, or as Ultra Ethernet counts them.
    pub fn new(wire: Wire, kind: MemoryKind, has_peers: bool, counts_headers: bool) -> Self {
        Self {
            nominal_extra: Optional::new(counts_headers, Default::default),
            has_own_psn: Optional::new(counts_headers, Default::default),
            ctl: Optional::new(counts_headers, Default::default),
            is_control: Optional::new(counts_headers, Default::default),
            counts_headers: Param::new(counts_headers),
            inlet: Inlet::new(false),
            halves: Halves::new(),
            header_sum: HeaderSum::new(),
            ip_fields: IpFields::new(false, false, false),
            fields: Fields::new(wire, false),
            reader: HeaderReader::new(wire, counts_headers),
            classifier: Classifier::new(wire, false, false, false),
            requests: Queue::new(
                "request_memory",
                "requests that wait to be taken",
                MemoryKind::Distributed,
                REQUESTS,
            ),
            grants: Grants::new(wire, has_peers),
            settler: Settler::new(wire, has_peers),
            grant_peer: Optional::new(has_peers, Default::default),
            grant_change: Optional::new(has_peers, Default::default),
            m_unnumbered_tdata: Optional::new(has_peers, Default::default),
            placed: Optional::new(has_peers, Default::default),
            number_patch: Optional::new(has_peers, || NumberPatch::new(wire)),
            has_peers: Param::new(has_peers),
            outlet: Outlet::new(wire, kind, false),
            full_frames: Param::new(FULL_FRAMES.into()),
            has_types: Param::new(wire::kinds(wire).has_types()),
            ..Default::default()
        }
    }

    fn update(&mut self) {
        comment!("Asks what is to become of each data packet and probe of the host, and does it.");
        comment!(
            "The input pauses for want of room for beats, or for frames: each takes a place in every queue."
        );
        let frames = self.frames_in - self.frames_out;
        self.is_ready = self.outlet.ready && (frames < self.full_frames);
        self.s_axis_tready = self.is_ready;
        let push = self.s_axis_tvalid && self.is_ready;
        if push && self.s_axis_tlast {
            self.frames_in = self.frames_in + 1;
        }
        if self.outlet.is_served {
            self.frames_out = self.frames_out + 1;
        }
        comment!("A beat goes into the queue and into the parser.");
        self.outlet.push = push;
        self.outlet.data = self.s_axis_tdata;
        self.outlet.keep = self.s_axis_tkeep;
        self.outlet.last = self.s_axis_tlast;
        self.outlet.user = self.s_axis_tuser;
        self.inlet.push = push;
        self.inlet.data = self.s_axis_tdata;
        self.inlet.keep = self.s_axis_tkeep;
        self.inlet.last = self.s_axis_tlast;
        comment!("Register 1 feeds the sum of the IPv4 header and the captures of fields.");
        self.halves.data = self.inlet.word;
        self.header_sum.push = push;
        self.header_sum.valid = self.inlet.valid;
        self.header_sum.first = self.inlet.first;
        self.header_sum.place = self.inlet.place;
        self.ip_fields.valid = self.inlet.valid;
        self.ip_fields.place = self.inlet.place;
        self.remark.valid = self.inlet.valid;
        self.remark.place = self.inlet.place;
        self.remark.place_2 = self.place_2;
        self.remark.second = self.ip_fields.second;
        self.remark.second_1 = self.ip_fields.second_1;
        self.fields.valid = self.inlet.valid;
        self.fields.last = self.inlet.is_last;
        self.fields.place = self.inlet.place;
        self.fields.is_odd_2 = self.place_2.udp.get_bit(0);
        self.reader.valid = self.inlet.valid;
        self.reader.place = self.inlet.place;
        self.reader.is_odd_2 = self.place_2.udp.get_bit(0);
        for i in 0..16 {
            self.header_sum.even[i] = self.halves.even[i];
            self.header_sum.odd[i] = self.halves.odd[i];
            self.ip_fields.even[i] = self.halves.even[i];
            self.ip_fields.odd[i] = self.halves.odd[i];
            self.remark.even[i] = self.halves.even[i];
            self.fields.even[i] = self.halves.even[i];
            self.fields.odd[i] = self.halves.odd[i];
            self.reader.even[i] = self.halves.even[i];
            self.reader.odd[i] = self.halves.odd[i];
        }
        comment!("Register 3 holds the fields, register 4 what the tests found.");
        self.place_2 = self.inlet.place;
        self.place_3 = self.place_2;
        self.judge_3 = self.fields.judge_2;
        self.judge_4 = self.judge_3;
        self.judge_5 = self.judge_4;
        comment!("The UDP header's fields stand by the parity of UDP's first step.");
        self.draft.source_port = self.fields.captured.odd_half_even_step;
        self.draft.checksum = self.fields.captured.even_half_even_step;
        self.destination_port = self.fields.captured.even_half_odd_step;
        self.length = self.fields.captured.odd_half_odd_step;
        if self.place_3.udp.get_bit(0) {
            self.draft.source_port = self.fields.captured.odd_half_odd_step;
            self.draft.checksum = self.fields.captured.even_half_odd_step;
            self.destination_port = self.fields.captured.even_half_even_step;
            self.length = self.fields.captured.odd_half_even_step;
        }
        self.classifier.last = self.inlet.is_last;
        self.classifier.last_index = self.inlet.last_index;
        self.classifier.place_2 = self.place_2;
        self.classifier.is_ip4 = self.place_3.is_ip4;
        self.classifier.ip = self.ip_fields.ip;
        self.classifier.lead = self.fields.captured.lead;
        self.classifier.is_ours = self.destination_port == self.udp_port;
        self.classifier.is_contradiction = bit_cast::<17, 16>(self.length) != self.classifier.agreed;
        self.reader.length = self.length;
        self.reader.lead = self.fields.captured.lead;
        self.request_4 = self.reader.request;
        self.request_5 = self.request_4;
        comment!("What a frame says waits for what was found, and then for its grant.");
        self.draft.conn = self.reader.request.conn;
        self.draft.tags = self.place_3.tags;
        self.draft.is_ip4 = self.place_3.is_ip4;
        self.draft.udp = self.place_3.udp;
        self.draft.replaced = self.fields.captured.replaced;
        self.draft.second = self.remark.marked.second;
        self.draft.header_sum = self.remark.marked.sum;
        self.settler.push_draft = self.judge_3;
        self.settler.draft = self.draft;
        comment!(
            "Register 5: the rules, in whose order nothing but the checksum of the IPv4 header is left."
        );
        self.found = self.classifier.findings;
        let is_kind = self.found.is_data || self.found.is_ack;
        let mut is_bad = self.found.is_early
            || (!self.found.is_unsupported
                && (self.found.is_cut_in_udp
                    || (self.found.is_ours
                        && (self.found.is_contradiction
                            || self.found.is_cut_in_lead
                            || (is_kind
                                && (self.found.is_short
                                    || self.found.is_cut
                                    || self.found.is_wrong_length))))));
        if self.has_types {
            is_bad =
                is_bad || (self.classifier.contradicts && self.found.is_ours && !self.found.is_unsupported);
        }
        self.asked_5 = self.found.is_data && self.found.is_ours && !self.found.is_unsupported && !is_bad;
        if self.has_types {
            comment!("NACKs and control packets of the host pass.");
            self.asked_5 = self.found.is_data
                && !self.classifier.other.any()
                && self.found.is_ours
                && !self.found.is_unsupported
                && !is_bad;
        }
        if self.counts_headers {
            comment!("Control packets 0, 4, 5 and 9 ask, too: they take a PSN, and no EV.");
            self.ctl = self.fields.captured.lead.get_bits::<4>(7);
            self.has_own_psn = (self.ctl == 0) || (self.ctl == 4) || (self.ctl == 5) || (self.ctl == 9);
            self.is_control = self.found.is_data && (self.classifier.other == 2);
            self.asked_5 = self.found.is_data
                && (!self.classifier.other.any() || (self.is_control && self.has_own_psn))
                && self.found.is_ours
                && !self.found.is_unsupported
                && !is_bad;
            self.request_5.is_probe = self.is_control;
        }
        self.malformed_5 = is_bad;
        self.checked_5 = self.found.is_ip4 && !self.found.is_early && !self.found.is_unsupported;
        let is_bad_sum = self.checked_5 && !self.header_sum.is_checksum_right;
        self.mark.is_requested = self.asked_5 && !is_bad_sum;
        self.mark.is_probe = self.request_5.is_probe;
        self.mark.is_malformed = self.malformed_5 || is_bad_sum;
        self.settler.push_mark = self.judge_5;
        self.settler.mark = self.mark;
        comment!("A request waits to be taken.");
        self.requests.push = self.judge_5 && self.mark.is_requested;
        self.requests.item = self.request_5;
        self.requests.is_held_up = false;
        self.requests.pop = self.requests.valid && self.req_ready;
        self.request = self.requests.head;
        self.req_valid = self.requests.valid;
        self.req_is_probe = self.request.is_probe;
        self.req_conn = self.request.conn;
        self.req_psn = self.request.psn;
        self.req_bytes = self.request.bytes;
        if self.counts_headers {
            self.req_bytes = self.request.bytes + bit_cast::<16, 8>(self.nominal_extra);
            if self.request.is_probe {
                self.req_bytes = 0;
            }
        }
        self.req_destination_pdc = self.request.destination_pdc;
        self.req_is_ordered = self.request.is_ordered;
        comment!("Grants come in the order of the requests.");
        self.grants.push = self.grant_valid;
        self.grants.action = self.grant_action;
        self.grants.ev = self.grant_ev;
        self.grants.timestamp = self.grant_timestamp;
        self.grants.pop = self.settler.pop_grant;
        self.settler.has_grant = self.grants.has_grant;
        self.settler.grant = self.grants.grant;
        if self.has_peers {
            self.grants.number = self.grant_peer;
            self.grants.change = self.grant_change;
            self.settler.granted_number = self.grants.granted_number;
        }
        comment!(
            "A beat leaves when its packet is settled and the output is free. One that is dropped is never offered."
        );
        self.outlet.has_plan_next = self.settler.has_plan_next;
        self.outlet.plan = self.settler.plan;
        self.outlet.flow_label_enable = self.flow_label_enable;
        self.settler.is_served = self.outlet.is_served;
        let is_free = !self.is_offered || self.m_axis_tready;
        self.outlet.is_free = is_free;
        if is_free {
            self.conn = self.settler.token.conn;
            self.is_data = self.settler.token.is_data;
            self.is_offered = self.outlet.takes && !self.settler.token.is_dropped;
        }
        self.m_axis_tvalid = self.is_offered;
        self.m_axis_tdata = self.outlet.m_data;
        if self.has_peers {
            comment!("The number by which the peer knows the connection is written behind the outlet.");
            if is_free {
                self.placed = self.settler.placed_number;
            }
            self.number_patch.data = self.outlet.m_data;
            self.number_patch.leaves = self.outlet.m_valid && is_free;
            self.number_patch.is_last = self.outlet.m_last;
            self.number_patch.placed = self.placed;
            self.m_axis_tdata = self.number_patch.patched;
            self.m_unnumbered_tdata = self.outlet.m_data;
        }
        self.m_axis_tkeep = self.outlet.m_keep;
        self.m_axis_tlast = self.outlet.m_last;
        self.m_axis_tuser = self.outlet.m_user;
        self.m_conn = self.conn;
        self.m_is_data = self.is_data;
        self.pkt_rewritten = self.settler.rewritten;
        self.pkt_passed = self.settler.passed;
        self.pkt_malformed = self.settler.malformed;
        self.pkt_dropped = self.settler.dropped;
    }
}
