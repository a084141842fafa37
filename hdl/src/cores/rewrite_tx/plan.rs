//! From a judged frame to what is written into it.

use rust_hdl::prelude::*;

use crate::comment;
use crate::cores::rewrite::{Captured, Layout};

/// What the output does to a frame.
#[derive(Copy, Clone, Debug, Default, PartialEq, LogicStruct)]
pub struct Plan {
    /// Anything at all.
    pub is_rewritten: Bit,
    pub is_ip4: Bit,
    /// The timestamp.
    pub is_stamped: Bit,
    /// The UDP checksum.
    pub is_summed: Bit,
    /// VLAN tags: IP's first halfword is the odd one of step 3 + `tags`.
    pub tags: Bits<2>,
    /// Step of the UDP source port; UDP checksum and timestamp are 2 and 5 steps behind.
    pub udp: Bits<5>,
    /// IP's second byte.
    pub second: Bits<8>,
    /// EV and timestamp, by the parity of the step where they are written.
    pub in_even_steps: Bits<16>,
    pub in_odd_steps: Bits<16>,
    /// IPv4 checksum, or the low half of the flow label.
    pub in_ip: Bits<16>,
    pub udp_checksum: Bits<16>,
}

/// What of a plan needs no sums.
#[derive(Copy, Clone, Debug, Default, PartialEq, LogicStruct)]
struct Terms {
    is_ip4: Bit,
    is_stamped: Bit,
    is_summed: Bit,
    tags: Bits<2>,
    udp: Bits<5>,
    second: Bits<8>,
    ev: Bits<16>,
    timestamp: Bits<16>,
}

/// Checksums by incremental update (RFC 1624 eqn 3): two registers from captured fields to the plan.
#[derive(LogicBlock)]
pub struct Planner {
    pub clk: Signal<In, Clock>,
    pub layout: Signal<In, Layout>,
    pub captured: Signal<In, Captured>,
    pub ev: Signal<In, Bits<16>>,
    pub timestamp: Signal<In, Bits<16>>,
    /// Their sum with end-around carry.
    pub ev_timestamp: Signal<In, Bits<16>>,
    pub is_rewritten: Signal<In, Bit>,
    pub plan: Signal<Out, Plan>,

    is_stamped: Signal<Local, Bit>,
    added: Signal<Local, Bits<16>>,
    removed: Signal<Local, Bits<16>>,
    ecn_change: Signal<Local, Bits<16>>,
    held: DFF<Terms>,
    leaving: DFF<Bits<17>>,
    arriving: DFF<Bits<17>>,
    header: DFF<Bits<17>>,
    total: Signal<Local, Bits<18>>,
    folded: Signal<Local, Bits<17>>,
    udp_sum: Signal<Local, Bits<16>>,
    header_sum: Signal<Local, Bits<16>>,
    answer: Signal<Local, Plan>,
    is_uet: Constant<Bit>,
}

impl Planner {
    /// For the profile `uet`, which has no timestamp in its requests, or for `strack`.
    pub fn new(is_uet: bool) -> Self {
        Planner {
            clk: Default::default(),
            layout: Default::default(),
            captured: Default::default(),
            ev: Default::default(),
            timestamp: Default::default(),
            ev_timestamp: Default::default(),
            is_rewritten: Default::default(),
            plan: Default::default(),
            is_stamped: Default::default(),
            added: Default::default(),
            removed: Default::default(),
            ecn_change: Default::default(),
            held: Default::default(),
            leaving: Default::default(),
            arriving: Default::default(),
            header: Default::default(),
            total: Default::default(),
            folded: Default::default(),
            udp_sum: Default::default(),
            header_sum: Default::default(),
            answer: Default::default(),
            is_uet: Constant::new(is_uet),
        }
    }
}

impl Logic for Planner {
    #[hdl_gen]
    fn update(&mut self) {
        comment!("Works out what to write into a frame.");
        dff_setup!(self, clk, held, leaving, arriving, header);
        comment!("Register 4: the checksum's terms. What is added is the complement: a difference of sums of halfwords.");
        self.added.next = !self.ev.val();
        self.removed.next = bits::<16>(0);
        if self.is_uet.val() {
            self.is_stamped.next = false;
        } else {
            self.is_stamped.next = (self.captured.val().lead.get_bits::<3>(13) == bits::<3>(0))
                && (self.captured.val().lead.get_bits::<5>(8) != bits::<5>(0x11));
            if self.is_stamped.val() {
                self.added.next = !self.ev_timestamp.val();
                self.removed.next = self.captured.val().timestamp;
            }
        }
        self.held.d.next.tags = bits::<2>(0);
        if self.layout.val().tagged {
            self.held.d.next.tags = bits::<2>(1);
            if self.layout.val().tagged_twice {
                self.held.d.next.tags = bits::<2>(2);
            }
        }
        self.held.d.next.is_ip4 = self.layout.val().is_ip4;
        self.held.d.next.is_stamped = self.is_stamped.val();
        self.held.d.next.is_summed = self.captured.val().udp_checksum != bits::<16>(0);
        self.held.d.next.udp = self.layout.val().udp;
        if self.layout.val().is_ip4 {
            self.held.d.next.second = (self.captured.val().second & bits::<8>(0xFC)) | bits::<8>(0x02);
        } else {
            self.held.d.next.second = (self.captured.val().second & bits::<8>(0xCF)) | bits::<8>(0x20);
        }
        self.held.d.next.ev = self.ev.val();
        self.held.d.next.timestamp = self.timestamp.val();
        self.leaving.d.next = bit_cast::<17, 16>(self.captured.val().udp_checksum)
            + bit_cast::<17, 16>(self.captured.val().source_port);
        self.arriving.d.next = bit_cast::<17, 16>(self.removed.val()) + bit_cast::<17, 16>(self.added.val());
        comment!("ECT(0) less the old codepoint, as a sum of halfwords would add it.");
        self.ecn_change.next = bits::<16>(0xFFFF);
        if self.captured.val().ecn == bits::<2>(0) {
            self.ecn_change.next = bits::<16>(2);
        }
        if self.captured.val().ecn == bits::<2>(1) {
            self.ecn_change.next = bits::<16>(1);
        }
        if self.captured.val().ecn == bits::<2>(3) {
            self.ecn_change.next = bits::<16>(0xFFFE);
        }
        self.header.d.next =
            bit_cast::<17, 16>(!self.captured.val().ip_checksum) + bit_cast::<17, 16>(self.ecn_change.val());
        comment!(
            "The sums, their carries brought around. The UDP checksum comes as it is sent: a sum of 0 comes as all ones, as none of the terms' sums is 0."
        );
        self.total.next =
            bit_cast::<18, 17>(self.leaving.q.val()) + bit_cast::<18, 17>(self.arriving.q.val());
        self.folded.next = bit_cast::<17, 16>(self.total.val().get_bits::<16>(0))
            + bit_cast::<17, 2>(self.total.val().get_bits::<2>(16));
        self.udp_sum.next =
            self.folded.val().get_bits::<16>(0) + bit_cast::<16, 1>(self.folded.val().get_bits::<1>(16));
        self.answer.next.udp_checksum = self.udp_sum.val();
        self.header_sum.next =
            self.header.q.val().get_bits::<16>(0) + bit_cast::<16, 1>(self.header.q.val().get_bits::<1>(16));
        self.answer.next.in_ip = self.held.q.val().ev;
        if self.held.q.val().is_ip4 {
            self.answer.next.in_ip = !self.header_sum.val();
        }
        self.answer.next.is_ip4 = self.held.q.val().is_ip4;
        self.answer.next.is_stamped = self.held.q.val().is_stamped;
        self.answer.next.is_summed = self.held.q.val().is_summed;
        self.answer.next.tags = self.held.q.val().tags;
        self.answer.next.udp = self.held.q.val().udp;
        self.answer.next.second = self.held.q.val().second;
        self.answer.next.in_even_steps = self.held.q.val().ev;
        self.answer.next.in_odd_steps = self.held.q.val().timestamp;
        if self.held.q.val().udp.get_bit(0) {
            self.answer.next.in_even_steps = self.held.q.val().timestamp;
            self.answer.next.in_odd_steps = self.held.q.val().ev;
        }
        self.answer.next.is_rewritten = self.is_rewritten.val();
        self.plan.next = self.answer.val();
    }
}
