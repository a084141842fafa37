//! The fields of UDP and of the profile's header.

use respray_hdl_macros::{LogicBlock, Part, hdl_gen};
use rust_hdl::prelude::*;

use crate::comment;
use crate::config::Wire;
use crate::cores::rewrite::Place;
use crate::prims::Param;
use crate::wire;

/// Header fields, big-endian. What a frame has not reached is of no meaning.
///
/// Of two halfwords a step apart one stands in an even step and one in an odd: they are kept by that, and the parity of
/// UDP's first step tells which is which.
#[derive(Copy, Clone, Debug, Default, PartialEq, LogicStruct)]
pub struct Captured {
    /// UDP checksum where UDP begins in an even step, else destination port.
    pub even_half_even_step: Bits<16>,
    /// Destination port where UDP begins in an even step, else UDP checksum.
    pub even_half_odd_step: Bits<16>,
    /// Source port where UDP begins in an even step, else UDP length.
    pub odd_half_even_step: Bits<16>,
    /// UDP length where UDP begins in an even step, else source port.
    pub odd_half_odd_step: Bits<16>,
    /// First halfword of the profile's header.
    pub lead: Bits<16>,
    /// It is data, whose timestamp is written.
    pub is_stamped: Bit,
    /// What the timestamp replaces, 12 bytes into the profile's header; 0 if none is written.
    pub replaced: Bits<16>,
}

/// Captures each field in the beat that holds it, without a multiplexer as wide as the beat.
///
/// Register 2 holds the beat's steps, those blanked (by the synchronous reset) in which no field stands: destination port and
/// checksum in a copy of the even halves, source port and length in one of the odd halves, the profile's first halfword and its
/// timestamp in another. They are shown in every beat: when the field comes is for register 3 to know, which holds the fields.
/// The two of a copy are an odd number of steps apart, so the steps of one parity can be ORed.
#[derive(LogicBlock, Default, Part)]
pub struct Fields<const N: usize> {
    pub clk: Signal<In, Clock>,
    pub rst: Signal<In, Bit>,
    pub valid: Signal<In, Bit>,
    pub last: Signal<In, Bit>,
    pub place: Signal<In, Place>,
    pub even: [Signal<In, Bits<16>>; 16],
    pub odd: [Signal<In, Bits<16>>; 16],
    /// UDP, of the frame beside register 2, begins in an odd step.
    pub is_odd_2: Signal<In, Bit>,
    /// The beat beside register 2 is the one with which its frame can be judged.
    pub judge_2: Signal<Out, Bit>,
    pub captured: Signal<Out, Captured>,
    /// `is_stamped` of the captured fields after the next edge.
    pub is_stamped_next: Signal<Out, Bit>,

    /// That of UDP's first step, be it in this beat or in another.
    lane: Signal<Local, Bits<5>>,
    /// UDP's first step stands in such a lane.
    is_udp: [Signal<Local, Bit>; 16],
    is_port: [Signal<Local, Bit>; 16],
    is_sum: [Signal<Local, Bit>; 16],
    is_late: [Signal<Local, Bit>; 16],
    even_held: [DFF<Bits<16>>; 16],
    odd_held: [DFF<Bits<16>>; 16],
    late_held: [DFF<Bits<16>>; 16],
    reaches: [Signal<Local, Bits<6>>; 4],
    is_here: [DFF<Bit>; 4],
    settles: Signal<Local, Bits<6>>,
    is_judged: Signal<Local, Bit>,
    judged: DFF<Bit>,
    judge: DFF<Bit>,
    even_any: [Signal<Local, Bits<16>>; 2],
    odd_any: [Signal<Local, Bits<16>>; 2],
    late_any: [Signal<Local, Bits<16>>; 2],
    lead: Signal<Local, Bits<16>>,
    kind: Signal<Local, Bits<16>>,
    stamp: Signal<Local, Bits<16>>,
    is_stamped: Signal<Local, Bit>,
    held: DFF<Captured>,

    in_beat: Param<Bits<5>>,
    /// Of a lane, within a beat.
    number: [Param<Bits<5>>; 16],
    /// A field of the copy can stand there.
    has_port: [Param<Bit>; 16],
    has_sum: [Param<Bit>; 16],
    has_late: [Param<Bit>; 16],
    /// Of UDP's first step, where the timestamp stands in the lane.
    late_lane: [Param<Bits<5>>; 16],
    /// The timestamp can stand there; else what a packet is judged by alone is of interest.
    late_mask: [Param<Bits<16>>; 16],
    distance: [Param<Bits<6>>; 4],
    beyond: Param<Bits<6>>,
    settled_by: Param<Bits<6>>,
    /// The profile has a timestamp.
    has_stamp: Param<Bit>,
    /// What of the first halfword tells the kind, and the codes of data there.
    kind_mask: Param<Bits<16>>,
    data_code: [Param<Bits<16>>; 2],
}

impl<const N: usize> Fields<N> {
    /// For a profile: what must be in for a frame to be judged before its end, and where the timestamp stands. With an entropy header
    /// UDP is where it would be 4 bytes earlier.
    pub fn new(wire: Wire, has_entropy: bool) -> Self {
        let kinds = wire::kinds(wire);
        let stamp = kinds.stamp_steps();
        let first_udp = if has_entropy { 7 } else { 8 };
        let can = |lane: usize, at: usize| (first_udp..=20).any(|udp| (udp + at) % N == lane);
        let has = |first, second: Option<usize>| {
            let is_some = |lane| can(lane, first) || second.is_some_and(|at| can(lane, at));
            std::array::from_fn(|lane| Param::new(is_some(lane)))
        };
        let late = stamp.unwrap_or(2);
        Self {
            in_beat: Param::new((N as u64 - 1).into()),
            number: std::array::from_fn(|lane| Param::new(((lane % N) as u64).into())),
            has_port: has(0, Some(1)),
            has_sum: has(1, Some(2)),
            has_late: has(2, stamp),
            late_lane: std::array::from_fn(|lane| Param::new(((lane + 64 - late) as u64 % N as u64).into())),
            late_mask: std::array::from_fn(|lane| {
                let is_stamp = stamp.is_some_and(|at| can(lane, at));
                Param::new(if is_stamp { 0xFFFF } else { kinds.judged() }.into())
            }),
            distance: [0, 1, 2, late].map(|at| Param::new((at as u64).into())),
            beyond: Param::new((64 - N as u64).into()),
            settled_by: Param::new(kinds.settled_steps().into()),
            has_stamp: Param::new(stamp.is_some()),
            kind_mask: Param::new(kinds.mask().into()),
            data_code: kinds.data_codes().map(|code| Param::new(code.into())),
            ..Default::default()
        }
    }
}

impl<const N: usize> Logic for Fields<N> {
    #[hdl_gen]
    fn update(&mut self) {
        comment!("Captures the fields that decide about a frame.");
        dff_setup!(self, clk, judged, judge, held);
        comment!("Register 2: the steps that hold a field.");
        self.lane.next = self.place.val().udp & self.in_beat.val();
        for i in 0..16 {
            self.is_udp[i].next = self.lane.val() == self.number[i].val();
        }
        for i in 0..16 {
            self.is_port[i].next =
                self.has_port[i].val() && (self.is_udp[i].val() || self.is_udp[(i + 15) % 16].val());
            self.is_sum[i].next = self.has_sum[i].val()
                && (self.is_udp[(i + 15) % 16].val() || self.is_udp[(i + 14) % 16].val());
            self.is_late[i].next = self.has_late[i].val()
                && (self.is_udp[(i + 14) % 16].val() || (self.lane.val() == self.late_lane[i].val()));
            self.even_held[i].clock.next = self.clk.val();
            self.odd_held[i].clock.next = self.clk.val();
            self.late_held[i].clock.next = self.clk.val();
            self.even_held[i].d.next = bits::<16>(0);
            self.odd_held[i].d.next = bits::<16>(0);
            self.late_held[i].d.next = bits::<16>(0);
            if self.has_sum[i].val() && self.is_sum[i].val() {
                self.even_held[i].d.next = self.even[i].val();
            }
            if self.has_port[i].val() && self.is_port[i].val() {
                self.odd_held[i].d.next = self.odd[i].val();
            }
            if self.has_late[i].val() && self.is_late[i].val() {
                self.late_held[i].d.next = self.odd[i].val() & self.late_mask[i].val();
            }
        }
        for k in 0..4 {
            self.is_here[k].clock.next = self.clk.val();
            self.reaches[k].next = (self.place.val().ahead + self.distance[k].val()) & self.beyond.val();
            self.is_here[k].d.next = self.valid.val() && (self.reaches[k].val() == bits::<6>(0));
        }
        self.settles.next = (self.place.val().ahead + self.settled_by.val()) & self.beyond.val();
        self.is_judged.next = self.valid.val()
            && !self.judged.q.val()
            && (self.last.val() || (self.settles.val() == bits::<6>(0)));
        if self.valid.val() {
            self.judged.d.next = (self.judged.q.val() || self.is_judged.val()) && !self.last.val();
        }
        self.judge.d.next = self.is_judged.val();
        self.judge_2.next = self.judge.q.val();
        comment!("Steps of one parity together.");
        for c in 0..2 {
            self.even_any[c].next = bits::<16>(0);
            self.odd_any[c].next = bits::<16>(0);
            self.late_any[c].next = bits::<16>(0);
        }
        for i in 0..N {
            self.even_any[i % 2].next = self.even_any[i % 2].val() | self.even_held[i].q.val();
            self.odd_any[i % 2].next = self.odd_any[i % 2].val() | self.odd_held[i].q.val();
            self.late_any[i % 2].next = self.late_any[i % 2].val() | self.late_held[i].q.val();
        }
        self.lead.next = self.late_any[0].val();
        self.stamp.next = self.late_any[1].val();
        if self.is_odd_2.val() {
            self.lead.next = self.late_any[1].val();
            self.stamp.next = self.late_any[0].val();
        }
        comment!("Register 3.");
        if (self.is_here[2].q.val() && !self.is_odd_2.val())
            || (self.is_here[1].q.val() && self.is_odd_2.val())
        {
            self.held.d.next.even_half_even_step = self.even_any[0].val();
        }
        if (self.is_here[1].q.val() && !self.is_odd_2.val())
            || (self.is_here[2].q.val() && self.is_odd_2.val())
        {
            self.held.d.next.even_half_odd_step = self.even_any[1].val();
        }
        if (self.is_here[0].q.val() && !self.is_odd_2.val())
            || (self.is_here[1].q.val() && self.is_odd_2.val())
        {
            self.held.d.next.odd_half_even_step = self.odd_any[0].val();
        }
        if (self.is_here[1].q.val() && !self.is_odd_2.val())
            || (self.is_here[0].q.val() && self.is_odd_2.val())
        {
            self.held.d.next.odd_half_odd_step = self.odd_any[1].val();
        }
        self.is_stamped.next = self.held.q.val().is_stamped;
        self.kind.next = self.lead.val() & self.kind_mask.val();
        if self.is_here[2].q.val() {
            self.is_stamped.next = self.has_stamp.val()
                && ((self.kind.val() == self.data_code[0].val())
                    || (self.kind.val() == self.data_code[1].val()));
            self.held.d.next.lead = self.lead.val();
        }
        self.is_stamped_next.next = self.is_stamped.val();
        self.held.d.next.is_stamped = self.is_stamped.val();
        if self.has_stamp.val() {
            if self.is_here[3].q.val() {
                self.held.d.next.replaced = self.stamp.val();
            }
            if !self.is_stamped.val() {
                self.held.d.next.replaced = bits::<16>(0);
            }
        } else {
            self.held.d.next.replaced = bits::<16>(0);
        }
        self.captured.next = self.held.q.val();
        if self.rst.val() {
            self.judged.d.next = false;
            self.judge.d.next = false;
        }
    }
}
