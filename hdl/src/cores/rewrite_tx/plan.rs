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

    added: Signal<Local, Bits<16>>,
    removed: Signal<Local, Bits<16>>,
    sum_1: Signal<Local, Bits<16>>,
    most_1: Signal<Local, Bits<16>>,
    around_1: Signal<Local, Bits<16>>,
    sum_2: Signal<Local, Bits<16>>,
    most_2: Signal<Local, Bits<16>>,
    held: DFF<Terms>,
    around_2: Signal<Local, Bits<16>>,
    unsum: Signal<Local, Bits<16>>,
    /// Two numbers whose sum is the UDP checksum, and whether it has a carry.
    sum: DFF<Bits<16>>,
    carries: DFF<Bits<16>>,
    header: DFF<Bits<16>>,
    is_over: DFF<Bit>,
    first_term: Signal<Local, Bits<17>>,
    second_term: Signal<Local, Bits<17>>,
    total: Signal<Local, Bits<17>>,
    answer: Signal<Local, Plan>,
    is_strack: Constant<Bit>,
}

impl Planner {
    /// For the profile `uet`, which has no timestamp, or for `strack`.
    pub fn new(is_uet: bool) -> Self {
        block!(
            Planner { is_strack: Constant::new(!is_uet) };
            clk, place, captured, ip, ev, timestamp, ev_timestamp, is_rewritten, plan, added, removed, sum_1, most_1,
            around_1, sum_2, most_2, held, around_2, unsum, sum, carries, header, is_over, first_term, second_term, total,
            answer,
        )
    }
}

impl Logic for Planner {
    #[hdl_gen]
    fn update(&mut self) {
        comment!("Works out what to write into a frame.");
        dff_setup!(self, clk, held, sum, carries, header, is_over);
        comment!(
            "Register 4. The new UDP checksum is the old one and what is removed, less what is added: four terms, brought to two by carry-save adders whose last carry goes around."
        );
        self.added.next = !self.ev.val();
        self.removed.next = bits::<16>(0);
        if self.is_strack.val() && self.captured.val().is_stamped {
            self.added.next = !self.ev_timestamp.val();
            self.removed.next = self.captured.val().timestamp;
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
        self.around_2.next = (self.most_2.val() << 1) | (self.most_2.val() >> 15);
        self.unsum.next = !self.sum_2.val();
        self.sum.d.next = self.sum_2.val();
        self.carries.d.next = self.around_2.val();
        self.is_over.d.next = self.unsum.val() < self.around_2.val();
        self.header.d.next =
            self.ip.val().sum.get_bits::<16>(0) + bit_cast::<16, 1>(self.ip.val().sum.get_bits::<1>(16));
        self.held.d.next.tags = self.place.val().tags;
        self.held.d.next.is_ip4 = self.place.val().is_ip4;
        self.held.d.next.is_stamped = self.captured.val().is_stamped;
        self.held.d.next.is_summed = self.captured.val().udp_checksum != bits::<16>(0);
        self.held.d.next.udp = self.place.val().udp;
        self.held.d.next.second = self.ip.val().second;
        self.held.d.next.ev = self.ev.val();
        self.held.d.next.timestamp = self.timestamp.val();
        comment!(
            "The sum with the carry that goes around, put in below. It comes as it is sent: no term is added to an old checksum of 0, so a sum of 0 comes as all ones."
        );
        self.first_term.next = (bit_cast::<17, 16>(self.carries.q.val()) << 1) | bits::<17>(1);
        self.second_term.next = (bit_cast::<17, 16>(self.sum.q.val()) << 1)
            | bit_cast::<17, 1>(bits::<1>(0).replace_bit(0, self.is_over.q.val()));
        self.total.next = self.first_term.val() + self.second_term.val();
        self.answer.next.udp_checksum = self.total.val().get_bits::<16>(1);
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
