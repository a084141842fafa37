//! From a judged frame to what is written into it.

use rust_hdl::prelude::*;

use super::fields::Captured;
use super::inlet::Place;
use super::ip::Ip;
use crate::{block, comment};

/// What the output does to a frame.
#[derive(Copy, Clone, Debug, Default, PartialEq, LogicStruct)]
pub struct Plan {
    /// Anything at all, if the IPv4 header is sound.
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

/// Checksums by incremental update (RFC 1624 eqn 3): one register from captured fields to the plan.
#[derive(LogicBlock)]
pub struct Planner {
    pub clk: Signal<In, Clock>,
    pub place: Signal<In, Place>,
    pub captured: Signal<In, Captured>,
    pub ip: Signal<In, Ip>,
    pub ev: Signal<In, Bits<16>>,
    pub timestamp: Signal<In, Bits<16>>,
    /// Their sum with end-around carry.
    pub ev_timestamp: Signal<In, Bits<16>>,
    pub is_rewritten: Signal<In, Bit>,
    pub plan: Signal<Out, Plan>,

    is_stamped: Signal<Local, Bit>,
    added: Signal<Local, Bits<16>>,
    removed: Signal<Local, Bits<16>>,
    sum_1: Signal<Local, Bits<16>>,
    most_1: Signal<Local, Bits<16>>,
    around_1: Signal<Local, Bits<16>>,
    sum_2: Signal<Local, Bits<16>>,
    most_2: Signal<Local, Bits<16>>,
    held: DFF<Terms>,
    /// Two numbers whose sum is the UDP checksum; the first one's complement.
    unsum: DFF<Bits<16>>,
    carries: DFF<Bits<16>>,
    header: DFF<Bits<16>>,
    plain: Signal<Local, Bits<16>>,
    one_more: Signal<Local, Bits<16>>,
    is_over: Signal<Local, Bit>,
    answer: Signal<Local, Plan>,
    is_uet: Constant<Bit>,
}

impl Planner {
    /// For the profile `uet`, which has no timestamp in its requests, or for `strack`.
    pub fn new(is_uet: bool) -> Self {
        block!(
            Planner { is_uet: Constant::new(is_uet) };
            clk, place, captured, ip, ev, timestamp, ev_timestamp, is_rewritten, plan, is_stamped, added, removed, sum_1,
            most_1, around_1, sum_2, most_2, held, unsum, carries, header, plain, one_more, is_over, answer,
        )
    }
}

impl Logic for Planner {
    #[hdl_gen]
    fn update(&mut self) {
        comment!("Works out what to write into a frame.");
        dff_setup!(self, clk, held, unsum, carries, header);
        comment!(
            "Register 4. The new UDP checksum is the old one and what is removed, less what is added: four terms, brought to two by carry-save adders whose last carry goes around."
        );
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
        self.sum_1.next =
            self.captured.val().udp_checksum ^ self.captured.val().source_port ^ self.removed.val();
        self.most_1.next = (self.captured.val().udp_checksum & self.captured.val().source_port)
            | (self.captured.val().udp_checksum & self.removed.val())
            | (self.captured.val().source_port & self.removed.val());
        self.around_1.next = (self.most_1.val() << 1) | (self.most_1.val() >> 15);
        self.sum_2.next = self.sum_1.val() ^ self.around_1.val() ^ self.added.val();
        self.most_2.next = (self.sum_1.val() & self.around_1.val())
            | (self.sum_1.val() & self.added.val())
            | (self.around_1.val() & self.added.val());
        self.unsum.d.next = !self.sum_2.val();
        self.carries.d.next = (self.most_2.val() << 1) | (self.most_2.val() >> 15);
        self.header.d.next =
            self.ip.val().sum.get_bits::<16>(0) + bit_cast::<16, 1>(self.ip.val().sum.get_bits::<1>(16));
        self.held.d.next.tags = self.place.val().tags;
        self.held.d.next.is_ip4 = self.place.val().is_ip4;
        self.held.d.next.is_stamped = self.is_stamped.val();
        self.held.d.next.is_summed = self.captured.val().udp_checksum != bits::<16>(0);
        self.held.d.next.udp = self.place.val().udp;
        self.held.d.next.second = self.ip.val().second;
        self.held.d.next.ev = self.ev.val();
        self.held.d.next.timestamp = self.timestamp.val();
        comment!(
            "With and without the carry that goes around. The sum comes as it is sent: no term is added to an old checksum of 0, so a sum of 0 comes as all ones."
        );
        self.plain.next = self.carries.q.val() + !self.unsum.q.val();
        self.one_more.next = self.carries.q.val() - self.unsum.q.val();
        self.is_over.next = self.unsum.q.val() < self.carries.q.val();
        self.answer.next.udp_checksum = self.plain.val();
        if self.is_over.val() {
            self.answer.next.udp_checksum = self.one_more.val();
        }
        self.answer.next.in_ip = self.held.q.val().ev;
        if self.held.q.val().is_ip4 {
            self.answer.next.in_ip = !self.header.q.val();
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
