//! From what a frame says and what was granted to what is done to it.

use respray_hdl_macros::block;
use rust_hdl::prelude::*;

use super::{Grant, GrantedNumber, PlacedNumber};
use crate::comment;
use crate::config::Wire;
use crate::cores::rewrite::Place;
use crate::cores::rewrite_tx::{Captured, Marked, Plan, Planner};
use crate::prims::{DirectMemory, Optional, Param, Reg, bits_of};
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
#[block]
pub struct Settler<const STEPS: usize, const BEAT_NUMBER: usize> {
    /// Takes a draft.
    pub push_draft: Signal<In, Bit>,
    pub draft: Signal<In, Draft>,
    /// Takes the mark of the oldest draft that has none.
    pub push_mark: Signal<In, Bit>,
    pub mark: Signal<In, Mark>,
    pub has_grant: Signal<In, Bit>,
    pub grant: Signal<In, Grant>,
    /// Where the host says who the peers are: beside the grant, and beside the plan.
    pub granted_number: Optional<Signal<In, GrantedNumber>>,
    pub placed_number: Optional<Signal<Out, PlacedNumber>>,
    /// The grant is used.
    pub pop_grant: Signal<Out, Bit>,
    /// A plan is there in the next cycle.
    pub has_plan_next: Signal<Out, Bit>,
    /// The oldest plan, if there is one.
    pub plan: Signal<Out, Plan<STEPS, BEAT_NUMBER>>,
    pub token: Signal<Out, Token>,
    /// The plan has served its last beat.
    pub is_served: Signal<In, Bit>,
    pub rewritten: Signal<Out, Bit>,
    pub passed: Signal<Out, Bit>,
    pub malformed: Signal<Out, Bit>,
    pub dropped: Signal<Out, Bit>,

    drafts: DirectMemory<Draft>,
    marks: DirectMemory<Mark>,
    #[reset = 0]
    draft_write: Reg<Bits<5>>,
    #[reset = 0]
    mark_write: Reg<Bits<5>>,
    #[reset = 0]
    read_at: Reg<Bits<5>>,
    oldest: Signal<Local, Mark>,

    #[reset = false]
    settled_1: Reg<Bit>,
    draft_1: Reg<Draft>,
    mark_1: Reg<Mark>,
    grant_1: Reg<Grant>,
    place: Signal<Local, Place>,
    captured: Signal<Local, Captured>,
    marked: Signal<Local, Marked>,
    planner: Planner<STEPS, BEAT_NUMBER>,

    #[reset = false]
    settled_2: Reg<Bit>,
    #[reset = false]
    rewritten_2: Reg<Bit>,
    token_2: Reg<Token>,
    #[reset = false]
    passed_2: Reg<Bit>,
    #[reset = false]
    malformed_2: Reg<Bit>,
    #[reset = false]
    dropped_2: Reg<Bit>,
    plans: DirectMemory<Plan<STEPS, BEAT_NUMBER>>,
    tokens: DirectMemory<Token>,
    #[reset = 0]
    plan_write: Reg<Bits<5>>,
    #[reset = 0]
    plan_read: Reg<Bits<5>>,
    number_1: Optional<Reg<GrantedNumber>>,
    number_2: Optional<Reg<Bits<24>>>,
    is_numbered_2: Optional<Reg<bool>>,
    udp_2: Optional<Reg<Bits<5>>>,
    numbers: Optional<DirectMemory<PlacedNumber>>,
    has_peers: Param<bool>,
    /// The profile has a timestamp.
    has_stamp: Param<Bit>,
}

#[block]
impl<const STEPS: usize, const BEAT_NUMBER: usize> Settler<STEPS, BEAT_NUMBER> {
    /// For a profile, with numbers of peers or without.
    pub fn new(wire: Wire, has_peers: bool) -> Self {
        Self {
            drafts: DirectMemory::new("draft_memory", "what frames say that are not settled"),
            marks: DirectMemory::new("mark_memory", "whether a request was made for them")
                .with_votes(bits_of::<Mark>("is_requested", "is_requested")),
            plans: DirectMemory::new("plan_memory", "what to write into the packets of the beat queue"),
            planner: Planner::new(false, false),
            tokens: DirectMemory::new("token_memory", "their connections, and which of them are dropped"),
            granted_number: Optional::new(has_peers, Default::default),
            placed_number: Optional::new(has_peers, Default::default),
            number_1: Optional::new(has_peers, Default::default),
            number_2: Optional::new(has_peers, Default::default),
            is_numbered_2: Optional::new(has_peers, Default::default),
            udp_2: Optional::new(has_peers, Default::default),
            numbers: Optional::new(has_peers, || {
                DirectMemory::new("number_memory", "the numbers that are written into them, and where")
            }),
            has_peers: Param::new(has_peers),
            has_stamp: Param::new(wire::kinds(wire).stamp_steps().is_some()),
            ..Default::default()
        }
    }

    fn update(&mut self) {
        comment!("Brings frames and their grants together.");
        self.drafts.write_enable = self.push_draft;
        self.drafts.write_address = self.draft_write;
        self.drafts.write_data = self.draft;
        self.draft_write = self.draft_write + self.push_draft;
        self.marks.write_enable = self.push_mark;
        self.marks.write_address = self.mark_write;
        self.marks.write_data = self.mark;
        self.mark_write = self.mark_write + self.push_mark;
        comment!("The oldest frame is settled when it has its grant, or needs none.");
        self.drafts.read_address = self.read_at;
        self.marks.read_address = self.read_at;
        self.oldest = self.marks.read_data;
        let is_settled = (self.read_at != self.mark_write) && (!self.oldest.is_requested || self.has_grant);
        self.pop_grant = is_settled && self.oldest.is_requested;
        self.read_at = self.read_at + is_settled;
        self.settled_1 = is_settled;
        self.draft_1 = self.drafts.read_data;
        self.mark_1 = self.oldest;
        self.grant_1 = self.grant;
        comment!(
            "The plan of a frame for which no request was made, or that passes unchanged, writes nothing."
        );
        let is_rewritten = self.mark_1.is_requested && (self.grant_1.action == 0);
        let is_dropped = self.mark_1.is_requested && self.grant_1.action.get_bit(1);
        self.place.tags = self.draft_1.tags;
        self.place.is_ip4 = self.draft_1.is_ip4;
        self.place.is_ip6 = !self.draft_1.is_ip4;
        self.place.is_malformed = false;
        self.place.udp = self.draft_1.udp;
        self.place.is_even = !self.draft_1.udp.get_bit(0);
        self.place.ahead = 0;
        self.place.front = 0;
        comment!("The fields are chosen already, so they stand at the places of both parities.");
        self.captured.even_half_even_step = self.draft_1.checksum;
        self.captured.even_half_odd_step = self.draft_1.checksum;
        self.captured.odd_half_even_step = self.draft_1.source_port;
        self.captured.odd_half_odd_step = self.draft_1.source_port;
        self.captured.lead = 0;
        self.captured.is_stamped = self.has_stamp;
        self.captured.replaced = self.draft_1.replaced;
        self.marked.second = self.draft_1.second;
        self.marked.sum = self.draft_1.header_sum;
        self.planner.place = self.place;
        self.planner.captured = self.captured;
        self.planner.marked = self.marked;
        self.planner.ev = self.grant_1.ev;
        self.planner.timestamp = self.grant_1.timestamp;
        self.planner.written = self.grant_1.written;
        self.planner.is_rewritten = self.rewritten_2;
        self.settled_2 = self.settled_1;
        self.rewritten_2 = self.settled_1 && is_rewritten;
        self.malformed_2 = self.settled_1 && self.mark_1.is_malformed;
        self.passed_2 = self.settled_1 && !is_rewritten && !is_dropped && !self.mark_1.is_malformed;
        self.dropped_2 = self.settled_1 && is_dropped;
        self.token_2.conn = self.draft_1.conn;
        self.token_2.is_data = is_rewritten && !self.mark_1.is_probe;
        self.token_2.is_dropped = is_dropped;
        comment!("A plan waits for the beats of its frame to leave.");
        self.plans.write_enable = self.settled_2;
        self.plans.write_address = self.plan_write;
        self.plans.write_data = self.planner.plan;
        self.plans.read_address = self.plan_read;
        self.tokens.write_enable = self.settled_2;
        self.tokens.write_address = self.plan_write;
        self.tokens.write_data = self.token_2;
        self.tokens.read_address = self.plan_read;
        self.plan_write = self.plan_write + self.settled_2;
        self.plan_read = self.plan_read + self.is_served;
        let left = self.plan_write - self.plan_read;
        self.has_plan_next = self.settled_2 || left.any();
        if self.is_served {
            self.has_plan_next = self.settled_2 || (left >> 1).any();
        }
        self.plan = self.plans.read_data;
        self.token = self.tokens.read_data;
        if self.has_peers {
            comment!("The number of the peer goes beside the plan.");
            self.number_1 = self.granted_number;
            self.number_2 = self.number_1.number;
            self.is_numbered_2 = self.number_1.is_there & is_rewritten;
            self.udp_2 = self.draft_1.udp;
            self.numbers.write_enable = self.settled_2;
            self.numbers.write_address = self.plan_write;
            self.numbers.write_data = (bit_cast::<30, 5>(self.udp_2) << 25)
                | (bit_cast::<30, 1>(self.is_numbered_2.into()) << 24)
                | bit_cast::<30, 24>(self.number_2);
            self.numbers.read_address = self.plan_read;
            self.placed_number = self.numbers.read_data;
        }
        self.rewritten = self.rewritten_2;
        self.passed = self.passed_2;
        self.malformed = self.malformed_2;
        self.dropped = self.dropped_2;
    }
}
