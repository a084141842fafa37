//! From a judged frame to what is written into it.

use respray_hdl_macros::{LogicBlock, Part, hdl_gen};
use rust_hdl::prelude::*;

use super::fields::Captured;
use super::remark::Marked;
use crate::comment;
use crate::cores::rewrite::{Geometry, Place};
use crate::prims::{Optional, Param};
use crate::signal_struct;

signal_struct! {
    /// What the output does to a frame, whose beats have `STEPS` steps of 32 bits.
    pub struct Plan<const STEPS: usize, const BEAT_NUMBER: usize> {
        /// Anything at all, if the checksum of the IPv4 header is right.
        pub is_rewritten: bool,
        pub is_ip4: bool,
        /// The timestamp.
        pub is_stamped: bool,
        /// The UDP checksum.
        pub is_summed: bool,
        /// VLAN tags: IP's first halfword is the odd one of step 3 + `tags`.
        pub tags: Bits<2>,
        /// Where the step of the UDP source port is: in which lane, one-hot, of which beat. The UDP checksum is 2 steps behind, the timestamp
        /// where the profile has it.
        pub udp_lane: Bits<STEPS>,
        pub udp_beat: Bits<BEAT_NUMBER>,
        /// IP's second byte.
        pub second: Bits<8>,
        /// EV and timestamp, by the parity of the step where they are written.
        pub in_even_steps: Bits<16>,
        pub in_odd_steps: Bits<16>,
        /// IPv4 checksum, or the low half of the flow label.
        pub in_ip: Bits<16>,
        pub udp_checksum: Bits<16>,
    }
}

signal_struct! {
    /// What of a plan needs no sums.
    struct Terms<const STEPS: usize, const BEAT_NUMBER: usize> {
        is_ip4: bool,
        is_stamped: bool,
        is_summed: bool,
        tags: Bits<2>,
        udp_lane: Bits<STEPS>,
        udp_beat: Bits<BEAT_NUMBER>,
        second: Bits<8>,
        /// EV and timestamp where they are written, and 0 elsewhere.
        ev_in_even: Bits<16>,
        ev_in_odd: Bits<16>,
        timestamp_in_even: Bits<16>,
        timestamp_in_odd: Bits<16>,
        /// All ones for IPv4.
        label: Bits<16>,
    }
}

/// Checksums by incremental update (RFC 1624 eqn 3): one register from captured fields to the plan.
#[derive(LogicBlock, Default, Part)]
pub struct Planner<const STEPS: usize, const BEAT_NUMBER: usize> {
    pub clk: Signal<In, Clock>,
    pub place: Signal<In, Place>,
    /// The profile's header stands behind an entropy header, which has no checksum.
    pub is_entropy: Optional<Signal<In, Bit>>,
    pub captured: Signal<In, Captured>,
    pub marked: Signal<In, Marked>,
    pub ev: Signal<In, Bits<16>>,
    pub timestamp: Signal<In, Bits<16>>,
    /// What is written under the UDP checksum: the sum of EV and timestamp, or EV.
    pub written: Signal<In, Bits<16>>,
    pub is_rewritten: Signal<In, Bit>,
    pub plan: Signal<Out, Plan<STEPS, BEAT_NUMBER>>,

    checksum: Signal<Local, Bits<16>>,
    source_port: Signal<Local, Bits<16>>,
    less: Signal<Local, Bits<16>>,
    sum_1: Signal<Local, Bits<16>>,
    most_1: Signal<Local, Bits<16>>,
    around_1: Signal<Local, Bits<16>>,
    sum_2: Signal<Local, Bits<16>>,
    most_2: Signal<Local, Bits<16>>,
    held: DFF<Terms<STEPS, BEAT_NUMBER>>,
    lane: Signal<Local, Bits<5>>,
    udp_lane: Signal<Local, Bits<STEPS>>,
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
    answer: Signal<Local, Plan<STEPS, BEAT_NUMBER>>,
    number: [Param<Bits<5>>; 16],
    in_beat: Param<Bits<5>>,
    shift: Param<Bits<3>>,
    has_entropy: Param<bool>,
    has_crc: Param<bool>,
}

impl<const STEPS: usize, const BEAT_NUMBER: usize> Planner<STEPS, BEAT_NUMBER> {
    /// For what may be carried by an entropy header, with trailers or without.
    pub fn new(has_entropy: bool, has_crc: bool) -> Self {
        let geometry = Geometry::new(32 * STEPS);
        Self {
            number: std::array::from_fn(|i| Param::new((i as u64).into())),
            in_beat: Param::new((geometry.steps - 1).into()),
            shift: Param::new(geometry.shift.into()),
            has_crc: Param::new(has_crc),
            is_entropy: Optional::new(has_entropy, Default::default),
            has_entropy: Param::new(has_entropy),
            ..Default::default()
        }
    }
}

// What not every configuration has stands under an `if` of its own, which falls away as a whole.
#[allow(clippy::collapsible_if)]
impl<const STEPS: usize, const BEAT_NUMBER: usize> Logic for Planner<STEPS, BEAT_NUMBER> {
    #[hdl_gen]
    fn update(&mut self) {
        comment!("Works out what to write into a frame.");
        dff_setup!(self, clk, held, sum, carries, header, is_over);
        comment!("Register 4. The new UDP checksum is the old one and what is removed, less what is added:");
        comment!("four terms, brought to two by carry-save adders whose last carry goes around.");
        self.checksum.next = self.captured.val().even_half_even_step;
        self.source_port.next = self.captured.val().odd_half_even_step;
        if self.place.val().udp.get_bit(0) {
            self.checksum.next = self.captured.val().even_half_odd_step;
            self.source_port.next = self.captured.val().odd_half_odd_step;
        }
        self.less.next = !self.written.val();
        self.sum_1.next = self.checksum.val() ^ self.source_port.val() ^ self.captured.val().replaced;
        self.most_1.next = (self.checksum.val() & self.source_port.val())
            | (self.checksum.val() & self.captured.val().replaced)
            | (self.source_port.val() & self.captured.val().replaced);
        self.around_1.next = (self.most_1.val() << 1) | (self.most_1.val() >> 15);
        self.sum_2.next = self.sum_1.val() ^ self.around_1.val() ^ self.less.val();
        self.most_2.next = (self.sum_1.val() & self.around_1.val())
            | (self.sum_1.val() & self.less.val())
            | (self.around_1.val() & self.less.val());
        self.around_2.next = (self.most_2.val() << 1) | (self.most_2.val() >> 15);
        self.unsum.next = !self.sum_2.val();
        self.sum.d.next = self.sum_2.val();
        self.carries.d.next = self.around_2.val();
        self.is_over.d.next = self.unsum.val() < self.around_2.val();
        self.header.d.next = self.marked.val().sum.get_bits::<16>(0)
            + bit_cast::<16, 1>(self.marked.val().sum.get_bits::<1>(16));
        if self.place.val().is_ip6 {
            self.header.d.next = bits::<16>(0);
        }
        self.held.d.next.tags = self.place.val().tags;
        self.held.d.next.is_ip4 = self.place.val().is_ip4;
        self.held.d.next.is_stamped = self.captured.val().is_stamped;
        self.held.d.next.is_summed = self.checksum.val() != bits::<16>(0);
        if self.has_entropy.val() {
            if self.is_entropy.val() {
                self.held.d.next.is_summed = false;
            }
        }
        comment!("Where UDP begins is told for each lane here, as its write enable comes late.");
        self.lane.next = self.place.val().udp & self.in_beat.val();
        self.udp_lane.next = bits::<STEPS>(0);
        for i in 0..STEPS {
            self.udp_lane.next = self.udp_lane.val().replace_bit(i, self.lane.val() == self.number[i].val());
        }
        self.held.d.next.udp_lane = self.udp_lane.val();
        self.held.d.next.udp_beat = bit_cast::<BEAT_NUMBER, 5>(self.place.val().udp >> self.shift.val());
        self.held.d.next.second = self.marked.val().second;
        comment!(
            "What is of no use is blanked by the register's set or reset, so that a choice of two takes two inputs."
        );
        self.held.d.next.ev_in_even = self.ev.val();
        self.held.d.next.timestamp_in_odd = self.timestamp.val();
        if self.place.val().udp.get_bit(0) {
            self.held.d.next.ev_in_even = bits::<16>(0);
            self.held.d.next.timestamp_in_odd = bits::<16>(0);
        }
        self.held.d.next.ev_in_odd = self.ev.val();
        self.held.d.next.timestamp_in_even = self.timestamp.val();
        if self.place.val().is_even {
            self.held.d.next.ev_in_odd = bits::<16>(0);
            self.held.d.next.timestamp_in_even = bits::<16>(0);
        }
        self.held.d.next.label = self.ev.val();
        if self.place.val().is_ip4 {
            self.held.d.next.label = bits::<16>(0xFFFF);
        }
        if self.has_crc.val() {
            comment!("With a trailer there is no checksum of UDP: each would cover the other.");
            self.answer.next.udp_checksum = bits::<16>(0);
        } else {
            comment!(
                "The sum with the carry that goes around, put in below. It comes as it is sent: no term is added"
            );
            comment!("to an old checksum of 0, so a sum of 0 comes as all ones.");
            self.first_term.next = (bit_cast::<17, 16>(self.carries.q.val()) << 1)
                | bit_cast::<17, 1>(bits::<1>(0).replace_bit(0, self.is_over.q.val()));
            self.second_term.next = (bit_cast::<17, 16>(self.sum.q.val()) << 1)
                | bit_cast::<17, 1>(bits::<1>(0).replace_bit(0, self.is_over.q.val()));
            self.total.next = self.first_term.val() + self.second_term.val();
            self.answer.next.udp_checksum = self.total.val().get_bits::<16>(1);
        }
        self.answer.next.in_ip = self.header.q.val() ^ self.held.q.val().label;
        self.answer.next.is_ip4 = self.held.q.val().is_ip4;
        self.answer.next.is_stamped = self.held.q.val().is_stamped;
        self.answer.next.is_summed = self.held.q.val().is_summed;
        self.answer.next.tags = self.held.q.val().tags;
        self.answer.next.udp_lane = self.held.q.val().udp_lane;
        self.answer.next.udp_beat = self.held.q.val().udp_beat;
        self.answer.next.second = self.held.q.val().second;
        self.answer.next.in_even_steps = self.held.q.val().ev_in_even | self.held.q.val().timestamp_in_even;
        self.answer.next.in_odd_steps = self.held.q.val().ev_in_odd | self.held.q.val().timestamp_in_odd;
        self.answer.next.is_rewritten = self.is_rewritten.val();
        self.plan.next = self.answer.val();
    }
}
