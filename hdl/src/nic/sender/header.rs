//! What a request says of a frame.

use respray_hdl_macros::hdl_gen;
use rust_hdl::prelude::*;

use crate::comment;
use crate::config::Wire;
use crate::cores::rewrite::Place;
use crate::prims::Param;
use crate::wire::{self, Source, UDP_BYTES, sender_connection, source_of};

/// What is asked for a frame.
#[derive(Copy, Clone, Debug, Default, PartialEq, LogicStruct)]
pub struct Request {
    /// A probe, else data.
    pub is_probe: Bit,
    /// The number by which the sender knows the connection.
    pub conn: Bits<24>,
    pub psn: Bits<32>,
    /// What follows the profile's header inside UDP.
    pub bytes: Bits<16>,
    /// Of `uet`: the number by which the receiver knows the connection, and whether the request is of type ROD.
    pub destination_pdc: Bits<16>,
    pub is_ordered: Bit,
}

/// Steps from UDP's first to the one whose odd half begins the profile's header.
const HEADER_STEPS: usize = UDP_BYTES / 4;
/// Of the header's 32-bit words the one whose lower half has the probe's flag, in profiles that have one.
const PROBE_WORD: usize = 3;

/// Connection and PSN stand in the second and the third 32-bit word of the profile's header, in an order that the profile sets. This
/// is the lowest bit of a field within both words together, and as many ones as the field has bits.
///
/// # Panics
/// If the field stands elsewhere.
fn spot(wire: Wire, source: Source) -> (Param<Bits<6>>, u64) {
    let end = source.offset(wire) + source.width;
    assert!(
        source.offset(wire) >= 32 && end <= 96,
        "{} of {wire:?} is in the second or third word",
        source.part
    );
    (Param::new((96 - end as u64).into()), u64::MAX >> (64 - source.width))
}

/// Captures the fields of the profile's header that a request names, each in the beat that holds it.
///
/// It does this as `rewrite_tx` captures the fields of UDP: register 2 holds the beat's steps, those blanked (by the synchronous
/// reset) in which no field stands. The halves that are captured of the two words are a step apart, so the steps of one parity can be
/// ORed. Register 3 takes them when they have come. What a frame has not reached is of no meaning.
#[derive(LogicBlock, Default)]
pub struct HeaderReader<const N: usize> {
    pub clk: Signal<In, Clock>,
    /// Beside register 1.
    pub valid: Signal<In, Bit>,
    pub place: Signal<In, Place>,
    pub even: [Signal<In, Bits<16>>; 16],
    pub odd: [Signal<In, Bits<16>>; 16],
    /// UDP, of the frame beside register 2, begins in an odd step.
    pub is_odd_2: Signal<In, Bit>,
    /// UDP's length and the first half of the profile's header, beside register 3.
    pub length: Signal<In, Bits<16>>,
    pub lead: Signal<In, Bits<16>>,
    /// Beside register 3.
    pub request: Signal<Out, Request>,

    /// That of UDP's first step, be it in this beat or in another.
    lane: Signal<Local, Bits<5>>,
    /// UDP's first step stands in such a lane.
    is_udp: [Signal<Local, Bit>; 16],
    shows_even: [Signal<Local, Bit>; 16],
    shows_odd: [Signal<Local, Bit>; 16],
    shows_flags: [Signal<Local, Bit>; 16],
    even_held: [DFF<Bits<16>>; 16],
    odd_held: [DFF<Bits<16>>; 16],
    flag_held: [DFF<Bit>; 16],
    reaches: [Signal<Local, Bits<6>>; 4],
    is_here: [DFF<Bit>; 4],
    even_any: [Signal<Local, Bits<16>>; 2],
    odd_any: [Signal<Local, Bits<16>>; 2],
    flag_any: Signal<Local, Bit>,
    /// The second and the third word: upper halves, lower halves.
    upper: [Signal<Local, Bits<16>>; 2],
    lower: [Signal<Local, Bits<16>>; 2],
    upper_held: [DFF<Bits<16>>; 2],
    lower_held: [DFF<Bits<16>>; 2],
    probe_held: DFF<Bit>,
    words: Signal<Local, Bits<64>>,
    found: Signal<Local, Request>,

    in_beat: Param<Bits<5>>,
    /// Of a lane, within a beat.
    number: [Param<Bits<5>>; 16],
    /// A half that is captured can stand there.
    has_even: [Param<Bit>; 16],
    has_odd: [Param<Bit>; 16],
    has_flags: [Param<Bit>; 16],
    /// Steps behind UDP's first at which something is captured: upper half of the second word; its lower half and upper half of the
    /// third; its lower half; the probe's flag.
    distance: [Param<Bits<6>>; 4],
    beyond: Param<Bits<6>>,
    conn_low: Param<Bits<6>>,
    conn_mask: Param<Bits<24>>,
    psn_low: Param<Bits<6>>,
    psn_mask: Param<Bits<32>>,
    destination_low: Param<Bits<6>>,
    destination_mask: Param<Bits<16>>,
    /// What tells a request of type ROD in the first half of the header.
    ordered_mask: Param<Bits<16>>,
    /// Some requests have a longer header, which is told by a bit of the first half. The bit that tells ROD is inverted in them.
    has_credit: Param<bool>,
    credit_mask: Param<Bits<16>>,
    credit_bytes: Param<Bits<16>>,
    /// The profile has probes among its data.
    has_probe: Param<Bit>,
    /// Bit of the half that is the probe's flag.
    probe_bit: Param<Bits<4>>,
    /// Bytes of UDP's header and that of data, negative.
    unsize: Param<Bits<16>>,
}

impl<const N: usize> HeaderReader<N> {
    /// For the headers of a profile.
    ///
    /// # Panics
    /// If a field stands where it is not read.
    pub fn new(wire: Wire) -> Self {
        let can = |lane: usize, at: usize| (8..=20).any(|udp| (udp + at) % N == lane);
        let has = |steps: &'static [usize]| {
            std::array::from_fn(|lane| Param::new(steps.iter().any(|&at| can(lane, at))))
        };
        let psn = source_of(wire, "meta_psn").expect("data has a PSN");
        let sender = sender_connection(wire);
        let receiver = source_of(wire, "meta_conn").expect("data names the receiver's connection");
        let ((conn_low, conn_mask), (psn_low, psn_mask)) = (spot(wire, sender), spot(wire, psn));
        // where both ends have the same number, it is not said twice
        let (destination_low, destination_mask) = match receiver.offset(wire) == sender.offset(wire) {
            true => (Param::new(0u64.into()), 0),
            false => spot(wire, receiver),
        };
        let [unordered, ordered] = wire::kinds(wire).data_codes();
        let probe = source_of(wire, "meta_kind/probe");
        let probe_bit = probe.map_or(0, |source| {
            let behind = source.offset(wire).checked_sub(32 * PROBE_WORD + 16);
            behind.filter(|behind| *behind < 16).map(|behind| 15 - behind as u64).expect("it is in that half")
        });
        let header_bytes = wire::header(wire, psn.header).bytes();
        let credit = wire::kinds(wire).credit();
        Self {
            in_beat: Param::new((N as u64 - 1).into()),
            number: std::array::from_fn(|lane| Param::new(((lane % N) as u64).into())),
            has_even: has(&[HEADER_STEPS + 2, HEADER_STEPS + 3]),
            has_odd: has(&[HEADER_STEPS + 1, HEADER_STEPS + 2]),
            has_flags: match probe {
                Some(_) => has(&[HEADER_STEPS + 4]),
                None => [false; 16].map(Param::new),
            },
            distance: [1, 2, 3, 4].map(|behind| Param::new(((HEADER_STEPS + behind) as u64).into())),
            beyond: Param::new((64 - N as u64).into()),
            conn_low,
            conn_mask: Param::new(conn_mask.into()),
            psn_low,
            psn_mask: Param::new(psn_mask.into()),
            destination_low,
            destination_mask: Param::new(destination_mask.into()),
            ordered_mask: Param::new((unordered ^ ordered).into()),
            has_probe: Param::new(probe.is_some()),
            probe_bit: Param::new(probe_bit.into()),
            has_credit: Param::new(credit.is_some()),
            credit_mask: Param::new(credit.map_or(0, |(mask, _)| mask).into()),
            credit_bytes: Param::new(credit.map_or(0, |(_, bytes)| bytes).into()),
            unsize: Param::new((0x1_0000 - (UDP_BYTES + header_bytes) as u64).into()),
            ..Default::default()
        }
    }
}

impl<const N: usize> Logic for HeaderReader<N> {
    #[hdl_gen]
    fn update(&mut self) {
        comment!("Captures of the profile's header what a request says.");
        dff_setup!(self, clk, probe_held);
        comment!(
            "Register 2: the steps that hold a half of the header's second or third word, or the flags."
        );
        self.lane.next = self.place.val().udp & self.in_beat.val();
        for i in 0..16 {
            self.is_udp[i].next = self.lane.val() == self.number[i].val();
        }
        for i in 0..16 {
            self.shows_odd[i].next = self.has_odd[i].val()
                && (self.is_udp[(i + 13) % 16].val() || self.is_udp[(i + 12) % 16].val());
            self.shows_even[i].next = self.has_even[i].val()
                && (self.is_udp[(i + 12) % 16].val() || self.is_udp[(i + 11) % 16].val());
            self.shows_flags[i].next = self.has_flags[i].val() && self.is_udp[(i + 10) % 16].val();
            self.odd_held[i].clock.next = self.clk.val();
            self.even_held[i].clock.next = self.clk.val();
            self.flag_held[i].clock.next = self.clk.val();
            self.odd_held[i].d.next = bits::<16>(0);
            self.even_held[i].d.next = bits::<16>(0);
            self.flag_held[i].d.next = false;
            if self.has_odd[i].val() && self.shows_odd[i].val() {
                self.odd_held[i].d.next = self.odd[i].val();
            }
            if self.has_even[i].val() && self.shows_even[i].val() {
                self.even_held[i].d.next = self.even[i].val();
            }
            if self.has_flags[i].val() && self.shows_flags[i].val() {
                self.flag_held[i].d.next = self.even[i].val().get_bit(self.probe_bit.val().index());
            }
        }
        for k in 0..4 {
            self.is_here[k].clock.next = self.clk.val();
            self.reaches[k].next = (self.place.val().ahead + self.distance[k].val()) & self.beyond.val();
            self.is_here[k].d.next = self.valid.val() && (self.reaches[k].val() == bits::<6>(0));
        }
        comment!("Steps of one parity together.");
        for c in 0..2 {
            self.odd_any[c].next = bits::<16>(0);
            self.even_any[c].next = bits::<16>(0);
        }
        self.flag_any.next = false;
        for i in 0..N {
            self.odd_any[i % 2].next = self.odd_any[i % 2].val() | self.odd_held[i].q.val();
            self.even_any[i % 2].next = self.even_any[i % 2].val() | self.even_held[i].q.val();
            self.flag_any.next = self.flag_any.val() | self.flag_held[i].q.val();
        }
        self.upper[0].next = self.odd_any[1].val();
        self.upper[1].next = self.odd_any[0].val();
        self.lower[0].next = self.even_any[0].val();
        self.lower[1].next = self.even_any[1].val();
        if self.is_odd_2.val() {
            self.upper[0].next = self.odd_any[0].val();
            self.upper[1].next = self.odd_any[1].val();
            self.lower[0].next = self.even_any[1].val();
            self.lower[1].next = self.even_any[0].val();
        }
        comment!("Register 3.");
        for w in 0..2 {
            self.upper_held[w].clock.next = self.clk.val();
            self.lower_held[w].clock.next = self.clk.val();
            self.upper_held[w].d.next = self.upper_held[w].q.val();
            self.lower_held[w].d.next = self.lower_held[w].q.val();
            if self.is_here[w].q.val() {
                self.upper_held[w].d.next = self.upper[w].val();
            }
            if self.is_here[w + 1].q.val() {
                self.lower_held[w].d.next = self.lower[w].val();
            }
        }
        if self.is_here[3].q.val() {
            self.probe_held.d.next = self.flag_any.val();
        }
        self.words.next = (self.upper_held[0].q.val().get_bits::<64>(0) << 48)
            | (self.lower_held[0].q.val().get_bits::<64>(0) << 32)
            | (self.upper_held[1].q.val().get_bits::<64>(0) << 16)
            | self.lower_held[1].q.val().get_bits::<64>(0);
        self.found.next.is_probe = self.has_probe.val() && self.probe_held.q.val();
        self.found.next.conn =
            self.words.val().get_bits::<24>(self.conn_low.val().index()) & self.conn_mask.val();
        self.found.next.psn =
            self.words.val().get_bits::<32>(self.psn_low.val().index()) & self.psn_mask.val();
        self.found.next.bytes = self.length.val() + self.unsize.val();
        self.found.next.destination_pdc =
            self.words.val().get_bits::<16>(self.destination_low.val().index()) & self.destination_mask.val();
        self.found.next.is_ordered = (self.lead.val() & self.ordered_mask.val()).any();
        if self.has_credit.val() && (self.lead.val() & self.credit_mask.val()).any() {
            self.found.next.is_ordered = !(self.lead.val() & self.ordered_mask.val()).any();
            self.found.next.bytes = self.length.val() + self.unsize.val() - self.credit_bytes.val();
        }
        self.request.next = self.found.val();
    }
}
