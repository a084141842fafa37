//! From what a frame says and what was granted to what is done to it.

use respray_hdl_macros::hdl_gen;
use rust_hdl::prelude::*;

use super::Grant;
use crate::comment;
use crate::config::Wire;
use crate::cores::rewrite::Place;
use crate::cores::rewrite_tx::{Captured, Marked, Plan, Planner};
use crate::prims::{DirectMemory, Param, bits_of};
use crate::wire;

/// Of a frame all that its plan is made of, but for the grant.
#[derive(Copy, Clone, Debug, Default, PartialEq, LogicStruct)]
pub struct Draft {
    pub conn: Bits<24>,
    /// VLAN tags.
    pub tags: Bits<2>,
    /// IPv4, else IPv6.
    pub is_ip4: Bit,
    /// Step of the UDP source port.
    pub udp: Bits<5>,
    /// UDP checksum and source port as they stand in the frame.
    pub checksum: Bits<16>,
    pub source_port: Bits<16>,
    /// What the timestamp replaces.
    pub replaced: Bits<16>,
    /// IP's second byte, with ECT(0).
    pub second: Bits<8>,
    /// The IPv4 checksum's complement and what ECT(0) changes.
    pub header_sum: Bits<17>,
}

/// What was found out about the same frame, some cycles later.
#[derive(Copy, Clone, Debug, Default, PartialEq, LogicStruct)]
pub struct Mark {
    /// A request was made.
    pub is_requested: Bit,
    pub is_probe: Bit,
    pub is_malformed: Bit,
}

/// What goes beside a frame's plan.
#[derive(Copy, Clone, Debug, Default, PartialEq, LogicStruct)]
pub struct Token {
    pub conn: Bits<24>,
    /// A data packet that is rewritten.
    pub is_data: Bit,
    pub is_dropped: Bit,
}

/// Frames in their order: a draft and a mark of each go in, a plan and a token come out as soon as its grant is there, or at once
/// if no request was made.
///
/// Nothing here waits but at its head, and at most 31 frames may be between the two ends: the sender pauses its input before.
#[derive(LogicBlock, Default)]
pub struct Settler {
    pub clk: Signal<In, Clock>,
    pub rst: Signal<In, Bit>,
    /// Takes a draft.
    pub push_draft: Signal<In, Bit>,
    pub draft: Signal<In, Draft>,
    /// Takes the mark of the oldest draft that has none.
    pub push_mark: Signal<In, Bit>,
    pub mark: Signal<In, Mark>,
    pub has_grant: Signal<In, Bit>,
    pub grant: Signal<In, Grant>,
    /// The grant is used.
    pub pop_grant: Signal<Out, Bit>,
    /// The oldest plan, if there is one.
    pub has_plan: Signal<Out, Bit>,
    pub plan: Signal<Out, Plan>,
    pub token: Signal<Out, Token>,
    /// The plan has served its last beat.
    pub is_served: Signal<In, Bit>,
    pub rewritten: Signal<Out, Bit>,
    pub passed: Signal<Out, Bit>,
    pub malformed: Signal<Out, Bit>,
    pub dropped: Signal<Out, Bit>,

    drafts: DirectMemory<Draft>,
    marks: DirectMemory<Mark>,
    draft_write: DFF<Bits<5>>,
    mark_write: DFF<Bits<5>>,
    read_at: DFF<Bits<5>>,
    oldest: Signal<Local, Mark>,
    is_settled: Signal<Local, Bit>,

    settled_1: DFF<Bit>,
    draft_1: DFF<Draft>,
    mark_1: DFF<Mark>,
    grant_1: DFF<Grant>,
    is_rewritten: Signal<Local, Bit>,
    is_dropped: Signal<Local, Bit>,
    place: Signal<Local, Place>,
    captured: Signal<Local, Captured>,
    marked: Signal<Local, Marked>,
    planner: Planner,

    settled_2: DFF<Bit>,
    rewritten_2: DFF<Bit>,
    token_2: DFF<Token>,
    passed_2: DFF<Bit>,
    malformed_2: DFF<Bit>,
    dropped_2: DFF<Bit>,
    plans: DirectMemory<Plan>,
    tokens: DirectMemory<Token>,
    plan_write: DFF<Bits<5>>,
    plan_read: DFF<Bits<5>>,
    /// The profile has a timestamp.
    has_stamp: Param<Bit>,
}

impl Settler {
    /// For a profile.
    pub fn new(wire: Wire) -> Self {
        Self {
            drafts: DirectMemory::new("draft_memory", "what frames say that are not settled"),
            marks: DirectMemory::new("mark_memory", "whether a request was made for them")
                .with_votes(bits_of::<Mark>("is_requested", "is_requested")),
            plans: DirectMemory::new("plan_memory", "what to write into the packets of the beat queue"),
            tokens: DirectMemory::new("token_memory", "their connections, and which of them are dropped"),
            has_stamp: Param::new(wire::kinds(wire).stamp_steps().is_some()),
            ..Default::default()
        }
    }
}

impl Logic for Settler {
    #[hdl_gen]
    fn update(&mut self) {
        comment!("Brings frames and their grants together.");
        dff_setup!(self, clk, draft_write, mark_write, read_at, settled_1, draft_1, mark_1, grant_1);
        dff_setup!(self, clk, settled_2, rewritten_2, passed_2, malformed_2, dropped_2, token_2);
        dff_setup!(self, clk, plan_write, plan_read);
        self.drafts.clk.next = self.clk.val();
        self.marks.clk.next = self.clk.val();
        self.plans.clk.next = self.clk.val();
        self.tokens.clk.next = self.clk.val();
        self.planner.clk.next = self.clk.val();
        self.drafts.write_enable.next = self.push_draft.val();
        self.drafts.write_address.next = self.draft_write.q.val();
        self.drafts.write_data.next = self.draft.val();
        self.draft_write.d.next = self.draft_write.q.val() + self.push_draft.val();
        self.marks.write_enable.next = self.push_mark.val();
        self.marks.write_address.next = self.mark_write.q.val();
        self.marks.write_data.next = self.mark.val();
        self.mark_write.d.next = self.mark_write.q.val() + self.push_mark.val();
        comment!("The oldest frame is settled when it has its grant, or needs none.");
        self.drafts.read_address.next = self.read_at.q.val();
        self.marks.read_address.next = self.read_at.q.val();
        self.oldest.next = self.marks.read_data.val();
        self.is_settled.next = (self.read_at.q.val() != self.mark_write.q.val())
            && (!self.oldest.val().is_requested || self.has_grant.val());
        self.pop_grant.next = self.is_settled.val() && self.oldest.val().is_requested;
        self.read_at.d.next = self.read_at.q.val() + self.is_settled.val();
        self.settled_1.d.next = self.is_settled.val();
        self.draft_1.d.next = self.drafts.read_data.val();
        self.mark_1.d.next = self.oldest.val();
        self.grant_1.d.next = self.grant.val();
        comment!(
            "The plan of a frame for which no request was made, or that passes unchanged, writes nothing."
        );
        self.is_rewritten.next =
            self.mark_1.q.val().is_requested && (self.grant_1.q.val().action == bits::<2>(0));
        self.is_dropped.next = self.mark_1.q.val().is_requested && self.grant_1.q.val().action.get_bit(1);
        self.place.next.tags = self.draft_1.q.val().tags;
        self.place.next.is_ip4 = self.draft_1.q.val().is_ip4;
        self.place.next.is_ip6 = !self.draft_1.q.val().is_ip4;
        self.place.next.is_malformed = false;
        self.place.next.udp = self.draft_1.q.val().udp;
        self.place.next.is_even = !self.draft_1.q.val().udp.get_bit(0);
        self.place.next.ahead = bits::<6>(0);
        self.place.next.front = bits::<16>(0);
        comment!("The fields are chosen already, so they stand at the places of both parities.");
        self.captured.next.even_half_even_step = self.draft_1.q.val().checksum;
        self.captured.next.even_half_odd_step = self.draft_1.q.val().checksum;
        self.captured.next.odd_half_even_step = self.draft_1.q.val().source_port;
        self.captured.next.odd_half_odd_step = self.draft_1.q.val().source_port;
        self.captured.next.lead = bits::<16>(0);
        self.captured.next.is_stamped = self.has_stamp.val();
        self.captured.next.replaced = self.draft_1.q.val().replaced;
        self.marked.next.second = self.draft_1.q.val().second;
        self.marked.next.sum = self.draft_1.q.val().header_sum;
        self.planner.place.next = self.place.val();
        self.planner.captured.next = self.captured.val();
        self.planner.marked.next = self.marked.val();
        self.planner.ev.next = self.grant_1.q.val().ev;
        self.planner.timestamp.next = self.grant_1.q.val().timestamp;
        self.planner.written.next = self.grant_1.q.val().written;
        self.planner.is_rewritten.next = self.rewritten_2.q.val();
        self.settled_2.d.next = self.settled_1.q.val();
        self.rewritten_2.d.next = self.settled_1.q.val() && self.is_rewritten.val();
        self.malformed_2.d.next = self.settled_1.q.val() && self.mark_1.q.val().is_malformed;
        self.passed_2.d.next = self.settled_1.q.val()
            && !self.is_rewritten.val()
            && !self.is_dropped.val()
            && !self.mark_1.q.val().is_malformed;
        self.dropped_2.d.next = self.settled_1.q.val() && self.is_dropped.val();
        self.token_2.d.next.conn = self.draft_1.q.val().conn;
        self.token_2.d.next.is_data = self.is_rewritten.val() && !self.mark_1.q.val().is_probe;
        self.token_2.d.next.is_dropped = self.is_dropped.val();
        comment!("A plan waits for the beats of its frame to leave.");
        self.plans.write_enable.next = self.settled_2.q.val();
        self.plans.write_address.next = self.plan_write.q.val();
        self.plans.write_data.next = self.planner.plan.val();
        self.plans.read_address.next = self.plan_read.q.val();
        self.tokens.write_enable.next = self.settled_2.q.val();
        self.tokens.write_address.next = self.plan_write.q.val();
        self.tokens.write_data.next = self.token_2.q.val();
        self.tokens.read_address.next = self.plan_read.q.val();
        self.plan_write.d.next = self.plan_write.q.val() + self.settled_2.q.val();
        self.plan_read.d.next = self.plan_read.q.val() + self.is_served.val();
        self.has_plan.next = self.plan_read.q.val() != self.plan_write.q.val();
        self.plan.next = self.plans.read_data.val();
        self.token.next = self.tokens.read_data.val();
        self.rewritten.next = self.rewritten_2.q.val();
        self.passed.next = self.passed_2.q.val();
        self.malformed.next = self.malformed_2.q.val();
        self.dropped.next = self.dropped_2.q.val();
        if self.rst.val() {
            self.draft_write.d.next = bits::<5>(0);
            self.mark_write.d.next = bits::<5>(0);
            self.read_at.d.next = bits::<5>(0);
            self.settled_1.d.next = false;
            self.settled_2.d.next = false;
            self.rewritten_2.d.next = false;
            self.passed_2.d.next = false;
            self.malformed_2.d.next = false;
            self.dropped_2.d.next = false;
            self.plan_write.d.next = bits::<5>(0);
            self.plan_read.d.next = bits::<5>(0);
        }
    }
}
