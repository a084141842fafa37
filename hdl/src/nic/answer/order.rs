//! Which pair of a frame comes next.

// what not every profile has stands under an `if` of its own, which falls away as a whole
#![allow(clippy::collapsible_if)]

use respray_hdl_macros::{LogicBlock, Part, hdl_gen};
use rust_hdl::prelude::*;

use crate::comment;
use crate::config::Wire;
use crate::prims::{Optional, Param};
use crate::wire::kinds;

/// What a pair is, beside its number.
#[derive(Copy, Clone, Debug, Default, PartialEq, LogicStruct)]
pub struct Turn {
    /// 0 to 5 Ethernet and tags, 6 to 15 IP, 16 and 17 UDP, from 18 on the profile's header, from [`PADDING`] on, or with responses behind
    /// headers at [`PADDING_BEHIND_RESPONSE`], padding.
    pub place: Bits<5>,
    /// Of the frame, from 0.
    pub pair: Bits<5>,
    /// A pair of a frame is there.
    pub valid: Bit,
    /// The frame's last pair.
    pub last: Bit,
}

/// First place of the profile's header.
const HEADER: u64 = 18;
/// First place of padding, and where headers of Ultra Ethernet have responses behind them.
pub(super) const PADDING: u64 = 27;
pub(super) const PADDING_BEHIND_RESPONSE: u64 = 31;
/// A frame is padded up to the last byte of pair 14, whose even half is in pair 15.
const LEAST_PAIRS: u64 = 16;

/// Places, or pairs, from `first` to `last` as a set: bit i for i. Whether one is among them takes one LUT and no carry.
pub(super) fn from_to(first: u64, last: u64) -> Param<Bits<32>> {
    Param::new((u64::from(u32::MAX) >> (31 - last) & u64::MAX << first).into())
}

/// Counts through the pairs of a frame, and says where in the line each has its halves.
///
/// In the line, half `odd[i]` is that of pair `i`. On the way back MAC addresses change places, which moves their halves by three:
/// from even to odd and from odd to even.
#[derive(LogicBlock, Default, Part)]
pub struct Order {
    pub clk: Signal<In, Clock>,
    pub rst: Signal<In, Bit>,
    pub job_valid: Signal<In, Bit>,
    pub job_ready: Signal<Out, Bit>,
    pub is_probe: Signal<In, Bit>,
    /// A frame can begin.
    pub has_room: Signal<In, Bit>,
    /// Of the line. Both are known from the second pair on, and needed from the fourth on.
    pub tags: Signal<In, Bits<2>>,
    pub has_ipv6: Signal<In, Bit>,
    /// The job's pair of this cycle.
    pub turn: Signal<Out, Turn>,
    pub is_ipv6: Signal<Out, Bit>,
    /// Of the halves in the line that this pair has.
    pub odd_at: Signal<Out, Bits<4>>,
    pub even_at: Signal<Out, Bits<4>>,

    place: DFF<Bits<5>>,
    pair: DFF<Bits<5>>,
    odd: DFF<Bits<4>>,
    even: DFF<Bits<4>>,
    is_running: Signal<Local, Bit>,
    /// Cycles in which the checksums of the frame before are still to be written.
    rests: DFF<Bits<2>>,
    /// The pair before that of IP's first bytes: 3 to 5.
    last_link_pair: DFF<Bits<5>>,
    ipv6: DFF<Bit>,
    ends_link: Signal<Local, Bit>,
    ends_ip: Signal<Local, Bit>,
    ends: Signal<Local, Bit>,
    next_place: Signal<Local, Bits<5>>,
    /// From the halves of this pair to those of the next, within IP.
    jump: Signal<Local, Bits<4>>,
    is_padded: Signal<Local, Bit>,
    is_done: Signal<Local, Bit>,
    /// The pair is the frame's last.
    is_last: DFF<Bit>,
    /// Last place of a SACK and of a probe.
    sack_end: Param<Bits<5>>,
    probe_end: Param<Bits<5>>,
    padding: Param<Bits<32>>,
    enough: Param<Bits<32>>,
    /// Of Ultra Ethernet: the last place of the header, whose length a job says.
    pub header_end: Optional<Signal<In, Bits<5>>>,
    has_types: Param<Bit>,
}

impl Order {
    /// For the headers of a profile; with types, where they are those of Ultra Ethernet.
    pub fn new(wire: Wire, has_types: bool) -> Self {
        let kinds = kinds(wire);
        let end = |bytes: usize| Param::new((HEADER + (bytes / 4) as u64 - 1).into());
        Self {
            sack_end: end(kinds.longest()),
            // one of Ultra Ethernet says its length, too
            probe_end: if has_types { Param::new(31u64.into()) } else { end(kinds.data().bytes()) },
            padding: from_to(if has_types { PADDING_BEHIND_RESPONSE } else { PADDING }, 31),
            header_end: Optional::new(has_types, Default::default),
            has_types: Param::new(has_types),
            // the pair before the least last one
            enough: from_to(LEAST_PAIRS - 2, 30),
            ..Default::default()
        }
    }
}

impl Logic for Order {
    #[hdl_gen]
    fn update(&mut self) {
        comment!("Counts through the pairs of a frame.");
        dff_setup!(self, clk, place, pair, odd, even, rests, last_link_pair, ipv6, is_last);
        self.last_link_pair.d.next = bits::<5>(3) + bit_cast::<5, 2>(self.tags.val());
        self.ipv6.d.next = self.has_ipv6.val();

        self.is_running.next = self.job_valid.val()
            && ((self.pair.q.val() != bits::<5>(0))
                || (self.has_room.val() && (self.rests.q.val() == bits::<2>(0))));
        self.ends_link.next = self.pair.q.val() == self.last_link_pair.q.val();
        self.ends_ip.next = (self.place.q.val() == bits::<5>(15))
            || ((self.place.q.val() == bits::<5>(10)) && !self.ipv6.q.val());
        self.next_place.next = self.place.q.val() + bits::<5>(1);
        if self.ends_link.val() {
            self.next_place.next = bits::<5>(6);
        }
        if self.ends_ip.val() {
            self.next_place.next = bits::<5>(16);
        }
        if self.is_probe.val() && (self.place.q.val() == self.probe_end.val()) {
            self.next_place.next = bits::<5>(27);
        }
        if self.has_types.val() {
            if self.place.q.val() == self.header_end.val() {
                self.next_place.next = bits::<5>(31);
            }
            comment!("The place of padding is the last one, and serves for all of it.");
            if self.place.q.val() == bits::<5>(31) {
                self.next_place.next = bits::<5>(31);
            }
        }
        comment!(
            "A frame ends with its header or with its padding, whichever is later: the next pair ends it, or this one."
        );
        self.is_done.next = self.next_place.val() == self.sack_end.val();
        if self.is_probe.val() {
            self.is_done.next = (self.next_place.val() == self.probe_end.val())
                || self.padding.val().get_bit(self.next_place.val().index());
        }
        if self.has_types.val() {
            self.is_done.next = (self.next_place.val() == self.header_end.val())
                || self.padding.val().get_bit(self.next_place.val().index());
        }
        self.is_padded.next = self.enough.val().get_bit(self.pair.q.val().index());
        self.ends.next = self.job_valid.val() && self.is_last.q.val();

        comment!("Where the next pair has its halves. IP addresses that change places are read crosswise.");
        self.jump.next = bits::<4>(1);
        if !self.is_probe.val() {
            if self.ipv6.q.val() && (self.place.q.val() == bits::<5>(7)) {
                self.jump.next = bits::<4>(5);
            }
            if self.ipv6.q.val() && (self.place.q.val() == bits::<5>(11)) {
                self.jump.next = bits::<4>(9);
            }
            if !self.ipv6.q.val() && (self.place.q.val() == bits::<5>(8)) {
                self.jump.next = bits::<4>(2);
            }
            if !self.ipv6.q.val() && (self.place.q.val() == bits::<5>(9)) {
                self.jump.next = bits::<4>(15);
            }
        }
        if self.is_running.val() {
            self.place.d.next = self.next_place.val();
            self.is_last.d.next = self.is_done.val() && self.is_padded.val();
            self.pair.d.next = self.pair.q.val() + bits::<5>(1);
            self.odd.d.next = self.odd.q.val() + self.jump.val();
            self.even.d.next = self.odd.q.val() + self.jump.val();
            if self.pair.q.val() == bits::<5>(0) {
                self.odd.d.next = bits::<4>(1);
                self.even.d.next = bits::<4>(1);
                if !self.is_probe.val() {
                    self.odd.d.next = bits::<4>(3);
                    self.even.d.next = bits::<4>(2);
                }
            }
            if self.pair.q.val() == bits::<5>(1) {
                self.odd.d.next = bits::<4>(2);
                self.even.d.next = bits::<4>(2);
                if !self.is_probe.val() {
                    self.odd.d.next = bits::<4>(1);
                    self.even.d.next = bits::<4>(0);
                }
            }
            if self.pair.q.val() == bits::<5>(2) {
                self.odd.d.next = bits::<4>(3);
                self.even.d.next = bits::<4>(3);
                if !self.is_probe.val() {
                    self.even.d.next = bits::<4>(1);
                }
            }
            if self.pair.q.val() == bits::<5>(3) {
                self.odd.d.next = bits::<4>(4);
                self.even.d.next = bits::<4>(4);
            }
        }
        comment!("The first pair of both kinds of frame: only its even half is of the frame.");
        if self.rests.q.val() != bits::<2>(0) {
            self.rests.d.next = self.rests.q.val() - bits::<2>(1);
        }
        if self.ends.val() {
            self.place.d.next = bits::<5>(0);
            self.pair.d.next = bits::<5>(0);
            self.odd.d.next = bits::<4>(2);
            self.even.d.next = bits::<4>(0);
            self.rests.d.next = bits::<2>(2);
            self.is_last.d.next = false;
        }
        self.job_ready.next = self.ends.val();
        self.turn.next.place = self.place.q.val();
        self.turn.next.pair = self.pair.q.val();
        self.turn.next.valid = self.is_running.val();
        self.turn.next.last = self.ends.val();
        self.is_ipv6.next = self.ipv6.q.val();
        self.odd_at.next = self.odd.q.val();
        self.even_at.next = self.even.q.val();
        if self.rst.val() {
            self.place.d.next = bits::<5>(0);
            self.pair.d.next = bits::<5>(0);
            self.odd.d.next = bits::<4>(2);
            self.even.d.next = bits::<4>(0);
            self.rests.d.next = bits::<2>(0);
            self.is_last.d.next = false;
        }
    }
}
